"""Recency along cycles: given per call, or by a provider; an explicit reference always wins."""

import simonides
from simonides import Config, RecencyModeConflictError

counter = {"cycle": 40}
PROVIDERS = {"none": None, "fixed": 60, "function": lambda: counter["cycle"], "newest row": "max_of_store"}

for label, provider in PROVIDERS.items():
    with simonides.open(":memory:", embedder=False, config=Config(cycle_provider=provider)) as store:
        for name, cycle in (("early", 0), ("late", 50)):
            store.create_thought(content="the meeting moved", thought_id=name, created_cycle=cycle)
        answer = store.search_hybrid("meeting", recency_half_life=10)
        fresh = {h.thought_id: round(p.value, 4) for h in answer.hits for p in h.parts if p.name == "recency"}
        print(f"{label:11} {fresh}")
        if provider is not None:
            explicit = store.search_hybrid("meeting", current_cycle=10, recency_half_life=10)
            print(f"{'':11} at cycle 10: {[round(h.contributions['recency'], 3) for h in explicit.hits]}")
        try:
            store.search_hybrid("meeting", current_cycle=10, recency_now="2026-03-01")
        except RecencyModeConflictError as error:
            print(f"{'':11} refused [{error.code}]")
