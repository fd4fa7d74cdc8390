"""Partial knowledge with dependent records: attackers who know a fraction of the values.

The attacker of section 2.2 knows the values of a fraction γ of the users, and the laws of all the
others. Records depend on each other within groups of at most D; the groups are independent. Here
this becomes a guarantee for the sum, under a condition that the paper's bounds on moments cannot
replace: *given the rest of its group*, each record stays uncertain. For bits its probability is in
[λ, 1-λ]; for integers it has a coin weight of at least w (see `pkdp.noiseless.privacy_blanket`).

Whatever she knows, one unknown record of each group stays free when all others are revealed. So she
faces a count, or a sum, of as many independent records as groups are left.

The target is one of the n users. Which groups are left depends on what a change of its record does
to the others:

* They keep their law (Definition 3: a record is added, removed or replaced). The target's own
  group counts if it contains another unknown record.
* They move along, according to their law given the target's value (``conditional``). Then the
  target's group is lost, and moves the sum by as much as it can.

"Given what she knows" means given the values of the known records. She may choose these one after
the other, each after seeing the values of those before.
"""

from __future__ import annotations

import dataclasses
import decimal
import itertools
import math
import numbers
from dataclasses import dataclass
from fractions import Fraction
from typing import SupportsFloat, SupportsIndex

from pkdp._checks import (
    MOST_RECORDS,
    as_instance,
    as_integer,
    as_real,
    as_uncertainty,
)
from pkdp.noiseless import privacy_blanket
from pkdp.partial_knowledge import dependent_counts
from pkdp.partial_knowledge import noise as noisy
from pkdp.partial_knowledge.noise import Noise
from pkdp.profiles.profile import Formula, PrivacyProfile, smallest

__all__ = ["Adversary", "peaked_group", "worst_case"]

# The bounds with coins and with noise were tested for up to so many records.
_MOST_RECORDS = 10**9
# The most bits of a group whose joint law is listed.
_MOST_WRITTEN = 16


@dataclass(frozen=True)
class Adversary:
    """The attacker of section 2.2 of the paper: how much she may know, and how records depend.

    Attributes
    ----------
    known : float or Fraction
        γ in [0, 1), the largest fraction of the users whose records she knows. A float stands for
        every number from it up to the next float, so that rounding does not make γ·n one short.
    group : int
        D in 1…10¹⁰, the size of the largest group of records that depend on each other.

    Raises
    ------
    ValueError
        If an attribute is outside its range.
    TypeError
        If `known` is not a number, or `group` not an integer.

    References
    ----------
    Section 2.2 of the paper.

    Examples
    --------
    >>> adversary = Adversary(0.29, group=3)
    >>> adversary.known_records(100), adversary.groups_left(100), adversary.others_left(100)
    (29, 24, 24)
    """

    known: float | Fraction
    group: int = 1

    def __post_init__(self) -> None:
        number = as_real(self.known, "known", "in [0, 1)", 0.0, 1.0)
        if self.known == 1:
            raise ValueError(f"known must be in [0, 1), got {self.known!r}")
        exact = isinstance(self.known, numbers.Rational | decimal.Decimal)
        object.__setattr__(self, "known", Fraction(self.known) if exact else number)
        object.__setattr__(self, "group", as_integer(self.group, "group", 1, MOST_RECORDS))

    def known_records(self, n: SupportsIndex) -> int:
        """Return the largest number of records that she knows: ⌊γn⌋, none of them the target's.

        Parameters
        ----------
        n : int
            Number of records, target included; in 2…10¹⁰.

        Returns
        -------
        int
            In 0…n-1.

        Examples
        --------
        All but one, as in differential privacy:

        >>> Adversary(1 - 1 / 49).known_records(49), Adversary(Fraction(48, 49)).known_records(49)
        (48, 48)
        """
        records = as_integer(n, "n", 2, MOST_RECORDS)
        most = self.known
        if isinstance(most, float):
            most = Fraction(math.nextafter(most, 2.0))
        return min(math.floor(most * records), records - 1)

    def groups_left(self, n: SupportsIndex) -> int:
        """Return the least number of groups with a record she does not know: ⌈(n - ⌊γn⌋)/D⌉.

        The target's record is one of these, and its group one of the groups.

        Parameters
        ----------
        n : int
            As in `known_records`.

        Returns
        -------
        int
            At least 1.

        Examples
        --------
        >>> Adversary(0.5, group=5).groups_left(100)
        10
        """
        return -(-(as_integer(n, "n", 2, MOST_RECORDS) - self.known_records(n)) // self.group)

    def others_left(self, n: SupportsIndex) -> int:
        """Return the least number of groups with an unknown record besides the target's.

        That is ⌈(n - 1 - ⌊γn⌋)/D⌉.

        Parameters
        ----------
        n : int
            As in `known_records`.

        Returns
        -------
        int
            `groups_left`, or one less.

        Examples
        --------
        >>> [Adversary(0, group=3).others_left(n) for n in (3, 4, 5)]
        [1, 1, 2]
        """
        others = as_integer(n, "n", 2, MOST_RECORDS) - 1
        return -(-(others - self.known_records(n)) // self.group)


def worst_case(
    n: SupportsIndex,
    lam: SupportsFloat,
    adversary: Adversary,
    *,
    conditional: bool = False,
    noise: Noise | None = None,
) -> PrivacyProfile:
    """Bound the privacy profile of a count of dependent bits: the (γ, D, λ) theorem.

    Groups of at most D bits are independent of each other. Given the rest of its group, each bit
    is 1 with a probability in [λ, 1-λ]; apart from that, their laws are arbitrary.

    Parameters
    ----------
    n : int
        Number of records, target included; in 2…10¹⁰, with noise or `conditional` in 2…10⁹.
    lam : float
        λ in (0, ½].
    adversary : Adversary
        γ and D.
    conditional : bool
        False if the others keep their law when the target's record is added, removed or replaced,
        which moves the sum by at most 1; true to compare the laws of the sum given that the
        target's bit is 1 and 0, so that its group moves along.
    noise : Geometric or Laplace, optional
        Noise added to the count; not with `conditional`.

    Returns
    -------
    PrivacyProfile
        Status "upper bound"; attained for D = 1. δ ≡ 1 if she knows all the others and there is no
        noise.

    Raises
    ------
    ValueError
        If an argument is outside its range; for noise with `conditional`.
    TypeError
        If an argument is of the wrong kind.

    Notes
    -----
    If the others keep their law, δ is that of `counting.worst_case`, or `noise.worst_case`, for
    m = ⌈(n - 1 - ⌊γn⌋)/D⌉ others; without noise, that of `dependent_counts.worst_case` for all
    unknown records, if it is smaller.

    If the target's group moves along, m = ⌈(n - ⌊γn⌋)/D⌉ - 1 groups are left, and the target's
    group moves the count by at most D: δ is that of `privacy_blanket.blanket` for m weights 2λ and
    D steps. It is also at most the δ for others that keep their law, at an ε that is smaller by
    2 ln((1-λ)/λ); the smaller of the two is returned. For integers, `privacy_blanket.blanket` gives
    the bound for the same m, their coin weights and the number of steps by which the target, or its
    group, moves the sum.

    References
    ----------
    Not in the paper; it serves the purpose of the theorems announced in its section 1.1.

    Examples
    --------
    She knows 10 % of ten thousand records, which depend on each other in families of 3:

    >>> from pkdp.partial_knowledge import counting
    >>> someone = Adversary(0.1, group=3)
    >>> profile = worst_case(10_000, 0.1, someone)
    >>> round(profile.epsilon(1e-6), 4)
    0.251
    >>> profile.epsilon(1e-6) == counting.worst_case(3001, 0.1).epsilon(1e-6)
    True
    >>> round(worst_case(10_000, 0.1, someone, conditional=True).epsilon(1e-6), 4)
    1.0499
    """
    who = as_instance(adversary, "adversary", Adversary)
    apart = not as_instance(conditional, "conditional", bool)
    if noise is not None and not apart:
        raise ValueError(f"noise must be None where conditional is true, got {noise!r}")
    records = as_integer(n, "n", 2, MOST_RECORDS if apart and noise is None else _MOST_RECORDS)
    number, known = as_uncertainty(lam), who.known_records(records)
    if noise is not None:
        others = who.others_left(records)
        free = {"n": others + 1} if others else {"n": records, "known": records - 1}
        profile = noisy.worst_case(lam=number, noise=noise, **free)
        return dataclasses.replace(profile, status="upper bound")
    kept = dependent_counts.independent_blocks(records, number, size=who.group, known=known)
    if apart or who.group == 1:
        return kept
    moved = privacy_blanket.blanket([2.0 * number], [who.groups_left(records) - 1], steps=who.group)
    # The most that conditioning on the target's bit changes the odds of the others.
    said = 2.0 * (math.log1p(-number) - math.log(number))
    later = dataclasses.replace(kept, release=Formula(_log_later, kept, said), margin=0.0)
    return dataclasses.replace(later, release=Formula(smallest, (moved, later)))


def _log_later(profile: PrivacyProfile, said: float, eps: float) -> float:
    # A rounded-up difference would give a δ that is too small.
    rest = eps - said - 4e-16 * max(eps, said) if eps < math.inf else eps
    return profile.log_delta_at(rest) if rest >= 0.0 else 0.0


def peaked_group(
    lam: float | Fraction, size: SupportsIndex, peak: SupportsIndex
) -> dict[tuple[int, ...], Fraction]:
    """Return a joint law of bits that hides little: the number of ones is near a peak.

    With a = (1-λ)/λ, a vector with k ones has a probability proportional to ``a^min(k, 2K-k)``,
    where K is the peak. Given the others, each bit is 1 with probability λ or 1-λ.

    Parameters
    ----------
    lam : Fraction or float
        λ in (0, ½]; a float stands for exactly its value.
    size : int
        Number of bits, in 1…16.
    peak : int
        K in 0…size.

    Returns
    -------
    dict
        The joint pmf. For K = 0 and K = size the bits are independent.

    References
    ----------
    Not in the paper. These are the worst laws of `dependent_counts.worst_case`.

    Examples
    --------
    >>> peaked_group(Fraction(1, 4), 2, 1)[1, 0]
    Fraction(3, 8)
    """
    as_uncertainty(lam)
    low = Fraction(lam)
    bits = as_integer(size, "size", 1, _MOST_WRITTEN)
    top = as_integer(peak, "peak", 0, bits)
    odds = (1 - low) / low
    powers = [odds ** min(k, 2 * top - k) for k in range(bits + 1)]
    total = sum(math.comb(bits, k) * power for k, power in enumerate(powers))
    return {
        values: powers[sum(values)] / total for values in itertools.product((0, 1), repeat=bits)
    }
