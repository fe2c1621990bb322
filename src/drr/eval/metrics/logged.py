"""Takes over the score that another harness's log gives an imported answer."""

from __future__ import annotations

from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Metric, Values
from drr.eval.stats.intervals import SHARE
from drr.eval.tasks.judgements import Judged

TITLES = {"logged": "Scores of the log"}
METRICS = (
    Metric(
        "logged_score",
        "score of the log",
        "What the scorer of another harness gave the answer, from 0 to 1; its log says so, and nobody here looked.",
        "logged",
        range=SHARE,
        better="higher",
        judged=False,
        method="mean over questions",
    ),
)


def score_of(answer: Answer) -> float | None:
    """Return the score of an answer's log; `None` where there is none."""
    logged = answer.record.result.get("logged") or {}
    score = logged.get("score")
    return None if score is None else float(score)


def per_report(judged: Judged, answer: Answer) -> Values:
    score = score_of(answer)
    return {} if score is None else {"logged_score": score}
