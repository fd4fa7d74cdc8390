"""Several counts of a few records, published in any way an audit knows, over all outcomes.

A record's *kind* says which counts it is in: a tuple of 0 and 1, one for each count. The counts of
independent records have a joint distribution, an array with an axis for each count; publishing is
a channel along each axis. Nothing here imports the library.
"""

import itertools
import math
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

Kind = tuple[int, ...]
Law = Sequence[float]
Array = npt.NDArray[np.float64]


def counted(kinds: Sequence[Kind], laws: Iterable[Law], n: int) -> Array:
    """Return the joint distribution of the counts of records with these laws, of n at most."""
    total = np.zeros((n + 1,) * len(kinds[0]))
    total[(0,) * total.ndim] = 1.0
    for law in laws:
        total = sum(p * shifted(total, kind) for p, kind in zip(law, kinds, strict=True))
    return total


def shifted(law: Array, by: Sequence[int]) -> Array:
    """Return the distribution with so many more in each count, along the last axes."""
    return np.roll(law, tuple(by), tuple(range(-len(by), 0)))


def channel(n: int, threshold: int | None, ratio: float | None, base: int | None = None) -> Array:
    """Return the probabilities of what is published (columns) for each count 0…n (rows).

    With a base, counts up to the threshold are published as 0, and others as its nearest multiple,
    of two the larger; a column has the number of such a multiple.

    Noisy counts below 0 are one outcome with 0, and those above n one with n: outside [0, n] the
    ratio of any two laws is constant.
    """
    counts = np.arange(n + 1)
    if base is not None:
        multiples = np.where(counts <= (threshold or 0), 0, np.floor(counts / base + 0.5))
        return np.equal.outer(multiples, counts).astype(float)
    if threshold is not None:
        return np.equal.outer(np.maximum(counts, threshold), counts).astype(float)
    if ratio is None:
        return np.eye(n + 1)
    found = (1 - ratio) / (1 + ratio) * ratio ** np.abs(np.subtract.outer(counts, counts))
    found[:, 0] = ratio**counts / (1 + ratio)
    found[:, n] = ratio ** (n - counts) / (1 + ratio)
    return found


def vertices(kinds: int, lam: float) -> list[Law]:
    """Return the extreme laws that give each kind a probability of λ at least."""
    return [[lam + (1 - kinds * lam) * (i == j) for j in range(kinds)] for i in range(kinds)]


def mixtures(kinds: int, lam: float, records: int) -> list[tuple[Law, ...]]:
    """Return the extreme laws of so many records, in every combination."""
    return [*itertools.combinations_with_replacement(vertices(kinds, lam), records)]


class Released:
    """What is published, for each law of the unknown records and all counts of the known ones.

    `unknown` and `known` list laws of all unknown and of all known records. δ is convex in the law
    of each record, so the largest is that of extreme laws.
    """

    def __init__(
        self,
        kinds: Sequence[Kind],
        unknown: Sequence[Sequence[Law]],
        known: Sequence[Sequence[Law]],
        n: int,
        how: Array,
    ) -> None:
        others = np.stack([counted(kinds, laws, n) for laws in unknown])
        seen = np.stack([counted(kinds, laws, n) for laws in known])
        sums = list(zip(*np.nonzero(seen.sum(axis=0)), strict=True))
        self.chances = np.stack([seen[(..., *by)] for by in sums], axis=1)
        self.laws = [
            np.stack([_published(shifted(others, np.add(by, kind)), how) for by in sums])
            for kind in kinds
        ]

    def deltas(self, E: float) -> tuple[float, float]:
        """Return the largest δ against an active and against a passive attacker."""
        pairs = itertools.permutations(self.laws, 2)
        each = np.stack([_hockey_stick(P, Q, E) for P, Q in pairs])
        means = np.einsum("ks,psu->kpu", self.chances, each)
        return float(each.max()), float(means.max())


def _published(laws: Array, how: Array) -> Array:
    """Return distributions of what is published, each count through the same channel."""
    for axis in range(1, laws.ndim):
        laws = np.moveaxis(np.tensordot(laws, how, (axis, 0)), -1, axis)
    return laws.reshape(len(laws), -1)


def _hockey_stick(P: Array, Q: Array, E: float) -> Array:
    """Return the sums of max(0, P - E Q); for an infinite E, of P where Q is 0."""
    excess = np.maximum(P - E * Q, 0.0) if math.isfinite(E) else np.where(Q == 0, P, 0.0)
    return np.asarray(excess.sum(axis=-1))
