"""The errors of a report on a task with files, label by label with the words that show it (DR3-Eval's Figure 8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, get_args

from drr.eval.evidence.answers import Answer
from drr.eval.stats.asked import AskedQuestion
from drr.eval.stats.intervals import SHARE, mean
from drr.eval.tasks.judged import Judged
from drr.papers.dr3.judging.documents import document_id
from drr.papers.dr3.judging.rows import FactLabel, documents_of, fact_labels, known_row, points_met
from drr.papers.dr3.metrics.rows import ErrorExample, ErrorShare
from drr.wording.excerpt import excerpt

Dr3ErrorName = Literal[
    "hallucination", "distracted", "not_found", "not_written", "in_part", "uncited", "point_missed"
]
ERRORS: dict[Dr3ErrorName, str] = {
    "hallucination": "a claim whose cited source supports nothing of it, or does not exist",
    "distracted": "a distractor's falsified value is stated",
    "not_found": "a required fact that the run never met is missing",
    "not_written": "a required fact that the run met is missing",
    "in_part": "a required fact is told in part only",
    "uncited": "a required fact is told, and none of its documents is cited",
    "point_missed": "a point of the checklist that names no fact is not met",
}
assert tuple(ERRORS) == get_args(Dr3ErrorName)
EXAMPLES, _EXCERPT = 3, 160


class Dr3Error(NamedTuple):
    label: Dr3ErrorName
    words: str
    """Of the report where it says something wrong, else what it does not say."""


def errors_of(judged: Judged, answer: Answer) -> list[Dr3Error] | None:
    """`None` where nobody looked for facts yet."""
    labels = fact_labels(judged, answer.key)
    if labels is None:
        return None
    return [*_hallucinations(judged, answer), *_of_facts(judged, answer, labels), *_points(judged, answer)]


def error_shares(judged: Judged, answers: Sequence[Answer]) -> dict[str, ErrorShare]:
    """Compute the shares by label; a report without an error has no shares and is unscored."""
    found = [(answer, errors_of(judged, answer)) for answer in answers]
    shares: dict[str, ErrorShare] = {}
    for label in ERRORS:
        by_query: dict[AskedQuestion, list[float | None]] = {}
        own: list[ErrorExample] = []
        for answer, errors in found:
            here = [one for one in errors or () if one.label == label]
            by_query.setdefault(answer.asked, []).append(len(here) / len(errors) if errors else None)
            own += [{"answer": answer.label, "words": excerpt(one.words, _EXCERPT)} for one in here]
        value = mean(by_query, "share of a report's errors, mean over queries with any", SHARE).document()
        shares[label] = {"share": value, "count": len(own), "examples": own[:EXAMPLES]}
    return shares


def _hallucinations(judged: Judged, answer: Answer) -> Iterator[Dr3Error]:
    claims, citations = judged.held(answer), judged.citations.get(answer.key)
    if claims is None or claims.claims is None or citations is None:
        return
    texts = {row["id"]: row["text"] for row in claims.claims}
    wrong = dict.fromkeys(one.claim for one in citations if one.standing in ("irrelevant", "made_up"))
    borne = {one.claim for one in citations if one.supports is not False}
    yield from (Dr3Error("hallucination", texts.get(claim, claim)) for claim in wrong if claim not in borne)


def _of_facts(judged: Judged, answer: Answer, labels: Sequence[FactLabel]) -> Iterator[Dr3Error]:
    cited = {row["id"] for row in documents_of(judged, answer.key) or () if row["cited"]}
    for label in labels:
        for span in dict.fromkeys(one.span for one in label.repeated):
            yield Dr3Error("distracted", answer.report[slice(*span)])
        if label.score == 1:
            documents = {document_id(place.address) for place in label.places}
            if documents and not documents & cited:
                shown = label.shown
                yield Dr3Error("uncited", label.text if shown is None else answer.report[slice(*shown)])
        elif label.score is not None and label.score > 0:
            shown = label.shown
            yield Dr3Error("in_part", label.text if shown is None else answer.report[slice(*shown)])
        elif label.score == 0 and label.met is not None:
            yield Dr3Error("not_written" if label.met else "not_found", label.text)


def _points(judged: Judged, answer: Answer) -> Iterator[Dr3Error]:
    known, met = known_row(judged, answer.key), points_met(judged, answer.key)
    for row in known["points"] if known is not None and met is not None else ():
        if not row["facts"] and met is not None and met[row["id"]] is False:
            yield Dr3Error("point_missed", row["requirement"])
