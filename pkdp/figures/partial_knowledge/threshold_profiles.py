"""What a threshold promises at every ε, also where Theorem 4 says nothing."""

import functools
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from pkdp.figures._drawing import BLUE, BOUND, EXACT, GREEN, PURPLE, label_line
from pkdp.figures._tables import Table, block, select, stack
from pkdp.partial_knowledge import thresholding

NAME = "threshold-profiles"
TITLE = "What a threshold promises at every ε"
ALT = (
    "δ against ε from 0 to 3 for n = 1,000, p = 0.005 and T = 12. Theorem 4 is a vertical line at "
    "ε = 0.0058 and a level one at δ = 0.0058. The exact worst case begins at 0.0033 and falls to "
    "2.3·10⁻⁴ at ε = 1 and 3.6·10⁻¹³ at ε = 3. The curve for equal probabilities is the same up "
    "to ε = 0.88, then falls below it: to 10⁻¹³ by ε = 1.8.",
    "δ against T from 1 to 200 for a million records with probabilities up to 0.05, so that the "
    "expected value may be 50,000. At ε = 0 δ falls slowly, from 0.38 to 0.029. At ε = 0.2, 0.5 "
    "and 1 it falls along ever steeper, nearly straight lines, at T = 100 to 0.0014, 1.1·10⁻⁷ and "
    "1.6·10⁻¹⁸.",
)
COLUMNS = 2
PANEL_SIZE = (3.3, 2.75)

FEW, RARE, THRESHOLD = 1000, 0.005, 12
MANY, MOST = 10**6, 0.05
LEVELS = (0.0, 0.2, 0.5, 1.0)
_FAR_BELOW = 1e-20


@functools.cache
def data() -> Table:
    """Return the curves of both panels.

    Returns
    -------
    Table
        Columns ``panel`` (``profile``, ``thresholds``), ``series``, ``x`` and ``y`` (δ). Series
        of the first are ``theorem 4``, ``equal`` and ``worst case`` over ε; the second has, over
        T, one for each ε.
    """
    grid = np.linspace(0, 3, 61)
    terms = thresholding.theorem_4_terms(FEW, RARE, threshold=THRESHOLD)
    stated = np.exp(terms.log_delta)
    equal = thresholding.exact([RARE], THRESHOLD, multiplicities=[FEW - 1]).delta(grid)
    worst = thresholding.worst_case(FEW, RARE, threshold=THRESHOLD).delta(grid)
    thresholds = np.array([*range(1, 20), *range(20, 201, 6)])
    profiles = [thresholding.worst_case(MANY, MOST, threshold=int(T)) for T in thresholds]
    return stack(
        block(
            panel="profile",
            series="theorem 4",
            x=[terms.eps, terms.eps, 3.0],
            y=[1.0, stated, stated],
        ),
        block(panel="profile", series="equal", x=grid, y=equal),
        block(panel="profile", series="worst case", x=grid, y=worst),
        *(
            block(
                panel="thresholds",
                series=f"eps = {eps:g}",
                x=thresholds.astype(float),
                y=[profile.delta(eps) for profile in profiles],
            )
            for eps in LEVELS
        ),
    )


def draw(axes: Sequence[Axes], data: Table) -> None:
    """Draw δ over ε on the first panel and over the threshold on the second."""
    _profile(axes[0], select(data, panel="profile"))
    _thresholds(axes[1], select(data, panel="thresholds"))


def _profile(panel: Axes, rows: Table) -> None:
    theorem, equal, worst = (
        select(rows, series=name) for name in ("theorem 4", "equal", "worst case")
    )
    _frame(panel, 1e-13, "ε")
    panel.set_xlim(-0.06, 3)
    panel.set_xticks([0, 1, 2, 3])
    panel.plot(theorem["x"], theorem["y"], **BOUND)
    seen = equal["y"] > _FAR_BELOW
    panel.plot(equal["x"][seen], equal["y"][seen], color=PURPLE, linewidth=1)
    panel.plot(worst["x"], worst["y"], **EXACT)
    label_line(panel, theorem, "Theorem 4", at=2.2, color=GREEN)
    label_line(panel, equal, "equal\n$p_j$", at=1.7, offset=(-6, -2), ha="right", color=PURPLE)
    label_line(panel, worst, "worst case", at=1.7, offset=(6, 2), ha="left", color=BLUE)
    panel.set_title(f"n = {FEW:,}, T = {THRESHOLD}")


def _thresholds(panel: Axes, rows: Table) -> None:
    _frame(panel, 1e-13, "threshold $T$")
    panel.set_xlim(0, 200)
    for eps in LEVELS:
        curve = select(rows, series=f"eps = {eps:g}")
        seen = curve["y"] > _FAR_BELOW
        panel.plot(curve["x"][seen], curve["y"][seen], **EXACT)
    for eps, at, offset in ((0.0, 198, (0, 3)), (0.2, 198, (0, 5)), (0.5, 150, (5, 2))):
        label_line(
            panel,
            select(rows, series=f"eps = {eps:g}"),
            f"ε = {eps:g}",
            at=at,
            offset=offset,
            ha="left" if eps == 0.5 else "right",
            color=BLUE,
        )
    label_line(
        panel,
        select(rows, series="eps = 1"),
        "ε = 1",
        at=60,
        offset=(-5, -2),
        ha="right",
        va="top",
        color=BLUE,
    )
    panel.set_title("A million records, any $p_j$ up to 0.05")


def _frame(panel: Axes, least: float, label: str) -> None:
    panel.set_yscale("log")
    panel.set_ylim(least, 3)
    panel.set_yticks([1e-12, 1e-8, 1e-4, 1], [*(f"$10^{{-{k}}}$" for k in (12, 8, 4)), "1"])
    panel.minorticks_off()
    panel.set_xlabel(label)
    panel.set_ylabel("δ")
