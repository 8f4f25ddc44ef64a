"""Signal model: five signals, one list; defaults, overrides, and who gets the weight of what cannot run."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from store_driver import START, Loop, open_driven

import simonides
from simonides import (
    Config,
    InvalidQueryError,
    InvalidRecencyArgumentError,
    InvalidVectorError,
    NamespaceError,
    SearchConfig,
    Store,
)

WEIGHTS = ("fts", "vector", "recency", "priority", "graph")
PAGE = {"fts": 0.30, "vector": 0.55, "recency": 0.10, "priority": 0.05}


def two(store: Any) -> Any:
    store.remember("the queue overflowed", thought_id="a", vector=[1, 0], priority="P1")
    store.remember("the queue is long", thought_id="b", vector=[0.6, 0.8], priority="P3")
    store.link("a", "b", weight=0.5)
    return store


def shares(answer: Any) -> dict[str, float]:
    return {name: round(value, 12) for name, value in answer.weights.items()}


def test_the_default_weights_sum_to_one() -> None:
    config = SearchConfig()
    weights = [getattr(config, f"default_{name}_weight") for name in WEIGHTS]
    assert weights == [0.30, 0.55, 0.10, 0.05, 0.0]
    assert math.fsum(weights) == pytest.approx(1.0, abs=1e-15)


def test_five_signals_become_one_ranked_list_by_hand(make: Any) -> None:
    """All five run; each contribution is its share times its scaled value, and they sum to the score.

    Weights 1 each: shares 1/5. recency at cycle 50, half-life 50, written at cycle 0: 1/2. priority P1 1.0, P3 0.3.
    graph of a = 0.5 · max(text, cosine) of b · 0.5, and the other way round.
    """
    store = two(make())
    answer = store.search_hybrid("queue", [1, 0], current_cycle=50, **{f"{name}_weight": 1.0 for name in WEIGHTS})
    assert shares(answer) == dict.fromkeys(WEIGHTS, 0.2)
    assert answer.backends_used == {"fts5", "vector", "recency", "priority", "graph"}
    parts = {hit.thought_id: {part.name: part for part in hit.parts} for hit in answer.hits}
    text = {name: parts[name]["fts"].scaled for name in "ab"}
    value = {
        "a": [text["a"], 1.0, 0.5, 1.0, 0.5 * max(text["b"], 0.6) * 0.5],
        "b": [text["b"], 0.6, 0.5, 0.3, 0.5 * max(text["a"], 1.0) * 0.5],
    }
    for hit in answer.hits:
        assert hit.score == pytest.approx(sum(value[hit.thought_id]) / 5, abs=1e-6)
        assert [hit.contributions[name] for name in WEIGHTS] == pytest.approx(
            [number / 5 for number in value[hit.thought_id]], abs=1e-6
        )
    assert [score for _, score in answer.results] == sorted((s for _, s in answer.results), reverse=True)


@pytest.mark.parametrize(
    ("way", "options"),
    [
        ("nothing", {}),
        ("SearchConfig", {"config": SearchConfig()}),
        ("Config", {"config": Config()}),
        ("mapping", {"config": {}}),
        ("empty section", {"config": {"search": {}}}),
        ("toml", {"config": "a.toml"}),
        ("yaml", {"config": "a.yaml"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_way_to_open_a_store_has_the_same_defaults(way: str, options: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("[search]\n")
    (tmp_path / "a.yaml").write_text("search: {}\n")
    if isinstance(options.get("config"), str):
        options = {"config": tmp_path / options["config"]}
    with simonides.open(":memory:", embedder=False, **options) as store:
        assert store.config.search == SearchConfig(), way
        assert shares(two(store).search_hybrid("queue", [1, 0], recency_now=START)) == PAGE


def test_from_config_and_the_async_face_have_the_same_defaults(tmp_path: Path, loop: Loop) -> None:
    (tmp_path / "a.toml").write_text(f'[database]\npath = "{(tmp_path / "a.db").as_posix()}"\n')
    with Store.from_config(tmp_path / "a.toml") as store:
        assert store.config.search == SearchConfig()
        assert shares(two(store).search_hybrid("queue", [1, 0], recency_now=START)) == PAGE
    with open_driven(loop, ":memory:", embedder=False) as driven:
        assert shares(two(driven).search_hybrid("queue", [1, 0], recency_now=START)) == PAGE


@pytest.mark.parametrize("name", WEIGHTS)
def test_a_configured_weight_wins_over_the_default_and_a_call_over_both(make: Any, name: str) -> None:
    """Three steps: 1 − default beside it, then a configured 0.9, then 0 for this call only."""
    store = two(make(**{f"default_{name}_weight": 0.9}))
    rest = math.fsum(weight for other, weight in PAGE.items() if other != name)
    configured = store.search_hybrid("queue", [1, 0], current_cycle=1)
    assert configured.weights[name] == pytest.approx(0.9 / (0.9 + rest), abs=1e-12)
    called = store.search_hybrid("queue", [1, 0], current_cycle=1, **{f"{name}_weight": 0.0})
    assert name not in called.weights
    assert store.search_hybrid("queue", [1, 0], current_cycle=1).weights == configured.weights


def test_all_weights_can_be_given_in_one_call(make: Any) -> None:
    """The page's example: .4, .4, .1, .05, .05 sum to 1, so the shares are the weights."""
    answer = two(make()).search_hybrid(
        "queue",
        query_vector=[1, 0],
        fts_weight=0.4,
        vector_weight=0.4,
        recency_weight=0.1,
        priority_weight=0.05,
        graph_weight=0.05,
        current_cycle=42,
    )
    assert shares(answer) == {"fts": 0.4, "vector": 0.4, "recency": 0.1, "priority": 0.05, "graph": 0.05}


def test_numbers_of_numpy_are_numbers(make: Any) -> None:
    """What comes out of an array goes in: the same answer as with Python's own numbers; truth values are refused."""
    store = two(make())
    plain = store.search_hybrid("queue", [1, 0], top_k=1, fts_weight=0.5, fts_top_k=7, min_score=0.25, current_cycle=3)
    same = store.search_hybrid(
        "queue", np.array([1, 0]), top_k=np.int64(1), fts_weight=np.float32(0.5), fts_top_k=np.uint8(7),
        min_score=np.float64(0.25), current_cycle=np.int16(3),
    )  # fmt: skip
    assert same.results == plain.results
    assert store.search_similar([1, 0], threshold=np.float32(0.75)) == store.search_similar([1, 0], threshold=0.75)
    for name in ("top_k", "fts_weight", "fts_top_k", "min_score"):
        with pytest.raises(InvalidQueryError, match=name):
            store.search_hybrid("queue", **{name: np.True_})


def test_what_is_no_argument_is_a_typed_error(make: Any) -> None:
    store = two(make())
    with pytest.raises(InvalidVectorError, match="None"):
        store.search_similar(None)
    with pytest.raises(NamespaceError, match="namespace is int"):
        store.search_hybrid("queue", namespace=5)
    with pytest.raises(InvalidRecencyArgumentError, match="recency_field is 'write_at'"):
        store.search_hybrid("queue", recency_field="write_at")


def test_from_config_opens_as_open_does(tmp_path: Path, clock: Any) -> None:
    """The embedder, the namespace and the rest are given as to `open`; the file's namespace stands without one."""
    (tmp_path / "a.toml").write_text('[database]\npath = "a.db"\nnamespace = "ana"\n')
    with Store.from_config(tmp_path / "a.toml", embedder="hashing:16", actor="tester", clock=clock) as store:
        store.remember("the queue", thought_id="a")
        assert (store.namespace, store.stats().model_id) == ("ana", "hashing:16")
        assert store.changes()[-1].actor == "tester"
        assert store.get_thought("a").created_at == START
    with Store.from_config(tmp_path / "a.toml", namespace="ben", embedder=False, read_only=True, sealed=True) as store:
        assert (store.namespace, store.read_only, store.sealed) == ("ben", True, True)


def test_weights_need_not_sum_to_one(make: Any) -> None:
    """6 and 2 are 3/4 and 1/4."""
    answer = two(make()).search_hybrid("queue", [1, 0], fts_weight=6, vector_weight=2, priority_weight=0)
    assert shares(answer) == {"fts": 0.75, "vector": 0.25}


def test_reflections_only_takes_no_weight_of_recency(make: Any) -> None:
    with pytest.raises(TypeError, match="recency_weight"):
        make().search_reflections_only("themes", recency_weight=0.5)
