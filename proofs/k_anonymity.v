(** * k-anonymity: section 4.3

    Counts per value are released if they are at least k; the number of absent
    people is never released. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra ring.
From pkdp Require Import divergence counts theorem_3 blanket histogram thresholds theorem_4.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Larger probabilities, more ones *)

Section Monotone.
Variables (R : realFieldType) (N : nat).

Lemma below_le (I : eqType) (p q : I -> R) (s : seq I) k :
  (forall i, 0 <= p i <= 1) -> (forall i, 0 <= q i <= 1) -> (forall i, p i <= q i) ->
  below (map q s) k <= below (map p s) k.
Proof.
move=> p01 q01 pq; elim: s k => [|i s IH] k //=; rewrite !below_cons.
have up_ge0 : 0 <= up (pmf (map p s)) k.
  by case: k => //= k; apply: pmf_ge0; apply/allP => _ /mapP[j _ ->].
have e (x : R) (r : I -> R) : below (map r s) k - x * up (pmf (map r s)) k
    = (1 - x) * below (map r s) k + x * below (map r s) k.-1.
  case: k {IH up_ge0} => [|k] /=; first by rewrite /below !big_ord0 !mulr0 addr0 subr0.
  by rewrite below_S; move: (below _ _) (pmf _ _) => u v; ring.
have [q0 q1] := andP (q01 i).
apply: (@le_trans _ _ (below (map p s) k - q i * up (pmf (map p s)) k)).
  by rewrite !e ler_add ?ler_wpmul2l ?subr_ge0.
by rewrite ler_add2l ler_opp2 ler_wpmul2r.
Qed.

(** With larger probabilities a large number of ones is likelier. *)
Lemma at_least_le (p q : 'I_N -> R) k :
  (forall i, 0 <= p i <= 1) -> (forall i, 0 <= q i <= 1) -> (forall i, p i <= q i) ->
  at_least p k <= at_least q k.
Proof.
by move=> p01 q01 pq; rewrite !at_least_below // ler_add2l ler_opp2 below_le.
Qed.

End Monotone.

(** ** The truncated histogram *)

Section Anonymity.
Variables (R : realFieldType) (C : finType) (absent : C) (N k : nat).
Implicit Types (q : 'I_N -> C -> R) (t c u : C) (d : {ffun 'I_N -> C}) (E lam rho : R).

(** Definition 16: of each value but the absent, how many have it if these are at least [k]. *)
Definition truncate (h : {ffun C -> 'I_N.+2}) : {ffun C -> option 'I_N.+2} :=
  [ffun c => if (c != absent) && (k <= h c)%N then Some (h c) else None].

(** The law of what is released, if the target has the value [t]. *)
Definition truncated q t := push (fun d => truncate (histogram d t)) (records q).

(** How many of the others have the value [t]. *)
Definition others d t : nat := (\sum_i (d i == t))%N.

(** The probability of k - 1 or more among N records that have a value with probability [rho] each. *)
Definition seldom rho : R := at_least (fun _ : 'I_N => rho) k.-1.

Lemma records_law q : (forall i, law (q i)) -> law (records q).
Proof.
move=> lq; split=> [d|]; first by apply: prodr_ge0 => i _; exact: law_ge0 (lq i).
by rewrite -(bigA_distr_bigA q); apply: big1 => i _; exact: law_sum.
Qed.

Lemma truncated_tally q t : truncated q t =1 push truncate (tally q t).
Proof. by move=> h; rewrite push_comp. Qed.

Lemma prob_tally q t (A : {set {ffun C -> 'I_N.+2}}) :
  prob (tally q t) A = prob (records q) [set d | histogram d t \in A].
Proof. by rewrite prob_push; congr prob; apply/setP => d; rewrite !inE. Qed.

Lemma prob_truncated q t (A : {set {ffun C -> option 'I_N.+2}}) :
  prob (truncated q t) A = prob (records q) [set d | truncate (histogram d t) \in A].
Proof. by rewrite prob_push; congr prob; apply/setP => d; rewrite !inE. Qed.

Lemma histogram_val d t c : histogram d t c = (others d c + (t == c))%N :> nat.
Proof.
rewrite ffunE inordK // ltnS (leq_trans (leq_add (_ : (others d c <= N)%N) (leq_b1 _))) ?addn1 //.
rewrite -[X in (_ <= X)%N]card_ord -sum1_card; apply: leq_sum => i _; exact: leq_b1.
Qed.

(** While at most k - 2 others have the value [t], a target with it looks like an absent one. *)
Lemma hidden d t : (others d t < k.-1)%N ->
  truncate (histogram d t) = truncate (histogram d absent).
Proof.
move=> few; have small u : (histogram d u t < k)%N.
  rewrite histogram_val; apply: (@leq_ltn_trans (others d t).+1).
    by rewrite -addn1 leq_add2l leq_b1.
  by move: few; case: (k) => [|k'].
apply/ffunP => c; rewrite [LHS]ffunE [RHS]ffunE; have [//|not_absent] := eqVneq c absent.
have [<-|neq] := eqVneq t c; first by rewrite (leqNgt k) small (leqNgt k) small.
suff -> : histogram d t c = histogram d absent c by [].
by apply/ord_inj; rewrite !histogram_val (negPf neq) [absent == c]eq_sym (negPf not_absent).
Qed.

(** A rare value is seldom shown. *)
Lemma rare_tail q t rho : (forall i, law (q i)) -> 0 <= rho <= 1 -> (forall i, q i t <= rho) ->
  prob (records q) [set d | (k.-1 <= others d t)%N] <= seldom rho.
Proof.
move=> lq rho01 rare; have q01 i : 0 <= q i t <= 1.
  rewrite (law_ge0 _ (lq i)) -(law_sum (lq i)) (bigD1 t) //= ler_addl.
  by apply: sumr_ge0 => c _; exact: law_ge0 (lq i).
apply: le_trans (at_least_le k.-1 q01 (fun _ => rho01) rare).
rewrite le_eqVlt; apply/orP; left; apply/eqP.
pose has d : {ffun 'I_N -> bool} := [ffun i => d i == t].
have has_bits w : push has (records q) w = bits (fun i => q i t) w.
  rewrite (push_product (fun c => c == t) q w : push has (records q) w = _) /bits; apply: eq_bigr => i _; rewrite /push; case: (w i).
    by rewrite (eq_bigl (pred1 t)) ?big_pred1_eq // => c; exact: eqb_id.
  have := law_sum (lq i); rewrite (bigD1 t) //= => <-; rewrite addrAC subrr add0r.
  by apply: eq_bigl => c; exact: eqbF_neg.
rewrite /at_least; transitivity (prob (push has (records q)) [set b | (k.-1 <= ones b)%N]).
  rewrite prob_push; congr prob; apply/setP => d; rewrite !inE; congr (_ <= _)%N.
  by apply: eq_bigr => i _; rewrite ffunE.
by apply: eq_bigr => w _; exact: has_bits.
Qed.

(** ** Theorem 5, corrected, pair by pair

    The others' records are independent, with any laws [q]. That two rare values cost delta'
    only once is in rare_values.v. *)

Section Pairs.
Variables (q : 'I_N -> C -> R).
Hypothesis (q_law : forall i, law (q i)).

(** Theorem 5, corrected (section 4.3), a rare value and absence. If each of the N others has the
    value [t] with a probability of at most [rho], what is released is (1, delta')-indistinguishable for a
    target with [t] and an absent one; delta' is the probability of k - 1 or more successes
    in N trials of probability [rho]. (So epsilon is 0.) *)
Theorem corrected_thm_5_rare_absent t rho : 0 <= rho <= 1 -> (forall i, q i t <= rho) ->
  indist 1 (seldom rho) (truncated q t) (truncated q absent).
Proof.
move=> rho01 rare; have lr := records_law q_law.
have seldom_differ : prob (records q) [set d | truncate (histogram d t) != truncate (histogram d absent)]
    <= seldom rho.
  apply: le_trans (rare_tail q_law rho01 rare); apply: prob_sub => [d|]; first exact: law_ge0.
  by apply/subsetP => d; rewrite !inE; apply: contraR; rewrite -ltnNge => /hidden->.
apply/indist_hs; split; apply: le_trans seldom_differ; first exact: hs_coupling.
rewrite (_ : [set d | _] = [set d | truncate (histogram d absent) != truncate (histogram d t)]).
  exact: hs_coupling.
by apply/setP => d; rewrite !inE eq_sym.
Qed.

(** Theorem 5, corrected, two common values, or one and absence ([u] may be the absent). If each of the others has
    both with a probability of at least lambda, what is released has the delta of the blanket bound at E. *)
Theorem corrected_thm_5_common c u lam E : c != u -> 0 <= lam -> 0 <= E ->
  (forall i, lam <= q i c) -> (forall i, lam <= q i u) ->
  indist E (blanket N lam E) (truncated q c) (truncated q u).
Proof.
move=> cu lam0 E0 c_lam u_lam.
have [/indist_hs[le1 le2] _] := two_columns cu q_law lam0 E0 c_lam u_lam.
apply/indist_hs; rewrite !(eq_hs E (truncated_tally q _) (truncated_tally q _)).
by split; [apply: le_trans le1 | apply: le_trans le2]; exact: hs_push.
Qed.

(** Theorem 5, corrected, a rare and a common value. If each of the others has [t] with a probability of at
    most [rho], and [c] with at least lambda, and is absent with at least lambda, what is released has
    delta at most that of the blanket bound plus delta', in both directions, at every E of at least 1. *)
Theorem corrected_thm_5_rare_common t c rho lam E : t != c -> t != absent -> c != absent -> 0 <= rho <= 1 -> 0 <= lam -> 1 <= E ->
  (forall i, q i t <= rho) -> (forall i, lam <= q i c) -> (forall i, lam <= q i absent) ->
  indist E (blanket N lam E + seldom rho) (truncated q t) (truncated q c).
Proof.
move=> tc t_abs c_abs rho01 lam0 E1 rare c_lam abs_lam A.
have E0 : 0 <= E by exact: le_trans ler01 E1.
have lr := records_law q_law; have r0 d : 0 <= records q d by exact: law_ge0.
have [two _] := two_columns c_abs q_law lam0 E0 c_lam abs_lam.
pose few := [set h : {ffun C -> 'I_N.+2} | (h t < k.-1)%N].
pose shown := [set h : {ffun C -> 'I_N.+2} | truncate h \in A].
have often := rare_tail q_law rho01 rare.
(* with another target, the full histogram shows how many others have the value t *)
have split_few u : t != u -> prob (records q) [set d | truncate (histogram d u) \in A]
    <= prob (tally q u) (shown :&: few) + seldom rho.
  move=> tu; apply: (@le_trans _ _ (prob (tally q u) (shown :&: few)
    + prob (records q) [set d | (k.-1 <= others d t)%N])); last by rewrite ler_add2l.
  rewrite prob_tally /prob ![\sum_(x in _) _]big_mkcond -big_split /=; apply: ler_sum => d _.
  rewrite !inE histogram_val [u == t]eq_sym (negPf tu) addn0.
  case: (_ \in A) => /=; last by rewrite add0r; case: ifP.
  by case: ltnP => _; rewrite ?addr0 ?add0r.
(* if few have it, a target with it looks like an absent one *)
have same : prob (tally q absent) (shown :&: few) =
    prob (records q) [set d | (truncate (histogram d t) \in A) && (others d t < k.-1)%N].
  rewrite prob_tally; congr prob; apply/setP => d; rewrite !inE histogram_val eq_sym (negPf t_abs) addn0.
  by case: ltnP => [/hidden->|]; rewrite ?andbF.
rewrite !prob_truncated; split.
  apply: (@le_trans _ _ (prob (tally q absent) (shown :&: few) + seldom rho)).
    apply: (@le_trans _ _ (prob (tally q absent) (shown :&: few)
      + prob (records q) [set d | (k.-1 <= others d t)%N])); last by rewrite ler_add2l.
    rewrite same /prob ![\sum_(x in _) _]big_mkcond -big_split /=; apply: ler_sum => d _.
    rewrite !inE; case: (_ \in A) => /=; last by rewrite add0r; case: ifP.
    by case: ltnP => _; rewrite ?addr0 ?add0r.
  rewrite addrA ler_add2r; have [_ le_c] := two (shown :&: few).
  apply: le_trans le_c _; rewrite ler_add2r ler_wpmul2l // prob_tally.
  by apply: prob_sub => //; apply/subsetP => d; rewrite !inE => /andP[].
apply: le_trans (split_few c tc) _; rewrite addrA ler_add2r; have [le_a _] := two (shown :&: few).
apply: le_trans le_a _; rewrite ler_add2r ler_wpmul2l // same.
by apply: prob_sub => //; apply/subsetP => d; rewrite !inE => /andP[].
Qed.

End Pairs.

End Anonymity.
