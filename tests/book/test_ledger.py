"""The ledger: that it is read strictly, that its evidence is held against what ran, that the book
shows it."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache

import nbformat
import pytest
import yaml
from bs4 import BeautifulSoup
from jsonschema import Draft202012Validator, ValidationError

from book._ext.claims import ANCHOR, ASSUMPTIONS, ERRATA, SEVERITIES, load
from book._ext.ledger import relations, tags
from book._ext.ledger.entries import STATUS_WORDS, card_of
from book._ext.ledger.evidence import check, main, outcomes
from tests.book.built import HTML, PAGES, ROOT, built, parsed, path_of, tags_by_id
from tests.book.stored import LEDGER as BOTH

BOOK = ROOT / "book"
LEDGER, RESULTS = BOTH.claims, BOTH.results
LABEL = re.compile(r"^(?:\((\S+)\)=|:label: *(\S+)|:name: *(\S+)) *$", re.MULTILINE)
WORDS = {
    "thm": "Theorem",
    "prop": "Proposition",
    "def": "Definition",
    "ex": "Example",
    "lem": "Lemma",
    "cor": "Corollary",
    "fig": "Figure",
    "alg": "Algorithm",
}
KINDS = "|".join([*WORDS, "rem", "claim"])

# --------------------------------------------------------------------------------------------
# Reading
# --------------------------------------------------------------------------------------------

HOLDS = {
    "id": "claim-a",
    "title": "A claim",
    "source": "partial-knowledge",
    "where": "section 4.1",
    "version_read": "version 2",
    "says": "It is so.",
    "status": "holds",
    "by": "exact",
    "evidence": ["tests/test_a.py::test_b"],
}
TRIED = {"reading": "As meant.", "becomes": "Nothing.", "evidence": ["tests/test_a.py::test_c"]}
FAILS = HOLDS | {
    "status": "fails",
    "severity": "guarantee",
    "tried": [TRIED],
    "correction": {
        "says": "It is not.",
        "by": "proof",
        "evidence": ["pkdp/a.py::pkdp.a.f"],
        "uses": [],
    },
}
UNJUDGED = {key: HOLDS[key] for key in HOLDS if key not in {"by", "evidence"}}
FINDING = {"ids": ["claim-a"], "printed": "So.", "breaks": "This.", "holds": "That."}
OPEN = UNJUDGED | {"status": "open", "tried": [TRIED]}
OWN = {
    "id": "our-theorem",
    "number": "4.1.1",
    "title": "Our theorem",
    "says": "It is so.",
    "status": "proved",
    "by": "proof",
    "evidence": ["tests/test_a.py::test_d"],
    "assumes": ["one release"],
    "prior": "Looked for in vain.",
    "uses": ["claim-a"],
}
GONE = object()


def ledger(folder, *entries, own=(), name="4-1-page.yml"):
    lists = {"claims": list(entries), "own": list(own)}
    (folder / name).write_text(yaml.safe_dump({key: few for key, few in lists.items() if few}))
    return folder


def test_entries_come_in_order_with_their_page(tmp_path):
    ledger(tmp_path, FAILS, name="5-page.yml")
    ledger(tmp_path, HOLDS | {"id": "claim-b"}, OPEN | {"id": "claim-c"}, name="4-page.yml")
    claims = load(tmp_path).claims
    assert [(claim.page, claim.id) for claim in claims] == [
        ("4-page", "claim-b"),
        ("4-page", "claim-c"),
        ("5-page", "claim-a"),
    ]
    assert claims[1].evidence == ()
    assert claims[2].correction.by == "proof"
    assert claims[2].tried[0].becomes == "Nothing."
    assert claims[2].all_evidence == (
        "tests/test_a.py::test_b",
        "tests/test_a.py::test_c",
        "pkdp/a.py::pkdp.a.f",
    )


def test_a_file_has_a_document_for_each_page_of_a_section(tmp_path):
    (tmp_path / "paper").mkdir()
    pages = [
        {"page": f"4-1-{name}", "claims": [HOLDS | {"id": f"claim-{name}"}]}
        for name in ("chapter", "detail")
    ]
    file = tmp_path / "paper" / "4-1.yml"
    file.write_text(yaml.safe_dump_all(pages))
    assert [(claim.page, claim.id) for claim in load(tmp_path).claims] == [
        ("paper/4-1-chapter", "claim-chapter"),
        ("paper/4-1-detail", "claim-detail"),
    ]
    file.write_text(yaml.safe_dump_all([*pages, pages[0]]))
    with pytest.raises(ValueError, match=r"^4-1\.yml: page must .*, got paper/4-1-chapter$"):
        load(tmp_path)


def test_the_files_of_this_ledger_have_the_pages_of_their_sections():
    for file in (ROOT / "claims").glob("*/*.yml"):
        pages = re.findall(r"^page: (\S+)$", file.read_text(), re.MULTILINE) or [file.stem]
        sections = {re.sub(r"^((?:\d+-)*\d+)-.*", r"\1", page) for page in pages}
        assert sections == {file.stem}, file


def test_results_of_our_own_are_listed_apart(tmp_path):
    conjecture = OWN | {
        "id": "guess",
        "number": "N3.2",
        "status": "conjecture",
        "uses": ["our-theorem"],
    }
    book = load(ledger(tmp_path, HOLDS, own=[OWN, conjecture]))
    assert [(result.id, result.uses) for result in book.results] == [
        ("our-theorem", ("claim-a",)),
        ("guess", ("our-theorem",)),
    ]
    assert [result.name for result in book.results] == ["Result 4.1.1", "Conjecture N3.2"]
    assert book.entries == (*book.claims, *book.results)
    assert book.results[0].all_evidence == ("tests/test_a.py::test_d",)


@pytest.mark.parametrize(
    ("entry", "change", "complaint"),
    [
        (HOLDS, {"colour": "red"}, "colour is no key of the ledger, whose keys are id, title,"),
        (HOLDS, {"status": "true"}, "status must be one of holds, side-condition, .*'true'"),
        (FAILS, {"status": "side-condition"}, "severity must be one of wording, got 'guarantee'"),
        (HOLDS, {"status": GONE}, "status is required"),
        (HOLDS, {"says": GONE}, "says is required"),
        (HOLDS, {"says": " "}, "says must be text, got ' '"),
        (HOLDS, {"version_read": 2}, "version_read must be text, got 2"),
        (HOLDS, {"by": GONE}, "by is required"),
        (HOLDS, {"by": "hope"}, "by must be one of proof, exact, numeric, machine, got 'hope'"),
        (HOLDS, {"evidence": GONE}, "evidence is required"),
        (HOLDS, {"evidence": []}, r"evidence must be a list of ids of tests, got \[\]"),
        (HOLDS, {"evidence": ["test_b"]}, r"evidence\[1\] must be an id like .* got 'test_b'"),
        (HOLDS, {"by": "machine"}, "evidence must be a list with a theorem of proofs/ where by is"),
        (HOLDS, {"evidence": ["proofs/a.v"]}, r"evidence\[1\] must be an id like .*'proofs/a.v'"),
        (HOLDS, {"severity": "wording"}, "severity has no place where status is holds"),
        (HOLDS, {"id": "theorem-3"}, "id must be like thm-3, .* got 'theorem-3'"),
        (HOLDS, {"correction": FAILS["correction"]}, "correction has no place where status is"),
        (FAILS, {"correction": GONE}, "correction is required where status is fails"),
        (FAILS, {"severity": GONE}, "severity is required where status is fails"),
        (FAILS, {"severity": "dire"}, "severity must be one of guarantee, constant, .* 'dire'"),
        (FAILS, {"correction": "No."}, "correction must be a mapping of says, by, evidence, uses"),
        (FAILS, {"correction": {"says": "No.", "by": "proof"}}, "correction.evidence is required"),
        (
            FAILS,
            {"correction": FAILS["correction"] | {"by": "machine"}},
            r"correction\.evidence must be a list with a theorem of proofs/ where by is machine",
        ),
        (FAILS, {"correction": {"proof": "No."}}, "correction.proof is no key of the ledger"),
        (FAILS, {"correction": FAILS["correction"] | {"uses": "all"}}, "correction.uses must be"),
        (HOLDS, {"uses": ["thm-9"]}, "uses must be ids of claims and results, got 'thm-9'"),
        (OPEN, {"by": "proof"}, "evidence is required"),
        (OPEN, {"tried": GONE}, "tried is required where status is open"),
        (FAILS, {"tried": GONE}, "tried is required where status is fails"),
        (HOLDS, {"tried": [TRIED]}, "tried has no place where status is holds"),
        (FAILS, {"reading": "So."}, "reading has no place where status is fails"),
        (FAILS, {"tried": []}, r"tried must be a list of readings, got \[\]"),
        (FAILS, {"tried": ["So."]}, r"tried\[1\] must be a mapping of reading, becomes, evidence"),
        (FAILS, {"tried": [TRIED, {"reading": "So."}]}, r"tried\[2\]\.becomes is required"),
        (FAILS, {"tried": [{**TRIED, "evidence": []}]}, r"tried\[1\]\.evidence must be a list"),
        (FAILS, {"tried": [{**TRIED, "by": "proof"}]}, r"tried\[1\]\.by is no key of the ledger"),
        (HOLDS, {"follows_from": "thm-3"}, "follows_from has no place where status is holds"),
        (FAILS, {"follows_from": "thm-4"}, "follows_from must be the id of an erratum .*'thm-4'"),
        (FAILS, {"follows_from": "claim-a"}, "follows_from must be .* follows from none"),
    ],
)
def test_a_bad_entry_is_named_with_its_key_and_what_is_allowed(tmp_path, entry, change, complaint):
    bad = {key: value for key, value in (entry | change).items() if value is not GONE}
    with pytest.raises(ValueError, match=rf"^4-1-page(?:\.yml)?: {bad['id']}: {complaint}"):
        load(ledger(tmp_path, bad))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"colour": "red"}, "colour is no key of the ledger"),
        ({"id": "Our theorem"}, "id must be a label like tight-bound, got 'Our theorem'"),
        ({"number": GONE}, "number is required"),
        ({"number": "Result 4"}, "number must be a number like .* got 'Result 4'"),
        ({"status": "holds"}, "status must be one of proved, conjecture, got 'holds'"),
        ({"prior": GONE}, "prior is required"),
        ({"assumes": GONE}, "assumes is required"),
        ({"assumes": ["good luck"]}, r"assumes\[1\] must be one of independent .*'good luck'"),
        ({"assumes": ["one release"] * 2}, "assumes must be a list of conditions, each once"),
        ({"evidence": []}, "evidence must be a list of ids of tests"),
        ({"by": "machine"}, "evidence must be a list with a theorem of proofs/"),
        ({"uses": GONE}, "uses is required"),
        ({"uses": "claim-a"}, "uses must be a list of ids, .*, got 'claim-a'"),
        ({"uses": ["thm-4"]}, "uses must be ids of claims and results, got 'thm-4'"),
        ({"id": "claim-a"}, "id must be unique, and 4-1-page has it too"),
    ],
)
def test_a_bad_result_is_named_too(tmp_path, change, complaint):
    bad = {key: value for key, value in (OWN | change).items() if value is not GONE}
    with pytest.raises(ValueError, match=rf"^4-1-page(?:\.yml)?: {bad['id']}: {complaint}"):
        load(ledger(tmp_path, HOLDS, own=[bad]))


def test_no_two_results_have_one_number(tmp_path):
    with pytest.raises(ValueError, match="other: number must be unique, and our-theorem has it"):
        load(ledger(tmp_path, HOLDS, own=[OWN, OWN | {"id": "other"}]))


def test_numbers_begin_with_the_section_of_the_page():
    for result in RESULTS:
        paper, _, page = result.page.partition("/")
        letter = "" if paper == "partial-knowledge" else paper[0].upper()
        section = ".".join(re.findall(r"\d+", re.match(r"(?:\d+-)*", page)[0]))
        assert re.fullmatch(rf"{letter}{re.escape(section)}[.]\d+", result.number), result.id


def test_every_assumption_is_in_the_glossary_and_used():
    assert {term for result in RESULTS for term in result.assumes} == set(ASSUMPTIONS)
    glossary = (BOOK / "glossary.md").read_text()
    blocks = re.findall(r"^```{glossary}\n(.*?)^```$", glossary, re.MULTILINE | re.DOTALL)
    *others, terms = (set(re.findall(r"^\S.*$", block, re.MULTILINE)) for block in blocks)
    assert terms <= set(ASSUMPTIONS) <= terms.union(*others)


def test_assumptions_are_named_in_the_order_of_the_schema():
    for result in RESULTS:
        assert list(result.assumes) == sorted(result.assumes, key=ASSUMPTIONS.index), result.id


def theorem(number, uses, **more):
    return HOLDS | {"id": f"thm-{number}", "title": f"Theorem {number}", "uses": uses, **more}


def test_nothing_rests_on_itself(tmp_path):
    circle = [theorem(1, ["thm-2"]), theorem(2, ["thm-3"]), theorem(3, ["thm-1"])]
    with pytest.raises(ValueError, match="uses must not lead in a circle, and does: thm-"):
        load(ledger(tmp_path, *circle))
    # The circle may close through a correction, and through a result.
    correction = FAILS["correction"] | {"uses": ["our-theorem"]}
    closed = FAILS | {"correction": correction, "severity": "wording"}
    with pytest.raises(ValueError, match="uses must not lead in a circle, and does: "):
        load(ledger(tmp_path, closed, own=[OWN]))


def test_what_is_proved_here_does_not_rest_on_an_erratum(tmp_path):
    complaint = "what is proved here must rest on what holds, and claim-a does not as printed"
    with pytest.raises(ValueError, match=f"our-theorem: {complaint}"):
        load(ledger(tmp_path, FAILS, own=[OWN]))
    correction = FAILS["correction"] | {"uses": ["claim-a"]}
    with pytest.raises(ValueError, match=f"thm-3: {complaint}"):
        load(ledger(tmp_path, FAILS, FAILS | {"id": "thm-3", "correction": correction}))
    # Words alone mislead no proof, and the source's own proof may well start from an erratum.
    load(ledger(tmp_path, FAILS | {"severity": "wording"}, own=[OWN]))
    load(ledger(tmp_path, FAILS, theorem(3, ["claim-a"])))


@pytest.mark.parametrize(
    "root",
    [
        HOLDS | {"id": "thm-3"},
        FAILS | {"id": "thm-3", "severity": "wording"},
        FAILS | {"id": "thm-3", "follows_from": "thm-2"},
    ],
    ids=["holds", "less grave", "follows itself"],
)
def test_an_erratum_follows_from_one_that_is_as_grave_and_follows_from_none(tmp_path, root):
    ledger(tmp_path, FAILS | {"id": "thm-2"}, root, FAILS | {"follows_from": "thm-3"})
    with pytest.raises(ValueError, match=r"claim-a: follows_from must be .*, got 'thm-3'"):
        load(tmp_path)


def test_an_id_belongs_to_one_claim(tmp_path):
    ledger(tmp_path, HOLDS, name="4-page.yml")
    ledger(tmp_path, OPEN, name="5-page.yml")
    with pytest.raises(ValueError, match=r"^5-page: claim-a: id must be unique, and 4-page"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a: [", "4.yml is not YAML: "),
        ("a: 1", "4.yml: a is no key of the ledger, whose keys are claims, own"),
        ("- 7", "4.yml: must be a mapping of claims and own, got [7]"),
        ("{}", "4.yml: must be a mapping of claims and own, got {}"),
        ("claims: 7", "4.yml: claims must be a list of entries, got 7"),
        ("claims: [7]", "4.yml: claims, entry 1: must be a mapping, got 7"),
        ("page: 7", "4.yml: page must be a page like 4-1-counting-queries, got 7"),
        ("", "4.yml: must be a mapping of claims and own, got None"),
        ("own: [7]", "4.yml: own, entry 1: must be a mapping, got 7"),
    ],
)
def test_a_file_that_is_no_lists_of_entries_is_named(tmp_path, text, complaint):
    (tmp_path / "4.yml").write_text(text)
    with pytest.raises(ValueError, match=re.escape(complaint)):
        load(tmp_path)


@pytest.mark.parametrize(
    ("findings", "complaint"),
    [
        ([FINDING] * 13, "findings must be a list of one to twelve findings, got "),
        ([], "findings must be a list of one to twelve findings, got []"),
        ([FINDING | {"colour": "red"}], "colour is no key of the ledger, whose keys are ids, prin"),
        ([{"ids": ["claim-a"]}], "printed is required"),
        ([FINDING | {"ids": ["thm-9"]}], "ids must be ids of claims, got 'thm-9'"),
        ([FINDING | {"ids": ["our-theorem"]}], "ids must be ids of claims, got 'our-theorem'"),
    ],
)
def test_what_is_told_at_a_glance_is_held_to_the_schema(tmp_path, findings, complaint):
    ledger(tmp_path, HOLDS, own=[OWN])
    (tmp_path / "at-a-glance.yml").write_text(yaml.safe_dump({"findings": [FINDING]}))
    assert load(tmp_path).findings[0].ids == ("claim-a",)
    (tmp_path / "at-a-glance.yml").write_text(yaml.safe_dump({"findings": findings}))
    with pytest.raises(ValueError, match=rf"^at-a-glance\.yml: .*{re.escape(complaint)}"):
        load(tmp_path)


def test_what_a_machine_proved_names_its_theorem(tmp_path):
    theorem = "proofs/a.v::Module.it_is_so'"
    entry = HOLDS | {"by": "machine", "evidence": [*HOLDS["evidence"], theorem]}
    own = OWN | {"by": "machine", "evidence": [theorem]}
    book = load(ledger(tmp_path, entry, own=[own]))
    assert book.claims[0].all_evidence[-1] == book.results[0].evidence[0] == theorem
    # No test of pytest's, so that its report says nothing of it.
    ran = {("tests.test_a", "test_b"): "passed"}
    assert check(book.entries, ran) == ()


def test_an_empty_ledger_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"must hold files <paper>/<section>\.yml, and holds none"):
        load(tmp_path)


# --------------------------------------------------------------------------------------------
# Evidence: against the report of a real run of pytest, with a doctest and a notebook in it
# --------------------------------------------------------------------------------------------

TESTS = """
import pytest

def test_passes(): pass

@pytest.mark.parametrize("x", ["one", "a::b", "c[d]", "e/f.py"])
def test_many(x): pass

@pytest.mark.parametrize("x", [1, 2])
def test_one_of_two_fails(x): assert x == 1

class TestGroup:
    def test_passes(self): pass

def test_fails(): assert False
def test_is_skipped(): pytest.skip("no")
@pytest.mark.xfail
def test_is_expected_to_fail(): assert False

@pytest.fixture
def broken():
    yield
    raise RuntimeError
def test_breaks_at_the_end(broken): pass
"""
LIBRARY = '''
def good():
    """
    >>> 1 + 1
    2
    """

def bad():
    """
    >>> 1 + 1
    3
    """
'''


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    for name in ("tests", "pkdp", "notebooks"):
        (folder / name).mkdir()
    (folder / "tests" / "test_a.py").write_text(TESTS)
    (folder / "pkdp" / "a.py").write_text(LIBRARY)
    for name, text in (("4-1-good", "1"), ("4-2-bad", "2")):
        output = nbformat.v4.new_output("stream", text=f"{text}\n")
        cell = nbformat.v4.new_code_cell("print(1)", execution_count=1, outputs=[output])
        notebook = nbformat.v4.new_notebook(cells=[cell])
        notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
        nbformat.write(notebook, folder / "notebooks" / f"{name}.ipynb")
    options = "--nbval --doctest-modules --import-mode=importlib -p no:cacheprovider"
    here = "-c /dev/null --rootdir=. --junitxml=junit.xml"
    subprocess.run(
        [sys.executable, "-m", "pytest", *options.split(), *here.split()],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    return folder / "junit.xml"


def problems(report, *evidence):
    book = load(ledger(report.parent, HOLDS | {"evidence": list(evidence)}))
    return check(book.entries, outcomes([report]))


@pytest.mark.slow
@pytest.mark.parametrize(
    "evidence",
    [
        "tests/test_a.py::test_passes",
        "tests/test_a.py::test_many",
        "tests/test_a.py::test_many[one]",
        "tests/test_a.py::test_many[a::b]",
        "tests/test_a.py::test_many[c[d]]",
        "tests/test_a.py::test_many[e/f.py]",
        "tests/test_a.py::TestGroup::test_passes",
        "tests/test_a.py::test_one_of_two_fails[1]",
        "pkdp/a.py::pkdp.a.good",
        "notebooks/4-1-good.ipynb",
        "notebooks/4-1-good.ipynb::Cell 0",
    ],
)
def test_evidence_that_ran_and_passed_gives_no_problem(report, evidence):
    assert problems(report, evidence) == ()


@pytest.mark.parametrize(
    ("evidence", "verdict"),
    [
        ("tests/test_a.py::test_fails", "failed"),
        ("tests/test_a.py::test_one_of_two_fails", "failed"),
        ("tests/test_a.py::test_breaks_at_the_end", "failed"),
        ("tests/test_a.py::test_is_skipped", "was skipped"),
        ("tests/test_a.py::test_is_expected_to_fail", "was skipped"),
        ("tests/test_a.py::test_pass", "did not run"),
        ("tests/test_a.py::test_many[two]", "did not run"),
        ("tests/test_a.py::TestGroup", "did not run"),
        ("tests/test_b.py::test_passes", "did not run"),
        ("pkdp/a.py::pkdp.a.bad", "failed"),
        ("pkdp/a.py", "failed"),
        ("notebooks/4-2-bad.ipynb", "failed"),
        ("notebooks/4-3.ipynb", "did not run"),
    ],
)
def test_evidence_that_did_not_is_a_problem(report, evidence, verdict):
    expected = f"4-1-page: claim-a: {evidence} {verdict}"
    assert problems(report, "tests/test_a.py::test_passes", evidence) == (expected,)


def test_the_evidence_of_readings_corrections_and_results_counts_too(report):
    fails = FAILS | {"evidence": ["tests/test_a.py::test_passes"]}
    book = load(ledger(report.parent, fails, own=[OWN | {"uses": []}]))
    assert check(book.entries, outcomes([report])) == (
        "4-1-page: claim-a: tests/test_a.py::test_c did not run",
        "4-1-page: claim-a: pkdp/a.py::pkdp.a.f did not run",
        "4-1-page: our-theorem: tests/test_a.py::test_d did not run",
    )


def test_the_command_is_silent_or_says_each_problem_on_a_line(report, tmp_path, capsys):
    good = HOLDS | {"evidence": ["tests/test_a.py::test_passes"]}
    folder = str(ledger(tmp_path, good))
    assert main(["--ledger", folder, "check", str(report)]) == 0
    assert capsys.readouterr() == ("", "")
    ledger(tmp_path, good | {"evidence": ["pkdp/a.py::pkdp.a.bad", "notebooks/4-3.ipynb"]})
    assert main(["--ledger", folder, "check", str(report)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "4-1-page: claim-a: pkdp/a.py::pkdp.a.bad failed",
        "4-1-page: claim-a: notebooks/4-3.ipynb did not run",
    ]


@pytest.mark.parametrize("content", [None, "no XML"])
def test_the_command_names_a_report_that_is_none(tmp_path, capsys, content):
    missing = tmp_path / "junit.xml"
    if content:
        missing.write_text(content)
    assert main(["--ledger", str(ledger(tmp_path, HOLDS)), "check", str(missing)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{missing} is not a JUnit report: ")


# --------------------------------------------------------------------------------------------
# This book's ledger and its sources
# --------------------------------------------------------------------------------------------


def ids(claims):
    return [claim.id for claim in claims]


# A page at a time: so many claims would spend more time in being tests than in being tested.
LEDGER_PAGES = sorted({entry.page for entry in BOTH.entries})
each_page = pytest.mark.parametrize("page", LEDGER_PAGES)


def of_page(page, entries):
    return [entry for entry in entries if entry.page == page]


def text_of(page):
    return (BOOK / f"{page}.md").read_text()


@cache
def names_in(file):
    text = (ROOT / file).read_text()
    return set(re.findall(r"^ *def (\w+)\(", text, re.MULTILINE))


@each_page
def test_the_sources_are_references(page):
    keys = re.findall(r"^@\w+\{([^,]+),", (ROOT / "references.bib").read_text(), re.MULTILINE)
    assert {claim.source for claim in of_page(page, LEDGER)} <= set(keys)


@each_page
def test_the_evidence_exists(page):
    missing = []
    for entry in of_page(page, BOTH.entries):
        for evidence in entry.all_evidence:
            file, _, name = evidence.partition("::")
            function = name.partition("[")[0].rpartition("::")[2]
            if not (ROOT / file).is_file() or (
                name and file.startswith("tests/") and function not in names_in(file)
            ):
                missing.append((entry.id, evidence))
    assert missing == []


@each_page
def test_a_number_is_the_source_s_own(page):
    for claim in of_page(page, LEDGER):
        # What stands before the kind is the source's prefix; what follows the number says more.
        kind, name = re.fullmatch(rf"(?:[a-z0-9]+-)*?({KINDS})-(.+)", claim.id).groups()
        if kind in WORDS:
            number, more = re.fullmatch(r"(\d+(?:-\d+)*)(?:-(.+))?", name).groups()
            title, _, rest = claim.title.partition(", ")
            assert title == f"{WORDS[kind]} {number.replace('-', '.')}", claim.id
            assert bool(more) == bool(rest), claim.id


@each_page
def test_the_page_shows_the_badges(page):
    text = text_of(page)
    judged = re.findall(r"\{claim\}`[^`]+ <([a-z0-9-]+)>`", text)
    judged += re.findall(r"^:label: (\S+)$", text, re.MULTILINE)
    assert set(ids(of_page(page, LEDGER))) <= set(judged)


@each_page
def test_results_are_stated_and_proved_on_their_page(page):
    text = text_of(page)
    for result in of_page(page, RESULTS):
        statement = rf"\{{prf:(\w+)\}} (.*)\n:label: {result.id}\n"
        ((kind, title),) = re.findall(statement, text)
        assert title == result.title
        # What is not proved does not look like a theorem.
        assert (kind == "conjecture") == (result.status == "conjecture")


def test_every_labelled_statement_has_an_entry():
    # Statements of our own, such as tight-thm-6, begin with no source's prefix.
    prefixes = {re.split(rf"(?:^|-)(?:{KINDS})-", claim.id)[0] for claim in LEDGER}
    labelled = {
        (page.relative_to(BOOK).with_suffix("").as_posix(), label)
        for page in BOOK.rglob("*.md")
        for label in map("".join, LABEL.findall(page.read_text()))
        if ANCHOR.fullmatch(label) and re.split(rf"(?:^|-)(?:{KINDS})-", label)[0] in prefixes
    }
    assert labelled <= {(claim.page, claim.id) for claim in LEDGER}


# --------------------------------------------------------------------------------------------
# The built book
# --------------------------------------------------------------------------------------------


@pytest.mark.book
@each_page
def test_the_built_page_has_each_anchor_once_and_shows_the_number(page):
    tags, text = tags_by_id(path_of(page)), built(page).find("article").get_text()
    for claim in of_page(page, LEDGER):
        (statement,) = tags[claim.id]
        if "proof" in statement.get("class", []):
            title = statement.find(class_="admonition-title").get_text()
            assert title.startswith(claim.title)
        elif claim.id.partition("-")[0] in WORDS:
            assert claim.title in text


@pytest.mark.book
def test_a_statement_with_a_corrected_result_points_to_it():
    names, pointing = {result.id: result.name for result in RESULTS}, set()
    for claim in LEDGER:
        if ribbon := tags_by_id(path_of(claim.page))[claim.id][0].find(class_="claim-ribbon"):
            right = next((names[use] for use in claim.correction_uses if use in names), "")
            assert ribbon.text.partition(" → ")[2] == right
            pointing |= {claim.status} if right else set()
    assert pointing == {"fails", "needs-condition", "side-condition", "misprint"}


def in_book_order():
    order = [page.partition("/")[2] for page in PAGES]
    return sorted(LEDGER, key=lambda claim: order.index(claim.page))


def as_printed(tag):
    """A tag's text with the apostrophe that was typed."""
    return tag.get_text().replace("’", "'")


@cache
def cards():
    """The cards of all claims and results, by id, with the page that each is on."""
    found = {}
    for page in PAGES:
        if "claim-card" not in (HTML / f"{page}.html").read_text(encoding="utf-8"):
            continue
        for card in parsed(HTML / f"{page}.html").find_all(class_="claim-card"):
            assert card["id"] not in found
            found[card["id"]] = page, card
    return found


@pytest.mark.book
def test_the_overview_has_a_row_for_each_claim_in_order():
    papers = list(dict.fromkeys(claim.page.partition("/")[0] for claim in in_book_order()))
    worst = ["fails", "needs-condition", "misprint", "side-condition", "open", "holds"]
    worst += ["definition", "unavailable"]
    claims = sorted(
        in_book_order(),
        key=lambda one: (papers.index(one.page.partition("/")[0]), worst.index(one.status)),
    )
    page = built("claims")
    assert page.find(class_="math") is None  # it would be heavy
    rows = page.select("table.claims-table tbody tr")
    wanted = [f"ledger-{name}" for name in ids(claims)] + [f"own-{name}" for name in ids(RESULTS)]
    assert {row["id"] for row in rows} == set(wanted)
    listed = [row for row in rows if row["id"].startswith("ledger-")]
    assert [row["id"] for row in listed] == wanted[: len(claims)]
    for claim, row in zip(claims, listed, strict=True):
        card, where = (link["href"] for link in row.find_all("a"))
        assert card == f"../{cards()[row['id']][0]}.html#{row['id']}".replace("../book/", "")
        assert where.endswith(f"{claim.page}.html#{claim.id}")
        # The address that the claim has had here since the first version.
        assert as_printed(row.find(id=claim.id)) == claim.title
        assert f"claim-{claim.status}" in row.find(class_="claim-badge")["class"]


@pytest.mark.book
def test_a_card_has_the_claim_s_words_its_badge_and_all_its_evidence():
    for claim in LEDGER:
        _, card = cards()[f"ledger-{claim.id}"]
        name = card.find("a")
        assert as_printed(name) == claim.title
        assert name["href"].endswith(f"{claim.page}.html#{claim.id}")
        assert f"claim-{claim.status}" in card.find(class_="claim-badge")["class"]
        shown = [item.get_text().strip() for item in card.select(".claim-evidence li")]
        if claim.tried:  # next to each reading is its evidence
            assert set(shown) == set(claim.all_evidence)
        else:
            assert shown == list(claim.all_evidence)


@pytest.mark.book
def test_the_totals_are_those_of_the_ledger():
    rows = [
        [cell.get_text().strip() for cell in row.find_all(["th", "td"])]
        for row in built("claims").select("table.claims-totals:not(.claims-methods) tr")
    ]
    assert rows[-1][0] == rows[0][-1] == "all"
    assert int(rows[-1][-1]) == len(LEDGER)
    of_each = Counter(claim.source for claim in LEDGER)
    assert sorted(map(int, rows[-1][1:-1])) == sorted(of_each.values())
    assert sum(int(number) for row in rows[1:-1] for number in row[1:-1]) == len(LEDGER)
    text = " ".join(built("claims").find("article").get_text().split())
    assert all(" ".join(claim.version_read.split()) in text for claim in LEDGER)
    following = sum(claim.follows_from is not None for claim in LEDGER)
    assert f"{len(errata_by_importance())} are listed as errata; {following} of them" in text


@pytest.mark.book
def test_the_ledger_can_be_had_as_json():
    found = json.loads((HTML / "claims.json").read_text())
    schema = json.loads((HTML / "claims.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(found)
    entries = [
        entry for lists in found["pages"].values() for kind in lists.values() for entry in kind
    ]
    assert {entry["id"] for entry in entries} == set(ids(BOTH.entries))
    assert set(found["sources"]) == {claim.source for claim in LEDGER}
    # The schema is not so wide that anything passes.
    del entries[0]["says"]
    with pytest.raises(ValidationError, match="'says' is a required property"):
        Draft202012Validator(schema).validate(found)


@pytest.mark.book
def test_what_the_filter_reads_fits_the_rows():
    script = (HTML / "_static" / "ledger-data.js").read_text()
    data = json.loads(script.removeprefix("window.ledgerData=").rstrip(";\n"))
    rows = built("claims").select("table.claims-table tbody tr")
    assert set(data["rows"]) == {row["id"] for row in rows}
    for number, (_, _, values) in enumerate(data["fields"]):
        offered = {value for value, _ in values}
        assert offered == {row[number] for row in data["rows"].values()} - {""}
    assert all("theorem 3" in data["rows"][row][-1] for row in ("ledger-thm-3", "ledger-gce-thm-3"))


def errata_by_importance():
    """The errata as listed: severity, then as at a glance, then by kind; what follows behind."""
    errata = [claim for claim in in_book_order() if claim.status in ERRATA]
    first = [name for finding in BOTH.findings for name in finding.ids]
    kinds = ["thm", "prop", "cor", "lem", "ex", "fig", "def", "alg", "claim", "rem"]

    def key(claim):
        place = first.index(claim.id) if claim.id in first else len(first)
        kind = re.match(rf"(?:[a-z0-9]+-)*?({KINDS})-", claim.id)[1]
        obvious = claim.status == "side-condition"
        return SEVERITIES.index(claim.severity), place, obvious, kinds.index(kind)

    roots = sorted((claim for claim in errata if claim.follows_from is None), key=key)
    # What would not be there without another stands in that one's card.
    return [
        claim
        for root in roots
        for claim in (root, *(other for other in errata if other.follows_from == root.id))
    ]


@pytest.mark.book
def test_the_errata_come_in_the_order_of_their_importance():
    expected = errata_by_importance()
    assert expected[0].id == "thm-3"
    cards = built("errata").find_all(class_="erratum")
    assert [card["id"] for card in cards] == [f"erratum-{name}" for name in ids(expected)]
    for claim, card in zip(expected, cards, strict=True):
        root = card.find_parent(class_="erratum")
        assert claim.follows_from == (root and root["id"].removeprefix("erratum-"))
        _, *said = [part.get_text() for part in card.find_all("p", recursive=False)]
        assert as_printed(card.find("a")) == claim.title
        where = card.find("p").select(".claim-source")[-1]
        assert as_printed(where).strip() == claim.where
        assert f"claim-{claim.status}" in card.find(class_="claim-badge")["class"]
        assert said[0].startswith("As printed: ")
        assert any(text.startswith("Correct: ") for text in said)
    (fold,) = built("errata").select("details:has(.erratum)")
    slips = [claim for claim in expected if claim.severity == "wording" and not claim.follows_from]
    assert len(fold.find_all(class_="erratum", recursive=False)) == len(slips)
    number = sum(claim.severity == "wording" for claim in LEDGER)
    assert fold.summary.get_text() == f"{number} slips of wording"


@pytest.mark.book
def test_the_card_of_an_erratum_has_its_correction_and_the_readings_tried():
    for claim in LEDGER:
        if claim.correction:
            _, card = cards()[f"ledger-{claim.id}"]
            assert "Correct: " in card.get_text()
            readings = card.find(class_="claim-tried").find_all("li", recursive=False)
            assert len(readings) == len(claim.tried)


@pytest.mark.book
def test_what_holds_is_told_in_the_order_of_its_importance():
    shown = built("at-a-glance").select("ol.findings > li")
    assert 8 <= len(BOTH.findings) <= 12
    claims = {claim.id: claim for claim in LEDGER}
    for finding, item in zip(BOTH.findings, shown, strict=True):
        links = [link["href"].partition("#")[2] for link in item.find("p").find_all("a")]
        assert [link for link in links if link in claims] == list(finding.ids)
        badges = [badge["class"][1] for badge in item.find("p").select(".claim-badge")]
        assert badges == [f"claim-{claims[name].status}" for name in finding.ids]
        assert len(item.find_all("dd")) == 3
    paper = {name for finding in BOTH.findings for name in finding.ids}
    assert {claims[name].source for name in paper} == {"partial-knowledge"}
    # Nothing that touches a guarantee of a numbered item is left out.
    grave = {one.id for one in LEDGER if one.severity == "guarantee"}
    assert {name for name in grave if name.partition("-")[0] in WORDS} <= paper


@pytest.mark.book
def test_the_strip_has_the_verdict_on_every_numbered_item_of_the_paper():
    numbered = {
        claim.id: claim
        for claim in LEDGER
        if claim.source == "partial-knowledge" and claim.id.partition("-")[0] in WORDS
    }
    found = []
    for item in built("at-a-glance").select("dl.numbered-items li"):
        (badge,), (link,) = item.select(".claim-badge"), item("a")
        name = link["href"].partition("#ledger-")[2]
        claim = numbered[name]
        assert f"claim-{claim.status}" in badge["class"]
        # What is read aloud; the mark is for the eyes.
        assert badge.get_text() == f"{claim.title}, verdict: {STATUS_WORDS[claim.status]}"
        found.append(name)
    assert sorted(found) == sorted(numbered)
    theorems = [name for name in found if name.startswith("thm-")]
    assert theorems == ["thm-1", "thm-2", "thm-3", "thm-4", "thm-4-knowledge", "thm-5", "thm-6"]


@pytest.mark.book
def test_the_conclusion_counts_as_the_claims_do():
    text = " ".join(built("partial-knowledge/6-conclusion").find("article").get_text().split())
    paper = [claim for claim in LEDGER if claim.source == "partial-knowledge"]
    counted = f"{len(LEDGER)} claims in the ledger, {len(paper)} of them of this paper"
    assert counted in text
    head, *rows = built("claims").select("table.claims-totals:not(.claims-methods) tr")
    column = [cell.get_text().strip() for cell in head.find_all("th")].index("Desfontaines et al.")
    assert int(rows[-1].find_all("td")[column].get_text()) == len(paper)


@pytest.mark.book
def test_a_card_says_what_it_rests_on_and_what_relies_on_it():
    users, above = relations.users(BOTH), relations.ancestors(BOTH)
    below, touching = relations.dependents(BOTH), relations.touching(BOTH)
    for entry in BOTH.entries:
        _, card = cards()[card_of(entry)]
        said = {
            line.find("em").get_text(): [
                link["href"].partition("#")[2] for link in line.find_all("a")
            ]
            for line in card.select("p.claim-relation")
            if line.find("em")
        }
        expected = {
            "Rests on:": entry.supports,
            "Relied on by:": users[entry.id],
            "Touched by an erratum:": touching[entry.id],
        }
        assert said == {words: list(names) for words, names in expected.items() if names}
        folded = [fold.get_text() for fold in card.select("summary")]
        for words, near, far in (
            ("Rests on", entry.supports, above[entry.id]),
            ("Relied on by", users[entry.id], below[entry.id]),
        ):
            more = len(set(far) - set(near))
            assert (f"{words}, through these: {more} more" in folded) == (more > 0)


@pytest.mark.book
def test_a_card_shows_its_tag():
    known = tags.read(ROOT / "claims" / tags.FILE).by_name
    for entry in BOTH.entries:
        _, card = cards()[card_of(entry)]
        assert card.select_one("a.tag").get_text() == known[entry.id]
    erratum = built("errata").find(id="erratum-thm-3")
    assert erratum.select_one("a.tag").get_text() == known["erratum-thm-3"]


@pytest.mark.book
def test_the_results_of_the_book_are_listed_with_their_evidence():
    for result in RESULTS:
        _, card = cards()[f"own-{result.id}"]
        shown = [item.get_text().strip() for item in card.select(".claim-evidence li")]
        assert shown == list(result.evidence)
        for one in (card, built(result.page).find(id=result.id)):
            terms = one.find(class_="assumptions").find_all("a")
            assert [term.get_text() for term in terms] == list(result.assumes)
            assert all("glossary.html#term-" in term["href"] for term in terms)


@pytest.mark.book
def test_a_text_of_the_ledger_is_no_plain_text():
    # Formulas and citations are rendered, on both pages.
    for page in ("claims/partial-knowledge-4-1", "errata"):
        article = built(page).find("article")
        assert article.find("span", class_="math") is not None
        assert article.find(class_="bibtex-citation") is not None
        assert "{cite" not in article.get_text()


# --------------------------------------------------------------------------------------------
# The extension, on a book of its own
# --------------------------------------------------------------------------------------------

CONF = """
extensions = ["myst_parser", "sphinxcontrib.bibtex", "book._ext.ledger.extension"]
root_doc = "4-1-page"
bibtex_bibfiles = ["references.bib"]
"""
PAGE = """# Page

{claim}`A remark <claim-a>`.

```{prf:theorem} Theorem 3
:label: thm-3
:nonumber:

{claim}`It is so <thm-3>`. Again: {claim}`so it is <thm-3>`.
```

```{toctree}
claims
cards
```
"""
CARDS = """# Cards

```{claim-cards}
```
"""
TABLE = """# Claims

{claim}`So <claim-a>`.

```{claims-overview}
```

```{errata} guarantee
```

```{bibliography}
```
"""


@pytest.fixture
def build(tmp_path):
    source = tmp_path / "source"
    (source / "claims").mkdir(parents=True)
    theorem = FAILS | {"id": "thm-3", "title": "Theorem 3", "says": "It is $1$."}
    ledger(source / "claims", HOLDS, theorem)
    (source / "conf.py").write_text(CONF)
    (source / "4-1-page.md").write_text(PAGE)
    (source / "claims.md").write_text(TABLE)
    (source / "cards.md").write_text(CARDS)
    (source / "references.bib").write_text(
        "@misc{partial-knowledge, author={A, B}, title={C}, year=2019}"
    )

    def run():
        done = subprocess.run(
            [sys.executable, "-m", "sphinx", "-n", "-b", "html", source, tmp_path / "html"],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout, done.stderr

    def page(name):
        return BeautifulSoup((tmp_path / "html" / f"{name}.html").read_text(), "html.parser")

    run.source, run.page = source, page
    return run


@pytest.mark.slow
def test_pages_are_read_again_when_the_ledger_changes(build):
    build()
    assert "0 added, 0 changed" in build()[0]
    ledger(build.source / "claims", OPEN, FAILS | {"id": "thm-3"})
    build()
    assert build.page("4-1-page").find(id="claim-a").get_text() == "A remark verdict: open"


@pytest.mark.slow
def test_what_is_unknown_or_forgotten_is_a_warning(build):
    # The statement of thm-3 can be linked without a mark.
    forgotten = PAGE.replace("{claim}`A remark <claim-a>`.", "")
    (build.source / "4-1-page.md").write_text(
        forgotten + "\n{claim}`A <claim-b>` {claim}`claim-a` {status}`fine`\n"
    )
    _, warnings = build()
    assert "no claim 'claim-b' in the ledger" in warnings
    assert "claim must be words <id>: 'claim-a'" in warnings
    assert "status must be one of holds, " in warnings
    assert "unavailable, proved, conjecture, got 'fine'" in warnings
    # In the overview and on the card.
    assert warnings.count("undefined label: 'claim-a'") == 2
    assert len(warnings.splitlines()) == 5


def test_a_bad_ledger_stops_the_build_in_one_sentence(build):
    ledger(build.source / "claims", HOLDS | {"status": "true"})
    _, errors = build()
    assert "4-1-page.yml: claim-a: status must be one of holds" in errors
