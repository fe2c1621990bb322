"""The import and export of PDR-Bench's results: pairs of task and person, reports, and scores for P, Q and R."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from drr.env.errors import Misuse
from drr.eval.foreign.drb import CitedPage
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
    Ten,
    Words,
    digest_of,
    files_of_systems,
    json_line,
    kind_of,
    objects_in,
    system_of,
)
from drr.eval.stats.intervals import Floats, ratio

STANDARD = frozenset({"personalization_results", "quality_results", "validated", "scraped", "deduplicated"})
P = ("goal_alignment", "content_alignment", "presentation_fit", "actionability_practicality")
Q = ("depth_insight", "logical_coherence", "clarity_readability")
TEN = (0.0, 10.0)
_FORMS = (
    "`article` is a report, `goal_alignment` its P, `depth_insight` its Q, `factual_claims_deduped` its R, "
    "`task` alone a question"
)
_UNCITED = frozenset({"", "no_url"})


class _Pair(ForeignRow):
    id: ForeignId
    language: Label | None = None
    taskid: ForeignId | None = None
    userid: ForeignId | None = None
    domain: Label | None = None
    task: Words | None = None


class _Report(_Pair):
    article: str


class _Personal(_Pair):
    goal_alignment: Ten | None = None
    content_alignment: Ten | None = None
    presentation_fit: Ten | None = None
    actionability_practicality: Ten | None = None
    p_overall_score: Ten | None = None


class _Quality(_Pair):
    depth_insight: Ten | None = None
    logical_coherence: Ten | None = None
    clarity_readability: Ten | None = None
    q_overall_score: Ten | None = None


class _Uncited(ForeignRow):
    facts: list[Any]


class _Claimed(CitedPage):
    facts: list[Any]


class _Reliable(_Pair):
    factual_claims: list[Any] | None = None
    factual_claims_deduped: dict[str, _Claimed | _Uncited]


def _accuracy(sums: Floats) -> Floats:
    return 10 * ratio(sums)


def _reliability(sums: Floats) -> Floats:
    """Return the reliability from the columns supported, cited and all claims."""
    return (10 * ratio(sums[:, [0, 1]]) + 10 * ratio(sums[:, [1, 2]])) / 2


class PdrBench:
    name = "pdr"
    title = "PDR-Bench"
    parts = (
        ForeignPart("p", "PDR-Bench, P", (
            ForeignFigure("p_overall_score", "P", TEN), *(ForeignFigure(side, side.replace("_", " "), TEN) for side in P),
        )),
        ForeignPart("q", "PDR-Bench, Q", (
            ForeignFigure("q_overall_score", "Q", TEN), *(ForeignFigure(side, side.replace("_", " "), TEN) for side in Q),
        )),
        ForeignPart("r", "PDR-Bench, R", (
            ForeignFigure("r_overall_score", "R", TEN, "mean of both, over all reports together", ("supported", "cited", "claims"), _reliability),
            ForeignFigure("fa", "factual accuracy", TEN, "10 x supported / cited claims", ("supported", "cited"), _accuracy),
            ForeignFigure("cc", "citation coverage", TEN, "10 x cited / all claims", ("cited", "claims"), _accuracy),
            ForeignFigure("claims", "claims", remark="per report with any"),
        )),
    )  # fmt: skip
    no_room: frozenset[str] = frozenset({"size"})

    def read(self, path: Path) -> Iterator[Given]:
        kinds: dict[str, type[_Pair]] = {
            "factual_claims_deduped": _Reliable, "article": _Report, "goal_alignment": _Personal,
            "depth_insight": _Quality, "task": _Pair,
        }  # fmt: skip
        digest = cache(digest_of)
        for where, raw in objects_in(path, "rows of PDR-Bench"):
            row = kind_of(where, raw, kinds, _FORMS)
            asked, (part, values, failed) = _asked(row), _values(where, row)
            if isinstance(row, _Report):
                yield GivenReport(where, asked, system_of(path, STANDARD), row.article)
            elif part is None:
                yield GivenQuestion(where, asked)
            else:
                system = system_of(path, STANDARD)
                yield GivenScores(where, asked, system, part, values, path.name, digest(path), failed)

    written_parts = frozenset({"p", "q"})

    def write_scores(self, scores: Sequence[ScoresOut]) -> Iterator[FileOut]:
        for part, name in (("p", "personalization"), ("q", "quality")):
            yield from files_of_systems(
                f"results/{name}/{{}}/{name}_results.jsonl",
                [one for one in scores if one.part == part],
                lambda one: json_line(
                    **_pair(one.query_id, one.asked), task=one.asked.words, **dict(one.values)
                ),
            )

    def write(self, reports: Sequence[ReportOut]) -> Iterator[FileOut]:
        asked = {one.query_id: one.asked for one in reports}
        lines = (json_line(**_pair(name, one), task=one.words) for name, one in asked.items())
        yield FileOut("data/prompt_data/queries.jsonl", "".join(lines))
        yield from files_of_systems(
            "data/test_data/raw_data/{}.jsonl",
            reports,
            lambda one: json_line(**_pair(one.query_id, one.asked), article=one.text),
        )


def _asked(row: _Pair) -> ForeignQuestion:
    user = None if row.userid is None else str(row.userid)
    return ForeignQuestion(row.id, row.task, user, row.language, row.taskid, row.domain)


def _pair(query_id: str, asked: ForeignQuestion) -> dict[str, int | str | None]:
    named = {"id": query_id if asked.id is None else asked.id, "domain": asked.domain}
    return {**named, "language": asked.language, "taskid": asked.task, "userid": asked.user}


def _values(where: str, row: _Pair) -> tuple[str | None, dict[str, float | None], str | None]:
    """Return the part of the scores, the values, and the reason if there are none."""
    match row:
        case _Personal():
            return "p", {name: getattr(row, name) for name in (*P, "p_overall_score")}, None
        case _Quality():
            return "q", {name: getattr(row, name) for name in (*Q, "q_overall_score")}, None
        case _Reliable():
            return "r", *_claims(where, row)
        case _:
            return None, {}, None


def _claims(where: str, row: _Reliable) -> tuple[dict[str, float | None], str | None]:
    """Count claims as PDR-Bench's code does: unreadable and unknown ones count as not supported. Returns values and the reason if there are none."""
    pages = row.factual_claims_deduped
    count = sum(len(page.facts) for page in pages.values())
    if not row.factual_claims and not count:
        return {"supported": None, "cited": None, "claims": None}, "the report has no claim"
    cited = [page for address, page in pages.items() if address not in _UNCITED]
    checked = [page for page in cited if isinstance(page, _Claimed)]
    if len(checked) < len(cited):
        raise Misuse(f"{where}: factual_claims_deduped: not checked yet; give validated.jsonl")
    read = (verdict for page in checked if page.validate_error is None for verdict in page.validate_res)
    counts = (sum(one.result == "supported" for one in read), sum(len(page.facts) for page in cited), count)
    return dict(zip(("supported", "cited", "claims"), map(float, counts), strict=True)), None
