"""Ask other packages the questions of the page on peers: ``make peers``.

They do not go together with what the book is pinned to, so they have an environment of their own,
``_build/peers``. Their answers go into ``pkdp/figures/reference/peers.csv``, which the page
compares with the library. Each package is asked through its public interface, in the best way we
found; where a wrong way suggests itself, in that one, too. Nothing here uses `pkdp`.
"""

import contextlib
import csv
import functools
import io
import math
import os
import platform
import statistics
import time
import warnings
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np
import opendp.prelude as dp
from autodp.autodp_core import Mechanism
from autodp.mechanism_zoo import GaussianMechanism
from autodp.transformer_zoo import ComposeAFA, Composition
from dp_accounting.pld import privacy_loss_distribution as pld
from fast_poibin import PoiBin
from gdpnum import PLDConverter
from prv_accountant import PRVAccountant
from prv_accountant import privacy_random_variables as prv
from random_allocation.external_sources import shuffle_external
from riskcal import analysis
from scipy import stats
from scipy.special import logsumexp

TABLE = Path(__file__).resolve().parents[2] / "pkdp" / "figures" / "reference" / "peers.csv"
RUNS = 3

# What is asked, and at which ε, δ, count, or rate of false positives. What the words mean, and the
# true answers, are in `pkdp.figures.reference.peers`.
QUESTIONS = {
    "delta": (0.5,),
    "epsilon": (1e-6, 1e-12, 1e-18, 1e-40),
    "epsilon of 10000": (1e-300,),
    "epsilon of 3 releases": (1e-6, 1e-12, 1e-18),
    "epsilon of 30 releases": (1e-6, 1e-12, 1e-18),
    "gaussian": (1e-6,),
    "gaussian delta": (3.0,),
    "mass": (1223, 1072, 770, 1979),
    "shuffled": (1e-6,),
    "misses": (0.01, 0.1, 0.5),
    "advantage": (0.0,),
}

# The laws of a count of 1,000 records that are 1 with probability 0.1, if the target's is 1 and if
# it is 0, and those of 10,000.
LOG_P, LOG_Q = (stats.binom(999, 0.1).logpmf(np.arange(1001) - bit) for bit in (1, 0))
LARGE = tuple(stats.binom(9999, 0.1).logpmf(np.arange(10_001) - bit) for bit in (1, 0))
DIFFERENT = np.linspace(0.05, 0.5, 5000)


class Way(NamedTuple):
    """A way to ask a package: its functions of what is asked, by question."""

    package: str
    call: str
    answers: Mapping[str, Callable[[float], float]]


def composed(epsilon, numbers=(3, 30)):
    """The questions about several releases, answered by a function of how many, and of δ."""
    return {f"epsilon of {n} releases": functools.partial(epsilon, n) for n in numbers}


# dp-accounting


def distribution(laws=(LOG_P, LOG_Q), **options):
    p, q = ({k: x for k, x in enumerate(law.tolist()) if x > -math.inf} for law in laws)
    return pld.from_two_probability_mass_functions(q, p, **options)


def dp_accounting(call, **options):
    make = functools.partial(distribution, **options)
    return Way(
        "dp-accounting",
        call,
        {
            "delta": lambda eps: make().get_delta_for_epsilon(eps),
            "epsilon": lambda delta: make().get_epsilon_for_delta(delta),
            "epsilon of 10000": lambda delta: make(LARGE).get_epsilon_for_delta(delta),
            **composed(
                lambda times, delta: make().self_compose(times).get_epsilon_for_delta(delta)
            ),
        },
    )


def dp_accounting_gaussian():
    return pld.from_gaussian_mechanism(5.0).self_compose(10)


# prv-accountant


class Loss(prv.PrivacyRandomVariable):
    """The privacy loss ln(P/Q) of two laws, given that it is finite."""

    def __init__(self, log_p, log_q):
        shared = np.isfinite(log_p + log_q)
        self.log_p, self.log_q = log_p[shared], log_q[shared]
        order = np.argsort(self.log_p - self.log_q)
        self.losses = (self.log_p - self.log_q)[order]
        self.below = np.append(0.0, np.cumsum(np.exp(self.log_p[order])))
        self.pm_infinite = float(np.exp(log_p[~shared]).sum())

    def cdf(self, t):
        return self.below[np.searchsorted(self.losses, t, side="right")] / self.below[-1]

    def rdp(self, alpha):
        return float(logsumexp(alpha * self.log_p + (1 - alpha) * self.log_q)) / (alpha - 1)

    @property
    def pm_inf(self):
        return self.pm_infinite


def accountant(loss, times, delta):
    return PRVAccountant(
        prvs=[loss],
        max_self_compositions=[times],
        eps_error=0.01,
        delta_error=delta / 1000,  # as its documentation advises
    )


def prv_epsilon(losses, times, delta):
    ways = (accountant(loss, times, delta) for loss in losses)
    return max(way.compute_epsilon(delta, [times])[-1] for way in ways)


def prv_delta(eps):
    return max(accountant(loss, 1, 1e-6).compute_delta(eps, [1])[-1] for loss in BOTH_WAYS)


BOTH_WAYS = Loss(LOG_P, LOG_Q), Loss(LOG_Q, LOG_P)
GAUSSIAN = (prv.GaussianMechanism(noise_multiplier=5.0),)


# autodp


class Renyi(Mechanism):
    """Told the Rényi divergences; outcomes that one law excludes, of 2e-46, are left out."""

    def __init__(self):
        super().__init__()
        self.name, self.params = "count", {}
        shared = np.isfinite(LOG_P + LOG_Q)
        p, q = LOG_P[shared], LOG_Q[shared]

        def rdp(alpha):
            if alpha == 1:
                return float(max(np.exp(p) @ (p - q), np.exp(q) @ (q - p)))
            either = logsumexp(alpha * p + (1 - alpha) * q), logsumexp(alpha * q + (1 - alpha) * p)
            return float(max(either)) / (alpha - 1)

        self.propagate_updates(rdp, "RDP")


class Characteristic(Mechanism):
    """Told the characteristic functions of the privacy loss."""

    def __init__(self, laws):
        super().__init__()
        self.name, self.params = "count", {}
        shared = np.isfinite(LOG_P + LOG_Q)
        p, q = (law[shared] for law in laws)
        self.log_phi_p2q = lambda t: np.log(np.exp(p) @ np.exp(1j * t * (p - q)))
        self.log_phi_q2p = lambda t: np.log(np.exp(q) @ np.exp(1j * t * (q - p)))
        self.propagate_updates((self.log_phi_p2q, self.log_phi_q2p), "log_phi")


def fourier(times):
    ways = (Characteristic(laws) for laws in ((LOG_P, LOG_Q), (LOG_Q, LOG_P)))
    return [ComposeAFA()([way], [times]) for way in ways]


def fourier_epsilon(times, delta):
    return max(way.get_approxDP(delta) for way in fourier(times))


def fourier_gaussian():
    return ComposeAFA()([GaussianMechanism(sigma=5.0, phi_off=False, RDP_off=True)], [10])


# Sums over masses, and a profile of one's own


def larger(p, q, eps):
    ratio = math.exp(eps)
    return float(max(np.maximum(p - ratio * q, 0).sum(), np.maximum(q - ratio * p, 0).sum()))


def summed(masses):
    return lambda eps: larger(np.append(0, masses()), np.append(masses(), 0), eps)


def own_profile():
    p, q = np.exp(LOG_P), np.exp(LOG_Q)
    return dp.new_privacy_profile(lambda eps: larger(p, q, min(eps, 700.0)))


# Trade-off curves


def fine(swapped):
    laws = (LOG_Q, LOG_P) if swapped else (LOG_P, LOG_Q)
    return distribution(laws, symmetric=False, value_discretization_interval=1e-5)


def trade_offs(package, misses, advantage):
    """Both ways to ask a package about a trade-off curve."""
    for call, swapped in (("P before Q", False), ("Q before P", True)):
        answers = {
            "misses": lambda alpha, swapped=swapped: misses(fine(swapped), alpha),
            "advantage": lambda _, swapped=swapped: advantage(fine(swapped)),
        }
        yield Way(package, call, answers)


WAYS = [
    dp_accounting("as it comes"),
    dp_accounting("symmetric=False", symmetric=False),
    Way(
        "dp-accounting",
        "from_gaussian_mechanism",
        {
            "gaussian": lambda delta: dp_accounting_gaussian().get_epsilon_for_delta(delta),
            "gaussian delta": lambda eps: dp_accounting_gaussian().get_delta_for_epsilon(eps),
        },
    ),
    Way(
        "prv-accountant",
        "own subclass",
        {
            "delta": prv_delta,
            "epsilon": functools.partial(prv_epsilon, BOTH_WAYS, 1),
            **composed(functools.partial(prv_epsilon, BOTH_WAYS)),
        },
    ),
    Way(
        "prv-accountant",
        "GaussianMechanism",
        {"gaussian": functools.partial(prv_epsilon, GAUSSIAN, 10)},
    ),
    Way(
        "autodp",
        "Rényi",
        {
            "epsilon": lambda delta: Renyi().get_approxDP(delta),
            **composed(lambda times, delta: Composition()([Renyi()], [times]).get_approxDP(delta)),
            "gaussian": lambda delta: Composition()(
                [GaussianMechanism(sigma=5.0)], [10]
            ).get_approxDP(delta),
            "misses": lambda alpha: Renyi().get_fDP(alpha),
        },
    ),
    Way(
        "autodp",
        "Fourier",
        {
            "delta": lambda eps: max(way.get_approx_delta(eps) for way in fourier(1)),
            "epsilon": functools.partial(fourier_epsilon, 1),
            **composed(fourier_epsilon, [30]),
            "gaussian": lambda delta: fourier_gaussian().get_approxDP(delta),
            "gaussian delta": lambda eps: fourier_gaussian().get_approx_delta(eps),
        },
    ),
    Way(
        "opendp",
        "our profile, inverted",
        {"epsilon": lambda delta: own_profile().epsilon(delta)},
    ),
    Way(
        "scipy",
        "poisson_binom.pmf",
        {
            "delta": summed(lambda: stats.poisson_binom([0.1] * 999).pmf(np.arange(1000))),
            "mass": lambda k: stats.poisson_binom(DIFFERENT).pmf(k),
        },
    ),
    Way(
        "fast-poibin",
        "PoiBin.pmf",
        {
            "delta": summed(lambda: PoiBin([0.1] * 999).pmf),
            "mass": lambda k: PoiBin(DIFFERENT).pmf[int(k)],
        },
    ),
    Way(
        "random-allocation",
        "closed form",
        {"shuffled": lambda delta: shuffle_external.closedformanalysis(10_000, 2.0, delta)},
    ),
    Way(
        "random-allocation",
        "numerical, upper bound",
        {
            "shuffled": lambda delta: shuffle_external.numericalanalysis(
                10_000, 2.0, delta, num_iterations=20, step=10, upperbound=True
            )
        },
    ),
    *trade_offs(
        "riskcal",
        lambda curve, alpha: analysis.get_beta_from_pld(curve, alpha=alpha),
        analysis.get_advantage_from_pld,
    ),
    *trade_offs(
        "gdpnum",
        lambda curve, alpha: PLDConverter(curve).get_beta(alpha),
        lambda curve: PLDConverter(curve).get_advantage(),
    ),
]


def asked(answer, at):
    """Return the answer or how it failed, and the median of the seconds it took."""
    seconds = []
    for _ in range(RUNS):
        start = time.perf_counter()
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                value, failure = f"{float(answer(at)):.7g}", ""
        except Exception as error:
            value, failure = "", f"{type(error).__name__}: {error}".partition("\n")[0].strip(": ")
        seconds.append(time.perf_counter() - start)
    return value, failure, f"{statistics.median(seconds):.2g}"


def main():
    warnings.simplefilter("ignore")
    dp.enable_features("contrib", "honest-but-curious")
    machine = f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores"
    for way in WAYS:  # what is compiled when first used is compiled now
        for question, answer in way.answers.items():
            asked(answer, QUESTIONS[question][0])
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        file.write("question,at,package,version,call,value,failure,seconds,asked on\n")
        table = csv.writer(file, lineterminator="\n")
        for question, places in QUESTIONS.items():
            for way in WAYS:
                for at in places if question in way.answers else ():
                    value, failure, seconds = asked(way.answers[question], at)
                    row = way.package, version(way.package), way.call, value, failure, seconds
                    table.writerow((question, f"{at:g}", *row, machine))


if __name__ == "__main__":
    main()
