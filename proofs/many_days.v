(** * Section 5.1: Theorem 6 over many days

    Whether the dependency of the third day's count on those of two days before is
    bounded by what the records of successive days have to do with each other. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From pkdp Require Import divergence worlds computing attackers sequential counterexamples independent large_numbers large_crowds.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Independent records whose laws are lists of weights *)

Section Combinations.
Variables (R : realFieldType) (T : finType).
Implicit Types (l : seq (N * T)) (ls : seq (seq (N * T))).

(** All databases, with the products of the weights of their records. *)
Fixpoint combinations ls : seq (N * seq T) :=
  if ls is l :: ls' then
    flatten [seq [seq (N.mul x.1 y.1, x.2 :: y.2) | y <- combinations ls'] | x <- l]
  else [:: (1%num, [::])].

Lemma sum_weights l (G : T -> R) : \sum_a (total_bin (pred1 a) l)%:R * G a = \sum_(x <- l) x.1%:R * G x.2.
Proof.
elim: l => [|x l IH] /=; first by rewrite big_nil big1 // => a _; rewrite mul0r.
rewrite big_cons -IH (bigD1 x.2) //= [X in _ = _ + X](bigD1 x.2) //= eqxx nat_of_add_bin natrD mulrDl addrA.
by congr (_ + _); apply: eq_bigr => a /negPf ax; rewrite eq_sym ax.
Qed.

Lemma sum_total (X : eqType) (s : seq (N * X)) (A : pred X) :
  \sum_(x <- s) x.1%:R * (A x.2)%:R = (total_bin A s)%:R :> R.
Proof.
elim: s => [|x s IH]; rewrite ?big_nil // big_cons IH /=.
by case: (A x.2); rewrite ?mulr1 ?mulr0 ?add0r // nat_of_add_bin natrD.
Qed.

Lemma sum_in l (A : pred T) : \sum_(a | A a) (total_bin (pred1 a) l)%:R = (total_bin A l)%:R :> R.
Proof.
rewrite -(sum_total l A) -(sum_weights l (fun a => (A a)%:R)) big_mkcond; apply: eq_bigr => a _.
by case: (A a); rewrite ?mulr1 ?mulr0.
Qed.

Lemma sum_combinations ls (F : seq T -> R) :
  \sum_(D : (size ls).-tuple T) (\prod_j (total_bin (pred1 (tnth D j)) (tnth (in_tuple ls) j))%:R) * F D
  = \sum_(x <- combinations ls) x.1%:R * F x.2.
Proof.
elim: ls F => [|l ls IH] F.
  by rewrite (big_pred1 [tuple]) => [|D]; rewrite ?big_ord0 ?big_cons ?big_nil ?addr0 // [D]tuple0; apply/esym/eqP.
rewrite sum_cons big_flatten big_map /=.
rewrite (eq_bigr (fun x : N * T => x.1%:R * \sum_(y <- combinations ls) y.1%:R * F (x.2 :: y.2))) => [|x _]; last first.
  by rewrite big_map mulr_sumr; apply: eq_bigr => y _; rewrite nat_of_mul_bin natrM mulrA.
rewrite -(sum_weights l (fun a => \sum_(y <- combinations ls) y.1%:R * F (a :: y.2))).
apply: eq_bigr => a _; rewrite -(IH (fun s => F (a :: s))) mulr_sumr; apply: eq_bigr => D _.
rewrite big_ord_recl tnth0 mulrA; congr (_ * _ * _); apply: eq_bigr => j _.
by rewrite tnthS !(tnth_nth [::]).
Qed.

(** The people of [ls], of whom each has a law that is given by weights. *)
Section People.
Variable (ls : seq (seq (N * T))).
Definition weighted_law l a : R := (total_bin (pred1 a) l)%:R / (total_bin predT l)%:R.
Definition law_of (j : 'I_(size ls)) : T -> R := weighted_law (tnth (in_tuple ls) j).
Hypothesis possible : all (fun l => total_bin predT l != N0) ls.

Lemma possible_neq0 j : (total_bin predT (tnth (in_tuple ls) j))%:R != 0 :> R.
Proof.
rewrite pnatr_eq0; have := allP possible _ (mem_tnth j (in_tuple ls)).
by apply: contraNneq => e; rewrite -[total_bin _ _]nat_of_binK e.
Qed.

Lemma law_of_law j : law (law_of j).
Proof.
split=> [a|]; first by rewrite divr_ge0 ?ler0n.
by rewrite -mulr_suml sum_in divff // possible_neq0.
Qed.
Definition people := product_world law_of_law.

Lemma people_sum (F : seq T -> R) : \sum_D product law_of D * F D =
  (\sum_(x <- combinations ls) x.1%:R * F x.2) / \prod_j (total_bin predT (tnth (in_tuple ls) j))%:R.
Proof.
rewrite -sum_combinations mulr_suml; apply: eq_bigr => D _.
by rewrite /product /law_of /weighted_law big_split /= prodfV mulrAC.
Qed.

Lemma people_out (O : finType) (f : (size ls).-tuple T -> O) (h : pred (seq T)) (i : 'I_(size ls)) a t :
  (forall D, (t == f D) = h D) -> forall a0,
  out people (noiseless R f) (both i a tt) t =
  (total_bin (fun s => (nth a0 s i == a) && h s) (combinations ls))%:R /
  (total_bin (fun s => nth a0 s i == a) (combinations ls))%:R.
Proof.
move=> fh a0.
have sum_if (A : pred (seq T)) (G : (size ls).-tuple T -> R) : (forall D, G D = product law_of D * (A D)%:R) ->
    \sum_D G D = (total_bin A (combinations ls))%:R / \prod_j (total_bin predT (tnth (in_tuple ls) j))%:R.
  by move=> GE; rewrite (eq_bigr _ (fun D _ => GE D)) (people_sum (fun s => (A s)%:R)) sum_total.
have c0 : \prod_j (total_bin predT (tnth (in_tuple ls) j))%:R != 0 :> R.
  by apply/prodf_neq0 => j _; exact: possible_neq0.
rewrite /out chance_out_both chance_both.
have -> : \sum_(D : (size ls).-tuple T | tnth D i == a) people (D, tt) * noiseless R f D t =
    (total_bin (fun s => (nth a0 s i == a) && h s) (combinations ls))%:R / \prod_j (total_bin predT (tnth (in_tuple ls) j))%:R.
  rewrite big_mkcond; apply: sum_if => D; rewrite (tnth_nth a0) /= /sure fh.
  by case: eqP => _ //=; rewrite mulr0.
have -> : \sum_(D : (size ls).-tuple T | tnth D i == a) people (D, tt) =
    (total_bin (fun s => nth a0 s i == a) (combinations ls))%:R / \prod_j (total_bin predT (tnth (in_tuple ls) j))%:R.
  by rewrite big_mkcond; apply: sum_if => D; rewrite (tnth_nth a0); case: eqP; rewrite ?mulr1 ?mulr0.
by rewrite invf_div mulrA divfK.
Qed.
End People.
End Combinations.

(** ** The claim *)

Section ManyDays.
Variable R : realFieldType.

(** A record is a series of three days, with a bit for each. *)
Definition series := [finType of bool * bool * bool].
Implicit Types (q : series -> R) (x y z : bool) (s : series).
Definition day1 s := s.1.1.
Definition day2 s := s.1.2.
Definition day3 s := s.2.

(** The probability of an event under the law of a record. *)
Definition event q (A : pred series) : R := \sum_(s | A s) q s.

(** [next] given that [day] is x is c-indistinguishable from [next] itself, for all possible x; [E] is e to the c. *)
Definition depends_little q (day next : series -> bool) (E : R) := forall x, event q (fun s => day s == x) != 0 ->
  indist E 0 (fun y => event q (fun s => (day s == x) && (next s == y)) / event q (fun s => day s == x))
             (fun y => event q (fun s => next s == y)).

(** A Markov chain: given the second day, the third does not depend on the first. *)
Definition markov q := forall x y z,
  q (x, y, z) * event q (fun s => day2 s == y) =
  event q (fun s => (day1 s == x) && (day2 s == y)) * event q (fun s => (day2 s == y) && (day3 s == z)).

(** How many of the records have a 1 on a day; and these numbers for the first two days together. *)
Definition on_day (day : series -> bool) (D : seq series) : nat := count day D.
Lemma on_day_lt n (day : series -> bool) (D : n.-tuple series) : (on_day day D < n.+1)%N.
Proof. by rewrite ltnS -{2}(size_tuple D) count_size. Qed.
Definition counted n (day : series -> bool) (D : n.-tuple series) : 'I_n.+1 := Ordinal (on_day_lt day D).
Definition first_two n (D : n.-tuple series) := (counted day1 D, counted day2 D).

(** Section 5.1, after Example 9, day after day: records are independent of each other, and of each the second day
    depends on the first by at most c, and the third on the second; c is measured against the next day's own law.
    Then the count of the third day and those of the first two days are (4c, 0)-bounded dependent, so that
    Theorem 6 can be applied. [memory] is what else is asked of the law of a record. *)
Definition claim_over_time (memory : (series -> R) -> Prop) := forall n (w : world R n series unit_finType) p (E : R),
  1 <= E -> independent_records w p -> (forall i, memory (p i)) ->
  (forall i, depends_little (p i) day1 day2 E /\ depends_little (p i) day2 day3 E) ->
  bounded_dependent (@exp_minus_dep_repaired R n series unit_finType _ _) (only w)
    (noiseless R (@first_two n)) (noiseless R (counted day3)) (E ^+ 4) 0.

(** Laws that are given by weights. *)
Lemma event_weights (l : seq (N * series)) A :
  event (weighted_law R l) A = (total_bin A l)%:R / (total_bin predT l)%:R.
Proof. by rewrite /event /weighted_law -mulr_suml sum_in. Qed.

Lemma markov_weights (l : seq (N * series)) :
  (forall x y z, N.mul (total_bin (pred1 (x, y, z)) l) (total_bin (fun s => day2 s == y) l) =
    N.mul (total_bin (fun s => (day1 s == x) && (day2 s == y)) l) (total_bin (fun s => (day2 s == y) && (day3 s == z)) l)) ->
  markov (weighted_law R l).
Proof.
move=> mk x y z; rewrite !event_weights /weighted_law !mulf_div; congr (_ / _).
by rewrite -!natrM -!nat_of_mul_bin mk.
Qed.

Lemma depends_weights (l : seq (N * series)) (day next : series -> bool) (E : N) : total_bin predT l != N0 ->
  (forall x y, let joint := total_bin (fun s => (day s == x) && (next s == y)) l in
    let here := total_bin (fun s => day s == x) l in let there := total_bin (fun s => next s == y) l in let all := total_bin predT l in
    (joint * all <=? E * there * here)%num && (there * here <=? E * joint * all)%num) ->
  depends_little (weighted_law R l) day next E%:R.
Proof.
move=> all0 le x; rewrite !event_weights mulf_eq0 negb_or pnatr_eq0 => /andP[here0 _].
have nat0 (b : N) : b != N0 -> nat_of_bin b != 0%N by apply: contraNneq => e; rewrite -[b]nat_of_binK e.
have quotient y : event (weighted_law R l) (fun s => (day s == x) && (next s == y)) / ((total_bin (fun s => day s == x) l)%:R / (total_bin predT l)%:R)
    = (total_bin (fun s => (day s == x) && (next s == y)) l)%:R / (total_bin (fun s => day s == x) l)%:R.
  by rewrite event_weights invf_div mulrA divfK // pnatr_eq0 nat0.
have below (a b c d : N) : nat_of_bin b != 0%N -> nat_of_bin d != 0%N -> (a * d <=? E * c * b)%num -> a%:R / b%:R <= E%:R * (c%:R / d%:R) :> R.
  move=> b0 d0 /le_bin; rewrite !nat_of_mul_bin => e.
  by have := @le_quotient R a b c d E 1 b0 d0 isT; rewrite mul1n divr1; apply.
apply: indist_pointwise => y; rewrite quotient event_weights; case/andP: (le x y) => ? ?; apply: below => //; exact: nat0.
Qed.

(** Two laws of three days, by weights: users of the first mostly keep their bit, those of the second mostly turn it on the third
    day. The target and one other have the first law, two others the second. *)
Definition keeps : seq (N * series) :=
  let start x := if x then 1%num else 6%num in
  let step x y := match x, y with true, true => 36%num | true, false => 6%num | false, true => 1%num | false, false => 41%num end in
  flatten [seq flatten [seq [seq (N.mul (start x) (N.mul (step x y) (step y z)), (x, y, z)) | z <- [:: false; true]] | y <- [:: false; true]] | x <- [:: false; true]].
Definition turns : seq (N * series) :=
  [:: (6%num, (false, false, true)); (1%num, (false, true, true)); (1%num, (false, false, false)); (41%num, (false, true, false))].
Definition four : seq (seq (N * series)) := [:: keeps; keeps; turns; turns].
Lemma four_possible : all (fun l => total_bin predT l != N0) four. Proof. by vm_compute. Qed.
Definition four_people := people R four_possible.

Lemma four_markov (i : 'I_4) : markov (law_of R (ls := four) i).
Proof.
have all_ls : all (fun l => all (fun x => all (fun y => all (fun z =>
    N.eqb (N.mul (total_bin (pred1 (x, y, z)) l) (total_bin (fun s => day2 s == y) l))
    (N.mul (total_bin (fun s => (day1 s == x) && (day2 s == y)) l) (total_bin (fun s => (day2 s == y) && (day3 s == z)) l)))
    [:: false; true]) [:: false; true]) [:: false; true]) four by vm_compute.
apply: markov_weights => x y z; apply/N.eqb_eq.
have in2 (b : bool) : b \in [:: false; true] by case: b.
exact: (allP (allP (allP (allP all_ls _ (mem_tnth i (in_tuple four))) _ (in2 x)) _ (in2 y)) _ (in2 z)).
Qed.

(** What [depends_weights] asks of all laws of a list. *)
Definition depend_by_weights (E : N) (day next : series -> bool) (ls : seq (seq (N * series))) : bool :=
  all (fun l => all (fun x => all (fun y =>
    let joint := total_bin (fun s => (day s == x) && (next s == y)) l in
    let here := total_bin (fun s => day s == x) l in let there := total_bin (fun s => next s == y) l in let all := total_bin predT l in
    (joint * all <=? E * there * here)%num && (there * here <=? E * joint * all)%num) [:: false; true]) [:: false; true]) ls.

Lemma depend_all (E : N) day next ls (i : 'I_(size ls)) : all (fun l => total_bin predT l != N0) ls ->
  depend_by_weights E day next ls -> depends_little (law_of R i) day next E%:R.
Proof.
move=> possible yes; have in2 (b : bool) : b \in [:: false; true] by case: b.
have in_ls := mem_tnth i (in_tuple ls); apply: depends_weights; first exact: (allP possible).
by move=> x y; exact: (allP (allP (allP yes _ in_ls) _ (in2 x)) _ (in2 y)).
Qed.

Lemma four_depend (i : 'I_4) : depends_little (law_of R (ls := four) i) day1 day2 6%:R /\ depends_little (law_of R (ls := four) i) day2 day3 6%:R.
Proof. by split; apply: (@depend_all 6 _ _ four); rewrite ?four_possible //; vm_compute. Qed.

(** The probabilities of an output: of its first part, of its second, and of both, as whole numbers divided by a fourth. *)
Definition probabilities_are n (w : world R n series unit_finType) (M : mechanism R n series [finType of 'I_n.+1 * 'I_n.+1])
    (L : mechanism R n series [finType of 'I_n.+1]) (i : 'I_n) (a : series) t (xs : N * N * N * N) :=
  let: (x1, x2, x12, x) := xs in
  [/\ out w M (both i a tt) t.1 = x1%:R / x%:R, out w L (both i a tt) t.2 = x2%:R / x%:R &
      out w (compose M L) (both i a tt) t = x12%:R / x%:R].

(** These numbers for the counts [k], [l] and [m] of the three days. *)
Section Outputs.
Variables (ls : seq (seq (N * series))) (possible : all (fun l => total_bin predT l != N0) ls).
Variables (k l m : 'I_(size ls).+1) (i : 'I_(size ls)) (a : series).
Implicit Types (D : seq series).

Let first_two_are D := (on_day day1 D == k) && (on_day day2 D == l).
Let third_is D := on_day day3 D == m.
Let weight (h : pred (seq series)) : N := total_bin (fun D => (nth (false, false, false) D i == a) && h D) (combinations ls).
Definition weights : N * N * N * N := (weight first_two_are, weight third_is, weight (predI first_two_are third_is),
  total_bin (fun D => nth (false, false, false) D i == a) (combinations ls)).

Lemma weightsP : probabilities_are (people R possible) (noiseless R (@first_two (size ls))) (noiseless R (counted day3))
  i a (k, l, m) weights.
Proof.
have counted_is (day : series -> bool) (j : 'I_(size ls).+1) (D : (size ls).-tuple series) : (j == counted day D) = (on_day day D == j).
  by rewrite -val_eqE eq_sym.
by split; rewrite ?out_compose_noiseless; apply: people_out => D; rewrite ?xpair_eqE ?counted_is.
Qed.
End Outputs.

(** What these numbers must be for the dependency to exceed that of which the exponential is [E]. *)
Definition exceeds (E : N) (xs ys : N * N * N * N) : bool := let: (x1, x2, x12, x) := xs in let: (y1, y2, y12, y) := ys in
  [&& N.ltb 0 x1, N.ltb 0 x12, N.ltb 0 x, N.ltb 0 y1, N.ltb 0 y2, N.ltb 0 y & N.ltb (E * (y12 * x1 * x2 * y)) (y1 * x12 * y2 * x)].

Lemma not_bounded n (w : world R n series unit_finType) M L (i : 'I_n) (a b : series) t (E : N) xs ys :
  compatible w i a tt -> compatible w i b tt ->
  probabilities_are w M L i a t xs -> probabilities_are w M L i b t ys -> exceeds E xs ys ->
  ~ bounded_dependent (@exp_minus_dep_repaired R n series unit_finType _ _) (only w) M L E%:R 0.
Proof.
case: xs => [[[x1 x2] x12] x]; case: ys => [[[y1 y2] y12] y].
move=> a0 b0 [P1 P2 P12] [Q1 Q2 Q12] /and5P[x10 x120 x0 y10 /and3P[y20 y0 /lt_bin less]].
have gt0 (c : N) : N.ltb 0 c -> 0 < c%:R :> R by move/lt_bin; rewrite ltr0n.
have nz (c d : N) : N.ltb 0 c -> N.ltb 0 d -> (c%:R / d%:R == 0 :> R) = false.
  by move=> c0 d0; apply/negbTE; rewrite lt0r_neq0 // divr_gt0 // gt0.
move=> /(_ w i erefl a b tt a0 b0); rewrite leNgt => /negP; apply.
rewrite (bigD1 t) //=; apply: ltr_paddr.
  apply: sumr_ge0 => u _; rewrite mulr_ge0 ?max0_ge0 //; apply: out_ge0; exact: (run_kernel (compose M L)).
rewrite P12 mulr_gt0 ?divr_gt0 ?gt0 // /exp_minus_dep_repaired Q1 Q2 !nz //= /exp_minus_dep P12 Q12 P1 P2 Q1 Q2 lt_maxr; apply/orP; right.
rewrite subr_gt0.
have -> (e u1 u2 u12 u v1 v2 v12 v : R) : u != 0 -> v != 0 -> u1 != 0 -> u12 != 0 -> v1 != 0 -> v2 != 0 ->
    e * (v12 / v / (v1 / v) / (u12 / u / (u1 / u)) * (u2 / u / (v2 / v))) = e * (v12 * u1 * u2 * v) / (v1 * u12 * v2 * u).
  by move=> *; field; repeat (apply/andP; split).
all: try by rewrite lt0r_neq0 // gt0.
rewrite ltr_pdivr_mulr ?mulr_gt0 ?gt0 // mul1r.
by move: less; rewrite -(ltr_nat R) !nat_of_mul_bin !natrM.
Qed.

Lemma compatible_weights (ls : seq (seq (N * series))) (possible : all (fun l => total_bin predT l != N0) ls) (i : 'I_(size ls)) a :
  N.ltb 0 (total_bin (pred1 a) (tnth (in_tuple ls) i)) -> compatible (people R possible) i a tt.
Proof.
move=> /lt_bin a0; rewrite /compatible product_world_record /law_of /weighted_law.
by rewrite mulf_neq0 ?invr_neq0 ?possible_neq0 // pnatr_eq0 -lt0n.
Qed.

(** It fails for Markov chains, if the users change in different ways: for these four people e to the c is 6, and e to the
    dependency of the third day on the first two is 58528 / 43, more than 6^4, for the series (0, 1, 0) against (1, 0, 0)
    and the counts 1, 2 and 3. *)
Theorem claim_over_time_fails : ~ claim_over_time markov.
Proof.
move=> claim; have six : 1 <= 6%:R :> R by rewrite (ler_nat R 1 6).
have := claim (size four) four_people (law_of R (ls := four)) 6%:R six (product_world_independent _) four_markov four_depend.
have -> : 6%:R ^+ 4 = (N.pow 6 4)%:R :> R by rewrite nat_of_pow_bin natrX.
pose k : 'I_(size four).+1 := Ordinal (isT : 1 < 5)%N; pose l : 'I_(size four).+1 := Ordinal (isT : 2 < 5)%N.
pose m : 'I_(size four).+1 := Ordinal (isT : 3 < 5)%N.
have := weightsP four_possible k l m ord0 (true, false, false); have := weightsP four_possible k l m ord0 (false, true, false).
have : exceeds (N.pow 6 4) (weights (ls := four) k l m ord0 (false, true, false)) (weights (ls := four) k l m ord0 (true, false, false)) by vm_compute.
move: (weights _ _ _ _ _) (weights _ _ _ _ _) => xs ys ex Pa Pb bd; by apply: (not_bounded _ _ Pa Pb ex bd); apply: compatible_weights; vm_compute.
Qed.

(** Three days of which each is a fair bit, and the third the sum of the first two, modulo 2; for three people. *)
Definition parity : seq (N * series) := [:: (1%num, (false, false, false)); (1%num, (false, true, true)); (1%num, (true, false, true)); (1%num, (true, true, false))].
Definition three : seq (seq (N * series)) := nseq 3 parity.
Lemma three_possible : all (fun l => total_bin predT l != N0) three. Proof. by vm_compute. Qed.
Definition three_people := people R three_possible.

(** If records may remember more than the day before, conditions on two days say nothing of the third: here any two days
    of a record are independent, c is 0, and the count of the third day and those of the first two are (mu, nu)-bounded
    dependent for no mu and no nu below 1/8: the counts 2, 1 and 1 are possible for the series (0, 0, 0) and not for (0, 1, 1). *)
Theorem claim_over_time_parity (U nu : R) (p := law_of R (ls := three)) : nu < 1%:R / 8%:R ->
  [/\ independent_records three_people p,
      forall i, [/\ depends_little (p i) day1 day2 1, depends_little (p i) day1 day3 1 & depends_little (p i) day2 day3 1] &
      ~ bounded_dependent (@exp_minus_dep_repaired R 3 series unit_finType _ _) (only three_people)
        (noiseless R (@first_two 3)) (noiseless R (counted day3)) U nu].
Proof.
move=> small; split; first exact: product_world_independent.
  by move=> i; split; apply: (@depend_all 1 _ _ three); rewrite ?three_possible //; vm_compute.
pose a : series := (false, false, false); pose b : series := (false, true, true).
pose k : 'I_(size three).+1 := Ordinal (isT : 2 < 4)%N; pose l : 'I_(size three).+1 := Ordinal (isT : 1 < 4)%N.
have [ca cb] : compatible three_people ord0 a tt /\ compatible three_people ord0 b tt.
  by split; apply: compatible_weights; vm_compute.
move=> /(_ three_people ord0 erefl a b tt ca cb).
have := weightsP three_possible k l l ord0 a; have := weightsP three_possible k l l ord0 b.
have -> : weights (ls := three) k l l ord0 a = (2, 8, 2, 16)%num by vm_compute.
have -> : weights (ls := three) k l l ord0 b = (1, 4, 0, 16)%num by vm_compute.
move=> [Q1 Q2 Q12] [_ _ P12]; rewrite leNgt => /negP; apply.
have P12' : out three_people (compose (noiseless R (@first_two 3)) (noiseless R (counted day3))) (both ord0 a tt) (k, l, l) = 1%:R / 8%:R.
  by rewrite P12; apply: eq_quotient.
rewrite (bigD1 (k, l, l)) //=; apply: ltr_paddr.
  apply: sumr_ge0 => u _; rewrite mulr_ge0 ?max0_ge0 //; apply: out_ge0; exact: (run_kernel (compose (noiseless R (@first_two 3)) (noiseless R (counted day3)))).
rewrite P12' /exp_minus_dep_repaired Q1 Q2 !mulf_eq0 !invr_eq0 !pnatr_eq0 /= /exp_minus_dep Q12 !mul0r mulr0 subr0.
by rewrite (elimT max_idPr) ?ler01 // mulr1.
Qed.
End ManyDays.
