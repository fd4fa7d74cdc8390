(** * Finite laws and the hockey-stick divergence

    A law on a finite set gives every element a number of an ordered field;
    the numbers are nonnegative and add up to 1. The field is arbitrary: the
    rationals or the reals will do. The number E stands for e to the epsilon,
    so that nothing here needs an exponential. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Laws *)

Section Laws.
Variables (R : realFieldType) (T : finType).
Implicit Types (P : T -> R) (A : {set T}).

(** [P] is a probability law: nowhere negative, and its values add up to 1. *)
Definition law P := (forall x, 0 <= P x) /\ \sum_x P x = 1.

(** The probability of the event [A] under [P]. *)
Definition prob P A : R := \sum_(x in A) P x.

Lemma law_ge0 P x : law P -> 0 <= P x. Proof. by case. Qed.
Lemma law_sum P : law P -> \sum_x P x = 1. Proof. by case. Qed.

Lemma prob_ge0 P A : law P -> 0 <= prob P A.
Proof. by move=> [P0 _]; apply: sumr_ge0. Qed.

Lemma prob_compl P A : law P -> prob P (~: A) = 1 - prob P A.
Proof.
move=> [_ <-]; rewrite /prob (bigID (mem A) predT) /= addrC addKr.
by apply: eq_bigl => x; rewrite inE.
Qed.

Lemma prob_le1 P A : law P -> prob P A <= 1.
Proof. by move=> lP; rewrite -subr_ge0 -prob_compl // prob_ge0. Qed.

(** A larger event is at least as likely. *)
Lemma prob_sub P (A B : {set T}) : (forall x, 0 <= P x) -> A \subset B -> prob P A <= prob P B.
Proof.
move=> P0 /subsetP AB; rewrite /prob ![\sum_(x in _) _]big_mkcond; apply: ler_sum => x _.
by case: ifP => [/AB->|_] //; case: ifP.
Qed.

(** The law that is certain of [x]. *)
Definition sure (x : T) : T -> R := fun y => (y == x)%:R.

Lemma sure_law x : law (sure x).
Proof.
split=> [y|]; first exact: ler0n.
by rewrite (bigD1 x) //= /sure eqxx big1 ?addr0 // => y /negPf->.
Qed.

End Laws.
Arguments sure R {T}.

(** ** Kernels, images and products of laws *)

Section Kernels.
Variables (R : realFieldType).
Implicit Types (T U : finType).

(** A Markov kernel: a law on [U] for every element of [T]. *)
Definition kernel T U (K : T -> U -> R) := forall x, law (K x).

(** The law of the output of [K] on an input drawn from [P]. It is also the
    mixture of the laws [K x] with the weights [P x]. *)
Definition after T U (K : T -> U -> R) (P : T -> R) : U -> R :=
  fun u => \sum_x P x * K x u.

(** The law of the pair of an input drawn from [P] and its output. *)
Definition joint T U (P : T -> R) (K : T -> U -> R) : T * U -> R :=
  fun xu => P xu.1 * K xu.1 xu.2.

(** The law of [f x], where [x] is drawn from [P]. *)
Definition push T U (f : T -> U) (P : T -> R) : U -> R :=
  fun u => \sum_(x | f x == u) P x.

(** The law of two independent draws, from [P] and from [Q]. *)
Definition indep T U (P : T -> R) (Q : U -> R) : T * U -> R :=
  joint P (fun _ => Q).

(** [t] times [P] plus [1 - t] times [Q]. *)
Definition mix T (t : R) (P Q : T -> R) : T -> R :=
  fun x => t * P x + (1 - t) * Q x.

Lemma after_law T U (K : T -> U -> R) P : kernel K -> law P -> law (after K P).
Proof.
move=> kK [P0 P1]; split=> [u|].
  by apply: sumr_ge0 => x _; rewrite mulr_ge0 ?(law_ge0 _ (kK x)).
rewrite exchange_big /= -P1; apply: eq_bigr => x _.
by rewrite -mulr_sumr (law_sum (kK x)) mulr1.
Qed.

Lemma joint_law T U (K : T -> U -> R) P : kernel K -> law P -> law (joint P K).
Proof.
move=> kK [P0 P1]; split=> [[x u]|]; first by rewrite mulr_ge0 ?(law_ge0 _ (kK x)).
rewrite -(pair_bigA _ (fun x u => P x * K x u)) /= -P1; apply: eq_bigr => x _.
by rewrite -mulr_sumr (law_sum (kK x)) mulr1.
Qed.

Lemma indep_law T U (P : T -> R) (Q : U -> R) : law P -> law Q -> law (indep P Q).
Proof. by move=> lP lQ; apply: joint_law. Qed.

Lemma push_after T U (f : T -> U) (P : T -> R) u :
  push f P u = after (fun x => sure R (f x)) P u.
Proof.
rewrite /push /after big_mkcond /=; apply: eq_bigr => x _.
by rewrite /sure eq_sym; case: eqP; rewrite ?mulr1 ?mulr0.
Qed.

Lemma push_law T U (f : T -> U) (P : T -> R) : law P -> law (push f P).
Proof.
move=> [P0 P1]; split=> [u|]; first exact: sumr_ge0.
by rewrite -P1 [RHS](partition_big f predT).
Qed.

Lemma prob_push T U (f : T -> U) (P : T -> R) (A : {set U}) :
  prob (push f P) A = prob P (f @^-1: A).
Proof.
rewrite /prob /push [RHS](partition_big f (mem A)) => [|x]; last by rewrite inE.
apply: eq_bigr => u uA; apply: eq_bigl => x; rewrite inE.
by case: eqP => [->|]; rewrite ?andbF ?uA.
Qed.

Lemma push_comp T U (V : finType) (f : T -> U) (g : U -> V) (P : T -> R) v :
  push g (push f P) v = push (g \o f) P v.
Proof.
rewrite /push [RHS](partition_big f (fun u => g u == v)) //=.
apply: eq_bigr => u /eqP<-; apply: eq_bigl => x.
by case: eqP => [->|]; rewrite ?andbF ?eqxx.
Qed.

(** Functions that agree where the law is not 0 have the same image. *)
Lemma eq_push_support (T U : finType) (f g : T -> U) (P : T -> R) :
  (forall x, P x != 0 -> f x = g x) -> push f P =1 push g P.
Proof.
move=> fg u; rewrite /push big_mkcond [RHS]big_mkcond /=; apply: eq_bigr => x _.
by have [->|/fg->//] := eqVneq (P x) 0; rewrite !if_same.
Qed.

(** The mean of a function of [f x], by the law of [f x]. *)
Lemma mean_push (T U : finType) (f : T -> U) (P : T -> R) (phi : U -> R) :
  \sum_x P x * phi (f x) = \sum_u push f P u * phi u.
Proof.
rewrite (partition_big f predT) //=; apply: eq_bigr => u _; rewrite mulr_suml.
by apply: eq_bigr => x /eqP->.
Qed.

(** A sum over all values, and none. *)
Lemma sum_option (T : finType) (F : option T -> R) :
  \sum_o F o = F None + \sum_x F (Some x).
Proof.
rewrite (bigD1 None) //=; congr (_ + _).
rewrite (eq_bigl (fun o => o \in [set Some x | x : T])) => [|[x|]] /=; last 2 first.
- by rewrite imset_f.
- by apply/esym/imsetP => -[x].
by rewrite big_imset => [|x y _ _ []] //=.
Qed.

Lemma mix_law T (t : R) (P Q : T -> R) : 0 <= t <= 1 -> law P -> law Q -> law (mix t P Q).
Proof.
move=> /andP[t0 t1] [P0 P1] [Q0 Q1]; split=> [x|].
  by rewrite addr_ge0 ?mulr_ge0 ?subr_ge0.
by rewrite big_split /= -!mulr_sumr P1 Q1 !mulr1 addrC subrK.
Qed.

End Kernels.

(** ** The divergence *)

Section HockeyStick.
Variables (R : realFieldType).
Implicit Types (T U : finType) (E d t : R).

(** The hockey-stick divergence: what [P] has above [E] times [Q], summed over
    all outputs. It is the least delta of the pair at E, in one direction. *)
Definition hs T E (P Q : T -> R) : R := \sum_x Num.max 0 (P x - E * Q x).

(** The excess of one event. *)
Definition excess T E (P Q : T -> R) (A : {set T}) : R := prob P A - E * prob Q A.

(** [P] and [Q] are (E, d)-indistinguishable: for every event, in both
    directions, one probability is at most [E] times the other, plus [d]. *)
Definition indist T E d (P Q : T -> R) :=
  forall A : {set T}, prob P A <= E * prob Q A + d /\ prob Q A <= E * prob P A + d.

Lemma max0_ge0 (x : R) : 0 <= Num.max 0 x. Proof. by rewrite le_maxr lexx. Qed.
Lemma max0_ge (x : R) : x <= Num.max 0 x. Proof. by rewrite le_maxr lexx orbT. Qed.

(** The positive part of a sum is at most the sum of the positive parts. *)
Lemma max0_sum (I : finType) (F : I -> R) :
  Num.max 0 (\sum_i F i) <= \sum_i Num.max 0 (F i).
Proof.
by rewrite le_maxl sumr_ge0 => [|i _]; rewrite ?max0_ge0 ?ler_sum // => i _; rewrite max0_ge.
Qed.

Lemma max0_mul (x y : R) : 0 <= x -> Num.max 0 (x * y) = x * Num.max 0 y.
Proof. by move=> x0; rewrite maxr_pmulr // mulr0. Qed.

Lemma eq_hs T E (P P' Q Q' : T -> R) : P =1 P' -> Q =1 Q' -> hs E P Q = hs E P' Q'.
Proof. by move=> eP eQ; apply: eq_bigr => x _; rewrite eP eQ. Qed.

Lemma excessE T E (P Q : T -> R) A : excess E P Q A = \sum_(x in A) (P x - E * Q x).
Proof. by rewrite /excess /prob mulr_sumr sumrB. Qed.

(** No event has more excess than the divergence. *)
Lemma excess_le_hs T E (P Q : T -> R) A : excess E P Q A <= hs E P Q.
Proof.
rewrite excessE /hs big_mkcond /=; apply: ler_sum => x _.
by case: ifP => _; rewrite ?max0_ge ?max0_ge0.
Qed.

(** The event of all outputs that [P] finds likelier than [E] times [Q] attains it. *)
Lemma hs_is_excess T E (P Q : T -> R) : hs E P Q = excess E P Q [set x | 0 <= P x - E * Q x].
Proof.
rewrite excessE /hs [RHS]big_mkcond /=; apply: eq_bigr => x _.
by rewrite inE; case: (leP 0 (P x - E * Q x)).
Qed.

(** The divergence is the largest excess over all events, and is attained. *)
Theorem hs_max_event T E (P Q : T -> R) :
  (forall A, excess E P Q A <= hs E P Q) /\ exists A, hs E P Q = excess E P Q A.
Proof.
by split=> [A|]; [exact: excess_le_hs | exists [set x | 0 <= P x - E * Q x]; exact: hs_is_excess].
Qed.

(** To bound the divergence is to bound every event. *)
Lemma hs_leP T E d (P Q : T -> R) :
  hs E P Q <= d <-> forall A : {set T}, prob P A <= E * prob Q A + d.
Proof.
split=> [le_d A|leA].
  by rewrite addrC -ler_subl_addr; apply: le_trans le_d; exact: excess_le_hs.
by rewrite hs_is_excess /excess ler_subl_addr addrC leA.
Qed.

(** (E, d)-indistinguishability means that the divergence is at most [d] in both directions. *)
Theorem indist_hs T E d (P Q : T -> R) : indist E d P Q <-> hs E P Q <= d /\ hs E Q P <= d.
Proof.
split=> [ind|[/hs_leP PQ /hs_leP QP] A]; last by split.
by split; apply/hs_leP => A; case: (ind A).
Qed.

Lemma indist_sym T E d (P Q : T -> R) : indist E d P Q -> indist E d Q P.
Proof. by move=> ind A; case: (ind A). Qed.

Lemma hs_ge0 T E (P Q : T -> R) : 0 <= hs E P Q.
Proof. by apply: sumr_ge0 => x _; exact: max0_ge0. Qed.

(** The divergence of laws is at most 1. *)
Lemma hs_le1 T E (P Q : T -> R) : 0 <= E -> law P -> law Q -> hs E P Q <= 1.
Proof.
move=> E0 [P0 P1] [Q0 _]; rewrite -P1; apply: ler_sum => x _.
by rewrite le_maxl P0 ger_addl oppr_le0 mulr_ge0.
Qed.

(** A larger E leaves a smaller divergence. *)
Lemma hs_decreasing T E E' (P Q : T -> R) :
  (forall x, 0 <= Q x) -> E <= E' -> hs E' P Q <= hs E P Q.
Proof.
move=> Q0 leE; apply: ler_sum => x _; rewrite le_maxl max0_ge0 /=.
by apply: le_trans (max0_ge _); rewrite ler_add2l ler_opp2 ler_wpmul2r.
Qed.

(** A law cannot be told from itself. *)
Lemma hs_refl T E (P : T -> R) : 1 <= E -> (forall x, 0 <= P x) -> hs E P P = 0.
Proof.
move=> E1 P0; rewrite /hs big1 // => x _; apply/eqP; rewrite eq_le max0_ge0 andbT.
by rewrite le_maxl lexx subr_le0 ler_pemull.
Qed.

(** Indistinguishability is transitive, at a price: the factors multiply, and
    the second term is enlarged by the first factor. *)
Theorem hs_triangle T E1 E2 (P Q S : T -> R) : 0 <= E1 ->
  hs (E1 * E2) P S <= hs E1 P Q + E1 * hs E2 Q S.
Proof.
move=> E10; rewrite /hs mulr_sumr -big_split /=; apply: ler_sum => x _.
rewrite -max0_mul // le_maxl addr_ge0 ?max0_ge0 //=.
have -> : P x - E1 * E2 * S x = (P x - E1 * Q x) + E1 * (Q x - E2 * S x).
  by rewrite mulrBr mulrA addrA subrK.
by apply: ler_add; exact: max0_ge.
Qed.

(** ** Post-processing *)

(** Whatever is done to the output, at random too, enlarges no divergence. *)
Theorem hs_after T U E (K : T -> U -> R) (P Q : T -> R) : kernel K ->
  hs E (after K P) (after K Q) <= hs E P Q.
Proof.
move=> kK; have -> : hs E P Q = \sum_u \sum_x Num.max 0 (P x - E * Q x) * K x u.
  rewrite exchange_big /=; apply: eq_bigr => x _.
  by rewrite -mulr_sumr (law_sum (kK x)) mulr1.
apply: ler_sum => u _; rewrite /after mulr_sumr -sumrB.
apply: le_trans (max0_sum _) _; apply: ler_sum => x _.
by rewrite mulrA -mulrBl mulrC max0_mul ?(law_ge0 _ (kK x)) // mulrC.
Qed.

Corollary hs_push T U E (f : T -> U) (P Q : T -> R) :
  hs E (push f P) (push f Q) <= hs E P Q.
Proof.
rewrite (eq_hs E (push_after f P) (push_after f Q)).
by apply: hs_after => x; exact: sure_law.
Qed.

(** Nothing is lost by a statistic [f] given which both laws look alike. *)
Theorem hs_sufficient T U E (f : T -> U) (p q : U -> R) (g : T -> R) (P Q : T -> R) :
  (forall x, 0 <= g x) -> (forall x, P x = p (f x) * g x) -> (forall x, Q x = q (f x) * g x) ->
  hs E (push f P) (push f Q) = hs E P Q.
Proof.
move=> g0 eP eQ; rewrite /hs [RHS](partition_big f predT) //=; apply: eq_bigr => u _.
have -> : push f P u - E * push f Q u = (\sum_(x | f x == u) g x) * (p u - E * q u).
  rewrite mulr_suml /push mulr_sumr -sumrB; apply: eq_bigr => x /eqP<-.
  by rewrite eP eQ mulrA -mulrBl mulrC.
rewrite max0_mul ?sumr_ge0 // mulr_suml; apply: eq_bigr => x /eqP<-.
by rewrite -max0_mul // mulrBr eP eQ mulrCA ![g x * _]mulrC mulrA.
Qed.

(** To rename outputs changes nothing. *)
Corollary hs_push_inj T U E (f : T -> U) (P Q : T -> R) : injective f ->
  hs E (push f P) (push f Q) = hs E P Q.
Proof.
move=> injf; pose back (S : T -> R) u := if [pick x | f x == u] is Some x then S x else 0.
have backK S x : back S (f x) = S x.
  by rewrite /back; case: pickP => [y /eqP/injf->//|/(_ x)]; rewrite eqxx.
by apply: (@hs_sufficient _ _ _ f (back P) (back Q) (fun _ => 1)) => x; rewrite ?ler01 ?backK ?mulr1.
Qed.

(** ** Mixtures, side information, independent draws *)

(** If the part of the mixture is shown as well, divergences are averaged. *)
Theorem hs_joint T U E (w : T -> R) (K L : T -> U -> R) : (forall x, 0 <= w x) ->
  hs E (joint w K) (joint w L) = \sum_x w x * hs E (K x) (L x).
Proof.
move=> w0; rewrite /hs -(pair_bigA _ (fun x u => Num.max 0 (w x * K x u - E * (w x * L x u)))) /=.
apply: eq_bigr => x _; rewrite mulr_sumr; apply: eq_bigr => u _.
by rewrite -max0_mul // mulrBr [E * (_ * _)]mulrCA.
Qed.

(** Convexity: a mixture has at most the mean of the divergences. *)
Theorem hs_mixture T U E (w : T -> R) (K L : T -> U -> R) : (forall x, 0 <= w x) ->
  hs E (after K w) (after L w) <= \sum_x w x * hs E (K x) (L x).
Proof.
move=> w0; rewrite -hs_joint //.
have drop (M : T -> U -> R) u : after M w u = push snd (joint w M) u.
  rewrite /push /after (eq_bigl (fun xu : T * U => true && (xu.2 == u))) //.
  rewrite -(pair_big predT (pred1 u) (fun x v => w x * M x v)) /=.
  by apply: eq_bigr => x _; rewrite big_pred1_eq.
rewrite (eq_hs E (drop K) (drop L)); exact: hs_push.
Qed.

Theorem hs_convex T E t (P P' Q Q' : T -> R) : 0 <= t <= 1 ->
  hs E (mix t P P') (mix t Q Q') <= t * hs E P Q + (1 - t) * hs E P' Q'.
Proof.
move=> /andP[t0 t1]; rewrite hs_is_excess; set A := [set x | _].
have -> : excess E (mix t P P') (mix t Q Q') A = t * excess E P Q A + (1 - t) * excess E P' Q' A.
  rewrite !excessE !mulr_sumr -big_split /=; apply: eq_bigr => x _; rewrite /mix.
  by rewrite mulrDr opprD addrACA !mulrBr !mulrA ![E * _]mulrC.
by apply: ler_add; apply: ler_wpmul2l; rewrite ?subr_ge0 ?excess_le_hs.
Qed.

(** Another draw that is independent of the pair changes nothing. *)
Theorem hs_indep T U E (P Q : T -> R) (M : U -> R) : law M ->
  hs E (indep P M) (indep Q M) = hs E P Q.
Proof.
move=> [M0 M1]; rewrite /hs -(pair_bigA _ (fun x u => Num.max 0 (P x * M u - E * (Q x * M u)))) /=.
apply: eq_bigr => x _; rewrite -[RHS]mulr1 -M1 mulr_sumr; apply: eq_bigr => u _.
by rewrite mulrA -mulrBl mulrC max0_mul // mulrC.
Qed.

(** Composition. The second output may depend on the first: factors multiply, terms add up. *)
Theorem hs_compose T U E1 E2 d (P Q : T -> R) (K L : T -> U -> R) :
  0 <= E1 -> 0 <= E2 -> 0 <= d -> law P -> law Q -> kernel K -> kernel L ->
  (forall x, hs E2 (K x) (L x) <= d) ->
  hs (E1 * E2) (joint P K) (joint Q L) <= hs E1 P Q + d.
Proof.
move=> E10 E20 d0 [P0 P1] [Q0 _] kK kL le_d.
rewrite /hs -(pair_bigA _ (fun x u => Num.max 0 (P x * K x u - E1 * E2 * (Q x * L x u)))) /=.
rewrite -[d]mul1r -P1 mulr_suml -big_split /=; apply: ler_sum => x _.
pose m := Num.min (P x) (E1 * Q x).
have m0 : 0 <= m by rewrite le_minr P0 mulr_ge0.
apply: (@le_trans _ _ (\sum_u (Num.max 0 (P x - E1 * Q x) * K x u
                                + m * Num.max 0 (K x u - E2 * L x u)))); last first.
  rewrite big_split /= -!mulr_sumr (law_sum (kK x)) mulr1 ler_add2l.
  apply: (@le_trans _ _ (m * d)); first by rewrite ler_wpmul2l // le_d.
  by rewrite ler_wpmul2r // le_minl lexx.
apply: ler_sum => u _.
have Ku := law_ge0 u (kK x); have Lu := law_ge0 u (kL x).
rewrite le_maxl addr_ge0 ?mulr_ge0 ?max0_ge0 //=.
apply: (@le_trans _ _ ((P x - m) * K x u + m * (K x u - E2 * L x u))).
  have le_m : m * (E2 * L x u) <= E1 * E2 * (Q x * L x u).
    rewrite [X in _ <= X](_ : _ = E1 * Q x * (E2 * L x u)); last by rewrite !mulrA [E1 * E2 * _]mulrAC.
    by rewrite ler_wpmul2r ?mulr_ge0 // le_minl lexx orbT.
  by rewrite mulrBl mulrBr addrA subrK ler_add2l ler_opp2.
rewrite ler_add ?ler_wpmul2l ?max0_ge // ler_wpmul2r // /m.
by case: (leP (P x) (E1 * Q x)) => _; rewrite ?subrr ?max0_ge0 ?max0_ge.
Qed.

(** ** Couplings *)

(** Two functions of one random input: at every E of at least 1 their laws
    differ by at most the probability that the functions differ. *)
Theorem hs_coupling T U E (f g : T -> U) (P : T -> R) : 1 <= E -> law P ->
  hs E (push f P) (push g P) <= prob P [set x | f x != g x].
Proof.
move=> E1 [P0 P1]; apply/hs_leP => A; rewrite !prob_push.
apply: (@le_trans _ _ (prob P (g @^-1: A) + prob P [set x | f x != g x])); last first.
  by rewrite ler_add2r ler_pemull // sumr_ge0.
rewrite /prob ![\sum_(x in _) _]big_mkcond -big_split /=; apply: ler_sum => x _.
rewrite !inE; case: eqP => [->|_] /=; first by rewrite addr0.
by case: ifP => _; case: ifP => _; rewrite ?add0r ?ler_addr ?addr_ge0 ?P0.
Qed.

End HockeyStick.
