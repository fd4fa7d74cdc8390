(** * Theorem 3, tight

    The count of independent bits, with the law of the bits written out: a
    database of N others is a function from people to bits, and its probability
    is the product of the probabilities of its bits. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra ring.
From pkdp Require Import divergence counts.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Count.
Variables (R : realFieldType) (N : nat).
Implicit Types (p : 'I_N -> R) (b : {ffun 'I_N -> bool}) (E lam : R).

(** ** Definitions *)

(** The law of N independent bits, of which bit [i] is 1 with probability [p i]. *)
Definition bits p b : R := \prod_i (if b i then p i else 1 - p i).

(** The number of ones. *)
Definition ones b : nat := (\sum_i b i)%N.

(** The law of the released count: the ones among the others and the target's bit. *)
Definition released p (target : bool) : 'I_N.+2 -> R :=
  push (fun b => inord (ones b + target)) (bits p).

(** The probability that at least [k], and that fewer than [k], of the others are ones. *)
Definition at_least p k : R := prob (bits p) [set b | (k <= ones b)%N].
Definition fewer p k : R := prob (bits p) [set b | (ones b < k)%N].

(** The privacy profile of the count at E: the larger of the two directions. *)
Definition delta E p : R :=
  Num.max (hs E (released p true) (released p false)) (hs E (released p false) (released p true)).

(** The vertex with [m] probabilities at lambda and the others at 1 - lambda. *)
Definition vertex lam m : 'I_N -> R := fun i => if (i < m)%N then lam else 1 - lam.

(** ** The law of the count *)

Lemma ones_le b : (ones b <= N)%N.
Proof.
rewrite -[X in (_ <= X)%N]card_ord -sum1_card; apply: leq_sum => i _; exact: leq_b1.
Qed.

Lemma bits_genpoly p : genpoly (codom p) = \sum_b (bits p b)%:P * 'X^(ones b).
Proof.
rewrite /genpoly big_map big_enum /=.
transitivity (\prod_i \sum_(c : bool) (if c then p i else 1 - p i)%:P * 'X^c).
  by apply: eq_bigr => i _; rewrite big_bool /= mulr1 expr1 addrC.
rewrite bigA_distr_bigA; apply: eq_bigr => b _.
by rewrite big_split /= -rmorph_prod -expr_sum.
Qed.

(** The number of ones has the law that [pmf] computes. *)
Lemma bits_pmf p k : \sum_(b | ones b == k) bits p b = pmf (codom p) k.
Proof.
rewrite -coef_genpoly bits_genpoly coef_sum big_mkcond; apply: eq_bigr => b _.
by rewrite coefCM coefXn eq_sym; case: eqP; rewrite ?mulr1 ?mulr0.
Qed.

Lemma bits_law p : (forall i, 0 <= p i <= 1) -> law (bits p).
Proof.
move=> p01; split=> [b|].
  apply: prodr_ge0 => i _; case/andP: (p01 i) => p0 p1.
  by case: (b i); rewrite ?subr_ge0.
rewrite /bits -(bigA_distr_bigA (fun i (c : bool) => if c then p i else 1 - p i)).
by apply: big1 => i _; rewrite big_bool /= addrC subrK.
Qed.

Lemma released0 p k : released p false k = pmf (codom p) k.
Proof.
rewrite /released /push -bits_pmf; apply: eq_bigl => b.
by rewrite -val_eqE /= addn0 inordK // ltnW // ltnS ltnS ones_le.
Qed.

Lemma released1 p k : released p true k = up (pmf (codom p)) k.
Proof.
rewrite /released /push; case: k => -[|k] ltk /=; last first.
  rewrite -bits_pmf; apply: eq_bigl => b.
  by rewrite -val_eqE /= addn1 inordK // !ltnS ones_le.
rewrite big_pred0 // => b; rewrite -val_eqE /= addn1 inordK // !ltnS; exact: ones_le.
Qed.

Lemma delta_indist E d p :
  indist E d (released p true) (released p false) <-> delta E p <= d.
Proof. by rewrite indist_hs /delta le_maxl; split=> [[-> ->]|/andP[]]. Qed.

(** ** The excess sits in one tail *)

Lemma codom_probabilities p : (forall i, 0 <= p i <= 1) -> probabilities (codom p).
Proof. by move=> p01; apply/allP => _ /mapP[i _ ->]. Qed.

Lemma tail_above p k (t : bool) :
  prob (released p t) [set o : 'I_N.+2 | (k < o)%N] = at_least p (k.+1 - t).
Proof.
rewrite prob_push /at_least; congr prob; apply/setP => b; rewrite !inE inordK.
  by rewrite leq_subLR addnC.
by case: t; rewrite ?addn1 ?addn0 !ltnS ?ones_le // ltnW // ltnS ones_le.
Qed.

Lemma tail_below p k (t : bool) :
  prob (released p t) [set o : 'I_N.+2 | (o < k)%N] = fewer p (k - t).
Proof.
rewrite prob_push /fewer; congr prob; apply/setP => b; rewrite !inE inordK.
  by rewrite ltn_subRL addnC.
by case: t; rewrite ?addn1 ?addn0 !ltnS ?ones_le // ltnW // ltnS ones_le.
Qed.

(** Section 4.1, "The excess is always one tail": for some [k] the divergence
    of the count with the target's 1 from that with its 0 is
    P[S >= k] - E P[S >= k + 1], where S is the number of ones among the others. *)
Theorem upper_tail p E : (forall i, 0 <= p i <= 1) -> 0 <= E ->
  exists2 k, (k <= N.+1)%N &
  hs E (released p true) (released p false) = at_least p k - E * at_least p k.+1.
Proof.
move=> p01 E0; have ps := codom_probabilities p01.
have [k lek eqk] := @hs_upper_tail _ _ E N.+1 (fun j => pmf_ge0 j ps) (pmf_logconcave ps) E0.
exists k => //; have := tail_above p k true; have := tail_above p k false.
rewrite subn0 subn1 /= => <- <-; rewrite (eq_hs E (released1 p) (released0 p)) eqk /prob.
by congr (_ - E * _); apply: eq_big => o; rewrite ?inE ?released1 ?released0.
Qed.

(** The other direction: for some [k] it is P[S < k] - E P[S < k - 1]. *)
Theorem lower_tail p E : (forall i, 0 <= p i <= 1) -> 0 <= E ->
  exists2 k, (k <= N.+2)%N &
  hs E (released p false) (released p true) = fewer p k - E * fewer p k.-1.
Proof.
move=> p01 E0; have ps := codom_probabilities p01.
have [k lek eqk] := @hs_lower_tail _ _ E N.+2 (fun j => pmf_ge0 j ps) (pmf_logconcave ps) E0.
exists k => //; have := tail_below p k true; have := tail_below p k false.
rewrite subn0 subn1 /= => <- <-; rewrite (eq_hs E (released0 p) (released1 p)) eqk /prob.
by congr (_ - E * _); apply: eq_big => o; rewrite ?inE ?released1 ?released0.
Qed.

(** ** The two directions *)

(** To exchange the names of 0 and 1 exchanges the two directions. *)
Theorem exchange_names p E :
  hs E (released p false) (released p true)
  = hs E (released (fun i => 1 - p i) true) (released (fun i => 1 - p i) false).
Proof.
rewrite (eq_hs E (released0 p) (released1 p)) (eq_hs E (released1 _) (released0 _)).
have -> : codom (fun i => 1 - p i) = [seq 1 - q | q <- codom p] by rewrite /codom -map_comp.
by apply: (@count_divergence_mirror _ N E); rewrite size_codom card_ord.
Qed.

(** ** Vertices *)

Lemma codom_two (x y : R) m : (m <= N)%N ->
  codom (fun i : 'I_N => if (i < m)%N then x else y) = nseq m x ++ nseq (N - m) y.
Proof.
move=> le_m; apply: (@eq_from_nth _ 0); rewrite ?size_cat ?size_nseq ?size_codom ?card_ord ?subnKC //.
move=> i lt_i; rewrite (nth_map (Ordinal lt_i)) ?size_enum_ord // nth_cat size_nseq !nth_nseq.
rewrite nth_enum_ord //; case: ltnP => // le_mi.
by rewrite ltn_sub2r // (leq_ltn_trans le_mi).
Qed.

(** No count is further from its shift than that at some vertex. *)
Lemma worst_vertex p E lam : (forall i, lam <= p i <= 1 - lam) ->
  exists2 m, (m <= N)%N &
  hs E (released p true) (released p false)
  <= hs E (released (vertex lam m) true) (released (vertex lam m) false).
Proof.
move=> p_in; have c_in : all (fun q => lam <= q <= 1 - lam) (codom p).
  by apply/allP => _ /mapP[i _ ->].
have [vs [size_vs vs_end le_vs]] := to_vertex [::] (count_divergence_convex N E) c_in.
have [m le_m perm_vs] := vertex_perm vs_end.
rewrite size_vs size_codom card_ord in le_m perm_vs.
exists m => //; rewrite !(eq_hs E (released1 _) (released0 _)) /vertex codom_two //.
apply: le_trans le_vs _; rewrite /count_divergence le_eqVlt; apply/orP; left; apply/eqP.
by apply: eq_hs => -[[|k] ltk] //=; rewrite /seen /= (pmf_perm perm_vs).
Qed.

(** ** The theorem *)

Lemma exists_largest (F : nat -> R) n :
  exists2 m, (m <= n)%N & forall j, (j <= n)%N -> F j <= F m.
Proof.
elim: n => [|n [m le_m max_m]]; first by exists 0%N => // j; rewrite leqn0 => /eqP->.
have [le_new|new_lt] := leP (F n.+1) (F m).
  exists m => [|j]; first exact: leqW.
  by rewrite leq_eqVlt => /predU1P[->//|]; exact: max_m.
exists n.+1 => // j; rewrite leq_eqVlt => /predU1P[->//|] /max_m /le_trans; apply; exact: ltW.
Qed.

Lemma in_unit lam q : 0 <= lam -> lam <= q <= 1 - lam -> 0 <= q <= 1.
Proof.
move=> lam0 /andP[le_q q_le]; rewrite (le_trans lam0 le_q) (le_trans q_le) //.
by rewrite ger_addl oppr_le0.
Qed.

Lemma vertex_in lam m i : lam <= 1 - lam -> lam <= vertex lam m i <= 1 - lam.
Proof. by move=> half; rewrite /vertex; case: ifP; rewrite lexx half. Qed.

(** The formula is the excess of an event. *)
Lemma formula_le p E k :
  at_least p k - E * at_least p k.+1 <= hs E (released p true) (released p false).
Proof.
have := tail_above p k true; have := tail_above p k false; rewrite subn0 subn1 /= => <- <-.
exact: excess_le_hs.
Qed.

(** Theorem 3, tight (section 4.1). Let lambda be between 0 and 1/2, and let each of N independent
    bits be 1 with a probability between lambda and 1 - lambda. For a number [m] let S_m be a sum of
    [m] bits of probability lambda and N - m of probability 1 - lambda. There are numbers [m] and [k] such that
    P[S_m >= k] - E P[S_m >= k + 1]
    - is at least the privacy profile at E of every such count, in both directions;
    - is attained by the count with [m] bits at lambda and the others at 1 - lambda;
    - and is the largest value of that formula over all [m] and [k]. *)
Theorem tight_bound E lam : 0 <= lam -> lam <= 1 - lam -> 0 <= E ->
  let formula m k := at_least (vertex lam m) k - E * at_least (vertex lam m) k.+1 in
  exists m k, [/\ (m <= N)%N /\ (k <= N.+1)%N,
    forall p, (forall i, lam <= p i <= 1 - lam) -> delta E p <= formula m k,
    delta E (vertex lam m) = formula m k &
    forall m' k', (m' <= N)%N -> formula m' k' <= formula m k].
Proof.
move=> lam0 half E0 /=.
have v01 m i : 0 <= vertex lam m i <= 1 by apply: in_unit lam0 (vertex_in m i half).
have [m le_m max_m] :=
  exists_largest (fun m => hs E (released (vertex lam m) true) (released (vertex lam m) false)) N.
have [k le_k eq_k] := upper_tail (v01 m) E0.
have class p : (forall i, lam <= p i <= 1 - lam) -> delta E p <=
    at_least (vertex lam m) k - E * at_least (vertex lam m) k.+1.
  move=> p_in; rewrite /delta le_maxl -eq_k; apply/andP; split.
    by have [j le_j] := worst_vertex E p_in; move/le_trans; apply; exact: max_m.
  rewrite exchange_names.
  have [|j le_j] := @worst_vertex (fun i => 1 - p i) E lam; last first.
    by move/le_trans; apply; exact: max_m.
  by move=> i; case/andP: (p_in i) => ? ?; rewrite ler_subr_addr addrC -ler_subr_addr ler_add2l ler_opp2; apply/andP.
exists m, k; split => //.
  apply/eqP; rewrite eq_le class => [|i]; last exact: vertex_in.
  by rewrite -eq_k /delta le_maxr lexx.
by move=> m' k' le_m'; rewrite -eq_k; apply: le_trans (formula_le _ _ _) (max_m _ le_m').
Qed.

End Count.
