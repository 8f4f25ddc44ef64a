"""Which memories disagree? What is new is compared with what is near it, by words and by meaning, and proposed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.clock import to_instant
from simonides.conflicts.detect import Said, detect
from simonides.conflicts.sketch import Sketches, possible
from simonides.index.bm25 import Bm25Params
from simonides.model.conflict import ConflictScan, Disagreement, Judge
from simonides.model.edge import EdgeType
from simonides.model.query import Scope
from simonides.read.augment import in_force
from simonides.read.legs import full_text, vector
from simonides.read.legs.select import best
from simonides.read.scoping import eligible
from simonides.text.query import read_query
from simonides.write.conflict import Counts, Proposal, propose, texts_of

if TYPE_CHECKING:
    from simonides.backend.port import Transaction
    from simonides.backend.rows import StoredThought
    from simonides.engine import Engine, Look
    from simonides.index.shelf import View
    from simonides.model.thought import Json, Thought
    from simonides.upkeep.kinds import Work

SCAN = "conflicts.scan"
BATCH = 200  # new thoughts that are compared in one snapshot
SUBJECT_MATES_MAX = 50  # memories of one subject that a new one is compared with, newest first
TERMS_MAX = 12  # distinct words of a memory that look for others, the rarest
SKETCHES_MAX = 150_000  # texts of which a scan keeps a few words: some 200 MB
CHARS_MAX = 2_000  # characters of a memory that look for others
_LINKED = (EdgeType.SUPERSEDES, EdgeType.CONTRADICTS)
_MARKS = str.maketrans('"*:()', "     ")
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Rules:
    """What a scan goes by. candidates: of each leg, per new memory. subject_field: path into metadata."""

    min_confidence: float
    candidates: int
    subject_field: str
    judge: Judge | None = None


def rules_of(engine: Engine) -> Rules:
    settings = engine.config.conflicts
    return Rules(settings.min_confidence, settings.candidates, settings.subject_field)


def scan(
    engine: Engine, namespace: str, rules: Rules, limit: int | None = None, progress: Progress | None = None
) -> ConflictScan:
    """Compares what was written since the last scan, in batches that commit how far they came.

    limit: thoughts looked at, at most. progress(thoughts so far, thoughts in all, as far as known).
    """
    total = ConflictScan(namespace, 0, 0, 0, 0, done=False)
    sketches = Sketches(SKETCHES_MAX)
    while limit is None or total.thoughts < limit:
        size = BATCH if limit is None else min(BATCH, limit - total.thoughts)
        found = _batch(engine, namespace, rules, size, sketches)
        if found is None:
            return replace(total, done=True)
        counts = engine.database.write(lambda tx, found=found: _write(engine, tx, namespace, found))  # type: ignore[misc]  # mypy cannot type a lambda's default
        total = replace(
            total,
            thoughts=total.thoughts + len(found.tids),
            pairs=total.pairs + found.pairs,
            proposed=total.proposed + counts.proposed,
            withdrawn=total.withdrawn + counts.withdrawn,
        )
        if progress is not None:
            progress(total.thoughts, total.thoughts)
    with engine.database.snapshot() as snapshot:
        ns = snapshot.state(namespace).ns
        return replace(total, done=not snapshot.conflicts.fresh(ns, snapshot.conflicts.scanned(ns), 1))


def rescan(engine: Engine, namespace: str) -> None:
    """The next scan looks at everything again."""

    def job(tx: Transaction) -> None:
        ns = tx.state(namespace).ns
        if ns:
            tx.conflicts.set_scanned(ns, 0)

    engine.database.write(job)


def run(engine: Engine, work: Work) -> None:
    """The job."""
    assert work.job.namespace is not None
    scan(engine, work.job.namespace, rules_of(engine), None, lambda done, total: work.renew())


@dataclass(frozen=True, slots=True)
class _Found:
    """What a batch came to: the thoughts, how far it is, pairs compared, proposals."""

    ns: int
    tids: list[int]
    seq: int
    pairs: int
    proposals: list[Proposal]


def _write(engine: Engine, tx: Transaction, namespace: str, found: _Found) -> Counts:
    if tx.state(namespace).ns != found.ns:
        return Counts(0, 0)  # purged meanwhile
    counts = propose(engine, tx, found.ns, found.proposals, found.tids)
    tx.conflicts.set_scanned(found.ns, found.seq)
    return counts


def _batch(engine: Engine, namespace: str, rules: Rules, size: int, sketches: Sketches) -> _Found | None:
    """Compares the next new thoughts, in one snapshot; None when there are none."""
    with engine.looking((namespace,)) as look:
        view = look.views.get(namespace)
        if view is None:
            return None
        ns, snapshot = view.state.ns, look.snapshot
        fresh = snapshot.conflicts.fresh(ns, snapshot.conflicts.scanned(ns), size)
        if not fresh:
            return None
        stored = {s.tid: s for s in snapshot.thoughts(ns, [tid for tid, _ in fresh])}
        mask = eligible(snapshot, view, Scope((namespace,), None, False, False, engine.clock()))
        finder = _Finder(engine, look, namespace, view, mask, rules)
        finder.prepare(list(stored))
        mates = _mates(look, ns, stored, rules)
        near = {tid: finder.near(tid, stored[tid].thought) + mates.get(tid, []) for tid in stored}
        others = sorted({other for tids in near.values() for other in tids} - set(stored))
        stored |= {s.tid: s for s in snapshot.thoughts(ns, others)}
        settled = _settled(look, sorted(stored), finder.now)
        compared: set[frozenset[int]] = set()
        proposals = []
        for tid, tids in near.items():
            for other in dict.fromkeys(tids):
                pair = frozenset((tid, other))
                if other == tid or other not in stored or pair in compared or pair in settled.linked:
                    continue
                compared.add(pair)
                if settled.replaced.isdisjoint(pair):
                    proposals += _compare(stored[tid], stored[other], rules, sketches)
    return _Found(ns, [tid for tid, _ in fresh], fresh[-1][1], len(compared), proposals)


def _compare(one: StoredThought, two: StoredThought, rules: Rules, sketches: Sketches) -> list[Proposal]:
    older, newer = sorted((one, two), key=lambda s: (_at(s.thought), s.tid))
    before, after = _said(older.thought, rules.subject_field), _said(newer.thought, rules.subject_field)
    kept = sketches.of(older.tid, before.text), sketches.of(newer.tid, after.text)
    same = before.subject is not None and before.subject == after.subject
    found = detect(before, after) if same or possible(before.text, after.text, *kept) else None
    if rules.judge is not None:
        found = _checked(rules.judge(older.thought, newer.thought, found))
    if found is None or found.confidence < rules.min_confidence:
        return []
    return [Proposal(older.tid, newer.tid, texts_of(older.thought.content, newer.thought.content), found)]


def _checked(found: object) -> Disagreement | None:
    if found is not None and not isinstance(found, Disagreement):
        raise TypeError(f"a judge returned {type(found).__name__}; expected a Disagreement or None")
    return found


def _at(thought: Thought) -> int:
    return to_instant(thought.occurred_at or thought.created_at)


def _said(thought: Thought, subject_field: str) -> Said:
    return Said(thought.content, thought.speaker, subject_of(thought.metadata, subject_field), _at(thought))


def subject_of(metadata: object, field: str) -> str | None:
    """The text at a path into metadata; None when there is none.

    >>> subject_of({"about": {"key": "rent"}}, "about.key")
    'rent'
    """
    value: Json | object = metadata
    for name in field.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) and value else None


def _mates(look: Look, ns: int, stored: dict[int, StoredThought], rules: Rules) -> dict[int, list[int]]:
    """Thought → others of its subject, newest first."""
    subjects = {tid: subject_of(s.thought.metadata, rules.subject_field) for tid, s in stored.items()}
    wanted = sorted({subject for subject in subjects.values() if subject is not None})
    if not wanted:
        return {}
    by_subject: dict[str, list[int]] = {}
    for subject, tid in look.snapshot.conflicts.sharing(ns, rules.subject_field, wanted):
        mates = by_subject.setdefault(subject, [])
        if len(mates) < SUBJECT_MATES_MAX:
            mates.append(tid)
    return {tid: by_subject.get(subject, []) for tid, subject in subjects.items() if subject is not None}


@dataclass(frozen=True, slots=True)
class _Settled:
    """Pairs that are linked already, and thoughts that something replaces."""

    linked: set[frozenset[int]]
    replaced: set[int]


def _settled(look: Look, tids: Sequence[int], now: int) -> _Settled:
    edges = in_force(look.snapshot, tids, _LINKED, now, incoming=True)
    replaced = {edge.tid for edge in edges if edge.edge_type == EdgeType.SUPERSEDES}
    return _Settled({frozenset((edge.tid, edge.other)) for edge in edges}, replaced)


class _Finder:
    """Finds what is near a memory, with the legs that answer questions."""

    def __init__(self, engine: Engine, look: Look, namespace: str, view: View, mask: Mask | None, rules: Rules) -> None:
        self._engine = engine
        self._look = look
        self._shelf = look.shelves[namespace]
        self._view = view
        self._mask = mask
        self._limit = rules.candidates
        text = engine.config.text
        params = Bm25Params(text.k1, text.b, text.essence_weight)
        self._rules = full_text.TextRules(params, min(TERMS_MAX, text.terms_max), context=False)
        self.now = engine.clock()
        self._pids: dict[int, int] = {}

    def prepare(self, tids: list[int]) -> None:
        """Looks up the first passage of every thought that will be asked about."""
        catalogue = self._view.catalogue
        rows = catalogue.ordinals_of_tids(np.array(tids, np.int64))[::-1]
        self._pids = dict(zip(catalogue.tids[rows].tolist(), catalogue.pids[rows].tolist(), strict=True))

    def near(self, tid: int, thought: Thought) -> list[int]:
        """Row ids of the nearest others, by words first."""
        catalogue = self._view.catalogue
        found = [self._by_words(thought)]
        if tid in self._pids and self._look.model is not None:
            found.append(self._by_meaning(self._pids[tid], self._look.model.dimension))
        tids: list[int] = catalogue.tids[np.concatenate(found)].tolist()
        return [other for other in dict.fromkeys(tids) if other != tid]

    def _by_words(self, thought: Thought) -> Ints:
        text = thought.content[:CHARS_MAX].translate(_MARKS).lower()  # marks and capitals would be operators
        reading = read_query(text, self._engine.analyzer, stop_words=self._engine.stop_words)
        leg = full_text.search(self._look.snapshot, self._shelf, self._view, reading, self._rules)
        if leg is None:
            return np.empty(0, np.int64)
        rows, scores = leg.passages(self._mask)
        return rows[best(scores, self._view.catalogue.keys, self._limit + 1, rows=rows)]

    def _by_meaning(self, pid: int, dimension: int) -> Ints:
        _, rows = self._look.snapshot.vectors_of([pid], dimension)
        leg = vector.search(self._look.snapshot, self._view, rows[0]) if len(rows) else None
        return np.empty(0, np.int64) if leg is None else leg.top(self._limit + 1, self._mask, approximate=True)
