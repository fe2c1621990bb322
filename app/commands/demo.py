"""The command `drr demo`: from raw files to a judged report on one screen, by ordinary commands."""

from __future__ import annotations

import argparse
import io
import re
import shlex
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from textwrap import wrap

from drr.app.cli import main
from drr.app.commands.reproduce import figures_table
from drr.env.query import Query, read_queries
from drr.querygen.builtin import builtin_queries

MARK = ".drr-demo"
ASKED = 4
"""Number of built-in questions that the demo answers."""
SHOWN = "react+ws"
"""Variant whose answer the demo shows."""
WIDTH = 80


def demo(folder: Path) -> int:
    """Run the demo, continuing where an earlier call stopped; return the exit code. `folder` must be empty or made by the demo."""
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).is_file():
        print(f"{folder} is not empty and not a demo of ours: move it away", file=sys.stderr)
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARK).touch()
    raw, shop, study = folder / "raw", folder / "shop", folder / "study"
    print("No language model takes part: rules play agents and judge, so nothing needs a key.", flush=True)
    queries = _questions(folder)
    steps: list[tuple[str | Path, ...]] = []
    if not (shop / "manifest.json").is_file():
        steps = [("data", "sample", raw), ("data", "ingest", raw, "--shop", shop)]
    for words in (*steps, ("papers", "reproduce", "--shop", shop, "--queries", queries, "--out", study)):
        if (code := _drr(*words)) != 0:
            return code
    _tell(study)
    return 0


def _drr(*words: str | Path) -> int:
    """Print and run one command; return its exit code. The command's output is shown only if it fails."""
    given = [str(word) for word in words]
    print(f"$ drr {shlex.join(given)}", flush=True)
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        code = main([*given, "--quiet"])
    if code != 0:
        print(printed.getvalue(), end="", file=sys.stderr)
    return code


def _questions(folder: Path) -> Path:
    """Write the first built-in questions, one of each shopper, into a file; return its path."""
    path = folder / "queries.jsonl"
    chosen: dict[str, Query] = {}
    for query in builtin_queries():
        chosen.setdefault(query.user_id, query)
    lines = [query.model_dump_json(exclude_none=True) for query in list(chosen.values())[:ASKED]]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _tell(study: Path) -> None:
    """Print a question, the beginning of its answer, the main figures, and the addresses of the two pages."""
    from drr.eval.evidence.answers import read_answers
    from drr.study.study import Study

    question = read_queries(study.parent / "queries.jsonl")[0].query
    with Study.open(study / "study", read_only=True) as opened:
        reports = {(one.variant, one.query): one.report for one in read_answers(opened)}
    report = reports[SHOWN, question]
    print("\n".join([*_wrapped([f"Q ({ASKED} like it): {question}"], 2), *_wrapped(opening(report), 4)]))
    print(figures_table(study / "report" / "metrics.json", ("fp", "fr", "overall"), width=WIDTH))
    print("n in a cell: reports with a cited claim. Rows are alike: rules play all agents.")
    for name in ("report", "viewer"):
        print(f"{name}: {(study / name / 'index.html').absolute().as_uri()}")


def _wrapped(paragraphs: Sequence[str], most: int) -> list[str]:
    lines = [line for one in paragraphs for line in wrap(one, WIDTH, subsequent_indent="  ")]
    return lines if len(lines) <= most else [*lines[: most - 1], f"{lines[most - 1][: WIDTH - 2]} …"]


def opening(report: str) -> list[str]:
    """Return the lines of a report as plain words, without headings, banner and tables; a link becomes its text."""
    kept = [line for line in report.splitlines() if line.strip() and line[0] not in "#>|"]
    return [re.sub(r"\[([^\[\]]+)\]\([^()\s]+\)", r"[\1]", line).replace("**", "") for line in kept]


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "examples:\n  drr demo\n  drr demo elsewhere   # again: it goes on where it stopped"
    parser.add_argument(
        "folder", nargs="?", type=Path, default=Path("demo"), help="made here (default: demo)"
    )


def run(arguments: argparse.Namespace) -> int:
    return demo(arguments.folder)
