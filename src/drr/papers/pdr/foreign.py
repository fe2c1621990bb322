"""The import and export of PDR-Bench's results: pairs of task and person, reports, and scores for P, Q and R."""

from __future__ import annotations

from typing import Any

from drr.env.errors import Misuse
from drr.eval.foreign.drb import CitedPage
from drr.eval.foreign.form import (
    Cells,
    FigureColumn,
    ForeignId,
    ForeignPart,
    ForeignRow,
    Format,
    Kind,
    Label,
    Ten,
    Values,
    Words,
)
from drr.eval.stats.intervals import Floats, ratio

P = ("goal_alignment", "content_alignment", "presentation_fit", "actionability_practicality")
Q = ("depth_insight", "logical_coherence", "clarity_readability")
TEN = (0.0, 10.0)
_UNCITED = frozenset({"", "no_url"})
_PAIR = ("id", "domain", "language", "taskid", "userid")


class _Uncited(ForeignRow):
    facts: list[Any]


class _Claimed(CitedPage):
    facts: list[Any]


def _claims(where: str, row: Cells) -> Values:
    """Count claims as PDR-Bench's code does: unreadable and unknown claims count as not supported."""
    pages: dict[str, _Claimed | _Uncited] = row["factual_claims_deduped"]
    count = sum(len(page.facts) for page in pages.values())
    if not row["factual_claims"] and not count:
        return {"supported": None, "cited": None, "claims": None}, "the report has no claim"
    cited = [page for address, page in pages.items() if address not in _UNCITED]
    checked = [page for page in cited if isinstance(page, _Claimed)]
    if len(checked) < len(cited):
        raise Misuse(f"{where}: factual_claims_deduped: not checked yet; give validated.jsonl")
    read = (verdict for page in checked if page.validate_error is None for verdict in page.validate_res)
    counts = (sum(one.result == "supported" for one in read), sum(len(page.facts) for page in cited), count)
    return dict(zip(("supported", "cited", "claims"), map(float, counts), strict=True)), None


def _accuracy(sums: Floats) -> Floats:
    return 10 * ratio(sums)


def _reliability(sums: Floats) -> Floats:
    """Return the reliability from the columns supported, cited and all claims."""
    return (10 * ratio(sums[:, [0, 1]]) + 10 * ratio(sums[:, [1, 2]])) / 2


def _kind_of_scores(part: str, sides: tuple[str, ...], folder: str) -> Kind:
    columns = dict.fromkeys((*sides, f"{part}_overall_score"), (Ten | None, None))
    path = f"results/{folder}/{{system}}/{folder}_results.jsonl"
    return Kind((sides[0],), columns, path, (*_PAIR, "task"), part=part)


PDR = Format(
    name="pdr",
    title="PDR-Bench",
    parts=(
        ForeignPart("p", "PDR-Bench, P", (
            FigureColumn("p_overall_score", "P", TEN), *(FigureColumn(side, side.replace("_", " "), TEN) for side in P),
        )),
        ForeignPart("q", "PDR-Bench, Q", (
            FigureColumn("q_overall_score", "Q", TEN), *(FigureColumn(side, side.replace("_", " "), TEN) for side in Q),
        )),
        ForeignPart("r", "PDR-Bench, R", (
            FigureColumn("r_overall_score", "R", TEN, "mean of both, over all reports together", ("supported", "cited", "claims"), _reliability),
            FigureColumn("fa", "factual accuracy", TEN, "10 x supported / cited claims", ("supported", "cited"), _accuracy),
            FigureColumn("cc", "citation coverage", TEN, "10 x cited / all claims", ("cited", "claims"), _accuracy),
            FigureColumn("claims", "claims", remark="per report with any"),
        )),
    ),
    no_room=frozenset({"size"}),
    columns={
        "id": ("id", ForeignId, ...), "language": ("language", Label | None, None),
        "taskid": ("task", ForeignId | None, None), "userid": ("user", ForeignId | None, None),
        "domain": ("domain", Label | None, None), "task": ("words", Words | None, None),
    },
    kinds=(
        Kind(
            ("factual_claims_deduped",),
            {"factual_claims": (list[Any] | None, None), "factual_claims_deduped": (dict[str, _Claimed | _Uncited], ...)},
            part="r", values=_claims,
        ),
        Kind(("article",), {"article": (str, ...)}, "data/test_data/raw_data/{system}.jsonl", _PAIR, text="article"),
        _kind_of_scores("p", P, "personalization"),
        _kind_of_scores("q", Q, "quality"),
        Kind(("task",), {}, "data/prompt_data/queries.jsonl", (*_PAIR, "task")),
    ),
    forms="`article` is a report, `goal_alignment` its P, `depth_insight` its Q, `factual_claims_deduped` its R, `task` alone a question",
    standard=frozenset({"personalization_results", "quality_results", "validated", "scraped", "deduplicated"}),
)  # fmt: skip
