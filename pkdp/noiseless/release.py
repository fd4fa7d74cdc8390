"""Release decision of a data owner: publish a count exactly, add geometric noise, or refuse.

The owner of n bits knows an adversary's limits: how many of the values she may know, and the
largest number of records that depend on each other. Given ε and δ, `decide` says whether the count
may be released exactly; if not, the least noise that makes it private; and if that is more than the
count can bear, that it should not be released, and why. The decision follows from a proved bound
for all laws that leave each record uncertain given the others of its group: it does not use the
data, and reveals nothing about it.

By default the guarantee is about a change of one record that leaves the others as they are. The
count says more about a record whose group moves along: that is ``conditional=True``.

Noise alone always suffices, as in differential privacy. What the attacker does not know reduces the
least noise: hardly at first, and then abruptly to none, where the exact count becomes private.
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

# The least standard deviation of noise that is tried (with less, the noise is 0 with probability
# 0.999999), and the relative width of the search.
_LEAST_DEVIATION, _WIDTH = 1e-3, 1e-4
# The largest number of records of a count with noise.
_MOST_RECORDS = 10**9


@dataclass(frozen=True)
class Decision:
    """A decision about the release of a count, and its reason.

    Attributes
    ----------
    action : {"release exactly", "add noise", "refuse"}
        What to do.
    noise : Geometric or None
        What to add to the count; None unless the action is "add noise".
    epsilon, delta : float
        The guarantee: what is published is (ε, δ)-private in the sense given by the reason. If
        nothing is published, ε is 0.
    reason : str
        The reason in sentences, and what the guarantee is about.
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
    """Decide whether to release a count exactly, with noise (and how much), or not at all.

    Parameters
    ----------
    n : int
        Number of records, target included; in 2…10⁹.
    lam : float
        λ in (0, ½]: each bit, given the others of its group, is 1 with a probability in [λ, 1-λ].
    adversary : Adversary
        The fraction of the records that she may know, and the largest size of a group.
    eps, delta : float
        The wanted ε ≥ 0 and δ in [0, 1].
    most_noise : float
        The largest standard deviation, ≥ 0, that noise may have; by default inf.
    conditional : bool
        False if a record changes and the others keep their law, as in Definition 3; true to compare
        the laws of the count given the target's bit, so that its group moves along. Then noise
        must hide a whole group, whatever else is unknown.

    Returns
    -------
    Decision
        With the least noise that `pkdp.noiseless.adversaries.worst_case` shows to be enough: its
        standard deviation is at most 1/5000 above the least one.

    Raises
    ------
    ValueError
        If an argument is outside its range.
    TypeError
        If an argument is of the wrong kind.

    Notes
    -----
    Noise is two-sided geometric. More noise is less noise plus independent noise, so δ falls as the
    noise grows, and bisection finds the least amount. Noise alone is (ε, δ)-private from
    ``p = (1-δ)/(e^ε+δ)`` on, and what the attacker does not know can only help.

    If the count may be released exactly, one δ and one ε of `worst_case` are computed; otherwise
    about twenty δ, which take milliseconds to a second each.

    References
    ----------
    This replaces the procedure announced in section 1.1 of "Towards extending noiseless privacy",
    which is not available to us.

    Examples
    --------
    Ten thousand records, of which the attacker may know 10 %; groups of at most three:

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

    A thousand records are too few, and what they hide hardly reduces the noise:

    >>> found = decide(1_000, 0.1, Adversary(0.1, 3), eps=0.5, delta=1e-6)
    >>> found.action, round(found.deviation, 3)
    ('add noise', 2.778)
    >>> unknown = decide(1_000, 0.1, Adversary(0.999), eps=0.5, delta=1e-6)
    >>> round(unknown.deviation, 3)
    2.799
    >>> decide(1_000, 0.1, Adversary(0.1, 3), eps=0.5, delta=1e-6, most_noise=2).action
    'refuse'

    The least noise drops abruptly as the number of unknown independent records grows:

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
    # A group moves the count by at most its size, and each step costs the rate of the noise.
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
    """Return sentences that say what the guarantee is about."""
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
    """Return the least noise that is shown to be enough; at most what is enough alone."""

    def enough(deviation: float) -> bool:
        noise = Geometric(_ratio(deviation))
        return worst_case(n, lam, adversary, noise=noise).delta(eps) <= delta

    most = geometric_deviation(alone.p)
    least = min(_LEAST_DEVIATION, most)
    found = least if enough(least) else least_passing(least, most, enough, _WIDTH)
    return alone if found == most else Geometric(_ratio(found))


def _least_alone(eps: float, delta: float) -> Geometric | None:
    """Return the least noise that is (ε, δ)-private by itself; None if there is none."""
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
    """Return the ratio p of noise of a standard deviation, rounded up."""
    return min(max(ratio_of(deviation) * (1.0 + 1e-15), 1e-200), math.nextafter(1.0, 0.0))


def _up(number: float) -> str:
    """Return three digits of a number ≥ 0, rounded up."""
    with decimal.localcontext(prec=3, rounding=decimal.ROUND_CEILING):
        return f"{float(+decimal.Decimal(number)):.3g}"
