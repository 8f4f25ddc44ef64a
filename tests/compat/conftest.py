"""Small stores without an embedder, vectors are given; and a watch on the statements that reach the database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import apsw
import pytest
from store_driver import HandClock

import simonides

Make = Callable[..., simonides.Store]


@pytest.fixture
def make(clock: HandClock) -> Iterator[Make]:
    """Opens stores in memory: `make(reflection_topk_cap=1.0)` sets a key of `[search]`; `config=` sets all."""
    opened: list[simonides.Store] = []

    def opening(*, config: Any = None, embedder: Any = False, path: Any = ":memory:", **search: Any) -> Any:
        settings = {"search": search} if config is None else config
        store = simonides.open(path, embedder=embedder, clock=clock, config=settings)
        opened.append(store)
        return store

    yield opening
    for store in opened:
        store.close()


@pytest.fixture
def statements() -> Iterator[Callable[[], Any]]:
    """`with statements() as seen:` collects (sql, bindings) of every statement on connections opened in the test."""
    seen: list[tuple[str, Any]] = []
    watching = [False]

    def trace(_: Any, sql: str, bindings: Any) -> bool:
        if watching[0]:
            seen.append((sql, bindings))
        return True

    def hook(connection: apsw.Connection) -> None:
        connection.exec_trace = trace

    apsw.connection_hooks.append(hook)

    @contextmanager
    def watch() -> Iterator[list[tuple[str, Any]]]:
        seen.clear()
        watching[0] = True
        try:
            yield seen
        finally:
            watching[0] = False

    yield watch
    apsw.connection_hooks.remove(hook)
