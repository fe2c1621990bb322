"""Exports a run as OpenTelemetry spans by the GenAI conventions: one for each unit, model call and tool call.

Texts are sent only on request, and redacted like all stored texts. A collector that does not answer
does not affect the run: unsent spans are counted and reported at the end.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from drr.env.errors import Misuse
from drr.env.installation import install
from drr.env.json_object import JsonObject
from drr.llm.meter import dollars
from drr.llm.names import parse_name
from drr.plugin import Spans, SpanTerms

if TYPE_CHECKING:
    from drr.agents.base import AnswerRecord, Event, Listener, ToolCall
    from drr.llm.meter import SeenCall
    from drr.llm.secrets import Redactor
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

_FLUSH_MS = 10_000


class OtelSpans(Spans):
    def __init__(self, terms: SpanTerms, redact: Redactor) -> None:
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
        except ImportError as missing:
            raise Misuse(
                f"--otel needs packages that are not installed ({missing.name}): {install('otel')}"
            ) from None
        from importlib.metadata import version

        from drr.llm.calls import no_proxy_for_this_machine

        no_proxy_for_this_machine(terms["endpoint"])
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)  # losses are reported once
        self._terms, self._redact = terms, redact
        self._exporter = _Counted(OTLPSpanExporter(endpoint=terms["endpoint"], timeout=10))
        resource = Resource.create({"service.name": "drr", "service.version": version("deepresearch-retail")})
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(
            BatchSpanProcessor(cast("SpanExporter", self._exporter), max_queue_size=1 << 16)
        )
        self._tracer = self._provider.get_tracer("drr")

    @contextmanager
    def unit(self, name: str, attributes: JsonObject) -> Iterator[None]:
        from opentelemetry.trace import Status, StatusCode

        with self._tracer.start_as_current_span(
            name,
            attributes=attributes,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield
            except BaseException as error:
                named = getattr(error, "kind", None)
                kind = named if isinstance(named, str) else type(error).__name__
                span.set_attribute("error.type", kind)
                span.set_status(Status(StatusCode.ERROR, kind))
                raise

    def called(self, call: SeenCall) -> None:
        from opentelemetry.trace import SpanKind

        attributes = call_attributes(call)
        if self._terms["text"]:
            messages = [{"role": one.type, "content": one.text} for one in call.messages]
            attributes["gen_ai.input.messages"] = self._redact(json.dumps(messages))
            if call.answer is not None:
                answer = [{"role": "assistant", "content": call.answer.text}]
                attributes["gen_ai.output.messages"] = self._redact(json.dumps(answer))
        self._export_span(f"chat {call.model}", SpanKind.CLIENT, attributes, call.seconds, call.failure)

    def heard_by(self, listener: Listener) -> Listener:
        def heard(event: Event) -> None:
            if event.call is not None:
                self._tool(event.call)
            listener(event)

        return heard

    def answered(self, record: AnswerRecord) -> AnswerRecord:
        from opentelemetry.trace import get_current_span

        if not self._terms["text"]:
            return record
        form = "" if record.form is None else f"\n```form\n{record.form}\n```\n"
        sides = (("input", "user", record.query), ("output", "assistant", record.report + form))
        messages = {
            f"gen_ai.{side}.messages": [{"role": role, "parts": [{"type": "text", "content": text}]}]
            for side, role, text in sides
        }
        sources = [
            {"url": one.url, "type": one.type, "title": one.title, "seen": one.seen, "text": one.page, "status": one.page_status}
            for one in record.sources
        ]  # fmt: skip
        for name, value in {**messages, "drr.sources": sources}.items():
            get_current_span().set_attribute(name, self._redact(json.dumps(value)))
        if record.user_id is not None:
            get_current_span().set_attribute("user.id", record.user_id)
        return record

    def _tool(self, call: ToolCall) -> None:
        from opentelemetry.trace import SpanKind

        attributes: JsonObject = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call.name,
            "gen_ai.tool.type": "function",
            "drr.kind": call.kind,
        }
        if call.researcher is not None:
            attributes["drr.researcher"] = call.researcher
        if self._terms["text"]:
            attributes["gen_ai.tool.call.arguments"] = self._redact(json.dumps(call.arguments))
            attributes["gen_ai.tool.call.result"] = self._redact(call.result)
        kind = None if call.error is None else call.error.kind
        self._export_span(f"execute_tool {call.name}", SpanKind.INTERNAL, attributes, call.seconds, kind)

    def _export_span(
        self, name: str, kind: Any, attributes: JsonObject, seconds: float, failure: str | None
    ) -> None:
        """Export a span of work that has ended."""
        from opentelemetry.trace import Status, StatusCode

        end = time.time_ns()
        span = self._tracer.start_span(
            name, kind=kind, attributes=attributes, start_time=end - round(seconds * 1e9)
        )
        if failure is not None:
            span.set_attribute("error.type", failure)
            span.set_status(Status(StatusCode.ERROR, failure))
        span.end(end)

    def close(self) -> None:
        self._provider.force_flush(_FLUSH_MS)
        self._provider.shutdown()
        if self._exporter.lost:
            print(
                f"drr: --otel: {self._exporter.lost:,} of {self._exporter.lost + self._exporter.sent:,} spans could not be sent;"
                " the run itself is whole",
                file=sys.stderr,
            )


class _Counted:
    """An exporter that counts the spans sent and lost."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter
        self.sent = self.lost = 0

    def export(self, spans: Sequence[Any]) -> SpanExportResult:
        from opentelemetry.sdk.trace.export import SpanExportResult

        try:
            result = self._exporter.export(spans)
        except Exception:  # noqa: BLE001 - whatever a transport raises, the run goes on and the loss is counted
            result = SpanExportResult.FAILURE
        if result is SpanExportResult.SUCCESS:
            self.sent += len(spans)
        else:
            self.lost += len(spans)
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = _FLUSH_MS) -> bool:
        return bool(self._exporter.force_flush(timeout_millis))


def call_attributes(call: SeenCall) -> JsonObject:
    """Return the attributes of a model call. Unknown values are left out, because 0 tokens would be a value."""
    provider, name = parse_name(call.model)
    found: JsonObject = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": provider,
        "gen_ai.request.model": name or provider,
        "gen_ai.request.max_tokens": call.max_tokens,
        "drr.role": call.role,
    }
    if call.tokens is not None:
        found["gen_ai.usage.input_tokens"] = call.tokens.input
        found["gen_ai.usage.output_tokens"] = call.tokens.output
        found["gen_ai.usage.cache_read.input_tokens"] = call.tokens.cache_read
        found["gen_ai.usage.cache_creation.input_tokens"] = call.tokens.cache_write
    if call.cost is not None:
        found["drr.cost_usd"] = dollars(call.cost)
    response = {} if call.answer is None else call.answer.response_metadata
    if isinstance(model := response.get("model_name") or response.get("model"), str):
        found["gen_ai.response.model"] = model
    if isinstance(reason := response.get("stop_reason") or response.get("finish_reason"), str):
        found["gen_ai.response.finish_reasons"] = [reason]
    return found
