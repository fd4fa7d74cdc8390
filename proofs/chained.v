(** * Section 5.2: the bound for chained mechanisms is attained

    What composition.v proves of chains, for profiles and for worlds, and that
    nothing smaller will do. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra.
From pkdp Require Import divergence worlds computing attackers composition realized.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Chain.
Variables (R : realFieldType) (T U : finType).
Implicit Types (P Q : T -> R) (K : T -> U -> R) (A B : U -> R) (E h c : R).

(** Chained mechanisms (section 5.2), for profiles: let [h] be at least the divergence of [P] from [Q]
    at E, and [c] at least that of the channel between any two inputs at 1 + (E - 1) / h.
    Then the chain has at most h times c at E. *)
Theorem chain_profile K P Q E h c : kernel K -> law P -> law Q -> 1 <= E -> 0 < h -> hs E P Q <= h ->
  (forall x y, hs (1 + (E - 1) / h) (K x) (K y) <= c) ->
  hs E (after K P) (after K Q) <= h * c.
Proof.
move=> kK lP lQ E1 h0 le_h le_c; have [x _ _] : exists2 x, x \in predT & P x != 0.
  apply/exists_inP; apply: contraT; rewrite negb_exists_in => /forall_inP all0.
  have := law_sum lP; rewrite big1 => [/eqP|x _]; first by rewrite eq_sym oner_eq0.
  by apply/eqP; have := all0 x isT; rewrite negbK.
have c0 : 0 <= c by apply: le_trans (le_c x x); exact: hs_ge0.
have [z|nz] := eqVneq (hs E P Q) 0; first by rewrite chain_zero // mulr_ge0 // ltW.
have pos : 0 < hs E P Q by rewrite lt_neqAle eq_sym nz hs_ge0.
apply: (@le_trans _ _ (hs E P Q * c)); last by rewrite ler_wpmul2r.
apply: chain => // a b; apply: le_trans (le_c a b).
apply: hs_decreasing => [u|]; first exact: law_ge0 (kK b).
by rewrite ler_add2l ler_wpmul2l ?subr_ge0 // lef_pinv ?posrE.
Qed.

(** The channel that answers with the law [A] where [P] exceeds [E] times [Q], and with [B] elsewhere. *)
Definition attaining E P Q A B : T -> U -> R := fun x => if E * Q x < P x then A else B.

(** Chained mechanisms, attained: for all laws [P] and [Q] with the divergence h > 0 at E, and all laws
    [A] and [B] with the divergence [c] at 1 + (E - 1) / h, and no larger one the other way round, there is a channel
    that has no two inputs with a divergence above [c] at 1 + (E - 1) / h, and of which the chain has h times c
    at E. *)
Theorem chain_attained P Q E A B : law P -> law Q -> law A -> law B -> 1 <= E -> 0 < hs E P Q ->
  let E' := 1 + (E - 1) / hs E P Q in hs E' B A <= hs E' A B ->
  exists K : T -> U -> R, [/\ kernel K, forall x y, hs E' (K x) (K y) <= hs E' A B
    & hs E (after K P) (after K Q) = hs E P Q * hs E' A B].
Proof.
move=> [P0 P1] [Q0 Q1] lA lB E1 h0 E' BA; set h := hs E P Q in h0 E' BA *.
have E'1 : 1 <= E' by rewrite ler_addl divr_ge0 ?subr_ge0 // ltW.
exists (attaining E P Q A B); split.
- by move=> x; rewrite /attaining; case: ifP.
- move=> x y; rewrite /attaining; case: ifP => _; case: ifP => _ //; rewrite hs_refl ?hs_ge0 //; by [case: lA | case: lB].
- pose pos := \sum_(x | E * Q x < P x) (P x - E * Q x); pose neg := \sum_(x | ~~ (E * Q x < P x)) (P x - E * Q x).
have posE : pos = h.
  rewrite /pos /h /hs big_mkcond; apply: eq_bigr => x _.
  have [lt|le] := ltP (E * Q x) (P x); last by apply/esym/max_idPl; rewrite subr_le0.
  by apply/esym/max_idPr; rewrite subr_ge0 ltW.
have negE : neg = - (h * E').
  have : pos + neg = 1 - E.
    by rewrite /pos /neg -(bigID (fun x => E * Q x < P x) predT) /= sumrB -mulr_sumr P1 Q1 mulr1.
  rewrite posE => /(canRL (addKr h)) ->.
  by rewrite /E' mulrDr mulr1 mulrCA divff ?gt_eqF // mulr1 opprD opprB.
rewrite /hs mulr_sumr; apply: eq_bigr => u _; rewrite -max0_mul ?(ltW h0) //; congr (Num.max 0 _).
rewrite /after mulr_sumr -sumrB (bigID (fun x => E * Q x < P x)) /=.
rewrite (eq_bigr (fun x => (P x - E * Q x) * A u)) => [|x lt]; last by rewrite /attaining lt mulrA mulrBl.
rewrite [X in _ + X](eq_bigr (fun x => (P x - E * Q x) * B u)) => [|x /negPf lt]; last by rewrite /attaining lt mulrA mulrBl.
by rewrite -!mulr_suml -/pos -/neg posE negE mulNr mulrBr mulrA.
Qed.

End Chain.

(** ** Passive attackers *)

(** Chains and passive attackers (section 5.2): if no two inputs of a channel have a divergence above [c] at E,
    and [M] is (epsilon, delta)-PPKDP, the channel applied to [M] is (epsilon, c delta)-PPKDP, where all knowledge is
    compatible with all values of a target's record, as section 3 assumes. Nothing is assumed of other records. *)
Theorem chain_passive_worlds (R : realFieldType) n (T B O U : finType) (Th : family R n T B) (M : mechanism R n T O)
    (K : O -> U -> R) (kK : kernel K) (E c d : R) :
  (forall w i, Th w i -> all_compatible w i) -> 1 <= E -> 0 <= c ->
  (forall x y, hs E (K x) (K y) <= c) -> PPK Th E d M -> PPK Th E (c * d) (processed M kK).
Proof.
move=> comp E1 c0 le_c ppk w i Thi a b a0 b0; have E0 : 0 <= E by exact: le_trans ler01 E1.
have {ppk} := ppk w i Thi a b a0 b0; rewrite !thm_1_mean => le_d.
apply: (@le_trans _ _ (c * \sum_k knowledge_given w i a k * active_loss w M i a b k E)); last by rewrite ler_wpmul2l.
rewrite mulr_sumr; apply: ler_sum => k _.
have [z|ak] := eqVneq (chance w (both i a k)) 0; first by rewrite /knowledge_given z !mul0r mulr0.
have bk : compatible w i b k by apply: comp => //; exact: compatible_knows ak.
rewrite mulrCA ler_wpmul2l ?knowledge_given_ge0 // !active_loss_hs //.
rewrite (eq_hs E (out_processed _ _ _ _) (out_processed _ _ _ _)) mulrC.
by apply: chain_linear => //; apply: out_law => //; exact: run_kernel.
Qed.

(** Chains and passive attackers, attained: for every channel [K], all inputs [x] and [y] of it, and every delta there
    are a world and a mechanism that is (epsilon, delta)-PPKDP, such that the channel applied to it is (epsilon,
    delta')-PPKDP only if delta' is at least delta times the divergence of [K x] from [K y] at E. So no smaller
    factor than the largest of these divergences will do for all mechanisms. All knowledge is compatible with all values of a record. *)
Theorem chain_passive_attained (R : realFieldType) (O U : finType) (K : O -> U -> R) (kK : kernel K) (x y : O) (E d : R) :
  1 <= E -> 0 <= d <= 1 ->
  exists (n : nat) (T B : finType) (w : world R n T B) (M : mechanism R n T O),
  [/\ forall i, all_compatible w i, PPK (only w) E d M
    & forall d', PPK (only w) E d' (processed M kK) -> hs E (K x) (K y) * d <= d'].
Proof.
move=> E1 /andP[d0 d1]; have E0 : 0 <= E by exact: le_trans E1.
have two (F : bool -> R) : \sum_k F k = F true + F false by rewrite big_bool.
pose omega (told : bool) : R := if told then d else 1 - d.
pose P (s told : bool) : O -> R := if told then sure R (if s then x else y) else sure R x.
have lo : law omega by split=> [[]|]; rewrite /omega ?subr_ge0 // big_bool /= addrC subrK.
have lP s : kernel (P s) by case; rewrite /P; exact: sure_law.
have [T [w [i [secret [f [comp chE secrets outE others]]]]]] := @realize R bool_finType O omega P true x lo lP.
pose M := noiseless R f.
have outM s k : omega k != 0 -> out w M (both i (secret s) k) =1 P s k.
  by move=> nz t; rewrite (outE _ (fun o => o) s k nz) /push big_pred1_eq.
have record s : chance w (record_is i (secret s)) = 2%:R^-1.
  by rewrite -sum_knowledge_chance two !chE -mulrDr /omega addrC subrK mulr1.
have known s k : knowledge_given w i (secret s) k = omega k.
  by rewrite /knowledge_given chE record mulrAC divff ?mul1r // invr_eq0 pnatr_eq0.
have recordn s : chance w (record_is i (secret s)) != 0 by rewrite record invr_eq0 pnatr_eq0.
exists 3%N, T, bool_finType, w, M; split=> //.
  move=> w' j -> a b a0 b0; rewrite thm_1_mean; have [ji|ji] := eqVneq j i; last first.
    rewrite big1 // => k _; have [z|ak] := eqVneq (chance w (both j a k)) 0; first by rewrite /knowledge_given z !mul0r.
    have bk : compatible w j b k by apply: comp => //; exact: compatible_knows ak.
    rewrite active_loss_hs // (eq_hs E (frefl _) (fsym (others _ (fun o => o) _ _ _ _ ji ak bk))) hs_refl ?mulr0 // => t.
    by apply: out_ge0; exact: run_kernel.
  rewrite ji in a0 b0 *; have form c : chance w (record_is i c) != 0 -> exists s, c = secret s.
    rewrite -sum_knowledge_chance two => nz; have [z|/secrets//] := eqVneq (chance w (both i c true)) 0.
    by apply: (secrets c false); move: nz; rewrite z add0r.
  have [s ->] := form a a0; have [s' ->] := form b b0; rewrite two !known.
  have hidden : omega false * active_loss w M i (secret s) (secret s') false E = 0.
    have [->|nz] := eqVneq (omega false) 0; first by rewrite mul0r.
    rewrite active_loss_hs // (eq_hs E (outM s _ nz) (outM s' _ nz)) /P hs_refl ?mulr0 // => t; exact: ler0n.
  rewrite hidden addr0; apply: ler_pimulr => //; rewrite active_loss_hs //; have [z|nz] := eqVneq (chance w (both i (secret s) true)) 0.
    rewrite (_ : hs _ _ _ = 0) ?ler01 //; apply: big1 => t _; apply/max_idPl.
    by rewrite {1}/out z invr0 mulr0 sub0r oppr_le0 mulr_ge0 // out_ge0 //; exact: run_kernel.
  have kM : kernel M by exact: run_kernel.
  by apply: hs_le1 => //; apply: out_law => //; rewrite chE -(chE s).
move=> d' /(_ w i erefl _ _ (recordn true) (recordn false)); rewrite thm_1_mean two !known.
have ge0 k : 0 <= omega k * active_loss w (processed M kK) i (secret true) (secret false) k E.
  by rewrite mulr_ge0 ?active_loss_ge0 //; case: lo.
move=> le_d; apply: le_trans (le_trans (ler_paddr (ge0 false) (lexx _)) le_d); rewrite mulrC.
have [->|nz] := eqVneq d 0; first by rewrite !mul0r.
apply: ler_wpmul2l => //; rewrite active_loss_hs // (eq_hs E (out_processed _ _ _ _) (out_processed _ _ _ _)).
have shown s o : after K (out w M (both i (secret s) true)) o = K (if s then x else y) o.
  rewrite /after (bigD1 (if s then x else y)) //= outM // /P /sure eqxx mul1r big1 ?addr0 // => t /negPf ne.
  by rewrite outM // /P /sure ne mul0r.
by rewrite (eq_hs E (shown true) (shown false)).
Qed.
