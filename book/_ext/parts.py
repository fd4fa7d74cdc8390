"""Parts of pages that several extensions make: folds, boxes, and what is published with pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from docutils import nodes
from sphinx.application import Sphinx
from sphinx_design.shared import create_component


def folded(summary: str, inside: Iterable[nodes.Node], kind: str = "") -> list[nodes.Node]:
    """Return nodes between the ends of a folded part of the page, under a line of HTML.

    `kind` has classes of the part. What is ``beside`` the text, such as code and checks, stays
    folded on paper, where all else is opened.

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


def dropdown(title: str, inside: Iterable[nodes.Node], *classes: str) -> nodes.Element:
    """Return what the directive of that name makes."""
    box: nodes.Element = create_component(
        "dropdown",
        children=[nodes.rubric("", title), *inside],
        type="dropdown",
        has_title=True,
        opened=False,
        icon=None,
        chevron=None,
        container_classes=["sd-mb-3", *classes],
        title_classes=[],
        body_classes=[],
    )
    return box


def once_built(app: Sphinx, publish: Callable[[Sphinx], None]) -> None:
    """Have something done once the pages are written as HTML, if nothing went wrong."""

    def act(app: Sphinx, error: Exception | None) -> None:
        if error is None and app.builder.format == "html":
            publish(app)

    app.connect("build-finished", act)
