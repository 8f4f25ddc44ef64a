"""`forget`, `purge` and `compact`: what is erased is gone from every answer, every table and every byte."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest
from store_driver import Opener

import simonides
from simonides import Draft, InvalidQueryError, NamespaceError
from simonides.write import forget as forgetting

NORMAL = {"store": {"synchronous": "NORMAL"}}


def bytes_of(path: Path) -> bytes:
    """Everything on disk: the file, its log and its shared memory."""
    return b"".join(p.read_bytes() for p in sorted(path.parent.glob(f"{path.name}*")))


def rows_of(path: Path) -> dict[str, int]:
    connection = apsw.Connection(str(path))
    names = [n for (n,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    counts = {n: connection.execute(f'SELECT count(*) FROM "{n}"').get for n in names if not n.startswith("sqlite_")}
    connection.close()
    return counts


def test_a_forgotten_thought_is_in_no_answer_and_no_count(store: Any) -> None:
    store.remember("Ana keeps her savings under the mattress", thought_id="a", speaker="Ana", session="s")
    store.update_thought("a", content="Ana keeps her savings in the piano")
    store.remember("Ben plays the piano", thought_id="b", speaker="Ben", session="s")
    store.link("b", "a")
    done = store.forget(thought_ids=["a", "unknown"], reason="asked for it")
    assert (done.count, done.versions, done.passages, done.edges, done.reflections) == (1, 2, 1, 2, 0)
    assert store.get_thought("a") is None
    assert [hit.thought_id for hit in store.recall("savings piano").hits] == ["b"]
    assert [name for name, _ in store.search_fts("savings")] == []
    assert (store.count_thoughts(), store.edges(), store.stats().vectors) == (1, [], 1)
    assert (store.stats().speakers, store.stats().sessions) == (1, 1)
    assert store.verify().problems == ()


def test_the_journal_says_what_was_erased_by_whom_and_why_and_still_verifies(opener: Opener) -> None:
    store = opener(actor="clerk")
    store.remember("x y z", thought_id="a")
    before = store.changes()
    store.forget(thought_ids=["a"], reason="ticket 7")
    rows = store.changes()
    assert rows[: len(before)] == before
    assert [(r.kind, r.subject_id, r.actor, r.reason) for r in rows[1:]] == [
        ("thought.erased", "a", "clerk", "ticket 7")
    ]
    assert store.verify().ok


def test_a_filter_also_reaches_what_was_deleted_before(store: Any) -> None:
    for n in range(6):
        store.remember(f"note {n}", thought_id=f"t{n}", speaker="Ana" if n % 2 else "Ben")
    store.delete_thought("t1")
    assert store.forget({"speaker": "Ana"}, reason="r").count == 3
    assert store.forget({"speaker": "Ana"}, reason="r").count == 0
    assert [t.thought_id for t in store.list_thoughts()] == ["t0", "t2", "t4"]
    assert store.verify().ok


@pytest.mark.parametrize(
    "selection",
    [
        {},
        {"filters": {}},
        {"filters": {"$and": []}},
        {"filters": {"$or": []}},
        {"thought_ids": []},
        {"thought_ids": [""]},
        {"filters": {"speaker": "Ana"}, "thought_ids": ["a"]},
    ],
    ids=str,
)
def test_a_selection_of_nothing_is_refused(store: Any, selection: dict[str, Any]) -> None:
    store.remember("x", thought_id="a")
    with pytest.raises(InvalidQueryError):
        store.forget(**selection, reason="r")
    assert store.count_thoughts() == 1


def test_a_reason_is_needed(store: Any) -> None:
    store.remember("x", thought_id="a")
    with pytest.raises(InvalidQueryError, match="reason"):
        store.forget(thought_ids=["a"], reason=" ")


def test_reflections_made_from_it_go_with_it_even_when_the_edge_is_gone(store: Any) -> None:
    for name in ("a", "b", "c"):
        store.remember(f"secret {name}", thought_id=name)
    for name, sources in (("r1", ["a"]), ("r2", ["b", "c"]), ("r3", ["c"])):
        content = json.dumps({"members": sources, "keywords": ["secret"]})
        store.create_thought(content=content, essence=f"about {sources}", thought_id=name, thought_type="REFLECTION")
        for source in sources:
            store.link(name, source, "CONSOLIDATED_FROM")
    store.create_thought(content='{"members": ["r1"]}', thought_id="r4", thought_type="REFLECTION")
    store.link("r4", "r1", "CONSOLIDATED_FROM")
    store.delete_thought("b")
    done = store.forget(thought_ids=["a", "b"], reason="r")
    assert (done.count, done.reflections) == (2, 3)
    assert [t.thought_id for t in store.list_thoughts()] == ["c", "r3"]
    assert store.verify().ok


def test_topics_go_with_their_last_memory_unless_they_have_a_title_or_something_below(store: Any) -> None:
    for name in ("a", "b"):
        store.remember(f"about {name}", thought_id=name)
    store.topics.create("titled", title="Kept")
    for topic in ("alone", "both", "above", "titled", "empty"):
        store.topics.file("a", topic)
    for topic in ("both", "above/below"):
        store.topics.file("b", topic)
    store.forget(thought_ids=["a"], reason="r")
    assert store.topics.filed() == {"above": 0, "above/below": 1, "both": 1, "titled": 0}
    assert store.verify().ok


def test_an_erased_id_can_be_used_again(store: Any) -> None:
    store.remember("old words", thought_id="a", deduplicate=True)
    store.forget(thought_ids=["a"], reason="r")
    store.remember("new words", thought_id="a")
    assert store.get_thought("a").revision == 1
    assert [hit.thought.content for hit in store.recall("words").hits] == ["new words"]
    assert store.verify().ok


def test_many_are_erased_in_batches_and_progress_says_how_far(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forgetting, "BATCH", 10)
    store.remember_many([Draft(content=f"n {n}", concepts=("tag",) if n % 3 else ()) for n in range(50)])
    seen: list[tuple[int, int]] = []
    done = store.forget({"concepts": "tag"}, reason="r", progress=lambda *step: seen.append(step))
    assert done.count == 33
    assert seen == [(10, 33), (20, 33), (30, 33), (33, 33)]
    assert store.count_thoughts() == 17
    assert store.verify().ok


def test_what_fails_half_way_keeps_whole_batches_and_goes_on(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forgetting, "BATCH", 4)
    store.remember_many([Draft(content=f"n {n}", thought_id=f"t{n:02}", speaker="Ana") for n in range(10)])

    def stop(done: int, total: int) -> None:
        if done == 8:
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        store.forget({"speaker": "Ana"}, reason="r", progress=stop)
    assert store.count_thoughts() == 2
    assert store.verify().ok
    assert store.forget({"speaker": "Ana"}, reason="r").count == 2


def test_purge_erases_one_namespace_and_its_name(store: Any) -> None:
    for user in ("ana", "ben", "chen"):
        for n in range(10):
            store.remember(f"{user} {n}", thought_id=f"{user}{n}", namespace=user, session="s", speaker=user)
        store.alias_concept("k", "key", namespace=user)
    done = store.purge(namespace="ana", confirm="ana")
    assert (done.count, done.edges) == (10, 9)
    assert store.namespaces() == ["ben", "chen"]
    assert store.count_thoughts(namespace="ana") == 0
    for user in ("ben", "chen"):
        assert store.count_thoughts(namespace=user) == 10
        assert len(store.edges(namespace=user)) == 9
        assert store.stats(namespace=user).vectors == 10
        assert len(store.recall(user, namespace=user).hits) == 10
    assert store.verify().ok
    store.remember("new", namespace="ana")
    assert [t.content for t in store.list_thoughts(namespace="ana")] == ["new"]
    assert store.verify().ok


@pytest.mark.parametrize("name", ["", None, "*", "unknown", "an", "Ana", "%"])
def test_a_name_that_is_none_deletes_nothing(store: Any, name: Any) -> None:
    store.remember("x", namespace="ana")
    with pytest.raises(NamespaceError):
        store.purge(namespace=name, confirm=name)
    with pytest.raises(NamespaceError):
        store.purge(namespace="ana", confirm=name)
    assert store.count_thoughts(namespace="ana") == 1


def test_a_sealed_handle_forgets_and_purges_its_own_only(store: Any) -> None:
    for user in ("ana", "ben"):
        store.remember("x", thought_id="t", namespace=user)
    sealed = store.in_namespace("ana", sealed=True)
    for call in (
        lambda: sealed.purge(namespace="ben", confirm="ben"),
        lambda: sealed.forget(thought_ids=["t"], reason="r", namespace="ben"),
    ):
        with pytest.raises(NamespaceError):
            call()
    assert sealed.forget(thought_ids=["t"], reason="r").count == 1
    assert store.count_thoughts(namespace="ben") == 1


SECRETS = (
    b"xylophonist", b"Xylophonist", b"quagmire", b"zeppelin", b"marmalade", b"Vercingetorix", b"thermidor",
    b"kaleidoscope", b"gobbledygook", b"whippersnapper", b"brouhaha", b"flibbertigibbet", b"lollygag",
    b"gallimaufry", b"skulduggery", b"taradiddle",
)  # fmt: skip


def fill(store: simonides.Store) -> None:
    store.remember_many([Draft(content=f"harmless note number {n} about tea", vector=None) for n in range(300)])
    store.remember(
        "The Xylophonist hid a quagmire, 京都会議, Châtelet and élève\N{LATIN SMALL LETTER O WITH STROKE}re",
        thought_id="s1", essence="zeppelin", metadata={"k": "marmalade"}, speaker="Vercingetorix", session="thermidor",
        concepts=["kaleidoscope"], topics=["gobbledygook"], source="brouhaha",
    )  # fmt: skip
    store.update_thought("s1", content="The xylophonist changed his mind: whippersnapper 京都会議 Châtelet")
    store.remember("said by the same", thought_id="s2", speaker="Vercingetorix", session="thermidor")
    store.link("s1", "s2", source="flibbertigibbet", metadata={"m": "lollygag"})
    store.annotate("s2", ["gallimaufry"])
    store.annotate("s2", ["later"], replace=True)
    store.link("s2", "s1", metadata={"m": "skulduggery"})
    store.link("s2", "s1", metadata={"m": "later"})
    store.link("s2", "s1", "SUPPORTS", source="taradiddle")
    store.unlink("s2", "s1", "SUPPORTS")
    store.remember_many([Draft(content=f"more harmless notes {n} about coffee") for n in range(300)])


def past_vectors(path: Path) -> list[bytes]:
    """Vectors of texts that were changed, as `as_of` finds them."""
    connection = apsw.Connection(str(path))
    found = [vector for (vector,) in connection.execute("SELECT vector FROM passage_history WHERE vector IS NOT NULL")]
    connection.close()
    return found


def test_no_byte_of_what_was_forgotten_is_left_after_compact(path: Path) -> None:
    with simonides.open(path, embedder="hashing:16", config=NORMAL) as store:
        fill(store)
        before = bytes_of(path)
        terms = store._engine.analyzer.analyse("xylophonist 京都会議 Châtelet élève").counts
        encoded = {term.encode() for term in terms if "_" in term} & {t.encode() for t in terms if t.encode() in before}
        assert len(encoded) >= 4
        assert [secret for secret in (*SECRETS, *encoded) if secret not in before] == []
        assert store.recall("who was called a whippersnapper?").hits[0].thought_id == "s1"
        vectors = past_vectors(path)
        assert vectors
        assert all(vector in before for vector in vectors)
        store.forget({"speaker": "Vercingetorix"}, reason="asked")
        done = store.compact()
        assert done.log_emptied
        left = bytes_of(path)
        assert [vector for vector in vectors if vector in left] == []
        assert [secret for secret in (*SECRETS, *encoded, "京都".encode(), "Châtelet".encode()) if secret in left] == []
        assert store.verify().problems == ()
        assert len(store.recall("tea notes", top_k=5).hits) == 5
    assert [secret for secret in SECRETS if secret in bytes_of(path)] == []


def test_no_byte_is_left_when_the_words_were_already_in_a_segment(path: Path) -> None:
    with simonides.open(path, embedder=False, config=NORMAL) as store:
        drafts = [Draft(content=f"filler {n} {n * 7}") for n in range(4_200)]
        drafts[100] = Draft(content="the xylophonist owes me money", thought_id="s")
        store.remember_many(drafts)
        connection = apsw.Connection(str(path))
        assert connection.execute("SELECT count(*) FROM lexicon_blocks WHERE instr(terms, 'xylophonist')").get
        connection.close()
        store.forget(thought_ids=["s"], reason="r")
        store.compact()
        assert b"xylophonist" not in bytes_of(path)
        assert [name for name, _ in store.search_fts("xylophonist")] == []
        assert len(store.search_fts("filler 77")) == 10
        assert store.verify().ok


def test_no_byte_of_a_purged_namespace_is_left_but_ids_in_the_journal(path: Path) -> None:
    with simonides.open(path, embedder="hashing:16", config=NORMAL) as store:
        fill(store.in_namespace("Quetzalcoatl"))
        store.remember("stays", namespace="other")
        store.purge(namespace="Quetzalcoatl", confirm="Quetzalcoatl")
        store.compact()
        left = bytes_of(path)
        assert [secret for secret in (*SECRETS, b"Quetzalcoatl", b"harmless") if secret in left] == []
        assert (b"stays" in left, b"s1" in left) == (True, True)
        assert store.verify().ok
    counts = rows_of(path)
    assert counts["thoughts"] == counts["passages"] == counts["versions"] == counts["vectors"] == 1
    assert counts["speakers"] == counts["sessions"] == counts["edges"] == counts["labels"] == 0


def test_an_erased_version_verifies_and_a_removed_one_does_not(path: Path) -> None:
    with simonides.open(path, embedder=False) as store:
        for name in ("a", "b", "c"):
            store.remember(f"x {name}", thought_id=name)
        store.update_thought("b", content="x2")
        store.forget(thought_ids=["a"], reason="r")
        assert store.verify().ok
    connection = apsw.Connection(str(path))
    connection.execute(
        "DELETE FROM versions WHERE tid = (SELECT tid FROM thoughts WHERE thought_id='b') AND revision = 1"
    )
    connection.close()
    with simonides.open(path, embedder=False) as store:
        assert [(p.check, p.subject, p.message) for p in store.verify().problems] == [
            ("versions", "b", "revision 1 is missing and was not erased")
        ]


@pytest.mark.parametrize("many", [7_000, pytest.param(70_000, marks=pytest.mark.slow)])
def test_thousands_are_erased_at_once(path: Path, many: int) -> None:
    """The rows are made by hand: writing them by the verbs would take the test's time, not the eraser's."""
    with simonides.open(path, embedder=False, config=NORMAL) as store:
        store.remember("stays", thought_id="stays")
        store.remember("seed", thought_id="seed", concepts=["tag"])
    connection = apsw.Connection(str(path))
    connection.execute(
        f"""
        BEGIN;
        CREATE TEMP TABLE n AS WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < {many - 1})
          SELECT i FROM c;
        INSERT INTO thoughts (tid, ns, thought_id, created_at, created_cycle) SELECT i + 10, 1, 't' || i, 0, 0 FROM n;
        INSERT INTO versions (tid, ns, revision, seq, recorded_from, thought_type, content_type, content, priority,
          lifecycle_status, updated_at, updated_cycle, content_hash, salt)
          SELECT i + 10, 1, 1, 1, 0, 0, 'text', 'bulk ' || i, 2, 1, 0, 0, x'00', x'00' FROM n;
        INSERT INTO passages (tid, ns, part, start, stop, words, tokens, embedding)
          SELECT i + 10, 1, 0, 0, 9, 2, x'', 0 FROM n;
        INSERT INTO fulltext (rowid, content) SELECT pid, 'bulk' FROM passages WHERE tid > 10;
        INSERT INTO labels SELECT 1, 'concept', 'tag', i + 10 FROM n;
        COMMIT;
        """
    )
    connection.close()
    with simonides.open(path, embedder=False, config=NORMAL) as store:
        assert store.count_thoughts() == many + 1
        assert store.forget({"concepts": "tag"}, reason="r").count == many
        assert [t.thought_id for t in store.list_thoughts()] == ["stays"]
        assert [hit.thought_id for hit in store.recall("stays").hits] == ["stays"]
    assert rows_of(path)["passages"] == 1


def test_every_table_has_its_section() -> None:
    """Who adds a table says how it is erased, or adds it here with a reason."""
    exempt = {
        "meta": "facts about the store",
        "namespaces": "the number stays; `purge_namespaces` takes the name",
        "journal": "the chain: ids, actors and reasons stay, as promised",
        "journal_seals": "seqs and hashes of the journal",
        "journal_kept": "ids and salted digests of pruned rows of the journal",
        "fulltext": "by passage; a purge has none left",
        "lexicon_segments": "by `purge` of the postings index when a thought goes",
        "lexicon_blocks": "by `purge` of the postings index when a thought goes",
        "concept_aliases": "names the owner gave, not of a thought",
        "user_topics": "names the owner gave, not of a thought",
    }
    from simonides.backend.sqlite.erasure import SQL
    from simonides.backend.sqlite.migrate import migrate

    connection = apsw.Connection(":memory:")
    migrate(connection, ":memory:", read_only=False)
    tables = {
        name
        for _, name, kind, *_ in connection.execute("PRAGMA table_list")
        if kind in ("table", "virtual") and not name.startswith("sqlite_")
    }
    covered = {name.partition("_")[2] for name in SQL if name.startswith(("forget_", "purge_", "trace_"))}
    assert tables - covered - set(exempt) == set()


KILLED = """
import sys, simonides
from simonides.write import forget
forget.BATCH = 5
with simonides.open(sys.argv[1], embedder=False, config={"store": {"synchronous": "NORMAL"}}) as store:
    def progress(done, total):
        print(done, flush=True)
        sys.stdin.readline()
    store.purge(namespace="ana", confirm="ana", progress=progress)
"""


@pytest.mark.parametrize("after", [1, 5, 8])
def test_a_killed_purge_leaves_a_sound_store_and_goes_on(path: Path, after: int) -> None:
    with simonides.open(path, embedder="hashing:16", config=NORMAL) as store:
        for user in ("ana", "ben"):
            store.remember_many([Draft(content=f"{user} {n}", session="s") for n in range(40)], namespace=user)
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdin is not None
    assert child.stdout is not None
    for _ in range(after):
        child.stdout.readline()
        child.stdin.write(b"\n")
        child.stdin.flush()
    child.kill()
    child.communicate()
    with simonides.open(path, embedder="hashing:16", config=NORMAL) as store:
        assert store.verify().problems == ()
        if "ana" in store.namespaces():
            store.purge(namespace="ana", confirm="ana")
        assert (store.namespaces(), store.count_thoughts(namespace="ben")) == (["ben"], 40)
        assert store.verify().problems == ()
