"""The command `drr shop make`: a fresh shop with its people, its web and its questions, all from one seed."""

from __future__ import annotations

import argparse
from pathlib import Path

from drr.app.console import add_search_options, print_result, progress_of, settings_of
from drr.env.errors import Misuse

_EXAMPLES = """\
examples:
  drr shop make --seed 41 --out monday
  drr shop make --seed 41 --size paper --out big
  drr shop make --seed 42 --axes hard.toml --out hard

then:
  drr run study --shop monday/shop --sandbox monday/web --queries monday/queries.jsonl"""


def build(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Make a shop that nobody can know beforehand: names, makers, values, prices and web pages are drawn from the seed. "
        "The same seed, size and axes give the same shop."
    )
    parser.epilog = _EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("--seed", type=int, required=True, metavar="S", help="everything is drawn from it")
    add(
        "--size",
        choices=("small", "paper"),
        default="small",
        help="1,116 products and 10,000 users (default), or 80,000 and 1.8 million",
    )
    add(
        "--axes", type=Path, metavar="FILE", help="a TOML file of sizes and shares in place of the size's own"
    )
    add(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help="a new folder for shop/, web/, queries.jsonl, made.json",
    )
    add("--json", action="store_true", help="one JSON document")
    add("--quiet", action="store_true", help="no progress, no summary")
    add_search_options(parser)


def run(arguments: argparse.Namespace) -> int:
    from drr.app.study.fresh_shops import make_shop
    from drr.data_ingest.fresh import SIZES, read_axes

    if not 0 <= arguments.seed < 2**63:  # the seeds that a manifest can hold
        raise Misuse(f"--seed {arguments.seed}: must lie between 0 and {2**63 - 1}")
    axes = read_axes(arguments.axes, arguments.size) if arguments.axes else SIZES[arguments.size]
    made = make_shop(
        arguments.seed, axes, arguments.out, settings_of(arguments).settings, progress_of(arguments)
    )
    counts = ", ".join(f"{count:,} {name}" for name, count in made["counts"].items()) + " from templates"
    if arguments.json or not arguments.quiet:
        print_result(
            arguments, made, f"{arguments.out}: {counts}", f"next: drr shop info {arguments.out}/shop"
        )
    return 0 if made["counts"]["questions"] == axes.questions else 1
