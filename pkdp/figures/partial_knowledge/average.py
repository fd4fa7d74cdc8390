"""The average of Gaussian records: what another value of one record does to it, causally."""

import math

from pkdp.figures._drawing import Panels, draw_curve, log_axes
from pkdp.figures._palette import BLUE, PURPLE, VERMILION
from pkdp.figures._tables import Table, block, select, stack

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

FAR = (10, 1000, 100_000)
NEAR = (10, 100, 1000)
APART = 2.0
LEAST = 1e-12

_COLOURS = (VERMILION, PURPLE, BLUE)


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
    from pkdp.partial_knowledge.closed_forms import log_gaussian

    # The other n - 1 records are the noise, and the record is shifted within their sum.
    return math.exp(log_gaussian(distance / (n - 1) ** 0.5, eps))


def data() -> Table:
    """Return δ at ε = 1 against the distance, and δ against ε two standard deviations apart.

    Returns
    -------
    Table
        Columns ``panel`` (``distance``, ``eps``), ``n`` (number of records), ``x`` (distance in
        standard deviations; ε) and ``y`` (δ, without what is below a trillionth on the second).
    """
    import numpy as np

    distances, losses = np.geomspace(1, 10_000, 121), np.linspace(0, 3, 121)
    blocks = [
        block(panel="distance", n=n, x=distances, y=[delta(n, float(d), 1.0) for d in distances])
        for n in FAR
    ]
    for n in NEAR:
        y = np.array([delta(n, APART, float(eps)) for eps in losses])
        blocks.append(block(panel="eps", n=n, x=losses[y > LEAST], y=y[y > LEAST]))
    return stack(*blocks)


def draw(axes: Panels, data: Table) -> None:
    """Draw δ against the distance on the left, against ε on the right."""
    distance, eps = axes
    log_axes(distance, x=(1, 10_000))
    distance.set_xticks([1, 10, 100, 1000, 10_000], ["1", "10", "100", "1,000", "10,000"])
    distance.set(ylim=(0, 1.02), yticks=[0, 0.5, 1])
    distance.set(title="Some b is always too far", xlabel="|a − b| / σ", ylabel="δ at ε = 1")
    log_axes(eps, y=(LEAST, 1))
    eps.set(xlim=(0, 3), yticks=[1, 1e-4, 1e-8, 1e-12])
    eps.set(title="Some δ is always left", xlabel="ε", ylabel="δ for |a − b| = 2σ")
    for n, colour, at, lift in zip(FAR, _COLOURS, (5.9, 62.0, 624.0), (20, 0, -20), strict=True):
        curve = select(data, panel="distance", n=n)
        text = f"n = {n}" if n == 10 else f"{n:,}"
        style = {"color": colour, "linewidth": 1.7}
        draw_curve(distance, curve, style, text, at, (7, lift), va="center")
    places = ((2.0, (4, 4)), (0.75, (6, 4)), (0.3, (5, -26)))
    for n, colour, (at, offset) in zip(NEAR, _COLOURS, places, strict=True):
        style = {"color": colour, "linewidth": 1.7}
        curve = select(data, panel="eps", n=n)
        draw_curve(eps, curve, style, f"n = {n:,}", at, offset, va="bottom")
