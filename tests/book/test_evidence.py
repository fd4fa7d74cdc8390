"""The evidence of the ledger: that it is there, can fail, and is what it was when it was confirmed;
and that what checks this notices each fault that is sown."""

import json

import evidence
import pytest
import yaml

from claims import load, main
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
IT = "tests/test_a.py::test_it"


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

    def run(*ids, command=()):
        claims = [HOLDS | {"evidence": [name], "id": f"claim-{n}"} for n, name in enumerate(ids)]
        if ids:
            (tmp_path / "claims/page.yml").write_text(yaml.safe_dump({"claims": claims}))
        options = ["--ledger", str(tmp_path / "claims"), "--root", str(tmp_path)]
        return evidence.main([*options, *command])

    run.root = tmp_path
    return run


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
    assert capsys.readouterr().err.splitlines()[-2] == f"{IT}[1] is new: confirm claim-1"
    assert project(command=["confirm", "claim-0"]) == 0
    assert project() == 1
    assert f"{IT} " not in capsys.readouterr().err
    assert project(command=["confirm", "--all"]) == 0
    assert project() == 0
    assert capsys.readouterr().err == ""
    assert project(GOOD[0], command=()) == 1
    assert "notebooks/one.ipynb is no evidence any more" in capsys.readouterr().err


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
    other = "tests/test_a.py::test_other"
    assert project(IT, other, command=["confirm", "--all"]) == 0
    file = project.root / "tests/test_a.py"
    assert file.read_text().count(old) == 1
    file.write_text(file.read_text().replace(old, new))
    assert project() == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line == f"{IT} changed: read it again, and confirm claim-0"
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
    ],
    ids=["comment", "docstring", "lines", "another test", "place"],
)
def test_what_changes_nothing_need_not_be_confirmed(project, old, new):
    project(IT, command=["confirm", "--all"])
    file = project.root / "tests/test_a.py"
    assert file.read_text().count(old) == 1
    file.write_text(file.read_text().replace(old, new))
    assert project() == 0


@pytest.mark.parametrize(
    ("name", "file", "old", "new"),
    [
        ("pkdp/a.py::pkdp.a.double", "pkdp/a.py", "    4\n", "    5\n"),
        ("pkdp/a.py", "pkdp/a.py", "x = double(2)", "x = double(3)"),
        ("notebooks/one.ipynb", "notebooks/one.ipynb", "print(1)", "print(2)"),
    ],
)
def test_doctests_and_notebooks_are_watched_too(project, capsys, name, file, old, new):
    project(name, command=["confirm", "--all"])
    path = project.root / file
    path.write_text(path.read_text().replace(old, new))
    assert project() == 1
    assert capsys.readouterr().err.startswith(f"{name} changed: read it again")


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
    assert project(name, command=["confirm", "--all"]) == 1
    assert project() == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"{name} {complaint}", f"{name} {complaint}: claim-0 cannot rest on it"]


def test_whose_evidence_to_confirm_must_be_said(project, capsys):
    assert project(IT, command=["confirm", "thm-99"]) == 1
    assert "thm-99: no such entry in the ledger" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        project(command=["confirm"])


def test_the_check_of_a_run_asks_for_it_too(project, capsys, tmp_path):
    project(IT, command=["confirm", "--all"])
    report = tmp_path / "junit.xml"
    case = '<testcase classname="tests.test_a" name="test_it[1]"/>'
    report.write_text(f"<testsuite>{case}</testsuite>")
    command = ["check", str(report), "--ledger", str(tmp_path / "claims")]
    assert main(command) == 0
    file = tmp_path / "tests/test_a.py"
    file.write_text(file.read_text().replace("assert x > 0", "assert x"))
    assert main(command) == 1
    assert "changed: read it again, and confirm claim-0" in capsys.readouterr().err


def test_the_evidence_of_this_book_is_what_was_confirmed():
    folder = ROOT / "claims"
    said = evidence.changed(load(folder), evidence.stored(folder))
    assert said == (), "read what changed, then: python book/_ext/evidence.py confirm CLAIM …"
