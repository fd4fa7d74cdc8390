"""What a rewritten chapter has in view, and how long it and its detail pages are."""

import json

import pytest

from tests.book.built import HTML, ROOT, parsed
from tests.book.length import measured

CHAPTERS = [
    "notebooks/differential-privacy",
    "notebooks/partial-knowledge/4-1-counting-queries",
    "notebooks/partial-knowledge/4-2-thresholding",
]
DETAILS = [
    "notebooks/partial-knowledge/4-1-theorem-3",
    "notebooks/partial-knowledge/4-1-earlier-bounds",
    "notebooks/partial-knowledge/4-1-sharper-bounds",
    "notebooks/partial-knowledge/4-1-several-answers",
    "notebooks/partial-knowledge/4-1-several-queries",
    "notebooks/partial-knowledge/4-1-plebiscite",
    "notebooks/partial-knowledge/4-2-theorem-4",
    "notebooks/partial-knowledge/4-2-known-records",
]
OF_A_CHAPTER = {
    "words": 1500,
    "formulas": 100,
    "folds": 8,
    "all words": 4000,
    "all formulas": 250,
}
OF_DETAILS = {"words": 2000, "formulas": 150, "all words": 6000, "all formulas": 400}


@pytest.mark.book
@pytest.mark.parametrize(
    ("page", "limits"),
    [(page, OF_A_CHAPTER) for page in CHAPTERS] + [(page, OF_DETAILS) for page in DETAILS],
)
def test_a_page_keeps_its_limits(page, limits):
    found = measured(page)
    assert {name: found[name] for name, most in limits.items() if found[name] > most} == {}


@pytest.mark.book
@pytest.mark.parametrize("page", CHAPTERS)
def test_a_chapter_has_a_figure_and_a_derivation_in_view(page):
    article = parsed(HTML / f"{page}.html").find("article")
    assert [one for one in article.select("figure.pkdp-figure") if not one.find_parent("details")]
    shown = [one for one in article.select(".tag_derivation") if not one.find_parent("details")]
    assert shown
    for cell in shown:
        assert cell.select_one(".cell_input .highlight")
        assert not cell.select_one(".cell_input details")
        assert cell.select_one(".cell_output").get_text(strip=True)


@pytest.mark.parametrize("page", CHAPTERS)
def test_a_derivation_is_short_enough_to_read(page):
    notebook = json.loads((ROOT / f"{page}.ipynb").read_text(encoding="utf-8"))
    cells = [c for c in notebook["cells"] if "derivation" in c["metadata"].get("tags", [])]
    assert cells
    for cell in cells:
        assert len("".join(cell["source"]).splitlines()) <= 15
