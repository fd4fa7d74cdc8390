"""The average of Gaussian records: what another value of one record does to it, causally."""

import math

from pkdp.figures._drawing import Blocks, Panels, block, panels, powers, seen
from pkdp.figures._palette import BLUE, PURPLE, VERMILION, line

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

LEAST = 1e-12


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
    from pkdp.profiles.closed_forms import log_gaussian

    # The other n - 1 records are the noise, and the record is shifted within their sum.
    return math.exp(log_gaussian(distance / (n - 1) ** 0.5, eps))


def data() -> Blocks:
    """Yield δ at ε = 1 against the distance, and δ against ε two standard deviations apart.

    Yields
    ------
    Table
        Columns ``panel`` (``distance``, ``eps``), ``n`` (number of records), ``x`` (distance in
        standard deviations; ε) and ``y`` (δ, without what is below a trillionth on the second).
    """
    import numpy as np

    distances, losses = np.geomspace(1, 10_000, 121), np.linspace(0, 3, 121)
    for n in (10, 1000, 100_000):
        y = [delta(n, float(distance), 1.0) for distance in distances]
        yield block(panel="distance", n=n, x=distances, y=y)
    for n in (10, 100, 1000):
        y = [delta(n, 2.0, float(eps)) for eps in losses]
        yield seen(block(panel="eps", n=n, x=losses, y=y), LEAST)


def draw(axes: Panels) -> None:
    """Draw δ against the distance on the left, against ε on the right."""
    distance, eps = panels(axes, "Some b is always too far", "Some δ is always left")
    distance.log_x("|a − b| / σ", (1, 10_000), [1, 10, 100, 1000, 10_000])
    distance.y("δ at ε = 1", (0, 1.02), [0, 0.5, 1], digits=1)
    eps.x("ε", (0, 3))
    eps.log_y("δ for |a − b| = 2σ", (LEAST, 1), powers(0, -4, -8, -12))
    for panel, n, colour, text, at, offset, va in (
        (distance, 10, VERMILION, "n = 10", 5.9, (7, 20), "center"),
        (distance, 1000, PURPLE, "1,000", 62.0, (7, 0), "center"),
        (distance, 100_000, BLUE, "100,000", 624.0, (7, -20), "center"),
        (eps, 10, VERMILION, "n = 10", 2.0, (4, 4), "bottom"),
        (eps, 100, PURPLE, "n = 100", 0.75, (6, 4), "bottom"),
        (eps, 1000, BLUE, "n = 1,000", 0.3, (5, -26), "bottom"),
    ):
        panel.curve(panel.rows(n=n), line(colour, width=1.7), text, at, offset, va=va)
