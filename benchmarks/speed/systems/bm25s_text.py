"""bm25s: full text only, scores computed when the index is built; a new row means a new index."""

from __future__ import annotations

import json
from pathlib import Path

import bm25s

from benchmarks.speed.corpus import Block

PACKAGES = ("bm25s", "numpy")
NOTE = "built in one go from all texts, saved to a folder, loaded whole; English stop words; text only"


class Bm25s:
    def __init__(self, path: str) -> None:
        self._path = path
        self._names = Path(path) / "ids.json"
        self._ids: list[str] = []
        self._texts: list[str] = []
        if self._names.exists():
            self._index = bm25s.BM25.load(path)
            self._ids = json.loads(self._names.read_text("utf-8"))

    def store(self, block: Block) -> None:
        self._ids += block.ids
        self._texts += block.texts

    def finish(self) -> None:
        self._index = bm25s.BM25()
        self._index.index(bm25s.tokenize(self._texts, show_progress=False), show_progress=False)
        self._index.save(self._path)
        self._names.write_text(json.dumps(self._ids), "utf-8")

    def text(self, text: str) -> list[str]:
        words = bm25s.tokenize(text, show_progress=False)
        places, _ = self._index.retrieve(words, k=10, show_progress=False)
        return [self._ids[n] for n in places[0].tolist()]

    def close(self) -> None:
        pass


def open(path: str, dimension: int) -> Bm25s:
    return Bm25s(path)
