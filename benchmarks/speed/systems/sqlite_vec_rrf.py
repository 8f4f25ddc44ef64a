"""sqlite-vec and FTS5 in one file, fused by reciprocal ranks: the usual recipe for hybrid search in SQLite."""

from __future__ import annotations

import re

import apsw
import sqlite_vec

from benchmarks.speed.corpus import Block
from benchmarks.speed.systems import FUSED, Vector, fuse

PACKAGES = ("sqlite-vec", "apsw")
NOTE = "`vec0` table (exact scan) and FTS5 `bm25()` in one file, reciprocal rank fusion"


class SqliteVec:
    def __init__(self, path: str, dimension: int) -> None:
        self._db = apsw.Connection(path)
        self._db.enable_load_extension(True)
        self._db.load_extension(sqlite_vec.loadable_path())
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("CREATE TABLE IF NOT EXISTS notes (n INTEGER PRIMARY KEY, id TEXT UNIQUE, body TEXT)")
        words = "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (body, content='notes', content_rowid='n')"
        self._db.execute(words)
        vectors = f"CREATE VIRTUAL TABLE IF NOT EXISTS vectors USING vec0 (v float[{dimension}] distance_metric=cosine)"
        self._db.execute(vectors)

    def store(self, block: Block) -> None:
        with self._db:
            for name, body, row in zip(block.ids, block.texts, block.vectors, strict=True):
                self._db.execute("INSERT INTO notes (id, body) VALUES (?, ?)", (name, body))
                n = self._db.last_insert_rowid()
                self._db.execute("INSERT INTO words (rowid, body) VALUES (?, ?)", (n, body))
                self._db.execute("INSERT INTO vectors (rowid, v) VALUES (?, ?)", (n, row.tobytes()))

    def text(self, text: str, limit: int = 10) -> list[str]:
        match = " OR ".join(f'"{w}"' for w in dict.fromkeys(re.findall(r"\w+", text.lower())))
        sql = "SELECT id FROM words JOIN notes ON n = words.rowid WHERE words MATCH ? ORDER BY bm25(words) LIMIT ?"
        return [name for (name,) in self._db.execute(sql, (match, limit))]

    def vector(self, vector: Vector, limit: int = 10) -> list[str]:
        near = "SELECT rowid, distance FROM vectors WHERE v MATCH ? AND k = ?"
        sql = f"SELECT id FROM ({near}) AS near JOIN notes ON n = near.rowid ORDER BY distance"
        return [name for (name,) in self._db.execute(sql, (vector.tobytes(), limit))]

    def hybrid(self, text: str, vector: Vector) -> list[str]:
        best = fuse(self.text(text, FUSED), self.vector(vector, FUSED))
        marks = ",".join("?" * len(best))
        self._db.execute(f"SELECT id, body FROM notes WHERE id IN ({marks})", best).fetchall()
        return best

    def close(self) -> None:
        self._db.close()


def open(path: str, dimension: int) -> SqliteVec:
    return SqliteVec(path, dimension)
