"""Privacy bounds of a published count: every theorem that applies, and the best of them.

A *part* is a set of records whose count, or histogram, is published: the file, or one group of it.
Which part a record belongs to is public. A record's value is what the attacker is after, and other
parts tell nothing about it, as all records, or all households, are independent to her.

Each bound is a privacy profile for every kind of target there is, and names the theorem it is from.
A profile that holds for what is published holds for what is computed from it: a threshold, or noise
that is added, never makes a bound worse.
"""

import dataclasses
import functools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from pkdp._checks import LARGEST_EPS
from pkdp.noiseless import privacy_blanket
from pkdp.partial_knowledge import counting, rounding, thresholding
from pkdp.partial_knowledge import noise as noisy
from pkdp.partial_knowledge.noise import Geometric
from pkdp.profiles import accounting, trade_off
from pkdp.profiles.logarithms import FloatArray, IntArray
from pkdp.profiles.profile import PrivacyProfile, harmless, vacuous
from pkdp.profiles.rounded_counts import Rounding

# Of so many different probabilities each is tried as the target's; of more, classes of them.
_MOST_TARGETS: Final = 200
# Of more different probabilities than this only how far each is from 0 and 1 is used.
_MOST_DIFFERENT: Final = 10**6
# The most records for noise and for households, and for passive attackers.
_MOST_WITH_NOISE, _MOST_PASSIVE = 10**9, 10**7
# The most records for the exact value of a rounded count.
_MOST_ROUNDED: Final = 10**6


@dataclass(frozen=True)
class Theorem:
    """A statement of the book that a number rests on.

    Attributes
    ----------
    name : str
        Its label in the book's ledger.
    tag : str
        Its permanent tag.
    title : str
        What the book calls it.
    """

    name: str
    tag: str
    title: str

    @property
    def cited(self) -> str:
        """What the book calls it, and its tag in brackets."""
        return f"{self.title} [{self.tag}]"


# Labels, tags and titles are those of the ledger, which is not there where only the library is.
THEOREMS: Final[Mapping[str, Theorem]] = MappingProxyType(
    {
        theorem.name: theorem
        for theorem in (
            Theorem("def-10", "009U", "Definition 10"),
            Theorem("tight-bound", "00J6", "Worst case of a count"),
            Theorem("tight-histogram", "00JD", "Corollary 1, tight"),
            Theorem("coins-in-sums", "00GP", "Coins in sums"),
            Theorem("gamma-d-lambda-along", "00GR", "If the group moves along"),
            Theorem("def-15", "00C6", "Definition 15"),
            Theorem("tight-thresholding", "00JV", "Theorem 4, tight for every ε"),
            Theorem("active-threshold", "00JR", "Proposition 8, corrected"),
            Theorem("passive-worst-case", "00JQ", "Passive knowledge, all probabilities up to p"),
            Theorem("noisy-count", "00KU", "A count with geometric noise"),
            Theorem("noisy-worst-case", "00KW", "Theorem 3 with noise"),
            Theorem("rounded-count", "00VJ", "A rounded count"),
            Theorem("claim-noise-caps", "00F4", "Noise is a ceiling"),
            Theorem("claim-known-records", "00AT", "Knowing m of n records"),
            Theorem("other-counts", "00JE", "Other people's counts say nothing"),
            Theorem("claim-histories", "00B9", "d binary queries as one with 2^d options"),
            Theorem("optimal-composition", "00KA", "Optimal composition"),
            Theorem("known-total", "00K1", "A table of a known total"),
            Theorem("renyi-aside", "00KC", "Rényi divergences of releases with infinite losses"),
        )
    }
)


@dataclass(frozen=True)
class Release:
    """What is published of every part.

    Attributes
    ----------
    categories : int
        How many values a record can have, as far as the published counts tell them apart.
    numbers : int
        How many counts are published, in all tables. Two may tell two values apart, each with noise
        of its own.
    moves : int
        How many of these a record moves at most, each by 1, if its value changes.
    threshold : int or None
        Counts up to here are suppressed.
    noise : Geometric or None
        What is added to each count, independently.
    rounding : Rounding or None
        How counts are suppressed and rounded; then `threshold` is None.
    finest : bool
        Whether one of the tables has all groups that any tells apart, so that the others follow.
    kind : Kind or None
        What is published instead of counts, see `pkdp.practice._kinds`.
    """

    categories: int = 2
    numbers: int = 1
    moves: int = 1
    threshold: int | None = None
    noise: Geometric | None = None
    rounding: Rounding | None = None
    finest: bool = True
    kind: Any = None

    @property
    def exact(self) -> bool:
        """Whether all counts are published as they are."""
        return self.threshold is None and self.noise is None and self.rounding is None


@dataclass(frozen=True, eq=False)
class Part:
    """The records of one part, as the attacker sees them.

    Attributes
    ----------
    label : str
        Which part it is.
    records, known : int
        How many records there are, and how many of the others she knows.
    lam : float
        No value of an unknown record is less likely to her; 0 where that is all there is to say.
    values, times : ndarray
        Her probabilities, in increasing order and each once, and how many records have each: that
        a record is counted, or for a histogram that of its least likely value. Empty if only λ is
        given. For a weighted count the weights.
    household : int
        The most records of the part that are of one household, which is protected as a whole.
    bounded : bool
        Whether anything is proved of it beside what noise does: not if households reach into other
        parts.
    """

    label: str
    records: int
    known: int
    lam: float
    values: FloatArray = dataclasses.field(default_factory=lambda: np.empty(0))
    times: IntArray = dataclasses.field(default_factory=lambda: np.empty(0, dtype=np.int64))
    household: int = 1
    bounded: bool = True

    @property
    def unknown(self) -> int:
        """The number of others that she does not know."""
        return self.records - 1 - self.known

    @property
    def others(self) -> int:
        """The number of other households with a record that she does not know; or of records."""
        return -(-(self.unknown + 1) // self.household) - 1

    @functools.cached_property
    def least(self) -> tuple[FloatArray, IntArray]:
        """How uncertain she is of the unknown others, if she knows the least predictable ones.

        Values of min(p, 1-p) in increasing order, and how many there are of each.
        """
        uncertain, counts = merged(np.minimum(self.values, 1.0 - self.values), self.times)
        kept = np.minimum(counts, np.maximum(self.unknown - (np.cumsum(counts) - counts), 0))
        return uncertain[kept > 0], kept[kept > 0]

    @functools.cached_property
    def weakness(self) -> float:
        """The variance of what hides a record: the less, the weaker, up to what is finer."""
        if not self.values.size:
            return self.others * (self.lam or 1.0)  # without λ fewer others are the weaker, too
        uncertain, counts = self.least
        return float(counts @ (uncertain * (1.0 - uncertain)))


def together(parts: Sequence[Part], known_of: Callable[[int], int]) -> Part:
    """Return several parts as one, of which as many records are known as of a group of its size."""
    label, records = " + ".join(part.label for part in parts), sum(part.records for part in parts)
    values, times = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("values", "times")
    )
    household, bounded = max(part.household for part in parts), all(part.bounded for part in parts)
    known, lam = known_of(records), parts[0].lam
    return Part(label, records, known, lam, *merged(values, times), household, bounded)


def merged(values: FloatArray, times: IntArray) -> tuple[FloatArray, IntArray]:
    """Return values in increasing order, each once, and how many there are of each."""
    different, places = np.unique(values, return_inverse=True)
    return different, np.bincount(places, times, different.size).astype(np.int64)


@dataclass(frozen=True)
class Bound:
    """What one theorem says of a part: δ is that of the worst target, or no more.

    Attributes
    ----------
    profiles : tuple of PrivacyProfile
        One for each kind of target.
    theorem : str
        Where it is from; a key of `THEOREMS`.
    status : str
        "exact" where no smaller bound holds under the same assumptions, else "upper bound".
    """

    profiles: tuple[PrivacyProfile, ...]
    theorem: str
    status: str

    def meets(self, eps: float, log_delta: float) -> bool:
        """Tell whether δ(ε) is small enough for every target."""
        return all(profile.log_delta(eps) <= log_delta for profile in self.profiles)

    def worst(self, delta: float) -> tuple[float, PrivacyProfile]:
        """Return the largest ε of all targets, and the profile of the target that has it."""
        log_delta = log_of(delta)
        eps, found = -1.0, self.profiles[0]
        for profile in self.profiles:
            if eps < 0.0 or profile.log_delta(eps) > log_delta:
                eps, found = max(eps, profile.epsilon(delta)), profile
        return eps, found

    def advantage(self) -> float:
        """Return the largest advantage over all targets, rounded up."""
        return max(trade_off.advantage(profile) for profile in self.profiles)


def log_of(delta: float) -> float:
    """Return the logarithm of δ, which may be 0."""
    return math.log(delta) if delta > 0.0 else -math.inf


@dataclass(frozen=True)
class Answer:
    """The best of the bounds of a part, which are all kept."""

    part: Part
    eps: float
    profile: PrivacyProfile
    theorem: str
    status: str
    bounds: tuple[Bound, ...]

    def advantage(self) -> float:
        """Return the largest advantage over all targets, as the best bound has it."""
        return min(bound.advantage() for bound in self.bounds)


def answer(part: Part, bounds: Iterable[Bound], delta: float) -> Answer:
    """Return what the bound with the least ε says."""
    every = tuple(bounds)
    found = [(bound, *bound.worst(delta)) for bound in every]
    # Of the same ε, up to rounding, the first is exact if any is.
    least = min(one[1] for one in found) * (1.0 + 1e-12)
    bound, eps, profile = next(one for one in found if one[1] <= least)
    return Answer(part, eps, profile, bound.theorem, bound.status, every)


def active_bounds(part: Part, release: Release, classes: int) -> Iterator[Bound]:
    """Yield all that is known against an attacker who chooses the records she knows.

    Parameters
    ----------
    part : Part
    release : Release
    classes : int
        Into how many classes of targets different probabilities are put, where there are many.
    """
    if release.kind is not None:
        yield from release.kind.bounds(part)
        return
    if release.threshold is not None and release.threshold >= part.records:
        yield Bound((harmless("exact"),), "def-15", "exact")
        return
    if release.rounding is not None and not release.rounding.published(part.records):
        yield Bound((harmless("exact"),), "rounded-count", "exact")
        return
    alone = _is_one_count(part, release) and part.unknown > 0
    if alone and release.rounding is not None and part.records <= _MOST_ROUNDED:
        yield from _rounded(part, release.rounding)
    for bound in _plain(part, release, classes):
        best = release.exact and release.finest
        yield bound if best else dataclasses.replace(bound, status="upper bound")
    if alone and release.threshold:
        yield from _suppressed(part, release.threshold)
    if release.noise is not None:
        yield noise_alone(part, release, release.noise)
        if alone and part.records <= _MOST_WITH_NOISE:
            yield from _one_count(part, release.noise, classes)


def passive_bounds(part: Part, release: Release, active: list[Bound]) -> list[Bound]:
    """Return all that is known against one who only sees known records: what an active one may do.

    What she knows of a plain count only moves it, so that there both are the same.
    """
    found = list(active)
    if release.rounding is not None and part.known:
        # An active attacker chooses what the known records say, by which she moves the edges.
        return [dataclasses.replace(bound, status="upper bound") for bound in found]
    threshold = release.threshold
    if threshold is None or part.known == 0 or part.records > _MOST_PASSIVE:
        return found
    if not _is_one_count(part, release):
        return found
    if 0 < threshold < part.records:
        most = most_likely(part)
        # Without known records it is no larger, and costs nothing: most often it says enough.
        alone = thresholding.worst_case(part.records, most, threshold=threshold)
        if alone.log_delta(0.0) < -10.0:
            profile = thresholding.passive_worst_case(
                part.records, most, threshold=threshold, known=part.known, tol=1e-4
            )
            found.append(Bound((profile,), "passive-worst-case", "upper bound"))
    return found


def reached(part: Part, release: Release, delta: float) -> float | None:
    """Return ε of one attacker: who knows the least predictable records but one.

    None where it is not worked out. That one is her target.
    """
    if release.kind is not None:
        return release.kind.reached()  # type: ignore[no-any-return]
    if not part.values.size or release.threshold is not None or not part.known:
        return None
    if not _is_one_count(part, release):
        return None
    return _of_count(*part.least, release.noise).epsilon(delta)


def _of_count(values: FloatArray, times: IntArray, noise: Geometric | None) -> PrivacyProfile:
    """Return the profile of a count, with noise or without."""
    if noise is None:
        return counting.exact(values, multiplicities=times)
    return noisy.add(counting.pair(values, multiplicities=times), noise).profile()


def _of_worst(records: int, lam: float, noise: Geometric | None, known: int = 0) -> PrivacyProfile:
    """Return the worst case of a count, with noise or without."""
    if noise is None:
        return counting.worst_case(records, lam, known=known)
    return noisy.worst_case(records, lam, noise=noise, known=known)


def _is_one_count(part: Part, release: Release) -> bool:
    """Tell whether all that is published of a part is one count of independent records."""
    return release.numbers == 1 and part.household == 1 and part.bounded


def _plain(part: Part, release: Release, classes: int) -> Iterator[Bound]:
    """Yield what holds for exact counts."""
    if not part.bounded:
        yield Bound((vacuous("upper bound"),), "gamma-d-lambda-along", "upper bound")
    elif part.household > 1:
        yield from _of_households(part, release)
    elif part.unknown == 0:
        yield Bound((vacuous("exact"),), "def-10", "exact")
    elif release.categories > 2:
        yield _of_histogram(part, release)
    else:
        yield from _one_count(part, None, classes)


def _of_households(part: Part, release: Release) -> Iterator[Bound]:
    """Yield what holds for all records of the target's household together.

    Others keep a record each, at least, that she does not know; those of the household move the
    count by as many as they are, at most.
    """
    if release.categories > 2:
        yield Bound((vacuous("upper bound"),), "gamma-d-lambda-along", "upper bound")
        return
    others = min(part.others, _MOST_WITH_NOISE)
    profile = privacy_blanket.blanket([2.0 * part.lam], [others], steps=part.household)
    yield Bound((profile,), "gamma-d-lambda-along", "upper bound")


def _of_histogram(part: Part, release: Release) -> Bound:
    if part.values.size:
        # Of any two values each is a coin of at least twice the least likely value's weight.
        uncertain, counts = part.least
        profile = privacy_blanket.blanket(np.minimum(2.0 * uncertain, 1.0), counts)
        return Bound((profile,), "coins-in-sums", "upper bound")
    profile = counting.histogram(
        part.records, part.lam, categories=release.categories, known=part.known
    )
    # The counts of one column give its histogram, those of several columns only some of it.
    whole = release.categories <= release.numbers + 1
    return Bound((profile,), "tight-histogram", "exact" if whole else "upper bound")


def _one_count(part: Part, noise: Geometric | None, classes: int) -> Iterator[Bound]:
    """Yield what holds for one count of independent records, with noise or without."""
    worst = "noisy-worst-case" if noise else "tight-bound"
    if not part.values.size:
        profile = _of_worst(part.records, part.lam, noise, part.known)
        yield Bound((profile,), worst, "exact")
        return
    if part.known == 0 and part.values.size <= _MOST_DIFFERENT:
        source = "noisy-count" if noise else "def-10"
        yield _for_targets(
            part, classes, source, lambda times: _of_count(part.values, times, noise)
        )
        return
    uncertain, counts = part.least
    certain = not uncertain.any()
    if noise is None:
        profile = (
            vacuous("upper bound") if certain else privacy_blanket.blanket(2.0 * uncertain, counts)
        )
        yield Bound((profile,), "coins-in-sums", "upper bound")
    if not certain:
        # Those more predictable than some λ count as known; the others have the largest variance.
        left = np.cumsum(counts[::-1])[::-1]
        best = int(np.argmax(left * uncertain * (1.0 - uncertain)))
        profile = _of_worst(int(left[best]) + 1, float(uncertain[best]), noise)
        yield Bound((profile,), worst, "upper bound")


def _for_targets(
    part: Part, classes: int, theorem: str, profile: Callable[[IntArray], PrivacyProfile]
) -> Bound:
    """Return the bound with a profile for every kind of target, of the others there are then."""
    targets, exact = _targets(part, classes)
    return Bound(tuple(map(profile, targets)), theorem, "exact" if exact else "upper bound")


def _targets(part: Part, classes: int) -> tuple[list[IntArray], bool]:
    """Return how many others there are of each probability, for every kind of target.

    Where there are too many kinds, they are put into classes, and a whole class is left out with a
    target of it: what fewer others hide is less.
    """
    if part.values.size <= _MOST_TARGETS:
        groups = [np.array([at]) for at in range(part.values.size)]
    else:
        share = (np.cumsum(part.times) - 1) * classes // part.records
        many = part.times * classes > part.records  # a class of its own each
        ends = (np.diff(share) > 0) | many[1:] | many[:-1]
        groups = np.split(np.arange(part.values.size), np.flatnonzero(ends) + 1)
    # Near ½ there is most to lose: with the weakest first, few of the others are looked into.
    groups.sort(key=lambda group: abs(part.values[group[0]] - 0.5))
    found, exact = [], True
    for group in groups:
        others = part.times.copy()
        if group.size == 1:
            others[group] -= 1
        else:
            others[group], exact = 0, False
        found.append(others)
    return found, exact


def most_likely(part: Part) -> float:
    """Return the largest probability of a 1."""
    return float(part.values[-1]) if part.values.size else math.nextafter(1.0 - part.lam, 1.0)


def _suppressed(part: Part, threshold: int) -> Iterator[Bound]:
    profile = thresholding.active_worst_case(
        part.records, most_likely(part), threshold=threshold, known=part.known
    )
    source = "active-threshold" if part.known else "tight-thresholding"
    yield Bound((profile,), source, "upper bound")
    if part.known == 0 and 0 < part.values.size <= _MOST_TARGETS:
        exact = functools.partial(thresholding.exact, part.values, threshold=threshold)
        yield _for_targets(part, 1, "def-15", lambda times: exact(multiplicities=times))


def _rounded(part: Part, how: Rounding) -> Iterator[Bound]:
    """Yield what holds for a rounded count, and for one that is only suppressed."""
    options = {"base": how.base, "suppressed": how.suppressed}
    if not part.values.size:
        profile = rounding.worst_case(part.records, part.lam, known=part.known, **options)
        yield Bound((profile,), "rounded-count", "exact")
    elif part.known == 0 and part.values.size <= _MOST_TARGETS:
        exact = functools.partial(rounding.exact, part.values, **options)
        yield _for_targets(part, 1, "rounded-count", lambda times: exact(multiplicities=times))
    if how.suppressed:
        yield from _suppressed(part, how.suppressed)


def noise_alone(part: Part, release: Release, noise: Geometric) -> Bound:
    """Return what noise does, whatever is known: each count that is moved costs its rate."""
    # Those of a household move a count together, by one each.
    loss = part.household * noise.rate * (1.0 + 1e-12)
    if part.household == release.moves == 1:
        profile = noise.profile()
    elif loss <= LARGEST_EPS:
        profile = accounting.optimal(loss, 0.0, times=release.moves)
    else:
        profile = vacuous("upper bound")
    attained = part.household == release.moves == 1 and part.unknown == 0
    return Bound((profile,), "claim-noise-caps", "exact" if attained else "upper bound")
