(** * Section 5.1: sequential composition

    The dependency of two mechanisms, Theorem 6 and Proposition 9. Losses are
    given by their exponentials: e to the minus loss of an output is the
    quotient of its probabilities under b and under a. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From pkdp Require Import divergence worlds computing criterion attackers.
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
  forall w i, Th w i -> bounded_dependent_at dep w i M N U nu.

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
move=> E10 E20 U0 dep apk1 apk2 w i Thi a b k ak bk.
have le1 := apk1 w i Thi a b k ak bk; have le2 := apk2 w i Thi a b k ak bk.
have le3 := dep w i Thi a b k ak bk.
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

(** ** Proposition 9 *)

Section Proposition9.
Variables (R : realFieldType).

(** Proposition 9, as printed, with a convention for infinite losses: for each
    law of the family [M] is made of [pi1(D)] and [N] of [pi2(D)], which are
    independent. Then they are (0, 0)-bounded dependent. *)
Definition independent_parts n (T B P1 P2 : finType) (w : world R n T B) (pi1 : n.-tuple T -> P1) (pi2 : n.-tuple T -> P2) :=
  forall x y, chance w (fun z => (pi1 z.1 == x) && (pi2 z.1 == y)) =
              chance w (fun z => pi1 z.1 == x) * chance w (fun z => pi2 z.1 == y).
Definition made_of_parts n (T B O1 O2 : finType) (w : world R n T B) (M : mechanism R n T O1) (N : mechanism R n T O2) :=
  exists (P1 P2 : finType) (pi1 : n.-tuple T -> P1) (pi2 : n.-tuple T -> P2) (M' : P1 -> O1 -> R) (N' : P2 -> O2 -> R),
  [/\ independent_parts w pi1 pi2, forall D, M D =1 M' (pi1 D) & forall D, N D =1 N' (pi2 D)].
Definition convention := forall n (T B O1 O2 : finType),
  world R n T B -> mechanism R n T O1 -> mechanism R n T O2 -> 'I_n -> T -> T -> B -> O1 * O2 -> R.
Definition prop_9 (dep : convention) := forall n (T B O1 O2 : finType) (worlds : world R n T B -> Prop)
  (M : mechanism R n T O1) (N : mechanism R n T O2),
  (forall w, worlds w -> made_of_parts w M N) -> bounded_dependent (dep n T B O1 O2) (every worlds) M N 1 0.

Definition printed : convention := fun n T B O1 O2 => @exp_minus_dep R n T B O1 O2.
Definition repaired : convention := fun n T B O1 O2 => @exp_minus_dep_repaired R n T B O1 O2.

(** Two fair bits: the secret and a coin. *)
Definition coins_list : seq (nat * (2.-tuple bool * unit)) :=
  [:: (1%N, ([tuple false; false], tt)); (1%N, ([tuple false; true], tt));
      (1%N, ([tuple true; false], tt)); (1%N, ([tuple true; true], tt))].
Definition coins := @listed R 2 bool_finType unit_finType coins_list isT.
Definition rec0 : 'I_2 := ord0.
Definition rec1 : 'I_2 := Ordinal (isT : 1 < 2)%N.
Definition hidden := noiseless R (fun D : 2.-tuple bool => tnth D rec0 (+) tnth D rec1).
Definition coin := noiseless R (fun D : 2.-tuple bool => tnth D rec1).

(** The exclusive or of two fair bits is independent of the second one, and both
    together reveal the first: in either convention the dependency is
    infinite, so that the two mechanisms are (mu, nu)-bounded dependent for no
    mu and no nu < 1. *)
Lemma out_compose_noiseless n (T B O1 O2 : finType) (w : world R n T B) (f : n.-tuple T -> O1) (g : n.-tuple T -> O2) A t :
  out w (compose (noiseless R f) (noiseless R g)) A t = out w (noiseless R (fun D => (f D, g D))) A t.
Proof.
rewrite /out /chance_out; congr (_ / _); apply: eq_bigr => x _; congr (_ * _).
case: t => t1 t2; rewrite /= /indep /joint /sure /= xpair_eqE.
by case: (t1 == _); rewrite ?mul0r ?mul1r.
Qed.

(** Proposition 9: the exclusive or of two fair bits and the second bit are made of
    independent parts of the database, and are (mu, nu)-bounded dependent for no mu and no
    nu < 1, with the printed and with the repaired convention for infinite losses. *)
Theorem prop_9_independent_parts_reveal (U nu : R) (dep : convention) : nu < 1 ->
  dep = printed \/ dep = repaired ->
  made_of_parts coins hidden coin /\ ~ bounded_dependent (dep _ _ _ _ _) (only coins) hidden coin U nu.
Proof.
move=> nu1 conv; split.
  exists bool_finType, bool_finType, (fun D : 2.-tuple bool => tnth D rec0 (+) tnth D rec1), (fun D : 2.-tuple bool => tnth D rec1),
    (sure R), (sure R); split=> // x y.
  rewrite !chance_listed mulf_div -!natrM; apply: eq_quotient => //.
  by case: x; case: y; vm_compute.
move=> bd; have := bd coins rec0 erefl true false tt; rewrite /compatible !chance_listed_neq0 => /(_ isT isT).
rewrite leNgt => /negP; apply.
have all0 t : out coins (compose hidden coin) (both rec0 true tt) t != 0 -> dep _ _ _ _ _ coins hidden coin rec0 true false tt t = 0.
  move=> nz; have Q0 : out coins (compose hidden coin) (both rec0 false tt) t = 0.
    move: nz; rewrite !out_compose_noiseless !out_noiseless.
    by case: t => [[] []] /=; rewrite ?mul0r ?eqxx.
  have e : exp_minus_dep coins hidden coin rec0 true false tt t = 0.
    by rewrite /exp_minus_dep Q0 !mul0r.
  case: conv => ->; first exact: e.
  rewrite /repaired /exp_minus_dep_repaired e; case: ifP => //.
  by rewrite !out_noiseless !mulf_eq0 !invr_eq0 !pnatr_eq0; case: t {nz Q0 e} => [[] []].
rewrite (eq_bigr (out coins (compose hidden coin) (both rec0 true tt))) => [|t _].
  by rewrite (law_sum (out_law (run_kernel _) _)) // chance_listed_neq0.
have [->|nz] := eqVneq (out coins (compose hidden coin) (both rec0 true tt) t) 0; first by rewrite mul0r.
by rewrite all0 // mulr0 subr0 (elimT max_idPr) ?ler01 ?mulr1.
Qed.

(** Proposition 9 fails as printed, and also with the repaired convention. *)
Theorem prop_9_fails : ~ prop_9 printed /\ ~ prop_9 repaired.
Proof.
split=> p9.
  have [parts nbd] := @prop_9_independent_parts_reveal 1 0 printed ltr01 (or_introl erefl).
  by apply: nbd; apply: p9 => w ->.
have [parts nbd] := @prop_9_independent_parts_reveal 1 0 repaired ltr01 (or_intror erefl).
by apply: nbd; apply: p9 => w ->.
Qed.

(** Proposition 9, repaired: in the repaired convention mechanisms on [pi1(D)]
    and [pi2(D)] are (0, 0)-bounded dependent if these are independent given
    the target's record and the knowledge, for every target. *)
Theorem prop_9_repaired n (T B O1 O2 P1 P2 : finType) (w : world R n T B) i (M : mechanism R n T O1) (N : mechanism R n T O2)
    (pi1 : n.-tuple T -> P1) (pi2 : n.-tuple T -> P2) (M' : P1 -> O1 -> R) (N' : P2 -> O2 -> R) :
  (forall D, M D =1 M' (pi1 D)) -> (forall D, N D =1 N' (pi2 D)) ->
  (forall a k x y, compatible w i a k ->
     chance w (fun z => both i a k z && ((pi1 z.1 == x) && (pi2 z.1 == y))) * chance w (both i a k) =
     chance w (fun z => both i a k z && (pi1 z.1 == x)) * chance w (fun z => both i a k z && (pi2 z.1 == y))) ->
  bounded_dependent_at (repaired (O1 := O1) (O2 := O2)) w i M N 1 0.
Proof.
move=> eM eN ind a b k ak bk.
have kc : kernel (compose M N) by exact: run_kernel.
have prod c : compatible w i c k -> forall t, out w (compose M N) (both i c k) t = out w M (both i c k) t.1 * out w N (both i c k) t.2.
  move=> ck [t1 t2] /=; rewrite /out mulf_div; apply/eqP; rewrite eqr_div ?mulf_neq0 //; apply/eqP.
  have first : chance_out w M (both i c k) t1 = \sum_x chance w (fun z => both i c k z && (pi1 z.1 == x)) * M' x t1.
    rewrite /chance_out (partition_big (fun z : n.-tuple T * B => pi1 z.1) predT) //=; apply: eq_bigr => x _.
    by rewrite /chance mulr_suml; apply: eq_bigr => z /andP[_ /eqP e]; rewrite eM e.
  have second : chance_out w N (both i c k) t2 = \sum_y chance w (fun z => both i c k z && (pi2 z.1 == y)) * N' y t2.
    rewrite /chance_out (partition_big (fun z : n.-tuple T * B => pi2 z.1) predT) //=; apply: eq_bigr => x _.
    by rewrite /chance mulr_suml; apply: eq_bigr => z /andP[_ /eqP e]; rewrite eN e.
  have pair : chance_out w (compose M N) (both i c k) (t1, t2) =
      \sum_x \sum_y chance w (fun z => both i c k z && ((pi1 z.1 == x) && (pi2 z.1 == y))) * (M' x t1 * N' y t2).
    rewrite /chance_out (partition_big (fun z : n.-tuple T * B => pi1 z.1) predT) //=; apply: eq_bigr => x _.
    rewrite (partition_big (fun z : n.-tuple T * B => pi2 z.1) predT) //=; apply: eq_bigr => y _.
    rewrite /chance mulr_suml; apply: eq_big => [z|z /andP[/andP[_ /eqP e1] /eqP e2]]; first by rewrite -andbA.
    by rewrite /indep /joint /= eM eN e1 e2.
  rewrite pair first second [X in _ = X * _]big_distrlr /= mulr_suml [RHS]mulr_suml; apply: eq_bigr => x _.
  rewrite mulr_suml [RHS]mulr_suml; apply: eq_bigr => y _.
  have := ind c k x y ck; set j := chance w _; set p := chance w _; set q := chance w _; set r := chance w _ => e.
  have -> : j * (M' x t1 * N' y t2) * (p * p) = (j * p) * (M' x t1 * N' y t2 * p) by ring.
  rewrite e; ring.
rewrite big1 // => t _; rewrite /repaired /exp_minus_dep_repaired; case: ifP => [_|/negbT].
  by rewrite mulr1 subrr (elimT max_idPl) ?mulr0.
rewrite negb_or => /andP[n1 n2]; rewrite mul1r /exp_minus_dep !prod //.
have [->|p1] := eqVneq (out w M (both i a k) t.1) 0; first by rewrite !mul0r.
have [->|p2] := eqVneq (out w N (both i a k) t.2) 0; first by rewrite mulr0 mul0r.
set p := out w M _ _ in p1 *; set q := out w N _ _ in p2 *; set p' := out w M _ _ in n1 *; set q' := out w N _ _ in n2 *.
have -> : p' * q' / p' / (p * q / p) * (q / q') = 1 by field; repeat (apply/andP; split).
by rewrite subrr (elimT max_idPl) ?mulr0.
Qed.

(** In the printed convention it takes no more than one record: a constant and a
    mechanism that reveals the record, which have nothing in common, are (mu,
    nu)-bounded dependent for no mu and no nu < 1. *)
Definition bit_list : seq (nat * (1.-tuple bool * unit)) :=
  [:: (1%N, ([tuple false], tt)); (1%N, ([tuple true], tt))].
Definition bit := @listed R 1 bool_finType unit_finType bit_list isT.
Definition nothing := noiseless R (fun D : 1.-tuple bool => tt).
Definition reveal := noiseless R (fun D : 1.-tuple bool => tnth D ord0).

(** Definition 17: by the printed convention a constant and the record of one fair bit are
    (mu, nu)-bounded dependent for no nu < 1; by the repaired one they are (0, 0)-bounded
    dependent. *)
Theorem def_17_printed_convention (U nu : R) : nu < 1 ->
  ~ bounded_dependent (@exp_minus_dep R 1 _ _ _ _) (only bit) nothing reveal U nu
  /\ bounded_dependent (@exp_minus_dep_repaired R 1 _ _ _ _) (only bit) nothing reveal 1 0.
Proof.
move=> nu1; split; last first.
  move=> w i ->; apply: (@prop_9_repaired _ _ _ _ _ unit_finType bool_finType bit i nothing reveal (fun _ => tt) (fun D => tnth D ord0) (sure R) (sure R)) => // a k [] y ak.
  rewrite mulrC; congr (_ * _); apply: eq_chance => x; by rewrite ?andbT.
move=> bd; have := bd bit ord0 erefl true false tt; rewrite /compatible !chance_listed_neq0 => /(_ isT isT).
rewrite leNgt => /negP; apply.
rewrite (eq_bigr (out bit (compose nothing reveal) (both ord0 true tt))) => [|t _].
  by rewrite (law_sum (out_law (run_kernel _) _)) // chance_listed_neq0.
rewrite /exp_minus_dep !out_compose_noiseless !out_noiseless.
by case: t => [[] []]; rewrite /= ?mul0r ?invr0 ?mulr0 ?mul0r ?subr0 ?(elimT max_idPr) ?ler01 ?mulr1.
Qed.

(** ** Theorem 6 and Example 8 *)

(** Theorem 6 as printed: the loss of both is the sum of the two losses and
    twice the dependency, for outputs at which it is finite; and the guarantee
    that is said to follow, with 2 mu. *)
Definition thm_6_loss := forall n (T B O1 O2 : finType) (w : world R n T B) (M : mechanism R n T O1) (N : mechanism R n T O2) i a b k t,
  out w (compose M N) (both i a k) t != 0 -> out w (compose M N) (both i b k) t != 0 ->
  out w (compose M N) (both i b k) t / out w (compose M N) (both i a k) t =
  (out w M (both i b k) t.1 / out w M (both i a k) t.1) *
  (out w N (both i b k) t.2 / out w N (both i a k) t.2) * exp_minus_dep w M N i a b k t ^+ 2.
Definition thm_6_guarantee (positive : R -> Prop) := forall n (T B O1 O2 : finType) (worlds : world R n T B -> Prop) (M : mechanism R n T O1) (N : mechanism R n T O2) (E1 E2 U d1 d2 nu : R),
  let Th := every worlds in 1 <= E1 -> 1 <= E2 -> positive U -> bounded_dependent (@exp_minus_dep_repaired R n T B O1 O2) Th M N U nu ->
  APK Th E1 d1 M -> APK Th E2 d2 N -> APK Th (E1 * E2 * U ^+ 2) (d1 + d2 + nu) (compose M N).

(** Three databases of two bits, without (1, 1), each as probable as the others;
    both mechanisms tell the second bit. At the output (0, 0) the loss is not
    the printed one. *)
Definition three_list : seq (nat * (2.-tuple bool * unit)) :=
  [:: (1%N, ([tuple false; false], tt)); (1%N, ([tuple false; true], tt)); (1%N, ([tuple true; false], tt))].
Definition three := @listed R 2 bool_finType unit_finType three_list isT.

(** Theorem 6: the printed formula for the loss of both fails, in this world. *)
Theorem thm_6_loss_fails : ~ thm_6_loss.
Proof.
move=> /(_ _ _ _ _ _ three coin coin rec0 true false tt (false, false)).
have P : out three coin (both rec0 true tt) false = 1%:R / 1%:R by rewrite out_noiseless.
have Q : out three coin (both rec0 false tt) false = 1%:R / 2%:R by rewrite out_noiseless.
have P12 : out three (compose coin coin) (both rec0 true tt) (false, false) = 1%:R / 1%:R.
  by rewrite out_compose_noiseless out_noiseless.
have Q12 : out three (compose coin coin) (both rec0 false tt) (false, false) = 1%:R / 2%:R.
  by rewrite out_compose_noiseless out_noiseless.
rewrite /exp_minus_dep P Q P12 Q12 /=.
have one : 1%:R / 1%:R != 0 :> R by rewrite divr1 oner_eq0.
have half : 1%:R / 2%:R != 0 :> R by rewrite div1r invr_eq0 pnatr_eq0.
move=> /(_ one half) e; have : (1%:R / 2%:R) / (1%:R / 1%:R) = 1 :> R by rewrite e; field.
by rewrite !divr1 div1r => /eqP; rewrite invr_eq1 (eqr_nat R 2 1).
Qed.

(** Theorem 6: for mu of at least 0 the guarantee as printed, with 2 mu, holds; it follows from the corrected one. *)
Theorem thm_6_guarantee_holds n (T B O1 O2 : finType) (Th : family R n T B) (M : mechanism R n T O1) (N : mechanism R n T O2) (E1 E2 U d1 d2 nu : R) :
  1 <= E1 -> 1 <= E2 -> 1 <= U -> bounded_dependent (@exp_minus_dep_repaired R n T B O1 O2) Th M N U nu ->
  APK Th E1 d1 M -> APK Th E2 d2 N -> APK Th (E1 * E2 * U ^+ 2) (d1 + d2 + nu) (compose M N).
Proof.
move=> E11 E21 U1 dep apk1 apk2 w i Thi a b k ak bk.
have [E10 E20 U0] : [/\ 0 <= E1, 0 <= E2 & 0 <= U] by split; apply: le_trans ler01 _.
have := @thm_6_corrected R n T B O1 O2 Th M N E1 E2 U d1 d2 nu E10 E20 U0 dep apk1 apk2 w i Thi a b k ak bk.
apply: le_trans; rewrite !loss_above_hs ?mulr_ge0 ?exprn_ge0 //;
  try by move=> t; apply: out_ge0; exact: (run_kernel (compose M N)).
apply: hs_decreasing; first by move=> t; apply: out_ge0; exact: (run_kernel (compose M N)).
by rewrite expr2 ler_wpmul2l ?mulr_ge0 // ler_pemull.
Qed.

End Proposition9.
