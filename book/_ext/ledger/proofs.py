"""Machine-checked statements on the page: in the words of Coq, folded under the proof.

``{machine-proof} thm-5 prop-6`` shows, in one fold, the Coq theorems among the evidence of claims
and results. Each has its meaning in English, from the comment before it; the statement, with the
variables and hypotheses of its section and with what it refutes; links to the definitions it uses;
and a link to its file.
``{coq-definitions}`` shows all definitions that these boxes link to.
All of this is read from the files, without Coq; they are published in ``_proofs/``.
"""

from __future__ import annotations

import posixpath
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from book._ext.claims import Claim, Result
from book._ext.coq import statements as coq
from book._ext.ledger.entries import coq_box_of, machine_proofs
from book._ext.parts import dropdown, once_built

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

PUBLISHED = "_proofs"
TITLE = "Checked by machine"
DEFINITIONS = "book/coq-definitions"  # the page with the directive of that name
CHECKS, HOW_TO_READ = "book/checks", "reading-coq"  # where the language is explained

_BRACKETS = str.maketrans("⟦⟧", "[]")
logger = logging.getLogger(__name__)


class MachineProof(SphinxDirective):
    """``{machine-proof} ID …`` shows what Coq proved of claims and results."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return the folded box; or nothing, with a warning, if there is nothing to show."""
        ledger = self.config.ledger_claims | self.config.ledger_results
        inside: list[nodes.Node] = []
        titles = []
        for name in self.arguments[0].split():
            entry = ledger.get(name)
            if entry is None or not machine_proofs(entry):
                logger.warning(
                    "machine-proof: the ledger has no theorem of %s/ for %r",
                    coq.FOLDER,
                    name,
                    location=self.get_location(),
                )
                continue
            titles.append(entry.title)
            # The id is inside, so that a browser opens the fold for who follows a link to it.
            inside.append(nodes.container("", *self.of(entry), ids=[coq_box_of(entry)]))
        if len(titles) > 1:
            for box, title in zip(inside, titles, strict=True):
                box.insert(0, nodes.rubric("", title))
        if not inside:
            return []
        return [dropdown(f"{TITLE}: {'; '.join(titles)}", inside, "machine-proof")]

    def of(self, entry: Claim | Result) -> list[nodes.Node]:
        """Return the theorems of an entry, and links to the definitions behind them."""
        proofs = coq.read(Path(self.env.srcdir))
        for file in proofs.files:
            self.env.note_dependency(str(Path(self.env.srcdir, coq.FOLDER, file)))
        inside: list[nodes.Node] = []
        definitions: dict[tuple[str, int], coq.Declaration] = {}
        for words, theorems in machine_proofs(entry).items():
            if words:
                inside.append(nodes.paragraph("", "", nodes.emphasis("", f"{words}:")))
            for theorem in theorems:
                try:
                    inside += self.shown(proofs, theorem, definitions)
                except coq.CoqError as error:
                    logger.warning(
                        "machine-proof: %s %s", theorem, error, location=self.get_location()
                    )
        return [*inside, self.links(definitions.values())]

    def shown(
        self,
        proofs: coq.Proofs,
        theorem: str,
        definitions: dict[tuple[str, int], coq.Declaration],
    ) -> Iterator[nodes.Node]:
        """Yield a theorem, in English, in Coq, and where it is; keep what it rests on for later."""
        declared = proofs.theorem(theorem)
        refuted, needed = behind(proofs, declared)
        yield from prose(declared.sentence.doc)
        shown = [*visible(declared), *(one.sentence for one in refuted), declared.sentence]
        code = "\n".join(one.code for one in shown)
        yield nodes.literal_block("", code, language="coq", theorem=theorem)
        definitions |= {(one.file, one.place): one for one in needed}
        yield self.where(declared)

    def where(self, declared: coq.Declaration) -> nodes.paragraph:
        """Return the line that says where the proof is, and what it assumes."""
        path = f"{coq.FOLDER}/{declared.file}"
        here = posixpath.dirname(self.env.docname) or "."
        uri = posixpath.relpath(f"{PUBLISHED}/{declared.file}.txt", here)
        text = nodes.Text(f", line {declared.sentence.line}. No axioms: ")
        link = nodes.reference("", "the file", refuri=uri)
        return nodes.paragraph(
            "", "", nodes.literal("", path), text, link, nodes.Text("."), classes=["claim-place"]
        )

    def links(self, definitions: Iterable[coq.Declaration]) -> nodes.paragraph:
        """Return the line that leads to the definitions behind the theorems of a box."""
        line = nodes.paragraph("", "Definitions: ", classes=["claim-place"])
        for one in definitions:
            line += self.link(DEFINITIONS, anchor(one), nodes.literal("", one.name))
            line += nodes.Text(", ")
        line[-1] = nodes.Text(". ")
        line += self.link(CHECKS, HOW_TO_READ, nodes.inline("", "How to read this"))
        return line

    def link(self, page: str, target: str, words: nodes.TextElement) -> nodes.reference:
        """Return a link to a place on another page."""
        uri = self.env.app.builder.get_relative_uri(self.env.docname, page)
        return nodes.reference("", "", words, refuri=f"{uri}#{target}")


class CoqDefinitions(SphinxDirective):
    """``{coq-definitions}`` shows the definitions behind all theorems of the ledger, by file."""

    def run(self) -> list[nodes.Node]:
        """Return a section for each file."""
        proofs = coq.read(Path(self.env.srcdir))
        entries = [*self.config.ledger_claims.values(), *self.config.ledger_results.values()]
        theorems = [
            one for entry in entries for part in machine_proofs(entry).values() for one in part
        ]
        found: dict[tuple[str, int], coq.Declaration] = {}
        for theorem in theorems:
            needed = behind(proofs, proofs.theorem(theorem))[1]
            found |= {(one.file, one.place): one for one in needed}
        sections = {}
        for file, place in sorted(found):
            self.env.note_dependency(str(Path(self.env.srcdir, coq.FOLDER, file)))
            if file not in sections:
                name = f"coq-{Path(file).stem}"
                sections[file] = nodes.section("", nodes.title("", file), ids=[name], names=[name])
            one = found[file, place]
            code = nodes.literal_block("", commented(one), language="none")
            sections[file] += nodes.container("", code, ids=[anchor(one)])
        return list(sections.values())


def behind(
    proofs: coq.Proofs, theorem: coq.Declaration
) -> tuple[list[coq.Declaration], list[coq.Declaration]]:
    """Return the statements that a theorem refutes, and the definitions behind both."""
    needed = [one for one in proofs.definitions(theorem) if one.names]
    refuted = [one for one in needed if one.name in negated(theorem)]
    return refuted, [one for one in needed if one not in refuted]


def anchor(declared: coq.Declaration) -> str:
    """Return the id of a definition on the page of definitions."""
    return f"coq-{Path(declared.file).stem}-{declared.place}"


def visible(declared: coq.Declaration) -> list[coq.Sentence]:
    """Return of what a theorem holds under what its reader needs: no types of absent letters."""
    names = set(declared.sentence.mentioned)
    return [
        one
        for one in declared.bound
        if one.head[0] != "Implicit" or names & coq.declared_names(one)
    ]


def commented(declared: coq.Declaration) -> str:
    """Return a definition under its comment, with the variables that it has from its section."""
    doc = [f"(* {declared.sentence.doc} *)"] if declared.sentence.doc else []
    return "\n".join([*doc, *(one.code for one in (*visible(declared), declared.sentence))])


def negated(declared: coq.Declaration) -> set[str]:
    """Return the names of the statements that a theorem refutes: ``~ prop_4``."""
    return set(re.findall(r"~ ([A-Za-z_][\w']*)(?=\s*(?:[],.&)]|/\\))", declared.sentence.code))


def prose(doc: str) -> Iterator[nodes.Element]:
    r"""Yield a comment as paragraphs and lists, with code in brackets.

    Examples
    --------
    >>> [str(one) for one in prose("The list [[:: x]] is\nnot [P]:\n- it is\n  long.\n\nNor P[x].")]
    ... # doctest: +NORMALIZE_WHITESPACE
    ['<paragraph>The list <literal>[:: x]</literal> is not <literal>P</literal>:</paragraph>',
    '<bullet_list><list_item><paragraph>it is long.</paragraph></list_item></bullet_list>',
    '<paragraph>Nor P[x].</paragraph>']
    """
    for part in doc.strip().split("\n\n"):
        first, *items = re.split(r"^- ", part, flags=re.MULTILINE)
        if first.strip():
            yield _paragraph(first)
        if items:
            yield nodes.bullet_list("", *(nodes.list_item("", _paragraph(one)) for one in items))


def _paragraph(text: str) -> nodes.paragraph:
    """Return a paragraph, with ``[code]`` as code; the brackets of ``P[S = k]`` are brackets."""
    text = re.sub(r"(?<=\w)\[([^][]*)\]", "⟦\\1⟧", " ".join(text.split()))
    found = nodes.paragraph()
    depth, start = 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "[") - (letter == "]")
        if (letter, depth) in (("[", 1), ("]", 0)):
            kind = nodes.Text if letter == "[" else _code
            found += kind(text[start:place].translate(_BRACKETS))
            start = place + 1
    found += nodes.Text(text[start:].translate(_BRACKETS))
    return found


def _code(text: str) -> nodes.literal:
    return nodes.literal("", text)


def publish(app: Sphinx) -> None:
    """Copy the files into the built book; as texts, which a browser shows."""
    folder = Path(app.outdir, PUBLISHED)
    shutil.rmtree(folder, ignore_errors=True)
    for path in sorted(Path(app.srcdir, coq.FOLDER).glob("*.v")):
        folder.mkdir(exist_ok=True)
        shutil.copyfile(path, folder / f"{path.name}.txt")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directives and the publishing of the files."""
    app.setup_extension("book._ext.ledger.extension")
    app.add_directive("machine-proof", MachineProof)
    app.add_directive("coq-definitions", CoqDefinitions)
    once_built(app, publish)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
