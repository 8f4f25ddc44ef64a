"""Reflections in search: among the others, boosted, capped, left out, or alone."""

import simonides
from simonides import SearchConfig, ThoughtType

SEATS = {"t1": [0.9, 0.4], "t2": [0.8, 0.6], "t3": [0.3, 0.95]}
QUERY = [1.0, 0.1]

with simonides.open(":memory:", embedder=False, config=SearchConfig(reflection_topk_cap=0.5)) as store:
    for name, vector in SEATS.items():
        store.remember(f"Ana chose a window seat ({name})", thought_id=name, vector=vector)
    for name, vector in (("habit", [0.7, 0.7]), ("travel", [0.95, 0.3]), ("ana", [0.99, 0.1])):
        store.remember(
            f"theme: {name}", thought_id=name, thought_type=ThoughtType.REFLECTION, essence=name, vector=vector
        )
    for name in SEATS:
        store.link("travel", name, "CONSOLIDATED_FROM", weight=0.9)  # where the reflection comes from

    for label, options in (
        ("among the others", {}),
        ("boosted", {"reflection_boost": 1.5}),
        ("left out", {"include_reflections": False}),
    ):
        answer = store.search_hybrid("", QUERY, top_k=4, priority_weight=0, **options)
        print(f"{label:17}", [(name, round(score, 2)) for name, score in answer.results])
        print(f"{'':17} evicted by the cap: {answer.reflections_evicted}, used: {sorted(answer.backends_used)}")
    only = store.search_reflections_only("", QUERY, top_k=2)
    print("alone            ", [(name, round(score, 2)) for name, score in only.results])
