"""Anthropic's messages."""

from __future__ import annotations

import json
from typing import Any

from drr.agents.commands.proxy.asked import (
    Conversations,
    ModelRequest,
    NotOffered,
    function,
    in_order,
    listed,
    offered,
    text_of,
)
from drr.env.json_object import JsonObject
from langchain_core.messages import AIMessage, BaseMessage

_TEXT = frozenset({"text"})
_THOUGHT = frozenset({"thinking", "redacted_thinking"})


def read(body: JsonObject, heard: Conversations) -> ModelRequest:
    if body.get("output_config", {}).get("format") or body.get("output_format"):
        raise NotOffered("output_format: answers in a form are not passed on; ask for it in words")
    system = text_of(body.get("system"), _TEXT)
    messages: list[BaseMessage] = [heard.told("system", system)] if system else []
    for message in listed(body, "messages"):
        messages += _messages(message, heard)
    return ModelRequest(
        in_order(messages, heard), offered(body, heard.usable(_tool(one) for one in listed(body, "tools")))
    )


def _messages(told: JsonObject, heard: Conversations) -> list[BaseMessage]:
    role, content = told.get("role"), told.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else listed(told, "content")
    if role == "user":
        results = [_result(one, heard) for one in blocks if one.get("type") == "tool_result"]
        text = text_of([one for one in blocks if one.get("type") != "tool_result"], _TEXT)
        return [*results, *([heard.told("user", text)] if text else [])]
    if role == "assistant":
        calls = [_call(one) for one in blocks if one.get("type") == "tool_use"]
        rest = [one for one in blocks if one.get("type") not in {"tool_use", *_THOUGHT}]
        return [heard.reply(text_of(rest, _TEXT), calls)]
    if role == "system":
        return [heard.told("system", text_of(blocks, _TEXT))]
    raise NotOffered(f"role {role!r}: not one of user, assistant, system")


def _result(told: JsonObject, heard: Conversations) -> BaseMessage:
    text = text_of(told.get("content"), _TEXT)
    return heard.result(str(told.get("tool_use_id")), text, ok=not told.get("is_error"))


def _call(told: JsonObject) -> dict[str, Any]:
    given = told.get("input")
    return {
        "id": str(told.get("id")),
        "name": str(told.get("name")),
        "args": given if isinstance(given, dict) else {},
    }


def _tool(told: JsonObject) -> JsonObject | str:
    if told.get("type") not in (None, "custom"):
        return str(told.get("type"))
    return function(told.get("name"), told.get("description"), told.get("input_schema"))


def write(said: AIMessage, body: JsonObject, number: int) -> JsonObject:
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model") or "",
        "content": _blocks(said),
        "stop_reason": "tool_use" if said.tool_calls else "end_turn",
        "stop_sequence": None,
        "usage": _usage(said),
    }


def _blocks(said: AIMessage) -> list[JsonObject]:
    text: list[JsonObject] = [{"type": "text", "text": said.text}] if said.text else []
    calls = [
        {"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["args"]}
        for call in said.tool_calls
    ]
    return text + calls


def _usage(said: AIMessage) -> JsonObject:
    """State the usage as the protocol does. What was read from the cache or written to it is no part of the input."""
    used = said.usage_metadata
    if used is None:
        return {"input_tokens": 0, "output_tokens": 0}
    details: Any = used.get("input_token_details") or {}
    read_, made = int(details.get("cache_read") or 0), int(details.get("cache_creation") or 0)
    return {
        "input_tokens": max(0, used["input_tokens"] - read_ - made),
        "cache_read_input_tokens": read_,
        "cache_creation_input_tokens": made,
        "output_tokens": used["output_tokens"],
    }


def stream(said: AIMessage, body: JsonObject, number: int) -> str:
    whole = write(said, body, number)
    events: list[tuple[str, JsonObject]] = [
        ("message_start", {"message": {**whole, "content": [], "stop_reason": None}})
    ]
    for index, block in enumerate(whole["content"]):
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {
                "type": "input_json_delta",
                "partial_json": json.dumps(block["input"], ensure_ascii=False),
            }
        events.append(("content_block_start", {"index": index, "content_block": empty}))
        events.append(("content_block_delta", {"index": index, "delta": delta}))
        events.append(("content_block_stop", {"index": index}))
    ending = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    events += [("message_delta", {"delta": ending, "usage": whole["usage"]}), ("message_stop", {})]
    return "".join(f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n" for name, data in events)


def failed(kind: str, message: str) -> JsonObject:
    return {"type": "error", "error": {"type": "invalid_request_error", "message": f"{kind}: {message}"}}
