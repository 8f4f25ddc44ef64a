"""What changed, what is in the store, and is it sound?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Change:
    """One row of the journal: something was created, updated, archived, restored, deleted, linked …

    `digest` is a salted SHA-256 of the payload, `hash` chains it to the row before.
    """

    seq: int
    at: datetime
    actor: str
    reason: str | None
    kind: str
    namespace: str
    subject_id: str
    revision: int | None
    digest: str
    hash: str


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of one namespace and facts about the file."""

    namespace: str
    thoughts: int
    by_type: Mapping[str, int]
    by_status: Mapping[str, int]
    passages: int
    edges: int
    vectors: int
    pending_embeddings: int
    sessions: int
    speakers: int
    journal_rows: int
    fts_match_failure_count: int
    model_id: str | None
    dimension: int | None
    file_bytes: int
    schema_version: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Something `verify` found: where, and what is wrong."""

    check: str
    subject: str
    message: str


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of `verify`: how much was checked and what was wrong. True when nothing was."""

    journal_rows: int
    thoughts: int
    problems: tuple[Problem, ...]

    @property
    def ok(self) -> bool:
        return not self.problems

    def __bool__(self) -> bool:
        return self.ok


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Where a thought went in a search. found: it is a hit. stage: what became of it, one of

    found, archived, expired, not_valid (at that time), retired, reflection, filter, excluded (by the query's NOT),
    pool (no leg returned it), superseded (and left out for it), min_score, collapsed, evicted, alike (a better hit
    says nearly the same), cut (below top_k), budget, no_legs (nothing to search with).
    numbers: ranks, scores and limits that the sentence speaks of.
    """

    thought_id: str
    found: bool
    stage: str
    sentence: str
    numbers: Mapping[str, float | int | str | None]

    def __str__(self) -> str:
        return self.sentence
