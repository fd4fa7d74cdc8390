"""Links: from code to the reference of the library, and what a link leads to, shown beside it.

Whatever a cell calls of `pkdp`, by the name of its module (``counting.worst_case``) or by a name
the page imports, leads to where the reference describes it. What the reference describes is what
its directives ``automodule`` have found. In a docstring, `counting.worst_case` leads there as well.

For each page that has theorems, claims, references or terms a script in ``_previews/`` gives their
HTML by their ids. ``previews.js`` loads it when somebody first rests on a link to that page: a
script works where the pages are plain files, too, and costs nothing until then.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import nbformat
from sphinx.util.nodes import make_refnode

import pkdp

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx import addnodes
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment
    from sphinx.util.typing import ExtensionMetadata

FOLDER = "_previews"
LONGEST = 4000  # characters of a preview's HTML

# Statements and their like, cards of claims, and references; and what a glossary says of a term.
_TARGET = re.compile(
    r'<div (?=[^>]*class="(?:[^"]* )?(?:proof|claim-card|citation)[ "])[^>]*?id="([^"]+)"'
    r'|<dt [^>]*?id="(term-[^"]+)".*?(?=<dd>)',
    re.DOTALL,
)
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

    Parameters
    ----------
    body : str
        The page.
    names : dict
        What the page has `imported`.
    address : callable
        From a full name to an address, or None where the reference does not have it.

    Examples
    --------
    >>> cell = '<div class="highlight"><pre><span class="n">bits</span>(2)</pre></div>'
    >>> linked(cell, {"bits": "pkdp.worlds.bits"}, lambda name: f"#{name}")
    ... # doctest: +NORMALIZE_WHITESPACE
    '<div class="highlight"><pre><a class="to-reference"
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
                return f'<a class="to-reference" href="{target}">{inside}</a>{rest}'
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

    notebook = nbformat.read(app.env.doc2path(page), as_version=4)
    cells = (cell.source for cell in notebook.cells if cell.cell_type == "code")
    context["body"] = linked(context["body"], imported(cells), address)


def _link_short_name(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, content: nodes.TextElement
) -> nodes.reference | None:
    """Resolve what a docstring calls by a short name, such as that of a module without its room."""
    module, *members = node["reftarget"].split(".")
    name = full_name(".".join([pkdp._full_name(module) or f"pkdp.{module}", *members]))
    entry = env.get_domain("py").objects.get(name)  # type: ignore[attr-defined]
    if node["reftype"] != "obj" or entry is None:
        return None
    return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, content, name)


def element(body: str, start: int, tag: str) -> str:
    """Return the element that begins at a place, up to its own end.

    Examples
    --------
    >>> element("a <div>b <div>c</div> d</div> e", 2, "div")
    '<div>b <div>c</div> d</div>'
    """
    depth = 0
    for found in re.compile(rf"<(/?){tag}\b").finditer(body, start):
        depth += -1 if found[1] else 1
        if depth == 0:
            return body[start : body.index(">", found.end()) + 1]
    raise ValueError(f"<{tag}> at {start} must end")


def previews(body: str) -> dict[str, str]:
    """Return the HTML of what links to a page may lead to, by its id.

    What belongs to the page is left out of it: ids, which would occur twice, links to the place
    itself, and what is folded.

    Examples
    --------
    >>> previews('<div class="proof lemma" id="a"><p>Lemma 1</p><p id="b">So.</p></div>')
    {'a': '<p>Lemma 1</p><p>So.</p>'}
    """
    found = {}
    for target in _TARGET.finditer(body):
        anchor, term = target.groups()
        whole = element(body, target.end(), "dd") if term else element(body, target.start(), "div")
        inside = whole[whole.index(">") + 1 : whole.rindex("<")]
        inside = re.sub(r"<details\b.*?</details>", "", inside, flags=re.DOTALL)
        inside = re.sub(r'<a class="headerlink".*?</a>', "", inside)
        inside = re.sub(r'\s(?:id|role|href)="[^"]*"', "", inside)
        inside = re.sub(r"<(/?)section\b[^>]*>", r"<\1div>", inside)
        inside = re.sub(r"</?a\b[^>]*>", "", inside).replace(" nohighlight", "")
        found[anchor or term] = inside
    return {name: text for name, text in found.items() if len(text) <= LONGEST}


def _write(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Write the previews of a page."""
    if doctree is None or app.builder.format != "html":
        return
    script = Path(app.outdir, FOLDER, f"{page}.js")
    found = previews(context["body"])
    if found:
        script.parent.mkdir(parents=True, exist_ok=True)
        given = json.dumps(found, ensure_ascii=False)
        script.write_text(f"showPreviews({json.dumps(page)}, {given});\n", encoding="utf-8")
    else:
        script.unlink(missing_ok=True)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the links, the writing of the previews, and the script that shows them."""
    app.add_js_file("previews.js", defer="defer")
    app.connect("html-page-context", _link_page)
    app.connect("missing-reference", _link_short_name)
    app.connect("html-page-context", _write, priority=950)  # when the page is mended
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
