"""What a count that is released every day costs, and what its dependence on yesterday's costs."""

from itertools import permutations, product

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from pkdp.figures._drawing import Blocks, Panels, curves, panels
from pkdp.figures._palette import BOUND, EXACT, INK, PRINTED, PURPLE, line
from pkdp.partial_knowledge import counting, daily_profiles
from pkdp.profiles.binomials import binomial_masses
from pkdp.profiles.logarithms import FloatArray

TITLE = "A count released every day"
ALT = (
    "ε at δ = 0.001, on a logarithmic axis, over 1 to 10 days, for forty others. Theorem 6 with 4c "
    "a day rises from 0.82 to 25. With a µ that spares rare outputs it reaches 17. The exact ε of "
    "series that keep changing rises to 4.7, that of constant series to 2.2, both beside their "
    "Gaussian limits; if a single day differs it is 0.92 from the third day on.",
    "µ over the number of others from 2 to 200, both on logarithmic axes. The greatest dependency "
    "starts at 0.92, above 2c = 0.81, and rises to 1.38, below 4c = 1.62. The µ that is exceeded "
    "with ν = 10⁻⁶ only is the same up to 5 others, and falls from 7 on: to 0.32 at 200.",
)

# Fair bits, kept from one day to the next with probability 2/3: c = ln 1.5.
CHAIN = daily_profiles.MarkovChain.stationary(0.5, 1 / 3)
OTHERS, DELTA, RARE = 40, 1e-3, 1e-6
DAYS = (1, 2, 3, 4, 6, 8, 10)
CROWDS = (2, 3, 4, 5, 7, 10, 14, 20, 30, 50, 70, 100, 140, 200)
SERIES = ("keep changing", "constant", "one day")


def dependencies(
    others: int, chain: daily_profiles.MarkovChain
) -> list[tuple[FloatArray, FloatArray]]:
    """Return the law of today's dependency on yesterday, for secrets that differ on both days.

    Parameters
    ----------
    others : int
        How many others there are, in 1…200, all with the law of `chain`.
    chain : MarkovChain
        Stationary.

    Returns
    -------
    list of (ndarray, ndarray)
        For each of the four values of the target on both days, against the opposite one: the
        masses of the outputs at which no loss is infinite, and their dependencies. (At all others
        the dependency is 0, in the repaired convention.)
    """
    joint = _two_days(others, chain)
    log_ratio = np.log(joint) - np.log(joint.sum(1))[:, None] - np.log(joint.sum(0))
    days = product(permutations((slice(1, None), slice(None, -1))), repeat=2)
    return [
        (joint[here].ravel(), (log_ratio[here] - log_ratio[there]).ravel())
        for here, there in (zip(*day, strict=True) for day in days)
    ]


def price(others: int, chain: daily_profiles.MarkovChain, nu: float) -> float:
    """Return the least µ for which today's count is (µ, ν)-dependent on yesterday's.

    Parameters
    ----------
    others, chain
        As in `dependencies`.
    nu : float
        In [0, 1).

    Returns
    -------
    float
    """
    return max(_least(*law, nu) for law in dependencies(others, chain))


def _two_days(others: int, chain: daily_profiles.MarkovChain) -> FloatArray:
    """Return the joint law of the others' counts of two days."""
    rows, first = [], binomial_masses(others, chain.start)
    for x in range(others + 1):
        stay = binomial_masses(x, chain.stay)
        rise = binomial_masses(others - x, chain.rise)
        rows.append(first[x] * np.convolve(stay, rise))
    return np.array(rows)


def _least(masses: FloatArray, dependency: FloatArray, nu: float) -> float:
    def excess(mu: float) -> float:
        return float(masses @ -np.expm1(np.minimum(0.0, mu - dependency))) - nu

    most = float(dependency.max())
    if nu == 0.0 or most <= 0.0:
        return max(0.0, most)
    return 0.0 if excess(0.0) <= 0.0 else float(brentq(excess, 0.0, most, xtol=1e-9))


def secrets(series: str, days: int) -> tuple[list[int], list[int]]:
    """Return the two series of the target: each one of `SERIES`, or a day where it is the only."""
    never = [0] * days
    if series == "keep changing":
        return [j % 2 for j in range(days)], [1 - j % 2 for j in range(days)]
    if series == "constant":
        return [1] * days, never
    return [int(j == min(1, days - 1)) for j in range(days)], never


def data() -> Blocks:
    """Yield the curves of both panels.

    Yields
    ------
    Table
        Columns ``panel`` (``days``, ``price``), ``series``, ``x`` and ``y``. The first has ε over
        days: ``theorem 6`` with 4c a day, ``rare outputs`` with half of δ spent on ν, and the
        exact upper end and the Gaussian limit (``…, limit``) of each of `SERIES`. The second has µ
        over the number of others: ``greatest``, ``rare`` (at ν = `RARE`), ``4c`` and ``2c``.
    """
    one_day = counting.exact([CHAIN.start], multiplicities=[OTHERS])
    bound, rare = [], []
    for days in DAYS:
        kept = days - 1
        half = DELTA / 2 if kept else DELTA
        bound.append(days * one_day.epsilon(DELTA / days) + 4 * CHAIN.c * kept)
        mu = price(OTHERS, CHAIN, half / kept) if kept else 0.0
        rare.append(days * one_day.epsilon(half / days) + mu * kept)
    over_days: dict[str, list[float]] = {"theorem 6": bound, "rare outputs": rare}
    for series in SERIES:
        pairs = [secrets(series, days) for days in DAYS]
        exact = [daily_profiles.bracket(OTHERS + 1, CHAIN, a=a, b=b).upper for a, b in pairs]
        limit = [daily_profiles.gaussian_limit(OTHERS + 1, CHAIN, a=a, b=b) for a, b in pairs]
        for name, profiles in ((series, exact), (f"{series}, limit", limit)):
            over_days[name] = [profile.epsilon(DELTA) for profile in profiles]
    over_crowds: dict[str, ArrayLike] = {
        "greatest": [price(n, CHAIN, 0.0) for n in CROWDS],
        "rare": [price(n, CHAIN, RARE) for n in CROWDS],
        "4c": 4 * CHAIN.c,
        "2c": 2 * CHAIN.c,
    }
    yield curves(np.array(DAYS, float), over_days, panel="days")
    yield curves(np.array(CROWDS, float), over_crowds, panel="price")


def draw(axes: Panels) -> None:
    """Draw ε over days on the first panel and µ over the number of others on the second."""
    days, price = panels(axes, "Forty others, δ = 0.001", "What dependence costs a day")
    days.x("days", (0.7, 10.3), [1, 2, 4, 6, 8, 10])
    days.log_y("ε", (0.4, 40), [0.5, 1, 2, 5, 10, 20])
    days.curve("theorem 6", BOUND, "Theorem 6,\n4c a day", 5, (-4, 5))
    days.curve("rare outputs", BOUND, "rare outputs spared", 5, (4, -4))
    for series, text in zip(SERIES, ("keep changing", "constant", "one day differs"), strict=True):
        days.curve(series, EXACT, text, 7.5, (0, -5))
        days.curve(f"{series}, limit", line(INK, (0, (1, 1.5)), 1))
    price.log_x("others", (1.8, 220), [2, 5, 10, 20, 50, 100, 200])
    price.log_y("µ", (0.2, 2.4), [0.2, 0.5, 1, 2])
    price.curve("4c", BOUND, "4c", 2.6, (0, 3))
    price.curve("2c", PRINTED, "2c, as printed", 4.2, (0, -4))
    price.curve("rare", line(PURPLE, width=1.3), "ν = 10⁻⁶", 60, (-5, -3))
    price.curve("greatest", EXACT, "greatest", 14, (6, -4))
