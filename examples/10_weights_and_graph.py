"""Weights of the five signals: configured in a file, changed per call, shared out when a signal cannot run."""

import tempfile
from pathlib import Path

import simonides

SETTINGS = """
[search]                       # measured: good for notes and conversations alike
default_fts_weight = 0.8
default_vector_weight = 0.2
default_graph_weight = 0.1     # turns of a session are neighbours
"""
TURNS = (
    "Did the plumber find the leak?",
    "Yes, behind the boiler.",
    "What did he charge?",
    "Ninety, and he comes back on Monday.",
    "The plumber next door charges more.",
)


def shares(answer: simonides.HybridSearchResult) -> dict[str, float]:
    """The effective weights, rounded."""
    return {name: round(weight, 3) for name, weight in answer.weights.items()}


with tempfile.TemporaryDirectory() as folder:
    file = Path(folder, "simonides.toml")
    file.write_text(SETTINGS, encoding="utf-8")
    with simonides.Store.from_config(file, ":memory:") as store:
        for number, text in enumerate(TURNS):
            store.remember(text, session="chat", thought_id=f"turn {number}")
        answer = store.search_hybrid("what did the plumber charge?", top_k=3)
        print("configured", shares(answer), [hit.thought_id for hit in answer.hits])
        print("lent by neighbours", {h.thought_id: round(h.contributions["graph"], 3) for h in answer.hits})
        alone = {"fts_weight": 1, "vector_weight": 0, "graph_weight": 0}
        words = store.search_hybrid("what did the plumber charge?", top_k=3, **alone)
        print("words and priority", shares(words), [hit.thought_id for hit in words.hits])
