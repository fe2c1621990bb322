"""Families of metrics. One more family is one file here and one line in `FAMILIES`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

from drr.eval.evidence.answers import Answer
from drr.eval.stats.intervals import V
from drr.eval.tasks.judged import Judged

FAMILIES: tuple[str, ...] = ("faithfulness", "quality", "effort", "rules")


class Family(Protocol):
    """A module of this package."""

    def per_report(self, judged: Judged, answer: Answer) -> Mapping[str, float | None]:
        """The values that can be paired by query; a metric that was not judged is left out, a failed one is `None`."""

    def corpus(self, judged: Judged, answers: Sequence[Answer]) -> Mapping[str, V]:
        """The metrics of one variant."""


def families() -> list[Family]:
    modules: list[Any] = [import_module(f"drr.eval.metrics.{name}") for name in FAMILIES]
    return modules
