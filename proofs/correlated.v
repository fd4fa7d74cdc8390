(** * Section 2: counterexamples for correlated data

    What section 2 says about noiseless, causal and inference-based privacy, as
    propositions, and the smallest worlds that refute them. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra.
From pkdp Require Import divergence worlds computing.
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
Definition prop_4 := forall n (T B O : finType) (Th : family R n T B) (M : mechanism R n T O) (E d : R),
  1 <= E -> 0 <= d -> acceptable Th -> (NP Th E d M <-> CDP Th E d M).

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
- by move=> w -> i; exact: acceptable_without_knowledge.
- move=> w -> i; apply: NP_perfect => // a b k t; case: i => [[|[|//]] Hi];
  by case: a; case: b; case: k; case: t; vm_compute.
- move=> /(_ _ erefl first); apply: (@CDP_revealed _ _ _ _ _ _ _ _ _ _ _ true false tt false) => //;
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
- by move=> w -> i; exact: acceptable_without_knowledge.
- move=> w -> i; apply: CDP_perfect => // a b k t; case: i => [[|[|[|//]]] Hi];
  by case: a; case: b; case: k; case: t; vm_compute.
- move=> /(_ _ erefl first); apply: (@NP_revealed _ _ _ _ _ _ _ _ _ _ _ true false tt true) => //;
  by vm_compute.
Qed.

(** Proposition 4 fails as printed. *)
Theorem prop_4_fails : ~ prop_4.
Proof.
move=> p4; have [acc np ncdp] := @prop_4_noiseless_not_causal 1 0 ltr01.
by apply: ncdp; apply/p4.
Qed.


(** ** Proposition 1 *)

(** Proposition 1 of the paper, as printed, with its two halves. Epsilon is
    doubled, so that E is squared; section 2 has no delta. *)
Definition prop_1_causal_gives_inference := forall n (T B O : finType) (Th : family R n T B) (M : mechanism R n T O) (E : R),
  1 <= E -> CDP Th E 0 M -> IBCDP Th (E ^+ 2) 0 M.
Definition prop_1_inference_gives_causal := forall n (T B O : finType) (Th : family R n T B) (M : mechanism R n T O) (E : R),
  1 <= E -> IBCDP Th E 0 M -> CDP Th (E ^+ 2) 0 M.
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
- move=> w -> i; apply: IBCDP_perfect => // a b k t; case: i => [[|[|//]] Hi];
  case: t => [[|x [|y [|z t]]] ht] //; move: ht;
  by case: a; case: b; case: k; case: x; case: y => ht; vm_compute.
- move=> /(_ _ erefl first).
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

Theorem prop_1_causal_not_inference (E d : R) : d < 2%:R^-1 ->
  CDP (only twins3) 1 0 (noiseless R alarm) /\ ~ IBCDP (only twins3) E d (noiseless R alarm).
Proof.
move=> d1; split.
- move=> w -> i; apply: CDP_perfect => // a b k t; case: i => [[|[|//]] Hi];
  case: a => [[|[|[|//]]] Ha]; case: b => [[|[|[|//]]] Hb]; by case: k; case: t; vm_compute.
- move=> /(_ _ erefl first (value (k := 2) isT) false tt).
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

End Examples.
