"""Exact mechanisms on finite databases: counts, thresholds, means and randomized response.

A mechanism is any callable from a database, a tuple of records, to an output or, if it is
randomized, to the distribution of the output as a dict ``{output: Fraction}``. Any mapping is
taken as a distribution, a `collections.Counter` too, and so is never an output itself: release its
sorted items instead.

Here nouns are mechanisms (`total`, `parity`), and verbs make one (`make_count`, `mix`, `compose`):
``total(database)`` and ``make_count()(database)`` are outputs, but ``make_count(database)`` is a
function, which cannot be an output.

Everything here is exact: all numbers are ints and fractions. Your own mechanisms may release
anything that can be hashed. Outputs are the same if they compare as equal: ``True`` is 1, and
floats with different rounding errors differ, so that two ways to compute a sum may tell two
databases apart.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from pkdp._checks import (
    MOST_RECORDS,
    as_alphabet,
    as_chance,
    as_fraction,
    as_function,
    as_integer,
    as_law,
    as_parts,
    as_several,
)
from pkdp._order import in_order
from pkdp.worlds._exact_distributions import joint, summed

__all__ = [
    "Database",
    "Mechanism",
    "Output",
    "OutputLaw",
    "Root",
    "arithmetic_mean",
    "compose",
    "geometric_mean",
    "harmonic_mean",
    "identity",
    "majority",
    "make_constant",
    "make_count",
    "make_randomized_response",
    "make_threshold",
    "make_weighted_sum",
    "mix",
    "output_law",
    "parity",
    "post_process",
    "quadratic_mean",
    "total",
]

Database: TypeAlias = tuple[Any, ...]
Output: TypeAlias = Any
OutputLaw: TypeAlias = dict[Output, Fraction]
Mechanism: TypeAlias = Callable[[Database], Any]


_CERTAIN = Fraction(1)


def output_law(mechanism: Mechanism, database: Database) -> OutputLaw:
    """Compute the output distribution of a mechanism on one database.

    Parameters
    ----------
    mechanism : callable
        From a database to an output, or to ``{output: Fraction}``.
    database : tuple
        The records.

    Returns
    -------
    dict
        The outputs of positive probability, and these probabilities.

    Raises
    ------
    ValueError
        If probabilities are negative or do not sum to 1, or an output cannot be hashed or is a
        function (if the mechanism is `make_count` instead of ``make_count()``, say).
    TypeError
        If a probability is neither an int nor a fraction.

    Examples
    --------
    >>> output_law(sum, (1, 0, 1))
    {2: Fraction(1, 1)}
    """
    answer = as_function(mechanism, "mechanism", "a database")(database)
    try:
        law = as_law(answer, "") if isinstance(answer, Mapping) else {answer: _CERTAIN}
    except (TypeError, ValueError):
        # Check again, with the database in the message, which costs more than the check.
        if isinstance(answer, Mapping):
            return as_law(answer, f"the mechanism's output law on {database!r}")
        raise ValueError(
            f"the mechanism's output must be hashable, or a dict of probabilities, got {answer!r} "
            f"on {database!r}"
        ) from None
    for output in law:
        if callable(output):
            raise ValueError(
                f"the mechanism's output must not be a function, got {output!r} on {database!r}: "
                "call a function that makes a mechanism first, as in make_count()"
            )
    return law


# Outputs without parameters


def identity(database: Database) -> Database:
    """Release the whole database.

    Parameters
    ----------
    database : tuple
        The records.

    Returns
    -------
    tuple

    Raises
    ------
    ValueError
        If a record, like NaN, does not equal itself.

    Examples
    --------
    >>> identity((1, 0))
    (1, 0)
    """
    for record in _records(database):
        if record != record:
            raise ValueError(f"database must have records that equal themselves, got {record!r}")
    return database


def total(database: Database) -> Any:  # noqa: ANN401 -- the type of the sum
    """Release the sum of the records.

    Parameters
    ----------
    database : tuple
        Records that can be added up.

    Returns
    -------
    number

    Raises
    ------
    ValueError
        If the sum is NaN.

    Examples
    --------
    >>> total((1, 0, 1))
    2
    """
    return _sum(database)


def parity(database: Database) -> Any:  # noqa: ANN401
    """Release the sum of the records, modulo 2.

    Parameters
    ----------
    database : tuple
        Records that are integers.

    Returns
    -------
    int
        0 or 1.

    Raises
    ------
    ValueError
        If the sum is NaN.

    Examples
    --------
    >>> parity((1, 1, 1))
    1
    """
    return _sum(database) % 2


def majority(database: Database) -> Any:  # noqa: ANN401
    """Release the most frequent record, the first in order if there are several.

    Parameters
    ----------
    database : tuple
        Records of any types; `pkdp.worlds.in_order` sorts them.

    Returns
    -------
    hashable
        One of the records.

    Raises
    ------
    ValueError
        If there is no record, or one that, like NaN, does not equal itself.

    Examples
    --------
    >>> majority((1, 0, 1)), majority((1, 0)), majority((1, None))
    (1, 0, None)
    """
    counts = Counter(identity(_some_records(database)))
    most = max(counts.values())
    return in_order(value for value, count in counts.items() if count == most)[0]


def make_constant(output: Output) -> Mechanism:
    """Make the mechanism that always releases the same output.

    Parameters
    ----------
    output : hashable

    Returns
    -------
    callable

    Examples
    --------
    >>> make_constant("nothing")((1, 0))
    'nothing'
    """
    return lambda database: output


def make_count(predicate: Callable[[Any], object] = bool) -> Mechanism:
    """Make the mechanism that counts the records with a property.

    Parameters
    ----------
    predicate : callable
        From a record to true or false; by default whether the record is true.

    Returns
    -------
    callable
        From a database to an int.

    Examples
    --------
    >>> make_count()((1, 0, 1))
    2
    >>> make_count(lambda record: record == "no")(("no", "yes", "maybe"))
    1
    """

    def counted(database: Database) -> int:
        # Not earlier: if `make_count` itself is used as a mechanism, `output_law` says so.
        as_function(predicate, "predicate", "a record")
        return sum(1 for record in _records(database) if predicate(record))

    return counted


def make_threshold(most_hidden: int) -> Mechanism:
    """Make the count that is released only if it is larger than a threshold, else ``None`` (⊥).

    Parameters
    ----------
    most_hidden : int
        The threshold T ≥ 0: counts ≤ T are suppressed (Definition 15).

    Returns
    -------
    callable
        From a database to an int or None.

    Raises
    ------
    ValueError
        If the threshold is negative.

    Examples
    --------
    >>> make_threshold(1)((1, 0, 1)), make_threshold(2)((1, 0, 1))
    (2, None)
    """
    largest = as_integer(most_hidden, "most_hidden", 0, MOST_RECORDS)
    counted = make_count()

    def released(database: Database) -> int | None:
        n = counted(database)
        return n if n > largest else None

    return released


# Linear and other means


def make_weighted_sum(weights: Sequence[Fraction | int]) -> Mechanism:
    """Make the linear query with the given weights, one for each record.

    Parameters
    ----------
    weights : sequence of Fraction

    Returns
    -------
    callable
        From a database to a Fraction.

    Raises
    ------
    ValueError
        If the number of records of a database is not that of the weights.
    TypeError
        If a weight is neither an int nor a fraction.

    Examples
    --------
    >>> make_weighted_sum([1, 2, 4])((1, 0, 1))
    Fraction(5, 1)
    """
    several = as_several(weights, "weights", "ints or fractions, one a record")
    exact = [as_fraction(weight, "a weight") for weight in several]

    def query(database: Database) -> Fraction:
        if len(_records(database)) != len(exact):
            raise ValueError(
                f"database must have {len(exact)} records, one a weight, got {len(database)}"
            )
        terms = zip(exact, _fractions(database), strict=True)
        return sum((weight * record for weight, record in terms), Fraction(0))

    return query


@dataclass(frozen=True)
class Root:
    """The number ``radicand**(1/degree)``, kept exact.

    Two roots of the same degree are equal if their radicands are; those of different degrees are
    never equal.

    Attributes
    ----------
    degree : int
        At least 1.
    radicand : Fraction
        Not negative.

    Raises
    ------
    ValueError
        If `degree` is less than 1, or `radicand` negative.
    TypeError
        If `degree` is no integer, or `radicand` neither an int nor a fraction.

    Examples
    --------
    >>> Root(2, 3)
    Root(degree=2, radicand=Fraction(3, 1))
    """

    degree: int
    radicand: Fraction

    def __post_init__(self) -> None:
        degree = as_integer(self.degree, "degree", 1, MOST_RECORDS)
        radicand = as_fraction(self.radicand, "radicand")
        if radicand < 0:
            raise ValueError(f"radicand must be ≥ 0, got {radicand}")
        object.__setattr__(self, "degree", degree)
        object.__setattr__(self, "radicand", radicand)


def arithmetic_mean(database: Database) -> Fraction:
    """Release the arithmetic mean.

    Parameters
    ----------
    database : tuple
        Records that are ints or fractions.

    Returns
    -------
    Fraction

    Raises
    ------
    ValueError
        If there is no record.
    TypeError
        If a record is neither an int nor a fraction.

    Examples
    --------
    >>> arithmetic_mean((1, 2, 2))
    Fraction(5, 3)
    """
    return sum(_fractions(database), Fraction(0)) / len(database)


def harmonic_mean(database: Database) -> Fraction:
    """Release the harmonic mean of positive records.

    Parameters
    ----------
    database : tuple
        Records that are positive ints or fractions.

    Returns
    -------
    Fraction

    Raises
    ------
    ValueError
        If there is no record, or one is not positive.
    TypeError
        If a record is neither an int nor a fraction.

    Examples
    --------
    >>> harmonic_mean((1, 2, 2))
    Fraction(3, 2)
    """
    values = _positive(database)
    return len(values) / sum((1 / value for value in values), Fraction(0))


def geometric_mean(database: Database) -> Root:
    """Release the geometric mean of positive records.

    Parameters
    ----------
    database : tuple
        Records that are positive ints or fractions.

    Returns
    -------
    Root

    Raises
    ------
    ValueError
        If there is no record, or one is not positive.
    TypeError
        If a record is neither an int nor a fraction.

    Examples
    --------
    >>> geometric_mean((1, 2, 2))
    Root(degree=3, radicand=Fraction(4, 1))
    """
    values = _positive(database)
    return Root(len(values), math.prod(values, start=Fraction(1)))


def quadratic_mean(database: Database) -> Root:
    """Release the quadratic mean, the root of the mean of the records' squares.

    The paper requires positive records; since only squares matter, any records are allowed here.

    Parameters
    ----------
    database : tuple
        Records that are ints or fractions.

    Returns
    -------
    Root

    Raises
    ------
    ValueError
        If there is no record.
    TypeError
        If a record is neither an int nor a fraction.

    Examples
    --------
    >>> quadratic_mean((1, 2, 2)), quadratic_mean((-1, 0))
    (Root(degree=2, radicand=Fraction(3, 1)), Root(degree=2, radicand=Fraction(1, 2)))
    """
    squares = (value**2 for value in _fractions(database))
    return Root(2, sum(squares, Fraction(0)) / len(database))


def _records(database: Database) -> Database:
    if not isinstance(database, tuple):
        raise TypeError(f"database must be a tuple of records, got {database!r}")
    return database


def _sum(database: Database) -> Any:  # noqa: ANN401
    added: Any = sum(_records(database))
    if added != added:  # NaN, which no output can be: it does not equal itself
        raise ValueError(f"database must have records with a sum, got {database!r}")
    return added


def _some_records(database: Database) -> Database:
    if not _records(database):
        raise ValueError("database must have at least one record, got none")
    return database


def _fractions(database: Database) -> list[Fraction]:
    return [as_fraction(record, "a record of the database") for record in _some_records(database)]


def _positive(database: Database) -> list[Fraction]:
    values = _fractions(database)
    if min(values) <= 0:
        raise ValueError(f"database must have positive records for this mean, got {min(values)}")
    return values


# Randomness


def make_randomized_response(
    truth: Fraction | int, records: Sequence[Hashable] = (0, 1)
) -> Mechanism:
    """Make randomized response: each record is told with some probability, else a random one.

    Parameters
    ----------
    truth : Fraction
        Probability in [0, 1] that the true record is told; otherwise one of `records` is drawn
        uniformly, which may be the true one, too.
    records : sequence
        The possible records, all different.

    Returns
    -------
    callable
        From a database to a distribution on the ``len(records)**n`` databases.

    Raises
    ------
    ValueError
        If `truth` is outside [0, 1], a value is given twice, or a record is not among them.

    References
    ----------
    Thesis, section 2.1.6, "A simple example: randomized response"; Warner 1965.

    Examples
    --------
    >>> law = output_law(make_randomized_response(Fraction(1, 2)), (1,))
    >>> {output: str(mass) for output, mass in sorted(law.items())}
    {(0,): '1/4', (1,): '3/4'}
    """
    told = as_chance(truth, "truth")
    values = as_alphabet(records)
    lie = (1 - told) / len(values)
    answers = {
        value: {other: lie + (told if other == value else 0) for other in values}
        for value in values
    }

    def answered(database: Database) -> OutputLaw:
        unknown = set(_records(database)) - set(values)
        if unknown:
            raise ValueError(f"records must be among {values!r}, got {unknown.pop()!r}")
        return joint(answers[record] for record in database)

    return answered


# Mechanisms from mechanisms


def post_process(mechanism: Mechanism, function: Callable[[Output], Any]) -> Mechanism:
    """Make the mechanism whose output goes through a function, which may be randomized.

    Parameters
    ----------
    mechanism : callable
        The first mechanism.
    function : callable
        From its outputs to outputs, or to distributions ``{output: Fraction}``.

    Returns
    -------
    callable
        From a database to a distribution ``{output: Fraction}``.

    Examples
    --------
    >>> post_process(total, lambda n: n > 1)((1, 0, 1))
    {True: Fraction(1, 1)}
    """
    as_function(mechanism, "mechanism", "a database")
    as_function(function, "function", "an output")

    def processed(database: Database) -> OutputLaw:
        return summed(
            (result, mass * share)
            for output, mass in output_law(mechanism, database).items()
            for result, share in output_law(function, output).items()
        )

    return processed


def mix(parts: Sequence[tuple[Fraction | int, Mechanism]]) -> Mechanism:
    """Make the mechanism that draws one of several and does not release which.

    Parameters
    ----------
    parts : sequence of (Fraction, callable)
        Weights, which sum to 1, and mechanisms.

    Returns
    -------
    callable
        From a database to a distribution ``{output: Fraction}``.

    Raises
    ------
    ValueError
        If a weight is negative, or they do not sum to 1.

    Examples
    --------
    >>> mix([(Fraction(1, 4), total), (Fraction(3, 4), parity)])((1, 1))
    {2: Fraction(1, 4), 0: Fraction(3, 4)}
    """
    drawn = as_parts(parts, "mechanism")

    def mixed(database: Database) -> OutputLaw:
        return summed(
            (output, weight * mass)
            for weight, mechanism in drawn
            for output, mass in output_law(mechanism, database).items()
        )

    return mixed


def compose(*mechanisms: Mechanism) -> Mechanism:
    """Make the mechanism that releases the outputs of several, with independent randomness.

    Parameters
    ----------
    *mechanisms : callable
        From a database to an output, or to ``{output: Fraction}``.

    Returns
    -------
    callable
        From a database to the distribution of a tuple, with one output of each mechanism.

    Examples
    --------
    >>> compose(total, parity)((1, 1, 1))
    {(3, 1): Fraction(1, 1)}
    """
    return lambda database: joint(output_law(mechanism, database) for mechanism in mechanisms)
