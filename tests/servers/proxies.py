"""What a test server cannot be made to do is played in front of it: refused passwords, a full disk, slowness.

Both proxies pass everything on until a rule says otherwise, and remember what passed.
"""

from __future__ import annotations

import http.client
import socket
import struct
import threading
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import bson

HttpRule = Callable[[str, str, bytes], "tuple[int, bytes] | float | None"]
"""(method, path, body) to a status and body of its own, a delay in seconds, or `None` to pass it on."""
MongoRule = Callable[[dict[str, Any]], "dict[str, Any] | float | None"]
"""A command to a reply of its own, a delay in seconds, or `None` to pass it on."""


class HttpProxy:
    """In front of Elasticsearch. Without a target it is the server itself. `keys`: the `Authorization` headers that are let in."""

    def __init__(self, target: str | None, rule: HttpRule, keys: Collection[str] | None = None) -> None:
        self.rule = rule
        self.seen: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                outer.seen.append(f"{self.command} {self.path}")
                ruled = outer.rule(self.command, self.path, body)
                if keys is not None and self.headers.get("authorization") not in keys:
                    ruled = 401, b'{"error": {"type": "security_exception", "reason": "no"}, "status": 401}'
                if isinstance(ruled, float):
                    time.sleep(ruled)
                    ruled = None
                if ruled is None:
                    assert target is not None
                    status, payload, kind = outer._pass_on(self, target, body)
                else:
                    status, payload, kind = (
                        *ruled,
                        self.headers.get("accept", "application/json").split(",")[0],
                    )
                try:
                    self.send_response(status)
                    self.send_header("X-Elastic-Product", "Elasticsearch")
                    self.send_header("Content-Type", kind)
                    self.send_header("Content-Length", str(len(payload)))
                    self.end_headers()
                    if self.command != "HEAD":
                        self.wfile.write(payload)
                except OSError:
                    self.close_connection = True

            do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = _answer

            def log_message(self, *args: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: object, client_address: object) -> None:
                pass

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def _pass_on(self, handler: BaseHTTPRequestHandler, target: str, body: bytes) -> tuple[int, bytes, str]:
        parts = urlsplit(target)
        connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=60)
        headers = {
            k: v for k, v in handler.headers.items() if k.lower() in ("accept", "content-type", "x-opaque-id")
        }
        try:
            connection.request(handler.command, handler.path, body or None, headers)
            response = connection.getresponse()
            return response.status, response.read(), response.getheader("content-type") or "application/json"
        except OSError:
            return 502, b"{}", "application/json"
        finally:
            connection.close()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class MongoProxy:
    """In front of a server that speaks MongoDB's protocol."""

    _OP_MSG = 2013

    def __init__(self, target: str, rule: MongoRule) -> None:
        self.rule = rule
        self.seen: list[str] = []
        self._open: set[socket.socket] = set()
        parts = urlsplit(target)
        self._target = (str(parts.hostname), parts.port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.url = f"mongodb://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.create_connection(self._target) as server:
            self._open |= {client, server}
            while message := _message(client):
                reply = None
                if struct.unpack_from("<i", message, 12)[0] == self._OP_MSG:
                    size = struct.unpack_from("<i", message, 21)[0]
                    command = bson.decode(message[21 : 21 + size]) | _statements(message, 21 + size)
                    self.seen.append(next(iter(command)))
                    reply = self.rule(command)
                if isinstance(reply, float):
                    time.sleep(reply)
                    reply = None
                try:
                    if reply is None:
                        server.sendall(message)
                        answer = _message(server)
                    else:
                        answer = self._reply(message, reply)
                    client.sendall(answer)
                except OSError:
                    return
                if not answer:
                    return

    def _reply(self, message: bytes, document: dict[str, Any]) -> bytes:
        body = b"\0\0\0\0\0" + bson.encode(document)
        request = struct.unpack_from("<i", message, 4)[0]
        return struct.pack("<iiii", 16 + len(body), 0, request, self._OP_MSG) + body

    def close(self) -> None:
        self._listener.close()

    def die(self) -> None:
        """As a killed server: also what is open ends."""
        self.close()
        for one in self._open:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


def _message(source: socket.socket) -> bytes:
    """One whole message, or nothing at the end."""
    try:
        head = _exactly(source, 4)
        return head + _exactly(source, struct.unpack("<i", head)[0] - 4) if head else b""
    except OSError:
        return b""


def _statements(message: bytes, start: int) -> dict[str, Any]:
    """The updates or deletes that follow a command in a section of their own; documents to insert are left alone."""
    if struct.unpack_from("<I", message, 16)[0] & 1 or start >= len(message) or message[start] != 1:
        return {}
    (size,) = struct.unpack_from("<i", message, start + 1)
    end = message.index(b"\0", start + 5)
    name = message[start + 5 : end].decode()
    return {name: bson.decode_all(message[end + 1 : start + 1 + size])} if name != "documents" else {}


def _exactly(source: socket.socket, count: int) -> bytes:
    parts = b""
    while len(parts) < count:
        part = source.recv(count - len(parts))
        if not part:
            return b""
        parts += part
    return parts
