"""Corrections of the theme's pages: descriptions, names for screen readers, a page for 404.

- Each page describes itself in a sentence or two; ``404.html`` leads back into the book.
- The arrows of the contents have names, references have a role that exists, and every theorem,
  definition and proof links to itself.
- Unused files and marks are not published: source maps, translations, signs of the theme's font.
"""

from __future__ import annotations

import html
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from docutils import nodes

from book._ext.pages.navigation import in_parts
from book._ext.pages.previews import element
from book._ext.parts import once_built
from pkdp.tables import plain

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config

LONGEST = 200  # characters of a description
# Marks of thousands of elements, and shorter ones that do the same.
_IDLE = {
    '<a class="reference internal" ': "<a ",
    '"symbol reference internal"': '"symbol"',
    '"math notranslate nohighlight"': '"math"',  # fit.js keeps a search's words out of it
    "<span></span>": "",
    '<em class="sig-param">': "<em>",
    '<span class="colon">:</span>': ":",
    '<span class="sig-paren">(</span>': "(",
    '<span class="sig-paren">)</span>': ")",
}
_FOLD = re.compile(
    r'<div class="((?=[^"]*dropdown)(?=[^"]*admonition)[^"]*)"([^>]*)>\s*'
    r'<p class="admonition-title">(.*?)</p>',
    re.DOTALL,
)
UNREADABLE = "\ufffd"  # in place of a formula

_MISSING = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>No such page</title>
<link rel="icon" href="data:,">
<style>
  :root {{ color-scheme: light dark; }}
  :root {{ color: light-dark(#222832, #ced6dd); background: light-dark(#fff, #121212); }}
  a {{ color: light-dark(#0a58a8, #7db3f0); }}
  body {{ max-width: 40rem; margin: 3rem auto; padding: 0 1rem; font: 1rem/1.6 sans-serif; }}
  svg {{ width: 4rem; }}
  h1 {{ font-weight: 400; }}
  input, button {{ padding: 0.4rem 0.7rem; font: inherit; }}
</style>
<main>
<a href="{base}{root}.html" aria-label="pkdp: home">{logo}</a>
<h1>There is no such page</h1>
<p>It may have moved. Begin at the <a href="{base}{root}.html">first page</a>, look at the
<a href="{base}book/claims.html">claims</a> or the <a href="{base}book/errata.html">errata</a>,
or search:</p>
<form action="{base}search.html">
<input name="q" type="search" aria-label="Search"> <button>Search</button>
</form>
</main>
"""


def description(document: nodes.document) -> str:
    r"""Return the first sentences of a page, in plain text.

    A sentence with a formula is left out, unless the formula can be read as it stands.

    Examples
    --------
    >>> from docutils.utils import new_document
    >>> document = new_document("page")
    >>> parts = nodes.Text("Counts hide. By "), nodes.math("", r"\\frac12"), nodes.Text(" they do.")
    >>> document += nodes.section("", nodes.paragraph("", "", *parts))
    >>> description(document)
    'Counts hide.'
    """
    said = ""
    for paragraph in document.findall(nodes.paragraph):
        if not isinstance(paragraph.parent, nodes.section | nodes.document):
            continue
        copy = paragraph.deepcopy()
        for formula in list(copy.findall(nodes.math)):
            text = formula.astext().replace("{,}", ",")
            shown = plain(f"${text}$")
            readable = re.fullmatch(r"[\w ,.+=()]+", shown) and not re.search("{|frac|sqrt", text)
            formula.parent.replace(formula, nodes.Text(shown if readable else UNREADABLE))
        text = " ".join(copy.astext().split())
        for sentence in re.split(r"(?<=[.?!])\s+(?=[A-Z])", text):
            if UNREADABLE not in sentence and len(said) + len(sentence) < LONGEST:
                said = f"{said} {sentence}".strip()
            elif said:
                return said
            elif UNREADABLE not in sentence:
                return sentence[: LONGEST - 1].rpartition(" ")[0] + "…"
        if len(said) > LONGEST // 2:
            break
    return said


def named_arrows(contents: str) -> str:
    """Return a table of contents in which each arrow says what it unfolds.

    Examples
    --------
    >>> named_arrows('<a href="#">Counts</a><details><summary><i></i></summary>')
    '<a href="#">Counts</a><details><summary aria-label="Pages of Counts"><i></i></summary>'
    """
    return re.sub(
        r"(>([^<>]*)</a><details[^>]*><summary)>", r'\1 aria-label="Pages of \2">', contents
    )


def lighter(page: str) -> str:
    r"""Return a page without comments, and without indents but where a browser shows them.

    Examples
    --------
    >>> lighter("<p>\n    A line.\n  <pre>\n  kept</pre>\n<!-- not this -->\n  </p>")
    '<p>\nA line.\n<pre>\n  kept</pre>\n</p>'
    """
    parts = re.split(r"(<(pre|script|style|textarea)\b.*?</\2>)", page, flags=re.DOTALL)
    # In turn a text, what is kept, and its tag.
    parts[::3] = [
        re.sub(r"\n\s+", "\n", re.sub("<!--.*?-->", "", text, flags=re.DOTALL))
        for text in parts[::3]
    ]
    del parts[2::3]
    body = _without_spans("".join(parts)).replace('" />', '"/>')
    return re.sub('<link rel="preload"[^>]*>\n', "", body)  # what the page loads anyway


def with_permalinks(body: str) -> str:
    """Return a page on which every theorem and its like ends its title with a link to itself.

    Examples
    --------
    >>> with_permalinks('<div class="proof lemma" id="a"><p class="admonition-title">Lemma</p>')
    ... # doctest: +NORMALIZE_WHITESPACE
    '<div class="proof lemma" id="a"><p class="admonition-title">Lemma<a class="headerlink"
    href="#a" title="Link to this place">#</a></p>'
    """
    return re.sub(
        r'(<div class="proof [^>]*?id="([^"]+)"[^>]*>\s*<p class="admonition-title">.*?)(?=</p>)',
        r'\1<a class="headerlink" href="#\2" title="Link to this place">#</a>',
        body,
        flags=re.DOTALL,
    )


def with_folds(body: str) -> str:
    """Return a page whose hints and solutions fold without scripts.

    Examples
    --------
    >>> with_folds('<div class="dropdown hint admonition"><p class="admonition-title">A</p>b</div>')
    ... # doctest: +NORMALIZE_WHITESPACE
    '<details class="hint admonition folded"><summary
    class="admonition-title">A</summary>b</details>'
    """
    for fold in reversed(list(_FOLD.finditer(body))):
        whole = element(body, fold.start(), "div")
        classes = " ".join([*(one for one in fold[1].split() if one != "dropdown"), "folded"])
        inside = whole[fold.end() - fold.start() : -len("</div>")]
        summary = f'<summary class="admonition-title">{fold[3]}</summary>'
        details = f'<details class="{classes}"{fold[2]}>{summary}{inside}</details>'
        body = body[: fold.start()] + details + body[fold.start() + len(whole) :]
    return body


def with_roles(body: str) -> str:
    """Return a page whose references are items of a list, as their former role is no longer in use.

    Folded cells are called what is written on them, and the empty corner of a table is no heading.
    """
    body = body.replace('role="doc-biblioentry"', 'role="listitem"')
    body = body.replace('<summary aria-label="Toggle hidden content">', "<summary>")
    return re.sub(r"<th\b[^>]*>(?:<p></p>)?</th>", "<td></td>", body)


def without_idle_marks(body: str) -> str:
    """Return a page in which only that is marked what looks different for it.

    In code, names, operators and the like have the colour of the text, and words need no frame of
    their own. A link that stays in the book looks like any other. What a reference is about is
    shown by `previews`, so that it need not be written into every link to it.

    Examples
    --------
    >>> without_idle_marks('<span class="n">x</span><span class="o">=</span>')
    'x='
    >>> without_idle_marks('<a class="reference internal" href="#thm-3">Theorem 3</a>')
    '<a href="#thm-3">Theorem 3</a>'
    """
    # Its title would be the end of its address, or what a preview shows.
    body = re.sub(
        r'(<a class="reference internal" href="[^"]*(?:references\.html#\w+|#pkdp[\w.]+)")'
        r' title="[^"]*"',
        r"\1",
        body,
    )
    body = _without_spans(body)
    for idle, enough in _IDLE.items():
        body = body.replace(idle, enough)
    body = re.sub(
        r'<code class="(xref )?(?:[\w -]+ )?literal notranslate">(.*?)</code>',
        r'<code class="\1literal">\2</code>',
        body,
        flags=re.DOTALL,
    )
    return re.sub(r'<span class="(?:[nwpo]|std std-(?:ref|doc))">([^<]*)</span>', r"\1", body)


def _without_spans(code: str) -> str:
    return re.sub(r'<span class="pre">([^<]*)</span>', r"\1", code)


def with_signs(script: str, names: set[str]) -> str:
    """Return the script of the theme's signs without those that are not named.

    Examples
    --------
    >>> with_signs('a={"arrow-up":[1,2,[8],"f062","M1"],bars:[1,2,[],"f0c9","M2"]}', {"bars"})
    'a={bars:[1,2,[],"f0c9","M2"]}'
    """
    return re.sub(
        r'"?([a-z0-9-]+)"?:\[\d+,\d+,\[[^\]]*\],"[0-9a-f]+",(?:"[^"]*"|\["[^"]*","[^"]*"\])\],?',
        lambda sign: sign[0] if sign[1] in names else "",
        script,
    )


def _mend(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Mend a page before the theme puts it together."""
    contents = context.get("generate_toctree_html")
    if contents is not None:
        context["generate_toctree_html"] = lambda *args, **options: named_arrows(
            in_parts(str(contents(*args, **options)))
        )
    if "body" in context:
        context["body"] = without_idle_marks(
            with_roles(with_permalinks(with_folds(context["body"])))
        )
    if not page.startswith("notebooks/"):  # what a page of prose is made from is not published
        context["sourcename"] = ""
        for group in context.get("header_buttons", ()):
            if "buttons" in group:
                group["buttons"] = [
                    one for one in group["buttons"] if one["label"] != "download-source-button"
                ]
    book = app.config.html_title
    title = context.get("title") or book  # the layout names the pages that Sphinx makes
    said = description(doctree) if doctree else ""
    said = said or ": ".join(dict.fromkeys([book, title]))
    # The layout sets the viewport; docutils would set it a second time.
    metatags = re.sub(r"\s*<meta name=\"viewport\"[^>]*>", "", context.get("metatags", ""))
    content = html.escape(_plain(said))
    context["metatags"] = f'{metatags}\n    <meta name="description" content="{content}" />'


def _plain(text: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", text))


def _finish(app: Sphinx) -> None:
    """Write the page for addresses that lead nowhere, and take away what nobody asks for."""
    # A missing page can be in any folder, so that its links must begin at the top.
    base = urlsplit(app.config.html_baseurl).path or "/"
    logo = Path(app.confdir, "book/_static/logo.svg").read_text(encoding="utf-8")
    missing = _MISSING.format(base=base, root=app.config.root_doc, logo=logo)
    Path(app.outdir, "404.html").write_text(missing, encoding="utf-8")
    static = Path(app.outdir, "_static")
    for idle in [*static.rglob("*.map"), *static.glob("*macros.html")]:
        idle.unlink()
    shutil.rmtree(static / "locales", ignore_errors=True)
    (static / "figure-3.svg").unlink()  # the picture in README
    for font in (static / "vendor" / "fontawesome" / "webfonts").glob("*"):
        if font.suffix != ".woff2" or "brands" in font.name:  # the others are for older browsers
            font.unlink()
    named = set()
    for file in [*Path(app.outdir).rglob("*.html"), *static.rglob("*.js")]:
        if file.name == "fontawesome.js":
            continue
        text = file.read_text(encoding="utf-8")
        named |= set(re.findall(r"fa-([a-z0-9-]+)", text))
        if file.suffix == ".html" and (light := lighter(text)) != text:
            file.write_text(light, encoding="utf-8")
    signs = static / "scripts" / "fontawesome.js"
    signs.write_text(with_signs(signs.read_text(encoding="utf-8"), named), encoding="utf-8")


def _link_repository(app: Sphinx, config: Config) -> None:
    """Let pages link to the repository, if its address is known, and to nothing else if not."""
    options = config.html_theme_options
    if options.get("repository_url"):
        options.update(use_repository_button=True, use_issues_button=True)
    else:
        options.pop("launch_buttons", None)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register what is done to every page, and what is done once."""
    app.connect("config-inited", _link_repository)
    app.connect("html-page-context", _mend, priority=900)  # after the theme
    once_built(app, _finish)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
