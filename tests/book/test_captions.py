"""Captions of figures: panels have titles, and stand below each other on a phone."""

import json
import re
from itertools import pairwise

import pytest

from tests.book.built import CODE, ROOT

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
