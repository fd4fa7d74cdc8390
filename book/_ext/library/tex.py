r"""TeX from the formulas of docstrings, which are written to be read as plain text.

``δ(ε) = Σ_k P[X = k]·√(2k)`` in a docstring becomes a formula on the page.
"""

from __future__ import annotations

import re
import unicodedata

# What makes a formula of a piece of code, and what nothing but code has.
_SIGNS = re.compile(r"[α-ωΦΣΠΓµ√∞≤≥≠·‖∈∫∪₀-₉₊²³⁴½]|\^|_\{")
_CODE = re.compile(r"""["#%&$\\]|\*\*|\.[a-z]{2}|[a-z]{3}_[a-z]{2}|\w=|(?<![_^]){|^\d…""")
_WORD = re.compile(
    r"((?<=[\w)\]}]) )?(?<![\\A-Za-z])([A-Za-z]{3,}|is|it|of|KL|bl)(?![A-Za-z])( (?=[\w(\\√]))?"
)
_FUNCTION = re.compile(r"(?<![A-Za-z])(ln|exp|max|min|sin|cos|sinh|cosh|tanh)(?![A-Za-z])")
# An exponent goes as far as one name, with its sign and its index.
_EXPONENT = re.compile(r"\^(min\([^()]*\)|-?[^\W_]+'*(?:_(?:\{[^{}]*\}|\w))?|\|\w+\|)")
_NAMES = {"√": r"\sqrt", "Σ": r"\sum ", "Π": r"\prod ", "·": r"\cdot ", "~": r"\sim "}


def is_formula(text: str) -> bool:
    """Return whether a piece of a docstring is a formula, and not code.

    Examples
    --------
    >>> is_formula("k·δ(ε/k)"), is_formula("exact(p).delta(0)"), is_formula("0…n-1")
    (True, False, False)
    """
    return bool(_SIGNS.search(text)) and not _CODE.search(text)


def tex(formula: str) -> str:
    r"""Return a formula in TeX.

    Examples
    --------
    >>> print(tex("√(2k ln(1/δ'))·ε₁"), tex("e^(ε₁+ε₂) ≤ ½"), tex("Σ_j x_(j+1)²"), sep="\n")
    \sqrt{2k \ln (1/δ')}\cdot ε_{1}
    e^{ε_{1}+ε_{2}} ≤ \tfrac{1}{2}
    \sum _j x_{j+1}^{2}
    """
    text = re.sub("(.)\u0302", r"\\hat \1", " ".join(formula.replace("’", "'").split()))
    text = re.sub(r"\b1e(-?\d+)", r"10^\1", "".join(map(_plain, text)))
    text = re.sub(r"_(\w{2,})", r"_{\1}", text)
    text = _EXPONENT.sub(r"^{\1}", text)
    for opening in ("^(", "_(", "√("):
        while (start := text.find(opening)) >= 0:
            text = _in_braces(text, start + 1)
    text = re.sub(r"√(\w+\([^()]*\)|\w)", r"√{\1}", text)
    text = _WORD.sub(r"\\text{\1\2\3}", _FUNCTION.sub(r"\\\1 ", text))
    return "".join(_NAMES.get(sign, sign) for sign in text).replace("  ", " ")


def _plain(sign: str) -> str:
    """Return ``_{1}`` of ₁, ``^{2}`` of ², and other signs as they are."""
    kind, *codes = unicodedata.decomposition(sign).split(" ")
    signs = [chr(int(code, 16)) for code in codes]
    match kind:
        case "<sub>" | "<super>":
            return f"{'_' if kind == '<sub>' else '^'}{{{signs[0]}}}"
        case "<fraction>":
            return rf"\tfrac{{{signs[0]}}}{{{signs[2]}}}"
        case "<compat>" if sign == "µ":
            return signs[0]
    return sign


def _in_braces(text: str, start: int) -> str:
    """Replace the parenthesis that begins at a place, and its end, by braces."""
    depth = 0
    for place, sign in enumerate(text[start:], start):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return f"{text[:start]}{{{text[start + 1 : place]}}}{text[place + 1 :]}"
    raise ValueError(f"a parenthesis must end, got {text!r}")
