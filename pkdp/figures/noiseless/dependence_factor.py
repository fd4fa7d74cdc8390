"""What dependence does to the ε of a count: for chains of bits, and for groups of any size."""

import math
from fractions import Fraction

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from pkdp.figures._drawing import Panels, Point, draw_curve, log_axes
from pkdp.figures._palette import BLUE, INK, VERMILION, Style
from pkdp.figures._tables import Table, block, select, stack
from pkdp.noiseless import chains, normal_bounds, notions
from pkdp.studies import families

TITLE = "Two notions, two effects of dependence"
ALT = (
    "ε at δ = 10⁻⁶, logarithmic, of 10,000 bits in a chain, against the correlation ρ of "
    "neighbours from -0.9 to 0.9. By Definition 3 it falls from 0.341 at ρ = -0.9 through 0.071 at "
    "0, 0.034 at 0.6, to 0.015 at 0.9. By the conditional notion it rises from 0.014 through 0.071 "
    "at 0, 0.149 at 0.6, to 0.345 at 0.9. Gaussian curves for n times r and n over r independent "
    "records (dashed) lie on both.",
    "ε at δ = 10⁻⁶ of 27,720 bits in groups, against the size of the groups from 1 to 12, each two "
    "records of a group with correlation 0.2. From 0.041 at size 1 Definition 3 falls to 0.034 at "
    "size 3 and 0.022 at 12; the conditional notion rises to 0.049 and 0.077. The Gaussian curves "
    "(dashed) lie on both.",
)
PANEL_SIZE = (3.3, 2.9)

DELTA = 1e-6
BITS = 10_000
RHO = np.array([-0.9, -0.86, -0.8, -0.7, -0.6, -0.3])
# A multiple of all sizes.
RECORDS = math.lcm(*range(1, 13))
SIZES = (1, 2, 3, 4, 6, 9, 12)
ALIKE = Fraction(1, 5)

_DEFINITION_3: Style = {"color": BLUE, "linestyle": "-", "linewidth": 1.9}
_CONDITIONAL: Style = {"color": VERMILION, "linestyle": "-", "linewidth": 1.9}
_LIMIT: Style = {"color": INK, "linestyle": (0, (3, 2.2)), "linewidth": 1.1}


def data() -> Table:
    """Return ε against the correlation of a chain, and against the size of groups.

    Returns
    -------
    Table
        Columns ``panel`` (``chain``, ``groups``), ``series`` (``definition 3``, ``conditional``,
        and each with `` limit``), ``x`` (the correlation, or the size) and ``y`` (ε).
    """
    rho = np.unique(np.concatenate([RHO, [0.0], -RHO]))
    blocks = _limits("chain", rho, (1.0 + rho) / (1.0 - rho), BITS)
    for series, chain in (("definition 3", chains.causal), ("conditional", chains.conditional)):
        found = [chain(BITS, 0.5, x).epsilon(DELTA) for x in rho.tolist()]
        blocks.append(_rows("chain", series, rho, found))
    sizes = np.array(SIZES, dtype=np.float64)
    blocks += _limits("groups", sizes, 1.0 + (sizes - 1.0) * float(ALIKE), RECORDS)
    groups = [[(families.alike(size, ALIKE), RECORDS // size)] for size in SIZES]
    for series, notion in (
        ("definition 3", notions.add_or_remove),
        ("conditional", notions.conditional),
    ):
        found = [notion(group, (0, 0)).epsilon(DELTA) for group in groups]
        blocks.append(_rows("groups", series, sizes, found))
    return stack(*blocks)


def _limits(panel: str, x: ArrayLike, pull: NDArray[np.float64], n: int) -> list[Table]:
    """Return ε of Gaussian laws: of n·r fair bits, and of n/r."""
    return [
        _rows(panel, f"{series} limit", x, [_gaussian(n * factor) for factor in factors.tolist()])
        for series, factors in (("definition 3", pull), ("conditional", 1.0 / pull))
    ]


def _gaussian(bits: float) -> float:
    return normal_bounds.gaussian(bits / 4.0).epsilon(DELTA)


def _rows(panel: str, series: str, x: ArrayLike, y: ArrayLike) -> Table:
    return block(panel=panel, series=series, x=x, y=y)


def draw(axes: Panels, data: Table) -> None:
    """Draw ε against the correlation of a chain, and against the size of groups."""
    chain, groups = axes
    rows = select(data, panel="chain")
    log_axes(chain, y=(0.01, 0.6))
    chain.set(title=f"A chain of {BITS:,} bits", xlim=(-1, 1), xlabel="correlation of neighbours ρ")
    chain.set_xticks([-0.9, -0.5, 0, 0.5, 0.9], ["-0.9", "-0.5", "0", "0.5", "0.9"])
    _curves(chain, rows, {"definition 3": (-0.55, (4, 4)), "conditional": (-0.5, (4, -5))})
    rows = select(data, panel="groups")
    log_axes(groups, y=(0.01, 0.6))
    groups.set(title=f"{RECORDS:,} bits in groups, ρ = {float(ALIKE):g}", xlim=(0.5, 12.5))
    groups.set(xlabel="bits in a group")
    groups.set_xticks([1, 3, 6, 9, 12], ["1", "3", "6", "9", "12"])
    _curves(groups, rows, {"definition 3": (7, (0, -6)), "conditional": (7, (0, 6))})
    for panel in axes:
        panel.set(ylabel="ε at δ = $10^{-6}$")
        panel.set_yticks([0.01, 0.03, 0.1, 0.3], ["0.01", "0.03", "0.1", "0.3"])


def _curves(panel: Axes, rows: Table, labels: dict[str, tuple[float, Point]]) -> None:
    styles = {"definition 3": _DEFINITION_3, "conditional": _CONDITIONAL}
    for series, (at, offset) in labels.items():
        text = series.capitalize()
        draw_curve(panel, select(rows, series=series), styles[series], text, at, offset)
        draw_curve(panel, select(rows, series=f"{series} limit"), _LIMIT)
