"""How do new passages get their vectors? What else the indexes hold of them: `index/passages.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simonides.backend.rows import NO_VECTOR, STORED, NewPassage

if TYPE_CHECKING:
    from simonides.embedders.door import Unit


def with_vectors(passages: Sequence[NewPassage], vectors: Sequence[Unit | None] | None) -> list[NewPassage]:
    """The passages with their unit vectors. None for all: still pending. None for one: it will never have one."""
    if vectors is None:
        return list(passages)
    return [
        p._replace(embedding=NO_VECTOR)
        if row is None
        else p._replace(embedding=STORED, vector=row.astype("<f4").tobytes())
        for p, row in zip(passages, vectors, strict=True)
    ]
