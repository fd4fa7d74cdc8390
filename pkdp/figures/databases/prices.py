"""What it costs to learn something about the number of databases that somebody is in."""

import numpy as np
from matplotlib.axes import Axes

from pkdp.databases import hypotheses
from pkdp.figures._drawing import Panels, callout, draw_curve, log_axes, note
from pkdp.figures._palette import BLUE, GREEN, INK, PURPLE, VERMILION, Style
from pkdp.figures._tables import Table, block, select, stack
from pkdp.profiles.laws import binomial_masses

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
CHANCES = (0.5, 0.1)
MOST, PRACTICES, PRODUCTS = 50, 365, 20
RATES = (0.5, 0.1, 0.01)
STRENGTHS = (0.1, 1.0, 3.0)
NUMBERS = (2, 4, 100)

_CLASSIC: Style = {"color": INK, "linestyle": (0, (1, 2.4)), "linewidth": 1.2}
_STYLES: tuple[Style, ...] = (
    {"color": BLUE, "linestyle": "-", "linewidth": 1.9},
    {"color": VERMILION, "linestyle": (0, (5, 1.6)), "linewidth": 1.7},
    {"color": GREEN, "linestyle": (0, (3, 1.2, 1, 1.2)), "linewidth": 1.7},
)
_ONE: Style = {"color": PURPLE, "linestyle": (0, (2, 1)), "linewidth": 1.5}


def data() -> Table:
    """Return the exact ε of hypotheses, δ being 0 throughout.

    Returns
    -------
    Table
        Columns ``panel`` (``k``, ``m``, ``chance``, ``strength``), ``series`` (``classic``, ``one``
        for exactly one database, ``some`` for at least one, ``many`` for at least m against fewer),
        ``of`` (the probability of each database, ε or k, by which the curves of a panel differ),
        ``x`` (k, m, a probability, or ε) and ``y`` (ε, or its part of kε on the last panel).
    """
    return stack(*_by_number(), *_by_least(), *_by_chance(), *_by_strength())


def _some(k: int, chance: float, eps: float) -> float:
    """Return the exact ε of "at least one of k, each so likely" against none."""
    return hypotheses.product_against_none([chance] * k, [eps] * k, not_none=True).up


def _by_number() -> list[Table]:
    ends = np.array([1.0, MOST])  # of straight lines
    blocks = [
        block(panel="k", series="classic", of=1.0, x=ends, y=EPS * ends),
        block(panel="k", series="one", of=0.0, x=ends, y=np.full(2, EPS)),
    ]
    ks = np.concatenate([np.arange(1.0, 12.0), np.arange(14.0, MOST + 1.0, 4.0)])
    for chance in CHANCES:
        y = np.array([_some(int(k), chance, EPS) for k in ks])
        blocks.append(block(panel="k", series="some", of=chance, x=ks, y=y))
    return blocks


def _by_least() -> list[Table]:
    blocks = []
    for rate in RATES:
        law = binomial_masses(PRACTICES, rate)
        around = PRACTICES * rate + np.arange(-8, 9)  # where the curve turns
        ms = np.concatenate([np.geomspace(1, PRACTICES, 30), around[around >= 1.0]])
        ms = np.unique(np.round(ms)).astype(int)
        ms = ms[law[ms] > 1e-250]  # a float holds no number that is less likely
        y = []
        for m in ms.tolist():
            many, few = hypotheses.given_number(law, m), hypotheses.given_number(law, 0, m - 1)
            y.append(max(hypotheses.ordered(many, few, EPS)))
        blocks.append(block(panel="m", series="many", of=rate, x=ms.astype(float), y=np.array(y)))
    return blocks


def _by_chance() -> list[Table]:
    chances = np.concatenate([[1e-6, 0.01], [0.025], np.arange(0.05, 1.0, 0.05), [0.99, 1.0]])
    blocks = []
    for eps in STRENGTHS:
        y = np.array([_some(PRODUCTS, float(chance), eps) for chance in chances])
        part = y / (PRODUCTS * eps)
        blocks.append(block(panel="chance", series="some", of=eps, x=chances, y=part))
    return blocks


def _by_strength() -> list[Table]:
    strengths = np.geomspace(0.01, 10.0, 25)
    blocks = []
    for k in NUMBERS:
        part = np.array([_some(k, 0.5, float(eps)) / (k * eps) for eps in strengths])
        blocks.append(block(panel="strength", series="some", of=float(k), x=strengths, y=part))
    return blocks


def draw(axes: Panels, data: Table) -> None:
    """Draw ε by the number of databases, by m, by the prior, and by the mechanisms."""
    for panel, name, draw_one in zip(
        axes,
        ("k", "m", "chance", "strength"),
        (_draw_number, _draw_least, _draw_chance, _draw_strength),
        strict=True,
    ):
        draw_one(panel, select(data, panel=name))


def _draw_number(panel: Axes, data: Table) -> None:
    panel.set(
        title="At least one, against none",
        xlabel="databases k",
        ylabel=f"exact ε, of k times {EPS:g}",
        xlim=(0, MOST),
        ylim=(0, 5.2),
    )
    panel.set_xticks([0, 25, 50])
    panel.set_yticks([0, 2.5, 5])
    draw_curve(panel, select(data, series="classic"), _CLASSIC, "in all or none", 30, (-5, 2))
    draw_curve(panel, select(data, series="one"), _ONE)
    callout(panel, "in exactly one", (34, EPS), (31, 1.1), _ONE["color"])
    texts, places = ("each with ½", "with 0.1"), ((34, (4, -4)), (22, (0, 4)))
    for chance, text, style, (at, offset) in zip(CHANCES, texts, _STYLES, places, strict=False):
        draw_curve(panel, select(data, series="some", of=chance), style, text, at, offset)


def _draw_least(panel: Axes, data: Table) -> None:
    log_axes(panel, x=(1, PRACTICES), y=(0.1, 80))
    panel.set(
        title=f"At least m of {PRACTICES}, against fewer",
        xlabel="m",
        ylabel=f"exact ε, each {EPS:g}",
    )
    panel.set_xticks([1, 10, 100], ["1", "10", "100"])
    panel.set_yticks([0.1, 1, 10], ["0.1", "1", "10"])
    panel.axhline(PRACTICES * EPS, **_CLASSIC)
    note(panel, "in all or none", (1.2, PRACTICES * EPS), (0, 3), ha="left")
    texts, places = ("each with ½", "with 0.1", "with 0.01"), (3, 3, 3)
    for rate, text, style, at in zip(RATES, texts, _STYLES, places, strict=True):
        offset = (0, 4) if rate == 0.1 else (0, -5)
        draw_curve(panel, select(data, of=rate), style, text, at, offset)


def _draw_chance(panel: Axes, data: Table) -> None:
    panel.set(
        title=f"At least one of {PRODUCTS}: the prior",
        xlabel="probability of each database",
        ylabel="part of kε",
        xlim=(0, 1),
        ylim=(0, 1.05),
    )
    panel.set_xticks([0, 0.5, 1], ["0", "½", "1"])
    panel.set_yticks([0, 0.5, 1], ["0", "½", "1"])
    for eps, style, at in zip(STRENGTHS, _STYLES, (0.6, 0.4, 0.25), strict=True):
        offset = (4, -4) if eps < 1 else (-4, 3)
        draw_curve(
            panel, select(data, of=eps), style, "ε = 3" if eps == 3.0 else f"{eps:g}", at, offset
        )


def _draw_strength(panel: Axes, data: Table) -> None:
    log_axes(panel, x=(0.01, 10))
    panel.set(
        title="Fair memberships: the mechanisms",
        xlabel="ε of each mechanism",
        ylabel="part of kε",
        ylim=(0.4, 1.02),
    )
    panel.set_xticks([0.01, 0.1, 1, 10], ["0.01", "0.1", "1", "10"])
    panel.set_yticks([0.5, 0.75, 1], ["½", "¾", "1"])
    for k, style, at in zip(NUMBERS, _STYLES, (0.03, 0.03, 0.3), strict=True):
        offset = (0, -9) if k == max(NUMBERS) else (0, 4)
        draw_curve(panel, select(data, of=float(k)), style, f"k = {k}", at, offset)
