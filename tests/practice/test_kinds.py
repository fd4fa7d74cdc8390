"""Sums, weighted counts, waves and tables with a total, against all outcomes for a few records."""

import csv
import functools
import itertools
import json
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest

from pkdp import audit
from pkdp.__main__ import main
from pkdp.noiseless import privacy_blanket
from pkdp.partial_knowledge import daily_profiles, suppressed_tables
from pkdp.practice import _kinds
from pkdp.practice import audit as module

SCHEMA = json.loads(Path(module.__file__).with_name("audit.schema.json").read_text())
USUAL = {"assume": "independent", "alternatives": False}
TENTH = Fraction(1, 10)


def written(path, **columns):
    rows = [columns, *zip(*columns.values(), strict=True)]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


# All outcomes, in fractions: a law is a mapping of what is published to masses.


def added(law, other):
    """The law of the sum of two independent vectors, or numbers."""
    found = Counter()
    for (x, p), (y, q) in itertools.product(law.items(), other.items()):
        found[tuple(a + b for a, b in zip(x, y, strict=True))] += p * q
    return found


def sums_of(laws):
    return functools.reduce(added, laws)


def excess(p, q, ratio):
    return sum(max(p[x] - ratio * q.get(x, 0), 0) for x in p)


def moved(law, by):
    return {tuple(a + b for a, b in zip(x, by, strict=True)): p for x, p in law.items()}


def worst(law, moves, eps):
    """The largest δ of two moves of the target, both ways."""
    ratio = Fraction(math.exp(eps))
    every = [moved(law, by) for by in moves]
    return max(excess(p, q, ratio) for p, q in itertools.permutations(every, 2))


def checked(found, delta, true, factor=None):
    """Compare both guarantees with the true δ, which `factor` times ε is at least needed for."""
    assert found.passive.eps == found.active.eps
    one = found.active
    assert one.status == "upper bound"
    if one.eps < math.inf:
        assert true(one.eps) <= delta * (1 + 1e-9)
    assert true(0.0) <= one.advantage * (1 + 1e-9)
    if factor and 0 < one.eps < math.inf:
        assert true(one.eps * factor) > delta


# Sums.


def hidden_by(unknown, values, lam, high):
    """The laws of the sum of the others: each has λ at the values, and the rest anywhere."""
    kinds = []
    for rest in range(high + 1):
        law = Counter({(value,): lam for value in values})
        law[(rest,)] += 1 - lam * len(values)
        kinds.append(law)
    for several in itertools.combinations_with_replacement(kinds, unknown):
        yield sums_of([{(0,): Fraction(1)}, *several])


@pytest.mark.parametrize("values", ["0,1", "2,3", "0,1,2", "0,2,3", "0,1,2,3"])
@pytest.mark.parametrize(("n", "known"), [(2, 0), (4, 1), (4, 3), (6, 0), (6, 2), (8, 3)])
def test_no_sum_tells_more_than_its_audit_says(values, n, known, tmp_path):
    named = [*map(int, values.split(","))]
    file = written(tmp_path / "a.csv", visits=[*itertools.islice(itertools.cycle(named), n)])
    for share, delta in itertools.product((Fraction(1, len(named)), 2 * TENTH), (0.5, 0.1)):
        laws = [*hidden_by(n - 1 - known, named, share, 3)]
        moves = [(x,) for x in range(4)]
        found = audit.of_file(
            file,
            sum_of="visits=0..3",
            values=values,
            lam=float(share),
            known=known,
            delta=delta,
            **USUAL,
        )
        checked(
            found,
            delta,
            lambda eps, laws=laws, moves=moves: max(worst(law, moves, eps) for law in laws),
        )
        assert found.active.theorem.name == "coins-in-sums"


def test_a_sum_is_bounded_by_coins(tmp_path):
    file = written(tmp_path / "a.csv", visits=[0, 1, 2, 3] * 250, by=["a"] * 500 + ["b"] * 500)
    options = USUAL | {"sum_of": "visits=0..3", "lam": 0.1, "delta": 1e-6, "known": 0.5}
    for values, weight, steps in [([0, 1], 0.2, 3), ("1,2,0", 0.2, 3), (range(4), 0.2, 1)]:
        found = audit.of_file(file, values=values, **options)
        expected = privacy_blanket.blanket([weight], [499], steps=steps).epsilon(1e-6)
        assert found.active.eps == pytest.approx(expected, rel=1e-9)
    group = audit.of_file(file, values=range(4), by="by", **options)
    assert group.active.eps == privacy_blanket.blanket([0.2], [249]).epsilon(1e-6)
    assert (group.counts, group.kind, group.groups) == (("visits",), "sum", 2)
    assert "May the sums of visits by by in a.csv" in group.text()
    assert "each of the values 0, 1, 2, 3 a probability of at least 0.1" in group.text()


# Weighted counts.


@pytest.mark.parametrize(
    "weights", [[1] * 5, [1, 1, 2, 2, 4], [2, 4, 2, 2], [0, 3, 1, 3], [5, 1, 1, 1]]
)
def test_no_weighted_count_tells_more_than_its_audit_says(weights, tmp_path):
    n = len(weights)
    file = written(tmp_path / "a.csv", vote=["Y", "N", "Y", "N", "Y"][:n], w=weights)
    for known, lam, delta in itertools.product(range(n), (0.5, 0.25), (0.5, 0.1)):
        found = audit.of_file(
            file, "vote=Y", weight="w", lam=lam, known=known, delta=delta, **USUAL
        )
        worlds = []
        for target in range(n):
            others = weights[:target] + weights[target + 1 :]
            for unknown in {*itertools.combinations(sorted(others), n - 1 - known)}:
                for rates in itertools.product(
                    {Fraction(lam), 1 - Fraction(lam)}, repeat=len(unknown)
                ):
                    laws = [
                        added({(0,): 1}, {(0,): 1 - p, (w,): p}) if w else {(0,): Fraction(1)}
                        for w, p in zip(unknown, rates, strict=True)
                    ]
                    worlds.append((sums_of([{(0,): Fraction(1)}, *laws]), weights[target]))
        checked(
            found,
            delta,
            lambda eps, worlds=worlds: max(worst(law, [(0,), (w,)], eps) for law, w in worlds),
        )


def test_targets_of_many_weights_are_hidden_by_those_that_divide_them(tmp_path):
    file = written(tmp_path / "a.csv", vote=["Y", "N"] * 300, w=[1] * 300 + [2] * 200 + [6] * 100)
    options = USUAL | {"weight": "w", "lam": 0.2, "delta": 1e-6}
    found = audit.of_file(file, "vote=Y", **options)
    expected = [
        privacy_blanket.blanket([0.4], [number], steps=steps).epsilon(1e-6)
        for number, steps in [(299, 1), (199, 1), (99, 1)]
    ]
    assert found.active.eps == pytest.approx(max(expected), rel=1e-9)
    # If all of weight 1 are known, no coin hides one of these.
    assert audit.of_file(file, "vote=Y", known=300, **options).active.eps == math.inf
    assert "no ε is proved" in audit.of_file(file, "vote=Y", known=300, **options).text()
    assert "are too few, nothing is proved of it" in found.text()


def test_weights_may_be_those_of_a_table_of_frequencies(tmp_path):
    kinds = [*itertools.product("YN", ["first", "second", "crew"])]
    columns = {"vote": [vote for vote, _ in kinds], "klass": [klass for _, klass in kinds]}
    for numbers, tells in [((200, 118, 212, 122, 167, 673), True), ((1, 1, 1, 1, 1, 1), False)]:
        file = written(tmp_path / "a.csv", **columns, n=numbers)
        found = audit.of_file(file, "vote=Y", weight="n", lam=0.2, **USUAL)
        assert any("seems a table of frequencies" in note for note in found.notes) == tells


# Waves.


def panel(path, people, waves, says=lambda i, j: "YN"[i >> j & 1], **others):
    rows = [(i, 2000 + j) for i in range(people) for j in range(waves)]
    columns = {"id": [i for i, _ in rows], "year": [j for _, j in rows]}
    columns["vote"] = [says(i, j - 2000) for i, j in rows]
    return written(path, **columns, **others)


def series(chain, waves):
    """The law of a person's series of answers."""
    start, rise, stay = map(Fraction, chain)
    law = {}
    for bits in itertools.product((0, 1), repeat=waves):
        p = start if bits[0] else 1 - start
        for before, after in itertools.pairwise(bits):
            up = stay if before else rise
            p *= up if after else 1 - up
        law[bits] = p
    return law


@pytest.mark.parametrize("chain", [(0.5, 0.25, 0.75), (0.3, 0.2, 0.5), (0.5, 0.75, 0.125)])
@pytest.mark.parametrize(("n", "waves"), [(2, 2), (4, 2), (6, 2), (3, 3), (5, 3)])
def test_no_waves_tell_more_than_their_audit_says(chain, n, waves, tmp_path, monkeypatch):
    file = panel(tmp_path / "a.csv", n, waves)
    moves = [*itertools.product((0, 1), repeat=waves)]
    options = USUAL | {"wave": "year", "person": "id", "chain": chain}
    for known, delta in itertools.product({0, n - 2, n - 1}, (0.5, 0.1)):
        law = sums_of([{(0,) * waves: Fraction(1)}, *[series(chain, waves)] * (n - 1 - known)])
        true = functools.cache(lambda eps, law=law: worst(law, moves, min(eps, 700)))
        found = audit.of_file(file, "vote=Y", known=known, delta=delta, **options)
        checked(found, delta, true, 0.97)
        with monkeypatch.context() as few:
            few.setattr(_kinds, "_MOST_FEW", 0)
            found = audit.of_file(file, "vote=Y", known=known, delta=delta, **options)
            checked(found, delta, true)


def test_waves_are_those_of_the_library(tmp_path):
    file = panel(tmp_path / "a.csv", 400, 3, by=["a"] * 600 + ["b"] * 600)
    chain = daily_profiles.MarkovChain(0.5, 0.5, 0.4)
    options = USUAL | {"wave": "year", "person": "id", "chain": "0.5,0.5,0.4", "delta": 1e-6}
    found = audit.of_file(file, "vote=Y", by="by", **options)
    bounds = [
        daily_profiles.bracket(200, chain, a=a, b=b)[1].epsilon(1e-6)
        for a, b in itertools.combinations(itertools.product((0, 1), repeat=3), 2)
    ]
    assert found.active.eps == pytest.approx(max(bounds), rel=1e-9)
    assert (found.records, found.groups, found.kind) == (400, 2, "waves")
    assert found.notes[0] == "600 of 1200 records are counted as vote=Y"
    assert "counts of vote=Y by by in a.csv be published exactly in each of 3 waves" in found.text()
    assert [one.name for one in found.also] == ["other-counts"]
    assert "Independent records: to her no person tells anything" in found.assumptions[0]


def test_waves_of_many_groups_are_those_of_the_smallest(tmp_path):
    sizes = {f"g{k:02}": 40 for k in range(12)} | {"z": 12}
    rows = [(i, j, by) for by, n in sizes.items() for i in range(n) for j in (1, 2)]
    columns = {"id": [f"{by}{i}" for i, _, by in rows], "year": [j for _, j, _ in rows]}
    columns |= {"vote": ["YN"[(i + i // 2 * j) % 2] for i, j, _ in rows]}
    options = {"wave": "year", "person": "id", "chain": (0.5, 0.5, 0.5), "assume": "independent"}
    file = written(tmp_path / "a.csv", **columns, by=[by for *_, by in rows])
    found = audit.of_file(file, "vote=Y", by="by", delta=0.05, **options)
    small = {name: values[-24:] for name, values in columns.items()}
    alone = audit.of_file(written(tmp_path / "b.csv", **small), "vote=Y", delta=0.05, **options)
    assert found.active.weakest.label == "z"
    assert found.active.eps == alone.active.eps
    assert found.active.advantage == alone.active.advantage
    assert found.variations == alone.variations
    one = series((0.5, 0.5, 0.5), 2)
    law = sums_of([{(0, 0): Fraction(1)}, *[one] * 11])
    true = functools.partial(worst, law, [*itertools.product((0, 1), repeat=2)])
    checked(found, 0.05, true, 0.97)


def test_of_many_people_some_are_taken_for_known(tmp_path, monkeypatch):
    file = panel(tmp_path / "a.csv", 6, 2)
    options = USUAL | {"wave": "year", "person": "id", "chain": (0.5, 0.5, 0.5), "delta": 0.3}
    fewer = audit.of_file(file, "vote=Y", known=2, **options)
    monkeypatch.setattr(_kinds, "_MOST_FOLLOWED", 3)
    assert audit.of_file(file, "vote=Y", **options).active.eps == fewer.active.eps < math.inf


def test_people_who_join_or_leave_have_no_guarantee(tmp_path):
    options = USUAL | {"wave": "year", "person": "id", "chain": (0.5, 0.5, 0.5)}
    rows = [(i, j, "YN"[i * j % 2]) for i in range(20) for j in (1, 2)]
    for wrong in [
        rows[:-1],  # somebody leaves
        [*rows, rows[0]],  # somebody is in a wave twice
        [*rows, (0, 1, "N"), (0, 1, "Y")],
        [*rows[:-1], (18, 2, "Y")],
        [*rows[:-1], (18, 1, "Y")],
        # Somebody is in one wave twice, with different answers, and not in the other.
        [row for row in rows if row[0]] + [(0, 1, "N"), (0, 1, "Y")],
    ]:
        ids, waves, says = zip(*wrong, strict=True)
        file = written(tmp_path / "a.csv", id=ids, year=waves, vote=says)
        found = audit.of_file(file, "vote=Y", **options)
        assert isinstance(found, audit.Refusal)
        assert "people are not once in every wave" in found.text()
        assert "people who join or leave" in found.text()
    ids, waves, says = zip(*rows, strict=True)
    file = written(tmp_path / "a.csv", id=ids, year=waves, vote=says, by=["a", "b"] * 20)
    assert isinstance(audit.of_file(file, "vote=Y", **options), audit.Audit)
    moved = audit.of_file(file, "vote=Y", by="by", **options)
    assert "20 people are not once in every wave, in the same group" in moved.text()


def test_waves_are_in_the_order_of_numbers_and_dates(tmp_path):
    # After a Yes comes a No, and after that a Yes: in no other order.
    for names in (["2", "10", "100"], ["2024-01-01", "2024-02-01", "2025-01-01"]):
        ids = [i for i in range(120) for _ in names]
        answers = ["Y" if (i + j) % 2 else "N" for i in range(120) for j in range(3)]
        file = written(tmp_path / "a.csv", id=ids, wave=names * 120, vote=answers)
        options = USUAL | {"wave": "wave", "person": "id"}
        found = audit.of_file(file, "vote=Y", chain="0.5,0.99,0.01", **options)
        assert isinstance(found, audit.Audit)
        found = audit.of_file(file, "vote=Y", chain="0.5,0.5,0.5", **options)
        assert "The file contradicts --chain" in found.text()
        known = audit.of_file(file, "vote=Y", chain="0.5,0.5,0.5", known=100, **options)
        assert isinstance(known, audit.Audit)


# Tables.


def outcome(cells, threshold):
    return tuple(cell if cell > threshold else None for cell in cells)


@pytest.mark.parametrize("cells", [(1, 2), (1, 1, 4), (2, 2, 3), (1, 2, 2, 3)])
def test_no_table_tells_more_than_its_audit_says(cells, tmp_path):
    n = sum(cells)
    kinds = [kind for kind, number in zip("abcd", cells, strict=False) for _ in range(number)]
    file = written(tmp_path / "a.csv", kind=kinds)
    units = [tuple(int(i == j) for j in range(len(cells))) for i in range(len(cells))]
    one = {unit: Fraction(number, n) for unit, number in zip(units, cells, strict=True)}
    others = sums_of([one] * (n - 1))
    for threshold, delta in itertools.product(range(n + 2), (0.9, 0.5, 0.2)):
        found = audit.of_file(file, total="kind", threshold=threshold, delta=delta, **USUAL)
        seen = []
        for unit in units:
            law = Counter()
            for at, p in moved(others, unit).items():
                law[outcome(at, threshold)] += p
            seen.append(law)

        def true(eps, seen=seen):
            ratio = Fraction(math.exp(eps))
            return max(excess(p, q, ratio) for p, q in itertools.permutations(seen, 2))

        checked(found, delta, true)
        if found.active.eps > found.active.reached > 0:
            assert true(found.active.reached * 0.999) > delta * (1 - 1e-6)


def test_a_table_is_that_of_the_library(tmp_path):
    counts = [1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 80, 90, 100]
    kinds = [(f"k{at % 4}", f"m{at // 4}") for at, n in enumerate(counts) for _ in range(n)]
    first, second = zip(*kinds, strict=True)
    file = written(tmp_path / "a.csv", one=first, other=second)
    found = audit.of_file(file, total="one,other", threshold=23, delta=1e-4, **USUAL)
    library = suppressed_tables.epsilon(counts, k=24, delta=1e-4)
    assert found.active.eps == pytest.approx(library.eps, rel=1e-12)
    assert found.active.eps >= library.eps
    least = suppressed_tables.least_epsilon(counts, k=24, delta=1e-4)
    assert found.active.reached == least
    assert (found.counts, found.kind, found.groups) == (("one", "other"), "table", 1)
    assert "One such attacker reaches ε" in found.text()
    again = audit.of_file(file, total=["one", "other"], threshold=23, delta=1e-4, **USUAL)
    assert again.as_dict() == found.as_dict()
    for options in ({"known": 1}, {"known": 0.5}):
        refused = audit.of_file(file, total="one,other", threshold=23, **options, **USUAL)
        assert "against an attacker who knows records" in refused.text()


# Arguments, words and numbers.


@pytest.fixture
def file(tmp_path):
    return written(
        tmp_path / "a.csv",
        id=[*range(20)] * 2,
        year=[1] * 20 + [2] * 20,
        vote=["Y", "N"] * 20,
        visits=[0, 1, 2, 3] * 10,
        w=[1, 2] * 20,
        half=[0.5, 1] * 20,
    )


SUM = {"sum_of": "visits=0..3", "values": "0,1", "lam": 0.1}
WEIGHT = {"counts": "vote=Y", "weight": "w", "lam": 0.1}
WAVES = {"counts": "vote=Y", "wave": "year", "person": "id", "chain": "0.5,0.5,0.5"}
TOTAL = {"total": "visits", "threshold": 3}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (SUM | {"round_to": 5}, "round_to must be left out with sum_of, which goes with values"),
        (SUM | {"counts": "vote=Y"}, "counts must be left out with sum_of"),
        (SUM | {"after": "audit.json"}, "after must be left out with sum_of"),
        (SUM | {"household": "id"}, "household must be left out with sum_of"),
        (SUM | {"weight": "w"}, "weight must be left out with sum_of"),
        (SUM | {"sum_of": "visits=0..2"}, "'visits' is no whole number in 0…2 in 10 records"),
        (SUM | {"sum_of": "half=0..2"}, "'half' is no whole number in 0…2 in 20 records"),
        (SUM | {"sum_of": "vote=0..2"}, "'vote' is no whole number in 0…2 in 40 records"),
        (SUM | {"sum_of": "visits"}, "sum_of must be COLUMN=LOW..HIGH, such as visits=0..3"),
        (SUM | {"sum_of": "visits=3..3"}, "sum_of must be COLUMN=LOW..HIGH"),
        (SUM | {"values": "0,4"}, r"values must be in \[0, 3\], got 4"),
        (SUM | {"values": "0"}, "values must be two or more whole numbers"),
        (SUM | {"values": "0,1.5"}, "values must be two or more whole numbers"),
        (SUM | {"values": "a,b"}, "values must be numbers, such as 0,1"),
        (SUM | {"values": "0,1,2", "lam": 0.4}, "lam must be at most 1/3"),
        (SUM | {"by": "visits"}, "counts must be of columns that neither by"),
        (SUM | {"values": ()}, "values must be given with sum_of"),
        (WAVES | {"chain": None}, "chain must be given with wave"),
        ({"values": "0,1"}, "values must be left out with counts"),
        (WEIGHT | {"noise": 1}, "noise must be left out with weight"),
        (WEIGHT | {"counts": ()}, "counts must be given with weight"),
        (WEIGHT | {"counts": ["vote=Y", "vote=N"]}, "counts must be 1…1 different counts"),
        (WEIGHT | {"weight": "half"}, "'half' is no whole number in 0…1000000000 in 20 records"),
        (WEIGHT | {"counts": "w=1"}, "counts must be of columns that neither by"),
        (WAVES | {"lam": 0.1}, "lam must be left out with wave, which goes with counts, person"),
        (WAVES | {"person": None}, "person must be given with wave"),
        (WAVES | {"wave": "vote", "counts": "visits=1"}, "'vote' is neither a number nor a date"),
        (WAVES | {"wave": "id", "person": "year"}, r"wave must have 2…5 values, got 20"),
        (WAVES | {"chain": "0.5,0.5"}, "chain must be three probabilities in .0, 1.: of a 1 in"),
        (WAVES | {"chain": (0.5, 1.0, 0.5)}, "chain must be three probabilities"),
        (WAVES | {"counts": "year=1"}, "counts must be of columns that neither by"),
        (TOTAL | {"threshold": None}, "threshold must be given with total"),
        (TOTAL | {"by": "w"}, "by must be left out with total, which goes with threshold, known"),
        (TOTAL | {"delta": 1e-12}, r"delta must be in \[1e-10, 1\] with total"),
        (TOTAL | {"total": "none"}, "has no column 'none'"),
    ],
)
def test_what_does_not_go_together_is_named(options, words, file):
    with pytest.raises(ValueError, match=words):
        audit.of_file(file, **USUAL | options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (SUM | {"values": "0,2"}, "no two of --values differ by 1"),
        (SUM | {"lam": None}, "Say --lam."),
        (SUM | {"assume": ()}, "no theorem here gives a number."),
        (WEIGHT | {"lam": None}, "Say --lam."),
        (TOTAL | {"known": 2}, "--known must be 0"),
    ],
)
def test_what_is_missing_is_said(options, words, file):
    found = audit.of_file(file, **USUAL | options)
    assert isinstance(found, audit.Refusal)
    assert words in found.text()
    jsonschema.validate(json.loads(audit.as_json(found)), SCHEMA)


def test_a_value_that_is_too_rare_contradicts_a_sum(tmp_path):
    file = written(tmp_path / "a.csv", visits=[0, 2, 3] * 100)
    options = USUAL | {"sum_of": "visits=0..3", "lam": 0.2}
    assert "The file contradicts --lam" in audit.of_file(file, values="0,1", **options).text()
    # What is not named may be as rare as it likes.
    assert isinstance(audit.of_file(file, values="2,3", **options), audit.Audit)
    # But it may not be there if the values that are named are all there is to her.
    file = written(tmp_path / "b.csv", visits=[0, 1] * 200 + [2])
    for lam, known, refused in [(0.5, 0, True), (0.5, 1, False), (0.45, 0, False)]:
        found = audit.of_file(file, values="0,1", known=known, **options | {"lam": lam})
        assert isinstance(found, audit.Refusal) == refused
        if refused:
            assert "a probability of at most 0, and too many records have one" in found.text()


@pytest.mark.parametrize("options", [SUM, WEIGHT, WAVES, TOTAL | {"delta": 0.1}])
def test_each_kind_has_a_report_that_follows_the_schema(options, file, tmp_path):
    found = audit.of_file(file, **{"assume": "independent", "cells": True} | options)
    told = json.loads(audit.as_json(found))
    jsonschema.validate(told, SCHEMA)
    assert (told["kind"], told["alternatives"]) == (found.kind, [])
    audit.write_report(found, tmp_path / "r", file=file)
    page = (tmp_path / "r" / "index.html").read_text(encoding="utf-8")
    assert found.active.theorem.tag in page
    assert all(note not in page for note in found.notes)
    jsonschema.validate(json.loads((tmp_path / "r" / "audit.json").read_text()), SCHEMA)
    # No later release of counts takes it for one of counts.
    with pytest.raises(ValueError, match="after must be the numbers of an earlier report on count"):
        audit.of_file(file, "vote=Y", lam=0.1, after=tmp_path / "r" / "audit.json", **USUAL)


def test_other_assumptions_are_told(file):
    for options, said in [
        (SUM, {"λ = 0.05", "λ = 0.025", "half of the records known"}),
        (WAVES, {"half of the records known"}),
        (TOTAL | {"delta": 0.1}, set()),
    ]:
        found = audit.of_file(file, assume="independent", **options)
        assert {one.assumed for one in found.variations} == said


def test_the_command_has_all_kinds(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    panel(tmp_path / "p.csv", 200, 2)
    written(tmp_path / "a.csv", visits=[0, 1, 2] * 100, w=[1] * 300, vote=["Y", "N"] * 150)
    for line, status in [
        ("a.csv --sum visits=0..2 --values 0,1,2 --lam 0.2", 0),
        ("a.csv --count vote=Y --weight w --lam 0.2", 0),
        ("p.csv --count vote=Y --wave year --person id --chain 0.5,0.5,0.5", 0),
        ("a.csv --total visits,vote --suppress 5", 0),
        ("a.csv --sum visits=0..2 --values 0,1 --lam 0.2 --round 5", 2),
        ("a.csv --sum visits=0..2 --values 0,1", 3),
    ]:
        full = ["audit", *line.split(), "--assume", "independent", "--delta", "1e-6", "--json"]
        assert main(full) == status, line
        said = capsys.readouterr()
        if status != 2:
            assert json.loads(said.out)["answered"] == (status != 3)
        else:
            assert "--round must be left out with --sum" in said.err
