(** * Differential privacy: post-processing, mixtures, composition

    The properties of differentially private mechanisms that the thesis lists
    as Propositions 2, 3 and 5. What a database is and which databases are
    neighbours is left open: they may differ in the value of one record, or
    one of them may lack a record. E stands for e to the epsilon, so that to
    add epsilons is to multiply factors. Mechanisms toss coins of their own. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra.
From pkdp Require Import divergence worlds computing.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Mechanisms.
Variables (R : realFieldType) (database : Type) (neighbours : database -> database -> Prop).
Implicit Types (O U : finType) (E d t : R).

(** A mechanism gives every database a law of its output. *)
Record randomized O := Randomized { outcome :> database -> O -> R; outcome_law : forall D, law (outcome D) }.

(** (epsilon, delta)-differential privacy: on neighbours, the laws of the output
    are indistinguishable. *)
Definition private O E d (M : randomized O) :=
  forall D D', neighbours D D' -> indist E d (M D) (M D').

(** The mechanism that does [K], at random or not, to the output of [M]. *)
Definition processed O U (M : randomized O) (K : O -> U -> R) (kK : kernel K) : randomized U :=
  Randomized (fun D => after_law kK (outcome_law M D)).

(** The mechanism that runs [M] with probability [t] and [L] otherwise. *)
Definition one_of O t (t01 : 0 <= t <= 1) (M L : randomized O) : randomized O :=
  Randomized (fun D => mix_law t01 (outcome_law M D) (outcome_law L D)).

(** The mechanism that runs [M], and then that one of the [L o] that belongs to
    the output [o] of [M]; both outputs are shown. *)
Definition one_after_another O U (M : randomized O) (L : O -> randomized U) : randomized [finType of O * U] :=
  Randomized (fun D => joint_law (fun o => outcome_law (L o) D) (outcome_law M D)).

(** Post-processing: what is done to the output of a private mechanism, by a
    function or by a random one, leaves it as private. *)
Theorem post_processing O U (M : randomized O) (K : O -> U -> R) (kK : kernel K) E d :
  private E d M -> private E d (processed M kK).
Proof.
move=> pM D D' near; have /indist_hs[le1 le2] := pM D D' near; apply/indist_hs.
by split; [apply: le_trans le1 | apply: le_trans le2]; exact: hs_after.
Qed.

(** Convexity: to run one of two private mechanisms, chosen with fixed
    probabilities, is as private as both are. *)
Theorem convexity O t (t01 : 0 <= t <= 1) (M L : randomized O) E d :
  private E d M -> private E d L -> private E d (one_of t01 M L).
Proof.
move=> pM pL D D' near; have /indist_hs[M1 M2] := pM D D' near; have /indist_hs[L1 L2] := pL D D' near.
have mean x y : x <= d -> y <= d -> t * x + (1 - t) * y <= d.
  move=> xd yd; rewrite [X in _ <= X](_ : d = t * d + (1 - t) * d); last by rewrite -mulrDl addrC subrK mul1r.
  by case/andP: t01 => t0 t1; apply: ler_add; rewrite ler_wpmul2l ?subr_ge0.
by apply/indist_hs; split; apply: le_trans (hs_convex _ _ _ _ _ t01) _; exact: mean.
Qed.

(** Adaptive composition: if the first mechanism is (epsilon_1, delta_1)-private,
    and so is, with (epsilon_2, delta_2), each that may come second, which
    depends on the first output, then both outputs together are
    (epsilon_1 + epsilon_2, delta_1 + delta_2)-private. *)
Theorem adaptive_composition O U (M : randomized O) (L : O -> randomized U) E1 E2 d1 d2 :
  0 <= E1 -> 0 <= E2 -> 0 <= d2 ->
  private E1 d1 M -> (forall o, private E2 d2 (L o)) -> private (E1 * E2) (d1 + d2) (one_after_another M L).
Proof.
move=> E10 E20 d20 pM pL D D' near; have /indist_hs[M1 M2] := pM D D' near.
have L12 o := proj1 (indist_hs _ _ _ _) (pL o D D' near).
apply/indist_hs; split.
  apply: le_trans (ler_add M1 (lexx d2)).
  by apply: hs_compose => //; try exact: outcome_law; move=> o; [exact: outcome_law | exact: outcome_law | case: (L12 o)].
apply: le_trans (ler_add M2 (lexx d2)).
by apply: hs_compose => //; try exact: outcome_law; move=> o; [exact: outcome_law | exact: outcome_law | case: (L12 o)].
Qed.

(** Composition of two mechanisms that toss coins of their own, on the same
    database: both outputs together are (epsilon_1 + epsilon_2, delta_1 + delta_2)-private. *)
Corollary composition O U (M : randomized O) (L : randomized U) E1 E2 d1 d2 :
  0 <= E1 -> 0 <= E2 -> 0 <= d2 ->
  private E1 d1 M -> private E2 d2 L -> private (E1 * E2) (d1 + d2) (one_after_another M (fun _ => L)).
Proof. by move=> *; apply: adaptive_composition. Qed.

End Mechanisms.

(** The number of people with a property, as a mechanism without noise. *)
Definition exact_count (R : realFieldType) n : mechanism R n bool_finType [finType of 'I_n.+1] :=
  noiseless R (fun D : n.-tuple bool => inord (count id D) : 'I_n.+1).

(** An exact count is not private: where neighbours differ in the value of one
    record, it is (epsilon, delta)-differentially private for no epsilon and no
    delta below 1, however many people there are. *)
Theorem exact_count_not_private (R : realFieldType) n (E d : R) : d < 1 -> ~ DP E d (exact_count R n.+1).
Proof.
move=> d1 /(_ [tuple of nseq n.+1 false] ord0 true).
have none : count id (nseq n false) = 0%N by rewrite count_nseq.
apply: (@sure_told _ _ E d _ _ (inord 0)) => //=; rewrite /sure none ?eqxx //.
by rewrite -val_eqE /= !inordK.
Qed.
