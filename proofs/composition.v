(** * Two mechanisms: section 5

    Together (5.1), bounded by their dependency; and one after the other
    (5.2), where the second sees the output of the first only. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra ring.
From pkdp Require Import divergence.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Bounded dependency

    The attacker's knowledge is fixed. [Pa] and [Pb] are the laws of the pair
    of outputs, if the target's record is a, and if it is b. A loss is a
    logarithm of a ratio; we write with the inverse ratios, exp(-loss), which are
    finite at all outputs that are possible under a. *)

Section Dependency.
Variables (R : realFieldType) (T U : finType).
Implicit Types (Pa Pb : T * U -> R) (E M nu : R).

(** exp(-loss) at an output. *)
Definition inverse_ratio (O : finType) (P Q : O -> R) o : R := Q o / P o.

(** The laws of the first and of the second output alone. *)
Definition first Pa : T -> R := push fst Pa.
Definition second Pa : U -> R := push snd Pa.

(** exp(-Dep) at a pair of outputs: exp(-loss) of both over that of the first and that of the
    second, and 1 where one of these two losses is infinite already (the repaired Definition 17). *)
Definition inverse_dep Pa Pb (o : T * U) : R :=
  if (first Pb o.1 == 0) || (second Pb o.2 == 0) then 1
  else inverse_ratio Pa Pb o
       / (inverse_ratio (first Pa) (first Pb) o.1 * inverse_ratio (second Pa) (second Pb) o.2).

(** Definition 18 in one direction: the mean, under a, of the positive part of 1 - M exp(-Dep) is at most nu. *)
Definition bounded_dependent M nu Pa Pb : Prop :=
  \sum_o Pa o * Num.max 0 (1 - M * inverse_dep Pa Pb o) <= nu.

(** The function of the proof, subadditive. *)
Lemma claim_subadditive (x y : R) : 0 <= x -> 0 <= y ->
  Num.max 0 (1 - x * y) <= Num.max 0 (1 - x) + Num.max 0 (1 - y).
Proof.
move=> x0 y0; rewrite le_maxl addr_ge0 ?max0_ge0 //=.
have [x1|x1] := leP 1 x.
  apply: (@le_trans _ _ (1 - y)); first by rewrite ler_add2l ler_opp2 ler_pemull.
  by rewrite ler_paddl ?max0_ge0 ?max0_ge.
have [y1|y1] := leP 1 y.
  apply: (@le_trans _ _ (1 - x)); first by rewrite ler_add2l ler_opp2 ler_pemulr.
  by rewrite ler_paddr ?max0_ge0 ?max0_ge.
apply: (@le_trans _ _ ((1 - x) + (1 - y))); last by rewrite ler_add ?max0_ge.
rewrite -subr_ge0 [X in 0 <= X](_ : _ = (1 - x) * (1 - y)); last by ring.
by rewrite mulr_ge0 // subr_ge0 ltW.
Qed.

(** What the first output may be, both may. *)
Lemma first_ge Pa o : law Pa -> Pa o <= first Pa o.1.
Proof.
by move=> [P0 _]; rewrite /first /push (bigD1 o) //= ler_addl sumr_ge0.
Qed.

Lemma second_ge Pa o : law Pa -> Pa o <= second Pa o.2.
Proof.
by move=> [P0 _]; rewrite /second /push (bigD1 o) //= ler_addl sumr_ge0.
Qed.

(** The loss of both is the sum of the two losses and the dependency, at
    every pair of outputs that is possible under a. *)
Theorem loss_of_both Pa Pb o : law Pa -> law Pb -> Pa o != 0 ->
  inverse_ratio Pa Pb o
  = inverse_ratio (first Pa) (first Pb) o.1 * inverse_ratio (second Pa) (second Pb) o.2
    * inverse_dep Pa Pb o.
Proof.
move=> la lb nz; have [b0 _] := lb; have [a0 _] := la.
have pos : 0 < Pa o by rewrite lt_neqAle eq_sym nz a0.
have pos1 : first Pa o.1 != 0 by rewrite gt_eqF // (lt_le_trans pos) // first_ge.
have pos2 : second Pa o.2 != 0 by rewrite gt_eqF // (lt_le_trans pos) // second_ge.
rewrite /inverse_dep /inverse_ratio; case: ifP => [/orP[] /eqP z|/norP[nz1 nz2]].
- have -> : Pb o = 0 by apply/eqP; rewrite eq_le b0 -z first_ge.
  by rewrite z !mul0r.
- have -> : Pb o = 0 by apply/eqP; rewrite eq_le b0 -z second_ge.
  by rewrite z !(mul0r, mulr0).
by rewrite [RHS]mulrC divfK // mulf_neq0 // mulf_neq0 ?invr_eq0.
Qed.

(** The mean of the positive part of 1 - E exp(-loss) is the divergence (Lemma 1 of the paper). *)
Lemma hs_loss (O : finType) E (P Q : O -> R) : 0 <= E -> law P -> law Q ->
  hs E P Q = \sum_o P o * Num.max 0 (1 - E * inverse_ratio P Q o).
Proof.
move=> E0 [P0 _] [Q0 _]; apply: eq_bigr => o _; have [z|nz] := eqVneq (P o) 0.
  by rewrite z mul0r sub0r; apply/max_idPl; rewrite oppr_le0 mulr_ge0.
by rewrite -max0_mul // mulrBr mulr1 /inverse_ratio [P o * (E * _)]mulrCA [P o * (Q o / _)]mulrC divfK.
Qed.

(** Theorem 6, corrected (section 5.1), in one direction: if the first output
    has delta1 at E1, the second delta2 at E2, and they are (M, nu)-bounded dependent, both
    together have delta1 + delta2 + nu at E1 E2 M. (In the exponents: epsilon1 + epsilon2 + mu, not twice mu.) *)
Theorem tight_thm_6 Pa Pb E1 E2 M d1 d2 nu : law Pa -> law Pb ->
  0 <= E1 -> 0 <= E2 -> 0 <= M ->
  hs E1 (first Pa) (first Pb) <= d1 -> hs E2 (second Pa) (second Pb) <= d2 ->
  bounded_dependent M nu Pa Pb ->
  hs (E1 * E2 * M) Pa Pb <= d1 + d2 + nu.
Proof.
move=> la lb E10 E20 M0 le1 le2 dep; have [a0 _] := la; have [b0 _] := lb.
have l1a := push_law fst la. have l1b := push_law fst lb.
have l2a := push_law snd la. have l2b := push_law snd lb.
have ratio_ge0 (O : finType) (P Q : O -> R) o : law P -> law Q -> 0 <= inverse_ratio P Q o.
  by move=> [P0 _] [Q0 _]; rewrite /inverse_ratio divr_ge0.
apply: le_trans (ler_add (ler_add le1 le2) dep).
rewrite (hs_loss _ la lb) ?mulr_ge0 // (hs_loss E10 l1a l1b) (hs_loss E20 l2a l2b).
rewrite -[\sum_o first Pa o * _](mean_push fst) -[\sum_o second Pa o * _](mean_push snd).
rewrite -!big_split /=; apply: ler_sum => o _; rewrite -!mulrDr.
have [->|nz] := eqVneq (Pa o) 0; first by rewrite !mul0r.
rewrite ler_wpmul2l // (loss_of_both la lb nz).
set x := inverse_ratio (first Pa) _ _; set y := inverse_ratio (second Pa) _ _; set z := inverse_dep _ _ _.
have x0 : 0 <= x by exact: ratio_ge0. have y0 : 0 <= y by exact: ratio_ge0.
have z0 : 0 <= z.
  by rewrite /z /inverse_dep; case: ifP => _; rewrite ?ler01 // divr_ge0 ?ratio_ge0 // mulr_ge0.
have -> : E1 * E2 * M * (x * y * z) = (E1 * x) * (E2 * y) * (M * z) by ring.
have x0' := mulr_ge0 E10 x0; have y0' := mulr_ge0 E20 y0.
apply: le_trans (claim_subadditive (mulr_ge0 x0' y0') (mulr_ge0 M0 z0)) _.
by rewrite ler_add2r; exact: claim_subadditive.
Qed.

(** The same for both directions, as the definitions have it. *)
Corollary tight_thm_6_indist Pa Pb E1 E2 M d1 d2 nu : law Pa -> law Pb ->
  0 <= E1 -> 0 <= E2 -> 0 <= M ->
  indist E1 d1 (first Pa) (first Pb) -> indist E2 d2 (second Pa) (second Pb) ->
  bounded_dependent M nu Pa Pb -> bounded_dependent M nu Pb Pa ->
  indist (E1 * E2 * M) (d1 + d2 + nu) Pa Pb.
Proof.
move=> la lb E10 E20 M0 /indist_hs[le1 ge1] /indist_hs[le2 ge2] dep dep'.
by apply/indist_hs; split; exact: tight_thm_6.
Qed.

(** Outputs that are independent, whatever the target's record, are (0, 0)-bounded dependent. *)
Theorem independent_not_dependent (A B : T -> R) (A' B' : U -> R) :
  law A -> law A' -> law B -> law B' ->
  bounded_dependent 1 0 (indep A A') (indep B B').
Proof.
move=> la la' lb lb'.
have e1 (P : T -> R) (P' : U -> R) t : law P' -> first (indep P P') t = P t.
  move=> [_ P'1]; rewrite /first /push (eq_bigl (fun o => (o.1 == t) && true)) => [|o]; last by rewrite andbT.
  rewrite -(pair_big (pred1 t) predT (fun t u => P t * P' u)) /= big_pred1_eq.
  by rewrite -mulr_sumr P'1 mulr1.
have e2 (P : T -> R) (P' : U -> R) u : law P -> second (indep P P') u = P' u.
  move=> [_ P1]; rewrite /second /push (eq_bigl (fun o => true && (o.2 == u))) //.
  rewrite -(pair_big predT (pred1 u) (fun t u => P t * P' u)) /=.
  by under eq_bigr do rewrite big_pred1_eq; rewrite -mulr_suml P1 mul1r.
rewrite /bounded_dependent big1 // => -[t u] _; rewrite /indep /joint /=.
have [z|nz] := eqVneq (A t) 0; first by rewrite z !mul0r.
have [z|nz'] := eqVneq (A' u) 0; first by rewrite z mulr0 mul0r.
suff -> : inverse_dep (indep A A') (indep B B') (t, u) = 1.
  by rewrite mulr1 subrr maxxx mulr0.
rewrite /inverse_dep /inverse_ratio /= !e1 // !e2 //; case: ifP => // /norP[nb nb'].
rewrite /indep /joint /= invfM mulrACA divff //.
by rewrite mulf_neq0 // mulf_neq0 ?invr_eq0.
Qed.

End Dependency.

(** Proposition 9, corrected (section 5.1). The first mechanism works on one part of the
    database, the second on another, each with coins of its own. If the parts are independent given that the
    target's record is a (and given the attacker's knowledge), and given that it is b, the mechanisms are
    (0, 0)-bounded dependent. *)
Theorem tight_prop_9 (R : realFieldType) (X Y T U : finType)
    (K1 : X -> T -> R) (K2 : Y -> U -> R) (A B : X -> R) (A' B' : Y -> R) :
  kernel K1 -> kernel K2 -> law A -> law A' -> law B -> law B' ->
  let both (xy : X * Y) := indep (K1 xy.1) (K2 xy.2) in
  bounded_dependent 1 0 (after both (indep A A')) (after both (indep B B')).
Proof.
move=> k1 k2 la la' lb lb' both.
have split_ (P : X -> R) (P' : Y -> R) : after both (indep P P') =1 indep (after K1 P) (after K2 P').
  move=> [t u]; rewrite /after /indep /joint /= mulr_suml.
  rewrite -(pair_bigA _ (fun x y => P x * P' y * (K1 x t * K2 y u))) /=; apply: eq_bigr => x _.
  by rewrite mulr_sumr; apply: eq_bigr => y _; rewrite mulrACA.
have nd := independent_not_dependent (after_law k1 la) (after_law k2 la') (after_law k1 lb) (after_law k2 lb').
apply: le_trans nd; rewrite le_eqVlt; apply/orP; left; apply/eqP; apply: eq_bigr => o _.
rewrite split_; congr (_ * Num.max 0 (1 - 1 * _)); rewrite /inverse_dep /inverse_ratio !split_.
have e1 (P : X -> R) (P' : Y -> R) : first (after both (indep P P')) =1 first (indep (after K1 P) (after K2 P')).
  by move=> t; apply: eq_bigr => w _; exact: split_.
have e2 (P : X -> R) (P' : Y -> R) : second (after both (indep P P')) =1 second (indep (after K1 P) (after K2 P')).
  by move=> t; apply: eq_bigr => w _; exact: split_.
by rewrite !e1 !e2.
Qed.

(** ** Chained mechanisms *)

Section Chain.
Variables (R : realFieldType) (T U : finType).
Implicit Types (P Q : T -> R) (K : T -> U -> R) (E c : R).

(** Chained mechanisms (section 5.2). The channel [K] sees the output of a first mechanism, which has the
    law [P] or [Q]. Let E be at least 1 and let h, the divergence of [P] from [Q] at E, be
    positive. If no two inputs of the channel have a divergence above [c] at
    1 + (E - 1) / h, the chain has at most h times [c] at E. *)
Theorem chain K P Q E c : kernel K -> law P -> law Q -> 1 <= E -> 0 < hs E P Q ->
  (forall x y, hs (1 + (E - 1) / hs E P Q) (K x) (K y) <= c) ->
  hs E (after K P) (after K Q) <= hs E P Q * c.
Proof.
move=> kK [P0 P1] [Q0 Q1] E1 h0 le_c; set h := hs E P Q in h0 le_c *.
pose pos x := Num.max 0 (P x - E * Q x); pose neg x := Num.max 0 (E * Q x - P x).
have pos0 x : 0 <= pos x by exact: max0_ge0. have neg0 x : 0 <= neg x by exact: max0_ge0.
have split_ x : P x - E * Q x = pos x - neg x.
  rewrite /pos /neg -[E * Q x - P x]opprB; case: (leP 0 (P x - E * Q x)) => sgn.
    by rewrite (max_idPl _) ?subr0 // oppr_le0.
  by rewrite (max_idPr _) ?sub0r ?opprK // oppr_ge0 ltW.
have sum_pos : \sum_x pos x = h by [].
have sum_neg : \sum_x neg x = h + (E - 1).
  have : \sum_x (P x - E * Q x) = \sum_x (pos x - neg x) by apply: eq_bigr => x _.
  rewrite !sumrB -mulr_sumr P1 Q1 mulr1 sum_pos => eq_h.
  by rewrite -[\sum_x neg x](subKr h) -eq_h opprB.
set n := h + (E - 1) in sum_neg; have n0 : 0 < n by rewrite ltr_paddr ?subr_ge0.
have eq_E : 1 + (E - 1) / h = n / h by rewrite /n [RHS]mulrDl divff ?gt_eqF.
rewrite eq_E in le_c.
have diff u : after K P u - E * after K Q u
    = n^-1 * \sum_x \sum_y pos x * neg y * (K x u - n / h * K y u).
  have -> : \sum_x \sum_y pos x * neg y * (K x u - n / h * K y u)
      = n * (\sum_x pos x * K x u - \sum_x neg x * K x u).
    rewrite mulrBr; under eq_bigr do under eq_bigr do rewrite mulrBr.
    under eq_bigr do rewrite sumrB; rewrite sumrB; congr (_ - _).
      rewrite mulr_sumr; apply: eq_bigr => x _; rewrite -mulr_suml -mulr_sumr sum_neg.
      by rewrite mulrAC mulrC [pos x * _]mulrC.
    rewrite exchange_big mulr_sumr /=; apply: eq_bigr => y _.
    by rewrite -!mulr_suml sum_pos mulrACA [h * (n / h)]mulrC divfK ?gt_eqF.
  rewrite mulKf ?gt_eqF // /after mulr_sumr -!sumrB; apply: eq_bigr => x _.
  by rewrite mulrA -!mulrBl split_.
have le_sum : hs E (after K P) (after K Q)
    <= n^-1 * \sum_x \sum_y pos x * neg y * hs (n / h) (K x) (K y).
  rewrite /hs; under eq_bigr do rewrite diff max0_mul ?invr_ge0 ?(ltW n0) //.
  rewrite -mulr_sumr ler_wpmul2l ?invr_ge0 ?(ltW n0) //.
  under [X in _ <= X]eq_bigr do under eq_bigr do rewrite mulr_sumr.
  under [X in _ <= X]eq_bigr do rewrite exchange_big; rewrite [X in _ <= X]exchange_big /=.
  apply: ler_sum => u _; apply: le_trans (max0_sum _) _; apply: ler_sum => x _.
  apply: le_trans (max0_sum _) _; apply: ler_sum => y _.
  by rewrite max0_mul ?mulr_ge0.
apply: le_trans le_sum _.
have -> : h * c = n^-1 * \sum_x \sum_y pos x * neg y * c.
  under eq_bigr do rewrite -mulr_suml -mulr_sumr sum_neg.
  by rewrite -!mulr_suml sum_pos [h * n]mulrC -mulrA mulKf ?gt_eqF.
rewrite ler_wpmul2l ?invr_ge0 ?(ltW n0) //.
by apply: ler_sum => x _; apply: ler_sum => y _; rewrite ler_wpmul2l ?mulr_ge0.
Qed.

(** Where the first mechanism has no excess, the chain has none. *)
Lemma chain_zero K P Q E : kernel K -> hs E P Q = 0 -> hs E (after K P) (after K Q) = 0.
Proof.
by move=> kK h0; apply/eqP; rewrite eq_le hs_ge0 -h0 hs_after.
Qed.

(** A weaker form, with the channel's divergence at E itself. *)
Lemma chain_linear K P Q E c : kernel K -> law P -> law Q -> 1 <= E ->
  (forall x y, hs E (K x) (K y) <= c) ->
  hs E (after K P) (after K Q) <= hs E P Q * c.
Proof.
move=> kK lP lQ E1 le_c; have [h0|h0] := eqVneq (hs E P Q) 0.
  by rewrite chain_zero // h0 mul0r.
have h_pos : 0 < hs E P Q by rewrite lt_neqAle eq_sym h0 hs_ge0.
apply: chain => // x y; apply: le_trans (le_c x y); apply: hs_decreasing => [u|].
  exact: law_ge0 (kK y).
rewrite -ler_subl_addl ler_pdivl_mulr // ler_pimulr ?subr_ge0 //.
by apply: hs_le1 => //; exact: le_trans ler01 E1.
Qed.

(** Chains and passive attackers (section 5.2). What the attacker may know is [k], with probability [w k]; the
    first mechanism then has the law [P k] or [Q k], and delta on average. If no two inputs of the channel
    have a divergence above [c] at E, the chain has at most [c] times delta on average. *)
Theorem chain_passive (W : finType) (w : W -> R) K (P Q : W -> T -> R) E c d : kernel K ->
  (forall k, 0 <= w k) -> kernel P -> kernel Q -> 1 <= E ->
  (forall x y, hs E (K x) (K y) <= c) -> 0 <= c ->
  \sum_k w k * hs E (P k) (Q k) <= d ->
  \sum_k w k * hs E (after K (P k)) (after K (Q k)) <= c * d.
Proof.
move=> kK w0 kP kQ E1 le_c c0 le_d; apply: (@le_trans _ _ (c * \sum_k w k * hs E (P k) (Q k))).
  rewrite mulr_sumr; apply: ler_sum => k _; rewrite mulrCA ler_wpmul2l // mulrC.
  exact: chain_linear.
by rewrite ler_wpmul2l.
Qed.

End Chain.
