"""A local server that speaks the wire protocols of Anthropic (messages) and OpenAI (chat completions), faults included.

    with Wire(lambda request: Say("hello")) as wire:
        chat = chat_model("anthropic:claude-sonnet-5-5", base_url=wire.url)

A script is a function of the request (`request.number` counts from 0), or a list of replies given in turn.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from drr.llm.calls import Clock


@dataclass(frozen=True)
class Request:
    number: int
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def streaming(self) -> bool:
        return bool(self.body.get("stream"))


@dataclass(frozen=True)
class Say:
    """A message: text and calls of tools as (name, arguments)."""

    text: str = ""
    calls: Sequence[tuple[str, dict[str, Any]]] = ()
    stop_reason: str | None = None
    usage: Mapping[str, int] = field(default_factory=dict)
    no_usage: bool = False
    thinking: bool = False

    @property
    def reason(self) -> str:
        return self.stop_reason or ("tool_use" if self.calls else "end_turn")


@dataclass(frozen=True)
class Fail:
    """An HTTP error in the provider's form."""

    status: int
    kind: str = "api_error"
    message: str = "it failed"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Cut:
    """The connection closes after so many bytes of what `of` would have sent."""

    after: int = 150
    of: Say = field(default_factory=lambda: Say("a long enough answer to be cut in the middle of it"))


@dataclass(frozen=True)
class EndEarly:
    """The stream ends in good order before the message is over (a body without stop reason when not streaming)."""

    of: Say = field(default_factory=lambda: Say("half an answer"))


@dataclass(frozen=True)
class ErrorEvent:
    """An error told in the middle of a stream that began with status 200 (an HTTP error when not streaming)."""

    kind: str = "overloaded_error"
    status: int = 529
    message: str = "Overloaded"


@dataclass(frozen=True)
class Garbage:
    """A 200 whose body is no message."""

    body: str = "<html>not what you asked for</html>"
    content_type: str = "application/json"


@dataclass(frozen=True)
class Hang:
    """No answer for so long, unless the server closes first."""

    seconds: float = 30.0


def looked(request: Request, text: str, **more: Any) -> Say:
    """An agent that calls a tool once and then says this: without any research there would be no answer."""
    bound = [tool.get("function", tool)["name"] for tool in request.body.get("tools") or ()]
    known = any(message["role"] == "assistant" for message in request.body["messages"])
    if "calculator" in bound and not known:
        return Say(calls=[("calculator", {"expression": "1 + 1"})], **more)
    if "launch_researcher" in bound and not known:
        return Say(calls=[("launch_researcher", {"sub_problem": "What is one and one?"})], **more)
    return Say(text, **more)


Reply = Say | Fail | Cut | EndEarly | ErrorEvent | Garbage | Hang
Script = Callable[[Request], Reply] | Sequence[Reply]


class Wire:
    """Serves a script on a loopback port; `requests` keeps what arrived, in order."""

    def __init__(self, script: Script) -> None:
        self.requests: list[Request] = []
        self._script = script if callable(script) else _in_turn(script)
        self._closing = threading.Event()
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1
            disable_nagle_algorithm = True

            def log_message(self, *args: object) -> None:
                pass

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with outer._lock:
                    request = Request(len(outer.requests), self.path, dict(self.headers.items()), body)
                    outer.requests.append(request)
                outer._answer(self, request, outer._script(request))

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 1024

            def handle_error(self, request: Any, client_address: Any) -> None:
                pass  # clients that give up are what is being tested

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Wire:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, handler: BaseHTTPRequestHandler, request: Request, reply: Reply) -> None:
        openai = "chat/completions" in request.path
        if isinstance(reply, Hang):
            self._closing.wait(reply.seconds)
            handler.close_connection = True
            return
        if isinstance(reply, ErrorEvent) and not request.streaming:
            reply = Fail(reply.status, reply.kind, reply.message)
        if isinstance(reply, Fail):
            error = {"type": reply.kind, "message": reply.message}
            document = (
                {"error": {**error, "code": reply.kind}} if openai else {"type": "error", "error": error}
            )
            _send(handler, reply.status, json.dumps(document), headers=reply.headers)
            return
        if isinstance(reply, Garbage):
            _send(handler, 200, reply.body, content_type=reply.content_type)
            return
        said = reply if isinstance(reply, Say) else getattr(reply, "of", Say("so far so good"))
        make = _openai if openai else _anthropic
        text = make(request, said, reply)
        content_type = "text/event-stream" if request.streaming else "application/json"
        _send(
            handler, 200, text, content_type=content_type, cut=reply.after if isinstance(reply, Cut) else None
        )


def _in_turn(replies: Sequence[Reply]) -> Callable[[Request], Reply]:
    left = iter(replies)
    return lambda request: next(left, Fail(500, "api_error", "the script has no reply left"))


def _send(
    handler: BaseHTTPRequestHandler,
    status: int,
    text: str,
    *,
    content_type: str = "application/json",
    headers: Mapping[str, str] | None = None,
    cut: int | None = None,
) -> None:
    data = text.encode()
    handler.send_response(status)
    handler.send_header("content-type", content_type)
    handler.send_header("content-length", str(len(data)))
    for name, value in (headers or {}).items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(data[:cut])
    handler.wfile.flush()
    handler.close_connection = cut is not None


def _events(events: Sequence[tuple[str, dict[str, Any]]]) -> str:
    return "".join(f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n" for name, data in events)


def _anthropic(request: Request, said: Say, reply: Reply) -> str:
    blocks: list[dict[str, Any]] = []
    if said.thinking:
        blocks.append({"type": "thinking", "thinking": "", "signature": "c2lnbmVk"})
    if said.text:
        blocks.append({"type": "text", "text": said.text})
    blocks += [
        {"type": "tool_use", "id": f"toolu_{request.number}_{n}", "name": name, "input": arguments}
        for n, (name, arguments) in enumerate(said.calls)
    ]
    usage = {"input_tokens": 100, "output_tokens": 20, **said.usage}
    message: dict[str, Any] = {
        "id": f"msg_{request.number}",
        "type": "message",
        "role": "assistant",
        "model": request.body["model"],
        "content": blocks,
        "stop_reason": None if isinstance(reply, EndEarly) else said.reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0} if said.no_usage else usage,
    }
    if not request.streaming:
        return json.dumps(message)
    events: list[tuple[str, dict[str, Any]]] = [
        ("message_start", {"message": {**message, "content": [], "stop_reason": None}})
    ]
    for index, block in enumerate(blocks):
        empty, delta = _streamed(block)
        events.append(("content_block_start", {"index": index, "content_block": empty}))
        events.append(("content_block_delta", {"index": index, "delta": delta}))
        events.append(("content_block_stop", {"index": index}))
    if isinstance(reply, ErrorEvent):
        error = {"error": {"type": reply.kind, "message": reply.message}}
        return _events([*events[:2], ("error", error)])
    if not isinstance(reply, EndEarly):
        delta = {"stop_reason": said.reason, "stop_sequence": None}
        events += [("message_delta", {"delta": delta, "usage": message["usage"]}), ("message_stop", {})]
    return _events(events)


def _streamed(block: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    if block["type"] == "tool_use":
        return {**block, "input": {}}, {
            "type": "input_json_delta",
            "partial_json": json.dumps(block["input"]),
        }
    if block["type"] == "thinking":
        return {**block, "signature": ""}, {"type": "signature_delta", "signature": block["signature"]}
    return {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}


def _openai(request: Request, said: Say, reply: Reply) -> str:
    reasons = {
        "tool_use": "tool_calls", "end_turn": "stop", "max_tokens": "length", "refusal": "content_filter",
    }  # fmt: skip
    reason = None if isinstance(reply, EndEarly) else reasons.get(said.reason, said.reason)
    calls = [
        {
            "index": n,
            "id": f"call_{request.number}_{n}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for n, (name, arguments) in enumerate(said.calls)
    ]
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    base = {"id": f"chatcmpl-{request.number}", "created": 0, "model": request.body["model"]}
    message: dict[str, Any] = {"role": "assistant", "content": said.text or None}
    if calls:
        message["tool_calls"] = calls
    if not request.streaming:
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return json.dumps({**base, "object": "chat.completion", "choices": [choice], "usage": usage})
    chunks = [
        {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
        {"choices": [], "usage": usage},
    ]
    text = "".join(
        f"data: {json.dumps({**base, 'object': 'chat.completion.chunk', **chunk})}\n\n" for chunk in chunks
    )
    return text if isinstance(reply, EndEarly) else text + "data: [DONE]\n\n"


class FastClock:
    """A clock whose waits take no time; `slept` keeps how long they would have taken."""

    def __init__(self, chance: float = 0.5) -> None:
        self.slept: list[float] = []
        self._skipped = 0.0
        self._chances = itertools.repeat(chance)
        self.clock = Clock(now=self._now, sleep=self._sleep, chance=lambda: next(self._chances))

    def _now(self) -> float:
        return time.monotonic() + self._skipped

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._skipped += seconds
        await asyncio.sleep(0)
