"""Field case 65. `export` and `import_`: everything travels, twice is as good as once, what does not fit is named."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from store_driver import START, HandClock, Opener

import simonides
from simonides import Draft, InvalidThoughtError, NamespaceError, StoreError
from simonides.exchange import take_in

NORMAL = {"store": {"synchronous": "NORMAL"}, "audit": {"mode": "off"}}
ODD = "one\u2028two\x00three\ud7ff \U0001f600 \ufeffline\r\nend  "


def rich(store: Any, clock: HandClock) -> None:
    """Case 65: supersession, edges, archived, expired, pinned, reflections, two namespaces, cycles, odd text."""
    store.remember(ODD, thought_id="odd", metadata={"k": ODD, "n": [1, 2.5, None, True], "big": 2**62})
    store.remember("the code is 4471", thought_id="old", speaker="Ana", session="s", deduplicate=True)
    clock.advance(60)
    store.remember("the code is 4472", thought_id="new", speaker="Ben", session="s", supersedes="old", essence="code")
    store.update_thought("new", content="the code is 4473", reason="typing error")
    store.create_thought(
        content="cycles", thought_id="cy", created_cycle=3, updated_cycle=9, pinned=True, confidence=0.5
    )
    store.remember("gone soon", thought_id="exp", expires_at=START, occurred_at="2020-01-01", source="x")
    store.archive_thought("exp")
    store.remember("will be deleted", thought_id="dead")
    store.link("new", "cy", weight=0.25, metadata={"a": 1}, valid_from=START)
    store.delete_thought("dead")
    store.create_thought(content='{"m": ["old"]}', essence="a code", thought_id="r", thought_type="REFLECTION")
    store.link("r", "old", "CONSOLIDATED_FROM")
    store.annotate("new", ["secret", "door"])
    store.alias_concept("pin", "code")
    store.remember("filed", thought_id="f", topics=["home/door"])
    store.remember("long. " * 700, thought_id="long", namespace="other")
    store.remember("given", thought_id="g", namespace="other", vector=[1.0] * 64)
    store.remember("forgotten", thought_id="x", namespace="third")
    store.purge(namespace="third", confirm="third")


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


def body(path: Path) -> list[bytes]:
    return path.read_bytes().split(b"\n")[1:]


def everything(store: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in store.namespaces():
        found[name] = (
            [t.to_dict() for t in store.list_thoughts(namespace=name, include_expired=True)],
            list(store.edges(namespace=name)),
            store.concepts(namespace=name),
            store.changes(namespace=name),
        )
    return found


def test_an_export_into_a_fresh_file_exports_the_same(opener: Opener, clock: HandClock, tmp_path: Path) -> None:
    store = opener("a.db")
    rich(store, clock)
    done = store.export(tmp_path / "a.jsonl")
    other = opener("b.db")
    taken = other.import_(tmp_path / "a.jsonl")
    assert (taken.restored, taken.problems, taken.pending) == (True, (), 0)
    assert taken.added == done.lines["thought"] == 10
    assert taken.edges == done.lines["edge"] == 4
    other.export(tmp_path / "b.jsonl")
    assert body(tmp_path / "a.jsonl") == body(tmp_path / "b.jsonl")
    assert everything(other) == everything(store)
    assert (other.verify().problems, store.verify().problems) == ((), ())
    assert other.namespaces() == ["default", "other"]
    for query in ("what is the code?", "three", "long"):
        assert [(h.thought_id, h.score) for h in other.recall(query).hits] == [
            (h.thought_id, h.score) for h in store.recall(query).hits
        ]


def test_a_restored_store_goes_on_as_the_other_would(opener: Opener, clock: HandClock, tmp_path: Path) -> None:
    store = opener("a.db")
    rich(store, clock)
    store.export(tmp_path / "a.jsonl")
    other = opener("b.db")
    other.recall("nothing yet")
    other.import_(tmp_path / "a.jsonl")
    for each in (store, other):
        turn = each.remember("the next turn", thought_id="next", session="s", speaker="Ana")
        assert turn.position == 2
        assert each.remember("the code is 4471", deduplicate=True).thought_id == "old"
        assert each.recall("next turn").hits[0].thought_id == "next"
        assert each.verify().ok
    assert [c.seq for c in other.changes()] == [c.seq for c in store.changes()]


def test_taking_in_the_same_file_again_changes_nothing(opener: Opener, clock: HandClock, tmp_path: Path) -> None:
    store = opener("a.db")
    rich(store, clock)
    store.export(tmp_path / "a.jsonl")
    other = opener("b.db")
    other.import_(tmp_path / "a.jsonl")
    before = everything(other)
    again = other.import_(tmp_path / "a.jsonl")
    assert (again.restored, again.added, again.known, again.edges, again.problem_count) == (False, 0, 10, 0, 0)
    assert again.left_out == {"journal": len([x for x in lines_of(tmp_path / "a.jsonl") if x["record"] == "journal"])}
    assert everything(other) == before


def test_another_store_merges_and_says_what_it_left_out(opener: Opener, clock: HandClock, tmp_path: Path) -> None:
    store = opener("a.db")
    rich(store, clock)
    store.export(tmp_path / "a.jsonl")
    other = opener("b.db", actor="mover")
    other.remember("mine", thought_id="mine")
    other.remember("another code", thought_id="old")
    taken = other.import_(tmp_path / "a.jsonl")
    assert (taken.restored, taken.added, taken.known) == (False, 9, 0)
    assert [str(p).partition(": ")[2] for p in taken.problems] == ["thought 'old' is here already and differs; kept"]
    assert taken.left_out["journal"] > 0
    assert other.get_thought("old").content == "another code"
    assert other.get_thought("new").revision == 2
    assert other.get_thought("odd").content == ODD
    assert {c.kind for c in other.changes()} >= {"thought.imported", "edge.written"}
    assert other.verify().problems == ()
    assert len(other.edges()) == 4
    assert other.recall("code 4473").hits[0].thought_id == "new"


def test_vectors_of_another_model_are_pending(opener: Opener, tmp_path: Path) -> None:
    store = opener("a.db")
    store.remember("a b c", thought_id="a")
    store.export(tmp_path / "a.jsonl")
    other = opener("b.db", embedder="hashing:32")
    other.remember("mine", thought_id="mine")
    taken = other.import_(tmp_path / "a.jsonl")
    assert (taken.added, taken.vectors, taken.pending) == (1, 0, 1)
    assert other.get_thought("a").embedding == "pending"
    assert other.embed_pending() == 1


def test_some_namespaces_travel_without_the_journal(opener: Opener, clock: HandClock, tmp_path: Path) -> None:
    store = opener("a.db")
    rich(store, clock)
    done = store.export(tmp_path / "a.jsonl", namespaces=["other"])
    assert (done.lines, done.left_out["journal"]) == ({"namespace": 1, "thought": 2}, 2)
    assert b"code" not in (tmp_path / "a.jsonl").read_bytes()
    other = opener("b.db")
    assert other.import_(tmp_path / "a.jsonl").restored is False
    assert (other.namespaces(), other.count_thoughts(namespace="other")) == (["other"], 2)
    assert other.verify().ok
    with pytest.raises(StoreError, match="no namespace"):
        store.export(tmp_path / "b.jsonl", namespaces=["unknown"])


def test_a_sealed_handle_exports_and_takes_in_its_own_only(opener: Opener, clock: HandClock, tmp_path: Path) -> None:
    store = opener("a.db")
    rich(store, clock)
    sealed = store.in_namespace("other", sealed=True)
    sealed.export(tmp_path / "own.jsonl")
    assert {line.get("namespace", "other") for line in lines_of(tmp_path / "own.jsonl")} == {"other"}
    store.export(tmp_path / "all.jsonl")
    with pytest.raises(NamespaceError):
        sealed.import_(tmp_path / "all.jsonl")
    with pytest.raises(NamespaceError):
        sealed.export(tmp_path / "x.jsonl", namespaces=["default"])
    assert sealed.import_(tmp_path / "own.jsonl").known == 2


def test_what_cannot_be_taken_is_named_by_its_line(opener: Opener, clock: HandClock, tmp_path: Path) -> None:
    store = opener("a.db")
    for name in ("a", "b", "c"):
        store.remember(f"note {name}", thought_id=name)
    store.link("a", "b")
    store.link("b", "c")
    store.export(tmp_path / "a.jsonl")
    lines = (tmp_path / "a.jsonl").read_text().splitlines()
    gone = next(n for n, line in enumerate(lines) if '"thought_id":"c"' in line)
    lines[gone] = "{not json"
    lines.insert(3, '{"record":"riddle","namespace":"default"}')
    lines.insert(4, "[1, 2]")
    lines.insert(5, '{"record":"thought","namespace":"default","thought_id":"z"}')
    (tmp_path / "b.jsonl").write_text("\n".join(lines[:-1]))
    other = opener("b.db", embedder="hashing:64")
    taken = other.import_(tmp_path / "b.jsonl")
    assert [(p.line, p.message.split(";")[0][:60]) for p in taken.problems] == [
        (4, "riddle cannot be read: unknown kind 'riddle'"),
        (5, "list where an object is expected"),
        (6, "thought cannot be read: 'dedup' is missing"),
        (gone + 4, "not JSON: Expecting property name enclosed in double quotes: "[:60]),
        (len(lines) - 1, f"edge {store.edges('c')[0].edge_id} leads to 'c', which is not there"[:60]),
        (0, "the file ends before its last line: the export was cut"),
    ]
    assert sorted(t.thought_id for t in other.list_thoughts()) == ["a", "b"]
    assert len(other.edges()) == 1


@pytest.mark.parametrize("content", ["", "hello", '{"content": "a memory"}', "[]", '{"format":"simonides-export"}'])
def test_a_file_that_is_no_export_is_refused(store: Any, tmp_path: Path, content: str) -> None:
    (tmp_path / "x.jsonl").write_text(content)
    with pytest.raises(InvalidThoughtError, match="line 1"):
        store.import_(tmp_path / "x.jsonl")
    with pytest.raises(StoreError, match="cannot be read"):
        store.import_(tmp_path / "none.jsonl")
    assert store.namespaces() == []


def test_a_later_format_is_refused(store: Any, tmp_path: Path) -> None:
    store.export(tmp_path / "a.jsonl")
    text = (tmp_path / "a.jsonl").read_text().replace('"version":1', '"version":2')
    (tmp_path / "a.jsonl").write_text(text)
    with pytest.raises(InvalidThoughtError, match="format 2"):
        store.import_(tmp_path / "a.jsonl")


def test_a_name_that_is_taken_is_kept(store: Any, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("mine")
    with pytest.raises(StoreError, match="exists"):
        store.export(tmp_path / "a.jsonl")
    store.export(tmp_path / "a.jsonl", overwrite=True)
    assert lines_of(tmp_path / "a.jsonl")[0]["format"] == "simonides-export"


def test_every_line_is_plain_ascii(store: Any, tmp_path: Path) -> None:
    store.remember(ODD)
    store.export(tmp_path / "a.jsonl")
    assert (tmp_path / "a.jsonl").read_text("ascii").count("\n") == len(lines_of(tmp_path / "a.jsonl"))


KILLED = """
import sys, simonides
from simonides.exchange import take_in
take_in.BATCH = 7
with simonides.open(sys.argv[1], embedder="hashing:16", config={"store": {"synchronous": "NORMAL"}}) as store:
    def progress(done, total):
        print(done, flush=True)
        sys.stdin.readline()
    store.import_(sys.argv[2], progress=progress)
"""


@pytest.mark.parametrize("after", [1, 4, 9])
def test_a_killed_restore_goes_on_where_it_was(path: Path, tmp_path: Path, after: int) -> None:
    with simonides.open(path, embedder="hashing:16", config=NORMAL) as store:
        store.remember_many([Draft(content=f"memory {n}", thought_id=f"m{n}", session="s") for n in range(20)])
        store.export(tmp_path / "a.jsonl")
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path / "b.db"), str(tmp_path / "a.jsonl")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    assert child.stdin is not None
    for _ in range(after):
        child.stdout.readline()
        child.stdin.write(b"\n")
        child.stdin.flush()
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    with simonides.open(tmp_path / "b.db", embedder="hashing:16", config=NORMAL) as other:
        taken = other.import_(tmp_path / "a.jsonl")
        assert (taken.restored, taken.problems) == (True, ())
        other.export(tmp_path / "b.jsonl")
        assert body(tmp_path / "a.jsonl") == body(tmp_path / "b.jsonl")
        assert other.verify().problems == ()
        assert other.recall("memory 7").hits[0].thought_id == "m7"


def test_a_merge_that_was_stopped_begins_anew(opener: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(take_in, "BATCH", 5)
    store, other = opener("a.db"), opener("b.db")
    store.remember_many([Draft(content=f"memory {n}") for n in range(20)])
    store.export(tmp_path / "a.jsonl")
    other.remember("mine")
    calls: list[int] = []

    def stop(done: int, total: int) -> None:
        calls.append(done)
        if len(calls) == 6:
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        other.import_(tmp_path / "a.jsonl", progress=stop)
    assert 1 < other.count_thoughts() < 21
    assert other.verify().ok
    other.import_(tmp_path / "a.jsonl")
    assert other.count_thoughts() == 21
    assert other.verify().ok


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_analysts_get_columns(opener: Opener, clock: HandClock, tmp_path: Path, ending: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    store = opener("a.db")
    rich(store, clock)
    store.recall("code")
    path = tmp_path / f"a.{ending}"

    def read() -> list[dict[str, Any]]:
        if ending == "parquet":
            return parquet.read_table(path).to_pylist()
        with pyarrow.ipc.open_file(str(path)) as file:
            return file.read_all().to_pylist()

    assert store.export_table(path) == 9
    rows = {row["thought_id"]: row for row in read()}
    assert rows["odd"]["content"] == ODD
    assert (rows["new"]["concepts"], rows["new"]["priority"], rows["new"]["speaker"]) == (
        '["door","secret"]',
        "P3",
        "Ben",
    )
    assert rows["exp"]["expires_at"] == START
    assert (rows["cy"]["pinned"], rows["cy"]["confidence"], rows["cy"]["updated_cycle"]) == (1, 0.5, 9)
    assert store.export_table(path, table="edges", namespaces=["default"], overwrite=True) == 4
    assert {row["edge_type"] for row in read()} == {"FOLLOWS", "SUPERSEDES", "ASSOCIATED", "CONSOLIDATED_FROM"}
    assert store.export_table(path, table="retrieval_log", overwrite=True) == 1
    assert [(row["verb"], row["query"]) for row in read()] == [("recall", "code")]
    assert store.export_table(path, namespaces=["third"], overwrite=True) == 0
    assert read() == []


def test_a_table_that_is_none_is_refused(store: Any, tmp_path: Path) -> None:
    for path, table in (("a.csv", "thoughts"), ("a.parquet", "meta")):
        with pytest.raises(simonides.InvalidQueryError):
            store.export_table(tmp_path / path, table=table)
