"""Known values, against whole databases, the definitions on worlds, and all subsets."""

import math
import random
from fractions import Fraction
from itertools import combinations

import pytest

from pkdp.noiseless.known_values import known_delta, worst_subset
from pkdp.worlds import World
from pkdp.worlds.definitions import apk_delta, cdp_delta
from pkdp.worlds.mechanisms import total
from tests.oracles.groups import (
    COIN,
    HALF,
    both_ways,
    databases,
    law_of,
    pair,
    place_of,
    random_groups,
    records_of,
)

RATIOS = [Fraction(1), Fraction(5, 4), Fraction(3), math.inf]


def observed(groups, places):
    """The law of the database given each possible value of the known records."""
    parts = {}
    for database, mass in databases(groups).items():
        seen = tuple(database[i] for i in places)
        parts.setdefault(seen, {})[database] = mass
    return parts.values()


def brute(notion, groups, target, known, ratio):
    """Definition 3, or replacement, for the worst value of the known records."""
    i = place_of(groups, target)
    values = sorted({values[target[1]] for values in groups[target[0]]})
    worst = Fraction(0)
    for part in observed(groups, [place_of(groups, k) for k in known]):
        whole, rest = law_of(part, sum), law_of(part, lambda d: sum(d) - d[i])
        changes = [{s + x: m for s, m in whole.items()} for x in values] + [rest]
        if notion == "replace":
            changes = [{s + x: m for s, m in rest.items()} for x in values]
        worst = max(worst, *(both_ways(whole, other, ratio) for other in changes))
    return worst


def cases(seeds):
    for seed in seeds:
        source = random.Random(seed)
        groups = random_groups(source)
        target = source.choice(records_of(groups))
        others = [record for record in records_of(groups) if record != target]
        known = source.sample(others, source.randint(0, min(3, len(others))))
        yield groups, target, known


def test_definition_3_agrees_with_whole_databases():
    for groups, target, known in cases(range(30)):
        for ratio in RATIOS:
            for notion in ("add or remove", "replace"):
                found = known_delta(groups, target, known, ratio, notion=notion)
                assert found == brute(notion, groups, target, known, ratio)


def test_the_main_papers_notions_agree_with_worlds():
    for groups, target, known in cases(range(100, 150)):
        places = [place_of(groups, k) for k in known]
        i = place_of(groups, target)
        world = World(
            {(d, tuple(d[j] for j in places)): mass for d, mass in databases(groups).items()}
        )
        for ratio in RATIOS:
            active = known_delta(groups, target, known, ratio, notion="conditional")
            assert active == apk_delta(world, total, ratio, [i])
            causal = known_delta(groups, target, known, ratio, notion="causal")
            assert causal == cdp_delta(world, total, ratio, [i])


def test_all_known_is_differential_privacy():
    groups = [COIN, pair(Fraction(3, 4))]
    everyone = [(1, 0), (1, 1)]
    assert known_delta(groups, (0, 0), everyone, math.inf, notion="replace") == HALF
    assert known_delta([pair(1)], (0, 0), [(0, 1)], math.inf, notion="replace") == 1
    # Which the others' values exclude, may still be inserted; but not be compared.
    assert known_delta([pair(1)], (0, 0), [(0, 1)], math.inf, notion="conditional") == 0


@pytest.mark.parametrize("notion", ["add or remove", "conditional"])
def test_the_worst_subset_is_the_worst_of_all(notion):
    for groups, target, _ in cases(range(300, 310)):
        others = [record for record in records_of(groups) if record != target]
        for size in range(len(others) + 1):
            found = worst_subset(groups, target, size, 2, notion=notion)
            deltas = {
                known: known_delta(groups, target, known, 2, notion=notion)
                for known in combinations(others, size)
            }
            assert len(found.known) == size
            assert found.delta == max(deltas.values()) == deltas[found.known]
            assert found.known == max(deltas, key=deltas.get)


def test_equal_groups_are_tried_once():
    # 12,870 sets, of which 9 differ.
    found = worst_subset([COIN] * 17, (0, 0), 8, 1, notion="causal")
    assert found.known == tuple((i, 0) for i in range(1, 9))
    assert found.delta == Fraction(math.comb(8, 4), 2**8)


def test_what_may_be_inserted_can_be_said():
    groups = [COIN] * 4
    plain = known_delta(groups, (0, 0), [(1, 0)], 2)
    assert known_delta(groups, (0, 0), [(1, 0)], 2, inserted=[0, 1]) == plain
    assert known_delta(groups, (0, 0), [(1, 0)], 2, inserted=[9]) == 1
