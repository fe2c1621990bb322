"""The old name of `drr.extras.inspect`, for agents that were written before it moved."""

from drr.extras.inspect import shop_tools

__all__ = ["shop_tools"]
