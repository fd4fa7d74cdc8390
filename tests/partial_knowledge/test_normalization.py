"""Normalizations, and whose knowledge is more: against loops over parameters and bijections."""

import math
from collections import Counter
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from pkdp import worlds
from pkdp.partial_knowledge.normalization import Normalization, more_knowledge
from pkdp.worlds import World
from tests.oracles import worlds as brute

HALF = Fraction(1, 2)
FAIR = {0: HALF, 1: HALF}


def test_a_normalization_cannot_be_changed():
    laws = [dict(FAIR), {True: 1}]
    drawn = Normalization(laws, lambda x, y: (x,))
    laws[0][0] = Fraction(1)
    laws.clear()
    assert drawn.parameters == (FAIR, {True: 1})
    assert drawn.world() == worlds.bits([HALF])
    with pytest.raises(TypeError):
        drawn.parameters[0][0] = Fraction(1)


def random_normalization(rng):
    """Return random parameters and a random table from their values to databases of two bits."""
    laws = [brute.random_law(rng, range(rng.randint(1, 2)), most=2, zeros=0.0) for _ in range(3)]
    table = {phi: (rng.randrange(2), rng.randrange(3)) for phi in product(*laws)}
    return laws, table


def test_normalizations_agree_with_loops_over_their_parameters():
    verdicts = Counter()
    for seed in range(400):
        rng = Random(seed)
        laws, table = random_normalization(rng)
        known = rng.choice([[], [1], [2], [1, 2], [2, 1], [0], [0, 1]])
        normalization = Normalization(laws, lambda *phi, table=table: table[phi])
        masses = Counter()
        for phi in table:
            mass = math.prod(law[x] for law, x in zip(laws, phi, strict=True))
            masses[table[phi], tuple(phi[j] for j in known)] += mass
        assert dict(normalization.world(known).masses) == masses
        images = {(table[phi], tuple(phi[j] for j in known)) for phi in table}
        injective = len(images) == len(table)
        fixes = all(
            table[phi][0] == table[chi][0] for phi in table for chi in table if phi[0] == chi[0]
        )
        expected = injective and fixes and 0 not in known
        assert normalization.is_acceptable(0, known) == expected
        problems = normalization.problems(0, known)
        assert len(problems) == (not injective) + (not fixes) + (0 in known)
        undetermined = "database and knowledge do not determine all parameters"
        assert (undetermined in problems) == (not injective)
        assert ("parameter 0 does not determine the target" in problems) == (not fixes)
        assert ("parameter 0 is known to the attacker" in problems) == (0 in known)
        found = undetermined in normalization.problems(0)
        assert found == (len(set(table.values())) < len(table))
        verdicts[expected] += 1
        # An acceptable normalization makes an acceptable world; there may be another one.
        if expected:
            assert normalization.world(known).is_acceptable(0)
            assert brute.acceptable_normalization(masses, 0) is not None
    assert min(verdicts[True], verdicts[False]) > 30


def normalized_pair(rng):
    """Return two worlds of one random normalization, perhaps not an injective one."""
    parameters = [list(range(rng.randint(2, 3))), [0, 1], list(range(rng.randint(1, 2)))]
    laws = [brute.random_law(rng, values, most=2, zeros=0.1) for values in parameters]
    secret = {x: rng.choice((0, 1)) for x in laws[0]}
    pool = {a: [(a, r) for r in range(3)] for a in (0, 1)}
    stronger, weaker = {}, {}
    for triple in product(*laws):
        mass = math.prod(law[x] for law, x in zip(laws, triple, strict=True))
        d = rng.choice(pool[secret[triple[0]]])
        for masses, B in ((stronger, triple[1:]), (weaker, triple[1:2])):
            masses[d, B] = masses.get((d, B), 0) + mass
    return stronger, weaker


@pytest.mark.slow
def test_who_knows_more_agrees_with_all_maps_and_bijections():
    verdicts = []
    for seed in range(500):
        stronger, weaker = normalized_pair(Random(seed))
        for one, other in ((stronger, weaker), (weaker, stronger), (stronger, stronger)):
            found = more_knowledge(World(one), World(other), targets=[0])
            assert found == brute.has_more_knowledge(one, other, [0]), (one, other)
            verdicts.append(found)
    assert 100 < verdicts.count(True) < 1400


def test_who_knows_more_about_all_records_and_in_random_worlds():
    verdicts = []
    for seed in range(150):
        rng = Random(seed)
        law = brute.random_law(rng, list(product((0, 1), repeat=2)), most=2)
        learn = [{d: rng.randrange(2) for d in law} for _ in range(2)]
        one, other = ({(d, table[d]): p for d, p in law.items()} for table in learn)
        none = {(d, 0): p for d, p in law.items()}
        for first, second in ((one, other), (one, none), (none, one), (one, one)):
            found = more_knowledge(World(first), World(second))
            assert found == brute.has_more_knowledge(first, second, [0, 1]), (first, second)
            verdicts.append(found)
    assert True in verdicts
    assert False in verdicts


def coarsened_pair(rng):
    """Return a world that is acceptable at 0, and one whose knowledge is a function of its own.

    Whether that function is a parameter depends on the probabilities of its values.
    """
    base = [(rng.randrange(2), k) for k in range(rng.randint(1, 2))]
    masses = brute.random_law(rng, base, most=2, zeros=0.0)
    chances = brute.random_law(rng, range(rng.choice([2, 4])), most=2, zeros=0.0)
    images = {B: rng.randrange(2) for B in chances}
    stronger, weaker = {}, {}
    for B, chance in chances.items():
        tags = rng.sample(range(3), len(base))
        for (secret, k), mass in masses.items():
            d = (secret, tags[k])
            stronger[d, B] = chance * mass
            weaker[d, images[B]] = weaker.get((d, images[B]), 0) + chance * mass
    return stronger, weaker


def test_a_function_of_the_knowledge_need_not_be_a_parameter_of_it():
    verdicts = []
    for seed in range(800):
        stronger, weaker = coarsened_pair(Random(seed))
        found = more_knowledge(World(stronger), World(weaker), targets=[0])
        assert found == brute.has_more_knowledge(stronger, weaker, [0]), (stronger, weaker)
        verdicts.append(found)
    assert 50 < verdicts.count(True) < 750
    # By hand: the halves 0, 1 and 2, 3 of a knowledge with masses 1/4, 1/4, 1/6, 1/3.
    chances = dict(enumerate([Fraction(1, 4), Fraction(1, 4), Fraction(1, 6), Fraction(1, 3)]))
    fine = World({((0, B), B): chance for B, chance in chances.items()})
    half = fine.knowing(lambda d: d[1] // 2)
    assert fine.is_acceptable(0)
    assert half.is_acceptable(0) is False  # given each half, D has other probabilities
    assert not more_knowledge(fine, half, targets=[0])
    even = World({((0, B), B): Fraction(1, 4) for B in range(4)})
    assert more_knowledge(even, even.knowing(lambda d: d[1] // 2), targets=[0])


def noisy(size):
    """Return two fair bits and a number that has nothing to do with them, which is known."""
    chance = Fraction(1, 4 * size)
    return World({(d, k): chance for d in product((0, 1), repeat=2) for k in range(size)})


def test_who_knows_more_of_many_values_takes_no_search():
    # One level of a recursion for each of 1024 values; choices among values that are all alike.
    world = worlds.bits([HALF] * 11)
    ten, nine = world.knowing(range(10)), world.knowing(range(9))
    assert more_knowledge(ten, nine, targets=[10])
    assert not more_knowledge(nine, ten, targets=[10])
    for first, second in ((12, 5), (14, 6), (12, 6), (5, 12)):
        assert not more_knowledge(noisy(first), noisy(second))
    assert more_knowledge(noisy(40), noisy(40))


def test_matchings_are_told_apart():
    # As in the hexagon above: 60 edges of 5 perfect matchings of 24 points, in any order, some of
    # which are placed wrongly at first.
    chance = Fraction(1, 120)
    for seed in range(12):
        rng = Random(seed)
        matchings = [rng.sample(range(24), 24) for _ in range(5)]
        weaker = {((0, end), k): chance for k, ends in enumerate(matchings) for end in ends}
        stronger = {
            ((0, end), (k, place // 2)): chance
            for k, ends in enumerate(matchings)
            for place, end in enumerate(ends)
        }
        assert more_knowledge(World(stronger), World(weaker), targets=[0])
        # Colour 0 twice at a point and never at another, and 1 the other way round.
        spoilt = weaker | {((0, 0), 0): 2 * chance, ((0, 1), 1): 2 * chance}
        del spoilt[(0, 0), 1], spoilt[(0, 1), 0]
        assert not more_knowledge(World(stronger), World(spoilt), targets=[0])


def regular_graph(rng):
    """Return two worlds: who knows an edge of a graph at whose ends D is, and who knows a colour.

    At every point there is one edge of each colour, if edges can be coloured so: not those of two
    triangles, say, with two colours.
    """
    points, colours = rng.choice([(6, 2), (8, 2), (4, 3)])
    ends = [0, 0]
    while any(map(int.__eq__, ends[::2], ends[1::2])):
        ends = rng.sample(list(range(points)) * colours, points * colours)
    chance = Fraction(1, len(ends))
    stronger = {((0, end), place // 2): chance for place, end in enumerate(ends)}
    weaker = {((0, end), k): chance for end in range(points) for k in range(colours)}
    return stronger, weaker


def test_who_knows_more_where_only_a_search_tells():
    verdicts = []
    for seed in range(100):
        stronger, weaker = regular_graph(Random(seed))
        found = more_knowledge(World(stronger), World(weaker), targets=[0])
        assert found == brute.has_more_knowledge(stronger, weaker, [0]), (stronger, weaker)
        verdicts.append(found)
    assert 5 < verdicts.count(False) < 95


def test_who_knows_more_in_families():
    world = worlds.bits([Fraction(1, 3)] * 3)
    other = worlds.bits([Fraction(1, 4)] * 3)
    nothing, one, two = (world.knowing(known) for known in ([], [1], [1, 2]))
    assert more_knowledge([two, other], [one, nothing], targets=[0])
    assert more_knowledge(iter([other, two]), iter([nothing]), targets=iter([0]))
    assert not more_knowledge([two], [one, other], targets=[0])
    assert not more_knowledge([nothing], [one], targets=[0])
    assert not more_knowledge(two, one)  # the records 1 and 2 are known, so not acceptable targets
    assert more_knowledge(one, nothing, targets=[0, 2])
