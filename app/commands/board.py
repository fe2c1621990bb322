"""The command `drr board`: a static page that ranks the systems of many bundles."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from drr.app.console import add_verify_options, progress_of, tell
from drr.env.errors import Misuse
from drr.env.small_files import read_toml
from drr.wording.excerpt import many

_NOTES = """\
Every bundle is verified first, as by `drr bundle verify`. One that fails is listed with what was found, and is in no ranking; the exit
code is then 1, and the pages of the others are written. The folder opens from disk.

examples:
  drr board study --out site                                  # from a study to its page
  drr board bundles/*.bundle --out site --shop shop --questions queries.jsonl"""


def build(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = _NOTES
    add(
        "bundles",
        metavar="BUNDLE",
        type=Path,
        nargs="+",
        help="bundles, or folders of studies, of which bundles are made",
    )
    add("--out", metavar="DIR", type=Path, required=True, help="the folder of the pages")
    add("--by", metavar="METRIC", help="the figure that ranks (default: the first of a report that is known)")
    add("--title", default="Board", help="the name of the board (default: Board)")
    add(
        "--config",
        metavar="FILE",
        type=Path,
        help="board.toml of the board's owner: `keys`, the files of public keys whose signatures count (default: none do)",
    )
    add("--without-answers", action="store_true", help="write no page for each answer")
    add(
        "--without-bundles",
        action="store_true",
        help="publish figures alone: bundles of a sealed round hold its truth",
    )
    add("--quiet", action="store_true", help="no progress")
    add_verify_options(parser)


def _keys(file: Path | None) -> list[Path]:
    """Return the files of public keys that a board's owner names."""
    if file is None:
        return []
    try:
        stated = read_toml(file)
    except (OSError, ValueError) as error:
        raise Misuse(f"{file}: cannot be read as TOML ({error})") from error
    keys = stated.pop("keys", [])
    if stated or not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        raise Misuse(f'{file}: holds one line, keys = ["ann.pub", ...]')
    return [file.parent / key for key in keys]


def run(arguments: argparse.Namespace) -> int:
    from drr.app.board.builder import BoardConfig, build_board
    from drr.app.bundles.verifier import VerifyTerms

    made = build_board(
        BoardConfig(
            bundles=arguments.bundles,
            out=arguments.out,
            title=arguments.title,
            by=arguments.by,
            answers=not arguments.without_answers,
            parcels=not arguments.without_bundles,
            terms=replace(VerifyTerms.of(arguments), owners=_keys(arguments.config)),
        ),
        progress_of(arguments),
    )
    failed = [one for one in made.bundles if one.found.failed]
    document = {
        "page": str(made.page),
        "bundles": [
            {"file": one.name, "bundle": one.found.root, "tier": one.found.tier} for one in made.bundles
        ],
        "systems": len(made.systems),
    }
    lines = [f"{one.name}: failed: {'; '.join(one.found.why())}" for one in failed]
    partly = [one for one in made.bundles if one.found.tier == "consistent in part"]
    lines += [f"{one.name}: consistent in part; lacks: {'; '.join(one.found.why())}" for one in partly]
    count = f"{many(len(made.bundles), 'bundle')}, {many(len(made.systems), 'system')}"
    tell(arguments, document, *lines, f"{count}: open {made.page}")
    return 1 if failed else 0
