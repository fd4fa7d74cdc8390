"""Figure 5 of the paper: ε against the number of known records, with noise and without."""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from pkdp.figures._drawing import BLUE, EXACT, INK, PRINTED, VERMILION, label_line
from pkdp.figures._tables import Table, block, select, stack
from pkdp.partial_knowledge import counting, noise, published

NAME = "5"
TITLE = "ε against the number of known records, with Laplace noise and without"
ALT = (
    "Against the number of known records, 0 to 100,000, in a frame of ε up to 1. The published "
    "curve without noise rises from 0.25 and leaves the frame near 93,500; the one with noise "
    "stops rising at 74,212 known records, where ε is 0.5. The exact curves are far lower: both "
    "are 0.080 at first, and 0.17 and 0.16 at 74,212. At 91,000 they are 0.30 without and 0.29 "
    "with noise. Then the one without noise leaves the frame near 98,700, and the other bends "
    "into 0.5.",
    "Against the number of unknown records, 10 to 100,000, both axes logarithmic. With fewer than "
    "449 no ε is enough without noise, a grey region. From there the exact curve without noise "
    "falls from 3.2 to 0.080. With noise it is 0.5 up to some 1,500 unknown records, 0.44 at "
    "3,700, where without noise it is 0.50, and then joins the other. The published curve without "
    "noise runs through the grey region and falls to 3.8 at its end and to 0.25; with noise it is "
    "cut at 0.5.",
)
COLUMNS = 2
PANEL_SIZE = (3.3, 2.75)

N, LAM, DELTA, SCALE = 100_000, 0.05, 1e-10, 2.0
MOST = 448  # (1-λ)^448 is the last power above δ: with so few unknown records no ε is enough

_TOL = 1e-2  # of δ, which is a thousandth of ε at most

# Numbers of unknown records, closer together where the curves bend. With 25,787 of them, 74,212 are
# known, and the published curve is just about to be cut.
_FEW = [10, *range(449, 550, 25), 650, 800, 1000, 1250, 1500, *range(2000, 6000, 500), 3700]
_MANY = [6000, 7500, 8999, 11_000, 13_000, 16_000, 20_000, 25_787, 35_000, 50_000, 70_000, 99_899]
_UNKNOWN = np.array(sorted([*_FEW, *_MANY]))
# The published closed form costs nothing, and has its own, finer grid.
_DRAWN = np.union1d(_UNKNOWN, np.geomspace(10, 99_899, 90).round().astype(int))
_PUBLISHED = ("published", "published with noise")
_STYLES: dict[str, dict[str, Any]] = {
    "published": PRINTED,
    "published with noise": PRINTED,
    "exact": EXACT | {"linewidth": 1.0},
    "exact with noise": EXACT,
}


@functools.cache
def data() -> Table:
    """Return the published and the exact curves.

    Returns
    -------
    Table
        Columns ``panel`` (``known``, ``unknown``), ``series``, ``x`` and ``y`` (ε). On the first
        panel x is |B|, the number of known records; on the second the number of unknown ones
        beside the target, ``n - 1 - |B|``. Series are ``published``, ``published with noise``,
        ``exact`` and ``exact with noise``.
    """
    known, drawn = N - 1 - _UNKNOWN, N - 1 - _DRAWN
    curves = [
        (name, drawn, [published.figure_5(int(seen), series) for seen in drawn])
        for name, series in zip(_PUBLISHED, published.FIGURE_5_SERIES, strict=True)
    ]
    feasible = known[_UNKNOWN > MOST]
    profiles = (counting.worst_case(N, LAM, known=int(seen)) for seen in feasible)
    curves.append(("exact", feasible, [profile.epsilon(DELTA) for profile in profiles]))
    # Between these few and a thousand unknown records the curve stays at ½, and costs most.
    noisy = known[(_UNKNOWN < 20) | (_UNKNOWN >= 900)]
    profiles = (
        noise.worst_case(N, LAM, noise=noise.Laplace(SCALE), known=int(seen), tol=_TOL)
        for seen in noisy
    )
    curves.append(("exact with noise", noisy, [profile.epsilon(DELTA) for profile in profiles]))
    blocks = []
    for series, seen, eps in curves:
        rows = {"known": (seen[::-1], eps[::-1]), "unknown": (N - 1 - seen, eps)}
        for panel, (x, y) in rows.items():
            blocks.append(block(panel=panel, series=series, x=x.astype(float), y=y))
    return stack(*blocks)


def draw(axes: Sequence[Axes], data: Table) -> None:
    """Draw the published frame, and the same against the number of unknown records."""
    known, unknown = axes
    for panel, name in zip(axes, ("known", "unknown"), strict=True):
        rows = select(data, panel=name)
        for series, style in _STYLES.items():
            curve = select(rows, series=series)
            panel.plot(curve["x"], curve["y"], **style)
        panel.set_ylabel("ε")
    known.set_xlim(0, N)
    known.set_ylim(0, 1)
    known.set_xticks([0, 25_000, 50_000, 75_000, N], ["0", "25,000", "50,000", "75,000", "100,000"])
    known.set_xlabel("|B|, the number of known records")
    known.set_title("As published")
    unknown.set_xscale("log")
    unknown.set_yscale("log")
    unknown.set_xlim(10, N)
    unknown.set_ylim(0.02, 10)
    unknown.set_xticks([10, 100, 1000, 10_000, N], ["10", "100", "1,000", "10,000", "100,000"])
    unknown.set_yticks([0.1, 1, 10], ["0.1", "1", "10"])
    unknown.minorticks_off()
    unknown.set_xlabel("unknown records beside the target")
    unknown.set_title("Nearer to the end")
    unknown.axvspan(10, MOST + 0.5, color=INK, alpha=0.08, linewidth=0)
    _label_known(known, select(data, panel="known"))
    _label_unknown(unknown, select(data, panel="unknown"))


def _label_known(panel: Axes, rows: Table) -> None:
    printed = select(rows, series="published")
    _label(panel, printed, "no noise,\nas published", 87_000, (-6, 4), VERMILION, "right", "bottom")
    capped = select(rows, series="published with noise")
    _label(panel, capped, "with noise", 66_000, (-4, 6), VERMILION, "right", "bottom")
    exact = select(rows, series="exact with noise")
    _label(panel, exact, "exact", 60_000, (0, -4), BLUE, "center", "top")


def _label_unknown(panel: Axes, rows: Table) -> None:
    printed = select(rows, series="published")
    _label(panel, printed, "as published", 2000, (4, 1), VERMILION, "left", "bottom")
    exact = select(rows, series="exact")
    _label(panel, exact, "exact,\nno noise", 449, (-5, 4), BLUE, "right", "top")
    noisy = select(rows, series="exact with noise")
    _label(panel, noisy, "exact with noise", 3500, (-4, -8), BLUE, "right", "top")
    panel.text(68, 0.035, "without noise\nno ε is enough", fontsize=8, ha="center")


def _label(
    panel: Axes,
    curve: Table,
    text: str,
    at: float,
    offset: tuple[float, float],
    color: str,
    ha: str,
    va: str,
) -> None:
    label_line(panel, curve, text, at=at, offset=offset, color=color, ha=ha, va=va)
