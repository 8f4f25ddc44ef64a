"""Field cases 34, 36. Damaged, foreign, cut, mixed-up files: a typed error, the file as it was, what can be saved."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest
from store_driver import of_version

import simonides
from simonides import Draft, StoreDamagedError, StoreError, StoreReadOnlyError
from simonides.backend.port import Transaction
from simonides.backend.rows import NewEdge
from simonides.backend.sqlite.migrate import SCHEMA_VERSION
from simonides.doctor import examine, salvage

QUIET: dict[str, Any] = {"store": {"synchronous": "NORMAL"}, "audit": {"mode": "off"}}


def fill(path: Path, count: int = 200, name: str = "good") -> None:
    with simonides.open(path, embedder="hashing:16", config=QUIET) as store:
        drafts = [Draft(content=f"{name} {n} " + "lamp river " * 20, thought_id=f"{name}{n}") for n in range(count)]
        store.remember_many(drafts)
        store.link(f"{name}0", f"{name}1")


def log_of_another(folder: Path, count: int = 30) -> bytes:
    """The write-ahead log of a store that is still open."""
    other = folder / "other"
    other.mkdir()
    with simonides.open(other / "b.db", embedder=False, config=QUIET) as store:
        store.remember_many([Draft(content=f"other {n}", thought_id=f"o{n}") for n in range(count)])
        return (other / "b.db-wal").read_bytes()


def refused(path: Path) -> str:
    """Opens a file in both ways; neither changes a byte."""
    before = {file.name: file.read_bytes() for file in path.parent.iterdir() if file.is_file()}
    messages = []
    for read_only in (False, True):
        with pytest.raises(StoreDamagedError) as caught:
            simonides.open(path, embedder=False, config=QUIET, read_only=read_only)
        messages.append(caught.value.message)
    assert {file.name: file.read_bytes() for file in path.parent.iterdir() if file.is_file()} == before
    return messages[0]


def test_random_bytes_are_refused(path: Path) -> None:
    path.write_bytes(random.Random(1).randbytes(8192))
    assert "not a Simonides store" in refused(path)
    found = examine(path)
    assert (found.opened, found.ok, found.facts["readable_thoughts"]) == (False, False, 0)


def test_an_empty_file_is_a_new_store_unless_a_log_is_beside_it(path: Path) -> None:
    path.write_bytes(b"")
    with simonides.open(path, embedder=False) as store:
        assert store.count_thoughts() == 0
    path.write_bytes(b"")
    Path(f"{path}-wal").write_bytes(b"x" * 100)
    assert "is empty but has a write-ahead log" in refused(path)
    Path(f"{path}-wal").unlink()
    with pytest.raises(StoreError):
        simonides.open(path, embedder=False, read_only=True)


def test_a_file_that_was_cut_off_is_refused(path: Path) -> None:
    fill(path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2 // 4096 * 4096])
    assert "it was cut off" in refused(path)


def test_the_log_of_another_store_is_not_played_back(path: Path, tmp_path: Path) -> None:
    fill(path)
    log = log_of_another(tmp_path)
    Path(f"{path}-wal").write_bytes(log)
    assert "log of another store" in refused(path)
    found = examine(path)
    assert (found.opened, found.facts["readable_thoughts"]) == (False, 200)
    assert Path(f"{path}-wal").read_bytes() == log
    Path(f"{path}-wal").unlink()
    with simonides.open(path, embedder=False) as store:
        assert store.count_thoughts() == 200
        assert store.verify().ok


def test_the_log_of_a_larger_store_is_not_played_back_either(path: Path, tmp_path: Path) -> None:
    fill(path, 20)
    Path(f"{path}-wal").write_bytes(log_of_another(tmp_path, 900))
    assert "log of another store" in refused(path)


def test_the_log_of_another_program_is_not_played_back(path: Path, tmp_path: Path) -> None:
    fill(path)
    other = apsw.Connection(str(tmp_path / "x.db"))
    other.execute("PRAGMA journal_mode = WAL").fetchall()
    other.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)").fetchall()
    Path(f"{path}-wal").write_bytes((tmp_path / "x.db-wal").read_bytes())
    other.close()
    for file in tmp_path.glob("x.db*"):
        file.unlink()
    refused(path)


def test_a_newer_log_is_not_played_back_over_an_older_copy(path: Path, tmp_path: Path) -> None:
    """The usual accident: a backup is put in place, the log of the file that it replaces stays."""
    fill(path)
    shutil.copy(path, tmp_path / "backup.db")
    with simonides.open(path, embedder=False, config=QUIET) as store:
        store.remember_many([Draft(content=f"folded in {n}") for n in range(100)])
        checkpoint(path)
        store.remember_many([Draft(content=f"in the log {n}") for n in range(5)])
        log = Path(f"{path}-wal").read_bytes()
    shutil.copy(tmp_path / "backup.db", path)
    (tmp_path / "backup.db").unlink()
    Path(f"{path}-wal").write_bytes(log)
    refused(path)


def test_an_older_log_is_not_played_back_over_a_newer_file(path: Path) -> None:
    fill(path)
    with simonides.open(path, embedder=False, config=QUIET) as store:
        store.remember("in the log")
        log = Path(f"{path}-wal").read_bytes()
        store.remember_many([Draft(content=f"later {n}") for n in range(100)])
    Path(f"{path}-wal").write_bytes(log)
    refused(path)


def checkpoint(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()


def test_a_stores_own_log_is_played_back_after_a_crash(path: Path, tmp_path: Path) -> None:
    """Without its shared memory too, with nothing but the log, and when only the log of searches is in it."""
    fill(path)
    with simonides.open(
        path, embedder=False, config={"store": {"synchronous": "NORMAL"}, "audit": {"mode": "sync"}}
    ) as s:
        s.recall("lamp")
        crashed(path, tmp_path / "searched.db")
        s.remember("the last word", thought_id="last")
        crashed(path, tmp_path / "wrote.db")
        s.forget(thought_ids=["good7"], reason="r")
        s.compact()
        s.remember("after compaction", thought_id="after")
        crashed(path, tmp_path / "compacted.db")
    for name, ids in (("searched", []), ("wrote", ["last"]), ("compacted", ["last", "after"])):
        with simonides.open(tmp_path / f"{name}.db", embedder=False, config=QUIET) as store:
            assert [t.thought_id for t in store.get_thoughts(ids)] == ids
            assert store.verify().problems == ()


def crashed(path: Path, copy: Path) -> None:
    shutil.copy(path, copy)
    shutil.copy(f"{path}-wal", f"{copy}-wal")


def test_a_crash_in_the_middle_of_folding_in_the_log_is_no_damage(path: Path, tmp_path: Path) -> None:
    """Pages of the log reach the file in any order; whichever have, the log goes on to count."""
    fill(path, 60)
    with simonides.open(path, embedder=False, config=QUIET) as store:
        store.remember_many([Draft(content=f"in the log {n} " + "x" * 300) for n in range(60)])
        crashed(path, tmp_path / "base.db")
    log = (tmp_path / "base.db-wal").read_bytes()
    frames = [(int.from_bytes(log[at : at + 4], "big"), log[at + 24 : at + 4120]) for at in range(32, len(log), 4120)]
    last = dict(frames)
    dice = random.Random(5)
    for n in range(12):
        copy = tmp_path / f"c{n}.db"
        data = bytearray((tmp_path / "base.db").read_bytes())
        for page, content in last.items():
            if dice.random() < n / 12:
                end = page * 4096
                data.extend(b"\x00" * max(0, end - len(data)))
                data[end - 4096 : end] = content
        copy.write_bytes(data)
        Path(f"{copy}-wal").write_bytes(log)
        with simonides.open(copy, embedder=False, config=QUIET) as store:
            assert store.count_thoughts() == 120
            assert store.verify().ok


def test_overwritten_pages_are_a_typed_error_and_never_an_empty_answer(path: Path, tmp_path: Path) -> None:
    fill(path)
    good = path.read_bytes()
    pages = len(good) // 4096
    outcomes = set()
    for first in range(1, pages - 3, max(1, pages // 40)):
        copy = tmp_path / "bad.db"
        damaged = bytearray(good)
        damaged[first * 4096 : (first + 3) * 4096] = random.Random(first).randbytes(3 * 4096)
        copy.write_bytes(damaged)
        try:
            with simonides.open(copy, embedder="hashing:16", config=QUIET) as store:
                assert store.recall("good 7 lamp").hits
                assert store.search_fts("lamp")
                assert not store.verify().ok
            outcomes.add("read")
        except StoreDamagedError:
            outcomes.add("refused")
        assert copy.read_bytes() == bytes(damaged)
        found = examine(copy)
        assert not found.ok
        assert copy.read_bytes() == bytes(damaged)
        for left in tmp_path.glob("bad.db*"):
            left.unlink()
    assert "refused" in outcomes


def test_what_is_left_can_be_saved_and_taken_in(path: Path, tmp_path: Path) -> None:
    fill(path)
    good = bytearray(path.read_bytes())
    middle = len(good) // 4096 // 2
    good[middle * 4096 : (middle + 3) * 4096] = random.Random(3).randbytes(3 * 4096)
    path.write_bytes(good)
    done = salvage(path, tmp_path / "left.jsonl")
    assert 150 <= done.lines["thought"] <= 200
    assert path.read_bytes() == bytes(good)
    with simonides.open(tmp_path / "new.db", embedder="hashing:16", config=QUIET) as store:
        taken = store.import_(tmp_path / "left.jsonl")
        assert (taken.added, taken.restored) == (done.lines["thought"], False)
        store.embed_pending()
        assert store.recall("lamp").hits
        assert store.verify().ok


def roots(path: Path) -> dict[str, tuple[int, int]]:
    """Where the uppermost page of every table and index is: name → (offset, bytes)."""
    connection = apsw.Connection(str(path))
    size = int(connection.execute("PRAGMA page_size").get)
    found = connection.execute("SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0").fetchall()
    connection.close()
    return {name: ((page - 1) * size, size) for name, page in found}


def test_memories_are_saved_when_the_way_to_them_is_gone(path: Path, tmp_path: Path) -> None:
    """Every page that leads to a row is overwritten, the first of the file among them; the rows are on their own."""
    with simonides.open(path, embedder="hashing:16", config=QUIET) as store:
        store.remember_many([Draft(content=f"note {n} " + "lamp " * 20, thought_id=f"n{n}") for n in range(300)])
        store.remember("long " * 40_000, thought_id="long", confidence=1.0, speaker="Ana", session="s")
        store.update_thought("n7", content="another text by now")
        store.link("n1", "n2", weight=1.0)
        wanted = {t.thought_id: (t.content, t.revision, t.confidence) for t in store.list_thoughts(limit=1_000)}
        store.remember("a secret", thought_id="gone")
        store.remember_many([Draft(content=f"a secret {n} " * 30, thought_id=f"gone{n}") for n in range(200)])
        store.forget(thought_ids=["gone", *(f"gone{n}" for n in range(200))], reason="asked")
    places = roots(path)
    data = bytearray(path.read_bytes())
    for name in ("versions", "thoughts", "edges", "versions_tid", "versions_current", "passages"):
        offset, size = places[name]
        data[offset : offset + size] = b"\xff" * size
    for first in (b"", b"\xff" * 4_096):
        data[: len(first)] = first
        path.write_bytes(data)
        assert examine(path).facts["readable_thoughts"] == len(wanted) == 301
        saved = salvage(path, tmp_path / "left.jsonl", overwrite=True)
        assert saved.lines["thought"] == 301
        assert path.read_bytes() == data
        with simonides.open(":memory:", embedder="hashing:16") as other:
            taken = other.import_(tmp_path / "left.jsonl")
            assert (taken.added, taken.problems) == (301, ())
            [space] = other.namespaces()
            found = other.list_thoughts(limit=1_000, namespace=space)
            assert {t.thought_id: (t.content, t.revision, t.confidence) for t in found} == wanted
            assert other.get_thought("long", namespace=space).speaker == "Ana"
            assert other.verify().ok


@pytest.mark.parametrize("seed", range(4))
def test_random_damage_saves_only_what_was_there_and_never_fails_otherwise(
    path: Path, tmp_path: Path, seed: int
) -> None:
    fill(path, 120)
    with simonides.open(path, embedder=False, config=QUIET) as store:
        known = {t.thought_id: t.content for t in store.list_thoughts(limit=1_000)}
    whole, rng, saved = path.read_bytes(), random.Random(seed), 0
    for _ in range(12):
        data = bytearray(whole)
        for _ in range(rng.choice((1, 3, 30))):
            offset, size = rng.randrange(len(data)), rng.choice((1, 16, 512, 4_096, 65_536))
            data[offset : offset + size] = rng.randbytes(len(data[offset : offset + size]))
        path.write_bytes(data)
        found = examine(path)
        try:
            salvage(path, tmp_path / "left.jsonl", overwrite=True)
        except StoreDamagedError:
            assert found.facts.get("readable_thoughts", 0) == 0
            continue
        saved += 1
        for line in (tmp_path / "left.jsonl").read_text().splitlines():
            record = json.loads(line)
            if record["record"] == "thought":
                assert record["versions"][-1]["content"] in known.values()
    assert saved


def test_a_file_that_holds_nothing_saves_nothing_and_keeps_what_was_saved_before(path: Path, tmp_path: Path) -> None:
    """Case 34."""
    target = tmp_path / "saved.jsonl"
    target.write_text("of yesterday")
    path.write_bytes(random.Random(34).randbytes(8_192))
    (tmp_path / "empty.db").touch()
    for file in (path, tmp_path / "empty.db"):
        before = file.read_bytes()
        with pytest.raises(StoreDamagedError, match="no memory that can be read"):
            salvage(file, target, overwrite=True)
        assert file.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir() if "saved" in file.name) == ["saved.jsonl"]
    assert target.read_text() == "of yesterday"
    found = examine(tmp_path / "empty.db")
    assert "is empty" in found.problems[0].message
    assert (tmp_path / "empty.db").stat().st_size == 0


def test_a_file_of_an_earlier_version_is_not_called_damaged(path: Path) -> None:
    of_version(path, 9)
    before = path.read_bytes()
    found = examine(path)
    assert (found.opened, found.hint) == (False, "open it once for writing to migrate it")
    assert [problem.message for problem in found.problems] == [
        f"'{path}' has schema 9, expected {SCHEMA_VERSION}",
    ]
    with pytest.raises(StoreReadOnlyError, match="has schema 9"):
        simonides.open(path, embedder=False, read_only=True)
    assert path.read_bytes() == before
    simonides.open(path, embedder=False).close()
    assert examine(path).ok


def test_the_doctor_says_that_a_newer_file_wants_a_newer_version(path: Path) -> None:
    fill(path, 3)
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = path.read_bytes()
    found = examine(path)
    assert (found.opened, found.hint) == (False, "upgrade simonides; the file was not touched")
    assert found.facts["readable_thoughts"] == 3
    assert path.read_bytes() == before


def test_the_doctor_finds_nothing_wrong_with_a_sound_store(path: Path) -> None:
    fill(path)
    found = examine(path)
    assert (found.opened, found.ok, found.hint) == (True, True, None)
    assert (found.facts["thoughts"], found.facts["edges"], found.facts["pending_vectors"]) == (200, 1, 0)


BREAKS = {
    "fulltext": "DELETE FROM fulltext WHERE rowid IN (3, 4)",
    "postings": "DELETE FROM lexicon_tail WHERE pid = 5",
    "vectors": "DELETE FROM vectors WHERE pid = 6",
    "wrong vector": "UPDATE vectors SET vector = x'00' WHERE pid = 6",
    "rows": "DELETE FROM passages WHERE pid = 7",
    "edges": "INSERT INTO edges SELECT 9, 1, 'x', 1, 9999, 'SUPPORTS', 1.0, 0, NULL, NULL, NULL, '{}'",
    "labels": "INSERT INTO labels VALUES (1, 'concept', 'x', 9999)",
}


@pytest.mark.parametrize("broken", BREAKS)
def test_the_doctor_finds_and_mends_what_is_derived(path: Path, broken: str) -> None:
    fill(path)
    connection = apsw.Connection(str(path))
    connection.execute(BREAKS[broken])
    connection.close()
    before = examine(path)
    assert broken.split()[-1].rstrip("s") in {problem.check.rstrip("s") for problem in before.problems}
    mended = examine(path, mend=True)
    assert mended.problems == ()
    assert "full text" in mended.repaired
    with simonides.open(path, embedder="hashing:16", config=QUIET) as store:
        store.embed_pending()
        assert store.stats().vectors == store.stats().passages == 200
        assert len(store.search_fts("lamp", 300)) == 200
        assert store.verify().ok


def test_the_doctor_sees_a_circle_of_superseding(path: Path) -> None:
    fill(path)
    with simonides.open(path, embedder=False, config=QUIET) as store:
        for newer, older in (("good1", "good2"), ("good2", "good3"), ("good4", "good1")):
            store.link(newer, older, "SUPERSEDES")

        def close(tx: Transaction) -> None:  # `link` refuses to
            ns = tx.state("default").ns
            tids = tx.tids_of(ns, ["good1", "good3"])
            tx.put_edge(NewEdge(ns, "last", tids["good3"], tids["good1"], "SUPERSEDES", 1.0, 0, None, None, None, "{}"))

        store._engine.database.write(close)
    assert [(p.check, p.message) for p in examine(path).problems] == [("edges", "SUPERSEDES runs in a circle")]


def test_a_read_only_file_recalls_and_refuses_to_write(path: Path, tmp_path: Path) -> None:
    fill(path)
    folder = tmp_path / "shelf"
    folder.mkdir()
    copy = folder / "store.db"
    shutil.copy(path, copy)
    copy.chmod(0o444)
    folder.chmod(0o555)
    try:
        with simonides.open(copy, embedder="hashing:16", config=QUIET, read_only=True) as store:
            assert store.recall("good 7").hits[0].thought.content.startswith("good")
            with pytest.raises(StoreReadOnlyError):
                store.remember("no")
            for verb in (lambda: store.forget(thought_ids=["good1"], reason="r"), store.compact, store.reembed_cancel):
                with pytest.raises(StoreReadOnlyError):
                    verb()
        assert examine(copy).ok
    finally:
        folder.chmod(0o755)


def test_another_process_may_open_and_close_while_this_one_opens_again(path: Path) -> None:
    """Looking at a file must not drop the locks of a handle that is open here: the other would fold in our log."""
    fill(path, 5)
    code = "import sys, simonides; simonides.open(sys.argv[1], embedder=False).close()"
    with simonides.open(path, embedder=False, config=QUIET) as store:
        store.remember("one", thought_id="one")
        simonides.open(path, embedder=False, config=QUIET)
        subprocess.run([sys.executable, "-c", code, str(path)], check=True)
        assert os.path.exists(f"{path}-wal")
        store.remember("two", thought_id="two")
        with simonides.open(path, embedder=False, config=QUIET) as other:
            assert len(other.get_thoughts(["one", "two"])) == 2
