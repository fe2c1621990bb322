"""What an answer took: tokens (cached ones and page summaries included), calls of the nine tools, words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drr.eval.evidence.answers import Answer
from drr.eval.stats.intervals import V, mean
from drr.eval.tasks.judged import Judged

_METHODS = {
    "input_tokens": "input tokens per answer, cached ones and page summaries included, mean over queries",
    "output_tokens": "output tokens per answer, page summaries included, mean over queries",
    "words": "words per report, mean over queries",
    "tool_calls": "calls of the nine tools per answer, mean over queries",
}


def per_report(judged: Judged, answer: Answer) -> Mapping[str, float | None]:
    """Usage is unknown where no model was metered (imported reports)."""
    usage = list(answer.usage.values())
    metered = bool(usage) and not any(role.get("unmetered") for role in usage)
    calls = None if answer.calls is None else [c for c in answer.calls if c.get("kind", "api") == "api"]
    return {
        "input_tokens": float(sum(role["input_tokens"] for role in usage)) if metered else None,
        "output_tokens": float(sum(role["output_tokens"] for role in usage)) if metered else None,
        "words": float(answer.words),
        "tool_calls": None if calls is None else float(len(calls)),
    }


def corpus(judged: Judged, answers: Sequence[Answer]) -> Mapping[str, V]:
    found: dict[str, V] = {}
    for name, method in _METHODS.items():
        grouped: dict[str, list[float | None]] = {}
        for answer in answers:
            grouped.setdefault(answer.query_id, []).append(per_report(judged, answer)[name])
        found[name] = mean(grouped, method)
    return found
