"""Does the memory side give every snapshot its own postings, and ask the database only for what is new?"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import apsw
import numpy as np
import pytest

from simonides.backend.rows import Block, SegmentHead, TailRow
from simonides.backend.sqlite.lexicon import LexiconRows
from simonides.errors import StoreDamagedError
from simonides.index import recent
from simonides.index.lexicon import Lexicon
from simonides.index.segments import _replace, due, maintain, purge, rebuild

SCHEMA = (resources.files("simonides.backend.sqlite") / "schema.sql").read_text(encoding="utf-8")


class View(NamedTuple):
    """A catalogue of passages 1, 2, 3 … n, or of given ones."""

    pids: np.ndarray
    live: np.ndarray | None = None
    generation: int = 0


def catalogue(count: int, dead: tuple[int, ...] = (), generation: int = 0) -> View:
    pids = np.arange(1, count + 1, dtype=np.int64)
    return View(pids, ~np.isin(pids, dead) if dead else None, generation)


class Counting(LexiconRows):
    """Counts what is asked for."""

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection)
        self.connection = connection
        self.asked: list[str] = []

    def blocks_for(self, wanted: Sequence[tuple[int, str]]) -> list[Block | None]:
        self.asked += [f"block {segment} {term}" for segment, term in wanted]
        return super().blocks_for(wanted)

    def segment(self, segment: int) -> SegmentHead:
        self.asked.append(f"segment {segment}")
        return super().segment(segment)

    def tail(self, ns: int, after_pid: int = 0) -> list[TailRow]:
        self.asked.append(f"tail {after_pid}")
        return super().tail(ns, after_pid)

    def segment_ids(self, ns: int) -> tuple[int, ...]:
        self.asked.append("segments")
        return super().segment_ids(ns)

    @property
    def epoch(self) -> int:
        return int(self.connection.execute("SELECT epoch FROM namespaces WHERE ns = 1").get)


@pytest.fixture
def rows() -> Iterator[Counting]:
    connection = apsw.Connection(":memory:")
    connection.execute(SCHEMA)
    connection.execute("INSERT INTO namespaces (ns, name, created_at) VALUES (1, 'a', 0), (2, 'b', 0)")
    yield Counting(connection)
    connection.close()


def add(rows: LexiconRows, first: int, *texts: str, ns: int = 1) -> None:
    """One row a text, ids from `first`; frequencies 1, 2, 3 … along a text."""
    counts = [bytes(range(1, len(text.split()) + 1)) for text in texts]
    rows.add_tail(ns, list(map(TailRow, range(first, first + len(texts)), texts, counts)))


def kill(rows: Counting, *pids: int) -> None:
    rows.connection.executemany("INSERT INTO dead_passages (seq, ns, pid) VALUES (1, 1, ?)", [(pid,) for pid in pids])


def flushed(rows: LexiconRows) -> None:
    assert maintain(rows, 1, tail_max=1, fan=100)


def asked(lexicon: Lexicon, rows: Counting, view: View, *terms: str) -> dict[str, list[tuple[int, int]]]:
    found = lexicon.postings(rows, rows.epoch, view, terms)
    return {term: list(zip(p.ordinals.tolist(), p.frequencies.tolist(), strict=True)) for term, p in found.items()}


def test_segments_and_tail_are_one(rows: Counting) -> None:
    add(rows, 1, "red kite", "kite")
    flushed(rows)
    add(rows, 3, "blue kite", "red")
    lexicon = Lexicon(1)
    assert asked(lexicon, rows, catalogue(4), "red", "kite", "sea", "blue") == {
        "red": [(0, 1), (3, 1)],
        "kite": [(0, 2), (1, 1), (2, 2)],
        "blue": [(2, 1)],
    }
    assert lexicon.frequencies(rows, rows.epoch, catalogue(4), ["red", "sea"]) == {"red": 2, "sea": 0}


def test_arrays_have_their_types_and_cannot_be_changed(rows: Counting) -> None:
    add(rows, 1, "red kite")
    flushed(rows)
    add(rows, 2, "red")
    for held in Lexicon(1).postings(rows, rows.epoch, catalogue(2), ["red", "kite"]).values():
        assert held.ordinals.dtype == np.int32
        assert held.frequencies.dtype == np.uint8
        with pytest.raises(ValueError, match="read-only"):
            held.ordinals[0] = 1
        with pytest.raises(ValueError, match="read-only"):
            held.frequencies[0] = 1


def test_another_owners_rows_are_not_seen(rows: Counting) -> None:
    add(rows, 1, "red")
    add(rows, 2, "red kite", ns=2)
    view = View(np.array([1], np.int64))
    assert asked(Lexicon(1), rows, view, "red", "kite") == {"red": [(0, 1)]}
    flushed(rows)
    assert asked(Lexicon(1), rows, view, "red", "kite") == {"red": [(0, 1)]}
    assert rows.tail_size(2) == 1


def test_a_warm_question_reads_nothing_and_a_new_row_reads_the_new_row(rows: Counting) -> None:
    add(rows, 1, "red kite")
    flushed(rows)
    add(rows, 2, "red")
    lexicon = Lexicon(1)
    asked(lexicon, rows, catalogue(2), "red", "sea")
    rows.asked.clear()
    asked(lexicon, rows, catalogue(2), "sea", "red")
    assert rows.asked == []
    add(rows, 3, "red")
    assert asked(lexicon, rows, catalogue(3), "red") == {"red": [(0, 1), (1, 1), (2, 1)]}
    assert rows.asked == ["tail 2"]


def test_a_flush_reads_again_only_what_is_new(rows: Counting) -> None:
    add(rows, 1, "red kite")
    flushed(rows)
    lexicon = Lexicon(1)
    asked(lexicon, rows, catalogue(1), "red")
    add(rows, 2, "red")
    flushed(rows)
    rows.asked.clear()
    assert asked(lexicon, rows, catalogue(2), "red") == {"red": [(0, 1), (1, 1)]}
    assert rows.asked == ["segments", "segment 2", "tail 0", "block 2 red"]


def test_neighbouring_terms_share_a_block(rows: Counting) -> None:
    add(rows, 1, "a b c d", "d e")
    flushed(rows)
    lexicon = Lexicon(1)
    lexicon.frequencies(rows, rows.epoch, catalogue(2), ["c"])
    counts = lexicon.frequencies(rows, rows.epoch, catalogue(2), ["e", "c", "a", "b", "f"])
    assert counts == {"e": 1, "c": 1, "a": 1, "b": 1, "f": 0}
    assert [what for what in rows.asked if what.startswith("block")] == ["block 1 c", "block 1 f"]


def test_the_dead_do_not_count_before_or_after_they_are_swept_out(rows: Counting) -> None:
    add(rows, 1, "red", "red", "red")
    flushed(rows)
    add(rows, 4, "red", "red")
    kill(rows, 2, 4)
    lexicon = Lexicon(1)
    view = catalogue(5, dead=(2, 4))
    expected = {"red": [(0, 1), (2, 1), (4, 1)]}
    assert asked(lexicon, rows, view, "red") == expected
    assert lexicon.frequencies(rows, rows.epoch, view, ["red"]) == {"red": 3}
    assert asked(lexicon, rows, catalogue(5), "red") == {"red": [(n, 1) for n in range(5)]}  # another snapshot
    flushed(rows)
    assert maintain(rows, 1, tail_max=100, fan=2)
    assert rows.tail(1) == []
    assert [rows.segment(number).pids.tolist() for number in rows.segment_ids(1)] == [[1, 3, 5]]
    assert asked(lexicon, rows, view, "red") == expected
    shorter = View(np.array([1, 3, 5], np.int64), None, generation=1)
    assert asked(lexicon, rows, shorter, "red") == {"red": [(0, 1), (1, 1), (2, 1)]}


def test_passages_the_catalogue_never_had_are_dropped(rows: Counting) -> None:
    add(rows, 1, "red", "red", "red")
    flushed(rows)
    add(rows, 4, "red", "red", "red")
    view = View(np.array([1, 3, 5], np.int64))
    assert asked(Lexicon(1), rows, view, "red") == {"red": [(0, 1), (1, 1), (2, 1)]}


def test_rows_another_thread_has_seen_do_not_appear_early(rows: Counting) -> None:
    add(rows, 1, "red", "red kite")
    lexicon = Lexicon(1)
    assert asked(lexicon, rows, catalogue(2), "red", "kite") == {"red": [(0, 1), (1, 1)], "kite": [(1, 2)]}
    assert asked(lexicon, rows, catalogue(1), "red", "kite") == {"red": [(0, 1)]}
    assert lexicon.frequencies(rows, rows.epoch, catalogue(1), ["kite"]) == {"kite": 0}
    assert asked(lexicon, rows, catalogue(0), "red") == {}


def test_an_empty_namespace_has_no_postings(rows: Counting) -> None:
    assert asked(Lexicon(1), rows, catalogue(0), "red") == {}
    assert asked(Lexicon(1), rows, catalogue(0)) == {}
    assert not maintain(rows, 1)


def test_a_segment_with_more_dead_than_living_is_written_anew_with_a_flush(rows: Counting) -> None:
    add(rows, 1, "red secret", "red", "red")
    flushed(rows)
    kill(rows, 1, 2)
    add(rows, 4, "red")
    flushed(rows)
    assert sorted(rows.segment(number).pids.tolist() for number in rows.segment_ids(1)) == [[3], [4]]
    assert rows.connection.execute("SELECT count(*) FROM lexicon_blocks WHERE terms LIKE '%secret%'").get == 0


def test_purging_leaves_no_trace_of_the_dead(rows: Counting) -> None:
    add(rows, 1, "red secret", "red", "red")
    flushed(rows)
    add(rows, 4, "hidden", "red")
    kill(rows, 1, 4)
    lexicon = Lexicon(1)
    view = catalogue(5, dead=(1, 4))
    before = asked(lexicon, rows, view, "red", "secret", "hidden")
    at = rows.epoch
    purge(rows, 1)
    assert rows.epoch > at
    assert [row.pid for row in rows.tail(1)] == [5]
    assert [rows.segment(number).pids.tolist() for number in rows.segment_ids(1)] == [[2, 3]]
    assert asked(lexicon, rows, view, "red", "secret", "hidden") == before == {"red": [(1, 1), (2, 1), (4, 1)]}
    at = rows.epoch
    purge(rows, 1)
    assert rows.epoch == at


def test_rebuilding_replaces_everything(rows: Counting) -> None:
    add(rows, 1, "red", "red")
    flushed(rows)
    add(rows, 3, "red", "red")
    lexicon = Lexicon(1)
    asked(lexicon, rows, catalogue(4), "red")
    rebuild(rows, 1, iter([TailRow(1, "blue", b"\x05"), TailRow(3, "blue kite", b"\x06\x07")]), 3)
    assert asked(lexicon, rows, catalogue(4, dead=(2,)), "red", "blue", "kite") == {
        "red": [(3, 1)],
        "blue": [(0, 5), (2, 6)],
        "kite": [(2, 7)],
    }


def test_a_full_tail_is_flushed_then_segments_are_merged(rows: Counting) -> None:
    for first in range(1, 41):
        add(rows, first, f"red t{first}")
        while maintain(rows, 1, tail_max=3, fan=3, segment_max=30):
            pass
    sizes = [size.passages for size in rows.segment_sizes(1)]
    assert sum(sizes) + rows.tail_size(1) == 40
    assert max(sizes) <= 30
    assert len(sizes) <= 5
    assert asked(Lexicon(1), rows, catalogue(40), "red", "t17") == {
        "red": [(n, 1) for n in range(40)],
        "t17": [(16, 2)],
    }
    assert [tuple(size) for size in rows.segment_sizes(1)] == [
        (number, len(rows.segment(number).pids)) for number in rows.segment_ids(1)
    ]


def test_segments_with_interleaved_passages_still_ascend(rows: Counting) -> None:
    for first in (1, 3, 5):
        add(rows, first, "red", "red")
        flushed(rows)
    _replace(rows, 1, (1, 3), np.empty(0, np.int64))
    assert asked(Lexicon(1), rows, catalogue(6), "red") == {"red": [(n, 1) for n in range(6)]}


def test_a_tiny_cache_gives_the_same_answers(rows: Counting) -> None:
    add(rows, 1, "red kite", "red sea")
    flushed(rows)
    lexicon = Lexicon(1, cache_bytes=0)
    for _ in range(2):
        assert asked(lexicon, rows, catalogue(2), "red", "sea") == {"red": [(0, 1), (1, 1)], "sea": [(1, 2)]}
    assert lexicon._blocks._bytes == lexicon._answers._bytes == 0


def test_a_segment_that_is_asked_for_often_is_decoded_whole(rows: Counting) -> None:
    add(rows, 1, "red kite", "red sea", "deep blue")
    flushed(rows)
    view = catalogue(3, dead=(2,))
    lexicon = Lexicon(1, open_after=2)
    assert asked(lexicon, rows, view, "red", "kite") == {"red": [(0, 1)], "kite": [(0, 2)]}
    rows.asked.clear()
    assert asked(lexicon, rows, view, "blue", "none") == {"blue": [(2, 2)]}
    assert lexicon.frequencies(rows, rows.epoch, view, ["deep", "sea", "red"]) == {"deep": 1, "sea": 0, "red": 1}
    assert rows.asked == []
    missing_one = View(np.array([2, 3], np.int64), None, 1)  # passages of a new generation, without the first
    assert asked(lexicon, rows, missing_one, "red", "kite", "blue") == {"red": [(0, 1)], "blue": [(1, 2)]}
    asked(lexicon, rows, missing_one, "sea", "deep")
    assert lexicon.frequencies(rows, rows.epoch, missing_one, ["kite", "red", "sea"]) == {"kite": 0, "red": 1, "sea": 1}


def test_a_segment_without_room_stays_as_it_is_stored(rows: Counting) -> None:
    add(rows, 1, "red kite", "red sea")
    flushed(rows)
    lexicon = Lexicon(1, open_after=1, cache_bytes=100)
    for word in ("red", "kite", "sea", "red"):
        assert word in asked(lexicon, rows, catalogue(2), word)
    assert [what for what in rows.asked if what.startswith("block")] == [
        f"block 1 {w}" for w in ("red", "kite", "sea", "red")
    ]


def test_counted_words_are_kept_up_to_a_limit(rows: Counting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recent, "COUNTS_MAX", 2)
    add(rows, 1, "red kite", "red sea")
    lexicon, view = Lexicon(1), catalogue(2)
    for words in (["red", "kite"], ["sea", "none"], ["red"]):
        counts = lexicon.frequencies(rows, rows.epoch, view, words)
        assert counts == {word: {"red": 2, "kite": 1, "sea": 1}.get(word, 0) for word in words}
        assert len(lexicon._answers.counts) <= 2


def test_what_was_rolled_back_is_forgotten_on_request(rows: Counting) -> None:
    lexicon = Lexicon(1)
    rows.connection.execute("BEGIN")
    add(rows, 1, "red")
    flushed(rows)
    assert asked(lexicon, rows, catalogue(1), "red") == {"red": [(0, 1)]}
    rows.connection.execute("ROLLBACK")
    lexicon.clear()
    add(rows, 1, "blue")
    flushed(rows)
    assert asked(lexicon, rows, catalogue(1), "red", "blue") == {"blue": [(0, 1)]}


def test_a_missing_segment_is_damage(rows: Counting) -> None:
    with pytest.raises(StoreDamagedError, match="segment 5"):
        rows.segment(5)


def test_every_change_of_segments_raises_the_epoch_of_its_owner_only(rows: Counting) -> None:
    add(rows, 1, "red", "red")
    add(rows, 3, "red", ns=2)
    assert rows.epoch == 0
    rows.remove_tail([2])
    assert rows.epoch == 1
    segment = rows.write_segment(1, np.array([1], np.int64), [])
    assert rows.epoch == 2
    rows.clear_tail(1, 3)
    assert rows.epoch == 3
    rows.drop_segments(1, [segment])
    assert rows.epoch == 4
    assert rows.tail_size(2) == 1
    assert rows.connection.execute("SELECT epoch FROM namespaces WHERE ns = 2").get == 0


def test_threads_with_different_snapshots_share_one_lexicon(tmp_path: Path) -> None:
    path = str(tmp_path / "store.db")
    writer = apsw.Connection(path)
    writer.execute("PRAGMA journal_mode = wal").fetchall()
    writer.execute(SCHEMA)
    writer.execute("INSERT INTO namespaces (ns, name, created_at) VALUES (1, 'a', 0)")
    rows = LexiconRows(writer)
    lexicon = Lexicon(1)
    wrong: list[str] = []
    done = threading.Event()

    def read() -> None:
        connection = apsw.Connection(path)
        connection.set_busy_timeout(5_000)
        held = LexiconRows(connection)
        while not done.is_set():
            with connection:
                epoch, count = connection.execute("SELECT epoch, seq FROM namespaces WHERE ns = 1").get
                found = lexicon.postings(held, epoch, catalogue(count), ["red", "odd"])
                red = found["red"].ordinals.tolist() if "red" in found else []
                odd = found["odd"].ordinals.tolist() if "odd" in found else []
                if red != list(range(count)) or odd != list(range(0, count, 2)):
                    wrong.append(f"epoch {epoch}, {count} rows: {red[-3:]} {odd[-3:]}")
        connection.close()

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for pid in range(1, 301):
        with writer:
            add(rows, pid, "red odd" if pid % 2 else "red")
            writer.execute("UPDATE namespaces SET seq = ? WHERE ns = 1", (pid,))
            maintain(rows, 1, tail_max=7, fan=3, segment_max=100)
    done.set()
    for thread in threads:
        thread.join()
    writer.close()
    assert wrong == []


def test_one_passage_in_64_says_that_upkeep_is_due_whatever_the_pattern_of_writers() -> None:
    assert due(list(range(64)))
    assert not due([])
    for step in (1, 2, 3, 7, 64, 100, 128, 1_000):  # one writer of many, taking every step-th id
        said = sum(due([first + 1]) for first in range(0, 20_000 * step, step))
        assert 0.5 < said / (20_000 / 64) < 2.0
