"""Access to a server over HTTP by a token, which is made or read at the start."""

from __future__ import annotations

import hmac
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from drr.env.errors import DrrError, Misuse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

_SHORTEST = 16
_LONGEST = 1024
_SCHEME = "bearer "
_PLACE = b"/t/"
_HINT = "send `Authorization: Bearer TOKEN` with the token that drr tools mcp printed or keeps in its --token-file"


def new_token() -> str:
    return secrets.token_urlsafe(32)


def token_in(path: Path) -> tuple[str, bool]:
    """Read the token of the file, and tell whether it was made just now. A file of ours is for its owner's eyes only."""
    try:
        return _checked(path, path.read_text(encoding="ascii").strip()), False
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


def _checked(path: Path, token: str) -> str:
    if not _SHORTEST <= len(token) <= _LONGEST or any(letter.isspace() for letter in token):
        raise Misuse(
            f"--token-file {path}: a token is one word of at least {_SHORTEST} characters; remove the file to have one made"
        )
    return token


def _reason(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else "not plain text"


class TokenGuard:
    """Answers 401 to every request without the token, from this machine too: other users and pages live there as well.

    `by_address`: the token may also stand in the path, `/t/TOKEN/REST`, and whoever is behind the door sees `/REST` only.
    """

    def __init__(self, app: ASGIApp, token: str, *, message: str = _HINT, by_address: bool = False) -> None:
        self._app, self._token = app, token.encode()
        self._said, self._by_address = message, by_address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._by_address and scope["type"] == "http" and scope["raw_path"].startswith(_PLACE):
            token, _, rest = scope["raw_path"][len(_PLACE) :].partition(b"/")
            admitted = hmac.compare_digest(unquote_to_bytes(token), self._token)
            path = unquote_to_bytes(rest).decode("utf-8", "replace")
            scope = {**scope, "path": f"/{path}", "raw_path": b"/" + rest}
        else:
            admitted = scope["type"] == "lifespan" or self._admits(scope)
        if admitted:
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            from starlette.responses import JSONResponse

            refused = JSONResponse(
                {"error": "invalid_token", "error_description": self._said},
                401,
                {"WWW-Authenticate": 'Bearer realm="drr mcp"'},
            )
            await refused(scope, receive, send)

    def _admits(self, scope: Scope) -> bool:
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        keys = [value for name, value in scope["headers"] if name == b"x-api-key"]  # Anthropic's clients
        if not given and len(keys) == 1:
            return hmac.compare_digest(keys[0].strip(), self._token)
        if len(given) != 1 or given[0][: len(_SCHEME)].lower() != _SCHEME.encode():
            return False
        return hmac.compare_digest(given[0][len(_SCHEME) :].strip(), self._token)
