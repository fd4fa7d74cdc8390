"""Phrases that the style guide replaces become fewer, never more."""

from tests import style


def test_no_file_gains_a_phrase_and_fewer_are_stored():
    now, before = style.hits(), style.stored()
    assert {name: n for name, n in now.items() if n > before.get(name, 0)} == {}, "see STYLE.md"
    assert now == before, "`python -m tests.style` stores the lower numbers"
