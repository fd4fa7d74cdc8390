"""Questions of every kind, which the benchmark times one by one."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from pkdp import (
    accounting,
    beliefs,
    composition,
    counting,
    definitions,
    hypotheses,
    kanonymity,
    mechanisms,
    noise,
    privacy_loss,
    published,
    sampling,
    suppressed_tables,
    thresholding,
    worlds,
)
from pkdp.noiseless import chains, sums
from pkdp.profiles import laws


def world_tasks() -> dict[str, Callable[[], object]]:
    """Return questions about worlds of 2^12 and 2^16 databases, 3 and 8 of whose records are known.

    Of an infinite ratio hardly any target is looked at; that of a parity needs them all.
    """
    laws = [Fraction(k, 25) for k in range(7, 19)]
    world = worlds.bits(laws, knowledge=[9, 10, 11])
    more = [Fraction(k, 50) for k in range(7, 23)]
    large = worlds.bits(more, knowledge=range(8))
    hidden, unknown = mechanisms.make_threshold(4), range(9)
    answered = mechanisms.post_process(
        mechanisms.total, lambda n: {n: Fraction(1, 2), n + 1: Fraction(1, 2)}
    )
    return {
        "2^12 databases, world": lambda: worlds.bits(laws, knowledge=[9, 10, 11]),
        "2^12 databases, NP, total": lambda: definitions.np_ratio(world, mechanisms.total),
        "2^12 databases, CDP, parity": lambda: definitions.cdp_ratio(world, mechanisms.parity),
        "2^12 databases, CDP, total": lambda: definitions.cdp_ratio(world, mechanisms.total),
        "2^12 databases, CDP, identity": lambda: definitions.cdp_ratio(world, mechanisms.identity),
        "2^12 databases, IBCDP, total": lambda: definitions.ibcdp_ratio(world, mechanisms.total),
        "2^12 databases, IBCDP, identity": lambda: definitions.ibcdp_ratio(
            world, mechanisms.identity
        ),
        "2^12 databases, APK, threshold": lambda: definitions.apk_delta(world, hidden, 2),
        "2^12 databases, APK, noisy total": lambda: definitions.apk_delta(world, answered, 2),
        "2^12 databases, PPK, threshold": lambda: definitions.ppk_delta(world, hidden, 2, unknown),
        "2^12 databases, PPK, profile": lambda: definitions.ppk_profile(
            world, hidden, unknown
        ).delta(0.5),
        "2^12 databases, reducible": lambda: definitions.is_reducible(
            world, mechanisms.total, unknown
        ),
        "2^12 databases, acceptable": lambda: world.is_acceptable(0),
        "2^12 databases, independent": world.has_independent_records,
        "2^16 databases, world": lambda: worlds.bits(more, knowledge=range(8)),
        "2^16 databases, CDP, parity": lambda: definitions.cdp_ratio(large, mechanisms.parity),
        "2^16 databases, reducible": lambda: definitions.is_reducible(
            large, mechanisms.total, range(8, 16)
        ),
    }


def threshold_tasks() -> dict[str, Callable[[], object]]:
    """Return questions about thresholds and k-anonymity."""
    values = ["a", "b", "c"]
    records = [{value: Fraction(k, 40) for value in values} for k in range(1, 8)]
    return {
        "threshold, exact, n = 10^7 equal": lambda: thresholding.exact(
            [0.005], 50_100, multiplicities=[10**7]
        ).delta(0.001),
        "threshold, worst_case, n = 10^9": lambda: thresholding.worst_case(
            10**9, 0.005, threshold=5_010_000
        ).delta(0.001),
        "threshold, worst_case, epsilon": lambda: thresholding.worst_case(
            10**9, 0.005, threshold=5_010_000
        ).epsilon(1e-10),
        "threshold, passive, n = 10^6": lambda: thresholding.passive(
            10**6, 0.005, threshold=5_100, known=10**5
        ).delta(0.01),
        "threshold, passive worst, n = 10^6": lambda: thresholding.passive_worst_case(
            10**6, 0.005, threshold=5_100, known=10**5
        ).delta(0.01),
        "threshold, active worst, n = 10^6": lambda: thresholding.active_worst_case(
            10**6, 0.005, threshold=5_100, known=100
        ).delta(0.01),
        "threshold, exact, n = 10^10, epsilon": lambda: thresholding.exact(
            [0.5], 5 * 10**9, multiplicities=[10**10 - 1]
        ).epsilon(1e-8),
        "threshold, worst_case, n = 10^10, epsilon": lambda: thresholding.worst_case(
            10**10, 0.5, threshold=5 * 10**9
        ).epsilon(1e-8),
        "threshold, both sides, n = 10^10, epsilon": lambda: thresholding.two_sided(
            [0.5], 10**6, multiplicities=[10**10 - 1], symbols=1
        ).epsilon(1e-8),
        "threshold, passive, n = 10^10, one value": lambda: thresholding.passive(
            10**10, 0.5, threshold=5 * 10**9, known=5 * 10**9
        ).delta(1e-5),
        "threshold, passive, n = 10^10, epsilon": lambda: thresholding.passive(
            10**10, 0.5, threshold=5 * 10**9, known=5 * 10**9
        ).epsilon(1e-8),
        "binomial tail, n = 10^10": lambda: laws.log_binomial_tail(5 * 10**9 + 10**5, 10**10, 0.5),
        "Theorem 4, n = 10^10, epsilon": lambda: thresholding.theorem_4(
            10**10, 0.005, threshold=51 * 10**6, known=10**9
        ).epsilon(1e-8),
        "table of two cells, k = 99 000, one value": lambda: suppressed_tables._upper_bound(
            [1000, 99_000], 99_000, hidden=0
        ).delta(0.1),
        "Theorem 4, n = 10^6, best b_max": lambda: thresholding.theorem_4_terms(
            10**6, 0.005, threshold=5_500, known=10**5
        ),
        "corrected Theorem 5, n = 10^6, epsilon": lambda: kanonymity.theorem_5(
            10**6, 0.02, k=200, rare=1e-4
        ).epsilon(1e-6),
        "sampled k-anonymity, epsilon": lambda: kanonymity.sampled(20, 0.1).epsilon(1e-6),
        "histogram of 3, 7 others, joint law": lambda: kanonymity.joint_law(
            records, values, k=3, target="a"
        ),
        "histogram of 3, 7 others, worst delta": lambda: kanonymity.worst_delta(
            records, values, k=3, ratio=2
        ),
    }


def noise_tasks() -> dict[str, Callable[[], object]]:
    """Return questions about counts with noise."""
    return {
        "geometric noise, n = 10^4": lambda: noise.add(
            counting.pair([0.05], [10**4]), noise.Geometric(0.5)
        ).log_hockey_stick(0.3),
        "geometric noise, n = 10^6": lambda: noise.add(
            counting.pair([0.05], [10**6]), noise.Geometric(0.9)
        ).log_hockey_stick(0.01),
        "geometric noise, n = 10^6, masses": lambda: noise.add(
            counting.pair([0.05], [10**6]), noise.Geometric(0.9)
        ).log_masses(),
        "Laplace noise, n = 10^6": lambda: noise.add(
            counting.pair([0.05], [10**6]), noise.Laplace(10)
        ).log_hockey_stick(0.01),
        "geometric noise, worst_case, n = 10^4": lambda: noise.worst_case(
            10**4, 0.05, noise=noise.Geometric(0.5)
        ).log_delta(0.3),
        "geometric noise, worst_case, n = 10^6": lambda: noise.worst_case(
            10**6, 0.05, noise=noise.Geometric(0.5)
        ).log_delta(0.03),
        "geometric noise, worst_case, epsilon": lambda: noise.worst_case(
            10**5, 0.05, noise=noise.Geometric(0.5)
        ).epsilon(1e-10),
        "geometric noise, blanket, n = 10^6": lambda: noise.blanket(
            10**6, 0.05, noise=noise.Geometric(0.5)
        ).log_delta(0.03),
        "geometric noise, worst_case, n = 10^9, epsilon": lambda: noise.worst_case(
            10**9, 0.05, noise=noise.Geometric(0.5)
        ).epsilon(1e-10),
        "Laplace noise, blanket, n = 10^9, epsilon": lambda: noise.blanket(
            10**9, 0.05, noise=noise.Laplace(2)
        ).epsilon(1e-10),
        "Laplace noise, worst_case, n = 10^6": lambda: noise.worst_case(
            10**6, 0.05, noise=noise.Laplace(2)
        ).log_delta(0.03),
    }


def composition_tasks() -> dict[str, Callable[[], object]]:
    """Return questions about what several releases reveal together."""
    world = worlds.bits([Fraction(k, 25) for k in range(7, 19)])
    day = counting.pair([0.05], [10**4])
    year = privacy_loss.of_pair(day, 1e-3)
    return {
        "2^12 databases, nu of two counts": lambda: composition.nu(
            world, lambda d: sum(d[:8]), lambda d: sum(d[4:]), 2, [5]
        ),
        "a day's losses, n = 10^4": lambda: privacy_loss.of_pair(day, 1e-3),
        "365 days, n = 10^4, upper, one value": lambda: privacy_loss.compose([(year, 365)]).delta(
            3.0
        ),
        "365 days, n = 10^4, upper, epsilon": lambda: privacy_loss.compose([(year, 365)]).epsilon(
            1e-10
        ),
        "365 days, n = 10^4, bracket, one value": lambda: [
            bound.delta(3.0) for bound in privacy_loss.bracket([day], [365])
        ],
        "optimal composition, 10^6 times, epsilon": lambda: accounting.optimal(
            1e-3, 0.0, times=10**6
        ).epsilon(1e-10),
    }


def sum_tasks() -> dict[str, Callable[[], object]]:
    """Return questions about sums of blocks."""
    masses = np.random.default_rng(1).dirichlet(np.ones(6), 10**5).tolist()
    various = [dict(enumerate(row)) for row in masses]

    def ask() -> tuple[float, float]:
        profile = sums.pair(various).profile()
        return profile.delta(0.005), profile.epsilon(1e-9)

    return {
        "sum of 10^5 different blocks, both ways": ask,
        "sum of 10^6 equal blocks, one value": lambda: (
            sums.pair([({0: 0.5, 2: 0.5}, 10**6)], 2).profile().delta(0.005)
        ),
        "sum of 300 equal blocks, one value": lambda: (
            sums.pair([({0: 0.25, 1: 0.25, 5: 0.5}, 300)]).profile().delta(0.1)
        ),
    }


def prior_tasks() -> dict[str, Callable[[], object]]:
    """Return questions about somebody who may be in any of many databases."""
    reply = sampling.randomized_response(0.01, 1e-9)
    several = [sampling.randomized_response(eps, 1e-9) for eps in (0.01, 0.012, 0.015)]
    return {
        "product prior, k = 10^4 equal, epsilon": lambda: sampling.by_sampling(
            [reply], 0.5, [10**4]
        ).epsilon(1e-4),
        "product prior, k = 10^4 of 3 kinds, one value": lambda: sampling.by_sampling(
            several, [0.1, 0.2, 0.5], [5000, 3000, 2000], step=1e-4
        ).upper.delta(1.0),
        "uniform prior, k = 365, six bounds": lambda: sampling.bounds(365, 0.1, 1e-10, target=1e-6),
    }


def chain_tasks() -> dict[str, Callable[[], object]]:
    """Return questions about a count over a Markov chain of bits."""
    return {
        "chain of 10^6, causal, one value": lambda: chains.causal(10**6, 0.5, 0.9).delta(1e-3),
        "chain of 10^6, causal, epsilon": lambda: chains.causal(10**6, 0.5, 0.9).epsilon(1e-6),
        "chain of 10^6, conditional, one value": lambda: chains.conditional(10**6, 0.5, 0.9).delta(
            1e-2
        ),
        "chain of 10^6, conditional, epsilon": lambda: chains.conditional(10**6, 0.5, 0.9).epsilon(
            1e-6
        ),
    }


def hypotheses_tasks() -> dict[str, Callable[[], object]]:
    """Return questions about which databases somebody is in."""
    rng = np.random.default_rng(1)
    prior, other = (rng.dirichlet(np.ones(2**20)).reshape((2,) * 20) for _ in range(2))
    one, two = (rng.dirichlet(np.ones(2**11)).reshape((2,) * 11) for _ in range(2))
    law = laws.binomial_masses(365, 0.5)
    many, few = hypotheses.given_number(law, 190), hypotheses.given_number(law, 0, 189)
    return {
        "20 databases, any two priors, epsilon": lambda: (
            hypotheses.pair(prior, other, [0.3] * 20).profile().epsilon(1e-6)
        ),
        "11 databases with leaks, epsilon": lambda: (
            hypotheses.pair(one, two, [0.3] * 11, 1e-3).profile().epsilon(0.1)
        ),
        "365 databases, number, one value": lambda: (
            hypotheses.exchangeable(many, few, 0.1, 1e-4).profile().delta(0.3)
        ),
        "365 databases, number, epsilon": lambda: (
            hypotheses.exchangeable(many, few, 0.1, 1e-4).profile().epsilon(1e-6)
        ),
        "10^6 databases, product against none": lambda: hypotheses.product_against_none(
            np.full(10**6, 0.5), np.full(10**6, 1e-3), 1e-9, not_none=True
        ),
    }


def count_tasks() -> dict[str, Callable[[], object]]:
    """Return questions about counts."""
    various = np.random.default_rng(1).uniform(0.0, 1.0, 10**6)
    many = np.random.default_rng(1).uniform(0.0, 1.0, 10**7)
    prepared = counting.exact(various)
    return {
        "exact, n = 10^4, one value": lambda: counting.exact([0.3] * 10**4).delta(0.1),
        "exact, n = 10^7 equal, one value": lambda: counting.exact([0.3], [10**7]).delta(0.01),
        "exact, n = 10^6 different, first value": lambda: counting.exact(various).delta(0.01),
        "exact, n = 10^6 different, one more": lambda: prepared.delta(0.01),
        "exact, n = 10^7 different, first value": lambda: counting.exact(many).delta(0.002),
        "exact, n = 10^7 equal, epsilon": lambda: counting.exact([0.3], [10**7]).epsilon(1e-10),
        "exact, n = 10^10 equal, one value": lambda: counting.exact([0.3], [10**10]).delta(1e-5),
        "worst_case, n = 10^3, one value": lambda: counting.worst_case(10**3, 0.05).delta(0.5),
        "worst_case, n = 10^6, one value": lambda: counting.worst_case(10**6, 0.05).delta(0.01),
        "worst_case, n = 10^9, one value": lambda: counting.worst_case(10**9, 0.05).delta(0.001),
        "worst_case, n = 10^9, epsilon": lambda: counting.worst_case(10**9, 0.05).epsilon(1e-10),
        "blanket, n = 10^7, one value": lambda: counting.blanket(10**7, 0.05).delta(0.01),
        "histogram of 4, n = 10^9, one value": lambda: counting.histogram(
            10**9, 0.05, categories=4
        ).delta(0.001),
        "histogram of 4, n = 10^10, one value": lambda: counting.histogram(
            10**10, 0.05, categories=4
        ).delta(1e-4),
        "histogram of 4, n = 10^9, epsilon": lambda: counting.histogram(
            10**9, 0.05, categories=4
        ).epsilon(1e-10),
        "tail, n = 10^10, one value": lambda: counting.tail(10**10, 0.05).delta(1e-4),
        "KL form, n = 10^9, epsilon": lambda: counting.kl_form(10**9, 0.05).epsilon(1e-10),
        "Gaussian limit, n = 10^9, epsilon": lambda: counting.gaussian_limit(10**9, 0.05).epsilon(
            1e-10
        ),
        "corrected Prop. 7, n = 10^6 different": lambda: counting.berry_esseen(various).delta(0.5),
        "best statement, n = 10^3": lambda: beliefs.best_statement(various[:1000], 1e-6),
        "tail, n = 10^7, one value": lambda: counting.tail(10**7, 0.05).delta(0.01),
        "printed, literal, n = 10^6, one value": lambda: published.theorem_3(
            10**6, 0.05, reading="literal"
        ).delta(1.5),
    }


def every_task() -> dict[str, Callable[[], object]]:
    """Return what is timed, by name."""
    groups = (
        count_tasks,
        threshold_tasks,
        noise_tasks,
        composition_tasks,
        sum_tasks,
        chain_tasks,
        prior_tasks,
        hypotheses_tasks,
        world_tasks,
    )
    return {name: task for group in groups for name, task in group().items()}
