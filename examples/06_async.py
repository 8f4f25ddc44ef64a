"""The same verbs, awaited. Each runs as one piece on a worker thread."""

import asyncio

import simonides


async def main() -> None:
    """Write at once from several tasks, then ask."""
    async with simonides.open_async(":memory:") as store:
        notes = ("incident: the queue overflowed", "incident: disk full on node 3", "lunch menu: soup")
        await asyncio.gather(*(store.remember(note, thought_id=note[-5:]) for note in notes))
        result = await store.search_hybrid(
            "incident timeline", recency_now="2026-03-01T12:00:00Z", recency_weight=0.4, recency_now_half_life=86_400
        )
        for thought_id, _score in result.results:
            thought = await store.get_thought(thought_id)
            print(thought.content if thought else "gone")
        print(sorted(result.backends_used))


asyncio.run(main())
