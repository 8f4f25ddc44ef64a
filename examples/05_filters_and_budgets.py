"""What may be found, and how much of it fits."""

import simonides
from simonides import Budget, Draft

DRAFTS = (
    Draft(content="Pump 4 leaks at the gasket", metadata={"site": "north", "tags": ["pump"]}, occurred_at="2026-02-03"),
    Draft(content="Pump 4 got a new gasket", metadata={"site": "north", "tags": ["pump"]}, occurred_at="2026-02-10"),
    Draft(content="Pump 9 leaks", metadata={"site": "south", "tags": ["pump", "urgent"]}, priority="P1"),
)

with simonides.open(":memory:") as store:
    store.remember_many(DRAFTS)
    for filters in (
        {"metadata.site": "north"},
        {"metadata.tags": {"$contains": "urgent"}},
        {"occurred_at": {"$gte": "2026-02-05"}},
        {"$or": [{"priority": "P1"}, {"metadata.site": "north"}]},
    ):
        answer = store.recall("which pump leaks?", filters=filters)
        print(f"{filters!s:62} {[hit.thought.content for hit in answer.hits]}")

    answer = store.recall("which pump leaks?", budget=Budget(max_chars=40))
    print("fits in 40 characters:", [hit.text for hit in answer.hits], "truncated:", answer.truncated)
    print("left out:", [(left.reason, left.size) for left in answer.left_out])
