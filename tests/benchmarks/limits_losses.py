"""Questions on composed losses, each of which is to take at most 10 CPU seconds and 2 GB."""

from collections.abc import Callable

import numpy as np

from pkdp import accounting, counting, privacy_loss
from pkdp.databases import sampling
from pkdp.profiles import Pair
from pkdp.profiles.laws import Finite


def _geometric(loss: float) -> Pair:
    places = np.arange(-int(600 / loss), int(600 / loss) + 1)
    masses = np.exp(-loss * np.abs(places))
    law = Finite(int(places[0]), tuple((masses / masses.sum()).tolist()))
    return Pair(law.shift(1), law)


def _epsilon(
    pairs: list[Pair], times: list[int] | None = None, step: float | None = None
) -> Callable[[], object]:
    return lambda: privacy_loss.bracket(pairs, times, step=step).epsilon(1e-6)


_COUNT = counting.pair([0.1] * 999)
_COUNTS = [counting.pair([0.1 + i / 1000] * 999) for i in range(100)]
_RESPONSES = [sampling.randomized_response(x) for x in np.linspace(0.01, 0.1, 1000).tolist()]

ROWS: list[tuple[str, Callable[[], object]]] = [
    ("30 counts, a step of 1e-5", _epsilon([_COUNT], [30], 1e-5)),
    ("30 counts, a step of 4e-6", _epsilon([_COUNT], [30], 4e-6)),
    ("10,000 counts, a step of 6e-5", _epsilon([_COUNT], [10**4], 6e-5)),
    ("1,000 different responses", _epsilon(_RESPONSES)),
    ("100 different counts", _epsilon(_COUNTS)),
    ("10,000 counts", _epsilon([_COUNT], [10**4])),
    ("1,000,000 counts", _epsilon([_COUNT], [10**6])),
    ("1,000,000 counts of 10^9", _epsilon([counting.pair([0.1], [10**9])], [10**6])),
    ("losses that end", _epsilon([_geometric(1.0), _geometric(0.5)], [3, 2])),
    (
        "10,000 samples of a count, by direction",
        lambda: privacy_loss.composed_bound(
            sampling.sampled(counting.pair([0.3] * 100), 0.01), 10**4
        ).epsilon(1e-6),
    ),
    (
        "10,000 different epsilons",
        lambda: accounting.heterogeneous(np.linspace(1e-4, 0.02, 10**4)).epsilon(1e-6),
    ),
    (
        "60,000 different epsilons",
        lambda: accounting.heterogeneous(np.linspace(1e-4, 0.006, 60_000)).epsilon(1e-6),
    ),
]
