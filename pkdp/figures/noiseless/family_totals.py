"""What totals over real families reveal of a child, by the size of its family."""

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import BLUE, GREEN, INK, VERMILION, Style, line
from pkdp.figures.noiseless import families
from pkdp.noiseless import normal_bounds

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


def data() -> Blocks:
    """Yield ε by the size of the target's family.

    Yields
    ------
    Table
        Columns ``panel`` (``Guatemala``, ``Saxony``), ``series`` (``definition 3``,
        ``conditional``, ``independent``, ``limit``: Gaussian, for the conditional notion), ``x``
        (children of the family) and ``y`` (ε).
    """
    yield from _of("Guatemala", GUATEMALA, GUATEMALA)
    yield from _of("Saxony", SAXONY, SAXONY[-1:])


def _of(data: families.Data, sizes: tuple[int, ...], few: tuple[int, ...]) -> Blocks:
    kinds = {
        "definition 3": (families.definition_3, few),
        "conditional": (families.conditional, sizes),
        "independent": (families.independent, sizes),
    }
    for series, (kind, chosen) in kinds.items():
        eps = [kind(data, size).epsilon(DELTA) for size in chosen]
        yield block(panel=data, series=series, x=np.array(chosen, dtype=float), y=eps)
    every = np.arange(1.0, max(families.table(data)) + 1)
    eps = [_gaussian(data, size) for size in range(1, every.size + 1)]
    yield block(panel=data, series="limit", x=every, y=eps)


def _gaussian(data: families.Data, size: int) -> float:
    """Return ε of a Gaussian total that moves with the target's family."""
    variance = 0.0
    for members, counts in families.table(data).items():
        ones, shares = np.arange(members + 1), np.array(counts) / sum(counts)
        variance += sum(counts) * float((ones - ones @ shares) ** 2 @ shares)
    pull = 1.0 if size == 1 else 1.0 + (size - 1) * families.correlation(data, size)
    return normal_bounds.gaussian(variance / pull**2).epsilon(DELTA)


def draw(axes: Panels) -> None:
    """Draw the points of each place on its panel."""
    guatemala, saxony = panels(axes, "Guatemala: immunized children", "Saxony: boys")
    for panel in axes:
        panel.curve("limit", line(INK, (0, (3, 2.2)), 1.1))
        for series, style in _STYLES.items():
            panel.curve(series, style)
    label = "children in the target's family"
    guatemala.x(label, (0.6, 3.4), [1, 2, 3])
    guatemala.y("ε at δ = $10^{-6}$", (0.1, 0.3), [0.1, 0.2, 0.3])
    saxony.x(label, (0.2, 12.8), [2, 6, 12])
    heights = {0.0026: "0.0026", 0.003: "0.0030", 0.0034: "0.0034"}
    saxony.y("ε at δ = $10^{-6}$", (0.0026, 0.0034), heights)
    for panel, series, text, at, offset in (
        (guatemala, "conditional", "Conditional", 2, (-6, 4)),
        (guatemala, "independent", "as if\nindependent", 3, (0, 5)),
        (guatemala, "definition 3", "Definition 3", 2, (0, -6)),
        (saxony, "conditional", "Conditional", 6, (-4, 6)),
        (saxony, "independent", "as if\nindependent", 12, (0, 5)),
        (saxony, "definition 3", "Definition 3", 12, (-6, -4)),
    ):
        panel.label(series, text, at, offset, _STYLES[series]["color"])
