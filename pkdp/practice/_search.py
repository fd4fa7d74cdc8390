"""The weakest of many groups: as asked, under other assumptions, and if published otherwise."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pkdp._bisection import least_passing
from pkdp.noiseless.adversaries import Adversary
from pkdp.noiseless.synergy import geometric_deviation, ratio_of
from pkdp.partial_knowledge.noise import Geometric
from pkdp.practice import _assumptions, _bounds
from pkdp.practice._answers import Alternative, Cell, Group, Variation
from pkdp.practice._bounds import Answer, Bound, Part, Release, log_of

# So many of the weakest groups are told one by one.
SHOWN: Final = 10
# What is looked at besides the release that is asked about.
_USUAL_THRESHOLD: Final = 10
_USUAL_NOISE: Final = 0.5
# The least noise is searched between these deviations, to this relative width.
_LEAST_DEVIATION: Final = 1e-3
_WIDTH: Final = 1e-3
# The least λ is searched from here, to this relative width.
_LEAST_LAM: Final = 1e-6
_LAM_WIDTH: Final = 1e-2


@dataclass(frozen=True)
class Search:
    """Looks for the weakest of some groups."""

    parts: Sequence[Part]
    delta: float
    classes: int

    def bounds(self, part: Part, release: Release, attacker: str = "active") -> list[Bound]:
        active = list(_bounds.active_bounds(part, release, self.classes))
        return active if attacker == "active" else _bounds.passive_bounds(part, release, active)

    def answer(self, part: Part, release: Release, attacker: str = "active") -> Answer:
        return _bounds.answer(part, self.bounds(part, release, attacker), self.delta)

    def reaches(self, part: Part, release: Release, eps: float) -> bool:
        """Tell whether a part is seen to have (ε, δ)."""
        return _meet(self.bounds(part, release), eps, log_of(self.delta))

    def ordered(self, release: Release) -> bool:
        """Tell whether fewer unknown records are always the weaker, as for one λ."""
        plain = all(not part.values.size and part.household == 1 for part in self.parts)
        return plain and release.threshold is None and release.rounding is None

    def weakest(self, release: Release, attacker: str = "active") -> list[Answer]:
        """Return the answers for groups among which the weakest is; the weakest first.

        The group with the largest advantage is among them, too.
        """
        found = [self.answer(part, release, attacker) for part in self.parts[:SHOWN]]
        if not self.ordered(release):
            worst, log_delta = max(one.eps for one in found), log_of(self.delta)
            log_bets = log_of(max(one.advantage() for one in found))
            for part in self.parts[SHOWN:]:
                bounds = self.bounds(part, release, attacker)
                if not _meet(bounds, worst, log_delta) or not _meet(bounds, 0.0, log_bets):
                    found.append(_bounds.answer(part, bounds, self.delta))
                    worst = max(worst, found[-1].eps)
                    log_bets = max(log_bets, log_of(found[-1].advantage()))
        return sorted(found, key=lambda one: -one.eps)

    def eps(self, release: Release) -> float:
        """Return ε of the weakest group against the active attacker."""
        if self.ordered(release):
            return self.answer(self.parts[0], release).eps
        return self.weakest(release)[0].eps

    def failing(self, release: Release, eps: float, parts: Sequence[Part]) -> Part | None:
        """Return a part that is not seen to have (ε, δ); None if all have."""
        return next((part for part in parts if not self.reaches(part, release, eps)), None)


def _meet(bounds: Iterable[Bound], eps: float, log_delta: float) -> bool:
    """Tell whether one of some bounds shows that δ(ε) is small enough."""
    return any(bound.meets(eps, log_delta) for bound in bounds)


# All groups.


def cells(
    search: Search,
    release: Release,
    goal: float,
    known_of: Callable[[int], int],
    order: Mapping[str, int],
) -> Iterator[Cell]:
    """Yield every group in some order, and the merges that reach a goal.

    Neighbours are merged, from the first on, until together they reach it; what is left at the end
    goes with the last ones. What is in the file is not looked at, but for sizes and probabilities.

    Parameters
    ----------
    search : Search
    release : Release
    goal : float
        The ε that is wanted.
    known_of : callable
        Tells how many records of a group of some size are known.
    order : mapping
        The places of the groups, by their labels.
    """
    parts = sorted(search.parts, key=lambda part: order.get(part.label, 0))
    numbers: list[int] = []
    open_since = number = 0
    for end in range(1, len(parts) + 1):
        one = _bounds.together(parts[open_since:end], known_of)
        numbers.append(number)
        if search.reaches(one, release, goal):
            open_since, number = end, number + 1
    for part, merge in zip(parts, numbers, strict=True):
        eps = search.answer(part, release).eps
        group = Group(part.label, part.records, part.known, eps)
        # What is left over at the end goes with the groups before it.
        yield Cell(group, eps <= goal, min(merge, max(number - 1, 0)))


# Other assumptions.


def variations(search: Search, lam: float | None, release: Release) -> Iterator[Variation]:
    """Yield what ε is if λ is smaller, and if half of the records are known."""
    if release.kind is not None and not release.kind.varies:
        return
    for factor in (2, 4) if lam is not None else ():
        smaller = lam / factor  # type: ignore[operator]
        parts = [dataclasses.replace(part, lam=smaller) for part in search.parts]
        yield Variation(f"λ = {smaller:g}", dataclasses.replace(search, parts=parts).eps(release))
    half = [_half_known(part) for part in search.parts]
    if any(new.known > old.known for new, old in zip(half, search.parts, strict=True)):
        half.sort(key=lambda part: (part.weakness, part.label))
        yield Variation(
            "half of the records known", dataclasses.replace(search, parts=half).eps(release)
        )


def _half_known(part: Part) -> Part:
    half = Adversary(0.5).known_records(part.records) if part.records > 1 else 0
    return dataclasses.replace(part, known=max(part.known, half))


def least_lam(search: Search, release: Release, goal: float) -> float | None:
    """Return about the least λ for which ε reaches the goal; inf if none does.

    None where it is not known which group is the weakest, or if any λ will do.
    """
    if not search.ordered(release):
        return None

    def enough(lam: float) -> bool:
        return search.reaches(dataclasses.replace(search.parts[0], lam=lam), release, goal)

    if enough(_LEAST_LAM):
        return None
    most = 1.0 / release.categories
    return least_passing(_LEAST_LAM, most, enough, _LAM_WIDTH) if enough(most) else math.inf


# Other ways to publish.


def alternatives(
    search: Search, release: Release, eps: float, goal: float
) -> Iterable[Alternative]:
    """Yield other ways to publish for which there is a guarantee."""
    if release.kind is not None:
        return
    shown = any(part.records > _USUAL_THRESHOLD for part in search.parts)
    if release.exact and release.numbers == 1 and shown:
        other = dataclasses.replace(release, threshold=_USUAL_THRESHOLD)
        suppressed = search.eps(other)
        if suppressed < math.inf:
            yield Alternative(
                _assumptions.how(other), suppressed, math.inf, threshold=_USUAL_THRESHOLD
            )
    if release.noise != Geometric(_USUAL_NOISE):
        yield _with_noise(search, release, Geometric(_USUAL_NOISE))
    if eps > goal:
        yield _with_noise(search, release, _least_noise(search, release, goal))


def _with_noise(search: Search, release: Release, noise: Geometric) -> Alternative:
    other = dataclasses.replace(release, threshold=None, rounding=None, noise=noise)
    # Noise alone depends only on the size of a group's households.
    largest = max(search.parts, key=lambda part: part.household)
    alone, _ = _bounds.noise_alone(largest, other, noise).worst(search.delta)
    return Alternative(_assumptions.how(other), search.eps(other), alone, noise=noise)


def _least_noise(search: Search, release: Release, goal: float) -> Geometric:
    """Return the least noise that is seen to reach the goal in every group."""
    # What is enough whatever is known; others of the household move a count together.
    moved = release.moves * max(part.household for part in search.parts)
    alone = min(math.exp(-goal / moved) * (1.0 + 1e-9), math.nextafter(1.0, 0.0))
    most = geometric_deviation(alone)

    def noise(deviation: float) -> Geometric:
        return Geometric(min(max(ratio_of(deviation) * (1.0 + 1e-15), 1e-200), alone))

    def with_noise(deviation: float) -> Release:
        return dataclasses.replace(release, threshold=None, rounding=None, noise=noise(deviation))

    def enough(deviation: float) -> bool:
        return search.failing(with_noise(deviation), goal, tried) is None

    tried = list(search.parts[:1] if search.ordered(with_noise(most)) else search.parts[:SHOWN])
    rest = [] if len(tried) == 1 else search.parts[SHOWN:]
    found = min(_LEAST_DEVIATION, most)
    while True:
        if not enough(found):
            found = least_passing(found, most, enough, _WIDTH)
        weaker = search.failing(with_noise(found), goal, rest)
        if weaker is None:
            return noise(found)
        if weaker in tried:  # what is enough in theory is not, by rounding
            return Geometric(alone)
        tried.append(weaker)
