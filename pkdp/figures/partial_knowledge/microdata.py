"""k-anonymous tables of a real poll: what they tell, and what they leave out, as k grows."""

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from pkdp.figures._drawing import Panels, draw_curve, label_end, label_line, log_axes
from pkdp.figures._palette import BLUE, GREEN, PURPLE, Style
from pkdp.figures._tables import Table, block, select, stack
from pkdp.studies import microdata, suppressed_tables

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
PANEL_SIZE = (3.4, 2.9)

DELTA = 1e-6
K = (2, 5, 10, 20, 30, 50, 70, 100)
TABLES = {
    "all four columns": ("region", "sex", "education", "vote"),
    "without education": ("region", "sex", "vote"),
    "without region": ("sex", "education", "vote"),
}
_COLOURS = {"all four columns": BLUE, "without education": PURPLE, "without region": GREEN}
_STYLES: dict[str, Style] = {
    "upper": {"linestyle": "-", "linewidth": 1.7},
    "lower": {"linestyle": (0, (1.2, 1.4)), "linewidth": 1.7},
}


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


def draw(axes: Panels, data: Table) -> None:
    """Draw ε on the first panel and the suppressed share on the second."""
    for panel in axes:
        log_axes(panel, x=(1.85, 108))
        panel.set_xticks([2, 5, 10, 20, 50, 100], ["2", "5", "10", "20", "50", "100"])
        panel.set_xlabel("k")
    _eps(axes[0], select(data, panel="eps"))
    _suppressed(axes[1], select(data, panel="suppressed"))


def _eps(panel: Axes, data: Table) -> None:
    log_axes(panel, y=(0.4, 5))
    panel.set_yticks([0.5, 1, 2, 4], ["0.5", "1", "2", "4"])
    for name, colour in _COLOURS.items():
        for series, style in _STYLES.items():
            draw_curve(panel, select(data, columns=name, series=series), style | {"color": colour})
    for name, series, at, offset in (
        ("all four columns", "lower", 4, (5, 5)),
        ("without education", "upper", 30, (0, 9)),
        ("without region", "lower", 8, (-1, -14)),
    ):
        curve = select(data, columns=name, series=series)
        label_line(panel, curve, name, at, offset, _COLOURS[name], va="bottom")
    panel.set(title="What the table tells", ylabel="ε at δ = 10⁻⁶")
    panel.text(2.1, 0.47, "solid: at most\ndotted: at least", va="bottom")


def _suppressed(panel: Axes, data: Table) -> None:
    panel.set(xlim=(1.85, 260), ylim=(-0.01, 1.02))  # room for two names
    panel.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
    for name, colour in _COLOURS.items():
        curve = select(data, columns=name)
        draw_curve(panel, curve, {"color": colour, "linewidth": 1.7})
        if name == "all four columns":
            label_line(panel, curve, name, 40, (-7, 0), colour)
        else:
            label_end(panel, curve, name.replace(" ", "\n"), colour)
    panel.set(title="What it leaves out", ylabel="suppressed records")
