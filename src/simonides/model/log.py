"""What was asked and shown, what would be shown now, and what lies between?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simonides.model.answer import HybridSearchResult, Part
    from simonides.model.thought import Json


@dataclass(frozen=True, slots=True)
class LoggedHit:
    """A hit as it was shown: which thought at which revision, and what every leg and signal added.

    digest: SHA-256 of the content, hexadecimal. start, stop: the passage, in code points. cut: characters shown when
    a budget cut the text. reflection: it stood beside the evidence.
    """

    thought_id: str
    namespace: str
    revision: int
    digest: str
    rank: int
    score: float
    parts: tuple[Part, ...]
    start: int
    stop: int
    cut: int | None = None
    copies: int = 0
    superseded_by: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    supported_by: tuple[str, ...] = ()
    reflection: bool = False


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One row of the retrieval log.

    mode: the legs that really ran, "fts", "vector", "fts+vector" or "none". query: None when texts are not kept.
    profile: counts and top scores per leg, weights, filters, reading, degradations. now: what the question took for
    the present. seqs: how far each namespace was. trees: version of each topic tree that was walked. plan: hash.
    """

    query_id: str
    at: datetime
    namespaces: tuple[str, ...]
    verb: str
    recipe: str
    mode: str
    query_hash: str
    query: str | None
    profile: Mapping[str, Json]
    sources: tuple[LoggedHit, ...]
    now: datetime
    seqs: Mapping[str, int]
    trees: Mapping[str, int]
    plan: str

    def to_dict(self) -> dict[str, Json]:
        """JSON values."""
        return {
            "query_id": self.query_id,
            "at": self.at.isoformat(),
            "namespaces": list(self.namespaces),
            "verb": self.verb,
            "recipe": self.recipe,
            "mode": self.mode,
            "query_hash": self.query_hash,
            "query": self.query,
            "profile": dict(self.profile),
            "sources": [_hit(hit) for hit in self.sources],
            "now": self.now.isoformat(),
            "seqs": dict(self.seqs),
            "trees": dict(self.trees),
            "plan": self.plan,
        }


def _hit(hit: LoggedHit) -> dict[str, Json]:
    out: dict[str, Json] = {}
    for name in hit.__slots__:
        value = getattr(hit, name)
        if name == "parts":
            out[name] = [part._asdict() for part in hit.parts]
        else:
            out[name] = list(value) if isinstance(value, tuple) else value
    return out


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not as it was. kind: thought, tree, config, ranking, answer, plan or query.

    subject: a thought id, a namespace, the name of a setting or of a part of the answer. None: not there.
    """

    kind: str
    subject: str
    before: Json
    after: Json

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}: {_short(self.before)} → {_short(self.after)}"


def _short(value: Json) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= 80 else text[:79] + "…"


@dataclass(frozen=True, slots=True)
class Replay:
    """A logged question, asked again by its stored plan.

    identical: the answer is the same to the last digit, query id and timings apart. differences: what changed since,
    in the answer and in what it was made from; a change that did not reach the answer is named too.
    answer: the new one; None when the question could not be asked again.
    """

    query_id: str
    identical: bool
    differences: tuple[Difference, ...]
    answer: HybridSearchResult | None

    def __bool__(self) -> bool:
        return self.identical

    def __str__(self) -> str:
        head = f"{self.query_id}: {'identical' if self.identical else 'not identical'}"
        return "\n".join([head, *(f"  {difference}" for difference in self.differences)])
