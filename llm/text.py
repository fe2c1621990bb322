"""Halves of characters: JSON lets a model write them, and nothing that comes after can encode, hash or print them."""

from __future__ import annotations

import json
from typing import Any

from langchain_core.messages import AIMessage


def well_formed(text: str) -> str:
    """The same text; two halves that meet become their character, a lone one becomes U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def well_formed_message(message: AIMessage) -> AIMessage:
    """What a model said, fit to be sent back, recorded and shown."""
    said = {"content": message.content, "tool_calls": message.tool_calls}
    text = json.dumps(said, ensure_ascii=False, default=str)
    if text.isascii() or well_formed(text) == text:
        return message
    return message.model_copy(update={name: _all(value) for name, value in said.items()})


def _all(value: Any) -> Any:
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, list):
        return [_all(item) for item in value]
    if isinstance(value, dict):
        return {_all(name): _all(item) for name, item in value.items()}
    return value
