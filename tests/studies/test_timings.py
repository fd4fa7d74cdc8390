"""Stored times: complete, of this library as it was, and with right answers."""

import json
import re
import statistics

import pytest

from pkdp import timings
from tests.benchmarks.growth import ENGINES
from tests.benchmarks.questions import every_task

STORED = timings._stored()
RUNS = STORED["runs"]
NAMES = [name for names in timings.ENGINES.values() for name in names]


def test_the_record_has_what_the_benchmark_times_three_times_over():
    assert len({json.dumps(run) for run in RUNS}) == len(RUNS) == 3
    assert {name: engine.group for name, engine in ENGINES.items()} == {
        name: group for group, names in timings.ENGINES.items() for name in names
    }
    for run in RUNS:
        assert list(run["growth"]) == list(ENGINES)
        assert sorted(run["questions"]) == sorted(every_task())
        assert set(timings.COMPARISONS) == {row[1] for row in run["packages"]}
        # "dp-accounting, finely" is the same package, asked in another way.
        asked = {row[0].partition(",")[0] for row in run["packages"]}
        assert asked | {"numpy"} == set(STORED["versions"])


def test_machine_and_versions_are_said():
    assert re.fullmatch(r"Python 3\.\d+\.\d+, \S+, \d+ cores", STORED["machine"])
    assert all(re.match(r"\d+\.\d+", version) for version in STORED["versions"].values())
    assert timings.versions().rows[-1] == ("scipy", STORED["versions"]["scipy"])


@pytest.mark.parametrize("name", NAMES)
def test_sizes_rise_and_reach_far(name):
    found = timings.growth(name)
    assert list(found.sizes) == sorted(set(found.sizes))
    assert found.sizes[-1] == ENGINES[name].sizes[-1]
    assert all(0 < seconds < 60 for seconds in found.seconds)


def test_a_slope_is_that_of_a_power():
    cubes = timings.Growth("", (1, 2, 4, 8, 16), tuple(5e-3 * n**3 for n in (0, 2, 4, 8, 16)))
    assert cubes.slope == pytest.approx(3.0)


@pytest.mark.parametrize("question", timings.COMPARISONS)
def test_this_library_answers_rightly_and_dp_accounting_safely(question):
    true = timings._truth(question)
    answers = {row[0]: row[3] for run in RUNS for row in run["packages"] if row[1] == question}
    assert answers["pkdp"] == pytest.approx(true, rel=1e-9)
    assert answers.get("dp-accounting", true) >= true


def test_ratios_are_within_a_run():
    least, largest = timings.ratios("δ, from nothing", "dp-accounting, finely")
    assert 500 < least <= largest
    assert 50 < timings.ratios("δ, from nothing", "dp-accounting")[0] < least
    table = timings.compared("δ, from nothing", caption="δ")
    seconds = [row[2] for row in RUNS[0]["packages"] if row[:2] == ["pkdp", "δ, from nothing"]]
    assert len(seconds) == 1
    assert table.rows[0][0] == "pkdp"
    assert table.rows[0][-1] == "1"


def test_a_time_is_the_median_of_the_runs():
    (name,) = ["worst_case, n = 10^9, epsilon"]
    ((_, shown),) = timings.of_questions([name], caption="").rows
    true = 1e3 * statistics.median(run["questions"][name] for run in RUNS)
    assert shown == pytest.approx(true, rel=6e-3)
