"""The repetition of a judge on the same report: how far a judged figure sways by itself."""

from __future__ import annotations

from collections.abc import Sequence

from drr.eval.metrics import metrics, values_of
from drr.eval.tasks.judged import Judged


def values_again(judgings: Sequence[Judged]) -> dict[str, dict[str, dict[str, list[float | None]]]]:
    """Map by judged metric, system and answer what each judging gives it."""
    known = metrics()
    found: dict[str, dict[str, dict[str, list[float | None]]]] = {}
    for judged in judgings:
        for answer in judged.answers:
            for name, value in values_of(judged, answer).items():
                if known[name].judged:
                    own = found.setdefault(name, {}).setdefault(answer.variant, {})
                    own.setdefault(answer.key, []).append(value)
    return found
