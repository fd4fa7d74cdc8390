r"""Exchangeable priors: replies of equal channels if only the number of ones matters.

All that k replies tell is in three numbers: the number of leaks, L, of ones shown by these, l, and
of answers "one" among the other n = k - L, t. Given L, the law of l is hypergeometric, and t is the
number of answers "one" to j = ``|b| - l`` ones and n - j zeros:

    P[t | j] = (1 + r)^{-n}·r^{|j-t|}·U_n(j, t),  r = e^{-ε},

where U contains no small numbers. It is computed from n - 1 for n, by the reply of one database
that holds the record: ``U_n(j+1, t) = U_{n-1}(j, t-1) + (r² if t > j else 1)·U_{n-1}(j, t)``, and
``U_n(0, t)`` is ``C(n, t)``. All terms are positive, so nothing cancels.
"""

import functools
import math
from collections.abc import Iterator

import numpy as np

from pkdp.profiles.binomials import log_binomial_pmf
from pkdp.profiles.logarithms import FloatArray, IntArray, log_positive, log_sum
from pkdp.profiles.pairs import LogMasses

# Beyond, C(n, t) would be no float.
MOST = 1000
# The most outcomes that are listed, in a few seconds.
MOST_OUTCOMES = 2**24
# Sums of floats below this are computed again in logarithms.
_SMALL = 1e-280


@functools.lru_cache(maxsize=2)
def binomials(k: int) -> FloatArray:
    """Return Pascal's triangle down to row k: ``C(n, t)``, shape (k+1, k+1)."""
    table = np.zeros((k + 1, k + 1))
    table[:, 0] = 1.0
    for n in range(1, k + 1):
        table[n, 1:] = table[n - 1, 1:] + table[n - 1, :-1]
    return table


def leak_numbers(k: int, delta: float, log_least: float) -> tuple[IntArray, FloatArray, float]:
    """Return the numbers of leaks that matter, ln of their masses, and of the mass of the others.

    The others have less than ``exp(log_least)`` in total.

    Examples
    --------
    >>> numbers, _, left_out = leak_numbers(365, 1e-9, -60.0)
    >>> numbers.tolist(), left_out < -60.0
    ([0, 1, 2, 3], True)
    """
    numbers = np.arange(k + 1)
    logs = log_binomial_pmf(numbers, k, delta)
    order = np.argsort(logs, kind="stable")
    # The least likely first; their sums are rounded up, so that bounds stay bounds.
    tails = np.logaddexp.accumulate(logs[order]) + 1e-9
    out = order[tails <= log_least] if log_least > -math.inf else order[logs[order] == -math.inf]
    kept = np.setdiff1d(numbers, out)
    left_out = float(np.logaddexp.reduce(logs[out])) + 1e-9 if out.size else -math.inf
    return kept, logs[kept], left_out


def outcomes(k: int, numbers: IntArray) -> int:
    """Return how many outcomes there are with these numbers of leaks."""
    return int(((numbers + 1) * (k - numbers + 1)).sum())


def log_seen(
    logs: FloatArray, eps: float, numbers: IntArray, log_numbers: FloatArray
) -> list[FloatArray]:
    """Return ln of the laws of (L, l, t), for L among `numbers`: an array for each.

    Parameters
    ----------
    logs : ndarray, shape (laws, k+1)
        ln of the laws of the number of ones.
    eps : float
        ε of every answer.
    numbers, log_numbers : ndarray
        Numbers of leaks, and ln of their masses.

    Returns
    -------
    list of ndarray, shape (laws, L+1, k-L+1)
    """
    k = logs.shape[1] - 1
    wanted = {k - leaks: i for i, leaks in enumerate(numbers.tolist())}
    found: list[FloatArray] = [np.empty(0)] * len(wanted)
    for n, table in enumerate(_answers(max(wanted), eps)):
        if n in wanted:
            prior = _given_leaks(logs, k - n, np.arange(k - n + 1)) + log_numbers[wanted[n]]
            found[wanted[n]] = _times(prior, table, eps)
    return found


def _given_leaks(logs: FloatArray, leaks: int, which: IntArray) -> FloatArray:
    """Return ln of the masses of (l, j) if so many leak, for l in `which`: laws, l and j."""
    k = logs.shape[1] - 1
    table = binomials(k)
    ones, rest = which[:, None], np.arange(k - leaks + 1)[None, :]
    ways = np.log(table[ones + rest, ones]) + np.log(table[k - ones - rest, leaks - ones])
    return np.asarray(logs[:, ones + rest] + (ways - math.log(table[k, leaks])))


def _answers(last: int, eps: float) -> Iterator[FloatArray]:
    """Yield ``U_n``, shape (n+1, n+1), for n = 0…last."""
    numbers = np.arange(last + 1)
    # If t > j, the reply of one more database that holds the record must be a lie.
    lies = np.where(numbers > numbers[:, None], math.exp(-2.0 * eps), 1.0)
    table = np.ones((1, 1))
    yield table
    for n in range(1, last + 1):
        wider = np.zeros((n + 1, n + 1))
        wider[0, :-1] = table[0]
        wider[0, 1:] += table[0]
        wider[1:, 1:] = table
        wider[1:, :-1] += lies[:n, :n] * table
        table = wider
        yield table


def _times(prior: FloatArray, table: FloatArray, eps: float) -> FloatArray:
    """Return ln of the prior of (l, j), times the law of t given j."""
    n = table.shape[0] - 1
    numbers = np.arange(n + 1)
    logs = np.log(table) - eps * np.abs(numbers[:, None] - numbers[None, :])
    column = logs.max(axis=0)
    row = prior.max(axis=2, keepdims=True)
    something = row > -math.inf
    row = np.where(something, row, 0.0)
    sums = np.exp(prior - row).reshape(-1, n + 1) @ np.exp(logs - column)
    sums = sums.reshape(prior.shape)
    seen = log_positive(sums) + row + column
    # Terms of a larger sum that are too small for floats do not matter to it.
    small = (sums < _SMALL) & something
    for law, ones, t in np.argwhere(small):
        seen[law, ones, t] = np.logaddexp.reduce(prior[law, ones] + logs[:, t])
    return np.asarray(seen - n * math.log1p(math.exp(-eps)))


def log_alone(
    one: FloatArray, other: FloatArray, delta: float, log_least: float = -math.inf
) -> tuple[float, float]:
    """Return ln of the mass of leaks that are possible under one law only, and of those left out.

    For these (L, l) the other law has no number in l…k-L+l; answers never exclude a number.

    Examples
    --------
    One leak reveals a person who is in one database, and two leaks one who is in none:

    >>> in_one, in_none = np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])
    >>> round(math.exp(log_alone(in_one, in_none, 0.1)[0]), 12)
    0.1
    >>> round(math.exp(log_alone(in_none, in_one, 0.1)[0]), 12)
    0.01
    """
    k = one.size - 1
    below = np.concatenate([[0], np.cumsum(other > 0.0)])
    numbers, log_numbers, left_out = leak_numbers(k, delta, log_least)
    logs = log_positive(one)
    parts = []
    for leaks, log_number in zip(numbers.tolist(), log_numbers.tolist(), strict=True):
        ones = np.arange(leaks + 1)
        excluded = ones[below[k - leaks + ones + 1] == below[ones]]
        if excluded.size:
            parts.append(log_number + _given_leaks(logs[None, :], leaks, excluded).ravel())
    return log_sum(np.concatenate(parts)) if parts else -math.inf, left_out


def log_masses(
    one: FloatArray, other: FloatArray, eps: float, delta: float, log_least: float
) -> LogMasses:
    """Return the masses of (L, l, t) under two laws of the number of ones."""
    k = one.size - 1
    numbers, log_numbers, left_out = leak_numbers(k, delta, log_least)
    size = outcomes(k, numbers)
    if size > MOST_OUTCOMES:
        raise ValueError(
            f"delta must be one for which {MOST_OUTCOMES} outcomes of {k} replies hold all that "
            f"matters, got {delta!r}, for which {size} would have to be listed"
        )
    logs = log_positive(np.stack([one, other]))
    seen = log_seen(logs, eps, numbers, log_numbers)
    log_p, log_q = np.concatenate([masses.reshape(2, -1) for masses in seen], axis=1)
    possible = np.maximum(log_p, log_q) > -math.inf
    return LogMasses(log_p[possible], log_q[possible], left_out)
