"""The ledger for programs: as JSON, and as data for the script of the claims' overview.

- ``claims.json`` is the whole ledger, and ``claims.schema.json`` its schema.
- ``_static/ledger-data.js`` has the values by which each row of the overview can be filtered, and
  the words of its claim. It is a script because a page opened from a file cannot load anything
  else.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes

import pkdp
from book._ext.claims import METHODS, SCHEMA_FILE, SEVERITIES, Claim, Result, read, read_glance
from book._ext.ledger.entries import METHOD_WORDS, SEVERITY_WORDS, WORDS, card_of, page_of
from book._ext.ledger.overviews import FILTER
from book._ext.parts import once_built

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

DATA = "ledger-data.js"
OURS = "own"

_ROLE = re.compile(r"\{[\w:]+\}`([^`]*)`")
_LETTER = re.compile(r"\\(?:var)?(epsilon|delta|lambda|theta|mu|nu|rho)\b")
_MARKUP = re.compile(r"[\\${}*`]+")
_GREEK = dict(
    zip(("epsilon", "delta", "lambda", "theta", "mu", "nu", "rho"), "εδλθμνρ", strict=True)
)


def plain(text: str) -> str:
    r"""Return a text of the ledger as somebody would type it who looks for it.

    Examples
    --------
    >>> plain(r"At $\varepsilon = \ln 2$ it *fails* {cite}`thesis`.")
    'at epsilon ε = ln 2 it fails thesis .'
    """
    named = _LETTER.sub(lambda letter: f"{letter[1]} {_GREEK[letter[1]]}", text)
    return " ".join(_MARKUP.sub(" ", _ROLE.sub(r"\1 ", named)).lower().split())


def words(entry: Claim | Result) -> str:
    """Return what can be searched for in an entry: its name, its place and what it says."""
    where = entry.where if isinstance(entry, Claim) else ""
    return plain(" ".join([entry.id, entry.title, entry.says, where]))


def rows(entries: Iterable[Claim | Result]) -> dict[str, list[str]]:
    """Return by the id of its row what an entry is filtered by: as `fields` has it, then words."""
    return {
        card_of(entry): [
            entry.source if isinstance(entry, Claim) else OURS,
            entry.page,
            entry.status,
            (isinstance(entry, Claim) and entry.severity) or "",
            entry.by or "",
            words(entry),
        ]
        for entry in entries
    }


def fields(
    entries: Iterable[Claim | Result], sources: Mapping[str, str], titles: Mapping[str, str]
) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Return for each way to filter its key, its name, and its values with their words."""
    found = list(entries)
    pages = {entry.page for entry in found}
    used = dict.fromkeys(entry.source for entry in found if isinstance(entry, Claim))
    order = [*(source for source in sources if source in used), *(used.keys() - sources.keys())]
    statuses = {entry.status for entry in found}
    methods = {entry.by for entry in found}
    return [
        (
            "source",
            "Source",
            [(key, sources.get(key, key)) for key in order] + [(OURS, "this book")],
        ),
        ("section", "Section", [(page, titles[page]) for page in titles if page in pages]),
        ("status", "Verdict", [(key, WORDS[key]) for key in WORDS if key in statuses]),
        ("severity", "What is wrong", [(key, SEVERITY_WORDS[key]) for key in SEVERITIES]),
        (
            "evidence",
            "How it was checked",
            [(key, METHOD_WORDS[key].lower()) for key in METHODS if key in methods],
        ),
    ]


def write(app: Sphinx) -> None:
    """Write all of it, once the pages have their titles."""
    config = app.config
    order = getattr(app.env, "external_site_map", app.env.found_docs)
    titles = {page_of(name): app.env.titles[name].astext() for name in order}
    pages = read(Path(app.confdir, config.ledger_folder))
    book = {
        "version": pkdp.__version__,
        "sources": config.ledger_sources,
        **read_glance(Path(app.confdir, config.ledger_folder)),
        "pages": {page: pages[page] for page in sorted(pages, key=[*titles, *pages].index)},
    }
    found = json.dumps(book, ensure_ascii=False, separators=(",", ":"))
    Path(app.outdir, "claims.json").write_text(f"{found}\n", encoding="utf-8")
    shutil.copy(SCHEMA_FILE, Path(app.outdir, "claims.schema.json"))
    entries = [*config.ledger_claims.values(), *config.ledger_results.values()]
    data = {"fields": fields(entries, config.ledger_sources, titles), "rows": rows(entries)}
    found = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    Path(app.outdir, "_static", DATA).write_text(f"window.ledgerData={found};\n", encoding="utf-8")


def add_scripts(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Load the scripts on the page that has a place for the form."""
    if doctree is not None and any(
        FILTER in node["classes"] for node in doctree.findall(nodes.container)
    ):
        for script in (DATA, "claims.js"):
            app.add_js_file(script, loading_method="defer")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the extension."""
    app.setup_extension("book._ext.ledger.extension")
    app.connect("html-page-context", add_scripts)
    once_built(app, write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
