"""What dependence does to the ε of a count: for chains of bits, and for groups of any size."""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from pkdp.figures._drawing import Blocks, Panels, curves, panels
from pkdp.figures._palette import BLUE, INK, VERMILION, line
from pkdp.figures.noiseless import families
from pkdp.noiseless import chains, noiseless_privacy, normal_bounds

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


def data() -> Blocks:
    """Yield ε against the correlation of a chain, and against the size of groups.

    Yields
    ------
    Table
        Columns ``panel`` (``chain``, ``groups``), ``series`` (``definition 3``, ``conditional``,
        and each with `` limit``), ``x`` (the correlation, or the size) and ``y`` (ε).
    """
    rho = np.unique(np.concatenate([RHO, [0.0], -RHO]))
    sizes = np.array(SIZES, dtype=np.float64)
    chained = _limits((1.0 + rho) / (1.0 - rho), BITS)
    grouped = _limits(1.0 + (sizes - 1.0) * float(ALIKE), RECORDS)
    groups = [[(families.alike(size, ALIKE), RECORDS // size)] for size in SIZES]
    for series, chain, notion in (
        ("definition 3", chains.causal, noiseless_privacy.add_or_remove),
        ("conditional", chains.conditional, noiseless_privacy.conditional),
    ):
        chained[series] = [chain(BITS, 0.5, x).epsilon(DELTA) for x in rho.tolist()]
        grouped[series] = [notion(group, (0, 0)).epsilon(DELTA) for group in groups]
    yield curves(rho, chained, panel="chain")
    yield curves(sizes, grouped, panel="groups")


def _limits(pull: NDArray[np.float64], n: int) -> dict[str, list[float]]:
    """Return ε of Gaussian laws: of n·r fair bits, and of n/r."""
    return {
        series: [normal_bounds.gaussian(n * factor / 4.0).epsilon(DELTA) for factor in factors]
        for series, factors in (("definition 3 limit", pull), ("conditional limit", 1.0 / pull))
    }


def draw(axes: Panels) -> None:
    """Draw ε against the correlation of a chain, and against the size of groups."""
    chain, groups = panels(
        axes, f"A chain of {BITS:,} bits", f"{RECORDS:,} bits in groups, ρ = {float(ALIKE):g}"
    )
    chain.x("correlation of neighbours ρ", (-1, 1), [-0.9, -0.5, 0, 0.5, 0.9])
    groups.x("bits in a group", (0.5, 12.5), [1, 3, 6, 9, 12])
    for panel in axes:
        panel.log_y("ε at δ = 10⁻⁶", (0.01, 0.6), [0.01, 0.03, 0.1, 0.3])
    for panel, series, color, at, offset in (
        (chain, "definition 3", BLUE, -0.55, (4, 4)),
        (chain, "conditional", VERMILION, -0.5, (4, -5)),
        (groups, "definition 3", BLUE, 7, (0, -6)),
        (groups, "conditional", VERMILION, 7, (0, 6)),
    ):
        panel.curve(series, line(color), series.capitalize(), at, offset)
        panel.curve(f"{series} limit", line(INK, (0, (3, 2.2)), 1.1))
