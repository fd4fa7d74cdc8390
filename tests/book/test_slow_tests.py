"""Slow tests that verdicts rest on: left out as long as nothing changed since they passed."""

import subprocess
import sys
from xml.etree import ElementTree

import pytest

from book._ext import claims
from book._ext.ledger import evidence, slow_tests

SLOW = "tests/test_a.py::test_slow"
FILES = {
    "tests/test_a.py": "from pkdp import counting\nfrom tests.help import close\n",
    "tests/help.py": "def close(): return 1\n",
    "tests/other.py": "x = 1\n",
    "tests/data/points.csv": "x\n1\n",
    "pkdp/__init__.py": "",
    "pkdp/rooms/counting.py": "from pkdp.rooms import _sums\n",
    "pkdp/rooms/_sums.py": "STEPS = 100\n",
    "pkdp/rooms/noise.py": "y = 2\n",
}
REPORT = """<testsuites><testsuite>
  <testcase classname="tests.test_a" name="test_slow[1]">
    <properties><property name="slow" value="tests/test_a.py::test_slow"/></properties>
  </testcase>
  <testcase classname="tests.test_a" name="test_quick"/>
</testsuite></testsuites>"""


@pytest.fixture
def project(tmp_path):
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (tmp_path / "claims").mkdir()
    (tmp_path / "report.xml").write_text(REPORT)
    slow_tests.store([SLOW, "tests/test_a.py::test_quick"], [tmp_path / "report.xml"], tmp_path)
    slow_tests.read_by.cache_clear()
    slow_tests.imported.cache_clear()
    return tmp_path


def test_a_slow_test_is_settled_once_it_passed(project):
    assert slow_tests.settled([SLOW], project) == {SLOW}


@pytest.mark.parametrize(
    ("file", "text", "settled"),
    [
        ("tests/test_a.py", FILES["tests/test_a.py"] + "LIMIT = 2\n", False),
        ("tests/help.py", "def close(): return 2\n", False),
        ("tests/data/points.csv", "x\n2\n", False),
        ("pkdp/rooms/_sums.py", "STEPS = 101\n", False),
        ("pkdp/rooms/_sums.py", "STEPS = 100  # enough\n", True),
        ("pkdp/rooms/noise.py", "y = 3\n", True),
        ("tests/other.py", "x = 2\n", True),
    ],
)
def test_it_is_run_again_if_something_changed_that_it_imports(project, file, text, settled):
    (project / file).write_text(text)
    assert (SLOW in slow_tests.settled([SLOW], project)) == settled


def test_a_test_that_is_gone_is_not_settled(project):
    (project / "tests/test_a.py").unlink()
    assert slow_tests.settled([SLOW], project) == set()


def test_parameters_are_those_of_one_test(project):
    slow_tests.store([f"{SLOW}[1]"], [project / "report.xml"], project)
    assert slow_tests.settled([SLOW], project) == {SLOW}
    told = dict.fromkeys(("page", "title", "source", "where", "version_read", "says"), "")
    claim = claims.Claim("thm-3", **told, status="holds", by="exact", evidence=(f"{SLOW}[1]",))
    assert evidence.check([claim], {}, {SLOW}) == ()


@pytest.mark.parametrize(
    "text",
    [f"evidence: [{SLOW}, {SLOW}b]", f"evidence:\n- {SLOW}\n- {SLOW}b[1]", f"- '{SLOW}' # {SLOW}b"],
)
def test_every_form_of_citing_is_seen(project, text):
    (project / "claims/a.yml").write_text(text)
    assert slow_tests.cited(project) == {SLOW, f"{SLOW}b"}


@pytest.mark.parametrize(
    ("text", "file"),
    [
        ("import pkdp\npkdp.counting.x", "pkdp/rooms/counting.py"),
        ("import pkdp.rooms._sums as sums", "pkdp/rooms/_sums.py"),
        ("def f():\n    from pkdp.rooms.noise import y", "pkdp/rooms/noise.py"),
    ],
)
def test_every_form_of_import_is_seen(project, text, file):
    (project / "tests/new.py").write_text(text)
    assert project / file in slow_tests.imported(project / "tests/new.py", project)


def test_a_run_of_all_tests_is_content_with_those_that_ran_only(project):
    told = dict.fromkeys(("page", "title", "source", "where", "version_read", "says"), "")
    claim = claims.Claim("thm-3", **told, status="holds", by="exact", evidence=(SLOW,))
    assert evidence.check([claim], {}, slow_tests.settled([SLOW], project)) == ()
    assert evidence.check([claim], {}) == (f": thm-3: {SLOW} did not run",)
    ran = evidence.outcomes([project / "report.xml"])
    assert evidence.check([claim], ran) == ()


def test_every_module_that_a_test_reads_is_found():
    test = slow_tests.ROOT / "tests/partial_knowledge/test_closed_forms.py"
    found = slow_tests.read_by(test, slow_tests.ROOT)
    code = (
        "import sys, tests.partial_knowledge.test_closed_forms\n"
        "files = (getattr(module, '__file__', None) for module in sys.modules.values())\n"
        "print(*filter(None, files), sep='\\n')"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code],
        cwd=slow_tests.ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    read = {
        line for line in shown.stdout.splitlines() if line.startswith(f"{slow_tests.ROOT}/pkdp")
    }
    read -= {f"{slow_tests.ROOT}/pkdp/__init__.py"}
    assert read
    assert read <= {str(path) for path in found}


def test_slow_tests_are_named_in_the_report(tmp_path):
    file = slow_tests.ROOT / "tests/book/test_slow_tests.py"
    report = tmp_path / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", f"{file}::test_slowly", f"--junitxml={report}"]
    subprocess.run(command, cwd=slow_tests.ROOT, capture_output=True, check=True)
    (case,) = ElementTree.parse(report).getroot().iter("testcase")
    found = case.find("properties/property[@name='slow']")
    assert found.get("value") == "tests/book/test_slow_tests.py::test_slowly"


@pytest.mark.slow
def test_slowly():
    assert slow_tests.LOCK
