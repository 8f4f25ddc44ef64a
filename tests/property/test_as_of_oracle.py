"""`as_of` against a model that keeps everything: what every reading verb said after each change is asked for again.

The model is the store itself, before it changed: its answers are written down at every step, and compared at the end
with what `as_of` says of that step, down to scores, texts, labels and edges.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
from store_driver import START, HandClock

import simonides
from simonides import HybridSearchResult, Store
from simonides.clock import to_datetime

IDS = ("a", "b", "c", "d")
TEXTS = (
    "the red kite over the harbour",
    "the blue kite over the sea",
    "a harbour full of blue boats",
    "the sea was red that evening",
    "boats wait in the evening",
    "words. " * 220 + "the last word is kite",  # two passages
)
QUERIES = ("red kite", "blue harbour", "boats AND evening", '"blue boats"', "sea", "kite*")
VECTORS = ([1.0, 0.0, 0.2], [0.0, 1.0, 0.1], [0.7, 0.7, 0.0], [-0.2, 0.3, 0.9])
KINDS = ("ASSOCIATED", "SUPERSEDES", "CONTRADICTS")

ID, TEXT, VECTOR = st.sampled_from(IDS), st.sampled_from(TEXTS), st.sampled_from(VECTORS)
LABEL = st.sampled_from(["sea", "land", "sky"])
SESSION, SPEAKER = st.sampled_from([None, "s"]), st.sampled_from([None, "Ana", "Ben"])
STEP = st.one_of(
    st.tuples(st.just("remember"), ID, TEXT, VECTOR, SESSION, SPEAKER),
    st.tuples(st.just("text"), ID, TEXT, VECTOR),
    st.tuples(st.just("fields"), ID, st.sampled_from(["P1", "P4"]), st.integers(0, 3)),
    st.tuples(st.just("vector"), ID, VECTOR),
    st.tuples(st.just("archive"), ID),
    st.tuples(st.just("restore"), ID),
    st.tuples(st.just("delete"), ID),
    st.tuples(st.just("invalidate"), ID),
    st.tuples(st.just("annotate"), ID, LABEL, st.booleans()),
    st.tuples(st.just("file"), ID, LABEL),
    st.tuples(st.just("link"), ID, ID, st.sampled_from(KINDS), st.sampled_from([0.5, 1.0])),
    st.tuples(st.just("unlink"), ID, ID, st.sampled_from(KINDS)),
    st.tuples(st.just("wait"), st.just(0)),
)  # fmt: skip


def do(store: Store, step: tuple[Any, ...]) -> None:
    """One change; what cannot be done is not done."""
    kind, name, *rest = step
    verbs: dict[str, Callable[..., object]] = {
        "remember": lambda text, vector, session, speaker: store.remember(
            text, thought_id=name, vector=vector, session=session, speaker=speaker, topics=["first"]
        ),
        "text": lambda text, vector: store.update_thought(name, content=text, vector=vector),
        "fields": lambda priority, n: store.update_thought(name, priority=priority, metadata={"n": n}),
        "vector": lambda vector: store.update_thought(name, vector=vector),
        "archive": lambda: store.archive_thought(name),
        "restore": lambda: store.restore_thought(name),
        "delete": lambda: store.delete_thought(name),
        "invalidate": lambda: store.invalidate_thought(name),
        "annotate": lambda label, replace: store.annotate(name, [label], replace=replace),
        "file": lambda label: store.topics.file(name, label),
        "link": lambda other, edge, weight: store.link(name, other, edge, weight=weight),
        "unlink": lambda other, edge: store.unlink(name, other, edge),
        "wait": lambda: None,
    }
    with suppress(simonides.ThoughtNotFoundError):
        verbs[kind](*rest)


def told(answer: HybridSearchResult) -> list[tuple[Any, ...]]:
    """An answer without what belongs to the asking: ids, texts, scores to nine digits, context."""
    return [
        (
            hit.thought_id, hit.thought.content, hit.thought.revision, hit.thought.concepts, hit.thought.topics,
            hit.thought.priority, dict(hit.thought.metadata), round(hit.score, 9), hit.passage.text, hit.copies,
            hit.superseded_by, hit.conflicts,
        )
        for hit in answer.hits
    ]  # fmt: skip


def everything(store: Store, when: dict[str, Any]) -> dict[str, Any]:
    """What every reading verb says. when: as_of, or the clock of the moment as `now`."""
    past = {name: value for name, value in when.items() if name == "as_of"}
    found: dict[str, Any] = {
        "list": [(t.thought_id, t.content, t.revision, t.concepts, t.topics, t.lifecycle_status)
                 for t in store.list_thoughts(**past)],
        "concept": [t.thought_id for t in store.list_thoughts(filters={"concepts": "sea"}, **past)],
        "count": store.count_thoughts(filters={"metadata.n": {"$gte": 2}}, **past),
        "archived": store.count_thoughts(lifecycle_status="ARCHIVED", **past),
        "get": [t.content for t in store.get_thoughts(IDS, **past)],
        "edges": [(e.edge_id, e.weight) for e in store.edges(**past)],
        "edges of a": [(e.edge_id, e.weight) for e in store.edges("a", **past)],
    }  # fmt: skip
    for n, query in enumerate(QUERIES):
        vector = VECTORS[n % len(VECTORS)]
        found[f"recall {query}"] = told(store.recall(query, query_vector=vector, **when))
        found[f"fts {query}"] = [(i, round(s, 9)) for i, s in store.search_fts(query, **past)]
        found[f"retrieve {query}"] = told(store.retrieve(query, query_vector=vector, topics="sea", **when))
        found[f"hybrid {query}"] = told(
            store.search_hybrid(query, vector, graph_weight=0.3, include_archived=True, **when)
        )
        found[f"excluded {query}"] = told(store.recall(query, query_vector=vector, superseded="exclude", **when))
    for n, vector in enumerate(VECTORS):
        found[f"similar {n}"] = [(i, round(s, 9)) for i, s in store.search_similar(vector, threshold=-1, **past)]
    return found


@settings(max_examples=12, deadline=None)
@given(st.lists(STEP, min_size=1, max_size=9))
@example(
    [
        ("remember", "a", TEXTS[0], VECTORS[0], None, None),
        ("delete", "a"),
        ("remember", "a", TEXTS[1], VECTORS[1], None, None),
        ("text", "a", TEXTS[5], VECTORS[2]),
        ("archive", "a"),
    ]
)
@example(
    [
        ("remember", "a", TEXTS[5], VECTORS[0], "s", "Ana"),
        ("remember", "b", TEXTS[1], VECTORS[1], "s", "Ben"),
        ("vector", "a", VECTORS[3]),
        ("link", "b", "a", "SUPERSEDES", 1.0),
        ("unlink", "b", "a", "SUPERSEDES"),
        ("annotate", "a", "sea", True),
        ("annotate", "a", "land", True),
        ("delete", "b"),
    ]
)
def test_as_of_says_what_was_said_then(steps: list[tuple[Any, ...]]) -> None:
    clock = HandClock()
    with simonides.open(":memory:", clock=clock, embedder=False, config={"audit": {"mode": "off"}}) as store:
        moments = [(clock.now, everything(store, {"now": to_datetime(clock.now)}))]
        for step in steps:
            clock.advance(10)
            do(store, step)
            moments.append((clock.now, everything(store, {"now": to_datetime(clock.now)})))
        clock.advance(10)
        store.remember("a kite that came later, beside the blue sea", thought_id="z", vector=VECTORS[0])
        for at, said in moments:
            assert everything(store, {"as_of": to_datetime(at)}) == said
            later = to_datetime(at) + timedelta(seconds=9)
            assert store.list_thoughts(as_of=later) == store.list_thoughts(as_of=to_datetime(at))
        assert store.recall("kite", as_of=START - timedelta(days=1)).hits == ()
        assert store.verify().ok
