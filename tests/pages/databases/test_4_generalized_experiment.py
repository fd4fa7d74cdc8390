"""Section IV with Appendices A and B: the generalized experiment, its theorem, and couplings."""

import itertools
import math
import random
from fractions import Fraction as F
from itertools import product

import pytest

from pkdp.databases import couplings, hypotheses
from pkdp.databases.experiments import (
    Move,
    composition_delta,
    hypothesis_delta,
    leaky_response,
    make_planned,
    view_law,
)
from pkdp.worlds.mechanisms import output_law
from tests.databases.adversaries import random_adversary, respects, view_law_of_prior
from tests.oracles import hypotheses as oracle

pytestmark = pytest.mark.page

RATIOS = (F(1), F(3, 2), F(3))


def adversaries(seed, number, k, leaks=(0, F(1, 10))):
    """Random adaptive adversaries on random private mechanisms, with their guarantees."""
    draws = random.Random(seed)
    for _ in range(number):
        guarantees = [F(draws.randint(4, 16), 4) for _ in range(k)]
        delta = draws.choice(leaks)
        yield draws, guarantees, delta, random_adversary(draws, guarantees, delta, outputs=2)


def excess(first, second, ratio):
    return sum((max(F(0), p - ratio * second.get(v, F(0))) for v, p in first.items()), F(0))


def between(prior):
    """The law of all vectors that a prior thinks possible, one after the other."""
    return [bits for bits, weight in prior.items() if weight]


def uniform(vectors):
    vectors = list(vectors)
    return {bits: F(1, len(vectors)) for bits in vectors}


# Algorithm 2, and the order of two databases


def classic_view(adversary, bit, k):
    """Algorithm 1, by hand: one bit, for all rounds."""
    law = {(): F(1)}
    for _ in range(k):
        longer = {}
        for replies, mass in law.items():
            move = adversary(replies)
            for reply, chance in output_law(move.mechanism, move.databases[bit]).items():
                longer[*replies, reply] = longer.get((*replies, reply), F(0)) + mass * chance
        law = longer
    return law


def test_with_constant_vectors_it_is_the_classic_experiment():
    for _, _, _, adversary in adversaries(1, 20, 3):
        for bit in (0, 1):
            assert view_law(adversary, (bit,) * 3) == classic_view(adversary, bit, 3)


def test_the_pair_of_constant_vectors_gives_definition_2():
    for _, _, _, adversary in adversaries(2, 20, 2):
        for ratio in RATIOS:
            classic = composition_delta(adversary, 2, ratio)
            assert classic == hypothesis_delta(adversary, {(0, 0): F(1)}, {(1, 1): F(1)}, ratio)
            none, every = (classic_view(adversary, bit, 2) for bit in (0, 1))
            assert classic == max(excess(none, every, ratio), excess(every, none, ratio))


def swapped(adversary, where):
    """The adversary who names the databases in the other order in some rounds."""

    def other(replies):
        move = adversary(replies)
        return move.swapped() if where(replies) else move

    return other


def flipped(bits, swaps):
    return tuple(b ^ s for b, s in zip(bits, swaps, strict=True))


def test_if_databases_change_places_so_do_the_bits_and_the_hypotheses():
    for draws, _, _, adversary in adversaries(3, 20, 3):
        swaps = tuple(draws.randint(0, 1) for _ in range(3))
        other = swapped(adversary, lambda replies, swaps=swaps: swaps[len(replies)])
        p, q = (oracle.random_prior(draws, 3) for _ in range(2))
        moved = [{flipped(bits, swaps): w for bits, w in prior.items()} for prior in (p, q)]
        assert view_law_of_prior(other, p) == view_law_of_prior(adversary, moved[0])
        for ratio in RATIOS:
            assert hypothesis_delta(other, p, q, ratio) == hypothesis_delta(
                adversary, *moved, ratio
            )


def tell(probability):
    """A mechanism that shows a member with some probability, and never says so of others."""
    return Move(((), ("target",)), lambda d: {1: probability, 0: 1 - probability} if d else 0)


def test_hypotheses_that_do_not_change_places_with_the_bits_are_others():
    # "In both or in none" becomes "in one or in the other".
    ask = make_planned([tell(F(1, 2))] * 2)
    swaps = swapped(ask, lambda replies: len(replies) == 1)
    assert composition_delta(ask, 2, F(1)) == F(3, 4)
    assert composition_delta(swaps, 2, F(1)) == F(1, 2)


def test_swaps_that_depend_on_replies_only_rename_leaky_responses():
    draws = random.Random(4)
    for _ in range(20):
        k = draws.randint(2, 3)
        moves = [leaky_response(F(draws.randint(4, 16), 4), F(1, 10)) for _ in range(k)]
        ask, choices = make_planned(moves), {}

        def where(replies, choices=choices):
            return choices.setdefault(replies, draws.randint(0, 1))

        other = swapped(ask, where)
        p, q = (oracle.random_prior(draws, k) for _ in range(2))
        for ratio in RATIOS:
            plain = hypothesis_delta(ask, p, q, ratio)
            assert hypothesis_delta(other, p, q, ratio) == plain


def test_an_order_by_replies_can_cost_more_than_a_fixed_one():
    # Randomized response with odds of 3, then a record that shows itself one time in ten.
    ask = leaky_response(3)
    seldom = Move(((), (0,)), lambda d: {"seen": F(1, 10), "not": F(9, 10)} if d else "not")

    def orders(first, then):
        """An adversary: `first` says whether the first two change places, `then` by the reply."""
        moves = {False: (ask, seldom), True: (ask.swapped(), seldom.swapped())}
        return lambda replies: moves[then[replies[0]]][1] if replies else moves[first][0]

    fixed, free = (
        max(
            composition_delta(orders(first, {0: then, 1: then != change}), 2, 1)
            for first, then in product((False, True), repeat=2)
        )
        for change in (False, True)
    )
    assert (fixed, free) == (F(21, 40), F(11, 20))


# Definition 3


@pytest.mark.slow
def test_which_of_two_vectors_is_closer_is_protected():
    # The truth may be neither. With b or c it agrees where these agree, and elsewhere as it likes.
    ratios = (F(2), F(3), F(5))

    def distance(one, other):
        return sum(x != y for x, y in zip(one, other, strict=True))

    for b, c in product(oracle.vectors(3), repeat=2):
        for x, y in product(oracle.vectors(3), repeat=2):
            if any(u != v and s == t for u, v, s, t in zip(x, y, b, c, strict=True)):
                continue
            for ratio in RATIOS:
                found = oracle.delta({x: 1}, {y: 1}, ratios, [0] * 3, ratio)
                assert found <= oracle.delta({b: 1}, {c: 1}, ratios, [0] * 3, ratio)
        # Which is closer depends on the places where they differ, and on no other.
        for x in oracle.vectors(3):
            inside = [i for i in range(3) if b[i] != c[i]]
            closer = distance(x, b) - distance(x, c)
            assert closer == sum((x[i] != b[i]) - (x[i] != c[i]) for i in inside)


def test_the_delta_of_definition_3_is_over_all_sets_of_views():
    draws = random.Random(5)
    for _ in range(15):
        guarantees = [F(draws.randint(4, 12), 4) for _ in range(2)]
        adversary = random_adversary(draws, guarantees, F(1, 10), outputs=2)
        p, q = (oracle.random_prior(draws, 2) for _ in range(2))
        views = [view_law_of_prior(adversary, prior) for prior in (p, q)]
        if len({*views[0], *views[1]}) > 8:
            continue
        for ratio in RATIOS:
            worst = max(
                oracle.largest_event(*views, ratio), oracle.largest_event(*views[::-1], ratio)
            )
            assert hypothesis_delta(adversary, p, q, ratio) == worst


def test_fewer_hypotheses_cost_no_more():
    # Over hypotheses on a set of vectors, the worst are two of these vectors.
    for draws, _, _, adversary in adversaries(6, 8, 3):
        allowed = [bits for bits in oracle.vectors(3) if sum(bits) <= 1]
        p, q = (
            oracle.normalized({bits: draws.randint(1, 5) for bits in draws.sample(allowed, 2)})
            for _ in range(2)
        )
        for ratio in RATIOS:
            few, many = (
                max(
                    hypothesis_delta(adversary, {b: F(1)}, {c: F(1)}, ratio)
                    for b, c in itertools.combinations(vectors, 2)
                )
                for vectors in (allowed, oracle.vectors(3))
            )
            assert hypothesis_delta(adversary, p, q, ratio) <= few <= many


# The Bayes factor


def factors(first, second):
    views = {**first, **second}
    return {v: math.inf if v not in second else first.get(v, F(0)) / second[v] for v in views}


def test_without_delta_it_is_a_bound_of_the_bayes_factor():
    for draws, _, _, adversary in adversaries(7, 40, 2, leaks=(0,)):
        p, q = (oracle.random_prior(draws, 2) for _ in range(2))
        views = [view_law_of_prior(adversary, prior) for prior in (p, q)]
        for ratio in (F(1), F(3, 2), F(2), F(4), F(16)):
            private = hypothesis_delta(adversary, p, q, ratio) == 0
            largest = max(*factors(*views).values(), *factors(*views[::-1]).values())
            assert private == (largest <= ratio)


def test_with_a_leak_the_bayes_factor_of_a_reply_is_infinite():
    leak, ratio = F(1, 100), F(3)
    ask = make_planned([leaky_response(ratio, leak)])
    none, member = view_law(ask, (0,)), view_law(ask, (1,))
    assert composition_delta(ask, 1, ratio) == leak
    assert factors(member, none)["leaked 1",] == math.inf
    assert member["leaked 1",] == leak


def test_two_bounds_of_the_factor_that_are_enough_and_one_that_follows():
    enough = [0, 0]
    for draws, _, _, adversary in adversaries(8, 60, 2):
        p, q = (oracle.random_prior(draws, 2) for _ in range(2))
        first, second = (view_law_of_prior(adversary, prior) for prior in (p, q))
        factor = factors(first, second)
        for ratio, delta in product((F(1), F(3, 2), F(3)), (F(1, 20), F(1, 4))):
            found = excess(first, second, ratio)
            beyond = sum((first[v] for v in first if factor[v] > ratio), F(0))
            if max(factor.values()) <= ratio + delta:
                enough[0] += 1
                assert found <= delta
            if beyond <= delta:
                enough[1] += 1
                assert found <= delta
            for further in (F(2) * ratio, F(5) * ratio):
                above = sum((first[v] for v in first if factor[v] > further), F(0))
                assert above <= found * further / (further - ratio)
    assert min(enough) > 20


def test_neither_is_necessary():
    # A leak; and randomized response of odds 3 at e^ε = 2.
    ask = make_planned([leaky_response(3)])
    member, none = view_law(ask, (1,)), view_law(ask, (0,))
    assert excess(member, none, F(2)) == F(1, 4)
    assert sum(p for v, p in member.items() if factors(member, none)[v] > 2) == F(3, 4)
    assert max(factors(member, none).values()) == 3 > 2 + F(1, 4)


# Theorem 1


def reduced(adversary, b, c):
    """Who plays Algorithm 1 to tell b from c: the same database twice, where they agree."""

    def classic(replies):
        move, i = adversary(replies), len(replies)
        return Move((move.databases[b[i]], move.databases[c[i]]), move.mechanism)

    return classic


def test_the_classic_adversary_sees_what_the_general_one_sees():
    for draws, guarantees, delta, adversary in adversaries(9, 25, 3):
        b, c = (tuple(draws.randint(0, 1) for _ in range(3)) for _ in range(2))
        classic = reduced(adversary, b, c)
        assert respects(classic, guarantees, delta)
        assert classic_view(classic, 0, 3) == view_law(adversary, b)
        assert classic_view(classic, 1, 3) == view_law(adversary, c)


def test_no_two_hypotheses_cost_more_than_the_worst_classic_adversary():
    for draws, _, _, adversary in adversaries(10, 25, 2):
        p, q = (oracle.random_prior(draws, 2) for _ in range(2))
        for ratio in RATIOS:
            classic = max(
                composition_delta(reduced(adversary, b, c), 2, ratio)
                for b in between(p)
                for c in between(q)
            )
            assert hypothesis_delta(adversary, p, q, ratio) <= classic


def test_the_optimum_of_two_hypotheses_is_at_most_that_of_the_classic_experiment():
    draws, reached = random.Random(11), 0
    for _ in range(60):
        k = draws.randint(1, 3)
        ratios = [F(draws.randint(4, 12), 4) for _ in range(k)]
        deltas = [draws.choice((0, F(1, 20), F(1, 4))) for _ in range(k)]
        p, q = (oracle.random_prior(draws, k) for _ in range(2))
        ends = {(0,) * k: F(1)}, {(1,) * k: F(1)}
        for ratio in RATIOS:
            classic = oracle.delta(*ends, ratios, deltas, ratio)
            found = oracle.delta(p, q, ratios, deltas, ratio)
            assert found <= classic
            reached += 0 < found < classic
    assert reached > 40


def mass(law, event):
    return sum((p for view, p in law.items() if event(view)), F(0))


def printed_cases(adversary, b, c, event):
    """What flipping each bit that b and c share does to P[V^b in S] and to P[V^c in S]."""
    found = {}
    for i in range(len(b)):
        if b[i] == c[i]:
            change = {}
            for name, bits in (("b", b), ("c", c)):
                flip = tuple(x ^ (j == i) for j, x in enumerate(bits))
                before, after = (mass(view_law(adversary, v), event) for v in (bits, flip))
                change[name] = after - before
            found[i] = change
    return found


def covered(change):
    """Whether b can be flipped without a loss, or c without a gain."""
    return change["b"] >= 0 or change["c"] <= 0


def test_bits_cannot_be_flipped_one_by_one():
    # Randomized response twice, b = 00 and c = 01 agree in the first bit; S says y1 = y2.
    for ratio in (F(3, 2), F(2), F(10)):
        ask = make_planned([leaky_response(ratio)] * 2)
        likely, unlikely = (ratio**2 + 1) / (1 + ratio) ** 2, 2 * ratio / (1 + ratio) ** 2
        chance = {
            bits: mass(view_law(ask, bits), lambda view: view[0] == view[1])
            for bits in oracle.vectors(2)
        }
        assert chance == {
            (0, 0): likely,
            (1, 1): likely,
            (0, 1): unlikely,
            (1, 0): unlikely,
        }
        assert chance[0, 0] > chance[0, 1]
        cases = printed_cases(ask, (0, 0), (0, 1), lambda view: view[0] == view[1])
        assert cases == {0: {"b": unlikely - likely, "c": likely - unlikely}}
        assert not covered(cases[0])
        # Neither opposite pair that one flip leads to stands between the two chances.
        assert not chance[0, 0] <= chance[1, 0]
        assert not chance[1, 1] <= chance[0, 1]
        # What was to be shown holds all the same.
        assert chance[0, 0] <= ratio * chance[0, 1]


def test_for_a_single_view_they_can():
    for draws, _, _, adversary in adversaries(12, 25, 3):
        b, c = (tuple(draws.randint(0, 1) for _ in range(3)) for _ in range(2))
        for view in {**view_law(adversary, b), **view_law(adversary, c)}:
            cases = printed_cases(adversary, b, c, lambda seen, view=view: seen == view)
            assert all(covered(change) for change in cases.values())


def test_for_the_best_set_they_can_if_the_adversary_does_not_adapt():
    draws = random.Random(13)
    for _ in range(25):
        moves = [leaky_response(F(draws.randint(4, 16), 4), F(1, 10)) for _ in range(3)]
        ask = make_planned(moves)
        b, c = (tuple(draws.randint(0, 1) for _ in range(3)) for _ in range(2))
        first, second = view_law(ask, b), view_law(ask, c)
        # The set depends on rounds in which b and c differ; in others only on what is possible.
        differ = [i for i in range(3) if b[i] != c[i]]
        laws = [
            [output_law(move.mechanism, move.databases[bits[i]]) for i, move in enumerate(moves)]
            for bits in (b, c)
        ]

        def best(view, laws=laws, differ=differ):
            p, q = (math.prod(law[i].get(view[i], F(0)) for i in differ) for law in laws)
            return p > 2 * q

        assert mass(first, best) - 2 * mass(second, best) == excess(first, second, F(2))
        cases = printed_cases(ask, b, c, best)
        assert all(change == {"b": 0, "c": 0} for change in cases.values())


def test_for_the_best_set_they_cannot_if_she_adapts():
    # The first reply decides how much she asks for in the second round.
    def adaptive(replies):
        if not replies:
            return leaky_response(2)
        return leaky_response(9 if replies == (0,) else 4)

    first, second = view_law(adaptive, (0, 0)), view_law(adaptive, (0, 1))
    best = [view for view in first if first[view] > 3 * second[view]]
    assert set(best) == {(0, 0), (1, 0)}
    cases = printed_cases(adaptive, (0, 0), (0, 1), lambda view: view in best)
    assert cases == {0: {"b": -F(1, 30), "c": F(1, 30)}}
    assert not covered(cases[0])


# Algorithm 3


def test_the_induction_needs_no_order():
    # Whatever the order, what is matched has the same weight, and each match obeys Theorem 1.
    draws = random.Random(14)
    for _ in range(40):
        k = draws.randint(1, 3)
        ratios = [F(draws.randint(4, 12), 4)] * k
        deltas = [draws.choice((0, F(1, 10)))] * k
        p, q = (oracle.random_prior(draws, k) for _ in range(2))
        classic = oracle.delta({(0,) * k: F(1)}, {(1,) * k: F(1)}, ratios, deltas, F(2))
        for _ in range(3):
            one, two = (dict(draws.sample(list(law.items()), len(law))) for law in (p, q))
            matches = couplings.refine(one, two)
            totals = [{}, {}]
            for match in matches:
                for side in (0, 1):
                    total = totals[side]
                    total[match[side]] = total.get(match[side], F(0)) + match.weight
            assert totals == [one, two]
            bound = sum(
                match.weight
                * oracle.one_way({match[0]: F(1)}, {match[1]: F(1)}, ratios, deltas, F(2))
                for match in matches
            )
            assert oracle.one_way(p, q, ratios, deltas, F(2)) <= bound <= classic


def test_the_same_hypothesis_in_two_orders():
    quarter = F(1, 4)
    there = dict.fromkeys(oracle.vectors(2), quarter)
    back = dict(reversed(there.items()))
    assert couplings.largest(couplings.refine(there, there), [1.0, 1.0]) == 0.0
    assert couplings.largest(couplings.refine(there, back), [1.0, 1.0]) == 2.0
    assert hypotheses.pair(there, back, [1.0, 1.0]).profile().epsilon(0.0) < 1e-12


STAR = {(0, 0, 0, 0): F(1, 2), (1, 0, 0, 1): F(1, 6), (0, 1, 0, 1): F(1, 6), (0, 0, 1, 1): F(1, 6)}
RAYS = uniform([(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0)])


def test_of_some_hypotheses_no_order_is_good():
    eps = [1.0] * 4
    costs = {
        couplings.largest(couplings.refine(dict(a), dict(b)), eps)
        for a in itertools.permutations(STAR.items())
        for b in itertools.permutations(RAYS.items())
    }
    assert costs == {3.0}
    assert couplings.orders(STAR, RAYS, eps) == (3.0, 3.0)
    assert couplings.largest(couplings.transport(STAR, RAYS, eps), eps) == 1.0


def some_choice(between, first, second, most):
    """Whether tuples can be chosen in every step so that no match is farther than `most`."""
    if not first:
        return True
    for b, beta in first.items():
        for c, gamma in second.items():
            if between[b, c] <= most:
                alpha = min(beta, gamma)
                one, two = (
                    {bits: w - alpha * (bits == at) for bits, w in side.items()}
                    for side, at in ((first, b), (second, c))
                )
                one, two = ({bits: w for bits, w in side.items() if w} for side in (one, two))
                if some_choice(between, one, two, most):
                    return True
    return False


def test_if_tuples_are_chosen_freely_the_best_choice_is_the_best_coupling():
    draws = random.Random(19)
    pairs = [
        [
            oracle.normalized(dict(list(oracle.random_prior(draws, 3, grain=3).items())[:3]))
            for _ in range(2)
        ]
        for _ in range(60)
    ]
    for p, q in [*pairs, (STAR, RAYS)]:
        eps = [1.0] * len(next(iter(p)))
        between = {(b, c): float(sum(map(int.__ne__, b, c))) for b in p for c in q}
        least = couplings.largest(couplings.transport(p, q, eps), eps)
        assert some_choice(between, p, q, least)
        assert not some_choice(between, p, q, least - 0.5)


def test_the_worst_order_has_the_two_vectors_farthest_apart():
    draws = random.Random(15)
    for _ in range(60):
        k = draws.randint(1, 4)
        eps = [draws.choice((0.5, 1.0, 2.0)) for _ in range(k)]
        p, q = (
            oracle.normalized(dict(list(oracle.random_prior(draws, k).items())[:5]))
            for _ in range(2)
        )
        farthest = max(
            sum(e for e, x, y in zip(eps, b, c, strict=True) if x != y) for b in p for c in q
        )
        assert couplings.orders(p, q, eps).upper == farthest


# What hypotheses cost


@pytest.mark.slow
def test_separate_joint_columnwise_transport_algorithm_3_on_200_pairs():
    draws = random.Random(16)
    strict = [0] * 4
    for _ in range(200):
        k = draws.randint(1, 4)
        eps = [draws.uniform(0.1, 2.0) for _ in range(k)]
        p, q = (
            oracle.normalized(dict(list(oracle.random_prior(draws, k).items())[:4]))
            for _ in range(2)
        )
        separate = hypotheses.pair(p, q, eps).profile().epsilon(0.0)
        joint = couplings.joint(p, q, eps)
        columns = [
            couplings.columnwise(couplings.kernel(*pair, eps), pair[1], eps)
            for pair in ((p, q), (q, p))
        ]
        transport = couplings.largest(couplings.transport(p, q, eps), eps)
        best, worst = couplings.orders(p, q, eps)
        given = couplings.largest(couplings.refine(p, q), eps)
        assert separate <= joint.upper + 1e-9
        assert joint.upper - joint.lower < 1e-8
        assert max(columns) == pytest.approx(joint.upper, abs=1e-9)
        assert joint.lower <= transport <= best <= given <= worst
        strict[0] += separate < joint.lower - 1e-6
        strict[1] += joint.upper < transport - 1e-6
        strict[2] += transport < given
        strict[3] += given < worst
    assert min(strict) > 20


def test_a_joint_mechanism_is_as_private_as_promised_and_tells_all():
    # The event of the program, made small enough to be an output of a mechanism.
    draws = random.Random(17)
    for _ in range(25):
        k = draws.randint(1, 3)
        eps = [draws.uniform(0.1, 2.0) for _ in range(k)]
        p, q = (oracle.random_prior(draws, k) for _ in range(2))
        f = couplings.worst_event(p, q, eps)
        # Between b and c the rest may change by what the output does, and less, relatively.
        small = f * min(-math.expm1(-min(eps)) / 2, 0.5)
        for bits in oracle.vectors(k):
            for i, e in enumerate(eps):
                other = flipped(bits, tuple(int(j == i) for j in range(k)))
                for law in (small, 1 - small):
                    assert law[bits] <= math.exp(e) * law[other] * (1 + 1e-12)
        told = math.log(
            sum(float(w) * small[b] for b, w in p.items())
            / sum(float(w) * small[b] for b, w in q.items())
        )
        ends = couplings.joint(p, q, eps, direction="forth")
        assert ends.lower - 1e-9 <= told <= ends.upper


def test_parity_hides_from_separate_mechanisms_only():
    for k in range(1, 9):
        laws = [uniform(b for b in oracle.vectors(k) if sum(b) % 2 == odd) for odd in (0, 1)]
        joint = couplings.joint(*laws, [1.0] * k)
        assert joint == pytest.approx((1.0, 1.0), abs=1e-8)
        separate = hypotheses.pair(*laws, [1.0] * k).profile().epsilon(0.0)
        t = math.tanh(0.5) ** k
        assert separate == pytest.approx(math.log((1 + t) / (1 - t)), abs=1e-9)


def test_product_hypotheses_cost_no_more_jointly():
    # Of independent bits the worst joint mechanism asks each for itself.
    draws = random.Random(18)
    for _ in range(20):
        k = draws.randint(1, 4)
        eps = [draws.uniform(0.1, 2.0) for _ in range(k)]
        p, q = (oracle.independent([F(draws.randint(1, 9), 10) for _ in range(k)]) for _ in "pq")
        separate = hypotheses.pair(p, q, eps).profile().epsilon(0.0)
        joint = couplings.joint(p, q, eps)
        assert joint.lower - 1e-9 <= separate <= joint.upper + 1e-9


def test_against_a_vector_separate_mechanisms_tell_as_much():
    draws = random.Random(20)
    for _ in range(40):
        k = draws.randint(1, 3)
        ratios = [F(draws.randint(5, 15), 5) for _ in range(k)]
        c = tuple(draws.randint(0, 1) for _ in range(k))
        p, point = oracle.random_prior(draws, k), {c: F(1)}
        away = {b: math.prod(E for E, x, y in zip(ratios, b, c, strict=True) if x != y) for b in p}
        forth = sum(w * away[b] for b, w in p.items())
        back = 1 / sum(w / away[b] for b, w in p.items())
        assert oracle.one_way_ratio(p, point, ratios) == forth
        assert oracle.one_way_ratio(point, p, ratios) == back
        eps = [math.log(E) for E in ratios]
        for direction, ratio in (("forth", forth), ("back", back)):
            ends = couplings.joint(p, point, eps, direction=direction)
            assert ends == pytest.approx((math.log(ratio),) * 2, abs=1e-8)


def test_hypotheses_in_the_order_of_a_number_cost_no_more_jointly():
    draws, ordered = random.Random(21), 0
    while ordered < 25:
        k, eps = draws.randint(2, 4), draws.uniform(0.1, 2.0)
        laws = [[draws.randint(1, 6) for _ in range(k + 1)] for _ in range(2)]
        if not all(laws[0][j + 1] * laws[1][j] >= laws[0][j] * laws[1][j + 1] for j in range(k)):
            continue
        ordered += 1
        p, q = (
            oracle.normalized({b: F(law[sum(b)], math.comb(k, sum(b))) for b in oracle.vectors(k)})
            for law in laws
        )
        tilted = [sum(float(w) * math.exp(eps * sum(b)) for b, w in law.items()) for law in (p, q)]
        forth = couplings.joint(p, q, [eps] * k, direction="forth")
        assert forth == pytest.approx((math.log(tilted[0] / tilted[1]),) * 2, abs=1e-8)
        separate = hypotheses.pair(p, q, [eps] * k).profile().epsilon(0.0)
        assert separate == pytest.approx(couplings.joint(p, q, [eps] * k).upper, abs=1e-8)
