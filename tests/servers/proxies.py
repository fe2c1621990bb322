"""What a test server cannot be made to do is played in front of it: refused passwords, a full disk, slowness.

Both proxies pass everything on until a rule says otherwise, and remember what passed.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import secrets
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import bson
import orjson

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


class Listening:
    """Serves each connection in a thread of its own, until it is closed."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        raise NotImplementedError

    def close(self) -> None:
        self._listener.close()


class MongoProxy(Listening):
    """In front of a server that speaks MongoDB's protocol."""

    _OP_MSG = 2013

    def __init__(self, target: str, rule: MongoRule) -> None:
        self.rule = rule
        self.seen: list[str] = []
        self._open: set[socket.socket] = set()
        parts = urlsplit(target)
        self._target = (str(parts.hostname), parts.port)
        super().__init__()
        self.url = f"mongodb://127.0.0.1:{self.port}"

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


_ROUNDS = 4096
_FREE = {"hello", "ismaster", "isMaster", "ping", "buildInfo", "buildinfo", "endSessions"}


class LockedMongo(MongoProxy):
    """SCRAM-SHA-256 as RFC 5802 and 7677 say it, a connection at a time; whoever did not prove a password may do nothing."""

    def __init__(self, target: str, user: str, password: str) -> None:
        self._user = user
        self._salt = secrets.token_bytes(16)
        self._salted = hashlib.pbkdf2_hmac("sha256", password.encode(), self._salt, _ROUNDS)
        self._state = threading.local()
        super().__init__(target, self._rule)

    def _rule(self, command: dict[str, Any]) -> dict[str, Any] | None:
        state, name = self._state, next(iter(command))
        if name == "saslStart":
            first = bytes(command["payload"]).decode().removeprefix("n,,")
            fields = dict(part.split("=", 1) for part in first.split(","))
            nonce = fields["r"] + secrets.token_urlsafe(12)
            answer = f"r={nonce},s={base64.b64encode(self._salt).decode()},i={_ROUNDS}"
            state.said, state.nonce, state.known = f"{first},{answer}", nonce, fields["n"] == self._user
            return {"ok": 1.0, "conversationId": 1, "done": False, "payload": answer.encode()}
        if name == "saslContinue":
            return self._proved(bytes(command["payload"]).decode())
        if name not in _FREE and not getattr(state, "proved", False):
            said = f"Command {name} requires authentication"
            return {"ok": 0.0, "code": 13, "codeName": "Unauthorized", "errmsg": said}
        return None

    def _proved(self, final: str) -> dict[str, Any]:
        without, _, proof = final.rpartition(",p=")
        said = f"{self._state.said},{without}".encode()
        key = hmac.digest(self._salted, b"Client Key", "sha256")
        signature = hmac.digest(hashlib.sha256(key).digest(), said, "sha256")
        wanted = bytes(a ^ b for a, b in zip(key, signature, strict=True))
        if (
            not self._state.known
            or f"r={self._state.nonce}" not in without
            or base64.b64decode(proof) != wanted
        ):
            said = "Authentication failed."
            return {"ok": 0.0, "code": 18, "codeName": "AuthenticationFailed", "errmsg": said}
        self._state.proved = True
        server = hmac.digest(hmac.digest(self._salted, b"Server Key", "sha256"), said, "sha256")
        payload = b"v=" + base64.b64encode(server)
        return {"ok": 1.0, "conversationId": 1, "done": True, "payload": payload}


class TlsPort(Listening):
    """Ends TLS in front of a plain port, as a server with TLS does: what does not begin with a handshake is dropped."""

    def __init__(self, target: int, certificate: tuple[Path, Path]) -> None:
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(*certificate)
        self._target = target
        super().__init__()

    def _serve(self, client: socket.socket) -> None:
        try:
            inside = self._context.wrap_socket(client, server_side=True)
            server = socket.create_connection(("127.0.0.1", self._target))
        except OSError:
            client.close()
            return
        threading.Thread(target=_pour, args=(server, inside), daemon=True).start()
        _pour(inside, server)


def _pour(source: socket.socket, sink: socket.socket) -> None:
    try:
        while some := source.recv(65536):
            sink.sendall(some)
        sink.shutdown(socket.SHUT_RDWR)
    except OSError:
        sink.close()


def certificate(folder: Path, host: str = "127.0.0.1") -> tuple[Path, Path]:
    """Make one of a host, signed by itself, and its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    named = x509.IPAddress(ip_address(host)) if host[0].isdigit() else x509.DNSName(host)
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([named]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    cert_file, key_file = folder / "cert.pem", folder / "key.pem"
    cert_file.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    key_file.write_bytes(key.private_bytes(serialization.Encoding.PEM, *form))
    return cert_file, key_file


_NOT_THERE = ("_forcemerge", "_stats", "_cluster", "_nodes", "_cat/shards", "_shrink", "_ilm")
_OWN_BUSINESS = ("number_of_shards", "number_of_replicas", "max_result_window", "routing", "translog")


class Serverless(HttpProxy):
    """In front of a real node: what Elastic's serverless refuses, in its words; 200 ms and other clocks are left out."""

    def __init__(self, target: str) -> None:
        super().__init__(target, self._refuse)

    def _refuse(self, method: str, path: str, body: bytes) -> tuple[int, bytes] | None:
        if method == "GET" and path.split("?")[0] == "/":
            version = {"number": "8.11.0", "build_flavor": "serverless"}
            told = {
                "name": "serverless",
                "cluster_name": "a1b2",
                "version": version,
                "tagline": "You Know, for Search",
            }
            return 200, orjson.dumps(told)
        if any(word in path for word in _NOT_THERE):
            said = f"Request for uri [{path}] with method [{method}] exists but is not available when running in serverless mode"
            return 410, _error(410, "api_not_available_exception", said)
        if method == "PUT" and ("/_" not in path or "/_settings" in path):
            settings = orjson.loads(body).get("settings", {})
            wrong = [name for name in _flat(settings) if name.split(".")[-1] in _OWN_BUSINESS]
            if wrong:
                said = f"Settings [{','.join(wrong)}] are not available when running in serverless mode"
                return 400, _error(400, "illegal_argument_exception", said)
        return None


def _flat(settings: dict[str, Any], head: Sequence[str] = ("index",)) -> list[str]:
    found = []
    for name, value in settings.items():
        inside = [*head, name] if name != "index" else list(head)
        found += _flat(value, inside) if isinstance(value, dict) else [".".join(inside)]
    return found


def _error(status: int, kind: str, reason: str) -> bytes:
    error = {"type": kind, "reason": reason}
    return orjson.dumps({"error": {"root_cause": [error], **error}, "status": status})
