"""Captions of figures: part of them, numbered, and panels are named by titles, not places."""

import json
import re
from collections import defaultdict
from itertools import pairwise

import pytest

from tests.book.built import CODE, ROOT, built, text_of

# "What is left" and "the right one" are no places.
SIDES = re.compile(
    r"\b(?:Left|Right|Top|Bottom|Above|Below)(?: left| right)?[:,]"
    r"|\((?:left|right)\)|\b(?:on|to) the (?:left|right)\b"
    r"|\b(?:left|right|top|bottom|upper|lower) (?:panel|half|row|column|for|in)\b"
)
SHOWS = re.compile(r"figures\.show\(")


def captions(page):
    """Yield what follows each figure, as far as its source or the next heading or cell."""
    cells = json.loads((ROOT / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
    for cell, following in pairwise(cells):
        if cell["cell_type"] == "code" and SHOWS.search("".join(cell["source"])):
            yield re.split(r"```\{figure-source\}|\n\n(?=#)", "".join(following["source"]))[0]


@pytest.mark.parametrize("page", CODE)
def test_captions_name_panels_by_their_titles(page):
    found = [caption for caption in captions(page) if SIDES.search(caption)]
    assert found == []


@pytest.mark.book
@pytest.mark.parametrize("page", [page for page in CODE if "```{figure-source}" in text_of(page)])
def test_each_figure_has_its_caption_with_a_number(page):
    figures = built(page.partition("/")[2]).select("figure.pkdp-figure")
    assert len(figures) == text_of(page).count("```{figure-source}")
    for figure in figures:
        assert figure["aria-label"]
        (caption,) = figure.find_all("figcaption", recursive=False)
        assert re.match(r"Figure (?:\d\b|[NDPR]?[\d.]*-\d+\. )", caption.text)
        assert len(caption.text) > 100


@pytest.mark.book
def test_figures_are_counted_from_1_in_each_section():
    places = defaultdict(list)
    for page in CODE:
        for caption in built(page.partition("/")[2]).select("figcaption"):
            if found := re.match(r"Figure ([NDPR]?[\d.]*)-(\d+)\. ", caption.text):
                places[found[1]].append(int(found[2]))
    assert places["4.1"]
    assert all(found == list(range(1, len(found) + 1)) for found in places.values())
