"""A browser for the tests of the pages, and its tabs."""

import pytest

from tests.book import browser as chromium
from tests.book.built import IN_CI


@pytest.fixture(scope="module")
def browser():
    executable = chromium.find()
    if executable is None:
        message = "no Chromium here: install it, or name one with CHROMIUM"
        pytest.fail(message) if IN_CI else pytest.skip(message)
    with chromium.launched(executable) as found:
        yield found


@pytest.fixture
def page(browser):
    """A new tab that remembers what went wrong in it."""
    with browser.new_context() as context:
        tab = context.new_page()
        tab.wrong = []
        tab.on("console", lambda m: m.type == "error" and tab.wrong.append(f"console: {m.text}"))
        tab.on("pageerror", lambda error: tab.wrong.append(f"error: {error}"))
        tab.on("requestfailed", lambda r: tab.wrong.append(f"request failed: {r.url}"))
        tab.on("response", lambda r: r.status >= 400 and tab.wrong.append(f"{r.status}: {r.url}"))
        tab.asked = []
        tab.on("request", lambda request: tab.asked.append(request.url))
        yield tab
