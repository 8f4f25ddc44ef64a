"""The vector leg: which passages point the same way as the question?

All rows are scanned with eight-bit codes; the best ones, and whatever the pool asks for, are compared again exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from simonides.backend.port import Snapshot
from simonides.embedders.door import Unit
from simonides.index.catalogue import Catalogue
from simonides.index.shelf import View
from simonides.index.vectors import VectorTable, exact
from simonides.read.legs.select import best

MARGIN = 32  # candidates compared exactly beyond those wanted: codes may swap close neighbours
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class VectorLeg:
    """One question against one namespace. scanned: how many vectors were looked at."""

    snapshot: Snapshot
    catalogue: Catalogue
    table: VectorTable
    query: Unit
    approximate: npt.NDArray[np.float32]
    scanned: int
    known: dict[int, float] = field(default_factory=dict, repr=False)

    def top(self, limit: int, mask: Mask | None, *, approximate: bool = False) -> npt.NDArray[np.int64]:
        """Ordinals of the `limit` passages of largest cosine, not below 0, within a scope, best first.

        approximate: the cosines of the scan decide, not exact ones.
        """
        rows, scores = self.table.rows, self.approximate
        usable = None if mask is None else mask[rows]
        if self.catalogue.live is not None:
            living = self.catalogue.live[rows]
            usable = living if usable is None else usable & living
        if usable is not None:
            chosen = np.flatnonzero(usable)
            rows, scores = rows[chosen], scores[chosen]
        found = best(scores, self.catalogue.keys[rows], limit if approximate else limit + MARGIN)
        if approximate:
            return rows[found[scores[found] >= 0]]
        ordinals = rows[found]
        cosines = self.cosines(ordinals)
        ordinals, cosines = ordinals[cosines >= 0], cosines[cosines >= 0]
        return ordinals[best(cosines, self.catalogue.keys[ordinals], limit)]

    def approximately(self, ordinals: npt.NDArray[np.integer]) -> Floats:
        """Cosines from the scan for some ordinals; NaN without a vector and for the ordinal n, "none"."""
        places = np.append(self.table.places, np.int32(-1))[ordinals]
        found = np.append(self.approximate, np.float32(np.nan))[places]
        return np.asarray(found, np.float64)

    def cosines(self, ordinals: npt.NDArray[np.int64]) -> Floats:
        """Exact cosines of some passages, NaN without a vector; each is read and computed once per question."""
        known = self.known
        wanted = self.catalogue.pids[ordinals].tolist()
        missing = [pid for pid in wanted if pid not in known]
        if missing:
            pids, rows = self.snapshot.vectors_of(missing, self.table.dimension)
            known.update(dict.fromkeys(missing, np.nan))
            known.update(zip(pids.tolist(), exact(rows, self.query).tolist(), strict=True))
        return np.array([known[pid] for pid in wanted], np.float64)


def search(snapshot: Snapshot, view: View, query: Unit) -> VectorLeg | None:
    """The leg for one namespace; None when it holds no vector."""
    if view.vectors is None or not view.vectors.size:
        return None
    return VectorLeg(snapshot, view.catalogue, view.vectors, query, view.vectors.scan(query), view.vectors.size)
