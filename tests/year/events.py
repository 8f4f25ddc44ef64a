"""What can happen to a store? Each event is a name with plain values: drawn from a seed, done by any process."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import simonides
from simonides.clock import DAY, to_datetime
from year.model import Key, Memory, Model

NAMESPACES = ("home", "work")
PEOPLE = ("Ana", "Bruno", "Chen", "Dalia", "Emil")
THINGS = ("door code", "train to Porto", "dentist", "office plant", "spare key", "rent", "server room", "cello lesson")
PLACES = ("on Monday", "under the blue pot", "in the second drawer", "at half past eight", "near the station")
SIGNS = "bdfghlmnprtvz"


class Event(NamedTuple):
    name: str
    values: dict[str, Any]


def word(number: int) -> str:
    """A word of its own for every number; no stemmer takes anything off it."""
    out = "k"
    while number:
        number, sign = divmod(number, len(SIGNS))
        out = SIGNS[sign] + "o" + out
    return f"qua{out}"


def sentence(rng: random.Random, unique: str) -> str:
    who, thing, place = rng.choice(PEOPLE), rng.choice(THINGS), rng.choice(PLACES)
    return f"{who}: the {thing} is {place}, number {rng.randrange(100)}, {unique}."


class Source:
    """Draws events that make sense for a model. Words and ids are never drawn twice."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self._count = 0

    def _fresh(self) -> tuple[str, str]:
        self._count += 1
        return f"m{self._count}", word(self._count)

    def one(self, model: Model, now: int) -> Event:
        """An event that any process can do."""
        name = self.rng.choices(*zip(*WEIGHTS.items(), strict=True))[0]
        return self._made(str(name), model, now) or self._made("remember", model, now)  # type: ignore[return-value]  # past the types, on purpose

    def _made(self, name: str, model: Model, now: int) -> Event | None:
        rng, living = self.rng, sorted(model.memories)
        if name == "remember":
            thought_id, unique = self._fresh()
            values = {"key": [rng.choice(NAMESPACES), thought_id], "word": unique, "content": sentence(rng, unique)}
            values["expires_at"] = now + rng.randrange(40) * DAY + 1 if rng.random() < 0.2 else None
            values["pinned"] = rng.random() < 0.1
            return Event(name, values)
        if not living:
            return None
        key = list(rng.choice(living))
        if name == "correct":
            _, unique = self._fresh()
            return Event(name, {"key": key, "word": unique, "content": sentence(rng, unique)})
        if name == "supersede":
            thought_id, unique = self._fresh()
            new = {"key": [key[0], thought_id], "word": unique, "content": sentence(rng, unique), "old": key[1]}
            return Event(name, new)
        if name == "date":
            return Event(name, {"key": key, "expires_at": now + rng.randrange(1, 30) * DAY})
        if name in ("contradict", "unlink"):
            others = [other for other in living if other[0] == key[0] and other[1] != key[1]]
            return Event(name, {"key": key, "other": rng.choice(others)[1]}) if others else None
        return Event(name, {"key": key})


WEIGHTS = {
    "remember": 30, "again": 6, "correct": 14, "supersede": 5, "contradict": 5, "unlink": 3, "archive": 8,
    "restore": 6, "date": 6, "delete": 4, "forget": 5,
}  # fmt: skip


def perform(store: simonides.Store, event: Event) -> None:
    """Does it to the store."""
    values = event.values
    where, name = values["key"]
    done: dict[str, Callable[[], object]] = {
        "remember": lambda: store.remember(
            values["content"], thought_id=name, namespace=where, deduplicate=True, pinned=values["pinned"],
            expires_at=_date(values["expires_at"]),
        ),
        "again": lambda: _again(store, where, name),
        "correct": lambda: store.update_thought(name, content=values["content"], namespace=where),
        "supersede": lambda: store.remember(
            values["content"], thought_id=name, namespace=where, deduplicate=True, supersedes=values["old"]
        ),
        "contradict": lambda: store.link(name, values["other"], "CONTRADICTS", namespace=where),
        "unlink": lambda: store.unlink(name, values["other"], "CONTRADICTS", namespace=where),
        "archive": lambda: store.archive_thought(name, namespace=where),
        "restore": lambda: store.restore_thought(name, namespace=where),
        "date": lambda: store.update_thought(name, expires_at=_date(values["expires_at"]), namespace=where),
        "delete": lambda: store.delete_thought(name, namespace=where),
        "forget": lambda: store.forget(thought_ids=[name], reason="asked for", namespace=where),
    }  # fmt: skip
    done[event.name]()


def _date(instant: int | None) -> Any:
    return None if instant is None else to_datetime(instant)


def _again(store: simonides.Store, where: str, name: str) -> None:
    """The same text again is the same memory."""
    known = store.get_thought(name, namespace=where)
    assert known is not None
    again = store.remember(known.content, namespace=where, deduplicate=True)
    assert again.thought_id == name, f"{name} was said again and became {again.thought_id}"


def note(model: Model, event: Event) -> None:
    """Does it to the model."""
    values = event.values
    key: Key = (values["key"][0], values["key"][1])
    if event.name in ("remember", "supersede"):
        memory = Memory(
            values["content"], values["word"], expires_at=values.get("expires_at"), pinned=values.get("pinned", False)
        )
        model.add(key, memory)
        if event.name == "supersede":
            model.links.add((key[0], key[1], values["old"], "SUPERSEDES"))
    elif event.name == "correct":
        model.change(key, content=values["content"], word=values["word"])
    elif event.name in ("contradict", "unlink"):
        link = (key[0], key[1], values["other"], "CONTRADICTS")
        (model.links.add if event.name == "contradict" else model.links.discard)(link)
    elif event.name in ("archive", "restore"):
        model.change(key, archived=event.name == "archive")
    elif event.name == "date":
        model.change(key, expires_at=values["expires_at"])
    elif event.name in ("delete", "forget"):
        model.end(key, erase=event.name == "forget")


def happened(store: simonides.Store, event: Event) -> bool:
    """Whether an event that was cut off by a kill is in the store: wholly or not at all."""
    values = event.values
    where, name = values["key"]
    known = store.get_thought(name, namespace=where)
    if event.name in ("remember", "supersede"):
        return known is not None
    if event.name in ("delete", "forget"):
        return known is None
    assert known is not None
    if event.name == "correct":
        return known.content == values["content"]
    if event.name == "date":
        return known.expires_at == to_datetime(values["expires_at"])
    if event.name in ("archive", "restore"):
        return (known.lifecycle_status == "ARCHIVED") == (event.name == "archive")
    linked = any(
        edge.to_id == values.get("other") and edge.from_id == name and edge.edge_type == "CONTRADICTS"
        for edge in store.edges(name, namespace=where)
    )
    return linked == (event.name == "contradict")
