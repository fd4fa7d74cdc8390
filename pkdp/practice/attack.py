"""Simulated attacks: an attacker bets on a record many times, and her wins are counted.

A bound says how well an attacker can do at most. Here one does it. In every round a database is
drawn, she gets the known records as her kind allows, an answer is released, and she says whether
the target's record is a, or leaves it at that. In one half of the rounds it is a, in the other half
it is b. Her *advantage* at ε is

    P[she says a | it is a] - e^ε·P[she says a | it is b],

and nobody's is above δ(ε), by the definition of δ: the hockey-stick divergence is the advantage of
the likelihood-ratio test of Neyman and Pearson, which says a where P[answer | a] is more than e^ε
times P[answer | b]. That is the test she plays here, knowing all probabilities. At ε = 0 it wins
the most bets: if a coin decides between a and b, she is right with probability ½ + δ(0)/2.

`on_count` plays against counts of any size, with a threshold or with noise; `on_world` against any
mechanism on a world small enough to be written down.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, SupportsFloat, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

from pkdp._checks import (
    as_choice,
    as_eps,
    as_finite_ratio,
    as_instance,
    as_integer,
    as_probabilities,
)
from pkdp.partial_knowledge import noise as noisy
from pkdp.profiles.laws import PoissonBinomial
from pkdp.profiles.logarithms import FloatArray, IntArray
from pkdp.profiles.pairs import LOG_LEAST, Pair
from pkdp.worlds import definitions
from pkdp.worlds.mechanisms import Mechanism, Output, output_law
from pkdp.worlds.world import Knowledge, Target, World

__all__ = ["Attack", "Attacker", "on_count", "on_world"]

Attacker: TypeAlias = Literal["active", "passive"]
_ATTACKERS = ("active", "passive")

_MOST_ROUNDS = 10**7
# So many bits are drawn within some ten seconds.
_MOST_BITS = 3 * 10**9
# A group of fewer equal bits is drawn bit by bit.
_FEW = 4
# Losses are known to some twelve digits. What is no further than this above ε counts as equal to
# it, so that a tie is decided alike on every machine; her advantage loses less than that.
_HAIR = 1e-9

Bools: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Attack:
    """How an attacker did, in as many rounds where the target's record was a as where it was b.

    Attributes
    ----------
    eps : float
        ε of her test.
    record : hashable
        a: what she tries to recognize.
    rounds : int
        Rounds of either kind.
    hits, false_alarms : int
        In how many of them she said a, rightly and wrongly.
    expected : float or Fraction
        The advantage that her test has on average, exactly.
    confidence : float
        Of `interval`.

    Examples
    --------
    >>> attack = Attack(0.0, 1, rounds=1000, hits=600, false_alarms=400, expected=0.25)
    >>> round(attack.advantage, 12), attack.right
    (0.2, 0.6)
    >>> [round(end, 3) for end in attack.interval]
    [0.111, 0.287]
    """

    eps: float
    record: Hashable
    rounds: int
    hits: int
    false_alarms: int
    expected: float | Fraction
    confidence: float = 0.99

    @property
    def advantage(self) -> float:
        """How often she said a when it was, less e^ε times how often she did when it was not."""
        return self.hits / self.rounds - math.exp(self.eps) * (self.false_alarms / self.rounds)

    @property
    def interval(self) -> tuple[float, float]:
        """Ends between which her expected advantage lies, at the `confidence`.

        Each of the two probabilities has an interval of Clopper and Pearson, which is exact, with
        half of what is left to chance.
        """
        hit, alarm = (self._between(number) for number in (self.hits, self.false_alarms))
        factor = math.exp(self.eps)
        return hit[0] - factor * alarm[1], hit[1] - factor * alarm[0]

    @property
    def right(self) -> float:
        """Share of bets she wins if a coin decides between a and b."""
        return 0.5 + (self.hits - self.false_alarms) / (2 * self.rounds)

    def _between(self, successes: int) -> tuple[float, float]:
        chance, failures = (1.0 - self.confidence) / 4.0, self.rounds - successes
        low = betaincinv(successes, failures + 1, chance) if successes else 0.0
        high = betaincinv(successes + 1, failures, 1.0 - chance) if failures else 1.0
        return float(low), float(high)


def on_count(
    probabilities: npt.ArrayLike,
    *,
    known_probabilities: npt.ArrayLike = (),
    attacker: Attacker = "passive",
    threshold: SupportsIndex | None = None,
    noise: noisy.Geometric | None = None,
    eps: SupportsFloat = 0.0,
    rounds: SupportsIndex = 100_000,
    seed: SupportsIndex = 0,
) -> Attack:
    """Play against a count of independent bits, exact, with a threshold or with noise.

    Parameters
    ----------
    probabilities : array_like, shape (N,)
        In [0, 1], of a 1 in the records that are neither the target's nor known to her.
    known_probabilities : array_like, shape (K,)
        The same for the records that she knows, before she does.
    attacker : {"passive", "active"}
        A passive attacker sees the known records as they fall. An active one has set them, to
        possible values that help her most.
    threshold : int, optional
        T in 0…n, n = N + K + 1: counts up to T are replaced by ⊥.
    noise : Geometric, optional
        What is added to the count. There must be no threshold then.
    eps : float
        ε in [0, 700] of her test; 0 for the most bets won.
    rounds : int
        In 1…10⁷, of either kind.
    seed : int
        In 0…2⁶³-1. The same seed makes the same rounds.

    Returns
    -------
    Attack
        She tries to recognize a 1, or a 0 if that has the larger expected advantage.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or the number of different probabilities times
        `rounds` is above 3·10⁹.

    Notes
    -----
    The rounds are played at once. Records with equal probabilities are drawn as one number, so that
    100,000 rounds take some hundredths of a second for equal ones, and a second for 2,000 different
    ones.

    References
    ----------
    Definitions 12, 13 and 15 of the paper; Clopper and Pearson (1934).

    Examples
    --------
    >>> from pkdp.partial_knowledge import counting
    >>> attack = on_count([0.1] * 100)
    >>> bound = counting.exact([0.1] * 100).delta(0.0)
    >>> attack.interval[0] <= bound <= attack.interval[1], abs(attack.expected - bound) < 1e-8
    (True, True)

    A threshold, and what it is worth against an attacker who merely sees half of the records, and
    against one who sets them:

    >>> few, many = [0.1] * 50, [0.1] * 50
    >>> for attacker in ("passive", "active"):
    ...     attack = on_count(few, known_probabilities=many, attacker=attacker, threshold=20)
    ...     print(f"{attacker}: {attack.expected:.2g}")
    passive: 0.0012
    active: 0.18
    """
    unknown = as_probabilities(probabilities, "probabilities")
    known = as_probabilities(known_probabilities, "known_probabilities")
    kind = as_choice(attacker, "attacker", _ATTACKERS)
    eps = as_eps(eps)
    rounds, source = _as_play(rounds, seed)
    if threshold is not None:
        threshold = as_integer(threshold, "threshold", 0, unknown.size + known.size + 1)
    if noise is not None:
        as_instance(noise, "noise", noisy.Geometric)
        if threshold is not None:
            raise ValueError(f"threshold must be None where noise is added, got {threshold}")
    others, seen = _Bits(unknown), _Bits(known)
    if (others.sizes.size + seen.sizes.size) * rounds > _MOST_BITS:
        raise ValueError(
            f"rounds must be at most {_MOST_BITS} divided by the number of different "
            f"probabilities, got {rounds}"
        )
    game = _Game(others, seen, threshold, noise, eps, is_active=kind == "active")
    # At ε = 0 both records give the same advantage, and rounding must not decide.
    gains = [game.expected(record) for record in (0, 1)]
    record = int(gains[1] >= gains[0] - _HAIR)
    hits, alarms = (game.play(source, record, truth, rounds) for truth in (record, 1 - record))
    return Attack(eps, record, rounds, hits, alarms, gains[record])


def on_world(
    world: World,
    mechanism: Mechanism,
    *,
    target: Target,
    a: Hashable,
    b: Hashable,
    attacker: Attacker = "passive",
    ratio: Fraction | int = 1,
    rounds: SupportsIndex = 100_000,
    seed: SupportsIndex = 0,
) -> Attack:
    """Play against any mechanism on a world that is written down.

    Parameters
    ----------
    world : World
        The law of the database and of what she knows, which may be anything: records, a part of
        them, their sum, rumours.
    mechanism : callable
        From a database to an output or to ``{output: Fraction}``.
    target : int or callable
        What the attacker is after.
    a, b : hashable
        Two values of it; she tries to recognize a.
    attacker : {"passive", "active"}
        To a passive attacker her knowledge comes as it is drawn, given a; an active one has the
        knowledge that helps her most.
    ratio : Fraction
        e^ε ≥ 1 of her test; 1 for the most bets won.
    rounds, seed
        As for `on_count`.

    Returns
    -------
    Attack
        Its `expected` is a fraction: what her test gains, summed over all databases. To recognize b
        she may gain more: exchange a and b.

    Raises
    ------
    ValueError
        If the target is out of range, does not take one of the values, some knowledge excludes
        one of them, or another argument lies outside its range.
    TypeError
        If `world` is a family, or `ratio` neither an int nor a fraction.

    Notes
    -----
    In the rounds with b her knowledge is drawn given a, too, and then the database given b and the
    knowledge: what the knowledge alone says of the target is not the mechanism's doing. That is how
    Definition 13 compares. Where the target is independent of the knowledge it makes no difference.

    References
    ----------
    Definitions 12 and 13 of the paper.

    Examples
    --------
    >>> from pkdp.worlds.mechanisms import make_threshold
    >>> from pkdp.worlds import bits
    >>> world = bits([Fraction(1, 4)] * 3, knowledge=[2])
    >>> for attacker in ("passive", "active"):
    ...     attack = on_world(world, make_threshold(1), target=0, a=1, b=0, attacker=attacker)
    ...     low, high = attack.interval
    ...     print(f"{attacker}: {attack.expected}, {low <= attack.expected <= high}")
    passive: 3/8, True
    active: 3/4, True
    """
    kind = as_choice(attacker, "attacker", _ATTACKERS)
    exact = as_finite_ratio(ratio)
    rounds, source = _as_play(rounds, seed)
    table = definitions.apk_table(world, mechanism, exact, target=target, a=a, b=b)
    if kind == "active":
        best = max(table, key=lambda knowledge: table[knowledge][1])
        chances = {best: Fraction(1)}
    else:
        chances = {knowledge: chance for knowledge, (chance, _) in table.items()}
    plays = {truth: _Cells(world, mechanism, target, truth, chances) for truth in (a, b)}
    said = plays[a].where_larger(plays[b], exact)
    expected = plays[a].chance_of(said) - exact * plays[b].chance_of(said)
    hits, alarms = (plays[truth].play(source, said, rounds) for truth in (a, b))
    return Attack(math.log(exact), a, rounds, hits, alarms, expected)


def _as_play(rounds: SupportsIndex, seed: SupportsIndex) -> tuple[int, np.random.Generator]:
    number = as_integer(rounds, "rounds", 1, _MOST_ROUNDS)
    return number, np.random.default_rng(as_integer(seed, "seed", 0, 2**63 - 1))


# Counts.


class _Bits:
    """Independent bits, those of equal probability together."""

    def __init__(self, probabilities: FloatArray) -> None:
        self.number = probabilities.size
        self.chances, self.sizes = np.unique(probabilities, return_counts=True)

    def draw(self, source: np.random.Generator, rounds: int) -> IntArray:
        """Return the number of 1s in each round."""
        ones = np.zeros(rounds, dtype=np.int64)
        for chance, size in zip(self.chances.tolist(), self.sizes.tolist(), strict=True):
            if size < _FEW:
                for _ in range(size):
                    ones += source.random(rounds) < chance
            else:
                ones += source.binomial(size, chance, rounds)
        return ones


class _Test:
    """Her test of one record against the other.

    She looks at an integer, the answer less what she knows it to contain. All integers up to some
    number look alike to her, those that are hidden.

    Parameters
    ----------
    first : int
        The least integer that is of any weight.
    log_p, log_q : ndarray
        Logarithms of the masses from there on, under the record she tries to recognize and under
        the other one.
    eps : float
    """

    def __init__(self, first: int, log_p: FloatArray, log_q: FloatArray, eps: float) -> None:
        self._first, self._eps = first, eps
        self._shown, excess = self._compared(log_p, log_q)
        log_p, log_q = np.logaddexp.accumulate(log_p), np.logaddexp.accumulate(log_q)
        self._hidden, merged = self._compared(log_p, log_q)
        # What she gains with nothing hidden, with the first integer, with the first two, …
        rest = np.append(np.cumsum(excess[::-1])[::-1], 0.0)
        self._gains = rest + np.append(0.0, merged)

    def _compared(self, log_p: FloatArray, log_q: FloatArray) -> tuple[Bools, FloatArray]:
        says = (log_p > -math.inf) & (log_p > log_q + (self._eps + _HAIR))
        return says, np.where(says, np.exp(log_p) - np.exp(log_q + self._eps), 0.0)

    def gain(self, hidden: IntArray | int | None) -> FloatArray:
        """Return her expected advantage where integers up to these are hidden; None hides none."""
        if hidden is None:
            return np.asarray(self._gains[0])
        places = np.clip(hidden - self._first + 1, 0, self._gains.size - 1)
        return np.asarray(self._gains[places])

    def says(self, seen: IntArray, hidden: IntArray | int | None) -> Bools:
        """Return in which rounds she says that it is the record."""
        shown = np.asarray(self._shown[self._places(seen)])
        if hidden is None:
            return shown
        return np.where(seen <= hidden, self._hidden[self._places(hidden)], shown)

    def _places(self, integers: IntArray | int) -> IntArray:
        return np.asarray(np.clip(integers - self._first, 0, self._shown.size - 1))


class _Game:
    """An attacker who knows some records: sees them as they fall, or has set them."""

    def __init__(
        self,
        others: _Bits,
        known: _Bits,
        threshold: int | None,
        noise: noisy.Geometric | None,
        eps: float,
        *,
        is_active: bool,
    ) -> None:
        self.others, self.known, self.threshold = others, known, threshold
        self.noise, self.eps, self.is_active = noise, eps, is_active
        self.tests = self._tests()
        law = PoissonBinomial(known.chances, known.sizes)
        self.possible = np.arange(law.least, law.most + 1)
        self.masses = np.exp(law.log_pmf(law.least, law.most))

    def _tests(self) -> tuple[_Test, _Test]:
        """Return her tests for a 0 and for a 1."""
        count = PoissonBinomial(self.others.chances, self.others.sizes)
        first, last = count.span(LOG_LEAST)
        if self.noise is None:
            if_0, if_1 = (count.log_pmf(first - own, last + 1 - own) for own in (0, 1))
        else:
            # Beyond its ends the ratio stays what it is there, so that one value stands for all.
            first -= 1
            pair = noisy.NoisyPair(Pair(count.shift(1), count), self.noise)
            if_1, if_0, _ = pair.log_masses()
        return _Test(first, if_0, if_1, self.eps), _Test(first, if_1, if_0, self.eps)

    def expected(self, record: int) -> float:
        """Return the mean over what she may see, or the most of all that she could set."""
        if self.threshold is None:
            return float(self.tests[record].gain(None))
        gains = self.tests[record].gain(self.threshold - self.possible)
        return float(gains.max() if self.is_active else self.masses @ gains)

    def play(self, source: np.random.Generator, record: int, truth: int, rounds: int) -> int:
        """Return in how many rounds she says that it is the record."""
        answers, hidden = self.others.draw(source, rounds) + truth, None
        if self.noise is not None:
            for sign in (1, -1):
                answers += sign * source.geometric(1.0 - self.noise.p, rounds)
        if self.threshold is not None:
            # She subtracts the known 1s, from what is shown and from the threshold.
            hidden = self.threshold - self.possible
            if self.is_active:
                hidden = hidden[np.argmax(self.tests[record].gain(hidden))]
            else:
                hidden = self.threshold - self.known.draw(source, rounds)
        return int(np.count_nonzero(self.tests[record].says(answers, hidden)))


# Worlds.


class _Cells:
    """The databases with one value of the target, given what she knows, and their outputs.

    A cell is what she sees: her knowledge and the output.
    """

    def __init__(
        self,
        world: World,
        mechanism: Mechanism,
        target: Target,
        truth: Hashable,
        chances: dict[Knowledge, Fraction],
    ) -> None:
        secret = world.secret(target)
        self._databases: list[Fraction] = []
        self._cells: list[tuple[Knowledge, Output]] = []
        self._masses: dict[tuple[Knowledge, Output], Fraction] = {}
        ends: list[float] = []
        for knowledge, chance in chances.items():
            part = world.weights_given[knowledge]
            those = {database: part[database] for database in part if secret(database) == truth}
            everything = sum(those.values())
            for database, weight in those.items():
                share = chance * Fraction(weight, everything)
                reached = Fraction(len(self._databases))
                self._databases.append(share)
                for output, mass in output_law(mechanism, database).items():
                    cell = knowledge, output
                    reached += mass
                    ends.append(float(reached))
                    self._cells.append(cell)
                    self._masses[cell] = self._masses.get(cell, Fraction(0)) + share * mass
        # A database is a stretch of length 1, and its outputs divide it.
        self._ends = np.array(ends)

    def where_larger(self, other: _Cells, ratio: Fraction) -> set[tuple[Knowledge, Output]]:
        """Return the cells that are more likely here, by more than a ratio."""
        return {
            cell
            for cell, mass in self._masses.items()
            if mass > ratio * other._masses.get(cell, Fraction(0))
        }

    def chance_of(self, cells: set[tuple[Knowledge, Output]]) -> Fraction:
        """Return the probability of some cells."""
        return sum((mass for cell, mass in self._masses.items() if cell in cells), Fraction(0))

    def play(
        self, source: np.random.Generator, said: set[tuple[Knowledge, Output]], rounds: int
    ) -> int:
        """Return in how many rounds a database is drawn and released as one of some cells."""
        chances = np.cumsum([float(share) for share in self._databases])
        drawn = np.searchsorted(chances[:-1], source.random(rounds), side="right")
        places = np.searchsorted(self._ends[:-1], drawn + source.random(rounds), side="right")
        says = np.array([cell in said for cell in self._cells])
        return int(np.count_nonzero(says[places]))
