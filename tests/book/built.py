"""Where the built book is, and its pages as they are written in the contents."""

import os
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from bs4 import BeautifulSoup, Tag

ROOT = Path(__file__).resolve().parents[2]
HTML = ROOT / "_build" / "html"
IN_CI = os.environ.get("CI", "").lower() in ("true", "1")


def toc_pages(entries: list[dict[str, Any]]) -> Iterator[str]:
    """The pages in the order of the contents, as paths without their ending.

    Those of modules, which are named together, are written when the book is built.
    """
    for entry in entries:
        if "glob" in entry:
            found = (path.relative_to(ROOT) for path in ROOT.glob(f"{entry['glob']}.md"))
            yield from sorted(path.with_suffix("").as_posix() for path in found)
        else:
            yield entry["file"]
            yield from toc_pages(entry.get("sections", []))


TOC = yaml.safe_load((ROOT / "_toc.yml").read_text())
CHAPTERS_OF_PARTS = [chapter for part in TOC["parts"] for chapter in part["chapters"]]
PAGES = [TOC["root"], *toc_pages(CHAPTERS_OF_PARTS)]
CODE = [page for page in PAGES if page.startswith("notebooks/")]
CHAPTERS = [page for page in PAGES if re.match(r"notebooks/.*/\d", page)]


@cache
def parsed(path: Path) -> BeautifulSoup:
    """A page of the built book without what holds the strokes of drawings; do not change it."""
    text = re.sub(r"</?(?:use|g|defs)\b[^>]*>", "", path.read_text(encoding="utf-8"))
    return BeautifulSoup(text, "html.parser")


@cache
def ids(path: Path) -> Counter[str]:
    """How often such a page, which is not parsed, has each id: links lead to all of them."""
    return Counter(re.findall(r'<[^>]*\sid="([^"]+)"', path.read_text(encoding="utf-8")))


@cache
def tags_by_id(path: Path) -> dict[str, list[Tag]]:
    """The tags of such a page that have an id."""
    found: dict[str, list[Tag]] = {}
    for tag in parsed(path).find_all(id=True):
        found.setdefault(tag["id"], []).append(tag)
    return found


def text_of(page: str) -> str:
    """What is written for a page of code."""
    return (ROOT / "book" / f"{page.removeprefix('notebooks/')}.md").read_text(encoding="utf-8")


def path_of(name: str) -> Path:
    """The file of the built page of this name, in its paper's folder."""
    (page,) = (page for page in PAGES if page.partition("/")[2] == name)
    return HTML / f"{page}.html"


def built(name: str) -> BeautifulSoup:
    """The built page of this name."""
    return parsed(path_of(name))
