"""Forgetting, only when asked: what would go and why, archiving, erasing later, and memories with a time to live."""

from datetime import UTC, datetime, timedelta

import simonides

today = datetime(2026, 1, 10, tzinfo=UTC)


def clock() -> int:
    return round(today.timestamp() * 1_000_000)


settings = {"hygiene": {"cold_days": 90.0, "restore_days": 30.0}}
with simonides.open(":memory:", clock=clock, config=settings) as store:
    store.remember("The projector was in room 3", thought_id="projector")
    store.remember("Ana is allergic to nuts", thought_id="nuts", priority="P1")
    store.remember("The spare key hangs in the hall", thought_id="key", pinned=True)
    store.remember("The guest code is 1234", thought_id="guest", ttl=timedelta(days=3))

    today += timedelta(days=4)
    print("expired:", [item.thought.thought_id for item in store.expire(action="erase").items])

    today += timedelta(days=120)
    for item in store.hygiene(dry_run=True).items:
        print(f"would {item.action} {item.thought.thought_id}: {', '.join(item.reasons)}")
    report = store.hygiene()
    print("archived:", report.archived, "kept:", dict(report.kept))
    print("hits:", [hit.thought.thought_id for hit in store.recall("projector").hits])

    today += timedelta(days=31)
    print("erased without the second word:", store.hygiene().erased)
    print("erased with it:", store.hygiene(erase=True).erased, store.get_thought("projector"))
