"""More than two answers: the ε of a histogram against λ, and against the number of candidates."""

import math
from functools import partial

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import BLUE, BOUND, INK, PURPLE, VERMILION, line
from pkdp.partial_knowledge import counting
from pkdp.profiles import closed_forms

TITLE = "Three answers cost more than two, four no more than three"
ALT = (
    "ε against λ, both axes logarithmic, for n = 10,000 and δ = 0.01/n. Two solid curves fall "
    "side by side: three or more categories from 3.7 at λ = 0.0014 to 0.088 at λ = 1/3, where "
    "it ends; two categories from 2.7 to 0.071 at λ = 1/2. The upper is 1.33 times the lower at "
    "λ = 0.03, and 1.16 times at λ = 1/3. The dashed closed form starts at λ = 0.0066 with "
    "ε = 1 and is 1.6 times the upper curve at λ = 1/3.",
    "ε against the number of candidates, from 2 to 40, both axes logarithmic, for n = 1,000,000 "
    "and δ = 10⁻⁸. Three rows of dots rise like the root of the number: for λ = 1/K from 0.0082 "
    "to 0.039, for λ = 1/(2K) from 0.0095 to 0.057, for λ = 1/(10K) from 0.020 to 0.132. In "
    "the lower row nothing happens between 2 and 3; in the upper two rows the step there is "
    "two and two and a half times as steep as any other.",
)

RECORDS = 10_000  # of the first panel, where δ is 0.01 divided by it
VOTES, DELTA = 10**6, 1e-8  # of the second
CANDIDATES = (2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40)


def data() -> Blocks:
    """Yield ε against λ for two and for more categories, and against their number.

    Yields
    ------
    Table
        Columns ``panel`` (``lambda``, ``candidates``), ``series`` (``two``, ``more``, ``closed
        form``; ``exact``), ``part`` (λ·K is 1/part; 0 on the first panel), ``x``
        (λ; the number of candidates) and ``y`` (ε).
    """
    delta = 0.01 / RECORDS
    # No ε is enough below the first, and the closed form says nothing below the second.
    feasible = float(-np.expm1(np.log(delta) / (RECORDS - 1)))
    stated = math.log(1 / delta) / (closed_forms.BLANKET_RATE * (RECORDS - 1))
    two, more = (partial(counting.histogram, RECORDS, categories=number) for number in (2, 3))
    closed_form = partial(counting.closed_form, RECORDS, categories=3)
    for series, curve, first, last in (
        ("two", two, feasible, 1 / 2),
        ("more", more, feasible, 1 / 3),
        ("closed form", closed_form, stated, 1 / 3),
    ):
        grid = first * (1 + 1e-9) * (last / first / (1 + 1e-9)) ** (np.linspace(0, 1, 32) ** 1.6)
        grid[-1] = last
        eps = [curve(float(lam)).epsilon(delta) for lam in grid]
        yield block(panel="lambda", series=series, part=0, x=grid, y=eps)
    for part in (1, 2, 10):  # λ is one part of 1/K
        profiles = [counting.histogram(VOTES, 1 / (part * k), categories=k) for k in CANDIDATES]
        eps = [profile.epsilon(DELTA) for profile in profiles]
        x = np.array(CANDIDATES, float)
        yield block(panel="candidates", series="exact", part=part, x=x, y=eps)


def draw(axes: Panels) -> None:
    """Draw ε against λ on the first panel, against the number of candidates on the second."""
    lam, candidates = panels(axes, "A third answer costs a little", "More candidates, smaller λ")
    lam.log_x("λ", (1e-3, 0.5), [1e-3, 1e-2, 1e-1, 0.5])
    lam.log_y("ε", (0.04, 4), [0.1, 1])
    two, more = lam.rows("two"), lam.rows("more")
    lam.axvspan(1e-3, float(two["x"][0]), color=INK, alpha=0.08, linewidth=0)
    lower = np.interp(more["x"], two["x"], two["y"])
    lam.fill_between(more["x"], lower, more["y"], color=PURPLE, alpha=0.15, linewidth=0)
    lam.curve(two, line(BLUE, width=1.6), "two categories", 0.03, (-3, -5))
    lam.curve(more, line(PURPLE, width=1.6), "three or more", 0.0022, (6, 2))
    lam.plot(more["x"][-1:], more["y"][-1:], "o", color=PURPLE)
    lam.curve("closed form", BOUND, "closed form", 0.05, (4, 3))
    candidates.log_x("number of candidates K", (1.8, 44), [2, 3, 5, 10, 20, 40])
    candidates.log_y("ε", (0.006, 0.2), [0.01, 0.1])
    for part, text, colour in (
        (1, "λ = 1/K", BLUE),
        (2, "λ = 1/(2K)", PURPLE),
        (10, "λ = 1/(10K)", VERMILION),
    ):
        curve = candidates.rows(part=part)
        candidates.curve(curve, line(colour, width=1.0) | {"marker": "o", "markersize": 3.2})
        candidates.end(curve, text, colour)
