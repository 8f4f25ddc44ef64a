"""Look-alike memories with other values were merged and the values lost: github.com/scrypster/muninndb/issues/370."""

from __future__ import annotations

import math
from typing import Any

from store_driver import Opener

from simonides import Reflection

VALUES = ["Ana's locker code is 4471", "Ben's locker code is 4472", "Ana's locker code is no longer 4471"]
REPEATED = "Ana's locker code is 4471"


def alike(place: int) -> list[float]:
    """Unit vectors with a cosine of .96 between any two: √.96 along one axis, √.04 along one of their own."""
    row = [math.sqrt(0.96)] + [0.0] * 9
    row[1 + place] = math.sqrt(0.04)
    return row


def filled(store: Any) -> Any:
    for n, text in enumerate(VALUES):
        store.remember(text, thought_id=f"value-{n}", vector=alike(n))
    for n in range(6):
        store.remember(REPEATED, thought_id=f"again-{n}", vector=alike(3 + n))
    return store


def reflections(store: Any) -> list[Any]:
    return list(store.list_thoughts(filters={"thought_type": "REFLECTION"}))


def test_look_alikes_with_other_values_stay_apart_and_findable(opener: Opener) -> None:
    store = filled(opener(embedder=False))
    before = {thought.thought_id: thought for thought in store.list_thoughts(limit=100)}
    plain = {text: store.recall(text, query_vector=alike(n)).results for n, text in enumerate(VALUES)}

    assert store.consolidate().created == 1
    journal = store.stats().journal_rows
    assert not store.consolidate().changed
    assert store.stats().journal_rows == journal

    [reflection] = reflections(store)
    after = {t.thought_id: t for t in store.list_thoughts(limit=100) if t.thought_id != reflection.thought_id}
    assert after == before, "no source is removed, hidden or changed"
    for n, text in enumerate(VALUES):
        answer = store.recall(text, query_vector=alike(n))
        assert answer.results == plain[text]
        assert answer.hits[0].thought.content == text

    document = Reflection.of(reflection)
    assert document is not None
    assert document.members == tuple(sorted(before))
    excerpts = {excerpt.text: excerpt.repeats for excerpt in document.excerpts}
    assert excerpts == {VALUES[0]: 6, VALUES[1]: 0, VALUES[2]: 0}, "each value in its own words, repeats counted"
    for text in VALUES:
        assert f"“{text}”" in reflection.essence, "a negation stands beside its opposite, not in place of it"


def test_it_goes_stale_when_a_source_is_deleted_and_no_longer_says_it(opener: Opener) -> None:
    store = filled(opener(embedder=False))
    store.consolidate()
    store.delete_thought("value-1")
    [reflection] = reflections(store)
    assert reflection.metadata == {"stale": True}
    store.consolidate()
    [reflection] = reflections(store)
    assert reflection.metadata == {}
    assert "4472" not in reflection.content + reflection.essence
    document = Reflection.of(reflection)
    assert document is not None
    assert "value-1" not in document.members
