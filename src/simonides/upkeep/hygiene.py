"""What may be forgotten? Cold, weak, unprotected memories are archived; much later, and only if asked for, erased.

Expired ones are archived or erased without further question. Nothing here runs by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from simonides.backend.rows import PRIORITIES, TYPES
from simonides.clock import SECOND, to_datetime
from simonides.config import MAX_OF_STORE, HygieneConfig
from simonides.errors import InvalidQueryError, RevisionConflictError, StoreReadOnlyError, ThoughtNotFoundError
from simonides.model.hygiene import Aged, HygieneReport
from simonides.model.thought import LifecycleStatus, Thought
from simonides.write.forget import forget
from simonides.write.revise import Revision, revise

if TYPE_CHECKING:
    from simonides.backend.hygiene_port import AgedRow, ShelvedRow
    from simonides.backend.port import Snapshot
    from simonides.engine import Engine
    from simonides.upkeep.kinds import Work

HYGIENE, EXPIRE = "hygiene", "expire"  # kinds of jobs
REASON, EXPIRED = "hygiene", "expired"  # what the journal says
ACTIONS = ("archive", "erase")
DAY = 86_400 * SECOND
PAGE = 2_000
RUN_MAX = 100_000  # memories of one run, at most


@dataclass(frozen=True, slots=True)
class Tidy:
    """What was asked for. now: the instant to decide by; cycle: None when nobody knows it. limit: memories of a run."""

    now: int
    limit: int
    dry_run: bool = False
    erase: bool = False
    cycle: int | None = None
    action: str = "archive"


@dataclass(frozen=True, slots=True)
class _Choice:
    """A memory that goes, by row id and revision."""

    tid: int
    revision: int
    action: str
    reasons: tuple[str, ...]
    last: int


def hygiene(engine: Engine, namespace: str, tidy: Tidy) -> HygieneReport:
    """Archives what is cold and weak, coldest first, and with `erase` erases what hygiene archived long ago."""
    engine.before_erasure()  # counts of what was shown that still wait in memory
    rules = engine.config.hygiene
    kept: Counter[str] = Counter()
    with engine.database.snapshot() as snapshot:
        ns = snapshot.state(namespace).ns
        chosen = _cold(snapshot, ns, rules, tidy, kept)
        if tidy.erase:
            chosen = _forgettable(snapshot, ns, rules, tidy, kept) + chosen
        plan = _planned(snapshot, ns, chosen, tidy)
    report = HygieneReport(namespace, tidy.dry_run, (), dict(kept), len(chosen) > tidy.limit, 0, _caution(engine))
    return _done(engine, report, plan, tidy, REASON)


def expire(engine: Engine, namespace: str, tidy: Tidy, action: object = None) -> HygieneReport:
    """Archives or erases what has expired, earliest first; what is pinned stays. action: None for the setting's."""
    rules = engine.config.hygiene
    wanted = rules.expired_action if action is None else action
    if wanted not in ACTIONS:
        raise InvalidQueryError(f"action is {action!r}; expected one of {', '.join(ACTIONS)}")
    tidy = replace(tidy, action=str(wanted))
    kept: Counter[str] = Counter()
    before = tidy.now - int(rules.expired_after_days * DAY)
    with engine.database.snapshot() as snapshot:
        ns = snapshot.state(namespace).ns
        rows = snapshot.hygiene.expired(ns, before, archived=tidy.action == "erase", limit=tidy.limit + PAGE)
        chosen = []
        for row in rows:
            if row.pinned:
                kept["pinned"] += 1
                continue
            said = f"expired on {to_datetime(row.at):%Y-%m-%d}"
            chosen.append(_Choice(row.tid, row.revision, tidy.action, (said,), row.at))
        plan = _planned(snapshot, ns, chosen, tidy)
    report = HygieneReport(namespace, tidy.dry_run, (), dict(kept), len(chosen) > tidy.limit)
    return _done(engine, report, plan, tidy, EXPIRED)


def settle(
    engine: Engine,
    *,
    limit: object,
    now: int | None,
    dry_run: object,
    erase: object = False,
    cycle: object = None,
) -> Tidy:
    """What a caller asked for, checked; defaults from the settings. Raises InvalidQueryError, StoreReadOnlyError."""
    for name, value in (("dry_run", dry_run), ("erase", erase)):
        if not isinstance(value, bool):
            raise InvalidQueryError(f"{name} is {value!r}; expected True or False")
    if limit is None:
        limit = engine.config.hygiene.limit
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= RUN_MAX:
        raise InvalidQueryError(f"limit is {limit!r}; expected 1..{RUN_MAX}")
    if cycle is not None and (isinstance(cycle, bool) or not isinstance(cycle, int) or cycle < 0):
        raise InvalidQueryError(f"current_cycle is {cycle!r}; expected a whole number of at least 0")
    if now is not None and not dry_run:
        raise InvalidQueryError("now= looks ahead, which is for dry_run=True only")
    if not dry_run and engine.database.read_only:
        raise StoreReadOnlyError("forgetting changes the store, which is open read-only", hint="dry_run=True looks")
    moment = engine.clock() if now is None else now
    return Tidy(moment, limit, bool(dry_run), bool(erase), _cycle(engine) if cycle is None else cycle)


def _cycle(engine: Engine) -> int | None:
    """The configured provider's cycle. "max_of_store" says none: it would count archived memories themselves."""
    provider = engine.config.cycle_provider
    if provider is None or provider == MAX_OF_STORE:
        return None
    return provider() if callable(provider) else int(provider)


def run_hygiene(engine: Engine, work: Work) -> None:
    """The job. payload: erase, limit."""
    assert work.job.namespace is not None
    payload = work.job.payload
    limit = payload.get("limit")
    whole = limit if isinstance(limit, int) else engine.config.hygiene.limit
    erase = payload.get("erase") is True
    hygiene(engine, work.job.namespace, settle(engine, limit=whole, now=None, dry_run=False, erase=erase))


def run_expire(engine: Engine, work: Work) -> None:
    """The job. payload: action."""
    assert work.job.namespace is not None
    tidy = settle(engine, limit=None, now=None, dry_run=False)
    expire(engine, work.job.namespace, tidy, work.job.payload.get("action"))


# ------------------------------------------------------------------------------------------- who goes


def _cold(snapshot: Snapshot, ns: int, rules: HygieneConfig, tidy: Tidy, kept: Counter[str]) -> list[_Choice]:
    """Cold and weak ones, coldest first; the others are counted by what keeps them."""
    before = tidy.now - int(rules.cold_days * DAY)
    chosen: list[_Choice] = []
    seen, last = 0, 0
    while rows := snapshot.hygiene.cold(ns, before, tidy.now, last, PAGE):
        seen, last = seen + len(rows), rows[-1].tid
        for row in rows:
            held = protection(row, rules)
            if held is not None:
                kept[held] += 1
                continue
            chosen.append(_Choice(row.tid, row.revision, "archive", reasons(row, tidy.now), row.last))
    recent = snapshot.hygiene.living(ns, tidy.now) - seen
    if recent > 0:
        kept["used lately"] += recent
    return sorted(chosen, key=lambda choice: (choice.last, choice.tid))


def protection(row: AgedRow, rules: HygieneConfig) -> str | None:
    """What keeps a cold memory; None when nothing does.

    >>> from simonides.backend.hygiene_port import AgedRow
    >>> row = AgedRow(1, "a", 1, 0, 2, 0, None, 0, 0, 0, 0, 0, 0, 0)
    >>> protection(row, HygieneConfig()), protection(row._replace(pinned=1), HygieneConfig())
    (None, 'pinned')
    """
    checks = (
        ("pinned", bool(row.pinned)),
        ("kind", TYPES[row.thought_type].value in _names(rules.protected_types)),
        ("priority", PRIORITIES[row.priority].value in _names(rules.protected_priorities)),
        ("source of a reflection", rules.protect_sources and bool(row.feeds)),
        ("needed by another", bool(row.needed)),
        ("in an undecided conflict", bool(row.disputed)),
        ("confident", row.confidence is not None and row.confidence >= rules.strong_confidence),
        ("shown often", not row.superseded and row.access_count > rules.weak_accesses),
        ("confirmed", not row.superseded and row.confirmation_count > rules.weak_confirmations),
    )
    return next((name for name, holds in checks if holds), None)


def _names(text: str) -> list[str]:
    return text.upper().replace(",", " ").split()


def reasons(row: AgedRow, now: int) -> tuple[str, ...]:
    """Why a memory goes, in words and numbers."""
    said = [f"not used for {(now - row.last) // DAY} days"]
    said.append("never shown" if row.access_count == 0 else f"shown {row.access_count} times in all")
    if row.superseded:
        said.append("superseded")
    elif row.confirmation_count == 0:
        said.append("never confirmed")
    return (*said, PRIORITIES[row.priority].value)


def _forgettable(snapshot: Snapshot, ns: int, rules: HygieneConfig, tidy: Tidy, kept: Counter[str]) -> list[_Choice]:
    """What hygiene archived, and nobody touched since, once both restore windows have passed."""
    chosen: list[_Choice] = []
    last = 0
    while rows := snapshot.hygiene.shelved(ns, REASON, last, PAGE):
        last = rows[-1].tid
        for row in rows:
            if row.pinned or not _past(row, rules, tidy):
                kept["pinned" if row.pinned else "can still be restored"] += 1
                continue
            days = (tidy.now - row.at) // DAY
            chosen.append(_Choice(row.tid, row.revision, "erase", (f"archived by hygiene {days} days ago",), row.at))
    return sorted(chosen, key=lambda choice: (choice.last, choice.tid))


def _past(row: ShelvedRow, rules: HygieneConfig, tidy: Tidy) -> bool:
    if row.at > tidy.now - int(rules.restore_days * DAY):
        return False
    if rules.restore_cycles == 0:
        return True
    return tidy.cycle is not None and row.cycle <= tidy.cycle - rules.restore_cycles


# ------------------------------------------------------------------------------------------- doing it


Plan = list[tuple[_Choice, Aged]]


def _planned(snapshot: Snapshot, ns: int, chosen: Sequence[_Choice], tidy: Tidy) -> Plan:
    """What goes, up to the limit, with the memories themselves."""
    going = chosen[: tidy.limit]
    thoughts = {s.tid: s.thought for s in snapshot.thoughts(ns, [choice.tid for choice in going])}
    return [(c, Aged(thoughts[c.tid], c.action, c.reasons, to_datetime(c.last))) for c in going if c.tid in thoughts]


def _caution(engine: Engine) -> str | None:
    if engine.config.audit.mode != "off":
        return None
    return "nothing counts what is shown while audit.mode is off: memories look less used than they are"


def _done(engine: Engine, report: HygieneReport, plan: Plan, tidy: Tidy, reason: str) -> HygieneReport:
    """Does what was planned, unless it is only to be shown."""
    if tidy.dry_run:
        return replace(report, items=tuple(aged for _, aged in plan))
    gone = [aged for choice, aged in plan if _act(engine, report.namespace, choice, aged.thought, tidy, reason)]
    return replace(report, items=tuple(gone), skipped=len(plan) - len(gone))


def _act(engine: Engine, namespace: str, choice: _Choice, thought: Thought, tidy: Tidy, reason: str) -> bool:
    """False when somebody changed the thought meanwhile: then it is not what was judged."""
    if choice.action == "erase":
        with engine.database.snapshot() as snapshot:
            current = snapshot.version(choice.tid)
        if current is None or current[0] != choice.revision:
            return False
        return forget(engine, namespace, [thought.thought_id], reason).count == 1
    values: dict[str, object] = {"lifecycle_status": LifecycleStatus.ARCHIVED}
    if tidy.cycle is not None:
        values["updated_cycle"] = max(tidy.cycle, thought.updated_cycle)
    try:
        revise(engine, namespace, Revision(thought.thought_id, values, choice.revision, reason, "thought.archived"))
    except (RevisionConflictError, ThoughtNotFoundError):
        return False
    return True
