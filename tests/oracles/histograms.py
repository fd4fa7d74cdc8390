"""What pages on k-anonymity need of one record, and of a histogram without its small counts."""

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from tests.oracles import counts
from tests.oracles.kanonymity import truncated_tally

RecordLaw: TypeAlias = Mapping[Hashable, Fraction]

BOTTOM = None


def record(**masses: Fraction | int) -> dict[Hashable, Fraction]:
    """The law of one record; what is missing to 1 is absent."""
    law: dict[Hashable, Fraction] = {value: Fraction(mass) for value, mass in masses.items()}
    rest = 1 - sum(law.values())
    return {value: mass for value, mass in {**law, BOTTOM: rest}.items() if mass}


def excess(
    one: Hashable,
    other: Hashable,
    others: Sequence[RecordLaw],
    values: Sequence[Hashable],
    k: int,
    E: Fraction,
) -> Fraction:
    """H_E of the release, target at `one` against target at `other`, from whole databases."""
    P, Q = (counts.release_law(x, others, truncated_tally(values, k)) for x in (one, other))
    return counts.hockey_stick(P, Q, E)


def tail(N: int, p: Fraction, k: int) -> Fraction:
    """P[Bin(N, p) >= k]."""
    law = counts.count_law([p] * N)
    return sum((law.get(j, Fraction(0)) for j in range(max(k, 0), N + 1)), Fraction(0))
