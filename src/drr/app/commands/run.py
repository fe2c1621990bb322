"""The command `drr run`: creates a study of answers, or continues it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.commands.parser import name_usual
from drr.app.console import add_setting_options, print_document, print_json
from drr.app.models.setup import AGENT_SETTINGS
from drr.app.study.outcome import conclude
from drr.app.study.study_plan import StudyPlan
from drr.app.study.terms import add_options

if TYPE_CHECKING:
    from drr.study.run import Summary

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
  drr run filed --tasks tasks/ --sizes 32k,128k --variants react              # tasks with files
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
    add_options(parser, StudyPlan)
    add("--dry-run", action="store_true", help="say units, expected calls, tokens and cost; call nothing")
    add("--json", action="store_true", help="print one JSON document")
    add(
        "--save-config",
        metavar="FILE",
        type=Path,
        help="write all that this call asks for into FILE.yaml or .toml, for `drr run FILE`; compute nothing",
    )
    add_setting_options(parser, "models", *AGENT_SETTINGS, "model_judge")


def run(arguments: argparse.Namespace) -> int:
    from drr.app.study.forecast import render
    from drr.app.study.run import forecast, run, save_plan

    plan = StudyPlan.of(arguments)
    if arguments.save_config is not None:
        save_plan(plan, arguments.save_config)
        print(f"{arguments.save_config}: written; drr run {arguments.save_config}")
        return 0
    if arguments.dry_run:
        expected = forecast(plan)
        print_document(arguments, expected, render(expected))
        return 0
    summary, status = run(plan)
    if arguments.json:
        print_json(status)
    return exit_code(summary, arguments.study)


def exit_code(summary: Summary, folder: Path) -> int:
    """Print how a run ended; return its exit code, which is 1 also where units had failed before."""
    return conclude(summary, folder) or int(bool(summary.failed_before))
