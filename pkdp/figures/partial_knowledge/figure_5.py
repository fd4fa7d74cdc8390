"""Figure 5 of the paper: ε against the number of known records, with noise and without."""

import functools

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import BLUE, EXACT, INK, PRINTED, VERMILION, line
from pkdp.partial_knowledge import counting, noise, published

TITLE = "ε against the number of known records, with Laplace noise and without"
ALT = (
    "Against the number of known records, 0 to 100,000, in a frame of ε up to 1. The published "
    "curve without noise rises from 0.25 and leaves the frame near 93,500; the one with noise "
    "stops rising at 74,212 known records, where ε is 0.5. The exact curves are far lower: both "
    "are 0.080 at first, and 0.17 and 0.16 at 74,212. At 91,000 they are 0.30 without and 0.29 "
    "with noise. Then the one without noise leaves the frame near 98,700, and the other bends "
    "into 0.5.",
    "Against the number of unknown records, 10 to 100,000, both axes logarithmic. With fewer than "
    "449 no ε is enough without noise, a grey region. From there the exact curve without noise "
    "falls from 3.2 to 0.080. With noise it is 0.5 up to some 1,500 unknown records, 0.44 at "
    "3,700, where without noise it is 0.50, and then joins the other. The published curve without "
    "noise runs through the grey region and falls to 3.8 at its end and to 0.25; with noise it is "
    "cut at 0.5.",
)

N, LAM, DELTA, SCALE = 100_000, 0.05, 1e-10, 2.0
MOST = 448  # (1-λ)^448 is the last power above δ: with so few unknown records no ε is enough

_TOL = 1e-2  # of δ, which is a thousandth of ε at most

# Numbers of unknown records, closer together where the curves bend. With 25,787 of them, 74,212 are
# known, and the published curve is just about to be cut.
_FEW = [10, *range(449, 550, 25), 650, 800, 1000, 1250, 1500, *range(2000, 6000, 500), 3700]
_MANY = [6000, 7500, 8999, 11_000, 13_000, 16_000, 20_000, 25_787, 35_000, 50_000, 70_000, 99_899]
_UNKNOWN = np.array(sorted([*_FEW, *_MANY]))
# The published closed form costs nothing, and has its own, finer grid.
_DRAWN = np.union1d(_UNKNOWN, np.geomspace(10, 99_899, 90).round().astype(int))
_PUBLISHED = ("published", "published with noise")
_EXACT = {"exact": line(BLUE, width=1.0), "exact with noise": EXACT}


def data() -> Blocks:
    """Yield the published and the exact curves.

    Yields
    ------
    Table
        Columns ``panel`` (``known``, ``unknown``), ``series``, ``x`` and ``y`` (ε). On the first
        panel x is |B|, the number of known records; on the second the number of unknown ones
        beside the target, ``n - 1 - |B|``. Series are ``published``, ``published with noise``,
        ``exact`` and ``exact with noise``.
    """
    known, drawn = N - 1 - _UNKNOWN, N - 1 - _DRAWN
    # Between these few and a thousand unknown records noise keeps ε at ½, and costs most.
    exact, noisy = known[_UNKNOWN > MOST], known[(_UNKNOWN < 20) | (_UNKNOWN >= 900)]
    plain = functools.partial(counting.worst_case, N, LAM)
    worst = functools.partial(noise.worst_case, N, LAM, noise=noise.Laplace(SCALE), tol=_TOL)
    eps = {
        name: (drawn, [published.figure_5(int(seen), series) for seen in drawn])
        for name, series in zip(_PUBLISHED, published.FIGURE_5_SERIES, strict=True)
    }
    eps["exact"] = exact, [plain(known=seen).epsilon(DELTA) for seen in exact.tolist()]
    eps["exact with noise"] = noisy, [worst(known=seen).epsilon(DELTA) for seen in noisy.tolist()]
    for series, (seen, y) in eps.items():
        x = seen.astype(float)
        yield block(panel="known", series=series, x=x[::-1], y=y[::-1])
        yield block(panel="unknown", series=series, x=N - 1 - x, y=y)


def draw(axes: Panels) -> None:
    """Draw the published frame, and the same against the number of unknown records."""
    known, unknown = panels(axes, "As published", "Nearer to the end")
    known.x("|B|, the number of known records", (0, N), [0, 25_000, 50_000, 75_000, N])
    known.y("ε", (0, 1))
    unknown.log_x("unknown records beside the target", (10, N), [10, 100, 1000, 10_000, N])
    unknown.log_y("ε", (0.02, 10), [0.1, 1, 10])
    unknown.axvspan(10, MOST + 0.5, color=INK, alpha=0.08, linewidth=0)
    for panel in axes:
        for series, style in (dict.fromkeys(_PUBLISHED, PRINTED) | _EXACT).items():
            panel.curve(series, style)
    known.label("published", "no noise,\nas published", 87_000, (-6, 4), VERMILION)
    known.label("published with noise", "with noise", 66_000, (-4, 6), VERMILION)
    known.label("exact with noise", "exact", 60_000, (0, -4), BLUE)
    unknown.label("published", "as published", 2000, (4, 1), VERMILION)
    unknown.label("exact", "exact,\nno noise", 449, (-5, 4), BLUE, va="top")
    unknown.label("exact with noise", "exact with noise", 3500, (-4, -8), BLUE)
    unknown.text(68, 0.035, "without noise\nno ε is enough", ha="center")
