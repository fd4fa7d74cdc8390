"""Differential, noiseless, causal, active and passive privacy of mechanisms on finite worlds.

Each function reads like the definition it implements, from sections 1 to 3 of the paper, and
computes in exact fractions. Without δ the result is the least ratio e^ε, a fraction, or
``math.inf`` if no ε is enough; with δ it is the least δ at a given ratio. All pairs of values of
the target are compared, in both orders. Distributional privacy (Definition 4) requires linear
programs and is in `pkdp.partial_knowledge.simulators`.

The argument `worlds` is a `World` or a family Θ of them, and the worst member counts. `targets`
are the records the attacker may be after, by default all; if no record is replaced or removed
(noiseless, active and passive privacy), a target can also be any function of the database. Events
that are conditioned on have positive probability: for noiseless, causal and active privacy,
knowledge that excludes a value of the target is skipped for that value, as in Definition 3. Passive
privacy is not defined there, so leave known records out of `targets`. Worlds of a family may differ
in size, but a number in `targets` must be that of a record in each of them.

With N databases, n records, K possible records and S outputs for each database, the time is
O(n·N·S) for noiseless, active and passive privacy and O(n·N·K·S) for the causal definitions, plus,
for each target and each B̂, the number of its values times that of the outputs, or for δ the number
of pairs of values. The mechanism is called once for each database and, for the causal definitions,
once for each database that replacing a record can give. The search ends once a ratio is infinite or
a δ is 1. On 4096 databases of 12 bits each function takes a tenth of a second or two, on 65 536
databases of 16 bits a few seconds; `dp_ratio` may take longer.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from fractions import Fraction
from itertools import product

from pkdp._checks import as_ratio, is_among
from pkdp.worlds._exact_distributions import normalized
from pkdp.worlds._output_distributions import (
    Columns,
    Ratio,
    RecordTargets,
    Targets,
    Worlds,
    active_columns,
    as_databases,
    causal_columns,
    check_values,
    comparison,
    comparisons,
    each_observed,
    extremes,
    greatest_ratio,
    inferences,
    neighbouring_databases,
    one_world,
    output_laws,
    passive_comparisons,
    worst,
)
from pkdp.worlds.knowledge import is_reducible
from pkdp.worlds.mechanisms import Mechanism
from pkdp.worlds.world import Knowledge, Target, World

__all__ = [
    "Ratio",
    "apk_delta",
    "apk_table",
    "cdp_delta",
    "cdp_ratio",
    "dp_delta",
    "dp_ratio",
    "ibcdp_delta",
    "ibcdp_ratio",
    "is_reducible",
    "np_ratio",
    "ppk_delta",
    "privacy_loss",
]

# Differential privacy


def dp_ratio(mechanism: Mechanism, records: Iterable[Hashable], n: int) -> Ratio:
    """Compute the least e^ε for which a mechanism is ε-differentially private.

    Parameters
    ----------
    mechanism : callable
        From a database to an output or to ``{output: Fraction}``.
    records : iterable
        The possible records, each once.
    n : int
        Number of records of a database, at least 1; there may be 2 000 000 databases at most.

    Returns
    -------
    Fraction or inf

    Raises
    ------
    ValueError
        If there is no possible record, or one is given twice; if `n` is less than 1, or there are
        too many databases.
    TypeError
        If `n` is not an integer.

    References
    ----------
    Partial knowledge, Definition 2.

    Examples
    --------
    >>> from pkdp.worlds.mechanisms import make_randomized_response
    >>> dp_ratio(make_randomized_response(Fraction(1, 2)), [0, 1], n=2)
    Fraction(3, 1)
    """
    return greatest_ratio(extremes(_neighbours(mechanism, records, n)))


def dp_delta(
    mechanism: Mechanism, records: Iterable[Hashable], n: int, *, ratio: Ratio
) -> Fraction:
    """Compute the least δ for which a mechanism is (ε, δ)-differentially private.

    Parameters
    ----------
    mechanism, records, n
        As for `dp_ratio`.
    ratio : Fraction or inf
        e^ε ≥ 1.

    Returns
    -------
    Fraction
        The least δ, in [0, 1].

    Raises
    ------
    ValueError
        As for `dp_ratio`, or if `ratio` is less than 1.

    References
    ----------
    Partial knowledge, Definition 2.

    Examples
    --------
    >>> from pkdp.worlds.mechanisms import make_randomized_response
    >>> dp_delta(make_randomized_response(Fraction(1, 2)), [0, 1], n=1, ratio=2)
    Fraction(1, 4)
    """
    return worst(comparisons(_neighbours(mechanism, records, n)), ratio)


def _neighbours(mechanism: Mechanism, records: Iterable[Hashable], n: int) -> Iterator[Columns]:
    """Yield the output distributions on all databases that differ in one record only."""
    values, size = as_databases(records, n)
    laws = output_laws(mechanism, product(values, repeat=size)).weights()
    for databases in neighbouring_databases(values, size):
        yield {database: laws[database] for database in databases}


# Section 2: noiseless and causal privacy


def np_ratio(worlds: Worlds, mechanism: Mechanism, targets: Targets = None) -> Ratio:
    """Compute the least e^ε for which a mechanism is (Θ, ε)-noiseless private.

    Parameters
    ----------
    worlds : World or iterable of World
        The family Θ.
    mechanism : callable
        From a database to an output or to ``{output: Fraction}``.
    targets : iterable of int or callable, optional
        Records the attacker may be after, or functions of the database; by default all records.

    Returns
    -------
    Fraction or inf

    Raises
    ------
    ValueError
        If there is no world or no target, or a target is out of range in one.

    References
    ----------
    Partial knowledge, Definition 3.

    Examples
    --------
    >>> from pkdp.worlds.mechanisms import majority
    >>> from pkdp.worlds import bits
    >>> np_ratio(bits([Fraction(1, 2)] * 3), majority)
    Fraction(3, 1)
    """
    return greatest_ratio(extremes(active_columns(worlds, mechanism, targets)))


def cdp_ratio(worlds: Worlds, mechanism: Mechanism, targets: RecordTargets = None) -> Ratio:
    """Compute the least e^ε for which a mechanism is (Θ, ε)-causally differentially private.

    The output given D(i) = a and B̂ is compared with the output if the record is then replaced by
    b, for all a and b that are compatible with B̂.

    Parameters
    ----------
    worlds : World or iterable of World
        The family Θ.
    mechanism : callable
        Must also be defined on databases with a record replaced by one compatible with B̂.
    targets : iterable of int, optional
        Records the attacker may be after; by default all.

    Returns
    -------
    Fraction or inf

    Raises
    ------
    ValueError
        If there is no world or no target, or a target is out of range in one; or if the mechanism
        is a table without an entry for a database that replacing a record by a compatible one can
        give.

    References
    ----------
    Partial knowledge, Definition 5.

    Examples
    --------
    Two copies of a fair bit: changing a vote without its copy is always noticed.

    >>> from pkdp.worlds.mechanisms import total
    >>> from pkdp.worlds import copied
    >>> cdp_ratio(copied({0: Fraction(1, 2), 1: Fraction(1, 2)}, groups=1), total)
    inf
    """
    return greatest_ratio(extremes(causal_columns(worlds, mechanism, targets)))


def cdp_delta(
    worlds: Worlds, mechanism: Mechanism, ratio: Ratio, targets: RecordTargets = None
) -> Fraction:
    """Compute the least δ for which a mechanism is (Θ, ε, δ)-causally differentially private.

    Parameters
    ----------
    worlds, mechanism, targets
        As for `cdp_ratio`.
    ratio : Fraction or inf
        e^ε ≥ 1.

    Returns
    -------
    Fraction
        The least δ, in [0, 1].

    Raises
    ------
    ValueError
        As for `cdp_ratio`, or if `ratio` is less than 1.

    References
    ----------
    Partial knowledge, Definition 5 with (ε, δ)-indistinguishability, as in Proposition 4.

    Examples
    --------
    >>> from pkdp.worlds.mechanisms import total
    >>> from pkdp.worlds import bits
    >>> cdp_delta(bits([Fraction(1, 2)] * 3), total, ratio=2)
    Fraction(1, 4)
    """
    return worst(comparisons(causal_columns(worlds, mechanism, targets)), ratio)


def ibcdp_ratio(worlds: Worlds, mechanism: Mechanism, targets: RecordTargets = None) -> Ratio:
    """Compute the least e^ε for inference-based causal differential privacy.

    What M(D) = t says about D(i) is compared with what M(D_{i→b}) = t says, for every possible
    record b and every output t that is possible under both, given B̂.

    Parameters
    ----------
    worlds, mechanism, targets
        As for `cdp_ratio`.

    Returns
    -------
    Fraction or inf

    Raises
    ------
    ValueError
        As for `cdp_ratio`, where a record is replaced by any of the world's `records`.

    References
    ----------
    Partial knowledge, Definition 6.

    Examples
    --------
    The identity on two copies of a bit: outputs that are possible only before or only after the
    replacement do not count, and the others say the same in both cases.

    >>> from pkdp.worlds.mechanisms import identity
    >>> from pkdp.worlds import copied
    >>> ibcdp_ratio(copied({0: Fraction(1, 2), 1: Fraction(1, 2)}, groups=1), identity)
    Fraction(1, 1)
    """
    return greatest_ratio(extremes(inferences(worlds, mechanism, targets)))


def ibcdp_delta(
    worlds: Worlds, mechanism: Mechanism, ratio: Ratio, targets: RecordTargets = None
) -> Fraction:
    """Compute the least δ for inference-based causal privacy with (ε, δ)-indistinguishability.

    The same δ serves every output t, as in Definition 6 with ≈ read as (ε, δ)-indistinguishable.

    Parameters
    ----------
    worlds, mechanism, targets
        As for `ibcdp_ratio`.
    ratio : Fraction or inf
        e^ε ≥ 1.

    Returns
    -------
    Fraction
        The least δ, in [0, 1].

    Raises
    ------
    ValueError
        As for `ibcdp_ratio`, or if `ratio` is less than 1.

    References
    ----------
    Partial knowledge, Definition 6, and the remark on δ > 0 after Proposition 1.

    Examples
    --------
    >>> from pkdp.worlds.mechanisms import total
    >>> from pkdp.worlds import bits
    >>> ibcdp_delta(bits([Fraction(1, 2)] * 2), total, ratio=1)
    Fraction(1, 2)
    """
    return worst(comparisons(inferences(worlds, mechanism, targets)), ratio)


# Section 3: active and passive partial knowledge


def apk_delta(
    worlds: Worlds, mechanism: Mechanism, ratio: Ratio, targets: Targets = None
) -> Fraction:
    """Compute the least δ for which a mechanism is (Θ, ε, δ)-APKDP.

    Parameters
    ----------
    worlds, mechanism, targets
        As for `np_ratio`. Knowledge that excludes one of two values of the target is skipped in
        their comparison.
    ratio : Fraction or inf
        e^ε ≥ 1.

    Returns
    -------
    Fraction
        The least δ, in [0, 1].

    Raises
    ------
    ValueError
        As for `np_ratio`, or if `ratio` is less than 1.

    References
    ----------
    Partial knowledge, Definition 12.

    Examples
    --------
    >>> from pkdp.worlds.mechanisms import total
    >>> from pkdp.worlds import bits
    >>> apk_delta(bits([Fraction(1, 2)] * 3, knowledge=[2]), total, ratio=2, targets=[0, 1])
    Fraction(1, 2)
    """
    return worst(comparisons(active_columns(worlds, mechanism, targets)), ratio)


def ppk_delta(
    worlds: Worlds, mechanism: Mechanism, ratio: Ratio, targets: Targets = None
) -> Fraction:
    """Compute the least δ for which a mechanism is (Θ, ε, δ)-PPKDP.

    Parameters
    ----------
    worlds, mechanism, targets
        As for `np_ratio`.
    ratio : Fraction or inf
        e^ε ≥ 1.

    Returns
    -------
    Fraction
        The least δ, in [0, 1].

    Raises
    ------
    ValueError
        As for `np_ratio`; if `ratio` is less than 1; or if some knowledge excludes one value of a
        target but not another, so that Definition 13 has no meaning: leave known records out of
        `targets`.

    References
    ----------
    Partial knowledge, Definition 13.

    Examples
    --------
    >>> from pkdp.worlds.mechanisms import make_threshold
    >>> from pkdp.worlds import bits
    >>> world = bits([Fraction(1, 4)] * 3, knowledge=[2])
    >>> ppk_delta(world, make_threshold(1), ratio=2, targets=[0, 1])
    Fraction(5, 16)
    >>> apk_delta(world, make_threshold(1), ratio=2, targets=[0, 1])
    Fraction(3, 4)
    """
    return worst(passive_comparisons(worlds, mechanism, targets), ratio)


def apk_table(
    world: World, mechanism: Mechanism, ratio: Ratio, *, target: Target, a: Hashable, b: Hashable
) -> dict[Knowledge, tuple[Fraction, Fraction]]:
    """Compute what Theorem 1 averages: the probability given a, and the δ, of each B̂.

    Parameters
    ----------
    world : World
        One world.
    mechanism : callable
        From a database to an output or to ``{output: Fraction}``.
    ratio : Fraction or inf
        e^ε ≥ 1.
    target : int or callable
        What the attacker is after.
    a, b : hashable
        Two values of the target; the δ compare a with b, in this order.

    Returns
    -------
    dict
        ``{B̂: (P[B̂ | D(i) = a], APK(i, a, b, B̂))}``.

    Raises
    ------
    ValueError
        If the target is out of range, does not take one of the values, or some knowledge excludes
        one of them; or if `ratio` is less than 1.
    TypeError
        If `world` is a family, or `ratio` a float other than inf.

    References
    ----------
    Partial knowledge, Theorem 1.

    Examples
    --------
    >>> from pkdp.worlds.mechanisms import make_threshold
    >>> from pkdp.worlds import bits
    >>> world = bits([Fraction(1, 4)] * 3, knowledge=[2])
    >>> table = apk_table(world, make_threshold(1), 2, target=0, a=1, b=0)
    >>> {knowledge: (str(chance), str(delta)) for knowledge, (chance, delta) in table.items()}
    {(0,): ('3/4', '1/4'), (1,): ('1/4', '1/2')}
    """
    exact = as_ratio(ratio)
    ((_, observed),) = each_observed(one_world(world), mechanism, [target])
    check_values(observed, a, b)
    chances = normalized({B: columns[a].total() for B, columns in observed.items()})
    return {
        B: (chances[B], comparison(columns[a], columns[b]).delta(exact))
        for B, columns in observed.items()
    }


_DRAWN = object()


def privacy_loss(
    world: World,
    mechanism: Mechanism,
    *,
    target: Target,
    a: Hashable,
    b: Hashable,
    knowledge: Hashable = _DRAWN,
) -> dict[Ratio, Fraction]:
    """Compute the privacy loss distribution, as that of the likelihood ratio e^L (a fraction).

    Parameters
    ----------
    world : World
        One world.
    mechanism : callable
        From a database to an output or to ``{output: Fraction}``.
    target : int or callable
        What the attacker is after.
    a, b : hashable
        Two values of the target. The distribution is the one under a; L is the logarithm of
        P[t | a] / P[t | b].
    knowledge : hashable, optional
        One value B̂ of the knowledge, as chosen by an active attacker. By default the knowledge is
        random, too, as for a passive attacker.

    Returns
    -------
    dict
        ``{e^L: probability}``, in increasing order; inf for outputs that are impossible under b.

    Raises
    ------
    ValueError
        If the target is out of range or does not take one of the values, or the knowledge is not
        possible or excludes one of them.
    TypeError
        If `world` is a family.

    References
    ----------
    Partial knowledge, Definitions 10 and 11.

    Examples
    --------
    >>> from pkdp.worlds.mechanisms import total
    >>> from pkdp.worlds import bits
    >>> law = privacy_loss(bits([Fraction(1, 2)] * 3), total, target=0, a=1, b=0)
    >>> {str(ratio): str(chance) for ratio, chance in law.items()}
    {'1/2': '1/4', '2': '1/2', 'inf': '1/4'}
    """
    ((_, observed),) = each_observed(one_world(world), mechanism, [target])
    if knowledge is not _DRAWN:
        if not is_among(knowledge, observed):
            raise ValueError(f"knowledge must be among {world.knowledge!r}, got {knowledge!r}")
        observed = {knowledge: observed[knowledge]}
    check_values(observed, a, b)
    law: Counter[Ratio] = Counter()
    for columns in observed.values():
        compared = comparison(columns[a], columns[b])
        for mass, (p, q) in zip(columns[a].values(), compared.masses, strict=True):
            law[Fraction(p, q) if q else math.inf] += mass
    return normalized({loss: law[loss] for loss in sorted(law)})
