"""How is a store copied while it is in use? One state of it, checked, and named only when all is well."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from simonides.model.report import Backup

if TYPE_CHECKING:
    from simonides.engine import Engine


def backup(
    engine: Engine,
    target: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Backup:
    """Holds at least what was committed before the call. A killed backup leaves nothing under the target's name.

    Raises StoreError when the target is there or cannot be written, StoreDamagedError when the copy is unsound.
    """
    path = os.fspath(target)
    copied = engine.database.copy(path, overwrite=overwrite, progress=progress)
    return Backup(path, copied.size_bytes, copied.seq)
