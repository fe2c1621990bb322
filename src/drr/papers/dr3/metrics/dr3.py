"""DR3-Eval's figures of a report on a task with files. Further figures show harm by distractors,
and whether search or writing lost a fact."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Metric, Values
from drr.eval.stats.citations import WHOLLY, CitationVerdict, address_verdict
from drr.eval.tasks.judgements import Judged
from drr.papers.dr3.judging.rows import FactLabel, depth_of, documents_of, fact_labels, point_labels
from drr.papers.dr3.sums import Dr3Row, dr3_figures, means_support, percent

TITLES = {
    "dr3": "DR3-Eval: what a report on a task with files knows (0-100)",
    "dr3-beside": "DR3-Eval: harm by distractors, and where facts were lost",
}
HUNDRED = (0.0, 100.0)


def _metric(name: str, label: str, explanation: str, method: str, *, table: str, **more: Any) -> Metric:
    return Metric(f"dr3_{name}", label, explanation, table, range=HUNDRED, digits=1, method=method, **more)


_figure = partial(_metric, table="dr3", better="higher")
_beside = partial(_metric, table="dr3-beside", better="lower")
METRICS = (
    _figure(
        "ir_sc", "IR pages", "The share of required facts of the frozen pages that the report tells wholly.",
        "100 x required facts of pages told wholly / those with a label, mean over queries",
    ),
    _figure(
        "cc", "CC", "The share of required pages and files that the report cites, by address.",
        "100 x required documents cited by address / required documents, mean over queries", judged=False,
    ),
    _figure(
        "ir_uf", "IR files", "The share of required facts of the question's files that the report tells wholly.",
        "100 x required facts of files told wholly / those with a label, mean over queries",
    ),
    _figure(
        "if", "IF", "The share of points of the task's checklist that the report meets.",
        "100 x points met / points decided, mean over queries",
    ),
    _figure("dq", "DQ", "How deep the report goes: a grade of 1-10, in one call, times ten.", "10 x grade 1-10, mean over queries"),
    _figure(
        "avg", "avg of six", "The mean of IR files, IR pages, CC, FA, IF and DQ; unknown where one of them is.",
        "mean of the six figures, mean over queries",
    ),
    _figure(
        "avg_printed", "avg as printed", "As avg of six, over those of the six that are known.",
        "as printed: mean of those of the six that are known, mean over queries", detail=True,
    ),
    _figure(
        "ir_sc_mean", "IR pages, mean", "As IR pages, where a fact that is told in part counts half.",
        "100 x mean label (1, 0.5, 0) of required facts of pages, mean over queries", detail=True,
    ),
    _figure(
        "ir_uf_mean", "IR files, mean", "As IR files, where a fact that is told in part counts half.",
        "100 x mean label (1, 0.5, 0) of required facts of files, mean over queries", detail=True,
    ),
    _beside(
        "harm", "harm", "The share of the report's claims that state what a distractor falsified.",
        "100 x claims that state a falsified value / claims, mean over queries",
    ),
    _beside(
        "contradicted", "facts contradicted", "The share of required facts of which the report states a falsified value.",
        "100 x required facts contradicted / required facts, mean over queries", judged=False,
    ),
    _beside(
        "distractors", "cited distractors", "The share of the task's cited pages, required or distracting, that are distractors.",
        "100 x distractors cited / distractors and required pages cited, mean over queries with any", judged=False,
    ),
    _beside(
        "search_loss", "lost in search", "The share of required facts that the run never met and the report does not tell.",
        "100 x required facts neither met nor told wholly / those of which both is known, mean over queries",
    ),
    _beside(
        "writing_loss", "lost in writing", "The share of required facts that the run met and the report does not tell.",
        "100 x required facts met and not told wholly / those of which both is known, mean over queries",
    ),
    _beside(
        "closed_book", "told unmet", "Of the required facts that the run never met, the share that the report tells all the same.",
        "100 x required facts told wholly / those never met, mean over queries with any", better="higher",
    ),
    _beside(
        "labels_agree", "labels agree", "The share of required facts of which rule and judge say alike whether the report tells them wholly.",
        "100 x required facts on which rule and judge agree / those with both labels, mean over queries", better="higher", detail=True,
    ),
)  # fmt: skip


def per_report(judged: Judged, answer: Answer) -> Values:
    labels = fact_labels(judged, answer.key)
    if labels is None:
        return {}
    row = row_of(judged, answer)
    values = {**dr3_figures(row), "avg_printed": dr3_figures(row, printed=True)["avg"]}
    values |= _other_values(judged, answer, labels)
    return {f"dr3_{name}": value for name, value in values.items() if name != "fa"}


def row_of(judged: Judged, answer: Answer) -> Dr3Row:
    """Return the raw scores behind the figures, in the form that `drr papers aggregate dr3` reads."""
    labels = fact_labels(judged, answer.key) or ()
    documents = [one for one in documents_of(judged, answer.key) if one["role"] != "distractor"]
    points, depth = point_labels(judged, answer.key), depth_of(judged, answer.key)
    return Dr3Row.model_construct(
        ir_uf=[one.score for one in labels if one.row["source"] == "file"],
        ir_sc=[one.score for one in labels if one.row["source"] == "page"],
        required=[one["id"] for one in documents],
        cited=[one["id"] for one in documents if one["cited"]],
        fa=_supports_by_pair(judged.citations.get(answer.key)),
        follows=None if points is None else [one.met for one in points],
        dq=None if depth is None else depth["grade"],
    )


def _supports_by_pair(citations: Sequence[CitationVerdict] | None) -> list[bool | None] | None:
    """Return for each citation whether it supports its claim: an unreadable source does not. `None` while any citation is undecided."""
    if citations is None or any(one.status is None for one in citations):
        return None
    return [means_support(address_verdict(one.status, WHOLLY)) for one in citations]


def _other_values(judged: Judged, answer: Answer, labels: Sequence[FactLabel]) -> dict[str, float | None]:
    documents = [one for one in documents_of(judged, answer.key) if one["role"] != "file" and one["cited"]]
    known = [(one.met, one.score == 1) for one in labels if one.met is not None and one.score is not None]
    rules = [(one, one.row["score"]) for one in labels if one.row["score"] is not None]
    values = {
        "contradicted": percent(bool(one.row["repeated"]) for one, _ in rules),
        "distractors": percent(one["role"] == "distractor" for one in documents),
        "search_loss": percent(not met and not stated for met, stated in known),
        "writing_loss": percent(met and not stated for met, stated in known),
        "closed_book": percent(stated for met, stated in known if not met),
    }
    if (harm := harmed_claims(judged, answer, labels)) is not None:
        values["harm"] = percent(harm)
    if any(one.asked for one in labels):
        both = [(one.judge, rule) for one, rule in rules if one.judge is not None]
        values["labels_agree"] = percent((judge == 1) == (rule == 1) for judge, rule in both)
    return values


def harmed_claims(judged: Judged, answer: Answer, labels: Iterable[FactLabel]) -> list[bool] | None:
    """Tell of each claim whether a falsified value is stated within it. `None`: claims are missing or failed."""
    claims = judged.checked_claims(answer)
    if claims is None or claims.claims is None:
        return None
    spans = {(one["start"], one["end"]) for label in labels for one in label.row["repeated"]}
    return [any(row["start"] < end and start < row["end"] for start, end in spans) for row in claims.claims]
