"""Notions of privacy of a sum, against whole databases and against the definitions on worlds."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest

from pkdp import counting
from pkdp.noiseless import noiseless_privacy
from pkdp.noiseless.known_values import known_delta
from pkdp.worlds import World
from pkdp.worlds.definitions import apk_delta, cdp_delta, cdp_ratio, np_ratio
from pkdp.worlds.mechanisms import total
from tests.oracles.groups import (
    COIN,
    both_ways,
    databases,
    law_of,
    place_of,
    random_group,
    random_groups,
    records_of,
)

RATIOS = [Fraction(1), Fraction(5, 4), Fraction(2), Fraction(6), math.inf]
PROFILES = {
    "add or remove": noiseless_privacy.add_or_remove,
    "replace": noiseless_privacy.replace,
    "conditional": noiseless_privacy.conditional,
    "causal": noiseless_privacy.causal,
}


def brute(notion, groups, target, ratio):
    """The definition of a notion read aloud, on whole databases."""
    law, i = databases(groups), place_of(groups, target)
    values = {values[target[1]] for values in groups[target[0]]}
    whole, rest = law_of(law, sum), law_of(law, lambda d: sum(d) - d[i])
    if notion == "add or remove":
        inserted = [law_of(law, lambda d, x=x: sum((*d, x))) for x in values]
        return max(both_ways(whole, other, ratio) for other in [rest, *inserted])
    if notion == "replace":
        replaced = [law_of(law, lambda d, x=x: sum((*d[:i], x, *d[i + 1 :]))) for x in values]
        return max(both_ways(whole, other, ratio) for other in replaced)
    assert notion == "marginal causal"
    possible = {d[i] for d in law}
    set_to = [law_of(law, lambda d, x=x: sum((*d[:i], x, *d[i + 1 :]))) for x in possible]
    return max(both_ways(one, other, ratio) for one in set_to for other in set_to)


@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 16))]
)
def test_every_notion_agrees_with_whole_databases_and_worlds(seed):
    source = random.Random(seed)
    groups = random_groups(source)
    world = World({(d, ()): mass for d, mass in databases(groups).items()})
    for target in records_of(groups):
        i = place_of(groups, target)
        profiles = {notion: make(groups, target) for notion, make in PROFILES.items()}
        for ratio in RATIOS:
            truth = {
                notion: brute(notion, groups, target, ratio)
                for notion in ("add or remove", "replace", "marginal causal")
            }
            truth["conditional"] = apk_delta(world, total, ratio, [i])
            truth["causal"] = cdp_delta(world, total, ratio, [i])
            for notion in truth:
                assert known_delta(groups, target, [], ratio, notion=notion) == truth[notion]
            for notion, profile in profiles.items():
                found = profile.delta(math.log(ratio))
                assert found == pytest.approx(float(truth[notion]), rel=1e-9, abs=1e-13)
        for notion, ratio_of in (("conditional", np_ratio), ("causal", cdp_ratio)):
            least = ratio_of(world, total, [i])
            found = profiles[notion].epsilon(log_delta=-30.0)
            if least == math.inf:
                assert profiles[notion].delta(math.inf) > 0
            else:
                assert found <= math.log(least) * (1 + 1e-9)
                assert profiles[notion].delta(math.log(least) + 1e-9) == 0.0


@pytest.mark.parametrize("notion", PROFILES)
def test_counted_groups_are_as_good_as_listed_ones(notion):
    source = random.Random(5)
    one, two = random_group(source, 2), random_group(source, 3)
    listed, counted = [one, two, one, two, one], [(one, 3), (two, 2), ({(9,): 1}, 0)]
    eps = [0.0, 0.3, 1.0, math.inf]
    found = PROFILES[notion](counted, (1, 2)).delta(eps)
    assert found == pytest.approx(PROFILES[notion](listed, (1, 2)).delta(eps), rel=1e-9, abs=1e-14)


def test_comparisons_that_share_one_law_are_all_made():
    # The sum of both is 1 with these probabilities, given each value of the target.
    for chances in itertools.permutations((0.5, 0.4, 0.1)):
        group = {(x, y - x): (p if y else 1 - p) / 3 for x, p in enumerate(chances) for y in (0, 1)}
        assert noiseless_privacy.conditional([(group, 1)], (0, 0)).delta(0.0) == pytest.approx(0.4)


def test_what_may_be_inserted():
    # A value of mass 0 is a value that records may have: degenerate data have others, too.
    surely = {(0,): Fraction(1), (1,): Fraction(0)}
    assert noiseless_privacy.add_or_remove([surely], (0, 0)).delta(5.0) == 1.0
    assert noiseless_privacy.replace([surely], (0, 0)).delta(5.0) == 1.0
    assert noiseless_privacy.add_or_remove([{(0,): 1}], (0, 0)).delta(0.0) == 0.0
    assert noiseless_privacy.replace([{(0,): 1}], (0, 0)).delta(0.0) == 0.0
    # What is compared are values that it has.
    assert noiseless_privacy.conditional([surely], (0, 0)).delta(0.0) == 0.0
    assert noiseless_privacy.causal([surely], (0, 0)).delta(0.0) == 0.0
    removed = noiseless_privacy.add_or_remove([(COIN, 5)], (0, 0), inserted=())
    law = {k: Fraction(math.comb(5, k), 32) for k in range(6)}
    less = {k: Fraction(math.comb(4, k), 16) for k in range(5)}
    assert removed.delta(0.0) == pytest.approx(float(both_ways(law, less, 1)), rel=1e-12)
    farther = noiseless_privacy.add_or_remove([(COIN, 5)], (0, 0), inserted=[6]).delta(9.0)
    assert farther == 1.0
    assert noiseless_privacy.replace([(COIN, 5)], (0, 0), values=[6]).delta(9.0) == 1.0
    # Shifts up and down are one.
    up_and_down = noiseless_privacy.add_or_remove([(COIN, 5)], (0, 0), inserted=[-1, 0, 1])
    eps = [0.0, 0.3, 2.0]
    assert up_and_down.delta(eps).tolist() == pytest.approx(
        noiseless_privacy.add_or_remove([(COIN, 5)], (0, 0), inserted=[1]).delta(eps).tolist()
    )


def test_masses_may_be_a_hair_off_and_of_any_kind():
    off = {(0,): 0.5, (1,): 0.5 + 5e-10}
    profile = noiseless_privacy.conditional([off, (COIN, 3)], (0, 0))
    assert profile.delta(0.2) == pytest.approx(counting.exact([0.5] * 3).delta(0.2), rel=1e-12)
    whole = {(np.int64(0),): np.float64(0.25), (np.int64(1),): Fraction(3, 4)}
    assert noiseless_privacy.add_or_remove([whole], (0, 0)).delta(9.0) == pytest.approx(0.75)


def test_the_search_for_eps_begins_near_the_result_with_several_comparisons_too():
    # It began at inf, which for a large sum takes ten times as long as all else.
    groups = [({(0, 0): 0.4, (1, 1): 0.4, (0, 1): 0.1, (1, 0): 0.1}, 10**5)]
    starts = [
        notion(groups, (0, 0)).first_eps
        for notion in (
            noiseless_privacy.add_or_remove,
            noiseless_privacy.replace,
            noiseless_privacy.conditional,
            noiseless_privacy.causal,
        )
    ]
    assert max(starts) < 0.02
