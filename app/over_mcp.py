"""A call of a tool where a command was started as an agent. Over the address and the token in its environment."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, TypedDict

from drr.env.errors import DrrError

if TYPE_CHECKING:
    from drr.env.json_object import JsonObject

ADDRESS, TOKEN = "DRR_MCP_URL", "DRR_MCP_TOKEN"
_PATIENCE_S = 120.0


class Called(TypedDict):
    """The document of `drr tools call --json`."""

    tool: str
    ok: bool
    text: str
    sources: list[JsonObject]
    data: Any
    error: JsonObject | None


def is_agent() -> bool:
    return bool(os.environ.get(ADDRESS))


def call_over_mcp(name: str, given: JsonObject) -> Called:
    from urllib.error import HTTPError, URLError
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
            told = json.load(answer)
        result = told["result"]
        text = "\n".join(part["text"] for part in result["content"])
    except HTTPError as error:
        raise DrrError(
            f"{ADDRESS}: {address} answered {error.code}; is {TOKEN} the token of this question?"
        ) from None
    except URLError as error:
        raise DrrError(f"{ADDRESS}: {address} does not answer ({error.reason})") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DrrError(f"{ADDRESS}: {address} gave no answer of the shop's server ({error})") from None
    structured = result.get("structuredContent") or {}
    failure = (result.get("_meta") or {}).get("error") if result.get("isError") else None
    return {
        "tool": name,
        "ok": not result.get("isError"),
        "text": text,
        "sources": structured.get("sources", []),
        "data": structured.get("data"),
        "error": failure,
    }
