"""Section 4.3 on generalization and on sampling: exact, in worlds small enough to be listed."""

import itertools
import math
import random
from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from pkdp.partial_knowledge.kanonymity import (
    make_minimal_generalization,
    make_truncated_histogram,
    sampled,
    sampled_bound,
    theorem_5,
)
from pkdp.worlds import bits, independent
from pkdp.worlds.definitions import apk_delta, dp_delta
from pkdp.worlds.mechanisms import make_constant

pytestmark = pytest.mark.page

RATIOS = (1, Fraction(3, 2), 4, math.inf)


def hockey_stick(p, q, ratio):
    if ratio == math.inf:
        return sum(mass for out, mass in p.items() if out not in q)
    return sum(max(0, mass - ratio * q.get(out, 0)) for out, mass in p.items())


def law_of(release, laws, first):
    """The law of what is released if the first record is known and the others have these laws."""
    found = {}
    for others in product(*laws):
        mass = math.prod(law[value] for law, value in zip(laws, others, strict=True))
        out = release((first, *others))
        found[out] = found.get(out, 0) + mass
    return {out: mass for out, mass in found.items() if mass}


# A fixed generalization.

FINE = "abcd"


@cache
def random_laws(seed, number):
    source = random.Random(seed)
    laws = []
    for _ in range(number):
        masses = [source.randint(0, 4) for _ in (*FINE, None)]
        masses[source.randrange(5)] += 1
        laws.append(
            {
                value: Fraction(mass, sum(masses))
                for value, mass in zip((*FINE, None), masses, strict=True)
            }
        )
    return laws


def summed(law, generalization):
    image = {}
    for value, mass in law.items():
        to = generalization.get(value)
        image[to] = image.get(to, 0) + mass
    return image


MAPS = [
    {"a": "x", "b": "x", "c": "y", "d": "y"},
    {"a": "x", "b": "y", "c": "y", "d": "y"},
    {"a": "x", "b": "x", "c": "x"},  # d becomes absent
]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("generalization", MAPS)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_generalizing_first_is_to_sum_the_laws(seed, generalization, k):
    laws = random_laws(seed, 3)
    first = make_truncated_histogram("xy", k=k, generalization=generalization)
    plain = make_truncated_histogram("xy", k=k)
    images = [summed(law, generalization) for law in laws]
    for a in (*FINE, None):
        assert law_of(first, laws, a) == law_of(plain, images, generalization.get(a))


def test_values_that_are_merged_cannot_be_told_apart():
    laws = random_laws(0, 3)
    release = make_truncated_histogram("xy", k=2, generalization=MAPS[0])
    assert law_of(release, laws, "a") == law_of(release, laws, "b")
    assert law_of(release, laws, "a") != law_of(release, laws, "c")


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_theorem_holds_with_the_summed_laws(k):
    # a and b are neither rare nor common at λ = 1/4, what they are merged to is common.
    eighth = Fraction(1, 8)
    laws = [
        dict(zip((*FINE, None), masses, strict=True)) for masses in ([eighth] * 4 + [4 * eighth],)
    ]
    laws = laws * 4
    release = make_truncated_histogram("xy", k=k, generalization=MAPS[0])
    for a, b in product((*FINE, None), repeat=2):
        found = [law_of(release, laws, value) for value in (a, b)]
        for eps in (0.0, 0.5, 1.0, 2.0):
            bound = theorem_5(5, 0.25, k=k, pair="any").delta(eps)
            assert hockey_stick(*found, Fraction(math.exp(eps))) <= bound


# One that depends on the data.


def test_two_harmless_generalizations_tell_everything_by_which_is_used():
    world = bits([Fraction(1, 3)] * 4)
    maps = [{0: name, 1: name} for name in ("all", "any")]
    for single in maps:
        (name,) = set(single.values())
        assert all(
            apk_delta(world, make_truncated_histogram([name], k=1, generalization=single), ratio)
            == 0
            for ratio in RATIOS
        )

    def chosen(records):
        (name,) = set(maps[records[0]].values())
        return name, make_truncated_histogram([name], k=1, generalization=maps[records[0]])(records)

    assert all(apk_delta(world, chosen, ratio, [0]) == 1 for ratio in RATIOS)
    assert all(apk_delta(world, chosen, ratio, [1]) == 0 for ratio in RATIOS)


def diverse(group):
    return 2 * sum(group) <= len(group)


def together(ill):
    return ("in all", sum(ill)) if diverse(ill) else ("nothing",)


def minimal(first):
    def release(ill):
        villages = ill[:first], ill[first:]
        if all(map(diverse, villages)):
            return "by village", *map(sum, villages)
        return together(ill)

    return release


def beliefs(n, p, release):
    """For every output the probability of each person to be ill."""
    mass, ill = {}, {}
    for people in product((0, 1), repeat=n):
        out = release(people)
        weight = math.prod(p if x else 1 - p for x in people)
        mass[out] = mass.get(out, 0) + weight
        for i in range(n):
            ill[out, i] = ill.get((out, i), 0) + weight * people[i]
    return {out: [ill[out, i] / mass[out] for i in range(n)] for out in mass}


def test_a_minimal_table_makes_two_people_certain():
    p = Fraction(1, 10)
    fixed, adaptive = beliefs(6, p, together), beliefs(6, p, minimal(2))
    assert fixed["in all", 2] == [Fraction(1, 3)] * 6
    assert adaptive["in all", 2] == [1, 1, 0, 0, 0, 0]
    # No fixed table of the total makes anybody's illness certain.
    assert max(max(found) for found in fixed.values()) < 1
    # One of the first village is exposed if the other is ill, too, and nobody in the second.
    world = bits([p] * 6)
    ill, well = (
        world.given(lambda people, _, value=value: people[0] == value).law_of(minimal(2))
        for value in (1, 0)
    )
    assert hockey_stick(ill, well, math.inf) == p * (1 - p) ** 4
    ill, well = (
        world.given(lambda people, _, value=value: people[0] == value).law_of(together)
        for value in (1, 0)
    )
    assert hockey_stick(ill, well, math.inf) == 0


def betrays(n, first):
    found = beliefs(n, Fraction(1, 2), minimal(first))
    return [out for out, people in found.items() if out[0] == "in all" and max(people) == 1]


def test_six_people_are_the_fewest_that_a_minimal_table_betrays():
    splits = [(n, first) for n in range(4, 8) for first in range(2, n // 2 + 1)]
    assert [split for split in splits if betrays(*split)] == [(6, 2), (7, 2)]
    assert betrays(6, 2) == [("in all", 2)]
    assert [n for n in range(2, 5) if betrays(n, 1)] == [3, 4]


def levels(ages, merged):
    return [{age: age for age in ages}, {age: "".join(part) for part in merged for age in part}]


def ways(ages, merged, k):
    fine, coarse = levels(ages, merged)
    return (
        make_minimal_generalization([fine, coarse], k=k),
        make_truncated_histogram(ages, k=k),
        make_truncated_histogram(sorted(set(coarse.values())), k=k, generalization=coarse),
    )


def deltas(n, ages, merged, k):
    """δ of the adaptive table, the fine and the coarse one, with uniform laws, at each ratio."""
    world = independent([dict.fromkeys(ages, Fraction(1, len(ages)))] * n)
    return [
        [apk_delta(world, way, ratio, [0]) for way in ways(ages, merged, k)] for ratio in RATIOS
    ]


def curves(n, ages, merged, k):
    """δ of the adaptive table and of both fixed ones wherever the gap between may be largest.

    That of a pair of ages is linear between likelihood ratios, and the adaptive δ is convex. So
    the gap can only be largest at such a ratio, or where two lines of the fixed tables cross.
    """
    others = [dict.fromkeys(ages, Fraction(1, len(ages)))] * (n - 1)
    pairs = []
    for way in ways(ages, merged, k):
        laws = [law_of(way, others, age) for age in ages]
        pairs.append([(p, q) for p in laws for q in laws if p is not q])
    ratios = {Fraction(1)}
    for p, q in (pair for of_one in pairs for pair in of_one):
        ratios |= {p[out] / q[out] for out in p if out in q and p[out] > q[out]}

    def values(ratio):
        return [[hockey_stick(p, q, ratio) for p, q in of_one] for of_one in pairs]

    found = {ratio: values(ratio) for ratio in (*ratios, max(ratios) + 1)}
    for low, high in itertools.pairwise(sorted(found)):
        ends = [
            (a, b) for way in (1, 2) for a, b in zip(found[low][way], found[high][way], strict=True)
        ]
        for one, other in itertools.combinations(set(ends), 2):
            start, end = one[0] - other[0], one[1] - other[1]
            if start * end < 0:
                ratio = low + (high - low) * start / (start - end)
                found[ratio] = values(ratio)
    return {ratio: [max(of_one) for of_one in three] for ratio, three in found.items()}


def test_minimal_k_anonymity_can_be_less_private_than_either_level():
    found = deltas(4, "abcd", [("a", "b"), ("c", "d")], 2)
    assert found[-1] == [Fraction(11, 64), Fraction(7, 64), Fraction(1, 8)]
    # More private than the fine one for smaller ratios, at 3/2 and, as the page says, at 2 and 4.
    assert found[1][0] < found[1][1]
    world = independent([dict.fromkeys("abcd", Fraction(1, 4))] * 4)
    adaptive, fine, _ = ways("abcd", [("a", "b"), ("c", "d")], 2)
    for ratio in (2, 4):
        assert apk_delta(world, adaptive, ratio, [0]) < apk_delta(world, fine, ratio, [0])
    # The search below would find this world.
    assert any(
        adaptive > max(fixed)
        for adaptive, *fixed in curves(4, "abcd", [("a", "b"), ("c", "d")], 2).values()
    )


def partitions(values):
    if not values:
        yield []
        return
    first, *rest = values
    for parts in partitions(rest):
        yield [(first,), *parts]
        for i, part in enumerate(parts):
            yield [*parts[:i], (first, *part), *parts[i + 1 :]]


@pytest.mark.slow
def test_no_smaller_uniform_world_is_less_private_than_either_level():
    # Which ages are merged with which does not matter, only how many.
    tried = 0
    for n, most in ((2, 5), (3, 5), (4, 3)):
        for number in range(2, most + 1):
            ages = "abcde"[:number]
            shapes = {tuple(sorted(map(len, parts))): parts for parts in partitions(list(ages))}
            for k in range(1, n + 1):
                for parts in shapes.values():
                    tried += 1
                    for adaptive, *fixed in curves(n, ages, parts, k).values():
                        assert adaptive <= max(fixed)
    assert tried == 105


# Sampling first.


def sampled_table(rate, k, values):
    """The law of the truncated histogram of a sample."""
    release = make_truncated_histogram(values, k=k)

    def law(records):
        found = {}
        for drawn in product((False, True), repeat=len(records)):
            mass = math.prod(rate if x else 1 - rate for x in drawn)
            out = release(tuple(r for r, x in zip(records, drawn, strict=True) if x))
            found[out] = found.get(out, 0) + mass
        return found

    return law


@pytest.mark.slow
@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_sampling_first_is_differentially_private(rate, k):
    law = sampled_table(rate, k, "ab")
    exact, bound = sampled(k=k, rate=float(rate)), sampled_bound(k=k, rate=float(rate))
    for others in (("a",) * m + ("b",) * more for m in range(6) for more in range(3)):
        plain = law(others)
        for value in ("a", "b"):
            more = law((value, *others))
            for eps in (0.0, 0.1, 0.7, 2.0):
                ratio = Fraction(math.exp(eps))
                worst = max(hockey_stick(more, plain, ratio), hockey_stick(plain, more, ratio))
                assert worst <= exact.delta(eps) * (1 + 1e-9)
                assert exact.delta(eps) <= bound.delta(eps) * (1 + 1e-9)


@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(1, 2)])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_sampling_first_needs_a_delta(rate, k):
    law = sampled_table(rate, k, "a")
    exposed = [hockey_stick(law(("a",) * (m + 1)), law(("a",) * m), math.inf) for m in range(k + 3)]
    assert max(exposed) == exposed[k - 1] == rate**k
    assert sampled(k=k, rate=float(rate)).delta(math.inf) == pytest.approx(
        float(rate) ** k, rel=1e-9
    )


def test_without_sampling_she_who_knows_all_records_learns_the_target_s():
    release = make_truncated_histogram("ab", k=2)
    for ratio in RATIOS:
        assert dp_delta(release, "ab", 4, ratio=ratio) == 1
        assert dp_delta(make_constant("nothing"), "ab", 4, ratio=ratio) == 0
