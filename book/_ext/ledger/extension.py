"""The ledger in the book: its configuration, its roles, and the anchors and numbers of statements.

- The role ``{claim}`words of the page <thm-3>` `` underlines what a claim says, links it to the
  claim's card and puts the verdict after it. On the claim's own page it also sets the anchor
  ``#thm-3``, unless something there has it. Words of text are MyST.
- A statement whose label is a claim's id has the verdict in its title bar, and the source's name;
  one whose label is that of a result of this book has its number and looks different.
- The role ``{status}`fails` `` shows the badge of a status without a claim or a result.
- The directives are in `overviews` and `cards`.

The texts of the ledger are MyST, with formulas and citations. The ledger is a configuration value,
so that Sphinx reads the pages again when it changes.

Numbered items have the source's own numbers: ``{prf:theorem} Theorem 3`` with ``:nonumber:``
renders its title as it is, and a figure's caption its text.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator
from sphinx_proof.nodes import proof_node, unenumerable_node

from book._ext.claims import (
    Claim,
    Result,
    load,
)
from book._ext.ledger import cards, overviews
from book._ext.ledger.entries import (
    WORDS,
    assumptions_of,
    badge_of,
    card_of,
    coq_box_of,
    labels_of,
    link_to,
    page_of,
    sign_of,
    status_badge,
)

logger = logging.getLogger(__name__)


class ClaimRole(SphinxRole):
    """Words that one claim says, and the verdict on it."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the mark, or a warning if it has no words or the ledger has no such claim."""
        claims: Mapping[str, Claim] = self.config.ledger_claims
        words, _, name = " ".join(self.text.split()).removesuffix(">").rpartition(" <")
        claim = claims.get(name)
        if not words or claim is None:
            problem = f"no claim {name!r} in the ledger" if words else "claim must be words <id>"
            logger.warning("%s: %r", problem, self.text, location=self.get_location())
            return [nodes.literal(self.text, self.text)], []
        link = f"[{words}](#{card_of(claim)})"
        inside, messages = self.inliner.parse(link, self.lineno, self.inliner, nodes.inline())
        mark = nodes.inline("", "", *inside, nodes.Text(" "), sign_of(claim))
        mark["classes"].append("claim-mark")
        if page_of(self.env.docname) == claim.page:
            mark["claim"] = claim.id
        return [mark], messages


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
        return [status_badge(self.text, nodes.Text(WORDS[self.text]))], []


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


def settle_anchors(app: Sphinx, document: nodes.document) -> None:
    """Give each claim of the page one anchor, every id one place, and each result its number."""
    for statement in document.findall(unenumerable_node):
        # sphinx-proof puts the id on the title too, for the visitor that is replaced below.
        statement[0]["ids"] = []
        if not statement[0].astext():
            statement[0] += nodes.Text(statement["realtype"].title())
        for name in statement["ids"]:
            if claim := app.config.ledger_claims.get(name):
                judge(app, statement, claim)
                note_target(app, claim)
            elif result := app.config.ledger_results.get(name):
                statement["classes"].append("ours")
                statement[0].insert(0, nodes.Text(f"{result.name}. "))
                statement[-1] += assumptions_of(app.env.docname, result)
                statement[0] += shield_of(statement, result)
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
        note_target(app, claim)
    for result in app.config.ledger_results.values():
        if result.page == page_of(app.env.docname) and result.id in taken:
            title = f"{result.name} ({result.title})"
            labels_of(app.env).note_hyperlink_target(result.id, app.env.docname, result.id, title)


def note_target(app: Sphinx, claim: Claim) -> None:
    """Let links lead to the place of a claim on the page that is read."""
    labels_of(app.env).note_hyperlink_target(claim.id, app.env.docname, claim.id, claim.title)


def judge(app: Sphinx, statement: nodes.Element, claim: Claim) -> None:
    """Say in the title bar of a source's statement whose it is, and what the verdict is."""
    statement["classes"].append("theirs")
    source = app.config.ledger_sources.get(claim.source, claim.source)
    statement[0] += [nodes.Text(" "), nodes.inline("", f"({source})", classes=["claim-source"])]
    verdict = nodes.inline("", "", badge_of(claim, app.env.docname), classes=["claim-ribbon"])
    # Next to the verdict and after it: a check mark before it would seem to say that what fails
    # was proved, and after the arrow that the correction was.
    verdict += shield_of(statement, claim)
    if instead := first_result(claim, app.config.ledger_results):
        verdict += [nodes.Text(" → "), link_to(app.env.docname, instead.id, instead.name)]
    statement[0] += verdict


def first_result(claim: Claim, results: Mapping[str, Result]) -> Result | None:
    """Return the first result that the correction of a claim rests on."""
    return next((results[name] for name in claim.correction_uses if name in results), None)


def shield_of(statement: nodes.Element, entry: Claim | Result) -> list[nodes.Node]:
    """Return what says that Coq checked a statement, if it did; it leads to the words of Coq."""
    boxes = statement.document.findall(nodes.container)
    if not any(coq_box_of(entry) in box["ids"] for box in boxes):
        return []
    said = "proof checked by Coq" if isinstance(entry, Result) else "verdict checked by Coq"
    link = nodes.reference("", said, refid=coq_box_of(entry), classes=["shield"])
    return [nodes.Text(" "), link]


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
    app.add_config_value("ledger", None, "env")
    for name in ("ledger_sources", "ledger_claims", "ledger_results"):
        app.add_config_value(name, {}, "env", types=(dict,))
    app.add_role("claim", ClaimRole())
    app.add_role("status", StatusRole())
    for name, directive in (overviews.DIRECTIVES | cards.DIRECTIVES).items():
        app.add_directive(name, directive)
    app.connect("config-inited", read_ledger)
    app.connect("doctree-read", settle_anchors)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
