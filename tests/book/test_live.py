"""Cells that run in the browser: fetched once, checked, served to this machine, the same outputs.

What runs them is not part of the project, and no test needs a network: those that run cells are
skipped where it is not in ``_build/live``, but for a machine of continuous integration, which may
fetch it.
"""

import base64
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.error
import urllib.request
import zipfile

import cells
import live
import pytest
from bs4 import BeautifulSoup

from tests.book import accessible
from tests.book import browser as chromium
from tests.book.built import HTML, IN_CI, ROOT

# Fetching


def integrity(content):
    return f"sha512-{base64.b64encode(hashlib.sha512(content).digest()).decode()}"


def package(**files):
    """An npm package of such files."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(f"package/{name.replace('_', '.')}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


@pytest.fixture
def pinned(monkeypatch):
    """Pin a made-up package, and count how often it is fetched."""

    def pin(content, given=None):
        asked = []
        monkeypatch.setattr(live, "INTEGRITY", integrity(content))
        monkeypatch.setattr(live, "NEEDED", ("a.js", "b.js"))
        monkeypatch.setattr(
            live, "packed", lambda **_: asked.append(1) or (content if given is None else given)
        )
        return asked

    return pin


def test_what_is_needed_is_fetched_once(tmp_path, pinned):
    asked = pinned(package(a_js=b"one", b_js=b"two", c_js=b"three"))
    live.fetch(tmp_path)
    live.fetch(tmp_path)
    assert asked == [1]
    found = {path.name: path.read_bytes() for path in (tmp_path / "pyodide").iterdir()}
    assert found == {"a.js": b"one", "b.js": b"two", "integrity": live.INTEGRITY.encode()}
    # Another version replaces it, whole.
    pinned(package(a_js=b"new", b_js=b"two"))
    (tmp_path / "pyodide" / "old.whl").touch()
    live.fetch(tmp_path)
    assert (tmp_path / "pyodide" / "a.js").read_bytes() == b"new"
    assert not (tmp_path / "pyodide" / "old.whl").exists()


def test_what_is_not_as_pinned_is_not_kept(tmp_path, pinned):
    good = package(a_js=b"one", b_js=b"two")
    pinned(good, given=package(a_js=b"one", b_js=b"evil"))
    with pytest.raises(live.NotThereError, match=r"its sha512 is another\), and was not kept\.$"):
        live.fetch(tmp_path)
    assert list(tmp_path.iterdir()) == []
    pinned(package(a_js=b"one"))
    with pytest.raises(live.NotThereError, match=r"^The package of Pyodide has no b\.js\.$"):
        live.fetch(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("npm", "sentence"),
    [
        (None, "there is no npm here: install it"),
        ("exit 1", "npm could not fetch it: try again"),
        ("echo nothing", "npm could not fetch it: try again"),
        ("echo evil >pyodide.tgz", "is not what it should be"),
    ],
)
def test_what_cannot_be_had_gets_one_sentence(tmp_path, npm, sentence):
    house = tmp_path / "house"
    (house / "book" / "live").mkdir(parents=True)
    shutil.copy(ROOT / "book" / "live" / "live.py", house / "book" / "live")
    programs = tmp_path / "bin"
    programs.mkdir()
    if npm is not None:
        (programs / "npm").write_text(f"#!/bin/sh\n{npm}\n")
        (programs / "npm").chmod(0o755)
    command = [sys.executable, str(house / "book" / "live" / "live.py"), "fetch"]
    run = subprocess.run(
        command,
        env={**os.environ, "PATH": str(programs)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert run.stdout == ""
    (line,) = run.stderr.splitlines()
    assert sentence in line
    assert not (house / "_build").exists()


LOCKED = {"numpy": b"n", "scipy": b"s", "matplotlib": b"m", "pillow": b"p"}


@pytest.fixture
def lock(tmp_path):
    """A folder with a lock of made-up wheels, and another with these."""
    entries = {
        name: {"file_name": f"{name}.whl", "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in LOCKED.items()
    }
    entries["scipy"]["depends"] = ["numpy"]
    entries["matplotlib"]["depends"] = ["numpy", "pillow"]
    entries["pandas"] = {"file_name": "pandas.whl", "sha256": "0" * 64}
    target, source = tmp_path / "target", tmp_path / "source"
    for folder in (target, source):
        folder.mkdir()
    (target / live.LOCK).write_text(json.dumps({"packages": entries}))
    for name, content in LOCKED.items():
        (source / f"{name}.whl").write_bytes(content)
    return target, source


def test_wheels_are_taken_from_a_folder_or_an_address(lock):
    target, source = lock
    assert live.here(target) == []
    live.add_wheels(target, str(source))
    assert live.here(target) == ["numpy", "scipy", "matplotlib"]
    (target / "pillow.whl").unlink()
    assert live.here(target) == ["numpy", "scipy"]
    with chromium.served(source) as address:
        live.add_wheels(target, address)
    assert {path.stem for path in target.glob("*.whl")} == set(LOCKED)


def test_wheels_that_the_lock_does_not_know_are_not_kept(lock):
    target, source = lock
    (source / "scipy.whl").write_bytes(b"evil")
    with pytest.raises(live.NotThereError, match=r"^scipy\.whl is not what it should be"):
        live.add_wheels(target, str(source))
    (source / "scipy.whl").unlink()
    with pytest.raises(live.NotThereError, match=r"^There is no scipy\.whl in "):
        live.add_wheels(target, str(source))
    assert list(target.glob("*.whl")) == []


def test_the_library_and_what_it_needs_of_python_alone_are_packed(lock, tmp_path):
    target, _ = lock
    target.rename(tmp_path / "pyodide")
    live.prepare(tmp_path)
    contents = json.loads((tmp_path / "contents.json").read_text())
    assert contents["archives"] == ["pkdp.zip", "mpmath.zip", "sympy.zip"]
    assert contents["packages"] == []
    names = {
        name
        for archive in contents["archives"]
        for name in zipfile.ZipFile(tmp_path / archive).namelist()
    }
    tables = {"pkdp/figures/partial_knowledge/tables/3.csv", "pkdp/figures/style.mplstyle"}
    assert names >= tables | {"pkdp/__init__.py", "sympy/__init__.py", "mpmath/__init__.py"}
    assert not any("__pycache__" in name or "/tests/" in name for name in names)


# Serving


@pytest.fixture
def site(tmp_path):
    """A made-up book, served."""
    html, own = tmp_path / "html", tmp_path / "live"
    (html / "notebooks").mkdir(parents=True)
    (own / "pyodide").mkdir(parents=True)
    (html / "notebooks" / "a.html").write_text("<html><head></head><body>é</body></html>")
    (html / "a.svg").write_text("</head>")
    (own / "pyodide" / "pyodide.mjs").write_text("1")
    (tmp_path / "secret").write_text("secret")
    with chromium.running(live.Server(html, own)) as address:
        yield address.rstrip("/")


def got(address):
    with urllib.request.urlopen(address, timeout=10) as answer:
        return answer.read().decode(), answer.headers


def test_a_page_gets_two_lines_and_nothing_else_does(site, tmp_path):
    page, headers = got(f"{site}/notebooks/a.html?x=1")
    stored = (tmp_path / "html" / "notebooks" / "a.html").read_text()
    assert page == stored.replace("</head>", live.ADDED)
    assert len(re.findall(r'(?:src|href)="/_live/', page)) == 2
    assert headers["Content-Security-Policy"] == live.POLICY
    assert got(f"{site}/a.svg")[0] == "</head>"
    body, headers = got(f"{site}/_live/pyodide/pyodide.mjs")
    assert (body, headers["Content-Type"]) == ("1", "text/javascript")
    for name in live.OWN:
        assert got(f"{site}/_live/{name}")[0] == (ROOT / "book" / "live" / name).read_text()


@pytest.mark.parametrize(
    "path", ["/_live/../secret", "/_live/%2e%2e/secret", "/_live/live.py", "/../secret", "/b.html"]
)
def test_what_is_outside_is_not_served(site, path):
    with pytest.raises(urllib.error.HTTPError, match="404"):
        got(site + path)


def test_nothing_is_asked_of_another_host():
    for path in (ROOT / "book" / "live").iterdir():
        if path.is_file():
            assert "://" not in path.read_text().replace("http://127.0.0.1:", ""), path


@pytest.mark.book
def test_the_book_knows_nothing_of_it():
    for path in (HTML / "notebooks").rglob("*.html"):
        assert live.PREFIX not in path.read_text(encoding="utf-8")


# Cells, on this machine


def test_a_cell_shows_what_jupyter_would():
    names = {}
    code = "print('one')\ndisplay(1)\nprint('two')\n(1, 2)"
    shown = cells.run(code, "cell 1", names)
    assert {kind for kind, _ in shown} == {"text"}
    assert "".join(text for _, text in shown) == "one\n1\ntwo\n(1, 2)\n"
    assert cells.run("x = 3", "cell 2", names) == []
    assert cells.run("x;", "cell 3", names) == cells.run("None", "cell 3", names) == []
    assert cells.run("from pkdp import tables\ntables.of_rows(['a'], [[1]])", "cell 4", names)[0][
        1
    ].startswith('<div class="pkdp-table')
    (kind, text), *_ = cells.run("def f():\n    return 1 / 0\n\nf()", "cell 5", names)
    assert kind == "error"
    assert text.splitlines()[0] == "Traceback (most recent call last):"
    assert [line for line in text.splitlines() if line.startswith("  File")] == [
        '  File "cell 5", line 4, in <module>',
        '  File "cell 5", line 2, in f',
    ]
    assert "return 1 / 0" in text
    assert cells.run("1 +", "cell 6", names)[0][1].endswith("SyntaxError: invalid syntax\n")


def test_what_is_absent_is_said_where_it_is_used(monkeypatch):
    monkeypatch.setattr(cells, "_LACKING", set())
    names = {}
    code = "import no_such.thing as thing\nfrom math import pi, e\nfrom no_such import other"
    assert cells.run(code, "cell 1", names) == [("absent", "no_such")]
    assert cells.run("round(pi + e)", "cell 2", names) == [("text", "6\n")]
    assert cells.run("print(1)\ny = thing.f(2)", "cell 3", names) == [
        ("text", "1\n"),
        ("missing", "no_such"),
    ]
    assert cells.run("other(1, named=2)", "cell 4", names) == [("missing", "no_such")]
    assert cells.run("y", "cell 5", names) == [("lost", "y")]
    # Once they have run, a name that is not defined is an error.
    for cell in ("cell 3", "cell 4"):
        cells.run("1", cell, names)
    assert cells.run("y", "cell 5", names)[0][0] == "error"


def test_without_matplotlib_figures_are_those_of_the_page(monkeypatch):
    from pkdp import figures

    monkeypatch.setattr(figures, "show", figures.show)
    cells.stand_in(lambda name: None)
    assert cells.shown(figures.show("partial-knowledge/3")) == ("drawn", "3")
    with pytest.raises(ValueError, match="figure must be one of"):
        figures.show("no such")


# Cells, in a browser


@pytest.fixture(scope="module")
def address():
    """The built book, served with cells that run."""
    if not (live.FOLDER / "pyodide" / "integrity").exists() and not IN_CI:
        pytest.skip("no Pyodide here: `make live` fetches it")
    try:
        live.fetch(patience=30)
    except live.NotThereError as error:
        pytest.skip(str(error))
    live.prepare()
    with chromium.running(live.Server(HTML, live.FOLDER)) as address:
        yield address


BUSY = "() => document.documentElement.classList.contains('live-busy')"
IDLE = "() => !document.documentElement.classList.contains('live-busy')"
TEXTS = "all => all.map(one => one.hidden ? '' : one.textContent)"


def opened(page, address, name):
    """Open a page, without its formulas."""
    page.set_default_timeout(90_000)  # Python takes seconds to start, and more beside other tests
    page.route(
        "**/mathjax/**", lambda route: route.fulfill(body="", content_type="text/javascript")
    )
    page.goto(f"{address}notebooks/{name}.html")
    return page


def stored(name):
    """What the cells of the notebook show, as text without spaces, and whether it is a figure."""
    notebook = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            shown = ""
            for output in cell["outputs"]:
                data = output.get("data", {"text/plain": output.get("text", "")})
                html = "".join(data.get("text/html", ""))
                shown += (
                    BeautifulSoup(html, "html.parser").get_text()
                    if html
                    else "".join(data["text/plain"])
                )
            yield "".join(shown.split()), "figures.show(" in "".join(cell["source"])


@pytest.mark.book
@pytest.mark.browser
@pytest.mark.slow
def test_a_page_of_exact_worlds_runs_whole_and_its_cells_can_be_changed(page, address):
    name = "partial-knowledge/2-3-additional-criterion"
    opened(page, address, name)
    page.get_by_role("button", name="Run all cells").click()
    page.wait_for_function(IDLE)
    status = page.get_by_role("group", name="All cells").get_by_role("status")
    assert re.fullmatch(r"Python 3\.\d+\.\d+ runs in this page\.", status.inner_text())
    outputs = page.locator(".live-output").evaluate_all(TEXTS)
    expected = list(stored(name))
    assert len(outputs) == len(expected) >= 12
    for output, (text, drawn) in zip(outputs, expected, strict=True):
        if drawn:
            assert output.startswith(
                "Matplotlib is not here to draw it anew: the drawing is the one"
            )
        else:
            assert "".join(output.split()) == text
    assert page.locator(".live-output figure.pkdp-figure svg").count() >= 2
    # A cell can be changed and stopped, by keyboard.
    cell, output = (
        page.get_by_role("group", name="cell 2", exact=True),
        page.locator(".live-output").nth(1),
    )

    def changed(code):
        page.get_by_role("textbox", name="Code of cell 2", exact=True).fill(code)
        page.keyboard.press("Shift+Enter")
        page.wait_for_function(IDLE)
        return output.inner_text()

    cell.get_by_role("button", name="Edit").press("Enter")
    assert changed("print(half + 6 * 7)") == "85/2\n"  # the first cell has the half
    assert changed("import numpy as np\nnp.array([1])").split("\n\n") == [
        "numpy is not here: cells that need it say so.",
        "This cell needs numpy, which is not here.",
    ]
    assert changed("half / 0").startswith("Traceback (most recent call last):\n")
    assert cell.get_by_role("status").inner_text() == "ended with an error"
    # What is added can be read and heard, and is no wider than a phone.
    for width, scheme in ((1280, "dark"), (390, "light")):
        chromium.show(page, width, scheme)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    cell.get_by_role("button", name="Undo").press("Enter")
    cell.get_by_role("button", name="Edit").press("Enter")
    page.get_by_role("textbox", name="Code of cell 2", exact=True).fill("while True: pass")
    cell.get_by_role("button", name="Run").press("Enter")
    page.wait_for_function(BUSY)
    page.get_by_role("button", name="Stop").press("Enter")
    page.wait_for_function(IDLE)
    assert cell.get_by_role("status").inner_text() == "stopped"
    cell.get_by_role("button", name="Run").press("Enter")
    assert status.inner_text() == "Python is starting…"
    assert page.wrong == []
    assert all(url.startswith((address, "data:", "blob:")) for url in page.asked)
    assert accessible.problems(page) == []
