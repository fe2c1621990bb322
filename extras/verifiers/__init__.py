"""The door of verifiers: `vf-eval drr-retail --env.taskset.shop shop`, and the same name for its trainers.

Installed, this package is also called `drr_retail`: verifiers takes names without a dot alone.
"""

from drr.extras.verifiers.taskset import RetailTaskset

__all__ = ["RetailTaskset"]
