"""The command `drr data`: raw files of Amazon Reviews 2023 from their publisher or a mirror, or invented ones."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill

from drr.app.commands.table import CommandForm
from drr.app.console import print_document, progress_of
from drr.app.notices import notice
from drr.app.terminal import flowed, table
from drr.data_ingest.download import (
    DownloadTerms,
    FetchOutcome,
    check_room,
    fetch_all,
    free_bytes,
    lock_download_folder,
)
from drr.data_ingest.publisher import Publisher, WantedFile, files_to_download, publication, with_sizes
from drr.data_ingest.recipe import ALL, parse_categories
from drr.env.errors import Misuse
from drr.env.files import at_home
from drr.env.json_object import JsonObject

_EXAMPLES = """\
Two files for each category, packed: `ten` is about 34 GB, `All_Beauty` 134 MB. Sizes, room and terms are shown first and you
are asked. What was cut goes on where it was, by the same command; finished files are kept. Then `drr data ingest RAW_DIR`.

examples:
  drr data get --categories ten --to amazon2023/ --dry-run
  drr data get --categories All_Beauty --to ~/amazon2023
  drr data get --categories ten --to amazon2023/ --mirror http://127.0.0.1:8000 --yes"""


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parts = parser.add_subparsers(dest="action", required=True, metavar="get")
    get = parts.add_parser("get", help="download raw files", epilog=_EXAMPLES)
    add = get.add_argument
    get.formatter_class = argparse.RawDescriptionHelpFormatter
    add(
        "--categories",
        metavar="LIST",
        default="ten",
        help="names separated by commas, `ten` (default), `eight`, or `all` 34",
    )
    add("--to", type=Path, required=True, metavar="RAW_DIR", help="the folder for `drr data ingest`")
    add(
        "--mirror", metavar="URL", help="another place with the same files; below it lies raw/meta_categories"
    )
    add("--yes", action="store_true", help="do not ask")
    add("--dry-run", action="store_true", help="show what would be got; ask no publisher")
    add("--json", action="store_true", help="one JSON document")
    add("--quiet", action="store_true", help="no progress, no summary")


def run(arguments: argparse.Namespace) -> int:
    import asyncio

    categories = parse_categories(arguments.categories) or ALL
    to = at_home(arguments.to)
    _check_folder(to)
    publisher = Publisher(arguments.mirror or publication().base, named=bool(arguments.mirror))
    wanted = asyncio.run(with_sizes(publisher, files_to_download(categories), to))
    free = free_bytes(to)
    if not (arguments.quiet or arguments.json):
        print(_download_plan(publisher, wanted, to, free))
    check_room(wanted, to, free)
    if arguments.dry_run:
        print_document(arguments, _document(publisher, wanted, to, free))
        return 0
    if any(not one.there for one in wanted) and not arguments.yes and not _ask_to_download():
        print("nothing was got", file=sys.stderr)
        return 1
    with lock_download_folder(to):
        done = asyncio.run(fetch_all(publisher, wanted, progress_of(arguments), DownloadTerms()))
    for one in done:
        for line in (*one.remarks, *((one.failed,) if one.failed else ())):
            notice(line)
    lines = [] if arguments.quiet else [_text(done, to, arguments.categories)]
    print_document(arguments, _document(publisher, wanted, to, free, done), *lines)
    return 1 if any(one.failed for one in done) else 0


def _check_folder(to: Path) -> None:
    from drr.data_ingest.sample import MARKER

    if to.exists() and not to.is_dir():
        raise Misuse(f"--to {to}: is a file; name a folder")
    if (to / MARKER).is_file():
        raise Misuse(
            f"--to {to}: holds the invented files of `drr data sample`; name another folder for real ones"
        )


def _ask_to_download() -> bool:
    if not sys.stdin.isatty():
        raise Misuse("nobody is there to be asked: say --yes, or --dry-run to see what would be got")
    try:
        return input("Get them? [y/N] ").strip().casefold() in ("y", "yes")
    except EOFError:
        return False


def _download_plan(publisher: Publisher, wanted: Sequence[WantedFile], to: Path, free: int) -> str:
    rows = []
    for category in dict.fromkeys(one.file.category for one in wanted):
        sizes = {one.file.part: one for one in wanted if one.file.category == category}
        rows.append([category, *(_size(publisher, sizes[part]) for part in ("meta", "review"))])
    left = sum(one.left or 0 for one in wanted)
    there = sum(one.there for one in wanted)
    about = "" if publisher.named else "about "
    unknown = sum(one.left is None for one in wanted)
    more = f", and {unknown} files whose size the mirror does not tell" if unknown else ""
    return "\n".join(
        (
            flowed(f"{publication().name}: {len(wanted)} files, from {publisher.base}"),
            "",
            table(["category", "products", "reviews"], rows),
            "",
            f"to get   {about}{_bytes(left)}{more}; {there} of {len(wanted)} files are there",
            f"free     {_bytes(free)} at {to}",
            fill(f"terms    {publication().licence}", 80, subsequent_indent=" " * 9),
        )
    )


def _size(publisher: Publisher, one: WantedFile) -> str:
    if one.there:
        return "there"
    about = "" if publisher.named or one.file.packed is not None else "~"
    size = "?" if one.size is None else f"{about}{_bytes(one.size)}"
    return f"{size} ({_bytes(one.kept)} there)" if one.kept else size


def _bytes(count: int) -> str:
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:,.1f} GB"


def _text(done: Sequence[FetchOutcome], to: Path, categories: str) -> str:
    got = [one.got for one in done if one.got is not None]
    kept = sum(one.wanted.there for one in done)
    failed = sum(one.failed is not None for one in done)
    parts = [f"{len(got)} files got ({_bytes(sum(one.size for one in got))})", f"{kept} were there"]
    if failed:
        parts.append(f"{failed} could not be had")
    chosen = "" if categories == "ten" else f" --categories {shlex.quote(categories)}"
    return f"{to}: {', '.join(parts)}\nnext: drr data ingest {shlex.quote(str(to))} --shop shop{chosen}"


def _document(
    publisher: Publisher, wanted: Sequence[WantedFile], to: Path, free: int, done: Sequence[FetchOutcome] = ()
) -> JsonObject:
    outcomes = {one.wanted.target: one for one in done}
    files: list[JsonObject] = []
    for one in wanted:
        outcome = outcomes.get(one.target)
        got = outcome.got if outcome else None
        state = "there" if one.there else "got" if got else "failed" if outcome else "missing"
        files.append(
            {
                "category": one.file.category,
                "part": one.file.part,
                "url": publisher.address(one.file.address),
                "path": str(one.target),
                "state": state,
                "bytes": got.size if got else one.size,
                "estimated": not (publisher.named or one.there or got or one.file.packed is not None),
                "bytes_there": got.size if got else one.kept,
                "sha256": got.sha256 if got else None,
                "error": outcome.failed if outcome else None,
            }
        )
    return {
        "schema": 1,
        "name": publication().name,
        "from": publisher.base,
        "to": str(to),
        "free_bytes": free,
        "licence": publication().licence,
        "files": files,
    }


def _build_sample(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.description = (
        "Write invented reviews and products in the official Amazon-2023 form, with the oddities of the real files at "
        "their real rates. The same numbers and seed give the same bytes."
    )
    parser.epilog = (
        "examples:\n  drr data sample raw --seed 7\n"
        "  drr data sample big --products 110000 --users 2000000 --reviews 5000000"
    )
    add("folder", metavar="RAW_DIR", help="new folder, or one that `drr data sample` wrote earlier")
    add("--products", type=int, default=1500, metavar="N", help="products (default 1500)")
    add("--users", type=int, default=400, metavar="N", help="shoppers (default 400)")
    add(
        "--reviews",
        type=int,
        default=24000,
        metavar="N",
        help="review rows, duplicates included (default 24000)",
    )
    add("--seed", type=int, default=7, metavar="S", help="another seed, another shop (default 7)")
    add("--json", action="store_true", help="one JSON document")
    add("--quiet", action="store_true", help="no progress")


def _run_sample(arguments: argparse.Namespace) -> int:
    from drr.data_ingest.sample import SamplePlan, write_sample

    plan = SamplePlan(arguments.products, arguments.users, arguments.reviews, arguments.seed)
    written = write_sample(Path(arguments.folder), plan, progress_of(arguments))
    rows, categories = written["rows"], len(written["categories"])
    counts = f"{rows['reviews']:,} reviews of {rows['products']:,} products by {rows['users']:,} shoppers"
    made = f"{arguments.folder}: {counts} in {categories} categories"
    then = f"next: drr data ingest {arguments.folder} --shop shop"
    print_document(arguments, written, *([] if arguments.quiet else [made, then]))
    return 0


SAMPLE = CommandForm(_build_sample, _run_sample)
