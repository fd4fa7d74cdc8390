"""k-anonymity: whole databases in exact rationals, and searches through all worlds of some size.

The searches are exhaustive: delta is convex in each record's law, so that the worst world has every
record at a vertex of its polytope, and all multisets of vertices are tried. They therefore hold for
all laws with the given bounds, not only for those on a grid.
"""

import math
from fractions import Fraction
from itertools import permutations, product

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from pkdp import counting, kanonymity
from pkdp.profiles.thresholds import log_worst
from pkdp.worlds import independent
from pkdp.worlds.definitions import ppk_delta
from tests.oracles import counts as oracles
from tests.oracles import kanonymity as brute

F = Fraction
RATIOS = [F(1), F(11, 10), F(3, 2), F(2), F(4), F(10)]

ratios = st.sampled_from(RATIOS)
lams = st.sampled_from([F(1, 20), F(1, 8), F(1, 5), F(1, 4), F(1, 3), F(1, 2)])
databases = st.lists(st.sampled_from("abcx"), max_size=8).map(tuple)


@st.composite
def record_laws(draw, values="abx"):
    """The law of a record, in twelfths; what is missing to 1 is absence."""
    left, law = 12, {}
    for value in values:
        law[value] = F(draw(st.integers(0, left)), 12)
        left -= int(12 * law[value])
    return law


def completed(law):
    """The same law, with absence spelt out."""
    return {value: p for value, p in {**law, None: 1 - sum(law.values())}.items() if p}


# --------------------------------------------------------------------------------------------
# Mechanisms
# --------------------------------------------------------------------------------------------


@given(databases, st.integers(1, 5))
def test_the_truncated_histogram_counts_and_suppresses(database, k):
    assert kanonymity.make_truncated_histogram("abc", k=k)(database) == brute.truncated_tally(
        "abc", k
    )(database)
    assert kanonymity.make_truncated_histogram(["c"], k=k)(database) == (
        (database.count("c"),) if database.count("c") >= k else (None,)
    )


@given(databases, st.integers(1, 4))
def test_a_fixed_generalization_comes_first(database, k):
    # "x" has no value: such records are ignored, as if absent.
    coarse = {"a": "vowel", "b": "consonant", "c": "consonant"}
    released = kanonymity.make_truncated_histogram(
        ["vowel", "consonant"], k=k, generalization=coarse
    )(database)
    assert released == brute.truncated_tally(["vowel", "consonant"], k, coarse)(database)
    consonants = len([record for record in database if record in "bc"])
    assert released[1] == (consonants if consonants >= k else None)


@given(databases, st.integers(1, 4))
def test_the_minimal_generalization_is_the_first_that_suppresses_nothing(database, k):
    levels = [{v: v for v in "abc"}, {"a": "ab", "b": "ab", "c": "c"}, dict.fromkeys("abc", "any")]
    index, shown = kanonymity.make_minimal_generalization(levels, k=k)(database)
    assert (index, dict(shown)) == brute.least_general(levels, k, database)
    assert list(shown) == sorted(shown)


def test_the_last_level_is_truncated_if_all_else_fails():
    levels = [{1: "one", 2: "two"}, {1: "one", 2: "any"}]
    assert kanonymity.make_minimal_generalization(levels, k=2)((1, 2, 2)) == (1, (("any", 2),))
    assert kanonymity.make_minimal_generalization(levels, k=2)(()) == (0, ())


# --------------------------------------------------------------------------------------------
# Exact laws
# --------------------------------------------------------------------------------------------


@given(
    st.lists(record_laws(), max_size=4), st.integers(1, 5), st.sampled_from(["a", "b", None, "x"])
)
def test_the_joint_law_agrees_with_whole_databases(records, k, target):
    # "x" is a value that nobody counts: such a record is absent.
    law = kanonymity.joint_law(records, "ab", k=k, target=target)
    release = brute.truncated_tally("ab", k)
    assert law == oracles.release_law(target, [completed(r) for r in records], release)
    assert sum(law.values()) == 1


@given(st.lists(record_laws("ab"), min_size=1, max_size=3), st.integers(1, 4), ratios)
def test_delta_agrees_with_whole_databases(records, k, E):
    others, release = [completed(record) for record in records], brute.truncated_tally("ab", k)
    laws = {t: oracles.release_law(t, others, release) for t in ("a", "b", None)}
    deltas = {}
    for a, b in permutations(laws, 2):
        deltas[a, b] = oracles.hockey_stick(laws[a], laws[b], E)
        assert kanonymity.worst_delta(records, "ab", k=k, pairs=[(a, b)], ratio=E) == deltas[a, b]
    assert kanonymity.worst_delta(records, "ab", k=k, ratio=E) == max(deltas.values())
    some = [("a", "b"), (None, "a")]
    assert kanonymity.worst_delta(records, "ab", k=k, ratio=E, pairs=some) == max(
        deltas[p] for p in some
    )


def test_an_infinite_ratio_asks_for_impossible_outputs():
    records = [{"a": F(1, 3), "b": F(1, 3)}] * 2
    # The count of "a" is 3 with probability 1/9 if the target is an "a", and never otherwise.
    assert kanonymity.worst_delta(records, "ab", k=2, pairs=[("a", None)], ratio=math.inf) == F(
        1, 9
    )
    assert kanonymity.worst_delta(records, "ab", k=2, pairs=[("a", None)], ratio=10**9) == F(1, 9)
    assert kanonymity.worst_delta(records, "ab", k=2, pairs=[(None, "a")], ratio=math.inf) == 0


def test_a_value_the_target_shares_with_nobody_is_absence():
    records = [{"a": F(1, 3)}] * 2
    assert kanonymity.worst_delta(records, "a", k=2, pairs=[("z", None)], ratio=1) == 0
    assert kanonymity.worst_delta(
        records, "a", k=2, ratio=1, pairs=[("a", "z")]
    ) == kanonymity.worst_delta(records, "a", k=2, pairs=[("a", None)], ratio=1)


# --------------------------------------------------------------------------------------------
# The corrected Theorem 5
# --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pair", kanonymity.PAIRS)
@given(N=st.integers(1, 7), lam=lams, rho=lams, k=st.integers(1, 9), eps=st.integers(0, 24))
def test_the_corrected_theorem_is_the_formula(pair, N, lam, rho, k, eps):
    eps /= 8
    kind = frozenset(("rare/common" if pair == "any" else pair).split("/"))
    truth = brute.corrected_delta(kind, N, lam, rho, k, F(math.exp(eps)))
    profile = kanonymity.theorem_5(N + 1, lam, k=k, pair=pair, rare=rho)
    assert profile.delta(eps) == pytest.approx(float(truth), rel=1e-10)
    assert profile.status == "upper bound"
    # It is rounded up (E itself was rounded, which moves delta by as much as that).
    assert profile.delta(eps) >= float(truth) * (1 - 1e-14)


def test_rho_is_lambda_unless_it_is_given():
    for pair in kanonymity.PAIRS:
        implied = kanonymity.theorem_5(50, 0.1, k=15, pair=pair)
        given_ = kanonymity.theorem_5(50, 0.1, k=15, pair=pair, rare=0.1)
        assert implied.log_delta(0.5) == given_.log_delta(0.5)


@pytest.mark.parametrize(("n", "k", "rho"), [(10**4, 300, 0.01), (10**6, 2000, 0.001)])
def test_deep_tails_agree_with_ball_arithmetic(n, k, rho):
    with ctx.workprec(oracles.PRECISION):
        rare = oracles._binomial_tail(n - 1, arb(rho), k - 1).log()
        blanket = oracles.log_delta_blanket(n - 1, 0.2, 0.5)
        both = float((rare.exp() + blanket.exp()).log())
    profile = kanonymity.theorem_5(n, 0.2, k=k, pair="rare/absent", rare=rho)
    assert profile.log_delta(0.5) == pytest.approx(float(rare), rel=2e-12)
    profile = kanonymity.theorem_5(n, 0.2, k=k, rare=rho)
    assert profile.log_delta(0.5) == pytest.approx(both, rel=2e-12)


PATTERNS = [(r, c) for r, c in product(range(4), repeat=2) if 0 < r + c <= 3]
MOST_OTHERS = {1: 5, 2: 4, 3: 3}


@pytest.mark.slow
@pytest.mark.parametrize(("rare", "common"), PATTERNS)
def test_no_world_is_worse_than_the_corrected_theorem(rare, common):
    """All worlds with up to three values: see the module's docstring."""
    kinds = ["rare"] * rare + ["common"] * common + ["absent"]
    worlds_seen = comparisons = 0
    for lam in (F(1, 10), F(1, 4), F(1, 2)):
        for rho in {lam, lam / 2, F(1, 2)} if rare else {lam}:
            laws = brute.theorem_laws(rare, common, lam, rho)
            if not laws:  # too many common values
                assert (common + 1) * lam > 1
                continue
            for N in range(1, MOST_OTHERS[rare + common] + 1):
                worlds = brute.Worlds(laws, N, rare + common)
                worlds_seen += len(worlds.members)
                bounds = {
                    (E, k, kind): brute.corrected_delta(kind, N, lam, rho, k, E)
                    for E in RATIOS
                    for k in range(1, N + 3)
                    for kind in map(frozenset, product(kinds, repeat=2))
                }
                for k in range(1, N + 3):
                    outputs = worlds.outputs(k, range(len(kinds)))
                    for (a, b), E in product(permutations(outputs, 2), RATIOS):
                        value, index = brute.largest(worlds, outputs[a], outputs[b], E)
                        bound = bounds[E, k, frozenset((kinds[a], kinds[b]))]
                        assert value <= bound, (lam, rho, N, k, E, a, b, worlds.world(index))
                        comparisons += len(worlds.members)
    print(f"{rare} rare, {common} common: {worlds_seen} worlds, {comparisons} comparisons")
    assert comparisons > 20 * worlds_seen > 0


@given(st.data())
def test_the_search_and_the_library_agree(data):
    rare, common = data.draw(st.sampled_from(PATTERNS))
    lam, N, k = F(1, 5), data.draw(st.integers(1, 3)), data.draw(st.integers(1, 4))
    worlds = brute.Worlds(brute.theorem_laws(rare, common, lam, lam), N, rare + common)
    index = data.draw(st.integers(0, len(worlds.members) - 1))
    values = range(rare + common)
    records = [brute.with_absent(values, law) for law in worlds.world(index)]
    outputs = worlds.outputs(k, range(rare + common + 1))
    for (a, b), E in product(permutations(outputs, 2), (F(1), F(3, 2))):
        found = F(int(brute.excess(outputs[a], outputs[b], E)[index]), worlds.unit * E.denominator)
        assert kanonymity.worst_delta(records, values, k=k, pairs=[(a, b)], ratio=E) == found


@given(st.data())
def test_no_other_world_is_worse_than_the_vertices(data):
    """Random laws between the bounds, each record its own: the theorem holds for them too."""
    lam, rho = data.draw(st.sampled_from([(F(1, 4), F(1, 4)), (F(1, 10), F(1, 3))]))
    rare, common = data.draw(st.sampled_from([(1, 1), (2, 0), (0, 2), (2, 1)]))
    corners = brute.theorem_laws(rare, common, lam, rho)
    N, k = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 4))
    records = []
    for _ in range(N):
        weights = data.draw(
            st.lists(st.integers(0, 5), min_size=len(corners), max_size=len(corners)).filter(any)
        )
        law = [
            sum(w * x for w, x in zip(weights, column, strict=True)) / F(sum(weights))
            for column in zip(*corners, strict=True)
        ]
        records.append(brute.with_absent(range(rare + common), law))
    kinds = {i: "rare" if i < rare else "common" for i in range(rare + common)} | {None: "absent"}
    for (a, b), E in product(permutations(kinds, 2), (F(1), F(2))):
        bound = brute.corrected_delta(frozenset((kinds[a], kinds[b])), N, lam, rho, k, E)
        assert (
            kanonymity.worst_delta(records, range(rare + common), k=k, pairs=[(a, b)], ratio=E)
            <= bound
        )


def test_rare_values_need_nobody_absent():
    """(0, delta') for two rare values, whatever the others' laws are."""
    for rho, N in product((F(1, 10), F(1, 3), F(1, 2)), range(1, 5)):
        for size in (3, 4):
            worlds = brute.Worlds(brute.rare_laws(rho, size), N, size - 1)
            for k in range(1, N + 3):
                outputs = worlds.outputs(k, (0, 1, size - 1))
                for pair in ((0, 1), (0, size - 1)):
                    value, _ = brute.largest(worlds, *(outputs[i] for i in pair), F(1))
                    assert value <= brute.tail(N, rho, k - 1)


@pytest.mark.parametrize(("N", "k"), [(9, 2), (12, 3), (14, 4)])
def test_the_bound_for_rare_values_is_attained(N, k):
    """By records that are "a" or else a common value: their count tells how many are "a"."""
    rho = F(1, 10)
    records = [{"a": rho, "z": 1 - rho}] * N
    rare = brute.tail(N, rho, k - 1)
    for other in ("b", None):
        truth = kanonymity.worst_delta(records, "abz", k=k, pairs=[("a", other)], ratio=1)
        # But for the case that the common value is suppressed, not to be seen in floats.
        assert rare - brute.tail(N, rho, N - k + 1) <= truth <= rare
        assert float(truth) == pytest.approx(float(rare), rel=1e-6)


# --------------------------------------------------------------------------------------------
# What the attacker knows
# --------------------------------------------------------------------------------------------


def test_two_rare_values_are_less_private_from_a_passive_attacker():
    """With everybody else known, each of two rare values may give the target away: 2 delta'."""
    rho, n, k = F(1, 5), 5, 4
    law = {"a": rho, "b": rho, None: 1 - 2 * rho}
    world = independent([law] * n, knowledge=range(1, n))
    truth = ppk_delta(world, kanonymity.make_truncated_histogram("ab", k=k), 1, [0])
    rare = brute.tail(n - 1, rho, k - 1)
    assert truth == 2 * rare
    told = kanonymity.theorem_5(n, rho, k=k, pair="rare/rare", known=n - 1)
    assert told.delta(0.0) == pytest.approx(float(truth), rel=1e-11)
    # The formula without knowledge is not enough.
    assert kanonymity.theorem_5(n, rho, k=k, pair="rare/rare").delta(0.0) == pytest.approx(
        float(rare)
    )


@pytest.mark.parametrize("rho", [F(1, 10), F(1, 3), F(1, 2)])
def test_passive_knowledge_of_rare_values(rho):
    laws = brute.rare_laws(rho, 3)
    for N in range(1, 4):
        for known, k in product(range(1, N + 1), range(1, N + 2)):
            rare = brute.tail(N, rho, k - 1)
            either = brute.sum_tail(N - known, rho, known, min(F(1), 2 * rho), k - 1)
            bounds = {"rare/absent": rare, "rare/rare": min(2 * rare, either)}
            for (pair, bound), b in zip(bounds.items(), (2, 1), strict=True):
                assert brute.passive_delta(laws, N, known, k, 0, b, F(1)) <= bound
                profile = kanonymity.theorem_5(N + 1, 0.1, k=k, pair=pair, known=known, rare=rho)
                assert profile.delta(1.0) == pytest.approx(float(min(1, bound)), rel=1e-10)


@pytest.mark.parametrize("rho", [F(1, 4), F(1, 10)])
def test_passive_knowledge_of_common_values(rho):
    lam, E = F(1, 4), F(3, 2)
    laws = brute.theorem_laws(1, 1, lam, rho)
    for N, known in ((1, 1), (2, 1), (2, 2), (3, 1)):
        for k in range(1, N + 2):
            blanket, rare = oracles.blanket_delta(N - known, lam, E), brute.tail(N, rho, k - 1)
            for a, b, bound in ((1, 2, blanket), (0, 1, blanket + rare)):
                assert brute.passive_delta(laws, N, known, k, a, b, E) <= bound
                pair = "common/absent" if a == 1 else "rare/common"
                told = kanonymity.theorem_5(N + 1, lam, k=k, pair=pair, known=known, rare=rho)
                assert told.delta(math.log(E)) == pytest.approx(min(1.0, float(bound)), rel=1e-10)


def test_any_pair_is_the_worst_of_all():
    # In the first, two rare values are the worst pair from some eps on.
    for arguments in (
        {"known": 40, "rare": 0.4},
        {"known": 40, "rare": 0.3},
        {"known": 0},
        {"certain": 3},
        {"known": 10},
    ):
        worst = kanonymity.theorem_5(60, 0.2, k=30, **arguments)
        others = [
            kanonymity.theorem_5(60, 0.2, k=30, pair=p, **arguments)
            for p in kanonymity.PAIRS
            if p != "any"
        ]
        for eps in (0.0, 0.5, 2.0, math.inf):
            assert worst.log_delta(eps) == max(other.log_delta(eps) for other in others)
    two, one = (
        kanonymity.theorem_5(60, 0.2, k=30, pair=pair, known=40, rare=0.4).delta(math.inf)
        for pair in ("rare/rare", "rare/common")
    )
    assert two > one


@pytest.mark.slow
@pytest.mark.parametrize("certain", [1, 2])
def test_some_records_may_have_any_law(certain):
    """Each of them at a vertex of the whole simplex: some value, for certain."""
    lam, rho = F(1, 4), F(1, 5)
    laws = brute.theorem_laws(1, 1, lam, rho)
    kinds = ["rare", "common", "absent"]
    for N in range(certain + 1, 4 + certain):
        worlds = brute.Worlds(laws, N - certain, 2)
        for k, sure in product(range(1, N + 2), brute.multisets(range(3), certain)):
            outputs = worlds.outputs(k, range(3), sure)
            for (a, b), E in product(permutations(range(3), 2), (F(1), F(3, 2), F(4))):
                kind = frozenset((kinds[a], kinds[b]))
                bound = brute.corrected_delta(kind, N - certain, lam, rho, k - certain, E)
                value, _ = brute.largest(worlds, outputs[a], outputs[b], E)
                assert value <= bound
                name = "/".join(x for x in ("rare", "common", "absent") if x in kind)
                told = kanonymity.theorem_5(N + 1, lam, k=k, pair=name, certain=certain, rare=rho)
                assert told.delta(math.log(E)) == pytest.approx(float(bound), rel=1e-10)


# --------------------------------------------------------------------------------------------
# What absence is for
# --------------------------------------------------------------------------------------------


def test_with_everybody_present_a_rare_value_shows():
    """The paper's example: nobody absent, "a" rare, "b" and "c" common."""
    small, n, k = F(1, 1000), 8, 2
    records = [{"a": small, "b": (1 - small) / 2, "c": (1 - small) / 2}] * (n - 1)
    coins = oracles.count_law([F(1, 2)] * (n - 1))
    # If all others are "b" or "c", and both are shown: their counts add up to n if the target is no
    # "a", which then is certain, and to n - 1 if it is.
    shown = (1 - small) ** (n - 1) * sum(coins[j] for j in range(k - 1, n - k))
    assert (
        kanonymity.worst_delta(records, "abc", k=k, pairs=[("b", "a")], ratio=10**6)
        >= shown
        > F(9, 10)
    )
    # The other way it is as good as certain: some other record may be an "a" as well.
    assert kanonymity.worst_delta(records, "abc", k=k, pairs=[("a", "b")], ratio=50) > F(1, 2)
    # Absences hide the total.
    absent = [{"a": small, "b": F(1, 3), "c": F(1, 3)}] * (n - 1)
    for pair in (("a", "b"), ("b", "a")):
        assert kanonymity.worst_delta(absent, "abc", k=k, ratio=4, pairs=[pair]) < F(1, 5)


HIDING = [(1, 1, 4), (2, 1, 4), (1, 2, 3), (3, 1, 2), (2, 2, 2)]


@pytest.mark.slow
@pytest.mark.parametrize(("rare", "common", "most"), HIDING)
def test_rare_values_can_hide_each_other(rare, common, most):
    size, comparisons = rare + common, 0
    for lam, rho in product((F(1, 10), F(1, 4), F(1, 3)), (F(1, 10), F(1, 3), F(1, 2))):
        for hidden in {lam, lam / 2, rho} & {h for h in (lam, lam / 2, rho) if h <= rare * rho}:
            laws = brute.hiding_laws(rare, common, lam, rho, hidden)
            for N in range(1, most + 1) if laws else ():
                worlds = brute.Worlds(laws, N, size)  # category `size` is absence: impossible
                for k in range(1, N + 2):
                    outputs = worlds.outputs(k, range(size))
                    for E in (F(1), F(3, 2), F(4)):
                        bound = oracles.blanket_delta(N, min(lam, hidden), E)
                        bound = min(F(1), bound + rare * brute.tail(N, rho, k - 1))
                        for a, b in permutations(outputs, 2):
                            value, index = brute.largest(worlds, outputs[a], outputs[b], E)
                            assert value <= bound, (lam, rho, hidden, N, k, E, worlds.world(index))
                            comparisons += len(worlds.members)
                        told = kanonymity.hidden_by_rare(
                            N + 1, lam, k=k, rare_values=rare, hidden=hidden, rare=rho
                        )
                        assert told.delta(math.log(E)) == pytest.approx(float(bound), rel=1e-10)
    assert comparisons > 1000


def test_passive_knowledge_where_rare_values_hide_each_other():
    told = kanonymity.hidden_by_rare(
        100, 0.1, k=20, rare_values=3, hidden=0.15, rare=0.05, known=30
    )
    rare = 3 * float(brute.tail(99, F(1, 20), 19))
    truth = counting.blanket(100, 0.1, known=30).delta(1.0) + rare
    assert told.delta(1.0) == pytest.approx(truth, rel=1e-10)


# --------------------------------------------------------------------------------------------
# Sampling first
# --------------------------------------------------------------------------------------------

RATES = [F(1, 10), F(1, 3), F(1, 2), F(9, 10)]


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_sampling_is_exact(k, rate):
    profile = kanonymity.sampled(k=k, rate=float(rate))
    for E in (F(1), F(5, 4), F(5, 2), F(7), F(50)):
        eps = math.log(E)
        # Enough records for the worst number in either direction.
        values = [brute.sampled_delta(k, rate, m, E) for m in range(12 * k + 20)]
        worst = max(values)
        assert max(values[-3:]) < worst or k == 1
        assert profile.delta(eps) == pytest.approx(float(worst), rel=1e-10)
        assert kanonymity.sampled_bound(k=k, rate=float(rate)).delta(eps) >= float(worst) * (
            1 - 1e-12
        )
    assert profile.status == "exact"


@given(st.integers(1, 6), st.sampled_from(RATES), st.integers(9, 60))
def test_the_bound_of_li_qardaji_and_su_is_theirs(k, rate, eighths):
    E = F(eighths, 8) + F(1, 1009)  # so that gamma times n is no integer
    eps = math.log(E)
    profile = kanonymity.sampled_bound(k=k, rate=float(rate))
    if eps < -math.log1p(-float(rate)):
        assert profile.delta(eps) == 1.0
    else:
        truth = brute.sampled_tail(k, rate, E, 12 * k + 30)
        assert profile.delta(eps) == pytest.approx(float(truth), rel=1e-10)


def test_all_or_nothing_sampled():
    for k in (1, 7):
        assert kanonymity.sampled(k=k, rate=1).delta(3.0) == 1.0
        assert kanonymity.sampled_bound(k=k, rate=1).delta(3.0) == 1.0
        assert (
            kanonymity.sampled(k=k, rate=0).delta(0.0)
            == kanonymity.sampled_bound(k=k, rate=0).delta(0.0)
            == 0
        )


@pytest.mark.parametrize(("k", "rate"), [(10, 0.1), (50, 0.3)])
def test_from_some_epsilon_on_only_adding_matters(k, rate):
    # Beyond -ln(1 - rate) leaving out is no more than that probability: its excess is 0.
    eps = -math.log1p(-rate)
    up = math.log1p(math.expm1(eps) / rate)
    count = log_worst(10**6, rate, k - 1, up)[0]
    assert kanonymity.sampled(k=k, rate=rate).log_delta(eps) == pytest.approx(
        math.log(rate) + count, rel=1e-12
    )
