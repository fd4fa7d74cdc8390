"""Membership knowledge is partial knowledge: secrets, known memberships, conclusions."""

import itertools
import math
from collections import Counter
from fractions import Fraction as F
from random import Random

import pytest

from pkdp import experiments, figures, hypotheses
from pkdp.databases import hypothesis_worlds
from pkdp.figures.databases import known_memberships
from pkdp.partial_knowledge.posteriors import posterior_ratio, pufferfish_ratio
from pkdp.worlds import World
from pkdp.worlds.definitions import apk_delta, np_ratio, ppk_delta
from tests.oracles import hypotheses as oracle

pytestmark = pytest.mark.page

SECRETS = [(lambda database: database[0] == 0, lambda database: database[0] == 1)]
RATIOS = (F(1), F(3, 2), F(5))


def drawn(seed, most=3, *, leaks=True):
    """Draw k mechanisms' guarantees and two hypotheses."""
    draws = Random(seed)
    k = draws.randint(1, most)
    ratios, deltas = zip(*oracle.guarantees(draws, k), strict=True)
    pair = oracle.random_prior(draws, k), oracle.random_prior(draws, k)
    return draws, k, ratios, deltas if leaks else (0,) * k, *pair


def marginal(prior, places):
    law = Counter()
    for bits, weight in prior.items():
        law[tuple(bits[i] for i in places)] += weight
    return dict(law)


def rest(law, k, known):
    """Leave the bits at known places out of all vectors."""
    others = [i for i in range(k) if i not in known]
    return marginal(law, others)


def agreeing(draws, k, known):
    """Draw two hypotheses that give the bits at these places the same law."""
    prior = {}, {}
    for c, weight in oracle.random_prior(draws, len(known)).items():
        fixed = dict(zip(known, c, strict=True))
        for law in prior:
            others = oracle.random_prior(draws, k - len(known)) if k > len(known) else {(): F(1)}
            for left, mass in others.items():
                free = iter(left)
                bits = tuple(fixed[i] if i in fixed else next(free) for i in range(k))
                law[bits] = weight * mass
    return prior


def composed(ratios, deltas, ratio):
    """Optimal composition: all bits 1 against all bits 0."""
    k = len(ratios)
    return oracle.one_way({(1,) * k: 1}, {(0,) * k: 1}, ratios, deltas, ratio)


def active_and_passive(prior, other, ratios, deltas, known, ratio):
    """From the conditional hypotheses and the other mechanisms, one direction after the other."""
    k = len(ratios)
    free = [i for i in range(k) if i not in known]
    first, second = marginal(prior, known), marginal(other, known)
    active, passive = [], [F(0), F(0)]
    for c in first.keys() & second.keys():
        told = dict(zip(known, c, strict=True))
        pair = [rest(oracle.conditioned(law, told), k, known) for law in (prior, other)]
        guarantees = [ratios[i] for i in free], [deltas[i] for i in free]
        for way, (one, two, weight) in enumerate(((*pair, first[c]), (*pair[::-1], second[c]))):
            found = oracle.one_way(one, two, *guarantees, ratio)
            active.append(found)
            passive[way] += weight * found
    return max(active, default=F(0)), max(passive)


# Hypotheses are secrets


@pytest.mark.parametrize("seed", range(40))
def test_hypotheses_are_secrets_of_a_world(seed):
    # Any attacker of the experiment, adaptive ones too; any chance of the hypotheses.
    draws, _, ratios, deltas, prior, other = drawn(seed)
    adversary = oracle.random_adversary(draws, ratios, deltas, outputs=2)
    world = hypothesis_worlds.world(prior, other, chance=F(draws.randint(1, 8), 9))

    def mechanism(database):
        return oracle.played(adversary, database[1:])

    for ratio in RATIOS:
        expected = max(
            oracle.played_one_way(adversary, prior, other, ratio),
            oracle.played_one_way(adversary, other, prior, ratio),
        )
        assert apk_delta(world, mechanism, ratio, [0]) == expected
        assert ppk_delta(world, mechanism, ratio, [0]) == expected
    views = [
        oracle.mixture((w, oracle.played(adversary, bits)) for bits, w in law.items())
        for law in (prior, other)
    ]
    expected = max(oracle.likelihood_ratio(*views), oracle.likelihood_ratio(*views[::-1]))
    assert np_ratio(world, mechanism, [0]) == expected
    assert pufferfish_ratio(world, mechanism, SECRETS) == expected


@pytest.mark.parametrize("seed", range(20))
def test_the_experiment_of_the_library_plays_the_same_game(seed):
    _, _, ratios, deltas, prior, other = drawn(seed, 2)
    asked = [experiments.leaky_response(*one) for one in zip(ratios, deltas, strict=True)]
    strategy = experiments.make_planned(asked)
    world = hypothesis_worlds.world(prior, other)
    for ratio in RATIOS:
        found = experiments.hypothesis_delta(strategy, prior, other, ratio)
        assert found == oracle.delta(prior, other, ratios, deltas, ratio)
        law = apk_delta(world, lambda d: experiments.view_law(strategy, d[1:]), ratio, [0])
        assert law == found


@pytest.mark.parametrize("seed", range(20))
def test_one_engine_serves_all(seed):
    _, _, ratios, deltas, prior, other = drawn(seed)
    epsilons, leaks = [math.log(ratio) for ratio in ratios], [float(delta) for delta in deltas]
    profile = hypotheses.pair(prior, other, epsilons, leaks).profile()
    world = hypothesis_worlds.world(prior, other)
    for ratio in RATIOS:
        exact = apk_delta(world, lambda d: oracle.view(d[1:], ratios, deltas), ratio, [0])
        assert profile.delta(math.log(ratio)) == pytest.approx(float(exact), rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("seed", range(30))
def test_a_set_of_pairs_is_a_family(seed):
    draws, k, ratios, deltas, *pair = drawn(seed, 2)
    pairs = [pair, (oracle.random_prior(draws, k), oracle.random_prior(draws, k))]
    worlds = [hypothesis_worlds.world(*one) for one in pairs]
    found = apk_delta(worlds, lambda d: oracle.view(d[1:], ratios, deltas), 2, [0])
    assert found == max(oracle.delta(*one, ratios, deltas, 2) for one in pairs)


@pytest.mark.parametrize("seed", range(40))
def test_hypotheses_that_exclude_each_other_need_no_hidden_record(seed):
    # Secrets about the bits alone: whether they are in the support of the one or of the other.
    draws, k, ratios, deltas, law, _ = drawn(seed)
    chosen = {bits for bits in law if draws.random() < 0.5}
    if not 0 < len(chosen) < len(law):
        return
    parts = [
        oracle.normalized({b: w for b, w in law.items() if (b in chosen) == side})
        for side in (1, 0)
    ]

    world = World({(bits, ()): mass for bits, mass in law.items()}, (0, 1))
    for ratio in RATIOS:
        found = apk_delta(
            world, lambda d: oracle.view(d, ratios, deltas), ratio, [lambda d: d in chosen]
        )
        assert found == oracle.delta(*parts, ratios, deltas, ratio)
    silent = [0] * k
    told = [(lambda d: d in chosen, lambda d: d not in chosen)]
    found = pufferfish_ratio(world, lambda d: oracle.view(d, ratios, silent), told)
    assert found == oracle.least_ratio(*parts, ratios)


@pytest.mark.parametrize("seed", range(20))
def test_without_leaks_it_bounds_how_the_odds_change_whatever_the_chance(seed):
    _, _, ratios, deltas, prior, other = drawn(seed, 2, leaks=False)
    expected = oracle.least_ratio(prior, other, ratios)
    views = [oracle.seen(law, ratios, deltas) for law in (prior, other)]
    for chance in (F(1, 10**6), F(1, 3), F(999, 1000)):
        odds = chance / (1 - chance)
        changes = []
        for output in views[0].keys() | views[1].keys():
            first, second = chance * views[0][output], (1 - chance) * views[1][output]
            changes.append(first / second / odds)
        assert max(*changes, *(1 / x for x in changes)) == expected
        world = hypothesis_worlds.world(prior, other, chance=chance)
        found = posterior_ratio(world, lambda d: oracle.view(d[1:], ratios, deltas), [0])
        assert found <= expected


# Knowing some memberships


@pytest.mark.parametrize("seed", range(40))
def test_known_memberships_leave_the_other_databases(seed):
    draws, k, ratios, deltas, prior, other = drawn(seed)
    known = sorted(draws.sample(range(k), draws.randint(0, k)))
    world = hypothesis_worlds.world(prior, other, known=[i + 1 for i in known])

    def mechanism(database):
        return oracle.view(database[1:], ratios, deltas)

    for ratio in RATIOS:
        active, passive = active_and_passive(prior, other, ratios, deltas, known, ratio)
        assert apk_delta(world, mechanism, ratio, [0]) == active
        free = [i for i in range(k) if i not in known]
        assert active <= composed([ratios[i] for i in free], [deltas[i] for i in free], ratio)
        if marginal(prior, known).keys() == marginal(other, known).keys():
            assert ppk_delta(world, mechanism, ratio, [0]) == passive <= active


@pytest.mark.parametrize("seed", range(40))
def test_with_adaptive_mechanisms_known_databases_cost_nothing_either(seed):
    # Who knows a bit can draw that database's reply herself, whatever the mechanism is.
    draws, k, ratios, deltas, prior, other = drawn(seed)
    known = sorted(draws.sample(range(k), draws.randint(0, k)))
    adversary = oracle.random_adversary(draws, ratios, deltas, outputs=2)
    world = hypothesis_worlds.world(prior, other, known=[i + 1 for i in known])
    free = [i for i in range(k) if i not in known]
    for ratio in RATIOS:
        found = apk_delta(world, lambda d: oracle.played(adversary, d[1:]), ratio, [0])
        assert found <= composed([ratios[i] for i in free], [deltas[i] for i in free], ratio)


@pytest.mark.parametrize("seed", range(40))
def test_where_hypotheses_agree_knowledge_only_helps_the_attacker(seed):
    draws = Random(seed)
    k = draws.randint(1, 4)
    ratios, deltas = zip(*oracle.guarantees(draws, k), strict=True)
    most = sorted(draws.sample(range(k), draws.randint(0, k)))
    prior, other = agreeing(draws, k, most)
    for ratio in (F(1), F(2)):
        last = (F(0), F(0))
        for size in range(len(most) + 1):
            found = active_and_passive(prior, other, ratios, deltas, most[:size], ratio)
            assert found[1] <= found[0]
            assert all(a <= b for a, b in zip(last, found, strict=True))
            if not size:
                assert set(found) == {oracle.delta(prior, other, ratios, deltas, ratio)}
            last = found


@pytest.mark.parametrize("seed", range(40))
def test_of_independent_memberships_the_known_ones_drop_out(seed):
    draws = Random(seed)
    k = draws.randint(1, 4)
    ratios, deltas = zip(*oracle.guarantees(draws, k), strict=True)
    chances = [[F(draws.randint(1, 5), 6) for _ in range(k)] for _ in range(2)]
    prior, other = map(oracle.independent, chances)
    before = None
    for size in range(k + 1):
        active, passive = active_and_passive(prior, other, ratios, deltas, range(size), 2)
        left = [oracle.independent(one[size:]) for one in chances]
        assert active == passive == oracle.delta(*left, ratios[size:], deltas[size:], 2)
        assert before is None or active <= before
        before = active


def test_knowledge_may_help_or_hinder():
    # Known memberships that point to the secret leave less to tell; those that go with it more.
    ill, rule = known_memberships.illness(), known_memberships.rule()
    found = {}
    for name, pair in (("illness", ill), ("rule", rule)):
        found[name] = [
            apk_delta(
                hypothesis_worlds.world(*pair, known=known), known_memberships.replies, 1, [0]
            )
            for known in ((), (1, 2))
        ]
    assert found["illness"][1] < found["illness"][0]
    assert found["rule"][0] < found["rule"][1]


@pytest.mark.parametrize("seed", range(40))
def test_to_count_the_knowledge_is_to_leak_it(seed):
    draws, k, ratios, deltas, prior, other = drawn(seed)
    known = draws.sample(range(k), draws.randint(0, k))
    leaking = [1 if i in known else delta for i, delta in enumerate(deltas)]

    def shown(database):
        law = oracle.view(database[1:], ratios, deltas)
        return {(reply, *(database[i + 1] for i in known)): mass for reply, mass in law.items()}

    world = hypothesis_worlds.world(prior, other)
    for ratio in RATIOS:
        together = oracle.delta(prior, other, ratios, leaking, ratio)
        assert apk_delta(world, shown, ratio, [0]) == together
        assert oracle.delta(prior, other, ratios, deltas, ratio) <= together


@pytest.mark.parametrize("seed", range(40))
def test_what_is_not_known_costs_at_most_what_is_known_and_its_odds(seed):
    draws, k, ratios, deltas, prior, other = drawn(seed)
    known = sorted(draws.sample(range(k), draws.randint(0, k)))
    first, second = marginal(prior, known), marginal(other, known)
    if first.keys() != second.keys():
        return
    odds = max(max(first[c] / second[c], second[c] / first[c]) for c in first)
    free = [i for i in range(k) if i not in known]
    for ratio in RATIOS:
        found = oracle.delta(prior, other, ratios, deltas, ratio * odds)
        _, passive = active_and_passive(prior, other, ratios, deltas, known, ratio)
        assert found <= passive
        assert passive <= composed([ratios[i] for i in free], [deltas[i] for i in free], ratio)


# What hypotheses agree on


@pytest.mark.parametrize("seed", range(40))
def test_what_hypotheses_agree_on_costs_nothing(seed):
    draws = Random(seed)
    k = draws.randint(1, 4)
    ratios, deltas = zip(*oracle.guarantees(draws, k), strict=True)
    known = sorted(draws.sample(range(k), draws.randint(0, k)))
    prior, other = agreeing(draws, k, known)
    free = [i for i in range(k) if i not in known]
    for ratio in RATIOS:
        found = oracle.delta(prior, other, ratios, deltas, ratio)
        assert found <= composed([ratios[i] for i in free], [deltas[i] for i in free], ratio)


def test_a_database_that_hypotheses_agree_on_can_matter():
    same = {(0, 0): F(1, 2), (1, 1): F(1, 2)}
    unrelated = {bits: F(1, 4) for bits in itertools.product((0, 1), repeat=2)}
    assert marginal(same, [0]) == marginal(unrelated, [0])
    for ratio, leak, delta in ((1, 0, 0), (3, 0, F(1, 8)), (3, 1, F(1, 4))):
        assert oracle.one_way(same, unrelated, (ratio, 3), (leak, 0), 1) == delta


@pytest.mark.parametrize(("k", "eps"), [(2, 0.240), (3, 0.495), (5, 1.213), (8, 2.346)])
def test_more_databases_may_tell_more_of_a_relation_of_all(k, eps):
    same = {(0,) * k: F(1, 2), (1,) * k: F(1, 2)}
    unrelated = {bits: F(1, 2**k) for bits in itertools.product((0, 1), repeat=k)}
    found = hypotheses.pair(same, unrelated, [1.0] * k).profile().epsilon(0)
    assert found == pytest.approx(eps, abs=5e-4)
    # By hand: all answers alike, e^ε of randomized response being e.
    ends = (math.e**k + 1) * 2 ** (k - 1) / (math.e + 1) ** k
    middle = (math.e + 1) ** k / (2 ** (k - 1) * (math.e ** (k // 2) + math.e ** -(-k // 2)))
    assert found == pytest.approx(math.log(max(ends, middle)))


def test_there_is_no_better_bound_for_one_set_of_databases():
    # In the known database for sure, in both others or in none of them.
    ratios, deltas = [F(9), F(2), F(3)], [F(1, 2), 0, F(1, 4)]
    for ratio in RATIOS:
        found = oracle.delta({(1, 1, 1): 1}, {(1, 0, 0): 1}, ratios, deltas, ratio)
        assert found == composed(ratios[1:], deltas[1:], ratio)


def halves(k):
    return [
        oracle.normalized({bits: 1 for bits in oracle.vectors(k) if sum(bits) % 2 == odd})
        for odd in (0, 1)
    ]


@pytest.mark.parametrize("seed", range(40))
def test_hypotheses_that_differ_in_nothing_but_a_parity(seed):
    draws = Random(seed)
    k = draws.randint(2, 4)
    ratios, deltas = zip(*oracle.guarantees(draws, k), strict=True)
    common = oracle.random_prior(draws, k)
    part = F(draws.randint(1, 6), 6)
    even, odd = halves(k)
    pair = [oracle.mixture([(part, half), (1 - part, common)]) for half in (even, odd)]
    # They agree on every k - 1 memberships.
    for left in range(k):
        places = [i for i in range(k) if i != left]
        assert marginal(pair[0], places) == marginal(pair[1], places)
    for ratio in RATIOS:
        found = oracle.delta(*pair, ratios, deltas, ratio)
        assert found <= part * oracle.delta(even, odd, ratios, deltas, ratio)


def test_hypotheses_that_agree_on_all_memberships_but_one_are_such_a_mixture():
    # All pairs of priors on two or three databases, with weights in eighths or in quarters.
    def priors(k, total):
        cells = oracle.vectors(k)
        for cuts in itertools.combinations(range(total + len(cells) - 1), len(cells) - 1):
            ends = (-1, *cuts, total + len(cells) - 1)
            yield tuple(b - a - 1 for a, b in itertools.pairwise(ends))

    found = 0
    for k, total in ((2, 8), (3, 4)):
        cells = oracle.vectors(k)
        by_marginals = {}
        for weights in priors(k, total):
            law = dict(zip(cells, weights, strict=True))
            key = tuple(
                tuple(sorted(marginal(law, [i for i in range(k) if i != left]).items()))
                for left in range(k)
            )
            by_marginals.setdefault(key, []).append(law)
        for group in by_marginals.values():
            for p, q in itertools.combinations(group, 2):
                gaps = {(p[b] - q[b]) * (-1) ** sum(b) for b in cells}
                assert len(gaps) == 1
                found += 1
    assert found > 50


def test_two_databases_tell_less_of_a_relation_than_either_of_its_own():
    # Exactly, for ε = ln 3: in both or in none against in one of them, 5/3; each alone 3.
    even, odd = halves(2)
    assert oracle.least_ratio(even, odd, [3, 3]) == F(5, 3)
    related = {(0, 0): F(9, 10), (1, 1): F(1, 10)}
    unrelated = oracle.independent([F(1, 10)] * 2)
    assert oracle.least_ratio(related, unrelated, [3, 3]) <= F(5, 3)


# Where the likeness ends


def count(n):
    return {j: F(math.comb(n, j), 2**n) for j in range(n + 1)}


def exact_counts(bits, n, *, shared):
    """Counts without noise of n fair coins, and of the target's bit: of the same people or not."""
    law = {(): F(1)}
    if shared:
        return {tuple(j + bit for bit in bits): mass for j, mass in count(n).items()}
    for bit in bits:
        law = {(*seen, j + bit): p * q for seen, p in law.items() for j, q in count(n).items()}
    return law


@pytest.mark.parametrize("n", [1, 4, 10])
def test_people_whom_the_databases_share_undo_theorem_1(n):
    def cost(b, c, *, shared, ratio):
        views = [exact_counts(bits, n, shared=shared) for bits in (b, c)]
        return max(oracle.hockey_stick(*views, ratio), oracle.hockey_stick(*views[::-1], ratio))

    one = [{(j + bit,): mass for j, mass in count(n).items()} for bit in (1, 0)]
    for ratio in (1, 2):
        single = max(oracle.hockey_stick(*one, ratio), oracle.hockey_stick(*one[::-1], ratio))
        all_or_none = cost((1, 1), (0, 0), shared=True, ratio=ratio)
        assert all_or_none == single < 1
        assert cost((1, 0), (0, 1), shared=True, ratio=ratio) == 1
        # With people of their own the worst case is that of the classic experiment again.
        apart = cost((1, 1), (0, 0), shared=False, ratio=ratio)
        assert apart == cost((1, 0), (0, 1), shared=False, ratio=ratio)
        assert (
            max(
                cost(b, c, shared=False, ratio=ratio)
                for b in oracle.vectors(2)
                for c in oracle.vectors(2)
            )
            == apart
        )


def test_counts_without_noise_cost_one_sixteenth_or_everything():
    views = {bits: exact_counts(bits, 10, shared=True) for bits in oracle.vectors(2)}
    assert oracle.hockey_stick(views[1, 1], views[0, 0], 2) == F(1, 16)
    assert not views[1, 0].keys() & views[0, 1].keys()


# Conclusions of the paper


def test_one_bit_cannot_express_somewhere_against_nowhere():
    # Two databases, ε = ln 3. Any two vectors have the ratios 1, 3 and 9; Algorithm 1 has 9.
    some = {bits: F(1, 3) for bits in oracle.vectors(2) if any(bits)}
    vectors = [{bits: 1} for bits in oracle.vectors(2)]
    ratios = {oracle.least_ratio(b, c, [3, 3]) for b in vectors for c in vectors}
    assert ratios == {1, 3, 9}
    assert oracle.least_ratio(some, {(0, 0): 1}, [3, 3]) == 5


@pytest.mark.parametrize("seed", range(40))
def test_no_hypotheses_cost_more_than_all_against_none(seed):
    _, _, ratios, deltas, prior, other = drawn(seed)
    for ratio in RATIOS:
        found = oracle.delta(prior, other, ratios, deltas, ratio)
        assert found <= composed(ratios, deltas, ratio)


@pytest.mark.parametrize("seed", range(30))
def test_nor_does_any_attacker_who_adapts(seed):
    # For a fixed attacker, too, vectors are the worst hypotheses, and the classic bound holds.
    draws, _, ratios, deltas, prior, other = drawn(seed)
    adversary = oracle.random_adversary(draws, ratios, deltas, outputs=2)
    for ratio in RATIOS:
        found = oracle.played_one_way(adversary, prior, other, ratio)
        worst = max(
            oracle.played_one_way(adversary, {b: 1}, {c: 1}, ratio) for b in prior for c in other
        )
        assert found <= worst <= composed(ratios, deltas, ratio)


def test_who_can_be_in_few_databases_loses_less():
    # At most two of four, ε = ln 2: 4 against nobody, where four databases have 16.
    few = [bits for bits in oracle.vectors(4) if sum(bits) <= 2]
    nobody = {(0,) * 4: 1}
    assert max(oracle.least_ratio({bits: 1}, nobody, [2] * 4) for bits in few) == 4
    assert oracle.least_ratio({(1,) * 4: 1}, nobody, [2] * 4) == 16
    for seed in range(20):
        draws = Random(seed)
        prior = oracle.normalized({bits: draws.randint(0, 5) + (bits == few[0]) for bits in few})
        assert oracle.least_ratio(prior, nobody, [2] * 4) <= 4


def test_who_knows_less_learns_less():
    # Somewhere against nowhere, ε = ln 3: the worst ratio falls from 3^k to one of an average.
    for k in (1, 2, 3):
        some = oracle.normalized({bits: int(any(bits)) for bits in oracle.vectors(k)})
        found = oracle.least_ratio(some, {(0,) * k: 1}, [3] * k)
        assert found == F(4**k - 1, 2**k - 1)
        assert found < 3**k or k == 1


@pytest.mark.parametrize("seed", range(20))
def test_not_to_know_is_to_see_subsamples(seed):
    # Memberships on coins of their own: each reply is that of a mechanism on a subsample.
    draws, k, ratios, deltas, *_ = drawn(seed)
    rates = [F(draws.randint(0, 6), 6) for _ in range(k)]
    law = {(): F(1)}
    for rate, ratio, delta in zip(rates, ratios, deltas, strict=True):
        sampled = oracle.mixture(
            [(rate, oracle.reply(1, ratio, delta)), (1 - rate, oracle.reply(0, ratio, delta))]
        )
        law = {(*seen, o): p * q for seen, p in law.items() for o, q in sampled.items()}
    assert law == oracle.seen(oracle.independent(rates), ratios, deltas)


# The figure and its texts


def test_the_figure_shows_what_its_text_says():
    table = figures.table("databases/known-memberships")
    found = {
        (panel, series): [
            round(float(y), 3)
            for p, s, y in zip(table["panel"], table["series"], table["y"], strict=True)
            if (p, s) == (panel, series)
        ]
        for panel in ("illness", "rule")
        for series in ("active", "passive", "together")
    }
    assert found["illness", "active"] == [0.191, 0.176, 0.136, 0.13, 0.1, 0.0]
    assert found["illness", "together"] == [0.191, 0.254, 0.329, 0.386, 0.416, 0.422]
    assert found["rule", "active"] == [0.256, 0.344, 0.5, 0.5, 0.5]
    assert found["rule", "passive"] == [0.256, 0.305, 0.345, 0.395, 0.5]


def test_the_figure_by_the_oracle():
    k, deltas = known_memberships.K, [0] * known_memberships.K
    ratios = [known_memberships.RATIO] * k
    table = figures.table("databases/known-memberships")
    rows = zip(table["panel"], table["series"], table["x"], table["y"], strict=True)
    pairs = {"illness": known_memberships.illness(), "rule": known_memberships.rule()}
    for panel, series, x, y in rows:
        if series == "together":
            leaks = [1] * int(x) + [0] * (k - int(x))
            expected = oracle.delta(*pairs[panel], ratios, leaks, 1)
        else:
            both = active_and_passive(*pairs[panel], ratios, deltas, range(int(x)), 1)
            expected = both[series == "passive"]
        assert float(y) == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize(("k", "parity", "exact"), [(3, 0.198, 0.495), (10, 0.00089, 3.106)])
def test_agreement_on_each_database_may_cost_more_than_parity(k, parity, exact):
    together = {(bit,) * k: F(1, 2) for bit in (0, 1)}
    apart = {b: F(1, 2**k) for b in itertools.product((0, 1), repeat=k)}
    assert all(marginal(together, [i]) == marginal(apart, [i]) for i in range(k))
    assert hypothesis_worlds.parity([1.0] * k).epsilon(0) == pytest.approx(parity, rel=5e-3)
    found = hypotheses.pair(together, apart, [1.0] * k).profile().epsilon(0)
    assert found == pytest.approx(exact, abs=5e-4)
