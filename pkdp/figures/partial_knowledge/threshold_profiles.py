"""What a threshold promises at every ε, also where Theorem 4 says nothing."""

import numpy as np
from matplotlib.axes import Axes

from pkdp.figures._drawing import Panels, draw_curve, log_axes
from pkdp.figures._palette import BOUND, EXACT, PURPLE, Style
from pkdp.figures._tables import Table, curves, select, series_of, stack
from pkdp.partial_knowledge import thresholding

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

FEW, RARE, THRESHOLD = 1000, 0.005, 12
MANY, MOST = 10**6, 0.05
LEVELS = (0.0, 0.2, 0.5, 1.0)
_FAR_BELOW = 1e-20


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
    levels = {f"eps = {eps:g}": [profile.delta(eps) for profile in profiles] for eps in LEVELS}
    printed = {"theorem 4": [1.0, stated, stated]}
    return stack(
        curves([terms.eps, terms.eps, 3.0], printed, panel="profile"),
        curves(grid, {"equal": equal, "worst case": worst}, panel="profile"),
        curves(thresholds.astype(float), levels, panel="thresholds"),
    )


def draw(axes: Panels, data: Table) -> None:
    """Draw δ over ε on the first panel and over the threshold on the second."""
    _profile(axes[0], select(data, panel="profile"))
    _thresholds(axes[1], select(data, panel="thresholds"))


def _profile(panel: Axes, rows: Table) -> None:
    theorem, equal, worst = series_of(rows, "theorem 4", "equal", "worst case")
    _frame(panel, "ε")
    panel.set(title=f"n = {FEW:,}, T = {THRESHOLD}", xlim=(-0.06, 3), xticks=[0, 1, 2, 3])
    draw_curve(panel, theorem, BOUND, "Theorem 4", 2.2)
    thin: Style = {"color": PURPLE, "linewidth": 1}
    draw_curve(panel, equal, thin, "equal\n$p_j$", 1.7, (-6, -2), va="bottom", least=_FAR_BELOW)
    draw_curve(panel, worst, EXACT, "worst case", 1.7, (6, 2))


def _thresholds(panel: Axes, rows: Table) -> None:
    _frame(panel, "threshold $T$")
    panel.set(title="A million records, any $p_j$ up to 0.05", xlim=(0, 200))
    places = ((198, (0, 3)), (198, (0, 5)), (150, (5, 2)), (60, (-5, -2)))
    for eps, (at, offset) in zip(LEVELS, places, strict=True):
        curve = select(rows, series=f"eps = {eps:g}")
        side = "left" if eps == 0.5 else "right"
        draw_curve(panel, curve, EXACT, f"ε = {eps:g}", at, offset, ha=side, least=_FAR_BELOW)


def _frame(panel: Axes, label: str) -> None:
    log_axes(panel, y=(1e-13, 3))
    panel.set_yticks([1e-12, 1e-8, 1e-4, 1], [*(f"$10^{{-{k}}}$" for k in (12, 8, 4)), "1"])
    panel.set(xlabel=label, ylabel="δ")
