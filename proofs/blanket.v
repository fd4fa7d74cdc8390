(** * Theorem 3, corrected: the blanket bound

    A bit that is 1 with a probability between lambda and 1 - lambda tosses a fair
    coin with probability 2 lambda. The coins of all the others hide the target. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra ring.
From pkdp Require Import divergence counts theorem_3.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Blanket.
Variables (R : realFieldType).
Implicit Types (p q r E lam : R) (ps : seq R).

(** ** The two bounds *)

(** The probability that, of [N] independent trials, [x] come out as heads, [y]
    as tails and the others as neither: heads have probability lambda, and so have tails. *)
Definition multinomial N lam x y : R :=
  'C(N, x + y)%:R * 'C(x + y, x)%:R * lam ^+ (x + y) * (1 - 2%:R * lam) ^+ (N - (x + y)).

(** The mean of the positive part of 1 - E Y / (X + 1), where X is the number of heads, Y of tails. *)
Definition blanket N lam E : R :=
  \sum_(k < N.+1) \sum_(x < k.+1)
    multinomial N lam x (k - x) * Num.max 0 (1 - E * (k - x)%:R / x.+1%:R).

(** The probability that (X + 1) / Y is at least E; it is infinite where Y is 0. *)
Definition blanket_tail N lam E : R :=
  \sum_(k < N.+1) \sum_(x < k.+1 | E * (k - x)%:R <= x.+1%:R) multinomial N lam x (k - x).

(** ** Equal probabilities *)

(** The binomial law. *)
Lemma pmf_nseq N p k : pmf (nseq N p) k = 'C(N, k)%:R * p ^+ k * (1 - p) ^+ (N - k).
Proof.
elim: N k => [|N IH] [|k] /=; rewrite ?IH ?bin0 ?bin0n ?mul0r ?mulr1 //=.
  by rewrite !mul1r mulr0 addr0 !subn0 exprS.
rewrite binS natrD subSS.
have -> : (1 - p) * ('C(N, k.+1)%:R * p ^+ k.+1 * (1 - p) ^+ (N - k.+1))
          = 'C(N, k.+1)%:R * p ^+ k.+1 * (1 - p) ^+ (N - k).
  have [ltk|leN] := ltnP k N; last by rewrite bin_small // !mul0r mulr0.
  by rewrite mulrCA -exprS -subSn.
by rewrite exprS; move: (p ^+ k) ((1 - p) ^+ _) (_%:R) (_%:R) => u v w z; ring.
Qed.

(** A half and its complement. *)
Lemma half_half : 1 - 2%:R^-1 = 2%:R^-1 :> R.
Proof. by rewrite -[X in X - _](@mulfV _ 2%:R) ?pnatr_eq0 // mulr_natl mulr2n addrK. Qed.

Lemma pmf_fair k x : pmf (nseq k 2%:R^-1) x = 'C(k, x)%:R * 2%:R^-1 ^+ k :> R.
Proof.
rewrite pmf_nseq half_half -mulrA -exprD; have [lex|ltk] := leqP x k; first by rewrite subnKC.
by rewrite bin_small // !mul0r.
Qed.

(** The divergence for [k] fair coins beside the target. *)
Definition coins N E k := count_divergence N E (nseq k 2%:R^-1).

(** It is a mean, too; heads are [x], tails are [k - x]. *)
Lemma coins_mean N E k : 0 <= E -> (k <= N)%N ->
  coins N E k = \sum_(x < k.+1) pmf (nseq k 2%:R^-1) x * Num.max 0 (1 - E * (k - x)%:R / x.+1%:R).
Proof.
move=> E0 lek; rewrite /coins /count_divergence /hs [LHS]big_ord_recl /seen /= sub0r.
have s0 x : 0 <= pmf (nseq k 2%:R^-1) x :> R by rewrite pmf_fair mulr_ge0 ?exprn_ge0 ?invr_ge0 ?ler0n.
have /max_idPl-> : - (E * pmf (nseq k 2%:R^-1) 0) <= 0 :> R by rewrite oppr_le0 mulr_ge0.
rewrite add0r (big_ord_widen N.+1 (fun x => pmf (nseq k 2%:R^-1) x * Num.max 0 (1 - E * (k - x)%:R / x.+1%:R))) //.
rewrite [RHS]big_mkcond /=; apply: eq_bigr => x _; case: ifP => [lex|/negbT].
  rewrite -max0_mul //; congr (Num.max 0 _); rewrite mulrBr mulr1; congr (_ - _).
  apply: (@mulIf _ x.+1%:R); first by rewrite pnatr_eq0.
  rewrite mulrA divfK ?pnatr_eq0 // -mulrA [RHS]mulrCA; congr (E * _).
  rewrite !pmf_fair mulrAC -natrM mulnC mul_bin_left natrM.
  by rewrite -mulrA mulrC.
rewrite -leqNgt => gtx; rewrite !pmf_fair !bin_small ?mul0r ?mulr0 ?subrr ?maxxx //; exact: ltnW.
Qed.

(** The blanket is the mean of that over the number of coins, which is binomial. *)
Lemma blanketE N lam E : 0 <= E ->
  blanket N lam E = \sum_(k < N.+1) pmf (nseq N (2%:R * lam)) k * coins N E k.
Proof.
move=> E0; apply: eq_bigr => -[k ltk] _ /=; rewrite coins_mean // mulr_sumr.
apply: eq_bigr => -[x ltx] _ /=; rewrite mulrA; congr (_ * _).
rewrite /multinomial subnKC // pmf_fair pmf_nseq exprMn.
rewrite [RHS](_ : _ = 'C(N, k)%:R * 'C(k, x)%:R * lam ^+ k * (1 - 2%:R * lam) ^+ (N - k)
                      * (2%:R ^+ k * 2%:R^-1 ^+ k)); last first.
  by move: (_%:R) (_%:R) (_ ^+ _) (_ ^+ _) (_ ^+ _) (_ ^+ _) => u v w x1 y z; ring.
by rewrite -exprMn mulfV ?pnatr_eq0 // expr1n mulr1.
Qed.

(** The tail bound is weaker than the blanket. *)
Theorem blanket_le_tail N lam E : 0 <= lam -> lam <= 1 - lam -> 0 <= E ->
  blanket N lam E <= blanket_tail N lam E.
Proof.
move=> lam0 half E0; apply: ler_sum => k _; rewrite [X in _ <= X]big_mkcond /=.
apply: ler_sum => x _.
have m0 : 0 <= multinomial N lam x (k - x).
  by rewrite !mulr_ge0 ?exprn_ge0 ?ler0n // mulr_natl mulr2n opprD addrA subr_ge0.
case: ifP => [_|/negbT].
  by rewrite ler_pimulr // le_maxl ler01 ger_addl oppr_le0 !mulr_ge0 ?invr_ge0 ?ler0n.
rewrite -ltNge => /ltW lt_x; suff /max_idPl-> : 1 - E * (k - x)%:R / x.+1%:R <= 0 by rewrite mulr0.
by rewrite subr_le0 ler_pdivl_mulr ?ltr0n // mul1r.
Qed.

(** ** Bits that add nothing *)

Lemma count_divergence_perm N E ps qs : perm_eq ps qs ->
  count_divergence N E ps = count_divergence N E qs.
Proof.
by move=> pq; apply: eq_hs => -[[|k] ltk]; rewrite /seen /= ?(pmf_perm pq).
Qed.

(** One more bit, independent of the others, does not help the attacker. *)
Lemma count_divergence_bit N E r ps : 0 <= E -> probabilities ps -> 0 <= r <= 1 ->
  count_divergence N E (r :: ps) <= count_divergence N E ps.
Proof.
move=> E0 pps r01; have {1}-> : r = r * 1 + (1 - r) * 0 by ring.
apply: le_trans (count_divergence_convex N E [::] 1 0 ps r01) _; apply: mean_le => //=; last first.
  rewrite le_eqVlt; apply/orP; left; apply/eqP.
  by apply: eq_hs => -[[|k] ltk]; rewrite /seen /= ?subr0 ?mul1r ?mul0r ?addr0.
set f := pmf ps; have e1 k : pmf (1 :: ps) k = up f k by rewrite /= subrr mul0r add0r mul1r.
have -> : count_divergence N E (1 :: ps) = \sum_(k < N.+2) Num.max 0 (up (up f) k - E * up f k).
  by apply: eq_bigr => -[[|k] ltk] _; congr (Num.max 0 (_ - E * _)); exact: e1.
rewrite [X in X <= _]big_ord_recl [X in _ <= X]big_ord_recr /= mulr0 subr0 maxxx add0r.
by rewrite ler_addl max0_ge0.
Qed.

(** ** The theorem *)

(** "Each record is a randomised response": a bit that is 1 with a probability
    [p] between lambda and 1 - lambda is a fair coin with probability 2 lambda, and
    otherwise a bit that is 1 with some probability [r]. *)
Theorem claim_randomised_response lam p : 0 <= lam -> lam <= p <= 1 - lam ->
  exists2 r, 0 <= r <= 1 & p = 2%:R * lam * 2%:R^-1 + (1 - 2%:R * lam) * r.
Proof.
move=> lam0 /andP[le_p p_le].
have e2 : 1 - 2%:R * lam = 1 - lam - lam by rewrite mulr_natl mulr2n opprD addrA.
have e1 : 2%:R * lam * 2%:R^-1 = lam by rewrite mulrAC mulfV ?mul1r ?pnatr_eq0.
rewrite e1 e2; have [half|not_half] := eqVneq (1 - lam - lam) 0.
  exists 0; rewrite ?lexx ?ler01 // mulr0 addr0; apply/eqP; rewrite eq_le le_p andbT.
  by move/eqP: half; rewrite subr_eq0 => /eqP<-.
have gap : 0 < 1 - lam - lam by rewrite lt_neqAle eq_sym not_half subr_ge0 (le_trans le_p).
exists ((p - lam) / (1 - lam - lam)); last by rewrite mulrC divfK // addrCA subrr addr0.
by rewrite divr_ge0 ?(ltW gap) ?subr_ge0 //= ler_pdivr_mulr // mul1r ler_add2r.
Qed.

(** With [k] coins uncovered already, and the others' records still to come. *)
Lemma uncover N E lam k ps : 0 <= E -> 0 <= lam ->
  all (fun q => lam <= q <= 1 - lam) ps ->
  count_divergence N E (nseq k 2%:R^-1 ++ ps)
  <= \sum_(j < (size ps).+1) pmf (nseq (size ps) (2%:R * lam)) j * coins N E (k + j).
Proof.
move=> E0 lam0; elim: ps k => [|p ps IH] k /=.
  by move=> _; rewrite big_ord_recl big_ord0 /= cats0 addn0 mul1r addr0.
move=> /andP[p_in ps_in]; have [r r01 ->] := claim_randomised_response lam0 p_in.
have t01 : 0 <= 2%:R * lam <= 1.
  rewrite mulr_ge0 ?ler0n //= mulr_natl mulr2n -ler_subr_addr.
  by case/andP: p_in; exact: le_trans.
apply: le_trans (count_divergence_convex N E _ _ _ _ t01) _.
case/andP: (t01) => t0 t1.
have fair_in : 0 <= (2%:R^-1 : R) <= 1 by rewrite invr_ge0 ler0n invf_le1 ?ltr0n ?ler1n.
have in01 : probabilities (nseq k 2%:R^-1 ++ ps).
  rewrite /probabilities all_cat all_nseq fair_in orbT /=.
  by apply: sub_all ps_in => q; exact: in_unit.
have less : count_divergence N E (nseq k 2%:R^-1 ++ r :: ps) <= count_divergence N E (nseq k 2%:R^-1 ++ ps).
  rewrite (@count_divergence_perm _ _ _ (r :: nseq k 2%:R^-1 ++ ps)); last by rewrite -cat1s perm_catCA.
  exact: count_divergence_bit.
have more : nseq k 2%:R^-1 ++ 2%:R^-1 :: ps = nseq k.+1 2%:R^-1 ++ ps :> seq R.
  by rewrite -[k.+1]addn1 nseqD -catA.
rewrite more; set s := pmf (nseq (size ps) _).
apply: (@le_trans _ _ (2%:R * lam * (\sum_(j < (size ps).+1) s j * coins N E (k.+1 + j))
   + (1 - 2%:R * lam) * (\sum_(j < (size ps).+1) s j * coins N E (k + j)))).
  by rewrite ler_add ?ler_wpmul2l ?subr_ge0 ?IH // (le_trans less) ?IH.
rewrite le_eqVlt; apply/orP; left; apply/eqP.
rewrite [RHS](eq_bigr (fun j : 'I__ => (1 - 2%:R * lam) * (s j * coins N E (k + j))
   + 2%:R * lam * (up s j * coins N E (k + j)))) => [|j _]; last by rewrite mulrDl !mulrA.
rewrite big_split /= -!mulr_sumr addrC; congr (_ * _ + _ * _).
  by rewrite [RHS]big_ord_recr /= /s (@pmf_out _ _ (size ps).+1) ?size_nseq // mul0r addr0.
rewrite [RHS]big_ord_recl /= mul0r add0r; apply: eq_bigr => j _.
by rewrite /bump /= add1n addnS addSn.
Qed.

(** Theorem 3, corrected (section 4.1). Let lambda be at most 1/2 and let each
    of N independent bits be 1 with a probability between lambda and
    1 - lambda. Beside the target's bit, their count is (E, delta)-indistinguishable for the target's
    two values, where delta is the mean of the positive part of 1 - E Y / (X + 1), and (X, Y, rest) is
    multinomial with N trials and probabilities lambda, lambda, 1 - 2 lambda. *)
Theorem blanket_bound N E lam (p : 'I_N -> R) : 0 <= lam -> 0 <= E ->
  (forall i, lam <= p i <= 1 - lam) ->
  indist E (blanket N lam E) (released p true) (released p false).
Proof.
move=> lam0 E0 p_in.
have bound (q : 'I_N -> R) : (forall i, lam <= q i <= 1 - lam) ->
    hs E (released q true) (released q false) <= blanket N lam E.
  move=> q_in; rewrite (eq_hs E (released1 q) (released0 q)) blanketE //.
  have q_all : all (fun x => lam <= x <= 1 - lam) (codom q).
    by apply/allP => _ /mapP[i _ ->].
  by have := uncover N 0 E0 lam0 q_all; rewrite size_codom card_ord.
apply/indist_hs; split; first exact: bound.
rewrite exchange_names; apply: bound => i; case/andP: (p_in i) => ? ?.
by rewrite ler_subr_addr addrC -ler_subr_addr ler_add2l ler_opp2; apply/andP.
Qed.

(** The weaker form of the same: delta is the probability that (X + 1) / Y is at least E. *)
Corollary blanket_bound_tail N E lam (p : 'I_N -> R) : 0 <= lam -> lam <= 1 - lam -> 0 <= E ->
  (forall i, lam <= p i <= 1 - lam) ->
  indist E (blanket_tail N lam E) (released p true) (released p false).
Proof.
move=> lam0 half E0 p_in A; have [le1 le2] := blanket_bound lam0 E0 p_in A.
have tail := blanket_le_tail N lam0 half E0.
by split; [apply: le_trans le1 _ | apply: le_trans le2 _]; rewrite ler_add2l.
Qed.

(** ** Noise as additional records *)

Lemma coins_cover N E m ps : 0 <= E -> probabilities ps ->
  count_divergence N E (ps ++ nseq m 2%:R^-1) <= coins N E m.
Proof.
move=> E0; elim: ps => [|p ps IH] //= /andP[p01 pps].
apply: le_trans (IH pps); apply: count_divergence_bit => //.
rewrite /probabilities all_cat all_nseq invr_ge0 ler0n invf_le1 ?ltr0n ?ler1n // orbT andbT.
exact: pps.
Qed.

(** "Noise as additional records" (section 5.2). Add [m] fair coins, as noise, to a count of others whose
    probabilities [ps] lie between lambda and 1 - lambda. In both directions the divergence is at most the mean of
    that of C + m fair coins, where C is binomial with as many trials as there are others, of probability
    2 lambda; and at most that of [m] fair coins. *)
Theorem noise_as_records E lam m ps : 0 <= E -> 0 <= lam ->
  all (fun q => lam <= q <= 1 - lam) ps ->
  let N := (m + size ps)%N in
  let noisy := pmf (nseq m 2%:R^-1 ++ ps) in
  let mean := \sum_(j < (size ps).+1) pmf (nseq (size ps) (2%:R * lam)) j * coins N E (m + j) in
  indist E mean (seen N.+2 (up noisy)) (seen N.+2 noisy) /\
  indist E (coins N E m) (seen N.+2 (up noisy)) (seen N.+2 noisy).
Proof.
move=> E0 lam0 ps_in N noisy mean.
have mirror : hs E (seen N.+2 noisy) (seen N.+2 (up noisy))
    = count_divergence N E (nseq m 2%:R^-1 ++ [seq 1 - p | p <- ps]).
  rewrite count_divergence_mirror; last by rewrite size_cat size_nseq.
  by rewrite map_cat map_nseq half_half.
have mirror_in : all (fun q => lam <= q <= 1 - lam) [seq 1 - p | p <- ps].
  rewrite all_map; apply: sub_all ps_in => q /= /andP[le_q q_le].
  by rewrite ler_subr_addr addrC -ler_subr_addr q_le ler_add2l ler_opp2.
have cover qs : all (fun q => lam <= q <= 1 - lam) qs ->
    count_divergence N E (nseq m 2%:R^-1 ++ qs) <= coins N E m.
  move=> qs_in; rewrite (count_divergence_perm N E (permEl (perm_catC _ _))).
  by apply: coins_cover => //; apply: sub_all qs_in => q; exact: in_unit.
split; apply/indist_hs; rewrite mirror; split; try exact: cover.
  exact: uncover.
by have := uncover N m E0 lam0 mirror_in; rewrite size_map.
Qed.

End Blanket.
