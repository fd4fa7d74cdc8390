"""Closed forms in floats; the formulas are in `pkdp.profiles.closed_forms`."""

from __future__ import annotations

import math

from pkdp.profiles import closed_forms
from pkdp.releases import BerryEsseen, ClosedForm, EntropyForm


def log_closed_form(release: ClosedForm, eps: float) -> float:
    """Return ln of the closed form with ε²."""
    return closed_forms.log_closed_form(release.unknown, release.lam, release.two_categories, eps)


def log_entropy_form(release: EntropyForm, eps: float) -> float:
    """Return ln of the form by relative entropies, which is no larger than at ε = 0.

    With its second factor either formula rises a little near 0 before it falls.
    """
    return min(_log_entropy_form(release, 0.0), _log_entropy_form(release, eps))


def _log_entropy_form(release: EntropyForm, eps: float) -> float:
    terms = release.unknown, release.lam, eps, release.bessel
    bound = closed_forms.log_kl_blanket(*terms)
    if release.two_categories and eps < math.inf:
        bound = min(bound, closed_forms.log_kl_two_categories(*terms))
    return bound


def log_berry_esseen(release: BerryEsseen, eps: float) -> float:
    """Return ln of the bound by a normal approximation."""
    return release.formula.log_delta(eps)
