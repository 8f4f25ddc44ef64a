"""Under which name is a file written until it is whole? One that says whose it is: what the killed left can go."""

from __future__ import annotations

import glob
import os
import secrets
from contextlib import suppress

from simonides.processes import has_ended

MARK = ".partial-"


def partial_name(target: str) -> str:
    """A name beside the target. Files of that kind that were left by processes that are no more are removed."""
    for left in glob.glob(f"{glob.escape(target)}{MARK}*"):
        number = left[len(target) + len(MARK) :].partition("-")[0]
        if number.isdecimal() and has_ended(int(number)):
            with suppress(OSError):
                os.unlink(left)
    return f"{target}{MARK}{os.getpid()}-{secrets.token_hex(4)}"
