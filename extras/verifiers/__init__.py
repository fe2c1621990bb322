"""Connection to verifiers: `vf-eval drr-retail --env.taskset.shop shop`, and the same name for its trainers.

The installed package is also called `drr_retail`, because verifiers accepts only names without a dot.
"""

from drr.extras.verifiers.taskset import RetailTaskset

__all__ = ["RetailTaskset"]
