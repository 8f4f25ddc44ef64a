"""Writes the store that later versions must open: `python tests/compat/build_store.py`.

Once for each released version, into tests/compat/files/store-VERSION.db.gz, beside an anchor of its journal; a file of
a released version is never written again. Until the first release it is remade when the schema has changed.
"""

from __future__ import annotations

import gzip
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import simonides
from simonides.clock import to_instant

FILES = Path(__file__).parent / "files"
START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ODD = "one\u2028two\x00three\ud7ff \U0001f600 \ufeffline\r\nend  "


class Clock:
    """A minute passes at every step."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> int:
        return to_instant(self.now)

    def step(self) -> None:
        self.now += timedelta(minutes=1)


def fill(store: simonides.Store, clock: Clock) -> None:
    """A little of everything that a store can hold. What is written here is what test_stored_files.py expects."""
    store.remember(ODD, thought_id="odd", metadata={"k": ODD, "n": [1, 2.5, None, True], "big": 2**62})
    store.remember("The code of the door is 4471", thought_id="code", speaker="Ana", session="talk", concepts=["door"])
    store.remember("The harbour is full of blue boats", thought_id="boats", speaker="Ben", session="talk")
    store.create_thought(
        content="Ana lives in Oslo", thought_id="oslo", valid_from="2020-01-01", valid_until="2026-01-01", pinned=True,
        confidence=0.5, created_cycle=3, updated_cycle=9, source="diary", essence="home",
    )  # fmt: skip
    store.create_thought(content='{"members": ["code"]}', essence="codes", thought_id="r", thought_type="REFLECTION")
    store.link("r", "code", "CONSOLIDATED_FROM")
    store.link("boats", "code", weight=0.25, metadata={"a": 1}, valid_from="2026-01-01", reason="both are blue")
    store.alias_concept("gate", "door")
    store.topics.create("home/doors", title="Doors")
    store.topics.file("code", "home/doors")
    store.remember("long. " * 700 + "kingfisher", thought_id="long", namespace="other")
    store.remember("nobody's", thought_id="x", namespace="third")
    clock.step()
    store.update_thought("code", content="The code of the door is 9083", priority="P1", reason="new lock")
    store.annotate("code", ["lock"], replace=True)
    store.unlink("boats", "code")
    store.remember("There is a card reader now", thought_id="reader", supersedes="code")
    store.archive_thought("boats", reason="season is over")
    store.log.seal(reason="first")
    clock.step()
    store.remember("will be deleted", thought_id="dead")
    store.delete_thought("dead", reason="a mistake")
    store.remember("will be forgotten", thought_id="gone")
    store.forget(thought_ids=["gone"], reason="asked for")
    store.purge(namespace="third", confirm="third", reason="asked for")
    store.recall("which code has the door?")


def main() -> None:
    FILES.mkdir(exist_ok=True)
    clock = Clock()
    name = f"store-{simonides.__version__}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        with simonides.open(path, embedder="hashing:32", clock=clock, actor="builder") as store:
            fill(store, clock)
            anchor = store.log.anchor().to_bytes()
            assert store.verify(anchor=anchor).ok
            store.compact()
        data = gzip.compress(path.read_bytes(), mtime=0)
    (FILES / f"{name}.db.gz").write_bytes(data)
    (FILES / f"{name}.anchor.json").write_bytes(anchor + b"\n")
    sys.stdout.write(f"{name}: {len(data):,} bytes\n")


if __name__ == "__main__":
    main()
