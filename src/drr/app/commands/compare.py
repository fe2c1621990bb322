"""The command `drr study compare`: two variants on the queries that both answered, metric by metric, with intervals."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from drr.app.console import print_document
from drr.app.notices import notice
from drr.app.study.outcome import without_lost_answers
from drr.app.terminal import Column, number, p_value, table, with_colour, with_interval, wrapped_paragraph
from drr.env.errors import Misuse
from drr.env.question_fields import FIELD_NAMES

if TYPE_CHECKING:
    from drr.app.report.standing import SystemStanding
    from drr.env.json_object import JsonObject
    from drr.eval.metrics.compare import ValueTable
    from drr.eval.metrics.rows import CompareDocument
    from drr.eval.stats.differences import DifferenceRow
    from drr.study.study import Study


def build(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = (
        "Differences are A minus B, paired by query; p-values are corrected together (Holm).\n"
        "Grey, with ≈: a difference that repetition alone makes (the noise floor of `drr report`).\n\n"
        "examples:\n  drr study compare study hybrid-react+ws react+ws\n  drr study compare study react react+ws --json\n"
        "  drr study compare new --with old    # each variant of both, on the questions of both"
    )
    add("study", metavar="STUDY", type=Path, help="the folder of the study")
    add("a", metavar="A", nargs="?", help="a variant or an imported system")
    add("b", metavar="B", nargs="?", help="the variant that it is held against")
    add(
        "--with",
        dest="other",
        metavar="STUDY2",
        type=Path,
        help="B is of this study; without A and B, every variant of both",
    )
    add(
        "--judge",
        metavar="NAME",
        help="default: the last model that judged, else the rules; --with: judges anew what it has not judged",
    )
    add("--by", metavar="FIELD", help=f"the differences by {FIELD_NAMES}")
    add("--full", action="store_true", help="also the figures that are equal on every question")
    add("--json", action="store_true", help="one JSON document")


class VariantPair(TypedDict):
    """The comparison of two variants as a document, with the facts that only its table needs."""

    document: CompareDocument
    names: dict[str, str]
    """Name that people are shown for each metric of the table."""
    not_measured: str
    """Sentence that is shown where there is no noise floor."""
    unjudged: int
    """Number of answers of both variants that the judge has not judged."""


def run(arguments: argparse.Namespace) -> int:
    from drr.study.cache import cached_result
    from drr.study.study import Study

    if arguments.other is not None:
        return _run_joined(arguments)
    if arguments.b is None:
        raise Misuse("name two variants, A and B; or name another study: --with STUDY2")
    with Study.read(arguments.study) as study:
        names = [arguments.a, arguments.b, arguments.judge, arguments.by]
        made: VariantPair = without_lost_answers(
            study,
            lambda: cached_result(study, "compared", lambda: names, lambda: _compared_pair(study, arguments)),
        )
    _say_unjudged(arguments.study, made["unjudged"])
    print_document(arguments, made["document"], _text(made, full=arguments.full))
    return 0


def _say_unjudged(study: Path, count: int) -> None:
    if count:
        notice(f"{count:,} answers of the two are not judged yet: `drr judge {study}`")


def _run_joined(arguments: argparse.Namespace) -> int:
    from drr.app.report.joining import joined_tables, joined_text
    from drr.app.report.standing import failed_answers, table_standings
    from drr.app.study.outcome import say_losses
    from drr.eval.metrics.coverage import count_unjudged

    names = None if arguments.a is None else (arguments.a, arguments.b or arguments.a)
    parts, made = [], []
    with joined_tables((arguments.study, arguments.other), names, arguments.judge) as (studies, tables):
        failures = list(map(failed_answers, studies))
        for table in tables:
            sides = list((table.variants or {}).items())
            failed = {
                name: failures[place].get(variant, Counter())
                for place, (name, (_, variant)) in enumerate(sides)
            }
            a, b = table.systems
            pair = _pair_of(table, a, b, table_standings(table, failed).row, arguments.by)
            pair["document"]["joined"] = table.row
            for side, variant in dict(sides).values():
                _say_unjudged(Path(side.name), count_unjudged(side.table.judged, [variant]))
            parts += [wrapped_paragraph(joined_text(table)), _text(pair, full=arguments.full)]
            made.append(pair["document"])
        for study in studies:
            say_losses(study)
    document = made[0] if names else {"schema": 1, "pairs": made}
    print_document(arguments, document, "\n\n".join(parts))
    return 0


def _compared_pair(study: Study, arguments: argparse.Namespace) -> VariantPair:
    from drr.agents.commands.command import recorded_name
    from drr.app.report.standing import study_standings
    from drr.eval.judging.read import choose_judging, read_judged, repetitions
    from drr.eval.metrics import all_failed
    from drr.eval.metrics.compare import ValueTable

    judged = read_judged(study, choose_judging(study, arguments.judge))
    known = sorted({*(answer.variant for answer in judged.answers), *all_failed(judged)})
    a, b = (recorded_name(name, known) for name in (arguments.a, arguments.b))
    for name in (a, b):
        if name not in known:
            raise Misuse(f"{arguments.study}: {name} has no answers; it has {', '.join(known) or 'none'}")
    if a == b:
        others = f"name two of {', '.join(known)}" if known[1:] else "the study has no other system"
        raise Misuse(f"{a} cannot be compared with itself; {others}")
    table = ValueTable(judged, again=repetitions(study, judged))
    return _pair_of(table, a, b, study_standings(study, judged).row, arguments.by)


def _pair_of(table: ValueTable, a: str, b: str, standing: SystemStanding, by: str | None) -> VariantPair:
    from drr.app.report.differences import not_measured
    from drr.eval.metrics import shown_name
    from drr.eval.metrics.compare import compare_systems
    from drr.eval.metrics.coverage import count_unjudged

    document = compare_systems(table, a, b)
    document["standing"] = standing.document()
    if by is not None:
        from drr.app.report.by_field import by_field

        document["by"] = by_field(table, by, (a, b))
    left = _left_out(document)
    names = {name: shown_name(name) for name in document["metrics"] if name not in left}
    return {
        "document": document,
        "names": names,
        "not_measured": not_measured(answer for own in table.systems.values() for answer in own),
        "unjudged": count_unjudged(table.judged, (a, b)),
    }


def _text(pair: VariantPair, *, full: bool) -> str:
    from drr.app.judge.text import figures_read_text

    document, names = pair["document"], pair["names"]
    a, b = document["a"], document["b"]
    folded = set() if full else {name for name in names if not _is_open(name, document["metrics"][name])}
    rows = [
        [
            names[name],
            number(row["a"]),
            number(row["b"]),
            _difference(row, document["noise"].get(name)),
            number(document["noise"][name]["value"]) if name in document["noise"] else "not measured",
            p_value(row["p"]),
            p_value(row["p_holm"]),
        ]
        for name, row in document["metrics"].items()
        if name in names and name not in folded
    ]
    parts = [wrapped_paragraph(document["standing"]["text"])] if "standing" in document else []
    parts += [wrapped_paragraph(line) for line in _sentences_on_differences(document, names)]
    parts += [wrapped_paragraph(document["banner"])] if document["banner"] else []
    parts += map(wrapped_paragraph, figures_read_text(document["figures"]))
    if document["same_reports"]:
        parts.append(
            f"{document['same_reports']} of {document['reports']} reports of both are equal, byte for byte."
        )
    parts.append(
        table(
            [
                "metric",
                Column(a, rank=1),
                Column(b, rank=1),
                "difference",
                Column("noise floor", rank=1),
                Column("p", rank=3),
                Column("p (Holm)", rank=2),
            ],
            rows,
        )
    )
    if folded:
        shown = ", ".join(names[name] for name in names if name in folded)
        parts.append(wrapped_paragraph(f"Equal or not sure (--full shows them): {shown}."))
    if "by" in document:
        from drr.app.report.by_field import by_field_text

        parts.append(by_field_text(document["by"]))
    if not document["noise"]:
        parts.append(wrapped_paragraph(pair["not_measured"]))
    return "\n\n".join(parts)


def _sentences_on_differences(document: CompareDocument, names: dict[str, str]) -> list[str]:
    """Return sentences on the differences that are sure, and on the questions that the columns cover."""
    from drr.eval.stats.differences import is_settled

    ahead: dict[str, list[str]] = {}
    for name in names:
        row, better = document["metrics"][name], document["about"][name]["better"]
        if is_settled(row) and row["value"]:
            first = (row["value"] > 0) == (better != "lower")
            known = f"{document['a' if first else 'b']} is {'better' if better else 'higher'} on"
            ahead.setdefault(known, []).append(names[name])
    sure = [f"{known} {', '.join(shown)}." for known, shown in ahead.items()]
    return [
        " ".join([*sure, f"No {'other ' if sure else ''}difference is sure."]),
        "A difference is sure if p (Holm) is under 0.05. That is p, corrected for the number of figures; the interval is not corrected. "
        "Each column is the mean over the questions where both variants have the figure. In `drr report` it is over all of a variant's own.",
    ]


def _is_open(name: str, row: DifferenceRow) -> bool:
    """Tell whether a row is shown without `--full`: it is sure, or a lead metric that differs somewhere."""
    from drr.app.report.contrasts import graded_metrics, lead_metrics
    from drr.eval.stats.differences import is_settled

    is_equal = row["value"] == 0 and (row["n"] == 1 or row.get("all_equal", False))
    return is_settled(row) or (name in (*lead_metrics(), *graded_metrics()) and not is_equal)


def _left_out(document: CompareDocument) -> set[str]:
    """Return metrics left out of the table: papers' metrics that nobody asked for, and metrics that neither variant has."""
    from drr.eval.metrics import metrics_without_verdicts

    metrics = document["metrics"]
    unknown = {name for name, row in metrics.items() if row["a"] is None and row["b"] is None}
    kinds = {name.replace("fp_", "n_cited_", 1) for name in unknown if name.startswith("fp_")}
    return (
        metrics_without_verdicts(metrics)
        | unknown
        | {name for name in kinds & metrics.keys() if not metrics[name]["a"]}
    )


def _difference(row: DifferenceRow, floor: JsonObject | None) -> str:
    shown = with_interval(row)
    slight = floor is not None and row["value"] is not None and abs(row["value"]) < floor["value"]
    return with_colour(f"≈ {shown}", "dim") if slight else shown
