"""Argument checks shared by the library: each failure names argument, value and allowed range.

Exact worlds are checked here, too, and do without numpy, which is imported only where arrays are
made.
"""

from __future__ import annotations

import decimal
import math
import numbers
import operator
import sys
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, SupportsFloat, SupportsIndex, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

# More than there are people, and small enough for every sum here to stay exact.
MOST_RECORDS = 10**10

# Databases are listed one by one in a world: so long ones only where hardly any record is random.
MOST_IN_A_DATABASE = 1000

# The largest ε of a mechanism of which that is all that is known: beyond, e^ε is hardly a float.
LARGEST_EPS = 700.0

# What is listed one by one (databases, cells of a world) fits memory and ends within seconds.
MOST_LISTED = 2_000_000


def is_numpys(value: object, *names: str) -> bool:
    """Tell an instance of one of numpy's classes; where numpy was not imported, there is none."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, tuple(getattr(numpy, name) for name in names))


def is_iterable(value: object) -> bool:
    """Tell what can be iterated over; an array of no dimension only says that it can."""
    scalar = is_numpys(value, "ndarray") and value.ndim == 0  # type: ignore[attr-defined]
    return isinstance(value, Iterable) and not scalar


def shown(value: object, write: Callable[[object], str] = repr) -> str:
    """Return a value as a message shows it; of a table or an array, which may be data, its type.

    Python writes no integer of thousands of digits.
    """
    if getattr(value, "shape", ()) != ():
        return f"a {type(value).__name__}"
    try:
        return write(value)
    except ValueError:
        return f"a {type(value).__name__} of more digits than Python writes"


def as_integer(value: SupportsIndex, name: str, least: int, most: int) -> int:
    """Return `value` as an int in ``least…most``."""
    allowed = f"an integer in {least}…{most}"
    # A bool is an int to Python, but never a number of records.
    if type(value) is not int:  # nearly always it is
        refused = isinstance(value, bool) or is_numpys(value, "bool_", "ndarray")
        if refused or not hasattr(value, "__index__"):
            raise TypeError(f"{name} must be {allowed}, got {shown(value)}")
    number = value.__index__()
    if not least <= number <= most:
        raise ValueError(f"{name} must be {allowed}, got {shown(value)}")
    return number


def as_real(
    value: SupportsFloat,
    name: str,
    allowed: str,
    least: float,
    most: float,
    *,
    without: tuple[float, ...] = (),
) -> float:
    """Return `value` as a float in ``[least, most]``; `allowed` words the range.

    Ends that do not belong to the range are named in `without`.
    """
    if type(value) is not float:  # nearly always it is
        refused = isinstance(value, str | bytes | bool | complex) or is_numpys(
            value, "bool_", "ndarray", "complexfloating"
        )
        if refused or not hasattr(value, "__float__"):
            raise TypeError(f"{name} must be {allowed}, got {shown(value)}")
        if is_numpys(value, "float16", "float32"):
            value = float(value)  # or the ends of the range would be rounded to its few digits
    try:
        # Before any rounding: a fraction just outside the range is outside.
        inside = bool(least <= value <= most)  # type: ignore[operator]
    except (TypeError, ValueError, decimal.InvalidOperation):
        inside = False
    if not inside:
        raise ValueError(f"{name} must be {allowed}, got {shown(value)}")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(
            f"{name} must be {allowed}, as a float can hold it, got {shown(value)}"
        ) from None
    # After rounding: what is so near an end is of no more use than the end.
    if number in without:
        raise ValueError(f"{name} must be {allowed}, got {shown(value)}")
    return number


def as_uncertainty(lam: SupportsFloat) -> float:
    """Return λ as a float in (0, ½]."""
    return as_real(lam, "lam", "in (0, 0.5]", 0.0, 0.5, without=(0.0,))


def as_eps(eps: SupportsFloat) -> float:
    """Return the ε of a mechanism as a float in [0, 700]."""
    return as_real(eps, "eps", f"in [0, {LARGEST_EPS:g}]", 0.0, LARGEST_EPS)


def as_tolerance(tol: SupportsFloat) -> float:
    """Return a relative tolerance as a float in [1e-10, 1]."""
    return as_real(tol, "tol", "in [1e-10, 1]", 1e-10, 1.0)


def as_floats(
    values: npt.ArrayLike, name: str, allowed: str, least: float, most: float
) -> npt.NDArray[np.float64]:
    """Return an array of floats in ``[least, most]``; `allowed` words the range."""
    import numpy as np

    try:
        if isinstance(values, np.ma.MaskedArray):
            raise TypeError
        array = np.asarray(values)
        if array.dtype.kind == "O":  # fractions, say, but not texts
            if any(isinstance(item, str | bytes | bool | complex | None) for item in array.flat):
                raise TypeError
            array = array.astype(np.float64)
        if array.dtype.kind not in "iuf":
            raise TypeError
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name} must be numbers {allowed}, got {shown(values)}") from None
    # NaN makes both comparisons false; the extremes cost less than a mask as long as the array.
    if array.size and not (array.min() >= least and array.max() <= most):
        outside = array[~((array >= least) & (array <= most))]
        raise ValueError(f"{name} must be {allowed}, got {outside.flat[0].item()!r}")
    return array.astype(np.float64, copy=False)


def as_probabilities(values: npt.ArrayLike, name: str) -> npt.NDArray[np.float64]:
    """Return a one-dimensional array of floats in [0, 1]."""
    import numpy as np

    if isinstance(values, list | tuple) and not values:
        return np.empty(0)
    array = as_floats(values, name, "in [0, 1]", 0.0, 1.0)
    if array.ndim != 1:
        raise ValueError(
            f"{name} must be one-dimensional with values in [0, 1], got shape {array.shape}"
        )
    return array


def as_guarantees(
    epsilons: npt.ArrayLike, deltas: npt.ArrayLike, fewest: int, most: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return ε in [0, 700] and δ in [0, 1] of each of ``fewest…most`` mechanisms.

    A single δ is that of all.
    """
    each = as_floats(epsilons, "epsilons", f"in [0, {LARGEST_EPS:g}]", 0.0, LARGEST_EPS)
    if each.ndim != 1 or not fewest <= each.size <= most:
        allowed = f"{most}" if fewest == most else f"{fewest}…{most}"
        raise ValueError(f"epsilons must be {allowed} numbers in a row, got shape {each.shape}")
    # Copies, which the caller cannot change later.
    return each.copy(), as_each(deltas, "deltas", each.size).copy()


def as_each(values: npt.ArrayLike, name: str, size: int) -> npt.NDArray[np.float64]:
    """Return `size` numbers in [0, 1]; a single number stands for all of them."""
    import numpy as np

    numbers = as_floats(values, name, "in [0, 1]", 0.0, 1.0)
    if numbers.shape not in ((), (size,)):
        raise ValueError(f"{name} must be one number or {size} in a row, got shape {numbers.shape}")
    return np.broadcast_to(numbers, (size,))


def is_among(value: object, several: Collection[Any]) -> bool:
    """Tell whether a value is a key of a mapping or in a set; without a hash it cannot be."""
    try:
        return value in several
    except TypeError:
        return False


_Choice = TypeVar("_Choice", bound=str)


def as_choice(value: _Choice, name: str, choices: Iterable[str]) -> _Choice:
    """Return one of a few words."""
    allowed = tuple(choices)
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {allowed}, got {shown(value)}")
    return value


def as_choices(
    values: Iterable[str], name: str, choices: Sequence[str], *, none: bool = False
) -> tuple[str, ...]:
    """Return several different words of some, or `none` if that is allowed."""
    allowed = f"some of {', '.join(choices)}, {'' if none else 'at least one, '}each once"
    words = tuple(values) if is_iterable(values) else ()
    if not is_iterable(values) or not all(isinstance(word, str) for word in words):
        raise TypeError(f"{name} must be {allowed}, got {shown(values)}")
    # A text is an iterable of texts, too, but "age" is not meant as a, g and e.
    distinct = set(words)
    several = not isinstance(values, str) and (words or none)
    if not several or len(distinct) < len(words) or distinct - set(choices):
        raise ValueError(f"{name} must be {allowed}, got {shown(values)}")
    return words


def unknown_records(n: SupportsIndex, known: SupportsIndex) -> int:
    """Return N = n - 1 - known, the records neither targeted nor known to the attacker."""
    return unknown_and_known(n, known)[0]


def unknown_and_known(n: SupportsIndex, known: SupportsIndex) -> tuple[int, int]:
    """Return N = n - 1 - known, and how many records the attacker knows."""
    records = as_integer(n, "n", 2, MOST_RECORDS)
    seen = as_integer(known, "known", 0, records - 1)
    return records - 1 - seen, seen


def as_size(count: int, what: str) -> int:
    """Return the number of `what`, a plural, if they can be listed one by one."""
    if count > MOST_LISTED:
        size = str(count) if count < 10**15 else f"about 10^{round(math.log10(count))}"
        raise ValueError(
            f"the number of {what} must be at most {MOST_LISTED}, to list them all, got {size}"
        )
    return count


def not_nan(value: float) -> float:
    """Return `value`, which no legal argument makes NaN: `min` and `max` would hide one."""
    if math.isnan(value):
        raise ArithmeticError("a computation failed; please report the arguments")
    return value


# Exact numbers: worlds and mechanisms hold no floats, whose digits would be taken at their word.

_Outcome = TypeVar("_Outcome", bound=Hashable)
_Function = TypeVar("_Function", bound=Callable[..., object])


def as_fraction(value: object, name: str) -> Fraction:
    """Return an int or a fraction as a `Fraction`."""
    if type(value) is int:
        return Fraction(value)
    boolean = isinstance(value, bool) or is_numpys(value, "bool_")
    if boolean or not isinstance(value, numbers.Rational):
        raise TypeError(f"{name} must be an int or a Fraction, got {shown(value)}")
    return Fraction(int(value.numerator), int(value.denominator))


def as_chance(value: object, name: str) -> Fraction:
    """Return an exact probability, an int or a fraction in [0, 1], as a `Fraction`."""
    exact = as_fraction(value, name)
    if not 0 <= exact <= 1:
        raise ValueError(f"{name} must be in [0, 1], got {shown(value, str)}")
    return exact


def as_alphabet(records: Iterable[_Outcome]) -> tuple[_Outcome, ...]:
    """Return the possible records: different values, at least one."""
    values = as_hashable(records, "records")
    if not values or len(set(values)) < len(values):
        raise ValueError(f"records must be different values, at least one, got {shown(values)}")
    return values


def as_hashable(values: Iterable[_Outcome], name: str) -> tuple[_Outcome, ...]:
    """Return several values that can be hashed; a text is several letters."""
    try:
        found = tuple(values)
        set(found)
    except TypeError:
        raise TypeError(f"{name} must be several hashable values, got {shown(values)}") from None
    return found


# Arguments that are neither numbers nor words.

_Item = TypeVar("_Item")


def as_several(values: Iterable[_Item], name: str, what: str) -> tuple[_Item, ...]:
    """Return several of `what`; a text or a mapping is not what was meant."""
    if not is_iterable(values) or isinstance(values, str | bytes | Mapping):
        raise TypeError(f"{name} must be several {what}, got {shown(values)}")
    return tuple(values)


def as_mapping(value: Mapping[Any, _Item], name: str, to: str) -> Mapping[Any, _Item]:
    """Return a mapping."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must be a mapping to {to}, got {shown(value)}")
    return value


def as_instance(value: _Item, name: str, kind: type[_Item]) -> _Item:
    """Return an instance of a class: of ``bool``, say, for what is true or false."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be a {kind.__name__}, got {shown(value)}")
    return value


def as_function(value: _Function, name: str, of: str) -> _Function:
    """Return a function `of` something."""
    if not callable(value):
        raise TypeError(f"{name} must be a function of {of}, got {shown(value)}")
    return value


def as_law(masses: Mapping[_Outcome, object], name: str) -> dict[_Outcome, Fraction]:
    """Return the positive masses of a law as fractions."""
    as_mapping(masses, name, "probabilities")
    law, parts, units = {}, [], []
    for outcome, mass in masses.items():
        # A message costs more than the check.
        if type(mass) is Fraction:
            exact = mass
        elif type(mass) is int:
            exact = Fraction(mass)
        else:
            exact = as_fraction(mass, f"{name}: the probability of {outcome!r}")
        part = exact.numerator
        if part < 0:
            raise ValueError(f"{name}: the probability of {outcome!r} must be ≥ 0, got {exact}")
        if part:
            law[outcome] = exact
            parts.append(part)
            units.append(exact.denominator)
    # Over a common denominator: fractions would reduce every partial sum.
    common = math.lcm(*units)
    if sum(map(operator.mul, parts, [common // unit for unit in units])) != common:
        raise ValueError(f"{name}: probabilities must sum to 1, got {sum(law.values())}")
    return law


def as_parts(parts: Iterable[object], what: str) -> tuple[tuple[Fraction, Any], ...]:
    """Return those of several callables, all drawn by chance, that are possible."""
    several: tuple[Any, ...] = as_several(parts, "parts", f"pairs of a weight and a {what}")
    for part in several:
        if not (isinstance(part, tuple) and len(part) == 2 and callable(part[1])):
            raise TypeError(f"parts must be pairs of a weight and a {what}, got {part!r}")
    weights = as_law({k: weight for k, (weight, _) in enumerate(several)}, "parts")
    return tuple((weight, several[k][1]) for k, weight in weights.items())


def as_ratio(value: object, name: str = "ratio", *, below_one: bool = False) -> Fraction | float:
    """Return a ratio e^ε as a fraction ≥ 1, or inf; ``below_one`` allows ε < 0, too."""
    if isinstance(value, float) and value == math.inf:
        return math.inf
    exact = as_fraction(value, name)
    if exact <= 0 or (exact < 1 and not below_one):
        allowed = "(0, inf)" if below_one else "[1, inf)"
        raise ValueError(f"{name} must be a Fraction in {allowed}, or math.inf, got {value}")
    return exact


def as_finite_ratio(value: object) -> Fraction:
    """Return a ratio e^ε as a fraction ≥ 1."""
    ratio = as_ratio(value)
    if isinstance(ratio, float):
        raise ValueError("ratio must be a Fraction in [1, inf), got inf")
    return ratio
