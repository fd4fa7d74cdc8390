(** * Worlds that are given as lists, and how to compute with them

    A small world is a list of databases with what is known in each, and with
    whole numbers for weights. All probabilities of it are quotients of sums of
    these numbers, over any ordered field, so that to compare two of them is to
    compare whole numbers, which Coq can compute. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra.
From pkdp Require Import divergence worlds.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Sums of weights *)

Section Tally.
Variables (X : eqType).
Implicit Types (s : seq (nat * X)) (A : pred X) (c : X -> nat).

(** The sum over the entries of the list that are in [A] of weight times [c]. *)
Fixpoint tally A c s : nat :=
  if s is x :: s' then ((if A x.2 then x.1 * c x.2 else 0) + tally A c s')%N else 0%N.
(** The same for [c = 1]. *)
Definition total A s := tally A (fun _ => 1%N) s.

Lemma tally_split (Y : finType) s (A : pred X) (c : X -> Y -> nat) :
  (\sum_y tally A (c^~ y) s = tally A (fun x => \sum_y c x y) s)%N.
Proof.
elim: s => [|x s IH] /=; first by rewrite big1.
by rewrite big_split /= IH; case: (A x.2); [rewrite big_distrr | rewrite big1].
Qed.

Lemma eq_tally A A' c c' s : A =1 A' -> c =1 c' -> tally A c s = tally A' c' s.
Proof. by move=> eA ec; elim: s => //= x s ->; rewrite eA ec. Qed.

Lemma tally_mulr A c k s : tally A (fun x => c x * k)%N s = (tally A c s * k)%N.
Proof. by elim: s => //= x s ->; case: (A x.2); rewrite mulnDl ?mulnA. Qed.

End Tally.

Lemma sum_tally (X : finType) (A : pred X) (c : X -> nat) s :
  (\sum_(x | A x) total (pred1 x) s * c x = tally A c s)%N.
Proof.
elim: s => [|y s IH] /=; first by rewrite big1.
rewrite -IH; case: ifP => Ay.
  rewrite (bigD1 y.2) //= [in RHS](bigD1 y.2) //= /total /= eqxx muln1 mulnDl addnA; congr addn.
  by apply: eq_bigr => x /andP[_ /negPf]; rewrite eq_sym => ->.
rewrite add0n; apply: eq_bigr => x Ax; rewrite /total /=; case: eqP => // e.
by rewrite -e in Ax; rewrite Ax in Ay.
Qed.

(** ** Listed worlds *)

Section Listed.
Variables (R : realFieldType) (n : nat) (T B : finType).
Notation database := (n.-tuple T).
Variables (s : seq (nat * (database * B))) (s0 : total xpredT s != 0%N).

Local Notation size_R := ((total xpredT s)%:R : R).

Lemma size_R_neq0 : size_R != 0. Proof. by rewrite pnatr_eq0. Qed.

Lemma listed_law : law (fun x => (total (pred1 x) s)%:R / size_R).
Proof.
split=> [x|]; first by rewrite divr_ge0 ?ler0n.
rewrite -mulr_suml -natr_sum -[RHS](divff size_R_neq0); congr (_%:R / _).
by rewrite /total -(sum_tally xpredT) /=; apply: eq_bigr => x _; rewrite muln1.
Qed.

(** The world in which each entry of the list has its share of the weights. *)
Definition listed : world R n T B := World _ listed_law.

Lemma sum_listed A (f : database * B -> nat) :
  \sum_(x | A x) listed x * (f x)%:R = (tally A f s)%:R / size_R :> R.
Proof.
rewrite -(sum_tally A f) natr_sum mulr_suml; apply: eq_bigr => x _ /=.
by rewrite natrM mulrAC.
Qed.

Lemma chance_listed A : chance listed A = (total A s)%:R / size_R.
Proof. by rewrite /total -sum_listed; apply: eq_bigr => x _; rewrite mulr1. Qed.

Lemma chance_listed_neq0 A : (chance listed A != 0) = (total A s != 0%N).
Proof. by rewrite chance_listed mulf_eq0 invr_eq0 !pnatr_eq0 (negPf s0) orbF. Qed.

(** Mechanisms whose probabilities are whole numbers divided by [q]. *)
Section Weighted.
Variables (O : finType) (q : nat) (q0 : q != 0%N) (c : database -> O -> nat).
Hypothesis sum_c : forall D, (\sum_t c D t = q)%N.
Definition weighted : mechanism R n T O.
Proof.
exists (fun D t => (c D t)%:R / q%:R) => D; split=> [t|]; first by rewrite divr_ge0 ?ler0n.
by rewrite -mulr_suml -natr_sum sum_c divff ?pnatr_eq0.
Defined.
End Weighted.

Section Out.
Variables (O : finType) (q : nat) (K : database -> O -> R) (c : database -> O -> nat).
Hypotheses (q0 : q != 0%N) (Kc : forall D t, K D t = (c D t)%:R / q%:R).

Lemma chance_out_listed A t :
  chance_out listed K A t = (tally A (fun x => c x.1 t) s)%:R / (total xpredT s * q)%:R.
Proof.
rewrite natrM invfM mulrA -sum_listed mulr_suml; apply: eq_bigr => x _.
by rewrite Kc mulrA.
Qed.

Lemma chance_out_listed_neq0 A t :
  (chance_out listed K A t != 0) = (tally A (fun x => c x.1 t) s != 0%N).
Proof. by rewrite chance_out_listed mulf_eq0 invr_eq0 !pnatr_eq0 muln_eq0 (negPf s0) (negPf q0) !orbF. Qed.

Lemma out_listed A t :
  out listed K A t = (tally A (fun x => c x.1 t) s)%:R / (total A s * q)%:R.
Proof.
rewrite /out chance_out_listed chance_listed !natrM !invfM invrK -!mulrA; congr (_ * _).
by rewrite mulrC -!mulrA divff ?size_R_neq0 // mulr1 mulrC.
Qed.
End Out.

End Listed.
Arguments weighted R {n T O q} q0 {c}.

(** ** The same for mechanisms without randomness of their own *)

Section Noiseless.
Variables (R : realFieldType) (n : nat) (T B O : finType).
Notation database := (n.-tuple T).
Variables (s : seq (nat * (database * B))) (s0 : total xpredT s != 0%N).
Variable (f : database -> O).
Local Notation w := (listed R s0).

Lemma out_noiseless A t :
  out w (noiseless R f) A t = (tally A (fun x => t == f x.1) s)%:R / (total A s)%:R.
Proof.
by rewrite (@out_listed R n T B s s0 O 1 _ (fun D t => t == f D)) ?muln1 // => D u; rewrite divr1.
Qed.

Lemma out_noiseless_replaced i b A t : out w (replaced (noiseless R f) i b) A t =
  (tally A (fun x => t == f (put x.1 i b)) s)%:R / (total A s)%:R.
Proof.
by rewrite (@out_listed R n T B s s0 O 1 _ (fun D t => t == f (put D i b))) ?muln1 // => D u; rewrite divr1.
Qed.

Lemma chance_out_noiseless A t :
  chance_out w (noiseless R f) A t = (tally A (fun x => t == f x.1) s)%:R / (total xpredT s)%:R.
Proof.
by rewrite (@chance_out_listed R n T B s s0 O 1 _ (fun D t => t == f D)) ?muln1 // => D u; rewrite divr1.
Qed.

Lemma chance_out_noiseless_replaced i b A t : chance_out w (replaced (noiseless R f) i b) A t =
  (tally A (fun x => t == f (put x.1 i b)) s)%:R / (total xpredT s)%:R.
Proof.
rewrite (@chance_out_listed R n T B s s0 O 1 _ (fun D t => t == f (put D i b))) ?muln1 // => D u.
by rewrite divr1.
Qed.

Lemma chance_out_noiseless_neq0 A t :
  (chance_out w (noiseless R f) A t != 0) = (tally A (fun x => t == f x.1) s != 0%N).
Proof. by rewrite chance_out_noiseless mulf_eq0 invr_eq0 !pnatr_eq0 (negPf s0) orbF. Qed.

Lemma chance_out_noiseless_replaced_neq0 i b A t :
  (chance_out w (replaced (noiseless R f) i b) A t != 0) = (tally A (fun x => t == f (put x.1 i b)) s != 0%N).
Proof. by rewrite chance_out_noiseless_replaced mulf_eq0 invr_eq0 !pnatr_eq0 (negPf s0) orbF. Qed.

(** Posteriors. *)
Lemma posterior_noiseless i k t a : posterior w (noiseless R f) i k t a =
  (tally (both i a k) (fun x => t == f x.1) s)%:R / (tally (knows k) (fun x => t == f x.1) s)%:R.
Proof.
rewrite /posterior !chance_out_noiseless invfM invrK -mulrA; congr (_ * _).
by rewrite mulrCA mulVf ?pnatr_eq0 // mulr1.
Qed.

Lemma posterior_noiseless_replaced i b k t a : posterior w (replaced (noiseless R f) i b) i k t a =
  (tally (both i a k) (fun x => t == f (put x.1 i b)) s)%:R /
  (tally (knows k) (fun x => t == f (put x.1 i b)) s)%:R.
Proof.
rewrite /posterior !chance_out_noiseless_replaced invfM invrK -mulrA; congr (_ * _).
by rewrite mulrCA mulVf ?pnatr_eq0 // mulr1.
Qed.
End Noiseless.

(** ** Quotients of whole numbers *)

Section Quotients.
Variable (R : realFieldType).

Lemma eq_quotient (a b c d : nat) : b != 0%N -> d != 0%N -> (a * d == c * b)%N -> a%:R / b%:R = c%:R / d%:R :> R.
Proof.
move=> b0 d0 /eqP e; apply/eqP; rewrite eqr_div ?pnatr_eq0 //.
by rewrite -!natrM e.
Qed.

Lemma le_quotient (a b c d p q : nat) : b != 0%N -> d != 0%N -> q != 0%N ->
  (a * (q * d) <= p * c * b)%N -> a%:R / b%:R <= p%:R / q%:R * (c%:R / d%:R) :> R.
Proof.
move=> b0 d0 q0 le; rewrite mulf_div ler_pdivr_mulr ?ltr0n ?lt0n // mulrAC.
by rewrite ler_pdivl_mulr -?natrM ?ler_nat ?ltr0n ?muln_gt0 ?lt0n ?q0 ?d0.
Qed.

Lemma lt_quotient (a b c d p q : nat) : b != 0%N -> d != 0%N -> q != 0%N ->
  (p * c * b < a * (q * d))%N -> p%:R / q%:R * (c%:R / d%:R) < a%:R / b%:R :> R.
Proof.
move=> b0 d0 q0 lt; rewrite mulf_div ltr_pdivl_mulr ?ltr0n ?lt0n // mulrAC.
by rewrite ltr_pdivr_mulr -?natrM ?ltr_nat ?ltr0n ?muln_gt0 ?lt0n ?q0 ?d0.
Qed.

Lemma quotient1 (a : nat) : a != 0%N -> a%:R / a%:R = 1 :> R.
Proof. by move=> a0; rewrite divff ?pnatr_eq0. Qed.
End Quotients.

(** ** Indistinguishability, shown and refuted *)

Section Indist.
Variables (R : realFieldType) (O : finType).
Implicit Types (P Q : O -> R) (E d : R).

(** Equal laws cannot be told apart. *)
Lemma indist_same E d P Q : 1 <= E -> 0 <= d -> (forall t, 0 <= P t) -> P =1 Q -> indist E d P Q.
Proof.
move=> E1 d0 P0 PQ; apply/indist_hs; split.
  by rewrite (eq_hs E (Q' := P) (frefl P)) ?hs_refl // => x; rewrite PQ.
by rewrite (eq_hs E (P' := P) (Q' := P)) ?hs_refl // => x; rewrite PQ.
Qed.

(** An output that is sure on one side and impossible on the other tells everything. *)
Lemma sure_told E d P Q t : d < 1 -> P t = 1 -> Q t = 0 -> ~ indist E d P Q.
Proof.
move=> d1 Pt Qt /(_ [set t])[]; rewrite /prob !big_set1 Pt Qt mulr0 add0r => le _.
by rewrite leNgt d1 in le.
Qed.

(** The same with an output that has some probability on one side and none on the other. *)
Lemma partly_told E d P Q t : d < P t -> Q t = 0 -> ~ indist E d P Q.
Proof.
move=> dP Qt /(_ [set t])[]; rewrite /prob !big_set1 Qt mulr0 add0r => le _.
by rewrite leNgt dP in le.
Qed.

(** With d = 0 it is enough to compare outputs one by one. *)
Lemma indist_pointwise E P Q : (forall t, P t <= E * Q t) -> (forall t, Q t <= E * P t) -> indist E 0 P Q.
Proof. by move=> PQ QP A; rewrite /prob !addr0 !mulr_sumr; split; apply: ler_sum. Qed.

Lemma indist_at E P Q t : indist E 0 P Q -> P t <= E * Q t /\ Q t <= E * P t.
Proof. by move=> /(_ [set t]); rewrite /prob !big_set1 !addr0. Qed.
End Indist.

(** ** Perfect privacy of listed worlds, by whole numbers *)

Section Perfect.
Variables (R : realFieldType) (n : nat) (T B O : finType).
Notation database := (n.-tuple T).
Variables (s : seq (nat * (database * B))) (s0 : total xpredT s != 0%N) (f : database -> O).
Local Notation w := (listed R s0).
Variables (i : 'I_n) (E d : R) (E1 : 1 <= E) (d0 : 0 <= d).

Lemma NP_perfect :
  (forall a b k t, total (both i a k) s != 0%N -> total (both i b k) s != 0%N ->
     (tally (both i a k) (fun x => t == f x.1) s * total (both i b k) s ==
      tally (both i b k) (fun x => t == f x.1) s * total (both i a k) s)%N) ->
  NP_at w i E d (noiseless R f).
Proof.
move=> eq_s a b k; rewrite /compatible !chance_listed_neq0 => a0 b0.
apply: indist_same => // [t|t]; first by apply: out_ge0; exact: run_kernel.
by rewrite !out_noiseless; apply: eq_quotient => //; exact: eq_s.
Qed.

Lemma CDP_perfect :
  (forall a b k t, total (both i a k) s != 0%N -> total (both i b k) s != 0%N ->
     tally (both i a k) (fun x => t == f x.1) s == tally (both i a k) (fun x => t == f (put x.1 i b)) s) ->
  CDP_at w i E d (noiseless R f).
Proof.
move=> eq_s a b k; rewrite /compatible !chance_listed_neq0 => a0 b0.
apply: indist_same => // [t|t]; first by apply: out_ge0; exact: run_kernel.
by rewrite out_noiseless out_noiseless_replaced (eqP (eq_s a b k t a0 b0)).
Qed.

Lemma IBCDP_perfect :
  (forall a b k t, tally (knows k) (fun x => t == f x.1) s != 0%N ->
     tally (knows k) (fun x => t == f (put x.1 i b)) s != 0%N ->
     (tally (both i a k) (fun x => t == f x.1) s * tally (knows k) (fun x => t == f (put x.1 i b)) s ==
      tally (both i a k) (fun x => t == f (put x.1 i b)) s * tally (knows k) (fun x => t == f x.1) s)%N) ->
  IBCDP_at w i E d (noiseless R f).
Proof.
move=> eq_s b t k; rewrite chance_out_noiseless_neq0 chance_out_noiseless_replaced_neq0 => t0 tb0.
apply: indist_same => // [a|a]; rewrite posterior_noiseless; first by rewrite divr_ge0 ?ler0n.
by rewrite posterior_noiseless_replaced; apply: eq_quotient => //; exact: eq_s.
Qed.

(** Nothing is hidden if some output is sure for [a] and impossible for [b]. *)
Lemma NP_revealed a b k t : d < 1 ->
  total (both i a k) s != 0%N -> total (both i b k) s != 0%N ->
  tally (both i a k) (fun x => t == f x.1) s == total (both i a k) s ->
  tally (both i b k) (fun x => t == f x.1) s == 0%N ->
  ~ NP_at w i E d (noiseless R f).
Proof.
move=> d1 a0 b0 /eqP ta /eqP tb np.
have := np a b k; rewrite /compatible !chance_listed_neq0 => /(_ a0 b0).
by apply: (@sure_told _ _ _ _ _ _ t) => //; rewrite out_noiseless ?ta ?tb ?mul0r ?quotient1.
Qed.

Lemma CDP_revealed a b k t : d < 1 ->
  total (both i a k) s != 0%N -> total (both i b k) s != 0%N ->
  tally (both i a k) (fun x => t == f x.1) s == total (both i a k) s ->
  tally (both i a k) (fun x => t == f (put x.1 i b)) s == 0%N ->
  ~ CDP_at w i E d (noiseless R f).
Proof.
move=> d1 a0 b0 /eqP ta /eqP tb np.
have := np a b k; rewrite /compatible !chance_listed_neq0 => /(_ a0 b0).
apply: (@sure_told _ _ _ _ _ _ t) => //; first by rewrite out_noiseless ta quotient1.
by rewrite out_noiseless_replaced tb mul0r.
Qed.

Lemma IBCDP_revealed a b k t : d < 1 ->
  tally (knows k) (fun x => t == f x.1) s != 0%N ->
  tally (knows k) (fun x => t == f (put x.1 i b)) s != 0%N ->
  tally (both i a k) (fun x => t == f x.1) s == 0%N ->
  tally (both i a k) (fun x => t == f (put x.1 i b)) s == tally (knows k) (fun x => t == f (put x.1 i b)) s ->
  ~ IBCDP_at w i E d (noiseless R f).
Proof.
move=> d1 t0 tb0 /eqP ta /eqP tb np.
have := np b t k; rewrite chance_out_noiseless_neq0 chance_out_noiseless_replaced_neq0 => /(_ t0 tb0).
move/indist_sym; apply: (@sure_told _ _ _ _ _ _ a) => //.
  by rewrite posterior_noiseless_replaced tb quotient1.
by rewrite posterior_noiseless ta mul0r.
Qed.
End Perfect.

(** Without knowledge every law is acceptable: the first parameter is the
    whole database, and there is no other. *)
Lemma acceptable_without_knowledge (R : realFieldType) n (T : finType) (w : world R n T unit_finType) i :
  acceptable_at w i.
Proof.
pose mu (j : 'I_0) (v : unit) : R := 0.
have pl v : parameters_law w mu v = w v.1 by rewrite /parameters_law big_ord0 mulr1.
exists [finType of n.-tuple T * unit], unit_finType, 0%N, w, mu, fst, set0; split.
- split; [exact: weight_law|by case| |].
    by move=> [x f] [y g] _ _ /= ->; congr (_, _); apply/ffunP; case.
  move=> x; rewrite /push (big_pred1 (x, [ffun _ => tt])) ?pl //.
  move=> [y g] /=; rewrite xpair_eqE; case: eqP => //= _; symmetry; apply/eqP/ffunP; by case.
- by exists (fun x => tnth x.1 i).
- by move=> [[x []] f] [[y []] g] _ _; split=> // _ [].
Qed.
