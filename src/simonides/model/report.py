"""What did a piece of work on a whole store do? What was erased, moved, copied, repaired or embedded anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simonides.model.thought import Json
    from simonides.model.trail import Problem


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What `forget` or `purge` erased. count: thoughts that were meant; reflections: those made from them.

    versions, passages and edges count what both had. Until `compact` their bytes may still be in the file.
    """

    namespace: str
    count: int
    reflections: int = 0
    versions: int = 0
    passages: int = 0
    edges: int = 0


@dataclass(frozen=True, slots=True)
class Compacted:
    """What `compact` did: the file's size before and after. log_emptied: no reader kept the old pages alive."""

    bytes_before: int
    bytes_after: int
    log_emptied: bool


@dataclass(frozen=True, slots=True)
class Backup:
    """A finished and checked copy. seq: the journal's last change in it."""

    path: str
    size_bytes: int
    seq: int


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export holds, lines by kind, and what it leaves out on purpose, rows by kind."""

    path: str
    lines: Mapping[str, int]
    left_out: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class LineProblem:
    """A line of an export that was not taken, and why. Lines count from 1."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}"


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did. restored: into an empty store, with the journal as it was.

    added, known: thoughts that are new, or were there already and equal. edges: new ones. vectors: taken over;
    pending: passages that `embed_pending` has to do. left_out: lines by kind that were skipped on purpose.
    """

    restored: bool
    added: int
    known: int
    edges: int
    vectors: int
    pending: int
    left_out: Mapping[str, int]
    problems: tuple[LineProblem, ...]
    problem_count: int

    @property
    def ok(self) -> bool:
        return not self.problem_count


@dataclass(frozen=True, slots=True)
class Reembedded:
    """What `reembed` did. made: passages that got a vector of the new model or are known to have none.

    left_pending: passages without a vector yet, which `embed_pending` does. switched: False when the store had this
    model already. queued: it goes on in the background, and nothing was made so far.
    """

    model_id: str
    made: int
    left_pending: int
    switched: bool
    passages_per_s: float
    queued: bool = False


@dataclass(frozen=True, slots=True)
class Reembedding:
    """How far a change of the model is: done of total passages. Until it has switched, the old vectors answer.

    state: running; waiting, for a process that has the embedder or for another attempt after `error`; failed, when
    its job was given up; stopped, when nobody was at work for a minute and no job will be; and of one that is over
    switched or cancelled. passages_per_s: of the last run. heard_at: when the last vectors came. job_id: of the job
    that goes on with it, None where there is none.
    """

    model_id: str
    state: str
    done: int
    total: int
    passages_per_s: float
    heard_at: datetime | None = None
    job_id: int | None = None
    error: str | None = None

    @property
    def over(self) -> bool:
        return self.state in ("switched", "cancelled", "failed")

    @property
    def seconds_left(self) -> float | None:
        """At the rate of the last run; None as long as there is none."""
        return round((self.total - self.done) / self.passages_per_s, 1) if self.passages_per_s else None

    def to_dict(self) -> dict[str, Json]:
        """JSON values."""
        out: dict[str, Json] = {name: getattr(self, name) for name in self.__slots__}
        out["heard_at"] = None if self.heard_at is None else self.heard_at.isoformat()
        return out | {"seconds_left": self.seconds_left}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What `doctor` found. opened: SQLite reads it. facts: counts and sizes; problems: what is wrong; repaired: what
    was made anew from the rows; hint: what to do next."""

    path: str
    opened: bool
    facts: Mapping[str, int | str]
    problems: tuple[Problem, ...]
    repaired: tuple[str, ...] = ()
    hint: str | None = None

    @property
    def ok(self) -> bool:
        return not self.problems
