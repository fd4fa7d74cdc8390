"""Closed forms for the worst case: never below it, and how close; limits, and how far."""

import itertools
import math
import re
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import i0e
from scipy.stats import binom

from pkdp import counting
from pkdp.engines.vertices import Vertices
from pkdp.profiles import closed_forms
from pkdp.profiles.logarithms import relative_entropy_of_tilt
from tests.oracles import counts as oracles

# Across the orders of magnitude, down to one unknown record and up to a census.
CASES = [
    *itertools.product((2, 3, 10, 100, 1000), (0.001, 0.05, 0.3, 0.5)),
    *itertools.product((10**5, 10**8), (1e-4, 0.01, 0.1, 0.5)),
]
# So large that E, and then the product with N, leaves the floats.
HUGE = [60.0, 745.0, 1e3, 1e6, 1e9, 1e12, 1e16, 1e17, 1e155, 1e300]
EPS = [0.0, *np.geomspace(1e-5, 20.0, 25), *HUGE]


@pytest.mark.slow
@pytest.mark.parametrize(("n", "lam"), CASES)
def test_kl_form_is_never_below_the_worst_case(n, lam):
    for categories in (2, 3):
        if categories * lam > 1:
            continue
        bound = counting.kl_form(n, lam, categories=categories)
        truth = counting.histogram(n, lam, categories=categories)
        plain = counting.kl_form(n, lam, categories=categories, bessel=False)
        for eps in EPS:
            # The exact worst case for two categories is itself rounded up by a relative 1e-8.
            slack = 2e-8 if categories == 2 else 1e-12
            assert bound.log_delta(eps) >= truth.log_delta(eps) - slack
            assert plain.log_delta(eps) >= bound.log_delta(eps)


def test_kl_form_is_not_below_the_truth_where_the_tilt_leaves_nothing_to_chance():
    # 1 - τ is below 1e-300 and N·(1 - τ) rounds to nothing, but (1 - λ)^N is what remains.
    for eps in (20.0, 700.0, 131_216.0, 1e9, 1e300, math.inf):
        bound = counting.kl_form(10**6, 0.3, categories=3).log_delta(eps)
        assert bound >= counting.histogram(10**6, 0.3, categories=3).log_delta(eps)
    for lam, eps in itertools.product((1e-9, 1e-15, 1e-300), (50.0, 1e6, 1e12, 1e16, 1e300)):
        bound = counting.kl_form(2, lam, categories=3).log_delta(eps)
        assert bound >= counting.histogram(2, lam, categories=3).log_delta(eps)


@given(
    st.integers(1, 6),
    st.fractions(Fraction(1, 50), Fraction(1, 2), max_denominator=50),
    st.fractions(1, 9, max_denominator=8),
)
def test_kl_form_is_never_below_exact_rationals(N, lam, E):
    eps = math.log(E)
    two = counting.kl_form(N + 1, lam).delta(eps)
    assert two >= float(oracles.worst_delta(N, lam, E)) * (1 - 1e-13)
    if 3 * lam <= 1:
        three = counting.kl_form(N + 1, lam, categories=3).delta(eps)
        assert three >= float(oracles.blanket_delta(N, lam, E)) * (1 - 1e-13)


def test_kl_form_has_the_true_rate():
    # ln δ and its bound differ by logarithms only, while both grow like N.
    for n in (10**4, 10**6, 10**8):
        truth = counting.worst_case(n, 0.1).log_delta(0.5)
        bound = counting.kl_form(n, 0.1).log_delta(0.5)
        assert 0.0 < bound - truth < 1.5 * math.log(n)


@pytest.mark.parametrize("N", [1, 2, 3, 10, 100, 1000])
def test_a_random_number_of_records_is_at_most_a_bessel_function_of_its_mean(N):
    """The lemma behind w, for C ~ Bin(N, r): E[e^{-Cv}·I₀(Cv)] is at most that of w.

    e^{-x}·I₀(x) is the mean of e^{-x(1 - cos θ)} over angles, and E[e^{-Cs}] <= e^{-Nr(1 - e^{-s})}
    for s = v(1 - cos θ) <= 2v, where 1 - e^{-s} lies above its chord.
    """
    c = np.arange(N + 1)
    tightest = 0.0
    for v in (1e-12, 1e-6, 1e-3, 0.01, 0.1, 0.2, 0.25):
        for r in (1e-9, 1e-3, 0.01, 0.1, 0.5, 0.9, 0.999, 1.0):
            truth = float(binom.pmf(c, N, r) @ i0e(c * v))
            w = -N * r * np.expm1(-2.0 * v) / 2.0
            assert truth <= i0e(w) * (1 + 1e-13)
            if N * r * v > 1e-3:
                tightest = max(tightest, truth / i0e(w))
    assert N == 1 or tightest > 0.99


@pytest.mark.parametrize("N", [1, 3, 100, 10_000])
def test_kl_form_has_that_w_and_no_larger_one(N):
    for lam, eps in itertools.product((1e-6, 0.01, 0.2, 1 / 3), (0.0, 1e-3, 0.5, 2.0, 8.0)):
        with mpmath.workdps(40):
            tau = 1 / (1 + mpmath.exp(-mpmath.mpf(eps)))
            rho = mpmath.exp(-tau * mpmath.log(2 * tau) - (1 - tau) * mpmath.log(2 * (1 - tau)))
            share = 1 - 2 * mpmath.mpf(lam) * (1 - rho)
            w = N * mpmath.mpf(lam) * rho * (1 - mpmath.exp(-2 * tau * (1 - tau))) / share
            factor = float(mpmath.log(mpmath.besseli(0, w)) - w)
            plain = float(N * mpmath.log(share))
            slack = float(eps * (1 - tau))
        with_it = closed_forms.log_kl_blanket(N, lam, eps)
        without = closed_forms.log_kl_blanket(N, lam, eps, bessel=False)
        assert without == pytest.approx(plain, rel=1e-12, abs=1e-15 * N)
        sharper = plain + min(0.0, slack + factor)
        assert with_it == pytest.approx(sharper, rel=1e-12, abs=1e-15 * N)


@pytest.mark.parametrize("t", [0.6, 1.0, 3.0, 30.0, 700.0, 1e3, 1e6])
def test_relative_entropy_of_a_strong_tilt_against_many_digits(t):
    with mpmath.workdps(int(t) + 60 if t < 1e4 else 60):
        for logit, tilt in itertools.product((0.0, -2.0, 2.0, -30.0, 30.0, -1e4, 1e4), (-t, t)):
            a, b = mpmath.mpf(logit), mpmath.mpf(logit) + mpmath.mpf(tilt)
            # The bit's name for success is swapped where that makes q small: nothing cancels.
            if b > 0:
                a, b, tilt_ = -a, -b, -mpmath.mpf(tilt)
            else:
                tilt_ = mpmath.mpf(tilt)
            truth = tilt_ / (1 + mpmath.exp(-b))
            truth -= mpmath.log1p(mpmath.exp(b)) - mpmath.log1p(mpmath.exp(a))
            found = float(relative_entropy_of_tilt(logit, tilt))
            assert found == pytest.approx(float(truth), rel=5e-12, abs=1e-300)


def test_the_largest_mass_is_at_most_a_bessel_function():
    rng = np.random.default_rng(4)
    for size in (1, 2, 5, 20, 200):
        for _ in range(20):
            p = rng.uniform(0.0, 1.0, size) ** rng.uniform(0.2, 4.0)
            largest = counting.exact(p).delta(0.0)  # at ε = 0 the divergence is the largest mass
            assert largest <= i0e(float(p @ (1.0 - p))) * (1 + 1e-12)


@given(st.floats(1e-6, 0.5), st.floats(0.0, 1.0), st.floats(1e-6, 20.0))
def test_entropy_and_variance_of_a_tilted_bit_are_least_at_the_upper_end(lam, share, eps):
    p = lam + share * (1.0 - 2.0 * lam)

    def tilted(p):
        with mpmath.workdps(40):
            p, e = mpmath.mpf(p), mpmath.exp(eps)
            q = p * e / (1 - p + p * e)
            entropy = eps * q - mpmath.log(1 - p + p * e)
            return entropy, q * (1 - q)

    for here, end in zip(tilted(p), tilted(1 - mpmath.mpf(lam)), strict=True):
        assert here >= end * (1 - mpmath.mpf(10) ** -12)


@pytest.mark.slow
def test_constants_at_the_edge_could_hardly_be_better():
    # Below 4 no constant can hold for three categories, below 2/(1-λ)·(1-λ) = 2 none for two.
    n, lam = 10**9, 0.1
    log_delta = -(n**0.4)
    for categories, scale, least in ((3, lam, 4.0), (2, lam * (1 - lam), 2.0)):
        eps = counting.histogram(n, lam, categories=categories).epsilon(log_delta=log_delta)
        assert eps**2 * scale * n / -log_delta == pytest.approx(least, rel=0.06)


@pytest.mark.slow
@pytest.mark.parametrize("mu", [1e-5, 1e-3, 0.09999, 0.10001, 0.7, 3.0])
def test_the_gaussian_profile_against_many_digits(mu):
    for t in (0.0, 0.5, 3.0, 20.0, 45.0, 60.0):
        eps = t * mu
        with mpmath.workdps(60 + round(t * t / 4)):
            x = mpmath.mpf(eps) / mu - mpmath.mpf(mu) / 2
            tail = [mpmath.erfc(y / mpmath.sqrt(2)) / 2 for y in (x, x + mu)]
            truth = mpmath.log(tail[0] - mpmath.exp(mpmath.mpf(eps)) * tail[1])
        assert closed_forms.log_gaussian(mu, eps) == pytest.approx(
            float(truth), abs=1e-10 * max(1.0, abs(float(truth)))
        )


def test_the_gaussian_limit_is_one():
    for categories in (2, 3):
        errors = []
        for n in (10**3, 10**4, 10**5, 10**6, 10**7):
            truth = counting.histogram(n, 0.1, categories=categories).epsilon(1.0 / n**2)
            limit = counting.gaussian_limit(n, 0.1, categories=categories).epsilon(1.0 / n**2)
            errors.append(abs(limit / truth - 1.0))
        assert errors == sorted(errors, reverse=True)
        assert errors[-1] < 0.003


@pytest.mark.parametrize("lam", [0.01, 0.1, 0.3])
@pytest.mark.parametrize("categories", [2, 3])
def test_the_asymptotic_form_is_off_by_a_factor_of_eps_and_one_over_n(categories, lam):
    for n in (10**3, 10**4, 10**6, 10**8):
        truth = counting.histogram(n, lam, categories=categories)
        for eps in (0.0, 1e-4, 1e-3, 0.01, 0.1, 0.3):
            found = counting.log_delta_asymptotic(n, lam, eps=eps, categories=categories)
            assert abs(found - truth.log_delta(eps)) <= eps + 1.0 / (lam * n)


def test_the_steps_of_the_asymptotic_form():
    """The phase of a tilted bit, and a moment of the weight that the integral has."""
    theta = np.linspace(0.0, math.pi, 2001)[1:]
    s, c = np.sin(theta / 2), np.cos(theta / 2)
    for p in (1e-6, 0.01, 0.2, 0.5, 0.7, 0.999):
        phase = np.unwrap(np.angle(1 - p + p * np.exp(1j * theta))) - p * theta
        assert (c * np.abs(phase) <= 4 * p * (1 - p) * s**3 + 1e-13).all()
    nodes, weights = np.polynomial.legendre.leggauss(400)
    x = (nodes + 1) * math.pi / 2
    for v in (0.01, 0.5, 2.0, 30.0, 300.0):
        for kappa in (0.0, 1e-3, 0.1, 0.5):
            weight = weights * np.exp(-2 * v * np.sin(x / 2) ** 2)
            weight *= np.sin(x / 2) ** 2 / (kappa**2 + np.sin(x / 2) ** 2)
            moments = [(weight @ np.sin(x / 2) ** (2 * j)) / weight.sum() for j in (1, 2, 3)]
            assert all(moment * v**j <= 4 for j, moment in enumerate(moments, 1))


@pytest.mark.parametrize(
    ("n", "lam", "eps"), [(5000, 0.05, 0.3), (20_000, 0.3, 0.02), (3000, 0.01, 1.0)]
)
def test_the_bound_of_a_range_is_not_below_any_of_its_vertices(n, lam, eps):
    """Wide ranges, where u is set free, and narrow ones, where it moves along lines."""
    vertices = Vertices(n - 1, lam, eps)
    every = vertices._log_g(np.arange(n))
    for width in (10, 40, 150, 600):
        low = np.arange(0, n - width, max(width, n // 60))
        bounds, _ = vertices.log_bound(low, low + width - 1)
        largest = np.array([every[i : i + width].max() for i in low])
        assert (bounds >= largest - 1e-11 * np.maximum(1.0, np.abs(largest))).all()
    assert np.median(bounds - largest) < 40  # and it says something


@pytest.mark.parametrize(("categories", "constant"), [(2, 2 / 0.9), (3, 4.0)])
def test_the_leading_constant(categories, constant):
    # ε = √(a·ln(1/δ)/(λN)) with ln n ≪ ln(1/δ) ≪ n. (2 - 1/c)/2 of it where δ = n^{-c}.
    off = []
    for n in (10**4, 10**6, 10**8, 10**10):
        log_delta = -(n**0.45)
        eps = counting.gaussian_limit(n, 0.1, categories=categories).epsilon(log_delta=log_delta)
        off.append(abs(eps**2 * 0.1 * n / -log_delta / constant - 1.0))
    assert off == sorted(off, reverse=True)
    assert off[-1] < 0.01
    for power in (1, 2, 4):
        n = 10**10
        limit = counting.gaussian_limit(n, 0.1, categories=categories)
        eps = limit.epsilon(log_delta=-power * math.log(n))
        found = eps**2 * 0.1 * n / (power * math.log(n))
        # What is left is of order ln ln n / ln n.
        share = constant * (2 - 1 / power) / 2
        assert found / share == pytest.approx(1.0, abs=2 * math.log(math.log(n)) / math.log(n))


def test_mills_ratio_against_many_digits():
    t = np.array([-3.0, 0.0, 1e-3, 1.0, 10.0, 49.9, 50.1, 100.0, 300.0])
    for x, value in zip(t.tolist(), closed_forms.one_minus_mills(t), strict=True):
        with ctx.workprec(300):
            z = arb(x)
            tail = (z / arb(2).sqrt()).erfc() / 2
            truth = float(1 - z * tail * (2 * arb.pi()).sqrt() * (z * z / 2).exp())
        assert value == pytest.approx(truth, rel=2e-12)
    # Beyond, the first three terms of the series are more than a float holds.
    for x in (1e4, 1e6, 1e100, 1e150):
        (value,) = closed_forms.one_minus_mills(np.array([x]))
        assert value == pytest.approx(x**-2 * (1 - 3 * x**-2 * (1 - 5 * x**-2)), rel=1e-14)


def finite_or_refused(call):
    """What the call returns, or None if it says that lam is out of reach; never NaN."""
    try:
        value = call()
    except ValueError as error:
        message = str(error)
    else:
        assert not math.isnan(value)
        return value
    assert re.match(r"lam must be .*, got (1e-308|5e-324)", message)
    return None


@pytest.mark.parametrize("lam", [1e-308, 5e-324])
@pytest.mark.parametrize("categories", [2, 3])
@pytest.mark.parametrize("n", [2, 10**6, 10**10])
def test_limits_at_the_smallest_lam(lam, categories, n):
    for eps in (0.0, 1e-300, 1e-9, 1.0):
        # Nobody is uncertain: the Gaussian's δ is 1, and the asymptotic form, 1/σ at ε = 0, huge.
        delta = finite_or_refused(
            lambda eps=eps: counting.gaussian_limit(n, lam, categories=categories).log_delta(eps)
        )
        assert delta is None or delta == pytest.approx(0.0, abs=1e-12)
        form = finite_or_refused(
            lambda eps=eps: counting.log_delta_asymptotic(n, lam, eps=eps, categories=categories)
        )
        assert form is None or 300 < form < 400


@pytest.mark.parametrize(
    ("p", "counts"),
    [([1e-300], None), ([1e-217], None), ([1e-300], [10**10]), ([5e-324], [10**10]),
     ([1e-308, 1.0], None)],
)  # fmt: skip
def test_berry_esseen_without_uncertainty_to_speak_of_says_nothing(p, counts):
    profile = counting.berry_esseen(p, multiplicities=counts)
    assert profile.delta([0.0, 1e-9, 1.0, 1e300, math.inf]).tolist() == [1.0] * 5


def test_the_asymptotic_form_needs_someone_unknown_and_a_small_eps():
    with pytest.raises(ValueError, match="known must leave a record unknown"):
        counting.log_delta_asymptotic(100, 0.1, eps=0.5, known=99)
    with pytest.raises(ValueError, match=r"eps must be in \[0, 1\]"):
        counting.log_delta_asymptotic(100, 0.1, eps=1.5)


def test_moderate_sizes_give_tiny_values():
    equal = counting.exact([0.3], multiplicities=[9_999])
    worst = counting.worst_case(10_000, 0.3)
    assert equal.epsilon(1e-9) <= worst.epsilon(1e-9) < 0.13
    assert equal.epsilon(1e-4) < 0.08


def test_the_gaussian_limit_of_very_little_uncertainty_has_an_eps():
    # Far beyond the likelihood ratios of floats.
    limit = counting.gaussian_limit(3, 1e-4)
    eps = limit.epsilon(1e-9)
    assert 2000.0 < eps < 5000.0
    assert limit.delta(eps) <= 1e-9 < limit.delta(0.999 * eps)
    assert limit.epsilon(0.0) == math.inf
