"""OpenAI's chat completions."""

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
_ROLES = {"system": "system", "developer": "system", "user": "user"}


def read(body: JsonObject, heard: Conversations) -> ModelRequest:
    if body.get("n") not in (None, 1):
        raise NotOffered("n: one answer to a request")
    if (body.get("response_format") or {}).get("type") not in (None, "text"):
        raise NotOffered("response_format: answers in a form are not passed on; ask for it in words")
    messages = [_message(one, heard) for one in listed(body, "messages")]
    return ModelRequest(
        in_order(messages, heard), offered(body, heard.usable(_tool(one) for one in listed(body, "tools")))
    )


def _message(told: JsonObject, heard: Conversations) -> BaseMessage:
    role, text = told.get("role"), text_of(told.get("content"), _TEXT)
    if role in _ROLES:
        return heard.told(_ROLES[role], text)
    if role == "tool":
        return heard.result(str(told.get("tool_call_id")), text)
    if role == "assistant":
        return heard.reply(text, [_call(one) for one in listed(told, "tool_calls")])
    raise NotOffered(f"role {role!r}: not one of system, developer, user, assistant, tool")


def _call(told: JsonObject) -> dict[str, Any]:
    made = told.get("function") or {}
    return {
        "id": str(told.get("id")),
        "name": str(made.get("name")),
        "args": arguments_of(made.get("arguments")),
    }


def arguments_of(text: object) -> JsonObject:
    try:
        given = json.loads(text if isinstance(text, str) and text.strip() else "{}")
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise NotOffered("arguments of a call are no JSON object")
    return given


def _tool(told: JsonObject) -> JsonObject | str:
    if told.get("type") != "function":
        return str(told.get("type"))
    made = told.get("function") or {}
    return function(made.get("name"), made.get("description"), made.get("parameters"))


def write(said: AIMessage, body: JsonObject, number: int) -> JsonObject:
    message: JsonObject = {"role": "assistant", "content": said.text or None}
    if said.tool_calls:
        message["tool_calls"] = [_call_text(call) for call in said.tool_calls]
    choice = {"index": 0, "message": message, "finish_reason": _reason(said), "logprobs": None}
    return {**_head(body, number, "chat.completion"), "choices": [choice], **_usage(said)}


def _head(body: JsonObject, number: int, kind: str) -> JsonObject:
    return {"id": f"chatcmpl-{number}", "object": kind, "created": 0, "model": body.get("model") or ""}


def _reason(said: AIMessage) -> str:
    return "tool_calls" if said.tool_calls else "stop"


def _call_text(call: Any) -> JsonObject:
    arguments = json.dumps(call["args"], ensure_ascii=False)
    return {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": arguments}}


def _usage(said: AIMessage) -> JsonObject:
    used = said.usage_metadata
    if used is None:
        return {}
    counts = {"prompt_tokens": used["input_tokens"], "completion_tokens": used["output_tokens"]}
    return {"usage": {**counts, "total_tokens": used["total_tokens"]}}


def stream(said: AIMessage, body: JsonObject, number: int) -> str:
    head = _head(body, number, "chat.completion.chunk")
    calls = [{"index": index, **_call_text(call)} for index, call in enumerate(said.tool_calls)]
    delta = {"role": "assistant", "content": said.text or None, **({"tool_calls": calls} if calls else {})}
    chunks: list[JsonObject] = [
        {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": _reason(said)}]},
    ]
    if (body.get("stream_options") or {}).get("include_usage"):
        chunks.append({"choices": [], **_usage(said)})
    return "".join(f"data: {json.dumps({**head, **chunk})}\n\n" for chunk in chunks) + "data: [DONE]\n\n"


def failed(kind: str, message: str) -> JsonObject:
    return {"error": {"message": message, "type": "invalid_request_error", "code": kind, "param": None}}
