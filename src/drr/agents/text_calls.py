"""Recognises tool calls that a model wrote out as text, in JSON or markup."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from drr.env.json_object import JsonObject
from langchain_core.messages import AIMessage
from langchain_core.messages.tool import tool_call

_BETWEEN = re.compile(r"\s+|[,;]|```\w{0,20}|<[^<>]{0,200}>|\[/?[A-Z_]{2,40}\]")
"""Marks and spaces that models write around their calls."""
_BEGIN = re.compile(r"^(?:```|<|[\[{])", re.MULTILINE)


def is_call(report: str, tools: Collection[str]) -> bool:
    """Tell whether a report is only the text of a call, in JSON or markup. Words before the call may precede it if they cite nothing."""
    text = _behind_words(report)[1]
    if text.startswith("<") and text.endswith(">"):
        tags = re.findall(r"<([^<>]{1,200})>", text)
        if any(word in tools for tag in tags for word in re.findall(r"\w+", tag)):
            return True
    values = _values(text)
    return bool(values) and all(_names_call(value, tools) for value in values)


def read_text_calls(reply: AIMessage, bound: Sequence[Any], turn: int) -> AIMessage:
    """Read the calls that a reply holds as text. The reply is returned unchanged where the text holds anything else."""
    tools = {tool["function"]["name"] for tool in bound if isinstance(tool, Mapping)}
    words, text = _behind_words(reply.text)
    values = _values(text)
    calls = [_call(one, tools) for value in values for one in (value if isinstance(value, list) else [value])]
    known = [call for call in calls if call is not None]
    if reply.tool_calls or not known or len(known) < len(calls):
        return reply
    ids = (f"text-{turn}-{number}" for number in range(len(known)))
    read = [tool_call(name=name, args=given, id=id_) for (name, given), id_ in zip(known, ids, strict=False)]
    return reply.model_copy(update={"content": words, "tool_calls": read})


def _call(value: Any, tools: Collection[str]) -> tuple[str, JsonObject] | None:
    """Read a call in the plain form: a tool's name beside its arguments, alone or below `function`."""
    inner = value.get("function", value) if isinstance(value, dict) else None
    if not isinstance(inner, dict) or not isinstance(name := inner.get("name"), str) or name not in tools:
        return None
    given = inner.get("arguments", inner.get("parameters", {}))
    if isinstance(given, str):
        given = (_values(given) or [None])[0]
    return (name, given) if isinstance(given, dict) else None


def _behind_words(text: str) -> tuple[str, str]:
    """Split a text into the words before a possible call and the rest. The rest is empty where the words cite something."""
    text = text.strip()
    begin = _BEGIN.search(text)
    if begin is None or "://" in text[: begin.start()]:
        return text, ""
    return text[: begin.start()].strip(), text[begin.start() :]


def _values(text: str) -> list[Any]:
    """Return the JSON documents of a text; an empty list where the text holds anything but documents and marks."""
    place = 0
    found: list[Any] = []
    while True:
        while between := _BETWEEN.match(text, place):
            place = between.end()
        if place == len(text):
            return found
        try:
            value, place = json.JSONDecoder().raw_decode(text, place)
            found.append(value)
        except (ValueError, RecursionError):
            return []


def _names_call(value: Any, tools: Collection[str]) -> bool:
    """Tell whether a JSON value is a call: an object with a tool's name, or a similar one beside arguments. A list or an object of only such objects counts too."""
    if isinstance(value, list):
        return bool(value) and all(_names_call(one, tools) for one in value)
    if not isinstance(value, dict):
        return False
    words = [one for one in value.values() if isinstance(one, str)]
    inner = [one for one in value.values() if isinstance(one, dict | list)]
    if any(word in tools for word in words):
        return True
    has_arguments = any(isinstance(one, dict) for one in inner) or any(word.startswith("{") for word in words)
    if has_arguments and any(word.isidentifier() for word in words):
        return True
    return bool(inner) and all(_names_call(one, tools) for one in inner)
