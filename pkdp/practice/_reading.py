"""Open tables of records with DuckDB: files of several kinds, and data frames.

The columns that an audit looks at are loaded as text, once; each later question is a query on them.
Memory is limited: what does not fit is kept in a temporary folder. A file is opened by its own name
only, and nothing is fetched from elsewhere.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import importlib
import io
import os
import re
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import IO, TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# The longest line of a CSV file, in bytes, and the most columns.
_LONGEST: Final = 2**21
_MOST_COLUMNS: Final = 10_000
_DELIMITERS: Final = ",;\t|"
_MEMORY: Final = "2GB"
# Besides the columns that a question names, so many others are looked at, from the left.
_MOST_OTHERS: Final = 60

# How files of other kinds begin, and what to do with them.
_UNREADABLE: Final = {
    (b"\xff\xfe", b"\xfe\xff"): "is in UTF-16: write it as CSV in UTF-8",
    (b"PK\x03\x04",): "is a ZIP archive: extract the table from it",
    (b"$FL",): "is an SPSS file: export it as CSV, Stata or Parquet",
    (b"\xd0\xcf\x11\xe0",): "is an old Excel file (.xls): write it as .xlsx or CSV",
    (b"ARROW1",): "is an Arrow file: write it as Parquet, or pass the table in Python",
    (b"@relation", b"@RELATION"): "is an ARFF file: write it as CSV",
    (b"[", b"{"): "is a JSON file: write it as CSV",
    # bzip2, xz and zstd.
    (b"BZh91AY", b"\xfd7zXZ", b"(\xb5/\xfd"): "is compressed: unpack it, or compress it with gzip",
}
# By what pandas reads a file with this ending, what pandas itself needs for it, and options.
_BY_PANDAS: Final[Mapping[str, tuple[str, str, Mapping[str, Any]]]] = {
    ".xlsx": ("read_excel", "openpyxl", {"dtype": str, "keep_default_na": False}),
    ".dta": ("read_stata", "pandas", {}),
    ".sas7bdat": ("read_sas", "pandas", {"encoding": "utf-8"}),
    ".xpt": ("read_sas", "pandas", {"encoding": "utf-8"}),
}
_GZIP: Final = b"\x1f\x8b"


@dataclass(frozen=True)
class Records:
    """A table whose columns are loaded as text.

    Attributes
    ----------
    database : DuckDBPyConnection
        Has the records in its table ``records``, in the order of the file.
    name : str
        What messages call the table.
    columns : mapping of str to str
        What the loaded columns are called in ``records``, by their names in the file.
    """

    database: DuckDBPyConnection
    name: str
    columns: Mapping[str, str]

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return what a query finds."""
        with reasons(self.name):
            return self.database.execute(sql).fetchall()


@contextlib.contextmanager
def opened(
    table: object, wanted: Callable[[str, Mapping[str, str]], Sequence[str]]
) -> Iterator[Records]:
    """Open a file or a data frame, and load the columns that are wanted, and some others.

    Parameters
    ----------
    table : path-like, or a table of pandas, polars, Arrow, DuckDB or Dask
    wanted : callable
        Gets the name of the table and a mapping whose keys are the names of its columns (an empty
        value means that there are several of that name). Returns the names of those to load.

    Raises
    ------
    ValueError
        If the table cannot be read.
    TypeError
        If it is no table.
    """
    with tempfile.TemporaryDirectory() as folder, _connected(folder) as database:
        name = name_of(table)
        if isinstance(table, str | os.PathLike):
            relation, names = _of_file(database, Path(table), folder)
        else:
            relation, names = _of_frame(database, table, folder)
        first = wanted(name, names)
        others = [one for one, column in names.items() if column and one not in first]
        loaded = [*first, *others[:_MOST_OTHERS]]
        columns = {one: f"r{number}" for number, one in enumerate(loaded)}
        selected = ", ".join(f"CAST({names[one]} AS VARCHAR) AS {columns[one]}" for one in loaded)
        with reasons(name):
            database.execute(f"CREATE TEMP TABLE records AS SELECT {selected} FROM {relation}")
        yield Records(database, name, columns)


def name_of(table: object) -> str:
    """Return what messages call a table: never anything that is in it."""
    if isinstance(table, str | os.PathLike):
        return Path(table).name
    return f"the {type(table).__name__}"


@contextlib.contextmanager
def _connected(folder: str) -> Iterator[DuckDBPyConnection]:
    duckdb = optional("duckdb", "an audit needs duckdb, which the extra 'audit' of pkdp installs")
    with duckdb.connect() as database:
        for name, value in {
            "memory_limit": _MEMORY,
            "temp_directory": folder,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "python_enable_replacements": False,
        }.items():
            database.execute(f"SET {name} = {value!r}")
        yield database


# Each of these returns a relation, and what its columns are called in it, by their names in the
# file. What several columns are called leads nowhere.


def _of_frame(
    database: DuckDBPyConnection,
    table: Any,  # noqa: ANN401
    folder: str,
) -> tuple[str, dict[str, str]]:
    """Return the relation of a table of pandas, polars, Arrow, DuckDB or Dask."""
    library, kind = type(table).__module__.partition(".")[0].lstrip("_"), type(table).__name__
    with reasons(name_of(table)):
        # These write Parquet without another library; a relation has a connection of its own.
        write = getattr(table, "sink_parquet", getattr(table, "write_parquet", None))
        if library in ("polars", "duckdb") and write is not None:
            write(str(path := Path(folder) / "table.parquet"))
            return _of_parquet(database, path)
        if (library, kind) == ("dask", "DataFrame"):
            parts = []
            # One part is in memory at a time, wherever it is computed.
            for number in range(table.npartitions):
                part = table.get_partition(number).compute()
                relation, columns = _of_frame(database, part, folder)
                parts.append(literal(f"{folder}/{number}.parquet"))
                database.execute(f"COPY {relation} TO {parts[-1]} (FORMAT parquet)")
            return f"read_parquet([{', '.join(parts)}], union_by_name = true)", columns
        if (library, kind) in (("pandas", "DataFrame"), ("pyarrow", "Table")):
            names = [str(column) for column in getattr(table, "column_names", table.columns)]
            placed = [f"c{number}" for number in range(len(names))]
            renamed = (
                table.rename_columns(placed)
                if library == "pyarrow"
                else table.set_axis(placed, axis=1)
            )
            database.register("frame", renamed)
            return "frame", _placed(names)
    raise TypeError(
        f"file must be a path, or a table of pandas, polars, Arrow, DuckDB or Dask, got a {kind}"
    )


def _of_file(database: DuckDBPyConnection, path: Path, folder: str) -> tuple[str, dict[str, str]]:
    """Return the relation of a file."""
    with reasons(path.name):
        if not path.exists():
            raise ValueError(f"file must exist, got {str(path)!r}")
        if not path.is_file():
            raise ValueError(f"file must be a regular file, got {str(path)!r}")
        with path.open("rb") as opened_file:
            start = opened_file.read(16)
        if start[:4] == b"PAR1" or path.suffix.lower() == ".parquet":
            return _of_parquet(database, path)
        if path.suffix.lower() in _BY_PANDAS:
            return _of_frame(database, _by_pandas(path), folder)
    for signs, advice in _UNREADABLE.items():
        if start.startswith(signs):
            raise ValueError(f"{path.name} {advice}")
    return _of_csv(path, folder, zipped=start.startswith(_GZIP))


def _of_parquet(database: DuckDBPyConnection, path: Path) -> tuple[str, dict[str, str]]:
    relation = f"read_parquet({literal(_escaped(path))})"
    described = database.execute(f"SELECT * FROM {relation} LIMIT 0").description
    names = [column[0] for column in described]
    return relation, {name: '"' + name.replace('"', '""') + '"' for name in names}


def _by_pandas(path: Path) -> Any:  # noqa: ANN401
    """Return the first sheet of an Excel file, or a file of Stata or SAS, as a data frame."""
    function, needed, options = _BY_PANDAS[path.suffix.lower()]
    missing = f"reading {path.name} needs {needed}, which the extra 'files' of pkdp installs"
    pandas = optional("pandas", missing)
    optional(needed, missing)
    try:
        return getattr(pandas, function)(path, **options)
    except Exception:  # each of these libraries has errors of its own
        raise ValueError(
            f"cannot read {path.name}: it is no file of the kind {path.suffix}, or damaged"
        ) from None


def _of_csv(path: Path, folder: str, *, zipped: bool) -> tuple[str, dict[str, str]]:
    """Return the relation of a CSV file, after a look at its first line and its line ends."""
    with reasons(path.name), _bytes(path, zipped) as lines:
        start = lines.read(_LONGEST + 1)
    skipped, declared = 0, ""
    # Excel writes what stands between values into a line of its own.
    if found := re.match(rb'(?:\xef\xbb\xbf)?"?sep=(.)"?\r?[\n\r]', start):
        skipped, declared = 1, found[1].decode("latin-1")
    header, delimiter = _header(path, start[found.end() :] if found else start, declared)
    if _has_mixed_ends(path, zipped):
        path, zipped = _with_one_end(path, zipped, folder), False
    columns = ", ".join(f"'c{number}': 'VARCHAR'" for number in range(len(header)))
    relation = (
        f"read_csv({literal(_escaped(path))}, auto_detect=false, header=true, skip={skipped}, "
        f"delim={literal(delimiter)}, quote='\"', escape='\"', strict_mode=true, "
        f"null_padding=false, nullstr='', max_line_size={_LONGEST}, "
        f"compression='{'gzip' if zipped else 'none'}', columns={{{columns}}})"
    )
    return relation, _placed(header)


def _placed(names: Sequence[str]) -> dict[str, str]:
    """Return the columns c0, c1 and so on by their names, unless several have the same one."""
    times = Counter(names)
    return {name: f"c{k}" if times[name] == 1 else "" for k, name in enumerate(names)}


def _bytes(path: Path, zipped: bool) -> IO[bytes]:
    return gzip.open(path) if zipped else path.open("rb")  # type: ignore[return-value]


def _has_mixed_ends(path: Path, zipped: bool) -> bool:
    """Tell whether a file has ends of lines of two kinds, which DuckDB refuses.

    A line of 2 MB is refused here: DuckDB may leave it out without a word.
    """
    ends, last = Counter[bytes](), b""
    with reasons(path.name), _bytes(path, zipped) as lines:
        while block := lines.read(_LONGEST // 2):
            # Where every block has an end of a line, no line is as long as two.
            if len(block) == _LONGEST // 2 and b"\n" not in block and b"\r" not in block:
                raise ValueError(f"{path.name} has a line of more than 1 MB, so it is no table")
            both = block.count(b"\r\n") + (last == b"\r" and block[:1] == b"\n")
            ends += Counter({b"\r\n": both, b"\n": block.count(b"\n") - both})
            last = block[-1:]
    return len(+ends) > 1


def _with_one_end(path: Path, zipped: bool, folder: str) -> Path:
    """Return a copy of a file in which all lines end alike."""
    copy = Path(folder) / "lines.csv"
    with _bytes(path, zipped) as lines, copy.open("wb") as written:
        for line in lines:
            written.write(line[:-2] + b"\n" if line.endswith(b"\r\n") else line)
    return copy


def _header(path: Path, start: bytes, declared: str) -> tuple[list[str], str]:
    """Return the names of the columns of a CSV file, and what stands between them."""
    line = re.split(rb"[\r\n]", start, maxsplit=1)[0]
    wrong = {
        "is a file of R: write it with write.csv": start.startswith((b"X\n\0", b"RDX")),
        "is empty": not start,
        "is no table that can be read: write it as CSV in UTF-8, or as Parquet": b"\0" in line,
        "has a first line of more than 2 MB, so it is no CSV file": len(line) > _LONGEST,
    }
    for said, is_so in wrong.items():
        if is_so:
            raise ValueError(f"{path.name} {said}")
    try:
        text = line.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(
            f"{path.name} is not in UTF-8, or no CSV file: write it as CSV in UTF-8"
        ) from None
    plain = re.sub(r'"[^"]*"', "", text)
    delimiter = declared or max(_DELIMITERS, key=plain.count)
    try:
        (header,) = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    except (csv.Error, ValueError):
        raise ValueError(f"{path.name} has a first line that names no columns") from None
    if len(header) > _MOST_COLUMNS:
        raise ValueError(f"{path.name} has more than {_MOST_COLUMNS} columns, so it is no table")
    return header, delimiter


def tables_in(table: Any) -> Sequence[Any]:  # noqa: ANN401
    """Return a table, or those that a file lists, in which nothing is a number or a date."""
    if not isinstance(table, os.PathLike):
        return [table]
    path = Path(table)
    yaml = optional("yaml", "tables in YAML need pyyaml, which the extra 'audit' of pkdp installs")
    with reasons(path.name):
        content = path.read_bytes()
    try:
        found = yaml.load(content, yaml.BaseLoader)
    except (ValueError, RecursionError, yaml.YAMLError):
        found = None
    tables = found if isinstance(found, list) else []
    texts = [text for table in tables for text in (table if isinstance(table, list) else [table])]
    if not tables or not all(isinstance(text, str) for text in texts):
        raise ValueError(
            "tables must be a list of lists of columns in YAML, such as [[region, sex], [age]], "
            f"got {path.name}"
        )
    return tables


@contextlib.contextmanager
def reasons(name: str) -> Iterator[None]:
    """Say in a sentence what is wrong with a table."""
    try:
        yield
    except OSError as error:
        raise ValueError(f"cannot read {name}: {(error.strerror or str(error)).lower()}") from None
    except (EOFError, zlib.error):
        raise ValueError(f"cannot read {name}: it is compressed, and damaged") from None
    except (ValueError, TypeError, ImportError):
        raise
    except importlib.import_module("duckdb").Error as error:
        raise ValueError(f"cannot read {name}: {_reason(str(error))}") from None


def _reason(said: str) -> str:
    """Return what DuckDB says, in few words and without anything from the file."""
    line = re.search(r"CSV Error on Line: (\d+)", said)
    known = {
        "Maximum line size": "it is longer than 2 MB",
        "unicode": "it is not in UTF-8; write the file as CSV in UTF-8",
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


def optional(name: str, missing: str) -> ModuleType:
    """Import an optional library where it is needed, or say what is missing."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(missing) from error


def literal(text: str) -> str:
    """Return a text as SQL."""
    return "'" + text.replace("'", "''") + "'"


def _escaped(path: Path) -> str:
    """Return a path in which nothing stands for several files."""
    return re.sub(r"[*?\[]", r"[\g<0>]", str(path))
