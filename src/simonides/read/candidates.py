"""Which thoughts compete, and what did each leg measure of them?

Legs return passages, candidates are thoughts: a thought stands with the best of its passages. Where a recipe says
so, identical texts by one speaker compete as one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from simonides.read.legs.proximity import proximity
from simonides.read.legs.select import best
from simonides.read.legs.vector import VectorLeg, names_of
from simonides.read.scales import Column

if TYPE_CHECKING:
    from simonides.backend.port import Snapshot
    from simonides.index.catalogue import Catalogue
    from simonides.index.shelf import Shelf, View
    from simonides.read.legs.full_text import TextLeg
    from simonides.read.recipes import Recipe

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
PROXIMITY_FROM = 0.2  # of a question's ideal: passages with less have too few of its words to stand together
OVERDRAW = 4  # passages drawn per thought wanted, before the rare case of looking at all of them


@dataclass(frozen=True, slots=True)
class Space:
    """One namespace in a question: its view, what may be seen in it, and its legs.

    vector_mask: what the vector leg may return; the same as `mask` without a concept filter. beside: the reflections
    that are answered beside the evidence; None when there are none or the recipe ranks them with the rest.
    """

    name: str
    snapshot: Snapshot
    shelf: Shelf
    view: View
    mask: Mask | None
    text: TextLeg | None
    vector: VectorLeg | None
    vector_mask: Mask | None = None
    beside: Mask | None = None

    @property
    def catalogue(self) -> Catalogue:
        return self.view.catalogue


class Pool(NamedTuple):
    """The competitors. All arrays have length m.

    space: index into spaces. rows: ordinal of the passage that stands for the thought. columns: what was measured.
    """

    spaces: tuple[Space, ...]
    space: npt.NDArray[np.int32]
    tids: Ints
    rows: Ints
    columns: Mapping[str, Column]

    @property
    def size(self) -> int:
        return len(self.tids)

    def of_space(self, n: int) -> slice | Ints:
        """What picks the competitors of one space out of an array of length m."""
        return slice(None) if len(self.spaces) == 1 else np.flatnonzero(self.space == n)

    def take(self, name: str) -> npt.NDArray[Any]:
        """A catalogue column of every competitor: (m,)."""
        if len(self.spaces) == 1:
            return np.asarray(getattr(self.spaces[0].catalogue, name)[self.rows])
        parts = [getattr(s.catalogue, name)[self.rows[self.space == n]] for n, s in enumerate(self.spaces)]
        out = np.empty(self.size, parts[0].dtype if parts else np.int64)
        for n, part in enumerate(parts):
            out[self.space == n] = part
        return out

    def pick(self, order: Ints) -> Pool:
        """The competitors at some indices, in that order."""
        columns = {name: pick_column(column, order) for name, column in self.columns.items()}
        return Pool(self.spaces, self.space[order], self.tids[order], self.rows[order], columns)

    def with_column(self, name: str, column: Column) -> Pool:
        return Pool(self.spaces, self.space, self.tids, self.rows, {**self.columns, name: column})

    def thought_ids(self, rows: Ints) -> list[str]:
        """Public ids of some competitors, aligned with rows."""
        names: dict[tuple[int, int], str] = {}
        spaces, tids = self.space[rows], self.tids[rows]
        for n, space in enumerate(self.spaces):
            found = space.snapshot.thought_ids(tids[spaces == n].tolist())
            names.update(((n, tid), name) for tid, name in found.items())
        return [names[n, tid] for n, tid in zip(spaces.tolist(), tids.tolist(), strict=True)]


def pick_column(column: Column, order: Ints) -> Column:
    return Column(
        column.values[order],
        None if column.ranks is None else column.ranks[order],
        None if column.ideal is None else column.ideal[order],
    )


def identity(catalogue: Catalogue, collapse: bool) -> Ints | None:
    """(n,) what counts as one competitor: a thought, or all of one speaker with the same text. None: each passage."""
    if collapse and catalogue.repeated_texts:
        return catalogue.voices
    return catalogue.tids if catalogue.several_passages else None


def gather(spaces: Sequence[Space], recipe: Recipe, fts_limit: int, vector_limit: int) -> Pool:
    """The union of what the legs return, with each leg's measure of every competitor that the recipe wants."""
    pools = [_gather_one(n, space, recipe, fts_limit, vector_limit) for n, space in enumerate(spaces)]
    pool = _joined(tuple(spaces), pools)
    by_id = any(scale == "reciprocal_rank" for _, scale in recipe.scales)
    columns = {name: _ranked(pool, column, by_id) for name, column in pool.columns.items()}
    return pool._replace(columns=columns)


def _gather_one(n: int, space: Space, recipe: Recipe, fts_limit: int, vector_limit: int) -> Pool:
    key = identity(space.catalogue, recipe.collapse)
    near = without_veto(space, space.vector_mask)
    if recipe.exhaustive:
        vector_rows = _first_of(key, np.arange(space.catalogue.size) if near is None else np.flatnonzero(near))
    else:
        vector_rows = _vector_rows(space, near, key, vector_limit, recipe.refine)
    text_rows = _text_rows(space, without_veto(space, space.mask), key, fts_limit, vector_rows)
    rows = _union(space.catalogue, key, text_rows, vector_rows)
    by_text = np.zeros(len(rows), np.bool_)
    by_text[: len(text_rows)] = True
    return _measured(n, space, rows, (by_text, _among(space.catalogue, key, rows, vector_rows)), recipe)


def admit(pool: Pool, n: int, rows: Ints, recipe: Recipe) -> Pool:
    """The pool with more passages of one space, measured like those that a leg did not return."""
    space = pool.spaces[n]
    key = identity(space.catalogue, recipe.collapse)
    fresh = _first_of(key, rows)
    fresh = fresh[~_among(space.catalogue, key, fresh, pool.rows[pool.space == n])]
    if not len(fresh):
        return pool
    none = np.zeros(len(fresh), np.bool_)
    return _joined(pool.spaces, [pool, _measured(n, space, fresh, (none, none), recipe)])


def _first_of(key: Ints | None, rows: Ints) -> Ints:
    """Rows without those of a competitor that came before, in their order."""
    if key is None:
        return rows
    seen: dict[int, int] = {}
    for place, value in enumerate(key[rows].tolist()):
        seen.setdefault(value, place)
    return rows[list(seen.values())]


def _among(catalogue: Catalogue, key: Ints | None, rows: Ints, others: Ints) -> Mask:
    """(len(rows),) whether each row's competitor is among others."""
    if key is not None:
        return np.isin(key[rows], key[others])
    marks = np.zeros(catalogue.size, np.bool_)
    marks[others] = True
    return np.asarray(marks[rows])


def _union(catalogue: Catalogue, key: Ints | None, first: Ints, second: Ints) -> Ints:
    return np.concatenate([first, second[~_among(catalogue, key, second, first)]])


def _measured(n: int, space: Space, rows: Ints, found: tuple[Mask, Mask], recipe: Recipe) -> Pool:
    """Competitors of one space with what both legs say of them. found: (m,) each, which leg returned the row."""
    members, owner = _members(space.catalogue, rows)
    columns = {}
    measured = np.zeros(len(members))
    if space.text is not None:
        values = _text_values(space, space.text, members)
        columns["fts"] = _column(_largest(values, owner, len(rows)), found[0], recipe.fill, space.text.ideal)
        measured += values / max(space.text.ideal, 1e-12)
    if space.vector is not None:
        values = space.vector.approximately(members) if recipe.refine else space.vector.cosines(members)
        columns["vector"] = _column(_largest(values, owner, len(rows)), found[1], recipe.fill, None)
        measured += np.fmax(values, -1.0)
    if owner is not None:
        rows = _best_member(members, owner, len(rows), measured)
    return Pool((space,), np.full(len(rows), n, np.int32), space.catalogue.tids[rows], rows, columns)


def refined(pool: Pool) -> Pool:
    """The pool with exact cosines of its own rows in place of those from the scan."""
    column = pool.columns.get("vector")
    if column is None:
        return pool
    values = column.values.copy()
    for n, space in enumerate(pool.spaces):
        mine = pool.of_space(n)
        rows = pool.rows[mine]
        if space.vector is not None and len(rows):
            members, owner = _members(space.catalogue, rows)
            values[mine] = _largest(space.vector.cosines(members), owner, len(rows))
    return pool.with_column("vector", Column(values, column.ranks, column.ideal))


def without_veto(space: Space, mask: Mask | None) -> Mask | None:
    """What an expert query's NOT refuses is refused on every leg."""
    if space.text is None or space.text.veto is None or not len(space.text.veto):
        return mask
    catalogue = space.catalogue
    refused = np.isin(catalogue.tids, catalogue.tids[space.text.veto])
    return ~refused if mask is None else mask & ~refused


def _text_rows(space: Space, mask: Mask | None, key: Ints | None, limit: int, others: Ints) -> Ints:
    """The best of the text leg; rows that share only stop words while those and the others do not fill the pool."""
    leg = space.text
    if leg is None or not limit:
        return np.empty(0, np.int64)
    rows = _distinct(space, *leg.passages(mask), key, limit)
    if len(rows) < limit and leg.stop is not None:
        room = limit - len(_union(space.catalogue, key, rows, others))
        more = _distinct(space, *leg.leftovers(mask), key, room) if room > 0 else rows[:0]
        rows = _union(space.catalogue, key, rows, more)
    return rows


def _distinct(space: Space, candidates: Ints, scores: Floats, key: Ints | None, limit: int) -> Ints:
    """The best passages of the `limit` best competitors, best first."""

    def names(indices: Ints) -> list[str]:
        return names_of(space.snapshot, space.catalogue, candidates[indices])

    drawn = limit if key is None else limit * OVERDRAW
    while True:
        rows = _first_of(key, candidates[best(scores, space.catalogue.keys, drawn, names, candidates)])
        if len(rows) >= limit or drawn >= len(candidates):
            return rows[:limit]
        drawn = len(candidates)


def _vector_rows(space: Space, mask: Mask | None, key: Ints | None, limit: int, approximate: bool) -> Ints:
    leg = space.vector
    if leg is None or not limit:
        return np.empty(0, np.int64)
    drawn = limit if key is None else limit * 2
    while True:
        found = leg.top(drawn, mask, approximate=approximate)
        rows = _first_of(key, found)
        if len(rows) >= limit or len(found) < drawn:
            return rows[:limit]
        drawn *= OVERDRAW


def _members(catalogue: Catalogue, rows: Ints) -> tuple[Ints, Ints | None]:
    """Every living passage of the competitors' thoughts and whose it is; (rows, None) where each has just one."""
    if not catalogue.several_passages:
        return rows, None
    tids = catalogue.tids[rows]
    members = catalogue.ordinals_of_tids(tids)
    order = np.argsort(tids, kind="stable")
    owner = order[np.searchsorted(tids[order], catalogue.tids[members])]
    return members, owner


def _text_values(space: Space, leg: TextLeg, members: Ints) -> Floats:
    """BM25 and the bonus for words that stand together; 0 for what an expert query does not match."""
    values = leg.bm25.at(members)
    if len(leg.scored) > 1:
        strong = np.flatnonzero(values >= PROXIMITY_FROM * leg.ideal)
        pids = space.catalogue.pids[members[strong]].tolist()
        stored = dict(space.snapshot.tokens_of(pids)) if pids else {}
        values[strong] += proximity([stored.get(pid, b"") for pid in pids], leg.scored)
    if leg.rows is not None:
        values = np.where(np.isin(members, leg.rows), values, 0.0)
    return values


def _largest(values: Floats, owner: Ints | None, size: int) -> Floats:
    """Per competitor the largest value of its passages; NaN when none has one."""
    if owner is None:
        return values
    out = np.full(size, -np.inf)
    np.maximum.at(out, owner, np.where(np.isnan(values), -np.inf, values))
    return np.where(np.isinf(out), np.nan, out)


def _best_member(members: Ints, owner: Ints, size: int, values: Floats) -> Ints:
    order = np.lexsort((members, -values))
    rows = np.empty(size, np.int64)
    rows[owner[order[::-1]]] = members[order[::-1]]
    return rows


def _column(values: Floats, found: Mask, fill: bool, ideal: float | None) -> Column:
    kept = values if fill else np.where(found, values, np.nan)
    bound = None if ideal is None else np.full(len(values), ideal)
    return Column(kept, found.astype(np.int64), bound)


def _joined(spaces: tuple[Space, ...], pools: Sequence[Pool]) -> Pool:
    names = dict.fromkeys(name for pool in pools for name in pool.columns)
    columns = {name: _joined_column([(p.columns.get(name), p.size) for p in pools]) for name in names}
    return Pool(
        spaces,
        _stack([p.space for p in pools], np.int32),
        _stack([p.tids for p in pools], np.int64),
        _stack([p.rows for p in pools], np.int64),
        columns,
    )


def _joined_column(parts: Sequence[tuple[Column | None, int]]) -> Column:
    empty = [c if c is not None else Column(np.full(n, np.nan), np.zeros(n, np.int64), np.zeros(n)) for c, n in parts]
    ranks = [c.ranks for c in empty if c.ranks is not None]
    ideal = [c.ideal if c.ideal is not None else np.zeros(len(c.values)) for c in empty]
    has_ideal = any(c is not None and c.ideal is not None for c, _ in parts)
    values = _stack([c.values for c in empty], np.float64)
    return Column(values, _stack(ranks, np.int64), _stack(ideal, np.float64) if has_ideal else None)


def _stack(parts: Sequence[npt.NDArray[Any]], dtype: type[np.generic]) -> npt.NDArray[Any]:
    return np.concatenate(parts) if parts else np.empty(0, dtype)


def _ranked(pool: Pool, column: Column, by_id: bool) -> Column:
    """Places from 1 among the rows that the leg returned: by value, then by thought id where places count."""
    assert column.ranks is not None
    found = np.flatnonzero(column.ranks)
    values = np.where(np.isnan(column.values[found]), 0.0, column.values[found])
    if column.ideal is not None and len(pool.spaces) > 1:
        values = values / np.maximum(column.ideal[found], 1e-12)
    ties = ties_by_id(pool, found, values) if by_id else pool.take("keys")[found]
    order = np.lexsort((ties, -values))
    ranks = np.zeros(pool.size, np.int64)
    ranks[found[order]] = np.arange(1, len(found) + 1)
    return Column(column.values, ranks, column.ideal)


def ties_by_id(pool: Pool, rows: Ints, values: Floats) -> Ints:
    """A sort key that orders rows of equal value by thought id. Ids are read of such rows only."""
    out = np.zeros(len(rows), np.int64)
    order = np.argsort(values)
    equal = values[order[1:]] == values[order[:-1]]
    if equal.any():
        tied = np.unique(np.concatenate([order[1:][equal], order[:-1][equal]]))
        out[tied] = id_order(pool.thought_ids(rows[tied]), pool.space[rows[tied]])
    return out


def id_order(names: Sequence[str], spaces: npt.NDArray[np.int32]) -> Ints:
    """Place of each row when sorted by (thought id, namespace)."""
    ordered = sorted(range(len(names)), key=lambda n: (names[n], int(spaces[n])))
    places = np.empty(len(names), np.int64)
    places[ordered] = np.arange(len(names))
    return places


Signal = Callable[[Pool], Column]
