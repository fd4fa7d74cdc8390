"""The search of the built book: what somebody looks for is found first, from a file and served."""

import re

import pytest

from tests.book import browser as chromium
from tests.book.built import HTML

pytestmark = [pytest.mark.browser, pytest.mark.book]
PAPER = r"notebooks/partial-knowledge/"
PRACTICE = r"notebooks/practice/\w+\.html"
RUN = r"notebooks/index\.html#how-to-run-it"
# A query, and where its first hit leads.
FIRST = {
    "proposition 7": PAPER + r"4-1-earlier-bounds\.html#prop-7",
    "theorem 3": PAPER + r"4-1-counting-queries\.html#thm-3",
    "theorem 5": PAPER + r"4-3-k-anonymity\.html#thm-5",
    "figure 3": PAPER + r"4-1-counting-queries\.html#fig-3",
    "figure 6": PAPER + r"5-2-post-processing-noise\.html#fig-6",
    "example 9": PAPER + r"5-1-repeated-releases\.html#ex-9",
    "definition 12": PAPER + r"3-passive-active\.html#def-12",
    "lemma 2": PAPER + r"4-2-theorem-4\.html#lem-2",
    "corollary 1": PAPER + r"4-1-several-answers\.html#cor-1",
    "thesis proposition 7": PAPER + r"1-3-properties-and-noise\.html#thesis-prop-7",
    "result 4.1.1": PAPER + r"4-1-counting-queries\.html#tight-bound",
    "00AU": PAPER + r"4-1-counting-queries\.html#thm-3",
    "figure 4.1-1": PAPER + r"4-1-[\w-]+\.html#figure-source-[\w-]+",
    "publish table": PRACTICE,
    "may I publish this table?": PRACTICE,
    "audit": PRACTICE,
    "rounding": PRACTICE,
    "install": RUN,
    "wheel": RUN,
    "counting.worst_case": r"book/api/partial-knowledge/counting\.html#[\w.]+\.worst_case",
    "closed form": rf"\w+/what-is-new\.html(#.*)?|{PAPER}4-1-[\w-]+\.html(#.*)?",
    "dependent records": PAPER + r"6-dependent-records\.html",
    "k-anonymity": rf"book/glossary\.html#term-k-anonymity|{PAPER}4-3-k-anonymity\.html",
    "composition": rf"book/glossary\.html#term-composition|{PAPER}5-1-[\w-]+\.html",
    "privacy profile": r"book/glossary\.html#term-privacy-profile",
    "glossary privacy profile": r"book/glossary\.html#term-privacy-profile",
    "exercises": r"book/course/plan\.html",
}


def search(page, address, query):
    """Return the hits of a query that is typed on the search page."""
    page.goto(f"{address}search.html")
    page.locator(".bd-search-container").get_by_role("searchbox", name="Search").fill(query)
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('.search-summary')?.innerText")
    return page.locator("ul.search > li")


def href(hit):
    return hit.get_by_role("link").first.get_attribute("href")


@pytest.mark.parametrize("query", FIRST)
def test_first_hit(page, query):
    hits = search(page, f"{HTML.as_uri()}/", query)
    target = href(hits.first)
    assert re.fullmatch(FIRST[query], target)
    name, _, anchor = target.partition("#")
    assert f'id="{anchor}"' in (HTML / name).read_text(encoding="utf-8") or not anchor
    # A page is found once, and each hit says what it is.
    leads = hits.locator("> a").evaluate_all("all => all.map(a => a.getAttribute('href'))")
    assert len(leads) == len(set(leads))
    assert page.wrong == []


def test_hits_say_what_they_are(page):
    hits = search(page, f"{HTML.as_uri()}/", "theorem 3")
    shown = hits.first.inner_text().split("\n")
    assert shown[0] == "Theorem 3"
    assert "Claim of Desfontaines et al." in shown[1]
    assert shown[2].startswith("fails as printed → Result ")
    heights = hits.evaluate_all("all => all.slice(0, 9).map(hit => hit.offsetHeight)")
    assert max(heights) < 130
    hits = search(page, f"{HTML.as_uri()}/", "privacy profile")
    assert hits.first.locator("small").inner_text() == "Glossary"
    assert hits.first.locator("i").inner_text()


def test_words_that_are_nowhere(page):
    assert search(page, f"{HTML.as_uri()}/", "xylophone").count() == 0
    assert search(page, f"{HTML.as_uri()}/", "the").count() == 0
    assert page.wrong == []


def test_excerpts_where_the_book_is_served(page):
    with chromium.served(HTML) as address:
        hits = search(page, address, "plebiscite")
        page.wait_for_function("document.querySelector('ul.search .context')")
        assert hits.filter(has=page.locator(".context")).first.inner_text()
    assert page.wrong == []
