(** * Section 3: passive and active attackers

    What the definitions of section 3 have to do with each other, on finite
    worlds. [E] is e to the epsilon, which is at least 1. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From pkdp Require Import divergence worlds computing.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Attackers.
Variables (R : realFieldType) (n : nat) (T B O : finType).
Notation database := (n.-tuple T).
Implicit Types (w : world R n T B) (M : mechanism R n T O) (i : 'I_n) (a b : T) (k : B) (E d : R).

(** What Definition 12 bounds, for one value of the knowledge. *)
Definition active_loss w (M : database -> O -> R) i a b k E := loss_above E (out w M (both i a k)) (out w M (both i b k)).

Lemma active_loss_hs w M i a b k E : 0 <= E ->
  active_loss w M i a b k E = hs E (out w M (both i a k)) (out w M (both i b k)).
Proof. by move=> E0; apply: loss_above_hs => // t; apply: out_ge0; exact: run_kernel. Qed.

Lemma active_loss_ge0 w M i a b k E : 0 <= E -> 0 <= active_loss w M i a b k E.
Proof. by move=> E0; rewrite active_loss_hs // hs_ge0. Qed.

Lemma knowledge_given_ge0 w i a k : 0 <= knowledge_given w i a k.
Proof. by rewrite divr_ge0 ?chance_ge0. Qed.

Lemma knowledge_given_sum w i a : chance w (record_is i a) != 0 -> \sum_k knowledge_given w i a k = 1.
Proof. by move=> a0; rewrite -mulr_suml sum_knowledge_chance divff. Qed.

(** The two forms of Definition 12 say the same: the expectation of Lemma 1 is
    at most delta for all a and b exactly if the outputs are (epsilon,
    delta)-indistinguishable. *)
Theorem claim_apk_forms w i E d M : 0 <= E ->
  APK_at w i E d M <-> (forall a b k, compatible w i a k -> compatible w i b k ->
    indist E d (out w M (both i a k)) (out w M (both i b k))).
Proof.
move=> E0; split=> [apk a b k ak bk|ind a b k ak bk].
  apply/indist_hs; split; first by rewrite -active_loss_hs //; exact: apk.
  by rewrite -active_loss_hs //; exact: apk.
by have [] := proj1 (indist_hs _ _ _ _) (ind a b k ak bk); rewrite -active_loss_hs.
Qed.

(** Active partial knowledge is noiseless privacy with a delta. *)
Theorem claim_apk_is_np (Th : family R n T B) E d M : 0 <= E -> APK Th E d M <-> NP Th E d M.
Proof. by move=> E0; split=> p w i Thi; apply/claim_apk_forms => //; exact: p. Qed.

(** Lemma 1: a mechanism is (epsilon, delta)-differentially private exactly if the
    expectation of max(0, 1 - e^(epsilon - L)), with the privacy loss L of an
    output that is drawn from the first of two laws, is at most delta for all
    two databases that differ in one record. *)
Theorem lem_1 E d M : 0 <= E ->
  DP E d M <-> (forall D i b, loss_above E (M D) (M (put D i b)) <= d).
Proof.
move=> E0; split=> [dp D i b|le D i b].
  rewrite loss_above_hs //; try by move=> t; exact: run_ge0.
  by have [] := proj1 (indist_hs _ _ _ _) (dp D i b).
apply/indist_hs; have := le D i b; have := le (put D i b) i (tnth D i).
by rewrite put_put put_id !loss_above_hs // => *; exact: run_ge0.
Qed.

(** ** Theorem 1 *)

(** Theorem 1, first part: what Definition 13 bounds is the mean of what
    Definition 12 bounds, over the knowledge given that the record is [a]. *)
Theorem thm_1_mean w M i a b E :
  passive_loss w M i a b E = \sum_k knowledge_given w i a k * active_loss w M i a b k E.
Proof.
apply: eq_bigr => k _; rewrite /active_loss /loss_above mulr_sumr; apply: eq_bigr => t _.
rewrite chance_outE; last exact: run_kernel.
set o := out w M (both i a k) t; set x := Num.max _ _; rewrite /knowledge_given; ring.
Qed.

(** Theorem 1, second part: if M is (epsilon, delta)-APKDP it is (epsilon,
    delta)-PPKDP, where all knowledge is compatible with all values of the
    record, as section 3 assumes. *)
Theorem thm_1_active_passive w i E d M : all_compatible w i -> 0 <= E -> 0 <= d ->
  APK_at w i E d M -> PPK_at w i E d M.
Proof.
move=> comp E0 d0 apk a b a0 b0; rewrite thm_1_mean.
rewrite -[d]mul1r -(knowledge_given_sum a0) mulr_suml; apply: ler_sum => k _.
case: (chance w (both i a k) =P 0) => [z|/eqP ak].
  by rewrite /knowledge_given z !mul0r.
apply: ler_wpmul2l; first exact: knowledge_given_ge0.
by apply: apk => //; apply: comp => //; exact: compatible_knows ak.
Qed.

(** Theorem 1, third part: without delta both definitions are equivalent. *)
Theorem thm_1_without_delta w i E M : all_compatible w i -> 0 <= E ->
  PPK_at w i E 0 M <-> APK_at w i E 0 M.
Proof.
move=> comp E0; split; last exact: thm_1_active_passive.
move=> ppk a b k ak bk.
have a0 := compatible_record ak; have b0 := compatible_record bk.
have := ppk a b a0 b0; rewrite thm_1_mean => le0.
have ge0 k' : 0 <= knowledge_given w i a k' * active_loss w M i a b k' E.
  by rewrite mulr_ge0 ?knowledge_given_ge0 ?active_loss_ge0.
have : knowledge_given w i a k * active_loss w M i a b k E <= 0.
  by apply: le_trans le0; rewrite (bigD1 k) //= ler_addl sumr_ge0.
by rewrite pmulr_rle0 // /knowledge_given divr_gt0 ?chance_gt0.
Qed.

(** Theorem 1, for families: all knowledge is compatible with all values of a record that is a target. *)
Theorem thm_1 (Th : family R n T B) E M : 0 <= E -> (forall w i, Th w i -> all_compatible w i) ->
  [/\ (forall w i, Th w i -> forall a b, passive_loss w M i a b E =
         \sum_k knowledge_given w i a k * active_loss w M i a b k E),
      (forall d, 0 <= d -> APK Th E d M -> PPK Th E d M)
    & (PPK Th E 0 M <-> APK Th E 0 M)].
Proof.
move=> E0 comp; split.
- by move=> w i _ a b; exact: thm_1_mean.
- by move=> d d0 apk w i Thi; apply: thm_1_active_passive => //; [exact: comp | exact: apk].
- by split=> p w i Thi; apply/(thm_1_without_delta _ (comp w i Thi)) => //; exact: p.
Qed.

(** ** Theorem 2 *)

Lemma reducible_loss w i M E a b k1 k2 : reducible_at w i M ->
  compatible w i a k1 -> compatible w i b k1 -> compatible w i a k2 -> compatible w i b k2 ->
  active_loss w M i a b k1 E = active_loss w M i a b k2 E.
Proof.
move=> red a1 b1 a2 b2.
have [phi [phi_bij e]] := red k1 k2 (compatible_knows a1) (compatible_knows a2).
rewrite /active_loss /loss_above [RHS](reindex phi) /=; last exact: onW_bij.
by apply: eq_bigr => t _; rewrite !e.
Qed.

(** Theorem 2: a mechanism that is reducible at all targets of a family is (epsilon, delta)-APKDP
    if and only if it is (epsilon, delta)-PPKDP, where all knowledge is compatible with all values
    of a target's record, as section 3 assumes. Nothing is assumed of other records: they may be known. *)
Theorem thm_2 (Th : family R n T B) E d M : 0 <= E -> 0 <= d ->
  (forall w i, Th w i -> all_compatible w i) ->
  (forall w i, Th w i -> reducible_at w i M) -> APK Th E d M <-> PPK Th E d M.
Proof.
move=> E0 d0 comp red; split.
  by move=> apk w i Thi; apply: thm_1_active_passive; [exact: comp|by []|by []|exact: apk].
move=> ppk w i Thi a b k ak bk.
have a0 := compatible_record ak; have b0 := compatible_record bk.
have := ppk w i Thi a b a0 b0.
rewrite thm_1_mean -/(active_loss w M i a b k E) (eq_bigr (fun k' => knowledge_given w i a k' * active_loss w M i a b k E)).
  by rewrite -mulr_suml knowledge_given_sum ?mul1r.
move=> k' _; case: (chance w (both i a k') =P 0) => [z|/eqP ak'].
  by rewrite /knowledge_given z !mul0r.
congr (_ * _); apply: reducible_loss => //; first exact: red.
by apply: comp => //; exact: compatible_knows ak'.
Qed.

(** If M is reducible, the privacy loss has the same law for all values of the
    knowledge: for every r, an output whose ratio of probabilities is r has the
    same probability under both. *)
Theorem claim_same_loss w i M a b k1 k2 (r : R) : reducible_at w i M ->
  compatible w i a k1 -> compatible w i b k1 -> compatible w i a k2 -> compatible w i b k2 ->
  \sum_(t | out w M (both i b k1) t / out w M (both i a k1) t == r) out w M (both i a k1) t =
  \sum_(t | out w M (both i b k2) t / out w M (both i a k2) t == r) out w M (both i a k2) t.
Proof.
move=> red a1 b1 a2 b2.
have [phi [phi_bij e]] := red k1 k2 (compatible_knows a1) (compatible_knows a2).
rewrite [RHS](reindex phi) /=; last exact: onW_bij.
by apply: eq_big => t; rewrite !e.
Qed.

(** ** Without knowledge *)

(** Where there is no background knowledge, active and passive privacy are the
    same. *)
Theorem claim_no_knowledge_same w i E d M (k0 : B) : (forall k, k = k0) -> 0 <= E ->
  APK_at w i E d M <-> PPK_at w i E d M.
Proof.
move=> one E0; have rec c : chance w (record_is i c) = chance w (both i c k0).
  by apply: eq_chance => x; rewrite /both /record_is (one x.2) eqxx andbT.
have sum_one (F : B -> R) : \sum_k F k = F k0.
  by rewrite (big_pred1 k0) // => k; rewrite (one k) /= eqxx.
split=> p a b; first move=> a0 b0.
  rewrite thm_1_mean sum_one /knowledge_given -rec divff // mul1r; apply: p; by rewrite /compatible -rec.
move=> k; rewrite (one k) /compatible -!rec => a0 b0.
by have := p a b a0 b0; rewrite thm_1_mean sum_one /knowledge_given -rec divff // mul1r.
Qed.

End Attackers.

(** ** Proposition 5 *)

Section Axioms.
Variables (R : realFieldType) (n : nat) (T B O U : finType).
Implicit Types (w : world R n T B) (M : mechanism R n T O) (i : 'I_n) (a b : T) (k : B) (E d : R).

(** The mechanism that applies [f], which may be random, to the output of [M]. *)
Definition processed M (f : O -> U -> R) (kf : kernel f) : mechanism R n T U :=
  Mechanism (fun D => after f (M D)) (fun D => after_law kf (run_kernel M D)).

(** The mechanism that applies [M1] with probability [p], and else [M2]. *)
Definition either (p : R) (p01 : 0 <= p <= 1) (M1 M2 : mechanism R n T O) : mechanism R n T O :=
  Mechanism (fun D => mix p (M1 D) (M2 D)) (fun D => mix_law p01 (run_kernel M1 D) (run_kernel M2 D)).

Lemma out_processed w M f (kf : kernel f) A : out w (processed M kf) A =1 after f (out w M A).
Proof.
move=> u; rewrite /out /chance_out /after /=.
under eq_bigr do rewrite /after mulr_sumr.
rewrite exchange_big /= mulr_suml; apply: eq_bigr => t _.
rewrite mulrAC; congr (_ / _); rewrite mulr_suml; apply: eq_bigr => x _; exact: mulrA.
Qed.

Lemma out_either w p (p01 : 0 <= p <= 1) M1 M2 A :
  out w (either p01 M1 M2) A =1 mix p (out w M1 A) (out w M2 A).
Proof.
move=> t; rewrite /out /chance_out /mix /= !mulrA -mulrDl !mulr_sumr -big_split /=; congr (_ / _).
by apply: eq_bigr => x _; rewrite /mix; ring.
Qed.

(** Proposition 5, active: whatever is done to the output, at random too, an
    (epsilon, delta)-APKDP mechanism stays so; and so does a choice between
    two of them with fixed probabilities. *)
Theorem prop_5_active (Th : family R n T B) E d : 0 <= E ->
  (forall M f (kf : kernel f), APK Th E d M -> APK Th E d (processed M kf)) /\
  (forall p (p01 : 0 <= p <= 1) M1 M2, APK Th E d M1 -> APK Th E d M2 -> APK Th E d (either p01 M1 M2)).
Proof.
move=> E0; split=> [M f kf apk|p p01 M1 M2 apk1 apk2] w i Thi a b k ak bk.
  rewrite -/(active_loss w (processed M kf) i a b k E) active_loss_hs //.
  rewrite (eq_hs E (out_processed _ _ _ _) (out_processed _ _ _ _)).
  apply: le_trans (hs_after _ _ _ kf) _; rewrite -active_loss_hs //; exact: apk.
rewrite -/(active_loss w (either p01 M1 M2) i a b k E) active_loss_hs //.
rewrite (eq_hs E (out_either _ _ _ _ _) (out_either _ _ _ _ _)).
apply: le_trans (hs_convex _ _ _ _ _ p01) _; have /andP[p0 p1] := p01.
apply: (@le_trans _ _ (p * d + (1 - p) * d)); last by rewrite -mulrDl addrC subrK mul1r.
by apply: ler_add; apply: ler_wpmul2l; rewrite ?subr_ge0 // -active_loss_hs //; [exact: apk1 | exact: apk2].
Qed.

(** Proposition 5, passive: the same for PPKDP, at the targets of a family. *)
Theorem prop_5_passive (Th : family R n T B) E d : 0 <= E ->
  (forall M f (kf : kernel f), PPK Th E d M -> PPK Th E d (processed M kf)) /\
  (forall p (p01 : 0 <= p <= 1) M1 M2, PPK Th E d M1 -> PPK Th E d M2 -> PPK Th E d (either p01 M1 M2)).
Proof.
move=> E0; split=> [M f kf ppk|p p01 M1 M2 ppk1 ppk2] w i Thi a b a0 b0.
  apply: le_trans (ppk w i Thi a b a0 b0); rewrite !thm_1_mean; apply: ler_sum => k _.
  apply: ler_wpmul2l; first exact: knowledge_given_ge0.
  rewrite !active_loss_hs // (eq_hs E (out_processed _ _ _ _) (out_processed _ _ _ _)).
  exact: hs_after.
have /andP[p0 p1] := p01.
apply: (@le_trans _ _ (p * passive_loss w M1 i a b E + (1 - p) * passive_loss w M2 i a b E)).
  rewrite !thm_1_mean !mulr_sumr -big_split /=; apply: ler_sum => k _.
  rewrite ![_ * (knowledge_given _ _ _ _ * _)]mulrCA -mulrDr.
  apply: ler_wpmul2l; first exact: knowledge_given_ge0.
  rewrite -[X in X <= _]/(active_loss w (either p01 M1 M2) i a b k E).
  rewrite !active_loss_hs // (eq_hs E (out_either _ _ _ _ _) (out_either _ _ _ _ _)).
  exact: hs_convex.
apply: (@le_trans _ _ (p * d + (1 - p) * d)); last by rewrite -mulrDl addrC subrK mul1r.
by apply: ler_add; apply: ler_wpmul2l; rewrite ?subr_ge0 //; [exact: ppk1 | exact: ppk2].
Qed.
End Axioms.
