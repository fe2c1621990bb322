"""Tracing spans of a run: one for each unit, call of a model and call of a tool."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, TypedDict
from urllib.parse import urlsplit

from drr.env.errors import Misuse
from drr.env.plugins import extras, merged

if TYPE_CHECKING:
    from drr.agents.base import AnswerRecord, Listener
    from drr.llm.factory import Models
    from drr.llm.meter import SeenCall
    from drr.llm.secrets import Redactor
    from drr.study.unit import Unit

Attributes = dict[str, Any]
_PATH = "/v1/traces"


class SpanTerms(TypedDict):
    """The address that spans are sent to, and whether they hold texts, as plain data. Each worker opens its own spans.
    Headers, which may be secret, come from `OTEL_EXPORTER_OTLP_HEADERS` of each process."""

    endpoint: str
    text: bool


def _recorders() -> dict[str, Callable[[SpanTerms, Redactor], Spans]]:
    return merged(extra.spans for extra in extras())


def span_terms(endpoint: str | None, *, text: bool) -> SpanTerms | None:
    if endpoint is None:
        if text:
            raise Misuse("--otel-text: says what spans hold; give --otel ENDPOINT too")
        return None
    if "otel" not in _recorders():
        raise Misuse("--otel: the extra `otel` is not here; leave it out")
    try:
        parts = urlsplit(endpoint)
        wrong = parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0
    except ValueError:
        wrong = True
    if wrong or "@" in parts.netloc or parts.query or parts.fragment:
        raise Misuse(
            "--otel: not the address of a collector, such as http://127.0.0.1:4318"
            " (it is not shown; a token belongs in OTEL_EXPORTER_OTLP_HEADERS)"
        )
    return {
        "endpoint": endpoint if parts.path.endswith(_PATH) else endpoint.rstrip("/") + _PATH,
        "text": text,
    }


class Spans:
    """The interface of spans; this base class, for a run that is not traced, does nothing."""

    @contextmanager
    def unit(self, name: str, attributes: Attributes) -> Iterator[None]:
        """Enclose the work on one unit in a span; calls inside, in whatever task, become its children."""
        yield

    def called(self, call: SeenCall) -> None:
        """Record a call of a model that ended."""

    def heard_by(self, listener: Listener) -> Listener:
        """Return a listener that passes events on and records tool calls that ended."""
        return listener

    def answered(self, record: AnswerRecord) -> AnswerRecord:
        """Record the answer in the span of its unit, and return it."""
        return record

    def close(self) -> None:
        """Send the spans that were not sent yet."""


NO_SPANS = Spans()


@contextmanager
def spans_of(terms: SpanTerms | None, models: Models) -> Iterator[Spans]:
    """Yield the spans of a run, which record every call of these models, and close them at the end."""
    if terms is None:
        yield NO_SPANS
        return
    spans = _recorders()["otel"](terms, models.redact)
    models.watched_by(spans)
    try:
        yield spans
    finally:
        spans.close()


def answer_span(spans: Spans, spec: Mapping[str, Any]) -> AbstractContextManager[None]:
    """Return the span around the work on one answer."""
    attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": spec["variant"],
        "drr.query_id": spec["query_id"],
        "drr.trial": spec["trial"],
    }
    return spans.unit(f"invoke_agent {spec['variant']}", attributes)


def judgement_span(spans: Spans, unit: Unit) -> AbstractContextManager[None]:
    """Return the span around the work on one judgement; its attribute `drr.unit` is the key for `drr study trace`."""
    fields = unit.key_fields
    attributes = {f"drr.{name}": fields[name] for name in ("task", "protocol", "repeat") if name in fields}
    return spans.unit(f"judge {unit.spec['task']}", {**attributes, "drr.unit": unit.key})
