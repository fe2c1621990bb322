"""Citations held against frozen evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drr.eval.evidence.answers import Answer
from drr.eval.stats.faithfulness import corpus_values, report_values
from drr.eval.stats.intervals import V
from drr.eval.tasks.judged import Judged


def per_report(judged: Judged, answer: Answer) -> Mapping[str, float | None]:
    found = judged.judged_claims(answer)
    return {} if found is None else report_values(found.claims)


def corpus(judged: Judged, answers: Sequence[Answer]) -> Mapping[str, V]:
    found = judged.all_claims(answers)
    return corpus_values(found) if found else {}
