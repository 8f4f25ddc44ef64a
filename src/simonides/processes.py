"""Has another process ended? The only module that asks the system about others."""

from __future__ import annotations

import os


def has_ended(process: int) -> bool:
    """Whether no process of this machine has the number; False where that cannot be told."""
    if os.name != "posix" or process <= 0 or process == os.getpid():
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False
