"""Exercise sheets for a course: exercises of the book in full, without hints and solutions.

Each line of the directive ``{sheet}`` is the label of an exercise, without "exercise-", and its
points, such as ``village 4``. A link below each exercise leads to its own page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode
from sphinx_exercise.nodes import is_exercise_node

from book._ext.pages.exercises import name_of

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment
    from sphinx.util.typing import ExtensionMetadata

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Problem:
    """A line of a sheet."""

    label: str  # of the exercise, on its page
    points: int


def problems(lines: list[str]) -> list[Problem]:
    """Return the problems of a sheet.

    Raises ValueError if a line is not a label and a positive number of points, or a label comes
    twice.

    Examples
    --------
    >>> problems(["village 4", "", "two-steps 2"])[0]
    Problem(label='exercise-village', points=4)
    >>> problems(["village"])
    Traceback (most recent call last):
    ...
    ValueError: a problem must be a label and its points, got 'village'
    """
    found: list[Problem] = []
    for line in filter(str.strip, lines):
        words = line.split()
        if len(words) != 2 or not words[1].isdigit() or int(words[1]) < 1:
            raise ValueError(f"a problem must be a label and its points, got {line!r}")
        found.append(Problem(f"exercise-{words[0]}", int(words[1])))
    labels = [problem.label for problem in found]
    if twice := [label for label in dict.fromkeys(labels) if labels.count(label) > 1]:
        raise ValueError(f"a sheet must have each exercise once, got {', '.join(twice)} twice")
    return found


class problem(nodes.General, nodes.Element):  # type: ignore[misc]  # noqa: N801
    """The place of an exercise on a sheet, until all pages are read."""


class Sheet(SphinxDirective):
    """``{sheet}``, with a line for each problem."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return what all problems are worth, and a place for each."""
        try:
            found = problems(list(self.content))
        except ValueError as error:
            logger.warning("sheet: %s", error, location=self.get_location())
            return []
        self.env.metadata[self.env.docname]["sheet"] = "yes"
        together = sum(one.points for one in found)
        first = nodes.paragraph("", f"{len(found)} problems, {together} points.")
        places = [
            problem(label=one.label, points=one.points, number=number)
            for number, one in enumerate(found, 1)
        ]
        return [first, *places]


class FillIn(SphinxPostTransform):
    """Put each exercise into its place, before its references are resolved."""

    default_priority = 5

    def run(self, **_: object) -> None:
        """Replace all places on a page."""
        registry = getattr(self.env, "sphinx_exercise_registry", {})
        for place in list(self.document.findall(problem)):
            if place["label"] not in registry:
                logger.warning("sheet: no exercise has the label %r", place["label"])
                place.parent.remove(place)
                continue
            filled = self._filled(place, registry[place["label"]]["docname"])
            # The frame is drawn by a style; in print there is none.
            place.replace_self([filled] if self.app.builder.format == "html" else filled.children)

    def _filled(self, place: problem, page: str) -> nodes.Element:
        label, points = place["label"], place["points"]
        document = self.env.get_doctree(page)
        exercise = next(
            node for node in document.findall(is_exercise_node) if node["label"] == label
        )
        name, level = name_of(exercise)
        worth = f"{points} point{'s' if points > 1 else ''}"
        title = nodes.strong("", f"{place['number']}. ", *name)
        copy = nodes.container("", classes=["problem"])
        copy += nodes.paragraph("", "", title, nodes.Text(f"· {level} · {worth}"))
        for part in exercise[1].deepcopy().children:
            copy += part
        builder, here = self.app.builder, self.env.docname
        for node in copy.findall(nodes.Element):
            node["ids"], node["names"] = [], []
            if isinstance(node, addnodes.pending_xref):
                node["refdoc"] = here
            elif isinstance(node, nodes.reference) and "refid" in node:  # to a place on its page
                node["refuri"] = f"{builder.get_relative_uri(here, page)}#{node['refid']}"
                del node["refid"]
        # Or its formulas would not be set: a page that has none by itself loads no script for them.
        self.env.get_domain("math").data["has_equations"][here] = True
        link = make_refnode(builder, here, page, label, nodes.Text("On its page"))
        copy += nodes.paragraph("", "", link, nodes.Text(", with a hint and the solution."))
        return copy


def _again(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Write sheets again if pages were read: the text of an exercise may have changed."""
    return sorted(page for page, kept in env.metadata.items() if "sheet" in kept)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive and what fills in the problems."""
    app.add_node(problem)
    app.add_directive("sheet", Sheet)
    app.add_post_transform(FillIn)
    app.connect("env-updated", _again)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
