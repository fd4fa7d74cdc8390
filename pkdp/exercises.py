"""Check an answer to an exercise of the book, without reading its solution.

An exercise that can be checked says so, and by which name. The answers are stored as salted
digests, so that nobody reads them by accident; the solutions are one click away.

>>> from pkdp import exercises
>>> exercises.check("two-steps", "3/5")
No. That is how often the coin does not decide.

For lecturers, `variant` gives some exercises other numbers.
"""

from __future__ import annotations

import hashlib
import json
import math
import numbers
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import count
from math import atanh, comb, tanh
from pathlib import Path
from typing import Any, SupportsIndex

from pkdp._checks import as_integer, is_among

__all__ = ["Reply", "Variant", "check", "names", "seal", "variant"]

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
        The name of an exercise of which there are variants.
    seed : int
        At least 0. The same seed gives the same numbers.

    Raises
    ------
    ValueError
        If there are no variants of an exercise of this name.

    Examples
    --------
    >>> one = variant("week-of-counts", seed=1)
    >>> one.text.partition("exceed")[0][-24:], one.answer
    ('can the loss of 30 days ', Fraction(116, 1))
    """
    if not is_among(name, _TEMPLATES):
        raise ValueError(f"name must be one of {', '.join(_TEMPLATES)}, got {name!r}")
    template, answer = _TEMPLATES[name]
    source = random.Random(f"{name} {as_integer(seed, 'seed', 0, 2**64)}")
    chosen: dict[str, str] = {}

    def choose(place: re.Match[str]) -> str:
        if place[2]:
            chosen[place[1]] = source.choice(place[2].split("|"))
        return chosen[place[1]]

    text = _CHOICE.sub(choose, template)
    return Variant(text, answer(**{key: Fraction(value) for key, value in chosen.items()}))


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


# Exercises with other numbers: the text, with values to choose from, and its answer. In a text
# <k:1/2|2/3> is one of these values, and <k> the same again.

_CHOICE = re.compile(r"<(\w+)(?::([^>]*))?>")


def _least(enough: Callable[[int], bool]) -> Fraction:
    return Fraction(next(k for k in count(1) if enough(k)))


def _majority(odds: Fraction, n: Fraction) -> Fraction:
    ways = (comb(int(n), j) * odds**j for j in range(int(n) // 2 + 1, int(n) + 1))
    return sum(ways, Fraction(0)) / (1 + odds) ** int(n)


def _some_against_none(k: Fraction, p: Fraction, ratio: Fraction) -> Fraction:
    none = (1 - p) ** int(k)
    return ((1 - p + p * ratio) ** int(k) - none) / (1 - none)


_RESPONSE = (
    "A fair bit is told by randomized response: as it is with probability "
    "<k:1/3|1/4|2/5|3/5|2/3|3/4|5/6|9/10>, and otherwise as a fair coin says. "
)

_TEMPLATES: dict[str, tuple[str, Callable[..., float | Fraction]]] = {
    "better-guess": (
        r"An adversary plays the classic experiment with <n:3|5|7> leaky responses of "
        r"$e^{\varepsilon} = <odds:2|3|4|5>$ and $\delta = 0$, and $b$ is a fair coin. How often "
        r"is her best guess right?",
        _majority,
    ),
    "end-of-the-row": (
        r"How many independent bits is a chain of <n:1000|2000|5000|20000> bits with correlation "
        r"$\rho = <rho:1/2|1/4|3/4|1/5|2/5|4/5>$ from one to the next worth to its first record, "
        r"by the conditional notion?",
        lambda n, rho: n * (1 - rho**2),
    ),
    "error-that-tells": (
        r"Two votes have one common rate of Yes, which is $r = <rate:1/20|1/8|1/6|1/5|1/4|1/3>$ or "
        r"$1 - r$, each with probability 1/2. The second vote is released; the target is the "
        r"first. What is the active $\delta$ at $\varepsilon = 0$ if nobody knows the rate?",
        lambda rate: (1 - 2 * rate) ** 2,
    ),
    "honest-coin": (
        r"Each respondent tosses two coins in secret. If the first one says so, she tells the "
        r"truth; otherwise the second one, a fair coin, answers Yes or No for her. The first coin "
        r'says "tell the truth" with probability <k:1/3|2/3|2/5|3/5|4/5|5/6|7/8>. What is '
        r"$e^{\varepsilon}$?",
        lambda k: (1 + k) / (1 - k),
    ),
    "hundreds": (
        r"<n:5|6|7|9|10> wages are 0 or 100 dollars, at random and independent of each other, and "
        r"their sum, rounded to hundreds, is published. A wage of 34 dollars, rounded as well, may "
        r"be inserted, or one of 100 dollars. What is $\delta(0)$ by Definition 3?",
        lambda n: Fraction(comb(int(n), int(n) // 2), 2 ** int(n)),
    ),
    "left": (
        r"The number of ones among $n$ people is published today, and again tomorrow, when $t$ and "
        r"<coins:2|4|5|6|7|8> others have left; nobody else has changed. Records are independent "
        r"fair bits. For the target $t$, what is $\delta$ of both numbers at $\varepsilon = 0$?",
        lambda coins: Fraction(comb(int(coins), int(coins) // 2), 2 ** int(coins)),
    ),
    "one-bit": (
        r"Let $X$ be a single bit that is 1 with probability <p:1/3|1/4|1/5|1/6|1/8|1/20>. What is "
        r"$\delta(\varepsilon)$ of Definition 3 for $\mathcal{T} = \{0, 1\}$?",
        lambda p: 1 - p,
    ),
    "one-record": (
        _RESPONSE + r"What is the smallest $E$ of DDP?",
        lambda k: 1 / (1 - k),
    ),
    "pure": (
        r"Which $k$ does k-anonymity after sampling with rate $\beta = <rate:1/2|1/3|1/4|1/5>$ "
        r"need at least for $\delta = <delta:1e-4|1e-5|1e-7|1e-8>$?",
        lambda rate, delta: _least(lambda k: rate**k <= delta),
    ),
    "silent-database": (
        r"One of two databases has $\varepsilon_1 = <eps:1|2|3|4|6>$ and no leak. The other says "
        r"nothing, except that it leaks with probability <leak:1/3|1/5|1/10|1/2|3/4>. What is the "
        r"$\delta$ of the parity at $\varepsilon = 0$?",
        lambda eps, leak: tanh(eps / 2) * float(leak),
    ),
    "ten-days": (
        r"The bits of the users have correlation $\rho = <rho:1/3|1/4|1/5|2/3|3/5>$ from day to "
        r"day. How many independent days, on which the secrets differ, are worth as much to the "
        r"attacker as <days:5|7|12|20> of theirs, for a large crowd and a target who would keep "
        r"changing?",
        lambda rho, days: 1 + (days - 1) * (1 + rho) / (1 - rho),
    ),
    "three-answers": (
        r"A survey has <answers:3|4|5> answers, one of them Yes. With probability $k$ a respondent "
        r"tells the truth; otherwise she gives one of all answers at random, all equally likely. "
        r"The survey is $\ln <ratio:5|6|7|8>$-differentially private, with the largest $k$. Of "
        r"1,000 answers <yes:350|400|450|500> are Yes. What is the estimated share of true Yes?",
        lambda answers, ratio, yes: (yes * (ratio + answers - 1) / 1000 - 1) / (ratio - 1),
    ),
    "three-questions": (
        r"A questionnaire has three questions to be answered by Yes or No, and the three numbers "
        r"of Yes are published with geometric noise. Everything together shall have "
        r"$e^{\varepsilon} = <ratio:2|5|10|27|64>$. Which $\alpha$ do you need?",
        lambda ratio: float(ratio) ** (-1 / 3),
    ),
    "three-products": (
        r"Somebody buys each of <k:2|3|4> products independently with probability "
        r"<p:1/2|1/4|1/5|2/5>. Each has one release with $\varepsilon = \ln <ratio:2|3|4>$ and "
        r"$\delta = 0$. What is $e^{\varepsilon_\uparrow}$, as a fraction, for the law of the "
        r"purchases given that there is one, against none?",
        _some_against_none,
    ),
    "told-bit": (_RESPONSE + r"What is $E$ by IBCDP?", lambda k: 1 / (1 - k)),
    "two-bits-by-hand": (
        r"Under $p$ the target is in database 1 with probability ⅔ and else in database 2, under "
        r"$q$ the other way round; both mechanisms have $e^{\varepsilon} = <ratio:3|4|5|6>$. What "
        r"is the factor of the joint cost?",
        lambda ratio: (2 * ratio**2 + 1) / (ratio**2 + 2),
    ),
    "two-records": (
        r"There is one record besides the target's. It is $t$ with probability <t:1/3|1/5|1/6>, "
        r"$u$ with probability <u:1/8|1/10|1/12>, and absent otherwise. The numbers of records at "
        r"$t$ and at $u$ are published, except those below 2. The attacker knows the other record. "
        r"What is the passive $\delta$ of the pair $t$, $u$?",
        lambda t, u: t + u,
    ),
    "two-steps": (
        r"Somebody votes Yes with probability $p = <p:2/5|9/20|11/20|3/5>$, and "
        r"$\lambda = <lam:1/10|1/5|1/4|3/10>$. Draw this vote in two steps: with probability "
        r"$2\lambda$ a fair coin decides; otherwise the vote is a Yes with another probability. "
        r"Which?",
        lambda p, lam: (p - lam) / (1 - 2 * lam),
    ),
    "uniform-leaks": (
        r"All of <k:2|3|4> mechanisms are $(0, \delta)$-private, with $\delta = "
        r"<delta:1/3|1/4|1/5|2/3>$: they show their bit with probability $\delta$, and otherwise "
        r"nothing. What is the least $\delta$ of $P_{U^*}$ against $P_0$, at every $\varepsilon$?",
        lambda k, delta: 1 - ((2 - delta) ** int(k) - 1) / (2 ** int(k) - 1),
    ),
    "week-of-counts": (
        r"Every day the number of ones is published. The other users are independent Markov chains "
        r"of bits. By how many times $c$ can the loss of <days:5|10|14|30> days exceed the sum of "
        r"the days' losses, by the theorem on all days, if the two secrets differ every day?",
        lambda days: 4 * (days - 1),
    ),
    "whispers": (
        r"A rumour, Yes or No, is passed on in whispers. Each person passes on what she hears with "
        r"probability $1/(1 + e^{-a})$ for $a = <a:1|2|3>$, and its opposite otherwise. What is "
        r"the least $k$ for which what the $k$-th person says has "
        r"$\varepsilon < <eps:1e-2|1e-3|1e-5>$?",
        lambda a, eps: _least(lambda k: 2 * atanh(tanh(a / 2) ** k) < eps),
    ),
}
