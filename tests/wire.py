"""A local server that speaks the wire protocols of Anthropic (messages) and OpenAI (chat completions), faults included.

    with Wire(lambda request: Say("hello")) as wire:
        chat = chat_model("anthropic:claude-sonnet-5-5", base_url=wire.url)

With a `Pace` it is as slow as a small machine. A script is a function of the request (`request.number` counts from 0), or a list of replies given in turn.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import takewhile
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
    """A message: text and calls of tools as (name, arguments), which some models do not write as an object."""

    text: str = ""
    calls: Sequence[tuple[str, Any]] = ()
    stop_reason: str | None = None
    usage: Mapping[str, int] = field(default_factory=dict)
    short_end: bool = False
    """The last event of a stream tells the output's tokens alone; its first has told the input's."""
    thinking: bool = False
    paced: bool = False
    """Streamed a token at a time."""

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


LOOKING = {
    "product_catalog_search": {"query": "cedar bird house"},
    "launch_researcher": {"sub_problem": "What is one and one?"},
    "search_pages": {"task": "What is one and one?"},
    "web_search": {"query": "one and one"},
}
"""A call of each tool that looks up, or has others look up."""


def looked(request: Request, text: str, **more: Any) -> Say:
    """An agent that looks something up once and then says this: without any research there would be no answer."""
    bound = [tool.get("function", tool)["name"] for tool in request.body.get("tools") or ()]
    known = any(message["role"] == "assistant" for message in request.body["messages"])
    first = next((name for name in LOOKING if name in bound), None)
    if first and not known:
        return Say(calls=[(first, LOOKING[first])], **more)
    return Say(text, **more)


@dataclass(frozen=True)
class Pace:
    """The speed of a small machine: tokens a second that it reads and writes, and the answers it works on at once."""

    writes: float = 10.0
    reads: float = 1e9
    slots: int = 1
    cached: bool = True
    """A prompt that goes on from one that was read is read from there."""


class PrefixCache:
    """What a provider keeps of prompts once they were answered, a token for four characters.

    Anthropic reads and writes the blocks up to a mark (`cache_control`), OpenAI reads what any earlier prompt began with; neither keeps less
    than 1,024 tokens.
    """

    LEAST, STEP = 1024, 128

    def __init__(self) -> None:
        self._kept: dict[str, None] = {}

    def usage(self, request: Request) -> dict[str, int]:
        blocks = _blocks(request.body)
        ends = list(itertools.accumulate(text for text, _ in blocks))
        whole = len(ends[-1]) // 4
        if "chat/completions" in request.path:
            alike = max((_alike(ends[-1], one) for one in self._kept), default=0)
            read = alike // 4 // self.STEP * self.STEP
            return {"input_tokens": whole, "cached_tokens": read if read >= self.LEAST else 0}
        marked = [
            end for end, (_, mark) in zip(ends, blocks, strict=True) if mark and len(end) // 4 >= self.LEAST
        ]
        read = max((len(end) // 4 for end in ends if end in self._kept), default=0) if marked else 0
        written = max([len(marked[-1]) // 4 - read, 0]) if marked else 0
        return {
            "input_tokens": whole - read - written, "cache_read_input_tokens": read,
            "cache_creation_input_tokens": written,
        }  # fmt: skip

    def keep(self, request: Request) -> None:
        blocks = _blocks(request.body)
        ends = itertools.accumulate(text for text, _ in blocks)
        every = "chat/completions" in request.path
        self._kept |= {end: None for end, (_, mark) in zip(ends, blocks, strict=True) if mark or every}


def _alike(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other)))


def _blocks(body: Mapping[str, Any]) -> list[tuple[str, bool]]:
    """A prompt as a provider reads it, block by block, and whether a mark is behind each: the form and tools first, then the messages."""
    form = json.dumps([body.get(name) for name in ("tools", "output_config", "response_format")])
    found = [(form, False)]
    for content in (body.get("system") or "", *(message["content"] for message in body["messages"])):
        for block in [{"text": content}] if isinstance(content, str) else content or ():
            found.append((block.get("text") or json.dumps(block), "cache_control" in block))
    if "cache_control" in body:
        found[-1] = (found[-1][0], True)
    return found


Reply = Say | Fail | Cut | EndEarly | ErrorEvent | Garbage | Hang
Script = Callable[[Request], Reply] | Sequence[Reply]


class Wire:
    """Serves a script on a loopback port; `requests` keeps what arrived, in order. `pages` is what a GET is given."""

    def __init__(
        self,
        script: Script,
        *,
        pace: Pace | None = None,
        pages: Mapping[str, object] | None = None,
        cache: PrefixCache | None = None,
        port: int = 0,
    ) -> None:
        self.requests: list[Request] = []
        self.most_at_once = self._at_once = 0
        self._pace, self._read, self._cache = pace, "", cache
        self._slots = threading.Semaphore(1_000 if pace is None else pace.slots)
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

            def do_GET(self) -> None:
                page = (pages or {}).get(self.path)
                _send(self, 404 if page is None else 200, json.dumps(page))

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with outer._lock:
                    request = Request(len(outer.requests), self.path, dict(self.headers.items()), body)
                    outer.requests.append(request)
                    outer._at_once += 1
                    outer.most_at_once = max(outer.most_at_once, outer._at_once)
                    used = {} if outer._cache is None else outer._cache.usage(request)
                try:
                    with outer._slots:
                        outer._answer(self, request, outer._script(request), used)
                finally:
                    with outer._lock:
                        outer._at_once -= 1

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 1024

            def handle_error(self, request: Any, client_address: Any) -> None:
                pass  # clients that give up are what is being tested

        self._server = Server(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Wire:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()

    def _answer(
        self, handler: BaseHTTPRequestHandler, request: Request, reply: Reply, used: Mapping[str, int]
    ) -> None:
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
        if self._cache is not None:
            with self._lock:
                said = replace(said, usage={"output_tokens": len(said.text) // 4 + 1, **used, **said.usage})
                self._cache.keep(request)
        make = _openai if openai else _anthropic
        content_type = "text/event-stream" if request.streaming else "application/json"
        if self._pace is not None:
            self._at_pace(handler, request, make(request, _with_usage(request, said), reply), content_type)
            return
        _send(
            handler, 200, "".join(make(request, said, reply)), content_type=content_type,
            cut=reply.after if isinstance(reply, Cut) else None,
        )  # fmt: skip

    def _at_pace(
        self, handler: BaseHTTPRequestHandler, request: Request, parts: Sequence[str], content_type: str
    ) -> None:
        """An answer as a small machine gives it, a token at a time where it is streamed."""
        pace = self._pace or Pace()
        prompt, each = _prompt(request), 1 / pace.writes
        known = _alike(prompt, self._read)
        self._read = prompt
        wait = (len(prompt) - known * pace.cached) / 4 / pace.reads
        if not request.streaming:
            wait += each * len(_tokens("".join(parts)))
        self._closing.wait(wait)
        handler.send_response(200)
        handler.send_header("content-type", content_type)
        handler.send_header("connection", "close")
        handler.end_headers()
        for part in parts:
            if request.streaming and self._closing.wait(each):
                break
            handler.wfile.write(part.encode())
            handler.wfile.flush()
        handler.close_connection = True


def _prompt(request: Request) -> str:
    return json.dumps([request.body.get("tools"), request.body["messages"]])


def _tokens(text: str) -> list[str]:
    return re.findall(r"\s*\S{1,6}", text) or [text]


def _with_usage(request: Request, said: Say) -> Say:
    """The answer with the tokens that it took."""
    written = _tokens(said.text + "".join(json.dumps(arguments) for _, arguments in said.calls))
    read = len(_prompt(request)) // 4
    return replace(
        said, usage={"input_tokens": read, "output_tokens": len(written), **said.usage}, paced=True
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


def _events(events: Sequence[tuple[str, dict[str, Any]]]) -> list[str]:
    return [f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n" for name, data in events]


def _anthropic(request: Request, said: Say, reply: Reply) -> list[str]:
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
        "usage": usage,
    }
    if not request.streaming:
        return [json.dumps(message)]
    events: list[tuple[str, dict[str, Any]]] = [
        ("message_start", {"message": {**message, "content": [], "stop_reason": None}})
    ]
    for index, block in enumerate(blocks):
        empty, deltas = _streamed(block, said.paced)
        events.append(("content_block_start", {"index": index, "content_block": empty}))
        events += [("content_block_delta", {"index": index, "delta": delta}) for delta in deltas]
        events.append(("content_block_stop", {"index": index}))
    if isinstance(reply, ErrorEvent):
        error = {"error": {"type": reply.kind, "message": reply.message}}
        return _events([*events[:2], ("error", error)])
    if not isinstance(reply, EndEarly):
        delta, used = {"stop_reason": said.reason, "stop_sequence": None}, message["usage"]
        if said.short_end:
            used = {"output_tokens": used["output_tokens"]}
        events += [("message_delta", {"delta": delta, "usage": used}), ("message_stop", {})]
    return _events(events)


def _streamed(block: dict[str, Any], paced: bool) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    if block["type"] == "tool_use":
        parts = _tokens(json.dumps(block["input"])) if paced else [json.dumps(block["input"])]
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": part} for part in parts]
    if block["type"] == "thinking":
        return {**block, "signature": ""}, [{"type": "signature_delta", "signature": block["signature"]}]
    parts = _tokens(block["text"]) if paced else [block["text"]]
    return {"type": "text", "text": ""}, [{"type": "text_delta", "text": part} for part in parts]


def _openai(request: Request, said: Say, reply: Reply) -> list[str]:
    reasons = {
        "tool_use": "tool_calls", "end_turn": "stop", "max_tokens": "length", "refusal": "content_filter",
    }  # fmt: skip
    reason = None if isinstance(reply, EndEarly) else reasons.get(said.reason, said.reason)
    made = [{"name": name, "arguments": json.dumps(arguments)} for name, arguments in said.calls]
    calls = [
        {"index": n, "id": f"call_{request.number}_{n}", "type": "function", "function": function}
        for n, function in enumerate(made)
    ]
    read, written = said.usage.get("input_tokens", 100), said.usage.get("output_tokens", 20)
    usage: dict[str, Any] = {
        "prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written,
    }  # fmt: skip
    if "cached_tokens" in said.usage:
        usage["prompt_tokens_details"] = {"cached_tokens": said.usage["cached_tokens"]}
    base = {"id": f"chatcmpl-{request.number}", "created": 0, "model": request.body["model"]}
    message: dict[str, Any] = {"role": "assistant", "content": said.text or None}
    if calls:
        message["tool_calls"] = calls
    if not request.streaming:
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return [json.dumps({**base, "object": "chat.completion", "choices": [choice], "usage": usage})]
    parts = _tokens(said.text) if said.paced and said.text else []
    deltas = [{"content": part} for part in parts[:-1]] + [
        {**message, "content": parts[-1]} if parts else message
    ]
    chunks = [
        *({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas),
        {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
        {"choices": [], "usage": usage},
    ]
    lines = [
        f"data: {json.dumps({**base, 'object': 'chat.completion.chunk', **chunk})}\n\n" for chunk in chunks
    ]
    return lines if isinstance(reply, EndEarly) else [*lines, "data: [DONE]\n\n"]


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
