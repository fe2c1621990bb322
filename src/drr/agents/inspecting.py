"""The old name of `drr.extras.inspect`, kept for agents that were written before that module moved."""

from drr.env.plugins import load

shop_tools = load("drr.extras.inspect:shop_tools")
