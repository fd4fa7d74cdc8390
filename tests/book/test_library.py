"""The reference of the library: complete, and what the cells of code lead to."""

import importlib
import inspect
import re

import pytest
import yaml

from book._ext.library import reference as api
from tests.book import browser as chromium
from tests.book.built import CODE, HTML, PAGES, ROOT

CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text())["sphinx"]["config"]
MODULES = [module for package in CONFIG["api_packages"] for module in api.modules(package)]
OTHERS = {"exercises": "index", "figures": "figures", "releases": "index", "tables": "index"}
API = [page for page in PAGES if page.startswith(f"{api.FOLDER}/")]
SCREENS = 15 * chromium.WIDTHS[1280]


# Read as text: to parse these pages takes longer than all else here.


def ids_of(path):
    return set(re.findall(r' id="([^"]+)"', path.read_text(encoding="utf-8")))


def links_of(path):
    """The text and the address of every link from a cell to the reference."""
    found = re.findall(
        r'<a href="([^"]*book/api/[^"]+)">(.*?)</a>', path.read_text(encoding="utf-8")
    )
    return {(re.sub(r"<.*?>", "", text), href) for href, text in found}


def page_of(module):
    _, package, *rest = module.split(".")
    other = OTHERS.get((rest or [package])[0])
    path = f"{api.FOLDER}/{other}" if other else "/".join([api.page_of(package), *rest])
    return HTML / f"{path}.html"


@pytest.mark.book
@pytest.mark.parametrize("module", [*MODULES, *(f"pkdp.{name}" for name in OTHERS)])
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
    everywhere = set().union(*(ids_of(HTML / f"{page}.html") for page in API))
    assert described - {name.rpartition(".")[2] for name in everywhere} == set()


@pytest.mark.book
@pytest.mark.parametrize("page", CODE)
def test_cells_lead_to_the_reference(page):
    # Where the links arrive is tested with all others; here, that what the code in sight imports
    # has one: a cell that only shows a figure is left out, and so may be an import.
    linked = {text for text, _ in links_of(HTML / f"{page}.html")}
    seen = re.sub(r"<.*?>", "", (HTML / f"{page}.html").read_text(encoding="utf-8"))
    imported = re.findall(r"\bfrom pkdp import (?:\(([\w,\s]+)\)|([\w, ]+)$)", seen, re.MULTILINE)
    modules = set(re.findall(r"\w+", " ".join(name for names in imported for name in names)))
    assert linked
    assert modules - linked == set()


@pytest.mark.book
def test_a_call_leads_to_its_function_and_back():
    page = "notebooks/partial-knowledge/4-1-counting-queries.html"
    target = "partial-knowledge/counting.html#pkdp.partial_knowledge.counting.worst_case"
    found = {href for text, href in links_of(HTML / page) if text == "counting.worst_case"}
    assert found == {f"../../book/api/{target}"}
    text = page_of("pkdp.partial_knowledge.counting").read_text(encoding="utf-8")
    entry = text[text.index('id="pkdp.partial_knowledge.counting.worst_case"') :]
    line = re.search(r'<p class="used-on">(.*?)</p>', entry)[1]
    assert f'href="../../../{page}"' in line


@pytest.mark.book
@pytest.mark.parametrize("module", MODULES)
def test_a_module_begins_with_a_table_of_what_is_in_it(module):
    article = re.search(
        "<article.*</article>", page_of(module).read_text(encoding="utf-8"), re.DOTALL
    )[0]
    table = article[: article.index("</table>")]
    assert '<dl class="py' not in table
    targets = re.findall(r'<tr[^>]*><td><p><a href="#([^"]+)"><code', table)
    defined = re.findall(r'<dt class="sig[^"]*" id="([^"]+)"', article)
    names = {name for name in defined if name.removeprefix(f"{module}.").count(".") == 0}
    assert sorted(targets) == sorted(names)


@pytest.mark.book
@pytest.mark.browser
def test_a_page_has_at_most_fifteen_screens(browser):
    with browser.new_page(viewport={"width": 1280, "height": 800}) as page:
        tall = {}
        for name in API:
            page.goto((HTML / f"{name}.html").as_uri())
            chromium.settle(page)
            tall[name] = page.evaluate("() => document.documentElement.scrollHeight")
    assert {name: height for name, height in tall.items() if height > SCREENS} == {}


@pytest.mark.book
def test_the_tour_leads_to_every_package_and_that_to_its_modules():
    def targets(path):
        text = path.read_text(encoding="utf-8")
        return set(re.findall(r'href="([^"]+)"', text[text.index("<article") :]))

    tour = targets(HTML / api.FOLDER / "index.html")
    for package in CONFIG["api_packages"]:
        path = page_of(f"pkdp.{package}")
        assert f"{path.name}#module-pkdp.{package}" in tour
        named = {module.rpartition(".")[2]: module for module in api.modules(package)}
        here = {f"{path.stem}/{name}.html#module-{module}" for name, module in named.items()}
        assert here - targets(path) == set()
