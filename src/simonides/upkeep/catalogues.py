"""Which catalogues are kept in the file for the process that opens the store next? Those that took it long to read."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from simonides.errors import SimonidesError

if TYPE_CHECKING:
    from simonides.backend.port import Snapshot, Transaction
    from simonides.engine import Engine
    from simonides.index.catalogue import Catalogue

_log = logging.getLogger(__name__)


def keep_catalogues(engine: Engine) -> int:
    """Writes them; returns how many. What cannot be written is not: the rows say it all.

    A catalogue is left out when another process has kept a newer one, or when something of it was removed since.
    """
    if engine.database.read_only or not engine.database.file_bytes():
        return 0
    kept = 0
    for shelf in engine.library.shelves():
        catalogue = shelf.to_keep()
        if catalogue is None:
            continue
        try:
            kept += engine.database.write(lambda tx, ns=shelf.ns, new=catalogue: _keep(tx, ns, new))  # type: ignore[misc]  # mypy cannot type a lambda's default
        except SimonidesError as error:
            _log.warning("the catalogue of namespace %d is not kept: %s", shelf.ns, error)
    return kept


def _keep(tx: Transaction, ns: int, new: Catalogue) -> bool:
    from simonides.index.kept import pack

    if tx.kept_seq(ns) >= new.seq or len(tx.dead_since(ns, new.seq)):
        return False
    tx.keep_catalogue(ns, new.seq, pack(new))
    return True


def wrong_catalogues(snapshot: Snapshot) -> list[int]:
    """Namespaces whose kept catalogue, caught up, is not what the rows say."""
    from simonides.index.catalogue import build, catch_up
    from simonides.index.kept import pack, unpack

    wrong = []
    for ns in snapshot.namespaces():
        kept = snapshot.kept_catalogue(ns)
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
