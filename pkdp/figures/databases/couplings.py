"""What hypotheses cost, exactly and by matching them."""

from fractions import Fraction
from itertools import product
from typing import TypeAlias

import numpy as np

from pkdp.databases import couplings, hypotheses
from pkdp.figures._drawing import Blocks, Panels, curves, panels, powers
from pkdp.figures._palette import BLUE, DASHED, GREEN, PURPLE, VERMILION, Style, line

TITLE = "What hypotheses cost, exactly and by matching them"
ALT = (
    "The ε of seven pairs of hypotheses on three databases, four for the star, in units of the ε "
    "of each release: with separate mechanisms, with one joint mechanism, by transport, and by "
    "Algorithm 3 from the best to the worst order. All or none, or any: 0.50, 0.83, 1, 1 to 3. "
    "None or some: 1.97, 1.97, 3, 3 to 3. Most or fewer: 1.53, 1.53, 2, 2 to 3. One or "
    "two: 1, 1, 1, 1 to 3. Even or odd: 0.20, 1, 1, 1 to 3. A star: 1, 1, 1, 3 to 3. The same, "
    "twice: 0, 0, 0, 0 to 2.",
    "The ε of an even against an odd number of databases, ε on a logarithmic axis, against the "
    "number k of databases from 1 to 10, for releases of ε = 1 each. One joint mechanism has 1 "
    "throughout. Separate mechanisms start at 1 and fall in a straight line, through 0.20 at "
    "k = 3 and 0.042 at 5 to 0.00089 at 10.",
)
PANEL_SIZE = (3.4, 2.9)

MOST = 10
_Hypothesis: TypeAlias = dict[tuple[int, ...], Fraction]
_THREE = tuple(product((0, 1), repeat=3))
# From below: marks that coincide are drawn inside one another.
_MARKS: dict[str, Style] = {
    "best": {"color": VERMILION, "marker": "|", "markersize": 9, "markeredgewidth": 1.8},
    "worst": {"color": VERMILION, "marker": "|", "markersize": 9, "markeredgewidth": 1.8},
    "transport": {"color": GREEN, "marker": "D", "markersize": 7.5, "fillstyle": "none"},
    "joint": {"color": PURPLE, "marker": "o", "markersize": 5.5, "fillstyle": "none"},
    "separate": {"color": BLUE, "marker": "o", "markersize": 3},
}


def _uniform(vectors: list[tuple[int, ...]]) -> _Hypothesis:
    return {bits: Fraction(1, len(vectors)) for bits in vectors}


def _sized(*sizes: int) -> _Hypothesis:
    """All vectors of three bits with so many ones, equally likely."""
    return _uniform([bits for bits in _THREE if sum(bits) in sizes])


_RAYS: list[tuple[int, ...]] = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
STAR: tuple[_Hypothesis, _Hypothesis] = (
    {(0, 0, 0, 0): Fraction(1, 2), **{(*ray, 1): Fraction(1, 6) for ray in _RAYS}},
    _uniform([(*ray, 0) for ray in _RAYS]),
)
# From the top of the panel down.
PAIRS: dict[str, tuple[_Hypothesis, _Hypothesis]] = {
    "all/none, or any": (_sized(0, 3), _sized(0, 1, 2, 3)),
    "none, or some": (_sized(0), _sized(1, 2, 3)),
    "most, or fewer": (_sized(2, 3), _sized(0, 1)),
    "one, or two": (_sized(1), _sized(2)),
    "even, or odd": (_sized(0, 2), _sized(1, 3)),
    "a star": STAR,
    "the same, twice": (_sized(1), _sized(1)),
}


def data() -> Blocks:
    """Yield what the pairs cost, and what parity costs.

    Yields
    ------
    Table
        Columns ``panel`` (``pairs``, ``parity``), ``series`` (``separate``, ``joint``, and for
        ``pairs`` also ``transport``, ``best``, ``worst``), ``x`` (the place in `PAIRS`, or k) and
        ``y`` (ε if each release has ε = 1).
    """
    rows: dict[str, list[float]] = {name: [] for name in _MARKS}
    for prior, other in PAIRS.values():
        eps = [1.0] * len(next(iter(prior)))
        moved = couplings.largest(couplings.transport(prior, other, eps), eps)
        separate, joint = _bounds(prior, other, eps)
        costs = (*couplings.orders(prior, other, eps), moved, joint, separate)
        for name, cost in zip(_MARKS, costs, strict=True):
            rows[name].append(round(float(cost), 9))  # what is 0 comes out as 1e-12
    found = zip(*map(_parity, range(1, MOST + 1)), strict=True)
    parity = dict(zip(("separate", "joint"), found, strict=True))
    yield curves(np.arange(len(PAIRS), dtype=float), rows, panel="pairs")
    yield curves(np.arange(1, MOST + 1, dtype=float), parity, panel="parity")


def _parity(k: int) -> tuple[float, float]:
    odd = np.indices((2,) * k).sum(axis=0) % 2 * 2.0 ** (1 - k)
    return _bounds(2.0 ** (1 - k) - odd, odd, [1.0] * k)


def _bounds(
    prior: hypotheses.Prior, other: hypotheses.Prior, eps: list[float]
) -> tuple[float, float]:
    """Return ε with separate mechanisms, and with a joint one."""
    separate = float(hypotheses.pair(prior, other, eps).profile().epsilon(0.0))
    return separate, round(float(couplings.joint(prior, other, eps).upper), 9)


def draw(axes: Panels) -> None:
    """Draw a row for each pair, and the two curves of parity."""
    pairs, parity = panels(axes, "Seven pairs of hypotheses", "Even, or odd")
    pairs.x("", (-0.15, 3.3), {0: "0", 1: "ε", 2: "2ε", 3: "3ε"})
    pairs.y("", (len(PAIRS) - 0.4, -0.9), dict(enumerate(PAIRS)))
    best, worst = (pairs.rows(name)["y"] for name in ("best", "worst"))
    pairs.hlines(range(len(PAIRS)), best, worst, color=VERMILION, linewidth=1.8)
    first = {}
    for name, style in _MARKS.items():
        curve = pairs.rows(name)
        pairs.plot(curve["y"], curve["x"], linestyle="none", **style)
        first[name] = float(curve["y"][0]), 0.0
    pairs.note("separate", first["separate"], (0, -5), BLUE)
    pairs.note("joint", first["joint"], (-3, 5), PURPLE)
    pairs.note("transport", first["transport"], (3, 6), GREEN)
    pairs.note("Algorithm 3, any order", first["worst"], (0, -5), VERMILION, ha="right")
    parity.x("databases k", (0.6, 10.4), [1, 5, 10])
    parity.log_y("ε′ for ε = 1", (3e-4, 3), powers(-3, -2, -1, 0))
    parity.curve("joint", line(PURPLE, DASHED, 1.6), "one joint mechanism", 5.5)
    marked = line(BLUE) | {"marker": "o", "markersize": 3}
    parity.curve("separate", marked, "separate mechanisms", 4.0, (6, 4))
