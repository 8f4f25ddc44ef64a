"""When several results stand for one thing, which of them are shown?"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from simonides.model.thought import Json
    from simonides.read.candidates import Space
    from simonides.read.fuse import Ranking
    from simonides.read.plan import Alike, Collapse

Ints = npt.NDArray[np.int64]
Key = tuple[int, int]
BATCH = 256
LOOKED_AT = 16  # rows whose words are read at a time
_POSITION = re.compile(r"[0-9]{1,9}")


def collapse(ranking: Ranking, order: Ints, rule: Collapse, wanted: int) -> Ints:
    """The order with at most `per_unit` rows of each unit, in rank order; stops after `wanted` rows.

    A row that lacks one of the paths is its own unit: a part of a key is no shared identity.
    """
    seen: dict[str, int] = {}
    kept: list[int] = []
    for start in range(0, len(order), BATCH):
        part = order[start : start + BATCH]
        for row, unit in zip(part.tolist(), _units(ranking, part, rule), strict=True):
            count = seen.get(unit, 0) if unit is not None else 0
            if unit is not None:
                seen[unit] = count + 1
            if count < rule.per_unit:
                kept.append(row)
                if len(kept) >= wanted:
                    return np.array(kept, np.int64)
    return np.array(kept, np.int64)


def stands_for(ranking: Ranking, kept: Ints, row: int, rule: Collapse) -> int | None:
    """The best of the kept rows that are of the same unit as a row; None when the row has no unit."""
    unit = _units(ranking, np.array([row]), rule)[0]
    if unit is None:
        return None
    for start in range(0, len(kept), BATCH):
        part = kept[start : start + BATCH]
        for other, its in zip(part.tolist(), _units(ranking, part, rule), strict=True):
            if its == unit:
                return int(other)
    return None


def spread(ranking: Ranking, order: Ints, rule: Alike, wanted: int, twins: dict[Key, Key]) -> Ranking:
    """The ranking with less for rows whose words are nearly those of a better row of the same speaker.

    order: best first; looked at until `wanted` rows are unlike each other. twins: takes in who is like whom. Two texts
    are as alike as the share of their distinct base terms that both have (Jaccard). A number, a name or a "not" that
    only one of them has counts like any word, and nothing is left out: it only goes behind what says something else.
    """
    pool, factors = ranking.pool, np.ones(ranking.pool.size)
    speakers = pool.take("speaker").tolist()
    kept: list[tuple[int, frozenset[int]]] = []
    for start in range(0, len(order), LOOKED_AT):
        part = order[start : start + LOOKED_AT]
        words = _words(ranking, part)
        for row in part.tolist():
            own = words.get(row, frozenset())
            twin = next((n for n, w in kept if speakers[n] == speakers[row] and _alike(own, w, rule.share)), None)
            if twin is None:
                kept.append((row, own))
                if len(kept) >= wanted:
                    return ranking.multiply("alike", factors)
                continue
            factors[row] = rule.factor
            mine, better = ((int(pool.space[n]), int(pool.tids[n])) for n in (row, twin))
            twins[mine] = better
    return ranking.multiply("alike", factors)


def _words(ranking: Ranking, rows: Ints) -> dict[int, frozenset[int]]:
    """The base terms of each row's passage, as their CRC-32."""
    pool = ranking.pool
    found: dict[int, frozenset[int]] = {}
    for n, space in enumerate(pool.spaces):
        mine = rows[pool.space[rows] == n]
        of_pid = dict(zip(space.catalogue.pids[pool.rows[mine]].tolist(), mine.tolist(), strict=True))
        for pid, tokens in space.snapshot.tokens_of(list(of_pid)):
            found[of_pid[pid]] = frozenset(np.frombuffer(tokens, "<u4").tolist())
    return found


def _alike(one: frozenset[int], other: frozenset[int], share: float) -> bool:
    if min(len(one), len(other)) < share * max(len(one), len(other)) or not one:
        return False
    return len(one & other) >= share * len(one | other)


def _units(ranking: Ranking, rows: Ints, rule: Collapse) -> list[str | None]:
    pool = ranking.pool
    metadata: dict[tuple[int, int], Mapping[str, Json]] = {}
    for n, space in enumerate(pool.spaces):
        tids = pool.tids[rows[pool.space[rows] == n]].tolist()
        for stored in space.snapshot.thoughts(space.view.state.ns, tids):
            metadata[n, stored.tid] = stored.thought.metadata
    keys = zip(pool.space[rows].tolist(), pool.tids[rows].tolist(), strict=True)
    return [_unit(metadata.get(key, {}), rule) for key in keys]


def _unit(metadata: Mapping[str, Json], rule: Collapse) -> str | None:
    values = [_look(metadata, path) for path in rule.paths]
    if any(value is None for value in values):
        return None
    return json.dumps(values, sort_keys=True, ensure_ascii=False)


def _look(metadata: Mapping[str, Json], path: tuple[str, ...]) -> Json:
    value: Json = dict(metadata)
    for key in path:
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and _POSITION.fullmatch(key) and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


def copies_of(space: Space, rows: Ints) -> list[int]:
    """For each row, how many other thoughts that may be seen have the same text by the same speaker."""
    catalogue = space.catalogue
    if not catalogue.repeated_texts:
        return [0] * len(rows)
    voices = catalogue.voices
    bits = np.zeros(1 << 16, np.bool_)
    bits[voices[rows] & 0xFFFF] = True
    near = np.flatnonzero(bits[voices & 0xFFFF])
    if space.mask is not None:
        near = near[space.mask[near]]
    elif catalogue.live is not None:
        near = near[catalogue.live[near]]
    same = [near[voices[near] == voices[row]] for row in rows.tolist()]
    return [max(0, len(np.unique(catalogue.tids[others])) - 1) for others in same]
