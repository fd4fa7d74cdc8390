"""What `make pdf` prints: the right pages, whole, with what is folded on the screen."""

import pytest

from book import print as printing
from tests.book import browser as chromium
from tests.book.built import HTML, PAGES
from tests.book.stored import LEDGER

pytestmark = [pytest.mark.book, pytest.mark.browser]


def test_short_path_is_the_first_path_of_the_landing_page():
    names = printing.short_path()
    assert names[0] == printing.LANDING
    assert len(names) == len(set(names)) > 2
    assert {name.removesuffix(".html") for name in [*names, printing.ERRATA]} <= set(PAGES)


@pytest.mark.slow
def test_printed_pages_are_joined_and_open(browser):
    names = ["notebooks/noiseless/2-2-adversary.html", "book/references.html"]
    with chromium.served(HTML) as address:
        joined = printing.printed(browser, address, names)
    assert len(joined.outline) == len(names)
    text = " ".join(page.extract_text() for page in joined.pages)
    assert "Solution" in text
    assert "Desfontaines" in text
    assert len(joined.pages) > len(names)


def test_all_errata_are_printed_on_at_most_eight_pages(browser):
    with chromium.served(HTML) as address:
        printed = printing.printed(browser, address, [printing.ERRATA])
    text = " ".join(page.extract_text() for page in printed.pages)
    errata = [claim for claim in LEDGER.claims if claim.severity]
    assert text.count("As printed:") == text.count("Correct:") == len(errata) > 60
    assert len(printed.pages) <= 8
