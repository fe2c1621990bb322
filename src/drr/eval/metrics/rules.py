"""Metrics of rules: the share of reports that keep each rule, of those where the rule can tell."""

from __future__ import annotations

from collections.abc import Iterable

from drr.eval.checks import RULES
from drr.eval.checks.reading import FiguresRow
from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Metric, Values
from drr.eval.stats.intervals import SHARE
from drr.eval.tasks.judgements import Judged

METRICS = tuple(
    Metric(
        f"rule_{name}",
        f"rule: {name.replace('_', ' ')}",
        f"Share of the reports that keep the rule `{name}`, of those where it can tell; a remark accuses nobody, so the rule is kept.",
        "rules",
        range=SHARE,
        better="higher",
        judged=False,
        detail=True,
        method="share of reports that keep the rule, over queries",
    )
    for name in RULES
)
KEPT = {"pass": 1.0, "remark": 1.0, "fail": 0.0}
"""Value of a rule by its status; unknown where the rule cannot tell."""


def per_report(judged: Judged, answer: Answer) -> Values:
    """Return 1 for a rule kept, also with a remark, and 0 for a rule broken. A rule that cannot tell is unknown, not kept."""
    found = judged.rules.get(answer.key)
    if found is None:
        return {}
    return {f"rule_{name}": KEPT.get(found[name]["status"]) if name in found else None for name in RULES}


def figures_of(judged: Judged, answers: Iterable[Answer]) -> FiguresRow | None:
    """Sum the counts of figures that rules could read in these reports; `None` where nothing was counted."""
    known = [row for answer in answers if (row := judged.figures.get(answer.key)) is not None]
    return (
        {"read": sum(row["read"] for row in known), "of": sum(row["of"] for row in known)} if known else None
    )
