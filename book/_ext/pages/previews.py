"""What a link leads to, shown next to it.

For each page that has theorems, claims, references or terms a script in ``_previews/`` gives their
HTML by their ids. ``previews.js`` loads it when somebody first rests on a link to that page: a
script works where the pages are plain files, too, and costs nothing until then.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

FOLDER = "_previews"
LONGEST = 4000  # characters of a preview's HTML

# Statements and their like, cards of claims, and references; and what a glossary says of a term.
_TARGET = re.compile(
    r'<div (?=[^>]*class="(?:[^"]* )?(?:proof|claim-card|citation)[ "])[^>]*?id="([^"]+)"'
    r'|<dt [^>]*?id="(term-[^"]+)".*?(?=<dd>)',
    re.DOTALL,
)


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
    itself, what is folded, and lists of what is related.

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
        inside = re.sub(r'<p class="claim-relation">.*?</p>', "", inside)
        inside = re.sub(r'<a class="headerlink".*?</a>', "", inside)
        inside = re.sub(r'\s(?:id|role|href)="[^"]*"', "", inside)
        inside = re.sub(r"<(/?)section\b[^>]*>", r"<\1div>", inside)
        inside = re.sub(r"</?a\b[^>]*>", "", inside)
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
    """Register the writing of the previews, and the script that shows them."""
    app.add_js_file("previews.js", defer="defer")
    app.connect("html-page-context", _write, priority=950)  # after the page is corrected
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
