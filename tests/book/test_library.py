"""The reference of the library: complete, and what the cells of code lead to."""

import importlib
import inspect
import pkgutil
import re

import nbformat
import pytest

import pkdp
from tests.book.built import CODE, HTML, ROOT
from tests.test_architecture import BESIDE_FIGURES

MODULES = [
    module.name
    for room in pkdp._SHORT
    for module in pkgutil.iter_modules(
        importlib.import_module(f"pkdp.{room}").__path__, f"pkdp.{room}."
    )
    if not module.name.rpartition(".")[2].startswith("_")
]
OTHERS = ["pkdp.figures", "pkdp.exercises", "pkdp.tables", *BESIDE_FIGURES]


# Read as text: to parse these pages takes longer than all else here.


def ids_of(path):
    return set(re.findall(r' id="([^"]+)"', path.read_text(encoding="utf-8")))


def links_of(path):
    """The text and the address of every link from a cell."""
    found = re.findall(
        r'<a class="to-reference" href="([^"]+)">(.*?)</a>', path.read_text(encoding="utf-8")
    )
    return {(re.sub(r"<.*?>", "", text), href) for href, text in found}


def page_of(module):
    name = module.split(".")[1].replace("_", "-")
    return HTML / "book" / "api" / f"{'index' if name in ('exercises', 'tables') else name}.html"


@pytest.mark.book
@pytest.mark.parametrize("module", [*MODULES, *OTHERS])
def test_every_public_name_is_described(module):
    ids = ids_of(page_of(module))
    assert f"module-{module}" in ids
    names = importlib.import_module(module).__all__
    things = {name: getattr(importlib.import_module(module), name) for name in names}
    described = {
        name
        for name, thing in things.items()
        if inspect.isclass(thing) or inspect.isfunction(thing)
    }
    # What an engine defines is described once, with the first module that offers it.
    assert described - {name.rpartition(".")[2] for name in ids} == set()


@pytest.mark.book
@pytest.mark.parametrize("page", CODE)
def test_cells_lead_to_the_reference(page):
    # Where the links arrive is tested with all others; here, that what a cell imports has one.
    linked = {text for text, _ in links_of(HTML / f"{page}.html")}
    notebook = nbformat.read(ROOT / f"{page}.ipynb", as_version=4)
    cells = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    imported = re.findall(r"^from pkdp import (?:\(\s*)?([\w,\s]+?)\)?$", cells, re.MULTILINE)
    modules = {name.strip() for names in imported for name in names.split(",") if name.strip()}
    assert linked
    assert modules - linked == set()


@pytest.mark.book
def test_a_call_leads_to_its_function():
    links = links_of(HTML / "notebooks" / "partial-knowledge" / "4-1-counting-queries.html")
    target = "partial-knowledge.html#pkdp.partial_knowledge.counting.worst_case"
    found = {href for text, href in links if text == "counting.worst_case"}
    assert found == {f"../../book/api/{target}"}


@pytest.mark.book
def test_the_tour_leads_to_every_room():
    text = (HTML / "book" / "api" / "index.html").read_text(encoding="utf-8")
    found = set(re.findall(r'href="([^"]+)"', text[text.index("<article") :]))
    direct = [module for module in MODULES if module.rpartition(".")[2] in pkdp.__all__]
    assert len(direct) > 15
    assert {f"{page_of(m).name}#module-{m}" for m in direct} - found == set()
