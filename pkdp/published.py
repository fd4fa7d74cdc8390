"""Every formula as printed, and every curve as published.

Nothing in this module is a privacy guarantee. It exists so that the book can show what is in
print beside what is true, and is imported by figures, pages and tests only.
"""

from __future__ import annotations

import math
from typing import Literal, SupportsFloat, SupportsIndex, get_args

import numpy as np
from scipy.optimize import brentq
from scipy.signal import lfilter
from scipy.special import expit, logsumexp

from pkdp import blanket_sums
from pkdp._checks import as_uncertainty, unknown_records
from pkdp.laws import binomial
from pkdp.profiles import PrivacyProfile
from pkdp.vertices import largest_loss

Theorem3Reading = Literal["literal", "exponential", "rate", "multinomial"]
THEOREM_3_READINGS: tuple[Theorem3Reading, ...] = get_args(Theorem3Reading)


def theorem_3(
    n: SupportsIndex,
    lam: SupportsFloat,
    reading: Theorem3Reading = "literal",
    known: SupportsIndex = 0,
) -> PrivacyProfile:
    """Return the condition printed in Theorem 3, ``δ ≥ P[X/Y ≥ ε]``, under one of its readings.

    Parameters
    ----------
    n : int
        Number of records, target included; in 2…10¹².
    lam : float
        λ in (0, ½].
    reading : {"literal", "exponential", "rate", "multinomial"}
        Each mends one slip more than the one before:

        * "literal": X, Y independent, Bin(N, 2λ); threshold ε;
        * "exponential": the threshold is e^ε, as the privacy loss is a logarithm;
        * "rate": success probability λ, as half of the blanket shows each value;
        * "multinomial": X and Y count different outcomes of the same records.

        What is still missing then is the target itself, which makes the ratio (X+1)/Y: that is
        `pkdp.counting.tail`.
    known : int
        How many other records the attacker knows, in 0…n-1.

    Returns
    -------
    PrivacyProfile
        Status "as printed". A zero denominator counts as an infinite ratio, 0/0 included, which
        is the convention most favourable to the theorem.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    TypeError
        If `n` or `known` is not an integer or `lam` not a number.

    References
    ----------
    Theorem 3 of the paper, first display.

    Examples
    --------
    >>> [round(theorem_3(1000, 0.05, reading).delta(1.0), 6) for reading in THEOREM_3_READINGS]
    [0.51488, 0.0, 2e-06, 2e-06]
    """
    unknown, lam = unknown_records(n, known), as_uncertainty(lam)
    if not isinstance(reading, str) or reading not in THEOREM_3_READINGS:
        raise ValueError(f"reading must be one of {THEOREM_3_READINGS}, got {reading!r}")

    def log_delta(eps: float) -> float:
        if reading == "multinomial":
            return blanket_sums.log_tail(unknown, lam, eps, 0)
        success = lam if reading == "rate" else 2.0 * lam
        threshold = eps if reading == "literal" else math.exp(min(eps, 700.0))
        if math.isinf(eps) or threshold > unknown:  # a positive Y cannot be beaten any more
            return unknown * math.log1p(-success) if success < 1.0 else -math.inf
        return _log_ratio_tail(unknown, success, threshold)

    return PrivacyProfile(log_delta, "as printed")


def figure_3(n: SupportsIndex, lam: SupportsFloat, known: SupportsIndex = 0) -> PrivacyProfile:
    """Return the profile whose ε at δ = 0.01/n is drawn in Figure 3.

    The published curve is the tail ``P[L > ε]`` of the privacy loss of one pair only: all other
    records at probability λ, and the target's record going from 1 to 0,

        L = ln P[S = K - 1] - ln P[S = K],  K = S + 1,  S ~ Bin(N, λ).

    The opposite direction, which is the worse one, is missing; so the curve is not a bound.

    Parameters
    ----------
    n, lam, known
        As in `theorem_3`.

    Returns
    -------
    PrivacyProfile
        Status "as printed".

    Raises
    ------
    ValueError, TypeError
        As in `theorem_3`.

    References
    ----------
    Figure 3 of the paper; the formula was recovered by matching the published curve.

    Examples
    --------
    >>> round(figure_3(100, 0.05).epsilon(0.01 / 100), 4)
    1.2862
    """
    unknown, lam = unknown_records(n, known), as_uncertainty(lam)
    logit = math.log(lam) - math.log1p(-lam)
    law = binomial(unknown, lam)

    def log_delta(eps: float) -> float:
        if unknown == 0 or eps > largest_loss(unknown, lam):  # only L = inf is left, at K = N + 1
            return unknown * math.log(lam)
        # L > ε exactly when K > (N+1)·q, q being λ tilted by ε.
        first = min(math.floor((unknown + 1) * float(expit(logit + eps))), unknown)
        window = law.window(eps)
        # Outcomes left of the window are beyond reach of any ε at which they would matter.
        log_masses = window.log_pmf[max(0, first - window.start) :]
        return min(0.0, float(logsumexp(log_masses)))

    return PrivacyProfile(log_delta, "as printed")


def _log_ratio_tail(trials: int, success: float, slope: float) -> float:
    """``ln P[X ≥ slope·Y]`` for independent X, Y ~ Bin(trials, success), ``slope ≤ trials``.

    Both are tilted (X up, Y down) until their means meet the slope, as in Chernoff's bound; then
    what remains is a sum of ordinary size over two windows.
    """
    # Two laws, since each remembers its latest window only.
    x_law, y_law = binomial(trials, success), binomial(trials, success)
    tilt = 0.0
    if slope > 1.0 and success < 1.0:
        logit = math.log(success) - math.log1p(-success)

        def excess(t: float) -> float:
            return float(expit(logit + t) - slope * expit(logit - slope * t))

        high = 1.0 / slope
        while excess(high) < 0.0:
            high *= 2.0
        tilt = float(brentq(excess, 0.0, high, rtol=1e-12))
    x, y = x_law.window(tilt), y_law.window(-slope * tilt)
    # tails[i] = Σ_{k ≥ i} exp(-tilt·(k - i))·weight_k
    tails = np.append(lfilter([1.0], [1.0, -math.exp(-tilt)], x.weights[::-1])[::-1], 0.0)
    # Products that are integers but for rounding count as integers: X/Y = slope satisfies "≥".
    products = slope * y.outcomes
    first = np.ceil(products - 4e-16 * products).astype(np.int64)
    index = np.clip(first - x.start, 0, x.weights.size)
    # Left of X's window the tail is the window's own, only further away.
    below = np.maximum(x.start - first, 0)
    exponents = -tilt * ((first - products) - (x.anchor - slope * y.anchor) + below)
    total = float((y.weights * tails[index]) @ np.exp(exponents))
    if total <= 0.0:
        return -math.inf
    return min(0.0, x.log_scale + y.log_scale + math.log(total))
