"""The line under a figure, ``{figure-source} 3``: its data, its command, its code.

The paragraph before the line is the caption, and becomes part of the figure, after its number:
"Figure 4.1-2" is the second one in section 4.1, and the paper's own figures keep their names.
``figures.js`` adds the drawing as SVG and PNG. The stored tables are published in ``_figures/``.
"""

from __future__ import annotations

import inspect
import posixpath
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from book._ext.ledger.entries import page_of
from book._ext.parts import folded, once_built
from pkdp import figures
from pkdp.figures._registry import FOLDER, as_name, table_file

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment
    from sphinx.writers.html5 import HTML5Translator

PUBLISHED = "_figures"
# What stands before the section in a number, as in those of results.
LETTERS = {"noiseless": "N", "databases": "D", "practice": "P", "reference": "R"}
_SECTION = re.compile(r"\d+(?:-\d+)*(?=-)")
_SHOWN = re.compile(r"(?:from pkdp import figures\n\n|import .*\n|figures\.show\(.*\)\n?)+")
_DRAWN = '<figure class="pkdp-figure"'
_END = "</figure>"

logger = logging.getLogger(__name__)


class FigureSource(SphinxDirective):
    """``{figure-source} NAME`` says where the figure of that name comes from."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return one paragraph; or nothing, with a warning, if there is no such figure."""
        name = self.arguments[0]
        try:
            module = figures.load(name)
        except ValueError as error:
            logger.warning("figure-source: %s", error, location=self.get_location())
            return []
        self.env.metadata[self.env.docname].setdefault("figures", []).append(name)
        line = nodes.paragraph(
            classes=["figure-source"], ids=[f"figure-source-{name.replace('/', '-')}"]
        )
        line["figure"] = name
        file = f"{PUBLISHED}/{figures.file_name(name, 'csv')}"
        uri = posixpath.relpath(file, posixpath.dirname(self.env.docname) or ".")
        line += [nodes.reference("", "data (CSV)", refuri=uri), nodes.Text(" · ")]
        command = f"python -m pkdp figure {name} --out {figures.file_name(name, 'pdf')}"
        line += nodes.literal("", command)
        self.env.note_dependency(inspect.getfile(module.data))
        return [line, *_code(module)]


def _code(module: ModuleType) -> list[nodes.Node]:
    """Return the source of what computes a figure and of what draws it, folded."""
    parts = [inspect.getsource(function) for function in (module.data, module.draw)]
    code = nodes.literal_block("", "\n\n".join(parts).rstrip(), language="python")
    return folded("Show the code", [code], "figure-code beside")


def section(page: str) -> str:
    """Return the section of a page, with which the numbers of its figures begin.

    Examples
    --------
    >>> [section(page) for page in ("partial-knowledge/4-1-names", "noiseless/3-a", "practice/a")]
    ['4.1', 'N3', 'P']
    >>> section("differential-privacy")  # before all papers
    '0'
    """
    folder, _, name = page.rpartition("/")
    found = _SECTION.match(name)
    return LETTERS.get(folder, "") + (found[0].replace("-", ".") if found else "") or "0"


class figcaption(nodes.General, nodes.TextElement):  # type: ignore[misc]  # noqa: N801
    """The caption of a figure, inside it."""


def _visit(translator: HTML5Translator, node: figcaption) -> None:
    translator.body.append(translator.starttag(node, "figcaption", ""))


def _depart(translator: HTML5Translator, node: figcaption) -> None:
    translator.body.append("</figcaption>\n")


def _pages(env: BuildEnvironment, page: str) -> Iterator[str]:
    """Yield a page and those below it, in the order of the contents."""
    yield page
    for below in env.toctree_includes.get(page, ()):
        yield from _pages(env, below)


def _number(app: Sphinx, env: BuildEnvironment) -> set[str]:
    """Count the figures of all pages; return the pages where that changes a number."""
    count: Counter[str] = Counter()
    numbers: dict[tuple[str, str], str] = {}
    for page in _pages(env, env.config.root_doc):
        for name in env.metadata[page].get("figures", ()):
            place = section(page_of(page))
            count[place] += not name.isdigit()
            numbers[page, name] = name if name.isdigit() else f"{place}-{count[place]}"
    before = getattr(env, "figure_numbers", {})
    env.figure_numbers = numbers  # type: ignore[attr-defined]
    return {page for page, name in numbers if before.get((page, name)) != numbers[page, name]}


def _leave_out(app: Sphinx, document: nodes.document) -> None:
    """Leave out the code of cells that only show a figure: below it is what computes and draws."""
    for cell in document.findall(nodes.container):
        if cell.get("hide_mode") == "input" and _SHOWN.fullmatch(cell[0].astext()):
            del cell["hide_mode"]
            cell.pop(0)


def _caption(app: Sphinx, document: nodes.document, page: str) -> None:
    """Put each caption into its figure, after the number."""
    if app.builder.format != "html":
        return
    drawn = None
    for node in list(document.findall(nodes.Element)):
        if isinstance(node, nodes.raw) and node.astext().startswith(_DRAWN):
            drawn = node
        if drawn is None or "figure" not in node:
            continue
        text = node.parent[node.parent.index(node) - 1]
        caption = figcaption("", "", *text.children)
        if not text.astext().startswith("Figure "):
            number = app.env.figure_numbers[page, node["figure"]]  # type: ignore[attr-defined]
            caption.insert(0, nodes.strong("", f"Figure {number}. "))
        text.parent.remove(text)
        open_figure = nodes.raw("", drawn.astext().rpartition(_END)[0], format="html")
        whole = [open_figure, caption, nodes.raw("", _END, format="html")]
        drawn.replace_self(nodes.container("", *whole, classes=drawn["classes"]))
        drawn = None


def _add_script(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Let a page with figures load what saves them."""
    if "figures" in app.env.metadata.get(page, ()):
        app.add_js_file("figures.js", loading_method="defer")


def _publish(app: Sphinx) -> None:
    folder = Path(app.outdir, PUBLISHED)
    folder.mkdir(exist_ok=True)
    for name in {name for kept in app.env.metadata.values() for name in kept.get("figures", ())}:
        table = table_file(as_name(name), FOLDER)
        shutil.copyfile(table, folder / figures.file_name(name, "csv"))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive, captions with numbers, and the publishing of files."""
    app.add_directive("figure-source", FigureSource)
    app.add_node(figcaption, html=(_visit, _depart))
    app.connect("env-updated", _number)
    app.connect("doctree-read", _leave_out)
    app.connect("doctree-resolved", _caption)
    app.connect("html-page-context", _add_script)
    once_built(app, _publish)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
