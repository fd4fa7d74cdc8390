"""What totals over real families reveal of a child, by the size of its family."""

import numpy as np
from matplotlib.axes import Axes

from pkdp.figures._drawing import Panels, label_line
from pkdp.figures._palette import BLUE, GREEN, INK, VERMILION, Style
from pkdp.figures._tables import Table, block, select, stack
from pkdp.noiseless import normal_bounds
from pkdp.studies import families

TITLE = "Totals over real families"
ALT = (
    "ε at δ = 10⁻⁶ of the number of immunized children among 2,159 in Guatemala, by the size of "
    "the target's family, 1, 2 and 3. Definition 3 stays at 0.146, children taken as independent "
    "at 0.164; the conditional notion rises from 0.146 to 0.216 and 0.282.",
    "ε at δ = 10⁻⁶ of the number of boys among 3.7 million children in Saxony, by the size of the "
    "target's family. Definition 3 is at 0.00277, children taken as independent at 0.00284; the "
    "conditional notion is at 0.00279 for 2 children, 0.00292 for 6 and 0.00328 for 12, on a "
    "Gaussian curve.",
)
PANEL_SIZE = (3.3, 2.9)

DELTA = 1e-6
# Of Saxony a few; by Definition 3 all sizes are alike, and one is shown.
GUATEMALA, SAXONY = (1, 2, 3), (2, 6, 12)

_STYLES: dict[str, Style] = {
    "definition 3": {"color": BLUE, "marker": "o", "linestyle": "none", "markersize": 5},
    "independent": {"color": GREEN, "marker": "s", "linestyle": "none", "markersize": 4.5},
    "conditional": {"color": VERMILION, "marker": "D", "linestyle": "none", "markersize": 4.5},
}
_LIMIT: Style = {"color": INK, "linestyle": (0, (3, 2.2)), "linewidth": 1.1}


def data() -> Table:
    """Return ε by the size of the target's family.

    Returns
    -------
    Table
        Columns ``panel`` (``Guatemala``, ``Saxony``), ``series`` (``definition 3``,
        ``conditional``, ``independent``, ``limit``: Gaussian, for the conditional notion), ``x``
        (children of the family) and ``y`` (ε).
    """
    return stack(*_of("Guatemala", GUATEMALA, GUATEMALA), *_of("Saxony", SAXONY, SAXONY[-1:]))


def _of(data: families.Data, sizes: tuple[int, ...], few: tuple[int, ...]) -> list[Table]:
    kinds = {
        "definition 3": (families.definition_3, few),
        "conditional": (families.conditional, sizes),
        "independent": (families.independent, sizes),
    }
    blocks = []
    for series, (kind, chosen) in kinds.items():
        eps = [kind(data, size).epsilon(DELTA) for size in chosen]
        blocks.append(block(panel=data, series=series, x=np.array(chosen, dtype=float), y=eps))
    every = np.arange(1.0, max(families.table(data)) + 1)
    eps = [_gaussian(data, size) for size in range(1, every.size + 1)]
    return [*blocks, block(panel=data, series="limit", x=every, y=eps)]


def _gaussian(data: families.Data, size: int) -> float:
    """Return ε of a Gaussian total that moves with the target's family."""
    variance = 0.0
    for members, counts in families.table(data).items():
        ones, shares = np.arange(members + 1), np.array(counts) / sum(counts)
        variance += sum(counts) * float((ones - ones @ shares) ** 2 @ shares)
    pull = 1.0 if size == 1 else 1.0 + (size - 1) * families.correlation(data, size)
    return normal_bounds.gaussian(variance / pull**2).epsilon(DELTA)


def draw(axes: Panels, data: Table) -> None:
    """Draw the points of each place on its panel."""
    for panel, place in zip(axes, ("Guatemala", "Saxony"), strict=True):
        rows = select(data, panel=place)
        panel.plot(*(select(rows, series="limit")[name] for name in ("x", "y")), **_LIMIT)
        for series, style in _STYLES.items():
            found = select(rows, series=series)
            panel.plot(found["x"], found["y"], **style)
        panel.set(xlabel="children in the target's family", ylabel="ε at δ = $10^{-6}$")
    _guatemala(axes[0], select(data, panel="Guatemala"))
    _saxony(axes[1], select(data, panel="Saxony"))


def _guatemala(panel: Axes, rows: Table) -> None:
    panel.set(title="Guatemala: immunized children", xlim=(0.6, 3.4), ylim=(0.1, 0.3))
    panel.set_xticks([1, 2, 3], ["1", "2", "3"])
    panel.set_yticks([0.1, 0.2, 0.3], ["0.1", "0.2", "0.3"])
    _label(panel, rows, "conditional", "Conditional", 2, (-6, 4))
    _label(panel, rows, "independent", "as if\nindependent", 3, (0, 5))
    _label(panel, rows, "definition 3", "Definition 3", 2, (0, -6))


def _saxony(panel: Axes, rows: Table) -> None:
    panel.set(title="Saxony: boys", xlim=(0.2, 12.8), ylim=(0.0026, 0.0034))
    panel.set_xticks([2, 6, 12], ["2", "6", "12"])
    panel.set_yticks([0.0026, 0.003, 0.0034], ["0.0026", "0.0030", "0.0034"])
    _label(panel, rows, "conditional", "Conditional", 6, (-4, 6))
    _label(panel, rows, "independent", "as if\nindependent", 12, (0, 5))
    _label(panel, rows, "definition 3", "Definition 3", 12, (-6, -4))


def _label(
    panel: Axes, rows: Table, series: str, text: str, at: float, offset: tuple[float, float]
) -> None:
    found = select(rows, series=series)
    label_line(panel, found, text, at, offset, _STYLES[series]["color"])
