"""Randomized response: what privacy for everybody who answers costs the survey."""

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block
from pkdp.figures._palette import BLUE, GREEN, INK, SPARSE, line

TITLE = "What randomized response costs a survey"
ALT = (
    "Standard error of the estimated share, on a logarithmic axis, against ε from 0.1 to 5, if "
    "30 % would truly say Yes. With 1,000 answers it falls from 32 % at ε = 0.1 through 3.4 % at "
    "ε = 1 to 1.5 % at ε = 5, close to the 1.4 % of honest answers, a dotted line. With 100,000 "
    "answers all values are a tenth of these.",
)
PANEL_SIZE = (3.8, 2.7)

SHARE = 0.3
SIZES = (1000, 100_000)
EPS = np.linspace(0.1, 5.0, 99)


def data() -> Blocks:
    """Yield the standard error of the estimate against ε.

    Yields
    ------
    Table
        Columns ``n`` (answers), ``series`` (``random``, ``honest``), ``x`` (ε) and ``y``.
    """
    truth = np.tanh(EPS / 2)  # k = (E - 1)/(E + 1), for two answers
    yes = truth * SHARE + (1 - truth) / 2
    for n in SIZES:
        random = np.sqrt(yes * (1 - yes) / n) / truth
        honest = np.full(2, np.sqrt(SHARE * (1 - SHARE) / n))
        yield block(n=n, series="random", x=EPS, y=random)
        yield block(n=n, series="honest", x=[0.0, 5.0], y=honest)


def draw(axes: Panels) -> None:
    """Draw both sizes, each with its honest answers."""
    (panel,) = axes
    panel.x("ε", (0, 5))
    percents = {1e-3: "0.1 %", 1e-2: "1 %", 1e-1: "10 %"}
    panel.log_y("standard error of the share", (6e-4, 0.6), percents)
    for n, colour in zip(SIZES, (BLUE, GREEN), strict=True):
        random, honest = (panel.rows(name, n=n) for name in ("random", "honest"))
        panel.curve(random, line(colour), f"{n:,} answers", 1.2, (6, 4))
        panel.curve(honest, line(INK, SPARSE, 1.4))
        panel.note("honest answers", (2.4, float(honest["y"][0])), (0, -3))
