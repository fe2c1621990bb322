"""Options that every command knows: `--quiet`, `--wide`. The command line adds them to the parsers that lack them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drr.app.command_table import CommandRow


def leaves(parser: argparse.ArgumentParser, name: str) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """The parsers that read options of a command: its own, or those of its parts."""
    parts = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not any(action.required for action in parts):
        yield name, parser
    for action in parts:
        for word, part in action.choices.items():
            yield from leaves(part, f"{name} {word}")


def add_common_options(parser: argparse.ArgumentParser, command: CommandRow) -> None:
    """Add the common options. What a part was not given stays as it was given before the part's name."""
    untold = argparse.SUPPRESS
    silent = {f"{command.name} {part}".rstrip() for part in command.summaries}
    for leaf, found in leaves(parser, command.name):
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
    """A summary that nobody wants; a document was asked for."""
    return bool(
        getattr(arguments, "silent", False) and arguments.quiet and not getattr(arguments, "json", False)
    )
