"""Logistic regression: what an attacker may believe of a record if she knows some columns.

It is fitted on every second record and asked about the others, then the other way round, so that no
record has a part in what is believed of it. How good the beliefs are is told from the same halves.
"""

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy.linalg import qr

from pkdp.practice._reading import optional
from pkdp.profiles.logarithms import FloatArray, IntArray

# Texts of a predictor that is no number, and different sets of values of all of them.
_MOST_LEVELS, MOST_CELLS, _MOST_NUMBERS = 100, 500_000, 20_000_000
# A model whose squared error is so many times that of the share of all is nobody's belief.
_MUCH_WORSE: Final = 1.1
# Beyond these log-odds the answer follows from the predictors, as far as floats can tell.
_LARGEST_LOGIT: Final = 30.0


@dataclass(frozen=True)
class Scores:
    """How well the model foretold answers that it had not seen; these can tell of single records.

    Attributes
    ----------
    predictors : tuple of str
        What it knows of a record.
    brier, log_loss : float
        Mean squared error, and mean of ``-ln`` of the probability given to what came; less is
        better.
    base_brier : float
        The mean squared error of who says the same of every record: the share of all.
    """

    predictors: tuple[str, ...]
    brier: float
    log_loss: float
    base_brier: float


def fit(names: tuple[str, ...], cells: Mapping[str, npt.NDArray[Any]]) -> tuple[FloatArray, Scores]:
    """Return the probability of a 1 for each cell, and how well they foretold.

    Parameters
    ----------
    names : tuple of str
        Of the predictors.
    cells : mapping of str to ndarray
        As in `pkdp.practice._sums.Sums`: the value of each predictor in each cell, which half of
        the records it is in, whether they are counted, and how many they are.

    Raises
    ------
    ValueError
        If the model cannot be fitted.
    """
    fold, counted, times = cells["fold"], cells["answers"], cells["times"]
    if times.size > MOST_CELLS:
        raise ValueError(
            f"model must have predictors with at most {MOST_CELLS} different sets of values, got "
            "more: round them"
        )
    design = np.column_stack(
        [np.ones(times.size)]
        + [part for k, name in enumerate(names) for part in _coded(name, cells[f"predictor{k}"])]
    )
    if design.size > _MOST_NUMBERS:
        raise ValueError(
            f"model must have predictors with fewer different values: times the number of texts "
            f"these are {design.size}, of at most {_MOST_NUMBERS}"
        )
    chances = np.empty(times.size)
    for half in (0, 1):
        seen = fold != half
        ones, total = int(times[seen & (counted == 1)].sum()), int(times[seen].sum())
        if not 0 < ones < total:
            raise ValueError(
                "model must be fitted on records of which some are counted and some are not, in "
                "each half of the file"
            )
        chances[~seen] = _predicted(design[seen], counted[seen], times[seen], design[~seen])
    return chances, _scores(names, chances, counted, times)


def refused(found: Scores | None) -> list[str]:
    """Return why a model cannot be what she believes, if it is much worse than the share of all."""
    if found is None or found.brier <= _MUCH_WORSE * found.base_brier:
        return []
    return [
        f"The model's squared error, {found.brier:.3g}, is above that of the share of all, "
        f"{found.base_brier:.3g}: nobody would believe it. This refusal tells of the file. Say "
        "other columns, or --lam."
    ]


def doubts(found: Scores | None) -> list[str]:
    """Return a note on a model that foretells nothing."""
    if found is None or found.brier < found.base_brier:
        return []
    return ["the model foretells no better than the share of all: she may know more than it does"]


def _coded(name: str, texts: npt.NDArray[np.object_]) -> list[FloatArray]:
    """Return a predictor as the columns of a design: a number, or one for each text but one."""
    try:
        numbers = texts.astype(np.float64)
        if not np.isfinite(numbers).all():
            raise ValueError
    except ValueError:
        levels, places = np.unique(texts.astype(str), return_inverse=True)
        if levels.size > _MOST_LEVELS:
            raise ValueError(
                f"model must have predictors that are numbers, or at most {_MOST_LEVELS} texts, "
                f"got {name!r} with {levels.size}"
            ) from None
        return [(places == level).astype(np.float64) for level in range(1, levels.size)]
    spread = float(np.ptp(numbers))
    return [(numbers - numbers.mean()) / spread] if spread > 0.0 else []


def _predicted(
    design: FloatArray, counted: IntArray, times: IntArray, asked: FloatArray
) -> FloatArray:
    # Of the optional library no more than is needed: all of it takes much longer.
    missing = "a model needs statsmodels, which the extra 'audit' of pkdp installs"
    models, families = (
        optional(f"statsmodels.genmod.{name}", missing)
        for name in ("generalized_linear_model", "families")
    )
    # Of columns that say the same, one is enough; texts that this half does not have say nothing.
    _, triangle, order = qr(design, mode="economic", pivoting=True)
    sizes = np.abs(np.diag(triangle))
    kept = np.sort(order[: sizes.size][sizes > 1e-9 * sizes[0]])
    design, asked = design[:, kept], asked[:, kept]
    # As many ones and zeros as there are records.
    answers = np.column_stack([times * counted, times * (1 - counted)])
    model = models.GLM(answers, design, family=families.Binomial())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            fitted = model.fit()
            coefficients = np.asarray(fitted.params)
            fits = bool(fitted.converged) and bool(np.isfinite(coefficients).all())
        except (Warning, ArithmeticError, ValueError, np.linalg.LinAlgError):
            fits = False
    logits = asked @ coefficients if fits else np.array([math.inf])
    if not fits or np.abs(logits).max() > _LARGEST_LOGIT:
        raise ValueError(
            "model must leave each answer uncertain, but fits some of them without error, or "
            "cannot be fitted: from what she knows these answers follow, so leave out a predictor "
            "only if she does not know it"
        )
    return np.asarray(1.0 / (1.0 + np.exp(-logits)))


def _scores(
    names: tuple[str, ...], chances: FloatArray, counted: IntArray, times: IntArray
) -> Scores:
    total = int(times.sum())
    share = float(times @ counted) / total
    given = np.where(counted == 1, chances, 1.0 - chances)
    return Scores(
        predictors=names,
        brier=float(times @ (chances - counted) ** 2) / total,
        log_loss=float(-(times @ np.log(given))) / total,
        base_brier=share * (1.0 - share),
    )
