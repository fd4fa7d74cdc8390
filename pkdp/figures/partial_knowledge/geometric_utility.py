"""The geometric mechanism against rounded Laplace noise: the same law, but for one number."""

from collections.abc import Callable

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, curves, panels, powers
from pkdp.figures._palette import BLUE, BOUND, INK, VERMILION, Style, line
from pkdp.partial_knowledge import background
from pkdp.profiles.logarithms import FloatArray, IntArray

TITLE = "The geometric mechanism against rounded Laplace noise"
ALT = (
    "The probabilities of an error of -5 to 5 at ε = 1, on a logarithmic axis: bars for the "
    "geometric mechanism, dots for rounded Laplace noise. At 0 the bar is higher, 0.462 against "
    "0.393; at every other integer the dot is above the bar by the same factor, 1.128.",
    "How much larger the error of rounded Laplace noise is, against ε from 0 to 4: the solid curve "
    "cosh(ε/2) runs through three rows of marks for the mean absolute error, the variance and the "
    "chance of any error at all. It is 1.001 at ε = 0.1, 1.128 at ε = 1 and 3.76 at ε = 4. The "
    "dashed curve, the chance of no error, is below 1: 0.851 at ε = 1.",
)

EPS = 1.0
# What an error costs; any loss that is 0 without an error would do.
MEASURES: dict[str, Callable[[IntArray], FloatArray]] = {
    "absolute": lambda error: np.abs(error).astype(float),
    "square": lambda error: error.astype(float) ** 2,
    "any": lambda error: (error != 0).astype(float),
}
_MARKED = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
_FAR = np.arange(-3000, 3001)


def _geometric(k: IntArray, eps: float) -> FloatArray:
    alpha = background.noise_ratio(eps)
    return np.array([background.two_sided_geometric(int(i), alpha) for i in k])


def data() -> Blocks:
    """Yield both laws of the error at ε = 1, and the ratio of expected losses against ε.

    Yields
    ------
    Table
        Columns ``panel`` (``laws``, ``ratio``), ``series`` (``geometric``, ``rounded``;
        ``absolute``, ``square``, ``any`` by summation, ``cosh`` and ``none`` by formula), ``x``
        (the error; ε) and ``y`` (the probability; the ratio, rounded Laplace over geometric).
    """
    errors = np.arange(-5, 6)
    laws = {
        "geometric": _geometric(errors, EPS),
        "rounded": background.rounded_laplace(errors, 1 / EPS),
    }
    sums: dict[str, list[float]] = {name: [] for name in MEASURES}
    for eps in _MARKED:
        rounded, geometric = background.rounded_laplace(_FAR, 1 / eps), _geometric(_FAR, eps)
        for name, loss in MEASURES.items():
            sums[name].append(float((loss(_FAR) * rounded).sum() / (loss(_FAR) * geometric).sum()))
    grid = np.linspace(0.0, 4.0, 41)
    formulas = {
        "cosh": np.cosh(grid / 2),
        # (1 - e^{-ε/2}) / tanh(ε/2), whose limit at 0 is 1.
        "none": (1 + np.exp(-grid)) / (1 + np.exp(-grid / 2)),
    }
    yield curves(errors * 1.0, laws, panel="laws")
    yield curves(_MARKED, sums, panel="ratio")
    yield curves(grid, formulas, panel="ratio")


def draw(axes: Panels) -> None:
    """Draw the laws on the first panel and the ratios on the second."""
    laws, ratio = panels(axes, "Two laws of the error, ε = 1", "What rounding costs")
    geometric, rounded = laws.rows("geometric"), laws.rows("rounded")
    laws.bar(geometric["x"], geometric["y"], width=0.62, color=BLUE, alpha=0.35)
    laws.plot(rounded["x"], rounded["y"], "o", color=VERMILION)
    laws.x("error", ticks=range(-5, 6))
    laws.log_y("probability", (1e-3, 1), powers(-3, -2, -1, 0))
    laws.grid(axis="x", visible=False)
    laws.text(-1.3, 0.5, "rounded Laplace", color=VERMILION, ha="right")
    laws.text(1.1, 0.5, "geometric", color=BLUE, ha="left")
    ratio.x("ε", (0, 4.25))
    ratio.y("rounded Laplace / geometric", (0.5, 4))
    ratio.axhline(1, color=INK, linewidth=0.8)
    ratio.curve("cosh", line(BLUE, width=1.6), "cosh(ε/2)", 2.7, (-9, 4))
    ratio.curve("none", BOUND, "chance of no error", 2.4, (0, -11), va="bottom")
    hollow: Style = {"color": VERMILION, "fillstyle": "none", "linestyle": "none"}
    for name, marker, size in (("absolute", "o", 4), ("square", "s", 7), ("any", "^", 9)):
        ratio.curve(name, hollow | {"marker": marker, "markersize": size})
    ratio.text(0.15, 3.0, "mean size, variance,\nchance of an error", color=VERMILION)
