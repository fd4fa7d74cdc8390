"""The line under a figure: its data, files of it, the command that makes it; and its code.

````
```{figure-source} 3
```
````

``figures.js`` adds the drawing itself, as SVG and PNG, made from the one on the page. The other
files are published in ``_figures/``. They are drawn in ``_build/figures``, beside the reading
of the pages, and copied from there; those that are up to date stay as they are.
"""

from __future__ import annotations

import inspect
import posixpath
import shutil
from multiprocessing import parent_process
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from folding import folded
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from pkdp import figures
from pkdp.figures._files import Folder
from pkdp.figures._registry import FigureModule

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

FOLDER = "_figures"
PUBLISHED = {"csv": "data (CSV)", "pdf": "PDF"}

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
        # Where pages are read by several processes, drawing waits until they have ended.
        if self.env.app.builder.format == "html" and parent_process() is None:
            _drawings(self.env.app).draw(name, PUBLISHED)
        line = nodes.paragraph(
            classes=["figure-source"], ids=[f"figure-source-{name.replace('/', '-')}"]
        )
        line["figure"] = name
        for kind, text in PUBLISHED.items():
            file = f"{FOLDER}/{figures.file_name(name, kind)}"
            uri = posixpath.relpath(file, posixpath.dirname(self.env.docname) or ".")
            line += [nodes.reference("", text, refuri=uri), nodes.Text(" · ")]
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


def _drawings(app: Sphinx) -> Folder:
    # With the application, not with its environment, which is stored.
    if not hasattr(app, "figure_drawings"):
        app.figure_drawings = Folder(Path(app.confdir, "_build", "figures"))  # type: ignore[attr-defined]
    drawings: Folder = app.figure_drawings  # type: ignore[attr-defined]
    return drawings


def _publish(app: Sphinx, error: Exception | None) -> None:
    drawings = _drawings(app)
    if error is not None or app.builder.format != "html":
        drawings.cancel()
        return
    names = sorted(set().union(*_sources(app.env).values()))
    for name in names:  # those of pages that were not read this time, too
        drawings.draw(name, PUBLISHED)
    drawings.finish()
    folder = Path(app.outdir, FOLDER)
    if names:
        folder.mkdir(exist_ok=True)
    for file in (figures.file_name(name, kind) for name in names for kind in PUBLISHED):
        shutil.copyfile(Path(app.confdir, "_build", "figures", file), folder / file)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive and the publishing of its files."""
    app.add_directive("figure-source", FigureSource)
    app.connect("env-purge-doc", _purge)
    app.connect("env-merge-info", _merge)
    app.connect("html-page-context", _add_script)
    app.connect("build-finished", _publish)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
