"""Small worlds and mechanisms to search: none missing, none twice, the same each time."""

import math
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from pkdp.worlds import enumeration
from pkdp.worlds.mechanisms import output_law
from tests.oracles import worlds as brute

DATABASES = [(0, 0), (0, 1), (1, 0), (1, 1)]


@pytest.mark.parametrize(
    ("n", "records", "denominator", "knowledge"),
    [
        (1, (0, 1), 5, 1),
        (1, (0, 1), 3, 2),
        (2, (0, 1), 3, 1),
        (1, ("a", "b", "c"), 4, 1),
        (1, (0,), 2, 3),
    ],
)
def test_small_worlds_are_all_there_once(n, records, denominator, knowledge):
    cells = list(product(product(records, repeat=n), range(knowledge)))
    expected = set()
    for counts in product(range(denominator + 1), repeat=len(cells)):
        if sum(counts) == denominator:
            masses = zip(cells, counts, strict=True)
            expected.add(frozenset((c, Fraction(k, denominator)) for c, k in masses if k))
    found = list(enumeration.small_worlds(n, records, denominator=denominator, knowledge=knowledge))
    assert len(found) == len(expected)
    assert {frozenset(world.masses.items()) for world in found} == expected
    assert all(world.records == tuple(records) for world in found)
    assert len(found) == math.comb(denominator + len(cells) - 1, len(cells) - 1)


@pytest.mark.parametrize(
    ("size", "most", "number"),
    [(0, 9, 1), (1, 9, 1), (3, 9, 5), (4, 1, 1), (4, 2, 8), (4, 3, 14), (4, 4, 15), (6, 9, 203)],
)
def test_partitions_are_all_there_once(size, most, number):
    databases = [(k,) for k in range(size)]
    mechanisms, found = list(enumeration.partitions(databases, most)), set()
    for mechanism in mechanisms:
        blocks = {}
        for d in databases:
            blocks.setdefault(mechanism(d), set()).add(d)
        found.add(frozenset(frozenset(block) for block in blocks.values()))
    assert len(found) == len(mechanisms) == number
    assert max(map(len, found)) == min(size, most)


@pytest.mark.parametrize(
    ("n", "records", "knowledge"), [(1, (0, 1), 1), (2, (0, 1), 2), (2, "abc", 3)]
)
def test_random_worlds_are_worlds_and_differ(n, records, knowledge):
    source = Random(7)
    found = [enumeration.random_world(source, n, records, knowledge=knowledge) for _ in range(200)]
    cells = set(product(product(records, repeat=n), range(knowledge)))
    for world in found:
        assert sum(world.masses.values()) == 1
        assert set(world.masses) <= cells
        assert world.records == tuple(records)
    assert len(set(found)) > 20
    # Every cell is sometimes empty and sometimes not.
    assert set().union(*(world.masses for world in found)) == cells
    assert not set(cells).intersection(*(set(world.masses) for world in found))
    full = sum(len(world.masses) for world in found) / (len(cells) * 200)
    assert 0.55 < full < 0.85
    again = Random(7)
    assert found == [
        enumeration.random_world(again, n, records, knowledge=knowledge) for _ in range(200)
    ]


def test_random_masses_stay_in_proportion_to_small_numbers():
    source = Random(1)
    for _ in range(100):
        world = enumeration.random_world(source, 2, (0, 1), most=2)
        assert set(world.weights.values()) <= {1, 2}
    assert enumeration.random_world(source, 1, (0,), most=1).masses == {((0,), 0): 1}


@pytest.mark.parametrize(
    ("n", "records", "knowledge"), [(1, (0, 1), 2), (2, (0, 1), 3), (2, (0, 1, 2), 2)]
)
def test_random_acceptable_worlds_are_acceptable(n, records, knowledge):
    source = Random(3)
    independent = 0
    for _ in range(40):
        world = enumeration.random_acceptable_world(source, n, records, knowledge=knowledge)
        assert len(world.knowledge) == knowledge
        assert brute.acceptable_normalization(dict(world.masses), 0) is not None
        independent += brute.target_is_independent(dict(world.masses), 0)
    assert independent < 40 or n == 1


def test_random_mechanisms_are_mechanisms_and_differ():
    source = Random(5)
    laws, tables = [], []
    for _ in range(100):
        random = enumeration.random_mechanism(source, DATABASES, 3)
        laws += [output_law(random, d) for d in DATABASES]
        fixed = enumeration.random_mechanism(source, DATABASES, 3, deterministic=True)
        tables.append(tuple(fixed(d) for d in DATABASES))
    assert {o for law in laws for o in law} == {0, 1, 2}
    assert {len(law) for law in laws} == {1, 2, 3}
    assert max(mass.denominator for law in laws for mass in law.values()) <= 12
    assert {o for table in tables for o in table} == {0, 1, 2}
    assert len(set(tables)) > 50
    first, second = (enumeration.random_mechanism(Random(2), DATABASES, 2) for _ in range(2))
    assert all(first(d) == second(d) for d in DATABASES)


def test_a_table_is_looked_up_as_it_was():
    outputs = {(0,): "no", (1,): {"yes": Fraction(1, 2), "no": Fraction(1, 2)}}
    mechanism = enumeration.make_table(outputs)
    outputs[1,]["yes"] = 0
    outputs[0,] = "yes"
    assert output_law(mechanism, (0,)) == {"no": 1}
    assert output_law(mechanism, (1,)) == {"yes": Fraction(1, 2), "no": Fraction(1, 2)}
    with pytest.raises(ValueError, match=r"database must be one of the table's 2, got \(2,\)"):
        mechanism((2,))


def test_many_cells_and_databases_need_no_recursion():
    first = next(enumeration.small_worlds(10, (0, 1), denominator=1))
    assert first.masses == {((1,) * 10, 0): 1}
    assert sum(1 for _ in enumeration.small_worlds(10, (0, 1), denominator=1)) == 1024
    databases = [(k,) for k in range(1200)]
    (constant,) = enumeration.partitions(databases, most=1)
    assert {constant(d) for d in databases} == {0}
    assert sum(1 for _ in zip(range(3), enumeration.partitions(databases), strict=False)) == 3
