"""Release exactly, add noise, or refuse: what is decided must be private, and hardly too much."""

import dataclasses
import math
import pickle
from fractions import Fraction

import pytest

from pkdp import noise
from pkdp.noiseless import noiseless_privacy
from pkdp.noiseless.adversaries import Adversary, peaked_group, worst_case
from pkdp.noiseless.release import decide

NOBODY = Adversary(0)
CASES = [
    (1001, 0.1, NOBODY, 0.3, 1e-6),
    (2001, 0.1, NOBODY, 0.3, 1e-6),
    (200, 0.2, Adversary(0.25, 2), 0.1, 1e-3),
    (200, 0.1, NOBODY, 0.0, 0.02),
    (50, 0.5, Adversary(0.5), 0.2, 1e-9),
    (30, 0.1, Adversary(0.1, 30), 0.4, 0.01),
]


def needed(p):
    """The standard deviation of geometric noise, from its masses."""
    return math.sqrt(sum(2 * k * k * (1 - p) / (1 + p) * p**k for k in range(1, 20_000)))


@pytest.mark.parametrize(("n", "lam", "who", "eps", "delta"), CASES)
def test_the_noise_is_enough_and_a_little_less_is_not(n, lam, who, eps, delta):
    found = decide(n, lam, who, eps=eps, delta=delta)
    assert found.action == "add noise"
    assert (found.epsilon, found.delta) == (eps, delta)
    assert found.deviation == pytest.approx(needed(found.noise.p), rel=1e-9)
    assert worst_case(n, lam, who, noise=found.noise).delta(eps) <= delta
    assert worst_case(n, lam, who).delta(eps) > delta
    # The standard deviation less 1/1000 of it.
    square = (0.999 * found.deviation) ** 2
    less = noise.Geometric(square / (square + 1 + math.sqrt(2 * square + 1)))
    assert needed(less.p) == pytest.approx(0.999 * found.deviation, rel=1e-9)
    assert worst_case(n, lam, who, noise=less).delta(eps) > delta
    # Nobody needs more than who is to be private though all others are known.
    alone = (1 - delta) / (math.exp(eps) + delta)
    assert found.noise.p <= alone * (1 + 1e-12)


def test_who_knows_all_others_leaves_noise_alone():
    n = 100
    for who in (Adversary(1 - 1 / n), Adversary(Fraction(n - 1, n), 5)):
        for eps, delta in ((0.5, 0.0), (0.5, 1e-3), (0.0, 0.1), (3.0, 1e-9)):
            found = decide(n, 0.3, who, eps=eps, delta=delta)
            assert found.action == "add noise"
            assert found.noise.p == pytest.approx((1 - delta) / (math.exp(eps) + delta), rel=1e-3)
            assert found.noise.profile().delta(eps) <= delta
    refused = decide(n, 0.3, Adversary(1 - 1 / n), eps=0.5, delta=0, most_noise=2.79)
    assert refused.action == "refuse"
    assert refused.noise is None
    assert refused.deviation == 0
    assert "That is more than may be added, 2.79." in refused.reason
    allowed = decide(n, 0.3, Adversary(1 - 1 / n), eps=0.5, delta=0, most_noise=2.8)
    assert allowed.action == "add noise"


def test_pure_privacy_takes_the_noise_of_its_own():
    # δ = 0 is for noise alone: an exact count has outcomes that tell all.
    for n in (10, 1000):
        found = decide(n, 0.5, NOBODY, eps=0.7, delta=0)
        assert found.noise.p == pytest.approx(math.exp(-0.7), rel=1e-4)
        assert found.noise.profile().delta(0.7) == 0


def test_nothing_is_needed_where_nothing_is_asked_for():
    found = decide(2, 0.5, Adversary(0.9), eps=0, delta=1)
    assert (found.action, found.epsilon, found.noise) == ("release exactly", 0.0, None)
    # An ε of inf at δ = 0: every output must be possible, and the least noise makes it so.
    found = decide(2, 0.5, NOBODY, eps=math.inf, delta=0)
    assert (found.action, found.noise) == ("add noise", found.noise)
    assert found.deviation < 1e-50


def test_no_noise_is_enough_for_nothing_at_all():
    found = decide(1000, 0.5, NOBODY, eps=0, delta=0)
    assert (found.action, found.epsilon) == ("refuse", 0.0)
    assert found.reason.endswith("Only noise without bounds would do.")


def test_an_exact_release_is_private_as_it_says():
    for n, lam, who, eps, delta in [
        (10_000, 0.1, Adversary(0.1, 3), 0.5, 1e-6),
        (10_000, 0.5, Adversary(0.9, 3), 0.5, 1e-2),
    ]:
        found = decide(n, lam, who, eps=eps, delta=delta, most_noise=0)
        assert found.action == "release exactly"
        assert found.epsilon <= eps
        assert worst_case(n, lam, who).delta(found.epsilon) <= delta
        # What is said of it is rounded up.
        said = float(found.reason.split("(")[1].split(",")[0])
        assert found.epsilon <= said <= found.epsilon * 1.01


def test_numbers_in_words_are_rounded_up():
    found = decide(1001, 0.1, NOBODY, eps=0.3, delta=1e-6, most_noise=4)
    assert found.action == "refuse"
    words = found.reason.split()
    said = float(words[words.index("most") + 1].rstrip(","))
    truth = worst_case(1001, 0.1, NOBODY).delta(0.3)
    assert truth <= said <= truth * 1.01
    noise_of = decide(1001, 0.1, NOBODY, eps=0.3, delta=1e-6)
    said = float(words[words.index("deviation") + 1])
    assert noise_of.deviation <= said <= noise_of.deviation * 1.01


@pytest.mark.slow
def test_more_of_everything_takes_less_noise():
    start = {"n": 400, "lam": 0.15, "known": 0.1, "group": 2, "eps": 0.3, "delta": 1e-4}
    more = {"n": 500, "lam": 0.25, "known": 0.0, "group": 1, "eps": 0.35, "delta": 1e-3}

    def least(n, lam, known, group, eps, delta):
        return decide(n, lam, Adversary(known, group), eps=eps, delta=delta).deviation

    before = least(**start)
    for name, value in more.items():
        assert least(**{**start, name: value}) < before, name


def test_a_decision_pickles_and_compares():
    found = decide(1001, 0.1, NOBODY, eps=0.3, delta=1e-6)
    assert pickle.loads(pickle.dumps(found)) == found
    assert found == decide(1001, 0.1, NOBODY, eps=0.3, delta=1e-6)
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.action = "refuse"


def test_a_group_that_moves_along_needs_more():
    # The others lean towards two ones in each group, and the target's group towards agreement.
    who, eps, delta = Adversary(0, 6), 1.0, 1e-6
    kept = decide(6000, 0.1, who, eps=eps, delta=delta)
    assert kept.action == "release exactly"
    assert "leaves the others as they are" in kept.reason
    along = decide(6000, 0.1, who, eps=eps, delta=delta, conditional=True)
    assert along.action == "add noise"
    assert "whose group of 6 moves along" in along.reason
    # All six together cost ε, and so do fewer.
    assert 6 * along.noise.rate == pytest.approx(eps, rel=1e-9)
    assert 6 * along.noise.rate <= eps * (1 + 1e-15)
    enough = decide(200_000, 0.1, who, eps=eps, delta=delta, conditional=True)
    assert enough.action == "release exactly"
    # A world within the assumptions, in which the first guarantee is not one for the second notion.
    peaked, odds = peaked_group(Fraction(1, 10), 6, 2), Fraction(9)
    weights = {bits: odds ** max(sum(bits), 6 - sum(bits)) for bits in peaked}
    agreeing = {bits: weight / sum(weights.values()) for bits, weight in weights.items()}
    true = noiseless_privacy.conditional([agreeing, *[peaked] * 999], (0, 0)).epsilon(delta)
    assert kept.epsilon == pytest.approx(0.4833, abs=1e-4)
    assert true == pytest.approx(1.3141, abs=1e-4)
    wide = decide(6000, 0.1, who, eps=5, delta=delta, conditional=True)
    assert wide.action == "release exactly"
    assert wide.epsilon >= true
    assert enough.epsilon == worst_case(200_000, 0.1, who, conditional=True).epsilon(delta)


@pytest.mark.parametrize("peak", [0, 1, 2, 3])
def test_no_peaked_groups_tell_more_than_is_decided(peak):
    n, delta = 60, 0.05
    groups = [peaked_group(Fraction(3, 10), 3, peak)] * (n // 3)
    true = noiseless_privacy.conditional(groups, (0, 0))
    found = decide(n, 0.3, Adversary(0, 3), eps=20, delta=delta, conditional=True)
    assert found.action == "release exactly"
    assert true.delta(found.epsilon) <= delta
