"""What it costs to learn something about the number of databases that somebody is in."""

import numpy as np

from pkdp.databases import hypotheses
from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import BLUE, DASHED, GREEN, INK, PURPLE, SPARSE, VERMILION, line
from pkdp.profiles.binomials import binomial_masses

TITLE = "What two hypotheses cost, by what they are"
ALT = (
    "Exact ε against the number of databases k, 1 to 50, of mechanisms of ε = 0.1, for being in at "
    "least one database against none. In all or none: 0.1·k, a line up to 5. Each with probability "
    "½: nearly half of it, 0.51 at k = 10 and 2.56 at 50. Each with 0.1: 0.16 at 10 and 0.53 at "
    "50. In exactly one: 0.1 throughout.",
    "Exact ε against m, 1 to 365, both logarithmic, for being in at least m of 365 databases "
    "against fewer, of mechanisms of ε = 0.1. A dotted line at 36.5 is for all or none. Each with "
    "½: 18.7 at m = 1, a dip to 1.6 at 182, 18.7 again at 365. Each with 0.1: 3.8 at m = 1, a dip "
    "to 0.94 at 38, then up to 26 at 299. Each with 0.01: 0.39 at m = 1, 0.31 at 4, then up to 16 "
    "at 164.",
    "The exact ε of at least one of 20 databases against none, as a part of 20·ε, against the "
    "probability of each database, 0 to 1. All three curves rise from 0.05 to 1. For ε = 0.1 "
    "nearly along a straight line, 0.12 at 0.1 and 0.51 at ½; for ε = 1 above it, 0.17 and 0.62; "
    "for ε = 3 far above it, 0.36 and 0.79.",
    "The same part of k·ε, each database having probability ½, against ε from 0.01 to 10, "
    "logarithmic. For k = 2 it rises from 0.67 through 0.73 at ε = 1 to 0.95; for k = 4 from 0.53 "
    "through 0.64 to 0.93; for k = 100 from 0.50 through 0.62 to 0.93.",
)
PANEL_SIZE = (3.3, 2.7)

EPS = 0.1
MOST, PRACTICES, PRODUCTS = 50, 365, 20

_CLASSIC = line(INK, SPARSE, 1.2)
# Of the first, second and third curve of a kind.
_FIRST, _SECOND = line(BLUE), line(VERMILION, DASHED, 1.7)
_THIRD = line(GREEN, (0, (3, 1.2, 1, 1.2)), 1.7)


def data() -> Blocks:
    """Yield the exact ε of hypotheses, δ being 0 throughout.

    Yields
    ------
    Table
        Columns ``panel`` (``k``, ``m``, ``chance``, ``strength``), ``series`` (``classic``, ``one``
        for exactly one database, ``some`` for at least one, ``many`` for at least m against fewer),
        ``of`` (the probability of each database, ε or k, by which the curves of a panel differ),
        ``x`` (k, m, a probability, or ε) and ``y`` (ε, or its part of kε on the last panel).
    """
    ends = np.array([1.0, MOST])  # of straight lines
    yield block(panel="k", series="classic", of=1.0, x=ends, y=EPS * ends)
    yield block(panel="k", series="one", of=0.0, x=ends, y=EPS)
    ks = np.concatenate([np.arange(1.0, 12.0), np.arange(14.0, MOST + 1.0, 4.0)])
    for chance in (0.5, 0.1):
        y = [_some(int(k), chance, EPS) for k in ks]
        yield block(panel="k", series="some", of=chance, x=ks, y=y)
    for rate in (0.5, 0.1, 0.01):
        law = binomial_masses(PRACTICES, rate)
        around = PRACTICES * rate + np.arange(-8, 9)  # where the curve turns
        ms = np.concatenate([np.geomspace(1, PRACTICES, 30), around[around >= 1.0]])
        ms = np.unique(np.round(ms)).astype(int)
        ms = ms[law[ms] > 1e-250]  # a float holds no number that is less likely
        y = []
        for m in ms.tolist():
            many, few = hypotheses.given_number(law, m), hypotheses.given_number(law, 0, m - 1)
            y.append(max(hypotheses.ordered(many, few, EPS)))
        yield block(panel="m", series="many", of=rate, x=ms.astype(float), y=y)
    chances = np.concatenate([[1e-6, 0.01], [0.025], np.arange(0.05, 1.0, 0.05), [0.99, 1.0]])
    for eps in (0.1, 1.0, 3.0):
        part = [_some(PRODUCTS, chance, eps) / (PRODUCTS * eps) for chance in chances.tolist()]
        yield block(panel="chance", series="some", of=eps, x=chances, y=part)
    strengths = np.geomspace(0.01, 10.0, 25)
    for k in (2, 4, 100):
        part = [_some(k, 0.5, eps) / (k * eps) for eps in strengths.tolist()]
        yield block(panel="strength", series="some", of=float(k), x=strengths, y=part)


def _some(k: int, chance: float, eps: float) -> float:
    """Return the exact ε of "at least one of k, each so likely" against none."""
    number = hypotheses.given_number(binomial_masses(k, chance), least=1)
    return hypotheses.number_against_none(number, eps).up


def draw(axes: Panels) -> None:
    """Draw ε by the number of databases, by m, by the prior, and by the mechanisms."""
    number, least, chance, strength = panels(
        axes,
        "At least one, against none",
        f"At least m of {PRACTICES}, or fewer",
        f"At least one of {PRODUCTS}: the prior",
        "Fair memberships: the mechanisms",
    )
    number.x("databases k", (0, MOST), [0, 25, 50])
    number.y(f"exact ε, if each ε = {EPS:g}", (0, 5.2), [0, 2.5, 5], digits=1)
    number.curve("classic", _CLASSIC, "in all or none", 30, (-5, 2))
    number.curve("one", line(PURPLE, (0, (2, 1)), 1.5))
    number.callout("in exactly one", (34, EPS), (31, 1.1), PURPLE)
    number.curve(number.rows("some", of=0.5), _FIRST, "each with ½", 34, (4, -4))
    number.curve(number.rows("some", of=0.1), _SECOND, "with 0.1", 22, (0, 4))

    least.log_x("m", (1, PRACTICES), [1, 10, 100])
    least.log_y(f"exact ε, if each ε = {EPS:g}", (0.1, 80), [0.1, 1, 10])
    least.axhline(PRACTICES * EPS, **_CLASSIC)
    least.note("in all or none", (1.2, PRACTICES * EPS), (0, 3), ha="left")
    least.curve(least.rows(of=0.5), _FIRST, "each with ½", 3, (0, -5))
    least.curve(least.rows(of=0.1), _SECOND, "with 0.1", 3)
    least.curve(least.rows(of=0.01), _THIRD, "with 0.01", 3, (0, -5))

    halves = {0: "0", 0.5: "½", 1: "1"}
    chance.x("probability of each database", (0, 1), halves)
    chance.y("exact ε / kε", (0, 1.05), halves)
    chance.curve(chance.rows(of=0.1), _FIRST, "0.1", 0.6, (4, -4))
    chance.curve(chance.rows(of=1.0), _SECOND, "1", 0.4, (-4, 3))
    chance.curve(chance.rows(of=3.0), _THIRD, "ε = 3", 0.25, (-4, 3))

    strength.log_x("ε of each mechanism", (0.01, 10), [0.01, 0.1, 1, 10])
    strength.y("exact ε / kε", (0.4, 1.02), {0.5: "½", 0.75: "¾", 1: "1"})
    strength.curve(strength.rows(of=2.0), _FIRST, "k = 2", 0.03)
    strength.curve(strength.rows(of=4.0), _SECOND, "k = 4", 0.03)
    strength.curve(strength.rows(of=100.0), _THIRD, "k = 100", 0.3, (0, -9))
