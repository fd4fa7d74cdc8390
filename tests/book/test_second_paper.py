"""Another paper moves in by its folders alone: pages, claims, a figure, tests, no code of ours.

A tiny paper about two coins is put into a copy of the project, beside the paper that is there. What
the copy has more than the project is in folders of that paper's name; what differs is its contents
and its bibliography. Then the copy's own commands compute, execute, build and check.
"""

import json
import os
import shutil
import subprocess
import sys
from filecmp import dircmp
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

import pkdp
from tests.book.built import ROOT

pytestmark = pytest.mark.slow

HEADER = """---
jupytext:
  formats: notebooks///ipynb,book///md:myst
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---
"""
PARITY = f"""{HEADER}
# 1 The parity of two coins

```{{prf:theorem}} Theorem 1
:label: coins-thm-1
:nonumber:

{{claim}}`coins-thm-1` The parity of two fair coins says nothing about one {{cite}}`two-coins`.
```

It takes two of them {{claim}}`coins-claim-two`. See
[the other page](../../book/two-coins/2-remarks.md).

```{{code-cell}} ipython3
from fractions import Fraction

from pkdp import definitions, figures, mechanisms, worlds

coins = worlds.bits([Fraction(1, 2)] * 2)
print(definitions.np_ratio(coins, mechanisms.parity))
```

```{{code-cell}} ipython3
figures.show("two-coins/1")
```

```{{figure-source}} two-coins/1
```
"""
REMARKS = """# 2 Remarks

Of three coins, two are known {claim}`coins-claim-known`; compare [Theorem 1](#coins-thm-1)
on [its page](../../notebooks/two-coins/1-parity.ipynb).
"""
TABLES = """# Claims

```{claims-overview} two-coins
```
"""
CARDS = """# Claims on two coins

```{claim-cards} two-coins/1-parity
```

```{claim-cards} two-coins/2-remarks
```
"""
ENTRY = """
- id: coins-{id}
  title: {title}
  source: two-coins
  where: page 1
  version_read: the only one
  says: {says}
  status: {status}
"""
HOLDS = """  by: exact
  evidence: [{evidence}]
"""
TRIED = """  tried:
  - reading: The other coin is known.
    becomes: It is open for more coins than two.
    evidence: [{evidence}]
"""
FIGURE = '''"""How much the parity of two coins says about one."""

from collections.abc import Sequence
from fractions import Fraction

from matplotlib.axes import Axes

from pkdp.figures._palette import BLUE
from pkdp.figures._tables import Table, block
from pkdp.worlds import bits
from pkdp.worlds.definitions import np_ratio
from pkdp.worlds.mechanisms import parity

NAME = "1"
TITLE = "Figure 1: the parity of two coins"
ALT = ("The ratio against the coin's chance: 1 if fair, 3 for chance 3/4.",)
COLUMNS = 1
PANEL_SIZE = (3.0, 2.4)


def data() -> Table:
    """Return the ratio for two chances."""
    chances = [Fraction(1, 2), Fraction(3, 4)]
    y = [float(np_ratio(bits([chance] * 2), parity)) for chance in chances]
    return block(panel="parity", x=[float(chance) for chance in chances], y=y)


def draw(axes: Sequence[Axes], data: Table) -> None:
    """Draw the two points."""
    (panel,) = axes
    panel.plot(data["x"], data["y"], "o", color=BLUE)
'''
TEST = """from fractions import Fraction

from pkdp import definitions, mechanisms, worlds


def test_theorem_1():
    fair = worlds.bits([Fraction(1, 2)] * 2)
    assert definitions.np_ratio(fair, mechanisms.parity) == 1


def test_one_is_too_few():
    one = worlds.bits([Fraction(1, 2)])
    assert definitions.np_ratio(one, mechanisms.parity) == float("inf")
"""
TOC = """format: jb-book
root: notebooks/two-coins/1-parity
parts:
  - caption: Two coins
    chapters:
      - file: book/two-coins/2-remarks
      - file: book/claims
      - file: book/claims/two-coins
      - file: book/references
"""
REFERENCE = """
@misc{two-coins,
  author = {Coin, Ada},
  title  = {Two coins},
  year   = {2026}
}
"""
TESTS = "tests/pages/two_coins/test_1_parity.py"
NEW = {
    "book/two-coins/1-parity.md": PARITY,
    "book/two-coins/2-remarks.md": REMARKS,
    "book/claims/two-coins.md": CARDS,
    "claims/two-coins/1-parity.yml": "claims:"
    + ENTRY.format(
        id="thm-1", title="Theorem 1", says="The parity of two coins is private.", status="holds"
    )
    + HOLDS.format(evidence=f"{TESTS}::test_theorem_1, notebooks/two-coins/1-parity.ipynb")
    + ENTRY.format(id="claim-two", title="Two, not one", says="One will not do.", status="holds")
    + HOLDS.format(evidence=f"{TESTS}::test_one_is_too_few"),
    "claims/two-coins/2-remarks.yml": "claims:"
    + ENTRY.format(
        id="claim-known", title="Known coins", says="Known coins do not help.", status="open"
    )
    + TRIED.format(evidence=f"{TESTS}::test_one_is_too_few"),
    "pkdp/figures/two_coins/__init__.py": '"""Of "Two coins"."""\n\nFIGURES = {"1": "parity"}\n',
    "pkdp/figures/two_coins/parity.py": FIGURE,
    "tests/pages/two_coins/__init__.py": "",
    TESTS: TEST,
}
# Contents, as a paper's authors would change them; and an address, which the book has not.
CHANGED = {"_toc.yml", "references.bib", "book/claims.md", "_config.yml"}
ADDRESS = "https://github.com/two-coins/book"


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    copy = tmp_path_factory.mktemp("house") / "project"
    unneeded = shutil.ignore_patterns(
        ".git", ".venv", "_build", "__pycache__", ".*_cache", ".hypothesis"
    )
    shutil.copytree(ROOT, copy, ignore=unneeded)
    for name, text in NEW.items():
        path = copy / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (copy / "_toc.yml").write_text(TOC)
    (copy / "book" / "claims.md").write_text(TABLES)
    config = (copy / "_config.yml").read_text()
    assert '  url: ""\n' in config
    (copy / "_config.yml").write_text(config.replace('  url: ""\n', f"  url: {ADDRESS}\n"))
    with (copy / "references.bib").open("a") as references:
        references.write(REFERENCE)

    def python(*arguments):
        # With the copy's package, wherever this project's is installed.
        environment = {**os.environ, "PYTHONPATH": str(copy)}
        run = subprocess.run(
            [sys.executable, *arguments],
            cwd=copy,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, run.stdout + run.stderr
        return run.stdout + run.stderr

    computed = python("-m", "pkdp", "figures", "--update")
    executed = python("notebooks/execute.py", "two-coins/1-parity")
    here = ["--junitxml=junit.xml", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    python("-m", "pytest", *here, "tests/pages/two_coins", "notebooks/two-coins")
    checked = python("book/_ext/claims.py", "check", "junit.xml", "--ledger", "claims/two-coins")
    builder = str(Path(sys.executable).with_name("jupyter-book"))
    python(builder, "build", ".", "-q", "-W", "-n", "--keep-going")
    return copy, computed, executed, checked


def page(house, name):
    path = house[0] / "_build" / "html" / f"{name}.html"
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser").find("article")


def differences(compared, folder=""):
    """Yield what one of two folders lacks or has otherwise."""
    for name in compared.left_only + compared.right_only + compared.diff_files:
        yield folder + name
    for name, inner in compared.subdirs.items():
        yield from differences(inner, f"{folder}{name}/")


def test_nothing_but_contents_was_changed(house):
    made = ["__pycache__", "_build", ".git", ".venv", "junit.xml"]
    ignored = [*made, ".hypothesis", ".mypy_cache", ".ruff_cache", ".pytest_cache"]
    found = set(differences(dircmp(ROOT, house[0], ignore=ignored)))
    rooms = ("book", "claims", "notebooks", "notebooks/records")
    folders = {f"{room}/two-coins" for room in rooms}
    rooms = {"pkdp/figures/two_coins", "tests/pages/two_coins"}
    assert found == CHANGED | folders | rooms | {"book/claims/two-coins.md"}


def test_an_address_gives_links_to_it(house):
    html = house[0] / "_build" / "html" / "notebooks" / "two-coins" / "1-parity.html"
    built = BeautifulSoup(html.read_text(encoding="utf-8"), "html.parser")
    links = {a["href"] for a in built.select("a[href^=https]")}
    file = "notebooks/two-coins/1-parity.ipynb"
    assert f"https://mybinder.org/v2/gh/two-coins/book/main?urlpath=lab/tree/{file}" in links
    assert f"https://colab.research.google.com/github/two-coins/book/blob/main/{file}" in links
    assert ADDRESS in links
    assert any(link.startswith(f"{ADDRESS}/issues/new") for link in links)
    notebook = json.loads((house[0] / "_build" / "html" / "_sources" / file).read_text())
    first = "".join(notebook["cells"][0]["source"])
    assert f"`pip install git+{ADDRESS}@v{pkdp.__version__}`" in first


def test_only_what_is_new_is_computed(house):
    _, computed, executed, checked = house
    assert computed == "computed the table of figure two-coins/1\n"
    assert executed == "two-coins/1-parity: executed\n"
    assert checked == ""


def test_two_papers_have_a_theorem_1_each(house):
    statement = page(house, "notebooks/two-coins/1-parity").find(id="coins-thm-1")
    assert statement.find(class_="admonition-title").get_text().startswith("Theorem 1")
    badge = statement.find(class_="claim-badge")
    assert badge.find("a")["href"] == "../../book/claims/two-coins.html#ledger-coins-thm-1"


def test_the_claims_are_listed_and_lead_to_their_pages(house):
    rows = page(house, "book/claims").select("table.claims-table tbody tr")
    found = {row["id"]: [link["href"] for link in row.find_all("a")] for row in rows}
    assert {name: card for name, (card, _) in found.items()} == {
        name: f"claims/two-coins.html#{name}" for name in found
    }
    assert {name: place for name, (_, place) in found.items()} == {
        "ledger-coins-thm-1": "../notebooks/two-coins/1-parity.html#coins-thm-1",
        "ledger-coins-claim-two": "../notebooks/two-coins/1-parity.html#coins-claim-two",
        "ledger-coins-claim-known": "two-coins/2-remarks.html#coins-claim-known",
    }


def test_two_papers_have_a_figure_1_each(house):
    article = page(house, "notebooks/two-coins/1-parity")
    source = article.find(class_="figure-source")
    assert "python -m pkdp figure two-coins/1 --out figure-two-coins-1.pdf" in source.get_text()
    folder = house[0] / "_build" / "html" / "notebooks" / "two-coins"
    for link in source.find_all("a"):
        assert (folder / link["href"]).is_file()
    assert article.find("svg", role="img") is not None
