"""Hypotheses about the choice of databases, read aloud: replies, views, mixtures, game trees.

A vector of bits says which of k databases somebody is in, a prior is a plain table
``{bits: Fraction}``, a law is ``{output: Fraction}``. Guarantees of the k mechanisms are given by
``ratios``, the numbers E_i = exp(eps_i), and by ``deltas``. Every view is written out, every
output counted; so it is slow, exact, and for k up to 5 or so. Nothing here imports the library.

Two things stand beside each other. `reply` is randomized response with a leak, of which the book
claims that no mechanism of the same guarantee tells more. `random_pair` and `random_adversary` draw
other mechanisms, straight from the definition of (eps, delta)-privacy and without that claim.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from random import Random
from typing import Any

Rational = Fraction | int
Bits = tuple[int, ...]
Prior = Mapping[Bits, Rational]
Law = dict[Any, Fraction]
Ratio = Fraction | float  # a Fraction, or math.inf
# What an attacker submits after each history of outputs: the laws of the answer for 0 and for 1.
Adversary = Mapping[tuple[Any, ...], tuple[Law, Law]]

F0, F1 = Fraction(0), Fraction(1)

# --------------------------------------------------------------------------------------------
# Laws
# --------------------------------------------------------------------------------------------


def mixture(parts: Iterable[tuple[Rational, Mapping[Any, Rational]]]) -> Law:
    """Law of an output whose law is drawn first: weights, and laws."""
    law: Law = {}
    for weight, part in parts:
        share = Fraction(weight)
        for output, p in part.items():
            law[output] = law[output] + share * p if output in law else share * p
    return {output: p for output, p in law.items() if p}


def hockey_stick(p: Law, q: Law, ratio: Rational) -> Fraction:
    """Sum over the outputs of max(0, P - ratio Q)."""
    return sum((max(F0, mass - ratio * q.get(output, F0)) for output, mass in p.items()), F0)


def largest_event(p: Law, q: Law, ratio: Rational) -> Fraction:
    """The same, by its definition: the largest P(S) - ratio Q(S) of all events S. Few outputs."""
    outputs = sorted({*p, *q}, key=repr)
    return max(
        sum(
            (
                p.get(o, F0) - ratio * q.get(o, F0)
                for o, chosen in zip(outputs, S, strict=True)
                if chosen
            ),
            F0,
        )
        for S in product((False, True), repeat=len(outputs))
    )


def likelihood_ratio(p: Law, q: Law) -> Ratio:
    """Largest ratio of P to Q over the outputs that P can give; infinite where Q cannot."""
    return max(mass / q[output] if q.get(output) else math.inf for output, mass in p.items())


# --------------------------------------------------------------------------------------------
# Priors
# --------------------------------------------------------------------------------------------


def vectors(k: int) -> list[Bits]:
    """All vectors of k bits."""
    return list(product((0, 1), repeat=k))


def normalized(weights: Mapping[Bits, Rational]) -> dict[Bits, Fraction]:
    """Weights divided by their sum; those that are 0 left out."""
    total = sum(weights.values())
    return {bits: Fraction(weight) / total for bits, weight in weights.items() if weight}


def independent(probabilities: Sequence[Rational]) -> dict[Bits, Fraction]:
    """Prior under which somebody is in each database on her own coin."""
    return normalized(
        {
            bits: math.prod(p if bit else 1 - p for bit, p in zip(bits, probabilities, strict=True))
            for bits in vectors(len(probabilities))
        }
    )


def conditioned(prior: Prior, known: Mapping[int, int]) -> dict[Bits, Fraction] | None:
    """Prior given the bits at some places; None if that cannot be."""
    left = {
        bits: weight
        for bits, weight in prior.items()
        if weight and all(bits[i] == bit for i, bit in known.items())
    }
    return normalized(left) if left else None


def random_prior(
    draws: Random, k: int, grain: int = 6, sparse: bool = True
) -> dict[Bits, Fraction]:
    """Draw a prior whose weights are small whole numbers, before they are divided by their sum.

    If it is ``sparse``, many draws leave out many vectors: points, pairs, small supports.
    """
    support = vectors(k)
    if sparse:
        support = draws.sample(support, draws.randint(1, len(support)))
    return normalized({bits: draws.randint(1, grain) for bits in support})


# --------------------------------------------------------------------------------------------
# Randomized response with a leak
# --------------------------------------------------------------------------------------------


def reply(bit: int, ratio: Rational, delta: Rational) -> Law:
    """With probability delta the bit, marked as leaked; else it or its opposite, odds ratio : 1."""
    answer = (1 - Fraction(delta)) / (1 + Fraction(ratio))
    law = {f"leaked {bit}": Fraction(delta), bit: ratio * answer, 1 - bit: answer}
    return {output: p for output, p in law.items() if p}


def view(bits: Bits, ratios: Sequence[Rational], deltas: Sequence[Rational]) -> Law:
    """Law of the k replies, which are independent given the bits."""
    return _view(bits, tuple(ratios), tuple(deltas))


@lru_cache(maxsize=4096)  # each prior asks for the same ones
def _view(bits: Bits, ratios: tuple[Rational, ...], deltas: tuple[Rational, ...]) -> Law:
    law: Law = {(): F1}
    for bit, ratio, delta in zip(bits, ratios, deltas, strict=True):
        answers = reply(bit, ratio, delta)
        law = {(*seen, o): p * q for seen, p in law.items() for o, q in answers.items()}
    return law


def seen(prior: Prior, ratios: Sequence[Rational], deltas: Sequence[Rational]) -> Law:
    """Law of the k replies, the bits being drawn from the prior."""
    return mixture((weight, view(bits, ratios, deltas)) for bits, weight in prior.items())


def one_way(
    prior: Prior,
    other: Prior,
    ratios: Sequence[Rational],
    deltas: Sequence[Rational],
    ratio: Rational,
) -> Fraction:
    """Least delta with P(S) <= ratio Q(S) + delta for all S, P being the law under the prior."""
    return hockey_stick(seen(prior, ratios, deltas), seen(other, ratios, deltas), ratio)


def delta(
    prior: Prior,
    other: Prior,
    ratios: Sequence[Rational],
    deltas: Sequence[Rational],
    ratio: Rational,
) -> Fraction:
    """Least delta of Definition 3 for exp(eps) = ratio: the larger of both directions."""
    p, q = seen(prior, ratios, deltas), seen(other, ratios, deltas)
    return max(hockey_stick(p, q, ratio), hockey_stick(q, p, ratio))


def one_way_ratio(prior: Prior, other: Prior, ratios: Sequence[Rational]) -> Ratio:
    """Largest likelihood ratio of the prior to the other; no mechanism leaks."""
    none = [0] * len(ratios)
    return likelihood_ratio(seen(prior, ratios, none), seen(other, ratios, none))


def least_ratio(prior: Prior, other: Prior, ratios: Sequence[Rational]) -> Ratio:
    """Least exp(eps) of Definition 3 for delta = 0; no mechanism leaks."""
    none = [0] * len(ratios)
    p, q = seen(prior, ratios, none), seen(other, ratios, none)
    return max(likelihood_ratio(p, q), likelihood_ratio(q, p))


# --------------------------------------------------------------------------------------------
# Any mechanisms, and attackers who choose them as they go
# --------------------------------------------------------------------------------------------


def random_law(draws: Random, outputs: int, grain: int = 5) -> Law:
    """Draw a law on 0, ..., outputs - 1; some outputs may be impossible."""
    weights = [draws.randint(0, grain) for _ in range(outputs)]
    weights[draws.randrange(outputs)] += 1
    return {o: Fraction(w, sum(weights)) for o, w in enumerate(weights) if w}


def toned_down(p: Law, q: Law, common: Law, ratio: Rational, delta: Rational) -> tuple[Law, Law]:
    """Mix two laws with a common one just so much that they are (ln ratio, delta)-private.

    In the weight of the common law, the larger of both hockey-sticks is convex, made of straight
    pieces, and 0 at weight 1. So Newton's method, begun at weight 0, ends at the least weight.
    """
    weight, ends = F0, (p, q)
    while True:
        pair = [mixture([(1 - weight, law), (weight, common)]) for law in (p, q)]
        worst, up, down = max(
            (hockey_stick(pair[a], pair[b], ratio), a, b) for a, b in ((0, 1), (1, 0))
        )
        if worst <= delta:
            return pair[0], pair[1]
        slope = sum(
            (
                common.get(o, F0) * (1 - ratio)
                - (ends[up].get(o, F0) - ratio * ends[down].get(o, F0))
                for o in {*p, *q, *common}
                if pair[up].get(o, F0) > ratio * pair[down].get(o, F0)
            ),
            F0,
        )
        weight += (delta - worst) / slope


def random_pair(
    draws: Random, ratio: Rational, delta: Rational, outputs: int = 3
) -> tuple[Law, Law]:
    """Draw the laws of an (ln ratio, delta)-private answer, for bit 0 and for bit 1."""
    p, q, common = (random_law(draws, outputs) for _ in range(3))
    return toned_down(p, q, common, ratio, delta)


def random_adversary(
    draws: Random, ratios: Sequence[Rational], deltas: Sequence[Rational], outputs: int = 3
) -> dict[tuple[Any, ...], tuple[Law, Law]]:
    """Draw an attacker who, after each history, submits a mechanism with that round's guarantee."""
    return {
        history: random_pair(draws, ratio, delta, outputs)
        for turn, (ratio, delta) in enumerate(zip(ratios, deltas, strict=True))
        for history in product(range(outputs), repeat=turn)
    }


def played(adversary: Adversary, bits: Bits) -> Law:
    """Law of the outputs if database i is answered with (without) the record for bit 1 (0)."""
    law: Law = {(): F1}
    for bit in bits:
        law = {
            (*history, o): p * q
            for history, p in law.items()
            for o, q in adversary[history][bit].items()
        }
    return law


def played_one_way(adversary: Adversary, prior: Prior, other: Prior, ratio: Rational) -> Fraction:
    """Least delta of one direction of Definition 3 against this attacker."""
    p, q = (
        mixture((weight, played(adversary, bits)) for bits, weight in hypothesis.items())
        for hypothesis in (prior, other)
    )
    return hockey_stick(p, q, ratio)


def guarantees(draws: Random, k: int) -> Iterator[tuple[Fraction, Fraction]]:
    """Draw k unequal guarantees, E_i from 1 to 9 and delta_i from 0 to 1/2, many of them 0."""
    for _ in range(k):
        ratio = 1 + Fraction(draws.randint(0, 8 * 6), 6)
        yield ratio, Fraction(max(0, draws.randint(-4, 4)), 8)
