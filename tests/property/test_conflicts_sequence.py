"""Remember, scan, decide, change, forget in any order: what must hold of conflicts holds after every step."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import simonides
from simonides import LifecycleStatus, Store

STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ("remember", "remember", "remember", "scan", "confirm", "reject", "change", "forget", "archive")
        ),
        st.integers(0, 3),
        st.integers(0, 9),
        st.sampled_from(("ana", "ben")),
    ),
    max_size=14,
)


def text(thing: int, value: int) -> str:
    subject = ("The boiler code", "The launch date", "The speed limit", "The room number")[thing]
    return f"{subject} is {4470 + value}"


def step(store: Store, deed: str, thing: int, value: int, name: str) -> None:
    here = store.in_namespace(name)
    thoughts = here.list_thoughts(limit=50)
    waiting = here.conflicts.list()
    if deed == "remember":
        here.remember(text(thing, value))
    elif deed == "scan":
        here.conflicts.scan()
    elif deed in ("confirm", "reject") and waiting:
        chosen = waiting[value % len(waiting)].conflict_id
        if deed == "confirm":
            here.conflicts.confirm(chosen, kind="CONTRADICTS")
        else:
            here.conflicts.reject(chosen)
    elif thoughts:
        chosen = thoughts[value % len(thoughts)].thought_id
        if deed == "change":
            here.update_thought(chosen, content=text(thing, value))
        elif deed == "forget":
            here.forget(thought_ids=[chosen], reason="asked")
        elif deed == "archive":
            here.archive_thought(chosen)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(STEPS)
def test_what_must_hold_of_conflicts_holds(steps: list[tuple[str, int, int, str]]) -> None:
    rejected: dict[str, set[frozenset[tuple[str, str]]]] = {"ana": set(), "ben": set()}
    with simonides.open(":memory:", embedder=False) as store:
        for deed, thing, value, name in steps:
            if deed == "change":
                rejected[name].clear()  # what is said anew may be proposed anew
            before = {c.conflict_id: c for c in store.in_namespace(name).conflicts.list()}
            step(store, deed, thing, value, name)
            for conflict in store.in_namespace(name).conflicts.list("rejected"):
                if conflict.conflict_id in before:  # rejected just now
                    pair = frozenset((t.thought_id, t.content) for t in (conflict.older, conflict.newer))
                    rejected[name].add(pair)
            for owner in ("ana", "ben"):
                here = store.in_namespace(owner)
                mine = {thought.thought_id: thought.content for thought in here.list_thoughts(limit=50)}
                confirmed = here.conflicts.list("confirmed")
                seen = set()
                for conflict in here.conflicts.list():
                    pair = frozenset((t.thought_id, t.content) for t in (conflict.older, conflict.newer))
                    assert {thought_id for thought_id, _ in pair} <= set(mine)  # one's own, and living
                    assert LifecycleStatus.ARCHIVED not in (
                        conflict.older.lifecycle_status,
                        conflict.newer.lifecycle_status,
                    )
                    assert conflict.older.content.split(" is ")[0] == conflict.newer.content.split(" is ")[0]
                    assert conflict.older.content != conflict.newer.content
                    assert pair not in rejected[owner]
                    assert pair not in seen
                    seen.add(pair)
                edges = {(e.from_id, e.to_id) for e in here.edges() if e.edge_type == "CONTRADICTS"}
                assert edges == {(c.newer.thought_id, c.older.thought_id) for c in confirmed}
        assert store.verify().problems == ()
