"""What should be known beside a hit? What replaced it, what contradicts it, what supports it; from edges in force."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from simonides.backend.port import Snapshot
from simonides.backend.rows import Relation
from simonides.model.edge import EdgeType

EDGES_MAX = 5_000
CHAIN_MAX = 10_000  # successors followed to the head of a chain
Context = dict[int, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]


def context_of(snapshot: Snapshot, tids: Sequence[int], now: int) -> Context:
    """Row id → (superseded by: the successor, then the head of the chain; conflicts; supported by), as row ids."""
    successors = _by_tid(snapshot, tids, (EdgeType.SUPERSEDES,), now, incoming=True)
    against = (EdgeType.CONTRADICTS, EdgeType.CONTESTED_BY)
    conflicts = _by_tid(snapshot, tids, against, now, incoming=True)
    for tid, others in _by_tid(snapshot, tids, against, now, incoming=False).items():
        conflicts.setdefault(tid, []).extend(others)
    supports = _by_tid(snapshot, tids, (EdgeType.SUPPORTS,), now, incoming=True)

    def follow(front: Sequence[int]) -> dict[int, list[int]]:
        return _by_tid(snapshot, front, (EdgeType.SUPERSEDES,), now, incoming=True)

    return {
        tid: (
            _line(successors.get(tid, []), tid, follow),
            tuple(dict.fromkeys(conflicts.get(tid, []))),
            tuple(dict.fromkeys(supports.get(tid, []))),
        )
        for tid in tids
    }


def _by_tid(
    snapshot: Snapshot, tids: Sequence[int], types: Sequence[EdgeType], now: int, *, incoming: bool
) -> dict[int, list[int]]:
    rows = snapshot.relations(tids, [t.value for t in types], incoming=incoming, limit=EDGES_MAX)
    found: dict[int, list[int]] = {}
    for row in rows:
        if _in_force(row, now):
            found.setdefault(row.tid, []).append(row.other)
    return found


def _in_force(row: Relation, now: int) -> bool:
    begun = row.valid_from is None or row.valid_from <= now
    return begun and (row.valid_until is None or row.valid_until > now)


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
