(** * Section 2: what holds

    The implications between differential, causal, distributional,
    inference-based and noiseless privacy that hold, and the monotonicity
    behind Proposition 3. All for finite worlds, and all with a delta where the
    statement makes sense with one. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From pkdp Require Import divergence worlds computing.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Causal.
Variables (R : realFieldType) (n : nat) (T B O : finType).
Notation database := (n.-tuple T).
Implicit Types (w : world R n T B) (M : mechanism R n T O) (i : 'I_n) (a b : T) (k : B) (E d : R).

(** A differentially private mechanism is causally private, with the same
    epsilon and delta, in every world. *)
Theorem dp_cdp (Th : family R n T B) M E d : 0 <= E -> DP E d M -> CDP Th E d M.
Proof.
move=> E0 dp w i _ a b k a0 b0; have lw := given_law a0.
apply/indist_hs; rewrite (eq_hs E (@out_after R n T B O w M _) (out_after w (replaced M i b) _)).
rewrite (eq_hs E (out_after w (replaced M i b) _) (@out_after R n T B O w M _)).
split; apply: (@le_trans _ _ (\sum_x given w (both i a k) x * d));
  try (by apply: (le_trans (hs_mixture _ _ _ _)); [move=> x; exact: law_ge0 lw
     | apply: ler_sum => x _; apply: ler_wpmul2l; rewrite ?(law_ge0 _ lw) //;
       by case/indist_hs: (dp x.1 i b)]);
  by rewrite -mulr_suml (law_sum lw) mul1r.
Qed.

(** Causal privacy gives distributional privacy, with the same epsilon and
    delta, if each target's record has a value that is compatible with every knowledge
    that is possible in a world of the family. *)
Theorem cdp_ddp (Th : family R n T B) M E d (common : 'I_n -> T) :
  (forall w i, Th w i -> forall a k, compatible w i a k -> compatible w i (common i) k) ->
  CDP Th E d M -> DDP Th E d M.
Proof.
move=> comp cdp; exists (fun i => Mechanism (replaced M i (common i)) (replaced_kernel M i (common i))).
  by move=> i D b t; rewrite /= /replaced put_put.
by move=> w i Thi a k ak; apply: cdp => //; apply: comp ak.
Qed.

(** ** Proposition 4, corrected, and Proposition 2 *)

(** Given [k], the record of the target is independent of the other records:
    P[D, k] P[k] = P[D(i), k] P[the other records, k]. *)
Definition independent_of_others w i k := forall D : database,
  w (D, k) * chance w (knows k) = chance w (both i (tnth D i) k) * \sum_b w (put D i b, k).

(** Given [k], all records are mutually independent. *)
Definition mutually_independent w k := forall D : database,
  w (D, k) / chance w (knows k) = \prod_j (chance w (both j (tnth D j) k) / chance w (knows k)).

Lemma mutually_independent_of_others w i k : chance w (knows k) != 0 ->
  mutually_independent w k -> independent_of_others w i k.
Proof.
move=> k0 mut D; set P := chance w (knows k) in k0 *.
pose rest := \prod_(j | j != i) (chance w (both j (tnth D j) k) / P).
have w_eq b : w (put D i b, k) = chance w (both i b k) * rest.
  have := mut (put D i b); rewrite -/P (bigD1 i) //= tnth_put eqxx.
  rewrite (eq_bigr (fun j => chance w (both j (tnth D j) k) / P)) => [|j ji]; last by rewrite tnth_put (negPf ji).
  rewrite -/rest => /(congr1 (fun x => x * P)); rewrite divfK // => ->.
  by rewrite mulrAC divfK.
under eq_bigr do rewrite w_eq.
rewrite -mulr_suml sum_record_chance -/P -{1}(put_id D i) w_eq.
by rewrite mulrAC -mulrA.
Qed.

Lemma independent_put w i k (D : database) a b : chance w (knows k) != 0 -> independent_of_others w i k ->
  w (put D i a, k) * chance w (both i b k) = w (put D i b, k) * chance w (both i a k).
Proof.
move=> k0 ind; apply: (mulIf k0).
have e c : w (put D i c, k) * chance w (knows k) = chance w (both i c k) * \sum_b w (put D i b, k).
  rewrite ind tnth_put eqxx; congr (_ * _); apply: eq_bigr => c' _; by rewrite put_put.
by rewrite mulrAC e [RHS]mulrAC e [LHS]mulrC -[RHS]mulrA; congr (_ * _); rewrite mulrC.
Qed.

(** If the target is independent of the others, to replace its record by [b]
    is to condition on its being [b]. *)
Lemma out_replaced_independent w i a b k (K : database -> O -> R) :
  compatible w i a k -> compatible w i b k -> independent_of_others w i k ->
  out w (fun D => K (put D i b)) (both i a k) =1 out w K (both i b k).
Proof.
move=> ak bk ind t; have k0 := compatible_knows ak.
apply/eqP; rewrite /out eqr_div //; apply/eqP.
rewrite !chance_out_both !mulr_suml.
rewrite (reindex_onto (fun D : database => put D i a) (fun D : database => put D i b)) /=; last first.
  by move=> D /eqP<-; rewrite put_put put_id.
rewrite [RHS](eq_bigl (fun D : database => (tnth (put D i a) i == a) && (put (put D i a) i b == D))).
  apply: eq_bigr => D /andP[_ /eqP e]; rewrite put_put in e.
  by rewrite put_put mulrAC (independent_put _ _ _ k0 ind) e mulrAC.
move=> D; rewrite tnth_put put_put !eqxx /=.
by apply/eqP/eqP => [<-|<-]; rewrite ?put_id // tnth_put eqxx.
Qed.

(** Proposition 4, corrected: if the record of [i] is independent of the other
    records given every value of the knowledge, then (epsilon, delta)-noiseless
    and (epsilon, delta)-causal privacy at [i] are the same. *)
Theorem corrected_equivalence w i M E d :
  (forall k, chance w (knows k) != 0 -> independent_of_others w i k) ->
  NP_at w i E d M <-> CDP_at w i E d M.
Proof.
move=> ind; have e a b k : compatible w i a k -> compatible w i b k ->
    out w (replaced M i b) (both i a k) =1 out w M (both i b k).
  by move=> ak bk; apply: out_replaced_independent => //; apply: ind; exact: compatible_knows ak.
split=> p a b k ak bk; move: (p a b k ak bk) => /indist_hs; rewrite indist_hs.
  by rewrite -(eq_hs E (frefl _) (e a b k ak bk)) -(eq_hs E (e a b k ak bk) (frefl _)).
by rewrite (eq_hs E (frefl _) (e a b k ak bk)) (eq_hs E (e a b k ak bk) (frefl _)).
Qed.

(** Proposition 2: if in each world of the family that has a target, given each possible value of
    the knowledge, the records are mutually independent, then noiseless and
    causal privacy are equivalent, with the same epsilon (and delta). *)
Theorem prop_2 (Th : family R n T B) M E d :
  (forall w i, Th w i -> forall k, chance w (knows k) != 0 -> mutually_independent w k) ->
  NP Th E d M <-> CDP Th E d M.
Proof.
move=> mut; have ind w i (Thi : Th w i) k (k0 : chance w (knows k) != 0) : independent_of_others w i k.
  by apply: mutually_independent_of_others => //; exact: mut Thi _ k0.
split=> p w i Thi; have [np_cdp cdp_np] := @corrected_equivalence w i M E d (ind w i Thi).
  exact: np_cdp (p w i Thi).
exact: cdp_np (p w i Thi).
Qed.

(** ** Proposition 1, repaired *)

(** Let [b] be any value. If, for every value [a] that is compatible with [k],
    to replace [a] by [b] changes the output's law by a factor of at most [E],
    then what an output says about the record changes by a factor of at most
    [E ^ 2]. *)
Theorem prop_1_repaired_first_half w i k b M E : 0 <= E ->
  (forall a, compatible w i a k -> indist E 0 (out w M (both i a k)) (out w (replaced M i b) (both i a k))) ->
  forall t, chance_out w M (knows k) t != 0 -> chance_out w (replaced M i b) (knows k) t != 0 ->
  indist (E ^+ 2) 0 (posterior w M i k t) (posterior w (replaced M i b) i k t).
Proof.
move=> E0 cdp t t0 tb0; set M' := replaced M i b in cdp t0 tb0 *.
have kM : kernel M by exact: run_kernel.
have kM' : kernel M' by exact: replaced_kernel.
have le a : chance_out w M (both i a k) t <= E * chance_out w M' (both i a k) t /\
            chance_out w M' (both i a k) t <= E * chance_out w M (both i a k) t.
  rewrite !chance_outE // ![E * (chance w _ * _)]mulrCA.
  case: (chance w (both i a k) =P 0) => [->|/eqP ak]; first by rewrite !mul0r lexx.
  by split; apply: ler_wpmul2l; rewrite ?chance_ge0 //;
     have := cdp a ak [set t]; rewrite /prob !big_set1 !addr0 => -[].
have lek : chance_out w M (knows k) t <= E * chance_out w M' (knows k) t /\
           chance_out w M' (knows k) t <= E * chance_out w M (knows k) t.
  by rewrite -!(sum_record_chance_out _ _ i) !mulr_sumr; split; apply: ler_sum => a _; case: (le a).
have pos : 0 < chance_out w M (knows k) t by rewrite lt_neqAle eq_sym t0 chance_out_ge0.
have pos' : 0 < chance_out w M' (knows k) t by rewrite lt_neqAle eq_sym tb0 chance_out_ge0.
have step (x x' y y' : R) : 0 < y -> 0 < y' -> 0 <= x -> x <= E * x' -> y' <= E * y -> x / y <= E ^+ 2 * (x' / y').
  move=> y0 y'0 x0 xx yy; rewrite ler_pdivr_mulr //.
  have -> : E ^+ 2 * (x' / y') * y = (E * x') * (E * y) / y' by field; rewrite gt_eqF.
  by rewrite ler_pdivl_mulr // ler_pmul // ltW.
have ge a : 0 <= chance_out w M (both i a k) t by exact: chance_out_ge0.
have ge' a : 0 <= chance_out w M' (both i a k) t by exact: chance_out_ge0.
apply: indist_pointwise => a; have [? ?] := le a; have [? ?] := lek; first exact: (step _ _ _ _ pos pos').
exact: (step _ _ _ _ pos' pos).
Qed.

(** If an output says about the record what it would say with [b] put in, up to
    a factor of at most [E], and if every output that is possible, or possible
    with [b] put in, is possible where the record is [b], then to put in [b]
    changes the output's law by a factor of at most [E ^ 2]. *)
Theorem prop_1_repaired_second_half w i k b M E : 1 <= E ->
  (forall t, chance_out w M (knows k) t != 0 -> chance_out w (replaced M i b) (knows k) t != 0 ->
     indist E 0 (posterior w M i k t) (posterior w (replaced M i b) i k t)) ->
  (forall t, chance_out w M (knows k) t != 0 \/ chance_out w (replaced M i b) (knows k) t != 0 ->
     chance_out w M (both i b k) t != 0) ->
  forall a, compatible w i a k ->
  indist (E ^+ 2) 0 (out w M (both i a k)) (out w (replaced M i b) (both i a k)).
Proof.
move=> E1 ib supp a ak; set M' := replaced M i b in ib supp *.
have E0 : 0 <= E by apply: le_trans E1.
have kM : kernel M by exact: run_kernel.
have kM' : kernel M' by exact: replaced_kernel.
have ge K c t : kernel K -> 0 <= chance_out w K (both i c k) t by move=> kK; exact: chance_out_ge0.
have le_k K c t : kernel K -> chance_out w K (both i c k) t <= chance_out w K (knows k) t.
  move=> kK; rewrite -(sum_record_chance_out _ _ i) (bigD1 c) //= ler_addl sumr_ge0 // => ? _; exact: ge.
have cancel (x y y' : R) : 0 < x -> 0 < y -> 0 < y' -> x / y <= E * (x / y') -> y' <= E * y.
  move=> x0 y0 y'0; rewrite -(@ler_pmul2r _ (y * y' / x)) ?divr_gt0 ?mulr_gt0 //.
  have -> : x / y * (y * y' / x) = y' by field; rewrite !gt_eqF.
  by have -> : E * (x / y') * (y * y' / x) = E * y by field; rewrite !gt_eqF.
have combine (x x' y y' : R) : 0 < y -> 0 < y' -> 0 <= x' -> x / y <= E * (x' / y') -> y <= E * y' -> x <= E ^+ 2 * x'.
  move=> y0 y'0 x'0; rewrite ler_pdivr_mulr // => /le_trans le yy; apply: le.
  have -> : E ^+ 2 * x' = E * (x' / y') * (E * y') by field; rewrite gt_eqF.
  by rewrite ler_wpmul2l // mulr_ge0 // divr_ge0 // ltW.
have main t : chance_out w M (both i a k) t <= E ^+ 2 * chance_out w M' (both i a k) t /\
              chance_out w M' (both i a k) t <= E ^+ 2 * chance_out w M (both i a k) t.
  case: (boolP ((chance_out w M (knows k) t != 0) || (chance_out w M' (knows k) t != 0))); last first.
    rewrite negb_or !negbK => /andP[/eqP z /eqP z'].
    have -> : chance_out w M (both i a k) t = 0 by apply/eqP; rewrite eq_le ge // -z le_k.
    have -> : chance_out w M' (both i a k) t = 0 by apply/eqP; rewrite eq_le ge // -z' le_k.
    by rewrite mulr0 lexx.
  move=> /orP/supp b0; have bpos : 0 < chance_out w M (both i b k) t by rewrite lt_neqAle eq_sym b0 ge.
  have pos : 0 < chance_out w M (knows k) t by apply: (lt_le_trans bpos); exact: le_k.
  have same : chance_out w M' (both i b k) t = chance_out w M (both i b k) t by exact: chance_out_same.
  have pos' : 0 < chance_out w M' (knows k) t.
    by rewrite -same in bpos; apply: (lt_le_trans bpos); exact: le_k.
  have nz : chance_out w M (knows k) t != 0 by rewrite gt_eqF.
  have nz' : chance_out w M' (knows k) t != 0 by rewrite gt_eqF.
  have ind := ib t nz nz'.
  have [] := indist_at b ind; rewrite /posterior same => /(cancel _ _ _ bpos pos pos') lek /(cancel _ _ _ bpos pos' pos) lek'.
  have [] := indist_at a ind; rewrite /posterior => lea lea'.
  by split; [apply: combine pos pos' _ lea _; rewrite ?ge | apply: combine pos' pos _ lea' _; rewrite ?ge].
apply: indist_pointwise => t.
  by rewrite /out mulrA ler_pmul2r ?invr_gt0 ?chance_gt0 //; case: (main t).
by rewrite /out mulrA ler_pmul2r ?invr_gt0 ?chance_gt0 //; case: (main t).
Qed.

End Causal.

(** ** Normalizations and independence *)

Section Normalized.
Variables (R : realFieldType) (n : nat) (T B : finType).
Variables (V0 V : finType) (m : nat) (mu0 : V0 -> R) (mu : 'I_m -> V -> R).
Notation parameters := (V0 * {ffun 'I_m -> V})%type.
Variables (w : world R n T B) (make : parameters -> n.-tuple T * B) (i : 'I_n).
Hypotheses (nw : normalizes mu0 mu w make).
Notation pl := (parameters_law mu0 mu).

Lemma chance_make (A : pred (n.-tuple T * B)) : chance w A = \sum_(v | A (make v)) pl v.
Proof.
case: nw => _ _ _ ew; rewrite /chance (eq_bigr _ (fun x _ => ew x)) /push.
rewrite [RHS](partition_big make A) //=; apply: eq_bigr => x Ax.
by apply: eq_bigl => v; case: eqP => [->|]; rewrite ?andbF ?Ax.
Qed.

Lemma chance_out_make (O : finType) (K : n.-tuple T -> O -> R) (A : pred (n.-tuple T * B)) t :
  chance_out w K A t = \sum_(v | A (make v)) pl v * K (make v).1 t.
Proof.
case: nw => _ _ _ ew; rewrite /chance_out [RHS](partition_big make A) //=; apply: eq_bigr => x Ax.
rewrite ew /push mulr_suml.
rewrite [LHS](eq_bigl (fun v => A (make v) && (make v == x))); last first.
  by move=> v; case: eqP => [->|]; rewrite ?andbF ?Ax.
by apply: eq_bigr => v /andP[_ /eqP->].
Qed.

Lemma rest_sum : \sum_(g : {ffun 'I_m -> V}) \prod_j mu j (g j) = 1.
Proof.
case: nw => _ lmu _ _; rewrite -(bigA_distr_bigA mu) big1 // => j _.
exact: law_sum (lmu j).
Qed.

Variables (I : {set 'I_m}).
Hypotheses (dr : determines_record mu0 mu i make) (ki : knowledge_is mu0 mu I make).

(** A normalization that is acceptable at [i] makes the record of [i] and the
    knowledge independent. *)
Lemma normalized_independent a k :
  chance w (both i a k) = chance w (record_is i a) * chance w (knows k).
Proof.
case: nw => lmu0 lmu _ _; case: dr => f fE.
have [v0 v0P] : exists v0, mu0 v0 != 0.
  apply/existsP; apply: contraT; rewrite negb_exists => /forallP all0.
  have := law_sum lmu0; rewrite big1 => [/eqP|v _]; first by rewrite eq_sym oner_eq0.
  by apply/eqP; move: (all0 v); rewrite negbK.
pose kappa g := (make (v0, g)).2.
have poss x g : possible mu0 mu (x, g) -> possible mu0 mu (v0, g).
  by rewrite /possible /parameters_law /= !mulf_eq0 !negb_or => /andP[_ ->]; rewrite v0P.
have kE x g : possible mu0 mu (x, g) -> (make (x, g)).2 = kappa g.
  by move=> p; apply/(ki p (poss _ _ p)) => j _.
pose rest g := \prod_j mu j (g j).
have split_sum (p : pred V0) (q : pred {ffun 'I_m -> V}) (A : pred (n.-tuple T * B)) :
    (forall x g, possible mu0 mu (x, g) -> A (make (x, g)) = p x && q g) ->
    chance w A = (\sum_(x | p x) mu0 x) * \sum_(g | q g) rest g.
  move=> AE; rewrite chance_make big_distrlr /= pair_big /= big_mkcond [RHS]big_mkcond /=.
  apply: eq_bigr => -[x g] _ /=; case: (boolP (possible mu0 mu (x, g))) => [/AE->//|].
  by rewrite /possible negbK /parameters_law /= => /eqP ->; rewrite !if_same.
rewrite (split_sum (fun x => f x == a) (fun g => kappa g == k)) => [|x g p]; last first.
  by rewrite /both (fE _ p) (kE _ _ p).
rewrite (split_sum (fun x => f x == a) xpredT) => [|x g p]; last by rewrite /record_is (fE _ p) andbT.
rewrite (split_sum xpredT (fun g => kappa g == k)) => [|x g p]; last by rewrite /knows (kE _ _ p).
by rewrite (law_sum lmu0) rest_sum mulr1 mul1r.
Qed.
End Normalized.

(** Under an acceptable law the attacker's knowledge is independent of the
    target's record: P[D(i) = a, B = k] = P[D(i) = a] P[B = k]. So an attacker
    of an acceptable law knows no record that is correlated with the target's. *)
Theorem acceptable_independent (R : realFieldType) n (T B : finType) (w : world R n T B) i a k :
  acceptable_at w i -> chance w (both i a k) = chance w (record_is i a) * chance w (knows k).
Proof.
move=> [V0 [V [m [mu0 [mu [make [I [nw dr ki]]]]]]]].
exact (normalized_independent nw dr ki a k).
Qed.

(** Under an acceptable law every knowledge is compatible with every value of
    the target's record, since the two are independent. *)
Theorem claim_compatible (R : realFieldType) n (T B : finType) (w : world R n T B) i :
  acceptable_at w i -> all_compatible w i.
Proof.
by move=> acc a k a0 k0; rewrite /compatible acceptable_independent // mulf_neq0.
Qed.

(** ** More knowledge *)

Section Monotone.
Variables (R : realFieldType) (n : nat) (T B1 B2 O : finType).
Implicit Types (M : mechanism R n T O) (E d : R).

(** If, given [k2], the first attacker knows one of the [k1] in [h], in the same
    proportions whatever the target's record is, then the second attacker's
    pairs of laws are mixtures of those of the first. *)
Lemma np_coarser (w1 : world R n T B1) (w2 : world R n T B2) i M E d (k2 : B2) (h : pred B1) (rate : B1 -> R) :
  (forall k1, 0 <= rate k1) ->
  (forall a t, chance_out w2 M (both i a k2) t = \sum_(k1 | h k1) chance_out w1 M (both i a k1) t) ->
  (forall a k1, h k1 -> chance w1 (both i a k1) = rate k1 * chance w2 (both i a k2)) ->
  NP_at w1 i E d M -> 0 <= d ->
  forall a b, compatible w2 i a k2 -> compatible w2 i b k2 ->
  indist E d (out w2 M (both i a k2)) (out w2 M (both i b k2)).
Proof.
move=> r0 H1 H2 np d0 a b a0 b0.
have kM : kernel M by exact: run_kernel.
pose r k1 := if h k1 then rate k1 else 0.
have rr0 k1 : 0 <= r k1 by rewrite /r; case: ifP.
have mixed c : compatible w2 i c k2 -> out w2 M (both i c k2) =1 after (fun k1 => out w1 M (both i c k1)) r.
  move=> c0 t; rewrite /out H1 mulr_suml big_mkcond /=; apply: eq_bigr => k1 _; rewrite /r.
  case: ifP => [hk|]; last by rewrite mul0r.
  case: (chance w1 (both i c k1) =P 0) => [z|/eqP nz].
    by rewrite (chance_out0 _ kM z) !mul0r mulr0.
  rewrite H2 // in nz *; have rn : rate k1 != 0 by apply: contraNneq nz => ->; rewrite mul0r.
  by field; apply/andP; split.
have sum_r : \sum_k1 r k1 = 1.
  rewrite -(divff a0) -[X in X / _](chance_out_sum kM) (eq_bigr _ (fun t _ => H1 a t)) exchange_big /= mulr_suml.
  rewrite /r -big_mkcond /=; apply: eq_bigr => k1 hk.
  by rewrite chance_out_sum // H2 // mulfK.
have lem c c' : compatible w2 i c k2 -> compatible w2 i c' k2 ->
    hs E (out w2 M (both i c k2)) (out w2 M (both i c' k2)) <= d.
  move=> c0 c'0; rewrite (eq_hs E (mixed c c0) (mixed c' c'0)).
  apply: le_trans (hs_mixture _ _ _ rr0) _; rewrite -[d]mul1r -sum_r mulr_suml.
  apply: ler_sum => k1 _; case: (r k1 =P 0) => [->|/eqP rn]; first by rewrite !mul0r.
  have hk : h k1 by move: rn; rewrite /r; case: ifP; rewrite ?eqxx.
  have rt : rate k1 != 0 by move: rn; rewrite /r hk.
  rewrite ler_wpmul2l //; have := np c c' k1; rewrite /compatible !H2 // !mulf_neq0 // => /(_ isT isT).
  by case/indist_hs.
by apply/indist_hs; split; exact: lem.
Qed.
End Monotone.

(** Proposition 3: if one family of laws has more background knowledge than
    another, at the second one's targets, then a mechanism that is noiseless private for the first is so for
    the second, with the same epsilon (and delta). *)
Theorem prop_3 (R : realFieldType) n (T B1 B2 O : finType) (Th1 : family R n T B1) (Th2 : family R n T B2)
    (M : mechanism R n T O) (E d : R) :
  families_more_knowledge Th1 Th2 -> 0 <= d -> NP Th1 E d M -> NP Th2 E d M.
Proof.
move=> more d0 np w2 i Th2i a b k2 a0 b0; have [w1 Th1i [_]] := more w2 i Th2i.
move=> [V0 [V [m [mu0 [mu [make1 [make2 [I1 [I2]]]]]]]]] [[nw1 dr1 ki1] [[nw2 dr2 ki2] [same sub]]].
pose h k1 := [exists v, [&& possible mu0 mu v, (make1 v).2 == k1 & (make2 v).2 == k2]].
have hE v : possible mu0 mu v -> h (make1 v).2 = ((make2 v).2 == k2).
  move=> p; apply/existsP/eqP => [[u /and3P[pu /eqP e1 /eqP e2]]|e2].
    rewrite -e2; apply/(ki2 _ _ p pu) => j jI; apply/esym; move/(ki1 _ _ pu p): e1; apply.
    exact: subsetP sub j jI.
  by exists v; rewrite p e2 !eqxx.
have sums (F : n.-tuple T -> R) c : \sum_(v | both i c k2 (make2 v)) parameters_law mu0 mu v * F (make2 v).1
    = \sum_(k1 | h k1) \sum_(v | both i c k1 (make1 v)) parameters_law mu0 mu v * F (make1 v).1.
  rewrite (exchange_big_dep xpredT) //= big_mkcond /=; apply: eq_bigr => v _.
  case: (boolP (possible mu0 mu v)) => p; last first.
    move: p; rewrite /possible negbK => /eqP z; rewrite z mul0r if_same big1 // => k1 _; exact: mul0r.
  rewrite -(same v p) /both (same v p) -(hE v p).
  case: (tnth (make2 v).1 i == c) => /=; last by rewrite big1 // => k1 /andP[].
  case: (boolP (h _)) => hk.
    by rewrite (big_pred1 (make1 v).2) // => k1 /=; rewrite [RHS]eq_sym; case: eqP => [<-|]; rewrite ?hk ?andbF.
  by rewrite big1 // => k1 /andP[hk1 /eqP e]; rewrite e hk1 in hk.
pose mass := \sum_(k1 | h k1) chance w1 (knows k1).
apply: (@np_coarser R n T B1 B2 O w1 w2 i M E d k2 h (fun k1 => chance w1 (knows k1) / mass)) => //.
- by move=> k1; rewrite divr_ge0 ?chance_ge0 ?sumr_ge0 // => *; rewrite chance_ge0.
- move=> c t; rewrite (chance_out_make nw2) (sums (fun D => M D t)).
  by apply: eq_bigr => k1 _; rewrite (chance_out_make nw1).
- have agg c : chance w2 (both i c k2) = chance w1 (record_is i c) * mass.
    rewrite (chance_make nw2); have := sums (fun _ => 1) c; under eq_bigr do rewrite mulr1.
    move=> ->; rewrite /mass mulr_sumr; apply: eq_bigr => k1 _; under eq_bigr do rewrite mulr1.
    by rewrite -(chance_make nw1) (normalized_independent nw1 dr1 ki1).
  move=> c k1 hk; rewrite agg (normalized_independent nw1 dr1 ki1).
  rewrite mulrCA [_ / mass * mass]divfK //; apply: contraNneq a0 => z.
  by rewrite agg z mulr0.
- exact: np Th1i.
Qed.
