"""The cast of the `offline` model: stand-ins by name and role, for `app` to hand in."""

from __future__ import annotations

from importlib import import_module

from drr.llm.role import Policy

RULES = 16
"""Raised by hand where the script that plays agents answers otherwise; part of the key of what it answers."""
STAND_INS = {
    "agent": "drr.offline.agents.policies:agent_policy",
    "summariser": "drr.offline.agents.policies:summariser_policy",
}


def stand_in(who: str | Policy) -> Policy | None:
    """Rules by name; rules that were handed in as they are; `None` where nobody here plays that."""
    if not isinstance(who, str):
        return who
    if who not in STAND_INS:
        return None
    module, _, name = STAND_INS[who].partition(":")
    policy: Policy = getattr(import_module(module), name)
    return policy
