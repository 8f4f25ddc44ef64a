"""How does one client talk over the standard streams? A JSON-RPC message per line, each way, and nothing else.

The SDK has such a transport; this one also answers what was asked before the client closed its end (within a second),
answers a line that is no message, and lets go of a stream that nobody serves any more.
"""

from __future__ import annotations

import logging
from functools import partial

import anyio
from anyio import to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp_types import (
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
    jsonrpc_message_adapter,
)

from simonides.faces.mcp.opening import Opening
from simonides.faces.mcp.process import Streams, leave_within, log_to_stderr
from simonides.faces.mcp.server import build
from simonides.faces.mcp.settings import Settings

ANSWERS_WITHIN_S = 1.0
"""How long calls that run when the client closes its end may still take to be answered."""
CLOSES_WITHIN_S = 0.3
LEAVES_WITHIN_S = 1.6
"""From the end of the input to the end of the process, whatever happens; clients wait two seconds."""

Inbox = MemoryObjectSendStream[SessionMessage | Exception]
Outbox = MemoryObjectReceiveStream[SessionMessage]
log = logging.getLogger(__name__)


def run(settings: Settings, streams: Streams) -> None:
    """Serves until the client closes its end."""
    log_to_stderr()
    opening = Opening(settings)
    anyio.run(_serve, build(settings, opening), streams, opening)


async def _serve(server: Server, streams: Streams, opening: Opening) -> None:
    inbox, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outbox, sent = anyio.create_memory_object_stream[SessionMessage](0)
    unanswered: set[RequestId] = set()
    async with anyio.create_task_group() as group:
        group.start_soon(_read, streams, inbox, outbox.clone(), unanswered)
        group.start_soon(_write, streams, sent, unanswered)
        await server.run(received, outbox, server.create_initialization_options())
        group.cancel_scope.cancel()
    if not unanswered:
        with anyio.move_on_after(CLOSES_WITHIN_S):
            await to_thread.run_sync(opening.close, abandon_on_cancel=True)


async def _read(
    streams: Streams, inbox: Inbox, outbox: MemoryObjectSendStream[SessionMessage], unanswered: set[RequestId]
) -> None:
    async with inbox, outbox:
        while line := await to_thread.run_sync(streams.reading.readline, abandon_on_cancel=True):
            if not line.strip():
                continue
            try:
                message = jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValueError:
                log.warning("a line of %d bytes is no JSON-RPC message", len(line))
                error = ErrorData(code=PARSE_ERROR, message="the line is not a JSON-RPC message")
                await outbox.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=None, error=error)))
                continue
            if isinstance(message, JSONRPCRequest):
                unanswered.add(message.id)
            await inbox.send(SessionMessage(message))
        leave_within(LEAVES_WITHIN_S)
        with anyio.move_on_after(ANSWERS_WITHIN_S):
            while unanswered:
                await anyio.sleep(0.005)


async def _write(streams: Streams, outbox: Outbox, unanswered: set[RequestId]) -> None:
    async with outbox:
        async for item in outbox:
            message = item.message
            line = message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
            try:
                await to_thread.run_sync(partial(_put, streams, line), abandon_on_cancel=True)
            except OSError:
                log.warning("the client no longer reads")
                return
            if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
                unanswered.discard(message.id)


def _put(streams: Streams, line: bytes) -> None:
    streams.writing.write(line)
    streams.writing.flush()
