"""The questions of every kind whose times the page on costs shows, by name."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from pkdp import (
    counting,
    definitions,
    mechanisms,
    noise,
    privacy_loss,
    thresholding,
    worlds,
)
from tests.studies import table_bounds


def world_tasks() -> dict[str, Callable[[], object]]:
    """Return questions about worlds of 2^12 and 2^16 databases, 3 and 8 of whose records are known.

    Of an infinite ratio hardly any target is looked at; that of a parity needs them all.
    """
    world = worlds.bits([Fraction(k, 25) for k in range(7, 19)], knowledge=[9, 10, 11])
    large = worlds.bits([Fraction(k, 50) for k in range(7, 23)], knowledge=range(8))
    hidden = mechanisms.make_threshold(4)
    return {
        "2^12 databases, CDP, parity": lambda: definitions.cdp_ratio(world, mechanisms.parity),
        "2^12 databases, PPK, threshold": lambda: definitions.ppk_delta(world, hidden, 2, range(9)),
        "2^16 databases, CDP, parity": lambda: definitions.cdp_ratio(large, mechanisms.parity),
        "2^16 databases, reducible": lambda: definitions.is_reducible(
            large, mechanisms.total, range(8, 16)
        ),
    }


def every_task() -> dict[str, Callable[[], object]]:
    """Return what is timed, by name."""
    various, many = (np.random.default_rng(1).uniform(0.0, 1.0, n) for n in (10**6, 10**7))
    prepared = counting.exact(various)
    day = counting.pair([0.05], multiplicities=[10**4])
    return {
        "exact, n = 10^7 equal, one value": lambda: counting.exact(
            [0.3], multiplicities=[10**7]
        ).delta(0.01),
        "exact, n = 10^6 different, first value": lambda: counting.exact(various).delta(0.01),
        "exact, n = 10^6 different, one more": lambda: prepared.delta(0.01),
        "exact, n = 10^7 different, first value": lambda: counting.exact(many).delta(0.002),
        "exact, n = 10^7 equal, epsilon": lambda: counting.exact(
            [0.3], multiplicities=[10**7]
        ).epsilon(1e-10),
        "worst_case, n = 10^9, one value": lambda: counting.worst_case(10**9, 0.05).delta(0.001),
        "worst_case, n = 10^9, epsilon": lambda: counting.worst_case(10**9, 0.05).epsilon(1e-10),
        "histogram of 4, n = 10^9, epsilon": lambda: counting.histogram(
            10**9, 0.05, categories=4
        ).epsilon(1e-10),
        "threshold, worst_case, epsilon": lambda: thresholding.worst_case(
            10**9, 0.005, threshold=5_010_000
        ).epsilon(1e-10),
        "threshold, passive, n = 10^10, one value": lambda: thresholding.passive(
            10**10, 0.5, threshold=5 * 10**9, known=5 * 10**9
        ).delta(1e-5),
        "threshold, passive, n = 10^10, epsilon": lambda: thresholding.passive(
            10**10, 0.5, threshold=5 * 10**9, known=5 * 10**9
        ).epsilon(1e-8),
        "table of two cells, k = 99 000, one value": lambda: table_bounds.upper_bound(
            [1000, 99_000], 99_000, hidden=0
        ).delta(0.1),
        "geometric noise, worst_case, n = 10^9, epsilon": lambda: noise.worst_case(
            10**9, 0.05, noise=noise.Geometric(0.5)
        ).epsilon(1e-10),
        "365 days, n = 10^4, bracket, one value": lambda: [
            bound.delta(3.0) for bound in privacy_loss.bracket([day], [365])
        ],
        **world_tasks(),
    }
