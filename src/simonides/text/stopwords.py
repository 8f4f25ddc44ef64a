"""Which words are too common to score?

One list per language in `stop_lists/`: the lists that PostgreSQL's text search ships, made by the Snowball project
(licence note beside them). They are short on purpose: a long list eats words such as `order`, `index` or `new`.
English gets the question words and contraction leftovers (`didn`, `ll`) that a memory is asked with.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Final

from simonides.text.stems import language_names

_MORE_ENGLISH: Final = frozenset(
    {"whose", "would", "could", "should", "shall"}
    | {"ain", "aren", "couldn", "didn", "doesn", "hadn", "hasn", "haven", "isn", "mustn", "shouldn", "wasn", "weren"}
    | {"wouldn", "d", "ll", "m", "re", "ve"}
)


def stop_words(language: str | tuple[str, ...] | list[str] | None = "english") -> frozenset[str]:
    """Stop words of the given languages, case-folded; empty for None and for languages without a list.

    Raises ConfigError for a language that is not known at all.

    >>> "the" in stop_words("en"), "der" in stop_words(["english", "german"]), len(stop_words(None))
    (True, True, 0)
    """
    return frozenset().union(*map(_list, language_names(language)))


@cache
def _list(language: str) -> frozenset[str]:
    path = os.path.join(os.path.dirname(__file__), "stop_lists", f"{language}.txt")
    words: frozenset[str] = frozenset()
    if os.path.isfile(path):
        with open(path, encoding="utf-8") as file:
            words = frozenset(file.read().split())
    return words | _MORE_ENGLISH if language == "english" else words
