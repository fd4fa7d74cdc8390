"""Permanent tags: a short address for every claim, result, erratum, figure and exercise.

``claims/tags.txt`` only grows. Its lines are of two kinds::

    0001 7c3e thm-3                      the tag of something
    ---- 91b0 prop-3 -> prop-3-general   what is gone, and what replaces it

Tags are numbered in the order of the lines. The second column depends on all lines before it, which
reveals a line that was changed, moved or removed. The directive ``tags-table`` has a row for each
tag: its anchor is the tag, and its link leads to the place.

``python -m book._ext.ledger.tags`` tags what has no tag; ``retire prop-3 prop-3-general`` replaces.
"""

from __future__ import annotations

import argparse
import hashlib
import html
import posixpath
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.util.docutils import SphinxDirective
from sphinx_exercise.nodes import is_exercise_node
from sphinx_proof.nodes import unenumerable_node

import pkdp
from book._ext.claims import Ledger, load
from book._ext.ledger.entries import page_of, whole

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

ROOT = Path(__file__).resolve().parents[3]
FILE = "tags.txt"
PAGE = "book/tags"  # has the table
DIGITS = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # no I and no O, which look like 1 and 0
_GONE = "----"

_FIGURE = re.compile(r"^```\{figure-source\} (\S+)", re.MULTILINE)
_EXERCISE = re.compile(r"^[`:]{3,}\{exercise(?:-start)?\} *(.*)\n:label: *(\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Place:
    """Where something is: a page, as the ledger names it, and an anchor there."""

    page: str
    anchor: str
    title: str


@dataclass(frozen=True)
class Tags:
    """What the file says."""

    by_name: Mapping[str, str]  # the tag of everything that ever had one
    replaced: Mapping[str, str]  # from what is gone to its replacement

    def alive(self, name: str) -> str:
        """Return the name itself, or what replaced it in the end."""
        while name in self.replaced:
            name = self.replaced[name]
        return name


def places(ledger: Ledger, book: Path) -> dict[str, Place]:
    """Return all that has to have a tag, in the order of the ledger and of the pages' sources."""
    found = {entry.id: Place(entry.page, entry.id, entry.title) for entry in ledger.entries}
    for claim in ledger.claims:
        if claim.severity is not None:
            name = f"erratum-{claim.id}"
            found[name] = Place("errata", name, f"{claim.title}: erratum")
    for file in sorted(book.rglob("*.md")):
        page = file.relative_to(book).with_suffix("").as_posix()
        text = file.read_text(encoding="utf-8")
        for name in _FIGURE.findall(text):
            anchor = f"figure-source-{name.replace('/', '-')}"
            found.setdefault(f"figure-{name}", Place(page, anchor, f"Figure {name}"))
        for title, name in _EXERCISE.findall(text):
            words = re.sub(r" \([^()]*\)$", "", title)  # without its level
            found[name] = Place(page, name, f"Exercise: {words}" if words else "Exercise")
    return found


def read(file: Path) -> Tags:
    """Read the file of tags; none if there is no file.

    Raises ValueError if a line was changed, moved or taken out, or a name occurs twice.
    """
    by_name: dict[str, str] = {}
    replaced: dict[str, str] = {}
    check = ""
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    for number, line in enumerate(lines, start=1):
        tag, _, rest = line.partition(" ")
        _, _, said = rest.partition(" ")
        name, arrow, target = said.partition(" -> ")
        check = _check(check, tag, said)
        if line != f"{tag} {check} {said}":
            raise ValueError(
                f"{file.name}, line {number}: lines are added at the end and never changed, and "
                f"here or before something was: {line!r}"
            )
        if arrow:
            if tag != _GONE or name not in by_name or name in replaced or target not in by_name:
                raise ValueError(
                    f"{file.name}, line {number}: must retire a name once, got {said!r}"
                )
            replaced[name] = target
        else:
            if name in by_name:
                raise ValueError(f"{file.name}, line {number}: {name} has a tag already")
            if tag != _tag(len(by_name) + 1):
                raise ValueError(
                    f"{file.name}, line {number}: must have the tag {_tag(len(by_name) + 1)}"
                )
            by_name[name] = tag
    return Tags(by_name, replaced)


def problems(tags: Tags, needed: Iterable[str]) -> tuple[str, ...]:
    """Say what has no tag, and what has one and is gone without a replacement."""
    names = set(needed)
    said = [
        f"{name} has no tag: python -m book._ext.ledger.tags" for name in names - set(tags.by_name)
    ]
    said += [
        f"{name} has a tag and is gone: python -m book._ext.ledger.tags retire {name} NEW"
        for name in tags.by_name
        if tags.alive(name) not in names
    ]
    back = names & set(tags.replaced)
    said += [f"{name} was retired, and is back: choose another name" for name in back]
    return tuple(sorted(said))


def add(file: Path, names: Iterable[str]) -> list[str]:
    """Give a tag to each name that has none; return these names."""
    known = read(file).by_name
    new = [name for name in names if name not in known]
    _append(file, [(_tag(len(known) + number), name) for number, name in enumerate(new, start=1)])
    return new


def retire(file: Path, name: str, target: str) -> None:
    """Lead a name that is gone to what replaced it.

    Raises ValueError if one of them has no tag, or the first is retired already.
    """
    tags = read(file)
    for one in (name, target):
        if one not in tags.by_name:
            raise ValueError(f"{one} has no tag")
    if name in tags.replaced or tags.alive(target) == name:
        raise ValueError(f"{name} must not be retired twice, nor lead back to itself")
    _append(file, [(_GONE, f"{name} -> {target}")])


def _append(file: Path, entries: Sequence[tuple[str, str]]) -> None:
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    check = text.splitlines()[-1].split(" ")[1] if text else ""
    for tag, said in entries:
        check = _check(check, tag, said)
        text += f"{tag} {check} {said}\n"
    file.write_text(text, encoding="utf-8")


def _check(before: str, tag: str, said: str) -> str:
    return hashlib.sha256(f"{before} {tag} {said}".encode()).hexdigest()[:4]


def _tag(number: int) -> str:
    """Return the tag of this number, counted from 1.

    Examples
    --------
    >>> _tag(1), _tag(34), _tag(34**2)
    ('0001', '0010', '0100')
    """
    digits = ""
    for _ in range(4):
        number, digit = divmod(number, len(DIGITS))
        digits = DIGITS[digit] + digits
    return digits


# --------------------------------------------------------------------------------------------
# In the book
# --------------------------------------------------------------------------------------------


def permalink(app: Sphinx, docname: str, name: str) -> nodes.reference | None:
    """Return a link that shows the tag of something, None if it has none.

    Its title, which is seen on it and read aloud, is a line to cite.
    """
    found: dict[str, str] = app.config.tags_by_name
    if name not in found:
        return None
    tag, place = found[name], app.config.tags_places[name]
    uri = f"{posixpath.relpath(f'{PAGE}.html', posixpath.dirname(docname) or '.')}#{tag}"
    cite = f'Permanent address. To cite: "{place.title}", pkdp {pkdp.__version__}, tag {tag}'
    return nodes.reference("", tag, refuri=uri, internal=True, reftitle=cite, classes=["tag"])


def _read_tags(app: Sphinx, config: object) -> None:
    folder = Path(app.confdir, app.config.ledger_folder)
    tags = read(folder / FILE)
    found = places(whole(app.config), Path(app.confdir, "book"))
    app.config.tags_places = found
    app.config.tags_by_name = {name: tags.by_name[name] for name in found if name in tags.by_name}


def _show(app: Sphinx, document: nodes.document) -> None:
    """Put its tag beside each statement, exercise and figure of a page."""
    page = app.env.docname
    for statement in list(document.findall(unenumerable_node)):
        for name in statement["ids"]:
            if link := permalink(app, page, name):
                statement[0] += [nodes.Text(" "), link]
                break
    for exercise in list(document.findall(is_exercise_node)):
        if link := permalink(app, page, exercise.get("label", "")):
            exercise[0] += [nodes.Text(" "), link]
    for card in list(document.findall(nodes.container)):
        name = card.get("entry") or next(iter(card["ids"]), "")
        if link := permalink(app, page, name):
            card[0] += [nodes.Text(" "), link]
    for line in list(document.findall(nodes.paragraph)):
        if link := permalink(app, page, f"figure-{line.get('figure')}"):
            line += [nodes.Text(" "), link]


class TagsTable(SphinxDirective):
    """A row for each tag, with its name and a link to what has it now."""

    def run(self) -> list[nodes.Node]:
        """Write the table as HTML, since a thousand rows of nodes take seconds."""
        known = read(Path(self.env.srcdir, self.config.ledger_folder, FILE))
        docnames = {page_of(name): name for name in self.env.found_docs}
        here = posixpath.dirname(self.env.docname)
        rows = ""
        for name, tag in known.by_name.items():
            place = self.config.tags_places[known.alive(name)]
            target = posixpath.relpath(f"{docnames[place.page]}.html#{place.anchor}", here)
            link = f'<a href="{html.escape(target)}">{html.escape(place.title)}</a>'
            rows += f'<tr id="{tag}"><td>{tag}</td><td>{link}</td></tr>\n'
        head = "<thead><tr><th>Tag</th><th>Leads to</th></tr></thead>"
        table = f'<table class="tags-table">{head}<tbody>\n{rows}</tbody></table>'
        return [nodes.raw("", table, format="html")]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the extension."""
    app.setup_extension("book._ext.ledger.extension")
    app.add_config_value("tags_by_name", {}, "env", types=(dict,))
    app.add_config_value("tags_places", {}, "", types=(dict,))
    # After the ledger was read, and after the anchors were settled.
    app.connect("config-inited", _read_tags, priority=600)
    app.connect("doctree-read", _show, priority=600)
    app.add_directive("tags-table", TagsTable)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 1 if something is wrong with the tags."""
    parser = argparse.ArgumentParser(description="Give a tag to what has none.")
    parser.add_argument("--root", default=str(ROOT), help="folder of the project")
    commands = parser.add_subparsers(dest="command", metavar="retire")
    retiring = commands.add_parser("retire", help="lead what is gone to what replaced it")
    retiring.add_argument("old")
    retiring.add_argument("new")
    given = parser.parse_args(arguments)
    root = Path(given.root)
    file = root / "claims" / FILE
    try:
        if given.command:
            retire(file, given.old, given.new)
            return 0
        needed = places(load(root / "claims"), root / "book")
        added = add(file, needed)
        given_tags = read(file).by_name
        for name in added:
            print(f"{given_tags[name]} {name}")
        wrong = problems(read(file), needed)
    except ValueError as error:
        wrong = (str(error),)
    for problem in wrong:
        print(problem, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
