"""`drr papers persons`: make persons of a shop's shoppers, look at them, check and count them."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

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
        made = actions.add_parser(
            name,
            help=action.summary,
            description=action.summary,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            epilog="\n".join(
                ["examples:", *(f"  drr papers persons {name} {one}" for one in action.examples)]
            ),
        )
        for word, options in action.arguments:
            made.add_argument(word, **options)
        if action.build is not None:
            action.build(made)


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


def run(arguments: argparse.Namespace) -> int:
    return _ACTIONS[arguments.action].run(arguments)


def _build(arguments: argparse.Namespace) -> int:
    from drr.app.console import settings_of
    from drr.papers.pdr.build import build_file

    return build_file(arguments, settings_of(arguments).settings)


def _show(arguments: argparse.Namespace) -> int:
    from drr.app.console import tell
    from drr.app.terminal import flowed
    from drr.env.errors import Misuse
    from drr.papers.pdr.person import person_text, read_persons

    persons = read_persons(arguments.file)
    if arguments.person not in (None, *persons):
        raise Misuse(f"{arguments.file}: no person {arguments.person!r} in it")
    shown = [person for name, person in persons.items() if arguments.person in (None, name)]
    document = {"persons": [person.line() for person in shown]}
    tell(arguments, document, flowed("\n\n".join(map(person_text, shown)), 14))
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from contextlib import nullcontext

    from drr.app.console import settings_of, tell
    from drr.env.records.lines import one_line
    from drr.env.shop import open_shop
    from drr.papers.pdr.checking import problems
    from drr.papers.pdr.person import read_persons

    persons = list(read_persons(arguments.file).values())
    settings = settings_of(arguments).settings
    with open_shop(arguments.shop, settings) if arguments.shop else nullcontext(None) as shop:
        found = list(problems(persons, shop))
    bad = len({problem.person_id for problem in found})
    tell(
        arguments,
        {"persons": len(persons), "problems": [problem._asdict() for problem in found]},
        *(f"{one.person_id}: {one.check}: {one_line(one.told, 300)}" for one in found),
        f"{len(persons) - bad} of {len(persons)} persons pass every check",
    )
    return 1 if found else 0


def _stats(arguments: argparse.Namespace) -> int:
    from drr.app.console import tell
    from drr.data_ingest.sample import read_truth
    from drr.papers.pdr.checking import quality_of, quality_text, statistics_of, statistics_text
    from drr.papers.pdr.person import read_persons

    persons = list(read_persons(arguments.file).values())
    document = statistics_of(persons)
    quality = None if arguments.truth is None else quality_of(persons, read_truth(arguments.truth))
    text = [statistics_text(document), *([] if quality is None else [quality_text(quality)])]
    tell(arguments, {**document, "quality": quality}, *text)
    return 0


def _import(arguments: argparse.Namespace) -> int:
    from collections import Counter

    from drr.app.console import tell, write_lines
    from drr.papers.pdr.persona_json import imported_personas

    personas = imported_personas(arguments.file)
    write_lines(arguments.out, [one.person.line() for one in personas])
    dropped: Counter[str] = sum((Counter(one.dropped) for one in personas), Counter())
    attributes = sum(len(one.person.attributes) for one in personas)
    counts = ", ".join(f"{count} with {kind}" for kind, count in sorted(dropped.items()))
    tell(
        arguments,
        {
            "file": str(arguments.out),
            "persons": len(personas),
            "attributes": attributes,
            "left_out": dict(sorted(dropped.items())),
        },
        f"{arguments.out}: {len(personas)} persons with {attributes} attributes",
        *([f"left out: {counts}"] if dropped else []),
        f"next: drr papers persons show {arguments.out}",
    )
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


def _shop_url(parser: argparse.ArgumentParser) -> None:
    from drr.app.console import add_setting_options

    add_setting_options(parser, "shop_url")


class _Action(NamedTuple):
    summary: str
    run: Callable[[argparse.Namespace], int]
    examples: tuple[str, ...]
    arguments: tuple[tuple[str, dict[str, Any]], ...] = ()
    build: Callable[[argparse.ArgumentParser], None] | None = None
    """Builder of its further options."""


_FILE = ("file", {"metavar": "FILE.jsonl", "type": Path, "help": "a file of persons"})
_PERSONS_OUT = (
    "--out",
    {"required": True, "metavar": "FILE.jsonl", "type": Path, "help": "the file of persons that is written"},
)
_OUT = ("--out", {"required": True, "metavar": "FILE", "type": Path, "help": "the file that is written"})
_JSON = ("--json", {"action": "store_true", "help": "one JSON document"})
_TRUTH = "a folder of `drr data sample`: compare with the interests it drew"
_PERSONAS = "JSON lines: one persona each, by block (PDR-Bench's form)"


_ACTIONS = {
    "build": _Action(
        "Make persons of a sample of shoppers, or of named ones.",
        _build,
        (
            "--shop shop --out persons.jsonl --users 50",
            "--shop servers:demo --out two.jsonl --user AE... --user AF...",
            "--shop shop --out persons.jsonl --model anthropic:claude-sonnet-5-5 --budget 2",
        ),
        build=_build_build,
    ),
    "show": _Action(
        "Print persons: each attribute with its basis and what it rests on.",
        _show,
        ("persons.jsonl", "persons.jsonl --person p-0123456789ab --json"),
        (_FILE, ("--person", {"metavar": "ID", "help": "this one alone"}), _JSON),
    ),
    "check": _Action(
        "Check evidence, personal data and contradictions; exit 1 where something does not hold.",
        _check,
        ("persons.jsonl", "persons.jsonl --shop shop"),
        (_FILE, ("--shop", {"metavar": "SHOP", "help": "also against the records of this shop"}), _JSON),
        _shop_url,
    ),
    "stats": _Action(
        "Count attributes by block and basis; compare them with what a sample drew.",
        _stats,
        ("persons.jsonl", "persons.jsonl --json"),
        (_FILE, ("--truth", {"metavar": "RAW_DIR", "type": Path, "help": _TRUTH}), _JSON),
    ),
    "import": _Action(
        "Take personas in PDR-Bench's JSON as persons; names, e-mail, streets and telephones stay outside.",
        _import,
        ("personas.jsonl --out persons.jsonl",),
        (("file", {"metavar": "FILE", "type": Path, "help": _PERSONAS}), _PERSONS_OUT, _JSON),
    ),
    "export": _Action(
        "Write persons as personas by block, without orders, quotations and user ids.",
        _export,
        ("persons.jsonl --out personas.jsonl",),
        (_FILE, _OUT, _JSON),
    ),
}
