"""What a good engineer would write in fifty lines: FTS5 with bm25(), an exact numpy scan, reciprocal rank fusion."""

from __future__ import annotations

import re

import apsw
import numpy as np

from benchmarks.speed.corpus import Block
from benchmarks.speed.systems import FUSED, Vector, fuse

PACKAGES = ("apsw", "numpy")
NOTE = "FTS5 `bm25()` over all words joined by OR, numpy scan of all vectors in memory, reciprocal rank fusion"


class FiftyLines:
    def __init__(self, path: str, dimension: int) -> None:
        self._db = apsw.Connection(path)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("CREATE TABLE IF NOT EXISTS notes (n INTEGER PRIMARY KEY, id TEXT UNIQUE, body TEXT, v BLOB)")
        words = "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (body, content='notes', content_rowid='n')"
        self._db.execute(words)
        self._ids: list[str] = []
        self._matrix = np.empty((0, dimension), np.float32)

    def store(self, block: Block) -> None:
        with self._db:
            for name, body, row in zip(block.ids, block.texts, block.vectors, strict=True):
                self._db.execute("INSERT INTO notes (id, body, v) VALUES (?, ?, ?)", (name, body, row.tobytes()))
                self._db.execute("INSERT INTO words (rowid, body) VALUES (last_insert_rowid(), ?)", (body,))

    def _load(self) -> None:
        if not self._ids:
            count = self._db.execute("SELECT count(*) FROM notes").get
            self._matrix = np.empty((count, self._matrix.shape[1]), np.float32)
            for n, (name, v) in enumerate(self._db.execute("SELECT id, v FROM notes ORDER BY n")):
                self._ids.append(name)
                self._matrix[n] = np.frombuffer(v, np.float32)

    def text(self, text: str, limit: int = 10) -> list[str]:
        match = " OR ".join(f'"{w}"' for w in dict.fromkeys(re.findall(r"\w+", text.lower())))
        sql = "SELECT id FROM words JOIN notes ON n = words.rowid WHERE words MATCH ? ORDER BY bm25(words) LIMIT ?"
        return [name for (name,) in self._db.execute(sql, (match, limit))]

    def vector(self, vector: Vector, limit: int = 10) -> list[str]:
        self._load()
        scores = self._matrix @ vector
        best = np.argpartition(-scores, limit)[:limit]
        return [self._ids[n] for n in best[np.argsort(-scores[best])]]

    def hybrid(self, text: str, vector: Vector) -> list[str]:
        best = fuse(self.text(text, FUSED), self.vector(vector, FUSED))
        marks = ",".join("?" * len(best))
        self._db.execute(f"SELECT id, body FROM notes WHERE id IN ({marks})", best).fetchall()
        return best

    def close(self) -> None:
        self._db.close()


def open(path: str, dimension: int) -> FiftyLines:
    return FiftyLines(path, dimension)
