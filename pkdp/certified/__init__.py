"""Certified privacy profiles: bounds of ln δ that are proved by ball arithmetic.

`enclose` dispatches on the type of the release. It takes python-flint, an extra.
"""

import functools

from pkdp import releases
from pkdp.certified import (
    blankets,
    closed_forms,
    counts,
    noise,
    noisy_vertices,
    passive,
    thresholds,
    vertices,
)
from pkdp.profiles.additive_noise import LaplacePair, Noise, NoisyPair
from pkdp.profiles.pairs import Pair
from pkdp.profiles.profile import Release
from pkdp.profiles.thresholds import ThresholdedPair

__all__ = ["enclose"]


@functools.singledispatch
def enclose(release: Release, eps: float) -> tuple[float, float]:
    """Return two numbers between which ln δ(ε) of a release lies, at one ε in [0, inf]."""
    raise TypeError(f"nothing is proved of {release!r} at ε = {eps}")


enclose.register(Pair, counts.enclose)
enclose.register(ThresholdedPair, thresholds.enclose)
enclose.register(Noise, noise.enclose_alone)
enclose.register(NoisyPair, noise.enclose)
enclose.register(LaplacePair, noise.enclose)
enclose.register(releases.WorstCount, vertices.enclose)
enclose.register(releases.WorstNoisyCount, noisy_vertices.enclose)
enclose.register(releases.Blanket, blankets.enclose)
enclose.register(releases.BlanketTail, blankets.enclose_tail)
enclose.register(releases.NoisyBlanket, blankets.enclose_noisy)
enclose.register(releases.ClosedForm, closed_forms.enclose)
enclose.register(releases.EntropyForm, closed_forms.enclose_entropy_form)
enclose.register(releases.BerryEsseen, closed_forms.enclose_berry_esseen)
enclose.register(releases.TwoSided, thresholds.enclose_two_sided)
enclose.register(releases.WorstThreshold, thresholds.enclose_worst)
enclose.register(releases.Passive, passive.enclose)
enclose.register(releases.WorstPassive, passive.enclose_worst)
