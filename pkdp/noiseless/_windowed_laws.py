"""Exponentially tilted distributions, whose masses are read window by window.

Masses far from the mean are too small for a transform, whose rounding is relative to the largest
mass. A tilt by ``exp(tilt·i)`` moves the mean to them. With the relative entropy KL of a tilted law
with respect to the law itself, and its mean m,

    ln P[i] = -KL - tilt·(i - m) + ln w_i,

where w_i is the tilted mass. Outcomes are counted in steps: outcome i is ``origin + step·i``.
"""

from __future__ import annotations

import functools
import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from pkdp.profiles.laws import Law, Window
from pkdp.profiles.logarithms import FloatArray

TiltedT = TypeVar("TiltedT", bound="Tilted")
BoolArray = npt.NDArray[np.bool_]

# The largest difference of consecutive tilts, per step.
_LARGEST_STEP = 2.0


@dataclass(frozen=True, eq=False)
class Tilted:
    """A tilted law.

    Attributes
    ----------
    tilt : float
        Per step.
    mean, variance : float
        In steps; they need not be exact.
    entropy : float
        Relative entropy with respect to the untilted law; for a mean that is not exact, the
        logarithm of the ratio of tilted to untilted masses there.
    origin : int
        An outcome near the mean.
    beyond : float
        The mean less `origin`, where `entropy` is that ratio.
    """

    tilt: float
    mean: float
    variance: float
    entropy: float
    origin: int
    beyond: float

    @property
    def deviation(self) -> float:
        """The standard deviation."""
        return math.sqrt(self.variance)

    def step_by(self, distance: float) -> float:
        """Return about the change of the tilt that moves the mean by a distance."""
        return max(-_LARGEST_STEP, min(_LARGEST_STEP, distance / max(self.variance, 1e-300)))

    def log_tail(self, i: int) -> float:
        """Return Chernoff's bound on ln of the mass from i on (away from the mean)."""
        return -self.entropy - self.tilt * ((i - self.origin) - self.beyond)

    def log_scale(self, first: int, size: int) -> FloatArray:
        """Return ln of the ratio of untilted to tilted masses, from an outcome on."""
        distance = (np.arange(first, first + size) - self.origin) - self.beyond
        return np.asarray(-self.entropy - self.tilt * distance)


class WindowedLaw(Law, Generic[TiltedT]):
    """A law whose masses are read from windows of tilted laws.

    Attributes
    ----------
    least, step : int
        The smallest possible outcome, and the greatest common divisor of all differences of
        outcomes; 1 if there is one only.
    """

    least, step = 0, 1

    @property
    @abstractmethod
    def reach(self) -> int:
        """The last outcome, in steps."""

    @property
    def most(self) -> int:
        """The largest possible outcome."""
        return self.least + self.step * self.reach

    @abstractmethod
    def tilted(self, tilt: float) -> TiltedT:
        """Return the law tilted by ``exp(tilt·i)``, for a finite tilt."""

    @abstractmethod
    def weights(self, law: TiltedT) -> tuple[int, FloatArray]:
        """Return the first outcome of a window around the mean, and tilted masses from there on."""

    @abstractmethod
    def useful(self, law: TiltedT) -> tuple[int, FloatArray]:
        """Return an outcome, and ``ln P`` from there on, as far as these are accurate.

        The range contains the mode of the tilted law.
        """

    @abstractmethod
    def _log_end(self, last: bool) -> float:
        """Return ln of the mass of the last outcome, or the first one."""

    def window(self, tilt: float = 0.0) -> Window:
        """Masses near the mode of the law tilted by ``exp(tilt·k)`` (see `Law.window`)."""
        if math.isinf(tilt):
            end = self.most if tilt > 0.0 else self.least
            return Window(end, np.ones(1), 0.0, end, self._log_end(tilt > 0.0))
        law = self.tilted(tilt * self.step)
        first, weights = self.weights(law)
        spread = np.zeros((weights.size - 1) * self.step + 1)
        spread[:: self.step] = np.maximum(weights, 0.0)
        at = round(law.mean)
        anchor, log_scale = self.least + at * self.step, float(law.log_scale(at, 1)[0])
        return Window(
            self.least + first * self.step, spread, law.tilt / self.step, anchor, log_scale
        )

    def _steps(self, first: int, last: int) -> tuple[int, int]:
        """Return the first and the last step within a range of outcomes, and within the law's."""
        low = max(0, -((self.least - first) // self.step))
        return low, min(self.reach, (last - self.least) // self.step)

    def log_pmf(self, first: int, last: int) -> FloatArray:
        """Return logarithms of consecutive masses (see `Law.log_pmf`); -inf only for a mass of 0.

        They are read from windows of tilted laws, which are kept.
        """
        logs = np.full(max(0, last - first + 1), -math.inf)
        low, high = self._steps(first, last)
        if low <= high:
            found = logs[self.least + low * self.step - first :: self.step]
            found[: high - low + 1] = self._log_masses(low, high)
        return logs

    def _log_masses(self, first: int, last: int) -> FloatArray:
        if first == last and first in (0, self.reach):
            return np.array([self._log_end(first > 0)])
        known, size = self._around_mean, last - first
        after = first - known.last > size
        if after or known.first - last > size:
            # Outcomes that are far from all known masses do not need those in between.
            known = _Masses(self, self.tilted_towards(first if after else last))
        return known.log_pmf(first, last)

    @functools.cached_property
    def central(self) -> TiltedT:
        """The law without a tilt."""
        return self.tilted(0.0)

    @functools.cached_property
    def _around_mean(self) -> _Masses[TiltedT]:
        return _Masses(self, self.central)

    def tilted_towards(self, i: float, law: TiltedT | None = None) -> TiltedT:
        """Return a tilted law whose mean is within half a standard deviation of i, in 0…reach.

        The search begins at a law, by default at the one without a tilt.
        """
        wanted = min(max(i, 0.5), self.reach - 0.5)
        law = law or self.central
        low, high = -math.inf, math.inf
        for _ in range(200):
            miss = wanted - law.mean
            if abs(miss) <= 0.5 * law.deviation or law.tilt in (low, high):
                break
            low, high = (law.tilt, high) if miss > 0.0 else (low, law.tilt)
            tilt = law.tilt + law.step_by(miss)
            if not low < tilt < high:
                tilt = (low + high) / 2.0
            law = self.tilted(tilt)
        return law

    def span(self, log_least: float) -> tuple[int, int]:
        """Return where masses are not negligible (see `Law.span`), or a slightly larger range."""
        first, last = 0, self.reach
        if log_least > -math.inf and last:
            depth = max(-log_least, 1.0 - self._around_mean.peak)
            first, last = self._end(depth, -1), self._end(depth, 1)
        return self.least + self.step * first, self.least + self.step * last

    def _end(self, depth: float, side: int) -> int:
        """Return an outcome beyond which every mass and the tail are below ``exp(-depth)``."""
        if not self.central.variance > 0.0:  # too small for a float
            return self.reach if side > 0 else 0
        tilt = side * math.sqrt(2.0 * depth / self.central.variance)
        for attempt in range(100):
            law = self.tilted(tilt)
            if law.entropy >= depth and (law.entropy <= 2.0 * depth or attempt > 20):
                break
            if law.entropy < depth and min(law.mean, self.reach - law.mean) < 0.5:
                return self.reach if side > 0 else 0
            ratio = depth / max(law.entropy, depth / 4.0)
            tilt *= min(2.0, max(0.5, 1.01 * math.sqrt(ratio) + 1e-3))
        end = math.ceil(law.mean) if side > 0 else math.floor(law.mean)
        return min(max(end, 0), self.reach)

    def log_outside(self, first: int, last: int) -> float:
        """Return Chernoff's bound on the mass elsewhere (see `Law.log_outside`)."""
        first, last = self._steps(first, last)
        logs = []
        for side, i, none in ((-1, first - 1, first <= 0), (1, last + 1, last >= self.reach)):
            if not none:
                law = self.tilted_towards(i)
                logs.append(min(law.log_tail(i), 0.0) if law.tilt * side > 0.0 else 0.0)
        return float(np.logaddexp.reduce(logs)) + 1e-9 if logs else -math.inf


class _Masses(Generic[TiltedT]):
    """Consecutive masses, read window by window from laws of ever larger tilts to either side."""

    def __init__(self, base: WindowedLaw[TiltedT], law: TiltedT) -> None:
        self._base = base
        self.first, self._logs = base.useful(law)
        self.peak = float(self._logs.max())
        self._outermost = {-1: law, 1: law}

    @property
    def last(self) -> int:
        """The last outcome of known mass."""
        return self.first + self._logs.size - 1

    def log_pmf(self, first: int, last: int) -> FloatArray:
        """Return ``ln P[i]`` for i in first…last, after adding windows as far as that."""
        for side, end, to in ((-1, self.first, first), (1, self.last, last)):
            parts = [self._logs]
            while side * (to - end) > 0:
                parts.append(self._beyond(end, side))
                end += side * parts[-1].size
            self._logs = np.concatenate(parts[::side])
            self.first = min(self.first, end)
        return self._logs[first - self.first : last - self.first + 1]

    def _beyond(self, end: int, side: int) -> FloatArray:
        """Return the masses beyond an end, from the window of a tilt that reaches back to it."""
        base, law = self._base, self._outermost[side]
        next_law = base.tilted_towards(end + side * 2.5 * law.deviation, law)
        for _ in range(100):
            first, logs = base.useful(next_law)
            near, far = (first, first + logs.size - 1)[::side]
            if side * (near - end) <= 1 and side * (far - end) > 0:
                self._outermost[side] = next_law
                return logs[end + 1 - first :] if side > 0 else logs[: end - first]
            part = 0.6 if side * (near - end) > 1 else 1.5  # too far, or not far enough
            next_law = base.tilted(law.tilt + part * (next_law.tilt - law.tilt))
        raise ValueError("blocks must have a sum whose masses fall more evenly")


def range_around(mode: int, is_poor: BoolArray) -> tuple[int, int]:
    """Return the range around the mode without poor masses."""
    poor = np.flatnonzero(is_poor)
    before, after = poor[poor < mode], poor[poor > mode]
    low = int(before[-1]) + 1 if before.size else 0
    high = int(after[0]) - 1 if after.size else is_poor.size - 1
    return low, high
