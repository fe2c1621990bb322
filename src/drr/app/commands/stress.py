"""The command `drr study stress`: the answers of a study once more, each under one change."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.console import add_trust_option, print_document, print_json
from drr.app.study.outcome import conclude
from drr.app.study.study_plan import StudyPlan
from drr.app.study.terms import RunTerms, add_options
from drr.app.terminal import Column, number, table

if TYPE_CHECKING:
    from drr.app.stress.runs import StressForecast

_EXAMPLES = """\
Each finished answer that a change can reach is asked for once more, under that change alone: an overlay of what the session sees.
The shop never changes. What is finished is never run again; the folder STUDY/stress holds it, a study of its own.

  paraphrase  the question in other words, its needs the same: by code where it can check them, or of --words
  faults      tools time out or answer 500, web pages come empty or as they were a year ago
  shuffle     results in another order, one drawn product first
  injection   a listing and a web page that give orders
  sponsor, price, rating, adjective   one listing with that changed
  history     a longer history of orders
  today       another day

examples:
  drr study stress study --with all --dry-run       # how many answers, and the price
  drr study stress study --with shuffle,sponsor,injection
  drr study stress study --with faults --rate 0.5 --variants react
  drr report study --stress --out report            # what moved"""


def build(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = _EXAMPLES
    add("study", metavar="STUDY", type=Path, help="the folder of the study")
    add("--with", dest="changes", metavar="CHANGES", required=True, help="changes with commas, or all")
    add("--seed", type=int, default=0, metavar="S", help="changes are drawn by it (default 0)")
    add("--rate", type=float, default=0.3, metavar="SHARE", help="calls that fail under faults (default 0.3)")
    add(
        "--words", metavar="FILE", type=Path, help="queries by the study's ids in other words, for paraphrase"
    )
    add("--variants", metavar="NAMES", help="of these variants alone (default: all of the study)")
    add("--dry-run", action="store_true", help="say units, expected calls, tokens and cost; call nothing")
    add("--json", action="store_true", help="one JSON document")
    add_trust_option(parser)
    add_options(parser, RunTerms)


def run(arguments: argparse.Namespace) -> int:
    from drr.app.stress.runs import FOLDER, forecast_stress, stress
    from drr.app.stress.stress_plan import StressChoice, changes_named

    choice = StressChoice(
        changes=changes_named(arguments.changes),
        seed=arguments.seed,
        rate=arguments.rate,
        words=arguments.words,
    )
    plan = StudyPlan.of(arguments, only=arguments.variants is not None)
    if arguments.dry_run:
        expected = forecast_stress(plan, choice)
        print_document(arguments, expected, _text(expected))
        return 0
    summary, status = stress(plan, choice)
    if arguments.json:
        print_json(status)
    drawn = f"--with {arguments.changes} --seed {choice.seed} --rate {choice.rate:g}"
    command = f"study stress {arguments.study} {drawn}"
    return conclude(summary, arguments.study / FOLDER, command=command)


def _text(expected: StressForecast) -> str:
    from drr.app.study.forecast import render

    rows = [
        [
            name,
            f"{own['reached']:,} of {expected['answers']:,}",
            f"{own['left']:,}",
            number(own["could_show"], 2),
        ]
        for name, own in expected["changes"].items()
    ]
    note = "Shows: the share of questions that must all move one way to be seen in four of five cases."
    return f"{table([Column('change'), 'can reach', 'left', 'shows'], rows)}\n{note}\n\n{render(expected['run'])}"
