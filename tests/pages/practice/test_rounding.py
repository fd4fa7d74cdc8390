"""What rounding buys: sums over intervals in fractions, vertices, and known records."""

import itertools
import math
import random
from fractions import Fraction as F

import pytest

from pkdp import counting
from pkdp.partial_knowledge import rounding
from pkdp.profiles.rounded_counts import Rounding

RANDOM = random.Random(28)


def published(count, base, suppressed):
    """Nearest multiple of the base, half up; 0 up to a number."""
    return 0 if count <= suppressed else base * math.floor(F(count, base) + F(1, 2))


def law(probabilities):
    """The masses of a sum of bits, in fractions."""
    masses = [F(1)]
    for p in probabilities:
        masses = [
            (masses[k] * (1 - p) if k < len(masses) else 0) + (masses[k - 1] * p if k else 0)
            for k in range(len(masses) + 1)
        ]
    return masses


def delta(probabilities, base, suppressed, ones, ratio):
    """δ of a rounded count by definition: both directions, summed over what is published."""
    sides = [{}, {}]
    for k, mass in enumerate(law(probabilities)):
        for own, side in enumerate(sides):
            value = published(k + own + ones, base, suppressed)
            side[value] = side.get(value, 0) + mass
    values = {*sides[0], *sides[1]}
    return max(
        sum(max(0, p.get(value, 0) - ratio * q.get(value, 0)) for value in values)
        for p, q in (sides, sides[::-1])
    )


def cases(number):
    """Bases, suppressed counts and ratios, at random."""
    for _ in range(number):
        yield (
            RANDOM.randint(1, 7),
            RANDOM.choice([0, 0, 1, 2, 3, 6]),
            RANDOM.choice([F(1), F(11, 10), F(3, 2), F(3), F(10), F(100)]),
        )


def test_what_is_published_is_the_nearest_multiple():
    for base, suppressed in itertools.product(range(1, 12), range(12)):
        how = Rounding(base, suppressed)
        values = [how.published(k) for k in range(60)]
        assert values == [published(k, base, suppressed) for k in range(60)]
        edges = [k for k in range(1, 60) if values[k] != values[k - 1]]
        assert edges[0] == how.first_edge
        for k in range(40):
            assert how.edge_from(k) == min(e for e in edges if e >= k)
            assert how.edge_up_to(k) == max((e for e in edges if e <= k), default=None)


def test_a_rounded_count_is_the_sum_of_its_intervals():
    for base, suppressed, ratio in cases(400):
        n, ones = RANDOM.randint(0, 9), RANDOM.randint(0, 6)
        p = [F(RANDOM.choice([0, 1, 3, 10, 17, 20]), 20) for _ in range(n)]
        true = delta(p, base, suppressed, ones, ratio)
        profile = rounding.exact(p, base=base, suppressed=suppressed, ones=ones)
        assert profile.delta(math.log(ratio)) == pytest.approx(float(true), rel=1e-11, abs=1e-15)


def test_the_worst_rounded_count_is_at_a_vertex():
    # The probabilities of some records are moved away from the vertices, and no δ is larger.
    for base, suppressed, ratio in cases(60):
        n = RANDOM.randint(2, 8)
        known = RANDOM.randint(0, n - 1)
        lam = RANDOM.choice([F(1, 20), F(1, 5), F(1, 2)])
        unknown = n - 1 - known
        sums = range(known + 1)
        most = max(
            delta([lam] * m + [1 - lam] * (unknown - m), base, suppressed, ones, ratio)
            for m in range(unknown + 1)
            for ones in sums
        )
        found = rounding.worst_case(n, lam, base=base, suppressed=suppressed, known=known)
        eps = math.log(ratio)
        assert float(most) * (1 - 1e-12) <= found.delta(eps) <= float(most) * (1 + 2e-6) + 1e-300
        for _ in range(20):
            p = [lam + (1 - 2 * lam) * F(RANDOM.randint(0, 8), 8) for _ in range(unknown)]
            assert delta(p, base, suppressed, RANDOM.choice(sums), ratio) <= most


def test_a_few_known_records_undo_rounding():
    for base in (2, 3, 5, 6):
        for lam, ratio in itertools.product((F(1, 10), F(2, 5)), (F(1), F(3, 2), F(4))):
            for n in (base, base + 3, 11):
                unknown = n - base
                p = [[lam] * m + [1 - lam] * (unknown - m) for m in range(unknown + 1)]
                plain = max(delta(one, 1, 0, 0, ratio) for one in p)
                for known in range(base - 1, base + 1):
                    rounded = max(
                        delta(one, base, 0, ones, ratio) for one in p for ones in range(known + 1)
                    )
                    assert rounded == plain
    # So far that n records do not fit a table of fractions.
    for n, base in ((500, 5), (3000, 10)):
        known = base - 1
        rounded = rounding.worst_case(n, 0.1, base=base, known=known)
        plain = counting.worst_case(n, 0.1, known=known)
        for eps in (0.0, 0.1, 0.5):
            assert rounded.log_delta(eps) == pytest.approx(plain.log_delta(eps), abs=3e-6)
        fewer = rounding.worst_case(n, 0.1, base=base)
        assert fewer.log_delta(0.3) <= counting.worst_case(n, 0.1).log_delta(0.3) + 3e-6


def test_far_out_and_at_the_ends():
    for n, known, base, suppressed in ((2, 1, 3, 0), (2, 1, 1, 0), (9, 0, 2, 0), (9, 0, 4, 2)):
        unknown = n - 1 - known
        for ratio in (F(10**4), F(10**9)):
            true = max(
                delta([F(1, 10)] * m + [F(9, 10)] * (unknown - m), base, suppressed, ones, ratio)
                for m in range(unknown + 1)
                for ones in range(known + 1)
            )
            found = rounding.worst_case(
                n, 0.1, base=base, suppressed=suppressed, known=known
            ).delta(math.log(ratio))
            assert found == pytest.approx(float(true), rel=3e-6, abs=1e-18)
