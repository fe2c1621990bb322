"""`drr run`: creates a study of answers, or continues it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drr.app.answers import Answering, RunPlan
    from drr.env.json_object import JsonObject
    from drr.env.query import Query
    from drr.env.settings import Settings
    from drr.study.study import StudyConfig
    from drr.study.unit import Unit

_QUERIES = "queries.jsonl"
_EXAMPLES = """\
A study is a folder. What is finished in it is never computed again; what is missing, or failed for a reason that may
pass, is computed when the command is given again, alone is enough. Ctrl-C lets the units under way finish; twice stops.

examples:
  drr run study --shop demo/shop --queries queries.jsonl --variants all
  drr run study --shop demo/shop --queries queries.jsonl --variants react,react+ws --trials 3 \\
      --model anthropic:claude-sonnet-5-5 --budget 25
  drr run study --dry-run
  drr run study                      # continues
  drr run study --budget 50          # continues with more
  drr run study --workers 4          # four processes, one budget, the same records
"""


def build(parser: argparse.ArgumentParser) -> None:
    from drr.app.console import add_setting_options
    from drr.app.models import AGENT_SETTINGS
    from drr.app.options import positive_int
    from drr.app.studies import add_run_options
    from drr.app.workers import add_workers_option
    from drr.env.world import WORLDS

    parser.epilog = _EXAMPLES
    parser.add_argument("study", metavar="STUDY", type=Path)
    parser.add_argument("--shop", metavar="SHOP", help="a folder, or servers:NAME")
    parser.add_argument("--queries", metavar="FILE", type=Path, help="JSONL, a query a line")
    parser.add_argument(
        "--world",
        choices=tuple(WORLDS),
        help="where the agents live (default shop); another may need no --shop",
    )
    parser.add_argument("--place", metavar="PATH", help="what a world other than the shop is opened from")
    parser.add_argument(
        "--variants",
        metavar="NAMES",
        help="`all` (default: the paper's six), or names and path/file.py:function with commas",
    )
    parser.add_argument("--trials", type=positive_int, metavar="N", help="repetitions of each (default 1)")
    parser.add_argument(
        "--limits",
        metavar="NAME=N,...",
        help="bounds of a unit, e.g. steps=10,researchers=3; see docs/agents.md",
    )
    parser.add_argument(
        "--citation-repair", choices=("off", "remove", "ask"), help="default off: judge what it wrote"
    )
    parser.add_argument(
        "--references", action=argparse.BooleanOptionalAction, help="Plan-to-Function may use earlier results"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="units, expected calls, tokens and cost; calls nothing"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")
    add_run_options(parser)
    add_workers_option(parser)
    add_setting_options(parser, *AGENT_SETTINGS)


def run(arguments: argparse.Namespace) -> int:
    from drr.app.answers import AnswerConfig, open_answering
    from drr.app.studies import config_of
    from drr.study.study import Study

    folder: Path = arguments.study
    saved: StudyConfig = _saved(folder) if Study.exists(folder) else {}
    plan, settings, queries = _resolve(arguments, saved)
    config = AnswerConfig.of(plan, settings, folder / "pages")
    with open_answering(config) as answering:
        answering.check_named(arguments.role_models)
        answering.realm.check(queries)
        units = answering.units(queries, plan["trials"])
        if arguments.dry_run:
            return _dry_run(arguments, answering, units, folder if saved else None)
        return _run(arguments, answering, units, config_of({**plan}, settings), queries)


def _saved(folder: Path) -> StudyConfig:
    from drr.study.study import Study

    with Study.open(folder) as study:
        return study.config


def _resolve(arguments: argparse.Namespace, saved: StudyConfig) -> tuple[RunPlan, Settings, list[Query]]:
    """What was given now, else what the study was created with, else the defaults."""
    from drr.app.vouching import check_agents, given_settings, settled, trusted_addresses
    from drr.env.errors import Misuse
    from drr.env.query import read_queries
    from drr.env.settings import StudyChoices

    plan = _plan(arguments, saved.get("run", {}))
    if saved and arguments.variants is None:
        check_agents(arguments.study, plan["variants"])
    file = arguments.queries or (arguments.study / _QUERIES if saved else None)
    if file is None:
        raise Misuse(f"{arguments.study}: a new study needs --queries FILE, one JSON query a line")
    study = StudyChoices(arguments.study, saved.get("settings", {})) if saved else None
    settings = settled(given_settings(arguments), trusted_addresses(arguments), study).settings
    queries = read_queries(file)
    if not queries:
        raise Misuse(f"{file}: holds no query; each line is {{'query': ..., 'user_id': ...}}")
    return plan, settings, queries


def _plan(arguments: argparse.Namespace, before: JsonObject) -> RunPlan:
    from drr.app.answers import RunPlan
    from drr.env.errors import Misuse
    from drr.env.world import SHOP

    world, place = arguments.world or before.get("world", SHOP), arguments.place or before.get("place")
    shop = arguments.shop or before.get("shop")
    if shop is None and world == SHOP:
        raise Misuse(f"{arguments.study}: a new study needs --shop; e.g. --shop demo/shop")
    plan = RunPlan(
        shop=shop,
        variants=_variants(arguments.variants, before),
        trials=arguments.trials or before.get("trials") or 1,
        limits=_limits(arguments.limits) if arguments.limits else before.get("limits", {}),
        citation_repair=arguments.citation_repair or before.get("citation_repair"),
        references=before.get("references") if arguments.references is None else arguments.references,
    )
    if world != SHOP:
        plan["world"] = world
    if place is not None:
        plan["place"] = place
    return plan


def _variants(given: str | None, before: JsonObject) -> str:
    """As they were named, but files by their whole path, so that the study continues from any folder."""
    from drr.agents.declared import is_in_file
    from drr.agents.registry import variant

    if given is None:
        return str(before.get("variants", "all"))
    parts = [part.strip() for part in given.split(",")]
    return ",".join(variant(part).word if is_in_file(part) else part for part in parts)


def _limits(text: str) -> dict[str, int | float]:
    from dataclasses import fields

    from drr.agents.base import Limits
    from drr.app.options import positive_float
    from drr.env.errors import Misuse

    known = {field.name for field in fields(Limits)}
    found: dict[str, int | float] = {}
    for part in text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if name not in known or not equals:
            raise Misuse(f"--limits {part!r}: not NAME=N; the names are {', '.join(sorted(known))}")
        try:
            number = positive_float(value)
        except argparse.ArgumentTypeError as error:
            raise Misuse(f"--limits {name}: {error}") from error
        if name != "seconds" and not number.is_integer():
            raise Misuse(f"--limits {name}: {value!r} is not a whole number")
        found[name] = number if name == "seconds" else int(number)
    return found


def _run(
    arguments: argparse.Namespace,
    answering: Answering,
    units: list[Unit],
    config: StudyConfig,
    queries: list[Query],
) -> int:
    import sys
    import time

    from drr.app.console import print_json
    from drr.app.studies import budget_of, check_models, conclude, run_units, say_paper, unit_cap_of
    from drr.app.vouching import remember_study
    from drr.app.workers import pool_of
    from drr.eval.evidence.imported import imported_units
    from drr.study.status import status
    from drr.study.study import Study

    folder: Path = arguments.study
    check_models(answering.models, answering.roles, budget_of(arguments), unit_cap_of(arguments))
    plain = {"run": config["run"], "pages": str(folder / "pages")}
    pool = pool_of(arguments, answering.config.settings, "drr.app.answers:open_workplace", plain)
    say_paper(answering.config.settings)
    with Study.create(folder, config) as study:
        remember_study(folder, answering.config.settings, config["run"]["variants"])
        _keep_queries(folder, queries)
        check_models(answering.models, answering.roles, budget_of(arguments, study), unit_cap_of(arguments))
        study.ledger.units.register(units)
        aside = study.retire("answer", [*units, *imported_units(study)])
        if aside:
            print(
                f"drr: {aside:,} units of an earlier configuration are kept aside and not counted",
                file=sys.stderr,
            )
        summary = run_units(arguments, study, units, pool or answering, answering.models, "answers")
        if arguments.json:
            print_json(status(study, now=time.time()))
    code = conclude(summary, folder)
    return 1 if summary.failed_before else code


def _keep_queries(folder: Path, queries: list[Query]) -> None:
    """The study holds its questions, so that it continues without the file it was given."""
    from drr.env.files import write_file

    lines = "".join(query.model_dump_json(exclude_none=True) + "\n" for query in queries)
    write_file(folder / _QUERIES, lines)


def _dry_run(
    arguments: argparse.Namespace, answering: Answering, units: list[Unit], study: Path | None
) -> int:
    from drr.app.console import print_json
    from drr.app.forecast import forecast, render

    document = forecast(answering, units, study)
    if arguments.json:
        print_json(document)
    else:
        print(render(document))
    return 0
