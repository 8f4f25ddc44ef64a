"""By which rules are texts analysed? What an index was made with is compared with this before anything is analysed."""

from __future__ import annotations

from typing import Final

from simonides.text.stems import algorithm_version, language_names

ANALYSIS_VERSION: Final = 1
"""Raised by one with every change of the rules that changes a token."""


def signature(language: str | tuple[str, ...] | list[str] | None, *, stemming: bool = True) -> str:
    """A short text that is another one whenever tokens may be. Raises ConfigError for an unknown language.

    >>> signature(None)
    '1-unstemmed'
    """
    languages = language_names(language)
    stems = f"{'+'.join(languages)}-snowball{algorithm_version()}" if stemming and languages else "unstemmed"
    return f"{ANALYSIS_VERSION}-{stems}"
