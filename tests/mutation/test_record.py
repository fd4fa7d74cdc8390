"""The record of mutants covers every numeric module, and what it says is of the code as it is."""

import pytest

from tests.mutation import record
from tests.mutation.mutants import mutants_of, numeric_modules, sample

RECORD = record.read()


def test_every_numeric_module_was_tried():
    assert sorted(RECORD) == numeric_modules()


def test_nine_in_ten_are_killed():
    tried = sum(entry["tried"] for entry in RECORD.values())
    assert sum(entry["killed"] for entry in RECORD.values()) >= 0.9 * tried


@pytest.mark.parametrize("module", numeric_modules())
def test_survivors_are_explained_and_still_there(module):
    entry = RECORD[module]
    assert entry["tried"] - entry["killed"] == len(entry["survivors"])
    names = {mutant.name.partition("::")[2] for mutant in mutants_of(module)}
    for survivor in entry["survivors"]:
        assert survivor["mutant"] in names, "no mutant any more: `make mutants`"
        assert len(survivor["why"]) > 20, f"why does this one live: {survivor['mutant']}?"


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
