"""What every mark and list of the ledger on a page shares: names, words, links and badges."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from docutils import nodes
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.config import Config
from sphinx.domains.std import StandardDomain
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from book._ext.claims import (
    ERRATA,
    Claim,
    Ledger,
    Result,
    Tried,
)
from book._ext.coq.statements import is_proof
from book._ext.parts import folded

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


# After words that hold, where a whole badge would be loud.
SIGNS = {"holds": "", "side-condition": "with a side condition"}


METHOD_WORDS = {
    "proof": "By proof",
    "exact": "By exact computation",
    "numeric": "By numerical computation",
    "machine": "By a machine-checked proof",
}


SEVERITY_WORDS = {
    "guarantee": "guarantee",
    "constant": "number",
    "proof": "proof",
    "wording": "wording",
}


RESULT_WORDS = {"proved": "proved here", "conjecture": "conjecture"}


WORDS = STATUS_WORDS | RESULT_WORDS


def page_of(docname: str) -> str:
    """Return a page as the ledger names it: within its paper's folder."""
    return docname.removeprefix("notebooks/").removeprefix("book/")


def whole(config: Config) -> Ledger:
    """Return the claims and the results as they were read, together."""
    return Ledger(tuple(config.ledger_claims.values()), tuple(config.ledger_results.values()))


def card_of(entry: Claim | Result) -> str:
    """Return the id of an entry's card, and of its row in the overview."""
    return f"ledger-{entry.id}" if isinstance(entry, Claim) else f"own-{entry.id}"


class LedgerDirective(SphinxDirective):
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
        line = paragraph(link_to(self.env.docname, entry.id, self.named(entry)), *self.of(entry))
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
        return f"{entry.name}. {entry.title}" if isinstance(entry, Result) else entry.title

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
        labels_of(self.env).note_hyperlink_target(target, self.env.docname, target, entry.title)
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
        checks = evidence_fold(number_of_checks(one.evidence), one.evidence)
        return nodes.list_item("", reading, *self.parse(claim, one.becomes), *checks)


def machine_proofs(entry: Claim | Result) -> dict[str, list[str]]:
    """Return the theorems of ``proofs`` that an entry cites, each once, under its subject."""
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


def coq_box_of(entry: Claim | Result) -> str:
    """Return the id of what is in the box of an entry's statements in Coq."""
    return f"coq-of-{entry.id}"


def erratum_of(claim: Claim) -> str:
    """Return the id of the card of an erratum."""
    return f"erratum-{claim.id}"


def labels_of(env: BuildEnvironment) -> StandardDomain:
    """Return where the labels of the book are."""
    domain = env.get_domain("std")
    assert isinstance(domain, StandardDomain)
    return domain


def link_to(docname: str, target: str, text: str, kind: str = "ref") -> addnodes.pending_xref:
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


def assumptions_of(docname: str, result: Result) -> nodes.paragraph:
    """Return the line under a result that names what it assumes, each with its explanation."""
    line = nodes.paragraph(classes=["assumptions"])
    line += nodes.emphasis("", "Assumes:")
    for number, term in enumerate(result.assumes):
        line += [nodes.Text(", " if number else " "), link_to(docname, term, term, "term")]
    if not result.assumes:
        line += nodes.Text(" nothing beyond its words")
    return line


def badge_of(claim: Claim, docname: str | None = None) -> nodes.inline:
    """Return the verdict as a badge; on the page `docname`, linked to the claim's card."""
    words = STATUS_WORDS[claim.status]
    # Read aloud, a word next to a title needs to say what it is.
    spoken = nodes.inline("", "Verdict: ", classes=["claim-unseen"])
    shown = link_to(docname, card_of(claim), words) if docname else nodes.Text(words)
    return status_badge(claim.status, spoken, shown)


def status_badge(status: str, *children: nodes.Node) -> nodes.inline:
    """Return the badge of a status around some nodes."""
    return nodes.inline("", "", *children, classes=["claim-badge", f"claim-{status}"])


def sign_of(claim: Claim) -> nodes.inline:
    """Return what follows words that a claim says: a badge, or a small sign if they hold.

    Text next to it is read aloud as "…, verdict: holds".
    """
    words = STATUS_WORDS[claim.status]
    if claim.status in ERRATA and claim.status != "side-condition":
        kind, shown = "claim-badge", words
    else:
        kind, shown = "claim-sign", SIGNS.get(claim.status, words)
    spoken = nodes.inline("", f"verdict: {words}" if shown != words else "verdict: ")
    spoken["classes"].append("claim-unseen")
    return nodes.inline("", "", spoken, nodes.Text(shown), classes=[kind, f"claim-{claim.status}"])


def table_of(head: Sequence[str], rows: Iterable[nodes.row], name: str) -> nodes.table:
    """Return a table with these classes; its head is text."""
    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in head), cols=len(head))
    group += nodes.thead("", row_of(*head))
    group += nodes.tbody("", *rows)
    return nodes.table("", group, classes=name.split())


def row_of(*cells: str | nodes.Node, ids: Sequence[str] = ()) -> nodes.row:
    """Return a row of texts or of nodes."""
    row = nodes.row("", ids=list(ids))
    for cell in cells:
        row += nodes.entry("", paragraph(nodes.Text(cell)) if isinstance(cell, str) else cell)
    return row


def how_checked(by: str | None, evidence: Sequence[str], what: str = "") -> list[nodes.Node]:
    """Return how a claim was checked, and folded under it the list of its evidence."""
    if by is None:
        return []
    how = f"{what}, {METHOD_WORDS[by].lower()}" if what else METHOD_WORDS[by]
    return evidence_fold(f"{how}: {number_of_checks(evidence).lower()}", evidence)


def number_of_checks(evidence: Sequence[str]) -> str:
    """Return how many pieces of evidence there are, in words."""
    return "One check" if len(evidence) == 1 else f"{len(evidence)} checks"


def evidence_fold(summary: str, evidence: Sequence[str]) -> list[nodes.Node]:
    """Return the list of evidence, folded."""
    # As HTML, since there are thousands; a line can be broken before the name of a test.
    items = (html.escape(one).replace("::", "::<wbr>", 1) for one in evidence)
    listed = "".join(f"<li>{item}</li>\n" for item in items)
    return check_fold(
        summary, [nodes.raw("", f'<ul class="claim-evidence">\n{listed}</ul>', format="html")]
    )


def check_fold(summary: str, inside: Iterable[nodes.Node]) -> list[nodes.Node]:
    """Return a fold that stays closed on paper."""
    return folded(summary, inside, "claim-check beside")


def paragraph(*children: nodes.Node) -> nodes.paragraph:
    """Return a paragraph of nodes."""
    return nodes.paragraph("", "", *children)


def definition(term: str, text: Sequence[nodes.Node]) -> nodes.definition_list_item:
    """Return a term with its text, for a definition list."""
    return nodes.definition_list_item("", nodes.term(term, term), nodes.definition("", *text))
