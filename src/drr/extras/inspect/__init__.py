"""Connection to Inspect AI: the shop's tools in Inspect's form, and Inspect's agents as variants.

Nothing here imports Inspect before it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspect_ai.tool import Tool

PROMPT = "inspect"
"""The prompt of all agents of Inspect, both as variants and in an evaluation by Inspect."""


def shop_tools() -> list[Tool]:
    """Return the tools of the question that is being answered; where there is none yet, all nine."""
    from drr.extras.inspect import tools

    return tools.shop_tools()
