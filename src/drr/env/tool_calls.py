"""Finds the tool calls in a record that no tool accepted, and the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Calls = Sequence[Mapping[str, Any]]
"""Tool calls, each with the `name`, `kind` and `error` of a `ToolCall`; calls recorded by other programs may lack any."""


def refused_calls(calls: Calls) -> Calls:
    """Return the calls that no tool accepted: not allowed, of an unknown tool, or with invalid arguments."""
    return [
        call
        for call in calls
        if call.get("kind") in ("refused", "unknown") or (call.get("error") or {}).get("kind") == "invalid"
    ]


def refusal_text(calls: Calls) -> str:
    """Return how many calls were refused and why the first one was; empty if none was. An agent may continue without mentioning it."""
    found, made = refused_calls(calls), [call for call in calls if call.get("kind") != "control"]
    if not found:
        return ""
    why = " ".join(str((found[0].get("error") or {}).get("message", "")).split())
    return f"{len(found)} of {len(made)} tool calls were refused, the first of {found[0].get('name')}: {why[:200]}"
