"""Wire protocols in which a command may call the model: OpenAI's chat completions and responses, Anthropic's messages."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from drr.agents.commands.model_requests import (
    Conversations,
    ModelRequest,
    NotOffered,
    build_request,
    function,
    in_order,
    object_list,
    text_of,
)
from drr.env.json_object import JsonObject
from langchain_core.messages import AIMessage, BaseMessage

Event = tuple[str, JsonObject]
_IN = "__"
"""The text between the name of a namespace and the name of a tool in it."""


class Protocol(ABC):
    """A protocol for requests to a model. It reads a request, and writes a reply as a whole or as a stream."""

    path: str
    texts = frozenset({"text"})
    """Types of the content parts that are texts."""

    def read(self, body: JsonObject, heard: Conversations) -> ModelRequest:
        messages = in_order(self._messages(body, heard), heard)
        return build_request(body, messages, heard.usable(self._offers(body), self._tool), heard)

    @abstractmethod
    def write(self, reply: AIMessage, body: JsonObject, number: int) -> JsonObject: ...

    @abstractmethod
    def stream(self, reply: AIMessage, body: JsonObject, number: int) -> str: ...

    def failed(self, kind: str, message: str) -> JsonObject:
        return {"error": {"message": message, "type": "invalid_request_error", "code": kind, "param": None}}

    def _offers(self, body: JsonObject) -> list[JsonObject]:
        return object_list(body, "tools")

    @abstractmethod
    def _messages(self, body: JsonObject, heard: Conversations) -> Sequence[BaseMessage]: ...

    def _tool(self, form: JsonObject) -> JsonObject | str:
        """Return a tool as a function, or the type of a tool that is no function."""
        if form.get("type") != "function":
            return str(form.get("type"))
        return function(form.get("name"), form.get("description"), form.get("parameters"))

    def _text(self, content: object) -> str:
        return text_of(content, self.texts)


def _call(call_id: object, name: object, arguments: JsonObject) -> dict[str, Any]:
    return {"id": str(call_id), "name": str(name), "args": arguments}


def _arguments(text: object) -> JsonObject:
    try:
        given = json.loads(text if isinstance(text, str) and text.strip() else "{}")
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise NotOffered("arguments of a call are no JSON object")
    return given


def _cached(reply: AIMessage) -> tuple[int, int]:
    """Return the tokens of a reply that were read from the cache and written to it."""
    used: Any = reply.usage_metadata or {}
    details = used.get("input_token_details") or {}
    return int(details.get("cache_read") or 0), int(details.get("cache_creation") or 0)


class _Chat(Protocol):
    path = "/v1/chat/completions"
    roles: ClassVar = {"system": "system", "developer": "system", "user": "user"}

    def _messages(self, body: JsonObject, heard: Conversations) -> list[BaseMessage]:
        if body.get("n") not in (None, 1):
            raise NotOffered("n: one answer to a request")
        return [self._message(one, heard) for one in object_list(body, "messages")]

    def _message(self, message: JsonObject, heard: Conversations) -> BaseMessage:
        role, text = message.get("role"), self._text(message.get("content"))
        if role in self.roles:
            return heard.message(self.roles[role], text)
        if role == "tool":
            return heard.result(str(message.get("tool_call_id")), text)
        if role == "assistant":
            made = [(one.get("id"), one.get("function") or {}) for one in object_list(message, "tool_calls")]
            calls = [_call(key, one.get("name"), _arguments(one.get("arguments"))) for key, one in made]
            return heard.reply(text, calls)
        raise NotOffered(f"role {role!r}: not one of system, developer, user, assistant, tool")

    def _tool(self, form: JsonObject) -> JsonObject | str:
        return super()._tool({**(form.get("function") or {}), "type": form.get("type")})

    def write(self, reply: AIMessage, body: JsonObject, number: int) -> JsonObject:
        message: JsonObject = {"role": "assistant", "content": reply.text or None}
        if reply.tool_calls:
            message["tool_calls"] = self._calls(reply)
        choice = {"index": 0, "message": message, "finish_reason": self._reason(reply), "logprobs": None}
        return {**self._head(body, number, "chat.completion"), "choices": [choice], **self._usage(reply)}

    def stream(self, reply: AIMessage, body: JsonObject, number: int) -> str:
        head = self._head(body, number, "chat.completion.chunk")
        calls = [{"index": index, **call} for index, call in enumerate(self._calls(reply))]
        delta = {
            "role": "assistant",
            "content": reply.text or None,
            **({"tool_calls": calls} if calls else {}),
        }
        chunks: list[JsonObject] = [
            {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
            {"choices": [{"index": 0, "delta": {}, "finish_reason": self._reason(reply)}]},
        ]
        if (body.get("stream_options") or {}).get("include_usage"):
            chunks.append({"choices": [], **self._usage(reply)})
        return "".join(f"data: {json.dumps({**head, **chunk})}\n\n" for chunk in chunks) + "data: [DONE]\n\n"

    def _head(self, body: JsonObject, number: int, kind: str) -> JsonObject:
        return {"id": f"chatcmpl-{number}", "object": kind, "created": 0, "model": body.get("model") or ""}

    def _reason(self, reply: AIMessage) -> str:
        return "tool_calls" if reply.tool_calls else "stop"

    def _calls(self, reply: AIMessage) -> list[JsonObject]:
        return [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": json.dumps(call["args"], ensure_ascii=False)},
            }
            for call in reply.tool_calls
        ]

    def _usage(self, reply: AIMessage) -> JsonObject:
        used = reply.usage_metadata
        if used is None:
            return {}
        counts = {"prompt_tokens": used["input_tokens"], "completion_tokens": used["output_tokens"]}
        return {"usage": {**counts, "total_tokens": used["total_tokens"]}}


class _Responses(Protocol):
    """OpenAI's Responses protocol, without features for which a server must store data between requests."""

    path = "/v1/responses"
    texts = frozenset({"text", "input_text", "output_text"})

    def _messages(self, body: JsonObject, heard: Conversations) -> list[BaseMessage]:
        for name in ("previous_response_id", "conversation"):
            if body.get(name):
                raise NotOffered(f"{name}: nothing is remembered here; send the whole input")
        given, instructions = body.get("input"), body.get("instructions")
        items = [{"role": "user", "content": given}] if isinstance(given, str) else object_list(body, "input")
        messages = [heard.message("system", str(instructions))] if instructions else []
        return [*messages, *self._join_items(items, heard)]

    def _offers(self, body: JsonObject) -> list[JsonObject]:
        """Return the offered tools. The name of a namespace is put before its tools' names, because models know no namespaces."""
        found: list[JsonObject] = []
        for form in object_list(body, "tools"):
            space = form.get("name")
            inner = object_list(form, "tools") if form.get("type") == "namespace" else None
            found += (
                [form]
                if inner is None
                else [{**one, "name": f"{space}{_IN}{one.get('name')}"} for one in inner]
            )
        return found

    def _join_items(self, items: list[JsonObject], heard: Conversations) -> Iterable[BaseMessage]:
        """Join successive items, a text and calls, to the message of the model that they come from."""
        texts: list[str] = []
        calls: list[dict[str, Any]] = []
        for item in [*items, {"type": "end"}]:
            kind = item.get("type", "message")
            if kind == "reasoning":
                continue
            text = kind == "message" and item.get("role") == "assistant"
            if (texts or calls) and not (kind == "function_call" or (text and not calls)):
                yield heard.reply("\n".join(texts), calls)
                texts, calls = [], []
            if kind == "function_call":
                space = f"{item['namespace']}{_IN}" if item.get("namespace") else ""
                name = f"{space}{item.get('name')}"
                calls.append(_call(item.get("call_id"), name, _arguments(item.get("arguments"))))
            elif text:
                texts.append(self._text(item.get("content")))
            elif kind != "end":
                yield self._message(kind, item, heard)

    def _message(self, kind: object, item: JsonObject, heard: Conversations) -> BaseMessage:
        if kind == "function_call_output":
            return heard.result(str(item.get("call_id")), self._text(item.get("output")))
        if kind == "message" and item.get("role") in ("user", "system", "developer"):
            role = "user" if item["role"] == "user" else "system"
            return heard.message(role, self._text(item.get("content")))
        raise NotOffered(f"an item of the type {kind!r} is not passed on")

    def write(self, reply: AIMessage, body: JsonObject, number: int) -> JsonObject:
        return {
            "id": f"resp_{number}", "object": "response", "created_at": 0, "status": "completed", "model": body.get("model") or "",
            "output": self._items(reply, body, number), "usage": self._usage(reply), "error": None, "incomplete_details": None,
            "instructions": None, "metadata": {}, "parallel_tool_calls": True, "temperature": None, "top_p": None,
            "tool_choice": "auto", "tools": [],
        }  # fmt: skip

    def _items(self, reply: AIMessage, body: JsonObject, number: int) -> list[JsonObject]:
        spaces = {
            form["name"]: form for form in object_list(body, "tools") if form.get("type") == "namespace"
        }

        def named(name: str) -> JsonObject:
            """Split a tool's name into name and namespace, as the client expects."""
            space = next((one for one in spaces if name.startswith(f"{one}{_IN}")), None)
            return (
                {"name": name}
                if space is None
                else {"name": name.removeprefix(f"{space}{_IN}"), "namespace": space}
            )

        part = {"type": "output_text", "text": reply.text, "annotations": []}
        text: JsonObject = {"type": "message", "id": f"msg_{number}", "status": "completed", "role": "assistant", "content": [part]}  # fmt: skip
        calls: list[JsonObject] = [
            {"type": "function_call", "id": f"fc_{number}_{index}", "call_id": call["id"], **named(call["name"]),
             "arguments": json.dumps(call["args"], ensure_ascii=False), "status": "completed"}
            for index, call in enumerate(reply.tool_calls)
        ]  # fmt: skip
        return [text, *calls] if reply.text or not calls else calls

    def _usage(self, reply: AIMessage) -> JsonObject | None:
        used = reply.usage_metadata
        if used is None:
            return None
        return {
            "input_tokens": used["input_tokens"],
            "input_tokens_details": {"cached_tokens": _cached(reply)[0]},
            "output_tokens": used["output_tokens"],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": used["total_tokens"],
        }

    def stream(self, reply: AIMessage, body: JsonObject, number: int) -> str:
        whole = self.write(reply, body, number)
        begun = {"response": {**whole, "status": "in_progress", "output": [], "usage": None}}
        events: list[Event] = [("created", begun), ("in_progress", begun)]
        for index, item in enumerate(whole["output"]):
            events += self._pieces(index, item)
        events.append(("completed", {"response": whole}))
        lines = []
        for order, (name, data) in enumerate(events):
            document = {"type": f"response.{name}", "sequence_number": order, **data}
            lines.append(f"event: response.{name}\ndata: {json.dumps(document)}\n\n")
        return "".join(lines)

    def _pieces(self, index: int, item: JsonObject) -> list[Event]:
        place = {"item_id": item["id"], "output_index": index}
        if item["type"] == "message":
            part = item["content"][0]
            within, text = {**place, "content_index": 0}, part["text"]
            empty: JsonObject = {"content": []}
            pieces: list[Event] = [
                ("content_part.added", {**within, "part": {**part, "text": ""}}),
                ("output_text.delta", {**within, "delta": text, "logprobs": []}),
                ("output_text.done", {**within, "text": text, "logprobs": []}),
                ("content_part.done", {**within, "part": part}),
            ]
        else:
            empty, given = {"arguments": ""}, item["arguments"]
            pieces = [
                ("function_call_arguments.delta", {**place, "delta": given}),
                ("function_call_arguments.done", {**place, "arguments": given, "name": item["name"]}),
            ]
        added = {"output_index": index, "item": {**item, "status": "in_progress", **empty}}
        done = {"output_index": index, "item": item}
        return [("output_item.added", added), *pieces, ("output_item.done", done)]


class _Messages(Protocol):
    path = "/v1/messages"

    def _messages(self, body: JsonObject, heard: Conversations) -> list[BaseMessage]:
        system = self._text(body.get("system"))
        messages = [one for message in object_list(body, "messages") for one in self._of_role(message, heard)]
        return [heard.message("system", system), *messages] if system else messages

    def _of_role(self, message: JsonObject, heard: Conversations) -> list[BaseMessage]:
        role, content = message.get("role"), message.get("content")
        blocks = (
            [{"type": "text", "text": content}]
            if isinstance(content, str)
            else object_list(message, "content")
        )
        if role == "user":
            results = [self._result(one, heard) for one in blocks if one.get("type") == "tool_result"]
            text = self._text([one for one in blocks if one.get("type") != "tool_result"])
            return [*results, *([heard.message("user", text)] if text else [])]
        if role == "assistant":
            used = [one for one in blocks if one.get("type") == "tool_use"]
            calls = [
                _call(one.get("id"), one.get("name"), given if isinstance(given, dict) else {})
                for one in used
                for given in [one.get("input")]
            ]
            rest = [
                one for one in blocks if one.get("type") not in ("tool_use", "thinking", "redacted_thinking")
            ]
            return [heard.reply(self._text(rest), calls)]
        if role == "system":
            return [heard.message("system", self._text(blocks))]
        raise NotOffered(f"role {role!r}: not one of user, assistant, system")

    def _result(self, block: JsonObject, heard: Conversations) -> BaseMessage:
        text = self._text(block.get("content"))
        return heard.result(str(block.get("tool_use_id")), text, ok=not block.get("is_error"))

    def _tool(self, form: JsonObject) -> JsonObject | str:
        if form.get("type") not in (None, "custom"):
            return str(form.get("type"))
        return function(form.get("name"), form.get("description"), form.get("input_schema"))

    def write(self, reply: AIMessage, body: JsonObject, number: int) -> JsonObject:
        text: list[JsonObject] = [{"type": "text", "text": reply.text}] if reply.text else []
        calls = [
            {"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["args"]}
            for call in reply.tool_calls
        ]
        facts = reply.response_metadata
        ended = "stop_sequence" if facts.get("stop_reason") == "stop_sequence" else "end_turn"
        return {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model") or "",
            "content": text + calls,
            "stop_reason": "tool_use" if calls else ended,
            "stop_sequence": facts.get("stop_sequence"),
            "usage": self._usage(reply),
        }

    def _usage(self, reply: AIMessage) -> JsonObject:
        """Return the usage as the protocol states it. Tokens read from or written to the cache are not part of the input."""
        used = reply.usage_metadata
        if used is None:
            return {"input_tokens": 0, "output_tokens": 0}
        read, made = _cached(reply)
        return {
            "input_tokens": max(0, used["input_tokens"] - read - made),
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": made,
            "output_tokens": used["output_tokens"],
        }

    def stream(self, reply: AIMessage, body: JsonObject, number: int) -> str:
        whole = self.write(reply, body, number)
        events: list[Event] = [("message_start", {"message": {**whole, "content": [], "stop_reason": None}})]
        for index, block in enumerate(whole["content"]):
            if block["type"] == "text":
                empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
            else:
                given = json.dumps(block["input"], ensure_ascii=False)
                empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": given}
            events += [
                ("content_block_start", {"index": index, "content_block": empty}),
                ("content_block_delta", {"index": index, "delta": delta}),
                ("content_block_stop", {"index": index}),
            ]
        ending = {"stop_reason": whole["stop_reason"], "stop_sequence": whole["stop_sequence"]}
        events += [("message_delta", {"delta": ending, "usage": whole["usage"]}), ("message_stop", {})]
        return "".join(
            f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n" for name, data in events
        )

    def failed(self, kind: str, message: str) -> JsonObject:
        return {"type": "error", "error": {"type": "invalid_request_error", "message": f"{kind}: {message}"}}


chat, responses, messages = _Chat(), _Responses(), _Messages()
PROTOCOLS: tuple[Protocol, ...] = (chat, responses, messages)
