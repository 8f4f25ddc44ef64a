"""A reflection on top lifts what it was made from: how far, how many, and how to switch that off."""

import simonides
from simonides import SearchConfig

QUERY = [1.0, 0.0]
SETTINGS = {
    "as it is": SearchConfig(),
    "weaker": SearchConfig(graph_expansion_propagation_factor=0.2),
    "one source": SearchConfig(graph_expansion_max_sources_per_reflection=1),
    "a hub is left": SearchConfig(graph_expansion_reflection_source_ceiling=2),
    "no reflection": SearchConfig(graph_expansion_top_n=0),
    "off": SearchConfig(graph_expansion_enabled=False),
}

for label, settings in SETTINGS.items():
    with simonides.open(":memory:", embedder=False, config=settings) as store:
        store.remember("theme: quiet seats", thought_id="theme", thought_type="REFLECTION", vector=QUERY)
        for name, weight in (("coach", 1.0), ("aisle", 0.8), ("table", 0.6)):
            store.remember(f"note: {name}", thought_id=name)  # no word and no vector of the question
            store.link("theme", name, "CONSOLIDATED_FROM", weight=weight)
        answer = store.search_hybrid("", QUERY, priority_weight=0)
        print(f"{label:14}", [(name, round(score, 2)) for name, score in answer.results])
