"""The conclusion: what it says of the ledger is what the ledger says."""

import pkgutil
import re
from fractions import Fraction
from pathlib import Path

import pytest

import pkdp
from book._ext import claims
from pkdp import noise
from pkdp.worlds import bits
from pkdp.worlds.definitions import apk_delta
from pkdp.worlds.mechanisms import make_threshold
from tests.book import stored

pytestmark = pytest.mark.page

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "book" / "partial-knowledge" / "6-conclusion.md").read_text(encoding="utf-8")
LEDGER = stored.LEDGER.claims
PAPER = [c for c in LEDGER if c.source == "partial-knowledge"]


def marked(text):
    """The claims whose words are marked in a text, in its order."""
    return re.findall(r"\{claim\}`[^`]+ <([\w-]+)>`", text)


def part(heading):
    """The text under a heading of the page, up to the next of its level."""
    return re.split(r"^## ", PAGE.split(f"\n## {heading}\n")[1], flags=re.MULTILINE)[0]


def test_every_open_question_of_the_paper_is_in_the_table():
    named = set(marked(part("The questions it left open")))
    assert {c.id for c in PAPER if c.status == "open"} <= named


def test_every_mark_has_words():
    assert len(marked(PAGE)) == PAGE.count("{claim}") >= 36


def test_every_badge_is_that_of_a_claim_of_the_paper():
    second = set(marked(part("The second part")))
    assert {c.id for c in PAPER} >= set(marked(PAGE)) - second
    # What can be judged of the other paper holds; the mark is on theorems that we could not read.
    other = [c for c in LEDGER if c.source == "grining2017"]
    assert {c.status for c in other if c.status in claims.VERDICTS} == {"holds"}
    assert {c.status for c in other if c.id in second} == {"unavailable"}
    assert {c.id for c in other} >= second


def test_what_is_said_to_have_failed_did_and_what_is_said_to_hold_does():
    status = {c.id: c.status for c in PAPER}
    failed = marked(part("What did not hold"))
    assert len(failed) >= 9
    assert all(status[name] in claims.ERRATA for name in failed)
    # "Half" is what becomes of the criterion, and everything else in the summary is a yes.
    summary = marked(part("The summary, point by point"))
    assert len(summary) == 8
    assert [name for name in summary if status[name] != "holds"] == ["claim-conclusion-criterion"]


def test_nearly_all_that_touches_a_guarantee_goes_back_to_one_of_the_four_things():
    grave = {c.id: c.follows_from or c.id for c in PAPER if c.severity == "guarantee"}
    named = set(marked(part("What did not hold")))
    assert {root for root in grave.values() if root not in named} == {
        "claim-either-or",
        "claim-over-time",
    }
    assert len(grave) >= 10


def test_one_remark_has_four_entries_of_which_three_follow_from_one():
    entries = {c.id: c for c in PAPER}
    root = entries["claim-sophisticated-composition"]
    assert (root.status, root.severity, root.follows_from) == ("needs-condition", "proof", None)
    for name in ("claim-advanced-composition", "claim-renyi", "claim-privacy-buckets"):
        child = entries[name]
        assert (child.status, child.severity, child.follows_from) == (
            "needs-condition",
            "wording",
            root.id,
        )


def test_what_remains_is_listed_with_its_pages():
    remaining = re.findall(r"^- \*[^*]+\*.*?(?=^- |\Z)", part("What remains"), re.M | re.S)
    assert len(remaining) >= 5
    assert all(re.search(r"\]\([\w./-]+\.ipynb\)", question) for question in remaining)
    assert "claim-conclusion-outlook" in part("The questions it left open")


def test_a_threshold_is_no_second_guarantee_and_noise_is():
    # All others are known, and three of them are 1: the count passes, and says what the target is.
    world = bits([Fraction(1, 2)] * 4, knowledge=[1, 2, 3])
    assert apk_delta(world, make_threshold(2), 10**9, [0]) == 1
    assert noise.worst_case(4, 0.5, noise=noise.Geometric(0.5), known=3).delta(0.7) == 0


def test_most_claims_hold_as_printed():
    judged = [c for c in PAPER if c.status in claims.VERDICTS]
    assert sum(c.status == "holds" for c in judged) > len(judged) / 2


def test_every_page_that_is_named_exists():
    links = re.findall(r"\]\(([\w./-]+)\.(?:ipynb|md)\)", PAGE)
    assert len(links) > 30
    folder = ROOT / "book" / "partial-knowledge"
    # A page of prose is in book/, seen from the notebooks' folder of the paper.
    assert all(
        (folder / name.replace("../../book", "..")).with_suffix(".md").is_file() for name in links
    )


def test_every_function_that_is_named_exists():
    named = re.findall(r"`((?:[a-z_]+\.)+[a-z_]+)`", PAGE)
    assert {"noise.worst_case", "privacy_loss.bracket"} <= set(named)
    for name in named:
        module, *rest = name.removeprefix("pkdp.").split(".")
        full = pkdp._full_name(module) or f"pkdp.{module}"
        assert pkgutil.resolve_name(".".join([full, *rest])), name


def test_every_section_of_the_paper_has_claims():
    assert {c.page.rpartition("/")[2][0] for c in PAPER} == set("123456")
