"""The format of DeepResearch Bench: prompts, reports, RACE (graded against a reference report) and FACT (checked citations)."""

from __future__ import annotations

from typing import Any

from drr.eval.foreign.form import (
    Cells,
    FigureColumn,
    ForeignId,
    ForeignPart,
    ForeignRow,
    Format,
    Kind,
    Label,
    Share,
    Values,
    Words,
)
from drr.eval.stats.intervals import SHARE, ratio

SIDES = ("comprehensiveness", "insight", "instruction_following", "readability")


class _Verdict(ForeignRow):
    result: Label


class CitedPage(ForeignRow):
    """The checks of one cited address."""

    validate_res: list[_Verdict]
    validate_error: str | None


def _fact_values(where: str, row: Cells) -> Values:
    """Compute FACT as the benchmark's own code does. Unreadable pages and statements of unknown support do not count."""
    if not row["citations"]:
        return {"citations": None, "supported": None}, "the report has no citation"
    pages = [page for page in row["citations_deduped"].values() if page.validate_error is None]
    known = [one.result for page in pages for one in page.validate_res if one.result != "unknown"]
    return {"citations": float(len(known)), "supported": float(known.count("supported"))}, None


_RACE = (
    FigureColumn("overall_score", "overall", SHARE, "target / (target + reference report)"),
    *(FigureColumn(side, side.replace("_", " "), SHARE) for side in SIDES),
)
_FACT = (
    FigureColumn("citations", "citations", remark="that could be checked, per report with any"),
    FigureColumn("supported", "effective citations", remark="of them supported by their page"),
    FigureColumn(
        "accuracy", "citation accuracy", SHARE, "supported / checked, over all reports together",
        ("supported", "citations"), ratio,
    ),
)  # fmt: skip
DRB = Format(
    name="drb",
    title="DeepResearch Bench",
    parts=(
        ForeignPart("race", "DeepResearch Bench, RACE", _RACE),
        ForeignPart("fact", "DeepResearch Bench, FACT", _FACT),
    ),
    no_room=frozenset({"user", "task", "size"}),
    columns={
        "id": ("id", ForeignId, ...),
        "prompt": ("words", Words, ...),
        "language": ("language", Label | None, None),
        "topic": ("domain", Label | None, None),
    },
    kinds=(
        Kind(
            ("citations_deduped",),
            {"citations": (list[Any], ...), "citations_deduped": (dict[str, CitedPage], ...)},
            part="fact",
            values=_fact_values,
        ),
        Kind(
            ("article",),
            {"article": (str, ...)},
            "data/test_data/raw_data/{system}.jsonl",
            ("id", "prompt"),
            text="article",
        ),
        Kind(
            ("overall_score", "error"),
            {**dict.fromkeys((*SIDES, "overall_score"), (Share | None, None)), "error": (str | None, None)},
            "results/race/{system}/raw_results.jsonl",
            ("id", "prompt"),
            part="race",
            failed="error",
        ),
        Kind(("prompt",), {}, "data/prompt_data/query.jsonl", ("id", "topic", "language", "prompt")),
    ),
    forms="`article` is a report, `overall_score` RACE, `citations_deduped` FACT, `prompt` alone a question",
    standard=frozenset({"raw_results", "validated", "scraped", "deduplicated", "extracted"}),
)
