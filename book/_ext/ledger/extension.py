"""The ledger in the book: its configuration, its roles, and the anchors and numbers of statements.

- The role ``{claim}`thm-3` `` shows the verdict as a badge that links to the claim's card. On the
  claim's own page it also sets the anchor ``#thm-3``, unless something there has it.
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
    load,
)
from book._ext.ledger import cards, overviews
from book._ext.ledger.entries import (
    WORDS,
    assumptions_of,
    badge_of,
    labels_of,
    page_of,
    result_names,
    status_badge,
)

logger = logging.getLogger(__name__)


class ClaimRole(SphinxRole):
    """The verdict on one claim, as a badge."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the badge, or a warning if the ledger has no such claim."""
        claims: Mapping[str, Claim] = self.config.ledger_claims
        claim = claims.get(self.text)
        if claim is None:
            logger.warning("no claim %r in the ledger", self.text, location=self.get_location())
            return [nodes.literal(self.text, self.text)], []
        badge = badge_of(claim, self.env.docname)
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


def leave_figures_unnumbered(app: Sphinx) -> None:
    """Keep Sphinx from writing "Fig. 1" before "Figure 3"."""
    labels_of(app.env).enumerable_nodes.pop(nodes.figure, None)


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
            statement[-1] += assumptions_of(app.env.docname, app.config.ledger_results[name])
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
        labels_of(app.env).note_hyperlink_target(claim.id, app.env.docname, claim.id, claim.title)
    for result in app.config.ledger_results.values():
        if result.page == page_of(app.env.docname) and result.id in taken:
            title = f"{names[result.id]} ({result.title})"
            labels_of(app.env).note_hyperlink_target(result.id, app.env.docname, result.id, title)


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
    for name in ("ledger_sources", "ledger_claims", "ledger_results", "result_letters"):
        app.add_config_value(name, {}, "env", types=(dict,))
    app.add_role("claim", ClaimRole())
    app.add_role("status", StatusRole())
    for name, directive in (overviews.DIRECTIVES | cards.DIRECTIVES).items():
        app.add_directive(name, directive)
    app.connect("config-inited", read_ledger)
    app.connect("builder-inited", leave_figures_unnumbered)
    app.connect("doctree-read", settle_anchors)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
