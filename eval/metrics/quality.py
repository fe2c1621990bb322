"""The seven dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drr.eval.evidence.answers import Answer
from drr.eval.stats.intervals import V
from drr.eval.tasks.judged import Judged
from drr.eval.tasks.quality import corpus_values, report_values


def per_report(judged: Judged, answer: Answer) -> Mapping[str, float | None]:
    found = judged.rated(answer)
    return {} if found is None else report_values(found)


def corpus(judged: Judged, answers: Sequence[Answer]) -> Mapping[str, V]:
    found = judged.all_rated(answers)
    return corpus_values(found) if found else {}
