"""`drr papers swap`: every report under the criteria of its task's other persons, and the consequences for P."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from drr.papers.pdr.metrics.swap import SwapDocument

_EXAMPLES = """\
A P that is as high for a report that was written for somebody else measures polish, not the person. Persons of one task
are those who ask it (`task_id` of a query, else the same words). No agent runs again; what is scored already is not scored again.

delta     P of a person's own report minus the mean of the others' reports, all under that person's criteria
CFA min   the smallest delta of a task's persons; A min the smallest P of an own report

examples:
  drr papers swap study --judge anthropic:claude-sonnet-5-5 --dry-run
  drr papers swap study --judge anthropic:claude-sonnet-5-5 --budget 20
  drr papers swap study --json
"""


def build(parser: argparse.ArgumentParser) -> None:
    from drr.app.judging_choices import add_judging_options

    parser.epilog = _EXAMPLES
    parser.add_argument("study", metavar="STUDY", type=Path, help="the folder of the study")
    parser.set_defaults(what="swap")
    add_judging_options(parser)


def run(arguments: argparse.Namespace) -> int:
    import sys

    from drr.app.commands import judge as judge_command
    from drr.app.console import print_json
    from drr.app.judgement import conclude_judging, judge
    from drr.papers.pdr.metrics.swap import swap_document
    from drr.study.study import Study

    if arguments.dry_run or arguments.diff is not None:
        return judge_command.run(arguments)
    code = conclude_judging(judge(judge_command.judge_config(arguments)), arguments.study)
    with Study.read(arguments.study) as study:
        document = swap_document(study)
    if not document["variants"]:
        reason = "no task of it has reports for two persons of whom anything is known"
        print(f"drr: {arguments.study}: nothing to swap: {reason}", file=sys.stderr)
        code = code or 1
    if arguments.json:
        print_json(document)
    elif document["variants"]:
        print("\n\n".join(_lines(document)))
    return code


def _lines(document: SwapDocument) -> Iterator[str]:
    from drr.app.terminal import Column, table, with_interval
    from drr.eval.metrics import metrics
    from drr.papers.pdr.metrics.swap import BESIDE

    known = metrics()
    names = [*BESIDE, *(name for name, metric in known.items() if metric.table == "swap")]
    head: list[str | Column] = [f"swap, judged by {document['judge']}"]
    head += [Column(known[name].label, rank=number) for number, name in enumerate(names)]
    rows = [
        [
            variant,
            *(
                with_interval(one["metrics"][name], known[name].digits) if name in one["metrics"] else "-"
                for name in names
            ),
        ]
        for variant, one in document["variants"].items()
    ]
    if document["banner"]:
        yield document["banner"]
    yield table(head, rows)
    for variant, one in document["variants"].items():
        yield f"{variant}: {one['verdict']}."
