"""Words are OR-ed and punctuation is harmless; phrases, AND/OR/NOT, prefixes and columns are there when asked for."""

import logging

import simonides

logging.getLogger("simonides").setLevel(logging.ERROR)  # a malformed expert query is logged as a warning
NOTES = {
    "sister": "my sister's dog barks at the neural network",
    "berlin": "the trip was fine",
    "python": "python code for machine learning",
    "snake": "a python is a snake",
}

with simonides.open(":memory:", embedder=False) as store:
    for name, text in NOTES.items():
        store.remember(text, thought_id=name, essence="Berlin" if name == "berlin" else None)
    for query in (
        "what was my sister doing", "sister's", "see http://example.com at 12:30?", '"machine learning"',
        "python AND NOT snake", "neur*", "essence:berlin", 'python AND "machine', "DO NOT FORGET THE SNAKE",
    ):  # fmt: skip
        answer = store.search_hybrid(query)
        print(f"{query:34} {answer.reading.kind:7} {[hit.thought_id for hit in answer.hits]}")
    print("could not be read as expert queries:", store.fts_match_failure_count)
    print("pairs of (id, BM25):", [(name, round(score, 2)) for name, score in store.search_fts("python snake", 2)])
