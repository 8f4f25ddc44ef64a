"""Columns kept in the file for the next process: the same answers as from the rows, whatever changed in between."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

import simonides
from simonides.backend.sqlite import snapshot
from simonides.doctor import examine
from simonides.index import shelf

WORDS = ["tea", "kettle", "harbour", "lamp", "violin", "garden", "letter", "snow", "market", "bridge", "clock", "river"]
QUESTIONS = ("tea in the garden", "lamp", "violin letter from the market", "snow on the bridge?")


@pytest.fixture(autouse=True)
def every_catalogue_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "KEPT_FROM", 1)


def kept(path: Path) -> dict[int, int]:
    """Namespace number → seq."""
    connection = apsw.Connection(str(path))
    found = dict(connection.execute("SELECT ns, max(seq) FROM catalogues GROUP BY ns").fetchall())
    connection.close()
    return found


def run(path: Path, *statements: str) -> None:
    connection = apsw.Connection(str(path))
    for statement in statements:
        connection.execute(statement).fetchall()
    connection.close()


def answers(store: simonides.Store) -> list[list[tuple[str, float]]]:
    said = []
    for namespace in ("ana", "ben"):
        for question in QUESTIONS:
            hits = store.recall(question, namespace=namespace).hits
            said.append([(hit.thought_id, hit.score) for hit in hits])
        said.append([(t, 0.0) for t, _ in store.search_fts(QUESTIONS[0], namespace=namespace)])
    return said


def change(store: simonides.Store, chance: random.Random, known: list[tuple[str, str]]) -> None:
    what = chance.random()
    if what < 0.5 or len(known) < 5:
        namespace = chance.choice(["ana", "ben"])
        session = chance.choice([None, "s1", "s2"])
        speaker = None if session is None else chance.choice(["Mia", "Tom"])
        text = " ".join(chance.choices(WORDS, k=chance.randrange(1, 9)))
        made = store.remember(text, namespace=namespace, session=session, speaker=speaker)
        known.append((namespace, made.thought_id))
        return
    namespace, thought_id = known[chance.randrange(len(known))]
    if what < 0.65:
        store.update_thought(thought_id, content=" ".join(chance.choices(WORDS, k=6)), namespace=namespace)
    elif what < 0.75:
        store.update_thought(thought_id, priority=chance.choice(["P1", "P4"]), namespace=namespace)
    elif what < 0.85:
        store.archive_thought(thought_id, namespace=namespace)
    else:
        known.remove((namespace, thought_id))
        if what < 0.93:
            store.delete_thought(thought_id, namespace=namespace)
        else:
            store.forget(thought_ids=[thought_id], namespace=namespace, reason="asked to")


@pytest.mark.parametrize("seed", range(4))
def test_answers_are_those_of_a_store_that_reads_its_rows(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    path, plain = tmp_path / "store.db", tmp_path / "plain.db"
    known: list[tuple[str, str]] = []
    restored = 0
    for _ in range(12):
        with simonides.open(path, embedder="hashing:32") as store:
            for _ in range(chance.choice([0, 1, 30])):
                change(store, chance, known)
            if chance.random() < 0.7:
                answers(store)  # then there is a catalogue to keep
            for _ in range(chance.choice([0, 0, 5])):
                change(store, chance, known)
        restored += bool(kept(path))
        shutil.copyfile(path, plain)
        run(plain, "DELETE FROM catalogues")
        with simonides.open(path, embedder="hashing:32") as one, simonides.open(plain, embedder="hashing:32") as other:
            assert answers(one) == answers(other)
        assert examine(path).problems == ()
    assert restored >= 6


def test_it_is_written_when_the_store_is_closed_and_much_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with simonides.open(path, embedder=False) as store:
        for n in range(40):
            store.remember(f"tea number {n}")
    first = kept(path)
    assert len(first) == 1
    with simonides.open(path, embedder=False) as store:
        store.remember("one more tea")
        store.recall("tea")
    assert kept(path) == first  # an eighth is 5
    with simonides.open(path, embedder=False) as store:
        for n in range(6):
            store.remember(f"another tea {n}")
        store.recall("tea")
    assert kept(path)[1] > first[1]


def test_who_writes_much_and_asks_nothing_keeps_it_for_who_asks_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelf, "KEPT_FROM", 20)
    path = tmp_path / "store.db"

    def write(numbers: range) -> None:
        with simonides.open(path, embedder=False) as store:
            for n in numbers:
                store.remember(f"tea number {n}")

    write(range(19))
    assert kept(path) == {}
    write(range(19, 200))
    first = kept(path)
    assert first[1] == 200  # its seq: every thought is one change
    write(range(200, 221))
    assert kept(path) == first  # an eighth is 27
    write(range(221, 240))
    assert kept(path) == first  # one process wrote fewer than 20
    write(range(240, 260))
    assert kept(path)[1] == 260
    with simonides.open(path, embedder=False) as store:
        assert store.recall("number 77").hits[0].thought.content == "tea number 77"
        assert store.count_thoughts() == 260
    assert examine(path).problems == ()


@pytest.mark.parametrize("portion", [1, 7, 10, 11])
def test_rows_that_come_in_portions_are_all_there_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, portion: int
) -> None:
    monkeypatch.setattr(snapshot, "PORTION", portion)
    with simonides.open(tmp_path / "store.db", embedder=False) as store:
        names = [store.remember(f"tea number {n}").thought_id for n in range(10)]
    with simonides.open(tmp_path / "store.db", embedder=False) as store:
        assert sorted(hit.thought_id for hit in store.recall("tea", top_k=20).hits) == sorted(names)


def test_a_process_that_ends_without_closing_keeps_it_too(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    code = (
        "import simonides, sys; from simonides.index import shelf; shelf.KEPT_FROM = 1\n"
        "store = simonides.open(sys.argv[1], embedder=False); store.remember('tea'); store.recall('tea')"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True, timeout=120)
    assert len(kept(path)) == 1


def test_what_is_forgotten_takes_the_columns_along(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with simonides.open(path, embedder=False) as store:
        gone = store.remember("tea with Ana", namespace="ana")
        store.remember("tea with Ben", namespace="ben")
        store.recall("tea", namespace="ana")
        store.recall("tea", namespace="ben")
    assert set(kept(path)) == {1, 2}
    with simonides.open(path, embedder=False) as store:
        store.recall("tea", namespace="ana")  # a catalogue of before, in memory
        store.forget(thought_ids=[gone.thought_id], namespace="ana", reason="asked to")
    assert set(kept(path)) == {2}
    with simonides.open(path, embedder=False) as store:
        store.purge(namespace="ben", confirm="ben")
    assert kept(path) == {}


def test_damaged_columns_are_not_believed_and_repaired(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with simonides.open(path, embedder=False) as store:
        first = [store.remember(f"tea {word}").thought_id for word in WORDS]
        right = [hit.score for hit in store.recall("tea lamp").hits]
    run(path, "UPDATE catalogues SET columns = CAST(substr(columns, 1, 40) || x'ff' || substr(columns, 42) AS BLOB)")
    with simonides.open(path, embedder=False, read_only=True) as store:
        assert [hit.score for hit in store.recall("tea lamp").hits] == right
    [problem] = examine(path).problems
    assert problem.check == "catalogue"
    examine(path, mend=True)
    assert examine(path).problems == ()
    assert kept(path) == {}
    with simonides.open(path, embedder=False) as store:
        assert {hit.thought_id for hit in store.recall("tea", top_k=20).hits} == set(first)
    assert len(kept(path)) == 1


def test_columns_that_are_not_of_the_rows_are_found(tmp_path: Path) -> None:
    path, other = tmp_path / "store.db", tmp_path / "other.db"
    for where, words in ((path, "tea"), (other, "milk and tea")):
        with simonides.open(where, embedder=False) as store:
            store.remember(words)
            store.recall("tea")
    run(path, "DELETE FROM catalogues", f"ATTACH '{other}' AS o", "INSERT INTO catalogues SELECT * FROM o.catalogues")
    assert [problem.check for problem in examine(path).problems] == ["catalogue"]


def test_an_older_catalogue_does_not_take_the_place_of_a_newer_one(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    slow = simonides.open(path, embedder=False)
    slow.remember("tea")
    slow.recall("tea")
    with simonides.open(path, embedder=False) as quick:
        quick.remember("more tea")
        quick.recall("tea")
    newer = kept(path)
    slow.close()
    assert kept(path) == newer
