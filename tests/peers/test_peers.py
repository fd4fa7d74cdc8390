"""Other packages' stored answers: complete, and compared with true ones."""

import ast
import math
import re
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from pkdp import counting
from pkdp.figures.reference import peers
from tests.oracles import counts

HERE = Path(__file__).parent
PINNED = (HERE / "requirements.txt").read_text(encoding="utf-8")
ANSWERS = [answer for question in peers.QUESTIONS for answer in peers.answers(question)]
F = Fraction


def asked_by_the_script():
    tree = ast.parse((HERE / "ask.py").read_text(encoding="utf-8"))
    (found,) = (
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "QUESTIONS"
    )
    return ast.literal_eval(found)


def test_the_table_has_the_questions_of_the_script_and_no_others():
    questions = asked_by_the_script()
    assert tuple(questions) == peers.QUESTIONS
    for question, places in questions.items():
        found = peers.answers(question)
        assert list(dict.fromkeys(answer.at for answer in found)) == list(places)
        ways = [(answer.package, answer.call) for answer in found]
        assert len(found) == len(places) * len(set(ways))


def test_every_row_has_what_it_needs():
    for answer in ANSWERS:
        assert answer.package
        assert answer.call
        assert (answer.value is None) == bool(answer.failure)
        assert 0 < answer.seconds < 60
        assert re.fullmatch(r"Python 3\.\d+\.\d+, \S+, \d+ cores", answer.asked_on)
        assert not re.search(r"[/\\]", answer.failure)
    assert len({answer.asked_on for answer in ANSWERS}) == 1


def test_versions_are_those_that_are_pinned_with_hashes_and_no_address():
    pinned = re.findall(r"^([\w.-]+)==([\w.]+)", PINNED, re.MULTILINE)
    assert {(answer.package, answer.version) for answer in ANSWERS} <= set(pinned)
    assert "://" not in PINNED
    entries = re.split(r"^(?=[\w.-]+==)", PINNED, flags=re.MULTILINE)
    assert [entry for entry in entries if entry and "--hash=sha256:" not in entry] == []


def count_deltas(records, E):
    law = counts.count_law([F(1, 10)] * (records - 1))
    more = {k + 1: mass for k, mass in law.items()}
    return counts.hockey_stick(more, law, E), counts.hockey_stick(law, more, E)


def test_the_truth_about_one_count_is_that_of_exact_rationals():
    for eps in (0.5, 0.0):
        exact = max(count_deltas(1000, F(math.exp(eps))))
        said = peers.truth("delta" if eps else "advantage", eps).upper
        assert said == pytest.approx(float(exact), rel=1e-11)
    for delta in asked_by_the_script()["epsilon"]:
        eps = peers.truth("epsilon", delta).upper
        at, below = (
            max(count_deltas(1000, F(math.exp(e)))) for e in (eps * (1 + 1e-9), eps * (1 - 1e-9))
        )
        assert at < F(delta) < below


def test_the_truth_about_a_larger_count_is_that_of_balls():
    eps = peers.truth("epsilon of 10000", 1e-300).upper
    law = counting.exact([0.1] * 9999)
    assert law.delta(eps) <= 1e-300 < law.delta(eps * (1 - 1e-9))


def test_the_truth_about_masses_is_that_of_a_convolution():
    # Of positive terms only, so that each mass has its digits.
    law = [1.0]
    for p in np.linspace(0.05, 0.5, 5000):
        law = np.append(law, 0.0) * (1 - p) + np.append(0.0, law) * p
    for answer in peers.answers("mass"):
        true = peers.truth("mass", answer.at).upper
        assert true == pytest.approx(law[int(answer.at)], rel=1e-10)


def responses_law(truths, lie):
    return counts.count_law([1 - lie if bit else lie for bit in truths])


@pytest.mark.parametrize("n", [2, 3, 5])
def test_shuffled_responses_are_the_worst_of_all_databases(n):
    odds = 3  # exp(ε) of each response
    lie = F(1, 1 + odds)
    profile = peers.shuffled_responses(n, math.log(odds))
    for E in (F(1), F(5, 4), F(2), F(29, 10)):
        exact = max(
            counts.hockey_stick(*(responses_law([*others, bit], lie) for bit in pair), E)
            for others in product((0, 1), repeat=n - 1)
            for pair in ((0, 1), (1, 0))
        )
        assert profile.delta(math.log(E)) == pytest.approx(float(exact), rel=1e-9)
    assert profile.delta(math.log(odds) + 1e-9) == 0.0


@pytest.mark.slow
def test_several_releases_are_enclosed_as_tightly_as_the_page_says():
    for times in (3, 30):
        for answer in peers.answers(f"epsilon of {times} releases"):
            true = peers.truth(answer.question, answer.at)
            assert true.lower <= true.upper <= true.lower * 1.002


def test_what_is_unsafe_is_found_on_either_side():
    (default, right) = peers.answers("delta")[:2]
    assert default.is_unsafe()
    assert not right.is_unsafe()
    (one, _, _, other, _, _) = (a for a in peers.answers("misses") if a.package == "riskcal")
    assert one.is_unsafe()
    assert not other.is_unsafe()
    assert not any(answer.is_unsafe() for answer in peers.answers("mass"))


def test_wrong_calls_are_refused():
    with pytest.raises(ValueError, match="question must be one of"):
        peers.answers("weight")
    with pytest.raises(ValueError, match="question must be one of"):
        peers.truth("weight", 1.0)
    with pytest.raises(ValueError, match=r"eps must be in \(0, 700\], got 0"):
        peers.shuffled_responses(10, 0)
