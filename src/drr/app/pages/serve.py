"""Serves pages to the local machine's browsers: secret tokens, one origin, a strict policy, nothing from other hosts."""

from __future__ import annotations

import asyncio
import secrets
import socket
from collections.abc import Awaitable, Callable
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response


STATIC = Path(__file__).parent / "static"
STYLES = ("look.css", "viewer.css")
SORTING = "table.js"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def new_token() -> str:
    return secrets.token_urlsafe(18)


def path_of_token(token: str) -> str:
    """Return the path of a token's pages. Browsers send a cookie to every port of a host, but only below the cookie's path."""
    return f"/{sha256(f'place {token}'.encode()).hexdigest()[:32]}"


def guarded(application: Starlette, tokens: Callable[[], set[str]], port: int) -> Starlette:
    """Return the application behind a check of host, port, origin and token.

    The token arrives once as `?token=` and stays in a strict same-site cookie with a path of its own, which no other server can name.
    """
    from starlette.middleware.base import BaseHTTPMiddleware
    from starlette.middleware.gzip import GZipMiddleware
    from starlette.responses import PlainTextResponse, RedirectResponse

    hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
    origins = {f"http://{host}" for host in hosts}
    cookie = f"drr-{port}"

    async def check(request: Request, forward: Callable[[Request], Awaitable[Response]]) -> Response:
        if request.headers.get("host") not in hosts:
            return PlainTextResponse("this server answers only on its loopback address", 421, headers=HEADERS)
        origin = request.headers.get("origin")
        if origin is not None and origin not in origins:
            return PlainTextResponse("another site may not ask this server", 403, headers=HEADERS)
        known, path = tokens(), request.scope["path"]
        given, kept = request.query_params.get("token"), request.cookies.get(cookie)
        if given in known and request.method == "GET":
            place = path_of_token(given)
            response: Response = RedirectResponse(f"{place}/{path.removeprefix(place).lstrip('/')}", 303)
            response.set_cookie(cookie, given, path=f"{place}/", httponly=True, samesite="strict")
        elif kept in known and path.startswith(f"{path_of_token(kept)}/"):
            request.state.token, request.scope["root_path"] = kept, path_of_token(kept)
            response = await forward(request)
        else:
            response = PlainTextResponse(
                "open the address that the command printed: it carries the token", 403
            )
        for name, value in HEADERS.items():
            response.headers[name] = value
        return response

    application.add_middleware(GZipMiddleware)
    application.add_middleware(BaseHTTPMiddleware, dispatch=check)
    return application


async def body_within(request: Request, most: int) -> bytes | None:
    """Return the request's body, or `None` where the body exceeds `most` bytes or the sender left."""
    from starlette.requests import ClientDisconnect

    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > most:
                return None
    except ClientDisconnect:
        return None
    return body


def bind(port: int) -> socket.socket:
    """Return a listening socket on the local machine; port 0 is any free port. Raises `DrrError` for a taken port."""
    from drr.env.errors import DrrError

    listener = socket.socket(
        socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP
    )  # asyncio asks the protocol before it turns off delays
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen(128)  # a browser that comes before the server is ready waits and is not refused
    except OSError as error:
        listener.close()
        raise DrrError(
            f"port {port} cannot be used ({error.strerror}); choose another, or 0 for any free one"
        ) from error
    return listener


def run(application: Starlette, listener: socket.socket) -> None:
    """Serve the application on the socket until Ctrl-C."""
    import uvicorn

    config = uvicorn.Config(
        application,
        http=PatientProtocol,
        log_level="warning",
        access_log=False,
        lifespan="on",
        server_header=False,
    )
    uvicorn.Server(config).run(sockets=[listener])


SECONDS = 30.0


class PatientProtocol(H11Protocol):
    """An HTTP protocol with time limits on receiving a request and on a client that reads nothing."""

    seconds = SECONDS

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._reading: asyncio.TimerHandle | None = None
        self._writing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._writing = self._writing or self.loop.call_later(self.seconds, self._drop)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._written()

    def connection_lost(self, exc: Exception | None) -> None:
        self._read()
        self._written()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Start the clock of a request once; further bytes of the request do not restart the clock."""
        upgraded = self.transport.get_protocol() is not self
        if upgraded or self.transport.is_closing() or self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._read()
        elif self._reading is None:
            self._reading = self.loop.call_later(self.seconds, self._drop)

    def _read(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    def _written(self) -> None:
        if self._writing is not None:
            self._writing.cancel()
            self._writing = None

    def _drop(self) -> None:
        self.transport.abort()
