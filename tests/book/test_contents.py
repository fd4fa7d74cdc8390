"""The built book as files: complete, closed under its links, and free of other hosts."""

import json
import re
from html import unescape
from urllib.parse import unquote, urlsplit

import pytest

from tests.book.built import CHAPTERS, CODE, HTML, PAGES, ROOT, ids, parsed, text_of
from tests.book.stored import LEDGER


def names(room, ending):
    files = (ROOT / room).rglob(f"*.{ending}")
    return {path.relative_to(ROOT).with_suffix("").as_posix() for path in files}


def test_every_page_is_in_the_contents():
    code = names("notebooks", "ipynb")
    paired = {page.replace("notebooks/", "book/") for page in code}
    prose = names("book", "md") - paired
    assert sorted(PAGES) == sorted(code | prose)


@pytest.mark.book
def test_every_page_is_built():
    missing = [page for page in PAGES if not (HTML / f"{page}.html").exists()]
    assert missing == []


@pytest.mark.book
@pytest.mark.parametrize("page", PAGES)
def test_links_arrive(page):
    path = HTML / f"{page}.html"
    broken = []
    for href in re.findall(r'<a\s[^>]*?\bhref="([^"]*)"', path.read_text(encoding="utf-8")):
        url = urlsplit(unescape(href))
        if url.scheme or url.netloc:
            continue
        target = (path.parent / unquote(url.path)).resolve() if url.path else path
        if not target.is_file() or (url.fragment and unquote(url.fragment) not in ids(target)):
            broken.append(href)
    assert broken == []


@pytest.mark.book
@pytest.mark.parametrize("page", PAGES)
def test_no_id_is_given_twice(page):
    assert [name for name, number in ids(HTML / f"{page}.html").items() if number > 1] == []


@pytest.mark.book
@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_loaded_from_another_host(page):
    soup = parsed(HTML / f"{page}.html")
    loaded = [tag["src"] for tag in soup.find_all(src=True)]
    loaded += [tag["href"] for tag in soup.find_all("link", href=True)]
    loaded += [url for tag in soup.find_all("script", src=False) for url in tag.stripped_strings]
    assert [text for text in loaded if re.search(r"(https?:)?//[\w-]+\.\w", text)] == []


@pytest.mark.book
@pytest.mark.parametrize("page", CODE)
def test_pages_of_code_can_be_downloaded(page):
    path = HTML / f"{page}.html"
    links = parsed(path).find_all("a", href=re.compile(r"\.ipynb$"))
    assert links, "no download button"
    # What is in that file, test_downloads says.
    offered = (HTML / "_sources" / f"{page}.ipynb").resolve()
    assert {(path.parent / link["href"]).resolve() for link in links} == {offered}


@pytest.mark.parametrize("page", CODE)
def test_every_decimal_in_the_prose_is_one_of_the_code(page):
    # A number in a sentence is either chosen in a cell or printed by one.
    notebook = json.loads((ROOT / f"{page}.ipynb").read_text(encoding="utf-8"))
    prose, code = [], []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        (code if cell["cell_type"] == "code" else prose).append(source)
        for output in cell.get("outputs", []):
            printed = output.get("text") or output.get("data", {}).get("text/plain", "")
            code.append("".join(printed))
    sentences = re.sub(r"```.*?```|`[^`]*`", "", "\n".join(prose), flags=re.DOTALL)
    decimals = set(re.findall(r"(?<![\w.])\d+\.\d+(?![\w.]*\d)", sentences))
    headings = set(re.findall(r"^#+ (\d+\.\d+)", sentences, flags=re.MULTILINE))
    sections = set(re.findall(r"[Ss]ections? (\d+\.\d+)", sentences))
    # A page may be called by its number alone: 2-3-additional-criterion is 2.3.
    sections |= {
        ".".join(re.findall(r"/(\d)-(\d)", chapter)[0])
        for chapter in CHAPTERS
        if re.search(r"/\d-\d", chapter)
    }
    known = set(re.findall(r"\d+\.\d+", "\n".join(code)))
    assert decimals - headings - sections - known == set()


# δ is added to a probability. It is not the probability that a guarantee fails.
_DELTA = r"\$?(?:δ|\\delta)(?!\s*/)"
_MISREAD = re.compile(
    rf"""failure \s probability
    | (?:but \s for | except \s with | apart \s from) \s (?:a \s | an \s | the \s)?
      (?:chance \s | probability \s | rare \s cases? \s)? (?:of \s | that \s)?
      (?:about \s | at \s most \s)? {_DELTA}
    | how \s (?:often|likely) [^.]{{0,40}} (?:breaks \s | fails \s to \s be \s so | is \s worse)
    | (?<!not\s) read \s {_DELTA}\$? \s as \s the \s probability
    | (?<!not\sthe\s) (?:probability|chance) \s that \s (?:the|this) \s
      (?:guarantee|promise|bound) \s (?:fails|breaks|does \s not \s hold)""",
    re.IGNORECASE | re.VERBOSE,
)
_PROSE = ("README.md", "book/**/*.md", "pkdp/**/*.py", "book/_static/explore/models.js")


def test_delta_is_nowhere_called_a_probability_of_failure():
    found = {
        str(path.relative_to(ROOT)): match[0]
        for pattern in _PROSE
        for path in sorted(ROOT.glob(pattern))
        if (match := _MISREAD.search(" ".join(path.read_text(encoding="utf-8").split())))
    }
    assert found == {}


# Advice leads to what it rests on, and to what that assumes. A section that rests on no result:
_RESTS_ON_NOTHING = {"notebooks/reference/6-costs": "times, which were measured"}
_UNJUDGED = {"conjecture", "definition", "open", "unavailable"}
_PRACTICE = {
    page: found[0]
    for page in CODE
    if (found := re.findall(r"(?ms)^## In practice\n(.*?)(?=^#|^\(\S+\)=)", text_of(page)))
}


@pytest.mark.parametrize("page", _PRACTICE)
def test_in_practice_names_a_result(page):
    named = set(re.findall(r"(?:\]\(#|\{ref\}`[^`]*<)([\w-]+)", _PRACTICE[page]))
    headings = re.findall(r"(?m)^##+ (.*)", text_of(page))
    entries = {entry.id: entry.status for entry in LEDGER.entries}
    assert named - entries.keys() <= {line.lower().replace(" ", "-") for line in headings}
    judged = {name for name in named & entries.keys() if entries[name] not in _UNJUDGED}
    assert bool(judged) != (page in _RESTS_ON_NOTHING)


@pytest.mark.parametrize("page", CODE)
def test_lines_of_code_fit_the_page(page):
    notebook = json.loads((ROOT / f"{page}.ipynb").read_text(encoding="utf-8"))
    lines = [
        line
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
        for line in "".join(cell["source"]).splitlines()
    ]
    assert [line for line in lines if len(line) > 78] == []


@pytest.mark.book
@pytest.mark.parametrize("page", CHAPTERS)
def test_chapters_link_to_the_notation(page):
    article = parsed(HTML / f"{page}.html").find("article")
    assert article.find("a", href=re.compile(r"book/notation\.html")) is not None


@pytest.mark.book
def test_the_site_is_small():
    # Half of it are the notebooks, as pages and for download; of theme and MathJax, what is in use.
    # What machines proved, with its files, is about a megabyte.
    size = sum(path.stat().st_size for path in HTML.rglob("*") if path.is_file())
    assert size <= 22_000_000
    static = sum(path.stat().st_size for path in (HTML / "_static").rglob("*") if path.is_file())
    assert static < 3_000_000


@pytest.mark.book
@pytest.mark.parametrize("page", PAGES)
def test_pages_are_small(page):
    assert (HTML / f"{page}.html").stat().st_size < 600_000


@pytest.mark.book
def test_the_book_is_small():
    files = [path for path in HTML.rglob("*") if path.is_file()]
    assert sum(path.suffix == ".html" for path in files) <= 200
    assert sum(path.stat().st_size for path in files) < 25_000_000


@pytest.mark.book
@pytest.mark.parametrize("page", PAGES)
def test_the_head_of_a_page(page):
    head = parsed(HTML / f"{page}.html").find("head")
    assert len(head.find_all("meta", attrs={"name": "viewport"})) == 1
    (description,) = head.find_all("meta", attrs={"name": "description"})
    assert 20 < len(description["content"]) < 210
    assert not re.search(r"[\\$<>{}]|Project name", description["content"])
    # No address is set, so no page can say what its own is.
    assert head.find("link", rel="canonical") is None
    assert head.find_all("meta", property=re.compile("^og:")) == []
    first, *rest = head.title.string.split(" — ")
    assert first not in rest


@pytest.mark.book
@pytest.mark.parametrize("page", PAGES)
def test_a_theorem_links_to_itself(page):
    titles = parsed(HTML / f"{page}.html").select("div.proof[id] > .admonition-title")
    for title in titles:
        (link,) = title.select("a.headerlink")
        assert link["href"] == f"#{title.parent['id']}"


@pytest.mark.book
def test_references_have_no_raw_formulas():
    article = parsed(HTML / "book" / "references.html").find("article")
    assert "$" not in article.get_text()
    labels = [label.get_text() for label in article.select(".citation > .label")]
    assert "[Desfontaines et al., 2019]" in labels
    assert len(set(labels)) == len(labels)
