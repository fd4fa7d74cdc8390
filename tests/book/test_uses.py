"""What rests on what: that the ledger's `uses` names what the proofs on the pages name, and what
follows from it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from book._ext.claims import VERDICTS, Claim, Ledger, Result, read
from book._ext.ledger import relations
from tests.book.built import ROOT
from tests.book.stored import LEDGER

BOOK = ROOT / "book"
ENTRIES = {entry.id: entry for entry in LEDGER.entries}
READ = read(ROOT / "claims")
PAGES = sorted(READ)

FENCE = re.compile(r" *([`:]{3,})(?:\{([^}]+)\} *(.*))? *")
KIND = "Theorem|Proposition|Lemma|Corollary|Definition|Example|Algorithm|Figure"
NUMBERED = re.compile(rf"\b({KIND})s? (\d[\d.]*\d|\d)((?:(?:, | and | to )\d+)*)")
QUOTED = re.compile(rf'\b(?:{KIND}) "([^"]+)"')
ROLE = re.compile(r"\{(?:claim|ref|prf:ref)\}`(?:[^`<]*<)?([^`>]+)>?`")
LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]*)\)")


@dataclass(frozen=True)
class Block:
    """A directive of a page: what it is, its title and its text; or a heading."""

    kind: str
    title: str
    text: str

    @property
    def label(self) -> str | None:
        found = re.search(r"^:label: *(\S+)", self.text, re.MULTILINE)
        return found[1] if found else None

    @property
    def is_proof(self) -> bool:
        return self.kind == "prf:proof" or (
            self.kind == "dropdown" and self.title.startswith("Proof")
        )


def blocks(text: str) -> Iterator[Block]:
    """The outermost directives and the headings of a page, in order."""
    opened: tuple[str, str, str] | None = None
    inside: list[str] = []
    for line in text.splitlines():
        fence = FENCE.fullmatch(line)
        if opened is not None:
            if fence and fence[2] is None and fence[1] == opened[0]:
                yield Block(opened[1], opened[2], "\n".join(inside))
                opened = None
            else:
                inside.append(line)
        elif fence and fence[2] is not None:
            # What stands behind {prf:proof} is the first of its text.
            opened, inside = (fence[1], fence[2], fence[3]), [fence[3]]
        elif line.startswith("#"):
            yield Block("heading", line, "")


def proofs(text: str) -> Iterator[tuple[str, str]]:
    """Each proof of a page, with the label of the statement that it follows in its section."""
    statement = None
    for block in blocks(text):
        if block.kind == "heading":
            statement = None
        elif block.is_proof:
            if statement is not None:
                yield statement, block.text
        elif block.kind.startswith("prf:"):
            statement = block.label


def named(proof: str, page: str) -> list[tuple[str, set[str]]]:
    """What a proof names, and the ids that may be meant.

    An anchor is one id. "Theorem 4" is that of the page's paper, or of the paper that a link leads
    to, or of another one where these have none.
    """
    found: list[tuple[str, set[str]]] = []
    paper = page.partition("/")[0]

    def look(text: str, home: str) -> None:
        for kind, first, more in NUMBERED.findall(text):
            for number in [first, *re.findall(r"\d+", more)]:
                title = f"{kind} {number}"
                meant = {i for i, entry in ENTRIES.items() if _title(entry) == title}
                near = {i for i in meant if ENTRIES[i].page.partition("/")[0] == home}
                found.append((title, near or meant))
        for title in QUOTED.findall(text):
            found.append((title, {i for i, entry in ENTRIES.items() if entry.title == title}))

    for text, target in LINK.findall(proof):
        anchor = target.partition("#")[2]
        there = re.fullmatch(r"\.\./([^/]+)/.*", target)
        if anchor in ENTRIES:
            found.append((target, {anchor}))
        else:
            look(text, there[1] if there else paper)
            result = {one.id for one in LEDGER.results if one.title == text}
            found += [(text, result)] if result else []
    found += [(name, {name}) for name in ROLE.findall(proof) if name in ENTRIES]
    look(LINK.sub("", proof), paper)
    return found


def _title(entry) -> str:
    """The name of a numbered item, "Theorem 4" for "Theorem 4, with knowledge" as well."""
    return entry.title.partition(", ")[0] if isinstance(entry, Claim) else ""


def lacking(statement: str, proof: str, page: str) -> list[str]:
    """What the proof of a statement names, and the ledger's `uses` do not."""
    entry = ENTRIES[statement]
    uses = {statement, *entry.supports}
    return [
        name
        for name, meant in named(proof, page)
        # "Theorem 3" may be said of its correction.
        if not any(uses & {one, *_corrected_by(one)} for one in meant)
    ]


def _corrected_by(identifier: str) -> tuple[str, ...]:
    correction = getattr(ENTRIES[identifier], "correction", None)
    return correction.uses if correction else ()


@pytest.mark.parametrize("page", PAGES)
def test_what_a_proof_names_is_among_what_it_uses(page):
    text = (BOOK / f"{page}.md").read_text()
    missing = {
        statement: names
        for statement, proof in proofs(text)
        if statement in ENTRIES and (names := lacking(statement, proof, page))
    }
    assert missing == {}


@pytest.mark.parametrize("page", PAGES)
def test_what_is_proved_says_what_its_proof_rests_on(page):
    entries = READ[page].get("claims", [])
    proved = re.compile(r"(?:[a-z0-9]+-)*?(?:(thm|prop|lem|cor)|def|ex|fig|alg|rem|claim)-.*")
    assert [
        entry["id"]
        for entry in entries
        if proved.fullmatch(entry["id"])[1] and entry["status"] in VERDICTS and "uses" not in entry
    ] == []


# --------------------------------------------------------------------------------------------
# Up and down
# --------------------------------------------------------------------------------------------


def claim(name, uses=(), status="holds", severity=None):
    told = dict.fromkeys(("page", "title", "source", "where", "version_read", "says"), "")
    return Claim(name, **told, status=status, severity=severity, uses=tuple(uses))


def result(name, uses=()):
    told = dict.fromkeys(("page", "title", "says", "status", "by", "prior"), "")
    return Result(name, "1.1", **told, evidence=(), assumes=(), uses=tuple(uses))


CHAIN = Ledger(
    claims=(
        claim("thm-1", status="fails", severity="guarantee"),
        claim("thm-2", ["thm-1", "def-1"]),
        claim("thm-3", ["thm-2"]),
        claim("def-1", status="misprint", severity="wording"),
        claim("thm-4", ["ours", "def-1"]),
    ),
    results=(result("ours", ["thm-3"]),),
)


def test_what_rests_on_what_is_followed_to_the_end():
    assert relations.users(CHAIN)["def-1"] == ("thm-2", "thm-4")
    assert relations.ancestors(CHAIN)["thm-4"] == ("thm-1", "thm-2", "thm-3", "def-1", "ours")
    assert relations.dependents(CHAIN)["thm-1"] == ("thm-2", "thm-3", "thm-4", "ours")


def test_an_erratum_touches_what_the_source_proves_by_it():
    touched = relations.touching(CHAIN)
    assert touched["thm-2"] == touched["thm-3"] == ("thm-1",)
    # Words alone mislead nobody, and what is proved here goes round the error.
    assert touched["ours"] == touched["thm-4"] == ()


def test_corollary_1_holds_and_is_touched_by_theorem_3():
    assert "thm-3" in relations.touching(LEDGER)["cor-1"]
    assert {"prop-4", "claim-criterion-avoids"} <= {*relations.dependents(LEDGER)["prop-2"]}
    assert not any(relations.touching(LEDGER)[one.id] for one in LEDGER.results)
