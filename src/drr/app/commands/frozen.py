"""The commands `drr queries freeze` and `reveal`: sets of questions under a name and a hash, open or sealed."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from drr.app.commands.table import CommandForm
from drr.app.console import print_result, progress_of, settings_of
from drr.env.errors import Misuse


def _build_freeze(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = (
        "examples:\n  drr queries freeze mine-v1 --made monday --out sets/mine-v1\n"
        "  drr queries freeze mine-v2 --made monday --made mine --sealed tuesday --out sets/mine-v2\n"
        "  drr run study --set sets/mine-v2 --shop monday/shop"
    )
    add("name", metavar="NAME", help="with its version, like mine-v1")
    part: Any = {"action": "append", "type": Path, "default": [], "metavar": "DIR"}
    add(
        "--made",
        help="a folder of `drr shop make`, or any with shop/, queries.jsonl and web/; repeatable",
        **part,
    )
    add("--sealed", help="one whose hashes are published now, and the seed later; repeatable", **part)
    add("--out", type=Path, metavar="FOLDER", help="a new folder (default: NAME)")
    add("--license", default="Apache-2.0", metavar="SPDX", help="of the set (default Apache-2.0)")
    add(
        "--baseline",
        action="append",
        default=[],
        metavar="NAME=REWARD",
        help="a score shown beside others; repeatable",
    )
    add("--with-truth", action="store_true", help="also publish the truth of the questions")
    add("--json", action="store_true", help="one JSON document")


def _run_freeze(arguments: argparse.Namespace) -> int:
    from drr.app.study.frozen_sets import SetTerms, freeze

    folder = arguments.out or Path(arguments.name)
    day = datetime.now(UTC).date().isoformat()
    if not arguments.made + arguments.sealed:
        raise Misuse("a set has a shop at least; give --made DIR or --sealed DIR")
    try:
        baselines = {
            name: float(value) for name, _, value in (one.partition("=") for one in arguments.baseline)
        }
    except ValueError as error:
        raise Misuse(
            f"--baseline {' '.join(arguments.baseline)}: not NAME=REWARD, as in lines=0.118"
        ) from error
    terms = SetTerms(arguments.name, arguments.license, day, arguments.with_truth, baselines)
    frozen, key = freeze(arguments.made, arguments.sealed, folder, terms, settings_of(arguments).settings)
    shops = "one shop" if len(frozen.parts) == 1 else f"{len(frozen.parts)} shops"
    line = (
        f"{folder}: {frozen.name}, {frozen.count} questions over {shops}, content hash {frozen.content_hash}"
    )
    seal = f"{folder}.seal.json: keep it; it is the only way to reveal the seeds"
    once = [f"key of the encrypted questions, printed this once: {key}"] if key else []
    document = frozen.model_dump(mode="json") | ({"key": key} if key else {})
    print_result(arguments, document, line, *([seal] if arguments.sealed else []), *once)
    return 0


def _build_reveal(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = "examples:\n  drr queries reveal sets/mine-v2 --seal sets/mine-v2.seal.json"
    add("set", type=Path, metavar="SET", help="the folder of a sealed set")
    add("--seal", type=Path, metavar="FILE", help="the file that its owner kept")
    add("--key", default="", metavar="KEY", help="what opens its encrypted questions, seeds included")
    add("--out", type=Path, metavar="DIR", help="also write the opened questions here")
    add("--json", action="store_true", help="one JSON document")
    add("--quiet", action="store_true", help="no progress")


def _run_reveal(arguments: argparse.Namespace) -> int:
    from drr.app.study.frozen_sets import place_of_set, reveal

    settings, progress = settings_of(arguments).settings, progress_of(arguments)
    if not (arguments.seal or arguments.key):
        raise Misuse("give --seal FILE, or --key KEY of a set with encrypted questions")
    place = place_of_set(arguments.set)
    wrong = reveal(place, arguments.seal, settings, progress, arguments.key, arguments.out)
    good = f"{arguments.set}: the seeds are those it was sealed with, and make its shops, webs and questions"
    print_result(arguments, {"set": str(arguments.set), "problems": wrong}, *(wrong or [good]))
    return 1 if wrong else 0


FREEZE = CommandForm(_build_freeze, _run_freeze)
REVEAL = CommandForm(_build_reveal, _run_reveal)
