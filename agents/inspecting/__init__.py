"""Inspect AI and this project: our tools as Inspect has tools, and Inspect's agents as variants of ours.

Nothing here loads Inspect before something of it is used.
"""

from drr.agents.inspecting.tools import shop_tools

__all__ = ["shop_tools"]
