"""`drr judges regrade`: kept episodes paid again by the rewards of today, without a run."""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import fmean

from drr.app.console import tell
from drr.app.training.from_study import answers_of
from drr.app.training.transcripts import read, write
from drr.env.errors import Misuse
from drr.env.query import read_queries


def build(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = (
        'Environments write such files: drr.Environment(shop="shop", transcripts="episodes.jsonl").\n\n'
        "examples:\n  drr judges regrade episodes.jsonl\n  drr judges regrade episodes.jsonl --out episodes.parquet\n"
        "  drr judges regrade episodes.jsonl --queries mended.jsonl --out again.jsonl\n"
        "  drr judges regrade study --out answers.jsonl      # a study of checkable questions"
    )
    add("file", metavar="FILE.jsonl", type=Path, help="transcripts of episodes, or a study's folder")
    add("--queries", metavar="FILE.jsonl", type=Path, help="records that replace those of the same id")
    add("--out", metavar="FILE", type=Path, help="what is written: .jsonl, or .parquet")
    add("--json", action="store_true", help="one JSON document")


def run(arguments: argparse.Namespace) -> int:
    records = {one.id: one for one in read_queries(arguments.queries)} if arguments.queries else {}
    before = answers_of(arguments.file, records) if arguments.file.is_dir() else read(arguments.file)
    if not before:
        raise Misuse(f"{arguments.file}: holds no episode")
    after = [one.regraded(records.get(one.query.id)) for one in before]
    if arguments.out is not None:
        write(arguments.out, after)
    changed = sum(old.reward != new.reward for old, new in zip(before, after, strict=True))
    means = [fmean(one.reward for one in rows) for rows in (before, after)]
    document = {"episodes": len(after), "changed": changed, "before": means[0], "after": means[1]}
    line = f"{len(after)} episodes, {changed} paid otherwise: mean reward {means[1]:.4f}, was {means[0]:.4f}"
    tell(arguments, {**document, "file": str(arguments.out) if arguments.out else None}, line)
    return 0
