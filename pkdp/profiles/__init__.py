"""Privacy profiles, computed in floats: laws of outputs, their pairs, and how profiles compose.

`laws` has the laws of sums of bits, ready for tails far below the smallest float; `pairs` the
hockey-stick divergence of any two laws; `profile` the curve δ(ε) that it gives. `privacy_loss` and
`accounting` put releases together; `trade_off` says what a profile means to an attacker who bets,
and `exchange` converts pairs to privacy loss distributions of dp-accounting. All compute with
`logarithms`.
"""

from pkdp.profiles.pairs import LogMasses, Pair
from pkdp.profiles.profile import PrivacyProfile, Status

__all__ = ["LogMasses", "Pair", "PrivacyProfile", "Status"]
