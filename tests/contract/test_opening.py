"""`open` of a file of an earlier version, which is brought up to date with `progress`, and of a file behind a link."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from store_driver import Loop, of_version, open_driven

import simonides
from simonides import Draft
from simonides.backend.sqlite import migrate as steps
from simonides.doctor import examine
from simonides.errors import StoreError

QUIET = {"store": {"synchronous": "NORMAL"}, "audit": {"mode": "off"}}


@pytest.mark.parametrize("face", ["Store", "AsyncStore"])
def test_the_way_from_an_earlier_version_is_reported(path: Path, face: str, loop: Loop) -> None:
    of_version(path, 2)
    seen: list[tuple[str, int, int]] = []

    def opened() -> Any:
        options: dict[str, Any] = {"embedder": False, "progress": lambda *step: seen.append(step)}
        return simonides.open(path, **options) if face == "Store" else open_driven(loop, path, **options)

    with opened() as store:
        assert store.verify().ok
    total = sum(len(steps.read_migration(n, script).steps) for n, script in steps.scripts().items() if n > 2)
    assert seen == [("migrate", n, total) for n in range(1, total + 1)]
    seen.clear()
    opened().__exit__(None, None, None)
    assert seen == []


@pytest.mark.parametrize("name", [":memory:", "new.db"])
def test_a_new_store_reports_nothing(tmp_path: Path, name: str) -> None:
    seen: list[Any] = []
    where = name if name == ":memory:" else str(tmp_path / name)
    with simonides.open(where, embedder=False, progress=lambda *step: seen.append(step)) as store:
        store.remember("x")
    assert seen == []


def test_a_text_index_of_other_rules_is_made_anew_with_progress(path: Path) -> None:
    with simonides.open(path, embedder=False, config=QUIET) as store:
        store.remember_many([Draft(content=f"note {n} about teas") for n in range(2_500)])
        store.remember("elsewhere", namespace="other")
    german = {**QUIET, "text": {"language": "german"}}

    def stop(stage: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simonides.open(path, embedder=False, config=german, progress=stop)
    seen: list[Any] = []
    with simonides.open(path, embedder=False, config=german, progress=lambda *step: seen.append(step)) as store:
        assert seen == [("reindex", 1_000, 2_501), ("reindex", 2_000, 2_501), ("reindex", 2_501, 2_501)]
        assert len(store.search_fts("teas", top_k=3)) == 3
        assert store.verify().ok


def test_a_link_leads_to_the_store_and_its_log(tmp_path: Path) -> None:
    """Two handles, one by the link and one by the file, must see the same write-ahead log."""
    (tmp_path / "disk").mkdir()
    real, link = tmp_path / "disk" / "store.db", tmp_path / "link.db"
    link.symlink_to(real)
    with simonides.open(link, embedder=False) as store:  # to a file that is not there yet
        store.remember("tea")
    with simonides.open(link, embedder=False) as one, simonides.open(real, embedder=False) as other:
        other.remember("cake")
        assert one.count_thoughts() == 2
        one.remember("bread")
        assert other.count_thoughts() == 3
        assert not list(tmp_path.glob("link.db-*"))
    assert examine(link).problems == ()


def test_a_link_to_itself_is_refused(tmp_path: Path) -> None:
    loop = tmp_path / "loop.db"
    loop.symlink_to(loop)
    with pytest.raises(StoreError, match="cannot be opened"):
        simonides.open(loop, embedder=False)
