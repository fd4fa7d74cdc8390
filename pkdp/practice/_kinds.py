"""Releases of other kinds than counts: sums, weighted counts, waves, and a table with its total.

Each kind says what is read for it, what it assumes, and what a theorem makes of it: upper bounds.
"""

import dataclasses
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sized
from typing import Any, Final

import numpy as np
from scipy import special

from pkdp._checks import LARGEST_EPS, MOST_RECORDS, as_integer, as_real, as_several, shown
from pkdp.noiseless.privacy_blanket import blanket, largest_weight
from pkdp.partial_knowledge import daily_profiles, suppressed_tables
from pkdp.practice._bounds import Bound, Part
from pkdp.practice._sums import Query, Sums
from pkdp.profiles import accounting
from pkdp.profiles.profile import harmless, vacuous

# What an argument needs, and after the bar what else goes with it, besides what goes with all.
_WITH: Final = {
    "sum_of": "values | lam by tables",
    "weight": "counts | lam by tables",
    "wave": "counts person chain | by",
    "total": "threshold |",
    "counts": "| by tables lam probabilities model household threshold noise round_to after",
}
# Bounds are at most so far apart; weights are at most so large, and so many.
_WIDEST, _HEAVIEST, _MOST_WEIGHTS = 10_000, 10**9, 5000
# In waves more others than this are taken for known; of up to so few every step is followed.
_MOST_WAVES, _MOST_FOLLOWED, _MOST_FEW = 5, 10_000, 1000
_MOST_IN_TABLE: Final = 100_000
# Assumptions under which a file is less likely than that are not those of this file.
IMPLAUSIBLE: Final = 1e-9


class Kind:
    """A release of counts, as which it is treated elsewhere, or of another kind.

    Attributes
    ----------
    noun : str
        What it is called.
    fewest, most : int
        How many counts it may have.
    has_lam, varies : bool
        Whether it takes a λ, and is answered under other assumptions, too.
    how : str
        How it is published, unless as counts are.
    counts : tuple of str
        What is counted when the file is read, instead of the counts that are asked for.
    names : tuple of str
        What is published, in place of these.
    reads : mapping
        What else is read, as fields of `Query`.
    """

    noun = "count"
    fewest, most = 1, 16
    has_lam = varies = True
    how = ""
    counts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    reads: Mapping[str, Any] = {}

    def __init__(self, given: Mapping[str, Any]) -> None:
        """Take the arguments of an audit."""

    def filled(self, query: Query, sums: Sums) -> tuple[Query, Sums]:
        """Take what the file says, and return what is to be said of it."""
        return query, sums

    def lacking(self, sums: Sums, known: int) -> Iterable[str]:
        """Return what would have to be said for an answer, or why there is none."""
        return ()

    def reached(self) -> float | None:
        """Return an ε that an attacker reaches, if there is one."""
        return None


class Sum(Kind):
    """The sum of a column of whole numbers within bounds."""

    noun, how = "sum", "exactly"

    def __init__(self, given: Mapping[str, Any]) -> None:
        found = re.fullmatch(r"(?s)(.+)=(-?\d{1,9})\.\.(-?\d{1,9})", _text(given, "sum_of"))
        column, low, high = found.groups() if found else ("", 0, 0)
        self.low, self.high = int(low), int(high)
        if not 0 < self.high - self.low <= _WIDEST:
            raise ValueError(
                "sum_of must be COLUMN=LOW..HIGH, such as visits=0..3, with whole numbers that are "
                f"1…{_WIDEST} apart, got {given['sum_of']!r}"
            )
        self.values = sorted({*_numbers(given["values"], "values", self.low, self.high)})
        if len(self.values) < 2 or any(value % 1 for value in self.values):
            raise ValueError(
                f"values must be two or more whole numbers, got {shown(given['values'])}"
            )
        self.names, self.lam = (column,), given["lam"]
        self.counts = tuple(f"{column}={v:.0f}" for v in self.values)
        self.reads = {"whole": (column, self.low, self.high)}

    def lacking(self, sums: Sums, known: int) -> Iterator[str]:
        if 1 not in np.diff(self.values):
            yield (
                "No guarantee: a value may change by 1, and no two of --values differ by 1. If all "
                "others were multiples of 2, say, an odd sum would tell that one is not. Name two "
                "values that differ by 1, or sum up in larger units."
            )
        lam = float(self.lam or 0.0)
        named, total = sum(sums.counted), int(sums.sizes.sum()) - known
        likely = min(1.0, len(self.values) * lam)
        if special.bdtr(min(named, total), total, likely) < IMPLAUSIBLE:
            yield (
                f"The file contradicts --lam {lam:g}: it leaves other values than --values a "
                f"probability of at most {1.0 - likely:.2g}, and too many records have one. Say a "
                "smaller --lam, but none that comes from this file: that tells of it, and so does "
                "this refusal."
            )

    def bounds(self, part: Part) -> Iterator[Bound]:
        """Bound each move of the target by the coins of the best step that divides it."""
        law = {int(value): part.lam for value in self.values}
        # All else that a record may be is out of reach of these steps.
        law[self.high + 2 * _WIDEST] = max(0.0, 1.0 - part.lam * len(law))
        steps = {int(b - a) for a, b in itertools.combinations(self.values, 2)}
        weights = {step: float(largest_weight(law, step)) for step in steps}
        moves = []
        for move in range(1, self.high - self.low + 1):
            usable = (step for step in steps if move % step == 0)
            step = max(usable, key=lambda step: weights[step] * step**2)
            moves.append((weights[step], part.unknown, move // step))
        yield _by_coins(moves)

    def beliefs(self, lam: float | None) -> Iterator[str]:
        yield (
            "λ for each unknown record: of a record she does not know, she gives each of the "
            f"values {', '.join(f'{one:.0f}' for one in self.values)} a probability of at least "
            f"{lam:g}."
        )
        yield (
            f"Bounds: any record could have any whole number in {self.low}…{self.high}, and no "
            "other. They were known before: bounds that are read off the file tell of it."
        )


class Weighted(Kind):
    """A count in which each record counts as often as a public weight says."""

    noun, most = "weighted count", 1

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.column = _text(given, "weight")
        self.how = f"exactly, weighted by {self.column}"
        self.reads = {"whole": (self.column, 0, _HEAVIEST), "weights": (self.column,)}

    def bounds(self, part: Part) -> Iterator[Bound]:
        """Bound each target by the coins of others of one weight, which divides the target's."""
        heavy = part.values > 0
        weights, times = part.values[heavy].astype(np.int64), part.times[heavy]
        if weights.size > _MOST_WEIGHTS:
            raise ValueError(f"weight must have at most {_MOST_WEIGHTS} different values")
        moves = []
        for weight in weights.tolist():
            # All records that she knows may be of the same weight.
            hidden = np.maximum(times - part.known - (weights == weight), 0)
            hidden[weight % weights > 0] = 0
            best = int(np.argmax(hidden * weights.astype(np.float64) ** 2))
            steps = max(1, weight // int(weights[best]))
            moves.append((2.0 * part.lam, int(hidden[best]), steps))
        yield _by_coins(moves)

    def beliefs(self, lam: float | None) -> Iterator[str]:
        yield (
            "λ for each unknown record: of a record she does not know, she gives either value a "
            f"probability of at least {lam:g}, whatever its weight."
        )
        yield (
            f"Public weights: she knows {self.column} of every record. Where weights are to be "
            "protected, too, make a column of what is added up, and say --sum."
        )
        yield (
            "A record is hidden only by others of one weight, which divides its own. Where these "
            "are too few, nothing is proved of it: there is no guarantee."
        )


class Waves(Kind):
    """The same count of the same people in several waves, each person a Markov chain."""

    noun, most, has_lam = "waves", 1, False
    number = 0

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.rates = _numbers(given["chain"], "chain", 0.0, 1.0)
        if len(self.rates) != 3 or {*self.rates} & {0.0, 1.0}:
            raise ValueError(
                "chain must be three probabilities in (0, 1): of a 1 in the first wave, after a 0 "
                f"and after a 1, got {shown(given['chain'])}"
            )
        self.reads = {"panel": (_text(given, "person"), _text(given, "wave"))}

    def filled(self, query: Query, sums: Sums) -> tuple[Query, Sums]:
        self.number = sums.panel.waves
        self.how = f"exactly in each of {self.number} waves"
        if not 2 <= self.number <= _MOST_WAVES:
            raise ValueError(f"wave must have 2…{_MOST_WAVES} values, got {self.number}")
        return query, sums

    def lacking(self, sums: Sums, known: int) -> Iterator[str]:
        if sums.panel.odd:
            yield (
                f"No guarantee: {sums.panel.odd} people are not once in every wave, in the same "
                "group each time. Nothing is proved here of people who join or leave: if all "
                "others answer as before, the difference of two exact counts is what one says."
            )
        elif self._chance(sums, known) < IMPLAUSIBLE:
            yield (
                "The file contradicts --chain: an answer is too rare in the first wave, or after a "
                "Yes or a No. Say other probabilities, but none that come from this file: that "
                "tells of it, and so does this refusal."
            )

    def _chance(self, sums: Sums, known: int) -> float:
        """Bound the probability of so few 1s, or 0s, in the first wave or after some answer."""
        found = []
        for (_, before), numbers in sums.panel.moves.items():
            trials, rate = max(sum(numbers) - 1 - known, 0), self.rates[before + 1]
            for number, chance in zip(numbers, (1.0 - rate, rate), strict=True):
                found.append(float(special.bdtr(min(number, trials), trials, chance)))
        return min(found) * len(found)

    def bounds(self, part: Part) -> Iterator[Bound]:
        """Bound every pair of series of answers of the target."""
        chain, others = daily_profiles.MarkovChain(*self.rates), min(part.unknown, _MOST_FOLLOWED)
        pairs = [
            ([int(d > 0) for d in moves], [int(d < 0) for d in moves])
            for moves in itertools.product((0, 1, -1), repeat=self.number)
            if moves > (0,) * self.number  # the others are these with a and b exchanged
        ]
        # With the most telling ones first, the rest are only looked at.
        pairs.sort(key=lambda pair: -daily_profiles.gaussian_signal(chain, a=pair[0], b=pair[1]))
        if not others:
            yield Bound((vacuous("upper bound"),), "def-10", "upper bound")
        elif others <= _MOST_FEW:
            found = [daily_profiles.bracket(others + 1, chain, a=a, b=b)[1] for a, b in pairs]
            yield Bound(tuple(found), "def-10", "upper bound")
        else:
            found = [daily_profiles.moment_bound(others + 1, chain, a=a, b=b) for a, b in pairs]
            yield Bound(tuple(found), "renyi-aside", "upper bound")

    def beliefs(self, lam: float | None) -> Iterator[str]:
        start, rise, stay = self.rates
        yield (
            "Given probabilities: to her each person's answers are a Markov chain, Yes with "
            f"probability {start:g} in the first wave, {rise:g} after a No and {stay:g} after a "
            "Yes. That is not a least doubt: with probabilities nearer to 0 or 1, and for a better "
            "informed attacker, ε is larger. Try several."
        )
        yield (
            "Same people: everybody is once in every wave, as the file was checked for. A further "
            "wave is a further release: audit all of them together."
        )


class Table(Kind):
    """A table of which only cells above a threshold are published, and the total."""

    noun, fewest, most, has_lam, varies = "table", 0, 0, False, False

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.threshold = as_integer(given["threshold"], "threshold", 0, MOST_RECORDS)
        self.delta = as_real(given["delta"], "delta", "in [1e-10, 1] with total", 1e-10, 1.0)
        self.how = f"counts up to {self.threshold} suppressed, and the total"

    def filled(self, query: Query, sums: Sums) -> tuple[Query, Sums]:
        """Take the cells; the records are one group."""
        self.names, self.cells, total = query.by, sums.sizes, sums.sizes.sum(keepdims=True)
        if self.cells.size < 2 or total > _MOST_IN_TABLE:
            raise ValueError(
                f"total must give two cells or more, and {_MOST_IN_TABLE} records at most"
            )
        self.k = min(self.threshold, int(total[0])) + 1
        kinds, rarest = sums.kinds[:1], sums.rarest[:1]
        whole = dataclasses.replace(sums, labels=("",), sizes=total, kinds=kinds, rarest=rarest)
        return dataclasses.replace(query, by=(), tables=((),)), whole

    def lacking(self, sums: Sums, known: int) -> Iterator[str]:
        if known:
            yield (
                "Nothing is proved here of suppressed cells against an attacker who knows records, "
                "or placed some: --known must be 0."
            )

    def bounds(self, part: Part) -> Iterator[Bound]:
        """Bound what an (ε, δ)-private release may tell at any ε."""
        eps = suppressed_tables.epsilon(self.cells, k=self.k, delta=self.delta).eps
        proved = eps <= LARGEST_EPS
        found = accounting.optimal(eps, self.delta, times=1) if proved else vacuous("upper bound")
        yield Bound((found,), "known-total", "upper bound")

    def reached(self) -> float | None:
        return suppressed_tables.least_epsilon(self.cells, k=self.k, delta=self.delta)

    def beliefs(self, lam: float | None) -> Iterator[str]:
        yield (
            "Given probabilities: to her any other record is in a cell with the share that the "
            "cell has in the file, and in none that is empty there. So ε depends on the answers; a "
            "better informed attacker learns more."
        )
        yield "The threshold was not chosen by these counts: that would tell of them."


_KINDS: Final = {"sum_of": Sum, "weight": Weighted, "wave": Waves, "total": Table, "counts": Kind}


def kind_of(given: Mapping[str, Any]) -> Kind:
    """Return the kind of release that the arguments of an audit ask for, if all go together."""
    some = {*_WITH, *" ".join(_WITH.values()).split()}
    used = [
        name
        for name, value in given.items()
        if name in some and value is not None and not (isinstance(value, Sized) and not len(value))
    ]
    lead = next((name for name in _WITH if name in used), "counts")
    needed, others = (names.split() for names in _WITH[lead].split("|"))
    for name in used:
        if name not in (lead, *needed, *others):
            allowed = f"{', '.join(needed + others)}, known, delta, epsilon, assume and missing"
            raise ValueError(f"{name} must be left out with {lead}, which goes with {allowed} only")
    for name in needed:
        if name not in used:
            raise ValueError(f"{name} must be given with {lead}")
    return _KINDS[lead](given)


def _by_coins(moves: Iterable[tuple[float, int, int]]) -> Bound:
    """Bound moves: what coins of a weight there are, how many, and by how many steps they move."""
    steps: dict[tuple[float, int], int] = {}
    for weight, number, far in moves:
        steps[weight, number] = max(far, steps.get((weight, number), 0))
    profiles = [
        blanket([weight], [min(number, _HEAVIEST)], steps=far)
        for (weight, number), far in steps.items()
    ]
    return Bound(tuple(profiles) or (harmless("upper bound"),), "coins-in-sums", "upper bound")


def _text(given: Mapping[str, Any], name: str) -> str:
    if not isinstance(given[name], str):
        raise TypeError(f"{name} must be a text, got {shown(given[name])}")
    return str(given[name])


def _numbers(given: str | Iterable[Any], name: str, least: float, most: float) -> list[float]:
    """Return numbers that are given as such, or as a text with commas between them."""
    several = given.split(",") if isinstance(given, str) else as_several(given, name, "numbers")
    try:
        numbers = [float(one) for one in several]
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers, such as 0,1, got {shown(given)}") from None
    return [as_real(one, name, f"in [{least}, {most}]", least, most) for one in numbers]
