"""What is kept of arrays that a process made from rows, for the process that opens the store next?

All of it is derived. A body is bytes as somebody packed them; the database keeps them whole.
"""

from __future__ import annotations

from typing import Protocol


class KeptReader(Protocol):
    """Reads of one snapshot."""

    def catalogue(self, ns: int) -> tuple[int, bytearray] | None:
        """A seq and the packed columns of the catalogue that was true then; None when none is kept."""
        ...

    def catalogue_seq(self, ns: int) -> int:
        """The seq of what `catalogue` gives; 0 when none is kept."""
        ...

    def tree(self, ns: int, version: int, epoch: int) -> bytearray | None:
        """The packed topic tree of one epoch; None when it is not kept."""
        ...

    def has_tree(self, ns: int) -> bool:
        """Whether a tree of whatever epoch is kept."""
        ...


class KeptWriter(KeptReader, Protocol):
    """Writes inside the caller's transaction."""

    def keep_catalogue(self, ns: int, seq: int, body: bytes) -> None:
        """In the place of what was kept."""
        ...

    def drop_catalogue(self, ns: int) -> None: ...

    def keep_tree(self, ns: int, version: int, epoch: int, body: bytes) -> None:
        """In the place of what was kept. Whoever writes another head of the tree takes it away."""
        ...
