"""What does the doctor need from a database? Relations that `check` does not look at, and how to mend."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from simonides.model.trail import Problem


class Bare(NamedTuple):
    """A current thought that has no passage."""

    tid: int
    ns: int
    seq: int
    content: str
    essence: str | None
    speaker: str | None


class DoctorReader(Protocol):
    def facts(self) -> dict[str, int]:
        """How much there is, free space and unfinished work included."""
        ...

    def problems(self, dimension: int | None) -> list[Problem]:
        """Orphans, circles of SUPERSEDES, vectors of a wrong length, postings that are not there."""
        ...


class DoctorWriter(DoctorReader, Protocol):
    """Inside the caller's transaction."""

    def reindex(self) -> None:
        """Makes the database's own indexes anew from their tables."""
        ...

    def mend(self, dimension: int | None) -> None:
        """Takes out what belongs to nobody, and the full-text index, to be filled again."""
        ...

    def bare(self) -> Iterator[Bare]:
        """Current thoughts without a passage."""
        ...
