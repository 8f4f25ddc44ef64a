"""`changes`, `stats` and `verify`: what happened, how much there is, and whether it is sound."""

from __future__ import annotations

from typing import Any

import pytest
from store_driver import START, HandClock, Opener

from simonides import Draft, InvalidQueryError
from simonides.backend.sqlite.migrate import SCHEMA_VERSION


def test_every_change_is_one_row_in_order(store: Any, clock: HandClock) -> None:
    store.remember("x", thought_id="a")
    clock.advance(5)
    store.remember("y", thought_id="b", session="s")
    store.update_thought("a", content="z", reason="why not")
    store.link("a", "b")
    store.unlink("a", "b")
    store.archive_thought("a")
    store.restore_thought("a")
    store.delete_thought("b")
    rows = store.changes()
    assert [r.seq for r in rows] == list(range(1, 9))
    assert [(r.kind, r.revision) for r in rows] == [
        ("thought.created", 1),
        ("thought.created", 1),
        ("thought.updated", 2),
        ("edge.written", None),
        ("edge.removed", None),
        ("thought.archived", 3),
        ("thought.restored", 4),
        ("thought.deleted", None),
    ]
    assert rows[0].at == START
    assert (rows[1].at - START).total_seconds() == 5
    assert {r.namespace for r in rows} == {"default"}
    assert all(len(r.hash) == len(r.digest) == 64 for r in rows)
    assert len({r.hash for r in rows}) == 8


def test_a_follower_reads_on_from_the_last_seq_it_saw(store: Any) -> None:
    store.remember_many([Draft(content=str(n)) for n in range(7)])
    seen, since = [], 0
    while page := store.changes(since=since, limit=3):
        seen += [row.seq for row in page]
        since = page[-1].seq
    assert seen == [1, 2, 3, 4, 5, 6, 7]
    store.remember("later")
    assert [row.seq for row in store.changes(since=since)] == [8]


@pytest.mark.parametrize("since", ["7", -1, 1.0, True])
def test_a_seq_that_is_none_is_refused(store: Any, since: Any) -> None:
    with pytest.raises(InvalidQueryError, match="since is"):
        store.changes(since=since)


def test_a_namespace_sees_its_own_changes(store: Any) -> None:
    store.remember("x", namespace="ana")
    store.remember("y", namespace="ben")
    store.remember("z", namespace="ana")
    assert [row.seq for row in store.changes(namespace="ana")] == [1, 3]
    assert [row.seq for row in store.changes(namespace="ben")] == [2]
    assert store.changes() == []


def test_equal_payloads_have_different_digests_because_of_the_salt(store: Any) -> None:
    for name in ("a", "b"):
        store.remember("x", thought_id=name, namespace=name)
    assert store.changes(namespace="a")[0].digest != store.changes(namespace="b")[0].digest


def test_the_actor_is_the_one_the_store_was_opened_for(opener: Opener) -> None:
    store = opener(actor="importer")
    store.remember("x")
    assert store.changes()[0].actor == "importer"


def test_stats_count_what_is_there(store: Any) -> None:
    store.remember("x", thought_id="a", session="s", speaker="Ana")
    store.remember("y", thought_id="b", session="s", speaker="Ben", thought_type="TASK")
    store.remember("z", thought_id="c", namespace="other")
    store.archive_thought("a")
    stats = store.stats()
    assert (stats.namespace, stats.thoughts, stats.passages, stats.vectors, stats.edges) == ("default", 2, 2, 2, 1)
    assert (stats.sessions, stats.speakers, stats.pending_embeddings, stats.journal_rows) == (1, 2, 0, 4)
    assert stats.by_type == {"NOTE": 1, "TASK": 1}
    assert stats.by_status == {"ARCHIVED": 1, "ACTIVE": 1}
    assert (stats.model_id, stats.dimension, stats.schema_version) == ("hashing:64", 64, SCHEMA_VERSION)
    assert store.stats(namespace="other").thoughts == 1
    assert store.stats(namespace="nobody").thoughts == 0


def test_verify_says_how_much_it_looked_at(store: Any) -> None:
    assert store.verify().ok
    store.remember("x", thought_id="a")
    store.remember("y", namespace="other")
    store.update_thought("a", content="z")
    found = store.verify()
    assert (found.ok, bool(found), found.journal_rows, found.thoughts, found.problems) == (True, True, 3, 2, ())
