"""Does every question leave one row, can the answer be told again, and can it be proved?"""

from __future__ import annotations

import gc
import inspect
import json
import logging
import os
import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
from store_driver import HandClock, Opener, ids

import simonides
from simonides import AuditConfig, AuditError, Config, NamespaceError, QueryNotFoundError, Store, aio_parts
from simonides.job_verbs import Jobs
from simonides.log_verbs import Log
from simonides.read.audit import Asked

DAY_S = 86_400.0
SYNC = {"audit": {"mode": "sync"}, "store": {"synchronous": "NORMAL"}}
VECTOR = [1.0] + [0.5] * 63
VERBS: dict[str, Callable[[Any], Any]] = {
    "recall": lambda s: s.recall("the blue pot"),
    "retrieve": lambda s: s.retrieve("the blue pot", profile="keyword"),
    "search_hybrid": lambda s: s.search_hybrid("the blue pot", VECTOR, current_cycle=3, graph_weight=0.2),
    "search_fts": lambda s: s.search_fts('"blue pot" NOT lid'),
    "search_similar": lambda s: s.search_similar(VECTOR, threshold=-1.0),
    "search_reflections_only": lambda s: s.search_reflections_only("the blue pot"),
}
MODES = ["fts+vector", "fts", "fts+vector", "fts", "vector", "vector"]


def filled(store: Any, count: int = 12) -> Any:
    for n in range(count):
        store.remember(
            f"note {n}: the {'blue' if n % 2 else 'red'} pot and {n % 3} lids", thought_id=f"n{n}", session="s"
        )
    return store


def spoil(path: Path) -> apsw.Connection:
    """Somebody else who keeps the write lock."""
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    return other


# ------------------------------------------------------------------ one row per question


def test_every_ranked_verb_leaves_exactly_one_row(store: Any) -> None:
    filled(store)
    for call in VERBS.values():
        call(store)
    entries = store.log.list()
    assert [entry.verb for entry in reversed(entries)] == list(VERBS)
    assert [entry.mode for entry in reversed(entries)] == MODES
    assert store.log.count() == len(VERBS)
    assert len({entry.query_id for entry in entries}) == len(VERBS)


def test_an_empty_store_leaves_a_row_and_a_line_too(store: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "simonides.search"):
        answer = store.recall("anything")
    (entry,) = store.log.list()
    assert (entry.query_id, entry.mode, entry.sources, dict(entry.seqs)) == (
        answer.query_id,
        "none",
        (),
        {"default": 0},
    )
    (line,) = [r.getMessage() for r in caplog.records if "hybrid.search" in r.getMessage()]
    assert line.startswith(f"hybrid.search query_id={answer.query_id} verb=recall recipe=default mode=none")
    assert "anything" not in line


def test_every_question_leaves_one_line_without_its_words(store: Any, caplog: pytest.LogCaptureFixture) -> None:
    filled(store)
    with caplog.at_level(logging.INFO, "simonides.search"):
        for call in VERBS.values():
            call(store)
    lines = [r.getMessage() for r in caplog.records if r.getMessage().startswith("hybrid.search ")]
    assert [line.partition(" verb=")[2].split()[0] for line in lines] == list(VERBS)
    assert [line for line in lines if "pot" in line] == []


def test_replaying_explaining_and_asking_why_leave_no_row_and_no_line(
    store: Any, caplog: pytest.LogCaptureFixture
) -> None:
    answer = filled(store).recall("blue pot")
    caplog.clear()
    with caplog.at_level(logging.INFO, "simonides.search"):
        store.replay(answer.query_id)
        store.explain(answer.query_id)
        store.why_not("blue pot", "n1")
    assert store.log.count() == 1
    assert [r for r in caplog.records if "hybrid.search" in r.getMessage()] == []


def test_a_row_holds_what_was_shown(store: Any, clock: HandClock) -> None:
    filled(store)
    clock.advance(60)
    answer = store.recall("the blue pot", top_k=3, filters={"session": "s"})
    entry = store.log.get(answer.query_id)
    assert (entry.query, entry.recipe, entry.namespaces) == ("the blue pot", "default", ("default",))
    assert int(entry.at.timestamp() * 1e6) == int(entry.now.timestamp() * 1e6) == clock.now
    assert [(h.thought_id, h.revision, h.digest, h.rank, h.score, h.parts) for h in entry.sources] == [
        (h.thought_id, 1, h.thought.content_hash, h.rank, h.score, h.parts) for h in answer.hits
    ]
    assert all(sum(part.contribution for part in hit.parts) == pytest.approx(hit.score) for hit in entry.sources)
    profile = entry.profile
    assert profile["legs"]["fts"]["count"] > 0
    assert profile["legs"]["vector"]["top"] <= 1.0
    assert profile["weights"] == answer.weights
    assert profile["filters"] == {"$": "Compare", "field": "session", "operator": "$eq", "value": "s", "path": []}
    assert profile["reading"]["terms"] == list(answer.reading.terms)
    assert entry.seqs["default"] == store.changes()[-1].seq
    assert json.loads(json.dumps(entry.to_dict()))["query_id"] == answer.query_id


def test_now_is_logged_apart_from_when_it_was_asked(store: Any, clock: HandClock) -> None:
    filled(store)
    store.recall("pot")
    answer = store.recall("pot", now="2020-01-01")
    entry = store.log.get(answer.query_id)
    assert entry.now.year == 2020
    assert abs(entry.at.timestamp() * 1e6 - clock.now) < 600e6


def test_the_identity_of_a_vector_is_all_of_it(store: Any) -> None:
    filled(store)
    close = [*VECTOR[:-1], float(np.nextafter(0.5, 1.0))]
    store.search_similar(VECTOR)
    store.search_similar(close)
    store.search_similar(VECTOR)
    third, second, first = [entry.query_hash for entry in store.log.list()]
    assert first == third != second
    assert first.startswith("vector:")
    store.recall("a")
    assert store.log.list(1)[0].query_hash == "text:af63dc4c8601ec8c"


def test_plans_and_settings_are_stored_once(store: Any) -> None:
    filled(store)
    for word in ("red", "blue", "pot", "lid"):
        store.recall(word)
        store.recall(word, query_vector=VECTOR)
    assert len({entry.plan for entry in store.log.list()}) == 2


def test_the_log_changes_neither_a_namespace_nor_the_journal(store: Any) -> None:
    filled(store)
    before = (store.stats().journal_rows, store.changes()[-1])
    first = store.recall("pot")
    seqs = store.log.get(first.query_id).seqs
    second = store.recall("pot")
    assert store.log.get(second.query_id).seqs == seqs
    assert (store.stats().journal_rows, store.changes()[-1]) == before
    assert store.verify().ok


@pytest.mark.parametrize("query", ["\ud83d half a pair", "nul \x00 in it", "日本語 ☂", "x" * 20_000, "'; DROP TABLE x"])
def test_any_text_can_be_logged_and_replayed(query: str, store: Any) -> None:
    answer = filled(store, 3).recall(query)
    assert store.log.get(answer.query_id).query == query
    assert store.replay(answer.query_id).identical


# ------------------------------------------------------------------ reading the log


def test_pages_neither_overlap_nor_skip(store: Any) -> None:
    asked = [store.recall(f"question {n}").query_id for n in range(7)]
    seen: list[str] = []
    after = None
    while entries := store.log.list(3, after=after):
        seen += [entry.query_id for entry in entries]
        after = seen[-1]
    assert seen == asked[::-1]


def test_wrong_arguments_are_named(store: Any) -> None:
    for limit in (0, True, "5"):
        with pytest.raises(simonides.InvalidQueryError, match="limit"):
            store.log.list(limit)
    with pytest.raises(QueryNotFoundError, match="nonsense"):
        store.log.list(after="nonsense")
    assert store.log.get("nonsense") is None
    for verb in (store.replay, store.explain):
        with pytest.raises(QueryNotFoundError, match="nonsense"):
            verb("nonsense")


def test_a_handle_lists_its_namespace_and_a_sealed_one_sees_no_other(store: Any) -> None:
    filled(store)
    ana = store.in_namespace("ana")
    ana.remember("a pot")
    own = ana.recall("pot").query_id
    mixed = store.recall("pot", namespace=["default", "ana"]).query_id
    other = store.recall("pot").query_id
    assert [entry.query_id for entry in ana.log.list()] == [mixed, own]
    assert [entry.query_id for entry in store.log.list()] == [other, mixed]
    assert [entry.query_id for entry in store.log.list(namespace="ana")] == [mixed, own]
    assert (ana.log.count(), store.log.count()) == (2, 2)
    sealed = store.in_namespace("ana", sealed=True)
    assert [entry.query_id for entry in sealed.log.list()] == [own]
    assert sealed.log.count() == 1
    assert sealed.log.get(other) is None
    assert sealed.log.get(mixed) is None
    assert sealed.replay(own).identical
    for call in (sealed.replay, sealed.explain):
        with pytest.raises(QueryNotFoundError):
            call(mixed)
    for refused in (lambda: sealed.log.list(namespace="default"), lambda: sealed.log.count(namespace="default")):
        with pytest.raises(NamespaceError):
            refused()
    with pytest.raises(NamespaceError):
        sealed.log.prune()


def test_explain_tells_the_answer_as_it_was(store: Any) -> None:
    filled(store)
    answer = store.recall("the blue pot", top_k=2)
    first, second = ids(answer)
    shown = answer.hits[0].thought.content
    store.update_thought(first, content="nothing of the kind")
    store.delete_thought(second)
    text = store.explain(answer.query_id)
    assert shown in text
    assert "nothing of the kind" not in text
    assert f"id {first}   revision 1 (now revision 2)" in text
    assert f"id {second}   revision 1 (now deleted)" in text
    assert f"{answer.hits[0].score:.4f}" in text
    assert "mode fts+vector" in text


# ------------------------------------------------------------------ replay


@pytest.mark.parametrize("verb", VERBS)
def test_on_an_unchanged_store_every_answer_is_identical(verb: str, store: Any) -> None:
    filled(store, 40)
    VERBS[verb](store)
    (entry,) = store.log.list()
    replay = store.replay(entry.query_id)
    assert replay.differences == ()
    assert replay.identical
    assert bool(replay)


def test_an_answer_is_identical_in_another_process_worth_of_memory(path: Path) -> None:
    with simonides.open(path, embedder="hashing:64") as store:
        filled(store, 40)
        for call in VERBS.values():
            call(store)
    with simonides.open(path, embedder="hashing:64") as store:
        entries = store.log.list()
        assert len(entries) == len(VERBS)
        assert [store.replay(entry.query_id).differences for entry in entries] == [()] * len(VERBS)


def test_now_is_replayed_too(store: Any, clock: HandClock) -> None:
    store.remember("the pot boils", thought_id="soon", expires_at="2026-03-01T13:00:00Z")
    store.remember("the pot is blue", thought_id="ever")
    answer = store.retrieve("pot", recency_boost=0.5)
    clock.advance(DAY_S)
    assert ids(store.retrieve("pot", recency_boost=0.5)) == ["ever"]
    replay = store.replay(answer.query_id)
    assert replay.identical
    assert sorted(ids(replay.answer)) == ["ever", "soon"]


def kinds(replay: Any) -> set[tuple[str, str]]:
    return {(difference.kind, difference.subject) for difference in replay.differences}


def test_a_changed_a_deleted_and_a_new_thought_are_named(store: Any) -> None:
    filled(store, 6)
    answer = store.recall("the blue pot", top_k=3)
    first, second, third = ids(answer)
    store.update_thought(first, content="something else")
    store.delete_thought(second)
    store.remember("the blue pot, the blue pot", thought_id="new")
    replay = store.replay(answer.query_id)
    assert not replay.identical
    found = {(d.kind, d.subject): d for d in replay.differences}
    assert found["thought", first].after == "revision 2"
    assert found["thought", second].after == "deleted"
    assert ("thought", third) not in found
    assert found["ranking", "new"].before is None
    assert str(found["ranking", "new"].after).startswith("rank ")
    assert "not identical" in str(replay)


def test_a_change_that_does_not_reach_the_answer_is_named_and_the_answer_is_identical(path: Path) -> None:
    with simonides.open(path, embedder=False) as store:
        answer = filled(store, 4).search_fts("pot", 3)
        query_id = store.log.list()[0].query_id
    settings = {"recall": {"leg_top_k": 7}, "text": {"k1": 1.3}}
    with simonides.open(path, embedder=False, config=settings) as store:
        replay = store.replay(query_id)
        assert kinds(replay) == {("config", "recall.leg_top_k"), ("config", "text.k1")}
        assert replay.identical, "the plan is the stored one"
        assert replay.answer is not None
        assert replay.answer.results == answer
        assert [(d.before, d.after) for d in replay.differences] == [(100, 7), (1.2, 1.3)]


def test_another_version_of_a_topic_tree_is_named(store: Any) -> None:
    answer = filled(store).recall("pot")
    store.log.count()
    store_of(store)._engine.database.write(
        lambda tx: tx._connection.execute("UPDATE retrieval_log SET trees = '{\"default\": 3}'")
    )
    replay = store.replay(answer.query_id)
    assert ("tree", "default") in kinds(replay)
    assert replay.identical


def test_a_plan_of_another_version_cannot_be_run_and_says_so(store: Any) -> None:
    answer = filled(store).recall("pot")
    store.log.count()
    statement = "UPDATE retrieval_plans SET plan = json_remove(plan, '$.plan.top_k')"
    store_of(store)._engine.database.write(lambda tx: tx._connection.execute(statement))
    replay = store.replay(answer.query_id)
    assert (replay.identical, replay.answer) == (False, None)
    assert "another version" in str(replay)


def store_of(store: Any) -> Store:
    """The Store behind either face."""
    return store if isinstance(store, Store) else store._driven._store


# ------------------------------------------------------------------ settings


def test_without_texts_nothing_of_the_question_is_kept(opener: Opener) -> None:
    store = filled(opener(config={"audit": {"text": False}}))
    answer = store.recall("the secret blue pot")
    store.search_similar(VECTOR)
    vector, text = store.log.list()
    assert (text.query, vector.query) == (None, None)
    assert text.profile["reading"] == {"kind": "bare"}
    assert text.query_hash.startswith("text:")
    dump = store_of(store)._engine.database.write(
        lambda tx: str(tx._connection.execute("SELECT * FROM retrieval_log").fetchall())
    )
    assert "secret" not in dump
    replay = store.replay(answer.query_id)
    assert not replay.identical
    assert kinds(replay) == {("query", answer.query_id)}
    assert "(not kept)" in store.explain(answer.query_id)


def test_switched_off_nothing_is_kept_and_no_thread_is_made(path: Path) -> None:
    before = set(threading.enumerate())
    with simonides.open(path, embedder=False, config={"audit": {"mode": "off"}}) as store:
        filled(store, 2)
        assert store.recall("pot").degraded == ()
        assert (store.log.count(), store.log.list(), store.log.prune()) == (0, (), 0)
        assert "audit.write" not in store.jobs.counts()
        assert set(threading.enumerate()) <= before


def test_in_sync_mode_the_row_is_there_before_the_verb_returns(path: Path) -> None:
    before = set(threading.enumerate())
    with simonides.open(path, embedder=False, config=SYNC) as store:
        filled(store, 2).recall("pot")
        assert set(threading.enumerate()) <= before
        other = apsw.Connection(str(path))
        assert other.execute("SELECT count(*) FROM retrieval_log").get == 1
        other.close()


def test_in_async_mode_the_row_comes_soon_and_by_itself(path: Path) -> None:
    config = {"audit": {"window_ms": 1.0}, "store": {"synchronous": "NORMAL"}}
    with simonides.open(path, embedder=False, config=config) as store:
        filled(store, 2).recall("pot")
        audit = store._desk.audit
        assert audit is not None
        until = threading.Event()
        for _ in range(1_000):
            if audit.written:
                break
            until.wait(0.01)
        assert store.jobs.counts()["audit.write"] == {"ready": 0, "done": 1, "dead": 0}


def test_closing_writes_what_waits(path: Path) -> None:
    config = {"audit": {"window_ms": 60_000.0}}
    with simonides.open(path, embedder=False, config=config) as store:
        for n in range(5):
            store.recall(f"question {n}")
        assert store.jobs.counts()["audit.write"]["ready"] == 5
    with simonides.open(path, embedder=False) as store:
        assert store.log.count() == 5


def test_a_full_queue_counts_what_it_loses_and_the_answer_says_so(path: Path) -> None:
    config = {"audit": {"window_ms": 60_000.0, "queue_max": 3}}
    with simonides.open(path, embedder=False, config=config) as store:
        answers = [store.recall(f"question {n}") for n in range(5)]
        assert [[d.what for d in answer.degraded] for answer in answers] == [[], [], [], ["audit"], ["audit"]]
        (failure,) = store.jobs.failures
        assert (failure.kind, failure.count, failure.lost) == ("audit.write", 2, 2)
        assert isinstance(failure.error, AuditError)
        assert failure.error.code == "audit_failed"
        assert store.jobs.counts()["audit.write"] == {"ready": 3, "done": 0, "dead": 2}
        with pytest.raises(AuditError, match="full"):
            store.jobs.check()
        assert store.log.count() == 3


def test_a_write_that_fails_is_visible_and_is_made_up_for(path: Path) -> None:
    config = {"audit": {"window_ms": 60_000.0}, "store": {"busy_timeout_s": 0.02}}
    with simonides.open(path, embedder=False, config=config) as store:
        store.recall("before")
        other = spoil(path)
        with pytest.raises(simonides.StoreBusyError):
            store.log.count()
        (failure,) = store.jobs.failures
        assert isinstance(failure.error, AuditError)
        assert "write lock" in str(failure)
        assert store.recall("meanwhile").degraded == (), "a question waits for nobody"
        other.execute("ROLLBACK")
        other.close()
        assert store.log.count() == 2
        assert store.jobs.counts()["audit.write"] == {"ready": 0, "done": 2, "dead": 0}


def test_in_sync_mode_a_write_that_fails_is_told_in_the_answer(path: Path) -> None:
    config = {"audit": {"mode": "sync"}, "store": {"busy_timeout_s": 0.02}}
    with simonides.open(path, embedder=False, config=config) as store:
        store.remember("the pot", thought_id="p")
        other = spoil(path)
        answer = store.recall("pot")
        other.execute("ROLLBACK")
        other.close()
        assert ids(answer) == ["p"]
        assert [(d.what, "write lock" in d.reason) for d in answer.degraded] == [("audit", True)]
        assert store.jobs.failures[0].kind == "audit.write"


def test_an_answer_that_cannot_be_put_into_words_does_not_take_the_others_along(
    plain: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Asked.row

    def row(self: Asked, settings: str, *, text: bool) -> Any:
        if self.plan.query == "bad":
            raise ValueError("no words for it")
        return whole(self, settings, text=text)

    monkeypatch.setattr(Asked, "row", row)
    for word in ("good", "bad", "better"):
        plain.recall(word)
    assert [entry.query for entry in plain.log.list()] == ["better", "good"]
    assert "no words for it" in str(plain.jobs.failures[0])


def test_a_read_only_store_says_that_nothing_is_kept(path: Path) -> None:
    with simonides.open(path, embedder=False) as store:
        asked = filled(store, 3).recall("pot").query_id
    with simonides.open(path, embedder=False, read_only=True) as store:
        answer = store.recall("pot")
        assert [(d.what, d.reason.startswith("unavailable")) for d in answer.degraded] == [("audit", True)]
        assert "degraded audit: unavailable" in answer.explain()
        assert store.log.count() == 1
        assert store.replay(asked).identical
        with pytest.raises(simonides.ConfigError):
            store.jobs.start()
    with simonides.open(path, embedder=False, read_only=True, config={"audit": {"mode": "off"}}) as store:
        assert store.recall("pot").degraded == ()


# ------------------------------------------------------------------ retention


def test_old_rows_end_by_themselves(path: Path, clock: HandClock) -> None:
    with simonides.open(path, embedder=False, config=SYNC, clock=clock) as store:
        store.recall("old")
        clock.advance(31 * DAY_S)
        store.recall("new")
        assert [entry.query for entry in store.log.list()] == ["new"]


def test_rows_beyond_the_number_end_and_their_plans_with_them(path: Path, clock: HandClock) -> None:
    config = {"audit": {"mode": "sync", "retention_rows": 5}}
    with simonides.open(path, embedder=False, config=config, clock=clock) as store:
        store.search_fts("the only one of its kind", 3)
        for n in range(8):
            store.recall(f"question {n}")
        assert [entry.query for entry in store.log.list()] == [f"question {n}" for n in (7, 6, 5, 4, 3)]
        plans = store._engine.database.write(
            lambda tx: tx._connection.execute("SELECT count(*) FROM retrieval_plans").get
        )
        assert plans == 1


def test_pruning_on_demand_goes_as_far_as_it_is_told(plain: Store, clock: HandClock) -> None:
    for n in range(4):
        plain.recall(f"question {n}")
        clock.advance(60)
    assert plain.log.prune() == 0
    assert plain.log.prune(before="2026-03-01T12:02:00Z") == 2
    assert [entry.query for entry in plain.log.list()] == ["question 3", "question 2"]
    with pytest.raises(simonides.InvalidQueryError, match="before"):
        plain.log.prune(before="tomorrow")


@pytest.mark.parametrize(
    ("name", "value"),
    [("mode", "later"), ("text", 1), ("retention_days", 0), ("retention_rows", 0), ("window_ms", -1), ("queue_max", 0)],
)
def test_a_wrong_setting_is_refused(name: str, value: object) -> None:
    with pytest.raises(simonides.ConfigError, match=name):
        AuditConfig(**{name: value})  # type: ignore[arg-type]  # that is the point


# ------------------------------------------------------------------ threads, forks, faces


def test_many_threads_leave_one_row_each_time(path: Path) -> None:
    with simonides.open(path, embedder=False, config=Config(audit=AuditConfig(window_ms=1.0))) as store:
        filled(store, 5)
        threads = [threading.Thread(target=lambda: [store.recall("pot") for _ in range(20)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert store.log.count() == 80
        assert [t.name for t in threading.enumerate()].count("simonides-audit") == 1
    assert [t.name for t in threading.enumerate()].count("simonides-audit") == 0


def test_a_store_that_is_dropped_takes_its_thread_along(path: Path) -> None:
    store = simonides.open(path, embedder=False, config={"audit": {"window_ms": 1.0}})
    store.recall("pot")
    store.log.count()
    thread = store._desk.audit._thread  # type: ignore[union-attr]  # it is on
    gone = weakref.ref(store._desk.audit)
    del store
    gc.collect()
    assert thread is not None
    thread.join(10)
    assert not thread.is_alive()
    assert gone() is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_both_sides_of_a_fork_keep_their_own_rows(path: Path) -> None:
    config = {"audit": {"window_ms": 60_000.0}}
    with simonides.open(path, embedder=False, config=config) as store:
        store.recall("the parent, before")
        child = os.fork()
        if child == 0:
            code = 1
            try:
                store.recall("the child")
                code = 0 if store.log.list(1)[0].query == "the child" else 2
                store.close()
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        store.recall("the parent, after")
        assert sorted(str(entry.query) for entry in store.log.list()) == [
            "the child", "the parent, after", "the parent, before",
        ]  # fmt: skip
        assert store.verify().ok


def test_a_program_that_forgets_to_close_loses_nothing(path: Path) -> None:
    import subprocess

    code = (
        "import sys, simonides\n"
        "store = simonides.open(sys.argv[1], embedder=False, config={'audit': {'window_ms': 60000.0}})\n"
        "store.recall('left in a hurry')\n"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True, timeout=60)
    with simonides.open(path, embedder=False) as store:
        assert [entry.query for entry in store.log.list()] == ["left in a hurry"]


@pytest.mark.parametrize(("plain_part", "awaited"), [(Log, aio_parts.AsyncLog), (Jobs, aio_parts.AsyncJobs)])
def test_sub_objects_have_the_same_verbs_in_both_faces(plain_part: type, awaited: type) -> None:
    names = {name for name in dir(plain_part) if not name.startswith("_")}
    assert names == {name for name in dir(awaited) if not name.startswith("_")}
    for name in names:
        ours, theirs = getattr(plain_part, name), getattr(awaited, name)
        assert isinstance(ours, property) == isinstance(theirs, property)
        if not isinstance(ours, property):
            assert inspect.signature(ours) == inspect.signature(theirs)
            assert inspect.iscoroutinefunction(theirs)
