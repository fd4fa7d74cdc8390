"""Eight results of this book, a small picture of each."""

import math
from fractions import Fraction
from typing import Any

import numpy as np

from pkdp.databases import hypotheses
from pkdp.figures._drawing import Blocks, Panels, block, curves, panels, powers, seen
from pkdp.figures._palette import BLUE, BOUND, EXACT, GREEN, INK, PRINTED, SPARSE, VERMILION, line
from pkdp.figures.reference import few_frequencies
from pkdp.noiseless import chains
from pkdp.partial_knowledge import counting, dependent_counts, published, thresholding
from pkdp.profiles.binomials import binomial_masses
from pkdp.worlds.constructors import correlated_pairs
from pkdp.worlds.definitions import cdp_ratio, np_ratio
from pkdp.worlds.mechanisms import make_randomized_response

TITLE = "Eight results"
ALT = (
    "δ, logarithmic, against ε from 0 to 1 for a count of 1,000 unknown records at λ = 0.1. The "
    "exact worst case falls from 0.042 through 5.9e-7 at ε = 0.5 to 8.7e-15. The bound of Theorem "
    "3, corrected, is above it: 0.056, 1.3e-5 and 1.4e-12.",
    "ε at δ = 10⁻¹⁰ against the number N of unknown records, both logarithmic, for λ = 0.1. At "
    "N = 10,000 the printed closed form has 0.57, the new one 0.31 and the exact worst case 0.19. "
    "At N = 10 million they have 0.018, 0.0098 and 0.0052.",
    "The δ of Theorem 4, as a multiple of the exact δ at ε = 0, against the threshold T from 8 to "
    "30, for 1,001 records and p = 0.005. It falls from 2.7 through 1.5 at T = 15 to 1.2; a line "
    "at 1 is the exact δ.",
    "δ at ε = 0.5 against n, both logarithmic, for λ = 0.4. Of dependent records the worst case "
    "falls from 0.6 at n = 2 to 0.076 at 100 and then stays above a dotted line at 0.037. Of "
    "independent ones it is 9.2e-4 at n = 100 and below 10⁻⁹ from n = 540 on.",
    "The exact ε of being in some of k databases against none, for k to 50 and mechanisms of "
    "ε = 0.1. All or none: a line from 0.1 to 5. Each with ½: up to 2.6. Each with 0.1: to 0.53.",
    "ε at δ = 10⁻⁶, logarithmic, of the total of 10,000 bits in a chain, against the correlation "
    "of neighbours from -0.9 to 0.9. By Definition 3 it falls from 0.34 through 0.071 at 0 to "
    "0.015; by the conditional notion it rises from 0.014 through 0.071 to 0.35.",
    "Noiseless ε against causal ε from 0 to 1.1, for randomized response on two bits. Three lines "
    "begin at 0. At 1.1, independent bits have 1.1, those of correlation ½ 1.6, equal ones 2.2.",
    "A bound on what a Fourier sum leaves out after so many terms, as a part of the sum and "
    "logarithmic. It is below 10⁻¹⁶ after 36 terms for a thousand records, after 30 for a million "
    "and after 31 for a billion.",
)
PANEL_SIZE = (3.3, 2.3)

LAM, MANY, FEW = 0.1, 1e-10, 1e-6
RARE, ALIKE, EPS, EACH, BITS = 0.005, 0.4, 0.5, 0.1, 10_000
NAMES = (
    *("Worst case of a count", "A closed form", "Thresholds with ε = 0", "Dependent records"),
    *("Hypotheses over databases", "A chain of bits", "Two records", "Certified values"),
)
PAIRS = ("equal bits", "correlation ½", "independent")


def data() -> Blocks:
    """Yield the curves of eight panels.

    Yields
    ------
    Table
        Columns ``panel`` (1 to 8), ``series``, ``x`` and ``y``.
    """
    eps = np.linspace(0.0, 1.0, 41)
    for name, bound in (("exact", counting.worst_case), ("bound", counting.blanket)):
        yield block(panel=1, series=name, x=eps, y=bound(1001, LAM).delta(eps))
    printed: Any = published.theorem_3_closed_form
    forms = (printed, counting.closed_form, counting.worst_case)
    sizes = np.unique(np.geomspace(300, 1e7, 61).round())
    for name, form in zip(("printed", "closed", "exact"), forms, strict=True):
        y = [form(int(size) + 1, LAM).epsilon(MANY) for size in sizes.tolist()]
        yield seen(block(panel=2, series=name, x=sizes, y=y))
    thresholds = range(8, 31)
    told = [thresholding.theorem_4_terms(1001, RARE, threshold=t).log_delta for t in thresholds]
    true = [thresholding.worst_case(1001, RARE, threshold=t).log_delta(0.0) for t in thresholds]
    heights = {"printed": np.exp(np.subtract(told, true)), "exact": np.ones(len(told))}
    yield curves(np.array(thresholds, dtype=float), heights, panel=3)
    crowds = np.unique(np.geomspace(2, 1e5, 49).round())
    for name, worst in (("dependent", dependent_counts), ("independent", counting)):
        y = [worst.worst_case(int(n), ALIKE).delta(EPS) for n in crowds.tolist()]
        yield seen(block(panel=4, series=name, x=crowds, y=y), 1e-18)
    limit = dependent_counts.limit(ALIKE).delta(EPS)
    yield block(panel=4, series="limit", x=crowds[[0, -1]], y=limit)
    numbers = np.array([1, 2, 3, 5, 8, *range(10, 51, 4)], dtype=float)
    costs = {"all": EACH * numbers}
    for chance in (0.5, 0.1):
        laws = (hypotheses.given_number(binomial_masses(int(k), chance), least=1) for k in numbers)
        costs[f"{chance:g}"] = np.array(
            [hypotheses.number_against_none(law, EACH).up for law in laws]
        )
    yield curves(numbers, costs, panel=5)
    rho = np.array([-0.9, -0.85, -0.8, -0.7, -0.5, -0.25, 0, 0.25, 0.5, 0.7, 0.8, 0.85, 0.9])
    notions = {"by Definition 3": chains.causal, "conditional": chains.conditional}
    found = {k: [f(BITS, 0.5, c).epsilon(FEW) for c in rho.tolist()] for k, f in notions.items()}
    yield curves(rho, found, panel=6)
    truths = [make_randomized_response(Fraction(i, 20)) for i in range(11)]
    for name, same in zip(PAIRS, (4, 3, 2), strict=True):
        world = correlated_pairs([Fraction(1, 2)], Fraction(same, 4))
        x = [math.log(cdp_ratio(world, told, [0])) for told in truths]
        y = [math.log(np_ratio(world, told, [0])) for told in truths]
        yield block(panel=7, series=name, x=x, y=y)
    for part in few_frequencies.data():
        name = f"{part['records'][0]:.0e}"
        yield block(panel=8, series=name, x=part["term"].astype(float), y=part["bound"])


def draw(axes: Panels) -> None:
    """Draw a picture of each result."""
    tight, closed, rare, dependent, hidden, chain, two, sure = panels(
        axes, *(f"{number}  {name}" for number, name in enumerate(NAMES, 1))
    )
    tight.x("ε", (0, 1), [0, 0.5, 1])
    tight.log_y("δ", (1e-15, 1), powers(-12, -8, -4, 0))
    tight.curve("bound", BOUND, "Theorem 3, corrected", 0.5, (3, 3))
    tight.curve("exact", EXACT, "exact", 0.6, (-4, -5))
    closed.log_x("unknown records N", (300, 1e7), powers(3, 4, 5, 6, 7))
    closed.log_y("ε at δ = 10⁻¹⁰", (4e-3, 1.7), [0.01, 0.1, 1])
    closed.curve("printed", PRINTED, "as printed", 1e5, (3, 3))
    closed.curve("closed", line(GREEN), "new", 1011, (3, 3))
    closed.curve("exact", EXACT, "exact", 3e4, (-4, -6))
    rare.x("threshold T", (8, 30), [10, 15, 20, 25, 30])
    rare.y("δ / exact δ", (0, 3), range(4))
    rare.curve("printed", PRINTED, "Theorem 4, with an ε > 0", 11, (6, 2))
    rare.curve("exact", EXACT, "exact, ε = 0", 19, (0, -5))
    dependent.log_x("n", (2, 1e5), powers(1, 2, 3, 4, 5))
    dependent.log_y("δ at ε = 0.5", (1e-9, 1), powers(-8, -4, 0))
    dependent.curve("limit", line(INK, SPARSE, 1.2))
    dependent.curve("dependent", line(VERMILION), "dependent, never below 0.037", 4000, (0, 4))
    dependent.curve("independent", EXACT, "independent", 230, (-4, -4))
    hidden.x("databases k", (0, 50), [0, 25, 50])
    hidden.y("exact ε", (0, 5.2), [0, 2.5, 5], digits=1)
    hidden.curve("all", line(INK, SPARSE, 1.4), "in all or none", 32, (-5, 2))
    hidden.curve("0.5", EXACT, "each with ½", 34, (4, -5))
    hidden.curve("0.1", line(VERMILION), "each with 0.1", 36)
    chain.x("correlation of neighbours", (-0.95, 0.95), [-0.9, -0.5, 0, 0.5, 0.9])
    chain.log_y("ε at δ = 10⁻⁶", (0.01, 0.6), [0.01, 0.03, 0.1, 0.3])
    chain.curve("by Definition 3", EXACT, "by Definition 3", -0.6, (5, 3))
    chain.curve("conditional", line(VERMILION), "conditional", 0.45, (3, -6))
    two.x("causal ε", (0, 1.7), [0, 0.5, 1])
    two.y("noiseless ε", (0, 2.4), [0, 1, 2])
    for series, color in zip(PAIRS, (VERMILION, GREEN, BLUE), strict=True):
        two.curve(series, line(color))
        two.end(series, series, color)
    sure.x("terms", (0, 60), [0, 20, 40, 60])
    sure.log_y("left out, at most", (1e-32, 1e8), powers(-32, -16, 0))
    sure.curve("1e+03", line(BLUE), "10³ records", 35, (4, 3))
    sure.curve("1e+06", line(VERMILION), "10⁶ and 10⁹", 30, (-4, -5))
    sure.curve("1e+09", line(INK, (0, (2, 2)), 1.2))
