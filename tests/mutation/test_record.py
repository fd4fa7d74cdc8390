"""The record of mutants is of the code as it is, and adds up."""

import pytest

from tests.mutation import record
from tests.mutation.mutants import mutants_of, numeric_modules, sample

RECORD = record.read()


def test_modules_are_numeric_ones():
    assert set(RECORD) <= set(numeric_modules())


@pytest.mark.parametrize("module", sorted(RECORD))
def test_survivors_are_counted_and_still_there(module):
    entry = RECORD[module]
    assert entry["killed at first"] <= entry["killed"] <= entry["tried"] <= entry["mutants"]
    assert entry["tried"] - entry["killed"] == len(entry["survivors"])
    names = {mutant.name.partition("::")[2] for mutant in mutants_of(module)}
    assert entry["mutants"] == len(names), f"another text: `make mutants MODULES={module}`"
    for survivor in entry["survivors"]:
        assert survivor["mutant"] in names, f"no mutant any more: `make mutants MODULES={module}`"


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
