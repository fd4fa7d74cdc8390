"""Dependencies in the ledger: its `uses`, followed up and down.

A claim of a source may hold although the source proves it with something that fails as printed. It
is then *touched by an erratum*. Errors of wording are not passed on. Results of this book and
corrections pass nothing on: they are proved from what holds, and `claims` refuses others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from book._ext.claims import Ledger, misleads

# From the id of an entry to ids of others, those in the order of the ledger.
Relation: TypeAlias = Mapping[str, tuple[str, ...]]


def users(ledger: Ledger) -> Relation:
    """Return, for each entry, those that name it among their `uses`, or their correction does."""
    found: dict[str, list[str]] = {entry.id: [] for entry in ledger.entries}
    for entry in ledger.entries:
        for support in entry.supports:
            found[support].append(entry.id)
    return {identifier: tuple(who) for identifier, who in found.items()}


def ancestors(ledger: Ledger) -> Relation:
    """Return, for each entry, all that it rests on, directly or through others."""
    direct = {entry.id: entry.supports for entry in ledger.entries}
    return _closed(direct, direct.__getitem__)


def dependents(ledger: Ledger) -> Relation:
    """Return, for each entry, all that relies on it, directly or through others."""
    direct = users(ledger)
    return _closed(direct, direct.__getitem__)


def touching(ledger: Ledger) -> Relation:
    """Return, for each entry, the errata by way of which the source proves it; see the module."""
    claims = {claim.id: claim for claim in ledger.claims}
    above = _closed(
        [entry.id for entry in ledger.entries],
        lambda name: [use for use in claims[name].uses if use in claims] if name in claims else [],
    )
    return {
        name: tuple(one for one in rest if misleads(claims[one])) for name, rest in above.items()
    }


def _closed(names: Iterable[str], step: Callable[[str], Iterable[str]]) -> Relation:
    """Return all that is reached from each name, in the order of the names."""
    order = {name: number for number, name in enumerate(names)}
    reached: dict[str, set[str]] = {}

    def reach(name: str) -> set[str]:
        if name not in reached:
            reached[name] = {far for near in step(name) for far in (near, *reach(near))}
        return reached[name]

    return {name: tuple(sorted(reach(name), key=order.__getitem__)) for name in order}
