"""The old name of `drr.extras.inspect`, for agents that were written before it moved."""

from drr.env.plugins import load

shop_tools = load("drr.extras.inspect:shop_tools")
