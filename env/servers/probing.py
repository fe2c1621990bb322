"""The language of a port, asked only after a connection failed: TLS or not. Nothing is sent that says who asks."""

from __future__ import annotations

import socket
import ssl
import struct

import bson

SECONDS = 2.0
_OP_MSG = 2013
_HEAD = struct.Struct("<iiii")


def speaks_tls(host: str, port: int) -> bool:
    """A handshake succeeds, whoever the certificate names."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        with (
            socket.create_connection((host, port), SECONDS) as raw,
            context.wrap_socket(raw, server_hostname=host),
        ):
            return True
    except (OSError, ValueError):
        return False


def speaks_plain_http(host: str, port: int) -> bool:
    request = f"HEAD / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()
    return _first(host, port, request, 5) == b"HTTP/"


def speaks_plain_mongodb(host: str, port: int) -> bool:
    """The first thing that every client asks, `hello`, gets an answer to it."""
    body = b"\0\0\0\0\0" + bson.encode({"hello": 1, "$db": "admin"})
    number = 7
    answer = _first(host, port, _HEAD.pack(_HEAD.size + len(body), number, 0, _OP_MSG) + body, _HEAD.size)
    return len(answer) == _HEAD.size and _HEAD.unpack(answer)[2:] == (number, _OP_MSG)


def _first(host: str, port: int, request: bytes, count: int) -> bytes:
    found = b""
    try:
        with socket.create_connection((host, port), SECONDS) as there:
            there.sendall(request)
            while len(found) < count and (more := there.recv(count - len(found))):
                found += more
    except OSError:
        pass
    return found
