from __future__ import annotations

import http.client
import json
import select
import socket
import ssl
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ._arguments import text_option
from .debug import Debug, DebugEntry, tell
from .errors import LostResponse

MAX_REPLY_BYTES = 16 * 1024 * 1024
_CHUNK_BYTES = 64 * 1024
# Servers close idle connections later (Node.js: after 5 s), so a call does not use a connection that is being closed.
_KEPT_IDLE = 4.0
_MAX_KEPT = 100


@dataclass(frozen=True)
class WireReply:
    status: int
    #: The JSON body; None if the reply is no JSON.
    body: Any
    #: In seconds; 0 without the header.
    retry_after: float


@dataclass
class _Connection:
    http: http.client.HTTPConnection
    idle_since: float = 0.0

    def is_usable(self) -> bool:
        """Whether the connection is not idle for too long, is open, and has no unexpected data."""
        if self.http.sock is None or time.monotonic() - self.idle_since > _KEPT_IDLE:
            return False
        try:
            return not select.select([self.http.sock], [], [], 0)[0]
        except ValueError:
            # The process has more open files than select supports.
            return False


class Transport:
    """Requests to one address, with limits in time and size.

    It follows no redirects, since a signed call is for one receiver. Idle connections are kept for the next calls. It can
    be used by many threads at a time.
    """

    def __init__(self, base_url: str, timeout: float, debug: Debug | None) -> None:
        self._kept: deque[_Connection] = deque()
        address = urlsplit(text_option("base_url", base_url))
        if address.scheme not in ("http", "https") or not address.hostname:
            raise ValueError(f"base_url is no http or https address: {base_url}")
        self._base_url = base_url.rstrip("/")
        self._host, self._port = address.hostname, address.port
        self._prefix = address.path.rstrip("/")
        self._tls = ssl.create_default_context() if address.scheme == "https" else None
        self._timeout = timeout
        self._debug = debug

    def __del__(self) -> None:
        for kept in self._kept:
            kept.http.close()

    def exchange(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None, signed: str
    ) -> WireReply:
        """Raises LostResponse if there is no complete reply in time. `signed` is for debug."""
        begun = time.monotonic()
        reply: WireReply | None = None
        try:
            reply = self._exchange(method, path, headers, body, begun + self._timeout)
            return reply
        finally:
            seconds = time.monotonic() - begun
            status, told = (reply.status, reply.body) if reply else (None, None)
            tell(self._debug, DebugEntry(method, f"{self._base_url}{path}", signed, status, told, seconds))

    def _exchange(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None, deadline: float
    ) -> WireReply:
        operation = path.split("?")[0]
        try:
            connection = self._connected(deadline)
        except OSError as error:
            raise LostResponse(operation, True) from error
        # The timeout of a socket applies to each read. The timer ends a reply that comes byte by byte.
        clock = threading.Timer(deadline - time.monotonic(), _cut, [connection.http.sock])
        clock.daemon = True
        clock.start()
        try:
            connection.http.request(method, self._prefix + path, body, dict(headers))
            response = connection.http.getresponse()
            text = _read(response)
            if time.monotonic() > deadline:
                raise TimeoutError("the reply took too long")
            reply = WireReply(response.status, _parsed(text), _seconds(response.getheader("Retry-After")))
        except (OSError, http.client.HTTPException) as error:
            connection.http.close()
            raise LostResponse(operation, False) from error
        except BaseException:
            connection.http.close()
            raise
        finally:
            clock.cancel()
        self._keep(connection)
        return reply

    def _connected(self, deadline: float) -> _Connection:
        while True:
            try:
                kept = self._kept.pop()
            except IndexError:
                return self._connect(deadline - time.monotonic())
            if kept.is_usable():
                return kept
            kept.http.close()

    def _connect(self, timeout: float) -> _Connection:
        if self._tls is None:
            plain = http.client.HTTPConnection(self._host, self._port, timeout=timeout)
        else:
            plain = http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._tls)
        try:
            plain.connect()
        except BaseException:
            plain.close()
            raise
        return _Connection(plain)

    def _keep(self, connection: _Connection) -> None:
        # http.client has closed the connection if the reply required it. Then is_usable is false.
        connection.idle_since = time.monotonic()
        if len(self._kept) < _MAX_KEPT:
            self._kept.append(connection)
        else:
            connection.http.close()


def _cut(sock: socket.socket) -> None:
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        # The call has already ended.
        pass


def _read(response: http.client.HTTPResponse) -> bytes:
    body = bytearray()
    while part := response.read(_CHUNK_BYTES):
        body += part
        if len(body) > MAX_REPLY_BYTES:
            raise http.client.HTTPException("the reply is too large")
    # read() with a size does not report a connection that ended too early.
    if response.length:
        raise http.client.IncompleteRead(bytes(body), response.length)
    return bytes(body)


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text.decode(errors="replace"))
    except (ValueError, RecursionError):
        return None


def _seconds(retry_after: str | None) -> float:
    return float(retry_after) if retry_after is not None and retry_after.isascii() and retry_after.isdigit() else 0.0
