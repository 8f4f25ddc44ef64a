"""Graph-aware ranking: what neighbours add, by hand and by an oracle; what it reads and what it never reads."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from typing import Any

import apsw
import pytest
from store_driver import START, ids

import simonides
from simonides import SearchConfig
from simonides.backend.port import Transaction
from simonides.backend.rows import NewEdge

VECTOR = [1.0, 0.0]
ALONE = {"fts_weight": 0.0, "priority_weight": 0.0, "vector_weight": 1.0, "graph_weight": 1.0}  # shares 1/2 and 1/2


def pointing(cosine: float) -> list[float]:
    return [cosine, math.sqrt(1 - cosine * cosine)]


def boosts(answer: Any) -> dict[str, float]:
    return {h.thought_id: next((p.value for p in h.parts if p.name == "graph"), 0.0) for h in answer.hits}


def edge_statements(seen: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    return [(sql, bindings) for sql, bindings in seen if " edges " in f" {' '.join(sql.split())} "]


def test_the_defaults_are_off_half_and_five() -> None:
    config = SearchConfig()
    assert (config.default_graph_weight, config.graph_edge_decay, config.max_neighbors_per_candidate) == (0.0, 0.5, 5)


def test_a_boost_is_edge_weight_times_the_better_leg_of_the_neighbour_times_decay(make: Any) -> None:
    """a–b weight .8. b: cosine .6 and some text; a: cosine 1, so 1 is its better leg. Decay .3 for this call."""
    store = make()
    store.remember("python async", thought_id="a", vector=pointing(1.0))
    store.remember("python", thought_id="b", vector=pointing(0.6))
    store.link("a", "b", weight=0.8)
    plain = store.search_hybrid("python async", VECTOR)
    scaled = {hit.thought_id: {part.name: part.scaled for part in hit.parts} for hit in plain.hits}
    answer = store.search_hybrid("python async", VECTOR, graph_weight=0.1, graph_edge_decay=0.3)
    assert boosts(answer) == {
        "a": pytest.approx(0.8 * max(scaled["b"]["fts"], 0.6) * 0.3, abs=1e-6),
        "b": pytest.approx(0.8 * 1.0 * 0.3, abs=1e-6),
    }
    for hit in answer.hits:  # weights: .30 + .55 + .05 + .10 = 1, so graph has a share of 1/10
        assert hit.contributions["graph"] == pytest.approx(0.1 * boosts(answer)[hit.thought_id], abs=1e-12)


def test_priority_recency_and_other_boosts_do_not_propagate(make: Any) -> None:
    """b and c are alike but for priority, age and its own neighbours; what they lend to a and d is the same."""
    store = make()
    for name in "ad":
        store.create_thought(content=name, thought_id=name, vector=pointing(0.5))
    store.create_thought(content="b", thought_id="b", vector=pointing(0.8), priority="P1", created_at=START)
    store.create_thought(content="c", thought_id="c", vector=pointing(0.8), priority="P4", created_at="2001-01-01")
    for name in ("e", "f", "g"):
        store.create_thought(content=name, thought_id=name, vector=pointing(0.9))
        store.link("b", name, weight=1.0)
    store.link("a", "b", weight=0.5)
    store.link("d", "c", weight=0.5)
    answer = store.search_hybrid("", VECTOR, graph_weight=0.5, recency_now=START, recency_weight=0.5)
    assert boosts(answer)["a"] == boosts(answer)["d"] == pytest.approx(0.5 * 0.8 * 0.5, abs=1e-6)


def test_a_neighbour_outside_the_pool_lends_nothing_and_does_not_get_in(make: Any) -> None:
    """Pool of two: c matches with .7, but is third. It joins neither the hits nor the sum."""
    store = make(vector_top_k=2)
    for name, cosine in (("a", 0.9), ("b", 0.8), ("c", 0.7)):
        store.remember(name, thought_id=name, vector=pointing(cosine))
    store.link("b", "c", weight=1.0)
    answer = store.search_hybrid("", VECTOR, top_k=2, **ALONE)
    assert boosts(answer) == {"a": 0.0, "b": 0.0}
    wider = store.search_hybrid("", VECTOR, top_k=2, vector_top_k=3, **ALONE)
    assert boosts(wider)["b"] == pytest.approx(0.35, abs=1e-6)


def test_the_graph_adds_no_thought_to_the_results(make: Any) -> None:
    store = make()
    store.remember("pot", thought_id="found", vector=pointing(0.9))
    store.remember("zebra", thought_id="linked")
    store.link("found", "linked", weight=1.0)
    answer = store.search_hybrid("pot", VECTOR, graph_weight=1.0, fts_top_k=1, vector_top_k=1)
    assert ids(answer) == ["found"]


def test_equal_weights_at_the_cap_are_settled_by_edge_id(make: Any) -> None:
    """One neighbour may count; both edges weigh the same, so the one with the smaller id does."""
    store = make(max_neighbors_per_candidate=1)
    for name, cosine in (("a", 0.5), ("b", 0.8), ("c", 0.6)):
        store.remember(name, thought_id=name, vector=pointing(cosine))
    edges = {store.link("a", other, weight=0.5).edge_id: cosine for other, cosine in (("b", 0.8), ("c", 0.6))}
    answer = store.search_hybrid("", VECTOR, **ALONE)
    assert boosts(answer)["a"] == pytest.approx(0.5 * edges[min(edges)] * 0.5, abs=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_random_graphs_equal_the_algorithm_of_the_page(make: Any, seed: int) -> None:
    """Thirty thoughts, a hundred edges with loops and repeated weights, against a reading of the page in Python."""
    dice = random.Random(seed)
    neighbours_max, decay = dice.choice([0, 1, 3, 5, 50]), dice.choice([0.0, 0.3, 1.0])
    store = make(max_neighbors_per_candidate=neighbours_max)
    cosines = {f"t{n:02}": round(dice.uniform(-0.4, 1.0), 2) for n in range(30)}
    for name, cosine in cosines.items():
        store.remember(name, thought_id=name, vector=pointing(cosine))
    for _ in range(100):
        kind = dice.choice(["ASSOCIATED", "DEPENDS_ON", "FOLLOWS"])
        store.link(dice.choice(list(cosines)), dice.choice(list(cosines)), kind, weight=dice.choice([0.2, 0.5, 1.0]))
    answer = store.search_hybrid("", VECTOR, top_k=30, graph_edge_decay=decay, **ALONE)
    pool = {name for name, cosine in cosines.items() if cosine >= 0}
    assert set(ids(answer)) == pool
    wanted = dict.fromkeys(pool, 0.0)
    for name in pool:
        ends = [(e, e.to_id) for e in store.edges() if e.from_id == name]
        ends += [(e, e.from_id) for e in store.edges() if e.to_id == name]
        for edge, other in sorted(ends, key=lambda end: (-end[0].weight, end[0].edge_id))[:neighbours_max]:
            wanted[name] += edge.weight * (cosines[other] if other in pool else 0.0) * decay
    assert boosts(answer) == {name: pytest.approx(value, abs=1e-6) for name, value in wanted.items()}


# ---- what is read


def test_with_weight_zero_and_expansion_off_no_graph_query_runs(make: Any, statements: Any) -> None:
    store = make(graph_expansion_enabled=False)
    store.remember("pot", thought_id="a", vector=VECTOR)
    store.remember("pot theme", thought_id="r", thought_type="REFLECTION", vector=VECTOR)
    store.link("r", "a", "CONSOLIDATED_FROM")
    with statements() as seen:
        store.search_hybrid("pot", VECTOR)
        counted = len(seen)
        assert edge_statements(seen) == []
        store.search_hybrid("pot", VECTOR, graph_weight=0.0, current_cycle=3)
        store.search_hybrid("")
        assert edge_statements(seen) == []
    assert counted > 3, "the watch sees the statements of a search"


def test_with_weight_zero_expansion_reads_edges_only_when_a_reflection_is_on_top(make: Any, statements: Any) -> None:
    store = make()
    store.remember("pot", thought_id="a", vector=VECTOR)
    with statements() as seen:
        store.search_hybrid("pot", VECTOR)
        assert edge_statements(seen) == []
    store.remember("pot theme", thought_id="r", thought_type="REFLECTION", vector=VECTOR)
    store.link("r", "a", "CONSOLIDATED_FROM")
    with statements() as seen:
        store.search_hybrid("pot", VECTOR)
        assert len(edge_statements(seen)) == 1
        seen.clear()
        store.search_hybrid("pot", VECTOR, include_reflections=False)
        assert edge_statements(seen) == []


@pytest.fixture
def crowd(make: Any) -> Any:
    """A thousand thoughts in a ring with chords: six edges each."""
    store = make(graph_expansion_enabled=False)
    count = 1000
    store.remember_many(
        [simonides.Draft(content=f"n{n}", thought_id=f"n{n:04}", vector=pointing(0.5 + n / 4000)) for n in range(count)]
    )
    bulk_edges(
        store, [(f"n{n:04}", f"n{(n + step) % count:04}", step / 10) for n in range(count) for step in (1, 2, 3)]
    )
    return store


def bulk_edges(store: Any, edges: list[tuple[str, str, float]], kind: str = "ASSOCIATED", mark: str = "e") -> None:
    """Many edges in one transaction, past the journal: tests of size need them, callers use `link`."""

    def job(tx: Transaction) -> None:
        ns = tx.state("default").ns
        tids = tx.tids_of(ns, sorted({end for edge in edges for end in edge[:2]}))
        for n, (from_id, to_id, weight) in enumerate(edges):
            edge_id = f"{mark}{kind}{n:06}"
            tx.put_edge(NewEdge(ns, edge_id, tids[from_id], tids[to_id], kind, weight, 0, None, None, None, "{}"))

    store._engine.database.write(job)


@pytest.mark.parametrize(
    ("options", "pool"),
    [({}, 50), ({"vector_top_k": 450}, 450), ({"vector_top_k": 451}, 451), ({"vector_top_k": 1000}, 1000)],
    ids=str,
)
def test_the_pool_is_asked_in_chunks_of_450_ids(statements: Any, crowd: Any, options: Any, pool: int) -> None:
    with statements() as seen:
        answer = crowd.search_hybrid("", VECTOR, **ALONE, **options)
        asked = edge_statements(seen)
    assert answer.pool == pool
    sizes = [len(json.loads(bindings[0])) for _, bindings in asked]
    assert sizes == [450] * (pool // 450) + ([pool % 450] if pool % 450 else [])


def test_collapse_widens_the_pool_by_its_factor(statements: Any, crowd: Any) -> None:
    """50 × 4 ids of the vector leg; the text leg has no words."""
    with statements() as seen:
        crowd.search_hybrid("", VECTOR, collapse_key="unit", **ALONE)
        asked = edge_statements(seen)
    assert [len(json.loads(bindings[0])) for _, bindings in asked] == [200]


def test_the_pool_holds_at_most_what_both_legs_may_bring_each_raised_to_top_k(make: Any, statements: Any) -> None:
    """Seventy rows match by words only, seventy by vector only: 50 + 50 compete, or 60 + 60 for a top_k of 60."""
    store = make(graph_expansion_enabled=False)
    store.remember_many([simonides.Draft(content=f"pot {n}", thought_id=f"w{n:02}") for n in range(70)])
    store.remember_many([
        simonides.Draft(content="other", thought_id=f"v{n:02}", vector=pointing(0.2 + n / 100)) for n in range(70)
    ])  # fmt: skip
    store.link("w00", "v00")
    for top_k, pool in ((10, 100), (60, 120)):
        with statements() as seen:
            answer = store.search_hybrid("pot", VECTOR, top_k=top_k, graph_weight=0.1)
            asked = edge_statements(seen)
        assert (answer.pool, len(answer.hits)) == (pool, top_k)
        assert [(len(json.loads(bindings[0])), bindings[1]) for _, bindings in asked] == [(pool, 5)]


@pytest.mark.parametrize("neighbours_max", [1, 5])
def test_rows_that_come_back_are_bounded_per_candidate_inside_sql(
    monkeypatch: pytest.MonkeyPatch, neighbours_max: int
) -> None:
    """Each thought has six edges; what crosses into Python is pool × max_neighbors."""
    from simonides.backend.sqlite.snapshot import SqliteSnapshot

    rows: list[int] = []
    ask = SqliteSnapshot.neighbours

    def counting(self: Any, *asked: Any) -> Any:
        found = ask(self, *asked)
        rows.append(len(found))
        return found

    monkeypatch.setattr(SqliteSnapshot, "neighbours", counting)
    with simonides.open(
        ":memory:", embedder=False, config={"search": {"max_neighbors_per_candidate": neighbours_max}}
    ) as store:
        store.remember_many(
            [
                simonides.Draft(content=f"n{n}", thought_id=f"n{n:04}", vector=pointing(0.5 + n / 4000))
                for n in range(500)
            ]
        )
        edges = [(f"n{n:04}", f"n{(n + s) % 500:04}", s / 10) for n in range(500) for s in (1, 2, 3)]
        bulk_edges(store, edges)
        store.search_hybrid("", VECTOR, vector_top_k=500, **ALONE)
    assert rows == [450 * neighbours_max, 50 * neighbours_max]


def test_graph_is_named_when_it_adds_to_a_candidate_and_only_then(make: Any) -> None:
    store = make()
    for name, cosine in (("a", 0.9), ("b", 0.8), ("c", -0.5)):
        store.remember(name, thought_id=name, vector=pointing(cosine))
    assert "graph" not in store.search_hybrid("", VECTOR, **ALONE).backends_used
    store.link("a", "c")
    assert "graph" not in store.search_hybrid("", VECTOR, **ALONE).backends_used
    store.link("a", "b")
    answer = store.search_hybrid("", VECTOR, **ALONE)
    assert "graph" in answer.backends_used
    assert "graph" not in store.search_hybrid("", VECTOR).backends_used


# ---- a hub


KINDS = ("ASSOCIATED", "DEPENDS_ON", "DERIVED_FROM", "MESSAGE_OF", "BRIDGE")


@pytest.fixture(scope="module")
def work() -> Iterator[list[int]]:
    """Counts the instructions that SQLite runs, in thousands: the same on every machine."""
    done = [0]

    def hook(connection: apsw.Connection) -> None:
        def count() -> bool:
            done[0] += 1
            return False

        connection.set_progress_handler(count, 1000)

    apsw.connection_hooks.append(hook)
    yield done
    apsw.connection_hooks.remove(hook)


@pytest.fixture(scope="module")
def hub(work: list[int]) -> Iterator[Any]:
    """Case 47: a hub with 50,000 edges, five kinds to each of 10,000 leaves, and a second hub two hops away."""
    with simonides.open(":memory:", embedder=False) as store:
        leaves = [f"leaf{n:05}" for n in range(10_000)]
        drafts = [simonides.Draft(content=f"detail {n} of the day", thought_id=name) for n, name in enumerate(leaves)]
        drafts.append(simonides.Draft(content="the central junction", thought_id="hub"))
        drafts.append(simonides.Draft(content="the other junction", thought_id="second"))
        store.remember_many(drafts)
        for kind in KINDS:
            bulk_edges(store, [("hub", name, 0.5) for name in leaves], kind)
        bulk_edges(store, [("second", name, 0.5) for name in leaves[:1000]], KINDS[0], "second")
        store.search_hybrid("detail")  # the text index is read once
        yield store


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "first", "edges"),
    [("central junction", "hub", 51_000), ("detail 3123", "leaf03123", 50 * 6)],
    ids=["hub", "leaf"],
)
def test_a_hub_with_fifty_thousand_edges_stays_under_its_cap(
    hub: Any, work: list[int], query: str, first: str, edges: int
) -> None:
    """Case 47: each edge of the pool is looked at once (some hundred instructions), no neighbour's edges are; five
    count. A leaf's pool touches at most six edges a leaf, so the hub beside it costs nothing."""
    plain = hub.search_hybrid(query)
    work[0] = 0
    answer = hub.search_hybrid(query, graph_weight=0.3)
    assert work[0] * 1000 < 200 * edges + 50_000
    assert ids(answer)[0] == ids(plain)[0] == first
    assert all(value <= 5 * 1.0 * 1.0 * 0.5 for value in boosts(answer).values())


@pytest.mark.slow
def test_recall_by_a_leaf_is_not_flooded_by_the_hub(hub: Any) -> None:
    """Case 47."""
    assert len(hub.edges("hub", limit=100_000)) == 50_000
    answer = hub.recall("detail 3123")
    assert ids(answer)[0] == "leaf03123"
    assert "hub" not in ids(answer)
