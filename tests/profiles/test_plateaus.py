"""What ε is returned at the δ that no ε removes: the plateau at which a curve ends."""

import dataclasses
import math
import random
from fractions import Fraction as F

import mpmath
import numpy as np
import pytest

from pkdp import accounting, counting, privacy_loss
from pkdp.databases import memberships
from pkdp.profiles import Pair, PrivacyProfile
from pkdp.profiles._plateaus import UNITS, of_any, of_masses
from pkdp.profiles.laws import binomial
from pkdp.profiles.logarithms import log_rest
from pkdp.profiles.pairs import DiscretePair
from pkdp.profiles.profile import Formula, vacuous

CLOSE = 1e-12


def logarithm(x: F) -> mpmath.mpf:
    with mpmath.workdps(60):
        return mpmath.log(mpmath.mpf(x.numerator) / x.denominator)


def is_just_above(eps: float, truth: mpmath.mpf | F) -> bool:
    """A rounded-up ε, to a relative 1e-12."""
    if isinstance(truth, F):
        return truth <= F(eps) <= truth * (1 + F(CLOSE))
    with mpmath.workdps(60):
        return truth <= eps <= truth * (1 + CLOSE)


def floats_around(mass: F) -> tuple[list[float], float]:
    """Floats that are read as a mass, and the largest that is not and lies below it."""
    nearest = float(mass)
    at = [nearest]
    for towards in (0.0, 1.0):
        x = nearest
        while abs(F(x := math.nextafter(x, towards)) - mass) <= UNITS * F(math.ulp(x)):
            at.append(x)
    below = min(at)
    assert len(at) >= UNITS
    return at, math.nextafter(below, 0.0)


def check_plateau(profile: PrivacyProfile, mass: F, truth: mpmath.mpf | F) -> None:
    """The profile ends exactly at this mass and this ε."""
    at, below = floats_around(mass)
    for delta in at:
        assert is_just_above(profile.epsilon(delta), truth)
    assert profile.epsilon(below) == math.inf
    assert is_just_above(profile.epsilon(profile.delta(math.inf)), truth)
    assert is_just_above(profile.epsilon(log_delta=profile.log_delta(math.inf)), truth)
    log = float(logarithm(mass))
    assert is_just_above(profile.epsilon(log_delta=log), truth)
    least = log - (UNITS + 1) * math.ulp(max(1.0, -log))
    assert profile.epsilon(log_delta=least) == math.inf


@pytest.mark.parametrize("seed", range(20))
def test_optimal_composition_reads_four_units_and_no_more(seed):
    draw = random.Random(seed)
    eps, delta, k = draw.uniform(0.1, 2), 10.0 ** draw.uniform(-9, -0.7), draw.randint(1, 40)
    total = 1 - (1 - F(delta)) ** k
    check_plateau(accounting.optimal(eps, delta, times=k), total, k * F(eps))


@pytest.mark.parametrize("seed", range(20))
def test_heterogeneous_composition_at_its_own_total_delta(seed):
    draw = random.Random(seed)
    k = draw.randint(1, 9)
    epsilons = [draw.uniform(0.1, 2) for _ in range(k)]
    deltas = [draw.choice([0.0, 10.0 ** draw.uniform(-9, -1)]) for _ in range(k)] + [1e-3]
    epsilons.append(0.25)
    total = 1 - math.prod(1 - F(delta) for delta in deltas)
    for bracket in (
        accounting.heterogeneous(epsilons, deltas),
        (None, memberships.optimal(epsilons, deltas)),
    ):
        check_plateau(bracket[1], total, sum(map(F, epsilons)))
    check_plateau(memberships.simple(epsilons, deltas), sum(map(F, deltas)), sum(map(F, epsilons)))


def test_composition_on_a_lattice_at_its_own_total_delta():
    epsilons = np.linspace(0.01, 0.1, 40)
    bracket = accounting.heterogeneous(epsilons, 1e-9, cells=1000)
    total = 1 - (1 - F(1e-9)) ** 40
    for delta in floats_around(total)[0]:
        lower, upper = bracket.epsilon(delta)
        assert lower <= epsilons.sum() <= upper <= epsilons.sum() * 1.05
    assert bracket.upper.epsilon(floats_around(total)[1]) == math.inf


def test_many_different_deltas_are_composed_exactly():
    deltas = [x / 7e6 for x in range(1, 3001)]
    profile = accounting.heterogeneous([0.5] * 3000, deltas).upper
    total = 1 - math.prod(1 - F(delta) for delta in deltas)
    check_plateau(profile, total, F(1500))


def test_a_direction_that_falls_late_decides():
    # Towards ever rarer ones the other direction is above p^n until its own losses end.
    profile = counting.exact([0.8, 0.01], multiplicities=[1, 3])
    mass = (1 - F(0.01)) ** 3 * (1 - F(0.8))
    eps = profile.epsilon(float(mass))
    plain = dataclasses.replace(profile, release=Formula(profile.release.log_delta))
    assert plain.log_delta(eps * (1 - 1e-9)) > plain.log_delta(math.inf) + 1e-12
    assert plain.log_delta(eps) <= plain.log_delta(math.inf) + 1e-14


def least_of(p: dict[int, F], q: dict[int, F]) -> tuple[F, F]:
    """The mass of loss inf of the larger direction, and the least E from which on δ is that."""

    def delta(ratio: F, one: dict[int, F], other: dict[int, F]) -> F:
        return sum((max(F(0), x - ratio * other.get(k, F(0))) for k, x in one.items()), F(0))

    ways = (p, q), (q, p)
    total = max(sum((x for k, x in one.items() if k not in other), F(0)) for one, other in ways)
    least = F(1)
    for one, other in ways:
        corners = {F(1)} | {x / other[k] for k, x in one.items() if k in other}
        corners = sorted(corner for corner in corners if corner >= 1)
        high = next((c for c in corners if delta(c, one, other) <= total), corners[-1])
        lower = [c for c in corners if c < high]
        if lower:  # a line in E from the last corner that is above to this one
            x, y = delta(lower[-1], one, other), delta(high, one, other)
            high = lower[-1] + (high - lower[-1]) * (x - total) / (x - y)
        least = max(least, high)
    return total, least


def check_end(profile: PrivacyProfile, one: dict[int, F], other: dict[int, F]) -> F:
    """The profile of two laws ends where fractions do; their mass of loss inf."""
    total, ratio = least_of(one, other)
    if not total:
        assert profile.delta(math.inf) == 0.0
    elif total < 1:
        truth = logarithm(ratio)
        for delta in (float(total), profile.delta(math.inf), math.nextafter(float(total), 0.0)):
            eps = profile.epsilon(delta)
            assert truth * (1 - 1e-12) - 1e-15 <= eps <= truth * (1 + 1e-12) + 1e-15
        assert profile.epsilon(floats_around(total)[1]) == math.inf
    return total


def test_losses_of_pairs_end_at_the_mass_of_the_pair():
    pair = counting.pair([0.2] * 30)
    losses = privacy_loss.of_pair(pair.reversed(), 0.01)
    total = 1 - (1 - (1 - F(0.2)) ** 30) ** 7
    largest = 7 * math.log(30 * 0.25)
    for profile in (
        privacy_loss.compose([(losses, 7)]),
        privacy_loss.bracket([pair], [7], step=0.01).upper,
    ):
        for delta in floats_around(total)[0]:
            assert largest <= profile.epsilon(delta) <= largest + 7 * 0.01 + 1e-9
        assert profile.epsilon(floats_around(total)[1]) == math.inf
    renyi = accounting.renyi(pair, 7)
    assert renyi.epsilon(float(total)) == pytest.approx(largest, rel=CLOSE)
    assert renyi.epsilon(floats_around(total)[1]) == math.inf


def test_a_delta_of_one_or_zero_is_read_as_itself():
    leaking = accounting.optimal(1.0, 0.5, times=200)  # all but 6e-61 leaks
    assert leaking.epsilon(1.0) == 0.0
    assert leaking.epsilon(0.0) == math.inf
    assert leaking.epsilon(1.0 - 1e-12) == math.inf
    for profile in (accounting.optimal(0.1, 1.0, times=3), vacuous("exact"), counting.exact([])):
        assert profile.epsilon(1.0) == 0.0
        assert profile.epsilon(math.nextafter(1.0, 0.0)) == math.inf
        assert profile.epsilon(log_delta=-1e-300) == math.inf


def test_a_certificate_is_about_the_number_given():
    pytest.importorskip("flint")
    certified = counting.exact([0.25], multiplicities=[20]).certified()
    mass = F(3, 4) ** 20
    assert certified.epsilon(math.nextafter(float(mass), 0.0)) == math.inf
    assert certified.epsilon(float(mass) * (1 + 1e-12)) < math.inf


def test_exact_sums_of_masses():
    assert abs(of_any([(1e-200, 3)]).log_delta - mpmath.log(3e-200)) < 1e-12
    for x in (F(1, 3), F(2, 3), 1 - F(1, 10**30)):
        with mpmath.workdps(60):
            truth = logarithm(x) if x < F(9, 10) else mpmath.log1p(-(mpmath.mpf(10) ** -30))
            assert abs(of_any([(x, 1)]).log_delta / truth - 1) < mpmath.mpf(10) ** -45
    none = of_masses([0.5], np.array([]), np.array([]))
    assert none.eps == 0.0
    assert log_rest(float(none.log_delta)) == math.log(0.5)


class Unknown(DiscretePair):
    """A pair of which no more is known than its curve and its masses."""

    def __init__(self, pair):
        self.pair = pair

    def reversed(self):
        return Unknown(self.pair.reversed())

    def _log_excess(self, eps, exchanged):
        return self.pair._log_excess(eps, exchanged)

    def log_masses(self, log_least=-1500.0):
        return self.pair.log_masses(log_least)


def test_very_many_different_records_end_where_their_curve_does():
    n = 10**5 + 1
    profile = counting.exact(np.linspace(0.999, 0.9999, n))
    assert counting.pair(np.linspace(0.999, 0.9999, n)).plateau() is None
    delta = profile.delta(math.inf)
    assert 0.0 < profile.epsilon(delta) < math.inf
    assert profile.epsilon(delta * (1 - 1e-9)) == math.inf


def test_a_pair_of_unknown_plateau_ends_where_its_curve_does():
    pair = Pair(binomial(20, 0.3).shift(1), binomial(20, 0.3))
    profile = Unknown(pair).profile()
    assert Unknown(pair).plateau() is None
    delta = profile.delta(math.inf)
    assert profile.epsilon(delta) == pytest.approx(pair.profile().epsilon(delta), rel=1e-9)
    assert profile.epsilon(delta * (1 - 1e-9)) == math.inf
    assert accounting.renyi(Unknown(pair), 2).epsilon(2.1 * delta) < math.inf
