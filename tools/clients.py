"""A session for each client of a server: what one changes, the others do not see."""

from __future__ import annotations

import weakref
from dataclasses import replace
from threading import Lock

from drr.env.shop_world import ShopWorld
from drr.tools.base import ToolContext


class ClientContexts:
    """Contexts by client: one for a connection of its own, and one for each session that came over HTTP."""

    def __init__(self, origin: ToolContext) -> None:
        self._origin, self._own = origin, _anew(origin)
        self._by_session: dict[str, ToolContext] = {}
        self._lock = Lock()

    def of(self, session_id: str | None, lives: object) -> ToolContext:
        """The client's own. A session's is forgotten when `lives`, which is the session's, is gone."""
        if session_id is None:
            return self._own
        with self._lock:
            found = self._by_session.get(session_id)
            if found is None:
                found = self._by_session[session_id] = _anew(self._origin)
                weakref.finalize(lives, self._by_session.pop, session_id, None)
            return found

    def __len__(self) -> int:
        return len(self._by_session)


def _anew(ctx: ToolContext) -> ToolContext:
    """The same user in the same shop, as nobody changed anything."""
    if isinstance(ctx.world, ShopWorld):
        return replace(ctx, world=replace(ctx.world, session=ctx.world.session.anew()))
    return ctx
