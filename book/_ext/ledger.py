"""The ledger on the page: badges, the cards of claims, their overview, the errata, our results.

- The role ``{claim}`thm-3` `` shows the verdict as a badge that links to the claim's card. On the
  claim's own page it also sets the anchor ``#thm-3``, unless something there has it.
- The role ``{status}`fails` `` shows the badge of a status without a claim or a result.
- The directive ``claim-cards`` shows the claims and the results of a page in full; without a page,
  those of all pages.
- The directives ``claims-overview`` and ``results-overview`` list them with a line for each that
  leads to its card; given a paper, the claims of that paper's pages.
- The directive ``claims-filter`` is where a script offers to filter and search what the page lists.
- The directive ``claims-summary`` counts the entries, and says which versions of the sources were
  read; ``claims-methods`` counts how they were checked.
- The directive ``errata`` has a card for each claim that is not right as printed, the gravest first
  and then by importance; given a severity, for what is of that severity. An erratum that follows
  from another stands in the other's card. The directive ``errata-list`` names them, and
  ``errata-versions`` says which versions of their sources were read.
- The directive ``findings`` tells in short what a user of the main paper must know, and
  ``numbered-items`` has the verdict on each of its numbered items.

The texts of the ledger are MyST, with formulas and citations. The ledger is a configuration value,
so that Sphinx reads the pages again when it changes.

Numbered items stand under the source's own numbers: ``{prf:theorem} Theorem 3`` with
``:nonumber:`` renders its title as it stands, and a figure's caption its text.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TypeVar

import rests
from coq import is_proof
from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.domains.std import StandardDomain
from sphinx.environment import BuildEnvironment
from sphinx.errors import ConfigError
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator
from sphinx_design.shared import create_component
from sphinx_proof.nodes import proof_node, unenumerable_node

from claims import (
    METHODS,
    SEVERITIES,
    STATUSES,
    Claim,
    Finding,
    Ledger,
    Result,
    Tried,
    by_importance,
    kind_of,
    load,
)

logger = logging.getLogger(__name__)

Entry = TypeVar("Entry", Claim, Result)

STATUS_WORDS = {
    "holds": "holds",
    "side-condition": "holds with a side condition",
    "needs-condition": "needs a condition",
    "misprint": "misprint",
    "fails": "fails as printed",
    "definition": "definition",
    "open": "open",
    "unavailable": "not judged",
}
METHOD_WORDS = {
    "proof": "By proof",
    "exact": "By exact computation",
    "numeric": "By numerical computation",
    "machine": "By a machine-checked proof",
}
SEVERITY_WORDS = {
    "guarantee": "a guarantee",
    "constant": "a number",
    "proof": "a proof",
    "wording": "the wording",
}
RESULT_WORDS = {"proved": "proved here", "conjecture": "conjecture"}
WORDS = STATUS_WORDS | RESULT_WORDS
# The kinds of items that papers number, as headings of lists.
NUMBERED = {
    "thm": "Theorems",
    "prop": "Propositions",
    "cor": "Corollaries",
    "lem": "Lemmas",
    "ex": "Examples",
    "fig": "Figures",
    "def": "Definitions",
}
_SECTION = re.compile(r"(?:\d+-)*")  # the beginning of a page's name
FILTER = "claims-filter"


def page_of(docname: str) -> str:
    """Return a page as the ledger names it: within its paper's folder."""
    return docname.removeprefix("notebooks/").removeprefix("book/")


def whole(config: Config) -> Ledger:
    """Return the claims and the results as they were read, together."""
    return Ledger(tuple(config.ledger_claims.values()), tuple(config.ledger_results.values()))


def card_of(entry: Claim | Result) -> str:
    """Return the id of an entry's card, and of its row in the overview."""
    return f"ledger-{entry.id}" if isinstance(entry, Claim) else f"own-{entry.id}"


def folded(summary: str, inside: Iterable[nodes.Node], kind: str = "") -> list[nodes.Node]:
    """Return nodes between the ends of a folded part of the page.

    Parameters
    ----------
    summary : str
        The line that is always seen, as HTML.
    inside : iterable of nodes
    kind : str
        Classes of the part. What is ``beside`` the text, such as code and checks, stays folded on
        paper, where all else is opened.

    Examples
    --------
    >>> [node.astext() for node in folded("More", [nodes.Text("text")], "beside")]
    ['<details class="beside"><summary>More</summary>', 'text', '</details>']
    """
    classes = f' class="{kind}"' if kind else ""
    return [
        nodes.raw("", f"<details{classes}><summary>{summary}</summary>", format="html"),
        *inside,
        nodes.raw("", "</details>", format="html"),
    ]


def dropdown(title: str, inside: Iterable[nodes.Node], *classes: str) -> nodes.Element:
    """Return what the directive of that name makes."""
    box: nodes.Element = create_component(
        "dropdown",
        children=[nodes.rubric("", title), *inside],
        type="dropdown",
        has_title=True,
        opened=False,
        icon=None,
        chevron=None,
        container_classes=["sd-mb-3", *classes],
        title_classes=[],
        body_classes=[],
    )
    return box


class ClaimRole(SphinxRole):
    """The verdict on one claim, as a badge."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the badge, or a warning if the ledger has no such claim."""
        claims: Mapping[str, Claim] = self.config.ledger_claims
        claim = claims.get(self.text)
        if claim is None:
            logger.warning("no claim %r in the ledger", self.text, location=self.get_location())
            return [nodes.literal(self.text, self.text)], []
        badge = _badge(claim, self.env.docname)
        if page_of(self.env.docname) == claim.page:
            badge["claim"] = claim.id
        return [badge], []


class StatusRole(SphinxRole):
    """One of the statuses, as a badge that stands for no claim in particular."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the badge, or a warning if there is no such status."""
        if self.text not in WORDS:
            allowed = ", ".join(WORDS)
            logger.warning(
                "status must be one of %s, got %r", allowed, self.text, location=self.get_location()
            )
            return [nodes.literal(self.text, self.text)], []
        return [_status(self.text, nodes.Text(WORDS[self.text]))], []


class _LedgerDirective(SphinxDirective):
    """Turns the texts of the ledger into nodes of the page."""

    def parse(self, entry: Claim | Result, text: str) -> list[nodes.Node]:
        """Parse a text of the ledger as a part of the page."""
        parent = nodes.container()
        lines = StringList(text.splitlines(), source=f"{entry.page}, {entry.id}")
        self.state.nested_parse(lines, 0, parent)
        return list(parent.children)

    def heading(self, claim: Claim, badge: nodes.Node) -> list[nodes.Node]:
        """Return the claim's name, linked to its page, its badge, and where the source has it."""
        place = self.parse(claim, f"{claim.where}, {{cite:t}}`{claim.source}`")
        return [
            self.titled(claim, badge),
            nodes.container("", *place, classes=["claim-place"]),
        ]

    def titled(self, entry: Claim | Result, badge: nodes.Node) -> nodes.paragraph:
        """Return an entry's name, linked to its page, and its badge."""
        line = _paragraph(_link(self.env.docname, entry.id, self.named(entry)), *self.of(entry))
        line += [nodes.Text(" "), badge]
        line["classes"].append("claim-name")
        return line

    def of(self, entry: Claim | Result) -> list[nodes.Node]:
        """Return whose the entry is, where its name alone would not say so.

        The book's main source comes first in ``ledger_sources``, and needs no name.
        """
        sources: Mapping[str, str] = self.config.ledger_sources
        if isinstance(entry, Result) or entry.source in list(sources)[:1]:
            return []
        name = sources.get(entry.source, entry.source)
        return [nodes.Text(" "), nodes.inline("", name, classes=["claim-source"])]

    def named(self, entry: Claim | Result) -> str:
        """Return the title of an entry, after its number if it is a result of this book."""
        number = result_names(self.env.app).get(entry.id)
        return f"{number}. {entry.title}" if number else entry.title

    def in_book_order(self, entries: Iterable[Entry]) -> list[Entry]:
        """Return entries as their pages follow each other in the table of contents.

        The ledger is read in the order of its files' names; a book without ``_toc.yml`` keeps it.
        """
        pages = [page_of(name) for name in getattr(self.env, "external_site_map", ())]
        place = {page: number for number, page in enumerate(pages)}
        return sorted(entries, key=lambda entry: place.get(entry.page, len(pages)))

    def claims_in_book_order(self) -> list[Claim]:
        """Return all claims as their pages follow each other in the table of contents."""
        claims: Iterable[Claim] = self.config.ledger_claims.values()
        return self.in_book_order(claims)

    def anchor(self, target: str, entry: Claim | Result) -> str:
        """Make `target`, which is to be an id on this page, a label to link to."""
        _labels(self.env).note_hyperlink_target(target, self.env.docname, target, entry.title)
        return target

    def versions(self, claims: Iterable[Claim]) -> nodes.bullet_list:
        """Return which versions of the sources of claims were read, each once."""
        read = {(claim.source, claim.version_read): claim for claim in claims}
        return nodes.bullet_list(
            "", *(nodes.list_item("", *self.version(claim)) for claim in read.values())
        )

    def version(self, claim: Claim) -> list[nodes.Node]:
        """Return which version of a claim's source was read, and where that is restated later."""
        later = self.config.ledger.restated.get(claim.source, "")
        text = f"{{cite:t}}`{claim.source}`: {claim.version_read}. {later}"
        return self.parse(claim, text)

    def readings(self, claim: Claim) -> nodes.bullet_list:
        """Return the readings that were tried, each with what becomes of it and its evidence."""
        return nodes.bullet_list(
            "", *(self.tried(claim, one) for one in claim.tried), classes=["claim-tried"]
        )

    def tried(self, claim: Claim, one: Tried) -> nodes.list_item:
        """Return one reading as an item of the list."""
        reading = nodes.container(
            "", *self.parse(claim, one.reading), classes=["claim-tried-reading"]
        )
        checks = _fold(_number_of_checks(one.evidence), one.evidence)
        return nodes.list_item("", reading, *self.parse(claim, one.becomes), *checks)


class ClaimsSummary(_LedgerDirective):
    """How many entries the ledger has, and which versions of the sources were read."""

    def run(self) -> list[nodes.Node]:
        """Return a table of totals and a list of versions."""
        claims: Sequence[Claim] = tuple(self.config.ledger_claims.values())
        return [
            self.totals(claims),
            _paragraph(nodes.Text(_roots(claims))),
            _paragraph(nodes.Text("What was read:")),
            self.versions(claims),
        ]

    def totals(self, claims: Sequence[Claim]) -> nodes.table:
        """Return how many claims of each source have which verdict."""
        names: Mapping[str, str] = self.config.ledger_sources
        sources = dict.fromkeys([*names, *(claim.source for claim in claims)])
        counts = Counter((claim.status, claim.source) for claim in claims)
        counts.update((claim.status, "all") for claim in claims)
        counts.update(("all", claim.source) for claim in claims)
        counts["all", "all"] = len(claims)
        columns = (*sources, "all")
        rows = [
            _row(STATUS_WORDS.get(status, status), *(str(counts[status, of]) for of in columns))
            for status in (*STATUSES, "all")
            if counts[status, "all"]
        ]
        head = ("Verdict", *(names.get(of, of) for of in columns))
        return _table(head, rows, "claims-totals")


class ClaimsMethods(_LedgerDirective):
    """How many verdicts, corrections and results were checked in which way."""

    def run(self) -> list[nodes.Node]:
        """Return a table of totals, and a sentence on the theorems that a machine checked."""
        ledger: Ledger = self.config.ledger
        corrections = [claim.correction for claim in ledger.claims if claim.correction]
        columns = (
            Counter(claim.by for claim in ledger.claims if claim.by),
            Counter(correction.by for correction in corrections),
            Counter(result.by for result in ledger.results),
        )
        rows = [
            _row(METHOD_WORDS[method], *(str(column[method]) for column in columns))
            for method in METHODS
        ]
        rows.append(_row("all", *(str(column.total()) for column in columns)))
        head = ("Checked", "Verdicts", "What holds instead", "Results of this book")
        theorems = {one for entry in ledger.entries for one in entry.all_evidence if is_proof(one)}
        files = {one.partition("::")[0] for one in theorems}
        said = (
            f"The machine-checked proofs are those of {len(theorems)} theorems "
            f"in {len(files)} files."
        )
        return [_table(head, rows, "claims-totals claims-methods"), _paragraph(nodes.Text(said))]


class ClaimsFilter(_LedgerDirective):
    """Where the script puts the form that filters and searches what the page lists."""

    def run(self) -> list[nodes.Node]:
        """Return the place of the form, empty where there is no script."""
        return [nodes.container("", classes=[FILTER])]


class ClaimsOverview(_LedgerDirective):
    """A line for each claim, in the order of the book."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the table; of one paper, if its folder is given."""
        claims = self.claims_in_book_order()
        if self.arguments:
            papers = sorted({claim.page.partition("/")[0] for claim in claims})
            paper = directives.choice(self.arguments[0], papers)
            claims = [claim for claim in claims if claim.page.partition("/")[0] == paper]
        return [_table(("Claim", "Verdict", "Where"), map(self.row, claims), "claims-table")]

    def row(self, claim: Claim) -> nodes.row:
        """Return one claim as a row; old addresses lead to it, by its id and by its row's."""
        card = _link(self.env.docname, card_of(claim), claim.title)
        name = _paragraph(nodes.inline("", "", card, ids=[claim.id]), *self.of(claim))
        where = _paragraph(_link(self.env.docname, claim.id, claim.where))
        return _row(name, _paragraph(_badge(claim)), where, ids=[card_of(claim)])


class ResultsOverview(_LedgerDirective):
    """A line for each result of this book, in its order."""

    def run(self) -> list[nodes.Node]:
        """Return the table, or a sentence where there are none."""
        results: Iterable[Result] = self.config.ledger_results.values()
        rows = [self.row(result) for result in self.in_book_order(results)]
        if not rows:
            return [_paragraph(nodes.Text("None so far."))]
        return [_table(("Result", "Status", "Where"), rows, "claims-table")]

    def row(self, result: Result) -> nodes.row:
        """Return one result as a row."""
        name = _paragraph(_link(self.env.docname, card_of(result), self.named(result)))
        badge = _status(result.status, nodes.Text(RESULT_WORDS[result.status]))
        where = _paragraph(_link(self.env.docname, result.id, "statement and proof"))
        return _row(name, _paragraph(badge), where, ids=[card_of(result)])


class ClaimCards(_LedgerDirective):
    """The claims and the results of a page in full, in its order."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return a card for each claim, and then for each result."""
        ledger = [*self.config.ledger_claims.values(), *self.config.ledger_results.values()]
        if self.arguments:
            pages = sorted({entry.page for entry in ledger})
            page = directives.choice(self.arguments[0], pages)
            ledger = [entry for entry in ledger if entry.page == page]
        claims = self.in_book_order(entry for entry in ledger if isinstance(entry, Claim))
        results = self.in_book_order(entry for entry in ledger if isinstance(entry, Result))
        return [*map(self.card, claims), *map(self.result_card, results)]

    def card(self, claim: Claim) -> nodes.container:
        """Return one claim: its words, how they are read, and how it was checked."""
        text = self.parse(claim, claim.says)
        if claim.correction:
            text.append(_paragraph(_link(self.env.docname, _erratum(claim), "What holds instead")))
        elif claim.tried:
            text += [_paragraph(nodes.Text("Tried so far:")), self.readings(claim)]
        elif claim.reading:
            text += self.parse(claim, f"*As read here:* {claim.reading}")
        return self.framed(
            card_of(claim),
            claim,
            self.heading(claim, _badge(claim)),
            [*text, *self.relations(claim), *_check(claim.by, claim.all_evidence)],
        )

    def result_card(self, result: Result) -> nodes.container:
        """Return one result of this book: its words, its support, what is known elsewhere."""
        badge = _status(result.status, nodes.Text(RESULT_WORDS[result.status]))
        text = self.parse(result, result.says)
        text.append(_assumptions(self.env.docname, result))
        text += self.parse(result, f"*Elsewhere:* {result.prior}")
        return self.framed(
            card_of(result),
            result,
            [self.titled(result, badge)],
            [*text, *self.relations(result), *_check(result.by, result.evidence)],
        )

    def framed(
        self,
        target: str,
        entry: Claim | Result,
        heading: list[nodes.Node],
        text: Sequence[nodes.Node],
    ) -> nodes.container:
        """Return a card under its heading, which links to the card itself."""
        permalink = f'<a class="headerlink" href="#{target}" title="Link to this card">#</a>'
        heading[0] += nodes.raw("", permalink, format="html")
        card = nodes.container(
            "", *heading, *text, ids=[self.anchor(target, entry)], classes=["claim-card"]
        )
        card["entry"] = entry.id
        return card

    def relations(self, entry: Claim | Result) -> list[nodes.Node]:
        """Return what an entry rests on, what relies on it, and what touches it; each with links.

        What is related only through others is folded.
        """
        found: list[nodes.Node] = []
        for words, near, far in self.related_to(entry):
            if near:
                found.append(self.related(f"{words}:", near))
            if further := [name for name in far if name not in near]:
                summary = f"{words}, through these: {len(further)} more"
                found += _folded(summary, [self.related("", further)])
        return found

    def related_to(
        self, entry: Claim | Result
    ) -> Iterable[tuple[str, Sequence[str], Sequence[str]]]:
        """Yield each relation: its words, who is in it directly, and who through others too."""
        users, above, below, touching = self.closed
        yield "Rests on", entry.supports, above[entry.id]
        yield "Relied on by", users[entry.id], below[entry.id]
        yield "Touched by an erratum", touching[entry.id], ()

    @cached_property
    def closed(self) -> tuple[rests.Relation, ...]:
        """What follows from the `uses` of the whole ledger, worked out once for a page of cards."""
        ledger = whole(self.config)
        relations = (rests.users, rests.ancestors, rests.dependents, rests.touching)
        return tuple(relation(ledger) for relation in relations)

    def related(self, words: str, names: Sequence[str]) -> nodes.paragraph:
        """Return a line of links to where the entries are."""
        entries: Mapping[str, Claim | Result] = {
            **self.config.ledger_claims,
            **self.config.ledger_results,
        }
        line = nodes.paragraph(classes=["claim-relation"])
        line += nodes.emphasis("", words) if words else []
        for number, name in enumerate(names):
            line += nodes.Text(", " if number else " ")
            line += [
                _link(self.env.docname, name, self.named(entries[name])),
                *self.of(entries[name]),
            ]
        return line


class _ErrataDirective(_LedgerDirective):
    """Knows what is not right as printed: the gravest first, then as `by_importance` has it."""

    optional_arguments = 1

    def severities(self) -> Sequence[str]:
        """Return the severity that is asked for, or all."""
        if self.arguments:
            return [directives.choice(self.arguments[0], SEVERITIES)]
        return SEVERITIES

    def roots(self, severity: str) -> list[Claim]:
        """Return the errata of a severity that follow from no other."""
        errata = [one for one in self.claims_in_book_order() if one.severity == severity]
        roots = [claim for claim in errata if claim.follows_from is None]
        return by_importance(self.config.ledger, roots)

    def following(self, claim: Claim) -> list[Claim]:
        """Return the errata that would not be there but for this one."""
        errata = self.claims_in_book_order()
        return [other for other in errata if other.follows_from == claim.id]


class ErrataList(_ErrataDirective):
    """A line for each erratum, under what it touches, and below the one that it follows from."""

    def run(self) -> list[nodes.Node]:
        """Return a list with a list for each severity."""
        terms = [
            _definition(
                f"Touches {SEVERITY_WORDS[severity]}",
                [nodes.bullet_list("", *map(self.item, self.roots(severity)))],
            )
            for severity in self.severities()
            if self.roots(severity)
        ]
        return [nodes.definition_list("", *terms, classes=["errata-list"])]

    def item(self, claim: Claim) -> nodes.list_item:
        """Return the line of an erratum, with the list of what follows from it."""
        name = _link(self.env.docname, _erratum(claim), claim.title)
        line = _paragraph(name, *self.of(claim), nodes.Text(" "), _badge(claim))
        following = [self.item(other) for other in self.following(claim)]
        inner = [nodes.bullet_list("", *following)] if following else []
        return nodes.list_item("", line, *inner)


class ErrataVersions(_ErrataDirective):
    """Which versions were read of the sources that have errata."""

    def run(self) -> list[nodes.Node]:
        """Return a list of the versions."""
        roots = [claim for severity in self.severities() for claim in self.roots(severity)]
        return [self.versions(roots)]


class Errata(_ErrataDirective):
    """What is not right as printed, in full."""

    def run(self) -> list[nodes.Node]:
        """Return a card for each erratum."""
        cards: list[nodes.Node] = [
            self.card(claim) for severity in self.severities() for claim in self.roots(severity)
        ]
        return cards or [_paragraph(nodes.Text("None so far."))]

    def card(self, claim: Claim) -> nodes.container:
        """Return one erratum with its correction, what was tried, and what follows from it."""
        parts = [("As printed, in our words", self.parse(claim, claim.says))]
        checks = _check(claim.by, claim.evidence, "The verdict")
        if claim.correction:
            says = self.parse(claim, claim.correction.says)
            parts.append(("What holds instead", says))
            correction = claim.correction
            checks += _check(correction.by, correction.evidence, "What holds instead")
        parts.append(("Readings tried", [self.readings(claim)]))
        parts.append(("Checks", checks))
        if claim.severity == "guarantee":
            parts.append(("Version read", self.version(claim)))
        following = self.following(claim)
        if following:
            parts.append(("What falls with it", [self.card(other) for other in following]))
        return nodes.container(
            "",
            *self.heading(claim, _badge(claim, self.env.docname)),
            nodes.definition_list("", *(_definition(term, text) for term, text in parts)),
            ids=[self.anchor(_erratum(claim), claim)],
            classes=["erratum"],
        )


class Findings(_LedgerDirective):
    """What a user of the main paper must know, in short and in the order of its importance."""

    def run(self) -> list[nodes.Node]:
        """Return a list of the findings, numbered."""
        findings: Sequence[Finding] = self.config.ledger.findings
        return [nodes.enumerated_list("", *map(self.finding, findings), classes=["findings"])]

    def finding(self, finding: Finding) -> nodes.list_item:
        """Return one finding: as printed, what breaks, what holds; each claim with its verdict."""
        claims = [self.config.ledger_claims[name] for name in finding.ids]
        first = claims[0]
        line = _paragraph()
        line["classes"].append("claim-name")
        for claim in claims:
            line += [_link(self.env.docname, claim.id, claim.title), nodes.Text(" ")]
            line += [_badge(claim, self.env.docname), nodes.Text(" ")]
        if first.correction:
            more = _link(self.env.docname, _erratum(first), "in full")
            line += nodes.inline("", "", more, classes=["claim-source"])
        parts = (
            ("As printed", finding.printed),
            ("What breaks", finding.breaks),
            ("What holds", finding.holds),
        )
        texts = [_definition(term, self.parse(first, text)) for term, text in parts]
        return nodes.list_item("", line, nodes.definition_list("", *texts))


class NumberedItems(_LedgerDirective):
    """Every numbered item of the main paper with its verdict; the definitions share a line."""

    def run(self) -> list[nodes.Node]:
        """Return a list for each kind of item, by the numbers."""
        source = next(iter(self.config.ledger_sources), None)
        found: dict[str, list[tuple[list[int], Claim]]] = {kind: [] for kind in NUMBERED}
        for claim in self.claims_in_book_order():
            if claim.source == source and kind_of(claim) in NUMBERED:
                number = [int(part) for part in re.findall(r"\d+", claim.title)]
                found[kind_of(claim)].append((number, claim))
        terms = []
        for kind, items in found.items():
            items.sort(key=lambda item: item[0])
            judged = [claim for _, claim in items if claim.status != "definition"]
            lines = [nodes.list_item("", self.line([claim])) for claim in judged]
            if plain := [claim for _, claim in items if claim.status == "definition"]:
                lines.append(nodes.list_item("", self.line(plain), classes=["numbered-together"]))
            terms.append(_definition(NUMBERED[kind], [nodes.bullet_list("", *lines)]))
        return [nodes.definition_list("", *terms, classes=["numbered-items"])]

    def line(self, claims: Sequence[Claim]) -> nodes.paragraph:
        """Return items of one verdict: their names, linked to their pages, and the verdict."""
        line = _paragraph()
        for number, claim in enumerate(claims):
            line += [nodes.Text(", ")] if number else []
            line += _link(self.env.docname, claim.id, claim.title)
        # A verdict on several leads to no card.
        place = self.env.docname if len(claims) == 1 else None
        line += [nodes.Text(" "), _badge(claims[0], place)]
        return line


def machine_proofs(entry: Claim | Result) -> dict[str, list[str]]:
    """Return the theorems of ``proofs`` that an entry cites, each once, by what they are about."""
    parts = [("", entry.evidence)]
    if isinstance(entry, Claim):
        parts = [("The verdict", entry.evidence)] if entry.correction else parts
        parts += [("A reading that was tried", one.evidence) for one in entry.tried]
        if entry.correction:
            parts.append(("What holds instead", entry.correction.evidence))
    found: dict[str, list[str]] = {}
    seen: set[str] = set()
    for words, evidence in parts:
        for one in evidence:
            if is_proof(one) and one not in seen:
                seen.add(one)
                found.setdefault(words, []).append(one)
    return found


def _erratum(claim: Claim) -> str:
    return f"erratum-{claim.id}"


def _labels(env: BuildEnvironment) -> StandardDomain:
    domain = env.get_domain("std")
    assert isinstance(domain, StandardDomain)
    return domain


def _link(docname: str, target: str, text: str, kind: str = "ref") -> addnodes.pending_xref:
    """Return a link to a label, or a term; Sphinx warns where there is no such one."""
    return addnodes.pending_xref(
        "",
        nodes.inline(text, text),
        refdoc=docname,
        refdomain="std",
        reftype=kind,
        reftarget=target,
        refexplicit=True,
        refwarn=True,
    )


def _assumptions(docname: str, result: Result) -> nodes.paragraph:
    """Return the line under a result that names what it assumes, each with its explanation."""
    line = nodes.paragraph(classes=["assumptions"])
    line += nodes.emphasis("", "Assumes:")
    for number, term in enumerate(result.assumes):
        line += [nodes.Text(", " if number else " "), _link(docname, term, term, "term")]
    if not result.assumes:
        line += nodes.Text(" nothing beyond its words")
    return line


def _badge(claim: Claim, docname: str | None = None) -> nodes.inline:
    """Return the verdict as a badge; on the page `docname`, linked to the claim's card."""
    words = STATUS_WORDS[claim.status]
    # Said aloud, a word beside a title needs to say what it is.
    spoken = nodes.inline("", "Verdict: ", classes=["claim-unseen"])
    shown = _link(docname, card_of(claim), words) if docname else nodes.Text(words)
    return _status(claim.status, spoken, shown)


def _status(status: str, *children: nodes.Node) -> nodes.inline:
    return nodes.inline("", "", *children, classes=["claim-badge", f"claim-{status}"])


def _roots(claims: Sequence[Claim]) -> str:
    errata = [claim for claim in claims if claim.severity is not None]
    following = sum(claim.follows_from is not None for claim in errata)
    return (
        f"Of these, {len(errata)} are listed as errata; "
        f"{following} of them would not be there without another."
    )


def _table(head: Sequence[str], rows: Iterable[nodes.row], name: str) -> nodes.table:
    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in head), cols=len(head))
    group += nodes.thead("", _row(*head))
    group += nodes.tbody("", *rows)
    return nodes.table("", group, classes=name.split())


def _row(*cells: str | nodes.Node, ids: Sequence[str] = ()) -> nodes.row:
    """Return a row of texts or of nodes."""
    row = nodes.row("", ids=list(ids))
    for cell in cells:
        row += nodes.entry("", _paragraph(nodes.Text(cell)) if isinstance(cell, str) else cell)
    return row


def _check(by: str | None, evidence: Sequence[str], what: str = "") -> list[nodes.Node]:
    """Return how a claim was checked, and folded under it the list of its evidence."""
    if by is None:
        return []
    how = f"{what}, {METHOD_WORDS[by].lower()}" if what else METHOD_WORDS[by]
    return _fold(f"{how}: {_number_of_checks(evidence).lower()}", evidence)


def _number_of_checks(evidence: Sequence[str]) -> str:
    return "One check" if len(evidence) == 1 else f"{len(evidence)} checks"


def _fold(summary: str, evidence: Sequence[str]) -> list[nodes.Node]:
    # As HTML, since there are thousands; a line can be broken before the name of a test.
    items = (html.escape(one).replace("::", "::<wbr>", 1) for one in evidence)
    listed = "".join(f"<li>{item}</li>\n" for item in items)
    return _folded(
        summary, [nodes.raw("", f'<ul class="claim-evidence">\n{listed}</ul>', format="html")]
    )


def _folded(summary: str, inside: Iterable[nodes.Node]) -> list[nodes.Node]:
    return folded(summary, inside, "claim-check beside")


def _paragraph(*children: nodes.Node) -> nodes.paragraph:
    return nodes.paragraph("", "", *children)


def _definition(term: str, text: Sequence[nodes.Node]) -> nodes.definition_list_item:
    return nodes.definition_list_item("", nodes.term(term, term), nodes.definition("", *text))


def read_ledger(app: Sphinx, config: Config) -> None:
    """Load the ledger; have the titles of statements printed as they stand."""
    try:
        ledger = load(Path(app.confdir, config.ledger_folder))
    except ValueError as error:
        raise ConfigError(str(error)) from None
    config.ledger = ledger
    config.ledger_claims = {claim.id: claim for claim in ledger.claims}
    config.ledger_results = {result.id: result for result in ledger.results}
    config.proof_title_format = "%t"


@cache
def result_names(app: Sphinx) -> dict[str, str]:
    """Return what the results are called by their numbers: "Result 4.1.3", "Conjecture N3.2".

    They count within a section, through its pages as the contents have them. Before the number
    of the section stands the letter of the paper, which is none for the first one.
    """
    contents = getattr(app.env, "external_site_map", ())
    order = {page_of(name): place for place, name in enumerate(contents)}
    results: Iterable[Result] = app.config.ledger_results.values()
    names: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for result in sorted(results, key=lambda result: order.get(result.page, len(order))):
        paper, _, page = result.page.rpartition("/")
        letter = app.config.result_letters.get(paper, paper[:1].upper())
        section = ".".join(re.findall(r"\d+", _SECTION.match(page)[0]))  # type: ignore[index]
        counts[letter + section] += 1
        word = "Conjecture" if result.status == "conjecture" else "Result"
        names[result.id] = f"{word} {letter}{section}.{counts[letter + section]}"
    return names


def leave_figures_unnumbered(app: Sphinx) -> None:
    """Keep Sphinx from writing "Fig. 1" before "Figure 3"."""
    _labels(app.env).enumerable_nodes.pop(nodes.figure, None)


def settle_anchors(app: Sphinx, document: nodes.document) -> None:
    """Give each claim of the page one anchor, every id one place, and each result its number."""
    names = result_names(app)
    for statement in document.findall(unenumerable_node):
        # sphinx-proof puts the id on the title too, for the visitor that is replaced below.
        statement[0]["ids"] = []
        if not statement[0].astext():
            statement[0] += nodes.Text(statement["realtype"].title())
        for name in names.keys() & set(statement["ids"]):
            statement[0].insert(0, nodes.Text(f"{names[name]}. "))
            statement[-1] += _assumptions(app.env.docname, app.config.ledger_results[name])
    for proof in document.findall(proof_node):
        # Each proof would be #proof.
        proof[0]["ids"] = []
    for number, section in enumerate(document.findall(nodes.section)):
        # The bodies of statements and exercises, which have no heading, would all be
        # #proof-content and #exercise-content.
        if not section["names"] and not section["dupnames"]:
            section["ids"] = [f"body-{number}"]
    taken = {name for element in document.findall(nodes.Element) for name in element["ids"]}
    for badge in document.findall(lambda node: isinstance(node, nodes.inline) and "claim" in node):
        claim = app.config.ledger_claims[badge["claim"]]
        if claim.id not in taken:
            badge["ids"].append(claim.id)
            taken.add(claim.id)
        _labels(app.env).note_hyperlink_target(claim.id, app.env.docname, claim.id, claim.title)
    for result in app.config.ledger_results.values():
        if result.page == page_of(app.env.docname) and result.id in taken:
            title = f"{names[result.id]} ({result.title})"
            _labels(app.env).note_hyperlink_target(result.id, app.env.docname, result.id, title)


def visit_statement(translator: HTML5Translator, node: nodes.Element) -> None:
    """Open a statement that sphinx-proof does not number."""
    translator.body.append(translator.starttag(node, "div", CLASS="admonition"))


def depart_statement(translator: HTML5Translator, node: nodes.Element) -> None:
    """Close it; sphinx-proof's own visitor would write "Theorem" before "Theorem 3"."""
    translator.body.append("</div>\n")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the extension."""
    app.setup_extension("sphinx_proof")
    app.add_node(unenumerable_node, override=True, html=(visit_statement, depart_statement))
    app.add_config_value("ledger_folder", "claims", "env", types=(str,))
    app.add_config_value("ledger_sources", {}, "env", types=(dict,))
    app.add_config_value("ledger", None, "env")
    app.add_config_value("ledger_claims", {}, "env", types=(dict,))
    app.add_config_value("ledger_results", {}, "env", types=(dict,))
    app.add_config_value("result_letters", {}, "env", types=(dict,))
    app.add_role("claim", ClaimRole())
    app.add_role("status", StatusRole())
    app.add_directive("claims-summary", ClaimsSummary)
    app.add_directive("claims-methods", ClaimsMethods)
    app.add_directive("claims-filter", ClaimsFilter)
    app.add_directive("claims-overview", ClaimsOverview)
    app.add_directive("results-overview", ResultsOverview)
    app.add_directive("claim-cards", ClaimCards)
    app.add_directive("errata", Errata)
    app.add_directive("errata-list", ErrataList)
    app.add_directive("errata-versions", ErrataVersions)
    app.add_directive("findings", Findings)
    app.add_directive("numbered-items", NumberedItems)
    app.connect("config-inited", read_ledger)
    app.connect("builder-inited", leave_figures_unnumbered)
    app.connect("doctree-read", settle_anchors)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
