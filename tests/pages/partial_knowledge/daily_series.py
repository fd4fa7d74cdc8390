"""Series of days, one a record, and what their counts reveal: all databases, exact fractions."""

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise, product

F = Fraction
BITS = (0, 1)
TWO_DAYS = tuple(product(BITS, repeat=2))
VALUES = (None, 0, 1)


def released(laws, secret, read=sum):
    """The law of all days' outputs, if the target's series is this one."""
    law = Counter()
    for database in product(*(law.items() for law in laws)):
        mass = math.prod((chance for _, chance in database), start=F(1))
        series = (secret, *(one for one, _ in database))
        law[tuple(read(values) for values in zip(*series, strict=True))] += mass
    return +law


def part(law, key):
    marginal = Counter()
    for value, mass in law.items():
        marginal[key(value)] += mass
    return marginal


def dependencies(P, Q):
    """e^Dep of the last output on those before, by Definition 17; 1 where a loss is infinite."""
    (P_past, P_last), (Q_past, Q_last) = (
        (part(law, lambda o: o[:-1]), part(law, lambda o: o[-1])) for law in (P, Q)
    )
    found = {}
    for o in P:
        past, last = o[:-1], o[-1]
        if not Q_past[past] or not Q_last[last]:
            found[o] = F(1)
        elif not Q[o]:
            found[o] = math.inf
        else:
            given = (P[o] / P_past[past]) / (Q[o] / Q_past[past])
            found[o] = given / (P_last[last] / Q_last[last])
    return found


def greatest(laws, a, b, read=sum):
    P, Q = released(laws, a, read), released(laws, b, read)
    return max(*dependencies(P, Q).values(), *dependencies(Q, P).values())


def delta_of(P, Q, E):
    return max(sum((max(F(0), A[o] - E * B[o]) for o in A), F(0)) for A, B in ((P, Q), (Q, P)))


def delta(laws, a, b, E):
    return delta_of(released(laws, a), released(laws, b), E)


def least_ratio(law, past=lambda s: s[:-1], now=lambda s: s[-1], against=None):
    """e^c: of the law of `now`, given each past, against that of `against` (by default `now`)."""
    plain = part(law, against or now)
    worst = F(1)
    for seen in part(law, past):
        given = part({s: m for s, m in law.items() if past(s) == seen}, now)
        total = sum(given.values())
        for value in plain | given:
            p, q = given[value] / total, plain[value]
            worst = max(worst, math.inf if not p or not q else max(p / q, q / p))
    return worst


def sticky(rho, days=2):
    law = {}
    for series in product(BITS, repeat=days):
        mass = F(1, 2)
        for x, y in pairwise(series):
            mass *= (1 + rho) / 2 if x == y else (1 - rho) / 2
        law[series] = mass
    return law


def chain(start, *steps):
    """A Markov chain of bits: P[1] on the first day, then (P[1|1], P[1|0]) for each other."""
    law = {(1,): F(start), (0,): 1 - F(start)}
    for stay, rise in steps:
        grown = {}
        for series, mass in law.items():
            p = F(stay) if series[-1] else F(rise)
            grown[*series, 1], grown[*series, 0] = mass * p, mass * (1 - p)
        law = grown
    return law


def random_law(source, values, least=1):
    weights = [source.randint(least, 9) for _ in values]
    weights[source.randrange(len(weights))] += source.choice((0, 0, 20))
    total = sum(weights) or 1
    return {v: F(w, total) for v, w in zip(values, weights, strict=True) if w}


def markov_law(source, days, values=VALUES):
    """A Markov chain with random positive weights, others on each day."""
    law = {(value,): mass for value, mass in random_law(source, values).items()}
    for _ in range(days - 1):
        steps = {x: random_law(source, values) for x in values}
        law = {(*s, y): m * p for s, m in law.items() for y, p in steps[s[-1]].items()}
    return law


def successive(law):
    """The laws of each two days in a row."""
    days = len(next(iter(law)))
    return [part(law, lambda s, j=j: s[j : j + 2]) for j in range(days - 1)]


def count_true(values):
    return sum(map(bool, values))


def differing(a, b):
    return sum(x != y for x, y in zip(a, b, strict=True))


def neighbours(a, b):
    """How many neighbours the days have, in all, on which two series differ."""
    return sum(differing(a[j : j + 2], b[j : j + 2]) for j in range(len(a) - 1))


def excess(P, Q):
    """e to the loss of all days less the sum of their losses, where these are all finite."""
    days = range(len(next(iter(P))))
    alone = [[part(law, lambda o, j=j: o[j]) for j in days] for law in (P, Q)]
    found = {}
    for o in P:
        p, q = (math.prod(law[x] for law, x in zip(laws, o, strict=True)) for laws in alone)
        if q:
            found[o] = P[o] * q / (Q[o] * p) if Q[o] else math.inf
    return found


def of_one_day(laws, target, day):
    """The laws of all days' outputs, if the target's bit of one day is 1 and if it is 0."""
    found = []
    for bit in (1, 0):
        own = {s: m for s, m in target.items() if s[day] == bit}
        law = Counter()
        for series, mass in own.items():
            for o, p in released(laws, series).items():
                law[o] += p * mass / sum(own.values())
        found.append(law)
    return found
