"""The peer package with its default vector backend."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from benchmarks.speed.corpus import Block
from benchmarks.speed.systems import Vector

try:  # its sqlite-vec backend needs SQLite 3.41 and loadable extensions, which some builds of Python lack
    import pysqlite3

    sys.modules["sqlite3"], sys.modules["sqlite3.dbapi2"] = pysqlite3, pysqlite3.dbapi2
except ImportError:
    pass
from engrava import LifecycleStatus, Priority, SqliteEngravaCore, ThoughtRecord, ThoughtType

PACKAGES = ("engrava", "pysqlite3-binary")
NOTE = "`search_hybrid`, `search_fts`, `search_similar`; its default vector backend, numpy; bulk writes in one commit"


class Engrava:
    """Its core is asynchronous; one event loop serves all calls, so none pays for a loop of its own."""

    def __init__(self, path: str, dimension: int, backend: str) -> None:
        settings = Path(f"{path}.yaml")
        vector = f"extensions:\n  vector:\n    backend: {backend}\n    dimension: {dimension}\n"
        settings.write_text(f"database:\n  path: {path}\n{vector}", encoding="utf-8")
        self._loop = asyncio.new_event_loop()
        self._core: Any = self._loop.run_until_complete(SqliteEngravaCore.from_config(str(settings)))
        if backend != "numpy" and self._core._vector_backend is None:
            self.close()
            raise ImportError(f"the vector backend {backend} did not load")
        self._cycle = 0

    def store(self, block: Block) -> None:
        self._loop.run_until_complete(self._store(block))

    async def _store(self, block: Block) -> None:
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


def open(path: str, dimension: int) -> Engrava:
    return Engrava(path, dimension, "numpy")
