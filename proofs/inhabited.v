(** * The hypotheses can be satisfied

    For each theorem that the ledger cites and that has a hypothesis on the family, the
    knowledge or the mechanism, a lemma that something satisfies all its hypotheses. Most of them are
    about three fair bits, of which the attacker knows the last, and their parity. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From pkdp Require Import divergence worlds computing criterion attackers knowledge background composition chained.
From pkdp Require Import correlated equivalence example_6 independent reducible.
From pkdp Require Import histogram k_anonymity rare_values blanket known_records thresholds.
From pkdp Require Import sequential sequential_examples sequential_tight mechanisms hypotheses.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Witnesses.
Variable R : realFieldType.

(** Three fair bits; the attacker knows the last. *)
Definition bits : seq bool := [:: false; true].
Definition trio_list : seq (nat * (3.-tuple bool * bool)) :=
  flatten [seq flatten [seq [seq (1%N, ([tuple a; b; c], c)) | c <- bits] | b <- bits] | a <- bits].
Definition trio := @listed R 3 bool_finType bool_finType trio_list isT.
(** The first record, which is a target, the second, which the attacker does not know either, and the third. *)
Definition target : 'I_3 := ord0.
Definition other : 'I_3 := Ordinal (isT : 1 < 3)%N.
Definition known : 'I_3 := Ordinal (isT : 2 < 3)%N.
Lemma unknown : target != known. Proof. by []. Qed.
(** The family of this world, with the two other records as targets. *)
Definition two_targets : family R 3 bool_finType bool_finType := fun w i => w = trio /\ i != known.
(** Whether the number of 1s is odd. *)
Definition odd_ones := noiseless R (@parity 3).

Lemma trio_possible i a k : i != known -> compatible trio i a k.
Proof. by rewrite /compatible chance_listed_neq0; case: i => [[|[|[|//]]] Hi]; case: a; case: k. Qed.
Lemma trio_varied i : i != known -> varied trio i.
Proof. by move=> ik; exists true, false, true; split=> //; exact: trio_possible. Qed.
Lemma trio_compatible i : i != known -> all_compatible trio i.
Proof. by move=> ik a k _ _; exact: trio_possible. Qed.
Lemma targets_varied : exists w i, two_targets w i /\ varied w i.
Proof. by exists trio, target; split=> //; exact: trio_varied. Qed.
Lemma targets_compatible w i : two_targets w i -> all_compatible w i.
Proof. by case=> -> ik; exact: trio_compatible. Qed.

Lemma trio_NP i : i != known -> NP_at trio i 1 0 odd_ones.
Proof.
by move=> ik; apply: NP_perfect => // a b k t; case: i ik => [[|[|[|//]]] Hi] //; case: a; case: b; case: k; case: t; vm_compute.
Qed.
Lemma trio_CDP i : i != known -> CDP_at trio i 1 0 odd_ones.
Proof.
by move=> ik; apply: CDP_perfect => // a b k t; case: i ik => [[|[|[|//]]] Hi] //; case: a; case: b; case: k; case: t; vm_compute.
Qed.
Lemma trio_APK i : i != known -> APK_at trio i 1 0 odd_ones.
Proof. by move=> ik; apply/(claim_apk_forms _ _ _ _ ler01); exact: trio_NP. Qed.
Lemma trio_PPK i : i != known -> PPK_at trio i 1 0 odd_ones.
Proof. by move=> ik; apply: (thm_1_active_passive (trio_compatible ik) ler01 (lexx 0)); exact: trio_APK. Qed.
Lemma targets_APK : APK two_targets 1 0 odd_ones.
Proof. by move=> w i [-> ik]; exact: trio_APK. Qed.
Lemma targets_PPK : PPK two_targets 1 0 odd_ones.
Proof. by move=> w i [-> ik]; exact: trio_PPK. Qed.

Lemma trio_reducible i : i != known -> reducible_at trio i odd_ones.
Proof.
move=> ik k1 k2 _ _; exists id; split; first by exists id.
move=> a _ _ t; rewrite !out_noiseless; apply: eq_quotient; move: ik; case: i => [[|[|[|//]]] Hi] //;
by case: a; case: k1; case: k2; case: t; vm_compute.
Qed.

Lemma trio_weight D k : trio (D, k) = (tnth D known == k)%:R / 8%:R.
Proof.
rewrite /=; congr (_%:R / _); case: D => [[|x [|y [|z [|]]]] hs] //; move: hs.
by case: x; case: y; case: z; case: k => hs; vm_compute.
Qed.

Lemma trio_mutually_independent k : mutually_independent trio k.
Proof.
have counts (D : 3.-tuple bool) : [/\ total (both target (tnth D target) k) trio_list = 2%N,
    total (both other (tnth D other) k) trio_list = 2%N & total (both known (tnth D known) k) trio_list = ((tnth D known == k) * 4)%N].
  case: D => [[|x [|y [|z [|]]]] hs] //; move: hs.
  by case: x; case: y; case: z; case: k => hs; vm_compute.
have [all8 knows4] : total xpredT trio_list = 8%N /\ total (knows k) trio_list = 4%N by case: k {counts}; vm_compute.
move=> D; have [c1 c2 c3] := counts D; rewrite !big_ord_recl big_ord0 -/target.
have -> : lift ord0 ord0 = other by exact: val_inj.
have -> : lift ord0 (lift ord0 ord0) = known by exact: val_inj.
rewrite trio_weight !chance_listed c1 c2 c3 knows4 all8 natrM.
by move: (nat_of_bool _)%:R => y; field.
Qed.
Lemma trio_independent i k : independent_of_others trio i k.
Proof.
by apply: mutually_independent_of_others; [rewrite chance_listed_neq0; case: k | exact: trio_mutually_independent].
Qed.

Lemma response_law : kernel (response R).
Proof.
move=> b; split=> [t|]; first by rewrite thesis_claim_rr_25_75 divr_ge0 ?ler0n //; case: (t == b); rewrite ler0n.
by rewrite big_bool !thesis_claim_rr_25_75; case: b => /=; field.
Qed.

Lemma coins_varied i : varied (coins R) i.
Proof.
by exists true, false, tt; split=> //; rewrite /compatible chance_listed_neq0; case: i => [[|[|//]] Hi].
Qed.
End Witnesses.

(** ** Section 3 *)

Lemma claim_no_knowledge_same_inhabited : satisfiable (@claim_no_knowledge_same).
Proof.
move=> R; exists 2%N, bool_finType, unit_finType, bool_finType, (coins R), rec0, 1, 0, (hidden R), tt.
by unshelve eexists; [case | exists ler01; exact: coins_varied].
Qed.

Lemma claim_same_loss_inhabited : satisfiable (@claim_same_loss).
Proof.
move=> R; exists 3%N, bool_finType, bool_finType, bool_finType, (trio R), target, (odd_ones R), true, false, true, false, 1.
exists (trio_reducible unknown), (trio_possible _ _ _ unknown), (trio_possible _ _ _ unknown), (trio_possible _ _ _ unknown), (trio_possible _ _ _ unknown).
exact: trio_varied.
Qed.

Lemma thm_1_inhabited : satisfiable (@thm_1).
Proof.
move=> R; exists 3%N, bool_finType, bool_finType, bool_finType, (@two_targets R), 1, (odd_ones R), ler01, (@targets_compatible R).
split; last exact: targets_varied.
  by exists (trio R), target; unshelve eexists; [split | exists true, false; exact: targets_varied].
by exists 0, (lexx 0), (@targets_APK R); exact: targets_varied.
Qed.

Lemma thm_1_without_delta_inhabited : satisfiable (@thm_1_without_delta).
Proof.
move=> R; exists 3%N, bool_finType, bool_finType, bool_finType, (trio R), target, 1, (odd_ones R).
by exists (trio_compatible unknown), ler01; exact: trio_varied.
Qed.

Lemma thm_2_inhabited : satisfiable (@thm_2).
Proof.
move=> R; exists 3%N, bool_finType, bool_finType, bool_finType, (@two_targets R), 1, 0, (odd_ones R), ler01, (lexx 0), (@targets_compatible R).
by unshelve eexists; [move=> w i [-> ik]; exact: trio_reducible | exact: targets_varied].
Qed.

Lemma prop_5_active_inhabited : satisfiable (@prop_5_active).
Proof.
move=> R; exists 3%N, bool_finType, bool_finType, bool_finType, bool_finType, (@two_targets R), 1, 0, ler01; split.
  by exists (odd_ones R), (response R), (@response_law R), (@targets_APK R); exact: targets_varied.
exists 1; unshelve eexists; first by rewrite ler01 lexx.
by exists (odd_ones R), (odd_ones R), (@targets_APK R), (@targets_APK R); exact: targets_varied.
Qed.

Lemma prop_5_passive_inhabited : satisfiable (@prop_5_passive).
Proof.
move=> R; exists 3%N, bool_finType, bool_finType, bool_finType, bool_finType, (@two_targets R), 1, 0, ler01; split.
  by exists (odd_ones R), (response R), (@response_law R), (@targets_PPK R); exact: targets_varied.
exists 1; unshelve eexists; first by rewrite ler01 lexx.
by exists (odd_ones R), (odd_ones R), (@targets_PPK R), (@targets_PPK R); exact: targets_varied.
Qed.

Lemma claim_thus_ppkdp_inhabited : satisfiable (@claim_thus_ppkdp).
Proof.
move=> R; exists 2%N, bool_finType, unit_finType, bool_finType, (coins R), rec0, 1, 0, (hidden R), tt.
unshelve eexists; first by case.
exists ler01; have [apk _ _] := claim_composition_fails (ler01 : (0 : R) <= 1) ltr01.
by exists apk; exact: coins_varied.
Qed.

Lemma claim_worst_case_inhabited : satisfiable (@claim_worst_case).
Proof.
move=> R; exists 3%N, bool_finType, bool_finType, bool_finType, (trio R), target, 1, (odd_ones R).
by exists (trio_compatible unknown), ler01; exact: trio_varied.
Qed.

Lemma published_knowledge_inhabited : satisfiable (@published_knowledge).
Proof.
move=> R; exists 3%N, bool_finType, bool_finType, bool_finType, (trio R), target, 1, 0, (odd_ones R), ler01.
unshelve eexists; last exact: trio_varied.
move=> a k; rewrite !chance_listed mulf_div -!natrM; apply: eq_quotient => //.
by case: a; case: k; vm_compute.
Qed.

Lemma thesis_claim_trivial_inhabited : satisfiable (@thesis_claim_trivial).
Proof. by exists bool, 2%N, bool_eqType, (fun=> true), (fun D i b => erefl), [tuple true; true], [tuple false; true]. Qed.

Lemma thesis_claim_randomised_trivial_inhabited : satisfiable (@thesis_claim_randomised_trivial).
Proof.
by move=> R; exists bool_finType, 2%N, bool_eqType, (fun=> response R true), (fun D i b => frefl _), [tuple true; true], [tuple false; true].
Qed.

Lemma chain_passive_worlds_inhabited : satisfiable (@chain_passive_worlds).
Proof.
move=> R; exists 3%N, bool_finType, bool_finType, bool_finType, bool_finType, (@two_targets R), (odd_ones R).
exists (response R), (response_law R), 1, 1, 0, (@targets_compatible R), (lexx 1), ler01.
unshelve eexists; first by move=> x y; exact: (hs_le1 ler01 (response_law R x) (response_law R y)).
by exists (@targets_PPK R); exact: targets_varied.
Qed.

(** ** Section 2 *)

Section Acceptable.
Variable R : realFieldType.
Lemma surely : 0 <= (1 : R) <= 1. Proof. by rewrite ler01 lexx. Qed.
(** Two pairs of equal voters; the attacker knows the second pair. *)
Definition voters := two_pairs surely.
Lemma voters_varied : varied voters voter.
Proof.
exists true, false, (true, true); rewrite /compatible !chance_voter.
by split=> //; rewrite /couple_law /= !mulf_neq0 ?invr_eq0 ?pnatr_eq0 ?oner_neq0.
Qed.
End Acceptable.

Lemma acceptable_independent_inhabited : satisfiable (@acceptable_independent).
Proof.
move=> R; exists 4%N, bool_finType, couple, (voters R), voter, true, (true, true).
by exists (two_pairs_acceptable (surely R)); exact: voters_varied.
Qed.

Lemma claim_compatible_inhabited : satisfiable (@claim_compatible).
Proof.
move=> R; exists 4%N, bool_finType, couple, (voters R), voter.
by exists (two_pairs_acceptable (surely R)); exact: voters_varied.
Qed.

Lemma twins_varied (R : realFieldType) i : varied (twins R) i.
Proof.
by exists true, false, tt; split=> //; rewrite /compatible chance_listed_neq0; case: i => [[|[|//]] Hi].
Qed.

Lemma ex_2_inhabited : satisfiable (@ex_2).
Proof.
move=> R; exists 2%N, bool_finType, unit_finType, (only (twins R)), twin, twin_neq, (@twins_equal R), (twins R), rec0.
by split=> //; exact: twins_varied.
Qed.

Lemma cdp_ddp_inhabited : satisfiable (@cdp_ddp).
Proof.
move=> R; exists 3%N, bool_finType, bool_finType, bool_finType, (@two_targets R), (odd_ones R), 1, 0, (fun=> true).
unshelve eexists; first by move=> w i [-> ik] a k _; exact: trio_possible.
by unshelve eexists; [move=> w i [-> ik]; exact: trio_CDP | exact: targets_varied].
Qed.

Lemma corrected_equivalence_inhabited : satisfiable (@corrected_equivalence).
Proof.
move=> R; exists 3%N, bool_finType, bool_finType, bool_finType, (trio R), target, (odd_ones R), 1, 0.
by unshelve eexists; [move=> k _; exact: trio_independent | exact: trio_varied].
Qed.

Lemma dp_cdp_inhabited : satisfiable (@dp_cdp).
Proof.
move=> R; exists 2%N, bool_finType, unit_finType, bool_finType, (only (coins R)), (noisy_average R), 3%:R, 0, (ler0n R 3).
unshelve eexists; last by exists (coins R), rec0; split=> //; exact: coins_varied.
have range (D : 2.-tuple bool) t : (0 < noisy_weights D t <= 3)%N.
  have : (count id D <= 2)%N by rewrite -[X in (_ <= X)%N](size_tuple D) count_size.
  by rewrite /noisy_weights; case: t; case: (count id D) => [|[|[|]]].
have close (D D' : 2.-tuple bool) t : noisy_average R D t <= 3%:R * noisy_average R D' t.
  have /andP[_ le] := range D t; have /andP[ge _] := range D' t.
  rewrite !noisyE mulrA ler_pmul2r ?invr_gt0 ?ltr0n // -natrM ler_nat.
  by apply: leq_trans le _; rewrite -[X in (X <= _)%N]muln1 leq_mul2l ge.
by move=> D i b; apply: indist_pointwise.
Qed.

Lemma prop_1_repaired_first_half_inhabited : satisfiable (@prop_1_repaired_first_half).
Proof.
move=> R; exists 3%N, bool_finType, bool_finType, bool_finType, (trio R), target, true, true, (odd_ones R), 1, ler01.
unshelve eexists; first by move=> a ak; apply: trio_CDP => //; exact: trio_possible.
exists true; unshelve eexists; first by rewrite chance_out_noiseless_neq0.
by unshelve eexists; [rewrite chance_out_noiseless_replaced_neq0 | exact: trio_varied].
Qed.

Lemma prop_1_repaired_second_half_inhabited : satisfiable (@prop_1_repaired_second_half).
Proof.
move=> R; exists 3%N, bool_finType, bool_finType, bool_finType, (trio R), target, true, true, (odd_ones R), 1, (lexx 1).
unshelve eexists.
  move=> t; have ib : IBCDP_at (trio R) target 1 0 (odd_ones R); last exact: ib.
  apply: IBCDP_perfect => // a b k u; by case: a; case: b; case: k; case: u; vm_compute.
unshelve eexists; first by move=> t _; rewrite chance_out_noiseless_neq0; case: t.
by exists true, (trio_possible _ _ _ unknown); exact: trio_varied.
Qed.

Lemma prop_2_inhabited : satisfiable (@prop_2).
Proof.
move=> R; exists 3%N, bool_finType, bool_finType, bool_finType, (@two_targets R), (odd_ones R), 1, 0.
by unshelve eexists; [move=> w i [-> _] k _; exact: trio_mutually_independent | exact: targets_varied].
Qed.

Section MoreKnowledge.
Variable R : realFieldType.
(** The three fair bits as parameters. *)
Definition make_trio (v : bool * {ffun 'I_2 -> bool}) : 3.-tuple bool * bool :=
  ([tuple v.1; v.2 ord0; v.2 ord_max], v.2 ord_max).
(** The same bits, and an attacker who knows nothing. *)
Definition less := knowing_less (fun=> tt) (trio R).
Definition make_less (v : bool * {ffun 'I_2 -> bool}) : 3.-tuple bool * unit := ((make_trio v).1, tt).

Lemma fair : law (@coin_law R).
Proof. by split=> [b|]; rewrite /coin_law ?invr_ge0 ?ler0n // big_bool /=; field. Qed.

Lemma two_values (g g' : {ffun 'I_2 -> bool}) : g ord0 = g' ord0 -> g ord_max = g' ord_max -> g = g'.
Proof.
move=> e0 e1; apply/ffunP => -[[|[|//]] Hi].
  by have -> : Ordinal Hi = ord0 by exact: val_inj.
by have -> : Ordinal Hi = ord_max by exact: val_inj.
Qed.

Lemma make_less_inj : injective make_less.
Proof. by move=> [x g] [y h] [-> e0 e1]; rewrite (two_values e0 e1). Qed.
Lemma make_trio_inj : injective make_trio.
Proof. by move=> v v' e; apply: make_less_inj; rewrite /make_less e. Qed.

Lemma trio_pushed : trio R =1 push make_trio (parameters_law (@coin_law R) (fun (_ : 'I_2) => @coin_law R)).
Proof.
have eighth v : parameters_law (@coin_law R) (fun (_ : 'I_2) => @coin_law R) v = 1%:R / 8%:R.
  by rewrite /parameters_law !big_ord_recl big_ord0 /coin_law; field.
move=> [D k]; rewrite trio_weight /push (eq_bigr _ (fun v _ => eighth v)).
pose v0 : bool * {ffun 'I_2 -> bool} := (tnth D target, [ffun j : 'I_2 => if j == ord0 then tnth D other else tnth D known]).
have make0 : make_trio v0 = (D, tnth D known).
  rewrite /make_trio /= !ffunE /=; congr (_, _); apply: eq_from_tnth => j.
  by case: j => [[|[|[|//]]] Hj]; rewrite (tnth_nth true) /=; congr (tnth D _); exact: val_inj.
case: eqP => [<-|ne]; first by rewrite (big_pred1 v0) // => v; rewrite -make0 /= (inj_eq make_trio_inj).
rewrite big_pred0 ?mul0r // => v; apply/eqP => e; apply: ne.
have : make_trio v = (make_trio v) by []. move: e; rewrite {1}/make_trio => -[<- <-] _.
by rewrite (tnth_nth true).
Qed.

Lemma trio_normalized : normalizes (@coin_law R) (fun (_ : 'I_2) => @coin_law R) (trio R) make_trio.
Proof. by split=> [|_||]; [exact: fair | exact: fair | move=> v v' _ _; exact: make_trio_inj | exact: trio_pushed]. Qed.

Lemma less_normalized : normalizes (@coin_law R) (fun (_ : 'I_2) => @coin_law R) less make_less.
Proof.
split=> [|_||x]; [exact: fair | exact: fair | by move=> v v' _ _; exact: make_less_inj |].
rewrite [LHS](_ : _ = push (fun x => (x.1, tt)) (push make_trio (parameters_law (@coin_law R) (fun (_ : 'I_2) => @coin_law R))) x).
  by rewrite push_comp.
by apply: eq_bigr => y _; exact: trio_pushed.
Qed.

Lemma trio_knows_more : more_knowledge_at (trio R) less target.
Proof.
split=> [D|].
  have := sum_less (fun=> tt) (trio R) (fun=> 1) (fun y => y.1 == D); rewrite /chance.
  by under eq_bigr do rewrite mulr1; under [RHS]eq_bigr do rewrite mulr1.
exists bool_finType, bool_finType, 2%N, (@coin_law R), (fun=> @coin_law R), make_trio, make_less, [set ord_max], set0.
split; first split; first exact: trio_normalized.
- by exists id => v _; rewrite (tnth_nth true).
- move=> v v' _ _; split=> [e j|e]; first by rewrite inE => /eqP ->.
  by apply: e; rewrite inE.
split; last by split=> //; exact: sub0set.
split; first exact: less_normalized.
- by exists id => v _; rewrite (tnth_nth true).
by move=> v v' _ _; split=> // _ j; rewrite inE.
Qed.

Lemma less_varied : varied less target.
Proof.
have possible a : compatible less target a tt.
  rewrite /compatible -chance_gt0; apply: lt_le_trans (less_le _ _ target a true); rewrite chance_gt0.
  exact: trio_possible.
by exists true, false, tt.
Qed.
End MoreKnowledge.

Lemma prop_3_inhabited : satisfiable (@prop_3).
Proof.
move=> R; exists 3%N, bool_finType, bool_finType, unit_finType, bool_finType.
exists (fun w i => w = trio R /\ i = target), (fun w i => w = less R /\ i = target), (odd_ones R), 1, 0.
unshelve eexists; first by move=> w i [-> ->]; exists (trio R) => //; exact: trio_knows_more.
exists (lexx 0); unshelve eexists; first by move=> w i [-> ->]; exact: trio_NP.
by exists (less R), target; split=> //; exact: less_varied.
Qed.

Lemma corrected_equivalence_all_targets_inhabited : satisfiable (@corrected_equivalence_all_targets).
Proof.
move=> R; exists 3%N, bool_finType, bool_finType, (trio R).
unshelve eexists.
  by move=> M E _; apply: (proj2 (prop_2 _ _ _ _)) => w i -> k _; exact: trio_mutually_independent.
exists true; unshelve eexists; first by rewrite chance_listed_neq0.
by exists target; exact: trio_varied.
Qed.

Lemma corrected_equivalence_one_target_inhabited : satisfiable (@corrected_equivalence_one_target).
Proof.
move=> R; exists 2%N, bool_finType, unit_finType, (twins R), rec0.
unshelve eexists; last exact: twins_varied.
have possible : chance (twins R) (knows tt) != 0 by rewrite chance_listed_neq0.
move=> /(_ tt possible [tuple true; false]) /eqP; rewrite big_bool.
have impossible : twins R ([tuple true; false], tt) = 0 by rewrite /= mul0r.
have -> : put [tuple true; false] rec0 true = [tuple true; false] by exact: val_inj.
have -> : put [tuple true; false] rec0 false = [tuple false; false] by exact: val_inj.
rewrite impossible mul0r eq_sym mulf_eq0 => /orP[]; apply/negP; first by rewrite chance_listed_neq0.
by rewrite /= add0r mulf_neq0 ?invr_eq0 ?pnatr_eq0.
Qed.

Lemma coins_mutually_independent (R : realFieldType) k : mutually_independent (coins R) k.
Proof.
case: k => D; rewrite !big_ord_recl big_ord0 !chance_listed.
have -> : coins R (D, tt) = 1%:R / 4%:R.
  rewrite /=; congr (_%:R / _); case: D => [[|x [|y [|]]] hs] //; move: hs.
  by case: x; case: y => hs; vm_compute.
have each (i : 'I_2) a : total (both i a tt) coins_list = 2%N by case: i => [[|[|//]] Hi]; case: a; vm_compute.
by rewrite !each (_ : total (knows tt) coins_list = 4%N) //; field.
Qed.

Lemma corrected_equivalence_without_knowledge_inhabited : satisfiable (@corrected_equivalence_without_knowledge).
Proof.
move=> R; exists 2%N, bool_finType, unit_finType, (coins R), tt.
unshelve eexists; first by case.
unshelve eexists; last by exists rec0; exact: coins_varied.
by move=> M E _; apply: (proj1 (prop_2 _ _ _ _)) => w i -> k _; exact: coins_mutually_independent.
Qed.

Lemma two_records_inhabited : satisfiable (@two_records).
Proof.
move=> R; exists bool_finType, unit_finType, bool_finType, (coins R), (hidden R).
unshelve eexists; last by exists rec0; exact: coins_varied.
move=> w i ->; apply: CDP_perfect => // a b k t; case: i => [[|[|//]] Hi];
by case: a; case: b; case: k; case: t; vm_compute.
Qed.

Lemma nothing_known (R : realFieldType) n (T : finType) (w : world R n T bool_finType) i a :
  chance (knowing_less (fun=> tt) w) (both i a tt) = chance w (both i a true) + chance w (both i a false).
Proof. by rewrite chance_less (eq_bigl xpredT) // big_bool. Qed.

Lemma trio_independent_given_less (R : realFieldType) : independent_given_less (fun=> tt) (trio R) target.
Proof.
move=> a k; rewrite -!(sum_record_chance _ target) !big_bool !nothing_known.
have quarter b k' : chance (trio R) (both target b k') = 1%:R / 4%:R.
  by rewrite chance_listed; apply: eq_quotient => //; case: b; case: k'; vm_compute.
by rewrite !quarter /=; field.
Qed.

Lemma sharp_monotone_inhabited : satisfiable (@sharp_monotone).
Proof.
move=> R; exists 3%N, bool_finType, bool_finType, unit_finType, (fun=> tt), (trio R), bool_finType, (odd_ones R), target.
exists (@trio_independent_given_less R), 1, 0, ler01, (lexx 0).
by split; [exists (trio_APK unknown) | exists (trio_PPK unknown)]; exact: trio_varied.
Qed.

Section Near.
Variable R : realFieldType.
(** A fair bit, and another that is equal to it with probability 3/4 and that the attacker knows. *)
Definition near_list : seq (nat * (2.-tuple bool * bool)) :=
  [:: (3%N, ([tuple false; false], false)); (1%N, ([tuple false; true], true));
      (1%N, ([tuple true; false], false)); (3%N, ([tuple true; true], true))].
Definition near := @listed R 2 bool_finType bool_finType near_list isT.

Lemma near_varied : varied near rec0.
Proof. by exists true, false, true; split=> //; rewrite /compatible chance_listed_neq0. Qed.
End Near.

Lemma sharp_monotone_converse_inhabited : satisfiable (@sharp_monotone_converse).
Proof.
move=> R; exists 2%N, bool_finType, bool_finType, unit_finType, (fun=> tt), (near R), (fun D => tnth D rec1), rec0.
unshelve eexists.
  case=> [[[|x [|y [|]]] hs] k] //=; move: hs.
  by case: x; case: y; case: k => hs //; rewrite /total /= mul0r eqxx.
unshelve eexists; last exact: near_varied.
move=> /(_ true true) /eqP; rewrite -!(sum_record_chance _ rec0) !big_bool /= !nothing_known !chance_listed.
rewrite -!mulrDl -!natrD !mulf_div -!natrM eqr_div ?pnatr_eq0 // -!natrM eqr_nat.
by vm_compute.
Qed.

(** ** Proposition 6 *)

Lemma fair_bits (R : realFieldType) (j : 'I_3) : law (@coin_law R). Proof. exact: fair. Qed.

Lemma target_unknown : target \notin [set known]. Proof. by rewrite inE. Qed.

Lemma prop_6_exchangeable_inhabited : satisfiable (@prop_6_exchangeable).
Proof.
move=> R; exists 3%N, bool_finType, bool_finType, (fun=> @coin_law R), (@fair_bits R), [set known].
exists (fun D => tnth D target (+) tnth D known), target, target_unknown.
by unshelve eexists; [move=> x y z z'; rewrite !tnth_mktuple !inE /= => /addIb -> | ].
Qed.

(** How many of three bits are 1. *)
Definition how_many (D : 3.-tuple bool) : 'I_4 := inord (count id D).
Lemma how_manyP D D' : how_many D = how_many D' <-> count id D = count id D'.
Proof.
have lt (C : 3.-tuple bool) : (count id C < 4)%N by rewrite ltnS -[X in (_ <= X)%N](size_tuple C) count_size.
by split=> [/(congr1 val)|e]; [rewrite /how_many /= !inordK | rewrite /how_many e].
Qed.

Lemma prop_6_products_inhabited : satisfiable (@prop_6_products).
Proof.
move=> R; exists 3%N, bool_finType, [finType of 'I_4], (fun=> @coin_law R), (@fair_bits R), [set known].
exists R, (fun _ (a : bool) => 2%:R ^+ a), how_many, target, target_unknown.
unshelve eexists; first by move=> j a; rewrite expf_neq0 ?pnatr_eq0.
unshelve eexists => // D D'; rewrite how_manyP !prodrXr -!count_sum.
split=> [-> //|]; apply: (@ieexprIn R 2%:R (ltr0n R 2)).
by rewrite (eqr_nat R 2 1).
Qed.

Lemma how_many_sum (R : realFieldType) D D' :
  how_many D = how_many D' <-> \sum_j (tnth D j)%:R = \sum_j (tnth D' j)%:R :> R.
Proof.
by rewrite how_manyP -!natr_sum -!count_sum; split=> [-> //|/eqP]; rewrite eqr_nat => /eqP.
Qed.

Lemma prop_6_sums_inhabited : satisfiable (@prop_6_sums).
Proof.
move=> R; exists 3%N, bool_finType, [finType of 'I_4], (fun=> @coin_law R), (@fair_bits R), [set known].
by exists R, (fun _ (a : bool) => a%:R), how_many, target, target_unknown, (@how_many_sum R).
Qed.

Lemma thm_2_sums_inhabited : satisfiable (@thm_2_sums).
Proof.
move=> R; exists 3%N, bool_finType, [finType of 'I_4], (fun=> @coin_law R), (@fair_bits R), [set known].
by exists R, (fun _ (a : bool) => a%:R), how_many, 1, 0, ler01, (lexx 0), (@how_many_sum R).
Qed.

Lemma thm_2_counts_inhabited : satisfiable (@thm_2_counts).
Proof. by move=> R; exists 3%N, bool_finType, (fun=> @coin_law R), (@fair_bits R), [set known], id, 1, 0, ler01, (lexx 0). Qed.

Section KnownBit.
Variable R : realFieldType.
Lemma known_in : known \in [set known]. Proof. by rewrite inE. Qed.
Lemma known_can_be a : chance (knowing (@fair_bits R) [set known]) (record_is known a) != 0.
Proof.
apply: (@knowing_possible R 3 bool_finType _ (@fair_bits R) _ _ [tuple a; a; a]); first by rewrite /record_is (tnth_nth a).
by rewrite /product; apply/prodf_neq0 => j _; rewrite invr_eq0 pnatr_eq0.
Qed.
End KnownBit.

Lemma known_not_compatible_inhabited : satisfiable (@known_not_compatible).
Proof.
move=> R; exists 3%N, bool_finType, (fun=> @coin_law R), (@fair_bits R), [set known], known, true, false, known_in, isT.
by exists (known_can_be R true), (known_can_be R false).
Qed.

Lemma known_not_private_inhabited : satisfiable (@known_not_private).
Proof.
move=> R; exists 3%N, bool_finType, bool_finType, (fun=> @coin_law R), (@fair_bits R), [set known], (odd_ones R), known, true, false, 1, 1.
exists known_in, isT, (known_can_be R true), (known_can_be R false); unshelve eexists => // a b a0 b0.
rewrite thm_1_mean -[X in _ <= X](knowledge_given_sum a0); apply: ler_sum => k _.
rewrite -[X in _ <= X]mulr1; apply: ler_wpmul2l; first exact: knowledge_given_ge0.
have ge0 A t : 0 <= out (knowing (@fair_bits R) [set known]) (odd_ones R) A t by apply: out_ge0; exact: run_kernel.
apply: (@le_trans _ _ (\sum_t out (knowing (@fair_bits R) [set known]) (odd_ones R) (both known a k) t)).
  by apply: ler_sum => t _; rewrite ler_pimulr // le_maxl ler01 ger_addl oppr_le0 mul1r divr_ge0.
have [z|ak] := eqVneq (chance (knowing (@fair_bits R) [set known]) (both known a k)) 0.
  by rewrite big1 ?ler01 // => t _; rewrite /out z invr0 mulr0.
by rewrite (law_sum (out_law (run_kernel (odd_ones R)) ak)).
Qed.

(** ** Composition *)

Section Published.
Variable R : realFieldType.
(** The mechanism that publishes the record of [j]. *)
Definition publish (j : 'I_3) := noiseless R (fun D : 3.-tuple bool => tnth D j).
(** The family of three fair bits, with the first as target. *)
Definition first_only : family R 3 bool_finType bool_finType := fun w i => w = trio R /\ i = target.

Lemma first_varied : exists w i, first_only w i /\ varied w i.
Proof. by exists (trio R), target; split=> //; exact: trio_varied. Qed.

Lemma publish_independent a k x y :
  chance (trio R) (fun z => both target a k z && ((tnth z.1 other == x) && (tnth z.1 known == y))) * chance (trio R) (both target a k) =
  chance (trio R) (fun z => both target a k z && (tnth z.1 other == x)) * chance (trio R) (fun z => both target a k z && (tnth z.1 known == y)).
Proof.
rewrite !chance_listed !mulf_div -!natrM; apply: eq_quotient => //.
by case: a; case: k; case: x; case: y; vm_compute.
Qed.

Lemma publish_bounded : bounded_dependent (@exp_minus_dep_repaired R 3 _ _ _ _) first_only (publish other) (publish known) 1 0.
Proof.
move=> w i [-> ->]; apply: (@prop_9_repaired R 3 _ _ _ _ _ _ (trio R) target (publish other) (publish known)
  (fun D => tnth D other) (fun D => tnth D known) (sure R) (sure R)) => // a k x y _; exact: publish_independent.
Qed.

Lemma publish_APK j : j != target -> APK first_only 1 0 (publish j).
Proof.
move=> jt w i [-> ->]; apply/(claim_apk_forms _ _ _ _ ler01); apply: NP_perfect => // a b k t.
by case: j jt => [[|[|[|//]]] Hj] // _; case: a; case: b; case: k; case: t; vm_compute.
Qed.

Lemma trio_knowledge z : trio R z != 0 -> z.2 = tnth z.1 known.
Proof. by case: z => D k; rewrite trio_weight; case: (tnth D known =P k) => [-> //|_]; rewrite mul0r eqxx. Qed.
End Published.

Lemma prop_9_repaired_inhabited : satisfiable (@prop_9_repaired).
Proof.
move=> R; exists 3%N, bool_finType, bool_finType, bool_finType, bool_finType, bool_finType, bool_finType, (trio R), target.
exists (publish R other), (publish R known), (fun D => tnth D other), (fun D => tnth D known), (sure R), (sure R).
exists (fun D => frefl _), (fun D => frefl _).
by unshelve eexists; [move=> a k x y _; exact: publish_independent | exact: trio_varied].
Qed.

Lemma thm_6_corrected_inhabited : satisfiable (@thm_6_corrected).
Proof.
move=> R; exists 3%N, bool_finType, bool_finType, bool_finType, bool_finType, (@first_only R), (publish R other), (publish R known).
exists 1, 1, 1, 0, 0, 0, ler01, ler01, ler01, (@publish_bounded R).
by unshelve eexists; [exact: publish_APK | unshelve eexists; [exact: publish_APK | exact: first_varied]].
Qed.

Lemma thm_6_guarantee_holds_inhabited : satisfiable (@thm_6_guarantee_holds).
Proof.
move=> R; exists 3%N, bool_finType, bool_finType, bool_finType, bool_finType, (@first_only R), (publish R other), (publish R known).
exists 1, 1, 1, 0, 0, 0, (lexx 1), (lexx 1), (lexx 1), (@publish_bounded R).
by unshelve eexists; [exact: publish_APK | unshelve eexists; [exact: publish_APK | exact: first_varied]].
Qed.

Lemma thm_6_loss_corrected_inhabited : satisfiable (@thm_6_loss_corrected).
Proof.
move=> R; exists 3%N, bool_finType, bool_finType, bool_finType, bool_finType, (trio R), (publish R other), (publish R known), target.
exists true, false, true, (true, true); have possible a : out (trio R) (compose (publish R other) (publish R known)) (both target a true) (true, true) != 0.
  by rewrite out_compose_noiseless out_noiseless mulf_neq0 ?invr_eq0 ?pnatr_eq0 //; case: a.
by exists (possible true), (possible false); exact: trio_varied.
Qed.

Lemma ex_8_inhabited : satisfiable (@ex_8).
Proof.
move=> R; exists 3%N, bool_finType, (trio R), target, true, 1, 0, ler01, ltr01.
exists (trio_possible _ _ _ unknown), (trio_possible _ _ _ unknown); split; first exact: trio_varied.
by unshelve eexists; [move=> k _; exact: trio_independent | exact: trio_varied].
Qed.

Lemma tight_prop_9_split_inhabited : satisfiable (@tight_prop_9_split).
Proof.
move=> R; exists 3%N, bool_finType, bool_finType, [finType of bool * bool], bool_finType, (trio R), target.
exists (fun D => (tnth D target, tnth D known)), (fun D => tnth D other).
unshelve eexists.
  move=> x y; rewrite !chance_listed mulf_div -!natrM; apply: eq_quotient => //.
  by case: x => [[] []]; case: y; vm_compute.
unshelve eexists; last by exists true, true, (true, true), true, (trio_possible _ _ _ unknown); exact: trio_varied.
move=> a k; exists (pred1 (a, k)), predT => z /trio_knowledge e.
by rewrite /both e /= xpair_eqE andbT.
Qed.

(** ** Differential privacy: randomized response, of one bit *)

Section Response.
Variable R : realFieldType.
(** Randomized response, as a mechanism. *)
Definition answers := Randomized (response_law R).
Lemma answers_private : private (fun _ _ : bool => True) 3%:R 0 answers.
Proof. by move=> a b _; exact: (proj1 (thesis_claim_rr_ln_3 R)). Qed.
End Response.

Lemma adaptive_composition_inhabited : satisfiable (@adaptive_composition).
Proof.
move=> R; exists bool, (fun _ _ => True), bool_finType, bool_finType, (answers R), (fun=> answers R), 3%:R, 3%:R, 0, 0.
by exists (ler0n R 3), (ler0n R 3), (lexx 0), (@answers_private R), (fun=> @answers_private R).
Qed.

Lemma composition_inhabited : satisfiable (@mechanisms.composition).
Proof.
move=> R; exists bool, (fun _ _ => True), bool_finType, bool_finType, (answers R), (answers R), 3%:R, 3%:R, 0, 0.
by exists (ler0n R 3), (ler0n R 3), (lexx 0), (@answers_private R), (@answers_private R).
Qed.

Lemma convexity_inhabited : satisfiable (@convexity).
Proof.
move=> R; exists bool, (fun _ _ => True), bool_finType, 1, (surely R), (answers R), (answers R), 3%:R, 0.
by exists (@answers_private R), (@answers_private R).
Qed.

Lemma post_processing_inhabited : satisfiable (@post_processing).
Proof.
move=> R; exists bool, (fun _ _ => True), bool_finType, bool_finType, (answers R), (response R), (response_law R), 3%:R, 0.
by exists (@answers_private R).
Qed.

(** ** The probabilities of two records: of three values, and of bits *)

Section Probabilities.
Variable R : realFieldType.
(** Each of three values with probability 1/3. *)
Definition third : 'I_2 -> 'I_3 -> R := fun _ _ => 3%:R^-1.
Lemma third_law j : law (third j).
Proof. by split=> [a|]; rewrite /third ?invr_ge0 ?ler0n // !big_ord_recl big_ord0; field. Qed.
Lemma third_ge0 : 0 <= (3%:R^-1 : R). Proof. by rewrite invr_ge0 ler0n. Qed.
Lemma third_in : 0 <= (3%:R^-1 : R) <= 1.
Proof. by rewrite third_ge0 invf_le1 ?ltr0n // (ler_nat R 1 3). Qed.
(** These values. *)
Definition low : 'I_3 := ord0.
Definition middle : 'I_3 := Ordinal (isT : 1 < 3)%N.
Definition high : 'I_3 := Ordinal (isT : 2 < 3)%N.

(** Each of two bits is fair; lambda is 1/4. *)
Definition fair_bit : 'I_2 -> R := fun=> 2%:R^-1.
Lemma quarter_ge0 : 0 <= (4%:R^-1 : R). Proof. by rewrite invr_ge0 ler0n. Qed.
Lemma quarter_le : 4%:R^-1 <= 2%:R^-1 :> R. Proof. by rewrite lef_pinv ?posrE ?ltr0n // ler_nat. Qed.
Lemma fair_bit_in j : 4%:R^-1 <= fair_bit j <= 1 - 4%:R^-1.
Proof.
rewrite quarter_le /= -subr_ge0 (_ : _ - _ = 4%:R^-1) ?quarter_ge0 //; by rewrite /fair_bit; field.
Qed.
Lemma fair_bit01 j : 0 <= fair_bit j <= 1.
Proof. by rewrite /fair_bit invr_ge0 ler0n invf_le1 ?ltr0n // (ler_nat R 1 2). Qed.
End Probabilities.

Lemma tight_histogram_inhabited : satisfiable (@tight_histogram).
Proof.
move=> R; exists [finType of 'I_3], 2%N, low, middle, 3%:R^-1, 2%:R, isT.
unshelve eexists; first by rewrite card_ord.
exists (third_ge0 R); unshelve eexists; first by rewrite card_ord mulVf ?pnatr_eq0.
by exists (ler0n R 2); split=> //; exists (@third R), (@third_law R), (fun i c => lexx _).
Qed.

Lemma two_columns_inhabited : satisfiable (@two_columns).
Proof.
move=> R; exists [finType of 'I_3], 2%N, (@third R), low, middle, 3%:R^-1, 2%:R, isT, (@third_law R), (third_ge0 R), (ler0n R 2).
by exists (fun i => lexx _), (fun i => lexx _); split=> //; exists (fun i => erefl), (fun i => erefl), 0.
Qed.

Lemma corrected_thm_5_common_inhabited : satisfiable (@corrected_thm_5_common).
Proof.
move=> R; exists [finType of 'I_3], high, 2%N, 1%N, (@third R), (@third_law R), low, middle, 3%:R^-1, 2%:R.
by exists isT, (third_ge0 R), (ler0n R 2), (fun i => lexx _), (fun i => lexx _).
Qed.

Lemma corrected_thm_5_rare_absent_inhabited : satisfiable (@corrected_thm_5_rare_absent).
Proof.
move=> R; exists [finType of 'I_3], high, 2%N, 1%N, (@third R), (@third_law R), low, 3%:R^-1.
by exists (third_in R), (fun i => lexx _).
Qed.

Lemma corrected_thm_5_rare_common_inhabited : satisfiable (@corrected_thm_5_rare_common).
Proof.
move=> R; exists [finType of 'I_3], high, 2%N, 1%N, (@third R), (@third_law R), low, middle, 3%:R^-1, 3%:R^-1, 1.
exists isT, isT, isT, (third_in R), (third_ge0 R), (lexx 1).
by exists (fun i => lexx _), (fun i => lexx _), (fun i => lexx _).
Qed.

Lemma corrected_thm_5_rare_rare_inhabited : satisfiable (@corrected_thm_5_rare_rare).
Proof.
move=> R; exists [finType of 'I_3], high, 2%N, 1%N, (@third R), low, middle, 3%:R^-1, (@third_law R).
by exists isT, isT, isT, (third_in R), (fun i => lexx _), (fun i => lexx _).
Qed.

Lemma blanket_bound_with_known_inhabited : satisfiable (@blanket_bound_with_known).
Proof.
move=> R; exists 2%N, 1%N, 2%:R, 4%:R^-1, (@fair_bit R), (quarter_ge0 R).
unshelve eexists; first by have /andP[le1 le2] := fair_bit_in R ord0; exact: le_trans le2.
by exists (ler0n R 2), (@fair_bit_in R).
Qed.

Lemma two_ge1 (R : realFieldType) : 1 <= 2%:R :> R. Proof. by rewrite (ler_nat R 1 2). Qed.

Lemma censoring_up_inhabited : satisfiable (@censoring_up).
Proof.
move=> R; exists 2%N, 1%N, (@fair_bit R), 2%:R, (@fair_bit01 R), (two_ge1 R).
by split=> //; exists 1%N, (leqnn 1).
Qed.

Lemma censoring_down_inhabited : satisfiable (@censoring_down).
Proof.
move=> R; exists 2%N, 1%N, (@fair_bit R), 2%:R, (@fair_bit01 R), (two_ge1 R).
by split=> //; exists 1%N, (leqnn 1).
Qed.
