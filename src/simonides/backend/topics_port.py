"""What does the topic tree need from a database?

A tree has one version in use, named by its head; rows of other versions are on their way in or out. Vectors that were
stored after `TreeHead.seq` are in no leaf yet: the tail.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from simonides.backend.rows import Ints


class TreeHead(NamedTuple):
    """Which tree a namespace has. version 0: none. model: as stored in `meta`.

    epoch rises with every change and never falls; a new version is numbered by the epoch it was begun at, plus one.
    """

    ns: int
    version: int
    epoch: int
    seq: int
    model: str
    dimension: int
    beam: int
    next_key: int
    built: int
    built_at: int


class TopicName(NamedTuple):
    """A topic without its centroid. level 0 is the root, its own parent."""

    key: int
    parent: int
    level: int
    size: int
    label: str


class TopicRow(NamedTuple):
    """A topic. centroid: little-endian float32 unit row; centroid · length is the sum of its members."""

    key: int
    parent: int
    level: int
    size: int
    length: float
    label: str
    centroid: bytes


class LeafMembers(NamedTuple):
    """A run of members of a leaf."""

    leaf: int
    part: int
    pids: Ints


class LeafPart(NamedTuple):
    """The same with codes. pids: int64; factors: float32; codes: int8, a row of the dimension per member."""

    leaf: int
    part: int
    pids: bytes
    factors: bytes
    codes: bytes


class CodesPart(NamedTuple):
    """The same without whose they are."""

    leaf: int
    factors: bytes
    codes: bytes


class Work(NamedTuple):
    """How far a rebalance is: finished stages, and a leaf number (int32) per passage (int64)."""

    owner: str
    version: int
    seq: int
    stage: int
    pids: bytes
    labels: bytes


class TopicsReader(Protocol):
    """Reads of one snapshot."""

    def head(self, ns: int) -> TreeHead | None:
        """The tree in use; None when there never was one."""
        ...

    def topics(self, ns: int, version: int) -> list[TopicRow]:
        """Every topic of a version, in no particular order."""
        ...

    def names(self, ns: int, version: int) -> list[TopicName]:
        """The same without centroids."""
        ...

    def size(self, ns: int, version: int) -> int:
        """How many vectors are in the leaves of a version."""
        ...

    def members(self, ns: int, version: int) -> list[LeafMembers]:
        """Who is in which leaf, by leaf and part."""
        ...

    def leaves(self, ns: int, version: int, leaves: Sequence[int]) -> list[LeafPart]:
        """The runs of some leaves, by leaf and part."""
        ...

    def codes(self, ns: int, version: int, leaves: Sequence[int]) -> list[CodesPart]:
        """The same without whose they are."""
        ...

    def tail_size(self, ns: int, seq: int, limit: int) -> int:
        """How many vectors were stored after a seq; counting stops at the limit."""
        ...

    def vectors_page(self, ns: int, seq: int, after: int, limit: int) -> list[tuple[int, bytes]]:
        """Vectors stored up to a seq, of passages above an id, ids ascending."""
        ...

    def texts(self, pids: Sequence[int]) -> dict[int, str]:
        """The texts of some passages; those that are gone are left out."""
        ...

    def work(self, ns: int) -> Work | None:
        """A rebalance that has begun and not finished."""
        ...


class TopicsWriter(TopicsReader, Protocol):
    """Writes inside the caller's transaction."""

    def put_head(self, head: TreeHead) -> None:
        """Makes a tree the one in use."""
        ...

    def put_topics(self, ns: int, version: int, topics: Sequence[TopicRow]) -> None:
        """New or changed topics."""
        ...

    def drop_topics(self, ns: int, version: int, topics: Sequence[int]) -> None:
        """Topics that have no members any more, by key."""
        ...

    def put_labels(self, ns: int, version: int, labels: Mapping[int, str]) -> None:
        """Other names for some topics, by key."""
        ...

    def put_parts(self, ns: int, version: int, parts: Sequence[LeafPart]) -> None:
        """Runs of members beside those that a leaf has."""
        ...

    def drop_leaves(self, ns: int, version: int, leaves: Sequence[int]) -> None:
        """Every run of some leaves."""
        ...

    def drop_others(self, ns: int, version: int, limit: int) -> int:
        """Rows of other versions, at most `limit` leaf runs; returns how many runs went.

        Those of a tree that `meta` names as one to come stay.
        """
        ...

    def drop_version(self, ns: int, version: int) -> None:
        """Every row of a version."""
        ...

    def put_work(self, ns: int, work: Work) -> None: ...

    def drop_work(self, ns: int) -> None: ...

    def clear(self, ns: int) -> None:
        """Gives the tree up, for instance because the model of the vectors changed; all vectors are tail again."""
        ...
