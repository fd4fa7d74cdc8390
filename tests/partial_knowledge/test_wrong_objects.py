"""What is given an object of the wrong kind says which argument it was, and what it must be."""

import numpy as np
import pytest

from pkdp import (
    accounting,
    composition,
    counting,
    daily_counts,
    daily_profiles,
    exchange,
    kanonymity,
    noise,
    post_processing,
    privacy_loss,
)
from pkdp.profiles import Pair
from pkdp.profiles.laws import binomial
from pkdp.worlds import bits

LAW = binomial(3, 0.5)
PAIR = counting.pair([0.5] * 3)
PROFILE = PAIR.profile()
CHAIN = daily_profiles.MarkovChain.stationary(0.5, 0.5)
LOSSES = privacy_loss.of_pair(PAIR, 0.1)
WORLD = bits([0, 1])

# What is called with one argument missing, its name, and what it is.
CALLS = [
    (lambda x: accounting.renyi(x, 3), "pair", "pair"),
    (lambda x: accounting.renyi_divergence(x, 2.0), "pair", "pair"),
    (lambda x: accounting.simple(x, 3), "profile", "profile"),
    (lambda x: composition.product_delta(WORLD, x, 2), "mechanisms", "list"),
    (lambda x: composition.product_delta(WORLD, [sum], 2, x), "targets", "targets"),
    (lambda x: daily_counts.count_dependency(x, (0, 0), (1, 1)), "laws", "list"),
    (lambda x: daily_counts.questions(x, (0,), (1,)), "laws", "list"),
    (lambda x: daily_counts.daily_law({0: 1}, x, days=2), "transitions", "list"),
    (lambda x: daily_profiles.exact(9, x, (0,), (1,), step=0.1), "chain", "chain"),
    (lambda x: daily_profiles.gaussian_limit(9, x, (0,), (1,)), "chain", "chain"),
    (lambda x: daily_profiles.moment_bound(9, x, (0,), (1,)), "chain", "chain"),
    (lambda x: exchange.to_pld(x), "pair", "pair"),
    (lambda x: kanonymity.worst_delta([], "a", k=1, ratio=1, pairs=x), "pairs", "targets"),
    (lambda x: noise.add(x, noise.Geometric(0.5)), "pair", "pair"),
    (lambda x: noise.add(PAIR, x), "noise", "noise"),
    (lambda x: noise.blanket(9, 0.1, noise=x), "noise", "noise"),
    (lambda x: noise.worst_case(9, 0.1, noise=x), "noise", "noise"),
    (lambda x: noise.worst_vertex(9, 0.1, noise=x, eps=1.0), "noise", "noise"),
    (lambda x: Pair(x, LAW), "P", "law"),
    (lambda x: post_processing.chained(PROFILE, x), "channels", "profile"),
    (lambda x: post_processing.of_guarantees(x, [0.1]), "epsilons", "list"),
    (lambda x: post_processing.of_guarantees([0.1], x), "deltas", "list"),
    (lambda x: post_processing.pure(x), "epsilons", "list"),
    (lambda x: privacy_loss.bracket(x), "pairs", "list"),
    (lambda x: privacy_loss.bracket([x]), "pairs", "pair"),
    (lambda x: privacy_loss.bracket([PAIR], x), "times", "targets"),
    (lambda x: privacy_loss.compose(x), "parts", "list"),
    (lambda x: privacy_loss.compose([x]), "parts", "part"),
    (lambda x: privacy_loss.compose([(x, 2)]), "parts", "losses"),
    (lambda x: privacy_loss.composed_bound(x, 3), "profile", "profile or pair"),
    (lambda x: privacy_loss.of_pair(x, 0.1), "pair", "pair"),
    (lambda x: privacy_loss.of_profile(x, 0.1, largest=1.0), "profile", "profile"),
]
EACH = {"law": LAW, "pair": PAIR, "profile": PROFILE, "chain": CHAIN, "losses": LOSSES}
WRONG = [*EACH.items(), ("nothing", None), ("text", "x"), ("number", 0.5), ("array", np.array(1.0))]


@pytest.mark.parametrize(
    ("call", "name", "value"),
    [
        pytest.param(call, name, value, id=f"{index}-{name}-{kind}")
        for index, (call, name, wanted) in enumerate(CALLS)
        for kind, value in WRONG
        if kind not in wanted.split(" or ")
        # None stands for all targets; a 0-dimensional array is iterable by its type.
        and not (wanted == "targets" and value is None)
        and not (wanted in ("list", "targets") and kind == "array")
    ],
)
def test_an_object_of_the_wrong_kind_is_refused_by_name(call, name, value):
    with pytest.raises((TypeError, ValueError), match=rf"^{name}\b.* must "):
        call(value)
