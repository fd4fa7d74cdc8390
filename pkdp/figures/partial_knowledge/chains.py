"""What a chain of private mechanisms gives away: less than each of them."""

import functools
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from pkdp.figures._drawing import BLUE, BOUND, EXACT, GREEN, PURPLE, label_end, label_line
from pkdp.figures._tables import Table, block, select, stack
from pkdp.profiles import accounting, post_processing

NAME = "chains"
TITLE = "One private mechanism after another"
ALT = (
    "The ε of a chain of 1, 2, 3 and 5 mechanisms against the ε of each, from 0 to 4. One "
    "mechanism is the diagonal. Two that are 1-private make a chain of ε = 0.43, three 0.20 and "
    "five 0.042. At ε = 4 the chains of two, three and five have 3.31, 2.90 and 2.39: a constant "
    "below the diagonal.",
    "δ against ε from 0 to 2.4 for two mechanisms, (2, 10⁻³)- and (1, 10⁻³)-private, alone and in "
    "a chain. Alone, the second begins at δ = 0.46, falls to 10⁻³ at ε = 1 and stays there. Both "
    "orders of the chain begin at 0.35 and fall together to 6·10⁻⁴ or 1.3·10⁻⁴ at ε = 0.8. With "
    "the better mechanism first it is 10⁻⁶ from ε = 1 on, with the worse one first from ε = 2 on.",
)
COLUMNS = 2
PANEL_SIZE = (3.3, 2.75)

LENGTHS = (1, 2, 3, 5)
WORSE, BETTER = (2.0, 1e-3), (1.0, 1e-3)


@functools.cache
def data() -> Table:
    """Return the curves of both panels.

    Returns
    -------
    Table
        Columns ``panel`` (``pure``, ``profile``), ``series``, ``x`` (ε of each, and ε) and ``y``
        (ε of the chain, and δ).
    """
    each = np.linspace(0, 4, 81)
    grid = np.linspace(0, 2.4, 97)
    orders = {"better first": (BETTER, WORSE), "worse first": (WORSE, BETTER)}
    return stack(
        *(
            block(
                panel="pure",
                series=f"{length}",
                x=each,
                y=[post_processing.pure([float(eps)] * length) for eps in each],
            )
            for length in LENGTHS
        ),
        block(
            panel="profile",
            series="alone",
            x=grid,
            y=accounting.optimal(*BETTER, times=1).delta(grid),
        ),
        *(
            block(
                panel="profile",
                series=name,
                x=grid,
                y=post_processing.of_guarantees(*zip(*order, strict=True)).delta(grid),
            )
            for name, order in orders.items()
        ),
    )


def draw(axes: Sequence[Axes], data: Table) -> None:
    """Draw pure chains on the first panel and the profiles of two on the second."""
    _pure(axes[0], select(data, panel="pure"))
    _profile(axes[1], select(data, panel="profile"))


def _pure(panel: Axes, rows: Table) -> None:
    panel.set_xlim(0, 4)
    panel.set_ylim(0, 4)
    panel.set_xticks(range(5))
    panel.set_yticks(range(5))
    panel.set_xlabel("ε of each")
    panel.set_ylabel("ε of the chain")
    panel.set_title("$k$ in a row, δ = 0")
    for length in LENGTHS:
        curve = select(rows, series=f"{length}")
        alone = length == 1
        panel.plot(curve["x"], curve["y"], **(BOUND if alone else EXACT))
        label_end(panel, curve, f"$k$ = {length}", color=GREEN if alone else BLUE)


def _profile(panel: Axes, rows: Table) -> None:
    panel.set_yscale("log")
    panel.set_ylim(3e-7, 1)
    panel.set_yticks([1e-6, 1e-4, 1e-2, 1], ["$10^{-6}$", "$10^{-4}$", "$10^{-2}$", "1"])
    panel.minorticks_off()
    panel.set_xlim(0, 2.4)
    panel.set_xticks([0, 1, 2])
    panel.set_xlabel("ε")
    panel.set_ylabel("δ")
    panel.set_title("Two in a row, each δ = $10^{-3}$")
    alone, better, worse = (
        select(rows, series=name) for name in ("alone", "better first", "worse first")
    )
    panel.plot(alone["x"], alone["y"], **BOUND)
    panel.plot(worse["x"], worse["y"], color=PURPLE, linewidth=1.9)
    panel.plot(better["x"], better["y"], **EXACT)
    label_line(panel, alone, "ε = 1 alone", at=1.7, color=GREEN)
    label_line(panel, worse, "first 2,\nthen 1", at=1.55, offset=(2, -4), va="top", color=PURPLE)
    label_line(
        panel, better, "first 1,\nthen 2", at=0.8, offset=(-8, -6), va="top", ha="right", color=BLUE
    )
