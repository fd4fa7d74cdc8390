"""Bets on one answer: what was promised, and what is true if an assumption is not."""

from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import BOUND, DOTTED, EXACT, VERMILION, line
from pkdp.partial_knowledge import counting

TITLE = "What is true if an assumption is not"
ALT = (
    "Bets that she wins of 100, against how many of 1,000 records she knows, from 0 to 999. The "
    "promise, level at 53.0, assumes that she knows 500 and gives both values of each other record "
    "probability at least 0.1. In truth she wins 52.1 if she knows none, 53.0 at 500, 56.7 at 900, "
    "74.3 at 990 and 100 at 999. If she gives them probability at least 0.01 only, she wins 56.4 "
    "if she knows none, 59.2 at 500, 73.4 at 900 and 95.8 at 990.",
    "Bets that she wins of 100 on a count of 120 people, against how many live in a household and "
    "answer alike, on a logarithmic axis from 1 to 120. The promise, as if all were independent, "
    "is level at 53.6. In truth she wins 53.6 with 1, 57.2 with 4, 62.3 with 12, 75 with 40 and "
    "100 with 120, when all live with her target.",
)
PANEL_SIZE = (3.3, 2.9)

RECORDS, LAM, LESS, KNOWN = 1000, 0.1, 0.01, 500
NUMBERS = (*range(0, 900, 50), *range(900, 990, 10), *range(990, RECORDS))
PEOPLE = 120
SIZES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 24, 30, 40, 60, 120)


def data() -> Blocks:
    """Yield bets won, as promised and in truth.

    Yields
    ------
    Table
        Columns ``panel`` (``known``, ``households``), ``series`` (``promised``, ``true``,
        ``surer``: λ is 0.01), ``x`` (known records; people in a household), ``y`` (bets won of
        100).
    """
    for known in NUMBERS:
        for series, lam, supposed in (
            ("promised", LAM, KNOWN),
            ("true", LAM, known),
            ("surer", LESS, known),
        ):
            delta = counting.worst_case(RECORDS, lam, known=supposed).delta(0.0)
            yield block(panel="known", series=series, x=float(known), y=50.0 + 50.0 * delta)
    for size in SIZES:
        for series, others in (("promised", PEOPLE - 1), ("true", PEOPLE // size - 1)):
            delta = counting.exact([0.5] * others).delta(0.0)
            yield block(panel="households", series=series, x=float(size), y=50.0 + 50.0 * delta)


def draw(axes: Panels) -> None:
    """Draw the promise, and what is true."""
    known, households = panels(axes, "She knows more", "Others answer alike")
    known.x("known records", (-20, RECORDS + 20), [0, KNOWN, RECORDS])
    households.log_x("people in a household", (0.9, 140), [1, 4, 12, 40, 120])
    for panel in axes:
        panel.y("bets won of 100", (48, 102), [50, 60, 70, 80, 90, 100])
    dotted = line(VERMILION, DOTTED)
    known.curve("promised", BOUND, "promised", 150, (0, -5))
    known.curve("true", EXACT, "true", 840, (-4, 5))
    known.curve("surer", dotted, "true if λ = 0.01", 750, (-4, 5))
    households.curve("promised", BOUND, "promised", 30, (0, -5))
    households.curve("true", EXACT | {"marker": "o", "markersize": 3}, "true", 20, (-5, 5))
