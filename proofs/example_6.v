(** * Section 2.3: Example 6 and Proposition 4

    Two pairs of voters, as in Example 6, normalized its first way: a parameter
    for each pair. The attacker knows the second pair. The law is
    acceptable for a voter of the first pair, and still noiseless and causal
    privacy are not the same. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From pkdp Require Import divergence worlds computing criterion.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Pairs.
Variables (R : realFieldType) (c : R).
Hypothesis c01 : 0 <= c <= 1.

(** The votes of a pair. *)
Definition couple : finType := [finType of bool * bool].
(** The law of a pair: each vote is fair, and the two agree with probability [c]. *)
Definition couple_law (v : couple) : R := (if v.1 == v.2 then c else 1 - c) / 2%:R.

(** The parameters: the first pair, and the second. *)
Definition parameters : finType := [finType of couple * {ffun 'I_1 -> couple}].
(** The four votes, and what is known. *)
Definition make (v : parameters) : 4.-tuple bool * couple :=
  ([tuple v.1.1; v.1.2; (v.2 ord0).1; (v.2 ord0).2], v.2 ord0).
(** Both pairs are independent. *)
Definition chances : parameters -> R := parameters_law couple_law (fun _ => couple_law).

Lemma couple_is_law : law couple_law.
Proof.
have /andP[c0 c1] := c01.
split=> [v|]; first by rewrite divr_ge0 ?ler0n //; case: ifP; rewrite ?subr_ge0.
rewrite -(pair_bigA _ (fun x y => couple_law (x, y))) /= !big_bool /couple_law /=; by field.
Qed.

Lemma chancesE v : chances v = couple_law v.1 * couple_law (v.2 ord0).
Proof. by rewrite /chances /parameters_law big_ord1. Qed.

Lemma chances_law : law chances.
Proof.
split=> [v|]; first by rewrite chancesE mulr_ge0 ?(law_ge0 _ couple_is_law).
rewrite -(pair_bigA _ (fun x (g : {ffun 'I_1 -> couple}) => couple_law x * \prod_j couple_law (g j))) /= -[RHS](law_sum couple_is_law).
apply: eq_bigr => x _; rewrite -mulr_sumr -(bigA_distr_bigA (fun (_ : 'I_1) => couple_law)) big_ord1.
by rewrite (law_sum couple_is_law) mulr1.
Qed.

(** The world, in which the attacker knows the second pair. *)
Definition two_pairs : world R 4 bool_finType couple := World _ (push_law make chances_law).

(** The second voter. *)
Definition voter : 'I_4 := Ordinal (isT : 1 < 4)%N.
(** Whether the first two agree. *)
Definition agree (D : 4.-tuple bool) : bool := tnth D ord0 == tnth D voter.

Lemma same_function (g g' : {ffun 'I_1 -> couple}) : g ord0 = g' ord0 -> g = g'.
Proof. by move=> e; apply/ffunP => j; rewrite (ord1 j). Qed.

Lemma two_pairs_normalized : normalizes couple_law (fun _ => couple_law) two_pairs make.
Proof.
split=> //; [exact: couple_is_law | by move=> _; exact: couple_is_law |].
by move=> [[x y] g] [[x' y'] g'] _ _ [-> ->] _ _ /same_function ->.
Qed.

Lemma two_pairs_acceptable : acceptable_at two_pairs voter.
Proof.
exists couple, couple, 1%N, couple_law, (fun _ => couple_law), make, setT; split.
- exact: two_pairs_normalized.
- by exists snd.
move=> v v' _ _; split=> [e j _|e]; first by rewrite (ord1 j).
by apply: e; rewrite inE.
Qed.

Lemma sum_first_voter a k (F : bool -> R) :
  \sum_(v | both voter a k (make v)) chances v * F v.1.1 = (\sum_x couple_law (x, a) * F x) * couple_law k.
Proof.
rewrite (eq_bigr (fun v : parameters => couple_law v.1 * couple_law (v.2 ord0) * F v.1.1)) => [|v _]; last by rewrite chancesE.
rewrite (eq_bigl (fun v : parameters => (v.1.2 == a) && (v.2 ord0 == k))) //.
rewrite -(pair_big (fun x : couple => x.2 == a) (fun g : {ffun 'I_1 -> couple} => g ord0 == k)
  (fun x g => couple_law x * couple_law (g ord0) * F x.1)) /=.
have inner x : \sum_(g : {ffun 'I_1 -> couple} | g ord0 == k) couple_law x * couple_law (g ord0) * F x.1
    = couple_law x * F x.1 * couple_law k.
  rewrite (big_pred1 [ffun=> k]) => [|g /=]; first by rewrite ffunE mulrAC.
  by apply/eqP/eqP => [e|->]; [apply: same_function; rewrite ffunE | rewrite ffunE].
rewrite (eq_bigr _ (fun x _ => inner x)) -mulr_suml; congr (_ * _).
rewrite (eq_bigr (fun x : couple => couple_law (x.1, x.2) * F x.1)) => [|[x y] _ //].
rewrite (eq_bigl (fun x : couple => true && (x.2 == a))) //.
rewrite -(pair_big xpredT (pred1 a) (fun x y => couple_law (x, y) * F x)) /=.
by apply: eq_bigr => x _; rewrite big_pred1_eq.
Qed.

Lemma chance_voter a k : chance two_pairs (both voter a k) = 2%:R^-1 * couple_law k.
Proof.
rewrite (chance_make two_pairs_normalized); have := sum_first_voter a k (fun _ => 1).
rewrite (eq_bigr _ (fun v _ => mulr1 (chances v))) => ->; congr (_ * _).
by rewrite big_bool /couple_law /=; case: a => /=; field.
Qed.

(** What is seen, given the voter's vote [a], of the first voter's vote by a function [f]. *)
Lemma out_voter a k (f : 4.-tuple bool -> bool) (h : bool -> bool) t : (forall v, both voter a k (make v) -> f (make v).1 = h v.1.1) ->
  compatible two_pairs voter a k ->
  out two_pairs (noiseless R f) (both voter a k) t = \sum_x (if x == a then c else 1 - c) * (t == h x)%:R.
Proof.
move=> fh; rewrite /compatible chance_voter => nz; rewrite /out chance_voter.
rewrite (chance_out_make two_pairs_normalized) /=.
rewrite (eq_bigr (fun v : parameters => chances v * (t == h v.1.1)%:R)) => [|v bv]; last by rewrite /sure fh.
rewrite (sum_first_voter a k (fun x => (t == h x)%:R)); have kn : couple_law k != 0.
  by apply: contraNneq nz => ->; rewrite mulr0.
rewrite invfM mulrACA divff // mulr1 invrK mulr_suml; apply: eq_bigr => x _.
by rewrite mulrAC /couple_law divfK ?pnatr_eq0.
Qed.

(** Example 6, with fair votes, normalized the first way, and another pair known: the law is acceptable for the
    second voter of a pair, whether the pair agrees is noiseless private for this voter with epsilon = 0, and
    causally private with epsilon = 0 only if c is 1/2, that is, if the votes are independent. *)
Theorem prop_4_fails_with_knowledge : c != 2%:R^-1 ->
  [/\ acceptable_at two_pairs voter, NP_at two_pairs voter 1 0 (noiseless R agree)
    & ~ CDP_at two_pairs voter 1 0 (noiseless R agree)].
Proof.
move=> c2; have agreeE a k v : both voter a k (make v) -> agree (make v).1 = (v.1.1 == a).
  by move=> /andP[/eqP <- _].
split; first exact: two_pairs_acceptable.
- move=> a b k ak bk; apply: indist_same => // t; first by apply: out_ge0; exact: run_kernel.
  apply: (etrans (@out_voter a k agree (fun x => x == a) t (agreeE a k) ak)); apply: esym.
  apply: (etrans (@out_voter b k agree (fun x => x == b) t (agreeE b k) bk)).
  rewrite !big_bool.
  by case: (a); case: (b) => //=; rewrite addrC.
move=> cdp; have [k kn] : exists k, couple_law k != 0.
  apply/existsP; apply: contraT; rewrite negb_exists => /forallP none.
  have := law_sum couple_is_law; rewrite big1 => [/eqP|k _]; first by rewrite eq_sym oner_eq0.
  by apply/eqP; have := none k; rewrite negbK.
have comp a : compatible two_pairs voter a k by rewrite /compatible chance_voter mulf_neq0 ?invr_eq0 ?pnatr_eq0.
have putE v : both voter true k (make v) -> agree (put (make v).1 voter false) = (v.1.1 == false).
  by move=> _; rewrite /agree !tnth_put.
have /(indist_at true)[le ge] := cdp true false k (comp true) (comp false).
have out1 := @out_voter true k agree (fun x => x == true) true (agreeE true k) (comp true).
have out2 : out two_pairs (replaced (noiseless R agree) voter false) (both voter true k) true = _ :=
  @out_voter true k (fun D => agree (put D voter false)) (fun x => x == false) true putE (comp true).
move: le ge; rewrite out1 out2 !big_bool /= !mul1r !mulr0 !mulr1 addr0 add0r => le ge.
have e : c = 1 - c by apply/eqP; rewrite eq_le le.
move/eqP: c2; apply; apply: (@mulIf _ 2%:R); first by rewrite pnatr_eq0.
by rewrite mulVf ?pnatr_eq0 // mulr_natr mulr2n {2}e addrC subrK.
Qed.

End Pairs.
