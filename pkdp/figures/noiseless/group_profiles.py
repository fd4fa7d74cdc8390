"""Profiles of a count over groups of bits, and what happens to pairs near a correlation of 1."""

from fractions import Fraction

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels, powers
from pkdp.figures._palette import BLUE, DASHED, INK, VERMILION, line
from pkdp.figures.noiseless import families
from pkdp.figures.noiseless.dependence_factor import ALIKE, DELTA, RECORDS
from pkdp.noiseless import noiseless_privacy

TITLE = "A count over groups of bits"
ALT = (
    "δ against ε from 0 to 0.08 for 27,720 bits in groups, correlation 0.2 within a group. Groups "
    "of 1 begin at δ = 0.0048 and reach 10⁻⁶ at ε = 0.041. By Definition 3 (solid) groups of 4 and "
    "12 lie below: 10⁻⁶ at 0.032 and 0.022. By the conditional notion (dashed) they lie above: "
    "10⁻⁶ at 0.053 and 0.077.",
    "ε at δ = 10⁻⁶, logarithmic, of 2,000 fair bits in pairs, against the correlation ρ of a pair "
    "from -1 to 1. By Definition 3 it falls from 3.0 at ρ = -0.999 through 0.168 at 0 to 0.117 at "
    "0.99, and then shoots up, to 0.89 at 0.999. By the conditional notion it rises from 0.0055 at "
    "-0.999 through 0.168 at 0 to 0.244 at 0.999.",
)
PANEL_SIZE = (3.3, 2.9)

EPS = np.linspace(0.0, 0.08, 41)
PAIRS = 1000
_PER_MILLE = (
    *(-999, -995, -980, -950, -900, -820, -700, -500, -250, 0),
    *(300, 600, 900, 985, 992, 994, 995, 996, 997, 998, 999),
)

_NOTIONS = {
    "definition 3": noiseless_privacy.add_or_remove,
    "conditional": noiseless_privacy.conditional,
}


def data() -> Blocks:
    """Yield profiles for three sizes of groups, and ε of pairs against their correlation.

    Yields
    ------
    Table
        Columns ``panel`` (``profile``, ``pairs``), ``series`` (``definition 3``, ``conditional``),
        ``size`` (of the groups), ``x`` (ε, or the correlation) and ``y`` (δ, or ε).
    """
    rho = np.array(_PER_MILLE) / 1000
    for series, notion in _NOTIONS.items():
        for size in (1, 4, 12):
            profile = notion([(families.alike(size, ALIKE), RECORDS // size)], (0, 0))
            yield block(panel="profile", series=series, size=size, x=EPS, y=profile.delta(EPS))
        pairs = [families.alike(2, Fraction(part, 1000)) for part in _PER_MILLE]
        eps = [notion([(pair, PAIRS)], (0, 0)).epsilon(DELTA) for pair in pairs]
        yield block(panel="pairs", series=series, size=2, x=rho, y=eps)


def draw(axes: Panels) -> None:
    """Draw profiles by the size of groups, and ε by the correlation of pairs."""
    profile, pairs = panels(
        axes,
        f"{RECORDS:,} bits in groups, ρ = {float(ALIKE):g}",
        f"{2 * PAIRS:,} bits in pairs",
    )
    definition_3, conditional = line(BLUE), line(VERMILION, DASHED, 1.6)
    profile.x("ε", (0, 0.08), [0, 0.02, 0.04, 0.06, 0.08])
    profile.log_y("δ", (1e-9, 0.03), powers(-9, -6, -3))
    alone = profile.rows("definition 3", size=1)
    profile.curve(alone, line(INK, (0, (1, 1.6)), 1.8), "alone", 0.0572, (3, 2))
    for series, style, size, text, at, offset in (
        ("definition 3", definition_3, 4, "4", 0.0405, (3, 2)),
        ("definition 3", definition_3, 12, "12, by\nDefinition 3", 0.0265, (-3, -4)),
        ("conditional", conditional, 4, "4", 0.0655, (3, 4)),
        ("conditional", conditional, 12, "12, conditional", 0.05, (2, 4)),
    ):
        profile.curve(profile.rows(series, size=size), style, text, at, offset)
    pairs.x("correlation of a pair ρ", (-1.03, 1.03), [-1, -0.5, 0, 0.5, 1])
    pairs.log_y("ε at δ = 10⁻⁶", (0.004, 6), [0.01, 0.1, 1])
    pairs.curve("definition 3", definition_3, "Definition 3", -0.7, (5, 4))
    pairs.curve("conditional", conditional, "Conditional", -0.6, (5, -4))
