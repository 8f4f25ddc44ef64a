"""What does forgetting need to know from a database?"""

from __future__ import annotations

from typing import NamedTuple, Protocol


class AgedRow(NamedTuple):
    """A current thought that nobody wrote or was shown since an instant, and what may protect it.

    last: instant of the last use. Flags: a living reflection was made from it; another thought depends on it; a
    conflict about it waits; something supersedes it.
    """

    tid: int
    thought_id: str
    revision: int
    thought_type: int
    priority: int
    pinned: int
    confidence: float | None
    access_count: int
    confirmation_count: int
    last: int
    feeds: int
    needed: int
    disputed: int
    superseded: int


class ShelvedRow(NamedTuple):
    """A thought as it was left by an archiving with a given reason, or one whose time is up. at: since when."""

    tid: int
    thought_id: str
    revision: int
    at: int
    cycle: int
    pinned: int


class HygieneReader(Protocol):
    """Reads of one snapshot. Pages go by row id."""

    def living(self, ns: int, now: int) -> int: ...
    def cold(self, ns: int, before: int, now: int, after_tid: int, limit: int) -> list[AgedRow]: ...
    def shelved(self, ns: int, reason: str, after_tid: int, limit: int) -> list[ShelvedRow]: ...
    def expired(self, ns: int, before: int, *, archived: bool, limit: int) -> list[ShelvedRow]: ...
