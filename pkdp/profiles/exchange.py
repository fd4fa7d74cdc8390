"""Exchange of privacy loss distributions (PLD) with dp-accounting.

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
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Final, SupportsFloat

import numpy as np

from pkdp._checks import as_real
from pkdp.profiles._plateaus import Plateau
from pkdp.profiles.laws import Finite
from pkdp.profiles.logarithms import FloatArray
from pkdp.profiles.pairs import DiscretePair, Pair, as_discrete, plateau_of_larger
from pkdp.profiles.profile import PrivacyProfile, Release, rounded_up

if TYPE_CHECKING:
    from dp_accounting.pld.pld_pmf import PLDPmf
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

__all__ = ["TwoWays", "from_pld", "to_pld"]

# What rounding may take from or add to the sum of all masses of a PLD.
_STRAY: Final = 1e-6
# Masses below 1e-26 make dp-accounting's grids long and do not change its sums.
_LOG_LEAST: Final = -60.0


@dataclass(frozen=True)
class TwoWays(Release):
    """A dominating pair for each direction.

    They are not each other's reverse, as both have been rounded up: ask `profile` for both.

    Attributes
    ----------
    remove, add : Pair
        For the first law against the second, and for the second against the first.
    """

    remove: Pair
    add: Pair

    def log_delta(self, eps: float) -> float:
        """Return the larger ln δ(ε) of both directions (see `Release.log_delta`)."""
        return max(way.log_hockey_stick(eps) for way in (self.remove, self.add))

    def ending(self) -> Plateau | None:
        """Return where the larger of both directions ends (see `Release.ending`)."""
        return plateau_of_larger(self.remove, self.add)

    def profile(self) -> PrivacyProfile:
        """Return the larger of both directions, an upper bound."""
        return rounded_up(self, "upper bound")


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


def from_pld(pld: PrivacyLossDistribution) -> TwoWays:
    """Convert a privacy loss distribution of dp-accounting to pairs.

    Parameters
    ----------
    pld : dp_accounting.pld.privacy_loss_distribution.PrivacyLossDistribution
        Pessimistic, with finitely many losses.

    Returns
    -------
    TwoWays
        For its two directions: the outcomes are the losses in units of its interval, and two more
        that only one of the laws has. Together they dominate whatever the PLD was made for.

    Raises
    ------
    ImportError
        If dp-accounting is not installed.
    TypeError
        If `pld` is no such object.
    ValueError
        If `pld` is optimistic: rounding down leaves masses that belong to no pair of laws.

    Examples
    --------
    >>> from dp_accounting.pld import privacy_loss_distribution
    >>> response = privacy_loss_distribution.from_randomized_response(0.5, 2)
    >>> round(from_pld(response).profile().delta(0.5), 4)  # truth with probability 3/4: e^ε = 3
    0.3379
    """
    sides = _sides(pld)
    if not all(side._pessimistic_estimate for side in sides):
        raise ValueError("pld must be a pessimistic estimate, got an optimistic one")
    return TwoWays(*(_pair(*_masses(side)) for side in sides))


def _masses(side: PLDPmf) -> tuple[int, FloatArray, float, float]:
    """Return the first index, masses from there on, the mass of the loss inf, and the interval."""
    dense = side.to_dense_pmf()
    probabilities = np.maximum(np.asarray(dense._probs, dtype=np.float64), 0.0)
    return int(dense._lower_loss), probabilities, float(side._infinity_mass), dense._discretization


def _pair(first: int, masses: FloatArray, infinite: float, interval: float) -> Pair:
    total = float(masses.sum()) + infinite
    if abs(total - 1.0) > _STRAY:
        raise ValueError(f"pld must have masses that sum to 1, got a sum of {total:.9g}")
    # Sums are taken from the largest loss down, and cut at 1: stray mass then goes where the loss
    # is least, and does no harm. Mass taken from Q raises a loss, which is on the safe side.
    losses = interval * np.arange(first, first + masses.size)
    with np.errstate(over="ignore"):
        q = masses * np.exp(-losses)
    p_law, q_law = (
        np.diff(np.minimum(np.cumsum(np.append(start, law[::-1])), 1.0), prepend=0.0)[1:][::-1]
        for start, law in ((infinite, masses), (0.0, q))
    )
    # What is missing from either belongs to an outcome that hardly speaks for P.
    p_rest, q_rest = (
        max(0.0, 1.0 - float(law.sum()) - more) for law, more in ((p_law, infinite), (q_law, 0.0))
    )
    return Pair(
        Finite(first, (*p_law.tolist(), infinite, p_rest)),
        Finite(first, (*q_law.tolist(), 0.0, q_rest)),
    )


def _sides(pld: PrivacyLossDistribution) -> tuple[PLDPmf, PLDPmf]:
    kind = _dp_accounting().PrivacyLossDistribution
    if not isinstance(pld, kind):
        raise TypeError(f"pld must be a PrivacyLossDistribution of dp-accounting, got {pld!r}")
    return pld._pmf_remove, pld._pmf_add


def _dp_accounting() -> ModuleType:
    """Import the optional library where it is needed."""
    try:
        return importlib.import_module("dp_accounting.pld.privacy_loss_distribution")
    except ImportError as error:
        raise ImportError("this needs dp-accounting: pip install pkdp[accounting]") from error
