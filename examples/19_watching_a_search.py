"""What an answer says about itself: how the text was read, which parts ran at which share, what took how long."""

import simonides

with simonides.open(":memory:", embedder=False) as store:
    for number, unit in enumerate("aabb"):
        store.remember(f"the boiler log, page {number}", thought_id=f"p{number}", metadata={"unit": unit})
    store.update_thought("p3", priority="P1")

    reading = store.read_query('boiler AND "log page"')  # nothing is searched
    print("read as", reading.kind, reading.terms)

    answer = store.search_hybrid("which boiler page?", collapse_key="unit", collapse_max_per_unit=1)
    print("hits    ", [hit.thought_id for hit in answer.hits], "of a pool of", answer.pool)
    print("used    ", sorted(answer.backends_used), {name: round(w, 3) for name, w in answer.weights.items()})
    print("terms   ", answer.reading.terms, "unscored", answer.reading.unscored, "dropped", answer.reading.dropped)
    print("degraded", [lost.what for lost in answer.degraded])
    print("timed   ", sorted(name for name, seconds in answer.timings.items() if seconds >= 0))
    print("logged  ", store.log.list(1)[0].query)
    print(store.explain(answer.query_id).splitlines()[4])
# With opentelemetry-api installed each search is also a span `simonides.search` and counts in two metrics.
