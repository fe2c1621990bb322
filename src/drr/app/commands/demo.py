"""The command `drr demo`: figures made again from a language model's recorded answers, and an agent whose lies are caught."""

from __future__ import annotations

import argparse
import io
import shlex
import shutil
import sys
from contextlib import redirect_stderr, redirect_stdout
from importlib.resources import as_file, files
from pathlib import Path
from typing import NamedTuple

from drr.app.cli import main
from drr.app.commands.reproduce import figures_table
from drr.app.terminal import wrapped_paragraph
from drr.env.files import short_name
from drr.env.query import read_queries
from drr.wording.excerpt import excerpt

MARK = ".drr-demo"
PACKED = files("drr.app.demo")
WORST = "price"
"""The rule whose finding the demo opens."""
SHOWN = "react"
"""The variant whose report is laid out to be changed by hand."""
SHORT_FIGURES = ("fp", "mistakes")
"""Figures for which a terminal has room."""
WIDTH = 80


def demo(folder: Path) -> int:
    """Run the demo, continuing where an earlier call stopped; return the exit code. `folder` must be empty or made by the demo."""
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).is_file():
        print(f"{folder} is not empty and not a demo of ours: move it away", file=sys.stderr)
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARK).touch()
    print("Needs no key. A language model answered and judged once; its answers are in the box.", flush=True)
    raw, shop, recorded, live = (folder / name for name in ("raw", "shop", "recorded", "live"))
    steps: list[tuple[str | Path, ...]] = []
    if not (shop / "manifest.json").is_file():
        steps = [("data", "sample", raw), ("data", "ingest", raw, "--shop", shop)]
    agent = folder / "careless.py"
    agent.write_text((PACKED / agent.name).read_text(encoding="utf-8"), encoding="utf-8")
    queries = _unpack(recorded, folder)
    steps += [
        ("report", recorded, "--out", folder / "report"),
        ("run", live, "--shop", shop, "--queries", queries, "--variants", f"react,{agent}:careless"),
        ("judge", live),
        ("view", live, "--static", folder / "live-viewer"),
    ]
    for words in steps:
        if (code := _drr(*words)) != 0:
            return code
    _tell(folder)
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


def _unpack(recorded: Path, folder: Path) -> Path:
    """Take the recorded study out of its bundle, once, and write `report.md`; return the file of its questions."""
    from drr.app.bundles.regrade import restore
    from drr.eval.evidence.answers import read_answers
    from drr.querygen.builtin import builtin_queries
    from drr.study.study import Study

    queries = folder / "queries.jsonl"
    if not queries.is_file():
        shutil.rmtree(recorded, ignore_errors=True)
        with as_file(PACKED / "recorded.bundle") as bundle:
            restore(bundle, recorded)
        with Study.read(recorded) as study:
            answers = read_answers(study)
        asked = {str(one.record.spec["query_id"]) for one in answers}
        lines = [one.model_dump_json(exclude_none=True) for one in builtin_queries() if one.id in asked]
        report = next(one.report for one in answers if one.variant == SHOWN and one.query in lines[0])
        (folder / "report.md").write_text(report, encoding="utf-8")
        queries.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return queries


def _tell(folder: Path) -> None:
    """Print the caught mistakes, the recorded study's figures, the differences shown, and the pages to open."""
    question = read_queries(folder / "queries.jsonl")[0].query
    lie = worst_lie(folder)
    print(f"\nAn agent that lies was asked: {excerpt(question, 47)}\nNobody judged. Code alone caught:")
    for rule, found in lie.found:
        print(f"  {found}  ({rule.replace('_', ' ')})")
    print(_standing(folder / "live"))
    print(f"\n{(PACKED / 'card.md').read_text(encoding='utf-8').splitlines()[2]}")
    print(figures_table(folder / "report" / "metrics.json", SHORT_FIGURES, width=WIDTH))
    print(_standing(folder / "recorded"))
    print(f"report: {(folder / 'report' / 'index.html').absolute().as_uri()}")
    print(f"the lie: {lie.page}")


class Lie(NamedTuple):
    """The errors that code found in an answer, by rule, and the page of its worst claim."""

    found: list[tuple[str, str]]
    page: str


def worst_lie(folder: Path) -> Lie:
    """Return what code found in the careless answer to the demo's first question."""
    from drr.eval.judging.read import choose_judging, read_judged
    from drr.study.study import Study

    question = read_queries(folder / "queries.jsonl")[0].query
    with Study.read(folder / "live") as study:
        judged = read_judged(study, choose_judging(study))
    answer = next(one for one in judged.answers if one.query == question and one.variant.endswith("careless"))
    rules = {name: rule for name, rule in judged.rules[answer.key].items() if rule["status"] == "fail"}
    at = rules[WORST]["spans"][0][0]
    claims = judged.claims["all"][answer.key].claims or ()
    worst = next(claim["id"] for claim in claims if claim["start"] <= at < claim["end"])
    found = [(name, why) for name, rule in rules.items() for why in rule["evidence"]]
    page = (folder / "live-viewer" / "r" / f"{short_name(answer.key)}.html").absolute().as_uri()
    return Lie(found, f"{page}#claim-{worst}")


def _standing(folder: Path) -> str:
    """Return who leads a study."""
    from drr.app.report.standing import study_standings
    from drr.eval.judging.read import choose_judging, read_judged
    from drr.study.study import Study

    with Study.read(folder) as study:
        return wrapped_paragraph(study_standings(study, read_judged(study, choose_judging(study))).row.text)


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "examples:\n  drr demo\n  drr demo elsewhere   # again: it goes on where it stopped"
    parser.add_argument(
        "folder", nargs="?", type=Path, default=Path("demo"), help="made here (default: demo)"
    )


def run(arguments: argparse.Namespace) -> int:
    return demo(arguments.folder)
