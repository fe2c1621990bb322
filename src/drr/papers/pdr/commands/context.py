"""The command `drr papers context`: builds and checks contexts, an assistant's possible knowledge of each person in nested sizes."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

from drr.env.shop import open_shop
from drr.plugin import (
    add_setting_options,
    flowed,
    positive_int,
    print_result,
    progress_of,
    settings_of,
    tidy_end,
)

_EXAMPLES = """\
A context shows a person without saying what is to be found: orders in words, own reviews where the shop keeps them, dialogues with
a shop assistant, notes. A smaller size is part of every larger one. docs/persons.md tells the form and the standard.

examples:
  drr papers context build persons.jsonl --shop shop --tokens 8k,32k,128k --out contexts
  drr papers context check contexts --shop shop
"""
_MOST_LINES = 30
"""Limit on the faults printed; `--json` prints all."""


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    actions = parser.add_subparsers(dest="action", required=True, metavar="build|check")
    text = "Make contexts of persons."
    add = (make := actions.add_parser("build", help=text, description=text)).add_argument
    add("file", metavar="PERSONS.jsonl", type=Path, help="a file of persons")
    text = "the shop that the persons are of (default: the one of their content, beside the file or here)"
    add("--shop", metavar="SHOP", help=text)
    add(
        "--out", required=True, metavar="DIR", type=Path, help="the folder that the contexts are written into"
    )
    add("--tokens", default="8k,32k,128k", metavar="LIST", help="sizes, e.g. 8k,32k,128k (the default)")
    add("--seed", type=int, default=7, metavar="S", help="of every draw (default 7)")
    text = "processes; the result is the same (default: 2 from 20 persons on)"
    add("--workers", type=positive_int, metavar="N", help=text)
    add("--quiet", action="store_true", help="no progress")
    add("--json", action="store_true", help="one JSON document")
    add_setting_options(make, "shop_url")
    text = "Check a folder of contexts; exit 1 where something does not hold."
    check = actions.add_parser("check", help="check a folder of contexts", description=text)
    add = check.add_argument
    add("folder", metavar="DIR", type=Path, help="a folder of contexts")
    add("--shop", metavar="SHOP", help="also look for the shoppers' own names and addresses")
    add("--json", action="store_true", help="one JSON document")
    add_setting_options(check, "shop_url")


def run(arguments: argparse.Namespace) -> int:
    return _make(arguments) if arguments.action == "build" else _check(arguments)


def _make(arguments: argparse.Namespace) -> int:
    from drr.papers.pdr.context import PersonContext, parse_sizes, write_made
    from drr.papers.pdr.context_build import made_contexts
    from drr.papers.pdr.person import read_persons
    from drr.papers.pdr.shop_of_persons import shop_of

    out, sizes, seed = arguments.out, parse_sizes(arguments.tokens), arguments.seed
    persons = list(read_persons(arguments.file).values())
    settings = settings_of(arguments).settings
    named = shop_of(persons, arguments.file, arguments.shop)
    with open_shop(named, settings) as shop:
        shop_hash, as_of = shop.manifest.content_hash, shop.manifest.as_of
    persons = [person.model_copy(update={"as_of": person.as_of or as_of}) for person in persons]
    workers = arguments.workers or (2 if len(persons) >= 20 else 1)
    made = made_contexts(named, settings, persons, sizes, seed, workers)
    with tidy_end(), progress_of(arguments).stage("contexts", len(persons), "persons") as stage:

        def counted(folder: Path) -> Iterator[tuple[str, PersonContext]]:
            for row in made(folder):
                yield row
                stage.advance(1)

        manifest = write_made(out, persons, counted, sizes=sizes, seed=seed, shop_hash=shop_hash)
    few = {size: sum(len(one.few.get(size, {})) for one in manifest.persons.values()) for size in sizes}
    hashed = f"{manifest.counter} tokens, {manifest.content_hash[:12]}"
    lines = [f"{out}: contexts of {len(persons)} persons, {hashed}"]
    for size, asked in sizes.items():
        tokens = [one.tokens[size] for one in manifest.persons.values()]
        line = f"  {size:>6}: {min(tokens):,} to {max(tokens):,} of {asked:,} tokens; "
        lines.append(flowed(f"{line}{few[size]} attributes are expressed by fewer than five items", 8))
    lines.append(f"next: drr papers context check {out} --shop {named}")
    print_result(arguments, {**manifest.model_dump(mode="json"), "folder": str(out), "too_few": few}, *lines)
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from drr.env.records.lines import one_line
    from drr.papers.pdr.context import read_contexts
    from drr.papers.pdr.context_check import ContextFault, person_faults, persons_of, shares_of, shares_text

    contexts, settings = read_contexts(arguments.folder), settings_of(arguments).settings
    persons, count = persons_of(contexts), len(contexts.persons)
    faults: list[ContextFault] = []
    opened = open_shop(arguments.shop, settings) if arguments.shop else nullcontext(None)
    with opened as shop:
        for key in contexts.persons:
            user_id = persons[key].user_id
            user = shop.store.user(user_id) if shop is not None and user_id is not None else None
            faults += person_faults(contexts, persons[key], user)
    shares, lines = shares_of(contexts, persons), []
    for fault in faults[:_MOST_LINES]:
        where = f" {fault.item_id}" if fault.item_id else ""
        lines.append(flowed(f"{fault.person_id}{where}: {fault.check}: {one_line(fault.told, 200)}"))
    if len(faults) > _MOST_LINES:
        lines.append(f"... {len(faults) - _MOST_LINES} more; --json has all")
    lines += [flowed(line, 8) for line in shares_text(shares)]
    bad = len({fault.person_id for fault in faults})
    lines.append(f"{count - bad} of {count} contexts pass every check")
    if not arguments.shop:
        lines.append("names and addresses of the shoppers were not looked for; give --shop")
    document = {
        "persons": count, "counter": contexts.manifest.counter, "names_checked": arguments.shop is not None,
        "sizes": shares, "faults": [fault._asdict() for fault in faults],
    }  # fmt: skip
    print_result(arguments, document, *lines)
    return int(bool(faults))
