"""Section 2.1: what Definitions 1 to 3 need, with the smallest counterexamples, all exact."""

import math
import operator
import random
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest

from pkdp.noiseless import noiseless_privacy
from pkdp.noiseless.known_values import known_delta
from pkdp.worlds.definitions import dp_delta
from pkdp.worlds.enumeration import random_mechanism
from pkdp.worlds.mechanisms import output_law, total
from tests.oracles.groups import (
    HALF,
    bit,
    both_ways,
    hockey_stick,
    moved,
    pair,
    random_group,
    sum_of,
)

pytestmark = pytest.mark.page

RATIOS = [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(10), math.inf]
FINITE = RATIOS[:-1]


def count(probabilities):
    """The law of a sum of independent bits."""
    return sum_of([bit(p) for p in probabilities])


def grid(denominator):
    """All probabilities of a denominator, 0 and 1 included."""
    return [Fraction(i, denominator) for i in range(denominator + 1)]


# The first condition: X* has a value that records have.


def test_a_record_that_nobody_else_could_have_is_always_seen():
    # X* = n + 1 beside n bits: δ = 1 at every ε, whatever the probabilities of the bits are.
    for n in (1, 2, 3):
        for probabilities in combinations_with_replacement(grid(4), n):
            law = count(probabilities)
            assert both_ways(law, moved(law, n + 1), math.inf) == 1
            groups = [bit(p) for p in probabilities]
            assert known_delta(groups, (0, 0), [], math.inf, inserted=[n + 1]) == 1
    # Every bounded sum has such an X*: one more than its range.
    source = random.Random(1)
    for _ in range(200):
        values = [source.randint(-9, 9) for _ in range(source.randint(1, 6))]
        law = {value: Fraction(1, len(set(values))) for value in values}
        step = max(values) - min(values) + 1
        assert both_ways(law, moved(law, step), math.inf) == 1
    # One among a thousand voters, seen for certain.
    assert (
        noiseless_privacy.add_or_remove([(bit(HALF), 1000)], (0, 0), inserted=[1001]).delta(50.0)
        == 1.0
    )


def test_bits_that_are_added_to_bits_are_hidden():
    # With X* a bit δ falls like 1/√n, as it is to.
    deltas = [known_delta([bit(HALF)] * n, (0, 0), [], 1) for n in (1, 4, 16)]
    assert deltas[0] == HALF
    assert deltas[1] < deltas[0] * Fraction(4, 5)
    assert deltas[2] < deltas[1] * Fraction(3, 5)


def test_data_sensitivity_is_infinite_if_any_record_may_be_inserted():
    # Definition 2 for the sum: |M(X) - M(X')| is |X*| or |X_i|.
    for largest in (1, 10, 10**6):
        values = (0, 1, largest)
        changes = {abs(sum((*x, star)) - sum(x)) for x in product((0, 1), repeat=3)
                   for star in values}  # fmt: skip
        assert max(changes) == largest


# The second condition: X* is independent of X.


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 12])
def test_a_record_that_is_the_parity_of_the_others_makes_the_sum_even(n):
    law = count([HALF] * n)
    even = Counter()
    for k, mass in law.items():
        even[k + k % 2] += mass
    assert all(k % 2 == 0 for k in even)
    # What the inequality gives up: half of the mass of S is odd.
    assert hockey_stick(law, even, math.inf) == HALF
    # The other direction is no larger: δ is 1/2, whatever ε.
    assert all(both_ways(law, even, ratio) == HALF for ratio in RATIOS)
    # An independent bit does no such harm.
    assert both_ways(law, moved(law, 1), math.inf) <= Fraction(1, 2**n)


def test_two_fair_bits_suffice_to_see_the_difference():
    # One bit is no better hidden from an independent X* than from X* = X_1: δ = 1/2 at every ε.
    one, two = count([HALF]), count([HALF] * 2)
    for ratio in RATIOS:
        assert both_ways(one, moved(one, 1), ratio) == both_ways(one, {0: HALF, 2: HALF}, ratio)
    # Two bits are, for e^ε > 1.
    even = {0: Fraction(1, 4), 2: Fraction(3, 4)}
    for ratio, independent in ((Fraction(3, 2), Fraction(3, 8)), (Fraction(3), Fraction(1, 4))):
        assert both_ways(two, moved(two, 1), ratio) == independent
        assert both_ways(two, even, ratio) == HALF


# The third condition: both directions.


def printed_and_exchanged(probabilities, ratio):
    """The δ of P[M(X) ∈ B] ≤ e^ε P[M(X') ∈ B] + δ for all X' adjacent to X; and with X, X' swapped.

    X' is X without one of its bits, or with one more that is 0 or 1.
    """
    law = count(probabilities)
    adjacent = [
        count([*probabilities[:i], *probabilities[i + 1 :]]) for i in range(len(probabilities))
    ]
    adjacent += [law, moved(law, 1)]
    return (
        max(hockey_stick(law, other, ratio) for other in adjacent),
        max(hockey_stick(other, law, ratio) for other in adjacent),
    )


def test_one_direction_is_not_enough_for_two_bits():
    quarter_and_half = (Fraction(1, 4), HALF)
    assert printed_and_exchanged(quarter_and_half, Fraction(3, 2)) == (
        Fraction(3, 8),
        Fraction(7, 16),
    )
    found = known_delta([bit(p) for p in quarter_and_half], (0, 0), [], Fraction(3, 2))
    assert found == Fraction(7, 16)
    # Nothing smaller in fourths: not one bit, not coarser probabilities, not equal bits.
    ratios = [Fraction(k, 4) for k in range(4, 25)]
    broken = {
        (denominator, probabilities)
        for denominator in (1, 2, 3, 4)
        for n in (1, 2)
        for probabilities in combinations_with_replacement(grid(denominator), n)
        for ratio in ratios
        if operator.lt(*printed_and_exchanged(probabilities, ratio))
    }
    assert broken == {(4, quarter_and_half)}


def test_one_direction_is_enough_for_one_bit():
    # Printed: p from X against none, 1 - p from X against X + 1. The other direction has no more.
    for denominator in range(1, 13):
        for p in grid(denominator):
            for ratio in FINITE:
                printed, exchanged = printed_and_exchanged([p], ratio)
                assert printed == max(p, 1 - p + max(0, p - ratio * (1 - p)))
                assert exchanged <= printed


def sequences(longest):
    return [x for n in range(longest + 1) for x in product((0, 1), repeat=n)]


def adjacent(x, *, first):
    """All sequences adjacent to one, by Definition 1; or also with one inserted as the first."""
    removed = [(*x[:i], *x[i + 1 :]) for i in range(len(x))]
    places = range(0 if first else 1, len(x) + 1)
    return removed + [(*x[:i], star, *x[i:]) for i in places for star in (0, 1)]


def delta_of(laws, ratio, *, first, both):
    """The δ of Definition 3 over all degenerate data, for a mechanism given as a table of laws."""
    found = Fraction(0)
    for x in laws:
        for y in adjacent(x, first=first):
            if y in laws:
                found = max(found, hockey_stick(laws[x], laws[y], ratio))
                if both:
                    found = max(found, hockey_stick(laws[y], laws[x], ratio))
    return found


def test_over_all_degenerate_data_one_direction_is_both_and_is_differential_privacy():
    # With insertion before the first record adjacency is symmetric; so the directions are one.
    source = random.Random(2)
    everything = sequences(3)
    for _ in range(20):
        mechanism = random_mechanism(source, everything, 3)
        laws = {x: output_law(mechanism, x) for x in everything}
        for ratio in RATIOS:
            one = delta_of(laws, ratio, first=True, both=False)
            assert one == delta_of(laws, ratio, first=True, both=True)
            # Differential privacy for records that come and go, read aloud.
            neighbours = [
                (x, y)
                for x in everything
                for y in everything
                if len(x) == len(y) + 1 and any((*x[:i], *x[i + 1 :]) == y for i in range(len(x)))
            ]
            assert one == max(both_ways(laws[x], laws[y], ratio) for x, y in neighbours)


def test_without_insertion_before_the_first_record_one_direction_is_less():
    # Definition 1 inserts X* after some X_i only. A mechanism that looks at the order of two bits:
    # no inequality is asked for (0) against (1, 0).
    rare, common, middle = ({"seen": p, "not": 1 - p} for p in (HALF, Fraction(0), Fraction(1, 4)))
    laws = {(): rare, (0,): rare, (1,): common, (0, 0): rare, (0, 1): middle, (1, 0): common,
            (1, 1): common}  # fmt: skip
    laws = {x: {t: mass for t, mass in law.items() if mass} for x, law in laws.items()}
    assert (0,) in adjacent((1, 0), first=False)
    assert (1, 0) not in adjacent((0,), first=False)
    assert delta_of(laws, 2, first=False, both=False) == Fraction(1, 4)
    assert delta_of(laws, 2, first=False, both=True) == HALF
    assert delta_of(laws, 2, first=True, both=False) == HALF


def test_nothing_is_lost_if_adjacency_is_symmetric():
    everything = sequences(4)
    for x, y in product(everything, repeat=2):
        either = y in adjacent(x, first=False) or x in adjacent(y, first=False)
        assert either == (y in adjacent(x, first=True))
        assert either == (x in adjacent(y, first=True))


def test_for_functions_of_the_multiset_it_makes_no_difference():
    source = random.Random(4)
    everything = sequences(3)
    for _ in range(20):
        of_counts = random_mechanism(source, [tuple(sorted(x)) for x in everything], 3)
        laws = {x: output_law(of_counts, tuple(sorted(x))) for x in everything if x}
        for ratio in FINITE:
            found = {
                delta_of(laws, ratio, first=first, both=both)
                for first in (False, True)
                for both in (False, True)
            }
            assert len(found) == 1


def test_degenerate_data_have_the_replacement_of_differential_privacy():
    # All X that are some database for certain, with one record replaced.
    for values in ((0, 1), (0, 1, 3)):
        for n in (1, 2, 3):
            of_data = [
                known_delta(
                    [{(x,): Fraction(x == own) for x in values} for own in database],
                    (i, 0),
                    [],
                    ratio,
                    notion="replace",
                )
                for database in product(values, repeat=n)
                for i in range(n)
                for ratio in RATIOS
            ]
            assert set(of_data) == {dp_delta(total, values, n, ratio=2)} == {1}


def test_differential_privacy_is_noiseless_privacy_of_all_data():
    # Even X* that depend on X: the laws of M(X) and M(X') are mixtures over both together.
    source = random.Random(3)
    everything = sequences(3)
    for _ in range(20):
        mechanism = random_mechanism(source, everything, 3)
        laws = {x: output_law(mechanism, x) for x in everything}
        weights = {(x, star): source.randint(0, 3) for x in product((0, 1), repeat=2)
                   for star in (0, 1)}  # fmt: skip
        weights[((0, 0), 0)] += 1
        whole = sum(weights.values())
        before, after = Counter(), Counter()
        for (x, star), weight in weights.items():
            for law, databases in ((before, laws[x]), (after, laws[(*x, star)])):
                for t, mass in databases.items():
                    law[t] += mass * weight / whole
        for ratio in RATIOS:
            assert both_ways(before, after, ratio) <= delta_of(laws, ratio, first=True, both=True)


# Changing a record instead.


@pytest.mark.parametrize("n", range(1, 11))
def test_replacing_may_be_private_where_adding_and_removing_is_not(n):
    groups = [{(10,): HALF, (11,): HALF}] * n
    for ratio in RATIOS:
        assert known_delta(groups, (0, 0), [], ratio) == 1
    # Whichever it is, the sum moves by 1 at most: half of what a count of n - 1 fair bits tells.
    replaced = known_delta(groups, (0, 0), [], 1, notion="replace")
    central = Fraction(math.comb(n - 1, (n - 1) // 2), 2 ** (n - 1))
    assert replaced == central / 2


def test_one_record_of_two_values_suffices_for_that():
    # Values m and m + 1: the sum of n records tells how many there are if n ≤ m.
    for m in (1, 2, 3):
        for n in range(1, 6):
            groups = [{(m,): HALF, (m + 1,): HALF}] * n
            assert (known_delta(groups, (0, 0), [], math.inf) == 1) == (n <= m)
    assert known_delta([{(1,): HALF, (2,): HALF}], (0, 0), [], 1, notion="replace") == HALF


def test_the_conversion_needs_more_than_one_vector_unless_the_mechanism_is_a_sum():
    # A mechanism that tells nothing when a bit comes to (0) or goes from it, but all of another.
    laws = {(): {0: Fraction(1)}, (0,): {0: Fraction(1)}, (1,): {1: Fraction(1)},
            (0, 0): {0: Fraction(1)}, (0, 1): {0: Fraction(1)}}  # fmt: skip
    adding = max(both_ways(laws[(0,)], laws[y], 1) for y in adjacent((0,), first=False))
    assert adding == 0
    assert both_ways(laws[(0,)], laws[(1,)], math.inf) == 1
    # If (ε, δ) is asked of all degenerate data of two lengths, the conversion is back.
    source = random.Random(5)
    for _ in range(40):
        mechanism = random_mechanism(source, sequences(2), 3)
        table = {x: output_law(mechanism, x) for x in sequences(2)}
        for ratio in FINITE:
            delta = delta_of(table, ratio, first=True, both=True)
            for x, y in (((0,), (1,)), ((0, 0), (0, 1)), ((0, 0), (1, 0)), ((1, 1), (0, 1))):
                assert both_ways(table[x], table[y], ratio**2) <= (1 + ratio) * delta


def random_groups(source):
    groups = []
    for _ in range(source.randint(1, 3)):
        size = source.randint(1, 2)
        cells = list(product((0, 1, 3), repeat=size))
        law = Counter(source.choice(cells) for _ in range(4))
        groups.append({cell: Fraction(times, 4) for cell, times in law.items()})
    return groups


def test_for_sums_replacing_costs_at_most_adding_and_removing():
    source = random.Random(6)
    worst = Fraction(0)
    for _ in range(40):
        groups = random_groups(source)
        for ratio in FINITE:
            delta = known_delta(groups, (0, 0), [], ratio)
            replaced = known_delta(groups, (0, 0), [], ratio**2, notion="replace")
            assert replaced <= (1 + ratio) * delta
            if delta:
                worst = max(worst, replaced / ((1 + ratio) * delta))
    assert 0 < worst <= 1


# The table of notions.


def test_definition_3_is_not_one_of_the_main_papers_notions():
    ratio = Fraction(3, 2)
    table = {
        agree: {
            notion: known_delta([pair(agree)] * 4, (0, 0), [], ratio, notion=notion)
            for notion in ("add or remove", "replace", "conditional", "causal")
        }
        for agree in (HALF, Fraction(3, 5), Fraction(3, 4), Fraction(9, 10))
    }
    for agree, deltas in table.items():
        assert len(set(deltas.values())) == (3 if agree == HALF else 4)
        # What relatives tell counts for one notion only.
        assert max(deltas, key=deltas.get) in (("conditional", "causal"))
    assert table[HALF]["conditional"] == table[HALF]["causal"] == Fraction(41, 256)
    assert table[Fraction(3, 4)] == {
        "add or remove": Fraction(783, 8192),
        "replace": Fraction(189, 4096),
        "conditional": Fraction(957, 4096),
        "causal": Fraction(135, 1024),
    }


def test_pairs_that_always_differ_set_the_notions_at_odds():
    # The sum of four such pairs is 4 for certain. A record that comes or goes is seen; given either
    # value of it the sum is the same.
    deltas = {
        notion: known_delta([pair(0)] * 4, (0, 0), [], math.inf, notion=notion)
        for notion in ("add or remove", "replace", "conditional", "causal")
    }
    assert deltas == {"add or remove": 1, "replace": HALF, "conditional": 0, "causal": 1}
    # And pairs that always agree have an even sum.
    assert known_delta([pair(1)] * 4, (0, 0), [], math.inf) == 1
    assert known_delta([pair(1)] * 4, (0, 0), [], Fraction(3, 2), notion="conditional") == Fraction(
        5, 16
    )


def followers(n, follow):
    """The joint law of bits that follow a shared fair coin, each with a probability."""
    law = {}
    for x in product((0, 1), repeat=n):
        ones = sum(x)
        heads = follow**ones * (1 - follow) ** (n - ones)
        tails = follow ** (n - ones) * (1 - follow) ** ones
        law[x] = (heads + tails) / 2
    return law


def test_what_a_shared_coin_tells_counts_for_the_conditional_notion_alone():
    ratio, follow = Fraction(3, 2), Fraction(3, 4)
    deltas = [
        {
            notion: known_delta([followers(n, follow)], (0, 0), [], ratio, notion=notion)
            for notion in ("add or remove", "replace", "conditional", "causal")
        }
        for n in (2, 4, 8)
    ]
    for notion in ("add or remove", "replace", "causal"):
        assert deltas[0][notion] > deltas[1][notion] > deltas[2][notion]
    # Who has seen the coin guesses the bit in three cases of four, with any number of others.
    floor = follow - ratio * (1 - follow)
    assert floor == Fraction(3, 8)
    assert all(found["conditional"] > floor for found in deltas)
    for notion in ("add or remove", "replace", "causal"):
        assert deltas[2][notion] < floor / 2


def test_definition_3_and_replacement_are_at_most_causal_for_bits():
    source = random.Random(7)
    compared = 0
    for _ in range(60):
        groups = [
            random_group(source, source.randint(1, 3), (0, 1)) for _ in range(source.randint(1, 3))
        ]
        if not 0 < sum(mass for values, mass in groups[0].items() if values[0]) < 1:
            continue
        for ratio in FINITE:
            causal = known_delta(groups, (0, 0), [], ratio, notion="causal")
            for notion in ("add or remove", "replace"):
                found = known_delta(groups, (0, 0), [], ratio, notion=notion, inserted=[0, 1])
                assert found <= causal
            compared += 1
    assert compared > 100


def test_replacement_is_at_most_causal_for_all_records():
    source = random.Random(8)
    for _ in range(60):
        groups = [random_group(source, source.randint(1, 2)) for _ in range(source.randint(1, 3))]
        possible = {values[0] for values, mass in groups[0].items() if mass}
        for ratio in FINITE:
            replaced = known_delta(
                groups, (0, 0), [], ratio, notion="replace", inserted=sorted(possible)
            )
            assert replaced <= known_delta(groups, (0, 0), [], ratio, notion="causal")


def test_a_record_that_cannot_be_otherwise_is_nothing_to_causal_privacy():
    # So the bits of the bound are uncertain ones.
    groups = [bit(1), bit(HALF)]
    assert known_delta(groups, (0, 0), [], math.inf, notion="causal") == 0
    assert known_delta(groups, (0, 0), [], math.inf) == HALF


def test_if_the_target_is_independent_conditional_is_causal():
    source = random.Random(9)
    for _ in range(20):
        groups = [random_group(source, 1), random_group(source, 2)]
        for ratio in RATIOS:
            deltas = {
                known_delta(groups, (0, 0), [], ratio, notion=notion)
                for notion in ("conditional", "causal", "marginal causal")
            }
            assert len(deltas) == 1


# The worst X* is a value.


def test_no_inserted_record_is_worse_than_the_worst_of_its_values():
    source = random.Random(10)
    for _ in range(40):
        groups = [random_group(source, source.randint(1, 2)) for _ in range(source.randint(1, 2))]
        star = random_group(source, 1)
        whole, after = sum_of(groups), sum_of([*groups, star])
        values = sorted(values[0] for values in star)
        for ratio in RATIOS:
            worst = known_delta(groups, (0, 0), [], ratio, inserted=values)
            assert both_ways(whole, after, ratio) <= worst
            # And no replacing record.
            others = [{x[1:]: 0 for x in groups[0]}, *groups[1:]]
            for x, mass in groups[0].items():
                others[0][x[1:]] += mass
            replaced = known_delta(groups, (0, 0), [], ratio, notion="replace", inserted=values)
            assert both_ways(whole, sum_of([*others, star]), ratio) <= replaced


def test_one_bit_is_seen_no_better_by_a_record_that_depends_on_it():
    # All X* = f(X_1): any other X* in {0, 1} is a mixture of these.
    for denominator in range(1, 9):
        for p in grid(denominator):
            law = count([p])
            for ratio in RATIOS:
                independent = known_delta([bit(p)], (0, 0), [], ratio)
                for f in product((0, 1), repeat=2):
                    after = Counter()
                    for x, mass in law.items():
                        after[x + f[x]] += mass
                    assert both_ways(law, after, ratio) <= independent


# Adjacency and sensitivity.


def test_for_deterministic_vectors_adjacency_is_the_usual_one():
    # As databases without an order: one has a record more, or less, than the other.
    for x in sequences(4):
        if not x:
            continue
        found = {tuple(sorted(y)) for y in adjacent(x, first=False)}
        usual = set()
        for y in sequences(5):
            more, less = Counter(y), Counter(x)
            if (more - less).total() + (less - more).total() == 1:
                usual.add(tuple(sorted(y)))
        assert found == usual
    # With an order, insertion before the first record is missing.
    assert (1, 0) in adjacent((0,), first=True)
    assert (1, 0) not in adjacent((0,), first=False)


def test_over_degenerate_data_data_sensitivity_is_that_of_differential_privacy():
    for function in (sum, max, lambda x: sum(x) ** 2, len):
        largest = max(
            abs(function(x) - function(y))
            for x in sequences(4)
            if x
            for y in adjacent(x, first=False)
            if y
        )
        usual = max(
            abs(function(x) - function(y))
            for x in sequences(5)
            for y in sequences(4)
            if y and len(x) == len(y) + 1 and not Counter(y) - Counter(x)
        )
        assert largest == usual
    # For one vector it is less: who comes to (0, 0) changes the square by 1, to (1, 1) by 5.
    changes = [
        max(abs(sum(x) ** 2 - sum(y) ** 2) for y in adjacent(x, first=False))
        for x in ((0, 0), (1, 1))
    ]
    assert changes == [1, 5]


# Who computes the sum, and what else is seen.


def masked(x):
    """What two users send who have agreed on a secret r: x_1 + r and x_2 - r, modulo 3."""
    return {((x[0] + r) % 3, (x[1] - r) % 3): Fraction(1, 3) for r in range(3)}


def test_a_protocol_that_shows_nothing_but_the_sum_is_as_private_as_a_curator():
    def law(p, q, mechanism):
        found = Counter()
        for x in product((0, 1), repeat=2):
            chance = (p if x[0] else 1 - p) * (q if x[1] else 1 - q)
            for message, mass in mechanism(x).items():
                found[message] += chance * mass
        return {message: mass for message, mass in found.items() if mass}

    for q in grid(4):
        for ratio in RATIOS:
            seen, told, sent = (
                both_ways(law(0, q, mechanism), law(1, q, mechanism), ratio)
                for mechanism in (masked, lambda x: {sum(x): 1}, lambda x: {x: 1})
            )
            # Neighbouring databases: the first user's bit is changed.
            assert seen == told
            # Plain messages give the bit away.
            assert sent == 1
    assert both_ways(law(0, HALF, masked), law(1, HALF, masked), 1) == HALF


# What no noise means.


def test_random_data_hide_a_record_in_an_exact_sum():
    voter = {(1,): Fraction(1, 3), (0,): Fraction(2, 3)}
    assert noiseless_privacy.add_or_remove([(voter, 1000)], (0, 0)).delta(0.1) < 0.003
    # Nothing is random in the mechanism: for differential privacy it has no δ below 1.
    assert dp_delta(total, (0, 1), 3, ratio=math.inf) == 1


def test_who_never_errs_has_no_differential_privacy():
    # Whatever always tells a function that has two values, however it dresses the answer.
    source = random.Random(11)
    cells = list(product((0, 1), repeat=2))
    for _ in range(30):
        function = {x: source.randrange(3) for x in cells}
        dressed = {x: {(function[x], k): Fraction(1, 4) for k in range(4)} for x in cells}
        delta = dp_delta(dressed.__getitem__, (0, 1), 2, ratio=math.inf)
        assert delta == (0 if len(set(function.values())) == 1 else 1)
    # A deterministic mechanism may err, too, if it is another function.
    assert [10 * (s // 10) - s for s in (9, 10)] == [-9, 0]


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_some_data_hide_nobody_in_a_sum(n):
    # Constants, and records of 1 or 3, whose sum has the parity of their number.
    assert known_delta([bit(1)] * n, (0, 0), [], math.inf, inserted=[0, 1]) == 1
    odd = {(1,): HALF, (3,): HALF}
    assert known_delta([odd] * n, (0, 0), [], math.inf) == 1
    # Replaced, one of these is hidden as well as a bit is.
    for ratio in RATIOS:
        replaced, of_bits = (
            known_delta([record] * n, (0, 0), [], ratio, notion="replace")
            for record in (odd, bit(HALF))
        )
        assert replaced == of_bits


def test_what_the_owner_believes_is_part_of_the_promise():
    def delta(p, n=1000):
        return noiseless_privacy.add_or_remove([({(1,): p, (0,): 1 - p}, n)], (0, 0)).delta(0.3)

    # Believed to be fair coins; to the attacker, or in truth, they are rare, or mostly known.
    assert delta(0.5) < 1e-6
    assert delta(0.001) > 0.3
    assert delta(0.5, n=20) > 0.05
    # And two sums of the same people: somebody who leaves in between is read off.
    whole = Counter()
    for x in product((0, 1), repeat=4):
        whole[(sum(x), sum(x[1:]))] += Fraction(1, 16)
    told = [{t: m for t, m in whole.items() if t[0] - t[1] == value} for value in (0, 1)]
    assert not told[0].keys() & told[1].keys()


@pytest.mark.parametrize("n", [1, 2, 3])
def test_among_independent_bits_parity_is_the_worst_bit_to_come(n):
    # X* given the sum k is 1 or 0; all others are mixtures of these.
    for probabilities in combinations_with_replacement(grid(4), n):
        law = count(probabilities)
        product_of_biases = math.prod(abs(1 - 2 * p) for p in probabilities)
        found = {ratio: Fraction(0) for ratio in RATIOS}
        for f in product((0, 1), repeat=n + 1):
            after = Counter()
            for k, mass in law.items():
                after[k + f[k]] += mass
            for ratio in RATIOS:
                found[ratio] = max(found[ratio], both_ways(law, after, ratio))
        assert set(found.values()) == {(1 + product_of_biases) / 2}
        odd = sum(mass for k, mass in law.items() if k % 2)
        assert max(odd, 1 - odd) == (1 + product_of_biases) / 2


def test_a_set_without_neighbours_has_no_more_mass_than_the_likelier_parity():
    source = random.Random(12)
    for _ in range(60):
        probabilities = [Fraction(source.randint(0, 8), 8) for _ in range(source.randint(1, 12))]
        law = count(probabilities)
        # The largest mass of a set without neighbours, up to k: with k, or without it.
        best = [Fraction(0), Fraction(0)]
        for k in range(len(probabilities) + 1):
            best.append(max(best[-1], best[-2] + law.get(k, Fraction(0))))
        biases = math.prod(abs(1 - 2 * p) for p in probabilities)
        assert best[-1] == (1 + biases) / 2


def test_a_newcomer_who_copies_one_fair_bit_is_hidden():
    for n in (1, 2, 3, 6, 9):
        law = count([HALF] * n)
        others = count([HALF] * (n - 1))
        after = Counter()
        for k, mass in others.items():
            after[k] += mass / 2
            after[k + 2] += mass / 2
        assert both_ways(law, after, 1) == Fraction(math.comb(n - 1, (n - 1) // 2), 2**n)


def test_relatives_add_no_more_to_the_causal_notion_than_they_tell():
    source = random.Random(13)
    compared = 0
    for _ in range(60):
        weights = [source.randint(1, 4) for _ in range(4)]
        group = {
            x: Fraction(w, sum(weights))
            for x, w in zip(product((0, 1), repeat=2), weights, strict=True)
        }
        others = [[group[(a, y)] / (group[(a, 0)] + group[(a, 1)]) for y in (0, 1)] for a in (0, 1)]
        most = max(max(p / q, q / p) for p, q in zip(others[0], others[1], strict=True))
        for ratio in FINITE:
            groups = [group, bit(HALF), bit(Fraction(1, 4))]
            bound = known_delta(groups, (0, 0), [], ratio, notion="causal")
            found = known_delta(groups, (0, 0), [], ratio * most, notion="conditional")
            assert found <= bound
            compared += 1
    assert compared == 240


def test_the_causal_notion_has_no_bound_by_definition_3():
    # A rare bit, beside which all others are 0; otherwise they are fair.
    rare = Fraction(1, 100)
    group = {(1, 0, 0, 0, 0): rare}
    for others in product((0, 1), repeat=4):
        group[(0, *others)] = (1 - rare) / 16
    assert known_delta([group], (0, 0), [], Fraction(3, 2), notion="causal") == 1
    assert known_delta([group], (0, 0), [], Fraction(3, 2)) < Fraction(1, 4)
    # Unless the record is independent of the others: two exchanges.
    source = random.Random(14)
    for _ in range(20):
        groups = [random_group(source, 1), random_group(source, 2)]
        for ratio in FINITE:
            replaced = known_delta(groups, (0, 0), [], ratio, notion="replace")
            causal = known_delta(groups, (0, 0), [], ratio**2, notion="causal")
            assert causal <= (1 + ratio) * replaced
