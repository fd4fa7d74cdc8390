(** * A world for any two laws

    Any two laws, and any knowledge, are what some mechanism without noise shows of
    a secret in some world, and of no other record it shows anything. So
    what is said of laws can be said of worlds. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From mathcomp Require Import ring.
From pkdp Require Import divergence worlds computing attackers.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Realized.
Variables (R : realFieldType) (B O : finType) (omega : B -> R) (P : bool -> B -> O -> R).
Hypotheses (omega_law : law omega) (P_law : forall s, kernel (P s)).

(** A coin: the knowledge, and what is shown if the secret is 1, and if it is 0. *)
Definition coin : finType := [finType of B * (O * O)].
Variable x0 : coin.
(** What is shown. *)
Definition shows (s : bool) (c : coin) : O := if s then c.2.1 else c.2.2.
(** The law of the coin: its two outputs are independent given what is known. *)
Definition coin_law (c : coin) : R := omega c.1 * (P true c.1 c.2.1 * P false c.1 c.2.2).

(** Three records: the secret; a random permutation of the faces of the coin; and the face that
    shows, permuted. Each of the last two says nothing of the coin without the other. *)
Definition record : finType := [finType of bool * ({perm coin} * coin)].
(** What is drawn: the secret, the coin and a permutation. *)
Definition parameters : finType := [finType of bool * (coin * {perm coin})].
(** The record of the secret, that of a permutation, and that of a permuted face. *)
Definition secret_is (s : bool) : record := (s, (1%g, x0)).
(** The second record. *)
Definition permuted_by (f : {perm coin}) : record := (false, (f, x0)).
(** The third record. *)
Definition face (z : coin) : record := (false, (1%g, z)).
(** The database, and what is known. *)
Definition make (p : parameters) : 3.-tuple record * B :=
  ([tuple secret_is p.1; permuted_by p.2.2; face (p.2.2 p.2.1)], p.2.1.1).
(** A fair secret, a coin and a uniform permutation, independent of each other. *)
Definition chances (p : parameters) : R := 2%:R^-1 * (coin_law p.2.1 / #|{perm coin}|%:R).

(** The places of the three records. *)
Definition rec0 : 'I_3 := ord0.
(** The second place. *)
Definition rec1 : 'I_3 := Ordinal (isT : 1 < 3)%N.
(** The third place. *)
Definition rec2 : 'I_3 := Ordinal (isT : 2 < 3)%N.
(** The mechanism: it undoes the permutation, and shows what the coin says. *)
Definition told (D : 3.-tuple record) : O := shows (tnth D rec0).1 (((tnth D rec1).2.1)^-1%g (tnth D rec2).2.2).

Lemma told_make p : told (make p).1 = shows p.1 p.2.1.
Proof. by rewrite /told /= permK. Qed.

Lemma sum_coin (F : coin -> R) k : \sum_(c : coin | c.1 == k) F c = \sum_x \sum_y F (k, (x, y)).
Proof.
rewrite (eq_bigr (fun c => F (c.1, (c.2.1, c.2.2)))) => [|[c1 [x y]] _ //].
rewrite (eq_bigl (fun c : coin => pred1 k c.1 && true)) => [|c]; last by rewrite andbT.
rewrite -(pair_big (pred1 k) xpredT (fun c1 xy => F (c1, (xy.1, xy.2)))) /= big_pred1_eq.
by rewrite pair_bigA; apply: eq_bigr => -[x y].
Qed.

Lemma coin_told s k (A : pred O) : \sum_(c : coin | (c.1 == k) && A (shows s c)) coin_law c = omega k * \sum_(o | A o) P s k o.
Proof.
rewrite big_mkcondr sum_coin mulr_sumr /coin_law /shows /=; case: s.
  rewrite [RHS]big_mkcond /=; apply: eq_bigr => x _; case: (A x); last by rewrite big1.
  by rewrite -!mulr_sumr (law_sum (P_law false k)) mulr1.
rewrite exchange_big [RHS]big_mkcond /=; apply: eq_bigr => y _; case: (A y); last by rewrite big1.
by under eq_bigr do rewrite mulrA mulrAC; rewrite -mulr_sumr (law_sum (P_law true k)) mulr1.
Qed.

Lemma chances_law : law chances.
Proof.
have coin0 c : 0 <= coin_law c by rewrite !mulr_ge0 ?(law_ge0 _ omega_law) ?(law_ge0 _ (P_law _ _)).
split=> [p|]; first by rewrite mulr_ge0 ?invr_ge0 ?ler0n // divr_ge0 ?ler0n.
have all_coins : \sum_c coin_law c = 1.
  rewrite (partition_big (fun c : coin => c.1) predT) //= -(law_sum omega_law); apply: eq_bigr => k _.
  have := coin_told true k xpredT; rewrite (law_sum (P_law true k)) mulr1 => <-.
  by apply: eq_bigl => c; rewrite andbT.
rewrite -(pair_bigA _ (fun s cf => chances (s, cf))) big_bool /= -mulr2n -mulr_natl /chances /= -mulr_sumr mulrA mulfV ?pnatr_eq0 // mul1r.
rewrite -(pair_bigA _ (fun c f => coin_law c / _)) /= -[RHS]all_coins; apply: eq_bigr => c _.
rewrite sumr_const -[LHS]mulr_natr divfK // pnatr_eq0 -lt0n.
by apply/card_gt0P; exists 1%g.
Qed.

(** The world. *)
Definition realized : world R 3 record B := World _ (push_law make chances_law).

Lemma sum_realized (F : 3.-tuple record -> R) (A : pred (3.-tuple record * B)) :
  \sum_(x | A x) realized x * F x.1 = \sum_(p | A (make p)) chances p * F (make p).1.
Proof.
rewrite [RHS](partition_big make A) //=; apply: eq_bigr => x Ax.
rewrite /push mulr_suml; apply: eq_big => [p|p /eqP <-] //.
by case: eqP => [->|]; rewrite ?andbF ?Ax.
Qed.

Lemma chance_realized A : chance realized A = \sum_(p | A (make p)) chances p.
Proof.
rewrite /chance (eq_bigr (fun x => realized x * 1)) => [|x _]; last by rewrite mulr1.
by rewrite (sum_realized (fun=> 1)); apply: eq_bigr => p _; rewrite mulr1.
Qed.

Section Out.
Variables (U : finType) (h : O -> U).
Let part_told : mechanism R 3 record U := noiseless R (fun D => h (told D)).

Lemma chance_out_realized A t : chance_out realized part_told A t = \sum_(p | A (make p) && (h (shows p.1 p.2.1) == t)) chances p.
Proof.
rewrite /chance_out (sum_realized (fun D => part_told D t)) big_mkcondr; apply: eq_bigr => p _.
by rewrite /= /sure told_make eq_sym; case: eqP; rewrite ?mulr1 ?mulr0.
Qed.

(** Given the secret and the knowledge. *)
Lemma sum_secret s k (A : pred O) :
  \sum_(p | both rec0 (secret_is s) k (make p) && A (shows p.1 p.2.1)) chances p = 2%:R^-1 * (omega k * \sum_(o | A o) P s k o).
Proof.
rewrite (eq_bigl (fun p : parameters => pred1 s p.1 && ((p.2.1.1 == k) && A (shows s p.2.1)))) => [|[s' [c f]]]; last first.
  rewrite /both /= /tnth /= /secret_is xpair_eqE eqxx andbT.
  by case: (s' =P s) => [->|] //=.
rewrite (eq_bigr (fun p => chances (p.1, p.2))) => [|[s' p] _ //].
rewrite -(pair_big (pred1 s) (fun cf : coin * {perm coin} => (cf.1.1 == k) && A (shows s cf.1)) (fun s cf => chances (s, cf))) /=.
rewrite big_pred1_eq /chances /= -mulr_sumr; congr (_ * _).
rewrite -coin_told (eq_bigl (fun cf : coin * {perm coin} => ((cf.1.1 == k) && A (shows s cf.1)) && true)) => [|cf]; last by rewrite andbT.
rewrite -(pair_big (fun c : coin => (c.1 == k) && A (shows s c)) xpredT (fun c (f : {perm coin}) => coin_law c / #|{perm coin}|%:R)) /=.
apply: eq_bigr => c _; rewrite sumr_const -[LHS]mulr_natr divfK // pnatr_eq0 -lt0n.
by apply/card_gt0P; exists 1%g.
Qed.

Lemma chance_secret s k : chance realized (both rec0 (secret_is s) k) = 2%:R^-1 * omega k.
Proof.
rewrite chance_realized; have := sum_secret s k xpredT; rewrite (law_sum (P_law s k)) mulr1 => <-.
by apply: eq_bigl => p; rewrite andbT.
Qed.

Lemma out_secret s k : omega k != 0 -> out realized part_told (both rec0 (secret_is s) k) =1 push h (P s k).
Proof.
move=> nz t; rewrite /out chance_out_realized (sum_secret s k (fun o => h o == t)) chance_secret.
by rewrite invfM mulrACA divff ?invr_eq0 ?pnatr_eq0 // mul1r mulrAC divff // mul1r.
Qed.

(** Two values of another record that the same parameters, permuted in another way, lead to. *)
Lemma out_moved i a b k (phi : parameters -> parameters) : injective phi ->
  (forall p, chances (phi p) = chances p) -> (forall p, shows (phi p).1 (phi p).2.1 = shows p.1 p.2.1) ->
  (forall p, both i b k (make (phi p)) = both i a k (make p)) ->
  out realized part_told (both i a k) =1 out realized part_told (both i b k).
Proof.
move=> inj same shown moved t; rewrite /out !chance_out_realized !chance_realized.
have num : \sum_(p | both i a k (make p) && (h (shows p.1 p.2.1) == t)) chances p
    = \sum_(p | both i b k (make p) && (h (shows p.1 p.2.1) == t)) chances p.
  rewrite [RHS](reindex_inj inj); apply: eq_big => [p|p _]; first by rewrite (moved p) (shown p).
  by rewrite (same p).
have den : \sum_(p | both i a k (make p)) chances p = \sum_(p | both i b k (make p)) chances p.
  by rewrite [RHS](reindex_inj inj); apply: eq_big => [p|p _]; [rewrite (moved p) | rewrite (same p)].
exact: (f_equal2 (fun x y => x / y) num den).
Qed.

Lemma both_permuted f k p : both rec1 (permuted_by f) k (make p) = (p.2.2 == f) && (p.2.1.1 == k).
Proof. by rewrite /both [tnth _ _]/(permuted_by p.2.2) /permuted_by !xpair_eqE !eqxx andbT. Qed.

Lemma both_face z k p : both rec2 (face z) k (make p) = (p.2.2 p.2.1 == z) && (p.2.1.1 == k).
Proof. by rewrite /both [tnth _ _]/(face (p.2.2 p.2.1)) /face !xpair_eqE !eqxx. Qed.

Lemma out_permuted f f' k : out realized part_told (both rec1 (permuted_by f) k) =1 out realized part_told (both rec1 (permuted_by f') k).
Proof.
apply: (@out_moved _ _ _ _ (fun r => (r.1, (r.2.1, r.2.2 * (f^-1 * f'))%g))) => [[s [c g]] [s' [c' g']] [-> ->]|//|//|p].
  by move/mulIg ->.
rewrite !both_permuted /=; congr (_ && _).
by rewrite mulgA -(inj_eq (mulIg f'^-1%g)) mulgV mulgK -(inj_eq (mulIg f)) mulgKV mul1g.
Qed.

Lemma out_face z z' k : out realized part_told (both rec2 (face z) k) =1 out realized part_told (both rec2 (face z') k).
Proof.
apply: (@out_moved _ _ _ _ (fun r => (r.1, (r.2.1, r.2.2 * tperm z z')%g))) => [[s [c g]] [s' [c' g']] [-> ->]|//|//|p].
  by move/mulIg ->.
rewrite !both_face /=; congr (_ && _).
by rewrite permM -{2}(tpermL z z') (inj_eq perm_inj).
Qed.

End Out.

(** A value that is compatible with what is known comes from some parameters. *)
Lemma compatible_made i a k : compatible realized i a k -> exists p, a = tnth (make p).1 i.
Proof.
rewrite /compatible chance_realized => nz; have /existsP[p /andP[/eqP e _]] : [exists p, both i a k (make p)].
  apply: contraR nz; rewrite negb_exists => /forallP none.
  by rewrite big_pred0 // => p; apply/negbTE.
by exists p.
Qed.

Lemma secret_only a k : compatible realized rec0 a k -> exists s, a = secret_is s.
Proof. by case/compatible_made => p ->; exists p.1. Qed.

Lemma compatible_from p i k : chances p != 0 -> both i (tnth (make p).1 i) k (make p) -> compatible realized i (tnth (make p).1 i) k.
Proof.
move=> nz bp; have [ge0 _] := chances_law; rewrite /compatible chance_realized gt_eqF // (bigD1 p) //=.
by rewrite ltr_paddr ?sumr_ge0 // lt_neqAle eq_sym nz ge0.
Qed.

(** Whatever a record can be, it can be with everything that can be known. *)
Lemma realized_compatible i : all_compatible realized i.
Proof.
move=> a k a0 k0; have [c ck cn] : exists2 c : coin, c.1 == k & coin_law c != 0.
  move: k0; rewrite chance_realized => nz; have /existsP[p /andP[pk pn]] : [exists p, knows k (make p) && (chances p != 0)].
    apply: contraR nz; rewrite negb_exists => /forallP none; rewrite big1 // => p pk.
    by have := none p; rewrite pk /= negbK => /eqP.
  by exists p.2.1 => //; apply: contraNneq pn => z; rewrite /chances z mul0r mulr0.
have [p e] : exists p, a = tnth (make p).1 i.
  move: a0; rewrite chance_realized => nz; have /existsP[p /eqP ep] : [exists p, record_is i a (make p)].
    apply: contraR nz; rewrite negb_exists => /forallP none.
    by rewrite big_pred0 // => p; apply/negbTE.
  by exists p.
have pos s f : chances (s, (c, f)) != 0.
  have perms : #|{perm coin}|%:R != 0 :> R by rewrite pnatr_eq0 -lt0n; apply/card_gt0P; exists 1%g.
  by rewrite /chances /= mulf_neq0 ?invr_eq0 ?pnatr_eq0 // mulf_neq0 ?invr_eq0.
have [e1|e1|e1] : [\/ i = rec0, i = rec1 | i = rec2].
- by case: (i) => [[|[|[|//]]] Hi]; [apply: Or31 | apply: Or32 | apply: Or33]; apply: val_inj.
- rewrite e e1; apply: (@compatible_from (p.1, (c, p.2.2)) rec0 k) => //; by rewrite /both eqxx.
- rewrite e e1; apply: (@compatible_from (p.1, (c, p.2.2)) rec1 k) => //; by rewrite /both eqxx.
rewrite e e1; pose f : {perm coin} := tperm c (p.2.2 p.2.1).
have -> : tnth (make p).1 rec2 = tnth (make (p.1, (c, f))).1 rec2 by rewrite /tnth /= tpermL.
by apply: compatible_from => //; rewrite /both eqxx.
Qed.

(** No other record is shown anything of. *)
Lemma out_other (U : finType) (h : O -> U) i a b k : i != rec0 -> compatible realized i a k -> compatible realized i b k ->
  out realized (noiseless R (fun D => h (told D))) (both i a k) =1 out realized (noiseless R (fun D => h (told D))) (both i b k).
Proof.
have [e|e|e] : [\/ i = rec0, i = rec1 | i = rec2].
- by case: i => [[|[|[|//]]] Hi]; [apply: Or31 | apply: Or32 | apply: Or33]; apply: val_inj.
- by move=> ne; exfalso; move: ne; rewrite e eqxx.
- rewrite e => _ /compatible_made[p ->] /compatible_made[p' ->].
  exact (out_permuted h p.2.2 p'.2.2 k).
rewrite e => _ /compatible_made[p ->] /compatible_made[p' ->].
exact (out_face h (p.2.2 p.2.1) (p'.2.2 p'.2.1) k).
Qed.

End Realized.

(** For all laws [P] of an output, given a secret bit and what is known, and every law [omega] of what is
    known, there are a world and a mechanism [f] without noise, such that what is known is
    independent of a record [i], which tells the secret; given this record and what is known,
    every part [h] of the output has the law that [P] says; and no part of it says anything of another record.
    All knowledge is compatible with all values of each record, as section 3 assumes. *)
Theorem realize (R : realFieldType) (B O : finType) (omega : B -> R) (P : bool -> B -> O -> R) (k0 : B) (o0 : O) :
  law omega -> (forall s, kernel (P s)) ->
  exists (T : finType) (w : world R 3 T B) (i : 'I_3) (secret : bool -> T) (f : 3.-tuple T -> O),
  [/\ forall j, all_compatible w j,
      forall s k, chance w (both i (secret s) k) = 2%:R^-1 * omega k,
      forall a k, compatible w i a k -> exists s, a = secret s,
      forall (U : finType) (h : O -> U) s k, omega k != 0 ->
        out w (noiseless R (fun D => h (f D))) (both i (secret s) k) =1 push h (P s k)
    & forall (U : finType) (h : O -> U) j a b k, j != i -> compatible w j a k -> compatible w j b k ->
        out w (noiseless R (fun D => h (f D))) (both j a k) =1 out w (noiseless R (fun D => h (f D))) (both j b k)].
Proof.
move=> lo lP; pose x0 : coin B O := (k0, (o0, o0)).
exists _, (realized lo lP x0), rec0, (secret_is x0), (@told B O); split.
- exact: realized_compatible.
- exact: chance_secret.
- move=> a k; exact: secret_only.
- move=> U h s k; exact: out_secret.
move=> U h j a b k; exact: out_other.
Qed.
