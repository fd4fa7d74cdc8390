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

**Other releases** than counts, each alone: the sum of a column of whole numbers, or a count with
public weights, by coins in sums; a count of the same people in several waves, by the profile of the
whole series; a table whose small cells are suppressed, with its total. All of these are upper
bounds; no noise, rounding or earlier release goes with them.

**Households** are independent of each other; records within one may depend on each other.

Where nothing is proved, a `Refusal` says what would have to be assumed for an answer, or that the
file contradicts the λ that is assumed: answers that hardly occur in a file are not uncertain.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import os
from collections.abc import Iterable, Mapping
from typing import Any, Literal, SupportsFloat, SupportsIndex

import numpy as np

from pkdp._checks import as_instance, as_several
from pkdp._sources import write_whole
from pkdp.partial_knowledge.noise import Geometric
from pkdp.practice import _assumptions, _bounds, _model, _notes, _reading, _report, _search, _sums
from pkdp.practice._answers import (
    Alternative,
    Audit,
    Cell,
    Group,
    Guarantee,
    Refusal,
    Variation,
    as_json,
)
from pkdp.practice._bounds import THEOREMS, Answer, Part, Release, Theorem
from pkdp.practice._kinds import kind_of
from pkdp.practice._model import Scores
from pkdp.practice._question import Question, Released, Wanted, as_path, as_texts
from pkdp.practice._report import remove_report, write_report
from pkdp.practice._search import SHOWN, Search, alternatives, least_lam, variations
from pkdp.practice._sums import Query, Sums

__all__ = [
    "Alternative",
    "Audit",
    "Cell",
    "Group",
    "Guarantee",
    "Refusal",
    "Scores",
    "Theorem",
    "Variation",
    "as_json",
    "of_file",
    "remove_report",
    "write_cells",
    "write_report",
]

_USUAL_GOAL = 1.0
_SAME_PEOPLE = "Earlier reports are of the same people, in the same groups, with the same answers."


def of_file(
    file: str | os.PathLike[str] | object,
    counts: str | Iterable[str] = (),
    *,
    by: str | Iterable[str] = (),
    tables: str | Iterable[str | Iterable[str]] = (),
    known: SupportsFloat | None = None,
    delta: SupportsFloat = 1e-9,
    lam: SupportsFloat | None = None,
    probabilities: str | Iterable[str] = (),
    model: str | Iterable[str] = (),
    household: str | None = None,
    missing: str | Iterable[str] | None = None,
    threshold: SupportsIndex | None = None,
    noise: Geometric | str | None = None,
    round_to: SupportsIndex | None = None,
    epsilon: SupportsFloat | None = None,
    assume: str | Iterable[str] = (),
    after: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    sum_of: str | None = None,
    values: str | Iterable[SupportsFloat] = (),
    weight: str | None = None,
    wave: str | None = None,
    person: str | None = None,
    chain: str | Iterable[SupportsFloat] | None = None,
    total: str | Iterable[str] = (),
    alternatives: bool = True,
    cells: bool | Iterable[str] = False,
) -> Audit | Refusal:
    r"""Answer whether counts of a file may be published.

    Parameters
    ----------
    file : path-like, or a table of pandas, polars, Arrow, DuckDB or Dask
        A record a row. Files are CSV with a line of names (also gzipped), Parquet, Excel, Stata or
        SAS; the last three need the extra ``files``.
    counts : str or iterable of str
        ``"vote=Y"`` counts the records with Y in the column vote, ``"employed"`` those with a 1 in
        a column of 0 and 1. At most 16.
    by : str or iterable of str
        Columns: counts are published for every combination of their values, or for groups made of
        such.
    tables : str or iterable of str, or of iterables of str, optional
        Instead of `by`, several tables of the same records, each by its columns: "region,sex" and
        "age", say. The answer is that of the table by all these columns, from which they follow;
        it is exact if that one is among them.
    known : float, Fraction or int, optional
        How many of the other records the attacker knows: a fraction of each group, in [0, 1); or,
        as an integer ≥ 0, a number in each group. By default none, and then no `epsilon` can be
        given.
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
    noise : Geometric or str, optional
        What is added to each count, independently, such as ``"geometric:0.5"``; not with a
        threshold or rounding.
    round_to : int, optional
        Counts are published as the nearest multiple of this, of two the larger; with a threshold
        small ones as 0.
    epsilon : float, optional
        The ε > 0 that is wanted; 1 by default.
    assume : str or iterable of str
        "independent", if records, or households, are independent to the attacker. Without it there
        is no number. "unchanged", if those of another file than the earlier report's are the same
        people, in the same groups and with the same answers.
    after : path-like or iterable of path-like
        Numbers (``audit.json``) of earlier reports on these people: what was published then is a
        part of the release, as if it were exact. The numbers of this report hold it, too, so that
        the last report is a register of all. Refused if these were more or fewer records then, or
        more or fewer of them were counted; and if the report has a keyed hash of another file,
        unless `assume` has "unchanged".
    sum_of : str, optional
        Instead of counts: ``"visits=0..3"`` is the sum of a column of whole numbers, and the
        bounds of what a record could say. Goes with `values`, `lam`, `by` and `tables`.
    values : str or iterable of int, optional
        Two or more of these numbers, such as ``"0,1"``: she gives each of them a probability of λ
        at least, for every record she does not know. Two of them must differ by 1.
    weight : str, optional
        A column of whole numbers ≥ 0 that she knows: each record of a single count counts so
        often. Goes with `lam`, `by` and `tables`.
    wave, person : str, optional
        A column of numbers or dates that says in which wave a record was asked, and one that says
        who: a single count is published for each of two to five waves of the same people. Goes
        with `chain` and `by`. Of more than 10,000 others she is taken to know the rest.
    chain : str or iterable of float, optional
        What she believes of a person's answers: the probability of a 1 in the first wave, after a
        0, and after a 1, in (0, 1).
    total : str or iterable of str, optional
        Instead of counts: columns of a table of which the cells above `threshold` are published,
        and the total. To her records have the shares of the file, so that ε depends on it.
    alternatives : bool
        Whether to look at other assumptions, at a threshold and at noise, too, which takes as long
        again.

    cells : bool or iterable of str
        Whether to answer for every group, and to say which neighbours to merge; or the labels of
        all groups, in the order that makes neighbours. By default numbers in labels have theirs.

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
    kind = kind_of(given := dict(locals()))
    earlier = _earlier(after, threshold, noise, round_to)
    wanted = Wanted.checked(kind, given).together(earlier)
    if isinstance(file, str | os.PathLike):
        file = as_path(file, "file")
    question = Question.checked(_reading.name_of(file), wanted, given)
    others = as_instance(alternatives, "alternatives", bool)
    every = cells if isinstance(cells, bool) else as_texts(cells, "cells")
    query, sums, seen, wrong = _looked_at(file, wanted)
    records = int(sums.sizes.sum())
    changed, told = _report.changed(earlier, file, records, seen, question.unchanged)
    if changed or wrong:
        return Refusal(question.name, tuple(map(str, query.counts)), (*changed, *wrong), seen)
    found = _found(question, (query, sums, (*seen, *told)), others, every)
    if not earlier or isinstance(found, Refusal):
        return found
    # What went out exactly cannot be suppressed, merged or given noise any more.
    together = tuple(dataclasses.replace(cell, merged=0) for cell in found.cells)
    rest = (*found.assumptions, _SAME_PEOPLE)
    return dataclasses.replace(found, assumptions=rest, alternatives=(), cells=together)


def _found(
    question: Question,
    seen: tuple[Query, Sums, tuple[str, ...]],
    others: bool,
    every: bool | tuple[str, ...],
) -> Audit | Refusal:
    """Return the answer to a question about a file, in which so much was seen."""
    kind, notes = question.kind, list(seen[2])
    query, sums = kind.filled(*seen[:2])
    question = dataclasses.replace(question, query=query)
    release = question.release(sums)
    question.check(sums, release)
    order = sums.places(every)
    # Only now: what is wrong with the file is told before what would have to be assumed of it.
    unproved = question.unproved(sums) if question.noise is None else []
    lacking = question.missing() + unproved + question.contradicted(sums, release)
    if not lacking:
        parts, scores = _parts(question, sums)
        lacking = question.surprised(sums, parts) + _model.refused(scores)
    if lacking:
        return Refusal(question.name, question.names, tuple(lacking), seen[2], kind.noun)
    found = _answered(question, sums, parts, release, scores, others)
    notes += [*question.doubts(sums, release), *_model.doubts(scores)]
    if release.exact and not kind.how:
        notes += _notes.unanimous(sums)
    found = dataclasses.replace(found, notes=tuple(notes))
    search = Search(parts, question.delta, 8)
    return _with_cells(found, search, question, release, order) if every else found


def _earlier(after: object, *limits: object) -> list[Released]:
    """Return what earlier reports are about, if the new release is one of exact counts."""
    given: Any = (after,) if isinstance(after, str | os.PathLike) else after
    paths = as_several(given, "after", "paths")
    if paths and any(limit is not None for limit in limits):
        raise ValueError(
            "threshold, noise and round_to must be None after earlier releases, which are taken "
            "to be exact: audit exact counts, from which all others follow. Tables with noise must "
            "be audited together, before the first is published"
        )
    return [_report.released(as_path(one, "after")) for one in paths]


def _with_cells(
    found: Audit, search: Search, question: Question, release: Release, order: Mapping[str, int]
) -> Audit:
    """Return an answer with all groups, and how many of them reach the goal."""
    cells = tuple(_search.cells(search, release, found.goal, question.known_of, order))
    passing = sum(cell.passes for cell in cells)
    note = f"{passing} of {len(cells)} groups have ε ≤ {found.goal:g}"
    return dataclasses.replace(found, cells=cells, notes=(*found.notes, note))


def write_cells(audit: Audit, path: str | os.PathLike[str]) -> None:
    """Write every group as CSV: label, records, known records, ε, verdict and merge.

    The table is for the owner of the file: a model's ε depends on the answers.

    Parameters
    ----------
    audit : Audit
        Of a question with ``cells=True``.
    path : path-like
        The file, which is written whole or not at all, and replaced if it exists.

    Raises
    ------
    ValueError
        If the audit has no cells.
    OSError
        If the file cannot be written.
    """
    if not as_instance(audit, "audit", Audit).cells:
        raise ValueError("audit must be one with cells=True, got one without cells")
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(["group", "records", "known", "epsilon", "passes", "merge"])
    for cell in audit.cells:
        group = cell.group
        verdict = "yes" if cell.passes else "no"
        rows.writerow([group.label, group.records, group.known, group.eps, verdict, cell.merged])
    write_whole(as_path(path, "path"), written.getvalue().encode())


# What the file says.


def _looked_at(file: object, wanted: Wanted) -> tuple[Query, Sums, tuple[str, ...], list[str]]:
    """Return what the columns are, sums over the records, and what is to be noted, or wrong."""
    found: list[Query] = []

    def needed(name: str, columns: Mapping[str, str]) -> tuple[str, ...]:
        found.append(wanted.resolved(columns))
        return _sums.names_needed(found[0], name, columns)

    with _reading.opened(file, needed) as records:
        sums = _sums.summed(records, found[0])
        wrong, notes = _notes.of_records(records, found[0], sums)
        return found[0], sums, notes, wrong


def _parts(question: Question, sums: Sums) -> tuple[list[Part], Scores | None]:
    """Return the groups as the attacker sees them."""
    homes, scores = sums.households, None
    bounded = not question.unproved(sums)
    cells = sums.cells
    values = cells.get("value", np.empty(0))
    if question.query.predictors:
        values, scores = _model.fit(question.query.predictors, cells)
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
    return parts, scores


# The answer.


def _answered(
    question: Question,
    sums: Sums,
    parts: list[Part],
    release: Release,
    scores: Scores | None,
    others: bool,
) -> Audit:
    parts = sorted(parts, key=lambda part: (part.weakness, part.label))
    different = sum(part.values.size for part in parts)
    classes = max(8, min(64, 1024 // len(parts), 2**24 // (different + 1)))
    search = Search(parts, question.delta, classes)
    goal = question.goal or _USUAL_GOAL
    active = passive = search.weakest(release)
    if release.threshold is not None or release.rounding is not None:
        passive = search.weakest(release, "passive")
    return Audit(
        file=question.name,
        counts=question.names,
        tables=question.query.tables,
        protects=_assumptions.protected(sums),
        records=int(sums.sizes.sum()),
        groups=len(parts),
        release=_assumptions.how(release),
        active=_guarantee("active", active, release, question.delta),
        passive=_guarantee("passive", passive, release, question.delta),
        also=tuple(THEOREMS[name] for name in _also(question, active[0], len(parts))),
        weakest=tuple(_group(one) for one in active[:SHOWN]),
        assumptions=tuple(
            _assumptions.assumptions(question, sums, release, max(map(_bounds.most_likely, parts)))
        ),
        alternatives=(tuple(alternatives(search, release, active[0].eps, goal)) if others else ()),
        variations=tuple(variations(search, question.lam, release)) if others else (),
        least_lam=least_lam(search, release, goal) if others and question.lam else None,
        goal=goal,
        knows_none=not question.known,
        kind=question.kind.noun,
        scores=scores,
    )


def _also(question: Question, worst: Answer, groups: int) -> Iterable[str]:
    """Yield what else the answer rests on; keys of `THEOREMS`."""
    counts = question.query.counts
    if question.kind.how and not question.query.panel:
        return  # it is about other numbers than counts
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
    is_bound = worst.status != "exact"
    return Guarantee(
        attacker=attacker,
        eps=worst.eps,
        delta=delta,
        advantage=max(one.advantage() for one in answers),
        weakest=_group(worst),
        theorem=THEOREMS[worst.theorem],
        status=worst.status,
        reached=_bounds.reached(worst.part, release, delta) if is_bound else None,
        profile=worst.profile,
    )


def _group(found: Answer) -> Group:
    return Group(found.part.label, found.part.records, found.part.known, found.eps)
