"""The peer package as a ranker: one store per collection, filled with the same texts and vectors."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.quality.vectors import written
from simonides.evaluate.collection import Collection

ESSENCE_CHARS = 200  # its records ask for a short form; its own benchmarks cut the text


class Peer:
    """A filled store of the peer. Its core is asynchronous; one event loop serves all calls."""

    def __init__(self, collection: Collection, vectors: np.ndarray, folder: Path) -> None:
        from engrava import SqliteEngravaCore

        settings = folder / "peer.yaml"
        backend = f"extensions:\n  vector:\n    backend: numpy\n    dimension: {vectors.shape[1]}\n"
        settings.write_text(f"database:\n  path: {folder / 'peer.db'}\n{backend}", encoding="utf-8")
        self._loop = asyncio.new_event_loop()
        self._core: Any = self._loop.run_until_complete(SqliteEngravaCore.from_config(str(settings)))
        self._loop.run_until_complete(self._fill(collection, vectors))

    async def _fill(self, collection: Collection, vectors: np.ndarray) -> None:
        from engrava import LifecycleStatus, Priority, ThoughtRecord, ThoughtType

        async with self._core.suspend_auto_commit():
            for cycle, (item, row) in enumerate(zip(collection.items, vectors, strict=True)):
                text = written(item)
                record = ThoughtRecord(
                    thought_id=item.item_id,
                    thought_type=ThoughtType.OBSERVATION,
                    essence=text[:ESSENCE_CHARS],
                    content=text,
                    priority=Priority.P3,
                    lifecycle_status=LifecycleStatus.ACTIVE,
                    source="quality",
                    created_cycle=cycle,
                    updated_cycle=cycle,
                )
                await self._core.create_thought(record)
                if row.any():
                    await self._core.store_embedding(item.item_id, row.tolist(), model_name="quality")

    def rank(self, question: str, vector: np.ndarray, depth: int) -> list[str]:
        """Ids, best first, with the peer's own default settings."""
        search = self._core.search_hybrid(question, query_vector=vector.tolist(), top_k=depth)
        return [name for name, _ in self._loop.run_until_complete(search).results]

    def close(self) -> None:
        """Closes the store and its loop."""
        self._loop.run_until_complete(self._core.close())
        self._loop.close()


@contextmanager
def peer(collection: Collection, vectors: np.ndarray) -> Iterator[Peer]:
    """A store of the peer in a folder that goes away."""
    with tempfile.TemporaryDirectory() as folder:
        store = Peer(collection, vectors, Path(folder))
        try:
            yield store
        finally:
            store.close()
