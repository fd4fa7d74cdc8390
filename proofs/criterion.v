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
move=> E0 dp w _ i a b k a0 b0; have lw := given_law a0.
apply/indist_hs; rewrite (eq_hs E (@out_after R n T B O w M _) (out_after w (replaced M i b) _)).
rewrite (eq_hs E (out_after w (replaced M i b) _) (@out_after R n T B O w M _)).
split; apply: (@le_trans _ _ (\sum_x given w (both i a k) x * d));
  try (by apply: (le_trans (hs_mixture _ _ _ _)); [move=> x; exact: law_ge0 lw
     | apply: ler_sum => x _; apply: ler_wpmul2l; rewrite ?(law_ge0 _ lw) //;
       by case/indist_hs: (dp x.1 i b)]);
  by rewrite -mulr_suml (law_sum lw) mul1r.
Qed.

(** Causal privacy gives distributional privacy, with the same epsilon and
    delta, if each record has a value that is compatible with every knowledge
    that is possible in a world of the family. *)
Theorem cdp_ddp (Th : family R n T B) M E d (common : 'I_n -> T) :
  (forall w, Th w -> forall i a k, compatible w i a k -> compatible w i (common i) k) ->
  CDP Th E d M -> DDP Th E d M.
Proof.
move=> comp cdp; exists (fun i => Mechanism (replaced M i (common i)) (replaced_kernel M i (common i))).
  by move=> i D b t; rewrite /= /replaced put_put.
by move=> w Thw i a k ak; apply: cdp => //; apply: comp ak.
Qed.

(** ** Proposition 4, corrected, and Proposition 2 *)

(** Given [k], the record of the target is independent of the other records:
    P[D, k] P[k] = P[D(i), k] P[the other records, k]. *)
Definition independent_of_others w i k := forall D : database,
  w (D, k) * chance w (knows k) = chance w (both i (tnth D i) k) * \sum_b w (put D i b, k).

(** Given [k], all records are mutually independent. *)
Definition mutually_independent w k := forall D : database,
  w (D, k) / chance w (knows k) = \prod_j (chance w (both j (tnth D j) k) / chance w (knows k)).

Lemma knows_neq0 w i a k : compatible w i a k -> chance w (knows k) != 0.
Proof.
rewrite /compatible -!chance_gt0 => /lt_le_trans; apply.
by apply: sub_chance => x /andP[].
Qed.

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
move=> ak bk ind t; have k0 := knows_neq0 ak.
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
  by move=> ak bk; apply: out_replaced_independent => //; apply: ind; exact: knows_neq0 ak.
split=> p a b k ak bk; move: (p a b k ak bk) => /indist_hs; rewrite indist_hs.
  by rewrite -(eq_hs E (frefl _) (e a b k ak bk)) -(eq_hs E (e a b k ak bk) (frefl _)).
by rewrite (eq_hs E (frefl _) (e a b k ak bk)) (eq_hs E (e a b k ak bk) (frefl _)).
Qed.

(** Proposition 2: if in each world of the family, given each possible value of
    the knowledge, the records are mutually independent, then noiseless and
    causal privacy are equivalent, with the same epsilon (and delta). *)
Theorem prop_2 (Th : family R n T B) M E d :
  (forall w, Th w -> forall k, chance w (knows k) != 0 -> mutually_independent w k) ->
  NP Th E d M <-> CDP Th E d M.
Proof.
move=> mut; have ind w (Thw : Th w) i k (k0 : chance w (knows k) != 0) : independent_of_others w i k.
  by apply: mutually_independent_of_others => //; exact: mut.
by split=> p w Thw i; apply/(corrected_equivalence _ _ _ (ind w Thw i)); exact: p.
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
