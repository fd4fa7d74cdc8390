"""The line under a figure: its data, the command that draws it; and its code.

````
```{figure-source} 3
```
````

``figures.js`` adds the drawing itself, as SVG and PNG, made from the one on the page. The stored
tables are published in ``_figures/``.
"""

from __future__ import annotations

import inspect
import posixpath
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from book._ext.parts import folded
from pkdp import figures
from pkdp.figures._registry import FOLDER, FigureModule, as_name, table_file

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

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
        _sources(self.env).setdefault(self.env.docname, set()).add(name)
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


def _code(module: FigureModule) -> list[nodes.Node]:
    """Return the source of what computes a figure and of what draws it, folded."""
    parts = [inspect.getsource(function) for function in (module.data, module.draw)]
    code = nodes.literal_block("", "\n\n".join(parts).rstrip(), language="python")
    return folded("Show the code", [code], "figure-code beside")


def _sources(env: BuildEnvironment) -> dict[str, set[str]]:
    # The figures of each page, kept with the environment from one build to the next.
    if not hasattr(env, "figure_sources"):
        env.figure_sources = {}  # type: ignore[attr-defined]
    sources: dict[str, set[str]] = env.figure_sources  # type: ignore[attr-defined]
    return sources


def _purge(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    _sources(env).pop(docname, None)


def _merge(app: Sphinx, env: BuildEnvironment, docnames: set[str], other: BuildEnvironment) -> None:
    found = _sources(other)
    _sources(env).update({docname: found[docname] for docname in docnames if docname in found})


def _add_script(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Let a page with figures load what saves them."""
    if page in _sources(app.env):
        app.add_js_file("figures.js", loading_method="defer")


def _publish(app: Sphinx, error: Exception | None) -> None:
    if error is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir, PUBLISHED)
    folder.mkdir(exist_ok=True)
    for name in set().union(*_sources(app.env).values()):
        table = table_file(as_name(name), FOLDER)
        shutil.copyfile(table, folder / figures.file_name(name, "csv"))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive and the publishing of its files."""
    app.add_directive("figure-source", FigureSource)
    app.connect("env-purge-doc", _purge)
    app.connect("env-merge-info", _merge)
    app.connect("html-page-context", _add_script)
    app.connect("build-finished", _publish)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
