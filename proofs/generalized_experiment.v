(** * Section IV of Hartmann, Bindschaedler and West: bits that are flipped

    The generalized composition experiment with an adversary who does not adapt,
    and a step of the printed proof of Theorem 1. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From pkdp Require Import divergence worlds computing counterexamples independent large_crowds.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Experiment.
Variable R : realFieldType.
Implicit Types (E : R).

(** The law of the view: in round j the reply has the law [K j] of the hidden bit of that round, and the replies
    are independent. *)
Definition view k (O : finType) (K : 'I_k -> bool -> O -> R) (b : k.-tuple bool) : k.-tuple O -> R :=
  product (fun j => K j (tnth b j)).

(** The vector with the bit [i] flipped. *)
Definition flip k (b : k.-tuple bool) (i : 'I_k) : k.-tuple bool := put b i (~~ tnth b i).

(** Section IV-A and Appendix B: let the mechanism of each round be epsilon-differentially private, and a set S of views be
    at least as probable for b as for c. Then each bit in which b and c agree can be flipped in b, so that the first
    probability does not fall, or in c, so that the second does not rise. [E] is e to the epsilon. *)
Definition gce_claim_bit_flipping E := forall k (O : finType) (K : 'I_k -> bool -> O -> R) (b c : k.-tuple bool) (S : {set k.-tuple O}) i,
  (forall j bit, law (K j bit)) -> (forall j, indist E 0 (K j true) (K j false)) ->
  prob (view K c) S <= prob (view K b) S -> tnth b i = tnth c i ->
  prob (view K b) S <= prob (view K (flip b i)) S \/ prob (view K (flip c i)) S <= prob (view K c) S.

(** Randomized response: the hidden bit with probability E / (1 + E), otherwise the other one. *)
Definition response E (bit reply : bool) : R := (if reply == bit then E else 1) / (1 + E).

Lemma two_rounds E (x y : bool) : 0 < E ->
  prob (view (fun _ : 'I_2 => response E) [tuple x; y]) [set v | tnth v ord0 == tnth v ord_max]
  = (if x == y then E ^+ 2 + 1 else 2%:R * E) / (1 + E) ^+ 2.
Proof.
move=> E0; have d0 : 1 + E != 0 by rewrite lt0r_neq0 // addr_gt0 ?ltr01.
have one (F : 0.-tuple bool -> R) : \sum_D F D = F [tuple].
  by rewrite (big_pred1 [tuple]) => [//|D]; rewrite [D]tuple0; apply/esym/eqP.
have viewE u v : view (fun _ : 'I_2 => response E) [tuple x; y] [tuple u; v] = response E x u * response E y v.
  by rewrite /view /product !big_ord_recl big_ord0 mulr1 !(tnth_nth false).
rewrite /prob big_mkcond sum_cons big_bool !sum_cons !big_bool !one.
rewrite (viewE true true) (viewE true false) (viewE false true) (viewE false false) !inE !(tnth_nth false) /response.
by case: x {viewE}; case: y => /=; field.
Qed.

Lemma response_law E bit : 0 < E -> law (response E bit).
Proof.
move=> E0; have d0 : 0 < 1 + E by rewrite addr_gt0 ?ltr01.
split=> [y|]; first by rewrite divr_ge0 ?(ltW d0) //; case: ifP => _; rewrite ?ler01 ?ltW.
by rewrite big_bool /response; case: bit; rewrite /= -mulrDl ?[E + 1]addrC divff // lt0r_neq0.
Qed.

Lemma response_private E : 1 < E -> indist E 0 (response E true) (response E false).
Proof.
move=> E1; have E0 : 0 < E by exact: lt_trans E1.
have EE : 1 <= E * E by rewrite mulr_ege1 // ltW.
have ok (u v : R) : u <= E * v -> u / (1 + E) <= E * (v / (1 + E)).
  by move=> le; rewrite mulrA ler_pmul2r // invr_gt0 addr_gt0 ?ltr01.
by apply: indist_pointwise => -[]; apply: ok; rewrite /= ?mulr1 ?lexx ?EE.
Qed.

(** It fails for randomized response, two rounds, b = 00 and c = 01, at every epsilon > 0: with the event of equal replies
    the bit in which they agree can be flipped in neither. *)
Theorem gce_claim_bit_flipping_fails E : 1 < E -> ~ gce_claim_bit_flipping E.
Proof.
move=> E1; have E0 : 0 < E by exact: lt_trans E1.
have less : 2%:R * E / (1 + E) ^+ 2 < (E ^+ 2 + 1) / (1 + E) ^+ 2.
  rewrite ltr_pmul2r ?invr_gt0 ?exprn_gt0 ?addr_gt0 ?ltr01 // -subr_gt0.
  have -> : E ^+ 2 + 1 - 2%:R * E = (E - 1) ^+ 2 by ring.
  by rewrite exprn_gt0 // subr_gt0.
move=> /(_ 2%N bool_finType (fun=> response E) [tuple false; false] [tuple false; true] [set v | tnth v ord0 == tnth v ord_max] ord0).
have flipped x y : flip [tuple x; y] ord0 = [tuple ~~ x; y] by apply/val_inj.
rewrite !flipped !two_rounds //= => claim.
have := claim (fun _ bit => response_law bit E0) (fun=> response_private E1) (ltW less) erefl.
by rewrite !leNgt less; case.
Qed.
End Experiment.
