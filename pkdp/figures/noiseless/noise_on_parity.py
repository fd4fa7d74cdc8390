"""What noise leaves of the parity of a sum, however many records it has, and for how many."""

import math

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, curves, panels, powers, seen
from pkdp.figures._palette import BLUE, BOUND, INK, SPARSE, VERMILION, line
from pkdp.noiseless import gaussian_noise, parity, synergy
from pkdp.partial_knowledge import noise
from pkdp.profiles.laws import Finite, binomial
from pkdp.profiles.pairs import Pair

TITLE = "Which noise hides a parity"
ALT = (
    "δ at ε = 0 for a sum of ever more votes of −1 or 1, with noise of a standard deviation from "
    "0.2 to 100; both axes logarithmic. Geometric noise: 0.33 at 1, 0.11 at 2, 0.005 at 10, 5e-5 "
    "at 100. Laplace noise tends to half of that: 0.0025 at 10. Gaussian noise: 0.37 at 0.5, 0.009 "
    "at 1, 3.4e-9 at 2, and below 10⁻¹² from 2.4 on. The dotted line is geometric noise alone, "
    "with no votes: 0.33 at 2 and 0.071 at 10.",
    "δ at ε = 0 against the number n of votes from 1 to 4,000, for noise of standard deviation 2; "
    "both axes logarithmic. Geometric noise: 0.25 at 1, 0.15 at 10, then level at 0.111. Laplace "
    "noise: 0.21, 0.12, then level at 0.059. Gaussian noise: 0.17, 0.10, 0.039 at 100 and "
    "0.0063 at 4,000, falling like 1/√n.",
)
PANEL_SIZE = (3.3, 2.9)

DEVIATION = 2.0
SIZES = (1, 2, 4, 7, 10, 20, 40, 70, 100, 200, 400, 700, 1000, 2000, 4000)
_DEVIATIONS = np.geomspace(0.2, 100.0, 82)


def data() -> Blocks:
    """Yield δ at ε = 0 against the size of the noise, and against the number of votes.

    Yields
    ------
    Table
        Columns ``panel`` (``limit``, ``votes``), ``series`` (``geometric``, ``laplace``,
        ``gaussian``, ``alone``), ``x`` (a standard deviation, or n) and ``y`` (δ, from 1e-14 on).
    """
    sizes = _DEVIATIONS.tolist()
    ratios = [synergy.geometric_ratio(size) for size in sizes]
    limits = {
        "geometric": [parity.geometric(ratio).delta(0.0) for ratio in ratios],
        "laplace": [parity.laplace(size / math.sqrt(2.0)).delta(0.0) for size in sizes],
        "gaussian": [parity.gaussian(size).delta(0.0) for size in sizes],
        "alone": [noise.Geometric(ratio).profile().delta(0.0) for ratio in ratios],
    }
    found = zip(*map(_with_votes, SIZES), strict=True)
    left = dict(zip(("geometric", "laplace", "gaussian"), found, strict=True))
    yield seen(curves(_DEVIATIONS, limits, panel="limit"), 1e-14)
    yield curves(np.array(SIZES, dtype=float), left, panel="votes")


def votes(n: int) -> Pair:
    """Return the laws of a sum of so many fair votes of 1 or -1, moved by 1 and not."""
    masses = np.zeros(2 * n + 1)
    masses[::2] = np.exp(binomial(n, 0.5).log_pmf(0, n))
    law = Finite(-n, tuple(masses / masses.sum()))
    return Pair(law.shift(1), law)


def _with_votes(n: int) -> list[float]:
    pair = votes(n)
    # Both directions are the same, as votes and noise are symmetric.
    found = [
        noise.add(pair, noise.Geometric(synergy.geometric_ratio(DEVIATION))),
        noise.add(pair, noise.Laplace(DEVIATION / math.sqrt(2.0))),
        gaussian_noise.add(pair, DEVIATION),
    ]
    return [math.exp(noisy.log_hockey_stick(0.0)) for noisy in found]


def draw(axes: Panels) -> None:
    """Draw what is left in the limit, and what is left of some votes."""
    limit, votes = panels(axes, "However many votes", "Noise of deviation 2")
    limit.log_x("standard deviation of the noise", (0.2, 100), [1, 10, 100])
    limit.log_y("δ at ε = 0", (1e-12, 3), powers(-12, -9, -6, -3, 0))
    gaussian = line(VERMILION, (0, (6, 1.4, 1.2, 1.4)))
    limit.curve("alone", line(INK, SPARSE, 1.2), "noise alone", 14.0, (0, 5))
    limit.curve("geometric", line(BLUE), "geometric", 20.0, (3, 3))
    limit.curve("laplace", BOUND, "Laplace", 10.0, (-4, -4))
    limit.curve("gaussian", gaussian, "Gaussian", 2.15, (5, 0))
    votes.log_x("votes n", (1, 4000), [1, 10, 100, 1000])
    votes.log_y("δ at ε = 0", (1e-3, 1), powers(-3, -2, -1, 0))
    votes.curve("geometric", line(BLUE), "geometric", 300.0, (0, 4))
    votes.curve("laplace", BOUND, "Laplace", 700.0, (0, -4))
    votes.curve("gaussian", gaussian, "Gaussian", 300.0, (-4, -4))
