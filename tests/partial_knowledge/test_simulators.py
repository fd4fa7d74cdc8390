"""The smallest ratio of a simulator: closed forms, exact simplex, certificates, and garbage in."""

import copy
import itertools
import math
import pickle
from fractions import Fraction
from random import Random

import pytest
import scipy.optimize
from scipy.optimize import OptimizeResult

from pkdp.partial_knowledge import _simulator_program as programs
from pkdp.partial_knowledge import simulators
from pkdp.partial_knowledge.simulators import Enclosure, best_simulator, ddp_ratio
from pkdp.worlds import (
    World,
    bits,
    copied,
    correlated_pairs,
    mixed,
)
from pkdp.worlds.mechanisms import (
    identity,
    make_constant,
    make_randomized_response,
    parity,
    total,
)
from tests.oracles import worlds as oracles

HALF = Fraction(1, 2)
COIN = {0: HALF, 1: HALF}
STEP = Fraction(1, 10**7)


def random_case(seed, *, n=None, zeros=None, deterministic=None, most=5):
    """A random world with a random mechanism, and the tables they were made of."""
    rng = Random(seed)
    n = n or rng.choice([1, 2, 2, 3])
    records = range(3 if n == 2 and rng.random() < 0.3 else 2)
    zeros = rng.choice([0.0, 0.0, 0.3]) if zeros is None else zeros
    masses = oracles.random_masses(rng, n, records, rng.choice([1, 1, 2]), most, zeros)
    deterministic = rng.random() < 0.2 if deterministic is None else deterministic
    table = oracles.random_table(rng, n, records, rng.choice([2, 3]), deterministic, zeros)
    return masses, table


def width(enclosure):
    """The relative width of an enclosure."""
    return 0 if enclosure.is_exact else enclosure.upper / enclosure.lower - 1


def small_case(seed):
    return random_case(seed, n=Random(seed).choice([1, 2, 2, 2]))


def exact_ratio(family, mechanism, target, kernel):
    """The ratio of a simulator, from the definition; it must be a law for whatever can be read."""
    worst = Fraction(1)
    for others, outputs in oracles.simulator_conditions(family, mechanism, target):
        simulated = {}
        for d, mass in others.items():
            assert sum(kernel[d].values()) == 1
            assert min(kernel[d].values()) > 0
            for o, share in kernel[d].items():
                simulated[o] = simulated.get(o, 0) + mass * share
        worst = max(worst, oracles.indistinguishable_ratio(simulated, outputs))
    return worst


def conditions_of(world, mechanism, target):
    cases = [(world, [target])]
    return simulators._conditions(cases, simulators._laws(cases, mechanism), target)


# An exact simplex method


def is_feasible(columns, equations):
    """Whether some x >= 0 has Σ_j row[j] x_j = right for all (row, right); Bland's rule.

    Each equation gets an artificial variable; their sum is minimised, from 0 up.
    """
    rows = []
    for k, (row, right) in enumerate(equations):
        sign = -1 if right < 0 else 1
        body = [sign * Fraction(row.get(column, 0)) for column in columns]
        unit = [Fraction(j == k) for j in range(len(equations))]
        rows.append([*body, *unit, sign * Fraction(right)])
    basis = list(range(len(columns), len(columns) + len(rows)))
    cost = [-sum(column) for column in zip(*rows, strict=True)]
    cost[len(columns) : -1] = [Fraction(0)] * len(rows)
    while True:
        entering = next((j for j in range(len(columns)) if cost[j] < 0), None)
        if entering is None:
            return cost[-1] == 0
        _, _, k = min(
            (row[-1] / row[entering], basis[k], k)
            for k, row in enumerate(rows)
            if row[entering] > 0
        )
        pivot = rows[k][entering]
        rows[k] = [value / pivot for value in rows[k]]
        for line in [*rows[:k], *rows[k + 1 :], cost]:
            if factor := line[entering]:
                line[:] = [v - factor * w if w else v for v, w in zip(line, rows[k], strict=True)]
        basis[k] = entering


def some_simulator_reaches(family, mechanism, target, E):
    """Whether a simulator has a ratio of at most E, by the simplex method."""
    conditions = oracles.simulator_conditions(family, mechanism, target)
    outputs = sorted({o for _, law in conditions for o in law})
    inputs = sorted({d for others, _ in conditions for d in others})
    columns = [(d, o) for d in inputs for o in outputs]
    equations = [({(d, o): 1 for o in outputs}, 1) for d in inputs]
    for c, (others, law) in enumerate(conditions):
        for o in outputs:
            x = {(d, o): mass for d, mass in others.items()}
            if law.get(o, 0) == 0:
                equations.append((x, 0))
                continue
            for side, bound in ((1, law[o] * E), (-1, law[o] / E)):
                columns.append((c, o, side))
                equations.append((x | {(c, o, side): side}, bound))
    return is_feasible(columns, equations)


@pytest.mark.parametrize("seed", range(8))
def test_the_simplex_method_agrees_with_all_vertices(seed):
    rng = Random(seed)
    masses = oracles.random_masses(rng, 2, (0, 1))
    table = oracles.random_table(rng, 2, (0, 1), 2, deterministic=False)
    for E in (Fraction(21, 20), Fraction(3, 2), Fraction(4)):
        assert some_simulator_reaches(
            [masses], table.get, 0, E
        ) == oracles.some_simulator_is_within([masses], table.get, 0, E)


def found_by_simplex(family, mechanism, target):
    """What the library finds, once the simplex method agrees with it."""
    found = ddp_ratio([World(masses) for masses in family], mechanism, [target])
    if found.upper == math.inf:
        assert not some_simulator_reaches(family, mechanism, target, Fraction(10**9))
        return found
    # Coarser bounds have shorter digits.
    above = Fraction(math.ceil(found.upper / STEP)) * STEP
    assert some_simulator_reaches(family, mechanism, target, above)
    below = Fraction(math.ceil(found.lower / STEP) - 1) * STEP
    assert below < 1 or not some_simulator_reaches(family, mechanism, target, below)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_bounds_against_the_simplex_method(seed):
    masses, table = small_case(seed)
    for target in range(oracles.size(masses)):
        found = found_by_simplex([masses], table.get, target)
        if found.is_exact and found.upper < math.inf:
            assert some_simulator_reaches([masses], table.get, target, found.upper)


def test_families_against_the_simplex_method():
    finite = 0
    for seed in range(15):
        rng = Random(1000 + seed)
        family = [oracles.random_masses(rng, 2, (0, 1), zeros=0.1) for _ in range(2)]
        table = oracles.random_table(rng, 2, (0, 1), 2, deterministic=False, zeros=0.1)
        finite += found_by_simplex(family, table.get, 1).upper < math.inf
    assert finite >= 8


# Closed forms


def contains(enclosure, squared, other):
    """Whether the larger of a square root and another number is between the bounds."""
    if math.inf in (squared, other):
        return enclosure.lower == math.inf
    value = max(squared, other**2)
    return enclosure.lower**2 <= value <= enclosure.upper**2


@pytest.mark.slow
def test_one_record_has_a_closed_form():
    exact = infinite = 0
    for seed in range(150):
        masses, table = random_case(seed, n=1, zeros=0.05)
        found = ddp_ratio(World(masses), table.get)
        squared, other = oracles.single_record_ddp([masses], table.get)
        assert contains(found, squared, other)
        infinite += squared == math.inf
        if other**2 >= squared:
            # Not the root but a fraction, with a small denominator.
            assert found.is_exact
            exact += 1
    assert exact > 20
    assert 10 < infinite < 100


def laws_of(laws):
    return lambda database: laws[database[0]]


# Infinity


def test_infinite_exactly_where_supports_cannot_be_matched():
    infinite = 0
    for seed in range(60):
        masses, table = random_case(seed, n=2, zeros=0.3)
        if len(oracles.alphabet(masses)) > 2:
            continue
        for target in (0, 1):
            finite = oracles.some_simulator_has_the_right_supports([masses], table.get, target)
            found = best_simulator(World(masses), table.get, target)
            assert (found.ratio < math.inf) == finite
            assert exact_ratio([masses], table.get, target, found.kernel) == found.ratio
            infinite += not finite
    assert 10 < infinite < 80


# Parts


def test_sparse_worlds_against_the_simplex_method():
    compared = 0
    for seed in range(40):
        rng = Random(seed)
        masses = oracles.random_masses(rng, 2, range(3), knowledge=2, zeros=0.65)
        table = oracles.random_table(rng, 2, range(3), 2, deterministic=False, zeros=0.0)
        target = rng.randrange(2)
        conditions = conditions_of(World(masses), table.get, target)
        if len(simulators._parts(conditions)) == 1:
            continue
        compared += 1
        found_by_simplex([masses], table.get, target)
    assert compared >= 5


# What the paper says


# Certificates


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(25))
def test_the_simulator_has_the_ratio_it_claims(seed):
    masses, table = random_case(seed)
    world = World(masses)
    worst = []
    for target in range(world.size):
        found = best_simulator(world, table.get, target)
        assert exact_ratio([masses], table.get, target, found.kernel) == found.ratio
        assert found.enclosure.upper == found.ratio
        assert found.enclosure.lower <= found.ratio
        assert width(found.enclosure) <= Fraction(1, 10**9)
        assert {
            without for d in world.databases for without in [oracles.without(d, target)]
        } == set(found.kernel)
        worst.append(found.enclosure)
    whole = ddp_ratio(world, table.get)
    assert max(e.lower for e in worst) <= whole.upper
    assert max(e.upper for e in worst) >= whole.lower


def naive_value(program, multipliers, E):
    """G(E) as it is written."""
    value = Fraction(0)

    def u(c, o):
        return Fraction(multipliers.get((c, o, 0), 0))

    def low(c, o):
        return Fraction(multipliers.get((c, o, 1), 0))

    for c, law in enumerate(program.q):
        for o, q in law.items():
            value += q * (low(c, o) - E * u(c, o))
    for d, few in enumerate(program.allowed):
        value += min(
            sum(p[d] * (u(c, o) - E * low(c, o)) for c, p in enumerate(program.p) if d in p)
            for o in few
        )
    return value


@pytest.mark.parametrize("seed", range(30))
def test_multipliers_bound_every_simulator(seed):
    rng = Random(seed)
    masses, table = random_case(seed, zeros=0.1)
    conditions = conditions_of(World(masses), table.get, 0)
    program = programs.Program(list(conditions.values()))
    if not program.is_finite():
        return
    for _ in range(5):
        places = [(c, o, side) for side in (0, 1) for c, law in enumerate(program.q) for o in law]
        multipliers = {place: rng.choice([0, rng.randint(1, 9)]) for place in places}
        if not any(multipliers.values()):
            continue
        kernels = [program.posterior()]
        for _ in range(20):
            weights = [{o: rng.randint(1, 99) for o in few} for few in program.allowed]
            kernels.append(
                [{o: Fraction(w, sum(row.values())) for o, w in row.items()} for row in weights]
            )
        ratios = [program.ratio(kernel) for kernel in kernels]
        bounds = {program.root(multipliers, above) for above in ratios}
        assert len(bounds) == 1  # from wherever Newton's method starts
        (bound,) = bounds
        assert 1 <= bound <= min(ratios)
        if bound > 1:
            assert naive_value(program, multipliers, bound) == 0
        assert naive_value(program, multipliers, bound + Fraction(1, 10**12)) < 0


def test_what_is_no_certificate_is_refused():
    masses, table = random_case(3, n=2, zeros=0.0)
    conditions = conditions_of(World(masses), table.get, 0)
    program = programs.Program(list(conditions.values()))
    good = program.posterior()
    for row in ({0: Fraction(3, 2)}, {0: Fraction(2), 1: Fraction(-1)}, {0: Fraction(1, 2)}):
        with pytest.raises(ArithmeticError, match="not a law"):
            program.ratio([row, *good[1:]])
    for numbers in ({}, {(0, 0, 0): 0}, {(0, 0, 0): -1, (0, 1, 0): 2}):
        with pytest.raises(ArithmeticError, match="not positive"):
            program.root(numbers, Fraction(2))


def test_garbage_from_the_linear_program_makes_no_false_bound(monkeypatch):
    truth = {}
    cases = {seed: random_case(seed, n=2, zeros=0.0) for seed in range(12)}
    for seed, (masses, table) in cases.items():
        truth[seed] = ddp_ratio(World(masses), table.get)
    rng = Random(0)
    honest = programs.LinearProgram.solve

    def noisy(proposer, E):
        proposal = honest(proposer, E)
        noise = rng.choice([0.0, 1e-6, 1e-2, 1.0])

        def shake(value):
            return abs(value + noise * rng.random())

        return tuple({key: shake(value) for key, value in part.items()} for part in proposal)

    monkeypatch.setattr(programs.LinearProgram, "solve", noisy)
    monkeypatch.setattr(programs, "WIDTH", Fraction(1))
    loose = 0
    for seed, (masses, table) in cases.items():
        try:
            found = ddp_ratio(World(masses), table.get)
        except RuntimeError:
            continue
        loose += width(found) > Fraction(1, 10**6)
        assert found.lower <= truth[seed].upper
        assert truth[seed].lower <= found.upper
    assert loose  # else nothing was shaken


def test_without_the_linear_program_it_says_so(monkeypatch):
    monkeypatch.setattr(scipy.optimize, "linprog", lambda *_, **__: OptimizeResult(success=False))
    masses, table = random_case(2, n=2, zeros=0.0)
    with pytest.raises(RuntimeError, match=r"was not enclosed"):
        ddp_ratio(World(masses), table.get)
    # What needs none still works.
    assert ddp_ratio(World(masses), make_constant("nothing")).upper == 1
    assert ddp_ratio(copied(COIN, groups=2), identity).upper == 1


# Relations


def test_a_family_needs_one_simulator_for_all():
    # Knowing that two bits tend to agree, or to differ, a simulator guesses one from the other.
    members = [correlated_pairs([HALF], agree=agree) for agree in (Fraction(1, 5), Fraction(4, 5))]
    told = make_randomized_response(HALF)
    alone = [ddp_ratio(member, told) for member in members]
    family = ddp_ratio(members, told)
    assert family.lower > max(one.upper for one in alone)
    # To know which world it is differs in nothing from a family.
    assert ddp_ratio(mixed(members, [Fraction(1, 4), Fraction(3, 4)]), told) == family
    assert ddp_ratio([*members, *members], told) == family
    assert ddp_ratio(iter(members), told) == family
    found = best_simulator(members, told, 0)
    masses = [member.masses for member in members]
    assert exact_ratio(masses, told, 0, found.kernel) == found.ratio
    assert found.enclosure == ddp_ratio(members, told, [0])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_a_family_is_as_bad_as_any_member_at_least(seed):
    rng = Random(seed)
    members = [World(oracles.random_masses(rng, 2, (0, 1), zeros=0.0)) for _ in range(3)]
    table = oracles.random_table(rng, 2, (0, 1), 3, deterministic=False, zeros=0.0)
    bounds = [ddp_ratio(members[:k], table.get) for k in (1, 2, 3)]
    assert all(less.lower <= more.upper for less, more in itertools.pairwise(bounds))


def test_the_mechanism_is_called_once_for_each_database():
    told, calls = make_randomized_response(Fraction(1, 3)), []

    def counted(database):
        calls.append(database)
        return told(database)

    world = bits([HALF, Fraction(1, 3), Fraction(1, 4)], knowledge=[2])
    for ask in (lambda: ddp_ratio(world, counted), lambda: best_simulator(world, counted, 1)):
        calls.clear()
        ask()
        assert sorted(calls) == sorted(world.databases)


# Size, and the same answer each time


def test_larger_worlds():
    # Six records of a Markov chain.
    masses = {}
    for database in itertools.product((0, 1), repeat=6):
        changes = sum(map(int.__ne__, database, database[1:]))
        masses[database, ()] = Fraction(1 + database[0], 3) * Fraction(2 ** (5 - changes), 3**5)
    world = World(masses).knowing([0, 2])

    def noisy(database):
        return {k: Fraction(6 if k == total(database) else 1, 13) for k in range(8)}

    found = ddp_ratio(world, noisy)
    assert width(found) <= Fraction(1, 10**9)
    assert found.lower > 1
    assert ddp_ratio(world, noisy) == found
    assert ddp_ratio(world, make_randomized_response(HALF)).upper >= 2
    found = ddp_ratio(bits([Fraction(1, k + 2) for k in range(6)]), parity)
    assert width(found) <= Fraction(1, 10**9)


@pytest.mark.parametrize("exponent", [100, 300, 320, 400])
@pytest.mark.parametrize("n", [1, 2])
def test_probabilities_too_far_apart_for_floats(exponent, n):
    rare = Fraction(1, 10**exponent)
    laws = {0: {"a": rare, "b": 1 - rare}, 1: {"a": 1 - rare, "b": rare}}
    world, told = bits([rare, *[HALF] * (n - 1)]), laws_of(laws)
    with pytest.raises(RuntimeError, match=r"enclosed to the relative width 1e-09$"):
        ddp_ratio(world, lambda d: told(d[:1]))


# Values


def test_enclosures_hold_fractions_in_order():
    assert isinstance(Enclosure(1, 2).lower, Fraction)
    assert Enclosure(math.inf, math.inf).is_exact
    for bounds in ((2, 1), (1, math.inf), (math.inf, 2), (HALF, 1)):
        with pytest.raises(ValueError, match=r"(lower|lower and upper) must be .* in \[1, inf\)"):
            Enclosure(*bounds)
    for bounds in ((1.0, 2), (1, 2.0), (math.nan, math.inf), ("1", 1)):
        with pytest.raises(TypeError, match=r"(lower|upper) must be an int or a Fraction"):
            Enclosure(*bounds)


def test_an_exact_enclosure_beyond_the_largest_float_is_written_out():
    huge = Fraction(10**400)
    assert str(Enclosure(huge, huge)) == str(10**400)


def test_simulators_are_values():
    found = best_simulator(copied(COIN, groups=1), identity, 0)
    with pytest.raises(TypeError):
        found.kernel[(0,)] = {}
    with pytest.raises(TypeError):
        found.kernel[(0,)][(0, 0)] = HALF
    for other in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert other == found
        assert hash(other) == hash(found)
    law = {(0, 0): Fraction(1)}
    made = simulators.Simulator({(0,): law}, math.inf, found.enclosure)
    law.clear()
    assert made.kernel == {(0,): {(0, 0): 1}}
