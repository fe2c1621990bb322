"""The command `drr board`: a static page that ranks the systems of many bundles."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.console import add_verify_options, print_result, progress_of
from drr.env.errors import Misuse
from drr.env.jsonl import document_of
from drr.env.question_fields import FIELD_NAMES, FIELDS, ORDERS
from drr.env.small_files import read_toml
from drr.wording.excerpt import many

if TYPE_CHECKING:
    from drr.app.board.entries import StatedScore

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
    add(
        "--by",
        action="append",
        default=[],
        metavar="METRIC|FIELD",
        help=f"the figure that ranks (default: the first of a report that is known); or a field that groups each system's questions: {FIELD_NAMES}",
    )
    add(
        "--config",
        metavar="FILE",
        type=Path,
        help="board.toml of the board's owner: `keys`, the public keys whose signatures count, and `scorecards` of judges",
    )
    add("--without-answers", action="store_true", help="write no page for each answer")
    add(
        "--without-bundles",
        action="store_true",
        help="publish figures alone: bundles of a sealed round hold its truth",
    )
    add("--quiet", action="store_true", help="no progress")
    add_verify_options(parser)


def _read_owner_file(file: Path | None) -> tuple[list[Path], dict[str, StatedScore]]:
    """Return the public keys that a board's owner names, and the owner's scorecards by judge."""
    from drr.app.board.entries import StatedScore

    if file is None:
        return [], {}
    try:
        stated = read_toml(file)
    except (OSError, ValueError) as error:
        raise Misuse(f"{file}: cannot be read as TOML ({error})") from error
    lists = [stated.pop(name, []) for name in ("keys", "scorecards")]
    if stated or not all(
        isinstance(one, list) and all(isinstance(name, str) for name in one) for one in lists
    ):
        raise Misuse(f'{file}: holds keys = ["ann.pub", ...] and scorecards = ["judge.json", ...]')
    keys, cards = ([file.parent / name for name in one] for one in lists)
    rows = [document_of(card, StatedScore, 1) for card in cards]
    return keys, {one.judge: one for one in rows}


def run(arguments: argparse.Namespace) -> int:
    from drr.app.board.builder import BoardConfig, build_board
    from drr.app.bundles.verifier import VerifyTerms

    fields = [name for name in arguments.by if name in (*FIELDS, ORDERS)]
    ranked_by = [name for name in arguments.by if name not in fields]
    if fields[1:] or ranked_by[1:]:
        raise Misuse("--by: give one metric and one field at most")
    keys, scorecards = _read_owner_file(arguments.config)
    made = build_board(
        BoardConfig(
            bundles=arguments.bundles,
            out=arguments.out,
            by=ranked_by[0] if ranked_by else None,
            group_by=fields[0] if fields else None,
            answers=not arguments.without_answers,
            parcels=not arguments.without_bundles,
            terms=replace(VerifyTerms.of(arguments), owners=keys),
            scorecards=scorecards,
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
    print_result(arguments, document, *lines, f"{count}: open {made.page}")
    return 1 if failed else 0
