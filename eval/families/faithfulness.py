"""Citations held against frozen evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drr.eval.answers import Answer
from drr.eval.faithfulness import corpus_values, report_values
from drr.eval.judged import Judged
from drr.eval.stats import V


def per_report(judged: Judged, answer: Answer) -> Mapping[str, float | None]:
    found = judged.judged_claims(answer)
    return {} if found is None else report_values(found.claims)


def corpus(judged: Judged, answers: Sequence[Answer]) -> Mapping[str, V]:
    found = judged.all_claims(answers)
    return corpus_values(found) if found else {}
