(** * What a theorem assumes, as a statement of its own

    A theorem whose hypotheses nothing satisfies says nothing. So each theorem that
    the ledger cites and that has a hypothesis on the family, the knowledge or the
    mechanism has a lemma that something satisfies all its hypotheses together:
    [thm_1_inhabited] for [thm_1]. What the lemma says, Coq makes of the theorem, see [satisfiable]. *)

Set Warnings "-notation-overridden,-ambiguous-paths".
From mathcomp Require Import all_ssreflect all_algebra.
From pkdp Require Import divergence worlds mechanisms.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

(** The record of [i] can be [a] or [b] with what is known: there is something to protect. *)
Definition varied (R : realFieldType) n (T B : finType) (w : world R n T B) i :=
  exists a b k, [/\ a != b, compatible w i a k & compatible w i b k].

(** What the variables of a theorem stand for, if it is about worlds or mechanisms. A function of
    databases is a mechanism, too, and a world can be given by the probabilities of each record. *)
Ltac subject A :=
  lazymatch A with
  | world _ _ _ _ => idtac
  | family _ _ _ _ => idtac
  | mechanism _ _ _ _ => idtac
  | randomized _ _ _ => idtac
  | tuple_of _ _ -> _ => idtac
  | ordinal _ -> _ => idtac
  | ordinal _ -> _ -> _ => idtac
  end.

(** Whether a hypothesis mentions such a variable, or the set of what can be known. *)
Ltac about P :=
  match goal with
  | x : ?A |- _ => subject A; match P with context [x] => idtac end
  | w : world _ _ _ ?B |- _ => is_var B; match P with context [B] => idtac end
  end.

(** Whether the goal, a theorem's statement, has such a hypothesis; so may each of two or three sentences that it
    joins. What a definition hides is not looked at. *)
Ltac demanding :=
  cbv zeta;
  lazymatch goal with
  | |- forall x : ?A, _ => first [lazymatch type of A with Prop => about A end | intro; demanding]
  | |- ?A /\ ?B => first [cut A; [|demanding] | cut B; [|demanding]]
  | |- [/\ ?A, ?B & ?C] => first [cut A; [|demanding] | cut B; [|demanding] | cut C; [|demanding]]
  end.

(** There is something to protect, for the world or the family of the theorem. *)
Ltac something_varied :=
  match goal with
  | Th : family _ _ _ _ |- _ => exact (exists w i, Th w i /\ varied w i)
  | w : world _ ?n _ _, i : ordinal ?n |- _ => exact (varied w i)
  | w : world _ _ _ _ |- _ => exact (exists i, varied w i)
  | _ => exact True
  end.

(** The statement [T] with "there is" for each "for all", "and" for each "if", and at its end that there is
    something to protect. The field stays any field. *)
Ltac turned T :=
  lazymatch T with
  | forall R : realFieldType, @?S R =>
      let y := fresh "R" in
      constr:(forall y : realFieldType, ltac:(let T' := eval cbv beta in (S y) in let r := turned T' in exact r))
  | forall x : ?A, @?S x =>
      let y := fresh "x" in
      constr:(exists y : A, ltac:(let T' := eval cbv beta in (S y) in let r := turned T' in exact r))
  | ?A /\ ?B => let a := turned A in let b := turned B in constr:(a /\ b)
  | [/\ ?A, ?B & ?C] => let a := turned A in let b := turned B in let c := turned C in constr:([/\ a, b & c])
  | _ => constr:(ltac:(something_varied))
  end.

(** That all hypotheses of the theorem [t] can be satisfied together, by something with a target that can vary. *)
Notation satisfiable t := ltac:(let T := type of t in let T' := eval cbv zeta in T in let P := turned T' in exact P) (only parsing).
