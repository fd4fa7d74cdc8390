"""Privacy audit of a file: whether counts of it may be published, and what that assumes.

A statistical office, a product team or an ethics board has a file with one record in each line, and
wants to publish how many records have a value, perhaps for each group. `of_file` answers with ε at
a δ, against an attacker who chooses which records she knows (*active*), and one who only sees some
(*passive*); with the theorem that proves it, the weakest group, and all assumptions. Only sums of
the file are kept.

**What is protected** is the value of a record: that it is counted, or not; with `household`, the
values of all records of a household together, which may be the lines of one person. The attacker
knows that the record is in the file, and in which group: groups are public. So are the number of
records of each group, and who lives with whom. Each group's count is of other people than the other
groups', and tells nothing about a record of another one, as records are independent to her. So the
answer is that of the weakest group.

**Several counts** are never treated as independent. They are computed from one histogram, of all
combinations of answers, and its guarantee holds for them.

**Households** are independent of each other; records within one may depend on each other.

Where nothing is proved, a `Refusal` says what would have to be assumed for an answer, or that the
file contradicts the λ that is assumed: answers that hardly occur in a file are not uncertain.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, SupportsFloat, SupportsIndex

import numpy as np

from pkdp._bisection import least_passing
from pkdp._checks import as_instance
from pkdp.noiseless.adversaries import Adversary
from pkdp.noiseless.synergy import geometric_deviation, ratio_of
from pkdp.partial_knowledge.noise import Geometric
from pkdp.practice import _answers, _bounds, _model, _notes, _reading, _report, _sums
from pkdp.practice._answers import (
    Alternative,
    Audit,
    Group,
    Guarantee,
    Refusal,
    Variation,
    as_json,
)
from pkdp.practice._bounds import THEOREMS, Answer, Bound, Part, Release, Theorem
from pkdp.practice._model import Calibration
from pkdp.practice._question import Question, Wanted, as_path
from pkdp.practice._sums import Query, Sums

__all__ = [
    "Alternative",
    "Audit",
    "Calibration",
    "Group",
    "Guarantee",
    "Refusal",
    "Theorem",
    "Variation",
    "as_json",
    "of_file",
    "remove_report",
    "write_report",
]

# So many of the weakest groups are told one by one.
_SHOWN: Final = 10
# What is looked at beside the release that is asked about.
_USUAL_THRESHOLD, _USUAL_NOISE = 10, 0.5
_USUAL_GOAL = 1.0
# A model whose squared error is so many times that of the share of all is nobody's belief.
_MUCH_WORSE = 1.1
# The least noise is searched between these deviations, to this relative width.
_LEAST_DEVIATION, _WIDTH = 1e-3, 1e-3


def of_file(
    file: str | os.PathLike[str] | object,
    counts: str | Iterable[str],
    *,
    by: str | Iterable[str] = (),
    known: SupportsFloat | None = None,
    delta: SupportsFloat = 1e-9,
    lam: SupportsFloat | None = None,
    probabilities: str | Iterable[str] = (),
    model: str | Iterable[str] = (),
    household: str | None = None,
    missing: str | Iterable[str] | None = None,
    threshold: SupportsIndex | None = None,
    noise: Geometric | None = None,
    eps: SupportsFloat | None = None,
    assume: str | Iterable[str] = (),
    alternatives: bool = True,
) -> Audit | Refusal:
    r"""Answer whether counts of a file may be published.

    Parameters
    ----------
    file : path-like, or a table of pandas, polars, Arrow or DuckDB
        A record a row. Files are CSV with a line of names (also gzipped), Parquet, Excel, Stata or
        SAS; the last three need the extra ``files``.
    counts : str or iterable of str
        ``"vote=Y"`` counts the records with Y in the column vote, ``"employed"`` those with a 1 in
        a column of 0 and 1. At most 16.
    by : str or iterable of str
        Columns: counts are published for every combination of their values, or for groups made of
        such.
    known : float, Fraction or int, optional
        How many of the other records the attacker knows: a fraction of each group, in [0, 1); or,
        as an integer ≥ 0, a number in each group. By default none, and then no `eps` can be asked
        for.
    delta : float
        δ in [0, 1].
    lam : float, optional
        λ in (0, ½]: she gives every combination of answers of a record she does not know at least
        this probability; with `household`, given the others of the household.
    probabilities : str or iterable of str, optional
        Instead: columns with her probability that a record is counted, one for each count.
    model : str or iterable of str, optional
        Instead: columns that she knows of every record, from which a logistic model foretells a
        single count.
    household : str, optional
        A column that is the same for the records of one person, or of a household: all of them
        together are protected.
    missing : str or iterable of str, optional
        What is written where nothing is known, besides nothing; by default NA, n/a, null, None, a
        dash and the like. Records without a value are refused.
    threshold : int, optional
        Counts up to here are suppressed; ≥ 0.
    noise : Geometric, optional
        What is added to each count, independently; not with a threshold.
    eps : float, optional
        The ε > 0 that is wanted; 1 by default.
    assume : str or iterable of str
        "independent", if records, or households, are independent to the attacker. Without it there
        is no number.
    alternatives : bool
        Whether to look at other assumptions, at a threshold and at noise, too, which takes as long
        again.

    Returns
    -------
    Audit or Refusal

    Raises
    ------
    ValueError
        If an argument lies outside its range, the file cannot be read, has no such column, or has
        values that are not what is said: a gap, a probability outside [0, 1], anything but 0 and 1
        where a count has no value.
    TypeError
        If an argument is of the wrong kind.
    ImportError
        If duckdb is not installed, or statsmodels for a model: both are in the extra ``audit``.

    Notes
    -----
    A λ is refused if a combination of answers is so rare in a group, or households that are not of
    one mind are so rare, that less than one in 10⁹ of files that it is right for are like that; and
    probabilities if an answer is so rare in a group. This finds gross mistakes only: what is not
    refused may be wrong.

    Where probabilities are given and she knows no record, every different probability is tried as
    the target's, if there are at most 200. More are put into 64 classes, or 8 where there are
    hundreds of groups, and a whole class is left out with a target of it: ε is larger by up to 1 %,
    or 7 %. Of more than a million only the distances from 0 and 1 are used. Where she knows some
    records, ε is a bound for all sets of records that she may know.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as poll:
    ...     _ = poll.write("vote\n" + "Y\n" * 400 + "N\n" * 600)
    ...     poll.flush()
    ...     found = of_file(poll.name, "vote=Y", known=0.5, delta=1e-6, lam=0.1)
    ...     more = of_file(
    ...         poll.name, "vote=Y", known=0.5, delta=1e-6, lam=0.1, assume="independent"
    ...     )
    >>> type(found).__name__, round(more.active.eps, 3), more.active.theorem.tag
    ('Refusal', 0.763, '00J6')
    """
    wanted = Wanted.checked(counts, by, probabilities, model, household, missing)
    if isinstance(file, str | os.PathLike):
        file = as_path(file, "file")
    question = Question.checked(
        _reading.name_of(file), wanted, known, delta, lam, threshold, noise, eps, assume
    )
    others = as_instance(alternatives, "alternatives", bool)
    query, sums, seen = _looked_at(file, wanted)
    question = dataclasses.replace(question, query=query)
    for count, number in zip(query.counts, sums.counted, strict=True):
        if not number:
            raise ValueError(
                f"{question.name} has no record with {count}: values are written as in the "
                "file, upper and lower case and blanks too; in Parquet true, or "
                "2024-01-31 00:00:00"
            )
    release = question.release(sums)
    if question.lam is not None and question.lam * release.categories > 1.0 + 1e-12:
        raise ValueError(
            f"lam must be at most 1/{release.categories}, as the counts tell "
            f"{release.categories} kinds of records apart, got {question.lam:g}"
        )
    # Only now: what is wrong with the file is told before what would have to be assumed of it.
    unproved = question.unproved(sums) if noise is None else []
    lacking = question.missing() + unproved + question.contradicted(sums, release)
    if lacking:
        return Refusal(question.name, question.names, tuple(lacking), seen)
    parts, calibration = _parts(question, sums)
    lacking = question.surprised(sums, parts)
    if calibration is not None and calibration.brier > _MUCH_WORSE * calibration.base_brier:
        lacking.append(
            f"The model's squared error, {calibration.brier:.3g}, is above that of the share of "
            f"all, {calibration.base_brier:.3g}: nobody would believe it. This refusal tells of "
            "the file. Say other columns, or --lam."
        )
    if lacking:
        return Refusal(question.name, question.names, tuple(lacking), seen)
    doubts = question.doubts(sums, release)
    if calibration is not None and calibration.brier >= calibration.base_brier:
        doubts.append(
            "the model foretells no better than the share of all: she may know more than it does"
        )
    if release.exact:
        doubts += _notes.unanimous(sums)
    return dataclasses.replace(
        _answered(question, sums, parts, release, calibration, others), notes=(*seen, *doubts)
    )


def remove_report(folder: str | os.PathLike[str]) -> None:
    """Remove an earlier report, so that it is not taken for the answer to another question.

    Parameters
    ----------
    folder : path-like
        As for `write_report`. If there is none, nothing happens.

    Raises
    ------
    ValueError
        If there is something else of that name.
    OSError
        If a file cannot be removed.
    """
    _report.remove(as_path(folder, "folder"))


def write_report(audit: Audit, folder: str | os.PathLike[str]) -> None:
    """Write a report: one page that needs no other file, and the numbers as JSON.

    The page is to be handed on, except after a model: then all its numbers depend on the answers.
    Keep the numbers: a model's calibration and scores, which the page has not, can tell single
    records, and the exact count beneath noise.

    Parameters
    ----------
    audit : Audit
    folder : path-like
        Gets ``index.html`` and ``audit.json``. It must not exist yet, unless it has an earlier
        report, which is replaced. Each file is written whole or not at all.

    Raises
    ------
    ValueError
        If there is something else of that name.
    OSError
        If the folder cannot be written.
    """
    as_instance(audit, "audit", Audit)
    _report.write(audit, as_path(folder, "folder"))


# What the file says.


def _looked_at(file: object, wanted: Wanted) -> tuple[Query, Sums, tuple[str, ...]]:
    """Return what the columns are, sums over the records, and what is to be noted."""
    found: list[Query] = []

    def needed(name: str, columns: Mapping[str, str]) -> tuple[str, ...]:
        found.append(wanted.resolved(columns))
        return _sums.names_needed(found[0], name, columns)

    with _reading.opened(file, needed) as records:
        sums = _sums.summed(records, found[0])
        return found[0], sums, _notes.of_records(records, found[0], sums)


def _parts(question: Question, sums: Sums) -> tuple[list[Part], Calibration | None]:
    """Return the groups as the attacker sees them."""
    homes, calibration = sums.households, None
    bounded = not question.unproved(sums)
    cells = sums.cells
    values = cells.get("value", np.empty(0))
    if question.query.predictors:
        values, calibration = _model.fit(question.query.predictors, cells)
    times = cells["times"][: values.size]  # none where only λ is given
    starts = np.searchsorted(cells["number"], np.arange(len(sums.labels) + 1))
    parts = []
    for number, (label, size) in enumerate(zip(sums.labels, sums.sizes.tolist(), strict=True)):
        among = slice(starts[number], starts[number + 1])
        own = _bounds.merged(values[among], times[among])
        household = 1
        if homes is not None:
            household = int(homes.largest[number]) if bounded else homes.largest_of_all
        known, lam = question.known_of(size), question.lam or 0.0
        parts.append(Part(label or "all records", size, known, lam, *own, household, bounded))
    return parts, calibration


# The answer.


@dataclass(frozen=True)
class _Search:
    """Looks for the weakest of some groups."""

    parts: Sequence[Part]
    delta: float
    classes: int

    def active(self, part: Part, release: Release) -> list[Bound]:
        return list(_bounds.active_bounds(part, release, self.classes))

    def passive(self, part: Part, release: Release) -> list[Bound]:
        return _bounds.passive_bounds(part, release, self.active(part, release))

    def ordered(self, release: Release) -> bool:
        """Tell whether fewer unknown records are always the weaker, as for one λ."""
        plain = all(not part.values.size and part.household == 1 for part in self.parts)
        return plain and release.threshold is None

    def weakest(self, release: Release, attacker: str = "active") -> list[Answer]:
        """Return the answers for groups among which the weakest is; the weakest first.

        The group with the largest advantage is among them, too.
        """
        bounds_of = self.passive if attacker == "passive" else self.active
        first, rest = self.parts[:_SHOWN], self.parts[_SHOWN:]
        found = [_bounds.answer(part, bounds_of(part, release), self.delta) for part in first]
        if not self.ordered(release):
            worst, log_delta = max(one.eps for one in found), _log(self.delta)
            log_bets = _log(max(one.advantage() for one in found))
            for part in rest:
                bounds = bounds_of(part, release)
                if not _meet(bounds, worst, log_delta) or not _meet(bounds, 0.0, log_bets):
                    found.append(_bounds.answer(part, bounds, self.delta))
                    worst = max(worst, found[-1].eps)
                    log_bets = max(log_bets, _log(found[-1].advantage()))
        return sorted(found, key=lambda one: -one.eps)

    def failing(self, release: Release, eps: float, parts: Sequence[Part]) -> Part | None:
        """Return a part that is not seen to have (ε, δ); None if all have."""
        for part in parts:
            if not _meet(self.active(part, release), eps, _log(self.delta)):
                return part
        return None


def _meet(bounds: Iterable[Bound], eps: float, log_delta: float) -> bool:
    """Tell whether one of some bounds shows that δ(ε) is small enough."""
    return any(bound.meets(eps, log_delta) for bound in bounds)


def _log(delta: float) -> float:
    return math.log(delta) if delta > 0.0 else -math.inf


def _answered(
    question: Question,
    sums: Sums,
    parts: list[Part],
    release: Release,
    calibration: Calibration | None,
    others: bool,
) -> Audit:
    parts = sorted(parts, key=lambda part: (part.weakness, part.label))
    different = sum(part.values.size for part in parts)
    classes = max(8, min(64, 1024 // len(parts), 2**24 // (different + 1)))
    search = _Search(parts, question.delta, classes)
    goal = question.goal or _USUAL_GOAL
    active = passive = search.weakest(release)
    if release.threshold is not None:
        passive = search.weakest(release, "passive")
    return Audit(
        file=question.name,
        counts=question.names,
        by=question.query.by,
        protects=_protected(sums),
        records=int(sums.sizes.sum()),
        groups=len(parts),
        release=_how(release),
        active=_guarantee("active", active, release, question.delta),
        passive=_guarantee("passive", passive, release, question.delta),
        also=tuple(THEOREMS[name] for name in _also(question, active[0], len(parts))),
        weakest=tuple(_group(one) for one in active[:_SHOWN]),
        assumptions=tuple(
            _assumptions(question, sums, release, max(map(_bounds.most_likely, parts)))
        ),
        alternatives=(tuple(_alternatives(search, release, active[0].eps, goal)) if others else ()),
        variations=tuple(_variations(search, question, release)) if others else (),
        goal=goal,
        knows_none=not question.known,
        calibration=calibration,
    )


def _also(question: Question, worst: Answer, groups: int) -> Iterable[str]:
    """Yield what else the answer rests on; keys of `THEOREMS`."""
    counts = question.query.counts
    if worst.theorem == "claim-noise-caps":
        if len(counts) > 1:
            yield "optimal-composition"
        return
    if groups > 1:
        yield "other-counts"
    if worst.part.known and worst.part.household == 1:
        yield "claim-known-records"
    if len({count.column for count in counts}) > 1:
        yield "claim-histories"


def _guarantee(
    attacker: Literal["active", "passive"],
    answers: list[Answer],
    release: Release,
    delta: float,
) -> Guarantee:
    worst = answers[0]
    profile = _bounds.reached(worst.part, release) if worst.status != "exact" else None
    return Guarantee(
        attacker=attacker,
        eps=worst.eps,
        delta=delta,
        advantage=max(one.advantage() for one in answers),
        weakest=_group(worst),
        theorem=THEOREMS[worst.theorem],
        status=worst.status,
        reached=None if profile is None else profile.epsilon(delta),
        profile=worst.profile,
    )


def _group(found: Answer) -> Group:
    return Group(found.part.label, found.part.records, found.part.known, found.eps)


def _variations(search: _Search, question: Question, release: Release) -> Iterable[Variation]:
    """Yield what ε is under other assumptions, and the least λ that reaches the goal."""

    def eps(**changed: float) -> float:
        parts = [dataclasses.replace(part, **changed) for part in search.parts]
        return dataclasses.replace(search, parts=parts).weakest(release)[0].eps

    lam = question.lam
    for factor in (2, 4) if lam is not None else ():
        yield Variation(f"λ = {lam / factor:g}", eps(lam=lam / factor))
    half = [
        dataclasses.replace(part, known=max(part.known, Adversary(0.5).known_records(part.records)))
        if part.records > 1
        else part
        for part in search.parts
    ]
    if any(new.known > old.known for new, old in zip(half, search.parts, strict=True)):
        half.sort(key=lambda part: (part.weakness, part.label))
        known = dataclasses.replace(search, parts=half)
        yield Variation("half of the records known", known.weakest(release)[0].eps)


def _alternatives(
    search: _Search, release: Release, eps: float, goal: float
) -> Iterable[Alternative]:
    """Yield other ways to publish for which there is a guarantee."""
    if release.exact and release.numbers == 1:
        other = dataclasses.replace(release, threshold=_USUAL_THRESHOLD)
        suppressed = search.weakest(other)[0].eps
        if suppressed < math.inf:
            yield Alternative(_how(other), suppressed, math.inf, threshold=_USUAL_THRESHOLD)
    if release.noise != Geometric(_USUAL_NOISE):
        yield _with_noise(search, release, Geometric(_USUAL_NOISE))
    if eps > goal:
        yield _with_noise(search, release, _least_noise(search, release, goal))


def _with_noise(search: _Search, release: Release, noise: Geometric) -> Alternative:
    other = dataclasses.replace(release, threshold=None, noise=noise)
    # Noise alone does the same in every group but for the size of its households.
    largest = max(search.parts, key=lambda part: part.household)
    alone, _ = _bounds.noise_alone(largest, other, noise).worst(search.delta)
    return Alternative(_how(other), search.weakest(other)[0].eps, alone, noise=noise)


def _least_noise(search: _Search, release: Release, goal: float) -> Geometric:
    """Return the least noise that is seen to reach the goal in every group."""
    # What is enough whatever is known; others of the household move a count together.
    moved = release.moves * max(part.household for part in search.parts)
    alone = min(math.exp(-goal / moved) * (1.0 + 1e-9), math.nextafter(1.0, 0.0))
    most = geometric_deviation(alone)

    def noise(deviation: float) -> Geometric:
        return Geometric(min(max(ratio_of(deviation) * (1.0 + 1e-15), 1e-200), alone))

    def with_noise(deviation: float) -> Release:
        return dataclasses.replace(release, threshold=None, noise=noise(deviation))

    def enough(deviation: float) -> bool:
        return search.failing(with_noise(deviation), goal, tried) is None

    tried = list(search.parts[:1] if search.ordered(with_noise(most)) else search.parts[:_SHOWN])
    rest = [] if len(tried) == 1 else search.parts[_SHOWN:]
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


# Words.


def _protected(sums: Sums) -> str:
    """Say whose data the guarantees are about."""
    if sums.households is None or sums.households.largest_of_all == 1:
        return "what one record says, as long as the others stay as they are"
    return (
        f"what all records of one household say together, at most {sums.households.largest_of_all}"
    )


def _how(release: Release) -> str:
    if release.threshold is not None:
        return f"counts up to {release.threshold} suppressed"
    if release.noise is not None:
        deviation = geometric_deviation(release.noise.p)
        return (
            f"with geometric noise of ratio {_answers.few_digits(release.noise.p)} "
            f"(standard deviation {deviation:.3g})"
        )
    return "exactly"


def _assumptions(question: Question, sums: Sums, release: Release, most: float) -> Iterable[str]:
    """Say what the answer rests on, in the terms of the book's glossary where it has one."""
    query, homes = question.query, sums.households
    assumed = "You assumed it: --assume independent."
    if homes is None:
        yield (
            "Independent records: to her no record tells anything about another one, nor do all "
            f"others together. {assumed}"
        )
    else:
        largest = f"The largest household has {_answers.records(homes.largest_of_all)}."
        yield (
            "Independent groups: to her no household tells anything about another one, nor do all "
            f"others together. {assumed} {largest}"
        )
    yield from _beliefs(question, release, most)
    if homes is None:
        yield (
            "No two records are of the same person; if some are, --household must name a column "
            "that is the same in these, and protects all of them together."
        )
    if question.lam is not None and len(query.counts) == release.categories:
        yield "No record could have had a value that is not counted." + (
            ""
            if release.exact
            else " The file has none, which may depend on one record: rely on it only if it was "
            "known before."
        )
    if release.threshold is not None and len(query.counts) == 1:
        yield (
            "No count of the other records is published, from which a suppressed count would "
            "follow, as the number of records is public."
        )
    if query.by:
        yield (
            "Public number of records: how many a group has, who is among them, and so which "
            f"{', '.join(query.by)} a record has. Only what is counted is protected."
        )
        if release.threshold is None:
            fewer = f", and tables by fewer of {', '.join(query.by)}" if len(query.by) > 1 else ""
            yield f"Totals over groups{fewer} follow from these counts, and are covered."
        yield (
            "Groups are of different people. Years or waves of the same people are columns, not "
            "groups."
        )
        if release.threshold is not None:
            yield "No total over groups is published, from which a suppressed count would follow."
    else:
        yield (
            "Public number of records: how many there are, and who is among them. Only what is "
            "counted is protected."
        )
    if release.noise is not None:
        yield "Independent coins: each count gets noise of its own, drawn once and kept secret."
    yield "One release: nothing else that depends on these records is published, before or after."


def _beliefs(question: Question, release: Release, most: float) -> Iterable[str]:
    """Say what she knows and believes of the other records."""
    query = question.query
    better = "a better informed attacker learns more"
    if query.probabilities:
        yield f"Given probabilities: hers are those of {', '.join(query.probabilities)}; {better}."
    elif query.predictors:
        yield (
            "Given probabilities: she knows of a record what a logistic model makes of "
            f"{', '.join(query.predictors)}, and no more; {better}."
        )
    else:
        kinds = "either value" if release.categories == 2 else "every combination of answers"
        at_least = f"she gives {kinds} a probability of at least {question.lam:g}"
        if query.household is None:
            yield f"λ for each unknown record: of a record she does not know, {at_least}."
        else:
            yield f"λ given all others: even if she knew the others of a household, {at_least}."
    if release.threshold is not None:
        yield f"At most p for each other record: a 1 has a probability of at most p = {most:.4g}."
    if not question.known:
        yield "No known records: she knows none of the other records."
    elif isinstance(question.known, int):
        yield f"Known records: at most {question.known} of the other records of each count."
    else:
        share = f"{question.known:.4g}"
        yield f"Known records: at most {share} of the records of each count, any of them."
