(** * Section 2: counterexamples for correlated data

    What section 2 says about noiseless, causal and inference-based privacy, as
    propositions, and the smallest worlds that refute them. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra.
From pkdp Require Import divergence worlds computing criterion.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Worlds and mechanisms *)

Section Examples.
Variable R : realFieldType.

(** Two equal fair bits, three equal fair bits; nobody knows anything. *)
Definition twins_list : seq (nat * (2.-tuple bool * unit)) :=
  [:: (1%N, ([tuple false; false], tt)); (1%N, ([tuple true; true], tt))].
Definition twins := @listed R 2 bool_finType unit_finType twins_list isT.
Definition triplets_list : seq (nat * (3.-tuple bool * unit)) :=
  [:: (1%N, ([tuple false; false; false], tt)); (1%N, ([tuple true; true; true], tt))].
Definition triplets := @listed R 3 bool_finType unit_finType triplets_list isT.

Definition first n : 'I_n.+1 := ord0.
Arguments first {n}.
Definition second {n} : 'I_n.+2 := Ordinal (isT : 1 < n.+2)%N.

(** Whether the number of 1s is odd; which bit most records have. *)
Definition parity n (D : n.-tuple bool) := odd (count id D).
Definition majority n (D : n.-tuple bool) := (n < (count id D).*2)%N.

(** ** Proposition 4 *)

(** Proposition 4 of the paper, as printed: if a family of laws is acceptable,
    then for all epsilon and delta noiseless privacy and causal privacy are
    equivalent. *)
Definition prop_4 := forall n (T B O : finType) (worlds : world R n T B -> Prop) (M : mechanism R n T O) (E d : R),
  1 <= E -> 0 <= d -> acceptable (every worlds) -> (NP (every worlds) E d M <-> CDP (every worlds) E d M).

(** The parity of two equal fair bits, without knowledge, an acceptable law:
    it tells nothing about either bit, so that it is noiseless private with
    epsilon = delta = 0; it is (epsilon, delta)-causally private for no
    epsilon and no delta < 1. So one half of Proposition 4 fails even up to a
    change of the parameters. *)
Theorem prop_4_noiseless_not_causal (E d : R) : d < 1 ->
  [/\ acceptable (only twins), NP (only twins) 1 0 (noiseless R (@parity 2))
    & ~ CDP (only twins) E d (noiseless R (@parity 2))].
Proof.
move=> d1; split.
- by move=> w i ->; exact: acceptable_without_knowledge.
- move=> w i ->; apply: NP_perfect => // a b k t; case: i => [[|[|//]] Hi];
  by case: a; case: b; case: k; case: t; vm_compute.
- move=> /(_ _ first erefl); apply: (@CDP_revealed _ _ _ _ _ _ _ _ _ _ _ true false tt false) => //;
  by vm_compute.
Qed.

(** The majority of three equal fair bits, without knowledge, an acceptable
    law: to change one bit alone never changes it, so that it is causally
    private with epsilon = delta = 0; it reveals every bit, so that it is
    (epsilon, delta)-noiseless private for no epsilon and no delta < 1. So the
    other half of Proposition 4 fails in the same way. *)
Theorem prop_4_causal_not_noiseless (E d : R) : d < 1 ->
  [/\ acceptable (only triplets), CDP (only triplets) 1 0 (noiseless R (@majority 3))
    & ~ NP (only triplets) E d (noiseless R (@majority 3))].
Proof.
move=> d1; split.
- by move=> w i ->; exact: acceptable_without_knowledge.
- move=> w i ->; apply: CDP_perfect => // a b k t; case: i => [[|[|[|//]]] Hi];
  by case: a; case: b; case: k; case: t; vm_compute.
- move=> /(_ _ first erefl); apply: (@NP_revealed _ _ _ _ _ _ _ _ _ _ _ true false tt true) => //;
  by vm_compute.
Qed.

(** Proposition 4 fails as printed. *)
Theorem prop_4_fails : ~ prop_4.
Proof.
move=> p4; have [acc np ncdp] := @prop_4_noiseless_not_causal 1 0 ltr01.
have [cdp _] := p4 2%N _ _ _ _ (noiseless R (@parity 2)) 1 0 (lexx 1) (lexx 0) acc.
exact: ncdp (cdp np).
Qed.


(** ** Proposition 1 *)

(** Proposition 1 of the paper, as printed, with its two halves. Epsilon is
    doubled, so that E is squared; section 2 has no delta. *)
Definition prop_1_causal_gives_inference := forall n (T B O : finType) (worlds : world R n T B -> Prop) (M : mechanism R n T O) (E : R),
  1 <= E -> CDP (every worlds) E 0 M -> IBCDP (every worlds) (E ^+ 2) 0 M.
Definition prop_1_inference_gives_causal := forall n (T B O : finType) (worlds : world R n T B -> Prop) (M : mechanism R n T O) (E : R),
  1 <= E -> IBCDP (every worlds) E 0 M -> CDP (every worlds) (E ^+ 2) 0 M.
Definition prop_1 := prop_1_causal_gives_inference /\ prop_1_inference_gives_causal.

(** The mechanism that publishes the database. *)
Definition identity n (T : finType) : mechanism R n T [finType of n.-tuple T] := noiseless R id.

(** To publish two equal fair bits is inference-based causally private with
    epsilon = delta = 0, for every value put in, and (epsilon, delta)-causally
    private for no epsilon and no delta < 1. *)
Theorem prop_1_inference_not_causal (E d : R) : d < 1 ->
  IBCDP (only twins) 1 0 (identity 2 bool_finType) /\ ~ CDP (only twins) E d (identity 2 bool_finType).
Proof.
move=> d1; split.
- move=> w i ->; apply: IBCDP_perfect => // a b k t; case: i => [[|[|//]] Hi];
  case: t => [[|x [|y [|z t]]] ht] //; move: ht;
  by case: a; case: b; case: k; case: x; case: y => ht; vm_compute.
- move=> /(_ _ first erefl).
  by apply: (@CDP_revealed _ _ _ _ _ _ _ _ _ _ _ true false tt [tuple true; true]) => //; vm_compute.
Qed.

(** Two equal fair bits among records that might be 0, 1 or 2, and an alarm for a
    1 beside a 2. No value that occurs can raise it, so that it is causally
    private with epsilon = delta = 0. A 2 that is put in tells by the silence
    that the other record is 0: it is inference-based causally private for no
    epsilon and no delta < 1/2. *)
Definition value (k : nat) (lt : (k < 3)%N) : 'I_3 := Ordinal lt.
Definition twins3_list : seq (nat * (2.-tuple 'I_3 * unit)) :=
  [:: (1%N, ([tuple value (k := 0) isT; value (k := 0) isT], tt));
      (1%N, ([tuple value (k := 1) isT; value (k := 1) isT], tt))].
Definition twins3 := @listed R 2 [finType of 'I_3] unit_finType twins3_list isT.
Definition alarm (D : 2.-tuple 'I_3) :=
  (1%N \in [seq val x | x <- D]) && (2%N \in [seq val x | x <- D]).

(** Proposition 1, first half: the alarm on [twins3] is causally private with
    epsilon = delta = 0, and inference-based causally private for no epsilon and no
    delta < 1/2, as a value that never occurs may be put in. *)
Theorem prop_1_causal_not_inference (E d : R) : d < 2%:R^-1 ->
  CDP (only twins3) 1 0 (noiseless R alarm) /\ ~ IBCDP (only twins3) E d (noiseless R alarm).
Proof.
move=> d1; split.
- move=> w i ->; apply: CDP_perfect => // a b k t; case: i => [[|[|//]] Hi];
  case: a => [[|[|[|//]]] Ha]; case: b => [[|[|[|//]]] Hb]; by case: k; case: t; vm_compute.
- move=> /(_ _ first erefl (value (k := 2) isT) false tt).
  rewrite chance_out_noiseless_neq0 chance_out_noiseless_replaced_neq0 => /(_ isT isT).
  apply: (@partly_told _ _ _ _ _ _ (value (k := 1) isT)).
    rewrite posterior_noiseless.
    by rewrite (_ : tally _ _ _ = 1%N) // (_ : tally _ _ _ = 2%N) // div1r.
  by rewrite posterior_noiseless_replaced (_ : tally (both _ _ _) _ _ = 0%N) ?mul0r.
Qed.

(** Proposition 1 fails as printed, and so does each half of it. *)
Theorem prop_1_fails : [/\ ~ prop_1_causal_gives_inference, ~ prop_1_inference_gives_causal & ~ prop_1].
Proof.
have h1 : ~ prop_1_causal_gives_inference.
  move=> p1; have d0 : 0 < 2%:R^-1 :> R by rewrite invr_gt0 ltr0n.
  by have [cdp nib] := @prop_1_causal_not_inference (1 ^+ 2) 0 d0; apply: nib; apply: p1.
have h2 : ~ prop_1_inference_gives_causal.
  move=> p1; have [ib ncdp] := @prop_1_inference_not_causal (1 ^+ 2) 0 ltr01.
  by apply: ncdp; apply: p1.
by split=> // -[].
Qed.


(** ** What section 2 announces of its criterion *)

(** The beginning of section 2: the criterion makes causal privacy equivalent to
    noiseless privacy. Section 2 has no delta. *)
Definition claim_criterion_avoids := forall n (T B O : finType) (worlds : world R n T B -> Prop) (M : mechanism R n T O) (E : R),
  1 <= E -> acceptable (every worlds) -> (CDP (every worlds) E 0 M <-> NP (every worlds) E 0 M).

(** It does not. *)
Theorem claim_criterion_avoids_fails : ~ claim_criterion_avoids.
Proof.
move=> claim; have [acc np ncdp] := @prop_4_noiseless_not_causal 1 0 ltr01.
have [_ cdp] := claim 2%N _ _ _ _ (noiseless R (@parity 2)) 1 (lexx 1) acc.
exact: ncdp (cdp np).
Qed.

(** The first paragraph of section 2.3 names two properties that one obtains
    when the criterion is satisfied: noiseless and causal privacy are
    equivalent, and attackers with more knowledge are stronger, that is,
    whoever is kept from learning by them is kept from it by weaker ones. *)
Definition np_and_cdp_equivalent := forall n (T B O : finType) (worlds : world R n T B -> Prop) (M : mechanism R n T O) (E : R),
  1 <= E -> acceptable (every worlds) -> (NP (every worlds) E 0 M <-> CDP (every worlds) E 0 M).
Definition more_knowledge_stronger := forall n (T B1 B2 O : finType) (Th1 : family R n T B1) (Th2 : family R n T B2)
  (M : mechanism R n T O) (E : R), 1 <= E -> families_more_knowledge Th1 Th2 -> NP Th1 E 0 M -> NP Th2 E 0 M.
Definition claim_two_properties := np_and_cdp_equivalent /\ more_knowledge_stronger.

(** The second is one of them (Proposition 3); the first is not. *)
Theorem claim_two_properties_fails :
  [/\ ~ np_and_cdp_equivalent, more_knowledge_stronger & ~ claim_two_properties].
Proof.
have no : ~ np_and_cdp_equivalent.
  move=> eqv; have [acc np ncdp] := @prop_4_noiseless_not_causal 1 0 ltr01.
  have [cdp _] := eqv 2%N _ _ _ _ (noiseless R (@parity 2)) 1 (lexx 1) acc.
  exact: ncdp (cdp np).
split=> //; last by case.
by move=> n T B1 B2 O Th1 Th2 M E _ more; exact: prop_3.
Qed.

(** ** Causal and distributional privacy *)

(** After Definition 5: if a mechanism is causally private, it is also
    distributionally private, with the same parameters. *)
Definition claim_cdp_ddp := forall n (T B O : finType) (worlds : world R n T B -> Prop) (M : mechanism R n T O) (E : R),
  1 <= E -> CDP (every worlds) E 0 M -> DDP (every worlds) E 0 M.

(** One fair bit, which the attacker knows; the mechanism publishes it. *)
Definition known_bit_list : seq (nat * (1.-tuple bool * bool)) :=
  [:: (1%N, ([tuple false], false)); (1%N, ([tuple true], true))].
Definition known_bit := @listed R 1 bool_finType bool_finType known_bit_list isT.

(** It is causally private with epsilon = 0, as no two values are compatible with
    what is known, and distributionally private for no epsilon, as the
    simulator has to know the bit, too. So the claim fails as printed; the
    theorem [cdp_ddp] has the condition that it needs. *)
Theorem claim_cdp_ddp_fails :
  (forall E : R, CDP (only known_bit) 1 0 (identity 1 bool_finType) /\ ~ DDP (only known_bit) E 0 (identity 1 bool_finType))
  /\ ~ claim_cdp_ddp.
Proof.
have cdp : CDP (only known_bit) 1 0 (identity 1 bool_finType).
  move=> w i ->; apply: CDP_perfect => // a b k t; case: i => [[|//] Hi].
  case: t => [[|x [|y t]] ht] //; move: ht.
  by case: a; case: b; case: k; case: x => ht; vm_compute.
have nddp (E : R) : ~ DDP (only known_bit) E 0 (identity 1 bool_finType).
  move=> [Sim bl ddp].
  have one t (a k : bool) : a = k -> out known_bit (Sim first) (both first a k) t = Sim first [tuple false] t.
    move=> ->; have all_same D : Sim first D t = Sim first [tuple false] t.
      rewrite -(bl first D false); congr (Sim first _ t); apply: eq_from_tnth => j.
      by rewrite tnth_put !(ord1 j) eqxx.
    rewrite /out /chance_out (eq_bigr (fun x => known_bit x * Sim first [tuple false] t)).
      rewrite -mulr_suml mulrAC divff ?mul1r // chance_listed_neq0.
      by case: k.
    by move=> x _; rewrite all_same.
  have zero a t : t != [tuple a] -> Sim first [tuple false] t = 0.
    move=> ta; have := ddp known_bit first erefl a a; rewrite /compatible chance_listed_neq0.
    have -> : total (both first a a) known_bit_list != 0%N by case: a ta.
    move=> /(_ isT) /(indist_at t); rewrite (one t a a erefl) => -[_].
    rewrite out_noiseless (_ : tally _ _ _ = 0%N); last by case: a ta => ta; rewrite /= (negPf ta).
    rewrite mul0r mulr0 => le; apply/eqP; rewrite eq_le le /=; exact: run_ge0.
  have := run_sum (Sim first) [tuple false]; rewrite big1 => [/eqP|t _]; first by rewrite eq_sym oner_eq0.
  case: (altP (t =P [tuple false])) => [->|ne]; last exact: zero ne.
  by apply: (zero true); vm_compute.
split=> [E|claim]; first by split=> //; exact: nddp.
exact: (nddp 1) (claim _ _ _ _ _ _ 1 (lexx _) cdp).
Qed.

(** Example 2: if each target's record has a duplicate at a fixed place [dup i], and that
    in each law of a family, then to publish the database is distributionally
    private with epsilon = 0. *)
Theorem ex_2 n (T B : finType) (Th : family R n T B) (dup : 'I_n -> 'I_n) :
  (forall i, dup i != i) ->
  (forall w i, Th w i -> forall x, w x != 0 -> tnth x.1 (dup i) = tnth x.1 i) ->
  DDP Th 1 0 (identity n T).
Proof.
move=> di same; exists (fun i => noiseless R (fun D : n.-tuple T => put D i (tnth D (dup i)))).
  by move=> i D b t; rewrite /= !put_put tnth_put (negPf (di i)).
move=> w i Thi a k ak; apply: indist_same => // t.
  by apply: out_ge0; exact: run_kernel.
rewrite /out; congr (_ / _); apply: eq_bigr => x _ /=.
by case: (w x =P 0) => [->|/eqP nz]; rewrite ?mul0r // (same w i Thi x nz) put_id.
Qed.

(** The other of two records. *)
Definition twin (i : 'I_2) : 'I_2 := if i == first then second else first.
Lemma twin_neq i : twin i != i. Proof. by case: i => [[|[|//]] Hi]. Qed.
Lemma twins_equal w i : only twins w i -> forall x, w x != 0 -> tnth x.1 (twin i) = tnth x.1 i.
Proof.
move=> -> x; rewrite -[_ x]mulr1 => nz.
have : x \in [seq y.2 | y <- twins_list].
  apply: contraR nz => no; rewrite mulr1 /= /total /tally /=.
  by move: no; rewrite !inE negb_or ![_ == x]eq_sym => /andP[/negPf-> /negPf->]; rewrite mul0r.
by rewrite !inE => /orP[] /eqP ->; case: i => [[|[|//]] Hi].
Qed.

(** After Definition 5: that causal privacy gives distributional privacy is a
    strict implication. To publish two equal fair bits is distributionally
    private with epsilon = 0, and causally private for no epsilon. *)
Theorem claim_cdp_strict (E d : R) : d < 1 ->
  DDP (only twins) 1 0 (identity 2 bool_finType) /\ ~ CDP (only twins) E d (identity 2 bool_finType).
Proof.
move=> d1; split; last by case: (@prop_1_inference_not_causal E d d1).
exact: ex_2 twin_neq twins_equal.
Qed.

(** ** Noiseless and causal privacy *)

(** Some mechanisms that leak the full database are causally private with
    epsilon = 0: of three equal fair bits the majority tells all three. *)
Theorem claim_leaks : CDP (only triplets) 1 0 (noiseless R (@majority 3)) /\
  (forall x y, triplets x != 0 -> triplets y != 0 -> majority x.1 = majority y.1 -> x = y).
Proof.
split; first by case: (@prop_4_causal_not_noiseless 1 0 ltr01).
have supp x : triplets x != 0 -> x \in [seq y.2 | y <- triplets_list].
  apply: contraR => no; rewrite /= /total /tally /=.
  by move: no; rewrite !inE negb_or ![_ == x]eq_sym => /andP[/negPf-> /negPf->]; rewrite mul0r.
move=> x y /supp + /supp; rewrite !inE.
by move=> /orP[] /eqP -> /orP[] /eqP -> // h; exfalso; vm_compute in h.
Qed.

(** The other way round, after Example 4: a record and all that depends on it,
    changed together, can move the output less than the record alone. Of two
    equal fair bits the exclusive or is noiseless private with epsilon = 0 and
    causally private for no epsilon. *)
Theorem claim_joint_change (E d : R) : d < 1 ->
  NP (only twins) 1 0 (noiseless R (@parity 2)) /\ ~ CDP (only twins) E d (noiseless R (@parity 2)).
Proof. by move=> d1; case: (@prop_4_noiseless_not_causal E d d1). Qed.


(** ** More knowledge can count as less *)

(** Example 1 in small: a fair coin decides about mu, and each of two bits is mu
    with probability 3/4. In the first world the attacker knows mu, in the second
    she knows nothing; the law of the database is the same. *)
Definition near_mu (mu x y : bool) : nat := ((if x == mu then 3 else 1) * (if y == mu then 3 else 1))%N.
Definition knows_mu_list : seq (nat * (2.-tuple bool * bool)) :=
  flatten [seq [seq (near_mu mu xy.1 xy.2, ([tuple xy.1; xy.2], mu)) | xy <- [:: (false, false); (false, true); (true, false); (true, true)]]
    | mu <- [:: false; true]].
Definition hidden_mu_list : seq (nat * (2.-tuple bool * unit)) := [seq (x.1, (x.2.1, tt)) | x <- knows_mu_list].
Definition knows_mu := @listed R 2 bool_finType bool_finType knows_mu_list isT.
Definition hidden_mu := @listed R 2 bool_finType unit_finType hidden_mu_list isT.

(** A noisy average: the answer is Yes with probability (1 + the number of 1s) / 4. *)
Definition noisy_weights (D : 2.-tuple bool) (t : bool) : nat := (if t then 1 + count id D else 3 - count id D)%N.
Lemma noisy_sum D : (\sum_t noisy_weights D t = 4)%N.
Proof. by rewrite big_bool; case: D => [[|x [|y [|z s]]] hs] //; case: x hs => hs; case: y hs => hs. Qed.
Definition noisy_average := weighted R (isT : 4 != 0)%N noisy_sum.

Lemma noisyE D t : noisy_average D t = (noisy_weights D t)%:R / 4%:R. Proof. by []. Qed.

(** The attacker who knows mu is the weaker one by this definition: against her the
    mechanism is noiseless private with e to the epsilon = 9/5, against the one who knows
    nothing it is not. *)
Theorem claim_np_not_monotonous :
  NP (only knows_mu) (9%:R / 5%:R) 0 noisy_average /\ ~ NP (only hidden_mu) (9%:R / 5%:R) 0 noisy_average.
Proof.
split.
  move=> w i -> a b k; rewrite /compatible !chance_listed_neq0 => a0 b0.
  have a4 : (total (both i a k) knows_mu_list * 4 != 0)%N by rewrite muln_eq0 (negPf a0).
  have b4 : (total (both i b k) knows_mu_list * 4 != 0)%N by rewrite muln_eq0 (negPf b0).
  apply: indist_pointwise => t; rewrite !(out_listed _ noisyE); apply: le_quotient => //;
  by move: a0 b0 {a4 b4}; case: i => [[|[|//]] Hi]; case: a; case: b; case: k; case: t; vm_compute.
move=> /(_ hidden_mu first erefl true false tt); rewrite /compatible !chance_listed_neq0 => /(_ isT isT).
move=> /(indist_at true)[+ _]; rewrite !(out_listed _ noisyE) leNgt => /negP; apply.
by apply: lt_quotient; vm_compute.
Qed.

(** ** Proposition 1 with outputs that are all possible *)

(** The majority of three equal fair bits, and an independent Yes or No, whose probability of
    Yes is 1/3 if the bits are equal and else 2/3. Before and after a bit is replaced the
    same outputs are possible. It is inference-based causally private with
    epsilon = 0, and not causally private with epsilon = 0. *)
Definition mixed_weights (D : 3.-tuple bool) (t : bool * bool) : nat :=
  if t.1 == majority D then (if t.2 == ((count id D == 0) || (count id D == 3)) then 1 else 2)%N else 0%N.
Lemma mixed_sum D : (\sum_t mixed_weights D t = 3)%N.
Proof.
rewrite -(pair_bigA _ (fun x y => mixed_weights D (x, y))) /= !big_bool /mixed_weights /=.
by case: (majority D); case: (_ || _).
Qed.
Definition mixed := weighted R (isT : 3 != 0)%N mixed_sum.

(** Proposition 1, second half, is not saved by asking that the same outputs be possible
    before and after: [mixed] has inference-based epsilon 0 and a causal one above 0. *)
Theorem prop_1_equal_supports : IBCDP (only triplets) 1 0 mixed /\ ~ CDP (only triplets) 1 0 mixed.
Proof.
have mE D t : mixed D t = (mixed_weights D t)%:R / 3%:R by [].
have mE' i b D t : replaced mixed i b D t = (mixed_weights (put D i b) t)%:R / 3%:R by [].
split.
  move=> w i -> b t k.
  rewrite (chance_out_listed_neq0 _ (isT : 3 != 0)%N mE) (chance_out_listed_neq0 _ (isT : 3 != 0)%N (mE' i b)) => t0 tb0.
  have postE c (K : 3.-tuple bool -> bool * bool -> R) (m : 3.-tuple bool -> bool * bool -> nat) :
      (forall D u, K D u = (m D u)%:R / 3%:R) ->
      posterior triplets K i k t c = (tally (both i c k) (fun x => m x.1 t) triplets_list)%:R / (tally (knows k) (fun x => m x.1 t) triplets_list)%:R.
    move=> KE; rewrite /posterior !(chance_out_listed _ KE) invfM invrK -mulrA; congr (_ * _).
    by rewrite mulrCA mulVf ?pnatr_eq0 // mulr1.
  apply: indist_same => // c; rewrite (postE c _ _ mE); first by rewrite divr_ge0 ?ler0n.
  rewrite (postE c _ _ (mE' i b)); apply: eq_quotient => //.
  by move: t0 tb0; case: i {mE' postE} => [[|[|[|//]]] Hi]; case: b; case: c; case: k; case: t => [[] []]; vm_compute.
move=> /(_ triplets first erefl true false tt); rewrite /compatible !chance_listed_neq0 => /(_ isT isT).
move=> /(indist_at (true, false))[+ _].
rewrite (out_listed _ mE) (out_listed _ (mE' _ _)) mul1r leNgt => /negP; apply.
rewrite -[X in X < _]mul1r -[X in X * _](divr1 1); apply: (@lt_quotient R _ _ _ _ 1 1) => //; by vm_compute.
Qed.

End Examples.
