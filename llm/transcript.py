"""A conversation as plain data for the record: what was said and called, without the random ids of a library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage


def plain(messages: Sequence[BaseMessage]) -> list[dict[str, Any]]:
    """Equal conversations give equal data. Signed thinking and other blocks of a provider are kept under `blocks`.

    A provider names each call anew at every run; here a call's name is its number in the conversation.
    """
    numbers: dict[str | None, str] = {}
    return [_one(message, numbers) for message in messages]


def _one(message: BaseMessage, numbers: dict[str | None, str]) -> dict[str, Any]:
    told: dict[str, Any] = {"role": message.type, "text": message.text}
    if isinstance(message, AIMessage):
        if message.tool_calls:
            told["tool_calls"] = [
                {"id": _number(call["id"], numbers), "name": call["name"], "args": call["args"]}
                for call in message.tool_calls
            ]
        reason = message.response_metadata.get("stop_reason") or message.response_metadata.get(
            "finish_reason"
        )
        if reason is not None:
            told["stop_reason"] = reason
        if message.usage_metadata is not None:
            told["usage"] = {name: message.usage_metadata[name] for name in ("input_tokens", "output_tokens")}
        if isinstance(message.content, list):
            others = [
                block
                for block in message.content
                if isinstance(block, dict)
                and block.get("type") not in ("text", "tool_use", "input_json_delta")
            ]
            if others:
                told["blocks"] = others
    if isinstance(message, ToolMessage):
        told["tool_call_id"] = _number(message.tool_call_id, numbers)
        told["name"] = message.name
        told["status"] = message.status
    return told


def _number(call: str | None, numbers: dict[str | None, str]) -> str:
    return numbers.setdefault(call, f"call-{len(numbers) + 1}")
