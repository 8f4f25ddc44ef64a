"""What do statistics of words count? Passages of thoughts, not of reflections: these only repeat their sources."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simonides.backend.rows import REFLECTION

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Evidence:
    """count: the N of BM25. derived: (n,) living passages of reflections; None without any, and with nothing else."""

    count: int
    derived: Mask | None

    def other(self, lengths: npt.NDArray[np.float64]) -> float:
        """The lengths of reflections, together."""
        return 0.0 if self.derived is None else float(lengths[self.derived].sum())

    def frequency(self, ordinals: npt.NDArray[np.integer]) -> int:
        """How many of some passages are evidence: the df of BM25."""
        return len(ordinals) if self.derived is None else len(ordinals) - int(np.count_nonzero(self.derived[ordinals]))


def evidence_of(thought_type: npt.NDArray[np.int8], live: Mask | None, count: int) -> Evidence:
    """count: of living passages."""
    derived = thought_type == REFLECTION
    if live is not None:
        derived &= live
    number = int(np.count_nonzero(derived))
    return Evidence(count - number, derived) if 0 < number < count else Evidence(count, None)
