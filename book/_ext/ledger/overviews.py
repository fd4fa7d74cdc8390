"""Overviews of the ledger: totals, tables of claims and of results, what matters most."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from docutils import nodes
from docutils.parsers.rst import directives

from book._ext.claims import (
    METHODS,
    STATUSES,
    Claim,
    Finding,
    Ledger,
    Result,
    kind_of,
)
from book._ext.coq.statements import is_proof
from book._ext.ledger.entries import (
    METHOD_WORDS,
    RESULT_WORDS,
    STATUS_WORDS,
    LedgerDirective,
    badge_of,
    card_of,
    definition,
    erratum_of,
    link_to,
    paragraph,
    row_of,
    status_badge,
    table_of,
)

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


FILTER = "claims-filter"

# What does not hold comes first.
RANK = (
    "fails",
    "needs-condition",
    "misprint",
    "side-condition",
    "open",
    "holds",
    "definition",
    "unavailable",
)


class ClaimsSummary(LedgerDirective):
    """How many entries the ledger has, and which versions of the sources were read."""

    def run(self) -> list[nodes.Node]:
        """Return a table of totals and a list of versions."""
        claims: Sequence[Claim] = tuple(self.config.ledger_claims.values())
        return [
            self.totals(claims),
            paragraph(nodes.Text(_roots(claims))),
            paragraph(nodes.Text("What was read:")),
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
            row_of(STATUS_WORDS.get(status, status), *(str(counts[status, of]) for of in columns))
            for status in (*STATUSES, "all")
            if counts[status, "all"]
        ]
        head = ("Verdict", *(names.get(of, of) for of in columns))
        return table_of(head, rows, "claims-totals")


class ClaimsMethods(LedgerDirective):
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
            row_of(METHOD_WORDS[method], *(str(column[method]) for column in columns))
            for method in METHODS
        ]
        rows.append(row_of("all", *(str(column.total()) for column in columns)))
        head = ("Checked", "Verdicts", "What holds instead", "Results of this book")
        theorems = {one for entry in ledger.entries for one in entry.all_evidence if is_proof(one)}
        files = {one.partition("::")[0] for one in theorems}
        said = (
            f"The machine-checked proofs are those of {len(theorems)} theorems "
            f"in {len(files)} files."
        )
        return [table_of(head, rows, "claims-totals claims-methods"), paragraph(nodes.Text(said))]


class ClaimsFilter(LedgerDirective):
    """Where the script puts the form that filters and searches what the page lists."""

    def run(self) -> list[nodes.Node]:
        """Return the place of the form, empty where there is no script."""
        return [nodes.container("", classes=[FILTER])]


class ClaimsOverview(LedgerDirective):
    """A line for each claim, those first that do not hold; then in the order of the book."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the table; of one paper, if its folder is given."""
        claims = self.claims_in_book_order()
        if self.arguments:
            papers = sorted({claim.page.partition("/")[0] for claim in claims})
            paper = directives.choice(self.arguments[0], papers)
            claims = [claim for claim in claims if claim.page.partition("/")[0] == paper]
        claims.sort(key=lambda claim: RANK.index(claim.status))
        return [table_of(("Claim", "Verdict", "Where"), map(self.row, claims), "claims-table")]

    def row(self, claim: Claim) -> nodes.row:
        """Return one claim as a row; old addresses lead to it, by its id and by its row's."""
        card = link_to(self.env.docname, card_of(claim), claim.title)
        name = paragraph(nodes.inline("", "", card, ids=[claim.id]), *self.of(claim))
        where = paragraph(link_to(self.env.docname, claim.id, claim.where))
        return row_of(name, paragraph(badge_of(claim)), where, ids=[card_of(claim)])


class ResultsOverview(LedgerDirective):
    """A line for each result of this book, in its order."""

    def run(self) -> list[nodes.Node]:
        """Return the table, or a sentence where there are none."""
        results: Iterable[Result] = self.config.ledger_results.values()
        rows = [self.row(result) for result in self.in_book_order(results)]
        if not rows:
            return [paragraph(nodes.Text("None so far."))]
        return [table_of(("Result", "Status", "Where"), rows, "claims-table")]

    def row(self, result: Result) -> nodes.row:
        """Return one result as a row."""
        name = paragraph(link_to(self.env.docname, card_of(result), self.named(result)))
        badge = status_badge(result.status, nodes.Text(RESULT_WORDS[result.status]))
        where = paragraph(link_to(self.env.docname, result.id, "statement and proof"))
        return row_of(name, paragraph(badge), where, ids=[card_of(result)])


class Findings(LedgerDirective):
    """What a user of the main paper must know, in short and in the order of its importance."""

    def run(self) -> list[nodes.Node]:
        """Return a list of the findings, numbered."""
        findings: Sequence[Finding] = self.config.ledger.findings
        return [nodes.enumerated_list("", *map(self.finding, findings), classes=["findings"])]

    def finding(self, finding: Finding) -> nodes.list_item:
        """Return one finding: as printed, what breaks, what holds; each claim with its verdict."""
        claims = [self.config.ledger_claims[name] for name in finding.ids]
        first = claims[0]
        line = paragraph()
        line["classes"].append("claim-name")
        for claim in claims:
            line += [link_to(self.env.docname, claim.id, claim.title), nodes.Text(" ")]
            line += [badge_of(claim, self.env.docname), nodes.Text(" ")]
        if first.correction:
            more = link_to(self.env.docname, erratum_of(first), "in full")
            line += nodes.inline("", "", more, classes=["claim-source"])
        parts = (
            ("As printed", finding.printed),
            ("What breaks", finding.breaks),
            ("What holds", finding.holds),
        )
        texts = [definition(term, self.parse(first, text)) for term, text in parts]
        return nodes.list_item("", line, nodes.definition_list("", *texts))


class NumberedItems(LedgerDirective):
    """Every numbered item of the main paper as a strip: its number and the mark of its verdict."""

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
            chips = [nodes.list_item("", paragraph(self.chip(claim))) for _, claim in items]
            terms.append(definition(NUMBERED[kind], [nodes.bullet_list("", *chips)]))
        return [nodes.definition_list("", *terms, classes=["numbered-items"])]

    def chip(self, claim: Claim) -> nodes.inline:
        """Return the number of an item, linked to its card; its kind and verdict are read aloud."""
        kind, _, number = claim.title.partition(" ")
        spoken = (f"{kind} ", f", verdict: {STATUS_WORDS[claim.status]}")
        before, after = (nodes.inline("", text, classes=["claim-unseen"]) for text in spoken)
        shown = link_to(self.env.docname, card_of(claim), number)
        return status_badge(claim.status, before, shown, after)


def _roots(claims: Sequence[Claim]) -> str:
    errata = [claim for claim in claims if claim.severity is not None]
    following = sum(claim.follows_from is not None for claim in errata)
    return (
        f"Of these, {len(errata)} are listed as errata; "
        f"{following} of them would not be there without another."
    )


DIRECTIVES = {
    "claims-summary": ClaimsSummary,
    "claims-methods": ClaimsMethods,
    "claims-filter": ClaimsFilter,
    "claims-overview": ClaimsOverview,
    "results-overview": ResultsOverview,
    "findings": Findings,
    "numbered-items": NumberedItems,
}
