"""The import and export of DeepResearch-ReportEval: reports by topic, a file of grades for each, and labels of cited sentences."""

from __future__ import annotations

from hashlib import md5
from typing import Annotated, Any, Literal

from drr.eval.foreign.form import (
    Cells,
    FigureColumn,
    ForeignPart,
    ForeignRow,
    Format,
    Four,
    Kind,
    Label,
    Values,
    Words,
)
from drr.eval.stats.intervals import SHARE
from pydantic import Field

GRADES = ("comprehensiveness_score", "coherence_score", "clarity_score", "insight_score", "overall_score")
FOUR = (0.0, 4.0)


class _Factual(ForeignRow):
    is_factual: Literal[-1, 0, 1]


def _support(where: str, row: Cells) -> Values:
    """Return the support of one sentence. A row of text, or with an error of parsing, is a failure of the judge."""
    if not isinstance(row["label"], _Factual):
        return {"support": None, "strong": None}, "its judge failed on the sentence"
    support = float(row["label"].is_factual)
    return {"support": support, "strong": float(support == 1)}, None


def _digest(topic: str) -> str:
    """Return the hash of a topic's words, which DeepResearch-ReportEval's code takes for its id."""
    return md5(topic.encode(), usedforsecurity=False).hexdigest()


REPORTEVAL = Format(
    name="reporteval",
    title="DeepResearch-ReportEval",
    parts=(
        ForeignPart("grades", "DeepResearch-ReportEval, grades and repetition", (
            *(FigureColumn(grade, grade.removesuffix("_score").replace("_", " "), FOUR) for grade in GRADES),
            FigureColumn("repeat_score", "non-redundancy", FOUR, "4: nothing is repeated"),
        )),
        ForeignPart("support", "DeepResearch-ReportEval, support", (
            FigureColumn("support", "average support", (-1.0, 1.0), "over sentences, -1 to 1"),
            FigureColumn("strong", "strong support", SHARE, "share of sentences"),
        )),
    ),
    no_room=frozenset({"id", "user", "task", "language", "size"}),
    columns={
        "file_id": ("id", Any, None), "topic": ("words", Words, ...), "category": ("domain", Label | None, None),
    },
    kinds=(
        Kind(
            columns=dict.fromkeys((*GRADES, "repeat_score"), (Four | None, ...)),
            path="result/{system}/{id}.json", named=("file_id", "topic"), part="grades", suffix=".json",
        ),
        Kind(
            ("label", "__PARSE_ERROR__"), {"label": (_Factual | Annotated[str, Field(max_length=100_000)], None)},
            part="support", values=_support, has_question=False,
        ),
        Kind(("report",), {"report": (str, ...)}, "data/report/{system}.jsonl", ("topic",), text="report"),
        Kind(("topic",), {}, "data/topic/topics.jsonl", ("topic", "category")),
    ),
    forms="`report` is a report, `label` a sentence held against its page, `topic` alone a question",
    id_of_words=_digest,
)  # fmt: skip
