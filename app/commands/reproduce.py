"""`drr reproduce`: queries, agents, judging, every table and figure: one command that goes on where it stopped."""

from __future__ import annotations

import argparse
import io
import json
import shlex
import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def build(parser: argparse.ArgumentParser) -> None:
    from drr.app.console import add_setting_options
    from drr.app.options import positive_float, positive_int

    parser.epilog = (
        "examples:\n"
        "  drr reproduce --shop demo/shop --out demo/reproduction                   # rules instead of a model\n"
        "  drr reproduce --shop shop --model anthropic:claude-sonnet-5-5 --judge anthropic:claude-opus-5-5 --budget 300\n\n"
        "Give the same command again and it continues: only what is missing is computed."
    )
    parser.add_argument("--shop", required=True, help="a folder, or servers:NAME")
    parser.add_argument(
        "--out", type=Path, default=Path("reproduction"), metavar="DIR", help="default: reproduction"
    )
    parser.add_argument("--queries", type=Path, metavar="FILE", help="these instead of generated ones")
    parser.add_argument(
        "--users", type=positive_int, default=17, help="users to write queries for (default 17)"
    )
    parser.add_argument("--per-user", type=positive_int, default=3, help="queries per user (default 3)")
    parser.add_argument("--seed", type=int, default=7, help="draws the users (default 7)")
    parser.add_argument(
        "--variants", default="all", help="`all` (default: the paper's six) or names with commas"
    )
    parser.add_argument("--trials", type=positive_int, default=1, help="repetitions of each (default 1)")
    parser.add_argument("--judge", metavar="MODEL", help="who judges (default: the setting model_judge)")
    parser.add_argument(
        "--second-judge", metavar="MODEL", help="judges the same again, for agreement between judges"
    )
    parser.add_argument("--budget", type=positive_float, metavar="USD", help="most that all of it may cost")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    add_setting_options(parser, "model", "base_url", "concurrency", "web", "sandbox", "shop_url")


def run(arguments: argparse.Namespace) -> int:
    from drr.app.cli import main

    arguments.out.mkdir(parents=True, exist_ok=True)
    for words in _steps(arguments):
        print("$ drr " + shlex.join(words), flush=True)
        tables = io.StringIO()
        # What judging prints is what the report shows; it is seen only where judging fails.
        with redirect_stdout(tables) if words[0] == "judge" else nullcontext():
            code = main(words)
        if code != 0:
            print(tables.getvalue(), end="")
            print(
                f"drr: `drr {words[0]}` ended with {code}; give the same command again to continue",
                file=sys.stderr,
            )
            return code
    print(_headline(arguments.out / "report" / "metrics.json"))
    print(
        f"\nreport: {arguments.out / 'report' / 'index.html'}\nviewer: {arguments.out / 'viewer' / 'index.html'}"
    )
    return 0


HEADLINE = {
    "fp": ("faithfulness", 2),
    "fr": ("cited share", 2),
    "overall": ("overall, 0-10", 1),
    "input_tokens": ("tokens in", 0),
    "tool_calls": ("tool calls", 1),
}


def _headline(metrics: Path) -> str:
    """The few figures that say how it went, each with its interval; the banner over them."""
    from drr.app.terminal import table, with_interval

    document = json.loads(metrics.read_text(encoding="utf-8"))
    names = [name for name in HEADLINE if any(name in row for row in document["metrics"].values())]
    rows = []
    for variant, values in document["metrics"].items():
        usual = max(values[name]["n"] for name in names if name in values)
        shown = [with_interval(values[n], HEADLINE[n][1], usual=usual) if n in values else "-" for n in names]
        rows.append([variant, str(usual), *shown])
    banner = f"{document['banner']}\n\n" if document["banner"] else ""
    return f"\n{banner}{table(['variant', 'n', *(HEADLINE[name][0] for name in names)], rows)}"


def _steps(arguments: argparse.Namespace) -> Iterator[list[str]]:
    """Each step as words of the command line, so that a user can give any of them alone."""
    out: Path = arguments.out
    study, queries = str(out / "study"), arguments.queries or out / "queries.jsonl"
    profile = ["--profile", arguments.profile] if arguments.profile else []
    quiet = ["--quiet"] if arguments.quiet else []
    server = _given(arguments, "base_url", "concurrency")
    if arguments.queries is None:
        size = [
            "--users",
            str(arguments.users),
            "--per-user",
            str(arguments.per_user),
            "--seed",
            str(arguments.seed),
        ]
        budget = ["--budget", f"{arguments.budget:g}"] if arguments.budget else []
        model = _given(arguments, "model")
        yield [
            "queries",
            "generate",
            "--shop",
            arguments.shop,
            "--out",
            str(queries),
            *size,
            *model,
            *server,
            *budget,
            *quiet,
        ]
    budget = ["--budget", f"{_left(arguments.budget, queries):g}"] if arguments.budget else []
    settings = _given(arguments, "model", "web", "sandbox", "shop_url")
    what = ["--shop", arguments.shop, "--queries", str(queries), "--variants", arguments.variants]
    yield [
        "run",
        study,
        *what,
        "--trials",
        str(arguments.trials),
        *settings,
        *server,
        *profile,
        *budget,
        *quiet,
    ]
    for judge in dict.fromkeys(
        [arguments.judge, *([arguments.second_judge] if arguments.second_judge else [])]
    ):
        yield ["judge", study, *(["--judge", judge] if judge else []), *server, *profile, *budget, *quiet]
    yield [
        "report",
        study,
        "--out",
        str(out / "report"),
        *(["--judge", arguments.judge] if arguments.judge else []),
    ]
    yield ["view", study, "--static", str(out / "viewer"), *quiet]


def _given(arguments: argparse.Namespace, *names: str) -> list[str]:
    return [
        word
        for name in names
        if getattr(arguments, name) is not None
        for word in ("--" + name.replace("_", "-"), str(getattr(arguments, name)))
    ]


def _left(budget: float, queries: Path) -> float:
    """What writing the queries has left of the budget."""
    from drr.llm.meter import dollars
    from drr.study.study import Study

    folder = queries.with_name(queries.name + ".study")
    if not Study.exists(folder):
        return budget
    with Study.open(folder) as study:
        return max(budget - (dollars(study.ledger.accounts.total().most_cost) or 0.0), 0.0)
