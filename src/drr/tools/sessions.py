"""Assigns users to the calls of a server over HTTP. The request that opens a session, or that has none, names its user."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from drr.env.errors import ShopError
from drr.env.records.lines import one_line

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

ASKER = "drr.asker"
_PATH = "/mcp"
_FIELDS = {b"drr-user": "users", b"drr-query": "queries"}
_INVALID, _UNKNOWN, _UNAVAILABLE = (400, -32600), (404, -32602), (503, -32603)
_LONGEST = 64


def in_session(scope: Scope) -> bool:
    """Tell whether a request belongs to a session that was opened before. Revision 2026-07-28 of MCP has none."""
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

    named = any(name == b"mcp-session-id" for name, _ in scope["headers"])
    return named and all(one in HANDSHAKE_PROTOCOL_VERSIONS for one in revisions(scope))


def revisions(scope: Scope) -> list[str]:
    return [value.decode("latin-1") for name, value in scope["headers"] if name == b"mcp-protocol-version"]


@dataclass
class Asker:
    """The user whom a request names; without a name it is the server's own."""

    user_id: str | None
    opened: Callable[[str], object] | None = None
    """A function that takes the id of a new session; `None` if the request opens none."""


class Refusal(Exception):
    """A request that is answered with a status and a JSON-RPC error, and not passed on."""

    def __init__(self, codes: tuple[int, int], message: str) -> None:
        super().__init__(message)
        self.status, self.code = codes


class ForUsers:
    """Reads the user from `DRR-User`, `DRR-Query`, `/mcp/users/USER` and `/mcp/queries/ID`, and refuses users that `find` does not know."""

    def __init__(
        self, app: ASGIApp, find: Callable[[str], str | None], queries: Mapping[str, str] | None = None
    ) -> None:
        self._app, self._find, self._queries = app, find, queries

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            path, named = self._split_name(scope)
            asker = Asker(named if named is None or in_session(scope) else await self._known_user(named))
        except Refusal as refusal:
            from starlette.responses import JSONResponse

            error = {"code": refusal.code, "message": str(refusal)}
            answer = JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, refusal.status)
            await answer(scope, receive, send)
            return

        async def answering(message: Message) -> None:
            if asker.opened is not None and message["type"] == "http.response.start":
                asker.opened(dict(message["headers"])[b"mcp-session-id"].decode("ascii"))
                asker.opened = None
            await send(message)

        inner = {**scope, "path": path, "raw_path": path.encode(), ASKER: asker}
        await self._app(inner, receive, answering)

    def _split_name(self, scope: Scope) -> tuple[str, str | None]:
        """Return the path without the name, and the one user whom the request names."""
        path: str = scope["path"]
        given = [
            (_FIELDS[name], value.decode("latin-1")) for name, value in scope["headers"] if name in _FIELDS
        ]
        steps = path.removeprefix(f"{_PATH}/").split("/")
        if path.startswith(f"{_PATH}/") and len(steps) == 2 and steps[0] in _FIELDS.values():
            given.append((steps[0], steps[1]))
            path = _PATH
        users = {self._user_of(kind, value.strip()).upper() for kind, value in given}
        if len(users) > 1:
            raise Refusal(
                _INVALID, "the request names two users; name one, by DRR-User, DRR-Query or the path"
            )
        return path, self._user_of(given[0][0], given[0][1].strip()) if given else None

    def _user_of(self, kind: str, name: str) -> str:
        if kind == "users":
            return name
        if self._queries is None:
            raise Refusal(
                _INVALID,
                "this server knows no queries; start drr tools mcp with --queries FILE, or name a user",
            )
        if name not in self._queries:
            raise Refusal(_UNKNOWN, "the query that the request names is not in the file of --queries")
        return self._queries[name]

    async def _known_user(self, name: str) -> str:
        try:
            found = await asyncio.to_thread(self._find, name) if len(name) <= _LONGEST else None
        except ShopError as error:
            raise Refusal(_UNAVAILABLE, one_line(str(error), 400)) from error
        if found is None:
            raise Refusal(_UNKNOWN, "this server has no user of the name that the request gives")
        return found
