"""A corpus for timing, made block by block: any size, the same for every system and every run.

Texts are templated notes over a Zipf-like vocabulary with words of their own per cluster; vectors are unit cluster
centres plus noise, normalised. So words and vectors agree on what belongs together, as they do in real memories.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np
import numpy.typing as npt

DIMENSION = 384
VOCABULARY = 40_000
CLUSTER_MEMBERS = 200  # on average
TOPIC_WORDS = 30
NOISE = 0.9
BLOCK = 2_000
Vectors = npt.NDArray[np.float32]
_PEOPLE = (
    "Amara", "Bjorn", "Chen", "Dalia", "Emil", "Fatou", "Goran", "Hana", "Ivo", "Jun",
    "Kofi", "Lena", "Mateo", "Nadia", "Otto", "Pia", "Rafael", "Sana", "Tomas", "Uma",
)  # fmt: skip
_COMMON = (
    "the", "a", "of", "to", "in", "and", "is", "was", "for", "on", "with", "at",
    "by", "from", "that", "this", "my", "our", "it", "as", "be", "are", "had", "has",
    "not", "but", "they", "we", "you", "what", "when", "where", "who", "how", "about", "after",
    "before",
)  # fmt: skip
_NOTES = (
    "{who} told me that the {t0} {w0} was {w1} before the {t1} {w2}",
    "{who} likes {t0} more than {w0} when it comes to {t1} and {w1}",
    "Note from the meeting: {w0} {t0} needs a {w1} {t1} by the {n} of {w2}; ask {who}",
    "The {w0} fault in {t0} began after {w1} had set the {t1} value to {n}",
    "Do not forget: {who} ordered {n} {t0} {w0} for the {t1} in {w1}",
    "{t0} needs {t1} because {w0} {w1} {w2} was not {w3}",
    "Saw {w0} in {t0} run {n}: {w1} {w2} went up while {t1} went down",
    "We agreed to use {w0} in place of {t0}, see {w1} {t1} and talk to {who}",
)


Question = tuple[str, Vectors]


@dataclass(frozen=True, slots=True)
class Block:
    """Some rows: ids, texts and unit vectors (b, dimension) float32."""

    ids: list[str]
    texts: list[str]
    vectors: Vectors


class Rows(Protocol):
    """A corpus: rows in blocks, the same in every process, and questions about them."""

    name: str
    size: int
    dimension: int

    def blocks(self) -> Iterator[Block]: ...
    def vector_blocks(self) -> Iterator[tuple[list[str], Vectors]]:
        """Ids and vectors alone, for who needs no texts."""
        ...

    def questions(self, count: int) -> list[Question]: ...


@cache
def words() -> tuple[str, ...]:
    """Pronounceable words, most frequent first."""
    rng = np.random.default_rng(41)
    begin = [*"bcdfghjklmnprstvwz", "br", "dr", "fr", "gl", "kr", "pl", "st", "tr", "sh", "th"]
    middle = [*"aeiou", "ai", "ea", "io", "ou"]
    end = ["", "", "n", "r", "s", "t", "l", "m", "nd", "st", "x"]
    found: dict[str, None] = {}
    while len(found) < VOCABULARY:
        picks = rng.integers(0, [len(begin), len(middle), len(end)], size=(int(rng.integers(1, 4)), 3))
        found["".join(begin[a] + middle[b] + end[c] for a, b, c in picks)] = None
    return tuple(found)


class Corpus:
    """`size` drawn rows; blocks and questions depend on the size (it sets the number of clusters) and the seed only."""

    name = "drawn"
    dimension = DIMENSION

    def __init__(self, size: int, seed: int = 1) -> None:
        self.size = size
        self.seed = seed
        self.clusters = max(8, size // CLUSTER_MEMBERS)
        rng = np.random.default_rng(7)
        centres = rng.standard_normal((self.clusters, DIMENSION), dtype=np.float32)
        self._centres = centres / np.linalg.norm(centres, axis=1, keepdims=True)
        self._topics = rng.integers(200, VOCABULARY, size=(self.clusters, TOPIC_WORDS))
        weights = 1.0 / np.power(np.arange(1, VOCABULARY + 1) + 2.7, 1.05)
        self._zipf = np.cumsum(weights / weights.sum())

    def blocks(self) -> Iterator[Block]:
        """The rows, at most `BLOCK` at a time."""
        for start, (ids, vectors) in zip(range(0, self.size, BLOCK), self.vector_blocks(), strict=True):
            rng = np.random.default_rng((self.seed, start, 1))
            texts = [self._text(rng, int(cluster)) for cluster in self._clusters_of(start)]
            yield Block(ids, texts, vectors)

    def vector_blocks(self) -> Iterator[tuple[list[str], Vectors]]:
        """Ids and vectors of the same blocks."""
        for start in range(0, self.size, BLOCK):
            clusters = self._clusters_of(start)
            ids = [f"row-{self.seed}-{start + n:08d}" for n in range(len(clusters))]
            yield ids, self._vectors(np.random.default_rng((self.seed, start, 2)), clusters)

    def _clusters_of(self, start: int) -> npt.NDArray[np.int64]:
        rng = np.random.default_rng((self.seed, start))
        return rng.integers(0, self.clusters, size=min(BLOCK, self.size - start))

    def questions(self, count: int) -> list[Question]:
        """(text, unit vector): common words around two of a cluster and two of the vocabulary."""
        rng = np.random.default_rng((self.seed, 1 << 30))
        clusters = rng.integers(0, self.clusters, size=count)
        vectors = self._vectors(rng, clusters)
        found = []
        for n, cluster in enumerate(clusters):
            topic = [words()[w] for w in self._topics[cluster][rng.integers(0, TOPIC_WORDS, size=2)]]
            other = self._draw(rng, 2)
            common = [_COMMON[w] for w in rng.integers(0, len(_COMMON), size=3)]
            text = f"{common[0]} {common[1]} {topic[0]} {other[0]} {common[2]} {topic[1]} {other[1]}"
            found.append((text, vectors[n]))
        return found

    def _vectors(self, rng: np.random.Generator, clusters: npt.NDArray[np.int64]) -> Vectors:
        noise = rng.standard_normal((len(clusters), DIMENSION), dtype=np.float32)
        rows = self._centres[clusters] + noise * np.float32(NOISE / np.sqrt(DIMENSION))
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)

    def _draw(self, rng: np.random.Generator, count: int) -> list[str]:
        return [words()[min(int(w), VOCABULARY - 1)] for w in np.searchsorted(self._zipf, rng.random(count))]

    def _text(self, rng: np.random.Generator, cluster: int) -> str:
        sentences = []
        for _ in range(int(rng.integers(1, 4))):
            drawn = self._draw(rng, 4)
            topic = [words()[w] for w in self._topics[cluster][rng.integers(0, TOPIC_WORDS, size=2)]]
            note = _NOTES[int(rng.integers(0, len(_NOTES)))]
            who, number = _PEOPLE[int(rng.integers(0, len(_PEOPLE)))], int(rng.integers(1, 1000))
            sentence = note.format(
                who=who, n=number, t0=topic[0], t1=topic[1], w0=drawn[0], w1=drawn[1], w2=drawn[2], w3=drawn[3]
            )
            sentences.append(f"{sentence}.")
        return " ".join(sentences)
