"""Theorem 5 as printed, corrected, and against exact worst cases."""

from fractions import Fraction
from itertools import combinations_with_replacement, permutations

import numpy as np

from pkdp.figures._drawing import Blocks, Panels, curves, panels, powers
from pkdp.figures._palette import BLUE, BOUND, EXACT, PRINTED
from pkdp.partial_knowledge import kanonymity, published, thresholding
from pkdp.profiles.logarithms import FloatArray
from pkdp.profiles.profile import PrivacyProfile

TITLE = "Theorem 5 as printed, corrected and exact"
ALT = (
    "δ against ε for five records, λ = 1/5 and k = 3. The exact worst case over all vertices falls "
    "from 0.51 at ε = 0 to 0.41, the corrected bound from 0.72 to 0.59. The printed condition "
    "comes down a staircase from 1 to 0.32, and from ε = 2 on, where the gap is shaded, it lies "
    "below the exact worst case.",
    "δ against ε for a thousand records, λ = 0.05 and k = 100, on a logarithmic axis. As printed, "
    "δ stays near 1 up to ε = 1.5 and is 5·10⁻⁷ at ε = 4. With T = k - 1, and e to the ε_c in "
    "place of ε_c, it is 1.4·10⁻⁴ at ε = 1. The corrected bound falls from 0.080 at ε = 0 to "
    "1.6·10⁻⁷ at ε = 1, and levels off at 1.7·10⁻¹⁰. One world that obeys the conditions "
    "lies below it and has no floor: 0.058 at ε = 0, 8·10⁻⁹ at ε = 1, and 10⁻¹² at ε = 1.5, "
    "where the axis ends.",
)

# Of the first panel: few records, so that every vertex can be tried.
_SMALL, _SMALL_LAM, _SMALL_K = 5, Fraction(1, 5), 3
# A step is more than rounding.
_STEP = 1e-9
# Of the second.
_MANY, _MANY_LAM, _MANY_K = 1000, 0.05, 100


def data() -> Blocks:
    """Yield what is printed, what is proved and what is exact.

    Yields
    ------
    Table
        Columns ``panel`` (``small``, ``many``), ``series`` (``exact``, ``corrected``, and
        ``literal`` and ``exponential`` as printed), ``x`` (ε) and ``y`` (δ).
    """
    eps = np.linspace(0, 4, 81)
    n, lam, k = _SMALL, float(_SMALL_LAM), _SMALL_K
    printed = published.theorem_5(n, lam, k=k)
    few = _with_steps(printed, eps)
    small = {
        "corrected": kanonymity.theorem_5(n, lam, k=k).delta(few),
        "literal": printed.delta(few),
        "exact": _worst(few),
    }
    n, lam, k = _MANY, _MANY_LAM, _MANY_K
    many = {
        "literal": published.theorem_5(n, lam, k=k).delta(eps),
        "exponential": published.theorem_5(n, lam, k=k, reading="exponential").delta(eps),
        "corrected": kanonymity.theorem_5(n, lam, k=k).delta(eps),
        # Everybody is absent with probability λ, and otherwise has the only value.
        "exact": thresholding.exact([1 - lam], threshold=k - 1, multiplicities=[n - 1]).delta(eps),
    }
    yield curves(few, small, panel="small")
    yield curves(eps, many, panel="many")


def _with_steps(profile: PrivacyProfile, eps: FloatArray) -> FloatArray:
    """ε with two points more, one on either side, at each step of a curve that is all steps."""
    delta = profile.delta(eps)
    before, after = (points[np.abs(np.diff(delta)) > _STEP] for points in (eps[:-1], eps[1:]))
    for _ in range(30):
        middle = (before + after) / 2
        stepped = np.abs(profile.delta(middle) - profile.delta(before)) > _STEP
        before, after = np.where(stepped, before, middle), np.where(stepped, middle, after)
    return np.union1d(eps, np.concatenate([before, after]))


def _worst(eps: FloatArray) -> FloatArray:
    """δ at the worst vertex, for a rare value t, a common one c, and the absent."""
    ratios, worst, lam = np.exp(eps)[:, None], np.zeros(eps.size), _SMALL_LAM
    # Of the laws of one record: t rare, c common, c or absent at the least.
    vertices = [{"t": t, "c": c} for t in (Fraction(0), lam) for c in (lam, 1 - lam - t)]
    for world in combinations_with_replacement(vertices, _SMALL - 1):
        laws = [
            kanonymity.joint_law(world, "tc", k=_SMALL_K, target=target)
            for target in ("t", "c", None)
        ]
        outputs = list({output for law in laws for output in law})
        masses = np.array([[float(law.get(output, 0)) for output in outputs] for law in laws])
        for p, q in permutations(masses, 2):
            worst = np.maximum(worst, np.maximum(p - ratios * q, 0).sum(axis=1))
    return worst


def draw(axes: Panels) -> None:
    """Draw δ against ε for few records on the first panel, for many on the second."""
    small, many = panels(axes, "Five records", "A thousand records")
    for panel in axes:
        panel.x("ε", (0, 4))
    small.y("δ", (0, 1.04))
    literal, exact = small.rows("literal"), small.rows("exact")
    small.shade_gap(exact["x"], literal["y"], exact["y"])
    small.curve("corrected", BOUND, "corrected", 3.2)
    small.curve("literal", PRINTED, "as printed", 1.4, (2, 5))
    small.curve("exact", EXACT, "worst vertex", 0.35, (-4, -14), ha="left")
    many.log_y("δ", (1e-12, 3), powers(-12, -8, -4, 0))
    many.curve("literal", PRINTED, "as printed", 2.6, (5, 1))
    many.curve("exponential", PRINTED, "with $e^{ε_c}$", 1.2, (6, 1))
    many.curve("corrected", BOUND, "corrected", 2.4, (0, -12), ha="left", va="bottom")
    many.curve("exact", EXACT)
    many.text(0.08, 2e-11, "one world,\nexact", color=BLUE)
