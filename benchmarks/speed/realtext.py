"""Real text as a corpus: sentences found on the machine, with vectors of the built-in embedder.

Finding them takes a while, so they are kept in the working folder of a benchmark; every process reads them there.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.speed.corpus import BLOCK, Block, Question, Vectors
from benchmarks.speed.sentences import sentences
from simonides.embedders import resolve

_WORD = re.compile(r"[^\W_]+")
_BEGIN = ("what is the", "how do I", "when did we", "which of the", "why does the", "where is", "who has")
WINDOW = (5, 9)  # words of a stored sentence that a question repeats


class RealText:
    """`size` sentences, or as many as were found. Questions are question words and some words of a sentence."""

    name = "sentences"

    def __init__(self, size: int, folder: Path) -> None:
        self._texts = folder / f"sentences-{size}.txt"
        self._rows = folder / f"sentences-{size}.npy"
        if not self._rows.exists():
            _prepare(size, self._texts, self._rows)
        shape = np.load(self._rows, mmap_mode="r").shape
        self.size, self.dimension = int(shape[0]), int(shape[1])

    def blocks(self) -> Iterator[Block]:
        with self._texts.open(encoding="utf-8") as lines:
            for ids, vectors in self.vector_blocks():
                yield Block(ids, [next(lines).rstrip("\n") for _ in ids], vectors)

    def vector_blocks(self) -> Iterator[tuple[list[str], Vectors]]:
        rows = np.load(self._rows, mmap_mode="r")
        for start in range(0, self.size, BLOCK):
            block = np.array(rows[start : start + BLOCK])
            yield [f"sentence-{start + n:08d}" for n in range(len(block))], block

    def questions(self, count: int) -> list[Question]:
        chance = random.Random(5)
        long = [w for w in map(_WORD.findall, self._texts.open(encoding="utf-8")) if len(w) >= WINDOW[1]]
        asked: list[str] = []
        for _ in range(count):
            words = chance.choice(long)
            length = chance.randint(*WINDOW)
            at = chance.randrange(len(words) - length + 1)
            asked.append(" ".join([chance.choice(_BEGIN), *words[at : at + length]]))
        embedder = resolve(None)
        assert embedder is not None
        return list(zip(asked, embedder.embed_queries(asked), strict=True))


def _prepare(size: int, texts: Path, rows: Path) -> None:
    """Writes sentences and their vectors; those that the embedder knows nothing about are left out."""
    embedder = resolve(None)
    assert embedder is not None
    found = [" ".join(text.split()) for text in sentences(size + size // 20)]
    vectors = np.concatenate([embedder.embed_documents(found[n : n + BLOCK]) for n in range(0, len(found), BLOCK)])
    kept = np.flatnonzero(vectors.any(axis=1))[:size]
    texts.write_text("".join(f"{found[n]}\n" for n in kept.tolist()), encoding="utf-8")
    np.save(rows, np.ascontiguousarray(vectors[kept], np.float32))
