"""A store described by a file, TOML or YAML; what the program adds to it; and how a mistake is answered."""

import tempfile
from pathlib import Path

import simonides
from simonides import Store

SETTINGS = """
[database]
path = "memory.db"              # beside this file
namespace = "ana"

[search]
fts_top_k = 20                  # candidates of the text leg
vector_top_k = 20               # candidates of the vector leg
recency_half_life = 30          # cycles
recency_now_half_life = 86400   # seconds
recency_field = "occurred_at"   # an import makes every row equally new
collapse_pool_factor = 6        # how much wider the pools are with collapse_key
"""

with tempfile.TemporaryDirectory() as folder:
    file = Path(folder, "simonides.toml")
    file.write_text(SETTINGS, encoding="utf-8")
    with Store.from_config(file, embedder=False) as store:
        store.remember("the tram stops at noon", thought_id="june", occurred_at="2026-06-02")
        store.remember("the tram stops at night", thought_id="may", occurred_at="2026-05-30")
        answer = store.search_hybrid("when does the tram stop?", recency_now="2026-06-02", recency_weight=0.5)
        print(store.namespace, [(hit.thought_id, round(hit.score, 2)) for hit in answer.hits])

    for wrong in ("[search]\nfts_topk = 20\n", "[search]\nfts_top_k = 0\n"):
        file.write_text(wrong, encoding="utf-8")
        try:
            Store.from_config(file, ":memory:")
        except simonides.ConfigError as error:
            print(error.code, "-", error)
