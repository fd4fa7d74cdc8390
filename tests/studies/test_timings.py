"""Stored times: complete, of this library as it was, and with right answers."""

import re

import pytest

from pkdp.figures.reference import timings
from tests.benchmarks.growth import ENGINES
from tests.benchmarks.questions import every_task

STORED = timings._stored()


@pytest.mark.slow
def test_the_record_has_what_the_benchmark_times():
    assert set(STORED["growth"]) == set(ENGINES)
    assert sorted(STORED["questions"]) == sorted(every_task())
    # "dp-accounting, finely" is the same package, asked in another way.
    asked = {name.partition(",")[0] for found in STORED["packages"].values() for name in found}
    assert asked | {"numpy"} == set(STORED["versions"])


def test_machine_and_versions_are_said():
    assert re.fullmatch(r"Python 3\.\d+\.\d+, \S+, \d+ cores", STORED["machine"])
    assert all(re.match(r"\d+\.\d+", version) for version in STORED["versions"].values())
    assert timings.versions().rows[-1] == ("scipy", STORED["versions"]["scipy"])


@pytest.mark.parametrize("name", ENGINES)
def test_sizes_rise_and_reach_far(name):
    found = timings.growth(name)
    assert list(found) == sorted(found)
    assert max(found) == ENGINES[name].sizes[-1]
    assert all(0 < seconds < 60 for seconds in found.values())


@pytest.mark.parametrize("question", STORED["packages"])
def test_this_library_answers_rightly_and_dp_accounting_safely(question):
    true = timings._truth(question)
    answers = {package: answer for package, (_, answer) in STORED["packages"][question].items()}
    assert answers["pkdp"] == pytest.approx(true, rel=1e-9)
    assert answers.get("dp-accounting", true) >= true


def test_times_are_compared_with_this_library_s():
    found = STORED["packages"]["δ, from nothing"]
    (ours, *others) = timings.compared("δ, from nothing", caption="δ").rows
    assert (ours[0], ours[-1]) == ("pkdp", "1.0")
    for row in others:
        times = float(row[-1].replace(",", ""))
        assert times == pytest.approx(found[row[0]][0] / found["pkdp"][0], rel=0.05)
