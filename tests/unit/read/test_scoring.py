"""Scales and the scoring rule, against numbers worked out by hand and against other implementations."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
import scenes
from store_driver import START, HandClock, ids

import simonides
from simonides import Draft
from simonides.backend.port import Transaction
from simonides.backend.rows import NewEdge
from simonides.read.candidates import Pool
from simonides.read.fuse import effective_weights, fuse
from simonides.read.legs.select import best
from simonides.read.recipes import FIVE_SIGNAL, RRF
from simonides.read.scales import SCALES, Column

NAN = float("nan")


def column(values: list[float], ranks: list[int] | None = None, ideal: list[float] | None = None) -> Column:
    return Column(
        np.array(values), None if ranks is None else np.array(ranks), None if ideal is None else np.array(ideal)
    )


def pool(**columns: Column) -> Pool:
    size = len(next(iter(columns.values())).values)
    zeros = np.zeros(size, np.int32)
    return Pool((), zeros, np.arange(size), np.arange(size), columns)


@pytest.mark.parametrize(
    ("scale", "given", "wanted"),
    [
        ("share_of_ideal", column([3.0, 6.0, 0.0, 9.0, NAN], ideal=[6.0] * 5), [0.5, 1.0, 0.0, 1.0, 0.0]),
        ("share_of_ideal", column([3.0], ideal=[0.0]), [0.0]),
        ("cosine", column([1.0, 0.25, 0.0, -0.5, NAN, 1.0000001]), [1.0, 0.25, 0.0, 0.0, 0.0, 1.0]),
        ("identity", column([2.5, -1.0, NAN]), [2.5, -1.0, 0.0]),
        ("reciprocal_rank", column([9.0, 9.0, 9.0], ranks=[1, 3, 0]), [1 / 61, 1 / 63, 0.0]),
    ],
)
def test_scales_worked_out_by_hand(scale: str, given: Column, wanted: list[float]) -> None:
    assert SCALES[scale](given, 60).tolist() == pytest.approx(wanted, abs=1e-15)


@pytest.mark.parametrize("scale", ["share_of_ideal", "cosine"])
def test_scales_are_monotone_bounded_and_look_at_one_row_only(scale: str) -> None:
    dice = np.random.default_rng(5)
    values = np.sort(dice.uniform(-0.2, 1.4, 200))
    scaled = SCALES[scale](Column(values, None, np.ones(200)), 60)
    assert np.all(np.diff(scaled) >= 0)
    assert scaled.min() >= 0
    assert scaled.max() <= 1
    alone = [float(SCALES[scale](Column(values[n : n + 1], None, np.ones(1)), 60)[0]) for n in range(200)]
    assert alone == scaled.tolist()


def test_weights_of_what_takes_part_are_shared_out_by_hand() -> None:
    weights = {"fts": 0.30, "vector": 0.55, "recency": 0.10, "priority": 0.05, "graph": 0.0}
    shares = effective_weights(weights, frozenset({"fts", "priority", "graph"}), True)
    assert shares == {"fts": pytest.approx(6 / 7, abs=1e-15), "priority": pytest.approx(1 / 7, abs=1e-15)}
    assert effective_weights(weights, frozenset({"graph"}), True) == {}
    assert effective_weights(weights, frozenset(), True) == {}
    assert effective_weights({"fts": 2.0, "vector": 0.5}, frozenset({"fts", "vector"}), False) == {
        "fts": 2.0,
        "vector": 0.5,
    }


def test_shares_sum_to_one_for_any_weights() -> None:
    dice = random.Random(4)
    for _ in range(500):
        weights = {name: dice.choice([0.0, 1e-9, 1e9, dice.random()]) for name in "abcde"}
        shares = effective_weights(weights, frozenset(dice.sample("abcde", dice.randint(1, 5))), True)
        assert shares == {} or math.fsum(shares.values()) == pytest.approx(1.0, abs=1e-12)
        assert set(shares) <= {name for name, weight in weights.items() if weight > 0}


def test_reciprocal_rank_fusion_by_hand() -> None:
    """a: first and third; b: second and first; c: only in the vector leg, second."""
    ranking = fuse(
        pool(fts=column([5, 4, NAN], [1, 2, 0]), vector=column([0.2, 0.9, 0.5], [3, 1, 2])),
        RRF, {"fts": 1.0, "vector": 1.0}, 60,
    )  # fmt: skip
    assert ranking.scores.tolist() == pytest.approx([1 / 61 + 1 / 63, 1 / 62 + 1 / 61, 1 / 62], abs=1e-15)


def test_reciprocal_rank_fusion_equals_another_implementation() -> None:
    dice = random.Random(1)
    for _ in range(200):
        size, k = dice.randint(1, 30), dice.choice([0, 1, 60])
        weights = {"fts": dice.random() + 0.01, "vector": dice.random() + 0.01}
        lists = {name: dice.sample(range(size), dice.randint(0, size)) for name in weights}
        wanted = [0.0] * size
        for name, order in lists.items():
            for place, row in enumerate(order, 1):
                wanted[row] += weights[name] / (k + place)
        columns = {}
        for name, order in lists.items():
            ranks = [order.index(row) + 1 if row in order else 0 for row in range(size)]
            columns[name] = column([1.0] * size, ranks)
        assert fuse(pool(**columns), RRF, weights, k).scores.tolist() == pytest.approx(wanted, abs=1e-12)


def test_the_five_term_blend_equals_another_implementation() -> None:
    dice = random.Random(2)
    names = ("fts", "vector", "recency", "priority", "graph")
    for _ in range(200):
        size = dice.randint(1, 20)
        weights = {name: dice.choice([0.0, dice.random()]) for name in names}
        active = frozenset(dice.sample(names, dice.randint(1, 5)))
        raw = {name: [dice.choice([NAN, dice.uniform(-0.5, 3)]) for _ in range(size)] for name in names}
        ideal = [dice.uniform(0.5, 3) for _ in range(size)]
        total = sum(weights[name] for name in active)
        wanted = []
        for row in range(size):
            score = 0.0
            for name in active:
                value = raw[name][row]
                if math.isnan(value) or not weights[name]:
                    continue
                if name == "fts":
                    value = min(1.0, max(0.0, value / ideal[row]))
                elif name == "vector":
                    value = min(1.0, max(0.0, value))
                score += weights[name] / total * value
            wanted.append(score)
        columns = {name: column(raw[name], ideal=ideal if name == "fts" else None) for name in names}
        shares = effective_weights(weights, active, True)
        assert fuse(pool(**columns), FIVE_SIGNAL, shares, 60).scores.tolist() == pytest.approx(wanted, abs=1e-12)


def test_additions_and_factors_are_contributions_too() -> None:
    ranking = fuse(pool(fts=column([1.0, 1.0], [1, 2])), RRF, {"fts": 1.0}, 0)
    assert ranking.multiply("none", np.ones(2)).parts == ranking.parts
    grown = ranking.multiply("boost", np.array([1.5, 1.0])).add("more", np.array([0.0, 0.25]))
    assert [name for name, _ in grown.parts] == ["fts", "boost", "more"]
    assert grown.scores.tolist() == [1.5, 0.75]
    assert [part.tolist() for _, part in grown.parts] == [[1.0, 0.5], [0.5, 0.0], [0.0, 0.25]]
    assert grown.pick(np.array([1])).scores.tolist() == [0.75]


def test_the_best_of_many_equals_a_plain_sort() -> None:
    dice = np.random.default_rng(3)
    for _ in range(100):
        size = int(dice.integers(0, 60))
        values = dice.integers(0, 8, size).astype(float)
        keys = dice.permutation(size).astype(np.int64)
        for limit in (0, 1, 5, size, size + 3):
            wanted = sorted(range(size), key=lambda n: (-values[n], keys[n]))[:limit]
            assert best(values, keys, limit).tolist() == wanted
            rows = dice.permutation(size * 2)[:size]
            spread = np.full(size * 2, -1)
            spread[rows] = keys
            assert best(values, spread, limit, rows=rows).tolist() == wanted


# ------------------------------------------------------------------ the same through the store


def test_retrieve_equals_fusing_the_two_single_leg_lists() -> None:
    """The oracle ranks by `search_fts` and `search_similar` and adds 1 / (60 + place)."""
    dice = random.Random(8)
    with simonides.open(":memory:", embedder=False, clock=HandClock()) as store:
        for n in range(40):
            words = " ".join(dice.sample(scenes.WORDS, 4)) + f" only{n:02}"
            vector = [dice.gauss(0, 1) for _ in range(6)]
            store.remember(words, thought_id=f"t{n:02}", vector=vector if n % 5 else None)
        for _ in range(20):
            query = " ".join(dice.sample(scenes.WORDS, 2))
            vector = [dice.gauss(0, 1) for _ in range(6)]
            wanted: dict[str, float] = {}
            for pairs in (store.search_fts(query, 100), store.search_similar(vector, 100)):
                for place, (name, _) in enumerate(pairs, 1):
                    wanted[name] = wanted.get(name, 0.0) + 1 / (60 + place)
            answer = store.retrieve(query, query_vector=vector, budget=simonides.Budget(max_units=50))
            assert dict(answer.results) == {name: pytest.approx(score, abs=1e-12) for name, score in wanted.items()}


def test_search_hybrid_equals_the_blend_computed_from_the_stored_rows() -> None:
    """Cosines, recency, priority and graph are worked out anew from what was stored; the text share is taken."""
    dice = random.Random(6)
    values = {"P1": 1.0, "P2": 0.6, "P3": 0.3, "P4": 0.0}
    drafts = {
        f"t{n:02}": Draft(
            content=" ".join(dice.sample(scenes.WORDS, 4)), thought_id=f"t{n:02}", created_cycle=dice.randint(0, 9),
            priority=dice.choice(list(values)), vector=[dice.gauss(0, 1) for _ in range(5)],
        )
        for n in range(25)
    }  # fmt: skip
    with simonides.open(":memory:", embedder=False, clock=HandClock()) as store:
        store.remember_many(list(drafts.values()))
        edges = []
        for n in range(30):
            a, b = dice.sample(sorted(drafts), 2)
            if not any({a, b} == set(edge[:2]) for edge in edges):
                edges.append((a, b, (n + 1) / 40))
                store.link(a, b, weight=(n + 1) / 40)
        for _ in range(15):
            weights = {n: dice.random() for n in ("fts", "vector", "recency", "priority", "graph")}
            vector = np.array([dice.gauss(0, 1) for _ in range(5)])
            answer = store.search_hybrid(
                " ".join(dice.sample(scenes.WORDS, 3)), vector, top_k=25, current_cycle=7, recency_half_life=2.0,
                graph_edge_decay=0.5, **{f"{name}_weight": weight for name, weight in weights.items()},
            )  # fmt: skip
            base: dict[str, tuple[float, float]] = {}
            for hit in answer.hits:
                row = np.array(drafts[hit.thought_id].vector)
                cosine = float(row @ vector / np.linalg.norm(row) / np.linalg.norm(vector))
                text = next((p.scaled for p in hit.parts if p.name == "fts"), 0.0) or 0.0
                base[hit.thought_id] = (text, max(0.0, cosine))
            total = sum(weights.values())
            for hit in answer.hits:
                draft = drafts[hit.thought_id]
                mine = sorted((e for e in edges if hit.thought_id in e[:2]), key=lambda e: -e[2])[:5]
                boost = 0.0
                for a, b, weight in mine:
                    boost += weight * max(base.get(b if a == hit.thought_id else a, (0.0, 0.0))) * 0.5
                fresh = 0.5 ** (max(0, 7 - draft.created_cycle) / 2.0)
                signals = {
                    "fts": base[hit.thought_id][0], "vector": base[hit.thought_id][1], "recency": fresh,
                    "priority": values[str(draft.priority)], "graph": boost,
                }  # fmt: skip
                wanted = sum(weights[name] / total * value for name, value in signals.items())
                assert hit.score == pytest.approx(wanted, abs=1e-6)  # vectors are stored as float32


def test_the_text_share_of_a_row_that_only_the_vector_leg_found_is_looked_up() -> None:
    """`fill`: with one candidate per leg, both rows still show both measures."""
    with simonides.open(":memory:", embedder=False) as store:
        store.remember("pot pot pot", thought_id="words", vector=[0.6, 0.8])
        store.remember("pot and other things that were there", thought_id="vector", vector=[1, 0])
        answer = store.search_hybrid("pot", [1, 0], fts_top_k=1, vector_top_k=1, top_k=1)
        assert answer.pool == 2
        full = store.search_hybrid("pot", [1, 0])
        values = {h.thought_id: {p.name: p.value for p in h.parts} for h in full.hits}
        assert values["words"]["vector"] == pytest.approx(0.6, abs=1e-6)
        assert values["vector"]["fts"] > 0


# ------------------------------------------------------------------ what comes around the scores


def test_without_a_question_the_newest_come_in_order_with_ties_by_id(plain: Any) -> None:
    for name, cycle in (("b", 2), ("a", 2), ("c", 5), ("d", 1)):
        plain.create_thought(content=f"text {name}", thought_id=name, created_cycle=cycle)
    answer = plain.search_hybrid("", top_k=3)
    assert answer.results == [("c", 0.0), ("a", 0.0), ("b", 0.0)]
    assert answer.backends_used == frozenset()
    with_axis = plain.search_hybrid("", top_k=2, current_cycle=5, recency_half_life=3.0, priority_weight=0.0)
    assert with_axis.results == [("c", 1.0), ("a", pytest.approx(0.5, abs=1e-12))]


def test_the_window_follows_the_axis_of_time_and_its_field(plain: Any) -> None:
    for name, day in (("old", "2026-01-01"), ("new", "2026-02-01"), ("never", None)):
        plain.create_thought(content=name, thought_id=name, occurred_at=day, created_cycle=9 if name == "old" else 0)
    both = {"thought_id": ["old", "new"]}
    answer = plain.search_hybrid("", recency_now=START, recency_field="occurred_at", filters=both)
    assert ids(answer) == ["new", "old"]
    assert ids(plain.search_hybrid(""))[0] == "old"


def test_sources_of_the_best_reflections_are_lifted_by_hand() -> None:
    """parent 0.9 · factor 0.7 · edge 0.5 = 0.315 lifts the source that was worth 0.1, and brings in an unfound one."""
    with simonides.open(":memory:", embedder=False) as store:
        store.remember("r", thought_id="r", thought_type="REFLECTION", vector=[0.9, math.sqrt(1 - 0.81)])
        store.remember("low", thought_id="low", vector=[0.1, math.sqrt(1 - 0.01)])
        store.remember("out", thought_id="out", vector=[-0.5, math.sqrt(0.75)])
        store.remember("best", thought_id="best", vector=[0.95, math.sqrt(1 - 0.9025)])
        for name in ("low", "out", "best"):
            store.link("r", name, "CONSOLIDATED_FROM", weight=0.5)
        answer = store.search_hybrid("", [1.0, 0.0], priority_weight=0.0)
        scores = dict(answer.results)
        assert scores == {
            "best": pytest.approx(0.95, abs=1e-6),
            "r": pytest.approx(0.9, abs=1e-6),
            "low": pytest.approx(0.315, abs=1e-6),
            "out": pytest.approx(0.315, abs=1e-6),
        }
        assert "graph_expansion" in answer.backends_used
        without = store.search_hybrid("", [1.0, 0.0], priority_weight=0.0, include_reflections=False)
        assert dict(without.results) == {"best": pytest.approx(0.95, abs=1e-6), "low": pytest.approx(0.1, abs=1e-6)}


def test_a_reflection_boost_multiplies_reflections_only(plain: Any) -> None:
    with simonides.open(":memory:", embedder=False) as store:
        store.remember("r", thought_id="r", thought_type="REFLECTION", vector=[0.5, math.sqrt(0.75)])
        store.remember("n", thought_id="n", vector=[0.6, 0.8])
        answer = store.search_hybrid("", [1.0, 0.0], priority_weight=0.0, reflection_boost=1.5)
        assert dict(answer.results) == {"r": pytest.approx(0.75, abs=1e-6), "n": pytest.approx(0.6, abs=1e-6)}
        assert answer.hits[0].contributions["reflection_boost"] == pytest.approx(0.25, abs=1e-6)


def chain(store: Any, links: list[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    for newer, older in links:
        store.link(newer, older, "SUPERSEDES")
    return {hit.thought_id: hit.superseded_by for hit in store.retrieve("code").hits}


def test_context_names_the_successor_and_the_head_of_the_chain(plain: Any) -> None:
    for n in range(5):
        plain.remember(f"code number {n}", thought_id=f"v{n}")
    found = chain(plain, [(f"v{n + 1}", f"v{n}") for n in range(4)])
    assert found == {"v0": ("v1", "v4"), "v1": ("v2", "v4"), "v2": ("v3", "v4"), "v3": ("v4",), "v4": ()}


def test_a_circle_of_successors_ends() -> None:
    """`link` refuses to close one; an older file or a salvaged one may hold it."""
    with simonides.open(":memory:", embedder=False) as plain:
        for n in range(3):
            plain.remember(f"code number {n}", thought_id=f"v{n}")

        def close(tx: Transaction) -> None:
            ns = tx.state("default").ns
            tids = tx.tids_of(ns, ["v0", "v2"])
            tx.put_edge(NewEdge(ns, "last", tids["v0"], tids["v2"], "SUPERSEDES", 1.0, 0, None, None, None, "{}"))

        chain(plain, [("v1", "v0"), ("v2", "v1")])
        plain._engine.database.write(close)
        found = chain(plain, [])
    assert {name: ids_[0] for name, ids_ in found.items()} == {"v0": "v1", "v1": "v2", "v2": "v0"}
    assert all(name not in others for name, others in found.items())


def test_context_leaves_out_edges_that_are_not_in_force(plain: Any) -> None:
    for name in ("old", "future", "past", "now"):
        plain.remember(f"code {name}", thought_id=name)
    plain.link("future", "old", "SUPERSEDES", valid_from="2027-01-01")
    plain.link("past", "old", "SUPERSEDES", valid_until="2026-01-01")
    plain.link("now", "old", "SUPERSEDES", valid_from="2026-01-01", valid_until="2027-01-01")
    found = {hit.thought_id: hit.superseded_by for hit in plain.retrieve("code").hits}
    assert found["old"] == ("now",)
