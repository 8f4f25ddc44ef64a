"""How does the journal stay small and checkable? Anchors to keep elsewhere, segments that are sealed, and then pruned.

A seal is a promise about a stretch of the chain. Once it is pruned, the chain begins with its hash; versions that are
still there keep the digest of their row, so everything that is left can be checked as before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simonides.backend.chain import digest, seal_name, seal_payload
from simonides.backend.journal_port import Link, StoredSeal
from simonides.backend.port import HISTORY_FROM, Transaction
from simonides.backend.rows import JournalEntry
from simonides.clock import to_datetime
from simonides.errors import InvalidQueryError, StoreDamagedError
from simonides.model.anchor import Anchor, Pruned, Seal

if TYPE_CHECKING:
    from simonides.engine import Engine

STORE = "store"  # the key in `meta`: the id of the store


def anchor(engine: Engine) -> Anchor:
    """Where the chain stands. Raises InvalidQueryError while nothing has happened."""
    with engine.database.snapshot() as snapshot:
        end, store = snapshot.chain.end(), snapshot.meta(STORE)
    if end.seq == 0:
        raise InvalidQueryError("the journal is empty: there is nothing to anchor")
    return Anchor(store or "", end.seq, end.hash.hex(), to_datetime(end.at))


def seals(engine: Engine) -> list[Seal]:
    """Every sealed stretch, oldest first."""
    with engine.database.snapshot() as snapshot:
        return [_shown(seal) for seal in snapshot.chain.seals()]


def _shown(seal: StoredSeal) -> Seal:
    return Seal(seal.first_seq, seal.last_seq, to_datetime(seal.last_at), seal.hash.hex(), bool(seal.pruned))


def seal(engine: Engine, before: int | None, reason: str | None) -> Seal | None:
    """Checks the stretch since the last seal and closes it; None when there is nothing to seal.

    before: an instant; changes from it on stay open. Raises StoreDamagedError when the chain does not hold.
    """
    with engine.database.snapshot() as snapshot:
        broken = [problem for problem in snapshot.check() if problem.check in ("journal", "seal", "digest", "versions")]
    if broken:
        raise StoreDamagedError(
            f"the journal cannot be sealed: {broken[0].message}", hint="`verify` names everything that is wrong"
        )
    at = engine.clock()

    def job(tx: Transaction) -> Seal | None:
        last = tx.chain.end() if before is None else tx.chain.end_before(before)
        done = max((found.last_seq for found in tx.chain.seals()), default=0)
        if last.seq <= done:
            return None
        until = tx.chain.latest_at(last.seq)
        tx.chain.add_seal(done + 1, Link(last.seq, until, last.hash))
        payload = digest(seal_payload(last.seq, last.hash, None), b"")
        tx.journal([_entry(at, engine.actor, reason, "journal.sealed", seal_name(last.seq), payload)])
        return Seal(done + 1, last.seq, to_datetime(until), last.hash.hex(), False)

    return engine.database.write(job)


def prune(engine: Engine, before: int | None, reason: str | None, *, keep_revisions: bool) -> Pruned | None:
    """Takes sealed stretches out of the journal, those that ended before an instant or all; None without any.

    Earlier revisions, labels and edges that had ended by then go too, unless they are to be kept. In batches; who was
    killed calls again, also when nothing new is to be pruned.
    """
    at = engine.clock()

    def mark(tx: Transaction) -> tuple[StoredSeal, int | None] | None:
        open_ = [s for s in tx.chain.seals() if before is None or s.last_at < before]
        chosen = open_[-1] if open_ else None
        if chosen is None:
            return None
        since = None if keep_revisions else chosen.last_at
        if chosen.pruned:
            return chosen, _int(tx.meta(HISTORY_FROM))
        kept = tx.chain.mark_pruned(chosen.last_seq, -1 if since is None else since)
        if since is not None:
            tx.set_meta(HISTORY_FROM, str(max(since, _int(tx.meta(HISTORY_FROM)) or since)))
        payload = digest(seal_payload(chosen.last_seq, chosen.hash, kept), b"")
        name = seal_name(chosen.last_seq)
        tx.journal([_entry(at, engine.actor, reason, "journal.pruned", name, payload)])
        return chosen, since

    found = engine.database.write(mark)
    if found is None:
        return None
    last, horizon = found[0].last_seq, found[1]
    batches = 0
    while engine.database.write(lambda tx: tx.chain.prune_some(last, horizon)):
        batches += 1
    return Pruned(last, None if horizon is None else to_datetime(horizon), batches)


def _int(value: str | None) -> int | None:
    return None if value is None else int(value)


def _entry(at: int, actor: str, reason: str | None, kind: str, name: str, payload: bytes) -> JournalEntry:
    return JournalEntry(at, 0, actor, reason, kind, name, None, payload)
