"""The command `drr judges scorecard`: agreement of a judge with labels of ours or of others, and its cost."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.console import print_document, settings_of
from drr.app.judge.desk import desk_of, judge_models, open_study, verdicts_on_labels
from drr.app.study.outcome import add_unit_options, conclude, run_units
from drr.app.terminal import number, table, with_interval, wrapped_paragraph
from drr.env.errors import Misuse
from drr.eval.labels import read_labels
from drr.llm.names import OFFLINE

if TYPE_CHECKING:
    from drr.env.settings import Settings
    from drr.eval.agreement.scorecard import JudgedSet, LabelledSet, ScorecardDocument
    from drr.study.run import Summary
    from drr.study.study import Study

_EXAMPLES = """\
FILE holds labels of support or of pairs, as for `drr judges calibrate`, or is one of WiCE or of AttributionBench as it is published.

examples:
  drr judges scorecard --judge anthropic:claude-sonnet-5-5 --on wice.jsonl --sample 200 --budget 2
  drr judges scorecard --judge anthropic:claude-sonnet-5-5 --on wice.jsonl --was anthropic:claude-sonnet-5-4
  drr judges scorecard --judge ollama:small --on labels.jsonl --tell study   # its pages show the accuracy
"""


def build(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = _EXAMPLES
    add("--on", metavar="FILE", type=Path, required=True, help="labels, JSONL")
    add("--judge", dest="model_judge", metavar="MODEL", help="the judge (default: the setting model_judge)")
    add("--was", metavar="MODEL", help="a retired judge of these labels, whose figures are linked")
    add("--sample", metavar="N", type=int, help="judge N things drawn by lot (default: all)")
    add("--again", metavar="N", type=int, default=50, help="judge N of them twice (default: 50)")
    add(
        "--tell",
        metavar="STUDY",
        type=Path,
        nargs="+",
        default=[],
        help="studies that it judged, whose pages shall show its accuracy",
    )
    add("--json", action="store_true", help="one JSON document")
    add_unit_options(parser, "prompts", "shop_url")


def run(arguments: argparse.Namespace) -> int:
    from drr.eval.agreement.scorecard import JudgedSet, LabelledSet, scorecard
    from drr.eval.judging.read import tell_scorecard

    if arguments.again < 0 or (arguments.sample is not None and arguments.sample < 1):
        raise Misuse("--sample: at least 1, --again: at least 0")
    settings = settings_of(arguments).settings
    labelled = LabelledSet.of(arguments.on.name, read_labels(arguments.on), arguments.sample)
    with verdicts_on_labels(arguments.on) as study:
        own, summary = _judged(arguments, labelled, study, settings)
        rules = settings.model_copy(update={"model_judge": OFFLINE})
        by_rules = settings.model_for("judge") == OFFLINE
        others = [] if by_rules else [_judged(arguments, labelled, study, rules)[0]]
        old = [JudgedSet.by(arguments.was, labelled, study)] if arguments.was else []
        document = scorecard(labelled, [own, *others, *old], *old)
    for path in arguments.tell:
        with open_study(path) as judged:
            tell_scorecard(judged, own.judge, labelled.name, document["measured"], document["weak"])
    print_document(arguments, document, _text(document))
    return conclude(summary, study.folder, "judges scorecard")


def _judged(
    arguments: argparse.Namespace, labelled: LabelledSet, study: Study, settings: Settings
) -> tuple[JudgedSet, Summary]:
    """Let a judge judge all labels once, and a model some of them twice."""
    from drr.eval.agreement.calibrate import Calibration
    from drr.eval.agreement.scorecard import JudgedSet
    from drr.eval.asking.judge import KeptAnswers

    models = judge_models(arguments, settings)
    desk, kept = desk_of(settings, models, None), KeptAnswers(study)
    twice = [] if desk.judge.rule_written else labelled.cases[: arguments.again]
    times = [
        Calibration(desk, {case.id: case for case in some}, kept, repeat)
        for repeat, some in enumerate((labelled.cases, twice))
    ]
    units = [unit for one in times for unit in one.units()]
    summary = run_units(
        arguments, study, units, lambda spec, own: times[spec.get("repeat", 0)].work(spec, own), models, "labels"
    )  # fmt: skip
    return JudgedSet.by(desk.judge.shown, labelled, study, {unit.key for unit in units}), summary


def _text(document: ScorecardDocument) -> str:
    first, *others = scores = document["scores"]
    rows = [
        [name.replace("_", " "), *(with_interval(one["figures"][name], 2) for one in scores)]
        for name in first["figures"]
    ]
    rows.append(["$ of 1,000 labels", *(number(one["usd_per_1000"], 2) for one in scores)])
    head = f"{document['items']:,} labels of {document['labels']}"
    parts = [table([head, *(one["judge"] for one in scores)], rows)]
    if "f1_none" in first["figures"] and "f1_partial" not in first["figures"]:
        parts.append("No label is `partial`, so a part counts as not supported.")
    for one in others:
        if one["behind"]:
            parts.append(f"Accuracy minus that of {one['judge']}: {with_interval(one['behind'], 2)}")
    parts += [wrapped_paragraph(document["weak"])] if document["weak"] else []
    linked = [
        [f"{row['old']:.1f}", with_interval(row["people"], 2), with_interval(row["new"], 2)]
        for row in document["link"]
    ]
    if linked:
        parts.append(table([f"by {scores[-1]['judge']}", "by people", f"by {first['judge']}"], linked))
        parts.append(
            "The interval is what the link adds to a figure's own, as far as errors depend on the label alone."
        )
    return "\n\n".join(parts)
