"""What held at a time (valid_at), and what the store knew at a time (as_of)."""

from datetime import UTC, datetime

import simonides

today = [datetime(2026, 3, 1, tzinfo=UTC)]


def clock() -> int:
    return int(today[0].timestamp()) * 1_000_000


def found(query: str, **when: str) -> list[str]:
    return sorted(hit.thought.content for hit in store.search_hybrid(query, **when).hits)


with simonides.open(":memory:", clock=clock, actor="example") as store:
    store.create_thought(content="Ana lives in Oslo", thought_id="oslo", valid_from="2020-05-01")
    store.remember("Ana's locker code is 4471", thought_id="code")

    today[0] = datetime(2026, 4, 1, tzinfo=UTC)  # a month later we learn something
    store.invalidate_thought("oslo", valid_until="2026-01-01", reason="she moved")
    store.create_thought(content="Ana lives in Porto", thought_id="porto", valid_from="2026-01-01")
    store.update_thought("code", content="Ana's locker code is 9083", reason="new lock")

    print("lives, today:     ", found("where does Ana live"))
    print("lives, in 2023:   ", found("where does Ana live", valid_at="2023-01-01"))
    print("lives, as we knew:", found("where does Ana live", as_of="2026-03-15"))
    print("code, as we knew: ", found("4471", as_of="2026-03-15")[-1])
    for entry in store.history("code"):
        print(entry.at.date(), entry.kind, entry.actor, entry.reason)
    print(store.diff("code"))
