"""What is known of a sum of records 0…5: exactly, from its coins, and by normal approximation."""

import math

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from pkdp.figures._drawing import Panels, callout, draw_curve, log_axes, note, power_ticks
from pkdp.figures._palette import BLUE, GREEN, INK, PURPLE, VERMILION, Style
from pkdp.figures._tables import Table, block, select, stack
from pkdp.noiseless import coins, normal_bounds, sums
from pkdp.profiles.profile import PrivacyProfile

TITLE = "A sum of records 0 to 5: the truth, and what normal approximation guarantees"
ALT = (
    "δ at ε = 0.1 against n from a hundred to a hundred million, both axes logarithmic. The "
    "exact curve falls from 0.077 at n = 100 through 0.007 at 1,000 and 2.5e-6 at 10,000 to "
    "10⁻¹² at 32,000; a thin Gaussian curve cannot be told from it. The coin bound falls like "
    "it, from 0.099 through 2.1e-5 at 10,000. The bounds by normal approximation are nearly "
    "straight: Berry and Esseen with 0.56 from 0.23 to 1.4e-4 at a hundred million, with 1.12 "
    "twice as high; Stein's method leaves 1 up to some 400 records and 0.041 for a hundred "
    "million, or 0.16 if D = 5.",
    "ε at δ = 10⁻⁶ against n from a hundred to a hundred million, both axes logarithmic. The "
    "exact curve falls from 1.31 through 0.107 at 10,000 and 0.0089 at a million to 6.8e-4 at a "
    "hundred million; the coin bound lies a fifth above it from 10,000 on. The dotted line of "
    "the leading constant starts a fifth above the exact curve and ends above it by a factor of "
    "2.3. Bounds by normal approximation are not in the picture: they say nothing below n = "
    "2·10¹².",
)
PANEL_SIZE = (3.35, 3.2)

RECORD = dict.fromkeys(range(6), 1 / 6)
STEP = 5
EPS, DELTA = 0.1, 1e-6
SIZES = np.unique(np.geomspace(100, 1e8, 49).round().astype(np.int64))
FEW = SIZES[::6]
# Below this δ nothing is drawn.
_LEAST = 1e-15

_STYLES: dict[str, Style] = {
    "exact": {"color": BLUE, "linestyle": "-", "linewidth": 2.2},
    "Gaussian": {"color": INK, "linestyle": (0, (1, 2.4)), "linewidth": 1.2},
    "coins": {"color": GREEN, "linestyle": (0, (5, 1.6)), "linewidth": 1.6},
    "0.56": {"color": VERMILION, "linestyle": "-", "linewidth": 1.4},
    "1.12": {"color": VERMILION, "linestyle": (0, (1.2, 1.4)), "linewidth": 1.6},
    "Stein": {"color": PURPLE, "linestyle": "-", "linewidth": 1.4},
    "Stein, 5": {"color": PURPLE, "linestyle": (0, (4, 1.5, 1, 1.5)), "linewidth": 1.4},
    "constant": {"color": INK, "linestyle": (0, (1, 2.4)), "linewidth": 1.2},
}


def profiles(n: int) -> dict[str, PrivacyProfile]:
    """Return all profiles of n records, of which one is the target's."""
    others = [(RECORD, n - 1)]
    m = normal_bounds.moments(others)
    distance = normal_bounds.BERRY_ESSEEN * m.third / m.variance**1.5
    return {
        "exact": sums.pair(others, STEP).profile(),
        "Gaussian": normal_bounds.gaussian(m.variance, step=STEP),
        "coins": coins.bound(others, STEP, STEP),
        "0.56": normal_bounds.for_half_lines(m.variance, distance, step=STEP),
        "1.12": normal_bounds.for_half_lines(m.variance, 2.0 * distance, step=STEP),
        "Stein": normal_bounds.stein_for_half_lines(
            *m, neighbourhood=1, dependence="ross", step=STEP
        ),
        "Stein, 5": normal_bounds.stein_for_half_lines(
            *m, neighbourhood=5, dependence="ross", step=STEP
        ),
    }


def data() -> Table:
    """Return δ at ε = 0.1 and ε at δ = 10⁻⁶ against n.

    Returns
    -------
    Table
        Columns ``panel`` (``delta``, ``eps``), ``series`` (``exact``, ``Gaussian``, ``coins``;
        ``0.56`` and ``1.12`` of Berry and Esseen; ``Stein`` for neighbourhoods of 1 and of 5; the
        leading ``constant``), ``x`` (n) and ``y`` (δ from 1e-15 on, or ε).
    """
    blocks = []
    every = [profiles(n) for n in SIZES.tolist()]
    few = every[::6]
    for series in every[0]:
        falling = series in {"exact", "Gaussian", "coins"}
        blocks.append(_rows("delta", series, *_deltas(series, every)))
        if falling:
            found = [several[series].epsilon(DELTA) for several in few]
            blocks.append(_rows("eps", series, FEW, found))
    constant = normal_bounds.epsilon_limit(35 / 12, step=STEP)
    line = constant * np.sqrt(math.log(1.0 / DELTA) / FEW)
    blocks.append(_rows("eps", "constant", FEW, line))
    return stack(*blocks)


def _deltas(series: str, every: list[dict[str, PrivacyProfile]]) -> tuple[list[int], list[float]]:
    """Return n and δ, up to where δ is out of sight."""
    x, y = [], []
    for n, several in zip(SIZES.tolist(), every, strict=True):
        delta = several[series].delta(EPS)
        if delta < _LEAST:
            break
        x.append(n)
        y.append(delta)
    return x, y


def _rows(panel: str, series: str, x: ArrayLike, y: ArrayLike) -> Table:
    return block(panel=panel, series=series, x=np.asarray(x, float), y=np.asarray(y, float))


def draw(axes: Panels, data: Table) -> None:
    """Draw δ on the first panel, ε on the second."""
    _draw_delta(axes[0], select(data, panel="delta"))
    _draw_eps(axes[1], select(data, panel="eps"))


def _draw_delta(panel: Axes, data: Table) -> None:
    log_axes(panel, x=(100, 1e8), y=(1e-12, 9))
    panel.set(title="δ at ε = 0.1", xlabel="n", ylabel="δ")
    _sizes(panel)
    power_ticks(panel, -12, -9, -6, -3, 0)
    places: dict[str, tuple[str, float, tuple[float, float]]] = {
        "exact": ("exact", 1.5e4, (-6, -4)),
        "Gaussian": ("", 0.0, (0, 0)),
        "coins": ("coins", 2.2e4, (5, 4)),
        "0.56": ("", 0.0, (0, 0)),
        "1.12": ("1.12", 1.5e7, (3, 3)),
        "Stein": ("Stein", 1.6e5, (-6, -3)),
        "Stein, 5": ("Stein, D = 5", 1e7, (0, 8)),
    }
    for series, (text, at, offset) in places.items():
        draw_curve(panel, select(data, series=series), _STYLES[series], text, at, offset)
    callout(panel, "Berry–Esseen, 0.56", (6e6, 5.9e-4), (9e4, 1.2e-5), VERMILION)


def _draw_eps(panel: Axes, data: Table) -> None:
    log_axes(panel, x=(100, 1e8), y=(3e-4, 4))
    panel.set(title="ε at δ = 10⁻⁶", xlabel="n", ylabel="ε")
    _sizes(panel)
    panel.set_yticks([1e-3, 1e-2, 0.1, 1.0], ["0.001", "0.01", "0.1", "1"])
    draw_curve(panel, select(data, series="exact"), _STYLES["exact"], "exact", 1e5, (-6, -5))
    draw_curve(panel, select(data, series="coins"), _STYLES["coins"])
    constant = select(data, series="constant")
    draw_curve(panel, constant, _STYLES["constant"], "leading constant", 3e4, (5, 8))
    note(panel, "coins", (1.2e6, 0.0098), (7, 6), GREEN)
    note(panel, "normal bounds:\nnothing below\nn = 2·10¹²", (2.2e2, 1.1e-3), (1, 0), VERMILION)


def _sizes(panel: Axes) -> None:
    panel.set_xticks([1e2, 1e4, 1e6, 1e8], ["100", "10,000", "10⁶", "10⁸"])
