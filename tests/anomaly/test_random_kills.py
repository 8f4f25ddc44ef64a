"""Field cases 22, 32 and 36: whole-store work that is killed at random moments, again and again. The store is sound
after every kill, and the work comes to the end that it would have had.

A child announces that it begins and is killed a random time later; the last one is left alone. `SIMONIDES_KILLS` asks
for more rounds than the few of every run, `SIMONIDES_KILL_SEED` for other moments.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import simonides
from simonides import Draft, doctor

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
KILLS = int(os.environ.get("SIMONIDES_KILLS", "2"))
TRIES_MAX = 3 * KILLS + 3  # a child may be quicker than the rehearsal
SEED = int(os.environ.get("SIMONIDES_KILL_SEED", "65"))
WAIT_S = 120
SIZE = 400
QUIET = {"store": {"synchronous": "NORMAL"}, "audit": {"mode": "off"}, "embedding": {"batch": 16}}
HEAD = """
import sys, simonides
from simonides.backend.sqlite import journal, migrate
from simonides.exchange import take_in
from simonides.reflect import consolidate
from simonides.upkeep import conflicts
from simonides.write import forget
forget.BATCH, take_in.BATCH, journal.BATCH, consolidate.BATCH, conflicts.BATCH = 20, 20, 20, 2, 10
config = {"store": {"synchronous": "NORMAL"}, "audit": {"mode": "off"}, "embedding": {"batch": 16}}
path, other = sys.argv[1:3]
"""
WORK = {
    "reembed": """
with simonides.open(path, embedder=False, config=config) as store:
    print("begin", flush=True)
    store.reembed("hashing:24")
""",
    "reembed in the background": """
with simonides.open(path, embedder=False, config=config) as store:
    print("begin", flush=True)
    store.reembed("hashing:24", background=True)
    store.reembed_wait()
""",
    "import": """
with simonides.open(path, embedder=False, config=config) as store:
    print("begin", flush=True)
    store.import_(other)
""",
    "purge": """
with simonides.open(path, embedder=False, config=config) as store:
    print("begin", flush=True)
    if "ben" in store.namespaces():
        store.purge(namespace="ben", confirm="ben")
""",
    "backup": """
with simonides.open(path, embedder=False, config=config) as store:
    print("begin", flush=True)
    store.backup(other, overwrite=True)
""",
    "compact": """
with simonides.open(path, embedder=False, config=config) as store:
    print("begin", flush=True)
    store.compact()
""",
    "prune": """
with simonides.open(path, embedder=False, config=config) as store:
    print("begin", flush=True)
    store.log.prune_journal()
""",
    "consolidate": """
with simonides.open(path, embedder=False, config=config) as store:
    print("begin", flush=True)
    store.consolidate()
""",
    "consolidate as a job": """
with simonides.open(path, embedder=False, config=config) as store:
    store._engine.database.write(lambda tx: tx._connection.execute("UPDATE jobs SET lease_until = 0"))
    print("begin", flush=True)
    store.consolidate(background=True)
    store.jobs.run()
""",
    "conflict scan": """
with simonides.open(path, embedder=False, config=config) as store:
    print("begin", flush=True)
    store.conflicts.scan()
""",
    "index of other rules": """
print("begin", flush=True)
with simonides.open(path, embedder=False, config={**config, "text": {"language": "german"}}) as store:
    pass
""",
    "repair": """
from simonides import doctor
print("begin", flush=True)
doctor.examine(path, mend=True)
""",
    "export": """
with simonides.open(path, embedder=False, config=config) as store:
    print("begin", flush=True)
    store.export(other, overwrite=True)
""",
    "import of a conversation": """
from simonides.sources import import_into
with simonides.open(path, embedder=False, config={**config, "store": {"synchronous": "NORMAL", "chunk": 20}}) as store:
    print("begin", flush=True)
    import_into(store, other)
""",
    "migration": """
version, scripts = migrate.SCHEMA_VERSION, migrate.scripts()
LATER = '''-- rewrites
-- step
CREATE TABLE later (vid INTEGER PRIMARY KEY, words INTEGER NOT NULL) STRICT;
-- step: repeat
INSERT INTO later SELECT vid, length(content) FROM versions v
WHERE v.vid > (SELECT ifnull(max(vid), 0) FROM later) ORDER BY v.vid LIMIT 10;
-- step
CREATE INDEX later_words ON later (words);
'''
migrate.SCHEMA_VERSION, migrate.scripts = version + 1, lambda: {**scripts, version + 1: LATER}
print("begin", flush=True)
with simonides.open(path, embedder=False, config=config) as store:
    store.remember("written after the migration", thought_id="after")
""",
}


def filled(path: Path) -> None:
    with simonides.open(path, embedder="hashing:16", config=QUIET) as store:
        for name in ("default", "ben"):
            drafts = [Draft(content=f"note {n} of {name}", thought_id=f"t{n}", session="s") for n in range(SIZE // 2)]
            store.remember_many(drafts, namespace=name)
        for n in range(0, SIZE // 2, 4):
            store.update_thought(f"t{n}", content=f"changed note {n}")


THINGS = ("door code", "gate code", "locker key", "bus line", "shelf", "hotel room")
OWNERS = ("Ana", "Ben", "Chen", "Dora", "Emil", "Fay", "Gil", "Hana")


def talkative(path: Path) -> None:
    """Statements on forty-eight matters, of which each is said three times and once otherwise, with vectors."""
    rng = random.Random(59)
    with simonides.open(path, embedder=False, config=QUIET) as store:
        drafts = []
        for n, (owner, thing) in enumerate(itertools.product(OWNERS, THINGS)):
            for m, text in enumerate(("is", "is still", "is certainly", "is now")):
                vector = [rng.gauss(0, 0.08) for _ in range(24)]
                vector[n % 24] += 1.0 + 0.5 * (n < 24)
                vector[(n + 7) % 24] += 1.0 * (n >= 24)
                said = f"The number of {owner}'s {thing} {text} {700 + n if m < 3 else 900 - n}"
                drafts.append(Draft(content=said, thought_id=f"{owner}-{n}-{m}", vector=vector))
        store.remember_many(drafts)
        store.consolidate()
        for n in range(0, len(drafts), 5):
            name = drafts[n].thought_id
            store.update_thought(name, content=f"{drafts[n].content}, {n}", vector=drafts[-1 - n].vector)
        for reflection in store.list_thoughts(filters={"thought_type": "REFLECTION"})[::2]:
            store.delete_thought(reflection.thought_id)


def reflected(path: Path) -> list[object]:
    """All that consolidation writes, without when."""
    with simonides.open(path, embedder=False, config=QUIET) as store:
        found = store.list_thoughts(filters={"thought_type": "REFLECTION"}, limit=10_000)
        edges = sorted((e.from_id, e.to_id) for e in store.edges() if e.edge_type == "CONSOLIDATED_FROM")
        assert not store.consolidate(dry_run=True).changed
        assert all(job.state == "done" for job in store.jobs.list())
        with store._engine.database.snapshot() as snapshot:
            left = snapshot._connection.execute("SELECT count(*) FROM meta WHERE key LIKE 'consol%'").fetchone()
        assert left == (0,)
        return [sorted((t.thought_id, t.content, t.essence, str(t.metadata)) for t in found), edges]


def disputed(path: Path) -> list[object]:
    """All that a scan of conflicts writes, without ids and when."""
    with simonides.open(path, embedder=False, config=QUIET) as store:
        assert store.conflicts.scan().thoughts == 0
        found = store.conflicts.list(limit=10_000)
        return sorted((c.older.thought_id, c.newer.thought_id, str(c.found), str(c.status)) for c in found)


RESULTS: dict[str, Callable[[Path], list[object]]] = {
    "consolidate": reflected, "consolidate as a job": reflected, "conflict scan": disputed,
}  # fmt: skip


@pytest.mark.parametrize("work", RESULTS)
def test_killed_at_random_moments_it_comes_to_what_an_undisturbed_run_comes_to(work: str, tmp_path: Path) -> None:
    path, calm = tmp_path / "store.db", tmp_path / "calm.db"
    talkative(path)
    shutil.copy(path, calm)
    long = run(work, calm, calm, None)[1]
    expected = RESULTS[work](calm)
    assert expected
    kill(work, path, path, long, random.Random(f"{SEED} {work}"), 2 * KILLS)
    run(work, path, path, None)
    sound(path)
    assert RESULTS[work](path) == expected


def run(work: str, path: Path, other: Path, kill_after_s: float | None) -> tuple[bool, float]:
    """Does a work in a child; kills it so long after it has begun. Whether it was killed, and the seconds it had."""
    with subprocess.Popen(
        [sys.executable, "-c", HEAD + WORK[work], str(path), str(other)], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline().strip() == "begin"
        began = time.perf_counter()
        if kill_after_s is not None:
            time.sleep(kill_after_s)
            with suppress(ProcessLookupError):
                os.kill(child.pid, signal.SIGKILL)
        code = child.wait(WAIT_S)
        assert code in ((0,) if kill_after_s is None else (0, -signal.SIGKILL))
        return code != 0, time.perf_counter() - began


def kill(work: str, path: Path, other: Path, long: float, rng: random.Random, times: int) -> None:
    """Kills a work at random moments until it was killed so often, or has been tried so often; once at least."""
    before, killed = path.with_name("before-the-kills.db"), 0
    shutil.copy(path, before)
    for _ in range(TRIES_MAX):
        struck, took = run(work, path, other, rng.uniform(0, long))
        killed += struck
        if work != "migration":  # whose version nobody here can open
            sound(path)
        if killed == times:
            break
        if not killed:  # it was done before it could be killed: once more, and sooner
            shutil.copy(before, path)
            long = min(long, took) / 2
    assert killed


def duration(work: str, path: Path, other: Path) -> float:
    """About how long the work takes here and now, on a copy."""
    copy = path.with_name("rehearsal.db")
    shutil.copy(path, copy)
    target = path.with_name("rehearsal-copy.db") if work == "backup" else other
    return run(work, copy, target, None)[1]


def sound(path: Path) -> None:
    """Opens, verifies, answers; and the doctor finds nothing but work that is to go on."""
    with simonides.open(path, embedder=False, config=QUIET) as store:
        assert store.verify().problems == ()
        store.recall("note 3")
    left = [p for p in doctor.examine(path).problems if p.check != "unfinished"]
    assert left == []


def ended_reembed(path: Path, other: Path) -> None:
    with simonides.open(path, embedder="hashing:24", config=QUIET) as store:
        found = store.stats()
        assert (found.model_id, found.vectors, found.pending_embeddings) == ("hashing:24", found.passages, 0)
        assert "vector" in store.recall("note 3").backends_used


def ended_import(path: Path, other: Path) -> None:
    again = path.with_name("again.jsonl")
    with simonides.open(path, embedder=False, config=QUIET) as store:
        store.export(again, overwrite=True)
    one, two = (file.read_bytes().split(b"\n")[1:] for file in (other, again))
    assert one == two


def ended_purge(path: Path, other: Path) -> None:
    with simonides.open(path, embedder=False, config=QUIET) as store:
        assert store.namespaces() == ["default"]
        assert store.count_thoughts() == SIZE // 2
        assert store.search_fts("ben", namespace="ben") == []


def ended_backup(path: Path, other: Path) -> None:
    sound(other)
    with simonides.open(other, embedder=False, config=QUIET) as store:
        assert store.count_thoughts() == SIZE // 2
    assert sorted(file.name for file in path.parent.iterdir() if "partial" in file.name) == []


def ended_compact(path: Path, other: Path) -> None:
    with simonides.open(path, embedder=False, config=QUIET) as store:
        assert store.count_thoughts() == SIZE // 2


def ended_prune(path: Path, other: Path) -> None:
    with simonides.open(path, embedder=False, config=QUIET) as store:
        assert [(change.kind) for change in store.changes()] == []
        assert [entry.revision for entry in store.history("t4")] == [2]
        assert store.log.seals()[0].pruned


def ended_index(path: Path, other: Path) -> None:
    """A look with the rules of before, between two kills, makes it again each time."""
    with simonides.open(path, embedder=False, config=QUIET) as store:
        assert len(store.search_fts("note", top_k=SIZE)) == SIZE // 2
        assert store.verify().problems == ()


def ended_repair(path: Path, other: Path) -> None:
    with simonides.open(path, embedder=False, config=QUIET) as store:
        assert len(store.search_fts("note", top_k=SIZE)) == SIZE // 2
    assert doctor.examine(path).problems == ()


def ended_export(path: Path, other: Path) -> None:
    with simonides.open(":memory:", embedder=False) as store:
        assert store.import_(other).problems == ()
        assert store.count_thoughts() == SIZE // 2
    assert [file.name for file in path.parent.iterdir() if "partial" in file.name] == []


def ended_conversation(path: Path, other: Path) -> None:
    with simonides.open(path, embedder=False, config=QUIET) as store:
        spoken = store.list_thoughts(filters={"speaker": "Nora"}, limit=1_000)
        assert [thought.content for thought in spoken] == [f"line {n}" for n in range(200)]
        assert len(store.edges(limit=1_000)) == SIZE // 2 - 1 + 199


ENDS: dict[str, Callable[[Path, Path], None]] = {
    "reembed": ended_reembed, "reembed in the background": ended_reembed, "import": ended_import,
    "purge": ended_purge, "backup": ended_backup, "compact": ended_compact, "prune": ended_prune,
    "index of other rules": ended_index, "repair": ended_repair, "export": ended_export,
    "import of a conversation": ended_conversation,
}  # fmt: skip


@pytest.mark.parametrize("work", ENDS)
def test_work_that_is_killed_at_random_moments_comes_to_its_end(work: str, tmp_path: Path) -> None:
    path, other = tmp_path / "store.db", tmp_path / "other.db"
    filled(path)
    if work == "import":
        other = tmp_path / "export.jsonl"
        with simonides.open(path, embedder=False, config=QUIET) as store:
            store.export(other)
        path = tmp_path / "fresh.db"
        simonides.open(path, embedder=False, config=QUIET).close()
    if work == "import of a conversation":
        other = tmp_path / "talk.jsonl"
        turns = [{"thought_id": f"l{n}", "content": f"line {n}", "speaker": "Nora", "session": "t"} for n in range(200)]
        other.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    if work == "prune":
        with simonides.open(path, embedder=False, config=QUIET) as store:
            store.log.seal()
    kill(work, path, other, duration(work, path, other), random.Random(f"{SEED} {work}"), KILLS)
    run(work, path, other, None)
    sound(path)
    ENDS[work](path, other)


def test_a_migration_that_is_killed_at_random_moments_comes_to_its_end(tmp_path: Path) -> None:
    """A version to come rewrites in batches; the file is of that version then, and a copy of the old one is kept."""
    path = tmp_path / "store.db"
    filled(path)
    shutil.copy(path, tmp_path / "before.db")
    with simonides.open(path, embedder=False, config=QUIET) as store:
        version = store.stats().schema_version
    kill("migration", path, path, duration("migration", path, path), random.Random(SEED), KILLS)
    run("migration", path, path, None)
    with pytest.raises(simonides.StoreTooNewError):
        simonides.open(path)
    check = (
        HEAD
        + WORK["migration"]
        + """
    assert store.verify().problems == (), store.verify().problems
    assert store.count_thoughts() == WANTED and store.stats().schema_version == migrate.SCHEMA_VERSION
    with store._engine.database.snapshot() as snapshot:
        counted = snapshot._connection.execute(
            "SELECT count(*), (SELECT count(*) FROM versions WHERE vid <= (SELECT max(vid) FROM later)) FROM later"
        ).fetchone()
        assert counted[0] == counted[1] > 0, counted
"""
    ).replace("WANTED", str(SIZE // 2 + 1))
    subprocess.run([sys.executable, "-c", check, str(path), str(path)], check=True, timeout=WAIT_S)
    sound(tmp_path / f"store.db.schema-{version}")
