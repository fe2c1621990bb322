"""`drr tools mcp --face ucp`: the tools of UCP over MCP. Requests and answers are those of the protocol's own models."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from importlib.util import find_spec
from operator import getitem
from typing import Any, cast

from drr.env.errors import Misuse
from drr.env.installation import install
from drr.env.json_object import JsonObject
from drr.env.records.lines import one_line
from drr.env.source import Source, text_hash
from drr.extras.ucp.carts import CartStore
from drr.extras.ucp.catalog import get_product, invalid_request, lookup_catalog, search_catalog
from drr.extras.ucp.documents import (
    CART,
    CHECKOUT,
    LOOKUP,
    ORDER,
    SEARCH,
    UNTRUSTED,
    VERSION,
    UcpAnswer,
    UcpRefusal,
    envelope,
)
from drr.tools.base import ToolAnswer, ToolContext, ToolError, cited
from drr.tools.mcp import mcp_tool
from drr.tools.registry import EVERY
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, CallToolResult, TextContent
from pydantic import BaseModel, ValidationError, create_model

with suppress(ImportError):  # the extra `ucp`
    from ucp_sdk.models.schemas.common.types.error_response import ErrorResponse
    from ucp_sdk.models.schemas.profile import BusinessSchema
    from ucp_sdk.models.schemas.shopping import (
        cart,
        cart_create_request,
        cart_update_request,
        catalog_lookup,
        catalog_search,
        checkout,
        checkout_complete_request,
        checkout_update_request,
        order,
    )
    from ucp_sdk.models.schemas.transports.mcp_tool_call import Arguments

_OUTCOMES = {"not_found": "not_found", "not_allowed": "unauthorized"}
"""Outcomes of UCP by kind of tool error; every other kind is an error of the protocol MCP."""
_UNREAD = (
    *("signals", "attribution", "buyer", "instruments", "eligibility", "location", "intent", "language"),
    *("address_country", "address_region", "postal_code"),
)
"""Fields of requests that this shop does not read; they may be sent, and are left out of the tools' schemas."""
_IDEMPOTENCY_CONFLICT = -32000
_MOST_KEPT = 5_000


@dataclass(frozen=True)
class _Tool:
    capability: str
    asks: type[BaseModel]
    gives: type[BaseModel]
    work: Callable[[Any, ToolContext], Awaitable[UcpAnswer]]
    writes: bool = False

    @property
    def name(self) -> str:
        return self.work.__name__


def _call(**kinds: Any) -> type[BaseModel]:
    fields: Any = {name: (kind, ...) for name, kind in kinds.items()}
    call: type[BaseModel] = create_model("UcpCall", __base__=Arguments, **fields)
    return call


def _tools(carts: CartStore) -> list[_Tool]:
    by_id, seen = _call(id=str), (cart.Cart, checkout.Checkout)
    made, moved = cart_create_request.CartCreateRequest, cart_update_request.CartUpdateRequest
    begun, changed = cart_create_request.Checkout, checkout_update_request.CheckoutUpdateRequest
    ended = checkout_complete_request.CheckoutCompleteRequest
    return [
        _Tool(SEARCH, _call(catalog=catalog_search.SearchRequest), catalog_search.SearchResponse, search_catalog),
        _Tool(LOOKUP, _call(catalog=catalog_lookup.LookupRequest), catalog_lookup.LookupResponse, lookup_catalog),
        _Tool(LOOKUP, _call(catalog=catalog_lookup.GetProductRequest), catalog_lookup.GetProductResponse, get_product),
        _Tool(CART, _call(cart=made), seen[0], carts.create_cart, writes=True),
        _Tool(CART, by_id, seen[0], carts.get_cart),
        _Tool(CART, _call(id=str, cart=moved), seen[0], carts.update_cart, writes=True),
        _Tool(CART, by_id, seen[0], carts.cancel_cart, writes=True),
        _Tool(CHECKOUT, _call(checkout=begun), seen[1], carts.create_checkout, writes=True),
        _Tool(CHECKOUT, by_id, seen[1], carts.get_checkout),
        _Tool(CHECKOUT, _call(id=str, checkout=changed), seen[1], carts.update_checkout, writes=True),
        _Tool(CHECKOUT, _call(id=str, checkout=ended), seen[1], carts.complete_checkout, writes=True),
        _Tool(CHECKOUT, by_id, seen[1], carts.cancel_checkout, writes=True),
        _Tool(ORDER, by_id, order.Order, carts.get_order),
    ]  # fmt: skip


class Ucp:
    """The tools and documents of `drr tools mcp --face ucp`."""

    instructions = (
        "A shop's catalogue, carts, checkouts and one user's orders in the names of the Universal Commerce Protocol, version"
        f" {VERSION}. Nothing is paid, and orders placed here never reach the shop. Amounts are cents. Check `messages`. "
        + UNTRUSTED
    )
    outputs: Mapping[str, JsonObject] = {}  # the profile names the schemas

    def __init__(self) -> None:
        if find_spec("ucp_sdk") is None:
            raise Misuse(f"--face ucp needs the package ucp-sdk, which is not installed: {install('ucp')}")
        self._tools = {tool.name: tool for tool in _tools(CartStore())}
        self._answered: dict[tuple[str | None, str], tuple[str, CallToolResult]] = {}
        self.tools = [
            mcp_tool(
                tool.name,
                f"{tool.work.__doc__} {UNTRUSTED}",
                _plain_schema(tool.asks.model_json_schema()),
                writes=tool.writes,
            )
            for tool in self._tools.values()
        ]
        self.documents = {"/.well-known/ucp": profile}

    async def answer(self, name: str, arguments: JsonObject, ctx: ToolContext) -> CallToolResult:
        tool = self._tools.get(name)
        if tool is None:
            raise invalid_request(f"no tool {one_line(name, 60)!r}; there are {', '.join(self._tools)}")
        try:
            asked: Any = tool.asks.model_validate(arguments)
        except ValidationError as error:
            raise invalid_request(_argument_faults(error)) from None
        key = asked.meta.idempotency_key if tool.writes and asked.meta else None
        if key is None:
            return await _answer(tool, asked, ctx)
        request = text_hash(json.dumps([name, {**arguments, "meta": None}]))
        mine = (ctx.session.user_id, text_hash(key))
        if mine not in self._answered:
            self._answered[mine] = request, await _answer(tool, asked, ctx)
            if len(self._answered) > _MOST_KEPT:
                del self._answered[next(iter(self._answered))]
        before, result = self._answered[mine]
        if before != request:
            raise MCPError(_IDEMPOTENCY_CONFLICT, "this idempotency-key was used for another request")
        return result


async def _answer(tool: _Tool, asked: Any, ctx: ToolContext) -> CallToolResult:
    try:
        draft = await tool.work(asked, ctx)
    except UcpRefusal as refused:
        return _refused_result(tool, refused)
    except ToolError as error:
        reason = _without_our_names(error.message)
        if error.kind in _OUTCOMES:
            return _refused_result(tool, UcpRefusal(_OUTCOMES[error.kind], reason))
        if error.kind == "invalid":
            raise invalid_request(reason) from error
        raise MCPError(INTERNAL_ERROR, reason, {"kind": error.kind}) from error
    return _result(tool.gives, draft)


def profile(address: str) -> JsonObject:
    """Return the document at `/.well-known/ucp`: the version, the address of the tools, and the capabilities."""
    root = f"https://ucp.dev/{VERSION}"
    service = {
        "version": VERSION,
        "spec": f"{root}/specification/overview",
        "transport": "mcp",
        "schema": f"{root}/services/shopping/mcp.openrpc.json",
        "endpoint": f"{address.rstrip('/')}/mcp",
    }
    capabilities = {}
    for name in (SEARCH, LOOKUP, CART, CHECKOUT, ORDER):
        short = name.removeprefix("dev.ucp.shopping.")
        spec = f"{root}/specification/shopping/{short.replace('.', '/')}"
        schema = f"{root}/schemas/shopping/{short.replace('.', '_')}.json"
        capabilities[name] = [{"version": VERSION, "spec": spec, "schema": schema}]
    services = {"dev.ucp.shopping": [service]}
    ucp = {"version": VERSION, "services": services, "capabilities": capabilities, "payment_handlers": {}}
    return _checked_document(BusinessSchema, {"ucp": ucp})


def _checked_document(model: type[BaseModel], document: JsonObject) -> JsonObject:
    return model.model_validate(document).model_dump(mode="json", by_alias=True, exclude_unset=True)


def _refused_result(tool: _Tool, refusal: UcpRefusal) -> CallToolResult:
    document = {"ucp": envelope(tool.capability, status="error"), "messages": list(refusal.messages)}
    return _result(ErrorResponse, UcpAnswer(document, [(source, ()) for source in refusal.sources]))


def _without_our_names(message: str) -> str:
    """Return a message without clauses that name the project's own tools, which the client does not have."""
    kept = [part for part in message.split("; ") if not any(name in part for name in EVERY)]
    return f"{'; '.join(kept).rstrip('.')}." if kept else "It failed."


def _result(model: type[BaseModel], draft: UcpAnswer) -> CallToolResult:
    document = _checked_document(model, draft.document)
    seen = [_shown_source(source, document, path) for source, path in draft.shown]
    return CallToolResult(
        content=[TextContent(type="text", text=_text(document))],
        structured_content=document,
        _meta={"sources": cited(ToolAnswer("", seen))},
    )


def _shown_source(source: Source, document: Any, path: Sequence[str | int]) -> Source:
    return source.model_copy(update={"seen": _text(reduce(getitem, path, document))})


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _argument_faults(error: ValidationError) -> str:
    """Return which arguments are wrong and why, three at most."""
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    reasons = [f"{one_line('.'.join(map(str, p['loc'])), 80) or 'arguments'}: {p['msg']}" for p in problems]
    return "; ".join(reasons[:3]) + (f" (and {len(reasons) - 3} more)" if len(reasons) > 3 else "")


def _plain_schema(schema: JsonObject) -> JsonObject:
    """Return one plain schema without references, as models are given it, with the fields that this shop reads."""
    known = schema.get("$defs", {})

    def simplified(part: Any) -> Any:
        if isinstance(part, list):
            return [simplified(inner) for inner in part]
        if not isinstance(part, dict):
            return part
        part = {**known[part["$ref"].rsplit("/", 1)[1]], **part} if "$ref" in part else part
        if "anyOf" in part:
            part = {**next(one for one in part["anyOf"] if one.get("type") != "null"), **part}
            return simplified({key: value for key, value in part.items() if key not in ("anyOf", "default")})
        kept = {
            key: value
            for key, value in part.items()
            if key not in ("$ref", "$defs", "title", "description", "additionalProperties")
        }
        return {
            key: {name: simplified(inner) for name, inner in value.items() if name not in _UNREAD}
            if key == "properties"
            else simplified(value)
            for key, value in kept.items()
        }

    return cast(JsonObject, simplified(schema))
