"""What the tests stand on: a synchronous driver around AsyncStore, a clock that obeys, and a few drafts."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import apsw
import pytest

import simonides
from simonides import AsyncStore
from simonides.aio_parts import Part
from simonides.backend.sqlite import migrate as steps
from simonides.clock import SECOND, to_instant

T = TypeVar("T")
START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
CALL_S_MAX = 60.0  # a verb that takes longer hangs


class HandClock:
    """A clock that stands still until it is moved. Counts how often it was read."""

    def __init__(self, start: datetime = START) -> None:
        self.now = to_instant(start)
        self.readings = 0

    def __call__(self) -> int:
        self.readings += 1
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += round(seconds * SECOND)


class Loop:
    """One event loop in a thread of its own, shared by every driven store of a test run."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="test-loop", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(CALL_S_MAX)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CALL_S_MAX)
        self._loop.close()


class DrivenStore:
    """An AsyncStore with the face of a Store: each verb is awaited on the loop."""

    def __init__(self, loop: Loop, store: AsyncStore | Part[Any]) -> None:
        self._driving_loop = loop
        self._driven = store

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._driven, name)
        if inspect.iscoroutinefunction(member):
            return lambda *args, **kwargs: self._driving_loop.run(member(*args, **kwargs))
        return DrivenStore(self._driving_loop, member) if isinstance(member, Part) else member

    def in_namespace(self, namespace: str, *, sealed: bool = False) -> DrivenStore:
        return DrivenStore(self._driving_loop, self._driven.in_namespace(namespace, sealed=sealed))

    def __enter__(self) -> DrivenStore:
        self._driving_loop.run(self._driven.__aenter__())
        return self

    def __exit__(self, *_: object) -> None:
        self._driving_loop.run(self._driven.close())


def open_driven(loop: Loop, path: str | Path, **options: Any) -> DrivenStore:
    """Opens a store through `open_async` and drives it."""
    return DrivenStore(loop, simonides.open_async(path, **options)).__enter__()


Opener = Callable[..., Any]


def ids(rows: Any) -> list[str]:
    """The thought ids of thoughts, hits, an answer or (id, score) pairs, in order."""
    if isinstance(rows, simonides.HybridSearchResult):
        rows = rows.hits
    return [row[0] if isinstance(row, tuple) else row.thought_id for row in rows]


def of_version(path: Path, version: int) -> None:
    """A store as the first versions made it."""
    with pytest.MonkeyPatch.context() as patch:
        scripts = {number: script for number, script in steps.scripts().items() if number <= version}
        patch.setattr(steps, "SCHEMA_VERSION", version)
        patch.setattr(steps, "scripts", lambda: scripts)
        connection = apsw.Connection(str(path))
        steps.migrate(connection, str(path), read_only=False)
        connection.close()
