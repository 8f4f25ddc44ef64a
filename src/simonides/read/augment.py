"""What should be known beside a hit? What replaced it, what contradicts it, what supports it; from edges in force."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from simonides.model.edge import EdgeType

if TYPE_CHECKING:
    from simonides.backend.port import Snapshot
    from simonides.backend.rows import Relation

EDGES_MAX = 5_000
CHAIN_MAX = 10_000  # successors followed to the head of a chain
Context = dict[int, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]


def context_of(snapshot: Snapshot, tids: Sequence[int], now: int) -> Context:
    """Row id → (superseded by: the successor, then the head of the chain; conflicts; supported by), as row ids."""
    against = (EdgeType.CONTRADICTS, EdgeType.CONTESTED_BY)
    reaching = (EdgeType.SUPERSEDES, *against, EdgeType.SUPPORTS)
    reached, left = snapshot.related(tids, reaching, against, EDGES_MAX)
    if not reached and not left:
        return {}
    reached, left = _valid(reached, now), _valid(left, now)
    successors = _by_tid(reached, (EdgeType.SUPERSEDES,))
    conflicts = _by_tid([*reached, *left], against)
    supports = _by_tid(reached, (EdgeType.SUPPORTS,))

    def follow(front: Sequence[int]) -> dict[int, list[int]]:
        kinds = (EdgeType.SUPERSEDES,)
        return _by_tid(in_force(snapshot, front, kinds, now, incoming=True), kinds)

    return {
        tid: (
            _line(successors.get(tid, []), tid, follow),
            tuple(dict.fromkeys(conflicts.get(tid, []))),
            tuple(dict.fromkeys(supports.get(tid, []))),
        )
        for tid in tids
    }


def in_force(
    snapshot: Snapshot, tids: Sequence[int], types: Sequence[EdgeType], now: int, *, incoming: bool
) -> list[Relation]:
    return _valid(snapshot.relations(tids, [t.value for t in types], incoming=incoming, limit=EDGES_MAX), now)


def _valid(rows: Sequence[Relation], now: int) -> list[Relation]:
    return [
        row
        for row in rows
        if (row.valid_from is None or row.valid_from <= now) and (row.valid_until is None or row.valid_until > now)
    ]


def _by_tid(rows: Sequence[Relation], types: Sequence[EdgeType]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for row in rows:
        if row.edge_type in types:
            found.setdefault(row.tid, []).append(row.other)
    return found


def _line(direct: list[int], tid: int, follow: Callable[[Sequence[int]], dict[int, list[int]]]) -> tuple[int, ...]:
    """The direct successors and, when it is another one, the end of the chain. Circles end it."""
    seen = {tid, *direct}
    head, front = None, list(direct)
    while front and len(seen) < CHAIN_MAX:
        head = front[0]
        step = follow(front)
        front = list(dict.fromkeys(other for t in front for other in step.get(t, []) if other not in seen))
        seen.update(front)
    return tuple(dict.fromkeys([*direct, *([] if head is None else [head])]))
