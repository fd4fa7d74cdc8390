"""What Definition 3 says of a sum: by what may be inserted, and if a record is replaced instead."""

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, curves, panels, powers
from pkdp.figures._palette import BLUE, DASHED, DOTTED, GREEN, PURPLE, VERMILION, line
from pkdp.noiseless import noiseless_privacy
from pkdp.noiseless.noiseless_privacy import GroupLaw

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


def data() -> Blocks:
    """Yield δ(0) against n.

    Yields
    ------
    Table
        Columns ``panel`` (``inserted``, ``exchanged``), ``series`` (``a bit``, ``parity``,
        ``n + 1``; ``10 or 11``, ``1 or 3``, ``replaced``), ``x`` (n) and ``y`` (δ at ε = 0).
    """
    sizes = SIZES.tolist()
    add, replace = noiseless_privacy.add_or_remove, noiseless_privacy.replace
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
    yield curves(x, inserted, panel="inserted")
    yield curves(x, exchanged, panel="exchanged")


def draw(axes: Panels) -> None:
    """Draw the three conditions on X*, then two adjacencies."""
    inserted, exchanged = panels(axes, "What is inserted", "Records of two values")
    for panel in axes:
        panel.log_x("n", (1, 1e3), [1, 10, 100, 1e3])
        panel.log_y("δ at ε = 0", (6e-3, 2), powers(-2, -1, 0))
    dotted = line(VERMILION, DOTTED, 2.0)
    inserted.curve("n + 1", dotted, "n + 1", 25, (0, 3))
    inserted.curve("parity", line(PURPLE, DASHED, 1.7), "parity of the others", 60, (0, 3))
    inserted.curve("a bit", line(BLUE), "a bit of its own", 50, (4, 3))
    exchanged.curve("1 or 3", dotted, "1 or 3: added, removed", 25, (0, 3))
    text = "10 or 11:\nadded, removed"
    exchanged.curve("10 or 11", line(GREEN, DASHED, 1.7), text, 300, (-3, -6))
    exchanged.curve("replaced", line(BLUE), "both: replaced", 25, (-3, -4))
