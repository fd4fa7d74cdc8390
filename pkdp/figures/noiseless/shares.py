"""The noise of n users: if each message is seen, and if only the sum is."""

import math

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import BLUE, DASHED, INK, PURPLE, VERMILION, line
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
MOST = 5
# Beyond this a share has no mass to speak of.
_OUTCOMES = 200


def data() -> Blocks:
    """Yield deviations against n, and the laws of shares.

    Yields
    ------
    Table
        Columns ``panel`` (``deviation``, ``share``), ``series`` (``response``, ``least``,
        ``shares``), ``at`` (the fraction compromised, or the number of users), ``x`` (n, or what is
        added) and ``y`` (a standard deviation, or a mass).
    """
    E = math.exp(EPS)
    root = np.sqrt(SIZES * E)
    for name, y in {"response": root / (E - 1.0), "least": root / (E + 1.0)}.items():
        yield block(panel="deviation", series=name, at=0.0, x=SIZES, y=y)
    for share in (0.0, 0.5, 0.99):
        level = synergy.deviation_of_shares(RATIO, compromised=share)
        # At least one user is not compromised.
        sizes = SIZES[SIZES * (1.0 - share) > 0.999]
        yield block(panel="deviation", series="shares", at=share, x=sizes, y=level)
    for users in (1, 10, 1000):
        half = synergy.share_masses(RATIO, users, most=_OUTCOMES)
        masses = np.convolve(half, half[::-1])[_OUTCOMES - MOST : _OUTCOMES + MOST + 1]
        added = np.arange(-MOST, MOST + 1.0)
        yield block(panel="share", series="shares", at=float(users), x=added, y=masses)


def draw(axes: Panels) -> None:
    """Draw deviations in the first panel, laws of shares in the second."""
    deviation, share = panels(axes, "All together", "What one user adds")
    deviation.log_x("n", (1, 1e6), [1, 100, 1e4, 1e6])
    deviation.log_y("standard deviation", (0.3, 3000), [1, 10, 100, 1000])
    deviation.curve("response", line(VERMILION, DASHED), "randomized\nresponse", 5e3, (-6, 6))
    deviation.curve("least", line(INK, (0, (1, 2.0))), "least possible", 1.5e4, (4, -7))
    for part, text, at, offset in (
        (0.0, "shares, only the sum is seen", 1e3, (0, -4)),
        (0.5, "half compromised", 4e3, (0, 3)),
        (0.99, "99 % compromised", 1.2e5, (0, -3)),
    ):
        deviation.curve(deviation.rows("shares", at=part), line(BLUE), text, at, offset)
    share.x("added to the message", ticks={-4: "−4", -2: "−2", 0: "0", 2: "2", 4: "4"})
    share.log_y("probability", (1e-6, 3), {1e-6: "10⁻⁶", 1e-4: "10⁻⁴", 1e-2: "0.01", 1: "1"})
    looks = ((1, INK, "o", "alone"), (10, PURPLE, "s", "of 10"), (1000, BLUE, "D", "of 1,000"))
    for users, color, marker, text in looks:
        look = line(color, width=0.8) | {"marker": marker, "markersize": 4}
        share.curve(share.rows(at=float(users)), look, text, 3.0, (4, 3))
