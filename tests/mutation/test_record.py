"""The record of mutants is of the code as it is, adds up, and says that tests notice nearly all."""

import pytest

from tests.mutation import record
from tests.mutation.mutants import mutants_of, numeric_modules, sample

RECORD = record.read()
CURRENT = [module for module in sorted(RECORD) if record.is_current(module)]
# Mutants of a module that are tried, if it has so many.
FEWEST = 5


def test_three_of_four_modules_were_tried_as_they_are():
    modules = set(numeric_modules())
    assert set(RECORD) <= modules
    assert len(CURRENT) >= 0.75 * len(modules), "time for `make mutants`"


@pytest.mark.parametrize("module", CURRENT)
def test_survivors_are_counted_still_there_and_explained(module):
    entry = RECORD[module]
    names = {mutant.name.partition("::")[2] for mutant in mutants_of(module)}
    assert entry["mutants"] == len(names), f"another text: `make mutants MODULES={module}`"
    assert min(FEWEST, entry["mutants"]) <= entry["tried"] <= entry["mutants"]
    assert entry["killed at first"] <= entry["killed"] <= entry["tried"]
    assert entry["tried"] - entry["killed"] == len(entry["survivors"])
    for survivor in entry["survivors"]:
        assert survivor["mutant"] in names, f"no mutant any more: `make mutants MODULES={module}`"
        assert survivor["why"], f"neither a test nor a reason: {survivor['mutant']}"


def test_nine_of_ten_mutants_that_are_not_equivalent_are_killed():
    tried = sum(entry["tried"] for entry in RECORD.values())
    killed = sum(entry["killed"] for entry in RECORD.values())
    survivors = [one for entry in RECORD.values() for one in entry["survivors"]]
    equivalent = sum(survivor["equivalent"] for survivor in survivors)
    assert killed >= 0.9 * (tried - equivalent)


def test_a_sample_is_the_same_each_time_and_grows():
    few, many = (sample("pkdp/profiles/pairs.py", size) for size in (10, 20))
    assert many[:10] == few


def test_mutants_differ_from_each_other_and_compile():
    module = "pkdp/profiles/logarithms.py"
    mutants = mutants_of(module)
    assert len({mutant.name for mutant in mutants}) == len(mutants)
    sources = [mutant.source() for mutant in mutants[::10]]
    assert len(set(sources)) == len(sources)
    for source in sources:
        compile(source, module, "exec", dont_inherit=True)
