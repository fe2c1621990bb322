"""Options that all commands share, and types of options."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator

from drr.app.commands.table import CommandRow


def positive_int(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return value


def port_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text) <= 65535):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no port, a number from 1 to 65535, or 0 for any free one"
        )
    return int(text)


def positive_float(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return value


def parsers_with_options(
    parser: argparse.ArgumentParser, name: str
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield the parsers that read a command's options, with their names: the command's own, or those of its subcommands."""
    parts = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not any(action.required for action in parts):
        yield name, parser
    for action in parts:
        for word, part in action.choices.items():
            yield from parsers_with_options(part, f"{name} {word}")


def add_common_options(parser: argparse.ArgumentParser, command: CommandRow) -> None:
    """Add the options that all commands share. An option not given to a subcommand keeps the value given before the subcommand's name."""
    untold = argparse.SUPPRESS
    silent = {f"{command.name} {part}".rstrip() for part in command.summaries}
    for leaf, found in parsers_with_options(parser, command.name):
        if "--quiet" not in found._option_string_actions:
            found.add_argument("--quiet", action="store_true", default=untold, help="no progress, no summary")
            found.set_defaults(silent=leaf in silent)
        if "--wide" not in found._option_string_actions:
            found.add_argument(
                "--wide",
                action="store_true",
                default=untold,
                help="all columns of tables, however narrow the terminal",
            )
    for option in ("quiet", "wide"):
        if parser.get_default(option) in (None, untold):
            parser.set_defaults(**{option: False})


def is_silent(arguments: argparse.Namespace) -> bool:
    """Return True if `--quiet` leaves the summary out; a JSON document that was asked for is printed anyway."""
    return bool(
        getattr(arguments, "silent", False) and arguments.quiet and not getattr(arguments, "json", False)
    )
