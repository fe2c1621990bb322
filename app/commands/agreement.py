"""`drr agreement`: people against judges, judges against judges, a judge against itself."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from drr.study.study import Study

_EXAMPLES = """\
Labels are JSONL as `drr annotate --export` writes them; several files and several judges in one file are welcome.

examples:
  drr agreement study                                  # the judges that have judged this study
  drr agreement study --human labels.jsonl
  drr agreement study --human anna.jsonl ben.jsonl --json
  drr agreement study --export verdicts.jsonl          # a judge's verdicts in the form of labels
"""


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument("study", metavar="STUDY", type=Path)
    parser.add_argument("--human", metavar="FILE", type=Path, nargs="+", default=[], help="labels, JSONL")
    parser.add_argument(
        "--export", metavar="FILE", type=Path, help="also write the judges' verdicts as labels, JSONL"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(arguments: argparse.Namespace) -> int:
    from drr.app.console import print_json
    from drr.app.judging import agreement_document, open_study
    from drr.env.errors import DrrError
    from drr.eval.labels import Label, read_labels

    labels: list[Label] = [label for path in arguments.human for label in read_labels(path)]
    with open_study(arguments.study) as study:
        document = agreement_document(study, labels)
        if arguments.export is not None:
            _export(study, arguments.export)
    if document is None:
        raise DrrError(f"{arguments.study}: nobody has judged it; `drr judge` or --human FILE brings labels")
    document["reference"] = REFERENCE
    if arguments.json:
        print_json(document)
    else:
        print(_told(document))
    return 0


def _export(study: Study, path: Path) -> None:
    from drr.eval.judging.held import study_labels
    from drr.eval.judging.read import judgings, read_judged

    latest = {j.judge: j for j in judgings(study) if j.protocol == "ours" and not j.refetch and not j.repeat}
    labels = [label for judging in latest.values() for label in study_labels(read_judged(study, judging))]
    lines = (label.model_dump_json(exclude_none=True) + "\n" for label in labels)
    path.write_text("".join(lines), encoding="utf-8")


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
    "DR3-Eval": {"pearson": 0.78, "spearman": 0.73, "pairwise": 0.89},
    "PDR-Bench, best judge": {"pca": 0.43, "mard": 1.40},
}


def _told(document: dict[str, Any]) -> str:
    from drr.app.judging import table, with_interval

    parts = [document["banner"]] if document["banner"] else []
    for pair in document["pairwise"]["pairs"]:
        head = [
            f"pairs, {pair['judges'][0]} and {pair['judges'][1]}",
            "equal",
            "kappa, no ties",
            "kappa, ties kept",
            "AC1",
            "soft",
        ]
        rows = [
            [
                dimension,
                *(
                    with_interval(row[name], 2)
                    for name in ("exact", "kappa_no_ties", "kappa_with_ties", "ac1", "soft_disagreement")
                ),
            ]
            for dimension, row in pair["dimensions"].items()
        ]
        parts.append(table(head, rows))
    for pair in document["support"]["pairs"]:
        head = [f"support, {pair['judges'][0]} and {pair['judges'][1]}", "value"]
        rows = [
            [name, with_interval(pair[name], 2)]
            for name in ("exact", "kappa", "weighted_kappa", "ac1", "mad", "bias")
        ]
        parts.append(table(head, rows))
    for pair in document["rating"]["pairs"]:
        head = [
            f"grades, {pair['judges'][0]} and {pair['judges'][1]}",
            "Spearman",
            "Pearson",
            "MARD",
            "bias",
            "PCA",
        ]
        rows = [
            [
                dimension,
                *(with_interval(row[name], 2) for name in ("spearman", "pearson", "mard", "bias", "pca")),
            ]
            for dimension, row in pair["dimensions"].items()
        ]
        parts.append(table(head, rows))
    for name, gates in document["positions"].items():
        if gates:
            rows = [
                [
                    d,
                    with_interval(g["position_consistency"], 2),
                    with_interval(g["first_position_rate"], 2),
                    "unreliable" if g["unreliable"] else "",
                ]
                for d, g in gates.items()
            ]
            parts.append(
                table(
                    [f"order of presentation, {name}", "same verdict when swapped", "first shown wins", ""],
                    rows,
                )
            )
    for name, row in document["stability"].items():
        if row:
            rows = [[task, with_interval(row[task], 2)] for task in ("support", "rating", "pairwise")]
            parts.append(table([f"{name} judging {row['repetitions']} times", "same label"], rows))
    return "\n\n".join(parts) or "No two judges judged the same thing."
