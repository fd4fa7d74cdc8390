"""Every kind of release against its oracle: floats, and what is proved of them in balls.

`tests.certified` asks random questions about many records; here are small ones, with sure and
impossible records, an infinite ε and all sorts of knowledge. Of two laws each direction is compared
with fractions, and the ε from which δ stays as it is. `checked` says what must hold: the
truth is between the certified ends, these are close, the float differs by no more than stated, and
is not below the truth where the profile is rounded up.
"""

import functools
import math
from fractions import Fraction
from itertools import product
from typing import get_args

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pkdp import counting, daily_profiles, noise, published, releases, thresholding
from pkdp.certified import enclose
from pkdp.engines import log_delta
from pkdp.noiseless import sums
from pkdp.partial_knowledge import dependent_counts, rounding
from pkdp.profiles import Pair, closed_forms
from pkdp.profiles.additive_noise import LaplacePair, NoisyPair
from pkdp.profiles.laws import Finite, PoissonBinomial
from pkdp.profiles.pairs import AnyPair
from pkdp.profiles.rounded_counts import RoundedPair, Rounding
from pkdp.profiles.thresholds import ThresholdedPair
from tests import certified
from tests.certified import Question
from tests.noiseless.test_sums import as_blocks, convolve
from tests.oracles import closed_forms as forms
from tests.oracles import counts
from tests.oracles import noise as noisy
from tests.oracles import thresholding as thresholded
from tests.profiles.test_plateaus import check_end

chances = st.one_of(
    st.sampled_from([0.0, 1.0, 0.5, 0.25, 1e-9, 1 - 1e-9, 5e-324, 1 - 2**-53]),
    st.integers(0, 16).map(lambda i: i / 16),
    st.floats(0, 1, allow_subnormal=False),
)
groups = st.lists(st.tuples(chances, st.integers(0, 3)), max_size=4)
epsilons = st.one_of(
    st.sampled_from(
        [0.0, 5e-324, 1e-60, 1e-16, 1e-6, 1e-3, math.log(2), 1.0, 30.0, 745.0, math.inf]
    ),
    st.floats(0, 40, allow_subnormal=False),
)
tame_epsilons = st.sampled_from([0.0, math.inf]) | st.floats(0, 3) | st.floats(3, 60)
moderate = st.one_of(st.sampled_from([0.0, 1e-22, 1e-6]), st.floats(1e-9, 12))
lams = st.one_of(
    st.sampled_from([0.5, 0.25, 1e-3, 1e-9]), st.floats(1e-9, 0.5, allow_subnormal=False)
)
tolerances = st.sampled_from([1e-8, 1e-8, 1e-4, 1.0])
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
        return functools.reduce(arb.max, balls)


def spelt_out(of):
    """Columns of groups, as the library takes them, and the probability of each record."""
    p, times = zip(*of, strict=True) if of else ((), ())
    return p, times, [Fraction(x) for x, number in of for _ in range(number)]


def is_right_nearby(value, log_delta_at, eps):
    """Whether a float is on a curve within 1e-11, at an ε within 1e-12 of the one asked for."""
    aside = 1e-12 * max(1.0, eps) if eps < math.inf else 0.0
    ends = [float(log_delta_at(x)) for x in (eps + aside, max(0.0, eps - aside))]
    low, high = (1e-11 * max(1.0, -x) if x > -math.inf else 0.0 for x in ends)
    return ends[0] - low <= value <= ends[1] + high


def of_laws(profile, one, other, eps):
    """A question of two laws in fractions: each direction is looked at, and where δ stays."""

    def directions(x):
        return [thresholded.log_hockey_stick(*laws, x) for laws in ((one, other), (other, one))]

    pair = profile.release
    if isinstance(pair, AnyPair):
        for (i, way), at in product(enumerate((pair, pair.reversed())), {0.0, eps, math.inf}):
            found = way.log_hockey_stick(at)
            assert is_right_nearby(found, lambda x, i=i: directions(x)[i], at)
    laws = [{k: mass for k, mass in law.items() if mass} for law in (one, other)]
    if profile.release.has_ending and min(min(law.values()) for law in laws) > 1e-6:
        check_end(profile, *laws)
    question = Question(len(one), profile, eps, largest(directions(eps)))
    if profile.release.is_certifiable:
        certified.checked(question._replace(eps=math.inf, truth=largest(directions(math.inf))), "∞")
    return question


def of_counts(draw, profile, bits, release):
    laws = thresholded.released_laws(bits, 0, len(bits) + 1, release)
    return of_laws(profile, *laws, draw(epsilons))


def a_count(draw):
    p, times, bits = spelt_out(draw(groups))
    return of_counts(
        draw, counting.exact(p, multiplicities=times), bits, thresholded.release_above(-1)
    )


def with_binomial_noise(draw):
    p, times, bits = spelt_out(draw(groups))
    trials = draw(st.integers(0, 4))
    profile = noise.binomial(np.repeat(p, times), trials=trials)
    bits += [Fraction(1, 2)] * trials
    return of_counts(draw, profile, bits, thresholded.release_above(-1))


def a_thresholded_count(draw):
    p, times, bits = spelt_out(draw(groups))
    T = draw(st.integers(0, len(bits) + 1))
    profile = thresholding.exact(p, threshold=T, multiplicities=times)
    return of_counts(draw, profile, bits, thresholded.release_above(T))


def without_extremes(draw):
    p, times, bits = spelt_out([*draw(groups), (1.0, draw(st.integers(0, 2)))])
    T, symbols = draw(st.integers(0, len(bits) // 2)), draw(st.integers(1, 2))
    profile = thresholding.two_sided(p, threshold=T, multiplicities=times, symbols=symbols)
    return of_counts(draw, profile, bits, thresholded.release_between(T, symbols))


def a_finite_law(draw):
    """Masses with gaps, some of them small, and the same in fractions."""
    some = [0, *draw(st.sampled_from([(1, 2**20), (2**35, 2**37)])), 2**36]
    parts = draw(st.lists(st.sampled_from(some), max_size=6))
    exact = {k: Fraction(x, 2**40) for k, x in enumerate([*parts, 2**40 - sum(parts)]) if x}
    return Finite.from_dict(exact), exact


def a_law(draw):
    if draw(st.booleans()):
        return a_finite_law(draw)
    p = draw(st.lists(chances, max_size=6))
    return PoissonBinomial(p), counts.count_law([Fraction(x) for x in p])


def a_sum_of_blocks(draw):
    weights = st.dictionaries(st.integers(0, 8), st.sampled_from([1, 2, 50, 10**9]), min_size=1)
    blocks = draw(st.lists(st.tuples(weights, st.integers(1, 2)), min_size=1, max_size=3))
    by, whole = draw(st.sampled_from([1, 2, -3])), convolve(blocks)
    law = {k: Fraction(weight, sum(whole.values())) for k, weight in whole.items()}
    profile = sums.pair(as_blocks(blocks), by).profile()
    return of_laws(profile, {k + by: mass for k, mass in law.items()}, law, draw(tame_epsilons))


def a_rounding(draw):
    return Rounding(draw(st.integers(1, 7)), draw(st.sampled_from([0, 0, 1, 2, 6])))


def rounded(how, ones):
    """As `thresholded.release_above`: what is published of counts, with so many known 1s."""
    return lambda count, _n: how.published(count + ones)


def a_rounded_count(draw):
    p, times, bits = spelt_out(draw(groups))
    how, ones = a_rounding(draw), draw(st.integers(0, 6))
    profile = rounding.exact(
        p, base=how.base, suppressed=how.suppressed, ones=ones, multiplicities=times
    )
    return of_counts(draw, profile, bits, rounded(how, ones))


def a_worst_rounded_count(draw):
    unknown, known, lam = draw(st.integers(0, 6)), draw(st.integers(0, 4)), draw(lams)
    how, eps = a_rounding(draw), draw(st.sampled_from([0.0, math.inf]) | st.floats(0, 40))
    profile = rounding.worst_case(
        max(unknown + known + 1, 2), lam, base=how.base, suppressed=how.suppressed, known=known
    )
    unknown, found = profile.release.unknown, []
    for m, ones in product(range(unknown + 1), range(known + 1)):
        bits = counts.vertex(unknown, Fraction(lam), m)
        laws = thresholded.released_laws(bits, 0, unknown + 1, rounded(how, ones))
        found += [thresholded.log_hockey_stick(*way, eps) for way in (laws, laws[::-1])]
    return Question(unknown, profile, eps, largest(found))


def two_laws(draw):
    """Any two, or a law and itself, moved by different steps."""
    law, exact = a_law(draw)
    other, other_exact = a_law(draw) if draw(st.booleans()) else (law, exact)
    by, other_by = (draw(st.sampled_from([0, 1, -3, 10**6])) for _ in range(2))
    laws = ({k + x: p for k, p in law.items()} for law, x in ((exact, by), (other_exact, other_by)))
    profile = Pair(law.shift(by), other.shift(other_by)).profile()
    return of_laws(profile, *laws, draw(tame_epsilons))


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
    function = functools.partial(thresholding.passive_worst_case, tol=draw(tolerances))
    return passively(draw, function, lambda unknown: range(unknown + 1))


def passively(draw, function, numbers):
    """The means over what is seen, in each direction; so many of the unknown records are at p."""
    unknown, known, p, T, eps = among_equals(draw)
    if function is not thresholding.passive:
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
    profile = counting.worst_case(unknown + 3, lam, known=2, tol=draw(tolerances))
    return Question(unknown, profile, eps, truth)


def a_blanket(draw):
    unknown, lam, eps = draw(st.integers(1, 60)), draw(lams), draw(moderate)
    profile = counting.blanket(unknown + 3, lam, known=2)
    return Question(unknown, profile, eps, counts.log_delta_blanket(unknown, lam, eps))


def a_tail(draw):
    unknown, lam, eps = draw(st.integers(1, 60)), draw(lams), draw(moderate)
    profile = counting.tail(unknown + 3, lam, known=2)
    return Question(unknown, profile, eps, counts.log_delta_tail(unknown, lam, eps))


def a_closed_form(draw):
    unknown, lam, eps = draw(st.integers(1, 10**10 - 1)), draw(lams), draw(epsilons)
    categories = draw(st.integers(2, 3))
    lam = min(lam, 0.33)
    rates = [Fraction(closed_forms.BLANKET_RATE)]
    if categories == 2:
        rates.append(Fraction(closed_forms.TWO_CATEGORIES_RATE) * (1 - Fraction(lam)))
    truth = -(Fraction(min(eps, 1.0)) ** 2) * Fraction(lam) * unknown * max(rates)
    profile = counting.closed_form(unknown + 1, lam, categories=categories)
    with ctx.workprec(counts.PRECISION):
        return Question(unknown, profile, eps, counts.ball(truth))


def a_form_by_entropies(draw):
    unknown, lam = draw(st.integers(1, 60)), min(draw(lams), 0.33)
    categories, bessel = draw(st.integers(2, 3)), draw(st.booleans())
    eps = draw(st.just(0.0) | st.floats(1e-6, 12))
    profile = counting.kl_form(unknown + 1, lam, categories=categories, bessel=bessel)
    truth = forms.log_kl_form(unknown, lam, eps, categories, bessel)
    return Question(unknown, profile, eps, truth)


def a_normal_approximation(draw):
    sizes, eps = draw(st.lists(st.integers(1, 300), min_size=1, max_size=3)), draw(moderate)
    likely = [draw(st.floats(0.01, 0.99)) for _ in sizes]
    truth = forms.log_berry_esseen([*map(counts.Group, sizes, likely)], eps)
    return Question(sum(sizes), counting.berry_esseen(likely, multiplicities=sizes), eps, truth)


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
    tol = draw(st.sampled_from([1e-2, 1e-4, 1e-6]))
    profile = noise.worst_case(unknown + 3, lam, noise=added, known=2, tol=tol)
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
        assert is_right_nearby(value, lambda _: question.truth, eps), name
        return
    certified.checked(question, name)
    assert profile.error <= 1e-11
    assert profile.log_delta(np.array([[0.5], [eps]]))[1, 0] == value
    assert question.truth != arb.neg_inf() or value == -math.inf, name


ALL = settings.default.max_examples
# Their release, unless it is a simpler one; the status of their profile, and whether it is rounded
# up. It is by more where a maximum is searched.
SMALL = {
    a_count: (Pair, "exact", False),
    with_binomial_noise: (Pair, "exact", False),
    a_thresholded_count: (ThresholdedPair, "exact", False),
    without_extremes: (releases.TwoSided, "exact", False),
    a_rounded_count: (RoundedPair, "exact", False),
    a_worst_rounded_count: (releases.WorstRounded, "exact", True),
    two_laws: (Pair, "exact", False),
    a_sum_of_blocks: (Pair, "exact", False),
    against_an_active_attacker: (ThresholdedPair, "exact", False),
    against_the_worst_active_attacker: (releases.WorstThreshold, "exact", True),
    against_a_passive_attacker: (releases.Passive, "exact", False),
    against_the_worst_passive_attacker: (releases.WorstPassive, "exact", True),
    a_worst_count: (releases.WorstCount, "exact", True),
    a_blanket: (releases.Blanket, "upper bound", True),
    a_tail: (releases.BlanketTail, "upper bound", True),
    a_closed_form: (releases.ClosedForm, "upper bound", True),
    a_form_by_entropies: (releases.EntropyForm, "upper bound", True),
    a_normal_approximation: (releases.BerryEsseen, "upper bound", True),
    noise_alone: (noise.Noise, "exact", False),
    a_noisy_count: (NoisyPair | LaplacePair, "exact", False),
    a_worst_noisy_count: (releases.WorstNoisyCount, "exact", True),
    a_noisy_blanket: (releases.NoisyBlanket, "upper bound", True),
}


CHEAP = two_laws, a_thresholded_count, without_extremes, against_the_worst_active_attacker


@pytest.mark.parametrize("examples", [20, pytest.param(ALL, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", SMALL)
def test_small_releases_agree_with_their_oracles(kind, examples):
    release, *promised = SMALL[kind]
    seen = set()

    @settings(
        max_examples=examples * (5 if kind in CHEAP else 1),
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def agrees(data):
        question = kind(data.draw)
        check(question, kind.__name__)
        profile = question.profile
        seen.add(isinstance(profile.release, release))
        gap = getattr(profile.release, "tol", 0.0)
        assert [profile.status, profile.rounded_up, gap] == [*promised, profile.gap]

    agrees()
    assert True in seen


@settings(max_examples=20)
@given(st.data())
def test_noise_on_any_two_laws_agrees_with_oracles(data):
    laws = [a_finite_law(data.draw)[1] for _ in range(2)]
    by, eps = data.draw(st.integers(-3, 3)), data.draw(st.sampled_from([0.0, 0.1, 0.7, 2.0, 10.0]))
    laws[0] = {k + by: mass for k, mass in laws[0].items()}
    kinds = map(noise.Geometric, (1e-150, 0.1, 0.6, 0.999)), map(noise.Laplace, (0.01, 0.5, 3.0))
    added = data.draw(st.sampled_from([added for kind in kinds for added in kind]))
    pair = noise.add(Pair(*map(Finite.from_dict, laws)), added)
    for way, both in ((pair, laws), (pair.reversed(), laws[::-1])):
        if isinstance(added, noise.Laplace):
            truth = noisy.laplace_hockey_stick(*both, added.scale, math.exp(eps))
        else:
            truth = noisy.noisy_hockey_stick(*both, Fraction(added.p), noisy.rational_exp(eps))
        # Where masses cancel, what is left has the rounding of both.
        found = math.exp(way.log_hockey_stick(eps))
        assert found == pytest.approx(float(truth), rel=1e-9, abs=1e-13)


def test_every_release_that_engines_answer_for_is_among_them():
    kinds = {one for release, *_ in SMALL.values() for one in get_args(release) or [release]}
    assert {*log_delta.registry, *enclose.registry} - {object} <= kinds


CHAIN, SECRETS = daily_profiles.MarkovChain(0.5, 0.25, 0.75), {"a": (1, 1), "b": (0, 1)}
# What is published of n records, some of them known, in the worst case over the others.
OF_LAM = [
    *(counting.worst_case, counting.blanket, counting.tail, counting.closed_form, counting.kl_form),
    *(counting.gaussian_limit, dependent_counts.worst_case, dependent_counts.any_target),
    *(functools.partial(bound, categories=k) for bound in (counting.histogram, counting.kl_form,
      counting.closed_form, counting.gaussian_limit) for k in (2, 3)),
    functools.partial(dependent_counts.independent_blocks, size=2),
    functools.partial(dependent_counts.sparse, degree=2),
    *(functools.partial(published.theorem_3, reading=one) for one in published.THEOREM_3_READINGS),
    published.theorem_3_closed_form,
]  # fmt: skip
OF_KNOWN = [
    *(functools.partial(bound, lam=0.3) for bound in OF_LAM),
    functools.partial(counting.binary_queries, histories=[0.2] * 4),
    lambda n, known: counting.new_users([n, 90], 0.3, known=[known, 0]),
    lambda n, known: daily_profiles.bracket(n, CHAIN, **SECRETS, known=known, step=0.1).upper,
    lambda n, known: daily_profiles.moment_bound(n, CHAIN, **SECRETS, known=known),
    lambda n, known: daily_profiles.gaussian_limit(n, CHAIN, **SECRETS, known=known),
]
WITH_NOISE = [
    functools.partial(bound, lam=0.3, noise=noise.Geometric(0.5))
    for bound in (noise.worst_case, noise.blanket)
]


@pytest.mark.parametrize("profile", [*OF_KNOWN, *WITH_NOISE])
def test_known_records_count_as_if_they_were_absent(profile):
    for eps in (0.0, 0.3, 1.5):
        found, fewer = profile(50, known=29), profile(21, known=0)
        assert found.log_delta(eps) == pytest.approx(fewer.log_delta(eps), rel=1e-13)


@pytest.mark.parametrize("profile", OF_KNOWN)
def test_nothing_is_hidden_where_all_is_known(profile):
    told = profile(12, known=11)
    assert told.delta([0.0, 9.0]).tolist() == [1.0, 1.0]
    assert told.epsilon([0.999, 1.0]).tolist() == [math.inf, 0.0]


def test_random_releases_of_all_kinds_agree_with_their_oracles():
    answers = list(certified.search(2 * len(certified.KINDS), 3))
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
