"""A threshold on a rare count: the attacker's advantage, and whether anything is shown."""

import math

from pkdp.figures._drawing import Blocks, Panels, block, panels, powers
from pkdp.figures._palette import DASHED, EXACT, VERMILION, line
from pkdp.partial_knowledge import thresholding

TITLE = "A threshold protects a rare count by hiding it"
ALT = (
    "Probabilities from 10⁻⁹ to 1, on a logarithmic axis, against a threshold from 0 to 30, where "
    "9 people in 5,226 are expected. The probability that the count is shown is near 1 up to 3, "
    "0.41 at 9, 0.02 at 15, 4e-4 at 20 and 8e-9 at 30. The attacker's advantage stays at 0.13 up "
    "to 9 and then falls along with it: 0.019 at 15, 6e-4 at 20 and 2e-8 at 30.",
)
PANEL_SIZE = (3.8, 2.7)

PEOPLE, EXPECTED = 5226, 9
THRESHOLDS = range(31)


def data() -> Blocks:
    """Yield the advantage, and the probability that the count is shown, by the threshold.

    Yields
    ------
    Table
        Columns ``panel`` (``rare``), ``series`` (``advantage``, ``shown``), ``x`` (the threshold)
        and ``y``, a probability.
    """
    p = EXPECTED / PEOPLE
    # The target is one of the people who may be counted.
    count = thresholding.pair([p], threshold=0, multiplicities=[PEOPLE]).count
    for threshold in THRESHOLDS:
        profile = thresholding.exact([p], threshold=threshold, multiplicities=[PEOPLE - 1])
        advantage, shown = profile.delta(0.0), math.exp(count.log_upper(threshold + 1))
        for series, y in (("advantage", advantage), ("shown", shown)):
            yield block(panel="rare", series=series, x=float(threshold), y=y)


def draw(axes: Panels) -> None:
    """Draw both against the threshold."""
    (panel,) = panels(axes, f"{EXPECTED} of {PEOPLE:,} people expected")
    panel.x("threshold T", (-0.5, 30.5), [0, 9, 20, 30])
    panel.log_y("probability", (1e-9, 3), powers(-9, -6, -3, 0))
    panel.curve(
        panel.rows(series="shown"), line(VERMILION, DASHED, 1.6), "count is shown", 12, (8, 8)
    )
    panel.curve(panel.rows(series="advantage"), EXACT, "advantage", 5, (0, -14))
