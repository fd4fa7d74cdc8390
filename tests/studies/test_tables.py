"""Tables as text and as HTML: every kind of cell, and what is refused."""

import math
from fractions import Fraction as F

import numpy as np
from bs4 import BeautifulSoup

from notebooks.conftest import Printed
from pkdp import tables

KINDS = tables.of_columns(
    {
        "what": ["all", "a <b> & c", r"$\hat{B}$, $\Lambda$"],
        r"$e^\varepsilon$": [F(-3, 4), F(2), math.inf],
        "delta": [1e-9, -2.5e-10, None],
        "n": [10, np.int64(10_000), np.float64(0.5)],
        "safe": [True, np.bool_(False), None],
    },
    formats={"n": ","},
    caption=r"Three rows, $E = e^\varepsilon$",
)


def html(table):
    return BeautifulSoup(table._repr_html_(), "html.parser")


def cells(table):
    return [[cell.decode_contents() for cell in row(["th", "td"])] for row in html(table)("tr")]


def formula(tex):
    return rf'<span class="math notranslate nohighlight">\({tex}\)</span>'


def test_a_terminal_shows_text():
    assert repr(KINDS).splitlines() == [
        "Three rows, E = e^ε",
        "what        e^ε     delta       n  safe",
        "---------  ----  --------  ------  ----",
        "all        -3/4     1e-09      10  yes",
        "a <b> & c     2  -2.5e-10  10,000  no",
        "B̂, Λ          ∞         –     0.5  –",
    ]


def test_a_page_shows_html():
    assert cells(KINDS) == [
        ["what", formula(r"e^\varepsilon"), "delta", "n", "safe"],
        ["all", "−<sup>3</sup>⁄<sub>4</sub>", "10<sup>−9</sup>", "10", "yes"],
        ["a &lt;b&gt; &amp; c", "2", "−2.5 · 10<sup>−10</sup>", "10,000", "no"],
        [formula(r"\hat{B}") + ", " + formula(r"\Lambda"), "∞", "–", "0.5", "–"],
    ]
    caption = html(KINDS).caption.decode_contents()
    assert caption == "Three rows, " + formula(r"E = e^\varepsilon")


def test_rows_and_columns_have_headings_and_numbers_stand_at_the_right():
    found = html(KINDS)
    assert [head["scope"] for head in found.thead("th")] == ["col"] * 5
    assert [head["scope"] for head in found.tbody("th")] == ["row"] * 3
    for row in found("tr"):
        assert [cell.get("class") for cell in row(["th", "td"])] == [
            None,
            ["number"],
            ["number"],
            ["number"],
            None,
        ]


def test_a_column_with_a_word_in_it_is_not_one_of_numbers():
    mixed = tables.of_rows(["a", "b"], [("x", 1), ("y", "none")])
    assert repr(mixed).splitlines()[2:] == ["x  1", "y  none"]
    assert not html(mixed)(class_="number")


def test_the_text_has_every_decimal_of_the_page():
    # The prose of a page may use the decimals of its outputs, which are looked up in their text.
    values = np.geomspace(1e-3, 10, 7)
    table = tables.of_columns({"x": values, "y": values**2}, formats=".3f")
    for row, value in zip(cells(table)[1:], values, strict=True):
        assert row == [f"{value:.3f}", f"{value**2:.3f}"]
        assert all(cell in repr(table) for cell in row)


def test_stored_tables_are_compared_with_a_tolerance():
    def shown(value, records=10):
        table = tables.of_rows(["records", "delta"], [(records, value)], formats={"delta": ".9g"})
        return [Printed(table._repr_html_()), Printed(repr(table))]

    for value in (0.123456789, 1.23456789e-12):
        for one, same, other, another in zip(
            shown(value),
            shown(value * (1 + 1e-7)),
            shown(value * (1 + 1e-5)),
            shown(value, records=11),
            strict=True,
        ):
            assert one == same
            assert one != other
            assert one != another
