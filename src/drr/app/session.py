"""Calls tools from a program, by hand, or over MCP for a command that was started as an agent."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypedDict
from urllib.error import HTTPError, URLError

from drr.app.calls import run_to_end
from drr.app.commands.shop_text import say_search
from drr.app.users import user_in
from drr.env.errors import DrrError, Misuse, ServerFailure
from drr.env.json_object import JsonObject
from drr.env.progress import Quiet
from drr.env.session import Change, Session
from drr.env.settings import Settings
from drr.env.shop import Shop, open_shop
from drr.env.shop_world import ShopWorld, checked_without, own_code
from drr.env.source import Source
from drr.env.web.made_web import with_own_web
from drr.env.web.open import open_web
from drr.env.world import World
from drr.tools.base import ToolAnswer, ToolContext, ToolError
from drr.tools.own import add_own_tools
from drr.tools.registry import EVERY, call, call_sync, find
from drr.tools.spec import Tool
from drr.wording.currency import Currency


@dataclass(frozen=True, slots=True)
class ToolReply:
    """The result of one tool call; `error` says why there is no answer."""

    tool: str
    answer: ToolAnswer
    error: ToolError | None = None

    @property
    def ok(self) -> bool:
        return self.error is None

    @property
    def text(self) -> str:
        """Return the text for a model."""
        return self.answer.text

    @property
    def data(self) -> JsonObject | None:
        """Return the same facts for programs."""
        found: JsonObject | None = self.answer.data
        return found

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return the sources that a report may cite."""
        return tuple(self.answer.sources)

    def document(self) -> CallDocument:
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


def _refused_reply(tool: str, error: ToolError) -> ToolReply:
    return ToolReply(tool, ToolAnswer(error.text), error)


def tool_named(name: str) -> Tool:
    """Return the tool of that name; raise `Misuse` where there is none."""
    try:
        return find(name)
    except ToolError as error:
        raise Misuse(error.message) from None


def call_once(
    place: str,
    user: str | None,
    name: str,
    arguments: Mapping[str, object],
    settings: Settings,
    *,
    open_access: bool = False,
) -> ToolReply:
    """Call one tool in a session of its own; return the reply."""
    name = tool_named(name).name
    try:
        with tool_context(place, user, settings, open_access=open_access) as ctx:
            return ToolReply(name, run_to_end(call(name, arguments, ctx)))
    except ToolError as error:
        return _refused_reply(name, error)
    except ServerFailure as error:  # already when the shop is opened
        return _refused_reply(name, ToolError("unavailable", str(error)))


class ToolSession:
    """A shopper's session: what a tool writes is seen by the calls after it, and never reaches the shop."""

    def __init__(
        self, shop: str | Shop, user: str | None, settings: Settings, *, open_access: bool = False
    ) -> None:
        with ExitStack() as opened:
            found = opened.enter_context(open_shop(shop, settings)) if isinstance(shop, str) else shop
            self._ctx = context_in(found, user, settings, open_access=open_access)
            self._opened = opened.pop_all()
        self._sources: dict[str, list[Source]] = {}
        self._kept: Callable[[Source], Source] | None = None

    def call(self, name: str, /, **arguments: object) -> ToolReply:
        """Call a tool; a refusal is a reply with an `error`, as an agent sees it. `Misuse` for no tool's name."""
        try:
            answer = call_sync(name, arguments, self._ctx)
        except ToolError as error:
            return _refused_reply(tool_named(name).name, error)
        if answer.sources:
            self._keep(answer)
        return ToolReply(name, answer)

    async def acall(self, name: str, /, **arguments: object) -> ToolReply:
        """Do the work of `call` within the deadline, without blocking the event loop."""
        try:
            answer = await call(name, arguments, self._ctx)
        except ToolError as error:
            return _refused_reply(tool_named(name).name, error)
        self._keep(answer)
        return ToolReply(name, answer)

    def _keep(self, answer: ToolAnswer) -> None:
        for source in answer.sources:
            known = self._sources.setdefault(source.url, [])
            if self._kept is not None:
                known[:] = known or [self._kept(source)]
            elif not any(one.seen == source.seen for one in known):
                known.append(source)

    @property
    def world(self) -> World:
        """Return the shop and the web around it."""
        return self._ctx.world

    @property
    def money(self) -> Currency:
        """The currency of the shop's prices."""
        return self._ctx.money

    @property
    def tools(self) -> Mapping[str, Tool]:
        """Name, description and JSON Schema of each."""
        return {name: EVERY[name].in_currency(self._ctx.money) for name in self._ctx.world.tools}

    @property
    def changes(self) -> list[Change]:
        """Changes that tools made to the profile."""
        return self._ctx.session.changes()

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return the sources that a report may cite, by first appearance and each once."""
        return tuple(source for found in self._sources.values() for source in found)

    def beside(self, user: str) -> ToolSession:
        """Return a user's own session of the same open shop, which this one closes. Of each source it keeps the figures alone."""
        other = copy(self)
        other._ctx, other._sources, other._opened = _fresh_context(self._ctx, user), {}, ExitStack()
        other._kept = _figures_of
        return other

    def reset(self) -> None:
        """Begin anew, with the unchanged shop and without sources."""
        self._ctx = _fresh_context(self._ctx)
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


def _figures_of(source: Source) -> Source:
    """Return a source without its texts; with them, a page of results would keep a hundred kilobytes."""
    record = {
        name: value for name, value in (source.record or {}).items() if not isinstance(value, list | dict)
    }
    return source.model_copy(update={"seen": "", "page": None, "record": record or None})


def _fresh_context(ctx: ToolContext, user: str | None = None) -> ToolContext:
    assert isinstance(ctx.world, ShopWorld)
    return replace(ctx, world=replace(ctx.world, session=ctx.session.without_changes(user)))


@contextmanager
def tool_context(
    place: str, user: str | None, settings: Settings, *, open_access: bool = False
) -> Iterator[ToolContext]:
    """Yield a user's session in the shop at `place`, with the web of the settings."""
    with open_shop(place, settings) as shop:
        yield context_in(shop, user, settings, open_access=open_access, place=place)


def context_in(
    shop: Shop, user: str | None, settings: Settings, *, open_access: bool = False, place: str | None = None
) -> ToolContext:
    """Return a user's session in an open shop; raise `Misuse` for a user whom the shop does not have."""
    spec = shop.spec if place is None else place
    say_search(spec, shop, settings)
    user = None if user is None else user_in(shop, user)
    web = open_web(with_own_web(settings, spec), shop=shop, searching=False)
    add_own_tools(settings.tools)
    own = {name: code.digest for name, code in own_code(settings.tools).items()}
    session = Session(shop, user, open_access=open_access)
    world = ShopWorld(session, web, own=own, without=checked_without(settings.without))
    return ToolContext(world, top_k=settings.web_top_k)


def default_user(spec: str, settings: Settings) -> str | None:
    """Return a user with orders, always the same one; `None` if there is none."""
    with open_shop(spec, settings) as shop:
        return next(iter(shop.store.sample_users(1, seed=7, min_orders=3)), None)


@contextmanager
def sample_shop(settings: Settings) -> Iterator[str]:
    """Yield the place of a small sample shop that is deleted afterwards. The page of tools shows answers and needs no large shop."""
    from tempfile import TemporaryDirectory

    from drr.data_ingest.ingest import Job, ingest
    from drr.data_ingest.recipe import TEN, Recipe, find_pairs
    from drr.data_ingest.sample import SamplePlan, write_sample

    with TemporaryDirectory() as name:
        folder = Path(name)
        write_sample(folder / "raw", SamplePlan(products=300, users=120, reviews=6000), Quiet())
        pairs = find_pairs(folder / "raw", TEN, chosen=False)
        recipe = Recipe(categories=tuple(pair.category for pair in pairs))
        spec = str(folder / "sample")
        ingest(Job(spec, pairs, recipe, folder / "quarantine.jsonl"), settings, Quiet())
        yield spec


ADDRESS, TOKEN = "DRR_MCP_URL", "DRR_MCP_TOKEN"
_PATIENCE_S = 120.0


class CallDocument(TypedDict):
    """The document of `drr tools call --json`."""

    tool: str
    ok: bool
    text: str
    sources: list[JsonObject]
    data: Any
    error: JsonObject | None


def is_agent() -> bool:
    return bool(os.environ.get(ADDRESS))


def call_over_mcp(name: str, given: JsonObject) -> CallDocument:
    from urllib.request import ProxyHandler, Request, build_opener

    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": given}}
    head = {
        "Authorization": f"Bearer {os.environ.get(TOKEN, '')}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    address = os.environ[ADDRESS]
    if not address.startswith(("http://", "https://")):
        raise DrrError(f"{ADDRESS}: {address} is no http address")
    try:
        request = Request(address, json.dumps(body).encode(), head)  # noqa: S310 - checked above
        with build_opener(ProxyHandler({})).open(request, timeout=_PATIENCE_S) as answer:
            reply = json.load(answer)
        if "error" in reply:
            raise Misuse(f"{name}: {reply['error']['message']}")
        result = reply["result"]
        text = "\n".join(part["text"] for part in result["content"])
    except HTTPError as error:
        raise DrrError(
            f"{ADDRESS}: {address} answered {error.code}; is {TOKEN} the token of this question?"
        ) from None
    except URLError as error:
        raise DrrError(f"{ADDRESS}: {address} does not answer ({error.reason})") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DrrError(f"{ADDRESS}: {address} gave no answer of the shop's server ({error})") from None
    beside = result.get("_meta") or {}
    return {
        "tool": name,
        "ok": not result.get("isError"),
        "text": text,
        "sources": beside.get("sources", []),
        "data": beside.get("data"),
        "error": beside.get("error"),
    }
