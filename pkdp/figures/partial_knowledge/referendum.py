"""Ten million votes, of which the attacker knows 99 %: the ε of one voter."""

import math
from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes

from pkdp.figures._drawing import Panels, Point, label_end, label_line, log_axes, note
from pkdp.figures._palette import BLUE, GREEN, INK, PURPLE, Style
from pkdp.figures._tables import Table, block, select, series_of, stack
from pkdp.partial_knowledge import counting
from pkdp.profiles.profile import PrivacyProfile

TITLE = "Ten million votes, 99 % of them known"
ALT = (
    "ε against λ, both axes logarithmic, for 99,999 votes that the attacker does not know. "
    "Three solid curves, for δ = 10⁻⁵, 10⁻¹⁰ and 10⁻¹⁵, fall as λ grows, the middle one from 0.74 "
    "at λ = 0.001 to 0.033 at λ = 0.5; a dot marks ε = 0.057 at λ = 0.1. The dashed closed form "
    "runs 1.2 to 2.5 times higher and stops where it would exceed 1.",
    "ε against δ, both axes logarithmic: for λ = 0.1 ε grows from 0.021 at δ = 10⁻⁴ only to 0.080 "
    "at δ = 10⁻¹⁶, past the dot at δ = 10⁻¹⁰. The curve for λ = 0.01 lies above it, the one for "
    "λ = 0.5 below. The dashed closed form lies above each.",
)

VOTES, KNOWN = 10_000_000, 9_900_000
LAM, DELTA = 0.1, 1e-10  # the worked example
LAMS, DELTAS = (0.01, 0.1, 0.5), (1e-5, 1e-10, 1e-15)
LARGEST = 0.5  # λ at its most uncertain
BOUNDS: dict[str, Callable[..., PrivacyProfile]] = {
    "exact": counting.worst_case,
    "closed form": counting.closed_form,
}
_COLOURS = (PURPLE, BLUE, GREEN)
_CLOSED: Style = {"linestyle": (0, (2, 1.5)), "linewidth": 1.2}


def data() -> Table:
    """Return ε against λ for a few δ, and against δ for a few λ.

    Returns
    -------
    Table
        Columns ``panel`` (``lambda``, ``delta``, ``example``), ``series`` (``exact``, ``closed
        form``), ``lam``, ``delta`` and ``eps``, which is ``inf`` where the closed form says
        nothing.
    """
    # Closer together where the curves bend.
    lam_grid = LARGEST * (1e-3 / LARGEST) ** np.linspace(1, 0, 16) ** 1.2
    delta_grid = 1e-4 * (1e-16 / 1e-4) ** np.linspace(1, 0, 11) ** 1.6
    blocks = []
    for series, bound in BOUNDS.items():
        # One profile serves every δ at its λ.
        across = [bound(VOTES, float(lam), known=KNOWN) for lam in lam_grid]
        for delta in DELTAS:
            eps = [profile.epsilon(delta) for profile in across]
            blocks.append(block(panel="lambda", series=series, lam=lam_grid, delta=delta, eps=eps))
        for lam in LAMS:
            profile = bound(VOTES, lam, known=KNOWN)
            eps = [profile.epsilon(float(delta)) for delta in delta_grid]
            blocks.append(block(panel="delta", series=series, lam=lam, delta=delta_grid, eps=eps))
        eps = [bound(VOTES, LAM, known=KNOWN).epsilon(DELTA)]
        blocks.append(block(panel="example", series=series, lam=LAM, delta=DELTA, eps=eps))
    return stack(*blocks)


def draw(axes: Panels, data: Table) -> None:
    """Draw ε against λ on the first panel, against δ on the second."""
    against_lam, against_delta = axes
    _curves(against_lam, data, "lambda", "lam", (1e-3, LARGEST))
    against_lam.set_xticks([1e-3, 1e-2, 1e-1, LARGEST], ["0.001", "0.01", "0.1", "0.5"])
    against_lam.set(title="Uncertain votes hide a voter", xlabel="λ")
    _curves(against_delta, data, "delta", "delta", (1e-16, 1e-4))
    against_delta.set_xticks([1e-16, 1e-12, 1e-8, 1e-4])
    against_delta.set(title="A smaller δ costs little", xlabel="δ")
    _label(against_lam, against_delta, data)


def _curves(panel: Axes, data: Table, name: str, column: str, xlim: Point) -> None:
    rows, fixed = select(data, panel=name), "delta" if column == "lam" else "lam"
    log_axes(panel, x=xlim, y=(0.01, 2))
    panel.set_ylabel("ε")
    panel.set_yticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
    for value, colour in zip(np.unique(rows[fixed]), _COLOURS, strict=True):
        exact, closed = series_of(select(rows, **{fixed: value}), *BOUNDS)
        said = np.isfinite(closed["eps"])
        panel.plot(exact[column], exact["eps"], color=colour)
        panel.plot(closed[column][said], closed["eps"][said], color=colour, **_CLOSED)
    example = select(data, panel="example", series="exact")
    panel.plot(example[column], example["eps"], "o", color=INK, markersize=4.5)
    point = example[column][0], example["eps"][0]
    note(panel, f"ε = {point[1]:.3f}", point, (-34, -28), lead=True)


def _label(against_lam: Axes, against_delta: Axes, data: Table) -> None:
    exact, closed = series_of(select(data, panel="lambda"), *BOUNDS)
    for delta, colour, lift in zip(sorted(DELTAS), _COLOURS, (4, -3, 0), strict=True):
        curve = _curve(exact, "lam", delta=delta)
        text = f"$10^{{{math.log10(delta):.0f}}}$"
        label_end(against_lam, curve, text, colour, lift)
    note(against_lam, "δ =", (LARGEST, 0.075), (5, 0), va="center")
    least = _curve(closed, "lam", delta=min(DELTAS))
    label_line(against_lam, least, "closed form", 0.02, (8, 6), PURPLE)
    most = _curve(exact, "lam", delta=max(DELTAS))
    label_line(against_lam, most, "exact\nworst case", 0.0035, (-4, -8), GREEN, ha="center")
    exact = select(data, panel="delta", series="exact")
    for lam, colour in zip(LAMS, _COLOURS, strict=True):
        curve = _curve(exact, "delta", lam=lam)
        label_end(against_delta, curve, f"λ = {lam:g}", colour)


def _curve(rows: Table, column: str, **values: float) -> Table:
    """Return ε against one of the columns, where the others have the given values."""
    rows = select(rows, **values)
    return block(x=rows[column], y=rows["eps"])
