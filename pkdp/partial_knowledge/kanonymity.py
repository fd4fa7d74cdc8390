"""k-anonymity (histograms without small counts) under partial knowledge: section 4.3 of the paper.

The mechanism is a histogram from which counts below k are suppressed (Definition 16). A record
whose value is not among those counted is *absent*, the paper's ⊥: it is in no count, and how many
records are absent is never released.

There are three parts: the mechanisms themselves, to be evaluated on a `pkdp.worlds.World`; the
exact law of the histogram for independent records, by convolution; and what can be said for
databases of any size, which is the corrected Theorem 5 and the theorem on sampling before
k-anonymity.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any, Literal, SupportsFloat, SupportsIndex, TypeAlias, get_args

import numpy as np

from pkdp._checks import (
    MOST_RECORDS,
    as_choice,
    as_fraction,
    as_hashable,
    as_integer,
    as_mapping,
    as_real,
    as_several,
    as_size,
    as_uncertainty,
    unknown_and_known,
)
from pkdp._order import in_order
from pkdp.partial_knowledge import counting
from pkdp.profiles._plateaus import of_power
from pkdp.profiles.binomials import log_binomial_tail
from pkdp.profiles.laws import PoissonBinomial
from pkdp.profiles.profile import Constant, Formula, PrivacyProfile, harmless, rounded_up, vacuous
from pkdp.profiles.thresholds import log_worst
from pkdp.worlds._exact_distributions import normalized, summed
from pkdp.worlds._output_distributions import comparison, worst
from pkdp.worlds.mechanisms import Database, Mechanism
from pkdp.worlds.world import RecordLaw

__all__ = [
    "PAIRS",
    "PairKind",
    "hidden_by_rare",
    "joint_law",
    "make_minimal_generalization",
    "make_truncated_histogram",
    "sampled",
    "sampled_bound",
    "theorem_5",
    "worst_delta",
]

# A count for each value, or None where it is suppressed.
Truncated: TypeAlias = tuple[int | None, ...]

PairKind = Literal[
    "any", "rare/absent", "rare/rare", "common/absent", "common/common", "rare/common"
]
PAIRS: tuple[PairKind, ...] = get_args(PairKind)

# Mechanisms


def make_truncated_histogram(
    values: Iterable[Hashable],
    *,
    k: SupportsIndex,
    generalization: Mapping[Any, Hashable] | None = None,
) -> Mechanism:
    """Return the k-anonymity mechanism M_k of Definition 16.

    Parameters
    ----------
    values : iterable
        The values that are counted, all different and none of them None.
    k : int
        At least 1: counts below k are suppressed.
    generalization : mapping, optional
        A fixed map from records to values, applied first; a record it does not hold is absent.

    Returns
    -------
    callable
        From a database to a tuple with, for each value in the order given, its count, or None (⊥)
        if that is less than k. Records outside `values` are ignored.

    Raises
    ------
    ValueError
        If k is out of range, there is no value, or one is given twice or is None.
    TypeError
        If `k` is not an integer, or `generalization` no mapping.

    References
    ----------
    Definition 16 of the paper.

    Examples
    --------
    >>> make_truncated_histogram(["flu", "cold"], k=2)(("flu", "flu", "cold", "absent"))
    (2, None)
    >>> ages = {20: "young", 25: "young", 70: "old"}
    >>> make_truncated_histogram(["young", "old"], k=2, generalization=ages)((20, 25, 70))
    (2, None)
    """
    counted, least, table = _values(values), _least_count(k), generalization
    if table is not None:
        as_mapping(table, "generalization", "values")

    def released(database: Database) -> Truncated:
        counts = Counter(database if table is None else map(table.get, database))
        return tuple(counts[value] if counts[value] >= least else None for value in counted)

    return released


def make_minimal_generalization(
    levels: Sequence[Mapping[Any, Hashable]], *, k: SupportsIndex
) -> Mechanism:
    """Return k-anonymity that generalizes no more than the data need.

    Which level that is depends on everybody's record, and is released: that is the opening for a
    minimality attack.

    Parameters
    ----------
    levels : sequence of mappings
        From records to values, the finest first; a record that a level does not hold is absent
        from it.
    k : int
        At least 1.

    Returns
    -------
    callable
        From a database to ``(index, ((value, count), …))``: the first level at which no count is in
        1…k-1, or else the last, and its counts ≥ k, values in the order of `pkdp.worlds.in_order`.

    Raises
    ------
    ValueError
        If k is out of range or there is no level.
    TypeError
        If `k` is not an integer, or a level no mapping.

    References
    ----------
    Section 4.3 of the paper, on generalizations that depend on the data; Wong, Fu, Wang and Pei
    (2009).

    Examples
    --------
    >>> finest = {21: 21, 22: 22, 63: 63}
    >>> coarser = {21: "young", 22: "young", 63: "old"}
    >>> release = make_minimal_generalization([finest, coarser], k=2)
    >>> release((21, 21, 63, 63)), release((21, 22, 63, 63))
    ((0, ((21, 2), (63, 2))), (1, (('old', 2), ('young', 2))))
    """
    least = _least_count(k)
    tables = as_several(levels, "levels", "mappings, the finest first")
    for level in tables:
        as_mapping(level, "levels", "values")
    if not tables:
        raise ValueError("levels must be at least one mapping, got none")

    def released(database: Database) -> tuple[int, tuple[tuple[Any, int], ...]]:
        counts: Counter[Any] = Counter()
        for index, table in enumerate(tables):  # noqa: B007 -- the level that the loop ends at
            counts = Counter(table[record] for record in database if record in table)
            if all(count >= least for count in counts.values()):
                break
        shown = in_order(value for value, count in counts.items() if count >= least)
        return index, tuple((value, counts[value]) for value in shown)

    return released


# Exact laws


def joint_law(
    records: Sequence[RecordLaw], values: Iterable[Hashable], *, k: SupportsIndex, target: Hashable
) -> dict[Truncated, Fraction]:
    """Return the exact law of the truncated histogram, given the target's record.

    Parameters
    ----------
    records : sequence of mappings
        For each of the N other records, which are independent, ``{value: Fraction}``. A value that
        is not among `values` is absent, and so is the record with the probability missing to 1.
    values : iterable
        The values counted, all different and none of them None.
    k : int
        At least 1: counts below k are suppressed.
    target : hashable
        The target's record; absent if not among `values`, as None always is.

    Returns
    -------
    dict
        From outputs of `make_truncated_histogram` to probabilities, all positive.

    Raises
    ------
    ValueError
        If a probability is negative, a record's exceed 1, there are more than two million
        histograms, or an argument is out of range.
    TypeError
        If a probability is neither an int nor a fraction, a record no mapping, or a value not
        hashable.

    References
    ----------
    Definition 16 of the paper.

    Examples
    --------
    One other record, which is "a", "b" or absent with a probability of 1/3 each:

    >>> other = {"a": Fraction(1, 3), "b": Fraction(1, 3)}
    >>> {output: str(p) for output, p in joint_law([other], "ab", k=2, target="a").items()}
    {(2, None): '1/3', (None, None): '2/3'}
    """
    counted, least = _values(values), _least_count(k)
    index = _index(target, "target", counted)
    return normalized(_truncated(_histogram(records, counted), least, index))


def worst_delta(
    records: Sequence[RecordLaw],
    values: Iterable[Hashable],
    *,
    k: SupportsIndex,
    pairs: Iterable[tuple[Hashable, Hashable]] | None = None,
    ratio: Fraction | int | float,
) -> Fraction:
    """Return the largest ``Σ max(0, P - E·Q)`` of the truncated histogram over pairs of records.

    P is its law with the target's record a, Q that with b.

    Parameters
    ----------
    records, values, k
        As in `joint_law`.
    pairs : iterable of tuples, optional
        The pairs ``(a, b)`` of values of the target's record, in this order, None for an absent
        one; by default all of different ones among `values` and None.
    ratio : Fraction or inf
        E = e^ε ≥ 1.

    Returns
    -------
    Fraction
        In [0, 1].

    Raises
    ------
    ValueError, TypeError
        As in `joint_law`; also if `ratio` is less than 1, or a float other than inf, if there is no
        pair, or what is given is no pair.

    Examples
    --------
    The attacker learns that the target is no "b" if the other record is one and is suppressed:

    >>> other = {"a": Fraction(1, 4), "b": Fraction(1, 2)}
    >>> tuple(worst_delta([other], "ab", k=2, pairs=[("a", "b")], ratio=E) for E in (1, 2))
    (Fraction(1, 2), Fraction(1, 4))
    >>> others = [other] * 3
    >>> every = [None, [("a", None)]]
    >>> tuple(worst_delta(others, "ab", k=2, pairs=pairs, ratio=2) for pairs in every)
    (Fraction(11, 32), Fraction(5, 16))
    """
    counted, least = _values(values), _least_count(k)
    every = permutations((*counted, None), 2)
    wanted = as_several(every if pairs is None else pairs, "pairs", "pairs of values")
    for pair in wanted:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ValueError(f"pairs must be tuples (a, b) of two values, got {pair!r}")
    if not wanted:
        raise ValueError("pairs must be at least one, or None for all, got none")
    indices = {tuple(_index(value, "pairs", counted) for value in pair) for pair in wanted}
    masses = _histogram(records, counted)
    laws = {i: _truncated(masses, least, i) for pair in indices for i in pair}
    return worst((comparison(laws[i], laws[j]) for i, j in indices), ratio)


def _values(values: Iterable[Hashable]) -> tuple[Any, ...]:
    counted = as_hashable(values, "values")
    if not counted or None in counted or len(set(counted)) < len(counted):
        raise ValueError(
            f"values must be different values, at least one and none of them None, which stands "
            f"for an absent record, got {counted!r}"
        )
    return counted


def _least_count(k: SupportsIndex) -> int:
    return as_integer(k, "k", 1, MOST_RECORDS)


def _index(target: Hashable, name: str, values: tuple[Any, ...]) -> int | None:
    """Return which of some values a record has; None if it is absent."""
    if not isinstance(target, Hashable):
        raise TypeError(f"{name} must be hashable, as records are, got {target!r}")
    return values.index(target) if target in values else None


def _record_law(record: RecordLaw, values: tuple[Any, ...], number: int) -> list[Fraction]:
    """Return the probability of each value, and of being absent."""
    name = f"records: record {number}"
    as_mapping(record, name, "probabilities")
    exact = {value: as_fraction(mass, f"{name}, {value!r}") for value, mass in record.items()}
    if min(exact.values(), default=Fraction(0)) < 0 or sum(exact.values()) > 1:
        raise ValueError(f"{name} must have probabilities ≥ 0 with a sum of at most 1, got {exact}")
    law = [exact.get(value, Fraction(0)) for value in values]
    return [*law, 1 - sum(law, Fraction(0))]


def _histogram(records: Sequence[RecordLaw], values: tuple[Any, ...]) -> dict[tuple[int, ...], int]:
    """Return the law of the others' full histogram, in integers."""
    others = as_several(records, "records", "mappings")
    as_size(math.comb(len(others) + len(values), len(values)), "histograms")
    masses = {(0,) * len(values): 1}
    for number, record in enumerate(others):
        law = _record_law(record, values, number)
        common = math.lcm(*(p.denominator for p in law))
        weights = [(j, int(p * common)) for j, p in enumerate(law) if p]
        masses = summed(
            (_one_more(counts, j), mass * weight)
            for counts, mass in masses.items()
            for j, weight in weights
        )
    return masses


def _one_more(counts: tuple[int, ...], j: int | None) -> tuple[int, ...]:
    """Add one to a count; a record that is absent (None, or one beyond the last) adds nothing."""
    if j is None or j == len(counts):
        return counts
    return (*counts[:j], counts[j] + 1, *counts[j + 1 :])


def _truncated(
    masses: Mapping[tuple[int, ...], int], least: int, target: int | None
) -> Counter[Truncated]:
    return Counter(
        summed(
            (tuple(c if c >= least else None for c in _one_more(counts, target)), mass)
            for counts, mass in masses.items()
        )
    )


# The corrected Theorem 5


def theorem_5(
    n: SupportsIndex,
    lam: SupportsFloat,
    *,
    k: SupportsIndex,
    rare: SupportsFloat | None = None,
    pair: PairKind = "any",
    known: SupportsIndex = 0,
    certain: SupportsIndex = 0,
) -> PrivacyProfile:
    """Return the corrected Theorem 5: what k-anonymity guarantees under partial knowledge.

    Records are independent. Each value counted is either *rare*, with a probability of at most ρ in
    every record, or *common*, with one of at least λ in every record; and every record is absent
    with a probability of at least λ. With ``δ' = P[Bin(n-1, ρ) ≥ k-1]`` and δ_bl, the profile of
    `pkdp.counting.blanket`, the release is, for every ε ≥ 0,

    * (0, δ')-private for a rare value and another rare one, or an absent record;
    * (ε, δ_bl(ε))-private for a common value and another common one, or an absent record;
    * (ε, δ_bl(ε) + δ')-private for a rare value and a common one, in both directions.

    Parameters
    ----------
    n : int
        Number of records, target included; in 2…10¹⁰.
    lam : float
        λ in (0, ½].
    k : int
        Counts below k ≥ 1 are suppressed.
    rare : float, optional
        ρ in [0, ½]; by default λ.
    pair : {"any", "rare/absent", "rare/rare", "common/absent", "common/common", "rare/common"}
        What the attacker must not tell apart; "any" is the largest of all.
    known : int
        How many other records the attacker sees (passive knowledge), in 0…n-1. They obey the same
        conditions.
    certain : int
        How many of the others may have any law at all, in 0…n-1-known. The attacker may see them
        too, and even choose them.

    Returns
    -------
    PrivacyProfile
        Status "upper bound".

    Raises
    ------
    ValueError
        If an argument lies outside its range or there is no such kind of pair.
    TypeError
        If `n`, `k`, `known` or `certain` is not an integer, or `lam` or `rare` not a number.

    Notes
    -----
    With m records known, N = n-1-m are left for δ_bl, while δ' stays as it is on average over what
    is known, except for two rare values, either of whose counts the known records may raise: there
    it is at most ``min(2δ', P[Bin(N, ρ) + Bin(m, 2ρ) ≥ k-1])``. Records that are certain are taken
    from N, and from k, since they may all share the target's value.

    References
    ----------
    Theorem 5 of the paper, corrected.

    Examples
    --------
    Values of at most 0.1 % or at least 5 % in a million records, of which counts below 1,200 are
    suppressed:

    >>> profile = theorem_5(10**6, 0.05, k=1200, rare=0.001)
    >>> round(profile.epsilon(1e-6), 4)
    0.0205
    >>> round(theorem_5(10**6, 0.05, k=1200, pair="rare/absent", rare=0.001).log_delta(0.0), 4)
    -21.3158
    """
    unknown, seen = unknown_and_known(n, known)
    lam, least = as_uncertainty(lam), _least_count(k)
    share = lam if rare is None else as_real(rare, "rare", "in [0, 0.5]", 0.0, 0.5)
    uncertain = as_integer(certain, "certain", 0, unknown)
    as_choice(pair, "pair", PAIRS)
    threshold = least - 1 - uncertain
    hidden = unknown - uncertain
    log_rare = log_binomial_tail(threshold, hidden + seen, share)
    log_two_rare = log_rare
    if seen:  # known records may raise either count
        either = PoissonBinomial([share, 2.0 * share], [hidden, seen])
        log_two_rare = min(math.log(2.0) + log_rare, either.log_upper(threshold))
    if pair == "rare/absent":
        return rounded_up(Constant(log_rare), "upper bound")
    if pair == "rare/rare":
        return rounded_up(Constant(log_two_rare), "upper bound")
    blanket = counting.blanket(n, lam, known=seen + uncertain)
    if pair in ("common/absent", "common/common"):
        return blanket
    log_least = log_two_rare if pair == "any" else -math.inf
    return rounded_up(Formula(_log_besides, blanket, log_rare, log_least), "upper bound")


def _log_besides(hidden: PrivacyProfile, log_seen: float, log_least: float, eps: float) -> float:
    """Return ln of δ of what is hidden plus the probability that it is seen; at least so much."""
    return max(log_least, float(np.logaddexp(hidden.log_delta_at(eps), log_seen)))


def hidden_by_rare(
    n: SupportsIndex,
    lam: SupportsFloat,
    *,
    k: SupportsIndex,
    rare: SupportsFloat | None = None,
    rare_values: SupportsIndex,
    hidden: SupportsFloat,
    known: SupportsIndex = 0,
) -> PrivacyProfile:
    """Return what k-anonymity guarantees where several rare values hide each other.

    Records are independent, and nobody need be absent. Of the values, r are rare, each with a
    probability of at most ρ in every record, and all of them together with one of at least h in
    every record; the others are common, with at least λ in every record. Then for every ε ≥ 0 and
    all pairs of values the release is (ε, δ)-private with

        δ = δ_bl(ε; min(λ, h)) + r·P[Bin(n-1, ρ) ≥ k-1].

    Parameters
    ----------
    n, lam, k, known
        As in `theorem_5`.
    rare : float, optional
        ρ in (0, ½]; by default λ.
    rare_values : int
        r ≥ 1.
    hidden : float
        h in (0, rρ].

    Returns
    -------
    PrivacyProfile
        Status "upper bound".

    References
    ----------
    Section 4.3 of the paper, whose discussion of ⊥ calls for such a theorem.

    Examples
    --------
    A hundred values of at most 0.1 % each, which together have at least 5 %:

    >>> profile = hidden_by_rare(10**6, 0.05, k=1200, rare_values=100, hidden=0.05, rare=0.001)
    >>> round(profile.epsilon(1e-6), 4)
    0.0206
    """
    unknown, seen = unknown_and_known(n, known)
    lam, least = as_uncertainty(lam), _least_count(k)
    number = as_integer(rare_values, "rare_values", 1, MOST_RECORDS)
    share = lam if rare is None else as_real(rare, "rare", "in (0, 0.5]", 0.0, 0.5, without=(0.0,))
    allowed = f"in (0, {min(1.0, number * share):g}], rare_values times the probability of one"
    # A product may be rounded to just below the sum that the caller has in mind.
    most = min(1.0, number * share * (1.0 + 1e-12))
    mass = as_real(hidden, "hidden", allowed, 0.0, most, without=(0.0,))
    log_seen = math.log(number) + log_binomial_tail(least - 1, unknown + seen, share)
    blanket = counting.blanket(n, min(lam, mass), known=seen)
    return rounded_up(Formula(_log_besides, blanket, log_seen, -math.inf), "upper bound")


# Sampling first


def sampled(*, k: SupportsIndex, rate: SupportsFloat) -> PrivacyProfile:
    """Return the exact privacy of k-anonymity after sampling: ordinary differential privacy.

    Each record of the database is kept with probability β, independently; the truncated histogram
    of those kept is released. Databases are neighbours if one has one record more; of the others
    there may be up to 10¹⁰, and the attacker knows them all.

    Parameters
    ----------
    k : int
        At least 1, and at most 10¹⁰·β: counts below k are suppressed.
    rate : float
        β in [0, 1].

    Returns
    -------
    PrivacyProfile
        Status "exact": the largest δ over all pairs of neighbours.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    TypeError
        If `k` is not an integer or `rate` not a number.

    Notes
    -----
    Only the count of the one record's value matters. Without that record it is S ~ Bin(m, β), and
    with it a mixture, S + 1 with probability β and S otherwise; so both directions are those of a
    thresholded count at other ratios, whose worst m has a closed form.

    References
    ----------
    Li, Qardaji and Su (2011), for an upper bound; Balle, Barthe and Gaboardi (2018) for the ratios.

    Examples
    --------
    >>> [round(sampled(k=20, rate=0.1).epsilon(delta), 4) for delta in (1e-3, 1e-6, 1e-9)]
    [0.0447, 0.183, 0.3699]
    """
    least, beta = _sampling(k, rate)
    if beta in (0.0, 1.0):  # nothing is released, or the target shows with all others in place
        return PrivacyProfile(Constant(0.0 if beta else -math.inf), "exact")
    ending = of_power(beta, least)
    return rounded_up(Formula(_log_sampled, least - 1, beta, ending=ending), "exact")


def sampled_bound(*, k: SupportsIndex, rate: SupportsFloat) -> PrivacyProfile:
    """Return the bound of Li, Qardaji and Su (2011) on `sampled`.

    For ``ε ≥ -ln(1-β)`` and ``γ = (e^ε - 1 + β)/e^ε``, δ is the largest ``P[Bin(n, β) > γn]`` over
    all ``n ≥ ⌈k/γ⌉ - 1``; for smaller ε the theorem says nothing, and δ is 1 here.

    Parameters
    ----------
    k, rate
        As in `sampled`.

    Returns
    -------
    PrivacyProfile
        Status "upper bound".

    References
    ----------
    Li, Qardaji and Su (2011), Theorem 5, at second hand: as used by Bild, Kuhn and Prasser (2018)
    and computed in their software.

    Examples
    --------
    >>> [round(sampled_bound(k=20, rate=0.1).epsilon(delta), 4) for delta in (1e-3, 1e-6, 1e-9)]
    [0.131, 0.2919, 0.5008]
    """
    least, beta = _sampling(k, rate)
    if beta == 0.0:
        return harmless("upper bound")
    if beta == 1.0:
        return vacuous("upper bound")
    ending = of_power(beta, least)
    return rounded_up(Formula(_log_sampled_bound, least, beta, ending=ending), "upper bound")


def _sampling(k: SupportsIndex, rate: SupportsFloat) -> tuple[int, float]:
    least, beta = _least_count(k), as_real(rate, "rate", "in [0, 1]", 0.0, 1.0)
    if beta and least > beta * MOST_RECORDS:
        raise ValueError(f"k must be at most {MOST_RECORDS} times the rate {rate!r}, got {k!r}")
    return least, beta


def _log_sampled(threshold: int, beta: float, eps: float) -> float:
    """``ln δ``: what the record adds is seen with probability β, which changes the ratios."""
    growth = math.expm1(eps) if eps < 700.0 else math.inf
    log_up = math.log1p(growth / beta) if growth < math.inf else eps - math.log(beta)
    log_delta = math.log(beta) + log_worst(MOST_RECORDS, beta, threshold, log_up)[0]
    left = beta - growth * (1.0 - beta) if growth < math.inf else -math.inf
    if left > 0.0:  # 1 - E(1-β), without cancellation
        log_down = max(0.0, eps + math.log(beta) - math.log(left))
        log_fall = log_worst(MOST_RECORDS, beta, threshold, log_down)[1]
        log_delta = max(log_delta, math.log(left) + log_fall)
    return log_delta


def _log_sampled_bound(k: int, beta: float, eps: float) -> float:
    """``ln max P[Bin(n, β) ≥ j]`` over j ≥ k, at the largest n with γn < j."""
    if eps < -math.log1p(-beta):
        return 0.0
    gamma = -math.expm1(-eps) + beta * math.exp(-min(eps, 700.0))
    if gamma == 1.0:
        return k * math.log(beta)
    rate = gamma * math.log(gamma / beta) + (1.0 - gamma) * math.log((1.0 - gamma) / (1.0 - beta))
    best, j = -math.inf, k
    # Chernoff: a tail is at most exp(-n·KL(γ‖β)), so no n beyond matters.
    while -math.floor(j / gamma - 1.0) * rate > best:
        n = math.ceil(j / gamma) - 1
        best = max(best, log_binomial_tail(j, n, beta))
        j += 1
    return best
