"""A year of daily counts: what ε has become, by every account."""

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, curves, panels
from pkdp.figures._palette import BOUND, EXACT, INK, PRINTED, PURPLE, line
from pkdp.partial_knowledge import counting, daily_counts, daily_profiles
from pkdp.profiles import accounting, privacy_loss
from pkdp.profiles.profile import PrivacyProfile

TITLE = "A year of daily counts: ε by every account"
ALT = (
    "ε at δ = 10⁻¹⁰ against the number of days from 1 to 365, both axes logarithmic, for counts "
    "among 5,000 users whose days are independent. Simple composition is nearly a straight line "
    "from 0.16 to 67. Advanced composition begins at 1.1, crosses it in the third month and ends "
    "at 38. Optimal composition of the same parameters leaves the simple line after a month and "
    "ends at 28. The exact profile of all days rises from 0.16 to 3.4, nearly with the square root "
    "of their number.",
    "The same for days that form a Markov chain of correlation 0.2. Theorem 6 rises from 0.16 to "
    "392. What is bounded by the moments of the exact loss ends at 4.4 for secrets that "
    "alternate and at 2.8 for constant ones; the curve for independent days lies between, at 3.4.",
)
PANEL_SIZE = (3.3, 2.9)

USERS, DELTA = 5_000, 1e-10
CHAIN = daily_profiles.MarkovChain.stationary(0.5, 0.2)
DAYS = (1, 2, 4, 7, 14, 30, 60, 91, 182, 365)
CHAINED = (1, 7, 60, 365)


def data() -> Blocks:
    """Yield ε at δ = 10⁻¹⁰ against the number of daily counts.

    Yields
    ------
    Table
        Columns ``panel`` (``independent``, ``chain``), ``series`` (``simple``, ``advanced``,
        ``optimal``, ``exact``; ``theorem 6``, ``alternating``, ``constant``, ``exact``), ``x``
        (days) and ``y`` (ε).
    """
    day = counting.exact([0.5], multiplicities=[USERS - 1])
    simple = [accounting.simple(day, days).epsilon(DELTA) for days in DAYS]
    # With fair bits one direction of the loss is enough.
    exact = [_composed(days).epsilon(DELTA) for days in DAYS]
    # Of the next two theorems, half of δ is spent on the days' own.
    halves = [DELTA / (2 * days) for days in DAYS]
    spent = [((day.epsilon(own), own), days) for own, days in zip(halves, DAYS, strict=True)]
    growth = [daily_counts.growth_bound(CHAIN.c, a=(1,) * days, b=(0,) * days) for days in DAYS]
    independent = {
        "simple": simple,
        "advanced": [accounting.advanced(*one, times=days).epsilon(DELTA) for one, days in spent],
        "optimal": [accounting.optimal(*one, times=days).epsilon(DELTA) for one, days in spent],
        "exact": exact,
    }
    chained = {
        "alternating": [_chained(days, 2) for days in CHAINED],
        "constant": [_chained(days, 1) for days in CHAINED],
    }
    theorem = {"theorem 6": [one + more for one, more in zip(simple, growth, strict=True)]}
    yield curves(np.array(DAYS, float), independent, panel="independent")
    yield curves(np.array(DAYS, float), theorem, panel="chain")
    yield curves(np.array(CHAINED, float), chained, panel="chain")
    yield curves(np.array(DAYS, float), {"exact": exact}, panel="chain")


def _composed(days: int) -> PrivacyProfile:
    pair = counting.pair([0.5], multiplicities=[USERS - 1])
    step = 2.0 * (days / USERS) ** 0.5 / 500.0
    return privacy_loss.compose([(privacy_loss.of_pair(pair, step), days)])


def _chained(days: int, period: int) -> float:
    a = [1 - day % period for day in range(days)]
    return daily_profiles.moment_bound(USERS, CHAIN, a=a, b=[1 - x for x in a]).epsilon(DELTA)


def draw(axes: Panels) -> None:
    """Draw independent days on the first panel, chained ones on the second."""
    days, chain = panels(axes, "Independent days", "Days with correlation 0.2")
    for panel in axes:
        panel.log_x("days", (1, 365), [1, 7, 30, 91, 365])
        heights = {height: str(height) for height in (0.1, 1, 10, 100, 1000)}
        panel.log_y("ε at δ = 10⁻¹⁰", (0.07, 1000), heights)
    thin, mixed = line(INK, width=1.3), line(PURPLE, (0, (7, 1.2, 1.2, 1.2)), 1.6)
    for panel, series, style, text, at, offset, ha in (
        (days, "simple", thin, "simple", 110, (-4, 6), "right"),
        (days, "advanced", PRINTED, "advanced", 3, (0, 5), "center"),
        (days, "optimal", BOUND, "optimal", 60, (6, -12), "left"),
        (days, "exact", EXACT, "exact", 60, (2, -14), "left"),
        (chain, "theorem 6", thin, "Theorem 6", 20, (-6, 4), "right"),
        (chain, "alternating", mixed, "alternating secrets", 150, (0, 7), "right"),
        (chain, "constant", BOUND, "constant secrets", 360, (0, -32), "right"),
        (chain, "exact", EXACT, "(independent)", 5, (-2, -22), "left"),
    ):
        panel.curve(series, style, text, at, offset, ha=ha, va="bottom")
