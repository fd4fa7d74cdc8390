(** * Sections 4.1 and 4.2: counterexamples with many records

    Proposition 7, the curves of Figures 2 and 3, and an advice of section 4.2 as printed, as
    propositions, and the crowds of independent bits that refute them. The function exp may be any
    function that turns sums into products and is near 2.718 at 1. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From pkdp Require Import divergence worlds computing attackers counterexamples independent large_numbers.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** The count of a crowd *)

Section Crowd.
Variable R : realFieldType.
Implicit Types (q E d : R) (n k : nat) (a : bool).

Lemma sum_cons n (T : finType) (F : n.+1.-tuple T -> R) :
  \sum_D F D = \sum_a \sum_(D : n.-tuple T) F [tuple of a :: D].
Proof.
rewrite pair_bigA (reindex (fun x : T * n.-tuple T => [tuple of x.1 :: x.2])) //=.
exists (fun D => (thead D, [tuple of behead D])) => [[a D]|D] _ /=; last by rewrite -tuple_eta.
by rewrite theadE; congr (_, _); apply/val_inj.
Qed.

Lemma prod_cons n (T : finType) (p : T -> R) (a : T) (D : n.-tuple T) :
  \prod_j p (tnth [tuple of a :: D] j) = p a * \prod_j p (tnth D j).
Proof.
by rewrite big_ord_recl tnth0; congr (_ * _); apply: eq_bigr => j _; rewrite tnthS.
Qed.

(** How many of [n] independent bits of probability [q] are 1: the law of the number has these tails. *)
Lemma count_tail q n k :
  \sum_(D : n.-tuple bool | (k <= count id D)%N) \prod_j bit_law q (tnth D j) = tail q n k.
Proof.
elim: n k => [|n IH] k.
  rewrite (eq_bigl (fun D : 0.-tuple bool => (k == 0)%N)) => [|D]; last by rewrite tuple0 leqn0.
  rewrite big_mkcond (big_pred1 [tuple]) => [|D]; last by rewrite [D]tuple0; apply/esym/eqP.
  by case: k => [|k] /=; rewrite ?big_ord0.
rewrite big_mkcond sum_cons big_bool /=.
have one a : \sum_(D : n.-tuple bool) (if (k <= a + count id D)%N then \prod_j bit_law q (tnth [tuple of a :: D] j) else 0)
    = bit_law q a * tail q n (k - a).
  rewrite -IH mulr_sumr [RHS]big_mkcond; apply: eq_bigr => D _; rewrite leq_subLR.
  by case: ifP; rewrite ?prod_cons.
rewrite (one true) (one false).
by case: k {one} => [|k]; rewrite /= ?subn0 ?subn1 ?tail0 ?subSS ?subn0 // !mulr1 addrC subrK.
Qed.

Variables (n : nat) (p : 'I_n.+1 -> bool -> R) (lp : forall j, law (p j)) (q : R).
Hypothesis others : forall j, j != ord0 -> p j =1 bit_law q.
Local Notation this_crowd := (product_world lp).
Local Notation its_count := (noiseless R (@ones n.+1)).

Lemma crowd_tail a k : p ord0 a != 0 ->
  prob (out this_crowd its_count (both ord0 a tt)) [set t : 'I_n.+2 | (k <= t)%N] = tail q n (k - a).
Proof.
move=> pa; rewrite /prob /out -mulr_suml product_world_record.
apply: (canLR (mulfK pa)); rewrite mulrC -count_tail mulr_sumr.
under eq_bigr do rewrite chance_out_both.
rewrite exchange_big big_mkcond sum_cons (bigD1 a) //= [X in _ + X]big1 ?addr0; last first.
  by move=> b /negPf ba; apply: big1 => D _; rewrite tnth0 ba.
rewrite [RHS]big_mkcond; apply: eq_bigr => D _; rewrite tnth0 eqxx.
set c := [tuple of a :: D]; have val_ones : ones c = (a + count id D)%N :> nat.
  by rewrite /ones inordK // ltnS (leq_trans (count_size id c)) ?size_tuple.
rewrite -mulr_sumr /sure /= leq_subLR -val_ones.
have -> : product p c = p ord0 a * \prod_j bit_law q (tnth D j).
  rewrite /product big_ord_recl tnth0; congr (_ * _); apply: eq_bigr => j _.
  by rewrite /c tnthS others.
case: leqP => [le|lt]; last first.
  rewrite [X in _ * X]big1 ?mulr0 // => t; rewrite inE => kt; case: eqP => // e.
  by move: kt; rewrite e leqNgt lt.
rewrite [X in _ * X](bigD1 (ones c)) ?inE //= eqxx [X in 1 + X]big1 ?addr0 ?mulr1 // => t /andP[_ /negPf->] //.
Qed.

(** No guarantee is smaller than the excess of an upper tail. *)
Lemma crowd_excess E d k : 0 <= E -> p ord0 true != 0 -> p ord0 false != 0 ->
  APK (only this_crowd) E d its_count -> tail q n k - E * tail q n k.+1 <= d.
Proof.
move=> E0 pt pf apk; have := apk this_crowd ord0 erefl; move/(claim_apk_forms _ _ _ _ E0).
move=> /(_ true false tt); rewrite /compatible !product_world_record => /(_ pt pf).
move=> /(_ [set t : 'I_n.+2 | (k.+1 <= t)%N])[+ _].
by rewrite !crowd_tail // subn1 subn0 ler_subl_addl.
Qed.
End Crowd.

(** ** Proposition 7 *)

Section Proposition7.
Variable R : realFieldType.
Implicit Types (exp : R -> R) (E : R).

(** What is asked of exp: it turns sums into products, and its value at 1 is between 106/39 (2.7179...) and 193/71 (2.7183...). *)
Definition like_exp exp := (forall x y, exp (x + y) = exp x * exp y) /\ 106%:R / 39%:R <= exp 1 <= 193%:R / 71%:R.

(** The average over all records of a function of the probability of a 1. *)
Definition average n (p : 'I_n -> bool -> R) (f : R -> R) : R := (\sum_j f (p j true)) / n%:R.

(** Proposition 7, as printed: the records are independent bits; [mu2] is the average of p (1 - p) and
    [mu3] that of p (1 - p) |1 - 2 p|. For every delta_2 of at least 1.25 exp(- n mu2 / 2) the sum of
    the records is (epsilon, delta)-APKDP, where epsilon is the root of 2 ln(1.25 / delta_2) / (n mu2),
    and delta is 1.12 mu3 / D times 1 + exp(epsilon), plus delta_2. Here the root and the logarithm are solved for
    1.25. The denominator [D] is a function of [n] and [mu2]. *)
Definition prop_7 exp (D : nat -> R -> R) := forall n (w : world R n.+1 bool_finType unit_finType) p (eps delta_2 : R),
  let mu2 := average p (fun x => x * (1 - x)) in
  let mu3 := average p (fun x => x * (1 - x) * `|1 - 2%:R * x|) in
  independent_records w p -> 0 < mu2 -> 0 <= eps ->
  5%:R / 4%:R * exp (- (n.+1%:R * mu2 / 2%:R)) <= delta_2 ->
  delta_2 * exp (n.+1%:R * mu2 * eps ^+ 2 / 2%:R) = 5%:R / 4%:R ->
  APK (only w) (exp eps) (28%:R / 25%:R * mu3 / D n.+1 mu2 * (1 + exp eps) + delta_2) (noiseless R (@ones n.+1)).

Lemma like_exp_nat exp m : like_exp exp -> exp m%:R = exp 1 ^+ m /\ exp (- m%:R) = (exp 1 ^+ m)^-1.
Proof.
move=> [expD /andP[e_lo _]]; have e0 : 0 < exp 1 by apply: lt_le_trans e_lo; rewrite divr_gt0 ?pos.
have zero : exp 0 = 1 by apply: (mulfI (lt0r_neq0 e0)); rewrite -expD addr0 mulr1.
have nat k : exp k%:R = exp 1 ^+ k.
  by elim: k => [|k IH]; rewrite ?expr0 // -addn1 natrD expD IH addn1 exprSr.
split=> //; have nz : exp 1 ^+ m != 0 by rewrite expf_neq0 ?lt0r_neq0.
by apply: (mulIf nz); rewrite mulVf // -nat -expD addNr.
Qed.

Definition half : R := 1%:R / 2%:R.
Lemma half_law : law (bit_law half).
Proof.
by apply: bit_law_law; rewrite divr_ge0 ?ler0n // ler_pdivr_mulr ?pos // mul1r (ler_nat R 1 2).
Qed.

(** What Proposition 7 promises for 8 m fair coins at epsilon = 1. *)
Lemma prop_7_fair_coins exp D n m k : like_exp exp -> prop_7 exp D -> n.+1 = (8 * m)%N ->
  tail half n k - exp 1 * tail half n k.+1 <= 5%:R / 4%:R / exp 1 ^+ m.
Proof.
move=> le p7 nm; have [em emV] := like_exp_nat m le; case: le => [_ /andP[e_lo _]].
have e0 : 0 < exp 1 by apply: lt_le_trans e_lo; rewrite divr_gt0 ?pos.
pose p (_ : 'I_n.+1) := bit_law half; have lp j : law (p j) by exact: half_law.
have n0 : n.+1%:R != 0 :> R by rewrite nz.
have mean (f : R -> R) : average p f = f half.
  by rewrite /average (eq_bigr (fun=> f half)) // sumr_const card_ord -[_ *+ _]mulr_natr mulfK.
have hh : half * (1 - half) = 4%:R^-1 by rewrite /half; field.
have quarter : n.+1%:R * 4%:R^-1 / 2%:R = m%:R :> R by rewrite nm natrM; field.
have h0 : half != 0 by rewrite mulf_neq0 ?invr_neq0 ?nz.
apply: (@crowd_excess _ n p lp half _ _ _ k (ltW e0)) => // [|].
  by rewrite /p /bit_law /=; have -> : 1 - half = half by rewrite /half; field.
have := p7 n (product_world lp) p 1 (5%:R / 4%:R / exp 1 ^+ m) (product_world_independent lp).
rewrite !mean hh; have -> : 1 - 2%:R * half = 0 by rewrite /half; field.
rewrite normr0 !mulr0 !mul0r add0r expr1n mulr1 quarter em emV; apply.
- by rewrite invr_gt0 pos.
- exact: ler01.
- exact: lexx.
- by rewrite divfK // expf_neq0 // lt0r_neq0.
Qed.
(** To compare with a number E between the fractions a / c and b / d, by binary numbers. *)
Lemma excess_bin (x y t a c b d g h e : N) E : (0 < c)%N -> (0 < d)%N -> (0 < h)%N ->
  N.ltb (g * t * (d * N.pow c e) + h * N.pow a e * (b * y)) (h * N.pow a e * (d * x)) ->
  a%:R / c%:R <= E <= b%:R / d%:R -> g%:R / h%:R * t%:R < (x%:R - E * y%:R) * E ^+ e.
Proof.
move=> c0 d0 h0 /lt_bin; rewrite -(ltr_nat R) !(nat_of_add_bin, nat_of_mul_bin, nat_of_pow_bin).
rewrite !natrD !natrM !natrX; move: c0 d0 h0; rewrite -!(ltr_nat R).
move: c%:R d%:R h%:R g%:R t%:R a%:R b%:R x%:R y%:R (ler0n R a) (ler0n R g) (ler0n R t) (ler0n R y).
move=> C D H G T A B X Y A0 G0 T0 Y0 C0 D0 H0 lt /andP[lo hi].
have [Cn Dn Hn] : [/\ C != 0, D != 0 & H != 0] by split; exact: lt0r_neq0.
have Ce : 0 < C ^+ e by exact: exprn_gt0.
have r0 : 0 <= A / C by rewrite divr_ge0 // ltW.
have apart : G / H * T < (X - B / D * Y) * (A / C) ^+ e.
  rewrite -(ltr_pmul2l (mulr_gt0 H0 (mulr_gt0 D0 Ce))).
  have -> : H * (D * C ^+ e) * (G / H * T) = G * T * (D * C ^+ e) by field.
  have -> : H * (D * C ^+ e) * ((X - B / D * Y) * (A / C) ^+ e) = H * A ^+ e * (D * X) - H * A ^+ e * (B * Y).
    rewrite expr_div_n; move: (A ^+ e) (C ^+ e) (lt0r_neq0 Ce) => u v v0; field; exact/andP.
  by rewrite ltr_subr_addr.
have less : X - B / D * Y <= X - E * Y by rewrite ler_add2l ler_opp2 ler_wpmul2r.
have more : 0 <= X - B / D * Y.
  rewrite leNgt; apply/negP => neg; move: apart; rewrite ltNge => /negP; apply.
  by apply: (@le_trans _ _ 0); [rewrite mulr_le0_ge0 ?exprn_ge0 // ltW | rewrite mulr_ge0 ?divr_ge0 // ltW].
apply: lt_le_trans apart _; apply: ler_pmul; rewrite ?exprn_ge0 //.
by rewrite ler_expn2r ?nnegrE // (le_trans r0).
Qed.

(** 559 fair coins, at least 409 and at least 410 of which are 1: 2^559 times the probabilities. *)
Lemma coins_compared : exists x y : N, [/\ x%:R = 2%:R ^+ 559 * tail half 559 409, y%:R = 2%:R ^+ 559 * tail half 559 410 &
  N.ltb (5 * N.pow 2 559 * (71 * N.pow 39 70) + 4 * N.pow 106 70 * (193 * y)) (4 * N.pow 106 70 * (71 * x))].
Proof.
exists (tail_bin 1 1 559 150), (tail_bin 1 1 559 149); split.
- exact: tail_binE.
- exact: tail_binE.
by vm_compute.
Qed.

(** Proposition 7 fails as printed, whatever the denominator [D] is: a fair coin has
    mu3 = 0, and for 560 of them the true delta at epsilon = 1 is more than 1.25 exp(-70). *)
Theorem prop_7_fails exp (D : nat -> R -> R) : like_exp exp -> ~ prop_7 exp D.
Proof.
move=> le p7; have := @prop_7_fair_coins exp D 559 70 409 le p7 erefl.
have [x [y [xE yE]]] := coins_compared.
move=> /excess_bin -/(_ (exp 1) isT isT isT le.2).
have E0 : 0 < exp 1 by apply: lt_le_trans (andP le.2).1; rewrite divr_gt0 ?pos.
move: (exp 1) E0 => E E0; rewrite nat_of_pow_bin natrX xE yE.
have -> : 2%num%:R ^+ 559%num = 2%:R ^+ 559 :> R by [].
move: (2%:R ^+ 559) (exprn_gt0 559 (pos R (isT : 2 != 0)%N)) (E ^+ 70) (exprn_gt0 70 E0) (tail _ _ _) (tail _ _ _).
move=> c c0 e e0 t' t; have -> : (c * t - E * (c * t')) * e = (t - E * t') * e * c by ring.
by rewrite ltr_pmul2r // -ltr_pdivr_mulr // leNgt => ->.
Qed.
End Proposition7.

(** ** Figures 2 and 3 *)

Section Figures.
Variable R : realFieldType.
Implicit Types (q lam E : R) (n k : nat).

(** The tail of the privacy loss of one pair, which Figures 2 and 3 draw: [n] other records are 1 with probability
    [q] each, and the target goes from 1 to 0. The count is k + 1 with the probability of exactly k ones among
    the others, and its loss there is the logarithm of the quotient of that by the probability of k + 1 ones. This is the
    probability that the loss is above epsilon; [above] says whether it may be equal. *)
Definition tail_of_loss (above : rel R) n q E : R :=
  \sum_(k < n.+1) if above (E * binomial k.+1 n q) (binomial k n q) then binomial k n q else 0.

(** Figure 2, "numerically", as a bound for all records that Theorem 3 allows: for lambda = 0.05 and 100 or 10000 records,
    at every epsilon from 0 on at which the loss of the pair with probability 2 lambda has a value, the probability of a
    loss of at least epsilon is a delta. *)
Definition fig_2 := let lam := 1%:R / 20%:R in
  forall n (w : world R n.+1 bool_finType unit_finType) p k,
  n.+1 = (10 ^ 2)%N \/ n.+1 = (10 ^ 4)%N -> independent_records w p -> (forall j, lam < p j true < 1 - lam) ->
  let E := binomial k n (2%:R * lam) / binomial k.+1 n (2%:R * lam) in (k < n)%N -> 1 <= E ->
  APK (only w) E (tail_of_loss <=%R n (2%:R * lam) E) (noiseless R (@ones n.+1)).

(** Figure 3, as a bound for all records that Theorem 3 allows: for 100, 1000, 10000 or 100000 records and
    delta = 0.01 / n, every epsilon from 0 on at which the tail of the loss with probability lambda is at most delta will do. *)
Definition fig_3 := forall n (w : world R n.+1 bool_finType unit_finType) p lam E r,
  (2 <= r <= 5)%N -> n.+1 = (10 ^ r)%N -> independent_records w p -> 0 < lam -> (forall j, lam < p j true < 1 - lam) ->
  let delta := 1%:R / 100%:R / n.+1%:R in 1 <= E -> tail_of_loss <%R n lam E <= delta ->
  APK (only w) E delta (noiseless R (@ones n.+1)).

(** [n] independent bits, each 1 with the probability [q]. *)
Section Alike.
Variables (n : nat) (q : R) (q01 : 0 < q < 1).
Lemma alike_law (j : 'I_n.+1) : law (bit_law q).
Proof. by case/andP: q01 => q0 q1; apply: bit_law_law; rewrite !ltW. Qed.

(** All others may be 1, and then a target's 0 is impossible: no delta is below the probability of that, whatever
    epsilon is. *)
Lemma unanimous E d : 0 <= E -> APK (only (product_world alike_law)) E d (noiseless R (@ones n.+1)) -> q ^+ n <= d.
Proof.
case/andP: q01 => q0 q1 E0 apk.
have := @crowd_excess _ n (fun _ => bit_law q) alike_law q (fun j _ a => erefl) E d n E0.
rewrite tail_all tail_out // mulr0 subr0; apply => //; first exact: lt0r_neq0.
by rewrite /bit_law /= subr_eq0 eq_sym lt_eqF.
Qed.
End Alike.

(** Neighbouring probabilities of a binomial law. *)
Lemma binomial_next n k q : binomial k.+1 n q * (k.+1%:R * (1 - q)) = binomial k n q * ((n - k)%N%:R * q).
Proof.
have [lt|le] := ltnP k n; last by rewrite /binomial bin_small // (eqP le) !mul0r mulr0.
have := mul_bin_left n k; rewrite /binomial -(subnSK lt) => /(congr1 (fun i => i%:R : R)).
rewrite !natrM !exprS.
move: (q ^+ k) ((1 - q) ^+ _) 'C(n, k.+1)%:R 'C(n, k)%:R (n - k.+1).+1%:R k.+1%:R => x y c' c s r e.
have -> : c' * (q * x) * y * (r * (1 - q)) = r * c' * (q * x * y * (1 - q)) by ring.
by rewrite e; ring.
Qed.

Lemma binomial_gt0 n k q : 0 < q < 1 -> (k <= n)%N -> 0 < binomial k n q.
Proof.
by move=> /andP[q0 q1] le; rewrite /binomial !mulr_gt0 ?exprn_gt0 ?subr_gt0 // ltr0n bin_gt0.
Qed.

(** Where the loss is at least, and where it is more than ln E. *)
Lemma binomial_quotient n k q E : 0 < q < 1 -> (k < n)%N ->
  ((E * binomial k.+1 n q <= binomial k n q) = (E * ((n - k)%N%:R * q) <= k.+1%:R * (1 - q))) *
  ((E * binomial k.+1 n q < binomial k n q) = (E * ((n - k)%N%:R * q) < k.+1%:R * (1 - q))).
Proof.
move=> q01 lt; have b0 := binomial_gt0 q01 (ltnW lt); case/andP: (q01) => q0 q1.
have r0 : 0 < k.+1%:R * (1 - q) by rewrite mulr_gt0 ?ltr0n ?subr_gt0.
split; first by rewrite -(ler_pmul2r r0) -mulrA binomial_next mulrCA ler_pmul2l.
by rewrite -(ltr_pmul2r r0) -mulrA binomial_next mulrCA ltr_pmul2l.
Qed.

(** From [k] on the terms are those of the tail. *)
Lemma sum_binomial n k q : (k <= n.+1)%N -> \sum_(j < n.+1 | (k <= j)%N) binomial j n q = tail q n k.
Proof.
move=> le; rewrite -(big_mkord (fun j => k <= j)%N (fun j => binomial j n q)).
rewrite (big_cat_nat _ _ _ (leq0n k) le) /= big_nat_cond big_pred0 => [|j]; last by rewrite andbC andbA; case: leqP.
rewrite add0r -[RHS]subr0 -[X in _ = _ - X](tail_out q (ltnSn n)) -opprB -telescope_sumr // -sumrN.
by apply: congr_big_nat => // [j /andP[kj _]|j _]; rewrite ?kj // (tail_step _ _ j) opprB addrK.
Qed.

(** The other records of the counterexamples: each is 1 with probability 47/50. *)
Definition likely : R := 47%:R / 50%:R.
Lemma likely_in (lam := 1%:R / 20%:R : R) : (0 < likely < 1) && (lam < likely < 1 - lam).
Proof.
have -> : 1 - lam = 19%:R / 20%:R by rewrite /lam; field.
have -> : likely < 1 by rewrite ltr_pdivr_mulr ?pos // mul1r ltr_nat.
by rewrite !lt_fractions // divr_gt0 ?pos.
Qed.
Definition crowd n := product_world (@alike_law n likely (andP likely_in).1).

Lemma likely_power (x y e : N) : (0 < y)%N -> N.ltb (x * N.pow 50 e) (N.pow 47 e * y) -> x%:R / y%:R < likely ^+ e.
Proof.
rewrite /likely (@same_number R 47%N 47%num) // (@same_number R 50%N 50%num) // expr_div_n -(ltr_nat R).
move=> y0 /lt_bin; rewrite !(nat_of_mul_bin, nat_of_pow_bin) -(ltr_nat R) !natrM !natrX => lt.
by rewrite ltr_pdivr_mulr // mulrAC ltr_pdivl_mulr // exprn_gt0 // ltr0n.
Qed.

(** Nothing is private in this crowd with a delta that is less than x / y. *)
Lemma crowd_told n (m x y : N) E d : nat_of_bin m = n -> (0 < y)%N -> N.ltb (x * N.pow 50 m) (N.pow 47 m * y) -> 0 <= E ->
  d <= x%:R / y%:R -> ~ APK (only (crowd n)) E d (noiseless R (@ones n.+1)).
Proof.
move=> <- y0 /(likely_power y0) lt E0 le /(unanimous E0); rewrite leNgt => /negP; apply.
exact: le_lt_trans le lt.
Qed.

(** Figure 3 shows a finite epsilon where none exists: for 100 records, lambda = 1/20 and epsilon = ln 2000. If each other record is 1
    with probability 47/50, no delta below (47/50)^99 will do for any epsilon, and this is more than 0.01 / 100. *)
Theorem fig_3_fails : ~ fig_3.
Proof.
case/andP: likely_in => q01; set lam : R := 1%:R / 20%:R => inside f3.
have l01 : 0 < lam < 1 by rewrite /lam divr_gt0 ?pos //= ltr_pdivr_mulr ?pos // mul1r (ltr_nat R 1 20).
have told := @crowd_told 99 99 1 (100 * 100) 2000%:R (1%:R / 100%:R / 100%:R) erefl isT _ (ler0n _ _).
apply: told; [by vm_compute | by rewrite nat_of_mul_bin natrM invfM mulrA |].
apply: (f3 99%N (crowd 99) (fun=> bit_law likely) lam 2000%:R 2%N) => //.
- exact: product_world_independent.
- by case/andP: l01.
- by rewrite (ler_nat R 1 2000).
rewrite /tail_of_loss big_ord_recr big1 /= => [|k _].
  rewrite add0r; case: ifP => _; last by rewrite !divr_ge0 ?ler0n.
  have -> : binomial 99 99 lam = lam ^+ 99 by rewrite /binomial binn subnn expr0 mulr1 mul1r.
  apply: (@le_trans _ _ (lam ^+ 4)); first by case/andP: l01 => l0 l1; apply: ler_wiexpn2l; rewrite ?ltW.
  have sq : lam ^+ 2 <= 1%:R / 100%:R.
    have -> : lam ^+ 2 = 1%:R / 400%:R by rewrite /lam; field.
    by rewrite ler_pmul2l ?pos // lef_pinv ?posrE ?pos // ler_nat.
  by rewrite (exprD lam 2 2) -[X in _ <= _ * X]div1r; apply: ler_pmul; rewrite ?exprn_ge0 //; case/andP: l01 => /ltW.
case: ifP => //; rewrite (binomial_quotient _ l01) ?(ltn_ord k) // ltNge => /negP[].
have big : 2000%:R * lam = 100%:R by rewrite /lam; field.
have [l0 l1] : 0 < lam /\ lam < 1 by apply/andP.
apply: (@le_trans _ _ (99%:R * 1)).
  by apply: ler_pmul; rewrite ?ler0n ?ler_nat ?(ltn_ord k) // ?subr_ge0 ?ger_addl ?oppr_le0 ltW.
rewrite mulr1 mulrCA big -natrM ler_nat (@leq_trans 100) // -{1}[100%N]mul1n leq_mul2r orbC subn_gt0.
by rewrite (ltn_ord k).
Qed.

(** The numeric curve of Figure 2 falls below the truth: for 100 records and e to the epsilon = 3 it shows the
    probability that at least 24 of 99 bits of probability 1/10 are 1. If each other record is 1 with probability 47/50, no delta
    below (47/50)^99 will do for any epsilon, and this is more than 65 times as much. *)
Theorem fig_2_fails : ~ fig_2.
Proof.
case/andP: likely_in => q01; rewrite /fig_2 => inside /(_ 99%N (crowd 99) (fun=> bit_law likely) 24%N).
have -> : 2%:R * (1%:R / 20%:R) = 10%:R^-1 :> R by field.
set q : R := 10%:R^-1; have l01 : 0 < q < 1 by rewrite invr_gt0 pos //= invf_lt1 ?pos // (ltr_nat R 1 10).
have quotient : binomial 24 99 q / binomial 25 99 q = 3%:R.
  have b0 : binomial 25 99 q != 0 by rewrite lt0r_neq0 // binomial_gt0.
  apply: (canLR (mulfK b0)); apply: (@mulIf _ (75%:R * q)); first by rewrite mulf_neq0 ?invr_neq0 ?nz.
  by have := binomial_next 99 24 q; rewrite (_ : 99 - 24 = 75)%N // => <-; rewrite /q; field.
rewrite quotient => /(_ (or_introl erefl) (product_world_independent _) (fun=> inside) isT).
rewrite (ler_nat R 1 3) => /(_ isT).
have -> : tail_of_loss <=%R 99 q 3%:R = tail q 99 24.
  rewrite -sum_binomial // big_mkcond; apply: eq_bigr => k _; rewrite /tail_of_loss; congr (if _ then _ else _).
  have [lt|ge] := ltnP k 99; last first.
    rewrite {1}/binomial bin_small ?ltnS // !mul0r mulr0 ltW ?binomial_gt0 -1?ltnS ?ltn_ord //.
    by symmetry; rewrite ltnS (leq_trans _ ge).
  have nq : 1 - q = 9%:R * q by rewrite /q; field.
  rewrite (binomial_quotient _ l01 lt) nq !mulrA ler_pmul2r ?(andP l01).1 // -!natrM ler_nat mulnC.
  rewrite -[X in (_ <= _ * X)%N]/(3 * 3)%N mulnA leq_mul2r /= leq_subLR mulnC mulnS addnCA -mulSn -leq_subLR.
  by rewrite -[X in (X <= _)%N]/(4 * 24)%N leq_mul2l.
have xE : (tail_bin 1 9 99 75)%:R = 10%:R ^+ 99 * tail q 99 24 :> R by apply: tail_binE => //; rewrite div1r.
have : N.ltb (tail_bin 1 9 99 75 * N.pow 50 99) (N.pow 47 99 * N.pow 10 99) by vm_compute.
move: (tail_bin 1 9 99 75) xE => x xE lt.
apply: (@crowd_told 99 99 x (N.pow 10 99) _ _ erefl _ lt (ler0n _ _)).
  by rewrite nat_of_pow_bin expn_gt0.
rewrite nat_of_pow_bin natrX xE -(@same_number R 10%N 10%num) // -[nat_of_bin 99]/99%N.
move: (_ ^+ 99) (expf_neq0 99 (nz R (isT : 10 != 0)%N)) (tail _ _ _) => c c0 t.
by rewrite mulrC mulKf.
Qed.
End Figures.
(** ** Section 4.2, before Proposition 8 *)

Section EitherOr.
Variable R : realFieldType.

(** "Either many users are likely to have the value 1, and Theorem 3 applies, or the vast majority have the value 0, and
    Theorem 4 applies", by the two theorems as they are stated: whatever the probability x is with which each of the [n]
    others has the value 1, delta is at least what Theorem 3 gives by its closed form with lambda = x, for an epsilon between 27 / (x n) and 1, or at least
    what Theorem 4 gives for the threshold [T] with p = x, where its r is less than 1. *)
Definition claim_either_or_as_stated (exp : R -> R) (n T : nat) (delta : R) := forall x : R, 0 < x <= 2%:R^-1 ->
  (exists2 eps, 27%:R / (x * n%:R) <= eps <= 1 & exp (- (eps ^+ 2 * (x * n%:R) / 14%:R)) <= delta) \/
  (let r := x * n%:R / ((1 - x) * T%:R) in r < 1 /\ binomial T n x / (1 - r) <= delta).

(** There is a gap between the two: with a threshold of 20 and delta = 1/1000000 neither gives anything where 140 of the
    others are expected to have the value 1, however many they are. The function exp must not fall. *)
Theorem claim_either_or_as_stated_fails (exp : R -> R) (n : nat) : like_exp exp -> (forall x y, x <= y -> exp x <= exp y) ->
  (280 <= n)%N -> ~ claim_either_or_as_stated exp n 20 (10%:R ^+ 6)^-1.
Proof.
move=> le up n280 claim; have n0 : 0 < n%:R :> R by rewrite ltr0n (leq_trans _ n280).
pose x : R := 140%:R / n%:R; have xn : x * n%:R = 140%:R by rewrite divfK // lt0r_neq0.
have x0 : 0 < x by rewrite divr_gt0 // pos.
have x2 : x <= 2%:R^-1.
  rewrite ler_pdivr_mulr // mulrC ler_pdivl_mulr ?pos // -natrM ler_nat; exact: n280.
have := claim x; rewrite x0 x2 xn => /(_ isT)[[eps /andP[lo hi]]|[]]; last first.
  have x1 : 0 < 1 - x by rewrite subr_gt0 (le_lt_trans x2) // invf_lt1 ?pos // (ltr_nat R 1 2).
  rewrite ltr_pdivr_mulr ?mulr_gt0 ?pos // mul1r ltNge => /negP[].
  apply: (@le_trans _ _ (1 * 20%:R)); last by rewrite mul1r ler_nat.
  by rewrite ler_pmul2r ?pos // ger_addl oppr_le0 ltW.
have e0 : 0 <= eps by apply: le_trans lo; rewrite divr_ge0 ?ler0n.
rewrite leNgt => /negP; apply; apply: (@lt_le_trans _ _ (exp (- 10%:R))); last first.
  apply: up; rewrite ler_opp2 -mulrA; have -> : 140%:R / 14%:R = 10%:R :> R by field.
  by rewrite ger_pmull ?pos // exprn_ile1.
have [_ ->] := like_exp_nat 10 le; have E0 : 0 < exp 1 by apply: lt_le_trans (andP le.2).1; rewrite divr_gt0 ?pos.
rewrite ltf_pinv ?posrE ?exprn_gt0 ?pos //; apply: (@le_lt_trans _ _ (3%:R ^+ 10)).
  apply: ler_expn2r; rewrite ?nnegrE ?ler0n ?ltW //; apply: le_lt_trans (andP le.2).2 _.
  by rewrite ltr_pdivr_mulr ?pos // -natrM ltr_nat.
have := @lt_bin (N.pow 3 10) (N.pow 10 6) isT; rewrite !nat_of_pow_bin -(ltr_nat R) !natrX.
by [].
Qed.
End EitherOr.
