"""A follower keeps a copy in step: it reads `changes` from the last seq it saw, and asks for what changed."""

import simonides


class Follower:
    """Text by id, as another system might hold it: a search engine, a dashboard, a cache."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.seen = 0  # keep it with the copy: the same change twice does no harm, a lost one does

    def catch_up(self, store: simonides.Store) -> int:
        count = 0
        while page := store.changes(since=self.seen, limit=100):
            touched = {change.subject_id for change in page if change.kind.startswith("thought.")}
            current = {thought.thought_id: thought.content for thought in store.get_thoughts(touched)}
            for gone in touched - current.keys():
                self.texts.pop(gone, None)
            self.texts |= current
            self.seen, count = page[-1].seq, count + len(page)
        return count


with simonides.open(":memory:", actor="example") as store:
    follower = Follower()
    store.remember("The door code is 4471", thought_id="code")
    store.remember("The key is under the pot", thought_id="key")
    print("changes:", follower.catch_up(store), sorted(follower.texts.items()))
    store.update_thought("code", content="The door code is 9083", reason="new lock")
    store.forget(thought_ids=["key"], reason="asked for")
    print("changes:", follower.catch_up(store), sorted(follower.texts.items()))
    print("changes:", follower.catch_up(store), "seen", follower.seen)

    anchor = store.log.anchor()  # one line to keep elsewhere; signed, it proves what the journal said
    print("anchored at", anchor.seq, "sound:", store.verify(anchor=anchor.to_bytes()).ok)
