"""A sum of records that are hardly ever odd: its law, and how well it hides a 1."""

import math
from itertools import takewhile

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels, powers
from pkdp.figures._palette import BLUE, BOUND, GREEN, INK, PRINTED, SPARSE, VERMILION, line
from pkdp.noiseless import normal_bounds, privacy_blanket, sums

TITLE = "Records that are hardly ever odd"
ALT = (
    "The probabilities of the sums from 960 to 1,040 of 1,000 records, as a comb: even sums have"
    " up to 0.023, odd ones up to 0.0023, and the normal density, 0.0126 at its top, runs "
    "between them.",
    "δ at ε = 0.1 against n from a hundred to a hundred million, both axes logarithmic. The "
    "exact curve is 0.98 at n = 100, 0.81 at 1,000 and 0.09 at 10,000, and then falls like a "
    "stone, below 10⁻¹² before 18,000; up to there it follows a thin line, what the parity of "
    "the sum tells. What Berry and Esseen say of half-lines is 0.13 at n = 100 and 0.011 at "
    "10,000, below the truth; from 14,000 on it is above it. The coin bound is never below the "
    "truth: 0.99 at n = 100, 0.51 at 10,000, 0.021 at a million and 10⁻¹² at some 75 million.",
)
PANEL_SIZE = (3.3, 3.0)

ODD = 1e-4
RECORD = {0: (1.0 - ODD) / 2.0, 1: ODD, 2: (1.0 - ODD) / 2.0}
FEW = 1001
EPS = 0.1
_GRID = [*np.geomspace(100, 1e8, 37), *np.geomspace(1e4, 2e4, 25)]
SIZES = np.unique(np.round(_GRID).astype(np.int64))
_LEAST = 1e-15


def parity(n: int) -> float:
    """Return what the parity of the sum tells of a 1 at ε = 0.1, at least."""
    bias = (1.0 - 2.0 * ODD) ** (n - 1)
    return max(0.0, (1.0 + bias) / 2.0 - math.exp(EPS) * (1.0 - bias) / 2.0)


def data() -> Blocks:
    """Yield the masses of a sum, and δ at ε = 0.1 against n.

    Yields
    ------
    Table
        Columns ``panel`` (``law``, ``delta``), ``series`` (``even``, ``odd``, ``normal``;
        ``exact``, ``parity``, ``half-lines``, ``coins``), ``x`` (the sum; n) and ``y`` (its
        probability; δ from 1e-15 on).
    """
    law = sums.law([(RECORD, FEW - 1)])
    values = np.arange(FEW - 41, FEW + 40)
    masses = np.exp(law.log_pmf(int(values[0]), int(values[-1])))
    variance = normal_bounds.moments([(RECORD, FEW - 1)]).variance
    density = np.exp(-((values - (FEW - 1)) ** 2) / (2.0 * variance))
    even = values % 2 == 0
    normal = density / math.sqrt(2.0 * math.pi * variance)
    yield block(panel="law", series="even", x=values[even].astype(float), y=masses[even])
    yield block(panel="law", series="odd", x=values[~even].astype(float), y=masses[~even])
    yield block(panel="law", series="normal", x=values.astype(float), y=normal)
    deltas = {"exact": _exact, "parity": parity, "half-lines": _half_lines, "coins": _coins}
    for series, delta in deltas.items():
        # Far beyond the picture there are too many outcomes to list.
        y = [*takewhile(lambda y: y >= _LEAST, map(delta, SIZES.tolist()))]
        x = SIZES[: len(y)].astype(float)
        yield block(panel="delta", series=series, x=x, y=y)


def _exact(n: int) -> float:
    return sums.pair([(RECORD, n - 1)]).profile().delta(EPS)


def _coins(n: int) -> float:
    return privacy_blanket.bound([(RECORD, n - 1)]).delta(EPS)


def _half_lines(n: int) -> float:
    m = normal_bounds.moments([(RECORD, n - 1)])
    return normal_bounds.berry_esseen_for_half_lines(m.variance, m.third).delta(EPS)


def draw(axes: Panels) -> None:
    """Draw the law on the first panel, δ on the second."""
    law, delta = panels(axes, "The law of the sum", "δ at ε = 0.1")
    law.x("sum of 1,000 records", (960, 1040), [960, 980, 1000, 1020, 1040])
    law.y("probability", (0, 0.028), [0, 0.01, 0.02], digits=2)
    for series, color in (("even", BLUE), ("odd", GREEN)):
        comb = law.rows(series)
        law.vlines(comb["x"], 0.0, comb["y"], color=color, linewidth=1.5)
    law.curve("normal", PRINTED)
    law.note("even sums", (1000, 0.0232), (0, 3), BLUE)
    law.callout("odd sums", (971, 0.0012), (961, 0.0195), GREEN)
    law.callout("normal\ndensity", (1029, 0.0083), (1025, 0.0215), VERMILION)
    delta.log_x("n", (100, 1e8), [1e2, 1e4, 1e6, 1e8])
    delta.log_y("δ", (1e-12, 4), powers(-12, -9, -6, -3, 0))
    delta.curve("exact", line(BLUE, width=2.2), "exact", 1.6e4, (-6, -8))
    delta.curve("parity", line(INK, SPARSE, 1.2))
    delta.curve("half-lines", PRINTED, "half-lines,\nBerry–Esseen", 2.2e6, (-2, -7))
    delta.curve("coins", BOUND, "coins", 4e7, (-6, -3))
