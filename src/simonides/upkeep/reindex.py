"""Does the text index still mean what the analyser means? When not, it is made anew from the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from simonides.errors import StoreReadOnlyError
from simonides.text.rules import signature

if TYPE_CHECKING:
    from collections.abc import Callable

    from simonides.backend.port import Transaction
    from simonides.backend.rows import Analysed
    from simonides.engine import Engine

KEY = "analysis"
TOLD_EVERY = 1_000  # passages between two calls of `progress`
Progress: TypeAlias = "Callable[[str, int, int], None]"


def reindex_if_stale(engine: Engine, progress: Progress | None = None) -> bool:
    """True when the index was rebuilt. A new store only notes the analyser's signature.

    progress("reindex", passages done, in all) is called inside the transaction; what it raises undoes it.
    Raises StoreReadOnlyError when a read-only store would need it.
    """
    wanted = signature(engine.config.text.language)
    with engine.database.snapshot() as snapshot:
        stored = snapshot.meta(KEY)
        empty = not snapshot.namespaces()
    if stored == wanted:
        return False
    if engine.database.read_only:
        if empty:
            return False
        raise StoreReadOnlyError(
            f"the text index was made with rules {stored!r}, this version uses {wanted!r}",
            hint="open the store once for writing; its text index is rebuilt then",
        )

    def job(tx: Transaction) -> bool:
        if tx.meta(KEY) == wanted:
            return False
        tx.set_meta(KEY, wanted)
        if stored is None and not tx.namespaces():
            return False
        rebuild(engine, tx, progress)
        return True

    return engine.database.write(job)


def rebuild(engine: Engine, tx: Transaction, progress: Progress | None = None) -> None:
    """Analyses every passage again and writes both text indexes; vectors and rows stay as they are."""
    import logging

    from simonides.index.passages import analysed

    done, total = 0, 0 if progress is None else tx.renewal.total()

    def analyse(content: str, essence: str | None, speaker: str | None) -> Analysed:
        nonlocal done
        done += 1
        if progress is not None and (done % TOLD_EVERY == 0 or done == total):
            progress("reindex", done, total)
        return analysed(engine.analyzer, content, essence, speaker)

    for ns, name in tx.namespaces().items():
        logging.getLogger(__name__).info("rebuilding the text index of %r", name)
        tx.rebuild_text(ns, analyse)
