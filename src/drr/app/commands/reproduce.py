"""The command `drr papers reproduce`: questions, answers, judging, tables and figures of a paper. The command goes on where it stopped."""

from __future__ import annotations

import argparse
import io
import json
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import Any

from drr.app.commands.parser import name_usual
from drr.app.commands.table import find_command
from drr.app.console import add_setting_options, print_json, settings_of
from drr.app.notices import notice
from drr.app.options import positive_float, positive_int
from drr.app.papers.preview import preview
from drr.app.papers.steps import (
    OFFLINE,
    RETAIL,
    PaperOption,
    PaperSteps,
    Places,
    Reproduction,
    check_options,
    reproducible,
    request_to_store,
    sizes_of,
    steps_of,
    store_reproduction,
    stored_reproduction,
)
from drr.app.terminal import table, with_interval, wrapped_paragraph
from drr.env.errors import Misuse
from drr.env.files import read_file
from drr.env.json_object import JsonObject

_EXAMPLES = """\
examples:
  drr papers reproduce --shop demo/shop --out demo/reproduction --model offline   # rules instead of a model: the machinery
  drr papers reproduce --shop shop --model anthropic:claude-sonnet-5-5 --judge anthropic:claude-opus-5-5 --budget 300

Give the same command again and it continues: only what is missing is computed. Without a model little is asked (it says
how much), so that the form of every table is seen in minutes. docs/papers.md says what is the same as in each paper.
"""

_NO_MODEL = (
    "a reproduction takes a language model: name it with --model, and --dry-run says what it would cost. "
    "`drr demo` shows a study that a model answered; --model offline runs the machinery by rules, which measure nothing"
)

_USUAL = (
    *(
        "--paper",
        "--shop",
        "--out",
        "--variants",
        "--queries",
        "--tasks",
        "--reports",
        "--model",
        "--base-url",
    ),
    *("--judge", "--trials", "--budget", "--dry-run", "--json", "--quiet"),
)
"""Options that the short help shows; `--help-all` shows the others."""


def build(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    first, last = _EXAMPLES.split("\n\n")
    further = (line for name in reproducible() for line in steps_of(name).EXAMPLES)
    parser.epilog = "\n".join([first, *further, "", last])
    name_usual(parser, *_USUAL)
    add("--paper", choices=reproducible(), default=RETAIL, help="which (default: retail)")
    add("--shop", help="a folder, or servers:NAME (default: an invented sample, made in the output folder)")
    add("--out", type=Path, default=Path("reproduction"), metavar="DIR", help="default: reproduction")
    _add_paper_options(parser)
    add("--trials", type=positive_int, default=1, help="repetitions of each (default 1)")
    add("--seed", type=int, default=7, help="draws the users and persons (default 7)")
    add("--variants", help="`all` (default of retail: the paper's six) or names with commas")
    add("--judge", metavar="MODEL", help="who judges (default: the setting model_judge)")
    add("--second-judge", metavar="MODEL", help="judges the same again, for agreement between judges")
    add(
        "--human",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="labels of people, for the agreement tables",
    )
    add("--budget", type=positive_float, metavar="USD", help="most that all of it may cost")
    add("--dry-run", action="store_true", help="each step, units and calls; computes and asks nothing")
    add("--quiet", action="store_true", help="no progress")
    add("--json", action="store_true", help="one JSON document; the steps go to standard error")
    add_setting_options(
        parser,
        "model",
        "models",
        "base_url",
        "concurrency",
        "model_embedder",
        "role_models",
        "web",
        "sandbox",
        "shop_url",
    )


def _add_paper_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of all papers, each with its papers in the help. An option of several papers is added once."""
    kinds: dict[str, Callable[[str], Any]] = {"size": positive_int, "text": str, "file": Path, "folder": Path}
    helps: dict[str, dict[str, list[str]]] = {}
    options: dict[str, PaperOption] = {}
    for paper in reproducible():
        for name, option in steps_of(paper).OPTIONS.items():
            options.setdefault(name, option)
            helps.setdefault(name, {}).setdefault(option.help, []).append(paper)
    for name, option in options.items():
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            type=kinds[option.kind],
            metavar=None if option.choices else option.metavar,
            choices=option.choices,
            help=" or ".join(f"{words} ({', '.join(whose)})" for words, whose in helps[name].items()),
        )


def run(arguments: argparse.Namespace) -> int:
    with redirect_stdout(sys.stderr) if arguments.json else nullcontext():
        code, document = _reproduce_paper(arguments)
    if arguments.json:
        print_json({"schema": 1, "paper": arguments.paper, "code": code, **document})
    return code


def _reproduce_paper(arguments: argparse.Namespace) -> tuple[int, JsonObject]:
    check_options(arguments)
    paper, begun = steps_of(arguments.paper), stored_reproduction(arguments.out)
    settings = settings_of(arguments).settings
    by_rules = {settings.model, *(settings.models or ())} == {OFFLINE}
    arguments.judge = arguments.judge or settings.model_judge
    sizes = sizes_of(arguments, begun, by_rules=by_rules)
    asked = Reproduction(arguments, Places(arguments.out), by_rules, sizes)
    paper.check(asked)
    if by_rules and not (arguments.model or arguments.models or begun or arguments.dry_run):
        raise Misuse(_NO_MODEL)
    now = request_to_store(arguments, begun, sizes)
    if arguments.paper != RETAIL:
        print(wrapped_paragraph(_size_text(asked, paper)), flush=True)
    if arguments.dry_run:
        code, counts = preview(asked, paper)
        return code, {"to_do": dict(counts)}
    store_reproduction(arguments.out, now)
    code = _steps(asked, paper)
    if code != 0:
        return code, {}
    pages = {name: str(arguments.out / name / "index.html") for name in ("report", "viewer")}
    figures = arguments.out / "report" / "metrics.json"
    if banner := json.loads(read_file(figures))["banner"]:
        print(f"\n{wrapped_paragraph(banner)}")
    print(f"\n{figures_table(figures, paper.HEADLINE)}")
    print("\n" + "\n".join(f"{name}: {page}" for name, page in pages.items()))
    return 0, {**pages, "metrics": str(figures)}


def _size_text(asked: Reproduction, paper: PaperSteps) -> str:
    """Return a sentence that compares the sizes of this run with the paper's sizes."""
    if asked.is_given:
        return "Asked is what was given."
    sizes_text = ", ".join(
        f"--{name.replace('_', '-')} {asked.sizes[name]:,} (the paper's number: {size.paper:,})"
        for name, size in paper.SIZES.items()
    )
    why = "No model takes part, so little is asked unless you say so" if asked.by_rules else "Asked"
    return f"{why}: {sizes_text}."


def _steps(asked: Reproduction, paper: PaperSteps) -> int:
    from drr.app.cli import main

    for step in paper.steps(asked):
        if step.done:
            print(f"$ drr {shlex.join(step.words)}   # done", flush=True)
            continue
        print("$ drr " + shlex.join(step.words), flush=True)
        tables = io.StringIO()
        # The report shows the figures that judging prints, so these are printed only if judging fails.
        with redirect_stdout(tables) if step.kind == "judge" else nullcontext():
            code = main(step.words)
        if code != 0:
            print(tables.getvalue(), end="")
            found = find_command(step.words)
            name = step.words[0] if found is None else found.command.name
            notice(f"`drr {name}` ended with {code}; give the same command again to continue")
            return code
    return 0


def figures_table(metrics: Path, shown: Sequence[str], *, width: int | None = None) -> str:
    """Return a table of the main figures, each with its interval."""
    from drr.eval.metrics import metric
    from drr.eval.stats.intervals import drawn

    document = json.loads(read_file(metrics))
    names = [name for name in shown if any(name in row for row in document["metrics"].values())]
    rows = []
    for variant, values in document["metrics"].items():
        n = max((drawn(values[name]) for name in names if name in values), default=0)
        usual = max((values[name]["n"] for name in names if name in values), default=0)
        cells = [
            with_interval(values[name], metric(name).digits, usual=usual) if name in values else "-"
            for name in names
        ]
        rows.append([variant, str(n), *cells])
    return table(["variant", "n", *(metric(name).label for name in names)], rows, width=width)
