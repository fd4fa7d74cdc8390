"""The same question to this library and to others, which sum the masses of a count.

Two counts. Of ten million equal records dp-accounting is given the masses within 9.5 standard
deviations; it rounds losses up to multiples of 1e-4, unless told otherwise, and of 1e-8 ("finely").
Of one of ten thousand different records scipy computes the masses, and so does fast-poibin, in the
environment of `make peers`, where that is there.
"""

import json
import math
import subprocess
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path

import numpy as np
from dp_accounting.pld import privacy_loss_distribution as pld
from scipy import stats

from pkdp import counting
from tests.benchmarks.masses import QUESTIONS, chances, delta_of

Task = Callable[[], float]

ROOT = Path(__file__).resolve().parents[2]
PEERS = ROOT / "_build" / "peers" / "bin" / "python"

EQUAL, P, EPS = 10**7, 0.3, 2e-3


def windowed() -> tuple[dict[int, float], dict[int, float]]:
    """Return the logarithms of the masses of the count given 0 and given 1, within the window."""
    reach = 9.5 * math.sqrt(EQUAL * P * (1 - P))
    k = np.arange(math.floor(EQUAL * P - reach), math.ceil(EQUAL * P + reach) + 1)
    masses = stats.binom(EQUAL, P).logpmf(k).tolist()
    return dict(zip(k.tolist(), masses, strict=True)), dict(
        zip((k + 1).tolist(), masses, strict=True)
    )


def of_equal_records() -> dict[tuple[str, str], Task]:
    """Return δ of ten million equal records by (package, what is timed)."""
    if_0, if_1 = windowed()

    def distribution(interval: float) -> pld.PrivacyLossDistribution:
        return pld.from_two_probability_mass_functions(
            if_0, if_1, symmetric=False, value_discretization_interval=interval
        )

    profile = counting.exact([P], multiplicities=[EQUAL])
    tasks: dict[tuple[str, str], Task] = {
        ("pkdp", "δ, from nothing"): lambda: counting.exact([P], multiplicities=[EQUAL]).delta(EPS),
        ("pkdp", "δ, one more"): lambda: profile.delta(EPS),
        ("pkdp", "ε, from nothing"): lambda: counting.exact([P], multiplicities=[EQUAL]).epsilon(
            1e-10
        ),
    }
    for name, interval in (("dp-accounting", 1e-4), ("dp-accounting, finely", 1e-8)):
        make, made = partial(distribution, interval), distribution(interval)
        tasks |= {
            (name, "δ, from nothing"): lambda make=make: make().get_delta_for_epsilon(EPS),
            (name, "δ, one more"): lambda made=made: made.get_delta_for_epsilon(EPS),
            (name, "ε, from nothing"): lambda make=make: make().get_epsilon_for_delta(1e-10),
        }
    return tasks


def of_different_records() -> dict[tuple[str, str], Task]:
    """Return δ of ten thousand different records by (package, what is timed)."""
    p = chances()
    k = np.arange(p.size + 1)
    asked: dict[tuple[str, str], Task] = {}
    for question, eps in QUESTIONS.items():
        asked["pkdp", question] = lambda eps=eps: counting.exact(p).delta(eps)
        asked["scipy", question] = lambda eps=eps: delta_of(stats.poisson_binom.pmf(k, p), eps)
    return asked


def versions() -> dict[str, str]:
    """Return the versions of the packages that are asked here."""
    return {name: version(name) for name in ("pkdp", "numpy", "scipy", "dp-accounting")}


def in_their_environment() -> tuple[dict[str, str], dict[tuple[str, str], tuple[float, float]]]:
    """Return fast-poibin's version, and its times and values; nothing where it is not installed."""
    if not PEERS.exists():
        return {}, {}
    command = [str(PEERS), "-m", "tests.benchmarks.fast_poibin_timed"]
    said = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)
    answers = {
        ("fast-poibin", question): tuple(answer) for question, answer in said["answers"].items()
    }
    return {"fast-poibin": said["version"]}, answers
