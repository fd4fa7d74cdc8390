"""How much uncertainty and how much noise make an ε, together and one without the other."""

import functools
import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import BLUE, EXACT, INK, line
from pkdp.partial_knowledge import counting, noise
from pkdp.profiles.profile import PrivacyProfile

TITLE = "How much uncertainty and how much noise make an ε"
ALT = (
    "Level lines of ε = 2, 1, 0.5, 0.2 and 0.1 for δ = 10⁻¹⁰. Across, λ times the number of "
    "unknown records from 1 to 10,000; upwards, the scale of the noise from 0.2 to 20; both "
    "logarithmic. Each line comes from the left at the height 1/ε, turns and falls straight down "
    "at λN = 31, 66, 190, 910 and 3,300. Just outside each is the dotted corner of the double "
    "guarantee.",
    "The level line of ε = 0.2 for three δ, in parts of the number of records and of the scale of "
    "the noise that suffice alone. For δ = 10⁻¹⁰ it runs close to the corner: with 0.88 of the "
    "scale 0.81 of the records are needed, with 0.99 still 0.53. For δ = 10⁻⁴ these are 0.51 and "
    "0.15. For δ = 10⁻² they are 0.16 and 0.02, and the line is nearly straight.",
)
PANEL_SIZE = (3.3, 2.9)

LAM, DELTA, EPS = 0.05, 1e-10, 0.2
LEVELS = (2.0, 1.0, 0.5, 0.2, 0.1)
# The scale of the noise, as a part of what it takes without any uncertainty.
SHARES = (
    *(0.02, 0.15, 0.3, 0.45, 0.57, 0.67, 0.75, 0.82),
    *(0.88, 0.93, 0.965, 0.985, 0.995, 0.9999, 0.999999),
)


def data() -> Blocks:
    """Yield the level lines.

    Yields
    ------
    Table
        Columns ``panel``, ``series`` (``together``, ``alone``), ``eps``, ``delta``, ``x`` and
        ``y``. On the panel ``plane`` x is λ times the number N of unknown records and y the scale
        of the noise, ``1/ln(1/p)``; on ``shares`` they are parts of what it takes alone: of the N
        without noise, and of the scale 1/ε without uncertainty. ``alone`` is the corner where one
        of the two suffices.
    """
    for eps in LEVELS:
        yield from _level("plane", eps, DELTA)
    for delta in (1e-10, 1e-4, 1e-2):
        yield from _level("shares", EPS, delta)


def _level(panel: str, eps: float, delta: float) -> Blocks:
    """Yield the corner of an ε, and its level line."""
    most, alone, needed = _trade(eps, delta)
    width, height = (LAM, most) if panel == "plane" else (1.0 / alone, 1.0)
    named = functools.partial(block, panel=panel, eps=eps, delta=delta)
    corner = width * np.array([0.1, alone, alone]), height * np.array([1.0, 1.0, SHARES[0]])
    # A hair less than the full scale of the noise needs some records, all of it needs none.
    line = width * np.array([*needed, 0.1]), height * np.array([*SHARES, 1.0])
    yield named(series="alone", x=corner[0], y=corner[1])
    yield named(series="together", x=line[0], y=line[1])


@functools.cache
def _trade(eps: float, delta: float) -> tuple[float, float, list[float]]:
    """Return the scale of noise that suffices alone, the N that does, and the N beside noise."""
    # From (1 - p·e^ε)/(1 + p) = δ.
    most = 1.0 / (math.log(math.exp(eps) + delta) - math.log1p(-delta))
    enough = 8.0 * math.log(1.0 / delta) / LAM / min(eps, 1.0) ** 2
    alone = _least(functools.partial(counting.worst_case, lam=LAM), eps, delta, enough)
    needed = [alone]
    for share in SHARES:
        added = noise.Geometric(math.exp(-1.0 / (share * most)))
        noisy = functools.partial(noise.worst_case, lam=LAM, noise=added)
        needed.append(_least(noisy, eps, delta, 1.01 * needed[-1] + 2.0))
    return most, alone, needed[1:]


def _least(
    profile_of: Callable[[int], PrivacyProfile], eps: float, delta: float, most: float
) -> float:
    def excess(unknown: float) -> float:
        return profile_of(1 + round(unknown)).log_delta(eps) - math.log(delta)

    if excess(1.0) <= 0.0:
        return 1.0
    return float(brentq(excess, 1.0, most, rtol=3e-3, xtol=0.3))


def draw(axes: Panels) -> None:
    """Draw the plane with its level lines, and one level for several δ."""
    plane, shares = panels(axes, "What ε takes at δ = 10⁻¹⁰", "The trade at ε = 0.2")
    for panel, key in ((plane, "eps"), (shares, "delta")):
        for value in np.unique(panel.data[key]):
            panel.curve(panel.rows("alone", **{key: value}), line(INK, ":", 0.8))
            panel.curve(panel.rows("together", **{key: value}), EXACT)
    plane.log_x("λN, the uncertainty", (1, 1e4), [1, 10, 100, 1000, 10_000])
    plane.log_y("scale of the noise", (0.2, 20), [0.2, 0.5, 1, 2, 5, 10, 20])
    halves = {0.0: "0", 0.5: "½", 1.0: "1"}
    shares.x("share of the N needed without noise", (0, 1.05), halves)
    shares.y("share of the scale needed with N = 0", (0, 1.05), halves)
    for eps in LEVELS:
        corner = plane.rows("alone", eps=eps)
        end = block(x=corner["x"][:2], y=corner["y"][:2])
        plane.label(end, f"ε = {eps:g}", 1.3, (0, 2), BLUE, ha="left")
    for delta, text, at, offset in (
        (1e-10, "10⁻¹⁰", 0.865, (-8, 3)),
        (1e-4, "10⁻⁴", 0.7, (-5, 0)),
        (1e-2, "δ = 10⁻²", 0.4, (-4, -2)),
    ):
        curve = shares.rows("together", delta=delta)
        rising = block(x=curve["x"][::-1], y=curve["y"][::-1])
        shares.label(rising, text, at, offset, BLUE, va="top")
