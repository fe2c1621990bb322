"""The command `drr judge`: judges the reports of a study. A finished judgement is never made again."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.console import print_document, print_json
from drr.app.judge.judge_plan import JudgePlan, add_judging_options, paper_choices
from drr.app.terminal import table
from drr.eval.tasks.registry import groups
from drr.wording.excerpt import many

if TYPE_CHECKING:
    from drr.app.judge.run import JudgingChanges
    from drr.eval.judging.run import Forecast

_EXAMPLES = """\
The judge is the model of --judge, else the setting model_judge, else the study's model. Without one nobody judges: code
checks rules and counts cited claims, and faithfulness, grades and pairs stay unknown. A new judge or a changed prompt adds
judgements beside the old ones. `--profile paper` computes the paper's own protocol beside ours, labelled "as printed".

examples:
  drr judge study
  drr judge study --judge anthropic:claude-sonnet-5-5 --budget 40 --dry-run
  drr judge study --what pairwise --variants react,hybrid-react
  drr judge study --repeat 3                   # judge again, for the stability of the judge
  drr judge study --diff                       # what changed between the last two judgings
  drr judge study --what points --export-points points.jsonl    # key points of each question, before any is scored
  drr judge study --what mistakes --judge anthropic:claude-sonnet-5-5   # proofread against the shop's records, twice
  drr judge study --what recall --points points.jsonl           # how many of them each report has
  drr judge study --what relative --reference react             # grades against react's reports, both orders
"""


def build(parser: argparse.ArgumentParser) -> None:
    usual = groups(usual=True)
    further = "".join(f"{line}\n" for module in paper_choices() for line in module.EXAMPLES)
    parser.epilog = _EXAMPLES + further
    parser.add_argument("study", metavar="STUDY", type=Path, help="the folder of the study")
    parser.add_argument(
        "--what",
        default=",".join(usual),
        metavar="KINDS",
        help=f"with commas, of {', '.join(groups())} (default: {', '.join(usual)})",
    )
    add_judging_options(parser)


def run(arguments: argparse.Namespace) -> int:
    from drr.app.judge.run import compare_judgings, conclude_judging, forecast, judge
    from drr.app.report.system_table import judged_text

    plan = JudgePlan.of(arguments)
    if arguments.diff is not None:
        changes = compare_judgings(arguments.study, arguments.diff)
        print_document(arguments, changes.document, *_change_lines(changes))
        return 0
    if arguments.dry_run:
        expected = forecast(plan)
        print_document(arguments, expected, _forecast_text(expected))
        return 0
    judgement = judge(plan)
    if judgement.exported is not None:
        print(f"{arguments.export_points}: {judgement.exported} key points", file=sys.stderr)
    if arguments.json:
        print_json(judgement.document())
    elif judgement.whole is not None:
        print(judged_text(judgement.whole))
    return conclude_judging(judgement, arguments.study)


def _forecast_text(whole: Forecast) -> str:
    counts = itemgetter("calls", "input_tokens", "cache_read_tokens", "output_tokens")
    rows = [
        [name, *(f"{count:,}" for count in counts(row))]
        for name, row in [*whole["tasks"].items(), ("all", whole)]
    ]
    who = f"{whole['judge']}, {many(whole['answers'], 'answer')}"
    shown = table([who, "calls", "input tokens", "of these cached", "output tokens"], rows)
    if whole["cost_usd"] is None:
        return f"{shown}\ncost: unknown price"
    return f"{shown}\ncost: about ${whole['cost_usd']:,.2f} (prices of {whole['price_date']})"


def _change_lines(found: JudgingChanges) -> Iterator[str]:
    document = found.document
    if document["warning"]:
        yield f"Warning: {document['warning']}.\n"
    for task, row in document["tasks"].items():
        yield f"{task}: {row['changed']} of {row['both']} changed"
        for change in row["changes"][:20]:
            yield f"  {change['answer']} {change['item']}: {change['old']} -> {change['new']}"
        if len(row["changes"]) > 20:
            yield f"  and {len(row['changes']) - 20} more; --json lists them all"
    if not any(row["both"] for row in document["tasks"].values()):
        yield f"{found.old} and {found.new} judged nothing in common; --diff ID ID compares two others of:"
        yield from (f"  {judging.id} ({judging.judge}, {judging.protocol})" for judging in found.known)
