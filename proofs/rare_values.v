(** * Section 4.3: two rare values

    The part of the corrected Theorem 5 on two rare values, which cost delta' only
    once. The idea: show which of the others have neither of both values, and
    these others' values. What is left is how the rest splits between the two,
    a sum of independent bits. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra ring zify.
From pkdp Require Import divergence counts theorem_3 blanket histogram thresholds theorem_4 k_anonymity.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** A count of which a block in the middle is not shown *)

Section Block.
Variable (R : realFieldType).
Implicit Types (s : nat -> R).

(** What X + 1 has in excess of X from [y] on. *)
Lemma excess_from s n y : s n = 0 -> (y <= n)%N -> \sum_(x < n.+1 | (y <= x)%N) (up s x - s x) = up s y.
Proof.
move=> sn le_y; have tele m : (y <= m)%N -> \sum_(x < m.+1 | (y <= x)%N) (up s x - s x) = up s y - s m.
  elim: m => [|m IH]; first by rewrite leqn0 => /eqP->; rewrite big_mkcond big_ord1.
  rewrite big_mkcond big_ord_recr /= -big_mkcond => le_m; rewrite le_m.
  move: le_m; rewrite leq_eqVlt => /predU1P[->|]; last by rewrite ltnS => /IH ->; rewrite addrA subrK.
  by rewrite big_pred0 ?add0r // => x; rewrite leqNgt ltn_ord.
by rewrite tele // sn subr0.
Qed.

(** Let [X] be a sum of independent bits, with the law [s], and let events not tell apart
    the values from m + 1 - T to T. What an event of X + 1 has in excess of that of X is at most the
    largest probability of a value of X that is at least T, or at most m - T. *)
Lemma block_excess s (A : nat -> bool) m T n c :
  (forall x, 0 <= s x) -> logconcave s -> s n = 0 -> 0 <= c ->
  (forall x y, (m.+1 <= x + T)%N -> (x <= T)%N -> (m.+1 <= y + T)%N -> (y <= T)%N -> A x = A y) ->
  (forall j, (T <= j)%N -> s j <= c) -> (forall j, (j + T <= m)%N -> s j <= c) ->
  \sum_(x < n.+1 | A x) (up s x - s x) <= c.
Proof.
move=> s0 ls sn c0 block high low; pose g x := up s x - s x.
have gE x : g x = up s x - 1 * s x by rewrite mul1r.
have allowed y : (T < y)%N || (y + T <= m.+1)%N -> up s y <= c.
  by case: y => [|y] //=; rewrite addSn ltnS [(y + T < m.+1)%N]ltnS => /orP[/high|/low].
(* it is enough to compare with all values from some y on *)
have enough y : (T < y)%N || (y + T <= m.+1)%N ->
    (forall x, (x < y)%N -> A x -> g x <= 0) -> (forall x, (y <= x)%N -> ~~ A x -> 0 <= g x) ->
    \sum_(x < n.+1 | A x) (up s x - s x) <= c.
  move=> ok below_y above_y; apply: (@le_trans _ _ (\sum_(x < n.+1 | (y <= x)%N) g x)); last first.
    have [le_y|lt_y] := leqP y n; first by rewrite excess_from // allowed.
    by rewrite big_pred0 // => x; rewrite leqNgt (leq_trans (ltn_ord x)).
  rewrite big_mkcond [X in _ <= X]big_mkcond /=; apply: ler_sum => x _; rewrite -/(g x).
  case: leqP => [le_x|lt_x]; case Ax: (A x) => //.
    by apply: above_y => //; rewrite Ax.
  exact: below_y.
have [|none] := pickP (fun x : 'I_n.+1 => 0 < g x); last first.
  apply: le_trans c0; rewrite -oppr_ge0 -sumrN; apply: sumr_ge0 => x _.
  by rewrite oppr_ge0 leNgt -/(g x) none.
move=> x1 gx1; have exx : exists x, 0 < g x by exists x1.
case: (ex_minnP exx) => x0 g0 min0 {x1 gx1 exx}.
have fall x : (x < x0)%N -> g x <= 0 by rewrite leNgt => lt; apply/negP => /min0; rewrite leqNgt lt.
have rise x : (x0 <= x)%N -> 0 <= g x.
  move=> le; rewrite gE; apply: (@excess_up_stays _ s 1 x0 x s0 ls ler01 _ le).
  by move: g0; rewrite gE.
have [ok|] := boolP ((T < x0)%N || (x0 + T <= m.+1)%N).
  by apply: (enough x0 ok) => x le _; [exact: fall | exact: rise].
rewrite negb_or -leqNgt -ltnNge => /andP[x0T lt_m].
case A0: (A x0); last first.
  apply: (enough T.+1); first by rewrite ltnSn.
    move=> x; rewrite ltnS => le_x Ax; apply: fall; rewrite ltnNge; apply/negP => le0.
    by move: Ax; rewrite (block x x0) ?A0 //; lia.
  by move=> x lt_x _; apply: rise; lia.
have [le_T|lt_T] := leqP T m.+1.
  apply: (enough (m.+1 - T)%N); first by rewrite subnK // leqnn orbT.
    by move=> x lt_x _; apply: fall; lia.
  move=> x le_x nA; apply: rise; rewrite leqNgt; apply/negP => lt_x.
  by move: nA; rewrite (block x x0) ?A0 //; lia.
(* all values up to T look alike *)
rewrite big_mkcond; apply: (@le_trans _ _ (\sum_(x < n.+1 | (0 <= x)%N) g x)); last first.
  by rewrite excess_from.
rewrite [X in _ <= X]big_mkcond /=; apply: ler_sum => x _; case: ifP => // /negbT nA.
apply: rise; rewrite leqNgt; apply/negP => lt_x; move: nA; rewrite (block x x0) ?A0 //; lia.
Qed.

End Block.

Section TwoRare.
Variables (R : realFieldType) (C : finType) (absent : C) (N k : nat) (q : 'I_N -> C -> R) (t u : C).
Hypotheses (tu : t != u) (t_abs : t != absent) (u_abs : u != absent) (q_law : forall i, law (q i)).
Implicit Types (g : {ffun 'I_N -> option C}) (y b : {ffun 'I_N -> bool}) (a : 'I_N -> R) (c v : C).

(** A record in two steps: its value if that is neither [t] nor [u]; and else one of the two. *)
Definition own_value i (o : option C) : R :=
  if o is Some c then (if (c == t) || (c == u) then 0 else q i c) else q i t + q i u.
(** How likely it is that these values are shown, and that the others have one of the two. *)
Definition own g : R := \prod_i own_value i (g i).
(** How likely a record that has one of the two has [t]. *)
Definition share i : R := q i t / (q i t + q i u).
(** The bits of the records whose values are not shown. *)
Definition where_none a g i : R := if g i is None then a i else 0.

Lemma q_ge0 i c : 0 <= q i c. Proof. exact: law_ge0 (q_law i). Qed.

Lemma q01 i c : 0 <= q i c <= 1.
Proof.
rewrite q_ge0 -(law_sum (q_law i)) (bigD1 c) //= ler_addl.
by apply: sumr_ge0 => v _; exact: q_ge0.
Qed.

Lemma own_ge0 g : 0 <= own g.
Proof.
apply: prodr_ge0 => i _; rewrite /own_value; case: (g i) => [c|]; last by rewrite addr_ge0 ?q_ge0.
by case: ifP => // _; exact: q_ge0.
Qed.

Lemma share_mass i : (q i t + q i u) * share i = q i t /\ (q i t + q i u) * (1 - share i) = q i u.
Proof.
have e : (q i t + q i u) * share i = q i t.
  rewrite /share mulrC; have [z|nz] := eqVneq (q i t + q i u) 0; last by rewrite divfK.
  by move/eqP: z; rewrite paddr_eq0 ?q_ge0 // => /andP[/eqP-> _]; rewrite !mul0r.
by split=> //; rewrite mulrBr e mulr1 addrAC subrr add0r.
Qed.

Lemma share01 i : 0 <= share i <= 1.
Proof.
rewrite /share divr_ge0 ?addr_ge0 ?q_ge0 //=; have [->|nz] := eqVneq (q i t + q i u) 0.
  by rewrite invr0 mulr0 ler01.
by rewrite ler_pdivr_mulr ?mul1r ?ler_addl ?q_ge0 // lt_neqAle eq_sym nz addr_ge0 ?q_ge0.
Qed.

Lemma where_none01 a g : (forall i, 0 <= a i <= 1) -> forall i, 0 <= where_none a g i <= 1.
Proof. by move=> a01 i; rewrite /where_none; case: (g i) => // _; rewrite lexx ler01. Qed.

Lemma none_where_1 a g y i : bits (where_none a g) y != 0 -> y i -> g i = None.
Proof.
move/prodf_neq0 => /(_ i isT); rewrite /where_none; case: (g i) => [c|] // nz yi.
by rewrite yi eqxx in nz.
Qed.

(** Records drawn in two steps have the right law. *)
Lemma records_two_steps (S : {set {ffun 'I_N -> C}}) :
  prob (records q) S = \sum_g own g * \sum_y bits (where_none share g) y * (database t u (g, y) \in S)%:R.
Proof.
pose B i o c : R := if o is Some c' then (c' == c)%:R else share i * (t == c)%:R + (1 - share i) * (u == c)%:R.
have one d : records q d = \sum_g own g * \sum_y bits (where_none share g) y * (database t u (g, y) == d)%:R.
  transitivity (\sum_(g : {ffun 'I_N -> option C}) \prod_i (own_value i (g i) * B i (g i) (d i))).
    rewrite -(bigA_distr_bigA (fun i o => own_value i o * B i o (d i))); apply: eq_bigr => i _.
    have [et eu] := share_mass i.
    rewrite sum_option /= mulrDr (mulrA _ (share i)) (mulrA _ (1 - share i)) et eu (bigD1 (d i)) //= eqxx mulr1 big1 => [|c /negPf->]; last exact: mulr0.
    rewrite addr0 ![_ == d i]eq_sym; have [->|nt] := eqVneq (d i) t; first by rewrite (negPf tu) mulr0 mulr1 !addr0.
    by have [->|nu] := eqVneq (d i) u; rewrite !mulr0 ?mulr1 ?addr0 ?add0r.
  apply: eq_bigr => g _; rewrite big_split /=; congr (_ * _).
  transitivity (\prod_i \sum_(h : bool) (if h then where_none share g i else 1 - where_none share g i) * (record t u (g i) h == d i)%:R).
    apply: eq_bigr => i _; rewrite big_bool /= /where_none; case: (g i) => [c|] //=.
    by rewrite mul0r add0r subr0 mul1r.
  rewrite bigA_distr_bigA; apply: eq_bigr => y _; rewrite big_split /=; congr (_ * _).
  case: eqP => [<-|/eqP neq]; first by rewrite big1 // => i _; rewrite ffunE eqxx.
  have [i neq_i] : exists i, record t u (g i) (y i) != d i.
    apply/existsP; rewrite -negb_forall; apply: contra neq => /forallP eq_d.
    by apply/eqP/ffunP => i; rewrite ffunE; apply/eqP.
  by rewrite (bigD1 i) //= (negPf neq_i) mul0r.
rewrite /prob (eq_bigr _ (fun d _ => one d)) exchange_big; apply: eq_bigr => g _.
rewrite -mulr_sumr exchange_big; congr (_ * _); apply: eq_bigr => y _.
rewrite -mulr_sumr; congr (_ * _); rewrite -natr_sum; congr (_%:R).
have [yS|nS] := boolP (database t u (g, y) \in S).
  rewrite (bigD1 _ yS) /= eqxx big1 // => d /andP[_ /negPf]; by rewrite eq_sym => ->.
by rewrite big1 // => d dS; case: eqP => // e; rewrite e dS in nS.
Qed.

(** The mean of a function of the number of ones. *)
Lemma mean_ones (a : 'I_N -> R) (phi : nat -> R) :
  \sum_y bits a y * phi (ones y) = \sum_(x < N.+1) pmf (codom a) x * phi x.
Proof.
rewrite (partition_big (fun w => inord (ones w) : 'I_N.+1) predT) //=.
apply: eq_bigr => x _; rewrite -bits_pmf mulr_suml.
have val_x (w : {ffun 'I_N -> bool}) : (inord (ones w) == x) = (ones w == x).
  by rewrite -val_eqE /= inordK // ltnS ones_le.
by rewrite (eq_bigl _ _ val_x); apply: eq_bigr => w /eqP->.
Qed.

(** What is released, from the values that are shown and the number of all records with [t]. *)
Definition entry c (n : nat) : option 'I_N.+2 := if (c != absent) && (k <= n)%N then Some (inord n) else None.
(** The whole release; the records that have [t] or [u] are one more than those whose values are not shown. *)
Definition released_as g (x : nat) : {ffun C -> option 'I_N.+2} :=
  [ffun c => entry c (if c == t then x else if c == u then (tossed g).+1 - x else \sum_i (g i == Some c))%N].

Lemma release_of g y (target : bool) : own g != 0 -> bits (where_none share g) y != 0 ->
  truncate absent k (histogram (database t u (g, y)) (if target then t else u)) = released_as g (ones y + target).
Proof.
move=> own_nz nz; have no c : (c == t) || (c == u) -> forall i, (g i == Some c) = false.
  move=> ctu i; apply/eqP => gi; move/prodf_neq0: own_nz => /(_ i isT).
  by rewrite /own_value gi ctu eqxx.
have [no_t no_u] : (forall i, (g i == Some t) = false) /\ (forall i, (g i == Some u) = false).
  by split; apply: no; rewrite eqxx ?orbT.
have at_t : others (database t u (g, y)) t = ones y.
  apply: eq_bigr => i _; have := no_t i; have := @none_where_1 share g y i nz; rewrite ffunE /=.
  case: (g i) => [c|] /=; first by case: (y i) => [/(_ isT)//|_ ne]; rewrite -(inj_eq (@Some_inj _)) ne.
  by case: (y i); rewrite ?eqxx // [u == t]eq_sym (negPf tu).
have at_u : (others (database t u (g, y)) u + ones y = tossed g)%N.
  rewrite -big_split; apply: eq_bigr => i _; have := no_u i; have := @none_where_1 share g y i nz; rewrite ffunE /=.
  case: (g i) => [c|] /=; first by case: (y i) => [/(_ isT)//|_ ne]; rewrite -(inj_eq (@Some_inj _)) ne.
  by case: (y i); rewrite ?eqxx // (negPf tu).
have at_c c : c != t -> c != u -> others (database t u (g, y)) c = (\sum_i (g i == Some c))%N.
  move=> ct cu; apply: eq_bigr => i _; rewrite ffunE /=; case: (g i) => [v|] //=.
  by case: (y i); [rewrite eq_sym (negPf ct) | rewrite eq_sym (negPf cu)].
apply/ffunP => c; rewrite [LHS]ffunE [RHS]ffunE /entry.
have -> : (if c == t then ones y + target else if c == u then (tossed g).+1 - (ones y + target)
    else \sum_i (g i == Some c))%N = histogram (database t u (g, y)) (if target then t else u) c.
  rewrite histogram_val; have [->|ct] := eqVneq c t.
    by rewrite at_t; case: target; rewrite ?eqxx // [u == t]eq_sym (negPf tu).
  have [->|cu] := eqVneq c u; last by rewrite at_c //; case: target; rewrite [_ == c]eq_sym ?(negPf ct) ?(negPf cu) addn0.
  rewrite -at_u; case: target; rewrite ?eqxx ?(negPf tu).
    by rewrite addn1 subSS addnK addn0.
  by rewrite addn0 -addSn addnK addn1.
case: ifP => // _; congr Some; apply: val_inj; rewrite /= inordK // ltn_ord.
Qed.

(** Where both counts are hidden, nothing is told of them. *)
Lemma both_hidden g x x' : ((tossed g).+1 <= x + k.-1)%N -> (x <= k.-1)%N ->
  ((tossed g).+1 <= x' + k.-1)%N -> (x' <= k.-1)%N -> released_as g x = released_as g x'.
Proof.
move=> lo hi lo' hi'; have [|k0] := posnP k; first by move=> k0; move: lo hi; rewrite k0 /=; lia.
have small n : (n <= k.-1)%N -> (k <= n)%N = false by lia.
apply/ffunP => c; rewrite !ffunE /entry; have [_|_] := eqVneq c t; first by rewrite !small ?andbF.
have [_|//] := eqVneq c u; by rewrite !small ?andbF //; lia.
Qed.

(** The larger of the two shares. *)
Definition larger i : R := Num.max (share i) (1 - share i).

Lemma larger01 i : 0 <= larger i <= 1.
Proof.
have /andP[s0 s1] := share01 i.
by rewrite /larger le_maxr s0 le_maxl s1 ger_addl oppr_le0.
Qed.

Lemma pmf_at_least (a a' : 'I_N -> R) j T : (forall i, 0 <= a i <= 1) -> (forall i, 0 <= a' i <= 1) -> (forall i, a i <= a' i) ->
  (T <= j)%N -> pmf (codom a) j <= at_least a' T.
Proof.
move=> a01 a'01 aa' Tj; apply: le_trans (at_least_le T a01 a'01 aa').
rewrite -bits_pmf /at_least /prob [X in _ <= X](bigID (fun b => ones b == j)) /=.
rewrite (eq_bigl (fun b => (b \in [set b0 | (T <= ones b0)%N]) && (ones b == j))) => [|b]; last first.
  by rewrite inE; case: eqP => [->|]; rewrite ?andbF // Tj.
by rewrite ler_addl sumr_ge0 // => b _; exact: law_ge0 (bits_law a01).
Qed.

(** To count the others that are not [t] is to count the other share. *)
Lemma pmf_where_none a g : pmf (codom (where_none a g)) =1 pmf [seq a i | i <- enum 'I_N & g i == None].
Proof.
rewrite codomE; elim: (enum 'I_N) => [|i s IH] x //=; rewrite /where_none -/(where_none a g).
have up_IH : up (pmf [seq where_none a g j | j <- s]) x = up (pmf [seq a j | j <- s & g j == None]) x.
  by case: x => //= x; exact: IH.
rewrite IH up_IH; case: (g i) => [c|] //=.
by rewrite subr0 mul1r mul0r addr0.
Qed.

Lemma pmf_other_share g j : (j <= tossed g)%N ->
  pmf (codom (where_none share g)) j = pmf (codom (where_none (fun i => 1 - share i) g)) (tossed g - j).
Proof.
move=> le_j; rewrite !pmf_where_none; set s := [seq i <- _ | _].
have size_s : size [seq share i | i <- s] = tossed g.
  rewrite size_map size_filter /tossed -sum1_count big_mkcond big_enum /=.
  by apply: eq_bigr => i _; case: eqP.
have -> : [seq 1 - share i | i <- s] = [seq 1 - p | p <- [seq share i | i <- s]] by rewrite -map_comp.
by rewrite pmf_mirror size_s ?leq_subr // subKn.
Qed.

(** On average over what is shown, the larger share is what the larger of both probabilities gives. *)
Lemma mean_at_least T : \sum_g own g * at_least (where_none larger g) T = at_least (fun i => Num.max (q i t) (q i u)) T.
Proof.
rewrite /at_least /prob; under eq_bigr do rewrite mulr_sumr; rewrite exchange_big; apply: eq_bigr => y _.
transitivity (\sum_(g : {ffun 'I_N -> option C}) \prod_i (own_value i (g i) *
    (if y i then (if g i is None then larger i else 0) else 1 - (if g i is None then larger i else 0)))).
  by apply: eq_bigr => g _; rewrite big_split.
rewrite -(bigA_distr_bigA (fun i o => own_value i o * (if y i then (if o is None then larger i else 0) else 1 - (if o is None then larger i else 0)))).
apply: eq_bigr => i _; have [et eu] := share_mass i.
have total : \sum_o own_value i o = 1.
  rewrite sum_option /= -(law_sum (q_law i)) [RHS](bigD1 t) //= [X in _ = _ + X](bigD1 u) 1?eq_sym //= addrA; congr (_ + _).
  rewrite [LHS](bigD1 t) //= eqxx add0r (bigD1 u) 1?eq_sym //= eqxx orbT add0r.
  by apply: eq_bigr => c /andP[/negPf-> /negPf->].
have both : (q i t + q i u) * larger i = Num.max (q i t) (q i u).
  by rewrite /larger maxr_pmulr ?addr_ge0 ?q_ge0 // et eu.
rewrite -both; case: (y i); rewrite sum_option /=.
  by rewrite big1 ?addr0 // => c _; rewrite mulr0.
under [X in _ + X]eq_bigr do rewrite subr0 mulr1.
by rewrite mulrBr mulr1 -[X in _ = X - _]total sum_option /= addrAC.
Qed.

(** What an event of the release has in excess if the target has [t] and not [u]. *)
Lemma rare_excess rho (A : {set {ffun C -> option 'I_N.+2}}) : 0 <= rho <= 1 ->
  (forall i, q i t <= rho) -> (forall i, q i u <= rho) ->
  prob (truncated absent k q t) A <= prob (truncated absent k q u) A + seldom N k rho.
Proof.
move=> rho01 t_rare u_rare; rewrite addrC -ler_subl_addr !prob_truncated !records_two_steps -sumrB.
have rare : at_least (fun i => Num.max (q i t) (q i u)) k.-1 <= seldom N k rho.
  apply: at_least_le => i //; last by rewrite le_maxl t_rare u_rare.
  by rewrite le_maxr q_ge0 le_maxl !(andP (q01 i _)).2.
apply: le_trans rare; rewrite -mean_at_least; apply: ler_sum => g _; rewrite -mulrBr.
have [->|own_nz] := eqVneq (own g) 0; first by rewrite !mul0r.
rewrite ler_wpmul2l ?own_ge0 //; set s := pmf (codom (where_none share g)).
have s01 := where_none01 g share01; have l01 := where_none01 g larger01.
have o01 : forall i, 0 <= where_none (fun i => 1 - share i) g i <= 1.
  by apply: where_none01 => i; have /andP[s0 s1] := share01 i; rewrite subr_ge0 s1 ger_addl oppr_le0.
pose shown x : bool := released_as g x \in A.
have value (target : bool) : \sum_y bits (where_none share g) y *
    (database t u (g, y) \in [set d | truncate absent k (histogram d (if target then t else u)) \in A])%:R
    = \sum_(x < N.+1) s x * (shown (x + target)%N)%:R.
  rewrite -(mean_ones (where_none share g) (fun x => (shown (x + target)%N)%:R)); apply: eq_bigr => y _; have [->|nz] := eqVneq (bits (where_none share g) y) 0; first by rewrite !mul0r.
  by rewrite inE release_of.
rewrite (value true) (value false).
have sN : s N.+1 = 0 by rewrite /s pmf_out // size_codom card_ord.
have -> : \sum_(x < N.+1) s x * (shown (x + true)%N)%:R = \sum_(x < N.+2) up s x * (shown x)%:R.
  by rewrite [RHS]big_ord_recl mul0r add0r; apply: eq_bigr => x _; rewrite addn1.
have -> : \sum_(x < N.+1) s x * (shown (x + false)%N)%:R = \sum_(x < N.+2) s x * (shown x)%:R.
  by rewrite [RHS]big_ord_recr /= sN mul0r addr0; apply: eq_bigr => x _; rewrite addn0.
rewrite -sumrB (eq_bigr (fun x : 'I_N.+2 => if shown x then up s x - s x else 0)) => [|x _]; last first.
  by rewrite -mulrBl; case: (shown x); rewrite ?mulr1 ?mulr0.
rewrite -big_mkcond; apply: (@block_excess _ s shown (tossed g) k.-1 N.+1).
- by move=> x; apply: pmf_ge0; exact: codom_probabilities.
- by apply: pmf_logconcave; exact: codom_probabilities.
- exact: sN.
- by apply: prob_ge0; exact: bits_law.
- by move=> x x' lo hi lo' hi'; rewrite /shown (both_hidden lo hi lo' hi').
- move=> j le_j; apply: pmf_at_least => // i; rewrite /where_none; case: (g i) => [c|] //.
  by rewrite /larger le_maxr lexx.
- move=> j le_j; rewrite /s pmf_other_share; last by apply: leq_trans le_j; exact: leq_addr.
  apply: pmf_at_least => // [i|]; last by rewrite leq_subRL ?(leq_trans (leq_addr _ _) le_j).
  by rewrite /where_none; case: (g i) => [c|] //; rewrite /larger le_maxr lexx orbT.
Qed.

End TwoRare.

(** Theorem 5, corrected (section 4.3), two rare values. If each of the N others has [t], and [u], with a probability of at
    most [rho], what is released is (1, delta')-indistinguishable for a target with [t] and one with
    [u]; delta' is the probability of k - 1 or more successes in N trials of probability [rho]. (So epsilon
    is 0, and one delta' is enough for both values.) *)
Theorem corrected_thm_5_rare_rare (R : realFieldType) (C : finType) (absent : C) (N k : nat) (q : 'I_N -> C -> R) (t u : C) (rho : R) :
  (forall i, law (q i)) -> t != u -> t != absent -> u != absent -> 0 <= rho <= 1 ->
  (forall i, q i t <= rho) -> (forall i, q i u <= rho) ->
  indist 1 (seldom N k rho) (truncated absent k q t) (truncated absent k q u).
Proof.
move=> lq tu t_abs u_abs rho01 t_rare u_rare A; rewrite !mul1r; split; apply: rare_excess => //.
by rewrite eq_sym.
Qed.
