from pathlib import Path

import pytest

from pkdp import figures
from pkdp.__main__ import main
from pkdp.figures import _stored
from pkdp.figures._tables import to_csv

ROOT = Path(__file__).resolve().parents[1]


def test_figures_lists_every_name_and_title_in_order(capsys):
    assert main(["figures"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    lines = [line.split(maxsplit=1) for line in printed.out.splitlines()]
    assert lines == [[name, figures.load(name).TITLE] for name in figures.names()]


@pytest.mark.slow
def test_figures_writes_every_figure_in_every_format(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(figures, "names", lambda: ("shifted-laws", "vertices"))
    folder = tmp_path / "new" / "figures"
    assert main(["figures", "--out", str(folder)]) == 0
    made = {f"figure-{name}.{kind}" for name in figures.names() for kind in figures.FORMATS}
    assert {path.name for path in folder.iterdir()} == made
    assert {Path(line).name for line in capsys.readouterr().out.splitlines()} == made
    assert main(["figures", "--out", str(folder)]) == 0  # they are all there
    assert capsys.readouterr().out == ""
    (tmp_path / "file").touch()
    assert main(["figures", "--out", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err.endswith("file exists.\n")


def test_figures_says_which_tables_it_computed(capsys, monkeypatch):
    monkeypatch.setattr(_stored, "update", lambda names: names[-1:])
    assert main(["figures", "--update"]) == 0
    assert capsys.readouterr() == (f"computed the table of figure {figures.names()[-1]}\n", "")


def test_a_figure_can_be_computed_anew(tmp_path, capsys, monkeypatch):
    table = _stored.computed("shifted-laws")
    halves = {**table, "y": table["y"] / 2}
    monkeypatch.setattr(figures.load("shifted-laws"), "data", lambda: [halves])
    for more in ([], ["--anew"]):
        assert main(["figure", "shifted-laws", "--out", str(tmp_path / "a.csv"), *more]) == 0
        stored = (tmp_path / "a.csv").read_text() == to_csv(figures.table("shifted-laws"))
        assert stored is not bool(more)


@pytest.mark.slow
@pytest.mark.parametrize("kind", figures.FORMATS)
def test_figure_writes_what_save_writes_and_says_nothing(kind, tmp_path, capsys):
    out, saved = tmp_path / f"out.{kind}", tmp_path / f"saved.{kind}"
    assert main(["figure", "shifted-laws", "--out", str(out)]) == 0
    assert capsys.readouterr() == ("", "")
    figures.save("shifted-laws", saved)
    assert out.read_bytes() == saved.read_bytes()


@pytest.mark.parametrize(
    ("name", "out", "words"),
    [
        ("2000", "a.pdf", "figure must be one of survey, "),
        ("3", "a.docx", "path must end in .pdf, .svg, .png, .csv, got "),
        ("3", "a", "path must end in .pdf, .svg, .png, .csv, got "),
        ("shifted-laws", "missing/a.csv", "no such file or directory"),
        ("shifted-laws", "file/a.csv", "not a directory"),
        ("shifted-laws", "folder.csv", "is a directory"),
    ],
)
def test_what_cannot_be_done_gets_one_sentence_and_status_2(name, out, words, tmp_path, capsys):
    (tmp_path / "file").touch()
    (tmp_path / "folder.csv").mkdir()
    before = sorted(tmp_path.rglob("*"))
    assert main(["figure", name, "--out", str(tmp_path / out)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert words in printed.err
    assert printed.err.endswith(".\n")
    assert printed.err.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("arguments", [[], ["figure"], ["figure", "3"], ["draw"], ["figures", "x"]])
def test_a_wrong_command_gets_one_sentence_and_status_2(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("python -m pkdp")
    assert printed.err.count("\n") == 1
