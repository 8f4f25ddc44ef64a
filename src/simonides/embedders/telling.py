"""How much does an English word say by itself? The built-in table knows: words of every text have short rows."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from simonides.embedders.builtin import load_table

NOTHING, ENOUGH = 0.8, 2.2  # length of a row: "the" has 0.4, "great" 1.1, "week" 2.1, "painting" 2.8


def telling(words: Iterable[str]) -> dict[str, float]:
    """Word → 0 to 1, the square of where its row's length lies between nothing and enough.

    A word that the table does not know whole, such as a name, says enough. Words are folded ones.

    >>> found = telling(["great", "painting", "qwertzuiop"])
    >>> found["great"] < 0.1, found["painting"], found["qwertzuiop"]
    (True, 1.0, 1.0)
    """
    table = load_table()
    place = {token: n for n, token in enumerate(table.tokens)}
    distinct = list(dict.fromkeys(words))
    rows = np.array([table.row_of[place[word]] if word in place else -1 for word in distinct], np.int32)
    lengths = np.full(len(distinct), np.inf)
    known = np.flatnonzero(rows >= 0)
    for start in range(0, len(known), 4_096):
        part = known[start : start + 4_096]
        lengths[part] = np.linalg.norm(table.unpack(rows[part]), axis=1)
    shares = np.clip((lengths - NOTHING) / (ENOUGH - NOTHING), 0.0, 1.0) ** 2
    return dict(zip(distinct, shares.tolist(), strict=True))
