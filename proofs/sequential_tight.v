(** * Section 5.1: Theorem 6 is tight, and distinct parts

    For all six numbers a world in which the corrected Theorem 6 is exact; and when two
    parts of a database stay independent for an attacker, the second
    half of the corrected Proposition 9. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From pkdp Require Import divergence worlds computing criterion attackers sequential realized.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Distinct parts *)

(** Proposition 9, corrected, second half: if two parts of the database are independent, and each event that
    the target's record is [a] and the knowledge [k] is one condition on the one part and another on the
    other, then the parts are independent given every such event. Databases without probability do not count. *)
Theorem tight_prop_9_split (R : realFieldType) n (T B P1 P2 : finType) (w : world R n T B) i
    (pi1 : n.-tuple T -> P1) (pi2 : n.-tuple T -> P2) :
  independent_parts w pi1 pi2 ->
  (forall a k, exists A1 : pred P1, exists A2 : pred P2,
     forall z, w z != 0 -> both i a k z = A1 (pi1 z.1) && A2 (pi2 z.1)) ->
  forall a k x y, compatible w i a k ->
    chance w (fun z => both i a k z && ((pi1 z.1 == x) && (pi2 z.1 == y))) * chance w (both i a k) =
    chance w (fun z => both i a k z && (pi1 z.1 == x)) * chance w (fun z => both i a k z && (pi2 z.1 == y)).
Proof.
move=> ind splits a k x y _; have [A1 [A2 AE]] := splits a k.
pose p1 x := chance w (fun z => pi1 z.1 == x); pose p2 y := chance w (fun z => pi2 z.1 == y).
have sums (C1 : pred P1) (C2 : pred P2) :
    chance w (fun z => both i a k z && (C1 (pi1 z.1) && C2 (pi2 z.1)))
    = (\sum_(x' | A1 x' && C1 x') p1 x') * (\sum_(y' | A2 y' && C2 y') p2 y').
  rewrite big_distrlr /= /chance (partition_big (fun z => pi1 z.1) predT) //= [RHS]big_mkcond; apply: eq_bigr => x' _.
  rewrite (partition_big (fun z => pi2 z.1) predT) //=.
  transitivity (\sum_y' if (A1 x' && C1 x') && (A2 y' && C2 y') then p1 x' * p2 y' else 0); last first.
    by case: (A1 x' && C1 x') => /=; [rewrite -big_mkcond | rewrite big1].
  apply: eq_bigr => y' _; rewrite -ind /chance big_mkcond /= [X in if _ then X else _]big_mkcond /=.
  case: ifP => c; last first.
    apply: big1 => z _; case: ifP => // /andP[/andP[/andP[bz /andP[c1 c2]] /eqP ex] /eqP ey].
    have [//|nz] := eqVneq (w z) 0; move: bz c1 c2; rewrite AE // ex ey => /andP[a1 a2] c1 c2.
    by rewrite a1 a2 c1 c2 in c.
  apply: eq_bigr => z _; have [->|nz] := eqVneq (w z) 0; first by rewrite !if_same.
  rewrite AE //; have [/eqP ex|] := boolP (pi1 z.1 == x'); last by rewrite andbF.
  have [/eqP ey|] := boolP (pi2 z.1 == y'); last by rewrite !andbF.
  by rewrite ex ey; case/andP: c => /andP[-> ->] /andP[-> ->].
have e1 := sums (pred1 x) (pred1 y); have e2 := sums xpredT xpredT.
have e3 := sums (pred1 x) xpredT; have e4 := sums xpredT (pred1 y).
rewrite /= in e1 e2 e3 e4.
have -> : chance w (both i a k) = chance w (fun z => both i a k z && (true && true)).
  by apply: eq_chance => z; rewrite !andbT.
have -> : chance w (fun z => both i a k z && (pi1 z.1 == x)) = chance w (fun z => both i a k z && ((pi1 z.1 == x) && true)).
  by apply: eq_chance => z; rewrite !andbT.
have -> : chance w (fun z => both i a k z && (pi2 z.1 == y)) = chance w (fun z => both i a k z && (true && (pi2 z.1 == y))) by [].
by rewrite e1 e2 e3 e4 mulrACA [RHS]mulrACA; congr (_ * _); exact: mulrC.
Qed.

(** ** Theorem 6 is tight *)

Section Tight.
Variables (R : realFieldType) (E1 E2 U d1 d2 nu : R).
Hypotheses (E1_ge1 : 1 <= E1) (E2_ge1 : 1 <= E2) (U_ge1 : 1 <= U).
Hypotheses (d1_ge0 : 0 <= d1) (d2_ge0 : 0 <= d2) (nu_ge0 : 0 <= nu) (sum_le1 : d1 + d2 + nu <= 1).

(** How likely an answer is right, and how likely not: surely. *)
Definition surely (right : bool) : R := right%:R.
(** With even odds. *)
Definition evenly (right : bool) : R := 2%:R^-1.
(** With the odds [E] to one. *)
Definition with_odds E (right : bool) : R := (if right then E else 1) / (1 + E).

(** What an answer that is right has above [E] times one that is not, in all. *)
Definition tells E (r : bool -> R) : R := \sum_b Num.max 0 (r b - E * r (~~ b)).

Lemma tells_surely E : 0 <= E -> tells E surely = 1.
Proof.
move=> E0; rewrite /tells big_bool /surely /= mulr0 subr0 mulr1 sub0r.
by rewrite (elimT max_idPr) ?ler01 // (elimT max_idPl) ?oppr_le0 // addr0.
Qed.

Lemma tells_evenly E : 1 <= E -> tells E evenly = 0.
Proof.
by move=> E_ge1; rewrite /tells big1 // => b _; apply/max_idPl; rewrite subr_le0 ler_pemull ?invr_ge0 ?ler0n.
Qed.

Lemma tells_odds E : 1 <= E -> tells E (with_odds E) = 0.
Proof.
move=> E_ge1; have E0 : 0 < 1 + E by rewrite addr_gt0 ?ltr01 // (lt_le_trans ltr01).
rewrite /tells big1 // => -[] _; apply/max_idPl; rewrite /with_odds /= mulrA -mulrBl ?mulr1 ?subrr ?mul0r //.
by rewrite pmulr_lle0 ?invr_gt0 // subr_le0 (le_trans E_ge1) // ler_pemull // (le_trans ler01).
Qed.

Lemma with_odds_law E : 0 <= E -> law (with_odds E).
Proof.
move=> E0; have E1' : 0 < 1 + E by apply: lt_le_trans ltr01 _; rewrite ler_addl.
split=> [b|]; first by apply: divr_ge0; [case: b => //; exact: ler01 | exact: ltW].
by rewrite big_bool /with_odds /= -mulrDl addrC divff // gt_eqF.
Qed.

Lemma surely_law : law surely.
Proof. by split=> [b|]; [exact: ler0n | rewrite big_bool /surely /= addr0]. Qed.

Lemma evenly_law : law evenly.
Proof.
split=> [b|]; first by rewrite invr_ge0 ler0n.
by rewrite big_bool /evenly /= -mulr2n -[LHS]mulr_natr mulVf ?pnatr_eq0.
Qed.

Lemma halves (x : R) : x / 2%:R + x / 2%:R = x.
Proof. by rewrite -mulr2n -[LHS]mulr_natr divfK ?pnatr_eq0. Qed.

(** Four cases, and their chances: the first mechanism tells the secret; the second does; both together do; or all answer with odds. *)
Definition weight_of (c : 'I_4) : R := nth 0 [:: d1; d2; nu; 1 - (d1 + d2 + nu)] c.
(** How well the first mechanism answers in each case. *)
Definition one (c : 'I_4) : bool -> R := nth evenly [:: surely; evenly; evenly; with_odds E1] c.
(** How well the second one does. *)
Definition two (c : 'I_4) : bool -> R := nth evenly [:: evenly; surely; evenly; with_odds E2] c.
(** How well the two halves of the pad do together. *)
Definition pad (c : 'I_4) : bool -> R := nth evenly [:: evenly; evenly; surely; with_odds U] c.

(** Each output has the case, an answer, and one half of a one-time pad. *)
Definition output : finType := [finType of 'I_4 * (bool * bool)].
(** The law of both outputs, given the secret [s]. *)
Definition shown (s : bool) (o : output * output) : R :=
  if o.1.1 == o.2.1 then weight_of o.1.1 * (one o.1.1 (o.1.2.1 == s) * (two o.1.1 (o.2.2.1 == s)
    * (2%:R^-1 * pad o.1.1 ((o.1.2.2 (+) o.2.2.2) == s)))) else 0.

Lemma sum_cases (F : 'I_4 -> R) : \sum_c F c = F (inord 0) + F (inord 1) + F (inord 2) + F (inord 3).
Proof.
rewrite !big_ord_recl big_ord0 addr0 !addrA.
by congr (F _ + F _ + F _ + F _); apply: val_inj; rewrite /= inordK.
Qed.

Lemma weight_ge0' c : 0 <= weight_of c.
Proof. by case: c => [[|[|[|[|//]]]] Hc]; rewrite /weight_of /= // subr_ge0. Qed.

Lemma sum_outputs (F : output -> R) : \sum_o F o = \sum_c \sum_x \sum_z F (c, (x, z)).
Proof.
rewrite (eq_bigr (fun o => F (o.1, (o.2.1, o.2.2)))) => [|[c [x z]] _ //].
rewrite -(pair_bigA _ (fun c xz => F (c, (xz.1, xz.2)))); apply: eq_bigr => c _.
by rewrite -(pair_bigA _ (fun x z => F (c, (x, z)))).
Qed.

Lemma one_law c : law (one c).
Proof.
case: c => [[|[|[|[|//]]]] Hc]; rewrite /one /=; try exact: evenly_law; first exact: surely_law.
by apply: with_odds_law; exact: le_trans ler01 E1_ge1.
Qed.
Lemma two_law c : law (two c).
Proof.
case: c => [[|[|[|[|//]]]] Hc]; rewrite /two /=; try exact: evenly_law; first exact: surely_law.
by apply: with_odds_law; exact: le_trans ler01 E2_ge1.
Qed.
Lemma pad_law c : law (pad c).
Proof.
case: c => [[|[|[|[|//]]]] Hc]; rewrite /pad /=; try exact: evenly_law; first exact: surely_law.
by apply: with_odds_law; exact: le_trans ler01 U_ge1.
Qed.

Lemma sum_right (r : bool -> R) (s : bool) : \sum_(x : bool) r (x == s) = \sum_b r b.
Proof. by rewrite !big_bool; case: s => //=; rewrite addrC. Qed.

Lemma sum_right_pad (r : bool -> R) (s z : bool) : \sum_(v : bool) r ((z (+) v) == s) = \sum_b r b.
Proof. by rewrite !big_bool; case: s; case: z => //=; rewrite addrC. Qed.

Lemma sum_right_pad' (r : bool -> R) (s z : bool) : \sum_(v : bool) r ((v (+) z) == s) = \sum_b r b.
Proof. by rewrite !big_bool; case: s; case: z => //=; rewrite addrC. Qed.

(** The first output alone, and the second alone. *)
Lemma shown_first s o : push fst (shown s) o = weight_of o.1 * (one o.1 (o.2.1 == s) / 2%:R).
Proof.
case: o => c [x z]; rewrite /push (eq_bigl (fun o : output * output => pred1 (c, (x, z)) o.1 && true)) => [|o]; last by rewrite andbT.
rewrite (eq_bigr (fun o : output * output => shown s (o.1, o.2))) => [|[]] //.
rewrite -(pair_big (pred1 (c, (x, z))) xpredT (fun o1 o2 => shown s (o1, o2))) /= big_pred1_eq sum_outputs.
rewrite (bigD1 c) //= [X in _ + X]big1 ?addr0 => [|c' ne]; last first.
  by rewrite big1 // => y _; rewrite big1 // => v _; rewrite /shown /= eq_sym (negPf ne).
rewrite /shown /= eqxx; under eq_bigr do rewrite -!mulr_sumr sum_right_pad (law_sum (pad_law c)) mulr1.
by rewrite -!mulr_sumr -mulr_suml sum_right (law_sum (two_law c)) mul1r.
Qed.

Lemma shown_second s o : push snd (shown s) o = weight_of o.1 * (two o.1 (o.2.1 == s) / 2%:R).
Proof.
case: o => c [y v]; rewrite /push (eq_bigl (fun o : output * output => true && pred1 (c, (y, v)) o.2)) //.
rewrite (eq_bigr (fun o : output * output => shown s (o.1, o.2))) => [|[]] //.
rewrite -(pair_big xpredT (pred1 (c, (y, v))) (fun o1 o2 => shown s (o1, o2))) /=.
under eq_bigr do rewrite big_pred1_eq; rewrite sum_outputs.
rewrite (bigD1 c) //= [X in _ + X]big1 ?addr0 => [|c' ne]; last first.
  by rewrite big1 // => x _; rewrite big1 // => z _; rewrite /shown /= (negPf ne).
rewrite /shown /= eqxx; under eq_bigr do rewrite -!mulr_sumr sum_right_pad' (law_sum (pad_law c)) mulr1.
by rewrite -mulr_sumr -mulr_suml sum_right (law_sum (one_law c)) mul1r.
Qed.

Lemma shown_ge0 s o : 0 <= shown s o.
Proof.
rewrite /shown; case: ifP => // _; rewrite !mulr_ge0 ?weight_ge0' ?invr_ge0 ?ler0n //;
by [exact: law_ge0 (one_law _) | exact: law_ge0 (two_law _) | exact: law_ge0 (pad_law _)].
Qed.

Lemma shown_law s : law (shown s).
Proof.
split=> [o|]; first exact: shown_ge0.
rewrite (partition_big fst predT) //= (eq_bigr (fun o => weight_of o.1 * (one o.1 (o.2.1 == s) / 2%:R))) => [|o _]; last exact: shown_first.
rewrite sum_outputs (eq_bigr weight_of) => [|c _].
  by rewrite sum_cases /weight_of !inordK //=; ring.
rewrite -[RHS]mulr1 -[X in _ = _ * X](law_sum (one_law c)) -(sum_right (one c) s) mulr_sumr; apply: eq_bigr => x _.
by rewrite big_bool /= -mulrDr halves.
Qed.

(** ** What each of the two shows, and both *)

Lemma eq_not (x s : bool) : (x == ~~ s) = ~~ (x == s).
Proof. by case: x; case: s. Qed.

Lemma sum_tells E c (r : bool -> R) s : \sum_x \sum_(z : bool) Num.max 0 (weight_of c * (r (x == s) / 2%:R)
    - E * (weight_of c * (r (x == ~~ s) / 2%:R))) = weight_of c * tells E r.
Proof.
rewrite /tells mulr_sumr -(sum_right (fun b => weight_of c * Num.max 0 (r b - E * r (~~ b))) s).
apply: eq_bigr => x _; rewrite eq_not; set b := x == s.
have -> : weight_of c * (r b / 2%:R) - E * (weight_of c * (r (~~ b) / 2%:R)) = weight_of c / 2%:R * (r b - E * r (~~ b)) by ring.
have w2 : 0 <= weight_of c / 2%:R by rewrite divr_ge0 ?weight_ge0' ?ler0n.
by rewrite big_bool /= max0_mul // -mulrDl halves.
Qed.

Lemma sum_of_cases (r : 'I_4 -> R) (j : nat) : (j < 3)%N ->
  (forall c : 'I_4, r c = if c == j :> nat then 1 else 0) -> \sum_c weight_of c * r c = nth 0 [:: d1; d2; nu] j.
Proof.
move=> lt_j rE; rewrite sum_cases !rE !inordK // /weight_of !inordK //.
by move: lt_j; case: j {rE} => [|[|[|//]]] _ /=; rewrite ?mulr1 !mulr0 ?addr0 ?add0r.
Qed.

Lemma first_shows s : hs E1 (push fst (shown s)) (push fst (shown (~~ s))) = d1.
Proof.
rewrite (eq_hs E1 (shown_first s) (shown_first (~~ s))) /hs sum_outputs /=.
rewrite (eq_bigr (fun c => weight_of c * tells E1 (one c))) => [|c _]; last exact: sum_tells.
apply: (@sum_of_cases (fun c => tells E1 (one c)) 0) => // -[[|[|[|[|//]]]] Hc] /=; rewrite /one /=.
- by apply: tells_surely; exact: le_trans ler01 E1_ge1.
- exact: tells_evenly.
- exact: tells_evenly.
exact: tells_odds.
Qed.

Lemma second_shows s : hs E2 (push snd (shown s)) (push snd (shown (~~ s))) = d2.
Proof.
rewrite (eq_hs E2 (shown_second s) (shown_second (~~ s))) /hs sum_outputs /=.
rewrite (eq_bigr (fun c => weight_of c * tells E2 (two c))) => [|c _]; last exact: sum_tells.
apply: (@sum_of_cases (fun c => tells E2 (two c)) 1) => // -[[|[|[|[|//]]]] Hc] /=; rewrite /two /=.
- exact: tells_evenly.
- by apply: tells_surely; exact: le_trans ler01 E2_ge1.
- exact: tells_evenly.
exact: tells_odds.
Qed.

Lemma sum_shown (F : 'I_4 -> bool -> bool -> bool -> R) s :
  \sum_(o : output * output) (if o.1.1 == o.2.1 then F o.1.1 (o.1.2.1 == s) (o.2.2.1 == s) ((o.1.2.2 (+) o.2.2.2) == s) else 0)
  = \sum_c \sum_b1 \sum_b2 \sum_b3 (F c b1 b2 b3 + F c b1 b2 b3).
Proof.
rewrite -(pair_bigA _ (fun o1 o2 : output => if o1.1 == o2.1 then F o1.1 (o1.2.1 == s) (o2.2.1 == s) ((o1.2.2 (+) o2.2.2) == s) else 0)) /=.
rewrite sum_outputs; apply: eq_bigr => c _; rewrite -[RHS](sum_right (fun b1 => \sum_b2 \sum_b3 (F c b1 b2 b3 + F c b1 b2 b3)) s); apply: eq_bigr => x _ /=.
have inner z : \sum_(o : output) (if c == o.1 then F c (x == s) (o.2.1 == s) ((z (+) o.2.2) == s) else 0)
    = \sum_b2 \sum_b3 F c (x == s) b2 b3.
  rewrite sum_outputs (bigD1 c) //= [X in _ + X]big1 ?addr0 => [|c' ne]; last first.
    by rewrite big1 // => y _; rewrite big1 // => v _; rewrite eq_sym (negPf ne).
  rewrite -(sum_right (fun b2 => \sum_b3 F c (x == s) b2 b3) s); apply: eq_bigr => y _; rewrite eqxx.
  exact: (sum_right_pad (F c (x == s) (y == s)) s z).
transitivity (\sum_(z : bool) \sum_b2 \sum_b3 F c (x == s) b2 b3); first by apply: eq_bigr => z _; exact: inner.
rewrite [LHS]big_bool /= -big_split /=; apply: eq_bigr => b2 _; by rewrite -big_split.
Qed.

(** What both show, in all: in the first three cases everything; in the last the gap between the odds and [E]. *)
Definition gap E : R := (E1 * E2 * U - E) / ((1 + E1) * (1 + E2) * (1 + U)).

Lemma both_show E s : 0 <= E -> d1 + d2 + nu + (1 - (d1 + d2 + nu)) * gap E <= hs E (shown s) (shown (~~ s)).
Proof.
move=> E0; pose T c b1 b2 b3 := one c b1 * (two c b2 * (2%:R^-1 * pad c b3)).
have -> : hs E (shown s) (shown (~~ s)) = \sum_(o : output * output) (if o.1.1 == o.2.1 then
    weight_of o.1.1 * Num.max 0 (T o.1.1 (o.1.2.1 == s) (o.2.2.1 == s) ((o.1.2.2 (+) o.2.2.2) == s)
      - E * T o.1.1 (~~ (o.1.2.1 == s)) (~~ (o.2.2.1 == s)) (~~ ((o.1.2.2 (+) o.2.2.2) == s))) else 0).
  apply: eq_bigr => o _; rewrite /shown !eq_not; case: ifP => _; last by rewrite mulr0 subr0 maxxx.
  by rewrite -max0_mul ?weight_ge0' // mulrBr [E * (weight_of _ * _)]mulrCA.
rewrite (sum_shown (fun c b1 b2 b3 => weight_of c * Num.max 0 (T c b1 b2 b3 - E * T c (~~ b1) (~~ b2) (~~ b3)))).
pose total c := \sum_b1 \sum_b2 \sum_b3 (Num.max 0 (T c b1 b2 b3 - E * T c (~~ b1) (~~ b2) (~~ b3)) *+ 2).
rewrite (eq_bigr (fun c => weight_of c * total c)) => [|c _]; last first.
  rewrite /total mulr_sumr; apply: eq_bigr => b1 _; rewrite mulr_sumr; apply: eq_bigr => b2 _.
  by rewrite mulr_sumr; apply: eq_bigr => b3 _; rewrite mulr2n mulrDr.
have total_ge0 c : 0 <= total c.
  by rewrite !sumr_ge0 // => ? _; rewrite !sumr_ge0 // => ? _; rewrite !sumr_ge0 // => ? _; rewrite mulrn_wge0 ?max0_ge0.
have all_of (r1 r2 r3 : bool -> R) (c : 'I_4) : law r1 -> law r2 -> law r3 ->
    \sum_b1 \sum_b2 \sum_b3 (r1 b1 * (r2 b2 * (2%:R^-1 * r3 b3)) *+ 2) = 1.
  move=> l1 l2 l3; rewrite -[RHS](law_sum l1); apply: eq_bigr => b1 _; rewrite -[RHS]mulr1 -[X in _ = _ * X](law_sum l2) mulr_sumr.
  apply: eq_bigr => b2 _; rewrite -[r1 b1 * r2 b2]mulr1 -[X in _ = _ * X](law_sum l3) mulr_sumr; apply: eq_bigr => b3 _.
  by move: (r1 b1) (r2 b2) (r3 b3) => u v w; rewrite -mulr_natr; field.
(* where a right answer is sure, all of what is likely is told *)
have told c : (forall b1 b2 b3, T c b1 b2 b3 = 0 \/ T c (~~ b1) (~~ b2) (~~ b3) = 0) -> total c = 1.
  move=> sure_one; rewrite -(all_of _ _ _ c (one_law c) (two_law c) (pad_law c)).
  apply: eq_bigr => b1 _; apply: eq_bigr => b2 _; apply: eq_bigr => b3 _; congr (_ *+ 2); rewrite -/(T c b1 b2 b3).
  have T0 b1' b2' b3' : 0 <= T c b1' b2' b3'.
    by rewrite !mulr_ge0 ?invr_ge0 ?ler0n //; [case: (one_law c)|case: (two_law c)|case: (pad_law c)].
  case: (sure_one b1 b2 b3) => ->; last by rewrite mulr0 subr0; apply/max_idPr.
  by rewrite sub0r; apply/max_idPl; rewrite oppr_le0 mulr_ge0.
have [t0 t1 t2] : [/\ total (inord 0) = 1, total (inord 1) = 1 & total (inord 2) = 1].
  by split; apply: told => b1 b2 b3; rewrite /T /one /two /pad !inordK //= /surely;
    case: b1; case: b2; case: b3; rewrite /= ?mulr0n ?mul0r ?mulr0 ?mulr0; (by left) || by right.
have t3 : gap E <= total (inord 3).
  rewrite /total (bigD1 true) //= ler_paddr ?sumr_ge0 // => [? _|].
    by rewrite !sumr_ge0 // => ? _; rewrite !sumr_ge0 // => ? _; rewrite mulrn_wge0 ?max0_ge0.
  rewrite (bigD1 true) //= ler_paddr ?sumr_ge0 // => [? _|].
    by rewrite !sumr_ge0 // => ? _; rewrite mulrn_wge0 ?max0_ge0.
  rewrite (bigD1 true) //= ler_paddr ?sumr_ge0 // => [? _|]; first by rewrite mulrn_wge0 ?max0_ge0.
  rewrite -mulr_natr; apply: (@le_trans _ _ ((T (inord 3) true true true - E * T (inord 3) false false false) * 2%:R)); last first.
    by rewrite ler_wpmul2r ?ler0n ?max0_ge.
  have nz (x : R) : 1 <= x -> 1 + x != 0 by move=> x1; rewrite gt_eqF // addr_gt0 ?ltr01 // (lt_le_trans ltr01).
  rewrite le_eqVlt; apply/orP; left; apply/eqP; rewrite /gap /T /one /two /pad !inordK //= /with_odds.
  by field; rewrite !nz.
rewrite sum_cases t0 t1 t2 /weight_of !inordK //= !mulr1 ler_add2l ler_wpmul2l //.
by rewrite subr_ge0.
Qed.

(** The dependency of both, in the repaired convention. *)
Definition repaired_dep s (o : output * output) : R :=
  let P := shown s o in let Q := shown (~~ s) o in
  let P1 := push fst (shown s) o.1 in let Q1 := push fst (shown (~~ s)) o.1 in
  let P2 := push snd (shown s) o.2 in let Q2 := push snd (shown (~~ s)) o.2 in
  if (Q1 == 0) || (Q2 == 0) then 1 else (Q / Q1) / (P / P1) * (P2 / Q2).

Lemma dependency_shows s : \sum_o shown s o * Num.max 0 (1 - U * repaired_dep s o) <= nu.
Proof.
have U0 : 0 <= U by exact: le_trans ler01 U_ge1.
have max1 : Num.max 0 (1 - U * 1) = 0 by apply/max_idPl; rewrite mulr1 subr_le0.
pose F c b1 b2 b3 := weight_of c * (one c b1 * (two c b2 * (2%:R^-1 * Num.max 0 (pad c b3 - U * pad c (~~ b3))))).
apply: (@le_trans _ _ (\sum_(o : output * output) (if o.1.1 == o.2.1 then
    F o.1.1 (o.1.2.1 == s) (o.2.2.1 == s) ((o.1.2.2 (+) o.2.2.2) == s) else 0))).
  apply: ler_sum => o _; rewrite /repaired_dep shown_first shown_second shown_first shown_second /shown !eq_not /F.
  case: ifP => [/eqP c12|_]; last by rewrite mul0r.
  rewrite -c12; set w := weight_of _; set b1 := o.1.2.1 == s; set b2 := o.2.2.1 == s; set b3 := _ (+) _ == s; set c := o.1.1.
  have [p1 p2 p3] : [/\ 0 <= one c b1, 0 <= two c b2 & 0 <= pad c b3].
    by split; [case: (one_law c) | case: (two_law c) | case: (pad_law c)].
  have w0 : 0 <= w by exact: weight_ge0'.
  have F0 : 0 <= w * (one c b1 * (two c b2 * (2%:R^-1 * Num.max 0 (pad c b3 - U * pad c (~~ b3))))).
    by rewrite !mulr_ge0 ?invr_ge0 ?ler0n ?max0_ge0.
  case: ifP => [_|/norP[]]; first by rewrite max1 mulr0.
  rewrite !mulf_eq0 !negb_or => /andP[wn /andP[q1 _]] /andP[_ /andP[q2 _]].
  have [->|n1] := eqVneq (one c b1) 0; first by rewrite !mul0r mulr0 mul0r.
  have [->|n2] := eqVneq (two c b2) 0; first by rewrite !mul0r !mulr0 mul0r.
  have [z|n3] := eqVneq (pad c b3) 0; first by rewrite [X in X <= _](_ : _ = 0) // z !mulr0 mul0r.
  rewrite le_eqVlt; apply/orP; left; apply/eqP.
  rewrite -!mulrA; congr (_ * (_ * (_ * (_ * _)))); rewrite -max0_mul // mulrBr mulr1; congr (Num.max 0 (_ - _)).
  by field; rewrite wn q1 q2 n1 n2 n3.
rewrite (sum_shown F) (eq_bigr (fun c => weight_of c * tells U (pad c))) => [|c _].
  rewrite (@sum_of_cases (fun c => tells U (pad c)) 2) // => -[[|[|[|[|//]]]] Hc] /=; rewrite /pad /=.
  - exact: tells_evenly.
  - exact: tells_evenly.
  - exact: tells_surely.
  exact: tells_odds.
have sum3 (r1 r2 : bool -> R) (r3 : bool -> R) : law r1 -> law r2 ->
    \sum_b1 \sum_b2 \sum_b3 (r1 b1 * (r2 b2 * (2%:R^-1 * r3 b3)) *+ 2) = \sum_b r3 b.
  move=> l1 l2; rewrite -[RHS]mul1r -[X in _ = X * _](law_sum l1) mulr_suml; apply: eq_bigr => b1 _.
  rewrite -[\sum_b r3 b in RHS]mul1r -[X in _ = _ * (X * _)](law_sum l2) mulr_suml mulr_sumr; apply: eq_bigr => b2 _.
  rewrite !mulr_sumr; apply: eq_bigr => b3 _; move: (r1 b1) (r2 b2) (r3 b3) => u v x; rewrite -mulr_natr; by field.
rewrite /tells -(sum3 _ _ (fun b => Num.max 0 (pad c b - U * pad c (~~ b))) (one_law c) (two_law c)) mulr_sumr; apply: eq_bigr => b1 _.
rewrite mulr_sumr; apply: eq_bigr => b2 _; rewrite mulr_sumr; apply: eq_bigr => b3 _.
by rewrite -mulr2n /F mulrnAr.
Qed.

(** Theorem 6, corrected, is tight: for all e^epsilon_1, e^epsilon_2 and e^mu of at least 1, and all delta_1, delta_2 and
    nu of at least 0 that add up to at most 1, there are a world and two mechanisms without noise that are (mu, nu)-bounded
    dependent (in the repaired convention), (epsilon_1, delta_1)- and (epsilon_2, delta_2)-APKDP; both together
    are (epsilon, delta_1 + delta_2 + nu)-APKDP at epsilon = epsilon_1 + epsilon_2 + mu, for no smaller delta; and, if that
    is less than 1, at no smaller epsilon. *)
Theorem tight_thm_6_attained : exists (n : nat) (T O1 O2 : finType) (w : world R n T unit_finType)
    (M : mechanism R n T O1) (N : mechanism R n T O2),
  [/\ bounded_dependent (@exp_minus_dep_repaired R n T unit_finType O1 O2) (only w) M N U nu,
      APK (only w) E1 d1 M, APK (only w) E2 d2 N, APK (only w) (E1 * E2 * U) (d1 + d2 + nu) (compose M N)
    & (forall d, APK (only w) (E1 * E2 * U) d (compose M N) -> d1 + d2 + nu <= d) /\
      (d1 + d2 + nu < 1 -> forall E, 0 <= E -> E < E1 * E2 * U -> ~ APK (only w) E (d1 + d2 + nu) (compose M N))].
Proof.
have spent_law : law (fun _ : unit_finType => 1 : R) by split=> [k|]; rewrite ?ler01 // (big_pred1 tt) // => -[].
have [T [w [i [secret [f [_ chE secrets outE others]]]]]] :=
  @realize R unit_finType [finType of output * output] (fun=> 1) (fun s _ => shown s) tt ((ord0, (false, false)), (ord0, (false, false)))
    spent_law (fun s _ => shown_law s).
have comp s : compatible w i (secret s) tt by rewrite /compatible chE mulr1 invr_eq0 pnatr_eq0.
have nz : (1 : R) != 0 by exact: oner_neq0.
pose M := noiseless R (fun D => (f D).1); pose N := noiseless R (fun D => (f D).2).
have bothE A t : out w (compose M N) A t = out w (noiseless R (fun D => ((f D).1, (f D).2))) A t by exact: out_compose_noiseless.
have pairE s t : push (fun o : output * output => (o.1, o.2)) (shown s) t = shown s t.
  by rewrite /push (big_pred1 t) // => -[o1 o2]; case: t => t1 t2.
have ME s := outE _ (fun o => o.1) s tt nz; have NE s := outE _ (fun o => o.2) s tt nz.
have MNE s t : out w (compose M N) (both i (secret s) tt) t = shown s t.
  by rewrite bothE (outE _ (fun o => (o.1, o.2)) s tt nz) pairE.
have MNo j a b t : j != i -> compatible w j a tt -> compatible w j b tt ->
    out w (compose M N) (both j a tt) t = out w (compose M N) (both j b tt) t.
  by move=> ji aj bj; rewrite !bothE; exact: (others _ (fun o => (o.1, o.2)) _ _ _ _ ji aj bj).
have private (V : finType) (h : output * output -> V) E d : 1 <= E -> 0 <= d ->
    (forall s, hs E (push h (shown s)) (push h (shown (~~ s))) <= d) -> APK (only w) E d (noiseless R (fun D => h (f D))).
  move=> E_ge1 d0 le_d w' j -> a b [] aj bj; rewrite loss_above_hs; last exact: le_trans E_ge1.
  - have [ji|ji] := eqVneq j i; last first.
      rewrite (eq_hs E (frefl _) (fsym (others _ h _ _ _ _ ji aj bj))) hs_refl // => v; apply: out_ge0; exact: run_kernel.
    move: aj bj; rewrite ji => /secrets[s ->] /secrets[s' ->].
    rewrite (eq_hs E (outE _ h s tt nz) (outE _ h s' tt nz)).
    have [->|ne] := eqVneq s s'; first by rewrite hs_refl // => v; case: (push_law h (shown_law s')).
    by rewrite (_ : s' = ~~ s); [exact: le_d | case: s ne; case: s'].
  - by move=> t; apply: out_ge0; exact: run_kernel.
  by move=> t; apply: out_ge0; exact: run_kernel.
have apkM : APK (only w) E1 d1 M by apply: (private _ fst) => // s; rewrite first_shows.
have apkN : APK (only w) E2 d2 N by apply: (private _ snd) => // s; rewrite second_shows.
have dep : bounded_dependent (@exp_minus_dep_repaired R 3 T unit_finType _ _) (only w) M N U nu.
  move=> w' j -> a b [] aj bj.
  have same : (forall t, out w (compose M N) (both j a tt) t = out w (compose M N) (both j b tt) t) ->
      out w M (both j a tt) =1 out w M (both j b tt) -> out w N (both j a tt) =1 out w N (both j b tt) ->
      \sum_t out w (compose M N) (both j a tt) t * Num.max 0 (1 - U * exp_minus_dep_repaired w M N j a b tt t) <= nu.
    move=> e12 e1 e2; rewrite big1 // => t _; have [->|pos] := eqVneq (out w (compose M N) (both j a tt) t) 0; first by rewrite mul0r.
    have [n1 n2] : out w M (both j b tt) t.1 != 0 /\ out w N (both j b tt) t.2 != 0.
      have ge0 (L : mechanism R 3 T [finType of output * output]) A : 0 <= out w L A t by apply: out_ge0; exact: run_kernel.
      have p0 : 0 < out w (compose M N) (both j a tt) t by rewrite lt_neqAle eq_sym pos ge0.
      by rewrite -e1 -e2; split; rewrite gt_eqF //; apply: (lt_le_trans p0); [exact: compose_le_first | exact: compose_le_second].
    rewrite /exp_minus_dep_repaired (negPf n1) (negPf n2) /exp_minus_dep -!e12 e1 e2.
    have ratio0 : out w (compose M N) (both j a tt) t / out w M (both j b tt) t.1 != 0 by rewrite mulf_neq0 ?invr_neq0.
    by rewrite (divff n2) (divff ratio0) !mulr1 (elimT max_idPl) ?mulr0 // subr_le0.
  have [ji|ji] := eqVneq j i; last first.
    by apply: same => [t|t|t]; [exact: MNo | exact: (others _ fst) | exact: (others _ snd)].
  move: aj bj same; rewrite ji => /secrets[s ->] /secrets[s' ->] same.
  have [e|ne] := eqVneq s s'; first by apply: same; rewrite e.
  rewrite (_ : s' = ~~ s); last by case: s ne {same}; case: s'.
  apply: le_trans (dependency_shows s); rewrite le_eqVlt; apply/orP; left; apply/eqP; apply: eq_bigr => t _.
  by rewrite MNE /exp_minus_dep_repaired /exp_minus_dep !MNE !ME !NE.
have E10 : 0 <= E1 := le_trans ler01 E1_ge1. have E20 : 0 <= E2 := le_trans ler01 E2_ge1. have U0 : 0 <= U := le_trans ler01 U_ge1.
have least E d : 0 <= E -> APK (only w) E d (compose M N) -> d1 + d2 + nu + (1 - (d1 + d2 + nu)) * gap E <= d.
  move=> E0 apk; apply: le_trans (both_show true E0) _; have := apk w i erefl _ _ _ (comp true) (comp false).
  rewrite loss_above_hs //; try by move=> t; apply: out_ge0; exact: run_kernel.
  by rewrite (eq_hs E (MNE true) (MNE false)).
exists 3%N, T, _, _, w, M, N; split=> //; first exact: thm_6_corrected.
split=> [d apk|lt1 E E0 lt_E apk].
  have := least _ _ (mulr_ge0 (mulr_ge0 E10 E20) U0) apk.
  by rewrite /gap subrr mul0r mulr0 addr0.
have := least E _ E0 apk; rewrite ger_addl leNgt => /negP; apply.
have pos (x : R) : 0 <= x -> 0 < 1 + x by move=> x0; rewrite (lt_le_trans ltr01) // ler_addl.
by rewrite mulr_gt0 ?subr_gt0 // divr_gt0 ?subr_gt0 // !mulr_gt0 // pos.
Qed.

End Tight.
