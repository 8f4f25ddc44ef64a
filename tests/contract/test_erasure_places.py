"""Every place of a file that can hold something of a memory: planted there, seen there, and gone after `compact`.

A column that holds text or bytes is either planted in or exempt for a reason, so that a new one is thought of.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import pytest

import simonides
from simonides import Draft, doctor
from simonides.backend.sqlite.migrate import migrate
from simonides.embedders import CallbackEmbedder, resolve
from simonides.upkeep import next_trees

CONFIG = {"store": {"synchronous": "NORMAL"}, "audit": {"mode": "sync"}, "embedding": {"batch": 32}}
WHO = "Vercingetorix"
# Where each word is planted. What is said of one place is not said of another.
PLACES = {
    "versions.content": "whippersnapper",  # also of an earlier revision and of a reflection's excerpts, see below
    "versions.essence": "zeppelin",
    "versions.metadata": "marmalade",
    "versions.provenance": "balderdash",
    "versions.source": "brouhaha",
    "versions.source_type": "hullabaloo",
    "versions.visibility": "clandestine",
    "speakers.name": WHO,
    "sessions.name": "thermidor",
    "labels.label": "kaleidoscope",
    "label_history.label": "gallimaufry",
    "edges.source": "flibbertigibbet",
    "edges.metadata": "lollygag",
    "edge_history.source": "taradiddle",
    "edge_history.metadata": "skulduggery",
    "retrieval_log.query": "poppycock",
    "retrieval_plans.plan": "codswallop",
    "conflicts.evidence": "40734",
    "conflicts.reason": "kerfuffle",
    "conflicts.decided_by": "snollygoster",
    "topics.label": "zugzwang",
    "user_topics.key": "widdershins",
    "jobs.last_error": "unembeddable",
    "lexicon_tail.terms": "bumbershoot",
}
EXEMPT = {
    "namespaces.name": "of the owner; a purge takes it",
    "meta.key": "facts about the store",
    "meta.value": "facts about the store",
    "thoughts.thought_id": "an id; erased with its row, and kept by the journal as promised",
    "thoughts.dedup": "the hash of a text, with its row",
    "versions.content_type": "text, json or markdown: a kind",
    "versions.content_hash": "with its row",
    "versions.salt": "with its row",
    "labels.kind": "concept or topic",
    "catalogues.columns": "numbers; given up at every erasure",
    "kept_trees.columns": "numbers; given up at every erasure",
    "label_history.kind": "concept or topic",
    "concept_aliases.alias": "a name that the owner gave, not of a memory",
    "concept_aliases.concept": "a name that the owner gave, not of a memory",
    "user_topics.title": "a topic that the owner made, not of a memory",
    "edges.edge_id": "an id",
    "edges.edge_type": "a kind",
    "edge_history.edge_id": "an id",
    "edge_history.edge_type": "a kind",
    "passages.tokens": "positions, no words",
    "passage_history.vector": "as bytes, below",
    "vectors.vector": "as bytes, below",
    "vectors_next.vector": "as bytes, below",
    "topics.centroid": "with the tree, which `compact` clears",
    "topic_leaves.pids": "row ids",
    "topic_leaves.factors": "with the tree",
    "topic_leaves.codes": "as bytes, below",
    "topic_trees.model": "a model",
    "topic_work.owner": "of a run",
    "topic_work.pids": "row ids",
    "topic_work.labels": "numbers of leaves",
    "lexicon_tail.frequencies": "numbers",
    "lexicon_segments.pids": "row ids",
    "lexicon_blocks.first_term": "tests of the segments: test_forget.py",
    "lexicon_blocks.last_term": "tests of the segments: test_forget.py",
    "lexicon_blocks.terms": "tests of the segments: test_forget.py",
    "lexicon_blocks.counts": "numbers",
    "lexicon_blocks.docs": "row ids",
    "lexicon_blocks.frequencies": "numbers",
    "journal.actor": "stays, as promised",
    "journal.reason": "stays, as promised",
    "journal.kind": "a kind",
    "journal.subject_id": "an id: stays, as promised",
    "journal.digest": "salted; the salt goes",
    "journal.hash": "of the chain",
    "journal_seals.hash": "of the chain",
    "journal_seals.kept": "a hash of what is kept",
    "journal_kept.kind": "a kind",
    "journal_kept.subject_id": "an id: stays, as promised",
    "journal_kept.digest": "salted; the salt goes",
    "retrieval_log.query_id": "an id",
    "retrieval_log.namespace": "of the owner",
    "retrieval_log.namespaces": "of the owner",
    "retrieval_log.verb": "a kind",
    "retrieval_log.recipe": "a kind",
    "retrieval_log.mode": "a kind",
    "retrieval_log.query_hash": "with its row",
    "retrieval_log.vector": "with its row",
    "retrieval_log.query_profile": "numbers and ids, with its row",
    "retrieval_log.sources": "numbers and ids, with its row",
    "retrieval_log.plan": "a hash",
    "retrieval_log.seqs": "numbers",
    "retrieval_log.trees": "numbers",
    "retrieval_plans.hash": "a hash",
    "jobs.kind": "a kind",
    "jobs.namespace": "of the owner",
    "jobs.payload": "of whoever asks for the job: settings, no memories",
    "jobs.idempotency_key": "made by kinds, never of a text",
    "jobs.state": "a kind",
    "jobs.lease_owner": "a process",
    "conflicts.conflict_id": "an id",
    "conflicts.kind": "a kind",
    "conflicts.status": "a kind",
    "conflicts.texts": "a digest, with its row",
}


def columns() -> set[str]:
    connection = apsw.Connection(":memory:")
    migrate(connection, ":memory:", read_only=False)
    tables = [name for _, name, kind, *_ in connection.execute("PRAGMA table_list") if kind == "table"]
    return {
        f"{table}.{name}"
        for table in tables
        if not table.startswith("sqlite_")
        for _, name, kind, *_ in connection.execute(f"PRAGMA table_info('{table}')")
        if kind in ("TEXT", "BLOB", "ANY")
    }


def test_every_column_that_could_hold_something_is_planted_in_or_exempt() -> None:
    assert set(PLACES) & set(EXEMPT) == set()
    assert columns() == set(PLACES) | set(EXEMPT)


def where(path: Path, word: bytes) -> set[str]:
    """The columns that hold a word now."""
    connection = apsw.Connection(str(path))
    found = set()
    for column in columns():
        table, name = column.split(".")
        sql = f"SELECT EXISTS (SELECT 1 FROM {table} WHERE instr(CAST({name} AS BLOB), ?))"
        if connection.execute(sql, (word,)).get:
            found.add(column)
    connection.close()
    return found


def bytes_of(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(path.parent.glob(f"{path.name}*")))


def some(path: Path, sql: str) -> list[bytes]:
    connection = apsw.Connection(str(path))
    found = [value for (value,) in connection.execute(sql)]
    connection.close()
    return found


def embed(texts: list[str]) -> Any:
    hashing = resolve("hashing:64")
    assert hashing is not None
    for text in texts:
        if "unembeddable" in text:
            raise ValueError(f"cannot read {text!r}")
    return hashing.embed_documents(texts)


def plant(store: simonides.Store) -> None:
    store.remember_many(
        [Draft(content=f"harmless words about tea {chr(97 + n % 26)}{chr(97 + n // 26)}") for n in range(120)]
    )
    store.remember_many(
        [
            Draft(content=f"a zugzwang ends the game {chr(97 + n % 26)}{chr(97 + n // 26)}", speaker=WHO)
            for n in range(60)
        ]
    )
    store.create_thought(
        content="the whippersnapper of old", essence="zeppelin", thought_id="s1", speaker=WHO, session="thermidor",
        metadata={"k": "marmalade"}, provenance={"p": "balderdash"}, source="brouhaha", source_type="hullabaloo",
        visibility="clandestine", concepts=["gallimaufry"],
    )  # fmt: skip
    store.update_thought("s1", content="changed his mind about the bumbershoot")
    store.annotate("s1", ["kaleidoscope"], replace=True)
    store.topics.file("s1", "widdershins/cattywampus")
    store.remember("said by the same", thought_id="s2", speaker=WHO, session="thermidor")
    store.link("s1", "s2", source="flibbertigibbet", metadata={"m": "lollygag"})
    store.link("s2", "s1", source="taradiddle", metadata={"m": "skulduggery"})
    store.unlink("s2", "s1")
    assert store.recall("poppycock changed his mind", filters={"speaker": WHO}).hits
    assert store.recall("what changed?", filters={"metadata.k": {"$ne": "codswallop"}, "speaker": WHO}).hits
    store.remember("The gate code of the depot is 40734", thought_id="c1", speaker=WHO)
    store.remember("The gate code of the depot is 40735", thought_id="c2")
    store.remember_many(
        Draft(content=f"The blue pot of the kitchen stands in room {n}", speaker=WHO if n == 2 else "Ana")
        for n in range(4)
    )


def finish(store: simonides.Store) -> None:
    """What derives from the memories: a conflict, a reflection, labels of topics, a job that failed."""
    store.conflicts.scan()
    [pair] = [c for c in store.conflicts.list(limit=1_000) if {c.older.thought_id, c.newer.thought_id} == {"c1", "c2"}]
    store.conflicts.reject(pair.conflict_id, reason="kerfuffle")
    assert store.consolidate().created
    store.topics.rebalance()
    store.remember("an unembeddable text", speaker=WHO)
    assert store.jobs.run() == 0 or store.jobs.failures


@pytest.fixture
def planted(path: Path, monkeypatch: pytest.MonkeyPatch) -> simonides.Store:
    monkeypatch.setattr(next_trees, "TREE_FROM", 100)
    store = simonides.open(
        path, embedder=CallbackEmbedder(embed, model_id="fussy", dimension=64), config=CONFIG, actor="snollygoster"
    )
    plant(store)
    finish(store)
    return store


KEPT = {"kerfuffle": {"journal.reason"}, "snollygoster": {"journal.actor"}}  # as promised


def begin_another_model(store: simonides.Store) -> None:
    """Vectors and a tree of a model to come, just before they would be taken into use."""

    def stop(*given: Any) -> None:
        raise InterruptedError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("simonides.upkeep.reembed._switch", stop)
        with pytest.raises(InterruptedError):
            store.reembed("hashing:48")


def vectors_of(path: Path) -> list[bytes]:
    """Vectors of what is going to be erased, as every table keeps them."""
    named = f"SELECT speaker FROM speakers WHERE name = '{WHO}'"
    mine = f"SELECT pid FROM passages WHERE tid IN (SELECT tid FROM thoughts WHERE speaker IN ({named}))"
    found = some(path, f"SELECT vector FROM vectors WHERE pid IN ({mine})")
    coming = some(path, f"SELECT vector FROM vectors_next WHERE length(vector) > 0 AND pid IN ({mine})")
    past = some(path, "SELECT vector FROM passage_history WHERE vector IS NOT NULL")
    asked = some(path, "SELECT vector FROM retrieval_log WHERE vector IS NOT NULL")
    assert min(len(found), len(coming), len(past)) > 0
    return [*found, *coming, *past, *asked]


def codes_of(path: Path) -> list[bytes]:
    """The codes of whole leaves that hold the games, of the tree in use and of the one to come."""
    found = some(path, "SELECT codes FROM topic_leaves")
    assert len(set(some(path, "SELECT version FROM topic_leaves"))) == 2
    return found


def left(path: Path, vectors: list[bytes]) -> dict[str, set[str]]:
    """What is still there, and in which columns; kept words only where they should not be."""
    data = bytes_of(path)
    found = {}
    for word in [*PLACES.values()]:
        places = where(path, word.encode()) - KEPT.get(word, set())
        if places or (word.encode() in data and word not in KEPT):
            found[word] = places
    if any(vector in data for vector in vectors):
        found["a vector"] = set()
    return found


def test_what_was_planted_is_seen_in_its_place_and_gone_after_forget_and_compact(
    planted: simonides.Store, path: Path
) -> None:
    begin_another_model(planted)
    missing = {place: word for place, word in PLACES.items() if place not in where(path, word.encode())}
    assert missing == {}
    before, vectors, codes = bytes_of(path), vectors_of(path), codes_of(path)
    assert all(word.encode() in before for word in PLACES.values())
    assert all(vector in before for vector in vectors)
    his = {thought.thought_id for thought in planted.list_thoughts(filters={"speaker": WHO}, limit=1_000)}
    made = planted.edges(edge_type="CONSOLIDATED_FROM")
    reflections = len({edge.from_id for edge in made if edge.to_id in his})
    assert reflections
    done = planted.forget({"speaker": WHO}, reason="asked")
    assert (done.count, done.reflections) == (65, reflections)
    assert planted.compact().log_emptied
    assert left(path, [*vectors, *codes]) == {}
    assert planted.verify().problems == ()
    planted.reembed("hashing:48")
    assert planted.stats().pending_embeddings == 0
    planted.close()
    assert left(path, vectors) == {}  # a leaf of others may have the codes that it had
    assert doctor.examine(path).problems == ()


def test_nothing_of_a_purged_namespace_is_left_in_any_place(planted: simonides.Store, path: Path) -> None:
    planted.remember("stays", namespace="other")
    planted.alias_concept("bafflegab", "jargon")
    planted.topics.create("pettifog", title="doohickey")
    begin_another_model(planted)
    vectors, codes = vectors_of(path), codes_of(path)
    words = ["bafflegab", "pettifog", "doohickey", "harmless"]
    assert all(word.encode() in bytes_of(path) for word in words)
    planted.purge(namespace="default", confirm="default")
    assert planted.compact().log_emptied
    assert left(path, [*vectors, *codes]) == {}
    assert [word for word in words if word.encode() in bytes_of(path)] == []
    assert planted.reembed("hashing:48").switched
    assert (planted.count_thoughts(namespace="other"), planted.verify().problems) == (1, ())
    planted.close()
    assert doctor.examine(path).problems == ()
