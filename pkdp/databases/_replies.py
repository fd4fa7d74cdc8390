"""Leaky randomized response: laws of all replies under a prior, one reply for each hidden bit.

The law of the replies is the prior times the product of the channels. That is a sum over all bits
for every outcome; computed one bit after another, it takes a few steps for each outcome and bit.
"""

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import log_expit

from pkdp.profiles.logarithms import FloatArray, log_positive


def log_channel(eps: float, delta: float) -> FloatArray:
    """Return the worst (ε, δ)-private reply to a bit: ln P[output | bit], shape (outputs, 2).

    With probability δ it shows the bit, otherwise it answers, truthfully with odds e^ε. Impossible
    outputs are left out, and answers that carry no information are one output.

    Examples
    --------
    >>> np.exp(log_channel(np.log(3), 0.0)).round(12).tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    >>> len(log_channel(0.0, 0.0)), len(log_channel(0.5, 0.1)), len(log_channel(0.5, 1.0))
    (1, 4, 2)
    """
    rows: list[list[float]] = []
    if delta < 1.0:
        kept = math.log1p(-delta)
        true, false = kept + float(log_expit(eps)), kept + float(log_expit(-eps))
        rows = [[true, false], [false, true]] if eps > 0.0 else [[kept, kept]]
    if delta > 0.0:
        leaked = math.log(delta)
        rows += [[leaked, -math.inf], [-math.inf, leaked]]
    return np.array(rows)


def log_seen(prior: FloatArray, channels: Sequence[FloatArray]) -> FloatArray:
    """Return ln of the law of all replies, for a prior of shape (2,)·k and k channels.

    Raveled over the outputs, the first channel's outermost; each logarithm has an error of about k
    roundings.

    Examples
    --------
    >>> seen = log_seen(np.array([0.5, 0.5]), [log_channel(np.log(3), 0.0)])
    >>> np.exp(seen).round(12).tolist()
    [0.5, 0.5]
    """
    logs = log_positive(prior).ravel()
    # The first axis is removed, and its outputs are appended as the last axis, so that the order is
    # the original one in the end.
    for channel in channels:
        zero, one = logs.reshape(2, -1)
        logs = np.stack([np.logaddexp(r0 + zero, r1 + one) for r0, r1 in channel], axis=1)
    return np.asarray(logs.ravel())
