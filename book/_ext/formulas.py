r"""Formulas: what a browser needs to set them, and that punctuation stays with them.

Of MathJax, only what `mathjax_path` names is published, with its fonts: a fifteenth of the whole.

A line may end beside a formula, so that the comma after it would begin the next one. A formula is
therefore kept together with the punctuation around it.
"""

from __future__ import annotations

import re
import shutil
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PACKAGE = "sphinx-mathjax-offline"  # its name holds it back from an import
FONTS = "output/chtml/fonts/woff-v2"

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


def _publish(app: Sphinx, error: Exception | None) -> None:
    """Copy MathJax beside the pages."""
    if error is not None or app.builder.format != "html":
        return
    script = app.config.mathjax_path
    target = Path(app.outdir, "_static", script)
    target.parent.mkdir(parents=True, exist_ok=True)
    with as_file(files(PACKAGE) / "static") as source:
        shutil.copyfile(source / script, target)
        folder = Path(script).parent / FONTS
        shutil.copytree(source / folder, target.parent / FONTS, dirs_exist_ok=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the transform and the publishing."""
    app.connect("doctree-read", _read)
    app.connect("build-finished", _publish)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
