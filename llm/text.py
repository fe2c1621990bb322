"""Messages as text and pictures: size on the wire, split surrogates, and the one form of pictures for models."""

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
"""Bytes of a picture in an estimate of a request's cost: providers charge by pixels, not bytes."""
Block = dict[Any, Any]
Vision = Literal["auto", "yes", "no"]
"""The choice to show pictures to a model: as its maker's pages say, or as the user says."""


def sees(name: str) -> bool | None:
    """Tell whether `PROVIDER:MODEL` takes pictures, by the pages of its maker; `None` where they do not say. Rules see nothing."""
    if name == OFFLINE:
        return False
    try:
        takes_images = profile_of(name).get("image_inputs")
    except ModelSetupError:  # of somebody else, who is no provider of ours
        return None
    return None if takes_images is None else bool(takes_images)


def is_shown_pictures(name: str, vision: Vision) -> bool:
    """A model of which nobody says anything sees nothing by `auto`; rules never do."""
    if vision == "auto" or name == OFFLINE:
        return bool(sees(name))
    return vision == "yes"


def picture_blocks(label: str, data: bytes, mime_type: str) -> list[Block]:
    """A picture with its name before it, in LangChain's own form: each provider's client translates it."""
    return [
        {"type": "text", "text": f"The picture {label}:"},
        {"type": "image", "base64": b64encode(data).decode("ascii"), "mime_type": mime_type},
    ]


def with_pictures(text: str, blocks: Sequence[Block]) -> HumanMessage:
    return HumanMessage(content=[{"type": "text", "text": text}, *blocks] if blocks else text)


def is_picture(block: object) -> bool:
    return isinstance(block, Mapping) and block.get("type") == "image"


def is_json(text: str) -> bool:
    """Tell whether a text is one JSON object or list and nothing else, between fences or bare."""
    lines = text.strip().splitlines()
    if len(lines) > 2 and lines[0].startswith("```") and lines[-1].strip() == "```":
        lines = lines[1:-1]
    try:
        return isinstance(json.loads("\n".join(lines)), dict | list)
    except (ValueError, RecursionError):
        return False


def object_of(text: str | None) -> dict[str, Any]:
    """Read the arguments of a call, which some models write as the text of a text. `ValueError`: no object."""
    try:
        found = json.loads(text or "{}", strict=False)
        found = json.loads(found, strict=False) if isinstance(found, str) else found
    except RecursionError:
        found = None
    if isinstance(found, dict):
        return found
    raise ValueError("no JSON object")


def well_formed(text: str) -> str:
    """The same text; two halves that meet become their character, a lone one becomes U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def well_formed_message(message: AIMessage) -> AIMessage:
    """Make a model's message fit to be sent back, recorded and shown."""
    fields = {"content": message.content, "tool_calls": message.tool_calls}
    text = json.dumps(fields, ensure_ascii=False, default=str)
    if text.isascii() or well_formed(text) == text:
        return message
    return message.model_copy(update={name: _all(value) for name, value in fields.items()})


def _all(value: Any) -> Any:
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, list):
        return [_all(item) for item in value]
    if isinstance(value, dict):
        return {_all(name): _all(item) for name, item in value.items()}
    return value


def wire_size(message: BaseMessage) -> int:
    """Size a message on the wire: blocks (signed thinking, calls) as JSON, plain text as it is."""
    content = message.content
    if isinstance(content, str):
        size = len(content.encode("utf-8", "surrogatepass"))
    else:
        rest = [block for block in content if not is_picture(block)]
        size = len(json.dumps(rest)) + PICTURE_BYTES * (len(content) - len(rest))
    if isinstance(message, AIMessage) and message.tool_calls:
        size += len(json.dumps(message.tool_calls))
    return size + 16


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
