"""Several tables of the same people, earlier releases, all groups, and the numbers of a report."""

import csv
import functools
import hashlib
import hmac
import itertools
import json
import math
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from scipy import stats

from pkdp import audit, counting
from pkdp.__main__ import main
from pkdp.partial_knowledge.noise import Geometric
from pkdp.practice import audit as module

ROOT = Path(module.__file__).parent
USUAL = {"assume": "independent", "alternatives": False}


def table(path, sizes, answers=lambda k: "YN"[k % 2]):
    """Write a file with so many records in each cell of a table, and return its path."""
    rows = [f"{i},{j},{answers(k)}" for (i, j), n in sizes.items() for k in range(n)]
    path.write_text("\n".join(["row,column,vote", *rows]) + "\n")
    return path


# Two tables, against all outcomes.


@functools.cache
def truth(sizes, lam, known, tables):
    """Return δ(ε), the largest over targets and extreme attackers, if these margins are published.

    `sizes` are the numbers of records of the cells, `known` the most known others of each.
    """
    cells = [cell for cell, _ in sizes]
    counts = list(itertools.product(*(range(n + 1) for _, n in sizes)))
    # The columns of what is published: the sum of the cells of each group of each table.
    published = []
    for axes in tables:
        keys = [tuple(cell[axis] for axis in axes) for cell in cells]
        published += [[key == group for key in keys] for group in dict.fromkeys(keys)]
    outcomes = np.array(counts) @ np.array(published, dtype=int).T
    _, places = np.unique(outcomes, axis=0, return_inverse=True)

    def law(numbers):
        """The distribution of what is published, by (certain, of λ, of 1-λ) for each cell."""
        joint = np.ones(())
        for (_, n), (sure, low, high) in zip(sizes, numbers, strict=True):
            support = np.arange(n + 1)
            of_low = stats.binom.pmf(support, low, lam)
            of_high = stats.binom.pmf(support, high, 1 - lam)
            joint = np.multiply.outer(joint, shift(np.convolve(of_low, of_high)[: n + 1], sure))
        return np.bincount(places, joint.ravel())

    pairs = []
    for target in range(len(cells)):
        unknown = [n - min(known, n - 1) - (k == target) * 1 for k, (_, n) in enumerate(sizes)]
        # Of the target's cell she knows so many others, of the rest so many records.
        unknown[target] = sizes[target][1] - 1 - min(known, sizes[target][1] - 1)
        for lows in itertools.product(*(range(n + 1) for n in unknown)):
            numbers = [(0, low, n - low) for low, n in zip(lows, unknown, strict=True)]
            without = law(numbers)
            numbers[target] = (1, *numbers[target][1:])
            pairs += [(law(numbers), without), (without, law(numbers))]
    p, q = (np.array(side) for side in zip(*pairs, strict=True))
    return lambda eps: float(np.maximum(p - math.exp(eps) * q, 0.0).sum(axis=1).max())


def shift(values, by):
    return values if by == 0 else np.concatenate([[0.0] * by, values[:-by]])


LAYOUTS = [
    {(0, 0): 2, (0, 1): 3, (1, 0): 3, (1, 1): 2},
    {(0, 0): 1, (0, 1): 4, (1, 0): 2, (1, 1): 4},
    {(i, j): 2 for i in range(2) for j in range(3)},
]


@pytest.mark.parametrize("layout", range(len(LAYOUTS)))
@pytest.mark.parametrize("known", [0, 1])
def test_no_tables_tell_more_than_their_audit_says(layout, known, tmp_path):
    sizes = LAYOUTS[layout]
    file = table(tmp_path / "a.csv", sizes)
    for lam, delta in itertools.product((0.5, 0.3), (0.4, 0.05)):
        for tables, axes in [
            (["row", "column"], ((0,), (1,))),
            (["row,column", "column"], ((0, 1), (1,))),
            (["row", "row,column", ()], ((0,), (0, 1), ())),
        ]:
            true = truth(tuple(sizes.items()), lam, known, axes)
            found = audit.of_file(
                file, "vote=Y", tables=tables, lam=lam, known=known, delta=delta, **USUAL
            )
            one = found.active
            assert one.status == ("exact" if (0, 1) in axes else "upper bound")
            if one.eps < math.inf:
                assert true(one.eps) <= delta * (1 + 1e-9)
            assert true(0.0) <= one.advantage * (1 + 1e-9)
            if one.status == "exact" and 0.0 < one.eps < math.inf:
                assert true(one.eps) == pytest.approx(delta, rel=1e-9)


def test_tables_are_those_of_their_refinement(tmp_path):
    file = table(tmp_path / "a.csv", {(i, j): 200 for i in range(2) for j in range(3)})
    options = USUAL | {"lam": 0.2, "delta": 1e-6}
    cross = audit.of_file(file, "vote=Y", by=["row", "column"], **options)
    margins = audit.of_file(file, "vote=Y", tables=["row", "column"], **options)
    both = audit.of_file(file, "vote=Y", tables=["row,column", ["column"]], **options)
    alone = audit.of_file(file, "vote=Y", by="row", **options)
    assert cross.active.eps == margins.active.eps == both.active.eps > alone.active.eps
    assert cross.active.status == both.active.status == "exact"
    assert margins.active.status == "upper bound"
    assert "counts of vote=Y by row and by column in" in margins.text()
    assert any(one.startswith("All tables follow from") for one in margins.assumptions)
    # Each table has noise of its own.
    noise = Geometric(0.9)
    noisy = audit.of_file(file, "vote=Y", tables=["row", "column"], noise=noise, **options)
    assert noise.rate < noisy.active.eps <= 2 * noise.rate * (1 + 1e-9)


def test_tables_exclude_what_they_would_undo(tmp_path):
    file = table(tmp_path / "a.csv", {(0, 0): 20, (1, 1): 20})
    for options, words in [
        ({"tables": ["row", "column"], "threshold": 5}, "threshold must be None with several"),
        ({"tables": ["row"], "by": "column"}, "by must be empty where tables are given"),
        ({"tables": ["row,row"]}, "must be different columns"),
        ({"tables": ["row", "vote"]}, "counts must be of columns that neither by"),
    ]:
        with pytest.raises(ValueError, match=words):
            audit.of_file(file, "vote=Y", lam=0.2, **USUAL | options)


# Earlier releases.


def test_an_earlier_report_is_a_part_of_the_release(tmp_path, capsys):
    file = table(tmp_path / "a.csv", {(i, j): 200 for i in range(2) for j in range(3)})
    line = ["audit", str(file), "--lam=0.2", "--assume=independent", "--delta=1e-6", "--known=0"]
    first, second = str(tmp_path / "first"), str(tmp_path / "second")
    assert main([*line, "--count=vote=Y", "--by=row", f"--report={first}"]) == 0
    after = f"--after={first}/audit.json"
    line += ["--count=vote=Y", "--by=column"]
    assert main([*line, after, f"--report={second}"]) == 0
    found = json.loads((tmp_path / "second" / "audit.json").read_text())
    assert found["tables"] == [["column"], ["row"]]
    expected = counting.worst_case(200, 0.2).epsilon(1e-6)
    assert found["active"]["eps"] == expected
    # The first table is out exactly: neither noise nor a merge of its groups is to be had any more.
    assert found["alternatives"] == []
    assert "Other ways" not in (tmp_path / "second" / "index.html").read_text(encoding="utf-8")
    cells = tmp_path / "cells.csv"
    main([*line, after, f"--cells={cells}"])
    with cells.open(newline="") as file:
        assert {row["merge"] for row in csv.DictReader(file)} == {"0"}
    # The last report has all: the next one need not name the first.
    assert main([*line, f"--after={second}/audit.json", "--json"]) == 0
    out = capsys.readouterr().out
    assert json.loads(out[out.rindex('{\n "version"') :])["tables"] == found["tables"]
    # A new report removes the one in its folder.
    assert main([*line, after, f"--report={first}"]) == 2
    assert "--report must be another folder than that of --after" in capsys.readouterr().err
    for options in (["--threshold=5"], ["--noise=geometric:0.5"]):
        assert main([*line, after, *options]) == 2
        assert "must be None after earlier releases" in capsys.readouterr().err
    for content in (
        "",
        "{}",
        '{"counts": [1], "tables": [["row"]]}',
        '{"counts": [], "tables": []}',
        '{"counts": ["vote=Y"], "tables": [["row"]], "records": Infinity, "notes": []}',
        '{"counts": ["vote=Y"], "tables": [["row"]], "records": 1200, "notes": [1]}',
    ):
        (tmp_path / "first" / "audit.json").write_text(content)
        assert main([*line, after]) == 2
        assert "after must be the numbers of an earlier report" in capsys.readouterr().err
    assert main([*line, f"--after={tmp_path}/none.json"]) == 2
    assert "cannot read none.json: no such file" in capsys.readouterr().err


def test_a_file_that_changed_since_the_earlier_report_is_refused(tmp_path, capsys):
    file = table(tmp_path / "a.csv", {(i, j): 200 for i in range(2) for j in range(2)})
    line = ["audit", str(file), "--count=vote=Y", "--lam=0.2", "--assume=independent"]
    main([*line, "--by=row", f"--report={tmp_path / 'first'}"])
    line += ["--by=column", "--delta=1e-6", f"--after={tmp_path / 'first' / 'audit.json'}"]
    capsys.readouterr()
    second = tmp_path / "second"

    def noted(status, *options):
        assert main([*line, f"--report={second}", *options]) == status
        return capsys.readouterr().err

    same = "Earlier reports are of the same people, in the same groups, with the same answers."
    assert "note: this is the file of the earlier report, byte for byte." in noted(0)
    told = json.loads((second / "audit.json").read_text())
    assert told["assumptions"][-1] == same
    assert told["notes"][-1] == "this is the file of the earlier report, byte for byte"
    page = (second / "index.html").read_text(encoding="utf-8")
    assert same in page
    assert "byte for byte" not in page
    # Two people change places: as many records, and as many that are counted.
    lines = file.read_text().splitlines()
    first, other = lines.index("0,0,Y"), lines.index("1,0,N")
    lines[first], lines[other] = "1,0,Y", "0,0,N"
    file.write_text("\n".join(lines) + "\n")
    main([*line, f"--report={second}"])
    assert "The file has changed since the earlier report." in capsys.readouterr().out
    assert not second.exists()
    assert "not the file of the earlier report" in noted(0, "--assume=unchanged")
    main([one for one in line if one != "--assume=independent"] + ["--assume=unchanged"])
    assert "Are records independent to the attacker" in capsys.readouterr().out
    # Without a key, or of a table in memory, nothing can be compared.
    first = tmp_path / "first" / "audit.json"
    first.write_text(first.read_text().replace('"key"', '"kept"'))
    assert "nothing shows whether this is the file of the earlier report" in noted(0)
    for key in ("x", 3):
        first.write_text(json.dumps(told | {"key": key}))
        assert main(line) == 2
        assert "after must be the numbers of an earlier report" in capsys.readouterr().err


# All groups.


def test_all_groups_are_listed_and_neighbours_merged(tmp_path):
    sizes = {(k, 0): n for k, n in enumerate([30, 500, 40, 200, 90, 300, 10])}
    file = table(tmp_path / "a.csv", sizes)
    options = USUAL | {"lam": 0.2, "delta": 1e-6, "epsilon": 1.0, "known": 0.5}
    found = audit.of_file(file, "vote=Y", by="row", cells=True, **options)
    assert [cell.group.label for cell in found.cells] == [*"0123456"]
    for cell, n in zip(found.cells, sizes.values(), strict=True):
        eps = counting.worst_case(n, 0.2, known=n // 2).epsilon(1e-6)
        assert cell.group.eps == eps
        assert cell.passes == (eps <= 1.0)
    assert found.notes[-1] == f"{sum(cell.passes for cell in found.cells)} of 7 groups have ε ≤ 1"
    assert [cell.merged for cell in found.cells] == [0, 0, 1, 1, 1, 1, 1]
    merged = {0: 0, 1: 0}
    for cell in found.cells:
        merged[cell.merged] += cell.group.records
    for n in merged.values():
        assert counting.worst_case(n, 0.2, known=n // 2).epsilon(1e-6) <= 1.0
    for n in (30, 40 + 200 + 90):
        assert counting.worst_case(n, 0.2, known=n // 2).epsilon(1e-6) > 1.0
    audit.write_cells(found, tmp_path / "cells.csv")
    with (tmp_path / "cells.csv").open(newline="") as written:
        rows = list(csv.DictReader(written))
    assert [row["passes"] for row in rows] == [
        "yes" if cell.passes else "no" for cell in found.cells
    ]
    assert float(rows[1]["epsilon"]) == found.cells[1].group.eps
    with pytest.raises(ValueError, match="audit must be one with cells=True"):
        audit.write_cells(audit.of_file(file, "vote=Y", **options), tmp_path / "none.csv")
    assert not (tmp_path / "none.csv").exists()


def test_merged_groups_have_their_probabilities(tmp_path):
    file = tmp_path / "a.csv"
    p = {"a": 0.2, "b": 0.5, "c": 0.3}
    rows = [f"{by},{'YN'[k % 2]},{chance}" for by, chance in p.items() for k in range(40)]
    file.write_text("\n".join(["by,vote,p", *rows]) + "\n")
    options = USUAL | {"probabilities": "p", "delta": 1e-6}
    merged = tmp_path / "b.csv"
    merged.write_text(file.read_text().replace("b,", "a,"))
    goal = audit.of_file(merged, "vote=Y", by="by", **options).weakest
    (both,) = (one.eps for one in goal if one.label == "a")
    for eps, numbers in [(both * 1.0001, [0, 0, 0]), (both * 0.9999, [0, 0, 0])]:
        found = audit.of_file(file, "vote=Y", by="by", cells=True, epsilon=eps, known=0, **options)
        assert [cell.merged for cell in found.cells] == numbers
        assert not any(cell.passes for cell in found.cells)


# Numbers and reports.


def test_the_numbers_follow_their_schema(tmp_path):
    schema = json.loads((ROOT / "audit.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    file = table(tmp_path / "a.csv", {(0, 0): 60, (1, 1): 5})
    for options in (
        {"lam": 0.2},
        {"lam": 0.2, "by": "row", "known": 0.9},
        {"lam": 0.2, "noise": Geometric(0.5)},
        {"lam": 0.2, "threshold": 3},
        {"model": "row"},
        {},
    ):
        found = audit.of_file(file, "vote=Y", assume="independent", **options)
        told = json.loads(audit.as_json(found))
        jsonschema.validate(told, schema)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(told | {"passes": None}, schema)


def test_a_report_can_be_filed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    file = table(tmp_path / "a.csv", {(0, 0): 300})
    line = ["audit", "a.csv", "--count=vote=Y", "--lam=0.3", "--assume=independent", "--report=r"]
    codes = set()
    for _ in range(2):
        assert main(line) == 0
        page = (tmp_path / "r" / "index.html").read_text(encoding="utf-8")
        told = json.loads((tmp_path / "r" / "audit.json").read_text())
        assert f"<code>python -m pkdp {' '.join(line)}</code>" in page
        assert f"Made by pkdp {told['version']} on 20" in page
        assert told["hmac_sha256"] in page
        assert told["key"] not in page
        key = bytes.fromhex(told["key"])
        assert hmac.digest(key, file.read_bytes(), hashlib.sha256).hex() == told["hmac_sha256"]
        codes.add(told["hmac_sha256"])
        jsonschema.validate(told, json.loads((ROOT / "audit.schema.json").read_text()))
        assert "(the answer)</td>" in page
    assert len(codes) == 2  # a new key each time
    capsys.readouterr()
