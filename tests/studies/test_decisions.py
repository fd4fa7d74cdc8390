"""Which theorem speaks, and the threshold to choose: against the curves they are read from."""

import math

import pytest
from scipy import stats

from pkdp import counting, published, thresholding
from pkdp.figures.partial_knowledge.decisions import least_threshold, recommend

CASES = [
    (100_000, 0.0003, 45, 1e-6),
    (100_000, 0.0001, 60, 1e-6),
    (100_000, 0.003, 100, 1e-6),
    (100_000, 0.003, 500, 1e-6),
    (1000, 0.7, 900, 1e-9),
    (50, 0.2, 10, 0.01),
]


@pytest.mark.parametrize(("n", "p", "T", "delta"), CASES)
def test_every_number_is_that_of_its_curve(n, p, T, delta):
    advice = recommend(n, p, threshold=T, delta=delta)
    lam = min(p, 1 - p)
    assert advice.expected == pytest.approx(p * (n - 1))
    assert advice.theorem_3 == pytest.approx(
        published.theorem_3_closed_form(n, lam).epsilon(delta), rel=1e-11
    )
    assert advice.between == counting.worst_case(n, lam).epsilon(delta)
    assert advice.at_most == thresholding.worst_case(n, p, threshold=T).epsilon(delta)
    assert advice.equal == thresholding.exact([p], threshold=T, multiplicities=[n - 1]).epsilon(
        delta
    )
    everybody = thresholding.passive(n, p, threshold=T, known=n - 1).delta(3.0)
    assert advice.passive == pytest.approx(everybody, rel=1e-9)
    # Which of the two speaks.
    three, four = advice.theorem_3 < math.inf, advice.theorem_4 < math.inf
    names = {
        (True, True): "both",
        (True, False): "Theorem 3",
        (False, True): "Theorem 4",
        (False, False): "neither",
    }
    assert advice.theorem == names[three, four]


@pytest.mark.parametrize(("n", "p", "T", "delta"), CASES)
def test_the_printed_theorems_promise_no_more_than_the_tight_ones(n, p, T, delta):
    advice = recommend(n, p, threshold=T, delta=delta)
    assert advice.at_most <= advice.theorem_4
    assert advice.between <= advice.theorem_3
    assert advice.equal <= min(advice.at_most, advice.between) * (1 + 1e-7)
    if advice.theorem_4 < math.inf:
        assert thresholding.theorem_4(n, p, threshold=T).delta(advice.theorem_4) <= delta
        assert advice.passive <= delta
        assert advice.at_most == 0.0


@pytest.mark.parametrize(("p", "T"), [(0.0, 0), (1.0, 5), (0.0, 3), (1.0, 10)])
def test_where_everything_is_certain(p, T):
    advice = recommend(10, p, threshold=T)
    hidden = 9 * p < T
    assert advice.theorem == ("Theorem 4" if p == 0.0 and hidden else "neither")
    assert advice.at_most == advice.equal == (0.0 if hidden else math.inf)
    assert advice.theorem_3 == advice.between == math.inf
    assert advice.passive == (0.0 if hidden else 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("p", [0.0, 1e-6, 0.01, 0.3, 0.9, 0.99])
@pytest.mark.parametrize(("eps", "delta"), [(0.1, 1e-3), (1.0, 1e-6), (3.0, 1e-12)])
def test_the_least_threshold_is_enough_and_one_less_is_not(p, eps, delta):
    least = least_threshold(p, eps, delta=delta)
    # Also with ten times the records that the worst case can use, or as many as there can be.
    enough = 10 + math.ceil(10 * least * math.exp(eps) / p) if p else 10
    assert enough < 10**10
    for n in {enough, 10**10}:
        assert thresholding.worst_case(n, p, threshold=least).delta(eps) <= delta
        assert thresholding.worst_case(n, p, threshold=least - 1).delta(eps) > delta


SMALL = (0.0, 1e-300, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.1, 0.5)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("eps", "delta"),
    [(0.02, 1e-6), (0.1, 1e-3), (0.1, 1e-6), (1.0, 1e-6), (3.0, 1e-12), (8.0, 1e-9), (40.0, 1e-9)],
)
def test_the_least_threshold_rises_with_p(eps, delta):
    found = [least_threshold(p, eps, delta=delta) for p in SMALL]
    assert found == sorted(found)


def poisson_threshold(eps, delta):
    """The least T for a Poisson count: the limit of the worst case for p → 0."""
    ratio = math.exp(eps)

    def excess(T, mean, first):
        masses = stats.poisson(mean)
        if first:
            return masses.pmf(T) - (ratio - 1) * masses.sf(T)
        return masses.pmf(T) - (ratio - 1) * masses.cdf(T - 1)

    return next(
        T
        for T in range(1, 10**4)
        if max(excess(T, T / ratio, True), excess(T, T * ratio, False)) <= delta
    )


@pytest.mark.slow
@pytest.mark.parametrize(("eps", "delta"), [(0.1, 1e-6), (0.1, 1e-3), (1.0, 1e-6), (3.0, 1e-12)])
def test_the_least_threshold_for_tiny_probabilities_is_that_of_a_poisson_count(eps, delta):
    limit = poisson_threshold(eps, delta)
    for p in (1e-12, 1e-10, 1e-8):
        assert least_threshold(p, eps, delta=delta) == limit


@pytest.mark.parametrize(("p", "eps"), [(1e-8, 0.02), (1e-10, 0.1), (1e-6, 0.001)])
def test_as_many_records_as_the_worst_case_can_use_are_not_too_many(p, eps):
    # A census of 10¹⁰ does not hold the worst crowd at these p; a larger p lets it in.
    least = least_threshold(p, eps, delta=1e-6)
    larger = 1e-3 if eps < 0.01 else 1e-5
    with_room = thresholding.worst_case(10**10, larger, threshold=least)
    assert with_room.delta(eps) <= 1e-6 * (1 + 2 * larger * 15)
    assert thresholding.worst_case(10**10, larger, threshold=round(0.99 * least)).delta(eps) > 1e-6


def test_tiny_promises_are_not_zero():
    advice = recommend(1000, 0.005, threshold=700)
    assert advice.passive > 0
    assert advice.theorem_4 > 0


def test_each_known_record_asks_for_one_more():
    alone = least_threshold(0.1, 0.5, delta=1e-6)
    for known in (1, 7, 10**6):
        assert least_threshold(0.1, 0.5, delta=1e-6, known=known) == alone + known
    active = thresholding.active_worst_case(10**5, 0.1, threshold=alone + 7, known=7)
    assert active.delta(0.5) <= 1e-6 < active.delta(0.49)


def test_at_an_infinite_eps_all_of_t_users_must_not_be_likely():
    for p in (0.1, 0.5, 0.9):
        least = least_threshold(p, math.inf, delta=1e-6)
        assert p**least <= 1e-6 < p ** (least - 1)
