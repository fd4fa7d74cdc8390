"""What in a file speaks against the assumptions of an audit: notes for the owner of the file.

Each check looks for one kind of sign that a row is not one person, that a value is not what it is
taken for, or that an answer is no secret. A sign is no proof, so an audit goes on; a note says what
was seen and what to do. Notes have values of the file, and are not to be handed on.
"""

import contextlib
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from pkdp.practice._answers import records as records_text
from pkdp.practice._reading import Records
from pkdp.practice._sums import Query, Sums, is_counted

# Columns with more values than this are no list of categories.
_MOST_VALUES: Final = 2_000
# In a table of more rows no row is a cell of a table of frequencies.
_MOST_CELLS: Final = 100_000
# An identifier has so many values at least, and so many rows for each at most.
_FEWEST_PERSONS: Final = 10
_MOST_ROWS: Final = 64
# Of a list, so many are told one by one.
_SHOWN: Final = 5

_TOTALS: Final = re.compile(
    r"((sub|grand )?totals?|sum|all|overall|both sexes|all ages|(ins)?gesamt|summe|ensemble|totale"
    r"|totaal|tous|todos)"
)
_FOOTNOTE: Final = re.compile(
    r"(source|note|notes|footnote|quelle|fußnote|fonte|fuente)\s*:|[*©]\s"
)
# Codes that statistics programs use for answers that were not given.
_CODES: Final = frozenset(
    repr(float(code)) for code in (-1, -7, -8, -9, -77, -88, -99, -999, -9999, 999, 9999)
)
_NUMBER: Final = "ids?|nr|no|num|number"
_WHO: Final = (
    "person|patient|u?subject|respondent|participant|member|user|customer|client|pupil|student|"
    "individual|family|household"
)
_SHORT: Final = "per|pat|pt|u?subj|resp|stud|emp|case|fam|hh"
_IDENTIFIER: Final = re.compile(
    rf"(?i:(^|[_\W])([hpu]?ids?|({_WHO})_?({_NUMBER})?|({_SHORT})_?({_NUMBER}))($|[_\W\d]))"
    "|[a-z]ID$"
)
_TIME: Final = re.compile(
    r"(?i:(^|[_\W])(weeks?|months?|years?|quarters?|dates?|days?|waves?|period)($|[_\W\d]))"
)
# In a table of up to so many rows even a few repeated identifiers are looked for.
_MOST_LOOKED_AT: Final = 10**6


def of_records(records: Records, query: Query, sums: Sums) -> tuple[list[str], tuple[str, ...]]:
    """Return what contradicts the assumptions, and notes: how many are counted comes first."""
    total = int(sums.sizes.sum()) * max(sums.panel.waves, 1)
    sizes = _sizes(records)
    listed = _listed(records, query, sizes)
    frequencies = list(_frequencies(records, query, total))
    wrong, persons = _persons(records, query, sizes, total)
    return wrong, (
        *_counted(query, sums, total),
        *_spellings(records, query, listed),
        *_codes(query, listed),
        *_lines_of_no_person(listed),
        *_times(query),
        # In a table of frequencies each value of a column occurs equally often, too.
        *(frequencies or [*persons, *_turns(records, query, listed, total)]),
        *_copies(records, sizes, total),
    )


def unanimous(sums: Sums) -> list[str]:
    """Return a note if all records of a group say the same, so that its count tells it of each."""
    labels = [
        label for label, kinds in zip(sums.labels, sums.kinds.tolist(), strict=True) if kinds == 1
    ]
    if not labels:
        return []
    where = f" in {len(labels)} of {len(sums.labels)} groups: {_some(labels)}"
    return [
        f"all records are unanimous{'' if labels == [''] else where}. The counts tell what "
        "everybody says there; the guarantee is about what she could expect beforehand"
    ]


def _some(texts: Iterable[str]) -> str:
    """Quote the first of some texts, and say how many there are besides."""
    every = list(texts)
    more = f" and {len(every) - _SHOWN} more" if len(every) > _SHOWN else ""
    return ", ".join(map(repr, every[:_SHOWN])) + more


def _sizes(records: Records) -> dict[str, int]:
    """Return how many values each column has, to a few percent."""
    sizes = ", ".join(f"approx_count_distinct({column})" for column in records.columns.values())
    (about,) = records.rows(f"SELECT {sizes} FROM records")
    return dict(zip(records.columns, about, strict=True))


def _listed(records: Records, query: Query, sizes: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """Return how often each value occurs, for each column that is a list of categories."""
    found = {}
    for name, column in records.columns.items():
        if sizes[name] <= _MOST_VALUES or name in {count.column for count in query.counts}:
            values = records.rows(
                f"SELECT {column}, count(*) FROM records WHERE {column} IS NOT NULL "
                f"GROUP BY {column} ORDER BY count(*) DESC, {column} LIMIT {10 * _MOST_VALUES}"
            )
            found[name] = dict(values)
    return found


def _counted(query: Query, sums: Sums, total: int) -> Iterator[str]:
    """Say how many records are counted."""
    for count, number in zip(query.counts, sums.counted, strict=True):
        yield f"{number} of {total} records are counted as {count}"


# Values that are not what they are taken for.


def _key(text: str) -> str:
    """Return what texts have in common that differ in blanks, case or the form of a number."""
    folded = " ".join(text.split()).casefold()
    with contextlib.suppress(ValueError):
        return repr(float(folded))
    return folded


def _spellings(
    records: Records, query: Query, listed: Mapping[str, Mapping[str, int]]
) -> Iterator[str]:
    """Tell of values that differ from each other in their spelling only."""
    wanted = {(count.column, _key(count.value)): count for count in query.counts if count.value}
    columns = (*(count.column for count in query.counts), *query.by, *query.predictors)
    for name in dict.fromkeys(columns):
        alike: dict[str, list[str]] = defaultdict(list)
        for text in listed.get(name, ()):
            alike[_key(text)].append(text)
        for key, texts in alike.items():
            count, column = wanted.get((name, key)), records.columns[name]
            if len(texts) < 2:
                continue
            if count is None:
                yield (
                    f"column {name!r} has {_some(texts)}, which are different values here: write "
                    "alike what means the same"
                )
                continue
            meant = records.rows(
                f"SELECT DISTINCT {column} FROM records WHERE {is_counted(count, column)}"
            )
            if others := [text for text in texts if (text,) not in meant]:
                yield (
                    f"{sum(listed[name][text] for text in others)} more records have "
                    f"{_some(others)} in column {name!r}, which is not counted as {count}: write "
                    "alike what means the same"
                )
            else:
                yield f"as {count} these are counted alike: {_some(texts)}"


def _has(name: str, values: Mapping[str, int], texts: Iterable[str]) -> str:
    """Say that a column has some of its values, and in how many records."""
    times = sum(values[text] for text in texts)
    return f"column {name!r} has {_some(texts)} in {records_text(times)}"


def _codes(query: Query, listed: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Tell of codes such as 999 that may say that nothing is known."""
    for name in dict.fromkeys((*(count.column for count in query.counts), *query.by)):
        values = listed.get(name, {})
        codes = [text for text in values if _key(text) in _CODES]
        if codes and len(codes) < len(values) and query.missing is None:
            yield (
                f"{_has(name, values, codes)}: if that says that nothing is known, name it with "
                "--missing"
            )


# Rows that are no persons.


def _lines_of_no_person(listed: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Tell of rows of totals, and of notes below a table."""
    for name, values in listed.items():
        totals = [text for text in values if _TOTALS.fullmatch(" ".join(text.split()).casefold())]
        if totals:
            yield f"{_has(name, values, totals)}: a row of totals is no person"
        notes = [text for text in values if _FOOTNOTE.match(text.strip().casefold())]
        if notes:
            yield f"column {name!r} has {_some(notes)}: a note is no person"
    if len(listed) > 1 and all(name in values for name, values in listed.items()):
        yield (
            "each column has its own name among its values: the first line is a record, or a line "
            "of names is repeated, which is no person"
        )


def _times(query: Query) -> Iterator[str]:
    """Tell of groups that may be times, in which the same people are again."""
    for name in query.by:
        if _TIME.search(name):
            yield (
                f"groups by {name!r} look like times: if the same people are in several of them, "
                "no answer about groups holds; name the --person with --wave, or make a column for "
                "each time, with a --count"
            )


def _persons(
    records: Records, query: Query, sizes: Mapping[str, int], total: int
) -> tuple[list[str], list[str]]:
    """Tell of columns that seem to say which rows are of one person; first of those that do.

    Each value occurs equally often, or never twice in a group although in several groups; or the
    column is called like an identifier. An identifier that is in several groups contradicts that
    groups are of different people.
    """
    wrong: list[str] = []
    notes: list[str] = []
    if query.household is not None or query.panel:
        return wrong, notes
    advice = (
        "if these are rows of one person or household each time, name the column with --household"
    )
    by = "".join(f", {records.columns[name]}" for name in query.by)
    for name, column in records.columns.items():
        named = _IDENTIFIER.search(name)
        looked_at = named and total <= _MOST_LOOKED_AT
        fewest = max(_FEWEST_PERSONS, total / _MOST_ROWS) * 0.8
        likely = fewest <= min(sizes[name], total) <= (total if looked_at else 0.8 * total)
        if name in query.columns or not (likely or (looked_at and by)):
            continue
        ((values, least, most, within),) = records.rows(
            "SELECT count(*), min(times), max(times), max(most) FROM (SELECT sum(number) AS times, "
            f"max(number) AS most FROM (SELECT {column} AS value, count(*) AS number FROM records "
            f"WHERE value IS NOT NULL GROUP BY value{by}) GROUP BY value)"
        )
        if values < _FEWEST_PERSONS or most == 1:
            continue
        split = by and within == 1 and 1.5 * values <= total
        if split and looked_at:
            wrong.append(
                f"Groups must be of different people, but each value of column {name!r} is in "
                "several of them, never twice in one. Waves of the same people are columns with a "
                "--count each, or a --wave; if rows of one value are a household, name it with "
                "--household."
            )
        if likely and least == most:
            notes.append(
                f"each of the {values} values of column {name!r} is in {most} rows: {advice}"
            )
        elif likely and split:
            notes.append(
                f"the {values} values of column {name!r} are in several groups, and in none twice: "
                f"{advice}"
            )
        elif likely and named:
            notes.append(f"column {name!r} has only {values} values in {total} rows: {advice}")
    return wrong, notes


def _frequencies(records: Records, query: Query, total: int) -> Iterator[str]:
    """Tell of a table in which a row stands for many persons: a column says how many."""
    if total > _MOST_CELLS:
        return
    columns = records.columns
    kinds = ", ".join(
        # A cast to whole numbers rounds.
        f"count(DISTINCT {column}), bool_and(coalesce(TRY_CAST({column} AS DOUBLE) = "
        f"TRY_CAST({column} AS UBIGINT), false)), coalesce(max(TRY_CAST({column} AS UBIGINT)), 0)"
        for column in columns.values()
    )
    (found,) = records.rows(f"SELECT {kinds} FROM records")
    values = dict(zip(columns, found[::3], strict=True))
    whole = [
        name
        for name, is_whole, most in zip(columns, found[1::3], found[2::3], strict=True)
        if is_whole
        and most > 1
        and (name not in query.columns or name in query.weights)
        and (values[name], most) not in ((total, total), (total, total - 1))  # rows are numbered
    ]
    whole.sort(key=values.__getitem__, reverse=True)
    # One column of counts, or several, such as cases and controls.
    for numbers in [[name] for name in whole] + [whole[:many] for many in range(2, len(whole) + 1)]:
        others = [one for one in columns if one not in numbers and 1 < values[one] < total]
        # Most combinations of the other columns' values occur, and none of them twice.
        if len(others) < 2 or not total <= math.prod(values[one] for one in others) <= 2 * total:
            continue
        keys = ", ".join(columns[one] for one in others)
        ((cells,),) = records.rows(f"SELECT count(*) FROM (SELECT DISTINCT {keys} FROM records)")
        if cells == total:
            yield (
                f"no two rows agree in all columns but {_some(numbers)}, of whole numbers: this "
                "seems a table of frequencies. Repeat each row as often as it says: a row must be "
                "one person"
            )
            return


def _turns(
    records: Records, query: Query, listed: Mapping[str, Mapping[str, int]], total: int
) -> Iterator[str]:
    """Tell of a column that goes through its values in turns: couples, items or waves in order."""
    counted = {count.column for count in query.counts}
    for name, values in listed.items():
        turn = len(values)
        few = not 2 <= turn <= _MOST_ROWS or total < _FEWEST_PERSONS * turn
        if name in counted or query.household is not None or query.panel or few:
            continue
        column = records.columns[name]
        ((places,),) = records.rows(
            f"SELECT count(*) FROM (SELECT DISTINCT rowid % {turn}, {column} FROM records)"
        )
        if places == turn:
            yield (
                f"the rows go through the {turn} values of column {name!r} in turns: if {turn} "
                "rows one after the other are of one person, couple or household, give them a "
                "column of its own and name it with --household"
            )


def _copies(records: Records, sizes: Mapping[str, int], total: int) -> Iterator[str]:
    """Tell if the second half of a table repeats the first one, and hardly any row twice."""
    half = total // 2
    if total % 2 or total < 2 * _FEWEST_PERSONS or max(sizes.values()) > 0.8 * total:
        return
    texts = ", ".join(records.columns.values())
    ((first, last, different),) = records.rows(
        f"SELECT sum(hash({texts}, rowid)) FILTER (rowid < {half}), "
        f"sum(hash({texts}, rowid - {half})) FILTER (rowid >= {half}), "
        f"approx_count_distinct(hash({texts})) FROM records"
    )
    # Rows of few kinds may follow a pattern that is no copy.
    if first == last and different > half / 2:
        yield (
            f"the last {half} rows are the first {half} once more: if the file was appended to "
            "itself, everybody is in it twice"
        )
