"""For which mechanisms knowledge is no matter: against trying all bijections."""

import copy
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
