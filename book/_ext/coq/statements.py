"""Statements proved by machine: the theorems in ``proofs/*.v``, read without Coq.

A Coq file is a sequence of sentences, each ending with a full stop. The book shows the statement of
a theorem, the hypotheses it is proved under, and the definitions it uses; the text between
``Proof.`` and ``Qed.`` is for Coq alone, see `check`. The ledger's `evidence` has a digest of each
theorem: its own words and those of all it mentions, without comments, line breaks and proofs.

A theorem in a section holds for every value of the section's variables, and under its hypotheses.
All of them belong to the theorem, even if it does not mention them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

FOLDER = "proofs"
PROJECT = "_CoqProject"
# The logical name of the folder: ``Require Import pkdp.divergence``.
LIBRARY = "pkdp"

THEOREMS = frozenset({"Theorem", "Lemma", "Corollary"})
# Proved as well, but not what the ledger may cite: their words say that they matter less.
_PROVED = THEOREMS | {"Proposition", "Fact", "Remark", "Example", "Goal"}
_DATA = frozenset({"Inductive", "Variant", "CoInductive", "Record", "Structure", "Class"})
_DEFINED = frozenset({"Definition", "Fixpoint", "CoFixpoint", "Function", "Let"})
_BOUND = frozenset({"Variable", "Variables", "Hypothesis", "Hypotheses", "Context"})
_AMBIENT = frozenset({"Coercion", "Canonical", "Instance", "Open"})
_BEGINS = _PROVED | _DATA | _DEFINED | _BOUND | _AMBIENT | {"Section", "Module", "End", "Notation"}

_MARK = re.compile(r'\(\*|"|\.(?=\s|$)')
_HEAD = re.compile(
    r"(?:#\[[^\]]*\]\s*)*"
    r"(?:(?:Local|Global|Program|Polymorphic|Monomorphic|Cumulative|Private)\s+)*"
    r"(?P<kind>[A-Z]\w*|HB\.instance)\s*(?P<name>[A-Za-z_][\w']*)?"
)
_IDENTIFIER = re.compile(r"[A-Za-z_][\w']*")
_BULLETS = re.compile(r"^[-+*{}\s]+")
_ENDED = re.compile(r"(Qed|Defined|Admitted|Abort|Save)\b")
_REQUIRED = re.compile(r"(?:From\s+(?P<library>[\w.]+)\s+)?Require\s+(?:Import\s+|Export\s+)?(.*)")


class CoqError(ValueError):
    """A theorem that is not there, or that is none; the message says which."""


@dataclass(frozen=True)
class Sentence:
    """A sentence of Coq."""

    code: str  # its text without comments, from its first word to its full stop
    doc: str  # the comment ``(** … *)`` right before it, without its marks; empty if there is none
    line: int  # the line on which it begins, from 1

    @cached_property
    def head(self) -> tuple[str, str]:
        """The word that says what kind of sentence it is, and the next name."""
        found = _HEAD.match(self.code)
        return (found["kind"], found["name"] or "") if found else ("", "")

    @cached_property
    def plain(self) -> str:
        """The code on one line."""
        return " ".join(self.code.split())

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """The names in it."""
        return frozenset(_IDENTIFIER.findall(self.code))


def sentences(text: str) -> Iterator[Sentence]:
    r"""Yield the sentences of a file.

    Examples
    --------
    >>> text = '(** One. *) Lemma a (x : nat) (* x. *) :\n  x.+1 = "a. b" . Proof. by []. Qed.'
    >>> [(one.plain, one.doc) for one in sentences(text)][:2]
    [('Lemma a (x : nat) : x.+1 = "a. b" .', 'One.'), ('Proof.', '')]
    """
    code, doc, begun, at = [], "", 0, 0
    while mark := _MARK.search(text, at):
        code.append(text[at : mark.start()])
        if "".join(code).strip() and not begun:
            begun = _line_of_first_word(text, at, mark.start())
        if mark[0] == "(*":
            end = _end_of_comment(text, mark.start())
            if not begun and text.startswith("(**", mark.start()):
                doc = _unmarked(text[mark.start() : end])
            code.append(" " if begun else "")
        elif mark[0] == '"':
            end = text.find('"', mark.end()) + 1 or len(text)
            code.append(text[mark.start() : end])
            begun = begun or text.count("\n", 0, mark.start()) + 1
        else:
            end = mark.end()
            code.append(".")
            dots = len("".join(code)) - len("".join(code).rstrip("."))
            if dots != 2:  # two of them stand for a list in a notation
                yield Sentence(_tidy("".join(code)), doc, begun)
                code, doc, begun = [], "", 0
        at = end


def _line_of_first_word(text: str, start: int, end: int) -> int:
    first = start + len(text[start:end]) - len(text[start:end].lstrip())
    return text.count("\n", 0, first) + 1


def _end_of_comment(text: str, start: int) -> int:
    """Return where a comment ends; comments have comments in them."""
    depth = 0
    for mark in re.compile(r'\(\*|\*\)|"[^"]*"').finditer(text, start):
        depth += {"(*": 1, "*)": -1}.get(mark[0], 0)
        if not depth:
            return mark.end()
    return len(text)


def _unmarked(comment: str) -> str:
    """Return the text of a comment, its lines without their indent; a heading has none."""
    text = comment.removeprefix("(**").removesuffix("*)").strip()
    return "" if text.startswith("*") else "\n".join(map(str.strip, text.splitlines()))


def _tidy(code: str) -> str:
    """Return code without the lines that only had a comment, and without its indent."""
    lines = [line.rstrip() for line in code.strip("\n").splitlines()]
    lines = [line for line in lines if line]
    indent = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    return "\n".join(line[indent:] for line in lines).strip()


@dataclass(frozen=True)
class Declaration:
    """A sentence that gives something a name, and where it stands."""

    file: str  # the file's name, such as ``divergence.v``
    place: int  # how many declarations stand before it in its file
    name: str  # what it declares, after its modules: ``hs_convex``
    # All names by which it may be mentioned, constructors and fields among them.
    names: frozenset[str]
    sentence: Sentence  # what it says
    # The variables and hypotheses of the sections around it, and what its letters stand for.
    context: tuple[Sentence, ...]

    @property
    def kind(self) -> str:
        """The word it begins with."""
        return self.sentence.head[0]

    @property
    def bound(self) -> tuple[Sentence, ...]:
        """What it holds under: of a definition what it mentions, of a theorem all hypotheses."""
        names, found = set(self.sentence.mentioned), []
        for one in reversed(self.context):
            always = self.kind in _PROVED and one.head[0] in _BOUND
            if always or names & declared_names(one):
                found.append(one)
                names |= one.mentioned
        return tuple(reversed(found))


def declared_names(sentence: Sentence) -> set[str]:
    """Return the names that a sentence binds: ``Variables (R : realFieldType) (T : finType).``."""
    kind = sentence.head[0]
    body = sentence.code[sentence.code.index(kind) + len(kind) :]
    if kind == "Implicit":
        body = re.sub(r"^\s*Types?\b", "", body)
    groups = re.findall(r"[({]([^(){}:]*):", body) or [body.partition(":")[0]]
    return {name for group in groups for name in _IDENTIFIER.findall(group)}


class _File:
    """A file: its declarations, what it makes of notations, and which other files it reads."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.declarations: list[Declaration] = []
        self.required: list[str] = []
        # The sections and modules that are open: kind, name, and what the section binds.
        self._open: list[tuple[str, str, list[Sentence]]] = [("", "", [])]
        proving: list[Sentence] = []  # a statement, and its proof so far
        for one in sentences(text):
            if proving:
                done = _ENDED.match(_BULLETS.sub("", one.code))
                if not done and one.head[0] not in _BEGINS:
                    proving.append(one)
                    continue
                self._prove(proving, done[1] if done else "")
                proving = []
                if done:
                    continue
            if _needs_proof(one):
                proving = [one]
            else:
                self._read(one)
        if proving:
            self._prove(proving, "")

    def _read(self, one: Sentence) -> None:
        kind, name = one.head
        if kind in ("Section", "Module"):
            self._open.append((kind, name, []))
        elif kind == "End" and len(self._open) > 1:
            self._open.pop()
        elif kind in _BOUND or (kind == "Implicit" and name in ("Type", "Types")):
            self._open[-1][2].append(one)
        elif kind in ("From", "Require"):
            self.required += _required(one.plain)
        elif kind in _DATA | _DEFINED | _AMBIENT | {"Notation", "Infix", "Reserved", "HB.instance"}:
            self._declare(one)

    def _prove(self, proving: list[Sentence], ended: str) -> None:
        """Declare what has a proof; what is no theorem is what its proof makes."""
        first = proving[0]
        if first.head[0] not in _PROVED:
            code = "\n".join(one.code for one in proving)
            first = Sentence(f"{code}\n{ended}.", first.doc, first.line)
        self._declare(first)

    def _declare(self, one: Sentence) -> None:
        kind, name = one.head
        modules = [label for kind, label, _ in self._open if kind == "Module"]
        names = {name} if kind in _PROVED | _DEFINED else set()
        if kind in _DATA:
            names = {name, *re.findall(r"(?:\||:=|\{|;|\bwith)\s*([A-Za-z_][\w']*)", one.code)}
        if kind == "Notation" and not re.match(r'[^:]*?"', one.code):
            names = {name}
        context = tuple(sentence for _, _, bound in self._open for sentence in bound)
        place, full_name = len(self.declarations), ".".join([*modules, name])
        self.declarations.append(
            Declaration(self.name, place, full_name, frozenset(names), one, context)
        )


def _needs_proof(one: Sentence) -> bool:
    kind, _ = one.head
    return kind in _PROVED or (kind in _DEFINED | {"Instance"} and ":=" not in one.code)


def _required(plain: str) -> list[str]:
    """Return the files of this folder that a sentence reads.

    Examples
    --------
    >>> _required("From pkdp Require Import divergence counts.")
    ['divergence.v', 'counts.v']
    >>> _required("From mathcomp Require Import all_ssreflect.")
    []
    """
    found = _REQUIRED.match(plain.rstrip("."))
    if found is None or found["library"] not in (None, LIBRARY):
        return []
    names = found[2].split()
    return [f"{name.removeprefix(LIBRARY + '.')}.v" for name in names]


def _is_used(notation: Sentence, text: str) -> bool:
    r"""Return whether a text has all signs of a notation.

    Examples
    --------
    >>> (one,) = sentences('Notation "P \'-[\' E \']->\' Q" := (hs E P Q).')
    >>> _is_used(one, "P -[ 2 ]-> Q"), _is_used(one, "P - [Q]")
    (True, False)
    """
    pattern = re.search(r'"([^"]*)"', notation.code)
    parts = pattern[1].split() if pattern else []
    signs = [part.strip("'") for part in parts if not _IDENTIFIER.fullmatch(part)]
    return bool(signs) and all(sign in text for sign in signs)


class Proofs:
    """The theorems of the folder ``proofs``."""

    def __init__(self, folder: Path) -> None:
        paths = sorted(folder.glob("*.v"))
        self.files = {path.name: _File(path.name, path.read_text("utf-8")) for path in paths}

    def theorem(self, evidence: str) -> Declaration:
        """Return a theorem, by what the ledger calls it: ``proofs/divergence.v::hs_convex``.

        Raises CoqError if it is not there, or is no theorem, lemma or corollary.
        """
        path, _, name = evidence.partition("::")
        file = self.files.get(path.removeprefix(f"{FOLDER}/"))
        found = [one for one in file.declarations if one.name == name] if file else []
        if not found:
            raise CoqError("is not there")
        if found[-1].kind not in THEOREMS:
            raise CoqError(f"is no theorem, lemma or corollary, but called {found[-1].kind}")
        return found[-1]

    def definitions(self, theorem: Declaration) -> list[Declaration]:
        """Return what a theorem rests on for its meaning, as the files have it.

        These are the definitions and notations of this folder that it mentions, those that these
        mention, and so on; not what comes with Coq.
        """
        found: dict[tuple[str, int], Declaration] = {}
        waiting = [theorem]
        while waiting:
            for one in self._mentioned(waiting.pop()):
                if (one.file, one.place) not in found:
                    found[one.file, one.place] = one
                    waiting.append(one)
        order = list(self._readable(theorem.file))
        return sorted(found.values(), key=lambda one: (-order.index(one.file), one.place))

    def digest(self, evidence: str) -> str:
        """Return a digest of what a theorem says; raises CoqError as `theorem` does."""
        theorem = self.theorem(evidence)
        parts = [theorem, *self.definitions(theorem)]
        said = [line.plain for one in parts for line in (*one.bound, one.sentence)]
        return hashlib.sha256("\n".join(said).encode()).hexdigest()[:16]

    def _readable(self, name: str) -> dict[str, None]:
        """Return a file and those that it requires, directly or through others; itself first."""
        found = {name: None}
        for one in self.files[name].required:
            if one in self.files:
                found |= self._readable(one)
        return found

    def _mentioned(self, user: Declaration) -> Iterator[Declaration]:
        """Yield what a declaration and its variables mention directly."""
        said = [*user.bound, user.sentence]
        names = {name for one in said for name in one.mentioned}
        text = " ".join(one.plain for one in said)
        for one in self._before(user):
            if one.names:
                used = bool(one.names & names)
            else:
                used = one.kind in _AMBIENT or _is_used(one.sentence, text)
            if used:
                yield one

    def _before(self, user: Declaration) -> Iterator[Declaration]:
        """Yield what a declaration can mention."""
        for file in self._readable(user.file):
            for one in self.files[file].declarations:
                if file == user.file and one.place >= user.place:
                    break
                yield one


def read(root: Path) -> Proofs:
    """Return the theorems of a project; files that did not change are not read again."""
    folder = root / FOLDER
    return _read(folder, tuple((p.name, p.stat().st_mtime_ns) for p in sorted(folder.glob("*.v"))))


@lru_cache(maxsize=8)
def _read(folder: Path, changed_at: tuple[tuple[str, int], ...]) -> Proofs:
    del changed_at  # it tells changed files from those that were read before
    return Proofs(folder)


def texts(root: Path) -> dict[str, str]:
    """Return a digest of the text of each file that Coq reads, and of how it is told to read."""
    folder = root / FOLDER
    paths = [*sorted(folder.glob("*.v")), folder / PROJECT]
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        for path in paths
        if path.is_file()
    }


def is_proof(evidence: str) -> bool:
    """Return whether a piece of evidence is a theorem that a machine checked.

    Examples
    --------
    >>> is_proof("proofs/divergence.v::hs_convex"), is_proof("tests/test_a.py::test_it")
    (True, False)
    """
    return evidence.startswith(f"{FOLDER}/")
