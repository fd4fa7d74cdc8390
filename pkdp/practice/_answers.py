"""Results of an audit: guarantees and refusals, in plain words and as JSON."""

import dataclasses
import decimal
import html
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any, ClassVar, Final, Literal

from pkdp._checks import shown
from pkdp.partial_knowledge.noise import Geometric
from pkdp.practice._bounds import Theorem
from pkdp.practice._model import Scores
from pkdp.profiles.profile import PrivacyProfile

VERSION: Final = metadata.version("pkdp")


@dataclass(frozen=True)
class Group:
    """One published part of the file.

    Attributes
    ----------
    label : str
        Its values in the columns it is grouped by; "all records" where there are no groups.
    records, known : int
        How many records it has, and how many of the others the attacker knows.
    eps : float
        ε at the δ of the audit against an active attacker; inf where there is none.
    """

    label: str
    records: int
    known: int
    eps: float


@dataclass(frozen=True)
class Cell:
    """One group among all, and which groups may be merged.

    Attributes
    ----------
    group : Group
    passes : bool
        Whether ε reaches the goal.
    merged : int
        Groups of the same number are next to each other and reach the goal together, if any do;
        0 of all if an earlier release has them apart already.
    """

    group: Group
    passes: bool
    merged: int


@dataclass(frozen=True)
class Guarantee:
    """What holds against one kind of attacker.

    Attributes
    ----------
    attacker : {"active", "passive"}
        Whether she chooses which records she knows and what they say, or only sees some.
    eps, delta : float
        The guarantee; ε is rounded up, and inf where there is none.
    advantage : float
        δ(0), rounded up: of two values of a record that are equally likely to her she tells the
        right one with probability at most ``(1 + advantage)/2``, on average over what is published.
    weakest : Group
        The group that this is said of; at this δ others are no weaker.
    theorem : Theorem
        What says so.
    status : {"exact", "upper bound"}
        Whether the attacker whom the assumptions allow reaches it.
    reached : float or None
        Where ε is a bound, an ε that one attacker does reach, who knows the records that are least
        predictable; None where that is not worked out.
    profile : PrivacyProfile
        The curve δ(ε) of the target that is worst at this δ; at another ε another may be worse.
    """

    attacker: Literal["active", "passive"]
    eps: float
    delta: float
    advantage: float
    weakest: Group
    theorem: Theorem
    status: str
    reached: float | None
    profile: PrivacyProfile = field(repr=False, compare=False)

    @property
    def bets(self) -> float:
        """How many of 100 bets she wins at most, on average, on two equally likely values."""
        return 50.0 + float(up(50.0 * max(self.advantage, 1e-12), 2))


@dataclass(frozen=True)
class Alternative:
    """Another way to publish, and its price.

    Attributes
    ----------
    what : str
        A threshold, or noise.
    eps : float
        ε against the active attacker, at the same δ.
    alone : float
        The same against an attacker who knows all other records; inf without noise.
    threshold : int or None
        Counts up to here are suppressed.
    noise : Geometric or None
        What is added to each count.
    """

    what: str
    eps: float
    alone: float
    threshold: int | None = None
    noise: Geometric | None = None


@dataclass(frozen=True)
class Variation:
    """The answer under another assumption.

    Attributes
    ----------
    assumed : str
        What is assumed instead.
    eps : float
        ε against the active attacker, at the same δ; inf where there is none.
    """

    assumed: str
    eps: float


@dataclass(frozen=True)
class Refusal:
    """No number, and what would have to be assumed for one, or cannot be.

    Attributes
    ----------
    file : str
        The name of the file.
    counts : tuple of str
        What was to be published.
    missing : tuple of str
        A sentence for each thing that is missing, or that the file contradicts.
    notes : tuple of str
        What is noted of the file, for its owner.
    kind : {"count", "sum", "weighted count", "waves", "table"}
        What was to be published.
    """

    file: str
    counts: tuple[str, ...]
    missing: tuple[str, ...]
    notes: tuple[str, ...] = ()
    kind: str = "count"

    passes: ClassVar[bool] = False

    def __bool__(self) -> bool:
        raise TypeError("a Refusal is neither true nor false: see passes")

    def text(self) -> str:
        """Return the refusal in plain words.

        Examples
        --------
        >>> print(Refusal("poll.csv", ("vote=Y",), ("Say what she does not know.",)).text())
        May the count of vote=Y in poll.csv be published?
        <BLANKLINE>
        No answer: nothing is proved from what is assumed.
          - Say what she does not know.
        """
        lines = [asked(self.file, self.counts, kind=self.kind), ""]
        lines += ["No answer: nothing is proved from what is assumed."]
        return "\n".join([*lines, *(f"  - {sentence}" for sentence in self.missing)])

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON can hold.

        Examples
        --------
        >>> Refusal("poll.csv", ("vote=Y",), ("Say more.",)).as_dict()["passes"]
        False
        """
        return {"version": VERSION, "answered": False, "passes": False, **_plain(self)}


@dataclass(frozen=True)
class Audit:
    """An answer, and what it rests on.

    Attributes
    ----------
    file : str
        The name of the file.
    protects : str
        Whose data the guarantees are about: one record's, or all of a household's together.
    counts : tuple of str
        What is published.
    tables : tuple of tuple of str
        For each group of records that agree in these columns; an empty tuple is for all.
    records, groups : int
        How many records, and how many groups of them there are.
    release : str
        How the counts are published: exactly, above a threshold, or with noise.
    active, passive : Guarantee
    also : tuple of Theorem
        What else is used: for known records, for groups, for several counts.
    weakest : tuple of Group
        Up to ten groups, the weakest of all first; of more, others may be weaker than the rest.
    assumptions : tuple of str
        A sentence for each.
    alternatives : tuple of Alternative
        What a threshold and noise would do, where they are not part of the question already.
    variations : tuple of Variation
        ε if λ is a half or a quarter of what was said, and if half of the records are known.
    least_lam : float or None
        The least λ for which ε reaches the goal, rounded up; inf if none does. None where that is
        not worked out, or any λ will do.
    goal : float
        The ε that is wanted, and that the least noise is for.
    knows_none : bool
        Whether she knows none of the other records.
    scores : Scores or None
        If the attacker's probabilities come from a model: how good they are.
    notes : tuple of str
        What is noted of the file, for its owner: how many records are counted, and what speaks
        against the assumptions. Not in `text`.
    cells : tuple of Cell
        All groups, in the order of their labels, if they were asked for; not in `as_dict`.
    kind : {"count", "sum", "weighted count", "waves", "table"}
        What is published. `counts` are then the column that is summed up, or those of the table.
    """

    file: str
    counts: tuple[str, ...]
    tables: tuple[tuple[str, ...], ...]
    protects: str
    records: int
    groups: int
    release: str
    active: Guarantee
    passive: Guarantee
    also: tuple[Theorem, ...]
    weakest: tuple[Group, ...]
    assumptions: tuple[str, ...]
    alternatives: tuple[Alternative, ...]
    variations: tuple[Variation, ...]
    least_lam: float | None
    goal: float
    knows_none: bool
    scores: Scores | None = None
    notes: tuple[str, ...] = ()
    cells: tuple[Cell, ...] = field(default=(), repr=False)
    kind: str = "count"

    @property
    def passes(self) -> bool:
        """Whether ε reaches the goal, at a δ below one in the number of records."""
        return self.active.eps <= self.goal and self.delta_records < 1.0

    @property
    def delta_records(self) -> float:
        """δ times the number of records: what so many say may be told outright, on average."""
        return self.active.delta * self.records

    def __bool__(self) -> bool:
        raise TypeError("an Audit is neither true nor false: see passes")

    def __str__(self) -> str:
        """Return the verdict in a line."""
        several = "note" if len(self.notes) == 1 else "notes"
        notes = f" {len(self.notes)} {several} on the file." if self.notes else ""
        return f"{verdict(self)}{notes}"

    def _repr_html_(self) -> str:
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.notes)
        return f"<pre>{html.escape(self.text())}</pre><ul>{notes}</ul>"

    def text(self) -> str:
        """Return the answer in plain words, as the command prints it."""
        return "\n\n".join(map("\n".join, _told(self)))

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON can hold; an ε of inf, which is no guarantee, is "Infinity"."""
        told = _plain(self)
        for found in (self.active, self.passive):
            told[found.attacker]["bets"] = found.bets
        return {"version": VERSION, "answered": True, "passes": self.passes, **told}


# Words.


def asked(
    file: str,
    counts: Sequence[str],
    tables: Sequence[Sequence[str]] = ((),),
    release: str = "",
    kind: str = "count",
) -> str:
    """Say what is asked.

    Examples
    --------
    >>> asked("poll.csv", ["vote=Y"], [["region"]], "exactly")
    'May the counts of vote=Y by region in poll.csv be published exactly?'
    >>> asked("poll.csv", ["vote=Y"], release="counts up to 10 suppressed")
    'May the count of vote=Y in poll.csv be published with counts up to 10 suppressed?'
    """
    # How much noise there is comes in the next line.
    how = release.partition(" (")[0]
    how = f" with {how}" if how.startswith("counts") else f" {how}" if how else ""
    each = " and".join(
        f" by {', '.join(by)}" if by else " of all" for by in tables if by or tables[1:]
    )
    noun = "count" if kind == "waves" else kind
    if kind == "waves" or ((each or len(counts) > 1) and kind != "table"):
        noun += "s"
    return f"May the {noun} of {', '.join(counts)}{each} in {file} be published{how}?"


def question(audit: Audit) -> str:
    """Say what is asked, and if the attacker is supposed to know nobody."""
    said = asked(audit.file, audit.counts, audit.tables, audit.release, audit.kind)
    return f"{said[:-1]}, if she knows none of the others?" if audit.knows_none else said


def extent(audit: Audit) -> str:
    """Say how many records there are, and how they are published."""
    noun = "group" if audit.groups == 1 else "groups"
    groups = f" in {audit.groups} {noun}" if any(audit.tables) else ""
    return f"{records(audit.records)}{groups}; published {audit.release}."


def records(number: int) -> str:
    """Say how many records.

    Examples
    --------
    >>> records(1), records(2)
    ('1 record', '2 records')
    """
    return f"{number} record{'' if number == 1 else 's'}"


def verdict(audit: Audit) -> str:
    """Say in a sentence what was found."""
    eps, delta = audit.active.eps, audit.active.delta
    if eps == math.inf:
        holds = "holds" if audit.active.status == "exact" else "is proved"
        return (
            f"No guarantee: no ε {holds} at δ = {delta:g}. Under the assumptions below, somebody's "
            "value may be told outright."
        )
    short = "" if eps <= audit.goal else f". That misses the goal ε = {audit.goal:g}"
    found = f"Under the assumptions below, this is ({number(eps)}, {delta:g})-private{short}."
    if audit.delta_records >= 1.0:
        return (
            f"{found} But δ is not below 1/{audit.records}, one in the number of records: it "
            "allows telling somebody's value outright. Choose a much smaller δ."
        )
    if audit.delta_records > 0.01:
        return (
            f"{found} This δ allows telling outright what {audit.delta_records:.2g} records say, "
            "on average. Choose a smaller δ."
        )
    return found


def in_bets(found: Guarantee) -> str:
    """Say what an advantage is to an attacker who bets."""
    return (
        "if two values of a record are equally likely to her and she has to bet on one, she wins "
        f"at most {found.bets:.10g} of 100 bets on average; guessing wins 50"
    )


def reached(found: Guarantee) -> str:
    """Say what one attacker reaches."""
    assert found.reached is not None
    who = ", who knows the least predictable records," if found.weakest.known else ""
    return f"This is a bound. One such attacker{who} reaches ε = {found.reached:.3g}."


def scored(found: Scores) -> str:
    """Say how good a model's probabilities are, on records that it had not seen."""
    return (
        f"On records that it was not fitted on, the model's squared error is {found.brier:.4f}; "
        f"that of the share of all is {found.base_brier:.4f}. Its log loss is "
        f"{found.log_loss:.4f}."
    )


def number(eps: float) -> str:
    """Return an ε with three digits, rounded up.

    Examples
    --------
    >>> number(0.12345), number(0.0), number(math.inf)
    ('0.124', '0', 'no guarantee')
    """
    if eps == math.inf:
        return "no guarantee"
    return f"{float(up(eps, 3)) if eps else 0.0:.3g}"


def eps_text(eps: float) -> str:
    """Say an ε.

    Examples
    --------
    >>> eps_text(0.5), eps_text(math.inf)
    ('ε = 0.5', 'no guarantee')
    """
    return "no guarantee" if eps == math.inf else f"ε = {number(eps)}"


OTHER_WAYS = (
    "Other ways to publish, instead of this one, against the active attacker. Audit the one you "
    "choose, since it rests on other assumptions"
)


def alternative(other: Alternative) -> str:
    """Say what another way to publish does, and with which option that is audited."""
    if other.noise is None:
        option = f"--suppress {other.threshold}"
    else:
        option = f"--noise geometric:{few_digits(other.noise.p)}"
    return (
        f"{other.what} ({option}): {eps_text(other.eps)}; against an attacker who knows all other "
        f"records, {eps_text(other.alone)}"
    )


def varied(audit: Audit) -> Iterator[str]:
    """Yield what holds under other assumptions."""
    for one in audit.variations:
        yield f"{one.assumed}: {eps_text(one.eps)}"
    if audit.least_lam == math.inf:
        yield f"ε = {audit.goal:g} is not reached by any λ"
    elif audit.least_lam is not None:
        yield f"ε = {audit.goal:g} requires λ ≥ {up(audit.least_lam, 2):f}"


def delta_text(log_delta: float) -> str:
    """Return δ, from its logarithm, with three digits, rounded up.

    Examples
    --------
    >>> [delta_text(log_delta) for log_delta in (math.log(0.25), -25.0, -800.0, -math.inf)]
    ['0.25', '1.39e-11', 'below 1e-300', '0']
    """
    if -math.inf < log_delta < math.log(1e-300):
        return "below 1e-300"
    return f"{float(up(math.exp(log_delta), 3)):.3g}"


def up(value: float, digits: int) -> decimal.Decimal:
    """Return a number with a few digits, rounded up.

    Examples
    --------
    >>> up(0.12301, 3)
    Decimal('0.124')
    """
    context = decimal.Context(prec=digits, rounding=decimal.ROUND_CEILING)
    return context.create_decimal_from_float(value)


def few_digits(ratio: float) -> str:
    """Write a ratio of noise with four digits, rounded up unless these are all.

    Examples
    --------
    >>> few_digits(0.9), few_digits(0.36671)
    ('0.9', '0.3668')
    """
    short = f"{ratio:.4g}"
    return short if float(short) >= ratio else f"{up(ratio, 4):f}"


def as_json(found: Audit | Refusal) -> str:
    """Return an answer, or a refusal, as JSON.

    Examples
    --------
    >>> print(as_json(Refusal("poll.csv", ("vote=Y",), ())).splitlines()[2])
     "answered": false,
    """
    if not isinstance(found, Audit | Refusal):
        raise TypeError(f"found must be an Audit or a Refusal, got {shown(found)}")
    return json.dumps(found.as_dict(), indent=1)


def _told(audit: Audit) -> Iterator[list[str]]:
    """Yield the paragraphs of an answer, each as lines."""
    active, passive, weakest = audit.active, audit.passive, audit.active.weakest
    yield [question(audit)]
    yield [extent(audit)]
    known = f"{records(weakest.records)}, of which she knows {weakest.known}"
    rows = [
        ("protected", audit.protects),
        *(
            (
                f"{one.attacker} attacker",
                f"{eps_text(one.eps)} at δ = {one.delta:g}, {one.status}: {one.theorem.cited}",
            )
            for one in (active, passive)
        ),
        *([("with", "; ".join(one.cited for one in audit.also))] if audit.also else []),
        ("goal", f"ε ≤ {audit.goal:g}: {'reached' if active.eps <= audit.goal else 'missed'}"),
        ("in bets", in_bets(active)),
        ("weakest", f"{weakest.label}: {known}"),
    ]
    bound = [] if active.reached is None else [f"  {reached(active)}"]
    yield [verdict(audit), *(f"  {name:18}{said}" for name, said in rows), *bound]
    if audit.variations:
        yield [
            "Under other assumptions, against the active attacker:",
            *(f"  - {said}" for said in varied(audit)),
        ]
    if audit.alternatives:
        others = (f"  - {alternative(other)}" for other in audit.alternatives)
        yield [f"{OTHER_WAYS}:", *others]
    if audit.scores is not None:
        yield [scored(audit.scores)]
    yield ["This rests on:", *(f"  - {assumption}" for assumption in audit.assumptions)]


def _plain(value: Any) -> Any:  # noqa: ANN401
    """Return what JSON can hold.

    No comparison takes "Infinity" for a small number, as some take null for one.
    """
    if value == math.inf:
        return "Infinity"
    if dataclasses.is_dataclass(value):
        shown = (field.name for field in dataclasses.fields(value) if field.repr)
        return {name: _plain(getattr(value, name)) for name in shown}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value
