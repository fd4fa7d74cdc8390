"""What stands on a page but is folded away: a line to click, and what it opens."""

from __future__ import annotations

from collections.abc import Iterable

from docutils import nodes


def folded(summary: str, inside: Iterable[nodes.Node], kind: str = "") -> list[nodes.Node]:
    """Return nodes between the ends of a folded part of the page.

    Parameters
    ----------
    summary : str
        The line that is always seen, as HTML.
    inside : iterable of nodes
    kind : str
        Classes of the part. What is ``beside`` the text, such as code and checks, stays folded on
        paper, where all else is opened.

    Examples
    --------
    >>> [node.astext() for node in folded("More", [nodes.Text("text")], "beside")]
    ['<details class="beside"><summary>More</summary>', 'text', '</details>']
    """
    classes = f' class="{kind}"' if kind else ""
    return [
        nodes.raw("", f"<details{classes}><summary>{summary}</summary>", format="html"),
        *inside,
        nodes.raw("", "</details>", format="html"),
    ]
