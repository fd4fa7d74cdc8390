"""The two-step coin: which part of each record owes nothing to its owner, and who it hides."""

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import BLUE, GREEN, INK, VERMILION, Style

TITLE = "A coin inside every record"
ALT = (
    "Five bars of height 1, one for each of five voters who say Yes with probability 0.2, 0.35, "
    "0.5, 0.65 and 0.8. The lowest 0.4 of each bar is the same for all: a green band, half of it "
    "for a coin that shows Yes and half for a coin that shows No. Above it the voters differ: the "
    "share of an own Yes grows from 0 to 0.6, and that of an own No falls from 0.6 to 0.",
    "Forty voters in five rows, and the target beside them as a star. Seventeen are green dots: "
    "a coin decided for them, eight times Yes, filled, and nine times No, open. The other "
    "twenty-three, small squares, made up their own minds.",
)
PANEL_SIZE = (3.4, 2.9)

LAMBDA = 0.2
VOTERS = (0.2, 0.35, 0.5, 0.65, 0.8)
ROWS, SEATS = 5, 8
# A coin that shows Yes and one that shows No; an own Yes and an own No.
PARTS = ("coin Yes", "coin No", "own Yes", "own No")


def _shares(p: float) -> tuple[float, ...]:
    """Return the probabilities of the four ways in which a record comes about.

    Examples
    --------
    >>> [round(share, 2) for share in _shares(0.65)]
    [0.2, 0.2, 0.45, 0.15]
    """
    return LAMBDA, LAMBDA, p - LAMBDA, max(0.0, 1 - p - LAMBDA)


def data() -> Blocks:
    """Yield the shares of the five voters, and a crowd of forty.

    Yields
    ------
    Table
        Columns ``panel`` (``shares``, ``crowd``), ``series`` (one of `PARTS`), ``x``, ``y`` (the
        place; for the shares, the lower end) and ``height`` (of a share; 0 in the crowd).
    """
    for place, p in enumerate(VOTERS):
        low = 0.0
        for part, share in zip(PARTS, _shares(p), strict=True):
            yield block(panel="shares", series=part, x=float(place), y=low, height=share)
            low += share
    random = np.random.default_rng(5)
    for place in range(ROWS * SEATS):
        p = VOTERS[place % len(VOTERS)]
        part = PARTS[np.searchsorted(np.cumsum(_shares(p)), random.random())]
        row, seat = divmod(place, SEATS)
        spot = {"x": float(seat), "y": float(ROWS - 1 - row), "height": 0.0}
        yield block(panel="crowd", series=part, **spot)


def draw(axes: Panels) -> None:
    """Draw the shares on the first panel and the crowd on the second."""
    shares, crowd = panels(axes, "Each vote in two steps", "The coins are the blanket")
    looks = ((GREEN, 0.75), (GREEN, 0.35), (BLUE, 0.45), (BLUE, 0.15))
    for part, (color, alpha) in zip(PARTS, looks, strict=True):
        bars = shares.rows(part)
        x, tall, low = bars["x"], bars["height"], bars["y"]
        shares.bar(x, tall, 0.82, bottom=low, linewidth=0, color=color, alpha=alpha)
    last = len(VOTERS) - 1
    shares.x("probability $p_i$ of a Yes", (-0.6, last + 1.85), dict(enumerate(map(str, VOTERS))))
    shares.y("", (0, 1.02), {0: "0", 0.2: "λ", 0.4: "2λ", 1: "1"})
    shares.grid(visible=False)
    for text, height, color in (
        ("coin: Yes", 0.1, GREEN),
        ("coin: No", 0.3, GREEN),
        ("own Yes", 0.7, BLUE),
    ):
        shares.note(text, (last + 0.41, height), (4, 0), color, va="center")
    shares.text(0, 0.7, "own No", color=BLUE, ha="center", va="center", rotation=90)

    coin: Style = {"color": GREEN, "marker": "o", "markersize": 9, "alpha": 1}
    own: Style = {"color": INK, "marker": "s", "markersize": 4, "alpha": 0.45}
    for part, look in zip(PARTS, (coin, coin, own, own), strict=True):
        face = look["color"] if part.endswith("Yes") else "none"
        crowd.curve(part, look | {"linestyle": "none", "markerfacecolor": face})
    target = (SEATS + 0.6, (ROWS - 1) / 2)
    crowd.plot(*target, "*", markersize=15, color=VERMILION)
    crowd.note("target", target, (0, 9), VERMILION)
    coins, tossed = (crowd.rows(part)["x"].size for part in PARTS[:2])
    others = ROWS * SEATS - coins - tossed
    crowd.note(f"● {coins} coins show Yes   ○ {tossed} show No", (3.5, -0.95), (0, 0), GREEN)
    crowd.note(f"■ □ {others} made up their own minds", (3.5, -1.75), (0, 0))
    crowd.set(xlim=(-0.6, SEATS + 1.6), ylim=(-2, ROWS - 0.3))
    crowd.set_axis_off()
