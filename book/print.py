"""Print the short path and the errata into two PDFs, as a browser shows them on paper.

``python -m book.print`` reads the built book and writes ``_build/short-path.pdf`` and
``_build/errata.pdf``. Chromium prints each page, and pypdf joins them, with a bookmark for each.
"""

import io
import posixpath
from collections.abc import Sequence
from pathlib import Path

from bs4 import BeautifulSoup
from playwright.sync_api import Browser, PdfMargins
from pypdf import PdfReader, PdfWriter

from tests.book import browser as chromium

BUILD = Path(__file__).resolve().parents[1] / "_build"
HTML = BUILD / "html"
LANDING = "notebooks/index.html"
ERRATA = "book/errata.html"
MARGINS = PdfMargins(top="18mm", bottom="18mm", left="16mm", right="16mm")
FOOTER = (
    '<div style="width: 100%; text-align: center; font: 7pt sans-serif">'
    '<span class="title"></span>, page <span class="pageNumber"></span></div>'
)


def short_path() -> list[str]:
    """Return the pages of the landing page's first path, as paths in the built book."""
    landing = BeautifulSoup((HTML / LANDING).read_text(encoding="utf-8"), "html.parser")
    links = (link["href"] for link in landing.select(".reading-path")[0].select("a[href]"))
    folder = posixpath.dirname(LANDING)
    return [
        LANDING if link == "#" else posixpath.normpath(posixpath.join(folder, str(link)))
        for link in links
    ]


def printed(browser: Browser, address: str, names: Sequence[str]) -> PdfWriter:
    """Return the pages of these names, printed on A4 and joined."""
    joined = PdfWriter()
    with browser.new_page() as page:
        for name in names:
            page.goto(address + name)
            chromium.settle(page)
            sheets = page.pdf(
                format="A4",
                scale=0.8,
                margin=MARGINS,
                print_background=True,
                display_header_footer=True,
                header_template="<span></span>",
                footer_template=FOOTER,
            )
            joined.append(PdfReader(io.BytesIO(sheets)), outline_item=page.title().split(" — ")[0])
    return joined


def main() -> None:
    """Write both files, or end with a sentence if there is no Chromium."""
    with chromium.launched(chromium.needed()) as browser, chromium.served(HTML) as address:
        for name, pages in {"short-path": short_path(), "errata": [ERRATA]}.items():
            file = BUILD / f"{name}.pdf"
            printed(browser, address, pages).write(file)
            print(f"{name}: file://{file}")


if __name__ == "__main__":
    main()
