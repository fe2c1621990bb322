"""Connection to verifiers: `vf-eval drr-retail --env.taskset.shop shop`, and the same name for its trainers.

The package `drr_retail` beside `drr` is this one: verifiers accepts only names without a dot.
"""

from drr.extras.verifiers.taskset import RetailTaskset

__all__ = ["RetailTaskset"]
