"""Privacy profiles: how large δ must be for every ε, and what ε a δ buys.

The *privacy profile* of a mechanism against an attacker is the curve δ(ε): the least δ for which
the two laws that she must tell apart are (ε, δ)-indistinguishable (`pkdp.profiles.pairs`). Here is
the curve itself, whatever it was computed from: read in either direction, in logarithms where δ is
no float, and with a word on whether it is exact or a bound.
"""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq

from pkdp._checks import as_floats, as_instance, as_real, not_nan
from pkdp.profiles._pieces import ByPieces
from pkdp.profiles.logarithms import FloatArray, log_rest

__all__ = [
    "LARGEST_EPSILON",
    "Curve",
    "PrivacyProfile",
    "Status",
    "constant",
    "harmless",
    "largest",
    "rounded_down",
    "rounded_up",
    "vacuous",
]

Status = Literal["exact", "upper bound", "lower bound", "approximation", "as printed"]

# Beyond this ε every finite likelihood ratio of floats is exceeded, so that it is as good as inf.
LARGEST_EPSILON = 800.0
# What is beyond is as good as inf.
_MOST_EPSILON = 1e300

# Numerical error of computed bounds, as a fraction of max(1, |ln δ|); tested against ball
# arithmetic. The computations themselves do better (2e-13 at worst in those tests), and bounds are
# rounded up by what they may lack, so that they stay bounds and keep within the error stated.
_ERROR, _LACKING = 1e-12, 5e-13


class Curve(ByPieces, functools.partial[float]):
    """A function of ε: another function, and what it is given before ε.

    Unlike its parent, and like the pieces that profiles are made of, it is equal to another one of
    the same function and arguments. It pickles if these do.

    Examples
    --------
    >>> Curve(math.ldexp, 3.0) == Curve(math.ldexp, 3.0), Curve(math.ldexp, 3.0)(2)
    (True, 12.0)
    """

    def _pieces(self) -> tuple[Any, ...]:
        return self.func, *self.args


@dataclass(frozen=True, repr=False)
class PrivacyProfile:
    """The curve δ(ε) of a pair, or of a bound.

    Attributes
    ----------
    log_delta_at : callable
        ``ln δ`` at one ε in [0, inf]; non-increasing in ε.
    status : {"exact", "upper bound", "lower bound", "approximation", "as printed"}
        What the curve promises; an "approximation" may be off either way, and "as printed"
        promises nothing.
    error : float
        Numerical error: the ln δ returned is within ``error·max(1, |ln δ|)`` of the curve's, at an
        ε within ``error·max(1, ε)`` of the one asked for (curves may be arbitrarily steep). It is
        inf where δ itself has an absolute error, which the function's docstring then states.
    gap : float
        Relative width to which a search was asked to enclose δ; 0 where nothing was searched.
    rounded_up : bool
        Whether values are rounded up, so that none is below the truth; otherwise to nearest.
    largest_eps : float
        The largest ε that `epsilon` tries before it says inf; by default one beyond all likelihood
        ratios of floats, at which the curve of a pair of float laws is what it is at inf.
    costly : bool
        Whether a value may take seconds; such a profile prints itself without one.
    first_eps : float
        The ε > 0 that `epsilon` tries first, where one far above the result would be costly.

    Notes
    -----
    Profiles are equal if they are made from the same function and arguments, and promise the same.
    Those that this library returns pickle, but for what it reads from others' objects.

    Examples
    --------
    >>> from pkdp import counting
    >>> profile = counting.exact([0.5] * 10)
    >>> profile
    PrivacyProfile(δ(0) = 0.246, δ(1) = 0.0255, exact)
    >>> round(profile.delta(0.5), 6)
    0.093579
    >>> profile.delta(profile.epsilon(0.01)) <= 0.01
    True
    """

    log_delta_at: Callable[[float], float]
    status: Status
    error: float = 1e-12
    gap: float = 0.0
    rounded_up: bool = False
    largest_eps: float = LARGEST_EPSILON
    costly: bool = False
    first_eps: float = 1.0

    def __repr__(self) -> str:
        """Return two values and what they promise, in a line."""
        values = []
        # Whatever fails here will say so when it is asked for.
        with contextlib.suppress(ValueError, ArithmeticError):
            if not self.costly:
                values = [f"δ({eps}) = {_short(self.log_delta(eps))}" for eps in (0, 1)]
        return f"PrivacyProfile({', '.join([*values, self.status])})"

    @overload
    def log_delta(self, eps: float) -> float: ...
    @overload
    def log_delta(self, eps: npt.ArrayLike) -> float | FloatArray: ...
    def log_delta(self, eps: npt.ArrayLike) -> float | FloatArray:
        """Natural logarithm of δ(ε); right far below 1e-308, -inf where δ is 0.

        Parameters
        ----------
        eps : float or array_like
            ε ≥ 0; inf allowed.

        Returns
        -------
        float or ndarray
            A float for a scalar, otherwise an array of the same shape.

        Raises
        ------
        ValueError
            If an ε is negative or NaN.
        TypeError
            If an ε is not a real number.
        """
        return _each(self.log_delta_at, as_floats(eps, "eps", "in [0, inf]", 0.0, math.inf))

    @overload
    def delta(self, eps: float) -> float: ...
    @overload
    def delta(self, eps: npt.ArrayLike) -> float | FloatArray: ...
    def delta(self, eps: npt.ArrayLike) -> float | FloatArray:
        """δ(ε), in [0, 1]; see `log_delta` for arguments and errors.

        A δ below the smallest float comes out as 0, or as the smallest float if rounded up.
        """
        return _each(self._exp, np.asarray(self.log_delta(eps)))

    def _exp(self, log_delta: float) -> float:
        value = math.exp(log_delta)
        if self.rounded_up and -math.inf < log_delta < 0.0:
            return min(1.0, math.nextafter(value, math.inf))
        return value

    @overload
    def epsilon(self, delta: float) -> float: ...
    @overload
    def epsilon(self, *, log_delta: float) -> float: ...
    @overload
    def epsilon(
        self, delta: npt.ArrayLike | None = None, *, log_delta: npt.ArrayLike | None = None
    ) -> float | FloatArray: ...
    def epsilon(
        self, delta: npt.ArrayLike | None = None, *, log_delta: npt.ArrayLike | None = None
    ) -> float | FloatArray:
        """Return the least ε ≥ 0 with δ(ε) ≤ δ, rounded up; inf if there is none.

        Parameters
        ----------
        delta : float or array_like, optional
            δ in [0, 1]; of δ > 0 those below 1e-300 are better given by their logarithm.
        log_delta : float or array_like, optional
            ln δ in [-inf, 0], for δ that do not fit a float. Give exactly one of the two.

        Returns
        -------
        float or ndarray
            An ε at which the profile was evaluated and found to meet δ, within a relative 1e-12
            of the least: a float for a scalar, otherwise an array of the same shape.

        Raises
        ------
        ValueError
            If δ lies outside its range.
        TypeError
            If not exactly one of the two is given.
        """
        if (delta is None) == (log_delta is None):
            raise TypeError("give exactly one of delta (in [0, 1]) and log_delta (in [-inf, 0])")
        if delta is not None:
            return _each(self._epsilon_of, _as_array(delta, "delta", "in [0, 1]", 0.0, 1.0))
        assert log_delta is not None  # for the type checker: one of the two was given
        targets = _as_array(log_delta, "log_delta", "in [-inf, 0]", -math.inf, 0.0)
        return _each(self._epsilon_of_log, targets)

    def _epsilon_of(self, delta: float) -> float:
        target = math.log(delta) if delta > 0.0 else -math.inf
        # The ε found must pass when `delta` is asked about it, whose rounding is another.
        step = 1e-16
        while delta > 0.0 and self._exp(target) > delta:
            target -= step
            step *= 2.0
        return self._epsilon_of_log(target)

    def _epsilon_of_log(self, target: float) -> float:
        return _least_epsilon(self.log_delta_at, target, self.largest_eps, self.first_eps)


def rounded_up(
    log_delta_at: Callable[[float], float],
    status: Status,
    gap: float = 0.0,
    *,
    largest_eps: float = LARGEST_EPSILON,
) -> PrivacyProfile:
    """Return the profile of a computed bound, rounded up so that it stays a bound.

    Examples
    --------
    >>> rounded_up(lambda eps: -1e6, "upper bound").log_delta(1.0)
    -999999.9999995
    """
    return PrivacyProfile(
        Curve(_upwards, log_delta_at),
        status,
        _ERROR,
        gap,
        rounded_up=True,
        largest_eps=max(LARGEST_EPSILON, min(largest_eps, _MOST_EPSILON)),
    )


def rounded_down(
    log_delta_at: Callable[[float], float], *, largest_eps: float = LARGEST_EPSILON
) -> PrivacyProfile:
    """Return the profile of a computed lower bound, rounded down by as much as others are up.

    Examples
    --------
    >>> rounded_down(lambda eps: -1e6).log_delta(1.0)
    -1000000.0000005
    """
    return PrivacyProfile(
        Curve(_downwards, log_delta_at),
        "lower bound",
        _ERROR,
        largest_eps=max(LARGEST_EPSILON, min(largest_eps, _MOST_EPSILON)),
    )


def _upwards(log_delta_at: Callable[[float], float], eps: float) -> float:
    value = not_nan(log_delta_at(eps))
    return min(0.0, value + _LACKING * max(1.0, abs(value))) if value > -math.inf else value


def _downwards(log_delta_at: Callable[[float], float], eps: float) -> float:
    value = not_nan(log_delta_at(eps))
    return value - _LACKING * max(1.0, abs(value)) if value > -math.inf else value


def as_bound(profile: PrivacyProfile, name: str) -> PrivacyProfile:
    """Return a profile that δ is never above; others are refused."""
    as_instance(profile, name, PrivacyProfile)
    if profile.status not in ("exact", "upper bound"):
        raise ValueError(
            f'{name} must be exact or an upper bound, got one of status "{profile.status}"'
        )
    return profile


def log_any(logs: Sequence[float], times: Sequence[int]) -> float:
    """Natural logarithm of the probability that one of independent events happens.

    Parameters
    ----------
    logs : sequence of float
        Natural logarithms of their probabilities.
    times : sequence of int
        How many events there are of each probability.

    Examples
    --------
    >>> round(math.exp(log_any([math.log(0.5)], [3])), 12)
    0.875
    >>> log_any([-1e6], [1])
    -1000000.0
    """
    if max(logs) >= 0.0:
        return 0.0
    log_none = sum(k * log_rest(x) for x, k in zip(logs, times, strict=True))
    if log_none < -1e-290:
        return log_rest(log_none)
    # So rare that two do not happen together, nor can exp represent one.
    return float(np.logaddexp.reduce([x + math.log(k) for x, k in zip(logs, times, strict=True)]))


def vacuous(status: Status) -> PrivacyProfile:
    """Return the profile δ ≡ 1, which says nothing: there is nobody to hide in, or no bound.

    Examples
    --------
    >>> vacuous("exact").delta(5.0)
    1.0
    """
    return PrivacyProfile(Curve(constant, 0.0), status, rounded_up=True)


def harmless(status: Status) -> PrivacyProfile:
    """Return the profile δ ≡ 0: nothing is told.

    Examples
    --------
    >>> harmless("exact").delta(0.0)
    0.0
    """
    return PrivacyProfile(Curve(constant, -math.inf), status)


def constant(value: float, eps: float) -> float:
    """Return `value`, whatever ε is.

    Examples
    --------
    >>> Curve(constant, -1.0)(0.5)
    -1.0
    """
    del eps
    return value


def largest(curves: Sequence[Callable[[float], float]], eps: float) -> float:
    """Return the largest of some curves at an ε.

    Examples
    --------
    >>> largest((Curve(constant, -2.0), Curve(constant, -1.0)), 0.5)
    -1.0
    """
    return max(curve(eps) for curve in curves)


def _as_array(
    values: npt.ArrayLike, name: str, allowed: str, least: float, most: float
) -> FloatArray:
    """Return numbers in ``[least, most]``; a single one may be a fraction, and is checked as is."""
    if hasattr(values, "__len__") and not isinstance(values, str | bytes):
        return as_floats(values, name, allowed, least, most)
    return np.array(as_real(values, name, allowed, least, most))  # type: ignore[arg-type]


def _short(log_delta: float) -> str:
    """Return δ to three digits, also where it is no float."""
    if log_delta > -700.0 or log_delta == -math.inf:
        return f"{math.exp(log_delta):.3g}"
    return f"exp({log_delta:.6g})"


def _each(function: Callable[[float], float], values: FloatArray) -> float | FloatArray:
    """Apply a function to every value: a float for a scalar, else an array of the same shape."""
    if values.ndim == 0:
        return function(float(values))
    return np.array([function(float(x)) for x in values.flat]).reshape(values.shape)


def _least_epsilon(
    log_delta_at: Callable[[float], float], target: float, largest_eps: float, first_eps: float
) -> float:
    """Invert a non-increasing curve, from the safe side.

    -ln δ grows roughly like ε², so the root is sought for its square root, which is nearly linear.
    """
    # The root finder asks again about the ends of the interval it is given.
    log_delta_at = functools.cache(log_delta_at)
    if log_delta_at(0.0) <= target:
        return 0.0
    # Where an ε far above the result is costly, inf is even more so.
    if first_eps >= 1.0 and log_delta_at(math.inf) > target:
        return math.inf
    low, high = 0.0, first_eps
    while log_delta_at(high) > target:
        # The curve meets the target at no float below inf.
        if high >= largest_eps or (high >= 1.0 and log_delta_at(math.inf) > target):
            return math.inf
        low, high = high, min(4.0 * high, largest_eps)
    while low == 0.0 and high > 1e-300:  # a small answer needs a lower end of its own size
        lower = high / 16.0
        if log_delta_at(lower) > target:
            low = lower
        else:
            high = lower
    if math.isfinite(target):

        def excess(eps: float) -> float:
            # Where δ is far below the target, or 0, it says no more than that it is.
            log_delta = max(log_delta_at(eps), 4.0 * target - 4.0)
            return math.sqrt(-target) - math.sqrt(max(0.0, -log_delta))
    else:

        def excess(eps: float) -> float:
            return 1.0 if log_delta_at(eps) > target else -1.0

    root = float(brentq(excess, low, high, xtol=1e-300, rtol=1e-13))
    # Step up from the root, which may lie on either side, to the first ε seen to meet the target.
    step = 1e-15
    while step < 1.0:
        eps = min(root * (1.0 + step), high)
        if log_delta_at(eps) <= target:
            return eps
        step *= 4.0
    return high
