"""Where to go from a page: the contents at its side, the next page of a path, and how to cite it.

The contents have a part for each paper, one for practice and one for reference. The part of the
page is open; of each other there is a link to its beginning. The first part is always open.
"""

from __future__ import annotations

import html
import re
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import yaml

import pkdp
from book._ext.ledger.entries import page_of

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx

_PART = re.compile(r"(<p[^>]*>)(.*?)</p>\s*(<ul.*)", re.DOTALL)
FLAT = "Reference"  # the part whose pages list their own parts

_CITE = """@incollection{{pkdp-{key},
  author    = {{{{The pkdp founders}}}},
  title     = {{{title}}},
  booktitle = {{{book}}},
  year      = {{{date:%Y}}},
  note      = {{Version {version}, {date:%-d %B %Y}}}
}}"""


def in_parts(contents: str) -> str:
    """Return a table of contents of which the part of the page, and the first, are open.

    Examples
    --------
    >>> in_parts('<p class="caption"><span>A</span></p><ul class="current"><li>a</li></ul>'
    ...          '<p class="caption"><span>B</span></p><ul><li><a href="b">b</a></li></ul>')
    ... # doctest: +NORMALIZE_WHITESPACE
    '<p class="caption"><span>A</span></p><ul class="current"><li>a</li></ul><p
    class="caption"><a href="b"><span>B</span></a></p>'
    """
    before, *parts = re.split(r"(?=<p [^>]*caption)", contents)
    for number, part in enumerate(parts):
        opening, caption, pages = _PART.fullmatch(part).groups()  # type: ignore[union-attr]
        if number and not pages.startswith('<ul class="current'):
            first = re.search(r'href="([^"]*)"', pages)[1]  # type: ignore[index]
            parts[number] = f'{opening}<a href="{first}">{caption}</a></p>'
        elif FLAT in caption:
            parts[number] = re.sub(r"<details.*</details>", "", part, flags=re.DOTALL)
    return before + "".join(parts)


def next_on_paths(app: Sphinx, page: str) -> list[tuple[str, str]]:
    """Return the paths that lead on from a page, each with the page it leads to."""
    paths: dict[str, list[str]] = app.env.metadata[app.config.root_doc].get("paths", {})
    return [
        (name, pages[pages.index(page) + 1]) for name, pages in paths.items() if page in pages[:-1]
    ]


@cache
def _about(root: Path) -> dict[str, Any]:
    """Return what is said of the whole book for those who cite it."""
    found: dict[str, Any] = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    return found


def foot(app: Sphinx, page: str, title: str) -> str:
    """Return what follows the text of a page: where its paths lead on, and how to cite it."""
    builder, said = app.builder, ""
    for name, target in next_on_paths(app, page):
        link = html.escape(builder.get_relative_uri(page, target))
        words = html.escape(app.env.titles[target].astext())
        said += f'<p class="next-on-path">Next on {name}: <a href="{link}">{words}</a></p>\n'
    about = _about(Path(app.confdir))
    entry = _CITE.format(
        key=page_of(page).replace("/", "-"),
        title=title,
        book=re.sub(r" '(.*)'$", r"\n               ``\1''", about["title"]),
        version=pkdp.__version__,
        date=about["date-released"],
    )
    box = f"<summary>Cite this page</summary><pre>{html.escape(entry)}</pre>"
    return f'{said}<details class="cite">{box}</details>\n'


def _lead_on(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    if page in app.env.titles and PurePosixPath(page).parts[0] == "notebooks":
        context["body"] += foot(app, page, app.env.titles[page].astext())


def setup(app: Sphinx) -> dict[str, Any]:
    """Register what is added to every page, before the corrections of the theme."""
    app.connect("html-page-context", _lead_on, priority=890)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
