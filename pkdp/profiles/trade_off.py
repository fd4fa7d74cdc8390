"""The attacker's advantage, which is the total variation of the two distributions.

Her whole trade-off curve is in `pkdp.figures.reference.trade_off_curves`.
"""

from __future__ import annotations

from pkdp.profiles.profile import PrivacyProfile, delta_above

__all__ = ["advantage"]


def advantage(profile: PrivacyProfile) -> float:
    """Compute the attacker's advantage: her rate of true positives less that of false positives.

    It is the total variation of the two laws, δ(0). Who bets on one of two values that are equally
    likely to her is right with probability (1 + advantage)/2.

    Parameters
    ----------
    profile : PrivacyProfile
        Exact, or an upper bound.

    Returns
    -------
    float
        In [0, 1], not below the truth.

    Raises
    ------
    ValueError
        If the profile is neither exact nor an upper bound, or states no relative error.
    TypeError
        If it is no profile.

    Examples
    --------
    >>> from pkdp import counting
    >>> round(advantage(counting.exact([0.5] * 99)), 4)
    0.0796
    """
    return delta_above(profile, 0.0)
