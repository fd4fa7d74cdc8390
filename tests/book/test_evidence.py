"""The evidence of the ledger: that text and tests are there, can fail, and are what they were when
they were confirmed; and that what checks this notices each fault that is sown."""

import json

import pytest
import yaml

from book._ext.claims import load
from book._ext.ledger import evidence
from tests.book.built import ROOT

HOLDS = dict.fromkeys(("title", "source", "where", "version_read", "says"), "a word")
HOLDS |= {"status": "holds", "by": "exact"}

TEST = '''
import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.helpers import close, nothing

TOLERANCE = 1e-9
CASES = [1, 2]


def within(x):
    assert abs(x) < TOLERANCE


@pytest.fixture
def number():
    return 0.0


@pytest.mark.parametrize("x", CASES)
def test_it(x, number):
    """It is so."""
    within(number)  # exactly
    assert x > 0


class TestGroup:
    def test_in_it(self):
        assert_allclose(1, 1)


def test_by_a_helper():
    close(1, 1)


def test_that_it_complains():
    with pytest.raises(ValueError):
        int("one")


def test_other(): assert 1 + 1 == 2


def test_computes(number):
    total = number + 1


def test_by_nothing():
    nothing()


def test_of_a_constant():
    assert True
'''
HELPERS = """
import numpy as np

def close(x, y):
    np.testing.assert_array_equal(x, y)

def nothing():
    return 1
"""
LIBRARY = '''
def double(x):
    """Return twice the number.

    >>> double(2)
    4
    """
    return 2 * x


def silent():
    """
    >>> x = double(2)
    """
'''
IT, OTHER = "tests/test_a.py::test_it", "tests/test_a.py::test_other"


@pytest.fixture
def project(tmp_path):
    """Runs the command on a small project in which claims rest on the given evidence."""
    for folder in ("tests", "pkdp", "notebooks", "claims"):
        (tmp_path / folder).mkdir()
    cells = [{"cell_type": "code", "source": ["print(1)"]}, {"cell_type": "markdown", "source": ""}]
    (tmp_path / "tests/test_a.py").write_text(TEST)
    (tmp_path / "tests/helpers.py").write_text(HELPERS)
    (tmp_path / "pkdp/__init__.py").write_text("")
    (tmp_path / "pkdp/a.py").write_text(LIBRARY)
    (tmp_path / "notebooks/one.ipynb").write_text(json.dumps({"cells": cells}))

    def run(*ids, command=(), **changes):
        claims = [HOLDS | {"evidence": [name], "id": f"claim-{n}"} for n, name in enumerate(ids)]
        if ids:
            claims[0] |= changes
            (tmp_path / "claims/page.yml").write_text(yaml.safe_dump({"claims": claims}))
        if command == "confirm":
            command = ["confirm", *(f"claim-{n}" for n in range(len(ids)))]
        return evidence.main(["--ledger", str(tmp_path / "claims"), *command])

    run.root, run.file = tmp_path, tmp_path / "tests/test_a.py"
    return run


def edit(file, old, new):
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))


GOOD = [
    IT,
    "tests/test_a.py::test_it[1]",
    "tests/test_a.py::TestGroup::test_in_it",
    "tests/test_a.py::test_by_a_helper",
    "tests/test_a.py::test_that_it_complains",
    "pkdp/a.py::pkdp.a.double",
    "pkdp/a.py",
    "notebooks/one.ipynb",
]


def test_what_was_confirmed_is_asked_for_no_more(project, capsys):
    assert project(*GOOD) == 1
    said = f"{IT}[1] is new or changed: read it, then confirm claim-1"
    assert capsys.readouterr().err.splitlines()[-2] == said
    assert project(command=["confirm", "claim-0"]) == 0
    assert project() == 1
    assert "claim-0" not in capsys.readouterr().err
    assert project(*GOOD, command="confirm") == 0
    assert project() == 0
    assert capsys.readouterr().err == ""


def test_what_the_ledger_has_no_more_is_forgotten_by_name(project, capsys):
    project(IT, OTHER, command="confirm")
    assert project(IT) == 1
    assert capsys.readouterr().err == "claim-1 is in the ledger no more: confirm claim-1\n"
    project(command=["confirm", "claim-1"])
    assert project() == 0
    project(IT, evidence=[IT, OTHER], command=["confirm", "claim-0"])
    assert project(IT) == 1
    said = "claim-0: some evidence is gone: read it, then confirm claim-0\n"
    assert capsys.readouterr().err == said


TRIED = {"reading": "so", "becomes": "it", "evidence": [OTHER]}
CORRECTED = {"says": "but so", "by": "exact", "evidence": [OTHER], "uses": []}
WRONG = {"status": "fails", "severity": "proof", "tried": [TRIED], "correction": CORRECTED}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {"says": "another word"}),
        ({}, {"reading": "so"}),
        ({"reading": "so"}, {"reading": "otherwise"}),
        ({}, {"status": "definition"}),
        (WRONG, WRONG | {"tried": [TRIED | {"reading": "not so"}]}),
        (WRONG, WRONG | {"tried": [TRIED | {"becomes": "false"}]}),
        (WRONG, WRONG | {"correction": CORRECTED | {"says": "but so only if"}}),
    ],
)
def test_a_changed_text_has_to_be_confirmed_by_itself(project, capsys, before, after):
    project(IT, OTHER, command="confirm", **before)
    assert project(IT, OTHER, **after) == 1
    said = "claim-0: its text is new or changed: read it, then confirm claim-0\n"
    assert capsys.readouterr().err == said
    project(command=["confirm", "claim-1"])
    assert project() == 1
    project(command=["confirm", "claim-0"])
    assert project() == 0


def test_lines_and_names_of_a_claim_can_change(project):
    project(IT, command="confirm", says="It is so,\nand so.", where="section 1")
    assert project(IT, says="It  is so, and\nso.", where="section 2") == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("assert x > 0", "assert x >= 0"),
        ("    assert x > 0\n", ""),
        ('("x", CASES)', '("x", CASES[:1])'),
        ("CASES = [1, 2]", "CASES = [1]"),
        ("TOLERANCE = 1e-9", "TOLERANCE = 1e9"),
        ("assert abs(x) < TOLERANCE", "assert abs(x) < TOLERANCE or True"),
        ("return 0.0", "return 1.0"),
        (
            '@pytest.mark.parametrize("x", CASES)',
            '@pytest.mark.skip\n@pytest.mark.parametrize("x", CASES)',
        ),
    ],
    ids=["weaker", "gone", "fewer", "fewer cases", "tolerance", "helper", "fixture", "skipped"],
)
def test_a_weakened_test_has_to_be_confirmed(project, capsys, old, new):
    assert project(IT, OTHER, command="confirm") == 0
    edit(project.file, old, new)
    assert project() == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line == f"{IT} is new or changed: read it, then confirm claim-0"
    assert project(command=["confirm", "claim-0"]) == 0
    assert project() == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  # exactly", "  # nearly"),
        ('"""It is so."""', '"""It was so."""'),
        ("def test_it(x, number):", "def test_it(\n    x,\n    number,\n):"),
        ("    total = number + 1", "    total = number + 2"),
        ("TOLERANCE = 1e-9\n", "TOLERANCE = 1e-9\n\n\n# more\n"),
        ('@pytest.mark.parametrize("x"', '@pytest.mark.slow\n@pytest.mark.parametrize("x"'),
    ],
    ids=["comment", "docstring", "lines", "another test", "place", "slow"],
)
def test_what_changes_nothing_need_not_be_confirmed(project, old, new):
    project(IT, command="confirm")
    edit(project.file, old, new)
    assert project() == 0


def test_a_test_may_move_to_another_file(project):
    project(IT, command="confirm")
    project.file.rename(project.root / "tests/test_b.py")
    assert project(IT.replace("_a", "_b")) == 0


RENAMED = f"{IT} tests/test_a.py::test_that_it_is\n{IT[:-7]}within tests/test_a.py::close_to\n"


def test_tests_and_helpers_with_new_names_are_confirmed_by_a_list(project, capsys):
    project(IT, f"{IT}[1]", OTHER, command="confirm")
    for old, new in (("test_it(", "test_that_it_is("), ("within(x)", "close_to(x)")):
        edit(project.file, old, new)
    edit(project.file, "within(number)", "close_to(number)")
    (project.root / "map").write_text(RENAMED)
    new = IT.replace("test_it", "test_that_it_is")
    assert project(new, f"{new}[1]", OTHER) == 1
    assert len(capsys.readouterr().err.splitlines()) == 2
    assert project(command=["confirm", "--renamed", str(project.root / "map")]) == 0
    assert project() == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("assert x > 0", "assert x >= 0"),
        ("CASES = [1, 2]", "CASES = [1]"),
        ("close_to(number)", "nothing(number)"),
        ("close_to(number)", "close_to(within)"),
        ("assert abs(x) < TOLERANCE", "assert abs(x) <= TOLERANCE"),
    ],
)
def test_what_is_more_than_renamed_is_refused_by_name(project, capsys, old, new):
    """And what was confirmed of the same claim before stays."""
    project(IT, OTHER, command="confirm", evidence=[IT, OTHER])
    edit(project.file, "test_it(", "test_that_it_is(")
    edit(project.file, "def within(", "def close_to(")
    edit(project.file, "within(number)", "close_to(number)")
    edit(project.file, old, new)
    (project.root / "map").write_text(RENAMED)
    name = IT.replace("test_it", "test_that_it_is")
    project(name, OTHER, evidence=[name, OTHER])
    said = capsys.readouterr().err
    assert said == f"{name} is new or changed: read it, then confirm claim-0\n"
    assert project(command=["confirm", "--renamed", str(project.root / "map")]) == 1
    refused = f"{name} is not only renamed: read it, then confirm claim-0\n"
    assert capsys.readouterr().err == refused
    assert project() == 1
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(
    ("name", "file", "old", "new"),
    [
        ("pkdp/a.py::pkdp.a.double", "pkdp/a.py", "    4\n", "    5\n"),
        ("pkdp/a.py", "pkdp/a.py", "x = double(2)", "x = double(3)"),
        ("notebooks/one.ipynb", "notebooks/one.ipynb", "print(1)", "print(2)"),
    ],
)
def test_doctests_and_notebooks_are_watched_too(project, capsys, name, file, old, new):
    project(name, command="confirm")
    edit(project.root / file, old, new)
    assert project() == 1
    assert capsys.readouterr().err.startswith(f"{name} is new or changed: read it, then")


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("tests/test_b.py::test_it", "is not there"),
        ("tests/test_a.py::test_its", "is not there"),
        ("tests/test_a.py::TestGroup::test_it", "is not there"),
        ("pkdp/a.py::pkdp.a.triple", "is not there"),
        ("notebooks/two.ipynb", "is not there"),
        ("tests/test_a.py::test_computes", "asserts nothing"),
        ("tests/test_a.py::test_by_nothing", "asserts nothing"),
        ("tests/test_a.py::test_of_a_constant", "asserts nothing"),
        ("pkdp/a.py::pkdp.a.silent", "asserts nothing"),
    ],
)
def test_a_dead_link_or_a_vacuous_test_is_no_evidence(project, capsys, name, complaint):
    assert project(name, command="confirm") == 1
    assert project() == 1
    lines = capsys.readouterr().err.splitlines()
    assert [lines[0], lines[-1]] == [
        f"{name} {complaint}",
        f"{name} {complaint}: claim-0 cannot rest on it",
    ]


def test_whose_evidence_to_confirm_must_be_said(project, capsys):
    assert project(IT, command=["confirm", "thm-99"]) == 1
    assert "thm-99: no such entry in the ledger" in capsys.readouterr().err
    for words in ([], ["--all"], ["claim-0", "--all"], ["claim-0", "--renamed", "map"]):
        with pytest.raises(SystemExit):
            project(command=["confirm", *words])
        assert "name the claims whose text and evidence you read again" in capsys.readouterr().err


def test_the_check_of_a_run_asks_for_it_too(project, capsys, tmp_path):
    project(IT, command="confirm")
    report = tmp_path / "junit.xml"
    case = '<testcase classname="tests.test_a" name="test_it[1]"/>'
    report.write_text(f"<testsuite>{case}</testsuite>")
    assert project(command=["check", str(report)]) == 0
    edit(project.file, "assert x > 0", "assert x")
    assert project(command=["check", str(report)]) == 1
    assert "is new or changed: read it, then confirm claim-0" in capsys.readouterr().err


@pytest.mark.slow  # `make test` ends with the same check
def test_the_evidence_of_this_book_is_what_was_confirmed():
    folder = ROOT / "claims"
    said = evidence.changed(load(folder), evidence.stored(folder))
    assert said == (), (
        "read what changed, then: python -m book._ext.ledger.evidence confirm CLAIM …"
    )
