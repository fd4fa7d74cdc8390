"""The average of Gaussian records: what another value of one record does to it, causally."""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from pkdp.figures._drawing import BLUE, PURPLE, VERMILION, label_line
from pkdp.figures._tables import Table, block, select, stack
from pkdp.partial_knowledge.closed_forms import log_gaussian

NAME = "average"
TITLE = "A record that moves far moves the average"
ALT = (
    "δ at ε = 1 against the distance of two values of a record, in standard deviations, from 1 to "
    "10,000 on a logarithmic axis, for the average of 10, 1,000 and 100,000 Gaussian records. Each "
    "curve rises from 0 to 1 like a step. It passes a half at a distance of 5.9, 62 and 624.",
    "δ against ε from 0 to 3 for values two standard deviations apart, δ on a logarithmic axis "
    "from 1 down to a trillionth. For 10 records δ falls from 0.26 to 0.000002; for 100 records "
    "from 0.080, and leaves the picture at ε = 1.3; for 1,000 records from 0.025, and leaves it at "
    "0.40. No curve reaches 0.",
)
COLUMNS = 2
PANEL_SIZE = (3.3, 2.75)

FAR = (10, 1000, 100_000)
NEAR = (10, 100, 1000)
DISTANCES = np.geomspace(1, 10_000, 121)
EPS = np.linspace(0, 3, 121)
APART = 2.0
LEAST = 1e-12

_COLOURS = (VERMILION, PURPLE, BLUE)
_STYLE: dict[str, Any] = {"linestyle": "-", "linewidth": 1.7}


def delta(n: int, distance: float, eps: float) -> float:
    """Return δ(ε) of the average of `n` records around a known centre.

    Parameters
    ----------
    n : int
        Number of records, at least 2.
    distance : float
        Of the two values of one record, in standard deviations of the others.
    eps : float
        At least 0.
    """
    # The other n - 1 records are the noise, and the record is shifted within their sum.
    return float(np.exp(log_gaussian(distance / (n - 1) ** 0.5, eps)))


@functools.cache
def data() -> Table:
    """Return δ at ε = 1 against the distance, and δ against ε two standard deviations apart.

    Returns
    -------
    Table
        Columns ``panel`` (``distance``, ``eps``), ``n`` (number of records), ``x`` (distance in
        standard deviations; ε) and ``y`` (δ, without what is below a trillionth on the second).
    """
    blocks = [
        block(panel="distance", n=n, x=DISTANCES, y=[delta(n, float(d), 1.0) for d in DISTANCES])
        for n in FAR
    ]
    for n in NEAR:
        y = np.array([delta(n, APART, float(eps)) for eps in EPS])
        blocks.append(block(panel="eps", n=n, x=EPS[y > LEAST], y=y[y > LEAST]))
    return stack(*blocks)


def draw(axes: Sequence[Axes], data: Table) -> None:
    """Draw δ against the distance on the left, against ε on the right."""
    distance, eps = axes
    for panel, name, sizes in ((distance, "distance", FAR), (eps, "eps", NEAR)):
        for n, colour in zip(sizes, _COLOURS, strict=True):
            curve = select(data, panel=name, n=n)
            panel.plot(curve["x"], curve["y"], color=colour, **_STYLE)
    distance.set_xscale("log")
    distance.set_xlim(1, 10_000)
    distance.set_xticks([1, 10, 100, 1000, 10_000], ["1", "10", "100", "1,000", "10,000"])
    distance.minorticks_off()
    distance.set_ylim(0, 1.02)
    distance.set_yticks([0, 0.5, 1])
    distance.set_xlabel("|a − b| / σ")
    distance.set_ylabel("δ at ε = 1")
    distance.set_title("Some b is always too far")
    eps.set_yscale("log")
    eps.set_xlim(0, 3)
    eps.set_ylim(LEAST, 1)
    eps.set_yticks([1, 1e-4, 1e-8, 1e-12])
    eps.minorticks_off()
    eps.set_xlabel("ε")
    eps.set_ylabel("δ for |a − b| = 2σ")
    eps.set_title("Some δ is always left")
    for n, colour, at, lift in zip(FAR, _COLOURS, (5.9, 62.0, 624.0), (20, 0, -20), strict=True):
        curve = select(data, panel="distance", n=n)
        label_line(
            distance,
            curve,
            f"n = {n}" if n == 10 else f"{n:,}",
            at=at,
            offset=(7, lift),
            ha="left",
            va="center",
            color=colour,
        )
    for n, colour, at, offset in zip(
        NEAR, _COLOURS, (2.0, 0.75, 0.3), ((4, 4), (6, 4), (5, -26)), strict=True
    ):
        curve = select(data, panel="eps", n=n)
        label_line(eps, curve, f"n = {n:,}", at=at, offset=offset, ha="left", color=colour)
