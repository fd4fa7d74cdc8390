r"""The reference of the library: its pages, and links between them and cells of code.

Each public module of the packages in ``api_packages`` has a page, ``book/api/<package>/<module>``,
which is written before Sphinx looks for pages. It begins with a table of what is in the module; the
page of the package has one of its modules. Formulas of docstrings become formulas of the page.

Whatever a cell calls of `pkdp`, by the name of its module (``counting.worst_case``) or by a name
the page imports, leads to its description, and below its first line the description leads back. In
a docstring, `counting.worst_case` leads there as well.
"""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx import addnodes
from sphinx.util.nodes import make_refnode

import pkdp
from book._ext.library.tex import is_formula, tex

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config
    from sphinx.environment import BuildEnvironment
    from sphinx.util.typing import ExtensionMetadata

FOLDER = "book/api"
PAGE = """\
# {name}

```{{eval-rst}}
.. automodule:: {module}
   :members:
   :exclude-members: {others}
```
"""

# A block of code; Coq has names of its own.
_CELL = re.compile(
    r'(?<=<div class="highlight"><pre>)'
    r'(?<!<div class="highlight-coq notranslate"><div class="highlight"><pre>).*?(?=</pre>)',
    re.DOTALL,
)
# Names joined by dots, as Pygments writes them, except the names of keyword arguments.
_NAME = re.compile(
    r'<span class="n">\w+</span>(?:<span class="o">\.</span><span class="n">\w+</span>)*'
    r'(?!<span class="o">=</span>)'
)


def modules(package: str) -> Iterator[str]:
    """Yield the names of the public modules of a package.

    Examples
    --------
    >>> list(modules("practice"))
    ['pkdp.practice.attack', 'pkdp.practice.audit']
    """
    folder = importlib.import_module(f"pkdp.{package}").__path__
    for module in pkgutil.iter_modules(folder, f"pkdp.{package}."):
        if "._" not in module.name:
            yield module.name


def page_of(package: str) -> str:
    """Return the page of a package, in whose folder those of its modules are."""
    return f"{FOLDER}/{package.replace('_', '-')}"


def _write_pages(app: Sphinx, config: Config) -> None:
    """Write the page of each module, and remove those of modules that are gone.

    What several modules offer is described with the one that defines it, or else with the first.
    """
    elsewhere = {module for package in config.api_packages for module in modules(package)}
    described: set[tuple[str, int]] = set()
    for package in config.api_packages:
        folder = Path(app.srcdir, page_of(package))
        folder.mkdir(exist_ok=True)
        gone = set(folder.glob("*.md"))
        for name in modules(package):
            module, title = importlib.import_module(name), name.rpartition(".")[2]
            offered = {one: getattr(module, one) for one in module.__all__}
            others = [
                one
                for one, thing in offered.items()
                if getattr(thing, "__module__", name) in elsewhere - {name}
                or (one, id(thing)) in described
            ]
            described |= {(one, id(thing)) for one, thing in offered.items() if one not in others}
            file = folder / f"{title}.md"
            text = PAGE.format(name=title, module=name, others=", ".join(others))
            if file not in gone or file.read_text(encoding="utf-8") != text:
                file.write_text(text, encoding="utf-8")
            gone.discard(file)
        for file in gone:
            file.unlink()


def _mend_page(app: Sphinx, document: nodes.document) -> None:
    """Put formulas into a page of the reference, and a table under its first paragraph."""
    page = app.env.docname
    if not page.startswith(f"{FOLDER}/"):
        return
    set_formulas(document)
    if any(isinstance(node, nodes.math | nodes.math_block) for node in document.findall()):
        app.env.get_domain("math").data["has_equations"][page] = True
    packages = {page_of(package): package for package in app.config.api_packages}
    rows = []
    if page in packages:
        rows = [_row_of_module(app.env, module) for module in modules(packages[page])]
    elif page.rpartition("/")[0] in packages:
        rows = [row for entry in document.findall(addnodes.desc) if (row := _row_of_entry(entry))]
    if rows:
        group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in range(2)), cols=2)
        group += nodes.tbody("", *rows)
        table = nodes.table("", group, classes=["api", "colwidths-auto"])
        first = next(document.findall(nodes.paragraph))
        first.parent.insert(first.parent.index(first) + 1, table)


def _row_of_module(env: BuildEnvironment, name: str) -> nodes.row:
    module, short = importlib.import_module(name), name.rpartition(".")[2]
    env.note_dependency(str(module.__file__))
    link = addnodes.pending_xref(
        "", nodes.literal("", short), refdomain="py", reftype="mod", reftarget=name
    )
    return _row(link, nodes.Text((module.__doc__ or "").partition("\n")[0]))


def _row_of_entry(entry: addnodes.desc) -> nodes.row | None:
    """Return the row of what a module defines; nothing of what is a part of a class."""
    signature, content = entry.children
    if isinstance(entry.parent, addnodes.desc_content):
        return None
    (target,) = signature["ids"]
    link = nodes.reference("", "", nodes.literal("", target.rpartition(".")[2]), refid=target)
    said = next(content.findall(nodes.paragraph)).deepcopy()
    return _row(link, *said.children)


def _row(name: nodes.Node, *said: nodes.Node) -> nodes.row:
    cells = (nodes.entry("", nodes.paragraph("", "", *cell)) for cell in ([name], said))
    return nodes.row("", *cells)


def set_formulas(document: nodes.document) -> None:
    """Set the formulas of docstrings: literals, and quotes that are nothing but a formula."""
    for literal in list(document.findall(nodes.literal)):
        if is_formula(literal.astext()) and not isinstance(literal.parent, addnodes.pending_xref):
            literal.replace_self(nodes.math("", tex(literal.astext())))
    for quote in list(document.findall(nodes.block_quote)):
        if is_formula(quote.astext()):
            quote.replace_self(nodes.math_block("", tex(quote.astext()), nowrap=False, number=None))


def imported(cells: Iterable[str]) -> dict[str, str]:
    """Return what the names mean that cells of code import from the library.

    Examples
    --------
    >>> imported(["import pkdp", "from pkdp.worlds import World, bits as coins"])
    {'pkdp': 'pkdp', 'World': 'pkdp.worlds.World', 'coins': 'pkdp.worlds.bits'}
    """
    found = {}
    for cell in cells:
        for node in ast.walk(ast.parse(cell)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "pkdp":
                for alias in node.names:
                    found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
            elif isinstance(node, ast.Import):
                found |= {alias.name: alias.name for alias in node.names if alias.name == "pkdp"}
    return found


def full_name(name: str) -> str:
    """Return the name under which something is defined that the library offers under another.

    Examples
    --------
    >>> full_name("pkdp.counting.exact"), full_name("pkdp.worlds.bits")
    ('pkdp.partial_knowledge.counting.exact', 'pkdp.worlds.constructors.bits')
    """
    thing: Any = pkdp
    found = "pkdp"
    for part in name.split(".")[1:]:
        thing = getattr(thing, part, None)
        if isinstance(thing, ModuleType):
            found = thing.__name__
        elif isinstance(thing, type) or callable(thing):
            found = f"{thing.__module__}.{getattr(thing, '__qualname__', part)}"
        else:
            found = f"{found}.{part}"
    return found


def linked(body: str, names: dict[str, str], address: Callable[[str], str | None]) -> str:
    """Return a page's HTML with links on the names of the library in its cells.

    `names` is what the page has `imported`; `address` leads from a full name to an address, or to
    None where the reference does not have it.

    Examples
    --------
    >>> cell = '<div class="highlight"><pre><span class="n">bits</span>(2)</pre></div>'
    >>> linked(cell, {"bits": "pkdp.worlds.bits"}, lambda name: f"#{name}")
    ... # doctest: +NORMALIZE_WHITESPACE
    '<div class="highlight"><pre><a
    href="#pkdp.worlds.constructors.bits"><span class="n">bits</span></a>(2)</pre></div>'
    """

    def link(found: re.Match[str]) -> str:
        spans = found[0].split('<span class="o">.</span>')
        first, *members = [re.sub(r"<.*?>", "", span) for span in spans]
        if first not in names:
            return found[0]
        # The longest part that is described: what follows may be an attribute of a result.
        for length in range(len(spans), 0, -1):
            target = address(full_name(".".join([names[first], *members[: length - 1]])))
            if target is not None:
                inside = '<span class="o">.</span>'.join(spans[:length])
                rest = found[0][len(inside) :]
                return f'<a href="{target}">{inside}</a>{rest}'
        return found[0]

    return _CELL.sub(lambda cell: _NAME.sub(link, cell[0]), body)


def _link_page(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Put the links into a page of code."""
    if doctree is None or not str(app.env.doc2path(page)).endswith(".ipynb"):
        return
    objects = app.env.get_domain("py").objects  # type: ignore[attr-defined]

    def address(name: str) -> str | None:
        if name not in objects:
            return None
        there = app.builder.get_relative_uri(page, objects[name].docname)
        return f"{there}#{objects[name].node_id}"

    context["body"] = linked(context["body"], imported(cells_of(app, page)), address)


def _link_short_name(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, content: nodes.TextElement
) -> nodes.reference | None:
    """Resolve what a docstring calls by a short name, or by one that its module only imports."""
    objects = env.get_domain("py").objects  # type: ignore[attr-defined]
    module, *members = node["reftarget"].split(".")
    short = ".".join([pkdp._full_name(module) or f"pkdp.{module}", *members])
    names = [full_name(short), full_name(f"{node.get('py:module')}.{node['reftarget']}")]
    name = next(filter(objects.__contains__, names), None)
    if node["reftype"] != "obj" or name is None:
        return None
    entry = objects[name]
    return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, content, name)


def used(cells: Iterable[str]) -> set[str]:
    """Return the full names of what cells of code use of the library.

    Examples
    --------
    >>> sorted(used(["from pkdp import counting", "counting.exact([0.5]).delta(0)"]))
    ['pkdp.partial_knowledge.counting', 'pkdp.partial_knowledge.counting.exact']
    """
    cells = list(cells)
    names = imported(cells)
    found = set()
    for cell in cells:
        for node in ast.walk(ast.parse(cell)):
            if isinstance(node, ast.Name | ast.Attribute):
                first, *members = ast.unparse(node).split(".")
                if first in names and all(map(str.isidentifier, members)):
                    found.add(full_name(".".join([names[first], *members])))
    return found


def cells_of(app: Sphinx, page: str) -> list[str]:
    """Return the cells of code of a page."""
    path = Path(app.env.doc2path(page))
    if path.suffix != ".ipynb":
        return []
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def _note_uses(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Note which pages use what; write the reference again if that changed."""
    found: dict[str, list[str]] = {}
    for page in env.external_site_map:  # type: ignore[attr-defined]
        for name in used(cells_of(app, page)):
            found.setdefault(name, []).append(page)
    before, env.api_uses = getattr(env, "api_uses", None), found  # type: ignore[attr-defined]
    return [] if before == found else [name for name in env.found_docs if name.startswith(FOLDER)]


def _link_back(app: Sphinx, document: nodes.document, page: str) -> None:
    """Say below the first line of each description which pages use it."""
    for entry in document.findall(addnodes.desc):
        names = entry[0]["ids"]
        pages = app.env.api_uses.get(names[0]) if names else None  # type: ignore[attr-defined]
        if not pages:
            continue
        line = nodes.paragraph("", "Used on: ", classes=["used-on"])
        for number, name in enumerate(pages):
            link = make_refnode(
                app.builder, page, name, None, nodes.Text(app.env.titles[name].astext())
            )
            line += [nodes.Text(", "), link] if number else [link]
        entry[-1].insert(1, line)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the pages and the links."""
    app.add_config_value("api_packages", [], "env", types=(list,))
    app.connect("config-inited", _write_pages, priority=100)  # before the contents are read
    app.connect("doctree-read", _mend_page, priority=400)  # before formulas are kept together
    app.connect("env-updated", _note_uses)
    app.connect("doctree-resolved", _link_back)
    app.connect("html-page-context", _link_page)
    app.connect("missing-reference", _link_short_name)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
