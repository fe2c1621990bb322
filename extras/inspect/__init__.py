"""Inspect AI and this project: our tools as Inspect has tools, and Inspect's agents as variants of ours.

Nothing here loads Inspect before something of it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspect_ai.tool import Tool

PROMPT = "inspect"
"""The prompt of all agents of Inspect, here and in an evaluation of Inspect's."""


def shop_tools() -> list[Tool]:
    """The tools of the question that is being answered where this is called; where there is none yet, all nine."""
    from drr.extras.inspect import tools

    return tools.shop_tools()
