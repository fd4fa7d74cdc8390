"""The geometric mechanism against rounded Laplace noise: the same law, but for one number."""

import functools
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from pkdp.figures._drawing import BLUE, BOUND, GREEN, INK, VERMILION, label_line
from pkdp.figures._tables import Table, block, select, stack
from pkdp.worlds import background

NAME = "geometric-utility"
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
COLUMNS = 2
PANEL_SIZE = (3.3, 2.75)

EPS = 1.0
_Loss = Callable[[npt.NDArray[np.int64]], npt.NDArray[np.float64]]
# What an error costs, and the mark it gets; any loss that is 0 without an error would do.
MEASURES: dict[str, tuple[str, _Loss]] = {
    "absolute": ("o", lambda error: np.abs(error).astype(float)),
    "square": ("s", lambda error: error.astype(float) ** 2),
    "any": ("^", lambda error: (error != 0).astype(float)),
}
_MARKED = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
_FAR = np.arange(-3000, 3001)


def _geometric(k: npt.NDArray[np.int64], eps: float) -> npt.NDArray[np.float64]:
    alpha = background.noise_ratio(eps)
    return np.array([background.two_sided_geometric(int(i), alpha) for i in k])


@functools.cache
def data() -> Table:
    """Return both laws of the error at ε = 1, and the ratio of expected losses against ε.

    Returns
    -------
    Table
        Columns ``panel`` (``laws``, ``ratio``), ``series`` (``geometric``, ``rounded``;
        ``absolute``, ``square``, ``any`` by summation, ``cosh`` and ``none`` by formula), ``x``
        (the error; ε) and ``y`` (the probability; the ratio, rounded Laplace over geometric).
    """
    errors = np.arange(-5, 6)
    blocks = [
        block(panel="laws", series="geometric", x=errors * 1.0, y=_geometric(errors, EPS)),
        block(
            panel="laws",
            series="rounded",
            x=errors * 1.0,
            y=background.rounded_laplace(errors, 1 / EPS),
        ),
    ]
    sums: dict[str, list[float]] = {name: [] for name in MEASURES}
    for eps in _MARKED:
        rounded, geometric = background.rounded_laplace(_FAR, 1 / eps), _geometric(_FAR, eps)
        for name, (_, loss) in MEASURES.items():
            sums[name].append(float((loss(_FAR) * rounded).sum() / (loss(_FAR) * geometric).sum()))
    for name, ratios in sums.items():
        blocks.append(block(panel="ratio", series=name, x=np.array(_MARKED), y=ratios))
    grid = np.linspace(0.0, 4.0, 41)
    blocks.append(block(panel="ratio", series="cosh", x=grid, y=np.cosh(grid / 2)))
    # (1 - e^{-ε/2}) / tanh(ε/2), whose limit at 0 is 1.
    none = (1 + np.exp(-grid)) / (1 + np.exp(-grid / 2))
    blocks.append(block(panel="ratio", series="none", x=grid, y=none))
    return stack(*blocks)


def draw(axes: Sequence[Axes], data: Table) -> None:
    """Draw the laws on the first panel and the ratios on the second."""
    _laws(axes[0], select(data, panel="laws"))
    _ratio(axes[1], select(data, panel="ratio"))


def _laws(panel: Axes, rows: Table) -> None:
    geometric, rounded = (select(rows, series=name) for name in ("geometric", "rounded"))
    panel.set_yscale("log")
    panel.bar(geometric["x"], geometric["y"], width=0.62, color=BLUE, alpha=0.35)
    panel.plot(rounded["x"], rounded["y"], "o", color=VERMILION)
    panel.set_ylim(1e-3, 1)
    panel.set_xticks(range(-5, 6), [str(k).replace("-", "−") for k in range(-5, 6)])
    panel.minorticks_off()
    panel.grid(axis="x", visible=False)
    panel.set_xlabel("error")
    panel.set_ylabel("probability")
    panel.set_title("Two laws of the error, ε = 1")
    panel.text(-1.3, 0.5, "rounded Laplace", color=VERMILION, fontsize=8, ha="right")
    panel.text(1.1, 0.5, "geometric", color=BLUE, fontsize=8, ha="left")


def _ratio(panel: Axes, rows: Table) -> None:
    curve, none = (select(rows, series=name) for name in ("cosh", "none"))
    panel.axhline(1, color=INK, linewidth=0.8)
    panel.plot(curve["x"], curve["y"], color=BLUE)
    panel.plot(none["x"], none["y"], **BOUND)
    for name, (marker, _) in MEASURES.items():
        marks = select(rows, series=name)
        panel.plot(
            marks["x"],
            marks["y"],
            marker,
            color=VERMILION,
            fillstyle="none",
            markersize={"o": 4, "s": 7, "^": 9}[marker],
        )
    panel.set_xlim(0, 4.25)
    panel.set_ylim(0.5, 4)
    panel.set_xlabel("ε")
    panel.set_ylabel("rounded Laplace / geometric")
    panel.set_title("What rounding costs")
    label_line(panel, curve, "cosh(ε/2)", at=2.7, offset=(-9, 4), ha="right", color=BLUE)
    label_line(panel, none, "chance of no error", at=2.4, offset=(0, -11), color=GREEN)
    panel.text(0.15, 3.0, "mean size, variance,\nchance of an error", color=VERMILION, fontsize=8)
