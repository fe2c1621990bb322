"""Metrics of the effort of an answer: tokens (cached ones and page summaries included), tool calls, words, seconds."""

from __future__ import annotations

from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Metric, Values
from drr.eval.tasks.judgements import Judged

TITLES = {"effort": "Tokens, words, calls"}
_COUNTED = {
    "input_tokens": (
        "Tokens that the agent's models read for one answer, cached ones and page summaries included.",
        "input tokens per answer, cached ones and page summaries included, mean over queries",
    ),
    "output_tokens": (
        "Tokens that the agent's models wrote for one answer, page summaries included.",
        "output tokens per answer, page summaries included, mean over queries",
    ),
    "words": ("Words of the report.", "words per report, mean over queries"),
    "tool_calls": (
        "Calls of tools for one answer; page reads and control calls are none.",
        "calls of tools per answer, mean over queries",
    ),
}


def _effort_metric(name: str, text: str, method: str) -> Metric:
    unit = name.rpartition("_")[2]
    is_detail, shown = unit == "tokens", name.replace("_", " ")
    return Metric(
        *(name, shown, text, "effort", unit),
        least=0,
        digits=0 if is_detail else 1,
        judged=False,
        detail=is_detail,
        method=method,
    )


METRICS = (
    *(_effort_metric(name, *texts) for name, texts in _COUNTED.items()),
    Metric(
        "seconds",
        "seconds",
        "Seconds of the wall clock that one answer took; answers made at the same time slow each other.",
        "effort",
        unit="s",
        least=0,
        better="lower",
        digits=1,
        judged=False,
        detail=True,
        method="seconds per answer, mean over queries; unknown of imported ones",
    ),
)


def per_report(judged: Judged, answer: Answer) -> Values:
    """Return the metrics of one report. Tokens are unknown where no model was metered, as for imported reports."""
    usage = list(answer.usage.values())
    metered = bool(usage) and not any(role.get("unmetered") for role in usage)
    calls = None if answer.calls is None else [c for c in answer.calls if c.get("kind", "api") == "api"]
    return {
        "input_tokens": float(sum(role["input_tokens"] for role in usage)) if metered else None,
        "output_tokens": float(sum(role["output_tokens"] for role in usage)) if metered else None,
        "words": float(answer.words),
        "tool_calls": None if calls is None else float(len(calls)),
        "seconds": answer.record.making_seconds,
    }
