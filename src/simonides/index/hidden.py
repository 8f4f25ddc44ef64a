"""What may a plain question have to leave out? Looked for once per catalogue."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

NEVER = np.iinfo(np.int64).max  # expires_at of what does not expire


class Hidden(NamedTuple):
    """Whether there is anything of a kind at all, dead rows included. first_expiry: an instant, NEVER for none.

    idle: reflections that are neither ACTIVE nor archived.
    """

    first_expiry: int
    retired: bool
    archived: bool
    reflections: bool
    idle: bool
