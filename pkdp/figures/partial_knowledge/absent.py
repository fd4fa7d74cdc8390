"""The role of the absent: what a known total gives away, and how absent records hide it."""

import math

import numpy as np
from scipy.special import bdtr, bdtrc

from pkdp.figures._drawing import Blocks, Panels, block, panels, powers, seen
from pkdp.figures._palette import BLUE, BOUND, GREEN, INK, PURPLE, VERMILION, line
from pkdp.partial_knowledge import kanonymity
from pkdp.profiles.binomials import log_binomial_pmf

TITLE = "Absent records hide how many are suppressed"
ALT = (
    "The law of how many of 100 records are shown, if a is always suppressed. With nobody absent "
    "there are two bars of height 1, at 99 for a target at a and at 100 for a target at b: the "
    "total tells. With 5 % absent there are two bell-shaped laws of height 0.18 around 95, one "
    "record apart and nearly on top of each other.",
    "δ at ε = 1 for the pair a, b against the share h of absent records, from 0.0001 to 0.3, both "
    "axes logarithmic, for 100, 1,000 and 10,000 records. The solid curves begin at 0.99, 0.90 and "
    "0.33 and fall ever more steeply, through 0.001 at h = 0.14, 0.013 and 0.0013. A dashed bound "
    "lies to the right of each, by a factor of at most 1.3 in h.",
)

# The value a is so rare that it is never released; b and c have equal parts of the rest.
_RARE, _K = 1e-5, 10
_SHOWN, _SHARE = 100, 0.05  # of the first panel
_SIZES, _EPS = (100, 1000, 10_000), 1.0  # of the second
_SHARES = np.geomspace(1e-4, 0.3, 61)
_LEAST = 1e-8  # what lies below is not drawn


def data() -> Blocks:
    """Yield laws of the number of records shown, and δ against the share of the absent.

    Yields
    ------
    Table
        Columns ``panel`` (``shown``, ``share``), ``series`` (``a``, ``b``: the target's value;
        ``exact``, ``bound``), ``n``, ``x`` (how many records are shown; the share h) and ``y`` (a
        probability; δ at ε = 1). Releases of a, of probability below 1e-19, are left out.
    """
    others = _SHOWN - 1
    shown = np.arange(80, _SHOWN + 1)
    for series, more in (("a", 0), ("b", 1)):
        masses = np.exp(log_binomial_pmf(shown - more, others, 1 - _SHARE))
        x = shown.astype(float)
        yield block(panel="shown", series=series, n=_SHOWN, x=x, y=masses)
    for n in _SIZES:
        for series, delta in (("exact", _delta), ("bound", _bound)):
            y = [delta(n, float(h)) for h in _SHARES]
            yield seen(block(panel="share", series=series, n=n, x=_SHARES, y=y), _LEAST)


def _bound(n: int, absent: float) -> float:
    profile = kanonymity.theorem_5(n, absent, k=_K, pair="rare/common", rare=_RARE)
    return float(profile.delta(_EPS))


def _delta(n: int, absent: float) -> float:
    """δ at ε = 1 for a against b, with the count of c revealed, which tells no more of them.

    Given that m others are not at c, the count of b is what the hidden ones, at a or absent, leave
    of m: and so a against b is one hidden record more or less.
    """
    others, b = n - 1, (1 - absent - _RARE) / 2
    spread = 8 * math.sqrt(others * b * (1 - b)) + 8
    centre = others * (1 - b)
    m = np.arange(max(0, int(centre - spread)), min(others, int(centre + spread)) + 1)
    q, ratio = 1 - b / (1 - b), math.exp(_EPS)
    # Where the excess begins, in either direction: the ratio of successive masses passes E.
    up = np.ceil((ratio * m * q - (1 - q)) / (1 - q + ratio * q)).clip(0)
    down = np.floor((m + 1) * q / (q + ratio * (1 - q)))
    one_more = bdtrc(up - 1, m, q) - ratio * bdtrc(up, m, q)
    below = np.where(down > 0, bdtr(np.maximum(down - 1, 0), m, q), 0.0)
    one_less = bdtr(down, m, q) - ratio * below
    masses = np.exp(log_binomial_pmf(m, others, 1 - b))
    return float(max(masses @ delta for delta in (one_more, one_less)))


def draw(axes: Panels) -> None:
    """Draw the two laws on the first panel, δ against the share on the second."""
    shown, share = panels(axes, "The total tells, or not", "Absent records close the leak")
    shown.x("records shown, of 100", (84, 101), [85, 90, 95, 100])
    shown.y("probability", (0, 1.08))
    for series, colour, at, height, offset in (
        ("a", VERMILION, 99.0, 0.78, (-6, 0)),
        ("b", BLUE, 100.0, 0.93, (-17, 0)),
    ):
        shown.plot([at, at], [0, 1], color=colour, linewidth=2)
        shown.curve(series, line(colour, width=1.2) | {"marker": "o", "markersize": 3})
        shown.note(f"target at ${series}$", (at, height), offset, colour, va="center")
    shown.text(98.4, 0.62, "nobody absent", ha="right")
    shown.text(90.5, 0.22, "5 % absent", ha="right")
    share.log_x("share $h$ of the absent", (1e-4, 0.3), [1e-4, 1e-3, 1e-2, 0.1])
    share.log_y("δ at ε = 1, $a$ against $b$", (1e-6, 2), powers(-6, -4, -2, 0))
    for n, colour, text, at in (
        (100, BLUE, "n = 100", 0.07),
        (1000, PURPLE, "1,000", 0.012),
        (10_000, INK, "10,000", 0.0009),
    ):
        share.curve(share.rows("bound", n=n), BOUND)
        share.curve(share.rows("exact", n=n), line(colour), text, at, (-5, -2))
    share.label(share.rows("bound", n=100), "bound", 0.06, (7, 5), GREEN)
