"""Pending vectors: text first, vectors when the embedder can, no duplicate when a caller tries again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from store_driver import Opener, ids

from simonides import ConfigError, EmbeddingError
from simonides.index import vectors


class Moody:
    """Fails on request."""

    def __init__(self) -> None:
        self.fails = True
        self.calls = 0

    def __call__(self, texts: Sequence[str]) -> Any:
        self.calls += 1
        if self.fails:
            raise RuntimeError("the service is down")
        return np.array([[len(text), 1.0, text.count("o")] for text in texts], np.float32)


def test_a_text_is_stored_while_the_embedder_fails_and_its_vector_comes_later(opener: Opener) -> None:
    moody = Moody()
    store = opener(embedder=moody)
    first = store.remember("the blue pot", thought_id="p", deduplicate=True)
    assert first.embedding == "pending"
    assert ids(store.recall("blue pot")) == ["p"]
    again = store.remember("the blue pot", deduplicate=True)
    assert again.thought_id == "p"
    assert store.stats().pending_embeddings == 1
    with pytest.raises(EmbeddingError) as caught:
        store.embed_pending()
    assert "the service is down" in str(caught.value)
    moody.fails = False
    assert store.embed_pending() == 1
    assert store.embed_pending() == 0
    assert store.get_thought("p").embedding == "present"
    assert store.search_hybrid("blue pot").backends_used >= {"vector"}
    assert store.count_thoughts() == 1
    assert store.verify().ok


def test_a_failing_question_vector_is_named_and_the_text_leg_answers(opener: Opener) -> None:
    moody = Moody()
    moody.fails = False
    store = opener(embedder=moody)
    store.remember("the blue pot", thought_id="p")
    moody.fails = True
    answer = store.recall("blue pot")
    assert ids(answer) == ["p"]
    assert [(d.what, "the service is down" in d.reason) for d in answer.degraded] == [("vector", True)]


def test_making_pending_vectors_needs_an_embedder(opener: Opener) -> None:
    store = opener(embedder=Moody(), name="one.db")
    store.remember("x")
    bare = opener("two.db", embedder=False)
    bare.remember("x", vector=[1, 0])
    assert bare.embed_pending() == 0
    assert bare.get_thought(bare.list_thoughts()[0].thought_id).embedding == "present"
    assert store.stats().pending_embeddings == 1


def test_without_an_embedder_a_text_has_no_vector_and_none_is_pending(opener: Opener) -> None:
    store = opener(embedder=False)
    assert store.remember("x").embedding == "none"
    assert store.stats().pending_embeddings == 0
    assert store.embed_pending() == 0
    answer = store.recall("x")
    assert (answer.backends_used, answer.degraded) == (frozenset({"fts5"}), ())


def test_a_text_that_was_deleted_while_pending_is_not_embedded(opener: Opener) -> None:
    moody = Moody()
    store = opener(embedder=moody)
    store.remember("x", thought_id="a")
    store.remember("y", thought_id="b")
    store.delete_thought("a")
    moody.fails = False
    assert store.embed_pending() == 1
    assert store.stats().vectors == 1


def test_pending_vectors_are_made_batch_by_batch_with_progress(opener: Opener) -> None:
    moody = Moody()
    store = opener(embedder=moody, config={"embedding": {"batch": 2}, "store": {"synchronous": "NORMAL"}})
    store.remember_many([f"note {n}" for n in range(5)])
    moody.fails = False
    seen: list[int] = []
    assert store.embed_pending(progress=lambda done, total: seen.append(done)) == 5
    assert seen == [2, 4, 5]


def test_pending_with_the_embedder_switched_off_is_a_typed_error(tmp_path: Any) -> None:
    import simonides

    with simonides.open(tmp_path / "s.db", embedder=Moody()) as store:
        store.remember("x")
    with (
        simonides.open(tmp_path / "s.db", embedder=False) as store,
        pytest.raises(ConfigError, match="without an embedder"),
    ):
        store.embed_pending()


@pytest.mark.parametrize("whole_max", [0, 20_000])
def test_whole_vectors_in_memory_and_in_the_file_give_the_same_scores(
    opener: Opener, monkeypatch: pytest.MonkeyPatch, whole_max: int
) -> None:
    """20,000 bytes are passed while the store grows."""
    chance = np.random.default_rng(3)
    rows = chance.standard_normal((300, 24)).astype(np.float32)
    questions = [rows[n] + 0.1 * chance.standard_normal(24).astype(np.float32) for n in (7, 8, 9, 200)]

    def asked(name: str) -> list[Any]:
        store, said = opener(name, embedder=False), []
        for n, row in enumerate(rows):
            store.remember(f"entry number {n}", thought_id=f"{n}", vector=row)
            if n % 100 == 99:
                store.update_thought("7", vector=rows[n % 3])
                store.delete_thought(str(n - 90))
                answers = [store.recall("entry", query_vector=q) for q in questions]
                said += [[(hit.thought_id, hit.score) for hit in answer.hits] for answer in answers]
                said += [list(store.search_similar(q)) for q in questions]
        return said

    kept = asked("kept.db")
    monkeypatch.setattr(vectors, "WHOLE_MAX", whole_max)
    assert asked("read.db") == kept
    assert kept[-3][0][0] == "8"
