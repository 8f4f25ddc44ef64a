"""Invariants over time: seeded years in the life of a store. `make soak` lives longer ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from year.life import Life

from simonides.index import shelf


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_year_in_the_life(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "KEPT_FROM", 5)  # so that a small store keeps its catalogues too
    life = Life(seed, tmp_path / "year.db")
    life.live(400)
    assert life.told["event"] > 250
    assert {"remember", "correct", "archive", "forget", "days", "reopen"} <= life.told.keys()
