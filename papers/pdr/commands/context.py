"""`drr papers context`: the possible knowledge of an assistant about each person, in nested sizes, with objections found by code."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.console import settings_of

if TYPE_CHECKING:
    from drr.papers.pdr.context_check import ContextFault, SizeShares

_EXAMPLES = """\
A context shows a person without saying what is to be found: orders in words, own reviews where the shop keeps them, dialogues with
a shop assistant, notes. A smaller size is part of every larger one. docs/persons.md tells the form and the standard.

examples:
  drr papers context build persons.jsonl --shop shop --tokens 8k,32k,128k --out contexts
  drr papers context check contexts --shop shop
  drr papers context check contexts --model anthropic:claude-sonnet-5-5 --size 8k --budget 2
"""
_MOST_LINES = 30
"""Faults that are printed; `--json` has all."""


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    actions = parser.add_subparsers(dest="action", required=True, metavar="build|check")
    make = actions.add_parser(
        "build", help="make contexts of persons", description="Make contexts of persons."
    )
    _build_build(make)
    check = actions.add_parser(
        "check",
        help="check a folder of contexts",
        description="Check a folder of contexts; exit 1 where something does not hold.",
    )
    _build_check(check)


def _build_build(parser: argparse.ArgumentParser) -> None:
    from drr.app.console import add_setting_options
    from drr.app.options import positive_int

    parser.add_argument("file", metavar="PERSONS.jsonl", type=Path, help="a file of persons")
    parser.add_argument(
        "--shop",
        metavar="SHOP",
        help="the shop that the persons are of (default: the one of their content, beside the file or here)",
    )
    parser.add_argument(
        "--out", required=True, metavar="DIR", type=Path, help="the folder that the contexts are written into"
    )
    parser.add_argument(
        "--tokens", default="8k,32k,128k", metavar="LIST", help="sizes, e.g. 8k,32k,128k (the default)"
    )
    parser.add_argument("--seed", type=int, default=7, metavar="S", help="of every draw (default 7)")
    parser.add_argument(
        "--workers",
        type=positive_int,
        metavar="N",
        help="processes; the result is the same (default: 2 from 20 persons on)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    add_setting_options(parser, "shop_url")


def _build_check(parser: argparse.ArgumentParser) -> None:
    from drr.app.console import add_setting_options
    from drr.app.models import SETTINGS
    from drr.app.options import positive_int
    from drr.app.studies import add_run_options

    parser.add_argument("folder", metavar="DIR", type=Path, help="a folder of contexts")
    parser.add_argument("--shop", metavar="SHOP", help="also look for the shoppers' own names and addresses")
    parser.add_argument(
        "--size", metavar="SIZE", help="with --model: the context that is told back (default: the smallest)"
    )
    parser.add_argument(
        "--persons-limit",
        dest="how_many",
        type=positive_int,
        metavar="N",
        help="with --model: the first N persons alone",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")
    add_run_options(parser)
    add_setting_options(parser, *SETTINGS, "role_models", "prompts", "shop_url")


def run(arguments: argparse.Namespace) -> int:
    return _make(arguments) if arguments.action == "build" else _check(arguments)


def _make(arguments: argparse.Namespace) -> int:
    from collections.abc import Iterable, Iterator

    from drr.app.console import print_json, progress_of
    from drr.app.notices import tidy_end
    from drr.app.terminal import flowed
    from drr.env.shop import open_shop
    from drr.papers.pdr.context import PersonContext, parse_sizes, write_made
    from drr.papers.pdr.context_build import made_contexts
    from drr.papers.pdr.person import read_persons
    from drr.papers.pdr.shop_of_persons import shop_of

    sizes = parse_sizes(arguments.tokens)
    persons = list(read_persons(arguments.file).values())
    settings = settings_of(arguments).settings
    named = shop_of(persons, arguments.file, arguments.shop)
    with open_shop(named, settings) as shop:
        shop_hash = shop.manifest.content_hash
        as_of = shop.manifest.as_of
    persons = [person.model_copy(update={"as_of": person.as_of or as_of}) for person in persons]
    workers = arguments.workers or (2 if len(persons) >= 20 else 1)
    made = made_contexts(named, settings, persons, sizes, arguments.seed, workers)
    with tidy_end(), progress_of(arguments).stage("contexts", len(persons), "persons") as stage:

        def counted(folder: Path) -> Iterator[tuple[str, PersonContext]]:
            rows: Iterable[tuple[str, PersonContext]] = made(folder)
            for row in rows:
                yield row
                stage.advance(1)

        manifest = write_made(
            arguments.out, persons, counted, sizes=sizes, seed=arguments.seed, shop_hash=shop_hash
        )
    few = {size: sum(len(one.few.get(size, {})) for one in manifest.persons.values()) for size in sizes}
    lines = [
        f"{arguments.out}: contexts of {len(persons)} persons, {manifest.counter} tokens, {manifest.content_hash[:12]}"
    ]
    for size, asked in sizes.items():
        counted_tokens = [one.tokens[size] for one in manifest.persons.values()]
        line = (
            f"  {size:>6}: {min(counted_tokens):,} to {max(counted_tokens):,} of {asked:,} tokens; "
            f"{few[size]} attributes are expressed by fewer than five items"
        )
        lines.append(flowed(line, 8))
    lines.append(f"next: drr papers context check {arguments.out} --shop {named}")
    if arguments.json:
        print_json({**manifest.model_dump(mode="json"), "folder": str(arguments.out), "too_few": few})
    else:
        print("\n".join(lines))
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from contextlib import nullcontext

    from drr.app.console import print_json, settings_of
    from drr.env.shop import open_shop
    from drr.papers.pdr.context import read_contexts, read_truth
    from drr.papers.pdr.context_check import SharesTally, person_faults, persons_of
    from drr.papers.pdr.reversal import is_asked, reverse, tell_reversal

    contexts, settings = read_contexts(arguments.folder), settings_of(arguments).settings
    persons = persons_of(contexts)
    asks = is_asked(arguments, settings, contexts)
    tally = SharesTally(contexts)
    faults: list[ContextFault] = []
    opened = open_shop(arguments.shop, settings) if arguments.shop else nullcontext(None)
    with opened as shop:
        for key in contexts.persons:
            person = persons[key]
            known = shop is not None and person.user_id is not None
            user = shop.store.user(person.user_id or "") if known and shop is not None else None
            faults += person_faults(contexts, person, user)
            tally.add(person, read_truth(contexts, key))
    shares, lines_out, code = tally.shares(), None, 0
    if asks:
        lines_out, code = reverse(arguments, settings, contexts, persons)
    if arguments.json:
        print_json(
            {
                "schema": 1,
                "persons": len(contexts.persons),
                "counter": contexts.manifest.counter,
                "names_checked": arguments.shop is not None,
                "sizes": shares,
                "faults": [fault._asdict() for fault in faults],
                **({} if lines_out is None else {"reversal": lines_out}),
            }
        )
    else:
        _print_check(arguments, faults, shares, len(contexts.persons))
        if lines_out is not None:
            tell_reversal(lines_out)
    return 1 if faults else code


def _print_check(
    arguments: argparse.Namespace, faults: list[ContextFault], shares: dict[str, SizeShares], persons: int
) -> None:
    from drr.app.terminal import flowed
    from drr.env.records.lines import one_line

    for fault in faults[:_MOST_LINES]:
        where = f" {fault.item_id}" if fault.item_id else ""
        print(flowed(f"{fault.person_id}{where}: {fault.check}: {one_line(fault.told, 200)}"))
    if len(faults) > _MOST_LINES:
        print(f"... {len(faults) - _MOST_LINES} more; --json has all")
    for size, one in shares.items():
        talk, noise = one["conversational"], one["noise"]
        lines_out = (
            f"  {size:>6}: {one['tokens']['fewest']:,} to {one['tokens']['most']:,} of {one['asked']:,} tokens, "
            f"{one['items']:,} items, {talk or 0:.0%} conversational, {noise or 0:.0%} noise; "
            f"{one['few']} of {one['attributes']} attributes by fewer than five items"
        )
        print(flowed(lines_out, 8))
    bad = len({fault.person_id for fault in faults})
    print(f"{persons - bad} of {persons} contexts pass every check")
    if not arguments.shop:
        print("names and addresses of the shoppers were not looked for; give --shop")
