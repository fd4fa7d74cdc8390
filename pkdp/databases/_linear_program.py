"""Linear program of two hypotheses that one mechanism sees, and its dual, with certified bounds.

The program is ``max E_p f / E_q f`` over all f > 0 on {0, 1}^k with ``f(b) ≤ e^{ε_i}·f(c)``, where
b and c differ in bit i only. Its dual moves p along the edges of the cube, where each unit that
crosses edge i grows by e^{ε_i}, until it is as flat relative to q as possible. A solver in floats
proposes f and moves. Any f can be lowered to a feasible one, and any moves can be completed to a
coupling, whose bounds are ratios of sums of positive numbers; so both bounds hold whatever the
solver returns.
"""

import math
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.optimize import linprog

from pkdp.profiles.logarithms import FloatArray, log_positive

# The gap at which a solution is good enough, and the most attempts at it.
_CLOSED, _ATTEMPTS = 1e-9, 9
# Coefficients above the first are left out of a program, and solutions are bounded by the second.
_CUTS: Final = ((1e5, 1e8), (1e6, 1e7), (1e4, 1e5))


class Solution(NamedTuple):
    """Bounds on e^ε with their proofs: log f of a mechanism, and the weights of a coupling."""

    lower: float
    log_f: FloatArray
    upper: float
    weights: FloatArray


class Program:
    """The program in one direction: p against q; arrays of shape (2,)*k, and ε_i ≥ 0.

    Vertices of the cube are numbered as bits in lexicographic order. To solve it, f is written as
    D·g for a D that satisfies the inequalities, at first one of randomized responses. Then they
    read ``g(b) ≤ H·g(c)`` for an edge b, c and some H ≥ 1, and g = 1 is feasible; near a solution
    all that counts is of size 1, however unlike the weights and the ε are.
    """

    def __init__(self, p: FloatArray, q: FloatArray, eps: FloatArray) -> None:
        self._eps, self._shape = eps, p.shape
        self._start = _best_response(p, q, eps)
        self._p, self._q = p.ravel(), q.ravel()
        n, k = self._p.size, self._eps.size
        vertices = np.arange(n)
        steps = [1 << (k - 1 - i) for i in range(k)]
        self._from = np.tile(vertices, k)
        self._to = np.concatenate([vertices ^ step for step in steps] or [vertices[:0]])
        self._cost = np.repeat(self._eps, n)
        self._distance = np.zeros((n, n))
        for step, e in zip(steps, self._eps, strict=True):
            self._distance += e * ((vertices[:, None] ^ vertices) & step > 0)
        # Where to move what must not stay: to where it weighs least.
        self._nearest = np.argmin(self._distance - log_positive(self._q), axis=1)

    def solved(self) -> Solution:
        """Return the best solution that a few attempts find."""
        log_d, ratio = self._normalized(self._start)
        lower, log_f = ratio, log_d
        # The first coupling moves everything to where it weighs least.
        weights = np.zeros_like(self._distance)
        np.add.at(weights, (np.arange(self._p.size), self._nearest), self._p)
        # Or nothing moves, which is best if the hypotheses are equal.
        weights = min(weights, np.diag(self._p), key=self._bound)
        upper = self._bound(weights)
        for attempt in range(_ATTEMPTS):
            if upper <= lower * (1.0 + _CLOSED):
                break
            found = self._attempt(log_d, ratio, *_CUTS[attempt % len(_CUTS)])
            if found is None:
                continue
            g, moved = found
            if moved is not None and (bound := self._bound(moved)) < upper:
                upper, weights = bound, moved
            log_d, ratio = self._normalized(self._feasible(log_d + np.log(g)))
            if ratio > lower:
                lower, log_f = ratio, log_d
        return Solution(lower, log_f.reshape(self._shape), max(upper, lower), weights)

    def _normalized(self, log_f: FloatArray) -> tuple[FloatArray, float]:
        """Return log f with E_q f = 1, and E_p f."""
        log_f = log_f - log_f.max()
        mean = float(self._q @ np.exp(log_f))
        return log_f - math.log(mean), float(self._p @ np.exp(log_f)) / mean

    def _feasible(self, log_f: FloatArray) -> FloatArray:
        """Return the largest feasible function below another one."""
        cube = log_f.reshape(self._shape)
        for axis, e in enumerate(self._eps):
            cube = np.minimum(cube, np.flip(cube, axis) + e)
        return cube.ravel()

    def _attempt(
        self, log_d: FloatArray, ratio: float, most: float, cap: float
    ) -> tuple[FloatArray, FloatArray | None] | None:
        """Solve a program in floats: return g and a coupling, or None."""
        log_h = np.maximum(0.0, self._cost + log_d[self._to] - log_d[self._from])
        kept = log_h <= math.log(most)
        h, sources, targets = np.exp(log_h[kept]), self._from[kept], self._to[kept]
        d = np.exp(log_d)
        p, q = self._p * d / ratio, self._q * d
        rows = np.arange(h.size)
        # `Any`, for scipy's types do not know sparse programs.
        inequalities: Any = sparse.csc_array(
            (np.append(np.ones(h.size), -h), (np.tile(rows, 2), np.append(sources, targets))),
            (h.size, p.size),
        )
        result: Any = linprog(
            -p,
            A_ub=inequalities,
            b_ub=np.zeros(h.size),
            A_eq=q[None, :],
            b_eq=[1.0],
            bounds=(0.0, cap),
            method="highs-ds",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        if not result.success:
            return None
        moved = np.maximum(0.0, -result.ineqlin.marginals)
        limit = -float(result.fun) * q
        weights = self._coupling(p, limit, (moved, moved * h, sources, targets))
        return np.maximum(result.x, 1e-30), weights

    def _coupling(
        self,
        p: FloatArray,
        limit: FloatArray,
        moves: tuple[FloatArray, FloatArray, npt.NDArray[np.int_], npt.NDArray[np.int_]],
    ) -> FloatArray | None:
        """Return where each part of p ends that moves along edges: a kernel, whatever they are.

        None if too much moves in circles.
        """
        moved, arriving, sources, targets = moves
        n = p.size
        there = p + np.bincount(targets, arriving, n)
        before = there[sources]
        share = np.divide(moved, before, out=np.zeros_like(moved), where=before > 1e-250)
        leaving = np.bincount(sources, share, n)
        share /= np.maximum(1.0, leaving)[sources]
        leaving = np.minimum(1.0, leaving)
        # Any excess over its share of q moves on, in a single step.
        most = np.divide(limit, there, out=np.ones(n), where=there > 1e-250)
        stays = np.minimum(1.0 - leaving, most)
        steps = np.zeros((n, n))
        np.add.at(steps, (sources, targets), share)
        # Row b of `visits`: how much of p(b) comes by each vertex.
        try:
            visits = np.linalg.solve(np.eye(n) - steps.T, np.diag(self._p)).T
        except np.linalg.LinAlgError:
            return None
        visits = np.maximum(0.0, visits)
        weights: FloatArray = visits * stays
        np.add.at(weights.T, self._nearest, (visits * (1.0 - leaving - stays)).T)
        total = weights.sum(axis=1)
        if not np.isfinite(total).all():
            return None
        lost = (total <= 0.0) & (self._p > 0.0)
        weights[lost, self._nearest[lost]] = 1.0
        total[lost] = 1.0
        factor = np.divide(self._p, total, out=np.zeros(n), where=self._p > 0.0)
        weights *= factor[:, None]
        return weights

    def _bound(self, weights: FloatArray) -> float:
        """Return the columnwise bound of a coupling: sums of positive numbers only."""
        sums = (weights * np.exp(self._distance)).sum(axis=0)
        used = sums > 0.0
        with np.errstate(divide="ignore", over="ignore"):
            return float(np.max(sums[used] / self._q[used]))


def _best_response(p: FloatArray, q: FloatArray, eps: FloatArray) -> FloatArray:
    """Return the log-likelihood of the replies of separate mechanisms that tell most."""
    seen = [p, q]
    for axis, e in enumerate(eps):
        seen = [law + math.exp(-e) * np.flip(law, axis) for law in seen]
    replies = np.unravel_index(int(np.argmax(seen[0] / seen[1])), p.shape)
    log_f = np.zeros(p.shape)
    for axis, (e, bit) in enumerate(zip(eps, replies, strict=True)):
        wrong = np.array([0.0, -e]) if bit == 0 else np.array([-e, 0.0])
        log_f += wrong.reshape([-1 if i == axis else 1 for i in range(p.ndim)])
    return log_f.ravel()
