"""The reference of the library: complete, and what the cells of code lead to."""

import importlib
import inspect
import pkgutil
import re

import pytest

import pkdp
from tests.book.built import CODE, HTML, parsed, tags_by_id

ROOMS = ("profiles", "worlds", "partial_knowledge", "studies")
MODULES = [
    module.name
    for room in ROOMS
    for module in pkgutil.iter_modules(
        importlib.import_module(f"pkdp.{room}").__path__, f"pkdp.{room}."
    )
    if not module.name.rpartition(".")[2].startswith("_")
]


def page_of(module):
    return HTML / "book" / "api" / f"{module.split('.')[1].replace('_', '-')}.html"


@pytest.mark.book
@pytest.mark.parametrize("module", [*MODULES, "pkdp.figures"])
def test_every_public_name_is_described(module):
    ids = tags_by_id(page_of(module))
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
    links = parsed(HTML / f"{page}.html").find_all("a", class_="to-reference")
    linked = {link.get_text() for link in links}
    cells = "\n".join(
        cell.get_text() for cell in parsed(HTML / f"{page}.html").select(".cell_input")
    )
    imported = re.findall(r"^from pkdp import (?:\(\s*)?([\w,\s]+?)\)?$", cells, re.MULTILINE)
    modules = {name.strip() for names in imported for name in names.split(",") if name.strip()}
    assert linked
    assert modules - linked == set()


@pytest.mark.book
def test_a_call_leads_to_its_function():
    page = HTML / "notebooks" / "partial-knowledge" / "4-1-counting-queries.html"
    links = parsed(page).find_all("a", class_="to-reference", string="counting.worst_case") or [
        link
        for link in parsed(page).select("a.to-reference")
        if link.get_text() == "counting.worst_case"
    ]
    target = "partial-knowledge.html#pkdp.partial_knowledge.counting.worst_case"
    assert {link["href"] for link in links} == {f"../../book/api/{target}"}


@pytest.mark.book
def test_the_tour_leads_to_every_room():
    found = {
        link["href"] for link in parsed(HTML / "book" / "api" / "index.html").select("article li a")
    }
    direct = [module for module in MODULES if module.rpartition(".")[2] in pkdp.__all__]
    assert len(direct) > 20
    assert {f"{page_of(m).name}#module-{m}" for m in direct} - found == set()
