"""Messages as text: their size on the wire, and halves of characters. JSON lets a model write those, and
nothing later can encode, hash or print them."""

from __future__ import annotations

import json
from typing import Any

from drr.llm.seeing import PICTURE_BYTES, is_picture
from langchain_core.messages import AIMessage, BaseMessage


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
