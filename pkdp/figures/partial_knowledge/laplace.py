"""Figures 2.3 to 2.6 of the thesis: Laplace noise, and what one person moves."""

import math

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import BLUE, VERMILION, line
from pkdp.partial_knowledge import background

TITLE = "Laplace noise, and what one person moves"
ALT = (
    "The Laplace density of scale 1/ln 3 from -5 to 5: a peak of 0.549 at 0 that falls "
    "exponentially on both sides, to a third for each step of 1.",
    "Two such peaks side by side, at 1,000 and at 1,001. They cross half way between the two; to "
    "the left of 1,000 and to the right of 1,001 one is 3 times the other everywhere.",
    "Two such peaks at 1,000 and at 1,005. They hardly overlap: outside of the two peaks one is "
    "243 times the other.",
    "Two peaks of scale 5/ln 3, five times as wide and a fifth as high, 0.110, at 1,000 and at "
    "1,005: they overlap as the first two did, and one is at most 3 times the other.",
)
PANEL_SIZE = (3.3, 2.45)

EPS = math.log(3)


# Centres and ranges can be read off the axes' labels, which our text of the thesis has; the scales
# are not in it. 1/ln 3 is that of the other examples and fits the height of the peaks.
# Of each: title, scale, centres and range.
PANELS: dict[str, tuple[str, float, tuple[int, ...], tuple[int, int]]] = {
    "figure 2.3": ("Figure 2.3: scale 1/ln 3", 1 / EPS, (0,), (-5, 5)),
    "figure 2.4": ("Figure 2.4: one moves it by 1", 1 / EPS, (1000, 1001), (995, 1006)),
    "figure 2.5": ("Figure 2.5: one moves it by 5", 1 / EPS, (1000, 1005), (995, 1010)),
    "figure 2.6": ("Figure 2.6: five times the noise", 5 / EPS, (1000, 1005), (985, 1020)),
}
# Close together at the peak, where the curve bends, in units of the scale.
_STEPS = np.sinh(np.linspace(-2.7, 2.7, 37))
_STYLES = (line(BLUE, width=1.6), line(VERMILION, (0, (5, 1.4)), 1.6))


def data() -> Blocks:
    """Yield the densities.

    Yields
    ------
    Table
        Columns ``panel`` (``2.3`` to ``2.6``, as text beginning with ``figure``), ``centre`` (the
        true value), ``x`` (the released value) and ``y`` (the density).
    """
    for panel, (_, scale, centres, reach) in PANELS.items():
        for centre in centres:
            x = np.unique([*reach, *np.clip(centre + scale * _STEPS, *reach)])
            density = background.laplace_density(x - centre, scale)
            yield block(panel=panel, centre=centre, x=x, y=density)


def draw(axes: Panels) -> None:
    """Draw each figure on its panel."""
    panels(axes, *(title for title, *_ in PANELS.values()))
    for panel, (_, scale, centres, reach) in zip(axes, PANELS.values(), strict=True):
        panel.x("released value", reach)
        panel.y("density", (0, 0.66), [0, 0.2, 0.4, 0.6], digits=1)
        panel.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}".replace("-", "−"))
        peaks = [panel.rows(centre=centre) for centre in centres]
        for peak, style in zip(peaks, _STYLES, strict=False):
            panel.curve(peak, style)
        if len(centres) == 2:
            low, high = centres
            panel.label(peaks[0], f"{low:,}", low, (-4, 0), BLUE)
            panel.label(peaks[1], f"{high:,}", high, (4, 0), VERMILION)
            ratio, at = math.exp((high - low) / scale), high + 1.7 * scale
            point = at, float(np.interp(at, peaks[1]["x"], peaks[1]["y"]))
            # Beside the curve, at about half the height of the peak.
            place = at + 0.3 * scale, 0.55 / (2 * scale)
            panel.callout(f"{ratio:.0f} times\nas likely", point, place, va="baseline")
    alone, by_one, by_five, wide = axes
    alone.set(xlabel="noise", xticks=[-4, -2, 0, 2, 4])
    by_one.set(xticks=range(996, 1007, 4))
    by_five.set(xticks=range(996, 1011, 4))
    wide.set(xticks=range(985, 1021, 10))
    wide.y("density", (0, 0.135), [0, 0.05, 0.1], digits=2)
    alone.text(1.0, 0.55, "ln 3 / 2 = 0.549", color=BLUE, va="center")
