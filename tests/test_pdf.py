"""The printed book says what the pages say: statements, verdicts, figures, exercises, solutions.

What Sphinx writes for LaTeX is compared with the pages, on every machine. The PDF itself is looked
through where there is one that is up to date: `make pdf` makes it, and judges the log of LaTeX.
"""

import re
import shutil
import subprocess
import sys
from collections import Counter
from functools import cache

import pytest
import typeset
from ledger import WORDS
from printed import LEFT_OUT

from claims import load
from pkdp import figures
from tests.book.built import HTML, PAGES, ROOT, parsed

PRINTED = [page for page in PAGES if not LEFT_OUT.match(page)]
LATEX = ROOT / "_build" / "pdf" / "latex"
PDF = ROOT / "_build" / "pkdp-book.pdf"


def is_newer(file, than):
    return file.exists() and file.stat().st_mtime >= than.stat().st_mtime


@pytest.fixture(scope="module")
def source():
    """The document for LaTeX, written now if that was not done since the book was built."""
    command = [sys.executable, ROOT / "book" / "_ext" / "typeset.py", "--latex"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return (LATEX / f"{typeset.BOOK}.tex").read_text(encoding="utf-8")


def arguments(source, begin, number):
    """Yield the arguments in braces behind each `begin`, and where that is."""
    for found in re.finditer(re.escape(begin), source):
        place, texts = found.end(), []
        for _ in range(number):
            assert source[place] == "{", source[place - 60 : place + 60]
            depth, start = 1, place + 1
            while depth:
                place += 1
                depth += {"{": 1, "}": -1}.get(source[place], 0)
            texts.append(source[start:place])
            place += 1
        yield found.start(), texts


def letters(text):
    """Reduce a text to its letters and digits, without what Sphinx puts between them."""
    return re.sub(r"\W|_", "", re.sub(r"\\(?:sphinx\w+|protect)", "", text))


def chapters(source):
    """Return the text of each page's chapter, and that of the appendix as ``solutions``."""
    marks = [
        mark
        for mark in re.finditer(r"\\label\{\\detokenize\{([^{}]*)::doc\}\}", source)
        if mark[1] != typeset.BOOK
    ]
    ends = [mark.start() for mark in marks[1:]] + [len(source)]
    return {mark[1]: source[mark.end() : end] for mark, end in zip(marks, ends, strict=True)}


def badges(tag):
    """Return the words of the verdicts in a part of a page."""
    shown = [
        badge for badge in tag.select(".claim-badge") if not badge.find_parent(class_="beside")
    ]
    return Counter(badge.get_text().removeprefix("Verdict: ") for badge in shown)


@cache
def article(page):
    return parsed(HTML / f"{page}.html").select_one("article")


@cache
def exercises():
    """Return the page, the number and the title of each exercise."""
    found = {}
    for page in PRINTED:
        for box in article(page).select(".exercise"):
            title = box.select_one(".admonition-title").get_text()
            found[box["id"]] = page, letters(title)
    return found


@pytest.mark.book
def test_every_page_is_a_chapter_in_its_order(source):
    assert [page for page in chapters(source) if page != "solutions"] == PRINTED


@pytest.mark.book
def test_statements_have_the_titles_and_tags_of_the_pages_and_the_verdicts_of_the_ledger(source):
    entries = {entry.id: entry for entry in load(ROOT / "claims").entries}
    expected = []
    for page in PRINTED:
        for box in article(page).select(".proof.admonition[id]"):
            title = box.select_one(".admonition-title")
            tag = title.select_one(".tag")
            links = title.select("a.tag, a.headerlink")
            text = title.get_text()
            for link in reversed(links):
                text = text.removesuffix(link.get_text()).rstrip()
            entry = entries.get(box["id"])
            verdict = WORDS[entry.status] if entry else ""
            expected.append((box["id"], letters(text), verdict, tag.get_text() if tag else ""))
    found = []
    for place, (title, verdict, tag) in arguments(source, r"\begin{pkdpstatement}", 3):
        label = re.search(r"\\detokenize\{[^{}]*:([^{}:]*)\}\}$", source[:place][-200:])
        word = re.fullmatch(r"(?:\\pkdpverdict\{([\w-]+)\}\{([^{}]*)\})?", verdict)
        assert word[1] is None or WORDS[word[1]] == word[2]
        found.append((label[1], letters(title), word[2] or "", tag))
    assert len(expected) > 200
    # Those in solutions come later in print.
    assert sorted(found) == sorted(expected)


@pytest.mark.book
def test_verdicts_in_the_text_are_those_of_the_pages(source):
    parts = chapters(source)
    found = {page: Counter() for page in PRINTED}
    for page in PRINTED:
        inside = re.sub(r"\\begin\{pkdpstatement\}.*", _without_verdict, parts[page])
        found[page] = Counter(re.findall(r"\\pkdpverdict\{[\w-]+\}\{([^{}]*)\}", inside))
    for solution in re.split(r"(?=\\begin\{pkdpsolution\})", parts["solutions"])[1:]:
        (_, (_, label)), *_ = arguments(solution, r"\begin{pkdpsolution}", 2)
        inside = re.sub(r"\\begin\{pkdpstatement\}.*", _without_verdict, solution)
        found[exercises()[label][0]].update(
            re.findall(r"\\pkdpverdict\{[\w-]+\}\{([^{}]*)\}", inside)
        )
    assert found == {page: badges(article(page)) for page in PRINTED}


def _without_verdict(line):
    return re.sub(r"\{\\pkdpverdict\{[\w-]+\}\{[^{}]*\}\}(?=\{\w*\})", "{}", line[0])


@pytest.mark.book
def test_every_figure_is_drawn_and_says_what_it_shows(source):
    drawn = {file: said for _, (file, said) in arguments(source, r"\begin{pkdpfigure}", 2)}
    shown = {
        line["id"].removeprefix("figure-source-")
        for page in PRINTED
        for line in article(page).select(".figure-source")
    }
    assert {file.removeprefix("figure-").removesuffix(".pdf") for file in drawn} == shown
    for name in figures.names():
        file = figures.file_name(name, "pdf")
        assert (LATEX / file).read_bytes().startswith(b"%PDF")
        said = bytes.fromhex(drawn[file]).decode("utf-16")
        assert all(text in said for text in figures.load(name).ALT)


@pytest.mark.book
def test_every_exercise_has_its_number_and_its_solution(source):
    asked = list(arguments(source, r"\begin{pkdpexercise}", 3))
    solved = list(arguments(source, r"\begin{pkdpsolution}", 2))
    titles = {label: letters(title) for _, (title, label, _) in asked}
    assert titles == {label: title for label, (_, title) in exercises().items()}
    assert {label: letters(title) for _, (title, label) in solved} == titles
    assert [label for _, (_, label) in solved] == list(titles)
    assert min(place for place, _ in solved) > max(place for place, _ in asked)
    pages = re.findall(r"\\pkdpsolutionon\{([\w-]+)\}", source[source.index(r"\begin{document}") :])
    assert pages == list(titles)


@pytest.mark.book
def test_nothing_is_left_of_the_language_of_pages(source):
    text = source[source.index(r"\begin{document}") :]
    code = r"\\begin\{sphinxVerbatim\}.*?\\end\{sphinxVerbatim\}"
    text = re.sub(code, "", text, flags=re.DOTALL)
    for mark in ("<details", "<svg", "<div", "code-cell", "prf:", r"\{claim\}", "sphinxuseclass"):
        assert mark not in text
    assert not re.search(r"\\\{[a-z:-]+\\\}\\sphinx\w*quote", text)  # a role
    assert r"\section{Cite this" not in text


# --------------------------------------------------------------------------------------------
# What no page has so far
# --------------------------------------------------------------------------------------------

CONFIG = """
title: A book
author: Nobody
only_build_toc_files: true
execute: {execute_notebooks: "off"}
latex: {use_jupyterbook_latex: false}
"""
PAGE = {
    "one.md": """# One

```{exercise} A sum
:label: a-sum

*Goal:* to add.

Add 1 and 1.
```

```{hint}
:class: dropdown

Count your thumbs.
```

```{solution-start} a-sum
:class: dropdown
```

They are

```{code-block} python
1 + 1
```

```{solution-end}
```

After the solution.
"""
}


def test_hints_and_gated_solutions_go_to_the_appendix(tmp_path):
    """One page by the transforms alone, in a small book of its own."""
    from docutils import nodes
    from printed import Page
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    (tmp_path / "index.md").write_text(PAGE["one.md"], encoding="utf-8")
    extensions = ["myst_parser", "sphinx_proof", "sphinx_exercise"]
    with patch_docutils(), docutils_namespace():
        app = Sphinx(
            srcdir=tmp_path,
            confdir=None,
            outdir=tmp_path / "out",
            doctreedir=tmp_path / "doctrees",
            buildername="dummy",
            confoverrides={"extensions": extensions, "numfig": True},
            status=None,
            warning=None,
        )
        app.build()
        app.config.ledger_claims = app.config.ledger_results = {}
        page = Page(app, "index", app.env.get_doctree("index"))
    (solution,) = page.solutions
    assert [child.get("kind", child.tagname) for child in solution.children] == [
        "argument",
        "argument",
        "pkdphint",
        "paragraph",
        "literal_block",
    ]
    assert solution[0].astext() == "Exercise 1. A sum"
    assert solution[2].astext() == "Count your thumbs."
    rest = page.document.astext()
    assert "Goal: to add." in rest
    assert rest.strip().endswith("After the solution.")
    assert not list(page.document.findall(nodes.hint))


# --------------------------------------------------------------------------------------------
# Without LaTeX, and with complaints of it
# --------------------------------------------------------------------------------------------


def test_without_latex_one_sentence_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert typeset.main(["--check"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert all(name in line for name in typeset.PACKAGES.split())


@pytest.mark.parametrize(
    "line",
    [
        "! Undefined control sequence.",
        "Missing character: There is no � in font txtt!",
        "LaTeX Warning: Reference `exercise:a' on page 3 undefined on input line 7.",
        "LaTeX Warning: Hyper reference `book/references:id4' on page 4 undefined on input line 9.",
        "LaTeX Warning: Label `a' multiply defined.",
        "Overfull \\hbox (25.5pt too wide) in paragraph at lines 12--14",
    ],
)
def test_what_latex_complains_of_is_not_let_pass(line):
    assert typeset.complaints(f"before\n{line}\nafter\n") == [line]
    assert typeset.complaints("before\nafter\n") == []


# --------------------------------------------------------------------------------------------
# The PDF
# --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def printed(source):
    """The text of the PDF, a string for each page, if there is one by the time LaTeX is written."""
    if shutil.which("pdftotext") is None:
        pytest.skip("no pdftotext here: on Debian, it is in poppler-utils")
    if not is_newer(PDF, HTML / ".built"):
        pytest.skip("no PDF of this book: `make pdf` makes one")
    command = ["pdftotext", "-layout", PDF, "-"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\f")


@pytest.mark.pdf
@pytest.mark.book
def test_the_pdf_has_every_statement_with_its_verdict(printed, source):
    text = letters("".join(printed))
    for _, (title, verdict, tag) in arguments(source, r"\begin{pkdpstatement}", 3):
        word = re.search(r"\}\{([^{}]*)\}$", verdict)
        if "\\" not in title.replace(r"\sphinxhyphen", ""):
            assert letters(title) + letters(word[1] if word else "") + tag in text


@pytest.mark.pdf
@pytest.mark.book
def test_the_pdf_has_no_reference_that_leads_nowhere(printed):
    assert not [page for page in printed if "??" in page]


@pytest.mark.pdf
@pytest.mark.book
def test_exercises_and_solutions_name_the_pages_on_which_they_are(printed):
    # Pages before the first one of the text have Roman numbers.
    first = next(
        number for number, page in enumerate(printed) if "An executable companion." in page
    )
    asked = [
        (number - first, int(page_of))
        for number, page in enumerate(printed)
        for page_of in re.findall(r"Solution on page (\d+)", page)
    ]
    assert len(asked) == len(exercises())
    offset = {1, 2}  # of the first page of the text
    for place, target in asked:
        solved = printed[first + target - 2] + printed[first + target - 1]
        named = {int(one) for one in re.findall(r"page (\d+)\n", solved)}
        assert named & {place + one for one in offset}
