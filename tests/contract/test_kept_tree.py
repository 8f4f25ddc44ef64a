"""A topic tree kept in the file for the next process: the tree of the rows, whatever changed in between."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

import simonides
from simonides.doctor import examine
from simonides.index import shelf
from simonides.index.kept import pack_tree, unpack_tree
from simonides.index.topics import TopicTable, stored_tree
from simonides.read.legs import topic_beam
from simonides.topics.tree import Shape, Tree
from simonides.upkeep import topics as folding
from simonides.upkeep.topics import fold

D = 24
QUICK = {"store": {"synchronous": "NORMAL"}, "audit": {"mode": "off"}}


@pytest.fixture(autouse=True)
def every_tree_is_kept_and_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "KEPT_FROM", 1)
    monkeypatch.setattr(folding, "RESETTLED_FROM", 0)
    monkeypatch.setattr(topic_beam, "EXACT_MAX", 0)
    monkeypatch.setattr(topic_beam, "TREE_FROM", 0)


def rows_of(count: int, seed: int) -> np.ndarray:
    """Unit rows around eight centres."""
    chance = np.random.default_rng(seed)
    rows = np.random.default_rng(99).standard_normal((8, D))[np.arange(count) % 8]
    rows = rows + chance.standard_normal((count, D)) * 0.7
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def write(store: simonides.Store, count: int, seed: int) -> list[str]:
    drafts = [
        simonides.Draft(content=f"note {seed} {n} of trains", thought_id=f"t{seed}-{n}", vector=row.tolist())
        for n, row in enumerate(rows_of(count, seed))
    ]
    store.remember_many(drafts)
    return [f"t{seed}-{n}" for n in range(count)]


def answers(store: simonides.Store) -> list[list[tuple[str, float]]]:
    return [store.search_similar(row.tolist(), 15, threshold=-1.0) for row in rows_of(6, 7)]


def run(path: Path, *statements: str) -> list[Any]:
    connection = apsw.Connection(str(path))
    found = [connection.execute(statement).fetchall() for statement in statements]
    connection.close()
    return found


def kept(path: Path) -> list[tuple[int, int, int]]:
    """Namespace number, version and epoch of every kept tree."""
    found: list[tuple[int, int, int]] = run(path, "SELECT DISTINCT ns, version, epoch FROM kept_trees ORDER BY ns")[0]
    return found


def heads(path: Path) -> list[tuple[int, int, int]]:
    found: list[tuple[int, int, int]] = run(path, "SELECT ns, version, epoch FROM topic_trees ORDER BY ns")[0]
    return found


def same(one: Tree, other: Tree) -> bool:
    names = ("keys", "centroids", "lengths", "counts", "starts")
    return (
        len(one.levels) == len(other.levels)
        and np.array_equal(one.members, other.members)
        and one.next_key == other.next_key
        and all(
            np.array_equal(getattr(a, name), getattr(b, name))
            for a, b in zip(one.levels, other.levels, strict=True)
            for name in names
        )
    )


def walked(store: simonides.Store) -> Tree:
    """The tree that this process has in memory."""
    with store._engine.looking((store.namespace,)) as look:
        table = look.views[store.namespace].vectors
        assert isinstance(table, TopicTable)
        return table.folded.tree


def of_rows(store: simonides.Store) -> Tree:
    with store._engine.database.snapshot() as snapshot:
        head = snapshot.topics.head(snapshot.state(store.namespace).ns)
        assert head is not None
        return stored_tree(snapshot, head)


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A store of 300 thoughts with a tree that is kept."""
    path = tmp_path / "store.db"
    with simonides.open(path, embedder=False, config=QUICK) as store:
        write(store, 300, 1)
        store.topics.rebalance()
        answers(store)
    assert kept(path) == heads(path) == [(1, 1, 1)]
    return path


KILLED = """
import os, sys, simonides
import numpy as np
sys.path.insert(0, sys.argv[2])
import test_kept_tree as helper
from simonides.index import shelf
shelf.KEPT_FROM = 1
store = simonides.open(sys.argv[1], embedder=False, config=helper.QUICK)
helper.answers(store)
helper.write(store, 20, int(sys.argv[3]))
helper.fold(store._engine, "default")
helper.answers(store)
os._exit(0)
"""


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_tree_of_the_rows_whatever_happens(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    path, plain = tmp_path / "store.db", tmp_path / "plain.db"
    believed = 0
    with simonides.open(path, embedder=False, config=QUICK) as store:
        known = write(store, 200, 1_000)
        store.topics.rebalance()
    for turn in range(12):
        with simonides.open(path, embedder=False, config=QUICK) as store:
            what = chance.choice(["nothing", "write", "fold", "foreign", "killed", "rebalance", "forget", "delete"])
            if chance.random() < 0.5:
                answers(store)
            if what in ("write", "fold"):
                known += write(store, 40, turn)
            if what == "fold":
                fold(store._engine, "default")
            if what == "foreign":
                with simonides.open(path, embedder=False, config=QUICK) as other:
                    known += write(other, 30, turn)
                    fold(other._engine, "default")
                    answers(other)
            if what == "rebalance":
                store.topics.rebalance()
            if what == "forget":
                store.forget(thought_ids=[known.pop(chance.randrange(len(known)))], reason="asked to")
                if chance.random() < 0.7:
                    fold(store._engine, "default")
            if what == "delete":
                store.delete_thought(known.pop(chance.randrange(len(known))))
                fold(store._engine, "default")
            if chance.random() < 0.7:
                answers(store)
                assert same(walked(store), of_rows(store))
        if what == "killed":
            code = [sys.executable, "-c", KILLED, str(path), str(Path(__file__).parent), str(turn)]
            subprocess.run(code, check=True, timeout=120)
            known += [f"t{turn}-{n}" for n in range(20)]
        assert set(kept(path)) <= set(heads(path))  # what is kept is of the tree in use
        believed += bool(kept(path))
        shutil.copyfile(path, plain)
        run(plain, "DELETE FROM kept_trees")
        with (
            simonides.open(path, embedder=False, config=QUICK, read_only=True) as one,
            simonides.open(plain, embedder=False, config=QUICK) as other,
        ):
            assert answers(one) == answers(other)
            assert same(walked(one), walked(other))
        assert examine(path).problems == ()
    assert believed >= 4


def test_it_is_written_once_and_gone_with_the_next_change(made: Path) -> None:
    first = run(made, "SELECT rowid, * FROM kept_trees")
    with simonides.open(made, embedder=False, config=QUICK) as store:
        answers(store)
        write(store, 5, 2)  # a tail is no change of the tree
        answers(store)
    assert run(made, "SELECT rowid, * FROM kept_trees") == first
    with simonides.open(made, embedder=False, config=QUICK) as store:
        fold(store._engine, "default")
        assert kept(made) == []
        answers(store)
    assert kept(made) == heads(made) == [(1, 1, 2)]


def test_damaged_torn_and_foreign_bytes_are_not_believed(made: Path, tmp_path: Path) -> None:
    with simonides.open(made, embedder=False, config=QUICK, read_only=True) as store:
        right, tree = answers(store), walked(store)
    other = tmp_path / "other.db"
    with simonides.open(other, embedder=False, config=QUICK) as store:
        write(store, 300, 5)
        store.topics.rebalance()
        answers(store)
    wrongs = {
        "a byte": "UPDATE kept_trees SET columns = "
        "CAST(substr(columns, 1, 4000) || x'ff' || substr(columns, 4002) AS BLOB)",
        "half": "UPDATE kept_trees SET columns = substr(columns, 1, length(columns) / 2)",
        "none": "UPDATE kept_trees SET columns = x''",
        "an earlier epoch": "UPDATE kept_trees SET epoch = 0",
    }
    for name, statement in wrongs.items():
        path = tmp_path / f"{name}.db"
        shutil.copyfile(made, path)
        run(path, statement)
        with simonides.open(path, embedder=False, config=QUICK, read_only=True) as store:
            assert answers(store) == right, name
            assert same(walked(store), tree), name
        assert [problem.check for problem in examine(path).problems] == ["topics"], name
    run(made, "DELETE FROM kept_trees", f"ATTACH '{other}' AS o", "INSERT INTO kept_trees SELECT * FROM o.kept_trees")
    assert [problem.check for problem in examine(made).problems] == ["topics"]  # sound, but of other rows
    examine(made, mend=True)
    assert examine(made).problems == ()
    assert kept(made) == []


def test_what_is_forgotten_takes_the_tree_along_until_a_fold_has_taken_it_out(made: Path) -> None:
    gone = rows_of(300, 1)[3].astype("<f4").tobytes()
    with simonides.open(made, embedder=False, config=QUICK) as store:
        answers(store)
        store.forget(thought_ids=["t1-3"], reason="asked to")
        assert kept(made) == []
        answers(store)
    assert kept(made) == []  # the tree in memory still counted it
    with simonides.open(made, embedder=False, config=QUICK) as store:
        fold(store._engine, "default")
        answers(store)
    assert kept(made) == heads(made)
    assert gone not in run(made, "SELECT columns FROM kept_trees")[0][0][0]
    with simonides.open(made, embedder=False, config=QUICK) as store:
        store.purge(namespace="default", confirm="default")
    assert kept(made) == []


def test_parts_make_a_whole(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from simonides.backend.sqlite import kept as rows

    with simonides.open(made, embedder=False, config=QUICK, read_only=True) as store:
        right = answers(store)
    monkeypatch.setattr(rows, "PART_BYTES", 200)
    run(made, "DELETE FROM kept_trees", "DELETE FROM catalogues")
    with simonides.open(made, embedder=False, config=QUICK) as store:
        assert answers(store) == right
        tree = walked(store)
    assert run(made, "SELECT count(*) > 10 FROM kept_trees", "SELECT count(*) > 2 FROM catalogues") == [[(1,)], [(1,)]]
    monkeypatch.undo()
    monkeypatch.setattr(topic_beam, "EXACT_MAX", 0)
    monkeypatch.setattr(topic_beam, "TREE_FROM", 0)
    with simonides.open(made, embedder=False, config=QUICK, read_only=True) as store:
        with store._engine.database.snapshot() as snapshot:
            head = snapshot.topics.head(1)
            assert head is not None
            body = snapshot.kept.tree(1, head.version, head.epoch)
        assert body is not None
        assert bytes(body) == pack_tree(tree)
        again = unpack_tree(body, head, Shape())
        assert again is not None
        assert same(again, tree)
        assert answers(store) == right
    run(made, "DELETE FROM kept_trees WHERE part = 3")
    assert [problem.check for problem in examine(made).problems] == ["topics"]


def test_a_small_tree_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    path = tmp_path / "store.db"
    with simonides.open(path, embedder=False, config=QUICK) as store:
        write(store, 300, 1)
        store.topics.rebalance()
        answers(store)
    assert kept(path) == []
