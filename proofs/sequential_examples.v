(** * Section 5.1: sequential composition

    The dependency of two mechanisms, Theorem 6 and Proposition 9. Losses are
    given by their exponentials: e to the minus loss of an output is the
    quotient of its probabilities under b and under a. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From pkdp Require Import divergence worlds computing criterion attackers sequential.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section More.
Variable R : realFieldType.
Notation bit := (bit R). Notation coins := (coins R). Notation hidden := (hidden R). Notation coin := (coin R). Notation thm_6_guarantee := (@thm_6_guarantee R).
(** For a negative mu, which Definition 18 does not exclude, it fails. One fair bit
    is answered truthfully with probability 5/6, twice. *)
Definition answer_weights (D : 1.-tuple bool) (t : bool) : nat := (if t == tnth D ord0 then 5 else 1)%N.
Lemma answer_sum D : (\sum_t answer_weights D t = 6)%N.
Proof. by rewrite big_bool /answer_weights; case: (tnth D ord0). Qed.
Definition answer : mechanism R 1 bool_finType bool_finType := weighted R (isT : 6 != 0)%N answer_sum.

Lemma out_bit (O : finType) (K : 1.-tuple bool -> O -> R) a t : out bit K (both ord0 a tt) t = K [tuple a] t.
Proof.
have only_a (x : 1.-tuple bool * unit) : both ord0 a tt x = (x == ([tuple a], tt)).
  case: x => D []; rewrite /both xpair_eqE !andbT /=.
  by apply/eqP/eqP => [<-|->] //; apply: eq_from_tnth => j; rewrite (ord1 j).
have nz : chance bit (both ord0 a tt) != 0 by rewrite chance_listed_neq0; case: a {only_a}.
move: nz; rewrite /out /chance_out /chance !(big_pred1 ([tuple a], tt)) // => nz.
by rewrite mulrAC divff // mul1r.
Qed.

(** Theorem 6: with a negative mu (here e^mu = 1/2, nu = 1/2, and e^epsilon_j = 5 without
    deltas) the printed guarantee is too small: the true delta is at least 25/48. *)
Theorem thm_6_guarantee_fails : ~ thm_6_guarantee (fun U => 0 < U).
Proof.
have h (k : nat) : k != 0%N -> k%:R != 0 :> R by rewrite pnatr_eq0.
have hpos (k : nat) : k != 0%N -> 0 < k%:R :> R by rewrite ltr0n lt0n.
pose p (a t : bool) : R := (if t == a then 5 else 1)%N%:R / 6%:R.
have pE a t : answer [tuple a] t = p a t by [].
have cE a t u : compose answer answer [tuple a] (t, u) = p a t * p a u by [].
have p0 a t : 0 < p a t by rewrite divr_gt0 ?hpos //; case: ifP.
have ab (a : bool) (i : 'I_1) : both i a tt = both ord0 a tt by rewrite (ord1 i).
move=> /(_ 1%N bool_finType unit_finType bool_finType bool_finType (fun w => w = bit) answer answer 5%:R 5%:R 2%:R^-1 0 0 2%:R^-1).
have one5 : 1 <= 5%:R :> R by rewrite (ler_nat R 1 5).
have half : 0 < 2%:R^-1 :> R by rewrite invr_gt0 hpos.
have apk : APK (only bit) 5%:R 0 answer.
  move=> w i -> a b [] _ _; rewrite !(ab _ i) /loss_above big1 // => t _; rewrite !out_bit !pE.
  rewrite (elimT max_idPl) ?mulr0 // subr_le0 mulrA ler_pdivl_mulr // mul1r /p mulrA ler_pmul2r ?invr_gt0 ?hpos //.
  by rewrite -natrM ler_nat; case: (t == a); case: (t == b).
have dep : bounded_dependent (@exp_minus_dep_repaired R 1 _ _ _ _) (only bit) answer answer 2%:R^-1 2%:R^-1.
  move=> w i -> a b [] _ _; rewrite !(ab _ i).
  rewrite (eq_bigr (fun t => out bit (compose answer answer) (both ord0 a tt) t * 2%:R^-1)) => [|[t u] _].
    rewrite -mulr_suml (law_sum (out_law (run_kernel _) _)) ?mul1r // chance_listed_neq0; by case: a.
  rewrite /exp_minus_dep_repaired /exp_minus_dep !(ab _ i) !out_bit !cE !pE /=.
  rewrite !gt_eqF //=; congr (_ * _).
  have -> : p b t * p b u / p b t / (p a t * p a u / p a t) * (p a u / p b u) = 1.
    by field; rewrite !gt_eqF.
  rewrite mulr1 (elimT max_idPr); first by field.
  by rewrite subr_ge0 invf_le1 ?hpos // (ler_nat R 1 2).
move=> /(_ one5 one5 half dep apk apk bit ord0 erefl true false tt).
rewrite /compatible !chance_listed_neq0 => /(_ isT isT); rewrite !add0r leNgt => /negP; apply.
rewrite /loss_above (bigD1 (true, true)) // !out_bit !cE /p /=.
apply: (@lt_le_trans _ _ (25%:R / 48%:R)).
  by rewrite ltr_pdivl_mulr ?hpos // mulrC ltr_pdivr_mulr ?hpos // -natrM ltr_nat.
apply: ler_paddr.
  by apply: sumr_ge0 => t _; rewrite mulr_ge0 ?max0_ge0 //; apply: out_ge0; exact: (run_kernel (compose answer answer)).
rewrite le_eqVlt; apply/orP; left; apply/eqP.
have -> : 5%:R * 5%:R * 2%:R^-1 ^+ 2 * (1%:R / 6%:R * (1%:R / 6%:R) / (5%:R / 6%:R * (5%:R / 6%:R))) = 4%:R^-1 :> R by field.
rewrite (elimT max_idPr); first by field.
by rewrite subr_ge0 invf_le1 ?hpos // (ler_nat R 1 4).
Qed.

(** Theorem 6 as printed, both of its sentences. [allowed] says which e to the mu there may be. *)
Definition thm_6 (allowed : R -> Prop) := thm_6_loss R /\ thm_6_guarantee allowed.

(** Theorem 6 fails as printed, whichever mu are allowed, as its formula for the loss of both does. *)
Theorem thm_6_fails (allowed : R -> Prop) : ~ thm_6 allowed.
Proof. by case=> /thm_6_loss_fails. Qed.

(** Noiseless mechanisms do not compose in general: the exclusive or of a bit
    with a fair coin, and the coin, are each APKDP with epsilon = delta = 0 for
    that bit, and together they are so for no epsilon and no delta < 1. *)
Theorem claim_composition_fails (E d : R) : 0 <= E -> d < 1 ->
  [/\ APK_at coins rec0 1 0 hidden, APK_at coins rec0 1 0 coin & ~ APK_at coins rec0 E d (compose hidden coin)].
Proof.
move=> E0 d1; split.
- apply/(claim_apk_forms _ _ _ _ ler01); apply: NP_perfect => // a b k t;
  by case: a; case: b; case: k; case: t; vm_compute.
- apply/(claim_apk_forms _ _ _ _ ler01); apply: NP_perfect => // a b k t;
  by case: a; case: b; case: k; case: t; vm_compute.
move=> /(claim_apk_forms _ _ _ _ E0) /(_ true false tt); rewrite /compatible !chance_listed_neq0 => /(_ isT isT).
move=> /(_ [set t : bool * bool | t.1 (+) t.2])[] + _.
have -> : prob (out coins (compose hidden coin) (both rec0 true tt)) [set t : bool * bool | t.1 (+) t.2] = 1.
  rewrite -(law_sum (out_law (run_kernel (compose hidden coin)) (_ : chance coins (both rec0 true tt) != 0))); last by rewrite chance_listed_neq0.
  rewrite /prob big_mkcond /=; apply: eq_bigr => -[[] []] _; rewrite inE /= ?out_compose_noiseless ?out_noiseless //=;
  by rewrite ?mul0r.
have -> : prob (out coins (compose hidden coin) (both rec0 false tt)) [set t : bool * bool | t.1 (+) t.2] = 0.
  by rewrite /prob big1 // => -[[] []]; rewrite inE //= => _; rewrite out_compose_noiseless out_noiseless /= ?mul0r.
by rewrite mulr0 add0r leNgt d1.
Qed.

(** Example 8: how many records are 1, and how many others are 1. Both together
    reveal the target's bit, in every world in which it can be 0 and 1 given the
    knowledge: delta is 1 for every epsilon. If the target is independent of
    the others, the second count alone says nothing about it. *)
Definition ones n (D : n.-tuple bool) : 'I_n.+1 := inord (count id D).
Definition ones_but n (i : 'I_n) (D : n.-tuple bool) : 'I_n.+1 := ones (put D i false).

Lemma ones_differ n (i : 'I_n) (D : n.-tuple bool) : (ones D != ones_but i D) = tnth D i.
Proof.
have le (D' : n.-tuple bool) : (count id D' < n.+1)%N by rewrite ltnS -{2}(size_tuple D') count_size.
rewrite -val_eqE /= !inordK ?le //.
have sumE (D' : n.-tuple bool) : count id D' = (\sum_j tnth D' j)%N.
  by rewrite -sumn_count sumnE big_map big_tuple.
rewrite !sumE (bigD1 i) //= [X in _ != X](bigD1 i) //= tnth_put eqxx /= add0n.
rewrite [X in _ != X](eq_bigr (fun j => nat_of_bool (tnth D j))) => [|j /negPf ji]; last by rewrite tnth_put ji.
by rewrite -{2}[(\sum_(j | _) _)%N]add0n eqn_add2r eqb0 negbK.
Qed.

(** Example 8: both counts reveal the target's bit, wherever it can be 0 and 1 given the
    knowledge [k]; the count of the others alone is APKDP with epsilon = delta = 0 if the
    target is independent of them given every knowledge. *)
Theorem ex_8 n (B : finType) (w : world R n bool_finType B) i k (E d : R) : 0 <= E -> d < 1 ->
  compatible w i true k -> compatible w i false k ->
  ~ APK_at w i E d (compose (noiseless R (@ones n)) (noiseless R (ones_but i))) /\
  ((forall k, chance w (knows k) != 0 -> independent_of_others w i k) -> APK_at w i 1 0 (noiseless R (ones_but i))).
Proof.
move=> E0 d1 t0 f0; split; last first.
  move=> ind; apply/(claim_apk_forms _ _ _ _ ler01) => a b k' a0 b0; apply: indist_same => // [t|t].
    by apply: out_ge0; exact: run_kernel.
  rewrite -(@out_replaced_independent R n _ B _ w i a b k' (noiseless R (ones_but i)) a0 b0 (ind _ (compatible_knows a0))).
  by rewrite /out /chance_out; congr (_ / _); apply: eq_bigr => x _ /=; rewrite /ones_but put_put.
move=> /(claim_apk_forms _ _ _ _ E0) /(_ true false k t0 f0).
move=> /(_ [set t : 'I_n.+1 * 'I_n.+1 | t.1 != t.2])[] + _.
have tell a : prob (out w (compose (noiseless R (@ones n)) (noiseless R (ones_but i))) (both i a k)) [set t : 'I_n.+1 * 'I_n.+1 | t.1 != t.2]
    = if a then chance w (both i a k) / chance w (both i a k) else 0.
  rewrite /prob (eq_bigr (out w (noiseless R (fun D => (ones D, ones_but i D))) (both i a k))) => [|t _]; last exact: out_compose_noiseless.
  rewrite /out -mulr_suml /chance_out exchange_big /= (eq_bigr (fun x => if a then w x else 0)) => [|x /andP[/eqP xa _]].
    by case: (a); rewrite // big1_eq mul0r.
  rewrite -mulr_sumr; case: ifP => aE.
    rewrite (bigD1 (ones x.1, ones_but i x.1)) /=; last by rewrite inE ones_differ xa.
    by rewrite /sure eqxx big1 ?addr0 ?mulr1 // => t /andP[_ /negPf ->].
  rewrite big1 ?mulr0 // => t; rewrite inE /sure => ne; case: eqP => // e.
  by move: ne; rewrite e ones_differ xa aE.
by rewrite !tell divff // mulr0 add0r leNgt d1.
Qed.

End More.
