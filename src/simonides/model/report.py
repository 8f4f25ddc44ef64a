"""What did a piece of work on a whole store do? What was erased, moved, copied, repaired or embedded anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    model already.
    """

    model_id: str
    made: int
    left_pending: int
    switched: bool
    passages_per_s: float


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
