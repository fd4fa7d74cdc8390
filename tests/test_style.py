"""Phrases that the style guide replaces become fewer, never more."""

import pytest

from tests import style


def test_no_file_gains_a_phrase_and_fewer_are_stored():
    now, before = style.hits(), style.stored()
    assert {name: n for name, n in now.items() if n > before.get(name, 0)} == {}, "see STYLE.md"
    assert now == before, "`python -m tests.style` stores the lower numbers"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("It can be\n# had, as it hangs on λ.", 2),
        ("δ is 10 at most", 1),
        ("δ is at most 10, and leads to a contradiction", 0),
    ],
)
def test_phrases_are_found_across_lines(tmp_path, monkeypatch, text, number):
    (tmp_path / "page.md").write_text(text)
    monkeypatch.setattr(style, "ROOT", tmp_path)
    assert sum(style.hits().values()) == number


def test_a_higher_number_is_never_stored(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(style, "ROOT", tmp_path)
    monkeypatch.setattr(style, "STORED", tmp_path / "style.txt")
    style.STORED.write_text("2 page.md\n")
    (tmp_path / "page.md").write_text("It can be had.")
    assert style.main() == 0
    assert style.STORED.read_text() == "1 page.md\n"
    (tmp_path / "page.md").write_text("It can be had, and it hangs on λ.")
    assert style.main() == 1
    assert style.STORED.read_text() == "1 page.md\n"
    assert "page.md: 2 phrases, 1 before" in capsys.readouterr().err
