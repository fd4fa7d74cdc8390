"""Sum up a table of records for an audit, with DuckDB.

No record reaches Python: one query tells how many records share each group, answer, probability and
so on.
"""

import contextlib
import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from pkdp.practice._model import MOST_CELLS
from pkdp.practice._reading import Records, literal
from pkdp.profiles.logarithms import IntArray

# What is written where nothing is known, without blanks at the ends and in lower case.
_MISSING: Final = (
    "('', 'na', 'n/a', 'n.a.', '#n/a', 'nan', 'null', 'nil', 'nat', '<na>', '#null!', "
    "'\\n', '-', '--', '.', '?', 'missing', '#value!', '#ref!')"
)
_TRUE, _FALSE = "('1', '1.0', 'true', 'True', 'TRUE')", "('0', '0.0', 'false', 'False', 'FALSE')"
_MOST_GROUPS: Final = 100_000
# Halves of a file: by the row's number times this, modulo 2³². No pattern of rows follows it.
_SPREAD: Final = 2_654_435_761

# What may be wrong with records, and what helps.
_Complaint: TypeAlias = tuple[str, str]


@dataclass(frozen=True)
class Count:
    """What is counted: the records with a value in a column, or with a 1 if no value is given.

    Examples
    --------
    >>> str(Count("vote", "Y")), str(Count("employed", None))
    ('vote=Y', 'employed')
    """

    column: str
    value: str | None

    def __str__(self) -> str:
        return self.column if self.value is None else f"{self.column}={self.value}"


@dataclass(frozen=True)
class Query:
    """Which columns are read, and as what.

    Attributes
    ----------
    counts : tuple of Count
    by : tuple of str
        Columns whose values, together, name the group of a record: those of all tables.
    tables : tuple of tuple of str
        The columns of each table that is published.
    probabilities : tuple of str
        Columns of probabilities: that the record is counted, one for each count.
    predictors : tuple of str
        Columns that a model may use.
    household : str or None
        The column that says who depends on whom.
    missing : tuple of str or None
        What is written where nothing is known; None for the usual spellings.
    whole : tuple of str, int and int, or None
        A column of whole numbers, the least and the largest.
    weights : tuple of str
        This column, if these are public weights; otherwise they are summed up, and the counts are
        of them.
    panel : tuple of str
        The columns that say who was asked, and in which wave.
    """

    counts: tuple[Count, ...]
    by: tuple[str, ...] = ()
    probabilities: tuple[str, ...] = ()
    predictors: tuple[str, ...] = ()
    household: str | None = None
    missing: tuple[str, ...] | None = None
    tables: tuple[tuple[str, ...], ...] = ((),)
    whole: tuple[str, int, int] | None = None
    weights: tuple[str, ...] = ()
    panel: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that are read, each once."""
        household = () if self.household is None else (self.household,)
        named = (
            *(count.column for count in self.counts),
            *(self.by + self.probabilities + self.predictors + household + self.panel),
            *(self.whole or ())[:1],
        )
        return tuple(dict.fromkeys(named))

    def is_missing(self, text: str) -> str:
        """Return the SQL test whether a text, given as SQL, says that nothing is known."""
        # Python writes None; "none" is an answer.
        test = f"(lower(trim({text})) IN {_MISSING} OR trim({text}) = 'None')"
        if self.missing is not None:
            test = f"{text} IN ({', '.join(map(literal, ('', *self.missing)))})"
        return f"coalesce({test}, true)"


@dataclass(frozen=True)
class Households:
    """Who depends on whom: the largest household of each group, and if some are in several.

    Of the households with several records, how many there are, and in how many not all records
    answer alike.
    """

    largest: IntArray
    largest_of_all: int
    shared: bool
    several: int
    mixed: int


@dataclass(frozen=True)
class Panel:
    """How many people of each group are in how many waves, and how many are not once in each.

    For each wave and each answer of the wave before, or -1, how many people say 0 and 1.
    """

    people: IntArray
    waves: int = 0
    odd: int = 0
    moves: Mapping[tuple[int, int], list[int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Sums:
    """What the query found.

    Attributes
    ----------
    labels : tuple of str
        The groups, in order; a single empty text where there are none.
    sizes : ndarray
        How many records each has; of a panel, how many people.
    counted : tuple of int
        How many records each count has.
    combinations : tuple of int
        How many records have each combination of answers that occurs.
    all_counted : bool
        Whether every record is in one of the counts.
    kinds, rarest : ndarray
        How many combinations of answers each group has, and how many records have the rarest.
    cells : mapping of str to ndarray
        How many records, ``times``, of the group of a ``number`` share what is read of them: a
        probability, ``value``; or for a model the values of all predictors, ``predictor0`` and so
        on, the half of the file they are in, ``fold``, and whether they are counted, ``answers``.
    households : Households or None
    panel : Panel
    """

    labels: tuple[str, ...]
    sizes: IntArray
    counted: tuple[int, ...]
    combinations: tuple[int, ...]
    all_counted: bool
    kinds: IntArray
    rarest: IntArray
    cells: Mapping[str, npt.NDArray[Any]]
    households: Households | None = None
    panel: Panel = Panel(np.empty(0, dtype=np.int64))

    def places(self, order: bool | Sequence[str]) -> dict[str, int]:
        """Return the places of the groups in an order; by default numbers in labels count."""
        labels = sorted(self.labels, key=_natural) if isinstance(order, bool) else order
        if sorted(labels) != sorted(self.labels):
            raise ValueError(
                f"cells must have the label of each of the {len(self.labels)} groups once, got "
                f"{len(set(labels) & set(self.labels))} of these, and {len(labels)} labels"
            )
        return {label: place for place, label in enumerate(labels)}

    def rarest_of(self, combinations: int) -> IntArray:
        """Return how many records of each group have the rarest of all combinations that exist."""
        return np.where(self.kinds < combinations, 0, self.rarest)


def _natural(label: str) -> list[str | float]:
    """Return what orders labels, in which a number is not before a smaller one."""
    parts = re.split(r"((?:^-)?\d+(?:\.\d+)?)", label)
    return [float(part) if place % 2 else part for place, part in enumerate(parts)]


def names_needed(query: Query, name: str, columns: Mapping[str, str]) -> tuple[str, ...]:
    """Return the columns of a query, if a table with these columns has each of them once."""
    for column in query.columns:
        if column not in columns:
            raise ValueError(f"{name} has no column {column!r}: {_hint(column, columns)}")
        if not columns[column]:
            raise ValueError(f"{name} has several columns {column!r}")
    return query.columns


def _hint(name: str, names: Iterable[str]) -> str:
    """Say what a column may be called; all names might be the values of a record."""
    if set(name) & set("<>"):
        return "for a range of values, make a column of 0 and 1"
    meant = {one.strip(" '\"").casefold(): one for one in names}
    near = difflib.get_close_matches(name.strip().casefold(), meant, n=3)
    if near:
        # In quotes, as a blank at an end of a name is not seen otherwise.
        return f"is it {' or '.join(repr(meant[one]) for one in near)}?"
    if len(meant) == 1:
        return "it has one column only, as no commas, semicolons or tabs are in its first line"
    return f"its first line names {len(meant)} columns, and none like that"


def summed(records: Records, query: Query) -> Sums:
    """Sum up the records of a table.

    Raises
    ------
    ValueError
        If values are not what the query says.
    """
    sql, complaints = _query(query, records.columns)
    records.rows(f"CREATE TEMP TABLE whole AS {sql}")
    worst = records.rows(
        "SELECT problem, sum(times) FROM whole WHERE problem > 0 GROUP BY problem ORDER BY problem"
    )
    if worst:
        number, times = worst[0]
        several = "1 record" if times == 1 else f"{times} records"
        what, helps = complaints[number - 1]
        raise ValueError(f"{what} in {several}{helps}")
    # Of what is summed up only the values that are named are looked at.
    least = int(query.whole is not None and not query.weights)
    groups = records.rows(
        "SELECT label, CAST(sum(records) AS BIGINT), count(*) FILTER (answers >= "
        f"{least}), CAST(coalesce(min(records) FILTER (answers >= {least}), 0) AS BIGINT) "
        "FROM (SELECT label, answers, sum(times) AS records FROM whole GROUP BY label, answers) "
        f"GROUP BY label ORDER BY label LIMIT {_MOST_GROUPS + 1}"
    )
    if len(groups) > _MOST_GROUPS:
        raise ValueError(f"by must give at most {_MOST_GROUPS} groups, got more")
    if not groups:
        raise ValueError("file must have records below the names of its columns, got none")
    labels, *numbers = zip(*groups, strict=True)
    sizes, kinds, rarest = (np.array(column, dtype=np.int64) for column in numbers)
    answers = dict(records.rows("SELECT answers, sum(times) FROM whole GROUP BY answers"))
    panel = _panel(records, sizes) if query.panel else Panel(sizes)
    return Sums(
        labels=tuple(
            " / ".join(label) if isinstance(label, list) else str(label) for label in labels
        ),
        sizes=panel.people,
        counted=tuple(
            sum(int(times) for mask, times in answers.items() if mask >> number & 1)
            for number in range(len(query.counts))
        ),
        combinations=tuple(int(times) for mask, times in answers.items() if mask >= least),
        all_counted=0 not in answers,
        kinds=kinds,
        rarest=rarest,
        cells=_cells(records, query),
        households=None if query.household is None else _households(records),
        panel=panel,
    )


def _cells(records: Records, query: Query) -> Mapping[str, npt.NDArray[Any]]:
    """Return how many records of each group share a probability, or what a model reads."""
    if len(query.probabilities) > 1:
        # A record may be in none of the counts if it is possible for any record.
        records.rows(
            "UPDATE whole SET value = least(value, rest) WHERE (SELECT max(rest) FROM whole) > 0"
        )
    keys, limit = ["value"] * bool(query.probabilities or query.weights), ""
    if query.predictors:
        limit = f" LIMIT {MOST_CELLS + 1}"  # of more there is no model
        keys = [*(f"predictor{k}" for k in range(len(query.predictors))), "fold", "answers"]
    return records.database.execute(
        f"SELECT dense_rank() OVER (ORDER BY label) - 1 AS {', '.join(['number', *keys])}, "
        "CAST(sum(times) AS BIGINT) AS times FROM whole "
        f"GROUP BY {', '.join(['label', *keys])} ORDER BY {', '.join(['label', *keys])}{limit}"
    ).fetchnumpy()


def _query(query: Query, texts: Mapping[str, str]) -> tuple[str, list[_Complaint]]:
    """Return the query that counts the records by what matters of them, and complaints.

    ``problem`` is 0, or tells which complaint a record gives rise to.
    """
    wrong = {
        query.is_missing(texts[name]): (
            f"column {name!r} is empty, or has NA or the like,",
            ": write a value there, such as 'unknown', or leave out these records if anybody may "
            "know that they are left out; if it is an answer, say with --missing what is none",
        )
        for name in query.columns
    }
    bits = []
    for number, count in enumerate(query.counts):
        text = texts[count.column]
        if count.value is None:
            what = f"column {count.column!r}, counted without =VALUE, is neither 0 nor 1"
            wrong[f"{text} NOT IN {_TRUE} AND {text} NOT IN {_FALSE}"] = what, ""
        bits.append(f"CASE WHEN {is_counted(count, text)} THEN {1 << number} ELSE 0 END")
    chances = [f"TRY_CAST({texts[name]} AS DOUBLE)" for name in query.probabilities]
    for name, chance in zip(query.probabilities, chances, strict=True):
        what = f"column {name!r} is no probability in [0, 1]"
        wrong[f"coalesce(NOT ({chance} BETWEEN 0 AND 1), true)"] = what, ": one half is written 0.5"
    wrong |= _of_kinds(query, texts)
    chances += [f"TRY_CAST({texts[name]} AS DOUBLE)" for name in query.weights]
    chance, none = (chances or ["CAST(0 AS DOUBLE)"])[0], "CAST(0 AS DOUBLE)"
    if len(chances) > 1:
        rest = f"1 - ({' + '.join(chances)})"
        what = f"the sum of columns {', '.join(query.probabilities)} is above 1"
        wrong[f"coalesce({rest} < -1e-9, true)"] = what, ""
        chance, none = f"least({', '.join(chances)})", f"greatest({rest}, 0)"
    cases = " ".join(f"WHEN {test} THEN {number}" for number, test in enumerate(wrong, start=1))
    # Several texts are a list, lest two groups have the same one.
    label = ", ".join(texts[name] for name in query.by) or "''"
    if len(query.by) > 1:
        label = f"[{label}]"
    keys = {
        "problem": f"CASE {cases} ELSE 0 END",
        "label": label,
        "answers": " + ".join(bits) or "0",
        # Adding 0 makes -0.0 the 0.0 it is.
        "value": f"{chance} + 0.0",
        # What is left for none of several counts; hardly anything counts as nothing.
        "rest": f"CASE WHEN {none} > 1e-9 THEN {none} ELSE 0 END",
        "household": "''" if query.household is None else texts[query.household],
        **{("person", "wave")[at]: texts[name] for at, name in enumerate(query.panel)},
        "fold": f"(rowid * {_SPREAD}) % {2**32} // {2**31}" if query.predictors else "0",
    }
    for number, name in enumerate(query.predictors):
        keys[f"predictor{number}"] = texts[name]
    selected = ", ".join(f"{value} AS {key}" for key, value in keys.items())
    names = ", ".join(keys)
    within = f"(SELECT {selected} FROM records)"
    sql = f"SELECT {names}, count(*) AS times FROM {within} GROUP BY {names}"
    return sql, list(wrong.values())


def _of_kinds(query: Query, texts: Mapping[str, str]) -> dict[str, _Complaint]:
    """Return what may be wrong with whole numbers and with waves."""
    wrong = {}
    if query.whole is not None:
        name, least, most = query.whole
        number = f"TRY_CAST({texts[name]} AS DOUBLE)"
        test = f"{number} = floor({number}) AND {number} BETWEEN {least} AND {most}"
        what = f"column {name!r} is no whole number in {least}…{most}"
        wrong[f"coalesce(NOT ({test}), true)"] = what, ""
    for name in query.panel[1:]:
        what = f"column {name!r} is neither a number nor a date such as 2024-01-31"
        kinds = (f"TRY_CAST({texts[name]} AS {kind}) IS NULL" for kind in ("DOUBLE", "DATE"))
        wrong[" AND ".join(kinds)] = what, ", so that waves have no order"
    return wrong


def _households(records: Records) -> Households:
    records.rows(
        "CREATE TEMP TABLE homes AS SELECT household, label, sum(times) AS members, "
        "min(answers) AS least, max(answers) AS most FROM whole GROUP BY household, label"
    )
    largest = records.rows(
        "SELECT CAST(max(members) AS BIGINT) FROM homes GROUP BY label ORDER BY label"
    )
    (found,) = records.rows(
        "SELECT max(members), max(labels), count(*) FILTER (WHERE members > 1), "
        "count(*) FILTER (WHERE least < most) FROM (SELECT sum(members) AS members, "
        "count(*) AS labels, min(least) AS least, max(most) AS most FROM homes GROUP BY household)"
    )
    most, labels, several, mixed = map(int, found)
    of_each = np.array([number for (number,) in largest], dtype=np.int64)
    return Households(of_each, most, labels > 1, several, mixed)


def _panel(records: Records, rows: IntArray) -> Panel:
    """Return what is in a panel, whose groups have so many rows."""
    records.rows(
        "CREATE TEMP TABLE panel AS SELECT person, label, answers, times, dense_rank() OVER "
        "(ORDER BY TRY_CAST(wave AS DOUBLE), TRY_CAST(wave AS DATE), wave) AS wave FROM whole"
    )
    (found,) = records.rows(
        "SELECT max(waves), count(*) FILTER (seen <> waves OR labels > 1 OR times <> waves) FROM "
        "(SELECT count(DISTINCT wave) AS seen, sum(times) AS times, count(DISTINCT label) AS "
        "labels, (SELECT max(wave) FROM panel) AS waves FROM panel GROUP BY person)"
    )
    moves = records.rows(
        "SELECT wave, before, sum(1 - answers), sum(answers) FROM (SELECT wave, answers, coalesce("
        "lag(answers) OVER (PARTITION BY person ORDER BY wave), -1) AS before FROM panel) "
        "GROUP BY wave, before"
    )
    waves, odd = map(int, found)
    numbers = {(wave, before): [*map(int, often)] for wave, before, *often in moves}
    return Panel(rows // waves, waves, odd, numbers)


def is_counted(count: Count, text: str) -> str:
    """Return the test whether a record is counted, by the text in its column."""
    if count.value is None:
        return f"{text} IN {_TRUE}"
    test = f"{text} = {literal(count.value)}"
    with contextlib.suppress(ValueError):
        if np.isfinite(value := float(count.value)):
            return f"({test} OR coalesce(TRY_CAST({text} AS DOUBLE) = {value!r}, false))"
    return test
