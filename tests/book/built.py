"""Where the built book is, and its pages as they are written in the contents."""

import os
import re
from collections import Counter
from functools import cache
from pathlib import Path

import yaml
from bs4 import BeautifulSoup, Tag

ROOT = Path(__file__).resolve().parents[2]
HTML = ROOT / "_build" / "html"
IN_CI = os.environ.get("CI", "").lower() in ("true", "1")


def toc_pages() -> list[str]:
    """The pages in the order of the contents, as paths without their ending."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text())
    chapters = [chapter for part in toc["parts"] for chapter in part["chapters"]]
    return [toc["root"]] + [
        page["file"] for chapter in chapters for page in (chapter, *chapter.get("sections", ()))
    ]


PAGES = toc_pages()
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
