(** * Section 3.5: Proposition 6, mechanisms that are reducible *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From pkdp Require Import divergence worlds computing attackers counterexamples independent.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** Two functions that tell apart the same arguments are one and the same, but for a
    renaming of all values. *)
Lemma renaming (X O : finType) (f g : X -> O) : (forall x y, f x = f y <-> g x = g y) ->
  exists phi : O -> O, bijective phi /\ forall x, phi (f x) = g x.
Proof.
move=> fg; pose A := [set f x | x in X]; pose C := [set g x | x in X].
pose h o := if [pick x | f x == o] is Some x then g x else o.
have hf x : h (f x) = g x.
  by rewrite /h; case: pickP => [y /eqP/fg //|/(_ x)]; rewrite eqxx.
have hinj : {in A &, injective h}.
  by move=> _ _ /imsetP[x _ ->] /imsetP[y _ ->]; rewrite !hf => /fg.
have imh : C = [set h o | o in A].
  apply/setP => o; apply/imsetP/imsetP => [[x _ ->]|[_ /imsetP[x _ ->] ->]].
    by exists (f x); rewrite ?imset_f ?hf.
  by exists x; rewrite ?hf.
have card_eq : #|~: A| = #|~: C|.
  by apply/eqP; rewrite -(eqn_add2l #|A|) cardsC [X in (X + _)%N](_ : _ = #|C|) ?cardsC // imh card_in_imset.
pose phi o := if o \in A then h o else nth o (enum (~: C)) (index o (enum (~: A))).
have out_C o : o \notin A -> phi o \notin C.
  move=> oA; rewrite /phi (negPf oA).
  have : nth o (enum (~: C)) (index o (enum (~: A))) \in enum (~: C).
    by rewrite mem_nth // -cardE -card_eq cardE index_mem mem_enum inE oA.
  by rewrite mem_enum inE.
have in_C o : o \in A -> phi o \in C by move=> oA; rewrite /phi oA imh imset_f.
exists phi; split; last by move=> x; rewrite /phi imset_f // hf.
apply: injF_bij => x y e.
case xA: (x \in A); case yA: (y \in A).
- by move: e; rewrite /phi xA yA; apply: hinj.
- by have := out_C y (negbT yA); rewrite -e in_C.
- by have := out_C x (negbT xA); rewrite e in_C.
have lt o : (o \in A) = false -> (index o (enum (~: A)) < size (enum (~: C)))%N.
  by move=> oA; rewrite -cardE -card_eq cardE index_mem mem_enum inE oA.
have e2 : nth x (enum (~: C)) (index x (enum (~: A))) = nth x (enum (~: C)) (index y (enum (~: A))).
  by move: e; rewrite /phi xA yA => ->; apply: set_nth_default; exact: lt.
move/eqP: e2; rewrite nth_uniq ?enum_uniq ?lt // => /eqP e2.
have xE : x \in enum (~: A) by rewrite mem_enum inE xA.
have yE : y \in enum (~: A) by rewrite mem_enum inE yA.
by rewrite -(nth_index x xE) e2 nth_index.
Qed.

Section Reducible.
Variables (R : realFieldType) (n : nat) (T O : finType) (p : 'I_n -> T -> R).
Hypothesis lp : forall j, law (p j).
Notation database := (n.-tuple T).
Variable K : {set 'I_n}.

(** What the attacker knows of a database: the records in [K]. *)
Definition known_records (D : database) : {ffun 'I_n -> option T} :=
  [ffun j => if j \in K then Some (tnth D j) else None].

(** The world of independent records, of which those in [K] are known. *)
Lemma knowing_law : law (fun x : database * {ffun 'I_n -> option T} => if x.2 == known_records x.1 then product p x.1 else 0).
Proof.
have [p0 p1] := product_law lp; split=> [x|]; first by case: ifP.
rewrite -(pair_bigA _ (fun D k => if k == known_records D then product p D else 0)) /= -p1.
by apply: eq_bigr => D _; rewrite -big_mkcond big_pred1_eq.
Qed.
Definition knowing := World _ knowing_law.

(** The database [x] with the records in [K] taken from [z]. *)
Definition with_known (x z : database) : database := [tuple if j \in K then tnth z j else tnth x j | j < n].

(** The output tells apart two databases with the same known records or not, whatever
    the known records are. *)
Definition exchangeable (f : database -> O) := forall x y z z',
  f (with_known x z) = f (with_known y z) -> f (with_known x z') = f (with_known y z').

Lemma with_known_id D : with_known D D = D.
Proof. by apply: eq_from_tnth => j; rewrite tnth_mktuple if_same. Qed.

Lemma known_with x z : known_records (with_known x z) = known_records z.
Proof. by apply/ffunP => j; rewrite !ffunE tnth_mktuple; case: (j \in K). Qed.

Lemma with_known_eq x z z' : known_records z = known_records z' -> with_known x z = with_known x z'.
Proof.
move=> /ffunP e; apply: eq_from_tnth => j; rewrite !tnth_mktuple.
by have := e j; rewrite !ffunE; case: (j \in K) => // -[].
Qed.

Lemma with_with x y z : with_known (with_known x y) z = with_known x z.
Proof. by apply: eq_from_tnth => j; rewrite !tnth_mktuple; case: (j \in K). Qed.

(** Proposition 6, its core: with independent records, of which fixed ones are known, a
    noiseless mechanism is reducible at every other record if its output is
    exchangeable in this sense. *)
Theorem prop_6_exchangeable (f : database -> O) i : i \notin K -> exchangeable f ->
  reducible_at knowing i (noiseless R f).
Proof.
move=> iK ex k1 k2 n1 n2.
have witness k : chance knowing (knows k) != 0 -> exists2 z, k = known_records z & product p z != 0.
  rewrite chance_knows => nz; have : [exists D, (k == known_records D) && (product p D != 0)].
    apply: contraR nz; rewrite negb_exists => /forallP none; rewrite big1 // => D _ /=.
    by case: eqP => // /eqP kD; move: (none D); rewrite kD /= negbK => /eqP.
  by move=> /existsP[z /andP[/eqP kz nzz]]; exists z.
have [z1 e1 nz1] := witness k1 n1; have [z2 e2 nz2] := witness k2 n2.
have fg x y : f (with_known x z1) = f (with_known y z1) <-> f (with_known x z2) = f (with_known y z2).
  by split; exact: ex.
have [phi [bij phiE]] := renaming fg; exists phi; split=> // a a1 a2 t.
pose r z := \prod_(j in K) p j (tnth z j).
have r0 z : product p z != 0 -> r z != 0.
  by rewrite /product (bigID (mem K)) /= mulf_eq0 negb_or => /andP[].
pose rest (D : database) := \prod_(j | j \notin K) p j (tnth D j).
have massE D z : product p (with_known D z) = r z * rest D.
  rewrite /product (bigID (mem K)) /=; congr (_ * _); apply: eq_bigr => j jK; rewrite tnth_mktuple ?jK //.
  by rewrite (negPf jK).
have sumE (F : database -> R) z k : k = known_records z ->
    \sum_(D : database | tnth D i == a) knowing (D, k) * F D =
    r z * \sum_(D : database | (tnth D i == a) && (known_records D == k)) rest D * F D.
  move=> kz; rewrite mulr_sumr [LHS]big_mkcond [RHS]big_mkcond /=; apply: eq_bigr => D _.
  case: (tnth D i == a) => //=; rewrite [k == _]eq_sym; case: eqP => [e|_]; last by rewrite mul0r.
  by rewrite mulrA -massE (with_known_eq D (_ : known_records z = known_records D)) ?with_known_id // -kz e.
have move_sum (F G : database -> R) : (forall D, known_records D = k1 -> F D = G (with_known D z2)) ->
    \sum_(D : database | (tnth D i == a) && (known_records D == k1)) rest D * F D =
    \sum_(D : database | (tnth D i == a) && (known_records D == k2)) rest D * G D.
  move=> FG; rewrite [RHS](reindex_onto (fun D => with_known D z2) (fun D => with_known D z1)) /=; last first.
    move=> D /andP[_ /eqP kD]; rewrite with_with (with_known_eq D (_ : _ = known_records D)) ?with_known_id //.
    by rewrite -e2 kD.
  apply: eq_big => [D|D /andP[_ /eqP kD]].
    rewrite tnth_mktuple (negPf iK) known_with -e2 eqxx andbT with_with; congr (_ && _).
    apply/eqP/eqP => [e|<-]; last by rewrite known_with.
    by rewrite (with_known_eq D (_ : _ = known_records D)) ?with_known_id // -e1 e.
  rewrite (FG D kD); congr (_ * _); apply: eq_bigr => j /negPf jK.
  by rewrite tnth_mktuple jK.
have one (F : database -> R) k : \sum_(D : database | tnth D i == a) knowing (D, k) = \sum_(D : database | tnth D i == a) knowing (D, k) * 1.
  by apply: eq_bigr => D _; rewrite mulr1.
rewrite /out !chance_out_both !chance_both !(one (fun=> 0)).
rewrite (sumE _ z1 k1 e1) (sumE _ z2 k2 e2) (sumE (fun=> 1) z1 k1 e1) (sumE (fun=> 1) z2 k2 e2).
rewrite (move_sum (fun D => noiseless R f D t) (fun D => noiseless R f D (phi t))) => [|D kD]; last first.
  rewrite /= /sure -(phiE D) -(with_known_eq D (_ : known_records D = known_records z1)) ?kD // with_known_id.
  by rewrite (bij_eq bij).
rewrite (move_sum (fun=> 1) (fun=> 1)) //.
set X := \sum_(D | _) _; set Y := \sum_(D | _) _.
by rewrite -!mulf_div !divff ?r0.
Qed.

(** Proposition 6 for sums: mechanisms whose output is, one to one, a sum of a
    function of each record, with values in any commutative group. So for counting
    queries (the integers, 1 for the records counted), linear queries and the
    arithmetic mean (numbers, weight times record), the harmonic mean (inverses)
    and the quadratic mean of positive records (squares). *)
Theorem prop_6_sums (G : zmodType) (v : 'I_n -> T -> G) (f : database -> O) i : i \notin K ->
  (forall D D', f D = f D' <-> \sum_j v j (tnth D j) = \sum_j v j (tnth D' j)) ->
  reducible_at knowing i (noiseless R f).
Proof.
move=> iK fE; apply: prop_6_exchangeable => // x y z z'.
have split_sum u s : \sum_j v j (tnth (with_known u s) j) = \sum_(j in K) v j (tnth s j) + \sum_(j | j \notin K) v j (tnth u j).
  rewrite (bigID (mem K)) /=; congr (_ + _); apply: eq_bigr => j jK; rewrite tnth_mktuple ?jK //.
  by rewrite (negPf jK).
by rewrite !fE !split_sum => /addrI ->.
Qed.

(** Proposition 6 for products: the geometric mean, where no factor is 0. *)
Theorem prop_6_products (F : fieldType) (v : 'I_n -> T -> F) (f : database -> O) i : i \notin K ->
  (forall j a, v j a != 0) ->
  (forall D D', f D = f D' <-> \prod_j v j (tnth D j) = \prod_j v j (tnth D' j)) ->
  reducible_at knowing i (noiseless R f).
Proof.
move=> iK v0 fE; apply: prop_6_exchangeable => // x y z z'.
have split_prod u s : \prod_j v j (tnth (with_known u s) j) = \prod_(j in K) v j (tnth s j) * \prod_(j | j \notin K) v j (tnth u j).
  rewrite (bigID (mem K)) /=; congr (_ * _); apply: eq_bigr => j jK; rewrite tnth_mktuple ?jK //.
  by rewrite (negPf jK).
rewrite !fE !split_prod => /(mulfI (_ : \prod_(j in K) v j (tnth z j) != 0)) -> //.
by apply/prodf_neq0 => j _.
Qed.

(** ** Theorem 2 and Proposition 6 together *)

Lemma known_records_put D j a : j \notin K -> known_records (put D j a) = known_records D.
Proof. by move=> /negPf jK; apply/ffunP => l; rewrite !ffunE tnth_put; case: eqP => // ->; rewrite jK. Qed.

Lemma knowing_neq0 x : knowing x != 0 -> x.2 = known_records x.1 /\ product p x.1 != 0.
Proof. by rewrite /=; case: (x.2 =P _) => [-> //|_]; rewrite eqxx. Qed.

Lemma knowing_event (A : pred (database * {ffun 'I_n -> option T})) : chance knowing A != 0 ->
  exists2 D, A (D, known_records D) & product p D != 0.
Proof.
move=> nz; have /existsP[x /andP[Ax /knowing_neq0[xk px]]] : [exists x, A x && (knowing x != 0)].
  apply: contraR nz; rewrite negb_exists => /forallP none; rewrite /chance big1 // => x Ax.
  by have := none x; rewrite Ax negbK => /eqP.
by exists x.1; rewrite // -xk -surjective_pairing.
Qed.

Lemma knowing_possible (A : pred (database * {ffun 'I_n -> option T})) D : A (D, known_records D) -> product p D != 0 ->
  chance knowing A != 0.
Proof.
move=> AD pD; rewrite -chance_gt0 /chance (bigD1 (D, known_records D)) //=; apply: ltr_paddr.
  by apply: sumr_ge0 => x _; exact: (weight_ge0 knowing).
by rewrite eqxx lt_neqAle eq_sym pD (law_ge0 _ (product_law lp)).
Qed.

(** With independent records, of which those in [K] are known, all knowledge is compatible with all values of
    every other record: so each of these is a target for which section 3 makes sense. *)
Theorem unknown_compatible i : i \notin K -> all_compatible knowing i.
Proof.
move=> iK a k /knowing_event[D /eqP Da pD] /knowing_event[z /eqP zk pz].
apply: (@knowing_possible _ (put z i a)); first by rewrite /both /= tnth_put !eqxx known_records_put // -zk eqxx.
rewrite /product; apply/prodf_neq0 => j _; rewrite tnth_put; case: (j =P i) => [->|_]; last exact: product_neq0 pz.
by rewrite -[a]Da; exact: product_neq0 pD.
Qed.

(** A known record is no such target: if it can be [a] and [b], not all knowledge is compatible with both. *)
Theorem known_not_compatible j a b : j \in K -> a != b -> chance knowing (record_is j a) != 0 ->
  chance knowing (record_is j b) != 0 -> ~ all_compatible knowing j.
Proof.
move=> jK ab a0 b0 comp; have [D /eqP Da pD] := knowing_event a0.
have k0 : chance knowing (knows (known_records D)) != 0 by apply: (@knowing_possible _ D); rewrite /knows ?eqxx.
have [z /andP[/= /eqP zb /eqP e] _] := knowing_event (comp b _ b0 k0).
move/ffunP: e => /(_ j); rewrite !ffunE jK Da zb => -[ba].
by rewrite ba eqxx in ab.
Qed.

(** Nor is there any passive guarantee for it: no mechanism is (epsilon, delta)-PPKDP at a known record
    that can be [a] and [b] with a delta below 1, not even one that says nothing. *)
Theorem known_not_private (M : mechanism R n T O) j a b E d : j \in K -> a != b -> chance knowing (record_is j a) != 0 ->
  chance knowing (record_is j b) != 0 -> PPK_at knowing j E d M -> 1 <= d.
Proof.
move=> jK ab a0 b0 /(_ a b a0 b0); rewrite thm_1_mean -(knowledge_given_sum a0).
congr (_ <= _); apply: eq_bigr => k _.
have [z|ak] := eqVneq (chance knowing (both j a k)) 0; first by rewrite /knowledge_given z !mul0r.
have bk : chance knowing (both j b k) = 0.
  apply/eqP; apply: contraT => /knowing_event[z /andP[/= /eqP zb /eqP zk] _].
  have [y /andP[/= /eqP ya /eqP yk] _] := knowing_event ak.
  move: yk; rewrite -zk => /ffunP/(_ j); rewrite !ffunE jK ya zb => -[e].
  by rewrite e eqxx in ab.
rewrite -[RHS]mulr1; congr (_ * _); rewrite -(law_sum (out_law (run_kernel M) ak)); apply/esym.
by apply: eq_bigr => t _; rewrite [X in _ * (X / _)]/out bk invr0 mulr0 mul0r mulr0 subr0 (elimT max_idPr) ?ler01 ?mulr1.
Qed.

(** The family of this world, with the records that are not known as targets. *)
Definition unknown_targets : family R n T [finType of {ffun 'I_n -> option T}] := fun w i => w = knowing /\ i \notin K.

(** Theorem 2 with Proposition 6: with independent records, of which those in [K] are known, a mechanism whose
    output is, one to one, a sum of a function of each record is (epsilon, delta)-APKDP for the other
    records if and only if it is (epsilon, delta)-PPKDP for them. *)
Theorem thm_2_sums (G : zmodType) (v : 'I_n -> T -> G) (f : database -> O) E d : 0 <= E -> 0 <= d ->
  (forall D D', f D = f D' <-> \sum_j v j (tnth D j) = \sum_j v j (tnth D' j)) ->
  APK unknown_targets E d (noiseless R f) <-> PPK unknown_targets E d (noiseless R f).
Proof.
move=> E0 d0 fE; apply: thm_2 => // w i [-> iK]; first exact: unknown_compatible.
exact: prop_6_sums fE.
Qed.

End Reducible.

(** Theorem 2 with Proposition 6, for counting queries: how many of the records have a property [S]. *)
Corollary thm_2_counts (R : realFieldType) n (T : finType) (p : 'I_n -> T -> R) (lp : forall j, law (p j)) (K : {set 'I_n})
    (S : pred T) (E d : R) (count_S := fun D : n.-tuple T => inord (count S D) : 'I_n.+1) : 0 <= E -> 0 <= d ->
  APK (unknown_targets lp K) E d (noiseless R count_S) <-> PPK (unknown_targets lp K) E d (noiseless R count_S).
Proof.
move=> E0 d0; apply: (@thm_2_sums R n T _ p lp K [zmodType of int] (fun _ a => (S a)%:R)) => // D D'.
have lt (C : n.-tuple T) : (count S C < n.+1)%N by rewrite ltnS -{2}(size_tuple C) count_size.
have sumE (C : n.-tuple T) : \sum_j (S (tnth C j))%:R = (count S C)%:Z.
  by rewrite -natr_sum natz -sumn_count sumnE big_map big_tuple.
rewrite !sumE; split=> [/(congr1 val)|[e]]; last by rewrite /count_S e.
by rewrite /count_S /= !inordK // => ->.
Qed.
