"""How do catalogues and topic trees outlive their process? Their arrays are kept in the file, and caught up from there.

Reading a hundred thousand rows takes a second, reading their columns some milliseconds. The columns are derived: when
they are damaged, or of another version's making, the rows are read instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simonides.index import packing
from simonides.index.catalogue import COLUMNS, restored
from simonides.topics.tree import Level, Shape, Tree

if TYPE_CHECKING:
    from simonides.backend.topics_port import TreeHead
    from simonides.index.catalogue import Catalogue

# Columns of a tree: `levels` says how many topics each level has, the next five hold those of all levels.
TREE: dict[str, type[np.generic]] = {
    "numbers": np.int64,  # dimension, next_key
    "levels": np.int64,
    "keys": np.int64,
    "counts": np.int64,
    "starts": np.int64,
    "lengths": np.float32,
    "centroids": np.float32,
    "members": np.int64,
}


def pack(catalogue: Catalogue) -> bytes:
    """The columns of the living passages."""
    live = catalogue.live
    columns = {name: getattr(catalogue, name) for name in COLUMNS}
    if live is not None:
        columns = {name: column[live] for name, column in columns.items()}
    return packing.pack(columns, COLUMNS)


def unpack(body: bytes | bytearray, seq: int) -> Catalogue | None:
    """The catalogue of a seq; None when its bytes are not what this version wrote."""
    columns = packing.unpack(body, COLUMNS)
    return None if columns is None else restored(columns, seq)


def pack_tree(tree: Tree) -> bytes:
    """Its levels one after the other, and its members."""
    levels = tree.levels
    columns = {
        "numbers": np.array([tree.dimension, tree.next_key]),
        "levels": np.array([len(level) for level in levels]),
        "keys": np.concatenate([level.keys for level in levels]),
        "counts": np.concatenate([level.counts for level in levels]),
        "starts": np.concatenate([level.starts for level in levels]),
        "lengths": np.concatenate([level.lengths for level in levels]),
        "centroids": np.concatenate([level.centroids.ravel() for level in levels]),
        "members": tree.members,
    }
    return packing.pack(columns, TREE)


def unpack_tree(body: bytes | bytearray, head: TreeHead, shape: Shape) -> Tree | None:
    """The tree of a head; None when the bytes are not what this version wrote, or not of this tree."""
    columns = packing.unpack(body, TREE)
    if columns is None or columns["numbers"].tolist() != [head.dimension, head.next_key]:
        return None
    centroids = columns["centroids"].reshape(-1, head.dimension)
    levels = []
    at = 0
    for n, size in enumerate(columns["levels"].tolist()):
        here = slice(at, at + size)
        starts = columns["starts"][at + n : at + n + size + 1]
        levels.append(
            Level(columns["keys"][here], centroids[here], columns["lengths"][here], columns["counts"][here], starts)
        )
        at += size
    return Tree(tuple(levels), columns["members"], head.next_key, shape)
