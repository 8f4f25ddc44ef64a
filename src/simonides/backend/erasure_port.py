"""What does erasing need from a database? Which rows, and that every trace of them goes in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from simonides.model.predicate import Predicate


class Extent(NamedTuple):
    """How much some thoughts were."""

    versions: int
    passages: int


class ErasureReader(Protocol):
    """Who is meant? Ended thoughts too: what was deleted is still in the history."""

    def newest(self) -> int:
        """The last row id so far, so that a selection has an end while others write."""
        ...

    def where(self, ns: int, predicate: Predicate, after: int, upto: int, limit: int) -> list[int]:
        """Row ids above `after`, ascending, whose last version satisfies a filter."""
        ...

    def count(self, ns: int, predicate: Predicate) -> int:
        """How many `where` would give in all."""
        ...

    def of_ids(self, ns: int, thought_ids: Sequence[str]) -> list[int]:
        """Row ids of public ids; unknown ones are left out."""
        ...

    def some(self, ns: int, limit: int) -> list[int]:
        """Row ids of a namespace, any of them."""
        ...

    def names(self, tids: Sequence[int]) -> dict[int, str]:
        """Row id → public id."""
        ...

    def reflections_on(self, ns: int, tids: Sequence[int]) -> list[int]:
        """Reflections that were made from some thoughts, and so may quote them."""
        ...

    def edges_of(self, tids: Sequence[int]) -> list[str]:
        """Public ids of the edges that touch some thoughts."""
        ...

    def texts(self, tids: Sequence[int]) -> list[str]:
        """What some thoughts ever said, every revision of it."""
        ...

    def erased_since(self, ns: int, seq: int) -> bool:
        """Whether anything of a namespace was erased after a seq."""
        ...

    def stale_trees(self) -> list[int]:
        """Namespaces whose topic tree was built before something of theirs was erased, and may show it."""
        ...


class ErasureWriter(ErasureReader, Protocol):
    """Inside the caller's transaction."""

    def erase(self, ns: int, seq: int, tids: Sequence[int]) -> Extent:
        """Deletes everything of some thoughts but their journal rows. seq: of the change, for caches."""
        ...

    def trace(self, after: int) -> int | None:
        """Deletes records about erased thoughts, a bounded number of rows; where to go on, None at the end."""
        ...

    def end_namespace(self, ns: int) -> None:
        """Deletes what a namespace without thoughts still has, its name included."""
        ...

    def sweep(self) -> None:
        """Deletes names that nothing carries any more and rewrites the full-text index without deleted words."""
        ...
