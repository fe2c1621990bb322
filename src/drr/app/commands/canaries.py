"""The command `drr judges canaries`: tests a judge with cheating reports and planted errors, before a study is paid for."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypedDict

from drr.app.console import print_document, progress_of, settings_of
from drr.app.judge.desk import desk_of, judge_models
from drr.app.notices import notice
from drr.app.study.outcome import add_unit_options, budget_of, conclude, unit_cap_of, units_run
from drr.app.terminal import Column, number, table, wrapped_paragraph
from drr.env.errors import Misuse
from drr.env.plugins import papers
from drr.env.settings import Settings
from drr.env.shop import Shop, open_shop
from drr.eval.agreement.calibrate import Calibration
from drr.eval.agreement.people import labelled_cases
from drr.eval.agreement.precision import judge_costs
from drr.eval.asking.judge import KeptAnswers
from drr.eval.canaries.planted_errors import QUERY_ID as MISTAKES_ID
from drr.eval.canaries.planted_errors import planted_claims
from drr.eval.canaries.reports import write_shop
from drr.eval.canaries.table import (
    QUERY_ID,
    SHOP_URL,
    CanaryRow,
    mistake_rows,
    mistake_units,
    planted_rows,
    report_rows,
    report_units,
    store_test_reports,
)
from drr.eval.evidence.answers import read_answers
from drr.eval.judging.read import judging_of, read_judged
from drr.eval.judging.run import JudgeOptions, JudgingResults, judge
from drr.eval.metrics.mistakes import per_report
from drr.eval.tasks.desk import JudgingContext, Task
from drr.eval.tasks.judgements import Judged
from drr.eval.tasks.registry import task_stages, tasks
from drr.llm.factory import Models
from drr.llm.names import OFFLINE
from drr.study.run import Summary
from drr.study.study import Study
from drr.study.unit import Unit

PARTS = ("reports", "planted", "mistakes")
_HELP = """\
reports   sixteen reports that plead, hide words, pad, repeat, cite everything:
          none may do better than the clean one
planted   claims with one error each beside the page they cite: none may be
          called wholly supported
mistakes  short answers about a little shop, one error each: a judge who reads
          twice finds it and accuses no true answer (only with a model)
"""
_EXAMPLES = """
What a judge said is kept in --study; the same command goes on where it stopped,
and another judge stands beside.

examples:
  drr judges canaries --judge anthropic:claude-sonnet-5-5 --budget 5
  drr judges canaries --judge MODEL --what planted --json
"""


class PaperCanaries(Protocol):
    """The interface of a paper's module of canaries, which are judged by `TASKS` under the question `QUERY_ID`."""

    @property
    def PART(self) -> str:
        """Word of `--what`."""

    @property
    def HELP(self) -> str: ...
    @property
    def QUERY_ID(self) -> str: ...
    @property
    def TASKS(self) -> Sequence[str]: ...

    def units(self) -> list[Unit]:
        """Return the reports as answers of a study."""

    def furnish_desk(self, desk: JudgingContext) -> None:
        """Give the desk what its tasks need."""

    def rows(self, judged: Judged) -> list[CanaryRow]:
        """Return what the judge let pass."""


def _of_papers() -> dict[str, PaperCanaries]:
    found: list[PaperCanaries | None] = [paper.judging.canaries() for paper in papers()]
    return {one.PART: one for one in found if one is not None}


def _known_parts() -> list[str]:
    return [*PARTS, *_of_papers()]


class CanariesDocument(TypedDict):
    schema: int
    judge: str
    rule_written: bool
    banner: str | None
    passed: bool
    rows: list[CanaryRow]
    cost_usd: float | None
    """Cost of this judge's calls; `None` where a price is unknown."""


def build(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = "".join([_HELP, *(one.HELP for one in _of_papers().values()), _EXAMPLES])
    add(
        "--judge",
        dest="model_judge",
        metavar="MODEL",
        help="who is held against them (default: the setting model_judge)",
    )
    add(
        "--what",
        metavar="PARTS",
        help=f"with commas, of {', '.join(_known_parts())} (default: all that the judge can do)",
    )
    add(
        "--study", metavar="DIR", type=Path, default=Path("canaries"), help="what is kept (default: canaries)"
    )
    add("--json", action="store_true", help="one JSON document")
    add_unit_options(parser, "model_claim_extractor", "prompts")


def run(arguments: argparse.Namespace) -> int:
    import asyncio

    asked = None if arguments.what is None else _parts(arguments.what)
    settings = settings_of(arguments).settings.model_copy(update={"shop_url": SHOP_URL})
    models = judge_models(arguments, settings, "claim_extractor")
    what = asked or _known_parts()[: 2 if models.name_of("judge") == OFFLINE else None]
    with _open_canaries_study(arguments.study) as study, _shop(arguments.study, settings) as shop:
        summary, document = asyncio.run(_vet(study, shop, settings, models, what, arguments))
    print_document(arguments, document, _text(document))
    code = conclude(summary, arguments.study, "canaries", f"judges canaries --study {arguments.study}")
    failed = [one["name"] for one in document["rows"] if one["passed"] is not True]
    if failed and not code:
        notice(f"{document['judge']} did not pass: {', '.join(dict.fromkeys(failed))}")
    return code or int(bool(failed))


def _parts(given: str) -> list[str]:
    what = [word.strip() for word in given.split(",") if word.strip()]
    if not what or set(what) - set(_known_parts()):
        raise Misuse(f"--what {given!r}: of {', '.join(_known_parts())}, with commas between")
    return what


def _open_canaries_study(folder: Path) -> Study:
    """Open or create the study of canaries. Raise `Misuse` for any other study, as answers of the two must not mix."""
    if not Study.exists(folder):
        return Study.create(folder, {"schema": 1, "run": {"canaries": True}})
    study = Study.open(folder)
    if not study.config.get("run", {}).get("canaries"):
        study.close()
        raise Misuse(f"{folder}: is a study of its own; name a folder for the canaries with --study DIR")
    return study


@contextmanager
def _shop(folder: Path, settings: Settings) -> Iterator[Shop]:
    spec = str(folder / "shop")
    if not Path(spec).exists():
        write_shop(spec, settings)
    with open_shop(spec, settings) as shop:
        yield shop


async def _vet(
    study: Study,
    shop: Shop,
    settings: Settings,
    models: Models,
    what: Sequence[str],
    arguments: argparse.Namespace,
) -> tuple[Summary, CanariesDocument]:
    ran, rows = JudgingResults(), list[CanaryRow]()
    try:
        further = [unit for one in _of_papers().values() for unit in one.units()]
        await store_test_reports(study, [*report_units(), *mistake_units(), *further])
        desk = desk_of(settings, models, shop)
        for part in what:
            if part == "planted":
                done, found = await _judge_planted_claims(study, desk, models, arguments)
            else:
                done, found = await _judged(part, study, desk, models, arguments)
            rows += found
            ran.add(done, 0)
            if done.stopped is not None:
                break
    finally:
        await models.aclose()
    cost = judge_costs(study, {}).get(desk.judge.shown)
    document: CanariesDocument = {
        "schema": 1,
        "judge": desk.judge.shown,
        "rule_written": desk.judge.rule_written,
        "banner": desk.banner,
        "passed": all(one["passed"] is True for one in rows),
        "rows": rows,
        "cost_usd": None if cost is None else cost["usd"],
    }
    return ran.summary, document


async def judge_part(
    study: Study,
    desk: JudgingContext,
    models: Models,
    arguments: argparse.Namespace,
    query: str,
    *what: str,
    stages: list[list[Task[Any]]] | None = None,
) -> tuple[Summary, Judged]:
    """Have the answers to one question judged, by these groups or stages; return the summary and the judged answers."""
    answers = [one for one in read_answers(study) if one.query_id == query]
    at = replace(desk, answers={one.key: one for one in answers})
    budget, cap = budget_of(arguments, study), unit_cap_of(arguments)
    retry, limit = arguments.retry_failed, arguments.limit
    options = JudgeOptions([*what], None, budget, cap, arguments.units, retry, limit)
    options.stages = stages or options.stages
    ran = await judge(study, at, models, options, progress=progress_of(arguments))
    return ran.summary, read_judged(study, judging_of(at, options.tasks), answers=answers)


async def _judge_planted_claims(
    study: Study, desk: JudgingContext, models: Models, arguments: argparse.Namespace
) -> tuple[Summary, list[CanaryRow]]:
    claims = list(planted_claims())
    labelled = labelled_cases([claim.label for claim in claims], "support")
    calibration = Calibration(desk, {case.id: case for case in labelled}, KeptAnswers(study))
    summary = await units_run(
        arguments, study, calibration.units(), calibration.work, models, "planted errors"
    )
    case_of = {case.example.id: case.id for case in labelled}
    return summary, planted_rows(claims, calibration.read_results(study), case_of)


async def _judged(
    part: str, study: Study, desk: JudgingContext, models: Models, arguments: argparse.Namespace
) -> tuple[Summary, list[CanaryRow]]:
    if part in _REPORTS:
        query, what, rows = _REPORTS[part]
        done, judged = await judge_part(study, desk, models, arguments, query, *what)
        return done, rows(judged)
    paper, own = _of_papers()[part], replace(desk)
    paper.furnish_desk(own)
    stages = task_stages(tasks((), paper.TASKS))
    done, judged = await judge_part(study, own, models, arguments, paper.QUERY_ID, stages=stages)
    return done, paper.rows(judged)


def _mistakes(judged: Judged) -> list[CanaryRow]:
    return mistake_rows({one.variant: per_report(judged, one).get("mistakes") for one in judged.answers})


_REPORTS: Mapping[str, tuple[str, Sequence[str], Callable[[Judged], list[CanaryRow]]]] = {
    "reports": (QUERY_ID, ("faithfulness", "quality"), report_rows),
    "mistakes": (MISTAKES_ID, ("mistakes",), _mistakes),
}
"""The question, the groups of tasks and the rows of each part whose reports are judged as in a study."""


def _text(document: CanariesDocument) -> str:
    words_of = {True: "pass", False: "FAIL", None: "no answer"}
    rows = [
        [
            *(one["part"], one["name"], one["asked"]),
            *(number(one["value"], 2), number(one["beside"], 2), words_of[one["passed"]]),
        ]
        for one in document["rows"]
    ]
    head: list[str | Column] = ["part", "canary", Column("must hold", flows=True), "value", "limit", ""]
    passed = sum(one["passed"] is True for one in document["rows"])
    parts = [wrapped_paragraph(document["banner"])] if document["banner"] else []
    parts += [table(head, rows), f"{document['judge']}: {passed} of {len(rows)} hold."]
    if document["cost_usd"] is not None:
        parts.append(f"cost: ${document['cost_usd']:.4f}")
    return "\n\n".join(parts)
