"""Many awaited questions: as many at a time as there are cores, unless they wait for a server."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simonides
from simonides import aio
from simonides.embedders import HashingEmbedder


class Watched:
    """An embedder that counts how many questions it is asked at the same time."""

    zero_means_unknown = False

    def __init__(self, *, is_local: bool) -> None:
        self._real = HashingEmbedder(16)
        self.is_local = is_local
        self.info = self._real.info
        self.at_once = self.most = 0
        self._lock = threading.Lock()
        self._together = threading.Semaphore(0)

    def embed_documents(self, texts: Sequence[str]) -> Any:
        return self._real.embed_documents(texts)

    def embed_queries(self, texts: Sequence[str]) -> Any:
        with self._lock:
            self.at_once += 1
            self.most = max(self.most, self.at_once)
        self._together.acquire(timeout=0.2)  # nobody releases it: a pause in which others may come
        with self._lock:
            self.at_once -= 1
        return self._real.embed_queries(texts)


@pytest.mark.parametrize(("is_local", "most"), [(True, aio.RANKING), (False, aio.WORKERS)])
def test_questions_at_a_time(tmp_path: Path, is_local: bool, most: int) -> None:
    embedder = Watched(is_local=is_local)

    async def ask() -> list[Any]:
        async with simonides.open_async(
            tmp_path / "store.db", embedder=embedder, config={"embedding": {"query_deadline_s": 60.0}}
        ) as store:
            await store.remember("tea in the garden", thought_id="tea")
            return await asyncio.gather(*(store.recall(f"tea {n}") for n in range(3 * aio.WORKERS)))

    answers = asyncio.run(ask())
    assert [hit.thought_id for answer in answers for hit in answer.hits] == ["tea"] * len(answers)
    assert embedder.most == most


def test_a_question_with_its_vector_waits_for_no_server(tmp_path: Path) -> None:
    """It is ranked among the few, so it is not held up by eight questions that wait for the embedder."""
    embedder = Watched(is_local=False)

    async def ask() -> Any:
        async with simonides.open_async(tmp_path / "store.db", embedder=embedder) as store:
            await store.remember("tea in the garden", thought_id="tea")
            waiting = [asyncio.ensure_future(store.recall(f"tea {n}")) for n in range(4 * aio.WORKERS)]
            await asyncio.sleep(0)
            quick = await store.recall("tea", query_vector=np.ones(16))
            assert not all(task.done() for task in waiting)
            await asyncio.gather(*waiting)
            return quick

    assert [hit.thought_id for hit in asyncio.run(ask()).hits] == ["tea"]
