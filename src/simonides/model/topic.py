"""What is a topic, to a reader, and how well does the tree find?"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic of a namespace. name: its key. label: words that set its members apart. depth 0: the root.

    kept: whether it is in the file. A kept key is stable, and filters take it; a map drawn for a look has other ones.
    """

    name: str
    parent: str | None
    label: str
    count: int
    depth: int
    is_leaf: bool
    kept: bool = True


@dataclass(frozen=True, slots=True)
class TopicCheck:
    """What a look at the tree of a namespace found.

    vectors: in the tree; tail: not in it yet, compared exhaustively. beam: topics kept per round, after adapting.
    recall: share of the ten nearest that the beam finds. scored: share of all vectors compared, centroids included.
    """

    namespace: str
    vectors: int
    tail: int
    topics: int
    leaves: int
    height: int
    beam: int
    recall: float
    scored: float
    goal: float
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether the tree is sound and reaches the goal."""
        return not self.problems and self.recall >= self.goal
