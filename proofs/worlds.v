(** * Finite worlds, and the definitions of the paper on them

    A world is a joint law of a database and of what the attacker knows. The
    definitions below are those of sections 1 to 3 of "Differential privacy
    with partial knowledge", for finitely many records, values of the knowledge
    and outputs. E stands for e to the epsilon; it is a number of an ordered
    field, and so are all probabilities. With d = 0 the definitions are those
    of section 2, which has no delta. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra.
From pkdp Require Import divergence.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Databases, mechanisms, worlds *)

(** [D] with record [i] replaced by [b]. *)
Section Put.
Variables (n : nat) (T : eqType).
Lemma put_size (D : n.-tuple T) (i : 'I_n) (b : T) : size (set_nth b D i b) == n.
Proof. by rewrite size_set_nth size_tuple; apply/eqP/maxn_idPr. Qed.
Definition put (D : n.-tuple T) (i : 'I_n) (b : T) : n.-tuple T := Tuple (put_size D i b).

Lemma tnth_put D i b j : tnth (put D i b) j = if j == i then b else tnth D j.
Proof.
rewrite !(tnth_nth b) /= nth_set_nth /=.
by rewrite -val_eqE.
Qed.

Lemma put_id D i : put D i (tnth D i) = D.
Proof. by apply: eq_from_tnth => j; rewrite tnth_put; case: eqP => [->|]. Qed.

Lemma put_put D i b c : put (put D i b) i c = put D i c.
Proof. by apply: eq_from_tnth => j; rewrite !tnth_put; case: eqP. Qed.
End Put.

Section Worlds.
Variables (R : realFieldType) (n : nat) (T B : finType).
Notation database := (n.-tuple T).
Implicit Types (O : finType) (i : 'I_n) (a b : T) (k : B).

(** A world: a law of the database and the knowledge. *)
Record world := World { weight :> database * B -> R; weight_law : law weight }.

(** A mechanism gives every database a law of its output. *)
Record mechanism (O : finType) := Mechanism { run :> database -> O -> R; run_kernel : kernel run }.

(** A mechanism without randomness of its own. *)
Definition noiseless (O : finType) (f : database -> O) : mechanism O.
Proof. by exists (fun D => sure R (f D)) => D; exact: sure_law. Defined.

(** The probability of an event of the database and the knowledge. *)
Definition chance (w : world) (A : pred (database * B)) : R := \sum_(x | A x) w x.

(** The probability that [A] happens and that the output is [t]. *)
Definition chance_out O (w : world) (M : database -> O -> R) (A : pred (database * B)) (t : O) : R :=
  \sum_(x | A x) w x * M x.1 t.

(** The law of the output, given [A]. *)
Definition out O (w : world) (M : database -> O -> R) (A : pred (database * B)) : O -> R :=
  fun t => chance_out w M A t / chance w A.

(** The events "the record of the target [i] is [a]", "the knowledge is [k]", and both. *)
Definition record_is i a : pred (database * B) := fun x => tnth x.1 i == a.
Definition knows k : pred (database * B) := fun x => x.2 == k.
Definition both i a k : pred (database * B) := fun x => (tnth x.1 i == a) && (x.2 == k).

(** [k] is compatible with [D(i) = a]. *)
Definition compatible (w : world) i a k := chance w (both i a k) != 0.

(** The mechanism on the database whose record [i] is replaced by [b]. *)
Definition replaced O (M : database -> O -> R) (i : 'I_n) (b : T) : database -> O -> R :=
  fun D => M (put D i b).

(** What the output [t] says about the record of [i], given the knowledge [k]. *)
Definition posterior O (w : world) (M : database -> O -> R) i k (t : O) : T -> R :=
  fun a => chance_out w M (both i a k) t / chance_out w M (knows k) t.

(** ** The definitions of sections 1 and 2, each for one world and one target *)

(** Definition 2, differential privacy. *)
Definition DP O (E d : R) (M : mechanism O) :=
  forall D i b, indist E d (M D) (M (put D i b)).

(** Definition 3, noiseless privacy. *)
Definition NP_at O (w : world) i (E d : R) (M : mechanism O) := forall a b k,
  compatible w i a k -> compatible w i b k ->
  indist E d (out w M (both i a k)) (out w M (both i b k)).

(** Definition 4, distributional privacy. The simulator [Sim i] sees the
    other records only: a change of record [i] does not change its law. *)
Definition blind O (Sim : 'I_n -> mechanism O) :=
  forall i D b t, Sim i (put D i b) t = Sim i D t.
Definition DDP_at O (w : world) i (E d : R) (M : mechanism O) (Sim : 'I_n -> mechanism O) := forall a k,
  compatible w i a k -> indist E d (out w M (both i a k)) (out w (Sim i) (both i a k)).

(** Definition 5, causal privacy. *)
Definition CDP_at O (w : world) i (E d : R) (M : mechanism O) := forall a b k,
  compatible w i a k -> compatible w i b k ->
  indist E d (out w M (both i a k)) (out w (replaced M i b) (both i a k)).

(** Definition 6, inference-based causal privacy. *)
Definition IBCDP_at O (w : world) i (E d : R) (M : mechanism O) := forall b t k,
  chance_out w M (knows k) t != 0 -> chance_out w (replaced M i b) (knows k) t != 0 ->
  indist E d (posterior w M i k t) (posterior w (replaced M i b) i k t).

(** A family says which worlds there are, and which records are the targets in each: [Th w i]. A record
    that the attacker knows need not be one of them: it can have one value only, given what she knows. *)
Definition family := world -> 'I_n -> Prop.
(** The family of some worlds, with all records as targets, as the definitions are printed. *)
Definition every (worlds : world -> Prop) : family := fun w _ => worlds w.
(** The family of one world, with all records as targets. *)
Definition only (w : world) : family := every (fun w' => w' = w).

(** The definitions for a family: for each of its worlds, and for each target there. *)
Definition NP O (Th : family) (E d : R) (M : mechanism O) := forall w i, Th w i -> NP_at w i E d M.
Definition DDP O (Th : family) (E d : R) (M : mechanism O) := exists2 Sim, blind Sim &
  forall w i, Th w i -> DDP_at w i E d M Sim.
Definition CDP O (Th : family) (E d : R) (M : mechanism O) := forall w i, Th w i -> CDP_at w i E d M.
Definition IBCDP O (Th : family) (E d : R) (M : mechanism O) := forall w i, Th w i -> IBCDP_at w i E d M.

(** ** The definitions of section 3 *)

(** The expectation of Lemma 1 and of Definitions 12 and 13. With the privacy
    loss L(t) of the output t, the logarithm of P t over Q t, it is that of
    max(0, 1 - e^(epsilon - L)), with t drawn from P. Where P t is 0, the term
    counts for nothing; where Q t is 0 and P t is not, the loss is infinite
    and the term is P t. *)
Definition loss_above (O : finType) (E : R) (P Q : O -> R) : R :=
  \sum_t P t * Num.max 0 (1 - E * (Q t / P t)).

(** Definition 12, active partial knowledge. *)
Definition APK_at O (w : world) i (E d : R) (M : mechanism O) := forall a b k,
  compatible w i a k -> compatible w i b k ->
  loss_above E (out w M (both i a k)) (out w M (both i b k)) <= d.
Definition APK O (Th : family) (E d : R) (M : mechanism O) := forall w i, Th w i -> APK_at w i E d M.

(** Definition 13, passive partial knowledge: the knowledge is drawn as well,
    together with the output, given that the record of [i] is [a]. *)
Definition passive_loss O (w : world) (M : database -> O -> R) i a b (E : R) : R :=
  \sum_k \sum_t chance_out w M (both i a k) t / chance w (record_is i a)
     * Num.max 0 (1 - E * (out w M (both i b k) t / out w M (both i a k) t)).
Definition PPK_at O (w : world) i (E d : R) (M : mechanism O) := forall a b,
  chance w (record_is i a) != 0 -> chance w (record_is i b) != 0 -> passive_loss w M i a b E <= d.
Definition PPK O (Th : family) (E d : R) (M : mechanism O) := forall w i, Th w i -> PPK_at w i E d M.

(** The probability of the knowledge [k], given that the record of [i] is [a]. *)
Definition knowledge_given (w : world) i a : B -> R := fun k => chance w (both i a k) / chance w (record_is i a).

(** What section 3 assumes throughout: whatever the target's record can be, it
    can be with everything that can be known. *)
Definition all_compatible (w : world) i := forall a k,
  chance w (record_is i a) != 0 -> chance w (knows k) != 0 -> compatible w i a k.

(** Definition 14, reducibility at a target. *)
Definition reducible_at O (w : world) i (M : mechanism O) := forall k1 k2,
  chance w (knows k1) != 0 -> chance w (knows k2) != 0 ->
  exists phi : O -> O, bijective phi /\
    forall a, compatible w i a k1 -> compatible w i a k2 ->
    forall t, out w M (both i a k1) t = out w M (both i a k2) (phi t).

(** ** Normalizations *)

(** Definition 7. The parameters are [phi0], and phi_1 to phi_m together as a
    function: independent, with the laws [mu0] and [mu j]. A function [make]
    of them, injective where they are possible, has the law of the world. *)
Section Normalizations.
Variables (V0 V : finType) (m : nat) (mu0 : V0 -> R) (mu : 'I_m -> V -> R).
Notation parameters := (V0 * {ffun 'I_m -> V})%type.

Definition parameters_law : parameters -> R := fun v => mu0 v.1 * \prod_j mu j (v.2 j).
Definition possible (v : parameters) := parameters_law v != 0.

Definition normalizes (w : world) (make : parameters -> database * B) :=
  [/\ law mu0, forall j, law (mu j), {in possible &, injective make}
    & w =1 push make parameters_law].

(** Definition 8: [phi0] determines the record of the target, and the
    knowledge is in one-to-one correspondence with the parameters in [I]. *)
Definition determines_record (i : 'I_n) (make : parameters -> database * B) :=
  exists f : V0 -> T, forall v, possible v -> tnth (make v).1 i = f v.1.
Definition knowledge_is (I : {set 'I_m}) (make : parameters -> database * B) :=
  forall v v', possible v -> possible v' ->
    ((make v).2 = (make v').2 <-> {in I, v.2 =1 v'.2}).
End Normalizations.

Definition acceptable_at (w : world) (i : 'I_n) :=
  exists (V0 V : finType) (m : nat) (mu0 : V0 -> R) (mu : 'I_m -> V -> R)
         (make : V0 * {ffun 'I_m -> V} -> database * B) (I : {set 'I_m}),
  [/\ normalizes mu0 mu w make, determines_record mu0 mu i make & knowledge_is mu0 mu I make].
Definition acceptable (Th : family) := forall w i, Th w i -> acceptable_at w i.

End Worlds.

(** Definition 9, at a target: the same law of the database, and a common
    acceptable normalization in which the parameters that the second attacker
    knows are among those that the first one knows. *)
Section MoreKnowledge.
Variables (R : realFieldType) (n : nat) (T B1 B2 : finType).
Definition common_normalization (w1 : world R n T B1) (w2 : world R n T B2) (i : 'I_n) :=
  exists (V0 V : finType) (m : nat) (mu0 : V0 -> R) (mu : 'I_m -> V -> R)
         (make1 : V0 * {ffun 'I_m -> V} -> n.-tuple T * B1)
         (make2 : V0 * {ffun 'I_m -> V} -> n.-tuple T * B2) (I1 I2 : {set 'I_m}),
  [/\ normalizes mu0 mu w1 make1, determines_record mu0 mu i make1 & knowledge_is mu0 mu I1 make1] /\
  [/\ normalizes mu0 mu w2 make2, determines_record mu0 mu i make2 & knowledge_is mu0 mu I2 make2] /\
  (forall v, possible mu0 mu v -> (make1 v).1 = (make2 v).1) /\ I2 \subset I1.
Definition more_knowledge_at (w1 : world R n T B1) (w2 : world R n T B2) i :=
  (forall D, chance w1 (fun x => x.1 == D) = chance w2 (fun x => x.1 == D)) /\
  common_normalization w1 w2 i.
(** Definition 9, for families: whatever is a target in a world of the second is one in a world of the first, in which
    more is known. *)
Definition families_more_knowledge (Th1 : family R n T B1) (Th2 : family R n T B2) :=
  forall w2 i, Th2 w2 i -> exists2 w1, Th1 w1 i & more_knowledge_at w1 w2 i.
End MoreKnowledge.

Arguments World {R n T B}.
Arguments Mechanism {R n T O}.
Arguments noiseless R {n T O}.

(** ** First facts *)

Section Facts.
Variables (R : realFieldType) (n : nat) (T B O : finType).
Notation database := (n.-tuple T).
Implicit Types (w : world R n T B) (M : mechanism R n T O) (K : database -> O -> R)
  (A : pred (database * B)) (i : 'I_n).

Lemma weight_ge0 w x : 0 <= w x. Proof. exact: law_ge0 (weight_law w). Qed.
Lemma run_ge0 M D t : 0 <= M D t. Proof. exact: law_ge0 (run_kernel M D). Qed.
Lemma run_sum M D : \sum_t M D t = 1. Proof. exact: law_sum (run_kernel M D). Qed.

Lemma chance_ge0 w A : 0 <= chance w A.
Proof. by apply: sumr_ge0 => x _; exact: weight_ge0. Qed.

Lemma chance_gt0 w A : (0 < chance w A) = (chance w A != 0).
Proof. by rewrite lt_neqAle chance_ge0 andbT eq_sym. Qed.

Lemma eq_chance w A A' : A =1 A' -> chance w A = chance w A'.
Proof. by move=> eA; apply: eq_bigl. Qed.

Lemma eq_chance_out w K K' A A' t : (forall D, K D t = K' D t) -> A =1 A' ->
  chance_out w K A t = chance_out w K' A' t.
Proof. by move=> eK eA; apply: eq_big => // x _; rewrite eK. Qed.

Lemma sub_chance w A A' : (forall x, A x -> A' x) -> chance w A <= chance w A'.
Proof.
move=> sA; rewrite /chance [X in _ <= X](bigID A) /=.
rewrite [X in _ <= X + _](eq_bigl A) ?ler_addl ?sumr_ge0 // => x; rewrite ?weight_ge0 //.
by case Ax: (A x); rewrite ?andbT ?andbF // sA.
Qed.

Lemma compatible_knows w i a k : compatible w i a k -> chance w (knows k) != 0.
Proof.
by rewrite /compatible -!chance_gt0 => /lt_le_trans; apply; apply: sub_chance => x /andP[].
Qed.

Lemma compatible_record w i a k : compatible w i a k -> chance w (record_is i a) != 0.
Proof.
by rewrite /compatible -!chance_gt0 => /lt_le_trans; apply; apply: sub_chance => x /andP[].
Qed.

Section Kernel.
Variables (K : database -> O -> R) (kK : kernel K).

Lemma chance_out_ge0 w A t : 0 <= chance_out w K A t.
Proof. by apply: sumr_ge0 => x _; rewrite mulr_ge0 ?weight_ge0 ?(law_ge0 _ (kK _)). Qed.

Lemma chance_out_sum w A : \sum_t chance_out w K A t = chance w A.
Proof.
rewrite exchange_big /=; apply: eq_bigr => x _.
by rewrite -mulr_sumr (law_sum (kK _)) mulr1.
Qed.

Lemma chance_out_le w A t : chance_out w K A t <= chance w A.
Proof.
rewrite -chance_out_sum (bigD1 t) //= ler_addl sumr_ge0 // => u _; exact: chance_out_ge0.
Qed.

(** Given an event of positive probability, the output has a law. *)
Lemma out_law w A : chance w A != 0 -> law (out w K A).
Proof.
move=> A0; split=> [t|]; first by rewrite divr_ge0 ?chance_out_ge0 ?chance_ge0.
by rewrite -mulr_suml chance_out_sum divff.
Qed.

Lemma out_ge0 w A t : 0 <= out w K A t.
Proof. by rewrite divr_ge0 ?chance_out_ge0 ?chance_ge0. Qed.
End Kernel.

(** Sums over databases with a given record, at one value of the knowledge. *)
Lemma chance_out_both w K i a k t :
  chance_out w K (both i a k) t = \sum_(D : database | tnth D i == a) w (D, k) * K D t.
Proof.
rewrite /chance_out /both (eq_bigr (fun x => w (x.1, x.2) * K x.1 t)) => [|[] //].
rewrite -(pair_big (fun D : database => tnth D i == a) (pred1 k) (fun D k => w (D, k) * K D t)) /=.
by apply: eq_bigr => D _; rewrite big_pred1_eq.
Qed.

Lemma chance_both w i a k : chance w (both i a k) = \sum_(D : database | tnth D i == a) w (D, k).
Proof.
rewrite /chance /both (eq_bigr (fun x => w (x.1, x.2))) => [|[] //].
rewrite -(pair_big (fun D : database => tnth D i == a) (pred1 k) (fun D k => w (D, k))) /=.
by apply: eq_bigr => D _; rewrite big_pred1_eq.
Qed.

Lemma chance_knows w k : chance w (knows k) = \sum_D w (D, k).
Proof.
rewrite /chance /knows (eq_bigr (fun x => w (x.1, x.2))) => [|[] //].
rewrite (eq_bigl (fun x : database * B => xpredT x.1 && (pred1 k) x.2)) //.
rewrite -(pair_big xpredT (pred1 k) (fun D k => w (D, k))) /=.
by apply: eq_bigr => D _; rewrite big_pred1_eq.
Qed.

(** To split by the value of the record, or by the knowledge. *)
Lemma sum_record_chance w i k : \sum_a chance w (both i a k) = chance w (knows k).
Proof.
rewrite chance_knows [RHS](partition_big (fun D : database => tnth D i) predT) //=.
by apply: eq_bigr => a _; rewrite chance_both.
Qed.

Lemma sum_record_chance_out w K i k t :
  \sum_a chance_out w K (both i a k) t = chance_out w K (knows k) t.
Proof.
rewrite /chance_out [RHS](partition_big (fun x : database * B => tnth x.1 i) predT) //=.
by apply: eq_bigr => a _; apply: eq_bigl => x; rewrite andbC.
Qed.

Lemma sum_knowledge_chance w i a : \sum_k chance w (both i a k) = chance w (record_is i a).
Proof.
by rewrite /chance [RHS](partition_big (fun x : database * B => x.2) predT).
Qed.

(** What has no probability adds nothing. *)
Lemma chance_out0 w K A t : kernel K -> chance w A = 0 -> chance_out w K A t = 0.
Proof.
by move=> kK A0; apply/eqP; rewrite eq_le chance_out_ge0 // andbT -A0 chance_out_le.
Qed.

Lemma chance_outE w K A t : kernel K -> chance_out w K A t = chance w A * out w K A t.
Proof.
move=> kK; rewrite /out; case: (chance w A =P 0) => [A0|/eqP A0]; last by rewrite mulrC divfK.
by rewrite A0 mul0r chance_out0.
Qed.

(** The law of the world, given an event; the output's law is a mixture over it. *)
Definition given w A : database * B -> R := fun x => if A x then w x / chance w A else 0.

Lemma given_law w A : chance w A != 0 -> law (given w A).
Proof.
move=> A0; split=> [x|].
  by rewrite /given; case: ifP => _ //; rewrite divr_ge0 ?weight_ge0 ?chance_ge0.
by rewrite /given -big_mkcond /= -mulr_suml divff.
Qed.

Lemma out_after w K A : out w K A =1 after (fun x => K x.1) (given w A).
Proof.
move=> t; rewrite /out /after /chance_out mulr_suml big_mkcond /=; apply: eq_bigr => x _.
by rewrite /given; case: ifP; rewrite ?mul0r // mulrAC.
Qed.

Lemma replaced_kernel M i b : kernel (replaced M i b).
Proof. by move=> D; exact: run_kernel. Qed.

(** Once the record is [b], to replace it by [b] changes nothing. *)
Lemma chance_out_same w M i b k t :
  chance_out w (replaced M i b) (both i b k) t = chance_out w M (both i b k) t.
Proof. by apply: eq_bigr => x /andP[/eqP xb _]; rewrite /replaced -xb put_id. Qed.

(** The definitions of section 2 and 3 agree: the expectation of Lemma 1 is the
    hockey-stick divergence. *)
Lemma loss_above_hs (E : R) (P Q : O -> R) : (forall t, 0 <= P t) -> (forall t, 0 <= Q t) -> 0 <= E ->
  loss_above E P Q = hs E P Q.
Proof.
move=> P0 Q0 E0; apply: eq_bigr => t _; case: (P t =P 0) => [->|/eqP Pt].
  by rewrite mul0r sub0r; apply/esym/max_idPl; rewrite oppr_le0 mulr_ge0.
by rewrite -max0_mul // mulrBr mulr1 mulrCA [Q t / _]mulrC mulVKf.
Qed.

End Facts.
