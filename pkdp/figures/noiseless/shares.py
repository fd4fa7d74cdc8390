"""The noise of n users: if each message is seen, and if only the sum is."""

import math

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from pkdp.figures._drawing import Panels, draw_curve, log_axes, note
from pkdp.figures._palette import BLUE, INK, PURPLE, VERMILION, Style
from pkdp.figures._tables import Table, block, select, stack
from pkdp.noiseless import synergy

TITLE = "The noise of n users"
ALT = (
    "Standard deviation of the error of a count at ε = 1 against n, both axes logarithmic. Each "
    "message seen: randomized response rises like √n, from 0.96 at n = 1 to 9.6 at 100 and 960 at "
    "a million; below it, the least possible error, 0.44 √n, reaches 443 at a million. Only the "
    "sum seen: shares of geometric noise, level at 1.36; at 1.92 if half of the users are "
    "compromised, and at 13.6 if 99 % are.",
    "The mass of what one user adds, from −5 to 5, on a logarithmic axis, at ε = 1. One user alone "
    "adds 0 with probability 0.46 and ±1 with 0.17 each. One of ten: 0.91 and 0.034 each. One of a "
    "thousand: 0.9991 and 0.0004 each. The masses fall by a factor near e a step.",
)
PANEL_SIZE = (3.3, 2.9)

EPS = 1.0
RATIO = math.exp(-EPS)
SIZES = np.array([1.0, 2.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6])
COMPROMISED = (0.0, 0.5, 0.99)
USERS = (1, 10, 1000)
MOST = 5
# Beyond this a share has no mass to speak of.
_OUTCOMES = 200

_SEEN: Style = {"color": VERMILION, "linestyle": (0, (5, 1.6)), "linewidth": 1.9}
_LEAST: Style = {"color": INK, "linestyle": (0, (1, 2.0)), "linewidth": 1.9}
_SUM: Style = {"color": BLUE, "linestyle": "-", "linewidth": 1.9}


def data() -> Table:
    """Return deviations against n, and the laws of shares.

    Returns
    -------
    Table
        Columns ``panel`` (``deviation``, ``share``), ``series`` (``response``, ``least``,
        ``shares``), ``at`` (the fraction compromised, or the number of users), ``x`` (n, or what is
        added) and ``y`` (a standard deviation, or a mass).
    """
    E = math.exp(EPS)
    blocks = [
        _rows("deviation", "response", 0.0, SIZES, np.sqrt(SIZES * E) / (E - 1.0)),
        _rows("deviation", "least", 0.0, SIZES, np.sqrt(SIZES * E) / (E + 1.0)),
    ]
    for share in COMPROMISED:
        level = synergy.deviation_of_shares(RATIO, compromised=share)
        # At least one user is not compromised.
        sizes = SIZES[SIZES * (1.0 - share) > 0.999]
        blocks.append(_rows("deviation", "shares", share, sizes, np.full(sizes.size, level)))
    for users in USERS:
        half = synergy.share_masses(RATIO, users, most=_OUTCOMES)
        masses = np.convolve(half, half[::-1])[_OUTCOMES - MOST : _OUTCOMES + MOST + 1]
        blocks.append(_rows("share", "shares", float(users), np.arange(-MOST, MOST + 1.0), masses))
    return stack(*blocks)


def _rows(panel: str, series: str, at: float, x: ArrayLike, y: ArrayLike) -> Table:
    return block(panel=panel, series=series, at=at, x=np.asarray(x), y=np.asarray(y))


def draw(axes: Panels, data: Table) -> None:
    """Draw deviations in the first panel, laws of shares in the second."""
    deviation, share = axes
    _draw_deviation(deviation, select(data, panel="deviation"))
    _draw_share(share, select(data, panel="share"))


def _draw_deviation(panel: Axes, data: Table) -> None:
    log_axes(panel, x=(1, 1e6), y=(0.3, 3000))
    panel.set(title="All together", xlabel="n", ylabel="standard deviation")
    panel.set_xticks([1, 100, 1e4, 1e6], ["1", "100", "10,000", "10⁶"])
    panel.set_yticks([1, 10, 100, 1000], ["1", "10", "100", "1,000"])
    curve = select(data, series="response")
    draw_curve(panel, curve, _SEEN, "randomized\nresponse", 5e3, (-6, 6))
    curve = select(data, series="least")
    draw_curve(panel, curve, _LEAST, "least possible", 1.5e4, (4, -7))
    texts = {0.0: "shares, only the sum is seen", 0.5: "half compromised", 0.99: "99 % compromised"}
    places = {0.0: (1e3, (0, -4)), 0.5: (4e3, (0, 3)), 0.99: (1.2e5, (0, -3))}
    for share, text in texts.items():
        curve = select(data, series="shares", at=share)
        draw_curve(panel, curve, _SUM, text, *places[share])


def _draw_share(panel: Axes, data: Table) -> None:
    log_axes(panel, y=(1e-6, 3))
    panel.set(title="What one user adds", xlabel="added to the message", ylabel="probability")
    panel.set_xticks([-4, -2, 0, 2, 4], ["−4", "−2", "0", "2", "4"])
    panel.set_yticks([1e-6, 1e-4, 1e-2, 1], ["10⁻⁶", "10⁻⁴", "0.01", "1"])
    looks = ((1, INK, "o", "alone"), (10, PURPLE, "s", "of 10"), (1000, BLUE, "D", "of 1,000"))
    for users, color, marker, text in looks:
        curve = select(data, at=float(users))
        panel.plot(curve["x"], curve["y"], color=color, linewidth=0.8, marker=marker, markersize=4)
        note(panel, text, (3.0, float(curve["y"][curve["x"] == 3.0][0])), (4, 3), color)
