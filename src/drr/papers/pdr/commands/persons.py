"""The command `drr papers persons`: builds persons from a shop's users, and shows, checks, counts, imports and exports them."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

from drr.env.shop import open_shop
from drr.papers.pdr.person import person_text, read_persons
from drr.plugin import (
    add_setting_options,
    add_unit_options,
    flowed,
    positive_int,
    print_result,
    remember_shop,
    settings_of,
    write_lines,
)

_EXAMPLES = """\
A person is what is known of a shopper: each attribute with its basis. `records`: follows from orders by rule, which are named.
`stated`: said in own reviews, which are quoted, where the shop keeps them. `invented`: drawn by seed and true of nobody; in a sample shop unless --invented says otherwise.
`imported`: told by a persona from elsewhere. docs/persons.md tells the rules.

examples:
  drr papers persons build --shop shop --out persons.jsonl --users 50
  drr papers persons build --shop shop --out persons.jsonl --model anthropic:claude-sonnet-5-5 --budget 2
  drr papers persons show persons.jsonl
  drr papers persons check persons.jsonl --shop shop
  drr papers persons stats persons.jsonl
  drr papers persons import personas.jsonl --out persons.jsonl
  drr papers persons export persons.jsonl --out personas.jsonl
"""
_SUMMARIES = {
    "build": "Make persons of a sample of shoppers, or of named ones.",
    "show": "Print persons: each attribute with its basis and what it rests on.",
    "check": "Check evidence, personal data and contradictions; exit 1 where something does not hold.",
    "stats": "Count attributes by block and basis; compare them with what a sample drew.",
    "import": "Take personas in PDR-Bench's JSON as persons; names, e-mail, streets and telephones stay outside.",
    "export": "Write persons as personas by block, without orders, quotations and user ids.",
}


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    actions = parser.add_subparsers(dest="action", required=True, metavar="|".join(_SUMMARIES))
    lines = [line for line in _EXAMPLES.splitlines() if line.startswith("  drr ")]
    for name, summary in _SUMMARIES.items():
        own = "\n".join(["examples:", *(line for line in lines if f"persons {name} " in line)])
        form = argparse.RawDescriptionHelpFormatter
        made = actions.add_parser(name, help=summary, description=summary, formatter_class=form, epilog=own)
        if name == "import":
            text = "JSON lines: one persona each, by block (PDR-Bench's form)"
            made.add_argument("file", metavar="FILE", type=Path, help=text)
        elif name != "build":
            made.add_argument("file", metavar="FILE.jsonl", type=Path, help="a file of persons")
        if name in ("build", "import", "export"):
            text = "the file that is written"
            made.add_argument("--out", required=True, metavar="FILE", type=Path, help=text)
        made.add_argument("--json", action="store_true", help="one JSON document")
    choices = actions.choices
    _build_build(choices["build"])
    text = "also against the records of this shop"
    choices["check"].add_argument("--shop", metavar="SHOP", help=text)
    add_setting_options(choices["check"], "shop_url")
    text = "a folder of `drr data sample`: compare with the interests it drew"
    choices["stats"].add_argument("--truth", metavar="RAW_DIR", type=Path, help=text)


def _build_build(parser: argparse.ArgumentParser) -> None:
    add, number = parser.add_argument, positive_int
    add("--shop", required=True, metavar="SHOP", help="a folder, or servers:NAME")
    add("--users", dest="how_many", type=number, default=50, metavar="N", help="users (default 50)")
    text = "this user instead of a sample; repeatable"
    add("--user", action="append", default=[], metavar="ID", help=text)
    text = "attributes drawn by seed, true of nobody: never, or in a sample shop only (default)"
    add("--invented", choices=("none", "sample"), default="sample", help=text)
    text = "of users and of invented attributes (default 7)"
    add("--seed", type=int, default=7, metavar="S", help=text)
    text = "of a user who is drawn (default 5)"
    add("--min-orders", type=number, default=5, metavar="N", help=text)
    add_unit_options(parser, "role_models", "prompts", "shop_url")


def run(arguments: argparse.Namespace) -> int:
    acts = {"build": _build, "show": _show, "check": _check, "stats": _stats, "import": _import}
    return acts.get(arguments.action, _export)(arguments)


def _build(arguments: argparse.Namespace) -> int:
    from drr.papers.pdr.build import build_persons
    from drr.papers.pdr.candidates import SaidOfPersons, asks_model, statements_of_persons
    from drr.papers.pdr.checking import statistics_of
    from drr.querygen.generate import drawn_users, named_user

    found, out, seed = SaidOfPersons({}, {}, 0), arguments.out, arguments.seed
    settings = settings_of(arguments).settings
    with open_shop(arguments.shop, settings) as shop:
        remember_shop(out, arguments.shop)
        users = [named_user(shop, one).user_id for one in dict.fromkeys(arguments.user)]
        users = users or drawn_users(shop, arguments.how_many, seed=seed, min_orders=arguments.min_orders)
        candidates = users
        if asks_model(settings):
            found = statements_of_persons(arguments, settings, shop, users)
            candidates = [user for user in users if user in found.attributes]
        draws = arguments.invented == "sample"
        persons = list(build_persons(shop, candidates, seed=seed, draws=draws, stated=found.attributes))
    if len(candidates) < len(users):
        left = f"{len(users) - len(candidates)} of {len(users)} users are not in it, as their reviews are not read yet"
        print(f"drr: {out}: {left}", file=sys.stderr)
    if not persons:
        return found.code or 1
    write_lines(out, [person.line() for person in persons])
    if not arguments.user and len(users) < arguments.how_many:
        few = f"{len(users)} users have {arguments.min_orders} orders or more, {arguments.how_many} were asked for"
        print(f"{arguments.shop}: {few}", file=sys.stderr)
    document = {**statistics_of(persons), "file": str(out)}
    lines = [f"{out}: {len(persons)} persons with {document['attributes']} attributes"]
    if asks_model(settings):
        kept = sum(map(len, found.attributes.values()))
        document["candidates"] = {"kept": kept, "refused": dict(found.refused)}
        why = ", ".join(f"{name} {count}" for name, count in sorted(found.refused.items()))
        lines.append(f"candidates of the model: {kept} kept{'; refused: ' + why if why else ''}")
    print_result(arguments, document, *lines, f"next: drr papers persons show {out}")
    return found.code


def _show(arguments: argparse.Namespace) -> int:
    shown = read_persons(arguments.file).values()
    document = {"persons": [person.line() for person in shown]}
    print_result(arguments, document, flowed("\n\n".join(map(person_text, shown)), 14))
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from drr.papers.pdr.checking import problems, tell_problems

    persons = list(read_persons(arguments.file).values())
    settings = settings_of(arguments).settings
    with open_shop(arguments.shop, settings) if arguments.shop else nullcontext(None) as shop:
        found = [(one.person_id, one) for one in problems(persons, shop)]
    return tell_problems(arguments, "persons", len(persons), found)


def _stats(arguments: argparse.Namespace) -> int:
    from drr.data_ingest.sample import read_truth
    from drr.papers.pdr.checking import quality_of, quality_text, statistics_of, statistics_text

    persons = list(read_persons(arguments.file).values())
    document = statistics_of(persons)
    quality = None if arguments.truth is None else quality_of(persons, read_truth(arguments.truth))
    text = [statistics_text(document), *([] if quality is None else [quality_text(quality)])]
    print_result(arguments, {**document, "quality": quality}, *text)
    return 0


def _import(arguments: argparse.Namespace) -> int:
    from drr.papers.pdr.persona_json import imported_personas

    personas, out = imported_personas(arguments.file), str(arguments.out)
    write_lines(arguments.out, [one.person.line() for one in personas])
    dropped = dict(sorted(sum((Counter(one.dropped) for one in personas), Counter[str]()).items()))
    attributes = sum(len(one.person.attributes) for one in personas)
    counts = ", ".join(f"{count} with {kind}" for kind, count in dropped.items())
    print_result(
        arguments,
        {"file": out, "persons": len(personas), "attributes": attributes, "left_out": dropped},
        f"{out}: {len(personas)} persons with {attributes} attributes",
        *([f"left out: {counts}"] if dropped else []),
        f"next: drr papers persons show {out}",
    )
    return 0


def _export(arguments: argparse.Namespace) -> int:
    from drr.papers.pdr.persona_json import persona_line

    persons, lines = read_persons(arguments.file).values(), []
    for person in persons:
        true = tuple(one for one in person.attributes if one.basis != "invented")
        lines.append(persona_line(person.model_copy(update={"attributes": true})))
    drawn = sum(one.basis == "invented" for person in persons for one in person.attributes)
    count, out = write_lines(arguments.out, lines), str(arguments.out)
    why = f", {drawn} invented attributes left out: elsewhere nothing would say that they are"
    document = {"file": out, "personas": count, "invented_left_out": drawn}
    print_result(arguments, document, f"{out}: {count} personas{why if drawn else ''}")
    return 0
