"""What does ranking know of every passage without asking the database? Columns of numbers, one row per passage.

A row's place is its *ordinal*. Ordinals follow passage ids, so new passages only append; a removed passage keeps
its place and loses its life. A `Catalogue` never changes: catching up makes another one that shares what is equal.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from simonides.backend.rows import ACTIVE, ARCHIVED, REFLECTION, CatalogueRow, Ints
from simonides.index.context import Context, Links, context_of
from simonides.index.evidence import Evidence, evidence_of
from simonides.index.hidden import NEVER, Hidden
from simonides.index.links import link_all, link_more

UNKNOWN = np.iinfo(np.int64).min  # occurred_at of what has no time
ALWAYS = np.iinfo(np.int64).min  # valid_from of what has no beginning
COLUMNS: dict[str, type[np.generic]] = {
    "pids": np.int64,
    "tids": np.int64,
    "keys": np.int64,
    "texts": np.int64,
    "words": np.int32,
    "essence_words": np.int32,
    "asks": np.float32,
    "session": np.int32,
    "position": np.int32,
    "speaker": np.int32,
    "thought_type": np.int8,
    "status": np.int8,
    "retired": np.bool_,
    "priority": np.int8,
    "updated_at": np.int64,
    "updated_cycle": np.int64,
    "created_at": np.int64,
    "occurred_at": np.int64,
    "expires_at": np.int64,
    "valid_from": np.int64,
    "valid_until": np.int64,
}
FRESH_CHECKED_MAX = 64
_generations = itertools.count(1)


class Catalogue:
    """The passages of one namespace at one seq. Arrays have length n and are read-only by agreement.

    keys: 64-bit hashes of the thought ids, which settle ties at a cut. texts: 64 bits of the content hashes.
    live: (n,) bool or None when all live. neighbours: (≥ n, 2·REACH) int32 ordinals of the turns one before, one
    after, two before, … in the same session, −1 for none, possibly ≥ n for rows of a later state; None without
    sessions.
    """

    __slots__ = (
        *COLUMNS,
        "_all",
        "_bounded",
        "_context",
        "_evidence",
        "_hidden",
        "_lengths",
        "_repeats",
        "_several",
        "_voices",
        "dead",
        "generation",
        "live",
        "neighbours",
        "seq",
        "size",
    )

    pids: Ints
    tids: Ints
    keys: Ints
    texts: Ints
    words: npt.NDArray[np.int32]
    essence_words: npt.NDArray[np.int32]
    asks: npt.NDArray[np.float32]
    session: npt.NDArray[np.int32]
    position: npt.NDArray[np.int32]
    speaker: npt.NDArray[np.int32]
    thought_type: npt.NDArray[np.int8]
    status: npt.NDArray[np.int8]
    retired: npt.NDArray[np.bool_]
    priority: npt.NDArray[np.int8]
    updated_at: Ints
    updated_cycle: Ints
    created_at: Ints
    occurred_at: Ints
    expires_at: Ints
    valid_from: Ints
    valid_until: Ints

    def __init__(
        self, columns: dict[str, npt.NDArray[Any]], size: int, live: npt.NDArray[np.bool_] | None, seq: int, gen: int
    ) -> None:
        for name, column in columns.items():
            setattr(self, name, column[:size])
        self._all = columns
        self._bounded: bool | None = None
        self._several: bool | None = None
        self._repeats: bool | None = None
        self._voices: Ints | None = None
        self._context: Context | None = None
        self._evidence: Evidence | None = None
        self._hidden: Hidden | None = None
        self._lengths: dict[tuple[float, bool], tuple[npt.NDArray[np.float64], float]] = {}
        self.size = size
        self.live = live
        self.dead = 0 if live is None else int(size - np.count_nonzero(live))
        self.seq = seq
        self.generation = gen
        self.neighbours: Links | None = None

    def apart(self) -> Catalogue:
        """The same rows, not linked by sessions, in buffers without spare room: what is appended is a copy."""
        columns = {name: column[: self.size] for name, column in self._all.items()}
        return Catalogue(columns, self.size, self.live, self.seq, self.generation)

    def lengths(self, essence_weight: float, *, context: bool) -> tuple[npt.NDArray[np.float64], float]:
        """(n,) float64 BM25 lengths and their mean over the living; with the turns beside a turn on request."""
        key = (essence_weight, context)
        found = self._lengths.get(key)
        if found is None:
            found = self._lengths[key] = self._measure(essence_weight, context)
        return found

    def _measure(self, essence_weight: float, context: bool) -> tuple[npt.NDArray[np.float64], float]:
        own = self.words + essence_weight * self.essence_words
        if self.live is not None:
            own = np.where(self.live, own, 0.0)
        lengths = own.astype(np.float64)
        around = self.context if context else None
        if around is not None:
            padded = np.append(lengths, 0.0)
            lengths = lengths + padded[around.links].sum(axis=1)
        total = lengths.sum() if self.live is None else lengths[self.live].sum()
        return lengths, (float(total) - self.evidence.other(lengths)) / max(1, self.evidence.count)

    @property
    def context(self) -> Context | None:
        """What the turns around each turn lend it; None without sessions."""
        if self._context is None and self.neighbours is not None:
            self._context = context_of(self.neighbours, self.size, self.asks, self.speaker)
        return self._context

    @property
    def bounded(self) -> bool:
        """Whether any statement holds from or until some time only."""
        if self._bounded is None:
            self._bounded = _has_bounds(self.valid_from, self.valid_until)
        return self._bounded

    @property
    def several_passages(self) -> bool:
        """Whether any thought may have more than one living passage."""
        if self._several is None:
            self._several = _has_equals(self._living(self.tids))
        return self._several

    @property
    def repeated_texts(self) -> bool:
        """Whether any two living passages may have the same text by the same speaker."""
        if self._repeats is None:
            self._repeats = _has_equals(self._living(self.voices))
        return self._repeats

    @property
    def voices(self) -> Ints:
        """(n,) int64: the same for passages of equal texts by one speaker."""
        if self._voices is None:
            self._voices = self.texts ^ (self.speaker.astype(np.int64) * np.int64(0x9E3779B97F4A7C1))
        return self._voices

    @property
    def hidden(self) -> Hidden:
        """What a plain question must leave out, looked for once."""
        if self._hidden is None:
            self._hidden = Hidden(
                first_expiry=int(self.expires_at.min(initial=NEVER)),
                retired=bool(self.retired.any()),
                archived=bool((self.status == ARCHIVED).any()),
                reflections=bool((self.thought_type == REFLECTION).any()),
                idle=bool(self.idle.any()),
            )
        return self._hidden

    @property
    def idle(self) -> npt.NDArray[np.bool_]:
        """(n,) reflections that are CREATED or DONE: a reflection is found while it is ACTIVE, or in the archive."""
        working = (self.status == ACTIVE) | (self.status == ARCHIVED)
        return np.asarray((self.thought_type == REFLECTION) & ~working)

    def _living(self, column: Ints) -> Ints:
        return column if self.live is None else column[self.live]

    @property
    def count(self) -> int:
        """Living passages."""
        return self.size - self.dead

    @property
    def evidence(self) -> Evidence:
        """What statistics of words count."""
        if self._evidence is None:
            self._evidence = evidence_of(self.thought_type, self.live, self.count)
        return self._evidence

    def ordinals(self, pids: Ints) -> npt.NDArray[np.int64]:
        """The places of passages; those that are not here are left out."""
        places = np.searchsorted(self.pids, pids)
        inside = places < self.size
        places, wanted = places[inside], np.asarray(pids)[inside]
        return np.asarray(places[self.pids[places] == wanted])

    def ordinals_of_tids(self, tids: Ints) -> npt.NDArray[np.int64]:
        """The places of every living passage of some thoughts."""
        found = np.isin(self.tids, tids)
        if self.live is not None:
            found &= self.live
        return np.flatnonzero(found)


def build(portions: Iterable[Sequence[CatalogueRow]], seq: int) -> Catalogue:
    """A catalogue from all rows, ascending by passage id; they come in portions, of which one is held at a time."""
    parts = [_columns(rows) for rows in portions] or [_columns(())]
    return restored({name: np.concatenate([part[name] for part in parts]) for name in COLUMNS}, seq)


def restored(columns: dict[str, npt.NDArray[Any]], seq: int) -> Catalogue:
    """A catalogue from all columns, by passage id."""
    catalogue = Catalogue(columns, len(columns["pids"]), None, seq, next(_generations))
    catalogue.neighbours = link_all(catalogue)
    return catalogue


def catch_up(old: Catalogue, changed: Sequence[CatalogueRow], dead: Ints, seq: int) -> Catalogue:
    """The catalogue at a later seq: changed rows are those of every thought changed since, dead are passage ids."""
    last = int(old.pids[-1]) if old.size else 0
    fresh = [row for row in changed if row.pid > last]
    columns = _append(old, fresh)
    size = old.size + len(fresh)
    known = [row for row in changed if row.pid <= last]
    if known:
        _overwrite(columns, old, known)
    live = _lives(old, size)
    gone = np.empty(0, np.int64)
    if len(dead):
        view = Catalogue(columns, size, None, seq, old.generation)
        gone = view.ordinals(dead)
        if len(gone):
            live = np.ones(size, np.bool_) if live is None else live.copy()
            live[gone] = False
    new = Catalogue(columns, size, live, seq, old.generation)
    sessions = bool(len(gone)) and bool(new.session[gone].any())
    new.neighbours = link_all(new) if sessions else link_more(old, new)
    if not known:
        _inherit(old, new)
    return new


def _inherit(old: Catalogue, new: Catalogue) -> None:
    """What the old catalogue had found out stays true when the new rows do not change it; few rows are checked."""
    fresh = slice(old.size, new.size)
    count = new.size - old.size
    if count > FRESH_CHECKED_MAX:
        return
    if old._bounded is not None:
        new._bounded = old._bounded or _has_bounds(new.valid_from[fresh], new.valid_until[fresh])
    if old._several is not None:
        tids = new.tids[fresh]
        newer = not old.size or not count or int(tids.min()) > int(old.tids.max())
        new._several = old._several or _has_equals(tids) or not newer
    if old._repeats is not None:
        voices = new.voices[fresh]
        new._repeats = old._repeats or _has_equals(voices) or bool(np.isin(old.voices, voices).any())


def _has_bounds(starts: Ints, ends: Ints) -> bool:
    return bool(len(starts)) and bool(int(starts.max()) > ALWAYS or int(ends.min()) < NEVER)


def _has_equals(column: Ints) -> bool:
    ordered = np.sort(column)
    return bool((ordered[1:] == ordered[:-1]).any())


def key_of(thought_id: str) -> int:
    """64 bits of BLAKE2b of a thought id, signed: an order that does not depend on when a row came."""
    return int.from_bytes(blake2b(thought_id.encode(), digest_size=8).digest(), "big", signed=True)


def _columns(rows: Sequence[CatalogueRow]) -> dict[str, npt.NDArray[Any]]:
    lists: list[Iterable[Any]] = list(zip(*rows, strict=True)) if rows else [() for _ in CatalogueRow._fields]
    by_name = dict(zip(CatalogueRow._fields, lists, strict=True))
    values: dict[str, Iterable[Any]] = {
        "pids": by_name["pid"],
        "tids": by_name["tid"],
        "keys": [key_of(x) for x in by_name["thought_id"]],
        "texts": [int.from_bytes(x[:8], "big", signed=True) for x in by_name["content_hash"]],
        "position": [0 if x is None else x for x in by_name["position"]],
        "status": by_name["lifecycle_status"],
        "occurred_at": [UNKNOWN if x is None else x for x in by_name["occurred_at"]],
        "expires_at": [NEVER if x is None else x for x in by_name["expires_at"]],
        "valid_from": [ALWAYS if x is None else x for x in by_name["valid_from"]],
        "valid_until": [NEVER if x is None else x for x in by_name["valid_until"]],
    }
    return {name: np.array(values.get(name, by_name.get(name, ())), dtype) for name, dtype in COLUMNS.items()}


def _append(old: Catalogue, rows: Sequence[CatalogueRow]) -> dict[str, npt.NDArray[Any]]:
    """Buffers that begin with the old rows and go on with new ones. Room beyond `old.size` is used in place."""
    if not rows:
        return dict(old._all)
    more = _columns(rows)
    size = old.size + len(rows)
    buffers = {}
    for name, buffer in old._all.items():
        if len(buffer) < size:
            grown = np.empty(max(size, len(buffer) * 3 // 2 + 16), buffer.dtype)
            grown[: old.size] = buffer[: old.size]
            buffer = grown
        buffer[old.size : size] = more[name]
        buffers[name] = buffer
    return buffers


def _overwrite(columns: dict[str, npt.NDArray[Any]], old: Catalogue, rows: Sequence[CatalogueRow]) -> None:
    values = _columns(rows)
    places = np.searchsorted(old.pids, values["pids"])
    for name, column in columns.items():
        if np.array_equal(column[places], values[name]):
            continue
        column = column.copy()
        column[places] = values[name]
        columns[name] = column


def _lives(old: Catalogue, size: int) -> npt.NDArray[np.bool_] | None:
    if old.live is None or size == old.size:
        return old.live
    live = np.ones(size, np.bool_)
    live[: old.size] = old.live
    return live
