(** * Counts of which some records are known

    An attacker who knows some of the records of independent people knows how
    many of them are 1. Given what she knows, the count is that of the others,
    moved up by this number. Here the bounds of section 4.1 are stated with it. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra.
From pkdp Require Import divergence counts theorem_3 blanket.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section KnownRecords.
Variables (R : realFieldType) (N : nat) (known : nat).
Implicit Types (p : 'I_N -> R) (E lam : R).

(** The law of the count of all records, where [known] of the known ones are 1:
    these, the ones among the N others, and the target's bit. *)
Definition count_with_known p (target : bool) : 'I_(N.+2 + known) -> R :=
  push (fun b => inord (ones b + target + known)) (bits p).

(** Its privacy profile at E: the larger of the two directions. *)
Definition delta_with_known E p : R :=
  Num.max (hs E (count_with_known p true) (count_with_known p false))
          (hs E (count_with_known p false) (count_with_known p true)).

Definition moved (k : 'I_N.+2) : 'I_(N.+2 + known) := inord (k + known).

Lemma moved_inj : injective moved.
Proof.
have small (k : 'I_N.+2) : (k + known < N.+2 + known)%N by rewrite ltn_add2r.
move=> j k /(congr1 val) /=; rewrite !inordK ?small //.
by move=> /eqP; rewrite eqn_add2r => /eqP/val_inj.
Qed.

Lemma count_moved p target : count_with_known p target =1 push moved (released p target).
Proof.
move=> u; rewrite /released push_comp; apply: eq_bigl => b /=.
rewrite /moved inordK //; case: target; rewrite ?addn1 ?addn0 !ltnS ?ones_le //.
exact: leqW (ones_le b).
Qed.

(** "Knowing m of n records": what is known moves the count by a known number,
    and changes nothing in either direction. *)
Theorem known_records_move p E target target' :
  hs E (count_with_known p target) (count_with_known p target')
  = hs E (released p target) (released p target').
Proof. by rewrite (eq_hs E (count_moved p _) (count_moved p _)) (hs_push_inj E _ _ moved_inj). Qed.

(** To know some of the records is to have the count of the others: the whole
    privacy profile is the same, whatever the known records are. *)
Corollary known_records p E : delta_with_known E p = delta E p.
Proof. by rewrite /delta_with_known !known_records_move. Qed.

(** Theorem 3, tight. Let lambda be at most 1/2, let all records but the
    target's and N others be known, and let each of these be independent of the
    rest and 1 with a probability between lambda and 1 - lambda. There are
    [m] and [k] such that the number P[S_m >= k] - E P[S_m >= k + 1],
    where S_m is a sum of [m] bits of probability lambda and N - m of
    probability 1 - lambda,
    - bounds the privacy profile of every such count, in both directions,
    - is that of the count at that vertex,
    - and is the maximum of this formula over all [m] and [k]. *)
Theorem tight_bound_with_known E lam : 0 <= lam -> lam <= 1 - lam -> 0 <= E ->
  let formula m k := at_least (vertex lam m : 'I_N -> R) k - E * at_least (vertex lam m : 'I_N -> R) k.+1 in
  exists m k, [/\ (m <= N)%N /\ (k <= N.+1)%N,
    forall p, (forall i, lam <= p i <= 1 - lam) -> delta_with_known E p <= formula m k,
    delta_with_known E (vertex lam m) = formula m k &
    forall m' k', (m' <= N)%N -> formula m' k' <= formula m k].
Proof.
move=> l0 l1 E0; have [m [k [mk bound attained most]]] := @tight_bound R N E lam l0 l1 E0.
by exists m, k; split=> // [p lp|]; rewrite known_records // bound.
Qed.

Lemma indist_known p E d :
  indist E d (released p true) (released p false) ->
  indist E d (count_with_known p true) (count_with_known p false).
Proof. by move=> /indist_hs ind; apply/indist_hs; rewrite !known_records_move. Qed.

(** Theorem 3, corrected. Let lambda be at most 1/2, let all records but the
    target's and N others be known, and let each of these be independent of the
    rest and 1 with a probability between lambda and 1 - lambda. Then the count
    is (E, delta)-indistinguishable for the two values of the target where
    delta is the mean of the positive part of 1 - E Y / (X + 1), and also where
    it is the probability that (X + 1) / Y is at least E; (X, Y, rest) is
    multinomial with N trials and probabilities lambda, lambda, 1 - 2 lambda. *)
Theorem blanket_bound_with_known E lam p : 0 <= lam -> lam <= 1 - lam -> 0 <= E ->
  (forall i, lam <= p i <= 1 - lam) ->
  indist E (blanket N lam E) (count_with_known p true) (count_with_known p false) /\
  indist E (blanket_tail N lam E) (count_with_known p true) (count_with_known p false).
Proof.
by move=> l0 l1 E0 lp; split; apply: indist_known; [exact: blanket_bound | exact: blanket_bound_tail].
Qed.

End KnownRecords.

(** "Each record is a randomised response": let lambda be less than 1/2 and [p]
    between lambda and 1 - lambda. Then (p - lambda) / (1 - 2 lambda) is a
    probability, and a bit is 1 with probability [p] if with probability 2 lambda
    it is a fair coin, and otherwise 1 with that probability. *)
Theorem randomised_response (R : realFieldType) (lam p : R) :
  0 <= lam -> 2%:R * lam < 1 -> lam <= p <= 1 - lam ->
  let r := (p - lam) / (1 - 2%:R * lam) in
  0 <= r <= 1 /\ p = 2%:R * lam * 2%:R^-1 + (1 - 2%:R * lam) * r.
Proof.
move=> l0 l2 /andP[lp pl] r; have d0 : 0 < 1 - 2%:R * lam by rewrite subr_gt0.
split.
  rewrite divr_ge0 ?subr_ge0 ?(ltW l2) //= ler_pdivr_mulr // mul1r.
  by rewrite mulr_natl mulr2n opprD addrA ler_add2r.
by rewrite mulrC mulKf ?pnatr_eq0 // /r mulrCA divff ?lt0r_neq0 // mulr1 addrC subrK.
Qed.
