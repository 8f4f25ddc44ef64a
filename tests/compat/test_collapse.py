"""Collapse (de-fragmentation): one or several paths into metadata, how many of a unit stay, wider pools."""

from __future__ import annotations

import math
from typing import Any

import pytest
from store_driver import ids

from simonides import SearchConfig

VECTOR = [1.0, 0.0]


def pointing(cosine: float) -> list[float]:
    return [cosine, math.sqrt(1 - cosine * cosine)]


@pytest.fixture
def pages(make: Any) -> Any:
    """Best first: three pages of book x, two of y, one note without a book."""
    store = make()
    rows = [("x1", {"doc": {"id": "x"}, "page": 1}), ("x2", {"doc": {"id": "x"}, "page": 2}),
            ("y1", {"doc": {"id": "y"}, "page": 1}), ("x3", {"doc": {"id": "x"}, "page": 1}),
            ("none", {}), ("y2", {"doc": {"id": "y"}})]  # fmt: skip
    for place, (name, metadata) in enumerate(rows):
        store.remember(name, thought_id=name, metadata=metadata, vector=pointing(0.9 - place / 20))
    return store


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, ["x1", "x2", "y1", "x3", "none", "y2"]),
        ({"collapse_key": "doc.id"}, ["x1", "y1", "none"]),
        ({"collapse_key": ["doc.id"]}, ["x1", "y1", "none"]),
        ({"collapse_key": "metadata.doc.id"}, ["x1", "y1", "none"]),
        ({"collapse_key": "$.doc.id"}, ["x1", "y1", "none"]),
        ({"collapse_key": "doc.id", "collapse_max_per_unit": 2}, ["x1", "x2", "y1", "none", "y2"]),
        ({"collapse_key": ["doc.id", "page"]}, ["x1", "x2", "y1", "none", "y2"]),
        ({"collapse_key": "page"}, ["x1", "x2", "none", "y2"]),
        ({"collapse_key": "doc"}, ["x1", "y1", "none"]),
        ({"collapse_key": "unheard"}, ["x1", "x2", "y1", "x3", "none", "y2"]),
    ],
    ids=str,
)
def test_the_best_rows_of_each_unit_stay_in_their_order(pages: Any, options: dict[str, Any], wanted: list[str]) -> None:
    """A row that lacks a path (y2 has no page) is its own unit; a path may end at an object, compared whole."""
    before = dict(pages.search_hybrid("", VECTOR).results)
    answer = pages.search_hybrid("", VECTOR, **options)
    assert ids(answer) == wanted
    assert all(before[name] == score for name, score in answer.results), "collapse touches no score"


def test_a_path_may_name_a_place_in_a_list(make: Any) -> None:
    """`authors[0]` and `authors.0` are one path; a list that is too short has nothing there."""
    store = make()
    for name, cosine, authors in (("a", 0.9, ["Ana", "Ben"]), ("b", 0.8, ["Ana"]), ("c", 0.7, ["Ben"]), ("d", 0.6, [])):
        store.remember(name, thought_id=name, metadata={"authors": authors}, vector=pointing(cosine))
    for path in ("authors[0]", "authors.0", "$.authors[0]"):
        assert ids(store.search_hybrid("", VECTOR, collapse_key=path)) == ["a", "c", "d"]
    for path in ("authors[1]", "authors[99999999999999999999]", "authors[-1]", "authors.x"):
        assert ids(store.search_hybrid("", VECTOR, collapse_key=path)) == ["a", "b", "c", "d"]


def test_freed_places_are_filled_from_below_the_cut(pages: Any) -> None:
    assert ids(pages.search_hybrid("", VECTOR, top_k=3)) == ["x1", "x2", "y1"]
    assert ids(pages.search_hybrid("", VECTOR, top_k=3, collapse_key="doc.id")) == ["x1", "y1", "none"]


@pytest.mark.parametrize(("factor", "units"), [(1, ["a"]), (2, ["a"]), (3, ["a", "b"]), (4, ["a", "b"])])
def test_the_pools_are_widened_by_the_factor(make: Any, factor: int, units: list[str]) -> None:
    """Ten rows of unit a stand before the only row of b; pools of 4, 8, 12 and 16 rows."""
    store = make(vector_top_k=4, collapse_pool_factor=factor)
    for n in range(10):
        store.remember(f"a{n}", thought_id=f"a{n}", metadata={"unit": "a"}, vector=pointing(0.9 - n / 100))
    store.remember("b", thought_id="b", metadata={"unit": "b"}, vector=pointing(0.5))
    answer = store.search_hybrid("", VECTOR, top_k=3, collapse_key="unit")
    assert [hit.thought.metadata["unit"] for hit in answer.hits] == units
    assert SearchConfig().collapse_pool_factor == 4


def test_values_of_other_types_are_other_units(make: Any) -> None:
    store = make()
    for n, unit in enumerate([1, "1", True, [1], {"a": 1}, 1]):
        store.remember(f"t{n}", thought_id=f"t{n}", metadata={"unit": unit}, vector=pointing(0.9 - n / 20))
    assert ids(store.search_hybrid("", VECTOR, collapse_key="unit")) == ["t0", "t1", "t2", "t3", "t4"]


def test_identical_texts_stay_in_search_hybrid_unless_asked(make: Any) -> None:
    """Decision 24: they collapse by default in `recall` (case 51), not here, where nothing was asked for."""
    store = make()
    for n in range(3):
        store.remember("Ana likes window seats on trains", thought_id=f"a{n}")
    assert ids(store.search_hybrid("Ana trains")) == ["a0", "a1", "a2"]
    (hit,) = store.recall("Ana trains").hits
    assert hit.copies == 2
