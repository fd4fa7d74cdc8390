"""A year of daily counts: what ε has become, by every account."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from pkdp.figures._drawing import BLUE, BOUND, EXACT, GREEN, INK, PURPLE, VERMILION, label_line
from pkdp.figures._tables import Table, block, select, stack
from pkdp.partial_knowledge import counting, daily_counts, daily_profiles
from pkdp.profiles import accounting, privacy_loss
from pkdp.profiles.profile import PrivacyProfile

NAME = "releases"
TITLE = "A year of daily counts: ε by every account"
# What the curves end at; the texts below say so.
YEAR = {
    "independent": {"simple": "67", "advanced": "38", "optimal": "28", "exact": "3.4"},
    "chain": {"theorem 6": "392", "alternating": "4.4", "constant": "2.8", "exact": "3.4"},
}
ALT = (
    "ε at δ = 10⁻¹⁰ against the number of days from 1 to 365, both axes logarithmic, for counts "
    "among 5,000 users whose days are independent. Simple composition is nearly a straight line "
    "from 0.16 to 67. Advanced composition begins at 1.1, crosses it in the third month and ends "
    "at 38. Optimal composition of the same parameters leaves the simple line after a month and "
    "ends at 28. The exact profile of all days rises from 0.16 to 3.4, nearly with the square root "
    "of their number.",
    "The same for days that form a Markov chain of correlation 0.2. Theorem 6 rises from 0.16 to "
    "392. What is certified from the moments of the exact loss ends at 4.4 for secrets that "
    "alternate and at 2.8 for constant ones; the curve for independent days lies between, at 3.4.",
)
COLUMNS = 2
PANEL_SIZE = (3.3, 2.9)

USERS, DELTA, CORRELATION = 5_000, 1e-10, 0.2
DAYS = (1, 2, 4, 7, 14, 30, 60, 91, 182, 365)
CHAINED = (1, 7, 60, 365)


@functools.cache
def data() -> Table:
    """Return ε at δ = 10⁻¹⁰ against the number of daily counts.

    Returns
    -------
    Table
        Columns ``panel`` (``independent``, ``chain``), ``series`` (``simple``, ``advanced``,
        ``optimal``, ``exact``; ``theorem 6``, ``alternating``, ``constant``, ``exact``), ``x``
        (days) and ``y`` (ε).
    """
    curves: dict[tuple[str, str], tuple[Sequence[int], Callable[[int], float]]] = {
        ("independent", "simple"): (DAYS, _simple),
        ("independent", "advanced"): (DAYS, _from_parameters(accounting.advanced)),
        ("independent", "optimal"): (DAYS, _from_parameters(accounting.optimal)),
        ("independent", "exact"): (DAYS, _exact),
        ("chain", "theorem 6"): (DAYS, _theorem_6),
        ("chain", "alternating"): (CHAINED, lambda days: _chained(days, 2)),
        ("chain", "constant"): (CHAINED, lambda days: _chained(days, 1)),
        ("chain", "exact"): (DAYS, _exact),
    }
    return stack(
        *(
            block(panel=panel, series=series, x=np.array(days, float), y=[eps(k) for k in days])
            for (panel, series), (days, eps) in curves.items()
        )
    )


@functools.cache
def _day() -> PrivacyProfile:
    return counting.exact([0.5], [USERS - 1])


@functools.cache
def _simple(days: int) -> float:
    return accounting.simple(_day(), days).epsilon(DELTA)


@functools.cache
def _day_epsilon(own: float) -> float:
    return _day().epsilon(own)


def _from_parameters(theorem: Callable[..., Any]) -> Callable[[int], float]:
    """Return the ε of a theorem, of which half of δ is spent on the days' own."""

    def eps(days: int) -> float:
        own = DELTA / (2 * days)
        each = _day_epsilon(own)
        return float(theorem(each, own, days).epsilon(DELTA))

    return eps


@functools.cache
def _exact(days: int) -> float:
    """Return the upper bound by the law of the loss; with fair bits one direction is enough."""
    pair = counting.pair([0.5], [USERS - 1])
    step = 2.0 * (days / USERS) ** 0.5 / 500.0
    return privacy_loss.compose([(privacy_loss.of_pair(pair, step), days)]).epsilon(DELTA)


def _theorem_6(days: int) -> float:
    chain = daily_profiles.MarkovChain.stationary(0.5, CORRELATION)
    return _simple(days) + daily_counts.growth_bound(chain.c, (1,) * days, (0,) * days)


def _chained(days: int, period: int) -> float:
    chain = daily_profiles.MarkovChain.stationary(0.5, CORRELATION)
    a = [1 - day % period for day in range(days)]
    return daily_profiles.moment_bound(USERS, chain, a, [1 - x for x in a]).epsilon(DELTA)


def draw(axes: Sequence[Axes], data: Table) -> None:
    """Draw independent days on the first panel, chained ones on the second."""
    styles: dict[str, dict[str, Any]] = {
        "simple": {"color": INK, "linewidth": 1.3},
        "theorem 6": {"color": INK, "linewidth": 1.3},
        "advanced": {"color": VERMILION, "linestyle": (0, (1.2, 1.4)), "linewidth": 1.9},
        "optimal": BOUND,
        "exact": EXACT,
        "alternating": {"color": PURPLE, "linestyle": (0, (7, 1.2, 1.2, 1.2)), "linewidth": 1.6},
        "constant": BOUND,
    }
    titles = ("Independent days", "Days with correlation 0.2")
    for panel, name, title in zip(axes, ("independent", "chain"), titles, strict=True):
        rows = select(data, panel=name)
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_xlim(1, 365)
        panel.set_ylim(0.07, 1000)
        panel.set_xticks([1, 7, 30, 91, 365], ["1", "7", "30", "91", "365"])
        panel.set_yticks([0.1, 1, 10, 100, 1000], ["0.1", "1", "10", "100", "1000"])
        panel.minorticks_off()
        panel.set_xlabel("days")
        panel.set_ylabel("ε at δ = 10⁻¹⁰")
        panel.set_title(title)
        for series in dict.fromkeys(rows["series"].tolist()):
            curve = select(rows, series=series)
            panel.plot(curve["x"], curve["y"], **styles[series])
    _label(axes[0], data, "independent", "simple", "simple", 110, (-4, 6), INK, "right")
    _label(axes[0], data, "independent", "advanced", "advanced", 3, (0, 5), VERMILION, "center")
    _label(axes[0], data, "independent", "optimal", "optimal", 60, (6, -12), GREEN, "left")
    _label(axes[0], data, "independent", "exact", "exact", 60, (2, -14), BLUE, "left")
    _label(axes[1], data, "chain", "theorem 6", "Theorem 6", 20, (-6, 4), INK, "right")
    _label(
        axes[1], data, "chain", "alternating", "alternating secrets", 150, (0, 7), PURPLE, "right"
    )
    _label(axes[1], data, "chain", "constant", "constant secrets", 360, (0, -32), GREEN, "right")
    _label(axes[1], data, "chain", "exact", "(independent)", 5, (-2, -22), BLUE, "left")


def _label(
    panel: Axes,
    data: Table,
    name: str,
    series: str,
    text: str,
    at: float,
    offset: tuple[float, float],
    color: str,
    ha: str,
) -> None:
    curve = select(data, panel=name, series=series)
    label_line(panel, curve, text, at=at, offset=offset, color=color, ha=ha)
