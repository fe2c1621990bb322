"""Builds the table of a judge's results on the cheating reports and planted errors, with pass or fail for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from drr.env.source import Source
from drr.eval.agreement.people import Results, support_status
from drr.eval.canaries.planted_errors import QUERY_ID as FACTS_QUERY
from drr.eval.canaries.planted_errors import QUESTION as ASKED
from drr.eval.canaries.planted_errors import PlantedClaim, planted_answers
from drr.eval.canaries.reports import ANNA, CANARIES, CLEAN, QUESTION, cited_pages
from drr.eval.labels import DIMENSIONS
from drr.eval.metrics import values_of
from drr.eval.stats.aggregate import plain_mean
from drr.eval.stats.question import grouped
from drr.eval.tasks.judgements import Judged
from drr.study.evidence import pack_sources
from drr.study.run import run
from drr.study.study import Study
from drr.study.unit import Outcome, Unit
from drr.study.worker import Context

CLEAN_NAME = "clean"
SHOP_URL = "http://ecommerce.example"
QUERY_ID = "q-birds"


def report_units() -> list[Unit]:
    reports = {CLEAN_NAME: CLEAN, **CANARIES}
    return [answer_unit(QUERY_ID, QUESTION, ANNA, name, report) for name, report in reports.items()]


def mistake_units() -> list[Unit]:
    return [answer_unit(FACTS_QUERY, ASKED, ANNA, one.name, one.report) for one in planted_answers()]


def answer_unit(query_id: str, query: str, user_id: str, variant: str, report: str) -> Unit:
    facts = {"query_id": query_id, "query": query, "user_id": user_id, "variant": variant, "trial": 0}
    spec = {
        **facts,
        "report": report,
        "sources": [source.model_dump(mode="json") for source in cited_pages()],
    }
    return Unit("answer", {**spec, "made": "canary"}, spec, f"{query_id}/{variant}/0")


async def store_test_reports(study: Study, units: list[Unit]) -> None:
    """Store the test reports in the study; those of an earlier version no longer count."""
    from drr.llm.factory import Models
    from drr.llm.models import ModelSettings

    study.retire("answer", units)
    await run(study, units, _put_answer, models=Models(ModelSettings(roles={"default": "offline"})))


async def _put_answer(spec: Mapping[str, Any], context: Context) -> Outcome:
    rows, blobs = pack_sources([Source.model_validate(source) for source in spec["sources"]])
    facts = {name: spec[name] for name in ("query_id", "query", "user_id", "variant", "trial")}
    fields = {"words": len(spec["report"].split()), "sources": rows, "fabricated": [], "tool_calls": []}
    return Outcome({**facts, **fields}, {**blobs, "report": spec["report"]})


MARGIN = 0.5
"""Difference that a judge's grades of one report show from one time to the next."""
FP_MARGIN = 0.1
EMPTY_MOST = 2.0
FOUND_LEAST = 0.95
ALARMS_MOST = 0.02
STATED_LEAST = 0.8
"""Least share of true claims fully supported: a judge that calls everything partly supported has found nothing."""


class CanaryRow(TypedDict):
    part: str
    name: str
    asked: str
    value: float | None
    beside: float | None
    """Value for comparison: the clean report's figure, or a limit."""
    passed: bool | None
    """Result of the test; `None` where the judge gave no answer."""


def row(
    part: str, name: str, asked: str, value: float | None, beside: float | None, most: bool = True
) -> CanaryRow:
    """Build a row that passes where `value` is at most, or at least, `beside`."""
    holds = None
    if value is not None and beside is not None:
        holds = value <= beside + 1e-9 if most else value >= beside - 1e-9
    return {"part": part, "name": name, "asked": asked, "value": value, "beside": beside, "passed": holds}


def report_rows(judged: Judged) -> list[CanaryRow]:
    """Build the rows of reports. A cheating report must be graded no higher than the clean one, nor be more faithful."""
    figures = {answer.variant: values_of(judged, answer) for answer in judged.answers}
    if CLEAN_NAME not in figures:
        return []
    clean = figures.pop(CLEAN_NAME)
    least = shares_above(_grade(figures["empty"]), 1.0)
    rows = [row("reports", CLEAN_NAME, "graded above the empty one", _grade(clean), least, most=False)]
    for name, canary in figures.items():
        if name == "empty":
            asked = f"mean grade at most {EMPTY_MOST:g}"
            rows.append(row("reports", name, asked, _grade(canary), EMPTY_MOST))
            continue
        limit = shares_above(_grade(clean), MARGIN)
        rows.append(row("reports", name, "mean grade no better than clean", _grade(canary), limit))
        if canary.get("fp") is not None:
            faith = shares_above(clean.get("fp"), FP_MARGIN)
            rows.append(row("reports", name, "faithfulness no better than clean", canary.get("fp"), faith))
    return rows


def _grade(values: Mapping[str, float | None]) -> float | None:
    """Return the mean grade; unknown where one grade is unknown."""
    grades = [values.get(dimension) for dimension in DIMENSIONS]
    return None if None in grades else plain_mean(grades)


def shares_above(value: float | None, more: float) -> float | None:
    return None if value is None else value + more


def planted_rows(
    claims: Iterable[PlantedClaim], results: Results, case_of: Mapping[str, str]
) -> list[CanaryRow]:
    """Build the rows of planted claims. `case_of` maps a claim to its case; a missing answer makes its row unknown."""
    outcomes = grouped((one.kind, support_status(results.get((case_of[one.id], "")))) for one in claims)
    stated = outcomes.pop("stated")
    wrong = [status for statuses in outcomes.values() for status in statuses]
    alarms, full = _share(stated, ("none",)), _share(stated, ("full",))
    asked = "planted errors not called full"
    return [
        row("planted", "false alarms", "stated claims called unsupported", alarms, ALARMS_MOST),
        row("planted", "stated claims", "stated claims called full", full, STATED_LEAST, most=False),
        *(
            row("planted", kind, asked, _share(statuses, ("none", "partial")), FOUND_LEAST, most=False)
            for kind, statuses in [("all errors", wrong), *sorted(outcomes.items())]
        ),
    ]


def mistake_rows(found: Mapping[str, float | None]) -> list[CanaryRow]:
    """Build the rows of mistakes. `found` maps the name of an answer to the number of mistakes that the judge found."""
    every = list(planted_answers())
    counts = {one: found.get(one.name) for one in every}
    true = [_is_accused(counts[one]) for one in every if one.kind is None]
    wrong = {one: _is_accused(counts[one]) for one in every if one.kind is not None}
    found_in = [("all errors", [*wrong.values()]), *((one.kind or "", [it]) for one, it in wrong.items())]
    of_true = "true answers in which a mistake is found"
    of_wrong = "answers with an error in which a mistake is found"
    return [
        row("mistakes", "false alarms", of_true, _share(true, ("yes",)), ALARMS_MOST),
        *(
            row("mistakes", name, of_wrong, _share(outcomes, ("yes",)), FOUND_LEAST, most=False)
            for name, outcomes in found_in
        ),
    ]


def _is_accused(mistakes: float | None) -> str | None:
    return None if mistakes is None else "yes" if mistakes else "no"


def _share(statuses: Sequence[str | None], these: tuple[str, ...]) -> float | None:
    if not statuses or None in statuses:
        return None
    return sum(status in these for status in statuses) / len(statuses)
