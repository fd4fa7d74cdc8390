"""Example 7 at its real size: δ for each number of known Yes votes, and where PPK comes from."""

import math
from itertools import accumulate
from typing import NamedTuple

from pkdp.figures._drawing import Blocks, Panels, block, panels
from pkdp.figures._palette import BLUE, DASHED, GREEN, INK, VERMILION, line, power_of_ten

TITLE = "Example 7: a hundred forged votes, or luck of one in 10⁵⁶⁰"
ALT = (
    "The exponent of δ at e^ε = 2, from -600 to 0, against the number of known Yes votes from 0 "
    "to 100. The dots rise on a nearly straight line from 10 to the -565 at 0 to 10 to the -8.4 at "
    "98 and 10 to the -4 at 99. The last dot, at 100, is practically 1. A dashed line at 10 to the "
    "-560 marks their mean, which the passive attacker has, just above the first dot.",
    "Which numbers of known Yes votes contribute to that mean: bars from 0 to 25, highest at 10 "
    "with 14 %, and below 1 % outside 4 to 16. Beyond the bars the shares fall on; at 100 it is "
    "10 to the -140.",
)

RECORDS, KNOWN, THRESHOLD, ONE_IN, RATIO = 1000, 100, 100, 10**7, 2
_SHOWN = 25  # the last bar of the second panel


class Deltas(NamedTuple):
    """What attackers can do who know some votes of a thresholded count, in exact integers.

    Attributes
    ----------
    yes, no : tuple of int
        For b = 0, 1, … known Yes votes δ of a target's Yes against No, and of No against Yes, in
        units of ``1/unit``.
    weights : tuple of int
        The probabilities of these b, in units of ``1/known_unit``.
    unit, known_unit : int
    """

    yes: tuple[int, ...]
    no: tuple[int, ...]
    weights: tuple[int, ...]
    unit: int
    known_unit: int

    @property
    def active(self) -> tuple[int, ...]:
        """The larger δ of both orders for each b, in units of ``1/unit``."""
        return tuple(map(max, self.yes, self.no))

    @property
    def passive(self) -> int:
        """The larger mean of both orders, in units of ``1/(unit·known_unit)``."""
        return max(
            sum(w * x for w, x in zip(self.weights, order, strict=True))
            for order in (self.yes, self.no)
        )


def deltas(records: int, known: int, threshold: int, one_in: int, ratio: int) -> Deltas:
    """Return δ for each number of known Yes votes; each vote is Yes with probability 1/one_in.

    With S Yes votes among the unknown others and b among the known ones, the tally is shown if
    S ≥ T-b for a target who votes Yes, and if S ≥ T-b+1 for one who votes No.
    """
    unknown = records - 1 - known
    q = binomial(unknown, one_in)
    below = [0, *accumulate(q)]  # P[S < s]
    yes = [max(0, p - ratio * after) for p, after in zip(q, [*q[1:], 0], strict=True)]
    no = [max(0, p - ratio * before) for p, before in zip(q, [0, *q[:-1]], strict=True)]
    # Excess of the outputs that are shown, from S = s on.
    yes_from, no_from = (
        [*accumulate(reversed(terms), initial=0)][::-1] + [0] * (threshold + 1)
        for terms in (yes, no)
    )
    for_yes, for_no = [], []
    for b in range(known + 1):
        # What S has to reach for the tally to be shown.
        least, least_no = max(0, threshold - b), max(0, threshold - b + 1)
        hidden_yes, hidden_no = (below[min(s, unknown + 1)] for s in (least, least_no))
        for_yes.append(yes_from[least] + max(0, hidden_yes - ratio * hidden_no))
        for_no.append(no_from[least_no] + max(0, hidden_no - ratio * hidden_yes))
    weights = binomial(known, one_in)
    return Deltas(tuple(for_yes), tuple(for_no), tuple(weights), one_in**unknown, one_in**known)


def binomial(trials: int, one_in: int) -> list[int]:
    """Return the masses of a binomial law with probability 1/one_in, in units of its power."""
    return [math.comb(trials, k) * (one_in - 1) ** (trials - k) for k in range(trials + 1)]


def data() -> Blocks:
    """Yield the exponents of δ, and the shares of the numbers of known Yes votes in the mean.

    Yields
    ------
    Table
        Columns ``panel`` (``exponent``, ``share``), ``series`` (``active``, ``passive``;
        ``share``, ``last share``), ``x`` (number of known Yes votes) and ``y`` (log10 δ, or a
        share; of the last one its log10).
    """
    import numpy as np

    found = deltas(RECORDS, KNOWN, THRESHOLD, ONE_IN, RATIO)
    numbers = np.arange(KNOWN + 1.0)
    active = [math.log10(x) - math.log10(found.unit) for x in found.active]
    # Yes against No is the order with the larger mean.
    terms = [w * x for w, x in zip(found.weights, found.yes, strict=True)]
    whole = found.passive
    passive = math.log10(whole) - math.log10(found.unit) - math.log10(found.known_unit)
    shares = [term / whole for term in terms[: _SHOWN + 1]]
    last = math.log10(terms[-1]) - math.log10(whole)
    yield block(panel="exponent", series="active", x=numbers, y=active)
    yield block(panel="exponent", series="passive", x=numbers[[0, -1]], y=passive)
    yield block(panel="share", series="share", x=numbers[: _SHOWN + 1], y=shares)
    yield block(panel="share", series="last share", x=numbers[-1:], y=last)


def draw(axes: Panels) -> None:
    """Draw the exponents on the first panel, the shares on the second."""
    exponent, share = panels(axes, "What the attacker gets", "Where passive luck lies")
    exponent.x("known Yes votes", (-3, 104))
    marks = {mark: power_of_ten(mark) for mark in (-600, -400, -200, 0)}
    exponent.y("δ at ε = ln 2", (-620, 30), marks)
    active, passive = exponent.rows("active"), exponent.rows("passive")
    exponent.plot(active["x"], active["y"], "o", color=VERMILION, markersize=2.2)
    every = 100, float(active["y"][-1])
    exponent.note("active: all 100 Yes", every, (-34, -6), VERMILION, va="center", lead=True)
    text = f"passive: the mean, {power_of_ten(float(passive['y'][0]))}"
    exponent.curve(passive, line(BLUE, DASHED, 1.6), text, 60)
    share.x("known Yes votes", (-1, _SHOWN + 1))
    share.y("share of the mean", (0, 0.16), {0: "0", 0.05: "5 %", 0.1: "10 %", 0.15: "15 %"})
    shares = share.rows("share")
    share.bar(shares["x"], shares["y"], width=0.8, color=GREEN)
    (last,) = share.rows("last share")["y"]
    text = f"all 100 Yes:\n{power_of_ten(float(last))}"
    share.text(_SHOWN, 0.1, text, color=INK, ha="right", va="center")
