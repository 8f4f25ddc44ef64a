"""What may a namespace be called?"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from simonides.errors import NamespaceError

NAME_MAX = 300  # code points
RULE = f"a namespace is text of 1 to {NAME_MAX} characters without control characters"


def check_namespace(name: object) -> str:
    """The normalised name of a namespace: NFC, 1 to 300 code points, no control characters.

    Raises NamespaceError with the rule.
    """
    if not isinstance(name, str):
        raise NamespaceError(f"{name!r} is not a namespace", hint=RULE)
    return _normalised(name)


@lru_cache(maxsize=1_024)  # every call of every verb names one
def _normalised(name: str) -> str:
    if not name or not _encodable(name):
        raise NamespaceError(f"{name!r} is not a namespace", hint=RULE)
    name = unicodedata.normalize("NFC", name)
    if len(name) > NAME_MAX or any(unicodedata.category(c) == "Cc" for c in name):
        shown = f"a name of {len(name)} characters" if len(name) > NAME_MAX else repr(name)
        raise NamespaceError(f"{shown} is not a namespace", hint=RULE)
    return name


def _encodable(text: str) -> bool:
    return not any("\ud800" <= sign <= "\udfff" for sign in text)
