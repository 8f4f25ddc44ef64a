"""How much of a text asks? Sentences that end in a question mark, in any script."""

from __future__ import annotations

import re

_SENTENCE = re.compile(r"[^.!?…。！？؟;\n]*[.!?…。！？؟;\n]*")
_WORD = re.compile(r"\w+")
_ASKS = frozenset("?？؟")


def asking_share(text: str) -> float:
    """The share of a text's words that stand in questions, 0 to 1.

    >>> asking_share("Did you sleep well? I did."), asking_share("No.")
    (0.6666666666666666, 0.0)
    """
    if not any(mark in text for mark in _ASKS):
        return 0.0
    asking = total = 0
    for sentence in _SENTENCE.findall(text):
        words = len(_WORD.findall(sentence))
        total += words
        if not _ASKS.isdisjoint(sentence):
            asking += words
    return asking / total if total else 0.0
