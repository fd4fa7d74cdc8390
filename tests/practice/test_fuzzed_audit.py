"""Whatever file and options the command gets: an answer, or one sentence, and nothing half-written.

``HYPOTHESIS_PROFILE=thorough`` and "fuzz" try thousands.
"""

import io
import json
import os
import re
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pkdp.__main__ import main

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci")
EXAMPLES = {"thorough": 1000, "fuzz": 3000, "all": 200}.get(PROFILE, 40)

NAMES = ["vote", "sex", "p", "home", "a b", "é", '"', "vote", ""]
VALUES = [
    "Y",
    "N",
    "1",
    "0",
    "0.5",
    "1e-3",
    "",
    "NA",
    "nan",
    "-1",
    "2",
    '"',
    "a,b",
    "'",
    "ü",
    "\x00",
]


@st.composite
def tables(draw):
    """Text that is nearly a table."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4))
    good = [draw(st.sampled_from(["Y", "0.5", "1", "N"])) for _ in names]
    rows = draw(st.lists(st.sampled_from([good, ["N"] * len(names)]), max_size=12))
    for _ in range(draw(st.integers(0, 2))):
        rows.append(draw(st.lists(st.sampled_from(VALUES), max_size=5)))
    mark = draw(st.sampled_from([",", ";", "\t"]))
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"]))
    return end.join(mark.join(row) for row in [names, *rows]).encode()


@st.composite
def damaged(draw, whole):
    """A Parquet file of which something is missing or changed."""
    content = bytearray(whole)
    kept = draw(st.integers(0, len(content)))
    if draw(st.booleans()):
        return bytes(content[:kept])
    for _ in range(draw(st.integers(0, 3))):
        content[draw(st.integers(0, len(content) - 1))] = draw(st.integers(0, 255))
    return bytes(content)


def options_of(*values):
    return st.lists(st.sampled_from(values), max_size=2).map(lambda several: [*several])


LINES = st.tuples(
    st.sampled_from([["--count", "vote=Y"], ["--count", "vote"], ["--count", "sex=1"], []]),
    st.sampled_from([["--assume", "independent"]] * 3 + [[]]),
    st.sampled_from([["--lam", "0.2"], ["--probabilities", "p"], ["--model", "sex"], []]),
    options_of("--by=sex", "--by=", "--known=0.5", "--known=3", "--known=nan", "--delta=0"),
    options_of("--threshold=2", "--noise=geometric:0.5", "--noise=x", "--epsilon=1", "--json"),
    options_of("--household=home", "--count=vote=N", "--lam=inf", "--delta=2", "--report=r"),
    options_of(*[""] * 4, "--sum=p=0..3", "--values=0,1", "--weight=sex", "--total=sex").map(
        lambda several: [option for option in several if option]
    ),
    st.sampled_from(
        [[]] * 5 + [["--wave=sex", "--person=home", "--chain=0.5,0.5,0.5"], ["--wave=p"]]
    ),
)
GOOD = (["--count", "vote=Y"], ["--lam", "0.2"])


@pytest.fixture(scope="module")
def parquet(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "a.parquet"
    columns = "CASE WHEN i % 2 = 0 THEN 'Y' ELSE 'N' END AS vote, i % 3 AS sex, 0.5 AS p, i AS home"
    rows = f"SELECT {columns} FROM range(40) t(i)"
    duckdb.sql(rows).write_parquet(str(path))
    return path.read_bytes()


def test_a_fuzzed_file_or_line_gets_an_answer_or_one_sentence(tmp_path, monkeypatch, parquet):
    monkeypatch.chdir(tmp_path)
    statuses = set()

    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(tables() | damaged(parquet) | st.binary(max_size=60) | st.just(parquet), LINES)
    @example(parquet, (*GOOD, ["--assume", "independent"]))
    @example(parquet, (*GOOD, ["--assume", "independent"], ["--noise", "geometric:0.5"]))
    @example(parquet, GOOD)
    @example(parquet[:100], GOOD)
    @example(parquet, (["--assume=independent", "--sum=sex=0..2", "--values=0,1", "--lam=0.2"],))
    @example(parquet, (*GOOD, ["--assume=independent", "--weight=home"]))
    @example(parquet, (["--assume=independent", "--total=sex,vote", "--threshold=3"],))
    @example(parquet, (*GOOD[:1], ["--wave=sex", "--person=home", "--chain=0.5,0.5,0.5"]))
    def answers(content, lines):
        file = tmp_path / "a.file"
        file.write_bytes(content)
        line = ["audit", "a.file", *(option for several in lines for option in several)]
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            try:
                status = main(line)
            except SystemExit as end:
                status = end.code
        said, written = err.getvalue(), {path.name for path in tmp_path.iterdir()} - {"a.file"}
        if status == 2:
            sentence = r"python -m pkdp audit: [^\n]+\.\n"
            if re.search("--epsilon must come with --known", said):
                # The answer is given, without the goal.
                sentence = r"(note: [^\n]+\.\n)*" + sentence
            else:
                assert out.getvalue() == ""
            assert re.fullmatch(sentence, said), said
        else:
            assert status in (0, 1, 3)
            assert re.fullmatch(r"(note: [^\n]+\.\n)*", said), said
            assert out.getvalue()
            if "--json" in line:
                told = json.loads(out.getvalue())
                assert (told["answered"], told["passes"]) == (status != 3, status == 0)
        if "r" in written:
            assert status in (0, 1)
            assert {path.name for path in Path("r").iterdir()} == {"audit.json", "index.html"}
            for path in Path("r").iterdir():
                path.unlink()
            Path("r").rmdir()
        assert written <= {"r"}
        statuses.add(status)

    answers()
    assert statuses >= {0, 1, 2, 3}
