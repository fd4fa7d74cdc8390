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
move=> small /(_ two_bits ord0 erefl true false tt); rewrite /compatible !chance_listed_neq0 => /(_ isT isT).
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

(** Where the other record is 1 with probability 47/50 the true delta is at least 47/50 for every epsilon, and
    the condition allows 91/100, whatever positive number it compares a ratio of likelihoods with. *)
Lemma thm_3_fails_for (bound exp : R -> R) : 0 < bound 1 -> ~ thm_3 bound exp.
Proof.
move=> b0 t3; apply: (@two_bits_told (exp 1) (91%:R / 100%:R)).
  exact: lt_fractions.
apply: (t3 1%N two_bits two_bits_law (1%:R / 20%:R)) => //.
- exact: two_bits_independent.
- by rewrite divr_gt0 ?pos.
- have -> : 1 - 1%:R / 20%:R = 19%:R / 20%:R :> R by field.
  by move=> j; rewrite /two_bits_law; case: ifP => _; apply/andP; split; exact: lt_fractions.
- exact: ltr01.
- exact (two_bits_allowed b0).
Qed.

(** Theorem 3 fails as printed, whatever exp is: where the other record is 1 with
    probability 47/50 the true delta is at least 47/50 for every epsilon, and
    the condition allows 91/100. *)
Theorem thm_3_fails (exp : R -> R) : ~ thm_3 id exp.
Proof. exact: thm_3_fails_for ltr01. Qed.

(** It also fails with e to the epsilon in the place of epsilon, as a ratio of
    likelihoods is compared with e to the epsilon. *)
Theorem thm_3_exponential_fails (exp : R -> R) : 0 < exp 1 -> ~ thm_3 exp exp.
Proof. exact: thm_3_fails_for. Qed.

(** ** Theorem 5 *)

(** Definition 16, the k-anonymity mechanism: of each value how many records have
    it, if these are at least [k]; a record that is [None] is ignored. *)
Definition anonymity n (T : finType) (k : nat) (D : n.-tuple (option T)) : {ffun T -> option 'I_n.+1} :=
  [ffun t => if (k <= count (pred1 (Some t)) D)%N then Some (inord (count (pred1 (Some t)) D)) else None].

(** Theorem 5, as printed, for n + 1 records. Each value is rare or common, and so
    is [None] common. In print the letters T and k are both used: [threshold]
    says what T is, [base] what stands for it in r; each may be k or k - 1.
    [bound] is what X / Y is compared with, in print epsilon_c itself. *)
Definition thm_5 (threshold base : nat -> nat) (bound exp ln : R -> R) :=
  forall n (T : finType) (w : world R n.+1 [finType of option T] unit_finType) p (lam eps_c delta : R) (k : nat),
  let r := lam * n%:R / ((1 - lam) * (base k)%:R) in
  let q := binomial (threshold k) n lam / (1 - r) in
  independent_records w p -> 0 < lam -> (0 < k)%N ->
  (forall t : T, (forall j, p j (Some t) <= lam) \/ (forall j, lam <= p j (Some t) <= 1 - lam)) ->
  (forall j, lam <= p j None <= 1 - lam) -> r < 1 ->
  2%:R * q <= delta -> ratio_tail n (2%:R * lam) (bound eps_c) <= delta ->
  APK (only w) (exp (2%:R * Num.max (- ln (1 - q)) eps_c)) delta (noiseless R (@anonymity n.+1 T k)).

(** Two records, each of which has the only value with probability 4/5. *)
Notation yes := (Some tt : option unit).
Notation no := (None : option unit).
Definition two_people_list : seq (nat * (2.-tuple (option unit) * unit)) :=
  [:: (16%N, ([tuple yes; yes], tt)); (4%N, ([tuple yes; no], tt));
      (4%N, ([tuple no; yes], tt)); (1%N, ([tuple no; no], tt))].
Definition two_people := @listed R 2 [finType of option unit] unit_finType two_people_list isT.
Definition two_people_law (j : 'I_2) (a : option unit) : R := if a is Some _ then 4%:R / 5%:R else 1%:R / 5%:R.

Lemma two_people_independent : independent_records two_people two_people_law.
Proof.
split=> [j|[[|x [|y [|z s]]] hs] //].
  split=> [a|]; first by rewrite /two_people_law; case: a => *; rewrite divr_ge0 ?ler0n.
  rewrite (bigD1 no) //= (big_pred1 yes) /=; first by field.
  by case=> [[]|].
rewrite !big_ord_recl big_ord0 /two_people_law /= !(tnth_nth no) /=.
by rewrite /total /=; case: x hs => [[]|] hs; case: y hs => [[]|] hs; rewrite /= ?addn0 ?add0n; field.
Qed.

Lemma two_people_told (E delta : R) : delta < 4%:R / 5%:R -> ~ APK (only two_people) E delta (noiseless R (@anonymity 2 unit_finType 2)).
Proof.
move=> small /(_ two_people ord0 erefl yes no tt); rewrite /compatible !chance_listed_neq0 => /(_ isT isT).
rewrite leNgt => /negP; apply; apply: lt_le_trans small _.
pose both_seen : {ffun unit -> option 'I_3} := [ffun _ => Some (inord 2)].
have seen (D : 2.-tuple (option unit)) : (both_seen == anonymity 2 D) = (2 == count (pred1 yes) D)%N.
  have le : (count (pred1 yes) D <= 2)%N by rewrite -{2}(size_tuple D) count_size.
  apply/eqP/eqP => [/ffunP/(_ tt)|e]; rewrite ?ffunE.
    case: ifP => // ge2 _; apply/eqP; by rewrite eqn_leq ge2 le.
  by apply/ffunP => -[]; rewrite !ffunE -e.
have value a : out two_people (noiseless R (@anonymity 2 unit_finType 2)) (both ord0 a tt) both_seen =
    (if a is Some _ then 4%:R else 0) / 5%:R.
  rewrite out_noiseless (eq_tally (A' := both ord0 a tt) (c' := fun x => (2 == count (pred1 yes) x.1)%N : nat)) //.
    case: a => [[]|]; last by rewrite !mul0r.
    exact: (@eq_quotient R 16 20 4 5).
  by move=> x; rewrite seen.
apply: le_trans (told_loss _ (t := both_seen) _ _); rewrite ?value ?mul0r //.
by move=> u; apply: out_ge0; exact: run_kernel.
Qed.

(** Theorem 5 fails as printed, whatever exp and ln are, whether T and the letter
    in r are k or k - 1, and whether X / Y is compared with epsilon_c or with e
    to the epsilon_c. With lambda = 1/5, k = 2 and epsilon_c = 2 it promises
    delta = 3/5; the true delta is at least 4/5 for every epsilon, for the only
    value against the absence of the record. *)
Theorem thm_5_fails (threshold base : nat -> nat) (bound exp ln : R -> R) :
  threshold = id \/ threshold = predn -> base = id \/ base = predn -> 1 < bound 2%:R ->
  ~ thm_5 threshold base bound exp ln.
Proof.
move=> thr bas bound1 t5.
have lam : 1 - 1%:R / 5%:R = 4%:R / 5%:R :> R by field.
pose r : R := 1%:R / 5%:R * 1%:R / ((1 - 1%:R / 5%:R) * (base 2%N)%:R).
pose q : R := binomial (threshold 2%N) 1%N (1%:R / 5%:R) / (1 - r).
have t := t5 1%N unit_finType two_people two_people_law (1%:R / 5%:R) 2%:R (3%:R / 5%:R) 2%N two_people_independent.
have rE : r = 1%:R / 8%:R \/ r = 1%:R / 4%:R.
  by case: bas => e; rewrite /r lam e /=; [left | right]; field.
have r1 : r < 1.
  by rewrite -[X in _ < X](divr1 1); case: rE => ->; exact: (@lt_fractions _ _ 1 1).
have q_small : 2%:R * q <= 3%:R / 5%:R.
  rewrite /q /binomial lam; case: thr => e; rewrite e /=.
    by rewrite bin_small // !mul0r mulr0 divr_ge0 ?ler0n.
  rewrite bin1 expr1 subnn expr0; apply: ltW; case: rE => ->.
    have -> : 2%:R * (1%:R * (1%:R / 5%:R) * 1 / (1 - 1%:R / 8%:R)) = 16%:R / 35%:R :> R by field.
    exact: lt_fractions.
  have -> : 2%:R * (1%:R * (1%:R / 5%:R) * 1 / (1 - 1%:R / 4%:R)) = 8%:R / 15%:R :> R by field.
  exact: lt_fractions.
apply: (@two_people_told _ (3%:R / 5%:R)); first exact: lt_fractions.
apply: t => //; rewrite -/r -/q.
- by rewrite divr_gt0 ?pos.
- move=> []; right => j; rewrite lam /= lexx andbT; apply: ltW; exact: lt_fractions.
- move=> j; rewrite lam /= lexx /=; apply: ltW; exact: lt_fractions.
- have c0 : (bound 2%:R * 1%:R <= 0) = false by rewrite mulr1 leNgt (lt_trans ltr01 bound1).
have c1 : (bound 2%:R * 1%:R <= 1%:R) = false by rewrite mulr1 leNgt bound1.
rewrite /ratio_tail !big_ord_recl !big_ord0 /= (_ : bump 0 0 = 1%N) // !mulr0 lexx !addr0 ler0n c0 c1 !addr0.
have b0 : binomial 0 1 (2%:R * (1%:R / 5%:R)) = 3%:R / 5%:R by rewrite /binomial bin0 expr0 subn0 expr1; field.
have b1 : binomial 1 1 (2%:R * (1%:R / 5%:R)) = 2%:R / 5%:R by rewrite /binomial bin1 expr1 subnn expr0; field.
rewrite b0 b1; by rewrite le_eqVlt; apply/orP; left; apply/eqP; field.
Qed.

(** ** A step in the proof of Theorem 5 *)

(** The proof of Theorem 5 concludes from two pairs of (epsilon,
    delta)-indistinguishable laws that the outer two are (2 epsilon, 2
    delta)-indistinguishable. *)
Definition claim_two_steps := forall (O : finType) (P Q S : O -> R) (E d : R), 1 <= E ->
  law P -> law Q -> law S -> indist E d P Q -> indist E d Q S -> indist (E ^+ 2) (2%:R * d) P S.

(** In general they are not. Events of probability 3/10, 1/10 and 0 are a
    counterexample for E = 2 and delta = 1/10: at E = 4 delta is 3/10. *)
Definition tenths (k : nat) : bool -> R := fun t => (if t then k else 10 - k)%N%:R / 10%:R.

Lemma tenths_law k : (k <= 10)%N -> law (tenths k).
Proof.
move=> le; split=> [t|]; first by rewrite divr_ge0 ?ler0n.
by rewrite big_bool /= /tenths -mulrDl -natrD subnKC // divff // nz.
Qed.

Lemma tenths_hs (E k l e : nat) : (k <= 10)%N -> (l <= 10)%N ->
  ((k - E * l) + ((10 - k) - E * (10 - l)) <= e)%N -> hs E%:R (tenths k) (tenths l) <= e%:R / 10%:R.
Proof.
move=> k10 l10 le; rewrite /hs big_bool /= /tenths.
have term (a b : nat) : Num.max 0 (a%:R / 10%:R - E%:R * (b%:R / 10%:R)) = (a - E * b)%N%:R / 10%:R :> R.
  rewrite mulrA -mulrBl -natrM; case: (leqP a (E * b)) => ab.
    rewrite (eqP (_ : a - E * b == 0)%N) ?mul0r ?subn_eq0 //; apply/max_idPl.
    by rewrite ler_pdivr_mulr ?pos // mul0r subr_le0 ler_nat.
  rewrite natrB ?(ltnW ab) //; apply/max_idPr.
  by rewrite divr_ge0 ?ler0n // subr_ge0 ler_nat ltnW.
by rewrite !term -mulrDl -natrD ler_pmul2r ?invr_gt0 ?pos // ler_nat.
Qed.

(** The step in the proof of Theorem 5 fails for three laws on two outputs, with
    probabilities 3/10, 1/10 and 0 of the first, E = 2 and delta = 1/10. *)
Theorem claim_two_steps_fails : ~ claim_two_steps.
Proof.
move=> claim; have := claim bool_finType (tenths 3) (tenths 1) (tenths 0) 2%:R (1%:R / 10%:R).
have e2 : 1 <= 2%:R :> R by rewrite (ler_nat R 1 2).
move=> /(_ e2 (@tenths_law 3 isT) (@tenths_law 1 isT) (@tenths_law 0 isT)).
have i1 : indist 2%:R (1%:R / 10%:R) (tenths 3) (tenths 1) by apply/indist_hs; split; exact: tenths_hs.
have i2 : indist 2%:R (1%:R / 10%:R) (tenths 1) (tenths 0) by apply/indist_hs; split; exact: tenths_hs.
move=> /(_ i1 i2 [set true])[]; rewrite /prob !big_set1 /tenths /= mul0r mulr0 add0r => le _.
move: le; rewrite mulrA mulr1 leNgt => /negP; apply; exact: lt_fractions.
Qed.

(** They are (2 epsilon, (1 + e^epsilon) delta)-indistinguishable. *)
Theorem claim_two_steps_corrected (O : finType) (P Q S : O -> R) (E d : R) : 1 <= E ->
  indist E d P Q -> indist E d Q S -> indist (E ^+ 2) ((1 + E) * d) P S.
Proof.
move=> E1; have E0 : 0 <= E by apply: le_trans E1.
move=> /indist_hs[PQ QP] /indist_hs[QS SQ]; apply/indist_hs; rewrite expr2 mulrDl mul1r.
split.
  by apply: (le_trans (@hs_triangle R O E E P Q S E0)); apply: ler_add; rewrite ?ler_wpmul2l.
by apply: (le_trans (@hs_triangle R O E E S Q P E0)); apply: ler_add; rewrite ?ler_wpmul2l.
Qed.

End Printed.
