"""A poll before a plebiscite: what two attackers believe, and what the tally tells them."""

import functools

import numpy as np

from pkdp.figures._drawing import Panels, panels, tex_powers
from pkdp.figures._palette import BLUE, DASHED, DOTTED, INK, PURPLE, line
from pkdp.figures._tables import Blocks, block
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
_EDGES = np.linspace(0.0, 1.0, 21)
_LARGEST, _LEAST = 0.75, 1e-10  # ε and δ at the ends of the second panel
_GRID = np.linspace(0.0, _LARGEST, 31)


def data() -> Blocks:
    """Yield how the probabilities are spread, and the profiles that follow from them.

    Yields
    ------
    Table
        Columns ``attacker`` (``demographics``, ``status quo``), ``panel``, ``series``, ``x`` and
        ``y``. Panel ``beliefs``: records (y) with a probability in the bin from x on. Panel
        ``profile``: δ (y) at ε (x), for the ``exact`` profile of the worst target, the bound from
        ``lambda`` and the ``best`` statement. Panel ``at delta``: their ε at one δ. Panel
        ``statement``: the λ (x) and the number of known records (y) of the latter two.
    """
    for name, predictors in ATTACKERS.items():
        she = plebiscite.attacker(predictors)
        p = she.probabilities
        rows = functools.partial(block, attacker=name)
        counts = np.histogram(p, _EDGES)[0].astype(float)
        yield rows(panel="beliefs", series="records", x=_EDGES[:-1], y=counts)
        target = she.worst_target(DELTA)
        lam = beliefs.uncertainties(p)[0]
        yield rows(panel="statement", series="lambda", x=lam, y=0.0)
        profiles = {
            "exact": counting.exact(np.delete(p, target.record)),
            "lambda": beliefs.statement(p),
        }
        if name == "status quo":
            best = she.best_statement(DELTA)
            yield rows(panel="statement", series="best", x=best.lam, y=float(best.known))
            profiles["best"] = beliefs.statement(p, best.known)
        for series, profile in profiles.items():
            yield rows(panel="profile", series=series, x=_GRID, y=profile.delta(_GRID))
            eps = profile.epsilon(DELTA)
            if np.isfinite(eps):
                yield rows(panel="at delta", series=series, x=eps, y=DELTA)


def draw(axes: Panels) -> None:
    """Draw the probabilities on the first panel and the profiles on the second."""
    believed, told = panels(axes, "What she believes", "What the tally can tell her", by="")
    for name, colour in _COLOURS.items():
        counts = believed.rows(attacker=name, panel="beliefs")["y"]
        believed.stairs(counts, _EDGES, color=colour, fill=True, alpha=0.15)
        believed.stairs(counts, _EDGES, color=colour, linewidth=1.6)
    believed.x("her probability $p_i$ of a Yes", (-0.012, 1), [0, 0.25, 0.5, 0.75, 1])
    believed.y("records", (0, 450), [0, 100, 200, 300, 400])
    believed.grid(axis="x", visible=False)
    believed.text(0.47, 140, "knows the\ndemographics", color=BLUE, va="bottom")
    text = "knows support for\nthe status quo, too"
    believed.text(0.08, 380, text, color=PURPLE, va="center")

    told.x("ε", (0, _LARGEST), [0, 0.2, 0.4, 0.6])
    told.log_y("δ", (_LEAST, 1), tex_powers(-9, -6, -3, 0))
    told.axhline(DELTA, color=INK, linewidth=0.7)
    for name, colour in _COLOURS.items():
        for series, style in (
            ("exact", line(colour)),
            ("lambda", line(colour, DASHED, 1.5)),
            ("best", line(colour, DOTTED)),
        ):
            told.curve(told.rows(series, attacker=name, panel="profile"), style)
            dot = told.rows(series, attacker=name, panel="at delta")
            told.plot(dot["x"], dot["y"], "o", color=colour)
    lam, small = told.rows("lambda", panel="statement")["x"]
    best = told.rows("best", panel="statement")
    counted = f"{best['y'][0]:.0f} known,\nλ = {best['x'][0]:.2f} of the rest"
    for attacker, series, text, at, offset, va in (
        ("demographics", "exact", "exact", 0.3, (-7, -3), "center"),
        ("status quo", "exact", "exact", 0.48, (2.5, 1.5), "center"),
        ("demographics", "lambda", f"λ = {lam:.2f}", 0.51, (5, 2), "center"),
        ("status quo", "lambda", f"λ = {small:.3f}", 0.5, (0, 5), "bottom"),
        ("status quo", "best", counted, 0.38, (5, 1), "bottom"),
    ):
        curve = told.rows(series, attacker=attacker, panel="profile")
        told.label(curve, text, at, offset, _COLOURS[attacker], va=va)
