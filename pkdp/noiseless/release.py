"""Release exactly, add noise, or refuse: a procedure for the owner of the data.

The owner of n bits knows an adversary's limits: how many of the values she may know, and how many
records at most depend on each other. Given ε and δ, `decide` says whether the count may be released
as it is; if not, how little noise makes it private; and if that is more than the count can bear,
that it should not be released, and why. What it decides on is a proved bound, for all laws that
leave each record uncertain given the others of its group: nothing of the data is used, or told.

By default the guarantee is about a change of one record that leaves the others as they are. What
the count tells about a record of a group that moves along is more: that is ``conditional=True``.

Noise alone always suffices, as in differential privacy. What the attacker does not know lets the
owner do with less; but for long it is hardly any less, and then quickly none: the standard
deviation of the least noise falls off a cliff where the exact count becomes private.
"""

from __future__ import annotations

import decimal
import math
from dataclasses import dataclass
from typing import Literal, SupportsFloat, SupportsIndex

from pkdp._bisection import least_passing
from pkdp._checks import as_integer, as_real, as_uncertainty
from pkdp.noiseless.adversaries import Adversary, worst_case
from pkdp.noiseless.synergy import geometric_deviation, ratio_of
from pkdp.partial_knowledge.noise import Geometric

__all__ = ["Action", "Decision", "decide"]

Action = Literal["release exactly", "add noise", "refuse"]

# Sizes of the noise are searched between these, the standard deviation to this relative width. A
# count with less noise is the exact one more than 999 999 times in a million.
_LEAST_DEVIATION, _WIDTH = 1e-3, 1e-4
# As many records as counts with noise may have.
_MOST_RECORDS = 10**9


@dataclass(frozen=True)
class Decision:
    """What to do with a count, and why.

    Attributes
    ----------
    action : {"release exactly", "add noise", "refuse"}
        What to do.
    noise : Geometric or None
        What to add to the count; None unless the action is "add noise".
    epsilon, delta : float
        The guarantee: what is published is (ε, δ)-private, in the sense that the reason names. If
        nothing is published, ε is 0.
    reason : str
        Why, in sentences, and what the guarantee is about.
    """

    action: Action
    noise: Geometric | None
    epsilon: float
    delta: float
    reason: str

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise, 0 for none."""
        return 0.0 if self.noise is None else geometric_deviation(self.noise.p)


def decide(
    n: SupportsIndex,
    lam: SupportsFloat,
    adversary: Adversary,
    *,
    eps: SupportsFloat,
    delta: SupportsFloat,
    most_noise: SupportsFloat = math.inf,
    conditional: bool = False,
) -> Decision:
    """Return whether to release a count exactly, with how much noise, or not at all.

    Parameters
    ----------
    n : int
        Number of records, target included; in 2…10⁹.
    lam : float
        λ in (0, ½]: each bit, given the others of its group, is 1 with a probability in [λ, 1-λ].
    adversary : Adversary
        Which part of the records she may know, and how large groups are at most.
    eps, delta : float
        The wanted ε ≥ 0 and δ in [0, 1].
    most_noise : float
        The largest standard deviation, ≥ 0, that noise may have; by default inf.
    conditional : bool
        False if a record changes and the others keep their law, as in Definition 3; true for the
        two laws of the count given the target's bit, where its group moves along. Then noise has
        to hide all of a group, whatever else is unknown.

    Returns
    -------
    Decision
        With the least noise that `pkdp.noiseless.adversaries.worst_case` shows to be enough: its
        standard deviation is within 1/5000 of that, and above it.

    Raises
    ------
    ValueError
        If an argument lies outside its range.
    TypeError
        If an argument is of the wrong kind.

    Notes
    -----
    Noise is two-sided geometric. More of it is less of it with independent noise added, so that δ
    falls as it grows, and bisection finds the least. Alone it is (ε, δ)-private from
    ``p = (1-δ)/(e^ε+δ)`` on, and what the attacker does not know can only help.

    It takes one δ of `worst_case` if the count may be released exactly, with its ε; else some
    twenty, of milliseconds to a second each.

    References
    ----------
    In place of the procedure announced in section 1.1 of "Towards extending noiseless privacy",
    which is not at hand.

    Examples
    --------
    Ten thousand records, of which the attacker may know a tenth; groups of three at most:

    >>> import textwrap
    >>> from pkdp.noiseless.adversaries import Adversary
    >>> found = decide(10_000, 0.1, Adversary(0.1, 3), eps=0.5, delta=1e-6)
    >>> found.action
    'release exactly'
    >>> print(textwrap.fill(found.reason, 84))
    The exact count is (0.251, 1e-06)-private, and (0.5, 1e-06) is wanted. No noise is
    needed. This is about a change of one record that leaves the others as they are; if
    its group of 3 moves along, decide with conditional=True.
    >>> along = decide(10_000, 0.1, Adversary(0.1, 3), eps=0.5, delta=1e-6, conditional=True)
    >>> along.action, round(along.deviation, 2)
    ('add noise', 8.48)

    A tenth as many are too few; and all that they do hide hardly makes the noise any smaller:

    >>> found = decide(1_000, 0.1, Adversary(0.1, 3), eps=0.5, delta=1e-6)
    >>> found.action, round(found.deviation, 3)
    ('add noise', 2.778)
    >>> unknown = decide(1_000, 0.1, Adversary(0.999), eps=0.5, delta=1e-6)
    >>> round(unknown.deviation, 3)
    2.799
    >>> decide(1_000, 0.1, Adversary(0.1, 3), eps=0.5, delta=1e-6, most_noise=2).action
    'refuse'

    It is a cliff. With so many unknown independent records the least noise is:

    >>> for n in (501, 1001, 1501, 2001, 2501):
    ...     print(n, round(decide(n, 0.1, Adversary(0), eps=0.3, delta=1e-6).deviation, 2))
    501 4.68
    1001 4.55
    1501 4.16
    2001 2.99
    2501 0.0
    """
    records = as_integer(n, "n", 2, _MOST_RECORDS)
    lam = as_uncertainty(lam)
    eps = as_real(eps, "eps", "in [0, inf]", 0.0, math.inf)
    delta = as_real(delta, "delta", "in [0, 1]", 0.0, 1.0)
    most = as_real(most_noise, "most_noise", "in [0, inf]", 0.0, math.inf)
    exact = worst_case(records, lam, adversary, conditional=conditional)
    about = _about(adversary.group, conditional)
    if exact.delta(eps) <= delta:
        reached = exact.epsilon(delta)
        reason = (
            f"The exact count is ({_up(reached)}, {delta:g})-private, and ({eps:g}, {delta:g}) is "
            f"wanted. No noise is needed.{about}"
        )
        return Decision("release exactly", None, reached, delta, reason)
    why = (
        f"For the exact count all that is known of δ at ε = {eps:g} is that it is at most "
        f"{_up(exact.delta(eps))}, and {delta:g} is wanted."
    )
    together = conditional and adversary.group > 1
    # A group moves the count by as many as it has, each of which costs the rate of the noise.
    alone = _least_alone(eps / adversary.group, 0.0) if together else _least_alone(eps, delta)
    if alone is None:
        reason = f"{why} Only noise without bounds would do."
        return Decision("refuse", None, 0.0, delta, reason)
    noise = alone if together else _least_noise(records, lam, adversary, eps, delta, alone)
    needed, by_itself = geometric_deviation(noise.p), geometric_deviation(alone.p)
    why += (
        f" Noise of standard deviation {_up(needed)} is enough. It would take {_up(by_itself)} if "
        f"the attacker knew all other records."
    )
    if needed > most:
        reason = f"{why} That is more than may be added, {most:g}."
        return Decision("refuse", None, 0.0, delta, reason)
    return Decision("add noise", noise, eps, delta, why + about)


def _about(group: int, conditional: bool) -> str:
    """Say what the guarantee is about."""
    if group == 1:
        return ""
    if conditional:
        return f" This is about a record whose group of {group} moves along."
    return (
        " This is about a change of one record that leaves the others as they are; if its group "
        f"of {group} moves along, decide with conditional=True."
    )


def _least_noise(
    n: int, lam: float, adversary: Adversary, eps: float, delta: float, alone: Geometric
) -> Geometric:
    """Return the least noise that is seen to be enough, at most what is enough alone."""

    def enough(deviation: float) -> bool:
        noise = Geometric(_ratio(deviation))
        return worst_case(n, lam, adversary, noise=noise).delta(eps) <= delta

    most = geometric_deviation(alone.p)
    least = min(_LEAST_DEVIATION, most)
    found = least if enough(least) else least_passing(least, most, enough, _WIDTH)
    return alone if found == most else Geometric(_ratio(found))


def _least_alone(eps: float, delta: float) -> Geometric | None:
    """Return the least noise that is (ε, δ)-private whatever is known; None if there is none."""
    # (1 - p·E)/(1 + p) ≤ δ if and only if p ≥ (1 - δ)/(E + δ).
    p = (1.0 - delta) * math.exp(-eps) / (1.0 + delta * math.exp(-eps))
    step = 1e-16
    while p < 1.0:
        noise = Geometric(max(p, 1e-200))
        if noise.profile().delta(eps) <= delta:
            return noise
        p *= 1.0 + step
        step *= 2.0
    return None


def _ratio(deviation: float) -> float:
    """Return the p of the noise of a standard deviation, rounded up by a hair."""
    return min(max(ratio_of(deviation) * (1.0 + 1e-15), 1e-200), math.nextafter(1.0, 0.0))


def _up(number: float) -> str:
    """Return three digits of a number ≥ 0, rounded up."""
    with decimal.localcontext(prec=3, rounding=decimal.ROUND_CEILING):
        return f"{float(+decimal.Decimal(number)):.3g}"
