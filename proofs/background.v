(** * Background: differential privacy, after the thesis

    Databases are the elements of any set, with any relation of neighbours: one
    record replaced, or added, or removed. Outputs are finite. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From pkdp Require Import divergence worlds computing attackers.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Background.
Variables (R : realFieldType) (X : Type) (neighbours : X -> X -> Prop).

(** (epsilon, delta)-differential privacy, with [E] for e to the epsilon. *)
Definition private (O : finType) (E d : R) (M : X -> O -> R) :=
  forall D D', neighbours D D' -> indist E d (M D) (M D').

(** Thesis, Proposition 2: a function of the output is as private as the output. *)
Theorem thesis_prop_2 (O U : finType) (f : O -> U) (E : R) (M : X -> O -> R) :
  private E 0 M -> private E 0 (fun D => push f (M D)).
Proof.
move=> priv D D' nb; have /indist_hs[le ge] := priv D D' nb.
by apply/indist_hs; split; [apply: le_trans le | apply: le_trans ge]; exact: hs_push.
Qed.

(** Thesis, Proposition 3: to run one of two private mechanisms, chosen with fixed
    probabilities, is private. *)
Theorem thesis_prop_3 (O : finType) (E p : R) (M N : X -> O -> R) : 0 <= p <= 1 ->
  private E 0 M -> private E 0 N -> private E 0 (fun D => mix p (M D) (N D)).
Proof.
move=> p01 pM pN D D' nb; have /andP[p0 p1] := p01.
have /indist_hs[m1 m2] := pM D D' nb; have /indist_hs[n1 n2] := pN D D' nb.
have q0 : 0 <= 1 - p by rewrite subr_ge0.
by apply/indist_hs; split; apply: (le_trans (hs_convex _ _ _ _ _ p01));
  rewrite -[X in _ <= X](addr0 0); apply: ler_add; apply: mulr_ge0_le0.
Qed.

(** Thesis, after Proposition 5: the second mechanism may depend on the output of
    the first: the outputs of both are together private with the product of the
    factors, that is, with the sum of the epsilons. *)
Theorem thesis_claim_adaptive (O U : finType) (E1 E2 : R) (M : X -> O -> R) (N : O -> X -> U -> R) :
  0 <= E1 -> 0 <= E2 -> (forall D, law (M D)) -> (forall o D, law (N o D)) ->
  private E1 0 M -> (forall o, private E2 0 (N o)) ->
  private (E1 * E2) 0 (fun D => joint (M D) (fun o => N o D)).
Proof.
move=> E10 E20 kM kN pM pN D D' nb; have /indist_hs[m1 m2] := pM D D' nb.
have kk D1 : kernel (fun o => N o D1) by move=> o; exact: kN.
apply/indist_hs; split; [apply: (@le_trans _ _ (hs E1 (M D) (M D') + 0)) | apply: (@le_trans _ _ (hs E1 (M D') (M D) + 0))];
  rewrite ?addr0 //; rewrite -[X in _ <= X]addr0; apply: hs_compose => // o.
- by have /indist_hs[] := pN o D D' nb.
- by have /indist_hs[] := pN o D D' nb.
Qed.

(** Thesis, Proposition 5: the outputs of two private mechanisms on the same database are
    together private with the product of the factors, the sum of the epsilons. *)
Theorem thesis_prop_5 (O U : finType) (E1 E2 : R) (M : X -> O -> R) (N : X -> U -> R) :
  0 <= E1 -> 0 <= E2 -> (forall D, law (M D)) -> (forall D, law (N D)) -> private E1 0 M -> private E2 0 N ->
  private (E1 * E2) 0 (fun D => indep (M D) (N D)).
Proof.
move=> E10 E20 kM kN pM pN.
exact: (@thesis_claim_adaptive O U E1 E2 M (fun _ => N)).
Qed.

(** Thesis, Proposition 1: an attacker with the prior [p] sees an output of probability [x]
    if the target is in the database and [y] if not, each at most [E] times the
    other. Then the posterior is between p / (E + (1 - E) p) and E p / (1 + (E - 1) p). *)
Theorem thesis_prop_1 (E p x y : R) : 0 < E -> 0 < p < 1 -> 0 < x -> 0 < y -> x <= E * y -> y <= E * x ->
  p / (E + (1 - E) * p) <= p * x / (p * x + (1 - p) * y) <= E * p / (1 + (E - 1) * p).
Proof.
move=> E0 /andP[p0 p1] x0 y0 xy yx.
have q0 : 0 < 1 - p by rewrite subr_gt0.
have dx : 0 < p * x + (1 - p) * y by rewrite addr_gt0 ?mulr_gt0.
have d1 : 0 < E + (1 - E) * p.
  have -> : E + (1 - E) * p = E * (1 - p) + p by ring.
  by rewrite addr_gt0 ?mulr_gt0.
have d2 : 0 < 1 + (E - 1) * p.
  have -> : 1 + (E - 1) * p = E * p + (1 - p) by ring.
  by rewrite addr_gt0 ?mulr_gt0.
apply/andP; split.
  rewrite ler_pdivr_mulr // mulrAC ler_pdivl_mulr // -subr_ge0.
  have -> : p * x * (E + (1 - E) * p) - p * (p * x + (1 - p) * y) = p * (1 - p) * (E * x - y) by ring.
  by rewrite mulr_ge0 ?mulr_ge0 ?subr_ge0 // ltW.
rewrite ler_pdivr_mulr // mulrAC ler_pdivl_mulr // -subr_ge0.
have -> : E * p * (p * x + (1 - p) * y) - p * x * (1 + (E - 1) * p) = p * (1 - p) * (E * y - x) by ring.
by rewrite mulr_ge0 ?mulr_ge0 ?subr_ge0 // ltW.
Qed.

End Background.

(** If a function is the same on any two databases that differ in one record, it is the
    same on all. *)
Lemma same_on_neighbours (A : Type) n (T : eqType) (g : n.-tuple T -> A) :
  (forall D i b, g (put D i b) = g D) -> forall D D', g D = g D'.
Proof.
move=> same D D'.
pose h k : n.-tuple T := [tuple if (j < k)%N then tnth D' j else tnth D j | j < n].
have step k : g (h k) = g D.
  elim: k => [|k <-].
    by congr g; apply: eq_from_tnth => j; rewrite tnth_mktuple.
  case: (ltnP k n) => [kn|nk]; last first.
    congr g; apply: eq_from_tnth => j; rewrite !tnth_mktuple ltnS.
    by rewrite (leq_trans (ltnW (ltn_ord j)) nk) (leq_trans (ltn_ord j) nk).
  rewrite -(same (h k) (Ordinal kn) (tnth D' (Ordinal kn))); congr g; apply: eq_from_tnth => j.
  rewrite tnth_put !tnth_mktuple ltnS leq_eqVlt -val_eqE /=.
  by case: eqP => //= e; congr tnth; apply: val_inj.
by rewrite -(step n); congr g; apply: eq_from_tnth => j; rewrite tnth_mktuple ltn_ord.
Qed.

(** Thesis: a mechanism with the same output on any two databases that differ in one record has
    the same output on all databases. *)
Theorem thesis_claim_trivial (O : Type) n (T : eqType) (f : n.-tuple T -> O) :
  (forall D i b, f (put D i b) = f D) -> forall D D', f D = f D'.
Proof. exact: same_on_neighbours. Qed.

(** The same is true of mechanisms that toss coins, with laws of the output. *)
Theorem thesis_claim_randomised_trivial (R : realFieldType) (O : finType) n (T : eqType) (M : n.-tuple T -> O -> R) :
  (forall D i b, M (put D i b) =1 M D) -> forall D D', M D =1 M D'.
Proof.
by move=> same D D' t; apply: (@same_on_neighbours R n T (fun D => M D t)) => *; exact: same.
Qed.

(** ** Randomized response *)

Section RandomizedResponse.
Variable R : realFieldType.

(** On heads the truth, on tails the result of a second coin. *)
Definition coin_law (b : bool) : R := 2%:R^-1.
Definition response (truth : bool) : bool -> R := mix 2%:R^-1 (sure R truth) coin_law.

(** The answer is true with probability 3/4 and untrue with probability 1/4. *)
Theorem thesis_claim_rr_25_75 truth b : response truth b = (if b == truth then 3%:R else 1%:R) / 4%:R.
Proof. by rewrite /response /mix /sure /coin_law; case: (b == truth) => /=; field. Qed.

(** So the process is differentially private with e to the epsilon equal to 3, and with no less. *)
Theorem thesis_claim_rr_ln_3 : (forall a b, indist 3%:R 0 (response a) (response b)) /\
  forall E : R, (forall a b, indist E 0 (response a) (response b)) -> 3%:R <= E.
Proof.
have pos4 : 0 < 4%:R :> R by rewrite ltr0n.
split=> [a b|E priv].
  apply: indist_pointwise => t; rewrite !thesis_claim_rr_25_75 mulrA ler_pmul2r ?invr_gt0 //.
    by case: (t == a); case: (t == b); rewrite -?natrM (ler_nat R).
  by case: (t == a); case: (t == b); rewrite -?natrM (ler_nat R).
have [] := indist_at true (priv true false); rewrite !thesis_claim_rr_25_75 /=.
by rewrite mulrA ler_pmul2r ?invr_gt0 // mulr1.
Qed.

(** The truth with probability [k], and else one of all answers in [A], each as likely. *)
Definition response_of (A : finType) (k : R) (truth : A) : A -> R := mix k (sure R truth) (fun _ => #|A|%:R^-1).

(** With a probability k < 1 of the truth and K answers, two at least, the process is differentially private with e to
    the epsilon equal to (1 + (K - 1) k) / (1 - k), and with no less. *)
Theorem thesis_claim_rr_ratio (A : finType) (k : R) (a b : A) : 0 <= k < 1 -> a != b ->
  let ratio := (1 + (#|A|%:R - 1) * k) / (1 - k) in
  (forall t u : A, indist ratio 0 (response_of k t) (response_of k u)) /\
  forall E : R, (forall t u : A, indist E 0 (response_of k t) (response_of k u)) -> ratio <= E.
Proof.
move=> /andP[k0 k1] ab ratio; have q0 : 0 < 1 - k by rewrite subr_gt0.
have K0 : 0 < #|A|%:R :> R by rewrite ltr0n; apply/card_gt0P; exists a.
pose lo := (1 - k) / #|A|%:R; have lo0 : 0 < lo by rewrite divr_gt0.
have value (t u : A) : response_of k t u = if u == t then ratio * lo else lo.
  rewrite /response_of /mix /sure -/lo; case: (u == t); last by rewrite mulr0 add0r.
  by rewrite mulr1 /ratio /lo; field; rewrite !gt_eqF.
have ratio1 : 1 <= ratio.
  rewrite ler_pdivl_mulr // mul1r ler_add2l; apply: (@le_trans _ _ 0); first by rewrite oppr_le0.
  by rewrite mulr_ge0 // subr_ge0 ler1n; apply/card_gt0P; exists a.
have r0 : 0 <= ratio by exact: le_trans ler01 ratio1.
have up (x : R) : 0 <= x -> x <= ratio * x by move=> x0; rewrite ler_pemull.
split=> [t u|E priv].
  have h1 := up _ (ltW lo0); have h2 := up _ (mulr_ge0 r0 (ltW lo0)); have h3 := le_trans h1 h2.
  by apply: indist_pointwise => v; rewrite !value; case: (v == t); case: (v == u).
have [] := indist_at a (priv a b); rewrite !value eqxx (negPf ab) => le _.
by rewrite -(ler_pmul2r lo0).
Qed.
End RandomizedResponse.

(** ** Section 3, more *)

Section Knowledge.
Variables (R : realFieldType) (n : nat) (T B O : finType).
Implicit Types (w : world R n T B) (M : mechanism R n T O) (i : 'I_n).

(** The law of the output together with the knowledge, given that the record of [i] is [a]. *)
Definition with_knowledge w M i a : B * O -> R :=
  fun x => chance_out w M (both i a x.1) x.2 / chance w (record_is i a).

(** Passive partial knowledge is indistinguishability of the output that is published together
    with the knowledge, if the knowledge is independent of the target's record. *)
Theorem published_knowledge w i (E d : R) M : 0 <= E ->
  (forall a k, chance w (both i a k) = chance w (record_is i a) * chance w (knows k)) ->
  PPK_at w i E d M <-> (forall a b, chance w (record_is i a) != 0 -> chance w (record_is i b) != 0 ->
    indist E d (with_knowledge w M i a) (with_knowledge w M i b)).
Proof.
move=> E0 ind; have k0 k : 0 <= chance w (knows k) by exact: chance_ge0.
have eq_joint a : chance w (record_is i a) != 0 ->
    with_knowledge w M i a =1 joint (fun k => chance w (knows k)) (fun k => out w M (both i a k)).
  move=> a0 [k t]; rewrite /with_knowledge /joint /= chance_outE ?ind; last exact: run_kernel.
  by rewrite mulrC !mulrA mulVf // mul1r.
have lossE a b : chance w (record_is i a) != 0 -> chance w (record_is i b) != 0 ->
    passive_loss w M i a b E = hs E (with_knowledge w M i a) (with_knowledge w M i b).
  move=> a0 b0; rewrite (eq_hs E (eq_joint a a0) (eq_joint b b0)) hs_joint // thm_1_mean.
  apply: eq_bigr => k _; rewrite active_loss_hs // /knowledge_given ind.
  by rewrite [_ * chance w (knows k)]mulrC mulfK.
split=> [ppk a b a0 b0|pr a b a0 b0].
  by apply/indist_hs; rewrite -!lossE //; split; exact: ppk.
by rewrite lossE //; case/indist_hs: (pr a b a0 b0).
Qed.

(** Passive partial knowledge bounds the mean, over the knowledge given that the record is [a],
    of the f-divergence of the outputs given [a] from those given [b], with
    f(x) = max(0, 1 - E x). *)
Definition f_divergence (f : R -> R) (P Q : O -> R) : R := \sum_t P t * f (Q t / P t).
(** Definition 13 bounds a mean of f-divergences, as said before Theorem 1. *)
Theorem claim_f_divergence w i (E d : R) M :
  PPK_at w i E d M <-> (forall a b, chance w (record_is i a) != 0 -> chance w (record_is i b) != 0 ->
    \sum_k knowledge_given w i a k *
      f_divergence (fun x => Num.max 0 (1 - E * x)) (out w M (both i a k)) (out w M (both i b k)) <= d).
Proof. by split=> p a b a0 b0; move: (p a b a0 b0); rewrite thm_1_mean. Qed.

(** Without delta an attacker gains nothing by choosing what she knows: the passive one, too, is
    judged by the worst output together with the worst knowledge. *)
Theorem claim_worst_case w i (E : R) M : all_compatible w i -> 0 <= E ->
  PPK_at w i E 0 M <-> (forall a b k t, compatible w i a k -> compatible w i b k ->
    out w M (both i a k) t <= E * out w M (both i b k) t).
Proof.
move=> comp E0; rewrite thm_1_without_delta //; split=> [apk a b k t ak bk|le a b k ak bk].
  have := apk a b k ak bk; rewrite -/(active_loss w M i a b k E) active_loss_hs //.
  by move=> le0; rewrite -subr_le0; apply: le_trans (max0_ge _) _; apply: le_trans le0;
    rewrite /hs (bigD1 t) //= ler_addl sumr_ge0 // => *; exact: max0_ge0.
rewrite -/(active_loss w M i a b k E) active_loss_hs // /hs big1 // => t _.
by apply/max_idPl; rewrite subr_le0; exact: le.
Qed.

(** Without background knowledge, what is APKDP is PPKDP, too. *)
Theorem claim_thus_ppkdp w i (E d : R) M (k0 : B) : (forall k, k = k0) -> 0 <= E ->
  APK_at w i E d M -> PPK_at w i E d M.
Proof. by move=> one E0 apk; apply/(claim_no_knowledge_same w i d M one E0). Qed.
End Knowledge.
