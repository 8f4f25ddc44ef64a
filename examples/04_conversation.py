"""Turns of a conversation: who spoke, in which session, when. Ranking uses all three."""

import simonides

TURNS = (
    ("Nora", "2025-03-02T09:00:00Z", "Which berth did the harbour give you?"),
    ("Teo", "2025-03-02T09:01:00Z", "B-17, third pontoon, next to the diesel pump."),
    ("Nora", "2025-03-02T09:02:00Z", "Oh dear, the smell."),
    ("Teo", "2025-06-11T18:30:00Z", "Randi changed our berth, we are on C-4 now."),
    ("Nora", "2025-06-11T18:31:00Z", "Far from the pump. Good."),
)

with simonides.open(":memory:") as store:
    for speaker, when, text in TURNS:
        store.remember(text, speaker=speaker, session=f"chat {when[:10]}", occurred_at=when)
    for question in ("Is there a smell?", "Which berth did Teo name in June 2025?"):
        best = store.recall(question, top_k=1).hits[0]
        print(f"{question}\n  {best.thought.occurred_at:%d %B %Y}, {best.thought.speaker}: {best.thought.content}")
        print("  made of:", {name: round(part, 2) for name, part in best.contributions.items() if part})
    print("FOLLOWS edges:", len(store.edges()))
