"""The ledger: what the papers claim, whether it holds, and which tests say so.

One YAML file per page, ``claims/<paper>/<page>.yml``, holds two lists: ``claims``, each about one
numbered item or verbal claim of a source, and ``own``, the results of this book. The book draws its
verdicts, its table of claims, its errata and its list of results from the ledger. After the test
suite ran, ::

    python book/_ext/claims.py check _build/junit.xml

says nothing if every piece of evidence ran and passed, and is what it was when its verdict was
confirmed (see `evidence`), and otherwise what did not.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NoReturn, TypeAlias
from xml.etree import ElementTree

import yaml

# What became of each test, by the classname and the name that pytest reports.
Outcomes: TypeAlias = Mapping[tuple[str, str], str]

STATUSES = (
    "holds",
    "needs-condition",
    "misprint",
    "fails",
    "definition",
    "open",
    "unavailable",
)
METHODS = ("proof", "exact", "numeric")
# The worst first: a privacy guarantee that is none, then a wrong number, a gap in a proof, a word.
SEVERITIES = ("guarantee", "constant", "proof", "wording")

# A verdict rests on evidence; the other statuses say that there is nothing to judge, or not yet.
VERDICTS = ("holds", "needs-condition", "misprint", "fails")
# What is not right as printed is put right, and its severity said.
ERRATA = ("needs-condition", "misprint", "fails")
# Nobody is accused, and no question called open, before other readings were tried.
TRIED = (*ERRATA, "open")
# What a result of this book can be.
RESULT_STATUSES = ("proved", "conjecture")

_LISTS = ("claims", "own")
_REQUIRED = ("id", "title", "source", "where", "version_read", "says", "status")
_OPTIONAL = ("by", "evidence", "reading", "tried", "follows_from", "correction", "severity", "uses")
_CORRECTION = ("says", "by", "evidence", "uses")
_TRIED = ("reading", "becomes", "evidence")
_RESULT = ("id", "title", "says", "status", "by", "evidence", "prior", "uses")

# Ids are unique in the whole book: those of papers other than the first begin with a prefix.
ANCHOR = re.compile(
    r"(?:[a-z0-9]+-)*(?:thm|prop|def|ex|lem|cor|fig|alg|rem|claim)-[a-z0-9]+(?:-[a-z0-9]+)*"
)
_LABEL = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
# The parser in C, where there is one: ten times as fast.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_EVIDENCE = re.compile(r"(?:(?:tests|pkdp)/[\w/]+\.py|notebooks/[\w/-]+\.ipynb)(?:::\S.*)?")


@dataclass(frozen=True)
class Correction:
    """What holds instead of a printed statement.

    Attributes
    ----------
    says : str
        The corrected statement, as MyST text.
    by : {"proof", "exact", "numeric"}
        How it was checked.
    evidence : tuple of str
        The tests that check it.
    uses : tuple of str
        Ids of the claims and results that its proof rests on.
    """

    says: str
    by: str
    evidence: tuple[str, ...]
    uses: tuple[str, ...]


@dataclass(frozen=True)
class Tried:
    """A reading of a claim that was tried before a verdict was given.

    Attributes
    ----------
    reading : str
        How the words are read, as MyST text.
    becomes : str
        What becomes of the claim, so read; MyST text.
    evidence : tuple of str
        The tests that show it.
    """

    reading: str
    becomes: str
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Claim:
    """A claim of a source, and the verdict on it.

    Attributes
    ----------
    id : str
        Its anchor on the page, e.g. ``thm-3``.
    page : str
        The page it is discussed on, in its paper's folder: the ledger file without ``.yml``.
    title : str
        Its name in the source, e.g. ``Theorem 3``, or a few words for a claim without a number;
        plain text.
    source : str
        A key of ``references.bib``.
    where : str
        The place in the source, e.g. ``section 4.1``.
    version_read : str
        Which version of the source was read.
    says : str
        The claim in our words, as MyST text.
    status : {"holds", "needs-condition", "misprint", "fails", "definition", "open", "unavailable"}
        The verdict, or why there is none.
    by : {"proof", "exact", "numeric"} or None
        How it was checked; None where nothing was.
    evidence : tuple of str
        Ids of tests, doctests or notebooks.
    reading : str or None
        How the words are read here; MyST text. Where other readings were `tried`, they say it.
    tried : tuple of Tried
        The readings tried, the most charitable first, for each status in ``TRIED``.
    follows_from : str or None
        The erratum but for which this one would not be: its own error is the same.
    correction : Correction or None
        What holds instead, for each status in ``ERRATA``.
    severity : {"guarantee", "constant", "proof", "wording"} or None
        What the error touches, for each status in ``ERRATA``.
    uses : tuple of str
        Ids of the claims and results that its proofs rest on, the source's and the page's.
    """

    id: str
    page: str
    title: str
    source: str
    where: str
    version_read: str
    says: str
    status: str
    by: str | None = None
    evidence: tuple[str, ...] = ()
    reading: str | None = None
    tried: tuple[Tried, ...] = ()
    follows_from: str | None = None
    correction: Correction | None = None
    severity: str | None = None
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
    """A result of this book: no source claims it.

    Attributes
    ----------
    id : str
        The label of the statement on its page, e.g. ``tight-bound``.
    page : str
        The page that states and proves it, as for `Claim`.
    title : str
        Its name on the page; plain text.
    says : str
        The statement, complete in itself; MyST text.
    status : {"proved", "conjecture"}
        Whether the page proves it.
    by : {"proof", "exact", "numeric"}
        How it was checked.
    evidence : tuple of str
        Ids of tests, doctests or notebooks.
    prior : str
        What is known of it elsewhere, and where that was looked for; MyST text.
    uses : tuple of str
        Ids of the claims and results that its proof rests on.
    """

    id: str
    page: str
    title: str
    says: str
    status: str
    by: str
    evidence: tuple[str, ...]
    prior: str
    uses: tuple[str, ...]

    @property
    def supports(self) -> tuple[str, ...]:
        """What it rests on, under the name that it has for a claim."""
        return self.uses

    @property
    def all_evidence(self) -> tuple[str, ...]:
        """The evidence, under the name that it has for a claim."""
        return self.evidence


@dataclass(frozen=True)
class Ledger:
    """All that the files of the ledger say.

    Attributes
    ----------
    claims : tuple of Claim
        What the sources claim.
    results : tuple of Result
        What this book adds.
    """

    claims: tuple[Claim, ...]
    results: tuple[Result, ...]

    @property
    def entries(self) -> tuple[Claim | Result, ...]:
        """The claims, and then the results."""
        return (*self.claims, *self.results)


def load(folder: str | Path) -> Ledger:
    """Read a ledger.

    Parameters
    ----------
    folder : path
        Folder of the ledger files, ``<paper>/<page>.yml``.

    Returns
    -------
    Ledger
        Claims and results in the order of the file names, and within a file in its order.

    Raises
    ------
    ValueError
        If an entry is not as described in `Claim` and `Result`; the message names file, entry, key
        and what is allowed.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> entry = '''
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
    ...     _ = (paper / "4-1-counting-queries.yml").write_text(entry)
    ...     (claim,) = load(folder).claims
    >>> claim.page, claim.id, claim.status
    ('partial-knowledge/4-1-counting-queries', 'thm-3', 'holds')
    """
    root = Path(folder)
    files = sorted(root.rglob("*.yml"))
    if not files:
        raise ValueError(
            f"the ledger {str(folder)!r} must hold files <paper>/<page>.yml, and holds none"
        )
    claims: list[Claim] = []
    results: list[Result] = []
    for file in files:
        page = file.relative_to(root).with_suffix("").as_posix()
        read = _lists(file)
        for number, entry in enumerate(read["claims"], start=1):
            claims.append(_Reader(page, f"{file.name}: entry {number}", entry).claim())
        for number, entry in enumerate(read["own"], start=1):
            results.append(_Reader(page, f"{file.name}: own entry {number}", entry).result())
    ledger = Ledger(tuple(claims), tuple(results))
    _refuse_loose_ends(ledger)
    return ledger


def _lists(file: Path) -> dict[str, list[object]]:
    """Return the lists of a file, those that it does not have empty."""
    try:
        content = yaml.load(file.read_text(encoding="utf-8"), Loader=_LOADER)
    except yaml.YAMLError as error:
        raise ValueError(f"{file.name} is not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(content, dict) or not content or not set(content) <= set(_LISTS):
        raise ValueError(
            f"{file.name}: must be a mapping of {' and '.join(_LISTS)}, got {_shortened(content)}"
        )
    for key, entries in content.items():
        if not isinstance(entries, list) or not entries:
            raise ValueError(
                f"{file.name}: {key} must be a list of entries, got {_shortened(entries)}"
            )
    return {key: content.get(key, []) for key in _LISTS}


def _shortened(value: object, limit: int = 60) -> str:
    shown = repr(value)
    return shown if len(shown) <= limit else f"{shown[:limit]}…"


def _refuse_loose_ends(ledger: Ledger) -> None:
    """Refuse ids that two entries have, and ids that lead nowhere or in a circle."""
    entries: dict[str, Claim | Result] = {}
    for entry in ledger.entries:
        if entry.id in entries:
            first = entries[entry.id].page
            raise ValueError(
                f"{_file(entry)}: {entry.id}: id must be unique, and {first}.yml has it too"
            )
        entries[entry.id] = entry
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
                    f"{_file(claim)}: {claim.id}: follows_from must be the id of an erratum that "
                    f"is no less grave and follows from none, got {claim.follows_from!r}"
                )
    for entry in ledger.entries:
        for support in entry.supports:
            if support not in entries:
                raise ValueError(
                    f"{_file(entry)}: {entry.id}: uses must be ids of claims and results, "
                    f"got {support!r}"
                )
        proved_here = entry.uses if isinstance(entry, Result) else entry.correction_uses
        for support in proved_here:
            if misleads(entries[support]):
                raise ValueError(
                    f"{_file(entry)}: {entry.id}: what is proved here must rest on what holds, and "
                    f"{support} does not as printed: name what its correction uses"
                )
    try:
        TopologicalSorter({entry.id: entry.supports for entry in ledger.entries}).prepare()
    except CycleError as error:
        raise ValueError(
            f"uses must not lead in a circle, and does: {' → '.join(reversed(error.args[1]))}"
        ) from None


def misleads(entry: Claim | Result) -> bool:
    """Return whether somebody who builds on the entry as printed is led astray: not by words alone.

    Examples
    --------
    >>> told = dict.fromkeys(("page", "title", "source", "where", "version_read", "says"), "")
    >>> [misleads(Claim("thm-3", **told, status="fails", severity=s)) for s in SEVERITIES]
    [True, True, True, False]
    """
    return isinstance(entry, Claim) and entry.severity not in (None, "wording")


def _file(entry: Claim | Result) -> str:
    return f"{entry.page.rpartition('/')[2]}.yml"


class _Reader:
    """Turns a YAML entry into a `Claim` or a `Result`, or says precisely what is wrong with it."""

    def __init__(self, page: str, place: str, entry: object) -> None:
        self.page = page
        self.place = place
        if not isinstance(entry, dict):
            self.refuse(f"must be a mapping, got {entry!r}")
        if isinstance(entry.get("id"), str):
            self.place = f"{place.partition(':')[0]}: {entry['id']}"
        self.entry: dict[object, object] = entry

    def refuse(self, problem: str) -> NoReturn:
        raise ValueError(f"{self.place}: {problem}")

    def claim(self) -> Claim:
        entry = self.entry
        self.only(entry, _REQUIRED + _OPTIONAL)
        identifier = self.text(entry, "id")
        if not ANCHOR.fullmatch(identifier):
            self.refuse(
                f"id must be like thm-3, claim-a-few-words or gk17-thm-3, got {identifier!r}"
            )
        status = self.choice(entry, "status", STATUSES)
        erratum = status in ERRATA
        tried = status in TRIED
        demanded = {"correction": erratum, "severity": erratum, "tried": tried}
        for key, wanted in demanded.items():
            if (key in entry) != wanted:
                verb = "is required" if wanted else "has no place"
                self.refuse(f"{key} {verb} where status is {status}")
        if "follows_from" in entry and not erratum:
            self.refuse(f"follows_from has no place where status is {status}")
        if "reading" in entry and tried:
            self.refuse("reading has no place beside tried, which names every reading")
        checked = status in VERDICTS or "by" in entry or "evidence" in entry
        return Claim(
            id=identifier,
            page=self.page,
            title=self.text(entry, "title"),
            source=self.text(entry, "source"),
            where=self.text(entry, "where"),
            version_read=self.text(entry, "version_read"),
            says=self.text(entry, "says"),
            status=status,
            by=self.choice(entry, "by", METHODS) if checked else None,
            evidence=self.evidence(entry) if checked else (),
            reading=self.text(entry, "reading") if "reading" in entry else None,
            tried=self.tried(entry["tried"]) if tried else (),
            follows_from=self.text(entry, "follows_from") if "follows_from" in entry else None,
            correction=self.correction(entry["correction"]) if erratum else None,
            severity=self.choice(entry, "severity", SEVERITIES) if erratum else None,
            uses=self.ids(entry, "uses") if "uses" in entry else (),
        )

    def result(self) -> Result:
        entry = self.entry
        self.only(entry, _RESULT)
        identifier = self.text(entry, "id")
        if not _LABEL.fullmatch(identifier):
            self.refuse(f"id must be a label like tight-bound, got {identifier!r}")
        return Result(
            id=identifier,
            page=self.page,
            title=self.text(entry, "title"),
            says=self.text(entry, "says"),
            status=self.choice(entry, "status", RESULT_STATUSES),
            by=self.choice(entry, "by", METHODS),
            evidence=self.evidence(entry),
            prior=self.text(entry, "prior"),
            uses=self.ids(entry, "uses"),
        )

    def tried(self, entries: object) -> tuple[Tried, ...]:
        if not isinstance(entries, list) or not entries:
            self.refuse(f"tried must be a list of readings, got {entries!r}")
        readings = []
        for number, entry in enumerate(entries, start=1):
            within = f"tried[{number}]."
            if not isinstance(entry, dict):
                keys = ", ".join(_TRIED)
                self.refuse(f"{within[:-1]} must be a mapping of {keys}, got {entry!r}")
            self.only(entry, _TRIED, within)
            readings.append(
                Tried(
                    reading=self.text(entry, "reading", within),
                    becomes=self.text(entry, "becomes", within),
                    evidence=self.evidence(entry, within),
                )
            )
        return tuple(readings)

    def correction(self, entry: object) -> Correction:
        if not isinstance(entry, dict):
            self.refuse(f"correction must be a mapping of {', '.join(_CORRECTION)}, got {entry!r}")
        within = "correction."
        self.only(entry, _CORRECTION, within)
        return Correction(
            says=self.text(entry, "says", within),
            by=self.choice(entry, "by", METHODS, within),
            evidence=self.evidence(entry, within),
            uses=self.ids(entry, "uses", within),
        )

    def only(self, entry: Mapping[object, object], keys: Sequence[str], within: str = "") -> None:
        for key in entry:
            if key not in keys:
                self.refuse(
                    f"{within}{key} is no key of the ledger, whose keys are {', '.join(keys)}"
                )

    def text(self, entry: Mapping[object, object], key: str, within: str = "") -> str:
        if key not in entry:
            self.refuse(f"{within}{key} is required")
        value = entry[key]
        if not isinstance(value, str) or not value.strip():
            self.refuse(f"{within}{key} must be text, got {value!r}")
        return value.strip()

    def choice(
        self, entry: Mapping[object, object], key: str, allowed: Sequence[str], within: str = ""
    ) -> str:
        value = self.text(entry, key, within)
        if value not in allowed:
            self.refuse(f"{within}{key} must be one of {', '.join(allowed)}, got {value!r}")
        return value

    def ids(self, entry: Mapping[object, object], key: str, within: str = "") -> tuple[str, ...]:
        value = entry.get(key)
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            self.refuse(f"{within}{key} must be a list of ids, [] if there are none, got {value!r}")
        return tuple(value)

    def evidence(self, entry: Mapping[object, object], within: str = "") -> tuple[str, ...]:
        if "evidence" not in entry:
            self.refuse(f"{within}evidence is required")
        value = entry["evidence"]
        if not isinstance(value, list) or not value:
            self.refuse(f"{within}evidence must be a list of ids of tests, got {value!r}")
        for one in value:
            if not isinstance(one, str) or not _EVIDENCE.fullmatch(one):
                allowed = "tests/test_a.py::test_b, pkdp/a.py::pkdp.a.b or notebooks/a.ipynb"
                self.refuse(f"{within}evidence must be ids like {allowed}, got {one!r}")
        return tuple(value)


def outcomes(reports: Iterable[str | Path]) -> Outcomes:
    """Read what became of each test from pytest's JUnit reports.

    Parameters
    ----------
    reports : iterable of paths
        Reports written with ``--junitxml``.

    Returns
    -------
    dict
        From the report's (classname, name) to "passed", "failed" or "was skipped".

    Raises
    ------
    ValueError
        If a report is missing or is not XML.
    """
    found: dict[tuple[str, str], str] = {}
    for report in reports:
        try:
            cases = ElementTree.parse(report).getroot().iter("testcase")
        except (OSError, ElementTree.ParseError) as error:
            raise ValueError(f"{report} is not a JUnit report: {error}") from None
        for case in cases:
            test = case.get("classname", ""), case.get("name", "")
            # A test can pass and its teardown fail: it is reported twice, and the worse counts.
            if case.find("failure") is not None or case.find("error") is not None:
                found[test] = "failed"
            elif case.find("skipped") is not None and found.get(test) != "failed":
                found[test] = "was skipped"
            else:
                found.setdefault(test, "passed")
    return found


def check(entries: Iterable[Claim | Result], ran: Outcomes) -> tuple[str, ...]:
    """Say which evidence did not run, failed or was skipped.

    Parameters
    ----------
    entries : iterable of Claim and Result
        Entries of a ledger.
    ran : mapping
        The `outcomes` of a test run.

    Returns
    -------
    tuple of str
        One line per problem; empty if all evidence ran and passed. A test's id stands for every set
        of its parameters, a file's for all that is in it.

    Examples
    --------
    >>> claim = Claim(
    ...     id="thm-3",
    ...     page="partial-knowledge/4-1-counting-queries",
    ...     title="Theorem 3",
    ...     source="partial-knowledge",
    ...     where="section 4.1",
    ...     version_read="arXiv version 2",
    ...     says="A count is private.",
    ...     status="holds",
    ...     by="exact",
    ...     evidence=("tests/test_a.py::test_b",),
    ... )
    >>> check([claim], {("tests.test_a", "test_b[1]"): "passed"})
    ()
    >>> check([claim], {})
    ('partial-knowledge/4-1-counting-queries: thm-3: tests/test_a.py::test_b did not run',)
    """
    problems = []
    for entry in entries:
        for evidence in entry.all_evidence:
            verdicts = {ran[test] for test in ran if _is_part_of(test, evidence)}
            if not verdicts:
                verdicts = {"did not run"}
            problems += [
                f"{entry.page}: {entry.id}: {evidence} {verdict}"
                for verdict in sorted(verdicts - {"passed"})
            ]
    return tuple(problems)


def _is_part_of(test: tuple[str, str], evidence: str) -> bool:
    """Whether the report's (classname, name) belongs to the evidence's id.

    pytest writes ``tests/test_a.py::TestB::test_c[1]`` as classname ``tests.test_a.TestB`` and name
    ``test_c[1]``; the name of a notebook keeps its suffix.
    """
    classname, name = test
    address, bracket, parameters = evidence.partition("[")
    file, *parts = address.split("::")
    module = file.removesuffix(".py").replace("/", ".")
    if not parts:
        return classname == module or classname.startswith(f"{module}.")
    *classes, function = parts
    if classname != ".".join([module, *classes]):
        return False
    if bracket:
        return name == function + bracket + parameters
    return name == function or name.startswith(f"{function}[")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 1 if there is a problem."""
    parser = argparse.ArgumentParser(description="The ledger.")
    commands = parser.add_subparsers(required=True, metavar="check")
    checking = commands.add_parser("check", help="hold the ledger against the report of a test run")
    checking.add_argument("reports", nargs="+", metavar="report.xml", help="pytest's JUnit report")
    checking.add_argument("--ledger", default="claims", help="folder of the ledger (claims)")
    given = parser.parse_args(arguments)
    # Imported here because it imports this module.
    import evidence

    try:
        ledger = load(given.ledger)
        problems = check(ledger.entries, outcomes(given.reports))
        if known := evidence.stored(Path(given.ledger)):
            problems += evidence.changed(ledger, known, Path(given.ledger).absolute().parent)
    except ValueError as error:
        problems = (str(error),)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
