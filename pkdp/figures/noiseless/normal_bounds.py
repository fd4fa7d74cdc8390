"""What is known of a sum of records 0…5: exactly, from its coins, and by normal approximation."""

import math
from functools import partial

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels, powers, seen
from pkdp.figures._palette import BLUE, BOUND, DOTTED, GREEN, INK, PURPLE, SPARSE, VERMILION, line
from pkdp.noiseless import normal_bounds, privacy_blanket, sums
from pkdp.profiles.profile import PrivacyProfile

TITLE = "A sum of records 0 to 5: the truth, and what normal approximation guarantees"
ALT = (
    "δ at ε = 0.1 against n from a hundred to a hundred million, both axes logarithmic. The "
    "exact curve falls from 0.077 at n = 100 through 0.007 at 1,000 and 2.5e-6 at 10,000 to "
    "10⁻¹² at 32,000; a thin Gaussian curve cannot be told from it. The coin bound falls like "
    "it, from 0.099 through 2.1e-5 at 10,000. The bounds by normal approximation are nearly "
    "straight: Berry and Esseen with 0.56 from 0.23 to 1.4e-4 at a hundred million, with 1.12 "
    "twice as high; Stein's method leaves 1 up to some 400 records and 0.041 for a hundred "
    "million, or 0.16 if D = 5.",
    "ε at δ = 10⁻⁶ against n from a hundred to a hundred million, both axes logarithmic. The "
    "exact curve falls from 1.31 through 0.107 at 10,000 and 0.0089 at a million to 6.8e-4 at a "
    "hundred million; the coin bound lies a fifth above it from 10,000 on. The dotted line of "
    "the leading constant starts a fifth above the exact curve and ends above it by a factor of "
    "2.3. Bounds by normal approximation are not in the picture: they say nothing below n = "
    "2·10¹².",
)
PANEL_SIZE = (3.35, 3.2)

RECORD = dict.fromkeys(range(6), 1 / 6)
STEP = 5
EPS, DELTA = 0.1, 1e-6
SIZES = np.unique(np.geomspace(100, 1e8, 49).round().astype(np.int64))
FEW = SIZES[::6]


def profiles(n: int) -> dict[str, PrivacyProfile]:
    """Return all profiles of n records, of which one is the target's."""
    others = [(RECORD, n - 1)]
    m = normal_bounds.moments(others)
    distance = normal_bounds.BERRY_ESSEEN * m.third / m.variance**1.5
    stein = partial(normal_bounds.stein_for_half_lines, *m, dependence="ross", step=STEP)
    return {
        "exact": sums.pair(others, STEP).profile(),
        "Gaussian": normal_bounds.gaussian(m.variance, step=STEP),
        "coins": privacy_blanket.bound(others, STEP, STEP),
        "0.56": normal_bounds.for_half_lines(m.variance, distance, step=STEP),
        "1.12": normal_bounds.for_half_lines(m.variance, 2.0 * distance, step=STEP),
        "Stein": stein(neighbourhood=1),
        "Stein, 5": stein(neighbourhood=5),
    }


def data() -> Blocks:
    """Yield δ at ε = 0.1 and ε at δ = 10⁻⁶ against n.

    Yields
    ------
    Table
        Columns ``panel`` (``delta``, ``eps``), ``series`` (``exact``, ``Gaussian``, ``coins``;
        ``0.56`` and ``1.12`` of Berry and Esseen; ``Stein`` for neighbourhoods of 1 and of 5; the
        leading ``constant``), ``x`` (n) and ``y`` (δ from 1e-15 on, or ε).
    """
    every = [profiles(n) for n in SIZES.tolist()]
    few = FEW.astype(float)
    for series in every[0]:
        y = [several[series].delta(EPS) for several in every]
        yield seen(block(panel="delta", series=series, x=SIZES.astype(float), y=y), 1e-15)
        if series in {"exact", "Gaussian", "coins"}:
            y = [several[series].epsilon(DELTA) for several in every[::6]]
            yield block(panel="eps", series=series, x=few, y=y)
    constant = normal_bounds.epsilon_limit(35 / 12, step=STEP)
    leading = constant * np.sqrt(math.log(1.0 / DELTA) / FEW)
    yield block(panel="eps", series="constant", x=few, y=leading)


def draw(axes: Panels) -> None:
    """Draw δ on the first panel, ε on the second."""
    delta, eps = panels(axes, "δ at ε = 0.1", "ε at δ = 10⁻⁶")
    for panel in axes:
        panel.log_x("n", (100, 1e8), [1e2, 1e4, 1e6, 1e8])
    delta.log_y("δ", (1e-12, 9), powers(-12, -9, -6, -3, 0))
    exact, coins, gaussian = line(BLUE, width=2.2), BOUND, line(INK, SPARSE, 1.2)
    delta.curve("exact", exact, "exact", 1.5e4, (-6, -4))
    delta.curve("Gaussian", gaussian)
    delta.curve("coins", coins, "coins", 2.2e4, (5, 4))
    delta.curve("0.56", line(VERMILION, width=1.4))
    delta.curve("1.12", line(VERMILION, DOTTED, 1.6), "1.12", 1.5e7, (3, 3))
    delta.curve("Stein", line(PURPLE, width=1.4), "Stein", 1.6e5, (-6, -3))
    dashes = (0, (4, 1.5, 1, 1.5))
    delta.curve("Stein, 5", line(PURPLE, dashes, 1.4), "Stein, D = 5", 1e7, (0, 8))
    delta.callout("Berry–Esseen, 0.56", (6e6, 5.9e-4), (9e4, 1.2e-5), VERMILION)
    eps.log_y("ε", (3e-4, 4), [1e-3, 1e-2, 0.1, 1.0])
    eps.curve("exact", exact, "exact", 1e5, (-6, -5))
    eps.curve("coins", coins)
    eps.curve("constant", gaussian, "leading constant", 3e4, (5, 8))
    eps.note("coins", (1.2e6, 0.0098), (7, 6), GREEN)
    eps.note("normal bounds:\nnothing below\nn = 2·10¹²", (2.2e2, 1.1e-3), (1, 0), VERMILION)
