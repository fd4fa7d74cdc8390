"""Theorem 3 or Theorem 4 for a thresholded count: which one applies, and what it gives.

A system counts, for each of many sequences of actions, the users who carried it out, and publishes
the count if it is above a threshold. The paper's advice is an either-or: many users are likely to
be counted, and Theorem 3 applies; or few are, and Theorem 4 does. The functions here say for
given numbers which of the two it is, if either, and what the exact worst cases promise instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, SupportsFloat, SupportsIndex

import numpy as np

from pkdp._bisection import first_passing, least_passing
from pkdp._checks import MOST_RECORDS, as_integer, as_real
from pkdp.figures._drawing import Blocks, Panels, curves, panels
from pkdp.figures._palette import BLUE, DOTTED, GREEN, INK, VERMILION, line
from pkdp.partial_knowledge import counting, published, thresholding
from pkdp.profiles.binomials import log_binomial_tail
from pkdp.profiles.profile import Constant, Formula, PrivacyProfile, rounded_up
from pkdp.profiles.thresholds import log_worst

__all__ = ["Recommendation", "Theorem", "least_threshold", "recommend"]

TITLE = "Which theorem applies to a thresholded count"
ALT = (
    "Where the theorems give anything at δ = 10⁻⁶ for 100,000 users: the expected count from 0.1 "
    "to 10,000 across, the threshold from 1 to 10,000 upwards, both logarithmic. Theorem 4 "
    "does above a line that runs from 5 at an expected count of 0.1 through 29 at 10 and 152 at "
    "100. Theorem 3 does to the right of 193. Below the line and left of 193 neither does: that "
    "includes the dotted diagonal, where the threshold is the expected count, up to 193.",
    "Where their tight forms give ε ≤ 1 at δ = 10⁻⁶, on the same axes. Above the same line (thin) "
    "ε is 0. The tight Theorem 4 gives ε ≤ 1 from thresholds of 25 on, whatever the expected count "
    "up to 1,000, and from 29 on at 10,000. The tight Theorem 3 does to the right of an expected "
    "count of 34. What is left of the gap is a corner below both. If all users have the same "
    "probability, ε is above 1 only below a dotted line, which follows the corner's upper edge up "
    "to an expected count of 7.5, is between 5 and 12 from 10 to 32, and ends before 42.",
)

RECORDS, DELTA, EPS = 100_000, 1e-6, 1.0
SMALLEST, LARGEST = 0.1, 10_000.0  # expected counts on the maps, and 1…10,000 for thresholds

Theorem = Literal["Theorem 3", "Theorem 4", "both", "neither"]

# No published table has a larger threshold.
_LARGEST_THRESHOLD = 10**7

# From this E on a target of 0 gives nothing away; see `_of_any_number`.
_LARGE_RATIO = 1000.0


@dataclass(frozen=True)
class Recommendation:
    """What is known about a thresholded count of independent records, 1 with probability p.

    Every ε is the least at the δ that was asked for, with nothing known to the attacker; inf where
    there is none.

    Attributes
    ----------
    theorem : {"Theorem 3", "Theorem 4", "both", "neither"}
        Which of the paper's closed forms gives a guarantee at this δ.
    expected : float
        p(n-1), how many of the others are expected to be 1.
    theorem_3 : float
        ε of Theorem 3's closed form as printed if all p_j lie in [λ, 1-λ], λ = min(p, 1-p).
    theorem_4 : float
        ε of Theorem 4 as printed if all p_j are at most p.
    between : float
        ε of the exact worst case over all p_j in [λ, 1-λ], Theorem 3 made tight.
    at_most : float
        ε of the exact worst case over all p_j up to p, Theorem 4 made tight.
    equal : float
        ε if every record is 1 with probability p.
    passive : float
        A δ at which ε = 0 is enough, if all p_j are at most p and whatever the attacker sees of
        the others; rounded up.

    Examples
    --------
    Half as many again as are expected: neither theorem gives anything, and a modest ε is enough.

    >>> advice = recommend(100_000, 0.0003, threshold=45)
    >>> advice.theorem, advice.theorem_3, advice.theorem_4
    ('neither', inf, inf)
    >>> [round(eps, 4) for eps in (advice.between, advice.at_most, advice.equal)]
    [1.0993, 0.682, 0.6057]
    """

    theorem: Theorem
    expected: float
    theorem_3: float
    theorem_4: float
    between: float
    at_most: float
    equal: float
    passive: float


def recommend(
    n: SupportsIndex,
    p: SupportsFloat,
    *,
    threshold: SupportsIndex,
    delta: SupportsFloat = 1e-6,
) -> Recommendation:
    """Say which theorem applies to a thresholded count, and what it gives.

    Parameters
    ----------
    n : int
        Number of records, target included; in 2…10¹⁰.
    p : float
        In [0, 1]: the probability of a 1. Theorem 4 needs every record's to be at most p; Theorem 3
        every record's to be between p and 1-p; both need independent records.
    threshold : int
        T in 0…n: counts up to T are suppressed.
    delta : float
        δ in (0, 1).

    Returns
    -------
    Recommendation

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    TypeError
        If `n` or `threshold` is not an integer, or `p` or `delta` not a number.

    Notes
    -----
    What holds for the count holds for what is published of it, so Theorem 3 needs no threshold. If
    an attacker has set `known` other records, ask about ``n - known`` and ``threshold - known``
    (Proposition 8); the δ called passive needs no such care.

    References
    ----------
    Section 4.2 of the paper, the paragraph before Proposition 8.

    Examples
    --------
    >>> [recommend(100_000, p, threshold=100).theorem for p in (0.0003, 0.001, 0.003)]
    ['Theorem 4', 'neither', 'Theorem 3']
    """
    records = as_integer(n, "n", 2, MOST_RECORDS)
    p = as_real(p, "p", "in [0, 1]", 0.0, 1.0)
    threshold = as_integer(threshold, "threshold", 0, records)
    delta = _as_delta(delta)
    lam = min(p, 1.0 - p)
    three = _theorem_3(records, lam, delta)
    four = theorem_4(records, p, threshold, delta)
    log_tail = float(log_binomial_tail(threshold, records - 1, p))
    return Recommendation(
        theorem=_which(three < math.inf, four < math.inf),
        expected=p * (records - 1),
        theorem_3=three,
        theorem_4=four,
        between=counting.worst_case(records, lam).epsilon(delta) if lam else math.inf,
        at_most=thresholding.worst_case(records, p, threshold=threshold).epsilon(delta),
        equal=thresholding.exact([p], threshold=threshold, multiplicities=[records - 1]).epsilon(
            delta
        ),
        passive=rounded_up(Constant(log_tail), "upper bound").delta(0.0),
    )


def least_threshold(
    p: SupportsFloat, eps: SupportsFloat, *, delta: SupportsFloat, known: SupportsIndex = 0
) -> int:
    """Return the least threshold that protects counts of any number of independent records.

    Parameters
    ----------
    p : float
        In [0, 1): no record is 1 with a larger probability, except for `known` of them.
    eps : float
        ε > 0, of any size the threshold can buy (it must not exceed 10⁷).
    delta : float
        δ in (0, 1).
    known : int
        How many other records may be surely 1, known to the attacker, or set by her.

    Returns
    -------
    int
        The least T such that for every n the count with counts up to T suppressed has (ε, δ).

    Raises
    ------
    ValueError
        If an argument lies outside its range, or no threshold up to 10⁷ is enough.
    TypeError
        If `known` is not an integer or another argument not a number.

    Notes
    -----
    The worst case over all p_j ≤ p stops depending on n beyond ``T + T·E(1-p)/p`` records. Where
    these would be more than 10¹⁰, p counts as somewhat larger. That assumes less, so the answer
    remains sound; and as δ has all but reached its limit for small p, hardly anything is lost.

    References
    ----------
    Not in the paper.

    Examples
    --------
    >>> [least_threshold(p, 1.0, delta=1e-6) for p in (1e-9, 0.01, 0.1, 0.5)]
    [25, 25, 29, 59]
    >>> least_threshold(0.01, 1.0, delta=1e-6, known=1000)
    1025
    """
    p = as_real(p, "p", "in [0, 1)", 0.0, math.nextafter(1.0, 0.0))
    eps = as_real(eps, "eps", "in (0, inf]", math.nextafter(0.0, 1.0), math.inf)
    delta = _as_delta(delta)
    informed = as_integer(known, "known", 0, MOST_RECORDS)

    if p == 0.0:  # nobody else can be a 1, so that the target alone is hidden by T = 1
        return 1 + informed

    def enough(threshold: int) -> bool:
        return _of_any_number(p, threshold).delta(eps) <= delta

    least = first_passing(1, _LARGEST_THRESHOLD + 1, enough)
    if least > _LARGEST_THRESHOLD:
        raise ValueError(
            f"eps must be large enough for some threshold up to {_LARGEST_THRESHOLD}, "
            f"got {eps!r} with p = {p!r}, delta = {delta!r}"
        )
    return least + informed


def _of_any_number(p: float, threshold: int) -> PrivacyProfile:
    """Return the largest δ(ε) over all numbers of records and all p_j ≤ p, for T ≥ 1 and p > 0.

    Each direction is computed for as many records as it can use, and for a larger p where these
    would be more than `MOST_RECORDS`: p_j ≤ p is the stronger assumption. Towards 0 it can use
    ``T + T·E(1-p)/p``. Where E exceeds `_LARGE_RATIO` these may still be too many; but then pN is
    at least 500·T, so that the others' count is T at most with probability ``exp(-492·T)``, less
    than any float.
    """
    few = 2.0 * threshold / MOST_RECORDS

    def log_delta(eps: float) -> float:
        forth, _ = log_worst(MOST_RECORDS, max(p, few * math.exp(-eps)), threshold, eps)
        ratio = math.exp(min(eps, math.log(_LARGE_RATIO)))
        _, back = log_worst(MOST_RECORDS, max(p, min(few * ratio, 0.5)), threshold, eps)
        return max(forth, back)

    return rounded_up(Formula(log_delta), "upper bound")


def _as_delta(delta: SupportsFloat) -> float:
    return as_real(delta, "delta", "in (0, 1)", math.nextafter(0.0, 1.0), math.nextafter(1.0, 0.0))


def _theorem_3(n: int, lam: float, delta: float) -> float:
    """Return the ε of Theorem 3's closed form as printed, if there is one up to 1, else inf."""
    if lam == 0.0:  # where everybody's record is certain, Theorem 3 says nothing
        return math.inf
    printed = published.theorem_3_closed_form(n, lam)
    return rounded_up(printed.release, "upper bound").epsilon(delta)


def theorem_4(n: int, p: float, threshold: int, delta: float) -> float:
    """Return the ε of Theorem 4 as printed, if its δ is small enough, else inf."""
    try:
        terms = thresholding.theorem_4_terms(n, p, threshold=threshold)
    except ValueError:  # the arguments are in their ranges: the theorem says nothing
        return math.inf
    if terms.log_delta > math.log(delta):
        return math.inf
    # It is positive, though it may be less than any float.
    return terms.eps if terms.log_delta == -math.inf else math.nextafter(terms.eps, math.inf)


def _which(three: bool, four: bool) -> Theorem:
    if three and four:
        return "both"
    return "Theorem 3" if three else "Theorem 4" if four else "neither"


def data() -> Blocks:
    """Yield the borders on the two maps.

    Yields
    ------
    Table
        Columns ``panel`` (``printed``, ``tight``), ``series``, ``x`` and ``y``. A border has for
        each expected count x the least threshold y (``theorem 4``, ``at most``, ``equal``); the
        borders ``theorem 3`` and ``between`` are vertical.
    """
    counts = np.geomspace(SMALLEST, LARGEST, 41)
    # The least threshold that is enough; all larger ones are, too.
    printed, at_most, equal = (
        {series: [_border(series, x / (RECORDS - 1)) for x in counts.tolist()]}
        for series in ("theorem 4", "at most", "equal")
    )
    ends = np.array([1.0, LARGEST])
    three = 14.0 * math.log(1.0 / DELTA)  # there the closed form's ε is 1

    def passes(x: float) -> bool:
        return counting.worst_case(RECORDS, x / (RECORDS - 1)).delta(EPS) <= DELTA

    between = least_passing(SMALLEST, LARGEST, passes, 0.0005)
    yield curves(counts, printed, panel="printed")
    yield curves(three, {"theorem 3": ends}, panel="printed")
    yield curves(counts, printed | at_most, panel="tight")
    yield curves(between, {"between": ends}, panel="tight")
    yield curves(counts, equal, panel="tight")


def _border(series: str, p: float) -> float:
    """Return the least threshold at which Theorem 4 applies, or a tight form has ε ≤ 1."""

    def passes(threshold: int) -> bool:
        if series == "theorem 4":
            return theorem_4(RECORDS, p, threshold, DELTA) < math.inf
        if series == "at most":
            profile = thresholding.worst_case(RECORDS, p, threshold=threshold)
        else:
            profile = thresholding.exact([p], threshold=threshold, multiplicities=[RECORDS - 1])
        return profile.delta(EPS) <= DELTA

    return float(first_passing(1, RECORDS, passes))


def draw(axes: Panels) -> None:
    """Draw the printed theorems on the first map, the tight ones on the second."""
    printed, tight = panels(axes, "As printed", "Tight, ε ≤ 1")
    marks = {mark: str(mark) for mark in (0.1, 1, 10, 100, 1000)} | {10_000: "10⁴"}
    heights = {mark: text for mark, text in marks.items() if mark >= 1}
    for panel, above, right_of in (
        (printed, "theorem 4", "theorem 3"),
        (tight, "at most", "between"),
    ):
        panel.log_x("expected count", (SMALLEST, LARGEST), marks)
        panel.log_y("threshold T", (1, LARGEST), heights)
        # Colour what either border encloses, and the corner that is left between them.
        border = panel.rows(above)
        x, y, edge = border["x"], border["y"], panel.rows(right_of)["x"][0]
        panel.fill_between(x, y, LARGEST, color=GREEN, alpha=0.2, linewidth=0)
        panel.axvspan(edge, LARGEST, color=BLUE, alpha=0.2, linewidth=0)
        left = x < edge
        last = np.exp(np.interp(np.log(edge), np.log(x), np.log(y)))
        x, y = np.append(x[left], edge), np.append(y[left], last)
        panel.fill_between(x, y, 1.0, color=VERMILION, alpha=0.2, linewidth=0)
    printed.curve("theorem 4", line(GREEN))
    printed.curve("theorem 3", line(BLUE))
    printed.plot([1, LARGEST], [1, LARGEST], color=INK, linewidth=0.8, linestyle=(0, (1, 2)))
    tight.curve("theorem 4", line(GREEN, width=1.0))
    tight.curve("at most", line(GREEN))
    tight.curve("between", line(BLUE))
    tight.curve("equal", line(INK, DOTTED, 1.2))
    for panel, place, height, text, color in (
        (printed, 1.2, 700, "Theorem 4", GREEN),
        (printed, 1400, 12, "Theorem 3", BLUE),
        (printed, 620, 5000, "both", BLUE),
        (printed, 0.6, 2.2, "neither", VERMILION),
        (tight, 1.2, 1500, "Theorem 4", GREEN),
        (tight, 1.4, 160, "above the thin line\nε = 0, passive too", GREEN),
        (tight, 1000, 120, "both", BLUE),
        (tight, 1000, 5, "Theorem 3", BLUE),
        (tight, 1.2, 2.2, "neither", VERMILION),
    ):
        panel.text(place, height, text, color=color, ha="center", va="center")
