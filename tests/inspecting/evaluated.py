"""Run by `test_inspect.py` in an environment that has Inspect and our wheel: what evaluations left, as JSON."""

from __future__ import annotations

import json
import math
import os
import re
import sys
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.log import resolve_sample_attachments
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, ModelOutput, ModelUsage, get_model
from inspect_ai.model._model_output import ChatCompletionChoice
from inspect_ai.tool import ToolCall

from examples.inspect_agent import shopper as theirs
from tests.wire import Say, Wire

Calls = list[tuple[str, dict[str, Any]]]
FIRST: Calls = [
    ("product_catalog_search", {"query": "bird house"}),
    ("calculator", {"expression": "2 * 19.99"}),
    ("get_user_orders", {"limit": "many"}),
]
THEN: Calls = [("get_user_orders", {})]


def said(text: str, calls: Calls, number: int) -> ModelOutput:
    asked = [
        ToolCall(id=f"call-{number}-{at}", function=name, arguments=given)
        for at, (name, given) in enumerate(calls)
    ]
    message = ChatMessageAssistant(content=text, tool_calls=asked or None)
    usage = ModelUsage(input_tokens=70, input_tokens_cache_read=30, output_tokens=20, total_tokens=120)
    choice = ChatCompletionChoice(message=message, stop_reason="tool_calls" if calls else "stop")
    return ModelOutput(model="model", choices=[choice], usage=usage)


def shopper(messages: list[Any], tools: list[Any], choice: Any, config: Any) -> ModelOutput:
    """Two turns of calls, then a report on what was found; to one question it says nothing."""
    question = next(message.text for message in messages if message.role == "user")
    turns = sum(message.role == "assistant" for message in messages)
    if "say nothing" in question:
        return said("", [], turns)
    if turns < 2:
        return said("", THEN if turns else FIRST, turns)
    found = next(m.text for m in messages if isinstance(m, ChatMessageTool) and m.function == FIRST[0][0])
    address = re.search(r"https?://\S+", found)
    report = (
        "The first one [1] is small. It costs $3.14. It keeps squirrels away [2].\n\n## Sources\n\n"
        f"[1] A house: {address[0] if address else ''}\n[2] Made up: https://made-up.example/y"
    )
    if any(tool.name == "submit" for tool in tools):
        return said("", [("submit", {"answer": report})], turns)
    return said(report, [], turns)


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return None if isinstance(value, float) and math.isnan(value) else value


def row(log: Any) -> dict[str, Any]:
    figures = {
        one.name: {
            "scored": one.scored_samples,
            "unscored": one.unscored_samples,
            **{name.split("/")[-1]: plain(metric.value) for name, metric in one.metrics.items()},
        }
        for one in log.results.scores
    }
    return {
        "status": log.status,
        "task": log.eval.task,
        "scorers": [scorer.name for scorer in log.eval.scorers],
        "place": log.location,
        "figures": figures,
        "samples": [_sample(resolve_sample_attachments(sample, "full")) for sample in log.samples],
    }


def _sample(sample: Any) -> dict[str, Any]:
    scores = {
        name: {"value": plain(score.value), "reason": score.reason, "told": score.explanation}
        for name, score in sample.scores.items()
    }
    answers = [
        [m.function, m.error.message if m.error else m.text] for m in sample.messages if m.role == "tool"
    ]
    event = next(event for event in sample.events if event.event == "model")
    tools = [
        {"name": t.name, "description": t.description, "schema": t.parameters.model_dump(exclude_none=True)}
        for t in event.tools
    ]
    told = [m.text for m in sample.messages if m.role == "system"]
    record = sample.store.get("drr:record")
    return {
        "id": sample.id, "epoch": sample.epoch, "scores": scores, "answers": answers, "tools": tools, "told": told,
        "metadata": sample.metadata, "record": record,
    }  # fmt: skip


def evaluated(task: str | Task, given: dict[str, Any], logs: Path, **more: Any) -> dict[str, Any]:
    model = get_model("mockllm/model", custom_outputs=shopper, memoize=False)
    log = evaluate(task, model=model, task_args=given, display="none", log_dir=str(logs), **more)[0]
    return row(log)


def run(shop: dict[str, Any], folder: Path) -> dict[str, Any]:
    logs = folder / "logs"
    kept = {**shop, "study": str(folder / "study"), "judge": "offline"}
    found = {"kept": evaluated("drr/retail", kept, logs, epochs=2)}
    found["agent"] = evaluated("drr/retail", {**shop, "limit": 1, "what": "rules"}, logs, solver=theirs())
    again = {**shop, "study": str(folder / "again"), "system": "ours", "limit": 1, "what": "rules"}
    for _ in range(2):
        evaluated("drr/retail", again, logs)
    with Wire(lambda request: Say("I would rather not say.")) as wire:
        os.environ["DRR_BASE_URL"] = wire.url
        judge = {"judge": "anthropic:claude-sonnet-5-5", "what": "quality", "limit": 1}
        found["silent_judge"] = evaluated("drr/retail", {**shop, **judge}, logs)
        found["asked"] = {"judge": len(wire.requests)}
    return found


if __name__ == "__main__":
    print(json.dumps(run(json.loads(sys.argv[1]), Path(sys.argv[2]))))
