"""What are topics of the tree called? A key is a number, its name is public."""

from __future__ import annotations

ROOT = 0  # the key of the top
ROOT_NAME = "__root__"


def name_of(key: int) -> str:
    """The public name of a key; names sort as keys do."""
    return ROOT_NAME if key == ROOT else f"t{key:07d}"


def key_of(name: str) -> int | None:
    """The key of a public name; None when it is not one."""
    if name == ROOT_NAME:
        return ROOT
    digits = name[1:]
    return int(digits) if name[:1] == "t" and digits.isascii() and digits.isdigit() and int(digits) > 0 else None
