"""The common part of the wire protocols: requests as messages and tools, and the reasons why one is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from drr.env.json_object import JsonObject
from drr.llm.role import NO_DEMAND, Demand, forced_tool
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolCall, ToolMessage

LEFT_OUT = frozenset(
    {"temperature", "top_p", "top_k", "seed", "frequency_penalty", "presence_penalty", "logit_bias",
     "reasoning", "reasoning_effort", "thinking"}
)  # fmt: skip
"""Settings of a request that are ignored, because the study decides them. `max_tokens` is not reported, as some clients must send it."""


MOST_HEARD = 32_000_000


class NotOffered(Exception):
    """The request asks for a feature that is not offered here; the message names it."""


class ModelRequest(NamedTuple):
    messages: list[BaseMessage]
    tools: list[JsonObject]
    """Tools in the format of OpenAI."""
    demand: Demand = NO_DEMAND


class Conversations:
    """Messages of one unit as they were first made, so that a request that repeats them continues the same conversation.

    A client sends a reply back in its own words; the model's original reply, thinking included, is used in its place.
    """

    def __init__(self, artifact_of: Callable[[str], object]) -> None:
        self._known: dict[tuple[object, ...], BaseMessage] = {}
        self._size = 0
        self.left_out: set[str] = set()
        """Settings in the requests so far that were not passed on."""
        self.dropped: list[JsonObject] = []
        """Tools of the last request that were not passed on."""
        self._said: dict[tuple[object, ...], AIMessage] = {}
        self._artifact_of = artifact_of

    def usable(
        self, forms: Iterable[JsonObject], read: Callable[[JsonObject], JsonObject | str]
    ) -> list[JsonObject]:
        """Return the tools that are functions. A tool that the provider itself would run is left out, because nothing runs it here."""
        found: list[JsonObject] = []
        self.dropped = []
        for form in forms:
            tool = read(form)
            if isinstance(tool, str):
                self.left_out.add(f"tools of the type {tool[:40]}")
                self.dropped.append(form)
            else:
                found.append(tool)
        return found

    def message(self, role: str, text: str) -> BaseMessage:
        make = SystemMessage if role == "system" else HumanMessage
        return self._reuse((role, text), lambda: make(text), len(text))

    def result(self, call_id: str, text: str, *, ok: bool = True) -> BaseMessage:
        status: Literal["success", "error"] = "success" if ok else "error"
        made = ToolMessage(text, tool_call_id=call_id, status=status, artifact=self._artifact_of(text))
        return self._reuse(("tool", call_id, text), lambda: made, len(text))

    def reply(self, text: str, calls: Sequence[Mapping[str, Any]]) -> BaseMessage:
        key = (text.strip(), *(call["id"] for call in calls))
        if key in self._said:
            return self._said[key]
        parts = [
            ToolCall(name=call["name"], args=call["args"], id=call["id"], type="tool_call") for call in calls
        ]
        size = len(text) + len(str(calls))
        return self._reuse(("assistant", *key, str(calls)), lambda: AIMessage(text, tool_calls=parts), size)

    def _reuse(self, key: tuple[object, ...], make: Callable[[], BaseMessage], size: int) -> BaseMessage:
        if key not in self._known:
            self._size += size
            if self._size > MOST_HEARD:
                raise NotOffered(f"the conversations of a question may have {MOST_HEARD:,} characters in all")
            self._known[key] = make()
        return self._known[key]

    def keep(self, answer: AIMessage) -> None:
        self._said[answer.text.strip(), *(call["id"] for call in answer.tool_calls)] = answer


def in_order(messages: Sequence[BaseMessage], heard: Conversations) -> list[BaseMessage]:
    """Return the messages, with a system message in mid-conversation turned into a user's, as some providers reject it there."""
    begun = False
    found: list[BaseMessage] = []
    for message in messages:
        begun = begun or not isinstance(message, SystemMessage)
        late = begun and isinstance(message, SystemMessage)
        found.append(heard.message("user", message.text) if late else message)
    if not any(isinstance(message, HumanMessage) for message in found):
        raise NotOffered("a request needs a message of a user")
    return found


def text_of(content: object, kinds: frozenset[str]) -> str:
    """Return a content as one text: a text as it is, or the texts of its parts joined."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise NotOffered("content is neither a text nor a list of parts")
    parts = []
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind not in kinds or not isinstance(part.get("text"), str):
            raise NotOffered(f"content of the type {kind!r}: only texts are passed on")
        parts.append(part["text"])
    return "\n".join(parts)


def function(name: object, description: object, parameters: object) -> JsonObject:
    if not isinstance(name, str) or not name:
        raise NotOffered("a tool without a name")
    schema = parameters if isinstance(parameters, dict) else {"type": "object", "properties": {}}
    return {
        "type": "function",
        "function": {"name": name, "description": str(description or ""), "parameters": schema},
    }


def object_list(body: JsonObject, name: str) -> list[JsonObject]:
    """Return a list of objects from the body; empty where it is missing."""
    given = body.get(name)
    if given is None:
        return []
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise NotOffered(f"{name} is no list of objects")
    return given


def build_request(
    body: JsonObject, messages: list[BaseMessage], tools: list[JsonObject], heard: Conversations
) -> ModelRequest:
    """Build the request with its demands. A tool choice that names no tool, such as `allowed_tools`, is left out and noted."""
    choice = body.get("tool_choice")
    kind = choice.get("type") if isinstance(choice, dict) else choice
    if kind == "none":
        tools = []
    tool = forced_tool(choice) if tools else ""
    if tools and not tool and kind not in (None, "auto"):
        heard.left_out.add(f"tool_choice {str(kind)[:20]}")
    stop = body.get("stop") or body.get("stop_sequences") or []
    stop = [stop] if isinstance(stop, str) else stop
    if not isinstance(stop, list) or not all(isinstance(one, str) for one in stop):
        raise NotOffered("where to stop is no list of texts")
    inner = [(body.get(name) or {}).get("format") for name in ("text", "output_config")]
    form: JsonObject = next(
        filter(None, [body.get("response_format"), *inner, body.get("output_format")]), {}
    )
    return ModelRequest(messages, tools, Demand(tool, tuple(stop), _form_text(form)))


def _form_text(form: JsonObject) -> str:
    """Return the demanded form of an answer as JSON for `Demand.form`; empty where a text is wanted."""
    kind, given = form.get("type"), {**form, **(form.get("json_schema") or {})}
    if kind in (None, "text"):
        return ""
    if kind not in ("json_object", "json_schema"):
        raise NotOffered(f"an answer of the form {str(kind)[:40]!r} is not passed on")
    schema = None if kind == "json_object" else given.get("schema")
    if kind == "json_schema" and not isinstance(schema, dict):
        raise NotOffered("the form of the answer has no schema")
    named = {"name": str(given.get("name") or "answer"), "strict": bool(given.get("strict"))}
    return json.dumps({**named, "schema": schema}, sort_keys=True)
