"""The help of an audit, its examples, and options that read a file."""

import csv
import json
import random
import re
import shlex

import pytest

from pkdp import audit
from pkdp.__main__ import _parser, main
from pkdp.partial_knowledge.noise import Geometric

LINE = ["audit", "poll.csv", "--count=vote=Y", "--lam=0.2", "--assume=independent"]


@pytest.fixture
def poll(tmp_path, monkeypatch):
    """A file with the columns of the examples."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(5).choice
    rows = [
        f"{draw('YN')},{draw(['10-14', '5-9', '15-19', '100+'])},{draw('01')},{20 + k * k % 37},"
        f"{draw('fm')}"
        for k in range(1200)
    ]
    path = tmp_path / "poll.csv"
    path.write_text("\n".join(["vote,region,ill,age,sex", *rows]) + "\n")
    return path


@pytest.fixture
def screen(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["audit", "--help"])
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_the_help_fits_a_screen_and_has_every_option(screen):
    lines = screen.splitlines()
    assert len(lines) <= 50
    assert max(map(len, lines)) <= 80
    (commands,) = (one for one in _parser()._actions if one.dest == "command")
    options = {
        name for action in commands.choices["audit"]._actions for name in action.option_strings
    }
    assert options - set(re.findall(r"(?<![\w-])-[\w-]+", screen)) == {"-h", "--help"}


def test_the_examples_of_the_help_run(screen, poll, capsys):
    examples = re.findall("^  python -m pkdp (.*)", screen.replace("\\\n", ""), re.MULTILINE)
    assert len(examples) == 3
    for example in examples:
        assert main(shlex.split(example)) in (0, 1)
        assert "May the count" in capsys.readouterr().out
    assert (poll.parent / "answer" / "index.html").exists()


def told(capsys, *options):
    """What an audit tells as JSON."""
    main([*LINE, "--json", *options])
    return json.loads(capsys.readouterr().out)


def test_tables_in_a_file_are_those_of_the_command(poll, capsys):
    (poll.parent / "tables.yaml").write_text("- [region, sex]\n- age\n- []\n")
    found = told(capsys, "--tables=tables.yaml")
    assert found["tables"] == [["region", "sex"], ["age"], []]
    both = told(capsys, "--table=region,sex", "--table=age")
    assert found["active"] == both["active"]
    assert "tables by fewer of region, sex, age, follow" in "".join(found["assumptions"])
    assert told(capsys, "--tables=tables.yaml", "--table=ill")["tables"][-1] == ["ill"]
    # No name of a column is taken for a number or a truth value.
    renamed = poll.read_text().replace("region", "no").replace("sex", "2020")
    (poll.parent / "poll.csv").write_text(renamed)
    (poll.parent / "tables.yaml").write_text("[[no, 2020], [age]]")
    assert told(capsys, "--tables=tables.yaml")["tables"] == [["no", "2020"], ["age"]]


@pytest.mark.parametrize(
    "content",
    ["", "[]", "a: [b]", "region", "[[region, [sex]]]", "[[a: b]]", "[", "\0", "[" * 9999],
)
def test_a_file_without_tables_says_what_it_must_be(content, poll, capsys):
    (poll.parent / "tables.yaml").write_text(content)
    assert main([*LINE, "--tables=tables.yaml"]) == 2
    said = capsys.readouterr().err
    assert "tables must be a list of lists of columns in YAML, such as [[region, sex]," in said
    assert said.endswith("got tables.yaml.\n")
    assert main([*LINE, "--tables=none.yaml"]) == 2
    assert "cannot read none.yaml: no such file" in capsys.readouterr().err


def test_noise_is_named_as_on_the_command_line(poll):
    options = {"lam": 0.2, "assume": "independent", "alternatives": False, "by": "region"}
    found = audit.of_file("poll.csv", "vote=Y", noise="geometric:0.5", **options)
    assert found == audit.of_file("poll.csv", "vote=Y", noise=Geometric(0.5), **options)
    assert "are covered if the counts with noise are added up" in "".join(found.assumptions)
    for noise in ("geometric:1", "geometric:x", "laplace:0.5", "0.5"):
        with pytest.raises(ValueError, match="noise must be geometric:P with P in"):
            audit.of_file("poll.csv", "vote=Y", noise=noise, **options)


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_groups_are_merged_in_the_order_that_is_given(poll, capsys):
    cells = poll.parent / "cells.csv"
    line = [*LINE, "--by=region", "--known=0.5", "--delta=1e-6", "--cells=cells.csv"]
    main([*line, "--epsilon=0.9"])
    found = rows(cells)
    assert [row["group"] for row in found] == ["5-9", "10-14", "15-19", "100+"]
    assert [row["merge"] for row in found] == ["0", "0", "1", "1"]
    order = ["15-19", "5-9", "100+", "10-14"]
    moved = sorted(found, key=lambda row: order.index(row["group"]))
    with cells.open("w", newline="", encoding="utf-8-sig") as file:  # as Excel does
        table = csv.DictWriter(file, moved[0])
        table.writeheader()
        table.writerows(moved)
    main([*line, "--epsilon=0.9", "--order=cells.csv"])
    again = rows(cells)
    assert [row["group"] for row in again] == order
    assert [row["merge"] for row in again] == ["0", "0", "1", "1"]
    assert {row["group"]: row["epsilon"] for row in again} == {
        row["group"]: row["epsilon"] for row in found
    }
    capsys.readouterr()
    assert main([*line[:-1], "--order=cells.csv"]) == 2
    assert "--order must come with --cells" in capsys.readouterr().err
    for file in ("none.csv", "poll.csv"):
        assert main([*line, f"--order={file}"]) == 2
        assert "--order must be a file as --cells writes it" in capsys.readouterr().err
    for labels in (order[1:], [*order, "5-9"], [*order[1:], "north"]):
        with pytest.raises(ValueError, match="cells must have the label of each of the 4 groups"):
            audit.of_file(
                "poll.csv", "vote=Y", by="region", lam=0.2, assume="independent", cells=labels
            )


def test_numbers_in_labels_have_their_order(poll):
    labels = ["-5", "-3", "2", "10", "10.25", "10.5", "age 9 / f", "age 9 / m", "age 10 / f"]
    (poll.parent / "a.csv").write_text(
        "vote,by\n" + "".join(f"{'YN'[k % 2]},{label}\n" for label in labels for k in range(20))
    )
    found = audit.of_file(
        "a.csv", "vote=Y", by="by", lam=0.2, assume="independent", cells=True, alternatives=False
    )
    assert [cell.group.label for cell in found.cells] == labels
