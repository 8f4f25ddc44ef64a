"""The vector leg: which passages point the same way as the question?

Eight-bit codes find candidates, in all rows or, of a namespace with a topic tree, in the leaves that a beam reaches;
the best ones, and whatever the pool asks for, are compared again exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.index.topics import TopicTable
from simonides.index.vectors import VectorTable, exact
from simonides.read.legs.select import Names, best
from simonides.read.legs.topic_beam import PLAIN, BeamScan, Hurry, Walk
from simonides.topics.codes import CodedQuery, encode_query

if TYPE_CHECKING:
    from simonides.backend.port import Snapshot
    from simonides.embedders.door import Unit
    from simonides.index.catalogue import Catalogue
    from simonides.index.shelf import View

MARGIN = 32  # candidates compared exactly beyond those wanted: codes may swap close neighbours
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


class FlatScan:
    """Every row of a table, compared with the question once."""

    tree: int | None = None
    centroids_scored = 0

    def __init__(self, table: VectorTable, query: Unit) -> None:
        self._table = table
        self.dimension = table.dimension
        self.coded = encode_query(query)
        self.scores = table.scan(self.coded)
        self.vectors_scored = table.size

    def near(self, wanted: int, mask: Mask | None) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Ordinals that a mask lets through, all of them, and approximate cosines."""
        rows = self._table.rows
        if mask is None:
            return rows, self.scores
        chosen = np.flatnonzero(mask[rows])
        return rows[chosen], self.scores[chosen]

    def approximately(self, ordinals: npt.NDArray[np.integer]) -> Floats:
        """Cosines for some ordinals; NaN without a vector and for the ordinal n, "none"."""
        places = self._table.places[ordinals]
        out = np.full(len(places), np.nan)
        has = places >= 0
        out[has] = self.scores[places[has]]
        return out

    def everything(self) -> npt.NDArray[np.float32]:
        """Approximate cosines of all rows."""
        return self.scores

    def row(self, ordinal: int) -> CodedQuery | None:
        return self._table.row(ordinal)

    def some(self, ordinals: npt.NDArray[np.integer], query: CodedQuery) -> Floats:
        return self._table.some(ordinals, query)

    def exactly(self, ordinals: npt.NDArray[np.int64], query: Unit) -> Floats | None:
        return self._table.exactly(ordinals, query)


@dataclass(frozen=True, slots=True)
class VectorLeg:
    """One question against one namespace. `table` compares, exhaustively or by a beam."""

    snapshot: Snapshot
    catalogue: Catalogue
    table: FlatScan | BeamScan
    query: Unit
    known: dict[int, float] = field(default_factory=dict, repr=False)

    @property
    def scanned(self) -> int:
        """Vectors compared approximately so far."""
        return self.table.vectors_scored

    @property
    def centroids(self) -> int:
        """Topics compared on the way to them."""
        return self.table.centroids_scored

    @property
    def looked_up(self) -> int:
        """Vectors read whole and compared exactly so far."""
        return len(self.known)

    @property
    def tree(self) -> int | None:
        """The epoch of the topic tree that was walked; None without one."""
        return self.table.tree

    @property
    def approximate(self) -> npt.NDArray[np.float32]:
        """Approximate cosines of every vector of the namespace, for whoever asks why."""
        return self.table.everything()

    def top(self, limit: int, mask: Mask | None, *, approximate: bool = False) -> npt.NDArray[np.int64]:
        """Ordinals of the `limit` passages of largest cosine, not below 0, within a scope, best first.

        approximate: the cosines of the scan decide, not exact ones.
        """
        live = self.catalogue.live
        if live is not None:
            mask = live if mask is None or mask is live else mask & live
        wanted = limit if approximate else limit + MARGIN
        rows, scores = self.table.near(wanted, mask)
        found = best(scores, self.catalogue.keys, wanted, self._names(rows), rows)
        if approximate:
            return rows[found[scores[found] >= 0]]
        ordinals = rows[found]
        cosines = self.cosines(ordinals)
        ordinals, cosines = ordinals[cosines >= 0], cosines[cosines >= 0]
        return ordinals[best(cosines, self.catalogue.keys, limit, self._names(ordinals), ordinals)]

    def _names(self, ordinals: npt.NDArray[np.int64]) -> Names:
        return lambda indices: names_of(self.snapshot, self.catalogue, ordinals[indices])

    def approximately(self, ordinals: npt.NDArray[np.integer]) -> Floats:
        """Approximate cosines for some ordinals; NaN without a vector and for the ordinal n, "none"."""
        return self.table.approximately(ordinals)

    def cosines(self, ordinals: npt.NDArray[np.int64]) -> Floats:
        """Exact cosines of some passages, NaN without a vector; each is read once per question."""
        known = self.known
        wanted = self.catalogue.pids[ordinals].tolist()
        held = self.table.exactly(ordinals, self.query)
        if held is not None:
            known.update(zip(wanted, held.tolist(), strict=True))
            return held
        missing = [pid for pid in wanted if pid not in known]
        if missing:
            pids, rows = self.snapshot.vectors_of(missing, self.table.dimension)
            known.update(dict.fromkeys(missing, np.nan))
            known.update(zip(pids.tolist(), exact(rows, self.query).tolist(), strict=True))
        return np.array([known[pid] for pid in wanted], np.float64)


def search(
    snapshot: Snapshot, view: View, query: Unit, walk: Walk = PLAIN, hurry: Hurry | None = None
) -> VectorLeg | None:
    """The leg for one namespace; None when it holds no vector. hurry: asked on the way, True ends a walk early."""
    vectors = view.vectors
    if vectors is None or not vectors.size:
        return None
    if isinstance(vectors, TopicTable):
        return VectorLeg(snapshot, view.catalogue, BeamScan(snapshot, vectors, query, walk, hurry), query)
    return VectorLeg(snapshot, view.catalogue, FlatScan(vectors, query), query)


def names_of(snapshot: Snapshot, catalogue: Catalogue, ordinals: npt.NDArray[np.int64]) -> list[str]:
    """The thought ids of some passages, aligned."""
    tids = catalogue.tids[ordinals].tolist()
    names = snapshot.thought_ids(tids)
    return [names[tid] for tid in tids]
