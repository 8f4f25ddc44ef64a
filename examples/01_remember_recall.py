"""Remember a few things, ask a question, see the best memories first."""

import simonides

MEMORIES = (
    "Ana prefers window seats on trains",
    "Ana takes the train to Porto every second Friday",
    "The spare key is under the blue pot",
    "Courier Bilal delivers on Thursdays, courier Chen on Mondays",
)

with simonides.open(":memory:") as store:  # a path such as "agent.db" makes a file
    store.remember_many(MEMORIES)
    for question in ("which seat does Ana like?", "when do parcels from Bilal come?", "where is the key?"):
        best = store.recall(question, top_k=1).hits[0]
        print(f"{question:36} {best.score:.2f}  {best.thought.content}")
