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
from drr.env.plugins import merged, papers

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
        arguments,
        {**document, "reference": REFERENCE | merged(paper.judging.agreement for paper in papers())},
        _text(document),
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
    from drr.app.judge.text import confusion_table_lines

    parts = [wrapped_paragraph(document["banner"])] if document["banner"] else []
    for pair in document["pairwise"]["pairs"]:
        parts.append(_table_text(f"pairs, {_joined_names(pair['judges'])}", pair["dimensions"], _PAIRS))
    for support in document["support"]["pairs"]:
        values = zip(_SUPPORT, _statistic_cells(support, _SUPPORT), strict=True)
        parts.append(table([f"support, {_joined_names(support['judges'])}", "value"], list(values)))
        parts += confusion_table_lines(support["classes"], *support["judges"])
    for rated in document["rating"]["pairs"]:
        parts.append(_table_text(f"grades, {_joined_names(rated['judges'])}", rated["dimensions"], _GRADES))
    for scored in document["criteria"]["pairs"]:
        rows = []
        for dimension, levels in scored["dimensions"].items():
            first, mard = _statistic_cells(levels["criterion"], ("pca", "mard"))
            chance, systems = number(levels["criterion"]["pca"]["chance"], 2), levels["system"]
            totals = _statistic_cells(levels["report"], ("mad", "par", "pearson", "spearman"))
            last = "-" if systems is None else with_interval(systems["spearman"], 2)
            rows.append([dimension, first, chance, mard, *totals, last])
        parts.append(table([f"criteria, {_joined_names(scored['judges'])}", *_CRITERIA], rows))
    if document["criteria"]["pairs"]:
        note = "PAR: pairs that both order alike, of all pairs; a tie agrees with no order."
        parts.append(wrapped_paragraph(note))
    for measured in document["metrics"]:
        if measured["metrics"]:
            parts.append(
                _table_text(f"metrics, {_joined_names(measured['judges'])}", measured["metrics"], _METRICS)
            )
    parts += [table(head, rows) for head, rows in _of_each_judge(document) if rows]
    return "\n\n".join(parts) or "No two judges judged the same thing."


def _joined_names(judges: Sequence[str]) -> str:
    return " and ".join(judges)


def _table_text(title: str, rows: Mapping[str, Mapping[str, object]], columns: _Statistics) -> str:
    """Return a table with a row for each name and a column for each statistic."""
    cells = [[name, *_statistic_cells(row, [key for _, key in columns])] for name, row in rows.items()]
    return table([title, *(head for head, _ in columns)], cells)


def _statistic_cells(row: Mapping[str, object], names: Iterable[str]) -> list[str]:
    return [with_interval(cast("VRow", row[name]), 2) for name in names]


def _of_each_judge(document: AgreementDocument) -> Iterator[tuple[Sequence[str | Column], list[list[str]]]]:
    """Yield the tables of win rates, of the order shown, of repetitions and of cost, each as heads and rows."""
    yield (
        ["win rates by", "dimension", "a : b", "win/tie/loss", "win rate of a"],
        [
            [
                *(row["judge"], row["dimension"], f"{row['a']} : {row['b']}"),
                f"{row['wins']}/{row['ties']}/{row['losses']}",
                with_interval(row["win_rate"], 2),
            ]
            for row in document["win_rates"]
        ],
    )
    columns = ("same verdict when swapped", "first shown wins", Column("", rank=1))
    swapped = ("position_consistency", "first_position_rate")
    for name, gates in document["positions"].items():
        rows = [
            [dimension, *_statistic_cells(gate, swapped), "unreliable" if gate["unreliable"] else ""]
            for dimension, gate in gates.items()
        ]
        yield [f"order of presentation, {name}", *columns], rows
    for name, again in document["stability"].items():
        if again:
            values = zip(_REPEATED, _statistic_cells(again, _REPEATED), strict=True)
            yield [f"{name} judging {again['repetitions']} times", "same label"], [*map(list, values)]
    yield (
        ["judge", "dollars", "questions", "dollars per question", "tokens"],
        [
            [
                *(judge, number(cost["usd"], 4), f"{cost['queries']}"),
                *(number(cost["usd_per_query"], 4), f"{cost['tokens']:,}"),
            ]
            for judge, cost in document["cost"].items()
        ],
    )
