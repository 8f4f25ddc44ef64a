"""Archived thoughts leave every search, stay in listings, can be searched for one call, and come back."""

import simonides
from simonides import LifecycleStatus

with simonides.open(":memory:", embedder=False) as store:
    store.remember("Incident 12: the queue overflowed", thought_id="old")
    store.remember("Incident 31: the disk was full", thought_id="new")
    store.remember("Incident 31 will be closed", thought_id="gone", expires_at="2020-01-01")
    store.archive_thought("old")

    print("search         ", [name for name, _ in store.search_hybrid("incident").results])
    print("with archive   ", sorted(name for name, _ in store.search_hybrid("incident", include_archived=True).results))
    print("text alone     ", [name for name, _ in store.search_fts("incident")])
    print("listed         ", sorted(thought.thought_id for thought in store.list_thoughts()))
    print("archived       ", store.count_thoughts(lifecycle_status=LifecycleStatus.ARCHIVED))
    print("expired as well", store.count_thoughts(include_expired=True))
    store.restore_thought("old")
    print("restored       ", sorted(name for name, _ in store.search_hybrid("incident").results))
