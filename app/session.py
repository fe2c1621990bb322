"""Tools called from a program: one of them once, or many in one shopper's session of a shop that stays open."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING, Self

from drr.env.errors import Misuse, ServerFailure
from drr.tools.base import ToolAnswer, ToolContext, ToolError
from drr.tools.registry import TOOLS, call, call_sync, find

if TYPE_CHECKING:
    from drr.app.over_mcp import Called
    from drr.env.json_object import JsonObject
    from drr.env.settings import Settings
    from drr.env.shop import Shop
    from drr.env.source import Source
    from drr.tools.spec import Tool


@dataclass(frozen=True, slots=True)
class ToolReply:
    """What one call of a tool came to; `error` says why it has no answer."""

    tool: str
    answer: ToolAnswer
    error: ToolError | None = None

    @property
    def ok(self) -> bool:
        return self.error is None

    @property
    def text(self) -> str:
        """What a model reads."""
        return self.answer.text

    @property
    def data(self) -> JsonObject | None:
        """The same facts for programs."""
        found: JsonObject | None = self.answer.data
        return found

    @property
    def sources(self) -> tuple[Source, ...]:
        """What a report may cite."""
        return tuple(self.answer.sources)

    def document(self) -> Called:
        """Return the form that `drr tools call --json` prints."""
        return {
            "tool": self.tool,
            "ok": self.ok,
            "text": self.text,
            "sources": [
                {"url": s.url, "type": s.type, "title": s.title, "sha256": s.sha256} for s in self.sources
            ],
            "data": self.data,
            "error": None if self.error is None else {"kind": self.error.kind, "message": self.error.message},
        }


def _refused(tool: str, error: ToolError) -> ToolReply:
    return ToolReply(tool, ToolAnswer(error.text), error)


def tool_named(name: str) -> Tool:
    """The tool of that name; `Misuse` where there is none."""
    try:
        return find(name)
    except ToolError as error:
        raise Misuse(error.message) from None


def called_in(
    place: str,
    user: str | None,
    name: str,
    arguments: Mapping[str, object],
    settings: Settings,
    *,
    open_access: bool = False,
) -> ToolReply:
    """Call one tool in a session of its own."""
    from drr.app.by_hand import tool_context
    from drr.app.calling import run_to_end

    name = tool_named(name).name
    try:
        with tool_context(place, user, settings, open_access=open_access) as ctx:
            return ToolReply(name, run_to_end(call(name, arguments, ctx)))
    except ToolError as error:
        return _refused(name, error)
    except ServerFailure as error:  # already when the shop is opened
        return _refused(name, ToolError("unavailable", str(error)))


class ToolSession:
    """One shopper's session: what a tool writes is seen by the calls after it, and never reaches the shop."""

    def __init__(
        self, shop: str | Shop, user: str | None, settings: Settings, *, open_access: bool = False
    ) -> None:
        from drr.app.by_hand import context_in
        from drr.env.shop import open_shop

        with ExitStack() as opened:
            found = opened.enter_context(open_shop(shop, settings)) if isinstance(shop, str) else shop
            self._ctx = context_in(found, user, settings, open_access=open_access)
            self._opened = opened.pop_all()
        self._sources: dict[str, list[Source]] = {}

    def call(self, name: str, /, **arguments: object) -> ToolReply:
        """Call a tool; what it refuses is a reply with an `error`, as an agent sees it. `Misuse` for no tool's name."""
        try:
            answer = call_sync(name, arguments, self._ctx)
        except ToolError as error:
            return _refused(tool_named(name).name, error)
        if answer.sources:
            self._keep(answer)
        return ToolReply(name, answer)

    async def acall(self, name: str, /, **arguments: object) -> ToolReply:
        """Do the same in a thread of its own, with a deadline, while the caller's loop goes on."""
        try:
            answer = await call(name, arguments, self._ctx)
        except ToolError as error:
            return _refused(tool_named(name).name, error)
        self._keep(answer)
        return ToolReply(name, answer)

    def _keep(self, answer: ToolAnswer) -> None:
        for source in answer.sources:
            known = self._sources.setdefault(source.url, [])
            if not any(one.seen == source.seen for one in known):
                known.append(source)

    @property
    def tools(self) -> Mapping[str, Tool]:
        """Name, description and JSON Schema of each."""
        return {name: TOOLS[name] for name in self._ctx.world.tools}

    @property
    def sources(self) -> tuple[Source, ...]:
        """What the calls returned that a report may cite, by first appearance and each once."""
        return tuple(source for found in self._sources.values() for source in found)

    def reset(self) -> None:
        """Begin anew: the shop as it is, and no sources."""
        self._ctx = _anew(self._ctx)
        self._sources = {}

    def close(self) -> None:
        """Close the shop, where this session opened it."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _anew(ctx: ToolContext) -> ToolContext:
    from drr.env.shop_world import ShopWorld

    return replace(ctx, world=ShopWorld(ctx.session.anew(), ctx.web))
