"""A server of raw files on loopback that behaves, or does not, as one fault for each request says."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Fault:
    """How one reply differs from what it should be."""

    status: int | None = None
    cut: int | None = None
    """Bytes after which the connection ends."""
    stall: bool = False
    """After `cut` nothing more comes, and the connection stays."""
    says: int | None = None
    """The announced length."""
    no_ranges: bool = False
    shift: int = 0
    """A range begins so much later than asked for."""
    ignores_condition: bool = False
    before: Callable[[Mirror], None] | None = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Mirror:
    files: dict[str, bytes] = field(default_factory=dict)
    etags: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    """One for each GET in turn; after them all is well."""
    always: Fault = field(default_factory=Fault)
    asked: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    url: str = ""
    ended: threading.Event = field(default_factory=threading.Event)

    def gets(self) -> list[str | None]:
        """The range of each GET."""
        return [headers.get("range") for method, _, headers in self.asked if method == "GET"]


def _handler(mirror: Mirror) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self._noted("HEAD")
            self._head(200 if self._body() else 404, len(self._body()), {})

        def do_GET(self) -> None:
            self._noted("GET")
            fault = mirror.faults.pop(0) if mirror.faults else mirror.always
            if fault.before:
                fault.before(mirror)
            body = self._body()
            if not body or fault.status:
                self._head(fault.status or 404, 0, fault.headers)
                return
            start, status = self._start(fault, body), 206
            if start is None:
                start, status = 0, 200
            if start >= len(body):
                self._head(416, 0, {"Content-Range": f"bytes */{len(body)}"})
                return
            start += fault.shift if status == 206 else 0
            sent = body[start:]
            more = dict(fault.headers)
            if status == 206:
                more["Content-Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
            self._head(status, fault.says or len(sent), more)
            self.wfile.write(sent[: fault.cut])
            self.wfile.flush()
            if fault.stall:
                mirror.ended.wait(20)

        def _start(self, fault: Fault, body: bytes) -> int | None:
            given = self.headers.get("Range")
            if given is None or fault.no_ranges:
                return None
            condition = self.headers.get("If-Range")
            if condition and condition != mirror.etags.get(self.path) and not fault.ignores_condition:
                return None
            return int(given.removeprefix("bytes=").rstrip("-"))

        def _body(self) -> bytes:
            return mirror.files.get(self.path, b"")

        def _noted(self, method: str) -> None:
            mirror.asked.append(
                (method, self.path, {name.lower(): value for name, value in self.headers.items()})
            )

        def _head(self, status: int, length: int, more: dict[str, str]) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(length))
            self.send_header("Connection", "close")
            if tag := mirror.etags.get(self.path):
                self.send_header("ETag", tag)
            for name, value in (mirror.headers | more).items():
                self.send_header(name, value)
            self.end_headers()
            self.close_connection = True

    return Handler


@contextmanager
def mirroring(files: dict[str, bytes]) -> Iterator[Mirror]:
    """Serves these; each path has an ETag of its own."""
    mirror = Mirror({f"/{path}": body for path, body in files.items()})
    mirror.etags = {path: f'"{number}"' for number, path in enumerate(mirror.files)}
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(mirror))
    server.daemon_threads = True
    mirror.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield mirror
    finally:
        mirror.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
