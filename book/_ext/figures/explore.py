"""Figures that move: sliders, and a chart that follows them.

``{explore} count n=50000 lam=0.1`` names a model of ``_static/explore/models.js``, and settings to
begin with if they are not the model's own. Its body has questions to answer before moving the
sliders. With ``:compact:`` there is no chart, and the answer is in words for newcomers. Without
scripts nothing is shown: the page has a figure of its own.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

SCRIPTS = ("explore/laws.js", "explore/models.js", "explore/panel.js")
STYLE = "explore/explore.css"
MODELS = Path(__file__).parents[2] / "_static" / SCRIPTS[1]

logger = logging.getLogger(__name__)


def settings(words: list[str]) -> dict[str, float]:
    """Return settings written as ``name=number``.

    Examples
    --------
    >>> settings(["n=50000", "lam=0.1"])
    {'n': 50000, 'lam': 0.1}
    >>> settings(["n"])
    Traceback (most recent call last):
    ...
    ValueError: a setting must be name=number, got 'n'
    """
    found: dict[str, float] = {}
    for word in words:
        name, _, value = word.partition("=")
        try:
            found[name] = int(value) if value.lstrip("-").isdigit() else float(value)
        except ValueError:
            raise ValueError(f"a setting must be name=number, got {word!r}") from None
    return found


def models() -> list[str]:
    """Return the names of what can be explored, in the order of the script.

    Examples
    --------
    >>> models()[:2]
    ['count', 'threshold']
    """
    return re.findall(r"^  models\.(\w+) = ", MODELS.read_text(encoding="utf-8"), re.MULTILINE)


class explorable(nodes.General, nodes.Element):  # type: ignore[misc]  # noqa: N801
    """The place of one, around its questions."""


class Explore(SphinxDirective):
    """``{explore} MODEL [name=number …]``, with questions in its body."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar = {"compact": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Return the place; or nothing, with a warning, if there is no such model."""
        name, *words = self.arguments[0].split()
        try:
            if name not in models():
                raise ValueError(f"the model must be one of {', '.join(models())}, got {name!r}")
            start = settings(words)
        except ValueError as error:
            logger.warning("explore: %s", error, location=self.get_location())
            return []
        place = explorable(model=name, start=json.dumps(start), compact="compact" in self.options)
        place += self.parse_content_to_nodes()
        return [place]


def _visit(translator: HTML5Translator, node: explorable) -> None:
    data = {"data-model": node["model"], "data-start": node["start"]}
    if node["compact"]:
        data["data-compact"] = "yes"
    translator.body.append(translator.starttag(node, "div", CLASS="explore", **data))


def _depart(translator: HTML5Translator, node: explorable) -> None:
    translator.body.append("</div>\n")


def _skip(translator: nodes.NodeVisitor, node: explorable) -> None:
    raise nodes.SkipNode


def _add_files(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Let a page load the scripts if it has something to explore."""
    if doctree is not None and next(doctree.findall(explorable), None) is not None:
        app.add_css_file(STYLE)
        for script in SCRIPTS:
            app.add_js_file(script, loading_method="defer")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive, what it becomes, and the files of its pages."""
    app.add_directive("explore", Explore)
    app.add_node(explorable, html=(_visit, _depart), text=(_skip, None))
    app.connect("html-page-context", _add_files)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
