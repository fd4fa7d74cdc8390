"""Bounds of what a table with suppressed cells tells, as curves."""

from functools import partial
from itertools import islice

from pkdp.partial_knowledge import suppressed_tables as tables


def upper_bound(counts, k, *, hidden):
    """A bound for every pair of cells, with so many hidden; rounded up, by 1e-8 of δ and 8e-12."""
    numbers = tables._counts(counts)
    least = tables._k(k, numbers)
    told = partial(tables._told, int(numbers.sum()), int(numbers[:hidden].sum()), least)
    eta = next(islice(tables._etas(numbers, least), hidden, None))
    greatest = partial(_greatest, told, tables._pairs(numbers, hidden))
    return tables._curve(lambda ratio: eta + greatest(ratio), "upper bound")


def lower_bound(counts, k):
    """What the two cells tell that tell most; rounded down, by 2e-8 of δ and 1.6e-11."""
    numbers = tables._counts(counts)
    told = partial(tables._least_told, int(numbers.sum()), tables._k(k, numbers))
    return tables._curve(partial(_greatest, told, tables._pairs(numbers, 0)), "lower bound")


def _greatest(told, pairs, ratio):
    return max((told(a, b, ratio) for a, b in pairs), default=0.0)
