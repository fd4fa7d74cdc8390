"""Reading aids: what a page requires and teaches, its length, its symbols, reading paths.

The directives are ``at-the-start``, ``reading-path`` and ``symbols``. The first of each symbol in a
section leads to its explanation.

A page takes two times: to skim what is visible on it, and to study it with a pencil, folds
included. `minutes` estimates both.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from book._ext.parts import dropdown, folded

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment
    from sphinx.util.typing import ExtensionMetadata
    from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)

WORDS_A_MINUTE = 200  # to skim a page
STUDY = 2  # times as long to study the same text
# As long as so many words.
FORMULA, DISPLAY, LINE_OF_CODE = 5, 40, 10

_WORD = re.compile(r"\S*\w\S*")
_FOLDED = {"dropdown", "toggle", "symbols"}
# Folds that belong to an exercise or to sliders do not count as such.
_ANSWERS = {"hint", "solution_node", "explorable"}
# An entry of the notation: a line with its terms, then its text.
_SECTION = re.compile(r"^\(notation-([\w-]+)\)=$")
_SYMBOL_SECTION = re.compile(r"([a-z][a-z-]*): (.*)")
_BETWEEN = re.compile(r"[,;] (?=(?:[^$]*\$[^$]*\$)*[^$]*$)")


@dataclass(frozen=True)
class Length:
    """How much stands on a page, or on a part of it."""

    words: int = 0  # outside of formulas and code
    formulas: int = 0  # in the text
    displays: int = 0  # formulas on lines of their own
    code: int = 0  # lines of code, without what it prints
    folds: int = 0  # without hints, solutions and the code of figures

    def __add__(self, other: Length) -> Length:
        """Return the length of both."""
        return Length(*map(sum, zip(astuple(self), astuple(other), strict=True)))


def length(node: nodes.Node, folded: bool = False) -> Length:
    """Return how long a part of a page is: what is visible, or, if `folded`, all of it.

    Examples
    --------
    >>> text = nodes.paragraph("", "", nodes.Text("Let – that is all – "), nodes.math("x", "x"))
    >>> page = nodes.section("", text, nodes.container("", text, classes=["dropdown"]))
    >>> length(page)
    Length(words=4, formulas=1, displays=0, code=0, folds=1)
    >>> length(page, folded=True)
    Length(words=8, formulas=2, displays=0, code=0, folds=1)
    """
    if isinstance(node, nodes.Text):
        return Length(words=len(_WORD.findall(node)))
    if isinstance(node, nodes.math):
        return Length(formulas=1)
    if isinstance(node, nodes.math_block):
        return Length(displays=1)
    if isinstance(node, nodes.literal_block):
        return Length(code=len(node.astext().splitlines()))
    skipped = nodes.Invisible | nodes.raw | addnodes.index
    if not isinstance(node, nodes.Element) or isinstance(node, skipped):
        return Length()
    if "claim-unseen" in node["classes"]:  # read aloud only
        return Length()
    hides = _is_folded(node)
    draws = "figures.show(" in node.astext()
    found = Length(folds=int(hides or (_hides_code(node) and not draws)))
    if folded or not hides:
        found += sum((length(child, folded) for child in _read(node, folded)), Length())
    return replace(found, folds=0) if node.tagname in _ANSWERS else found


def minutes(found: Length) -> int:
    """Return how many minutes a part of a page takes to skim, rounded up.

    200 words a minute; a formula in the text takes as long as 5 words, one on a line of its own as
    40, a line of code as 10.

    Examples
    --------
    >>> minutes(Length(words=2000, formulas=100, displays=10, code=60))
    18
    """
    words = found.words + FORMULA * found.formulas + DISPLAY * found.displays
    return max(1, math.ceil((words + LINE_OF_CODE * found.code) / WORDS_A_MINUTE))


def _is_folded(node: nodes.Element) -> bool:
    dropdown = node.get("design_component") == "dropdown" and not node.get("opened")
    return dropdown or bool(_FOLDED & set(node["classes"])) or node.get("hide_mode") == "all"


def _hides_code(node: nodes.Element) -> bool:
    return node.get("hide_mode") in ("input", "input+output")


def _read(node: nodes.Element, folded: bool) -> Iterator[nodes.Node]:
    """Yield the parts of a node that are read: of a cell its code, where it is shown."""
    open_folds = 0
    for child in node.children:
        if isinstance(child, nodes.raw):
            open_folds += child.astext().startswith("<details")
            open_folds -= child.astext() == "</details>"
        kind = child.get("nb_element") if isinstance(child, nodes.Element) else None
        hidden = kind == "cell_code_source" and _hides_code(node)
        if kind != "cell_code_output" and (folded or not (hidden or open_folds)):
            yield child


class start_box(nodes.container):  # type: ignore[misc]  # noqa: N801
    """The box under the title of a page, with what is visible there, and all, once it is read."""


class minutes_of(nodes.inline):  # type: ignore[misc]  # noqa: N801
    """How long the page `docname` takes, or where there are several, all together."""


class AtTheStart(SphinxDirective):
    """The box under the title: what for, after what, how long."""

    has_content = True
    option_spec: ClassVar = {"needs": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Return the box; how long the page takes is said when it is read to its end."""
        self.assert_has_content()
        box = start_box("", classes=["at-the-start"])
        box += nodes.paragraph("", "After this page you can", classes=["at-the-start-label"])
        self.state.nested_parse(self.content, self.content_offset, box)
        if "needs" in self.options:
            needs, messages = self.state.inline_text(self.options["needs"], self.lineno)
            label = nodes.inline("", "You need before it: ", classes=["at-the-start-label"])
            box += [nodes.paragraph("", "", label, *needs, nodes.Text(".")), *messages]
        return [box]


class ReadingPath(SphinxDirective):
    """A list of pages, to be read in this order."""

    optional_arguments = 1  # its name, for the foot of each of its pages
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the list, with room for how long each page takes, and for the sum."""
        path = nodes.container(classes=["reading-path"])
        self.state.nested_parse(self.content, self.content_offset, path)
        pages = []
        for link in list(path.findall(addnodes.pending_xref)):
            if link.get("refdomain") == "doc":
                pages.append(link["reftarget"])
                item = link.parent
                item.insert(item.index(link) + 1, minutes_of("", docnames=[link["reftarget"]]))
        paths = self.env.metadata[self.env.docname].setdefault("paths", {})
        if self.arguments:
            paths[self.arguments[0]] = pages
        if not pages:
            logger.warning("reading-path: no link to a page", location=self.get_location())
        path += nodes.paragraph(
            "", "", nodes.Text("All together"), minutes_of("", docnames=pages), nodes.Text(".")
        )
        return [path]


class Symbols(SphinxDirective):
    """The symbols of a page, in the words of the notation."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the folded list."""
        self.assert_has_content()
        source = Path(self.env.srcdir, "book", "notation.md")
        self.env.note_dependency(str(source))
        known = notation(source.read_text(encoding="utf-8"))
        lines: list[str] = []
        wanted = list(self.content)
        for number, line in enumerate(wanted):
            own = number + 1 < len(wanted) and wanted[number + 1].startswith(": ")
            if own:
                lines += ["", line]  # else it goes on with the entry before it
                continue
            if not line.strip() or line.startswith((": ", "  ")):
                lines.append(line)
                continue
            try:
                term, text = entry(line.strip(), known)
            except ValueError as error:
                logger.warning("symbols: %s", error, location=self.get_location())
                continue
            lines += ["", term, *text, ""]
        box = nodes.container(classes=["symbols"])
        explained = nodes.container()
        self.state.nested_parse(StringList(lines, source=str(source)), 0, explained)
        uri = self.env.app.builder.get_relative_uri(self.env.docname, "book/notation")
        everything = nodes.reference("", "The notation", refuri=uri, internal=True)
        explained += nodes.paragraph("", "", everything, nodes.Text(" has all symbols."))
        for number, one in enumerate(explained.findall(nodes.term)):
            one["ids"].append(f"symbol-{number}")
        box += folded("Symbols on this page", explained.children)
        return [box]


def notation(text: str) -> dict[tuple[str, str], list[str]]:
    r"""Return the entries of the notation: by section and term, the lines of their text.

    Examples
    --------
    >>> notation("(notation-counts)=\n## Counts\n\n$N$, $M$\n: how many\n  there are.\n\nA list\n")
    {('counts', '$N$, $M$'): [': how many', '  there are.']}
    """
    found: dict[tuple[str, str], list[str]] = {}
    section = ""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if mark := _SECTION.match(line):
            section = mark[1]
        elif line.startswith(": "):
            end = number + 1
            while end < len(lines) and lines[end].startswith("  "):
                end += 1
            found[section, lines[number - 1]] = lines[number:end]
    return found


def entry(wanted: str, known: Mapping[tuple[str, str], list[str]]) -> tuple[str, list[str]]:
    """Return the term and the lines of one entry of the notation.

    `wanted` is the term, or one of the terms, of an entry; after ``section:``, if several sections
    have it. Raises ValueError if there is no such entry, or more than one.

    Examples
    --------
    >>> known = {("counts", "$N$, $M$"): [": how many"], ("k-anonymity", "$N$"): [": another"]}
    >>> entry("$M$", known), entry("k-anonymity: $N$", known)
    (('$N$, $M$', [': how many']), ('$N$', [': another']))
    """
    mark = _SYMBOL_SECTION.fullmatch(wanted)
    section, term = (mark[1], mark[2]) if mark else (None, wanted)
    found = [
        (terms, text)
        for (place, terms), text in known.items()
        if section in (None, place) and term in (terms, *_BETWEEN.split(terms))
    ]
    if len(found) != 1:
        places = [place for place, terms in known if term in (terms, *_BETWEEN.split(terms))]
        raise ValueError(
            f"an entry of the notation must be one of its terms, got {wanted!r}, "
            f"which is in {len(found)} entries: of sections {places}"
        )
    return found[0]


def without_word(proof: nodes.Element) -> None:
    """Take away the word that a proof begins with, where a heading says it."""
    first = next(iter(proof.findall(nodes.Text)))
    first.parent.replace(first, nodes.Text(first.removeprefix("Proof. ")))


def fold_proofs(app: Sphinx, document: nodes.document) -> None:
    """Make a proof with the class ``dropdown`` what the directive of that name makes.

    By itself it has no title that the script of such a class could make a button of, and stumbling
    over that the script leaves the whole page open.
    """
    for box in list(document.findall(nodes.admonition)):
        if not {"proof", "dropdown"} <= set(box["classes"]):
            continue
        without_word(box)
        box.parent.replace_self(dropdown("Proof", box.children))


def measure(app: Sphinx, document: nodes.document) -> None:
    """Reckon how long a page is."""
    found = length(document)
    app.env.metadata[app.env.docname]["length"] = found
    for box in document.findall(start_box):
        box["length"], box["all"] = found, length(document, folded=True)
        box += _time_paragraph(found, box["all"])


def link_symbols(app: Sphinx, document: nodes.document) -> None:
    """Let the first of each symbol in a section lead to its entry in the box, as a preview."""
    meant = {
        symbol.astext(): term["ids"][0]
        for term in document.findall(nodes.term)
        if term["ids"] and term["ids"][0].startswith("symbol-")
        for symbol in term.findall(nodes.math)
    }
    left: dict[str, str] = {}
    for one in list(document.findall(nodes.Element)) if meant else ():
        if isinstance(one, nodes.section) and one["names"]:  # not the body of a statement
            left = dict(meant)
        if not isinstance(one, nodes.math) or one.astext() not in left:
            continue
        line = one.parent.parent if "together" in one.parent["classes"] else one.parent
        if isinstance(line, nodes.paragraph) and not isinstance(line.parent, nodes.definition):
            link = nodes.reference("", "", one.deepcopy(), refid=left.pop(one.astext()))
            link["classes"].append("symbol")
            one.replace_self(link)


def _time_paragraph(found: Length, everything: Length) -> nodes.paragraph:
    study = 5 * math.ceil(STUDY * minutes(everything) / 5)
    text = f"{minutes(found)} min to skim, {study} min to study with a pencil."
    label = nodes.inline("", "Time: ", classes=["at-the-start-label"])
    return nodes.paragraph("", "", label, nodes.Text(text))


def _say_minutes(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Fill in how long the pages of a path take."""
    for place in list(document.findall(minutes_of)):
        whole = sum(minutes(app.env.metadata[name]["length"]) for name in place["docnames"])
        place.replace_self(nodes.inline("", f" ({whole} min)", classes=["reading-minutes"]))


def _paths_again(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Write pages with paths again if other pages were read: their lengths may have changed."""
    return sorted(page for page, kept in env.metadata.items() if "paths" in kept)


def visit_start(translator: HTML5Translator, node: start_box) -> None:
    """Open the box; tests read the length of the page from it."""
    attributes = {
        f"data-{part}-{field.name}": str(getattr(node[part], field.name))
        for part in ("length", "all")
        for field in fields(Length)
    }
    attributes["data-minutes"] = str(minutes(node["length"]))
    attributes["aria-label"] = "At the start"
    translator.body.append(translator.starttag(node, "aside", **attributes))


def depart_start(translator: HTML5Translator, node: start_box) -> None:
    """Close it."""
    translator.body.append("</aside>\n")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the extension."""
    app.add_node(start_box, html=(visit_start, depart_start))
    app.add_node(minutes_of)
    app.add_directive("at-the-start", AtTheStart)
    app.add_directive("reading-path", ReadingPath)
    app.add_directive("symbols", Symbols)
    app.setup_extension("book._ext.ledger.extension")
    app.connect("doctree-read", fold_proofs, priority=400)
    app.connect("doctree-read", measure)
    app.connect("doctree-read", link_symbols, priority=600)  # then punctuation is joined
    app.connect("doctree-resolved", _say_minutes)
    app.connect("env-updated", _paths_again)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
