"""How often was a thought shown? Counted from answers that wait for the retrieval log, written now and then.

Nothing of it happens on the way of a question: the writer of the log looks at the answers, adds up in memory, and
writes when enough has gathered or enough time has passed. Ranking never reads the counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simonides.clock import stopwatch

if TYPE_CHECKING:
    from simonides.backend.port import Transaction

PAUSE_S = 5.0  # between two writings; a killed process loses no more counts than that
MANY = 1_000  # thoughts whose counts wait; then they are written sooner


class Usage:
    """Counts that are not written yet. Used under the lock of whoever writes the log."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], tuple[int, int]] = {}
        self._since: float | None = None

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def due(self) -> bool:
        """Whether the counts should be written now."""
        return self._since is not None and (len(self) >= MANY or stopwatch() - self._since >= PAUSE_S)

    def note(self, shown: Sequence[tuple[str, str]], at: int) -> None:
        """Adds an answer's thoughts: (namespace, id)."""
        for key in shown:
            count, last = self._waiting.get(key, (0, at))
            self._waiting[key] = (count + 1, max(last, at))
        if self._since is None and self._waiting:
            self._since = stopwatch()

    def write(self, tx: Transaction) -> None:
        """Writes them; `clear` once that is committed."""
        from simonides.backend.audit_port import Access

        tx.audit.note_accesses([Access(*key, *value) for key, value in self._waiting.items()])

    def clear(self) -> None:
        self._waiting.clear()
        self._since = None
