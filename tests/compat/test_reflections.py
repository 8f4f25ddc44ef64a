"""Reflections in search: in or out, boost, expansion to sources, the cap; and `search_reflections_only`."""

from __future__ import annotations

import json
import logging
import math
from typing import Any

import pytest
from store_driver import START, ids

from simonides import SearchConfig

VECTOR = [1.0, 0.0]


def pointing(cosine: float) -> list[float]:
    return [cosine, math.sqrt(1 - cosine * cosine)]


def fill(store: Any, **cosines: float) -> Any:
    """Names that begin with r are reflections."""
    for name, cosine in cosines.items():
        kind = "REFLECTION" if name.startswith("r") else "NOTE"
        store.remember(f"thing {name}", thought_id=name, thought_type=kind, vector=pointing(cosine))
    return store


def ask(store: Any, **options: Any) -> Any:
    return store.search_hybrid("", VECTOR, priority_weight=0, **options)


# ---- include_reflections


def test_reflections_are_in_by_default_and_out_on_request(make: Any) -> None:
    store = fill(make(reflection_topk_cap=1.0), r1=0.9, n1=0.8)
    assert ids(ask(store)) == ["r1", "n1"]
    assert ids(ask(store, include_reflections=False)) == ["n1"]
    assert ids(ask(store, include_reflections=False, top_k=1)) == ["n1"], "they take no place in the pool"
    assert SearchConfig().include_reflections is True


def test_without_reflections_nothing_is_expanded_along_them(make: Any) -> None:
    """A deliberate difference: a reflection that may not be seen lends nothing either."""
    store = fill(make(), r1=0.9, n1=0.1)
    store.link("r1", "n1", "CONSOLIDATED_FROM", weight=1.0)
    assert dict(ask(store).results)["n1"] == pytest.approx(0.63, abs=1e-6)
    answer = ask(store, include_reflections=False)
    assert dict(answer.results)["n1"] == pytest.approx(0.1, abs=1e-6)
    assert "graph_expansion" not in answer.backends_used


# ---- reflection_boost


@pytest.mark.parametrize(
    ("configured", "called", "factor"), [(None, None, 1.0), (1.5, None, 1.5), (None, 1.5, 1.5), (1.5, 1.0, 1.0)]
)
def test_the_boost_multiplies_reflections_by_the_call_or_the_configuration(
    make: Any, configured: float | None, called: float | None, factor: float
) -> None:
    settings = {} if configured is None else {"reflection_boost": configured}
    store = fill(make(reflection_topk_cap=1.0, **settings), n1=0.8, r1=0.6)
    scores = dict(ask(store, reflection_boost=called).results)
    assert scores == {"n1": pytest.approx(0.8, abs=1e-6), "r1": pytest.approx(0.6 * factor, abs=1e-6)}


def test_the_boost_is_applied_to_the_whole_score_before_the_order(make: Any) -> None:
    """r1: (.55 · .6 + .05 · .3) / .6 = .575, times 1.5 = .8625, above n1 with .7583."""
    store = fill(make(reflection_topk_cap=1.0), n1=0.8, r1=0.6)
    answer = store.search_hybrid("", VECTOR, reflection_boost=1.5)
    assert answer.results == [("r1", pytest.approx(0.8625, abs=1e-6)), ("n1", pytest.approx(0.455 / 0.6, abs=1e-6))]
    assert answer.hits[0].contributions["reflection_boost"] == pytest.approx(0.2875, abs=1e-6)


# ---- expansion


def test_sources_rise_to_parent_times_factor_times_edge_and_never_fall(make: Any) -> None:
    """.9 · .7 · .8 = .504 lifts `low`; `high` has .7 of its own and keeps it; `off` has no vector and joins."""
    store = fill(make(), r1=0.9, low=0.2, high=0.7)
    store.remember("elsewhere", thought_id="off")
    for name in ("low", "high", "off"):
        store.link("r1", name, "CONSOLIDATED_FROM", weight=0.8)
    answer = ask(store)
    assert dict(answer.results) == {
        "r1": pytest.approx(0.9, abs=1e-6), "high": pytest.approx(0.7, abs=1e-6),
        "low": pytest.approx(0.504, abs=1e-6), "off": pytest.approx(0.504, abs=1e-6),
    }  # fmt: skip
    assert "graph_expansion" in answer.backends_used


def test_expansion_can_be_switched_off(make: Any) -> None:
    store = fill(make(graph_expansion_enabled=False), r1=0.9, n1=0.2)
    store.link("r1", "n1", "CONSOLIDATED_FROM")
    answer = ask(store)
    assert dict(answer.results)["n1"] == pytest.approx(0.2, abs=1e-6)
    assert "graph_expansion" not in answer.backends_used


def test_expansion_reaches_only_what_may_be_seen_and_no_reflection(make: Any) -> None:
    store = fill(make(reflection_topk_cap=1.0), r1=0.9, n1=0.3)
    for name, extra in (
        ("archived", {"lifecycle_status": "ARCHIVED"}), ("expired", {"expires_at": START}),
        ("other", {"metadata": {"unit": "y"}}), ("rr", {"thought_type": "REFLECTION"}), ("fine", {}),
    ):  # fmt: skip
        store.create_thought(content="elsewhere", thought_id=name, **extra)
        store.link("r1", name, "CONSOLIDATED_FROM")
    assert set(ids(ask(store))) == {"r1", "n1", "other", "fine"}
    assert set(ids(ask(store, filters={"metadata.unit": {"$exists": False}}))) == {"r1", "n1", "fine"}
    assert set(ids(ask(store, include_archived=True))) == {"r1", "n1", "other", "fine", "archived"}


def test_expansion_is_bounded_by_reflections_sources_and_a_ceiling(make: Any) -> None:
    """Two sources a reflection, one reflection followed, hubs of more than three sources skipped."""
    store = make(
        reflection_topk_cap=1.0,
        graph_expansion_top_n=2,
        graph_expansion_max_sources_per_reflection=2,
        graph_expansion_reflection_source_ceiling=3,
    )
    fill(store, rhub=0.95, rone=0.9, rtwo=0.85)
    for n in range(4):
        store.remember(f"hub source {n}", thought_id=f"h{n}")
        store.link("rhub", f"h{n}", "CONSOLIDATED_FROM")
    for n in range(3):
        store.remember(f"one source {n}", thought_id=f"o{n}")
        store.link("rone", f"o{n}", "CONSOLIDATED_FROM", weight=0.9 - n / 10)
    store.remember("two source", thought_id="t0")
    store.link("rtwo", "t0", "CONSOLIDATED_FROM")
    assert ids(ask(store)) == ["rhub", "rone", "rtwo", "o0", "o1"]


def test_sources_that_may_not_be_seen_use_up_no_place(make: Any) -> None:
    """Two sources a reflection: the two strongest are archived and a reflection, so the next two are lifted."""
    store = fill(make(reflection_topk_cap=1.0, graph_expansion_max_sources_per_reflection=2), r=0.9)
    for n, options in enumerate([{"lifecycle_status": "ARCHIVED"}, {"thought_type": "REFLECTION"}, {}, {}, {}]):
        store.create_thought(content=f"source {n}", thought_id=f"s{n}", **options)
        store.link("r", f"s{n}", "CONSOLIDATED_FROM", weight=0.9 - n / 10)
    assert ids(ask(store)) == ["r", "s2", "s3"]


@pytest.mark.parametrize(("rank", "lifted"), [(5, True), (6, False)])
def test_reflections_are_looked_for_among_five_rows_for_each_that_may_be_followed(
    make: Any, rank: int, lifted: bool
) -> None:
    """One may be followed, so the fifth row is looked at and the sixth is not."""
    store = make(reflection_topk_cap=1.0, graph_expansion_top_n=1)
    fill(store, **{f"n{n}": 0.99 - n / 100 for n in range(1, rank)}, r=0.9)
    store.remember("a source", thought_id="s")
    store.link("r", "s", "CONSOLIDATED_FROM")
    assert ids(ask(store, top_k=20))[rank - 1] == "r"
    assert ("s" in ids(ask(store, top_k=20))) is lifted


# ---- reflection_topk_cap


def test_three_of_ten_by_default_and_the_lowest_excess_goes(make: Any) -> None:
    """Five reflections lead. r4 and r5 go, n6 and n7 come up from below the cut; every other score stays."""
    names = {f"r{n}": 0.99 - n / 100 for n in range(1, 6)} | {f"n{n}": 0.9 - n / 100 for n in range(1, 9)}
    store = fill(make(graph_expansion_enabled=False), **names)
    answer = ask(store, top_k=10)
    assert ids(answer) == ["r1", "r2", "r3", "n1", "n2", "n3", "n4", "n5", "n6", "n7"]
    assert answer.reflections_evicted == 2
    free = fill(make(reflection_topk_cap=1.0), **names)
    plain = ask(free, top_k=13)
    assert plain.reflections_evicted == 0
    assert ids(plain) == sorted(names, key=lambda name: -names[name])
    assert set(answer.results) <= set(plain.results)


def test_without_others_the_window_is_shorter_and_a_warning_is_logged(
    make: Any, caplog: pytest.LogCaptureFixture
) -> None:
    store = fill(make(), r1=0.9, r2=0.8, r3=0.7, n1=0.6)
    with caplog.at_level(logging.WARNING, logger="simonides"):
        answer = ask(store, top_k=4)
    assert ids(answer) == ["r1", "n1"]
    assert answer.reflections_evicted == 2
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "cap" in caplog.text


def test_no_warning_when_all_places_are_filled(make: Any, caplog: pytest.LogCaptureFixture) -> None:
    """r2 goes; r3 stands next below the cut, but only n3 may take the place."""
    store = fill(make(), r1=0.9, r2=0.8, n1=0.6, n2=0.5, r3=0.45, n3=0.4, n4=0.3)
    with caplog.at_level(logging.WARNING, logger="simonides"):
        assert ids(ask(store, top_k=4)) == ["r1", "n1", "n2", "n3"]
    assert caplog.records == []


def test_the_cap_comes_after_boost_and_collapse(make: Any) -> None:
    """Boosted, four reflections lead; two are of one unit, so collapse leaves three; one may stay: two are evicted."""
    store = make(reflection_topk_cap=0.25, reflection_boost=2.0)
    for name, cosine, unit in (
        ("r1", 0.6, "x"), ("r2", 0.55, "x"), ("r3", 0.5, "y"), ("r4", 0.45, "z"), ("n1", 0.4, "p"), ("n2", 0.3, "p"),
        ("n3", 0.2, "q"), ("n4", 0.1, "s"),
    ):  # fmt: skip
        kind = "REFLECTION" if name.startswith("r") else "NOTE"
        store.remember(name, thought_id=name, thought_type=kind, vector=pointing(cosine), metadata={"unit": unit})
    answer = ask(store, top_k=4, collapse_key="unit")
    assert ids(answer) == ["r1", "n1", "n3", "n4"]
    assert answer.reflections_evicted == 2
    without = ask(store, top_k=4)
    assert ids(without) == ["r1", "n1", "n2", "n3"]
    assert without.reflections_evicted == 3


def test_the_cap_is_configuration_only(make: Any) -> None:
    assert SearchConfig().reflection_topk_cap == 0.3
    with pytest.raises(TypeError, match="reflection_topk_cap"):
        make().search_hybrid("x", reflection_topk_cap=1.0)


def test_nothing_evicted_means_the_ranking_is_what_scoring_made(make: Any) -> None:
    names = {"r1": 0.9, "n1": 0.8, "n2": 0.7}
    capped, free = fill(make(), **names), fill(make(reflection_topk_cap=1.0), **names)
    answer = ask(capped, top_k=4)
    assert answer.reflections_evicted == 0
    assert answer.results == ask(free, top_k=4).results


def test_when_only_reflections_matched_they_stay(make: Any) -> None:
    """A deliberate difference (decision 22): an empty answer would help nobody."""
    answer = ask(fill(make(), r1=0.9, r2=0.8, r3=0.7, r4=0.6), top_k=3)
    assert ids(answer) == ["r1", "r2", "r3"]
    assert answer.reflections_evicted == 0


# ---- search_reflections_only


def test_reflections_only_compares_all_of_them_by_cosine_alone(make: Any) -> None:
    """Text and notes do not matter, cosines below 0 count, one without a vector counts 0."""
    store = fill(make(), r1=0.2, r2=0.9, r3=-0.5, n1=1.0)
    store.remember("recurring ideas", thought_id="r4", thought_type="REFLECTION")
    answer = store.search_reflections_only("recurring ideas", VECTOR)
    assert answer.results == [
        ("r2", pytest.approx(0.9, abs=1e-6)), ("r1", pytest.approx(0.2, abs=1e-6)), ("r4", 0.0),
        ("r3", pytest.approx(-0.5, abs=1e-6)),
    ]  # fmt: skip
    assert answer.backends_used == {"vector"}
    assert ids(store.search_reflections_only("recurring ideas", VECTOR, top_k=2)) == ["r2", "r1"]


def test_reflections_only_leaves_no_gap_beyond_any_pool(make: Any) -> None:
    """Three hundred reflections, pools of one: the exact order of all of them, and neither cap nor boost."""
    store = make(vector_top_k=1, fts_top_k=1, reflection_boost=3.0)
    cosines = {f"r{n:03}": round(1 - n / 200, 3) for n in range(300)}
    fill(store, **cosines, n1=1.0)
    answer = store.search_reflections_only("", VECTOR, top_k=300)
    assert ids(answer) == list(cosines)
    assert [score for _, score in answer.results] == pytest.approx(list(cosines.values()), abs=1e-6)


def test_reflections_only_blends_recency_by_the_configured_weight(make: Any) -> None:
    """w .4, half-life 10, ages 0 and 10: .6 · .5 + .4 · 1 = .7 and .6 · .8 + .4 · .5 = .68."""
    store = make(default_recency_weight=0.4, recency_half_life=10.0)
    for name, cosine, cycle in (("new", 0.5, 42), ("old", 0.8, 32)):
        store.create_thought(
            content=name, thought_id=name, thought_type="REFLECTION", vector=pointing(cosine), created_cycle=cycle
        )
    answer = store.search_reflections_only("ideas", VECTOR, current_cycle=42)
    assert answer.results == [("new", pytest.approx(0.7, abs=1e-6)), ("old", pytest.approx(0.68, abs=1e-6))]
    assert answer.backends_used == {"vector", "recency"}
    assert ids(store.search_reflections_only("ideas", VECTOR)) == ["old", "new"]


def test_reflections_only_keeps_the_rules_of_eligibility(make: Any) -> None:
    store = fill(make(), r1=0.9)
    store.create_thought(
        content="a", thought_id="ra", thought_type="REFLECTION", vector=VECTOR, lifecycle_status="ARCHIVED"
    )
    store.create_thought(content="e", thought_id="re", thought_type="REFLECTION", vector=VECTOR, expires_at=START)
    assert ids(store.search_reflections_only("", VECTOR)) == ["r1"]


def test_reflections_only_without_a_vector_says_so(make: Any) -> None:
    answer = fill(make(), r1=0.9, n1=0.5).search_reflections_only("themes")
    assert answer.results == [("r1", 0.0)]
    assert [lost.what for lost in answer.degraded] == ["vector"]
    embedding = make(embedder="hashing:64")
    embedding.remember("themes of the year", thought_id="r", thought_type="REFLECTION")
    assert embedding.search_reflections_only("themes of the year").results == [("r", pytest.approx(1.0, abs=1e-6))]


def test_the_content_of_a_reflection_may_be_json_that_a_caller_reads(make: Any) -> None:
    """As on the page: content holds member ids and keywords, and the readable text is the essence."""
    store = make()
    content = json.dumps({"member_ids": ["a", "b"], "keywords": ["learning"]})
    store.create_thought(content=content, essence="learning", thought_id="r", thought_type="REFLECTION", vector=VECTOR)
    (found,) = store.search_reflections_only("", VECTOR).results
    assert json.loads(store.get_thought(found[0]).content)["member_ids"] == ["a", "b"]
