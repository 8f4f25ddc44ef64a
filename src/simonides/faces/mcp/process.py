"""What does a server do with its process? It keeps the wire clean, logs to standard error, and leaves in time."""

from __future__ import annotations

import gc
import io
import logging
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import BinaryIO, NoReturn

from simonides import MissingExtraError

LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


@dataclass(frozen=True, slots=True)
class Streams:
    """The client's two ends, as nobody else in the process can reach them."""

    reading: BinaryIO
    writing: BinaryIO


def need_sdk() -> None:
    """Raises MissingExtraError unless the SDK is there in its second major version."""
    if find_spec("mcp") is None or find_spec("mcp_types") is None:
        raise MissingExtraError("the MCP server", "mcp")


def take_streams() -> Streams:
    """Moves standard input and output out of everybody's reach.

    From now on descriptor 0 is empty and descriptor 1 is standard error, for Python, for C libraries and for child
    processes alike: a stray print cannot spoil the protocol.
    """
    streams = Streams(os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"))
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # started without standard error
        os.dup2(nothing, 1)
    os.close(nothing)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)
    return streams


@contextmanager
def collecting_later() -> Iterator[None]:
    """Imports make a hundred thousand objects and no garbage: looking for some would take a tenth of the start."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def log_to_stderr(level: int = logging.WARNING) -> None:
    """Every logger of the process writes to standard error, and only there."""
    logging.basicConfig(stream=sys.stderr, level=level, format=LOG_FORMAT, force=True)
    logging.captureWarnings(True)


def leave_within(seconds: float) -> None:
    """Ends the process with code 0 after that time, whatever is still running."""
    timer = threading.Timer(seconds, leave, [0])
    timer.daemon = True
    timer.start()


def leave(code: int) -> NoReturn:
    """Ends the process without waiting for threads that still compute.

    What they have not acknowledged is not stored: the file's own log undoes it when it is opened next.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, RuntimeError):  # nobody listens any more, or a signal came amid a write
            continue
    os._exit(code)
