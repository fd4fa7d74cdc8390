"""A poll before a plebiscite: what two attackers believe, and what the tally tells them."""

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from pkdp.figures._drawing import Panels, draw_curve, label_line, log_axes
from pkdp.figures._palette import BLUE, INK, PURPLE, Style
from pkdp.figures._tables import Table, block, select, stack
from pkdp.partial_knowledge import counting
from pkdp.studies import beliefs, plebiscite

TITLE = "A poll, and two attackers who know different things"
ALT = (
    "Two histograms of the probability of a Yes, of 1207 records each. For the attacker who knows "
    "the demographics it is one hump: all lie between 0.12 and 0.77, most of them around 0.3. For "
    "the one who knows support for the status quo as well, 381 lie below 0.05, a few dozen in each "
    "bin of the middle, and a second, lower hump is around 0.87.",
    "δ, logarithmic, against ε from 0 to 0.75; dots at δ = 10⁻⁶. Demographics: the exact curve "
    "meets 10⁻⁶ at ε = 0.25, the dashed bound from λ = 0.12 at 0.40. With the status quo: the "
    "exact curve at 0.34; the dashed bound from λ = 0.008 stays above 0.008; the dotted one that "
    "counts 780 records as known, with λ = 0.18 of the rest, is at 0.58.",
)
PANEL_SIZE = (3.4, 2.9)

DELTA = 1e-6
ATTACKERS = {
    "demographics": plebiscite.DEMOGRAPHICS,
    "status quo": plebiscite.PREDICTORS,
}
_COLOURS = {"demographics": BLUE, "status quo": PURPLE}
_STYLES: dict[str, Style] = {
    "exact": {"linestyle": "-", "linewidth": 1.9},
    "lambda": {"linestyle": (0, (5, 1.6)), "linewidth": 1.5},
    "best": {"linestyle": (0, (1.2, 1.4)), "linewidth": 1.9},
}
_EDGES = np.linspace(0.0, 1.0, 21)
_LARGEST, _LEAST = 0.75, 1e-10  # ε and δ at the ends of the second panel
_GRID = np.linspace(0.0, _LARGEST, 31)


def data() -> Table:
    """Return how the probabilities are spread, and the profiles that follow from them.

    Returns
    -------
    Table
        Columns ``attacker`` (``demographics``, ``status quo``), ``panel``, ``series``, ``x`` and
        ``y``. Panel ``beliefs``: records (y) with a probability in the bin from x on. Panel
        ``profile``: δ (y) at ε (x), for the ``exact`` profile of the worst target, the bound from
        ``lambda`` and the ``best`` statement. Panel ``at delta``: their ε at one δ. Panel
        ``statement``: the λ (x) and the number of known records (y) of the latter two.
    """
    blocks = []
    for name, predictors in ATTACKERS.items():
        she = plebiscite.attacker(predictors)
        p = she.probabilities
        counts = np.histogram(p, _EDGES)[0]
        blocks.append(_rows(name, "beliefs", "records", _EDGES[:-1], counts))
        target = she.worst_target(DELTA)
        lam = beliefs.uncertainties(p)[0]
        blocks.append(_rows(name, "statement", "lambda", lam, 0))
        profiles = {
            "exact": counting.exact(np.delete(p, target.record)),
            "lambda": beliefs.statement(p),
        }
        if name == "status quo":
            best = she.best_statement(DELTA)
            blocks.append(_rows(name, "statement", "best", best.lam, best.known))
            profiles["best"] = beliefs.statement(p, best.known)
        for series, profile in profiles.items():
            blocks.append(_rows(name, "profile", series, _GRID, profile.delta(_GRID)))
            eps = profile.epsilon(DELTA)
            if np.isfinite(eps):
                blocks.append(_rows(name, "at delta", series, eps, DELTA))
    return stack(*blocks)


def _rows(attacker: str, panel: str, series: str, x: ArrayLike, y: ArrayLike) -> Table:
    return block(attacker=attacker, panel=panel, series=series, x=x, y=np.asarray(y, dtype=float))


def draw(axes: Panels, data: Table) -> None:
    """Draw the probabilities on the first panel and the profiles on the second."""
    _beliefs(axes[0], data)
    _profiles(axes[1], data)


def _beliefs(panel: Axes, data: Table) -> None:
    for name, colour in _COLOURS.items():
        counts = select(data, attacker=name, panel="beliefs")["y"]
        panel.stairs(counts, _EDGES, color=colour, fill=True, alpha=0.15)
        panel.stairs(counts, _EDGES, color=colour, linewidth=1.6)
    panel.set(xlim=(-0.012, 1), ylim=(0, 450), yticks=[0, 100, 200, 300, 400])
    panel.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
    panel.grid(axis="x", visible=False)
    panel.set(title="What she believes", xlabel="her probability $p_i$ of a Yes", ylabel="records")
    panel.text(0.47, 140, "knows the\ndemographics", color=BLUE, va="bottom")
    panel.text(0.08, 380, "knows support for\nthe status quo, too", color=PURPLE, va="center")


def _profiles(panel: Axes, data: Table) -> None:
    log_axes(panel, y=(_LEAST, 1))
    panel.set(xlim=(0, _LARGEST), yticks=[1e-9, 1e-6, 1e-3, 1])
    panel.set_xticks([0, 0.2, 0.4, 0.6], ["0", "0.2", "0.4", "0.6"])
    panel.axhline(DELTA, color=INK, linewidth=0.7)
    for name, colour in _COLOURS.items():
        rows = select(data, attacker=name)
        for series, style in _STYLES.items():
            curve = select(rows, panel="profile", series=series)
            draw_curve(panel, curve, style | {"color": colour})
            dot = select(rows, panel="at delta", series=series)
            panel.plot(dot["x"], dot["y"], "o", color=colour)
    panel.set(title="What the tally can tell her", xlabel="ε", ylabel="δ")
    statements = select(data, panel="statement")
    lam, small = select(statements, series="lambda")["x"]
    best = select(statements, series="best")
    counted = f"{best['y'][0]:.0f} known,\nλ = {best['x'][0]:.2f} of the rest"
    for attacker, series, text, at, offset, va in (
        ("demographics", "exact", "exact", 0.3, (-7, -3), "center"),
        ("status quo", "exact", "exact", 0.48, (2.5, 1.5), "center"),
        ("demographics", "lambda", f"λ = {lam:.2f}", 0.51, (5, 2), "center"),
        ("status quo", "lambda", f"λ = {small:.3f}", 0.5, (0, 5), "bottom"),
        ("status quo", "best", counted, 0.38, (5, 1), "bottom"),
    ):
        curve = select(data, attacker=attacker, panel="profile", series=series)
        label_line(panel, curve, text, at, offset, _COLOURS[attacker], va=va)
