"""Read tables of records from CSV or Parquet with DuckDB, and sum them up there.

No record reaches Python: one query tells how many records share each group, answer, probability and
so on. It streams through the file, so that memory holds the sums and little more. Files are looked
at by their own names only; nothing is fetched from elsewhere.
"""

from __future__ import annotations

import contextlib
import csv
import difflib
import importlib
import io
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from pkdp.profiles.logarithms import IntArray

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# What is written where nothing is known.
_EMPTY: Final = "('', 'NA', 'N/A', 'NaN', 'nan', 'NULL', 'null')"
_TRUE, _FALSE = "('1', '1.0', 'true', 'True', 'TRUE')", "('0', '0.0', 'false', 'False', 'FALSE')"
# The longest line of a CSV file, in bytes, and the most columns.
_LONGEST: Final = 2**21
_MOST_COLUMNS: Final = 10_000
_DELIMITERS: Final = ",;\t|"
_MEMORY: Final = "2GB"
_MOST_GROUPS: Final = 100_000

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
        Columns whose values, together, name the group of a record.
    probabilities : tuple of str
        Columns of probabilities: that the record is counted, one for each count.
    predictors : tuple of str
        Columns that a model may use.
    household : str or None
        The column that says who depends on whom.
    """

    counts: tuple[Count, ...]
    by: tuple[str, ...] = ()
    probabilities: tuple[str, ...] = ()
    predictors: tuple[str, ...] = ()
    household: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that are read, each once."""
        household = () if self.household is None else (self.household,)
        named = (
            *(count.column for count in self.counts),
            *(self.by + self.probabilities + self.predictors + household),
        )
        return tuple(dict.fromkeys(named))


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
class Sums:
    """What the query found.

    Attributes
    ----------
    labels : tuple of str
        The groups, in order; a single empty text where there are none.
    sizes : ndarray
        How many records each has.
    found : tuple of bool
        Of each count, whether any record is counted.
    all_counted : bool
        Whether every record is in one of the counts.
    kinds, rarest : ndarray
        How many combinations of answers each group has, and how many records have the rarest.
    cells : mapping of str to ndarray
        How many records, ``times``, of the group of a ``number`` share what is read of them: a
        probability, ``value``; or for a model the values of all predictors, ``predictor0`` and so
        on, the half of the file they are in, ``fold``, and whether they are counted, ``answers``.
    households : Households or None
    """

    labels: tuple[str, ...]
    sizes: IntArray
    found: tuple[bool, ...]
    all_counted: bool
    kinds: IntArray
    rarest: IntArray
    cells: Mapping[str, npt.NDArray[Any]]
    households: Households | None = None

    def rarest_of(self, combinations: int) -> IntArray:
        """Return how many records of each group have the rarest of all combinations that exist."""
        return np.where(self.kinds < combinations, 0, self.rarest)


def read(path: Path, query: Query) -> Sums:
    """Sum up a file.

    Parameters
    ----------
    path : Path
    query : Query

    Raises
    ------
    ValueError
        If the file cannot be read, has no such column, or has values that are not what is said.
    """
    with _sentence(path):
        if not path.exists():
            raise ValueError(f"file must exist, got {str(path)!r}")
        if not path.is_file():
            raise ValueError(f"file must be a regular file, got {str(path)!r}")
    with _database() as database:
        complaints = _aggregate(database, query, path)
        return _summed(database, query, complaints)


def _aggregate(database: DuckDBPyConnection, query: Query, path: Path) -> list[_Complaint]:
    """Put the records of the file, counted by what matters of them, into a table.

    Return what its numbers of problems stand for.
    """
    source, names = _source(database, path)
    for name in query.columns:
        if name not in names:
            raise ValueError(f"{path.name} has no column {name!r}: {_hint(name, names)}")
        if not names[name]:
            raise ValueError(f"{path.name} has several columns {name!r}")
    # No name of a column becomes a part of the query but as a quoted name.
    texts = {name: f"CAST({names[name]} AS VARCHAR)" for name in query.columns}
    sql, complaints = _query(query, texts, source)
    with _sentence(path):
        database.execute(f"CREATE TEMP TABLE whole AS {sql}")
    return complaints


def _hint(name: str, names: Iterable[str]) -> str:
    """Say what a column may be called; all names might be the values of a record."""
    meant = {one.strip(" '\"").casefold(): one for one in names}
    near = difflib.get_close_matches(name.strip().casefold(), meant, n=3)
    if near:
        # In quotes, as a blank at an end of a name is not seen otherwise.
        return f"is it {' or '.join(repr(meant[one]) for one in near)}?"
    return f"its first line names {len(meant)} columns, and none like that"


def _source(database: DuckDBPyConnection, path: Path) -> tuple[str, dict[str, str]]:
    """Return a relation, and what its columns are called in it, by their names in the file.

    What several columns are called leads nowhere.
    """
    file = _literal(_escaped(path))
    with _sentence(path), open(path, "rb") as opened:
        start = opened.read(_LONGEST + 1)
    if start[:4] == b"PAR1" or path.suffix.lower() == ".parquet":
        relation = f"read_parquet({file}, file_row_number=true)"
        with _sentence(path):
            described = database.execute(f"SELECT * FROM {relation} LIMIT 0").description
        return relation, {column[0]: _name(column[0]) for column in described[:-1]}
    header, delimiter = _header(path, start)
    _check_lines(path)
    columns = ", ".join(f"'c{number}': 'VARCHAR'" for number in range(len(header)))
    relation = (
        f"read_csv({file}, auto_detect=false, header=true, delim={_literal(delimiter)}, "
        f"quote='\"', escape='\"', strict_mode=true, null_padding=false, nullstr='', "
        f"max_line_size={_LONGEST}, columns={{{columns}}})"
    )
    times = Counter(header)
    return relation, {
        name: f"c{number}" if times[name] == 1 else "" for number, name in enumerate(header)
    }


def _check_lines(path: Path) -> None:
    """Refuse a file with a line of 2 MB, which DuckDB may leave out without a word."""
    with _sentence(path), open(path, "rb") as opened:
        while block := opened.read(_LONGEST // 2):
            # Where every block has an end of a line, no line is as long as two.
            if len(block) == _LONGEST // 2 and b"\n" not in block:
                raise ValueError(f"{path.name} has a line of more than 1 MB, so it is no table")


def _header(path: Path, start: bytes) -> tuple[list[str], str]:
    """Return the names of the columns of a CSV file, and what stands between them."""
    line = start.partition(b"\n")[0]
    if not start:
        raise ValueError(f"{path.name} is empty")
    if b"\0" in line:
        raise ValueError(f"{path.name} is neither CSV in UTF-8 nor Parquet")
    if len(line) > _LONGEST:
        raise ValueError(f"{path.name} has a first line of more than 2 MB, so it is no CSV file")
    try:
        text = line.decode("utf-8-sig").rstrip("\r")
    except UnicodeDecodeError:
        raise ValueError(f"{path.name} is not in UTF-8, or no CSV file") from None
    plain = re.sub(r'"[^"]*"', "", text)
    delimiter = max(_DELIMITERS, key=plain.count)
    try:
        (header,) = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    except (csv.Error, ValueError):
        raise ValueError(f"{path.name} has a first line that names no columns") from None
    if len(header) > _MOST_COLUMNS:
        raise ValueError(f"{path.name} has more than {_MOST_COLUMNS} columns, so it is no table")
    return header, delimiter


def _query(query: Query, texts: dict[str, str], source: str) -> tuple[str, list[_Complaint]]:
    """Return the query that counts the records of a file, and what may be wrong with them."""
    wrong = {
        f"coalesce({text} IN {_EMPTY}, true)": (
            f"column {name!r} is empty, NA or NaN",
            ": write a value there, such as 'unknown', or leave out these records if anybody may "
            "know that they are left out",
        )
        for name, text in texts.items()
    }
    bits = []
    for number, count in enumerate(query.counts):
        text = texts[count.column]
        if count.value is None:
            what = f"column {count.column!r}, counted without =VALUE, is neither 0 nor 1"
            wrong[f"{text} NOT IN {_TRUE} AND {text} NOT IN {_FALSE}"] = what, ""
        bits.append(f"CASE WHEN {_is_counted(count, text)} THEN {1 << number} ELSE 0 END")
    chances = [f"TRY_CAST({texts[name]} AS DOUBLE)" for name in query.probabilities]
    for name, chance in zip(query.probabilities, chances, strict=True):
        what = f"column {name!r} is no probability in [0, 1]"
        wrong[f"coalesce(NOT ({chance} BETWEEN 0 AND 1), true)"] = what, ": one half is written 0.5"
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
        "answers": " + ".join(bits),
        # Adding 0 makes -0.0 the 0.0 it is.
        "value": f"{chance} + 0.0",
        # What is left for none of several counts; hardly anything counts as nothing.
        "rest": f"CASE WHEN {none} > 1e-9 THEN {none} ELSE 0 END",
        "household": "''" if query.household is None else texts[query.household],
        "fold": "0",
    }
    for number, name in enumerate(query.predictors):
        keys[f"predictor{number}"] = texts[name]
    parquet = source.startswith("read_parquet")
    if query.predictors:
        row = "file_row_number" if parquet else "row_number() OVER () - 1"
        keys["fold"] = f"({row}) % 2"
    selected = ", ".join(f"{value} AS {key}" for key, value in keys.items())
    names = ", ".join(keys)
    within = f"(SELECT {selected} FROM {source})"
    sql = f"SELECT {names}, count(*) AS times FROM {within} GROUP BY {names}"
    return sql, list(wrong.values())


def _summed(database: DuckDBPyConnection, query: Query, complaints: list[_Complaint]) -> Sums:
    """Read off the table ``whole`` what is asked for."""
    worst = database.execute(
        "SELECT problem, sum(times) FROM whole WHERE problem > 0 GROUP BY problem ORDER BY problem"
    ).fetchone()
    if worst is not None:
        number, times = worst
        records = "1 record" if times == 1 else f"{times} records"
        what, helps = complaints[number - 1]
        raise ValueError(f"{what} in {records}{helps}")
    groups = database.execute(
        "SELECT label, CAST(sum(records) AS BIGINT), count(*), CAST(min(records) AS BIGINT) "
        "FROM (SELECT label, answers, sum(times) AS records FROM whole GROUP BY label, answers) "
        f"GROUP BY label ORDER BY label LIMIT {_MOST_GROUPS + 1}"
    ).fetchall()
    if len(groups) > _MOST_GROUPS:
        raise ValueError(f"by must give at most {_MOST_GROUPS} groups, got more")
    if not groups:
        raise ValueError("file must have records below the names of its columns, got none")
    labels, *numbers = zip(*groups, strict=True)
    sizes, kinds, rarest = (np.array(column, dtype=np.int64) for column in numbers)
    answers = {
        mask for (mask,) in database.execute("SELECT DISTINCT answers FROM whole").fetchall()
    }
    if len(query.probabilities) > 1:
        # A record may be in none of the counts if it is possible for any record.
        database.execute(
            "UPDATE whole SET value = least(value, rest) WHERE (SELECT max(rest) FROM whole) > 0"
        )
    keys = ["value"] * bool(query.probabilities)
    if query.predictors:
        keys = [*(f"predictor{k}" for k in range(len(query.predictors))), "fold", "answers"]
    cells = database.execute(
        f"SELECT dense_rank() OVER (ORDER BY label) - 1 AS {', '.join(['number', *keys])}, "
        "CAST(sum(times) AS BIGINT) AS times FROM whole "
        f"GROUP BY {', '.join(['label', *keys])} ORDER BY {', '.join(['label', *keys])}"
    ).fetchnumpy()
    return Sums(
        labels=tuple(
            " / ".join(label) if isinstance(label, list) else str(label) for label in labels
        ),
        sizes=sizes,
        found=tuple(
            any(mask >> number & 1 for mask in answers) for number in range(len(query.counts))
        ),
        all_counted=0 not in answers,
        kinds=kinds,
        rarest=rarest,
        cells=cells,
        households=None if query.household is None else _households(database),
    )


def _households(database: DuckDBPyConnection) -> Households:
    database.execute(
        "CREATE TEMP TABLE homes AS SELECT household, label, sum(times) AS members, "
        "min(answers) AS least, max(answers) AS most FROM whole GROUP BY household, label"
    )
    largest = database.execute(
        "SELECT CAST(max(members) AS BIGINT) AS largest FROM homes GROUP BY label ORDER BY label"
    ).fetchnumpy()
    found = database.execute(
        "SELECT max(members), max(labels), count(*) FILTER (WHERE members > 1), "
        "count(*) FILTER (WHERE least < most) FROM (SELECT sum(members) AS members, "
        "count(*) AS labels, min(least) AS least, max(most) AS most FROM homes GROUP BY household)"
    ).fetchone()
    most, labels, several, mixed = map(int, found)  # type: ignore[arg-type]
    return Households(np.asarray(largest["largest"]), most, labels > 1, several, mixed)


def _is_counted(count: Count, text: str) -> str:
    """Return the test whether a record is counted, by the text in its column."""
    if count.value is None:
        return f"{text} IN {_TRUE}"
    test = f"{text} = {_literal(count.value)}"
    with contextlib.suppress(ValueError):
        if np.isfinite(value := float(count.value)):
            return f"({test} OR coalesce(TRY_CAST({text} AS DOUBLE) = {value!r}, false))"
    return test


# DuckDB.


@contextlib.contextmanager
def _database() -> Iterator[DuckDBPyConnection]:
    with tempfile.TemporaryDirectory() as folder, _duckdb().connect() as database:
        for name, value in {
            "memory_limit": _MEMORY,
            "temp_directory": folder,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "python_enable_replacements": False,
        }.items():
            database.execute(f"SET {name} = {value!r}")
        yield database


@contextlib.contextmanager
def _sentence(path: Path) -> Iterator[None]:
    """Say in a sentence what is wrong with a file."""
    try:
        yield
    except OSError as error:
        raise ValueError(
            f"cannot read {path.name}: {(error.strerror or str(error)).lower()}"
        ) from None
    except ValueError:
        raise
    except _duckdb().Error as error:
        raise ValueError(f"cannot read {path.name}: {_reason(str(error))}") from None


def _reason(said: str) -> str:
    """Return what DuckDB says, in few words and without what stands in the file."""
    line = re.search(r"CSV Error on Line: (\d+)", said)
    known = {
        "Maximum line size": "it is longer than 2 MB",
        "unicode": "it is not in UTF-8",
        "Expected Number of Columns": "it has too few or too many columns",
        "quote": "a quotation mark is not closed, or out of place",
    }
    why = next((words for sign, words in known.items() if sign.lower() in said.lower()), "")
    if line:
        return f"line {line[1]} is no line of a CSV file" + (f": {why}" if why else "")
    if "memory" in said.lower():
        return f"it needs more than {_MEMORY} of memory; fewer columns or rounder values need less"
    if "parquet" in said.lower() or "magic bytes" in said or "decompress" in said.lower():
        return "it is no Parquet file, or damaged"
    return "it is no CSV file, or damaged"


def _escaped(path: Path) -> str:
    """Return a path in which nothing stands for several files."""
    return re.sub(r"[*?\[]", r"[\g<0>]", str(path))


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def _duckdb() -> ModuleType:
    return optional("duckdb", "an audit needs duckdb: pip install pkdp[audit]")


def optional(name: str, missing: str) -> ModuleType:
    """Import an optional library where it is needed, or say what is missing."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(missing) from error
