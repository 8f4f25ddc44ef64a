"""What is kept in the file for the process that opens the store next? Catalogues and trees that took long to read."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from simonides.errors import SimonidesError, StoreDamagedError
from simonides.index.shelf import worth_keeping

if TYPE_CHECKING:
    from simonides.backend.port import Snapshot, Transaction
    from simonides.backend.topics_port import TreeHead
    from simonides.engine import Engine
    from simonides.index.catalogue import Catalogue
    from simonides.index.shelf import Shelf
    from simonides.index.topics import Folded

_log = logging.getLogger(__name__)


def keep(engine: Engine) -> int:
    """Writes them; returns how many. What cannot be written is not: the rows say it all.

    A catalogue is left out when another process has kept a newer one, or when something of it was removed since; a
    tree when it has changed or been kept since, or when something of its namespace was erased.
    """
    if engine.database.read_only or not engine.database.file_bytes():
        return 0
    kept = 0
    for shelf in engine.library.shelves():
        try:
            _look(engine, shelf)
            catalogue, folded = shelf.to_keep(), shelf.tree_to_keep()
            if catalogue is not None:
                kept += engine.database.write(lambda tx, ns=shelf.ns, new=catalogue: _keep_catalogue(tx, ns, new))  # type: ignore[misc]  # mypy cannot type a lambda's default
            if folded is not None:
                kept += engine.database.write(lambda tx, folded=folded: _keep_tree(tx, folded))  # type: ignore[misc]  # the same
        except SimonidesError as error:
            _log.warning("what is in memory of namespace %d is not kept: %s", shelf.ns, error)
    return kept


def _look(engine: Engine, shelf: Shelf) -> None:
    """Reads what this process wrote, when it is much: who has written a store has the time, who asks next has not."""
    if not shelf.wrote_much:
        return
    with engine.database.snapshot() as snapshot:
        name = snapshot.namespaces().get(shelf.ns)
        if name is None:
            return
        state, head = snapshot.state(name), snapshot.topics.head(shelf.ns)
        if not worth_keeping(state.seq - snapshot.kept.catalogue_seq(shelf.ns), state.seq):
            return
    with engine.looking((name,), vectors=head is not None):
        pass


def _keep_catalogue(tx: Transaction, ns: int, new: Catalogue) -> bool:
    from simonides.index.kept import pack

    if tx.kept.catalogue_seq(ns) >= new.seq or len(tx.dead_since(ns, new.seq)):
        return False
    tx.kept.keep_catalogue(ns, new.seq, pack(new))
    return True


def _keep_tree(tx: Transaction, folded: Folded) -> bool:
    from simonides.index.kept import pack_tree

    head = folded.head
    if tx.topics.head(head.ns) != head or tx.kept.has_tree(head.ns) or tx.erasure.erased_since(head.ns, head.seq):
        return False
    tx.kept.keep_tree(head.ns, head.version, head.epoch, pack_tree(folded.tree))
    return True


def wrong_catalogues(snapshot: Snapshot) -> list[int]:
    """Namespaces whose kept catalogue, caught up, is not what the rows say."""
    from simonides.index.catalogue import build, catch_up
    from simonides.index.kept import pack, unpack

    wrong = []
    for ns in snapshot.namespaces():
        kept = snapshot.kept.catalogue(ns)
        if kept is None:
            continue
        old = unpack(kept[1], kept[0])
        if old is None:
            wrong.append(ns)
            continue
        now = catch_up(old, snapshot.catalogue_changed(ns, old.seq), snapshot.dead_since(ns, old.seq), old.seq)
        if pack(now) != pack(build(snapshot.catalogue(ns), old.seq)):
            wrong.append(ns)
    return wrong


def wrong_trees(snapshot: Snapshot) -> list[int]:
    """Namespaces whose kept topic tree is not what the rows say."""
    heads = [snapshot.topics.head(ns) for ns in snapshot.namespaces()]
    return [head.ns for head in heads if head is not None and _wrong_tree(snapshot, head)]


def _wrong_tree(snapshot: Snapshot, head: TreeHead) -> bool:
    from simonides.index.kept import pack_tree
    from simonides.index.topics import stored_tree

    kept = snapshot.kept.tree(head.ns, head.version, head.epoch)
    if kept is None:
        return snapshot.kept.has_tree(head.ns)
    try:
        return bytes(kept) != pack_tree(stored_tree(snapshot, head))
    except StoreDamagedError:
        return True
