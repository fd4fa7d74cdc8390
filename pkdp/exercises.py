"""Check an answer to an exercise of the book, without reading its solution.

An exercise that can be checked says so, and by which name. The answers are stored as salted
digests, so that nobody reads them by accident; the solutions are one click away.

>>> from pkdp import exercises
>>> exercises.check("two-steps", "3/5")
No. That is how often the coin does not decide.
"""

from __future__ import annotations

import hashlib
import json
import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from pkdp._checks import is_among

__all__ = ["Reply", "check", "names", "seal"]

_SEALED = Path(__file__).with_name("exercises.json")

# A digest of a short answer is found by trying all of them, so computing one should take a while.
# Not by hashlib.pbkdf2_hmac: a browser's Python has no OpenSSL.
_ROUNDS = 5_000

# What is said of an answer that is right but for its last digits, by whether it must be exact.
_NEARLY = {
    True: "That is right to three digits, and it is asked for exactly.",
    False: "That is right to two digits, and three are asked for.",
}

# A float is compared in its first digits.
_DIGITS = 3

# A float answers an exact question if it is this near to a fraction with such a denominator.
_MOST_DENOMINATOR = 100_000
_NEAR = 1e-9


@dataclass(frozen=True)
class Reply:
    """The reply to an answer: true if the answer is right, and shown in words.

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
    if not is_among(name, _sealed()):
        raise ValueError(f"name must be one of {', '.join(names())}, got {name!r}")
    entry = _sealed()[name]
    digests = [_digest(name, text) for text in _texts(answer, entry["exact"])]
    if entry["right"] in digests:
        return Reply(True, "")
    for digest in digests:
        if digest in entry["wrong"]:
            return Reply(False, entry["wrong"][digest])
    if _digest(name, _near(answer, entry["exact"])) == entry["near"]:
        return Reply(False, _NEARLY[entry["exact"]])
    return Reply(False, "")


def seal(
    name: str, right: float | Fraction, wrong: Mapping[float | Fraction, str]
) -> dict[str, Any]:
    """Return the entry of an exercise that can be checked, which does not show its answer.

    Parameters
    ----------
    name : str
        The exercise's name: its label without "exercise-".
    right : float, int or Fraction
        The answer. A float is compared in its first three digits, to one unit of the last of them;
        an integer or a fraction is exact.
    wrong : mapping of answers to str
        Answers that a known slip leads to, and a hint for each.

    Returns
    -------
    dict
        The entry of ``exercises.json`` under the name.

    Raises
    ------
    ValueError
        If a wrong answer could be taken for the right one.

    Examples
    --------
    >>> entry = seal("coin", Fraction(1, 2), {})
    >>> sorted(entry)
    ['exact', 'near', 'right', 'wrong']
    """
    exact = not isinstance(right, float)
    texts = [_texts(answer, exact) for answer in (right, *wrong)]
    if any(set(texts[0]) & set(others) for others in texts[1:]):
        raise ValueError(f"wrong must be told from the right answer of {name!r}, got {list(wrong)}")
    first, *others = (_digest(name, text) for text, *_ in texts)
    return {
        "exact": exact,
        "right": first,
        "near": _digest(name, _near(right, exact)),
        "wrong": dict(zip(others, wrong.values(), strict=True)),
    }


@cache
def _sealed() -> dict[str, dict[str, Any]]:
    entries: dict[str, dict[str, Any]] = json.loads(_SEALED.read_text(encoding="utf-8"))
    return entries


def _texts(answer: object, exact: bool) -> list[str]:
    """Return the texts that stand for an answer; the first is sealed."""
    value = _value(answer)
    if exact:
        near = value.limit_denominator(_MOST_DENOMINATOR)
        return [str(near if abs(value - near) <= _NEAR else value)]
    return _rounded(value, _DIGITS)


def _near(answer: object, exact: bool) -> str:
    """Return the text of the first digits alone, which differs from that of the whole answer."""
    return f"about {_rounded(_value(answer), _DIGITS if exact else _DIGITS - 1)[0]}"


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


def _rounded(value: Fraction, digits: int) -> list[str]:
    """Return a value rounded to some digits, then its neighbours: rounding twice may end there."""
    if value == 0:
        return ["0"]
    exponent = len(str(abs(value.numerator))) - len(str(value.denominator))
    if abs(value) < Fraction(10) ** exponent:
        exponent -= 1
    scale = Fraction(10) ** (exponent - digits + 1)
    nearest = round(value / scale)
    return [str(one * scale) for one in (nearest, nearest - 1, nearest + 1)]


def _digest(name: str, text: str) -> str:
    salt = hashlib.sha256(f"pkdp exercise {name}".encode()).hexdigest()[:16]
    digest = f"{salt} {text}".encode()
    for _ in range(_ROUNDS):
        digest = hashlib.sha256(digest).digest()
    return digest.hex()[:32]
