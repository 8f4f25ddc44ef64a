"""The write story: what happens outside of the transaction, and what is settled inside."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from store_driver import HandClock, ids

import simonides
from simonides import Draft
from simonides.backend.sqlite import writer
from simonides.index.passages import FREQUENCY_MAX, analysed, passages_of
from simonides.model.namespace import check_namespace
from simonides.text.analysis import Analyzer
from simonides.write.accept import accept


class Watching:
    """An embedder that looks whether a transaction is open while it works."""

    def __init__(self) -> None:
        self.open_transactions: list[bool] = []
        self.batches: list[int] = []
        self.store: simonides.Store | None = None

    def __call__(self, texts: Sequence[str]) -> Any:
        self.batches.append(len(texts))
        if self.store is not None:
            connections = self.store._engine.database._connections
            self.open_transactions.append(connections._writer.in_transaction)
        return np.array([[1.0, len(t)] for t in texts])


def test_no_embedding_happens_while_a_transaction_is_open(path: Path) -> None:
    """Invariant 1."""
    watching = Watching()
    with simonides.open(path, embedder=watching, config={"store": {"chunk": 3}, "embedding": {"batch": 2}}) as store:
        watching.store = store
        store.remember("one", thought_id="a")
        store.remember_many([f"many {n}" for n in range(7)])
        store.update_thought("a", content="another")
    assert watching.open_transactions
    assert not any(watching.open_transactions)
    assert max(watching.batches) <= 2


def test_a_change_and_its_journal_entry_commit_together_or_not_at_all(path: Path, monkeypatch: Any) -> None:
    """Invariant 2: the last step of the transaction fails."""
    with simonides.open(path, embedder=False) as store:
        store.remember("before", thought_id="before")

        def fail(*_: Any, **__: Any) -> None:
            raise OSError("the disk is gone")

        with monkeypatch.context() as patch:
            patch.setattr("simonides.write.remember.ask_for_vectors", fail)
            with pytest.raises(OSError, match="disk"):
                store.remember("lost", thought_id="lost", session="s", speaker="Ana")
        assert store.get_thought("lost") is None
        assert [c.subject_id for c in store.changes()] == ["before"]
        assert (store.stats().sessions, store.stats().speakers) == (0, 0)
        assert store.remember("after", thought_id="after").thought_id == "after"
        assert [c.seq for c in store.changes()] == [1, 2]
        assert store.verify().ok


def test_concurrent_updates_of_one_thought_all_count(path: Path) -> None:
    with simonides.open(path, embedder=False, config={"store": {"synchronous": "NORMAL"}}) as store:
        store.remember("x", thought_id="a", metadata={})
        errors: list[BaseException] = []

        def bump(name: str) -> None:
            try:
                for n in range(10):
                    store.update_thought("a", **{name: f"{n}"})
            except BaseException as error:  # noqa: BLE001  # the edge of a thread
                errors.append(error)

        threads = [threading.Thread(target=bump, args=(name,)) for name in ("essence", "source", "visibility")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert errors == []
        found = store.get_thought("a")
        assert found is not None
        assert (found.essence, found.source, found.visibility) == ("9", "9", "9")
        assert found.revision == 31
        assert store.verify().ok


def test_one_of_two_writers_with_the_same_expectation_wins(path: Path) -> None:
    with simonides.open(path, embedder=False) as store:
        store.remember("x", thought_id="a")
        barrier = threading.Barrier(4)
        outcomes: list[str] = []

        def change(n: int) -> None:
            barrier.wait(30)
            try:
                store.update_thought("a", content=f"y{n}", expected_revision=1)
                outcomes.append("won")
            except simonides.RevisionConflictError:
                outcomes.append("lost")

        threads = [threading.Thread(target=change, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert sorted(outcomes) == ["lost", "lost", "lost", "won"]


def test_a_draft_is_accepted_with_its_instant_its_hash_and_an_id() -> None:
    found = accept(Draft(content="x", created_at=5, metadata={"b": 1, "a": [True]}), 7_000_000)
    assert (found.created_at, found.version.updated_at, found.given_id) == (5_000_000, 5_000_000, False)
    assert found.version.metadata == '{"b":1,"a":[true]}'
    assert found.dedup is None
    assert accept(Draft(content="x", deduplicate=True), 0).dedup == found.version.content_hash
    assert check_namespace("e\u0301") == "é"


def test_a_short_text_is_one_passage_and_a_long_one_many_that_cover_it() -> None:
    analyzer = Analyzer()
    (only,) = passages_of("a short text", "its essence", None, analyzer)
    assert (only.part, only.start, only.stop) == (0, 0, 12)
    assert only.text.essence_words == 2
    text = "\n\n".join(f"Paragraph {n}. " + "It goes on about this and that for a while. " * 12 for n in range(9))
    many = passages_of(text, "its essence", None, analyzer)
    assert len(many) > 3
    assert [p.part for p in many] == list(range(len(many)))
    assert [p.text.essence_words for p in many[1:]] == [0] * (len(many) - 1)
    assert all(a.stop <= b.start for a, b in pairwise(many))
    covered = set().union(*(range(p.start, p.stop) for p in many))
    assert all(text[n].isspace() for n in set(range(len(text))) - covered)


def test_a_word_is_counted_up_to_fifteen_times_per_field() -> None:
    found = analysed(Analyzer(None), "pot " * 40, "pot " * 3, None)
    assert FREQUENCY_MAX == 15
    assert dict(zip(found.terms.split(), found.frequencies, strict=True))["pot"] == 15 | 3 << 4
    assert (found.words, found.essence_words) == (40, 3)


def test_jobs_of_many_threads_share_commits(path: Path, monkeypatch: Any) -> None:
    """Group commit: far fewer transactions than writes when many wait for the lock."""
    counts: list[int] = []
    original = writer.Writer._run

    def counting(self: Any, connection: Any, group: list[Any]) -> None:
        original(self, connection, group)
        counts.append(len(group))

    monkeypatch.setattr(writer.Writer, "_run", counting)
    with simonides.open(path, embedder=False) as store:
        counts.clear()
        threads = [threading.Thread(target=store.remember, args=(f"note {n}",)) for n in range(40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert sum(counts) == 40
        assert store.count_thoughts() == 40
        assert store.verify().ok


def test_reflections_retire_with_their_last_source_and_come_back(plain: Any, clock: HandClock) -> None:
    """Decision 22."""
    plain.remember("pot one", thought_id="s1")
    plain.remember("pot two", thought_id="s2")
    plain.remember("summary pot", thought_id="r", thought_type="REFLECTION")
    for source in ("s1", "s2"):
        plain.link("r", source, "CONSOLIDATED_FROM")

    def shown() -> bool:
        return "r" in ids(plain.search_hybrid("summary pot"))

    assert shown()
    plain.archive_thought("s1")
    assert shown()
    plain.archive_thought("s2")
    assert not shown()
    assert plain.get_thought("r") is not None
    plain.restore_thought("s1")
    assert shown()
    plain.delete_thought("s1")
    assert not shown()
    plain.restore_thought("s2")
    assert shown()
    plain.delete_thought("s2")
    assert not shown()
    assert plain.verify().ok


def test_a_reflection_without_sources_is_never_retired(plain: Any) -> None:
    plain.remember("summary pot", thought_id="r", thought_type="REFLECTION")
    plain.remember("pot", thought_id="n")
    plain.archive_thought("n")
    assert ids(plain.search_hybrid("summary pot")) == ["r"]


def test_unlinking_the_last_active_source_retires_the_reflection_too(plain: Any) -> None:
    plain.remember("pot one", thought_id="s1")
    plain.remember("pot two", thought_id="s2")
    plain.remember("summary pot", thought_id="r", thought_type="REFLECTION")
    plain.link("r", "s1", "CONSOLIDATED_FROM")
    plain.link("r", "s2", "CONSOLIDATED_FROM")
    plain.archive_thought("s2")
    plain.unlink("r", "s1", "CONSOLIDATED_FROM")
    assert "r" not in ids(plain.search_hybrid("summary pot"))


def test_a_model_that_another_handle_settled_in_the_meantime_is_heeded(path: Path) -> None:
    """What a handle last read of it is out of date; the transaction finds out, and the vectors are looked at again."""
    with simonides.open(path, embedder=False) as here, simonides.open(path, embedder=False) as there:
        here.remember("without a vector", thought_id="a")  # has read that there is no model
        there.remember("with one", thought_id="b", vector=[1.0, 0.0, 0.0])
        with pytest.raises(simonides.ModelMismatchError, match="has 2 numbers"):
            here.remember("of another length", thought_id="c", vector=[1.0, 0.0])
        assert here.remember("of the same", thought_id="d", vector=[0.0, 1.0, 0.0]).embedding == "present"
        assert [t.thought_id for t in here.list_thoughts()] == ["a", "b", "d"]
    with simonides.open(path, embedder="hashing:3") as other, simonides.open(path, embedder=False) as here:
        here.remember("of three numbers", thought_id="e", vector=[0.0, 0.0, 1.0])
        other.reembed("hashing:2")
        with pytest.raises(simonides.ModelMismatchError, match="has 3 numbers"):
            here.remember("of three still", thought_id="f", vector=[0.0, 0.0, 1.0])
        assert here.remember("of two now", thought_id="g", vector=[0.0, 1.0]).embedding == "present"
        assert here.verify().ok
