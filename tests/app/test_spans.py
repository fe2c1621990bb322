"""Spans of a run at a local collector: one for each call, nothing unknown as a number, no text and no secret unless asked, never a secret."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from drr.app.cli import main
from drr.app.study.spans import span_terms
from drr.env.errors import Misuse
from drr.extras.otel.spans import call_attributes
from drr.llm.meter import SeenCall, Tokens
from langchain_core.messages import AIMessage

from tests.commands import Drr
from tests.wire import Say, Wire

WITH_OTEL = find_spec("opentelemetry") is not None and find_spec("opentelemetry.exporter") is not None
WITH_PACKAGES = pytest.mark.skipif(not WITH_OTEL, reason="the extra otel is not installed")
KEY = "sk-ant-planted-0123456789"


def call(**more: Any) -> SeenCall:
    said = {"stop_reason": "end_turn", "model": "claude-x-1"}
    given: dict[str, Any] = {
        "role": "agent", "model": "anthropic:claude-x", "max_tokens": 100, "seconds": 1.0, "messages": [],
        "answer": AIMessage("secret words", response_metadata=said), "tokens": Tokens(7, 3, cache_read=2), "cost": 5 * 10**11,
        "failure": None,
    }  # fmt: skip
    return SeenCall(**(given | more))


def test_a_call_is_told_by_the_conventions_without_text_or_what_is_unknown() -> None:
    found = call_attributes(call())
    assert found["gen_ai.provider.name"] == "anthropic"
    assert (found["gen_ai.request.model"], found["gen_ai.response.model"]) == ("claude-x", "claude-x-1")
    assert (found["gen_ai.usage.input_tokens"], found["gen_ai.usage.output_tokens"]) == (7, 3)
    assert found["gen_ai.response.finish_reasons"] == ["end_turn"]
    assert found["drr.cost_usd"] == 0.5
    assert "secret words" not in str(found)
    found = call_attributes(call(answer=None, tokens=None, cost=None, failure="timeout"))
    assert not [name for name in found if name.startswith("gen_ai.usage")]
    assert "drr.cost_usd" not in found


@pytest.mark.parametrize(
    "endpoint",
    ["127.0.0.1:4318", "ftp://x", "http://user:pass@host:4318", "http://host?token=x", "http://[x"],
)
def test_what_is_no_collector_is_misuse_and_not_shown(endpoint: str) -> None:
    with pytest.raises(Misuse, match="not the address of a collector") as caught:
        span_terms(endpoint, text=False)
    assert "pass" not in str(caught.value).replace("password", "")


def test_what_is_no_collector_is_misuse_and_terms_are_plain() -> None:
    assert span_terms(None, text=False) is None
    assert span_terms("http://h:4318/", text=True) == {"endpoint": "http://h:4318/v1/traces", "text": True}
    assert span_terms("http://h/x/v1/traces", text=False) == {
        "endpoint": "http://h/x/v1/traces",
        "text": False,
    }
    with pytest.raises(Misuse, match="--otel-text"):
        span_terms(None, text=True)


@contextmanager
def collecting(status: int = 200) -> Iterator[tuple[str, list[bytes]]]:
    bodies: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            import gzip

            body = self.rfile.read(int(self.headers["Content-Length"]))
            bodies.append(gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body)
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", bodies
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def spans_in(bodies: list[bytes]) -> list[Any]:
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    found = []
    for body in bodies:
        request = ExportTraceServiceRequest()
        request.ParseFromString(body)
        found += [span for r in request.resource_spans for s in r.scope_spans for span in s.spans]
    return found


def asked(shop: Path, user: str, url: str, wire: str, *more: str) -> list[str]:
    words = ["ask", "Which feeder?", "--shop", str(shop), "--user", user, "--variant", "react", "--quiet"]
    return [*words, "--model", "anthropic:claude-sonnet-5-5", "--base-url", wire, "--otel", url, *more]


def script(request: Any) -> Say:
    if request.number == 0:
        return Say(
            calls=[("product_catalog_search", {"query": f"feeder {KEY}"})],
            usage={"input_tokens": 11, "output_tokens": 4},
        )
    return Say(f"A feeder: words of the answer {KEY}.", usage={"input_tokens": 21, "output_tokens": 6})


@WITH_PACKAGES
@pytest.mark.parametrize("text", [False, True])
def test_a_run_is_one_trace(
    judged_study: Path, monkeypatch: pytest.MonkeyPatch, text: bool, drr: Drr
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=planted-token-9876")
    shop = judged_study.parent / "shop"
    user = json.loads((judged_study.parent / "queries.jsonl").read_text("utf-8").splitlines()[0])["user_id"]
    with collecting() as (url, bodies), Wire(script) as wire:
        drr(*asked(shop, user, url, wire.url, *(["--otel-text"] if text else [])))
    spans = spans_in(bodies)
    names = [span.name for span in spans]
    unit = next(span for span in spans if span.name == "invoke_agent react")
    chats = [span for span in spans if span.name.startswith("chat ")]
    assert len(chats) == len(wire.requests)
    assert names.count("execute_tool product_catalog_search") == 1
    assert {span.trace_id for span in spans} == {unit.trace_id}
    assert {span.parent_span_id for span in spans if span is not unit} == {unit.span_id}
    everything = b"".join(bodies)
    assert KEY.encode() not in everything and b"planted-token" not in everything
    assert (b"words of the answer" in everything) is text


@WITH_PACKAGES
def test_a_failing_collector_changes_nothing(judged_study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shop = judged_study.parent / "shop"
    user = json.loads((judged_study.parent / "queries.jsonl").read_text("utf-8").splitlines()[0])["user_id"]
    with collecting(400) as (url, _):
        words = ["ask", "Which feeder?", "--shop", str(shop), "--user", user, "--quiet"]
        assert main([*words, "--otel", url]) == 0
    captured = capsys.readouterr()
    assert "spans could not be sent; the run itself is whole" in captured.err
    assert captured.out.startswith(("#", ">"))
    assert "Traceback" not in captured.err


@WITH_PACKAGES
def test_a_judging_is_a_span_for_each_judgement_with_its_calls(
    judged_study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, drr: Drr
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    shutil.copytree(judged_study, tmp_path / "study")
    words = [
        "judge",
        str(tmp_path / "study"),
        "--judge",
        "offline",
        "--what",
        "quality",
        "--limit",
        "1",
        "--quiet",
        "--json",
    ]
    with collecting() as (url, bodies), Wire(lambda request: Say(f"no grades {KEY}")) as wire:
        drr(*words, "--judge", "anthropic:claude-sonnet-5-5", "--base-url", wire.url, "--otel", url)
    spans = spans_in(bodies)
    unit = next(span for span in spans if span.name.startswith("judge "))
    told = {one.key: one.value.string_value for one in unit.attributes}
    chats = [span for span in spans if span.name.startswith("chat ")]
    assert len(chats) == len(wire.requests) > 0
    assert {span.parent_span_id for span in chats} == {unit.span_id}
    assert told["drr.task"] == "rating" and told["error.type"] == "malformed"
    drr.out("study", "trace", tmp_path / "study", told["drr.unit"])
    assert KEY.encode() not in b"".join(bodies)
