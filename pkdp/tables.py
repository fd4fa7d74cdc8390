"""Tables of results, as pages show them: HTML in a notebook or in the book, text in a terminal.

A cell that ends in a table shows it. Two in one cell are shown by ``display(table)``.
"""

from __future__ import annotations

import html
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral, Rational, Real

from pkdp._checks import as_instance, as_mapping, as_several, is_numpys

__all__ = ["Table", "of_columns", "of_rows", "plain"]

_FORMULA = re.compile(r"\$([^$]+)\$")
_SIGNS = {"approx": "≈", "le": "≤", "ge": "≥", "to": "→", "infty": "∞", "bot": "⊥", "dots": "…"}
_NUMBER = re.compile(r"[-+]?[\d,]+(?:\.\d+)?(?:e[-+]?\d+)?%?")
# A number with its unit or sign in a text.
_AS_TEXT = re.compile(
    r"(?:[<>≤≥≈] ?)?[-−+]?[\d,]+(?:\.\d+)?(?:e[-+]?\d+)?(?: ?%)?|\$10\^\{[-.\d]+\}\$"
)


@dataclass(frozen=True)
class Table:
    r"""Rows of texts and numbers under headings.

    Numbers, even those written as texts, such as ``"12 %"``, stand at the right of their column,
    fractions stay fractions. `of_rows` and `of_columns` make one.

    Attributes
    ----------
    headings : tuple of str
        One for each column. What stands between dollars is a formula, here and in every text.
    rows : tuple of tuple
        Each as long as `headings`. The first cell names the row. A cell is a text, a number, a
        truth value, or None where there is nothing to say.
    formats : tuple of str
        How the numbers of each column are written, as in `format`: ``".3f"``, ``","``, ``".2e"``,
        ``".1%"``. Where it is empty, integers and fractions are written out, other numbers with
        four significant digits.
    caption : str or None
        What the table shows, above it.

    Examples
    --------
    >>> table = of_rows(["records", r"$\varepsilon$"], [(10, 0.25), (1000, float("inf"))])
    >>> table
    records     ε
    -------  ----
         10  0.25
       1000     ∞
    >>> print(table._repr_html_())  # doctest: +ELLIPSIS
    <div class="pkdp-table ...<th scope="row" class="number">10</th><td class="number">0.25</td>...
    """

    headings: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    formats: tuple[str, ...]
    caption: str | None = None

    def __repr__(self) -> str:
        """Return the table as lines of text."""
        words = [[plain(heading) for heading in self.headings]]
        words += [
            [_written(cell, form) for cell, form in zip(row, self.formats, strict=True)]
            for row in self.rows
        ]
        widths = [max(map(_width, column)) for column in zip(*words, strict=True)]
        right = [self._is_of_numbers(column) for column in range(len(widths))]
        lines = [_line(row, widths, right) for row in words]
        lines.insert(1, "  ".join("-" * width for width in widths))
        if self.caption:
            lines.insert(0, plain(self.caption))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the table for a notebook or a page, in a box that scrolls if it is too wide."""
        kinds = [
            ' class="number"' if self._is_of_numbers(column) else ""
            for column in range(len(self.headings))
        ]
        head = "".join(
            f'<th scope="col"{kind}>{_marked_up(heading)}</th>'
            for heading, kind in zip(self.headings, kinds, strict=True)
        )
        body = []
        for row in self.rows:
            first, *others = (
                _shown(cell, form) for cell, form in zip(row, self.formats, strict=True)
            )
            cells = "".join(
                f"<td{kind}>{cell}</td>" for cell, kind in zip(others, kinds[1:], strict=True)
            )
            body.append(f'<tr><th scope="row"{kinds[0]}>{first}</th>{cells}</tr>')
        caption = f"<caption>{_marked_up(self.caption)}</caption>" if self.caption else ""
        # The theme gives a box of this second class a tab stop where it scrolls.
        return "\n".join(
            [
                '<div class="pkdp-table pst-scrollable-table-container"><table class="table">',
                f"{caption}<thead><tr>{head}</tr></thead>",
                "<tbody>",
                *body,
                "</tbody></table></div>",
            ]
        )

    def _is_of_numbers(self, column: int) -> bool:
        cells = [row[column] for row in self.rows if row[column] is not None]
        return bool(cells) and all(
            _AS_TEXT.fullmatch(cell)
            if isinstance(cell, str)
            else isinstance(cell, Real) and not _is_truth(cell)
            for cell in cells
        )


def of_rows(
    headings: Iterable[str],
    rows: Iterable[Iterable[object]],
    *,
    formats: str | Mapping[str, str] = "",
    caption: str | None = None,
) -> Table:
    r"""Return a table of rows.

    Parameters
    ----------
    headings : iterable of str
        One for each column, at least one, no two the same. What stands between dollars is a
        formula, here and in every text.
    rows : iterable of iterable
        Of texts, numbers, truth values and None, as many in each row as there are headings. The
        first names the row.
    formats : str or mapping of str to str
        How numbers are written, as in `format`: one for all columns, or by heading for some.
    caption : str, optional
        What the table shows.

    Raises
    ------
    ValueError
        If there is no heading or two are the same, a row has another length, a format is for no
        heading or fits no number, or a number is not one (nan).

    Examples
    --------
    >>> from fractions import Fraction
    >>> of_rows(
    ...     ["what is told", r"$e^\varepsilon$", "of how many", "safe"],
    ...     [("the parity", Fraction(3, 2), 10_000, True), ("all", float("inf"), None, False)],
    ...     formats={"of how many": ","},
    ... )
    what is told  e^ε  of how many  safe
    ------------  ---  -----------  ----
    the parity    3/2       10,000  yes
    all             ∞            –  no
    """
    names = _headings(headings)
    if isinstance(formats, str):
        chosen = (formats,) * len(names)
    else:
        for heading in as_mapping(formats, "formats", "texts, or one text"):
            if heading not in names:
                raise ValueError(f"formats must be for headings, {names}, got {heading!r}")
        chosen = tuple(formats.get(heading, "") for heading in names)
    found = []
    for row in as_several(rows, "rows", "rows of cells"):
        cells = () if isinstance(row, str) else as_several(row, "rows: a row", "cells")
        if len(cells) != len(names):
            raise ValueError(f"rows must have {len(names)} cells each, got {row!r}")
        found.append(cells)
        for cell, form in zip(cells, chosen, strict=True):
            _written(cell, form)  # refuses what it cannot write
    return Table(names, tuple(found), chosen, caption)


def of_columns(
    columns: Mapping[str, Iterable[object]],
    *,
    formats: str | Mapping[str, str] = "",
    caption: str | None = None,
) -> Table:
    r"""Return a table of columns.

    Parameters
    ----------
    columns : mapping of str to iterable
        From each heading to the cells under it, from the top; all of one length. The cells of the
        first name the rows. Else as for `of_rows`.
    formats, caption
        As for `of_rows`.

    Raises
    ------
    ValueError
        As for `of_rows`, or if the columns differ in length.

    Examples
    --------
    >>> of_columns({"unknown": [10, 100], r"$\delta$": [0.0125, 2.5e-9]})
    unknown        δ
    -------  -------
         10   0.0125
        100  2.5e-09
    """
    as_mapping(columns, "columns", "cells")
    cells = [
        # Of a mapping its keys are meant: the first column may be one, to name the rows.
        as_several(list(column) if isinstance(column, Mapping) else column, "columns", "cells")
        for column in columns.values()
    ]
    if len({len(column) for column in cells}) > 1:
        lengths = {heading: len(column) for heading, column in zip(columns, cells, strict=True)}
        raise ValueError(f"columns must have one length, got {lengths}")
    return of_rows(columns, zip(*cells, strict=True), formats=formats, caption=caption)


def plain(text: str) -> str:
    r"""Return a text with its formulas as a terminal can show them.

    Parameters
    ----------
    text : str
        What stands between dollars is a formula in TeX. Greek letters and hats become characters;
        of other commands their names remain, and of braces nothing.

    Examples
    --------
    >>> plain(r"$\hat{B}$ and $e^{\varepsilon}$, $2 \ln \Lambda$")
    'B̂ and e^ε, 2 ln Λ'
    """

    def symbol(found: re.Match[str]) -> str:
        if found[1] in _SIGNS:
            return _SIGNS[found[1]]
        name = found[1].removeprefix("var").replace("lambda", "lamda").replace("Lambda", "Lamda")
        size = "SMALL" if name.islower() else "CAPITAL"
        try:
            return unicodedata.lookup(f"GREEK {size} LETTER {name}")
        except KeyError:
            return found[1]

    def formula(found: re.Match[str]) -> str:
        words = re.sub(r"\\hat\s*{?(\\?\w+)}?", "\\1\N{COMBINING CIRCUMFLEX ACCENT}", found[1])
        words = words.replace(r"\|", "‖").replace(r"\,", "")
        words = re.sub(r"\\(?:mathcal|mathrm|mathbf|text)\b", "", words)
        return re.sub(r"[{}\\]", "", re.sub(r"\\([A-Za-z]+)", symbol, words))

    return _FORMULA.sub(formula, as_instance(text, "text", str))


def _headings(headings: Iterable[str]) -> tuple[str, ...]:
    # Those of columns are the keys of a mapping.
    listed = tuple(headings) if isinstance(headings, Mapping) else headings
    names = () if isinstance(headings, str) else as_several(listed, "headings", "texts")
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"headings must be texts, got {name!r}")
    if not names or len(set(names)) < len(names):
        raise ValueError(f"headings must be one or more texts, no two the same, got {headings!r}")
    return names


def _is_truth(cell: object) -> bool:
    return isinstance(cell, bool) or is_numpys(cell, "bool_")


def _written(cell: object, form: str) -> str:
    """Return a cell as text."""
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return plain(cell)
    if _is_truth(cell):
        return "yes" if cell else "no"
    if not isinstance(cell, Real):
        raise TypeError(f"rows must hold texts, numbers, truth values and None, got {cell!r}")
    if isinstance(cell, Rational) and not form:
        return str(cell)
    # Not all versions of Python can format a fraction.
    number = int(cell) if isinstance(cell, Integral) else float(cell)
    if math.isnan(number):
        raise ValueError(f"rows must hold numbers, got {cell!r}")
    if math.isinf(number):
        return "∞" if number > 0 else "-∞"
    try:
        return format(number, form or ".4g")
    except ValueError:
        raise ValueError(f"formats must fit what is below it, got {form!r} for {cell!r}") from None


def _shown(cell: object, form: str) -> str:
    """Return a cell as HTML: fractions and powers of ten as they are printed in books."""
    if isinstance(cell, str):
        return _marked_up(cell)
    text = _written(cell, form)
    sign, digits = ("−", text[1:]) if text.startswith("-") else ("", text)
    if isinstance(cell, Fraction) and "/" in digits:
        above, below = digits.split("/")
        return f"{sign}<sup>{above}</sup>&frasl;<sub>{below}</sub>"
    if _NUMBER.fullmatch(digits) and "e" in digits:
        mantissa, exponent = digits.split("e")
        power = f"10<sup>{str(int(exponent)).replace('-', '−')}</sup>"
        return sign + (power if mantissa == "1" else f"{mantissa} · {power}")
    return sign + html.escape(digits)


def _marked_up(text: str) -> str:
    """Return a text as HTML in which MathJax finds its formulas."""
    marked = r'<span class="math notranslate nohighlight">\\(\1\\)</span>'
    return _FORMULA.sub(marked, html.escape(text, quote=False))


def _width(word: str) -> int:
    """Return how many characters wide a word is: a hat stands on another character."""
    return sum(not unicodedata.combining(character) for character in word)


def _line(words: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    cells = []
    for word, width, at_right in zip(words, widths, right, strict=True):
        room = " " * (width - _width(word))
        cells.append(room + word if at_right else word + room)
    return "  ".join(cells).rstrip()
