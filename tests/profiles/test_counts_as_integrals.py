"""A count against itself plus 1, by one integral: against balls, and against its masses."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pkdp.profiles import _fourier, laws
from pkdp.profiles.pairs import Pair
from tests.oracles import counts as oracles

# A third of the error that profiles state.
RTOL = 3e-13


def of_count(law, side=1):
    return Pair(law.shift(1), law) if side == 1 else Pair(law, law.shift(1))


def by_masses(law, eps, side):
    """What the pair says when it is not let use the integral."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(laws.PoissonBinomial, "log_excess", lambda self, eps: None)
        return of_count(law, side).log_hockey_stick(eps)


def near(found, truth, rtol=RTOL):
    return abs(found - truth) <= rtol * max(1.0, abs(truth))


def test_fair_coins_keep_their_digits():
    # The phase of so many once was known no better than their mean; values are of forty digits.
    bits = 10**10 - 1
    for in_deviations, truth in ((1.0, -12.777578185056148), (3.0, -15.919668622324361)):
        eps = in_deviations / (bits / 2) ** 0.5
        assert near(laws.binomial(bits, 0.5).log_excess(eps), truth, 1e-14)


@pytest.mark.parametrize("q", [1e-9, 0.01, 0.3, 0.5 - 1e-3, 0.75])
@pytest.mark.parametrize("theta", [1e-5, 0.01, 0.0999, 1.0])
def test_the_phase_of_a_bit_has_all_its_digits_at_small_angles(q, theta):
    with mpmath.workdps(40):
        turn = 1 - mpmath.mpf(q) + mpmath.mpf(q) * mpmath.expj(theta)
        truth = complex(mpmath.log(turn) - 1j * mpmath.mpf(q) * theta)
    found = complex(_fourier.log_characteristic(q, 1.0 - q, np.array([theta]))[0])
    assert abs(found.real - truth.real) <= 2e-15 * abs(truth.real)
    # Angles of as many bits as there may be are added up: of the order of θ³ each may be off.
    assert abs(found.imag - truth.imag) <= 1e-15 * min(q, 1 - q) * theta**3


def test_products_and_what_they_lack_have_no_error():
    random = np.random.default_rng(5)
    x, y = random.random((2, 2000)) * 10.0 ** random.integers(-9, 9, (2, 2000))
    for one, other, *parts in zip(x, y, *_fourier.two_products(x, y), strict=True):
        exact = Fraction(float(one)) * Fraction(float(other))
        assert sum(Fraction(float(part)) for part in parts) == exact


def test_a_mean_near_every_bit_keeps_its_digits():
    # Counted by their rarer value: the mean itself, of a hundred million, has no eight decimals.
    n, p, eps = 127_469_636, 1 - 2.3287591644434348e-05, 1.2137675760200295
    law = laws.binomial(n, p)
    truth = max(float(oracles.log_delta_at_vertex(n, 1 - chance, 0, eps)) for chance in (p, 1 - p))
    assert near(max(of_count(law, side).log_hockey_stick(eps) for side in (1, -1)), truth)


@given(
    st.lists(st.floats(1e-6, 1 - 1e-6), min_size=1, max_size=4),
    st.integers(1000, 10**6),
    st.floats(0, 8),
    st.sampled_from([1, -1]),
)
def test_integral_and_masses_agree(probabilities, times, in_deviations, side):
    law = laws.PoissonBinomial(probabilities, [times] * len(probabilities))
    eps = in_deviations / law.variance**0.5
    assume(law.log_excess(side * eps) is not None)
    assert near(of_count(law, side).log_hockey_stick(eps), by_masses(law, eps, side), 1e-12)


@pytest.mark.parametrize(("number", "times"), [(3000, 2000), (30_000, 200)])
@pytest.mark.parametrize("side", [1, -1])
def test_many_probabilities_agree_with_their_masses(number, times, side):
    random = np.random.default_rng(number)
    law = laws.PoissonBinomial(random.random(number) ** 3, [times] * number)
    for eps in (0.0, 0.01, 0.1, 0.3):
        assert law.log_excess(side * eps) is not None
        assert near(of_count(law, side).log_hockey_stick(eps), by_masses(law, eps, side))


def test_blocks_of_groups_add_up(monkeypatch):
    random = np.random.default_rng(5)
    logits, counts = random.normal(size=(2, 100)), random.integers(50, 60, 100).astype(float)
    whole = _fourier.log_excess(logits, counts, 0.05)
    monkeypatch.setattr(_fourier, "_BLOCK", 7)
    assert _fourier.log_excess(logits, counts, 0.05) == pytest.approx(whole, rel=1e-14)


def test_a_narrow_count_is_left_to_its_masses():
    # … and one of more different probabilities than it is wide: there windows cost no more.
    assert laws.PoissonBinomial(np.linspace(0.1, 0.9, 5000)).log_excess(0.0) is None
    assert laws.binomial(200, 0.3).log_excess(0.0) is None
    assert laws.binomial(10**6, 0.3).log_excess(12.0) is None
    assert laws.binomial(0, 0.3).log_excess(0.0) is None
