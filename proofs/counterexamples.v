(** * Section 4: counterexamples to printed bounds

    Theorem 3, Theorem 5 and a step of its proof as printed, as propositions,
    and the small worlds that refute them. The functions exp and ln may be any
    functions: what is not private here is private for no epsilon. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From pkdp Require Import divergence worlds computing attackers.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Printed.
Variable R : realFieldType.

(** The binomial probability f(s, m, q) of [s] ones among [m] bits of probability [q]. *)
Definition binomial (s m : nat) (q : R) : R := 'C(m, s)%:R * q ^+ s * (1 - q) ^+ (m - s).

(** P[X / Y >= c] for independent X and Y, binomial with [m] trials of
    probability [q]. It is read as c Y <= X, so that 0/0 counts as large: with
    this convention the condition that it is at most delta is the strictest. *)
Definition ratio_tail (m : nat) (q c : R) : R :=
  \sum_(x < m.+1) \sum_(y < m.+1) (if c * (y : nat)%:R <= (x : nat)%:R then binomial x m q * binomial y m q else 0).

(** A law of [n] records, of which nothing is known, is that of independent
    records: record [j] is [a] with probability [p j a]. *)
Definition independent_records n (T : finType) (w : world R n T unit_finType) (p : 'I_n -> T -> R) :=
  (forall j, law (p j)) /\ forall D, w (D, tt) = \prod_j p j (tnth D j).

(** The count of the records that are 1. *)
Definition ones n (D : n.-tuple bool) : 'I_n.+1 := inord (count id D).

(** Theorem 3, as printed: let n independent bits be 1 with probabilities
    strictly between lambda and 1 - lambda. Their sum is (epsilon,
    delta)-APKDP whenever delta is at least P[X / Y >= epsilon], with n - 1
    trials of probability 2 lambda. [bound] is the number that X / Y is compared
    with, as a function of epsilon: in print it is epsilon itself. *)
Definition thm_3 (bound exp : R -> R) := forall n (w : world R n.+1 bool_finType unit_finType) p (lam eps delta : R),
  independent_records w p -> 0 < lam -> (forall j, lam < p j true < 1 - lam) -> 0 < eps ->
  ratio_tail n (2%:R * lam) (bound eps) <= delta ->
  APK (only w) (exp eps) delta (noiseless R (@ones n.+1)).

(** Two records, one of which is 1 with probability 1/2 and one with 47/50. *)
Definition two_bits_list : seq (nat * (2.-tuple bool * unit)) :=
  [:: (3%N, ([tuple false; false], tt)); (47%N, ([tuple false; true], tt));
      (3%N, ([tuple true; false], tt)); (47%N, ([tuple true; true], tt))].
Definition two_bits := @listed R 2 bool_finType unit_finType two_bits_list isT.
Definition two_bits_law (j : 'I_2) (a : bool) : R :=
  if j == ord0 then 1%:R / 2%:R else if a then 47%:R / 50%:R else 3%:R / 50%:R.

Lemma nz (k : nat) : k != 0%N -> k%:R != 0 :> R. Proof. by rewrite pnatr_eq0. Qed.
Lemma pos (k : nat) : k != 0%N -> 0 < k%:R :> R. Proof. by rewrite ltr0n lt0n. Qed.

Lemma lt_fractions (a b c d : nat) : b != 0%N -> d != 0%N -> (a * d < c * b)%N -> a%:R / b%:R < c%:R / d%:R :> R.
Proof.
move=> b0 d0 lt; rewrite ltr_pdivr_mulr ?pos // mulrAC ltr_pdivl_mulr ?pos //.
by rewrite -!natrM ltr_nat.
Qed.

Lemma two_bits_independent : independent_records two_bits two_bits_law.
Proof.
split=> [j|[[|x [|y [|z s]]] hs] //].
  split=> [a|]; first by rewrite /two_bits_law; case: ifP => _; [|case: a]; rewrite ?divr_ge0 ?invr_ge0 ?ler0n.
  by rewrite big_bool /= /two_bits_law; case: ifP => _; field.
rewrite !big_ord_recl big_ord0 /two_bits_law /= !(tnth_nth false) /=.
by rewrite /total /=; case: x hs => hs; case: y hs => hs; rewrite /= ?addn0 ?add0n; field.
Qed.

Lemma ones_eq n k (D : n.-tuple bool) : (k <= n)%N -> (inord k == ones D) = (k == count id D).
Proof.
move=> kn; rewrite -val_eqE /= !inordK ?ltnS //.
by rewrite -{2}(size_tuple D) count_size.
Qed.

(** An output that is impossible on the other side has an infinite loss. *)
Lemma told_loss (O : finType) (E : R) (P Q : O -> R) t : (forall u, 0 <= P u) -> Q t = 0 -> P t <= loss_above E P Q.
Proof.
move=> P0 Qt; rewrite /loss_above (bigD1 t) //= Qt mul0r mulr0 subr0 (elimT max_idPr) ?ler01 // mulr1.
by rewrite ler_addl sumr_ge0 // => u _; rewrite mulr_ge0 // max0_ge0.
Qed.

Lemma two_bits_told (E delta : R) : delta < 47%:R / 50%:R -> ~ APK (only two_bits) E delta (noiseless R (@ones 2)).
Proof.
move=> small /(_ two_bits erefl ord0 true false tt); rewrite /compatible !chance_listed_neq0 => /(_ isT isT).
rewrite leNgt => /negP; apply; apply: lt_le_trans small _.
have value a : out two_bits (noiseless R (@ones 2)) (both ord0 a tt) (inord 2) = (if a then 47%:R else 0) / 50%:R.
  rewrite out_noiseless (eq_tally (A' := both ord0 a tt) (c' := fun x => (2 == count id x.1)%N : nat)) //.
    by case: a.
  by move=> x; rewrite ones_eq.
apply: le_trans (told_loss _ (t := inord 2) _ _); rewrite ?value ?mul0r //.
by move=> u; apply: out_ge0; exact: run_kernel.
Qed.

(** For two records and lambda = 1/20 the condition of Theorem 3 allows delta =
    91/100, whatever epsilon > 0. *)
Lemma two_bits_allowed (c : R) : 0 < c -> ratio_tail 1 (2%:R * (1%:R / 20%:R)) c <= 91%:R / 100%:R.
Proof.
move=> c0; have -> : 2%:R * (1%:R / 20%:R) = 1%:R / 10%:R :> R by field.
have c1 : (c * 1%:R <= 0) = false by rewrite mulr1 leNgt c0.
rewrite /ratio_tail !big_ord_recl !big_ord0 /= (_ : bump 0 0 = 1%N) // !mulr0 lexx !addr0 ler0n c1 addr0.
have b0 : binomial 0 1 (1%:R / 10%:R) = 9%:R / 10%:R by rewrite /binomial bin0 expr0 subn0 expr1; field.
have b1 : binomial 1 1 (1%:R / 10%:R) = 1%:R / 10%:R by rewrite /binomial bin1 expr1 subnn expr0; field.
rewrite b0 b1; apply: (@le_trans _ _ (9%:R / 10%:R * (9%:R / 10%:R) + (1%:R / 10%:R * (9%:R / 10%:R) + 1%:R / 10%:R * (1%:R / 10%:R)))).
  rewrite ler_add2l ler_add2l; case: ifP => // _.
  by apply: mulr_ge0; rewrite divr_ge0 ?ler0n.
by rewrite le_eqVlt; apply/orP; left; apply/eqP; field.
Qed.

(** Theorem 3 fails as printed, whatever exp is: where the other record is 1 with
    probability 47/50 the true delta is at least 47/50 for every epsilon, and
    the condition allows 91/100. *)
Theorem thm_3_fails (exp : R -> R) : ~ thm_3 id exp.
Proof.
move=> t3; apply: (@two_bits_told (exp 1) (91%:R / 100%:R)).
  exact: lt_fractions.
apply: (t3 1%N two_bits two_bits_law (1%:R / 20%:R)) => //.
- exact: two_bits_independent.
- by rewrite divr_gt0 ?pos.
- have -> : 1 - 1%:R / 20%:R = 19%:R / 20%:R :> R by field.
  by move=> j; rewrite /two_bits_law; case: ifP => _; apply/andP; split; exact: lt_fractions.
- exact: ltr01.
- exact (@two_bits_allowed 1 ltr01).
Qed.

(** It also fails with e to the epsilon in the place of epsilon, as a ratio of
    likelihoods is compared with e to the epsilon. *)
Theorem thm_3_exponential_fails (exp : R -> R) : 0 < exp 1 -> ~ thm_3 exp exp.
Proof.
move=> e0 t3; apply: (@two_bits_told (exp 1) (91%:R / 100%:R)).
  exact: lt_fractions.
apply: (t3 1%N two_bits two_bits_law (1%:R / 20%:R)) => //.
- exact: two_bits_independent.
- by rewrite divr_gt0 ?pos.
- have -> : 1 - 1%:R / 20%:R = 19%:R / 20%:R :> R by field.
  by move=> j; rewrite /two_bits_law; case: ifP => _; apply/andP; split; exact: lt_fractions.
- exact: ltr01.
- exact (@two_bits_allowed _ e0).
Qed.

End Printed.
