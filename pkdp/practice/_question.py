"""Arguments of an audit: what is asked, and what prevents an answer."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import os
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, SupportsFloat

import numpy as np
from scipy import special

from pkdp._checks import MOST_RECORDS, as_integer, as_real, as_several, as_uncertainty, shown
from pkdp.noiseless.adversaries import Adversary
from pkdp.partial_knowledge.noise import Geometric
from pkdp.practice._bounds import Part, Release
from pkdp.practice._kinds import IMPLAUSIBLE as _IMPLAUSIBLE
from pkdp.practice._kinds import Kind
from pkdp.practice._reading import tables_in
from pkdp.practice._sums import Count, Query, Sums
from pkdp.profiles.logarithms import FloatArray, IntArray, log_positive
from pkdp.profiles.rounded_counts import Rounding

# Assumptions under which a file like this one is less likely than that are doubtful.
_UNLIKELY: Final = 1e-3


class Released(NamedTuple):
    """What an earlier report was about; its notes say how many records were counted.

    The key and the keyed hash of its file are empty if there are none.
    """

    counts: tuple[str, ...]
    tables: tuple[tuple[str, ...], ...]
    records: int
    notes: tuple[str, ...]
    key: str
    code: str


@dataclass(frozen=True)
class Question:
    """The arguments of `pkdp.practice.audit.of_file`, as it uses them."""

    name: str
    query: Query
    known: float | int | None
    delta: float
    lam: float | None
    threshold: int | None
    noise: Geometric | None
    round_to: int | None
    goal: float | None
    independent: bool
    unchanged: bool
    kind: Kind

    @classmethod
    def checked(cls, name: str, wanted: Wanted, given: Mapping[str, Any]) -> Question:
        """Return the question, without its columns, if its arguments are in their ranges."""
        threshold, round_to = given["threshold"], given["round_to"]
        noise = _as_noise(given["noise"])
        lam = None if given["lam"] is None else as_uncertainty(given["lam"])
        if (lam is not None) + bool(wanted.probabilities) + bool(wanted.model) > 1:
            raise ValueError("lam must be alone: give one of lam, probabilities and model")
        if threshold is not None:
            threshold = as_integer(threshold, "threshold", 0, MOST_RECORDS)
        if round_to is not None:
            round_to = as_integer(round_to, "round_to", 1, MOST_RECORDS)
        for argument, limit in (("threshold", threshold), ("round_to", round_to)):
            if limit is not None and noise is not None:
                raise ValueError(f"{argument} must be None where noise is added")
        if threshold is not None and len(wanted.tables) > 1:
            raise ValueError(
                "threshold must be None with several tables, as what one suppresses may follow "
                "from another"
            )
        most = None if given["known"] is None else _as_known(given["known"])
        goal = None
        if given["epsilon"] is not None:
            goal = as_real(given["epsilon"], "epsilon", "in (0, 700]", 0.0, 700.0, without=(0.0,))
            if most is None:
                raise ValueError("known must be given with epsilon, as a goal depends on it")
        for word in (assumed := as_texts(given["assume"], "assume")):
            if word not in ("independent", "unchanged"):
                raise ValueError(
                    f"assume must be 'independent', or 'unchanged' with after, got {word!r}"
                )
        delta = as_real(given["delta"], "delta", "in [0, 1]", 0.0, 1.0)
        known_lam, how = (most, delta, lam), (threshold, noise, round_to)
        said = "unchanged" in assumed, wanted.kind
        return cls(name, Query(()), *known_lam, *how, goal, "independent" in assumed, *said)

    @property
    def names(self) -> tuple[str, ...]:
        """The counts, as they are asked for, or what is published instead."""
        return self.kind.names or tuple(map(str, self.query.counts))

    def check(self, sums: Sums, release: Release) -> None:
        """Raise a ValueError if nothing is counted, or λ is too large for so many answers."""
        for count, number in zip(self.query.counts, sums.counted, strict=True):
            if not number and not self.kind.counts:
                raise ValueError(
                    f"{self.name} has no record with {count}: values are written as in the "
                    "file, upper and lower case and blanks too; in Parquet true, or "
                    "2024-01-31 00:00:00"
                )
        if self.lam is not None and self.lam * release.categories > 1.0 + 1e-12:
            raise ValueError(
                f"lam must be at most 1/{release.categories}, as the counts tell "
                f"{release.categories} kinds of records apart, got {self.lam:g}"
            )

    def missing(self) -> list[str]:
        """Return what would have to be said for an answer, whatever is in the file."""
        query, several = self.query, len(self.query.counts) > 1
        homes, chances = query.household is not None, query.probabilities or query.predictors
        others = "" if self.kind.how else ", --probabilities or --model"
        within = (
            ", but where records depend on each other within households only: --household COLUMN"
        )
        public = [name for name in query.by if query.predictors and name not in query.predictors]
        lacking = {
            f"Are {'households' if homes else 'records'} independent to the attacker, whatever she "
            "knows? If so, say --assume independent. If not, no theorem here gives a number"
            f"{'' if homes or self.kind.how else within}.": not self.independent,
            "How uncertain is she of a record that she does not know? Say "
            f"--lam{others}.": self.kind.has_lam and self.lam is None and not chances,
            "A model foretells one count. For several, say with --lam what the least probability "
            "of any combination of answers is.": query.predictors and several,
            f"Groups are public, so she knows {', '.join(public)} of everybody: --model must have "
            "that, too.": public,
            "Probabilities of answers to different questions do not say how these depend on each "
            "other within a record. Say with --lam what the least probability of any combination "
            "of answers is.": query.probabilities and len({one.column for one in query.counts}) > 1,
            "Within households a record's probability must be given the others of its household. "
            "Say with --lam what the least of these is.": homes and chances,
        }
        return [sentence for sentence, lacks in lacking.items() if lacks]

    def unproved(self, sums: Sums) -> list[str]:
        """Return why the file's households leave nothing proved, unless noise does it."""
        homes = sums.households
        if homes is None or homes.largest_of_all == 1:
            return []
        lacking = {
            "Several counts of households are not covered by a theorem here. One count is, if no "
            "other is published, and so are several with --noise.": len(self.query.counts) > 1,
            "Some households are in several groups, whose counts then depend on each other. Groups "
            "of whole households would give a number, and so would --noise.": homes.shared,
        }
        return [sentence for sentence, lacks in lacking.items() if lacks]

    def contradicted(self, sums: Sums, release: Release) -> list[str]:
        """Return why λ cannot be what she believes, if all but a billionth of files say so."""
        found = list(self.kind.lacking(sums, int(self._known_of_each(sums).sum())))
        if self.lam is None:
            return found
        chances = self._chances(sums, release, self.lam)
        worst, level = int(np.argmin(chances)), _IMPLAUSIBLE / 3
        kind = "value" if release.categories == 2 else "combination of answers"
        rare = f"The file contradicts --lam {self.lam:g}: one {kind} is too rare "
        advice = (
            ". Say a smaller --lam, but none that comes from this file: that tells of it, and so "
            "does this refusal. If the rarest can hardly occur, or follows from what is public, no "
            "--lam is right: count something else"
        )
        if release.categories > 2:
            advice += (
                "; or make one column of the combinations that can occur, and count each of its "
                "values but one"
            )
        if chances[worst] * chances.size < level:
            found.append(f"{rare}among {self._records_of(int(sums.sizes[worst]))}{advice}.")
        elif _together(chances) < level:
            found.append(f"{rare}in the groups taken together{advice}.")
        homes = sums.households
        known = self._known_of_each(sums)
        if homes is not None and (several := homes.several - int(known.sum()) // 2) > 0:
            chance = float(special.bdtr(min(homes.mixed, several), several, self.lam))
            if chance < level:
                found.append(
                    f"The file contradicts --lam {self.lam:g}: too many households answer alike "
                    "for a record to be so uncertain given others there. That tells of the file. "
                    "Say a smaller --lam; if others always tell, none is right: count households."
                )
        return found

    def doubts(self, sums: Sums, release: Release) -> list[str]:
        """Return what in the file or the question is unlikely, though not impossible."""
        found = []
        if isinstance(self.known, int) and 2 <= self.known <= 99:
            found.append(
                f"--known {self.known} means so many records, of each count; {self.known} % of "
                f"them are --known {self.known / 100:g}"
            )
        if self.lam is None:
            return found
        rarest = min(sums.combinations) if len(sums.combinations) >= release.categories else 0
        total = int(sums.sizes.sum())
        if self.lam > rarest / total:
            found.append(
                f"--lam {self.lam:g} is above the share of the rarest answer, {rarest} of {total}: "
                "an attacker who knows what is usual is less uncertain than that"
            )
        chances = self._chances(sums, release, self.lam)
        chance = min(float(chances.min()) * chances.size, _together(chances))
        if chance < _UNLIKELY:
            found.append(
                f"if --lam {self.lam:g} is right, an answer is as rare as in this file with a "
                f"probability of at most {chance:.1g}"
            )
        return found

    def _chances(self, sums: Sums, release: Release, lam: float) -> FloatArray:
        """Bound, for each group, the probability that some answer is as rare as in the file.

        Each combination of answers has a probability of λ at least for each record that she does
        not know, whatever the others are. So no fewer records have it, but by chance, than a
        binomial law says. In a household that she does not know whole, the last one answers as
        all the others, if these agree, with a probability of at most 1-λ: that bounds how many
        households are of one mind.
        """
        unknown = sums.sizes - self._known_of_each(sums)
        rarest = sums.rarest_of(release.categories)
        chances = release.categories * special.bdtr(rarest, unknown, lam)
        return np.minimum(chances, 1.0)

    def _known_of_each(self, sums: Sums) -> IntArray:
        return np.array([self.known_of(size) for size in sums.sizes.tolist()], dtype=np.int64)

    def _records_of(self, size: int) -> str:
        return f"the {size} records of a group" if self.query.by else "the records"

    def surprised(self, sums: Sums, parts: Sequence[Part]) -> list[str]:
        """Return why given probabilities cannot be what she believes, as for λ.

        The rarest answer is at least as frequent as a sum of independent bits, by the less likely
        value of each record. By Chernoff's bound that is hardly ever far below its mean.
        """
        if self.lam is not None:
            return []
        several = len(self.query.counts) > 1
        answers = len(self.query.counts) + (not sums.all_counted) if several else 2
        rarest = sums.rarest_of(answers)
        least = math.log(_IMPLAUSIBLE / (answers * len(parts)))
        for part, number in zip(parts, rarest.tolist(), strict=True):
            uncertain, times = part.least
            mean = float(times @ uncertain)
            if number < mean and -((mean - number) ** 2) / (2.0 * mean) < least:
                return [
                    "The file contradicts her probabilities: one value is too rare among "
                    f"{self._records_of(part.records)}. An attacker who knows what is usual there "
                    "is less uncertain. This refusal tells of the file."
                ]
        return []

    def release(self, sums: Sums) -> Release:
        """Return what is published: how many kinds of records it tells apart, and moves."""
        values: dict[str, int] = {}
        for count in self.query.counts:
            values[count.column] = values.get(count.column, 0) + 1
        # That there are other values is assumed, unless two or more values are all there is.
        several = len(self.query.counts) > 1
        whole = len(values) == 1 and several and sums.all_counted
        categories = math.prod(number + (not whole) for number in values.values())
        if several and self.query.probabilities:
            categories = max(categories, 3)  # of which the least likely is known
        if self.kind.counts:
            categories = len(self.kind.counts)
        rounding = None
        if self.round_to is not None:
            rounding = Rounding(self.round_to, self.threshold or 0)
        return Release(
            categories=categories,
            numbers=len(self.query.counts) * len(self.query.tables),
            moves=sum(min(2, number) for number in values.values()) * len(self.query.tables),
            threshold=self.threshold if self.round_to is None and not self.kind.how else None,
            noise=self.noise,
            rounding=rounding,
            finest=any(set(table) >= set(self.query.by) for table in self.query.tables),
            kind=self.kind if self.kind.how else None,
        )

    def known_of(self, records: int) -> int:
        """Return how many of the others she knows in a group."""
        known = self.known or 0
        if isinstance(known, int):
            return min(known, records - 1)
        return Adversary(known).known_records(records) if records > 1 else 0


@dataclass(frozen=True)
class Wanted:
    """Arguments that name columns, as they are given.

    A text with commas is the name of a column, or of several: a name that exists has precedence.
    So it has for an equals sign in a count.
    """

    counts: tuple[str, ...]
    tables: tuple[tuple[str, ...], ...]
    probabilities: tuple[str, ...]
    model: tuple[str, ...]
    household: str | None
    missing: tuple[str, ...] | None
    kind: Kind

    @classmethod
    def checked(cls, kind: Kind, given: Mapping[str, Any]) -> Wanted:
        """Return the arguments, if each is a text or several."""
        household, missing, tables = given["household"], given["missing"], given["tables"]
        by = given["total" if kind.noun == "table" else "by"]
        if household is not None and not isinstance(household, str):
            raise TypeError(f"household must be the name of a column, got {shown(household)}")
        texts = {name: as_texts(given[name], name) for name in ("counts", "probabilities", "model")}
        texts["counts"] = kind.counts or texts["counts"]
        for text in texts["counts"]:
            if text[0] == "=" or text.find("=") == len(text) - 1:
                raise ValueError(f"counts must be COLUMN=VALUE, or COLUMN of 0 and 1, got {text!r}")
        spellings = None if missing is None else as_texts(missing, "missing")
        is_one = isinstance(tables, str | os.PathLike)
        several = (tables,) if is_one else as_several(tables, "tables", "tables")
        if several and by:
            raise ValueError("by must be empty where tables are given: each names its columns")
        every = [one for table in several for one in tables_in(table)]
        listed = tuple(as_texts(one, "tables") for one in every) or (as_texts(by, "by"),)
        return cls(**texts, tables=listed, household=household, missing=spellings, kind=kind)

    def together(self, earlier: Iterable[Released]) -> Wanted:
        """Return the question about these counts and tables and those of earlier releases."""
        counts, tables = [*self.counts], [*self.tables]
        for one in earlier:
            counts += [count for count in one.counts if count not in counts]
            tables += [table for table in one.tables if table not in tables]
        return dataclasses.replace(self, counts=tuple(counts), tables=tuple(tables))

    def resolved(self, columns: Container[str]) -> Query:
        """Return which columns of a table are meant."""
        counts = tuple(_count(text, columns) for text in self.counts)
        few, most = self.kind.fewest, self.kind.most
        if few and not counts and any(self.tables):
            raise ValueError(
                "counts must say what is counted, COLUMN=VALUE; by and tables only name the groups"
            )
        if not few <= len(counts) <= most or len(set(counts)) < len(counts):
            raise ValueError(
                f"counts must be {few}…{most} different counts, got {shown(self.counts)}"
            )
        bare = {count.column for count in counts if count.value is None}
        for count in counts:
            if count.value is not None and count.column in bare:
                raise ValueError(f"counts must name a value of {count.column!r} each time or never")
        probabilities, model, *tables = (
            tuple(one for text in texts for one in _names(text, columns))
            for texts in (self.probabilities, self.model, *self.tables)
        )
        groups = "by" if len(tables) == 1 else "tables"
        named = (("probabilities", probabilities), ("model", model), *((groups, t) for t in tables))
        for name, several in named:
            if len(set(several)) < len(several):
                raise ValueError(f"{name} must be different columns, got {several!r}")
        by = tuple(dict.fromkeys(name for table in tables for name in table))
        reads = self.kind.reads
        public = {*by, *model, *reads.get("weights", ()), *reads.get("panel", ())}
        if any(count.column in public for count in counts):
            raise ValueError(
                "counts must be of columns that neither by nor model has: what is public, or known "
                "to her, cannot be protected"
            )
        given = len(probabilities)
        if given and given != len(counts):
            raise ValueError(
                f"probabilities must be {len(counts)} columns, one for each count, got {given}"
            )
        others = self.household, self.missing, tuple(tables)
        return Query(counts, by, probabilities, model, *others, **reads)


def _count(text: str, columns: Container[str]) -> Count:
    """Return what a count counts: the longest name of a column that it begins with wins."""
    if text in columns:
        return Count(text, None)
    places = [place for place, letter in enumerate(text) if letter == "="]
    for place in reversed(places):
        if text[:place] in columns:
            return Count(text[:place], text[place + 1 :])
    return Count(text[: places[0]], text[places[0] + 1 :]) if places else Count(text, None)


def _names(text: str, columns: Container[str]) -> tuple[str, ...]:
    """Return the column of this name, or those between whose names it has commas."""
    if text in columns:
        return (text,)
    for place in reversed([place for place, letter in enumerate(text) if letter == ","]):
        if text[:place] in columns:
            return text[:place], *_names(text[place + 1 :], columns)
    first, comma, rest = text.partition(",")
    return (first, *_names(rest, columns)) if comma else (text,)


def _together(chances: FloatArray) -> float:
    """Return one bound from those of independent groups, by Fisher's method."""
    statistic = -2.0 * float(log_positive(chances).sum())
    return float(special.chdtrc(2.0 * chances.size, statistic))


def as_path(given: object, name: str) -> Path:
    """Return a path."""
    if not isinstance(given, str | os.PathLike):
        raise TypeError(f"{name} must be a path, got {shown(given)}")
    if "\0" in str(given):
        raise ValueError(f"{name} must be a path, got {shown(given)}")
    return Path(given)


def as_texts(given: object, name: str) -> tuple[str, ...]:
    """Return one text, or several; none is empty."""
    texts = (given,) if isinstance(given, str) else as_several(given, name, "texts")  # type: ignore[arg-type]
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"{name} must be texts, got {shown(given)}")
        if not text or "\0" in text:
            raise ValueError(f"{name} must be texts that are not empty, got {shown(given)}")
    return texts


def _as_noise(noise: object) -> Geometric | None:
    """Return noise, which may be given as the command line has it."""
    if isinstance(noise, str):
        kind, _, ratio = noise.partition(":")
        with contextlib.suppress(ValueError):
            if kind == "geometric":
                return Geometric(float(ratio))
        raise ValueError(f"noise must be geometric:P with P in [1e-200, 1), got {noise!r}")
    if noise is not None and not isinstance(noise, Geometric):
        raise TypeError(f"noise must be a Geometric or a text, got {shown(noise)}")
    return noise


def _as_known(known: SupportsFloat) -> float | int:
    if isinstance(known, int | np.integer) and not isinstance(known, bool):
        return as_integer(known, "known", 0, MOST_RECORDS)
    allowed = "a fraction in [0, 1), or an integer ≥ 0"
    return as_real(known, "known", allowed, 0.0, 1.0, without=(1.0,))
