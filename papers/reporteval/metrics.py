"""ReportEval's figures of a report: five grades, and how little its passages repeat of each other. Its support stands among the papers'."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Metric, Values, over_queries
from drr.eval.metrics.document import PrintedFigures
from drr.eval.stats.intervals import SHARE, V
from drr.eval.tasks.judged import Judged
from drr.eval.tasks.protocol import PassageForm
from drr.papers.reporteval.judging.grades import SIDES, RepetitionRow, repetition_of, report_grades_of
from drr.papers.reporteval.sums import ReportEvalRaw, estimated_mean, repeated_share, report_eval

TITLES = {
    "reporteval": "ReportEval: quality and non-redundancy (0-4), support (-1 to 1)",
    "reporteval-pairs": "ReportEval: pairs of passages",
}
FOUR = (0.0, 4.0)
_EXPLANATIONS = {
    "comprehensiveness": "how much of what the question needs is there, and how deep it goes",
    "coherence": "how the parts of the report follow from each other",
    "clarity": "how easily the report is read",
    "insightfulness": "what the report makes of its material",
    "overall": "how content a demanding reader would be; no mean of the others",
}
_BODY = ", without pairs that involve the summary"


def _grade(name: str, label: str, text: str, *, detail: bool = False, table: str = "reporteval") -> Metric:
    return Metric(name, label, text, table, range=FOUR, better="higher", detail=detail)


METRICS = (
    *(
        _grade(
            f"re_{side}",
            f"RE {side}",
            f"ReportEval's {side}: {_EXPLANATIONS[side]}; one of five grades of one call.",
        )
        for side in SIDES
    ),
    _grade(
        "re_non_redundancy",
        "non-redundancy",
        "The mean score of pairs of passages (paragraphs with their heading, at most 30); 4: nothing is repeated.",
    ),
    _grade(
        "re_worst_pair",
        "worst pair",
        "The lowest score of a pair of passages of the report.",
        table="reporteval-pairs",
    ),
    Metric(
        "re_repeated_pairs",
        "pairs <= 2",
        "The share of pairs of passages that score 2 or less: a point or more is said twice.",
        "reporteval-pairs",
        range=SHARE,
        better="lower",
    ),
    _grade(
        "re_non_redundancy_body",
        "non-redundancy, body",
        f"As non-redundancy{_BODY}, where a report repeats itself on purpose.",
        table="reporteval-pairs",
    ),
    _grade(
        "re_worst_pair_body",
        "worst pair, body",
        f"As worst pair{_BODY}.",
        detail=True,
        table="reporteval-pairs",
    ),
    Metric(
        "re_repeated_pairs_body",
        "pairs <= 2, body",
        f"As pairs <= 2{_BODY}.",
        "reporteval-pairs",
        range=SHARE,
        better="lower",
        detail=True,
    ),
    _grade(
        "re_non_redundancy_all",
        "non-redundancy, all",
        "The mean over all pairs of the report, estimated: what was drawn by lot stands for the pairs that were not.",
        detail=True,
        table="reporteval-pairs",
    ),
    Metric(
        "re_pairs",
        "pairs",
        "Pairs of passages of the report that have a score.",
        "reporteval-pairs",
        unit="pairs",
        least=0,
        digits=1,
        detail=True,
    ),
)
_MEAN = "mean over queries"
_PASSAGES: Mapping[PassageForm, str] = {
    "paragraphs": "paragraphs with their heading, lists and tables whole",
    "sections": "as printed: level-2 sections by the published code's rule",
}


def per_report(judged: Judged, answer: Answer) -> Values:
    grades, rows = report_grades_of(judged, answer.key), repetition_of(judged, answer.key)
    values: dict[str, float | None] = {}
    if grades is not None:
        kept = judged.way.passages == "paragraphs" or bool(rows)
        values |= {f"re_{side}": _float(grades[side]["grade"]) if kept else None for side in SIDES}
    if rows is None and grades is None:
        return values
    return values | _of_pairs(rows or ())


def corpus(judged: Judged, answers: Sequence[Answer]) -> Mapping[str, V]:
    """Average as soon as one report was judged; those that wait, and those without two passages, are unscored."""
    graded = any(report_grades_of(judged, answer.key) is not None for answer in answers)
    paired = any(repetition_of(judged, answer.key) is not None for answer in answers)
    methods = _methods(judged.way.passages)
    shown = {
        name: method
        for name, method in methods.items()
        if (graded if name.removeprefix("re_") in SIDES else graded or paired)
    }
    return over_queries(answers, lambda answer: per_report(judged, answer), shown) if shown else {}


def _of_pairs(rows: Sequence[RepetitionRow]) -> dict[str, float | None]:
    """A pair without a score is left out of all of them."""
    scores = [_float(row["score"]) for row in rows]
    body = [_float(row["score"]) for row in rows if not row["summary"]]
    every, inner = (report_eval(ReportEvalRaw(pairs=own)) for own in (scores, body))
    return {
        "re_non_redundancy": every.non_redundancy,
        "re_worst_pair": every.worst_pair,
        "re_repeated_pairs": repeated_share(scores),
        "re_non_redundancy_body": inner.non_redundancy,
        "re_worst_pair_body": inner.worst_pair,
        "re_repeated_pairs_body": repeated_share(body),
        "re_non_redundancy_all": estimated_mean((_float(row["score"]), row["stands_for"]) for row in rows),
        "re_pairs": float(sum(score is not None for score in scores)) if scores else None,
    }


def _methods(form: PassageForm) -> dict[str, str]:
    of = f"pairs of passages ({_PASSAGES[form]})"
    dropped = ", reports without a pair dropped as printed" if form == "sections" else ""
    return {
        **{f"re_{side}": f"grade 0-4, one call for five{dropped}, {_MEAN}" for side in SIDES},
        "re_non_redundancy": f"mean score of {of}, {_MEAN}",
        "re_worst_pair": f"lowest score of {of}, {_MEAN}",
        "re_repeated_pairs": f"share that scores 2 or less of {of}, {_MEAN}",
        "re_non_redundancy_body": f"mean score of {of}, none of a summary, {_MEAN}",
        "re_worst_pair_body": f"lowest score of {of}, none of a summary, {_MEAN}",
        "re_repeated_pairs_body": f"share that scores 2 or less of {of}, none of a summary, {_MEAN}",
        "re_non_redundancy_all": f"mean of all {of}, pairs drawn by lot weighed by how many they stand for, {_MEAN}",
        "re_pairs": f"scored {of} per report, {_MEAN}",
    }


def _float(value: int | None) -> float | None:
    return None if value is None else float(value)


def tasks_behind(name: str) -> tuple[str, ...]:
    """The tasks of judging that a figure comes from."""
    if not name.startswith("re_"):
        return ()
    return ("grades",) if name.removeprefix("re_") in SIDES else ("repetition",)


AS_PRINTED = PrintedFigures(
    corpus,
    tasks_behind,
    {"re_non_redundancy": "RE non-redundancy", "re_overall": "RE overall", "re_pairs": "RE pairs"},
    "RE: of level-2 sections, by the rule of ReportEval's published code; a report without a pair is dropped.",
)
