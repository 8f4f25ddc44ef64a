"""The graph signal, turn by turn: its weight, its decay, how many neighbours count, and which candidates may lend."""

import simonides
from simonides import SearchConfig

ROADS = {"harbour": [1.0, 0.0], "market": [0.8, 0.6], "mill": [0.6, 0.8], "tower": [0.0, 1.0]}
QUERY = [1.0, 0.0]

with simonides.open(":memory:", embedder=False, config=SearchConfig(max_neighbors_per_candidate=2)) as store:
    for name, vector in ROADS.items():
        store.remember(f"the road to the {name}", thought_id=name, vector=vector)
    for other, weight in (("harbour", 0.9), ("market", 0.5), ("tower", 0.1)):
        store.link("mill", other, weight=weight)
    print("edges of the mill", [(edge.to_id, edge.weight) for edge in store.edges("mill", edge_type="ASSOCIATED")])

    for label, options in (
        ("off", {"graph_weight": 0.0}),
        ("on", {"graph_weight": 1.0}),
        ("half the decay", {"graph_weight": 1.0, "graph_edge_decay": 0.25}),
        ("a pool of two", {"graph_weight": 1.0, "fts_top_k": 2, "vector_top_k": 2}),
    ):
        answer = store.search_hybrid("", QUERY, top_k=2, priority_weight=0, **options)
        lent = {hit.thought_id: round(hit.contributions.get("graph", 0.0), 3) for hit in answer.hits}
        print(f"{label:15} pool {answer.pool}, used {sorted(answer.backends_used)}, lent {lent}")
