"""Figure 3 of the paper: the ε of Theorem 3 against λ, as published, corrected and exact."""

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import BLUE, BOUND, EXACT, GREEN, INK, PRINTED, VERMILION
from pkdp.partial_knowledge import counting, published

TITLE = "ε against λ at δ = 0.01/n: published, corrected, exact"
ALT = (
    "n = 100. For λ below 0.089 no ε is enough, yet the published curve runs through that range, "
    "from 6.0 at λ = 0.00005 down to 1.1. From there to λ = 0.2 the exact ε falls from 2.4 to 1.0 "
    "and the corrected bound from 3.4 to 1.1, both above the published curve all the way.",
    "n = 1,000. For λ below 0.011 no ε is enough; the published curve runs through that range, "
    "from 4.4 down to 0.96. It stays below the exact curve, which starts at 2.5, until the two "
    "cross near λ = 0.1. At λ = 0.2 the exact ε is 0.28, the published 0.32, the corrected 0.34.",
    "n = 10,000. For λ below 0.0014 no ε is enough; the published curve runs through that range, "
    "from 2.6 down to 0.95. It stays below the exact curve, which starts at 2.7, until the two "
    "cross near λ = 0.02. At λ = 0.2 the exact ε is 0.092, the other two are near 0.116.",
    "n = 100,000. For λ below 0.00016 no ε is enough; the published curve runs through that range, "
    "from 1.4 down to 0.95. It stays below the exact curve, which starts at 2.8, until the two "
    "cross near λ = 0.003. At λ = 0.2 the exact ε is 0.031, the other two are near 0.040.",
)

SIZES = (100, 1000, 10_000, 100_000)
SMALLEST, LARGEST = 5e-5, 0.2  # the published range of λ
_STYLES = {"published": PRINTED, "corrected": BOUND, "exact": EXACT}


def data() -> Blocks:
    """Yield the three curves for each n.

    Yields
    ------
    Table
        Columns ``n``, ``series`` (``published``, ``corrected``, ``exact``), ``x`` (λ), ``y``
        (ε) and ``lambda_min``: below it no ε is enough, and the curves other than the published
        one begin there.
    """
    for n in SIZES:
        delta = 0.01 / n
        # At ε = ∞ the worst case still has δ = (1-λ)^(n-1): no ε is enough if that is too much.
        lambda_min = float(-np.expm1(np.log(delta) / (n - 1)))
        # Closer together near λ_min, where the curves are steep; a hair above it, to be feasible.
        steps = np.linspace(0, 1, 18) ** 1.8
        feasible = lambda_min * (1 + 1e-9) * (LARGEST / lambda_min) ** steps
        for series, curve, grid in (
            ("published", published.figure_3, np.geomspace(SMALLEST, LARGEST, 73)),
            ("corrected", counting.blanket, feasible),
            ("exact", counting.worst_case, feasible),
        ):
            eps = [curve(n, float(lam)).epsilon(delta) for lam in grid]
            yield block(n=n, series=series, x=grid, y=eps, lambda_min=lambda_min)


def draw(axes: Panels) -> None:
    """Draw one panel for each n."""
    panels(axes, *(f"n = {n:,}" for n in SIZES), by="n")
    for panel in axes:
        panel.log_x("λ", (SMALLEST, LARGEST), [1e-4, 1e-3, 1e-2, 1e-1])
        panel.log_y("ε", (0.025, 12), [0.1, 1, 10])
        least = panel.data["lambda_min"][0]
        panel.axvspan(SMALLEST, least, color=INK, alpha=0.08, linewidth=0)
        printed, exact = panel.rows("published"), panel.rows("exact")
        promised = np.interp(exact["x"], printed["x"], printed["y"])
        panel.shade_gap(exact["x"], promised, exact["y"])
        for series, style in _STYLES.items():
            panel.curve(series, style)
    # One panel has the labels of all.
    named = axes[1]
    named.text(7e-5, 0.6, "no ε is enough\nfor these λ")
    named.label("published", "as published", 4e-4, (0, 9), VERMILION)
    named.label("corrected", "corrected", 0.03, (5, 2), GREEN)
    named.callout("exact", (0.1, 0.46), (0.06, 0.07), BLUE, ha="center")
    too_much = "promises\ntoo much"
    named.callout(too_much, (0.02, 0.9), (2.2e-3, 0.12), VERMILION, ha="center", va="baseline")
