"""Dependency graph of the ledger's `uses`, drawn as SVG for some of its pages.

``{rests-graph} partial-knowledge`` draws the numbered items on the pages whose names begin so, with
an arrow from what is used to what uses it, and lists the same in words. Results of the book and
claims without a number are not drawn; arrows pass through them. Items on other pages have a broken
frame.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from graphlib import TopologicalSorter
from itertools import pairwise
from textwrap import wrap
from typing import TypeAlias

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from book._ext.claims import Claim, Ledger, Result, misleads
from book._ext.ledger import relations
from book._ext.ledger.entries import WORDS, LedgerDirective, link_to, page_of, status_badge, whole

# The same signs as on the badges.
SIGNS = {
    "holds": "✓",
    "side-condition": "✓",
    "needs-condition": "!",
    "misprint": "~",
    "fails": "✗",
    "definition": "=",
    "proved": "✓",
    "conjecture": "?",
    "open": "?",
    "unavailable": "–",
}

# How an arrow is drawn: the source's proof or ours; what a correction rests on; and where the
# source's proof meets an error.
KINDS = ("uses", "corrects", "misleads")
ITEMS = "Theorem|Proposition|Lemma|Corollary|Definition|Example|Figure|Algorithm"

# Sizes in pixels. Nodes are in columns; an arrow that crosses a column has a row of its own
# there, so that none runs through a node.
WIDTH, LINE, PADDING = 82, 15, 6
BETWEEN_COLUMNS, BETWEEN_ROWS, MARGIN = 30, 9, 6
CHARACTERS = 12
SHELF = 680
# Boxes are narrow.
SHORT = {
    "Theorem": "Thm.",
    "Proposition": "Prop.",
    "Lemma": "Lem.",
    "Corollary": "Cor.",
    "Definition": "Def.",
    "Example": "Ex.",
    "Algorithm": "Alg.",
    "Figure": "Fig.",
}


# A place in a column: a node by its name, or where arrows from it cross the column: the name, the
# column and the kind of the arrows, which share their way as long as they can.
Spot: TypeAlias = str | tuple[str, int, str]
Corners: TypeAlias = tuple[tuple[float, float], ...]


def is_drawn(entry: Claim | Result) -> bool:
    """Return whether an entry has a node: a numbered item of a source."""
    numbered = re.match(rf"(?:{ITEMS}) \d", entry.title) is not None
    return isinstance(entry, Claim) and numbered and "claim-" not in entry.id


@dataclass(frozen=True)
class Edge:
    """An arrow from what is used to what uses it."""

    start: str
    end: str
    kind: str


class Graph:
    """Who is drawn on pages of which the names' beginnings are given, and the arrows."""

    def __init__(self, ledger: Ledger, pages: Sequence[str]) -> None:
        self.entries = {entry.id: entry for entry in ledger.entries}
        self.touching = relations.touching(ledger)
        self.pages = tuple(pages)

    def is_home(self, identifier: str) -> bool:
        """Return whether an entry is on one of the pages."""
        return self.entries[identifier].page.startswith(self.pages)

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """The arrows that begin or end on the pages."""
        found: dict[tuple[str, str], Edge] = {}
        for entry in self.entries.values():
            if is_drawn(entry):
                for start, kind in self._drawn_supports(entry):
                    if self.is_home(start) or self.is_home(entry.id):
                        found.setdefault((start, entry.id), Edge(start, entry.id, kind))
        return tuple(found.values())

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Who has an arrow, in the order of the ledger."""
        ends = {end for edge in self.edges for end in (edge.start, edge.end)}
        return tuple(name for name in self.entries if name in ends)

    def lines(self, name: str) -> tuple[str, ...]:
        """Return the text of a node: a sign for its status, and its title."""
        entry = self.entries[name]
        sign = SIGNS[entry.status] + ("†" if self.touching[name] else "")
        title = re.sub(ITEMS, lambda word: SHORT.get(word[0], word[0]), self.title(name))
        return tuple(wrap(f"{sign} {title}", CHARACTERS))

    def title(self, name: str) -> str:
        """Return the title of an entry, with its source where another Theorem 1 may be meant."""
        entry = self.entries[name]
        if name.startswith("thesis-"):
            return f"Thesis: {entry.title}"
        paper = entry.page.partition("/")[0]
        if isinstance(entry, Claim) and not any(page.startswith(paper) for page in self.pages):
            return f"{paper[0].upper()}: {entry.title}"
        return entry.title

    def said(self, name: str) -> str:
        """Return what a node says, in words."""
        entry = self.entries[name]
        errata = ", ".join(self.entries[one].title for one in self.touching[name])
        return f"{entry.title}: {WORDS[entry.status]}" + (
            f"; touched by {errata}" if errata else ""
        )

    def _drawn_supports(self, entry: Claim | Result) -> Iterator[tuple[str, str]]:
        """Yield what an entry rests on, through what is not drawn, and how."""
        for support in entry.uses:
            for name in self._drawn(support):
                # Where a claim uses what misleads, its proof does not stand as printed.
                wrong = isinstance(entry, Claim) and (
                    misleads(self.entries[name]) or bool(self.touching[name])
                )
                yield name, "misleads" if wrong else "uses"
        if isinstance(entry, Claim):
            for support in entry.correction_uses:
                yield from ((name, "corrects") for name in self._drawn(support))

    def _drawn(self, name: str) -> Iterator[str]:
        entry = self.entries[name]
        if is_drawn(entry):
            yield name
        else:
            for support in entry.supports:
                yield from self._drawn(support)


@dataclass(frozen=True)
class Node:
    """A node of a drawing: whose it is, its place, its size and its lines of text."""

    name: str
    x: float
    y: float
    height: float
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Drawing:
    """The places of everything: nodes, and the corners of each arrow."""

    width: float
    height: float
    nodes: tuple[Node, ...]
    routes: tuple[tuple[Edge, Corners], ...]


def lay_out(graph: Graph) -> Drawing:
    """Place the nodes in columns, from left to right, and lead the arrows between them.

    What hangs together is laid out by itself; the pieces stand on shelves, the largest first.
    """
    pieces = [_piece(names, edges, graph.lines) for names, edges in _apart(graph)]
    pieces.sort(key=lambda piece: len(piece.nodes), reverse=True)
    shelf = max(SHELF, *(piece.width for piece in pieces))
    x = y = low = wide = 0.0
    placed: list[Node] = []
    routes: list[tuple[Edge, Corners]] = []
    for piece in pieces:
        if x + piece.width > shelf:
            x, y = 0.0, low
        placed += (replace(node, x=node.x + x, y=node.y + y) for node in piece.nodes)
        routes += ((e, tuple((a + x, b + y) for a, b in way)) for e, way in piece.routes)
        x, low = x + piece.width, max(low, y + piece.height)
        wide = max(wide, x)
    return Drawing(wide, low, tuple(placed), tuple(routes))


def _apart(graph: Graph) -> list[tuple[list[str], list[Edge]]]:
    """Return the pieces of a graph that no arrow joins."""
    piece = {name: name for name in graph.names}
    for edge in graph.edges:
        one, other = piece[edge.start], piece[edge.end]
        piece = {name: one if its == other else its for name, its in piece.items()}
    return [
        (
            [name for name in graph.names if piece[name] == this],
            [edge for edge in graph.edges if piece[edge.start] == this],
        )
        for this in dict.fromkeys(piece.values())
    ]


def _piece(
    names: Sequence[str], edges: Sequence[Edge], text: Callable[[str], tuple[str, ...]]
) -> Drawing:
    """Lay out nodes that hang together."""
    columns = _columns(names, edges)
    order: dict[int, list[Spot]] = {}
    for name in names:
        order.setdefault(columns[name], []).append(name)
    joined: dict[Spot, list[Spot]] = {name: [] for name in names}
    ways: list[list[Spot]] = []
    for edge in edges:
        way: list[Spot] = [edge.start]
        for column in range(columns[edge.start] + 1, columns[edge.end]):
            spot = (edge.start, column, edge.kind)
            if spot not in joined:
                order[column].append(spot)
                joined[spot] = []
            way.append(spot)
        way.append(edge.end)
        for one, other in pairwise(way):
            if other not in joined[one]:
                joined[one].append(other)
                joined[other].append(one)
        ways.append(way)
    _sort(order, joined)
    lines = {name: text(name) for name in names}
    size: dict[Spot, float] = dict.fromkeys(joined, 0.0)
    size |= {name: len(lines[name]) * LINE + 2.0 * PADDING for name in names}
    middle = _rows(order, joined, size)
    left = {
        spot: MARGIN + (column - min(order)) * (WIDTH + BETWEEN_COLUMNS)
        for column, spots in order.items()
        for spot in spots
    }
    placed = tuple(
        Node(name, left[name], middle[name] - size[name] / 2, size[name], lines[name])
        for name in names
    )
    routes = tuple(
        (edge, tuple(_corners(way, left, middle))) for edge, way in zip(edges, ways, strict=True)
    )
    width = max(left.values()) + WIDTH + MARGIN
    height = max(middle[spot] + size[spot] / 2 for spot in joined) + MARGIN
    return Drawing(width, height, placed, routes)


def _columns(names: Sequence[str], edges: Sequence[Edge]) -> dict[str, int]:
    """Return the column of each node: right of all that it rests on, and near what uses it."""
    before: dict[str, list[str]] = {name: [] for name in names}
    after: dict[str, list[str]] = {name: [] for name in names}
    for edge in edges:
        before[edge.end].append(edge.start)
        after[edge.start].append(edge.end)
    in_order = list(TopologicalSorter(before).static_order())
    columns: dict[str, int] = {}
    for name in in_order:
        columns[name] = max((columns[one] + 1 for one in before[name]), default=0)
    for name in reversed(in_order):
        if after[name]:
            columns[name] = min(columns[one] for one in after[name]) - 1
    return columns


def _sort(order: dict[int, list[Spot]], joined: Mapping[Spot, Sequence[Spot]]) -> None:
    """Sort each column by the mean place of the neighbours before it and after it, in turn."""
    for sweep in range(5):
        step = 1 if sweep % 2 else -1
        for column in sorted(order, reverse=step > 0):
            others = order.get(column + step, [])
            place = {spot: float(number) for number, spot in enumerate(order[column])}
            for spot in order[column]:
                if near := [others.index(other) for other in joined[spot] if other in others]:
                    place[spot] = sum(near) / len(near)
            order[column].sort(key=place.__getitem__)


def _rows(
    order: Mapping[int, Sequence[Spot]],
    joined: Mapping[Spot, Sequence[Spot]],
    size: Mapping[Spot, float],
) -> dict[Spot, float]:
    """Return the middle of each spot: in the order of its column, near what it is joined to."""
    middle: dict[Spot, float] = {}
    for spots in order.values():
        top = 0.0
        for spot in spots:
            middle[spot] = top + size[spot] / 2
            top += size[spot] + BETWEEN_ROWS
    for sweep in range(60):
        for column in sorted(order, reverse=bool(sweep % 2)):
            wanted = {}
            for spot in order[column]:
                near = [middle[other] for other in joined[spot]]
                wanted[spot] = sum(near) / len(near)
            middle |= _spread(order[column], wanted, size)
    top = min(middle[spot] - size[spot] / 2 for spot in middle) - MARGIN
    return {spot: place - top for spot, place in middle.items()}


def _spread(
    column: Sequence[Spot], wanted: Mapping[Spot, float], size: Mapping[Spot, float]
) -> dict[Spot, float]:
    """Return places in the given order, without overlap, whose squared distance is the least."""
    blocks: list[tuple[float, list[tuple[Spot, float]]]] = []  # a place, and offsets from it
    for one in column:
        place, block = wanted[one], [(one, 0.0)]
        while blocks:
            before, members = blocks[-1]
            last, offset = members[-1]
            gap = offset + (size[last] + size[block[0][0]]) / 2 + BETWEEN_ROWS
            if before + gap <= place:
                break
            blocks.pop()
            block = [*members, *((spot, shift + gap) for spot, shift in block)]
            place = sum(wanted[spot] - shift for spot, shift in block) / len(block)
        blocks.append((place, block))
    return {spot: place + shift for place, block in blocks for spot, shift in block}


def _corners(
    way: Sequence[Spot], left: Mapping[Spot, float], middle: Mapping[Spot, float]
) -> Iterator[tuple[float, float]]:
    """Yield the corners of an arrow: it turns between the columns, and crosses them straight."""
    first, *between, last = way
    yield left[first] + WIDTH, middle[first]
    for spot in between:
        yield left[spot], middle[spot]
        yield left[spot] + WIDTH, middle[spot]
    yield left[last], middle[last]


def draw(graph: Graph, addresses: Mapping[str, str], name: str) -> str:
    """Return the drawing as SVG.

    `addresses` says where each entry is, seen from the page; `name` is an id for the arrowheads.
    """
    drawing = lay_out(graph)
    size = f'width="{drawing.width:.0f}" height="{drawing.height:.0f}"'
    box = f'viewBox="0 0 {drawing.width:.0f} {drawing.height:.0f}"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} aria-hidden="true"><defs>']
    for kind in KINDS:
        parts.append(
            f'<marker id="{name}-{kind}" class="rests-head rests-{kind}" viewBox="0 0 8 8" '
            'refX="8" refY="4" markerUnits="userSpaceOnUse" markerWidth="9" markerHeight="9" '
            'orient="auto"><path d="M0 0L8 4L0 8z"/></marker>'
        )
    parts.append("</defs>")
    for edge, corners in drawing.routes:
        parts.append(
            f'<path class="rests-edge rests-{edge.kind}" data-from="{edge.start}" '
            f'data-to="{edge.end}" marker-end="url(#{name}-{edge.kind})" d="{_path(corners)}"/>'
        )
    parts += (_box(graph, node, addresses[node.name]) for node in drawing.nodes)
    return "".join([*parts, "</svg>"])


def _path(corners: Sequence[tuple[float, float]]) -> str:
    """Return a path that leaves a column and enters the next one horizontally."""
    path = ["M{:.0f} {:.1f}".format(*corners[0])]
    for (x0, y0), (x1, y1) in pairwise(corners):
        if y0 == y1:
            path.append(f"H{x1:.0f}")
        else:
            turn = (x0 + x1) / 2
            path.append(f"C{turn:.0f} {y0:.1f} {turn:.0f} {y1:.1f} {x1:.0f} {y1:.1f}")
    return "".join(path)


def _box(graph: Graph, node: Node, address: str) -> str:
    """Return a node: a link, with a box and its text, whose title says it in words."""
    entry = graph.entries[node.name]
    classes = ["rests-node", f"claim-{entry.status}"]
    classes += ["rests-touched"] if graph.touching[node.name] else []
    classes += [] if graph.is_home(node.name) else ["rests-elsewhere"]
    top = node.y + PADDING + LINE - 4
    lines = "".join(
        f'<tspan x="{node.x + 8:.0f}" y="{top + LINE * number:.1f}">{html.escape(line)}</tspan>'
        for number, line in enumerate(node.lines)
    )
    return (
        f'<a href="{html.escape(address)}" tabindex="-1" class="{" ".join(classes)}" '
        f'data-claim="{node.name}"><title>{html.escape(graph.said(node.name))}</title>'
        f'<rect x="{node.x:.0f}" y="{node.y:.1f}" width="{WIDTH}" height="{node.height:.0f}" '
        f'rx="2"/><text>{lines}</text></a>'
    )


class RestsGraph(LedgerDirective):
    """``{rests-graph} PAGES`` draws what rests on what on some pages, and lists it."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return the drawing, in a box of its own that scrolls, and the list."""
        ledger = whole(self.config)
        pages = self.arguments[0].split()
        graph = Graph(ledger, pages)
        name = f"rests-{re.sub(r'[^a-z0-9]+', '-', pages[0])}"
        label = "What rests on what, drawn; the list below says the same"
        region = (
            f'<div class="rests-graph" id="{name}" role="group" tabindex="0" aria-label="{label}">'
        )
        svg = draw(graph, {one: self.address(graph.entries[one]) for one in graph.names}, name)
        return [
            nodes.raw("", f"{region}{svg}</div>", format="html"),
            *self.listed(ledger, pages),
        ]

    def address(self, entry: Claim | Result) -> str:
        """Return where an entry is, seen from this page."""
        (docname,) = (name for name in self.env.found_docs if page_of(name) == entry.page)
        uri = self.env.app.builder.get_relative_uri(self.env.docname, docname)
        return f"{uri}#{entry.id}"

    def listed(self, ledger: Ledger, pages: Sequence[str]) -> list[nodes.Node]:
        """Return every numbered item of the pages with what it rests on and what relies on it."""
        entries = {entry.id: entry for entry in ledger.entries}
        users, touching = relations.users(ledger), relations.touching(ledger)
        items = []
        for entry in ledger.entries:
            if entry.page.startswith(tuple(pages)) and is_drawn(entry):
                line = nodes.paragraph()
                line += [*self.linked(entry), nodes.Text(" ")]
                line += status_badge(entry.status, nodes.Text(WORDS[entry.status]))
                for said, names in (
                    ("Rests on", entry.supports),
                    ("Relied on by", users[entry.id]),
                    ("Touched by", touching[entry.id]),
                ):
                    line += self.line(said, [entries[one] for one in names])
                items.append(nodes.list_item("", line))
        return [nodes.bullet_list("", *items, classes=["rests-list"])]

    def linked(self, entry: Claim | Result) -> list[nodes.Node]:
        """Return a link to an entry, and whose it is."""
        return [link_to(self.env.docname, entry.id, self.named(entry)), *self.of(entry)]

    def line(self, said: str, entries: Sequence[Claim | Result]) -> list[nodes.Node]:
        """Return a sentence of links, nothing if there are none."""
        found: list[nodes.Node] = []
        for number, entry in enumerate(entries):
            found.append(nodes.Text(", " if number else f" {said}: "))
            found += self.linked(entry)
        return [*found, nodes.Text(".")] if found else []


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the extension."""
    app.setup_extension("book._ext.ledger.extension")
    app.add_directive("rests-graph", RestsGraph)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
