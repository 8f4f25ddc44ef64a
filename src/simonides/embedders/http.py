"""How is an embedding server asked? One JSON request with a deadline and a bounded number of tries."""

from __future__ import annotations

import http.client
import json
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.message import Message
from typing import IO

from simonides.clock import stopwatch
from simonides.errors import ConfigError, EmbeddingError

_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_ANSWER_BYTES_MAX = 256 * 1024 * 1024
_CHUNK_BYTES = 64 * 1024
_BODY_SHOWN = 300  # characters of a server's complaint that go into a message


def _pause(seconds: float) -> None:
    threading.Event().wait(seconds)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait and how often to try.

    timeout_s: for one request with all its tries and pauses. tries_max: at least 1. pause_s: before the second
    try, doubled before each next one; a server's Retry-After goes before it. pause_max_s: no pause is longer.
    pause and clock: replaced in tests.
    """

    timeout_s: float = 30.0
    tries_max: int = 4
    pause_s: float = 0.5
    pause_max_s: float = 10.0
    pause: Callable[[float], None] = _pause
    clock: Callable[[], float] = stopwatch

    def __post_init__(self) -> None:
        if not self.timeout_s > 0 or self.tries_max < 1 or self.pause_s < 0 or self.pause_max_s < 0:
            raise ConfigError(f"timeout_s is {self.timeout_s}, tries_max {self.tries_max}; expected > 0 and >= 1")


class ServerRefusedError(EmbeddingError):
    """The server answered with an error. `status` is the HTTP status, 0 if it could not be reached."""

    def __init__(self, message: str, *, status: int, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status = status


@dataclass(frozen=True, slots=True)
class _Failure:
    """One try that failed. retry_after_s: what the server asked for, None if it said nothing."""

    message: str
    status: int
    again: bool
    retry_after_s: float | None = None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is an error: following one would send the key and the texts to another host."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirect)


def checked_base_url(url: str) -> str:
    """A base URL without its last slash. Raises ConfigError unless it is http or https with a host."""
    try:
        parts = urllib.parse.urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ConfigError(f"base_url {url!r} is not a URL: {error}") from error
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise ConfigError(f"base_url {url!r} is not a URL of a server", hint="write http://host:port/path")
    return url.rstrip("/")


def ask(url: str, payload: object | None, headers: Mapping[str, str], patience: Patience, *, source: str) -> object:
    """POST a payload (GET if it is None) and return the JSON answer.

    source: the model id, for messages; headers never get into a message.
    Tries again on 408, 409, 425, 429, 5xx and on failed connections, within `patience`.
    Raises ServerRefusedError when the last try failed, EmbeddingError when the answer is not JSON.
    """
    data = None if payload is None else json.dumps(payload).encode()
    request = urllib.request.Request(url, data=data, headers={"Content-Type": "application/json", **headers})
    deadline = patience.clock() + patience.timeout_s
    pause, tries = patience.pause_s, 0
    while True:
        tries += 1
        outcome = _try(request, deadline, patience.clock)
        if isinstance(outcome, bytes):
            break
        wait = min(outcome.retry_after_s if outcome.retry_after_s is not None else pause, patience.pause_max_s)
        if not outcome.again or tries >= patience.tries_max or patience.clock() + wait >= deadline:
            raise _refused(outcome, source, tries, patience)
        patience.pause(wait)
        pause *= 2
    try:
        answer: object = json.loads(outcome)
    except ValueError as error:
        raise EmbeddingError(f"{source}: the answer of {url} is not JSON") from error
    return answer


def _try(request: urllib.request.Request, deadline: float, clock: Callable[[], float]) -> bytes | _Failure:
    try:
        with _OPENER.open(request, timeout=max(0.001, deadline - clock())) as response:
            return _read(response, deadline, clock)
    except urllib.error.HTTPError as error:
        with error:
            shown = _shown(error)
        wait = _seconds(error.headers.get("Retry-After"))
        return _Failure(f"HTTP {error.code}: {shown}", error.code, error.code in _RETRIED, wait)
    except TimeoutError:
        return _Failure("no answer in time", 0, again=False)
    except urllib.error.URLError as error:
        late = isinstance(error.reason, TimeoutError)
        return _Failure("no answer in time" if late else str(error.reason), 0, again=not late)
    except (OSError, http.client.HTTPException) as error:
        return _Failure(f"{type(error).__name__}: {error}", 0, again=True)


def _read(response: http.client.HTTPResponse, deadline: float, clock: Callable[[], float]) -> bytes | _Failure:
    """The whole body, unless it drips past the deadline or does not end."""
    parts, size = [], 0
    while chunk := response.read1(_CHUNK_BYTES):
        parts.append(chunk)
        size += len(chunk)
        if size > _ANSWER_BYTES_MAX:
            return _Failure(f"the answer is longer than {_ANSWER_BYTES_MAX} bytes", 0, again=False)
        if clock() > deadline:
            return _Failure("no complete answer in time", 0, again=False)
    if response.length:
        return _Failure(f"the answer ended {response.length} bytes early", 0, again=True)
    return b"".join(parts)


def _shown(error: urllib.error.HTTPError) -> str:
    """What the server said, shortened: the `message` or `error` of a JSON body, else its text."""
    try:
        text = error.read(_CHUNK_BYTES).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException):
        return str(error.reason)
    try:
        said = json.loads(text)
        said = said.get("error", said) if isinstance(said, dict) else said
        said = said.get("message", said) if isinstance(said, dict) else said
    except ValueError:
        said = text
    return " ".join(str(said).split())[:_BODY_SHOWN] or str(error.reason)


def _seconds(header: str | None) -> float | None:
    """Retry-After in seconds; a date is treated as not given."""
    return float(header) if header is not None and header.strip().isdecimal() else None


def _refused(failure: _Failure, source: str, tries: int, patience: Patience) -> ServerRefusedError:
    message = f"{source}: {failure.message} (tries: {tries}, timeout: {patience.timeout_s:g} s)"
    hint = {
        401: "check the API key",
        403: "check the API key",
        404: "check base_url and the model's name",
        429: "the server's rate limit: embed fewer texts at a time, or wait",
    }.get(failure.status)
    return ServerRefusedError(message, status=failure.status, hint=hint)
