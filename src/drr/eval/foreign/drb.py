"""The format of DeepResearch Bench: prompts, reports, RACE (graded against a reference report) and FACT (checked citations)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from drr.eval.foreign.form import (
    FileOut,
    ForeignFigure,
    ForeignId,
    ForeignPart,
    ForeignQuestion,
    ForeignRow,
    Given,
    GivenQuestion,
    GivenReport,
    GivenScores,
    Label,
    ReportOut,
    ScoresOut,
    Share,
    Words,
    digest_of,
    files_of_systems,
    json_line,
    kind_of,
    objects_in,
    system_of,
)
from drr.eval.stats.intervals import ratio

SIDES = ("comprehensiveness", "insight", "instruction_following", "readability")
STANDARD = frozenset({"raw_results", "validated", "scraped", "deduplicated", "extracted"})
"""Standard names of result files, which lie in a folder with the system's name."""
_FORMS = "`article` is a report, `overall_score` RACE, `citations_deduped` FACT, `prompt` alone a question"


class _Prompted(ForeignRow):
    id: ForeignId
    prompt: Words
    language: Label | None = None
    topic: Label | None = None


class _Report(_Prompted):
    article: str


class _Race(_Prompted):
    comprehensiveness: Share | None = None
    insight: Share | None = None
    instruction_following: Share | None = None
    readability: Share | None = None
    overall_score: Share | None = None
    error: str | None = None


class _Verdict(ForeignRow):
    result: Label


class CitedPage(ForeignRow):
    """The checks of one cited address."""

    validate_res: list[_Verdict]
    validate_error: str | None


class _Fact(_Prompted):
    citations: list[Any]
    citations_deduped: dict[str, CitedPage]


class DeepResearchBench:
    name = "drb"
    title = "DeepResearch Bench"
    parts = (
        ForeignPart(
            "race",
            "DeepResearch Bench, RACE",
            (
                ForeignFigure("overall_score", "overall", (0.0, 1.0), "target / (target + reference report)"),
                *(ForeignFigure(side, side.replace("_", " "), (0.0, 1.0)) for side in SIDES),
            ),
        ),
        ForeignPart(
            "fact",
            "DeepResearch Bench, FACT",
            (
                ForeignFigure("citations", "citations", remark="that could be checked, per report with any"),
                ForeignFigure("supported", "effective citations", remark="of them supported by their page"),
                ForeignFigure(
                    "accuracy",
                    "citation accuracy",
                    (0.0, 1.0),
                    "supported / checked, over all reports together",
                    sums=("supported", "citations"),
                    formula=ratio,
                ),
            ),
        ),
    )
    no_room = frozenset({"user", "task", "size"})

    def read(self, path: Path) -> Iterator[Given]:
        kinds: dict[str, type[_Prompted]] = {
            "citations_deduped": _Fact,
            "article": _Report,
            "overall_score": _Race,
            "error": _Race,
            "prompt": _Prompted,
        }
        digest = cache(digest_of)
        for where, raw in objects_in(path, "rows of DeepResearch Bench"):
            row = kind_of(where, raw, kinds, _FORMS)
            asked = ForeignQuestion(row.id, row.prompt, language=row.language, domain=row.topic)
            if isinstance(row, _Report):
                yield GivenReport(where, asked, system_of(path, STANDARD), row.article)
            elif isinstance(row, _Race | _Fact):
                part, values, failed = _scored(row)
                system = system_of(path, STANDARD)
                yield GivenScores(where, asked, system, part, values, path.name, digest(path), failed)
            else:
                yield GivenQuestion(where, asked)

    written_parts = frozenset({"race"})

    def write_scores(self, scores: Sequence[ScoresOut]) -> Iterator[FileOut]:
        yield from files_of_systems("results/race/{}/raw_results.jsonl", scores, _raced)

    def write(self, reports: Sequence[ReportOut]) -> Iterator[FileOut]:
        asked = {one.query_id: one.asked for one in reports}
        lines = (
            json_line(id=_id(name, one), topic=one.domain, language=one.language, prompt=one.words)
            for name, one in asked.items()
        )
        yield FileOut("data/prompt_data/query.jsonl", "".join(lines))
        yield from files_of_systems(
            "data/test_data/raw_data/{}.jsonl",
            reports,
            lambda one: json_line(id=_id(one.query_id, one.asked), prompt=one.asked.words, article=one.text),
        )


def _raced(one: ScoresOut) -> str:
    named = {"id": _id(one.query_id, one.asked), "prompt": one.asked.words}
    outcome = {"error": one.failed} if one.failed else dict(one.values)
    return json_line(**named, **outcome)


def _id(query_id: str, asked: ForeignQuestion) -> int | str:
    return query_id if asked.id is None else asked.id


def _scored(row: _Race | _Fact) -> tuple[str, dict[str, float | None], str | None]:
    """Return the part, its values, and the reason why there are none."""
    if isinstance(row, _Fact):
        return "fact", *_checked(row)
    return "race", {name: getattr(row, name) for name in (*SIDES, "overall_score")}, row.error


def _checked(row: _Fact) -> tuple[dict[str, float | None], str | None]:
    """Compute FACT as the benchmark's own code does. Unreadable pages and statements of unknown support do not count."""
    if not row.citations:
        return {"citations": None, "supported": None}, "the report has no citation"
    verdicts = [
        verdict.result
        for page in row.citations_deduped.values()
        if page.validate_error is None
        for verdict in page.validate_res
    ]
    known = [one for one in verdicts if one != "unknown"]
    return {"citations": float(len(known)), "supported": float(known.count("supported"))}, None
