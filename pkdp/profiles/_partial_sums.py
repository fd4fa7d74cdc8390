"""Sums of a count's masses from some outcome on, as a Fourier integral: O(1) however many records.

S is the sum of independent bits, ``s_i = P[S = i]`` and E = e^ε. Tilted by any t, each bit has
another chance q, S has the mean μ and the characteristic function ``e^{iμθ}·φ(θ)``, and

    Σ_{i=j}^{j+m-1} (s_i - E·s_{i+b}) = e^{-Σ KL(q‖p) - tu}·(1/π) Re ∫₀^π φ(θ)·e^{-iθu}·h(t + iθ) dθ

with ``u = j - μ`` and a geometric series, ``h(z) = (1 - e^{ε-bz})·(1 - e^{-mz})/(1 - e^{-z})``.
Mostly b = 1; it may be some tilted deviations. E = 0 leaves the masses, m = 1 one of them, and
m = ∞ takes them all, which needs t > 0.

The integrand is analytic and periodic, for which the trapezoidal rule is as good as any: with
steps of 1/(7σ) what is wrong is another such sum, of masses 44 tilted deviations σ further on or,
for m = ∞, e^{-44tσ} of what is sought. Where t is that at which μ = j and tσ ≥ 1 nothing cancels
beyond what δ may lose: a relative 1e-16 for each factor of e in it.

No digit depends on how many records there are: q is a float by choice, from which the divergence,
the tilt and, in two floats each, the products of μ follow. Only bits of different chances have
tilts that differ in their last digits; of these the mean is taken.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from pkdp.profiles._fourier import log_characteristic, two_products
from pkdp.profiles.logarithms import FloatArray, IntArray, deviance, log_expm1

BoolArray = npt.NDArray[np.bool_]

# The trapezoidal rule: nodes for each unit of σθ, and how many. What is beyond is below e^{-48}.
_DENSITY, _NODES = 7.0, 76

# So many complex numbers are worked on at a time, to bound the memory that takes.
_BLOCK = 2**18


@dataclass(frozen=True)
class Bits:
    """Independent bits, in groups of equal ones.

    Attributes
    ----------
    log_odds : ndarray, shape (g,)
        Log-odds of a 1.
    rare : ndarray, shape (g,)
        The probability of a 1 where the log-odds are negative, else that of a 0: of a probability
        as a float the one that is a float, too.
    counts : ndarray, shape (g,)
        How many there are; real numbers where they are nodes of an interpolation.
    """

    log_odds: FloatArray
    rare: FloatArray
    counts: FloatArray

    @classmethod
    def binomial(cls, trials: int, p: float) -> Bits:
        """Return one group, of a probability between 0 and 1."""
        log_odds = math.log(p) - math.log1p(-p)
        return cls(*(np.array([x]) for x in (log_odds, min(p, 1.0 - p), float(trials))))

    def mirrored(self) -> Bits:
        """Return the bits with 0 and 1 exchanged."""
        return Bits(-self.log_odds, self.rare, self.counts)


def log_sums(
    bits: Bits,
    outcomes: FloatArray,
    tilts: FloatArray,
    eps: float = -math.inf,
    terms: float = math.inf,
    by: int = 1,
) -> FloatArray:
    """Return ``ln Σ_{i=j}^{j+terms-1} (s_i - e^eps·s_{i+by})`` for some outcomes j; -inf below 0.

    Parameters
    ----------
    bits : Bits
    outcomes : ndarray, shape (m,)
        The outcomes j, near the tilted means. Between integers values are those of an analytic
        function of j.
    tilts : ndarray, shape (m,)
        A tilt for each, at which the variance is at least some 60, so that the tilted masses are
        smooth; 1/σ or more unless `terms` is 1.
    eps : float
        -inf for the masses alone.
    terms : float
        1, some number, or inf.
    by : int
        How far ahead the mass is that is subtracted.
    """
    size = max(1, _BLOCK // (_NODES * bits.counts.size))
    parts = [
        _log_sums(bits, outcomes[k : k + size], tilts[k : k + size], eps, terms, by)
        for k in range(0, outcomes.size, size)
    ]
    return np.concatenate(parts) if parts else np.empty(0)


def log_excesses(bits: Bits, outcomes: IntArray, eps: float = -math.inf) -> FloatArray:
    """Return ``ln(P[S ≥ j] - e^eps·P[S ≥ j+1])`` of a binomial S for some outcomes j; -inf below 0.

    Parameters
    ----------
    bits : Bits
        One group.
    outcomes : ndarray, shape (m,)
        Outcomes j with ``j(n-j)/n`` at least some 60; above the mean if `eps` is -inf.
    eps : float
        ε ≥ 0, or -inf for ``P[S ≥ j]`` itself.
    """
    trials = bits.counts[0]
    j = outcomes.astype(np.float64)
    tilts = np.log(j) - np.log(trials - j) - bits.log_odds[0]
    least = 1.0 / np.sqrt(j * ((trials - j) / trials))
    low = (tilts <= 0.0) & (eps > -math.inf)
    logs = np.empty(j.shape)
    logs[~low] = log_sums(bits, j[~low], np.maximum(tilts, least)[~low], eps)
    if low.any():
        # Below the mean what is lost, (E-1)·P[S > j], is E-1 but for a tail.
        masses = log_sums(bits, j[low], tilts[low], terms=1)
        below = log_sums(bits.mirrored(), trials - j[low], np.maximum(-tilts, least)[low])
        lost = log_expm1(eps) + np.log1p(-np.exp(np.minimum(below, -1e-17)))
        with np.errstate(divide="ignore"):
            left = np.log(-np.expm1(np.minimum(lost - masses, 0.0)))
        logs[low] = masses + left
    return logs


def _log_sums(
    bits: Bits, outcomes: FloatArray, tilts: FloatArray, eps: float, terms: float, by: int
) -> FloatArray:
    odds = bits.log_odds + tilts[:, None]
    # The bits of a panel of an interpolation, of which there is a whole number, are counted alike.
    likely = np.floor(bits.log_odds) + 0.5 + tilts[:, None] > 0.0
    rarer = expit(np.where(likely, -odds, odds))
    q, not_q = np.where(likely, 1.0 - rarer, rarer), np.where(likely, rarer, 1.0 - rarer)
    spread = bits.counts * (q * not_q)
    variances = spread.sum(axis=1)
    log_scale, tilts = _tilted(bits, tilts, likely, rarer, spread / variances[:, None])
    beyond = _beyond_mean(bits.counts, outcomes, likely, rarer)

    theta = np.arange(_NODES) / (_DENSITY * np.sqrt(variances))[:, None]
    characteristic = log_characteristic(q[..., None], not_q[..., None], theta[:, None, :])
    # Without BLAS, whose threads take longer to meet than to multiply.
    exponent = np.einsum("g,mgn->mn", bits.counts, characteristic)
    z = tilts[:, None] + 1j * theta
    integrand = np.exp(exponent - 1j * theta * beyond[:, None])
    if terms != 1:
        integrand /= -np.expm1(-z)
        if terms < math.inf:
            integrand *= -np.expm1(-terms * z)
    if eps > -math.inf:
        # Where E is so large that it would overflow, nothing is left in any case.
        integrand *= -np.expm1(np.minimum(eps - by * tilts, 500.0)[:, None] - 1j * by * theta)
    integrand[:, 0] /= 2.0
    sums = integrand.real.sum(axis=1) * theta[:, 1] / math.pi
    with np.errstate(divide="ignore"):
        return np.asarray(log_scale - tilts * beyond + np.log(np.maximum(sums, 0.0)))


def _tilted(
    bits: Bits, tilts: FloatArray, likely: BoolArray, rarer: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return -Σ KL(q‖p), and the tilts that lead from the chances p to the floats q."""
    was_likely = bits.log_odds > 0.0
    p = np.where(was_likely, 1.0 - bits.rare, bits.rare)
    not_p = np.where(was_likely, bits.rare, 1.0 - bits.rare)
    q, not_q = np.where(likely, 1.0 - rarer, rarer), np.where(likely, rarer, 1.0 - rarer)
    # q - p, to all its digits.
    apart = (0.5 - bits.rare) + (0.5 - rarer)
    moved = np.where(
        likely == was_likely,
        np.where(likely, bits.rare - rarer, rarer - bits.rare),
        np.where(likely, apart, -apart),
    )
    log_scale = -(deviance(q, -moved, p) + deviance(not_q, moved, not_p)) @ bits.counts
    # Tilts that are not small have all digits that matter; nor are their odds always floats.
    small = np.abs(tilts) < 1.0
    up = np.log1p(np.maximum(moved, 0.0)[small] / (p * not_q)[small])
    down = np.log1p(np.maximum(-moved, 0.0)[small] / (q * not_p)[small])
    exact = tilts.copy()
    exact[small] = ((up - down) * weights[small]).sum(axis=1)
    return log_scale, exact


def _beyond_mean(
    counts: FloatArray, outcomes: FloatArray, likely: BoolArray, rarer: FloatArray
) -> FloatArray:
    """Return ``j - μ``, each bit being counted by its rarer value."""
    products, rest = two_products(counts, rarer)
    signs = np.where(likely, 1.0, -1.0)
    terms = np.concatenate(
        [outcomes[:, None], np.where(likely, -counts, 0.0), signs * products, signs * rest], axis=1
    )
    return np.array([math.fsum(row) for row in terms.tolist()])
