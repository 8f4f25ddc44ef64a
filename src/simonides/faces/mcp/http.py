"""How do many clients talk over HTTP? The SDK's streamable transport behind a token and an Origin check."""

from __future__ import annotations

import hmac
import signal
import socket
import sys

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from simonides import ConfigError
from simonides.faces.mcp.opening import Opening
from simonides.faces.mcp.process import leave, leave_within, log_to_stderr
from simonides.faces.mcp.server import build
from simonides.faces.mcp.settings import Settings, Web

PATH = "/mcp"
BODY_BYTES = 64 << 20
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
FINISHES_WITHIN_S = 1
LEAVES_WITHIN_S = 1.8


def run(settings: Settings, web: Web) -> None:
    """Serves until the process is interrupted or told to end.

    Raises ConfigError when the address is taken, or when it would let everybody in from elsewhere.
    """
    if web.token is None and not web.on_loopback:
        raise ConfigError(f"without a token everybody who reaches {web.host} could read the memories", hint="set one")
    for number in (signal.SIGINT, signal.SIGTERM):  # until uvicorn takes them over
        signal.signal(number, lambda *_: leave(0))
    listening = _listen(web)
    log_to_stderr()
    opening = Opening(settings)
    _Server(uvicorn.Config(application(settings, web, opening), log_config=None, access_log=False)).run([listening])
    leave_within(FINISHES_WITHIN_S)
    opening.close()


def application(settings: Settings, web: Web, opening: Opening) -> ASGIApp:
    """The ASGI application, for a server of one's own."""
    names = [*LOOPBACK, web.host, *web.hosts]
    security = TransportSecuritySettings(
        allowed_hosts=[form for name in names for form in (name, f"{name}:*")],
        allowed_origins=[f"http://{name}:*" for name in LOOPBACK] + [*web.origins],
    )
    app = build(settings, opening).streamable_http_app(
        streamable_http_path=PATH,
        host=web.host,
        transport_security=security,
        max_request_body_size=BODY_BYTES,
    )
    return app if web.token is None else _Guard(app, web.token)


class _Server(uvicorn.Server):
    """Uvicorn that ends in time even when a call does not."""

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        self.config.timeout_graceful_shutdown = FINISHES_WITHIN_S
        super().run(sockets)

    def handle_exit(self, sig: int, frame: object) -> None:
        leave_within(LEAVES_WITHIN_S)
        self.should_exit = True


class _Guard:
    """Lets a request pass that carries the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._wanted = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            given = Headers(scope=scope).get("authorization", "")
            if not hmac.compare_digest(given.encode("latin-1"), self._wanted):
                refused = {"error": "unauthorized", "message": "send the server's token as a bearer token"}
                await JSONResponse(refused, 401, {"WWW-Authenticate": "Bearer"})(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _listen(web: Web) -> socket.socket:
    family = socket.AF_INET6 if ":" in web.host else socket.AF_INET
    try:
        listening = socket.create_server((web.host, web.port), family=family)
    except OSError as error:
        raise ConfigError(f"cannot listen on {web.host} port {web.port}: {error.strerror}", hint="--port") from None
    shown = f"[{web.host}]" if family == socket.AF_INET6 else web.host
    sys.stderr.write(f"serving on http://{shown}:{listening.getsockname()[1]}{PATH}\n")
    sys.stderr.flush()
    return listening
