"""What did a run want to write when it was cut off? Its plan is in the store until all of it is written.

Themes are found by comparing everything that is in none yet. A run that went on from half of another's work would find
other ones; with the plan it comes to what the first would have come to.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from simonides.reflect.plan import Plan, digest_of, draught_of, holders_of, is_written, units_of

if TYPE_CHECKING:
    from simonides.backend.port import Snapshot, Transaction
    from simonides.engine import Engine
    from simonides.reflect.gather import Gathered


def note_down(engine: Engine, gathered: Gathered, plan: Plan) -> None:
    """Keeps a plan: of each reflection the id, the sources' row ids, and the digest of what they say."""
    lines = [
        [draught.thought_id, gathered.sources(draught.group), digest_of(gathered, draught.group)]
        for draught in plan.draughts
    ]
    text = json.dumps(lines, separators=(",", ":"))
    engine.database.write(lambda tx: tx.set_meta(_key(gathered.ns), text))


def strike_out(engine: Engine, ns: int) -> None:
    """The plan is done, if there was one."""
    with engine.database.snapshot() as snapshot:
        if snapshot.meta(_key(ns)) is None:
            return

    def job(tx: Transaction) -> None:
        tx.exchange.drop_meta(_key(ns))

    engine.database.write(job)


def unfinished(snapshot: Snapshot, gathered: Gathered) -> Plan | None:
    """What is left of a plan, without themes whose sources changed since; None when no run was cut off."""
    text = snapshot.meta(_key(gathered.ns))
    if text is None:
        return None
    by_name = {known.thought_id: known for known in gathered.known}
    unit_of, holders = units_of(gathered), holders_of(gathered)
    draughts = []
    for name, tids, digest in json.loads(text):
        group = tuple(sorted({unit_of[tid] for tid in tids if tid in unit_of}))
        known = by_name.get(name)
        if not group or sorted(gathered.sources(group)) != sorted(tids) or digest_of(gathered, group) != digest:
            continue
        if known is not None and (known.at_rest or is_written(gathered, known, group)):
            continue
        draughts.append(draught_of(gathered, holders, name, group, known))
    return Plan(0.0, tuple(draughts), (), 0, 0)


def _key(ns: int) -> str:
    return f"consolidation:{ns}"
