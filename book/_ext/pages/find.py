r"""What the search finds before text: statements, results, figures, terms, functions, tags, pages.

Sphinx's index gets a list of them, ``found``, for ``search.js``: the number of a page, an anchor, a
title, the number of what it is, a sentence, other names, and a rank among equals. What it replaces
leaves the index, and so do numbers, which Sphinx leaves out of queries.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx import addnodes
from sphinx_exercise.nodes import is_exercise_node

from book._ext.ledger.entries import RESULT_WORDS, STATUS_WORDS, page_of
from book._ext.ledger.extension import first_result
from book._ext.pages.theme import description
from book._ext.parts import once_built
from pkdp import figures

if TYPE_CHECKING:
    from sphinx.application import Sphinx

# What people look for on pages whose titles have other words.
NAMES = {
    "notebooks/practice/counts": ["publish table", "may I publish this table", "audit"],
    "notebooks/practice/rounding": ["rounding"],
    "notebooks/partial-knowledge/5-1-sequential-composition": ["composition"],
    "book/course/plan": ["exercises", "problem sheets"],
}
RUN = ["install", "wheel", "clone", "notebooks"]
KINDS = {"practice": "In practice", "api": "Library", "claims": "Ledger"}
Found = tuple[str, str, str, str, list[str], int]


def _said(node: nodes.Element) -> str:
    """Return what the first paragraph in a node says."""
    first = next(node.findall(nodes.paragraph), nodes.paragraph())
    return description(nodes.section("", first.deepcopy()))


def _note(app: Sphinx, document: nodes.document) -> None:
    """Note what of a page the ledger does not know."""
    found: list[Found] = []
    for entry in document.findall(addnodes.desc):
        for name in entry[0]["ids"]:
            title, kind = name.removeprefix("pkdp."), f"Library, {entry['objtype']}"
            found.append((name, title, kind, _said(entry[-1]), [], 1))
    for term in document.findall(nodes.term):
        if term["ids"] and term["ids"][0].startswith("term-"):
            found.append((term["ids"][0], term.astext(), "Glossary", _said(term.parent[-1]), [], 1))
    lines = [node for node in document.findall(nodes.paragraph) if "figure" in node]
    about = {f"figure-{node['figure']}": figures.load(node["figure"]).TITLE for node in lines}
    about |= {node["label"]: _said(node) for node in document.findall(is_exercise_node)}
    app.env.metadata[app.env.docname] |= {"found": found, "about": about}


def _tagged(app: Sphinx) -> Iterator[tuple[str, Found]]:
    """Yield what has a tag, each after the name of its page in the ledger."""
    config, sources = app.config, app.config.ledger_sources
    about = {name: said for one in app.env.metadata.values() for name, said in one["about"].items()}
    numbered = app.env.figure_numbers.items()  # type: ignore[attr-defined]
    for (page, name), number in numbered:  # some are on two pages, with a number on each
        anchor, names = f"figure-source-{name.replace('/', '-')}", [f"Figure {name}"]
        names.append(config.tags_by_name.get(f"figure-{name}", ""))
        title, said = f"Figure {number}", about[f"figure-{name}"]
        yield page_of(page), (anchor, title, "Figure", said, names, 6)
    for name, place in config.tags_places.items():
        claim = config.ledger_claims.get(name.removeprefix("erratum-"))
        title, others = place.title, [config.tags_by_name.get(name, "")]
        if result := config.ledger_results.get(name):
            kind, said, rank = "Result of this book", RESULT_WORDS[result.status], 1
            title, others = f"{result.name}. {title}", [title, result.name, *others]
        elif claim:
            kind, said = f"Claim of {sources[claim.source]}", STATUS_WORDS[claim.status]
            rank = 2 + [*sources].index(claim.source)
            if instead := first_result(claim, config.ledger_results):
                said += f" → {instead.name}"
        elif name.startswith("figure-"):
            continue
        else:
            kind, said, rank = "Exercise", about[name], 6
            title = title.removeprefix("Exercise: ")
        yield place.page, (place.anchor, title, kind, said, others, rank)


def _write(app: Sphinx) -> None:
    """Put all of it into Sphinx's index."""
    path = Path(app.outdir, "searchindex.js")
    text = path.read_text(encoding="utf-8")
    index: dict[str, Any] = json.loads(text[text.index("(") + 1 : text.rindex(")")])
    pages = {page_of(name): name for name in index["docnames"]}
    found = [(pages[page], one) for page, one in _tagged(app)]
    run = ("how-to-run-it", "How to run it", "Start", "make book builds these pages.", RUN, 0)
    found.append((app.config.root_doc, run))
    for page in index["docnames"]:
        built = Path(app.outdir, f"{page}.html").read_text(encoding="utf-8")
        said = html.unescape(re.findall(r'name="description" content="([^"]*)"', built)[0])
        title, kind = app.env.titles[page].astext(), KINDS.get(page.split("/")[1], "Page")
        rank = 1 if kind in ("Page", "In practice") else 6
        found.append((page, ("", title, kind, said, NAMES.get(page, []), rank)))
        found += [(page, one) for one in app.env.metadata[page]["found"]]
    index["kinds"] = kinds = sorted({one[2] for _, one in found})
    index["found"] = [
        [index["docnames"].index(page), one[0], one[1], kinds.index(one[2]), *one[3:]]
        for page, one in found
    ]
    taken = {(one[0], one[1]) for one in index["found"]}
    for title, places in list(index["alltitles"].items()):
        index["alltitles"][title] = [one for one in places if tuple(one) not in taken]
    index["terms"] = {word: on for word, on in index["terms"].items() if not word.isdecimal()}
    index |= {"objects": {}, "indexentries": {}}
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    path.write_text(f"Search.setIndex({text})", encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register what is noted of every page, and the writing of the index."""
    app.connect("doctree-read", _note, priority=700)  # after anchors have their ids
    once_built(app, _write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
