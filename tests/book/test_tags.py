"""Permanent tags: everything has one, none is used twice, and each leads to the place."""

import re

import pytest

from book._ext.ledger import tags
from tests.book.built import HTML, ROOT, built, ids, path_of, tags_by_id
from tests.book.stored import LEDGER

FILE = ROOT / "claims" / tags.FILE
PLACES = tags.places(LEDGER, ROOT / "book")


def test_everything_has_a_tag_and_what_is_gone_leads_on():
    assert tags.problems(tags.read(FILE), PLACES) == ()


def test_what_has_a_tag_is_of_every_kind():
    kinds = ("thm-3", "claim-known-records", "tight-bound", "erratum-thm-3", "figure-3")
    assert {*kinds, "exercise-village", "figure-databases/prices"} <= set(PLACES)


@pytest.fixture
def file(tmp_path):
    tags.add(tmp_path / "tags.txt", ["thm-1", "thm-2", "thm-3"])
    return tmp_path / "tags.txt"


def test_tags_are_counted_up_and_stay(file):
    assert tags.add(file, ["thm-3", "thm-0"]) == ["thm-0"]
    assert tags.read(file).by_name == {
        "thm-1": "0001",
        "thm-2": "0002",
        "thm-3": "0003",
        "thm-0": "0004",
    }
    before = file.read_text()
    assert tags.add(file, ["thm-1"]) == []
    assert file.read_text() == before


def test_a_tag_has_four_characters_none_of_which_is_taken_for_another():
    assert tags._tag(34) == "0010"
    assert not set("IO") & set(tags.DIGITS)
    assert tags._tag(len(PLACES)) > tags._tag(1)


@pytest.mark.parametrize(
    "fault",
    [
        lambda lines: lines[1:],
        lambda lines: [lines[0], lines[2]],
        lambda lines: [lines[1], lines[0], lines[2]],
        lambda lines: [lines[0], lines[1].replace("thm-2", "thm-9"), lines[2]],
        lambda lines: [*lines, lines[2]],
        lambda lines: [*lines, "0004 0000 thm-4"],
        lambda lines: [*lines, ""],
    ],
    ids=["first gone", "gone", "moved", "renamed", "doubled", "by hand", "empty"],
)
def test_a_line_that_is_changed_moved_or_gone_is_noticed(file, fault):
    lines = file.read_text().splitlines()
    file.write_text("\n".join(fault(lines)) + "\n")
    with pytest.raises(ValueError, match=r"tags\.txt, line \d: lines are added at the end"):
        tags.read(file)


def test_no_tag_and_no_name_is_given_twice(file):
    tags._append(file, [("0004", "thm-1")])
    with pytest.raises(ValueError, match="line 4: thm-1 has a tag already"):
        tags.read(file)
    file.unlink()
    tags._append(file, [("0001", "thm-1"), ("0001", "thm-2")])
    with pytest.raises(ValueError, match="line 2: must have the tag 0002"):
        tags.read(file)


def test_what_is_gone_leads_to_what_replaced_it_in_the_end(file):
    assert tags.problems(tags.read(file), ["thm-2", "thm-3", "thm-4"]) == (
        "thm-1 has a tag and is gone: python -m book._ext.ledger.tags retire thm-1 NEW",
        "thm-4 has no tag: python -m book._ext.ledger.tags",
    )
    tags.retire(file, "thm-1", "thm-2")
    tags.retire(file, "thm-2", "thm-3")
    known = tags.read(file)
    assert known.alive("thm-1") == "thm-3"
    assert known.by_name["thm-1"] == "0001"
    assert tags.problems(known, ["thm-3"]) == ()
    # Its tag is not for something else of the same name.
    (line,) = tags.problems(known, ["thm-1", "thm-3"])
    assert line == "thm-1 was retired, and is back: choose another name"
    # New ones are counted as if nothing had gone.
    tags.add(file, ["thm-5"])
    assert tags.read(file).by_name["thm-5"] == "0004"


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("thm-9", "thm-1", "thm-9 has no tag"),
        ("thm-1", "thm-9", "thm-9 has no tag"),
        ("thm-1", "thm-1", "thm-1 must not be retired twice, nor lead back to itself"),
        ("thm-3", "thm-1", "thm-3 must not be retired twice, nor lead back to itself"),
    ],
)
def test_nothing_leads_nowhere_or_in_a_circle(file, old, new, complaint):
    tags.retire(file, "thm-2", "thm-3")
    if old == "thm-3":
        tags.retire(file, "thm-1", "thm-2")
    before = file.read_text()
    with pytest.raises(ValueError, match=re.escape(complaint)):
        tags.retire(file, old, new)
    assert file.read_text() == before


def test_the_command_gives_what_is_missing_and_complains(tmp_path, capsys):
    (tmp_path / "claims").mkdir()
    (tmp_path / "book").mkdir()
    page = tmp_path / "book" / "page.md"
    page.write_text("```{exercise} One\n:label: exercise-one\n\n```\n\n```{figure-source} 3\n```\n")
    (tmp_path / "claims" / "page.yml").write_text(
        "claims: [{id: thm-1, title: Theorem 1, source: s, where: w, version_read: v, says: so, "
        "status: definition}]"
    )
    command = ["--root", str(tmp_path)]
    assert tags.main(command) == 0
    assert capsys.readouterr().out.splitlines() == [
        "0001 thm-1",
        "0002 figure-3",
        "0003 exercise-one",
    ]
    page.write_text("```{figure-source} 3\n```\n")
    assert tags.main(command) == 1
    assert "exercise-one has a tag and is gone" in capsys.readouterr().err
    assert tags.main([*command, "retire", "exercise-one", "figure-3"]) == 0
    assert tags.main(command) == 0


@pytest.mark.book
def test_every_tag_leads_to_its_place():
    known = tags.read(FILE)
    rows = tags_by_id(HTML / "book" / "tags.html")
    for name, tag in known.by_name.items():
        (row,) = rows[tag]
        address, _, anchor = row.a["href"].partition("#")
        place = PLACES[known.alive(name)]
        assert (HTML / "book" / address).resolve() == path_of(place.page), name
        assert anchor == place.anchor
        assert place.anchor in ids(path_of(place.page)), name


@pytest.mark.book
@pytest.mark.parametrize(
    ("page", "anchor", "name"),
    [
        ("partial-knowledge/4-1-counting-queries", "thm-3", "thm-3"),
        ("partial-knowledge/4-1-counting-queries", "tight-bound", "tight-bound"),
        ("partial-knowledge/4-1-counting-queries", "exercise-village", "exercise-village"),
        ("partial-knowledge/4-1-counting-queries", "figure-source-3", "figure-3"),
    ],
)
def test_the_tag_stands_beside_it_with_a_line_to_cite(page, anchor, name):
    link = built(page).find(id=anchor).select_one("a.tag")
    tag = tags.read(FILE).by_name[name]
    assert link.get_text() == tag
    assert link["href"] == f"../../book/tags.html#{tag}"
    assert f'"{PLACES[name].title}", pkdp ' in link["title"]
