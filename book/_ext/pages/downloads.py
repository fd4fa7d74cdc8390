"""Notebooks as they are downloaded: their text is plain Markdown, which Jupyter shows as meant.

The pages are written with directives and roles, of which Jupyter knows nothing. In the notebooks
that the built book offers, theorems and exercises have headings, solutions are folded, claims have
their verdicts and references their names; a first cell says where the page comes from and how to
get the library. Outputs are kept as plain text, since drawings would take two thirds of the space.
"""

from __future__ import annotations

import html
import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pkdp
from book._ext.ledger.entries import STATUS_WORDS, WORDS, machine_proofs
from book._ext.parts import once_built

if TYPE_CHECKING:
    from sphinx.application import Sphinx

# The first cell: where the page comes from, and how to get the library.
FIRST = """\
*This notebook is a page of "{title}". To run it, get the library `pkdp`, version {version}, in \
the folder of the project:*

`make book && .venv/bin/python -m ipykernel install --user --name pkdp`

*Figures appear as their cells are run.*"""

_FENCE = re.compile(r"( *)(`{3,}|:{3,})(?:\{([\w:-]+)\})? *(.*)")
_OPTION = re.compile(r" *:[\w-]+:( .*)?$")
_ROLE = re.compile(r"\{([\w:-]+)\}`([^`]+)`")
_TARGET = re.compile(r"\(([\w-]+)\)= *")
_START = re.compile(r"^(`{3,})\{solution-start\} *(.*)\n(?::.*\n)*\1 *$", re.MULTILINE)
_END = re.compile(r"^(`{3,})\{solution-end\} *\n\1 *$", re.MULTILINE)
_EMPTY = re.compile(r"^:{6}\{dropdown\}.*\n\s*:{6}$", re.MULTILINE)
_EQUATION = re.compile(r"\$\$ \(([\w-]+)\) *")

# What a statement is called; the text of a proof, an exercise or a box follows its own heading.
_STATEMENTS = re.compile(r"prf:(?!proof)(\w+)")


@dataclass(frozen=True)
class Plain:
    """Turns the text of a page into plain Markdown."""

    verdicts: Mapping[str, str]  # what is said of each claim, by its id
    references: Mapping[str, str]  # the label of each reference, "Warner, 1965", by its key
    # What a machine proved of a claim or a result, by its id.
    theorems: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def text(self, source: str, numbers: Mapping[str, int] | None = None) -> str:
        r"""Return the text of a cell, with the equations of its page numbered as given.

        Examples
        --------
        >>> plain = Plain({"thm-3": "fails as printed"}, {"warner1965": "Warner, 1965"})
        >>> print(plain.text("A {term}`count` {cite:p}`warner1965` {claim}`is safe <thm-3>`."))
        A count (Warner, 1965) is safe *[fails as printed]*.
        >>> print(plain.text("{cite:t}`warner1965` has {term}`noise <Gaussian noise>`."))
        Warner (1965) has noise.
        """
        # A role may go on in the next line.
        whole = _ROLE.sub(lambda role: role[0].replace("\n", " "), source)
        return "\n".join(self._lines(whole.splitlines(), numbers or {})).strip("\n")

    def _lines(self, lines: list[str], numbers: Mapping[str, int]) -> Iterator[str]:
        at = 0
        while at < len(lines):
            line = lines[at]
            at += 1
            fence = _FENCE.fullmatch(line)
            if fence is None:
                if not _TARGET.fullmatch(line):
                    yield self._line(line, numbers)
                continue
            indent, marks, name, rest = fence.groups()
            closing = re.compile(rf" *{marks[0]}{{{len(marks)},}} *")
            inside = []
            while at < len(lines) and not closing.fullmatch(lines[at]):
                inside.append(lines[at].removeprefix(indent))
                at += 1
            at += 1
            if name is None:  # code
                yield from (line, *(indent + one for one in inside), indent + marks)
                continue
            while inside and (_OPTION.fullmatch(inside[0]) or not inside[0].strip()):
                inside.pop(0)
            body = list(self._lines(inside, numbers))
            title = self._line(rest, numbers)
            yield from (indent + one for one in self._directive(name, title, rest, body))

    def _directive(self, name: str, title: str, given: str, body: list[str]) -> list[str]:
        if statement := _STATEMENTS.fullmatch(name):
            kind = statement[1].capitalize()
            return [f"**{kind} ({title}).**" if title else f"**{kind}.**", "", *body]
        if name == "prf:proof":
            return ["*Proof.*", "", *body]
        if name == "exercise":
            return [f"**Exercise: {title}**", "", *body]
        if name in ("solution", "hint", "dropdown"):
            heading = html.escape(title) if name == "dropdown" else name.capitalize()
            return [f"<details><summary>{heading}</summary>", "", *body, "", "</details>"]
        if name == "figure-source":
            return [f"`python -m pkdp figure {given}`"]
        if name == "machine-proof":
            theorems = [f"`{one}`" for entry in given.split() for one in self.theorems[entry]]
            return [f"*Checked by machine:* {', '.join(theorems)}"]
        if name == "at-the-start":
            return ["**After this page you can**", "", *body]
        if name == "symbols":
            return list(_symbols(body))
        if name == "explore":
            return ["*(The page in the book has a figure here that moves.)*"]
        heading = title or name.replace("-", " ").capitalize()
        shown = name in ("admonition", "card", "grid-item-card", "note", "warning", "tip")
        return ([f"**{heading}**", ""] if shown else []) + body

    def _line(self, line: str, numbers: Mapping[str, int]) -> str:
        if equation := _EQUATION.fullmatch(line):
            return f"\\tag{{{numbers[equation[1]]}}}\n$$" if equation[1] in numbers else "$$"
        return _ROLE.sub(lambda role: self._role(role[1], role[2], numbers), line)

    def _role(self, role: str, text: str, numbers: Mapping[str, int]) -> str:
        if role == "claim":
            words, _, name = text.rpartition(" <")
            return f"{words} *[{self.verdicts[name.removesuffix('>')]}]*"
        if role == "status":
            return f"*[{WORDS[text]}]*"
        if role.startswith("cite:"):
            names = [self.references[key.strip()] for key in text.split(",")]
            if role == "cite:t":
                return " and ".join(re.sub(r", (\w+)$", r" (\1)", name) for name in names)
            return f"({'; '.join(names)})"
        if role == "eq":
            return f"({numbers[text]})"
        return re.sub(r"\s*<[^<>]*>$", "", text)


def _symbols(body: list[str]) -> Iterator[str]:
    """Yield the symbols that a page explains by itself; the others are in the notation."""
    yield "**Symbols on this page**, beside those of the book's notation:"
    yield ""
    found = False
    for symbol, meaning in itertools.pairwise(body):
        if meaning.startswith(":"):
            found = True
            yield f"- {symbol}: {meaning.removeprefix(':').strip()}"
    if not found:
        yield "none."


def _close_solutions(cells: list[dict[str, Any]]) -> None:
    """Fold solutions that go over several cells, each part by itself.

    A solution with cells of code stands between two directives, its start and its end. Its text is
    folded in each cell of text, and its cells of code are closed, as far as Jupyter knows of that.
    """
    inside = False
    for cell in cells:
        if cell["cell_type"] != "markdown":
            if inside:
                closed = {"source_hidden": True, "outputs_hidden": True}
                cell["metadata"] = {**cell["metadata"], "jupyter": closed}
            continue
        text, inside = _gates_closed("".join(cell["source"]), inside)
        cell["source"] = text.splitlines(keepends=True)


def _gates_closed(text: str, inside: bool) -> tuple[str, bool]:
    r"""Return the text of a cell, each part of a solution in a directive, and whether one goes on.

    Examples
    --------
    >>> _gates_closed("```{solution-start} a\n:class: dropdown\n```\nOne.", False)
    ('::::::{solution} a\nOne.\n::::::', True)
    >>> _gates_closed("Two.\n```{solution-end}\n```\nAfter.", True)
    ('::::::{dropdown} Solution, continued\nTwo.\n::::::\nAfter.', False)
    """
    fold = "::::::"
    if inside:
        text = f"{fold}{{dropdown}} Solution, continued\n{text}"
    text = _START.sub(rf"{fold}{{solution}} \2", text)
    text, ends = _END.subn(fold, text)
    text = _EMPTY.sub("", text)
    starts = text.count(f"{fold}{{solution}}")
    inside = inside + starts > ends
    return (f"{text}\n{fold}" if inside else text), inside


def _without_html(output: Mapping[str, Any]) -> dict[str, Any]:
    """Return an output as the plain text that Jupyter shows where there is nothing else."""
    data = {kind: shown for kind, shown in output.get("data", {}).items() if kind != "text/html"}
    return {**output, "data": data} if data else dict(output)


def notebook(source: Mapping[str, Any], plain: Plain, first: str) -> dict[str, Any]:
    """Return a notebook with plain text and a cell in front of it."""
    cells = [dict(cell) for cell in source["cells"]]
    for cell in cells:
        if cell["cell_type"] == "code":
            cell["outputs"] = [_without_html(output) for output in cell["outputs"]]
    _close_solutions(cells)
    texts = [cell for cell in cells if cell["cell_type"] == "markdown"]
    labels = [
        found[1]
        for cell in texts
        for line in "".join(cell["source"]).splitlines()
        if (found := _EQUATION.fullmatch(line))
    ]
    numbers = {label: number for number, label in enumerate(labels, 1)}
    for cell in texts:
        cell["source"] = plain.text("".join(cell["source"]), numbers).splitlines(keepends=True)
    start = {"cell_type": "markdown", "id": "get-pkdp", "metadata": {}}
    # Saving a copy must not look for the page's own text.
    metadata = {name: value for name, value in source["metadata"].items() if name != "jupytext"}
    first_of_all = start | {"source": first.splitlines(keepends=True)}
    return {**source, "metadata": metadata, "cells": [first_of_all, *cells]}


def _write(app: Sphinx) -> None:
    """Replace the notebooks that the book offers, each made from its page."""
    plain = Plain(
        {name: STATUS_WORDS[claim.status] for name, claim in app.config.ledger_claims.items()},
        {one.key: one.formatted_entry.label for one in app.env.domaindata["cite"]["citations"]},
        {
            entry.id: [one for theorems in machine_proofs(entry).values() for one in theorems]
            for entry in app.config.ledger.entries
        },
    )
    first = FIRST.format(title=app.config.html_title, version=pkdp.__version__)
    for page in app.env.found_docs:
        source = Path(app.srcdir, f"{page}.ipynb")
        target = Path(app.outdir, "_sources", f"{page}.ipynb")
        if source.exists() and target.exists():
            given = json.loads(source.read_text(encoding="utf-8"))
            made = notebook(given, plain, first)
            small = json.dumps(made, ensure_ascii=False, separators=(",", ":"))
            target.write_text(small + "\n", encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the rewriting of the notebooks."""
    once_built(app, _write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
