"""Topics: a map of what is there, a topic as a scope, topics that people make, and how far a question walks."""

from pathlib import Path

import simonides
from simonides.sources.importing import import_into

CONVERSATION = Path(__file__).parent / "conversation" / "petrel.jsonl"

with simonides.open(":memory:") as store:
    import_into(store, CONVERSATION)
    kept = store.topics.rebalance()
    topics = [topic for topic in store.topics.tree() if topic.is_leaf]
    print(f"{kept} memories in {len(topics)} topics")
    kitchen = next(topic for topic in topics if "cake" in topic.label)
    print("one of them:", kitchen.label)
    answer = store.retrieve("What is in the cake?", topics=kitchen.name)
    print("found there:", all(hit.thought.speaker in ("Nora", "Teo") for hit in answer.hits), len(answer.hits) > 0)

    store.topics.create("boat", title="All about Petrel")
    store.topics.file("petrel-01-03", "boat/history")
    print("filed:", store.topics.filed())
    print("below boat:", [hit.thought_id for hit in store.retrieve("wooden boat", topics="boat").hits])

    # Large stores are walked by their tree: a wider beam finds more and costs more. This one is small.
    near = store.search_hybrid("orange cake", beam_width=8, max_depth=2)
    print("compared:", near.vectors_scored, "memories,", near.centroids_scored, "topics")
