"""What beyond `check` is wrong with a file that opens, and how is everything derived made anew from its rows?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from simonides.backend import sqlfile
from simonides.backend.doctor_port import Bare
from simonides.backend.sqlite.run import row, rows
from simonides.model.trail import Problem

if TYPE_CHECKING:
    import apsw

    from simonides.backend.rows import Ints

SQL = sqlfile.load("simonides.backend.sqlite", "check.sql")
FACTS = ("namespaces", "thoughts", "versions", "passages", "vectors", "pending_vectors", "edges", "journal_rows")


class DoctorRows:
    """Looks at relations between tables, and mends them inside a transaction."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def facts(self) -> dict[str, int]:
        """How much there is, free space and unfinished work included."""
        found = dict(zip(FACTS, row(self._connection, SQL["facts"]), strict=True))
        trees, _ = row(self._connection, SQL["trees"])
        page = int(self._connection.execute("PRAGMA page_size").get)
        return {
            **found,
            "topic_trees": trees,
            "vectors_of_a_model_to_come": row(self._connection, SQL["vectors_next_count"])[0],
            "schema": int(self._connection.execute("PRAGMA user_version").get),
            "bytes": int(self._connection.execute("PRAGMA page_count").get) * page,
            "free_bytes": int(self._connection.execute("PRAGMA freelist_count").get) * page,
        }

    def problems(self, dimension: int | None) -> list[Problem]:
        """Orphans, circles of SUPERSEDES, vectors of a wrong length, postings that are not there."""
        checks = (
            ("orphan_edges", "edges", "an end of the edge is not a current thought"),
            ("orphan_labels", "labels", "the thought is not current"),
            ("orphan_history", "history", "the thought is not there"),
            ("orphan_conflicts", "conflicts", "an end of the conflict is not there"),
            ("lost_vectors", "vectors", "the passage is said to have a vector and has none"),
            ("passages_outside", "passages", "the passage lies outside of its text"),
        )
        found = [
            Problem(check, str(subject), message)
            for name, check, message in checks
            for (subject,) in rows(self._connection, SQL[name])
        ]
        if dimension is not None:
            wrong = rows(self._connection, SQL["wrong_vectors"], (dimension,))
            found += [Problem("vectors", str(pid), f"the vector has not {dimension} numbers") for (pid,) in wrong]
        found += [Problem("edges", str(tid), "SUPERSEDES runs in a circle") for tid in self._circles()]
        found += self._postings()
        _, strangers = row(self._connection, SQL["trees"])
        if strangers:
            found.append(Problem("topics", "tree", f"{strangers} topic trees are of another model than the vectors"))
        return found

    def _circles(self) -> list[int]:
        """Row ids on a circle, the first of each."""
        after: dict[int, list[int]] = {}
        for newer, older in rows(self._connection, SQL["superseding"]):
            after.setdefault(newer, []).append(older)
        return sorted(_circles(after))

    def _postings(self) -> list[Problem]:
        """Living passages that the postings index does not know."""
        held: dict[int, list[Ints]] = {}
        for ns, pids in rows(self._connection, SQL["lexicon_heads"]):
            held.setdefault(ns, []).append(np.frombuffer(pids, "<i8").astype(np.int64))
        for ns, pid in rows(self._connection, SQL["lexicon_tails"]):
            held.setdefault(ns, []).append(np.array([pid], np.int64))
        living: dict[int, list[int]] = {}
        for ns, pid in rows(self._connection, SQL["passages_all"]):
            living.setdefault(ns, []).append(pid)
        found = []
        for ns, pids in living.items():
            known = np.concatenate(held[ns]) if ns in held else np.empty(0, np.int64)
            missing = int(np.count_nonzero(~np.isin(np.array(pids, np.int64), known)))
            if missing:
                found.append(Problem("postings", f"namespace {ns}", f"{missing} passages are not in the index"))
        return found

    def reindex(self) -> None:
        """Every index of SQLite itself, from its table."""
        self._connection.execute("REINDEX")

    def mend(self, dimension: int | None) -> None:
        """Takes out what belongs to nobody, and the full-text index, to be filled again."""
        history = ("mend_passage_history", "mend_label_history", "mend_edge_history")
        for name in ("mend_passages", "mend_edges", "mend_labels", "mend_conflicts", "mend_fulltext", *history):
            self._connection.execute(SQL[name])
        self._connection.execute(SQL["mend_vectors"], {"dimension": dimension or 0})
        self._connection.execute(SQL["mend_embedding"])

    def bare(self) -> Iterator[Bare]:
        """Current thoughts without a passage."""
        return map(Bare._make, rows(self._connection, SQL["bare_thoughts"]))


def _circles(after: dict[int, list[int]]) -> set[int]:
    """One member of every circle in a graph. Depth first, without recursion."""
    done: set[int] = set()
    found: set[int] = set()
    for start in after:
        if start in done:
            continue
        path, inside = [start], {start}
        todo = [iter(after[start])]
        while todo:
            following = next(todo[-1], None)
            if following is None:
                todo.pop()
                gone = path.pop()
                inside.discard(gone)
                done.add(gone)
            elif following in inside:
                found.add(min(path[path.index(following) :]))
            elif following not in done:
                path.append(following)
                inside.add(following)
                todo.append(iter(after.get(following, ())))
    return found
