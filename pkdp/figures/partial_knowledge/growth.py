"""How ε shrinks as more records are unknown: closed forms, blanket, exact, and the limit."""

from collections.abc import Callable

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels, powers, seen
from pkdp.figures._palette import BOUND, EXACT, INK, PRINTED, PURPLE, SPARSE, VERMILION, Style, line
from pkdp.partial_knowledge import counting, published
from pkdp.profiles.profile import PrivacyProfile

TITLE = "ε at δ = 1/n², from a hundred records to a hundred million"
ALT = (
    "ε at δ = 1/n² against n from 100 to 100 million at λ = 0.1, both axes logarithmic. The exact "
    "worst case falls from 2.2 to 0.0023, after n = 1,000 nearly on a straight line. The Gaussian "
    "limit starts below it, at 1.1, and joins it near n = 10,000. The KL form stays 8 % above at "
    "the right end, the blanket 35 %. The closed form begins at n = 562 and lies 1.5 to 1.7 times "
    "as high as the exact curve; the printed one begins only at n = 2,154, and lies three times "
    "as high.",
    "ε² times λN over ln(1/δ) for the same curves. The closed form's is 4.2 throughout, the "
    "printed one's 14. The blanket's falls from 5.3 to 2.5 and creeps up towards 3; the exact one "
    "falls from 5.0 to 1.4 near n = 100,000 and creeps up towards 1.67, the KL form's falls from "
    "14.1 to 1.69.",
)
PANEL_SIZE = (3.3, 2.9)

LAM = 0.1
# Closer together where the curves bend.
_GRID = np.concatenate([np.geomspace(100, 10**4, 25), np.geomspace(10**4, 10**8, 13)])
SIZES = np.unique(_GRID.round().astype(np.int64))

# Where the constants of the exact worst case and of the blanket tend, at δ = n^{-2}.
LIMITS = (1.5 / (1.0 - LAM), 3.0)

_CURVES: dict[str, tuple[Callable[[int, float], PrivacyProfile], Style]] = {
    "printed": (published.theorem_3_closed_form, PRINTED),
    "closed form": (counting.closed_form, line(VERMILION, width=1.3)),
    "KL form": (counting.kl_form, line(PURPLE, (0, (7, 1.2, 1.2, 1.2)), 1.4)),
    "blanket": (counting.blanket, BOUND),
    "exact": (counting.worst_case, EXACT),
    "limit": (counting.gaussian_limit, line(INK, SPARSE, 2.2)),
}


def data() -> Blocks:
    """Yield ε at δ = 1/n² against n, and ε²·λN/ln(1/δ).

    Yields
    ------
    Table
        Columns ``panel`` (``eps``, ``constant``), ``series`` (``printed``, ``closed form``,
        ``KL form``, ``blanket``, ``exact``, ``limit``), ``x`` (n) and ``y``. Rows where a curve
        says nothing are left out.
    """
    for series, (curve, _) in _CURVES.items():
        n = SIZES.astype(float)
        eps = np.array([curve(size, LAM).epsilon(float(size) ** -2) for size in SIZES.tolist()])
        constant = eps**2 * LAM * (n - 1.0) / (2.0 * np.log(n))
        for panel, y in (("eps", eps), ("constant", constant)):
            yield seen(block(panel=panel, series=series, x=n, y=y))


def draw(axes: Panels) -> None:
    """Draw ε on the left, and on the right what multiplies ln(1/δ)/(λN) in its square."""
    guarantee, constants = panels(axes, "The guarantee", "The constant")
    guarantee.log_y("ε at δ = 1/n²", (1.5e-3, 5), [0.01, 0.1, 1])
    constants.log_y("ε² · λN / ln(1/δ)", (1, 22), [1, 2, 4, 14])
    for panel in axes:
        panel.log_x("n", (100, 1e8), powers(2, 4, 6, 8))
        for series, (_, style) in _CURVES.items():
            panel.curve(series, style)
    for panel, series, text, at, offset in (
        (guarantee, "printed", "closed form\nas printed", 1e5, (4, 3)),
        (guarantee, "limit", "Gaussian\nlimit", 130, (0, -44)),
        (guarantee, "exact", "exact", 3e4, (-6, -12)),
        (constants, "printed", "closed form as printed", 1e5, (0, 4)),
        (constants, "closed form", "closed form", 3e6, (0, 2)),
        (constants, "blanket", "blanket; exact for\nthree or more answers", 6e3, (0, 5)),
        (constants, "KL form", "KL form", 3e5, (0, 2)),
        (constants, "exact", "exact", 800, (-4, -12)),
        (constants, "limit", "Gaussian limit", 1.2e4, (0, -14)),
    ):
        side, color = "right" if offset[0] < 0 else "left", _CURVES[series][1]["color"]
        panel.label(series, text, at, offset, color, ha=side, va="bottom")
    for constant in LIMITS:
        constants.plot([2e7, 1e8], [constant, constant], color=INK, linewidth=0.8, alpha=0.6)
        constants.note(f"→ {constant:.3g}", (1e8, constant), (4, 0), va="center")
