"""What 365 nights in a year save: ε against the number of hospitals, by theorem."""

import numpy as np

from pkdp.databases import memberships
from pkdp.figures._drawing import Blocks, Panels, curves, panels
from pkdp.figures._palette import BLUE, DASHED, DOTTED, GREEN, INK, PURPLE, line

TITLE = "Hospitals, of which nobody visits more than 365"
ALT = (
    "ε at δ = 10⁻¹⁰ against the number k of hospitals, 100 to 10,000, both axes logarithmic; each "
    "mechanism has ε = 0.05. Up to k = 365 the constraint changes nothing. Beyond, without the "
    "constraint, simple composition rises in a straight line to 500 at 10,000, advanced to 60, "
    "optimal to 44. With it all are constant: 18.3 for simple composition, and the same for "
    "parallel composition, 7.42 for advanced, 6.16 for optimal.",
    "The same against k from 100 to 2,000 for mechanisms of which one in twenty has ε = 0.1, all "
    "others 0.03. Parallel composition is at 36.5 from k = 365 on. With the constraint simple "
    "composition reaches 12.2 at k = 365 and 18.0 at 2,000; advanced 5.3 and 8.8, optimal 4.3 and "
    "7.2. Without it the three rise to 67, 14.0 and 11.3 at 2,000.",
)
PANEL_SIZE = (3.3, 3.1)

M, DELTA = 365, 1e-10
EPS, LARGE, SMALL, ONE_IN = 0.05, 0.1, 0.03, 20
EQUAL = np.unique([*np.geomspace(100, 10_000, 31).round().astype(np.int64), M])
UNEQUAL = np.array([100, 140, 200, 260, 320, M, 440, 540, 700, 900, 1200, 1600, 2000])
THEOREMS = {
    "simple": memberships.simple,
    "advanced": memberships.advanced,
    "optimal": memberships.optimal,
}

_COLORS = {"simple": GREEN, "advanced": PURPLE, "optimal": BLUE}


def guarantees(k: int, *, equal: bool) -> list[float]:
    """Return the ε of k mechanisms, of which one in twenty is large if they are not equal."""
    many = 0 if equal else k // ONE_IN
    return [EPS] * k if equal else [LARGE] * many + [SMALL] * (k - many)


def data() -> Blocks:
    """Yield ε against k.

    Yields
    ------
    Table
        Columns ``panel`` (``equal``, ``unequal``), ``constraint`` (``none``, ``365``), ``series``
        (``simple``, ``advanced``, ``optimal``, ``parallel``), ``x`` (k) and ``y`` (ε at δ = 10⁻¹⁰).
    """
    for panel, sizes in (("equal", EQUAL), ("unequal", UNEQUAL)):
        every = [guarantees(k, equal=panel == "equal") for k in sizes.tolist()]
        x = sizes.astype(float)
        limited = {name: [_limited(each, name) for each in every] for name in THEOREMS}
        limited["parallel"] = [memberships.parallel(min(M, len(each)), each) for each in every]
        free = {
            name: [theorem(each).epsilon(DELTA) for each in every]
            for name, theorem in THEOREMS.items()
        }
        yield curves(x, limited, panel=panel, constraint="365")
        yield curves(x, free, panel=panel, constraint="none")


def _limited(each: list[float], name: str) -> float:
    promised = memberships.at_most(min(M, len(each)), each, theorem=THEOREMS[name])
    return promised.epsilon(DELTA)


def draw(axes: Panels) -> None:
    """Draw ε with and without the constraint, for equal and for unequal mechanisms."""
    equal, unequal = panels(axes, "All hospitals alike", "One in twenty tells more")
    equal.log_x("hospitals k", (100, 10_000), [100, 365, 1000, 10_000])
    equal.log_y("ε at δ = 10⁻¹⁰", (2, 600), [2, 5, 10, 20, 50, 100, 500])
    unequal.log_x("hospitals k", (100, 2000), [100, 365, 1000, 2000])
    unequal.log_y("ε at δ = 10⁻¹⁰", (2, 100), [2, 5, 10, 20, 50, 100])
    for panel, series, text, at, offset in (
        (equal, "simple", "simple, parallel", 4700, (0, -5)),
        (equal, "advanced", "advanced", 6000, (0, 2)),
        (equal, "optimal", "optimal", 5000, (0, -5)),
        (unequal, "simple", "simple", 180, (-3, 3)),
        (unequal, "advanced", "advanced", 520, (0, 13)),
        (unequal, "optimal", "optimal", 180, (4, -5)),
    ):
        free = panel.rows(series, constraint="none")
        limited = panel.rows(series, constraint="365")
        panel.curve(free, line(_COLORS[series], DOTTED, 1.7))
        panel.curve(limited, line(_COLORS[series]), text, at, offset)
    parallel = line(INK, DASHED, 1.6)
    equal.curve("parallel", parallel)
    free = equal.rows("simple", constraint="none")
    equal.curve(free, line(GREEN, DOTTED, 1.7), "no limit", 1500, (-4, 3))
    unequal.curve("parallel", parallel, "parallel", 180, (-3, 4))
