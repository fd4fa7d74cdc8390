"""Optimal composition in one picture: the worst curve a promise allows is a chain of lines."""

import numpy as np

from pkdp.figures._drawing import Panels, panels
from pkdp.figures._palette import BOUND, EXACT, INK
from pkdp.figures._tables import Blocks, curves
from pkdp.profiles.binomials import binomial_masses
from pkdp.profiles.logarithms import FloatArray

TITLE = "The leaky response lies above all that keeps its promise"
ALT = (
    "Two falling curves of the hockey-stick divergence against x from 0 to 5, both 1 at 0. The "
    "leaky response is a chain of straight lines with corners at x = 1/2, where it is 0.5625, and "
    "at x = 2, from where on it is level at 0.125. The count of six fair bits and the target's "
    "meets it at both corners, is below it between them, 0.3125 against 0.4167 at x = 1, and "
    "goes on falling beyond, to 0.0469 at x = 4.",
    "The same for two releases, one after the other. The chain has corners at x = 1/4, 1 and 4, "
    "where it is 0.809, 0.490 and 0.234. The curve of two counts is below it at all of "
    "them: 0.781, 0.419 and 0.125.",
)

OTHERS = 6  # fair bits beside the target's
RATIO = 2.0  # e^ε of the promise; its δ is that of the count
LARGEST = 5.0

Laws = tuple[FloatArray, FloatArray]


def count() -> Laws:
    """Return the laws of the count if the target's bit is 1, and if it is 0."""
    law = binomial_masses(OTHERS, 0.5)
    return np.append(0.0, law), np.append(law, 0.0)


def response() -> Laws:
    """Return the laws of the leaky response with the count's promise: leaks, and answers."""
    delta = float(divergence(count(), RATIO))
    truth, lie = ((1.0 - delta) * part / (1.0 + RATIO) for part in (RATIO, 1.0))
    return np.array([delta, truth, lie, 0.0]), np.array([0.0, lie, truth, delta])


def twice(laws: Laws) -> Laws:
    """Return the laws of two independent outputs."""
    one, other = (np.outer(law, law).ravel() for law in laws)
    return one, other


def divergence(laws: Laws, x: float | FloatArray) -> FloatArray:
    """Return H_x of the first law from the second."""
    one, other = laws
    excess = one - np.asarray(x)[..., None] * other
    return np.asarray(np.maximum(0.0, excess).sum(axis=-1))


def data() -> Blocks:
    """Yield both curves, for one release and for two.

    Yields
    ------
    Table
        Columns ``panel`` (``one``, ``two``), ``series`` (``response``, ``count``), ``x`` and ``y``.
    """
    x = np.linspace(0.0, LARGEST, 201)
    pairs = {"response": response(), "count": count()}
    one = {name: divergence(laws, x) for name, laws in pairs.items()}
    two = {name: divergence(twice(laws), x) for name, laws in pairs.items()}
    yield curves(x, one, panel="one")
    yield curves(x, two, panel="two")


def draw(axes: Panels) -> None:
    """Draw one release on the first panel, and two on the second."""
    one, two = panels(axes, "One release", "Two releases")
    for panel in axes:
        panel.x("$x$", (0, LARGEST), range(6))
        panel.y(r"$H_x(P \,\|\, Q)$", (0, 1.02), [0, 0.25, 0.5, 0.75, 1], digits=2)
    one.curve("count", EXACT, "count", 0.9, (-5, -5))
    one.curve("response", BOUND, "leaky response", 1.15, (8, 4))
    two.curve("count", EXACT, "two counts", 2.8, (-5, -5))
    two.curve("response", BOUND, "two leaky responses", 1.15, (8, 4))
    worst = one.rows("response")
    for x, text in ((1 / RATIO, "$(1/E,\\ 1 - (1-δ)/E)$"), (RATIO, "$(E, δ)$")):
        corner = (x, float(np.interp(x, worst["x"], worst["y"])))
        one.plot(*corner, "o", color=INK, markersize=4)
        one.note(text, corner, (6, 3))
