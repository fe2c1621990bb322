"""`drr run`: creates a study of answers, or continues it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from drr.app.answers import Answering
    from drr.app.plans import Selection
    from drr.app.specs import RunPlan
    from drr.env.json_object import JsonObject
    from drr.env.query import Query
    from drr.env.settings import Settings
    from drr.study.config import StudyConfig
    from drr.study.study import Study
    from drr.study.unit import Unit

_EXAMPLES = """\
A study is a folder: what is finished in it is never computed again, what is missing is when the command is given again.
Variants, queries and trials that are named are added; `drr study edit` takes away. Ctrl-C loses nothing. docs/study.md.

examples:
  drr run study --shop demo/shop --queries queries.jsonl --variants react,react+ws --trials 3 --budget 25
  drr run study --save-config study.yaml         # one file: shop, queries, variants, models, judges, budget
  drr run study.yaml                             # runs what such a file says
  drr run study                                  # continues; with --budget 50 with more
  drr run study --variants hybrid-react          # adds a variant, and computes all that is missing
  drr run study --retry-failed --model-max-tokens 16384   # more room for what failed, and only that
  drr run filed --tasks tasks/ --sizes 32k,128k --variants react,ledger      # tasks with files
"""
_USUAL = (
    *("--shop", "--queries", "--variants", "--trials", "--model", "--models", "--base-url"),
    *("--budget", "--dry-run", "--only", "--retry-failed", "--save-config", "--workers", "--json", "--quiet"),
)
"""The options that people use; `--help-all` has the others."""


def build(parser: argparse.ArgumentParser) -> None:
    from drr.app.console import add_setting_options
    from drr.app.models import AGENT_SETTINGS
    from drr.app.options import add_asked_options, add_command_terms
    from drr.app.parsing import name_usual
    from drr.app.studies import add_run_options
    from drr.app.task_worlds import add_world_options
    from drr.app.workers import add_workers_option

    parser.epilog = _EXAMPLES
    name_usual(parser, *_USUAL)
    parser.add_argument(
        "study",
        metavar="STUDY",
        type=Path,
        help="the folder of the study, or a file that says all (study.yaml)",
    )
    parser.add_argument(
        "--shop", metavar="SHOP", help="a folder, or servers:NAME (default: the shop of the study)"
    )
    parser.add_argument(
        "--queries", metavar="FILE", type=Path, help="JSONL, a query a line (default: those of the study)"
    )
    add_world_options(parser)
    parser.add_argument(
        "--variants",
        metavar="NAMES",
        help="names of `drr variants`, file.py:function or 'cmd:COMMAND', with commas (default: all, the paper's six)",
    )
    parser.add_argument(
        "--settings",
        metavar="LIST",
        help="what of the person agents are given, with commas: task, context:N, memory:NAME[:N], persona, records (default), records+persona",
    )
    parser.add_argument(
        "--persons",
        metavar="FILE",
        type=Path,
        help="JSONL, a person a line: who asks (default: those of the study)",
    )
    parser.add_argument(
        "--contexts",
        metavar="DIR",
        type=Path,
        help="folder of what was gathered of them, for the settings context and memory (default: none)",
    )
    add_asked_options(parser)
    add_command_terms(parser)
    add_run_options(parser)
    add_workers_option(parser)
    add_setting_options(parser, "models", *AGENT_SETTINGS, "model_judge")


def run(arguments: argparse.Namespace) -> int:
    import sys
    from dataclasses import replace

    from drr.app.answers import AnswerConfig, open_answering
    from drr.app.giving import persons_file
    from drr.app.models import check_named, roles_in
    from drr.app.options import command_terms
    from drr.app.plans import others_left
    from drr.app.reaching import left_out
    from drr.app.saved_config import save_config
    from drr.app.studies import config_of
    from drr.study.study import Study

    folder: Path = arguments.study
    saved: StudyConfig = _saved(folder) if Study.exists(folder) else {}
    plan, settings, queries, named = _resolve(arguments, saved)
    if arguments.save_config is not None:
        return save_config(arguments, plan, settings, queries)
    keyed = _keyed(arguments, saved, settings)
    if said := _anew(arguments, saved, settings):
        print(f"drr: {folder}: {said}", file=sys.stderr)
    config = replace(
        AnswerConfig.of(plan, settings, folder / "pages", persons_file(arguments)),
        keyed_max_tokens=keyed,
        **command_terms(arguments),
    )
    with open_answering(config, calls=not arguments.dry_run) as answering:
        check_named(answering, roles_in(arguments.role_models))
        answering.check_queries(queries, str(arguments.queries or folder))
        for said in left_out(answering):
            print(f"drr: {said}", file=sys.stderr)
        units = answering.units(queries, plan["trials"])
        chosen, others = named.split(units)
        if others and not arguments.only:
            print(f"drr: {folder}: {others_left(others)}", file=sys.stderr)
            chosen = units
        if keyed is not None:
            chosen = _failed(folder, chosen)
            settings = settings.model_copy(update={"model_max_tokens": keyed})
        if arguments.dry_run:
            return _dry_run(arguments, answering, _Asked(units, chosen, queries), folder if saved else None)
        return _run(arguments, answering, _Asked(units, chosen, queries), config_of({**plan}, settings))


_BEFORE = {"reason": "on", "models": None}
"""What a study did whose configuration is older than the setting: its finished units stay finished."""


class _Asked(NamedTuple):
    units: list[Unit]
    """All that the study could have."""
    chosen: list[Unit]
    """Of these, what this call computes."""
    queries: list[Query]


def _keyed(arguments: argparse.Namespace, saved: StudyConfig, settings: Settings) -> int | None:
    """The study's own limit of an answer, where more is given now to what failed: those units only are computed, the rest stays."""
    own = saved.get("settings", {}).get("model_max_tokens")
    raised = arguments.retry_failed and own is not None and settings.model_max_tokens != own
    return int(own) if raised and own is not None else None


def _anew(arguments: argparse.Namespace, saved: StudyConfig, settings: Settings) -> str:
    """Another limit makes other answers of all units, which is seldom what is wanted."""
    own = saved.get("settings", {}).get("model_max_tokens")
    if own is None or settings.model_max_tokens == own or arguments.retry_failed:
        return ""
    return (
        f"its answers were given under model_max_tokens = {own}; under {settings.model_max_tokens} all are computed anew"
        " (--retry-failed gives more room to what failed, and to that only)"
    )


def _failed(folder: Path, units: list[Unit]) -> list[Unit]:
    from drr.study.study import Study

    with Study.read(folder) as study:
        failed = study.ledger.units.failed_among([unit.key for unit in units]).keys() | _lost(study, units)
    return [unit for unit in units if unit.key in failed]


def _lost(study: Study, units: list[Unit]) -> set[str]:
    records = (study.record(unit.key) for unit in units)
    return {record.key for record in records if record is not None and study.lost(record)}


def _saved(folder: Path) -> StudyConfig:
    from drr.study.study import Study

    with Study.read(folder) as study:
        return study.config


def _resolve(
    arguments: argparse.Namespace, saved: StudyConfig
) -> tuple[RunPlan, Settings, list[Query], Selection]:
    """What the study was created with and what is added now, else the defaults; and what of it was named now."""
    from drr.agents.registry import parts_of
    from drr.app.plans import QUERIES, Selection, joined_queries, joined_reaches, joined_settings
    from drr.app.reaching import reaches_given
    from drr.app.several_models import spread
    from drr.app.task_worlds import asked_now, settle_tasks
    from drr.app.vouching import check_agents, check_shop, given_settings, settled, trusted_addresses
    from drr.env.errors import Misuse
    from drr.env.query import read_queries
    from drr.env.reach import WHOLE
    from drr.env.reach import words_of as reach_words
    from drr.env.settings import StudyChoices
    from drr.papers.pdr.setting import RECORDS, settings_of, words_of

    before, own = saved.get("run", {}), arguments.study / QUERIES
    settle_tasks(arguments, before)
    given = _words(arguments.variants)
    chosen = None if arguments.settings is None else settings_of(arguments.settings)
    had = before.get("settings") or (RECORDS.name if saved else None)
    reaches = reaches_given(arguments)
    if saved:
        named = [] if given is None else [parts_of(word)[0] for word in given.split(",")]
        had_words = str(before.get("variants", "all")).split(",")
        words = [word for word in had_words if parts_of(word)[0] not in named]
        words += [one.memory_word for one in settings_of(str(had)) if one.place and one not in (chosen or ())]
        check_agents(arguments.study, ",".join(words))
        check_shop(arguments.study, before.get("shop"), arguments.shop)
        check_shop(arguments.study, before.get("place"), arguments.place, "--place")
        gathered = None if arguments.contexts is None else str(arguments.contexts)
        check_shop(arguments.study, before.get("contexts"), gathered, "--contexts")
    study = StudyChoices(arguments.study, {**_BEFORE, **saved.get("settings", {})}) if saved else None
    found = settled(given_settings(arguments), trusted_addresses(arguments), study)
    settings, had_variants, given = spread(arguments, found, saved, given)
    plan = _plan(arguments, {**before, "variants": had_variants}, given)
    here = before.get("contexts") if arguments.contexts is None else str(arguments.contexts.resolve())
    if here is not None:
        plan["contexts"] = here
    told = joined_settings(had, chosen)
    if told != (RECORDS,):
        plan["settings"] = words_of(told)
    reached = joined_reaches(before.get("reach") or (WHOLE.name if saved else None), reaches)
    if reached != (WHOLE,):
        plan["reach"] = reach_words(reached)
    new = asked_now(arguments, has_own=bool(saved) and own.is_file())
    kept = read_queries(own) if own.is_file() else []
    queries = joined_queries(kept, new or [], arguments.queries or arguments.tasks, arguments.study)
    selection = Selection.of(given, new, arguments.trials, chosen, reaches)
    if arguments.only and selection.is_all:
        raise Misuse("--only needs what to compute: --variants, --settings, --reach, --queries or --trials")
    return plan, settings, queries, selection


def _plan(arguments: argparse.Namespace, before: JsonObject, variants: str | None) -> RunPlan:
    from drr.app.options import limits_of
    from drr.app.plans import joined_variants
    from drr.app.shop_of_persons import shop_of
    from drr.app.specs import RunPlan
    from drr.env.errors import Misuse
    from drr.env.world import SHOP
    from drr.papers.pdr.person import read_persons
    from drr.study.config import MOST_TRIALS

    world, place = arguments.world or before.get("world", SHOP), arguments.place or before.get("place")
    shop = arguments.shop or before.get("shop")
    if shop is None and world == SHOP and arguments.persons is not None:
        shop = shop_of(read_persons(arguments.persons).values(), arguments.persons, None)
    if shop is None and world == SHOP:
        raise Misuse(f"{arguments.study}: a new study needs --shop; e.g. --shop demo/shop")
    had = before.get("variants")
    if (arguments.trials or 1) > MOST_TRIALS:
        raise Misuse(f"--trials {arguments.trials}: at most {MOST_TRIALS:,}")
    _check_limits(before.get("limits", {}), arguments.study)
    plan = RunPlan(
        shop=shop,
        variants=str(had or "all") if variants is None else joined_variants(had, variants),
        trials=max(arguments.trials or 1, before.get("trials") or 1),
        limits=limits_of(arguments.limits) if arguments.limits else before.get("limits", {}),
        citation_repair=arguments.citation_repair or before.get("citation_repair"),
        references=before.get("references") if arguments.references is None else arguments.references,
    )
    if world != SHOP:
        plan["world"] = world
    if place is not None:
        plan["place"] = place
    return plan


def _words(given: str | None) -> str | None:
    """As they were named, but files by their whole path, so that the study continues from any folder."""
    from drr.agents.commands.command import is_command
    from drr.agents.registry import parts_of, variant
    from drr.env.user_code import is_in_file

    if given is None:
        return None
    parts = [part.strip() for part in given.split(",")]
    bare = [parts_of(part)[0] for part in parts]
    whole = (is_command(word) or is_in_file(word) for word in bare)
    return ",".join(
        variant(part).word if of_file else part for part, of_file in zip(parts, whole, strict=True)
    )


def _check_limits(saved: JsonObject, study: Path) -> None:
    from dataclasses import fields

    from drr.agents.base import Limits
    from drr.env.errors import DrrError

    if unknown := sorted(saved.keys() - {field.name for field in fields(Limits)}):
        raise DrrError(
            f"{study}: limits of its study.toml: no {', '.join(unknown)} is known; restore it, or update drr"
        )


def _run(
    arguments: argparse.Namespace,
    answering: Answering,
    asked: _Asked,
    config: StudyConfig,
) -> int:
    import sys
    import time

    from drr.app.console import print_json
    from drr.app.elsewhere import placed_plan, probes_of
    from drr.app.giving import PERSONS, keep_persons
    from drr.app.options import command_terms
    from drr.app.plans import counted_under_only, keep_queries
    from drr.app.recalling import remember
    from drr.app.studies import budget_of, check_cast, conclude, run_units, say_paper, unit_cap_of
    from drr.app.vouching import remember_study
    from drr.app.workers import pool_of
    from drr.eval.evidence.imported import imported_units
    from drr.study.status import status
    from drr.study.study import Study

    folder: Path = arguments.study
    check_cast(answering, budget_of(arguments), unit_cap_of(arguments))
    persons = str(folder.absolute() / PERSONS) if answering.giving.persons else None
    plain = {
        "run": placed_plan(config["run"]),
        "pages": str(folder.absolute() / "pages"),
        "persons": persons,
        "probes": probes_of(asked.chosen),
        **command_terms(arguments),
    }
    pool = pool_of(arguments, answering.config.settings, "drr.app.answers:open_workplace", plain)
    say_paper(answering.config.settings)
    with Study.create(folder, config) as study:
        plan = config["run"]
        shops = [plan.get("shop"), plan.get("place"), plan.get("contexts")]
        words = ",".join([plan["variants"], *answering.giving.programs])
        remember_study(folder, answering.config.settings, words, shops)
        keep_queries(folder, asked.queries)
        keep_persons(folder, answering.giving.persons)
        check_cast(answering, budget_of(arguments, study), unit_cap_of(arguments))
        counted = counted_under_only(study, asked.units, asked.chosen) if arguments.only else asked.units
        study.ledger.units.register(counted)
        aside = study.retire("answer", [*counted, *imported_units(study)])
        if aside:
            print(
                f"drr: {aside:,} units of an earlier configuration are kept aside and not counted",
                file=sys.stderr,
            )
        if arguments.retry_failed:
            study.look_for_losses()
            study.reopen_lost(unit.key for unit in asked.chosen)
        remember(arguments, answering.giving, answering.config.settings, study, asked.queries)
        summary = run_units(arguments, study, asked.chosen, pool or answering, answering.models, "answers")
        if arguments.json:
            print_json(status(study, now=time.time()))
    code = conclude(summary, folder)
    return 1 if summary.failed_before else code


def _dry_run(arguments: argparse.Namespace, answering: Answering, asked: _Asked, study: Path | None) -> int:
    from drr.app.console import print_json
    from drr.app.forecast import forecast, render

    document = forecast(
        answering,
        asked.chosen,
        study,
        asked.queries,
        retry_failed=arguments.retry_failed,
        limit=arguments.limit,
    )
    if arguments.json:
        print_json(document)
    else:
        print(render(document))
    return 0
