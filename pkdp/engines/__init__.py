"""Privacy profiles in floats: which function computes ln δ(ε) of which release.

`log_delta` dispatches on the type of the release. Releases import this package when their first
value is computed.
"""

import functools

from pkdp import releases
from pkdp.engines import blankets, noisy_counts, passive, rounding, vertices
from pkdp.engines.vertices import log_delta_of_vertices
from pkdp.profiles.profile import Release
from pkdp.releases import WorstVertex

__all__ = ["log_delta", "log_delta_of_vertices", "worst_vertex"]


@functools.singledispatch
def log_delta(release: Release, eps: float) -> float:
    """Return ln δ(ε) of a release at one ε in [0, inf]."""
    raise TypeError(f"no engine computes δ of {release!r} at ε = {eps}")


log_delta.register(releases.WorstRounded, rounding.log_worst)
log_delta.register(releases.Blanket, blankets.log_hockey_stick)
log_delta.register(releases.BlanketTail, blankets.log_tail)
log_delta.register(releases.NoisyBlanket, noisy_counts.log_blanket)
log_delta.register(releases.Passive, passive.log_mean_of_both)
log_delta.register(releases.WorstPassive, passive.log_worst_mean)


@functools.singledispatch
def worst_vertex(release: Release, eps: float) -> WorstVertex:
    """Return where the maximum over all vertices is attained."""
    raise TypeError(f"no vertices are searched for {release!r} at ε = {eps}")


worst_vertex.register(releases.WorstCount, vertices.worst)
worst_vertex.register(releases.WorstNoisyCount, noisy_counts.worst)
