"""Gives the taskset of `drr.extras.verifiers` a name without a dot, the only kind that verifiers accepts."""

from drr.extras.verifiers import RetailTaskset

__all__ = ["RetailTaskset"]
