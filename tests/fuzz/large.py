"""Calls of public functions whose ε is about 2,000, with the ε that other computations find.

Here are all functions that return a profile, a bracket, a pair or an ε: in `CALLS`, or in `SMALL`
with the reason why their ε cannot get there.
"""

import functools
import math
from fractions import Fraction as F

import numpy as np
from mpmath import mp
from scipy.optimize import brentq
from scipy.special import gammaln, logsumexp

from pkdp import (
    accounting,
    counting,
    daily_profiles,
    hypotheses,
    mechanisms,
    noise,
    privacy_loss,
)
from pkdp.databases import memberships, sampling
from pkdp.noiseless import (
    gaussian_noise,
    noiseless_privacy,
    normal_bounds,
    privacy_blanket,
    smoothing,
    sums,
)
from pkdp.partial_knowledge import dependent_counts, post_processing
from pkdp.profiles import Pair, laws

TARGET = 1e-6
HALF = F(1, 2)


# What the ε is, by other computations


def of_losses(log_p, losses, target=TARGET):
    """The least ε of losses of such masses."""

    def excess(eps):
        above = losses > eps
        return logsumexp(log_p[above] + np.log(-np.expm1(eps - losses[above]))) - math.log(target)

    highest = np.sort(losses)[-1]
    return brentq(excess, 0.0, highest * (1.0 - 1e-12), xtol=1e-9)


def binomial(n, p):
    i = np.arange(n + 1)
    ways = gammaln(n + 1) - gammaln(i + 1) - gammaln(n - i + 1)
    return ways + i * math.log(p) + (n - i) * math.log1p(-p)


def answers(k, eps, target=TARGET):
    """k replies of randomized response."""
    lies = np.arange(k + 1)
    return of_losses(binomial(k, 1.0 / (1.0 + math.exp(eps))), (k - 2.0 * lies) * eps, target)


def coins_moved(n, shift, fixed=0):
    """n fair coins against `shift` and n - `fixed` of them, but for ends that give all away."""
    logs, others = binomial(n, 0.5)[shift:], binomial(n - fixed, 0.5)
    both = slice(0, n + 1 - shift)
    losses = others[both] - logs[both]
    return max(of_losses(others[both], losses), of_losses(logs[both], -losses))


def sampled_answers(k, eps, target=TARGET):
    """k replies, each about a record that is there with probability ½, given that one is."""
    lies = np.arange(k + 1)
    log_q = binomial(k, 1.0 / (1.0 + math.exp(eps)))
    gains = lies * np.log1p(math.exp(eps)) + (k - lies) * np.log1p(math.exp(-eps))
    # The last of the factors is (e^G - 1)/(2^k - 1).
    losses = gains + np.log(-np.expm1(-gains)) - k * math.log(2) - math.log1p(-(2.0**-k))
    return of_losses(log_q + losses, losses, target)


def normal(mu, target=TARGET):
    """N(µ, 1) against N(0, 1)."""
    with mp.workdps(60):

        def excess(eps):
            return mp.ncdf(mu / 2 - eps / mu) - mp.exp(eps) * mp.ncdf(-mu / 2 - eps / mu) - target

        low, high = mp.mpf(mu) ** 2 / 2, mp.mpf(mu) ** 2 / 2 + 10 * mp.mpf(mu)
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if excess(middle) > 0 else (low, middle)
        return float(high)


def laplace(rate, target=TARGET):
    """Laplace noise of such a rate against the same moved by 1: 1 - e^((ε - rate)/2)."""
    return rate + 2.0 * math.log1p(-target)


# Arguments

LOUD, MANY = 3.0, 700
FAIR, COINS, SHIFT = {0: HALF, 1: HALF}, 6000, 2450
FOUR_APART = Pair(laws.Finite(4, (1.0,)), laws.Finite(0, (1.0,)))
REPLY = sampling.randomized_response(LOUD)
NOBODY = counting.pair([])
FAIR_GROUPS = [({(0,): HALF, (1,): HALF}, COINS), ({(0,): HALF, (SHIFT,): HALF}, 1)]
TRUTHFUL = mechanisms.make_randomized_response(F(10**900, 10**900 + 1))
ALL_OR_NONE = {(1,) * 3: 1.0}, {(0,) * 3: 1.0}
STICKY = daily_profiles.MarkovChain(0.5, 1 / 1024, 1 - 1 / 1024)


replies = functools.partial(answers, MANY, LOUD)
moved = functools.partial(coins_moved, COINS, SHIFT)
hidden_by_half = functools.partial(sampled_answers, 1500, LOUD)
CALLS = {
    "accounting.advanced": (
        lambda: accounting.advanced(0.5, 0.0, times=4000),
        lambda: 0.5 * math.sqrt(8000 * math.log(1 / TARGET)) + 2000 * math.expm1(0.5),
    ),
    "accounting.heterogeneous": (lambda: accounting.heterogeneous([LOUD] * MANY), replies),
    "accounting.optimal": (lambda: accounting.optimal(LOUD, 0.0, times=MANY), replies),
    "accounting.renyi": (lambda: accounting.renyi(REPLY, MANY), replies),
    "accounting.simple": (
        lambda: accounting.simple(memberships.simple([500.0]), 4),
        lambda: 2000.0,
    ),
    "privacy_loss.bracket": (lambda: privacy_loss.bracket([REPLY], [MANY]), replies),
    "privacy_loss.both_ways": (lambda: privacy_loss.both_ways([REPLY], [MANY])[0], replies),
    "privacy_loss.compose": (
        lambda: privacy_loss.compose([(privacy_loss.of_pair(REPLY, 0.1), MANY)]),
        replies,
    ),
    "privacy_loss.composed_bound": (
        lambda: privacy_loss.composed_bound(memberships.simple([LOUD]), MANY),
        replies,
    ),
    "memberships.advanced": (
        lambda: memberships.advanced([0.5] * 4000),
        lambda: 0.5 * math.sqrt(8000 * math.log(1 / TARGET)) + 2000 * math.expm1(0.5),
    ),
    "memberships.at_most": (lambda: memberships.at_most(MANY, [LOUD] * 2 * MANY), replies),
    "memberships.changing": (lambda: memberships.changing(MANY, [LOUD / 2] * 2 * MANY), replies),
    "memberships.either_or": (
        lambda: memberships.either_or([LOUD] * MANY, common=range(MANY)),
        replies,
    ),
    "memberships.exactly": (lambda: memberships.exactly(MANY // 2, [LOUD] * 2 * MANY), replies),
    "memberships.optimal": (lambda: memberships.optimal([LOUD] * MANY), replies),
    "memberships.parallel": (lambda: memberships.parallel(4, [500.0]), lambda: 2000.0),
    "memberships.simple": (lambda: memberships.simple([500.0] * 4), lambda: 2000.0),
    "memberships.soft": (
        lambda: memberships.soft(memberships.simple([500.0] * 4), TARGET / 2),
        lambda: 2000.0,
    ),
    "sampling.bounds": (
        lambda: sampling.bounds(1500, LOUD, 0.0, target=TARGET),
        hidden_by_half,
    ),
    "sampling.by_sampling": (lambda: sampling.by_sampling([REPLY], 0.5, [1500]), hidden_by_half),
    "sampling.uniform": (
        lambda: sampling.uniform(1500, LOUD),
        lambda: 1500 * math.log((1 + math.exp(LOUD)) / 2),
    ),
    "sampling.averaged": (
        lambda: sampling.averaged([0.5, 0.5], [2000.0, 1000.0])[0],
        lambda: 2000.0 - math.log(2),
    ),
    "hypotheses.against_none": (
        lambda: hypotheses.against_none({(1,) * 4: 1.0}, [500.0] * 4),
        lambda: 2000.0,
    ),
    "hypotheses.number_against_none": (
        lambda: hypotheses.number_against_none([0.5, 0, 0, 0, 0.5], 500.0),
        lambda: 2000.0 - math.log(2),
    ),
    "hypotheses.ordered": (
        lambda: hypotheses.ordered([0, 0, 0, 0, 1.0], [1.0, 0, 0, 0, 0], 500.0),
        lambda: 2000.0,
    ),
    "hypotheses.exchangeable": (
        lambda: hypotheses.exchangeable([0.0] * MANY + [1.0], [1.0] + [0.0] * MANY, LOUD),
        replies,
    ),
    "hypotheses.pair": (
        lambda: hypotheses.pair(*ALL_OR_NONE, [LOUD * 200] * 3),
        lambda: answers(3, LOUD * 200),
    ),
    "privacy_blanket.blanket": (
        lambda: privacy_blanket.blanket([1.0], [COINS], steps=SHIFT),
        moved,
    ),
    "privacy_blanket.bound": (lambda: privacy_blanket.bound([(FAIR, COINS)], SHIFT), moved),
    "sums.pair": (lambda: sums.pair([(FAIR, COINS)], SHIFT), moved),
    "noiseless_privacy.add_or_remove": (
        lambda: noiseless_privacy.add_or_remove(FAIR_GROUPS[:1], (0, 0), inserted=[SHIFT]),
        moved,
    ),
    "noiseless_privacy.causal": (lambda: noiseless_privacy.causal(FAIR_GROUPS, (1, 0)), moved),
    "noiseless_privacy.conditional": (
        lambda: noiseless_privacy.conditional(FAIR_GROUPS, (1, 0)),
        moved,
    ),
    "noiseless_privacy.replace": (
        lambda: noiseless_privacy.replace(FAIR_GROUPS[:1], (0, 0), values=[SHIFT]),
        lambda: coins_moved(COINS, SHIFT, fixed=1),
    ),
    "gaussian_noise.add": (lambda: gaussian_noise.add(NOBODY, 1 / 64), lambda: normal(64)),
    "smoothing.bound": (lambda: smoothing.bound(0.0, 1.0, scale=1 / 64), lambda: normal(64)),
    "normal_bounds.gaussian": (lambda: normal_bounds.gaussian(1.0, step=64), lambda: normal(64)),
    "normal_bounds.for_half_lines": (
        lambda: normal_bounds.for_half_lines(1.0, 0.0, step=64),
        lambda: normal(64),
    ),
    "normal_bounds.berry_esseen_for_half_lines": (
        lambda: normal_bounds.berry_esseen_for_half_lines(1.0, 0.0, step=64),
        lambda: normal(64),
    ),
    "counting.gaussian_limit": (
        lambda: counting.gaussian_limit(2, 0.5 - math.sqrt(0.25 - 1 / 4096)),
        lambda: normal(64),
    ),
    "noise.add": (lambda: noise.add(FOUR_APART, noise.Laplace(0.002)), lambda: laplace(2000.0)),
    "post_processing.chained": (
        lambda: post_processing.chained(memberships.simple([500.0] * 4)),
        lambda: 2000.0,
    ),
    "daily_profiles.gaussian_limit": (
        lambda: daily_profiles.gaussian_limit(2, STICKY, a=(0, 1), b=(1, 0)),
        lambda: normal(64),
    ),
    "dependent_counts.limit": (
        lambda: dependent_counts.limit(1e-300),
        lambda: 600 * math.log(10) + 2 * math.log1p(-math.sqrt(TARGET)),
    ),
}

# Functions, or modules, whose ε cannot get there.
_COUNT = "one record moves a count by 1, and no float has a likelihood ratio above e^775"
_TWICE = "two counts are moved by 1, or the odds of a probability count twice: below 1,500"
_STUDY = "a study's data and few parameters: its ε is below 10"
SMALL = {
    "published": "formulas as printed, which promise nothing",
    **dict.fromkeys(
        (
            *("beliefs.statement", "chains.causal", "chains.conditional", "counting.blanket"),
            *("counting.berry_esseen", "counting.closed_form", "counting.exact"),
            *("counting.kl_form", "counting.new_users", "counting.pair", "counting.tail"),
            *("counting.worst_case", "dependence.learnt_rate", "kanonymity", "thresholding"),
            *("dependent_counts.independent_blocks", "dependent_counts.peaked"),
            *("dependent_counts.sparse", "noise.binomial", "rounding"),
        ),
        _COUNT,
    ),
    **dict.fromkeys(
        (
            *("counting.binary_queries", "counting.histogram", "daily_counts.questions"),
            *("daily_profiles.bracket", "daily_profiles.moment_bound"),
            *("dependent_counts.any_target", "dependent_counts.worst_case"),
        ),
        _TWICE,
    ),
    **dict.fromkeys(("audit", "families", "suppressed_tables", "weekly_wages"), _STUDY),
    **dict.fromkeys(
        ("adversaries.worst_case", "noise.blanket", "noise.worst_case"),
        "one record moves a count by 1, and noise has a rate of at most 500",
    ),
    **dict.fromkeys(
        ("parity", "hypothesis_worlds.parity"),
        "parity, one bit, has a loss of at most ln(2/1e-300)",
    ),
    **dict.fromkeys(
        ("sampling.randomized_response", "sampling.sampled", "sampling.amplified"),
        "no more than the ε of one mechanism, at most 700",
    ),
    "dependence.households": "masses below 1e-300 count as told apart: it says so of ε above 620",
    "memberships.one_of": "no more than the ε of two mechanisms, at most 700 each",
    "post_processing.of_guarantees": "no more than the largest ε given, at most 700",
    "normal_bounds.stein_for_half_lines": "its distance is below ½ for a deviation above a step",
}
