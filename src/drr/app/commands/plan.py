"""The command `drr judges plan`: estimates labels, questions and trials for an interval of a given half-width, and their cost."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.console import print_document
from drr.app.options import positive_float
from drr.app.terminal import flowed, number, table

if TYPE_CHECKING:
    from drr.eval.agreement.precision import PrecisionPlan


def build(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = (
        "A pilot tells: a judged study with some labels drawn by lot (`drr judges annotate STUDY --sample 60 --task support"
        " --export FILE`).\n\n"
        "examples:\n  drr judges plan study --half-width 0.03 --labels sheet.jsonl\n"
        "  drr judges plan study --half-width 0.5 --metric overall --labels grades.jsonl --label-cost 0.4"
    )
    add("study", metavar="STUDY", type=Path, help="the folder of the study")
    add(
        "--half-width",
        type=positive_float,
        required=True,
        metavar="W",
        help="of the 95 %% interval, in the metric's unit",
    )
    add(
        "--metric",
        default="fp_split",
        help="fp_split (default), a dimension, `win_rate DIMENSION`, or a metric of criteria",
    )
    add("--labels", type=Path, nargs="+", default=[], metavar="FILE", help="of the pilot, JSONL")
    add("--label-cost", type=positive_float, metavar="USD", help="what one label costs")
    add("--judge", help="default: the last model that judged, else the rules")
    add("--json", action="store_true", help="one JSON document")


def run(arguments: argparse.Namespace) -> int:
    from drr.app.annotate.sheets import labels_of
    from drr.eval.agreement.precision import precision_plan
    from drr.eval.judging.read import choose_judging, read_judged
    from drr.eval.metrics import metric_name
    from drr.study.study import Study

    labels = labels_of(arguments.study / "annotation", arguments.labels)
    with Study.read(arguments.study) as study:
        judged = read_judged(study, choose_judging(study, arguments.judge))
        plan = precision_plan(
            study, judged, labels, metric_name(arguments.metric), arguments.half_width, arguments.label_cost
        )
    print_document(arguments, plan, flowed(_text(plan, arguments.study), 2))
    return 0


def _text(plan: PrecisionPlan, study: Path) -> str:
    from drr.eval.metrics import shown_name

    rows = [
        [
            figure["variant"],
            f"{way['questions']:,}",
            f"{way['trials']:,}",
            f"{way['labels']:,}" + ("" if way["reports"] is None else f" of {way['reports']:,} reports"),
            f"{way['answers']:,}",
            f"{way['more_labels']:,}",
            "-" if way["cost_usd"] is None else f"${way['cost_usd']:,.2f}",
        ]
        for figure in plan["figures"]
        for way in figure["ways"]
    ]
    metric = shown_name(plan["figures"][0]["metric"])
    parts = [f"{metric}, 95 % interval of about +/- {plan['half_width']:g}, any one of these ways:"]
    head = ["variant", "questions", "trials", "labels", "more answers", "more labels", "cost"]
    parts.append(table(head, rows) if rows else _why_none(plan, study))
    for figure in plan["figures"]:
        spreads = ", ".join(
            f"{name} {number(sd)}"
            for name, sd in (
                ("questions", figure["sd_questions"]),
                ("trials of one", figure["sd_trials"]),
                ("judge against a label", figure["sd_judge"]),
            )
        )
        because = f"; unknown: {figure['reason']}" if "reason" in figure else ""
        parts.append(f"{figure['variant']}: standard deviations: {spreads}{because}.")
    each = (
        ("an answer", plan["answer_usd"]),
        ("its judging", plan["judging_usd"]),
        ("a label", plan["label_usd"]),
    )
    parts.append(
        "Costs: "
        + ", ".join(f"{name} {'unknown' if usd is None else f'${usd:,.4f}'}" for name, usd in each)
        + ". A way is an estimate from this pilot; where labels are few, so is what they say."
    )
    return "\n\n".join(parts)


def _why_none(plan: PrecisionPlan, study: Path) -> str:
    if any(figure["labels"] for figure in plan["figures"]):
        return "None is known: there are too few labels, see below."
    return (
        "None is known, as nobody labelled anything: a way is reckoned from how far the judge is from people. Labels drawn by lot: "
        f"`drr judges annotate {study} --sample 60 --task support --export FILE`, then `--labels` with what was filled in."
    )
