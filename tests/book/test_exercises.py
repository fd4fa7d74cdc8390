"""The exercises: each has a level, a goal, a hint and a solution, in this order; the sheets."""

import re
import shlex
import subprocess
import sys

import pytest
from docutils import nodes

from book._ext.pages import exercise_sheets as sheets
from book._ext.pages.exercises import name_of
from pkdp import exercises
from tests import answers
from tests.answers import ANSWERS, asked
from tests.book import browser as chromium
from tests.book.built import ROOT, built, path_of

TITLE = re.compile(r"(.*) \(((?:warm-up|standard|hard|research), (?:by hand|needs code))\)")
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
        assert TITLE.fullmatch(title), title
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


STRAIGHT = str.maketrans("“”‘’", "\"\"''")


def _shown(title):
    """A title as its page shows it, quotation marks apart, and its level."""
    words, level = TITLE.fullmatch(title).groups()
    return f"{words} ", level


def test_a_title_without_its_level_is_refused():
    with pytest.raises(StopIteration):
        name_of(nodes.admonition("", nodes.title("", "A village")))


@pytest.mark.book
@pytest.mark.parametrize("name", EXERCISES)
def test_a_title_has_one_number_and_its_level_in_a_label(name):
    where, title, _ = EXERCISES[name]
    heading = built(where).select_one(f"#exercise-{name} > .admonition-title")
    words, level = _shown(title)
    assert heading.select_one(".level").get_text() == level
    found = re.match(r"Exercise \d+\. (.*)", heading.get_text())[1]
    assert found.translate(STRAIGHT).startswith(words)
    assert len(heading.select("a.tag")) == 1


# In the browser, from a file.


def _reply(name, text):
    try:
        return repr(exercises.check(name, text))
    except ValueError:
        return "Enter a number, such as 12, 0.25 or 3/4."


def _tried(name, right):
    """Texts to enter: what is right, nearly right, wrong in a known way, wrong, and no number."""
    slip = next(iter(ANSWERS[name].slips))
    exact = not isinstance(right, float)
    short = f"{float(right):.{3 if exact else 2}g}"
    spread = [str(float(right)), f"{float(right):.3e}", f"{float(right) * 1.0004:.9g}", short]
    return [str(right), str(slip), str(-right - 1), " .5e1 ", "1/0", "a half", *spread]


@pytest.mark.book
@pytest.mark.browser
@pytest.mark.parametrize("where", sorted({EXERCISES[name][0] for name in ANSWERS}))
def test_the_page_replies_as_the_library_does(page, where):
    page.add_init_script(chromium.NO_FORMULAS)
    page.goto(path_of(where).as_uri())
    for name in (name for name in ANSWERS if EXERCISES[name][0] == where):
        box = page.locator(f"#exercise-{name}")
        said, field = box.get_by_role("status"), box.get_by_label("Your answer")
        right = answers.right()[name]
        for text in _tried(name, right):
            field.fill(text)
            assert said.inner_text() == ""
            field.press("Enter")
            assert said.inner_text() == _reply(name, text), (name, text)
        assert _reply(name, str(right)) == "Yes."
        assert box.locator("code").filter(has_text="pkdp.exercises").count() == 0
        field.press("Tab")
        assert box.get_by_role("button", name="Check").evaluate("b => b === document.activeElement")
    assert page.wrong == []


@pytest.mark.book
@pytest.mark.browser
def test_a_sheet_checks_answers_too(page):
    page.goto(path_of("course/sheet-1").as_uri())
    box = page.locator(".check[data-exercise=two-steps]")
    box.get_by_label("Your answer").fill("3/4")
    box.get_by_role("button", name="Check").press("Space")
    assert box.get_by_role("status").inner_text() == "Yes."


@pytest.mark.book
def test_without_scripts_the_box_has_a_command_that_runs():
    code = built("partial-knowledge/4-1-counting-queries").select_one(
        "#exercise-village .check code"
    )
    python, *rest = shlex.split(code.get_text().replace("YOUR ANSWER", "3"))
    assert python == ".venv/bin/python"
    run = subprocess.run(
        [sys.executable, *rest], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout == f"{exercises.check('village', 3)!r}\n"


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
        assert "{}· {} · {} point".format(*_shown(title), problem.points) in box.get_text()
        link = box.find_all("a")[-1]["href"]
        assert link.endswith(f"{where.split('/')[-1]}.html#{problem.label}")
        text = re.sub(r"\$[^$]*\$|`[^`]*`|\[|\]\([^)]*\)", " ", LABEL.sub("", body))
        text = text.replace("*Check* with", "*Check*")  # in a box instead
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
            level = TITLE.fullmatch(title)[2].partition(",")[0]
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
