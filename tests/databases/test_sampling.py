"""Sampled pairs and product priors: exact fractions, listed outcomes, grids, refused arguments."""

import math
from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkdp import accounting, counting, hypotheses
from pkdp.databases import sampling
from pkdp.databases._sampled_products import listed
from pkdp.profiles import Pair
from pkdp.profiles.binomials import binomial_masses
from pkdp.profiles.laws import Finite
from tests.fuzz import large
from tests.oracles import hypotheses as oracle

F = Fraction
HALF = F(1, 2)
RATIOS = [F(1), F(9, 8), F(3, 2), F(2), F(5), F(40)]


def finite(law):
    """A law on 0, 1, … as the library's."""
    return Finite(0, [float(p) for p in law])


def as_law(masses):
    return {y: p for y, p in enumerate(masses) if p}


def random_laws(draws, outputs):
    """Two laws in fractions, of which either may exclude what the other allows."""
    weights = [[draws.choice([0, 1, 1, 2, 5]) for _ in range(outputs)] for _ in range(2)]
    for row in weights:
        row[draws.randrange(outputs)] += 1
    return [[F(w, sum(row)) for w in row] for row in weights]


def mixed(p, q, rate):
    return [rate * a + (1 - rate) * b for a, b in zip(p, q, strict=True)]


def reply(ratio, delta):
    return sampling.randomized_response(math.log(ratio), delta)


def not_none(rates):
    """The product prior given that one bit is 1."""
    prior = oracle.independent(rates)
    return oracle.normalized({bits: w for bits, w in prior.items() if any(bits)})


def none(k):
    return {(0,) * k: F(1)}


def random_rates(draws, k):
    rates = [draws.choice([F(0), F(1, 10), F(1, 3), HALF, F(9, 10), F(1)]) for _ in range(k)]
    return rates if any(rates) else [HALF] * k


def exact_by_counts(k, rate, ratio, delta, a):
    """Both directions for k equal replies, by how often each reply comes, in fractions."""
    q = [delta, (1 - delta) * ratio / (1 + ratio), (1 - delta) / (1 + ratio)]  # leaked 0, no, yes
    p = mixed([F(0), q[2], q[1]], q, rate)
    q_none = (1 - rate) ** k
    # One leaked 1 or more: only the prior can give it.
    there, back = (1 - (1 - delta * rate) ** k) / (1 - q_none), F(0)
    for leaked in range(k + 1):
        for no in range(k - leaked + 1):
            counts = (leaked, no, k - leaked - no)
            ways = math.comb(k, leaked) * math.comb(k - leaked, no)
            mass_q = ways * math.prod(x**n for x, n in zip(q, counts, strict=True))
            mass_p = ways * math.prod(x**n for x, n in zip(p, counts, strict=True))
            mass_p = (mass_p - q_none * mass_q) / (1 - q_none)
            there += max(F(0), mass_p - a * mass_q)
            back += max(F(0), mass_q - a * mass_p)
    return there, back


# --------------------------------------------------------------------------------------------
# One pair
# --------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(st.randoms(use_true_random=False), st.sampled_from([F(0), F(1, 20), HALF, F(9, 10), F(1)]))
def test_a_sampled_pair_is_the_mixture(draws, rate):
    p, q = random_laws(draws, 4)
    sample = mixed(p, q, rate)
    pair = sampling.sampled(Pair(finite(p), finite(q)), rate)
    there, back = pair, pair.reversed()
    masses = pair.log_masses()
    assert np.exp(masses.log_p).sum() == pytest.approx(1.0)
    for a in RATIOS:
        eps = math.log(a)
        for way, one, other in ((there, sample, q), (back, q, sample)):
            exact = float(oracle.hockey_stick(as_law(one), as_law(other), a))
            assert math.exp(way.log_hockey_stick(eps)) == pytest.approx(exact, abs=1e-14)
    for way, one, other in ((there, sample, q), (back, q, sample)):
        alone = float(sum(x for x, y in zip(one, other, strict=True) if not y))
        assert math.exp(way.log_hockey_stick(math.inf)) == pytest.approx(alone, abs=1e-14)
    assert pair.reversed().reversed() == pair
    assert pair.profile().status == "exact"


def test_what_is_proved_of_a_pair_is_not_taken_for_its_sample():
    with pytest.raises(ValueError, match="enclosure"):
        sampling.sampled(counting.pair([0.5] * 9), 0.5).profile().certified()


def test_amplification_is_the_best_possible_and_holds_in_the_other_direction_too():
    for ratio, delta, rate in product([F(2), F(9)], [F(0), F(1, 50)], [F(1, 10), HALF, F(1)]):
        p, q = (
            [oracle.reply(b, ratio, delta).get(y, F(0)) for y in ("leaked 0", 0, 1, "leaked 1")]
            for b in (1, 0)
        )
        sample = mixed(p, q, rate)
        a = 1 + rate * (ratio - 1)
        assert oracle.hockey_stick(as_law(sample), as_law(q), a) == rate * delta
        assert oracle.hockey_stick(as_law(q), as_law(sample), a) <= rate * delta
        eps, leak = sampling.amplified(math.log(ratio), float(delta), float(rate))
        assert math.exp(eps) == pytest.approx(float(a), rel=1e-14)
        assert leak == pytest.approx(float(rate * delta))
    assert sampling.amplified(3.0, 0.1, 0.0) == (0.0, 0.0)


# --------------------------------------------------------------------------------------------
# Product priors
# --------------------------------------------------------------------------------------------


def test_the_identity_in_fractions_for_any_pairs():
    """Both directions, 300 products of any finite laws, by enumeration."""
    draws = Random(11)
    for _ in range(300):
        k = draws.randint(1, 3)
        rates = random_rates(draws, k)
        pairs = [random_laws(draws, 3) for _ in range(k)]

        def view(bits, pairs=pairs):
            laws = [p if bit else q for bit, (p, q) in zip(bits, pairs, strict=True)]
            return {
                y: math.prod((law[x] for law, x in zip(laws, y, strict=True)), start=F(1))
                for y in product(range(3), repeat=len(laws))
            }

        q0 = math.prod((1 - r for r in rates), start=F(1))
        of_none = view((0,) * k)
        of_some = oracle.mixture((w, view(bits)) for bits, w in not_none(rates).items())
        of_sample = oracle.mixture((w, view(b)) for b, w in oracle.independent(rates).items())
        a = draws.choice(RATIOS)
        s = q0 + a * (1 - q0)
        t = a / (1 - q0 + a * q0)
        stick = oracle.hockey_stick
        assert (1 - q0) * stick(of_some, of_none, a) == stick(of_sample, of_none, s)
        factor = 1 + a * q0 / (1 - q0) if q0 < 1 else None
        assert stick(of_none, of_some, a) == factor * stick(of_none, of_sample, t)


def test_unequal_replies_and_rates_against_enumeration():
    draws = Random(5)
    for _ in range(60):
        k = draws.randint(1, 4)
        rates = random_rates(draws, k)
        ratios, deltas = zip(*oracle.guarantees(draws, k), strict=True)
        pairs = [reply(r, d) for r, d in zip(ratios, deltas, strict=True)]
        bounds = sampling.by_sampling(pairs, [float(r) for r in rates])
        for a in draws.sample(RATIOS, 3):
            exact = float(oracle.delta(not_none(rates), none(k), ratios, deltas, a))
            lower, upper = bounds.delta(math.log(a))
            assert lower <= exact * (1 + 1e-15)
            assert exact <= upper * (1 + 1e-15)
            assert upper - lower <= 1e-9


def test_deep_tails_keep_their_digits():
    """Without leaks δ falls to 0 at a finite ε: just before it is far below the rounding of 1."""
    ratio = F(3, 2)
    bounds = sampling.by_sampling([reply(ratio, 0)], 0.5, [60])
    end = (F(5, 2) ** 60 - 1) / (F(2) ** 60 - 1)
    for a in (end / 2, end / 5):
        exact = max(exact_by_counts(60, HALF, ratio, F(0), a))
        assert exact < F(1, 10**9)
        lower, upper = bounds.lower, bounds.upper
        log_exact = math.log(exact.numerator) - math.log(exact.denominator)
        eps = math.log(a)
        assert lower.log_delta(eps) <= log_exact <= upper.log_delta(eps)
        assert upper.log_delta(eps) == pytest.approx(log_exact, rel=1e-8)
    assert bounds.upper.epsilon(0.0) == pytest.approx(math.log(end), rel=1e-9)


def test_the_slack_of_a_list_covers_how_its_losses_are_rounded():
    # Losses of 2000 equal replies are multiples of ε; rounding moves them by 1e-10.
    masses = sampling.randomized_response(650.3, 0.0).log_masses(-math.inf)
    once = Fraction(float(np.abs(masses.log_p - masses.log_q).max()))
    for one in listed([masses], [1.0], [2000]):
        losses = [Fraction(float(loss)) for loss in one.losses]
        assert max(abs(loss - once * round(loss / once)) for loss in losses) <= one.hair < 1e-8


def test_an_upper_bound_is_no_more_than_certainty():
    # The replies name those who are in: δ is 1 at every ε, and rounding up must not exceed that.
    named = Pair(Finite(0, (1.0,)), Finite(1, (1.0,)))
    upper = sampling.by_sampling([named], 0.5, [3]).upper
    assert [upper.log_delta(eps) for eps in (0.0, 1.0, 50.0)] == [0.0] * 3


def test_a_grid_holds_what_is_listed():
    pair = sampling.randomized_response(0.3, 1e-6)
    listed_bounds = sampling.by_sampling([pair], 0.3, [25])
    grid = sampling.by_sampling([pair], 0.3, [25], step=1e-4)
    for eps in (0.0, 0.3, 1.0, 2.0):
        low, high = grid.delta(eps)
        lower, upper = listed_bounds.delta(eps)
        assert low <= lower <= upper <= high
        assert high == pytest.approx(upper, rel=1e-3)


def test_laws_with_many_outcomes_take_a_grid():
    pair, rate = counting.pair([0.3] * 12), 0.4
    bounds = sampling.by_sampling([pair, pair], [rate, 0.0], [2, 1])
    other = sampling.by_sampling([pair], rate, [2], step=1e-4)
    assert other.delta(0.5)[0] <= bounds.delta(0.5)[0] <= bounds.delta(0.5)[1]
    assert bounds.delta(0.5)[1] <= other.delta(0.5)[1] * (1 + 1e-9)
    big = counting.pair([0.3] * 500)
    lower, upper = sampling.by_sampling([big], 0.5, [20]).delta(0.1)
    assert 0.0 < lower < upper < 1.03 * lower


@pytest.mark.slow
def test_what_is_left_out_is_counted():
    """Of ten thousand replies the rarest combinations are not listed, but add to an upper bound."""
    masses = sampling.randomized_response(0.01, 1e-3).log_masses()
    there, back = listed([masses], [0.5], [10_000])
    for side in (there, back):
        assert -1400 < side.log_left_out < -100
        total = np.logaddexp.reduce([*side.log_p, side.log_alone, side.log_left_out])
        assert total == pytest.approx(0.0, abs=1e-9)


def test_ten_thousand_databases():
    bounds = sampling.by_sampling([sampling.randomized_response(0.01, 1e-12)], 0.5, [10**4])
    lower, upper = bounds.epsilon(1e-6)
    assert lower <= upper <= lower * (1 + 1e-9)
    assert upper < accounting.optimal(0.01, 1e-12, times=10**4).epsilon(1e-6)


def test_small_priors_at_large_epsilon_stay_bounds():
    """There the factor of the second identity is huge, and errors with it."""
    exact = exact_by_counts(2, F(1, 3), F(9), F(1, 5), F(10**6))
    for step in (None, 1e-3):
        bounds = sampling.by_sampling([reply(F(9), F(1, 5))], F(1, 3), [2], step=step)
        lower, upper = bounds.delta(math.log(10**6))
        assert lower <= float(max(exact)) <= upper
        lower, upper = bounds.delta(math.inf)
        assert lower <= upper <= 1.0


@pytest.mark.parametrize(
    ("k", "eps", "target", "truth"),
    [
        (20_400, 0.5, 1e-6, 799.758335970560),
        (20_500, 0.5, 1e-6, 803.265214317596),
        (300_000, 0.5, 1e-6, 9928.84379127025),
        (100, 20.0, 1e-3, 1230.555642177535),
        (3, 650.0, 1e-9, 1948.054089843971),
    ],
)
def test_an_epsilon_beyond_eight_hundred(k, eps, target, truth):
    assert large.sampled_answers(k, eps, target) == pytest.approx(truth, rel=1e-11)
    lower, upper = sampling.by_sampling([sampling.randomized_response(eps)], 0.5, [k]).epsilon(
        target
    )
    assert truth * (1 - 1e-11) <= lower <= truth * (1 + 1e-11)
    assert truth * (1 - 1e-11) <= upper <= truth * (1 + 1e-11)


@pytest.mark.parametrize("ratio", [F(10**7), F(10**13), F(10**17), F(10**300)])
@pytest.mark.parametrize("rate", [HALF, F(1, 10**9), F(999, 1000)])
@pytest.mark.parametrize("delta", [F(0), F(1, 10**9), F(1, 4)])
def test_both_directions_at_a_large_epsilon_in_fractions(ratio, rate, delta):
    for k in (1, 2, 5):
        bounds = sampling.by_sampling([reply(ratio, delta)], float(rate), [k])
        for a in (F(2), ratio / 3, ratio * F(9, 10), ratio * 2 ** (k - 1), ratio**k / 10):
            eps = float(math.log(a.numerator) - math.log(a.denominator))
            exact = max(exact_by_counts(k, F(float(rate)), ratio, F(float(delta)), a))
            log_exact = -math.inf
            if exact > 0:
                log_exact = math.log(exact.numerator) - math.log(exact.denominator)
            assert bounds.lower.log_delta(eps) <= log_exact <= bounds.upper.log_delta(eps)
            # Next to a loss the curve is as steep as its rounding.
            assert bounds.upper.log_delta(eps * (1 + 1e-10)) <= log_exact + 1e-8
            assert bounds.lower.log_delta(eps * (1 - 1e-10)) >= log_exact - 1e-8


def test_a_grid_at_a_large_epsilon_is_no_worse_than_composition():
    bounds = sampling.by_sampling([sampling.randomized_response(30.0)], 0.5, [5], step=1e-2)
    lower, upper = bounds.epsilon(1e-3)
    assert lower <= large.sampled_answers(5, 30.0, 1e-3) <= upper <= 150.0
    many = [sampling.randomized_response(30.0 + 0.01 * i, 1e-9) for i in range(30)]
    lower, upper = sampling.by_sampling(many, 0.5).epsilon(1e-3)
    assert lower <= upper <= 1.0001 * sum(30.0 + 0.01 * i for i in range(30))


# --------------------------------------------------------------------------------------------
# Averages, and six bounds
# --------------------------------------------------------------------------------------------


@given(st.randoms(use_true_random=False))
def test_averages_are_guarantees_in_both_directions(draws):
    """Any prior against none, by the simple composition of the ones of each vector."""
    k = draws.randint(1, 3)
    prior = oracle.random_prior(draws, k)
    ratios, deltas = zip(*oracle.guarantees(draws, k), strict=True)
    parts = [
        (
            w,
            math.prod((r for b, r in zip(bits, ratios, strict=True) if b), start=F(1)),
            min(F(1), sum((d for b, d in zip(bits, deltas, strict=True) if b), F(0))),
        )
        for bits, w in prior.items()
    ]
    there, back = sampling.averaged(
        [float(w) for w, _, _ in parts],
        [math.log(r) for _, r, _ in parts],
        [float(d) for _, _, d in parts],
    )
    up = sum(w * r for w, r, _ in parts)
    down = 1 / sum(w / r for w, r, _ in parts)
    assert math.exp(there.eps) == pytest.approx(float(up))
    assert math.exp(back.eps) == pytest.approx(float(down))
    assert back.eps <= there.eps + 1e-12
    leak_up = sum(w * d for w, _, d in parts)
    leak_down = down * sum(w * d / r for w, r, d in parts)
    assert there.delta == pytest.approx(float(leak_up))
    assert back.delta == pytest.approx(float(leak_down))
    assert oracle.one_way(prior, none(k), ratios, deltas, up) <= leak_up
    assert oracle.one_way(none(k), prior, ratios, deltas, down) <= leak_down


def test_an_average_of_what_is_not_private():
    assert sampling.averaged([1.0], [math.inf], 0.5) == ((math.inf, 0.5), (math.inf, 0.5))
    there, back = sampling.averaged([0.5, 0.5, 0.0], [math.inf, 0.0, 3.0], [0.5, 0.1, 1.0])
    assert there == (math.inf, pytest.approx(0.3))
    assert back == (pytest.approx(math.log(2.0)), pytest.approx(0.1))


@pytest.mark.parametrize("rates", [[HALF] * 4, [F(1, 3), F(0), F(1)], [F(1, 5), F(2, 3)]])
def test_the_first_database_that_holds_the_record(rates):
    prior = not_none(rates)
    exact = [
        sum((w for bits, w in prior.items() if bits.index(1) == i), F(0)) for i in range(len(rates))
    ]
    got = sampling.by_first([float(r) for r in rates])
    assert got == pytest.approx([float(w) for w in exact])


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_the_uniform_prior_in_closed_form(k):
    for ratio, delta in product([F(3, 2), F(7)], [F(0), F(1, 20)]):
        prior = not_none([HALF] * k)
        eps, leak = sampling.uniform(k, math.log(ratio), float(delta))
        exact = ((1 + ratio) ** k - 1) / (2**k - 1)
        assert math.exp(eps) == pytest.approx(float(exact))
        least = oracle.delta(prior, none(k), [ratio] * k, [delta] * k, exact)
        assert least == 1 - ((2 - delta) ** k - 1) / (2**k - 1)
        assert float(least) <= leak + 1e-15
        if not delta:
            assert oracle.least_ratio(prior, none(k), [ratio] * k) == exact


@pytest.mark.parametrize(
    ("k", "eps", "exact"),
    [
        (1, 20.0, 19.998999499664375),
        (3, 40.0, 118.047065236),
        pytest.param(1000, 30.0, 15775.796703275, marks=pytest.mark.slow),
    ],
)
def test_the_exact_bound_is_the_least_at_a_large_epsilon(k, eps, exact):
    found = sampling.bounds(k, eps, 0.0, target=1e-3)
    assert found.exact == pytest.approx(exact, rel=1e-11)
    least = hypotheses.exchangeable(
        hypotheses.given_number(binomial_masses(k, 0.5), least=1),
        hypotheses.given_number(binomial_masses(k, 0.5), most=0),
        eps,
    )
    assert found.exact == pytest.approx(least.profile().epsilon(1e-3), rel=1e-11)
    assert found.exact <= min(found.theorem_3, found.corollary_7, found.optimal) * (1 + 1e-11)


@pytest.mark.parametrize(
    ("k", "eps", "delta"),
    [(1, 0.5, 0.0), (30, 2.0, 1e-9), pytest.param(5000, 0.1, 1e-6, marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("target", [1e-300, 1e-6, 0.1, 1.0])
def test_the_terms_of_theorem_3_are_optimal_compositions(k, eps, delta, target):
    once, terms = sampling.amplified(eps, delta, 0.5), min(k, 40)
    weights = [2.0**-i for i in range(1, terms + 1)]
    weights[-1] *= 2.0
    if terms == k:
        weights = [2.0 ** (k - i) / (2.0**k - 1) for i in range(1, k + 1)]
    each = [
        accounting.heterogeneous(
            [eps] + [once.eps] * later, [delta] + [once.delta] * later
        ).upper.epsilon(target)
        for later in range(k - 1, k - 1 - terms, -1)
    ]
    expected = sampling.averaged(weights, each, target)[0].eps
    assert sampling.bounds(k, eps, delta, target=target).theorem_3 == pytest.approx(
        expected, rel=1e-11
    )


def test_no_bound_below_the_leaks():
    assert set(sampling.bounds(10, 0.1, 0.2, target=1e-3)) == {math.inf}
    assert sampling.bounds(3, 0.0, 0.0, target=0.5).exact == 0.0


# --------------------------------------------------------------------------------------------
# What is refused
# --------------------------------------------------------------------------------------------

PAIR = sampling.randomized_response(0.1)


@pytest.mark.parametrize("rate", [1e-17, 1e-15, 1e-13, 1e-9, 1e-6])
@pytest.mark.parametrize(("eps", "delta"), [(1e-12, 1e-300), (1e-9, 0.0), (0.1, 0.0), (5.0, 1e-9)])
def test_the_upper_bound_of_one_rarely_sampled_reply_is_not_below_it(eps, delta, rate):
    # Somebody is in the only database, or not. The losses of the sample are lost in rounding.
    reply = sampling.randomized_response(eps, delta)
    found, truth = sampling.by_sampling([reply], rate), reply.profile()
    for at in (0.0, 0.5 * eps, 0.99 * eps, 2.0 * eps):
        assert found.lower.log_delta(at) <= truth.log_delta(at) <= found.upper.log_delta(at)


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_a_step_may_be_of_few_digits(kind):
    # Compared with the end of its range it overflowed, with a warning.
    found = sampling.by_sampling([PAIR], 0.5, step=kind(0.25))
    assert found == sampling.by_sampling([PAIR], 0.5, step=0.25)
