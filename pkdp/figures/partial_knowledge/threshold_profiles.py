"""What a threshold promises at every ε, also where Theorem 4 says nothing."""

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, curves, panels, powers
from pkdp.figures._palette import BOUND, EXACT, PURPLE, line
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


def data() -> Blocks:
    """Yield the curves of both panels.

    Yields
    ------
    Table
        Columns ``panel`` (``profile``, ``thresholds``), ``series``, ``x`` and ``y`` (δ). Series
        of the first are ``theorem 4``, ``equal`` and ``worst case`` over ε; the second has, over
        T, one for each ε.
    """
    grid = np.linspace(0, 3, 61)
    terms = thresholding.theorem_4_terms(FEW, RARE, threshold=THRESHOLD)
    stated = np.exp(terms.log_delta)
    equal = thresholding.exact([RARE], threshold=THRESHOLD, multiplicities=[FEW - 1]).delta(grid)
    worst = thresholding.worst_case(FEW, RARE, threshold=THRESHOLD).delta(grid)
    thresholds = np.array([*range(1, 20), *range(20, 201, 6)])
    profiles = [thresholding.worst_case(MANY, MOST, threshold=int(T)) for T in thresholds]
    levels = {f"eps = {eps:g}": [profile.delta(eps) for profile in profiles] for eps in LEVELS}
    printed = {"theorem 4": [1.0, stated, stated]}
    yield curves([terms.eps, terms.eps, 3.0], printed, panel="profile")
    yield curves(grid, {"equal": equal, "worst case": worst}, panel="profile")
    yield curves(thresholds.astype(float), levels, panel="thresholds")


def draw(axes: Panels) -> None:
    """Draw δ over ε on the first panel and over the threshold on the second."""
    profile, thresholds = panels(
        axes, f"n = {FEW:,}, T = {THRESHOLD}", "A million records, any $p_j$ up to 0.05"
    )
    for panel in axes:
        panel.log_y("δ", (1e-13, 3), powers(-12, -8, -4, 0))
    profile.x("ε", (-0.06, 3), [0, 1, 2, 3])
    profile.curve("theorem 4", BOUND, "Theorem 4", 2.2)
    thin = line(PURPLE, width=1)
    profile.curve("equal", thin, "equal\n$p_j$", 1.7, (-6, -2), va="bottom", least=_FAR_BELOW)
    profile.curve("worst case", EXACT, "worst case", 1.7, (6, 2))
    thresholds.x("threshold $T$", (0, 200))
    for eps, at, offset, side in (
        (0.0, 198, (0, 3), "right"),
        (0.2, 198, (0, 5), "right"),
        (0.5, 150, (5, 2), "left"),
        (1.0, 60, (-5, -2), "right"),
    ):
        curve, text = f"eps = {eps:g}", f"ε = {eps:g}"
        thresholds.curve(curve, EXACT, text, at, offset, ha=side, least=_FAR_BELOW)
