"""Reads OpenTelemetry's spans (OTLP as JSON): GenAI conventions, their older names, and those of OpenInference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, takewhile
from typing import Any

from drr.env.json_object import JsonObject
from drr.eval.foreign.traces import (
    Trace,
    TraceObject,
    call_of,
    json_or_text,
    left_out,
    summed_usage,
    text_of,
    wrong_number,
)
from drr.eval.stats.question import grouped

_KINDS = {
    "invoke_agent": "agent", "agent": "agent", "chat": "llm", "text_completion": "llm", "generate_content": "llm", "llm": "llm",
    "execute_tool": "tool", "tool": "tool", "retrieval": "tool", "retriever": "tool",
}  # fmt: skip
_USED = {
    "input_tokens": ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"),
    "output_tokens": ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion"),
    "cache_read_tokens": ("gen_ai.usage.cache_read.input_tokens", "llm.token_count.prompt_details.cache_read"),
    "cache_write_tokens": ("gen_ai.usage.cache_creation.input_tokens", "llm.token_count.prompt_details.cache_write"),
    "cost_usd": ("drr.cost_usd", "llm.cost.total"),
}  # fmt: skip
_MODEL = ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name")
_TALK = ("gen_ai.conversation.id", "session.id")
_USER = ("user.id", "enduser.id")
_NAMING = ("gen_ai.operation.name", "openinference.span.kind", "gen_ai.tool.name", "tool.name")
_INPUT, _OUTPUT = "input", "output"


@dataclass(frozen=True)
class TraceSpan:
    trace: str
    id: str
    parent: str
    name: str
    start: Any
    failed: bool
    service: str | None
    attributes: Mapping[str, Any]
    """Values by name; texts of JSON are as they came."""
    left_out: bool = False

    @property
    def kind(self) -> str | None:
        named = self.attributes.get("gen_ai.operation.name") or self.attributes.get("openinference.span.kind")
        kind = _KINDS.get(str(named).lower())
        return kind or ("llm" if self.first(_USED["input_tokens"]) is not None else None)

    @property
    def used(self) -> JsonObject:
        return {name: self.first(names) for name, names in _USED.items()}

    @property
    def wrong(self) -> str | None:
        numbers = {**self.used, "start": self.start, "trial": self.attributes.get("drr.trial")}
        return wrong_number(f"span {self.id or self.name}", numbers)

    @property
    def emptied(self) -> TraceSpan:
        """Return the span with its place and name alone. A tool's call still counts, but tells no result."""
        naming = {name: self.attributes[name] for name in _NAMING if name in self.attributes}
        return replace(self, start=0, attributes=naming, left_out=True)

    def first(self, names: Sequence[str]) -> Any:
        return next(
            (self.attributes[name] for name in names if self.attributes.get(name) not in (None, "")), None
        )

    def messages(self, side: str) -> list[tuple[str, str]]:
        """Return role and text of the messages that went in, or came out."""
        given = json_or_text(self.attributes.get(f"gen_ai.{side}.messages"))
        rows = (
            given
            if isinstance(given, list)
            else [*_flat(self.attributes, f"llm.{side}_messages.", "message.")]
        )
        if not rows:
            old = "gen_ai.prompt." if side == _INPUT else "gen_ai.completion."
            rows = [*_flat(self.attributes, old, "")]
        return [
            (str(row.get("role")), text_of(row.get("parts") or row.get("content")))
            for row in rows
            if isinstance(row, dict)
        ]

    def text(self, side: str, role: str) -> str:
        """Return the last text of a role, else the span's plain input or output."""
        texts = [text for one, text in self.messages(side) if one == role and text.strip()]
        if texts:
            return texts[-1]
        value = json_or_text(self.attributes.get(f"{side}.value"))
        for name in ("query", "question", "input", "output", "answer", "content"):
            value = value.get(name, value) if isinstance(value, dict) else value
        return value if isinstance(value, str) else ""


def read(objects: Sequence[TraceObject]) -> Iterator[Trace]:
    """Yield each trace of the spans, which may come in any order and in several files."""
    spans: list[TraceSpan] = []
    for where, found in objects:
        own = list(_spans(found))
        if not own:
            yield Trace(where, "holds no `resourceSpans` with spans; export the trace as OTLP in JSON")
        spans += own
    for name, members in grouped((one.trace, one) for one in spans).items():
        checked = [(one, one.wrong) for one in members]
        if wrong := [why for _, why in checked if why]:
            yield Trace(f"trace {name}", left_out("span", wrong))
            if any(why and (one.kind == "agent" or not one.parent) for one, why in checked):
                continue  # it says who was asked what
        sound = [one.emptied if why else one for one, why in checked]
        if any(one.kind for one in sound):
            fields = _conversation(name, sorted(sound, key=lambda one: one.start))
            if wrong and isinstance(fields, dict):
                fields["logged"] = {"usage": {}}  # a sum without a part is no sum
            yield Trace(f"trace {name}", fields)


def _conversation(name: str, spans: Sequence[TraceSpan]) -> JsonObject | str:
    known = {one.id for one in spans}
    tops = [one for one in spans if one.parent not in known or one.parent == one.id]
    agents = [one for one in tops if one.kind == "agent"]
    talks = {str(talk) for one in spans if (talk := one.first(_TALK)) is not None}
    if len(talks) > 1 or len(agents) > 1:
        return f"holds {max(len(talks), len(agents))} conversations; give each a trace of its own"
    top = next(iter(agents or (tops if len(tops) == 1 else ())), None)
    models = [one for one in spans if one.kind == "llm"]
    asked = next((text for one in [*filter(None, [top]), *models] if (text := one.text(_INPUT, "user"))), "")
    report = next(
        (text for one in [*filter(None, [top]), *models[-1:]] if (text := one.text(_OUTPUT, "assistant"))), ""
    )
    if not asked.strip():
        return "holds no question; record what is said (`gen_ai.input.messages`, `input.value`)"
    if not report.strip():
        return (
            "holds no report; the trace was cut, or does not record what is said (`gen_ai.output.messages`)"
        )
    first = top or spans[0]
    user = next((str(found) for one in [first, *spans] if (found := one.first(_USER)) is not None), None)
    sources = json_or_text(first.attributes.get("drr.sources"))
    trial = first.attributes.get("drr.trial")
    return {
        "id": name,
        "system": str(first.first(("gen_ai.agent.name", "agent.name")) or first.service or first.name),
        "query": asked,
        "user_id": user,
        "report_markdown": report,
        "tool_calls": list(_calls(spans)),
        **({"evidence": sources, "traced": True} if isinstance(sources, list) else {}),
        **({"trial": trial} if isinstance(trial, int) else {}),
        "logged": {"usage": _usage(models or [first])},
    }


def _calls(spans: Sequence[TraceSpan]) -> Iterator[JsonObject]:
    for number, one in enumerate((one for one in spans if one.kind == "tool"), 1):
        failed = str(one.attributes.get("error.type") or "error") if one.failed else None
        yield call_of(
            number,
            one.first(("gen_ai.tool.name", "tool.name")) or one.name,
            one.first(("gen_ai.tool.call.arguments", "input.value", "tool.parameters")),
            one.first(("gen_ai.tool.call.result", "output.value")),
            failed,
            one.attributes.get("drr.kind"),
        ) | ({"left_out": True} if one.left_out else {})


def _usage(spans: Sequence[TraceSpan]) -> JsonObject:
    """Sum the usage. A call that failed may tell none."""
    used = [(one, one.used) for one in spans]
    return summed_usage(
        [
            (str(one.first(_MODEL) or one.name), row)
            for one, row in used
            if not one.failed or row["input_tokens"] is not None
        ]
    )


def _flat(attributes: Mapping[str, Any], before: str, within: str) -> Iterator[JsonObject]:
    """Yield messages whose fields are attributes of their own: `llm.input_messages.0.message.role`."""
    for number in count():
        start = f"{before}{number}.{within}"
        if f"{start}role" not in attributes:
            return
        names = (f"{start}contents.{k}.message_content.text" for k in count())
        parts = [str(attributes[name]) for name in takewhile(attributes.__contains__, names)]
        yield {
            "role": attributes[f"{start}role"],
            "content": attributes.get(f"{start}content") or "\n".join(parts),
        }


def _spans(found: JsonObject) -> Iterator[TraceSpan]:
    for resource in _rows(found, "resourceSpans", "resource_spans"):
        about = resource.get("resource")
        service = _attributes(about if isinstance(about, dict) else {}).get("service.name")
        scopes = _rows(resource, "scopeSpans", "scope_spans", "instrumentationLibrarySpans")
        for one in (span for scope in scopes for span in _rows(scope, "spans")):
            trace, own, above = (str(one.get(n) or one.get(old) or "").replace("/", "_") for n, old in _IDS)
            status = one.get("status")
            start = str(one.get("startTimeUnixNano") or one.get("start_time_unix_nano") or "")
            yield TraceSpan(
                trace=trace,
                id=own,
                parent=above,
                name=str(one.get("name") or ""),
                start=_whole(start) if start else 0,
                failed=isinstance(status, dict) and status.get("code") in (2, "STATUS_CODE_ERROR"),
                service=service if isinstance(service, str) else None,
                attributes=_attributes(one),
            )


_IDS = (("traceId", "trace_id"), ("spanId", "span_id"), ("parentSpanId", "parent_span_id"))


def _rows(found: JsonObject, *names: str) -> list[JsonObject]:
    rows: list[Any] = next((found[name] for name in names if isinstance(found.get(name), list)), [])
    return [one for one in rows if isinstance(one, dict)]


def _attributes(found: JsonObject) -> dict[str, Any]:
    return {str(one.get("key")): _value(one.get("value")) for one in _rows(found, "attributes", "values")}


def _value(raw: Any) -> Any:
    """Return an attribute's value; 64-bit numbers are texts in JSON."""
    if not isinstance(raw, dict):
        return None
    for name, value in raw.items():
        match name.replace("_", "").lower():
            case "stringvalue" | "boolvalue" | "doublevalue":
                return value
            case "intvalue":
                return _whole(str(value))
            case "arrayvalue" if isinstance(value, dict):
                return [_value(one) for one in _rows(value, "values")]
            case "kvlistvalue" if isinstance(value, dict):
                return _attributes(value)
    return None


def _whole(text: str) -> int | str:
    """Return a whole number of 64 bits, else the text, which no reader of numbers takes."""
    digits = text.removeprefix("-")
    return int(text) if len(digits) < 20 and digits.isdigit() and digits.isascii() else text or "nothing"
