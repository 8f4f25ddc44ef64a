"""What do the turns around a turn lend it? A conversation says in several turns what a note says in one.

A row gets from the row `step` turns away in its session  c(step) = (5 − step) / 10, for up to four turns each way.
What a turn asks belongs to its answer as well: the turn right after a question, by somebody else, gets the share of
the question's words that stand in questions on top.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

REACH = 4  # turns before and after
ANSWER = 1.0  # what a question lends its answer, times its asking share
Links = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Context:
    """links: (n, 2·REACH) int32 ordinals, n for none. lent: (n, 2·REACH) what each of them lends the row."""

    links: Links
    lent: npt.NDArray[np.float32]


def step_weight(step: int) -> float:
    """c(step) for step 1 to REACH.

    >>> [step_weight(step) for step in (1, 2, 3, 4)]
    [0.4, 0.3, 0.2, 0.1]
    """
    return (REACH + 1 - step) / 10


def context_of(links: Links, size: int, asks: npt.NDArray[np.float32], speaker: npt.NDArray[np.int32]) -> Context:
    """Context of the first `size` rows. links: columns before 1, after 1, before 2, …; −1 or ≥ size for none."""
    clean = links[:size].copy()
    clean[(clean < 0) | (clean >= size)] = size
    lent = np.zeros(clean.shape, np.float32)
    for step in range(1, REACH + 1):
        lent[:, 2 * step - 2 : 2 * step] = step_weight(step)
    before = clean[:, 0]
    answers = np.append(speaker, 0)[before] != speaker
    lent[:, 0] += np.where(answers & (before < size), ANSWER * np.append(asks, 0.0)[before], 0.0)
    lent[clean == size] = 0.0
    return Context(clean, lent)
