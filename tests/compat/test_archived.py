"""Archived and expired thoughts leave every ranked path; retired reflections stay out whatever is asked for."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from store_driver import START, HandClock, ids

VECTOR = [1.0, 0.0]
Ask = Callable[..., Any]
PATHS: dict[str, Ask] = {
    "search_fts": lambda s, **o: s.search_fts("incident", **o),
    "search_similar": lambda s, **o: s.search_similar(VECTOR, **o),
    "search_hybrid": lambda s, **o: s.search_hybrid("incident", VECTOR, **o),
    "search_hybrid_text": lambda s, **o: s.search_hybrid("incident", vector_weight=0, **o),
    "search_hybrid_vector": lambda s, **o: s.search_hybrid("", VECTOR, **o),
    "window": lambda s, **o: s.search_hybrid("", **o),
    "recall": lambda s, **o: s.recall("incident", query_vector=VECTOR, **o),
    "recall_window": lambda s, **o: s.recall("", **o),
    "retrieve": lambda s, **o: s.retrieve("incident", query_vector=VECTOR, **o),
}
every_path = pytest.mark.parametrize("ask", PATHS.values(), ids=PATHS)


@pytest.fixture
def store(make: Any) -> Any:
    """One thought of each kind; the archived and the expired one match best."""
    made = make(reflection_topk_cap=1.0)
    made.create_thought(content="an incident on monday", thought_id="alive", vector=[0.8, 0.6])
    made.create_thought(content="incident", thought_id="archived", vector=VECTOR, lifecycle_status="ARCHIVED")
    made.create_thought(content="incident", thought_id="expired", vector=VECTOR, expires_at=START)
    made.create_thought(
        content="incident", thought_id="both", vector=VECTOR, expires_at=START, lifecycle_status="ARCHIVED"
    )
    return made


@every_path
def test_archived_and_expired_rows_are_on_no_ranked_path(store: Any, ask: Ask) -> None:
    assert ids(ask(store)) == ["alive"]


@every_path
def test_they_take_no_place_before_a_cut_either(store: Any, ask: Ask) -> None:
    assert ids(ask(store, top_k=1) if ask is not PATHS["retrieve"] else ask(store)) == ["alive"]


@every_path
def test_include_archived_searches_the_archive_for_one_call_and_brings_nothing_expired(store: Any, ask: Ask) -> None:
    before = store.get_thought("archived")
    assert set(ids(ask(store, include_archived=True))) == {"alive", "archived"}
    assert store.get_thought("archived") == before
    assert ids(ask(store)) == ["alive"]


@every_path
def test_a_restored_thought_is_back_for_good(store: Any, ask: Ask) -> None:
    assert store.restore_thought("archived").lifecycle_status == "ACTIVE"
    assert set(ids(ask(store))) == {"alive", "archived"}


@every_path
def test_expiry_happens_at_its_instant(store: Any, ask: Ask, clock: HandClock) -> None:
    store.create_thought(
        content="incident soon gone", thought_id="soon", vector=VECTOR, expires_at=START + timedelta(1)
    )
    assert "soon" in ids(ask(store))
    clock.advance(86_400)
    assert "soon" not in ids(ask(store))


def test_archiving_is_a_filter_and_changes_no_score(make: Any) -> None:
    store = make()
    for name, vector in (("a", [1.0, 0.0]), ("b", [0.6, 0.8]), ("c", [0.8, 0.6])):
        store.remember(f"incident {name}", thought_id=name, vector=vector)
    before = dict(store.search_hybrid("incident", VECTOR).results)
    store.archive_thought("c")
    after = dict(store.search_hybrid("incident", VECTOR).results)
    assert after == {name: score for name, score in before.items() if name != "c"}


def test_listings_show_the_archive_but_nothing_expired(store: Any) -> None:
    assert ids(store.list_thoughts()) == ["alive", "archived"]
    assert store.count_thoughts() == 2
    assert ids(store.list_thoughts(include_expired=True)) == ["alive", "archived", "expired", "both"]
    assert store.count_thoughts(include_expired=True) == 4
    assert ids(store.list_thoughts(lifecycle_status="ARCHIVED")) == ["archived"]
    assert ids(store.list_thoughts(lifecycle_status="ARCHIVED", include_expired=True)) == ["archived", "both"]
    assert ids(store.list_thoughts(lifecycle_status="ACTIVE")) == ["alive"]
    assert store.count_thoughts(lifecycle_status="ACTIVE", include_expired=True) == 2


def test_the_exclusion_needs_no_upkeep_to_have_run(make: Any) -> None:
    """Any archived row is out, whoever archived it: at creation, by the verb, by an update."""
    store = make()
    store.create_thought(content="incident one", thought_id="born", lifecycle_status="ARCHIVED")
    store.remember("incident two", thought_id="verb")
    store.archive_thought("verb")
    store.remember("incident three", thought_id="update")
    store.update_thought("update", lifecycle_status="ARCHIVED")
    store.remember("incident four", thought_id="alive")
    assert ids(store.search_hybrid("incident")) == ["alive"]
    assert len(store.search_hybrid("incident", include_archived=True).hits) == 4


# ---- retired reflections


@every_path
@pytest.mark.parametrize("status", ["CREATED", "DONE"])
def test_a_reflection_is_found_while_it_is_active(store: Any, ask: Ask, status: str) -> None:
    """A note of that status is found all the same; why_not names the reflection's state."""
    for name, kind in (("note", "NOTE"), ("theme", "REFLECTION")):
        store.create_thought(content=f"incident {name}", thought_id=name, thought_type=kind, vector=VECTOR)
    wanted = {"note"} if ask is PATHS["recall_window"] else {"note", "theme"}  # that window has no reflections
    assert wanted <= everything(store, ask)
    for name in ("note", "theme"):
        store.update_thought(name, lifecycle_status=status)
    found = everything(store, ask, include_archived=True)
    assert "note" in found
    assert "theme" not in found
    assert store.search_reflections_only("incident", VECTOR).results == []
    said = store.why_not("incident", "theme", verb="search_hybrid", query_vector=VECTOR)
    assert (said.stage, said.sentence) == ("retired", "it is a reflection that is not ACTIVE")


@pytest.fixture
def cluster(make: Any) -> Any:
    """A reflection of two sources."""
    store = make(reflection_topk_cap=1.0)
    for name in ("s1", "s2"):
        store.remember(f"incident {name}", thought_id=name, vector=VECTOR)
    store.remember("incident pattern", thought_id="r", thought_type="REFLECTION", vector=VECTOR)
    for name in ("s1", "s2"):
        store.link("r", name, "CONSOLIDATED_FROM")
    return store


def everything(store: Any, ask: Ask, **options: Any) -> set[str]:
    answer = ask(store, **options)
    beside = () if isinstance(answer, list) else answer.reflections
    return {*ids(answer), *ids(beside)}


@pytest.mark.parametrize("ask", [ask for name, ask in PATHS.items() if name != "recall_window"])
def test_a_retired_reflection_stays_out_even_with_the_archive(cluster: Any, ask: Ask) -> None:
    assert "r" in everything(cluster, ask)
    cluster.archive_thought("s1")
    assert "r" in everything(cluster, ask), "one source is still ACTIVE"
    cluster.archive_thought("s2")
    assert everything(cluster, ask) == set()
    assert everything(cluster, ask, include_archived=True) == {"s1", "s2"}
    cluster.restore_thought("s2")
    assert everything(cluster, ask) == {"s2", "r"}


@pytest.mark.parametrize("way", ["archive", "done", "delete"])
def test_a_reflection_retires_when_its_whole_cluster_left_active(cluster: Any, way: str) -> None:
    for name in ("s1", "s2"):
        assert ids(cluster.search_reflections_only("", VECTOR)) == ["r"]
        if way == "archive":
            cluster.archive_thought(name)
        elif way == "done":
            cluster.update_thought(name, lifecycle_status="DONE")
        else:
            cluster.delete_thought(name)
    assert ids(cluster.search_reflections_only("", VECTOR)) == []
    assert "r" in ids(cluster.list_thoughts())


def test_a_reflection_without_sources_is_not_retired(make: Any) -> None:
    store = make()
    store.remember("incident pattern", thought_id="r", thought_type="REFLECTION", vector=VECTOR)
    assert ids(store.search_reflections_only("", VECTOR)) == ["r"]
