"""How do the bytes of what was forgotten leave the file? Indexes without dead entries, a file without free space."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simonides.index.segments import purge
from simonides.model.report import Compacted
from simonides.upkeep.next_trees import give_up_stale
from simonides.write.forget import trace

if TYPE_CHECKING:
    from simonides.backend.port import Transaction
    from simonides.engine import Engine


def compact(engine: Engine) -> Compacted:
    """Rewrites what still holds words of deleted thoughts, then the file. Safe to kill and to repeat.

    Needs as much free disk as the file has bytes, twice. Writers wait meanwhile, readers do not.
    Raises StoreReadOnlyError, StoreBusyError.
    """
    engine.before_erasure()
    before = engine.database.file_bytes()
    trace(engine)
    with engine.database.snapshot() as snapshot:
        spaces = list(snapshot.namespaces())
    for ns in spaces:
        engine.database.write(lambda tx, ns=ns: purge(tx.lexicon, ns))  # type: ignore[misc]  # mypy cannot type a lambda's default
    engine.database.write(_sweep)
    emptied = engine.database.vacuum()
    engine.library.clear()
    return Compacted(before, engine.database.file_bytes(), emptied)


def _sweep(tx: Transaction) -> None:
    for ns in tx.namespaces():
        give_up_stale(tx, ns)
    for ns in tx.erasure.stale_trees():
        tx.topics.clear(ns)  # its job builds another
    tx.erasure.sweep()
