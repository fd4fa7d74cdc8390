"""The theorem from moments with Gaussian noise, beside exact values."""

import math

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, curves, panels, powers, seen
from pkdp.figures._palette import BOUND, EXACT, INK, SPARSE, line
from pkdp.figures.noiseless.noise_on_parity import votes
from pkdp.noiseless import gaussian_noise, parity, smoothing

TITLE = "What moments promise once Gaussian noise is added"
ALT = (
    "δ at ε = 0 of n votes of −1 or 1 with Gaussian noise, against n from 10 to 10⁸; both axes "
    "logarithmic. Exact values up to n = 4,000, the bound to the end. Noise of deviation 1: exact "
    "0.12 at 10, 0.041 at 100, 0.015 at 1,000, towards 0.009; bound 0.25, 0.085, 0.035, levelling "
    "off at 0.012. Noise of deviation 2: exact 0.10, 0.039, 0.013; bound 0.20, 0.071, 0.023, and "
    "7.2e-5 at 10⁸, falling like 1/√n.",
    "The same for a hundred million votes, against the deviation s of the noise from 0.2 to 6. "
    "The bound falls from 0.99 at 0.2 through 0.012 at 1 and 9.7e-5 at 1.5 to 7.2e-5, where it "
    "stays from 1.8 on. Below it is what is left of the parity, within a factor of 1.5 up to 1.25, "
    "and a level line at 4e-5, what a normal law of the same variance would have.",
)
PANEL_SIZE = (3.3, 2.9)

WIDTH, MOST = 2, 10**8
_EXACT_SIZES = (10, 20, 50, 100, 200, 500, 1000, 2000, 4000)
_SIZES = np.geomspace(10.0, MOST, 29)
_SCALES = np.geomspace(0.2, 6.0, 40)


def data() -> Blocks:
    """Yield the bound and the truth, against the number of votes and against the noise.

    Yields
    ------
    Table
        Columns ``panel`` (``votes``, ``noise``), ``series`` (``bound``, ``exact``, ``parity``,
        ``normal``), ``scale`` (of the noise, on the panel ``votes``), ``x`` (n, or the scale) and
        ``y`` (δ at ε = 0, from 1e-8 on).
    """
    for scale in (1.0, 2.0):
        bound = [_bound(n, scale) for n in _SIZES.tolist()]
        exact = [
            math.exp(gaussian_noise.add(votes(n), scale).log_hockey_stick(0.0))
            for n in _EXACT_SIZES
        ]
        few = np.array(_EXACT_SIZES, dtype=float)
        yield block(panel="votes", series="bound", scale=scale, x=_SIZES, y=bound)
        yield block(panel="votes", series="exact", scale=scale, x=few, y=exact)
    scales = _SCALES.tolist()
    rows = {
        "bound": [_bound(MOST, s) for s in scales],
        "parity": [float(parity.gaussian(s).delta(0.0)) for s in scales],
        # The total variation of two normal laws that lie 1 apart.
        "normal": [math.erf(1.0 / math.sqrt(8.0 * (MOST + s * s))) for s in scales],
    }
    yield seen(curves(_SCALES, rows, panel="noise", scale=0.0), 1e-8)


def _bound(n: float, scale: float) -> float:
    return smoothing.total_variation(n, WIDTH, scale=scale)


def draw(axes: Panels) -> None:
    """Draw δ against the number of votes, and against the noise."""
    number, noise = panels(axes, "More votes", "A hundred million votes")
    number.log_x("votes n", (10, MOST), {100: "100"} | powers(4, 6, 8))
    number.log_y("δ at ε = 0", (1e-5, 1), powers(-4, -2, 0))
    for scale, offset in ((1.0, (0, 4)), (2.0, (4, 3))):
        bound, exact = (number.rows(series, scale=scale) for series in ("bound", "exact"))
        number.curve(bound, BOUND, f"bound, s = {scale:g}", 1e6, offset)
        number.curve(exact, EXACT)
    number.curve(exact, EXACT, "exact", 400, (-4, -4))
    noise.log_x("deviation s of the noise", (0.2, 6), [0.2, 0.5, 1, 2, 5])
    noise.log_y("δ at ε = 0", (1e-6, 1.5), powers(-6, -4, -2, 0))
    noise.curve("normal", line(INK, SPARSE, 1.4), "normal law", 0.2, (4, -4))
    noise.curve("parity", EXACT, "parity", 1.15, (-4, -2))
    noise.curve("bound", BOUND, "bound", 3.5, (0, 4))
