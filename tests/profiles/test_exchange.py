"""Privacy loss distributions of dp-accounting, held to the error it states."""

import importlib
import math
import random
from fractions import Fraction

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution

from pkdp import accounting, counting, privacy_loss
from pkdp.profiles import Pair, exchange
from pkdp.profiles.laws import Finite

F = Fraction
GRID = np.array([0.0, 0.05, 0.2, 0.5, 1.0, 2.0, 4.0])


def small_pairs(number, seed=1):
    """Random laws on four outcomes, some of mass 0, with their exact masses."""
    source = random.Random(seed)
    for _ in range(number):
        weights = [[source.randint(0, 9) for _ in range(4)] for _ in range(2)]
        if not all(map(sum, weights)):
            continue
        p, q = ({o: F(w, sum(row)) for o, w in enumerate(row)} for row in weights)
        yield (
            p,
            q,
            Pair(*(Finite.from_dict({o: float(m) for o, m in law.items()}) for law in (p, q))),
        )


def exact_delta(p, q, k, eps):
    """Both directions of k independent releases, from all rows of outcomes."""
    rows = []
    for law in (p, q):
        one = np.array([float(law[o]) for o in range(4)])
        row = np.ones(1)
        for _ in range(k):
            row = np.outer(row, one).ravel()
        rows.append(row)
    a, b = rows
    E = math.exp(eps)
    return max(np.maximum(a - E * b, 0.0).sum(), np.maximum(b - E * a, 0.0).sum())


# --------------------------------------------------------------------------------------------
# Export
# --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [1e-3, 0.05])
def test_a_pld_lies_within_its_interval_of_the_truth(step):
    for p, q, pair in small_pairs(25):
        above, below = (exchange.to_pld(pair, step, pessimistic=way) for way in (True, False))
        for eps in GRID:
            less, exact, more = (exact_delta(p, q, 1, at) for at in (eps + step, eps, eps - step))
            assert exact - 1e-13 <= above.get_delta_for_epsilon(float(eps)) <= more + 1e-13
            assert less - 1e-13 <= below.get_delta_for_epsilon(float(eps)) <= exact + 1e-13


def test_composed_plds_bracket_exact_enumeration():
    for (p, q, pair), k in zip(small_pairs(8, seed=4), (2, 3, 4, 5, 2, 3, 4, 5), strict=False):
        high = exchange.to_pld(pair, 1e-3).self_compose(k)
        low = exchange.to_pld(pair, 1e-3, pessimistic=False).self_compose(k)
        ours = privacy_loss.bracket([pair], [k])
        for eps in GRID:
            exact = exact_delta(p, q, k, eps)
            assert low.get_delta_for_epsilon(float(eps)) <= exact + 1e-12
            assert exact <= high.get_delta_for_epsilon(float(eps)) + 1e-12
            assert ours.lower.delta(eps) <= exact * (1 + 1e-9) + 1e-15
            assert exact <= ours.upper.delta(eps) * (1 + 1e-9) + 1e-15


PAIRS = {
    "fair count": counting.pair([0.5], multiplicities=[1000]),
    "rare count": counting.pair([0.05], multiplicities=[2000]),
    "mixed count": counting.pair([0.1, 0.5, 0.8], multiplicities=[300, 100, 300]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_composed_losses_agree_with_dp_accounting_within_its_stated_error(name):
    pair, k, step = PAIRS[name], 30, 1e-4
    ours = privacy_loss.bracket([pair], [k])
    theirs = {
        way: exchange.to_pld(pair, step, pessimistic=way).self_compose(k) for way in (True, False)
    }
    stray = k * 2e-15  # its transforms, and the tails that it cuts off
    for eps in (0.0, 0.3, 1.0, 2.0, 3.0):
        above, below = (theirs[way].get_delta_for_epsilon(eps) for way in (True, False))
        assert ours.lower.delta(eps) <= above + stray
        assert above <= ours.upper.delta(max(0.0, eps - k * step)) + stray or eps < k * step
        assert below <= ours.upper.delta(eps) + stray
        assert ours.lower.delta(eps + k * step) <= below + stray


def test_dp_accounting_agrees_on_optimal_composition():
    for eps, delta, k in ((0.1, 0.0, 20), (0.3, 1e-5, 100), (1.0, 1e-3, 5)):
        step = eps / 100
        pld = privacy_loss_distribution.from_privacy_parameters(
            _parameters(eps, delta), value_discretization_interval=step
        ).self_compose(k)
        profile = accounting.optimal(eps, delta, times=k)
        for at in (0.0, 0.5, 1.0, 2.0):
            found = pld.get_delta_for_epsilon(at)
            assert profile.delta(at) <= found + 1e-12
            # One step more where the quotient of ε and step is rounded up.
            assert found <= accounting.optimal(eps + step, delta, times=k).delta(at) + 1e-12


def _parameters(eps, delta):
    from dp_accounting.pld import common

    return common.DifferentialPrivacyParameters(eps, delta)


# --------------------------------------------------------------------------------------------
# Arguments
# --------------------------------------------------------------------------------------------


def test_without_dp_accounting_it_says_what_to_install(monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(ImportError, match=r"pip install pkdp\[accounting\]"):
        exchange.to_pld(counting.pair([0.5]))
