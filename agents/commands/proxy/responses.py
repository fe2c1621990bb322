"""OpenAI's responses, without what a server would have to remember between requests."""

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
from drr.agents.commands.proxy.chat import arguments_of, failed
from drr.env.json_object import JsonObject
from langchain_core.messages import AIMessage, BaseMessage

__all__ = ["failed", "read", "stream", "write"]
_TEXT = frozenset({"text", "input_text", "output_text"})


def read(body: JsonObject, heard: Conversations) -> ModelRequest:
    for name in ("previous_response_id", "conversation"):
        if body.get(name):
            raise NotOffered(f"{name}: nothing is remembered here; send the whole input")
    if ((body.get("text") or {}).get("format") or {}).get("type") not in (None, "text"):
        raise NotOffered("text.format: answers in a form are not passed on; ask for it in words")
    given = body.get("input")
    items = [{"role": "user", "content": given}] if isinstance(given, str) else listed(body, "input")
    instructions = body.get("instructions")
    messages = [heard.told("system", str(instructions))] if instructions else []
    messages += _messages(items, heard)
    return ModelRequest(
        in_order(messages, heard), offered(body, heard.usable(_tool(one) for one in listed(body, "tools")))
    )


def _messages(items: list[JsonObject], heard: Conversations) -> list[BaseMessage]:
    """Join a model's message that comes as several items in a row: a text, and calls."""
    found: list[BaseMessage] = []
    texts: list[str] = []
    calls: list[dict[str, Any]] = []

    def reply() -> None:
        if texts or calls:
            found.append(heard.reply("\n".join(texts), list(calls)))
            texts.clear()
            calls.clear()

    for item in items:
        kind = item.get("type", "message")
        if kind == "reasoning":
            continue
        if kind == "function_call":
            calls.append({"id": str(item.get("call_id")), "name": str(item.get("name")), "args": arguments_of(item.get("arguments"))})  # fmt: skip
        elif kind == "message" and item.get("role") == "assistant":
            if calls:
                reply()
            texts.append(text_of(item.get("content"), _TEXT))
        else:
            reply()
            found.append(_message(kind, item, heard))
    reply()
    return found


def _message(kind: object, item: JsonObject, heard: Conversations) -> BaseMessage:
    if kind == "function_call_output":
        return heard.result(str(item.get("call_id")), text_of(item.get("output"), _TEXT))
    if kind == "message" and item.get("role") in ("user", "system", "developer"):
        role = "user" if item["role"] == "user" else "system"
        return heard.told(role, text_of(item.get("content"), _TEXT))
    raise NotOffered(f"an item of the type {kind!r} is not passed on")


def _tool(told: JsonObject) -> JsonObject | str:
    if told.get("type") != "function":
        return str(told.get("type"))
    return function(told.get("name"), told.get("description"), told.get("parameters"))


def write(said: AIMessage, body: JsonObject, number: int) -> JsonObject:
    return {
        "id": f"resp_{number}", "object": "response", "created_at": 0, "status": "completed", "model": body.get("model") or "",
        "output": _items(said, number), "usage": _usage(said), "error": None, "incomplete_details": None,
        "instructions": None, "metadata": {}, "parallel_tool_calls": True, "temperature": None, "top_p": None,
        "tool_choice": "auto", "tools": [],
    }  # fmt: skip


def _items(said: AIMessage, number: int) -> list[JsonObject]:
    part = {"type": "output_text", "text": said.text, "annotations": []}
    text: list[JsonObject] = [
        {
            "type": "message",
            "id": f"msg_{number}",
            "status": "completed",
            "role": "assistant",
            "content": [part],
        }
    ]
    calls = [
        {"type": "function_call", "id": f"fc_{number}_{index}", "call_id": call["id"], "name": call["name"],
         "arguments": json.dumps(call["args"], ensure_ascii=False), "status": "completed"}
        for index, call in enumerate(said.tool_calls)
    ]  # fmt: skip
    return (text if said.text or not calls else []) + calls


def _usage(said: AIMessage) -> JsonObject | None:
    used = said.usage_metadata
    if used is None:
        return None
    details: Any = used.get("input_token_details") or {}
    return {
        "input_tokens": used["input_tokens"],
        "input_tokens_details": {"cached_tokens": int(details.get("cache_read") or 0)},
        "output_tokens": used["output_tokens"],
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": used["total_tokens"],
    }


def stream(said: AIMessage, body: JsonObject, number: int) -> str:
    whole = write(said, body, number)
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    events: list[tuple[str, JsonObject]] = [
        ("created", {"response": begun}),
        ("in_progress", {"response": begun}),
    ]
    for index, item in enumerate(whole["output"]):
        events += _text_events(index, item) if item["type"] == "message" else _call_events(index, item)
    events.append(("completed", {"response": whole}))
    lines = []
    for order, (name, data) in enumerate(events):
        document = {"type": f"response.{name}", "sequence_number": order, **data}
        lines.append(f"event: response.{name}\ndata: {json.dumps(document)}\n\n")
    return "".join(lines)


def _text_events(index: int, item: JsonObject) -> list[tuple[str, JsonObject]]:
    part = item["content"][0]
    place = {"item_id": item["id"], "output_index": index, "content_index": 0}
    return [
        (
            "output_item.added",
            {"output_index": index, "item": {**item, "status": "in_progress", "content": []}},
        ),
        ("content_part.added", {**place, "part": {**part, "text": ""}}),
        ("output_text.delta", {**place, "delta": part["text"], "logprobs": []}),
        ("output_text.done", {**place, "text": part["text"], "logprobs": []}),
        ("content_part.done", {**place, "part": part}),
        ("output_item.done", {"output_index": index, "item": item}),
    ]


def _call_events(index: int, item: JsonObject) -> list[tuple[str, JsonObject]]:
    place = {"item_id": item["id"], "output_index": index}
    return [
        (
            "output_item.added",
            {"output_index": index, "item": {**item, "status": "in_progress", "arguments": ""}},
        ),
        ("function_call_arguments.delta", {**place, "delta": item["arguments"]}),
        ("function_call_arguments.done", {**place, "arguments": item["arguments"], "name": item["name"]}),
        ("output_item.done", {"output_index": index, "item": item}),
    ]
