"""Who knows more, and for which mechanisms it is no matter: against trying all bijections."""

import copy
import math
import pickle
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from pkdp import definitions, mechanisms, worlds
from pkdp.worlds import World, knowledge
from tests.oracles import worlds as brute

HALF = Fraction(1, 2)


def reducible_table(rng, alphabet, twist):
    """Return a mechanism on three records that permutes its outputs by what the last one is."""
    base = brute.random_table(rng, 2, alphabet, 3, deterministic=rng.random() < 0.5)
    shuffles = {r: rng.sample(range(3), 3) for r in alphabet}
    table = {}
    for d in product(alphabet, repeat=3):
        law = brute.answer(base.__getitem__, d[:2])
        table[d] = {shuffles[d[2]][o]: p for o, p in law.items()}
    if twist:
        table[rng.choice(list(table))] = brute.random_law(rng, range(3))
    return table


def test_reducible_mechanisms_are_recognized_and_their_bijections_are_right():
    verdicts = []
    for seed in range(150):
        rng = Random(seed)
        laws = [brute.random_law(rng, (0, 1), zeros=0.0) for _ in range(3)]
        masses = brute.product_masses(laws, known=[2])
        table = reducible_table(rng, (0, 1), twist=seed % 2 == 0)
        mechanism = table.__getitem__
        found = definitions.is_reducible(World(masses), mechanism, targets=[0, 1])
        assert bool(found) == brute.is_reducible(masses, mechanism, [0, 1]), (laws, table)
        verdicts.append(bool(found))
        if found:
            assert found.obstacle is None
            for i, one, other in product((0, 1), [(0,), (1,)], [(0,), (1,)]):
                phi = found.bijection(i, one, other)
                assert phi in brute.output_bijections(masses, mechanism, i, one, other)
        else:
            i, one, other = found.obstacle
            assert not brute.output_bijections(masses, mechanism, i, one, other)
            with pytest.raises(ValueError, match="not reducible"):
                found.bijection(i, one, other)
    assert 20 < verdicts.count(True) < 140


def test_reducibility_can_be_asked_of_a_function_of_the_database():
    world = worlds.bits([HALF] * 3, knowledge=[2])
    found = definitions.is_reducible(world, mechanisms.total, targets=[secret := both_agree])
    assert found
    assert found.bijection(secret, (0,), (1,)) == {0: 1, 1: 2, 2: 3}


def both_agree(database):
    return database[0] == database[1]


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
            found = definitions.more_knowledge(World(one), World(other), targets=[0])
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
            found = definitions.more_knowledge(World(first), World(second))
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
        found = definitions.more_knowledge(World(stronger), World(weaker), targets=[0])
        assert found == brute.has_more_knowledge(stronger, weaker, [0]), (stronger, weaker)
        verdicts.append(found)
    assert 50 < verdicts.count(True) < 750
    # By hand: the halves 0, 1 and 2, 3 of a knowledge with masses 1/4, 1/4, 1/6, 1/3.
    chances = dict(enumerate([Fraction(1, 4), Fraction(1, 4), Fraction(1, 6), Fraction(1, 3)]))
    fine = World({((0, B), B): chance for B, chance in chances.items()})
    half = fine.knowing(lambda d: d[1] // 2)
    assert fine.is_acceptable(0)
    assert half.is_acceptable(0) is False  # given each half, D has other probabilities
    assert not definitions.more_knowledge(fine, half, targets=[0])
    even = World({((0, B), B): Fraction(1, 4) for B in range(4)})
    assert definitions.more_knowledge(even, even.knowing(lambda d: d[1] // 2), targets=[0])


def noisy(size):
    """Return two fair bits and a number that has nothing to do with them, which is known."""
    chance = Fraction(1, 4 * size)
    return World({(d, k): chance for d in product((0, 1), repeat=2) for k in range(size)})


def test_who_knows_more_of_many_values_takes_no_search():
    # One level of a recursion for each of 1024 values; choices among values that are all alike.
    more = definitions.more_knowledge
    world = worlds.bits([HALF] * 11)
    ten, nine = world.knowing(range(10)), world.knowing(range(9))
    assert more(ten, nine, targets=[10])
    assert not more(nine, ten, targets=[10])
    for first, second in ((12, 5), (14, 6), (12, 6), (5, 12)):
        assert not more(noisy(first), noisy(second))
    assert more(noisy(40), noisy(40))


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
        assert definitions.more_knowledge(World(stronger), World(weaker), targets=[0])
        # Colour 0 twice at a point and never at another, and 1 the other way round.
        spoilt = weaker | {((0, 0), 0): 2 * chance, ((0, 1), 1): 2 * chance}
        del spoilt[(0, 0), 1], spoilt[(0, 1), 0]
        assert not definitions.more_knowledge(World(stronger), World(spoilt), targets=[0])


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
        found = definitions.more_knowledge(World(stronger), World(weaker), targets=[0])
        assert found == brute.has_more_knowledge(stronger, weaker, [0]), (stronger, weaker)
        verdicts.append(found)
    assert 5 < verdicts.count(False) < 95


def test_a_reduction_cannot_be_changed_and_can_be_copied():
    world = worlds.bits([HALF] * 3, knowledge=[2])
    found = definitions.is_reducible(world, mechanisms.total, targets=[0])
    with pytest.raises(TypeError, match="cannot be changed"):
        found.outputs.clear()
    outputs = {(0, "B"): (1, 2)}
    kept = knowledge.Reduction(outputs, None)
    outputs.clear()
    assert kept.bijection(0, "B", "B") == {1: 1, 2: 2}
    for twin in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert twin == found
        assert hash(twin) == hash(found)


def test_who_knows_more_in_families():
    world = worlds.bits([Fraction(1, 3)] * 3)
    other = worlds.bits([Fraction(1, 4)] * 3)
    nothing, one, two = (world.knowing(known) for known in ([], [1], [1, 2]))
    more = definitions.more_knowledge
    assert more([two, other], [one, nothing], targets=[0])
    assert more(iter([other, two]), iter([nothing]), targets=iter([0]))
    assert not more([two], [one, other], targets=[0])
    assert not more([nothing], [one], targets=[0])
    assert not more(two, one)  # the records 1 and 2 are known, so not acceptable targets
    assert more(one, nothing, targets=[0, 2])
