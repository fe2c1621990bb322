"""`drr run`: creates a study of answers, or continues it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from drr.agents.registry import Variant
    from drr.app.answers import AnswerBench
    from drr.env.query import Query
    from drr.env.settings import Settings
    from drr.study.unit import Unit

_SETTINGS = (
    "model_agent",
    "model_summariser",
    "prompts",
    "web",
    "sandbox",
    "web_record",
    "web_top_k",
    "page_reader",
    "shop_url",
)
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
"""


def build(parser: argparse.ArgumentParser) -> None:
    from drr.app.console import add_setting_options
    from drr.app.models import SETTINGS
    from drr.app.options import positive_int
    from drr.app.studies import add_run_options

    parser.epilog = _EXAMPLES
    parser.add_argument("study", metavar="STUDY", type=Path)
    parser.add_argument("--shop", metavar="SHOP", help="a folder, or servers:NAME")
    parser.add_argument("--queries", metavar="FILE", type=Path, help="JSONL, a query a line")
    parser.add_argument(
        "--variants", metavar="NAMES", help="`all` (default: the paper's six) or names with commas"
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
    add_setting_options(parser, *SETTINGS, *_SETTINGS)


def run(arguments: argparse.Namespace) -> int:
    from drr.study.study import Study

    folder: Path = arguments.study
    known = Study.exists(folder)
    saved = _saved(folder) if known else {}
    plan, settings, queries = _resolve(arguments, saved)
    with _bench(plan, settings, folder) as bench:
        _check_users(bench, queries)
        variants = _variants(plan)
        units = bench.units(queries, variants, plan["trials"])
        if arguments.dry_run:
            return _dry_run(arguments, bench, units, variants, folder if known else None)
        return _run(arguments, bench, units, variants, folder, _config(plan, settings), queries)


def _saved(folder: Path) -> dict[str, Any]:
    from drr.study.study import Study

    with Study.open(folder) as study:
        return study.config


def _resolve(
    arguments: argparse.Namespace, saved: dict[str, Any]
) -> tuple[dict[str, Any], Settings, list[Query]]:
    """What was given now, else what the study was created with, else the defaults."""
    from drr.env.errors import Misuse
    from drr.env.query import read_queries
    from drr.env.settings import Settings, resolve

    before = saved.get("run", {})
    plan = {
        "shop": arguments.shop or before.get("shop"),
        "variants": arguments.variants if arguments.variants is not None else before.get("variants", "all"),
        "trials": arguments.trials or before.get("trials") or 1,
        "limits": _limits(arguments.limits) if arguments.limits else before.get("limits", {}),
        "citation_repair": arguments.citation_repair or before.get("citation_repair"),
        "references": before.get("references") if arguments.references is None else arguments.references,
    }
    if plan["shop"] is None:
        raise Misuse(f"{arguments.study}: a new study needs --shop; e.g. --shop demo/shop")
    file = arguments.queries or (arguments.study / _QUERIES if saved else None)
    if file is None:
        raise Misuse(f"{arguments.study}: a new study needs --queries FILE, one JSON query a line")
    given = {
        name: value for name, value in vars(arguments).items() if name in Settings.model_fields and value
    }
    settings = resolve({**saved.get("settings", {}), **given}).settings
    queries = read_queries(file)
    if not queries:
        raise Misuse(f"{file}: holds no query; each line is {{'query': ..., 'user_id': ...}}")
    return plan, settings, queries


def _limits(text: str) -> dict[str, Any]:
    from dataclasses import fields

    from drr.agents.base import Limits
    from drr.app.options import positive_float
    from drr.env.errors import Misuse

    known = {field.name for field in fields(Limits)}
    found: dict[str, Any] = {}
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


def _check_users(bench: AnswerBench, queries: list[Query]) -> None:
    from drr.env.errors import Misuse

    strangers = [query for query in queries if bench.shop.store.user(query.user_id) is None]
    if strangers:
        raise Misuse(
            f"{len(strangers)} of {len(queries)} queries are by users whom the shop does not know, e.g. "
            f"{strangers[0].user_id!r} of {strangers[0].id}; were they written for another shop?"
        )


def _config(plan: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Everything resolved, but for secrets, which come from where they live each time."""
    from importlib.metadata import version

    from drr.llm.secrets import without_credentials

    plain = settings.model_dump(mode="json")
    if plain["base_url"] is not None:
        plain["base_url"] = without_credentials(plain["base_url"])
    secret = {
        name for name, field in type(settings).model_fields.items() if "Secret" in str(field.annotation)
    }
    return {
        "schema": 1,
        "made_by": f"deepresearch-retail {version('deepresearch-retail')}",
        "run": plan,
        "settings": {name: value for name, value in plain.items() if name not in secret},
    }


def _variants(plan: dict[str, Any]) -> list[Variant]:
    from drr.agents.registry import choose

    return choose(plan["variants"])


def _bench(plan: dict[str, Any], settings: Settings, folder: Path) -> Any:
    from contextlib import contextmanager

    @contextmanager
    def opened() -> Any:
        from drr.app.answers import AnswerBench, options_of
        from drr.app.models import models_of
        from drr.app.prompts import prompts_of
        from drr.env.shop import open_shop
        from drr.env.web.open import open_web

        prompts = prompts_of(settings, "agents")
        models = models_of(settings)
        with open_shop(plan["shop"], settings) as shop:
            web = open_web(settings, shop=shop, snapshots=folder / "pages")
            yield AnswerBench(shop, web, models, prompts, options_of(settings, plan), settings)

    return opened()


def _run(
    arguments: argparse.Namespace,
    bench: AnswerBench,
    units: list[Unit],
    variants: list[Variant],
    folder: Path,
    config: dict[str, Any],
    queries: list[Query],
) -> int:
    import asyncio
    import sys
    import time

    from drr.app.answers import roles_of
    from drr.app.console import print_json, progress_of
    from drr.app.studies import budget_of, check_models, conclude, unit_cap_of
    from drr.eval.evidence.imported import imported_units
    from drr.study.run import Pace, run
    from drr.study.status import status
    from drr.study.study import Study

    cap = unit_cap_of(arguments)
    check_models(bench.models, roles_of(variants), budget_of(arguments), cap)
    if bench.settings.profile == "paper":
        print(
            f"drr: profile paper: the paper's models cannot be called any more, the agents run {bench.models.name_of('agent')}; "
            "docs/paper-profile.md says which other choices are guesses",
            file=sys.stderr,
        )
    with Study.create(folder, config) as study:
        _keep_queries(folder, queries)
        budget = budget_of(arguments, study)
        check_models(bench.models, roles_of(variants), budget, cap)
        study.ledger.units.register(units)
        aside = study.retire("answer", [*units, *imported_units(study)])
        if aside:
            print(
                f"drr: {aside:,} units of an earlier configuration are kept aside and not counted",
                file=sys.stderr,
            )

        async def go() -> Any:
            try:
                return await run(
                    study,
                    units,
                    bench.answer,
                    models=bench.models,
                    budget=budget,
                    unit_cap=cap,
                    pace=Pace(units=arguments.units),
                    progress=progress_of(arguments),
                    retry_failed=arguments.retry_failed,
                    limit=arguments.limit,
                    label="answers",
                )
            finally:
                await bench.models.aclose()

        summary = asyncio.run(go())
        if arguments.json:
            print_json(status(study, now=time.time()))
    code = conclude(summary, folder)
    return 1 if summary.failed_before else code


def _keep_queries(folder: Path, queries: list[Query]) -> None:
    """The study holds its questions, so that it continues without the file it was given."""
    aside = folder / f".{_QUERIES}"
    aside.write_text(
        "".join(query.model_dump_json(exclude_none=True) + "\n" for query in queries), encoding="utf-8"
    )
    aside.replace(folder / _QUERIES)


def _dry_run(
    arguments: argparse.Namespace,
    bench: AnswerBench,
    units: list[Unit],
    variants: list[Variant],
    study: Path | None,
) -> int:
    from drr.app.console import print_json
    from drr.app.forecast import forecast, render

    document = forecast(bench, units, variants, study)
    if arguments.json:
        print_json(document)
    else:
        print(render(document))
    return 0
