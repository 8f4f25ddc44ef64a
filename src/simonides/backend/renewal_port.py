"""What does a change of the embedding model need from a database? A second set of vectors beside the one in use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Unrenewed(NamedTuple):
    """A passage that has no vector of the model to come."""

    pid: int
    text: str


class RenewalReader(Protocol):
    def todo(self, after_pid: int, limit: int) -> list[Unrenewed]:
        """Passages of all namespaces above an id, ids ascending."""
        ...

    def progress(self) -> tuple[int, int]:
        """(passages, those that are done). Reads all of them."""
        ...

    def total(self) -> int:
        """Passages of all namespaces."""
        ...

    def sizes(self) -> dict[int, int]:
        """Namespace → how many vectors of the model to come there are."""
        ...

    def page(self, ns: int, after_pid: int, limit: int) -> list[tuple[int, bytes]]:
        """Vectors that were made before the namespace's tree to come was begun, by passage, ids ascending."""
        ...


class RenewalWriter(RenewalReader, Protocol):
    """Inside the caller's transaction."""

    def put(self, vectors: Sequence[tuple[int, bytes]]) -> None:
        """Stores vectors of the model to come; empty bytes: the text has none. Passages that went are left out.

        Once `meta` says that the namespace's tree has been begun, their seq is behind that of the tree.
        """
        ...

    def clear(self) -> None:
        """Forgets them."""
        ...

    def switch(self) -> None:
        """Makes them the ones in use; passages without one wait for it. The caller sets the model and the journal."""
        ...
