"""Tables that an audit reads: kinds of files, data frames, and names of columns."""

import bz2
import gzip
import lzma
import random

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from pkdp import audit

RANDOM = random.Random(43)
N = 200
COLUMNS = {
    "vote": [RANDOM.choice("YN") for _ in range(N)],
    "race=black": [RANDOM.choice("01") for _ in range(N)],
    "age, years": [RANDOM.choice(["young", "old"]) for _ in range(N)],
    "sex": [RANDOM.choice("FM") for _ in range(N)],
}
USUAL = {"lam": 0.1, "delta": 1e-6, "assume": "independent", "alternatives": False}


def lines(delimiter=",", end="\n", columns=COLUMNS):
    rows = [tuple(columns), *zip(*columns.values(), strict=True)]
    quoted = (delimiter.join(f'"{text}"' if "," in text else text for text in row) for row in rows)
    return "".join(f"{row}{end}" for row in quoted).encode()


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    file = tmp_path_factory.mktemp("plain") / "a.csv"
    file.write_bytes(lines())
    return audit.of_file(file, "vote=Y", by=["sex", "age, years"], **USUAL)


def same(table, expected, **options):
    """Whether the answer is the one for the plain file, but for its name."""
    found = audit.of_file(table, "vote=Y", by=["sex", "age, years"], **USUAL | options)
    assert found.active == expected.active
    assert found.weakest == expected.weakest
    assert found.notes == expected.notes
    return found


def mixed():
    first, *rest = lines().splitlines()
    return b"".join(
        line + (b"\r\n" if number % 3 else b"\n") for number, line in enumerate([first, *rest])
    )


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", lines(end="\r\n")),
        ("a.csv", lines(end="\r")),
        ("a.csv", mixed()),
        ("a.csv", b"\xef\xbb\xbf" + lines(";")),
        ("a.tsv", lines("\t")),
        ("a.csv", b"sep=;\r\n" + lines(";", "\r\n")),
        ("a.csv", b"\xef\xbb\xbfsep=;\n" + lines(";")),
        ("a.csv.gz", gzip.compress(lines())),
        ("a.csv.gz", gzip.compress(mixed())),
    ],
)
def test_text_in_any_form_is_the_same(name, content, tmp_path, expected):
    file = tmp_path / name
    file.write_bytes(content)
    assert same(file, expected).file == name


@pytest.mark.parametrize("ending", ["parquet", "xlsx", "dta", "feather"])
def test_files_of_other_programs_are_the_same(ending, tmp_path, expected):
    file = tmp_path / f"a.{ending}"
    frame = pd.DataFrame(COLUMNS)
    if ending == "parquet":
        frame.to_parquet(file)
    elif ending == "xlsx":
        frame.to_excel(file, index=False)
    elif ending == "dta":
        # Stata has no such names.
        plain = {"race=black": "black", "age, years": "age"}
        frame.rename(columns=plain).to_stata(file, write_index=False)
        found = audit.of_file(file, "vote=Y", by=["sex", "age"], **USUAL)
        assert found.active == expected.active
        return
    else:
        frame.to_feather(file)
        with pytest.raises(ValueError, match="is an Arrow file: write it as Parquet"):
            same(file, expected)
        return
    same(file, expected)


def test_tables_in_memory_are_the_same(expected):
    relation = duckdb.from_arrow(pa.table(COLUMNS))
    for table, name in [
        (pd.DataFrame(COLUMNS), "the DataFrame"),
        (pd.DataFrame(COLUMNS).astype("category"), "the DataFrame"),
        (pl.DataFrame(COLUMNS), "the DataFrame"),
        (pl.DataFrame(COLUMNS).lazy(), "the LazyFrame"),
        (pa.table(COLUMNS), "the Table"),
        (relation, "the DuckDBPyRelation"),
    ]:
        assert same(table, expected).file == name


def test_a_table_in_parts_is_read_part_by_part(expected):
    parted = pytest.importorskip("dask.dataframe")
    table = parted.from_pandas(pd.DataFrame(COLUMNS), npartitions=3)
    assert same(table, expected).file == "the DataFrame"
    # The numbers of a part may be of another type than those of the first.
    parts = [pd.DataFrame({"age": [4, 5] * 50}), pd.DataFrame({"age": [4.0, 5.5] * 50})]
    table = parted.from_map(
        lambda number: parts[number], [0, 1], meta=parts[0], enforce_metadata=False
    )
    for count, times in (("age=4", 100), ("age=5", 50), ("age=5.5", 50)):
        found = audit.of_file(table, count, **USUAL)
        assert found.notes[0] == f"{times} of 200 records are counted as {count}"


def test_values_of_frames_are_numbers_flags_or_missing():
    frame = pd.DataFrame({"ill": [1, 0] * 50, "smoker": [True, False] * 50, "age": [4.0, 5.0] * 50})
    for count in ("ill", "ill=1", "smoker", "smoker=true", "age=4"):
        assert audit.of_file(frame, count, **USUAL).notes[0].startswith("50 of 100 records")
    frame.loc[3, "age"] = float("nan")
    with pytest.raises(ValueError, match="column 'age' is empty, or has NA or the like, in 1 rec"):
        audit.of_file(frame, "age=4", **USUAL)


def test_a_message_names_the_type_and_no_content():
    for table in ({"name": ["Ada"]}, [["Ada"]], iter(["Ada"]), 3, pd.Series(["Ada"]), None):
        with pytest.raises(TypeError, match="file must be a path, or a table of pandas") as told:
            audit.of_file(table, "vote=Y", **USUAL)
        assert type(table).__name__ in str(told.value)
        assert "Ada" not in str(told.value)
    twice = pd.DataFrame([["Ada", "Y"]], columns=["vote", "vote"])
    with pytest.raises(ValueError, match=r"the DataFrame has several columns 'vote'$"):
        audit.of_file(twice, "vote=Y", **USUAL)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"PK\x03\x04", "is a ZIP archive: extract the table from it"),
        (b"\xff\xfev\x00", "is in UTF-16: write it as CSV in UTF-8"),
        (b"$FL2@(#)", "is an SPSS file: export it"),
        (b"\xd0\xcf\x11\xe0\xa1", r"is an old Excel file \(.xls\)"),
        (gzip.compress(b"vote\0", mtime=0), "is no table that can be read"),
        (bz2.compress(lines()), "is compressed: unpack it, or compr"),
        (lzma.compress(lines()), "is compressed: unpack it, or compr"),
        (b"(\xb5/\xfd\x04", "is compressed: unpack it, or compr"),
        (b"@relation poll\n@attribute vote {Y,N}\n@data\nY\n", "is an ARFF file: write it as CSV"),
        (b'[{"vote": "Y"}]\n', "is a JSON file: write it as CSV"),
        (gzip.compress(b"X\n\0\0\0\3", mtime=0), "is a file of R: write it with write.csv"),
        (
            b"'vote' 'age'\nY 30\n",
            "one column only, as no commas, semicolons or tabs are in its fi",
        ),
        (gzip.compress(lines(), mtime=0)[:60], "cannot read a.csv: "),
    ],
)
def test_an_unreadable_file_says_what_it_is(content, words, tmp_path):
    file = tmp_path / "a.csv"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=f"a.csv .*{words}|{words}"):
        audit.of_file(file, "vote=Y", **USUAL)
    for ending in ("xlsx", "dta", "sas7bdat", "xpt", "parquet"):
        other = tmp_path / f"a.{ending}"
        other.write_bytes(content)
        with pytest.raises(ValueError, match=rf"a\.{ending}"):
            audit.of_file(other, "vote=Y", **USUAL)


def test_a_name_that_exists_has_precedence_over_its_signs(tmp_path):
    file = tmp_path / "a.csv"
    file.write_bytes(lines())
    black = COLUMNS["race=black"].count("1")
    for count in ("race=black", "race=black=1"):
        found = audit.of_file(file, count, **USUAL)
        assert found.notes[0] == f"{black} of {N} records are counted as {count}"
    for by in ("age, years,sex", "sex,age, years", ["age, years", "sex"]):
        assert audit.of_file(file, "vote=Y", by=by, **USUAL).groups == 4
    with pytest.raises(ValueError, match="has no column 'age'"):
        audit.of_file(file, "vote=Y", by="age,sex", **USUAL)


def test_what_is_missing_can_be_said(tmp_path):
    columns = COLUMNS | {"drug": ["None", "A"] * (N // 2)}
    file = tmp_path / "a.csv"
    file.write_bytes(lines(columns=columns))
    with pytest.raises(ValueError, match="say with --missing what is none"):
        audit.of_file(file, "drug=A", **USUAL)
    assert audit.of_file(file, "drug=A", missing="NA", **USUAL).records == N
    with pytest.raises(ValueError, match="column 'drug' is empty, or has NA"):
        audit.of_file(file, "drug=None", missing=["NA", "A"], **USUAL)
