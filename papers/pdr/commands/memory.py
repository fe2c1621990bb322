"""`drr papers memory`: which memories there are, and how well each remembers what a context shows of a person."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drr.env.settings import Settings

_EXAMPLES = """\
A memory is shown a person's whole context and recalls, for a task, at most so many tokens of it. `drr run --settings
memory:NAME:32k` gives agents what it recalls; docs/persons.md says how to add one.

examples:
  drr papers memory list
  drr papers memory test bm25 contexts
  drr papers memory test none,recent,bm25,facts contexts --tokens 2k
  drr papers memory test my_memory.py:Diary contexts
"""


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    actions = parser.add_subparsers(dest="action", required=True, metavar="list|test")
    summary = "List the memories: ours, and those of plug-ins."
    listing = actions.add_parser("list", help=summary, description=summary)
    listing.add_argument("--json", action="store_true", help="one JSON document")
    summary = "Recall and precision of attributes in what a memory recalls, without a judge; what it took."
    _build_test(
        actions.add_parser(
            "test",
            help=summary,
            description=summary,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            epilog=_EXAMPLES.split("\n\n")[1],
        )
    )


def _build_test(parser: argparse.ArgumentParser) -> None:
    from drr.app.console import add_setting_options
    from drr.app.models import SETTINGS
    from drr.app.options import positive_int
    from drr.app.studies import add_run_options

    parser.add_argument("memory", metavar="NAME[,NAME]", help="of `drr papers memory list`, or file.py:Class")
    parser.add_argument(
        "contexts", metavar="CONTEXTS", type=Path, help="a folder of `drr papers context build`"
    )
    parser.add_argument(
        "--persons",
        metavar="FILE.jsonl",
        type=Path,
        help="the persons of these contexts (default: those that lie with them)",
    )
    parser.add_argument(
        "--tokens", type=_tokens, default=32_000, metavar="N", help="most that is recalled (default 32k)"
    )
    parser.add_argument("--task", action="append", metavar="TEXT", help="what it is asked for; repeatable")
    parser.add_argument(
        "--persons-limit", dest="how_many", type=positive_int, metavar="N", help="the first N persons alone"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")
    add_run_options(parser)
    add_setting_options(parser, *SETTINGS, "role_models", "prompts", "model_embedder")


def _tokens(text: str) -> int:
    from drr.env.errors import Misuse
    from drr.papers.pdr.context import parse_sizes

    try:
        sizes = list(parse_sizes(text).values())
    except Misuse as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    if len(sizes) != 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not one number of tokens, e.g. 32k")
    return sizes[0]


def run(arguments: argparse.Namespace) -> int:
    if arguments.action == "list":
        return _list(arguments)
    from drr.papers.pdr.memory_trials import try_memories

    return try_memories(arguments, _settings(arguments))


def _settings(arguments: argparse.Namespace) -> Settings:
    from drr.app.console import settings_of

    return settings_of(arguments).settings


def _list(arguments: argparse.Namespace) -> int:
    from drr.app.console import print_json
    from drr.app.terminal import Column, table
    from drr.papers.pdr.memory.registry import memory_kinds

    kinds = memory_kinds()
    if arguments.json:
        rows = [
            {
                "name": kind.name,
                "version": kind.version,
                "summary": kind.summary,
                "asks_model": kind.asks_model,
                "embeds": kind.embeds,
                "origin": kind.origin,
            }
            for kind in kinds
        ]
        print_json({"schema": 1, "memories": rows})
        return 0
    uses = {
        (False, False): "-",
        (True, False): "model",
        (False, True): "embedder",
        (True, True): "model, embedder",
    }
    lines = [(k.name, k.version, uses[k.asks_model, k.embeds], k.summary) for k in kinds]
    print(table(["memory", "version", "uses", Column("how", flows=True)], lines))
    return 0
