"""What the functions of the library are called with: a strategy for each name of a parameter.

A name means the same nearly everywhere; where it does not, ``module.name`` or
``module.function.name`` comes first. Small sizes keep an example cheap; HYPOTHESIS_PROFILE=fuzz has
the largest ones that are allowed, too.
"""

import decimal
import math
import os
import random
import tempfile
from fractions import Fraction as F
from typing import get_args

import numpy as np
from hypothesis import strategies as st

from pkdp import counting, mechanisms, noise, privacy_loss, worlds
from pkdp.databases import memberships
from pkdp.databases.couplings import Match
from pkdp.databases.experiments import RandomizedAdversary, leaky_response, make_planned
from pkdp.databases.sampling import randomized_response
from pkdp.figures.partial_knowledge import plebiscite
from pkdp.noiseless import _joint_laws
from pkdp.noiseless.adversaries import Adversary
from pkdp.partial_knowledge import kanonymity, published, thresholding
from pkdp.partial_knowledge.daily_profiles import MarkovChain
from pkdp.profiles import Pair, laws

ON_REQUEST = os.environ.get("HYPOTHESIS_PROFILE") == "fuzz"

HUGE = [10**6, 10**9, 10**10] if ON_REQUEST else [10**4]
MANY_TIMES = 10**6 if ON_REQUEST else 10**3
HALF = F(1, 2)

# Nothing that any parameter needs to take; each is legal for some.
ODD = st.sampled_from(
    [
        *(None, True, False, "text", "", "1", b"x", 1j, Ellipsis),
        *((), [], {}, set(), range(3), [None], ["a"], [0.5, "a"], [[0.5], [0.5, 0.1]], [[[]]]),
        *({0: 1}, {"a": 1}, {(0,): 1}, {(0,): math.nan}, {0: 2}, {0: "a"}, {0: 0.5, 1: 0.5}),
        *(0, 1, 2, -1, 3, 2**63, 10**400, -(10**400), 0.0, -0.0, 1.0, 0.5, 5e-324, 1 - 2**-53),
        *(math.nan, math.inf, -math.inf, 1e308, -1e-300, 1e16, 1 + 2**-52, 700.0, 701.0),
        *(F(1, 3), F(1, 10**400), F(10**400, 3), F(-1, 3), F(3, 2)),
        *map(decimal.Decimal, ("0.25", "NaN", "sNaN", "Infinity", "1e-400", "1e400")),
        *(np.float64(0.5), np.float32(0.1), np.float16(np.nan), np.longdouble(0.5), np.int64(3)),
        *(np.uint8(200), np.bool_(True), np.str_("a"), np.datetime64("2020-01-01")),
        *(np.array(0.5), np.array(3), np.array([0.5, np.nan]), np.array([[0.5]]), np.empty(0)),
        *(np.array(["a"]), np.array([None]), np.array([1j]), np.zeros((2, 2)), np.arange(3)),
        *(
            [math.nan],
            [math.inf, 0.1],
            [-1],
            [10**400],
            [F(1, 10**400)],
            [True],
            [2**63],
            [0.1] * 40,
        ),
        *(np.ma.masked_array([0.5, 0.5], [True, False]), np.array([0.5], dtype=np.float32)),
        *HUGE,
    ]
)


def either(*values):
    return st.sampled_from(values)


def few(each, most=4, least=0):
    return st.lists(each, min_size=least, max_size=most)


def integers(least, most, *others):
    return st.integers(least, most) | either(least, most, np.int64(least), *others)


def reals(least, most, *others):
    return st.floats(least, most) | either(least, most, *others)


def laws_of(*values):
    """Laws in fractions on some values."""
    weights = st.lists(st.integers(0, 3), min_size=len(values), max_size=len(values)).filter(any)
    return weights.map(lambda w: {v: F(x, sum(w)) for v, x in zip(values, w, strict=True)})


chance = either(0, 1, HALF, F(1, 3), F(9, 10), F(1, 10**20)) | st.fractions(0, 1, max_denominator=9)
probability = reals(0.0, 1.0, 0.5, F(1, 3), 5e-324, 1 - 2**-53, 1e-9, np.float64(0.1), 0, 1)
plain_uncertainty = reals(1e-3, 0.5, F(1, 3), 0.1, 1e-9, 1e-5)
uncertainty = plain_uncertainty | either(5e-324, 1e-300)
epsilon = reals(0.0, 5.0, 700.0, 5e-324, 1e-9, 30.0, F(1, 3), 1)
any_epsilon = epsilon | either(math.inf, 1e308)
leak = reals(0.0, 1.0, 1e-9, 1e-300, 5e-324, 1 - 2**-53, 1e-3)
ratio = either(1, 2, 3, F(3, 2), F(10**20), math.inf, F(10**17 + 1, 10**17)) | st.fractions(1, 9)
finite_ratio = ratio.filter(lambda value: value != math.inf)
boolean = st.booleans()
size = integers(2, 40, *HUGE)
small = integers(1, 4)
fraction_law = laws_of(0, 1)
series_law = laws_of((0, 0), (0, 1), (1, 0), (1, 1))
series = either((0, 0), (0, 1), (1, 1), (1, 0))
random_source = st.integers(0, 9).map(random.Random)

small_worlds = either(
    worlds.bits([HALF] * 2),
    worlds.bits([F(1, 3), HALF, 1], knowledge=[1]),
    worlds.copied({0: HALF, 1: HALF}, 1, knowledge=[1]),
    worlds.correlated_pairs([F(1, 3)], F(3, 4)),
    worlds.World({((0, 1), "a"): HALF, ((1, 1), "b"): HALF}, records=(0, 1, 2)),
    worlds.mixed([worlds.bits([HALF] * 2), worlds.bits([0, 1])], [HALF, HALF]),
)
mechanism = either(
    mechanisms.total,
    mechanisms.parity,
    mechanisms.majority,
    mechanisms.identity,
    mechanisms.make_count(),
    mechanisms.make_threshold(1),
    mechanisms.make_constant(0),
    mechanisms.make_randomized_response(F(3, 4)),
    mechanisms.mix([(HALF, mechanisms.total), (HALF, mechanisms.parity)]),
    len,
)
move = either(leaky_response(3), leaky_response(2, F(1, 10)), leaky_response(1).swapped())
adversary = either(
    make_planned([leaky_response(3)] * 2),
    make_planned([leaky_response(2, F(1, 10)), leaky_response(3)]),
    RandomizedAdversary([(HALF, make_planned([leaky_response(3)] * 2))] * 2),
)
gamma = st.builds(Adversary, either(0, 0.2, 0.5, F(1, 3), 0.99), integers(1, 4))
pmf = either(
    {0: 0.5, 1: 0.5},
    {0: 0.25, 1: 0.5, 3: 0.25},
    {5: 1},
    {0: HALF, 2: F(1, 4), -3: F(1, 4)},
    {0: 1 - 1e-12, 1: 1e-12},
    {0: 0.5, 10**5: 0.5},
)
blocks = few(st.tuples(pmf, integers(1, 5)) | pmf, least=1)
group = either(
    {(0, 0): F(3, 8), (1, 1): F(3, 8), (0, 1): F(1, 8), (1, 0): F(1, 8)},
    {(0,): HALF, (1,): HALF},
    {(0,): 0.3, (1,): 0.3, (4,): 0.4},
    {(0,): 1},
    {(0, 0): HALF, (1, 1): HALF},
    {(2, 0): 0.9, (0, 0): 0.1},
)
bits_law = st.one_of(
    laws_of((0, 0), (0, 1), (1, 0), (1, 1)),
    either([[0.25] * 2] * 2, np.array([[0.5, 0.0], [0.0, 0.5]]), {(0, 1): 1.0}, {(0,): 1}),
)
number_law = either([0.5, 0.5, 0.0], [0.25, 0.5, 0.25], [0, 0, 1], [1.0, 0, 0], [0.5, 0.5])
pair = either(
    counting.pair([0.2] * 9),
    counting.pair([0.5, 0.01], multiplicities=[30 if ON_REQUEST else 9, 2]),
    counting.pair([]),
    counting.pair([0.0, 1.0]),
    Pair(laws.Finite(0, (0.5, 0.25, 0.25)), laws.Finite(1, (0.5, 0.5))),
    thresholding.pair([0.3] * 6, threshold=2),
    noise.add(counting.pair([0.2] * 9), noise.Geometric(0.5)),
    randomized_response(0.5, 1e-3),
)
curve = either(
    counting.worst_case(30 if ON_REQUEST else 6, 0.2),
    counting.exact([0.5] * 6),
    counting.tail(10**6 if ON_REQUEST else 100, 0.1),
    counting.exact([]),
    memberships.simple([0.1, 0.2], 1e-6),
    counting.closed_form(500, 0.3),
    thresholding.exact([0.3] * 6, threshold=2),
    published.theorem_3(30, 0.2),
)
added_noise = either(
    *map(noise.Geometric, (0.5, 0.01, 1 - 1e-9, 1e-200)), *map(noise.Laplace, (2, 0.01, 0.002, 1e9))
)
label = either("a", "b", None, "c")
record_law = laws_of("a", "b", None) | either({"a": F(1, 4)}, {})
chain = st.builds(MarkovChain, *[either(0.1, 0.5, 0.9, 1e-3)] * 3)
event = either(lambda d: d[0] == 0, lambda d: d[0] == 1, lambda d: sum(d) == 0)

# A table of few records, which goes with the process.
_FOLDER = tempfile.TemporaryDirectory()
AUDITED = f"{_FOLDER.name}/poll.csv"
with open(AUDITED, "w", encoding="utf-8") as _table:
    _table.write("vote,sex,bit,p\n" + "Y,F,1,0.5\nN,M,0,0.25\nN,F,0,0.9\nY,M,1,0.5\n" * 5)

NAMED = {
    "n": size,
    "lam": uncertainty,
    "known": integers(0, 5, 39),
    "eps": epsilon,
    "delta": leak,
    "p": probability,
    "tol": either(1e-2, 1e-4, 1e-8, 1e-10, 1),
    "noise": added_noise,
    "probabilities": few(probability, 6)
    | few(probability, 3, 3)
    | few(probability, 6).map(np.array),
    "multiplicities": st.none() | few(integers(0, 5), 3, 3),
    "epsilons": few(epsilon, 2, 2) | few(epsilon),
    "deltas": leak | few(leak, 2, 2),
    "k": integers(1, 5),
    "threshold": integers(0, 10),
    "ratio": ratio,
    "mechanism": mechanism,
    "worlds": small_worlds | few(small_worlds, 2, 1),
    "world": small_worlds,
    "targets": st.none() | few(integers(0, 2), 2),
    "target": integers(0, 2),
    "a": either(0, 1),
    "b": either(0, 1),
    "other": bits_law,
    "prior": bits_law,
    "records": either((0, 1), (0, 1, 2), (0,)),
    "variance": reals(0.0, 100.0, 1e-12, 1e300, 1e8),
    "scale": reals(1e-3, 10.0, 1e-300, 1e300, 0.0),
    "m": integers(0, 3),
    "theorem": either(memberships.simple, memberships.advanced, memberships.optimal),
    "weights": few(probability, 3) | either([0.5, 0.5], [1.0], [HALF, HALF]),
    "groups": few(group, 3, 1),
    "m1": mechanism,
    "m2": mechanism,
    "predicate": either(bool, lambda value: value == 1),
    "first": mechanism,
    "second": mechanism,
    "source": random_source,
    "most": integers(1, 4),
    "counts": few(integers(1, 9), 3, 2),
    "rate": probability,
    "rates": probability | few(probability, 2, 1),
    "pair": pair,
    "probability": probability,
    "pairs": few(pair, 2, 1),
    "blocks": blocks,
    "convention": either("repaired", "printed"),
    "outputs": either("joint", "product"),
    "categories": integers(2, 5),
    "shift": integers(1, 3),
    "third": reals(0.0, 100.0, 1e-12, 1e300),
    "fourth": reals(0.0, 100.0, 1e-12, 1e300),
    "width": reals(0.0, 10.0, 1e-300, 1e300),
    "mu": reals(0.0, 3.0, math.inf),
    "nu": leak,
    "chain": chain,
    "hidden": integers(0, 4),
    "search": integers(1, 20),
    "databases": st.none() | few(integers(0, 2), 2, 2),
    "correlation": reals(-1.0, 1.0, 0.5, 5e-324),
    "inserted": st.none() | few(integers(-2, 3), 3),
    "values": either("worst", "average"),
    "notion": either(*_joint_laws.NOTIONS),
    "others": integers(0, 9),
    "bessel": boolean,
    "yes": integers(0, 9),
    "trials": integers(0, 20),
    "profile": curve,
    "times": integers(1, 9) | either(MANY_TIMES),
    "cap": st.none() | integers(1, 12),
    "answers": integers(2, 5),
    "formats": either("", ".2f", ",", {"a": ".1e"}, "s", "{"),
    "caption": st.none() | either("What", ""),
    "unit": either(1, 10, 100),
    "truth": chance,
    "matches": few(either(Match((0, 1), (1, 1), 0.5), Match((0, 0), (1, 0), HALF)), 3),
    "chance": chance,
    "peak": integers(0, 5),
    "conditional": boolean,
    "neighbourhood": integers(1, 4),
    "dependence": either("graph", "m", "neighbourhoods"),
    "mechanisms": few(mechanism, 3),
    **dict.fromkeys(("eps1", "eps2"), any_epsilon),
    **dict.fromkeys(("delta1", "delta2"), leak),
    "of": either("last", "all"),
    "c": any_epsilon,
    "day": integers(0, 1),
    "degree": integers(0, 5),
    "rare": st.none() | reals(0.0, 0.5, 1e-3, 5e-324),
    "function": either(sum, len, bool, lambda value: str(value)),
    "direction": either("both", "forth", "back"),
    "moves": few(move, 3),
    "least": integers(0, 2),
    "not_none": boolean,
    "allowed": few(few(integers(0, 1), 2, 2), 3, 1),
    **dict.fromkeys(("common", "free", "premium"), few(integers(0, 1), 2)),
    "each": st.none() | integers(1, 9, *HUGE),
    "inside": curve,
    "outside": probability,
    "beyond": st.none() | curve,
    "later": few(epsilon, 2, 2),
    "later_deltas": leak,
    "position": st.none() | integers(1, 9),
    "steps": integers(1, 3),
    "pmf": pmf,
    "distance": probability,
    "root_n_eps": any_epsilon,
    "adversary": gamma,
    "weight": probability,
    "most_noise": reals(0.0, 50.0, math.inf),
    "compromised": probability,
    "deviation": reals(0.0, 1e3, 1e-300, 1e300),
    "users": integers(1, 9, *HUGE),
    "histories": few(either(0.25, 0.1, 0.5, 1e-9), 4, 4) | either([[0.25] * 2] * 2),
    "new": few(integers(1, 30, *HUGE), 3, 1),
    "start": fraction_law,
    "transitions": st.fixed_dictionaries({0: fraction_law, 1: fraction_law}),
    "days": integers(1, 3),
    "keep": chance,
    "target_depends": boolean,
    "rare_values": integers(1, 9),
    "levels": either([{0: 0, 1: 1}, {0: "x", 1: "x"}], [{}], []),
    "generalization": st.none() | either({0: "a"}, {}),
    "certain": integers(0, 4),
    "rounded": boolean,
    "symbols": either(1, 2),
    "cells": integers(1, 500, 10**5),
    "order": reals(1.0, 20.0, 1 + 2**-52, 1e300, math.inf),
    "pessimistic": boolean,
    "given_a": fraction_law,
    "given_b": fraction_law,
    "row": fraction_law,
    "channels": few(curve, 3),
    "parts": either([(HALF, mechanisms.total), (HALF, len)], [(1, mechanisms.parity)], []),
    "largest": reals(0.0, 50.0, 1e-9, 700.0),
    "singles": integers(0, 9, *HUGE),
    "number": integers(0, 9, *HUGE),
    "size": integers(1, 4),
    "own": integers(1, 2),
    "no": integers(0, 9),
    "some": boolean,
    # Saxony has 3.7 million children: a δ of theirs takes seconds where it is e^-100,000.
    "data": st.just("Guatemala"),
    "share": probability,
    "headings": st.just(["a", "b"]) | few(st.text(max_size=3), 2),
    "rows": few(few(either(1, 0.5, None, "x", F(1, 3), math.inf, True, 10**400), 2, 2), 3),
    "columns": either({"a": [1], "b": [0.5]}, {"a": []}, {"a": [1], "b": []}),
    "text": st.text(max_size=9) | either("$x$", "$", "$$", r"$\varepsilon$"),
    "copies": integers(1, 3),
    "law": fraction_law,
    "agree": chance,
    "parameter": fraction_law,
    "record_law": either(lambda value: {value: 1}, lambda value: {0: HALF, 1: HALF}, lambda v: v),
    "reveal": boolean,
    "initial": fraction_law,
    "transition": either(lambda value: {value: 1}, lambda value: {0: HALF, 1: HALF}, lambda v: v),
    "respondents": integers(1, 20, *HUGE),
    "sensitivity": reals(0.0, 5.0, 1e-300, 1e300),
    "alpha": chance | probability,
    "x": st.floats(-50, 50) | few(st.floats(-1e9, 1e9)),
    "stronger": small_worlds,
    "weaker": small_worlds,
    "deterministic": boolean,
    "denominator": integers(1, 3),
    "output": either(0, "x", None),
    "most_hidden": integers(0, 3),
    "bits": few(integers(0, 1), 2, 2),
    "database": few(integers(0, 1), 3).map(tuple),
    "predictors": few(either(*plebiscite.DEMOGRAPHICS), 2),
    # Where a name means something else.
    "accounting.epsilons": few(epsilon),
    "adversaries.lam": plain_uncertainty | chance,
    "adversaries.size": integers(1, 5),
    "adversaries.noise": st.none() | added_noise,
    "audit.file": either(AUDITED, AUDITED, "nothing.csv"),
    "audit.counts": few(either("vote=Y", "vote=N", "sex=F", "bit"), 2, 1) | either("vote=Y", "x"),
    "audit.by": few(either("sex", "bit"), 2) | either("sex", "p"),
    "audit.tables": either((), (), ["sex", "bit"], ["sex,bit", "sex"], "sex", [["sex"], ()]),
    "audit.round_to": st.none() | integers(1, 30),
    "audit.missing": either(None, None, "NA", ["NA", "-"]),
    "audit.after": either((), (), "nothing.json", AUDITED),
    "audit.cells": boolean | either(["x"], []),
    "audit.sum_of": either(None, None, None, "bit=0..1", "bit=0..3", "sex=0..1"),
    "audit.values": either((), (), "0,1", [0, 1], "0"),
    "audit.weight": either(None, None, None, "bit", "p"),
    "audit.wave": either(None, None, None, "bit", "sex"),
    "audit.person": either(None, None, None, "p"),
    "audit.chain": either(None, None, None, "0.5,0.5,0.5", (0.5, 0.2, 0.3)),
    "audit.total": either((), (), (), "sex", "sex,bit"),
    "audit.known": st.none() | integers(0, 9) | reals(0.0, 0.9),
    "audit.lam": st.none() | uncertainty,
    "audit.probabilities": either((), (), "p", ["p"], ["p", "p"]),
    "audit.model": either((), (), (), "p"),
    "audit.household": st.none() | either("sex", "p"),
    "audit.threshold": st.none() | integers(0, 30),
    "audit.noise": st.none() | st.builds(noise.Geometric, either(0.5, 0.9, 1e-200, 1 - 2**-53)),
    "audit.epsilon": st.none() | epsilon,
    "audit.assume": either("independent", ["independent"], ()),
    "audit.alternatives": boolean,
    "rounding.base": integers(1, 30, 10**9),
    "rounding.suppressed": integers(0, 30),
    "rounding.ones": integers(0, 30),
    "attack.attacker": either("active", "passive"),
    "attack.known_probabilities": few(probability, 3) | either([0.25] * 3, []),
    "attack.noise": st.none() | st.builds(noise.Geometric, either(0.5, 0.9, 1e-200, 1 - 2**-53)),
    "attack.threshold": st.none() | integers(0, 7),
    "attack.ratio": finite_ratio,
    "attack.rounds": integers(1, 200),
    "attack.seed": integers(0, 9, 2**63 - 1),
    "background.prior": probability | few(probability),
    "background.ratio": finite_ratio,
    "background.k": integers(-9, 9, *HUGE) | few(integers(-9, 9)),
    "background.n": small,
    "privacy_blanket.step": integers(1, 3),
    "privacy_blanket.multiplicities": st.none() | few(integers(0, 9, *HUGE), 2, 2),
    "composition.target": integers(0, 1),
    "composition.knowledge": either((), "a", (0,), (1,)),
    "counting.new_users.known": integers(0, 5) | few(integers(0, 5), 3),
    "counting.eps": any_epsilon,
    "couplings.other": bits_law,
    "daily_counts.a": series,
    "daily_counts.b": series,
    "daily_counts.first": integers(0, 1),
    "daily_counts.second": integers(0, 1),
    "daily_counts.law": series_law,
    "daily_counts.laws": few(series_law, 3, 1),
    "daily_counts.target": series_law,
    "daily_counts.ratio": finite_ratio,
    "daily_counts.yes": chance,
    # Series of hundreds of records are followed for seconds.
    "daily_profiles.n": integers(2, 60),
    "daily_profiles.a": series,
    "daily_profiles.b": series,
    "daily_profiles.step": st.none() | either(0.1, 0.5, 1e-3),
    "definitions.n": small,
    "definitions.knowledge": either((), "a", (0,), (1,)),
    "definitions.width": either(F(1, 10**9), F(1, 10), 1),
    "enumeration.n": integers(1, 2),
    "enumeration.knowledge": integers(1, 2),
    "enumeration.databases": either([(0,), (1,)], [], [(0, 0), (0, 1), (1, 1)]),
    "enumeration.outputs": integers(1, 3),
    "enumeration.make_table.outputs": either({(0,): 1, (1,): 0}, {}),
    "exchange.step": either(0.1, 0.5, 1, 1e-2),
    "experiments.adversary": adversary,
    "experiments.ratio": finite_ratio,
    "experiments.delta": chance,
    "experiments.k": integers(1, 2),
    "experiments.prior": series_law,
    "experiments.other": series_law,
    "families.size": integers(1, 5),
    "families.p": chance,
    "families.correlation": chance | either(-1),
    "hypothesis_worlds.known": few(integers(1, 2), 2),
    "hypothesis_worlds.prior": series_law,
    "hypothesis_worlds.other": series_law,
    "hypotheses.law": number_law,
    "hypotheses.exchangeable.other": number_law,
    "hypotheses.ordered.other": number_law,
    "hypotheses.probabilities": few(probability, 2, 2) | few(probability),
    "hypotheses.most": st.none() | integers(0, 2),
    "kanonymity.target": label,
    "kanonymity.values": either("ab", ["a", "b"], "a"),
    "kanonymity.records": few(record_law, 3),
    "kanonymity.pair": either(*get_args(kanonymity.PairKind)),
    "kanonymity.pairs": st.none() | few(st.tuples(label, label), 2),
    "kanonymity.hidden": reals(0.0, 1.0, 1e-3, 5e-324),
    "known_values.target": st.tuples(integers(0, 1), integers(0, 1)),
    "known_values.known": few(st.tuples(integers(0, 2), integers(0, 1)), 2),
    "known_values.size": integers(0, 2) | gamma,
    # `len` says itself what it cannot take.
    "mechanisms.output_law.mechanism": mechanism.filter(lambda one: one is not len),
    "mechanisms.weights": few(chance, 3),
    "memberships.bounded": boolean,
    "memberships.records": integers(0, 9, *HUGE),
    # Below 1e-16, where 1 - λ is 1, noise fails.
    "noise.lam": plain_uncertainty,
    "release.lam": plain_uncertainty,
    "normal_bounds.group": integers(1, 4),
    "normal_bounds.step": either(1.0, 1, 0.5, 2, 1e-300, 1e300),
    "noiseless_privacy.target": st.tuples(integers(0, 1), integers(0, 1)),
    "noiseless_privacy.values": st.none() | few(integers(-2, 3), 3),
    "noiseless_privacy.others": either("given", "marginal"),
    "post_processing.first": curve,
    "post_processing.epsilons": few(epsilon, 2, 2),
    "post_processing.deltas": few(leak, 2, 2),
    "post_processing.other": fraction_law,
    "post_processing.ratio": finite_ratio,
    "posteriors.pairs": few(st.tuples(event, event), 2, 1),
    "privacy_loss.parts": few(
        st.tuples(pair.map(lambda one: privacy_loss.of_pair(one, 0.1)), integers(1, 9)),
        2,
        1,
    ),
    "privacy_loss.times": st.none() | few(integers(1, 9), 2, 1),
    "privacy_loss.step": st.none() | either(0.1, 0.5, 1e-2, 1),
    "privacy_loss.of_pair.step": either(0.1, 0.5, 1e-2, 1),
    "privacy_loss.of_profile.step": either(0.1, 0.5, 1e-2, 1),
    "privacy_loss.composed_bound.times": integers(1, 9),
    "published.first": finite_ratio | chance,
    "published.second": finite_ratio | chance,
    "published.figure_2.series": either(*published.FIGURE_2_SERIES),
    "published.figure_5.series": either(*get_args(published.Figure5Series)),
    "published.figure_6.series": either(*get_args(published.Figure6Series)),
    "published.theorem_3.reading": either(*published.THEOREM_3_READINGS),
    "published.theorem_5.reading": either(*get_args(published.Theorem5Reading)),
    "published.proposition_7.reading": either(*get_args(published.Proposition7Reading)),
    "sampling.target": leak,
    "sampling.step": st.none() | either(0.1, 1e-2),
    "sampling.times": st.none() | few(integers(1, 9, MANY_TIMES // 10), 2, 1),
    "sampling.weights": either([0.5, 0.5], [1.0, 0.0], [0.25, 0.75]),
    "published.averaging.weights": either([0.5, 0.5], [1.0, 0.0], [0.25, 0.75]),
    "sampling.epsilons": few(any_epsilon, 2, 2),
    "smoothing.step": either(1.0, 1, 0.5, 2, 1e-300),
    "suppressed_tables.k": integers(1, 20),
    "synergy.most": integers(0, 20),
    "synergy.m": integers(0, 20),
    "thresholding.eps": any_epsilon,
    "weekly_wages.n": integers(2, 30),
    "weekly_wages.a": either(0, 100, 300, 520, -10, 10**6),
    "weekly_wages.b": either(0, 100, 310, 520, 10**5),
    "worlds.probabilities": few(chance, 3),
    "worlds.n": small,
    "worlds.groups": integers(1, 3),
    "worlds.laws": few(fraction_law, 3),
    "worlds.values": few(either(0, "a", None, (1, "b"), HALF), 3),
    "worlds.worlds": few(small_worlds, 2),
    "worlds.weights": either([HALF, HALF], [1], [1, 0]),
    "worlds.name": st.just("worlds"),
    "worlds.knowledge": st.just(()) | few(integers(0, 2), 2),
    "decisions.p": uncertainty,
    "microdata.columns": few(either("age", "sex", "educ"), 2),
}


def strategy_of(module, function, parameter):
    """Return the strategy of a parameter, that of its function before that of its module."""
    module = module.rpartition(".")[2]
    for name in (f"{module}.{function}.{parameter}", f"{module}.{parameter}", parameter):
        if name in NAMED:
            return NAMED[name]
    raise LookupError(f"{module}.{function}: tests/fuzz/arguments.py has no {parameter!r}")
