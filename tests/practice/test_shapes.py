"""Every shape of release that an audit accepts, against all outcomes for a few records."""

import functools
import itertools
import math

import numpy as np
import pytest

from pkdp import audit
from pkdp.partial_knowledge.noise import Geometric
from tests.oracles import releases

# Counts, the rows of which a file is made, and the kinds of records that the counts tell apart.
SHAPES = {
    "one": (["a=Y"], ["Y,", "N,"], [(1,), (0,)]),
    "both sides": (["a=Y", "a=N"], ["Y,", "N,"], [(1, 0), (0, 1)]),
    "two of three": (["a=Y", "a=N"], ["Y,", "N,", "U,"], [(1, 0), (0, 1), (0, 0)]),
    "all of three": (
        ["a=Y", "a=N", "a=U"],
        ["Y,", "N,", "U,"],
        [(1, 0, 0), (0, 1, 0), (0, 0, 1)],
    ),
    "three of four": (
        ["a=Y", "a=N", "a=U"],
        ["Y,", "N,", "U,", "V,"],
        [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0)],
    ),
    "two columns": (["a=Y", "b=Y"], ["Y,Y", "N,N"], [*itertools.product((0, 1), repeat=2)]),
    "both sides and a column": (
        ["a=Y", "a=N", "b=Y"],
        ["Y,Y", "N,N"],
        [(*side, b) for side in ((1, 0), (0, 1), (0, 0)) for b in (0, 1)],
    ),
}
SIZES = {2: (2, 3, 5, 12), 3: (3, 6, 12), 4: (4, 8), 6: (4, 6)}
DELTAS = (0.3, 0.01)


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """Ask about a file of n records; it is read once."""
    monkeypatch.setattr(audit, "_looked_at", functools.cache(audit._looked_at))

    def ask(shape, n, **options):
        counts, rows, _ = SHAPES[shape]
        file = tmp_path / f"{n}.csv"
        if not file.exists():
            file.write_text("\n".join(["a,b", *itertools.islice(itertools.cycle(rows), n)]) + "\n")
        return audit.of_file(file, counts, assume="independent", alternatives=False, **options)

    return ask


def checked(found, delta, true):
    """Compare both guarantees with the true δ."""
    for number, one in enumerate((found.active, found.passive)):
        if one.eps < math.inf:
            assert true(one.eps)[number] <= delta * (1 + 1e-9)
        assert true(0.0)[number] <= one.advantage * (1 + 1e-9)
        if one.status == "exact" and one.eps > 0:
            assert true(one.eps * (1 - 1e-6))[number] > delta * (1 - 1e-9)


def ways(how, n):
    """Return ways to publish, as options of an audit."""
    return {
        "exactly": [{}],
        "threshold": [{"threshold": t} for t in sorted({0, 1, n // 2, n})],
        "noise": [{"noise": Geometric(p)} for p in (0.9, 0.4)],
        "rounded": [{"round_to": 2}, {"round_to": 3, "threshold": 1}, {"round_to": 5}],
    }[how]


def knowns(n):
    return range(n) if n <= 6 else (0, 1, n // 2, n - 2, n - 1)


@pytest.mark.parametrize("sizes", [1, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("how", ["exactly", "threshold", "noise", "rounded"])
def test_no_release_tells_more_than_its_audit_says(shape, how, sizes, asked):
    kinds = SHAPES[shape][2]
    for number, n in enumerate(SIZES[len(kinds)][:sizes]):
        lam = (0.99, 0.5)[number % 2] / len(kinds)
        for known in knowns(n):
            for release in ways(how, n):
                true = truth(kinds, lam, n, known, **release)
                for delta in DELTAS:
                    found = asked(shape, n, lam=lam, known=known, delta=delta, **release)
                    checked(found, delta, true)


def truth(kinds, lam, n, known, threshold=None, noise=None, round_to=None):
    """Return the true δ of ε against both attackers, the largest over all extreme laws.

    Without a threshold and rounding the known records only move the counts, so that both attackers
    are the same.
    """
    released = releases.Released(
        kinds,
        releases.mixtures(len(kinds), lam, n - 1 - known),
        releases.mixtures(len(kinds), lam, known if threshold is not None or round_to else 0),
        n,
        releases.channel(n, threshold, noise and noise.p, round_to),
    )
    return functools.cache(lambda eps: released.deltas(exp(eps)))


def exp(eps):
    return math.exp(eps) if eps < 700 else math.inf


@pytest.mark.parametrize("n", [3, pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.parametrize("shape", ["one", "both sides", "two of three"])
@pytest.mark.parametrize("how", ["exactly", "threshold", "noise", "rounded"])
def test_no_release_tells_more_with_given_probabilities(shape, how, n, tmp_path):
    counts, rows, kinds = SHAPES[shape]
    laws = np.random.default_rng(5).dirichlet([1.0] * len(kinds), n).round(3)
    laws[:, -1] = 1 - laws[:, :-1].sum(axis=1)
    names = [f"p{number}" for number in range(len(counts))]
    file = tmp_path / "a.csv"
    lines = zip(itertools.cycle(rows), laws[:, : len(counts)].tolist(), strict=False)
    file.write_text(
        "\n".join([",".join(["a", "b", *names]), *(f"{row},{str(p)[1:-1]}" for row, p in lines)])
    )
    for known, release in itertools.product(range(n), ways(how, n)):
        noise = release.get("noise")
        channel = releases.channel(
            n, release.get("threshold"), noise and noise.p, release.get("round_to")
        )
        others = [[law for at, law in enumerate(laws) if at != target] for target in range(n)]
        every = [
            releases.Released(
                kinds,
                [[law for at, law in enumerate(rest) if at not in seen]],
                [[rest[at] for at in seen]],
                n,
                channel,
            )
            for rest in others
            for seen in itertools.combinations(range(n - 1), known)
        ]
        found = audit.of_file(
            file,
            counts,
            probabilities=names,
            known=known,
            delta=0.3,
            assume="independent",
            alternatives=False,
            **release,
        )
        checked(
            found,
            0.3,
            functools.cache(
                lambda eps, every=every: np.max([one.deltas(exp(eps)) for one in every], axis=0)
            ),
        )
