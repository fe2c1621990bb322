"""`drr papers persons`: make persons of a shop's shoppers, look at them, check and count them."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from drr.env.settings import Settings

_EXAMPLES = """\
A person is what is known of a shopper: each attribute with its basis. `records`: follows from orders by rule, which are named.
`stated`: said in own reviews, which are quoted, where the shop keeps them. `invented`: drawn by seed and true of nobody; in a sample shop unless --invented says otherwise.
`imported`: told by a persona from elsewhere. docs/persons.md tells the rules.

examples:
  drr papers persons build --shop shop --out persons.jsonl --users 50
  drr papers persons show persons.jsonl
  drr papers persons check persons.jsonl --shop shop
  drr papers persons stats persons.jsonl
  drr papers persons import personas.jsonl --out persons.jsonl
  drr papers persons export persons.jsonl --out personas.jsonl
"""


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    actions = parser.add_subparsers(dest="action", required=True, metavar="|".join(_ACTIONS))
    for name, action in _ACTIONS.items():
        action.build(
            actions.add_parser(
                name,
                help=action.said,
                description=action.said,
                formatter_class=argparse.RawDescriptionHelpFormatter,
                epilog="\n".join(
                    ["examples:", *(f"  drr papers persons {name} {one}" for one in action.examples)]
                ),
            )
        )


def _build_build(parser: argparse.ArgumentParser) -> None:
    from drr.app.console import add_setting_options
    from drr.app.models import SETTINGS
    from drr.app.options import positive_int
    from drr.app.studies import add_run_options

    parser.add_argument("--shop", required=True, metavar="SHOP", help="a folder, or servers:NAME")
    parser.add_argument(
        "--out", required=True, metavar="FILE.jsonl", type=Path, help="the file of persons that is written"
    )
    parser.add_argument(
        "--users", dest="how_many", type=positive_int, default=50, metavar="N", help="users (default 50)"
    )
    parser.add_argument(
        "--user", action="append", default=[], metavar="ID", help="this user instead of a sample; repeatable"
    )
    parser.add_argument(
        "--invented",
        choices=("none", "sample", "all"),
        default="sample",
        help="attributes drawn by seed, true of nobody: never, in a sample shop only (default), or in any shop",
    )
    parser.add_argument(
        "--seed", type=int, default=7, metavar="S", help="of users and of invented attributes (default 7)"
    )
    parser.add_argument(
        "--min-orders",
        type=positive_int,
        default=5,
        metavar="N",
        help="of a user who is drawn (default 5)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")
    add_run_options(parser)
    add_setting_options(parser, *SETTINGS, "role_models", "prompts", "shop_url")


def _build_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE.jsonl", type=Path, help="a file of persons")
    parser.add_argument("--person", metavar="ID", help="this one alone")
    parser.add_argument("--json", action="store_true", help="one JSON document")


def _build_check(parser: argparse.ArgumentParser) -> None:
    from drr.app.console import add_setting_options

    parser.add_argument("file", metavar="FILE.jsonl", type=Path, help="a file of persons")
    parser.add_argument("--shop", metavar="SHOP", help="also against the records of this shop")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    add_setting_options(parser, "shop_url")


def _build_stats(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE.jsonl", type=Path, help="a file of persons")
    parser.add_argument(
        "--truth",
        metavar="RAW_DIR",
        type=Path,
        help="a folder of `drr data sample`: compare with the interests it drew",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")


def _build_import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", type=Path, help="JSON lines: one persona each, by block (PDR-Bench's form)"
    )
    parser.add_argument(
        "--out", required=True, metavar="FILE.jsonl", type=Path, help="the file of persons that is written"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")


def _build_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE.jsonl", type=Path, help="a file of persons")
    parser.add_argument("--out", required=True, metavar="FILE", type=Path, help="the file that is written")
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(arguments: argparse.Namespace) -> int:
    return _ACTIONS[arguments.action].run(arguments)


def _settings(arguments: argparse.Namespace) -> Settings:
    from drr.app.console import settings_of

    return settings_of(arguments).settings


def _build(arguments: argparse.Namespace) -> int:
    from drr.papers.pdr.build import build_file

    return build_file(arguments, _settings(arguments))


def _show(arguments: argparse.Namespace) -> int:
    from drr.app.console import print_json
    from drr.app.terminal import flowed
    from drr.env.errors import Misuse
    from drr.papers.pdr.person import person_text, read_persons

    persons = read_persons(arguments.file)
    if arguments.person is not None:
        if arguments.person not in persons:
            raise Misuse(f"{arguments.file}: no person {arguments.person!r} in it")
        persons = {arguments.person: persons[arguments.person]}
    if arguments.json:
        print_json({"schema": 1, "persons": [person.line() for person in persons.values()]})
    else:
        print(flowed("\n\n".join(person_text(person) for person in persons.values()), 14))
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from contextlib import nullcontext

    from drr.app.console import print_json
    from drr.env.records.lines import one_line
    from drr.env.shop import open_shop
    from drr.papers.pdr.checking import problems
    from drr.papers.pdr.person import read_persons

    persons = list(read_persons(arguments.file).values())
    opened = open_shop(arguments.shop, _settings(arguments)) if arguments.shop else nullcontext(None)
    with opened as shop:
        found = list(problems(persons, shop))
    if arguments.json:
        print_json(
            {"schema": 1, "persons": len(persons), "problems": [problem._asdict() for problem in found]}
        )
    else:
        for problem in found:
            print(f"{problem.person_id}: {problem.check}: {one_line(problem.told, 300)}")
        bad = len({problem.person_id for problem in found})
        print(f"{len(persons) - bad} of {len(persons)} persons pass every check")
    return 1 if found else 0


def _stats(arguments: argparse.Namespace) -> int:
    from drr.app.console import print_json
    from drr.papers.pdr.checking import quality_of, quality_text, statistics_of, statistics_text
    from drr.papers.pdr.person import read_persons

    persons = list(read_persons(arguments.file).values())
    document = statistics_of(persons)
    quality = None
    if arguments.truth is not None:
        from drr.data_ingest.sample import read_truth

        quality = quality_of(persons, read_truth(arguments.truth))
    if arguments.json:
        print_json({**document, "quality": quality})
    else:
        print(statistics_text(document))
        if quality is not None:
            print(quality_text(quality))
    return 0


def _import(arguments: argparse.Namespace) -> int:
    from collections import Counter

    from drr.app.console import print_json, write_lines
    from drr.papers.pdr.persona_json import imported_personas

    personas = imported_personas(arguments.file)
    write_lines(arguments.out, [one.person.line() for one in personas])
    dropped = Counter[str]()
    for one in personas:
        dropped.update(one.dropped)
    attributes = sum(len(one.person.attributes) for one in personas)
    if arguments.json:
        print_json(
            {
                "schema": 1,
                "file": str(arguments.out),
                "persons": len(personas),
                "attributes": attributes,
                "left_out": dict(sorted(dropped.items())),
            }
        )
    else:
        print(f"{arguments.out}: {len(personas)} persons with {attributes} attributes")
        if dropped:
            counts = ", ".join(f"{count} with {kind}" for kind, count in sorted(dropped.items()))
            print(f"left out: {counts}")
        print(f"next: drr papers persons show {arguments.out}")
    return 0


def _export(arguments: argparse.Namespace) -> int:
    from drr.app.console import tell, write_lines
    from drr.papers.pdr.person import read_persons
    from drr.papers.pdr.persona_json import persona_line

    persons = read_persons(arguments.file).values()
    true = [
        person.model_copy(update={"attributes": tuple(a for a in person.attributes if a.basis != "invented")})
        for person in persons
    ]
    count = write_lines(arguments.out, [persona_line(person) for person in true])
    drawn = sum(len(person.attributes) for person in persons) - sum(len(one.attributes) for one in true)
    left = (
        f", {drawn} invented attributes left out: elsewhere nothing would say that they are" if drawn else ""
    )
    tell(
        arguments,
        {"file": str(arguments.out), "personas": count, "invented_left_out": drawn},
        f"{arguments.out}: {count} personas{left}",
    )
    return 0


class _Action(NamedTuple):
    said: str
    build: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    examples: tuple[str, ...]


_ACTIONS = {
    "build": _Action(
        "Make persons of a sample of shoppers, or of named ones.",
        _build_build,
        _build,
        (
            "--shop shop --out persons.jsonl --users 50",
            "--shop servers:demo --out two.jsonl --user AE... --user AF...",
            "--shop shop --out persons.jsonl --model anthropic:claude-sonnet-5-5 --budget 2",
        ),
    ),
    "show": _Action(
        "Print persons: each attribute with its basis and what it rests on.",
        _build_show,
        _show,
        ("persons.jsonl", "persons.jsonl --person p-0123456789ab --json"),
    ),
    "check": _Action(
        "Check evidence, personal data and contradictions; exit 1 where something does not hold.",
        _build_check,
        _check,
        ("persons.jsonl", "persons.jsonl --shop shop"),
    ),
    "stats": _Action(
        "Count attributes by block and basis; compare them with what a sample drew.",
        _build_stats,
        _stats,
        ("persons.jsonl", "persons.jsonl --json"),
    ),
    "import": _Action(
        "Take personas in PDR-Bench's JSON as persons; names, e-mail, streets and telephones stay outside.",
        _build_import,
        _import,
        ("personas.jsonl --out persons.jsonl",),
    ),
    "export": _Action(
        "Write persons as personas by block, without orders, quotations and user ids.",
        _build_export,
        _export,
        ("persons.jsonl --out personas.jsonl",),
    ),
}
