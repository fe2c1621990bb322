"""Metrics of quality: ratings on the seven dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drr.eval.evidence.answers import Answer
from drr.eval.labels import Dimension
from drr.eval.metrics.base import Metric, Values
from drr.eval.stats.intervals import Statistic
from drr.eval.tasks.judgements import Judged, corpus_values, report_values

TITLES = {"quality": "Answer quality, 0-10"}
_GRADES: Mapping[Dimension, str] = {
    "clarity": "How clear, precise and free of repetition the report is, graded by a judge.",
    "depth": "How thoroughly the report reasons and weighs alternatives, graded by a judge.",
    "breadth": "How many different and relevant sides of the question the report covers, graded by a judge.",
    "insightfulness": "How much useful advice the report gives that is not obvious, graded by a judge.",
    "constraint_following": "How well the report keeps to every explicit demand of the question, graded by a judge.",
    "personalization": "How well the report fits the one shopper who asked, graded by a judge.",
    "overall": "How good the report is as a whole, graded by a judge on its own and not a mean of the others.",
}
METRICS = (
    *(
        Metric(name, name.replace("_", " "), text, "quality", range=(0.0, 10.0), better="higher")
        for name, text in _GRADES.items()
    ),
    Metric(
        "quality_average",
        "average",
        "The plain mean of the seven grades, of reports that have all seven.",
        None,
        range=(0.0, 10.0),
        better="higher",
        detail=True,
    ),
)


def per_report(judged: Judged, answer: Answer) -> Values:
    found = judged.rated(answer)
    return {} if found is None else report_values(found)


def corpus(judged: Judged, answers: Sequence[Answer]) -> Mapping[str, Statistic]:
    found = judged.all_rated(answers)
    return corpus_values(found) if found else {}
