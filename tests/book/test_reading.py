"""What helps a reader along: the box at the start of a page, symbols, terms, paths, the index."""

import json
import re

import pytest
from docutils import nodes

from book._ext import parts
from book._ext.pages import reading
from tests.book.built import HTML, PAGES, ROOT, built, parsed, text_of
from tests.book.length import MOST_FORMULAS, MOST_WORDS, measured, too_long

SECTIONS = [page for page in PAGES if page.startswith("notebooks/") and page != "notebooks/index"]
# More than a reader can take in at once: to be split or folded, and then struck from this list.
TOO_LONG: set[str] = set()


def box_of(page):
    (box,) = parsed(HTML / f"{page}.html").select("article aside.at-the-start")
    return box


# --------------------------------------------------------------------------------------------
# The box at the start
# --------------------------------------------------------------------------------------------


@pytest.mark.book
@pytest.mark.parametrize("page", SECTIONS)
def test_a_page_says_what_for_and_after_what_and_how_long(page):
    box = box_of(page)
    title = box.find_previous_sibling()
    assert title.name == "h1"
    goals = [item.get_text(" ", strip=True) for item in box.ul("li", recursive=False)]
    assert 2 <= len(goals) <= 5
    # What one can do, in a line or two.
    assert all(20 <= len(goal) <= 220 for goal in goals), goals
    assert "You need before it:" in box.get_text()
    assert re.search(r"Time: \d+ min to skim, \d+ min to study", box.get_text())


@pytest.mark.book
@pytest.mark.parametrize("page", SECTIONS)
def test_what_one_needs_comes_before(page):
    order = [(HTML / f"{name}.html").resolve() for name in PAGES]
    here = HTML / f"{page}.html"
    for link in box_of(page).select("a"):
        path = link["href"].partition("#")[0]
        target = (here.parent / path).resolve()
        if target in order and "glossary" not in path:
            assert order.index(target) < order.index(here), f"{path} comes later"


@pytest.mark.book
@pytest.mark.parametrize("page", SECTIONS)
def test_a_page_is_read_in_one_sitting(page):
    found = measured(page)
    assert too_long(found) == (page in TOO_LONG), (
        f"{found}; at most {MOST_WORDS} words and {MOST_FORMULAS} formulas"
    )


def test_only_what_is_seen_counts():
    words = nodes.paragraph("", "", nodes.Text("One, two – three."))
    formula = nodes.math("x", "x")
    display = nodes.math_block("x + y", "x + y")
    code = nodes.literal_block("a\nb", "a\nb")
    page = nodes.section("", words, formula, display, code)
    once = {"words": 3, "formulas": 1, "displays": 1, "code": 2}
    assert reading.length(page) == reading.Length(**once)
    twice = {name: 2 * number for name, number in once.items()}
    for options, folds in (
        ({"classes": ["dropdown"]}, 1),
        ({"classes": ["toggle"]}, 1),
        ({"classes": ["symbols"]}, 1),
        ({"design_component": "dropdown"}, 1),
        ({"hide_mode": "all"}, 1),
    ):
        folded = nodes.container("", page.deepcopy(), **options)
        both = nodes.section("", page.deepcopy(), folded)
        assert reading.length(both) == reading.Length(**once, folds=folds)
        assert reading.length(both, folded=True) == reading.Length(**twice, folds=folds)
    hint = nodes.hint("", page.deepcopy(), classes=["dropdown"])
    assert reading.length(nodes.section("", words, hint)) == reading.Length(words=3)
    opened = nodes.container("", page.deepcopy(), design_component="dropdown", opened=True)
    assert reading.length(opened) == reading.Length(**once)
    raw = parts.folded("The code", [page.deepcopy()])
    assert reading.length(nodes.section("", words, *raw)) == reading.Length(words=3)
    assert reading.length(nodes.comment("a b", "a b")) == reading.Length()
    spoken = nodes.inline("", "Verdict: ", classes=["claim-unseen"])
    assert reading.length(nodes.paragraph("", "", spoken)) == reading.Length()


def test_a_proof_can_be_folded():
    text = nodes.paragraph("", "Proof. Add both.")
    box = nodes.admonition("", text, classes=["proof", "proof", "dropdown"])
    page = nodes.section("", nodes.container("", box))
    reading.fold_proofs(None, page)
    (folded,) = page.children
    assert [part.astext() for part in folded.children] == ["Proof", "Add both."]
    assert reading.length(page) == reading.Length(folds=1)


@pytest.mark.book
@pytest.mark.parametrize("page", SECTIONS)
def test_hints_and_solutions_fold_without_scripts(page):
    body = parsed(HTML / f"{page}.html").find("article")
    assert body.select("div.admonition.dropdown") == []
    for box in body.select(".hint, div.solution, details.solution"):
        assert box.name == "details"
        assert not box.has_attr("open")
        assert box.find("summary", recursive=False).get_text().startswith(("Hint", "Solution"))


@pytest.mark.parametrize(
    ("hidden", "code", "lines", "folds"),
    [
        (None, "a\nb", 2, 0),
        ("input", "a\nb", 0, 1),
        ("input", 'figures.show("3")', 0, 0),
        ("output", "a", 1, 0),
    ],
)
def test_of_a_cell_the_code_counts_where_it_is_shown(hidden, code, lines, folds):
    source = nodes.container("", nodes.literal_block(code, code), nb_element="cell_code_source")
    output = nodes.container("", nodes.literal_block("c", "c"), nb_element="cell_code_output")
    cell = nodes.container("", source, output)
    if hidden:
        cell["hide_mode"] = hidden
    assert reading.length(cell) == reading.Length(code=lines, folds=folds)


# --------------------------------------------------------------------------------------------
# Paths
# --------------------------------------------------------------------------------------------


@pytest.mark.book
def test_a_path_adds_up_the_minutes_of_its_pages():
    paths = built("index").select(".reading-path")
    assert len(paths) == 4
    for path in paths:
        *each, whole = [int(found) for found in re.findall(r"\((\d+) min\)", path.get_text())]
        assert sum(each) == whole
        for link in path.select('li a[href$=".html"]'):
            found = measured(f"notebooks/{link['href'].removesuffix('.html')}")
            if found is not None:
                assert f"({found['minutes']} min)" in link.parent.get_text()


# --------------------------------------------------------------------------------------------
# Symbols, terms, the index
# --------------------------------------------------------------------------------------------

NOTATION = reading.notation((ROOT / "book" / "notation.md").read_text(encoding="utf-8"))


def test_entries_of_the_notation_are_found_by_any_of_their_terms():
    assert reading.entry("$N$", NOTATION)[1][0].startswith(": $n - 1")
    terms, text = reading.entry(r"$\mu$", NOTATION)
    assert terms == r"$\mu$, $\nu$"
    assert text[0].startswith(": bounds on the dependency")
    assert reading.entry("k-anonymity: $k$", NOTATION)[1][0].startswith(": counts below $k$")


@pytest.mark.parametrize("wanted", ["$k$", r"$\aleph$", "worlds: $N$"])
def test_an_entry_is_named_so_that_there_is_one(wanted):
    with pytest.raises(ValueError, match="an entry of the notation must be one of its terms"):
        reading.entry(wanted, NOTATION)


@pytest.mark.book
def test_symbols_stand_folded_on_the_page_in_the_words_of_the_notation():
    (box,) = built("differential-privacy").select(".symbols")
    assert box.details.summary.get_text() == "Symbols on this page"
    assert not box.details.has_attr("open")
    said = [text.get_text(" ", strip=True) for text in box("dd")]
    everywhere = [text.get_text(" ", strip=True) for text in built("notation")("dd")]
    assert len(said) > 5
    assert [text for text in said if text not in everywhere] == [
        "on this page two random outputs: that of one database, and that of a neighbour."
    ]


@pytest.mark.book
@pytest.mark.parametrize("page", SECTIONS)
def test_each_symbol_of_a_page_is_explained_by_itself(page):
    wanted = re.findall(r"^```\{symbols\}\n(.*?)^```", text_of(page), re.MULTILINE | re.DOTALL)
    entries = re.findall(r"^[^:\s].*", "".join(wanted), re.MULTILINE)
    found = parsed(HTML / f"{page}.html").select(".symbols dt")
    assert len(found) == len(entries)


@pytest.mark.book
def test_a_link_to_a_term_tells_what_it_means():
    links = [
        link
        for page in PAGES
        if "std-term" in (HTML / f"{page}.html").read_text(encoding="utf-8")
        for link in parsed(HTML / f"{page}.html").select("a:has(> .std-term)")
    ]
    assert len(links) > 5
    script = (HTML / "_previews" / "book" / "glossary.js").read_text(encoding="utf-8")
    shown = json.loads(script[script.index("{") : script.rindex("}") + 1])
    assert [link["href"] for link in links if len(shown[link["href"].partition("#")[2]]) < 20] == []


@pytest.mark.book
def test_the_index_has_terms_and_mechanisms():
    text = " ".join(parsed(HTML / "genindex.html").find("article").get_text(" ").split())
    assert all(entry in text for entry in ("total variation", "make_randomized_response()"))


# --------------------------------------------------------------------------------------------
# Numbers of results and of equations
# --------------------------------------------------------------------------------------------


@pytest.mark.book
def test_results_of_the_book_count_through_a_section():
    rows = [row.get_text(" ") for row in built("claims").select("tbody > tr[id^=own-]")]
    found = [re.match(r"\s*(?:Result|Conjecture) (\w*(?:\.?\d+)*\.\d+)\. ", row) for row in rows]
    numbers = [match[1] for match in found if match]
    assert len(numbers) == len(rows) > 50
    assert len(set(numbers)) == len(numbers)
    counted: dict[str, list[int]] = {}
    for number in numbers:
        section, _, last = number.rpartition(".")
        counted.setdefault(section, []).append(int(last))
    assert all(found == list(range(1, len(found) + 1)) for found in counted.values())


@pytest.mark.book
def test_a_statement_shows_its_number():
    statement = built("partial-knowledge/4-1-sharper-bounds").find(id="sharp-asymptotic")
    title = statement.select_one(".admonition-title").get_text(" ", strip=True)
    assert re.match(r"Result 4\.1\.\d+\. Sharp asymptotic\b", title)


@pytest.mark.book
def test_an_equation_that_is_referred_to_has_a_number():
    page = built("differential-privacy")
    assert [tag.get_text() for tag in page.select(".eqno")] == ["(1)#", "(2)#"]
    links = page.find_all("a", href="#equation-eq-pure-dp", title=False)
    assert [link.get_text() for link in links] == ["(1)"]
