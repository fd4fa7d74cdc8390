"""What the pages on practice warn of, in numbers."""

import math
import random

import numpy as np
import pytest

from pkdp import accounting, audit, counting
from pkdp.noiseless import sums

DELTA = 1e-6


def probability_of_loss_above(pair, eps):
    """P[loss > ε], in the worse of the two directions."""
    masses = pair.log_masses()
    log_p, log_q = np.asarray(masses.log_p), np.asarray(masses.log_q)
    # An outcome that one law excludes has a loss of inf.
    with np.errstate(invalid="ignore"):
        loss = log_p - log_q
    return max(np.exp(log_p[loss > eps]).sum(), np.exp(log_q[loss < -eps]).sum())


@pytest.mark.parametrize(("n", "known", "times"), [(1200, 600, 27.6), (270, 135, 11.7)])
def test_delta_is_not_the_probability_that_epsilon_is_exceeded(n, known, times):
    eps = counting.worst_case(n, 0.1, known=known).epsilon(DELTA)
    m = counting.worst_vertex(n, 0.1, eps=eps, known=known).m
    pair = counting.pair([0.1, 0.9], multiplicities=[m, n - 1 - known - m])
    exceeded = probability_of_loss_above(pair, eps)
    assert exceeded == pytest.approx(times * DELTA, rel=5e-3)
    # What does hold: above ε + η with at most δ/(1 - e^-η).
    for eta in (0.01, 0.1, 1.0):
        assert probability_of_loss_above(pair, eps + eta) <= DELTA / -math.expm1(-eta)


def test_days_that_tell_much_are_likelier_than_delta():
    pair = counting.pair([0.8] * 11)
    profile = pair.profile()
    assert profile.epsilon(0.8**11 * (1 - 1e-9)) == math.inf
    eps = profile.epsilon(0.1)
    assert eps == pytest.approx(0.950, abs=5e-4)
    assert probability_of_loss_above(pair, eps) == pytest.approx(0.322, abs=5e-4)


def test_half_of_lambda_and_half_known_do_not_cover_dependence():
    cautious = counting.worst_case(1200, 0.25, known=600).epsilon(DELTA)
    households = sums.pair([({0: 0.5, 12: 0.5}, 99)], shift=12).profile().epsilon(DELTA)
    assert cautious == pytest.approx(0.404, abs=5e-4)
    assert households == pytest.approx(0.881, abs=5e-4)


@pytest.mark.parametrize(("counts", "eps"), [(7, 4.852), (50, 30.334)])
def test_noise_that_is_added_again_and_again_has_to_be_budgeted(counts, eps):
    together = accounting.optimal(math.log(2), 0.0, times=counts)
    assert together.epsilon(DELTA) == pytest.approx(eps, abs=5e-4)


def test_a_logistic_model_misses_what_its_columns_tell_together(tmp_path):
    rows = [(man, urban, man ^ urban) for man in (0, 1) for urban in (0, 1)] * 100
    random.Random(38).shuffle(rows)
    file = tmp_path / "votes.csv"
    lines = ["man,urban,vote", *(",".join(map(str, row)) for row in rows)]
    file.write_text("\n".join(lines) + "\n")
    found = audit.of_file(
        file, "vote", model=["man", "urban"], delta=DELTA, assume="independent", alternatives=False
    )
    assert isinstance(found, audit.Audit)
    assert found.active.eps < 0.5
    assert found.scores is not None
    assert found.scores.brier == pytest.approx(0.25, abs=0.01)
    # Who knows both columns knows each vote.
    known = counting.exact([float(vote) for *_, vote in rows[1:]])
    assert known.epsilon(0.999) == math.inf
