(** * Section 2.3: when more knowledge makes an attacker stronger

    What is behind Proposition 3, under its weakest assumption, and why that
    cannot be weakened. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From pkdp Require Import divergence worlds computing attackers.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Coarser.
Variables (R : realFieldType) (n : nat) (T B1 B2 : finType) (h : B1 -> B2) (w : world R n T B1).
Notation database := (n.-tuple T).
Implicit Types (i : 'I_n) (a b c : T).

(** The world in which the attacker knows [h k] instead of [k]. *)
Definition knowing_less : world R n T B2 := World _ (push_law (fun x => (x.1, h x.2)) (weight_law w)).

(** The record of [i] is independent of what is known in [w], given [h] of that:
    P[D(i) = a, B1 = k] P[B2 = h(k)] = P[D(i) = a, B2 = h(k)] P[B1 = k]. *)
Definition independent_given_less i := forall a k,
  chance w (both i a k) * chance knowing_less (knows (h k)) =
  chance knowing_less (both i a (h k)) * chance w (knows k).

Lemma sum_less (F : database -> R) (A : pred (database * B2)) :
  \sum_(y | A y) knowing_less y * F y.1 = \sum_(x | A (x.1, h x.2)) w x * F x.1.
Proof.
rewrite [RHS](partition_big (fun x => (x.1, h x.2)) A) //=; apply: eq_bigr => y Ay.
rewrite /push mulr_suml; apply: eq_big => [x|x /eqP <-] //.
by case: eqP => [->|]; rewrite ?andbF ?Ay.
Qed.

Lemma split_less (F : database -> R) i c k2 :
  \sum_(y | both i c k2 y) knowing_less y * F y.1 = \sum_(k | h k == k2) \sum_(x | both i c k x) w x * F x.1.
Proof.
rewrite sum_less [LHS](partition_big (fun x => x.2) (fun k => h k == k2)) => [|x /andP[]] //=.
apply: eq_bigr => k /eqP hk; apply: eq_bigl => x; rewrite /both /= -andbA; congr (_ && _).
by case: (x.2 =P k) => [->|]; rewrite ?andbF // hk eqxx.
Qed.

Lemma chance_less i c k2 : chance knowing_less (both i c k2) = \sum_(k | h k == k2) chance w (both i c k).
Proof.
rewrite {1}/chance (eq_bigr (fun y => knowing_less y * 1)) => [|y _]; last by rewrite mulr1.
rewrite (split_less (fun=> 1)).
by apply: eq_bigr => k _; apply: eq_bigr => x _; rewrite mulr1.
Qed.

Lemma chance_out_less (O : finType) (K : database -> O -> R) i c k2 t :
  chance_out knowing_less K (both i c k2) t = \sum_(k | h k == k2) chance_out w K (both i c k) t.
Proof. exact: (split_less (fun D => K D t)). Qed.

Lemma less_le i c k : chance w (both i c k) <= chance knowing_less (both i c (h k)).
Proof. by rewrite chance_less (bigD1 k) //= ler_addl sumr_ge0 // => *; exact: chance_ge0. Qed.

Variables (O : finType) (M : mechanism R n T O) (i : 'I_n).

(** The shares of the richer pieces of knowledge in the poorer one. *)
Definition share k2 k : R := if h k == k2 then chance w (knows k) / chance knowing_less (knows k2) else 0.

Lemma share_ge0 k2 k : 0 <= share k2 k.
Proof. by rewrite /share; case: ifP => _ //; rewrite divr_ge0 ?chance_ge0. Qed.

Hypothesis ind : independent_given_less i.

Lemma share_mass c k2 k : chance knowing_less (knows k2) != 0 -> h k == k2 ->
  chance w (both i c k) = chance knowing_less (both i c k2) * share k2 k.
Proof.
move=> nz /eqP hk; rewrite /share hk eqxx mulrA -hk -ind hk mulfK //.
Qed.

Lemma share_sum k2 : chance knowing_less (knows k2) != 0 -> \sum_k share k2 k = 1.
Proof.
move=> nz; rewrite /share -big_mkcond /= -mulr_suml.
rewrite (_ : \sum_(k | h k == k2) chance w (knows k) = chance knowing_less (knows k2)) ?divff //.
rewrite -(sum_record_chance _ i); under [RHS]eq_bigr do rewrite chance_less.
by rewrite exchange_big; apply: eq_bigr => k _; rewrite sum_record_chance.
Qed.

(** The poorer attacker sees a mixture of what the richer one sees, the same for all values of the target. *)
Lemma out_less c k2 : chance knowing_less (knows k2) != 0 ->
  out knowing_less M (both i c k2) =1 after (fun k => out w M (both i c k)) (share k2).
Proof.
move=> nz t; have kM : kernel M by exact: run_kernel.
rewrite {1}/out chance_out_less mulr_suml big_mkcond /=; apply: eq_bigr => k _; rewrite /share.
case: ifP => hk; last by rewrite mul0r.
have := share_mass c nz hk; rewrite /share hk; set s := _ / _ => e.
have [z|nz2] := eqVneq (chance knowing_less (both i c k2)) 0.
  have z' : chance w (both i c k) = 0 by rewrite e z mul0r.
  by rewrite /out (chance_out0 _ kM z') !mul0r mulr0.
by rewrite chance_outE // e mulrAC [_ * s]mulrC mulfK.
Qed.

Lemma hs_less a b k2 (E : R) : chance knowing_less (knows k2) != 0 ->
  hs E (out knowing_less M (both i a k2)) (out knowing_less M (both i b k2))
  <= \sum_k share k2 k * hs E (out w M (both i a k)) (out w M (both i b k)).
Proof.
move=> nz; rewrite (eq_hs E (out_less a nz) (out_less b nz)); apply: hs_mixture => k; exact: share_ge0.
Qed.

(** More knowledge, sharp, first part: let [k] be what one attacker knows, and [h k] what another one does. If the
    record of [i] is independent of [k] given [h k], a mechanism that is (epsilon, delta)-private for the first is
    so for the second, with active and with passive knowledge. So the least delta is no smaller for the first. *)
Theorem sharp_monotone (E d : R) : 0 <= E -> 0 <= d ->
  (APK_at w i E d M -> APK_at knowing_less i E d M) /\ (PPK_at w i E d M -> PPK_at knowing_less i E d M).
Proof.
move=> E0 d0; split=> [apk a b k2 ak bk|ppk a b a0 b0].
  have nz := compatible_knows ak.
  rewrite -/(active_loss _ M i a b k2 E) active_loss_hs //; apply: le_trans (hs_less a b E nz) _.
  rewrite -[d]mul1r -(share_sum nz) mulr_suml; apply: ler_sum => k _.
  have [->|sk] := eqVneq (share k2 k) 0; first by rewrite !mul0r.
  have hk : h k == k2 by move: sk; rewrite /share; case: ifP; rewrite ?eqxx.
  rewrite ler_wpmul2l ?share_ge0 // -active_loss_hs //; apply: apk;
  by rewrite /compatible (share_mass _ nz hk) mulf_neq0.
have same c : chance knowing_less (record_is i c) = chance w (record_is i c).
  rewrite -!(sum_knowledge_chance _ i); under eq_bigr do rewrite chance_less.
  by rewrite [RHS](partition_big h predT).
have := ppk a b; rewrite -!same => /(_ a0 b0); apply: le_trans; rewrite !thm_1_mean.
rewrite [X in _ <= X](partition_big h predT) //=; apply: ler_sum => k2 _.
have [z|nz] := eqVneq (chance knowing_less (both i a k2)) 0.
  rewrite /knowledge_given z !mul0r sumr_ge0 // => k _.
  by rewrite mulr_ge0 ?knowledge_given_ge0 ?active_loss_ge0.
have nz' := compatible_knows nz; rewrite active_loss_hs //.
apply: le_trans (ler_wpmul2l (knowledge_given_ge0 _ _ _ _) (hs_less a b E nz')) _.
rewrite mulr_sumr (bigID (fun k => h k == k2)) /= [X in _ + X]big1 ?addr0 => [|k /negPf hk]; last first.
  by rewrite /share hk mul0r mulr0.
apply: ler_sum => k hk; rewrite active_loss_hs // mulrA le_eqVlt; apply/orP; left; apply/eqP; congr (_ * _).
by rewrite /knowledge_given (share_mass _ nz' hk) same mulrAC.
Qed.

End Coarser.

(** More knowledge, sharp, second part: if what the first attacker knows is a function [f] of the database,
    and the record of [i] is not independent of it given [h] of it, some mechanism is noiseless private with
    epsilon = 0 for her, and not for the second attacker. *)
Theorem sharp_monotone_converse (R : realFieldType) n (T B1 B2 : finType) (h : B1 -> B2) (w : world R n T B1)
    (f : n.-tuple T -> B1) i :
  (forall x, w x != 0 -> x.2 = f x.1) -> ~ independent_given_less h w i ->
  exists M : mechanism R n T B1, NP_at w i 1 0 M /\ ~ NP_at (knowing_less h w) i 1 0 M.
Proof.
move=> known dep; pose M := noiseless R f; exists M.
have told c k t : chance_out w M (both i c k) t = chance w (both i c k) * (t == k)%:R.
  rewrite /chance_out /chance mulr_suml; apply: eq_bigr => x /andP[_ /eqP xk].
  have [->|/known e] := eqVneq (w x) 0; first by rewrite !mul0r.
  by rewrite /= /sure -e xk.
split=> [a b k ak bk|np].
  apply: indist_same => // t; first by apply: out_ge0; exact: run_kernel.
  by rewrite /out !told ![chance w _ * _]mulrC !mulfK.
apply: dep => a k; have toldL c t : h t = h k -> chance_out (knowing_less h w) M (both i c (h k)) t = chance w (both i c t).
  move=> ht; rewrite chance_out_less (bigD1 t) /=; last by rewrite ht.
  by rewrite told eqxx mulr1 big1 ?addr0 // => k' /andP[_ /negPf ne]; rewrite told eq_sym ne mulr0.
rewrite -(sum_record_chance w i k) -(sum_record_chance (knowing_less h w) i (h k)) !mulr_sumr.
apply: eq_bigr => b _; have zero c : ~~ (chance (knowing_less h w) (both i c (h k)) != 0) ->
    chance w (both i c k) = 0 /\ chance (knowing_less h w) (both i c (h k)) = 0.
  by rewrite negbK => /eqP z; split=> //; apply/eqP; rewrite eq_le chance_ge0 andbT -z less_le.
have [a0|/zero[-> ->]] := boolP (chance (knowing_less h w) (both i a (h k)) != 0); last by rewrite !mul0r.
have [b0|/zero[-> ->]] := boolP (chance (knowing_less h w) (both i b (h k)) != 0); last by rewrite !mulr0.
have [le ge] := indist_at k (np a b (h k) a0 b0); rewrite !mul1r in le ge.
have : out (knowing_less h w) M (both i a (h k)) k = out (knowing_less h w) M (both i b (h k)) k.
  by apply/eqP; rewrite eq_le le.
by rewrite /out !toldL // => /eqP; rewrite eqr_div // => /eqP ->; rewrite mulrC.
Qed.
