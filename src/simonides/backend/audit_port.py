"""What does the retrieval log need from a database?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol


@dataclass(frozen=True, slots=True)
class LogRow:
    """One question and what it showed. Everything but names, numbers and instants is JSON text.

    namespace: the one that was asked, "" when there were several. query: None when texts are not kept; bytes for a
    text with half a surrogate pair. vector: little-endian float32 unit row, when the caller gave one. plan: hash of
    the stored plan. reference: where the recency axis began.
    """

    query_id: str
    at: int
    namespace: str
    namespaces: str
    verb: str
    recipe: str
    mode: str
    query_hash: str
    query: str | bytes | None
    vector: bytes | None
    query_profile: str
    sources: str
    now: int
    reference: int | None
    plan: str
    seqs: str
    trees: str | None


class NewLog(NamedTuple):
    """A row with the text of its plan, which is stored once for all rows that share it."""

    row: LogRow
    plan: str


class ShownText(NamedTuple):
    """What a thought said at some revision, and who said it."""

    content: str
    speaker: str | None


class Access(NamedTuple):
    """How often a thought was shown since that was last written, and when at last."""

    namespace: str
    thought_id: str
    times: int
    last: int


class AuditReader(Protocol):
    """Reads of one snapshot. only: rows that asked this namespace and no other; else also those that asked several."""

    def get(self, query_id: str) -> LogRow | None: ...
    def place(self, query_id: str) -> int | None: ...
    def page(self, namespace: str, *, only: bool, before: int, limit: int) -> list[LogRow]: ...
    def count(self, namespace: str, *, only: bool) -> int: ...
    def plan(self, hash_: str) -> str | None: ...
    def shown(self, namespace: str, thought_id: str, revision: int) -> ShownText | None: ...


class AuditWriter(AuditReader, Protocol):
    """Writes inside the caller's transaction. No namespace counts as changed, the journal is left alone."""

    def add(self, rows: Sequence[NewLog]) -> None: ...
    def note_accesses(self, accesses: Sequence[Access]) -> None: ...
    def prune(self, before: int, rows_max: int, limit: int) -> int: ...
