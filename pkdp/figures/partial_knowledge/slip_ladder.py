"""Theorem 3 from print to tight, one slip corrected per panel."""

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, curves, panels, powers
from pkdp.figures._palette import BLUE, GREEN, INK, VERMILION, line
from pkdp.partial_knowledge import counting, published
from pkdp.profiles.profile import PrivacyProfile

TITLE = "One slip corrected per panel"
ALT = (
    "δ against ε for 1,000 records and λ = 0.05, δ on a logarithmic axis. The condition as "
    "printed is above 0.95 up to ε = 0.8, 0.51 at ε = 1, and far above the exact worst case "
    "throughout, which falls from 0.058 at ε = 0 to 9·10⁻⁹ at ε = 1.",
    "With e to the ε in place of ε the curve drops steeply and crosses the exact worst case "
    "between ε = 0.5 and 0.55. To the right of that the shaded gap shows it promising too much: at "
    "ε = 1 its δ is 7·10⁻¹², over a thousand times too small.",
    "With λ in place of 2λ the curve lies above the exact worst case everywhere here: 0.52 at "
    "ε = 0, 1.6·10⁻⁶ at ε = 1. That is luck, not proof.",
    "With X and Y from one multinomial the curve hardly moves, to 2.4·10⁻⁶ at ε = 1, and stays "
    "above the exact worst case here.",
    "With the missing 1 restored the curve rises a little, to 3.2·10⁻⁶ at ε = 1, and is now a "
    "proven upper bound.",
    "With the mean in place of the tail probability the bound falls by a factor of seven to "
    "twenty-one: 0.080 at ε = 0, 1.6·10⁻⁷ at ε = 1.",
    "The exact worst case itself, the largest δ of any vertex: close to the bound at ε = 0, about "
    "eighteen times smaller at ε = 1.",
    "The ε of each condition at δ = 0.00001, as a dot: 1.81 as printed, then 0.59, 0.90, 0.92, "
    "0.94, 0.77, and 0.63 exactly. Only the second lies to the left of the exact value, in the "
    "range that promises too much.",
)
PANEL_SIZE = (3.3, 2.5)

# Readings that correct one more slip each.
_PRINTED = published.THEOREM_3_READINGS[:4]
_COLOURS = dict.fromkeys(_PRINTED, VERMILION) | {"tail": GREEN, "blanket": GREEN, "exact": BLUE}
RECORDS, LAM = 1000, 0.05
DELTA = 0.01 / RECORDS
EPS = np.linspace(0, 1.5, 61)

_HEADINGS = {
    "literal": "1  As printed",
    "exponential": r"2  $\mathbf{e}^{\mathbf{ε}}$ for ε",
    "rate": "3  λ for 2λ",
    "multinomial": "4  One multinomial, not two laws",
    "tail": "5  The +1 restored",
    "blanket": "6  The mean, not the tail",
    "exact": "7  The worst vertex, not the blanket",
}
_FORMULAS = {
    "literal": "$P[X/Y \\geq \\varepsilon]$\n$X, Y$ ~ Bin$(N, 2λ)$",
    "exponential": "$P[X/Y \\geq e^{\\varepsilon}]$\n$X, Y$ ~ Bin$(N, 2λ)$",
    "rate": "$P[X/Y \\geq e^{\\varepsilon}]$\n$X, Y$ ~ Bin$(N, λ)$",
    "multinomial": "$P[X/Y \\geq e^{\\varepsilon}]$\n$(X, Y)$ ~ Mult$(N; λ, λ)$",
    "tail": "$P[(X{+}1)/Y \\geq e^{\\varepsilon}]$\n$(X, Y)$ ~ Mult$(N; λ, λ)$",
    "blanket": "$E[(1 - e^{\\varepsilon}Y/(X{+}1))_{+}]$\n$(X, Y)$ ~ Mult$(N; λ, λ)$",
    "exact": "$\\max_m\\, δ_m(ε)$\n$m$ records at λ",
}


def data() -> Blocks:
    """Yield δ(ε) of every condition, and the ε each gives at δ = 0.01/n.

    Yields
    ------
    Table
        Columns ``panel`` (``curve``, ``summary``), ``series`` (the condition), ``x`` (ε) and
        ``y`` (δ).
    """
    profiles: dict[str, PrivacyProfile] = {
        name: published.theorem_3(RECORDS, LAM, reading=name) for name in _PRINTED
    }
    profiles["tail"] = counting.tail(RECORDS, LAM)
    profiles["blanket"] = counting.blanket(RECORDS, LAM)
    profiles["exact"] = counting.worst_case(RECORDS, LAM)
    deltas = {name: profile.delta(EPS) for name, profile in profiles.items()}
    yield curves(EPS, deltas, panel="curve")
    for name, profile in profiles.items():
        yield block(panel="summary", series=name, x=profile.epsilon(DELTA), y=DELTA)


def draw(axes: Panels) -> None:
    """Draw one condition per panel, and the ε of all of them on the last."""
    titles = (*_HEADINGS.values(), "The ε each gives at δ = 0.01/n")
    *ladder, summary = panels(axes, *titles, by="")
    rungs = {name: summary.rows(name, panel="curve") for name in _HEADINGS}
    exact, before = rungs["exact"], None
    for panel, (name, rung) in zip(ladder, rungs.items(), strict=True):
        panel.x("ε", (0, 1.5), [0, 0.5, 1, 1.5], digits=1)
        panel.log_y("δ", (1e-10, 3), powers(-9, -6, -3, 0))
        panel.shade_gap(rung["x"], rung["y"], exact["y"])
        if before is not None:
            panel.curve(before, line(INK, width=1.2) | {"alpha": 0.4})
        panel.curve(exact, line(BLUE, width=1))
        panel.curve(rung, line(_COLOURS[name], width=2))
        panel.text(0.03, 0.05, _FORMULAS[name], transform=panel.transAxes, va="bottom")
        before = rung
    ladder[0].label(exact, "exact worst case", 0.6, (-3, -3), BLUE)
    ladder[0].label(rungs["literal"], "as printed", 1.1, (6, 0), VERMILION)
    ladder[1].text(0.82, 1.5e-6, "promises too much", color=VERMILION)
    ladder[1].label(rungs["literal"], "panel 1", 1.1, (6, 0))

    (smallest,) = summary.rows("exact", panel="summary")["x"]
    summary.axvspan(0, smallest, color=VERMILION, alpha=0.12, linewidth=0)
    summary.axvline(smallest, color=BLUE, linewidth=1)
    for number, row in enumerate(summary.records(panel="summary"), start=1):
        eps, colour = row["x"], _COLOURS[row["series"]]
        summary.plot(eps, number, "o", color=colour, markersize=5)
        offset = (-6 if eps < smallest else 6, 0)
        summary.note(f"{eps:.2f}", (eps, number), offset, colour, va="center")
    summary.x("ε", (0, 2.2), [0, 0.5, 1, 1.5, 2], digits=1)
    summary.y("panel", (7.6, 0.4), range(1, 8))
    summary.grid(axis="y", visible=False)
    summary.text(0.05, 5, "promises\ntoo much", color=VERMILION, va="center")
