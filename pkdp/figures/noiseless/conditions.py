"""What Definition 3 says of a sum: by what may be inserted, and if a record is replaced instead."""

import numpy as np

from pkdp.figures._drawing import Panels, draw_curve, log_axes, power_ticks
from pkdp.figures._palette import BLUE, GREEN, PURPLE, VERMILION, Style
from pkdp.figures._tables import Table, curves, select, stack
from pkdp.noiseless import notions
from pkdp.noiseless.notions import GroupLaw

TITLE = "What may come, and what may be exchanged"
ALT = (
    "δ at ε = 0 against n from 1 to 1,000, both axes logarithmic, for the sum of n fair bits. If "
    "the new record is n + 1, δ is 1 for every n. If it is the parity of the others, δ is ½ for "
    "every n. If it is a bit of its own, δ falls in a nearly straight line from ½ at n = 1 through "
    "0.25 at 10 and 0.08 at 100 to 0.025 at 1,000.",
    "δ at ε = 0 against n from 1 to 1,000, both axes logarithmic, for records of two values, each "
    "with probability ½. Adding and removing: δ is 1 for every n if they are 1 or 3; if they are "
    "10 or 11, it is 1 up to n = 10, 0.73 at 100 and 0.27 at 1,000. Replacing is the same for "
    "both: from ½ at n = 1 through 0.04 at 100 to 0.013 at 1,000.",
)

SIZES = np.unique(np.geomspace(1, 1000, 37).round().astype(np.int64))
BIT: GroupLaw = {(0,): 0.5, (1,): 0.5}
NEAR: GroupLaw = {(10,): 0.5, (11,): 0.5}
ODD: GroupLaw = {(1,): 0.5, (3,): 0.5}

_SOLID: Style = {"linestyle": "-", "linewidth": 1.9}
_DASHED: Style = {"linestyle": (0, (5, 1.6)), "linewidth": 1.7}
_DOTTED: Style = {"linestyle": (0, (1.2, 1.4)), "linewidth": 2.0}


def data() -> Table:
    """Return δ(0) against n.

    Returns
    -------
    Table
        Columns ``panel`` (``inserted``, ``exchanged``), ``series`` (``a bit``, ``parity``,
        ``n + 1``; ``10 or 11``, ``1 or 3``, ``replaced``), ``x`` (n) and ``y`` (δ at ε = 0).
    """
    sizes = SIZES.tolist()
    add, replace = notions.add_or_remove, notions.replace
    inserted = {
        "a bit": [add([(BIT, n)], (0, 0)).delta(0.0) for n in sizes],
        # Half of the mass of the sum is odd, and none of the new one: δ is ½ at every ε.
        "parity": [0.5] * len(sizes),
        "n + 1": [add([(BIT, n)], (0, 0), inserted=[n + 1]).delta(0.0) for n in sizes],
    }
    exchanged = {
        "10 or 11": [add([(NEAR, n)], (0, 0)).delta(0.0) for n in sizes],
        "1 or 3": [add([(ODD, n)], (0, 0)).delta(0.0) for n in sizes],
        "replaced": [replace([(NEAR, n)], (0, 0)).delta(0.0) for n in sizes],
    }
    x = SIZES.astype(float)
    return stack(curves(x, inserted, panel="inserted"), curves(x, exchanged, panel="exchanged"))


def draw(axes: Panels, data: Table) -> None:
    """Draw the three conditions on X*, then two adjacencies."""
    inserted, exchanged = axes
    for panel in axes:
        log_axes(panel, x=(1, 1e3), y=(6e-3, 2))
        panel.set(xlabel="n", ylabel="δ at ε = 0")
        panel.set_xticks([1, 10, 100, 1e3], ["1", "10", "100", "1,000"])
        power_ticks(panel, -2, -1, 0)
    inserted.set(title="What is inserted")
    exchanged.set(title="Records of two values")
    rows = select(data, panel="inserted")
    places = (
        ("n + 1", VERMILION, _DOTTED, "n + 1", 25, (0, 3)),
        ("parity", PURPLE, _DASHED, "parity of the others", 60, (0, 3)),
        ("a bit", BLUE, _SOLID, "a bit of its own", 50, (4, 3)),
    )
    for series, color, style, text, at, offset in places:
        curve = select(rows, series=series)
        draw_curve(inserted, curve, style | {"color": color}, text, at, offset)
    rows = select(data, panel="exchanged")
    places = (
        ("1 or 3", VERMILION, _DOTTED, "1 or 3: added, removed", 25, (0, 3)),
        ("10 or 11", GREEN, _DASHED, "10 or 11:\nadded, removed", 300, (-3, -6)),
        ("replaced", BLUE, _SOLID, "both: replaced", 25, (-3, -4)),
    )
    for series, color, style, text, at, offset in places:
        curve = select(rows, series=series)
        draw_curve(exchanged, curve, style | {"color": color}, text, at, offset)
