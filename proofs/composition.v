(** * Section 5.1: sequential composition

    The dependency of two mechanisms, Theorem 6 and Proposition 9. Losses are
    given by their exponentials: e to the minus loss of an output is the
    quotient of its probabilities under b and under a. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From pkdp Require Import divergence worlds computing attackers.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Definitions *)

Section Definitions.
Variables (R : realFieldType) (n : nat) (T B O1 O2 : finType).
Notation database := (n.-tuple T).
Implicit Types (w : world R n T B) (M : mechanism R n T O1) (N : mechanism R n T O2)
  (i : 'I_n) (a b : T) (k : B) (E d : R).

(** Both mechanisms on the same database, each with coins of its own. *)
Definition compose (M : mechanism R n T O1) (N : mechanism R n T O2) : mechanism R n T [finType of O1 * O2] :=
  Mechanism (fun D => indep (M D) (N D)) (fun D => indep_law (run_kernel M D) (run_kernel N D)).

(** Definition 17: e to the minus dependency of two outputs, for the values
    [a] and [b]. It is that of the loss of the second output given the first,
    over that of the second output alone. In Coq x / 0 is 0. So where one of
    the losses is infinite the number is 0, that is, the dependency is
    infinite: this is the convention of the paper. *)
Definition exp_minus_dep w (M : mechanism R n T O1) (N : mechanism R n T O2) i a b k (t : O1 * O2) : R :=
  let P12 := out w (compose M N) (both i a k) t in let Q12 := out w (compose M N) (both i b k) t in
  (Q12 / out w M (both i b k) t.1) / (P12 / out w M (both i a k) t.1)
  * (out w N (both i a k) t.2 / out w N (both i b k) t.2).

(** The repaired convention: the dependency is 0 where the loss of the first
    or of the second output is infinite. *)
Definition exp_minus_dep_repaired w M N i a b k (t : O1 * O2) : R :=
  if (out w M (both i b k) t.1 == 0) || (out w N (both i b k) t.2 == 0) then 1
  else exp_minus_dep w M N i a b k t.

(** Definition 18, bounded dependency, with [U] for e to the mu, at a target and for
    a family; [dep] is one of the two functions above. *)
Definition bounded_dependent_at (dep : world R n T B -> mechanism R n T O1 -> mechanism R n T O2 -> 'I_n -> T -> T -> B -> O1 * O2 -> R)
    w i M N (U nu : R) := forall a b k, compatible w i a k -> compatible w i b k ->
  \sum_t out w (compose M N) (both i a k) t * Num.max 0 (1 - U * dep w M N i a b k t) <= nu.
Definition bounded_dependent dep (Th : family R n T B) M N (U nu : R) :=
  forall w, Th w -> forall i, bounded_dependent_at dep w i M N U nu.

(** ** Theorem 6 *)

(** The marginal laws of the composition. *)
Lemma compose_first w M N A t1 : \sum_t2 out w (compose M N) A (t1, t2) = out w M A t1.
Proof.
rewrite /out -mulr_suml /chance_out exchange_big /=; congr (_ / _); apply: eq_bigr => x _.
by rewrite -mulr_sumr /indep /joint /= -mulr_sumr run_sum mulr1.
Qed.

Lemma compose_second w M N A t2 : \sum_t1 out w (compose M N) A (t1, t2) = out w N A t2.
Proof.
rewrite /out -mulr_suml /chance_out exchange_big /=; congr (_ / _); apply: eq_bigr => x _.
by rewrite -mulr_sumr /indep /joint /= -mulr_suml run_sum mul1r.
Qed.

Lemma compose_le_first w M N A t : out w (compose M N) A t <= out w M A t.1.
Proof.
case: t => t1 t2; rewrite -(compose_first w M N A t1) (bigD1 t2) //= ler_addl sumr_ge0 // => u _.
by apply: out_ge0; exact: (run_kernel (compose M N)).
Qed.

Lemma compose_le_second w M N A t : out w (compose M N) A t <= out w N A t.2.
Proof.
case: t => t1 t2; rewrite -(compose_second w M N A t2) (bigD1 t1) //= ler_addl sumr_ge0 // => u _.
by apply: out_ge0; exact: (run_kernel (compose M N)).
Qed.

(** The loss of both, corrected: it is the sum of the losses of the two and
    their dependency, wherever it is finite. *)
Theorem thm_6_loss_corrected w M N i a b k t :
  out w (compose M N) (both i a k) t != 0 -> out w (compose M N) (both i b k) t != 0 ->
  out w (compose M N) (both i b k) t / out w (compose M N) (both i a k) t =
  (out w M (both i b k) t.1 / out w M (both i a k) t.1) *
  (out w N (both i b k) t.2 / out w N (both i a k) t.2) * exp_minus_dep w M N i a b k t.
Proof.
move=> P12 Q12; have pos (L : mechanism R n T [finType of O1 * O2]) A : 0 <= out w L A t by apply: out_ge0; exact: run_kernel.
have n1 A : out w (compose M N) A t != 0 -> out w M A t.1 != 0.
  by move=> nz; rewrite gt_eqF //; apply: lt_le_trans (compose_le_first _ M N _ _); rewrite lt_neqAle eq_sym nz pos.
have n2 A : out w (compose M N) A t != 0 -> out w N A t.2 != 0.
  by move=> nz; rewrite gt_eqF //; apply: lt_le_trans (compose_le_second _ M N _ _); rewrite lt_neqAle eq_sym nz pos.
rewrite /exp_minus_dep.
move: P12 Q12 (n1 _ P12) (n1 _ Q12) (n2 _ P12) (n2 _ Q12).
move: (out w M _ _) (out w M _ _) (out w N _ _) (out w N _ _) (out w _ _ _) (out w _ _ _) => p1 q1 p2 q2 p12 q12.
by move=> *; field; repeat (apply/andP; split).
Qed.

(** In the proof of Theorem 6: f(x) = max(0, 1 - e^x) is subadditive. Here x
    and y stand for the exponentials, which are not negative. *)
Theorem claim_subadditive (x y : R) : 0 <= x -> 0 <= y ->
  Num.max 0 (1 - x * y) <= Num.max 0 (1 - x) + Num.max 0 (1 - y).
Proof.
move=> x0 y0; rewrite le_maxl addr_ge0 ?max0_ge0 //=.
case: (leP x 1) => x1; case: (leP y 1) => y1.
- rewrite !(elimT max_idPr) ?subr_ge0 // -subr_ge0.
  have -> : 1 - x + (1 - y) - (1 - x * y) = (1 - x) * (1 - y) by ring.
  by rewrite mulr_ge0 // subr_ge0.
- apply: (@le_trans _ _ (1 - x)); last by apply: ler_paddr; rewrite ?max0_ge0 ?max0_ge.
  by rewrite ler_add2l ler_opp2 ler_pemulr // ltW.
- apply: (@le_trans _ _ (1 - y)); last by apply: ler_paddl; rewrite ?max0_ge0 ?max0_ge.
  by rewrite ler_add2l ler_opp2 ler_pemull // ltW.
- apply: (@le_trans _ _ 0); last by rewrite addr_ge0 ?max0_ge0.
  by rewrite subr_le0 mulr_ege1 // ltW.
Qed.

(** Theorem 6, corrected: if the mechanisms are (mu, nu)-bounded dependent, in
    the repaired convention, and (epsilon_j, delta_j)-APKDP, then both
    together are (epsilon_1 + epsilon_2 + mu, delta_1 + delta_2 + nu)-APKDP. *)
Theorem thm_6_corrected (Th : family R n T B) M N (E1 E2 U d1 d2 nu : R) :
  0 <= E1 -> 0 <= E2 -> 0 <= U -> bounded_dependent exp_minus_dep_repaired Th M N U nu ->
  APK Th E1 d1 M -> APK Th E2 d2 N -> APK Th (E1 * E2 * U) (d1 + d2 + nu) (compose M N).
Proof.
move=> E10 E20 U0 dep apk1 apk2 w Thw i a b k ak bk.
have le1 := apk1 w Thw i a b k ak bk; have le2 := apk2 w Thw i a b k ak bk.
have le3 := dep w Thw i a b k ak bk.
apply: (@le_trans _ _ (loss_above E1 (out w M (both i a k)) (out w M (both i b k)) +
   loss_above E2 (out w N (both i a k)) (out w N (both i b k)) +
   \sum_t out w (compose M N) (both i a k) t * Num.max 0 (1 - U * exp_minus_dep_repaired w M N i a b k t)));
  last by rewrite !ler_add.
have -> : loss_above E1 (out w M (both i a k)) (out w M (both i b k)) =
    \sum_(t : O1 * O2) out w (compose M N) (both i a k) t * Num.max 0 (1 - E1 * (out w M (both i b k) t.1 / out w M (both i a k) t.1)).
  rewrite /loss_above -(pair_bigA _ (fun t1 t2 => out w (compose M N) (both i a k) (t1, t2) * Num.max 0 (1 - E1 * (out w M (both i b k) t1 / out w M (both i a k) t1)))) /=.
  by apply: eq_bigr => t1 _; rewrite -mulr_suml compose_first.
have -> : loss_above E2 (out w N (both i a k)) (out w N (both i b k)) =
    \sum_(t : O1 * O2) out w (compose M N) (both i a k) t * Num.max 0 (1 - E2 * (out w N (both i b k) t.2 / out w N (both i a k) t.2)).
  rewrite /loss_above -(pair_bigA _ (fun t1 t2 => out w (compose M N) (both i a k) (t1, t2) * Num.max 0 (1 - E2 * (out w N (both i b k) t2 / out w N (both i a k) t2)))) /=.
  by rewrite exchange_big; apply: eq_bigr => t1 _; rewrite -mulr_suml compose_second.
rewrite -!big_split /=; apply: ler_sum => t _; rewrite -!mulrDr.
have kc : kernel (compose M N) by exact: run_kernel.
have k1 : kernel M by exact: run_kernel.
have k2 : kernel N by exact: run_kernel.
apply: ler_wpmul2l; first exact: out_ge0.
set P12 := out w (compose M N) (both i a k) t; set Q12 := out w (compose M N) (both i b k) t.
set r1 := out w M (both i b k) t.1 / _; set r2 := out w N (both i b k) t.2 / _; set dp := exp_minus_dep_repaired _ _ _ _ _ _ _ _.
have r10 : 0 <= r1 by rewrite divr_ge0 ?out_ge0.
have r20 : 0 <= r2 by rewrite divr_ge0 ?out_ge0.
have one (x : R) : Num.max 0 (1 - x * 0) = 1 by rewrite mulr0 subr0; apply/max_idPr; exact: ler01.
have le1' (x y : R) : 0 <= y -> 0 <= x -> Num.max 0 (1 - y * x) <= 1.
  by move=> y0 x0; rewrite le_maxl ler01 /= ger_addl oppr_le0 mulr_ge0.
have big : 0 <= Q12 / P12 by rewrite divr_ge0 ?out_ge0.
case: (Q12 =P 0) => [z|/eqP Q12n].
  (* one of the three terms is 1 *)
  apply: (@le_trans _ _ 1); first by apply: le1' => //; rewrite !mulr_ge0.
  have [z1|n1] := eqVneq (out w M (both i b k) t.1) 0.
    by rewrite /r1 z1 mul0r one -addrA ler_addl addr_ge0 ?max0_ge0.
  have [z2|n2] := eqVneq (out w N (both i b k) t.2) 0.
    by rewrite /r2 z2 mul0r one addrAC ler_addr addr_ge0 ?max0_ge0.
  have -> : dp = 0 by rewrite /dp /exp_minus_dep_repaired (negPf n1) (negPf n2) /= /exp_minus_dep -/Q12 z !mul0r.
  by rewrite one ler_addr addr_ge0 ?max0_ge0.
have n1 : out w M (both i b k) t.1 != 0.
  by rewrite gt_eqF //; apply: lt_le_trans (compose_le_first _ M N _ _); rewrite lt_neqAle eq_sym Q12n out_ge0.
have n2 : out w N (both i b k) t.2 != 0.
  by rewrite gt_eqF //; apply: lt_le_trans (compose_le_second _ M N _ _); rewrite lt_neqAle eq_sym Q12n out_ge0.
have dpE : dp = exp_minus_dep w M N i a b k t by rewrite /dp /exp_minus_dep_repaired (negPf n1) (negPf n2).
have dp0 : 0 <= dp 
  by rewrite dpE; apply: mulr_ge0; [do 2?[apply: divr_ge0] | apply: divr_ge0]; exact: out_ge0.
case: (P12 =P 0) => [z|/eqP P12n].
  have -> : dp = 0 by rewrite dpE /exp_minus_dep -/P12 z mul0r invr0 mulr0 mul0r.
  rewrite one; apply: (@le_trans _ _ 1); first by apply: le1' => //; rewrite !mulr_ge0.
  by rewrite ler_addr addr_ge0 ?max0_ge0.
rewrite thm_6_loss_corrected // -/r1 -/r2 -dpE.
have -> : E1 * E2 * U * (r1 * r2 * dp) = (E1 * r1) * (E2 * r2) * (U * dp) by ring.
apply: (le_trans (claim_subadditive _ _)); [by apply: mulr_ge0; exact: mulr_ge0 | exact: mulr_ge0 |].
by rewrite ler_add2r; apply: claim_subadditive; rewrite mulr_ge0.
Qed.

End Definitions.
