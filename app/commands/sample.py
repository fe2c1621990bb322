"""`drr data sample`: invented raw files in the official Amazon-2023 form."""

from __future__ import annotations

import argparse


def build(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Write invented reviews and products in the official Amazon-2023 form, with the oddities of the real files at "
        "their real rates. The same numbers and seed give the same bytes."
    )
    parser.epilog = (
        "examples:\n  drr data sample raw --seed 7\n"
        "  drr data sample big --products 110000 --users 2000000 --reviews 5000000"
    )
    parser.add_argument(
        "folder", metavar="RAW_DIR", help="new folder, or one that `drr data sample` wrote earlier"
    )
    parser.add_argument("--products", type=int, default=1500, metavar="N", help="products (default 1500)")
    parser.add_argument("--users", type=int, default=400, metavar="N", help="shoppers (default 400)")
    parser.add_argument(
        "--reviews",
        type=int,
        default=24000,
        metavar="N",
        help="review rows, duplicates included (default 24000)",
    )
    parser.add_argument(
        "--seed", type=int, default=7, metavar="S", help="another seed, another shop (default 7)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.add_argument("--quiet", action="store_true", help="no progress")


def run(arguments: argparse.Namespace) -> int:
    from pathlib import Path

    from drr.app.console import print_json, progress_of
    from drr.app.ending import tidy_end
    from drr.data_ingest.sample import SamplePlan, write_sample

    plan = SamplePlan(arguments.products, arguments.users, arguments.reviews, arguments.seed)
    with tidy_end():
        written = write_sample(Path(arguments.folder), plan, progress_of(arguments))
    if arguments.json:
        print_json(written)
    elif not arguments.quiet:
        rows = written["rows"]
        print(
            f"{arguments.folder}: {rows['reviews']:,} reviews of {rows['products']:,} products by "
            f"{rows['users']:,} shoppers in {len(written['categories'])} categories\n"
            f"next: drr data ingest {arguments.folder} --shop shop"
        )
    return 0
