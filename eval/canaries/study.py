"""The canaries as answers of a study, so that they are judged, kept and resumed like any others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drr.env.source import Source
from drr.eval.canaries.mistakes import QUERY_ID as FACTS_QUERY
from drr.eval.canaries.mistakes import QUESTION as ASKED
from drr.eval.canaries.mistakes import planted_answers
from drr.eval.canaries.reports import CANARIES, CLEAN, QUESTION, sources
from drr.eval.canaries.shop import ANNA
from drr.llm.factory import Models, ModelSettings
from drr.study.evidence import pack
from drr.study.run import run
from drr.study.study import Study
from drr.study.unit import Outcome, Unit
from drr.study.worker import Context

CLEAN_NAME = "clean"
SHOP_URL = "http://ecommerce.example"
"""Of the products that the reports link."""
QUERY_ID = "q-birds"


def report_units() -> list[Unit]:
    reports = {CLEAN_NAME: CLEAN, **{name: make() for name, make in CANARIES.items()}}
    return [answer_unit(QUERY_ID, QUESTION, ANNA, name, report) for name, report in reports.items()]


def mistake_units() -> list[Unit]:
    return [answer_unit(FACTS_QUERY, ASKED, ANNA, one.name, one.report) for one in planted_answers()]


def answer_unit(query_id: str, query: str, user_id: str, variant: str, report: str) -> Unit:
    facts = {"query_id": query_id, "query": query, "user_id": user_id, "variant": variant, "trial": 0}
    spec = {**facts, "report": report, "sources": [source.model_dump(mode="json") for source in sources()]}
    return Unit("answer", {**spec, "made": "canary"}, spec, f"{query_id}/{variant}/0")


async def put(study: Study, units: list[Unit]) -> None:
    """Put in the canaries; those of an earlier version no longer count."""
    study.retire("answer", units)
    await run(study, units, _put, models=Models(ModelSettings(roles={"default": "offline"})))


async def _put(spec: Mapping[str, Any], context: Context) -> Outcome:
    rows, blobs = pack([Source.model_validate(source) for source in spec["sources"]])
    facts = {name: spec[name] for name in ("query_id", "query", "user_id", "variant", "trial")}
    fields = {"words": len(spec["report"].split()), "sources": rows, "fabricated": [], "tool_calls": []}
    return Outcome({**facts, **fields}, {**blobs, "report": spec["report"]})
