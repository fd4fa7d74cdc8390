"""Formulas: the parts of MathJax that are in use, and no line break before punctuation.

Only a twentieth of MathJax is published. Its menu would make every formula a stop of the tab key,
and reading formulas aloud does not need it. A formula is kept together with the punctuation around
it, so that no line begins with a comma.
"""

from __future__ import annotations

import re
import shutil
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes

from book._ext.parts import once_built

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config

FOLDER = "mathjax"
PACKAGE = "sphinx-mathjax-offline"  # its name holds it back from an import
PARTS = (
    "startup.js",
    "core.js",
    "input/tex.js",
    "output/chtml.js",
    "output/chtml/fonts/tex.js",
    "a11y/assistive-mml.js",
)
FONTS = "output/chtml/fonts/woff-v2"
# Letters of a kind that no formula has.
UNUSED = ("*Fraktur*", "*Script*", "*Typewriter*", "*Calligraphic-Bold*", "*Serif-[BI]*")
LOADED = {"loader": {"load": ["input/tex", "output/chtml", "a11y/assistive-mml"]}}

_BEFORE = re.compile(r"[(\[“‘]+$")
# A hyphen or a genitive belongs to the formula as well; what follows it may begin a line.
_AFTER = re.compile(r"^(?:’s|[-–,.;:!?)\]”’…%])+")


def keep_together(document: nodes.document) -> None:
    r"""Put each formula in the text into one box with the punctuation that touches it.

    Examples
    --------
    >>> from docutils.utils import new_document
    >>> document = new_document("page")
    >>> parts = nodes.Text("Hence ("), nodes.math("", "x > 0"), nodes.Text("), as said.")
    >>> document += nodes.paragraph("", "", *parts)
    >>> keep_together(document)
    >>> print(document[0])
    <paragraph>Hence <inline classes="together">(<math>x > 0</math>),</inline> as said.</paragraph>
    """
    for math in list(document.findall(nodes.math)):
        parent = math.parent
        place = parent.index(math)
        before, after = "", ""
        if place > 0 and isinstance(parent[place - 1], nodes.Text):
            text = parent[place - 1].astext()
            if found := _BEFORE.search(text):
                before = found[0]
                parent[place - 1] = nodes.Text(text[: found.start()])
        if place + 1 < len(parent) and isinstance(parent[place + 1], nodes.Text):
            text = parent[place + 1].astext()
            if found := _AFTER.search(text):
                after = found[0]
                parent[place + 1] = nodes.Text(text[found.end() :])
        if before or after:
            box = nodes.inline(classes=["together"])
            parent[place] = box
            box += [nodes.Text(before)] if before else []
            box += math
            box += [nodes.Text(after)] if after else []


def _read(app: Sphinx, document: nodes.document) -> None:
    keep_together(document)


def _configure(app: Sphinx, config: Config) -> None:
    """Have the pages load these parts."""
    config.mathjax_path = f"{FOLDER}/{PARTS[0]}"
    config.mathjax3_config = {**(config.mathjax3_config or {}), **LOADED}


def _publish(app: Sphinx) -> None:
    """Copy MathJax beside the pages."""
    target = Path(app.outdir, "_static", FOLDER)
    with as_file(files(PACKAGE) / "static" / "mathjax") as source:
        for part in PARTS:
            (target / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / part, target / part)
        unused = shutil.ignore_patterns(*UNUSED)
        shutil.copytree(source / FONTS, target / FONTS, ignore=unused, dirs_exist_ok=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the transform and the publishing."""
    app.connect("config-inited", _configure)
    app.connect("doctree-read", _read)
    once_built(app, _publish)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
