"""Vectors you bring yourself, and recency along time or along cycles."""

import numpy as np

import simonides

ROWS = {
    "a": ("old but exact", [1.0, 0.0, 0.0], "2026-01-01", 10),
    "b": ("new and close", [0.9, 0.4, 0.0], "2026-02-28", 48),
    "c": ("new, elsewhere", [0.0, 0.0, 1.0], "2026-02-28", 50),
}
QUERY = np.array([1.0, 0.0, 0.0], np.float32)

with simonides.open(":memory:") as store:  # the first given vector decides the store's model: given:3
    for name, (text, vector, when, cycle) in ROWS.items():
        store.create_thought(content=text, thought_id=name, vector=vector, updated_at=when, updated_cycle=cycle)
    print("model", store.stats().model_id, "similar", store.search_similar(QUERY, threshold=0.5))
    for label, axis in (
        ("no axis", {}),
        ("time", {"recency_now": "2026-03-01", "recency_now_half_life": 7 * 86_400}),
        ("cycles", {"current_cycle": 50, "recency_half_life": 10.0}),
    ):
        answer = store.search_hybrid("", QUERY, recency_weight=0.5, **axis)
        print(f"{label:8}", [(name, round(score, 3)) for name, score in answer.results])
