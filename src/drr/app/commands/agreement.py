"""The command `drr judges agreement`: compares people with judges, judges with judges, and a judge with itself."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.console import print_document
from drr.app.terminal import table, with_interval, wrapped_paragraph
from drr.env.errors import DrrError
from drr.env.files import owner_only_mode, write_file
from drr.env.plugins import merged, papers

if TYPE_CHECKING:
    from drr.eval.agreement.rows import AgreementDocument
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


def _text(document: AgreementDocument) -> str:
    from drr.app.report.agreement_tables import agreement_tables
    from drr.app.report.tables import terminal_text

    parts = [wrapped_paragraph(document["banner"])] if document["banner"] else []
    parts += map(terminal_text, agreement_tables(document))
    for name, again in document["stability"].items():
        if again:
            same = {"support": again["support"], "rating": again["rating"], "pairwise": again["pairwise"]}
            rows = [[what, with_interval(own, 2)] for what, own in same.items()]
            parts.append(table([f"{name} judging {again['repetitions']} times", "same label"], rows))
    return "\n\n".join(parts) or "No two judges judged the same thing."
