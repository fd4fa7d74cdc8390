"""The exercises: each has a level, a goal, a hint and a solution, in this order; the sheets."""

import re

import pytest

from book._ext.pages import exercise_sheets as sheets
from pkdp import exercises
from tests.answers import ANSWERS, asked
from tests.book.built import ROOT, built

LEVELS = {"warm-up", "standard", "hard", "research"}
FENCE = re.compile(r"^(`{3,})\{([\w-]+)\} *([^\n]*)\n(.*?)^\1 *$", re.MULTILINE | re.DOTALL)
LABEL = re.compile(r"^:label: exercise-(\S+)$", re.MULTILINE)
WORD = re.compile(r"[A-Za-z]{4,}")
SHEETS = sorted((ROOT / "book" / "course").glob("sheet-*.md"))


def directives(path):
    """The exercises, hints and solutions of a page, in their order: kind, title, body."""
    text = path.read_text(encoding="utf-8")
    kinds = "exercise", "hint", "solution", "solution-start", "solution-end", "code-cell"
    return [found.group(2, 3, 4) for found in FENCE.finditer(text) if found[2] in kinds]


PAGES = {
    path.relative_to(ROOT / "book").with_suffix("").as_posix(): directives(path)
    for path in sorted((ROOT / "book").rglob("*.md"))
    if "{exercise}" in path.read_text(encoding="utf-8")
}
EXERCISES = {
    LABEL.search(body)[1]: (page, title, body)
    for page, found in PAGES.items()
    for kind, title, body in found
    if kind == "exercise"
}


def test_there_are_many():
    assert len(EXERCISES) > 130
    assert sum(page == "course/data" for page, _, _ in EXERCISES.values()) >= 5


@pytest.mark.parametrize("page", PAGES)
def test_goal_hint_and_solution_come_in_this_order(page):
    found = [one for one in PAGES[page] if one[0] != "code-cell"]
    at = 0
    while at < len(found):
        (kind, title, body), (hint, _, help_), (solution, solved, _) = found[at : at + 3]
        assert (kind, hint) == ("exercise", "hint"), title
        assert solution in ("solution", "solution-start"), title
        label = LABEL.search(body)[1]
        assert solved == f"exercise-{label}"
        assert re.search(r"\(([\w-]+)\)$", title)[1] in LEVELS, title
        text = body.partition("\n\n")[2]
        assert text.startswith("*Goal:* "), title
        goal = text.partition("\n\n")[0].removeprefix("*Goal:* ")
        assert goal.endswith("."), title
        assert len(goal.split()) <= 25, title
        assert len(help_.partition("\n\n")[2].split()) >= 8, title
        at += 3
        if solution == "solution-start":
            assert found[at][0] == "solution-end", title
            at += 1


@pytest.mark.parametrize("page", PAGES)
def test_no_answer_stands_outside_of_its_solution(page):
    kinds = [kind for kind, _, _ in PAGES[page]]
    inside, seen = False, False
    for kind in kinds:
        seen = seen or kind == "exercise"
        inside = kind == "solution-start" or (inside and kind != "solution-end")
        # The page on data has exercises between its sections; others have them at their end.
        assert inside or kind != "code-cell" or not seen


def test_what_can_be_checked_is_what_the_pages_say():
    told = asked()
    assert set(told) == set(ANSWERS) == set(exercises.names())
    for name, (_, _, body) in EXERCISES.items():
        assert (f'`pkdp.exercises.check("{name}", …)`' in body) == ("pkdp.exercises" in body)
        assert (name in told) == ("pkdp.exercises" in body)


@pytest.mark.book
@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.stem)
def test_sheets_have_their_exercises_in_full(path):
    text = path.read_text(encoding="utf-8")
    listed = sheets.problems(FENCE.search(text)[4].splitlines())
    page = built(f"course/{path.stem}")
    shown = page.select(".problem")
    assert len(shown) == len(listed)
    for problem, box in zip(listed, shown, strict=True):
        where, title, body = EXERCISES[problem.label.removeprefix("exercise-")]
        assert title in box.get_text()
        assert f"· {problem.points} point" in box.get_text()
        link = box.find_all("a")[-1]["href"]
        assert link.endswith(f"{where.split('/')[-1]}.html#{problem.label}")
        text = re.sub(r"\$[^$]*\$|`[^`]*`|\[|\]\([^)]*\)", " ", LABEL.sub("", body))
        assert not set(WORD.findall(text)) - set(WORD.findall(box.get_text()))
    together = sum(problem.points for problem in listed)
    assert f"{len(listed)} problems, {together} points." in page.get_text()
    # A formula needs the script that sets it.
    assert page.select_one(".problem .math") is not None
    assert any("mathjax" in (script.get("src") or "") for script in page.select("script"))


def test_points_follow_the_levels():
    worth = {"warm-up": 2, "standard": 4, "hard": 6}
    for path in SHEETS:
        for problem in sheets.problems(FENCE.search(path.read_text())[4].splitlines()):
            where, title, _ = EXERCISES[problem.label.removeprefix("exercise-")]
            level = re.search(r"\(([\w-]+)\)$", title)[1]
            assert problem.points == (6 if where == "course/data" else worth[level])


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["village"], "a problem must be a label and its points, got 'village'"),
        (["village 0"], "a problem must be a label and its points, got 'village 0'"),
        (["a 1", "a 2"], "a sheet must have each exercise once, got exercise-a twice"),
    ],
)
def test_a_sheet_that_is_not_one_is_refused(lines, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        sheets.problems(lines)
