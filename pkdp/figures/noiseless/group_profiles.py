"""Profiles of a count over groups of bits, and what happens to pairs near a correlation of 1."""

from fractions import Fraction

import numpy as np
from matplotlib.axes import Axes

from pkdp.figures._drawing import Panels, draw_curve, log_axes, power_ticks
from pkdp.figures._palette import BLUE, INK, VERMILION, Style
from pkdp.figures._tables import Table, block, select, stack
from pkdp.figures.noiseless.dependence_factor import ALIKE, DELTA, RECORDS
from pkdp.noiseless import notions
from pkdp.studies import families

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

SIZES = (1, 4, 12)
EPS = np.linspace(0.0, 0.08, 41)
PAIRS = 1000
_PER_MILLE = (
    *(-999, -995, -980, -950, -900, -820, -700, -500, -250, 0),
    *(300, 600, 900, 985, 992, 994, 995, 996, 997, 998, 999),
)

_DEFINITION_3: Style = {"color": BLUE, "linestyle": "-", "linewidth": 1.9}
_CONDITIONAL: Style = {"color": VERMILION, "linestyle": (0, (5, 1.6)), "linewidth": 1.6}
_ALONE: Style = {"color": INK, "linestyle": (0, (1, 1.6)), "linewidth": 1.8}
_KINDS = {
    "definition 3": (notions.add_or_remove, _DEFINITION_3),
    "conditional": (notions.conditional, _CONDITIONAL),
}


def data() -> Table:
    """Return profiles for three sizes of groups, and ε of pairs against their correlation.

    Returns
    -------
    Table
        Columns ``panel`` (``profile``, ``pairs``), ``series`` (``definition 3``, ``conditional``),
        ``size`` (of the groups), ``x`` (ε, or the correlation) and ``y`` (δ, or ε).
    """
    rho = np.array(_PER_MILLE) / 1000
    blocks = []
    for series, (notion, _) in _KINDS.items():
        for size in SIZES:
            profile = notion([(families.alike(size, ALIKE), RECORDS // size)], (0, 0))
            rows = block(panel="profile", series=series, size=size, x=EPS, y=profile.delta(EPS))
            blocks.append(rows)
        pairs = [families.alike(2, Fraction(part, 1000)) for part in _PER_MILLE]
        eps = [notion([(pair, PAIRS)], (0, 0)).epsilon(DELTA) for pair in pairs]
        blocks.append(block(panel="pairs", series=series, size=2, x=rho, y=eps))
    return stack(*blocks)


def draw(axes: Panels, data: Table) -> None:
    """Draw profiles by the size of groups, and ε by the correlation of pairs."""
    profile, pairs = axes
    _draw_profiles(profile, select(data, panel="profile"))
    _draw_pairs(pairs, select(data, panel="pairs"))


def _draw_profiles(panel: Axes, data: Table) -> None:
    log_axes(panel, y=(1e-9, 0.03))
    power_ticks(panel, -9, -6, -3)
    panel.set(title=f"{RECORDS:,} bits in groups, ρ = {float(ALIKE):g}", xlim=(0, 0.08))
    panel.set(xlabel="ε", ylabel="δ")
    panel.set_xticks([0, 0.02, 0.04, 0.06, 0.08], ["0", "0.02", "0.04", "0.06", "0.08"])
    alone = select(data, series="definition 3", size=1)
    draw_curve(panel, alone, _ALONE, "alone", 0.0572, (3, 2))
    places = {
        "definition 3": {4: (0.0405, (3, 2), "4"), 12: (0.0265, (-3, -4), "12, by\nDefinition 3")},
        "conditional": {4: (0.0655, (3, 4), "4"), 12: (0.05, (2, 4), "12, conditional")},
    }
    for series, labels in places.items():
        for size, (at, offset, text) in labels.items():
            rows = select(data, series=series, size=size)
            draw_curve(panel, rows, _KINDS[series][1], text, at, offset)


def _draw_pairs(panel: Axes, data: Table) -> None:
    log_axes(panel, y=(0.004, 6))
    panel.set(title=f"{2 * PAIRS:,} bits in pairs", xlim=(-1.03, 1.03))
    panel.set(xlabel="correlation of a pair ρ", ylabel="ε at δ = $10^{-6}$")
    panel.set_xticks([-1, -0.5, 0, 0.5, 1], ["-1", "-0.5", "0", "0.5", "1"])
    panel.set_yticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
    for series, at, offset in (("definition 3", -0.7, (5, 4)), ("conditional", -0.6, (5, -4))):
        rows = select(data, series=series)
        draw_curve(panel, rows, _KINDS[series][1], series.capitalize(), at, offset)
