"""Memories on eight subjects with vectors around eight centres, for tests of the topic tree."""

from __future__ import annotations

from typing import Any

import numpy as np

import simonides
from simonides.model.thought import Draft
from simonides.upkeep.topics import Stored

D = 16
COUNT = 600
QUICK: dict[str, Any] = {"store": {"synchronous": "NORMAL"}}
SUBJECTS = ("trains", "bread", "sailing", "violins", "glaciers", "taxes", "beetles", "chess")


def rows(count: int, seed: int = 0) -> np.ndarray:
    """Unit rows around eight centres, one after the other."""
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(99).standard_normal((8, D))
    made = centres[np.arange(count) % 8] + random.standard_normal((count, D)) * 0.4
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def drafts(count: int, seed: int = 0, first: int = 0) -> list[Draft]:
    return [
        Draft(content=f"a note on {SUBJECTS[n % 8]}, {first + n}", thought_id=f"n{first + n:04}", vector=row.tolist())
        for n, row in enumerate(rows(count, seed))
    ]


def stored(store: simonides.Store) -> Stored:
    with store._engine.database.snapshot() as snapshot:
        head = snapshot.topics.head(1)
        assert head is not None
        return Stored.read(snapshot, head)


QUESTION = rows(1, 7)[0].tolist()
