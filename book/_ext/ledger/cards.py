"""Cards of claims and results in full, and of errata."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from docutils import nodes
from docutils.parsers.rst import directives

from book._ext.claims import (
    SEVERITIES,
    Claim,
    Result,
    by_importance,
)
from book._ext.ledger import relations
from book._ext.ledger.entries import (
    RESULT_WORDS,
    STATUS_WORDS,
    LedgerDirective,
    assumptions_of,
    badge_of,
    card_of,
    check_fold,
    erratum_of,
    how_checked,
    link_to,
    paragraph,
    status_badge,
    whole,
)
from book._ext.parts import folded


class ClaimCards(LedgerDirective):
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
        if claim.reply:
            text = self.parse(claim, f"*The authors reply:* {claim.reply}") + text
        checks = how_checked(claim.by, claim.evidence, "The verdict" if claim.correction else "")
        if claim.correction:
            text += self.parse(claim, f"*Correct:* {claim.correction.says}")
            right = claim.correction
            checks += how_checked(right.by, right.evidence, "What holds instead")
        if claim.tried:
            text += [paragraph(nodes.emphasis("", "Readings tried:")), self.readings(claim)]
        elif claim.reading:
            text += self.parse(claim, f"*As read here:* {claim.reading}")
        return self.framed(
            card_of(claim),
            claim,
            self.heading(claim, badge_of(claim)),
            [*text, *self.relation_lines(claim), *checks],
        )

    def result_card(self, result: Result) -> nodes.container:
        """Return one result of this book: its words, its support, what is known elsewhere."""
        badge = status_badge(result.status, nodes.Text(RESULT_WORDS[result.status]))
        text = self.parse(result, result.says)
        text.append(assumptions_of(self.env.docname, result))
        text += self.parse(result, f"*Elsewhere:* {result.prior}")
        return self.framed(
            card_of(result),
            result,
            [self.titled(result, badge)],
            [*text, *self.relation_lines(result), *how_checked(result.by, result.evidence)],
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

    def relation_lines(self, entry: Claim | Result) -> list[nodes.Node]:
        """Return what an entry rests on, what relies on it, and what touches it; each with links.

        What is related only through others is folded.
        """
        found: list[nodes.Node] = []
        for words, near, far in self.related_to(entry):
            if near:
                found.append(self.related(f"{words}:", near))
            if further := [name for name in far if name not in near]:
                summary = f"{words}, through these: {len(further)} more"
                found += check_fold(summary, [self.related("", further)])
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
    def closed(self) -> tuple[relations.Relation, ...]:
        """What follows from the `uses` of the whole ledger, worked out once for a page of cards."""
        ledger = whole(self.config)
        kinds = (relations.users, relations.ancestors, relations.dependents, relations.touching)
        return tuple(kind(ledger) for kind in kinds)

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
                link_to(self.env.docname, name, self.named(entries[name])),
                *self.of(entries[name]),
            ]
        return line


class ErrataVersions(LedgerDirective):
    """Which versions were read of the sources that have errata."""

    def run(self) -> list[nodes.Node]:
        """Return a list of the versions."""
        errata = [claim for claim in self.claims_in_book_order() if claim.severity]
        return [self.versions(by_importance(self.config.ledger, errata))]


class Errata(LedgerDirective):
    """What is not right as printed, and what is correct; more is on the cards of the claims."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return a few lines for each erratum of a severity; slips of wording are folded."""
        severity = directives.choice(self.arguments[0], SEVERITIES)
        errata = [one for one in self.claims_in_book_order() if one.severity == severity]
        roots = [claim for claim in errata if claim.follows_from is None]
        found = [self.entry(claim) for claim in by_importance(self.config.ledger, roots)]
        if severity == "wording" and found:
            return folded(f"{len(errata)} slips of wording", found)
        return found or [paragraph(nodes.Text("None so far."))]

    def following(self, claim: Claim) -> list[Claim]:
        """Return the errata that would not be there but for this one."""
        errata = self.claims_in_book_order()
        return [other for other in errata if other.follows_from == claim.id]

    def entry(self, claim: Claim) -> nodes.container:
        """Return one erratum with its correction, and what follows from it."""
        link = link_to(self.env.docname, card_of(claim), STATUS_WORDS[claim.status])
        name = self.titled(claim, status_badge(claim.status, link))
        name += nodes.inline("", f" {claim.where}", classes=["claim-source"])
        printed, correct = self.in_short(claim)
        return nodes.container(
            "",
            name,
            *self.parse(claim, f"*As printed:* {printed}"),
            *self.parse(claim, f"*Correct:* {correct}"),
            *map(self.entry, self.following(claim)),
            ids=[self.anchor(erratum_of(claim), claim)],
            classes=["erratum"],
        )

    def in_short(self, claim: Claim) -> tuple[str, str]:
        """Return what is printed and what is correct, as at a glance if it is there alone."""
        for finding in self.config.ledger.findings:
            if finding.ids == (claim.id,):
                return finding.printed, finding.holds
        assert claim.correction is not None  # the schema requires it
        return claim.says, claim.correction.says


DIRECTIVES = {
    "claim-cards": ClaimCards,
    "errata": Errata,
    "errata-versions": ErrataVersions,
}
