"""Anchors, seals, pruning: a journal that can be checked from outside, and that need not grow for ever."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest
from store_driver import START, HandClock, Opener, ids

import simonides
from simonides import Anchor, HistoryPrunedError, InvalidQueryError, NamespaceError, StoreDamagedError
from simonides.backend.sqlite import journal


def filled(store: Any, clock: HandClock) -> None:
    store.remember("the code is 4471", thought_id="a", concepts=["door"])
    store.remember("sea and sand", thought_id="b")
    store.remember("a secret", thought_id="x")
    store.link("a", "b")
    clock.advance(60)
    store.update_thought("a", content="the code is 9083")
    store.annotate("a", ["lock"], replace=True)
    store.unlink("a", "b")
    store.delete_thought("b")
    store.forget(thought_ids=["x"], reason="asked for")
    clock.advance(60)


def tampered(path: Path, *statements: str) -> None:
    other = apsw.Connection(str(path))
    for statement in statements:
        other.execute(statement)
    other.close()


def test_every_change_says_who_and_why(opener: Opener) -> None:
    store = opener(actor="clerk")
    store.remember("one", thought_id="a", reason="r1")
    store.create_thought(content="two", thought_id="b", reason="r2")
    store.update_thought("a", priority="P1", reason="r3")
    store.invalidate_thought("a", reason="r4")
    store.archive_thought("a", reason="r5")
    store.restore_thought("a", reason="r6")
    store.link("a", "b", reason="r7")
    store.unlink("a", "b", reason="r8")
    store.annotate("a", ["x"], reason="r9")
    store.alias_concept("y", "x", reason="r10")
    store.topics.create("t", reason="r11")
    store.topics.file("a", "t", reason="r12")
    store.topics.unfile("a", "t", reason="r13")
    store.delete_thought("a", reason="r14")
    store.forget(thought_ids=["b"], reason="r15")
    told = store.changes()
    assert [change.reason for change in told] == [f"r{n}" for n in range(1, 16)]
    assert {change.actor for change in told} == {"clerk"}


def test_what_a_job_changes_is_noted_as_its_work(opener: Opener, clock: HandClock) -> None:
    working = [False]

    def embed(texts: Any) -> list[list[float]]:
        if not working[0]:
            raise ConnectionError("down")
        return [[1.0, float(len(text))] for text in texts]

    store = opener(embedder=embed, actor="clerk")
    store.remember("pending")
    working[0] = True
    assert store.jobs.run() == 1
    assert [(c.kind, c.actor) for c in store.changes()] == [
        ("thought.created", "clerk"), ("vectors.stored", "clerk job:embed.pending"),
    ]  # fmt: skip


def test_an_anchor_agrees_with_the_journal_it_was_made_of_for_ever(store: Any, clock: HandClock) -> None:
    with pytest.raises(InvalidQueryError, match="nothing to anchor"):
        store.log.anchor()
    filled(store, clock)
    anchor = store.log.anchor()
    last = store.changes()[-1]
    assert (anchor.seq, anchor.hash, anchor.at) == (last.seq, last.hash, last.at)
    store.remember("later")
    for form in (anchor, anchor.to_bytes(), anchor.to_bytes().decode(), anchor.to_dict()):
        assert store.verify(anchor=form).ok
    assert Anchor.read(anchor.to_bytes()) == anchor
    assert anchor.to_bytes() == anchor.to_bytes()
    assert json.loads(anchor.to_bytes())["format"] == "simonides-anchor"


@pytest.mark.parametrize("value", [b"", "x", "{}", {"format": "simonides-anchor"}, {"format": "other", "seq": 1}])
def test_what_is_no_anchor_is_refused(store: Any, value: Any) -> None:
    with pytest.raises(InvalidQueryError, match="no anchor"):
        store.verify(anchor=value)


def test_a_tail_that_was_removed_with_all_its_traces_is_found_by_an_anchor(path: Path) -> None:
    with simonides.open(path, embedder=False) as store:
        store.remember("one", thought_id="a")
        before = path.with_name("before.db")
        store.backup(before)
        store.remember("two", thought_id="b")
        anchor = store.log.anchor()
    path.unlink()
    before.rename(path)
    with simonides.open(path, embedder=False) as store:
        assert store.verify().ok, "nothing in the file itself shows it"
        assert [p.check for p in store.verify(anchor=anchor).problems] == ["anchor"]
        store.remember("another two", thought_id="b")
        found = store.verify(anchor=anchor).problems
        assert [p.check for p in found] == ["anchor"]
        assert "something else" in found[0].message


def test_an_anchor_of_another_store_is_not_mixed_up(opener: Opener, tmp_path: Path) -> None:
    one, other = (simonides.open(tmp_path / name, embedder=False) for name in ("one.db", "two.db"))
    with one, other:
        one.remember("x")
        other.remember("x")
        assert "another store" in one.verify(anchor=other.log.anchor()).problems[0].message


def test_a_pruned_journal_verifies_from_its_seal(store: Any, clock: HandClock) -> None:
    filled(store, clock)
    anchor = store.log.anchor()
    seal = store.log.seal(reason="quarter")
    assert (seal.first_seq, seal.last_seq, seal.hash, seal.pruned) == (1, anchor.seq, anchor.hash, False)
    assert store.log.seal() is not None, "the row of the seal itself is new"
    store.remember("later", thought_id="c")
    done = store.log.prune_journal(reason="space")
    assert done.upto_seq == seal.last_seq + 1
    assert [s.pruned for s in store.log.seals()] == [True, True]
    told = store.changes()
    assert {c.subject_id for c in told} == {"c"}
    assert told[0].seq == done.upto_seq + 2
    assert store.verify(anchor=anchor).ok
    assert ids(store.recall("9083")) == ["a", "c"] or ids(store.recall("9083"))[0] == "a"


def test_what_was_known_before_a_pruning_is_a_typed_error(store: Any, clock: HandClock) -> None:
    filled(store, clock)
    store.log.seal()
    store.log.prune_journal()
    since = START + timedelta(seconds=60)
    for ask in (
        lambda: store.recall("x", as_of=START),
        lambda: store.list_thoughts(as_of=START),
        lambda: store.edges(as_of=START),
        lambda: store.get_thought("a", as_of=START),
        lambda: store.changes(since=0),
    ):
        with pytest.raises(HistoryPrunedError, match=r"pruned|kept since") as caught:
            ask()
        assert caught.value.code == "history_pruned"
    assert [t.content for t in store.list_thoughts(as_of=since)] == ["the code is 9083"]
    assert [e.revision for e in store.history("a")] == [2]
    assert store.history("a")[0].actor is None
    with pytest.raises(simonides.ThoughtNotFoundError):
        store.history("b")
    assert store.verify().ok


def test_revisions_can_be_kept_when_the_journal_goes(store: Any, clock: HandClock) -> None:
    filled(store, clock)
    store.log.seal()
    done = store.log.prune_journal(keep_revisions=True)
    assert done.since is None
    assert ids(store.search_fts("4471", as_of=START)) == ["a"]
    assert [e.revision for e in store.history("a")] == [1, 2]
    assert store.verify().ok


def test_only_what_ended_before_is_pruned(store: Any, clock: HandClock) -> None:
    store.remember("one", thought_id="a")
    clock.advance(60)
    store.update_thought("a", content="two")
    store.log.seal(before=START + timedelta(seconds=60))
    store.log.seal()
    assert [(s.first_seq, s.last_seq) for s in store.log.seals()] == [(1, 1), (2, 3)]
    assert store.log.prune_journal(before=START) is None
    assert store.log.prune_journal(before=START + timedelta(seconds=60)).upto_seq == 1
    assert [c.seq for c in store.changes()] == [2]
    assert [t.content for t in store.list_thoughts(as_of=START)] == ["one"], "it ended later than the seal"
    assert store.verify().ok


def test_erased_after_a_pruning_and_pruned_again(store: Any, clock: HandClock) -> None:
    filled(store, clock)
    store.log.seal()
    store.log.prune_journal()
    store.forget(thought_ids=["a"], reason="asked for")
    assert store.verify().ok
    store.log.seal()
    store.log.prune_journal()
    assert store.verify().ok
    store.remember("new", thought_id="a")
    assert store.verify().ok
    store.compact()
    assert store.verify().ok


def test_a_pruned_store_travels(opener: Opener, clock: HandClock, tmp_path: Path) -> None:
    store = opener("a.db")
    filled(store, clock)
    store.log.seal()
    store.log.prune_journal()
    store.remember("later", thought_id="c")
    store.export(tmp_path / "a.jsonl")
    other = opener("b.db")
    assert other.import_(tmp_path / "a.jsonl").problems == ()
    assert other.verify().ok
    with pytest.raises(HistoryPrunedError):
        other.list_thoughts(as_of=START)
    other.export(tmp_path / "b.jsonl")
    one, two = ((tmp_path / name).read_bytes().split(b"\n")[1:] for name in ("a.jsonl", "b.jsonl"))
    assert one == two


def test_a_sealed_handle_does_not_reach_the_journal_of_all(store: Any) -> None:
    guest = store.in_namespace("ben", sealed=True)
    for verb in (guest.log.anchor, guest.log.seal, guest.log.seals, guest.log.prune_journal):
        with pytest.raises(NamespaceError):
            verb()


def test_a_broken_chain_is_not_sealed(path: Path) -> None:
    with simonides.open(path, embedder=False) as store:
        store.remember("one")
    tampered(path, "UPDATE journal SET actor = 'x' WHERE seq = 1")
    with simonides.open(path, embedder=False) as store, pytest.raises(StoreDamagedError, match="sealed"):
        store.log.seal()


@pytest.mark.parametrize(
    ("statement", "check"),
    [
        ("UPDATE journal_seals SET hash = zeroblob(32)", "journal"),
        ("UPDATE journal_seals SET kept = zeroblob(32)", "seal"),
        ("UPDATE journal_kept SET digest = zeroblob(32)", "seal"),
        ("DELETE FROM journal_kept WHERE seq = (SELECT min(seq) FROM journal_kept)", "seal"),
        ("UPDATE versions SET priority = 0", "digest"),
        ("DELETE FROM versions WHERE recorded_to IS NULL AND revision = 2", "versions"),
        ("DELETE FROM journal WHERE seq = (SELECT min(seq) FROM journal)", "journal"),
    ],
)
def test_tampering_behind_a_pruning_is_noticed(path: Path, clock: HandClock, statement: str, check: str) -> None:
    with simonides.open(path, embedder=False, clock=clock) as store:
        filled(store, clock)
        store.log.seal()
        store.log.prune_journal()
        assert store.verify().ok
    tampered(path, statement)
    with simonides.open(path, embedder=False, read_only=True) as store:
        assert check in {problem.check for problem in store.verify().problems}


def test_a_pruning_that_stopped_after_any_batch_goes_on(
    plain: simonides.Store, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "BATCH", 2)
    for n in range(8):
        plain.remember(f"memory {n}", thought_id=f"m{n}")
        clock.advance(1)
        plain.update_thought(f"m{n}", content=f"changed {n}")
    seal = plain.log.seal()
    assert seal is not None
    write, calls = plain._engine.database.write, 0

    def stopping(job: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls % 3 == 0:
            raise KeyboardInterrupt
        return write(job)

    monkeypatch.setattr(plain._engine.database, "write", stopping)
    stops = 0
    done = None
    for _ in range(100):
        try:
            done = plain.log.prune_journal()
            break
        except KeyboardInterrupt:
            stops += 1
            assert plain.verify().ok, "sound after every stop"
    assert stops > 3
    assert done is not None
    monkeypatch.undo()
    assert [c.seq for c in plain.changes()] == []
    assert [e.revision for e in plain.history("m3")] == [2]
    assert plain.verify().journal_rows == 2
