"""Where in SQLite do the topic trees live?"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from simonides.backend.sqlfile import load
from simonides.backend.topics_port import CodesPart, LeafMembers, LeafPart, TopicName, TopicRow, TreeHead, Work

if TYPE_CHECKING:
    import apsw

_SQL = load("simonides.backend.sqlite", "topics.sql")


class TopicTables:
    """The tables of the trees on one connection: `TopicsReader` and, inside a transaction, `TopicsWriter`."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def _all(self, name: str, **values: object) -> list[Any]:
        return self._connection.execute(_SQL[name], values).fetchall()

    def _many(self, name: str, rows: Sequence[tuple[object, ...]]) -> None:
        self._connection.executemany(_SQL[name], rows)

    def head(self, ns: int) -> TreeHead | None:
        found = self._all("head", ns=ns)
        return TreeHead._make(found[0]) if found else None

    def topics(self, ns: int, version: int) -> list[TopicRow]:
        return list(map(TopicRow._make, self._all("topics", ns=ns, version=version)))

    def names(self, ns: int, version: int) -> list[TopicName]:
        return list(map(TopicName._make, self._all("names", ns=ns, version=version)))

    def size(self, ns: int, version: int) -> int:
        found = self._all("size", ns=ns, version=version)
        return int(found[0][0]) if found else 0

    def members(self, ns: int, version: int) -> list[LeafMembers]:
        import numpy as np

        found = self._all("members", ns=ns, version=version)
        return [LeafMembers(leaf, part, np.frombuffer(pids, "<i8")) for leaf, part, pids in found]

    def leaves(self, ns: int, version: int, leaves: Sequence[int]) -> list[LeafPart]:
        return list(map(LeafPart._make, self._all("leaves", ns=ns, version=version, leaves=_listed(leaves))))

    def codes(self, ns: int, version: int, leaves: Sequence[int]) -> list[CodesPart]:
        return list(map(CodesPart._make, self._all("codes", ns=ns, version=version, leaves=_listed(leaves))))

    def tail_size(self, ns: int, seq: int, limit: int) -> int:
        return int(self._all("tail_size", ns=ns, seq=seq, limit=limit)[0][0])

    def vectors_page(self, ns: int, seq: int, after: int, limit: int) -> list[tuple[int, bytes]]:
        return self._all("vectors_page", ns=ns, seq=seq, after=after, limit=limit)

    def texts(self, pids: Sequence[int]) -> dict[int, str]:
        found = self._all("texts", pids=json.dumps([int(pid) for pid in pids]))
        return {pid: content[start:stop] for pid, content, start, stop in found}

    def work(self, ns: int) -> Work | None:
        found = self._all("work", ns=ns)
        return Work._make(found[0]) if found else None

    def put_head(self, head: TreeHead) -> None:
        self._many("put_head", [tuple(head)])
        self._all("drop_kept", ns=head.ns)

    def put_topics(self, ns: int, version: int, topics: Sequence[TopicRow]) -> None:
        self._many("put_topic", [(ns, version, *topic) for topic in topics])

    def drop_topics(self, ns: int, version: int, topics: Sequence[int]) -> None:
        self._many("drop_topic", [(ns, version, int(topic)) for topic in topics])

    def put_labels(self, ns: int, version: int, labels: Mapping[int, str]) -> None:
        self._many("put_label", [(label, ns, version, key) for key, label in labels.items()])

    def put_parts(self, ns: int, version: int, parts: Sequence[LeafPart]) -> None:
        self._many("put_part", [(ns, version, *part) for part in parts])

    def drop_leaves(self, ns: int, version: int, leaves: Sequence[int]) -> None:
        for leaf in leaves:
            self._all("drop_leaf", ns=ns, version=version, leaf=int(leaf))

    def drop_others(self, ns: int, version: int, limit: int) -> int:
        before = self._connection.total_changes()
        self._all("drop_leaves_but", ns=ns, version=version, limit=limit)
        gone = self._connection.total_changes() - before
        if gone < limit:
            self._all("drop_topics_but", ns=ns, version=version)
        return gone

    def drop_version(self, ns: int, version: int) -> None:
        self._all("drop_version_leaves", ns=ns, version=version)
        self._all("drop_version_topics", ns=ns, version=version)

    def put_work(self, ns: int, work: Work) -> None:
        self._many("put_work", [(ns, *work)])

    def drop_work(self, ns: int) -> None:
        self._all("drop_work", ns=ns)

    def clear(self, ns: int) -> None:
        head = self.head(ns)
        if head is not None:
            self.put_head(head._replace(version=0, epoch=head.epoch + 1, seq=0))
        self.drop_work(ns)
        while self.drop_others(ns, 0, 1 << 30):
            pass


def _listed(leaves: Sequence[int]) -> str:
    return json.dumps([int(leaf) for leaf in leaves])
