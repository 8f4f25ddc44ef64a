"""One hit per document, a threshold, how sure an answer is, and why something is not in it."""

import simonides

PAGES = (
    ("boiler-1", "The boiler needs water every spring", {"document": {"id": "boiler"}}),
    ("boiler-2", "Bleed the boiler before winter", {"document": {"id": "boiler"}}),
    ("garden-1", "The garden pump shares the boiler's switch", {"document": {"id": "garden"}}),
    ("loose", "Ask Teo about the boiler", {}),
)

with simonides.open(":memory:") as store:
    for name, text, metadata in PAGES:
        store.remember(text, thought_id=name, metadata=metadata)
    question = "how do I keep the boiler through winter?"
    plain = store.search_hybrid(question)
    print("all  ", [hit.thought_id for hit in plain.hits])
    units = store.search_hybrid(question, collapse_key="document.id")
    print("units", [hit.thought_id for hit in units.hits])
    print("best ", [hit.thought_id for hit in store.search_hybrid(question, min_score=0.3).hits])

    print(store.why_not(question, "boiler-1", verb="search_hybrid", collapse_key="document.id"))
    print(store.why_not(question, "loose", verb="search_hybrid", filters={"metadata.document": {"$exists": True}}))

    for asked in (question, "who won the chess match in Lima?"):
        print(f"{asked:42} confident: {store.recall(asked).confidence > 0.2}")
