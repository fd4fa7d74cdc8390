"""What the limits γ, D and λ of an adversary guarantee, beside worlds that come close."""

from collections import defaultdict
from fractions import Fraction

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import BLUE, DASHED, GREEN, INK, PURPLE, SPARSE, VERMILION, line
from pkdp.noiseless import adversaries, normal_bounds, sums
from pkdp.noiseless.adversaries import Adversary, peaked_group

TITLE = "What the limits of an adversary guarantee"
ALT = (
    "ε at δ = 10⁻⁶ against γ from 0 to 0.976 for 9,001 bits and λ = 0.1; ε and 1 − γ logarithmic. "
    "Bounds (dashed) for D = 1, 2, 3 and 5: at γ = 0 0.13, 0.20, 0.25 and 0.34; at γ = 0.9 0.52, "
    "0.82, 1.1 and 1.8. From there they turn up, for D = 5 to 5 at γ = 0.933, for 3 at 0.96, for 2 "
    "at 0.975, and stay near 5.5. Exact ε of worlds (solid) for D = 2, 3 and 5: at γ = 0 0.18, "
    "0.19 and 0.23; at γ = 0.9 0.59, 0.69 and 0.78; at γ = 0.976 1.5, 1.5 and 1.8.",
    "Free bits in a peaked group of D = 2, 3 and 5 against λ from 0 to ½: for D = 2 from 1 to 2, "
    "for 3 from 1.33 to 3, for 5 from 1.5 to 5; at λ = 0.1 they are 1.11, 1.53 and 1.83. A dotted "
    "curve that no D exceeds rises from 2 at λ = 0 through 3.1 at 0.1 to 5 at 0.18.",
)
PANEL_SIZE = (3.3, 3.1)

N, LAM, DELTA = 9001, Fraction(1, 10), 1e-6
# Numbers of unknown others that groups of 2, 3 and 5 fill.
UNKNOWN = (9000, 4500, 2250, 1200, 900, 600, 450, 360, 300, 240, 210)
SIZES = (1, 2, 3, 5)
PEAKS = {2: (1,), 3: (1,), 5: (1, 2)}
LAMBDAS = tuple(Fraction(k, 100) for k in range(1, 51))

_COLORS = {1: INK, 2: BLUE, 3: GREEN, 5: VERMILION}


def data() -> Blocks:
    """Yield ε against γ, bounded and of peaked groups; and the free bits in a group against λ.

    Yields
    ------
    Table
        Columns ``panel`` (``known``, ``free``), ``series`` (``bound``, ``world``, ``any``), ``at``
        (D; 0 for all), ``x`` (1/(1 - γ), or λ) and ``y`` (ε, or free bits).
    """
    x = np.array([N / (others + 1) for others in UNKNOWN])
    lam_axis = np.array(LAMBDAS, dtype=float)
    alone = [0.0]
    for size in SIZES:
        who = [Adversary(Fraction(N - 1 - others, N), size) for others in UNKNOWN]
        bound = [adversaries.worst_case(N, float(LAM), one).epsilon(DELTA) for one in who]
        yield block(panel="known", series="bound", at=size, x=x, y=bound)
        if size == 1:
            alone = bound
        else:
            # Independent records are groups, too, and attain the bound for D = 1.
            worlds = [[_of_peaked(size, k, others) for others in UNKNOWN] for k in PEAKS[size]]
            exact = np.max([alone, *worlds], axis=0)
            yield block(panel="known", series="world", at=size, x=x, y=exact)
            free = [_free_bits(lam, size) for lam in LAMBDAS]
            yield block(panel="free", series="world", at=size, x=lam_axis, y=free)
    below = lam_axis[:30]
    no_more = 2.0 / (1.0 - 2.0 * below) ** 2
    yield block(panel="free", series="any", at=0, x=below, y=no_more)


def _sum_of(lam: Fraction, size: int, peak: int) -> dict[int, float]:
    law: defaultdict[int, float] = defaultdict(float)
    for bits, mass in peaked_group(lam, size, peak).items():
        law[sum(bits)] += float(mass)
    return law


def _of_peaked(size: int, peak: int, others: int) -> float:
    return sums.pair([(_sum_of(LAM, size, peak), others // size)], 1).profile().epsilon(DELTA)


def _free_bits(lam: Fraction, size: int) -> float:
    """Return the least variance of the sum of a group, in units of λ(1 - λ)."""
    groups = [[(_sum_of(lam, size, peak), 1)] for peak in range(size + 1)]
    return min(normal_bounds.moments(one).variance for one in groups) / float(lam * (1 - lam))


def draw(axes: Panels) -> None:
    """Draw ε against γ, and the free bits against λ."""
    known, free = panels(axes, "The part she knows", "Free bits in a group")
    parts = {1: "0", 2: "½", 4: "¾", 10: "0.9", 20: "0.95", 40: "0.975"}
    known.log_x("γ", (1, 43), parts)
    known.log_y("ε at δ = 10⁻⁶", (0.1, 8), [0.1, 0.2, 0.5, 1, 2, 5])
    places = {1: (4, (4, -5)), 2: (35, (-3, -2)), 3: (23, (-3, -2)), 5: (12, (-3, 1))}
    for size, (at, offset) in places.items():
        text = f"D = {size}" if size in (1, 5) else f"{size}"
        bound = line(_COLORS[size], DASHED, 1.6)
        known.curve(known.rows("bound", at=size), bound, text, at, offset)
        if size > 1:
            known.curve(known.rows("world", at=size), line(_COLORS[size]))
    free.x("λ", (0, 0.5), {0: "0", 0.1: "0.1", 0.25: "¼", 0.5: "½"})
    free.y("free bits", (0, 5.2), range(6))
    for size in SIZES[1:]:
        world = free.rows("world", at=size)
        free.curve(world, line(_COLORS[size]), f"D = {size}", 0.4, (3, -3))
    free.curve("any", line(PURPLE, SPARSE, 2.2), "no D above this", 0.155, (5, -2))
