"""What every test shares: the same examples on every run, and which tests need what is built.

Hypothesis draws the same examples on every run and every machine; HYPOTHESIS_PROFILE=thorough draws
others, and more of them, and "quick" a few. "fuzz" is for tests/fuzz: 10,000 calls of each public
function, with the largest sizes, too. "mutation" draws those of every run, and looks for no simpler
one where one fails.

Tests marked ``book`` read the built book, and tests marked ``page`` belong to a page of it: they
are what the page's claims rest on. Those marked ``slow`` are left to ``make test-all``, except
those that a verdict rests on, where something changed since they passed: they are marked
``again``, too. See ``book/_ext/ledger/slow_tests.py``.
"""

import functools
import gc
import os
from typing import Any

import pytest
from hypothesis import Phase, settings

from book._ext.ledger import slow_tests
from tests.book.built import HTML, IN_CI

settings.register_profile("ci", derandomize=True, database=None, deadline=None, max_examples=60)
settings.register_profile("quick", derandomize=True, database=None, deadline=None, max_examples=10)
settings.register_profile("thorough", database=None, deadline=None, max_examples=3000)
settings.register_profile("fuzz", database=None, deadline=None, max_examples=10_000)
settings.register_profile(
    "mutation",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=60,
    phases=[Phase.explicit, Phase.generate],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_collection_finish() -> None:
    """Look for garbage less often, and never in what is there by now, and stays."""
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


def pytest_sessionfinish() -> None:
    """Let it be garbage at the end, or libraries in C say that it leaked."""
    gc.unfreeze()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell each process which slow tests passed as all is now: finding out takes seconds."""
    node.workerinput["settled"] = _all_settled()


@functools.cache
def _all_settled() -> list[str]:
    return sorted(slow_tests.settled(slow_tests.cited()))


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Say which slow tests a change may have broken; skip what needs a book where there is none."""
    slow = {
        item: slow_tests.without_parameters(item.nodeid)
        for item in items
        if item.get_closest_marker("slow")
    }
    again = slow_tests.cited() & set(slow.values()) if slow else set()
    told = getattr(config, "workerinput", {})
    again -= set(told["settled"]) if "settled" in told else slow_tests.settled(again)
    for item, test in slow.items():
        item.user_properties.append(("slow", test))  # for the report
        if test in again:
            item.add_marker("again")
    if HTML.exists() or IN_CI:
        return
    skip = pytest.mark.skip(reason="no book here: `make book` builds it")
    for item in items:
        if item.get_closest_marker("book"):
            item.add_marker(skip)
