"""The notebooks: in step with their sources, complete, and really compared by nbval."""

import functools
import json
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest

from notebooks import execute
from pkdp import _sources

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted(
    path.relative_to(ROOT / "notebooks").with_suffix("").as_posix()
    for path in (ROOT / "notebooks").rglob("*.ipynb")
)
ADVICE = "`make notebooks` brings it up to date"


@functools.cache
def code_cells(page):
    return [c for c in execute.read_stored(page).cells if c.cell_type == "code"]


def test_every_source_has_its_notebook_and_the_other_way_round():
    assert execute.pages() == NOTEBOOKS


@pytest.mark.parametrize("page", NOTEBOOKS)
def test_notebook_is_in_step_with_its_source(page):
    assert execute.is_current(page), ADVICE
    stored = (ROOT / "notebooks" / f"{page}.ipynb").read_text(encoding="utf-8")
    assert stored == execute.dumps(execute.refreshed(page)), ADVICE


@pytest.mark.parametrize("page", NOTEBOOKS)
def test_every_cell_was_run_in_order(page):
    counts = [cell.execution_count for cell in code_cells(page)]
    assert counts == list(range(1, len(counts) + 1))


@pytest.mark.parametrize("page", NOTEBOOKS)
def test_no_cell_is_excused_from_comparison(page):
    for cell in code_cells(page):
        assert "nbval" not in (cell.source + str(cell.metadata.get("tags"))).lower()


# What nbval says of a small notebook: each cell prints the same, and one stored output is altered.

PRINTED = "delta 0.123456789 -2.5e-11 at n = 1000, 3 of [1.5 2.0]"
FIGURE = '<figure class="pkdp-figure"><svg><title>A</title><path d="M0 1.5"/></svg></figure>'
SOURCE = f"""
from IPython.display import HTML, display
print({PRINTED!r})
display(HTML({FIGURE!r}))
"""


def cell(text=PRINTED, figure=FIGURE):
    shown = {"text/plain": "<IPython.core.display.HTML object>"}
    if figure is not None:
        shown["text/html"] = figure
    outputs = [
        nbformat.v4.new_output("stream", name="stdout", text=text + "\n"),
        nbformat.v4.new_output("display_data", data=shown),
    ]
    return nbformat.v4.new_code_cell(SOURCE, execution_count=1, outputs=outputs)


def noisy_cell():
    source = 'import sys\nprint("warning", file=sys.stderr)'
    outputs = [nbformat.v4.new_output("stream", name="stderr", text="warning\n")]
    return nbformat.v4.new_code_cell(source, execution_count=1, outputs=outputs)


ALTERED = {
    "nothing": (cell(), True),
    "decimal by 1e-8": (cell(PRINTED.replace("6789", "67890123")), True),
    "decimal with exponent by 4e-8": (cell(PRINTED.replace("2.5e", "2.5000001e")), True),
    "drawing": (cell(figure=FIGURE.replace("1.5", "1.6")), True),
    "decimal by 1e-4": (cell(PRINTED.replace("456789", "469135")), False),
    "decimal by 2e-6": (cell(PRINTED.replace("6789", "7036")), False),
    "tiny decimal": (cell(PRINTED.replace("2.5e", "2.6e")), False),
    "sign": (cell(PRINTED.replace("-2.5", "2.5")), False),
    "integer": (cell(PRINTED.replace("1000", "1001")), False),
    "integer made decimal": (cell(PRINTED.replace("1000", "1000.0")), False),
    "word": (cell(PRINTED.replace("at", "for")), False),
    "one number fewer": (cell(PRINTED.replace(" 2.0", "")), False),
    "figure's title": (cell(figure=FIGURE.replace(">A<", ">B<")), False),
    "figure missing": (cell(figure=None), False),
    "nothing, but on stderr": (noisy_cell(), False),
}


def verdicts(folder, *notebooks):
    """Whether nbval, set up as for the notebooks of the book, passes each cell of some lists."""
    (folder / "conftest.py").write_bytes((ROOT / "notebooks" / "conftest.py").read_bytes())
    for number, cells in enumerate(notebooks):
        notebook = nbformat.v4.new_notebook(cells=cells, metadata=execute.KERNEL)
        nbformat.write(notebook, folder / f"{number}.ipynb")
    report = folder / "junit.xml"
    command = [sys.executable, "-m", "pytest", "--nbval", "-p", "no:cacheprovider"]
    command += [f"--rootdir={folder}", "-c", str(ROOT / "pyproject.toml")]
    command += [f"--junitxml={report}", str(folder)]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert report.exists(), run.stdout + run.stderr
    return [len(case) == 0 for case in ElementTree.parse(report).iter("testcase")]


@pytest.fixture(scope="module")
def of_altered_cells(tmp_path_factory):
    cells = [altered for altered, _ in ALTERED.values()]
    found = verdicts(tmp_path_factory.mktemp("altered"), cells)
    return dict(zip(ALTERED, found, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("what", ALTERED)
def test_nbval_sees_what_was_altered(of_altered_cells, what):
    _, passes = ALTERED[what]
    assert of_altered_cells[what] is passes


@pytest.mark.slow
def test_nothing_leaks_from_page_to_page(tmp_path):
    first = "left = 1\nfrom pkdp import counting"
    second = (
        "import sys\n"
        "assert 'left' not in globals()\n"
        "assert not [name for name in sys.modules if name.partition('.')[0] == 'pkdp']"
    )
    cells = (nbformat.v4.new_code_cell(code, execution_count=1) for code in (first, second))
    assert verdicts(tmp_path, *([cell] for cell in cells)) == [True, True]


# `make notebooks`, on a small project of its own.

HEADER = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  name: python3
---

"""


def page_text(*code, prose="# A page"):
    return HEADER + prose + "".join(f"\n\n```{{code-cell}} python\n{c}\n```" for c in code) + "\n"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with a page that reads one of the two modules of its package."""
    for folder in ("book", "notebooks", "pkdp"):
        (tmp_path / folder).mkdir()
    (tmp_path / "pkdp" / "__init__.py").touch()
    (tmp_path / "pkdp" / "used.py").write_text("VALUE = 0.5\n")
    (tmp_path / "pkdp" / "other.py").write_text("VALUE = 1\n")
    page = page_text("from pkdp import used", "print(used.VALUE)")
    (tmp_path / "book" / "page.md").write_text(page)
    (tmp_path / "book" / "prose.md").write_text("# No code here\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path


def record(project):
    return list(_sources.locked(project / "notebooks" / "pages.lock")["page"].files)


@pytest.mark.slow
def test_execution_follows_code_and_package(project):
    notebook = project / "notebooks" / "page.ipynb"

    def update(**options):
        return execute.update(execute.pages(project), root=project, **options)

    assert update() == ["page: executed"]
    first = notebook.read_bytes()
    assert b'"0.5\\n"' in first
    assert "pkdp" not in json.loads(first)["metadata"]
    assert record(project) == ["pkdp/used.py"]

    assert update() == ["page: up to date"]
    assert update(everything=True) == ["page: executed, nothing changed"]
    (project / "pkdp" / "other.py").write_text("VALUE = 2\n")
    (project / "pkdp" / "used.py").write_text('"""What is used."""\n\nVALUE = 0.5  # half\n')
    assert update() == ["page: up to date"]
    assert notebook.read_bytes() == first

    source = project / "book" / "page.md"
    text = source.read_text()
    source.write_text(text.replace("# A page", "# Another title"))
    assert execute.is_current("page", project)
    assert update() == ["page: prose updated"]
    cells = json.loads(notebook.read_bytes())["cells"]
    assert cells[0]["source"] == ["# Another title"]
    assert cells[1:] == json.loads(first)["cells"][1:]
    source.write_text(text.replace("print(", "print(  # shown as it is\n"))
    assert update() == ["page: prose updated"]
    assert b"# shown as it is" in notebook.read_bytes()

    (project / "pkdp" / "used.py").write_text("VALUE = 0.25\n")
    assert not execute.is_current("page", project)
    assert update() == ["page: executed"]
    assert b'"0.25\\n"' in notebook.read_bytes()
    source.write_text(source.read_text().replace("used.VALUE", "-used.VALUE"))
    assert update() == ["page: executed"]
    (project / "notebooks" / "pages.lock").unlink()
    assert update() == ["page: executed, nothing changed"]


def test_prose_can_be_updated_without_executing_anything(project):
    source = project / "book" / "page.md"
    text = source.read_text()
    stale = ["page: not up to date, `make notebooks` executes it"]
    assert execute.update_prose(["page"], project) == stale
    execute.update(["page"], root=project)
    assert execute.update_prose(["page"], project) == []
    source.write_text(text.replace("# A page", "# Another title"))
    assert execute.update_prose(["page"], project) == ["page: prose updated"]
    notebook = (project / "notebooks" / "page.ipynb").read_bytes()
    assert b"# Another title" in notebook
    source.write_text(text.replace("used.VALUE", "-used.VALUE"))
    assert execute.update_prose(["page"], project) == stale
    assert (project / "notebooks" / "page.ipynb").read_bytes() == notebook


def test_a_page_follows_the_data_it_reads(project):
    (project / "claims").mkdir()
    ledger = project / "claims" / "page.yml"
    ledger.write_text("- id: claim-a\n")
    (project / "claims" / "other.yml").write_text("- id: claim-z\n")
    look = "from pathlib import Path\nprint(*Path('..', 'claims', 'page.yml').read_text().split())"
    (project / "book" / "page.md").write_text(page_text(look))
    assert execute.update(["page"], root=project) == ["page: executed"]
    assert record(project) == ["claims/page.yml"]
    assert execute.is_current("page", project)
    (project / "claims" / "other.yml").write_text("- id: claim-y\n")
    assert execute.is_current("page", project)
    ledger.write_text("- id: claim-b\n")
    assert not execute.is_current("page", project)


def test_a_package_from_elsewhere_is_refused(project, tmp_path_factory, monkeypatch):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    shutil.copytree(project / "pkdp", elsewhere / "pkdp")
    monkeypatch.setenv("PYTHONPATH", str(elsewhere))
    message = r"book/page.md: pkdp must be this project's, but .*/elsewhere\d*/pkdp/__init__.py was"
    with pytest.raises(execute.PageError, match=message):
        execute.update(["page"], root=project)
    assert not (project / "notebooks" / "page.ipynb").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import os\nprint(os.getpid())", "gives another output the second time"),
        ("import sys\nprint('w', file=sys.stderr)", "code cell 0 writes to stderr"),
        ("1 / 0", "ZeroDivisionError"),
        ("no python", "SyntaxError"),
    ],
)
def test_bad_pages_are_refused(project, code, message):
    (project / "book" / "page.md").write_text(page_text(code))
    with pytest.raises(execute.PageError, match=message):
        execute.update(["page"], root=project)
    assert not (project / "notebooks" / "page.ipynb").exists()
