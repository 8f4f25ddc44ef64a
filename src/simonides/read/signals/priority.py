"""How much does a thought matter? P1 1.0, P2 0.6, P3 0.3, P4 0.0."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simonides.read.scales import Column

if TYPE_CHECKING:
    from simonides.read.candidates import Pool

VALUES = np.array([1.0, 0.6, 0.3, 0.0])  # by stored code: P1, P2, P3, P4


def priority(pool: Pool) -> Column:
    """(m,) in [0, 1]."""
    return Column(VALUES[pool.take("priority")])
