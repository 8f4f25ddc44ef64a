"""Memories that disagree: proposed by a scan, decided by you; nothing changes before."""

import simonides

with simonides.open(":memory:") as store:
    for text in (
        "The launch is on 24 May",
        "request_timeout is 30 seconds in production",
        "Ana is allergic to peanuts",
        "The launch has been moved to 7 June",
        "request_timeout is 5 seconds in staging",  # another place: no conflict
        "Ana is not allergic to peanuts",
    ):
        store.remember(text)

    done = store.conflicts.scan()
    print(f"{done.thoughts} memories, {done.pairs} pairs, {done.proposed} proposed")
    for conflict in store.conflicts.list():
        found = conflict.found
        print(f"{found.kind.value:11} {found.slot:8} {found.older or '(says it)':9} / {found.newer}")

    launch, peanuts = store.conflicts.list()
    store.conflicts.confirm(launch.conflict_id, reason="the team decided")
    store.conflicts.reject(peanuts.conflict_id, reason="another Ana")
    print(store.conflicts.counts())
    hits = store.recall("when is the launch?", superseded="exclude").hits
    print([hit.text for hit in hits if "launch" in hit.text])
