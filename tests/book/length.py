"""How long the pages are as a reader sees them: ``make book``, ``python tests/book/length.py``.

Words, formulas and minutes are those that the box at the start of a page says; what is folded does
not count. `book/_ext/pages/reading.py` reckons them.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.book.built import HTML, PAGES

MOST_WORDS, MOST_FORMULAS = 3500, 300
_BOX = re.compile(r'<aside [^>]*class="at-the-start[^>]*>')


def measured(page: str) -> dict[str, int] | None:
    """Words, formulas, displays, code and minutes of a built page; None if it has no box."""
    found = _BOX.search((HTML / f"{page}.html").read_text(encoding="utf-8"))
    if found is None:
        return None
    return {name: int(value) for name, value in re.findall(r'data-(\w+)="(\d+)"', found[0])}


def too_long(found: dict[str, int]) -> bool:
    """Whether a page is more than its reader can take in at once."""
    formulas = found["formulas"] + found["displays"]
    return found["words"] > MOST_WORDS or formulas > MOST_FORMULAS


def main() -> int:
    """Print a line for each page; return 1 if one is too long."""
    row = "{:<52} {:>6} {:>9} {:>5} {:>8}  {}"
    print(row.format("page", "words", "formulas", "code", "minutes", ""))
    failed = False
    for page in PAGES:
        if found := measured(page):
            failed |= too_long(found)
            print(
                row.format(
                    page.removeprefix("notebooks/"),
                    found["words"],
                    found["formulas"] + found["displays"],
                    found["code"],
                    found["minutes"],
                    "too long" if too_long(found) else "",
                ).rstrip()
            )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
