"""Callers whose memories are written in one go get what they would have got one after another.

The oracle is a store to which the same calls are made one at a time.
"""

from __future__ import annotations

import re
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_driver import HandClock

import simonides
from simonides import SimonidesError, Store
from simonides.engine import at_work

CONFIG = {"store": {"synchronous": "NORMAL"}}
WAIT_S = 60
DRAWN = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TEXTS = ("the boiler code is 4471", "the launch date is friday", "who has the key? ana has it")
CALLS = st.lists(
    st.fixed_dictionaries(
        {"namespace": st.sampled_from(("ana", "ana", "ben")), "content": st.sampled_from(TEXTS)},
        optional={
            "thought_id": st.sampled_from(("a", "b", "c")),
            "deduplicate": st.booleans(),
            "session": st.sampled_from(("monday", "tuesday")),
            "speaker": st.sampled_from(("Ana", "Ben")),
            "supersedes": st.sampled_from(("a", "b", "nobody")),
            "essence": st.sampled_from(("codes", " ")),
            "concepts": st.sampled_from((("house",), ("work", "house"))),
            "metadata": st.just({"z": [1, 2.5], "a": None}),
            "vector": st.sampled_from(([1.0, 2.0, 2.0], [3.0, 0.0, 4.0], [1.0, 1.0])),
            "confidence": st.sampled_from((0.25, 7)),
            "reason": st.just("heard"),
            "ttl": st.just(60),
            "job": st.just("import"),
        },
    ),
    min_size=2,
    max_size=9,
)


def made(store: Store, call: dict[str, Any]) -> Any:
    """What a caller gets: the thought as JSON, or the error's kind and text."""
    given = {name: value for name, value in call.items() if name != "job"}
    try:
        if "job" not in call:
            return store.remember(**given).to_dict()
        with at_work(call["job"]):
            return store.remember(**given).to_dict()
    except SimonidesError as error:
        return type(error).__name__, error.message


@contextmanager
def opened(clock: HandClock) -> Any:
    with (
        tempfile.TemporaryDirectory() as folder,
        simonides.open(Path(folder) / "s.db", embedder=False, config=CONFIG, clock=clock, actor="test") as store,
    ):
        store.remember("what was there before", namespace="ana", thought_id="a")
        yield store


def in_turn(store: Store, clock: HandClock, calls: list[dict[str, Any]]) -> list[Any]:
    answers = []
    for call in calls:
        clock.advance(1)
        answers.append(made(store, call))
    return answers


def at_once(store: Store, clock: HandClock, calls: list[dict[str, Any]]) -> list[Any]:
    """Makes each call in a thread of its own while nobody can begin to write: then all that wait are one group."""
    writer = store._engine.database._writer  # type: ignore[attr-defined]  # SQLite's own, not the port's
    answers: list[Any] = [None] * len(calls)

    def ask(n: int) -> None:
        answers[n] = made(store, calls[n])

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(len(calls))]
    with writer.lock:
        for thread in threads:
            clock.advance(1)
            before = len(writer._queue)
            thread.start()
            while len(writer._queue) == before and thread.is_alive():  # it waits, or was refused before it wrote
                thread.join(0.0005)
    for thread in threads:
        thread.join(WAIT_S)
        assert not thread.is_alive()
    return answers


def plain(value: Any, names: dict[str, str]) -> Any:
    """The same with ids that were drawn at random in the order of their appearance."""
    if isinstance(value, dict):
        return {key: plain(item, names) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, names) for item in value]
    if isinstance(value, str):
        return DRAWN.sub(lambda found: names.setdefault(found[0], f"id {len(names)}"), value)
    return value


def everything(store: Store, answers: list[Any]) -> dict[str, Any]:
    """All that can be seen of a store, beginning with what its callers were told."""
    names: dict[str, str] = {}
    found: dict[str, Any] = {"answers": plain(answers, names)}
    for name in ("ana", "ben"):
        here = store.in_namespace(name)
        found[name] = plain(
            {
                "thoughts": [thought.to_dict() for thought in here.list_thoughts(limit=50)],
                "counts": [(t.confirmation_count, t.position) for t in here.list_thoughts(limit=50)],
                "journal": [(c.kind, c.actor, c.reason, c.subject_id, c.revision, c.at) for c in here.changes()],
                "edges": [(e.from_id, e.to_id, str(e.edge_type)) for e in here.edges(limit=50)],
                "words": [here.search_fts(text) for text in TEXTS],
                "stats": [here.stats().passages, here.stats().vectors, here.stats().sessions, here.stats().speakers],
            },
            names,
        )
    found["verified"] = store.verify().ok
    return found


def draft(call: dict[str, Any]) -> simonides.Draft:
    wanted = {name: value for name, value in call.items() if name not in ("namespace", "job", "vector", "supersedes")}
    return simonides.Draft(**{**wanted, "confidence": 0.5})


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(CALLS)
def test_a_batch_is_as_its_drafts_one_after_another(calls: list[dict[str, Any]]) -> None:
    drafts = [draft(call) for call in calls]
    with opened(HandClock()) as store:
        for one in drafts:
            [last] = store.remember_many([one], namespace="ana")
        expected = everything(store, [last.to_dict()])
    with opened(HandClock()) as store:
        found = everything(store, [store.remember_many(drafts, namespace="ana")[-1].to_dict()])
    assert found == expected


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(CALLS)
def test_a_group_is_as_its_calls_one_after_another(calls: list[dict[str, Any]]) -> None:
    clock = HandClock()
    with opened(clock) as store:
        expected = everything(store, in_turn(store, clock, calls))
    clock = HandClock()
    with opened(clock) as store:
        found = everything(store, at_once(store, clock, calls))
    assert expected["verified"]
    assert found == expected
