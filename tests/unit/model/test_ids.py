"""UUIDv7: the bits of RFC 9562, in order, never twice."""

from __future__ import annotations

import threading
from uuid import UUID

from simonides.model import ids
from simonides.model.ids import new_id


def test_an_id_holds_its_milliseconds_version_and_variant(monkeypatch) -> None:
    monkeypatch.setattr(ids, "_last", 0)
    made = UUID(new_id(1_700_000_000_123_456))
    assert made.version == 7
    assert made.variant == "specified in RFC 4122"
    assert made.int >> 80 == 1_700_000_000_123
    assert (made.int >> 64) & 0xFFF == 456 * 4


def test_ids_of_one_instant_go_up_and_a_clock_that_goes_back_does_not_matter() -> None:
    made = [new_id(instant) for instant in (5_000_000, 5_000_000, 4_000_000, 0, 5_000_001)]
    assert made == sorted(made)
    assert len(set(made)) == 5


def test_ids_of_many_threads_are_all_different() -> None:
    made: list[str] = []
    threads = [threading.Thread(target=lambda: made.extend(new_id(0) for _ in range(500))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(set(made)) == 4_000
