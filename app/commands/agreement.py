"""`drr judges agreement`: people against judges, judges against judges, a judge against itself."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    parser.epilog = _EXAMPLES
    parser.add_argument("study", metavar="STUDY", type=Path, help="the folder of the study")
    parser.add_argument("--human", metavar="FILE", type=Path, nargs="+", default=[], help="labels, JSONL")
    parser.add_argument(
        "--export", metavar="FILE", type=Path, help="also write the judges' verdicts as labels, JSONL"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(arguments: argparse.Namespace) -> int:
    from drr.app.annotate.sheets import labels_of
    from drr.app.console import print_json
    from drr.env.errors import DrrError
    from drr.env.plugins import merged
    from drr.eval.agreement.study import agreement_document
    from drr.study.study import Study

    labels = labels_of(arguments.study / "annotation", arguments.human)
    with Study.read(arguments.study) as study:
        document = agreement_document(study, labels)
        if arguments.export is not None:
            _export(study, arguments.export)
    if document is None:
        raise DrrError(f"{arguments.study}: nobody has judged it; `drr judge` or --human FILE brings labels")
    if arguments.json:
        print_json({**document, "reference": REFERENCE | merged("agreement")})
    else:
        print(_text(document))
    return 0


def _export(study: Study, path: Path) -> None:
    from drr.env.files import write_file
    from drr.eval.agreement.study import latest_judgings, study_labels
    from drr.eval.judging.read import read_judged

    labels = [
        label
        for judging in latest_judgings(study).values()
        for label in study_labels(read_judged(study, judging))
    ]
    lines = (label.model_dump_json(exclude_none=True) + "\n" for label in labels)
    write_file(path, "".join(lines))


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


def _text(document: AgreementDocument) -> str:
    from drr.app.terminal import flowing

    parts = [
        *([flowing(document["banner"])] if document["banner"] else []),
        *_pairs(document),
        *_support(document),
        *_grades(document),
        *_criteria(document),
        *_metrics(document),
        *_win_rates(document),
        *_positions(document),
        *_stability(document),
        *_cost(document),
    ]
    return "\n\n".join(parts) or "No two judges judged the same thing."


def _statistics(*values: VRow) -> list[str]:
    from drr.app.terminal import with_interval

    return [with_interval(v, 2) for v in values]


def _pairs(document: AgreementDocument) -> Iterator[str]:
    from drr.app.terminal import Column, table

    columns = (
        "equal",
        "kappa, no ties",
        Column("kappa, ties kept", rank=2),
        Column("AC1", rank=1),
        Column("soft", rank=3),
    )
    for pair in document["pairwise"]["pairs"]:
        rows = [
            [
                dimension,
                *_statistics(
                    row["exact"],
                    row["kappa_no_ties"],
                    row["kappa_with_ties"],
                    row["ac1"],
                    row["soft_disagreement"],
                ),
            ]
            for dimension, row in pair["dimensions"].items()
        ]
        yield table([f"pairs, {' and '.join(pair['judges'])}", *columns], rows)


def _win_rates(document: AgreementDocument) -> Iterator[str]:
    from drr.app.terminal import table, with_interval

    rows = [
        [
            row["judge"],
            row["dimension"],
            f"{row['a']} : {row['b']}",
            f"{row['wins']}/{row['ties']}/{row['losses']}",
            with_interval(row["win_rate"], 2),
        ]
        for row in document["win_rates"]
    ]
    if rows:
        yield table(["win rates by", "dimension", "a : b", "win/tie/loss", "win rate of a"], rows)


def _support(document: AgreementDocument) -> Iterator[str]:
    from drr.app.crossed import crossed
    from drr.app.terminal import table

    names = ("exact", "kappa", "weighted_kappa", "ac1", "mad", "bias")
    for pair in document["support"]["pairs"]:
        values = _statistics(
            pair["exact"], pair["kappa"], pair["weighted_kappa"], pair["ac1"], pair["mad"], pair["bias"]
        )
        yield table(
            [f"support, {' and '.join(pair['judges'])}", "value"], list(zip(names, values, strict=True))
        )
        yield from crossed(pair["classes"], *pair["judges"])


def _grades(document: AgreementDocument) -> Iterator[str]:
    from drr.app.terminal import Column, table

    columns = ("Spearman", Column("Pearson", rank=2), "MARD", Column("bias", rank=1), Column("PCA", rank=3))
    for pair in document["rating"]["pairs"]:
        rows = [
            [dimension, *_statistics(row["spearman"], row["pearson"], row["mard"], row["bias"], row["pca"])]
            for dimension, row in pair["dimensions"].items()
        ]
        yield table([f"grades, {' and '.join(pair['judges'])}", *columns], rows)


def _criteria(document: AgreementDocument) -> Iterator[str]:
    from drr.app.terminal import Column, number, table

    columns = (
        "PCA",
        "chance",
        "MARD",
        Column("MAD of reports", rank=1),
        "PAR",
        Column("Pearson", rank=2),
        "Spearman",
        Column("Spearman of systems", rank=3),
    )
    for pair in document["criteria"]["pairs"]:
        rows = []
        for dimension, levels in pair["dimensions"].items():
            scores, reports, systems = levels["criterion"], levels["report"], levels["system"]
            first = [*_statistics(scores["pca"]), number(scores["pca"]["chance"], 2)]
            totals = (reports["mad"], reports["par"], reports["pearson"], reports["spearman"])
            last = "-" if systems is None else _statistics(systems["spearman"])[0]
            rows.append([dimension, *first, *_statistics(scores["mard"], *totals), last])
        yield table([f"criteria, {' and '.join(pair['judges'])}", *columns], rows)


def _cost(document: AgreementDocument) -> Iterator[str]:
    from drr.app.terminal import number, table

    rows = [
        [
            judge,
            number(cost["usd"], 4),
            f"{cost['queries']}",
            number(cost["usd_per_query"], 4),
            f"{cost['tokens']:,}",
        ]
        for judge, cost in document["cost"].items()
    ]
    if rows:
        yield table(["judge", "dollars", "questions", "dollars per question", "tokens"], rows)


def _metrics(document: AgreementDocument) -> Iterator[str]:
    from drr.app.terminal import Column, table

    columns = ("Spearman", Column("Pearson", rank=2), "MARD", Column("bias", rank=1))
    for pair in document["metrics"]:
        rows = [
            [name, *_statistics(row["spearman"], row["pearson"], row["mard"], row["bias"])]
            for name, row in pair["metrics"].items()
        ]
        if rows:
            yield table([f"metrics, {' and '.join(pair['judges'])}", *columns], rows)


def _positions(document: AgreementDocument) -> Iterator[str]:
    from drr.app.terminal import Column, table

    columns = ("same verdict when swapped", "first shown wins", Column("", rank=1))
    for name, gates in document["positions"].items():
        rows = [
            [
                dimension,
                *_statistics(gate["position_consistency"], gate["first_position_rate"]),
                "unreliable" if gate["unreliable"] else "",
            ]
            for dimension, gate in gates.items()
        ]
        if rows:
            yield table([f"order of presentation, {name}", *columns], rows)


def _stability(document: AgreementDocument) -> Iterator[str]:
    from drr.app.terminal import table

    for name, row in document["stability"].items():
        if row:
            tasks = ("support", "rating", "pairwise")
            values = _statistics(row["support"], row["rating"], row["pairwise"])
            head = [f"{name} judging {row['repetitions']} times", "same label"]
            yield table(head, list(zip(tasks, values, strict=True)))
