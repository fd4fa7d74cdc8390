"""Answers to exercises: the right one is known again, and none can be read."""

import json
import re
from decimal import Decimal
from fractions import Fraction
from itertools import count, product
from math import exp, inf, nan, prod, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import brentq

from pkdp import counting, exercises
from pkdp.noiseless import privacy_blanket
from tests import answers
from tests.answers import ANSWERS, SEALED, sealed

HINT = "A hint."


@pytest.fixture
def right():
    return answers.right()


def test_what_is_sealed_is_up_to_date():
    assert json.loads(SEALED.read_text(encoding="utf-8")) == sealed()
    assert exercises.names() == sorted(ANSWERS)
    assert len(ANSWERS) >= 15


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_the_right_answer_is_known_in_every_form(name, right):
    answer = right[name]
    forms = [answer, str(answer)]
    if isinstance(answer, float):
        forms += [f"{answer:.3g}", Decimal(f"{answer:.4g}"), np.float64(answer)]
    else:
        forms += [float(answer), Fraction(answer)]
    for form in forms:
        reply = exercises.check(name, form)
        assert reply == exercises.Reply(True, "")
        assert reply
        assert repr(reply) == "Yes."


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_a_slip_gets_its_hint(name, right):
    for slip, hint in ANSWERS[name].slips.items():
        reply = exercises.check(name, slip)
        assert not reply
        assert repr(reply) == f"No. {hint}"
        # Who is told the answer learns nothing.
        if right[name] != int(right[name]):
            assert str(right[name])[:6] not in hint
        else:
            assert not re.search(rf"\b{int(right[name])}\b", hint)


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_anything_else_is_simply_wrong(name, right):
    other = -float(right[name]) - 1.0625
    assert repr(exercises.check(name, other)) == "No."


@pytest.mark.parametrize("name", ["village", "eyes", "three-products", "better-guess"])
def test_an_answer_with_too_few_digits_is_told_so(name, right):
    exact = not isinstance(right[name], float)
    short = f"{float(right[name]):.{3 if exact else 2}g}"
    asked = "three digits, and it is asked for exactly" if exact else "two digits, and three are"
    reply = exercises.check(name, short)
    assert not reply
    assert asked in reply.hint
    assert exercises.check(name, float(short) * 1.2).hint == ""


def test_no_answer_is_readable(right):
    text = SEALED.read_text(encoding="utf-8")
    entries = json.loads(text)
    for name, answer in right.items():
        assert re.fullmatch("[0-9a-f]{32}", entries[name]["right"])
        assert len(str(answer)) < 4 or str(answer)[:6] not in text
    # The same answer has another digest for each exercise.
    assert len({exercises._digest(name, "1") for name in entries}) == len(entries)


@given(st.fractions(min_value=-1000, max_value=1000, max_denominator=99))
def test_a_fraction_is_taken_for_no_other(value):
    assert exercises._texts(float(value), True) == exercises._texts(value, True) == [str(value)]
    assert exercises._texts(value + Fraction(1, 10**6), True) != [str(value)]


@given(st.floats(min_value=1e-12, max_value=1e12))
def test_a_number_is_known_by_its_first_digits(value):
    (first, *_) = exercises._texts(value, False)
    assert Fraction(f"{value:.2e}") - Fraction(first) in (0, *_unit(first, 3))
    assert first in exercises._texts(f"{value:.2e}", False)
    assert first not in exercises._texts(Fraction(value) * Fraction(103, 100), False)


def _unit(text, digits):
    """A unit of the last digit, up or down: halves are rounded to even, or by their float."""
    exponent = int(f"{float(Fraction(text)):.15e}".partition("e")[2])
    unit = Fraction(10) ** (exponent - digits + 1)
    return unit, -unit


@pytest.mark.parametrize("bad", [None, True, "a half", "1/0", nan, inf, 1j, [1], np.bool_(True)])
def test_what_is_no_number_is_refused(bad):
    with pytest.raises(ValueError, match=re.escape(f"answer must be a finite number, got {bad!r}")):
        exercises.check("village", bad)


def test_what_is_no_exercise_is_refused():
    with pytest.raises(ValueError, match=r"^name must be one of affairs, .*, got '4.1.3'$"):
        exercises.check("4.1.3", 1)


def test_what_cannot_be_sealed_is_refused():
    with pytest.raises(ValueError, match=r"^wrong must be told from the right answer of 'any'"):
        exercises.seal("any", 1.231, {1.2309: HINT})
    with pytest.raises(ValueError, match=r"^wrong must be told from the right answer of 'any'"):
        exercises.seal("any", Fraction(1, 3), {1 / 3: HINT})


# The numbers of each exercise on its page.
ON_ITS_PAGE = {
    "better-guess": {"n": "5", "odds": "2"},
    "coin-for-parity": {"m": "2", "k": "1"},
    "coin-of-two": {"d": "2", "m": "1/3"},
    "end-of-the-row": {"n": "10000", "rho": "3/5"},
    "error-that-tells": {"rate": "1/10"},
    "forged-accounts": {"p": "1/200", "known": "10", "eps": "6/5"},
    "forged-votes": {"n": "1000", "p": "1e-7", "T": "100"},
    "give-away": {"p": "1/4", "ratio": "2"},
    "honest-coin": {"k": "3/4"},
    "how-many": {"lam": "1/20", "eps": "1/2", "delta": "1e-9"},
    "hundreds": {"n": "8"},
    "least-department": {"lam": "1/10", "eps": "1", "delta": "1e-6"},
    "left": {"n": "3"},
    "maximum": {"m": "3", "others": "2"},
    "mortgages": {"n": "25", "p": "1/5", "T": "2", "delta": "1e-3"},
    "noise-scaled": {"branches": "3", "root": "2"},
    "noisy-clinic": {"n": "3000", "known": "1000", "lam": "1/10", "delta": "1e-8"},
    "one-bit": {"p": "1/10"},
    "one-record": {"k": "4/5"},
    "passengers": {"rate": "1/4", "eps": "1", "delta": "1e-6"},
    "pure": {"rate": "1/2", "delta": "1e-6"},
    "rare-disease": {"n": "5000", "p": "1/500", "delta": "2e-7"},
    "silent-database": {"eps": "5", "leak": "1/4"},
    "smaller-country": {"n": "20000", "lam": "1/10", "eps": "1/2", "delta": "1e-6"},
    "ten-days": {"days": "10", "rho": "1/2"},
    "three-answers": {"answers": "3", "ratio": "4", "yes": "450"},
    "three-products": {"k": "3", "p": "1/3", "ratio": "2"},
    "three-questions": {"ratio": "8"},
    "told-bit": {"k": "1/2"},
    "two-bits-by-hand": {"ratio": "2"},
    "two-records": {"t": "1/4", "u": "1/5"},
    "two-steps": {"p": "13/20", "lam": "1/5"},
    "uniform-leaks": {"k": "2", "delta": "1/2"},
    "village": {"n": "30", "known": "10", "lam": "1/5", "delta": "1/50"},
    "village-of-households": {"n": "200", "size": "5", "delta": "1e-6"},
    "week-of-counts": {"days": "7"},
    "whispers": {"a": "1", "eps": "1e-4"},
}


# Of these the numbers come from data.
FROM_DATA = {
    "affairs": lambda: exercises._count(answers.others_of_the_survey(), Fraction(1, 601**2)),
    "births": lambda: exercises._least_noise(answers.other_mothers(), Fraction(1, 4)),
    "eyes": lambda: exercises._ANSWERS["eyes"](197, *(answers.lost_eyes()[j] for j in (1, 2))),
    "union": lambda: exercises._ANSWERS["union"](545, 8, **answers.habits()),
}


@pytest.mark.parametrize("name", exercises.names())
def test_a_variant_has_the_right_answer_with_the_numbers_of_its_page(name):
    if name in FROM_DATA:
        answer = FROM_DATA[name]()
    else:
        numbers = {key: Fraction(value) for key, value in ON_ITS_PAGE[name].items()}
        answer = exercises._ANSWERS[name](**numbers)
    assert exercises.check(name, answer)


def test_every_text_has_an_answer():
    assert exercises.names() == list(exercises._templates()) == list(exercises._ANSWERS)
    assert {*ON_ITS_PAGE, *FROM_DATA} == {*exercises.names()}


@pytest.mark.parametrize("name", exercises.names())
def test_variants_have_other_numbers_and_check_their_own_answers(name):
    found = [exercises.variant(name, seed=seed) for seed in range(100)]
    assert len({one.text for one in found}) > 3
    assert len({one.answer for one in found}) > 2
    for seed, one in enumerate(found):
        assert not re.search(r"<\w", one.text)
        assert 0 < one.answer < inf
        if seed < 12:
            assert one == exercises.variant(name, seed=seed)
            assert one.check(one.answer) == exercises.Reply(True, "")
            assert one.check(float(one.answer))
            assert not one.check(one.answer * 2)
            original = exercises.check(name, one.answer)
            assert not original or one.answer == answers.right()[name]


def test_a_variant_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match=r"^name must be one of affairs, .*, got 'any'$"):
        exercises.variant("any", seed=0)
    with pytest.raises(ValueError, match=r"^seed must be an integer in 0….*, got -1$"):
        exercises.variant("left", seed=-1)


# Answers once more, by enumeration, from what the text says.


def added(pairs):
    """The law that these values and masses add up to."""
    law = {}
    for value, mass in pairs:
        law[value] = law.get(value, 0) + mass
    return law


def excess(one, other, ratio=1):
    """How much likelier an event is under one law than so many times under the other, at most."""
    return sum(max(mass - ratio * other.get(value, 0), 0) for value, mass in one.items())


def tally(chances, shown=lambda number: number, own=0):
    """The law of what is shown of the number of independent Yes and one's own."""
    law = {0: Fraction(1)}
    for p in chances:
        law = added(
            (k + yes, mass * (p if yes else 1 - p)) for k, mass in law.items() for yes in (0, 1)
        )
    return added((shown(number + own), mass) for number, mass in law.items())


def both_ways(one, other, ratio=1):
    return max(excess(one, other, ratio), excess(other, one, ratio))


def count_again(chances, delta, shown=lambda number: number):
    """The ε at δ of a count of independent records, for a one against a zero."""
    laws = [tally(chances, shown, own) for own in (0, 1)]
    low, high = 0.0, 20.0
    for _ in range(50):
        middle = (low + high) / 2
        enough = both_ways(*laws, exp(middle)) <= delta
        low, high = (low, middle) if enough else (middle, high)
    return high


def censored(threshold):
    return lambda number: number if number > threshold else None


def parity_coin_again(m, k):
    values = [Fraction(j) for j in range(int(m))]
    laws = [added((value + shift, 1 / m) for value in values) for shift in (0, k)]
    assert both_ways(*laws) == both_ways(*laws, 3)
    return both_ways(*laws)


def coin_of_two_again(d, m):
    one = {0: (1 - m) / 2, int(d): m, 2 * int(d) + 1: (1 - m) / 2}
    two = added((a + b, p * q) for a, p in one.items() for b, q in one.items())
    return privacy_blanket.largest_weight(two)


def forged_votes_again(n, p, T):
    def delta(m):
        shown = censored(int(T) - m)
        # More Yes than these are too rare to matter.
        mass = dict(enumerate(stats.binom.pmf(np.arange(220), int(n) - 1 - m, float(p))))
        laws = [added((shown(k + own), one) for k, one in mass.items()) for own in (0, 1)]
        return both_ways(*laws)

    return next(m for m in range(int(T)) if delta(m) > 1e-6)


def give_away_again(p, ratio):
    return both_ways(*(tally([p], own=own) for own in (0, 1)), ratio)


def maximum_again(m, others):
    values = range(1, int(m) + 1)
    unknown = list(product(values, repeat=int(others) - 1))

    def law(known, own):
        return added((max(known, own, *rest), Fraction(1, len(unknown))) for rest in unknown)

    laws = {(known, own): law(known, own) for known in values for own in values}
    pairs = [(a, b) for a in values for b in values]
    return max(sum(excess(laws[k, a], laws[k, b]) for k in values) for a, b in pairs) / m


def noise_scaled_again(branches, root):
    def law(member):
        odds = root ** (2 // max(sum(member), 1))
        right = odds / (1 + odds)
        return {
            replies: prod(
                right if a == b else 1 - right for a, b in zip(replies, member, strict=True)
            )
            for replies in product((0, 1), repeat=int(branches))
        }

    inside, outside = (law([1] * k + [0] * (int(branches) - k)) for k in (2, 0))
    return max(inside[replies] / outside[replies] for replies in inside)


def rare_disease_again(n, p, delta):
    def needed(T):
        others = int(n) - 1
        # The largest value at any belief up to p, on a grid that has p.
        beliefs = [float(p) * share / 20 for share in range(1, 21)]
        return max(stats.binom.pmf(T, others, belief) for belief in beliefs)

    return next(T for T in count(0) if needed(T) <= delta)


def passengers_again(rate, eps, delta):
    def law(k, size):
        shown = stats.binom.pmf(np.arange(k, 13 * k), size, float(rate))
        return np.append(shown, stats.binom.cdf(k - 1, size, float(rate)))

    def enough(k):
        pairs = [(law(k, m), law(k, m + 1)) for m in range(k - 1, 12 * k)]
        pairs += [pair[::-1] for pair in pairs]
        return max(np.maximum(a - exp(eps) * b, 0).sum() for a, b in pairs) <= delta

    return answers.least(enough, 2, 64)


def eyes_again(n, one, two):
    law = np.array([1.0])
    for _ in range(int(n) - 1):
        law = np.convolve(law, [float(1 - one - two), float(one), float(two)])
    pair = np.concatenate([law, [0, 0]]), np.concatenate([[0, 0], law])

    def delta(eps):
        return max(np.maximum(a - exp(eps) * b, 0).sum() for a, b in (pair, pair[::-1]))

    return brentq(lambda eps: delta(eps) - 1e-4, 0, 20)


def union_again(n, years, start, rise, stay):
    start, rise, stay = map(float, (start, rise, stay))
    means = [start]
    while len(means) < years:
        means.append(means[-1] * stay + (1 - means[-1]) * rise)
    cov = np.zeros((len(means), len(means)))
    for i, mean in enumerate(means):
        for j in range(i, len(means)):
            cov[i, j] = cov[j, i] = mean * (1 - mean) * (stay - rise) ** (j - i)
    mu = sqrt(np.ones(len(means)) @ np.linalg.solve((int(n) - 1) * cov, np.ones(len(means))))

    def delta(eps):
        return stats.norm.cdf(mu / 2 - eps / mu) - exp(eps) * stats.norm.cdf(-mu / 2 - eps / mu)

    return brentq(lambda eps: delta(eps) - 1e-5, 0, 50)


def mortgages_again(n, p, T, delta):
    return count_again([p] * (int(n) - 1), delta, censored(T))


def households_again(n, size, delta):
    return count_again([Fraction(1, 2)] * (int(n / size) - 1), delta)


def affairs_again(n, low, middle, high):
    quarter = int(n) // 4
    chances = [low] * quarter + [middle] * 2 * quarter + [high] * (quarter - 1)
    return count_again([float(p) for p in chances], 1 / n**2)


def how_many_again(lam, eps, delta):
    def enough(unknown):
        return counting.closed_form(unknown + 1, lam, categories=3).delta(float(eps)) <= delta

    return answers.least(enough, 1, 100_000)


AGAIN = {
    "affairs": affairs_again,
    "coin-for-parity": parity_coin_again,
    "coin-of-two": coin_of_two_again,
    "eyes": eyes_again,
    "forged-votes": forged_votes_again,
    "give-away": give_away_again,
    "how-many": how_many_again,
    "maximum": maximum_again,
    "mortgages": mortgages_again,
    "noise-scaled": noise_scaled_again,
    "passengers": passengers_again,
    "rare-disease": rare_disease_again,
    "union": union_again,
    "village-of-households": households_again,
}


@pytest.mark.parametrize("name", AGAIN)
def test_answers_of_variants_are_those_of_a_second_computation(name, monkeypatch):
    numbers = {}

    def keep(**chosen):
        numbers.update(chosen)
        return exercises_answer(**chosen)

    exercises_answer = exercises._ANSWERS[name]
    monkeypatch.setitem(exercises._ANSWERS, name, keep)
    for seed in range(4):
        one = exercises.variant(name, seed=seed)
        again = AGAIN[name](**numbers)
        if isinstance(one.answer, float):
            assert again == pytest.approx(one.answer, rel=1e-6)
        else:
            assert again == one.answer
