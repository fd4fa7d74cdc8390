"""Check an answer to an exercise of the book, without reading its solution.

An exercise that can be checked says so, and by which name. The answers are stored as salted
digests, so that nobody reads them by accident; the solutions are one click away.

>>> from pkdp import exercises
>>> exercises.check("two-steps", "3/5")
No. That is how often the coin does not decide.

For lecturers, `variant` gives each of them other numbers.
"""

from __future__ import annotations

import hashlib
import json
import math
import numbers
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import count
from math import atanh, ceil, comb, log, tanh
from pathlib import Path
from typing import Any, SupportsIndex

from pkdp._bisection import first_passing
from pkdp._checks import as_integer, is_among

__all__ = ["Reply", "Variant", "check", "names", "seal", "variant"]

_SEALED = Path(__file__).with_name("exercises.json")
_VARIANTS = Path(__file__).with_name("exercises.variants.json")

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
    _require_name(name)
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


@dataclass(frozen=True)
class Variant:
    """An exercise with other numbers.

    Parameters
    ----------
    text : str
        What is asked, in Markdown.
    answer : float or Fraction
        The answer; a float is compared in its first three digits.
    """

    text: str
    answer: float | Fraction

    def check(self, answer: object) -> Reply:
        """Say whether an answer is right, as `check` does.

        Parameters
        ----------
        answer : int, float, Fraction, Decimal or str
            The answer. Text is read as a number, "0.25" or "3/4".

        Examples
        --------
        >>> variant("two-steps", seed=1).check(2)
        No.
        """
        exact = not isinstance(self.answer, float)
        return Reply(_texts(self.answer, exact)[0] in _texts(answer, exact), "")


def variant(name: str, *, seed: SupportsIndex) -> Variant:
    """Return an exercise with other numbers, for lecturers.

    Parameters
    ----------
    name : str
        The name of an exercise, one of `names`.
    seed : int
        At least 0. The same seed gives the same numbers.

    Raises
    ------
    ValueError
        If there is no such exercise, or the seed is negative.

    Examples
    --------
    >>> one = variant("week-of-counts", seed=1)
    >>> "for 30 days" in one.text, one.answer
    (True, Fraction(116, 1))
    """
    _require_name(name)
    source = random.Random(f"{name} {as_integer(seed, 'seed', 0, 2**64)}")
    chosen: dict[str, str] = {}

    def choose(place: re.Match[str]) -> str:
        if place[2]:
            chosen[place[1]] = source.choice(place[2].split("|"))
        return re.sub(r"1e(-\d)", r"10^{\1}", chosen[place[1]])

    text = _CHOICE.sub(choose, _templates()[name])
    return Variant(text, _ANSWERS[name](**{key: Fraction(of) for key, of in chosen.items()}))


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


def _require_name(name: str) -> None:
    if not is_among(name, _sealed()):
        raise ValueError(f"name must be one of {', '.join(names())}, got {name!r}")


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


# Exercises with other numbers: in a text of ``exercises.variants.json``, <k:1/2|2/3> is one of
# these values, and <k> the same again. Here are the answers.

_CHOICE = re.compile(r"<(\w+)(?::([^>]*))?>")


@cache
def _templates() -> dict[str, str]:
    texts: dict[str, str] = json.loads(_VARIANTS.read_text(encoding="utf-8"))
    return texts


def _least(enough: Callable[[int], bool]) -> Fraction:
    return Fraction(next(k for k in count(1) if enough(k)))


def _middle(n: Fraction) -> Fraction:
    """Return the largest mass of the number of heads of n fair coins."""
    return Fraction(comb(int(n), int(n) // 2), 2 ** int(n))


def _majority(odds: Fraction, n: Fraction) -> Fraction:
    ways = (comb(int(n), j) * odds**j for j in range(int(n) // 2 + 1, int(n) + 1))
    return sum(ways, Fraction(0)) / (1 + odds) ** int(n)


def _some_against_none(k: Fraction, p: Fraction, ratio: Fraction) -> Fraction:
    none = (1 - p) ** int(k)
    return ((1 - p + p * ratio) ** int(k) - none) / (1 - none)


def _forged_votes(n: Fraction, p: Fraction, T: Fraction) -> Fraction:
    # δ is one mass of the other votes: from here on these fall, and their differences add up.
    return _least(lambda m: _mass(int(n) - 1 - m, int(T) - m, p) > Fraction(1, 10**6))


def _mass(n: int, k: int, p: Fraction) -> Fraction:
    return comb(n, k) * p**k * (1 - p) ** (n - k)


def _given_away(p: Fraction, ratio: Fraction) -> Fraction:
    return max(side + max(1 - side - ratio * side, Fraction(0)) for side in (p, 1 - p))


def _scaled_noise(branches: Fraction, root: Fraction) -> Fraction:
    return root**2 * ((1 + root**2) / (1 + root)) ** int(branches)


def _worst_count(n: Fraction, known: Fraction, lam: Fraction, delta: Fraction) -> float:
    from pkdp.partial_knowledge import counting

    return counting.worst_case(int(n), lam, known=int(known)).epsilon(float(delta))


@cache
def _unknown(lam: Fraction, eps: Fraction, delta: Fraction) -> int:
    """Return the least number of unknown records besides the target's for ε at δ."""
    none = Fraction(0)
    return first_passing(
        1, 10_000, lambda N: _worst_count(Fraction(N + 1), none, lam, delta) <= eps
    )


def _count(others: Sequence[float], delta: Fraction) -> float:
    from pkdp.partial_knowledge import counting

    return counting.exact(others).epsilon(float(delta))


def _others(n: Fraction, low: Fraction, middle: Fraction, high: Fraction) -> list[float]:
    """Return the beliefs about all but the person of whom the attacker is least sure."""
    beliefs = [float(p) for p in (low, middle, middle, high) for _ in range(int(n) // 4)]
    beliefs.remove(min(beliefs, key=lambda p: abs(p - 0.5)))
    return beliefs


def _least_noise(others: Sequence[float], eps: Fraction) -> Fraction:
    from pkdp.partial_knowledge import counting, noise

    pair = counting.pair(others)
    noisy = (noise.add(pair, noise.Geometric(k / 100)).profile() for k in range(1, 100))
    return Fraction(next(k for k, one in enumerate(noisy, 1) if one.epsilon(1e-4) <= eps), 100)


@cache
def _forged_accounts(p: Fraction, known: Fraction, eps: Fraction) -> Fraction:
    from pkdp.partial_knowledge import thresholding

    profiles = (thresholding.worst_case(10**9, p, threshold=T) for T in count(1))
    return known + next(T for T, one in enumerate(profiles, 1) if one.epsilon(1e-6) <= eps)


def _small_cell(n: Fraction, p: Fraction, T: Fraction, delta: Fraction) -> float:
    from pkdp.partial_knowledge import thresholding

    others = [float(p)] * (int(n) - 1)
    return thresholding.exact(others, threshold=int(T)).epsilon(float(delta))


def _register(n: Fraction, p: Fraction, delta: Fraction) -> Fraction:
    from pkdp.partial_knowledge import thresholding

    return _least(lambda T: thresholding.worst_case(int(n), p, threshold=T).delta(0.0) <= delta)


def _sampled(rate: Fraction, eps: Fraction, delta: Fraction) -> Fraction:
    from pkdp.partial_knowledge import kanonymity

    return 1 + _least(lambda k: kanonymity.sampled(k=k + 1, rate=rate).delta(float(eps)) <= delta)


def _two_eyes(n: Fraction, one: Fraction, two: Fraction) -> float:
    from pkdp.noiseless import sums

    patient = {0: 1 - one - two, 1: one, 2: two}
    return sums.pair([(patient, int(n) - 1)], shift=2).profile().epsilon(1e-4)


def _member(n: Fraction, years: Fraction, **habits: Fraction) -> float:
    from pkdp.partial_knowledge import daily_profiles

    chain = daily_profiles.MarkovChain(**{name: float(p) for name, p in habits.items()})
    always, never = (1,) * int(years), (0,) * int(years)
    return daily_profiles.gaussian_limit(int(n), chain, a=always, b=never).epsilon(1e-5)


_ANSWERS: dict[str, Callable[..., float | Fraction]] = {
    "affairs": lambda n, **beliefs: _count(_others(n, **beliefs), 1 / n**2),
    "better-guess": _majority,
    "births": lambda eps, **beliefs: _least_noise(_others(**beliefs), eps),
    "coin-for-parity": lambda m, k: k / m,
    "coin-of-two": lambda d, m: 2 * min(m**2, (1 - m) ** 2 / 2),
    "end-of-the-row": lambda n, rho: n * (1 - rho**2),
    "error-that-tells": lambda rate: (1 - 2 * rate) ** 2,
    "eyes": _two_eyes,
    "forged-accounts": _forged_accounts,
    "forged-votes": _forged_votes,
    "give-away": _given_away,
    "honest-coin": lambda k: (1 + k) / (1 - k),
    "how-many": lambda lam, eps, delta: Fraction(
        ceil(4.7614 * log(1 / delta) / float(lam * eps**2))
    ),
    "hundreds": _middle,
    "least-department": lambda **asked: Fraction(2 * _unknown(**asked) + 1),
    "left": _middle,
    "maximum": lambda m, others: (1 - 1 / m) ** int(others),
    "mortgages": _small_cell,
    "noise-scaled": _scaled_noise,
    "noisy-clinic": _worst_count,
    "one-bit": lambda p: 1 - p,
    "one-record": lambda k: 1 / (1 - k),
    "passengers": _sampled,
    "pure": lambda rate, delta: _least(lambda k: rate**k <= delta),
    "rare-disease": _register,
    "silent-database": lambda eps, leak: tanh(eps / 2) * float(leak),
    "smaller-country": lambda n, **asked: n - 1 - _unknown(**asked),
    "ten-days": lambda rho, days: 1 + (days - 1) * (1 + rho) / (1 - rho),
    "three-answers": lambda answers, ratio, yes: (
        (yes * (ratio + answers - 1) / 1000 - 1) / (ratio - 1)
    ),
    "three-products": _some_against_none,
    "three-questions": lambda ratio: float(ratio) ** (-1 / 3),
    "told-bit": lambda k: 1 / (1 - k),
    "two-bits-by-hand": lambda ratio: (2 * ratio**2 + 1) / (ratio**2 + 2),
    "two-records": lambda t, u: t + u,
    "two-steps": lambda p, lam: (p - lam) / (1 - 2 * lam),
    "uniform-leaks": lambda k, delta: 1 - ((2 - delta) ** int(k) - 1) / (2 ** int(k) - 1),
    "union": _member,
    "village": _worst_count,
    "village-of-households": lambda n, size, delta: _count([0.5] * (int(n / size) - 1), delta),
    "week-of-counts": lambda days: 4 * (days - 1),
    "whispers": lambda a, eps: _least(lambda k: 2 * atanh(tanh(a / 2) ** k) < eps),
}
