"""The peer package with its default vector backend."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from benchmarks.speed.corpus import DIMENSION, Block
from benchmarks.speed.systems import Vector


class Engrava:
    """Its core is asynchronous; one event loop serves all calls, so none pays for a loop of its own."""

    def __init__(self, path: str, backend: str) -> None:
        from engrava import SqliteEngravaCore

        settings = Path(f"{path}.yaml")
        vector = f"extensions:\n  vector:\n    backend: {backend}\n    dimension: {DIMENSION}\n"
        settings.write_text(f"database:\n  path: {path}\n{vector}", encoding="utf-8")
        self._loop = asyncio.new_event_loop()
        self._core: Any = self._loop.run_until_complete(SqliteEngravaCore.from_config(str(settings)))
        if backend != "numpy" and self._core._vector_backend is None:
            raise ImportError(f"the vector backend {backend} did not load")
        self._cycle = 0

    def store(self, block: Block) -> None:
        self._loop.run_until_complete(self._store(block))

    async def _store(self, block: Block) -> None:
        from engrava import LifecycleStatus, Priority, ThoughtRecord, ThoughtType

        async with self._core.suspend_auto_commit():
            for name, text, row in zip(block.ids, block.texts, block.vectors, strict=True):
                self._cycle += 1
                record = ThoughtRecord(
                    thought_id=name,
                    thought_type=ThoughtType.OBSERVATION,
                    essence=text[:200],
                    content=text,
                    priority=Priority.P3,
                    lifecycle_status=LifecycleStatus.ACTIVE,
                    source="bench",
                    created_cycle=self._cycle,
                    updated_cycle=self._cycle,
                )
                await self._core.create_thought(record)
                await self._core.store_embedding(name, row.tolist(), model_name="bench")

    def hybrid(self, text: str, vector: Vector) -> list[str]:
        search = self._core.search_hybrid(text, query_vector=vector.tolist(), top_k=10, current_cycle=1)
        return [name for name, _ in self._loop.run_until_complete(search).results]

    def text(self, text: str) -> list[str]:
        return [name for name, _ in self._loop.run_until_complete(self._core.search_fts(text, top_k=10))]

    def vector(self, vector: Vector) -> list[str]:
        search = self._core.search_similar(vector.tolist(), top_k=10)
        return [name for name, _ in self._loop.run_until_complete(search)]

    def close(self) -> None:
        self._loop.run_until_complete(self._core.close())
        self._loop.close()


def open(path: str) -> Engrava:
    return Engrava(path, "numpy")
