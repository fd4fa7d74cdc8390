"""What rests on what, drawn: nothing is missing, nothing is hidden, every box leads to its item."""

import re
from itertools import combinations, pairwise

import pytest

from book._ext.claims import Claim, Ledger, Result
from book._ext.ledger import graph as drawn
from book._ext.ledger import relations
from tests.book.built import HTML, ROOT, built, ids, path_of
from tests.book.stored import LEDGER

TEXT = (ROOT / "book" / "graph.md").read_text()
GROUPS = [found.split() for found in re.findall(r"\{rests-graph\} (.*)", TEXT)]
GRAPHS = [drawn.Graph(LEDGER, group) for group in GROUPS]
DRAWINGS = [drawn.lay_out(graph) for graph in GRAPHS]
each = pytest.mark.parametrize(
    ("graph", "drawing"),
    list(zip(GRAPHS, DRAWINGS, strict=True)),
    ids=[group[0] for group in GROUPS],
)


def claim(name, title="Theorem 1", uses=(), status="holds", severity=None):
    told = dict.fromkeys(("source", "where", "version_read", "says"), "")
    page = f"paper/{name[-1]}"
    return Claim(name, page, title, **told, status=status, severity=severity, uses=tuple(uses))


def test_every_numbered_item_is_drawn_once():
    for entry in filter(drawn.is_drawn, LEDGER.entries):
        assert sum(entry.page.startswith(tuple(group)) for group in GROUPS) == 1, entry.page


def test_every_line_of_the_ledger_between_what_is_drawn_is_an_arrow():
    arrows = {(edge.start, edge.end) for graph in GRAPHS for edge in graph.edges}
    named = {
        (support, entry.id)
        for entry in LEDGER.entries
        for support in entry.supports
        if drawn.is_drawn(entry) and drawn.is_drawn(GRAPHS[0].entries[support])
    }
    assert named <= arrows
    # The others lead through claims without a number; nothing is joined that does not belong.
    above = relations.ancestors(LEDGER)
    assert all(start in above[end] for start, end in arrows)


def test_what_is_not_drawn_is_gone_through():
    told = dict.fromkeys(("title", "says", "by", "prior"), "") | {"status": "proved"}
    ledger = Ledger(
        claims=(
            claim("def-1", "Definition 1"),
            claim("claim-a-1", "A step", ["def-1"]),
            claim("claim-b-1", "A false step", status="fails", severity="proof"),
            claim("thm-1", "Theorem 1", ["claim-a-1", "claim-b-1"]),
            claim("thm-2", "Theorem 2", ["thm-1"]),
        ),
        results=(
            Result("ours", "1.1", "paper/1", **told, evidence=(), assumes=(), uses=("thm-1",)),
        ),
    )
    graph = drawn.Graph(ledger, ["paper/1"])  # the second theorem is elsewhere
    assert {(e.start, e.end, e.kind) for e in graph.edges} == {
        ("def-1", "thm-1", "uses"),
        ("thm-1", "thm-2", "misleads"),
    }
    assert not graph.is_home("thm-2")
    svg = drawn.draw(graph, {name: f"#{name}" for name in graph.names}, "a")
    assert "✓† Thm. 1" in svg
    assert "Theorem 1: holds; touched by A false step" in svg
    assert svg.count("rests-elsewhere") == 1


@each
def test_boxes_do_not_overlap_and_arrows_do_not_run_through_them(graph, drawing):
    for one, other in combinations(drawing.nodes, 2):
        beside = abs(one.x - other.x) >= drawn.WIDTH
        assert beside or one.y + one.height <= other.y or other.y + other.height <= one.y
    for node in drawing.nodes:
        assert 0 <= node.x <= drawing.width - drawn.WIDTH
        assert 0 <= node.y <= drawing.height - node.height
    for edge, corners in drawing.routes:
        for x, y in points(corners):
            for node in drawing.nodes:
                if node.name not in (edge.start, edge.end):
                    inside = node.x < x < node.x + drawn.WIDTH
                    assert not (inside and node.y < y < node.y + node.height), (edge, node)


def points(corners):
    """Points of an arrow, as it is drawn: level in a column, and a curve between two."""
    for (x0, y0), (x1, y1) in pairwise(corners):
        for step in range(9):
            t = step / 8
            bend = 3 * t**2 - 2 * t**3  # a cubic with level ends
            yield x0 + (x1 - x0) * (1.5 * t - 1.5 * t**2 + t**3), y0 + (y1 - y0) * bend


@each
def test_arrows_lead_to_the_right(graph, drawing):
    place = {node.name: node.x for node in drawing.nodes}
    assert all(place[edge.start] < place[edge.end] for edge in graph.edges)


def test_the_text_explains_every_sign_and_every_arrow():
    used = {graph.entries[name].status for graph in GRAPHS for name in graph.names}
    assert {status for status in used if f"{{status}}`{status}`" not in TEXT} == set()
    said = " ".join(TEXT.split())
    kinds = ("A solid arrow leads", "a dotted one from what a correction", "a dashed red one")
    assert all(kind in said for kind in kinds)
    assert len(kinds) == len(drawn.KINDS)


@pytest.mark.book
def test_every_box_leads_to_its_item_and_the_list_says_the_same():
    page = built("graph")
    boxes = page.select("a.rests-node")
    assert len(boxes) == sum(len(graph.names) for graph in GRAPHS)
    assert len(page.select("path.rests-edge[data-from]")) == sum(len(g.edges) for g in GRAPHS)
    for box in boxes:
        name = box["data-claim"]
        address, _, anchor = box["href"].partition("#")
        target = (HTML / "book" / address).resolve()
        assert anchor == name
        assert target == path_of(GRAPHS[0].entries[name].page)
        assert name in ids(target)
    # In words: each numbered item, with both directions.
    items = [item.get_text() for item in page.select(".rests-list li")]
    (theorem,) = (text for text in items if text.startswith("Corollary 1 "))
    assert "Rests on: Theorem 3," in theorem
    touched = theorem.partition("Touched by: ")[2].rstrip(".").split(", ")
    assert "Theorem 3" in touched
    assert len(items) == sum(map(drawn.is_drawn, LEDGER.entries))
