"""`drr tools mcp --face ucp`: serves four tools with their schemas, and errors in the form of UCP."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from drr.env.json_object import JsonObject
from drr.env.records.lines import one_line
from drr.extras.ucp.forms import (
    LOOKUP,
    ORDER,
    SEARCH,
    VERSION,
    UcpDetail,
    UcpFound,
    UcpLookedUp,
    UcpLookupCall,
    UcpMessage,
    UcpOrderCall,
    UcpOrderSeen,
    UcpProductCall,
    UcpSearchCall,
)
from drr.extras.ucp.operations import (
    UNTRUSTED,
    Notes,
    envelope,
    get_order,
    get_product,
    lookup_catalog,
    search_catalog,
)
from drr.tools.base import ToolAnswer, ToolContext, ToolError, cited
from drr.tools.mcp import served
from drr.tools.registry import EVERY
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, CallToolResult, TextContent
from pydantic import BaseModel, TypeAdapter, ValidationError


@dataclass(frozen=True)
class _Tool:
    name: str
    capability: str
    asks: type[BaseModel]
    gives: Any
    work: Callable[[Any, ToolContext], Awaitable[Notes]]


_TOOLS = {
    tool.name: tool
    for tool in (
        _Tool("search_catalog", SEARCH, UcpSearchCall, UcpFound, search_catalog),
        _Tool("lookup_catalog", LOOKUP, UcpLookupCall, UcpLookedUp, lookup_catalog),
        _Tool("get_product", LOOKUP, UcpProductCall, UcpDetail, get_product),
        _Tool("get_order", ORDER, UcpOrderCall, UcpOrderSeen, get_order),
    )
}
_OUTCOMES = {"not_found": "not_found", "not_allowed": "unauthorized"}
"""Outcomes of UCP by kind of tool error; every other kind is an error of the protocol MCP."""


class Ucp:
    """The tools and documents of `drr tools mcp --face ucp`."""

    instructions = (
        "A shop's catalogue and one user's orders in the names of the Universal Commerce Protocol, version"
        f" {VERSION}; read only: no cart, no checkout, no payment. Amounts are cents. Check `messages`: what the shop does not"
        " know is left out and said there. " + UNTRUSTED
    )

    def __init__(self) -> None:
        self.tools = [
            served(tool.name, f"{tool.work.__doc__} {UNTRUSTED}", _simple(tool.asks.model_json_schema()))
            for tool in _TOOLS.values()
        ]
        self.outputs = {
            tool.name: cast(JsonObject, _plain(TypeAdapter(tool.gives).json_schema(mode="serialization")))
            for tool in _TOOLS.values()
        }
        self.documents = {"/.well-known/ucp": profile}

    async def answer(self, name: str, arguments: JsonObject, ctx: ToolContext) -> CallToolResult:
        tool = _TOOLS.get(name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"no tool {one_line(name, 60)!r}; there are {', '.join(_TOOLS)}")
        try:
            asked = tool.asks.model_validate(arguments)
        except ValidationError as error:
            raise MCPError(INVALID_PARAMS, _wrong(error)) from None
        try:
            answer = await tool.work(asked, ctx)
        except ToolError as error:
            if error.kind in _OUTCOMES:
                return _refused(tool, error)
            code = INVALID_PARAMS if error.kind == "invalid" else INTERNAL_ERROR
            raise MCPError(code, _without_our_names(error.message), {"kind": error.kind}) from error
        seen = [source.model_copy(update={"seen": _text(part)}) for source, part in answer.shown]
        return _result(answer.answer, cited(ToolAnswer("", seen)))


def profile(address: str) -> JsonObject:
    """Return the document at `/.well-known/ucp`: the version, the address of the tools, and the capabilities."""
    spec = f"https://ucp.dev/{VERSION}"
    service = {
        "version": VERSION,
        "spec": f"{spec}/specification/overview",
        "transport": "mcp",
        "schema": f"{spec}/services/shopping/mcp.openrpc.json",
        "endpoint": f"{address.rstrip('/')}/mcp",
    }
    capabilities = {name: [{"version": VERSION}] for name in (SEARCH, LOOKUP, ORDER)}
    return {
        "ucp": {
            "version": VERSION,
            "services": {"dev.ucp.shopping": [service]},
            "capabilities": capabilities,
            "payment_handlers": {},
        }
    }


def _refused(tool: _Tool, error: ToolError) -> CallToolResult:
    message: UcpMessage = {
        "type": "error",
        "code": _OUTCOMES[error.kind],
        "content": _without_our_names(error.message),
        "severity": "unrecoverable",
    }
    return _result({"ucp": {**envelope(tool.capability), "status": "error"}, "messages": [message]}, [])


def _without_our_names(message: str) -> str:
    """Return a message without clauses that name the project's own tools, which the client does not have."""
    kept = [part for part in message.split("; ") if not any(name in part for name in EVERY)]
    return f"{'; '.join(kept).rstrip('.')}." if kept else "It failed."


def _result(answer: Mapping[str, Any], sources: Sequence[Any]) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=_text(answer))],
        structured_content=dict(answer),
        _meta={"sources": list(sources)},
    )


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _wrong(error: ValidationError) -> str:
    """Return which arguments are wrong and why, three at most."""
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    reasons = [f"{one_line('.'.join(map(str, p['loc'])), 80) or 'arguments'}: {p['msg']}" for p in problems]
    return "; ".join(reasons[:3]) + (f" (and {len(reasons) - 3} more)" if len(reasons) > 3 else "")


def _simple(schema: JsonObject) -> JsonObject:
    """Return one plain schema without references. Optional fields have a plain type and are not required."""
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
            if key not in ("$ref", "$defs", "title", "additionalProperties")
        }
        return {
            key: {name: simplified(inner) for name, inner in value.items()}
            if key == "properties"
            else simplified(value)
            for key, value in kept.items()
        }

    return cast(JsonObject, simplified(schema))


def _plain(part: Any, names: bool = False) -> Any:
    """Return a schema without titles, which repeat the names, and open to further fields."""
    if isinstance(part, dict):
        dropped = () if names else ("title", "additionalProperties")
        kept = {key: value for key, value in part.items() if key not in dropped}
        if not names and isinstance(extra := part.get("additionalProperties"), dict):
            kept["additionalProperties"] = extra
        return {key: _plain(value, key in ("properties", "$defs")) for key, value in kept.items()}
    return [_plain(item) for item in part] if isinstance(part, list) else part
