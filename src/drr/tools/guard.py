"""Guards a server over HTTP by a token, which is made or read at the start."""

from __future__ import annotations

import hmac
import os
import re
import secrets
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote_to_bytes

from drr.env.errors import DrrError, Misuse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

_SHORTEST = 16
_LONGEST = 1024
_SCHEME = "bearer "
_PLACE = b"/t/"
_OWN = re.compile(rb"(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]{1,5})?")
_FOREIGN = {
    403: "another site may not ask this server",
    421: "this server answers only on its loopback address",
}
_HINT = "send `Authorization: Bearer TOKEN` with the token that drr tools mcp printed or keeps in its --token-file"


def new_token() -> str:
    return secrets.token_urlsafe(32)


def token_in(path: Path) -> tuple[str, bool]:
    """Return the token in the file, and whether it was just made. A new file is readable only by its owner."""
    try:
        return checked_token(path.read_text(encoding="ascii").strip(), f"--token-file {path}"), False
    except FileNotFoundError:
        pass
    except (OSError, UnicodeError) as error:
        raise DrrError(f"--token-file {path}: cannot be read ({_reason(error)})") from None
    token = new_token()
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(f"{token}\n")
    except OSError as error:
        raise DrrError(f"--token-file {path}: cannot be made ({_reason(error)})") from None
    return token, True


def checked_token(token: str, where: str) -> str:
    """Return a given token. Raises `Misuse`, which names its place, if the token could be guessed."""
    if not _SHORTEST <= len(token) <= _LONGEST or any(letter.isspace() for letter in token):
        raise Misuse(
            f"{where}: a token is one word of at least {_SHORTEST} characters; remove it to have one made"
        )
    return token


def _reason(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else "not plain text"


class TokenGuard:
    """Refuses every request and WebSocket without the token, even from this machine, which has other users and web pages.

    `by_address`: the token may also stand in the path, `/t/TOKEN/REST`, and the guarded application sees `/REST` only.
    `public`: paths that anybody of this machine may read.
    `anywhere`: the server may be called by other names than those of this machine.
    """

    def __init__(
        self,
        app: ASGIApp,
        token: str,
        *,
        message: str = _HINT,
        by_address: bool = False,
        anywhere: bool = False,
        public: Collection[str] = (),
    ) -> None:
        self._app, self._token, self._public = app, token.encode(), public
        self._said, self._by_address, self._anywhere = message, by_address, anywhere

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        status, scope = self._check_request(scope)
        if status == 200:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            from starlette.responses import JSONResponse

            error = {"error": "invalid_token" if status == 401 else "foreign"}
            asks = {"WWW-Authenticate": 'Bearer realm="drr mcp"'} if status == 401 else None
            refused = JSONResponse(
                {**error, "error_description": _FOREIGN.get(status, self._said)}, status, asks
            )
            await refused(scope, receive, send)

    def _check_request(self, scope: Scope) -> tuple[int, Scope]:
        """Return the status of the answer, and the request as the guarded application sees it."""
        hosts, origins = _header_values(scope, b"host"), _header_values(scope, b"origin")
        if not self._anywhere and not (len(hosts) == 1 and _OWN.fullmatch(hosts[0])):
            return 421, scope
        if any(origin not in (b"http://" + host, b"https://" + host) for origin in origins for host in hosts):
            return 403, scope
        if not (self._by_address and scope["raw_path"].startswith(_PLACE)):
            free = self._admits(scope) or (self._public and scope["path"] in self._public)
            return 200 if free else 401, scope
        token, _, rest = scope["raw_path"][len(_PLACE) :].partition(b"/")
        path = unquote_to_bytes(rest).decode("utf-8", "replace")
        admitted = hmac.compare_digest(unquote_to_bytes(token), self._token)
        root = f"/t/{quote(unquote_to_bytes(token))}"
        inner = {**scope, "path": f"/{path}", "raw_path": b"/" + rest, "root_path": root}
        return 200 if admitted else 401, inner

    def _admits(self, scope: Scope) -> bool:
        given = _header_values(scope, b"authorization")
        keys = _header_values(scope, b"x-api-key")  # Anthropic's clients
        if not given and len(keys) == 1:
            return hmac.compare_digest(keys[0].strip(), self._token)
        if len(given) != 1 or given[0][: len(_SCHEME)].lower() != _SCHEME.encode():
            return False
        return hmac.compare_digest(given[0][len(_SCHEME) :].strip(), self._token)


def _header_values(scope: Scope, field: bytes) -> list[bytes]:
    return [value for name, value in scope["headers"] if name == field]
