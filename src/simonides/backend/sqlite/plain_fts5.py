"""What does SQLite's own full-text search find? The baseline a person writes in an afternoon, for comparison only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import TracebackType

import apsw

_STOP_TEXT = """
a an and are as at be by did do does for from had has have he her his how i in is it its me my of on or she that
the their them they this to was we were what when where which who whom whose why will with would you your
"""
STOP_WORDS = frozenset(_STOP_TEXT.split())
_WORD = re.compile(r"\w+")


class PlainFTS5:
    """Texts in an FTS5 table in memory; the words of a question are OR-ed and ranked by `bm25()`.

    stems: Porter stems, and stop words are dropped from questions that have other words. Use as a context manager.

    >>> with PlainFTS5(["a red kite", "blue sea"]) as index:
    ...     index.search("the kite", 10)
    [0]
    """

    def __init__(self, texts: Sequence[str], *, stems: bool = False) -> None:
        self._stems = stems
        self._db = apsw.Connection(":memory:")
        tokenizer = "porter unicode61" if stems else "unicode61"
        self._db.execute(f"CREATE VIRTUAL TABLE texts USING fts5(body, tokenize='{tokenizer}')")
        with self._db:
            self._db.executemany("INSERT INTO texts (rowid, body) VALUES (?, ?)", enumerate(texts))

    def search(self, question: str, limit: int) -> list[int]:
        """Positions of the best texts, best first; equal ones in the order given."""
        words = list(dict.fromkeys(_WORD.findall(question.lower())))
        if self._stems:
            words = [word for word in words if word not in STOP_WORDS] or words
        if not words:
            return []
        match = " OR ".join(f'"{word}"' for word in words)
        rows = self._db.execute(
            "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY bm25(texts), rowid LIMIT ?", (match, limit)
        )
        return [int(row[0]) for row in rows]

    def close(self) -> None:
        """Forget the table."""
        self._db.close()

    def __enter__(self) -> PlainFTS5:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
