"""Check an answer to an exercise of the book, without reading its solution.

An exercise that can be checked says so, and by which name. The answers are kept as salted digests:
nobody reads them by accident, and who wants to know the answer reads the solution, one click away.

>>> from pkdp import exercises
>>> exercises.check("two-steps", "3/5")
No. That is how often the coin does not decide.
"""

from __future__ import annotations

import hashlib
import json
import math
import numbers
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pkdp._checks import as_integer, is_among

__all__ = ["Kind", "Reply", "check", "names", "question", "seal"]

Kind = Literal["number", "fraction"]

_SEALED = Path(__file__).with_name("exercises.json")

# A digest of a short answer is found by trying all of them; so it takes some time to make one. Not
# by hashlib.pbkdf2_hmac: a browser's Python has no OpenSSL.
_ROUNDS = 5_000

# What is meant by "the same fraction" if a float is given.
_MOST_DENOMINATOR = 100_000
_NEAR = 1e-9


@dataclass(frozen=True)
class Reply:
    """What is said of an answer: it is true if the answer is right, and shown in words.

    Parameters
    ----------
    right : bool
        Whether the answer is right.
    hint : str
        What may have gone wrong, "" if that is not known.

    Examples
    --------
    >>> Reply(True, "")
    Yes.
    >>> bool(Reply(False, "Count the target, too."))
    False
    """

    right: bool
    hint: str

    def __bool__(self) -> bool:
        return self.right

    def __repr__(self) -> str:
        return " ".join(filter(None, ("Yes." if self.right else "No.", self.hint)))


def names() -> list[str]:
    """Return the names of the exercises that can be checked, in alphabetical order.

    Examples
    --------
    >>> "village" in names()
    True
    """
    return sorted(_sealed())


def question(name: str) -> str:
    """Return what is asked for, and in which form the answer is given.

    Parameters
    ----------
    name : str
        The name of an exercise, one of `names`.

    Raises
    ------
    ValueError
        If there is no such exercise.

    Examples
    --------
    >>> question("village")
    'ε at δ = 0.02 (to three digits)'
    """
    entry = _entry(name)
    digits = f"to {_DIGITS[entry['digits']]} digits"
    return f"{entry['asks']} ({digits if entry['kind'] == 'number' else 'exactly'})"


def check(name: str, answer: object) -> Reply:
    """Say whether an answer is right, never what is right.

    Parameters
    ----------
    name : str
        The name of an exercise, as it stands on its page; one of `names`.
    answer : int, float, Fraction, Decimal or str
        The answer. Text is read as a number, "0.25" or "3/4".

    Returns
    -------
    Reply
        Yes, no, or no with a hint if the answer is one that a known slip leads to, or is right but
        for its last digits.

    Raises
    ------
    ValueError
        If there is no such exercise, or the answer is not a finite number.

    Examples
    --------
    >>> check("village", 3)
    No.
    """
    entry = _entry(name)
    digests = [_digest(entry["salt"], text) for text in _texts(entry, answer)]
    if entry["right"] in digests:
        return Reply(True, "")
    for digest in digests:
        if digest in entry["wrong"]:
            return Reply(False, entry["wrong"][digest])
    if _digest(entry["salt"], _near(entry, answer)) == entry["near"]:
        exact = entry["kind"] == "fraction"
        asked = "it is asked for exactly" if exact else f"{_DIGITS[entry['digits']]} are asked for"
        return Reply(False, f"That is right to {_DIGITS[_fewer(entry)]} digits, and {asked}.")
    return Reply(False, "")


def seal(
    name: str,
    asks: str,
    right: float | Fraction,
    wrong: Mapping[float | Fraction, str],
    *,
    digits: int = 3,
) -> dict[str, Any]:
    """Return the entry of an exercise that can be checked, from which its answer is not read.

    Parameters
    ----------
    name : str
        The exercise's name: its label without "exercise-".
    asks : str
        What is asked for, in a few words.
    right : float, int or Fraction
        The answer. A float is compared in its first `digits` digits, to one unit of the last of
        them; an integer or a fraction is exact.
    wrong : mapping of answers to str
        Answers that a known slip leads to, and what is said of each.
    digits : int
        Of a float, how many digits matter, in 2…6.

    Returns
    -------
    dict
        What stands in ``exercises.json`` under the name.

    Raises
    ------
    ValueError
        If `digits` is out of its range, or a wrong answer could be taken for the right one.
    TypeError
        If `digits` is no integer.

    Examples
    --------
    >>> entry = seal("coin", "how often it falls heads", Fraction(1, 2), {})
    >>> sorted(entry)
    ['asks', 'digits', 'kind', 'near', 'right', 'salt', 'wrong']
    """
    digits = as_integer(digits, "digits", 2, 6)
    kind: Kind = "number" if isinstance(right, float) else "fraction"
    entry: dict[str, Any] = {
        "asks": asks,
        "kind": kind,
        "digits": digits,
        "salt": hashlib.sha256(f"pkdp exercise {name}".encode()).hexdigest()[:16],
    }
    texts = [_texts(entry, answer) for answer in (right, *wrong)]
    if any(set(texts[0]) & set(others) for others in texts[1:]):
        raise ValueError(f"wrong must be told from the right answer of {name!r}, got {list(wrong)}")
    first, *others = (_digest(entry["salt"], text) for text, *_ in texts)
    return entry | {
        "right": first,
        "near": _digest(entry["salt"], _near(entry, right)),
        "wrong": dict(zip(others, wrong.values(), strict=True)),
    }


_DIGITS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}


@cache
def _sealed() -> dict[str, dict[str, Any]]:
    entries: dict[str, dict[str, Any]] = json.loads(_SEALED.read_text(encoding="utf-8"))
    return entries


def _entry(name: str) -> dict[str, Any]:
    if not is_among(name, _sealed()):
        raise ValueError(f"name must be one of {', '.join(names())}, got {name!r}")
    return _sealed()[name]


def _texts(entry: Mapping[str, Any], answer: object) -> list[str]:
    """Return what an answer may be written as; the first is how it is sealed."""
    value = _value(answer)
    if entry["kind"] == "fraction":
        near = value.limit_denominator(_MOST_DENOMINATOR)
        return [str(near if abs(value - near) <= _NEAR else value)]
    return list(_rounded(value, entry["digits"]))


def _value(answer: object) -> Fraction:
    try:
        if isinstance(answer, bool) or not isinstance(answer, str | numbers.Real | Decimal):
            raise TypeError
        if isinstance(answer, str | numbers.Rational | Decimal):
            return Fraction(answer)
        number = float(answer)
        if not math.isfinite(number):
            raise ValueError
        return Fraction(number)
    except (TypeError, ValueError, ArithmeticError):
        raise ValueError(f"answer must be a finite number, got {answer!r}") from None


def _rounded(value: Fraction, digits: int) -> Iterator[str]:
    """Yield a value rounded to some digits, then its neighbours: rounding twice may end there."""
    if value == 0:
        yield "0"
        return
    scale = Fraction(10) ** (_exponent(abs(value)) - digits + 1)
    nearest = round(value / scale)
    for one in (nearest, nearest - 1, nearest + 1):
        yield str(one * scale)


def _fewer(entry: Mapping[str, Any]) -> int:
    """Return to how many digits an answer is right that has too few."""
    fewer: int = 3 if entry["kind"] == "fraction" else entry["digits"] - 1
    return fewer


def _near(entry: Mapping[str, Any], answer: object) -> str:
    """Return what is sealed of the first digits alone, apart from what is sealed of the whole."""
    return f"about {next(_rounded(_value(answer), _fewer(entry)))}"


def _exponent(value: Fraction) -> int:
    """Return the decimal exponent of the first digit of a positive number."""
    exponent = len(str(value.numerator)) - len(str(value.denominator))
    return exponent if value >= Fraction(10) ** exponent else exponent - 1


def _digest(salt: str, text: str) -> str:
    digest = f"{salt} {text}".encode()
    for _ in range(_ROUNDS):
        digest = hashlib.sha256(digest).digest()
    return digest.hex()[:32]
