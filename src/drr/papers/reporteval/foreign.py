"""The import and export of DeepResearch-ReportEval: reports by topic, a file of grades for each, and labels of cited sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import md5
from pathlib import Path
from typing import Annotated, Literal

from drr.env.errors import Misuse
from drr.env.files import file_name
from drr.eval.foreign.form import (
    FileOut,
    ForeignFigure,
    ForeignPart,
    ForeignQuestion,
    ForeignRow,
    Four,
    Given,
    GivenQuestion,
    GivenReport,
    GivenScores,
    Label,
    ReportOut,
    ScoresOut,
    Words,
    digest_of,
    files_below,
    files_of_systems,
    json_line,
    kind_of,
    object_in,
    objects_in,
    row_of,
    system_of,
)
from pydantic import BeforeValidator, Field

GRADES = ("comprehensiveness_score", "coherence_score", "clarity_score", "insight_score", "overall_score")
FOUR = (0.0, 4.0)
_FORMS = "`report` is a report, `label` a sentence held against its page, `topic` alone a question"
_BROKEN = "__PARSE_ERROR__"


class _Topic(ForeignRow):
    topic: Words
    category: Label | None = None


class _Report(_Topic):
    report: str


class _Graded(_Topic):
    comprehensiveness_score: Four | None
    coherence_score: Four | None
    clarity_score: Four | None
    insight_score: Four | None
    overall_score: Four | None
    repeat_score: Four | None


class _Factual(ForeignRow):
    is_factual: Literal[-1, 0, 1]


class _Sentence(ForeignRow):
    label: _Factual | Annotated[str, Field(max_length=100_000)]


def _broken(value: object) -> str:
    return str(value)[:200]


class _Broken(ForeignRow):
    why: Annotated[str, BeforeValidator(_broken)] = Field(alias=_BROKEN)


class ReportEvalFiles:
    name = "reporteval"
    title = "DeepResearch-ReportEval"
    parts = (
        ForeignPart("grades", "DeepResearch-ReportEval, grades and repetition", (
            *(ForeignFigure(grade, grade.removesuffix("_score").replace("_", " "), FOUR) for grade in GRADES),
            ForeignFigure("repeat_score", "non-redundancy", FOUR, "4: nothing is repeated"),
        )),
        ForeignPart("support", "DeepResearch-ReportEval, support", (
            ForeignFigure("support", "average support", (-1.0, 1.0), "over sentences, -1 to 1"),
            ForeignFigure("strong", "strong support", (0.0, 1.0), "share of sentences"),
        )),
    )  # fmt: skip
    no_room = frozenset({"id", "user", "task", "language", "size"})

    def read(self, path: Path) -> Iterator[Given]:
        if path.is_dir():
            found = [one for one in files_below(path) if one.suffix == ".json"]
            if not found:
                raise Misuse(f"{path}: holds no .json of grades")
            for one in found:
                yield _graded(one)
        elif path.suffix == ".json":
            yield _graded(path)
        else:
            yield from _lines(path)

    written_parts = frozenset({"grades"})

    def write_scores(self, scores: Sequence[ScoresOut]) -> Iterator[FileOut]:
        for one in scores:
            topic = one.asked.words or ""
            row = {"file_id": _asked(topic).id, "topic": topic, **one.values}
            yield FileOut(f"result/{file_name(one.system)}/{row['file_id']}.json", json_line(**row))

    def write(self, reports: Sequence[ReportOut]) -> Iterator[FileOut]:
        asked = {one.query_id: one.asked for one in reports}
        topics = "".join(json_line(topic=one.words) for one in asked.values())
        yield FileOut("data/topic/topics.jsonl", topics)
        yield from files_of_systems(
            "data/report/{}.jsonl", reports, lambda one: json_line(topic=one.asked.words, report=one.text)
        )


def _asked(topic: str, category: str | None = None) -> ForeignQuestion:
    """Return the question of a topic. Its id is a hash of its words, as in DeepResearch-ReportEval's code."""
    return ForeignQuestion(md5(topic.encode(), usedforsecurity=False).hexdigest(), topic, domain=category)


def _graded(path: Path) -> GivenScores:
    row = row_of(str(path), object_in(path), _Graded)
    values = {name: getattr(row, name) for name in (*GRADES, "repeat_score")}
    system = path.resolve().parent.name
    if not system:
        raise Misuse(f"{path}: whose report is this? say with --system NAME")
    return GivenScores(
        str(path), _asked(row.topic), system, "grades", values, path.name, digest_of(path), None
    )


def _lines(path: Path) -> Iterator[Given]:
    kinds: dict[str, type[ForeignRow]] = {
        "label": _Sentence,
        _BROKEN: _Broken,
        "report": _Report,
        "topic": _Topic,
    }
    digest, system = cache(digest_of), cache(system_of)
    for where, raw in objects_in(path, "rows of DeepResearch-ReportEval"):
        row, by = kind_of(where, raw, kinds, _FORMS), system(path, frozenset())
        match row:
            case _Sentence() | _Broken():
                label = row.label if isinstance(row, _Sentence) else None
                known = float(label.is_factual) if isinstance(label, _Factual) else None
                why = None if known is not None else "its judge failed on the sentence"
                values = {"support": known, "strong": None if known is None else float(known == 1)}
                yield GivenScores(where, None, by, "support", values, path.name, digest(path), why)
            case _Report():
                yield GivenReport(where, _asked(row.topic, row.category), by, row.report)
            case _Topic():
                yield GivenQuestion(where, _asked(row.topic, row.category))
