"""Export of pairs to dp-accounting, as privacy loss distributions (PLD).

dp-accounting is an optional library: ``pip install pkdp[accounting]``. It computes with masses,
where `pkdp.privacy_loss` computes with their logarithms, so a δ below about 1e-15 times the number
of releases means nothing there; its strength is the number of mechanisms that it has.

Its pessimistic PLD rounds each loss up to the next multiple of its discretization interval h. For k
releases the δ it gives at ε therefore lies between the truth at ε and the truth at ε - k·h, apart
from the tail mass that it cuts off, which it adds, and from the rounding of its Fourier transforms,
about 1e-15 for each release. That is the *stated error* to which the tests hold it.
"""

from __future__ import annotations

import importlib
import math
from types import ModuleType
from typing import TYPE_CHECKING, Final, SupportsFloat

import numpy as np

from pkdp._checks import as_real
from pkdp.profiles.pairs import DiscretePair, as_discrete

if TYPE_CHECKING:
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

__all__ = ["to_pld"]

# Masses below 1e-26 make dp-accounting's grids long and do not change its sums.
_LOG_LEAST: Final = -60.0


def to_pld(
    pair: DiscretePair, step: SupportsFloat = 1e-4, *, pessimistic: bool = True
) -> PrivacyLossDistribution:
    """Convert a pair to a privacy loss distribution of dp-accounting.

    Only masses below 1e-26 are left out.

    Parameters
    ----------
    pair : DiscretePair
        The laws P and Q of one release.
    step : float
        Discretization interval of the losses, in (0, 1].
    pessimistic : bool
        Whether losses are rounded up, and what is left out counts as the loss inf; otherwise they
        are rounded down, and it is dropped.

    Returns
    -------
    dp_accounting.pld.privacy_loss_distribution.PrivacyLossDistribution
        With P against Q as its "remove" direction, and Q against P as its "add" direction.

    Raises
    ------
    ImportError
        If dp-accounting is not installed.
    TypeError
        If `step` is not a real number.
    ValueError
        If `step` is outside its range, or the two laws have no outcome in common.

    Examples
    --------
    >>> from pkdp import counting
    >>> day = to_pld(counting.pair([0.5] * 1000), step=1e-3)
    >>> round(day.self_compose(30).get_epsilon_for_delta(1e-6), 2)
    1.52
    """
    library = _dp_accounting()
    interval = as_real(step, "step", "in (0, 1]", 0.0, 1.0, without=(0.0,))
    log_p, log_q, log_left_out = as_discrete(pair).log_masses(_LOG_LEAST)
    if not np.isfinite(log_p + log_q).any():
        raise ValueError("pair must have an outcome that both laws can have, got none")
    upper = dict(enumerate(log_p.tolist()))
    lower = dict(enumerate(log_q.tolist()))
    if pessimistic:  # either law may have the rest where the other has nothing
        upper[len(upper)] = lower[len(lower) + 1] = log_left_out
    return library.from_two_probability_mass_functions(
        {outcome: log for outcome, log in lower.items() if log > -math.inf},
        {outcome: log for outcome, log in upper.items() if log > -math.inf},
        pessimistic_estimate=pessimistic,
        value_discretization_interval=interval,
        symmetric=False,
    )


def _dp_accounting() -> ModuleType:
    """Import the optional library where it is needed."""
    try:
        return importlib.import_module("dp_accounting.pld.privacy_loss_distribution")
    except ImportError as error:
        raise ImportError("this needs dp-accounting: pip install pkdp[accounting]") from error
