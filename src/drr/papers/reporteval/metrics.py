"""ReportEval's metrics of a report: five grades, and how little its passages repeat. The module `support` has the third one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Metric, Values, over_queries
from drr.eval.metrics.document import PrintedFigures
from drr.eval.stats.intervals import SHARE, Statistic
from drr.eval.tasks.judgements import Judged
from drr.eval.tasks.protocol import PassageForm
from drr.papers.reporteval.judging.grades import SIDES, RepetitionRow, repetition_of, report_grades_of
from drr.papers.reporteval.sums import estimated_mean, pair_figures

TITLES = {
    "reporteval": "ReportEval: quality and non-redundancy (0-4), support (-1 to 1)",
    "reporteval-pairs": "ReportEval: pairs of passages",
}
_EXPLANATIONS = {
    "comprehensiveness": "how much of what the question needs is there, and how deep it goes",
    "coherence": "how the parts of the report follow from each other",
    "clarity": "how easily the report is read",
    "insightfulness": "what the report makes of its material",
    "overall": "how content a demanding reader would be; no mean of the others",
}
_BODY = ", without pairs that involve the summary"
_FOUR: Mapping[str, Any] = {"range": (0.0, 4.0), "better": "higher"}
_SHARE: Mapping[str, Any] = {"range": SHARE, "better": "lower"}
_FEW: Mapping[str, Any] = {"unit": "pairs", "least": 0, "digits": 1, "detail": True}
_PAIRS: Sequence[tuple[str, str, Mapping[str, Any], str, str]] = (
    ("re_non_redundancy", "non-redundancy", {**_FOUR, "table": "reporteval"}, "mean score of {of}, {mean}",
     "The mean score of pairs of passages (paragraphs with their heading, at most 30); 4: nothing is repeated."),
    ("re_worst_pair", "worst pair", _FOUR, "lowest score of {of}, {mean}",
     "The lowest score of a pair of passages of the report."),
    ("re_repeated_pairs", "pairs <= 2", _SHARE, "share that scores 2 or less of {of}, {mean}",
     "The share of pairs of passages that score 2 or less: a point or more is said twice."),
    ("re_non_redundancy_body", "non-redundancy, body", _FOUR, "mean score of {of}, none of a summary, {mean}",
     f"As non-redundancy{_BODY}, where a report repeats itself on purpose."),
    ("re_worst_pair_body", "worst pair, body", {**_FOUR, "detail": True}, "lowest score of {of}, none of a summary, {mean}",
     f"As worst pair{_BODY}."),
    ("re_repeated_pairs_body", "pairs <= 2, body", {**_SHARE, "detail": True}, "share that scores 2 or less of {of}, none of a summary, {mean}",
     f"As pairs <= 2{_BODY}."),
    ("re_non_redundancy_all", "non-redundancy, all", {**_FOUR, "detail": True},
     "mean of all {of}, pairs drawn by lot weighed by how many they stand for, {mean}",
     "The mean over all pairs of the report, estimated: what was drawn by lot stands for the pairs that were not."),
    ("re_pairs", "pairs", _FEW, "scored {of} per report, {mean}",
     "Pairs of passages of the report that have a score."),
)  # fmt: skip
"""Name, label, form, method and explanation of each metric of pairs."""
METRICS = (
    *(
        Metric(f"re_{side}", f"RE {side}", f"ReportEval's {side}: {text}; one of five grades of one call.", "reporteval", **_FOUR)
        for side, text in _EXPLANATIONS.items()
    ),
    *(Metric(name, label, text, **{"table": "reporteval-pairs", **form}) for name, label, form, _, text in _PAIRS),
)  # fmt: skip
_PASSAGES: Mapping[PassageForm, str] = {
    "paragraphs": "paragraphs with their heading, lists and tables whole",
    "sections": "as printed: level-2 sections by the published code's rule",
}


def per_report(judged: Judged, answer: Answer) -> Values:
    grades, rows = report_grades_of(judged, answer.key), repetition_of(judged, answer.key)
    values: dict[str, float | None] = {}
    if grades is not None:
        kept = judged.way.passages == "paragraphs" or bool(rows)
        own = {side: grades[side]["grade"] if kept else None for side in SIDES}
        values |= {f"re_{side}": None if grade is None else float(grade) for side, grade in own.items()}
    return values if rows is None and grades is None else values | _pair_values(rows or ())


def corpus(judged: Judged, answers: Sequence[Answer]) -> Mapping[str, Statistic]:
    """Average the figures as soon as one report was judged. Reports that wait, or have fewer than two passages, count as unscored."""
    graded = any(report_grades_of(judged, answer.key) is not None for answer in answers)
    paired = graded or any(repetition_of(judged, answer.key) is not None for answer in answers)
    methods = _methods(judged.way.passages)
    shown = {
        name: how for name, how in methods.items() if (graded if tasks_behind(name) == _GRADES else paired)
    }
    return over_queries(answers, lambda answer: per_report(judged, answer), shown) if shown else {}


def _pair_values(rows: Sequence[RepetitionRow]) -> dict[str, float | None]:
    """Return the figures of a report's pairs, without pairs that have no score."""
    values: dict[str, float | None] = {}
    for kept, name in ((rows, ""), ([row for row in rows if not row["summary"]], "_body")):
        figures = zip(
            ("non_redundancy", "worst_pair", "repeated_pairs"),
            pair_figures(row["score"] for row in kept),
            strict=True,
        )
        values |= {f"re_{figure}{name}": value for figure, value in figures}
    known = sum(row["score"] is not None for row in rows)
    values["re_non_redundancy_all"] = estimated_mean((row["score"], row["stands_for"]) for row in rows)
    return {**values, "re_pairs": float(known) if rows else None}


def _methods(form: PassageForm) -> dict[str, str]:
    of, mean = f"pairs of passages ({_PASSAGES[form]})", "mean over queries"
    dropped = ", reports without a pair dropped as printed" if form == "sections" else ""
    grades = {f"re_{side}": f"grade 0-4, one call for five{dropped}, {mean}" for side in SIDES}
    return {**grades, **{name: how.format(of=of, mean=mean) for name, _, _, how, _ in _PAIRS}}


_GRADES = ("grades",)


def tasks_behind(name: str) -> tuple[str, ...]:
    """Return the names of the judging tasks that a figure comes from."""
    if not name.startswith("re_"):
        return ()
    return _GRADES if name.removeprefix("re_") in SIDES else ("repetition",)


AS_PRINTED = PrintedFigures(corpus, tasks_behind)
