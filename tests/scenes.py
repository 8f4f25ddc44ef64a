"""Random stores and random questions from a seed, the same in every process. As a script: answers as JSON."""

from __future__ import annotations

import json
import random
import sys
from datetime import timedelta
from typing import Any

from store_driver import START, HandClock

import simonides
from simonides import Budget, Draft, Profile

WORDS = [
    "pot", "kettle", "stove", "garden", "locker", "code", "train", "seat", "ana", "ben", "blue", "red", "key",
    "door", "lamp", "river", "stone", "apple",
]  # fmt: skip
DIMENSION = 4


def drafts_of(seed: int) -> list[Draft]:
    """Five to thirty thoughts: some equal texts, some without a vector, archived, expired or reflections."""
    dice = random.Random(seed)
    drafts = []
    for n in range(dice.randint(5, 30)):
        words = [dice.choice(WORDS) for _ in range(dice.randint(1, 8))]
        if drafts and dice.random() < 0.2:
            words = dice.choice(drafts).content.split()
        vector = [dice.choice([-1.0, 0.0, 0.5, 1.0]) for _ in range(DIMENSION)]
        drafts.append(
            Draft(
                content=" ".join(words),
                thought_id=f"t{dice.randrange(10**6):06}-{n}",
                essence=dice.choice([None, None, "a lamp"]),
                thought_type=dice.choice(["NOTE", "NOTE", "TASK", "REFLECTION"]),
                priority=dice.choice(["P1", "P2", "P3", "P4"]),
                lifecycle_status=dice.choice(["ACTIVE", "ACTIVE", "ACTIVE", "DONE", "ARCHIVED"]),
                created_at=START - timedelta(days=dice.randint(0, 3)),
                occurred_at=dice.choice([None, START - timedelta(days=dice.randint(-2, 9))]),
                expires_at=dice.choice([None, None, None, START, START + timedelta(days=1)]),
                created_cycle=dice.randint(0, 5),
                speaker=dice.choice([None, "Ana", "Ben"]),
                metadata=dice.choice([{}, {"unit": "x"}, {"unit": "y", "n": 1}]),
                vector=vector if any(vector) and dice.random() < 0.85 else None,
            )
        )
    return drafts


def build(seed: int, order: int = 0, path: str = ":memory:") -> simonides.Store:
    """The store of a seed. order: another number stores the same thoughts and edges in another order."""
    dice = random.Random(seed + 1)
    drafts = drafts_of(seed)
    edges = []
    for n in range(dice.randint(0, 12)):
        ends = dice.choice(drafts).thought_id, dice.choice(drafts).thought_id
        kind = dice.choice(["ASSOCIATED", "SUPPORTS", "CONSOLIDATED_FROM", "SUPERSEDES"])
        if kind == "SUPERSEDES":  # from a later one to an earlier one: circles are refused
            ends = max(ends), min(ends)
            kind = kind if ends[0] != ends[1] else "ASSOCIATED"
        edges.append((*ends, kind, (n + 1) / 20))  # distinct weights: edge ids are made anew in every store
    shuffle = random.Random(order)
    if order:
        shuffle.shuffle(drafts)
        shuffle.shuffle(edges)
    config = {"store": {"synchronous": "NORMAL"}}
    store = simonides.open(path, embedder=False, clock=HandClock(), config=config)
    for start in range(0, len(drafts), 7):
        store.remember_many(drafts[start : start + 7])
    for from_id, to_id, kind, weight in sorted(edges, key=lambda e: e[3]) if not order else edges:
        if not any(e[:3] == (from_id, to_id, kind) and e[3] > weight for e in edges):
            store.link(from_id, to_id, kind, weight=weight)
    return store


def questions(seed: int) -> list[tuple[str, dict[str, Any]]]:
    """(verb, arguments): a dozen searches with random options."""
    dice = random.Random(seed + 2)

    def text() -> str:
        words = " ".join(dice.choice([*WORDS, "the", "unheard"]) for _ in range(dice.randint(1, 5)))
        return dice.choice([words, words, words, "", f"{words} NOT pot", f'"{words}"'])

    def vector() -> list[float] | None:
        return dice.choice([None, [dice.choice([-1.0, 0.25, 1.0]) for _ in range(DIMENSION)]])

    def shared() -> dict[str, Any]:
        filters = dice.choice([None, None, {"metadata.unit": "x"}, {"speaker": ["Ana", None]}])
        return {"filters": filters, "include_archived": dice.random() < 0.3}

    asked: list[tuple[str, dict[str, Any]]] = []
    for _ in range(3):
        asked.append(("recall", {"query": text(), "query_vector": vector(), "top_k": dice.randint(1, 12), **shared()}))
        profile = dice.choice(["keyword", "semantic", "hybrid", Profile(weights={"fts": 0.3, "vector": 1.7})])
        budget = dice.choice([None, Budget(max_units=3), Budget(max_chars=60), Budget()])
        boost = dice.choice([None, 0.5, 3.0])
        asked.append(
            ("retrieve", {"query": text(), "query_vector": vector(), "profile": profile, "budget": budget,
                          "recency_boost": boost, **shared()})
        )  # fmt: skip
    for _ in range(6):
        options = {
            name: dice.choice([None, 0.0, 0.3, 1.0, 2.0])
            for name in ("fts_weight", "vector_weight", "recency_weight", "priority_weight", "graph_weight")
        }
        reference = dice.choice([{}, {"current_cycle": 4}, {"recency_now": START, "recency_field": "occurred_at"}])
        asked.append(
            ("search_hybrid", {
                "query_text": text(), "query_vector": vector(), "top_k": dice.randint(1, 12), **options, **reference,
                "fts_top_k": dice.choice([None, 1, 5]), "vector_top_k": dice.choice([None, 1, 5]),
                "include_reflections": dice.choice([None, False]), "reflection_boost": dice.choice([None, 0.5, 2.0]),
                "collapse_key": dice.choice([None, None, "unit"]), **shared(),
            })
        )  # fmt: skip
    return asked


def shown(answer: simonides.HybridSearchResult) -> dict[str, Any]:
    """All of an answer that two equal questions must agree in: ids, scores, contributions, not edge or query ids."""
    value = answer.to_dict()
    return {name: value[name] for name in value if name not in ("query_id", "timings")}


def answers(seed: int, order: int = 0) -> list[Any]:
    with build(seed, order) as store:
        return [shown(getattr(store, verb)(**arguments)) for verb, arguments in questions(seed)]


if __name__ == "__main__":
    order, *seeds = (int(argument) for argument in sys.argv[1:])
    sys.stdout.write(json.dumps([answers(seed, order) for seed in seeds], allow_nan=False))
