"""What every figure needs: blocks of its table, panels, and powers of ten on their axes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from pkdp.figures._palette import power_of_ten
from pkdp.figures._tables import Blocks, Table, block, curves, seen

if TYPE_CHECKING:
    from pkdp.figures._panel import Panel

# Figures take from here what they draw, too.
__all__ = ["Blocks", "Panels", "Table", "block", "curves", "panels", "powers", "seen"]

Panels: TypeAlias = Sequence["Panel"]


def panels(axes: Panels, *titles: str, by: str = "panel") -> Panels:
    """Give each panel its title, and its own rows of the table, where they are in this order.

    With ``by=""`` it keeps all rows.
    """
    for panel, title in zip(axes, titles, strict=False):
        panel.set_title(title)
    if by:
        names = dict.fromkeys(axes[0].data[by].tolist())
        for panel, name in zip(axes, names, strict=False):
            panel.data = panel.rows(**{by: name})
    return axes


def powers(*exponents: int) -> dict[float, str]:
    """Return powers of ten, for an axis: how each is written.

    Examples
    --------
    >>> powers(-12, 0)
    {1e-12: '10⁻¹²', 1.0: '1'}
    """
    return {float(f"1e{one}"): power_of_ten(one) for one in exponents}
