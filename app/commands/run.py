"""The command `drr run`: creates a study of answers, or continues it."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.commands.parser import name_usual
from drr.app.console import add_setting_options, print_json, show
from drr.app.models.setup import AGENT_SETTINGS, roles_in
from drr.app.options import add_asked_options, add_command_terms, command_terms, given_among, limits_of
from drr.app.study.outcome import add_run_options, conclude
from drr.app.study.trust import given_settings, trusted_addresses
from drr.app.study.workers import add_workers_option
from drr.app.study.worlds import add_world_options

if TYPE_CHECKING:
    from drr.app.study.specs import RunConfig

_EXAMPLES = """\
A study is a folder: what is finished in it is never computed again, what is missing is when the command is given again.
Variants, queries and trials that are named are added; `drr study edit` takes away. Ctrl-C loses nothing. docs/study.md.

examples:
  drr run study --shop demo/shop --queries queries.jsonl --variants react,react+ws --trials 3 --budget 25
  drr run study --save-config study.yaml         # one file: shop, queries, variants, models, judges, budget
  drr run study.yaml                             # runs what such a file says
  drr run study                                  # continues; with --budget 50 with more
  drr run study --variants hybrid-react+ws       # adds a variant, and computes all that is missing
  drr run study --retry-failed --model-max-tokens 16384   # more room for what failed, and only that
  drr run filed --tasks tasks/ --sizes 32k,128k --variants react,ledger      # tasks with files
"""
_USUAL = (
    *("--shop", "--queries", "--variants", "--trials", "--model", "--models", "--base-url"),
    *("--budget", "--dry-run", "--only", "--retry-failed", "--save-config", "--pool", "--json", "--quiet"),
)
"""Options that the short help shows; `--help-all` shows the others."""


def build(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = _EXAMPLES
    name_usual(parser, *_USUAL)
    add(
        "study",
        metavar="STUDY",
        type=Path,
        help="the folder of the study, or a file that says all (study.yaml)",
    )
    add("--shop", metavar="SHOP", help="a folder, or servers:NAME (default: the shop of the study)")
    add("--queries", metavar="FILE", type=Path, help="JSONL, a query a line (default: those of the study)")
    add(
        "--set",
        dest="frozen",
        metavar="SET",
        type=Path,
        help="a frozen set, for --queries and web: a folder, or retail-v1",
    )
    add_world_options(parser)
    add(
        "--variants",
        metavar="NAMES",
        help="names of `drr variants`, file.py:function or 'cmd:COMMAND', with commas (default: all, the paper's six)",
    )
    add(
        "--settings",
        metavar="LIST",
        help="what of the person agents are given, with commas: task, context:N, memory:NAME[:N], persona, records (default), records+persona",
    )
    add(
        "--persons",
        metavar="FILE",
        type=Path,
        help="JSONL, a person a line: who asks (default: those of the study)",
    )
    add(
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
    from drr.app.study.forecast import render
    from drr.app.study.run import forecast, run, save

    config = _config(arguments)
    if arguments.save_config is not None:
        save(config, arguments.save_config)
        print(f"{arguments.save_config}: written; drr run {arguments.save_config}")
        return 0
    if arguments.dry_run:
        expected = forecast(config)
        show(arguments, expected, render(expected))
        return 0
    summary, status = run(config)
    if arguments.json:
        print_json(status)
    code = conclude(summary, arguments.study)
    return 1 if summary.failed_before else code


def _config(arguments: argparse.Namespace) -> RunConfig:
    from drr.app.study.specs import RunConfig

    return replace(
        RunConfig(**given_among(arguments, RunConfig, but=("limits", "otel", "agent_sees"))),
        **command_terms(arguments),
        limits=limits_of(arguments.limits) if arguments.limits else {},
        given=given_settings(arguments),
        trusted=trusted_addresses(arguments),
        named_roles=roles_in(arguments.role_models),
    )
