"""A namespace with a topic tree: the same answers, whatever is folded, rebalanced, killed or deleted meanwhile."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

import simonides
from simonides.backend.jobs_port import NewJob
from simonides.engine import Engine
from simonides.errors import InvalidQueryError, StoreBusyError, StoreReadOnlyError
from simonides.index.topics import TopicTable
from simonides.model.thought import Draft
from simonides.read.legs import topic_beam
from simonides.topic_verbs import Topics
from simonides.topics.codes import encode_query
from simonides.topics.tree import faults
from simonides.upkeep import probe
from simonides.upkeep import rebalance as rebalancing
from simonides.upkeep import topics as folding
from simonides.upkeep.topics import Stored

D = 24
WORDS = ("trains", "bread", "sailing", "violins", "glaciers", "taxes", "beetles", "chess")
QUICK = {"store": {"synchronous": "NORMAL"}, "audit": {"mode": "off"}}


PLAIN = topic_beam.Walk(None, 1_024, None)


class Killed(BaseException):
    """Stands for a process that dies."""


def vectors(count: int, seed: int = 0) -> np.ndarray:
    """Unit rows around eight centres."""
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(99).standard_normal((8, D))
    rows = centres[np.arange(count) % 8] + random.standard_normal((count, D)) * 0.7
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def drafts(rows: np.ndarray, first: int = 0) -> list[Draft]:
    return [
        Draft(
            content=f"{WORDS[n % 8]} and more about {WORDS[n % 8]}, note {first + n}",
            thought_id=f"t{first + n:05d}",
            metadata={"group": n % 10},
            vector=row.tolist(),
        )
        for n, row in enumerate(rows)
    ]


def topics_of(store: simonides.Store) -> Topics:
    return Topics(store._engine, store._name)


def head_of(store: simonides.Store) -> Any:
    with store._engine.database.snapshot() as snapshot:
        return snapshot.topics.head(snapshot.state(store.namespace).ns)


def stored_of(store: simonides.Store) -> Stored:
    with store._engine.database.snapshot() as snapshot:
        head = snapshot.topics.head(snapshot.state(store.namespace).ns)
        assert head is not None
        return Stored.read(snapshot, head)


def answers(store: simonides.Store, count: int = 6, **options: Any) -> list[list[tuple[str, float]]]:
    return [store.search_similar(row.tolist(), 15, threshold=-1.0, **options) for row in vectors(count, 7)]


@pytest.fixture(autouse=True)
def always_the_beam(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small sets would be compared exhaustively, and the test would say nothing about the tree."""
    monkeypatch.setattr(topic_beam, "EXACT_MAX", 0)
    monkeypatch.setattr(topic_beam, "TREE_FROM", 0)
    monkeypatch.setattr(probe, "TREE_FROM", 0)
    monkeypatch.setattr(folding, "RESETTLED_FROM", 0)


def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebalancing, "BEAM", 10_000)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of 800 thoughts with vectors, no tree."""
    file = tmp_path_factory.mktemp("topics") / "written.db"
    with simonides.open(file, embedder=False, config=QUICK) as made:
        made.remember_many(drafts(vectors(800)))
    return file


@pytest.fixture
def store(written: Path, path: Path) -> Iterator[simonides.Store]:
    """The same, to be changed."""
    shutil.copy(written, path)
    with simonides.open(path, embedder=False, config=QUICK) as made:
        yield made


def test_a_wide_beam_answers_as_the_exhaustive_search_did(
    store: simonides.Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide(monkeypatch)
    before = answers(store)
    filtered = answers(store, filters={"metadata.group": 3})
    assert topics_of(store).rebalance() == 800
    assert list(faults(stored_of(store).tree)) == []
    assert answers(store) == before
    assert answers(store, filters={"metadata.group": 3}) == filtered


def test_a_filter_acts_before_the_cut_however_narrow_the_beam(
    store: simonides.Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = answers(store, filters={"metadata.group": 3})
    monkeypatch.setattr(rebalancing, "BEAM", 2)
    topics_of(store).rebalance()
    found = answers(store, filters={"metadata.group": 3})
    assert [len(answer) for answer in found] == [15] * 6
    assert all({name for name, _ in answer} <= {f"t{n:05d}" for n in range(3, 800, 10)} for answer in found)
    shared = [len({n for n, _ in a} & {n for n, _ in b}) for a, b in zip(found, exact, strict=True)]
    assert sum(shared) >= 0.8 * 6 * 15


def test_as_many_as_are_asked_for_come_back(store: simonides.Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebalancing, "BEAM", 1)
    topics_of(store).rebalance()
    row = vectors(1, 7)[0]
    everything = [name for name, _ in store.search_similar(row.tolist(), 800, threshold=-1.0)]
    below_zero = (vectors(800) @ row.astype(np.float32) < 0).sum()
    assert len(everything) == len(set(everything)) == 800 - below_zero


def test_the_beam_compares_few_and_says_how_many(store: simonides.Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebalancing, "BEAM", 2)
    topics_of(store).rebalance()
    with store._engine.looking(("default",)) as look:
        table = look.views["default"].vectors
        assert isinstance(table, TopicTable)
        scan = topic_beam.BeamScan(look.snapshot, table, vectors(1, 7)[0].astype(np.float32), PLAIN)
        ordinals, _ = scan.near(10, None)
        assert len(set(ordinals.tolist())) == scan.vectors_scored <= 2 * 64
        assert 0 < scan.centroids_scored <= table.folded.tree.height * 2 * 16


def test_new_vectors_are_found_at_once_and_after_the_fold(
    store: simonides.Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide(monkeypatch)
    topics_of(store).rebalance()
    answers(store)
    store.remember_many(drafts(vectors(300, 5), 800))
    before = answers(store)
    assert {name for answer in before for name, _ in answer if name >= "t00800"}
    assert topics_of(store).fold() == 300
    assert topics_of(store).fold() == 0
    tree = stored_of(store).tree
    assert (tree.size, list(faults(tree))) == (1_100, [])
    assert answers(store) == before
    assert topics_of(store).check().tail == 0


def test_folding_again_and_again_keeps_the_tree_sound(store: simonides.Store, monkeypatch: pytest.MonkeyPatch) -> None:
    wide(monkeypatch)
    topics_of(store).rebalance()
    monkeypatch.setattr(folding, "PARTS_MAX", 2)
    for n in range(5):
        store.remember_many(drafts(vectors(40, 20 + n), 800 + 40 * n))
        assert topics_of(store).fold() == 40
    tree = stored_of(store).tree
    assert (tree.size, list(faults(tree))) == (1_000, [])
    assert max(stored_of(store).parts.values()) <= 3
    head = head_of(store)
    with store._engine.database.snapshot() as snapshot:
        kept = {row.key for row in snapshot.topics.topics(head.ns, head.version)}
        leaves = {run.leaf for run in snapshot.topics.members(head.ns, head.version)}
    assert kept == {int(key) for level in tree.levels for key in level.keys}  # what lost its last member is gone
    assert leaves == set(tree.leaves.keys.tolist())
    with simonides.open(store._engine.database.path, embedder=False, config=QUICK) as other:  # type: ignore[attr-defined]  # past the types, on purpose
        assert answers(other) == answers(store)


def test_what_was_deleted_is_never_found_and_leaves_the_leaves_with_the_next_fold(
    store: simonides.Store, path: Path
) -> None:
    topics_of(store).rebalance()
    best = answers(store)[0][0][0]
    code = code_of(path, best)
    assert code in all_codes(path)
    store.delete_thought(best)
    assert best not in {name for answer in answers(store) for name, _ in answer}
    store.remember_many(drafts(vectors(1, 5), 800))
    assert topics_of(store).fold() == 1
    tree = stored_of(store).tree
    assert (tree.size, list(faults(tree))) == (800, [])
    assert code not in all_codes(path)


def code_of(path: Path, thought_id: str) -> bytes:
    connection = apsw.Connection(str(path))
    sql = "SELECT vector FROM vectors JOIN passages USING (pid) JOIN thoughts USING (tid) WHERE thought_id = ?"
    row = np.frombuffer(connection.execute(sql, (thought_id,)).fetchone()[0], np.float32)
    connection.close()
    return np.rint(row * (127 / np.abs(row).max())).astype(np.int8).tobytes()


def all_codes(path: Path) -> bytes:
    connection = apsw.Connection(str(path))
    found = b"".join(codes for (codes,) in connection.execute("SELECT codes FROM topic_leaves"))
    connection.close()
    return found


def test_a_reader_keeps_its_snapshot_while_the_tree_changes(
    store: simonides.Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide(monkeypatch)
    topics_of(store).rebalance()
    query = vectors(1, 7)[0].astype(np.float32)
    with store._engine.looking(("default",)) as look:
        table = look.views["default"].vectors
        assert isinstance(table, TopicTable)
        run_elsewhere(lambda: store.remember_many(drafts(vectors(100, 5), 800)))
        run_elsewhere(lambda: topics_of(store).rebalance())
        run_elsewhere(lambda: answers(store))
        ordinals, scores = topic_beam.BeamScan(look.snapshot, table, query, PLAIN).near(5, None)
        assert len(ordinals) == 800
        assert np.isfinite(scores).all()
        # The shelf has gone on; whoever asks with the old snapshot is told to take a new one.
        shelf = store._engine.library.shelf(table.folded.head.ns)
        assert shelf.view(look.snapshot, look.states["default"], D, None, None) is None
    assert len(stored_of(store).tree.members) == 900


def run_elsewhere(call: Callable[[], object]) -> None:
    """In another thread, which has a connection of its own."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            call()
        except BaseException as error:  # noqa: BLE001  # raised again below
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]


def killing(engine: Engine, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    """The process dies in the middle of its `at`-th transaction from now on."""
    write, count = engine.database.write, [0]

    def dying(job: Callable[[Any], Any]) -> Any:
        count[0] += 1
        if count[0] < at:
            return write(job)

        def half(tx: Any) -> Any:
            job(tx)
            raise Killed

        return write(half)

    monkeypatch.setattr(engine.database, "write", dying)


@pytest.mark.parametrize("at", [1, 2, 3, 4, 6, 7, 8, 10, 12])
def test_a_rebalance_killed_anywhere_leaves_the_old_tree_and_goes_on_when_called_again(
    store: simonides.Store, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    wide(monkeypatch)
    monkeypatch.setattr(rebalancing, "LEAVES_PER_WRITE", 8)
    topics_of(store).rebalance()
    store.remember_many(drafts(vectors(50, 5), 800))
    before, head = answers(store), head_of(store)
    with monkeypatch.context() as patch:
        killing(store._engine, patch, at)
        try:
            topics_of(store).rebalance()
            finished = True
        except Killed:
            finished = False
    assert answers(store) == before
    if at <= 6:
        assert not finished
        assert head_of(store).version == head.version
    store.remember_many(drafts(vectors(20, 6), 850))
    assert topics_of(store).rebalance() >= 850
    topics_of(store).fold()
    assert list(faults(stored_of(store).tree)) == []
    assert stored_of(store).tree.size == 870
    with store._engine.database.snapshot() as snapshot:
        now = snapshot.topics.head(head.ns)
        assert now is not None
        ns, version = head.ns, now.version
        assert snapshot.topics.work(ns) is None
        assert [v for v in range(version + 9) if snapshot.topics.names(ns, v)] == [version]
        assert [v for v in range(version + 9) if snapshot.topics.members(ns, v)] == [version]


def test_a_killed_first_build_goes_on_from_its_last_stage(
    store: simonides.Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        killing(store._engine, patch, 5)
        with pytest.raises(Killed):
            topics_of(store).rebalance()
    with store._engine.database.snapshot() as snapshot:
        work = snapshot.topics.work(1)
    assert work is not None
    assert work.stage == 3  # our name, the division, two passes; the third was lost
    heard: list[str] = []
    assert topics_of(store).rebalance(progress=lambda stage, done, total: heard.append(stage)) == 800
    assert "divide" not in heard
    assert heard.count("settle") == folding.SHAPE.passes - 2


def test_a_killed_fold_changes_nothing(store: simonides.Store, monkeypatch: pytest.MonkeyPatch) -> None:
    topics_of(store).rebalance()
    store.remember_many(drafts(vectors(100, 5), 800))
    before, head = answers(store), head_of(store)
    with monkeypatch.context() as patch:
        killing(store._engine, patch, 1)
        with pytest.raises(Killed):
            topics_of(store).fold()
    assert (answers(store), head_of(store)) == (before, head)
    assert topics_of(store).fold() == 100


def test_a_rebalance_that_another_one_took_over_stops(store: simonides.Store) -> None:
    other = topics_of(store)
    done = []

    def progress(stage: str, count: int, total: int) -> None:
        if stage == "settle" and not done:
            done.append(other.rebalance())

    with pytest.raises(StoreBusyError, match="took over"):
        topics_of(store).rebalance(progress=progress)
    assert done == [800]
    assert list(faults(stored_of(store).tree)) == []


def test_keys_and_labels_survive_a_rebalance(store: simonides.Store) -> None:
    topics_of(store).rebalance()
    first = topics_of(store).tree()
    topics_of(store).rebalance()
    second = {topic.name: topic for topic in topics_of(store).tree()}
    kept = [topic for topic in first if topic.name in second and topic.is_leaf]
    assert len(kept) > 0.7 * sum(topic.is_leaf for topic in first)
    assert first[0].name == "__root__"
    assert first[0].count == 800
    words = {word for topic in first for word in topic.label.split(" · ")}
    assert set(WORDS) <= words
    assert not words & {"and", "more", "about"}


def test_a_tree_is_listed_parents_first_and_counts_add_up(store: simonides.Store) -> None:
    topics_of(store).rebalance()
    seen: dict[str, int] = {}
    for topic in topics_of(store).tree():
        assert topic.parent is None or topic.parent in seen
        seen[topic.name] = topic.count
    children: dict[str, int] = {}
    for topic in topics_of(store).tree():
        if topic.parent is not None:
            children[topic.parent] = children.get(topic.parent, 0) + topic.count
    assert all(seen[name] == count for name, count in children.items())


def test_giving_the_tree_up_goes_back_to_the_exhaustive_search(store: simonides.Store) -> None:
    before = answers(store)
    topics_of(store).rebalance()
    answers(store)
    store._engine.database.write(lambda tx: tx.topics.clear(1))
    assert answers(store) == before
    assert not any(topic.kept for topic in topics_of(store).tree())
    assert topics_of(store).fold() == 0
    assert topics_of(store).rebalance() == 800
    assert answers(store) == before


def test_codes_of_a_tree_that_was_given_up_are_not_taken_over(
    store: simonides.Store, monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    wide(monkeypatch)
    topics_of(store).rebalance()
    answers(store)
    with simonides.open(
        path, embedder=False, config=QUICK
    ) as other:  # another process embeds everything anew: same passages
        other._engine.database.write(lambda tx: tx.topics.clear(1))
        turned = apsw.Connection(str(path))
        for pid, vector in turned.execute("SELECT pid, vector FROM vectors").fetchall():
            row = np.frombuffer(vector, np.float32)[::-1].copy()
            turned.execute("UPDATE vectors SET vector = ? WHERE pid = ?", (row.tobytes(), pid))
        turned.close()
        topics_of(other).rebalance()
    with simonides.open(path, embedder=False, config=QUICK) as fresh:
        assert answers(store) == answers(fresh)


def test_a_reopened_store_reads_only_the_leaves_it_walks(store: simonides.Store, path: Path) -> None:
    store.remember_many(drafts(vectors(800, 5), 800))
    topics_of(store).rebalance()
    store._engine.database.write(lambda tx: tx.topics.put_head(head_of(store)._replace(beam=2)))
    before = answers(store, 1)
    with simonides.open(path, embedder=False, read_only=True, config=QUICK) as other:
        assert answers(other, 1) == before
        with other._engine.looking(("default",)) as look:
            table = look.views["default"].vectors
            assert isinstance(table, TopicTable)
            assert 0 < np.count_nonzero(table.folded.codes.loaded) < len(table.folded.codes.loaded)
        with pytest.raises(StoreReadOnlyError):
            topics_of(other).rebalance()


def test_once_an_eighth_of_the_leaves_was_asked_for_the_others_are_read_as_well(store: simonides.Store) -> None:
    topics_of(store).rebalance()
    with store._engine.looking(("default",)) as look:
        table = look.views["default"].vectors
        assert isinstance(table, TopicTable)
        folded, query = table.folded, encode_query(vectors(1, 7)[0].astype(np.float32))
        codes, leaves = folded.codes, len(folded.codes.loaded)
        eighth = leaves // 8
        codes.load(look.snapshot, np.arange(eighth))
        assert np.count_nonzero(codes.loaded) == eighth
        codes.load(look.snapshot, np.arange(eighth + 1))  # just above an eighth afterwards
        assert np.count_nonzero(codes.loaded) == eighth + 1 < leaves
        codes.load(look.snapshot, np.arange(eighth + 1, eighth + 2))
        assert codes.loaded.all()
        asked = np.arange(folded.tree.size)
        pids, rows = look.snapshot.vectors_of(folded.tree.members.tolist(), D)
        cosines = dict(zip(pids.tolist(), (rows @ vectors(1, 7)[0]).tolist(), strict=True))
        wanted = [cosines[pid] for pid in folded.tree.members.tolist()]
        assert np.allclose(codes.cosines(look.snapshot, asked, query), wanted, atol=0.02)


def test_what_was_loaded_is_taken_over_when_the_tree_changes(store: simonides.Store) -> None:
    topics_of(store).rebalance()
    topics_of(store).check()
    store.search_similar(vectors(1)[0].tolist(), 800, threshold=-1.0)
    store.remember_many(drafts(vectors(3, 5), 800))
    topics_of(store).fold()
    with store._engine.looking(("default",)) as look:
        table = look.views["default"].vectors
        assert isinstance(table, TopicTable)
        assert np.count_nonzero(~table.folded.codes.loaded) <= 5


def test_a_check_measures_the_beam_and_sets_it_to_the_goal(
    store: simonides.Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = topics_of(store).check()
    assert (nothing.vectors, nothing.tail, nothing.recall, nothing.ok) == (0, 800, 1.0, True)
    monkeypatch.setattr(rebalancing, "BEAM", 1)
    topics_of(store).rebalance()
    measured = topics_of(store).check(adapt=False, sample=40)
    assert (measured.beam, measured.vectors, measured.tail, measured.problems) == (1, 800, 0, ())
    assert measured.recall < 0.9
    adapted = topics_of(store).check(goal=0.9, sample=40)
    assert adapted.recall >= 0.9
    assert head_of(store).beam == adapted.beam > 1
    assert adapted.ok


@pytest.mark.parametrize("options", [{"goal": 1.5}, {"goal": True}, {"sample": 0}, {"sample": 10**6}])
def test_a_check_refuses_what_makes_no_sense(store: simonides.Store, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidQueryError):
        topics_of(store).check(**options)


def test_writers_keep_the_tree_up(store: simonides.Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def jobs() -> dict[str, int]:
        return {kind: sum(states.values()) for kind, states in store.jobs.counts().items()}

    def write(count: int) -> None:
        first = store.count_thoughts()
        store.remember_many(drafts(vectors(count, first), first))
        rebalancing.keep_up(store._engine, "default")

    monkeypatch.setattr(folding, "TREE_FROM", 820)
    monkeypatch.setattr(rebalancing, "TREE_FROM", 820)
    monkeypatch.setattr(folding, "FOLD_FROM", 200)
    write(1)
    assert (head_of(store), jobs()) == (None, {})
    write(20)
    assert (head_of(store), jobs()) == (None, {"topics.rebalance": 1})  # asked for once there are 820
    write(829)
    assert head_of(store).built == 1_650  # nobody came: built here
    assert jobs() == {"topics.rebalance": 1, "recall.probe": 1}  # and its beam is to be measured
    assert store.jobs.run() == 2
    assert (head_of(store).version, head_of(store).built) == (3, 1_650)
    write(100)
    assert (stored_of(store).tree.size, jobs().get("topics.fold")) == (1_650, None)
    write(110)
    assert (stored_of(store).tree.size, jobs().get("topics.fold")) == (
        1_650,
        1,
    )  # asked for from 200
    write(200)
    assert stored_of(store).tree.size == 2_060  # nobody came until there were twice as many: folded here
    assert (head_of(store).built, jobs()["topics.rebalance"]) == (1_650, 1)
    write(450)
    assert (stored_of(store).tree.size, jobs()["topics.rebalance"]) == (2_510, 2)  # grown by half since it was built
    store.jobs.run()
    assert head_of(store).built == 2_510
    assert all(topic.label for topic in topics_of(store).tree() if topic.parent is not None)


def test_a_namespace_without_vectors_has_nothing_to_do(plain: simonides.Store) -> None:
    assert topics_of(plain).rebalance() == 0
    plain.remember("no vector")
    rebalancing.keep_up(plain._engine, "default")
    assert (topics_of(plain).rebalance(), topics_of(plain).fold(), topics_of(plain).tree()) == (0, 0, ())


def test_identical_vectors_make_a_tree_like_any_other(path: Path) -> None:
    row = vectors(1)[0].tolist()
    with simonides.open(path, embedder=False, config=QUICK) as store:
        store.remember_many([Draft(content=f"note {n}", vector=row) for n in range(300)])
        assert topics_of(store).rebalance() == 300
        store.remember_many([Draft(content=f"again {n}", vector=row) for n in range(300)])
        assert topics_of(store).fold() == 300
        tree = stored_of(store).tree
        assert list(faults(tree)) == []
        assert np.diff(tree.leaves.starts).max() <= 64
        assert len(store.search_similar(row, 50)) == 50


@pytest.mark.parametrize("kind", ["topics.rebalance", "topics.fold", "recall.probe"])
def test_the_queue_can_do_it(store: simonides.Store, kind: str) -> None:
    topics_of(store).rebalance()
    store.remember_many(drafts(vectors(20, 5), 800))
    job = NewJob(kind, "default", store._engine.clock(), "")
    store._engine.database.write(lambda tx: tx.jobs.put(job))
    assert store.jobs.run() == 1
    assert stored_of(store).tree.size == (800 if kind == "recall.probe" else 820)
