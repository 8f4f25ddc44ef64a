"""Lives a year: draws an event, does it to the store and to the model, and looks whether they still agree."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import simonides
from simonides.clock import DAY, to_instant
from simonides.model.answer import HybridSearchResult
from year.events import NAMESPACES, Event, Source, happened, note, perform
from year.model import Key, Memory, Model

CONFIG = {"store": {"synchronous": "NORMAL"}, "audit": {"text": False}, "embedding": {"query_deadline_s": 60.0}}
EMBEDDERS = ("hashing:32", "hashing:48")
PROBES = 3  # words asked for after every event
WHOLE = 40  # events between two looks at everything
PASSING = frozenset({"query_id", "timings", "access_count", "last_accessed_at"})
VICTIM = Path(__file__).with_name("victim.py")


class Life:
    """One seed, one file. `live` raises AssertionError at the first disagreement; the seed repeats it."""

    def __init__(self, seed: int, path: Path) -> None:
        self.rng = random.Random(seed)
        self.path = path
        self.model = Model()
        self.source = Source(self.rng)
        self.now = to_instant("2026-01-01T08:00:00")
        self.embedder = EMBEDDERS[0]
        self.told: dict[str, int] = {}  # how often what happened
        self.seen = 0  # the newest change of the journal
        self.named: set[str] = set()  # every id that a memory ever had
        self.known: dict[int, dict[Key, Memory]] = {}  # what was known at the end of some days
        self.store = self._open()

    def _open(self) -> simonides.Store:
        return simonides.open(self.path, embedder=self.embedder, clock=lambda: self.now, config=CONFIG)

    def live(self, events: int, progress: Callable[[int], None] = lambda done: None) -> None:
        try:
            for number in range(1, events + 1):
                self._happen()
                self.named |= {name for _, name in self.model.memories}
                self._probe()
                if number % WHOLE == 0 or number == events:
                    self._look_at_everything()
                progress(number)
            self._nothing_erased_is_left()
        finally:
            self.store.close()

    def _happen(self) -> None:
        rare = {
            "event": 100, "days": 12, "consolidate": 3, "judge": 3, "tidy": 3, "expire": 3, "reopen": 3, "kill": 1.5,
            "reembed": 1, "compact": 0.5, "pass on": 0.5,
        }  # fmt: skip
        name = self.rng.choices(list(rare), list(rare.values()))[0]
        self.told[name] = self.told.get(name, 0) + 1
        if name == "event":
            event = self.source.one(self.model, self.now)
            self.told[event.name] = self.told.get(event.name, 0) + 1
            if event.name == "again" and not self.model.memories[_key(event)].visible(self.now):
                return
            perform(self.store, event)
            note(self.model, event)
        elif name == "days":
            self.known[self.now] = dict(self.model.memories)
            self.now += self.rng.randrange(1, 4) * DAY
        elif name == "consolidate":
            self._consolidate(self.rng.choice(NAMESPACES))
        elif name == "judge":
            self._judge(self.rng.choice(NAMESPACES))
        elif name in ("tidy", "expire"):
            self._tidy(self.rng.choice(NAMESPACES), name)
        elif name == "reopen":
            self.store.close()
            self.store = self._open()
        elif name == "kill":
            self._kill()
        elif name == "reembed":
            self.embedder = EMBEDDERS[1 - EMBEDDERS.index(self.embedder)]
            self.store.reembed(self.embedder)
        elif name == "compact":
            self.store.compact()
        else:
            self._pass_on()

    def _consolidate(self, where: str) -> None:
        """Reflections come and change nothing else; asked once more, there is nothing to do."""
        self.store.consolidate(namespace=where)
        again = self.store.consolidate(namespace=where)
        assert not again.changed, again

    def _judge(self, where: str) -> None:
        """Looks for conflicts, which changes no answer, and decides about the first one."""
        question = "what is the door code?"
        before = _plain(self.store.recall(question, namespace=where, now=_date(self.now)))
        self.store.conflicts.scan(namespace=where)
        assert _plain(self.store.recall(question, namespace=where, now=_date(self.now))) == before
        proposed = self.store.conflicts.list(namespace=where, limit=1)
        for conflict in proposed:
            if self.rng.random() < 0.4:
                self.store.conflicts.reject(conflict.conflict_id, namespace=where)
                continue
            self.store.conflicts.confirm(conflict.conflict_id, kind="CONTRADICTS", namespace=where)
            self.model.links.add((where, conflict.newer.thought_id, conflict.older.thought_id, "CONTRADICTS"))

    def _tidy(self, where: str, what: str) -> None:
        """What a dry run says is what happens; nothing pinned and nothing that is not due is touched."""
        do = self.store.hygiene if what == "tidy" else self.store.expire
        said, done = do(namespace=where, dry_run=True), do(namespace=where)
        assert [item.thought.thought_id for item in said.items] == [item.thought.thought_id for item in done.items]
        for item in done.items:
            key = (where, item.thought.thought_id)
            memory = self.model.memories[key]
            assert not memory.pinned
            assert what == "tidy" or not memory.visible(self.now)
            assert item.action == "archive"
            self.model.change(key, archived=True)

    def _kill(self) -> None:
        """Another process does some events and is killed at a moment of its own; each is there wholly or not at all."""
        imagined, events = Model(dict(self.model.memories), set(self.model.links)), []
        for _ in range(12):
            event = self.source.one(imagined, self.now)
            if event.name != "again":
                note(imagined, event)
                events.append(event)
        command = [sys.executable, str(VICTIM), str(self.path), str(self.now), self.embedder]
        victim = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert victim.stdin is not None
        assert victim.stdout is not None
        victim.stdin.write(json.dumps(events))
        victim.stdin.close()
        assert victim.stdout.readline() == "ready\n"
        time.sleep(self.rng.random() * 0.05)
        victim.kill()
        done = victim.stdout.read().count("done\n")
        victim.wait()
        for event in events[:done]:
            note(self.model, event)
        if done < len(events) and happened(self.store, events[done]):
            note(self.model, events[done])

    def _pass_on(self) -> None:
        """The store moves into a new file by export and import; nothing of it is lost."""
        dump, moved = self.path.with_suffix(".jsonl"), self.path.with_name(f"moved-{self.rng.randrange(1 << 30)}.db")
        self.store.export(dump, overwrite=True)
        with simonides.open(moved, embedder=self.embedder, clock=lambda: self.now, config=CONFIG) as other:
            other.import_(dump)
        dump.unlink()
        self.store.close()
        self.path = moved
        self.store = self._open()
        self.seen = 0

    # ------------------------------------------------------------------ invariants

    def _probe(self) -> None:
        """Some words: each finds its memory, or nothing."""
        for where in NAMESPACES:
            living = self.model.of(where)
            chosen = self.rng.sample(sorted(living), min(PROBES, len(living)))
            for name in chosen:
                memory = living[name]
                expected = [name] if memory.visible(self.now) else []
                found = self._evidence(memory.word, where)
                assert found == expected, f"{memory.word} of {where}/{name}: {found} instead of {expected}"
        gone = sorted(self.model.gone)
        for word in self.rng.sample(gone, min(PROBES, len(gone))):
            for where in NAMESPACES:
                assert not self._evidence(word, where), f"{word} is gone and was found in {where}"
        erased = sorted(self.model.erased)
        for word in self.rng.sample(erased, min(PROBES, len(erased))):
            for where in NAMESPACES:
                assert not self.store.search_fts(word, namespace=where), f"{word} is erased and was found"

    def _evidence(self, word: str, where: str, **times: float) -> list[str]:
        """Which memories a word finds. A reflection may say of a source what it said when it was made."""
        found = [name for name, _ in self.store.search_fts(word, namespace=where, **times)]
        return [name for name in found if name in self.named]

    def _look_at_everything(self) -> None:
        for where in NAMESPACES:
            self._listing(where)
            self._links(where)
            self._answers(where)
            self._past(where)
        checked = self.store.verify()
        assert checked.ok, checked.problems
        newest = max((change.seq for change in self.store.changes(self.seen, limit=10_000)), default=self.seen)
        assert newest >= self.seen
        self.seen = newest

    def _listing(self, where: str) -> None:
        expected = self.model.of(where)
        listed = self.store.list_thoughts(namespace=where, limit=10_000, include_expired=True)
        known = {thought.thought_id: thought for thought in listed if thought.thought_type != "REFLECTION"}
        assert known.keys() == expected.keys()
        for name, memory in expected.items():
            thought = known[name]
            assert thought.content == memory.content
            assert (thought.lifecycle_status == "ARCHIVED") == memory.archived
            assert thought.revision >= memory.versions
            assert thought.pinned == memory.pinned

    def _links(self, where: str) -> None:
        edges = self.store.edges(namespace=where)
        kept = {"SUPERSEDES", "CONTRADICTS"}
        found = {(where, e.from_id, e.to_id, str(e.edge_type)) for e in edges if str(e.edge_type) in kept}
        assert found == {link for link in self.model.links if link[0] == where}

    def _answers(self, where: str) -> None:
        """A recall: repeatable, explained to the last digit, and nothing in it that may not be seen."""
        question = f"where is the {self.rng.choice(('door code', 'spare key', 'rent'))}?"
        first, second = (self.store.recall(question, namespace=where, now=_date(self.now)) for _ in range(2))
        assert _plain(first) == _plain(second)
        living = self.model.of(where)
        for hit in first.hits:
            assert abs(sum(hit.contributions.values()) - hit.score) < 1e-12
            if hit.thought.thought_type == "REFLECTION":
                continue
            assert living[hit.thought_id].visible(self.now)
            assert hit.thought.content == living[hit.thought_id].content
            heads = {link[1] for link in self.model.links if link[2] == hit.thought_id and link[3] == "SUPERSEDES"}
            assert {name for name in heads if living[name].visible(self.now)} <= set(hit.superseded_by)

    def _past(self, where: str) -> None:
        """What was known at the end of an earlier day: listed and found as it was, but for what was erased since."""
        if not self.known:
            return
        instant = self.rng.choice(sorted(self.known))
        then = {
            name: m for (w, name), m in self.known[instant].items() if w == where and m.word not in self.model.erased
        }
        listed = self.store.list_thoughts(namespace=where, limit=10_000, include_expired=True, as_of=_date(instant))
        contents = {t.thought_id: t.content for t in listed if t.thought_type != "REFLECTION"}
        assert contents == {name: memory.content for name, memory in then.items()}
        for name in self.rng.sample(sorted(then), min(PROBES, len(then))):
            expected = [name] if then[name].visible(instant) else []
            found = self._evidence(then[name].word, where, as_of=_date(instant))
            assert found == expected, f"{then[name].word} as of {instant}: {found} instead of {expected}"

    def _nothing_erased_is_left(self) -> None:
        self.store.compact()
        self.store.close()
        data = b"".join(file.read_bytes() for file in self.path.parent.glob(f"{self.path.name}*"))
        left = [word for word in self.model.erased if word.encode() in data]
        assert not left, f"{len(left)} erased words are still in the file, {left[:3]} among them"
        self.store = self._open()


def _key(event: Event) -> tuple[str, str]:
    where, name = event.values["key"]
    return where, name


def _date(instant: int) -> float:
    return instant / 1_000_000


def _plain(value: object) -> object:
    """An answer without its id, its timings, and how often its thoughts were shown: that is counted meanwhile."""
    if isinstance(value, HybridSearchResult):
        return _plain(value.to_dict())
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items() if name not in PASSING}
    return [_plain(part) for part in value] if isinstance(value, (list, tuple)) else value
