"""Stand-ins of the `offline` model by name, for `app` to pass to agents."""

from __future__ import annotations

from importlib import import_module

from drr.llm.role import Policy

RULES = 17
"""The version of the script that plays agents, raised by hand when its answers change. It enters the key of its units."""
STAND_INS = {
    "agent": "drr.offline.agents.policies:agent_policy",
    "summariser": "drr.offline.agents.policies:summariser_policy",
}


def stand_in(who: str | Policy) -> Policy | None:
    """Return the rules of that name, or the given rules unchanged; `None` for an unknown name."""
    if not isinstance(who, str):
        return who
    if who not in STAND_INS:
        return None
    module, _, name = STAND_INS[who].partition(":")
    policy: Policy = getattr(import_module(module), name)
    return policy
