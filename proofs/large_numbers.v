(** * Whole numbers that are too large to count up to

    [nat] has a constructor for each unit, so that Coq cannot write down the
    databases of a hundred bits one by one, or count them. Here numbers are
    computed in binary, as elements of [N], and what was computed is carried over
    to [nat], and from there to the field. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From pkdp Require Import divergence worlds computing counterexamples.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Comparisons *)

Lemma nat_of_succ_bin x : nat_of_bin (N.succ x) = (nat_of_bin x).+1.
Proof. by rewrite -N.add_1_r nat_of_add_bin addn1. Qed.

Lemma le_bin (x y : N) : N.leb x y -> (nat_of_bin x <= nat_of_bin y)%N.
Proof.
move=> /N.leb_le/N.sub_add <-; rewrite nat_of_add_bin; exact: leq_addl.
Qed.

Lemma lt_bin (x y : N) : N.ltb x y -> (nat_of_bin x < nat_of_bin y)%N.
Proof.
move=> /N.ltb_lt/N.le_succ_l/N.sub_add <-.
by rewrite nat_of_add_bin nat_of_succ_bin addnS ltnS leq_addl.
Qed.

Lemma nat_of_pow_bin (x n : N) : nat_of_bin (N.pow x n) = (nat_of_bin x ^ nat_of_bin n)%N.
Proof.
elim/N.peano_ind: n => [|n IH]; first by rewrite N.pow_0_r.
by rewrite N.pow_succ_r' nat_of_mul_bin IH nat_of_succ_bin expnS.
Qed.

(** ** Sums of binary weights over a list *)

Section Lists.
Variable X : eqType.
Implicit Types (A : pred X) (s : seq (N * X)).

(** The list with its weights as elements of [nat]. *)
Definition with_nat s : seq (nat * X) := [seq (nat_of_bin x.1, x.2) | x <- s].

(** The sum of the weights of the entries in [A]. *)
Fixpoint total_bin A s : N :=
  if s is x :: s' then (if A x.2 then N.add x.1 (total_bin A s') else total_bin A s') else N0.

Lemma total_with_nat A s : total A (with_nat s) = total_bin A s.
Proof.
elim: s => //= x s IH; rewrite /total /= -/(total A _) IH.
by case: ifP; rewrite ?muln1 ?nat_of_add_bin ?add0n.
Qed.

Lemma tally_with_nat A (B : pred X) s : tally A (fun x => B x : nat) (with_nat s) = total_bin (predI A B) s.
Proof.
rewrite -total_with_nat /total; elim: (with_nat s) => //= x l ->.
by rewrite /=; case: (A x.2); case: (B x.2); rewrite ?muln0.
Qed.
End Lists.

(** ** Tails of binomial laws *)

Section Tails.
Variable R : realFieldType.
Implicit Types (q : R) (n k : nat).

(** P[S >= k] where S is a sum of [n] independent bits of probability [q], by cases on one of the bits. *)
Fixpoint tail q n k : R :=
  match n, k with
  | _, 0%N => 1
  | 0%N, _ => 0
  | m.+1, j.+1 => q * tail q m j + (1 - q) * tail q m k
  end.

Lemma tail0 q n : tail q n 0 = 1. Proof. by case: n. Qed.

Lemma tail_ge0 q n k : 0 <= q <= 1 -> 0 <= tail q n k.
Proof.
move=> /andP[q0 q1]; elim: n k => [|n IH] [|k] //=; rewrite ?ler01 //.
by rewrite addr_ge0 ?mulr_ge0 ?subr_ge0.
Qed.

Lemma tail_out q n k : (n < k)%N -> tail q n k = 0.
Proof. by elim: n k => [|n IH] [|k] //= lt; rewrite !IH ?mulr0 ?addr0 // ltnW. Qed.

Lemma binomial_pascal q n k : binomial k.+1 n.+1 q = q * binomial k n q + (1 - q) * binomial k.+1 n q.
Proof.
rewrite /binomial binS natrD subSS addrC !mulrDl exprS; congr (_ + _); first by ring.
have [lt|le] := ltnP k n; last by rewrite bin_small // !mul0r !mulr0 addr0.
by rewrite -(subnSK lt) exprS; ring.
Qed.

(** The probability of exactly [k]. *)
Lemma tail_step q n k : tail q n k = binomial k n q + tail q n k.+1.
Proof.
elim: n k => [|n IH] [|k] /=; rewrite ?addr0.
- by rewrite /binomial bin0 !expr0 !mulr1.
- by rewrite /binomial bin_small ?mul0r.
- have e : tail q n 1 = 1 - (1 - q) ^+ n.
    by rewrite -[X in X - _](tail0 q n) (IH 0%N) /binomial bin0 subn0 expr0 !mul1r addrAC subrr add0r.
  by rewrite e tail0 /binomial bin0 subn0 expr0 exprS; ring.
by rewrite (IH k) (IH k.+1) binomial_pascal; ring.
Qed.

Lemma tail_all q n : tail q n n = q ^+ n.
Proof. by elim: n => //= n IH; rewrite IH tail_out ?mulr0 ?addr0 ?exprS. Qed.

(** Down from [n] by [i] steps: how many are left, how many were made, and, for the probability u / (u + v) of a 1,
    (u + v)^n times the probabilities of exactly so many ones and of at least so many. *)
Fixpoint descent (u v n : N) (i : nat) : N * N * N * N :=
  if i is i'.+1 then
    let: (j, m, c, s) := descent u v n i' in
    let c' := N.div (N.mul c (N.mul j v)) (N.mul (N.succ m) u) in (N.pred j, N.succ m, c', N.add s c')
  else (n, N0, N.pow u n, N.pow u n).

Lemma descentP (u v n : N) i : (0 < u)%N -> (i <= n)%N ->
  let: (j, m, c, s) := descent u v n i in let q := u%:R / (u + v)%:R in
  [/\ j = (n - i)%N :> nat, m = i :> nat, c = ('C(n, n - i) * u ^ (n - i) * v ^ i)%N :> nat &
      s%:R = (u + v)%:R ^+ n * tail q n (n - i) :> R].
Proof.
move=> u0; have uv : (u + v)%:R != 0 :> R by rewrite pnatr_eq0 -lt0n addn_gt0 u0.
have scaled i' : (i' <= n)%N -> ('C(n, n - i') * u ^ (n - i') * v ^ i')%N%:R = (u + v)%:R ^+ n * binomial (n - i') n (u%:R / (u + v)%:R) :> R.
  move=> le; have -> : binomial (n - i') n (u%:R / (u + v)%:R) = 'C(n, n - i')%:R * (u%:R / (u + v)%:R) ^+ (n - i') * (v%:R / (u + v)%:R) ^+ i' :> R.
    rewrite /binomial subKn //; congr (_ * _ ^+ _).
    by rewrite -{1}(divff uv) -mulrBl natrD addrAC subrr add0r.
  rewrite !natrM !natrX !expr_div_n.
  have -> : (u + v)%:R ^+ n = (u + v)%:R ^+ (n - i') * (u + v)%:R ^+ i' :> R by rewrite -exprD subnK.
  move: ((u + v)%:R ^+ _) (expf_neq0 (n - i') uv) ((u + v)%:R ^+ i') (expf_neq0 i' uv) => w w0 w' w'0.
  move: (u%:R ^+ _) (v%:R ^+ _) => x y; field; exact/andP.
elim: i => [_|i IH lt] /=.
  by rewrite subn0 binn nat_of_pow_bin muln1 mul1n; split=> //; rewrite tail_all expr_div_n natrX mulrC divfK // expf_neq0.
have := IH (ltnW lt); case: (descent u v n i) => [[[j m] c] s] [jE mE cE sE].
have j0 : j <> N0 by move=> j0; move: lt; rewrite -subn_gt0 -jE j0.
have -> : N.div (N.mul c (N.mul j v)) (N.mul (N.succ m) u) = bin_of_nat ('C(n, n - i.+1) * u ^ (n - i.+1) * v ^ i.+1).
  set b := bin_of_nat _; suff -> : N.mul c (N.mul j v) = N.mul b (N.mul (N.succ m) u).
    by apply: N.div_mul; move/(congr1 nat_of_bin); rewrite nat_of_mul_bin nat_of_succ_bin => /eqP; rewrite muln_eq0 /= eqn0Ngt u0.
  apply: (can_inj nat_of_binK); rewrite !nat_of_mul_bin nat_of_succ_bin cE jE mE bin_of_natK.
  have := mul_bin_left n (n - i.+1); rewrite subnSK // subKn // => e.
  rewrite -{2}(subnSK lt) !expnS !mulnA (ACl (5*1*2*3*4*6)) /= e.
  by rewrite [RHS](ACl (5*1*6*2*4*3)).
split.
- by apply: succn_inj; rewrite -nat_of_succ_bin N.succ_pred // subnSK.
- by rewrite nat_of_succ_bin mE.
- by rewrite bin_of_natK.
by rewrite nat_of_add_bin natrD sE bin_of_natK scaled // -mulrDr addrC -(subnSK lt) -tail_step.
Qed.

Definition tail_bin (u v n : N) (i : nat) : N := let: (_, _, _, s) := descent u v n i in s.

Lemma tail_binE (u v n : N) i (w m k : nat) q : nat_of_bin n = m -> (k + i)%N = m -> (u + v)%N = w -> (0 < u)%N ->
  q = u%:R / w%:R -> (tail_bin u v n i)%:R = w%:R ^+ m * tail q m k :> R.
Proof.
move=> <- kE <- u0 ->; have le : (i <= n)%N by rewrite -kE leq_addl.
by have := descentP v u0 le; rewrite /tail_bin; case: (descent u v n i) => [[[j m'] c] s] [_ _ _ ->]; rewrite -kE addnK.
Qed.

(** A number that Coq has in unary, and the same in binary. *)
Lemma same_number (k : nat) (b : N) : k = b -> k%:R = b%:R :> R.
Proof. by move=> ->. Qed.
End Tails.
