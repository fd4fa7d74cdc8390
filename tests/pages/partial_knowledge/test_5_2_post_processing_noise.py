"""Section 5.2 up to Figure 6: what the page says, claim by claim, in exact fractions."""

import math
import random
from fractions import Fraction
from itertools import pairwise, product
from math import comb

import numpy as np
import pytest
from scipy.integrate import quad

from pkdp import background, counting, figures, noise, published
from pkdp.figures._tables import select
from pkdp.figures.partial_knowledge import figure_5, figure_6, noise_plane
from tests.oracles import counts as oracles

pytestmark = pytest.mark.page

F = Fraction
RATIOS = (F(1), F(9, 8), F(3, 2), F(2), F(5), F(50))
NOISES = (F(1, 20), F(1, 3), F(1, 2), F(3, 5), F(9, 10))


def noise_tail(p, k):
    """P[X >= k] of two-sided geometric noise, the sum of its masses."""
    return p**k / (1 + p) if k > 0 else 1 - p ** (1 - k) / (1 + p)


def released(law, p, shift=0):
    """The law of S + X + shift on 0, 1, ..., len + 1, and of what is below and above together.

    Below the least value of S + shift neighbouring masses have the ratio p, above the largest 1/p;
    for two shifts by 0 and 1 nothing is lost by taking those together.
    """
    last = max(law) + 2
    tails = [
        sum((mass * noise_tail(p, k - j - shift) for j, mass in law.items()), F(0))
        for k in range(last + 2)
    ]
    masses = {k: tails[k] - tails[k + 1] for k in range(last + 1)}
    return masses | {-1: 1 - tails[0], last + 1: tails[last + 1]}


def both_directions(law, p, E):
    one, zero = released(law, p, 1), released(law, p, 0)
    return oracles.hockey_stick(one, zero, E), oracles.hockey_stick(zero, one, E)


def noise_alone(p, E):
    return max(F(0), 1 - p * E) / (1 + p)


def crowds(seed, number, largest=5, least=0, most=1):
    """Probabilities of the others, with some at the ends of the range among them."""
    source = random.Random(seed)
    for _ in range(number):
        steps = source.choice((1, 2, 3, 7, 20))
        size = source.randint(1, largest)
        yield [least + (most - least) * F(source.randint(0, steps), steps) for _ in range(size)]


# --------------------------------------------------------------------------------------------
# Two guarantees
# --------------------------------------------------------------------------------------------


def test_enough_unknown_records_make_a_count_private():
    half = counting.worst_case(100_000, 0.05, known=50_000)
    assert half.epsilon(1e-10) < 0.12
    referendum = counting.worst_case(10_000_000, 0.1, known=9_900_000)
    assert referendum.epsilon(1e-10) < 0.06


def test_a_count_with_noise_is_differentially_private_for_every_n():
    for n, p in product(range(1, 5), NOISES):
        for others in product((0, 1), repeat=n - 1):
            fixed = oracles.count_law(others)
            assert both_directions(fixed, p, 1 / p) == (0, 0)
            # Nothing less will do.
            assert all(delta > 0 for delta in both_directions(fixed, p, F(99, 100) / p))
    x = np.linspace(-9, 9, 181)
    for scale in (0.5, 2.0, 7.0):
        ratio = background.laplace_density(x - 1, scale) / background.laplace_density(x, scale)
        assert ratio.max() == pytest.approx(math.exp(1 / scale), rel=1e-12)
        assert ratio.min() == pytest.approx(math.exp(-1 / scale), rel=1e-12)


@pytest.mark.slow
def test_the_double_guarantee_holds_for_every_attacker():
    """Any subset of the others may be known, with any values."""
    for crowd, p, E in product(crowds(1, 12, largest=3), NOISES[1:4], RATIOS[:4]):
        ceiling = noise_alone(p, E)
        count = oracles.count_delta(crowd, E)
        assert max(both_directions(oracles.count_law(crowd), p, E)) <= min(ceiling, count)
        for number in range(len(crowd) + 1):
            for seen in product((0, 1), repeat=number):
                law = oracles.count_law([F(bit) for bit in seen] + crowd[number:])
                assert max(both_directions(law, p, E)) <= ceiling


def test_noise_is_post_processing_and_never_harms():
    """Whatever is added, nothing gets easier to see."""
    for crowd, E in product(crowds(2, 40), RATIOS):
        law = oracles.count_law(crowd)
        for some in (F(1, 3), F(1, 2)):
            added = {0: 1 - some, 1: some / 3, 3: 2 * some / 3}
            noisy = {}
            for (j, one), (k, other) in product(law.items(), added.items()):
                noisy[j + k] = noisy.get(j + k, F(0)) + one * other
            before, after = (
                oracles.hockey_stick(oracles.shifted(one), one, E) for one in (law, noisy)
            )
            assert after <= before


@pytest.mark.slow
def test_known_records_are_subtracted_with_noise_as_without():
    for crowd, E in product(crowds(3, 15, largest=3), RATIOS):
        law = oracles.count_law(crowd)
        for seen in product((0, 1), repeat=2):
            shifted = oracles.count_law([*crowd, *map(F, seen)])
            assert both_directions(shifted, F(1, 2), E) == both_directions(law, F(1, 2), E)
    eps = np.array([0.0, 0.1, 0.3])
    known = noise.worst_case(500, 0.1, noise=noise.Geometric(0.5), known=200).delta(eps)
    assert (
        known.tolist() == noise.worst_case(300, 0.1, noise=noise.Geometric(0.5)).delta(eps).tolist()
    )


def test_the_curve_of_known_records_rises_without_end():
    knowns = (0, 50_000, 90_000, 99_000, 99_500, 99_999)
    curve = [counting.worst_case(100_000, 0.05, known=known).epsilon(1e-10) for known in knowns]
    assert all(a < b for a, b in pairwise(curve))
    assert curve[0] < 0.081
    assert curve[-2] > 2.6
    assert curve[-1] == math.inf
    deltas = [counting.worst_case(100_000, 0.05, known=known).log_delta(0.5) for known in knowns]
    assert all(a < b for a, b in pairwise(deltas))
    assert deltas[0] < -400
    assert deltas[-1] == 0.0


@pytest.mark.slow
def test_noise_is_a_ceiling_for_every_number_of_known_records():
    for known in (0, 90_000, 96_000, 99_000, 99_990, 99_999):
        assert (
            noise.worst_case(
                100_000, 0.05, noise=noise.Laplace(2.0), known=known, tol=1e-2
            ).epsilon(1e-10)
            <= 0.5
        )
        geometric = noise.worst_case(
            100_000, 0.05, noise=noise.Geometric(math.exp(-0.5)), known=known, tol=1e-2
        )
        assert geometric.epsilon(1e-10) <= 0.5
        assert geometric.delta(0.25) <= noise.Geometric(math.exp(-0.5)).profile().delta(0.25) * (
            1 + 1e-9
        )


@pytest.mark.slow
def test_the_noise_takes_over_where_few_records_are_unknown():
    def without(known):
        return counting.worst_case(100_000, 0.05, known=known).epsilon(1e-10)

    assert without(96_200) < 0.5 < without(96_400)
    # Published: at a quarter.
    assert published.figure_5(74_212, "without noise") < 0.5
    assert published.figure_5(74_213, "without noise") > 0.5
    # Together they give less than either, by a tenth and not by much more.
    gains = []
    for known in (90_000, 94_000, 95_500, 96_000, 96_280, 97_000, 98_000):
        together = noise.worst_case(
            100_000, 0.05, noise=noise.Laplace(2.0), known=known, tol=1e-2
        ).epsilon(1e-10)
        gains.append(min(0.5, without(known)) / together)
    assert all(gain > 1.005 for gain in gains)
    assert 1.1 < max(gains) < 1.15
    assert (
        noise.worst_case(100_000, 0.05, noise=noise.Laplace(2.0), known=99_990).epsilon(1e-10)
        > 0.499
    )


# --------------------------------------------------------------------------------------------
# Both together
# --------------------------------------------------------------------------------------------


def test_the_loss_is_the_ratio_of_neighbouring_masses():
    for crowd in crowds(4, 40):
        law = oracles.count_law(crowd)
        for k in range(len(crowd) + 2):
            one, zero = law.get(k - 1, F(0)), law.get(k, F(0))
            for bits in (1, 0):
                database = oracles.database_law(crowd)
                mass = sum(m for d, m in database.items() if sum(d) + bits == k)
                assert mass == (one if bits else zero)


def test_a_smaller_shift_can_be_easier_to_see():
    coin = {0: F(1, 2), 2: F(1, 2)}
    moved = {s: {k + s: mass for k, mass in coin.items()} for s in (1, 2)}
    assert oracles.hockey_stick(moved[2], coin, 1) == F(1, 2)
    for E in RATIOS:
        assert oracles.hockey_stick(moved[1], coin, E) == 1


def test_larger_shifts_are_easier_to_see_if_the_noise_is_log_concave():
    # Sums of bits, and one-sided geometric laws cut off: log-concave both.
    laws = [oracles.count_law(crowd) for crowd in crowds(5, 60, largest=6)]
    for p, size in product(NOISES, (1, 3, 6)):
        total = sum(p**k for k in range(size))
        laws.append({k: p**k / total for k in range(size)})
    for law, E in product(laws, RATIOS):
        for back in (law, {-k: mass for k, mass in law.items()}):
            found = [
                oracles.hockey_stick({k + t: m for k, m in back.items()}, back, E) for t in range(8)
            ]
            assert found[0] == 0
            assert all(a <= b for a, b in pairwise(found))
    # Without a cut, from the tails: max_j P[X >= j - t] - E P[X >= j].
    for p, E in product(NOISES, RATIOS):
        tails = [
            max(noise_tail(p, j - t) - E * noise_tail(p, j) for j in range(-3, 9)) for t in range(6)
        ]
        assert all(max(a, 0) <= max(b, 0) for a, b in pairwise(tails))


def test_the_loss_of_a_sum_follows_from_the_convolution():
    """Databases and noise listed one by one, the noise a finite law on -2, ..., 2."""
    for crowd, E in product(crowds(6, 20, largest=3), RATIOS):
        added = {k: F(1, 9) * (3 - abs(k)) for k in range(-2, 3)}
        laws = []
        for target in (1, 0):
            law = {}
            for (d, mass), (k, weight) in product(
                oracles.database_law(crowd).items(), added.items()
            ):
                output = target + sum(d) + k
                law[output] = law.get(output, F(0)) + mass * weight
            laws.append(law)
        convolved = {}
        for (j, one), (k, other) in product(oracles.count_law(crowd).items(), added.items()):
            convolved[j + k] = convolved.get(j + k, F(0)) + one * other
        assert laws[1] == convolved
        assert laws[0] == oracles.shifted(convolved)
        assert oracles.hockey_stick(*laws, E) == oracles.hockey_stick(
            oracles.shifted(convolved), convolved, E
        )


def test_definition_19_is_a_distribution_of_mean_0():
    for p in NOISES:
        masses = {k: (1 - p) / (1 + p) * p ** abs(k) for k in range(-60, 61)}
        for k in range(-20, 21):
            assert masses[k] == background.two_sided_geometric(k, p)
            assert noise_tail(p, k) - noise_tail(p, k + 1) == masses[k]
            assert masses[k] == masses[-k]
        # Exactly 1, but for the two tails beyond.
        assert sum(masses.values()) + 2 * noise_tail(p, 61) == 1
        variance = sum(k * k * mass for k, mass in masses.items())
        assert float(variance) == pytest.approx(float(2 * p / (1 - p) ** 2), rel=0.05)


@pytest.mark.slow
def test_the_excess_with_noise_is_one_tail_and_ends_at_the_noise_s_own_eps():
    for crowd, p, E in product(crowds(7, 12), NOISES[1:], RATIOS[:5]):
        for bits in (crowd, [1 - q for q in crowd]):
            law = oracles.count_law(bits)

            def tail(k, law=law, p=p):
                return sum((m * noise_tail(p, k - j) for j, m in law.items()), F(0))

            ends = range(-1, len(bits) + 4)
            largest = max(0, *(tail(k - 1) - E * tail(k) for k in ends))
            up, _ = both_directions(law, p, E)
            _, down = both_directions(oracles.count_law([1 - q for q in bits]), p, E)
            assert up == down == largest
            assert (up == 0) == (p * E >= 1)


def test_together_is_strictly_less_than_either():
    checked = 0
    for crowd, p, E in product(crowds(8, 60), NOISES, RATIOS):
        if p * E < 1 and any(0 < q < 1 for q in crowd):
            together = max(both_directions(oracles.count_law(crowd), p, E))
            assert 0 < together < min(oracles.count_delta(crowd, E), noise_alone(p, E))
            checked += 1
    assert checked > 500


def test_without_uncertainty_the_noise_is_alone():
    for p, E in product(NOISES, RATIOS):
        for bits in ([], [F(1)], [F(0), F(1)]):
            assert both_directions(oracles.count_law(bits), p, E) == (noise_alone(p, E),) * 2
        assert noise.Geometric(float(p)).profile().delta(math.log(E)) == pytest.approx(
            float(noise_alone(p, E)), abs=1e-15
        )
    for scale, eps in product((0.5, 2.0, 9.0), (0.0, 0.05, 0.4, 1.9)):
        stated = max(0.0, -math.expm1((eps - 1 / scale) / 2))
        assert noise.Laplace(scale).profile().delta(eps) == pytest.approx(stated, abs=1e-14)

        def excess(x, scale=scale, eps=eps):
            one, zero = background.laplace_density([x - 1, x], scale)
            return max(0.0, one - math.exp(eps) * zero)

        start = (1 + scale * eps) / 2
        found = quad(excess, start, 1)[0] + quad(excess, 1, 60 * scale)[0] if stated else 0.0
        assert found == pytest.approx(stated, abs=1e-9)


@pytest.mark.parametrize("lam", [F(1, 20), F(1, 5), F(2, 5)])
def test_the_worst_case_with_noise_is_at_a_vertex(lam):
    N = 4
    for p, E in product((F(1, 3), F(3, 5)), RATIOS[:4]):
        vertices = [
            both_directions(oracles.count_law(oracles.vertex(N, lam, m)), p, E)
            for m in range(N + 1)
        ]
        worst = max(up for up, _ in vertices)
        # The other direction is the mirrored vertex.
        assert [down for _, down in vertices] == [up for up, _ in vertices][::-1]
        for crowd in crowds(9, 25, N, lam, 1 - lam):
            law = oracles.count_law((crowd * N)[:N])
            assert max(both_directions(law, p, E)) <= worst
        found = noise.worst_case(N + 1, float(lam), noise=noise.Geometric(float(p))).delta(
            math.log(E)
        )
        assert found == pytest.approx(float(worst), rel=1e-7, abs=1e-15)


@pytest.mark.slow
def test_the_blanket_with_noise_is_a_bound():
    for N, lam, p, E in product((1, 3, 5), (F(1, 20), F(2, 5)), (F(1, 3), F(3, 5)), RATIOS[:4]):
        bound = sum(
            comb(N, c)
            * (2 * lam) ** c
            * (1 - 2 * lam) ** (N - c)
            * max(both_directions(oracles.count_law([F(1, 2)] * c), p, E))
            for c in range(N + 1)
        )
        for crowd in crowds(10, 12, N, lam, 1 - lam):
            law = oracles.count_law((crowd * N)[:N])
            assert max(both_directions(law, p, E)) <= bound
        found = noise.blanket(N + 1, float(lam), noise=noise.Geometric(float(p))).delta(math.log(E))
        assert found == pytest.approx(float(bound), rel=1e-9, abs=1e-15)


def test_counts_with_laplace_noise_have_ratios_that_do_not_fall():
    """Where no density is log-concave, as narrow noise puts a bump on every integer."""
    # At x = i/4 the density is proportional to q^|i|, whatever q = e^(-1/4b) in (0, 1) is.
    bumps = 0
    for number, probabilities in enumerate(crowds(65, 60)):
        q = (F(1, 5), F(1, 2), F(9, 10))[number % 3]
        law = oracles.count_law(probabilities)
        top = 4 * (max(law) + 3)
        f = {i: sum(mass * q ** abs(i - 4 * j) for j, mass in law.items()) for i in range(-12, top)}
        ratios = [f[i - 4] / f[i] for i in range(-8, top)]
        assert all(x <= y for x, y in pairwise(ratios))
        bumps += any(f[i] ** 2 < f[i - 1] * f[i + 1] for i in range(-11, top - 1))
    assert bumps > 20


def test_the_last_stretch_before_the_end_of_the_loss():
    for q, p, N in product((F(1, 5), F(4, 5)), NOISES, (1, 3, 6)):
        law = oracles.count_law([q] * N)
        end = (q + (1 - q) * p) ** N / (1 + p)
        assert sum(m * noise_tail(p, N - j) for j, m in law.items()) == end
        for E in (F(1), (1 + 1 / p) / 2, (1 - F(1, 10**9)) / p):
            up, _ = both_directions(law, p, E)
            assert up >= end * (1 - p * E)
        assert up == end * (1 - p * E)


# --------------------------------------------------------------------------------------------
# Figures
# --------------------------------------------------------------------------------------------


def at(curve, x):
    """The height of a drawn curve, straight between its points where δ is logarithmic."""
    return float(np.exp(np.interp(x, curve["x"], np.log(curve["y"]))))


def test_figure_5_gives_the_numbers_of_its_texts():
    rows = select(figures.table("5"), panel="known")
    names = ("published", "published with noise", "exact", "exact with noise")
    plain, capped, count, both = (select(rows, series=name) for name in names)
    assert f"{plain['y'][0]:.2f}" == "0.25"
    assert np.interp(1.0, plain["y"], plain["x"]) == pytest.approx(93_500, abs=60)
    assert capped["y"].max() == 0.5
    assert capped["x"][capped["y"] < 0.5].max() == 74_212
    assert f"{count['y'][0]:.3f}" == f"{both['y'][0]:.3f}" == "0.080"
    for known, without, noisy in ((74_212, "0.17", "0.16"), (91_000, "0.30", "0.29")):
        found = [float(curve["y"][curve["x"] == known][0]) for curve in (count, both)]
        assert [f"{eps:.2f}" for eps in found] == [without, noisy]
    assert np.interp(1.0, count["y"], count["x"]) == pytest.approx(98_700, abs=50)
    assert both["y"][-1] == pytest.approx(0.5, abs=1e-9)

    rows = select(figures.table("5"), panel="unknown")
    plain, capped, count, both = (select(rows, series=name) for name in names)
    assert count["x"][0] == figure_5.MOST + 1 == 449
    assert [f"{eps:.2g}" for eps in (count["y"][0], count["y"][-1])] == ["3.2", "0.08"]
    assert at(both, 1500) == pytest.approx(0.5, abs=0.002)
    assert [f"{at(curve, 3700):.2f}" for curve in (count, both)] == ["0.50", "0.44"]
    assert both["y"][-1] == pytest.approx(count["y"][-1], rel=0.01)
    assert [f"{at(plain, x):.2g}" for x in (449, 99_899)] == ["3.8", "0.25"]
    # Nothing is drawn below the truth.
    for curve in (select(rows, series=name) for name in ("exact", "exact with noise")):
        assert (np.diff(curve["y"]) <= 0).all()


def test_figure_6_gives_the_numbers_of_its_texts():
    table = figures.table("6")

    def curve(panel, p, series):
        return select(table, panel=panel, p=p, series=series)

    crossings = []
    for p in (0.0, 0.5, 0.6):
        drawn, exact, bound = (
            curve("drawn", p, series) for series in ("published", "exact", "blanket")
        )
        assert f"{drawn['y'][0]:.2f}" == "0.46"
        assert drawn["y"][0] / exact["y"][0] == pytest.approx(8, abs=0.6)
        # Every curve falls, and neither bound nor truth rises at its end.
        for each in (drawn, exact, bound):
            assert (np.diff(each["y"]) <= 0).all()
        assert (bound["y"] >= exact["y"]).all()
        grid = np.linspace(0.3, 0.5, 401)
        below = [x for x in grid if at(drawn, x) < at(exact, x)]
        crossings.append(round(below[0], 2))
        assert drawn["y"][-1] == pytest.approx(4e-13, rel=0.05)
        assert exact["x"][-1] == pytest.approx(figure_6.DRAWN_NOISES[p], rel=1e-7)
    assert [min(crossings), max(crossings)] == [0.42, 0.44]
    plain = curve("drawn", 0.0, "published")
    assert at(plain, 0.78) > 1e-12 > 4.5e-13 > at(plain, 0.86)
    for series, start, end in (("exact", "0.058", "9e-09"), ("blanket", "0.080", "2e-07")):
        found = curve("drawn", 0.0, series)["y"]
        assert [f"{found[0]:.3f}", f"{found[-1]:.0e}"] == [start, end]
    assert f"{curve('drawn', 0.0, 'blanket')['y'][-1]:.1e}" == "1.6e-07"
    assert f"{at(curve('drawn', 0.0, 'exact'), 0.8):.0e}" == "4e-07"
    for p, text in ((0.0, "9e-05"), (0.5, "3e-05"), (0.6, "2e-07")):
        assert f"{at(curve('drawn', p, 'exact'), 0.5):.0e}" == text
    for p, exact, bound in ((0.0, "1.1e-11", "1.8e-08"), (0.5, "8.1e-12", "1.4e-08")):
        found = [at(curve("stated", p, series), 0.3) for series in ("exact", "blanket")]
        assert [f"{delta:.1e}" for delta in found] == [exact, bound]
    assert curve("stated", 0.75, "exact")["x"][-1] == pytest.approx(0.29, abs=0.005)
    for p in (0.0, 0.5, 0.6):
        rounded, summed = (curve("floor", p, series) for series in ("published", "unrounded"))
        high = summed["y"] > 1e-11
        assert rounded["y"][high] == pytest.approx(summed["y"][high], rel=0.05)
        assert rounded["y"].min() == pytest.approx(4e-13, rel=0.05)
    deep = curve("floor", 0.0, "unrounded")
    for p in (0.5, 0.6):
        assert curve("floor", p, "unrounded")["y"][-1] < 1e-17  # it leaves the panel below
    assert select(table, panel="floor", p=0.0, series="published")["y"][0] > 1e-5
    assert np.interp(np.log(1e15), -np.log(deep["y"]), deep["x"]) == pytest.approx(0.88, abs=0.005)


def test_the_plane_gives_the_numbers_of_its_texts():
    table = figures.table("noise-plane")
    falls = {2.0: "31", 1.0: "66", 0.5: "1.9e+02", 0.2: "9.1e+02", 0.1: "3.3e+03"}
    for eps, text in falls.items():
        alone, together = (
            select(table, panel="plane", eps=eps, series=series) for series in ("alone", "together")
        )
        assert f"{alone['x'][-1]:.2g}" == text
        assert alone["y"][0] == pytest.approx(1 / eps, rel=1e-8)
        # The level lines lie within the corners, but for the 0.3 % to which N is sought.
        assert (together["x"] <= alone["x"][-1] * 1.004).all()
        assert (np.diff(together["x"]) <= 0.004 * alone["x"][-1]).all()
        assert (together["y"] <= alone["y"][0]).all()
        # Each line comes from the left edge, and the last records bring next to nothing.
        assert together["x"][-1] < 1 < together["x"][-2]
        assert together["y"][-1] == alone["y"][0]
        assert together["y"][-2] > alone["y"][0] * (1 - 2e-6)
    parts = {1e-10: ("0.81", "0.53"), 1e-4: ("0.51", "0.15"), 1e-2: ("0.16", "0.02")}
    for delta, texts in parts.items():
        line = select(table, panel="shares", delta=delta, series="together")
        found = [line["x"][line["y"] == share][0] for share in (0.88, 0.985)]
        for part, text in zip(found, texts, strict=True):
            assert part == pytest.approx(float(text), abs=0.006)


@pytest.mark.slow
@pytest.mark.parametrize(("eps", "delta"), [(1.0, 1e-10), (0.2, 1e-4)])
def test_a_level_line_meets_its_level(eps, delta):
    panel = "plane" if delta == 1e-10 else "shares"
    named = {"panel": panel, "eps": eps, "delta": delta}
    alone, line = (
        select(figures.table("noise-plane"), series=series, **named)
        for series in ("alone", "together")
    )
    least = 1 / math.log((math.exp(eps) + delta) / (1 - delta))
    records = noise_plane._trade(eps, delta)[1]
    assert counting.worst_case(1 + round(records * 1.01), 0.05).delta(eps) <= delta
    assert counting.worst_case(1 + round(records * 0.99), 0.05).delta(eps) > delta
    assert noise.Geometric(math.exp(-1 / least)).profile().delta(eps) == pytest.approx(
        delta, rel=1e-5
    )
    for share in (0.57, 0.88):
        here = np.flatnonzero(np.isclose(line["y"] / alone["y"][0], share))[0]
        needed = line["x"][here] / alone["x"][-1] * records
        p = math.exp(-1 / (share * least))
        low, high = (
            noise.worst_case(1 + round(needed * by), 0.05, noise=noise.Geometric(p))
            for by in (0.98, 1.02)
        )
        assert high.delta(eps) <= delta < low.delta(eps)
