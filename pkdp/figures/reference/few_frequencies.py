"""Why forty terms prove a probability of a billion records."""

import math

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, powers
from pkdp.figures._palette import BLUE, BOUND, INK, PURPLE, VERMILION, line

TITLE = "A count from few frequencies"
ALT = (
    "The size of the terms of a Fourier sum, as a part of their sum and on a logarithmic scale, "
    "against their number, for a thousand, a million and a billion records. After the first, which "
    "is tiny, the curves fall like parabolas: the tenth term is a hundredth of the sum, the "
    "twentieth 1e-6 to 1e-8 of it, the thirtieth 1e-13 to 1e-19. A million and a billion records "
    "share one curve. A dashed curve some powers of ten above, the bound of all terms that "
    "follow, has the same shape and is below the rounding of floats after 30 terms or so.",
)
PANEL_SIZE = (3.8, 3.0)

RECORDS, PROBABILITY, IN_DEVIATIONS, DIGITS, TERMS = (10**3, 10**6, 10**9), 0.1, 2.0, 50.0, 60
# As sixteen digits of a float are.
ROUNDING = 1e-16


def data() -> Blocks:
    """Yield the terms for each number of records, and what is left out after so many.

    Yields
    ------
    Table
        Columns ``records``, ``term`` l = 0…60, ``size`` of the term and ``bound`` of all that
        follow, both as parts of the sum.
    """
    for records in RECORDS:
        deviation = math.sqrt(records * PROBABILITY * (1.0 - PROBABILITY))
        eps = IN_DEVIATIONS / deviation
        odds = PROBABILITY * math.exp(eps)
        q = odds / (1.0 - PROBABILITY + odds)
        variance = records * q * (1.0 - q)
        reach = math.ceil(DIGITS / 3 + math.sqrt(DIGITS**2 / 9 + 2 * DIGITS * variance)) + 2
        length = 2 * reach + 1
        term = np.arange(TERMS + 1)
        theta = 2.0 * math.pi * term / length
        z = np.exp(-(eps + 1j * theta))
        weights = 1.0 - math.expm1(eps) * (z - z ** (reach + 1)) / (1.0 - z)
        # The event starts at the mean, up to less than 1: so much of a turn is left.
        turn = records * (np.angle(1.0 - q + q * np.exp(1j * theta)) - q * theta)
        modulus = np.exp(records / 2 * np.log1p(-4.0 * q * (1.0 - q) * np.sin(theta / 2) ** 2))
        terms = weights * modulus * np.where(term > 0, 2.0, 1.0) / length
        total = float((terms * np.exp(1j * turn)).real.sum())
        bound = 2.0 * np.exp(-2.0 * variance * np.sin(math.pi * (term + 1) / length) ** 2)
        yield block(records=records, term=term, size=np.abs(terms) / total, bound=bound / total)


def draw(axes: Panels) -> None:
    """Draw the terms of each number of records, and the bound of the largest."""
    (panel,) = axes
    panel.x("number $l$ of the term", (0, TERMS))
    panel.log_y("part of the sum", (1e-32, 1e8), powers(-32, -24, -16, -8, 0, 8))
    panel.axhline(ROUNDING, color=INK, linewidth=0.8, alpha=0.5)
    few, many, most = (panel.rows_of("term", "size", records=records) for records in RECORDS)
    panel.curve(few, line(BLUE, width=3.2), "10³ records", 40, (6, 4))
    panel.curve(many, line(VERMILION, width=1.8), "10⁶ and 10⁹", 32, (-8, -6))
    panel.curve(most, line(PURPLE, (0, (2, 2)), 1.8))
    bound = panel.rows_of("term", "bound", records=RECORDS[-1])
    panel.curve(bound, BOUND, "10⁹: all that follow, at most", 16, (8, 6))
    panel.note("rounding of floats", (TERMS, ROUNDING), (-4, 4))
