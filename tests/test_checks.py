"""Numbers that no float can hold, or that are none: a sentence that names the argument."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pandas
import pytest

from pkdp import counting, thresholding
from pkdp._checks import as_integer, as_real, shown

HUGE, HUGER = 10**400, 10**5000  # Python itself writes no integer like the second
HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    "value",
    [HUGE, HUGER, Fraction(HUGE), Fraction(HUGER, 7)],
    ids=["integer", "longer one", "fraction", "longer one"],
)
def test_what_no_float_can_hold_is_refused_by_name(value):
    with pytest.raises(ValueError, match=r"^x must be ≥ 0, as a float can hold it, got "):
        as_real(value, "x", "≥ 0", 0.0, math.inf)
    with pytest.raises(ValueError, match=r"^x must be ≥ 0, got "):
        as_real(-value, "x", "≥ 0", 0.0, math.inf)


def test_an_integer_that_python_does_not_write_is_refused_by_name():
    with pytest.raises(ValueError, match=r"^n must be an integer in 1…9, got a int of more digits"):
        as_integer(HUGER, "n", 1, 9)
    assert shown(12) == "12"
    for table in (np.array([[0.5]]), pandas.DataFrame({"name": ["Ada"]}), pandas.Series(["Ada"])):
        assert shown(table) == f"a {type(table).__name__}"
    assert shown(np.float64(0.5)) == "np.float64(0.5)"


@pytest.mark.parametrize("value", [Fraction(0), Fraction(1), Fraction(1, 3), HALF, 0, 1])
def test_fractions_in_the_range_are_let_through(value):
    assert as_real(value, "p", "in [0, 1]", 0.0, 1.0) == float(value)


@pytest.mark.parametrize("tiny", [Fraction(1, HUGE), Fraction(1, HUGER)], ids=["tiny", "tinier"])
def test_a_fraction_just_outside_is_outside_whatever_its_float(tiny):
    assert as_real(tiny, "p", "in [0, 1]", 0.0, 1.0) == 0.0
    for value in (-tiny, 1 + tiny):
        with pytest.raises(ValueError, match=r"^p must be in"):
            as_real(value, "p", "in [0, 1]", 0.0, 1.0)
    with pytest.raises(ValueError, match=r"^p must be in"):
        as_real(tiny, "p", "in (0, 1]", 0.0, 1.0, without=(0.0,))


# NaN does not equal itself, so that laws and dictionaries would take it for many values.


def test_the_least_probability_gives_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert thresholding.passive(10**6, 5e-324, threshold=0, known=3).delta(0.1) == 1.0
        worst = thresholding.passive_worst_case(10**6, 5e-324, threshold=2, known=1, tol=1)
        assert worst.delta(0.1) == 5e-324


def test_a_vertex_is_never_said_to_exceed_certainty():
    found = counting.worst_vertex(10**9, 1e-12, eps=0.659, known=202_133_844, tol=0.5)
    assert found.log_lower <= found.log_upper <= 0.0
