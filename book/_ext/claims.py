"""The ledger: what the papers claim, whether it holds, and which tests say so.

A YAML file for each section, ``claims/<paper>/4-1.yml``, has a document for each page of it: those
whose names begin so. It names the ``page`` and has two lists: ``claims``, each about one numbered
item or verbal claim of a source, and ``own``, the results of this book. The book's verdicts, tables
of claims, errata and list of results come from the ledger; `evidence` compares it with its tests.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator, ValidationError

# What the ledger must look like, as its files and as ``claims.json`` in the built book.
SCHEMA_FILE = Path(__file__).parents[2] / "claims" / "schema.json"
_DEFINED: dict[str, Any] = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))["$defs"]
STATUSES: tuple[str, ...] = tuple(_DEFINED["claim"]["properties"]["status"]["enum"])
METHODS: tuple[str, ...] = tuple(_DEFINED["method"]["enum"])
# The worst first: a privacy guarantee that is none, then a wrong number, a gap in a proof, a word.
SEVERITIES: tuple[str, ...] = tuple(_DEFINED["claim"]["properties"]["severity"]["enum"])
# A verdict rests on evidence; the other statuses say that there is nothing to judge, or not yet.
VERDICTS: tuple[str, ...] = tuple(_DEFINED["judged"]["enum"])
# What is not right as printed is put right, and its severity said.
ERRATA: tuple[str, ...] = tuple(_DEFINED["wrong"]["enum"])
# Conditions that results share; the glossary explains each.
ASSUMPTIONS: tuple[str, ...] = tuple(_DEFINED["assumptions"]["items"]["enum"])
# What a result of this book can be.
RESULT_STATUSES: tuple[str, ...] = tuple(_DEFINED["result"]["properties"]["status"]["enum"])
# Ids are unique in the whole book: those of papers other than the first begin with a prefix.
ANCHOR = re.compile(_DEFINED["claim"]["properties"]["id"]["pattern"])

# The parser in C, where there is one: ten times as fast.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# A document of the ledger is one page of ``claims.json``.
_PAGE = Draft202012Validator({"$ref": "#/$defs/page", "$defs": _DEFINED})
# What a user of the main paper must know, in short.
GLANCE = "at-a-glance.yml"
_GLANCE = Draft202012Validator({"$ref": "#/$defs/glance", "$defs": _DEFINED})
# What is built upon comes before what explains it, and both before remarks.
KINDS = ("thm", "prop", "cor", "lem", "ex", "fig", "def", "alg", "claim", "rem")


@dataclass(frozen=True)
class Correction:
    """What holds instead of a printed statement."""

    says: str  # the corrected statement, as MyST text
    by: str  # how it was checked: one of ``METHODS``
    evidence: tuple[str, ...]  # the tests that check it, and theorems of ``proofs``
    uses: tuple[str, ...]  # ids of the claims and results that its proof rests on


@dataclass(frozen=True)
class Tried:
    """A reading of a claim that was tried before a verdict was given."""

    reading: str  # how the words are read, as MyST text
    becomes: str  # what becomes of the claim, so read; MyST text
    evidence: tuple[str, ...]  # the tests that show it


@dataclass(frozen=True)
class Claim:
    """A claim of a source, and the verdict on it."""

    id: str  # its anchor on the page, e.g. ``thm-3``
    page: str  # the page it is discussed on, in its paper's folder
    # Its name in the source, e.g. ``Theorem 3``, or a few words for a claim without a number;
    # plain text.
    title: str
    source: str  # a key of ``references.bib``
    where: str  # the place in the source, e.g. ``section 4.1``
    version_read: str  # which version of the source was read
    says: str  # the claim in our words, as MyST text
    status: str  # the verdict, or why there is none: one of ``STATUSES``
    by: str | None = None  # how it was checked: one of ``METHODS``; None where nothing was
    # Ids of tests, doctests or notebooks, and theorems of ``proofs``.
    evidence: tuple[str, ...] = ()
    # How the words are read here; MyST text. Where other readings were `tried`, they say it.
    reading: str | None = None
    # The readings tried, the most charitable first, for each disputed status.
    tried: tuple[Tried, ...] = ()
    # The erratum but for which this one would not be: its own error is the same.
    follows_from: str | None = None
    correction: Correction | None = None  # what holds instead, for each status in ``ERRATA``
    severity: str | None = None  # one of ``SEVERITIES``, for each status in ``ERRATA``
    reply: str | None = None  # what the authors say to the verdict; MyST text
    # Ids of the claims and results that its proofs rest on, the source's and the page's.
    uses: tuple[str, ...] = ()

    @property
    def correction_uses(self) -> tuple[str, ...]:
        """What the correction rests on, if there is one."""
        return self.correction.uses if self.correction else ()

    @property
    def supports(self) -> tuple[str, ...]:
        """What the claim and its correction rest on, each id once."""
        return tuple(dict.fromkeys(self.uses + self.correction_uses))

    @property
    def all_evidence(self) -> tuple[str, ...]:
        """The evidence of the verdict, of the readings and of the correction, each id once."""
        tried = tuple(one for reading in self.tried for one in reading.evidence)
        corrected = self.correction.evidence if self.correction else ()
        return tuple(dict.fromkeys(self.evidence + tried + corrected))


@dataclass(frozen=True)
class Result:
    """A result of this book: no source claims it."""

    id: str  # the label of the statement on its page, e.g. ``tight-bound``
    number: str  # what readers call it, e.g. ``4.1.2``; for good
    page: str  # the page that states and proves it, as for `Claim`
    title: str  # its name on the page; plain text
    says: str  # the statement, complete in itself; MyST text
    status: str  # whether the page proves it
    by: str  # how it was checked: one of ``METHODS``
    evidence: tuple[str, ...]  # ids of tests, doctests or notebooks, and theorems of ``proofs``
    # The conditions that it shares with other results, as terms of the glossary.
    assumes: tuple[str, ...]
    prior: str  # what is known of it elsewhere, and where that was looked for; MyST text
    uses: tuple[str, ...]  # ids of the claims and results that its proof rests on

    @property
    def name(self) -> str:
        """Its name in the book: "Result 4.1.2", "Conjecture N3.2"."""
        return f"{'Conjecture' if self.status == 'conjecture' else 'Result'} {self.number}"

    @property
    def supports(self) -> tuple[str, ...]:
        """What it rests on, under the name that it has for a claim."""
        return self.uses

    @property
    def all_evidence(self) -> tuple[str, ...]:
        """The evidence, under the name that it has for a claim."""
        return self.evidence


@dataclass(frozen=True)
class Finding:
    """What a user of the main paper must know, in short."""

    ids: tuple[str, ...]  # the claims it is about
    printed: str  # MyST text, as are the next two
    breaks: str  # the smallest counterexample
    holds: str


@dataclass(frozen=True)
class Ledger:
    """All that the files of the ledger say."""

    claims: tuple[Claim, ...]  # what the sources claim
    results: tuple[Result, ...]  # what this book adds
    findings: tuple[Finding, ...] = ()  # what matters most, the most important first
    # Where the results of a source are restated later, as MyST text.
    restated: Mapping[str, str] = field(default_factory=dict)

    @property
    def entries(self) -> tuple[Claim | Result, ...]:
        """The claims, and then the results."""
        return (*self.claims, *self.results)


def load(folder: str | Path) -> Ledger:
    """Read the ledger in a folder: claims and results in the order of the files.

    Raises ValueError if an entry is not as described in `Claim` and `Result`; the message names
    file, entry, key and what is allowed.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> entry = '''
    ... page: 4-1-counting-queries
    ... claims:
    ... - id: thm-3
    ...   title: Theorem 3
    ...   source: partial-knowledge
    ...   where: section 4.1
    ...   version_read: arXiv version 2
    ...   says: A count is private.
    ...   status: holds
    ...   by: exact
    ...   evidence: [tests/partial_knowledge/test_counting.py::test_count]
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     paper = Path(folder) / "partial-knowledge"
    ...     paper.mkdir()
    ...     _ = (paper / "4-1.yml").write_text(entry)
    ...     (claim,) = load(folder).claims
    >>> claim.page, claim.id, claim.status
    ('partial-knowledge/4-1-counting-queries', 'thm-3', 'holds')
    """
    claims: list[Claim] = []
    results: list[Result] = []
    for page, content in read(folder).items():
        claims += (_claim(page, entry) for entry in content.get("claims", ()))
        results += (Result(page=page, **_values(entry)) for entry in content.get("own", ()))
    glance = read_glance(folder)
    findings = tuple(Finding(**_values(one)) for one in glance["findings"])
    ledger = Ledger(tuple(claims), tuple(results), findings, glance["restated"])
    _refuse_loose_ends(ledger)
    return ledger


def read(folder: str | Path) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Return what the files of a ledger hold, by their pages, each held to the schema.

    A document that names no page is about the page with the name of its file. Raises ValueError if
    a file is not as the schema says; the message names file, entry, key and what is allowed.
    """
    root = Path(folder)
    files = sorted(set(root.rglob("*.yml")) - {root / GLANCE})
    if not files:
        raise ValueError(
            f"the ledger {str(folder)!r} must hold files <paper>/<section>.yml, and holds none"
        )
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for file in files:
        for content in _documents(file, _PAGE):
            name = content.pop("page", file.stem)
            page = file.relative_to(root).with_name(name).as_posix()
            if page in found:
                raise ValueError(f"{file.name}: page must have one place in the ledger, got {page}")
            found[page] = content
    return found


def read_glance(folder: str | Path) -> dict[str, Any]:
    """Return the findings of a ledger, and what is restated, held to the schema as well."""
    file = Path(folder, GLANCE)
    return {"findings": [], "restated": {}} | (
        _documents(file, _GLANCE)[0] if file.exists() else {}
    )


def _documents(file: Path, validator: Draft202012Validator) -> list[dict[str, Any]]:
    try:
        documents = list(yaml.load_all(file.read_text(encoding="utf-8"), Loader=_LOADER)) or [None]
    except yaml.YAMLError as error:
        raise ValueError(f"{file.name} is not YAML: {' '.join(str(error).split())}") from None
    for content in documents:
        wrong = next(validator.iter_errors(content), None)
        if wrong is not None:
            raise ValueError(f"{file.name}: {_complaint(wrong, content)}")
    return documents


def _complaint(error: ValidationError, content: object) -> str:
    """Return in one sentence which entry of a file is wrong in which key, and what is allowed."""
    path = list(error.absolute_path)
    whose, status = "", ""
    if len(path) > 1:
        kind, number, *path = path
        entry = content[kind][number]  # type: ignore[index]
        name = entry.get("id") if isinstance(entry, dict) else None
        whose = f"{name}: " if isinstance(name, str) else f"{kind}, entry {int(number) + 1}: "
        if isinstance(entry, dict):
            status = f" where status is {entry.get('status')}"
    key = "".join(f"[{step + 1}]" if isinstance(step, int) else f".{step}" for step in path)[1:]
    inner = f"{key}." if key else ""
    got = _shortened(error.instance)
    match error.validator:
        case "required":
            missing = next(one for one in error.validator_value if one not in error.instance)
            problem = f"{inner}{missing} is required"
            problem += status if "then" in error.absolute_schema_path else ""
        case "dependentRequired":
            missing = next(
                one
                for given, needed in error.validator_value.items()
                for one in needed
                if given in error.instance and one not in error.instance
            )
            problem = f"{inner}{missing} is required"
        case "additionalProperties":
            allowed = error.schema["properties"]
            extra = next(one for one in error.instance if one not in allowed)
            problem = f"{inner}{extra} is no key of the ledger, whose keys are {', '.join(allowed)}"
        case "enum":
            problem = f"{key} must be one of {', '.join(error.validator_value)}, got {got}"
        case "not":
            problem = f"{key} has no place{status}"
        case _:
            problem = f"{key} must be {error.schema['description']}, got {got}".lstrip()
    return whose + problem


def _claim(page: str, entry: Mapping[str, Any]) -> Claim:
    values = _values(entry)
    values["tried"] = tuple(Tried(**_values(one)) for one in entry.get("tried", ()))
    if "correction" in entry:
        values["correction"] = Correction(**_values(entry["correction"]))
    return Claim(page=page, **values)


def _values(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry's texts without the ends of their lines, and its lists as tuples."""
    return {
        key: value.strip()
        if isinstance(value, str)
        else tuple(value)
        if isinstance(value, list)
        else value
        for key, value in entry.items()
    }


def _shortened(value: object, limit: int = 60) -> str:
    shown = repr(value)
    return shown if len(shown) <= limit else f"{shown[:limit]}…"


def _refuse_loose_ends(ledger: Ledger) -> None:
    """Refuse ids that two entries have, and ids that lead nowhere or in a circle."""
    entries: dict[str, Claim | Result] = {}
    for entry in ledger.entries:
        if entry.id in entries:
            first = entries[entry.id].page
            raise ValueError(f"{entry.page}: {entry.id}: id must be unique, and {first} has it too")
        entries[entry.id] = entry
    numbers: dict[str, str] = {}
    for result in ledger.results:
        first = numbers.setdefault(result.number, result.id)
        if first != result.id:
            raise ValueError(
                f"{result.page}: {result.id}: number must be unique, and {first} has it too"
            )
    for claim in ledger.claims:
        if claim.follows_from is not None:
            root = entries.get(claim.follows_from)
            if (
                not isinstance(root, Claim)
                or root.severity is None
                or root.follows_from is not None
                or SEVERITIES.index(root.severity) > SEVERITIES.index(str(claim.severity))
            ):
                raise ValueError(
                    f"{claim.page}: {claim.id}: follows_from must be the id of an erratum that "
                    f"is no less grave and follows from none, got {claim.follows_from!r}"
                )
    for entry in ledger.entries:
        for support in entry.supports:
            if support not in entries:
                raise ValueError(
                    f"{entry.page}: {entry.id}: uses must be ids of claims and results, "
                    f"got {support!r}"
                )
        proved_here = entry.uses if isinstance(entry, Result) else entry.correction_uses
        for support in proved_here:
            if misleads(entries[support]):
                raise ValueError(
                    f"{entry.page}: {entry.id}: what is proved here must rest on what holds, and "
                    f"{support} does not as printed: name what its correction uses"
                )
    for finding in ledger.findings:
        for name in finding.ids:
            if not isinstance(entries.get(name), Claim):
                raise ValueError(f"{GLANCE}: ids must be ids of claims, got {name!r}")
    try:
        TopologicalSorter({entry.id: entry.supports for entry in ledger.entries}).prepare()
    except CycleError as error:
        raise ValueError(
            f"uses must not lead in a circle, and does: {' → '.join(reversed(error.args[1]))}"
        ) from None


def kind_of(claim: Claim) -> str:
    """Return the kind of a claim, one of ``KINDS``: the first in its id.

    Examples
    --------
    >>> told = dict.fromkeys(("page", "title", "source", "where", "version_read", "says"), "")
    >>> kind_of(Claim("gk17-thm-3", **told, status="unavailable"))
    'thm'
    """
    return next(part for part in claim.id.split("-") if part in KINDS)


def by_importance(ledger: Ledger, claims: Iterable[Claim]) -> list[Claim]:
    """Return errata, the gravest first; then as they are found at a glance; then by their kind."""
    rank = {name: place for place, one in enumerate(ledger.findings) for name in one.ids}

    def key(claim: Claim) -> tuple[int, int, bool, int]:
        return (
            SEVERITIES.index(str(claim.severity)),
            rank.get(claim.id, len(rank)),
            claim.status == "side-condition",
            KINDS.index(kind_of(claim)),
        )

    return sorted(claims, key=key)


def misleads(entry: Claim | Result) -> bool:
    """Return whether somebody who builds on the entry as printed is led astray: not by words alone.

    Examples
    --------
    >>> told = dict.fromkeys(("page", "title", "source", "where", "version_read", "says"), "")
    >>> [misleads(Claim("thm-3", **told, status="fails", severity=s)) for s in SEVERITIES]
    [True, True, True, False]
    """
    return isinstance(entry, Claim) and entry.severity not in (None, "wording")


def resting(entries: Iterable[Claim | Result]) -> dict[str, list[str]]:
    """Return all evidence of entries, and the ids of those that rest on it."""
    found: dict[str, list[str]] = {}
    for entry in entries:
        for evidence in entry.all_evidence:
            found.setdefault(evidence, []).append(entry.id)
    return dict(sorted(found.items()))
