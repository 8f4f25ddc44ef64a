"""Case 49: a group of more thoughts than a statement may bind variables, through every verb that takes a group."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import simonides
from simonides import Draft

QUICK = {"store": {"synchronous": "NORMAL"}, "audit": {"mode": "off"}}


@pytest.fixture(params=[3_000, pytest.param(70_000, marks=pytest.mark.slow)])
def tagged(request: pytest.FixtureRequest, path: Path) -> Iterator[tuple[simonides.Store, int]]:
    """That many memories with one tag, and one without, in a namespace of their own; another namespace has one."""
    many = int(request.param)
    with simonides.open(path, embedder=False, config=QUICK, namespace="bulk") as store:
        store.remember("the one that stays", thought_id="stays")
        store.remember("elsewhere", thought_id="elsewhere", namespace="other")
        store.remember_many(Draft(content=f"bulk {n}", thought_id=f"b{n:05}", concepts=["tag"]) for n in range(many))
        yield store, many


def test_a_large_group_is_fetched_left_out_counted_and_erased_whole(tagged: tuple[simonides.Store, int]) -> None:
    store, many = tagged
    ids = [f"b{n:05}" for n in range(many)]
    assert [thought.thought_id for thought in store.get_thoughts([*ids, "nobody"])] == ids
    for verb in (store.recall, store.retrieve):
        found = verb("bulk stays", filters={"thought_id": {"$nin": ids}})
        assert [hit.thought_id for hit in found.hits] == ["stays"]
    assert store.count_thoughts(filters={"thought_id": ids}) == many
    assert store.count_thoughts(filters={"concepts": "tag"}) == many
    told: list[tuple[int, int]] = []
    half = store.forget(thought_ids=ids[: many // 2], reason="half", progress=lambda *done: told.append(done))
    assert (half.count, told[-1]) == (many // 2, (many // 2, many // 2))
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert store.count_thoughts() == 1 + many - many // 2
    rest = store.forget({"concepts": "tag"}, reason="the rest")
    assert rest.count == many - many // 2
    assert [thought.thought_id for thought in store.list_thoughts()] == ["stays"]
    assert store.verify().ok


def test_a_large_namespace_is_purged_and_the_others_stay(tagged: tuple[simonides.Store, int]) -> None:
    store, many = tagged
    assert store.purge(namespace="bulk", confirm="bulk").count == many + 1
    assert (store.count_thoughts(), store.count_thoughts(namespace="other")) == (0, 1)
    assert store.verify().ok


def test_a_large_group_is_archived_one_by_one_and_the_count_says_so_at_every_step(
    tagged: tuple[simonides.Store, int],
) -> None:
    store, many = tagged
    for n in range(50):
        store.archive_thought(f"b{n:05}")
    assert store.count_thoughts(lifecycle_status="ARCHIVED") == 50
    assert store.count_thoughts(lifecycle_status="ACTIVE") == many + 1 - 50
    found = store.recall("bulk 7", filters={"concepts": "tag"})
    assert not {hit.thought_id for hit in found.hits} & {f"b{n:05}" for n in range(50)}
