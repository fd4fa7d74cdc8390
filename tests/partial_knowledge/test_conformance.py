"""Every kind of release against its oracle: floats, and what is proved of them in balls.

`tests.certified` asks random questions about many records; here are small ones, with sure and
impossible records, an infinite ε and all sorts of knowledge. `checked` says what must hold: the
truth is between the certified ends, these are close, the float differs by no more than stated, and
is not below the truth where the profile is rounded up.
"""

import math
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pkdp import counting, noise, thresholding
from tests import certified
from tests.certified import Question
from tests.oracles import counts
from tests.oracles import noise as noisy
from tests.oracles import thresholding as thresholded

chances = st.one_of(
    st.sampled_from([0.0, 1.0, 0.5, 0.25, 1e-9, 1 - 1e-9, 5e-324, 1 - 2**-53]),
    st.integers(0, 16).map(lambda i: i / 16),
    st.floats(0, 1, allow_subnormal=False),
)
groups = st.lists(st.tuples(chances, st.integers(0, 3)), max_size=4)
epsilons = st.one_of(
    st.sampled_from([0.0, 1e-60, 1e-12, 1e-6, 1e-3, math.log(2), 1.0, 30.0, math.inf]),
    st.floats(0, 40, allow_subnormal=False),
)
moderate = st.one_of(st.sampled_from([0.0, 1e-22, 1e-6]), st.floats(1e-9, 12))
lams = st.one_of(
    st.sampled_from([0.5, 0.25, 1e-3, 1e-9]), st.floats(1e-9, 0.5, allow_subnormal=False)
)
falls = st.one_of(
    st.sampled_from([1e-12, 0.5]),
    st.floats(0.01, 0.99),
    st.floats(-1.5, 3).map(lambda x: math.exp(-(10**-x))),
)
# ε as a part of the largest loss that noise allows, up to very near it.
parts = st.one_of(
    st.sampled_from([0.0, 1e-9, 1.001]),
    st.floats(0, 0.999),
    st.floats(1, 9).map(lambda x: 1 - 10**-x),
)


def largest(balls):
    with ctx.workprec(counts.PRECISION):
        return reduce(arb.max, balls)


def spelt_out(of):
    """Columns of groups, as the library takes them, and the probability of each record."""
    p, times = zip(*of, strict=True) if of else ((), ())
    return p, times, [Fraction(x) for x, number in of for _ in range(number)]


def a_count(draw):
    p, times, bits = spelt_out(draw(groups))
    eps = draw(epsilons)
    truth = largest(thresholded.log_both(bits, -1, eps))
    return Question(len(bits), counting.exact(p, multiplicities=times), eps, truth)


def with_binomial_noise(draw):
    p, times, bits = spelt_out(draw(groups))
    trials, eps = draw(st.integers(0, 4)), draw(epsilons)
    profile = noise.binomial(np.repeat(p, times), trials=trials)
    truth = largest(thresholded.log_both([*bits, *[Fraction(1, 2)] * trials], -1, eps))
    return Question(len(bits), profile, eps, truth)


def a_thresholded_count(draw):
    p, times, bits = spelt_out(draw(groups))
    T, eps = draw(st.integers(0, len(bits) + 1)), draw(epsilons)
    profile = thresholding.exact(p, threshold=T, multiplicities=times)
    return Question(len(bits), profile, eps, largest(thresholded.log_both(bits, T, eps)))


def without_extremes(draw):
    p, times, bits = spelt_out(draw(groups))
    T, eps = draw(st.integers(0, len(bits) // 2)), draw(epsilons)
    profile = thresholding.two_sided(p, threshold=T, multiplicities=times, symbols=2)
    release = thresholded.release_between(T, 2)
    return Question(len(bits), profile, eps, thresholded.log_delta_of_release(bits, release, eps))


def among_equals(draw):
    """How many others are unknown and known, their probability, a threshold and ε."""
    unknown = draw(st.integers(0, 7))
    known = draw(st.integers(not unknown, 3))
    T = draw(st.integers(0, unknown + known + 1))
    p = draw(st.sampled_from([0.0, 1.0]) | chances)
    return unknown, known, p, T, draw(epsilons)


def likely_sums(known, p):
    return [b for b in range(known + 1) if 0 < p < 1 or b == known * p]


def against_an_active_attacker(draw):
    unknown, known, p, T, eps = among_equals(draw)
    profile = thresholding.active(unknown + known + 1, p, threshold=T, known=known)
    bits = [Fraction(p)] * unknown
    each = (thresholded.log_both(bits, T - b, eps) for b in likely_sums(known, p))
    return Question(unknown, profile, eps, largest(ball for both in each for ball in both))


def against_the_worst_active_attacker(draw):
    unknown, known, p, T, eps = among_equals(draw)
    n = unknown + known + 1
    profile = thresholding.active_worst_case(n, p, threshold=T, known=known)
    if known == 0 and draw(st.booleans()):
        profile = thresholding.worst_case(n, p, threshold=T)
    each = (
        thresholded.log_both([Fraction(p)] * m, T - b, eps)
        for m in range(unknown + 1)
        for b in range(known * (p > 0) + 1)
    )
    return Question(unknown, profile, eps, largest(ball for both in each for ball in both))


def against_a_passive_attacker(draw):
    return passively(draw, thresholding.passive, lambda unknown: [unknown])


def against_the_worst_passive_attacker(draw):
    return passively(draw, thresholding.passive_worst_case, lambda unknown: range(unknown + 1))


def passively(draw, function, numbers):
    """The means over what is seen, in each direction; so many of the unknown records are at p."""
    unknown, known, p, T, eps = among_equals(draw)
    if function is thresholding.passive_worst_case:
        eps = min(eps, 300.0)  # beyond, what is proved of the worst is less sharp
    profile = function(unknown + known + 1, p, threshold=T, known=known)
    seen = counts.count_law([Fraction(p)] * known)
    with ctx.workprec(counts.PRECISION):
        means = [arb(0)]
        for m in numbers(unknown):
            each = [thresholded.log_both([Fraction(p)] * m, T - b, eps) for b in seen]
            for one_way in zip(*each, strict=True):
                terms = zip(seen.values(), one_way, strict=True)
                means.append(sum((counts.ball(mass) * ball.exp() for mass, ball in terms), arb(0)))
        truth = thresholded.log_of(largest(means))
    return Question(unknown, profile, eps, truth)


def a_worst_count(draw):
    unknown, lam, eps = draw(st.integers(1, 10)), draw(lams), draw(epsilons)
    laws = (counts.vertex(unknown, Fraction(lam), m) for m in range(unknown + 1))
    truth = largest(thresholded.log_both(law, -1, eps).up for law in laws)
    return Question(unknown, counting.worst_case(unknown + 3, lam, known=2), eps, truth)


def a_blanket(draw):
    unknown, lam, eps = draw(st.integers(1, 60)), draw(lams), draw(moderate)
    profile = counting.blanket(unknown + 3, lam, known=2)
    return Question(unknown, profile, eps, counts.log_delta_blanket(unknown, lam, eps))


def a_tail(draw):
    unknown, lam, eps = draw(st.integers(1, 60)), draw(lams), draw(moderate)
    profile = counting.tail(unknown + 3, lam, known=2)
    return Question(unknown, profile, eps, counts.log_delta_tail(unknown, lam, eps))


def noise_and_eps(draw):
    """Geometric or Laplace noise, by how much it falls from one integer to the next, and an ε."""
    fall = draw(falls)
    kinds = noise.Geometric(fall), noise.Laplace(-1 / math.log(fall)), noise.Geometric(1 - 1e-6)
    added = draw(st.sampled_from(kinds))
    return added, certified._fall(added), draw(parts) * added.rate


def log_with_noise(laws, added, fall, eps):
    """Ball of the largest ln H(S + 1 || S) of several laws of S, with noise."""
    with ctx.workprec(noisy.COIN_PRECISION):
        masses = [{k: counts.ball(mass) for k, mass in law.items()} for law in laws]
        is_laplace = isinstance(added, noise.Laplace)
        return largest(noisy.log_largest(law, fall, eps, arb(0), is_laplace) for law in masses)


def noise_alone(draw):
    added, fall, eps = noise_and_eps(draw)
    return Question(0, added.profile(), eps, log_with_noise([{0: Fraction(1)}], added, fall, eps))


def a_noisy_count(draw):
    p, times, bits = spelt_out(draw(groups))
    added, fall, eps = noise_and_eps(draw)
    laws = [counts.count_law(either) for either in (bits, [1 - x for x in bits])]
    profile = noise.add(counting.pair(p, multiplicities=times), added).profile()
    return Question(len(bits), profile, eps, log_with_noise(laws, added, fall, eps))


def a_worst_noisy_count(draw):
    unknown, lam = draw(st.integers(0, 6)), draw(lams)
    added, fall, eps = noise_and_eps(draw)
    vertices = (counts.vertex(unknown, Fraction(lam), m) for m in range(unknown + 1))
    laws = [counts.count_law(bits) for bits in vertices]
    profile = noise.worst_case(unknown + 3, lam, noise=added, known=2)
    return Question(unknown, profile, eps, log_with_noise(laws, added, fall, eps))


def a_noisy_blanket(draw):
    unknown, lam = draw(st.integers(0, 60)), draw(lams.filter(lambda lam: lam < 0.5))
    added, fall, eps = noise_and_eps(draw)
    is_laplace = isinstance(added, noise.Laplace)
    truth = arb.neg_inf()
    if eps < added.rate:
        truth = noisy.log_blanket(unknown, lam, fall, eps, unknown, is_laplace)
    return Question(unknown, noise.blanket(unknown + 3, lam, noise=added, known=2), eps, truth)


def check(question, name):
    """As `checked`; of an array of ε and one by one the same; 0 where δ is 0; a small error."""
    profile, eps = question.profile, question.eps
    value = profile.log_delta(eps)
    if not profile.release.is_certifiable:
        assert question.truth.overlaps(arb(value)), name
        return
    certified.checked(question, name)
    assert profile.error <= 1e-11
    assert profile.log_delta(np.array([[0.5], [eps]]))[1, 0] == value
    assert question.truth != arb.neg_inf() or value == -math.inf, name


ALL = settings.default.max_examples
# What profiles say of themselves: their status, whether they are rounded up, and by how much more.
SMALL = {
    a_count: ("exact", False, 0.0),
    with_binomial_noise: ("exact", False, 0.0),
    a_thresholded_count: ("exact", False, 0.0),
    without_extremes: ("exact", False, 0.0),
    against_an_active_attacker: ("exact", False, 0.0),
    against_the_worst_active_attacker: ("exact", True, 0.0),
    against_a_passive_attacker: ("exact", False, 0.0),
    against_the_worst_passive_attacker: ("exact", True, 1e-8),
    a_worst_count: ("exact", True, 1e-8),
    a_blanket: ("upper bound", True, 0.0),
    a_tail: ("upper bound", True, 0.0),
    noise_alone: ("exact", False, 0.0),
    a_noisy_count: ("exact", False, 0.0),
    a_worst_noisy_count: ("exact", True, 1e-4),
    a_noisy_blanket: ("upper bound", True, 0.0),
}


@pytest.mark.parametrize("examples", [10, pytest.param(ALL, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", SMALL)
def test_small_releases_agree_with_their_oracles(kind, examples):
    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def agrees(data):
        question = kind(data.draw)
        check(question, kind.__name__)
        profile = question.profile
        assert (profile.status, profile.rounded_up, profile.gap) == SMALL[kind]

    agrees()


def test_random_releases_of_all_kinds_agree_with_their_oracles():
    answers = list(certified.search(len(certified.KINDS), 3))
    assert len({answer.kind for answer in answers}) == len(certified.KINDS)


# Of the kinds that take longest fewer are asked than 100.
SLOW_KINDS = {
    "noisy_blankets": 20,
    "worst_noise": 25,
    "worst_thresholds": 50,
    "worst_passive": 50,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind.__name__.removeprefix("of_") for kind in certified.KINDS])
def test_many_random_releases_agree_with_their_oracles(kind):
    assert list(certified.search(SLOW_KINDS.get(kind, 100), 5, [kind]))
