"""What the test servers lack, in front of them: users with passwords, and TLS. And a server that answers as Elastic's serverless does."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import socket
import ssl
import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import orjson

from tests.servers.proxies import HttpProxy, MongoProxy

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
            return {
                "ok": 0.0,
                "code": 18,
                "codeName": "AuthenticationFailed",
                "errmsg": "Authentication failed.",
            }
        self._state.proved = True
        server = hmac.digest(hmac.digest(self._salted, b"Server Key", "sha256"), said, "sha256")
        payload = b"v=" + base64.b64encode(server)
        return {"ok": 1.0, "conversationId": 1, "done": True, "payload": payload}


class TlsPort:
    """Ends TLS in front of a plain port, as a server with TLS does: what does not begin with a handshake is dropped."""

    def __init__(self, target: int, certificate: tuple[Path, Path]) -> None:
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(*certificate)
        self._target = target
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
        try:
            inside = self._context.wrap_socket(client, server_side=True)
            server = socket.create_connection(("127.0.0.1", self._target))
        except OSError:
            client.close()
            return
        threading.Thread(target=_pour, args=(server, inside), daemon=True).start()
        _pour(inside, server)

    def close(self) -> None:
        self._listener.close()


def _pour(source: socket.socket, sink: socket.socket) -> None:
    try:
        while some := source.recv(65536):
            sink.sendall(some)
        sink.shutdown(socket.SHUT_RDWR)
    except OSError:
        sink.close()


def certificate(folder: Path) -> tuple[Path, Path]:
    """Of 127.0.0.1, signed by itself."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    cert_file, key_file = folder / "cert.pem", folder / "key.pem"
    cert_file.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return cert_file, key_file


_NOT_THERE = ("_forcemerge", "_stats", "_cluster", "_nodes", "_cat/shards", "_shrink", "_ilm")
_OWN_BUSINESS = ("number_of_shards", "number_of_replicas", "max_result_window", "routing", "translog")


class Serverless(HttpProxy):
    """In front of a real node: what Elastic's serverless refuses, in its words; 200 ms and other clocks are left out."""

    def __init__(self, target: str) -> None:
        super().__init__(target, self._refuse)

    def _refuse(self, method: str, path: str, body: bytes) -> tuple[int, bytes] | None:
        if method == "GET" and path.split("?")[0] == "/":
            return 200, orjson.dumps(
                {
                    "name": "serverless",
                    "cluster_name": "a1b2",
                    "version": {"number": "8.11.0", "build_flavor": "serverless"},
                    "tagline": "You Know, for Search",
                }
            )
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
