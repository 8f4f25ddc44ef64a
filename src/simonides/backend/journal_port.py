"""What do sealing and pruning the journal need from a database? The end of the chain, seals, and what is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Link(NamedTuple):
    """A link of the chain. seq 0: there is none yet."""

    seq: int
    at: int
    hash: bytes


class StoredSeal(NamedTuple):
    """A sealed segment. last_at: the latest instant up to it. kept: digest of what pruning kept, of the newest only."""

    first_seq: int
    last_seq: int
    last_at: int
    hash: bytes
    pruned: int
    kept: bytes | None


class KeptRow(NamedTuple):
    """What is kept of a pruned row."""

    seq: int
    at: int
    ns: int
    kind: str
    subject_id: str
    revision: int | None
    digest: bytes


class JournalReader(Protocol):
    """Of one snapshot."""

    def seals(self) -> list[StoredSeal]: ...
    def pruned(self) -> StoredSeal | None: ...
    def end(self) -> Link: ...
    def end_before(self, at: int) -> Link: ...
    def latest_at(self, seq: int) -> int: ...
    def hash_at(self, seq: int) -> bytes | None: ...
    def kept(self) -> list[KeptRow]: ...


class JournalWriter(JournalReader, Protocol):
    """Inside the caller's transaction."""

    def add_seal(self, first_seq: int, last: Link) -> None: ...
    def mark_pruned(self, last: int, horizon: int) -> bytes: ...
    def prune_some(self, last: int, horizon: int | None) -> bool: ...
    def restore_seals(self, seals: Sequence[StoredSeal]) -> None: ...
    def restore_kept(self, rows: Sequence[KeptRow]) -> None: ...
