"""Differential privacy: randomized response, posterior bounds, geometric and Laplace noise.

Section 1.3 of the paper, and section 2.1.6 of the thesis. `pkdp.definitions.dp_ratio` computes the
worst case of a mechanism over all pairs of neighbouring databases; mechanisms are callables as in
`pkdp.mechanisms`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, SupportsFloat, SupportsIndex, TypeAlias

from pkdp._checks import (
    MOST_RECORDS,
    as_chance,
    as_finite_ratio,
    as_floats,
    as_function,
    as_integer,
    as_real,
    as_size,
)
from pkdp.worlds._output_distributions import (
    as_databases,
    extremes,
    greatest_ratio,
    neighbouring_databases,
    output_laws,
)
from pkdp.worlds.mechanisms import Database, Mechanism

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "FloatArray",
    "SurveyEstimate",
    "global_sensitivity",
    "invert_survey",
    "laplace_density",
    "noise_ratio",
    "posterior_bounds",
    "removal_ratio",
    "response_ratio",
    "response_truth",
    "rounded_laplace",
    "two_sided_geometric",
]

FloatArray: TypeAlias = "npt.NDArray[np.float64]"

_MOST_ANSWERS = 10**9
# Bounds on posteriors are moved outwards by this factor.
_MARGIN = 2.0**-50


# Randomized response


def response_ratio(truth: Fraction | int, answers: SupportsIndex = 2) -> Fraction | float:
    r"""Compute the e^ε of randomized response: tell the truth, or else give a random answer.

    Parameters
    ----------
    truth : Fraction
        Probability k in [0, 1] of telling the truth; otherwise one of the answers is drawn
        uniformly, which may be the true one too.
    answers : int
        Number K ≥ 2 of possible answers.

    Returns
    -------
    Fraction or inf
        ``(1 + (K-1) k) / (1-k)``; ``math.inf`` if k = 1.

    Raises
    ------
    TypeError
        If `truth` is neither an int nor a fraction.
    ValueError
        If `truth` is outside [0, 1] or `answers` below 2.

    References
    ----------
    Thesis, section 2.1.6, "A simple example: randomized response"; Warner 1965.

    Examples
    --------
    >>> response_ratio(Fraction(1, 2))
    Fraction(3, 1)
    >>> response_ratio(Fraction(1, 2), answers=5)
    Fraction(6, 1)
    """
    told = as_chance(truth, "truth")
    count = as_integer(answers, "answers", 2, _MOST_ANSWERS)
    return math.inf if told == 1 else (1 + (count - 1) * told) / (1 - told)


def response_truth(ratio: Fraction | int, answers: SupportsIndex = 2) -> Fraction:
    """Compute the probability of telling the truth in randomized response with a given e^ε.

    Parameters
    ----------
    ratio : Fraction
        e^ε, at least 1.
    answers : int
        Number K ≥ 2 of possible answers.

    Returns
    -------
    Fraction
        ``(E-1) / (E+K-1)``, the inverse of `response_ratio`.

    Raises
    ------
    TypeError
        If `ratio` is neither an int nor a fraction.
    ValueError
        If `ratio` is below 1 or `answers` below 2.

    Examples
    --------
    >>> response_truth(3)
    Fraction(1, 2)
    """
    exact = as_finite_ratio(ratio)
    count = as_integer(answers, "answers", 2, _MOST_ANSWERS)
    return (exact - 1) / (exact + count - 1)


@dataclass(frozen=True)
class SurveyEstimate:
    """The estimate of a share in a population from a survey by randomized response.

    Attributes
    ----------
    share : Fraction
        Unbiased estimate of the share of true Yes; by chance it may be outside [0, 1].
    standard_error : float
        Its estimated standard deviation, for a sample from a large population.
    """

    share: Fraction
    standard_error: float


def invert_survey(
    yes: SupportsIndex, respondents: SupportsIndex, *, truth: Fraction | int
) -> SurveyEstimate:
    """Estimate the share of true Yes from the answers of a survey by randomized response.

    A respondent says Yes with probability ``k·share + (1-k)/2``. The estimate solves this for the
    share, and its standard error is that of the observed share of Yes, divided by k.

    Parameters
    ----------
    yes : int
        Number of answers Yes, in 0…respondents.
    respondents : int
        Number of answers, at least 1.
    truth : Fraction
        Probability k in (0, 1] of telling the truth; otherwise the answer is that of a fair coin.

    Returns
    -------
    SurveyEstimate

    References
    ----------
    Thesis, section 2.1.6: 400 of 1000 say Yes.

    Examples
    --------
    >>> estimate = invert_survey(400, 1000, truth=Fraction(1, 2))
    >>> estimate.share, round(estimate.standard_error, 4)
    (Fraction(3, 10), 0.031)
    """
    n = as_integer(respondents, "respondents", 1, MOST_RECORDS)
    observed = Fraction(as_integer(yes, "yes", 0, n), n)
    told = as_chance(truth, "truth")
    if told == 0:
        raise ValueError(f"truth must be in (0, 1]: random answers say nothing, got {truth}")
    return SurveyEstimate(
        (observed - (1 - told) / 2) / told,
        math.sqrt(observed * (1 - observed) / n) / float(told),
    )


# Posterior beliefs


def posterior_bounds(prior: npt.ArrayLike, eps: SupportsFloat) -> tuple[Any, Any]:
    """Compute the least and the largest posterior that ε-differential privacy allows.

    For an attacker who knows all other records, the odds of any statement about one record change
    by a factor of at most e^ε.

    Parameters
    ----------
    prior : array_like
        The attacker's prior beliefs, in [0, 1]; any shape.
    eps : float
        ε ≥ 0; ``inf`` is allowed.

    Returns
    -------
    lower, upper : float or array
        ``p/(E + (1-E)p)`` and ``E·p/(1 + (E-1)p)``, of the shape of `prior`; rounded down and up,
        for ε ≤ 700 by at most a relative 2e-15 plus a few steps of the smallest floats; for larger
        ε, where e^-ε is nearly 0 as a float, the lower one may be 0. Exact at ε = 0.

    Raises
    ------
    TypeError
        If an argument is not made of numbers.
    ValueError
        If an argument is outside the range above.

    References
    ----------
    Thesis, section 2.1.6, Proposition 1.

    Examples
    --------
    >>> lower, upper = posterior_bounds(0.5, math.log(3))
    >>> round(lower, 9), round(upper, 9)
    (0.25, 0.75)
    >>> posterior_bounds([0.0, 1.0], 7)[1].tolist()
    [0.0, 1.0]
    """
    import numpy as np

    before = as_floats(prior, "prior", "in [0, 1]", 0.0, 1.0)
    moved = as_real(eps, "eps", "in [0, inf]", 0.0, math.inf)
    # Each step is off by at most half a unit in the last place, 2^-53 for normal numbers; the
    # factor and the last step outwards are larger than all these errors together.
    inverse = math.nextafter(math.exp(-moved), 0.0)
    settled = (before == 0.0) | (before == 1.0) | (moved == 0.0)
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        shrunk = before * inverse
        lower = np.nextafter(shrunk / (shrunk + (1.0 - before)) * (1.0 - _MARGIN), 0.0)
        upper = before / (before + (1.0 - before) * inverse) * (1.0 + _MARGIN)
    lower = np.where(settled, before, lower)
    upper = np.where(settled, before, np.nextafter(np.minimum(upper, 1.0), 1.0))
    if before.ndim == 0:
        return float(lower), float(upper)
    return lower, upper


# Noise


def two_sided_geometric(k: SupportsIndex, alpha: Fraction | float) -> Fraction | float:
    """Compute the probability of k under the two-sided geometric distribution of mean 0.

    Parameters
    ----------
    k : int
        Any integer.
    alpha : Fraction or float
        The ratio α in (0, 1) of neighbouring probabilities; `noise_ratio` computes it from ε.

    Returns
    -------
    Fraction or float
        ``(1-α)/(1+α) · α^|k|``, exact if `alpha` is a fraction.

    Raises
    ------
    TypeError
        If `k` is not an integer, or `alpha` not a number.
    ValueError
        If `alpha` is outside (0, 1).

    References
    ----------
    Thesis, section 2.1.6, Definition 8. Our text of the thesis lacks its formulas; this one is
    standard.

    Examples
    --------
    >>> [str(two_sided_geometric(k, Fraction(1, 3))) for k in (-1, 0, 1, 2)]
    ['1/6', '1/2', '1/6', '1/18']
    """
    steps = abs(as_integer(k, "k", -MOST_RECORDS, MOST_RECORDS))
    exact = isinstance(alpha, Fraction)
    ratio = alpha if exact else as_real(alpha, "alpha", "in (0, 1)", 0.0, 1.0)
    if not 0 < ratio < 1:
        raise ValueError(f"alpha must be in (0, 1), got {alpha!r}")
    return (1 - ratio) / (1 + ratio) * ratio**steps


def noise_ratio(eps: SupportsFloat, sensitivity: SupportsFloat = 1) -> float:
    """Compute the α of the geometric mechanism, e^{-ε/Δ}.

    Parameters
    ----------
    eps : float
        ε > 0.
    sensitivity : float
        The global sensitivity Δ > 0.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    TypeError
        If an argument is not a number.
    ValueError
        If an argument is not positive and finite.

    References
    ----------
    Thesis, section 2.1.6, Proposition 7.

    Examples
    --------
    >>> round(noise_ratio(math.log(3)), 12)
    0.333333333333
    """
    return math.exp(-_positive(eps, "eps") / _positive(sensitivity, "sensitivity"))


def laplace_density(x: npt.ArrayLike, scale: SupportsFloat) -> FloatArray:
    """Compute the density ``e^{-|x|/b}/(2b)`` of the Laplace distribution of mean 0.

    Parameters
    ----------
    x : array_like
        Real numbers, of any shape.
    scale : float
        The scale b > 0; b = Δ/ε in the Laplace mechanism.

    Returns
    -------
    array
        Of the shape of `x`.

    Raises
    ------
    TypeError
        If an argument is not made of numbers.
    ValueError
        If the scale is not positive and finite, or a number is NaN.

    References
    ----------
    Thesis, section 2.1.6, Definition 7.

    Examples
    --------
    >>> laplace_density([-1.0, 0.0], 0.5).round(4).tolist()
    [0.1353, 1.0]
    """
    import numpy as np

    b = _positive(scale, "scale")
    at = as_floats(x, "x", "real numbers", -math.inf, math.inf)
    with np.errstate(over="ignore"):  # for a tiny scale e^{-inf} and an infinite peak are right
        return np.asarray(np.exp(-np.abs(at) / b) / (2.0 * b))


def rounded_laplace(k: npt.ArrayLike, scale: SupportsFloat) -> FloatArray:
    """Compute the probability that Laplace noise, rounded to the nearest integer, is k.

    Parameters
    ----------
    k : array_like of int
        Integers, of any shape.
    scale : float
        The scale b > 0 of the noise.

    Returns
    -------
    array
        ``1 - e^{-1/(2b)}`` at 0 and ``e^{-|k|/b} sinh(1/(2b))`` elsewhere, of the shape of `k`.

    Raises
    ------
    TypeError
        If an argument is not made of numbers.
    ValueError
        If the scale is not positive and finite, or a number is not an integer.

    Examples
    --------
    >>> masses = rounded_laplace(range(-50, 51), 1.0)
    >>> round(float(masses.sum()), 12), round(float(masses[50]), 4)
    (1.0, 0.3935)
    """
    import numpy as np

    b = _positive(scale, "scale")
    steps = np.abs(as_floats(k, "k", "integers", -float(MOST_RECORDS), float(MOST_RECORDS)))
    if not np.array_equal(steps, np.round(steps)):
        raise ValueError(f"k must be integers, got {k!r}")
    # The tail from |k| - 1/2 on is e^{-(|k|-1/2)/b}/2; sinh itself would overflow for a tiny scale,
    # for which both exponents are rightly -inf.
    with np.errstate(over="ignore"):
        reach = -(np.maximum(steps, 1.0) - 0.5) / b
        beside = -np.expm1(-1.0 / np.float64(b)) * np.exp(reach) / 2.0
        centre = -np.expm1(-0.5 / np.float64(b))
    return np.asarray(np.where(steps == 0, centre, beside))


def _positive(value: SupportsFloat, name: str) -> float:
    ends = (0.0, math.inf)
    return as_real(value, name, "positive and finite", *ends, without=ends)


# All neighbouring databases


def global_sensitivity(
    function: Callable[[Database], Any], records: Sequence[Hashable], n: SupportsIndex
) -> Any:  # noqa: ANN401 -- whatever kind of number the function returns
    """Compute the global sensitivity of a number: its largest change if one record is replaced.

    Parameters
    ----------
    function : callable
        From a database, a tuple of n records, to a number, or to a tuple of numbers of fixed
        length, the change of which is measured in the L1 norm.
    records : sequence
        The possible records T, all different, at least one.
    n : int
        Number of records, at least 1; all ``len(records)**n`` databases are enumerated.

    Returns
    -------
    number
        Exact if the function's values are.

    Raises
    ------
    ValueError
        If `records` is empty or has a value twice, `n` is below 1, there are more than two
        million databases, or tuples differ in length.

    References
    ----------
    Thesis, section 2.1.6, Proposition 6.

    Examples
    --------
    The number of suggestions, at most five per customer, and the mean of three exam marks:

    >>> global_sensitivity(sum, range(6), 2)
    5
    >>> global_sensitivity(lambda marks: Fraction(sum(marks), 3), (0, 10), 3)
    Fraction(10, 3)
    """
    as_function(function, "function", "a database")
    largest: Any = 0
    for databases in neighbouring_databases(*as_databases(records, n)):
        for one, other in combinations(map(function, databases), 2):
            largest = max(largest, _distance(one, other))
    return largest


def removal_ratio(
    mechanism: Mechanism, records: Sequence[Hashable], n: SupportsIndex
) -> Fraction | float:
    """Compute the e^ε of a mechanism if neighbours are databases with and without one record.

    Parameters
    ----------
    mechanism : callable
        From a database of any size in 0…n to an output or ``{output: Fraction}``.
    records : sequence
        The possible records T, all different, at least one.
    n : int
        The largest size, at least 1; all databases of at most n records are enumerated.

    Returns
    -------
    Fraction or inf
        The least E ≥ 1 such that no output is more than E times as likely on one of two
        neighbours as on the other; ``math.inf`` if there is none.

    Raises
    ------
    ValueError
        If `records` is empty or has a value twice, `n` is below 1, or there are more than two
        million databases.

    Examples
    --------
    The number of records is no secret if records are replaced, but it is if they come and go:

    >>> removal_ratio(len, "ab", 2)
    inf
    """
    values, size = as_databases(records, n)
    as_size(sum(len(values) ** used for used in range(size + 1)), "databases")
    databases = [d for used in range(size + 1) for d in product(values, repeat=used)]
    laws = output_laws(mechanism, databases).weights()
    return greatest_ratio(
        extremes(
            {"with": laws[database], "without": laws[database[:i] + database[i + 1 :]]}
            for database in databases
            for i in range(len(database))
        )
    )


def _distance(one: Any, other: Any) -> Any:  # noqa: ANN401
    try:
        if isinstance(one, tuple) or isinstance(other, tuple):
            return sum(abs(a - b) for a, b in zip(one, other, strict=True))
        return abs(one - other)
    except (TypeError, ValueError):
        raise TypeError(
            f"function must return numbers, or tuples of equally many, got {one!r} and {other!r}"
        ) from None
