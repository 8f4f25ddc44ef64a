"""What is in the store, and is it sound?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from simonides.backend.sqlite.migrate import SCHEMA_VERSION
from simonides.model.trail import Problem, Stats, Verification

if TYPE_CHECKING:
    from simonides.backend.port import Snapshot
    from simonides.engine import Engine
    from simonides.model.anchor import Anchor


def stats(engine: Engine, namespace: str) -> Stats:
    """Counts of one namespace."""
    with engine.database.snapshot() as snapshot:
        counts = snapshot.counts(snapshot.state(namespace).ns)
        model = engine.model(snapshot)
    by_status = cast("Mapping[str, int]", counts["by_status"])
    return Stats(
        namespace=namespace,
        thoughts=sum(by_status.values()),
        by_type=cast("Mapping[str, int]", counts["by_type"]),
        by_status=by_status,
        passages=cast("int", counts["passages"]),
        edges=cast("int", counts["edges"]),
        vectors=cast("int", counts["vectors"]),
        pending_embeddings=cast("int", counts["pending"]),
        sessions=cast("int", counts["sessions"]),
        speakers=cast("int", counts["speakers"]),
        journal_rows=cast("int", counts["journal"]),
        fts_match_failure_count=engine.fts_match_failure_count,
        model_id=None if model is None else model.model_id,
        dimension=None if model is None else model.dimension,
        file_bytes=engine.database.file_bytes(),
        schema_version=SCHEMA_VERSION,
    )


def verify(engine: Engine, anchor: Anchor | None = None) -> Verification:
    """Everything that `backend/…/check.py` looks at, in one snapshot, and the chain against an anchor."""
    with engine.database.snapshot() as snapshot:
        problems = snapshot.check()
        if anchor is not None:
            problems += _against(snapshot, anchor)
        names = list(snapshot.namespaces())
        thoughts = sum(snapshot.count(ns, None) for ns in names)
        journal = snapshot.doctor.facts()["journal_rows"]  # those of purged namespaces too
    return Verification(journal, thoughts, tuple(problems))


def _against(snapshot: Snapshot, anchor: Anchor) -> list[Problem]:
    """What is wrong with the journal when it is compared with an anchor."""
    subject, end = str(anchor.seq), snapshot.chain.end()
    if anchor.store != (snapshot.meta("store") or ""):
        return [Problem("anchor", subject, "the anchor is of another store")]
    if end.seq < anchor.seq:
        return [Problem("anchor", subject, f"the journal ends at {end.seq}: changes up to {anchor.seq} were removed")]
    found = snapshot.chain.hash_at(anchor.seq)
    if found is None:
        return [Problem("anchor", subject, "the change was pruned: only anchors at the end of a seal compare")]
    if found.hex() != anchor.hash:
        return [Problem("anchor", subject, "the journal says something else there than when the anchor was made")]
    return []
