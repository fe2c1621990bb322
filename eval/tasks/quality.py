"""The seven dimensions: one call per dimension, an integer from 0 to 10, the reasons before the number.

The scale is 0-10 because the paper's prompts say so; its text and Table 2 say 1-10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from drr.eval.asking.conversation import (
    FailuresAnswer,
    PaperPreferenceAnswer,
    PaperRatingAnswer,
    PreferenceAnswer,
    RatingAnswer,
    Section,
    conversation,
    version_of,
)
from drr.eval.evidence.passages import locate
from drr.eval.labels import DIMENSIONS, Dimension
from drr.eval.stats.intervals import V, mean
from drr.llm.prompts import Prompts
from drr.llm.role import RoleModel
from langchain_core.messages import BaseMessage

TITLES: Mapping[Dimension, str] = {
    "clarity": "Clarity",
    "depth": "Depth",
    "breadth": "Breadth",
    "insightfulness": "Insightfulness",
    "constraint_following": "Constraint Following",
    "personalization": "Personalization",
    "overall": "Overall Quality",
}
LENGTH_WARNING = 0.5


@dataclass(frozen=True)
class Graded:
    """What a judge of quality sees of one question."""

    query: str
    profile: str
    """The profile summary as text; empty where the shopper is unknown."""
    shop_url: str


def criterion(prompts: Prompts, dimension: Dimension) -> str:
    return prompts[f"criterion_{dimension}"].text.strip()


def rating_prompt(dimension: Dimension, *, paper: bool = False) -> str:
    name = "rate_personalization" if dimension == "personalization" else "rate"
    return f"paper_{name}" if paper else name


def rating_version(prompts: Prompts, dimension: Dimension, *, paper: bool = False) -> str:
    return version_of(prompts[rating_prompt(dimension, paper=paper)], prompts[f"criterion_{dimension}"])


def comparison_version(prompts: Prompts, dimension: Dimension, *, paper: bool = False) -> str:
    return version_of(prompts["paper_compare" if paper else "compare"], prompts[f"criterion_{dimension}"])


def _context(graded: Graded) -> list[Section]:
    profile = graded.profile or "Nothing is known of this shopper."
    return [
        Section("profile", profile, "The shopper's profile summary:"),
        Section("question", graded.query, "The question:"),
    ]


def rating_messages(
    prompts: Prompts, dimension: Dimension, graded: Graded, answer: str, *, paper: bool = False
) -> list[BaseMessage]:
    slots = {"shop_url": graded.shop_url}
    if dimension != "personalization":
        slots |= {"criterion_name": TITLES[dimension], "criterion": criterion(prompts, dimension)}
    system = prompts.fill(rating_prompt(dimension, paper=paper), **slots)
    return conversation(system, [*_context(graded), Section("answer", answer, "The answer:")])


async def rate(model: RoleModel, messages: Sequence[BaseMessage], *, paper: bool = False) -> dict[str, Any]:
    answer: RatingAnswer | PaperRatingAnswer
    if paper:
        answer = await model.structured(messages, PaperRatingAnswer)
    else:
        answer = await model.structured(messages, RatingAnswer)
    return {"rating": answer.rating, "justification": answer.justification}


def comparison_messages(
    prompts: Prompts, dimension: Dimension, graded: Graded, first: str, second: str, *, paper: bool = False
) -> list[BaseMessage]:
    """`first` stands as answer A."""
    system = prompts.fill(
        "paper_compare" if paper else "compare",
        shop_url=graded.shop_url,
        criterion_name=TITLES[dimension],
        criterion=criterion(prompts, dimension),
    )
    answers = [Section("answer_a", first, "Answer A:"), Section("answer_b", second, "Answer B:")]
    return conversation(system, [*_context(graded), *answers])


async def prefer(model: RoleModel, messages: Sequence[BaseMessage], *, paper: bool = False) -> dict[str, Any]:
    """The winner by its place in the prompt: `first`, `second`, `tie`."""
    answer: PreferenceAnswer | PaperPreferenceAnswer
    if paper:
        answer = await model.structured(messages, PaperPreferenceAnswer)
    else:
        answer = await model.structured(messages, PreferenceAnswer)
    place: Mapping[str, Literal["first", "second", "tie"]] = {"A": "first", "B": "second", "tie": "tie"}
    return {"winner": place[answer.winner], "justification": answer.justification}


def failure_messages(prompts: Prompts, graded: Graded, answer: str) -> list[BaseMessage]:
    system = prompts.fill("failures", shop_url=graded.shop_url)
    return conversation(system, [*_context(graded), Section("answer", answer, "The answer:")])


async def diagnose(model: RoleModel, messages: Sequence[BaseMessage], report: str) -> dict[str, Any]:
    """The labels of Appendix G that a judge proposes, each with the words that show it; words the report lacks do not count."""
    answer = await model.structured(messages, FailuresAnswer)
    found: dict[str, dict[str, Any]] = {}
    unfounded: list[str] = []
    for failure in answer.failures:
        span = locate(failure.example, report)
        if span is None:
            unfounded.append(failure.label)
        else:
            found.setdefault(failure.label, {"label": failure.label, "start": span.start, "end": span.end})
    return {"failures": list(found.values()), "unfounded": unfounded}


@dataclass(frozen=True, slots=True)
class RatedReport:
    query: str
    trial: int
    ratings: Mapping[str, int | None]
    """By dimension; `None` where the judge failed or has not judged."""
    words: int | None


def report_values(report: RatedReport) -> dict[str, float | None]:
    found: dict[str, float | None] = {
        name: None if (value := report.ratings.get(name)) is None else float(value) for name in DIMENSIONS
    }
    scores = [value for value in found.values() if value is not None]
    found["quality_average"] = sum(scores) / len(scores) if len(scores) == len(DIMENSIONS) else None
    return found


def corpus_values(reports: Sequence[RatedReport]) -> dict[str, V]:
    """Means per dimension, and their plain average over reports that have all seven (the paper's "Avg")."""
    found = {}
    per_report = [(report.query, report_values(report)) for report in reports]
    for name in (*DIMENSIONS, "quality_average"):
        grouped: dict[str, list[float | None]] = {}
        for query, values in per_report:
            grouped.setdefault(query, []).append(values[name])
        what = "mean of the seven dimensions" if name == "quality_average" else "rating 0-10"
        found[name] = mean(grouped, f"{what}, mean over queries")
    return found


def length_correlations(reports: Sequence[RatedReport]) -> dict[str, dict[str, Any]]:
    """Spearman of each dimension with the report's words; above 0.5 the grade may measure length."""
    from drr.eval.stats.agreement import spearman

    words: list[float | None] = [None if r.words is None else float(r.words) for r in reports]
    found: dict[str, dict[str, Any]] = {}
    for name in DIMENSIONS:
        scores: list[float | None] = [report_values(report)[name] for report in reports]
        v = spearman(scores, words, unit="report", clusters=[report.query for report in reports])
        warn = v.value is not None and v.value > LENGTH_WARNING
        found[name] = {**v.document(), "warning": warn}
    return found
