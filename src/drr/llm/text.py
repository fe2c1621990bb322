"""Messages as text and pictures: size of a request, lone surrogates, and the form of pictures for models."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from drr.llm.failures import ModelSetupError
from drr.llm.meter import ToldMessage
from drr.llm.names import OFFLINE, profile_of
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

PICTURE_BYTES = 16_000
"""Bytes for a picture in an estimate of a request's cost. Providers charge by pixels, not bytes."""
Block = dict[Any, Any]
Vision = Literal["auto", "yes", "no"]
"""The choice to show pictures to a model: as the model's maker says, or as the user says."""


def accepts_pictures(name: str) -> bool | None:
    """Tell whether `PROVIDER:MODEL` accepts pictures, by its maker's model data; `None` if unknown. The offline model does not."""
    if name == OFFLINE:
        return False
    try:
        takes_images = profile_of(name).get("image_inputs")
    except ModelSetupError:  # a model of an unknown provider
        return None
    return None if takes_images is None else bool(takes_images)


def is_shown_pictures(name: str, vision: Vision) -> bool:
    """Tell whether a model is shown pictures. Under `auto` an unknown model is not, and the offline model never is."""
    if vision == "auto" or name == OFFLINE:
        return bool(accepts_pictures(name))
    return vision == "yes"


def picture_blocks(label: str, data: bytes, mime_type: str) -> list[Block]:
    """Return a picture with its name before it in LangChain's form, which each provider's client translates."""
    return [
        {"type": "text", "text": f"The picture {label}:"},
        {"type": "image", "base64": b64encode(data).decode("ascii"), "mime_type": mime_type},
    ]


def with_pictures(text: str, blocks: Sequence[Block]) -> HumanMessage:
    return HumanMessage(content=[{"type": "text", "text": text}, *blocks] if blocks else text)


def is_picture(block: object) -> bool:
    return isinstance(block, Mapping) and block.get("type") == "image"


def is_json(text: str) -> bool:
    """Tell whether a text is one JSON object or list and nothing else, fenced or bare."""
    lines = text.strip().splitlines()
    if len(lines) > 2 and lines[0].startswith("```") and lines[-1].strip() == "```":
        lines = lines[1:-1]
    try:
        return isinstance(json.loads("\n".join(lines)), dict | list)
    except (ValueError, RecursionError):
        return False


def is_cut_json(text: str) -> bool:
    """Tell whether a text is one JSON object that ends before it is whole."""
    text = text.strip()
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        ends = error.pos >= len(text) or error.msg.startswith("Unterminated")
        return ends and text.startswith("{")
    except (ValueError, RecursionError):
        pass
    return False


def call_arguments(text: str | None) -> dict[str, Any]:
    """Return the arguments of a call, which some models encode as JSON twice. `ValueError` is raised where they are no object."""
    try:
        found = json.loads(text or "{}", strict=False)
        found = json.loads(found, strict=False) if isinstance(found, str) else found
    except RecursionError:
        found = None
    if isinstance(found, dict):
        return found
    raise ValueError("no JSON object")


def well_formed(text: str) -> str:
    """Return a text with surrogate pairs joined to their characters, and lone surrogates replaced by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def well_formed_message(message: AIMessage) -> AIMessage:
    """Return a model's message without lone surrogates, so that it can be sent, recorded and shown."""
    fields = {"content": message.content, "tool_calls": message.tool_calls}
    text = json.dumps(fields, ensure_ascii=False, default=str)
    if text.isascii() or well_formed(text) == text:
        return message
    return message.model_copy(update={name: _well_formed_value(value) for name, value in fields.items()})


def _well_formed_value(value: Any) -> Any:
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, list):
        return [_well_formed_value(item) for item in value]
    if isinstance(value, dict):
        return {_well_formed_value(name): _well_formed_value(item) for name, item in value.items()}
    return value


def wire_size(message: BaseMessage) -> int:
    """Return the bytes of a message in a request: blocks (signed thinking, calls) as JSON, plain text as it is."""
    content = message.content
    if isinstance(content, str):
        size = len(content.encode("utf-8", "surrogatepass"))
    else:
        rest = [block for block in content if not is_picture(block)]
        size = len(json.dumps(rest)) + PICTURE_BYTES * (len(content) - len(rest))
    if isinstance(message, AIMessage) and message.tool_calls:
        size += len(json.dumps(message.tool_calls))
    return size + 16


# Types of blocks that `text` and `tool_calls` already contain.
_SHOWN_BLOCKS = ("text", "tool_use", "input_json_delta")


def plain_messages(messages: Sequence[BaseMessage]) -> list[ToldMessage]:
    """Return a conversation as plain data, equal for equal conversations. Signed thinking and a provider's other blocks are kept under `blocks`.

    A provider names each call differently at every run; in this data a call's name is its number in the conversation.
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
    """Add the fields that a model's message has beside its text."""
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
