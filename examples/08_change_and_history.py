"""A memory changes: revisions, what replaced what, and a journal that can be checked."""

import simonides

with simonides.open(":memory:", actor="example") as store:
    code = store.remember("The door code is 4471", thought_id="code")
    code = store.update_thought("code", content="The door code is 4472", expected_revision=1, reason="changed in May")
    print("revision", code.revision, "-", code.content)
    try:
        store.update_thought("code", content="The door code is 9999", expected_revision=1)
    except simonides.RevisionConflictError as error:
        print(f"refused [{error.code}]: {error.message}")

    store.remember("The door has a card reader now", thought_id="reader", supersedes="code")
    for hit in store.recall("door code").hits:
        print(f"{hit.thought_id:7} superseded by {list(hit.superseded_by)}")

    store.archive_thought("code", reason="no longer true")
    print("found:", [hit.thought_id for hit in store.recall("door code").hits], "stored:", store.count_thoughts())
    for change in store.changes():
        print(change.seq, change.kind, change.subject_id if len(change.subject_id) < 10 else "an edge", change.reason)
    print("sound:", bool(store.verify()))
