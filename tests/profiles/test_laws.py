"""Laws of integers, against exact rationals and ball arithmetic."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pkdp.noiseless import sums
from pkdp.noiseless._markov_chains import Arms
from pkdp.partial_knowledge.daily_profiles import MarkovChain
from pkdp.profiles.binomials import log_binomial_cdf, log_binomial_pmf, log_binomial_tail
from pkdp.profiles.laws import Finite, PoissonBinomial, binomial
from tests.oracles import counts as oracles
from tests.oracles import thresholding as thresholding_oracles

chances = st.one_of(st.sampled_from([0.0, 1.0, 0.5, 1e-9]), st.floats(0, 1, allow_subnormal=False))
tilts = st.one_of(st.just(0.0), st.floats(-20, 20, allow_subnormal=False))


def untilted(window):
    """Masses of the law itself, from a window of one of its tilts."""
    return dict(zip(map(int, window.outcomes), np.exp(window.log_pmf), strict=True))


def log_mass(mass):
    """Logarithm of a fraction, also where it is below the smallest float."""
    return math.log(mass.numerator) - math.log(mass.denominator) if mass else -math.inf


@given(st.lists(chances, max_size=8), tilts)
def test_a_window_holds_the_masses_of_the_law(probabilities, tilt):
    exact = oracles.count_law([Fraction(p) for p in probabilities])
    window = PoissonBinomial(probabilities).window(tilt)
    peak = max(exact, key=lambda k: log_mass(exact[k]) + tilt * k)
    log_peak = window.log_pmf[peak - window.start]
    assert log_peak == pytest.approx(log_mass(exact[peak]), rel=1e-12, abs=1e-12)
    for k, mass in untilted(window).items():
        assert mass == pytest.approx(float(exact.get(k, 0)), rel=1e-10, abs=1e-300)


def masses_of_two_kinds(p, q, many, few):
    """Masses of so many bits of two kinds: sums of positive fractions with one denominator."""
    kinds = []
    for chance, number in ((Fraction(p), many), (Fraction(q), few)):
        one, zero = chance.numerator, chance.denominator - chance.numerator
        kinds.append(
            [math.comb(number, k) * one**k * zero ** (number - k) for k in range(number + 1)]
        )
    masses = [0] * (many + few + 1)
    for k, first in enumerate(kinds[0]):
        for j, second in enumerate(kinds[1]):
            masses[k + j] += first * second
    whole = sum(masses)
    return [Fraction(mass, whole) for mass in masses]


@pytest.mark.parametrize(
    ("p", "q", "many", "few"),
    [
        # The count's tilted variance falls from that of the few to that of nothing.
        (0.9974105909579408, 0.00013729471740217452, 214, 35),
        (0.999, 1e-6, 220, 40),
        pytest.param(1 - 1e-9, 1e-9, 150, 150, marks=pytest.mark.slow),
        (0.3, 0.7, 100, 120),
    ],
)
def test_masses_are_right_where_the_variance_changes_fast(p, q, many, few):
    law = PoissonBinomial([p, q], [many, few])
    found = law.log_pmf(0, many + few)
    exact = [log_mass(mass) for mass in masses_of_two_kinds(p, q, many, few)]
    assert found == pytest.approx(exact, rel=1e-11, abs=1e-11)
    assert [law.log_mass(k) for k in (0, many - 5, many)] == pytest.approx(
        [found[0], found[many - 5], found[many]], rel=1e-11, abs=1e-11
    )


@pytest.mark.parametrize(("trials", "p"), [(10**4, 0.3), (10**7, 0.5), (10**7, 1e-6)])
@pytest.mark.parametrize("tilt", [0.0, 0.01, 1.0, -2.0])
def test_masses_of_many_trials_agree_with_ball_arithmetic(trials, p, tilt):
    window = binomial(trials, p).window(tilt)
    peak = int(window.outcomes[np.argmax(window.weights)])
    ours = float(window.log_pmf[peak - window.start])
    with oracles.ctx.workprec(oracles.PRECISION):
        ball = oracles.log_binomial_mass(trials, oracles.ball(p), peak)
    assert ours == pytest.approx(float(ball), rel=1e-12, abs=1e-12)


@given(st.lists(chances, max_size=8))
def test_moments_are_those_of_the_trials(probabilities):
    law = PoissonBinomial(probabilities)
    exact = [Fraction(p) for p in probabilities]
    assert law.trials == len(probabilities)
    assert law.mean == pytest.approx(float(sum(exact)), rel=1e-13)
    assert law.variance == pytest.approx(float(sum(p * (1 - p) for p in exact)), rel=1e-13)
    third = sum((1 - p) * p**3 + p * (1 - p) ** 3 for p in exact)
    assert law.absolute_third_moment == pytest.approx(float(third), rel=1e-13)


@given(st.lists(chances, max_size=6), st.floats(-5, 5))
def test_the_moment_generating_function_is_that_of_the_law(probabilities, tilt):
    law = oracles.count_law([Fraction(p) for p in probabilities])
    exact = sum(float(mass) * math.exp(tilt * k) for k, mass in law.items())
    value = float(PoissonBinomial(probabilities).log_mgf(tilt))
    assert value == pytest.approx(math.log(exact), rel=1e-12, abs=1e-13)


BLOCK = {0: 0.25, 2: 0.5, 6: 0.25}
LAWS = {
    "finite": Finite.from_dict({-1: 0.25, 0: 2.0**-60, 4: 0.75}),
    "bits": PoissonBinomial([0.125, 0.5, 1.0, 0.0, 0.9], [3, 40, 2, 1, 7]),
    "many bits": PoissonBinomial(np.linspace(1e-9, 0.01, 3000)),
    "shifted": PoissonBinomial([0.25, 0.5] * 9).shift(-7),
    "blocks": sums.law([(BLOCK, 30), {0: 0.9, 3: 0.1}]),
    "many blocks": sums.law([(BLOCK, 3000)]),
    "arms": Arms(MarkovChain.stationary(0.3, 0.5), ((1.0, 7), (0.0, 0), (0.3, 5))),
    "a long arm": Arms(MarkovChain.stationary(0.3, 0.5), ((0.3, 500),)),
}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_a_law_is_what_a_law_must_be(law):
    least, most = law.span(-math.inf)
    outcomes, logs = np.arange(least - 2, most + 3), law.log_pmf(least - 2, most + 2)
    assert np.isneginf(logs[[0, 1, -2, -1]]).all()
    assert np.exp(logs).sum() == pytest.approx(1.0, rel=1e-11)
    assert law.possible(least - 2, most + 2).tolist() == (logs > -math.inf).tolist()
    assert law.gapless == (logs[2:-2] > -math.inf).all()
    assert law.log_least_mass <= logs[logs > -math.inf].min() + 1e-9
    assert law.log_outside(least, most) == -math.inf
    for log_least in (0.0, -3.0, -30.0, -300.0):  # above all masses the likeliest is left
        first, last = law.span(log_least)
        outside = logs[(outcomes < first) | (outcomes > last)]
        assert (outside < log_least).all()
        assert least <= first <= last <= most
        assert logs[[first - outcomes[0], last - outcomes[0]]].min() > 2.0 * log_least - 20.0
        assert np.logaddexp.reduce(outside) <= law.log_outside(first, last) + 1e-9
        assert law.log_outside(first, last) < log_least + 10.0
    if isinstance(law, PoissonBinomial):
        for tilt in (0.0, 0.3, -1.0, 100.0, math.inf, -math.inf):
            window = law.window(tilt)
            assert window.weights.sum() == pytest.approx(1.0, rel=1e-12)
            likely = window.weights > 1e-3 * window.weights.max()
            assert window.log_pmf[likely] == pytest.approx(
                logs[window.outcomes[likely] - outcomes[0]], rel=1e-10, abs=1e-11
            )
    again = pickle.loads(pickle.dumps(law))
    assert again == law
    # Masses asked for in any order are the same, and so are those of a law that is moved.
    for first, last in ((most - 3, most + 2), (least, least), ((least + most) // 2, most)):
        expected = logs[first - outcomes[0] : last - outcomes[0] + 1]
        assert again.log_pmf(first, last) == pytest.approx(expected, rel=1e-11, abs=1e-11)
        moved = again.shift(3).log_pmf(first + 3, last + 3)
        assert moved.tolist() == again.log_pmf(first, last).tolist()


@pytest.mark.parametrize("trials", [65, 66, 77, 89, 90])
def test_fair_coins_whose_characteristic_function_has_a_zero(trials):
    # At θ = π the modulus is 0, whose logarithm once gave a warning.
    law = untilted(binomial(trials, 0.5).window())
    for k in (trials // 2, trials // 2 + 3):
        assert law[k] == pytest.approx(math.comb(trials, k) / 2**trials, rel=1e-12)


# --------------------------------------------------------------------------------------------
# One mass, one tail
# --------------------------------------------------------------------------------------------


def close(value, truth, rtol=1e-13):
    """Whether a logarithm is within rtol * max(1, |truth|) of a ball; infinite ones alike."""
    value, truth = float(value), float(truth)
    return value == truth or abs(value - truth) <= rtol * max(1.0, abs(truth))


# The exact mass at these is an end, a bulk, a tail of any depth; p on both sides of 1/2.
TRIALS = [0, 1, 2, 15, 16, 17, 300, 10**4, 10**6, 10**7]
RATES = [0.0, 1e-12, 1e-6, 1e-3, 0.3, 0.5, 0.7, 1 - 1e-9, 1.0]


def outcomes(n, p):
    mean, deviation = n * p, math.sqrt(n * p * (1 - p))
    around = {round(mean + z * deviation) for z in (-40, -8, -1, 0, 1, 8, 40)}
    return sorted({-1, 0, 1, n // 3, n // 2, n - 1, n, n + 1, *around})


@pytest.mark.parametrize("p", RATES)
@pytest.mark.parametrize("n", TRIALS)
def test_binomial_masses_agree_with_ball_arithmetic(n, p):
    ks = outcomes(n, p)
    ours = log_binomial_pmf(ks, n, p)
    for k, value in zip(ks, ours, strict=True):
        assert close(value, thresholding_oracles.log_binomial_pmf(k, n, p)), (k, value)


@given(st.integers(0, 2000), chances, st.data())
def test_any_binomial_mass_and_tail_agree_with_ball_arithmetic(n, p, data):
    k = data.draw(st.integers(-1, n + 1))
    assert close(log_binomial_pmf(k, n, p), thresholding_oracles.log_binomial_pmf(k, n, p))
    assert close(log_binomial_tail(k, n, p), thresholding_oracles.log_binomial_tail(k, n, p))
    failures = thresholding_oracles.log_binomial_tail(n - k, n, 1 - Fraction(p))
    assert close(log_binomial_cdf(k, n, p), failures)


@pytest.mark.parametrize(
    ("k", "n", "p"),
    [(5206243731, 10**10, 0.5206976673044196), (5821699919, 10**10, 0.5821718860678314),
     (3 * 10**9 + 7, 10**10, 0.3), (7 * 10**9 - 10**5, 10**10, 0.7), (40, 10**10, 3e-9)],
)  # fmt: skip
def test_binomial_masses_of_ten_billion_trials_agree_with_ball_arithmetic(k, n, p):
    # The excess k - np must not be rounded as np is.
    assert close(log_binomial_pmf(k, n, p), thresholding_oracles.log_binomial_pmf(k, n, p))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "p"),
    [(10**4, 0.3), (10**6, 0.7), (10**9, 0.1), (10**10, 0.5), (10**10, 1 / 3), (10**10, 0.995),
     (10**10, 3e-9)],
)  # fmt: skip
def test_binomial_tails_of_ten_billion_trials_agree_with_ball_arithmetic(n, p):
    tail = thresholding_oracles.log_tail_by_integral
    for in_deviations in (0.01, 0.5, 2.0, 7.0, 30.0):
        k, less = (
            round(n * p + x * math.sqrt(n * p * (1 - p))) for x in (in_deviations, -in_deviations)
        )
        assert close(log_binomial_tail(k, n, p), tail(k, n, p), 1e-14)
        assert close(log_binomial_cdf(less, n, p), tail(n - less, n, 1 - Fraction(p)), 1e-14)


def test_binomial_masses_broadcast():
    table = log_binomial_pmf(np.arange(4)[:, None], np.array([0, 1, 3]), 0.25)
    assert table.shape == (4, 3)
    assert np.exp(table).sum(axis=0) == pytest.approx([1, 1, 1], rel=1e-13)
    assert log_binomial_pmf(2, 3, 0.25).shape == ()
    assert log_binomial_pmf([], 3, 0.25).shape == (0,)


def test_the_mirrored_law_counts_failures():
    law = PoissonBinomial([0.125, 0.5, 1.0, 0.0, 0.0])
    mirror = law.mirrored()
    assert (law.least, law.most, mirror.least, mirror.most) == (1, 3, 2, 4)
    assert untilted(mirror.window()) == pytest.approx(
        {5 - k: mass for k, mass in untilted(law.window()).items()}, rel=1e-14
    )
    assert untilted(mirror.mirrored().window()) == untilted(law.window())


def test_a_mirrored_law_of_many_probabilities_has_the_same_tails():
    random = np.random.default_rng(3)
    law = PoissonBinomial(random.random(3000) ** 2)  # more than are kept apart
    k = round(law.mean + 40)
    assert close(law.mirrored().log_lower(law.trials - k), law.log_upper(k))
    assert close(law.mirrored().mirrored().log_upper(k), law.log_upper(k))


rare = st.sampled_from([5e-324, 1e-300, 1e-17, 1 - 2**-53])


@given(st.lists(st.one_of(rare, chances), min_size=1, max_size=6))
@example([5e-324, 9 / 16, 9 / 16])  # a window below the mean had lost the largest outcome
def test_tails_of_a_law_and_of_its_mirror_image(probabilities):
    exact = oracles.count_law([Fraction(p) for p in probabilities])
    law, n = PoissonBinomial(probabilities), len(probabilities)
    mirror = law.mirrored()
    for k in range(n + 1):
        upper = log_mass(sum(mass for j, mass in exact.items() if j >= k))
        lower = log_mass(sum(mass for j, mass in exact.items() if j <= k))
        assert [law.log_upper(k), mirror.log_lower(n - k)] == pytest.approx([upper] * 2, rel=1e-11)
        assert [law.log_lower(k), mirror.log_upper(n - k)] == pytest.approx([lower] * 2, rel=1e-11)


@given(st.lists(chances, max_size=8), st.floats(0, 8))
def test_the_tilt_towards_an_outcome_makes_it_the_expectation(probabilities, outcome):
    law = PoissonBinomial(probabilities)
    tilt = law.tilt_towards(outcome)
    if not law.least < outcome < law.most:
        assert tilt == (-math.inf if outcome <= law.least else math.inf)
        return
    weights = {
        k: m for k, m in oracles.count_law([Fraction(p) for p in probabilities]).items() if m
    }
    logs = {k: log_mass(m) + tilt * k for k, m in weights.items()}
    top = max(logs.values())
    total = sum(math.exp(x - top) for x in logs.values())
    mean = sum(k * math.exp(x - top) for k, x in logs.items()) / total
    assert mean == pytest.approx(outcome, abs=1e-6)
