(** * Independent records, and what bounds on them do not give *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From pkdp Require Import divergence worlds computing attackers counterexamples.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** The law of independent records *)

Section Product.
Variables (R : realFieldType) (n : nat) (T : finType) (p : 'I_n -> T -> R).
Hypothesis lp : forall j, law (p j).

Definition product (D : n.-tuple T) : R := \prod_j p j (tnth D j).

Lemma product_law : law product.
Proof.
split=> [D|]; first by apply: prodr_ge0 => j _; exact: law_ge0 (lp j).
rewrite (reindex (fun f : {ffun 'I_n -> T} => [tuple f j | j < n])) /=; last first.
  exists (fun D : n.-tuple T => [ffun j => tnth D j]) => [f _|D _].
    by apply/ffunP => j; rewrite ffunE tnth_mktuple.
  by apply: eq_from_tnth => j; rewrite tnth_mktuple ffunE.
rewrite (eq_bigr (fun f : {ffun 'I_n -> T} => \prod_j p j (f j))) => [|f _].
  by rewrite -(bigA_distr_bigA p) big1 // => j _; exact: law_sum (lp j).
by apply: eq_bigr => j _; rewrite tnth_mktuple.
Qed.

Lemma product_neq0 D j : product D != 0 -> p j (tnth D j) != 0.
Proof. by apply: contraNneq => z; rewrite /product (bigD1 j) //= z mul0r. Qed.

(** The world of these records, of which nothing is known. *)
Lemma product_world_law : law (fun x : n.-tuple T * unit => product x.1).
Proof.
have [p0 p1] := product_law; split=> [x|]; first exact: p0.
rewrite -(pair_bigA _ (fun D (_ : unit) => product D)) /= -p1.
by apply: eq_bigr => D _; rewrite (big_pred1 tt) // => -[].
Qed.
Definition product_world : world R n T unit_finType := World _ product_world_law.

Lemma product_world_record i a : chance product_world (both i a tt) = p i a.
Proof.
pose rest (D : n.-tuple T) := \prod_(j | j != i) p j (tnth D j).
pose C b := \sum_(D : n.-tuple T | tnth D i == b) rest D.
have massE b : chance product_world (both i b tt) = p i b * C b.
  rewrite chance_both /= mulr_sumr; apply: eq_bigr => D /eqP Db.
  by rewrite /product (bigD1 i) //= Db.
have same b : C b = C a.
  rewrite /C (reindex_onto (fun D : n.-tuple T => put D i b) (fun D : n.-tuple T => put D i a)) /=; last first.
    by move=> D /eqP<-; rewrite put_put put_id.
  apply: eq_big => [D|D _]; last by apply: eq_bigr => j /negPf ji; rewrite tnth_put ji.
  rewrite tnth_put put_put !eqxx /=.
  by apply/eqP/eqP => [<-|<-]; rewrite ?put_id // tnth_put eqxx.
rewrite massE; suff -> : C a = 1 by rewrite mulr1.
have : \sum_b chance product_world (both i b tt) = 1.
  rewrite sum_record_chance -(law_sum (weight_law product_world)).
  by apply: eq_bigl => -[D []].
rewrite (eq_bigr (fun b => p i b * C a)) => [|b _]; last by rewrite massE same.
by rewrite -mulr_suml (law_sum (lp i)) mul1r.
Qed.

Lemma product_world_independent : independent_records product_world p.
Proof. by split. Qed.
End Product.

(** ** A claim of Grining and Klonowski *)

Section Sums.
Variable R : realFieldType.

(** Records are natural numbers below [m], independent, with the laws [p j]. *)
Definition mean m (q : 'I_m -> R) : R := \sum_a q a * (a : nat)%:R.
Definition central_moment (r m : nat) (q : 'I_m -> R) : R := \sum_a q a * `|(a : nat)%:R - mean q| ^+ r.

Definition total_of n m (D : n.-tuple 'I_m) : nat := (\sum_j (tnth D j : nat))%N.

Definition with_inserted n m (Q : n.-tuple 'I_m * 'I_m -> R) (A : pred nat) : R :=
  \sum_(x | A (total_of x.1 + nat_of_ord x.2)%N) Q x.

(** What Definition 3 of that paper asks of the sum when a record is inserted: the
    joint law [Q] of the records and of the inserted one has the right law of
    the records; no event of the sum is more likely, without or with the
    inserted record, than E times as likely as in the other case, plus d. *)
Definition insertion_private n m (P : n.-tuple 'I_m -> R) (E d : R) :=
  forall Q : n.-tuple 'I_m * 'I_m -> R, law Q -> (forall D, \sum_v Q (D, v) = P D) -> forall A : pred nat,
  \sum_(D | A (total_of D)) P D <= E * with_inserted Q A + d /\
  with_inserted Q A <= E * \sum_(D | A (total_of D)) P D + d.

(** That upper bounds on the size of the largest dependent subset and on the sum
    of the third (or fourth) central moments suffice for Definition 3, with no
    other condition: for independent records, where that size is 1, some
    guarantee follows from such bounds. To be generous, each record's variance
    is bounded below as well. *)
Definition upper_bounds_suffice := forall n m (mu3 mu4 : R), (0 < n)%N ->
  exists2 guarantee : R * R, guarantee.2 < 1 & forall p : 'I_n -> 'I_m -> R, (forall j, law (p j)) ->
  \sum_j central_moment 3 (p j) <= mu3 -> \sum_j central_moment 4 (p j) <= mu4 ->
  (forall j, 1 <= central_moment 2 (p j)) -> insertion_private (product p) guarantee.1 guarantee.2.

(** Records that are 0 or 2, by a fair coin. *)
Definition even_law (a : 'I_3) : R := if (a : nat) == 1%N then 0 else 2%:R^-1.

Lemma even_is_law : law even_law.
Proof.
split=> [a|]; first by rewrite /even_law; case: ifP; rewrite // invr_ge0 ler0n.
by rewrite !big_ord_recl big_ord0 /even_law /=; field.
Qed.

Lemma even_moment r : (0 < r)%N -> central_moment r even_law = 1.
Proof.
move=> r0; have mu : mean even_law = 1 by rewrite /mean !big_ord_recl big_ord0 /even_law /= (_ : bump 0 0 = 1%N) // (_ : bump 0 1 = 2%N) //; field.
rewrite /central_moment mu !big_ord_recl big_ord0 /even_law /= (_ : bump 0 0 = 1%N) // (_ : bump 0 1 = 2%N) //.
have -> : 0 - 1 = - 1 :> R by ring.
have -> : 2%:R - 1 = 1 :> R by ring.
by rewrite normrN normr1 expr1n mul0r; field.
Qed.

(** For every number of independent records that are 0 or 2, with third and fourth
    central moments and variances of 1, an inserted 1 is seen in the parity of
    the sum: nothing is private with any epsilon and any delta < 1. *)
Theorem gk17_parity_reveals n (E d : R) : d < 1 -> ~ insertion_private (product (fun _ : 'I_n => even_law)) E d.
Proof.
move=> d1 priv; set P := product _ in priv.
have lP : law P by apply: product_law => j; exact: even_is_law.
pose one : 'I_3 := Ordinal (isT : 1 < 3)%N.
pose Q (x : n.-tuple 'I_3 * 'I_3) : R := P x.1 * sure R one x.2.
have lQ : law Q by exact: (indep_law lP (sure_law R one)).
have marg D : \sum_v Q (D, v) = P D.
  by rewrite /Q /= -mulr_sumr (law_sum (sure_law R one)) mulr1.
have [le _] := priv Q lQ marg (fun k => ~~ odd k).
have even D : P D != 0 -> ~~ odd (total_of D).
  move=> nz; rewrite /total_of; elim/big_ind: _ => // [x y|j _]; first by rewrite oddD => /negPf -> /negPf ->.
  by have := product_neq0 j nz; rewrite /even_law; case: (tnth D j) => [[|[|[|//]]] /= ?]; rewrite ?eqxx.
have p1 : \sum_(D | ~~ odd (total_of D)) P D = 1.
  rewrite -(law_sum lP) big_mkcond /=; apply: eq_bigr => D _; case: ifP => // no.
  by apply/eqP; rewrite eq_sym; apply: contraFT no; exact: even.
have q0 : with_inserted Q (fun k => ~~ odd k) = 0.
  apply: big1 => -[D v] /= h; rewrite /Q /=; have [->|nz] := eqVneq (P D) 0; first by rewrite mul0r.
  rewrite /sure; case: eqP => [e|]; last by rewrite mulr0.
  by move: h; rewrite e oddD (negPf (even D nz)).
by move: le; rewrite p1 q0 mulr0 add0r leNgt d1.
Qed.

(** So no guarantee follows from such bounds. *)
Theorem upper_bounds_not_enough : ~ upper_bounds_suffice.
Proof.
move=> /(_ 1%N 3%N 1 1 isT) [[E d] /= d1 claim].
apply: (gk17_parity_reveals (n := 1) (E := E) d1); apply: claim => [j|||j]; rewrite ?big_ord1 ?even_moment //.
exact: even_is_law.
Qed.

End Sums.

(** ** The same for half-lines *)

Section HalfLines.
Variable R : realFieldType.

(** Records that are natural numbers below [m] and come in pairs, which are independent of each other: no dependent subset
    has more than two records. [law_1] and [law_2] are the laws of the two records of a pair. *)
Definition law_1 m (q : 'I_m * 'I_m -> R) (a : 'I_m) : R := \sum_b q (a, b).
Definition law_2 m (q : 'I_m * 'I_m -> R) (b : 'I_m) : R := \sum_a q (a, b).
Definition moments g m r (p : 'I_g -> 'I_m * 'I_m -> R) : R :=
  \sum_j (central_moment r (law_1 (p j)) + central_moment r (law_2 (p j))).
Definition sum_of_pairs g m (D : g.-tuple ('I_m * 'I_m)) : nat := (\sum_j ((tnth D j).1 + (tnth D j).2))%N.

(** The half-lines: more than c, and at most c. *)
Definition half_line (c : nat) (above : bool) : pred nat := fun k => (c < k)%N == above.
(** The probability that the sum is in [A], without and with the inserted record. *)
Definition sum_without g m (P : g.-tuple ('I_m * 'I_m) -> R) (A : pred nat) : R := \sum_(D | A (sum_of_pairs D)) P D.
Definition sum_with g m (Q : g.-tuple ('I_m * 'I_m) * 'I_m -> R) (A : pred nat) : R :=
  \sum_(x | A (sum_of_pairs x.1 + nat_of_ord x.2)%N) Q x.
(** What is asked of the sum when a record is inserted, for half-lines: being at most c, and more than c, is not
    more likely, without or with the inserted record, than E times as likely as in the other case, plus d. *)
Definition half_line_private g m (P : g.-tuple ('I_m * 'I_m) -> R) (E d : R) :=
  forall Q : g.-tuple ('I_m * 'I_m) * 'I_m -> R, law Q -> (forall D, \sum_v Q (D, v) = P D) -> forall c above,
  sum_without P (half_line c above) <= E * sum_with Q (half_line c above) + d /\
  sum_with Q (half_line c above) <= E * sum_without P (half_line c above) + d.

(** That such bounds suffice for half-lines, with no other condition than a size of the largest dependent subset
    of 2 and variances of the records of at least 1/4; nothing is known of the variance of their sum. *)
Definition upper_bounds_suffice_half_lines := forall g m (mu3 mu4 : R), (0 < g)%N ->
  exists2 guarantee : R * R, guarantee.2 < 1 & forall p : 'I_g -> 'I_m * 'I_m -> R, (forall j, law (p j)) ->
  moments 3 p <= mu3 -> moments 4 p <= mu4 ->
  (forall j, 4%:R^-1 <= central_moment 2 (law_1 (p j)) /\ 4%:R^-1 <= central_moment 2 (law_2 (p j))) ->
  half_line_private (product p) guarantee.1 guarantee.2.

(** A fair bit and its opposite. *)
Definition opposite (x : 'I_2 * 'I_2) : R := if x.1 == x.2 then 0 else 2%:R^-1.

Lemma opposite_law : law opposite.
Proof.
split=> [x|]; first by rewrite /opposite; case: ifP; rewrite // invr_ge0 ler0n.
rewrite -(pair_bigA _ (fun a b => opposite (a, b))) /= !big_ord_recl !big_ord0 /opposite /=; by field.
Qed.

Lemma opposite_moment r : central_moment r (law_1 opposite) = 2%:R^-1 ^+ r /\ central_moment r (law_2 opposite) = 2%:R^-1 ^+ r.
Proof.
have fair a : law_1 opposite a = 2%:R^-1 /\ law_2 opposite a = 2%:R^-1.
  by rewrite /law_1 /law_2 !big_ord_recl !big_ord0 /opposite /=; case: a => [[|[|//]]] /= ?; rewrite ?addr0 ?add0r.
have moment (q : 'I_2 -> R) : (forall a, q a = 2%:R^-1) -> central_moment r q = 2%:R^-1 ^+ r.
  move=> qE; have mu : mean q = 2%:R^-1.
    by rewrite /mean !big_ord_recl big_ord0 !qE /= (_ : bump 0 0 = 1%N) // mulr0 mulr1 add0r addr0.
  rewrite /central_moment mu !big_ord_recl big_ord0 !qE /= (_ : bump 0 0 = 1%N) //.
  have -> : 1 - 2%:R^-1 = 2%:R^-1 :> R by field.
  rewrite sub0r normrN ger0_norm ?invr_ge0 ?ler0n // addr0 -mulrDl.
  by have -> : 2%:R^-1 + 2%:R^-1 = 1 :> R; [field | rewrite mul1r].
by split; apply: moment => a; case: (fair a).
Qed.

(** Pairs of opposite bits have a constant sum. An inserted 1 raises it: nothing is private, with any epsilon and any delta < 1, for any
    number of pairs, for half-lines either. *)
Theorem gk17_opposite_bits_reveal g (E d : R) : d < 1 -> ~ half_line_private (product (fun _ : 'I_g => opposite)) E d.
Proof.
move=> d1 priv; set P := product _ in priv.
have lP : law P by apply: product_law => j; exact: opposite_law.
pose one : 'I_2 := Ordinal (isT : 1 < 2)%N.
pose Q (x : g.-tuple ('I_2 * 'I_2) * 'I_2) : R := P x.1 * sure R one x.2.
have lQ : law Q by exact: (indep_law lP (sure_law R one)).
have marg D : \sum_v Q (D, v) = P D by rewrite /Q /= -mulr_sumr (law_sum (sure_law R one)) mulr1.
have [le _] := priv Q lQ marg g false.
have constant D : P D != 0 -> sum_of_pairs D = g.
  move=> nz; rewrite /sum_of_pairs (eq_bigr (fun=> 1%N)) ?sum1_card ?card_ord // => j _.
  have := product_neq0 j nz; rewrite /opposite; case: (tnth D j) => [[[|[|//]]] ? [[|[|//]] ?]] //=; by rewrite ?eqxx.
have p1 : sum_without P (half_line g false) = 1.
  rewrite -(law_sum lP) /sum_without /half_line big_mkcond /=; apply: eq_bigr => D _; case: ifP => // no.
  by apply/eqP; rewrite eq_sym; apply: contraFT no => /constant ->; rewrite ltnn.
have q0 : sum_with Q (half_line g false) = 0.
  apply: big1 => -[D v]; rewrite /half_line /= => h; rewrite /Q /=; have [->|nz] := eqVneq (P D) 0; first by rewrite mul0r.
  rewrite /sure; case: eqP => [e|]; last by rewrite mulr0.
  by move: h; rewrite e (constant D nz) addn1 ltnSn.
by move: le; rewrite p1 q0 mulr0 add0r leNgt d1.
Qed.

(** So no guarantee for half-lines follows from such bounds. *)
Theorem upper_bounds_not_enough_half_lines : ~ upper_bounds_suffice_half_lines.
Proof.
move=> /(_ 1%N 2%N 1 1 isT) [[E d] /= d1 claim]; apply: (gk17_opposite_bits_reveal (g := 1) (E := E) d1).
have [m2 [m3 m4]] := (opposite_moment 2, (opposite_moment 3, opposite_moment 4)).
have small r : (0 < r)%N -> 2%:R^-1 ^+ r + 2%:R^-1 ^+ r <= 1 :> R.
  case: r => // r _; have h0 : 0 <= 2%:R^-1 :> R by rewrite invr_ge0 ler0n.
  have h1 : 2%:R^-1 <= 1 :> R by rewrite invf_le1 ?ltr0n // (ler_nat R 1 2).
  have le : 2%:R^-1 ^+ r.+1 <= 2%:R^-1 :> R by rewrite exprS ler_pimulr // exprn_ile1.
  by apply: le_trans (ler_add le le) _; have -> : 2%:R^-1 + 2%:R^-1 = 1 :> R by field.
apply: claim => [j|||j]; first exact: opposite_law.
- by rewrite /moments big_ord1 m3.1 m3.2 small.
- by rewrite /moments big_ord1 m4.1 m4.2 small.
by rewrite m2.1 m2.2 expr2 -invfM -natrM.
Qed.
End HalfLines.

(** ** Thresholds *)

Section Threshold.
Variable R : realFieldType.

(** Definition 15: the count if it exceeds [T], else nothing. *)
Definition thresholded n (T : nat) (D : n.-tuple bool) : option 'I_n.+1 :=
  if (T < count id D)%N then Some (ones D) else None.

(** A bit that is 1 with probability [x]. *)
Definition bit_law (x : R) (a : bool) : R := if a then x else 1 - x.
Lemma bit_law_law x : 0 <= x <= 1 -> law (bit_law x).
Proof.
move=> /andP[x0 x1]; split=> [a|]; first by rewrite /bit_law; case: a; rewrite ?subr_ge0.
by rewrite big_bool /bit_law /= addrC subrK.
Qed.

Lemma count_sum n (D : n.-tuple bool) : count id D = (\sum_j tnth D j)%N.
Proof. by rewrite -sumn_count sumnE big_map big_tuple. Qed.

(** Sure users are like forged ones: let more than [T] users surely act, and the
    others, the target among them, with probability [x] each, independently.
    Then the count with threshold [T] is (epsilon, delta)-APKDP for no epsilon
    and no delta below the probability that none of the others acts. *)
Theorem sure_users_expose n (sure_user : pred 'I_n.+1) (x : R) (T : nat) (i : 'I_n.+1) (E d : R) :
  0 < x < 1 -> (T < #|sure_user|)%N -> ~~ sure_user i ->
  d < \prod_(j | ~~ sure_user j && (j != i)) (1 - x) ->
  let p j := bit_law (if sure_user j then 1 else x) in
  forall lp : forall j, law (p j), ~ APK (only (product_world lp)) E d (noiseless R (@thresholded n.+1 T)).
Proof.
move=> /andP[x0 x1] many isure dlt p lp apk; set w := product_world lp in apk.
have x1' : 0 < 1 - x by rewrite subr_gt0.
pose D0 : n.+1.-tuple bool := [tuple sure_user j | j < n.+1].
have D0j j : tnth D0 j = sure_user j by rewrite tnth_mktuple.
have c0 : count id D0 = #|sure_user|.
  by rewrite count_sum -sum1_card [RHS]big_mkcond /=; apply: eq_bigr => j _; rewrite D0j unfold_in; case: (sure_user j).
have in_D0 : both i false tt (D0, tt) by rewrite /both D0j (negPf isure).
have wD0 : w (D0, tt) = (1 - x) * \prod_(j | ~~ sure_user j && (j != i)) (1 - x).
  rewrite /= /product (bigD1 i) //= D0j (negPf isure) /p (negPf isure) /bit_law; congr (_ * _).
  rewrite (bigID sure_user) /= big1 ?mul1r => [|j /andP[_ sj]]; last by rewrite D0j sj.
  by apply: eq_big => [j|j /andP[_ /negPf nj]]; [rewrite andbC | rewrite D0j nj].
have mass a : chance w (both i a tt) = bit_law x a by rewrite product_world_record /p (negPf isure).
have sureD D : w (D, tt) != 0 -> forall j, sure_user j -> tnth D j.
  move=> nzD j sj; have := product_neq0 j nzD; rewrite /p sj /bit_law; case: (tnth D j) => //.
  by rewrite subrr eqxx.
have tcomp : compatible w i true tt by rewrite /compatible mass /= gt_eqF.
have fcomp : compatible w i false tt by rewrite /compatible mass /= gt_eqF.
have kn : kernel (noiseless R (@thresholded n.+1 T)) by exact: run_kernel.
pose t : option 'I_n.+2 := Some (inord #|sure_user|).
have Qt : out w (noiseless R (@thresholded n.+1 T)) (both i true tt) t = 0.
  rewrite /out chance_out_both big1 ?mul0r // => D /eqP Di /=.
  have [->|nzD] := eqVneq (product p D) 0; first by rewrite mul0r.
  rewrite /sure /t /thresholded; case: ifP => _; last by rewrite mulr0.
  case: eqP => [[e]|]; last by rewrite mulr0.
  have : inord #|sure_user| == ones D by rewrite e.
  rewrite ones_eq; last by apply: leq_trans (max_card _) _; rewrite card_ord.
  rewrite count_sum (bigD1 i) //= Di -sum1_card => /eqP c; exfalso.
  have : (\sum_(j in sure_user) 1 <= \sum_(j | j != i) tnth D j)%N.
    rewrite [X in (_ <= X)%N](bigID sure_user) /= [X in (X <= _)%N](eq_bigl (fun j => (j != i) && sure_user j)).
      rewrite [X in (X <= _)%N](eq_bigr (fun j => nat_of_bool (tnth D j))) => [|j /andP[_ sj]]; first exact: leq_addr.
      by rewrite (sureD D nzD j sj).
    move=> j; rewrite unfold_in; case sj: (sure_user j); rewrite ?andbF ?andbT //.
    by apply/esym/eqP => ji; rewrite ji (negPf isure) in sj.
  by rewrite c add1n ltnn.
have := apk w i erefl false true tt fcomp tcomp; rewrite leNgt => /negP; apply.
apply: lt_le_trans dlt _; apply: le_trans (told_loss _ (t := t) _ Qt); last by move=> u; exact: out_ge0.
rewrite /out mass /bit_law ler_pdivl_mulr // mulrC -wD0 chance_out_both (bigD1 D0) /=; last by rewrite D0j (negPf isure).
rewrite (_ : sure R _ t = 1) ?mulr1; last first.
  rewrite /sure /t /thresholded c0 many; case: eqP => // -[]; congr Some.
  by apply/eqP; rewrite ones_eq ?c0 //; apply: leq_trans (max_card _) _; rewrite card_ord.
by rewrite ler_addl sumr_ge0 // => D _; rewrite mulr_ge0 ?(law_ge0 _ (product_law lp)) // /sure ler0n.
Qed.

Lemma bernoulli (x : R) k : 0 <= x <= 1 -> 1 - x *+ k <= (1 - x) ^+ k.
Proof.
move=> /andP[x0 x1]; elim: k => [|k IH]; first by rewrite mulr0n subr0 expr0.
rewrite exprS; apply: (@le_trans _ _ ((1 - x) * (1 - x *+ k))); last by rewrite ler_wpmul2l // subr_ge0.
have e : (1 - x) * (1 - x *+ k) - (1 - x *+ k.+1) = x * (x *+ k) by rewrite mulrS; set y := x *+ k; ring.
rewrite -subr_ge0 e; by rewrite mulr_ge0 // mulrn_wge0.
Qed.

(** Before Proposition 8: either many users are likely to have the value 1, and
    Theorem 3 applies; or the vast majority have the value 0, and Theorem 4
    applies, so that thresholding protects. Here it is read as taking "the vast
    majority" for all that is needed: of n + 1 independent users, all but [few] have the value 1
    with a probability of at most 1/100000; then thresholding at [T] gives some
    epsilon with delta = 99/100, if no more. *)
Definition claim_either_or (n few T : nat) := exists E : R, forall (p : 'I_n.+1 -> bool -> R) (lp : forall j, law (p j)),
  (#|[pred j | ~~ (p j true <= (10 ^ 5)%N%:R^-1)%R]| <= few)%N ->
  APK (only (product_world lp)) E (99%:R / 100%:R) (noiseless R (@thresholded n.+1 T)).

(** It does not, if the exceptions are more than the threshold and there are no more than
    1000 users: with 25 exceptions and T = 20, say. *)
Theorem claim_either_or_fails (n few T : nat) : (T < few)%N -> (few <= n)%N -> (n < 1000)%N -> ~ claim_either_or n few T.
Proof.
move=> many few_n n1000 [E claim]; pose x : R := (10 ^ 5)%N%:R^-1.
have ne : (10 ^ 5 != 0)%N by rewrite expn_eq0.
have big5 : 0 < (10 ^ 5)%N%:R :> R by rewrite ltr0n expn_gt0.
have x0 : 0 < x by rewrite invr_gt0.
have x1 : x < 1 by rewrite invf_lt1 // (ltr_nat R 1) -{1}(exp1n 5) ltn_exp2r.
pose su : pred 'I_n.+1 := fun j => (j < few)%N.
have card_su : #|su| = few.
  rewrite -sum1_card (eq_bigl (fun j : 'I_n.+1 => (j < few)%N)) //.
  by rewrite (big_ord_narrow (leqW few_n)) /= big_const_ord iter_addn_0 mul1n.
have out_i : ~~ su ord_max by rewrite /su -leqNgt.
have lp j : law (bit_law (if su j then 1 else x)).
  by apply: bit_law_law; case: ifP => _; rewrite ?ler01 ?lexx // !ltW.
apply: (@sure_users_expose n su x T ord_max E (99%:R / 100%:R) _ _ out_i _ lp); rewrite ?x0 ?card_su //.
  rewrite prodr_const; apply: lt_le_trans (bernoulli _ _); last by rewrite !ltW.
  set k := #|_|; have kn : (k <= 999)%N.
    apply: leq_trans (_ : k <= #|predC1 (ord_max : 'I_n.+1)|)%N _.
      by apply: subset_leq_card; apply/subsetP => j; rewrite !inE => /andP[].
    by rewrite cardC1 card_ord /= -ltnS.
  apply: (@lt_le_trans _ _ (1 - x *+ 999)); last by rewrite ler_add2l ler_opp2 -![x *+ _]mulr_natr ler_wpmul2l ?ler_nat // ltW.
  rewrite ltr_subr_addl -ltr_subr_addr.
  have -> : 1 - 99%:R / 100%:R = 1%:R / 100%:R :> R by field.
  rewrite -[X in X < _]mulr_natl /x; apply: (@lt_fractions R 999%N (10 ^ 5)%N 1%N 100%N ne isT).
  by rewrite mul1n (_ : 10 ^ 5 = 10 ^ 3 * 100)%N ?ltn_mul2r // -(expnD 10 3 2).
apply: claim; rewrite -[X in (_ <= X)%N]card_su; apply: subset_leq_card; apply/subsetP => j.
by rewrite !inE; apply: contraR; rewrite unfold_in => /negPf nsu; rewrite /bit_law (nsu : su j = false) /x lexx.
Qed.

End Threshold.
