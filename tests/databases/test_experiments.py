"""The experiments: every game of a small adversary, against a second reading of the algorithms."""

import math
import random
from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from pkdp import accounting, experiments
from pkdp.databases.experiments import (
    Move,
    RandomizedAdversary,
    composition_delta,
    hypothesis_delta,
    leaky_response,
    make_planned,
    play,
    view_law,
)
from pkdp.worlds.mechanisms import make_randomized_response, output_law, total
from tests.databases.adversaries import (
    are_neighbours,
    random_adversary,
    respects,
    view_law_of_prior,
)
from tests.oracles import hypotheses as optimum

HALF, TENTH = Fraction(1, 2), Fraction(1, 10)
RATIOS = [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5), Fraction(30), math.inf]


def game(strategy, bits):
    """Algorithm 2 read aloud: all games of one strategy, with their probabilities."""
    views = {(): Fraction(1)}
    for bit in bits:
        longer = Counter()
        for view, mass in views.items():
            move = strategy(view)
            for reply, chance in output_law(move.mechanism, move.databases[bit]).items():
                longer[(*view, reply)] += mass * chance
        views = dict(longer)
    return views


def divergence(first, second, ratio):
    """The mass that one law has beyond e^ε times the other."""
    if ratio == math.inf:
        return sum((p for t, p in first.items() if not second.get(t)), Fraction(0))
    return sum(
        (max(Fraction(0), p - ratio * second.get(t, 0)) for t, p in first.items()), Fraction(0)
    )


def both_ways(first, second, ratio):
    return max(divergence(first, second, ratio), divergence(second, first, ratio))


def mixture(strategy, prior):
    return optimum.mixture((weight, game(strategy, bits)) for bits, weight in prior.items())


def random_prior(source, k):
    weights = {bits: source.choice([0, 0, 1, 2, 3]) for bits in product((0, 1), repeat=k)}
    weights[source.choice(list(weights))] += 1
    return {bits: Fraction(weight, sum(weights.values())) for bits, weight in weights.items()}


def guarantees(source, k):
    ratios = [
        source.choice([Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5)]) for _ in range(k)
    ]
    return ratios, [source.choice([0, Fraction(1, 20), Fraction(1, 4)]) for _ in range(k)]


# Games


@pytest.mark.parametrize("seed", range(40))
def test_views_are_those_of_all_games(seed):
    source = random.Random(seed)
    k = source.randint(1, 3)
    adversary = random_adversary(source, *guarantees(source, k), outputs=source.randint(2, 4))
    for bits in product((0, 1), repeat=k):
        law = view_law(adversary, bits)
        assert law == game(adversary, bits)
        assert sum(law.values()) == 1
    prior, other = random_prior(source, k), random_prior(source, k)
    assert view_law_of_prior(adversary, prior) == mixture(adversary, prior)
    for ratio in RATIOS:
        found = hypothesis_delta(adversary, prior, other, ratio)
        assert found == both_ways(mixture(adversary, prior), mixture(adversary, other), ratio)
        none, every = (game(adversary, (bit,) * k) for bit in (0, 1))
        assert composition_delta(adversary, k, ratio) == both_ways(none, every, ratio)


def test_an_adversary_may_adapt_to_the_replies():
    seen = []

    def curious(replies):
        seen.append(replies)
        return leaky_response(3) if replies in {(), (1,)} else Move(((), ()), len)

    # Her second question is an idle one after the reply 0.
    assert view_law(curious, (1, 1)) == {
        (0, 0): Fraction(1, 4),
        (1, 0): Fraction(3, 16),
        (1, 1): Fraction(9, 16),
    }
    assert set(seen) == {(), (0,), (1,)}
    # She learns less than with two real queries.
    prior, other = {(0, 1): HALF, (1, 0): HALF}, {(0, 0): Fraction(1)}
    adaptive, planned = (hypothesis_delta(one, prior, other, 1) for one in (curious, ASK))
    assert 0 < adaptive < planned


def test_she_is_asked_only_what_can_happen():
    def impatient(replies):
        if "never" in replies:
            raise AssertionError
        return Move(((), ("target",)), lambda database: {"never": 0, len(database): 1})

    assert view_law(impatient, (0, 1, 1)) == {(0, 1, 1): 1}


def test_coins_are_part_of_the_view():
    ask, tell = make_planned([leaky_response(3)]), make_planned([Move(((), (0,)), len)])
    never = make_planned([Move(((), ()), len)])
    either = RandomizedAdversary(
        [(HALF, ask), (0, never), (Fraction(1, 4), tell), (Fraction(1, 4), ask)]
    )
    law = view_law(either, (1,))
    assert law == {(0, 1): Fraction(3, 8), (0, 0): Fraction(1, 8), (1, 1): Fraction(1, 4),
                   (2, 1): Fraction(3, 16), (2, 0): Fraction(1, 16)}  # fmt: skip
    # Drawing a strategy gives the average of what the strategies have.
    for ratio in RATIOS:
        each = [composition_delta(strategy, 1, ratio) for strategy in (ask, tell)]
        expected = Fraction(3, 4) * each[0] + each[1] / 4
        assert composition_delta(either, 1, ratio) == expected
    assert respects(either, [math.inf], 1)
    assert not respects(either, [3])
    assert play(either, (1,), random.Random(1)) in law


def test_games_that_are_played_have_the_law_of_the_views():
    source = random.Random(7)
    adversary = random_adversary(source, [2, 3], TENTH)
    law = view_law(adversary, (1, 0))
    played = Counter(play(adversary, (1, 0), source) for _ in range(4000))
    assert played.keys() <= law.keys()
    for view, mass in law.items():
        expected = 4000 * float(mass)
        assert abs(played[view] - expected) < 5 * math.sqrt(expected) + 1


def test_a_long_game_can_be_played():
    ask = make_planned([leaky_response(3)] * 1000)
    replies = play(ask, [1] * 1000, random.Random(3))
    assert len(replies) == 1000
    assert 650 < sum(replies) < 850


# Moves


def test_neighbours_differ_by_one_record():
    assert are_neighbours((), (1,))
    assert are_neighbours((1, 2, 2), (2, 1))
    assert not are_neighbours((1,), (1,))
    assert not are_neighbours((1,), (2,))
    assert not are_neighbours((1,), (1, 1, 1))


def test_a_move_has_the_privacy_of_its_mechanism_on_its_databases():
    move = Move(((0,), (1,)), make_randomized_response(HALF))
    assert move.delta(1) == HALF
    assert move.delta(3) == 0
    assert move.is_private(3)
    assert not move.is_private(Fraction(29, 10))
    assert move.is_private(2, Fraction(1, 4))
    assert not move.is_private(2, Fraction(24, 100))
    assert Move(((1,), (1, 1)), total).delta(math.inf) == 1
    # One direction may cost more than the other; the order of the databases does not matter.
    rare = Move(((), (0,)), lambda d: {1: TENTH, 0: 1 - TENTH} if d else 0)
    assert rare.delta(math.inf) == TENTH
    assert rare.swapped().delta(math.inf) == TENTH
    assert rare.swapped().reply_law(0) == rare.reply_law(1)
    assert rare.swapped().swapped() == rare


def test_random_adversaries_keep_to_each_guarantee():
    for seed in range(30):
        source = random.Random(seed)
        ratios, deltas = guarantees(source, 3)
        adversary = random_adversary(source, ratios, deltas)
        assert respects(adversary, ratios, deltas)
    # One that is worse than it may be is found out, though only after a rare reply.
    late = make_planned([leaky_response(3, TENTH), leaky_response(5)])

    def sly(replies):
        return late(replies) if replies in {(), ("leaked 1",)} else Move(((), ()), len)

    assert respects(sly, [3, 5], [TENTH, 0])
    assert not respects(sly, [3, 4], [TENTH, 0])
    assert not respects(sly, [3, 5])


# What is known of compositions


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize(("odds", "delta"), [(3, 0), (3, Fraction(1, 100)), (2, Fraction(1, 8))])
def test_leaky_responses_attain_optimal_composition(k, odds, delta):
    ask = make_planned([leaky_response(odds, delta)] * k)
    profile = accounting.optimal(math.log(odds), float(delta), times=k)
    for ratio in RATIOS[:-1]:
        exact = composition_delta(ask, k, ratio)
        assert profile.delta(math.log(ratio)) == pytest.approx(float(exact), rel=1e-9, abs=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_adversaries_who_adapt_never_exceed_the_optimum(part):
    # A hundred draws in each part, a thousand in all; the optimum by views written out.
    tight = 0
    for seed in range(100 * part, 100 * part + 100):
        source = random.Random(seed)
        k = source.choice([1, 2, 2, 3])
        ratios, deltas = guarantees(source, k)
        adversary = random_adversary(source, ratios, deltas, outputs=source.choice([2, 3]))
        prior, other = random_prior(source, k), random_prior(source, k)
        none, every = {(0,) * k: Fraction(1)}, {(1,) * k: Fraction(1)}
        ratio = source.choice(RATIOS[:-1])
        found = hypothesis_delta(adversary, prior, other, ratio)
        most = optimum.delta(prior, other, ratios, deltas, ratio)
        assert found <= most
        tight += found == most > 0
        # Nor are any two priors easier to tell apart than none from all: Theorem 1.
        classic = optimum.delta(none, every, ratios, deltas, ratio)
        assert most <= classic
        assert composition_delta(adversary, k, ratio) <= classic
        # The optimum is that of an adversary.
        worst = make_planned([leaky_response(*pair) for pair in zip(ratios, deltas, strict=True)])
        assert hypothesis_delta(worst, prior, other, ratio) == most
    # Some come as far as that.
    assert tight > 5


ASK = make_planned([leaky_response(3)] * 2)


def test_the_module_can_be_had_under_its_own_name():
    assert experiments.view_law is view_law
