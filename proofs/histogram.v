(** * Corollary 1, tight: histograms

    N records beside the target have one of several categories each. The
    attacker sees how many records are in each category, the target included. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra ring.
From pkdp Require Import divergence counts theorem_3 blanket.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Functions of each of several independent draws *)

(** The draws [z i], each with the law [v i], are independent; then so are [f (z i)]. *)
Lemma push_product (R : realFieldType) (N : nat) (A B : finType) (f : A -> B) (v : 'I_N -> A -> R)
    (w : {ffun 'I_N -> B}) :
  push (fun z : {ffun 'I_N -> A} => [ffun i => f (z i)]) (fun z => \prod_i v i (z i)) w
  = \prod_i push f (v i) (w i).
Proof.
rewrite [RHS]bigA_distr_big_dep; apply: eq_bigl => z; apply/eqP/familyP => [<- i|eq_w].
  by rewrite unfold_in /= ffunE.
by apply/ffunP => i; rewrite ffunE; have := eq_w i; rewrite unfold_in => /eqP.
Qed.

Section Histogram.
Variables (R : realFieldType) (C : finType) (N : nat).
Implicit Types (q : 'I_N -> C -> R) (c t : C) (d : {ffun 'I_N -> C}) (E lam : R).

(** ** Definitions *)

(** The law of N independent records, of which record [i] is [c] with probability [q i c]. *)
Definition records q d : R := \prod_i q i (d i).

(** How many of all records are in each category, if the target is in [t]. *)
Definition histogram d t : {ffun C -> 'I_N.+2} := [ffun c => inord (\sum_i (d i == c) + (t == c))].

(** The law of the released histogram. *)
Definition tally q t := push (fun d => histogram d t) (records q).

(** ** What the attacker may see beside the histogram

    Each record tosses a fair coin between [a] and [b] with probability 2 lambda, and
    otherwise has a value of its own. We show who tossed a coin, and the own
    values of the others. *)

Section Pair.
Variables (q : 'I_N -> C -> R) (a b : C) (lam : R).
Hypotheses (ab : a != b) (q_law : forall i, law (q i)) (lam0 : 0 <= lam).
Hypotheses (q_a : forall i, lam <= q i a) (q_b : forall i, lam <= q i b).
Implicit Types (g : {ffun 'I_N -> option C}) (y : {ffun 'I_N -> bool}).

(** The law of a record's own value; it has none if it tossed a coin. *)
Definition own_value i (o : option C) : R :=
  if o is Some c then q i c - lam * ((c == a)%:R + (c == b)%:R) else 2%:R * lam.
Definition own g : R := \prod_i own_value i (g i).

(** The coins that show [a]: a fair coin where there is no own value. *)
Definition coin g i : R := if g i is None then 2%:R^-1 else 0.

(** The record, from its own value and its coin. *)
Definition record (o : option C) (heads : bool) := if o is Some c then c else if heads then a else b.
Definition database (gy : {ffun 'I_N -> option C} * {ffun 'I_N -> bool}) : {ffun 'I_N -> C} :=
  [ffun i => record (gy.1 i) (gy.2 i)].

(** The number of coins. *)
Definition tossed g : nat := (\sum_i (g i == None))%N.

Lemma sum_pair (F : C -> R) : \sum_c F c * ((c == a)%:R + (c == b)%:R) = F a + F b.
Proof.
under eq_bigr do rewrite mulrDr; rewrite big_split /=; congr (_ + _).
  rewrite (bigD1 a) //= eqxx mulr1 big1 ?addr0 // => c /negPf->; exact: mulr0.
rewrite (bigD1 b) //= eqxx mulr1 big1 ?addr0 // => c /negPf->; exact: mulr0.
Qed.

Lemma own_value_law i : law (own_value i).
Proof.
split=> [[c|]|] /=; last 2 first.
- by rewrite mulr_ge0 ?ler0n.
- rewrite sum_option /= sumrB (law_sum (q_law i)) (sum_pair (fun _ => lam)); ring.
have [->|ca] := eqVneq c a; first by rewrite (negPf ab) addr0 mulr1 subr_ge0.
have [->|cb] := eqVneq c b; first by rewrite add0r mulr1 subr_ge0.
by rewrite addr0 mulr0 subr0; exact: law_ge0.
Qed.

Lemma own_ge0 g : 0 <= own g.
Proof. by apply: prodr_ge0 => i _; apply: law_ge0; exact: own_value_law. Qed.

(** Records drawn in this way have the right law. *)
Lemma records_database d : records q d = push database (joint own (fun g => bits (coin g))) d.
Proof.
pose B o c : R := if o is Some c' then (c' == c)%:R else 2%:R^-1 * ((c == a)%:R + (c == b)%:R).
transitivity (\sum_(g : {ffun 'I_N -> option C}) \prod_i (own_value i (g i) * B (g i) (d i))).
  rewrite -(bigA_distr_bigA (fun i o => own_value i o * B o (d i))); apply: eq_bigr => i _.
  rewrite sum_option /= mulrACA mulfV ?pnatr_eq0 // mul1r (bigD1 (d i)) //= eqxx mulr1.
  rewrite big1 => [|c /negPf->]; last exact: mulr0.
  by rewrite addr0 addrC subrK.
rewrite /push (eq_bigl (fun gy : _ * _ => true && (database gy == d))) //.
rewrite -(pair_big_dep predT (fun g y => database (g, y) == d) (fun g y => own g * bits (coin g) y)) /=.
apply: eq_bigr => g _; rewrite -mulr_sumr big_split /=; congr (_ * _).
transitivity (\prod_i \sum_(h : bool) (if h then coin g i else 1 - coin g i) * (record (g i) h == d i)%:R).
  apply: eq_bigr => i _; rewrite big_bool /= /coin; case: (g i) => [c|] /=.
    by rewrite mul0r add0r subr0 mul1r.
  by rewrite half_half -mulrDr ![d i == _]eq_sym.
rewrite bigA_distr_bigA [RHS]big_mkcond; apply: eq_bigr => y _; rewrite big_split /=.
rewrite -/(bits (coin g) y); case: eqP => [<-|/eqP neq].
  by rewrite [X in _ * X]big1 ?mulr1 // => i _; rewrite ffunE eqxx.
have [i neq_i] : exists i, record (g i) (y i) != d i.
  apply/existsP; rewrite -negb_forall; apply: contra neq => /forallP eq_d.
  by apply/eqP/ffunP => i; rewrite ffunE; apply/eqP.
by rewrite [X in _ * X](bigD1 i) //= (negPf neq_i) mul0r mulr0.
Qed.

(** What is seen: who tossed a coin and the own values of the others; and
    the number of coins that show [a], with the target's. *)
Definition view (target : bool) := joint own (fun g => released (coin g) target).

(** The histogram, from what is seen. *)
Definition to_histogram (go : {ffun 'I_N -> option C} * 'I_N.+2) : {ffun C -> 'I_N.+2} :=
  [ffun c => inord (\sum_i (go.1 i == Some c) + (a == c) * go.2
                    + (b == c) * ((tossed go.1).+1 - go.2))].

Lemma coins_where_tossed g y i : bits (coin g) y != 0 -> y i -> g i = None.
Proof.
move/prodf_neq0 => /(_ i isT); rewrite /coin; case: (g i) => [c|] // nz yi.
by rewrite yi eqxx in nz.
Qed.

Lemma histogram_view g y (target : bool) : bits (coin g) y != 0 ->
  histogram (database (g, y)) (if target then a else b)
  = to_histogram (g, inord (ones y + target)).
Proof.
move=> nz; apply/ffunP => c; rewrite !ffunE; congr inord.
rewrite inordK /=; last by rewrite ltnS (leq_trans (leq_add (ones_le y) (leq_b1 _))) // addn1.
have heads i : (database (g, y) i == c : nat)
    = ((g i == Some c) + ((a == c) * y i + (b == c) * ((g i == None) && ~~ y i)))%N.
  have := @coins_where_tossed g y i nz; rewrite ffunE /=; case: (g i) => [e|] /=.
    by case: (y i) => [/(_ isT)//|_]; rewrite !muln0 !addn0.
  by case: (y i) => _; rewrite /= ?muln1 ?muln0 ?addn0.
have all_coins : tossed g = (ones y + \sum_i ((g i == None) && ~~ y i))%N.
  rewrite /ones -big_split /=; apply: eq_bigr => i _.
  by have := @coins_where_tossed g y i nz; case: (y i) => [->//|_]; rewrite andbT.
rewrite (eq_bigr _ (fun i _ => heads i)) !big_split /= -!big_distrr /= -/(ones y) all_coins.
rewrite -addnA -!addnA; congr (_ + _)%N.
case: target; rewrite ?addn1 ?addn0.
  by rewrite subSS addKn mulnS addnA addnC addnA.
by rewrite subSn ?leq_addr // addKn mulnS [((b == c) + _)%N]addnC.
Qed.

Lemma tally_view (target : bool) :
  tally q (if target then a else b) =1 push to_histogram (view target).
Proof.
move=> h; have -> : tally q (if target then a else b) h
    = push (fun gy => histogram (database gy) (if target then a else b))
           (joint own (fun g => bits (coin g))) h.
  rewrite -(@push_comp _ _ _ _ database (fun d => histogram d (if target then a else b))).
  by apply: eq_bigr => d _; exact: records_database.
have step : push (fun gy => (gy.1, inord (ones gy.2 + target) : 'I_N.+2))
                 (joint own (fun g => bits (coin g))) =1 view target.
  move=> [g o]; rewrite /push /view /joint /released /push /= mulr_sumr.
  rewrite (eq_bigl (fun gy => (gy.1 == g) && (inord (ones gy.2 + target) == o))) //.
  rewrite -(pair_big (pred1 g) (fun y => inord (ones y + target) == o)
              (fun g y => own g * bits (coin g) y)) /=.
  by rewrite big_pred1_eq.
have <- : push to_histogram (push (fun gy => (gy.1, inord (ones gy.2 + target) : 'I_N.+2))
                 (joint own (fun g => bits (coin g)))) h = push to_histogram (view target) h.
  by apply: eq_bigr => go _; exact: step.
rewrite push_comp; apply: eq_push_support => -[g y]; rewrite /joint /= mulf_eq0 negb_or.
by case/andP => _; exact: histogram_view.
Qed.

(** ** What is seen has the divergence of the blanket *)

Lemma pmf_coin g : pmf (codom (coin g)) =1 pmf (nseq (tossed g) 2%:R^-1).
Proof.
have -> : tossed g = count (pred1 None) (codom g).
  by rewrite /tossed -sum1_count [RHS]big_mkcond big_map big_enum; apply: eq_bigr => i _ /=; case: eqP.
have -> : codom (coin g) = [seq (if o is None then 2%:R^-1 else 0) | o <- codom g].
  by rewrite /codom -map_comp.
elim: (codom g) => [|[c|] s IH] k //=; rewrite IH.
  by rewrite subr0 mul1r mul0r addr0.
by congr (_ + _ * _); case: k => //= k; rewrite IH.
Qed.

Lemma hs_view E : hs E (view true) (view false) = \sum_g own g * coins N E (tossed g).
Proof.
rewrite hs_joint; last exact: own_ge0.
apply: eq_bigr => g _; congr (_ * _); rewrite (eq_hs E (released1 _) (released0 _)).
by apply: eq_hs => -[[|k] ltk]; rewrite /seen //= pmf_coin.
Qed.

(** The number of coins is binomial. *)
Lemma sum_own (phi : nat -> R) :
  \sum_g own g * phi (tossed g) = \sum_(k < N.+1) pmf (nseq N (2%:R * lam)) k * phi k.
Proof.
pose who g : {ffun 'I_N -> bool} := [ffun i => g i == None].
have ones_who g : ones (who g) = tossed g by apply: eq_bigr => i _; rewrite ffunE.
pose p (_ : 'I_N) := 2%:R * lam.
have who_bits w : push who own w = bits p w.
  rewrite /who /own push_product /push /bits.
  apply: eq_bigr => i _; case: (w i).
    rewrite (eq_bigl (pred1 None)) ?big_pred1_eq // => o; exact: eqb_id.
  have := law_sum (own_value_law i); rewrite (bigD1 None) //= => <-.
  rewrite /p addrAC subrr add0r; apply: eq_bigl => o; exact: eqbF_neg.
transitivity (\sum_w bits p w * phi (ones w)).
  rewrite -(eq_bigr _ (fun w _ => congr1 (fun x => x * phi (ones w)) (who_bits w))).
  by rewrite -mean_push; apply: eq_bigr => g _; rewrite ones_who.
rewrite (partition_big (fun w => inord (ones w) : 'I_N.+1) predT) //=.
apply: eq_bigr => k _; rewrite -(_ : codom p = nseq N (2%:R * lam)); last first.
  have /all_pred1P-> : all (pred1 (2%:R * lam)) (codom p) by apply/allP => _ /mapP[i _ ->] /=.
  by rewrite size_codom card_ord.
rewrite -bits_pmf mulr_suml.
have val_k (w : {ffun 'I_N -> bool}) : (inord (ones w) == k) = (ones w == k).
  by rewrite -val_eqE /= inordK // ltnS ones_le.
rewrite (eq_bigl _ _ val_k); by apply: eq_bigr => w /eqP->.
Qed.

Lemma hs_view_blanket E : 0 <= E -> hs E (view true) (view false) = blanket N lam E.
Proof. by move=> E0; rewrite hs_view sum_own -blanketE. Qed.

(** ** Where the own values are never [a] or [b], the histogram shows the coins *)

Lemma tossed_le g : (tossed g <= N)%N.
Proof. rewrite -[X in (_ <= X)%N]card_ord -sum1_card; apply: leq_sum => i _; exact: leq_b1. Qed.

Definition coins_seen (h : {ffun C -> 'I_N.+2}) : 'I_N.+2 * 'I_N.+2 := (inord (h a + h b).-1, h a).
Definition coins_of (go : {ffun 'I_N -> option C} * 'I_N.+2) : 'I_N.+2 * 'I_N.+2 :=
  (inord (tossed go.1), go.2).

Lemma coins_seen_of (target : bool) g o :
  (forall i, q i a = lam) -> (forall i, q i b = lam) -> view target (g, o) != 0 ->
  coins_seen (to_histogram (g, o)) = coins_of (g, o).
Proof.
move=> eq_a eq_b; rewrite /view /joint /= mulf_eq0 negb_or => /andP[own_nz rel_nz].
have no c : c \in [:: a; b] -> (\sum_i (g i == Some c) = 0)%N.
  move=> c_ab; apply: big1 => i _; case: eqP => // gi.
  move/prodf_neq0: own_nz => /(_ i isT); rewrite gi /=.
  move: c_ab; rewrite !inE => /orP[] /eqP->.
    by rewrite eq_a eqxx (negPf ab) addr0 mulr1 subrr eqxx.
  by rewrite eq_b eqxx [b == a]eq_sym (negPf ab) add0r mulr1 subrr eqxx.
have le_o : (o <= (tossed g).+1)%N.
  rewrite leqNgt; apply: contra rel_nz => lt_o; apply/eqP.
  case: target; rewrite ?released1 ?released0.
    by case: (nat_of_ord o) lt_o => //= k; rewrite ltnS => lt_k; rewrite pmf_coin pmf_out // size_nseq.
  by rewrite pmf_coin pmf_out // size_nseq ltnW.
have ha : to_histogram (g, o) a = o.
  apply/val_inj; rewrite ffunE /= no ?inE ?eqxx // [b == a]eq_sym (negPf ab).
  by rewrite mul1n mul0n addn0 add0n inordK.
have hb : to_histogram (g, o) b = ((tossed g).+1 - o)%N :> nat.
  rewrite ffunE /= no ?inE ?eqxx ?orbT // (negPf ab) mul1n mul0n !add0n inordK //.
  by rewrite ltnS (leq_trans (leq_subr _ _)) // ltnS tossed_le.
by rewrite /coins_seen /coins_of /= ha hb subnKC.
Qed.

Lemma hs_coins_of E :
  hs E (push coins_of (view true)) (push coins_of (view false)) = hs E (view true) (view false).
Proof.
have tossedK g : (inord (tossed g) : 'I_N.+2) = tossed g :> nat.
  by rewrite inordK // ltnW // ltnS ltnS tossed_le.
apply: (@hs_sufficient _ _ _ E coins_of (fun ko => up (pmf (nseq ko.1 2%:R^-1)) ko.2)
          (fun ko => pmf (nseq ko.1 2%:R^-1) ko.2) (fun go => own go.1)) => -[g o] /=.
- exact: own_ge0.
- rewrite /view /joint /= mulrC released1 tossedK; congr (_ * _).
  by case: (nat_of_ord o) => //= k; rewrite pmf_coin.
- by rewrite /view /joint /= mulrC released0 tossedK pmf_coin.
Qed.

End Pair.

(** ** The theorems *)

Lemma hs_tally_le q a b lam E : a != b -> (forall i, law (q i)) -> 0 <= lam -> 0 <= E ->
  (forall i, lam <= q i a) -> (forall i, lam <= q i b) ->
  hs E (tally q a) (tally q b) <= blanket N lam E.
Proof.
move=> ab q_law lam0 E0 q_a q_b.
rewrite -(hs_view_blanket ab q_law lam0 q_a q_b E0).
rewrite (eq_hs E (tally_view q a b lam true) (tally_view q a b lam false)); exact: hs_push.
Qed.

Lemma hs_tally_eq q a b lam E : a != b -> (forall i, law (q i)) -> 0 <= lam -> 0 <= E ->
  (forall i, q i a = lam) -> (forall i, q i b = lam) ->
  hs E (tally q a) (tally q b) = blanket N lam E.
Proof.
move=> ab q_law lam0 E0 eq_a eq_b.
have q_a i : lam <= q i a by rewrite eq_a. have q_b i : lam <= q i b by rewrite eq_b.
apply/eqP; rewrite eq_le hs_tally_le //=.
rewrite -(hs_view_blanket ab q_law lam0 q_a q_b E0) -(hs_coins_of ab q_law lam0 q_a q_b).
have same target : push (@coins_of) (view q a b lam target)
    =1 push (coins_seen a b) (tally q (if target then a else b)).
  move=> u; have -> : push (coins_seen a b) (tally q (if target then a else b)) u
    = push (coins_seen a b) (push (to_histogram a b) (view q a b lam target)) u.
    by apply: eq_bigr => h _; exact: tally_view.
  rewrite push_comp; apply/esym/eq_push_support => -[g o]; exact: coins_seen_of.
rewrite (eq_hs E (same true) (same false)); exact: hs_push.
Qed.

(** "Only two columns matter" (section 4.1, several answers). Let each of N
    independent records be [a] with a probability of at least lambda and [b] with a probability of
    at least lambda; nothing else is assumed. Whether the target is [a] or [b],
    the histogram is (E, delta)-indistinguishable with the delta of the blanket bound; and with
    no smaller delta, if all records have exactly lambda on both. *)
Theorem two_columns q a b lam E : a != b -> (forall i, law (q i)) -> 0 <= lam -> 0 <= E ->
  (forall i, lam <= q i a) -> (forall i, lam <= q i b) ->
  indist E (blanket N lam E) (tally q a) (tally q b) /\
  ((forall i, q i a = lam) -> (forall i, q i b = lam) ->
   forall d : R, indist E d (tally q a) (tally q b) <-> blanket N lam E <= d).
Proof.
move=> ab q_law lam0 E0 q_a q_b; split=> [|eq_a eq_b d].
  by apply/indist_hs; split; apply: hs_tally_le; rewrite // eq_sym.
have ab_eq := hs_tally_eq ab q_law lam0 E0 eq_a eq_b.
have ba_eq : hs E (tally q b) (tally q a) = blanket N lam E by apply: hs_tally_eq; rewrite // eq_sym.
by rewrite indist_hs ab_eq ba_eq; split=> [[]|].
Qed.

(** Corollary 1, tight (section 4.1). Let there be three or more categories,
    and let every record have each of them with a probability of at least
    lambda. For any two values [a] and [b] of the target the largest delta that
    a histogram of N such records can need is the blanket's: it suffices for all, and some
    records, the same law for each, need it. *)
Theorem tight_histogram (a b : C) lam E : a != b -> (2 < #|C|)%N -> 0 <= lam ->
  lam * #|C|%:R <= 1 -> 0 <= E ->
  (forall q, (forall i, law (q i)) -> (forall i c, lam <= q i c) ->
     indist E (blanket N lam E) (tally q a) (tally q b)) /\
  exists q, [/\ forall i, law (q i), forall i c, lam <= q i c &
    forall d : R, indist E d (tally q a) (tally q b) <-> blanket N lam E <= d].
Proof.
move=> ab K3 lam0 lamK E0; split=> [q q_law q_lam|].
  by have [] := two_columns ab q_law lam0 E0 (fun i => q_lam i a) (fun i => q_lam i b).
have K0 : 0 < #|C|%:R - 2%:R :> R by rewrite subr_gt0 ltr_nat.
pose rest := (1 - 2%:R * lam) / (#|C|%:R - 2%:R).
have le_rest : lam <= rest.
  by rewrite ler_pdivl_mulr // mulrBr [lam * 2%:R]mulrC ler_add2r.
pose q (_ : 'I_N) c := if c \in [set a; b] then lam else rest.
have q_a i : q i a = lam by rewrite /q !inE eqxx.
have q_b i : q i b = lam by rewrite /q !inE eqxx orbT.
have q_lam i c : lam <= q i c by rewrite /q; case: ifP.
have q_law i : law (q i).
  split=> [c|]; first exact: le_trans (q_lam i c).
  rewrite (bigID (mem [set a; b])) /=.
  rewrite (eq_bigr (fun _ => lam)) => [|c c_ab]; last by rewrite /q c_ab.
  rewrite [X in _ + X](eq_bigr (fun _ => rest)) => [|c c_ab]; last by rewrite /q (negPf c_ab).
  have card_rest : #|[predC [set a; b]]|%:R = #|C|%:R - 2%:R :> R.
    by rewrite -(cardC (mem [set a; b])) cards2 ab natrD addrAC subrr add0r.
  rewrite !sumr_const cards2 ab -[rest *+ _]mulr_natr card_rest /rest divfK ?gt_eqF //.
  by rewrite mulr_natl addrC subrK.
exists q; split=> //.
by have [_ /(_ q_a q_b)] := two_columns ab q_law lam0 E0 (q_lam^~ a) (q_lam^~ b).
Qed.

End Histogram.
