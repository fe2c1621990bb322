"""The calls of tools in a record: which of them no tool took, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Calls = Sequence[Mapping[str, Any]]
"""Each with the `name`, `kind` and `error` of a `ToolCall`; what others recorded may lack any."""


def refused(calls: Calls) -> Calls:
    """Choose those that no tool took: not allowed, not there, or with arguments of another form."""
    return [
        call
        for call in calls
        if call.get("kind") in ("refused", "unknown") or (call.get("error") or {}).get("kind") == "invalid"
    ]


def refusals(calls: Calls) -> str:
    """Say how many were refused, and why the first; empty where none was. An agent may go on without a word of it."""
    found, made = refused(calls), [call for call in calls if call.get("kind") != "control"]
    if not found:
        return ""
    why = " ".join(str((found[0].get("error") or {}).get("message", "")).split())
    return f"{len(found)} of {len(made)} tool calls were refused, the first of {found[0].get('name')}: {why[:200]}"
