"""Whatever happened to a store: one run of consolidation settles it, and a run right after it changes nothing."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import pytest

import simonides
from simonides import Reflection
from simonides.reflect import consolidate

THEMES = 4
DIMENSION = 12
SAYINGS = ("the kiln was fired", "the train was late", "the boat leaks", "the code is 4471", "nobody came")
CONFIG = {"audit": {"mode": "off"}, "consolidation": {"sources_max": 6, "cosine_min": 0.5, "cosine_max": 0.6}}
DAY = 86_400_000_000


def direction(rng: random.Random, theme: int) -> list[float]:
    """A unit row: near one of a few themes, between two of them, or anywhere."""
    row = [rng.gauss(0.0, 0.22) for _ in range(DIMENSION)]
    row[theme] += 1.0
    if rng.random() < 0.3:
        row[rng.randrange(THEMES)] += 0.8
    length = math.sqrt(sum(x * x for x in row))
    return [x / length for x in row]


class Life:
    """A store and what happens to it; every deed changes something, or finds nothing to change."""

    def __init__(self, seed: int, vectors: bool) -> None:
        self.rng = random.Random(seed)
        self.now = 1_700_000_000_000_000
        self.vectors = vectors
        self.count = 0
        self.store = simonides.open(":memory:", embedder=False, clock=lambda: self.now, config=CONFIG)

    def vector(self) -> list[float] | None:
        return direction(self.rng, self.rng.randrange(THEMES)) if self.vectors else None

    def text(self) -> str:
        return f"{self.rng.choice(SAYINGS)} {self.rng.randrange(12)}"

    def names(self, status: str = "ACTIVE", *, reflections: bool = False) -> list[str]:
        kind = "REFLECTION" if reflections else "NOTE"
        wanted = {"thought_type": kind, "lifecycle_status": status}
        return [t.thought_id for t in self.store.list_thoughts(filters=wanted, limit=10_000, include_expired=True)]

    def one(self, *args: str, **kwargs: bool) -> str | None:
        found = self.names(*args, **kwargs)
        return self.rng.choice(found) if found else None

    def remember(self) -> None:
        for _ in range(self.rng.randrange(1, 8)):
            self.count += 1
            session = self.rng.choice([None, None, "one", "two"])
            self.store.remember(self.text(), thought_id=f"t{self.count}", vector=self.vector(), session=session)

    def change(self) -> None:
        if name := self.one():
            self.store.update_thought(name, content=self.text(), vector=self.vector())

    def swap(self) -> None:
        """Two memories change places in meaning: what two reflections have crosses over."""
        names = self.names()
        if self.vectors and len(names) > 1:
            one, two = (self.store.get_thought(name) for name in self.rng.sample(names, 2))
            rows = [direction(self.rng, self.rng.randrange(THEMES)) for _ in range(2)]
            self.store.update_thought(one.thought_id, content=f"{two.content} now", vector=rows[0])
            self.store.update_thought(two.thought_id, content=f"{one.content} now", vector=rows[1])

    def repeat(self) -> None:
        """A memory comes to say the same as another, which may belong to another reflection."""
        names = self.names()
        if len(names) > 1:
            one, two = self.rng.sample(names, 2)
            content = self.store.get_thought(two).content
            self.store.update_thought(one, content=content, vector=self.vector())

    def archive(self) -> None:
        if name := self.one(reflections=self.rng.random() < 0.25):
            self.store.archive_thought(name)

    def restore(self) -> None:
        if name := self.one("ARCHIVED", reflections=self.rng.random() < 0.4):
            self.store.restore_thought(name)

    def delete(self) -> None:
        if name := self.one(reflections=self.rng.random() < 0.25):
            self.store.delete_thought(name)

    def forget(self) -> None:
        if name := self.one():
            self.store.forget(thought_ids=[name], reason="asked")

    def supersede(self) -> None:
        names = self.names()
        if len(names) > 1:
            newer, older = self.rng.sample(names, 2)
            if not any(e.edge_type == "SUPERSEDES" for name in (newer, older) for e in self.store.edges(name)):
                self.store.link(newer, older, "SUPERSEDES")

    def expire(self) -> None:
        if name := self.one():
            self.store.update_thought(name, expires_at=(self.now + DAY) / 1e6)

    def wait(self) -> None:
        self.now += DAY

    def edit(self) -> None:
        """Somebody writes on a reflection, or makes its text his own."""
        if name := self.one(reflections=True):
            if self.rng.random() < 0.5:
                self.store.update_thought(name, essence=self.text())
            else:
                self.store.update_thought(name, content=self.text(), vector=self.vector())

    def unlink(self) -> None:
        if (name := self.one(reflections=True)) and (edges := self.store.edges(name)):
            edge = self.rng.choice(edges)
            self.store.unlink(edge.from_id, edge.to_id, str(edge.edge_type))

    def link(self) -> None:
        reflection, name = self.one(reflections=True), self.one()
        if reflection and name:
            self.store.link(reflection, name, "CONSOLIDATED_FROM")

    def deeds(self) -> list[Callable[[], None]]:
        often = [self.remember] * 6 + [self.change, self.swap, self.repeat, self.archive] * 3
        return [*often, self.restore, self.restore, self.delete, self.forget, self.supersede, self.expire, self.wait,
                self.edit, self.unlink, self.link]  # fmt: skip


def state(store: Any) -> list[Any]:
    """Everything that consolidation writes."""
    thoughts = store.list_thoughts(filters={"thought_type": "REFLECTION"}, limit=10_000, include_expired=True)
    edges = [(e.from_id, e.to_id) for e in store.edges() if e.edge_type == "CONSOLIDATED_FROM"]
    return [[t.to_dict() for t in thoughts], edges, store.stats().journal_rows]


def agrees(store: Any, vectors: bool) -> None:
    """What reflections say of themselves: sources by document and by edge, none of them in two."""
    living = {t.thought_id: t for t in store.list_thoughts(limit=10_000) if t.lifecycle_status == "ACTIVE"}
    replaced = {e.to_id for e in store.edges() if e.edge_type == "SUPERSEDES"}
    seen: dict[str, str] = {}
    for thought in living.values():
        document = Reflection.of(thought)
        linked = {e.to_id for e in store.edges(thought.thought_id) if e.edge_type == "CONSOLIDATED_FROM"}
        if document is None:
            continue
        found = store.search_reflections_only("", [1.0] * DIMENSION, top_k=1000) if vectors else None
        if not linked & (living.keys() - replaced):
            assert found is None or thought.thought_id not in [name for name, _ in found.results], "it is retired"
            continue
        assert "stale" not in thought.metadata
        assert set(document.members) <= linked
        for member in document.members:
            assert seen.setdefault(member, thought.thought_id) == thought.thought_id
        for excerpt in document.excerpts:
            source = living[excerpt.thought_id]
            assert source.content == excerpt.text, "an excerpt is what its source says now"


@pytest.mark.parametrize("vectors", [True, False], ids=["vectors", "words"])
@pytest.mark.parametrize("seed", range(6))
def test_one_run_settles_a_store_whatever_happened_to_it(seed: int, vectors: bool) -> None:
    life = Life(seed, vectors)
    written = 0
    with life.store as store:
        life.remember()
        for _ in range(20):
            for _ in range(life.rng.randrange(1, 9)):
                life.rng.choice(life.deeds())()
            done = store.consolidate()
            assert done.skipped == 0
            written += done.created + done.updated
            agrees(store, vectors)
            before = state(store)
            again = store.consolidate()
            assert not again.changed, [plan.action for plan in again.reflections]
            assert again.skipped == 0
            assert state(store) == before
        assert store.verify().ok
    assert written > 10


class Cut(Exception):
    """Raised from a progress callback: the run ends there."""


def lived(seed: int) -> Life:
    life = Life(seed, vectors=True)
    for _ in range(4):
        for _ in range(40):
            life.rng.choice(life.deeds())()
        life.store.consolidate()
    for _ in range(60):
        life.rng.choice(life.deeds())()
    return life


@pytest.mark.parametrize("seed", range(4))
def test_a_run_that_was_cut_off_comes_to_what_it_would_have_come_to(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One reflection per transaction, and every run is ended after one, two or three of them."""
    monkeypatch.setattr(consolidate, "BATCH", 1)
    with lived(seed).store as calm, lived(seed).store as cut:
        calm.consolidate()
        rng, cuts = random.Random(seed), 0

        def until(ends: int) -> Callable[[int, int], None]:
            def tell(done: int, total: int) -> None:
                if done == ends < total:
                    raise Cut

            return tell

        while True:
            try:
                cut.consolidate(progress=until(rng.randrange(1, 4)))
                break
            except Cut:
                cuts += 1
        assert cuts > 1
        assert state(cut)[:2] == state(calm)[:2]
        assert not cut.consolidate().changed
