"""Audits of small files: their numbers are the library's, and no attacker does better."""

import dataclasses
import html
import itertools
import json
import math
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import mpmath
import numpy as np
import pytest

from book._ext.claims import load
from pkdp import audit, counting, noise, thresholding
from pkdp.__main__ import main
from pkdp.figures import _palette
from pkdp.figures.partial_knowledge import beliefs
from pkdp.noiseless import privacy_blanket
from pkdp.noiseless.adversaries import peaked_group
from pkdp.partial_knowledge import rounding
from pkdp.practice import _bounds, _question, _sums
from pkdp.practice._bounds import THEOREMS, Part, Release, active_bounds, answer

ROOT = Path(__file__).resolve().parents[2]
DELTA = 1e-3
RANDOM = np.random.default_rng(7)
HALF = noise.Geometric(0.5)


def csv(path, **columns):
    """Write a file of the columns, and return its name."""
    rows = zip(*columns.values(), strict=True)
    path.write_text("\n".join(",".join(map(str, row)) for row in [tuple(columns), *rows]) + "\n")
    return path


USUAL = {"delta": DELTA, "assume": "independent", "alternatives": False}


def asked(file, counts="vote=Y", **options):
    return audit.of_file(file, counts, **USUAL | options)


def votes(n, yes=None):
    yes = n // 2 if yes is None else yes
    return ["Y"] * yes + ["N"] * (n - yes)


# One count.


def test_with_one_uncertainty_it_is_the_tight_theorem_3(tmp_path):
    file = csv(tmp_path / "a.csv", vote=votes(400))
    found = asked(file, lam=0.1, known=0.25)
    expected = counting.worst_case(400, 0.1, known=100)
    assert found.active.eps == found.passive.eps == expected.epsilon(DELTA)
    assert found.active.advantage == pytest.approx(expected.delta(0.0), rel=1e-9)
    assert (found.active.status, found.active.theorem.name) == ("exact", "tight-bound")
    assert asked(file, lam=0.1, known=100).active.eps == found.active.eps


def test_with_probabilities_it_is_that_of_the_worst_target(tmp_path):
    p = RANDOM.uniform(0.02, 0.98, 60).round(3)
    file = csv(tmp_path / "a.csv", vote=votes(60), p=p)
    found = asked(file, probabilities="p")
    assert found.active.eps == pytest.approx(beliefs.worst_target(p, DELTA).eps, rel=1e-12)
    assert found.active.status == "exact"
    others = [counting.exact(np.delete(p, i)).delta(0.0) for i in range(60)]
    assert found.active.advantage == pytest.approx(max(others), rel=1e-9)
    assert found.active.bets >= 50 + 50 * max(others)
    # Nobody knows which others are known: no choice of them is worse, and one is as bad as that.
    found = asked(file, probabilities="p", known=20)
    least = np.sort(np.minimum(p, 1 - p))[:39]
    assert found.active.status == "upper bound"
    assert found.active.reached == pytest.approx(counting.exact(least).epsilon(DELTA), rel=1e-9)


@pytest.mark.slow
def test_classes_of_targets_are_no_less_and_hardly_more(tmp_path, monkeypatch):
    p = RANDOM.uniform(0.02, 0.98, 400).round(4)
    p[:100] = 0.5
    file = csv(tmp_path / "a.csv", vote=votes(400), p=p)
    exact = asked(file, probabilities="p", delta=1e-6)
    assert exact.active.status == "upper bound"  # there are more than 200
    monkeypatch.setattr(_bounds, "_MOST_TARGETS", 500)
    tried = asked(file, probabilities="p", delta=1e-6)
    assert tried.active.status == "exact"
    assert tried.active.eps <= exact.active.eps <= 1.02 * tried.active.eps
    assert tried.active.advantage <= exact.active.advantage <= 1.02 * tried.active.advantage
    monkeypatch.setattr(_bounds, "_MOST_DIFFERENT", 10)
    assert asked(file, probabilities="p", delta=1e-6).active.eps >= tried.active.eps


def test_who_knows_all_others_or_is_alone_has_no_guarantee(tmp_path):
    file = csv(tmp_path / "a.csv", vote=["Y", "N", "Y"], by=["a", "a", "b"])
    for options in ({"known": 2}, {"by": "by"}):
        found = asked(file, lam=0.5, **options)
        assert found.active.eps == math.inf
        assert found.active.bets == 100
        assert "No guarantee: no ε holds" in found.text()
        assert found.as_dict()["active"]["eps"] == "Infinity"
        noisy = asked(file, lam=0.5, noise=HALF, **options)
        assert noisy.active.eps == HALF.profile().epsilon(DELTA)


# Groups.


def test_the_answer_is_that_of_the_weakest_group(tmp_path):
    sizes = {"a": 90, "b": 40, "c": 41, "d": 200}
    labels = [label for label, size in sizes.items() for _ in range(size)]
    p = RANDOM.uniform(0.2, 0.8, len(labels)).round(2)
    file = csv(tmp_path / "a.csv", vote=votes(len(p)), by=labels, p=p)
    found = asked(file, lam=0.2, by="by", known=0.5)
    assert found.active.eps == counting.worst_case(40, 0.2, known=20).epsilon(DELTA)
    assert found.active.weakest.label == "b"
    assert [group.label for group in found.weakest] == ["b", "c", "a", "d"]
    assert [one.name for one in found.also] == ["other-counts", "claim-known-records"]
    found = asked(file, probabilities="p", by="by")
    each = {label: beliefs.worst_target(p[np.array(labels) == label], DELTA).eps for label in sizes}
    assert {group.label: pytest.approx(group.eps) for group in found.weakest} == each
    assert found.active.eps == pytest.approx(max(each.values()))


@pytest.mark.slow
def test_a_weak_group_is_found_among_many(tmp_path, monkeypatch):
    # The order in which groups are looked at is only a guess.
    monkeypatch.setattr(Part, "weakness", property(lambda part: -part.records))
    labels = [f"g{g:02}" for g in range(12) for _ in range(10 + g)]
    p = RANDOM.uniform(0.2, 0.8, len(labels)).round(2)
    file = csv(tmp_path / "a.csv", vote=votes(len(p)), by=labels, p=p)
    for known in (0, 3):
        found = asked(file, probabilities="p", by="by", known=known)
        every = [
            asked(
                csv(tmp_path / "b.csv", vote=votes(mine.sum(), 1), p=p[mine]),
                probabilities="p",
                known=known,
            )
            for mine in (np.array(labels) == label for label in dict.fromkeys(labels))
        ]
        assert found.active.eps == pytest.approx(max(one.active.eps for one in every))
        most = max(one.active.advantage for one in every)
        assert found.active.advantage == pytest.approx(most)


def test_groups_by_two_columns_are_not_mixed_up(tmp_path):
    file = csv(
        tmp_path / "a.csv",
        vote=votes(20),
        one=["a"] * 10 + ["a / b"] * 10,
        two=["b / c"] * 10 + ["c"] * 10,
    )
    found = asked(file, lam=0.3, by=("one", "two"))
    assert (found.groups, found.active.weakest.records) == (2, 10)


# Thresholds and noise.


def test_a_threshold_for_a_rare_value(tmp_path):
    file = csv(tmp_path / "a.csv", vote=votes(500, 3), p=[0.004] * 500)
    found = asked(file, probabilities="p", threshold=20, delta=1e-9)
    exact = thresholding.exact([0.004], threshold=20, multiplicities=[499])
    assert found.active.eps == found.passive.eps == exact.epsilon(1e-9) == 0.0
    known = asked(file, probabilities="p", threshold=20, known=15, delta=1e-9)
    assert known.active.eps <= counting.worst_case(500, 0.004, known=15).epsilon(1e-9)
    assert known.passive.eps <= known.active.eps
    passive = thresholding.passive(500, 0.004, threshold=20, known=15)
    assert known.passive.eps >= passive.epsilon(1e-9)
    active = thresholding.active(500, 0.004, threshold=20, known=15)
    assert known.active.eps >= active.epsilon(1e-9)
    assert asked(file, probabilities="p", threshold=500).active.eps == 0.0


def test_a_rounded_count_is_exact_where_rounding_hides_nothing(tmp_path):
    # Here both bounds are equal up to the last digit.
    file = csv(tmp_path / "a.csv", vote=votes(400, 130))
    exact = asked(file, lam=0.2, delta=1e-6).active.eps
    found = asked(file, lam=0.2, delta=1e-6, round_to=100, threshold=5).active
    assert (found.status, found.theorem.name) == ("exact", "rounded-count")
    assert found.eps == pytest.approx(exact, rel=1e-12)


def test_a_rounded_count_that_is_always_0_tells_nothing(tmp_path):
    file = csv(tmp_path / "a.csv", vote=votes(100), by=["a"] * 98 + ["b"] * 2)
    for options in ({"threshold": 100}, {"threshold": 1000}, {"round_to": 1000}):
        found = asked(file, lam=0.2, known=3, **{"round_to": 5} | options)
        assert (found.active.eps, found.passive.eps) == (0.0, 0.0)
    # Of the second group nothing but 0 is published.
    found = asked(file, lam=0.2, by="by", round_to=5)
    assert found.active.weakest.label == "a"
    assert found.active.eps == rounding.worst_case(98, 0.2, base=5).epsilon(DELTA)


@pytest.mark.slow
def test_noise_is_never_worse_than_none_nor_than_alone(tmp_path):
    p = RANDOM.uniform(0.1, 0.9, 30).round(2)
    file = csv(tmp_path / "a.csv", vote=votes(30), p=p)
    for options in ({"lam": 0.1}, {"probabilities": "p"}, {"probabilities": "p", "known": 0.5}):
        exactly = asked(file, **options)
        for noisy in (noise.Geometric(0.01), noise.Geometric(0.9)):
            found = asked(file, noise=noisy, **options)
            assert found.active.eps <= exactly.active.eps
            assert found.active.eps <= noisy.profile().epsilon(DELTA)
    found = asked(file, probabilities="p", noise=HALF)
    pairs = [noise.add(counting.pair(np.delete(p, i)), HALF) for i in range(30)]
    expected = max(pair.profile().epsilon(DELTA) for pair in pairs)
    assert found.active.eps == pytest.approx(expected, rel=1e-9)
    assert (found.active.status, found.active.theorem.name) == ("exact", "noisy-count")


def test_the_least_noise_reaches_the_goal_and_less_does_not(tmp_path):
    labels = ["a"] * 12 + ["b"] * 30
    p = RANDOM.uniform(0.2, 0.8, 42).round(2)
    file = csv(tmp_path / "a.csv", vote=votes(42), by=labels, p=p, home=range(42))
    for options in (
        {"lam": 0.2, "by": "by"},
        {"probabilities": "p", "by": "by", "known": 3},
        {"lam": 0.2, "household": "home"},
    ):
        options = {"known": 0} | options
        found = asked(file, epsilon=0.3, alternatives=True, **options)
        *_, least = found.alternatives
        assert least.eps <= 0.3 * (1 + 1e-9)
        assert asked(file, noise=least.noise, **options).active.eps == pytest.approx(least.eps)
        less = noise.Geometric(0.98 * least.noise.p)
        assert asked(file, noise=less, **options).active.eps > 0.3
    assert asked(file, lam=0.2, epsilon=50, known=0).goal == 50
    with pytest.raises(ValueError, match="known must be given with epsilon"):
        asked(file, lam=0.2, epsilon=50)


# Several counts.


def test_two_counts_that_are_all_there_is_are_one(tmp_path):
    file = csv(tmp_path / "a.csv", vote=votes(50))
    both = asked(file, ["vote=Y", "vote=N"], lam=0.5)
    assert both.active.eps == asked(file, lam=0.5).active.eps
    assert "No record could have had a value that is not counted." in both.assumptions
    noisy = asked(file, ["vote=Y", "vote=N"], lam=0.5, noise=HALF)
    (listed,) = [one for one in noisy.assumptions if "not counted" in one]
    assert "may depend on one record" in listed
    with pytest.raises(ValueError, match="lam must be at most 1/4, as the counts tell 4 kinds"):
        asked(csv(tmp_path / "b.csv", vote=votes(9), sex=votes(9)), ["vote=Y", "sex=Y"], lam=0.3)


def test_noise_for_several_counts_is_composed():
    part = Part("all", 10, 9, 0.25)
    for moves in (1, 2, 3):
        release = Release(categories=2**moves, moves=moves, noise=HALF)
        found = answer(part, active_bounds(part, release, 8), 0.0)
        assert found.eps == pytest.approx(moves * HALF.rate)


# Households.


def test_all_records_of_a_household_are_protected_together(tmp_path):
    homes = [i // 2 for i in range(40)]
    file = csv(tmp_path / "a.csv", vote=votes(40), home=homes, town=[h % 2 for h in homes])
    found = asked(file, lam=0.3, household="home", known=0.1, delta=0.05)
    # Of 36 unknown records 17 homes are left, and the target's moves the count by two.
    expected = privacy_blanket.blanket([0.6], [17], steps=2)
    assert found.active.eps == expected.epsilon(0.05)
    assert found.active.eps > asked(file, lam=0.3, known=0.1, delta=0.05).active.eps
    assert found.protects == "what all records of one household say together, at most 2"
    assert found.protects in found.text()
    assert "The largest household has 2 records." in found.assumptions[0]
    by = asked(file, lam=0.3, household="home", by="town", delta=0.05)
    assert by.active.eps == privacy_blanket.blanket([0.6], [9], steps=2).epsilon(0.05)
    # With one record in each household, households change nothing.
    alone = csv(tmp_path / "b.csv", vote=votes(40), home=range(40))
    assert asked(alone, lam=0.3, household="home").active.eps == asked(alone, lam=0.3).active.eps


def both_ways(law, steps, ratio):
    """The exact δ of a sum that moves by so many steps."""
    pairs = [(law.get(k - steps, 0.0), law.get(k, 0.0)) for k in range(max(law) + steps + 1)]
    ways = (pairs, [pair[::-1] for pair in pairs])
    return max(sum(max(0.0, p - ratio * q) for p, q in way) for way in ways)


@pytest.mark.parametrize("lines", [2, 3])
def test_no_law_of_households_tells_more_of_a_whole_one(lines, tmp_path):
    homes = [i // lines for i in range(6 * lines)]
    file = csv(tmp_path / "a.csv", vote=votes(len(homes)), home=homes)
    found = asked(file, lam=0.4, household="home", delta=0.5)
    for peak in range(lines + 1):
        law = {0: 1.0}
        for _ in range(5):
            following = {}
            for values, mass in peaked_group(0.4, lines, peak).items():
                for total, p in law.items():
                    at = total + sum(values)
                    following[at] = following.get(at, 0.0) + p * float(mass)
            law = following
        assert both_ways(law, lines, math.exp(found.active.eps)) <= 0.5
        assert both_ways(law, lines, 1.0) <= found.active.advantage


@pytest.mark.parametrize(("people", "lines", "least"), [(200, 2, 0.845), (100, 12, 3.26)])
def test_a_person_with_several_lines_is_protected_in_all(people, lines, least, tmp_path):
    # Every line is a fair coin: those of one person move a count of all the others by all of them.
    n = people * lines
    file = csv(
        tmp_path / "a.csv", vote=["Y", "N"] * (n // 2), person=[i // lines for i in range(n)]
    )
    found = asked(file, lam=0.5, household="person", delta=1e-6)
    others = n - lines
    law = {k: math.comb(others, k) / 2**others for k in range(others + 1)}
    assert both_ways(law, lines, math.exp(least)) > 1e-6
    assert found.active.eps > least
    assert both_ways(law, lines, math.exp(found.active.eps)) <= 1e-6


def test_noise_protects_households_whatever_else_is_shared(tmp_path):
    homes = [i // 3 for i in range(12)]
    file = csv(tmp_path / "a.csv", vote=votes(12), sex=votes(12, 4), home=homes, by=[*"abcd"] * 3)
    for options in ({"by": "by"}, {"counts": ["vote=Y", "sex=Y"]}):
        refused = asked(file, lam=0.25, household="home", **options)
        assert isinstance(refused, audit.Refusal)
        assert "--noise" in refused.missing[0]
        found = asked(
            file, lam=0.25, household="home", noise=noise.Geometric(0.9), delta=0, **options
        )
        moves = len(options.get("counts", "1"))
        loss = -3 * moves * mpmath.log(0.9)
        assert loss <= found.active.eps <= loss * (1 + 1e-9)
        assert found.active.theorem.name == "claim-noise-caps"


# Models.


def test_a_model_is_asked_about_the_half_it_was_not_fitted_on(tmp_path):
    from statsmodels.discrete.discrete_model import Logit

    n = 400
    age, sex = RANDOM.integers(20, 70, n), RANDOM.choice(["F", "M"], n)
    p = 1 / (1 + np.exp(-(age - 45) / 20 - (sex == "F")))
    yes = (RANDOM.random(n) < p).astype(int)
    file = csv(tmp_path / "a.csv", yes=yes, age=age, sex=sex)
    found = asked(file, "yes", model=["age", "sex"])
    design = np.column_stack([np.ones(n), age / 100, sex == "F"]).astype(float)
    chances = np.empty(n)
    upper = np.arange(n) * _sums._SPREAD % 2**32 >= 2**31
    for half in (upper, ~upper):
        chances[~half] = Logit(yes[half], design[half]).fit(disp=0).predict(design[~half])
    scores = found.scores
    assert scores.brier == pytest.approx(np.mean((chances - yes) ** 2), rel=1e-6)
    given = np.where(yes == 1, chances, 1 - chances)
    assert scores.log_loss == pytest.approx(-np.mean(np.log(given)), rel=1e-6)
    assert scores.brier < scores.base_brier
    # With classes of targets ε is a little larger.
    exact = counting.exact(np.delete(chances, np.argmin(abs(chances - 0.5)))).epsilon(DELTA)
    assert exact * (1 - 1e-9) <= found.active.eps <= 1.02 * exact


@pytest.fixture
def every_second(monkeypatch):
    """Make each second row one half of a file, so that a test can choose who is in which."""
    monkeypatch.setattr(_sums, "_SPREAD", 2**31)


@pytest.mark.usefixtures("every_second")
@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"x": [0, 1] * 10 + [5, 9] * 10}, "must leave each answer uncertain"),
        ({"x": [f"t{i}" for i in range(4)] * 10}, None),
        ({"x": [f"t{i}" for i in range(200)], "vote": votes(200)}, "at most 100 texts, got 'x'"),
        ({"vote": ["Y", "N"] * 20, "x": range(40)}, "in each half of the file"),
    ],
)
def test_what_cannot_be_fitted(columns, words, tmp_path):
    file = csv(tmp_path / "a.csv", **{"vote": ["N"] * 20 + ["Y"] * 20} | columns)
    if words is None:
        assert asked(file, model="x").scores.predictors == ("x",)
    else:
        with pytest.raises(ValueError, match=words):
            asked(file, model="x")


@pytest.mark.usefixtures("every_second")
def test_a_hundred_texts_are_not_too_many(tmp_path):
    # Each of them stands with either answer in both halves of the file.
    file = csv(
        tmp_path / "a.csv", vote=["Y", "Y", "N", "N"] * 100, x=[f"t{i // 4}" for i in range(400)]
    )
    assert asked(file, model="x").scores.brier == pytest.approx(0.25)


@pytest.mark.usefixtures("every_second")
def test_one_record_that_a_model_is_sure_of_is_one_too_many(tmp_path):
    vote, x = ["Y"] * 6 + ["N"] * 2 + ["Y"] * 2 + ["N"] * 6, [1] * 8 + [0] * 8
    assert asked(csv(tmp_path / "a.csv", vote=vote, x=x), model="x").scores is not None
    file = csv(tmp_path / "b.csv", vote=[*vote, "Y"], x=[*x, 100])
    with pytest.raises(ValueError, match="must leave each answer uncertain"):
        asked(file, model="x")


# What is refused.


def test_without_an_assumption_there_is_no_number(tmp_path):
    half = [0.5] * 50
    file = csv(tmp_path / "a.csv", vote=votes(50), p=half, p2=half, sex=votes(50), home=range(50))
    for options, words in [
        ({"lam": 0.1, "assume": ()}, "independent"),
        ({}, "--lam, --probabilities or --model"),
        ({"counts": ["vote=Y", "sex=Y"], "probabilities": ["p", "p2"]}, "different questions"),
        ({"counts": ["vote=Y", "sex=Y"], "model": "p"}, "A model foretells one count"),
        ({"probabilities": "p", "household": "home"}, "given the others of its household"),
    ]:
        refused = asked(file, **options)
        assert isinstance(refused, audit.Refusal)
        assert words in " ".join(refused.missing)
        assert refused.as_dict()["answered"] is False
        assert not re.search(r"ε|private\b", refused.text())
        assert refused.text().endswith(f"  - {refused.missing[-1]}")


def test_what_the_file_contradicts_is_not_assumed(tmp_path):
    n = 900
    answers = RANDOM.choice(["Y", "N"], n)
    columns = {
        "vote": answers,
        "copy": answers,  # public, as a group: then nothing hides the answer
        "rare": [1] * 5 + [0] * (n - 5),
        "adult": [int(i % 3 > 0) for i in range(n)],
        "old": [int(i % 3 > 1) for i in range(n)],  # no old person is no adult
        "home": [i // 2 for i in range(n)],
        "same": [("Y", "N")[i // 2 % 2] for i in range(n)],  # in each home
    }
    file = csv(tmp_path / "a.csv", **columns)
    for options, words in [
        ({"by": "copy"}, "one value is too rare among the [0-9]+ records of a group"),
        ({"counts": "rare=1"}, "one value is too rare among the records. Say a smaller --lam"),
        ({"counts": "rare=1", "noise": HALF}, "one value is too rare"),
        ({"counts": "rare=0", "known": 0.5}, "one value is too rare"),
        ({"counts": ["adult", "old"]}, "one combination of answers is too rare"),
        ({"counts": "same=Y", "household": "home"}, "too many households answer alike"),
    ]:
        refused = asked(file, lam=0.1, **options)
        assert isinstance(refused, audit.Refusal)
        (sentence,) = refused.missing
        assert re.match(f"The file contradicts --lam 0.1: {words}", sentence)
    half = [0.5] * n
    believed = csv(
        tmp_path / "b.csv",
        **columns,
        half=half,
        half2=half,
        low=[0.01] * n,
        age=[i % 7 for i in range(n)],
    )
    for options, words in [
        (
            {"by": "copy", "probabilities": "half"},
            "one value is too rare .* of a group. An attacker who",
        ),
        (
            {"counts": "rare=1", "probabilities": "half"},
            "one value is too rare among the records. An attacker who",
        ),
        (
            {"counts": ["rare=1", "rare=0"], "probabilities": ["half", "half2"]},
            "one value is too rare",
        ),
        ({"counts": "adult=1", "by": "old", "model": "age"}, "Groups are public, so she knows old"),
    ]:
        (sentence,) = asked(believed, **options).missing
        assert re.search(words, sentence)
    for options in (
        {"counts": ["rare=1", "rare=0"], "probabilities": ["low", "half"]},
        {"counts": ["vote=Y", "vote=N"], "probabilities": ["half", "low"]},
        {"counts": "vote=Y", "by": "old", "model": ("age", "old")},
        {"counts": "rare=1", "probabilities": "low"},
    ):
        assert isinstance(asked(believed, **options), audit.Audit)
    # None of these is impossible.
    for options in (
        {"counts": "vote=Y", "household": "home"},
        {"counts": "rare=1", "lam": 0.005},
        {"counts": "rare=1", "known": n - 1 - 20},
        {"counts": "same=Y", "household": "home", "known": n - 1},
        {"counts": "same=Y"},
        {"counts": ["vote=Y", "vote=N"], "lam": 0.45},
    ):
        assert isinstance(asked(file, **{"lam": 0.1} | options), audit.Audit)


@pytest.mark.slow
def test_few_sums_contradict_what_is_true(tmp_path, monkeypatch):
    # With so likely a threshold something is refused, and all of it together is no likelier.
    lam, level = 0.4, 0.7
    monkeypatch.setattr(_question, "_IMPLAUSIBLE", level)

    def refused(**columns):
        options = {"by": "by"} if "by" in columns else {"household": "home"}
        found = asked(csv(tmp_path / "a.csv", **columns), lam=lam, **options)
        return isinstance(found, audit.Refusal)

    likely = 0.0
    for one, other in itertools.combinations_with_replacement(range(6), 2):
        if other and refused(vote=votes(5, one) + votes(5, other), by=[0] * 5 + [1] * 5):
            ways = math.comb(5, one) * math.comb(5, other) * (1 + (one < other))
            likely += ways * lam ** (one + other) * (1 - lam) ** (10 - one - other)
    assert 0.0 < likely <= level
    # Of two in a home each differs from the other with probability λ.
    likely = 0.0
    for mixed, yes in itertools.product(range(4), repeat=2):
        if mixed + yes in (1, 2, 3):
            answers = ["Y", "N"] * mixed + ["Y"] * (2 * yes) + ["N"] * (6 - 2 * mixed - 2 * yes)
            if refused(vote=answers, home=[i // 2 for i in range(6)]):
                ways = math.comb(3, mixed) * math.comb(3 - mixed, yes)
                likely += ways * lam**mixed * ((1 - lam) / 2) ** (3 - mixed)
    assert 0.0 < likely <= level


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"counts": "votes=Y"}, ValueError, "a.csv has no column 'votes': is it 'vote'"),
        ({"counts": "vote>=18"}, ValueError, "no column 'vote>': for a range of values, make a co"),
        ({"counts": "sex=Y"}, ValueError, "no column 'sex': its first line names 5 columns"),
        (
            {"counts": "vote=U"},
            ValueError,
            "a.csv has no record with vote=U: values are written as",
        ),
        ({"counts": "vote"}, ValueError, "'vote', counted without =VALUE, is neither 0 nor 1 in 3"),
        (
            {"by": "gap"},
            ValueError,
            "column 'gap' is empty, or has NA or the like, in 1 record: write",
        ),
        ({"lam": None, "probabilities": "p"}, ValueError, "'p' is no probability in .0, 1. in 2"),
        (
            {"counts": ["vote=Y", "vote=N"], "lam": None, "probabilities": ["half", "most"]},
            ValueError,
            "the sum of columns half, most is above 1 in 3 records",
        ),
    ],
)
def test_a_bad_argument_is_named(options, error, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    csv(
        tmp_path / "a.csv",
        vote=["Y", "N", "N"],
        p=[0.5, 1.5, -1],
        gap=["a", "NA", "b"],
        half=[0.5] * 3,
        most=[0.6] * 3,
    )
    given = {"file": "a.csv", "counts": "vote=Y", "lam": 0.1} | options
    with pytest.raises(error, match=words):
        asked(given.pop("file"), **given)


# The command.


@pytest.fixture
def poll(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return csv(tmp_path / "poll.csv", vote=votes(400), by=["<a>", "b"] * 200)


def test_the_command_answers_in_words_and_in_numbers(poll, capsys):
    line = ["audit", "poll.csv", "--count", "vote=Y", "--lam", "0.1", "--known", "0.25"]
    assert main(line) == 3
    assert "--assume independent" in capsys.readouterr().out
    line += ["--assume", "independent", "--delta", "1e-3"]
    assert main(line) == 0
    said = capsys.readouterr()
    eps = counting.worst_case(400, 0.1, known=100).epsilon(1e-3)
    counted, *others = said.err.splitlines()
    assert counted == "note: 200 of 400 records are counted as vote=Y."
    assert all(other.startswith("note: ") for other in others)
    assert f"({_answer(eps)}, 0.001)-private" in said.out
    assert "You assumed it: --assume independent." in said.out
    assert "Worst case of a count [00J6]" in said.out
    assert main([*line, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["answered"], told["active"]["eps"]) == (True, eps)
    assert told["active"]["theorem"] == dataclasses.asdict(THEOREMS["tight-bound"])
    assert main([*line, "--epsilon", "0.1"]) == 1
    assert main([*line, "--epsilon", "5", "--noise", "geometric:0.5"]) == 0
    assert "published with geometric noise of ratio 0.5" in capsys.readouterr().out


def _answer(eps):
    """Three digits, rounded up."""
    unit = 10.0 ** (math.floor(math.log10(eps)) - 2)
    return f"{math.ceil(eps / unit) * unit:.3g}"


def test_the_exit_status_is_0_only_if_the_answer_passes(poll, capsys, monkeypatch):
    monkeypatch.setattr(audit, "alternatives", lambda *_: ())
    line = ["audit", "poll.csv", "--count=vote=Y", "--lam=0.1", "--known=0", "--json"]
    line.append("--assume=independent")
    for options, passes in [
        (["--delta=1e-3"], True),
        (["--delta=1e-3", "--epsilon=0.1"], False),
        (["--delta=0.0024"], True),  # there are 400 records
        (["--delta=0.0025"], False),
        (["--delta=1"], False),
        (["--delta=1e-12", "--known=0.9"], False),
    ]:
        assert main([*line, *options]) == (0 if passes else 1)
        told = json.loads(capsys.readouterr().out)
        assert (told["answered"], told["passes"]) == (True, passes)
    assert told["active"]["eps"] == "Infinity"
    assert main(line[:-1]) == 3
    assert json.loads(capsys.readouterr().out)["passes"] is False


def test_a_large_delta_is_explained(poll):
    for delta, words in [
        (1e-6, "-private.$"),
        (1e-3, r"This δ allows telling outright what 0\.4 records say, on average"),
        (0.0025, "δ is not below 1/400, one in the number of records"),
    ]:
        assert re.search(words, asked(poll, lam=0.1, delta=delta).text().splitlines()[4])


def test_offers_say_what_they_are_worth_against_full_knowledge(poll):
    found = asked(poll, lam=0.1, known=0.9, by="by", alternatives=True)
    assert not found.passes
    assert [one.threshold for one in found.alternatives] == [None, None]  # a threshold does nothing
    for one in found.alternatives:
        assert one.alone == one.noise.profile().epsilon(DELTA) >= one.eps
        assert f"against an attacker who knows all other records, ε = {_answer(one.alone)}" in (
            found.text()
        )


def test_an_earlier_report_does_not_survive_a_refusal(poll, capsys):
    line = ["audit", "poll.csv", "--count=vote=Y", "--lam=0.1", "--report=r"]
    for options, status in [([], 3), (["--assume=independent", "--by=region"], 2)]:
        assert main([*line, "--assume=independent", "--delta=1e-3"]) == 0
        assert Path("r").exists()
        assert main([*line, *options]) == status
        assert not Path("r").exists()
    Path("r").mkdir()
    Path("r/mine.txt").touch()
    capsys.readouterr()
    assert main([*line, "--assume=independent"]) == 2
    assert "--report must be a new folder" in capsys.readouterr().err
    assert Path("r/mine.txt").exists()


@pytest.mark.parametrize("command", ["audit", "figures"])
def test_nothing_is_said_where_nobody_reads(command, poll):
    options = ["poll.csv", "--count=vote=Y", "--lam=0.1", "--assume=independent", "--delta=1e-3"]
    line = [sys.executable, "-m", "pkdp", command, *(options if command == "audit" else [])]
    # Only what was imported from the folder of the project is meant.
    path = {"PYTHONPATH": str(ROOT)}
    ends = subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | path
    )
    ends.stdout.close()
    _, said = ends.communicate()
    assert ends.returncode == 0
    assert all(line.startswith(b"note: ") for line in said.splitlines())


@pytest.mark.usefixtures("every_second")
def test_no_message_has_a_value_of_the_file(tmp_path):
    secret = "hiv-positive"
    columns = {"vote": [secret, "N"] * 30, "by": [secret] * 60, "p": [0.5] * 59 + [secret]}
    file = csv(tmp_path / "a.csv", **columns)
    headless = tmp_path / "b.csv"
    headless.write_text(f"Ada,{secret}\nBob,N\n")
    for options in (
        {"file": headless},
        {"counts": "vote"},
        {"counts": "vote=Y"},
        {"probabilities": "p"},
        {"probabilities": "vote"},
        {"counts": f"vote={secret}", "model": "by"},
        {"counts": f"vote={secret}", "lam": 0.5, "by": "by", "known": [[secret]]},
    ):
        with pytest.raises((TypeError, ValueError)) as told:
            asked(options.pop("file", file), **({"counts": "vote=N"} | options))
        assert "Ada" not in str(told.value)
        assert options.get("counts") or secret not in str(told.value)


class Outline(HTMLParser):
    """The tags of a page, what they refer to, and whether they are closed."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.links = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.links += [value for name, value in attributes if name in ("src", "href", "data")]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_report_is_one_page_that_needs_nothing(poll, capsys):
    line = ["audit", "poll.csv", "--count", "vote=Y", "--lam", "0.1", "--by", "by", "--report", "r"]
    line += ["--assume", "independent"]
    assert main(line) == 1
    assert sorted(path.name for path in Path("r").iterdir()) == ["audit.json", "index.html"]
    page = Path("r/index.html").read_text(encoding="utf-8")
    outline = Outline()
    outline.feed(page)
    assert (outline.open, outline.links) == ([], [])
    assert not {"script", "link", "img", "iframe"} & set(outline.tags)
    assert "You assumed it: --assume independent." in page
    assert "&lt;a&gt;" in page
    assert "<a>" not in page
    assert _palette.BLUE in page
    assert _palette.VERMILION in page
    # An earlier report is replaced, anything else is not.
    before = page
    other = asked("poll.csv", lam=0.1, known=0.5)
    audit.write_report(other, "r")
    assert Path("r/index.html").read_text(encoding="utf-8") != before
    Path("r/mine.txt").touch()
    with pytest.raises(ValueError, match="folder must be a new folder"):
        audit.write_report(other, "r")
    assert sorted(path.name for path in Path().iterdir()) == ["poll.csv", "r"]


def test_what_a_theorem_is_used_with_is_told(tmp_path):
    file = csv(tmp_path / "a.csv", vote=votes(60), by=["a", "b", "c"] * 20)
    for options, names in [({}, []), ({"by": "by"}, ["other-counts"])]:
        found = asked(file, lam=0.3, **options)
        assert [one.name for one in found.also] == names
        assert ("\n  with " in found.text()) is bool(names)


def deltas_of(found, folder):
    """The page of a report, and the δ of its table, by ε: against both attackers."""
    audit.write_report(found, folder)
    page = (folder / "index.html").read_text(encoding="utf-8")
    told = page[page.index("How much is told") :]
    table = ElementTree.fromstring(told[told.index("<tbody>") : told.index("</tbody>") + 8])
    cells = [[cell.text.replace("\N{MINUS SIGN}", "-") for cell in row] for row in table]
    return page, {float(eps): told for eps, *told in cells if "answer" not in eps}


def test_the_report_says_what_each_attacker_is_told(tmp_path):
    file = csv(tmp_path / "a.csv", vote=votes(500), p=[0.004] * 500)
    for name, threshold in [("exactly", None), ("suppressed", 20)]:
        found = asked(file, probabilities="p", known=15, threshold=threshold)
        assert (found.passive.eps < found.active.eps) is (threshold is not None)
        _, deltas = deltas_of(found, tmp_path / name)
        for eps, told in deltas.items():
            for text, one in zip(told, (found.active, found.passive), strict=True):
                delta = one.profile.delta(eps)
                assert delta <= float(text) <= 1.01 * delta
        assert ([one for one, _ in deltas.values()] == [one for _, one in deltas.values()]) is (
            threshold is None
        )


def test_the_report_says_of_which_group_its_profile_is(tmp_path):
    by = ["a"] * 50 + ["b"] * 100 + ["c"] * 200
    file = csv(tmp_path / "a.csv", vote=["Y", "N"] * 175, by=by)
    found = asked(file, lam=0.4, by="by", delta=1e-6)
    page, _ = deltas_of(found, tmp_path / "r")
    assert f"Used with it: {html.escape(found.also[0].title)} [" in page
    assert "At another ε another group may be weaker." in page
    assert "another target" not in page


def test_the_profile_is_that_of_one_target(tmp_path):
    p, times = np.array([0.3, 0.7, 0.05]), np.array([50, 50, 100])
    file = csv(tmp_path / "a.csv", yes=[1, 0, 0, 0] * 50, p=np.repeat(p, times).tolist())
    found = asked(file, "yes", probabilities="p", delta=1e-6)
    other = counting.exact(p, multiplicities=times - [0, 1, 0])
    assert found.active.profile.delta(0.2) < other.delta(0.2)
    assert found.active.eps > other.epsilon(1e-6)
    page, _ = deltas_of(found, tmp_path / "r")
    assert "At another ε another target may be weaker." in page


def test_a_group_that_is_not_listed_can_be_weaker_than_some(tmp_path):
    homes = {"a": (15, 1), **{f"b{k}": (100, 1) for k in range(9)}, "c": (130, 2)}
    labels = [name for name, (many, size) in homes.items() for _ in range(many * size)]
    home = [f"{n}-{k // size}" for n, (many, size) in homes.items() for k in range(many * size)]
    file = csv(tmp_path / "a.csv", yes=[0, 1] * (len(labels) // 2) + [1], by=labels, home=home)
    found = asked(file, "yes", by="by", household="home", lam=0.2)
    assert [one.label for one in found.weakest] == [*homes][:-1]
    inner = csv(tmp_path / "c.csv", yes=[0, 1] * 130, home=home[-260:])
    left_out = asked(inner, "yes", household="home", lam=0.2)
    assert found.active.eps > left_out.active.eps > found.weakest[1].eps
    audit.write_report(found, tmp_path / "r")
    page = (tmp_path / "r" / "index.html").read_text(encoding="utf-8")
    assert "10 of 11 groups, the weakest first. One that is left out may be weaker" in page


def test_a_page_to_hand_on_has_no_scores(tmp_path):
    # One person alone has seven children: a group of her own would tell her answer.
    others = np.random.default_rng(1).integers(0, 2, 599).tolist()
    children = [0] * 200 + [1] * 100 + [2] * 299 + [7]
    for hers in (0, 1):
        file = csv(tmp_path / f"{hers}.csv", yes=[*others, hers], children=children)
        found = asked(file, "yes", model="children", noise=HALF)
        model = found.scores
        audit.write_report(found, tmp_path / f"{hers}")
        page = (tmp_path / f"{hers}" / "index.html").read_text(encoding="utf-8")
        # The score of the share s of all is s(1 - s), and tells the count beneath the noise.
        for score in (model.brier, model.base_brier, model.log_loss):
            assert f"{score:.4f}" in found.text()
            assert f"{score:.4f}" not in page
        assert "oretold" not in page
        numbers = json.loads((tmp_path / f"{hers}" / "audit.json").read_text())
        assert numbers["scores"]["base_brier"] == model.base_brier


def test_a_report_with_a_model_or_without_a_bound_is_whole(tmp_path):
    yes, age = RANDOM.integers(0, 2, 300), RANDOM.integers(20, 70, 300)
    file = csv(tmp_path / "a.csv", yes=yes, age=age)
    for name, options in [
        ("model", {"model": "age"}),
        ("none", {"lam": 0.5, "known": 299}),
        ("zero", {"lam": 0.5, "threshold": 300, "delta": 0}),
        ("sharp", {"lam": 0.5, "delta": 1}),
    ]:
        audit.write_report(asked(file, "yes", **options), tmp_path / name)
        outline = Outline()
        outline.feed((tmp_path / name / "index.html").read_text(encoding="utf-8"))
        assert outline.open == []
        json.loads((tmp_path / name / "audit.json").read_text())
    with pytest.raises(OSError, match="No such file"):
        audit.write_report(asked(file, "yes", lam=0.5), tmp_path / "no" / "folder")
    with pytest.raises(TypeError, match="audit must be"):
        audit.write_report(3, tmp_path / "x")
    with pytest.raises(TypeError, match="found must be"):
        audit.as_json(3)


def test_without_its_library_the_command_names_the_extra(poll, capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    line = ["audit", "poll.csv", "--count", "vote=Y", "--lam", "0.1", "--assume", "independent"]
    assert main(line) == 2
    said = (
        "python -m pkdp audit: an audit needs duckdb, which the extra 'audit' of pkdp installs.\n"
    )
    assert capsys.readouterr().err == said


# Files.


@pytest.mark.slow
def test_a_file_is_the_same_in_every_form(tmp_path):
    import duckdb

    n = 300
    columns = {
        "vote": RANDOM.choice(["Y", "N"], n),
        "by": RANDOM.choice(["a", "b, c"], n),
        "p": RANDOM.uniform(0.1, 0.9, n).round(3),
        "age": RANDOM.integers(20, 70, n),
    }
    database = duckdb.connect()
    database.register("rows", columns)
    names = tmp_path / "it's [a] *.csv", tmp_path / "b.csv", tmp_path / "c.parquet"
    quoted = [str(name).replace("'", "''") for name in names]
    database.execute(f"COPY rows TO '{quoted[0]}' (HEADER)")
    database.execute(f"COPY rows TO '{quoted[1]}' (HEADER, DELIMITER ';')")
    database.execute(f"COPY rows TO '{quoted[2]}'")
    for options in ({"probabilities": "p", "by": "by", "known": 0.5}, {"model": "age"}):
        found = [asked(file, **options) for file in names]
        told = [json.loads(audit.as_json(one)) for one in found]
        for one in told:
            del one["file"]
            assert one == told[0]


def test_a_record_or_a_byte_too_much_is_told_by_its_line(tmp_path):
    file = tmp_path / "a.csv"
    for content, words in [
        (b"", "a.csv is empty"),
        (b"vote\n", "file must have records"),
        (b"vote,p\nY,1\nN\n", "line 3 is no line of a CSV file: it has too few or too many"),
        (b"vote,p\nY,1\nN,1,2\n", "line 3 is no line of a CSV file: it has too few or too many"),
        (b'vote,p\nY,1\n"N,1\n', "a.csv"),
        (b"vote\xff\nY\n", "a.csv is not in UTF-8"),
        (b"vote\nY\n\xff\n", "line 3 is no line of a CSV file: it is not in UTF-8"),
        (b"PK\x03\x04\x00", "a.csv is a ZIP archive: extract the table from it"),
        (b"\xff\xfev\x00", "a.csv is in UTF-16: write it as CSV in UTF-8"),
        (b"vote\0\n", "a.csv is no table that can be read"),
        (b"PAR1 and no more", "it is no Parquet file, or damaged"),
        (b"x" * (2**21 + 9), "a first line of more than 2 MB"),
        (b"vote\nY\n" + b"x" * (2**21 + 9), "a.csv has a line of more than 1 MB"),
        # DuckDB would leave it out without a word.
        (b"vote\nY\n" + b"x" * 10**8, "a.csv has a line of more than 1 MB"),
        (b"vote,vote\nY,Y\n", "a.csv has several columns 'vote'"),
    ]:
        file.write_bytes(content)
        with pytest.raises(ValueError, match=re.escape(words)):
            asked(file, lam=0.1)
    with pytest.raises(ValueError, match="file must be a regular file"):
        asked(tmp_path / "..", lam=0.1)
    with pytest.raises(ValueError, match=r"cannot read x+: file name too long"):
        asked("x" * 300, lam=0.1)


def test_there_are_not_too_many_groups(tmp_path, monkeypatch):
    file = csv(tmp_path / "a.csv", vote=votes(9), by=range(9))
    monkeypatch.setattr(_sums, "_MOST_GROUPS", 9)
    assert asked(file, lam=0.1, by="by").groups == 9
    monkeypatch.setattr(_sums, "_MOST_GROUPS", 8)
    with pytest.raises(ValueError, match="by must give at most 8 groups"):
        asked(file, lam=0.1, by="by")


def test_no_name_becomes_a_part_of_the_query(tmp_path):
    odd = """v"o'te; DROP TABLE whole --"""
    file = tmp_path / "a.csv"
    file.write_text('"' + odd.replace('"', '""') + '",home\n' + "\"Y''; --\",1\nN,2\n" * 20)
    found = asked(file, f"{odd}=Y''; --", lam=0.5, household="home", by=())
    assert found.records == 40
    assert asked(csv(tmp_path / "b.csv", age=[3, 4.0, "4"]), "age=4", lam=0.5).records == 3


# Theorems.


def test_an_audit_names_what_its_theorem_assumes(tmp_path):
    n = 40
    votes_ = ["Y", "N"] * (n // 2)
    rare = [0.004] * n
    columns = {
        "vote": votes_,
        "sex": ["F", "M", "M", "F"] * (n // 4),
        "p": [0.5, 0.2] * (n // 2),
        "rare": rare,
        "bit": [0, 1] * (n // 2),
    }
    file = csv(tmp_path / "a.csv", **columns, home=[i // 2 for i in range(n)])
    few = csv(tmp_path / "b.csv", vote=votes(500, 3), p=[0.004] * 500)
    many = [i for i in range(1200) for _ in "12"]
    waves = csv(
        tmp_path / "c.csv",
        id=many,
        year=[1, 2] * 1200,
        vote=["Y", "Y", "N", "N", "Y", "N", "N", "Y"] * 300,
    )
    both = ["vote=Y", "sex=F"]
    audits = [
        asked(file, lam=0.1),
        asked(file, lam=0.1, known=0.5),
        asked(file, both, lam=0.1),
        asked(file, probabilities="p", known=3),
        asked(file, lam=0.3, household="home"),
        asked(file, lam=0.1, noise=HALF),
        asked(file, probabilities="p", noise=HALF),
        asked(few, lam=0.004, threshold=20),
        asked(few, probabilities="p", threshold=20, delta=1e-9),
        asked(few, probabilities="p", threshold=20, known=15, delta=1e-9),
        asked(file, (), sum_of="bit=0..1", values="0,1", lam=0.1),
        asked(file, weight="bit", lam=0.1),
        asked(file, (), total="sex", threshold=2),
        asked(waves, wave="year", person="id", chain="0.5,0.5,0.5"),
    ]
    ledger = load(ROOT / "claims")
    assumes = {result.id: result.assumes for result in ledger.results}
    # Other words for some terms: a bound for all λ covers the probabilities in between.
    words = {
        "given probabilities": "Given probabilities|λ for each unknown record",
        "fixed others": "as long as the others stay as they are",
        "passive attacker": "passive attacker",
        "independent groups": "Independent (groups|records)",
    }
    seen = set()
    for found in audits:
        for one in (found.active, found.passive):
            seen.add(one.theorem.name)
            for term in assumes.get(one.theorem.name, ()):
                assert re.search(words.get(term, term), found.text(), re.IGNORECASE), (term, one)
    assert {name for name in seen if name in assumes} == {
        "tight-bound",
        "tight-histogram",
        "coins-in-sums",
        "gamma-d-lambda-along",
        "noisy-worst-case",
        "noisy-count",
        "active-threshold",
        "passive-worst-case",
        "tight-thresholding",
        "known-total",
        "renyi-aside",
    }


# Tags.


def test_tags_and_titles_are_those_of_the_ledger():
    lines = (ROOT / "claims" / "tags.txt").read_text().splitlines()
    tags = {name: tag for tag, _, name in (line.split() for line in lines if "->" not in line)}
    ledger = "".join(path.read_text() for path in (ROOT / "claims").glob("*/*.yml"))
    for theorem in THEOREMS.values():
        assert tags[theorem.name] == theorem.tag
        entry = rf"- id: {theorem.name}\n(?:  number: .*\n)?  title: {re.escape(theorem.title)}\n"
        assert re.search(entry, ledger), theorem.name


def test_columns_are_read_once():
    assert _sums.Query((_sums.Count("vote", "Y"),), household="vote").columns == ("vote",)
