"""What the explorable figures are held against: the same numbers from the library, by other means.

Each function takes the settings of the figure of its name, by the names its sliders have, and
returns the numbers that the figure's `answer` gives.
"""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

from pkdp import counting, daily_profiles, noise, noiseless_privacy, thresholding
from pkdp.figures.noiseless import families
from pkdp.partial_knowledge.background import posterior_bounds
from pkdp.partial_knowledge.simulators import ddp_ratio
from pkdp.profiles.binomials import log_binomial_tail
from pkdp.profiles.profile import PrivacyProfile
from pkdp.worlds.constructors import correlated_pairs
from pkdp.worlds.definitions import cdp_ratio, np_ratio
from pkdp.worlds.mechanisms import make_randomized_response

Numbers = Mapping[str, float]


def _eps(profile: PrivacyProfile, d: float) -> float:
    return profile.epsilon(log_delta=-d * math.log(10))


def count(n: int, share: float, lam: float, d: float) -> Numbers:
    known = math.floor((n - 1) * share / 100)
    profile = counting.worst_case(n, lam, known=known, tol=1e-10)
    return {
        "eps": _eps(profile, d),
        "closed": _eps(counting.closed_form(n, lam, known=known), d),
        "bottom": profile.log_delta(math.inf),
    }


def threshold(n: int, p: float, T: int, known: int, d: float) -> Numbers:
    left = max(T - known, 0)
    profile = thresholding.worst_case(n - known, p, threshold=left)
    return {
        "eps": _eps(profile, d),
        "zero": profile.log_delta(0.0),
        "passive": float(log_binomial_tail(T, n - 1, p)),
    }


def posterior(prior: int, eps: float) -> Numbers:
    lower, upper = posterior_bounds(prior / 100, eps)
    return {"lower": lower, "upper": upper}


def response(truth: int, n: int, share: int) -> Numbers:
    """By the four cases of a true and a said answer."""
    t, s = Fraction(truth, 100), Fraction(share, 100)
    told = make_randomized_response(t)
    laws = {true: {said[0]: mass for said, mass in told((true,)).items()} for true in (0, 1)}
    said = s * laws[1][1] + (1 - s) * laws[0][1]
    # A share s of Yes is estimated by the line through what is said for s = 0 and s = 1.
    slope = laws[1][1] - laws[0][1]
    return {
        "eps": math.log(laws[1][1] / laws[0][1]),
        "deviation": math.sqrt(said * (1 - said) / n) / slope if slope else math.inf,
        "believed": float(s * laws[1][1] / said),
    }


def noisy(unknown: int, p: float, g: float, d: float) -> Numbers:
    pair = counting.pair([p], multiplicities=[unknown])
    added = noise.Geometric(g)
    return {
        "eps": _eps(noise.add(pair, added).profile(), d),
        "alone": _eps(pair.profile(), d),
        "noisy": _eps(added.profile(), d),
    }


def correlation(c: float, t: int) -> Numbers:
    world = correlated_pairs([Fraction(1, 2)], (1 + Fraction(c).limit_denominator(1000)) / 2)
    told = make_randomized_response(Fraction(t, 100))
    enclosed = ddp_ratio(world, told, [0])
    return {
        "np": math.log(np_ratio(world, told, [0])),
        "cdp": math.log(cdp_ratio(world, told, [0])),
        "ddp": math.log(enclosed.upper),
    }


def household(n: int, size: int, rho: float, d: float) -> Numbers:
    law = families.alike(size, Fraction(rho).limit_denominator(1000))
    groups = [(law, n // size)]
    return {
        "eps": _eps(noiseless_privacy.add_or_remove(groups, (0, 0)), d),
        "conditional": _eps(noiseless_privacy.conditional(groups, (0, 0)), d),
    }


def days(unknown: int, days: int, p: float, rho: float, d: float) -> Numbers:
    # No smaller correlation is that of chances.
    rho = max(rho, -min(p, 1 - p) / max(p, 1 - p) + 0.01)
    chain = daily_profiles.MarkovChain.stationary(p, rho)

    def eps(first: list[int], second: list[int]) -> float:
        return _eps(daily_profiles.gaussian_limit(unknown + 1, chain, a=first, b=second), d)

    turns = [day % 2 for day in range(days)]
    return {
        "changing": eps(turns, [1 - bit for bit in turns]),
        "constant": eps([1] * days, [0] * days),
        "one": eps([1], [0]),
        "rho": rho,
    }


REFERENCES: dict[str, Callable[..., Numbers]] = {
    "count": count,
    "threshold": threshold,
    "posterior": posterior,
    "response": response,
    "noise": noisy,
    "correlation": correlation,
    "household": household,
    "days": days,
}
