(** * Thresholds: section 4.2

    A count is released only if it exceeds a threshold T; otherwise the output
    says that it does not. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra ring.
From pkdp Require Import divergence counts theorem_3 blanket.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Thresholds.
Variables (R : realFieldType) (N T : nat).
Implicit Types (E x : R) (p : 'I_N -> R) (d : {ffun 'I_N -> bool}).

(** Definition 15: counts up to T are suppressed; [None] is the paper's bottom. *)
Definition hide (o : 'I_N.+2) : option 'I_N.+2 := if (o <= T)%N then None else Some o.

(** The law of the thresholded count, with the target's bit among the ones. *)
Definition thresholded p (target : bool) := push hide (released p target).

(** ** A passive attacker may know everybody *)

(** The output for the others' records [d]. *)
Definition output d (target : bool) : option 'I_N.+2 := hide (inord (ones d + target)).

Lemma val_count d (target : bool) : (inord (ones d + target) : 'I_N.+2) = (ones d + target)%N :> nat.
Proof. by rewrite inordK // ltnS (leq_trans (leq_add (ones_le d) (leq_b1 _))) // addn1. Qed.

(** The output depends on the target only if T or more of the others are 1. *)
Lemma output_differs d : (output d true != output d false) = (T <= ones d)%N.
Proof.
rewrite /output /hide !val_count /= addn0 addn1; case: (leqP T (ones d)) => [le_T|lt_T].
  case: ifP => // _; apply/eqP => -[/(congr1 (@nat_of_ord _))].
  rewrite !inordK ?ltnS ?ones_le //; last by rewrite ltnW // ltnS ones_le.
  by move/eqP; rewrite eqn_leq ltnn.
by rewrite (ltnW lt_T) eqxx.
Qed.

(** "A passive attacker may know everybody" (section 4.2). The others' records have any law [P],
    dependent or not, and the target's record is independent of them. An attacker sees the
    output and what she knows of the others, any function [know] of their
    records. The laws of the two together, with the target's 1 and with its 0, are
    (1, eta)-indistinguishable, where eta is the probability that T or more of the others are 1.
    This is PPKDP at epsilon 0, as the target's record is independent of her knowledge. *)
Theorem knowing_everybody (K : finType) (know : {ffun 'I_N -> bool} -> K)
    (P : {ffun 'I_N -> bool} -> R) : law P ->
  indist 1 (prob P [set d | (T <= ones d)%N])
    (push (fun d => (output d true, know d)) P) (push (fun d => (output d false, know d)) P).
Proof.
move=> lP; pose eta := prob P [set d | (T <= ones d)%N].
have bound s t : hs 1 (push (fun d => (output d s, know d)) P)
    (push (fun d => (output d t, know d)) P) <= eta.
  apply: le_trans (hs_coupling _ _ (lexx _) lP) _.
  apply: prob_sub => [d|]; first exact: law_ge0.
  apply/subsetP => d; rewrite !inE -output_differs xpair_eqE eqxx andbT.
  by case: s; case: t; rewrite ?eqxx // eq_sym.
by apply/indist_hs.
Qed.

Lemma hs_sure (U : finType) E (x y : U) : 0 <= E -> x != y -> hs E (sure R x) (sure R y) = 1.
Proof.
move=> E0 xy; rewrite /hs (bigD1 x) //= /sure eqxx (negPf xy) mulr0 subr0.
rewrite big1 ?addr0 => [|z /negPf->]; first exact/max_idPr/ler01.
by apply/max_idPl; rewrite sub0r oppr_le0 mulr_ge0 ?ler0n.
Qed.

(** If she knows all others, that is the least delta, at every E of at least 1. *)
Theorem knowing_everybody_tight E (P : {ffun 'I_N -> bool} -> R) : 1 <= E -> law P ->
  hs E (push (fun d => (output d true, d)) P) (push (fun d => (output d false, d)) P)
  = prob P [set d | (T <= ones d)%N].
Proof.
move=> E1 [P0 _]; have E0 : 0 <= E by exact: le_trans ler01 E1.
have shown t o d : push (fun d => (output d t, d)) P (o, d) = P d * sure R (output d t) o.
  rewrite /push big_mkcond /= (bigD1 d) //= xpair_eqE eqxx andbT big1 => [|e /negPf ne].
    by rewrite addr0 /sure eq_sym; case: eqP; rewrite ?mulr1 ?mulr0.
  by rewrite xpair_eqE ne andbF.
rewrite /hs -(pair_bigA _ (fun o d => Num.max 0 (push _ P (o, d) - E * push _ P (o, d)))) /=.
rewrite exchange_big /prob [RHS]big_mkcond; apply: eq_bigr => d _ /=.
under eq_bigr do rewrite !shown mulrCA -mulrBr max0_mul //.
rewrite -mulr_sumr inE -output_differs -/(hs E _ _); case: eqP => [->|/eqP neq] /=.
  by rewrite hs_refl ?mulr0 // => o; exact: ler0n.
by rewrite hs_sure ?mulr1.
Qed.

(** ** A censored count *)

(** All hidden counts are one output, the others one each. *)
Lemma hs_hide E (P Q : 'I_N.+2 -> R) :
  hs E (push hide P) (push hide Q)
  = Num.max 0 (\sum_(o : 'I_N.+2 | (o <= T)%N) (P o - E * Q o))
    + \sum_(o : 'I_N.+2 | (T < o)%N) Num.max 0 (P o - E * Q o).
Proof.
have none (S : 'I_N.+2 -> R) : push hide S None = \sum_(o : 'I_N.+2 | (o <= T)%N) S o.
  by apply: eq_bigl => o; rewrite /hide; case: ifP.
have some (S : 'I_N.+2 -> R) o : push hide S (Some o) = if (T < o)%N then S o else 0.
  rewrite /push /hide; case: (ltnP T o) => [lt_o|le_o].
    rewrite (eq_bigl (pred1 o)) ?big_pred1_eq // => k /=.
    case: ifP => [le_k|_]; last by [].
    by apply/esym/eqP => eq_k; rewrite eq_k leqNgt lt_o in le_k.
  apply: big_pred0 => k; case: ifP => // gt_k; apply/eqP => -[] eq_k.
  by rewrite eq_k le_o in gt_k.
rewrite /hs sum_option !none mulr_sumr -sumrB; congr (_ + _).
rewrite [RHS]big_mkcond; apply: eq_bigr => o _; rewrite !some; case: ifP => // _.
by rewrite mulr0 subrr maxxx.
Qed.

(** "A censored count", first direction (section 4.2). For E of at least 1 the
    divergence of the thresholded count with the target's 1 from that with its 0 is the largest over
    j >= T of the positive part of P[S >= j] - E P[S > j], where S is the number
    of ones among the others. *)
Theorem censoring_up p E : (forall i, 0 <= p i <= 1) -> 1 <= E ->
  let D j := Num.max 0 (at_least p j - E * at_least p j.+1) in
  (forall j, (T <= j)%N -> D j <= hs E (thresholded p true) (thresholded p false)) /\
  exists2 j, (T <= j)%N & hs E (thresholded p true) (thresholded p false) = D j.
Proof.
move=> p01 E1 D; have E0 : 0 <= E by exact: le_trans ler01 E1.
have ps := codom_probabilities p01.
have tail j : at_least p j - E * at_least p j.+1
    = \sum_(o : 'I_N.+2 | (j < o)%N) (released p true o - E * released p false o).
  have := tail_above p j true; have := tail_above p j false; rewrite subn0 subn1 /= => <- <-.
  by rewrite /prob mulr_sumr -sumrB; apply: eq_bigl => o; rewrite inE.
have low : \sum_(o : 'I_N.+2 | (o <= T)%N) (released p true o - E * released p false o) <= 0.
  have := tail_below p T.+1 true; have := tail_below p T.+1 false; rewrite subn0 subn1 /= => h0 h1.
  rewrite sumrB -mulr_sumr.
  rewrite (_ : \sum_(o | _) _ = fewer p T); last by rewrite -h1; apply: eq_bigl => o; rewrite inE.
  rewrite (_ : \sum_(o | _) _ = fewer p T.+1); last by rewrite -h0; apply: eq_bigl => o; rewrite inE.
  rewrite subr_le0; apply: (@le_trans _ _ (fewer p T.+1)).
    apply: prob_sub => [b|]; first exact: law_ge0 (bits_law p01).
    by apply/subsetP => b; rewrite !inE => /leqW.
  by rewrite ler_pemull // prob_ge0 //; exact: bits_law.
rewrite /thresholded hs_hide; move/max_idPl: low => ->; rewrite add0r; split=> [j le_j|].
  rewrite le_maxl sumr_ge0 => [|o _]; last exact: max0_ge0.
  rewrite tail big_mkcond [X in _ <= X]big_mkcond /=; apply: ler_sum => o _.
  case: ifP => [lt_o|_]; last by case: ifP => // _; exact: max0_ge0.
  by rewrite (leq_ltn_trans le_j lt_o) max0_ge.
have stays (i j : 'I_N.+2) : 0 < released p true i - E * released p false i -> (i <= j)%N ->
    0 <= released p true j - E * released p false j.
  by rewrite !released1 !released0; apply: excess_up_stays (pmf_logconcave ps) E0 => k; exact: pmf_ge0.
have [|none] := pickP (fun o : 'I_N.+2 => (T < o)%N && (0 < released p true o - E * released p false o)).
  move=> o0 /andP[T_o0 pos0]; pose g (o : 'I_N.+2) := released p true o - E * released p false o.
  have good0 : (T < o0)%N && (0 < g o0) by rewrite T_o0.
  have [m /andP[T_m pos_m] min_m] := @arg_minnP _ o0 (fun o => (T < o)%N && (0 < g o)) (@nat_of_ord _) good0.
  have m_gt0 : (0 < m)%N by exact: leq_ltn_trans T_m.
  exists m.-1; first by rewrite -ltnS prednK.
  rewrite /D tail prednK // (max_idPr _); last by apply: sumr_ge0 => o; exact: stays.
  rewrite big_mkcond [RHS]big_mkcond /=; apply: eq_bigr => o _.
  case: (leqP m o) => [le_m|lt_m].
    by rewrite (leq_trans T_m le_m); apply/max_idPr; exact: stays le_m.
  case: ifP => // T_o; apply/max_idPl; rewrite leNgt; apply/negP => pos_o.
  by have := min_m o; rewrite T_o pos_o leqNgt lt_m => /(_ isT).
exists (T + N.+2)%N; first exact: leq_addr.
rewrite /D tail [X in Num.max 0 X]big_pred0 ?maxxx => [|o]; last first.
  by apply/negbTE; rewrite -leqNgt (leq_trans (ltnW (ltn_ord o))) // leq_addl.
apply: big1 => o T_o; apply/max_idPl; rewrite leNgt.
by have := none o; rewrite T_o /= => ->.
Qed.

(** "A censored count", the other direction: the largest over j >= T of the
    positive part of P[S <= j] - E P[S < j]. *)
Theorem censoring_down p E : (forall i, 0 <= p i <= 1) -> 1 <= E ->
  let D j := Num.max 0 (fewer p j.+1 - E * fewer p j) in
  (forall j, (T <= j)%N -> D j <= hs E (thresholded p false) (thresholded p true)) /\
  exists2 j, (T <= j)%N & hs E (thresholded p false) (thresholded p true) = D j.
Proof.
move=> p01 E1 D; have E0 : 0 <= E by exact: le_trans ler01 E1.
have ps := codom_probabilities p01.
have tail j : fewer p j.+1 - E * fewer p j
    = \sum_(o : 'I_N.+2 | (o <= j)%N) (released p false o - E * released p true o).
  have := tail_below p j.+1 true; have := tail_below p j.+1 false; rewrite subn0 subn1 /= => <- <-.
  by rewrite /prob mulr_sumr -sumrB; apply: eq_bigl => o; rewrite inE.
have stays (i j : 'I_N.+2) : 0 < released p false j - E * released p true j -> (i <= j)%N ->
    0 <= released p false i - E * released p true i.
  by rewrite !released1 !released0; apply: excess_down_stays (pmf_logconcave ps) E0 => k; exact: pmf_ge0.
pose g (o : 'I_N.+2) := released p false o - E * released p true o.
rewrite /thresholded hs_hide -tail; split=> [j le_j|].
  rewrite /D le_maxl addr_ge0 ?max0_ge0 ?sumr_ge0 //= => [|o _]; last exact: max0_ge0.
  rewrite tail (bigID (fun o : 'I_N.+2 => (o <= T)%N)) /=; apply: ler_add.
    apply: le_trans (max0_ge _); rewrite tail le_eqVlt; apply/orP; left; apply/eqP.
    apply: eq_bigl => o; case: (leqP o T) => [le_T|]; rewrite ?andbF //.
    by rewrite (leq_trans le_T le_j).
  rewrite big_mkcond [X in _ <= X]big_mkcond /=; apply: ler_sum => o _; rewrite -ltnNge.
  case: (ltnP T o) => _; rewrite ?andbF // andbT; case: ifP => _; [exact: max0_ge | exact: max0_ge0].
have [|none] := pickP (fun o : 'I_N.+2 => (T < o)%N && (0 < g o)).
  move=> o0 good0.
  have [m /andP[T_m pos_m] max_m] := @arg_maxnP _ o0 (fun o => (T < o)%N && (0 < g o)) (@nat_of_ord _) good0.
  exists m; first exact: ltnW.
  rewrite /D !tail (max_idPr _); last first.
    by apply: sumr_ge0 => o le_o; apply: stays pos_m _; exact: leq_trans le_o (ltnW T_m).
  rewrite (max_idPr _); last by apply: sumr_ge0 => o; exact: stays pos_m.
  rewrite [RHS](bigID (fun o : 'I_N.+2 => (o <= T)%N)) /=; congr (_ + _).
    apply: eq_bigl => o; case: (leqP o T) => [le_T|]; rewrite ?andbF //.
    by rewrite (leq_trans le_T (ltnW T_m)).
  rewrite big_mkcond [RHS]big_mkcond /=; apply: eq_bigr => o _; rewrite -ltnNge.
  case: (ltnP T o) => T_o; rewrite ?andbF // andbT; case: leqP => [le_m|lt_m].
    by apply/max_idPr; exact: stays le_m.
  apply/max_idPl; rewrite leNgt; apply/negP => pos_o.
  by have := max_m o; rewrite T_o pos_o /= leqNgt lt_m => /(_ isT).
exists T => //; rewrite /D big1 ?addr0 // => o T_o; apply/max_idPl; rewrite leNgt.
by have := none o; rewrite T_o /= => ->.
Qed.

End Thresholds.
