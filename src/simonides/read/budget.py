"""How much of the answer fits? Whole hits, best first; one that does not fit is skipped and named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from simonides.model.answer import Hit, LeftOut
from simonides.text.graphemes import cut

if TYPE_CHECKING:
    from simonides.model.query import Budget

Counter = Callable[[str], int]


def estimate_tokens(text: str) -> int:
    """Tokens of a text without a tokenizer: a token per 4 UTF-8 bytes of ASCII, per sign of other scripts.

    Against common subword tokenizers this is within about 15 % for English prose and errs on the high side for
    other scripts, so a budget is rather kept than broken.
    """
    ascii_chars = sum(c.isascii() for c in text)
    return -(-ascii_chars // 4) + (len(text) - ascii_chars)


def fit(hits: Sequence[Hit], budget: Budget, count: Counter = estimate_tokens) -> tuple[list[Hit], list[LeftOut], bool]:
    """(hits that fit, what was left out and why, whether the budget cut anything).

    When not even one fits, the best is cut at a grapheme border, if any of it fits.
    """
    room = _Room(budget, count)
    kept: list[Hit] = []
    out: list[LeftOut] = []
    for hit in hits:
        reason, size = room.refuses(hit.text)
        if reason is None:
            room.take(hit.text)
            kept.append(hit)
        else:
            out.append(LeftOut(hit.thought_id, reason, size))
    if not kept and hits and (budget.max_units is None or budget.max_units > 0):
        short = room.shorten(hits[0].text)
        if short:
            kept.append(replace(hits[0], text=short, cut=True))
            out = out[1:]
    return kept, out, bool(out) or any(hit.cut for hit in kept)


class _Room:
    def __init__(self, budget: Budget, count: Counter) -> None:
        self._budget = budget
        self._count = count
        self._units, self._chars, self._tokens = 0, 0, 0

    def refuses(self, text: str) -> tuple[str | None, int]:
        budget = self._budget
        if budget.max_units is not None and self._units + 1 > budget.max_units:
            return "max_units", 1
        if budget.max_chars is not None and self._chars + len(text) > budget.max_chars:
            return "max_chars", len(text)
        if budget.max_tokens is not None:
            tokens = self._count(text)
            if self._tokens + tokens > budget.max_tokens:
                return "max_tokens", tokens
        return None, 0

    def take(self, text: str) -> None:
        self._units += 1
        self._chars += len(text)
        if self._budget.max_tokens is not None:
            self._tokens += self._count(text)

    def shorten(self, text: str) -> str:
        """The longest beginning that fits."""
        chars = len(text) if self._budget.max_chars is None else min(len(text), int(self._budget.max_chars))
        low, high = 0, chars
        if self._budget.max_tokens is None:
            return cut(text, chars)
        while low < high:
            middle = (low + high + 1) // 2
            if self._count(cut(text, middle)) <= self._budget.max_tokens:
                low = middle
            else:
                high = middle - 1
        return cut(text, low)
