"""A conversation as plain data for the record: what was said and called, without the random ids of a library."""

from __future__ import annotations

from collections.abc import Sequence

from drr.llm.meter import ToldMessage
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

# Blocks of which the text and the calls are told already.
_SHOWN_BLOCKS = ("text", "tool_use", "input_json_delta")


def plain(messages: Sequence[BaseMessage]) -> list[ToldMessage]:
    """Equal conversations give equal data. Signed thinking and other blocks of a provider are kept under `blocks`.

    A provider names each call anew at every run; here a call's name is its number in the conversation.
    """
    numbers: dict[str | None, str] = {}
    return [_one(message, numbers) for message in messages]


def _one(message: BaseMessage, numbers: dict[str | None, str]) -> ToldMessage:
    line: ToldMessage = {"role": message.type, "text": message.text}
    if isinstance(message, AIMessage):
        _add_answer(line, message, numbers)
    if isinstance(message, ToolMessage):
        line["tool_call_id"] = _number(message.tool_call_id, numbers)
        line["name"] = message.name
        line["status"] = message.status
    return line


def _add_answer(out: ToldMessage, message: AIMessage, numbers: dict[str | None, str]) -> None:
    """Add what a model's message holds beside its text."""
    if message.tool_calls:
        out["tool_calls"] = [
            {"id": _number(call["id"], numbers), "name": call["name"], "args": call["args"]}
            for call in message.tool_calls
        ]
    ended = message.response_metadata
    reason = ended.get("stop_reason") or ended.get("finish_reason")
    if reason is not None:
        out["stop_reason"] = reason
    used = message.usage_metadata
    if used is not None:
        out["usage"] = {"input_tokens": used["input_tokens"], "output_tokens": used["output_tokens"]}
    blocks = message.content if isinstance(message.content, list) else []
    others: list[object] = [
        block for block in blocks if isinstance(block, dict) and block.get("type") not in _SHOWN_BLOCKS
    ]
    if others:
        out["blocks"] = others


def _number(call: str | None, numbers: dict[str | None, str]) -> str:
    return numbers.setdefault(call, f"call-{len(numbers) + 1}")
