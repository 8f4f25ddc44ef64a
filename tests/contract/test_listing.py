"""`get`, `list`, `count` and paging: a total order, pages that neither overlap nor skip."""

from __future__ import annotations

from itertools import chain
from typing import Any

import pytest
from store_driver import HandClock, ids

from simonides import Draft, InvalidFilterError, InvalidQueryError


def pages(store: Any, limit: int, **options: Any) -> list[list[str]]:
    found: list[list[str]] = []
    after = None
    while page := ids(store.list_thoughts(limit=limit, after=after, **options)):
        found.append(page)
        after = page[-1]
    return found


def test_an_unknown_id_gives_none_and_unknown_ids_are_left_out(store: Any) -> None:
    store.remember("x", thought_id="a")
    store.remember("y", thought_id="b")
    assert store.get_thought("c") is None
    assert ids(store.get_thoughts(["b", "c", "a", "b"])) == ["b", "a", "b"]
    assert store.get_thoughts([]) == []


def test_pages_of_equal_times_cover_everything_once_in_order_of_arrival(store: Any) -> None:
    names = [f"t{n * 7 % 23:02}" for n in range(23)]
    store.remember_many([Draft(content=n, thought_id=n) for n in names])
    found = pages(store, 5)
    assert [len(page) for page in found] == [5, 5, 5, 5, 3]
    assert list(chain.from_iterable(found)) == names


def test_pages_from_the_newest_are_those_from_the_oldest_turned_round(store: Any) -> None:
    names = [f"t{n * 7 % 23:02}" for n in range(23)]
    store.remember_many([Draft(content=n, thought_id=n, speaker="Ana" if n < "t12" else "Ben") for n in names])
    found = pages(store, 5, newest_first=True)
    assert [len(page) for page in found] == [5, 5, 5, 5, 3]
    assert list(chain.from_iterable(found)) == names[::-1]
    ana = [name for name in reversed(names) if name < "t12"]
    assert list(chain.from_iterable(pages(store, 4, newest_first=True, filters={"speaker": "Ana"}))) == ana


def test_listings_run_from_the_oldest_on(store: Any) -> None:
    for name, day in (("b", "2026-01-02"), ("c", "2026-01-03"), ("a", "2026-01-01")):
        store.create_thought(content=name, thought_id=name, created_at=day)
    assert ids(store.list_thoughts()) == ["a", "b", "c"]
    assert ids(store.list_thoughts(after="a", limit=1)) == ["b"]


def test_a_page_goes_on_after_a_thought_that_was_deleted_meanwhile(store: Any) -> None:
    store.remember_many([Draft(content=n, thought_id=n) for n in "abcd"])
    store.delete_thought("b")
    assert ids(store.list_thoughts(after="b")) == ["c", "d"]


def test_changes_between_pages_move_nothing(store: Any, clock: HandClock) -> None:
    store.remember_many([Draft(content=n, thought_id=n) for n in "abcd"])
    first = ids(store.list_thoughts(limit=2))
    clock.advance(1)
    store.update_thought("a", content="changed")
    store.remember("e", thought_id="e")
    assert first + ids(store.list_thoughts(after=first[-1])) == ["a", "b", "c", "d", "e"]


def test_a_page_after_an_id_that_never_was_is_refused(store: Any) -> None:
    store.remember("x", thought_id="a")
    with pytest.raises(InvalidQueryError, match="'z'"):
        store.list_thoughts(after="z")


@pytest.mark.parametrize("limit", [0, -1, 10_001, True, "5", 2.0])
def test_a_limit_out_of_range_is_refused(store: Any, limit: Any) -> None:
    for verb in (store.list_thoughts, store.changes):
        with pytest.raises(InvalidQueryError, match="limit"):
            verb(limit=limit)
    with pytest.raises(InvalidQueryError, match="limit"):
        store.edges(limit=100_001 if limit == 10_001 else limit)


def test_status_and_filters_go_together(store: Any) -> None:
    store.create_thought(content="1", thought_id="a", lifecycle_status="DONE", priority="P1")
    store.create_thought(content="2", thought_id="b", lifecycle_status="DONE")
    store.create_thought(content="3", thought_id="c", priority="P1")
    assert ids(store.list_thoughts(lifecycle_status="DONE")) == ["a", "b"]
    assert ids(store.list_thoughts(lifecycle_status="DONE", filters={"priority": "P1"})) == ["a"]
    assert store.count_thoughts(lifecycle_status="DONE") == 2
    assert store.count_thoughts(filters={"priority": "P1"}) == 2
    with pytest.raises(InvalidFilterError):
        store.list_thoughts(lifecycle_status="GONE")


def test_an_empty_store_lists_nothing_and_makes_no_namespace(store: Any) -> None:
    assert store.list_thoughts() == []
    assert store.count_thoughts() == 0
    assert store.edges() == []
    assert store.changes() == []
    assert store.namespaces() == []
    assert store.recall("anything").hits == ()
    assert store.search_fts("anything") == []
    assert store.stats().thoughts == 0


@pytest.mark.parametrize(
    "filters",
    [
        {"colour": "red"}, {"metadata": 1}, {"metadata.": 1}, {"metadata..a": 1}, {"priority": "P9"},
        {"priority": {"$like": "P%"}}, {"$nor": []}, {"$or": {"a": 1}}, {"$and": "x"}, {"$not": [1]},
        {"speaker": 5}, {"speaker": {"$in": "Ana"}}, {"occurred_at": "soon"}, {"occurred_at": {"$gt": None}},
        {"metadata.x": {"$gt": True}}, {"metadata.x": {"$exists": 1}}, {"metadata.x": float("nan")},
        {"metadata.x": {"y": 1}}, {"pinned": 1}, {"speaker": {"$contains": "a"}}, {1: 2}, [], "x", 5,
        {"metadata.x": {"$eq": [1]}}, {"speaker": "\ud83d"}, {"metadata.x": 2**70}, {"metadata.x": "\ud83d"},
        {"metadata.\ud83d": 1}, {"revision": 2**70}, {"metadata.x": {"$in": [2**70]}},
        {"concepts": {"$gt": "a"}}, {"metadata.x": {"$in": [[1]]}},
    ],
    ids=ascii,
)  # fmt: skip
def test_a_filter_that_cannot_be_read_is_a_typed_error_everywhere(plain: Any, filters: Any) -> None:
    plain.remember("x")
    for ask in (
        lambda: plain.list_thoughts(filters=filters),
        lambda: plain.count_thoughts(filters=filters),
        lambda: plain.recall("x", filters=filters),
        lambda: plain.retrieve("x", filters=filters),
        lambda: plain.search_hybrid("x", filters=filters),
        lambda: plain.search_fts("x", filters=filters),
    ):
        with pytest.raises(InvalidFilterError) as caught:
            ask()
        assert caught.value.code == "filter_invalid"


def test_a_filter_may_be_deep_and_long_up_to_a_named_limit(plain: Any) -> None:
    plain.remember("x", thought_id="a")
    deep: Any = {"thought_id": "a"}
    for _ in range(16):
        deep = {"$and": [deep]}
    assert ids(plain.list_thoughts(filters=deep)) == ["a"]
    with pytest.raises(InvalidFilterError, match="16 levels"):
        plain.list_thoughts(filters={"$and": [deep]})
    assert ids(plain.list_thoughts(filters={"$or": [{"thought_id": str(n)} for n in range(499)] + [{}]})) == ["a"]
    with pytest.raises(InvalidFilterError, match="1000 conditions"):
        plain.list_thoughts(filters={"$or": [{"thought_id": str(n)} for n in range(1_001)]})
    many = [str(n) for n in range(50_000)] + ["a"]
    assert ids(plain.list_thoughts(filters={"thought_id": many})) == ["a"]
