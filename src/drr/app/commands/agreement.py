"""The command `drr judges agreement`: compares people with judges, judges with judges, and a judge with itself."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from drr.app.console import print_document
from drr.app.terminal import Column, number, table, with_interval, wrapped_paragraph
from drr.env.errors import DrrError
from drr.env.files import owner_only_mode, write_file
from drr.env.plugins import merged_field

if TYPE_CHECKING:
    from drr.eval.agreement.rows import AgreementDocument
    from drr.eval.stats.intervals import VRow
    from drr.study.study import Study

_EXAMPLES = """\
Labels are JSONL as `drr judges annotate --export` writes them; several files and several judges in one file are welcome.

examples:
  drr judges agreement study                                  # the judges that have judged this study
  drr judges agreement study --human labels.jsonl
  drr judges agreement study --human anna.jsonl ben.jsonl --json
  drr judges agreement study --export verdicts.jsonl          # a judge's verdicts in the form of labels
"""


def build(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = _EXAMPLES
    add("study", metavar="STUDY", type=Path, help="the folder of the study")
    add("--human", metavar="FILE", type=Path, nargs="+", default=[], help="labels, JSONL")
    add("--export", metavar="FILE", type=Path, help="also write the judges' verdicts as labels, JSONL")
    add("--json", action="store_true", help="one JSON document")


def run(arguments: argparse.Namespace) -> int:
    from drr.app.annotate.sheets import labels_of
    from drr.eval.agreement.study import agreement_document
    from drr.study.study import Study

    labels = labels_of(arguments.study / "annotation", arguments.human)
    with Study.read(arguments.study) as study:
        document = agreement_document(study, labels)
        if arguments.export is not None:
            _export(study, arguments.export)
    if document is None:
        raise DrrError(f"{arguments.study}: nobody has judged it; `drr judge` or --human FILE brings labels")
    print_document(
        arguments, {**document, "reference": REFERENCE | merged_field("agreement")}, _text(document)
    )
    return 0


def _export(study: Study, path: Path) -> None:
    from drr.eval.agreement.study import latest_judgings, study_labels
    from drr.eval.judging.read import read_judged

    labels = [
        label
        for judging in latest_judgings(study).values()
        for label in study_labels(read_judged(study, judging))
    ]
    lines = (label.model_dump_json(exclude_none=True) + "\n" for label in labels)
    write_file(path, "".join(lines), owner_only_mode(0o666))


REFERENCE = {
    "paper, people, pairwise without ties (n <= 21)": {
        "overall": 0.84,
        "breadth": 0.80,
        "depth": 0.55,
        "personalization": 0.55,
        "insightfulness": 0.42,
        "soft_disagreement": 0.83,
    },
    "paper, two judges, Spearman (unit not stated)": {
        "depth": 0.90,
        "overall": 0.87,
        "insightfulness": 0.86,
        "breadth": 0.78,
        "personalization": 0.41,
        "clarity": 0.35,
        "constraint_following": 0.24,
    },
    "TREC 2024 RAG, exact three-level support": {"from_scratch": 0.56, "post_edited": 0.72},
}


_Statistics = Sequence[tuple[str | Column, str]]
"""Columns of a table: each heading with the name of its statistic."""
_PAIRS: _Statistics = (
    ("equal", "exact"),
    ("kappa, no ties", "kappa_no_ties"),
    (Column("kappa, ties kept", rank=2), "kappa_with_ties"),
    (Column("AC1", rank=1), "ac1"),
    (Column("soft", rank=3), "soft_disagreement"),
)
_METRICS: _Statistics = (
    ("Spearman", "spearman"),
    (Column("Pearson", rank=2), "pearson"),
    ("MARD", "mard"),
    (Column("bias", rank=1), "bias"),
)
_GRADES: _Statistics = (*_METRICS, (Column("PCA", rank=3), "pca"))
_CRITERIA = (
    *("PCA", "chance", "MARD", Column("MAD of reports", rank=1), "PAR", Column("Pearson", rank=2)),
    *("Spearman", Column("Spearman of systems", rank=3)),
)
_SUPPORT = ("exact", "kappa", "weighted_kappa", "ac1", "mad", "bias")
_REPEATED = ("support", "rating", "pairwise")


def _text(document: AgreementDocument) -> str:
    parts = [wrapped_paragraph(document["banner"])] if document["banner"] else []
    for pair in document["pairwise"]["pairs"]:
        parts.append(_drawn(f"pairs, {_both(pair['judges'])}", pair["dimensions"], _PAIRS))
    parts += _support(document)
    for rated in document["rating"]["pairs"]:
        parts.append(_drawn(f"grades, {_both(rated['judges'])}", rated["dimensions"], _GRADES))
    parts += _criteria(document)
    for measured in document["metrics"]:
        if measured["metrics"]:
            parts.append(_drawn(f"metrics, {_both(measured['judges'])}", measured["metrics"], _METRICS))
    parts += [*_win_rates(document), *_positions(document), *_stability(document), *_cost(document)]
    return "\n\n".join(parts) or "No two judges judged the same thing."


def _both(judges: Sequence[str]) -> str:
    return " and ".join(judges)


def _drawn(title: str, rows: Mapping[str, Mapping[str, object]], columns: _Statistics) -> str:
    """Return a table with a row for each name and a column for each statistic."""
    cells = [[name, *_shown(row, [key for _, key in columns])] for name, row in rows.items()]
    return table([title, *(head for head, _ in columns)], cells)


def _shown(row: Mapping[str, object], names: Iterable[str]) -> list[str]:
    return [with_interval(cast("VRow", row[name]), 2) for name in names]


def _win_rates(document: AgreementDocument) -> Iterator[str]:
    rows = [
        [
            *(row["judge"], row["dimension"], f"{row['a']} : {row['b']}"),
            f"{row['wins']}/{row['ties']}/{row['losses']}",
            with_interval(row["win_rate"], 2),
        ]
        for row in document["win_rates"]
    ]
    if rows:
        yield table(["win rates by", "dimension", "a : b", "win/tie/loss", "win rate of a"], rows)


def _support(document: AgreementDocument) -> Iterator[str]:
    from drr.app.judge.text import confusion_table_lines

    for pair in document["support"]["pairs"]:
        values = zip(_SUPPORT, _shown(pair, _SUPPORT), strict=True)
        yield table([f"support, {_both(pair['judges'])}", "value"], list(values))
        yield from confusion_table_lines(pair["classes"], *pair["judges"])


def _criteria(document: AgreementDocument) -> Iterator[str]:
    for pair in document["criteria"]["pairs"]:
        rows = []
        for dimension, levels in pair["dimensions"].items():
            scores, systems = levels["criterion"], levels["system"]
            chance = number(scores["pca"]["chance"], 2)
            totals = _shown(levels["report"], ("mad", "par", "pearson", "spearman"))
            last = "-" if systems is None else with_interval(systems["spearman"], 2)
            first, mard = _shown(scores, ("pca", "mard"))
            rows.append([dimension, first, chance, mard, *totals, last])
        yield table([f"criteria, {_both(pair['judges'])}", *_CRITERIA], rows)


def _cost(document: AgreementDocument) -> Iterator[str]:
    rows = [
        [
            *(judge, number(cost["usd"], 4), f"{cost['queries']}"),
            *(number(cost["usd_per_query"], 4), f"{cost['tokens']:,}"),
        ]
        for judge, cost in document["cost"].items()
    ]
    if rows:
        yield table(["judge", "dollars", "questions", "dollars per question", "tokens"], rows)


def _positions(document: AgreementDocument) -> Iterator[str]:
    columns = ("same verdict when swapped", "first shown wins", Column("", rank=1))
    for name, gates in document["positions"].items():
        rows = [
            [
                dimension,
                *_shown(gate, ("position_consistency", "first_position_rate")),
                "unreliable" if gate["unreliable"] else "",
            ]
            for dimension, gate in gates.items()
        ]
        if rows:
            yield table([f"order of presentation, {name}", *columns], rows)


def _stability(document: AgreementDocument) -> Iterator[str]:
    for name, row in document["stability"].items():
        if row:
            head = [f"{name} judging {row['repetitions']} times", "same label"]
            yield table(head, list(zip(_REPEATED, _shown(row, _REPEATED), strict=True)))
