(** * Counts of independent bits, and the tight Theorem 3

    N people beside the target each have a bit; the bits are independent, that
    of person i is 1 with probability [p i]. The attacker sees the number of
    ones, the target's bit included. How well can she tell a target's 1 from a 0? *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra ring.
From pkdp Require Import divergence.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** The law of a sum of bits *)

Section Pmf.
Variables (R : realFieldType).
Implicit Types (p : R) (ps : seq R) (f s : nat -> R) (E lam : R).

(** [f] moved up by one: the law of X + 1 if [f] is that of X. *)
Definition up f (k : nat) : R := if k is j.+1 then f j else 0.

(** The probability that exactly [k] of independent bits with the
    probabilities [ps] are 1, by cases on the first bit. *)
Fixpoint pmf ps (k : nat) : R :=
  if ps is p :: qs then (1 - p) * pmf qs k + p * up (pmf qs) k else (k == 0%N)%:R.

(** All of [ps] are probabilities. *)
Definition probabilities ps := all (fun p => 0 <= p <= 1) ps.

Lemma pmf_ge0 ps k : probabilities ps -> 0 <= pmf ps k.
Proof.
elim: ps k => [|p ps IH] k /=; first by rewrite ler0n.
move=> /andP[/andP[p0 p1] /IH s0].
by rewrite addr_ge0 ?mulr_ge0 ?subr_ge0 //; case: k => /=.
Qed.

(** No more ones than bits. *)
Lemma pmf_out ps k : (size ps < k)%N -> pmf ps k = 0.
Proof.
elim: ps k => [|p ps IH] [|k] //= lt_k.
by rewrite !IH ?mulr0 ?addr0 // ltnW.
Qed.

Lemma sum_up f n : \sum_(k < n.+1) up f k = \sum_(k < n) f k.
Proof. by rewrite big_ord_recl add0r; apply: eq_bigr. Qed.

Lemma pmf_sum ps n : (size ps < n)%N -> \sum_(k < n) pmf ps k = 1.
Proof.
elim: ps n => [|p ps IH] [|n] //= lt_n.
  by rewrite big_ord_recl big1 ?addr0.
rewrite big_split /= -!mulr_sumr sum_up (IH n) // (IH n.+1) ?leqW //.
by rewrite !mulr1 subrK.
Qed.

(** The generating polynomial: its coefficients are the probabilities. *)
Definition genpoly ps : {poly R} := \prod_(p <- ps) ((1 - p)%:P + p%:P * 'X).

Lemma coef_genpoly ps k : (genpoly ps)`_k = pmf ps k.
Proof.
elim: ps k => [|p ps IH] k; first by rewrite /genpoly big_nil coef1.
rewrite /genpoly big_cons -/(genpoly ps) [X in polyseq X]mulrDl coefD -mulrA !coefCM IH /=.
by congr (_ + _ * _); rewrite coefXM; case: k.
Qed.

(** The order of the bits does not matter. *)
Lemma pmf_perm ps qs : perm_eq ps qs -> pmf ps =1 pmf qs.
Proof. by move=> pq k; rewrite -!coef_genpoly /genpoly (perm_big _ pq). Qed.

(** Affine in each probability. *)
Lemma pmf_affine ps t p q qs k :
  pmf (ps ++ (t * p + (1 - t) * q) :: qs) k
  = t * pmf (ps ++ p :: qs) k + (1 - t) * pmf (ps ++ q :: qs) k.
Proof.
elim: ps k => [|r ps IH] k /=; first by case: k => [|k] /=; ring.
rewrite IH (_ : up _ k = t * up (pmf (ps ++ p :: qs)) k + (1 - t) * up (pmf (ps ++ q :: qs)) k).
  move: (pmf _ k) (pmf _ k) (up _ k) (up _ k) => a b c d; ring.
by case: k => [|k] /=; rewrite ?mulr0 ?addr0.
Qed.

(** To exchange the names of 0 and 1 turns the law round. *)
Lemma pmf_mirror ps k : (k <= size ps)%N ->
  pmf [seq 1 - p | p <- ps] k = pmf ps (size ps - k).
Proof.
elim: ps k => [|p ps IH] k /=; first by rewrite leqn0 => /eqP->.
case: k => [|k] le_k.
  rewrite subn0 /= IH // subn0 (@pmf_out _ (size ps).+1) //; move: (pmf _ _) => a; ring.
rewrite subSS /= (IH k) // subKr addrC; congr (_ + _).
move: le_k; rewrite ltnS leq_eqVlt => /predU1P[->|lt_k].
  by rewrite subnn pmf_out ?size_map //= !mulr0.
by rewrite IH // subnS; case: (size ps - k)%N (subn_gt0 k (size ps)) => //=; rewrite lt_k.
Qed.

(** ** Log-concavity *)

(** The quotient of [f j] by [f (j + 1)] does not fall as [j] rises; written
    without quotients, so that it says something where [f] is 0, too. *)
Definition logconcave f := forall i j, (i <= j)%N -> f i * f j.+1 <= f i.+1 * f j.

Lemma logconcave_bit p f : 0 <= p <= 1 -> (forall k, 0 <= f k) -> logconcave f ->
  logconcave (fun k => (1 - p) * f k + p * up f k).
Proof.
move=> /andP[p0 p1] f0 lf i j le_ij; rewrite -subr_ge0 /=.
have q0 : 0 <= 1 - p by rewrite subr_ge0.
case: i le_ij => [|i] le_ij /=; last case: j le_ij => [//|j] le_ij /=.
- case: j le_ij => [|j] _ /=.
    have -> : ((1 - p) * f 1%N + p * f 0%N) * ((1 - p) * f 0%N + p * 0) -
              ((1 - p) * f 0%N + p * 0) * ((1 - p) * f 1%N + p * f 0%N) = 0 by ring.
    by [].
  rewrite (_ : _ - _ = (1 - p) ^+ 2 * (f 1%N * f j.+1 - f 0%N * f j.+2)
             + p * (1 - p) * (f 1%N * f j) + p ^+ 2 * (f 0%N * f j)); last by ring.
  by rewrite !addr_ge0 ?mulr_ge0 ?exprn_ge0 // subr_ge0 ?lf.
- rewrite (_ : _ - _ = (1 - p) ^+ 2 * (f i.+2 * f j.+1 - f i.+1 * f j.+2)
             + p ^+ 2 * (f i.+1 * f j - f i * f j.+1)
             + p * (1 - p) * (f i.+2 * f j - f i * f j.+2)); last by ring.
  rewrite !addr_ge0 ?mulr_ge0 ?exprn_ge0 // subr_ge0 ?lf //.
  move: le_ij; rewrite ltnS leq_eqVlt => /predU1P[->|lt_ij]; first by rewrite mulrC.
  by apply: le_trans (lf i j.+1 _) (lf i.+1 j lt_ij); rewrite leqW // ltnW.
Qed.

(** A sum of independent bits is log-concave. *)
Theorem pmf_logconcave ps : probabilities ps -> logconcave (pmf ps).
Proof.
elim: ps => [|p ps IH] /=; first by move=> _ i j _; rewrite mulr0 mulr_ge0 ?ler0n.
by move=> /andP[p01 pps]; apply: logconcave_bit => // [k|]; [exact: pmf_ge0 | exact: IH].
Qed.

(** ** The excess sits in one tail *)

(** A sum over the natural numbers below [n], cut at [k]. *)
Lemma sum_below_from f n k :
  \sum_(j < n) f j = \sum_(j < n | (j < k)%N) f j + \sum_(j < n | (k <= j)%N) f j.
Proof.
rewrite (bigID (fun j : 'I_n => (j < k)%N)) /=; congr (_ + _).
by apply: eq_bigl => j; rewrite -leqNgt.
Qed.

(** If the terms below [k] are not positive and the others not negative, the
    positive parts add up to the terms from [k] on. *)
Lemma max0_from (g : nat -> R) n k :
  (forall j, (j < k)%N -> g j <= 0) -> (forall j, (k <= j)%N -> 0 <= g j) ->
  \sum_(j < n) Num.max 0 (g j) = \sum_(j < n | (k <= j)%N) g j.
Proof.
move=> neg pos; rewrite [RHS]big_mkcond /=; apply: eq_bigr => j _.
by case: leqP => [/pos/max_idPr->//|/neg/max_idPl->].
Qed.

(** The two laws that the attacker compares, on the outputs 0, ..., [n - 1]. *)
Definition seen n f : 'I_n -> R := fun k => f k.
Arguments seen : clear implicits.

(** Where X + 1 is likelier than E times X, larger outputs favour it, too. *)
Lemma excess_up_stays f E j i : (forall k, 0 <= f k) -> logconcave f -> 0 <= E ->
  0 < up f j - E * f j -> (j <= i)%N -> 0 <= up f i - E * f i.
Proof.
move=> f0 lf E0; case: j => [|j]; first by rewrite /= sub0r oppr_gt0 ltNge mulr_ge0.
case: i => [//|i] /=; rewrite subr_gt0 subr_ge0 ltnS => gt_j le_ji.
have [fj|fj] := eqVneq (f j.+1) 0.
  have fj_gt0 : 0 < f j by move: gt_j; rewrite fj mulr0.
  have : f j * f i.+1 <= 0 by rewrite -[X in _ <= X](mul0r (f i)) -fj lf.
  rewrite pmulr_rle0 // => fi; suff -> : f i.+1 = 0 by rewrite mulr0.
  by apply/eqP; rewrite eq_le fi f0.
have fj_gt0 : 0 < f j.+1 by rewrite lt_neqAle eq_sym fj f0.
rewrite -(ler_pmul2l fj_gt0); apply: le_trans (lf _ _ le_ji).
by rewrite mulrA ler_wpmul2r // mulrC ltW.
Qed.

(** Where X is likelier than E times X + 1, smaller outputs favour it, too. *)
Lemma excess_down_stays f E j i : (forall k, 0 <= f k) -> logconcave f -> 0 <= E ->
  0 < f j - E * up f j -> (i <= j)%N -> 0 <= f i - E * up f i.
Proof.
move=> f0 lf E0; case: i => [|i]; first by rewrite /= mulr0 subr0.
case: j => [//|j] /=; rewrite subr_gt0 subr_ge0 ltnS => gt_j le_ij.
have [fj|fj] := eqVneq (f j) 0.
  have fj_gt0 : 0 < f j.+1 by move: gt_j; rewrite fj mulr0.
  have : f i * f j.+1 <= 0 by rewrite -[X in _ <= X](mulr0 (f i.+1)) -fj lf.
  rewrite pmulr_lle0 // => fi; suff -> : f i = 0 by rewrite mulr0.
  by apply/eqP; rewrite eq_le fi f0.
have fj_gt0 : 0 < f j by rewrite lt_neqAle eq_sym fj f0.
rewrite -(ler_pmul2r fj_gt0); apply: le_trans (lf _ _ le_ij).
by rewrite mulrAC mulrC ler_wpmul2l // ltW.
Qed.

(** The divergence of X + 1 from X is the excess of an upper tail: for some
    [k] it is P[X + 1 > k] - E P[X > k]. *)
Lemma hs_upper_tail f E n : (forall k, 0 <= f k) -> logconcave f -> 0 <= E ->
  exists2 k, (k < n.+1)%N &
  hs E (seen n.+1 (up f)) (seen n.+1 f)
  = \sum_(j < n.+1 | (k < j)%N) up f j - E * \sum_(j < n.+1 | (k < j)%N) f j.
Proof.
move=> f0 lf E0; pose g j := up f j - E * f j.
have sumE k : \sum_(j < n.+1 | (k < j)%N) up f j - E * (\sum_(j < n.+1 | (k < j)%N) f j)
              = \sum_(j < n.+1 | (k < j)%N) g j by rewrite mulr_sumr sumrB.
have [|none] := pickP (fun j : 'I_n.+1 => 0 < g j).
  move=> j0 gj0.
  have exj : exists j, 0 < g j by exists j0.
  case: (ex_minnP exj) => m gm min_m.
  have m_gt0 : (0 < m)%N.
    by case: m gm {min_m} => //; rewrite /g /= sub0r oppr_gt0 ltNge mulr_ge0.
  exists m.-1; first by rewrite prednK // (leq_trans (min_m _ gj0)) // ltnW.
  rewrite sumE prednK //; apply: (@max0_from g) => j lej.
    by rewrite leNgt; apply/negP => /min_m; rewrite leqNgt lej.
  exact: excess_up_stays gm lej.
exists n => //; rewrite sumE big_pred0 => [|j]; last by rewrite ltnNge -ltnS ltn_ord.
by rewrite /hs big1 // => j _; apply/max_idPl; rewrite leNgt -/(g j) none.
Qed.

(** The divergence of X from X + 1 is the excess of a lower tail: for some [k]
    it is P[X < k] - E P[X + 1 < k]. *)
Lemma hs_lower_tail f E n : (forall k, 0 <= f k) -> logconcave f -> 0 <= E ->
  exists2 k, (k <= n)%N &
  hs E (seen n f) (seen n (up f))
  = \sum_(j < n | (j < k)%N) f j - E * \sum_(j < n | (j < k)%N) up f j.
Proof.
move=> f0 lf E0; pose g j := f j - E * up f j.
have sumE k : \sum_(j < n | (j < k)%N) f j - E * (\sum_(j < n | (j < k)%N) up f j)
              = \sum_(j < n | (j < k)%N) g j by rewrite mulr_sumr sumrB.
have [|none] := pickP (fun j : 'I_n => 0 < g j).
  move=> j0 gj0.
  have exj : exists j, (j < n)%N && (0 < g j) by exists j0; rewrite ltn_ord.
  have ubj j : (j < n)%N && (0 < g j) -> (j <= n)%N by case/andP => /ltnW.
  case: (ex_maxnP exj ubj) => m /andP[m_n gm] max_m; exists m.+1 => //.
  rewrite sumE /hs [RHS]big_mkcond /=; apply: eq_bigr => j _; rewrite ltnS -/(g j).
  case: leqP => [lej|ltj]; apply/eqP.
    by rewrite maxC eq_sym; apply/eqP/esym/max_idPl; exact: excess_down_stays gm lej.
  apply/eqP/max_idPl; rewrite leNgt; apply/negP => gj.
  by move: (max_m j); rewrite ltn_ord gj leqNgt ltj => /(_ isT).
exists 0%N => //; rewrite sumE big_pred0 //.
by rewrite /hs big1 // => j _; apply/max_idPl; rewrite leNgt -/(g j) none.
Qed.

(** ** The worst case sits at a vertex *)

(** The divergence of the count with the target's 1 from that with its 0, for
    others with the probabilities [ps]. *)
Definition count_divergence N E ps := hs E (seen N.+2 (up (pmf ps))) (seen N.+2 (pmf ps)).

(** The other direction is the same with the names of 0 and 1 exchanged. *)
Lemma count_divergence_mirror N E ps : size ps = N ->
  hs E (seen N.+2 (pmf ps)) (seen N.+2 (up (pmf ps)))
  = count_divergence N E [seq 1 - p | p <- ps].
Proof.
move=> <-; rewrite /count_divergence /hs (reindex_inj rev_ord_inj) /=.
apply: eq_bigr => -[k ltk] _; rewrite /seen /= subSS; move: ltk; rewrite ltnS => lek.
congr (Num.max 0 (_ - E * _)).
  case: k lek => [|k] lek; first by rewrite subn0 pmf_out.
  by rewrite subSS /= pmf_mirror.
move: lek; rewrite leq_eqVlt => /predU1P[->|lek]; first by rewrite subnn pmf_out ?size_map.
by rewrite subSn // pmf_mirror.
Qed.

(** It is convex in each probability. *)
Lemma count_divergence_convex N E ps t p q qs : 0 <= t <= 1 ->
  count_divergence N E (ps ++ (t * p + (1 - t) * q) :: qs)
  <= t * count_divergence N E (ps ++ p :: qs) + (1 - t) * count_divergence N E (ps ++ q :: qs).
Proof.
move=> t01; rewrite /count_divergence.
set P := pmf (ps ++ p :: qs); set Q := pmf (ps ++ q :: qs).
rewrite (@eq_hs _ _ E _ (mix t (seen N.+2 (up P)) (seen N.+2 (up Q)))
                    _ (mix t (seen N.+2 P) (seen N.+2 Q))) ?hs_convex // => -[[|k] ltk];
  by rewrite /seen /mix /= ?pmf_affine // !mulr0 addr0.
Qed.

(** A mean of two numbers is at most what both are at most. *)
Lemma mean_le (t a b c : R) : 0 <= t <= 1 -> a <= c -> b <= c -> t * a + (1 - t) * b <= c.
Proof.
move=> /andP[t0 t1] ac bc; have -> : c = t * c + (1 - t) * c by ring.
by rewrite ler_add // ler_wpmul2l // subr_ge0.
Qed.

(** A point of an interval is a mean of its ends. *)
Lemma between_ends (lo hi q : R) : lo <= q <= hi ->
  exists2 t, 0 <= t <= 1 & q = t * lo + (1 - t) * hi.
Proof.
move=> /andP[le_q q_le]; have [point|not_point] := eqVneq (hi - lo) 0.
  exists 1; first by rewrite ler01 lexx.
  rewrite subrr mul0r addr0 mul1r; apply/eqP; rewrite eq_le le_q andbT.
  by move/eqP: point; rewrite subr_eq0 => /eqP<-.
have gap : 0 < hi - lo by rewrite lt_neqAle eq_sym not_point subr_ge0 (le_trans le_q).
exists ((hi - q) / (hi - lo)).
  rewrite divr_ge0 ?(ltW gap) ?subr_ge0 //=.
  by rewrite ler_pdivr_mulr // mul1r ler_add2l ler_opp2.
set t := _ / _; have -> : t * lo + (1 - t) * hi = hi - t * (hi - lo) by ring.
by rewrite /t divfK // opprB addrCA subrr addr0.
Qed.

(** [F] is convex in each of the probabilities. *)
Definition convex_in_each (F : seq R -> R) := forall ps t p q qs, 0 <= t <= 1 ->
  F (ps ++ (t * p + (1 - t) * q) :: qs) <= t * F (ps ++ p :: qs) + (1 - t) * F (ps ++ q :: qs).

(** Moving one probability after another to the better of its two ends, one
    comes to a vertex, and never to a lower value. *)
Lemma to_vertex F (lo hi : R) qs ps : convex_in_each F -> all (fun q => lo <= q <= hi) qs ->
  exists vs, [/\ size vs = size qs, all (pred2 lo hi) vs & F (ps ++ qs) <= F (ps ++ vs)].
Proof.
move=> cvx; elim: qs ps => [|q qs IH] ps /=; first by exists [::].
move=> /andP[/between_ends[t t01 ->] qs_in].
have [v v_end le_v] : exists2 v, v \in [:: lo; hi] &
  F (ps ++ (t * lo + (1 - t) * hi) :: qs) <= F (ps ++ v :: qs).
  have [le12|le21] := leP (F (ps ++ lo :: qs)) (F (ps ++ hi :: qs)).
    exists hi; rewrite ?inE ?eqxx ?orbT //.
    by apply: le_trans (cvx _ _ _ _ _ t01) _; apply: mean_le.
  exists lo; rewrite ?inE ?eqxx //.
  by apply: le_trans (cvx _ _ _ _ _ t01) _; apply: mean_le => //; exact: ltW.
have [vs [size_vs vs_end le_vs]] := IH (rcons ps v) qs_in.
exists (v :: vs); split; rewrite /= ?size_vs //; first by move: v_end; rewrite !inE vs_end andbT.
by apply: le_trans le_v _; rewrite -!cat_rcons.
Qed.

(** Only the number of probabilities at either end matters. *)
Lemma vertex_perm (lo hi : R) vs : all (pred2 lo hi) vs ->
  exists2 m, (m <= size vs)%N & perm_eq vs (nseq m lo ++ nseq (size vs - m) hi).
Proof.
elim: vs => [|v vs IH] /=; first by exists 0%N.
move=> /andP[/orP[] /eqP-> /IH[m le_m pm]].
  by exists m.+1; rewrite // subSS /= perm_cons.
exists m; first exact: leqW.
by rewrite subSn //= perm_sym perm_catC /= perm_cons perm_catC perm_sym.
Qed.

End Pmf.
Arguments seen {R} n f.
