"""The largest flow from one side to another, in whole numbers of any size.

Both sides are numbered from 0, and sets of either are the bits of an integer: a thousand of each,
with a million edges, take a fraction of a second. The method is that of Dinic: ship along all
shortest paths, look for longer ones, and so on.
"""

from __future__ import annotations


def largest_flow(
    adjacent: list[int], supply: list[int], demand: list[int]
) -> dict[tuple[int, int], int]:
    """Ship as much as possible from each i to those j that are bits of ``adjacent[i]``."""
    left, right = list(supply), list(demand)
    shipped: list[dict[int, int]] = [{} for _ in right]
    while layers := _layers(adjacent, shipped, left, right):
        lefts, rights = layers
        for source in [i for i, amount in enumerate(left) if amount]:
            while left[source] and (path := _path(source, adjacent, shipped, lefts, rights)):
                _ship(path, left, right, shipped)
                if not right[path[-1]]:
                    rights[-1] &= ~(1 << path[-1])
    return {(i, j): n for j, by in enumerate(shipped) for i, n in by.items()}


def _layers(
    adjacent: list[int], shipped: list[dict[int, int]], left: list[int], right: list[int]
) -> tuple[list[int], list[int]] | None:
    """Return who is how far from what is left over, up to where something is wanting."""
    wanting = sum(1 << j for j, amount in enumerate(right) if amount)
    frontier = sum(1 << i for i, amount in enumerate(left) if amount)
    seen, reached = frontier, 0
    lefts, rights = [], []
    while frontier:
        new = 0
        for i in _members(frontier):
            new |= adjacent[i]
        new &= ~reached
        reached |= new
        lefts.append(frontier)
        if new & wanting:
            rights.append(new & wanting)
            return lefts, rights
        rights.append(new)
        frontier = 0
        for j in _members(new):
            for i in shipped[j]:
                frontier |= 1 << i
        frontier &= ~seen
        seen |= frontier
    return None


def _path(
    source: int,
    adjacent: list[int],
    shipped: list[dict[int, int]],
    lefts: list[int],
    rights: list[int],
) -> list[int] | None:
    """Return a path through the layers; take away where there is none."""
    path = [source]
    while path:
        last, depth = path[-1], (len(path) - 1) // 2
        if len(path) % 2:
            onward, layer = adjacent[last] & rights[depth], lefts
        elif depth == len(rights) - 1:
            return path
        else:
            onward, layer = 0, rights
            for i in shipped[last]:
                onward |= 1 << i
            onward &= lefts[depth + 1]
        if onward:
            path.append(_lowest(onward))
        else:
            layer[depth] &= ~(1 << last)
            path.pop()
    return None


def _ship(
    path: list[int], left: list[int], right: list[int], shipped: list[dict[int, int]]
) -> None:
    """Move along a path i, j, i', j', …: to each j from the i before it, not from the one after."""
    forward = list(zip(path[::2], path[1::2], strict=True))
    backward = list(zip(path[2::2], path[1:-1:2], strict=True))
    amount = min(left[path[0]], right[path[-1]], *(shipped[j][i] for i, j in backward))
    left[path[0]] -= amount
    right[path[-1]] -= amount
    for i, j in forward:
        shipped[j][i] = shipped[j].get(i, 0) + amount
    for i, j in backward:
        shipped[j][i] -= amount
        if not shipped[j][i]:
            del shipped[j][i]


def _members(bits: int) -> list[int]:
    found = []
    while bits:
        found.append(_lowest(bits))
        bits &= bits - 1
    return found


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1
