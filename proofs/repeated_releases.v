(** * Section 5.1: Example 9, counts of two days *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From pkdp Require Import divergence worlds computing attackers sequential counterexamples.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Days.
Variable R : realFieldType.

(** A record is a series of two days, with a bit for each. *)
Notation series := (bool * bool)%type.
Definition series_finType := [finType of series].

(** How many records have a 1 on the first day, and on the second. *)
Lemma count_lt n (f : pred series) (D : n.-tuple series) : (count f D < n.+1)%N.
Proof. by rewrite ltnS -{2}(size_tuple D) count_size. Qed.
Definition first_day n (D : n.-tuple series) : 'I_n.+1 := Ordinal (count_lt fst D).
Definition second_day n (D : n.-tuple series) : 'I_n.+1 := Ordinal (count_lt snd D).

(** The laws of the two days of a record with the law [q]. *)
Definition law_first (q : series -> R) (a : bool) : R := q (a, false) + q (a, true).
Definition law_second (q : series -> R) (b : bool) : R := q (false, b) + q (true, b).

(** Example 9, as printed: records are independent of each other, and for each
    record and each value a of the first day that is possible, the second day
    given a is c-indistinguishable from the first day. Then the counts of the
    two days are (2c, 0)-bounded dependent. [E] is e to the c. [against] is what the
    second day given a is compared with: in print the law of the first day. *)
Definition ex_9 (against : (series -> R) -> bool -> R) := forall n (w : world R n series_finType unit_finType) p (E : R),
  1 <= E -> independent_records w p ->
  (forall i a, law_first (p i) a != 0 -> indist E 0 (fun b => p i (a, b) / law_first (p i) a) (against (p i))) ->
  bounded_dependent (@exp_minus_dep_repaired R n series_finType unit_finType _ _) (only w)
    (noiseless R (@first_day n)) (noiseless R (@second_day n)) (E ^+ 2) 0.

(** Three people with two fair days each, which agree with probability 3/4. *)
Definition sticky (a : series) : nat := (if a.1 == a.2 then 3 else 1)%N.
Definition all_series : seq series := [:: (false, false); (false, true); (true, false); (true, true)].
Definition people_list : seq (nat * (3.-tuple series * unit)) :=
  flatten [seq flatten [seq [seq ((sticky a * sticky b * sticky c)%N, ([tuple a; b; c], tt)) | c <- all_series]
    | b <- all_series] | a <- all_series].
Definition people := @listed R 3 series_finType unit_finType people_list isT.
Definition people_law (j : 'I_3) (a : series) : R := (sticky a)%:R / 8%:R.

Lemma people_independent : independent_records people people_law.
Proof.
split=> [j|D].
  split=> [a|]; first by rewrite divr_ge0 ?ler0n.
  rewrite -(pair_bigA _ (fun x y => people_law j (x, y))) /= big_bool !big_bool /people_law /sticky /=; by field.
have -> : people (D, tt) = (sticky (tnth D (inord 0)) * sticky (tnth D (inord 1)) * sticky (tnth D (inord 2)))%N%:R / 512%:R.
  rewrite /= (_ : total xpredT people_list = 512%N); last by vm_compute.
  rewrite !(tnth_nth (false, false)) !inordK //; congr (_%:R / _).
  case: D => [[|[a a'] [|[b b'] [|[c c'] [|d s]]]] hs] //; move: hs.
  by case: a; case: a'; case: b; case: b'; case: c; case: c' => hs; vm_compute.
rewrite !big_ord_recl big_ord0 /people_law !natrM.
have -> : ord0 = inord 0 :> 'I_3 by apply/val_inj; rewrite /= inordK.
have -> : lift (inord 0) ord0 = inord 1 :> 'I_3 by apply/val_inj; rewrite /= !inordK.
have -> : lift (inord 0) (lift ord0 ord0) = inord 2 :> 'I_3 by apply/val_inj; rewrite /= !inordK.
by field.
Qed.

Lemma people_condition (against : (series -> R) -> bool -> R) (i : 'I_3) a :
  against = law_first \/ against = law_second ->
  indist 2%:R 0 (fun b => people_law i (a, b) / law_first (people_law i) a) (against (people_law i)).
Proof.
have half b : law_first (people_law i) b = 1%:R / 2%:R /\ law_second (people_law i) b = 1%:R / 2%:R.
  by rewrite /law_first /law_second /people_law; case: b; split; rewrite /sticky /=; field.
move=> ag; have agE b : against (people_law i) b = 1%:R / 2%:R by case: ag => ->; case: (half b).
have cond b : people_law i (a, b) / law_first (people_law i) a = (sticky (a, b))%:R / 4%:R.
  by rewrite (half a).1 /people_law; field.
have le2 (k l m q : nat) : l != 0%N -> q != 0%N -> (k * (1 * q) <= 2 * m * l)%N -> k%:R / l%:R <= 2%:R * (m%:R / q%:R) :> R.
  by move=> l0 q0 le; have := @le_quotient R k l m q 2 1 l0 q0 isT le; rewrite divr1.
apply: indist_pointwise => b; rewrite cond agE; apply: le2 => //; by case: a {cond}; case: b.
Qed.

Lemma out_value (O : finType) (f : 3.-tuple series -> O) A t k m :
  tally A (fun x => t == f x.1) people_list = k -> total A people_list = m ->
  out people (noiseless R f) A t = k%:R / m%:R.
Proof. by rewrite out_noiseless => -> ->. Qed.

(** Example 9 fails as printed, also with the second day's own law in the place of the
    first day's: for these three people e^c = 2, and e to the dependency is 5
    for the series (1, 0) against (0, 1), where 2 people have a 1 on the first day and
    1 person on the second. *)
Theorem ex_9_fails (against : (series -> R) -> bool -> R) :
  against = law_first \/ against = law_second -> ~ ex_9 against.
Proof.
move=> ag e9; have E2 : 1 <= 2%:R :> R by rewrite (ler_nat R 1 2).
have cond (i : 'I_3) a (_ : law_first (people_law i) a != 0) := people_condition i a ag.
have a0 : compatible people ord0 (true, false) tt by rewrite /compatible chance_listed_neq0; vm_compute.
have b0 : compatible people ord0 (false, true) tt by rewrite /compatible chance_listed_neq0; vm_compute.
have := e9 3%N people people_law 2%:R E2 people_independent cond people ord0 erefl (true, false) (false, true) tt a0 b0.
rewrite leNgt => /negP; apply.
pose t : 'I_4 * 'I_4 := (Ordinal (isT : 2 < 4)%N, Ordinal (isT : 1 < 4)%N).
have P1 : out people (noiseless R (@first_day 3)) (both ord0 (true, false) tt) t.1 = 32%:R / 64%:R by apply: out_value; vm_compute.
have Q1 : out people (noiseless R (@first_day 3)) (both ord0 (false, true) tt) t.1 = 16%:R / 64%:R by apply: out_value; vm_compute.
have P2 : out people (noiseless R (@second_day 3)) (both ord0 (true, false) tt) t.2 = 32%:R / 64%:R by apply: out_value; vm_compute.
have Q2 : out people (noiseless R (@second_day 3)) (both ord0 (false, true) tt) t.2 = 16%:R / 64%:R by apply: out_value; vm_compute.
have P12 : out people (compose (noiseless R (@first_day 3)) (noiseless R (@second_day 3))) (both ord0 (true, false) tt) t = 20%:R / 64%:R.
  by rewrite out_compose_noiseless; apply: out_value; vm_compute.
have Q12 : out people (compose (noiseless R (@first_day 3)) (noiseless R (@second_day 3))) (both ord0 (false, true) tt) t = 1%:R / 64%:R.
  by rewrite out_compose_noiseless; apply: out_value; vm_compute.
rewrite (bigD1 t) //; apply: ltr_paddr.
  apply: sumr_ge0 => u _; rewrite mulr_ge0 ?max0_ge0 //; apply: out_ge0; exact: run_kernel.
rewrite P12 /exp_minus_dep_repaired Q1 Q2 !mulf_eq0 !invr_eq0 !pnatr_eq0 /=.
rewrite /exp_minus_dep P1 Q1 P2 Q2 P12 Q12.
have -> : 1%:R / 64%:R / (16%:R / 64%:R) / (20%:R / 64%:R / (32%:R / 64%:R)) * (32%:R / 64%:R / (16%:R / 64%:R)) = 1%:R / 5%:R :> R by field.
have -> : 1 - 2%:R ^+ 2 * (1%:R / 5%:R) = 1%:R / 5%:R :> R by field.
by rewrite (elimT max_idPr) ?divr_ge0 ?ler0n // mulr_gt0 ?divr_gt0 ?pos.
Qed.

End Days.
