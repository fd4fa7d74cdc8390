"""How long the pages are: ``make book``, then ``python tests/book/length.py``.

First what is visible, then all of a page, folds included, and the minutes to skim it.
`book/_ext/pages/reading.py` counts.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.book.built import HTML, PAGES

MOST_WORDS, MOST_FORMULAS = 3500, 300
COLUMNS = ("words", "formulas", "code", "folds", "all words", "all formulas", "minutes")
_BOX = re.compile(r'<aside [^>]*class="at-the-start[^>]*>')


def measured(page: str) -> dict[str, int] | None:
    """The length of a built page by the names of `COLUMNS`; None if it has no box."""
    found = _BOX.search((HTML / f"{page}.html").read_text(encoding="utf-8"))
    if found is None:
        return None
    data = {name: int(value) for name, value in re.findall(r'data-([\w-]+)="(\d+)"', found[0])}
    return {
        "words": data["length-words"],
        "formulas": data["length-formulas"] + data["length-displays"],
        "code": data["length-code"],
        "folds": data["all-folds"],
        "all words": data["all-words"],
        "all formulas": data["all-formulas"] + data["all-displays"],
        "minutes": data["minutes"],
    }


def too_long(found: dict[str, int]) -> bool:
    """Whether a page is more than its reader can take in at once."""
    return found["words"] > MOST_WORDS or found["formulas"] > MOST_FORMULAS


def main() -> int:
    """Print a line for each page; return 1 if one is too long."""
    row = "{:<46}" + " {:>12}" * len(COLUMNS)
    print(row.format("page", *COLUMNS))
    lengths = {page: found for page in PAGES if (found := measured(page))}
    for page, found in lengths.items():
        print(row.format(page.removeprefix("notebooks/"), *found.values()))
    long = [page for page, found in lengths.items() if too_long(found)]
    for page in long:
        print("too long:", page)
    return int(bool(long))


if __name__ == "__main__":
    sys.exit(main())
