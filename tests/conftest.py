"""Stores for the tests: both faces, in memory and in a file, closed when the test ends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from store_driver import HandClock, Loop, Opener, open_driven

import simonides

QUICK = {"store": {"synchronous": "NORMAL"}}  # what a killed process may lose is tested in anomaly/


@pytest.fixture(scope="session")
def loop() -> Iterator[Loop]:
    """One event loop for every driven AsyncStore."""
    made = Loop()
    yield made
    made.close()


@pytest.fixture
def clock() -> HandClock:
    """A clock that stands at 2026-03-01T12:00:00Z until a test moves it."""
    return HandClock()


@pytest.fixture(params=["memory", "file", "async-memory", "async-file"])
def opener(request: pytest.FixtureRequest, loop: Loop, tmp_path: Path, clock: HandClock) -> Iterator[Opener]:
    """Opens stores of one face and one place: `opener("b.db", embedder=False)`; closes them at the end.

    In memory every call gives a new store. Options are those of `simonides.open`.
    """
    face, _, place = str(request.param).rpartition("-")
    opened: list[Any] = []

    def opening(name: str = "store.db", **options: Any) -> Any:
        path: str | Path = ":memory:" if place == "memory" else tmp_path / name
        options = {"embedder": "hashing:64", "clock": clock, "config": QUICK, **options}
        store = open_driven(loop, path, **options) if face else simonides.open(path, **options)
        opened.append(store)
        return store

    yield opening
    for store in opened:
        store.close()


@pytest.fixture
def store(opener: Opener) -> Any:
    """An empty store with the hashing embedder, once per face and place."""
    return opener()


@pytest.fixture
def plain(clock: HandClock) -> Iterator[simonides.Store]:
    """An empty store in memory, without vectors, for tests of what lies behind the façade."""
    with simonides.open(":memory:", embedder=False, clock=clock) as made:
        yield made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a file store may be made."""
    return tmp_path / "store.db"
