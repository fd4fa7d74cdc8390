(** * Theorem 4, tight

    Every other record is 1 with a probability of at most p. How much does a
    thresholded count reveal at worst? *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra ring.
From pkdp Require Import divergence counts theorem_3 blanket thresholds.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** The two differences, as functions of the probabilities *)

Section Differences.
Variables (R : realFieldType).
Implicit Types (E p c : R) (ps qs : seq R) (f : nat -> R).

(** The probability of fewer than [k] ones. *)
Definition below ps k : R := \sum_(j < k) pmf ps j.

(** P[S >= j] - E P[S > j] and P[S <= j] - E P[S < j]. *)
Definition D1 E j ps : R := (1 - below ps j) - E * (1 - below ps j.+1).
Definition D2 E j ps : R := below ps j.+1 - E * below ps j.

Lemma below_S ps k : below ps k.+1 = below ps k + pmf ps k.
Proof. by rewrite /below big_ord_recr. Qed.

(** One bit more. *)
Lemma below_cons p ps k : below (p :: ps) k = below ps k - p * up (pmf ps) k.
Proof.
elim: k => [|k IH]; first by rewrite /below !big_ord0 mulr0 subr0.
by rewrite !below_S IH /=; move: (below _ _) (pmf _ _) (up _ _) => u v w; ring.
Qed.

Lemma D1_cons E p j ps : D1 E j (p :: ps) = D1 E j ps + p * (up (pmf ps) j - E * pmf ps j).
Proof. by rewrite /D1 !below_cons /=; move: (below _ _) (below _ _) (up _ _) (pmf _ _) => u v w x; ring. Qed.

Lemma D2_cons E p j ps : D2 E j (p :: ps) = D2 E j ps - p * (pmf ps j - E * up (pmf ps) j).
Proof. by rewrite /D2 !below_cons /=; move: (below _ _) (below _ _) (up _ _) (pmf _ _) => u v w x; ring. Qed.

(** One record more is a 0, or it is a 1 and spares the others one. *)
Lemma D1_step E p j ps : D1 E j.+1 (p :: ps) = (1 - p) * D1 E j.+1 ps + p * D1 E j ps.
Proof. by rewrite D1_cons /D1 !below_S /=; move: (below _ _) (pmf _ _) (pmf _ _) => u v w; ring. Qed.

Lemma D2_step E p j ps : D2 E j.+1 (p :: ps) = (1 - p) * D2 E j.+1 ps + p * D2 E j ps.
Proof. by rewrite D2_cons /D2 !below_S /=; move: (below _ _) (pmf _ _) (pmf _ _) => u v w; ring. Qed.

Lemma below_nil k : below [::] k.+1 = 1.
Proof. by rewrite /below (pmf_sum (ps := [::])). Qed.

(** They depend on the law of the sum only, and are affine in each probability. *)
Lemma eq_below ps qs : pmf ps =1 pmf qs -> below ps =1 below qs.
Proof. by move=> eq_pq k; apply: eq_bigr. Qed.

Lemma below_affine ps t p q qs k :
  below (ps ++ (t * p + (1 - t) * q) :: qs) k
  = t * below (ps ++ p :: qs) k + (1 - t) * below (ps ++ q :: qs) k.
Proof. by rewrite /below !mulr_sumr -big_split; apply: eq_bigr => j _; rewrite pmf_affine. Qed.

Lemma D1_convex E j : convex_in_each (D1 E j).
Proof.
move=> ps t p q qs _; rewrite /D1 !below_affine le_eqVlt; apply/orP; left; apply/eqP.
by move: (below _ _) (below _ _) (below _ _) (below _ _) => u v w x; ring.
Qed.

Lemma D2_convex E j : convex_in_each (D2 E j).
Proof.
move=> ps t p q qs _; rewrite /D2 !below_affine le_eqVlt; apply/orP; left; apply/eqP.
by move: (below _ _) (below _ _) (below _ _) (below _ _) => u v w x; ring.
Qed.

Lemma pmf_zeros m ps : pmf (nseq m 0 ++ ps) =1 pmf ps.
Proof. by elim: m => [|m IH] k //=; rewrite subr0 mul1r mul0r addr0. Qed.

(** ** The best event is the one at the threshold *)

(** What the two differences have in common. *)
Definition a_difference (D : nat -> seq R -> R) :=
  [/\ forall j, convex_in_each (D j),
      forall j ps qs, pmf ps =1 pmf qs -> D j ps = D j qs,
      forall p j ps, D j.+1 (p :: ps) = (1 - p) * D j.+1 ps + p * D j ps
    & forall j, D j.+1 [::] <= 0].

Lemma D1_difference E : a_difference (D1 E).
Proof.
split=> [j|j ps qs eq_pq|p j ps|j]; [exact: D1_convex | | exact: D1_step |].
  by rewrite /D1 !(eq_below eq_pq).
by rewrite /D1 !below_nil subrr mulr0 subrr.
Qed.

Lemma D2_difference E : 1 <= E -> a_difference (D2 E).
Proof.
move=> E1; split=> [j|j ps qs eq_pq|p j ps|j]; [exact: D2_convex | | exact: D2_step |].
  by rewrite /D2 !(eq_below eq_pq).
by rewrite /D2 !below_nil mulr1 subr_le0.
Qed.

(** A bound at the threshold, for all numbers of records at p, is a bound above it. *)
Lemma best_event D p T N c : a_difference D -> 0 <= p <= 1 -> 0 <= c ->
  (forall m, (m <= N)%N -> D T (nseq m p) <= c) ->
  forall j m, (m <= N)%N -> D (j + T)%N (nseq m p) <= c.
Proof.
move=> [_ _ step nil] p01 c0 at_T; elim=> [|j IHj] // m; elim: m => [|m IHm] le_m.
  exact: le_trans (nil _) c0.
have -> : nseq m.+1 p = p :: nseq m p by [].
rewrite addSn step addrC; apply: mean_le p01 _ _; first by rewrite IHj // ltnW.
by rewrite -addSn IHm // ltnW.
Qed.

(** All probabilities between 0 and p, [N] of them: a vertex has some at p and the others at 0. *)
Lemma all_to_crowd D p N j ps : a_difference D -> all (fun q => 0 <= q <= p) ps -> size ps = N ->
  exists2 m, (m <= N)%N & D j ps <= D j (nseq m p).
Proof.
move=> [cvx same _ _] ps_in sz.
have [vs [size_vs vs_end le_vs]] := to_vertex [::] (cvx j) ps_in.
have [m le_m perm_vs] := vertex_perm vs_end.
exists (size vs - m)%N; first by rewrite size_vs sz leq_subr.
apply: le_trans le_vs _; rewrite /= (same j vs (nseq (size vs - m) p)) // => k.
by rewrite (pmf_perm perm_vs) pmf_zeros.
Qed.

(** ** The best number of records at p *)

(** The two binomial masses next to the threshold. *)
Lemma pmf_ratio p m T : (T <= m)%N ->
  pmf (nseq m p) T.+1 * (T.+1%:R * (1 - p)) = pmf (nseq m p) T * ((m - T)%:R * p).
Proof.
move=> le_T; rewrite !pmf_nseq.
move: le_T; rewrite leq_eqVlt => /predU1P[->|lt_T].
  by rewrite bin_small // subnn !mul0r mulr0.
have -> : (1 - p) ^+ (m - T) = (1 - p) ^+ (m - T.+1) * (1 - p) by rewrite -exprSr -subSn.
have := mul_bin_left m T => /(congr1 (fun n => n%:R : R)); rewrite !natrM exprSr => eq_bin.
transitivity (T.+1%:R * 'C(m, T.+1)%:R * (p ^+ T * p * (1 - p) ^+ (m - T.+1) * (1 - p))).
  by move: (_%:R) (_%:R) (_ ^+ _) (_ ^+ _) => u v w x; ring.
rewrite eq_bin.
by move: (_%:R) (_%:R) (_ ^+ _) (_ ^+ _) => u v w x; ring.
Qed.

(** While the crowd is small, the mass at T is at most 1 / c of the one before ... *)
Lemma small_crowd c p m T : 0 <= p <= 1 -> 0 < c -> (T <= m)%N ->
  (m - T)%:R * (p * c) <= T.+1%:R * (1 - p) -> 0 < 1 - p ->
  c * pmf (nseq m p) T.+1 <= pmf (nseq m p) T.
Proof.
move=> p01 c0 le_T small q0.
have pos : 0 < T.+1%:R * (1 - p) by rewrite mulr_gt0 ?ltr0n.
have f0 : 0 <= pmf (nseq m p) T by apply: pmf_ge0; rewrite /probabilities all_nseq p01 orbT.
rewrite -(ler_pmul2r pos) -mulrA pmf_ratio // mulrCA ler_wpmul2l //.
by rewrite mulrCA [c * p]mulrC.
Qed.

(** ... and later it is at least that. *)
Lemma large_crowd c p m T : 0 < p <= 1 -> 0 < c -> (T <= m)%N ->
  T.+1%:R * (1 - p) <= (m - T)%:R * (p * c) -> (T < m)%N || (0 < 1 - p) ->
  pmf (nseq m p) T <= c * pmf (nseq m p) T.+1.
Proof.
move=> /andP[p0 p1] c0 le_T large either.
have p01 : 0 <= p <= 1 by rewrite ltW.
have f0 k : 0 <= pmf (nseq m p) k by apply: pmf_ge0; rewrite /probabilities all_nseq p01 orbT.
have [q0|] := ltP 0 (1 - p).
  have pos : 0 < T.+1%:R * (1 - p) by rewrite mulr_gt0 ?ltr0n.
  rewrite -(ler_pmul2r pos) -mulrA pmf_ratio // [X in _ <= X]mulrCA ler_wpmul2l //.
  by rewrite mulrCA [c * p]mulrC.
rewrite subr_le0 => p1'; have eq_p : p = 1 by apply/eqP; rewrite eq_le p1.
move: either; rewrite eq_p subrr ltxx orbF => lt_T.
have := pmf_ratio p le_T; rewrite eq_p subrr !mulr0 mulr1 => /esym/eqP.
rewrite mulf_eq0 pnatr_eq0 subn_eq0 [(m <= T)%N]leqNgt lt_T orbF => /eqP->.
by rewrite mulr_ge0 ?(ltW c0) // -{1}eq_p.
Qed.

(** A sequence that rises up to [M] and falls from there is largest at [M]. *)
Lemma unimodal (F : nat -> R) M N : (M <= N)%N ->
  (forall m, (m < M)%N -> F m <= F m.+1) -> (forall m, (M <= m)%N -> F m.+1 <= F m) ->
  forall m, (m <= N)%N -> F m <= F M.
Proof.
move=> le_M rise fall m _; have [le_m|/ltnW le_m] := leqP m M.
  rewrite -(subKn le_m); elim: (M - m)%N (leq_subr m M) => [|i IH] le_i; first by rewrite subn0.
  apply: le_trans (IH (ltnW le_i)); rewrite -(subnSK le_i) rise //.
  by rewrite ltn_subrL (leq_trans _ le_i).
rewrite -(subnK le_m); elim: (m - M)%N => [//|i IH].
by apply: le_trans IH; rewrite addSn fall // leq_addl.
Qed.

End Differences.

(** ** The theorem *)

Section Theorem4.
Variables (R : realFieldType) (T : nat).
Implicit Types (p E x : R).

(** [M] is the smaller of [N] and T + floor x. *)
Definition floor_up_to N x M := [/\ (T <= M)%N, (M <= N)%N, (M - T)%:R <= x
  & (M < N)%N -> x < (M - T).+1%:R].

(** Some [M] of the others are 1 with probability [p], the rest never. *)
Definition crowd N p M : 'I_N -> R := fun i => if (i < M)%N then p else 0.
Arguments crowd : clear implicits.

(** P[S >= T] - E P[S > T] and P[S <= T] - E P[S < T], where S is binomial
    with [M] trials of probability [p]. *)
Definition difference_up p E M : R := at_least (crowd M p M) T - E * at_least (crowd M p M) T.+1.
Definition difference_down p E M : R := fewer (crowd M p M) T.+1 - E * fewer (crowd M p M) T.

Lemma fewer_below N (q : 'I_N -> R) k : fewer q k = below (codom q) k.
Proof.
rewrite /fewer /prob /below; under [RHS]eq_bigr do rewrite -bits_pmf.
rewrite (exchange_big_dep predT) //= big_mkcond; apply: eq_bigr => b _; rewrite inE.
case: ltnP => [lt_k|le_k]; last by rewrite big_pred0 // => j; apply/gtn_eqF/(leq_trans (ltn_ord j)).
by rewrite (big_pred1 (Ordinal lt_k)) // => j; exact: (eq_sym (ones b) j).
Qed.

Lemma at_least_below N (q : 'I_N -> R) k : (forall i, 0 <= q i <= 1) ->
  at_least q k = 1 - below (codom q) k.
Proof.
move=> q01; rewrite -fewer_below /fewer -prob_compl; last exact: bits_law.
by congr prob; apply/setP => b; rewrite !inE -leqNgt.
Qed.

Lemma pmf_crowd N p M : (M <= N)%N -> pmf (codom (crowd N p M)) =1 pmf (nseq M p).
Proof.
move=> le_M k; rewrite /crowd codom_two // (pmf_perm (permEl (perm_catC _ _))); exact: pmf_zeros.
Qed.

Lemma difference_upE p E N M : 0 <= p <= 1 -> (M <= N)%N ->
  at_least (crowd N p M) T - E * at_least (crowd N p M) T.+1 = D1 E T (nseq M p).
Proof.
move=> p01 le_M; have c01 i : 0 <= crowd N p M i <= 1 by rewrite /crowd; case: ifP; rewrite ?lexx ?ler01.
by rewrite !at_least_below // /D1 !(eq_below (pmf_crowd p le_M)).
Qed.

Lemma difference_downE p E N M : (M <= N)%N ->
  fewer (crowd N p M) T.+1 - E * fewer (crowd N p M) T = D2 E T (nseq M p).
Proof. by move=> le_M; rewrite !fewer_below /D2 !(eq_below (pmf_crowd p le_M)). Qed.

(** The best number of records at [p], for the first difference ... *)
Lemma best_up p E N M : 0 < p <= 1 -> 1 <= E ->
  floor_up_to N (T%:R * (1 - p) / (p * E)) M ->
  forall m, (m <= N)%N -> D1 E T (nseq m p) <= D1 E T (nseq M p).
Proof.
move=> p01 E1 [le_T le_M le_x lt_x].
have E0 : 0 < E by exact: lt_le_trans ltr01 E1.
have [p0 p1] := andP p01; have pE : 0 < p * E by rewrite mulr_gt0.
have p01' : 0 <= p <= 1 by rewrite ltW.
have q0 : 0 <= 1 - p by rewrite subr_ge0.
have f0 m k : 0 <= pmf (nseq m p) k by apply: pmf_ge0; rewrite /probabilities all_nseq p01' orbT.
pose F m := D1 E T (nseq (minn m N) p).
suff best m : (m <= N)%N -> F m <= F M.
  by move=> m le_m; have := best m le_m; rewrite /F (minn_idPl le_m) (minn_idPl le_M).
apply: (unimodal le_M) => {}m; rewrite /F.
  move=> lt_M; have lt_N := leq_trans lt_M le_M.
  rewrite (minn_idPl lt_N) (minn_idPl (ltnW lt_N)) D1_cons ler_addl mulr_ge0 ?(ltW p0) // subr_ge0.
  case: T le_T le_x => [|T'] le_T le_x.
    rewrite mul0r mul0r subn0 in le_x; move: le_x; rewrite lern0 => /eqP M0.
    by rewrite M0 in lt_M.
  have [lt_T'|le_T'] := ltnP m T'.+1.
    by rewrite pmf_out ?size_nseq // mulr0; exact: f0.
  have q1 : 0 < 1 - p.
    rewrite lt_neqAle q0 andbT eq_sym; apply/eqP => q_0; move: le_x.
    by rewrite q_0 mulr0 mul0r lern0 subn_eq0 leqNgt (leq_ltn_trans le_T' lt_M).
  apply: small_crowd => //; first exact: ltnW.
  rewrite -ler_pdivl_mulr //; apply: le_trans le_x; rewrite ler_nat.
  by rewrite -subSS leq_sub2r.
move=> le_m; have [lt_N|le_N] := ltnP m N; last by rewrite (minn_idPr (leqW le_N)).
rewrite (minn_idPl lt_N) D1_cons ger_addl.
rewrite mulr_ge0_le0 ?(ltW p0) // subr_le0.
case: T le_T lt_x => [|T'] le_T lt_x /=; first by rewrite mulr_ge0 ?(ltW E0) ?f0.
have lt_T' : (T' < m)%N by exact: leq_trans le_T le_m.
apply: large_crowd => //; [exact: ltnW | | by rewrite lt_T'].
rewrite -ler_pdivr_mulr //; apply: le_trans (ltW (lt_x (leq_ltn_trans le_m lt_N))) _.
by rewrite ler_nat -subSn // subSS leq_sub2r.
Qed.

(** ... and for the second. *)
Lemma best_down p E N M : 0 < p <= 1 -> 1 <= E ->
  floor_up_to N (T%:R * (1 - p) * E / p) M ->
  forall m, (m <= N)%N -> D2 E T (nseq m p) <= D2 E T (nseq M p).
Proof.
move=> p01 E1; rewrite -mulrA -[E / p]invrK invf_div => -[le_T le_M le_x lt_x].
have E0 : 0 < E by exact: lt_le_trans ltr01 E1.
have iE0 : 0 < E^-1 by rewrite invr_gt0.
have [p0 p1] := andP p01; have pE : 0 < p / E by rewrite mulr_gt0.
have p01' : 0 <= p <= 1 by rewrite ltW.
have q0 : 0 <= 1 - p by rewrite subr_ge0.
have f0 m k : 0 <= pmf (nseq m p) k by apply: pmf_ge0; rewrite /probabilities all_nseq p01' orbT.
have divE (u v : R) : (u <= E * v) = (E^-1 * u <= v) by rewrite [E^-1 * u]mulrC ler_pdivr_mulr // [v * E]mulrC.
have divE' (u v : R) : (E * v <= u) = (v <= E^-1 * u) by rewrite [E^-1 * u]mulrC ler_pdivl_mulr // [v * E]mulrC.
pose F m := D2 E T (nseq (minn m N) p).
suff best m : (m <= N)%N -> F m <= F M.
  by move=> m le_m; have := best m le_m; rewrite /F (minn_idPl le_m) (minn_idPl le_M).
apply: (unimodal le_M) => {}m; rewrite /F.
  move=> lt_M; have lt_N := leq_trans lt_M le_M.
  rewrite (minn_idPl lt_N) (minn_idPl (ltnW lt_N)) D2_cons ler_addl oppr_ge0.
  rewrite mulr_ge0_le0 ?(ltW p0) // subr_le0.
  case: T le_T le_x => [|T'] le_T le_x.
    rewrite mul0r mul0r subn0 in le_x; move: le_x; rewrite lern0 => /eqP M0.
    by rewrite M0 in lt_M.
  have [lt_T'|le_T'] := ltnP m T'.+1.
    by rewrite pmf_out ?size_nseq // mulr_ge0 ?(ltW E0) //; exact: f0.
  have q1 : 0 < 1 - p.
    rewrite lt_neqAle q0 andbT eq_sym; apply/eqP => q_0; move: le_x.
    by rewrite q_0 mulr0 mul0r lern0 subn_eq0 leqNgt (leq_ltn_trans le_T' lt_M).
  rewrite divE; apply: small_crowd => //; first exact: ltnW.
  rewrite -ler_pdivl_mulr //; apply: le_trans le_x; rewrite ler_nat.
  by rewrite -subSS leq_sub2r.
move=> le_m; have [lt_N|le_N] := ltnP m N; last by rewrite (minn_idPr (leqW le_N)).
rewrite (minn_idPl lt_N) D2_cons ger_addl oppr_le0.
rewrite mulr_ge0 ?(ltW p0) // subr_ge0.
case: T le_T lt_x => [|T'] le_T lt_x /=; first by rewrite mulr0 f0.
have lt_T' : (T' < m)%N by exact: leq_trans le_T le_m.
rewrite divE'; apply: large_crowd => //; [exact: ltnW | | by rewrite lt_T'].
rewrite -ler_pdivr_mulr //; apply: le_trans (ltW (lt_x (leq_ltn_trans le_m lt_N))) _.
by rewrite ler_nat -subSn // subSS leq_sub2r.
Qed.

Lemma crowd_in N p M i : 0 <= p -> 0 <= crowd N p M i <= p.
Proof. by move=> p0; rewrite /crowd; case: ifP; rewrite lexx p0. Qed.

(** The largest delta at E of all counts with threshold T, if the others'
    probabilities are at most [p]: [least_delta N p E d] says that it is [d]. *)
Definition least_delta N p E (d : R) :=
  (forall q : 'I_N -> R, (forall i, 0 <= q i <= p) ->
     indist E d (thresholded T q true) (thresholded T q false)) /\
  forall d', (forall q : 'I_N -> R, (forall i, 0 <= q i <= p) ->
     indist E d' (thresholded T q true) (thresholded T q false)) -> d <= d'.

(** Theorem 4, tight for every epsilon (section 4.2). Let each of N independent others be 1
    with a probability of at most [p], 0 < p <= 1, let E be at least 1 and T at most N (which is contained in
    [floor_up_to]). Let M1 be the smaller of N and T + floor (T (1-p) / (p E)), and M2 that of N and T + floor
    (T (1-p) E / p). The largest delta of the count with threshold T is the largest of 0,
    P[S >= T] - E P[S > T] for M1 records at [p], and P[S <= T] - E P[S < T] for M2. *)
Theorem tight_thresholding N p E M1 M2 : 0 < p <= 1 -> 1 <= E ->
  floor_up_to N (T%:R * (1 - p) / (p * E)) M1 ->
  floor_up_to N (T%:R * (1 - p) * E / p) M2 ->
  least_delta N p E (Num.max 0 (Num.max (difference_up p E M1) (difference_down p E M2))).
Proof.
move=> p01 E1 fl1 fl2; have [p0 p1] := andP p01.
have p01' : 0 <= p <= 1 by rewrite ltW.
have le_M1 : (M1 <= N)%N by case: fl1. have le_M2 : (M2 <= N)%N by case: fl2.
rewrite /difference_up /difference_down difference_upE // difference_downE //.
set d1 := D1 E T _; set d2 := D2 E T _; split=> [q q_in|d private].
  have q01 i : 0 <= q i <= 1 by case/andP: (q_in i) => -> /= /le_trans->.
  have all_in : all (fun x => 0 <= x <= p) (codom q) by apply/allP => _ /mapP[i _ ->].
  have sz : size (codom q) = N by rewrite size_codom card_ord.
  apply/indist_hs; split.
    have [_ [j le_j ->]] := censoring_up T q01 E1.
    rewrite !at_least_below // -/(D1 E j _) le_maxl le_maxr lexx /=.
    have [m le_m] := all_to_crowd j (D1_difference E) all_in sz; move/le_trans; apply.
    rewrite -(subnK le_j); apply: (best_event (D1_difference E) p01') le_m.
      by rewrite le_maxr lexx.
    by move=> i le_i; rewrite !le_maxr (best_up p01 E1 fl1 le_i) orbT.
  have [_ [j le_j ->]] := censoring_down T q01 E1.
  rewrite !fewer_below // -/(D2 E j _) le_maxl le_maxr lexx /=.
  have [m le_m] := all_to_crowd j (D2_difference E1) all_in sz; move/le_trans; apply.
  rewrite -(subnK le_j); apply: (best_event (D2_difference E1) p01') le_m.
    by rewrite le_maxr lexx.
  by move=> i le_i; rewrite !le_maxr (best_down p01 E1 fl2 le_i) !orbT.
have in_class M i : 0 <= crowd N p M i <= p by apply: crowd_in; exact: ltW.
have in01 M i : 0 <= crowd N p M i <= 1 by case/andP: (in_class M i) => -> /= /le_trans->.
have [priv1 _] := iffLR (indist_hs _ _ _ _) (private _ (in_class M1)).
have [_ priv2] := iffLR (indist_hs _ _ _ _) (private _ (in_class M2)).
have [up1 _] := censoring_up T (in01 M1) E1.
have [down2 _] := censoring_down T (in01 M2) E1.
have := le_trans (up1 T (leqnn T)) priv1; have := le_trans (down2 T (leqnn T)) priv2.
rewrite difference_upE // difference_downE // !le_maxl.
by move=> /andP[-> ->] /andP[_ ->].
Qed.

(** Theorem 4, sharpened (section 4.2). Let each of N independent others be 1 with a
    probability of at most [p], 0 < p <= 1, and let M be the smaller of N and floor (T / p). At epsilon 0 the
    count with threshold T has delta = P[S = T], where S is binomial with M trials of probability [p],
    and no smaller delta will do for all such others. *)
Theorem tight_thm_4 N p M : 0 < p <= 1 ->
  (M <= N)%N -> M%:R * p <= T%:R -> ((M < N)%N -> T%:R < M.+1%:R * p) ->
  least_delta N p 1 ('C(M, T)%:R * p ^+ T * (1 - p) ^+ (M - T)).
Proof.
move=> p01 le_M le_T gt_T; have [p0 p1] := andP p01.
have p01' : 0 <= p <= 1 by rewrite ltW.
rewrite -pmf_nseq; have [le_TN|lt_NT] := leqP T N; last first.
  (* the threshold is never exceeded *)
  have all1 (q : 'I_N -> R) j : (N < j)%N -> below (codom q) j = 1.
    by move=> lt_N; rewrite /below pmf_sum // size_codom card_ord.
  rewrite pmf_out ?size_nseq ?(leq_ltn_trans le_M) //; split=> [q q_in|d private].
    have q01 i : 0 <= q i <= 1 by case/andP: (q_in i) => -> /= /le_trans->.
    apply/indist_hs; split.
      have [_ [j /(leq_trans lt_NT) lt_j ->]] := censoring_up T q01 (lexx 1).
      by rewrite !at_least_below // !all1 ?(leqW lt_j) // subrr mulr0 subrr maxxx.
    have [_ [j /(leq_trans lt_NT) lt_j ->]] := censoring_down T q01 (lexx 1).
    by rewrite !fewer_below !all1 ?(leqW lt_j) // mulr1 subrr maxxx.
  have [priv _] := iffLR (indist_hs _ _ _ _) (private _ (fun i => crowd_in M i (ltW p0))).
  exact: le_trans (hs_ge0 _ _ _) priv.
have le_TM : (T <= M)%N.
  rewrite leqNgt; apply/negP => lt_MT; have := gt_T (leq_trans lt_MT le_TN).
  rewrite ltNge; case/negP; apply: (@le_trans _ _ M.+1%:R); last by rewrite ler_nat.
  by rewrite ler_pimulr // ler0n.
have floor x : x = T%:R * (1 - p) / p -> floor_up_to N x M.
  move=> ->; split => //; first rewrite ler_pdivl_mulr // natrB //.
    by rewrite mulrBl mulrBr mulr1 ler_add2r.
  move=> /gt_T lt_T; rewrite ltr_pdivr_mulr // -subSn // natrB ?leqW //.
  by rewrite mulrBl mulrBr mulr1 ltr_add2r.
have := tight_thresholding p01 (lexx 1) (floor _ _) (floor _ _).
rewrite !mulr1 => /(_ erefl erefl); congr least_delta.
rewrite /difference_up /difference_down difference_upE // difference_downE // /D1 /D2 !mul1r !below_S.
set f := pmf _ _; set u := below _ _.
have -> : 1 - u - (1 - (u + f)) = f by ring.
have -> : u + f - u = f by ring.
by rewrite maxxx; apply/max_idPr/pmf_ge0; rewrite /probabilities all_nseq p01' orbT.
Qed.

(** "The threshold alone" (section 4.2). With M1 = T + floor (T (1-p) / (p E)) and
    M2 = T + floor (T (1-p) E / p), the largest delta is the same for all numbers N >= M2 of others. *)
Theorem threshold_alone p E M1 M2 N : 0 < p <= 1 -> 1 <= E ->
  (T <= M1)%N -> (M1 - T)%:R <= T%:R * (1 - p) / (p * E) < (M1 - T).+1%:R ->
  (T <= M2)%N -> (M2 - T)%:R <= T%:R * (1 - p) * E / p < (M2 - T).+1%:R ->
  (M2 <= N)%N ->
  least_delta N p E (Num.max 0 (Num.max (difference_up p E M1) (difference_down p E M2))).
Proof.
move=> p01 E1 le1 /andP[fl1 gt1] le2 /andP[fl2 gt2] le_N.
have E0 : 0 < E by exact: lt_le_trans ltr01 E1.
have [p0 p1] := andP p01; have q0 : 0 <= 1 - p by rewrite subr_ge0.
have le12 : (M1 <= M2)%N.
  rewrite -(subnK le1) -(subnK le2) leq_add2r -ltnS -(ltr_nat R).
  apply: (le_lt_trans fl1); apply: le_lt_trans gt2.
  rewrite ler_pdivr_mulr ?mulr_gt0 //.
  rewrite [X in _ <= X](_ : _ = T%:R * (1 - p) * (E * E)).
    by rewrite ler_pemulr ?mulr_ge0 ?ler0n // mulr_ege1.
  by rewrite -!mulrA mulKf // gt_eqF.
by apply: tight_thresholding => //; split=> //; exact: leq_trans le_N.
Qed.

End Theorem4.

(** ** Lemma 2 *)

(** Lemma 2 (section 4.2). For 0 < p < 1, m at most n and r = p n / ((1 - p) m) below 1, the
    tail of the binomial law from m on is less than its mass at m over 1 - r. *)
Theorem lem_2 (R : realFieldType) (p : R) n m : 0 < p < 1 -> (0 < m <= n)%N ->
  let f s := 'C(n, s)%:R * p ^+ s * (1 - p) ^+ (n - s) in
  let r := p * n%:R / ((1 - p) * m%:R) in
  r < 1 -> \sum_(m <= s < n.+1) f s < f m / (1 - r).
Proof.
move=> /andP[p0 p1] /andP[m0 le_m] f r r1.
have q0 : 0 < 1 - p by rewrite subr_gt0.
have m0' : 0 < m%:R :> R by rewrite ltr0n.
have qm : 0 < (1 - p) * m%:R by rewrite mulr_gt0.
have n0' : 0 < n%:R :> R by rewrite ltr0n (leq_trans m0).
have r0 : 0 < r by rewrite divr_gt0 // mulr_gt0.
have f_gt0 s : (s <= n)%N -> 0 < f s by move=> le_s; rewrite /f !mulr_gt0 ?exprn_gt0 ?ltr0n ?bin_gt0.
have f_ge0 s : 0 <= f s by rewrite /f !mulr_ge0 ?exprn_ge0 ?ler0n ?ltW.
have fE s : f s = pmf (nseq n p) s by rewrite pmf_nseq.
(* each mass is at most r times the one before *)
have step s : (m <= s <= n)%N -> f s.+1 <= r * f s.
  move=> /andP[le_ms le_sn].
  have pos : 0 < s.+1%:R * (1 - p) by rewrite mulr_gt0 ?ltr0n.
  rewrite -(ler_pmul2r pos) !fE pmf_ratio // -!fE.
  rewrite [r * f s]mulrC -[X in _ <= X]mulrA ler_wpmul2l //.
  apply: (@le_trans _ _ (n%:R * p)).
    by rewrite ler_pmul2r // ler_nat leq_subr.
  rewrite (_ : n%:R * p = r * ((1 - p) * m%:R)); last by rewrite /r divfK ?gt_eqF // mulrC.
  by rewrite ler_pmul2l // mulrC ler_pmul2r // ler_nat leqW.
rewrite ltr_pdivl_mulr ?subr_gt0 // mulrBr mulr1 ltr_subl_addr.
rewrite {1}big_ltn ?ltnS // ltr_add2l big_add1 /= big_nat_recr //=.
rewrite mulrDl; apply: (@le_lt_trans _ _ ((\sum_(m <= s < n) f s) * r)); last first.
  by rewrite ltr_addl mulr_gt0 ?f_gt0.
rewrite mulr_suml ler_sum_nat // => s /andP[le_ms lt_sn].
by rewrite mulrC step // le_ms ltnW.
Qed.
