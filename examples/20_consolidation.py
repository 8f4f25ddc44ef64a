"""Reflections: what thoughts have in common, written beside them, and kept true."""

from pathlib import Path

import simonides
from simonides import Reflection, Theme
from simonides.sources import import_into

CONVERSATION = Path(__file__).resolve().parent / "conversation" / "petrel.jsonl"


def headline(theme: Theme) -> str:  # a language model could stand here
    return f"{len(theme.sources)} turns about {', '.join(theme.keywords[:3])}"


with simonides.open(":memory:") as store:
    import_into(store, CONVERSATION)
    planned = store.consolidate(dry_run=True)
    print(f"would write {planned.created} reflections on {planned.grouped} of {planned.thoughts} turns")
    done = store.consolidate(composer=headline)
    print("first:", done.reflections[0].essence)

    answer = store.recall("Which berth did Randi move us to?")
    print("best turn: ", answer.hits[0].thought.content[:70])
    beside = answer.reflections[0].thought
    document = Reflection.of(beside)
    print("beside it: ", beside.essence, "| from", document.span[0][:10], "to", document.span[1][:10])

    source = document.members[0]
    store.update_thought(source, content="I have nothing more to say about that.")
    print("stale:", store.get_thought(beside.thought_id).metadata)
    again = store.consolidate()
    print(f"again: {again.created} new, {again.updated} written again, {again.unchanged} as they were")
