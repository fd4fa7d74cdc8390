"""Section 5.1 on two releases: what the page says, claim by claim, in exact fractions."""

import math
import random
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, permutations, product
from operator import itemgetter

import numpy as np
import pytest
from numpy.testing import assert_allclose

from pkdp import composition, counting, figures, published
from pkdp.figures._tables import select
from pkdp.figures.partial_knowledge import overlap, shared_coin
from pkdp.worlds import World, bits
from pkdp.worlds.definitions import apk_delta, ppk_delta
from pkdp.worlds.enumeration import partitions, random_mechanism, random_world, small_worlds
from pkdp.worlds.mechanisms import compose, make_constant, make_randomized_response, total
from tests.oracles import composition as brute
from tests.oracles import worlds as world_oracles

pytestmark = pytest.mark.page

F = Fraction
HALF, THIRD = F(1, 2), F(1, 3)
CONVENTIONS = ("printed", "repaired")
BITS = ((0, 0), (0, 1), (1, 0), (1, 1))

secret, coin = itemgetter(0), itemgetter(1)


def hidden(database):
    return database[0] ^ database[1]


def others(votes):
    return sum(votes[1:])


def f(x):
    """max(0, 1 - e^x), of e^x."""
    return max(F(0), 1 - x)


@cache
def random_releases(seed, number):
    """Worlds with two mechanisms each, some with coins, some with knowledge, some correlated."""
    source = random.Random(seed)
    found = []
    for _ in range(number):
        n = source.choice((1, 2, 2, 2, 3))
        world = random_world(source, n, (0, 1), knowledge=source.choice((1, 1, 2)))
        pair = [
            random_mechanism(
                source,
                world.databases,
                source.choice((2, 3)),
                deterministic=source.random() < 0.6,
            )
            for _ in range(2)
        ]
        if source.random() < 0.1:
            pair[1] = pair[0]
        found.append((world, *pair))
    return found


def small_releases(denominator):
    """All worlds of two bits with such masses, and all pairs of mechanisms without coins."""
    mechanisms = list(partitions(BITS))
    for world in small_worlds(2, (0, 1), denominator=denominator):
        units = [int(mass * denominator) for mass in world.masses.values()]
        if math.gcd(denominator, *units) == 1:
            for first, second in product(mechanisms, repeat=2):
                yield world, first, second


def all_cases(world, first, second, targets):
    """For all i, a, b and B: the joint laws of both outputs."""
    for target, B, a, b, _, _ in brute.cases(world.masses, targets):
        yield target, B, a, b, *brute.pair_laws(world.masses, first, second, target, a, b, B)


def marginals(law):
    one, other = {}, {}
    for (x, y), mass in law.items():
        one[x] = one.get(x, F(0)) + mass
        other[y] = other.get(y, F(0)) + mass
    return one, other


def losses(p, q, x, y):
    """exp of L1, L2 and L."""
    (p1, p2), (q1, q2) = marginals(p), marginals(q)
    return brute.loss(p1, q1, x), brute.loss(p2, q2, y), brute.loss(p, q, (x, y))


# --------------------------------------------------------------------------------------------
# Two implementations
# --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_dependency_agrees_with_a_second_implementation_on_1000_random_worlds():
    seen = set()
    for number, (world, first, second) in enumerate(random_releases(51, 1000)):
        convention = CONVENTIONS[number % 2]
        for target, B, a, b, _, _ in brute.cases(world.masses, range(world.size)):
            expected = brute.dependency(world.masses, first, second, target, a, b, B, convention)
            found = composition.dependency(
                world, first, second, target=target, a=a, b=b, knowledge=B, convention=convention
            )
            assert {pair: found[pair] for pair in expected} == expected
            law = composition.dependency_law(
                world, first, second, target=target, a=a, b=b, knowledge=B, convention=convention
            )
            joint, _ = brute.pair_laws(world.masses, first, second, target, a, b, B)
            for value in set(expected.values()):
                chance = sum(joint[pair] for pair in joint if expected[pair] == value)
                assert law[value] == chance
            assert sum(law.values()) == 1
            seen |= {0 if v == 1 else math.inf if v == math.inf else 1 for v in law}
    assert seen == {0, 1, math.inf}


@pytest.mark.slow
def test_nu_agrees_with_a_second_implementation_on_2000_random_worlds():
    positive = 0
    for number, (world, first, second) in enumerate(random_releases(52, 2000)):
        convention = CONVENTIONS[number % 2]
        outputs = "product" if number % 8 > 5 else "joint"
        E = (F(1), F(3, 2), F(3), F(1, 2), F(50))[number % 5]
        targets = range(world.size)
        expected = brute.nu(world.masses, first, second, E, targets, convention, outputs)
        assert expected == composition.nu(
            world, first, second, E, targets, convention=convention, outputs=outputs
        )
        positive += 0 < expected < 1
    assert positive > 500


@pytest.mark.slow
def test_products_and_parts_agree_with_a_second_implementation():
    answers = {True: 0, False: 0}
    for world, first, second in random_releases(53, 300):
        targets = range(world.size)
        for E in (F(1), F(2)):
            expected = brute.delta_as_if_independent(world.masses, first, second, E, targets)
            assert composition.product_delta(world, [first, second], E, targets) == expected
        found = composition.are_conditionally_independent(world, first, second, targets)
        given = [
            brute.left_over(world.masses, target, value, B)
            for target, B, value in product(targets, world.knowledge, (0, 1))
        ]
        assert found == all(
            brute.are_independent(brute.together(weights, first, second))
            for weights in given
            if weights
        )
        answers[found] += 1
    assert min(answers.values()) > 10


def test_splitting_agrees_with_a_second_implementation():
    answers = {True: 0, False: 0}
    for denominator in (4, 9):
        worlds = [
            w for w in small_worlds(2, (0, 1), denominator=denominator) if len(w.databases) == 4
        ]
        source = random.Random(54)
        for world in worlds if denominator == 4 else source.sample(worlds, 40):
            for first, second in combinations(list(partitions(BITS, most=2))[1:], 2):
                for target in (0, 1):
                    expected = brute.parts_are_independent(
                        world.masses, first, second
                    ) and brute.is_a_rectangle(world.masses, first, second, target)
                    found = composition.splits_along(world, first, second, [target])
                    assert found == expected
                    answers[found] += 1
    assert answers[False] > answers[True] > 0


# --------------------------------------------------------------------------------------------
# Example 8
# --------------------------------------------------------------------------------------------


def test_each_count_is_private_and_both_together_reveal_the_vote():
    for n in (2, 3, 5):
        voters = bits([HALF] * n)
        for E in (F(1), F(2), F(1000)):
            assert apk_delta(voters, others, E, [0]) == 0
            assert apk_delta(voters, compose(total, others), E, [0]) == 1
        assert apk_delta(voters, total, 1000, [0]) == F(1, 2 ** (n - 1))
    assert counting.exact([0.5], multiplicities=[999]).delta(0.5) < 1e-16


def test_private_mechanisms_do_not_compose_in_general():
    # No guarantee for the two follows from those of each: they can be perfect, and the sum nothing.
    fair = bits([HALF] * 2)
    assert apk_delta(fair, hidden, 1, [0]) == apk_delta(fair, coin, 1, [0]) == 0
    assert apk_delta(fair, compose(hidden, coin), 10**9, [0]) == 1


def test_the_first_count_leaves_two_options_for_the_second():
    for n in (2, 4):
        left = {}
        for votes in product((0, 1), repeat=n):
            left.setdefault(sum(votes), set()).add(sum(votes[1:]))
        for count, options in left.items():
            assert options == {count, count - 1} & set(range(n))


def test_in_example_8_the_dependency_is_infinite_and_the_other_term_finite():
    for p in ([HALF] * 3, [F(1, 5), F(2, 3)]):
        voters = bits([HALF, *p])
        found = composition.dependency(
            voters, total, others, target=0, a=1, b=0, convention="printed"
        )
        drawn = composition.dependency_law(
            voters, total, others, target=0, a=1, b=0, convention="printed"
        )
        assert drawn == {math.inf: 1}
        assert set(found.values()) == {0, math.inf}
        for a, b in ((1, 0), (0, 1)):
            weights = [brute.left_over(voters.masses, 0, value, ()) for value in (a, b)]
            laws = [brute.output_law(w, others) for w in weights]
            assert all(brute.loss(*laws, x) == 1 for x in laws[0])


def test_nu_of_example_8_is_one_minus_the_chance_that_the_count_tells_all():
    for p in ([HALF] * 3, [F(1, 5), F(2, 3)], [F(1, 10)] * 4):
        voters = bits([HALF, *p])
        certain = min(math.prod(p), math.prod(1 - x for x in p))
        for U in (F(1), F(2), F(10**6)):
            assert composition.nu(voters, total, others, U, [0]) == 1 - certain
            printed = composition.nu(voters, total, others, U, [0], convention="printed")
            assert printed == 1
            assert apk_delta(voters, total, U, [0]) + (1 - certain) >= 1
    # For a negative µ the outputs whose loss is infinite count too: their repaired dependency is 0.
    voters = bits([HALF] * 4)
    assert composition.nu(voters, total, others, HALF, [0]) == F(15, 16) > F(7, 8)
    assert brute.nu(voters.masses, total, others, HALF, [0]) == F(15, 16)


# --------------------------------------------------------------------------------------------
# Definitions 17 and 18
# --------------------------------------------------------------------------------------------


def test_dependency_is_a_difference_of_mutual_informations_and_symmetric():
    finite = 0
    for world, first, second in random_releases(55, 300):
        for target, B, a, b, p, q in all_cases(world, first, second, range(world.size)):
            there = composition.dependency(
                world, first, second, target=target, a=a, b=b, knowledge=B
            )
            back = composition.dependency(
                world, second, first, target=target, a=a, b=b, knowledge=B
            )
            assert back == {(y, x): value for (x, y), value in there.items()}
            (p1, p2), (q1, q2) = marginals(p), marginals(q)
            for x, y in p.keys() & q.keys():
                finite += 1
                info = p[x, y] / (p1[x] * p2[y]), q[x, y] / (q1[x] * q2[y])
                assert there[x, y] == info[0] / info[1]
    assert finite > 1000


@pytest.mark.slow
def test_dependency_is_what_the_first_output_adds_to_what_the_second_says():
    # The second output moves the odds for a against b; by how much more if the first is known?
    compared = 0
    for world, first, second in random_releases(56, 150):
        both = compose(first, second)
        for target, B, a, b, p, q in all_cases(world, first, second, range(world.size)):
            here = brute.dependency(world.masses, first, second, target, a, b, B)

            def odds(outputs, mechanism, values=(a, b), target=target, B=B, world=world):
                chances = [
                    sum(
                        mass * world_oracles.answer(mechanism, d).get(outputs, 0)
                        for (d, k), mass in world.masses.items()
                        if k == B and d[target] == value
                    )
                    for value in values
                ]
                return chances[0] / chances[1]

            prior = odds("x", make_constant("x"))
            for x, y in p.keys() & q.keys():
                knowing = odds((x, y), both) / odds(x, first)
                assert here[x, y] == knowing / (odds(y, second) / prior)
                compared += 1
    assert compared > 300


def test_outputs_that_are_independent_given_the_secret_have_dependency_0():
    for number, (world, first, second) in enumerate(random_releases(57, 60)):
        # With coins of their own, and the database known up to the target, they are.
        n = world.size
        informed = world.knowing([i for i in range(n) if i != number % n])
        assert composition.mu_ratio(informed, first, second, [number % n]) == 1


def test_an_answer_given_twice_has_the_dependency_of_minus_its_loss():
    found = 0
    for world, first, _ in random_releases(58, 300):
        if any(isinstance(first(d), dict) for d in world.databases):
            continue
        for target, B, a, b, p, q in all_cases(world, first, first, range(world.size)):
            there = composition.dependency(
                world, first, first, target=target, a=a, b=b, knowledge=B
            )
            for x, y in p.keys() & q.keys():
                loss, _, whole = losses(p, q, x, y)
                assert there[x, y] == 1 / loss
                assert whole == loss
                found += loss != 1
    assert found > 50


def test_without_dependency_the_first_result_can_determine_the_second():
    # A public coin, shown twice.
    fair = bits([HALF] * 2)
    for convention in CONVENTIONS:
        assert composition.nu(fair, coin, coin, 1, [0], convention=convention) == 0
        assert brute.nu(fair.masses, coin, coin, F(1), [0], convention) == 0
    p, _ = brute.pair_laws(fair.masses, coin, coin, 0, 1, 0, ())
    assert p == {(0, 0): HALF, (1, 1): HALF}
    assert apk_delta(fair, compose(coin, coin), 1, [0]) == 0


def test_by_the_printed_convention_a_constant_and_the_secret_are_dependent():
    vote = bits([HALF])
    for pair in ((make_constant(0), secret), (secret, make_constant(0))):
        for U in (F(1), F(1000)):
            assert composition.nu(vote, *pair, U, [0], convention="printed") == 1
            assert composition.nu(vote, *pair, U, [0]) == 0
            for convention, nu in (("printed", 1), ("repaired", 0)):
                assert brute.nu(vote.masses, *pair, U, [0], convention) == nu


@pytest.mark.slow
def test_the_conventions_differ_by_what_delta_counts_already():
    for world, first, second in random_releases(59, 300):
        targets = range(world.size)
        for U in (F(1), F(2)):
            printed = composition.nu(world, first, second, U, targets, convention="printed")
            repaired = composition.nu(world, first, second, U, targets)
            infinite = [apk_delta(world, m, math.inf, targets) for m in (first, second)]
            assert repaired <= printed <= repaired + sum(infinite)


@pytest.mark.slow
def test_nu_is_to_the_dependency_what_delta_is_to_the_loss():
    # ν(µ) = P[Dep > µ + Z] with Z exponential; it falls, is convex in e^µ, and at most P[Dep > µ].
    for world, first, second in random_releases(60, 100):
        targets = range(world.size)
        ratios = [F(1), F(5, 4), F(3, 2), F(7, 4), F(2), F(9, 4)]
        values = [composition.nu(world, first, second, U, targets) for U in ratios]
        steps = [b - a for a, b in pairwise(values)]
        assert all(step <= 0 for step in steps)
        assert all(b >= a for a, b in pairwise(steps))
        for U, value in zip(ratios, values, strict=True):
            tails = [
                sum(
                    chance
                    for ratio, chance in composition.dependency_law(
                        world, first, second, target=target, a=a, b=b, knowledge=B
                    ).items()
                    if ratio > U
                )
                for target, B, a, b, _, _ in brute.cases(world.masses, targets)
            ]
            assert value <= max(tails, default=0)


def test_with_two_draws_of_the_database_theorem_6_would_fail():
    fair = bits([HALF] * 2)
    for U in (F(1), F(1000)):
        assert composition.nu(fair, hidden, coin, U, [0], outputs="product") == HALF
        assert composition.nu(fair, hidden, coin, U, [0]) == 1
    assert apk_delta(fair, compose(hidden, coin), 1000, [0]) == 1
    assert all(apk_delta(fair, m, 1, [0]) == 0 for m in (hidden, coin))


def test_with_three_databases_even_no_nu_is_needed():
    # So neither does the reading with two draws fail in a smaller world.
    source = random.Random(61)
    mechanisms = list(partitions(((0, 0), (0, 1), (1, 0))))
    for _ in range(40):
        parts = [source.randint(1, 6) for _ in range(3)]
        masses = {
            (d, ()): F(part, sum(parts))
            for d, part in zip(((0, 0), (0, 1), (1, 0)), parts, strict=True)
        }
        world = World(masses)
        for first, second in product(mechanisms, repeat=2):
            for E1, E2 in ((F(1), F(1)), (F(3, 2), F(2))):
                both = apk_delta(world, compose(first, second), E1 * E2, [0])
                each = apk_delta(world, first, E1, [0]), apk_delta(world, second, E2, [0])
                assert both <= sum(each)


# --------------------------------------------------------------------------------------------
# Theorem 6
# --------------------------------------------------------------------------------------------


def test_the_printed_loss_of_both_is_wrong_for_an_answer_given_twice():
    world = World({((d, e), ()): THIRD for d, e in ((0, 0), (0, 1), (1, 0))})
    dep = composition.dependency(world, coin, coin, target=0, a=1, b=0)[0, 0]
    p, q = brute.pair_laws(world.masses, coin, coin, 0, 1, 0, ())
    first, second, both = losses(p, q, 0, 0)
    assert (first, second, both, dep) == (2, 2, 2, HALF)
    assert first * second * dep**2 == 1
    assert first * second * dep == both


def test_with_fewer_than_three_databases_the_printed_loss_is_right():
    source = random.Random(62)
    for _ in range(300):
        databases = source.sample(BITS, 2)
        share = F(source.randint(1, 4), 5)
        world = World(dict(zip([(d, ()) for d in databases], (share, 1 - share), strict=True)))
        first, second = (random_mechanism(source, databases, 3) for _ in range(2))
        for target, B, a, b, p, _ in all_cases(world, first, second, (0, 1)):
            table = brute.dependency(world.masses, first, second, target, a, b, B)
            assert all(table[pair] in (1, math.inf) for pair in p)


@pytest.mark.slow
def test_the_loss_of_both_is_the_sum_of_three_terms():
    wrong = 0
    for number, (world, first, second) in enumerate(random_releases(63, 300)):
        for target, B, a, b, p, q in all_cases(world, first, second, range(world.size)):
            table = brute.dependency(
                world.masses, first, second, target, a, b, B, CONVENTIONS[number % 2]
            )
            for x, y in p:
                one, other, both = losses(p, q, x, y)
                assert one * other * table[x, y] == both
                wrong += one * other * table[x, y] ** 2 != both
    assert wrong > 1000


@pytest.mark.slow
def test_the_loss_of_both_in_all_small_worlds():
    for denominator in (2, 3):
        for world, first, second in small_releases(denominator):
            for target, B, a, b, p, q in all_cases(world, first, second, [0]):
                table = brute.dependency(world.masses, first, second, target, a, b, B)
                for x, y in p:
                    one, other, both = losses(p, q, x, y)
                    assert one * other * table[x, y] == both


def test_the_function_of_the_proof_is_subadditive():
    points = [F(k, 7) for k in range(1, 40)]  # e^x
    for x, y in product(points, repeat=2):
        assert f(x * y) <= f(x) + f(y)
        if x < 1 and y < 1:
            assert f(x) + f(y) - f(x * y) == (1 - x) * (1 - y)
        if x >= 1:
            assert f(x) == 0
            assert f(x * y) <= f(y)


@pytest.mark.slow
def test_corrected_theorem_6_survives_random_worlds():
    # Also with a negative µ; ν by the second implementation, δ by the definition.
    informative = 0
    source = random.Random(64)
    for number, (world, first, second) in enumerate(random_releases(65, 800)):
        targets = range(world.size)
        E1, E2 = (source.choice((F(1), F(3, 2), F(4))) for _ in range(2))
        ratios = (F(1), F(5, 4), F(3), F(3, 4), HALF)
        U = source.choice([U for U in ratios if E1 * E2 * U >= 1])
        nu = brute.nu(world.masses, first, second, U, targets, CONVENTIONS[number % 2])
        claimed = apk_delta(world, first, E1, targets) + apk_delta(world, second, E2, targets) + nu
        found = apk_delta(world, compose(first, second), E1 * E2 * U, targets)
        assert found <= claimed
        informative += found > 0 and claimed < 1
    assert informative > 50


def test_theorem_6_holds_for_passive_attackers():
    tried = 0
    for world, first, second in random_releases(66, 900):
        possible = all(
            world_oracles.probability(world.masses, world_oracles.seen(B, 0, value))
            for B, value in product(world.knowledge, (0, 1))
        )
        if len(world.knowledge) < 2 or not possible:
            continue
        E1, E2, U = F(3, 2), F(1), F(5, 4)
        nu = F(0)
        for a, b in permutations((0, 1), 2):
            given = world_oracles.probability(world.masses, lambda d, k, a=a: d[0] == a)
            mean = F(0)
            for B in world.knowledge:
                share = world_oracles.probability(world.masses, world_oracles.seen(B, 0, a))
                p, _ = brute.pair_laws(world.masses, first, second, 0, a, b, B)
                table = brute.dependency(world.masses, first, second, 0, a, b, B)
                mean += share / given * sum(p[o] * brute.excess(table[o], U) for o in p)
            nu = max(nu, mean)
        claimed = ppk_delta(world, first, E1, [0]) + ppk_delta(world, second, E2, [0]) + nu
        assert ppk_delta(world, compose(first, second), E1 * E2 * U, [0]) <= claimed
        tried += claimed < 1
    assert tried > 20


def noisy(E, right):
    return (E if right else F(1)) / (1 + E)


def worst(E1, E2, U, d1, d2, v):
    """The world of the proof of tightness."""
    masses = {}
    for t in (0, 1):
        masses[t, ("first", t), "first"] = d1 / 2
        masses[t, "second", ("second", t)] = d2 / 2
        for z in (0, 1):
            masses[t, ("pad", z), ("pad", z ^ t)] = v / 4
        for x, y, z, w in product((0, 1), repeat=4):
            chance = noisy(E1, x == t) * noisy(E2, y == t) * noisy(U, (z ^ w) == t)
            masses[t, (x, z), (y, w)] = (1 - d1 - d2 - v) * chance / 4
    return World({(database, ()): mass for database, mass in masses.items()})


def test_corrected_theorem_6_is_tight_for_all_six_numbers():
    first, second = itemgetter(1), itemgetter(2)
    for E1, E2, U in product((F(1), F(2), F(7, 3)), (F(1), F(3)), (F(1), F(3, 2))):
        for d1, d2, v in ((0, 0, 0), (1, 2, 3), (0, 1, 0), (4, 0, 0), (0, 0, 2), (3, 3, 4)):
            parts = [F(d, 10) for d in (d1, d2, v)]
            world = worst(E1, E2, U, *parts)
            assert apk_delta(world, first, E1, [0]) == parts[0]
            assert apk_delta(world, second, E2, [0]) == parts[1]
            assert brute.nu(world.masses, first, second, U, [0]) == parts[2]
            both = compose(first, second)
            largest = E1 * E2 * U
            assert apk_delta(world, both, largest, [0]) == sum(parts)
            if largest > 1 and sum(parts) < 1:
                below = apk_delta(world, both, max(F(1), largest * F(99, 100)), [0])
                assert below > sum(parts)


def test_a_world_of_fewer_bits_is_tight_too():
    numbers = (F(2), F(3), F(3, 2), F(1, 10), F(1, 5), F(1, 20))
    world, first, second = World(brute.extremal(*numbers)), itemgetter(1), itemgetter(2)
    assert apk_delta(world, compose(first, second), 9, [0]) == F(7, 20)
    assert brute.nu(world.masses, first, second, F(3, 2), [0]) == F(1, 20)


def test_for_a_negative_mu_the_printed_guarantee_is_too_small():
    vote, answer = bits([HALF]), make_randomized_response(F(2, 3))
    both, E, U = compose(answer, answer), F(5), HALF
    assert apk_delta(vote, answer, E) == 0
    nu = composition.nu(vote, answer, answer, U)
    assert nu == 1 - U == brute.nu(vote.masses, answer, answer, U, [0])
    assert composition.mu_ratio(vote, answer, answer) == 1
    assert apk_delta(vote, both, E * E * U * U) == F(25, 48) > nu
    assert apk_delta(vote, both, E * E * U) == F(25, 72) < nu


def test_for_mu_at_least_0_the_printed_guarantee_is_weaker():
    for mu in (0.0, 0.1, 2.0):
        printed = published.theorem_6(0.5, 1e-6, eps2=0.25, delta2=1e-7, mu=mu, nu=1e-6)
        corrected = composition.theorem_6(0.5, 1e-6, eps2=0.25, delta2=1e-7, mu=mu, nu=1e-6)
        assert printed[0] == pytest.approx(corrected[0] + mu)
        assert printed[1] == pytest.approx(corrected[1])


def test_simple_composition_is_not_tight_for_mechanisms_with_coins_of_their_own():
    vote, answer = bits([HALF]), make_randomized_response(HALF)
    # (0, 1/2) twice adds up to (0, 1); but two answers are never as good as the truth.
    assert apk_delta(vote, answer, 1) == HALF
    assert apk_delta(vote, compose(answer, answer), 1) == HALF < 1


# --------------------------------------------------------------------------------------------
# What else composes
# --------------------------------------------------------------------------------------------


def answers_on(v, truth=HALF):
    answer = make_randomized_response(truth)
    return lambda d: answer((d[0],)) if (d[1] + d[2]) % 2 == v else {"silent": F(1)}


def secret_and_split_coin(q):
    """A fair bit, and a coin that falls 0 with probability q: the sum modulo 2 of two records."""
    return World(
        {((t, u, v), ()): (q if u == v else 1 - q) / 4 for t, u, v in product((0, 1), repeat=3)}
    )


def in_two(world, *mechanisms):
    """Every record but the first as a uniform number and what is missing, modulo its values."""
    databases = [database for database, _ in world.masses]
    faces = [sorted(set(column), key=repr) for column in list(zip(*databases, strict=True))[1:]]
    masses = {}
    for (database, knowledge), mass in world.masses.items():
        numbers = [f.index(x) for f, x in zip(faces, database[1:], strict=True)]
        for drawn in product(*(range(len(f)) for f in faces)):
            rest = [(s, (k - s) % len(f)) for k, s, f in zip(numbers, drawn, faces, strict=True)]
            key = (database[0], *(x for two in rest for x in two)), knowledge
            masses[key] = mass / math.prod(len(f) for f in faces)

    def of_sums(mechanism):
        def joined(d):
            sums = [f[(u + v) % len(f)] for f, u, v in zip(faces, d[1::2], d[2::2], strict=True)]
            return mechanism((d[0], *sums))

        return joined

    return World(masses), *(of_sums(m) for m in mechanisms)


def test_a_coin_in_two_records_makes_an_example_for_all_targets():
    # The one-time pad, the shared coin, and the extremal world of the corrected theorem.
    fair, shared = bits([HALF] * 2), bits([HALF, F(2, 3)])
    answer = make_randomized_response(HALF)
    on = [lambda d, v=v: answer((d[0],)) if d[1] == v else {"silent": F(1)} for v in (0, 1)]
    tenth = F(1, 10)
    extremal = World(brute.extremal(F(2), F(3), F(5), tenth, tenth, tenth))
    tight = extremal, itemgetter(1), itemgetter(2)
    examples = [(fair, hidden, coin), (shared, on[0], on[0]), (shared, *on), tight]
    for world, m1, m2 in examples:
        split, s1, s2 = in_two(world, m1, m2)
        size = len(next(iter(split.masses))[0])
        others = range(1, size)
        for m in (s1, s2, compose(s1, s2)):
            assert apk_delta(split, m, 1, others) == 0
        for convention in CONVENTIONS:
            assert composition.nu(split, s1, s2, 1, others, convention=convention) == 0
        for R in (F(1), F(4)):
            found = composition.nu(split, s1, s2, R)
            assert found == composition.nu(world, m1, m2, R, [0])
            for m, of_sums in ((m1, s1), (m2, s2), (compose(m1, m2), compose(s1, s2))):
                assert apk_delta(split, of_sums, R) == apk_delta(world, m, R, [0])
    # Where the coin is one record, it is revealed if it is the target.
    assert apk_delta(fair, coin, 1000, [1]) == 1


def moment(p, q, order=2):
    """E[e^((α-1)L)] under p, for the order α."""
    return sum(mass * (mass / q[o]) ** (order - 1) for o, mass in p.items())


def test_losses_that_share_a_coin_are_not_dependent_and_exceed_independent_ones():
    for q in (HALF, F(1, 10), F(1, 1000)):
        world, m = secret_and_split_coin(q), answers_on(0)
        for convention in CONVENTIONS:  # for all targets
            assert composition.nu(world, m, m, 1, convention=convention) == 0
        assert brute.nu(world.masses, m, m, F(1), [0, 1, 2]) == 0
        for E in (F(3), F(5), F(8)):
            true = apk_delta(world, compose(m, m), E)
            independent = composition.product_delta(world, [m, m], E)
            assert true == q * (9 - E) / 16
            assert independent == q**2 * (9 - E) / 16
            assert true == independent / q
            assert independent == brute.delta_as_if_independent(world.masses, m, m, E, [0])
    p, q = brute.pair_laws(world.masses, m, m, 0, 1, 0, ())
    assert p.keys() == q.keys()  # all losses are finite


def test_renyi_divergences_of_mechanisms_that_share_a_coin_do_not_add_up():
    world, m = secret_and_split_coin(HALF), answers_on(0)
    p, q = brute.pair_laws(world.masses, m, m, 0, 1, 0, ())
    single = moment(marginals(p)[0], marginals(q)[0])
    assert (single, moment(p, q)) == (F(5, 3), F(29, 9))
    assert moment(p, q) > single**2
    for order in (2, 3, 5):
        assert moment(p, q, order) > moment(marginals(p)[0], marginals(q)[0], order) ** 2
    for share, order in product((F(1, 10), HALF), (2, 3, 5)):
        phi = moment({0: F(3, 4), 1: F(1, 4)}, {0: F(1, 4), 1: F(3, 4)}, order)
        assert phi > 1
        true, independent = 1 - share + share * phi**2, (1 - share + share * phi) ** 2
        assert true - independent == share * (1 - share) * (phi - 1) ** 2


def test_optimal_composition_fails_for_mechanisms_that_take_turns():
    world, first, second = secret_and_split_coin(HALF), answers_on(0), answers_on(1)
    for convention in CONVENTIONS:  # for all targets
        assert composition.nu(world, first, second, 1, convention=convention) == 0
    each = [apk_delta(world, m, 1) for m in (first, second)]
    assert each == [F(1, 4)] * 2
    both = apk_delta(world, compose(first, second), 1)
    assert both == HALF == sum(each)
    assert both > 1 - (1 - each[0]) * (1 - each[1]) == F(7, 16)


def test_with_two_outputs_no_dependency_means_independence():
    # Solutions r of P_a r = 1 and P_b r = 1, by elimination, for all laws of two outputs.
    for d in range(1, 6):
        for i, j in permutations(range(1, d), 2):
            a, b = F(i, d), F(j, d)
            # a·r0 + (1-a)·r1 = 1 and b·r0 + (1-b)·r1 = 1
            determinant = a * (1 - b) - b * (1 - a)
            assert determinant != 0
            assert ((1 - b) - (1 - a)) / determinant == 1 == (a - b) / determinant
    # And in all pairs of positive laws of two times two outputs, in ninths.
    cells = list(product((0, 1), repeat=2))
    laws = [
        dict(zip(cells, (F(k, 9) for k in parts), strict=True))
        for parts in product(range(1, 7), repeat=4)
        if sum(parts) == 9
    ]
    found = 0
    for p, q in permutations(laws, 2):
        (p1, p2), (q1, q2) = marginals(p), marginals(q)
        if p1 != q1 and all(
            p[o] * q1[o[0]] * q2[o[1]] == q[o] * p1[o[0]] * p2[o[1]] for o in cells
        ):
            assert brute.are_independent(p)
            found += 1
    assert found > 5


def test_independent_outputs_compose_like_mechanisms_with_coins_of_their_own():
    found = 0
    for world, first, second in random_releases(67, 400):
        targets = range(world.size)
        if composition.are_conditionally_independent(world, first, second, targets):
            assert composition.nu(world, first, second, 1, targets) == 0
            for E in (F(1), F(3, 2), F(4)):
                true = apk_delta(world, compose(first, second), E, targets)
                assert true == brute.delta_as_if_independent(
                    world.masses, first, second, E, targets
                )
                found += 0 < true < 1
    assert found > 50


def test_without_deltas_the_second_is_private_whatever_the_first_output_was():
    found = 0
    for world, first, second in random_releases(68, 400):
        targets = range(world.size)
        if apk_delta(world, second, math.inf, targets) > 0:
            continue
        U = composition.mu_ratio(world, first, second, targets)
        if isinstance(U, float):
            continue
        for *_, p, q in all_cases(world, first, second, targets):
            (p1, p2), (q1, q2) = marginals(p), marginals(q)
            E2 = max(max(p2[y] / q2[y], q2[y] / p2[y]) for y in p2)
            for x, y in p:
                if x in q1:
                    assert p[x, y] / p1[x] <= E2 * U * q.get((x, y), F(0)) / q1[x]
                    found += 1
    assert found > 200


@pytest.mark.slow
def test_on_average_over_the_first_output_the_second_keeps_its_delta():
    found = 0
    for world, first, second in random_releases(69, 300):
        for target, B, a, b, p, q in all_cases(world, first, second, range(world.size)):
            (p1, p2), (q1, q2) = marginals(p), marginals(q)
            table = brute.dependency(world.masses, first, second, target, a, b, B)
            for E, U in ((F(1), F(1)), (F(2), F(3, 2))):
                mean = sum(
                    max(F(0), p[x, y] - E * U * q.get((x, y), F(0)) * p1[x] / q1[x])
                    for x, y in p
                    if x in q1
                )
                delta = brute.hockey_stick(p2, q2, E)
                nu = sum(p[o] * brute.excess(table[o], U) for o in p)
                assert mean <= delta + nu
                found += mean > 0 and delta + nu < 1
    assert found > 100


# --------------------------------------------------------------------------------------------
# Proposition 9
# --------------------------------------------------------------------------------------------


def test_independent_parts_can_reveal_the_secret_together():
    fair = bits([HALF] * 2)
    assert brute.parts_are_independent(fair.masses, hidden, coin)
    assert composition.have_independent_parts(fair, hidden, coin)
    # With a fair coin the sum is independent of any secret; of the coin only for a fair secret.
    for secret_bit, independent in ((HALF, True), (THIRD, False)):
        world = bits([secret_bit, HALF])
        assert composition.have_independent_parts(world, hidden, coin) == independent
        assert composition.have_independent_parts(world, hidden, secret)
        assert composition.have_independent_parts(bits([HALF, secret_bit]), hidden, coin)
    for convention, U in product(CONVENTIONS, (F(1), F(1000))):
        assert composition.nu(fair, hidden, coin, U, [0], convention=convention) == 1
    assert apk_delta(fair, compose(hidden, coin), 1000, [0]) == 1


def test_distinct_records_can_reveal_a_third():
    sums = World({((t, u, t ^ u), ()): F(1, 4) for t, u in BITS})
    second, third = itemgetter(1), itemgetter(2)
    assert brute.parts_are_independent(sums.masses, second, third)
    for U in (F(1), F(1000)):
        assert brute.nu(sums.masses, second, third, U, [0]) == 1
    # If the target's record is in one of the parts, and nothing is known, they are not dependent.
    assert composition.nu(sums, second, third, 1, [1, 2]) == 0


def test_knowledge_can_make_distinct_parts_dependent():
    first, last = (lambda d: sum(d[:2])), (lambda d: sum(d[2:]))
    for known, dependent in (((), False), ((1, 2), False), (total, True)):
        world = bits([THIRD] * 4, knowledge=known)
        assert composition.have_independent_parts(world, first, last)
        nu = composition.nu(world, first, last, 1, [0, 3])
        assert nu == (F(2, 9) if dependent else 0)
        assert composition.splits_along(world, itemgetter(0, 1), itemgetter(2, 3), [0, 3]) == (
            not dependent
        )


def test_by_the_printed_convention_distinct_parts_pay_for_infinite_losses_twice():
    """Counts of two halves: nu is the chance of an infinite loss, which is in a delta already."""
    source = random.Random(71)
    first, last = (lambda d: sum(d[:2])), (lambda d: sum(d[2:]))
    for _ in range(10):
        world = bits([F(source.randint(1, 4), 5) for _ in range(4)])
        for target, mechanism in ((0, first), (1, first), (3, last)):
            infinite = apk_delta(world, mechanism, 10**9, [target])
            for U in (F(1), F(1000)):
                assert composition.nu(world, first, last, U, [target]) == 0
                printed = composition.nu(world, first, last, U, [target], convention="printed")
                assert printed == infinite > 0


@pytest.mark.slow
def test_corrected_proposition_9_in_all_small_worlds():
    # All worlds of two bits with masses in quarters, all parts, either record the target.
    found = {True: 0, False: 0}
    for world, first, second in small_releases(4):
        if not brute.parts_are_independent(world.masses, first, second):
            continue
        for target in (0, 1):
            nu = composition.nu(world, first, second, 1, [target])
            given = brute.parts_are_conditionally_independent(world.masses, first, second, [target])
            if given:
                assert nu == 0
            if brute.is_a_rectangle(world.masses, first, second, target):
                assert given
            found[given] += 1
    # Two mechanisms that reveal a secret together are the halves of a one-time pad, in two orders.
    assert found[False] == 4
    assert found[True] > 4000


@pytest.mark.slow
def test_in_a_family_closed_under_conditioning_prop_9_holds():
    """θ, and θ given the target's bit and the knowledge, which is nothing or the other bit."""
    found = {True: 0, False: 0}
    for plain, first, second in small_releases(3):
        for target, known in product((0, 1), ((), (1,), (0,))):
            if target in known:
                continue
            world = plain.knowing(known)
            closed = [world] + [
                world.given(lambda d, k, a=a, B=B, i=target: d[i] == a and k == B)
                for B in world.knowledge
                for a in {d[target] for d, k in world.masses if k == B}
            ]
            if all(brute.parts_are_independent(w.masses, first, second) for w in closed):
                assert composition.nu(world, first, second, 1, [target]) == 0
                found[bool(known)] += 1
    assert min(found.values()) > 500
    # By conditioning on the knowledge alone nothing is won: there may be none.
    fair = bits([HALF] * 2)
    assert brute.parts_are_independent(fair.masses, hidden, coin)
    given = fair.given(lambda d, _: d[0] == 1)
    assert not brute.parts_are_independent(given.masses, hidden, coin)


@pytest.mark.slow
def test_corrected_proposition_9_with_knowledge_and_coins():
    found = 0
    source = random.Random(70)
    for number in range(200):
        chances = [F(source.randint(1, 3), 4) for _ in range(4)]
        known = ([], [1], [0, 3], (lambda d: (d[0] ^ d[1], d[2])))[number % 4]
        world = bits(chances, knowledge=known)
        parts = itemgetter(0, 1), itemgetter(2, 3)
        mechanisms = []
        for part in parts:
            made = random_mechanism(source, BITS, 3, deterministic=number % 3 == 0)
            mechanisms.append(lambda d, made=made, part=part: made(part(d)))
        targets = [i for i in range(4) if i not in (known if isinstance(known, list) else (2,))]
        assert brute.parts_are_conditionally_independent(world.masses, *parts, targets)
        assert composition.splits_along(world, *parts, targets)
        if number % 10 == 0:
            assert brute.nu(world.masses, *mechanisms, F(1), targets) == 0
        assert composition.nu(world, *mechanisms, 1, targets) == 0
        E = F(3, 2)
        found += apk_delta(world, compose(*mechanisms), E, targets) > 0
    assert found > 30


# --------------------------------------------------------------------------------------------
# Figures
# --------------------------------------------------------------------------------------------


def test_the_overlap_is_that_of_the_worlds_it_stands_for():
    for common in range(3):
        in_first, in_second = range(1, 3), range(3 - common, 5 - common)
        world = bits([HALF] * (1 + 4 - common))

        def first(d, group=in_first):
            return d[0] + sum(d[i] for i in group)

        def second(d, group=in_second):
            return sum(d[i] for i in group)

        found = overlap.overlap(common, size=2)
        for E in (1, 2, 3):
            eps = math.log(E)
            both = apk_delta(world, compose(first, second), E, [0])
            assert found.delta(eps) == pytest.approx(float(both))
            assert found.delta_alone(eps) == pytest.approx(float(apk_delta(world, first, E, [0])))
            nu = composition.nu(world, first, second, E, [0])
            assert found.nu(eps) == pytest.approx(float(nu))


def test_what_the_figure_on_overlap_says_is_in_its_data():
    data = figures.table("overlap")
    both, bound, alone = (
        select(data, panel="delta", series=name)["y"] for name in ("together", "theorem 6", "alone")
    )
    assert_allclose(alone, alone[0])
    assert round(float(alone[0]), 4) == 0.0046
    assert_allclose([both[0], bound[0]], alone[0])
    assert max(both[:7]) < 0.006
    assert all(a < b for a, b in pairwise(both))
    assert [round(float(both[m]), d) for m, d in ((10, 3), (16, 3), (19, 2), (20, 6))] == [
        0.010,
        0.054,
        0.26,
        1.0,
    ]
    assert bound[20] == pytest.approx(1)
    assert all(bound >= both * (1 - 1e-12))
    assert 3.35 < max(bound / both) < 3.45
    assert [round(float(bound[m]), d) for m, d in ((10, 3), (16, 2))] == [0.034, 0.12]
    curves = {common: select(data, panel="nu", series=str(common)) for common in overlap.SHOWN}
    assert_allclose(curves[20]["y"], 1, atol=1e-5)
    at_0 = [float(curves[m]["y"][0]) for m in (5, 10, 15, 19)]
    assert_allclose(at_0, [0.046, 0.10, 0.20, 0.47], rtol=0.03)
    for common, (low, high) in {5: (0.3, 0.4), 10: (1.0, 1.05)}.items():
        crossing = np.interp(-1e-4, -curves[common]["y"], curves[common]["x"])
        assert low < crossing < high
    assert round(float(curves[15]["y"][-1]), 4) == 0.0011
    assert min(curves[19]["y"]) > 0.25


def test_the_figure_on_a_shared_coin_draws_the_counterexamples():
    data = figures.table("shared-coin")
    for pair, (first, second) in shared_coin.PAIRS.items():
        world = shared_coin.world()
        for E in (F(1), F(2), F(3), F(5), F(9)):
            exact = {
                "together": apk_delta(world, compose(first, second), E, [0]),
                "independent": composition.product_delta(world, [first, second], E, [0]),
            }
            for series, value in exact.items():
                rows = select(data, panel=pair, series=series)
                (drawn,) = rows["y"][rows["x"] == float(E)]
                assert drawn == pytest.approx(float(value), abs=1e-15)
            rows = select(data, panel=pair, series="theorem 6")
            (bound,) = rows["y"][rows["x"] == float(E)]
            splits = [1 + (E - 1) * F(k, 60) for k in range(61)]
            least = min(
                apk_delta(world, first, split, [0]) + apk_delta(world, second, E / split, [0])
                for split in splits
            )
            assert bound == pytest.approx(float(least))
            assert bound >= exact["together"]


def test_independent_losses_are_the_mean_of_both_pairs():
    data = figures.table("shared-coin")
    true = [select(data, panel=pair, series="together")["y"] for pair in shared_coin.PAIRS]
    for pair in shared_coin.PAIRS:
        independent = select(data, panel=pair, series="independent")["y"]
        assert_allclose(independent, (true[0] + true[1]) / 2, atol=1e-15)


def test_what_the_figure_on_a_shared_coin_says_is_in_its_data():
    data = figures.table("shared-coin")
    values = {
        (pair, series, x): float(np.interp(x, rows["x"], rows["y"]))
        for pair in shared_coin.PAIRS
        for series in ("together", "independent", "theorem 6")
        for rows in [select(data, panel=pair, series=series)]
        for x in (1, 15 / 7, 3, 5, 9)
    }
    first, second = shared_coin.PAIRS
    assert round(15 / 7, 2) == 2.14
    assert [values[first, "together", x] for x in (1, 9)] == pytest.approx([0.25, 0])
    assert [values[second, "together", x] for x in (1, 3)] == pytest.approx([0.5, 0])
    for pair in (first, second):
        assert values[pair, "independent", 1] == pytest.approx(0.375)
        assert values[pair, "independent", 3] == pytest.approx(0.094, abs=5e-4)
        assert values[pair, "independent", 15 / 7] == pytest.approx(
            values[pair, "together", 15 / 7], abs=1e-3
        )
        bounds = [values[pair, "theorem 6", x] for x in (1, 3, 9)]
        assert bounds == pytest.approx([0.5, 0.25, 0])
    for x in (3, 5):
        assert values[first, "independent", x] == pytest.approx(values[first, "together", x] / 2)


def test_whoever_leaves_with_others_is_hidden_among_these():
    for r in range(3):
        crowd = bits([HALF] * 5)
        both = compose(total, lambda d, r=r: sum(d[r + 1 :]))
        for E in (1, 2):
            alone = apk_delta(bits([HALF] * (r + 1)), total, E, [0])
            assert apk_delta(crowd, both, E, [0]) == alone
