"""k-anonymous tables of a real poll: what they tell, and what they leave out, as k grows."""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from pkdp.figures._drawing import BLUE, GREEN, PURPLE, label_end, label_line
from pkdp.figures._tables import Table, block, select, stack
from pkdp.studies import microdata, suppressed_tables

NAME = "microdata"
TITLE = "A k-anonymous table of a poll, and what it leaves out"
ALT = (
    "ε at δ = 10⁻⁶ against k from 2 to 100, both logarithmic, for three tables of the poll, each "
    "with a dotted line (at least) and, on the right, a solid one (at most) that all but covers "
    "it. At k = 50 and 70 the three tables nearly agree. All four columns: 3.9 at k = 2, 1.4 at "
    "20, 0.83 at 50, 0.45 at 100, solid from k = 20 on. Without education: 3.6 at k = 2, 0.79 at "
    "50, 0.57 at 100, solid from k = 30 on, where it starts well above the dots, at 1.7. Without "
    "region: 2.8 at k = 2, 0.84 at 50, 0.56 at 100, solid from k = 50 on.",
    "The share of the records that are suppressed against the same k. All four columns: 7 % at "
    "k = 10, 22 % at 20, 70 % at 50, all of them at 100. Without education: 0.5 %, 4 %, 16 % and "
    "49 %. Without region: none, 3 %, 7 % and 21 %.",
)
COLUMNS = 2
PANEL_SIZE = (3.4, 2.9)

DELTA = 1e-6
K = (2, 5, 10, 20, 30, 50, 70, 100)
TABLES = {
    "all four columns": ("region", "sex", "education", "vote"),
    "without education": ("region", "sex", "vote"),
    "without region": ("sex", "education", "vote"),
}
_COLOURS = {"all four columns": BLUE, "without education": PURPLE, "without region": GREEN}
_STYLES: dict[str, dict[str, Any]] = {
    "upper": {"linestyle": "-", "linewidth": 1.7},
    "lower": {"linestyle": (0, (1.2, 1.4)), "linewidth": 1.7},
}


@functools.cache
def data() -> Table:
    """Return what is promised, what is certain to be told, and what is suppressed.

    Returns
    -------
    Table
        Columns ``columns`` (a name of `TABLES`), ``panel``, ``series``, ``x`` (k) and ``y``. Panel
        ``eps``: ε at one δ, for the series ``upper`` (where it is finite) and ``lower``. Panel
        ``suppressed``: the share of records. Panel ``proof``: for the series ``hidden`` the number
        of cells that the proof of ``upper`` takes for hidden, for ``eta`` what that costs of δ,
        where it is finite.
    """
    blocks = []
    for name, columns in TABLES.items():
        counts = list(microdata.cells(columns).values())
        found = [suppressed_tables.epsilon(counts, k, delta=DELTA) for k in K]
        finite = [(k, one) for k, one in zip(K, found, strict=True) if np.isfinite(one.eps)]
        x = [k for k, _ in finite]
        lower = [suppressed_tables.least_epsilon(counts, k, delta=DELTA) for k in K]
        share = [suppressed_tables.suppressed(counts, k)[0] for k in K]
        blocks += [
            _rows(name, "eps", "upper", x, [one.eps for _, one in finite]),
            _rows(name, "eps", "lower", K, lower),
            _rows(name, "suppressed", "records", K, share),
            _rows(name, "proof", "hidden", x, [one.hidden for _, one in finite]),
            _rows(name, "proof", "eta", x, [one.eta for _, one in finite]),
        ]
    return stack(*blocks)


def _rows(columns: str, panel: str, series: str, x: ArrayLike, y: ArrayLike) -> Table:
    return block(columns=columns, panel=panel, series=series, x=x, y=np.asarray(y, dtype=float))


def draw(axes: Sequence[Axes], data: Table) -> None:
    """Draw ε on the first panel and the suppressed share on the second."""
    for panel in axes:
        panel.set_xscale("log")
        panel.set_xlim(1.85, 108)
        panel.set_xticks([2, 5, 10, 20, 50, 100], ["2", "5", "10", "20", "50", "100"])
        panel.minorticks_off()
        panel.set_xlabel("k")
    _eps(axes[0], data)
    _suppressed(axes[1], data)


def _eps(panel: Axes, data: Table) -> None:
    panel.set_yscale("log")
    panel.set_ylim(0.4, 5)
    panel.set_yticks([0.5, 1, 2, 4], ["0.5", "1", "2", "4"])
    panel.minorticks_off()
    for name, colour in _COLOURS.items():
        for series, style in _STYLES.items():
            curve = select(data, columns=name, panel="eps", series=series)
            panel.plot(curve["x"], curve["y"], color=colour, **style)
    for name, series, at, offset, ha in (
        ("all four columns", "lower", 4, (5, 5), "left"),
        ("without education", "upper", 30, (0, 9), "center"),
        ("without region", "lower", 8, (-1, -14), "right"),
    ):
        curve = select(data, columns=name, panel="eps", series=series)
        label_line(panel, curve, name, at=at, offset=offset, color=_COLOURS[name], ha=ha)
    panel.set_ylabel("ε at δ = 10⁻⁶")
    panel.set_title("What the table tells")
    panel.text(2.1, 0.47, "solid: at most\ndotted: at least", fontsize=8, va="bottom")


def _suppressed(panel: Axes, data: Table) -> None:
    panel.set_ylim(-0.01, 1.02)
    panel.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
    panel.set_xlim(1.85, 260)  # room for two names
    for name, colour in _COLOURS.items():
        curve = select(data, columns=name, panel="suppressed")
        panel.plot(curve["x"], curve["y"], color=colour, linewidth=1.7)
        if name == "all four columns":
            label_line(panel, curve, name, at=40, offset=(-7, 0), color=colour, ha="right")
        else:
            label_end(panel, curve, name.replace(" ", "\n"), color=colour)
    panel.set_ylabel("suppressed records")
    panel.set_title("What it leaves out")
