"""Pairs whose outcomes are listed once, in the order of their losses."""

from __future__ import annotations

import functools
import math
from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np

from pkdp._checks import as_real
from pkdp.profiles._pieces import ByPieces
from pkdp.profiles.logarithms import FloatArray, log_sum
from pkdp.profiles.pairs import DiscretePair
from pkdp.profiles.profile import Curve, PrivacyProfile

# What is left out of a list must be less than this part of δ: its logarithm.
_LOG_NEGLIGIBLE = -30.0
# Each logarithm of a mass, a sum of some tens of numbers of its size, is off by this part of it.
_LOG_ERROR = 4e-15


class Sorted(NamedTuple):
    """Masses by their loss ``ln(P/Q)``, the largest first."""

    log_p: FloatArray
    log_q: FloatArray
    losses: FloatArray
    infinite: int  # how many losses are inf
    log_left_out: float

    @classmethod
    def of(cls, log_p: FloatArray, log_q: FloatArray, log_left_out: float) -> Sorted:
        """Sort outcomes that at least one of the laws has."""
        losses = log_p - log_q
        order = np.argsort(-losses)
        losses = losses[order]
        infinite = int(np.count_nonzero(losses == math.inf))
        return cls(log_p[order], log_q[order], losses, infinite, log_left_out)

    def log_excess(self, eps: float) -> float:
        """``ln H_E(P‖Q)`` of what is listed."""
        alone = self.log_p[: self.infinite]
        if eps == math.inf:
            return log_sum(alone)
        beyond = int(np.searchsorted(-self.losses, -eps))
        above = slice(self.infinite, beyond)
        excess = self.log_p[above] + np.log(-np.expm1(eps - self.losses[above]))
        return log_sum(np.concatenate([alone, excess]))

    def reversed(self) -> Sorted:
        """Return the same with the laws exchanged."""
        losses = -self.losses[::-1]
        infinite = int(np.count_nonzero(losses == math.inf))
        return Sorted(self.log_q[::-1], self.log_p[::-1], losses, infinite, self.log_left_out)


class ListedPair(ByPieces, DiscretePair):
    """A pair with few outcomes, or with few that matter."""

    # Down to which masses outcomes are listed in turn.
    levels: tuple[float, ...] = (-math.inf,)

    # ε and δ are those of all mechanisms, or arrays with one for each.
    def __init__(self, law: FloatArray, other: FloatArray, eps: Any, delta: Any) -> None:  # noqa: ANN401
        self.law, self.other, self.eps, self.delta = law, other, eps, delta

    def _pieces(self) -> tuple[Any, ...]:
        return self.law, self.other, self.eps, self.delta

    @property
    @abstractmethod
    def _depth(self) -> float:
        """A bound on -ln of every positive mass, and so on every finite loss."""

    @functools.cached_property
    def _largest_losses(self) -> tuple[float, float]:
        """No outcome has a larger loss than this; the same for the laws exchanged."""
        either = (self.law > 0.0) | (self.other > 0.0)
        with np.errstate(divide="ignore"):
            losses = np.log(self.law[either]) - np.log(self.other[either])
        hair = 1e-12
        return max(0.0, float(losses.max())) + hair, max(0.0, float(-losses.min())) + hair

    def reversed(self) -> ListedPair:
        """Return the pair with the two laws exchanged."""
        flipped = type(self)(self.other, self.law, self.eps, self.delta)
        flipped.__dict__["_both_ways"] = {
            level: (other, one) for level, (one, other) in self._both_ways.items()
        }
        return flipped

    def log_hockey_stick(self, eps: float) -> float:
        """Natural logarithm of ``H_E(P‖Q)``, E = exp(eps).

        Parameters
        ----------
        eps : float
            ε in [0, inf].

        Raises
        ------
        ValueError
            If `eps` is negative or NaN.
        """
        eps = as_real(eps, "eps", "in [0, inf]", 0.0, math.inf)
        return self._log_excess(eps, ways=(0,))

    def profile(self) -> PrivacyProfile:
        """Return the exact privacy profile: the larger of both directions."""
        error = max(1e-12, _LOG_ERROR * self._depth)
        return PrivacyProfile(Curve(_log_larger, self), "exact", error)

    @functools.cached_property
    def _both_ways(self) -> dict[float, tuple[Sorted, Sorted]]:
        return {}

    def _alone(self, way: int, log_least: float) -> tuple[float, float]:
        """Return ln of the mass that only one of the laws has, and of what was left out."""
        both = self._listed(log_least)
        return both[way].log_excess(math.inf), both[way].log_left_out

    def _listed(self, log_least: float) -> tuple[Sorted, Sorted]:
        if log_least not in self._both_ways:
            one = Sorted.of(*self.log_masses(log_least))
            self._both_ways[log_least] = one, one.reversed()
        return self._both_ways[log_least]

    def _log_excess(self, eps: float, ways: tuple[int, ...]) -> float:
        ways = tuple(
            way
            for way in ways
            if eps < self._largest_losses[way] or self._largest_losses[way] == math.inf
        )
        if not ways:
            return -math.inf
        for log_least in self.levels:
            if eps > self._depth:
                found = [self._alone(way, log_least) for way in ways]
            else:
                both = self._listed(log_least)
                found = [(both[way].log_excess(eps), both[way].log_left_out) for way in ways]
            log_delta, log_left_out = map(max, zip(*found, strict=True))
            if log_left_out <= log_delta + _LOG_NEGLIGIBLE:
                break
        # As if whatever was left out told everything.
        return min(0.0, float(np.logaddexp(log_delta, log_left_out)))

    def __getstate__(self) -> dict[str, object]:
        # What can be listed again is not worth its bytes.
        return {name: value for name, value in self.__dict__.items() if name != "_both_ways"}


def _log_larger(pair: ListedPair, eps: float) -> float:
    return pair._log_excess(eps, ways=(0, 1))
