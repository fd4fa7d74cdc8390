"""What the tests on thresholds share: binomial masses and tails, and cases, in fractions."""

import random
from fractions import Fraction
from itertools import product
from math import comb, floor

from tests.oracles import thresholding as brute

F = Fraction
RATIOS = (F(1), F(9, 8), F(3, 2), F(2), F(5), F(50))
# Rational values of p, small, middling and large.
SHARES = (F(1, 100), F(1, 10), F(1, 4), F(2, 5), F(1, 2), F(7, 10), F(19, 20))


def f(s, n, p):
    return comb(n, s) * p**s * (1 - p) ** (n - s) if s <= n else F(0)


def tail(s, n, p):
    return sum((f(i, n, p) for i in range(s, n + 1)), F(0))


def r(n, p, T):
    return p * (n - 1) / ((1 - p) * T)


def cases(largest=8):
    """All n, p, T to which Theorem 4 applies, with its δ."""
    for n, p in product(range(1, largest + 1), SHARES):
        for T in range(1, n + 1):
            if r(n, p, T) < 1:
                yield n, p, T, f(T, n - 1, p) / (1 - r(n, p, T))


def random_crowds(seed, number, largest=6, most=1):
    """Probabilities of the others, with some zeros and ones among them."""
    source = random.Random(seed)
    for _ in range(number):
        size = source.randint(1, largest)
        denominator = source.choice((2, 3, 7, 20, 101))
        yield [most * F(source.randint(0, denominator), denominator) for _ in range(size)]


def released(probabilities, T):
    return brute.released_laws(probabilities, 0, len(probabilities) + 1, brute.release_above(T))


def directions(N, p, T, E):
    """Each direction's difference, T ≤ N."""
    m1 = min(N, T + floor(T * (1 - p) / (p * E)))
    m2 = min(N, T + floor(T * (1 - p) * E / p))
    up = tail(T, m1, p) - E * tail(T + 1, m1, p)
    down = (1 - tail(T + 1, m2, p)) - E * (1 - tail(T, m2, p))
    return up, down


def rounded(value, digits=2):
    return f"{value:.{digits - 1}e}"
