"""Reads trajectories in Harbor's Agent Trajectory Interchange Format (ATIF), version 1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from drr.env.json_object import JsonObject
from drr.eval.foreign.traces import Trace, TraceObject, call_of, left_out, summed_usage, text_of, wrong_number

_VERSION = "ATIF-v1."


def read(objects: Sequence[TraceObject]) -> Iterator[Trace]:
    """Yield each trajectory."""
    for where, found in objects:
        steps = found.get("steps") if isinstance(found.get("steps"), list) else ()
        rows = [(f"step {number}", _object(one)) for number, one in enumerate(steps or (), 1)]
        checked = [(one, wrong_number(name, _tokens(_object(one.get("metrics")), ""))) for name, one in rows]
        whole = wrong_number("final_metrics", _tokens(_object(found.get("final_metrics")), "total_"))
        if wrong := [why for why in (*(why for _, why in checked), whole) if why]:
            yield Trace(where, left_out("step or sum", wrong))
        sound = [_emptied(one) if why else one for one, why in checked]
        yield Trace(where, _trajectory({**found, "steps": sound}, with_usage=not wrong))


def _emptied(step: JsonObject) -> JsonObject:
    """Return a step with its calls alone, which still count but tell no result."""
    return {"source": step.get("source"), "tool_calls": step.get("tool_calls"), "left_out": True}


def _trajectory(found: JsonObject, *, with_usage: bool) -> JsonObject | str:
    version, steps = str(found.get("schema_version")), _rows(found.get("steps"))
    if not version.startswith(_VERSION):
        return f"is of the version {version[:40]!r}; this reads {_VERSION}0 and its successors"
    places = [place for place, one in enumerate(steps) if one.get("source") == "agent"]
    asked = [place for place, one in enumerate(steps) if one.get("source") == "user"]
    if not asked or not places:
        return "holds no step of a user and of an agent after it"
    if asked[-1] > places[0]:
        return f"asks again in step {asked[-1] + 1}; a report answers one question, so give each its own trajectory"
    agent, extra = _object(found.get("agent")), _object(found.get("extra"))
    own = [steps[place] for place in places]
    last = own[-1]
    report = text_of(last.get("message"))
    if not report.strip() or last.get("tool_calls"):
        return "holds no report; its last step calls tools or says nothing, so the run was cut"
    session = found.get("session_id")
    user = extra.get("user_id")
    return {
        **({"id": session} if isinstance(session, str) else {}),
        "system": str(agent.get("name") or "agent"),
        "query": text_of(steps[asked[-1]].get("message")),
        "user_id": user if isinstance(user, str) else None,
        "report_markdown": report,
        "tool_calls": list(_calls(own)),
        "logged": {"usage": _usage(found, agent, own) if with_usage else {}},
    }


def _calls(steps: Sequence[JsonObject]) -> Iterator[JsonObject]:
    number = 0
    for step in steps:
        results = _rows(_object(step.get("observation")).get("results"))
        by_call = {str(one.get("source_call_id")): one.get("content") for one in results}
        for call in _rows(step.get("tool_calls")):
            number += 1
            content = by_call.get(str(call.get("tool_call_id")))
            result = text_of(content) if isinstance(content, list) else content
            found = call_of(number, call.get("function_name"), call.get("arguments"), result, None)
            yield found | ({"left_out": True} if step.get("left_out") is True else {})


def _usage(found: JsonObject, agent: JsonObject, steps: Sequence[JsonObject]) -> JsonObject:
    """Return the usage of the whole trajectory, else the sum of its steps."""
    model = str(agent.get("model_name") or agent.get("name") or "agent")
    whole = _object(found.get("final_metrics"))
    if whole.get("total_prompt_tokens") is not None:
        return summed_usage([(model, _tokens(whole, "total_"))])
    used = [_object(one.get("metrics")) for one in steps]
    named = [str(one.get("model_name") or model) for one in steps]
    return summed_usage([(one, _tokens(row, "")) for one, row in zip(named, used, strict=True)])


def _tokens(row: JsonObject, before: str) -> JsonObject:
    names = {
        "input_tokens": "prompt_tokens",
        "output_tokens": "completion_tokens",
        "cache_read_tokens": "cached_tokens",
    }
    found = {name: row.get(f"{before}{theirs}") for name, theirs in names.items()}
    return {**found, "cost_usd": row.get(f"{before}cost_usd")}


def _object(found: Any) -> JsonObject:
    return found if isinstance(found, dict) else {}


def _rows(found: Any) -> list[JsonObject]:
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
