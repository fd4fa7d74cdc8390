"""Attackers who are played many times, and the bounds on what they can achieve."""

import functools

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, Table, block, panels
from pkdp.figures._palette import BOUND, DOTTED, EXACT, PURPLE, VERMILION, Style, line
from pkdp.partial_knowledge import counting, noise, thresholding
from pkdp.practice import attack

TITLE = "Attackers who are played, and their bounds"
ALT = (
    "Advantage of an attacker on a count at ε = 0, from n = 10 to 3,000, both axes logarithmic. "
    "The worst case at λ = 0.1 falls from 0.49 to 0.024. With geometric noise it begins at 0.24 "
    "and joins the other from n = 300 on. Probabilities from 0.1 to 0.9 give 0.28 to 0.017. Dots, "
    "what she achieved when she was played, lie on all three curves within their bars.",
    "Advantage on a count of 100 records with p = 0.1 and threshold 15, at ε = 0.5, against the "
    "number of known records. All curves begin at 0.007. Active: 0.032 at 20 known records, 0.094 "
    "at 60, 0.39 at 90, 1 at 99. Passive: 0.009, 0.013, 0.026, 0.068. Dots with bars lie on the "
    "curves.",
)
PANEL_SIZE = (3.3, 2.9)

ROUNDS = 200_000
# Below the panels: where a bar ends that reaches down to 0.
LEAST = 1e-4

# The first panel: counts of records with probabilities in [λ, 1-λ].
LAM, NOISE = 0.1, noise.Geometric(0.5)
# The second: a count that is suppressed up to T, at an ε.
RECORDS, P, THRESHOLD, EPS = 100, 0.1, 15, 0.5


def data() -> Blocks:
    """Yield the advantage of attackers, played and exact.

    Yields
    ------
    Table
        Columns ``panel`` (``size``, ``known``), ``series`` (``worst``, ``noise``, ``spread``;
        ``active``, ``passive``), ``kind`` (``most``, which nobody exceeds, and
        ``played``), ``x`` (records, or known ones), ``y`` (the advantage), and ``low`` and
        ``high``, the ends of a 99 % interval for one that was played.
    """
    for n in (10, 30, 100, 300, 1000, 3000):
        play = functools.partial(attack.on_count, rounds=ROUNDS, seed=n)
        spread = np.resize(np.linspace(LAM, 1.0 - LAM, 9), n - 1)
        plain = counting.worst_vertex(n, LAM, eps=0.0).m
        noisy = noise.worst_vertex(n, LAM, noise=NOISE, eps=0.0).m
        worst = noise.worst_case(n, LAM, noise=NOISE)
        yield from (
            _most("size", "worst", n, counting.worst_case(n, LAM).delta(0.0)),
            _most("size", "noise", n, worst.delta(0.0)),
            _most("size", "spread", n, counting.exact(spread).delta(0.0)),
            _played("size", "worst", n, play(_vertex(n, plain))),
            _played("size", "noise", n, play(_vertex(n, noisy), noise=NOISE)),
            _played("size", "spread", n, play(spread)),
        )
    for known in range(RECORDS):
        for series, profile in (("active", thresholding.active), ("passive", thresholding.passive)):
            most = profile(RECORDS, P, threshold=THRESHOLD, known=known).delta(EPS)
            yield _most("known", series, known, most)
    for known in (0, 20, 40, 60, 80, 90, 99):
        play = functools.partial(
            attack.on_count,
            [P] * (RECORDS - 1 - known),
            known_probabilities=[P] * known,
            threshold=THRESHOLD,
            eps=EPS,
            rounds=ROUNDS,
            seed=known,
        )
        yield _played("known", "passive", known, play())
        yield _played("known", "active", known, play(attacker="active"))


def _vertex(n: int, number: int) -> list[float]:
    """Return probabilities of all but the target, so many of them λ and the others 1-λ."""
    return [LAM] * number + [1.0 - LAM] * (n - 1 - number)


def _most(panel: str, series: str, x: int, y: float) -> Table:
    return block(panel=panel, series=series, kind="most", x=float(x), y=y, low=y, high=y)


def _played(panel: str, series: str, x: int, played: attack.Attack) -> Table:
    low, high = played.interval
    y = played.advantage
    return block(panel=panel, series=series, kind="played", x=float(x), y=y, low=low, high=high)


def draw(axes: Panels) -> None:
    """Draw what nobody exceeds as curves, and what was played as dots with bars."""
    size, known = panels(axes, "Counts of all sizes, ε = 0", "A threshold, ε = 0.5")
    size.log_x("n", (8, 4500), [10, 100, 1000])
    size.log_y("advantage", (0.008, 1.0), [0.01, 0.1, 1])
    known.x("known records", (-3, RECORDS + 2))
    known.log_y("advantage", (0.004, 1.4), [0.01, 0.1, 1])
    dotted = line(PURPLE, DOTTED, 1.6)
    for panel, series, style, text, at, offset in (
        (size, "worst", EXACT, "worst case, λ = 0.1", 60, (4, 4)),
        (size, "noise", BOUND, "with noise", 16, (0, -8)),
        (size, "spread", dotted, "probabilities\nfrom 0.1 to 0.9", 300, (-6, -8)),
        (known, "active", line(VERMILION, width=1.6), "active", 60, (-4, 4)),
        (known, "passive", EXACT, "passive", 70, (-4, 5)),
    ):
        panel.curve(panel.rows(series, kind="most"), style, text, at, offset)
        played = panel.rows(series, kind="played")
        y = played["y"]
        bars = [y - np.maximum(played["low"], LEAST), played["high"] - y]
        dots: Style = {"fmt": "o", "markersize": 3.2, "capsize": 2.2, "elinewidth": 1.0}
        panel.errorbar(played["x"], y, yerr=bars, color=style["color"], **dots)
