"""The row types of a study of tasks with files, the errors of reports, and the noise of the figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, NotRequired, TypedDict, cast, get_args

from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Values
from drr.eval.metrics.rows import CostDocument, StudyDocument
from drr.eval.stats.differences import DifferenceRow, pooled_sd
from drr.eval.stats.intervals import SHARE, VRow, mean
from drr.eval.stats.question import grouped
from drr.eval.tasks.judgements import Judged
from drr.papers.dr3.judging.rows import (
    DEPTH,
    FOLLOWING,
    INSIGHTS,
    FactLabel,
    document_id,
    documents_of,
    fact_labels,
    point_labels,
)
from drr.papers.dr3.metrics import accuracy
from drr.papers.dr3.metrics import dr3 as family
from drr.wording.excerpt import excerpt


class ErrorExample(TypedDict):
    answer: str
    words: str


class ErrorShare(TypedDict):
    share: VRow
    """Share of a report's errors that are of this kind, mean over queries."""
    count: int
    examples: list[ErrorExample]


class Dr3Difference(TypedDict):
    """A difference of two means, paired by task. It is of one system at two sizes, or of two systems at common sizes."""

    system: str
    """The first system of the pair."""
    a: str
    b: str
    metrics: dict[str, DifferenceRow]
    """Differences by metric; `p_holm` is corrected over all differences of the list."""


class NoiseRow(TypedDict):
    sd: float | None
    """Standard deviation of one report's figure; `None`: not measured."""
    n: int
    """Number of questions with several trials, or of reports that were judged several times."""


class NoiseFloor(TypedDict):
    between: Literal["trials", "judgings"] | None
    metrics: dict[str, NoiseRow]


class Dr3Document(TypedDict):
    sizes: dict[str, dict[str, dict[str, VRow]]]
    """Values by system, size and metric; the smallest size first."""
    between_sizes: list[Dr3Difference]
    """Differences between each size and the smallest size."""
    between_options: list[Dr3Difference]
    """Differences between each system and the one of its architecture with most of its options and no others."""
    modalities: dict[str, dict[str, VRow]]
    """Recall by system and modality of the facts: text, table, picture."""
    errors: dict[str, dict[str, ErrorShare]]
    noise: dict[str, NoiseFloor]
    """Noise of the figures by system."""
    cost: NotRequired[CostDocument]


def dr3_part(document: StudyDocument) -> Dr3Document | None:
    """Return the part `dr3` of a study's document; `None` if there is none."""
    return cast(Mapping[str, Dr3Document], document).get("dr3")


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
    """The wrong words of the report, else the missing statement."""


def errors_of(judged: Judged, answer: Answer) -> list[Dr3Error] | None:
    """Return the errors of a report; `None` if facts were not looked for yet."""
    labels = fact_labels(judged, answer.key)
    if labels is None:
        return None
    missed = [
        Dr3Error("point_missed", one.row["requirement"])
        for one in point_labels(judged, answer.key) or ()
        if not one.row["facts"] and one.met is False
    ]
    return [*_hallucinations(judged, answer), *_of_facts(judged, answer, labels), *missed]


def error_shares(judged: Judged, answers: Sequence[Answer]) -> dict[str, ErrorShare]:
    """Return the shares of errors by kind. A report without errors has no shares and is unscored."""
    found = [(answer, errors_of(judged, answer) or []) for answer in answers]
    shares: dict[str, ErrorShare] = {}
    for label in ERRORS:
        own = [
            (answer, [one for one in errors if one.label == label], len(errors)) for answer, errors in found
        ]
        by_query = grouped((answer.asked, len(here) / of if of else None) for answer, here, of in own)
        examples: list[ErrorExample] = [
            {"answer": answer.label, "words": excerpt(one.words, _EXCERPT)}
            for answer, here, _ in own
            for one in here
        ]
        value = mean(by_query, "share of a report's errors, mean over queries with any", SHARE).document()
        shares[label] = {"share": value, "count": len(examples), "examples": examples[:EXAMPLES]}
    return shares


def _hallucinations(judged: Judged, answer: Answer) -> Iterator[Dr3Error]:
    claims, citations = judged.checked_claims(answer), judged.citations.get(answer.key)
    if claims is None or claims.claims is None or citations is None:
        return
    texts = {row["id"]: row["text"] for row in claims.claims}
    wrong = dict.fromkeys(one.claim for one in citations if one.standing in ("irrelevant", "made_up"))
    borne = {one.claim for one in citations if one.supports is not False}
    yield from (Dr3Error("hallucination", texts.get(claim, claim)) for claim in wrong if claim not in borne)


def _of_facts(judged: Judged, answer: Answer, labels: Sequence[FactLabel]) -> Iterator[Dr3Error]:
    cited = {row["id"] for row in documents_of(judged, answer.key) if row["cited"]}
    for label in labels:
        row, score = label.row, label.score
        for start, end in dict.fromkeys((one["start"], one["end"]) for one in row["repeated"]):
            yield Dr3Error("distracted", answer.report[start:end])
        shown = label.words(answer.report) or row["text"]
        if score == 1:
            documents = {document_id(place["address"]) for place in row["places"]}
            if documents and not documents & cited:
                yield Dr3Error("uncited", shown)
        elif score:
            yield Dr3Error("in_part", shown)
        elif score == 0 and label.met is not None:
            yield Dr3Error("not_written" if label.met else "not_found", row["text"])


BEHIND: Mapping[str, frozenset[str]] = {
    "dr3_ir_sc": frozenset((INSIGHTS,)),
    "dr3_ir_uf": frozenset((INSIGHTS,)),
    "dr3_if": frozenset((INSIGHTS, FOLLOWING)),
    "dr3_dq": frozenset((DEPTH,)),
}
"""Judging tasks behind each figure whose noise repeated judgings can show. Citation coverage is found by code, and
sources are judged again for a few claims only."""


def noise_floor(
    judged: Judged, again: Sequence[Judged], answers: Sequence[Answer], shown: Sequence[str]
) -> NoiseFloor:
    """Measure the noise of one system's figures. Trials are preferred, as they include the judge's noise; a figure
    without repeats is unknown."""
    by_question = grouped((answer.asked, values_of_tasks(judged, answer)) for answer in answers)
    trials = _rows(list(by_question.values()), shown)
    if any(row["sd"] is not None for row in trials.values()):
        return {"between": "trials", "metrics": trials}
    repeats = _rows([list(_judged_again(judged, again, answer)) for answer in answers], shown)
    measured = any(row["sd"] is not None for row in repeats.values())
    return {"between": "judgings" if measured else None, "metrics": repeats}


def values_of_tasks(judged: Judged, answer: Answer) -> Values:
    """Return the figures of one report that the tables of tasks with files show."""
    return {**accuracy.per_report(judged, answer), **family.per_report(judged, answer)}


def _rows(repeated: Sequence[Sequence[Values]], shown: Sequence[str]) -> dict[str, NoiseRow]:
    rows: dict[str, NoiseRow] = {}
    for name in shown:
        sd, n = pooled_sd([[values.get(name) for values in own] for own in repeated])
        rows[name] = {"sd": sd, "n": n}
    return rows


def _judged_again(judged: Judged, again: Sequence[Judged], answer: Answer) -> Iterator[Values]:
    """Yield the figures by the first judging, then by each repeated judging that covers the same requests."""
    first = family.per_report(judged, answer)
    yield {name: first.get(name) for name in BEHIND}
    tasks = (INSIGHTS, FOLLOWING, DEPTH)
    asked = {task for task in tasks if answer.key in judged.others.get(task, {})}
    for one in again:
        anew = {task for task in tasks if _covers(one, judged, task, answer.key)}
        others = {**judged.others, **{task: {answer.key: one.others[task][answer.key]} for task in anew}}
        values = family.per_report(replace(judged, others=others), answer)
        yield {name: values.get(name) for name, own in BEHIND.items() if asked & own and asked & own <= anew}


def _covers(again: Judged, first: Judged, task: str, answer: str) -> bool:
    """Tell whether a repeated judging covers everything that the first one asked. A part of it would give another figure."""
    own, other = (one.others.get(task, {}).get(answer) for one in (first, again))
    if isinstance(own, Mapping) and isinstance(other, Mapping):
        return task == DEPTH or own.keys() <= other.keys()
    return False
