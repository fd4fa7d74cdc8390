"""Privacy profiles: δ as a function of ε, and ε as a function of δ.

The *privacy profile* of a mechanism against an attacker is the curve δ(ε): the least δ for which
the two output distributions that she must tell apart are (ε, δ)-indistinguishable
(`pkdp.profiles.pairs`). A profile reads the curve in both directions, in logarithms where δ is no
float, and says whether it is exact or a bound. The curve itself belongs to a `Release`.
"""

from __future__ import annotations

import contextlib
import importlib
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt

from pkdp._checks import as_floats, as_instance, as_real, not_nan
from pkdp.profiles._equality import EqualByContents
from pkdp.profiles._inversion import LARGEST_EPSILON, enclosed_epsilon, least_epsilon
from pkdp.profiles._plateaus import (
    SAME,
    Plateau,
    larger_plateau,
    readings,
    readings_of_log,
)
from pkdp.profiles.logarithms import FloatArray, log_rest

__all__ = [
    "CertifiedProfile",
    "Formula",
    "PrivacyProfile",
    "Release",
    "Status",
    "harmless",
    "largest",
    "largest_of",
    "rounded_down",
    "rounded_up",
    "smallest",
    "vacuous",
]

Status = Literal["exact", "upper bound", "lower bound", "approximation", "as printed"]


# Numerical error of computed bounds, as a fraction of max(1, |ln δ|): a tested margin, not a proved
# one. Against ball arithmetic the error is 2e-13 at worst.
_ERROR = 1e-12
# Bounds are rounded up by this fraction, so that they stay bounds and within the error stated.
_LACKING = 5e-13
# Certified values are rounded to floats, from balls that are narrower than this fraction.
_CERTIFIED_ERROR = 1e-15


class Release(ABC):
    """What is released, or promised: something that has a δ for every ε.

    A profile is the profile of a release. Those of `pkdp.releases` describe the question and
    leave the answer to an engine; pairs of distributions and formulas answer by themselves.
    """

    @abstractmethod
    def log_delta(self, eps: float) -> float:
        """Return ln δ(ε) at one ε in [0, inf], computed in floats; non-increasing in ε."""

    @property
    def is_certifiable(self) -> bool:
        """Whether `enclose` proves bounds of ln δ."""
        return False

    def enclose(self, eps: float) -> tuple[float, float]:
        """Return two numbers between which ln δ(ε) lies, proved by ball arithmetic."""
        bounds: tuple[float, float] = _certified().enclose(self, eps)
        return bounds

    def guess_epsilon(self, log_delta: float) -> float | None:
        """Return about the least ε for an ln δ, where that takes less than a search; else None."""
        del log_delta
        return None

    @property
    def has_ending(self) -> bool:
        """Whether `ending` is worth a call, and an infinite ε no costlier than others."""
        return type(self).ending is not Release.ending

    def ending(self) -> Plateau | None:
        """Return the δ of an infinite ε, and from which ε on the curve has it, if that is known."""
        return None


class Formula(EqualByContents, Release):
    """A release whose ln δ is a function of some arguments and of ε.

    Formulas of the same function and arguments are equal, and pickle if these do.

    Parameters
    ----------
    function : callable
        Returns ln δ, given the arguments and ε.
    *arguments
        What it is given before ε.
    ending : Plateau, optional
        The δ of an infinite ε, where that is known.

    Examples
    --------
    >>> Formula(math.ldexp, -3.0) == Formula(math.ldexp, -3.0)
    True
    >>> PrivacyProfile(Formula(lambda rate, eps: -rate * eps, 2.0), "upper bound").log_delta(3.0)
    -6.0
    """

    def __init__(
        self, function: Callable[..., float], *arguments: object, ending: Plateau | None = None
    ) -> None:
        self.function, self.arguments, self._ending = function, arguments, ending

    def _contents(self) -> tuple[Any, ...]:
        return self.function, self._ending, *self.arguments

    def log_delta(self, eps: float) -> float:
        """Return the value of the function (see `Release.log_delta`)."""
        return self.function(*self.arguments, eps)

    @property
    def has_ending(self) -> bool:
        """Whether the δ of an infinite ε was given."""
        return self._ending is not None

    def ending(self) -> Plateau | None:
        """Return the δ of an infinite ε that was given (see `Release.ending`)."""
        return self._ending


@dataclass(frozen=True, repr=False)
class PrivacyProfile:
    """The curve δ(ε) of a pair, or of a bound.

    Attributes
    ----------
    release : Release
        What δ is computed of.
    status : {"exact", "upper bound", "lower bound", "approximation", "as printed"}
        What the curve promises; an "approximation" may be off either way, and "as printed"
        promises nothing.
    error : float
        Numerical error: the ln δ returned is within ``error·max(1, |ln δ|)`` of the curve's at an
        ε within ``error·max(1, ε)`` of the one given. At that one itself it may be further off,
        as curves may be arbitrarily steep; `bounds` allows for both. It is inf where δ itself has
        an absolute error, which the function's docstring then states.
    gap : float
        Relative width to which a search encloses δ, by which δ may also be larger;
        0 where nothing was searched.
    rounded_up : bool
        Whether values are rounded up, so that none is below the truth; otherwise to nearest.
    margin : float
        The part of ``max(1, |ln δ|)`` that is added to each value, or taken off if it is negative.
    costly : bool
        Whether a value may take seconds; such a profile prints itself without one.
    first_eps : float
        The ε > 0 that `epsilon` tries first, where one far above the result would be costly.

    Notes
    -----
    Profiles are equal if their releases are, and if they promise the same. Those that this library
    returns can be pickled.

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

    release: Release
    status: Status
    error: float = 1e-12
    gap: float = 0.0
    rounded_up: bool = False
    margin: float = 0.0
    costly: bool = False
    first_eps: float = 1.0

    def __repr__(self) -> str:
        """Return two values and what they promise, in a line."""
        values = []
        # What fails here fails again, with a message, when the value is computed.
        with contextlib.suppress(ValueError, ArithmeticError):
            if not self.costly:
                values = [f"δ({eps}) = {_short(self.log_delta(eps))}" for eps in (0, 1)]
        return f"{type(self).__name__}({', '.join([*values, self.status])})"

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
        return _each(self._delta_at, as_floats(eps, "eps", "in [0, inf]", 0.0, math.inf))

    def log_delta_at(self, eps: float) -> float:
        """Return ln δ at one ε in [0, inf], a float, which is not checked."""
        value = self.release.log_delta(eps)
        if not self.margin or not_nan(value) == -math.inf:
            return value
        value += self.margin * max(1.0, abs(value))
        return min(0.0, value) if self.margin > 0.0 else value

    def _delta_at(self, eps: float) -> float:
        if eps == math.inf and self.release.has_ending and not self.rounded_up:
            end = self.release.ending()
            if end is not None:
                return end.delta
        return self._exp(self.log_delta_at(eps))

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
        """Return the least ε ≥ 0 at which this profile is at most δ, rounded up; inf if none.

        A float δ < 1 is read as any number below 1 within 4 units in its last place, and ln δ
        within 4 units of its own or of 1. If the curve ends at a δ(∞) that is among them, and has
        it from some ε on, that ε is returned; if a δ(∞) is larger, inf is. For all other δ an ε is
        returned for the number given.

        Parameters
        ----------
        delta : float or array_like, optional
            δ in [0, 1]; of δ > 0 those below 1e-300 are better given by their logarithm.
        log_delta : float or array_like, optional
            ln δ in [-inf, 0], for δ that do not fit a float. Give exactly one of the two.

        Returns
        -------
        float or ndarray
            An ε within a relative 1e-12 of the least: a float for a scalar, otherwise an array of
            the same shape. Unless δ is read as δ(∞), the profile was evaluated there and found to
            meet δ.

        Raises
        ------
        ValueError
            If δ lies outside its range.
        TypeError
            If not exactly one of the two is given.
        """
        values, logs = _given(delta, log_delta)
        return _each(lambda value: self._epsilon_read(value, logs), values)

    def bounds(self, eps: npt.ArrayLike) -> tuple[float, float] | tuple[FloatArray, FloatArray]:
        """Return numbers between which ln δ(ε) lies.

        Of a `certified` profile that is a proof. Of any other the numbers are as far from the value
        as `error` and `gap` say: margins that the tests hold the computation to, but no proof.

        Parameters
        ----------
        eps : float or array_like
            ε ≥ 0; inf allowed.

        Returns
        -------
        lower, upper : float or ndarray
            Two floats for a scalar, otherwise two arrays of the same shape. -inf and 0 where
            nothing is said of the error.

        Raises
        ------
        ValueError, TypeError
            As in `log_delta`.

        Examples
        --------
        >>> from pkdp import counting
        >>> profile = counting.exact([0.3], multiplicities=[10**9])
        >>> lower, upper = profile.bounds(0.001)
        >>> lower < profile.log_delta(0.001) < upper < lower + 1e-6
        True
        >>> proved = profile.certified().bounds(0.001)
        >>> lower < proved[0] < proved[1] < upper
        True
        """
        return _each_pair(self._bounds_at, as_floats(eps, "eps", "in [0, inf]", 0.0, math.inf))

    def _bounds_at(self, eps: float) -> tuple[float, float]:
        if math.isinf(self.error):
            return -math.inf, 0.0
        # See `log_above`.
        lower = self.log_delta_at(eps + (self.error * max(1.0, eps) if eps < math.inf else 0.0))
        lower -= self.error * max(1.0, -lower) + math.log1p(self.gap)
        return lower, log_above(self, eps)

    def epsilon_bounds(
        self, delta: npt.ArrayLike | None = None, *, log_delta: npt.ArrayLike | None = None
    ) -> tuple[float, float] | tuple[FloatArray, FloatArray]:
        """Return numbers between which the least ε with δ(ε) ≤ δ lies, by what `bounds` says.

        That is for the very δ given: it is read as no other number, as `epsilon` may do.

        Parameters
        ----------
        delta, log_delta : float or array_like, optional
            As in `epsilon`.

        Returns
        -------
        lower, upper : float or ndarray
            Two floats for a scalar, otherwise two arrays of the same shape; δ is met at `upper`.

        Raises
        ------
        ValueError, TypeError
            As in `epsilon`.

        Examples
        --------
        >>> from pkdp import counting
        >>> profile = counting.worst_case(10**9, 0.1).certified()
        >>> lower, upper = profile.epsilon_bounds(1e-10)
        >>> f"{lower:.9g} {upper:.9g}"
        '0.00046764052 0.000467640521'
        """
        values, logs = _given(delta, log_delta)
        return _each_pair(lambda value: self._epsilon_ends(self._target(value, logs)), values)

    def certified(self) -> CertifiedProfile:
        """Return this profile with values that are proved, by ball arithmetic from start to end.

        Arguments of the function that made the profile are the rational numbers that their floats
        are, and so is ε.

        Raises
        ------
        ValueError
            If nothing is proved of this profile. Of those of this library counts can be certified,
            with a threshold, with both extremes suppressed or with noise, too, privacy blankets
            with and without noise, histograms, and the worst cases of counts, of counts with noise,
            and of thresholds; also thresholds against passive attackers, for equal records and in
            the worst case, and most closed forms of `pkdp.counting`.
        ImportError
            If python-flint is not installed, which is part of the extra ``certified``.

        Examples
        --------
        >>> from pkdp import counting
        >>> counting.exact([0.5], multiplicities=[10**10]).certified().bounds(1e-6)
        (-11.802099205146042, -11.802099205146039)
        """
        if not self.release.is_certifiable:
            raise ValueError(f"a profile must have an enclosure to be certified, got {self!r}")
        _certified()  # which says what is missing
        return CertifiedProfile(
            self.release,
            self.status,
            _CERTIFIED_ERROR,
            self.gap,
            rounded_up=True,
            costly=True,
            floats=self,
        )

    def _target(self, given: float, is_log: bool) -> float:
        """Return ln δ, for a δ that was given one that `delta` will not be above."""
        if is_log:
            return given
        target = math.log(given) if given > 0.0 else -math.inf
        # The ε found must meet δ by `delta`, which is rounded differently.
        step = 1e-16
        while given > 0.0 and self._exp(target) > given:
            target -= step
            step *= 2.0
        return target

    def _epsilon_of_log(self, target: float) -> float:
        guess = None if self.margin else self.release.guess_epsilon(target)
        return least_epsilon(self.log_delta_at, target, self.first_eps, guess)

    def _epsilon_read(self, given: float, is_log: bool) -> float:
        """Return ε for δ, or ln δ, unless the curve's plateau is among what that is read as."""
        target = self._target(given, is_log)
        end = self._plateau_near(target)
        if end is None:
            found = self._epsilon_of_log(target)
            if found < math.inf or target == -math.inf:
                return found
        stated = self.log_delta_at(math.inf)
        if stated == 0.0:
            return math.inf
        least, most = readings_of_log(given) if is_log else readings(given)
        if (stated if end is None else end.log_delta) > most:
            return math.inf
        # If the curve was rounded up, its own δ(∞) and all below down to the true one count.
        if end is not None and least > max(stated, end.log_delta):
            return self._epsilon_of_log(target)
        if end is not None and end.eps is not None:
            return end.eps
        # What is next to that differs by its rounding only.
        before = self.log_delta_at(LARGEST_EPSILON)
        level = before if before - stated <= 8.0 * math.ulp(max(1.0, -stated)) else stated
        return self._epsilon_of_log(max(level, stated))

    def _plateau_near(self, target: float) -> Plateau | None:
        """Return the curve's plateau if it is known and about at the target."""
        if not (self.release.has_ending and -math.inf < target < 0.0):
            return None
        stated = self.log_delta_at(math.inf)
        # No curve is rounded by more; a δ < 1 is never read as 1.
        near = stated < 0.0 and abs(stated - target) <= SAME * max(1.0, -target)
        return self.release.ending() if near else None

    def _epsilon_ends(self, target: float) -> tuple[float, float]:
        return enclosed_epsilon(self._bounds_at, target, self._epsilon_of_log(target))


@dataclass(frozen=True, repr=False)
class CertifiedProfile(PrivacyProfile):
    """A privacy profile whose values are proved: upper ends of balls that hold the truth.

    Made by `PrivacyProfile.certified`; whatever reads a profile reads this one too. `bounds` and
    `epsilon_bounds` tell both ends. Floats say where to look, and nothing else. What is proved is
    about the very δ given: `epsilon` reads no other number for it.

    Attributes
    ----------
    floats : PrivacyProfile
        The profile that it certifies.

    Examples
    --------
    >>> from pkdp import counting
    >>> counting.exact([0.3], multiplicities=[100]).certified().delta(0.5)
    0.001810323853901738
    """

    floats: PrivacyProfile = field(kw_only=True)

    def log_delta_at(self, eps: float) -> float:
        """Return the upper end of what encloses ln δ."""
        return self.release.enclose(eps)[1]

    def _bounds_at(self, eps: float) -> tuple[float, float]:
        return self.release.enclose(eps)

    def _epsilon_of_log(self, target: float) -> float:
        return self._epsilon_ends(target)[1]

    def _epsilon_ends(self, target: float) -> tuple[float, float]:
        return enclosed_epsilon(self._bounds_at, target, self.floats._epsilon_of_log(target))

    def _epsilon_read(self, given: float, is_log: bool) -> float:
        return self._epsilon_of_log(self._target(given, is_log))


def rounded_up(release: Release, status: Status, gap: float = 0.0) -> PrivacyProfile:
    """Return the profile of a computed bound, rounded up so that it stays a bound.

    Examples
    --------
    >>> rounded_up(Formula(lambda eps: -1e6), "upper bound").log_delta(1.0)
    -999999.9999995
    """
    return PrivacyProfile(release, status, _ERROR, gap, rounded_up=True, margin=_LACKING)


def rounded_down(release: Release) -> PrivacyProfile:
    """Return the profile of a computed lower bound, rounded down by as much as others are up.

    Examples
    --------
    >>> rounded_down(Formula(lambda eps: -1e6)).log_delta(1.0)
    -1000000.0000005
    """
    return PrivacyProfile(release, "lower bound", _ERROR, margin=-_LACKING)


def as_bound(profile: PrivacyProfile, name: str) -> PrivacyProfile:
    """Return a profile that δ is never above, or raise ValueError."""
    as_instance(profile, name, PrivacyProfile)
    if profile.status not in ("exact", "upper bound"):
        raise ValueError(
            f'{name} must be exact or an upper bound, got one of status "{profile.status}"'
        )
    return profile


def as_relative(profile: PrivacyProfile, name: str) -> PrivacyProfile:
    """Return a profile that δ exceeds by a relative error at most, or raise ValueError."""
    if not as_bound(profile, name).error < math.inf:
        raise ValueError(f"{name} must have a relative error, got error={profile.error!r}")
    return profile


def log_above(profile: PrivacyProfile, eps: float) -> float:
    """Return ``ln δ(ε)`` of a profile that states a relative error, not below the truth."""
    if profile.rounded_up:
        return profile.log_delta_at(eps)
    # The value returned is near the curve's at a near ε, on either side.
    at = max(0.0, eps - profile.error * max(1.0, eps)) if eps < math.inf else eps
    value = profile.log_delta_at(at)
    return min(0.0, value + profile.error * max(1.0, -value)) if value > -math.inf else value


def delta_above(profile: PrivacyProfile, eps: float) -> float:
    """Return ``δ(ε)`` of such a profile, not below the truth."""
    log_delta = log_above(as_relative(profile, "profile"), eps)
    if log_delta == -math.inf:
        return 0.0
    return min(1.0, math.nextafter(math.exp(log_delta) * (1.0 + 2e-15), math.inf))


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
    return PrivacyProfile(Constant(0.0), status, rounded_up=True)


def harmless(status: Status) -> PrivacyProfile:
    """Return the profile δ ≡ 0: nothing is told.

    Examples
    --------
    >>> harmless("exact").delta(0.0)
    0.0
    """
    return PrivacyProfile(Constant(-math.inf), status)


@dataclass(frozen=True)
class Constant(Release):
    """A release of the same δ for every ε.

    Attributes
    ----------
    value : float
        ln δ.
    """

    value: float

    def log_delta(self, eps: float) -> float:
        """Return the value, whatever ε is."""
        del eps
        return self.value

    def ending(self) -> Plateau:
        """Return the value as the δ of an infinite ε, from ε = 0 on."""
        return Plateau(self.value, 0.0)


@dataclass(frozen=True)
class Largest(Release):
    """The largest δ of several profiles.

    Attributes
    ----------
    profiles : tuple of PrivacyProfile
    """

    profiles: tuple[PrivacyProfile, ...]

    def log_delta(self, eps: float) -> float:
        """Return the largest ln δ (see `Release.log_delta`)."""
        return max(profile.log_delta_at(eps) for profile in self.profiles)

    @property
    def has_ending(self) -> bool:
        """Whether all curves have one that is known."""
        return all(profile.release.has_ending for profile in self.profiles)

    def ending(self) -> Plateau | None:
        """Return where the largest curve ends (see `Release.ending`)."""
        ends = [profile.release.ending() for profile in self.profiles]
        return larger_plateau(ends, [profile._epsilon_of_log for profile in self.profiles])


def largest(releases: Sequence[Release], eps: float) -> float:
    """Return the largest ln δ(ε) of some releases.

    Examples
    --------
    >>> largest((Constant(-2.0), Constant(-1.0)), 0.5)
    -1.0
    """
    return max(release.log_delta(eps) for release in releases)


def smallest(profiles: Sequence[PrivacyProfile], eps: float) -> float:
    """Return the smallest ln δ(ε) of some profiles.

    Examples
    --------
    >>> smallest((harmless("exact"), vacuous("upper bound")), 0.5)
    -inf
    """
    return min(profile.log_delta_at(eps) for profile in profiles)


@dataclass(frozen=True)
class Repeated(Release):
    """So many releases of one profile: the sum of their δ at the sum of their ε.

    Attributes
    ----------
    one : PrivacyProfile
    times : int
    """

    one: PrivacyProfile
    times: int

    def log_delta(self, eps: float) -> float:
        """Return ``ln(k·δ(ε/k))``, at most 0 (see `Release.log_delta`)."""
        return min(0.0, math.log(self.times) + self.one.log_delta_at(eps / self.times))

    @property
    def has_ending(self) -> bool:
        """Whether the curve of one release has one that is known."""
        return self.one.release.has_ending

    def ending(self) -> Plateau | None:
        """Return where that of one release ends, so many times (see `Release.ending`)."""
        end = self.one.release.ending()
        return end.times(self.times) if end else None


def largest_of(profiles: Sequence[PrivacyProfile]) -> PrivacyProfile:
    """Return the largest of profiles of one status, or exact ones and upper bounds; δ ≡ 0 of none.

    Examples
    --------
    >>> largest_of([harmless("exact"), vacuous("upper bound")])
    PrivacyProfile(δ(0) = 1, δ(1) = 1, upper bound)
    """
    if not profiles:
        return harmless("exact")
    if len(profiles) == 1:
        return profiles[0]
    statuses = {profile.status for profile in profiles}
    return PrivacyProfile(
        Largest(tuple(profiles)),
        statuses.pop() if len(statuses) == 1 else "upper bound",
        error=max(profile.error for profile in profiles),
        gap=max(profile.gap for profile in profiles),
        rounded_up=all(profile.rounded_up for profile in profiles),
        costly=any(profile.costly for profile in profiles),
        first_eps=min(profile.first_eps for profile in profiles),
    )


def _as_array(
    values: npt.ArrayLike, name: str, allowed: str, least: float, most: float
) -> FloatArray:
    """Return numbers in ``[least, most]``; a single one may be a fraction, and is checked as is."""
    if hasattr(values, "__len__") and not isinstance(values, str | bytes):
        return as_floats(values, name, allowed, least, most)
    return np.array(as_real(values, name, allowed, least, most))  # type: ignore[arg-type]


def _given(delta: npt.ArrayLike | None, log_delta: npt.ArrayLike | None) -> tuple[FloatArray, bool]:
    """Return δ or ln δ, whichever is given, and whether it is the logarithm."""
    if (delta is None) == (log_delta is None):
        raise TypeError("give exactly one of delta (in [0, 1]) and log_delta (in [-inf, 0])")
    if delta is not None:
        return _as_array(delta, "delta", "in [0, 1]", 0.0, 1.0), False
    assert log_delta is not None  # for the type checker: one of the two was given
    return _as_array(log_delta, "log_delta", "in [-inf, 0]", -math.inf, 0.0), True


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


def _each_pair(
    function: Callable[[float], tuple[float, float]], values: FloatArray
) -> tuple[float, float] | tuple[FloatArray, FloatArray]:
    """Apply a function that returns two numbers to every value; see `_each`."""
    if values.ndim == 0:
        return function(float(values))
    ends = np.array([function(float(x)) for x in values.flat]).reshape(*values.shape, 2)
    return ends[..., 0], ends[..., 1]


def _certified() -> ModuleType:
    """Return what proves bounds, which takes python-flint."""
    return importlib.import_module("pkdp.certified")
