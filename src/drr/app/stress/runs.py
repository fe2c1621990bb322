"""Runs the answers of a study again under changes.

The folder `stress` of a study is a study of its own, whose units name the original units without a change.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypedDict

from drr.app.notices import notice
from drr.app.stress.outcomes import count_tests
from drr.app.stress.stress_plan import Planned, StressChoice, stress_units
from drr.app.study.answers import workplace
from drr.app.study.forecast import RunForecast, forecast
from drr.app.study.outcome import budget_of, check_cast, run_units, unit_cap_of
from drr.app.study.run import RunAsked, StudyRan, open_run
from drr.app.study.study_plan import StudyPlan
from drr.app.study.trust import remember_study
from drr.app.study.workers import pool_of
from drr.eval.stats.differences import detectable_difference
from drr.study.config import StudyConfig
from drr.study.run import missing_units
from drr.study.status import status
from drr.study.study import Study
from drr.study.unit import Unit

FOLDER = "stress"


class ChangeForecast(TypedDict):
    """The number of finished answers that a change can affect, and the number of answers left to run."""

    reached: int
    left: int
    could_show: float | None
    """Smallest share of its questions that must all move one way, so that it is seen in four of five cases after the correction."""


class StressForecast(TypedDict):
    """The document of `drr study stress --dry-run --json`."""

    schema: int
    study: str
    answers: int
    changes: dict[str, ChangeForecast]
    run: RunForecast


def stress(call: StudyPlan, choice: StressChoice) -> StudyRan:
    """Run the missing answers under the chosen changes, and return the outcome of the run."""
    folder = call.folder / FOLDER
    with _opened(call, choice) as (asked, _, units):
        answering = asked.answering
        plan = answering.plan
        kept: StudyConfig = {**asked.config, "run": {**asked.config["run"], FOLDER: ",".join(choice.changes)}}
        settings = answering.settings
        sent = workplace(answering, units)
        pool = pool_of(plan, settings, "drr.app.study.answers:open_workplace", sent)
        with Study.create(folder, kept) as study:
            remember_study(folder, settings, plan.variants or "all", [plan.shop])
            check_cast(answering, budget_of(plan, study), unit_cap_of(plan))
            study.ledger.units.register(units)
            kept_keys = [*(unit.key for unit in units), *_others(study, asked, choice)]
            study.ledger.units.retire("answer", kept_keys)
            summary = run_units(
                plan, study, units, pool or answering, answering.models, "answers under a change"
            )
            return StudyRan(summary, status(study))


def forecast_stress(call: StudyPlan, choice: StressChoice) -> StressForecast:
    """Return the answers that `stress` would run and their price, without calling anything."""
    folder = call.folder / FOLDER
    with _opened(call, choice, calls=False) as (asked, plan, units):
        left = list(units)
        if Study.exists(folder):
            with Study.read(folder) as study:
                left = missing_units(study, units, retry_failed=call.retry_failed)
        open_keys, tests = {unit.key for unit in left}, count_tests(choice.changes)
        return {
            "schema": 1,
            "study": str(call.folder),
            "answers": plan.answers,
            "changes": {
                name: {
                    "reached": len(own),
                    "left": sum(unit.key in open_keys for unit in own),
                    "could_show": detectable_difference(
                        None, len({unit.spec["query_id"] for unit in own}), tests
                    ),
                }
                for name, own in plan.units.items()
            },
            "run": forecast(asked.answering, left, call.folder, asked.queries, limit=call.limit),
        }


@contextmanager
def _opened(
    call: StudyPlan, choice: StressChoice, *, calls: bool = True
) -> Iterator[tuple[RunAsked, Planned, list[Unit]]]:
    with Study.read(call.folder):  # a new study has nothing to compare with
        pass
    with open_run(call, calls=calls) as asked:
        keys = {unit.key for unit in asked.chosen}
        with Study.read(call.folder) as study:
            records = [one for one in study.records("answer") if one.key in keys and not study.lost(one)]
        if unfinished := len(keys) - len(records):
            notice(f"{call.folder}: {unfinished:,} answers are not finished and have nothing to compare with")
        questions = {query.id: query for query in asked.queries}
        plan = stress_units(asked.answering, records, questions, choice)
        yield asked, plan, [unit for own in plan.units.values() for unit in own]


def _others(study: Study, asked: RunAsked, choice: StressChoice) -> Iterator[str]:
    """Yield the keys of answers to keep that this call does not draw again: other changes and other variants."""
    systems = {str(unit.spec["variant"]) for unit in asked.chosen}
    for record in study.records("answer", None):
        if record.spec["stress"]["change"] not in choice.changes or record.spec["variant"] not in systems:
            yield record.key
