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

    def top(self, limit: int, mask: Mask | None) -> tuple[npt.NDArray[np.int64], Floats]:
        """The `limit` passages of largest cosine, not below 0, within a scope: ordinals and exact cosines."""
        rows = self.table.rows
        usable = np.ones(len(rows), np.bool_) if mask is None else mask[rows]
        if self.catalogue.live is not None:
            usable &= self.catalogue.live[rows]
        candidates = np.flatnonzero(usable)
        keys = self.catalogue.keys[rows]
        chosen = candidates[best(self.approximate[candidates], keys[candidates], limit + MARGIN)]
        ordinals = rows[chosen]
        cosines = self.cosines(ordinals)
        kept = cosines >= 0
        ordinals, cosines = ordinals[kept], cosines[kept]
        order = best(cosines, self.catalogue.keys[ordinals], limit)
        return ordinals[order], cosines[order]

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
