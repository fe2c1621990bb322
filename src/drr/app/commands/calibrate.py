"""The command `drr judges calibrate`: compares a judge with labels by people."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.console import print_document, settings_of, write_lines
from drr.app.judge.desk import (
    desk_of,
    judge_models,
    open_study,
    settings_beside,
    study_shop,
    verdicts_on_labels,
)
from drr.app.models.setup import models_of
from drr.app.study.outcome import add_unit_options, conclude, run_units
from drr.app.terminal import number, table, with_interval, wrapped_paragraph
from drr.env.errors import Misuse
from drr.eval.labels import Label, read_labels

if TYPE_CHECKING:
    from drr.eval.agreement.rows import CalibrationDocument, MarkedRow

_EXAMPLES = """\
A label a line: support {"id", "claim", "evidence", "label": full/partial/none, "judge"}, pairwise {"id", "query",
"answer_a", "answer_b", "label": A/B/tie, ...}, rating {"id", "query", "answer", "label": number, ...}.

examples:
  drr judges calibrate labels.jsonl --task support --judge anthropic:claude-sonnet-5-5 --budget 5
  drr judges calibrate labels.jsonl --task rating --scale 1 5
  drr judges calibrate study --task support   # the marks that readers made beside verdicts in `drr view study`
"""


def build(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = _EXAMPLES
    add(
        "labels",
        metavar="FILE|STUDY",
        type=Path,
        help="labels, JSONL, or a study whose reviewers marked verdicts",
    )
    add("--shop", help="with a study: where its shop lies now, if not where it was")
    add("--task", required=True, choices=("support", "pairwise", "rating"), help="what the labels are of")
    add(
        "--judge",
        dest="model_judge",
        metavar="MODEL",
        help="who is held against them (default: the setting model_judge)",
    )
    add("--scale", type=float, nargs=2, metavar=("LOW", "HIGH"), help="of the people's grades")
    add("--export", metavar="FILE", type=Path, help="also write every verdict beside the people's, JSONL")
    add("--json", action="store_true", help="one JSON document")
    add_unit_options(parser, "prompts", "shop_url")


def run(arguments: argparse.Namespace) -> int:
    from drr.eval.agreement.calibrate import Calibration, calibration_document, verdict_lines
    from drr.eval.agreement.people import labelled_cases
    from drr.eval.asking.judge import KeptAnswers

    scale = (arguments.scale[0], arguments.scale[1]) if arguments.scale else None
    if scale and scale[0] >= scale[1]:
        raise Misuse("--scale: LOW is below HIGH, e.g. --scale 1 5")
    labels, marks = _labels(arguments, scale)
    labelled = labelled_cases(labels, arguments.task)
    others = len(labels) - sum(len(case.labels) for case in labelled)
    if not labelled:
        raise Misuse(
            f"{arguments.labels}: holds no {arguments.task} label; see `drr judges calibrate --help`"
        )
    settings = settings_of(arguments).settings
    models = judge_models(arguments, settings)
    with verdicts_on_labels(arguments.labels) as study:
        by_id = {case.id: case for case in labelled}
        calibration = Calibration(desk_of(settings, models, None), by_id, KeptAnswers(study))
        summary = run_units(arguments, study, calibration.units(), calibration.work, models, "labels")
        document = calibration_document(
            calibration, study, arguments.task, scale, other_labels=others, marks=marks
        )
        if arguments.export is not None:
            write_lines(arguments.export, verdict_lines(calibration, study, arguments.task))
    print_document(arguments, document, _text(document))
    return conclude(summary, study.folder, "judges calibrate")


def _labels(
    arguments: argparse.Namespace, scale: tuple[float, float] | None
) -> tuple[Sequence[Label], MarkedRow | None]:
    """Return labels, of a file or from reviewers' marks in a study, with counts of the marks."""
    from drr.eval.agreement.samples import marked_labels

    if not arguments.labels.is_dir():
        return read_labels(arguments.labels, scale), None
    with open_study(arguments.labels, to_look=True) as study:
        settings = settings_beside(study, arguments)
        with study_shop(study, settings, arguments.shop) as shop:
            found = marked_labels(study, desk_of(settings, models_of(settings), shop))
    if not found.labels:
        reason = f"{found.row['without_label'] + found.row['elsewhere']} marks of reviewers give no label"
        raise Misuse(
            f"{arguments.labels}: {reason}; `drr view {arguments.labels}` is where verdicts are marked"
        )
    return found.labels, found.row


def _text(document: CalibrationDocument) -> str:
    from drr.app.judge.text import confusion_table_lines
    from drr.eval.agreement.rows import statistics_in

    parts = [wrapped_paragraph(document["banner"])] if document["banner"] else []
    known = statistics_in(document["metrics"])
    rows = [
        [name, with_interval(known[name]) if name in known else number(v if isinstance(v, float) else None)]
        for name, v in document["metrics"].items()
    ]
    people = ", ".join(document["people"])
    parts.append(table([f"{document['judge']} against {people}, {document['items']} items", "value"], rows))
    parts.append(_label_counts(document))
    if document["marks"] is not None:
        parts += _marks_text(document["marks"])
    if document["classes"] is not None:
        parts += confusion_table_lines(document["classes"], document["judge"], "people")
    if document["among_people"]:
        parts.append(
            f"Among the people: Krippendorff's alpha {with_interval(document['among_people']['alpha'])}"
        )
    for name, row in document["thresholds"].items():
        words_of = {True: "met", False: "not met", None: "unknown"}[row["met"]]
        parts.append(f"{name}: {number(row['value'])}, at least {row['at_least']:.2f} is asked: {words_of}")
    return "\n\n".join(parts)


def _label_counts(document: CalibrationDocument) -> str:
    """Return a sentence that accounts for every label of the file."""
    counts = f"{document['labels']:,} labels of {document['items']:,} items, all counted"
    if document["repeated"]:
        counts += (
            f"; {document['repeated']:,} are further labels of one name on one item, averaged so that each name"
            " counts once (name people apart with `judge`)"
        )
    if document["other_labels"]:
        counts += f"; {document['other_labels']:,} further labels are of other tasks"
    return counts + "."


def _marks_text(row: MarkedRow) -> list[str]:
    """Return the text on reviewers' marks: who made them, how many gave no label, and how they marked rules."""
    names = ", ".join(f"{name} {count}" for name, count in row["reviewers"].items())
    parts = [
        f"The labels are marks of reviewers ({names}), made beside the verdict and where they chose: neither blind nor drawn by lot."
    ]
    if row["without_label"]:
        parts.append(f"{row['without_label']} more give no label (wrong, and not said what is right).")
    if row["elsewhere"]:
        parts.append(f"{row['elsewhere']} more are of what no judge of the study says any more.")
    found = [wrapped_paragraph(" ".join(parts))]
    if row["rules"]:
        rows = [
            [name.replace("_", " "), str(one["right"]), str(one["wrong"])]
            for name, one in row["rules"].items()
        ]
        found.append(table(["rule findings, by reviewers", "right", "wrong"], rows))
    return found
