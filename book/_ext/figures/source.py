"""The line under a figure, ``{figure-source} 3``: its data, its command, its code.

``figures.js`` adds the drawing as SVG and PNG. The stored tables are published in ``_figures/``.
"""

from __future__ import annotations

import inspect
import posixpath
import shutil
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from book._ext.parts import folded, once_built
from pkdp import figures
from pkdp.figures._registry import FOLDER, as_name, table_file

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PUBLISHED = "_figures"

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
    """Register the directive and the publishing of its files."""
    app.add_directive("figure-source", FigureSource)
    app.connect("html-page-context", _add_script)
    once_built(app, _publish)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
