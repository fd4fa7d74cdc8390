"""How ε shrinks as more records are unknown: closed forms, blanket, exact, and the limit."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from pkdp.figures._drawing import (
    BLUE,
    BOUND,
    EXACT,
    GREEN,
    INK,
    PURPLE,
    VERMILION,
    label_line,
)
from pkdp.figures._tables import Table, block, select, stack
from pkdp.partial_knowledge import counting
from pkdp.profiles.profile import PrivacyProfile

NAME = "growth"
TITLE = "ε at δ = 1/n², from a hundred records to a hundred million"
ALT = (
    "ε at δ = 1/n² against n from 100 to 100 million at λ = 0.1, both axes logarithmic. The exact "
    "worst case falls from 2.2 to 0.0023, after n = 1,000 nearly on a straight line. The Gaussian "
    "limit starts below it, at 1.1, and joins it near n = 10,000. The KL form stays 8 % above at "
    "the right end, the blanket 35 %. The closed form begins only at n = 2,154, and lies three "
    "times as high as the exact curve from there on.",
    "ε² times λN over ln(1/δ) for the same curves. The closed form's is 14 throughout. The "
    "blanket's falls from 5.3 to 2.5 and creeps up towards 3; the exact one falls from 5.0 to 1.4 "
    "near n = 100,000 and creeps up towards 1.67, the KL form's falls from 14.1 to 1.69.",
)
COLUMNS = 2
PANEL_SIZE = (3.3, 2.9)

LAM = 0.1
# Closer together where the curves bend.
_GRID = np.concatenate([np.geomspace(100, 10**4, 25), np.geomspace(10**4, 10**8, 13)])
SIZES = np.unique(_GRID.round().astype(np.int64))

# Where the constants of the exact worst case and of the blanket tend, at δ = n^{-2}.
LIMITS = (1.5 / (1.0 - LAM), 3.0)

_CURVES: dict[str, Callable[[int, float], PrivacyProfile]] = {
    "closed form": counting.closed_form,
    "KL form": counting.kl_form,
    "blanket": counting.blanket,
    "exact": counting.worst_case,
    "limit": counting.gaussian_limit,
}
_CLOSED: dict[str, Any] = {"color": VERMILION, "linewidth": 1.3}
_KL: dict[str, Any] = {"color": PURPLE, "linestyle": (0, (7, 1.2, 1.2, 1.2)), "linewidth": 1.4}
_LIMIT: dict[str, Any] = {"color": INK, "linestyle": (0, (1, 2.4)), "linewidth": 2.2}
_STYLES = {"closed form": _CLOSED, "KL form": _KL, "blanket": BOUND, "exact": EXACT}


@functools.cache
def data() -> Table:
    """Return ε at δ = 1/n² against n, and ε²·λN/ln(1/δ).

    Returns
    -------
    Table
        Columns ``panel`` (``eps``, ``constant``), ``series`` (``closed form``, ``KL form``,
        ``blanket``, ``exact``, ``limit``), ``x`` (n) and ``y``. Rows where a curve says nothing are
        left out.
    """
    blocks = []
    for series, curve in _CURVES.items():
        eps = np.array([curve(n, LAM).epsilon(float(n) ** -2) for n in SIZES.tolist()])
        said = np.isfinite(eps)
        n, eps = SIZES[said].astype(float), eps[said]
        blocks.append(block(panel="eps", series=series, x=n, y=eps))
        constant = eps**2 * LAM * (n - 1.0) / (2.0 * np.log(n))
        blocks.append(block(panel="constant", series=series, x=n, y=constant))
    return stack(*blocks)


def draw(axes: Sequence[Axes], data: Table) -> None:
    """Draw ε on the left, and on the right what multiplies ln(1/δ)/(λN) in its square."""
    for panel, name in zip(axes, ("eps", "constant"), strict=True):
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_xlim(100, 1e8)
        panel.set_xticks([1e2, 1e4, 1e6, 1e8])
        panel.set_xlabel("n")
        rows = select(data, panel=name)
        for series, style in _STYLES.items():
            curve = select(rows, series=series)
            panel.plot(curve["x"], curve["y"], **style)
        limit = select(rows, series="limit")
        panel.plot(limit["x"], limit["y"], **_LIMIT)
        panel.minorticks_off()
    _label_eps(axes[0], select(data, panel="eps"))
    _label_constants(axes[1], select(data, panel="constant"))


def _label_eps(panel: Axes, rows: Table) -> None:
    panel.set_ylim(1.5e-3, 5)
    panel.set_yticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
    panel.set_ylabel("ε at δ = 1/n²")
    panel.set_title("The guarantee")
    _label(panel, rows, "closed form", "closed form\n(14, 27)", 1e5, (4, 3), VERMILION)
    _label(panel, rows, "limit", "Gaussian\nlimit", 130, (0, -44), INK)
    _label(panel, rows, "exact", "exact", 3e4, (-6, -12), BLUE)


def _label_constants(panel: Axes, rows: Table) -> None:
    panel.set_ylim(1, 22)
    panel.set_yticks([1, 2, 4, 14], ["1", "2", "4", "14"])
    panel.set_ylabel("ε² · λN / ln(1/δ)")
    panel.set_title("The constant")
    _label(panel, rows, "closed form", "closed form (14, 27)", 1e5, (0, 4), VERMILION)
    _label(panel, rows, "blanket", "blanket; exact for\nthree or more answers", 6e3, (0, 5), GREEN)
    _label(panel, rows, "KL form", "KL form", 3e5, (0, 2), PURPLE)
    _label(panel, rows, "exact", "exact", 800, (-4, -12), BLUE)
    _label(panel, rows, "limit", "Gaussian limit", 1.2e4, (0, -14), INK)
    for constant in LIMITS:
        panel.plot([2e7, 1e8], [constant, constant], color=INK, linewidth=0.8, alpha=0.6)
        panel.annotate(
            f"→ {constant:.3g}",
            (1e8, constant),
            (4, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
            annotation_clip=False,
        )


def _label(
    panel: Axes,
    rows: Table,
    series: str,
    text: str,
    at: float,
    offset: tuple[float, float],
    colour: str,
) -> None:
    curve = select(rows, series=series)
    side = "right" if offset[0] < -2 else "left"
    label_line(panel, curve, text, at=at, offset=offset, ha=side, color=colour)
