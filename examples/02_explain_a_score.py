"""Every score is a sum, and every part of the sum can be seen."""

import simonides

with simonides.open(":memory:") as store:
    store.remember("The queue overflowed at noon", thought_id="overflow", priority="P1")
    store.remember("Lunch is at noon", thought_id="lunch")
    answer = store.search_hybrid("queue at noon", priority_weight=0.2)

    print(answer.explain())  # for people
    hit = answer.hits[0]
    print("the parts sum to the score:", abs(sum(hit.contributions.values()) - hit.score) < 1e-12)
    for part in hit.parts:  # for programs; answer.to_dict() is the whole of it as JSON
        print(f"{part.name:9} raw {part.value:.3f}, scaled {part.scaled:.3f}, adds {part.contribution:.3f}")
    print("words:", answer.reading.terms, "not scored:", answer.reading.unscored)
