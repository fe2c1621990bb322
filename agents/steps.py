"""The waits of a run beside its tools. Each turn of a model, each page and each summary, with its begin and its length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from drr.agents.base import StepKind, TimedStep


class StepLog:
    def __init__(self, elapsed: Callable[[], float]) -> None:
        """`elapsed` tells the seconds since the answer was begun."""
        self._elapsed = elapsed
        self._begun: Counter[tuple[StepKind, str]] = Counter()
        self._steps: list[TimedStep] = []

    @contextmanager
    def timing(self, kind: StepKind, of: str, role: str | None = None) -> Iterator[None]:
        """Time a step. A failed one is no step: whether it is tried again hangs on the way there."""
        began = self._elapsed()
        yield
        self._begun[kind, of] += 1
        number, took = self._begun[kind, of], self._elapsed() - began
        self._steps.append(
            TimedStep(kind=kind, of=of, number=number, role=role, seconds=took, started_at=began)
        )

    def last(self, of: str) -> float:
        """Return when the last turn of a conversation ended."""
        return max(step.started_at + step.seconds for step in self._steps if step.of == of)

    def noted(self) -> list[TimedStep]:
        """List the steps in an order that does not hang on who finished first."""
        return sorted(self._steps, key=lambda step: (step.kind, step.of, step.number))
